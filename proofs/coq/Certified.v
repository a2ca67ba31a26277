(* From a certificate that the checker accepts to the states of the network.

   Checker.v proves that an accepted certificate excludes sets of packets that wait for each other. Here are the conclusions
   about states, for the network that the same table denotes. Proved: if the checker accepts a certificate of kind "rank" or
   "escape", then no packet in a state that the empty network can reach, by the step of Step.v, is stuck for good, whatever
   the capacities and demands for room ([rank_states], [escape_states]); if it accepts one of kind "rank" or
   "extended-escape", no reachable state of packets of any length has some that wait only for each other, by the step of
   WormStep.v ([rank_no_deadlock], [extended_no_deadlock]). That none is stuck for good there ([rank_wormhole],
   [extended_wormhole]) says less, as WormStep.v explains.
   Assumed: what Checker.v assumes of primitive integers; each demand for room is at most the capacity of its channel; sinks
   drain. Not proved: that the table is the network's, which reader.ml reads; that packets do move (starvation). *)
Require Import List Arith ZArith Lia Uint63 PArray Packets Wormhole Step WormStep Checker.
Import ListNotations.

Definition same_int (a b : int) : {a = b} + {a <> b}.
Proof.
  destruct (Z.eq_dec (to_Z a) (to_Z b)) as [E|E]; [left; exact (to_Z_inj a b E) | right; intros ->; contradiction].
Defined.

(* The channels are numbers of 63 bits, so there are finitely many. *)
Lemma numbers_below : forall w, (forall i, 0 <= to_Z i < w)%Z -> exists l : list int, NoDup l /\ forall i, In i l.
Proof.
  intros w H; exists (nodup same_int (map (fun j => of_Z (Z.of_nat j)) (seq 0 (Z.to_nat w)))); split; [apply NoDup_nodup|].
  intro i; apply nodup_In, in_map_iff; exists (Z.to_nat (to_Z i)); specialize (H i); split.
  - rewrite Z2Nat.id by apply H; apply of_to_Z.
  - apply in_seq; split; [apply Nat.le_0_l|]; apply Z2Nat.inj_lt; try apply H; exact (Z.le_trans _ _ _ (proj1 H) (Z.lt_le_incl _ _ (proj2 H))).
Qed.
Lemma all_numbers : exists l : list int, NoDup l /\ forall i, In i l.
Proof. exact (numbers_below _ to_Z_bounded). Qed.

Lemma denoted_full : forall t, has_alternatives (denoted t).
Proof. intros t s a u _ _ _; eexists; reflexivity. Qed.
Lemma denoted_decided : forall t s a, reached (denoted t) s -> alternative (denoted t) s a -> (exists h, a h) \/ forall h, ~ a h.
Proof.
  intros t s a _ ->; destruct (map meaning (row_at t s)) as [|h l]; [right; intros h [] | left; exists h; left; reflexivity].
Qed.

Section States.
  Variable t : table.
  Variable capacity : int -> nat.
  Variable room : int -> int -> nat.
  Variable entry : int -> nat -> Prop.
  Hypothesis fits : forall s u, room s u <= capacity (channel_at t u).

  Lemma ranked_states : forall rank, ranked (denoted t) rank -> forall st c p,
    Step.reachable (denoted t) same_int capacity room entry st -> ~ stuck_for_good (denoted t) same_int capacity room entry st c p.
  Proof.
    intros rank H; destruct all_numbers as (l & Hl & Hall).
    apply (never_stuck_for_good (denoted t) same_int l (fun s _ => Hall _) Hl capacity room entry rank H).
    - exact (denoted_full t).
    - exact (denoted_decided t).
    - intros s a u _ _ _; exact (fits s u).
  Qed.

  Theorem rank_states : forall rank, check_rank t rank = true -> forall st c p,
    Step.reachable (denoted t) same_int capacity room entry st -> ~ stuck_for_good (denoted t) same_int capacity room entry st c p.
  Proof. intros rank H; apply (ranked_states (nat_of rank)), lowered_ranked, rank_lowered; exact H. Qed.

  Theorem escape_states : forall rank, check_escape t rank = true -> forall st c p,
    Step.reachable (denoted t) same_int capacity room entry st -> ~ stuck_for_good (denoted t) same_int capacity room entry st c p.
  Proof. intros rank H; apply (ranked_states (nat_of rank)), escape_ranked; exact H. Qed.
End States.

Theorem rank_wormhole : forall t rank, check_rank t rank = true -> forall st s a,
  WormStep.reachable (denoted t) st -> ~ forall st', WormStep.steps (denoted t) st st' -> exists l, In (l, (s, a)) st'.
Proof.
  intros t rank H; apply (wormhole_never_stuck (denoted t) (denoted_full t) (denoted_decided t) (nat_of rank)).
  apply lowered_escapes, rank_lowered; exact H.
Qed.

Theorem extended_wormhole : forall t rank held, check_extended t rank held = true -> forall st s a,
  WormStep.reachable (denoted t) st -> ~ forall st', WormStep.steps (denoted t) st st' -> exists l, In (l, (s, a)) st'.
Proof.
  intros t rank held H; apply (wormhole_never_stuck (denoted t) (denoted_full t) (denoted_decided t) (nat_of rank)).
  exact (extended_escapes t rank held H).
Qed.

Theorem rank_no_deadlock : forall t rank, check_rank t rank = true ->
  forall st, WormStep.reachable (denoted t) st -> ~ WormStep.deadlock (denoted t) st.
Proof. intros t rank H; exact (worm_no_deadlock (denoted t) (proj2 (rank_sound t rank H))). Qed.

Theorem extended_no_deadlock : forall t rank held, check_extended t rank held = true ->
  forall st, WormStep.reachable (denoted t) st -> ~ WormStep.deadlock (denoted t) st.
Proof. intros t rank held H; exact (worm_no_deadlock (denoted t) (proj2 (extended_sound t rank held H))). Qed.
