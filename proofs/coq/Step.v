(* The step by which packets move, and why ranks mean that none is stuck for good.

   Channels are FIFO buffers of packets. A packet is injected into a channel, moves from the head of one channel to the end
   of another, leaves the network, or is discarded at a dead end; the environment commits it to an alternative where it
   arrives. A hop may demand room: it is taken only if so many packets still fit into its channel before it.

   Proved: if channels have ranks (Packets.v), then from every state that the empty network can reach some steps without
   injection lead to the empty network ([drains]); so in no such state is there a packet that can never move again
   ([never_stuck_for_good]).

   Assumed: packets come into finitely many channels, of a type that may have more; no demand for room exceeds the capacity of its channel; every hop leads to a site that
   has an alternative; it can be told whether an alternative has a hop. Not proved: that every packet does move: others may
   take the room that it waits for, again and again. *)
Require Import List Arith Lia Packets.
Import ListNotations.

Section Step.
  Variable N : network.
  Hypothesis same : forall c d : channel N, {c = d} + {c <> d}.
  Variable channels : list (channel N).
  Hypothesis all_channels : forall s, reached N s -> In (at_ N s) channels.
  Hypothesis once : NoDup channels.
  Variable capacity : channel N -> nat.
  Variable room : site N -> site N -> nat.      (* the demand of a hop between two sites *)
  Variable entry : site N -> nat -> Prop.       (* the demands of first hops to a site *)
  Notation set := (hop (site N) -> Prop).
  Definition packet := (site N * set)%type.
  Definition state := channel N -> list packet.

  Definition put (st : state) c (l : list packet) : state := fun d => if same d c then l else st d.
  Definition empty : state := fun _ => [].

  Inductive step : state -> state -> Prop :=
  | inject : forall (st : state) s e (a : set), injected N s -> entry s e -> alternative N s a ->
      length (st (at_ N s)) + e <= capacity (at_ N s) ->
      step st (put st (at_ N s) (st (at_ N s) ++ [(s, a)]))
  | move : forall (st : state) c s (a : set) rest t (b : set), st c = (s, a) :: rest -> a (Go t) -> alternative N t b ->
      length (st (at_ N t)) + room s t <= capacity (at_ N t) ->
      step st (let st' := put st c rest in put st' (at_ N t) (st' (at_ N t) ++ [(t, b)]))
  | leave : forall (st : state) c s (a : set) rest, st c = (s, a) :: rest -> a Leave -> step st (put st c rest)
  | discard : forall (st : state) c s (a : set) rest, st c = (s, a) :: rest -> (forall h, ~ a h) -> step st (put st c rest).

  Inductive steps : state -> state -> Prop :=
  | steps_none : forall st, steps st st
  | steps_more : forall st st' st'', step st st' -> steps st' st'' -> steps st st''.
  Definition reachable (st : state) := steps empty st.

  Lemma steps_then : forall st st' st'', steps st st' -> step st' st'' -> steps st st''.
  Proof.
    intros st st' st'' H; induction H as [st | st st1 st2 H1 _ IH]; intro H2.
    - exact (steps_more _ _ _ H2 (steps_none _)).
    - exact (steps_more _ _ _ H1 (IH H2)).
  Qed.

  (* Every packet is in its channel, at a site that packets reach. *)
  Definition sound (st : state) :=
    forall c s a, In (s, a) (st c) -> at_ N s = c /\ reached N s /\ alternative N s a.

  Lemma step_sound : forall st st', sound st -> step st st' -> sound st'.
  Proof.
    intros st st' H Hstep; destruct Hstep as [st s e a Hi _ Ha _ | st c s a rest t b Hc Ht Hb _ | st c s a rest Hc _ | st c s a rest Hc _];
      intros d s' a' Hin; unfold put in Hin; cbn in Hin.
    - destruct (same d (at_ N s)) as [->|]; [|exact (H d s' a' Hin)].
      apply in_app_or in Hin; destruct Hin as [Hin | [[= <- <-]|[]]]; [exact (H _ s' a' Hin)|].
      split; [reflexivity | split; [apply reached_first; exact Hi | exact Ha]].
    - assert (Hold : forall d s' a', In (s', a') (if same d c then rest else st d) ->
                at_ N s' = d /\ reached N s' /\ alternative N s' a').
      { intros e s1 a1 H1; destruct (same e c) as [->|]; [|exact (H e s1 a1 H1)].
        apply (H c); rewrite Hc; right; exact H1. }
      destruct (same d (at_ N t)) as [->|]; [|exact (Hold d s' a' Hin)].
      apply in_app_or in Hin; destruct Hin as [Hin | [[= <- <-]|[]]]; [exact (Hold _ s' a' Hin)|].
      destruct (H c s a) as (_ & Hs & Ha); [rewrite Hc; left; reflexivity|].
      split; [reflexivity | split; [exact (reached_next N s a t Hs Ha Ht) | exact Hb]].
    - destruct (same d c) as [->|]; [|exact (H d s' a' Hin)]; apply (H c); rewrite Hc; right; exact Hin.
    - destruct (same d c) as [->|]; [|exact (H d s' a' Hin)]; apply (H c); rewrite Hc; right; exact Hin.
  Qed.

  Lemma reachable_sound : forall st, reachable st -> sound st.
  Proof.
    intros st H; unfold reachable in H; assert (H0 : sound empty) by (intros c s a []).
    induction H as [st | st st1 st2 H1 _ IH]; [exact H0 | exact (IH (step_sound _ _ H0 H1))].
  Qed.

  Lemma put_same : forall (st : state) c q, put st c q c = q.
  Proof. intros st c q; unfold put; destruct (same c c); [reflexivity | contradiction]. Qed.
  Lemma put_other : forall (st : state) c q d, d <> c -> put st c q d = st d.
  Proof. intros st c q d H; unfold put; destruct (same d c); [contradiction | reflexivity]. Qed.

  (* A sum over all channels of what their packets weigh. *)
  Section Sum.
    Variable weight : channel N -> list packet -> nat.
    Definition sum (l : list (channel N)) (st : state) := list_sum (map (fun c => weight c (st c)) l).
    Lemma sum_cons : forall d l st, sum (d :: l) st = weight d (st d) + sum l st.
    Proof. reflexivity. Qed.
    Lemma sum_put_out : forall l st c q, ~ In c l -> sum l (put st c q) = sum l st.
    Proof.
      induction l as [|d l IH]; intros st c q H; [reflexivity|]; rewrite !sum_cons.
      rewrite IH, put_other; [reflexivity | intros ->; apply H; left; reflexivity | intro; apply H; right; assumption].
    Qed.
    Lemma sum_put : forall l st c q, NoDup l -> In c l ->
      sum l (put st c q) + weight c (st c) = sum l st + weight c q.
    Proof.
      induction l as [|d l IH]; intros st c q Hn Hin; [destruct Hin|].
      inversion Hn as [|? ? Hd Hl]; subst; rewrite !sum_cons; destruct (same d c) as [->|Hne].
      - rewrite (sum_put_out l st c q Hd), put_same; lia.
      - destruct Hin as [->|Hin]; [contradiction|]; specialize (IH st c q Hl Hin); rewrite put_other by exact Hne; lia.
    Qed.
  End Sum.

  (* A channel of lowest rank among those that hold packets. *)
  Lemma lowest_channel : forall (rank : channel N -> nat) l (st : state), (exists c, In c l /\ st c <> []) ->
    exists c, In c l /\ st c <> [] /\ forall d, In d l -> rank d < rank c -> st d = [].
  Proof.
    intro rank; induction l as [|d l IH]; intros st (c & Hin & Hc); [destruct Hin|].
    assert (E : (exists e, In e l /\ st e <> []) \/ forall e, In e l -> st e = []).
    { clear; induction l as [|e l IH]; [right; intros e []|].
      destruct (st e) eqn:Ee; [|left; exists e; split; [left; reflexivity | congruence]].
      destruct IH as [(f & Hf & Hne) | Hall]; [left; exists f; split; [right; exact Hf | exact Hne]|].
      right; intros f [<-|Hf]; [exact Ee | exact (Hall f Hf)]. }
    destruct E as [E | E].
    - destruct (IH st E) as (m & Hm & Hne & Hlow).
      destruct (st d) eqn:Ed.
      + exists m; split; [right; exact Hm | split; [exact Hne|]]; intros e [<-|He] Hr; [exact Ed | exact (Hlow e He Hr)].
      + destruct (le_lt_dec (rank m) (rank d)) as [H|H].
        * exists m; split; [right; exact Hm | split; [exact Hne|]]; intros e [<-|He] Hr; [lia | exact (Hlow e He Hr)].
        * exists d; split; [left; reflexivity | split; [congruence|]]; intros e [<-|He] Hr; [lia | apply Hlow; [exact He | lia]].
    - exists d; split; [left; reflexivity|]; destruct Hin as [<-|Hin]; [|specialize (E c Hin); contradiction].
      split; [exact Hc|]; intros e [<-|He] Hr; [lia | exact (E e He)].
  Qed.

  Lemma empty_or_not : forall l (st : state), (exists c, In c l /\ st c <> []) \/ forall c, In c l -> st c = [].
  Proof.
    induction l as [|e l IH]; intro st; [right; intros e []|].
    destruct (st e) eqn:Ee; [|left; exists e; split; [left; reflexivity | congruence]].
    destruct (IH st) as [(f & Hf & Hne) | Hall]; [left; exists f; split; [right; exact Hf | exact Hne]|].
    right; intros f [<-|Hf]; [exact Ee | exact (Hall f Hf)].
  Qed.

  Variable rank : channel N -> nat.
  Hypothesis ranks : ranked N rank.
  Hypothesis full : has_alternatives N.
  Hypothesis decided : forall s a, reached N s -> alternative N s a -> (exists h, a h) \/ forall h, ~ a h.
  Hypothesis fits : forall s a t, reached N s -> alternative N s a -> a (Go t) -> room s t <= capacity (at_ N t).

  (* The ranks of the channels of all packets, and one more for each packet. *)
  Definition total := sum (fun c q => length q * S (rank c)) channels.
  Lemma total_put : forall st c q, In c channels -> total (put st c q) + length (st c) * S (rank c) = total st + length q * S (rank c).
  Proof. intros st c q; exact (sum_put (fun c q => length q * S (rank c)) channels st c q once). Qed.
  Lemma listed : forall st c, sound st -> st c <> [] -> In c channels.
  Proof.
    intros st c H Hne; destruct (st c) as [|[s a] rest] eqn:E; [contradiction|].
    destruct (H c s a) as (<- & Hs & _); [rewrite E; left; reflexivity | exact (all_channels s Hs)].
  Qed.

  (* One packet can be brought down. *)
  Lemma progress : forall st, sound st -> (exists c, st c <> []) -> exists st', step st st' /\ total st' < total st.
  Proof.
    intros st H (c0 & H0).
    destruct (lowest_channel rank channels st) as (c & Hin & Hne & Hlow); [exists c0; split; [exact (listed st c0 H H0) | exact H0]|].
    destruct (st c) as [|[s a] rest] eqn:Hc; [contradiction|].
    destruct (H c s a) as (Hat & Hs & Ha); [rewrite Hc; left; reflexivity|].
    pose proof (total_put st c rest Hin) as T; rewrite Hc in T; cbn [length] in T.
    destruct (decided s a Hs Ha) as [Hh | Hnone].
    - destruct (ranks s a Hs Ha Hh) as [Hl | (t & Ht & Hr)].
      + exists (put st c rest); split; [exact (leave st c s a rest Hc Hl) | lia].
      + destruct (full s a t Hs Ha Ht) as [b Hb].
        pose proof (all_channels t (reached_next N s a t Hs Ha Ht)) as Hto.
        assert (He : st (at_ N t) = []) by (apply Hlow; [exact Hto | rewrite <- Hat; exact Hr]).
        assert (Hdiff : at_ N t <> c) by (intro E; rewrite E in Hr; rewrite Hat in Hr; lia).
        eexists; split.
        * apply (move st c s a rest t b Hc Ht Hb); rewrite He; cbn; exact (fits s a t Hs Ha Ht).
        * cbv zeta; pose proof (total_put (put st c rest) (at_ N t) (put st c rest (at_ N t) ++ [(t, b)]) Hto) as T2.
          assert (Hp : put st c rest (at_ N t) = []).
          { rewrite put_other by exact Hdiff; exact He. }
          rewrite Hp in *; cbn [length app] in *; rewrite Hat in Hr; lia.
    - exists (put st c rest); split; [exact (discard st c s a rest Hc Hnone) | lia].
  Qed.

  Theorem drains : forall st, reachable st -> exists st', steps st st' /\ forall c, st' c = [].
  Proof.
    intros st Hst; apply reachable_sound in Hst.
    remember (total st) as n eqn:E; revert st Hst E; induction n as [n IH] using lt_wf_ind; intros st Hst E.
    destruct (empty_or_not channels st) as [(c & _ & Hne) | Hall].
    - destruct (progress st Hst (ex_intro _ c Hne)) as (st1 & H1 & Hlow).
      destruct (IH (total st1) ltac:(lia) st1 (step_sound _ _ Hst H1) eq_refl) as (st2 & H2 & H3).
      exists st2; split; [exact (steps_more _ _ _ H1 H2) | exact H3].
    - exists st; split; [apply steps_none | intro c; destruct (st c) eqn:Ec; [reflexivity|]].
      rewrite <- Ec; apply Hall, (listed st c Hst); rewrite Ec; discriminate.
  Qed.

  (* The packet at the head of channel c never moves again. *)
  Definition stuck_for_good (st : state) (c : channel N) (p : packet) :=
    forall st', steps st st' -> exists rest, st' c = p :: rest.

  Theorem never_stuck_for_good : forall st c p, reachable st -> ~ stuck_for_good st c p.
  Proof.
    intros st c p Hst H; destruct (drains st Hst) as (st' & H1 & H2).
    destruct (H st' H1) as (rest & E); rewrite H2 in E; discriminate.
  Qed.
End Step.
