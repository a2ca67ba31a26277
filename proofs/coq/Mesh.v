(* Dimension order on meshes, XY in two dimensions, of every size and in every number of dimensions (Sullivan and Bashkow,
   1977).

   Proved: packets of whatever length never wait for each other ([xy_never_stuck]), as every hop lowers the rank of the
   channel ([xy_lowered]); so none moves for ever (Measures.v: lowered_measured).
   Assumed: sinks drain. Not proved here: that packets arrive. *)
Require Import List Arith ZArith Lia Bool Packets Wormhole Grid.
Open Scope Z_scope.

Section Mesh.
  Variable k : Z.
  Variable n : nat.
  Hypothesis k2 : 2 <= k.
  Definition mesh := {| size := k; dims := n; wrap := false |}.

  (* The lowest dimension that has hops left, towards the destination, on VC 0. *)
  Definition xy_offers (x d : node) (c : chan) :=
    tail c = x /\ lowest mesh x d (dim c) /\ vc c = 0%nat /\ (if up c then x (dim c) < d (dim c) else d (dim c) < x (dim c)).
  Definition xy := routed mesh (by_node mesh xy_offers).

  Definition xy_rank (c : chan) : nat :=
    pair_rank n (k + 1) (dim c) (if up c then k - tail c (dim c) else tail c (dim c) + 1).

  Theorem xy_lowered : lowered xy xy_rank.
  Proof.
    apply lowered_all with (P := fun c d => inside mesh (tail c) /\ inside mesh d /\ xy_offers (tail c) d c).
    - intros c d Hc Hd H; auto.
    - intros c d c' (Hc & Hd & (_ & Hl & _ & Hu)) (Ht & H); split; [|split; [exact Hd | rewrite Ht; split; auto]].
      rewrite Ht; apply head_inside; [exact Hc|].
      destruct Hl as (Hi & _); specialize (Hc _ Hi); specialize (Hd _ Hi); unfold moved; cbn in *; destruct (up c); lia.
    - intros c d c' (Hc & Hd & (_ & Hl & _ & Hu)) (Ht & Hl' & _ & Hu').
      pose proof (lowest_rises mesh c d _ _ eq_refl Hl Hl') as Hle.
      destruct Hl as (Hi & _ & _); destruct Hl' as (Hj & _ & _).
      pose proof (Hc _ Hi) as H1; pose proof (Hd _ Hi) as H2; pose proof (Hd _ Hj) as H3; cbn in Hi, Hj, H1, H2, H3.
      unfold xy_rank; apply pair_rank_lower; try (rewrite Ht); try lia.
      + destruct (up c); lia.
      + destruct (Nat.eq_dec (dim c') (dim c)) as [E|E].
        * rewrite E, head_same; rewrite E, head_same in Hu'; unfold moved in *; cbn in *; destruct (up c), (up c'); lia.
        * rewrite (head_other _ _ _ E); specialize (Hc _ Hj); cbn in Hc; destruct (up c'); lia.
      + destruct (Nat.eq_dec (dim c') (dim c)) as [E|E]; [right | left; lia].
        split; [auto|]; rewrite E, head_same; rewrite E, head_same in Hu'; unfold moved in *; cbn in *.
        destruct (up c), (up c'); lia.
  Qed.

  Theorem xy_never_stuck : never_stuck xy.
  Proof. exact (lowered_never_stuck xy xy_rank xy_lowered). Qed.
End Mesh.
