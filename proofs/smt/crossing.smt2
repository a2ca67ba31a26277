; Dimension order on k-ary n-cubes with VC 1 from the wrap-around link of a dimension on, for every k >= 2 and every n.
;
; Proved: an invariant of the places where packets can be, and that every hop between such places lowers the rank, so
; the channel dependency graph is acyclic. The VC depends on the channel that the packet holds, so no rank does without
; the invariant: behind the wrap-around link none lies ahead. At distance k/2 either way may be taken.
; Not proved: that packets arrive.
(set-logic QF_LIA)
(declare-const k Int) ; nodes of a ring
(declare-const n Int) ; dimensions
(assert (and (>= k 2) (>= n 1)))

(define-fun ahead ((x Int) (t Int)) Int (ite (>= t x) (- t x) (+ (- t x) k)))
(define-fun minimal ((up Bool) (x Int) (t Int)) Bool
  (and (distinct x t) (<= (* 2 (ite up (ahead x t) (ahead t x))) k)))
(define-fun wraps ((up Bool) (x Int) (t Int)) Bool (ite up (< t x) (> t x)))
(define-fun border ((up Bool) (x Int)) Bool (= x (ite up (- k 1) 0))) ; the wrap-around link leaves x
(define-fun move ((up Bool) (x Int)) Int
  (ite up (ite (= x (- k 1)) 0 (+ x 1)) (ite (= x 0) (- k 1) (- x 1))))
(define-fun vc-after ((v Int) (up Bool) (x Int)) Int (ite (or (= v 1) (border up x)) 1 0))

; The rank of a channel: a pair, compared lexicographically. On VC 1 the wrap-around link comes first.
(define-fun rank.1 ((dim Int)) Int (- n dim))
(define-fun rank.2 ((vc Int) (up Bool) (x Int)) Int
  (ite (= vc 0) (+ k (ite up (- k x) (+ x 1)))
    (ite (border up x) k (ite up (- (- k 1) x) x))))
(define-fun wrong.1 ((dim Int)) Int (- n dim))
(define-fun wrong.2 ((vc Int) (up Bool) (x Int)) Int (+ (ite (= vc 0) k 0) (ite up (- k x) (+ x 1))))

; A packet for t holds a channel of dimension i on VC v with its tail at x, and asks for one of dimension j on VC w with
; its tail at y, where its destination is s.
(declare-const i Int) (declare-const x Int) (declare-const t Int) (declare-const up Bool) (declare-const v Int)
(declare-const j Int) (declare-const y Int) (declare-const s Int) (declare-const up2 Bool) (declare-const w Int)
(assert (and (<= 0 i) (< i n) (<= 0 j) (< j n) (<= 0 v 1)))
(assert (and (<= 0 x) (< x k) (<= 0 t) (< t k) (<= 0 y) (< y k) (<= 0 s) (< s k)))
(assert (minimal up x t))
(assert (minimal up2 y s))
(assert (=> (= i j) (and (= y (move up x)) (= s t))))
(assert (= w (vc-after (ite (= i j) v 0) up2 y)))
(define-fun invariant ((v Int) (up Bool) (x Int) (t Int)) Bool
  (ite (= v 0) (not (border up x)) (or (border up x) (not (wraps up x t)))))
(define-fun lowest () Bool (=> (< j i) (= y s)))

(push 1)
; the invariant holds of first hops, in each dimension
(assert (not (invariant (vc-after 0 up x) up x t)))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; hops keep the invariant
(assert (invariant v up x t))
(assert (not (invariant w up2 y s)))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; every hop lowers the rank
(assert (and lowest (invariant v up x t)))
(assert (not (or (< (rank.1 j) (rank.1 i)) (and (= (rank.1 j) (rank.1 i)) (< (rank.2 w up2 y) (rank.2 v up x))))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; ranks are well-founded
(assert (not (and (<= 1 (rank.1 i)) (<= 0 (rank.2 v up x)))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; not vacuous: a packet holds the wrap-around link and goes on
(assert (and lowest (invariant v up x t) (= i j) (border up x) (> k 5)))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; wrong rank: that of the datelines before the wrap-around link
(assert (and lowest (invariant v up x t)))
(assert (not (or (< (wrong.1 j) (wrong.1 i)) (and (= (wrong.1 j) (wrong.1 i)) (< (wrong.2 w up2 y) (wrong.2 v up x))))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; one VC fewer: all packets on VC 0
(assert lowest)
(assert (not (or (< (rank.1 j) (rank.1 i)) (and (= (rank.1 j) (rank.1 i)) (< (rank.2 0 up2 y) (rank.2 0 up x))))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; missing condition: the invariant
(assert lowest)
(assert (not (or (< (rank.1 j) (rank.1 i)) (and (= (rank.1 j) (rank.1 i)) (< (rank.2 w up2 y) (rank.2 v up x))))))
(set-info :status sat)
(check-sat)
(pop 1)
