(* Sets of channels whose packets never move again: what a trace to a deadlock shows.

   Proved: if the first packet of each channel of a set may take no hop but into channels of the set that have less room
   than the hop demands, then these packets stay where they are, whatever happens ([stuck_stays]); so each of them is stuck
   for good ([stuck_set_for_good]).
   Assumed: nothing about the network. Packets move as a whole, by the step of Step.v. *)
Require Import List Arith Lia Packets Step.
Import ListNotations.

Section Stuck.
  Variable N : network.
  Hypothesis same : forall c d : channel N, {c = d} + {c <> d}.
  Variable capacity : channel N -> nat.
  Variable room : site N -> site N -> nat.
  Variable entry : site N -> nat -> Prop.
  Notation state := (state N).
  Notation step := (step N same capacity room entry).
  Notation steps := (steps N same capacity room entry).

  (* The channels of W are blocked: each holds a packet that waits for room in channels of W alone. *)
  Definition blocked (W : channel N -> Prop) (st : state) := forall c, W c -> exists s a rest, st c = (s, a) :: rest /\
    (exists h, a h) /\ ~ a Leave /\
    forall t, a (Go t) -> W (at_ N t) /\ capacity (at_ N t) < length (st (at_ N t)) + room s t.

  (* What holds of the channels of W after st: their first packets are the same, and none has fewer packets. *)
  Definition stays (W : channel N -> Prop) (st st' : state) :=
    forall c, W c -> length (st c) <= length (st' c) /\ forall p rest, st c = p :: rest -> exists rest', st' c = p :: rest'.

  Lemma stays_put : forall W st st' c q, stays W st st' ->
    (W c -> length (st' c) <= length q /\ forall p rest, st' c = p :: rest -> exists rest', q = p :: rest') ->
    stays W st (put N same st' c q).
  Proof.
    intros W st st' c q H Hq d Hd; destruct (H d Hd) as [H1 H2]; destruct (same d c) as [->|Hne].
    - rewrite put_same; destruct (Hq Hd) as [Q1 Q2]; split; [lia|]; intros p rest E.
      destruct (H2 p rest E) as [r' E']; exact (Q2 p r' E').
    - rewrite put_other by exact Hne; split; assumption.
  Qed.

  Lemma longer : forall (q : list (packet N)) x, length q <= length (q ++ [x]) /\
    forall p rest, q = p :: rest -> exists rest', q ++ [x] = p :: rest'.
  Proof. intros q x; split; [rewrite app_length; lia | intros p rest ->; exists (rest ++ [x]); reflexivity]. Qed.

  Lemma stays_step : forall W st st' st'', blocked W st -> stays W st st' -> step st' st'' -> stays W st st''.
  Proof.
    intros W st st' st'' Hb Hst H.
    (* no packet leaves a channel of W *)
    assert (first : forall c s a rest, W c -> st' c = (s, a) :: rest -> (exists h, a h) /\ ~ a Leave /\
              forall t, a (Go t) -> capacity (at_ N t) < length (st' (at_ N t)) + room s t).
    { intros c s a rest Hc E; destruct (Hb c Hc) as (s0 & a0 & r0 & E0 & Hh & Hl & Ht).
      destruct (Hst c Hc) as [_ H2]; destruct (H2 _ _ E0) as [r1 E1]; rewrite E in E1; injection E1 as -> -> ->.
      split; [exact Hh | split; [exact Hl|]]; intros t Hin; destruct (Ht t Hin) as [Hw Hlt].
      destruct (Hst _ Hw) as [H1 _]; lia. }
    destruct H as [st' s e a _ _ _ _ | st' c s a rest t b Hc Ht _ Hroom | st' c s a rest Hc Hl | st' c s a rest Hc Hn].
    - apply stays_put; [exact Hst | intros _; apply longer].
    - assert (out : ~ W c) by (intro Hw; destruct (first c s a rest Hw Hc) as (_ & _ & H); specialize (H t Ht); lia).
      cbv zeta; apply stays_put; [apply stays_put; [exact Hst | contradiction] | intros _; apply longer].
    - apply stays_put; [exact Hst|]; intro Hw; destruct (first c s a rest Hw Hc) as (_ & H & _); contradiction.
    - apply stays_put; [exact Hst|]; intro Hw; destruct (first c s a rest Hw Hc) as ((h & H) & _); destruct (Hn h H).
  Qed.

  Theorem stuck_stays : forall W st st', blocked W st -> steps st st' -> stays W st st'.
  Proof.
    intros W st st' Hb H.
    assert (G : forall st1, steps st1 st' -> stays W st st1 -> stays W st st').
    { clear H; intros st1 H; induction H as [x | x y z Hxy _ IH]; intro Hx; [exact Hx|].
      apply IH; exact (stays_step W st x y Hb Hx Hxy). }
    apply (G st H); intros c _; split; [lia | intros p rest E; eauto].
  Qed.

  Theorem stuck_set_for_good : forall W st c, blocked W st -> W c ->
    exists p, stuck_for_good N same capacity room entry st c p.
  Proof.
    intros W st c Hb Hc; destruct (Hb c Hc) as (s & a & rest & E & _); exists (s, a).
    intros st' H; destruct (stuck_stays W st st' Hb H c Hc) as [_ K]; exact (K _ _ E).
  Qed.
End Stuck.
