; North-last, for every mesh of k x k nodes (Glass and Ni, 1992).
;
; Proved: every hop without a forbidden turn lowers the rank, so the channel dependency graph is acyclic.
; No packet turns away from north.
; Assumed: no packet turns back on the spot, as minimal routing never does.
; Not proved: that packets arrive, or that every pair has a path without a forbidden turn.
(set-logic QF_LIA)
(declare-const k Int) ; nodes in a dimension
(assert (>= k 2))

; A channel runs from the node (x,y) in dimension dim (0: east or west, 1: north or south), up (east, north) or down.
(define-fun east ((dim Int) (up Bool)) Bool (and (= dim 0) up))
(define-fun west ((dim Int) (up Bool)) Bool (and (= dim 0) (not up)))
(define-fun north ((dim Int) (up Bool)) Bool (and (= dim 1) up))
(define-fun south ((dim Int) (up Bool)) Bool (and (= dim 1) (not up)))
(define-fun along ((up Bool) (x Int)) Int (ite up (- k x) (+ x 1)))

; The rank of a channel: a tuple, compared lexicographically.
(define-fun rank.1 ((dim Int) (up Bool)) Int (ite (north dim up) 0 1))
(define-fun rank.2 ((dim Int) (up Bool) (y Int)) Int (ite (north dim up) (- k y) y))
(define-fun rank.3 ((dim Int)) Int (- 1 dim))
(define-fun rank.4 ((dim Int) (up Bool) (x Int)) Int (ite (= dim 0) (along up x) 0))
(define-fun wrong.1 ((dim Int) (up Bool)) Int (ite (north dim up) 0 1))
(define-fun wrong.2 ((dim Int) (up Bool) (y Int)) Int (ite (north dim up) (- k y) y))
(define-fun wrong.3 ((dim Int)) Int dim)
(define-fun wrong.4 ((dim Int) (up Bool) (x Int)) Int (ite (= dim 0) (along up x) 0))
(define-fun less ((d Int) (u Bool) (x Int) (y Int) (d2 Int) (u2 Bool) (x2 Int) (y2 Int)) Bool
  (or (< (rank.1 d u) (rank.1 d2 u2))
      (and (= (rank.1 d u) (rank.1 d2 u2)) (or (< (rank.2 d u y) (rank.2 d2 u2 y2))
      (and (= (rank.2 d u y) (rank.2 d2 u2 y2)) (or (< (rank.3 d) (rank.3 d2))
      (and (= (rank.3 d) (rank.3 d2)) (< (rank.4 d u x) (rank.4 d2 u2 x2)))))))))
(define-fun less-wrong ((d Int) (u Bool) (x Int) (y Int) (d2 Int) (u2 Bool) (x2 Int) (y2 Int)) Bool
  (or (< (wrong.1 d u) (wrong.1 d2 u2))
      (and (= (wrong.1 d u) (wrong.1 d2 u2)) (or (< (wrong.2 d u y) (wrong.2 d2 u2 y2))
      (and (= (wrong.2 d u y) (wrong.2 d2 u2 y2)) (or (< (wrong.3 d) (wrong.3 d2))
      (and (= (wrong.3 d) (wrong.3 d2)) (< (wrong.4 d u x) (wrong.4 d2 u2 x2)))))))))

; A packet holds a channel (dim, up) from (x,y) and asks for a channel (dim2, up2) from its head (x2,y2).
(declare-const dim Int) (declare-const up Bool) (declare-const x Int) (declare-const y Int)
(declare-const dim2 Int) (declare-const up2 Bool) (declare-const x2 Int) (declare-const y2 Int)
(assert (and (<= 0 dim 1) (<= 0 dim2 1) (<= 0 x) (< x k) (<= 0 y) (< y k) (<= 0 x2) (< x2 k) (<= 0 y2) (< y2 k)))
(assert (= x2 (+ x (ite (east dim up) 1 (ite (west dim up) (- 1) 0)))))
(assert (= y2 (+ y (ite (north dim up) 1 (ite (south dim up) (- 1) 0)))))
(assert (=> (= dim dim2) (= up up2)))
; the forbidden turns
(define-fun north-east () Bool (and (north dim up) (east dim2 up2)))
(define-fun north-west () Bool (and (north dim up) (west dim2 up2)))

(push 1)
; every hop lowers the rank
(assert (not (or north-east north-west)))
(assert (not (less dim2 up2 x2 y2 dim up x y)))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; ranks are well-founded
(assert (not (and (<= 0 (rank.1 dim up)) (<= 0 (rank.2 dim up y)) (<= 0 (rank.3 dim)) (<= 0 (rank.4 dim up x)))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; not vacuous: a packet turns
(assert (not (or north-east north-west)))
(assert (distinct dim dim2))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; wrong rank: south above the row that it leaves
(assert (not (or north-east north-west)))
(assert (not (less-wrong dim2 up2 x2 y2 dim up x y)))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; missing condition: north-east is permitted
(assert (not north-west))
(assert (not (less dim2 up2 x2 y2 dim up x y)))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; missing condition: all turns are permitted
(assert (not (less dim2 up2 x2 y2 dim up x y)))
(set-info :status sat)
(check-sat)
(pop 1)
