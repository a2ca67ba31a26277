; Dateline dimension order on k-ary n-cubes, for every k >= 2 and every n (Dally and Seitz, 1987).
;
; Proved: every hop lowers the rank, so the channel dependency graph is acyclic. A packet goes in the lowest dimension
; that has hops left, along a shortest way, on VC 0 while the wrap-around link lies ahead and on VC 1 otherwise. At
; distance k/2 either way may be taken, which covers every rule for ties.
; Assumed: nothing else. Not proved: that packets arrive, as the rank of their channel is a measure, too, but ends at
; no particular place.
(set-logic QF_LIA)
(declare-const k Int) ; nodes of a ring
(declare-const n Int) ; dimensions
(assert (and (>= k 2) (>= n 1)))

; One ring: x is a position, t the destination's, up the direction.
(define-fun ahead ((x Int) (t Int)) Int (ite (>= t x) (- t x) (+ (- t x) k)))
(define-fun minimal ((up Bool) (x Int) (t Int)) Bool
  (and (distinct x t) (<= (* 2 (ite up (ahead x t) (ahead t x))) k)))
(define-fun wraps ((up Bool) (x Int) (t Int)) Bool (ite up (< t x) (> t x)))
(define-fun move ((up Bool) (x Int)) Int
  (ite up (ite (= x (- k 1)) 0 (+ x 1)) (ite (= x 0) (- k 1) (- x 1))))
(define-fun vc-of ((up Bool) (x Int) (t Int)) Int (ite (wraps up x t) 0 1))

; The rank of a channel in dimension dim, direction up, with its tail at x: a pair, compared lexicographically.
(define-fun rank.1 ((dim Int)) Int (- n dim))
(define-fun rank.2 ((vc Int) (up Bool) (x Int)) Int (+ (ite (= vc 0) k 0) (ite up (- k x) (+ x 1))))
(define-fun wrong.1 ((dim Int)) Int (- n dim))
(define-fun wrong.2 ((up Bool) (x Int)) Int (ite up (- k x) (+ x 1)))

; A packet for t holds a channel of dimension i with its tail at x, and asks for one of dimension j with its tail at y,
; where its destination is s.
(declare-const i Int) (declare-const x Int) (declare-const t Int) (declare-const up Bool)
(declare-const j Int) (declare-const y Int) (declare-const s Int) (declare-const up2 Bool)
(assert (and (<= 0 i) (< i n) (<= 0 j) (< j n)))
(assert (and (<= 0 x) (< x k) (<= 0 t) (< t k) (<= 0 y) (< y k) (<= 0 s) (< s k)))
(assert (minimal up x t))
(assert (minimal up2 y s))
(assert (=> (= i j) (and (= y (move up x)) (= s t))))
(define-fun lowest () Bool (=> (< j i) (= y s))) ; i was the lowest dimension, so those below have no hop left

(push 1)
; every hop lowers the rank
(assert lowest)
(assert (not (or (< (rank.1 j) (rank.1 i))
                 (and (= (rank.1 j) (rank.1 i)) (< (rank.2 (vc-of up2 y s) up2 y) (rank.2 (vc-of up x t) up x))))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; ranks are at least 1, so they are well-founded
(assert (not (and (<= 1 (rank.1 i)) (<= 1 (rank.2 (vc-of up x t) up x)))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; not vacuous: a packet passes a wrap-around link and goes on
(assert lowest)
(assert (and (= i j) (wraps up x t) (not (wraps up2 y s)) (> k 5)))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; wrong rank: without the VC
(assert lowest)
(assert (not (or (< (wrong.1 j) (wrong.1 i)) (and (= (wrong.1 j) (wrong.1 i)) (< (wrong.2 up2 y) (wrong.2 up x))))))
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
; missing condition: dimensions in any order
(assert (not (or (< (rank.1 j) (rank.1 i))
                 (and (= (rank.1 j) (rank.1 i)) (< (rank.2 (vc-of up2 y s) up2 y) (rank.2 (vc-of up x t) up x))))))
(set-info :status sat)
(check-sat)
(pop 1)
