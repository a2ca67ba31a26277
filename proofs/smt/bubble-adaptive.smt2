; Adaptive routing with bubbles on k-ary n-cubes, for every k >= 2 and every n (Puente et al., 2001). VC 0 is dimension
; order, where a packet enters a ring only if two places of the channel are free, and goes on in it if one is. On the
; other VCs, of which there are any number, any minimal hop may be taken.
;
; Proved: the conditions of the ring theorem (proofs/coq/Room.v). A ring is all channels on VC 0 of a dimension and direction
; whose nodes agree in the other dimensions. A waiting packet is offered a hop on VC 0, which goes on in its ring, and
; nearer to the destination, or to a lower level; an entry leaves a place of the ring free, and a hop within it does.
; Assumed: packets move as a whole, and every channel has at least two places. Not proved: that no packet starves; room
; for two need never come.
(set-logic QF_LIA)
(declare-const k Int) ; nodes of a ring
(declare-const n Int) ; dimensions
(assert (and (>= k 2) (>= n 1)))

(define-fun ahead ((x Int) (t Int)) Int (ite (>= t x) (- t x) (+ (- t x) k)))
(define-fun left ((up Bool) (x Int) (t Int)) Int (ite up (ahead x t) (ahead t x))) ; hops left in the ring
(define-fun minimal ((up Bool) (x Int) (t Int)) Bool (and (distinct x t) (<= (* 2 (left up x t)) k)))
(define-fun move ((up Bool) (x Int)) Int
  (ite up (ite (= x (- k 1)) 0 (+ x 1)) (ite (= x 0) (- k 1) (- x 1))))

; The rank is the level of the channel.
(define-fun rank.1 ((dim Int) (vc Int)) Int (ite (= vc 0) (- n dim) (+ n 1)))
(define-fun wrong.1 ((dim Int) (vc Int)) Int (ite (= vc 0) (- n dim) 1))

; A packet for t holds a channel of dimension i on VC v with its tail at x, and asks on VC 0 for one of dimension j with
; its tail at y, where its destination is s. Dimension j is the lowest in which it has hops left.
(declare-const v Int)
(assert (>= v 0))
(declare-const i Int) (declare-const x Int) (declare-const t Int) (declare-const up Bool)
(declare-const j Int) (declare-const y Int) (declare-const s Int) (declare-const up2 Bool)
(assert (and (<= 0 i) (< i n) (<= 0 j) (< j n)))
(assert (and (<= 0 x) (< x k) (<= 0 t) (< t k) (<= 0 y) (< y k) (<= 0 s) (< s k)))
(assert (minimal up x t))
(assert (minimal up2 y s))
(assert (=> (= i j) (and (= y (move up x)) (= s t))))
(define-fun lowest () Bool (=> (and (= v 0) (< j i)) (= y s))) ; on VC 0, i was the lowest dimension before
(define-fun onward () Bool (and (= v 0) (= i j) (= up up2) (< (left up2 y s) (left up x t))))

; A channel of a ring holds q packets and has b places.
(declare-const b Int) (declare-const q Int)
(assert (and (>= b 2) (<= 0 q b)))
(define-fun enters ((room Int)) Bool (<= (+ q room) b))

(push 1)
; a hop on VC 0 goes to the next channel of its ring and nearer, or to a lower level
(assert lowest)
(assert (not (or onward (< (rank.1 j 0) (rank.1 i v)))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; where a dimension has hops left, a direction is minimal
(declare-const a Int) (declare-const c Int)
(assert (and (<= 0 a) (< a k) (<= 0 c) (< c k) (distinct a c)))
(assert (not (or (minimal true a c) (minimal false a c))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; an entry leaves a place of its channel free
(assert (enters 2))
(assert (not (< (+ q 1) b)))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; a hop within the ring leaves a place free behind it, in another channel of the ring
(assert (>= q 1))
(assert (not (and (< (- q 1) b) (distinct x (move up x)))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; levels are well-founded
(assert (not (<= 1 (rank.1 i v))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; not vacuous: a packet of an adaptive VC asks for a ring and enters it
(assert (and lowest (= i j) (> v 0) (enters 2) (> q 0)))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; wrong rank: adaptive VCs at the lowest level
(assert lowest)
(assert (not (or onward (< (wrong.1 j 0) (wrong.1 i v)))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; missing condition: dimensions in any order on VC 0
(assert (not (or onward (< (rank.1 j 0) (rank.1 i v)))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; missing condition: an entry needs room for one packet only
(assert (enters 1))
(assert (not (< (+ q 1) b)))
(set-info :status sat)
(check-sat)
(pop 1)
