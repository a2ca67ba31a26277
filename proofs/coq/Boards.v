(* PEACH2 boards in two rings of every size, joined by S at every board (network: Hanawa, Kodama, Boku and Sato, 2013).

   A packet goes along its ring first, in a minimal direction, on VC 1 from the cable between the last board and board 0 on,
   and on VC 0 before. At the board of its column it takes S, on any VC, if the ring is the wrong one. At half the ring each
   board may choose either way.
   Proved: packets of whatever length never wait for each other ([boards_never_stuck]), as every hop lowers the rank of the
   channel ([boards_lowered]). One ring is the case in which no packet is for the other one.
   Assumed: sinks drain. Not proved: that packets arrive; S before the ring; boards without S. *)
Require Import List Arith ZArith Lia Bool Packets Wormhole.
Open Scope Z_scope.

(* A channel: one VC of a cable that leaves a board of a ring, by E, W or S. *)
Inductive port := East | West | South.
Record cable := { board : Z; ring : bool; out : port; vc : nat }.
Record device := { column : Z; side : bool }.

Section Boards.
  Variable k : Z.
  Hypothesis k2 : 2 <= k.

  Definition ahead (x t : Z) := if x <=? t then t - x else t - x + k.
  Definition minimal (p : port) (x t : Z) := x <> t /\ 0 <= t < k /\
    match p with East => 2 * ahead x t <= k | West => 2 * ahead t x <= k | South => False end.
  (* The cable between boards k-1 and 0 leaves x by p. *)
  Definition border (p : port) (x : Z) := match p with East => x =? k - 1 | West => x =? 0 | South => false end.
  Definition next (p : port) (x : Z) := match p with
    | East => if x =? k - 1 then 0 else x + 1
    | West => if x =? 0 then k - 1 else x - 1
    | South => x end.
  Definition vc_after (v : nat) (p : port) (x : Z) := if border p x then 1%nat else v.

  (* What a packet for d may take next where it is at board x of a ring, and its VC is v along the ring. *)
  Definition offers (x : Z) (r : bool) (v : nat) (d : device) (c : cable) := board c = x /\ ring c = r /\
    (minimal (out c) x (column d) /\ vc c = vc_after v (out c) x \/ out c = South /\ x = column d /\ r <> side d).
  Definition beyond (c : cable) := match out c with South => negb (ring c) | _ => ring c end.
  Definition boards : network := {|
    channel := cable;
    site := cable * device;
    at_ := fst;
    alternative := fun s a => a = (fun h => match h with
      | Leave => next (out (fst s)) (board (fst s)) = column (snd s) /\ beyond (fst s) = side (snd s)
      | Go t => snd t = snd s /\ offers (next (out (fst s)) (board (fst s))) (beyond (fst s)) (vc (fst s)) (snd s) (fst t) end);
    injected := fun s => 0 <= board (fst s) < k /\ offers (board (fst s)) (ring (fst s)) 0 (snd s) (fst s) |}.

  Definition boards_rank (c : cable) : nat := Z.to_nat match out c with
    | South => 0
    | East => if (vc c =? 0)%nat then 2 * k + 1 - board c else if board c =? k - 1 then k + 1 else k - 1 - board c
    | West => if (vc c =? 0)%nat then k + board c + 2 else if board c =? 0 then k + 1 else board c end.

  (* Where packets can be. *)
  Definition invariant (c : cable) (d : device) := 0 <= board c < k /\ match out c with
    | South => board c = column d /\ ring c <> side d
    | p => minimal p (board c) (column d) /\ (vc c <= 1)%nat /\
      (vc c = 0%nat -> border p (board c) = false) /\
      (vc c = 1%nat -> border p (board c) = true \/ match p with East => board c <= column d | _ => column d <= board c end) end.

  Arguments Z.mul : simpl never.
  Ltac cases :=
    repeat match goal with
    | H : context [?a =? ?b] |- _ => destruct (Z.eqb_spec a b)
    | |- context [?a =? ?b] => destruct (Z.eqb_spec a b)
    | H : context [?a <=? ?b] |- _ => destruct (Z.leb_spec a b)
    | |- context [?a <=? ?b] => destruct (Z.leb_spec a b)
    | |- context [(?a =? ?b)%nat] => destruct (Nat.eqb_spec a b)
    end; intuition (try discriminate; try lia).

  Lemma first : forall c d, 0 <= board c < k -> offers (board c) (ring c) 0 d c -> invariant c d.
  Proof.
    intros [x r p v] d Hx (_ & _ & H); cbn in *; split; [exact Hx|]; destruct H as [[H ->] | (-> & H1 & H2)]; [|cbn; auto].
    unfold vc_after, minimal, ahead in *; destruct p; cbn in *; [| | tauto]; cases.
  Qed.

  Lemma kept : forall c d c', invariant c d -> offers (next (out c) (board c)) (beyond c) (vc c) d c' -> invariant c' d.
  Proof.
    intros [x r p v] d [x' r' p' v'] (Hx & Hi) (Ex & Er & H); cbn in *; subst x' r'.
    assert (Hy : 0 <= next p x < k) by (destruct p; cbn; cases); split; [exact Hy|].
    destruct H as [[H ->] | (-> & H1 & H2)]; [|cbn; auto].
    unfold vc_after, minimal, ahead in *; destruct p, p'; cbn in *; try tauto; cases.
  Qed.

  Lemma invariant_all : forall s, reached boards s -> invariant (fst s) (snd s).
  Proof.
    intros s H; induction H as [s [Hx H] | s a t _ IH -> [E H]]; [exact (first _ _ Hx H) | rewrite E; exact (kept _ _ _ IH H)].
  Qed.

  Theorem boards_lowered : lowered boards boards_rank.
  Proof.
    intros s a t Hs -> [E H]; pose proof (invariant_all s Hs) as I; cbn [at_ boards].
    destruct s as [[x r p v] d], t as [[x' r' p' v'] d']; destruct I as [Hx I]; destruct H as (Ex & Er & H); cbn in *; subst x' r' d'.
    unfold boards_rank; cbn [out board vc]; apply Z2Nat.inj_lt.
    1: destruct p'; cbn; destruct (v' =? 0)%nat; destruct p; cbn in *; cases.
    1: destruct p; cbn; destruct (v =? 0)%nat; cases.
    destruct H as [[H ->] | (-> & H1 & H2)].
    - unfold vc_after, minimal, ahead in *; destruct (Nat.eqb_spec v 0); destruct p, p'; cbn in *; try tauto; cases.
    - destruct p; cbn in *; [| | destruct I as [_ I]; destruct r, (side d); cbn in *; congruence]; destruct (v =? 0)%nat; cases.
  Qed.

  Theorem boards_never_stuck : never_stuck boards.
  Proof. exact (lowered_never_stuck boards boards_rank boards_lowered). Qed.
End Boards.
