; E-cube on binary n-cubes, for every n (Sullivan and Bashkow, 1977).
;
; Proved: every hop lowers the rank, so the channel dependency graph is acyclic. A packet goes in the lowest dimension
; in which it differs from its destination.
; Not proved: that packets arrive; they do, as every hop corrects a bit.
(set-logic QF_UFLIA)
(declare-const n Int) ; dimensions
(assert (>= n 1))
(declare-fun at (Int) Bool)   ; the bits of the node that the packet has left
(declare-fun to (Int) Bool)   ; those of its destination
(declare-fun head (Int) Bool) ; those of the node it reaches

; The rank of a channel of dimension dim.
(define-fun rank.1 ((dim Int)) Int (- n dim))
(define-fun wrong.1 ((dim Int)) Int dim)

; A packet holds a channel of dimension i and asks for one of dimension j.
(declare-const i Int)
(declare-const j Int)
(assert (and (<= 0 i) (< i n) (<= 0 j) (< j n)))
(assert (distinct (at i) (to i)))
(assert (= (head i) (to i)))
(assert (=> (distinct i j) (= (head j) (at j))))
(assert (distinct (head j) (to j)))
(define-fun lowest () Bool (=> (< j i) (= (at j) (to j)))) ; i was the lowest dimension that differs

(push 1)
; every hop lowers the rank
(assert lowest)
(assert (not (< (rank.1 j) (rank.1 i))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; ranks are well-founded
(assert (not (<= 1 (rank.1 i))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; not vacuous: a packet goes on
(assert lowest)
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; wrong rank: rising dimensions
(assert lowest)
(assert (not (< (wrong.1 j) (wrong.1 i))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; missing condition: dimensions in any order
(assert (not (< (rank.1 j) (rank.1 i))))
(set-info :status sat)
(check-sat)
(pop 1)
