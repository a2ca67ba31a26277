; CCCB with spiral buffers and 3 VCs, for every n (the network of RWC-1, Yokota et al.).
;
; Node (x,y,z) has x in 0..n-1, and y and z of n bits. At x a packet first corrects bit x of z, without leaving x; then
; it steps to x+1, and corrects bit x of y on the way. The VC goes up by one where a packet steps from n-1 to 0.
; Proved: an invariant (a bit whose step has been taken is right in both words), that no packet needs a fourth VC, and
; that every hop lowers the rank, so the channel dependency graph is acyclic.
; Assumed: this order of corrections, which the paper does not give. Not proved: that packets arrive.
(set-logic UFLIA)
(declare-const n Int)
(assert (>= n 1))

; A channel leaves position x and stays there (ccc, corrects z) or not; the link from n-1 to 0 has the higher VC.
; Its rank is a tuple, compared lexicographically: rounds left, positions left in the round, correction before step.
(define-fun round ((vc Int) (x Int) (ccc Bool)) Int (ite (and (not ccc) (= x (- n 1))) (- vc 1) vc))
(define-fun rank.1 ((vc Int) (x Int) (ccc Bool)) Int (- 2 (round vc x ccc)))
(define-fun rank.2 ((x Int)) Int (- n x))
(define-fun rank.3 ((ccc Bool)) Int (ite ccc 1 0))
(define-fun wrong.1 ((vc Int)) Int (- 2 vc))
(define-fun wrong.2 ((x Int)) Int (- n x))
(define-fun wrong.3 ((ccc Bool)) Int (ite ccc 1 0))
(define-fun less ((v Int) (x Int) (c Bool) (v2 Int) (x2 Int) (c2 Bool)) Bool
  (or (< (rank.1 v x c) (rank.1 v2 x2 c2)) (and (= (rank.1 v x c) (rank.1 v2 x2 c2))
    (or (< (rank.2 x) (rank.2 x2)) (and (= (rank.2 x) (rank.2 x2)) (< (rank.3 c) (rank.3 c2)))))))

(declare-fun y (Int) Bool) (declare-fun z (Int) Bool)      ; where the packet is
(declare-fun y2 (Int) Bool) (declare-fun z2 (Int) Bool)    ; and after the hop
(declare-fun dy (Int) Bool) (declare-fun dz (Int) Bool)    ; its destination
(declare-const x Int) (declare-const x2 Int) (declare-const dx Int) (declare-const x0 Int) ; x0: where it began
(declare-const vc Int) (declare-const vc2 Int)
(declare-const s Int) (declare-const s2 Int)               ; steps taken
(assert (and (<= 0 x) (< x n) (<= 0 dx) (< dx n) (<= 0 x0) (< x0 n)))
(define-fun mod-n ((a Int)) Int (ite (>= a 0) a (+ a n)))  ; for |a| < n
(define-fun times-n ((v Int)) Int (ite (= v 0) 0 (ite (= v 1) n (ite (= v 2) (* 2 n) (* 3 n)))))
(define-fun done ((b Int) (s Int)) Bool (and (<= 0 b) (< b n) (< (mod-n (- b x0)) s)))
(define-fun place ((x Int) (v Int) (s Int)) Bool
  (and (<= 0 x) (< x n) (<= 0 v 2) (<= 0 s) (= (+ x (times-n v)) (+ x0 s)) (<= s (+ n (mod-n (- dx x0))))))
(define-fun bits () Bool
  (forall ((b Int)) (! (=> (done b s) (and (= (y b) (dy b)) (= (z b) (dz b)))) :pattern ((y b)) :pattern ((z b)))))
(declare-const wrong-bit Int)
(define-fun under-way () Bool
  (or (distinct x dx) (and (<= 0 wrong-bit) (< wrong-bit n)
    (or (distinct (y wrong-bit) (dy wrong-bit)) (distinct (z wrong-bit) (dz wrong-bit))))))
(define-fun step () Bool
  (and (= x2 (ite (= x (- n 1)) 0 (+ x 1))) (= vc2 (ite (= x (- n 1)) (+ vc 1) vc)) (= s2 (+ s 1))))
(declare-const c Int)

(push 1)
; the invariant holds where a packet begins
(assert (not (place x0 0 0)))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; a correction of z keeps the invariant: only bit x of z changes
(assert (and (place x vc s) bits (distinct (z x) (dz x))))
(assert (forall ((b Int)) (! (= (z2 b) (ite (= b x) (not (z b)) (z b))) :pattern ((z2 b)))))
(assert (not (=> (done c s) (and (= (y c) (dy c)) (= (z2 c) (dz c))))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; a step keeps the invariant, so no packet takes more than 2n-1 steps or needs a fourth VC
(assert (and (place x vc s) bits (= (z x) (dz x)) under-way step))
(assert (forall ((b Int)) (! (= (y2 b) (ite (= b x) (dy b) (y b))) :pattern ((y2 b)))))
(assert (not (and (place x2 vc2 s2) (<= s2 (- (* 2 n) 1))
                  (=> (done c s2) (and (= (y2 c) (dy c)) (= (z c) (dz c)))))))
(set-info :status unsat)
(check-sat)
(pop 1)
(define-fun onward ((v Int) (x Int)) Int (ite (= x (- n 1)) (+ v 1) v)) ; the VC of a step from x
(push 1)
; after a correction of z a step follows, of lower rank
(assert (distinct (z x) (dz x)))
(assert (= (z2 x) (not (z x))))
(assert (not (and (= (z2 x) (dz x)) (less (onward vc x) x false vc x true))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; after a step every hop has a lower rank
(assert step)
(assert (not (and (less vc2 x2 true (onward vc x) x false) (less (onward vc2 x2) x2 false (onward vc x) x false))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; ranks are well-founded
(assert (place x vc s))
(assert (not (and (<= 0 (rank.1 (onward vc x) x false)) (<= 0 (rank.1 vc x true)) (<= 1 (rank.2 x))
                  (<= 0 (rank.3 true)) (<= 0 (rank.3 false)))))
(set-info :status unsat)
(check-sat)
(pop 1)
(push 1)
; not vacuous: a packet on VC 2 goes on
(assert (and (= n 3) (place x 2 s) (distinct x dx)))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; wrong rank: the link from n-1 to 0 as one of the next round
(assert (and (= n 3) (place x vc s) step (= x (- n 1))))
(assert (not (or (< (wrong.1 (onward vc2 x2)) (wrong.1 (onward vc x)))
                 (and (= (wrong.1 (onward vc2 x2)) (wrong.1 (onward vc x))) (< (wrong.2 x2) (wrong.2 x))))))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; one VC fewer: a packet stays on VC 1 where it would go up to VC 2
(assert (and (= n 3) (place x vc s) (distinct x dx) (= vc 1) step))
(assert (not (less 1 x2 false 1 x false)))
(set-info :status sat)
(check-sat)
(pop 1)
(push 1)
; missing condition: a step before bit x of z is right
(assert (and (= n 3) (place x vc s) step (<= 0 wrong-bit) (< wrong-bit n) (distinct (z wrong-bit) (dz wrong-bit))))
(assert (=> (done wrong-bit s) (= (z wrong-bit) (dz wrong-bit))))
(assert (not (=> (done wrong-bit s2) (= (z wrong-bit) (dz wrong-bit)))))
(set-info :status sat)
(check-sat)
(pop 1)
