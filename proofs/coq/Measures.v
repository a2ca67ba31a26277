(* Livelock and delivery, by measures of sites.

   Proved: if every hop lowers a number of the site, a packet makes at most that many hops ([measure_bounds]), so none moves
   for ever ([measure_no_livelock]); and if in every alternative of every site some hop lowers the number or leaves, the
   router can bring the packet out within that many hops, whatever alternatives the environment chooses ([arrival_home]).
   unknot's verifier checks these, for certificates of kind "measure" and "arrival", after it has made each alternative a site
   of its own ([split]). Then [arrival_home] says that there is a way home if the choices on it fall right: the hop to a good
   alternative lowers the number, though the environment may choose another. No theorem goes back to all choices.

   Assumed: nothing about time: a hop may wait for ever, which is deadlock (Packets.v). [leaves_right] says that a packet
   leaves where it should, and is for the network to define. Not proved: that the router takes the hops that lead home; a
   router that may take others needs a measure that every hop lowers. *)
Require Import List Arith Lia Packets.

Section Measures.
  Variable N : network.

  Definition measured (m : site N -> nat) :=
    forall s a t, reached N s -> alternative N s a -> a (Go t) -> m t < m s.

  (* The ways of a packet, hop by hop. *)
  Inductive way : nat -> site N -> site N -> Prop :=
  | way_none : forall s, way 0 s s
  | way_hop : forall n s a t u, alternative N s a -> a (Go t) -> way n t u -> way (S n) s u.

  Theorem measure_bounds : forall m, measured m -> forall n s u, reached N s -> way n s u -> n <= m s.
  Proof.
    intros m H n s u Hs Hw; induction Hw as [s | n s a t u Ha Ht _ IH]; [lia|].
    specialize (IH (reached_next N s a t Hs Ha Ht)); specialize (H s a t Hs Ha Ht); lia.
  Qed.

  Theorem measure_no_livelock : forall m, measured m ->
    ~ exists f : nat -> site N, reached N (f 0) /\ forall i, exists a, alternative N (f i) a /\ a (Go (f (S i))).
  Proof.
    intros m H (f & H0 & Hf).
    assert (falls : forall i, reached N (f i) /\ m (f i) + i <= m (f 0)).
    { induction i as [|i [Hr IH]]; [split; [exact H0 | lia]|].
      destruct (Hf i) as (a & Ha & Ht); split; [exact (reached_next N _ a _ Hr Ha Ht)|].
      specialize (H (f i) a _ Hr Ha Ht); lia. }
    destruct (falls (S (m (f 0)))) as [_ F]; lia.
  Qed.

  (* From s the router can bring a packet out of the network within n hops, whatever the environment chooses. *)
  Fixpoint home (n : nat) (s : site N) : Prop :=
    forall a, alternative N s a ->
      a Leave \/ match n with 0 => False | S n => exists t, a (Go t) /\ home n t end.

  Definition arriving (m : site N -> nat) :=
    forall s a, reached N s -> alternative N s a -> a Leave \/ exists t, a (Go t) /\ m t < m s.

  Theorem arrival_home : forall m, arriving m -> forall s, reached N s -> home (m s) s.
  Proof.
    intros m H.
    assert (G : forall n s, reached N s -> m s <= n -> home n s).
    { induction n as [|n IH]; intros s Hs Hn a Ha; destruct (H s a Hs Ha) as [Hl | (t & Ht & Hlow)]; auto.
      - lia.
      - right; exists t; split; [exact Ht|]; apply IH; [exact (reached_next N s a t Hs Ha Ht) | lia]. }
    intros s Hs; exact (G (m s) s Hs (le_n _)).
  Qed.

  (* No dead end is reached, and packets leave only where they may. *)
  Definition leaves_right (right : site N -> Prop) :=
    forall s a, reached N s -> alternative N s a -> a Leave -> right s.

  Theorem arrival_no_dead_end : forall m, arriving m ->
    forall s a, reached N s -> alternative N s a -> exists h, a h.
  Proof. intros m H s a Hs Ha; destruct (H s a Hs Ha) as [Hl | (t & Ht & _)]; eauto. Qed.

  (* Ranks that every hop lowers are a measure. *)
  Theorem lowered_measured : forall rank, lowered N rank -> measured (fun s => rank (at_ N s)).
  Proof. intros rank H s a t Hs Ha Ht; exact (H s a t Hs Ha Ht). Qed.
End Measures.
