(* Packets longer than a channel, which hold several (wormhole switching).

   Proved: if wherever a packet waits it has a hop into a channel that ranks below *all* channels that it may still hold,
   no set of such packets waits for itself ([escapes_sound]). [held_escapes] is the form that unknot's verifier checks, for
   a certificate of kind "extended-escape": a number for each site that bounds the ranks from below. If every hop lowers
   the rank, that is so ([lowered_escapes]), so a certificate of kind "rank" covers packets of any length.

   Assumed: a packet holds a part of its way, up to the channel where its head waits; channels are let go from the tail
   on; a channel has flits of one packet at a time; sinks drain. Not proved: the converse, which is false: there are
   networks without ranks in which no packets can wait for each other. *)
Require Import List Arith Lia Packets.
Import ListNotations.

Section Wormhole.
  Variable N : network.
  Notation set := (hop (site N) -> Prop).

  (* worm l s a: a packet can hold the channels l, head first, while its head waits at s, committed to a. *)
  Inductive worm : list (channel N) -> site N -> set -> Prop :=
  | worm_first : forall s a, injected N s -> alternative N s a -> worm [at_ N s] s a
  | worm_next : forall l s a t b, worm l s a -> a (Go t) -> alternative N t b -> worm (at_ N t :: l) t b
  | worm_tail : forall l c s a, worm (l ++ [c]) s a -> l <> [] -> worm l s a.

  (* Packets that wait for each other for ever: each hop of each leads into a channel that one of them holds. *)
  Definition stuck_worms (W : list (channel N) -> site N -> set -> Prop) :=
    (exists l s a, W l s a) /\
    (forall l s a, W l s a -> worm l s a /\
       (exists h, a h) /\ ~ a Leave /\ (forall t, a (Go t) -> exists l' s' a', W l' s' a' /\ In (at_ N t) l')).

  Definition escapes (rank : channel N -> nat) :=
    forall l s a, worm l s a -> (exists h, a h) ->
      a Leave \/ exists t, a (Go t) /\ forall c, In c l -> rank (at_ N t) < rank c.

  Lemma worm_nonempty : forall l s a, worm l s a -> l <> [].
  Proof. intros l s a H; destruct H; [discriminate | discriminate | assumption]. Qed.

  Lemma worm_site : forall l s a, worm l s a -> reached N s /\ alternative N s a.
  Proof.
    intros l s a H; induction H as [s a Hi Ha | l s a t b _ [Hs Ha] Ht Hb | l c s a _ IH _].
    - split; [apply reached_first; exact Hi | exact Ha].
    - split; [exact (reached_next N s a t Hs Ha Ht) | exact Hb].
    - exact IH.
  Qed.

  Theorem escapes_sound : forall rank, escapes rank -> forall W, ~ stuck_worms W.
  Proof.
    intros rank Hr W [(l0 & s0 & a0 & H0) Hall].
    assert (none : forall n l s a c, rank c < n -> In c l -> ~ W l s a).
    { induction n as [|n IH]; intros l s a c Hn Hc H; [lia|].
      destruct (Hall l s a H) as (Hw & Hh & Hl & Hnext).
      destruct (Hr l s a Hw Hh) as [|(t & Ht & Hlow)]; [contradiction|].
      destruct (Hnext t Ht) as (l' & s' & a' & H' & Hin).
      apply (IH l' s' a' (at_ N t)); [specialize (Hlow c Hc); lia | exact Hin | exact H']. }
    destruct (Hall l0 s0 a0 H0) as (Hw & _); pose proof (worm_nonempty _ _ _ Hw) as Hne.
    destruct l0 as [|c l0]; [contradiction|].
    exact (none (S (rank c)) (c :: l0) s0 a0 c (Nat.lt_succ_diag_r _) (or_introl eq_refl) H0).
  Qed.

  (* What the verifier checks: held s is at most the rank of every channel that a packet with its head at s holds. *)
  Record held_ranks (rank : channel N -> nat) (held : site N -> nat) : Prop := {
    held_first : forall s, injected N s -> held s <= rank (at_ N s);
    held_next : forall s a t, reached N s -> alternative N s a -> a (Go t) ->
      held t <= held s /\ held t <= rank (at_ N t);
    held_offers : forall s a, reached N s -> alternative N s a -> (exists h, a h) ->
      a Leave \/ exists t, a (Go t) /\ rank (at_ N t) < held s }.

  Theorem held_escapes : forall rank held, held_ranks rank held -> escapes rank.
  Proof.
    intros rank held [Hf Hn Ho].
    assert (below : forall l s a, worm l s a -> forall c, In c l -> held s <= rank c).
    { intros l s a H; induction H as [s a Hi _ | l s a t b Hw IH Ht _ | l c s a _ IH _]; intros d Hd.
      - destruct Hd as [<-|[]]; exact (Hf s Hi).
      - destruct (worm_site _ _ _ Hw) as [Hs Ha]; destruct (Hn s a t Hs Ha Ht) as [H1 H2].
        destruct Hd as [<-|Hd]; [exact H2 | specialize (IH d Hd); lia].
      - apply IH, in_or_app; auto. }
    intros l s a Hw Hh; destruct (worm_site _ _ _ Hw) as [Hs Ha].
    destruct (Ho s a Hs Ha Hh) as [|(t & Ht & Hlow)]; [auto|].
    right; exists t; split; [exact Ht|]; intros c Hc; specialize (below l s a Hw c Hc); lia.
  Qed.

  Theorem lowered_escapes : forall rank, lowered N rank -> escapes rank.
  Proof.
    intros rank H; apply held_escapes with (held := fun s => rank (at_ N s)); split.
    - intros s _; exact (le_n _).
    - intros s a t Hs Ha Ht; specialize (H s a t Hs Ha Ht); lia.
    - intros s a Hs Ha [[|t] Hh]; [auto | right; exists t; split; [exact Hh | exact (H s a t Hs Ha Hh)]].
  Qed.

  (* An escape for packets of any length is one for whole packets. *)
  Theorem escapes_ranked : forall rank, escapes rank -> 
    (forall s, reached N s -> forall a, alternative N s a -> worm [at_ N s] s a) -> ranked N rank.
  Proof.
    intros rank H Hw s a Hs Ha Hh; destruct (H [at_ N s] s a (Hw s Hs a Ha) Hh) as [|(t & Ht & Hlow)]; [auto|].
    right; exists t; split; [exact Ht | apply Hlow; left; reflexivity].
  Qed.

  (* A packet that fits into one channel may hold that channel alone. *)
  Lemma worm_of_site : forall s, reached N s -> forall a, alternative N s a -> worm [at_ N s] s a.
  Proof.
    intros s H; induction H as [s Hi | s b t _ IH Hb Ht]; intros a Ha.
    - apply worm_first; assumption.
    - apply (worm_tail [at_ N t] (at_ N s)); [|discriminate].
      exact (worm_next _ _ _ _ _ (IH b Hb) Ht Ha).
  Qed.

  (* Free of deadlock, of whole packets and of packets of any length. *)
  Definition never_stuck :=
    (forall K, legal N K -> ~ stuck N K) /\ (forall W, ~ stuck_worms W).

  Theorem escapes_never_stuck : forall rank, escapes rank -> never_stuck.
  Proof.
    intros rank H; split; [|exact (escapes_sound rank H)].
    exact (ranked_sound N rank (escapes_ranked rank H worm_of_site)).
  Qed.

  Theorem lowered_never_stuck : forall rank, lowered N rank -> never_stuck.
  Proof. intros rank H; exact (escapes_never_stuck rank (lowered_escapes rank H)). Qed.
End Wormhole.
