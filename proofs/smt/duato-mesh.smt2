; Duato's protocol on meshes of k^n nodes, for every k >= 2 and every n (Duato, 1993): dimension order on VC 0 as the
; escape, any minimal hop on VC 1.
;
; Proved: wherever a packet waits, it is offered a channel whose rank is below those of all channels that it may still
; hold, so no set of packets of any length can wait for each other forever.
; Not proved: that packets arrive; they do, as every hop is minimal.
(set-logic QF_LIA)
(declare-const k Int) ; nodes in a dimension
(declare-const n Int) ; dimensions
(assert (and (>= k 2) (>= n 1)))
(define-fun nearer ((up Bool) (x Int) (t Int)) Bool (ite up (< x t) (> x t)))
(define-fun move ((up Bool) (x Int)) Int (ite up (+ x 1) (- x 1)))

; The rank of a channel: a pair, compared lexicographically; VC 1 is above all of VC 0.
(define-fun rank.1 ((vc Int) (dim Int)) Int (ite (= vc 1) (+ n 1) (- n dim)))
(define-fun rank.2 ((vc Int) (up Bool) (x Int)) Int (ite (= vc 1) 1 (ite up (- k x) (+ x 1))))
(define-fun wrong.1 ((vc Int) (dim Int)) Int (- n dim))
(define-fun wrong.2 ((vc Int) (up Bool) (x Int)) Int (ite up (- k x) (+ x 1)))

; A packet has hops left in the lowest dimension i from x to t. It goes in dimension m, direction up, and finds as the
; lowest dimension j, where it goes from y to s in direction up2.
(declare-const i Int) (declare-const x Int) (declare-const t Int)
(declare-const m Int) (declare-const up Bool)
(declare-const j Int) (declare-const y Int) (declare-const s Int) (declare-const up2 Bool)
(assert (and (<= 0 i) (< i n) (<= 0 j) (< j n) (<= 0 m) (< m n)))
(assert (and (<= 0 x) (< x k) (<= 0 t) (< t k) (<= 0 y) (< y k) (<= 0 s) (< s k)))
(assert (distinct x t))
(assert (=> (= m i) (nearer up x t)))
(assert (nearer up2 y s))
(assert (=> (= i j) (and (= s t) (= y (ite (= m i) (move up x) x)))))
(define-fun lowest () Bool (=> (distinct i j) (or (> j i) (= y s))))

(push 1)
; an escape channel that is taken outranks the escape that is offered next
(assert (and lowest (= m i)))
(assert (not (or (< (rank.1 0 j) (rank.1 0 i)) (and (= j i) (< (rank.2 0 up2 y) (rank.2 0 up x))))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; VC 1 outranks every escape
(assert (not (< (rank.1 0 j) (rank.1 1 m))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; no hop raises the escape
(assert lowest)
(assert (not (or (< (rank.1 0 j) (rank.1 0 i))
                 (and (= j i) (nearer up2 x t) (<= (rank.2 0 up2 y) (rank.2 0 up2 x))))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; ranks are well-founded
(assert (not (and (<= 1 (rank.1 0 i)) (<= 1 (rank.2 0 up x)))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; not vacuous: a packet goes on in another dimension, which is the lowest
(assert (and lowest (= m i) (> j i)))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; wrong rank: that of VC 0 also on VC 1
(assert (not (or (< (wrong.1 0 j) (wrong.1 1 m)) (and (= j m) (= m i) (< (wrong.2 0 up2 y) (wrong.2 1 up x))))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; one VC fewer: any minimal hop on VC 0
(assert lowest)
(assert (not (or (< (rank.1 0 j) (rank.1 0 m)) (and (= j m) (< (rank.2 0 up2 y) (rank.2 0 up x))))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; missing condition: the escape in any dimension with hops left
(assert (= m i))
(assert (not (or (< (rank.1 0 j) (rank.1 0 i)) (and (= j i) (< (rank.2 0 up2 y) (rank.2 0 up x))))))
(set-info :status sat)
(check-sat)
(pop 1)
