(* Dimension order with datelines on k-ary n-cubes, for every k >= 2 and every n (Dally and Seitz, 1987).

   Proved: packets of whatever length never wait for each other ([dateline_never_stuck]), as every hop lowers the rank of
   the channel ([dateline_lowered]); so none moves for ever (Measures.v: lowered_measured). A packet goes in the lowest dimension that has hops left, along
   a shortest way, on VC 0 while the wrap-around link lies ahead and on VC 1 otherwise. At distance k/2 either way may be
   taken, so that every rule for ties is covered.
   Assumed: sinks drain. Not proved here: that packets arrive. *)
Require Import List Arith ZArith Lia Bool Packets Wormhole Grid.
Open Scope Z_scope.

Section Dateline.
  Variable k : Z.
  Variable n : nat.
  Hypothesis k2 : 2 <= k.
  Definition torus := {| size := k; dims := n; wrap := true |}.

  (* Hops from a to b, upwards; a shortest way; the wrap-around link lies ahead. *)
  Definition ahead (a b : Z) := if a <=? b then b - a else b - a + k.
  Definition minimal (u : bool) (a b : Z) := a <> b /\ 2 * (if u then ahead a b else ahead b a) <= k.
  Definition wraps (u : bool) (a b : Z) := if u then b <? a else a <? b.

  Definition dateline_offers (x d : node) (c : chan) :=
    tail c = x /\ lowest torus x d (dim c) /\ minimal (up c) (x (dim c)) (d (dim c)) /\
    vc c = (if wraps (up c) (x (dim c)) (d (dim c)) then 0 else 1)%nat.
  Definition dateline := routed torus (by_node torus dateline_offers).

  Definition local (u : bool) (v : nat) (a : Z) := (if (v =? 0)%nat then k else 0) + (if u then k - a else a + 1).
  Definition dateline_rank (c : chan) : nat :=
    pair_rank n (2 * k + 1) (dim c) (local (up c) (vc c) (tail c (dim c))).

  Ltac cases := unfold local, minimal, wraps, ahead, moved in *; cbn [wrap size torus Nat.eqb] in *;
    repeat match goal with
    | H : context [?a =? ?b] |- _ => destruct (Z.eqb_spec a b)
    | H : context [?a <=? ?b] |- _ => destruct (Z.leb_spec a b)
    | H : context [?a <? ?b] |- _ => destruct (Z.ltb_spec a b)
    | |- context [?a =? ?b] => destruct (Z.eqb_spec a b)
    | |- context [?a <=? ?b] => destruct (Z.leb_spec a b)
    | |- context [?a <? ?b] => destruct (Z.ltb_spec a b)
    end; cbn [Nat.eqb] in *; try lia.

  (* One ring: the next hop in it lowers the number. *)
  Lemma ring_lowers : forall a b u u', 0 <= a < k -> 0 <= b < k -> minimal u a b -> minimal u' (moved torus u a) b ->
    local u' (if wraps u' (moved torus u a) b then 0 else 1) (moved torus u a) < local u (if wraps u a b then 0 else 1) a.
  Proof. intros a b u u' Ha Hb [H1 H2] [H3 H4]; destruct u, u'; cases. Qed.

  Lemma moved_inside : forall u a, 0 <= a < k -> 0 <= moved torus u a < k.
  Proof. intros u a H; destruct u; cases. Qed.
  Lemma local_bound : forall u v a, 0 <= a < k -> 0 <= local u v a < 2 * k + 1.
  Proof. intros u v a H; unfold local; destruct u, (v =? 0)%nat; lia. Qed.

  Theorem dateline_lowered : lowered dateline dateline_rank.
  Proof.
    apply lowered_all with (P := fun c d => inside torus (tail c) /\ inside torus d /\ dateline_offers (tail c) d c).
    - intros c d Hc Hd H; auto.
    - intros c d c' (Hc & Hd & (_ & Hl & _)) H.
      pose proof (proj1 H) as Ht; split; [|split; [exact Hd | rewrite Ht; exact H]].
      rewrite Ht; apply head_inside; [exact Hc | apply moved_inside, Hc; exact (proj1 Hl)].
    - intros c d c' (Hc & Hd & (_ & Hl & Hm & Hv)) (Ht & Hl' & Hm' & Hv').
      pose proof (lowest_rises torus c d _ _ eq_refl Hl Hl') as Hle.
      destruct Hl as (Hi & _ & _); destruct Hl' as (Hj & _ & _); cbn in Hi, Hj.
      pose proof (moved_inside (up c) _ (Hc _ Hi)) as Hin.
      unfold dateline_rank; rewrite Ht; apply pair_rank_lower; try lia.
      + apply local_bound, Hc; exact Hi.
      + apply local_bound, head_inside; [exact Hc | exact Hin | exact Hj].
      + destruct (Nat.eq_dec (dim c') (dim c)) as [E|E]; [right | left; lia]; split; [auto|].
        rewrite Hv, Hv'; rewrite E, head_same in *; apply ring_lowers; auto.
  Qed.

  Theorem dateline_never_stuck : never_stuck dateline.
  Proof. exact (lowered_never_stuck dateline dateline_rank dateline_lowered). Qed.
End Dateline.
