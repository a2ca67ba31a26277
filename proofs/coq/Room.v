(* Rings with room: why a bubble frees a torus (after Carrion et al., 1997, and Puente et al., 2001).

   Channels and disjoint rings of channels have levels. In a ring each channel has one successor. A hop into a ring, other
   than from one of its channels to the successor, demands room for two packets, and so leaves a free place there. Then a
   ring always has a free place, and its packets can go round.
   Proved: if (a) holds as said, (b) the successor hops that count demand room 1, and (c) in every alternative every packet
   may leave, or has a hop to a lower level, or in a ring a successor hop that lowers a measure, then from every state that
   the empty network can reach some steps without injection lead to the empty network ([ring_drains]); so no packet is
   stuck for good ([ring_never_stuck]).
   Assumed: whole packets; finitely many channels; each channel of a ring has at least two places; no demand exceeds the
   capacity of its channel, and each is at least one; measures are bounded. Not proved: that every packet does move. Under
   traffic that never ends one may starve, as room for two need never come. *)
Require Import List Arith Lia Packets Step.
Import ListNotations.

Section Room.
  Variable N : network.
  Hypothesis same : forall c d : channel N, {c = d} + {c <> d}.
  Variable channels : list (channel N).
  Hypothesis all_channels : forall c, In c channels.
  Hypothesis once : NoDup channels.
  Variable capacity : channel N -> nat.
  Variable room : site N -> site N -> nat.
  Variable entry : site N -> nat -> Prop.
  Hypothesis full : has_alternatives N.
  Hypothesis decided : forall s a, reached N s -> alternative N s a -> (exists h, a h) \/ forall h, ~ a h.
  Hypothesis fits : forall s a t, reached N s -> alternative N s a -> a (Go t) -> room s t <= capacity (at_ N t).
  Hypothesis room_one : forall s t, 1 <= room s t.
  Hypothesis entry_one : forall s e, entry s e -> 1 <= e.

  Variable level : channel N -> nat.
  Variable name : Type.                             (* of rings *)
  Variable ring : channel N -> option name.         (* which ring a channel is in *)
  Variable successor : channel N -> channel N.
  Variable measure : site N -> nat.
  Variable most : nat.
  Hypothesis ring_closed : forall c g, ring c = Some g -> ring (successor c) = Some g.
  Hypothesis ring_round : forall c d g, ring c = Some g -> ring d = Some g -> exists i, Nat.iter i successor c = d.
  Hypothesis ring_two : forall c g, ring c = Some g -> successor c <> c.
  Hypothesis ring_level : forall c d g, ring c = Some g -> ring d = Some g -> level c = level d.
  Hypothesis ring_places : forall c g, ring c = Some g -> 2 <= capacity c.
  (* (a) *)
  Hypothesis injected_room : forall s e g, injected N s -> entry s e -> ring (at_ N s) = Some g -> 2 <= e.
  Hypothesis into_room : forall s a t g, reached N s -> alternative N s a -> a (Go t) -> ring (at_ N t) = Some g ->
    ~ (ring (at_ N s) = Some g /\ at_ N t = successor (at_ N s)) -> 2 <= room s t.
  (* (b) and (c) *)
  Hypothesis downwards : forall s a, reached N s -> alternative N s a -> (exists h, a h) ->
    a Leave \/ (exists t, a (Go t) /\ level (at_ N t) < level (at_ N s)) \/
    exists t g, a (Go t) /\ ring (at_ N s) = Some g /\ at_ N t = successor (at_ N s) /\ room s t = 1 /\ measure t < measure s.
  Hypothesis bounded : forall s, reached N s -> measure s <= most.

  Notation state := (state N).
  Notation packet := (packet N).
  Notation put := (put N same).
  Notation step := (step N same capacity room entry).
  Notation steps := (steps N same capacity room entry).
  Notation reachable := (reachable N same capacity room entry).
  Notation sound := (sound N).

  (* No channel holds more than it can, and in each ring some channel has a free place. *)
  Definition kept (st : state) := forall c, length (st c) <= capacity c.
  Definition free (st : state) :=
    forall c g, ring c = Some g -> exists f, ring f = Some g /\ length (st f) < capacity f.

  (* What a step leaves in each channel: one packet fewer in one channel, then one more in another. *)
  Lemma taken : forall (st : state) c p rest, st c = p :: rest -> kept st -> free st ->
    kept (put st c rest) /\ free (put st c rest) /\ length (put st c rest c) < capacity c.
  Proof.
    intros st c p rest Hc Hk Hf; pose proof (Hk c) as H; rewrite Hc in H; cbn in H.
    assert (E : length (put st c rest c) < capacity c) by (rewrite put_same; lia).
    split; [|split; [|exact E]].
    - intro d; destruct (same d c) as [->|Hne]; [lia | rewrite put_other by exact Hne; apply Hk].
    - intros d g Hd; destruct (Hf d g Hd) as (f & Hg & Hlt); exists f; split; [exact Hg|].
      destruct (same f c) as [->|Hne]; [exact E | rewrite put_other by exact Hne; exact Hlt].
  Qed.

  Lemma given : forall (st : state) d q, kept st -> length (st d) < capacity d ->
    (forall g, ring d = Some g -> length (st d) + 2 <= capacity d \/
       exists f, f <> d /\ ring f = Some g /\ length (st f) < capacity f) ->
    free st -> kept (put st d (st d ++ [q])) /\ free (put st d (st d ++ [q])).
  Proof.
    intros st d q Hk Hlt Hroom Hf; split.
    - intro c; destruct (same c d) as [->|Hne]; [rewrite put_same, app_length; cbn; lia | rewrite put_other by exact Hne; apply Hk].
    - intros c g Hc; destruct (Hf c g Hc) as (f & Hg & Hfree).
      destruct (same f d) as [->|Hne]; [|exists f; split; [exact Hg | rewrite put_other by exact Hne; exact Hfree]].
      destruct (Hroom g Hg) as [H | (e & Hed & He & Hel)].
      + exists d; split; [exact Hg | rewrite put_same, app_length; cbn; lia].
      + exists e; split; [exact He | rewrite put_other by exact Hed; exact Hel].
  Qed.

  Lemma step_kept : forall st st', sound st -> kept st -> free st -> step st st' -> kept st' /\ free st'.
  Proof.
    intros st st' Hs Hk Hf H; destruct H as [st s e a Hi He Ha Hroom | st c s a rest t b Hc Ht Hb Hroom | st c s a rest Hc _ | st c s a rest Hc _].
    - apply given; auto; [pose proof (entry_one s e He); lia|].
      intros g Hg; left; pose proof (injected_room s e g Hi He Hg); lia.
    - destruct (Hs c s a) as (Hat & Hrs & Ha); [rewrite Hc; left; reflexivity|].
      destruct (taken st c (s, a) rest Hc Hk Hf) as (Hk1 & Hf1 & Hlt).
      pose proof (room_one s t) as Hone; cbv zeta.
      assert (Hle : length (put st c rest (at_ N t)) <= length (st (at_ N t))).
      { destruct (same (at_ N t) c) as [E|E]; [rewrite E, put_same, Hc; cbn; lia | rewrite put_other by exact E; lia]. }
      apply given; auto; [lia|].
      intros g Hg; destruct (same (at_ N t) (successor c)) as [E|E].
      + destruct (ring c) as [g'|] eqn:Eg.
        * right; exists c; split; [rewrite E; intro X; exact (ring_two c g' Eg (eq_sym X))|].
          split; [|exact Hlt]; rewrite E in Hg; rewrite (ring_closed c g' Eg) in Hg; congruence.
        * left; assert (2 <= room s t); [|lia]; apply (into_room s a t g Hrs Ha Ht Hg); intros [X _]; congruence.
      + left; assert (2 <= room s t); [|lia]; apply (into_room s a t g Hrs Ha Ht Hg); intros [_ X]; congruence.
    - destruct (taken st c (s, a) rest Hc Hk Hf) as (H1 & H2 & _); auto.
    - destruct (taken st c (s, a) rest Hc Hk Hf) as (H1 & H2 & _); auto.
  Qed.

  Lemma reachable_kept : forall st, reachable st -> sound st /\ kept st /\ free st.
  Proof.
    intros st H; unfold Step.reachable in H.
    assert (H0 : sound (empty N) /\ kept (empty N) /\ free (empty N)).
    { split; [intros c s a [] | split; [intro c; cbn; lia|]].
      intros c g Hg; exists c; split; [exact Hg | pose proof (ring_places c g Hg); cbn; lia]. }
    induction H as [st | st st1 st2 H1 _ IH]; [exact H0|]; apply IH; destruct H0 as (A & B & C).
    split; [exact (step_sound N same capacity room entry _ _ A H1) | exact (step_kept _ _ A B C H1)].
  Qed.

  Lemma once_more : forall i c, Nat.iter i successor (successor c) = Nat.iter (S i) successor c.
  Proof. induction i as [|i IH]; intro c; [reflexivity | exact (f_equal successor (IH c))]. Qed.

  (* In a ring with a packet and a free place some packet has a free place ahead. *)
  Lemma place_ahead : forall (st : state) i c g f, ring c = Some g -> st c <> [] ->
    Nat.iter i successor (successor c) = f -> length (st f) < capacity f ->
    exists d, ring d = Some g /\ st d <> [] /\ length (st (successor d)) < capacity (successor d).
  Proof.
    intros st; induction i as [|i IH]; intros c g f Hg Hne Hf Hlt.
    - exists c; cbn in Hf; subst f; auto.
    - destruct (le_lt_dec (capacity (successor c)) (length (st (successor c)))) as [Hfull | Hfree]; [|exists c; auto].
      apply (IH (successor c) g f); [exact (ring_closed c g Hg) | | | exact Hlt].
      + pose proof (ring_places _ g (ring_closed c g Hg)); destruct (st (successor c)); [cbn in Hfull; lia | discriminate].
      + rewrite <- Hf; exact (once_more i (successor c)).
  Qed.

  Definition weigh (p : packet) := S (level (at_ N (fst p)) * S most + measure (fst p)).
  Definition total := sum N (fun _ q => list_sum (map weigh q)) channels.
  Lemma total_put : forall st c q,
    total (put st c q) + list_sum (map weigh (st c)) = total st + list_sum (map weigh q).
  Proof. intros st c q; exact (sum_put N same (fun _ q => list_sum (map weigh q)) channels st c q once (all_channels c)). Qed.

  Lemma weigh_cons : forall p q, list_sum (map weigh (p :: q)) = weigh p + list_sum (map weigh q).
  Proof. reflexivity. Qed.

  (* A packet at the head of its channel that has a hop there is room for, to a site that weighs less. *)
  Lemma moves : forall (st : state) c s a rest t b, sound st -> st c = (s, a) :: rest -> a (Go t) -> alternative N t b ->
    length (st (at_ N t)) + room s t <= capacity (at_ N t) -> weigh (t, b) < weigh (s, a) ->
    exists st', step st st' /\ total st' < total st.
  Proof.
    intros st c s a rest t b Hs Hc Ht Hb Hroom Hw; eexists; split; [exact (move N same capacity room entry st c s a rest t b Hc Ht Hb Hroom)|].
    cbv zeta; pose proof (total_put (put st c rest) (at_ N t) (put st c rest (at_ N t) ++ [(t, b)])) as T.
    pose proof (total_put st c rest) as T0.
    rewrite Hc, weigh_cons in T0; rewrite map_app, list_sum_app, weigh_cons in T; cbn [map list_sum fold_right] in T; lia.
  Qed.

  Lemma progress : forall st, sound st -> kept st -> free st -> (exists c, st c <> []) ->
    exists st', step st st' /\ total st' < total st.
  Proof.
    intros st Hs Hk Hf (c0 & H0).
    destruct (lowest_channel N level channels st) as (c & _ & Hne & Hlow);
      [exists c0; split; [apply all_channels | exact H0]|].
    (* the channel whose packet moves: in a ring, one with a free place ahead *)
    assert (G : exists d, st d <> [] /\ level d = level c /\
              forall g, ring d = Some g -> length (st (successor d)) < capacity (successor d)).
    { destruct (ring c) as [g|] eqn:Eg; [|exists c; split; [exact Hne | split; [reflexivity | congruence]]].
      destruct (Hf c g Eg) as (f & Hg & Hlt).
      destruct (ring_round (successor c) f g (ring_closed c g Eg) Hg) as [i Hi].
      destruct (place_ahead st i c g f Eg Hne Hi Hlt) as (d & Hd & Hdn & Hfree).
      exists d; split; [exact Hdn | split; [exact (ring_level d c g Hd Eg) | intros _ _; exact Hfree]]. }
    clear Hne; destruct G as (d & Hne & Hlev & Hfree).
    destruct (st d) as [|[s a] rest] eqn:Hd; [contradiction|].
    destruct (Hs d s a) as (Hat & Hrs & Ha); [rewrite Hd; left; reflexivity|].
    assert (gone : total (put st d rest) < total st).
    { pose proof (total_put st d rest) as T; rewrite Hd, weigh_cons in T; unfold weigh at 1 in T; lia. }
    destruct (decided s a Hrs Ha) as [Hh | Hnone].
    - destruct (downwards s a Hrs Ha Hh) as [Hl | [(t & Ht & Hlt) | (t & g & Ht & Hg & Hsucc & Hone & Hm)]].
      + exists (put st d rest); split; [exact (leave N same capacity room entry st d s a rest Hd Hl) | exact gone].
      + destruct (full s a t Hrs Ha Ht) as [b Hb].
        apply (moves st d s a rest t b Hs Hd Ht Hb).
        * assert (He : st (at_ N t) = []) by (apply Hlow; [apply all_channels | rewrite <- Hlev, <- Hat; exact Hlt]).
          rewrite He; cbn; exact (fits s a t Hrs Ha Ht).
        * pose proof (bounded t (reached_next N s a t Hrs Ha Ht)); unfold weigh; cbn [fst]; nia.
      + destruct (full s a t Hrs Ha Ht) as [b Hb].
        apply (moves st d s a rest t b Hs Hd Ht Hb).
        * rewrite Hat in Hg, Hsucc; specialize (Hfree g Hg); rewrite Hsucc, Hone; lia.
        * rewrite Hat in Hg, Hsucc; pose proof (ring_level _ _ g (ring_closed d g Hg) Hg) as E.
          unfold weigh; cbn [fst]; rewrite Hsucc, Hat, E; lia.
    - exists (put st d rest); split; [exact (discard N same capacity room entry st d s a rest Hd Hnone) | exact gone].
  Qed.

  Theorem ring_drains : forall st, reachable st -> exists st', steps st st' /\ forall c, st' c = [].
  Proof.
    intros st H; apply reachable_kept in H.
    remember (total st) as n eqn:E; revert st H E; induction n as [n IH] using lt_wf_ind; intros st (Hs & Hk & Hf) E.
    destruct (empty_or_not N channels st) as [(c & _ & Hne) | Hall].
    - destruct (progress st Hs Hk Hf (ex_intro _ c Hne)) as (st1 & H1 & Hlow).
      destruct (IH (total st1) ltac:(lia) st1) as (st2 & H2 & H3);
        [split; [exact (step_sound N same capacity room entry _ _ Hs H1) | exact (step_kept _ _ Hs Hk Hf H1)] | reflexivity|].
      exists st2; split; [exact (steps_more N same capacity room entry _ _ _ H1 H2) | exact H3].
    - exists st; split; [apply steps_none | intro c; apply Hall, all_channels].
  Qed.

  Theorem ring_never_stuck : forall st c p, reachable st -> ~ stuck_for_good N same capacity room entry st c p.
  Proof.
    intros st c p Hst H; destruct (ring_drains st Hst) as (st' & H1 & H2).
    destruct (H st' H1) as (rest & E); rewrite H2 in E; discriminate.
  Qed.
End Room.
