; Up*/down* on every graph whose links have one back, with any order of the nodes (Schroeder et al., 1991).
;
; Proved: every hop lowers the rank, so the channel dependency graph is acyclic. A link to a node that comes earlier in
; the order is up; no packet goes up after it has gone down.
; Assumed: nothing about the graph or the order, except that no two nodes share a place. Not proved: that every pair has
; such a path; on a connected graph with a breadth-first order it has one through the root.
(set-logic QF_LIA)
(declare-const n Int) ; nodes
(assert (>= n 1))

; The rank of a channel between nodes whose places in the order are tail and head: a pair, compared lexicographically.
(define-fun up ((tail Int) (head Int)) Bool (< head tail))
(define-fun rank.1 ((tail Int) (head Int)) Int (ite (up tail head) 1 0))
(define-fun rank.2 ((tail Int) (head Int)) Int (ite (up tail head) tail (- n tail)))
(define-fun wrong.1 ((tail Int) (head Int)) Int (ite (up tail head) 1 0))
(define-fun wrong.2 ((tail Int)) Int tail)

; A packet holds the channel from a to b, and asks for one from b to c.
(declare-const a Int) (declare-const b Int) (declare-const c Int)
(assert (and (<= 0 a) (< a n) (<= 0 b) (< b n) (<= 0 c) (< c n) (distinct a b) (distinct b c)))
(define-fun turn () Bool (and (not (up a b)) (up b c)))

(push 1)
; every hop lowers the rank
(assert (not turn))
(assert (not (or (< (rank.1 b c) (rank.1 a b)) (and (= (rank.1 b c) (rank.1 a b)) (< (rank.2 b c) (rank.2 a b))))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; ranks are well-founded
(assert (not (and (<= 0 (rank.1 a b)) (<= 0 (rank.2 a b)))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; not vacuous: a packet goes up, then down
(assert (and (up a b) (not (up b c))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; wrong rank: down as up
(assert (not turn))
(assert (not (or (< (wrong.1 b c) (wrong.1 a b)) (and (= (wrong.1 b c) (wrong.1 a b)) (< (wrong.2 b) (wrong.2 a))))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; missing condition: up after down
(assert (not (or (< (rank.1 b c) (rank.1 a b)) (and (= (rank.1 b c) (rank.1 a b)) (< (rank.2 b c) (rank.2 a b))))))
(set-info :status sat)
(check-sat)
(pop 1)
