; P-cube on binary n-cubes, for every n (Glass and Ni, 1992): first all hops that clear a bit, in any order, then all
; that set one.
;
; Proved: every hop lowers the rank, so the channel dependency graph is acyclic.
; Not proved: that packets arrive; they do, as every hop corrects a bit.
(set-logic QF_LIA)
(declare-const n Int) ; dimensions
(assert (>= n 1))

; The rank of a channel that sets a bit (up) or clears one, from a node with so many ones: a pair, lexicographically.
(define-fun rank.1 ((up Bool)) Int (ite up 0 1))
(define-fun rank.2 ((up Bool) (ones Int)) Int (ite up (- n ones) ones))
(define-fun wrong.1 ((up Bool)) Int (ite up 0 1))
(define-fun wrong.2 ((ones Int)) Int ones)

; A packet holds a channel that sets or clears a bit of a node with ones, and asks for one from its head, with ones2.
(declare-const up Bool) (declare-const ones Int) (declare-const clear Int) ; clear: bits that the packet has to clear
(declare-const up2 Bool) (declare-const ones2 Int)
(assert (and (<= 0 ones n) (<= 0 ones2 n) (<= 0 clear ones)))
(assert (= ones2 (ite up (+ ones 1) (- ones 1))))
(define-fun clear2 () Int (ite up clear (- clear 1)))
(define-fun first-down ((up Bool) (clear Int)) Bool (ite up (= clear 0) (> clear 0)))

(push 1)
; every hop lowers the rank
(assert (and (first-down up clear) (first-down up2 clear2)))
(assert (not (or (< (rank.1 up2) (rank.1 up))
                 (and (= (rank.1 up2) (rank.1 up)) (< (rank.2 up2 ones2) (rank.2 up ones))))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; ranks are well-founded
(assert (not (and (<= 0 (rank.1 up)) (<= 0 (rank.2 up ones)))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; not vacuous: a packet clears its last bit and sets one
(assert (and (first-down up clear) (first-down up2 clear2) (not up) up2))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; wrong rank: setting bits as clearing them
(assert (and (first-down up clear) (first-down up2 clear2)))
(assert (not (or (< (wrong.1 up2) (wrong.1 up))
                 (and (= (wrong.1 up2) (wrong.1 up)) (< (wrong.2 ones2) (wrong.2 ones))))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; missing condition: bits set before all are cleared
(assert (not (or (< (rank.1 up2) (rank.1 up))
                 (and (= (rank.1 up2) (rank.1 up)) (< (rank.2 up2 ones2) (rank.2 up ones))))))
(set-info :status sat)
(check-sat)
(pop 1)
