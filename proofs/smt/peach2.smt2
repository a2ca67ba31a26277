; PEACH2 boards in two rings of k, or in one, joined by S cables at every board: minimal routing along the ring first, with
; VC 1 from the cable between boards k-1 and 0 on, for every k >= 2.
;
; Board x of a ring has a cable E to x+1, W to x-1 (cyclic) and S to board x of the other ring. A packet for board t of some
; ring goes along its ring to x = t, then takes S if the ring is the wrong one, and has arrived.
; Proved: an invariant of the places where packets can be, and that every hop between such places lowers the rank, so the
; channel dependency graph is acyclic. At distance k/2 either way may be taken, at each board another one.
; Not proved: that packets arrive; S before the ring; boards without S.
(set-logic QF_LIA)
(declare-const k Int) ; boards of a ring
(assert (>= k 2))

(define-fun ahead ((x Int) (t Int)) Int (ite (>= t x) (- t x) (+ (- t x) k)))
(define-fun minimal ((up Bool) (x Int) (t Int)) Bool
  (and (distinct x t) (<= (* 2 (ite up (ahead x t) (ahead t x))) k)))
(define-fun wraps ((up Bool) (x Int) (t Int)) Bool (ite up (< t x) (> t x)))
(define-fun border ((up Bool) (x Int)) Bool (= x (ite up (- k 1) 0))) ; the cable between k-1 and 0 leaves x
(define-fun move ((up Bool) (x Int)) Int
  (ite up (ite (= x (- k 1)) 0 (+ x 1)) (ite (= x 0) (- k 1) (- x 1))))
(define-fun vc-after ((v Int) (up Bool) (x Int)) Int (ite (or (= v 1) (border up x)) 1 0))

; The rank of a channel, of S or of E (up) or W: a pair, compared lexicographically. On VC 1 the cable between k-1 and 0
; comes first.
(define-fun rank.1 ((south Bool)) Int (ite south 0 1))
(define-fun rank.2 ((south Bool) (vc Int) (up Bool) (x Int)) Int
  (ite south 0 (ite (= vc 0) (+ k (ite up (- k x) (+ x 1)))
    (ite (border up x) k (ite up (- (- k 1) x) x)))))
(define-fun wrong.1 ((south Bool)) Int (ite south 0 1))
(define-fun wrong.2 ((south Bool) (vc Int) (up Bool) (x Int)) Int (ite south 0 (ite up (- k x) (+ x 1))))
(define-fun less ((s Bool) (w Int) (u Bool) (y Int) (r Bool) (v Int) (p Bool) (x Int)) Bool
  (or (< (rank.1 s) (rank.1 r)) (and (= (rank.1 s) (rank.1 r)) (< (rank.2 s w u y) (rank.2 r v p x)))))

; A packet for board t holds a channel E or W on VC v with its tail at x, and is then at y.
(declare-const x Int) (declare-const t Int) (declare-const up Bool) (declare-const v Int)
(declare-const y Int) (declare-const up2 Bool) (declare-const w Int)
(assert (and (<= 0 v 1) (<= 0 x) (< x k) (<= 0 t) (< t k)))
(assert (minimal up x t))
(assert (= y (move up x)))
(define-fun invariant ((v Int) (up Bool) (x Int) (t Int)) Bool
  (ite (= v 0) (not (border up x)) (or (border up x) (not (wraps up x t)))))
(define-fun onward () Bool (and (minimal up2 y t) (= w (vc-after v up2 y))))

(push 1)
; the invariant holds of first hops
(assert (not (invariant (vc-after 0 up x) up x t)))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; hops along a ring keep the invariant
(assert (and (invariant v up x t) onward))
(assert (not (invariant w up2 y t)))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; every hop along a ring lowers the rank
(assert (and (invariant v up x t) onward))
(assert (not (less false w up2 y false v up x)))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; a hop into an S cable lowers the rank, whichever its VC, and no hop follows
(assert (not (and (less true 0 up2 y false v up x) (less true 1 up2 y false v up x) (=> (= y t) (not (minimal up2 y t))))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; ranks are well-founded
(assert (not (and (<= 0 (rank.1 false)) (<= 0 (rank.1 true)) (<= 0 (rank.2 false v up x)) (<= 0 (rank.2 true v up x)))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; not vacuous: a packet goes on behind the cable between k-1 and 0
(assert (and (= k 5) (invariant v up x t) onward (= v 1)))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; wrong rank: without the VC
(assert (and (= k 5) (invariant v up x t) onward))
(assert (not (< (wrong.2 false w up2 y) (wrong.2 false v up x))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; one VC fewer: a packet stays on VC 0
(assert (and (= k 5) (= v 0) (minimal up2 y t) (not (less false 0 up2 y false 0 up x))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; missing condition: along the ring behind an S cable
(assert (and (= k 5) (not (less false 0 up2 y true 0 up x))))
(set-info :status sat)
(check-sat)
(pop 1)
