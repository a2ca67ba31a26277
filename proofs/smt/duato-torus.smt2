; Duato's protocol on k-ary n-cubes, for every k >= 2 and every n (Duato, 1993): dimension order with datelines on VC 0
; and VC 1 as the escape, any minimal hop on VC 2.
;
; Proved: wherever a packet waits, it is offered a channel whose rank is below those of all channels that it may still
; hold, so no set of packets of any length can wait for each other forever. The escape is on VC 0 while the wrap-around
; link lies ahead, and on VC 1 otherwise. At distance k/2 either way may be taken.
; Not proved: that packets arrive; they do, as every hop is minimal.
(set-logic QF_LIA)
(declare-const k Int) ; nodes of a ring
(declare-const n Int) ; dimensions
(assert (and (>= k 2) (>= n 1)))

(define-fun ahead ((x Int) (t Int)) Int (ite (>= t x) (- t x) (+ (- t x) k)))
(define-fun minimal ((up Bool) (x Int) (t Int)) Bool
  (and (distinct x t) (<= (* 2 (ite up (ahead x t) (ahead t x))) k)))
(define-fun wraps ((up Bool) (x Int) (t Int)) Bool (ite up (< t x) (> t x)))
(define-fun move ((up Bool) (x Int)) Int
  (ite up (ite (= x (- k 1)) 0 (+ x 1)) (ite (= x 0) (- k 1) (- x 1))))

; The rank of a channel is a pair, compared lexicographically; VC 2 is above all others.
(define-fun rank.1 ((vc Int) (dim Int)) Int (ite (= vc 2) (+ n 1) (- n dim)))
(define-fun rank.2 ((vc Int) (up Bool) (x Int)) Int
  (ite (= vc 2) 1 (+ (ite (= vc 0) k 0) (ite up (- k x) (+ x 1)))))
(define-fun wrong.1 ((vc Int) (dim Int)) Int (ite (= vc 2) (+ n 1) (- n dim)))
(define-fun wrong.2 ((vc Int) (up Bool) (x Int)) Int (ite (= vc 2) 1 (ite up (- k x) (+ x 1))))
; the escape channel that is offered in a direction
(define-fun escape-vc ((up Bool) (x Int) (t Int)) Int (ite (wraps up x t) 0 1))
(define-fun escape ((up Bool) (x Int) (t Int)) Int (rank.2 (escape-vc up x t) up x))

; A packet has hops left in the lowest dimension i from x to t. It goes in dimension m, direction up, and finds as the
; lowest dimension j, where it goes from y to s in direction up2.
(declare-const i Int) (declare-const x Int) (declare-const t Int)
(declare-const m Int) (declare-const up Bool)
(declare-const j Int) (declare-const y Int) (declare-const s Int) (declare-const up2 Bool)
(declare-const vc Int)
(assert (and (<= 0 i) (< i n) (<= 0 j) (< j n) (<= 0 m) (< m n)))
(assert (and (<= 0 x) (< x k) (<= 0 t) (< t k) (<= 0 y) (< y k) (<= 0 s) (< s k)))
(assert (distinct x t))
(assert (=> (= m i) (minimal up x t)))
(assert (minimal up2 y s))
(assert (=> (= i j) (and (= s t) (= y (ite (= m i) (move up x) x)))))
(assert (=> (distinct i j) (or (> j i) (= y s)))) ; dimensions below i have no hop left, so none after the hop
(define-fun offered ((vc Int) (up Bool) (x Int) (t Int)) Bool (= vc (escape-vc up x t)))

(push 1)
; a channel of the escape that is taken outranks every escape that is offered next
(assert (and (= m i) (offered vc up x t)))
(assert (not (or (< (rank.1 1 j) (rank.1 vc i)) (and (= j i) (< (escape up2 y s) (rank.2 vc up x))))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; VC 2 outranks every escape
(assert (not (< (rank.1 1 j) (rank.1 2 m))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; no hop raises the escape: what outranked every escape offered before it outranks those offered after it
(assert (not (or (< (rank.1 1 j) (rank.1 1 i))
                 (and (= j i) (minimal up2 x t) (<= (escape up2 y s) (escape up2 x t))))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; an escape is offered until the packet arrives
(assert (not (or (minimal true x t) (minimal false x t))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; ranks are well-founded
(assert (<= 0 vc 2))
(assert (not (and (<= 1 (rank.1 vc i)) (<= 1 (rank.2 vc up x)))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; not vacuous: a packet passes a wrap-around link on VC 0 and is offered VC 1 behind it
(assert (and (= m i) (= j i) (wraps up x t) (not (wraps up2 y s)) (> k 5)))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; wrong rank: without the VC
(assert (and (= m i) (offered vc up x t)))
(assert (not (or (< (wrong.1 1 j) (wrong.1 vc i))
                 (and (= j i) (< (wrong.2 (escape-vc up2 y s) up2 y) (wrong.2 vc up x))))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; one VC fewer: the escape on VC 0 alone
(assert (and (= m i) (= vc 0)))
(assert (not (or (< (rank.1 0 j) (rank.1 0 i)) (and (= j i) (< (rank.2 0 up2 y) (rank.2 0 up x))))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; missing condition: any minimal hop on the VCs of the escape
(assert (and (distinct m i) (<= 0 vc 1)))
(assert (not (< (rank.1 1 j) (rank.1 vc m))))
(set-info :status sat)
(check-sat)
(pop 1)
