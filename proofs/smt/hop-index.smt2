; Hop-indexed VCs on every graph (Günther, 1981): hop number i of a packet is on VC i.
;
; Proved: every hop lowers the rank, so the channel dependency graph is acyclic.
; Assumed: as many VCs as the longest path has hops. Not proved: that packets arrive.
(set-logic QF_LIA)
(declare-const n Int) ; VCs
(assert (>= n 1))

; The rank of a channel.
(define-fun rank.1 ((vc Int)) Int (- n vc))
(define-fun wrong.1 ((vc Int)) Int vc)

; A packet holds a channel on VC i and asks for one on VC j.
(declare-const i Int) (declare-const j Int)
(assert (and (<= 0 i) (< i n)))
(define-fun rises () Bool (= j (+ i 1)))

(push 1)
; every hop lowers the rank
(assert (and rises (< j n)))
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
(assert (and rises (< j n)))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; wrong rank: rising with the VC
(assert (and rises (< j n)))
(assert (not (< (wrong.1 j) (wrong.1 i))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; one VC fewer: the last hop stays on the VC of the one before it
(assert (= j (ite (= i (- n 1)) i (+ i 1))))
(assert (not (< (rank.1 j) (rank.1 i))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; missing condition: the VC need not rise
(assert (and (<= 0 j) (< j n)))
(assert (not (< (rank.1 j) (rank.1 i))))
(set-info :status sat)
(check-sat)
(pop 1)
