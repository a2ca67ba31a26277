; Dimension order on meshes of k^n nodes (XY if n = 2), for every k >= 2 and every n (Sullivan and Bashkow, 1977).
;
; Proved: every hop lowers the rank, so the channel dependency graph is acyclic.
; Not proved: that packets arrive.
(set-logic QF_LIA)
(declare-const k Int) ; nodes in a dimension
(declare-const n Int) ; dimensions
(assert (and (>= k 2) (>= n 1)))
(define-fun nearer ((up Bool) (x Int) (t Int)) Bool (ite up (< x t) (> x t)))
(define-fun move ((up Bool) (x Int)) Int (ite up (+ x 1) (- x 1)))

; The rank of a channel in dimension dim, direction up, with its tail at x: a pair, compared lexicographically.
(define-fun rank.1 ((dim Int)) Int (- n dim))
(define-fun rank.2 ((up Bool) (x Int)) Int (ite up (- k x) (+ x 1)))
(define-fun wrong.1 ((dim Int)) Int (- n dim))
(define-fun wrong.2 ((x Int)) Int (- k x))

; A packet holds a channel of dimension i with its tail at x, for t, and asks for one of dimension j at y, for s.
(declare-const i Int) (declare-const x Int) (declare-const t Int) (declare-const up Bool)
(declare-const j Int) (declare-const y Int) (declare-const s Int) (declare-const up2 Bool)
(assert (and (<= 0 i) (< i n) (<= 0 j) (< j n)))
(assert (and (<= 0 x) (< x k) (<= 0 t) (< t k) (<= 0 y) (< y k) (<= 0 s) (< s k)))
(assert (and (nearer up x t) (nearer up2 y s)))
(assert (=> (= i j) (and (= y (move up x)) (= s t))))
(define-fun lowest () Bool (=> (< j i) (= y s))) ; i was the lowest dimension, so those below have no hop left

(push 1)
; every hop lowers the rank
(assert lowest)
(assert (not (or (< (rank.1 j) (rank.1 i)) (and (= (rank.1 j) (rank.1 i)) (< (rank.2 up2 y) (rank.2 up x))))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; ranks are well-founded
(assert (not (and (<= 1 (rank.1 i)) (<= 1 (rank.2 up x)))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; not vacuous: a packet goes on in its dimension
(assert (and lowest (= i j)))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; wrong rank: the same in both directions
(assert lowest)
(assert (not (or (< (wrong.1 j) (wrong.1 i)) (and (= (wrong.1 j) (wrong.1 i)) (< (wrong.2 y) (wrong.2 x))))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; missing condition: dimensions in any order
(assert (not (or (< (rank.1 j) (rank.1 i)) (and (= (rank.1 j) (rank.1 i)) (< (rank.2 up2 y) (rank.2 up x))))))
(set-info :status sat)
(check-sat)
(pop 1)
