(* The *-channel scheme on k-ary n-cubes, for every k >= 2 and every n (Sugiyama and Funahashi).

   Proved: packets of whatever length never wait for each other ([star_never_stuck]). In the lowest dimension that has hops
   left, CA may be used, and CH where no wrap-around link lies ahead; CF takes any minimal hop. At distance k/2 a rule
   may permit one way or both: the theorem is for every rule that looks at the node, the destination, the dimension and the
   direction, and leaves a shortest way in each dimension that has hops left. Wherever a packet waits, it is offered an
   escape (CA or CH) that ranks below all channels that it may still hold ([star_escapes]).
   Assumed: sinks drain. Not proved here: that packets arrive; they do, as every hop is minimal. *)
Require Import List Arith ZArith Lia Bool Packets Wormhole Grid Dateline.
Import ListNotations.
Open Scope Z_scope.

Section Star.
  Variable k : Z.
  Variable n : nat.
  Hypothesis k2 : 2 <= k.
  Notation torus := (torus k n).
  Notation minimal := (minimal k).
  (* The ways that routers permit. A rule that permits all is [fun _ _ _ _ => True]. *)
  Variable rule : node -> node -> nat -> bool -> Prop.
  Definition one_way := forall x d i, (exists u, minimal u (x i) (d i)) -> exists u, minimal u (x i) (d i) /\ rule x d i u.
  Hypothesis leaves_one : one_way.

  (* VC 0 is CH, 1 is CA, 2 is CF. *)
  Definition star_offers (x d : node) (c : chan) :=
    tail c = x /\ (dim c < n)%nat /\ (minimal (up c) (x (dim c)) (d (dim c)) /\ rule x d (dim c) (up c)) /\
    (vc c = 2%nat \/ lowest torus x d (dim c) /\
      (vc c = 1%nat \/ vc c = 0%nat /\ wraps (up c) (x (dim c)) (d (dim c)) = false)).
  Definition star := routed torus (by_node torus star_offers).

  Definition value (u ca : bool) (a : Z) := (if ca then k else 0) + (if u then k - a else a + 1).
  Definition star_rank (c : chan) : nat :=
    if (vc c =? 2)%nat then pair_rank (S n) (2 * k + 1) 0 0
    else pair_rank (S n) (2 * k + 1) (S (dim c)) (value (up c) (vc c =? 1)%nat (tail c (dim c))).
  (* The rank of the lower escape that is offered at y for d in dimension i, direction u. *)
  Definition escape (y d : node) (i : nat) (u : bool) : nat :=
    pair_rank (S n) (2 * k + 1) (S i) (value u (wraps u (y i) (d i)) (y i)).

  Ltac cases := unfold value, minimal, wraps, ahead, moved in *; cbn [wrap size Dateline.torus] in *;
    repeat match goal with
    | H : context [?a =? ?b] |- _ => destruct (Z.eqb_spec a b)
    | H : context [?a <=? ?b] |- _ => destruct (Z.leb_spec a b)
    | H : context [?a <? ?b] |- _ => destruct (Z.ltb_spec a b)
    | |- context [?a =? ?b] => destruct (Z.eqb_spec a b)
    | |- context [?a <=? ?b] => destruct (Z.leb_spec a b)
    | |- context [?a <? ?b] => destruct (Z.ltb_spec a b)
    end; try lia; try discriminate.

  (* One ring. A hop of the escape leads below it, and no minimal hop raises what is offered. *)
  Lemma ring_escape : forall a b u v ca, 0 <= a < k -> 0 <= b < k -> minimal u a b -> (ca = true \/ wraps u a b = false) ->
    minimal v (moved torus u a) b -> value v (wraps v (moved torus u a) b) (moved torus u a) < value u ca a.
  Proof. intros a b u v ca Ha Hb [H1 H2] H [H3 H4]; destruct u, v, ca, H; try discriminate; cases. Qed.
  Lemma ring_any : forall a b u v, 0 <= a < k -> 0 <= b < k -> minimal u a b -> minimal v (moved torus u a) b ->
    minimal v a b /\ value v (wraps v (moved torus u a) b) (moved torus u a) <= value v (wraps v a b) a.
  Proof. intros a b u v Ha Hb [H1 H2] [H3 H4]; destruct u, v; (split; [split|]); cases. Qed.
  Lemma some_way : forall a b, a <> b -> 0 <= a < k -> 0 <= b < k -> minimal true a b \/ minimal false a b.
  Proof.
    intros a b H Ha Hb; unfold Dateline.minimal, ahead.
    destruct (Z.leb_spec a b), (Z.leb_spec b a); destruct (Z_le_gt_dec (2 * (b - a)) k), (Z_le_gt_dec (2 * (b - a + k)) k); lia.
  Qed.
  Lemma value_bound : forall u ca a, 0 <= a < k -> 0 <= value u ca a < 2 * k + 1.
  Proof. intros u ca a H; unfold value; destruct u, ca; lia. Qed.
  Lemma moved_in : forall u a, 0 <= a < k -> 0 <= moved torus u a < k.
  Proof. intros u a H; destruct u; cases. Qed.

  (* A channel outranks every escape that is offered at y for d. *)
  Definition outranks (y d : node) (c : chan) :=
    forall i u, lowest torus y d i -> minimal u (y i) (d i) -> (escape y d i u < star_rank c)%nat.

  Lemma head_in : forall x d c, inside torus x -> star_offers x d c -> inside torus (head torus c).
  Proof.
    intros x d c Hx (<- & Hi & _); apply head_inside; [exact Hx | apply moved_in, Hx; exact Hi].
  Qed.

  (* The lowest dimension does not fall by any hop. *)
  Lemma low_rises : forall x d c i j, star_offers x d c -> lowest torus x d i -> lowest torus (head torus c) d j -> (i <= j)%nat.
  Proof.
    intros x d c i j (<- & _ & [[Hne _] _] & _) (_ & _ & Hi) (_ & Hj & _).
    destruct (le_lt_dec i j) as [|H]; [assumption | exfalso].
    destruct (Nat.eq_dec j (dim c)) as [->|E]; [exact (Hne (Hi _ H))|].
    apply Hj; rewrite (head_other _ _ _ E); exact (Hi j H).
  Qed.

  Lemma new_channel : forall x d c, inside torus x -> inside torus d -> star_offers x d c -> outranks (head torus c) d c.
  Proof.
    intros x d c Hx Hd H j v Hl Hm.
    pose proof (head_in x d c Hx H) as Hy; pose proof (proj1 Hl) as Hj; cbn in Hj.
    pose proof (value_bound v (wraps v (head torus c j) (d j)) _ (Hy j Hj)) as V.
    pose proof H as (Ht & Hi & [Hmin _] & Hc); unfold escape, star_rank.
    destruct Hc as [-> | [Hlow Hc]].
    { cbn [Nat.eqb]; apply pair_rank_lower; try lia. }
    assert (E2 : (vc c =? 2)%nat = false) by (destruct Hc as [-> | [-> _]]; reflexivity); rewrite E2.
    pose proof (low_rises x d c _ j H Hlow Hl) as Hle.
    apply pair_rank_lower; try lia.
    - apply value_bound; rewrite Ht; exact (Hx _ Hi).
    - destruct (Nat.eq_dec j (dim c)) as [E|E]; [right | left; lia]; split; [auto|].
      rewrite E, head_same in *; rewrite Ht in *; apply ring_escape with (b := d (dim c)); auto.
      destruct Hc as [-> | [-> Hw]]; [left; reflexivity | right; exact Hw].
  Qed.

  Lemma old_channel : forall x d c o i, inside torus x -> inside torus d -> star_offers x d c -> lowest torus x d i ->
    outranks x d o -> outranks (head torus c) d o.
  Proof.
    intros x d c o i Hx Hd H Hlow Ho j v Hl Hm.
    pose proof (head_in x d c Hx H) as Hy; pose proof (proj1 Hl) as Hj; cbn in Hj.
    pose proof (value_bound v (wraps v (head torus c j) (d j)) _ (Hy j Hj)) as V.
    pose proof (low_rises x d c i j H Hlow Hl) as Hle; pose proof (proj1 Hlow) as Hi; cbn in Hi.
    pose proof H as (Ht & Hdim & [Hmin _] & _).
    destruct (Nat.eq_dec j i) as [-> | Hne].
    - destruct (Nat.eq_dec i (dim c)) as [E|E].
      + rewrite E in Hm; rewrite head_same in Hm; rewrite Ht in Hm.
        destruct (ring_any _ _ _ v (Hx _ Hdim) (Hd _ Hdim) Hmin Hm) as [G1 G2].
        rewrite <- E in G1; specialize (Ho i v Hlow G1); unfold escape in *; rewrite E in *; rewrite head_same in *.
        rewrite Ht in *; eapply Nat.le_lt_trans; [|exact Ho].
        destruct (Z.eq_dec (value v (wraps v (moved torus (up c) (x (dim c))) (d (dim c))) (moved torus (up c) (x (dim c))))
                           (value v (wraps v (x (dim c)) (d (dim c))) (x (dim c)))) as [->|Hneq]; [apply le_n|].
        apply Nat.lt_le_incl, pair_rank_lower; try lia; apply value_bound, Hx; exact Hdim.
      + rewrite (head_other _ _ _ E) in Hm; specialize (Ho i v Hlow); unfold escape in *; rewrite (head_other _ _ _ E).
        rewrite Ht in *; exact (Ho Hm).
    - destruct Hlow as (_ & Hxi & Hbelow).
      assert (G : exists u, minimal u (x i) (d i)).
      { destruct (some_way _ _ Hxi (Hx i Hi) (Hd i Hi)); eauto. }
      destruct G as [u Hu]; specialize (Ho i u (conj Hi (conj Hxi Hbelow)) Hu).
      eapply Nat.lt_trans; [|exact Ho]; unfold escape; apply pair_rank_lower; try lia.
      apply value_bound; exact (Hx i Hi).
  Qed.

  Lemma worm_outranks : forall l s a, worm star l s a ->
    inside torus (tail (fst s)) /\ inside torus (snd s) /\ star_offers (tail (fst s)) (snd s) (fst s) /\
    forall o, In o l -> outranks (head torus (fst s)) (snd s) o.
  Proof.
    intros l s a H; induction H as [s a (H1 & H2 & H3) _ | l s a t b Hw IH Ht Hb | l c s a _ IH _].
    - split; [exact H1 | split; [exact H2 | split; [exact H3|]]].
      intros o [<-|[]]; exact (new_channel _ _ _ H1 H2 H3).
    - destruct (worm_site star l s a Hw) as [_ Ha]; cbn in Ha; rewrite Ha in Ht; destruct Ht as [E Ht]; cbn in Ht.
      destruct IH as (H1 & H2 & H3 & H4); rewrite E.
      pose proof (head_in _ _ _ H1 H3) as Hy; pose proof (proj1 Ht) as Et; rewrite Et.
      split; [exact Hy | split; [exact H2 | split; [exact Ht|]]].
      intros o [<-|Ho]; [exact (new_channel _ _ _ Hy H2 Ht)|].
      pose proof Ht as (_ & Hi & [[Hne _] _] & _).
      destruct (lowest_exists torus _ _ _ Hi Hne) as [i Hlow].
      exact (old_channel _ _ _ o i Hy H2 Ht Hlow (H4 o Ho)).
    - destruct IH as (H1 & H2 & H3 & H4); split; [exact H1 | split; [exact H2 | split; [exact H3|]]].
      intros o Ho; apply H4, in_or_app; auto.
  Qed.

  Theorem star_escapes : escapes star star_rank.
  Proof.
    intros l s a Hw [h Hh].
    destruct (worm_site star l s a Hw) as [_ Ha]; cbn in Ha; rewrite Ha in *.
    destruct h as [|t]; [left; exact Hh | right].
    destruct Hh as [_ (Et & Hi & [[Hne _] _] & _)]; cbn in Et.
    destruct (worm_outranks _ _ _ Hw) as (H1 & H2 & H3 & H4).
    pose proof (head_in _ _ _ H1 H3) as Hy.
    destruct (lowest_exists torus _ _ _ Hi Hne) as [i Hlow].
    destruct Hlow as (Hin & Hni & Hbelow).
    destruct (leaves_one (head torus (fst s)) (snd s) i) as (u & Hu & Hr).
    { destruct (some_way _ _ Hni (Hy i Hin) (H2 i Hin)); eauto. }
    pose (v := if wraps u (head torus (fst s) i) (snd s i) then 1%nat else 0%nat).
    exists ({| tail := head torus (fst s); dim := i; up := u; vc := v |}, snd s); split.
    - split; [reflexivity|]; split; [reflexivity | split; [exact Hin | split; [exact (conj Hu Hr) | right]]].
      split; [exact (conj Hin (conj Hni Hbelow))|]; cbn; unfold v.
      destruct (wraps u _ _); [left; reflexivity | right; split; reflexivity].
    - intros c Hc; specialize (H4 c Hc i u (conj Hin (conj Hni Hbelow)) Hu).
      unfold escape in H4; unfold star_rank at 1; cbn; unfold v; destruct (wraps u _ _); exact H4.
  Qed.

  Theorem star_never_stuck : never_stuck star.
  Proof. exact (escapes_never_stuck star star_rank star_escapes). Qed.
End Star.
