(* Dimension order with VC 1 from the wrap-around link of a dimension on, on k-ary n-cubes, for every k >= 2 and every n.

   Proved: packets of whatever length never wait for each other ([crossing_never_stuck]), as every hop between places where
   packets can be lowers the rank of the channel ([crossing_lowered]); so none moves for ever (Measures.v: lowered_measured). The VC depends on the channel
   that the packet holds, so an invariant comes first ([crossing_sites]): on VC 1, behind the wrap-around link, none lies
   ahead. At distance k/2 either way may be taken.
   Assumed: sinks drain. Not proved here: that packets arrive. *)
Require Import List Arith ZArith Lia Bool Packets Wormhole Grid Dateline.
Open Scope Z_scope.

Section Crossing.
  Variable k : Z.
  Variable n : nat.
  Hypothesis k2 : 2 <= k.
  Notation torus := (torus k n).
  Notation minimal := (minimal k).

  (* The wrap-around link leaves a. *)
  Definition border (u : bool) (a : Z) := a =? (if u then k - 1 else 0).
  (* The VC after one that was v. *)
  Definition after (v : nat) (u : bool) (a : Z) : nat := if (v =? 1)%nat || border u a then 1%nat else 0%nat.
  (* The lowest dimension with hops left, a shortest way, and the VC after v. *)
  Definition towards (v : nat) (x d : node) (c : chan) :=
    tail c = x /\ lowest torus x d (dim c) /\ minimal (up c) (x (dim c)) (d (dim c)) /\
    vc c = after v (up c) (x (dim c)).
  Definition crossing_relation : relation := {|
    first := towards 0;
    next := fun c d c' => towards (if (dim c' =? dim c)%nat then vc c else 0%nat) (head torus c) d c' |}.
  Definition crossing := routed torus crossing_relation.

  Definition local (u : bool) (v : nat) (a : Z) :=
    if (v =? 0)%nat then k + (if u then k - a else a + 1) else if border u a then k else if u then k - 1 - a else a.
  Definition crossing_rank (c : chan) : nat :=
    pair_rank n (2 * k + 1) (dim c) (local (up c) (vc c) (tail c (dim c))).

  (* In the ring: behind the wrap-around link it does not lie ahead, and a packet on VC 0 does not take it. *)
  Definition invariant (u : bool) (v : nat) (a b : Z) :=
    if (v =? 0)%nat then border u a = false else border u a = true \/ wraps u a b = false.
  Definition place (c : chan) (d : node) :=
    inside torus (tail c) /\ inside torus d /\ lowest torus (tail c) d (dim c) /\
    minimal (up c) (tail c (dim c)) (d (dim c)) /\ invariant (up c) (vc c) (tail c (dim c)) (d (dim c)).

  Ltac cases := unfold local, invariant, border, minimal, wraps, ahead, moved in *; cbn [wrap size Dateline.torus Nat.eqb orb] in *;
    repeat match goal with
    | H : context [?a =? ?b] |- _ => destruct (Z.eqb_spec a b); cbn [orb] in *
    | H : context [?a <=? ?b] |- _ => destruct (Z.leb_spec a b)
    | H : context [?a <? ?b] |- _ => destruct (Z.ltb_spec a b)
    | |- context [?a =? ?b] => destruct (Z.eqb_spec a b); cbn [orb Nat.eqb] in *
    | |- context [?a <=? ?b] => destruct (Z.leb_spec a b)
    | |- context [?a <? ?b] => destruct (Z.ltb_spec a b)
    end; try lia; auto.

  Lemma ring_first : forall a b u, invariant u (after 0 u a) a b.
  Proof. intros a b u; unfold after, invariant; cbn [Nat.eqb orb]; destruct (border u a) eqn:E; cbn; auto. Qed.
  Lemma ring_next : forall a b u u' v, 0 <= a < k -> 0 <= b < k -> (v = 0 \/ v = 1)%nat -> minimal u a b -> invariant u v a b ->
    minimal u' (moved torus u a) b ->
    invariant u' (after v u' (moved torus u a)) (moved torus u a) b /\
    local u' (after v u' (moved torus u a)) (moved torus u a) < local u v a.
  Proof.
    intros a b u u' v Ha Hb [-> | ->] [H1 H2] H [H3 H4]; unfold after; destruct u, u'; cbn [Nat.eqb orb] in *; cases;
      destruct H; try discriminate; cases.
  Qed.

  Lemma moved_inside : forall u a, 0 <= a < k -> 0 <= moved torus u a < k.
  Proof. intros u a H; destruct u; cases. Qed.
  Lemma local_bound : forall u v a, 0 <= a < k -> 0 <= local u v a < 2 * k + 1.
  Proof. intros u v a H; unfold local, border; destruct u, (v =? 0)%nat; cases. Qed.

  Lemma after_vc : forall v u a, (after v u a = 0 \/ after v u a = 1)%nat.
  Proof. intros v u a; unfold after; destruct (_ || _); auto. Qed.

  Lemma crossing_sites : forall c d c', place c d -> (vc c = 0 \/ vc c = 1)%nat -> next crossing_relation c d c' ->
    place c' d /\ (crossing_rank c' < crossing_rank c)%nat.
  Proof.
    intros c d c' (Hc & Hd & Hl & Hm & Hinv) Hv (Ht & Hl' & Hm' & Hvc).
    pose proof (lowest_rises torus c d _ _ eq_refl Hl Hl') as Hle.
    pose proof (proj1 Hl) as Hi; pose proof (proj1 Hl') as Hj; cbn in Hi, Hj.
    pose proof (moved_inside (up c) _ (Hc _ Hi)) as Hin.
    pose proof (head_inside torus c Hc Hin) as Hy.
    assert (G : invariant (up c') (vc c') (tail c' (dim c')) (d (dim c')) /\ (crossing_rank c' < crossing_rank c)%nat).
    { unfold crossing_rank; rewrite Ht; destruct (Nat.eqb_spec (dim c') (dim c)) as [E|E].
      - change (vc c' = after (vc c) (up c') (head torus c (dim c'))) in Hvc.
        rewrite Hvc; rewrite E, head_same in *.
        destruct (ring_next _ _ (up c) (up c') (vc c) (Hc _ Hi) (Hd _ Hi) Hv Hm Hinv Hm') as [G1 G2].
        split; [exact G1|]; apply pair_rank_lower; try lia; apply local_bound; auto.
      - change (vc c' = after 0 (up c') (head torus c (dim c'))) in Hvc; rewrite Hvc; split; [apply ring_first|].
        apply pair_rank_lower; try lia; apply local_bound; auto. }
    destruct G as [G1 G2]; split; [|exact G2].
    split; [rewrite Ht; exact Hy | split; [exact Hd | split; [rewrite Ht; exact Hl' | split; [rewrite Ht; exact Hm' | exact G1]]]].
  Qed.

  Theorem crossing_lowered : lowered crossing crossing_rank.
  Proof.
    apply lowered_all with (P := fun c d => place c d /\ (vc c = 0 \/ vc c = 1)%nat).
    - intros c d Hc Hd (_ & Hl & Hm & Hv); split; [|rewrite Hv; exact (after_vc 0 (up c) _)].
      split; [exact Hc | split; [exact Hd | split; [exact Hl | split; [exact Hm|]]]]; rewrite Hv; apply ring_first.
    - intros c d c' [Hp Hv] H; split; [exact (proj1 (crossing_sites c d c' Hp Hv H))|].
      destruct H as (_ & _ & _ & E); rewrite E; exact (after_vc _ (up c') _).
    - intros c d c' [Hp Hv] H; exact (proj2 (crossing_sites c d c' Hp Hv H)).
  Qed.

  Theorem crossing_never_stuck : never_stuck crossing.
  Proof. exact (lowered_never_stuck crossing crossing_rank crossing_lowered). Qed.
End Crossing.
