(* From a certificate of bubbles that the checker accepts to the step with which unknot replays traces.

   Pools.v concludes about the step of Step.v. Here the conclusion is about that of Reference.v, for the network that the same
   table denotes: [reads] are the rows of its places. Proved, for whole packets: if [check_pools] answers true, the sets have
   their free places in every state that the moves reach ([pools_replay]), and no trace leads to packets that wait for each
   other, as [deadlock] of Reference.v says ([pools_no_deadlock]).
   Assumed: what Checker.v assumes of primitive integers; every hop leads to a site of the table, which unknot-verify checks;
   packets start by rows of the table's sources; channels have the table's number of places; sinks drain.
   Not proved: that the table is the network's, which reader.ml reads; that each packet can move again: one that waits for
   room that packets going round for ever take is not in a set of packets that wait for each other. *)
Require Import List Arith Lia Bool Uint63 PArray Packets Step Stuck Checker Certified Pools Reference StuckFlits.
Import ListNotations.

Arguments Reference.need {_ _}.

Section Table.
  Variable t : roomy.
  Variable pools : list pool.
  Variable level : array int.
  Variable known : array (list (list (int * nat))).
  Hypothesis accepted : check_pools t pools level known = true.
  Variable node : Type.
  Hypothesis same_node : forall v w : node, {v = w} + {v <> w}.
  Variable tail head : int -> node.
  Variable starting : node -> int -> option (list exit).
  Hypothesis starts_there : forall v h r, starting v h = Some r -> List.In r (starts t).
  Variable discarded : int -> bool.       (* at which sites a packet that leaves is discarded *)

  (* A packet's header is the number of its site. *)
  Definition way_of (h : int) (e : exit) : Reference.way int int :=
    match e with To u _ => Reference.Into (channel_of t u) u | Out => if discarded h then Reference.Discard else Reference.Eject end.
  Definition hop_of (h : int) (e : exit) : Reference.hop int int := {| to := way_of h e; need := match e with To _ n => n | Out => 0 end |}.
  Definition reads (p : Reference.place int node) (h : int) : option (list (Reference.hop int int)) :=
    match p with
    | Source v => option_map (map (hop_of h)) (starting v h)
    | Inside c => match spot_at t h with
      | Some e => if same_int (within e) c then Some (map (hop_of h) (exits e)) else None
      | None => None
      end
    end.
  Hypothesis closed_table : forall r u n, List.In r (starts t) \/ (exists h, r = exits_of t h) -> List.In (To u n) r -> spot_at t u <> None.
  Notation N := (network_of int node int same_int same_int reads).
  Notation P := (pooled t).
  Notation offers := (Reference.offers int node int reads).

  Lemma reads_inside : forall c h r, reads (Inside c) h = Some r -> c = channel_of t h /\ r = map (hop_of h) (exits_of t h).
  Proof.
    intros c h r E; cbn in E; unfold channel_of, exits_of; destruct (spot_at t h) as [e|]; [|discriminate].
    destruct (same_int (within e) c) as [<-|]; [injection E as <-; auto | discriminate].
  Qed.
  Lemma into_exit : forall h l x c k, List.In x (map (hop_of h) l) -> to x = Reference.Into c k -> c = channel_of t k /\ List.In (To k (need x)) l.
  Proof.
    intros h l x c k K E; apply in_map_iff in K; destruct K as ([|u n] & <- & K); cbn in E; [destruct (discarded h); discriminate|].
    injection E as <- <-; auto.
  Qed.
  Lemma reads_listed : forall p h r x c k, reads p h = Some r -> List.In x r -> to x = Reference.Into c k -> reads (Inside c) k <> None.
  Proof.
    intros p h r x c k E K X.
    assert (S : exists l, (List.In l (starts t) \/ exists h, l = exits_of t h) /\ r = map (hop_of h) l).
    { destruct p as [v|d]; [|destruct (reads_inside d h r E) as [_ ->]; eauto].
      cbn in E; destruct (starting v h) as [l|] eqn:Sv; [|discriminate]; injection E as <-; exists l; split; [left; exact (starts_there v h l Sv) | reflexivity]. }
    destruct S as (l & S & ->); destruct (into_exit h l x c k K X) as [-> I]; pose proof (closed_table l k _ S I) as C.
    cbn; unfold channel_of; destruct (spot_at t k) as [e|]; [|contradiction]; destruct (same_int (within e) (within e)); [discriminate | contradiction].
  Qed.
  (* The first hop of a row into a site has the demand of Pools.v. *)
  Lemma demand_first : forall h l k x, Reference.find_hop int int same_int same_int (map (hop_of h) l) (Reference.Into (channel_of t k) k) = Some x ->
    need x = demand l k.
  Proof.
    intros h l k x; unfold Reference.find_hop, demand; induction l as [|[|u n] l IH]; cbn [map List.find]; [discriminate| |].
    - cbn [to hop_of way_of is_to]; destruct (discarded h); exact IH.
    - cbn [to hop_of way_of is_to Reference.same_way]; destruct (same_int u k) as [->|Ne].
      + rewrite eqb_refl; destruct (same_int (channel_of t k) (channel_of t k)); [|contradiction]; cbn; intros [= <-]; reflexivity.
      + rewrite andb_false_r; destruct (eqb u k) eqn:E; [apply eqb_spec in E; contradiction | exact IH].
  Qed.

  Variable sc : scenario.
  Hypothesis whole_packets : flitwise sc = false.
  Hypothesis drains_at_once : sink sc = 0.
  Hypothesis as_many : capacity sc = places t.
  Variable channels : list int.
  Hypothesis all_channels : forall c, List.In c channels.
  Notation replay := (Reference.replay int node int same_int same_int same_node channels tail head reads sc).
  Notation nothing := (Reference.nothing int node int).
  Notation roomN := (Reference.room int node int same_int same_int reads).
  Notation entryN := (Reference.entry int node int same_int same_int reads).
  Notation stepN := (Step.step N same_int (fun _ => capacity sc) roomN entryN).
  Notation stepsN := (Step.steps N same_int (fun _ => capacity sc) roomN entryN).
  Notation stepP := (Step.step P same_int (fun _ => places t) (Pools.room t) (Pools.entry t)).
  Notation stepsP := (Step.steps P same_int (fun _ => places t) (Pools.room t) (Pools.entry t)).

  (* The same packets in the same places. *)
  Definition stands (st : Step.state N) (pst : Step.state P) := forall c, map (fun p => snd (fst p)) (st c) = map fst (pst c).
  Lemma stands_length : forall st pst c, stands st pst -> List.length (st c) = List.length (pst c).
  Proof. intros st pst c H; pose proof (f_equal (@List.length int) (H c)) as L; rewrite !map_length in L; exact L. Qed.
  Lemma stands_put : forall st pst c q r, stands st pst -> map (fun p => snd (fst p)) q = map fst r ->
    stands (Step.put N same_int st c q) (Step.put P same_int pst c r).
  Proof. intros st pst c q r H E d; unfold Step.put; destruct (same_int d c); [exact E | exact (H d)]. Qed.
  Lemma stands_first : forall st pst c s a rest, stands st pst -> st c = (s, a) :: rest ->
    exists b rest', pst c = (snd s, b) :: rest' /\ map (fun p => snd (fst p)) rest = map fst rest'.
  Proof.
    intros st pst c s a rest H E; pose proof (H c) as M; rewrite E in M; destruct (pst c) as [|[u b] rest']; [discriminate|].
    cbn in M; injection M as -> M; eauto.
  Qed.
  Definition offered (h : int) := fun x => List.In x (map leads (exits_of t h)).

  Lemma offers_exits : forall c h x, alternative N (c, h) (offers (c, h)) -> offers (c, h) x ->
    exists y, List.In y (exits_of t h) /\ x = Reference.meaning int int (hop_of h y) /\ c = channel_of t h.
  Proof.
    intros c h x [Ne _] K; cbn [fst snd] in Ne; unfold Reference.offers, Reference.row_of in K; cbn [fst snd] in K.
    destruct (reads (Inside c) h) as [r|] eqn:R; [|contradiction]; destruct (reads_inside c h r R) as [-> ->].
    apply in_map_iff in K; destruct K as (z & <- & K); apply in_map_iff in K; destruct K as (y & <- & K); eauto.
  Qed.
  Lemma meaning_leads : forall h y, Reference.meaning int int (hop_of h y) = match leads y with Go u => Go (channel_of t u, u) | Leave => Leave end.
  Proof. intros h [|u n]; unfold Reference.meaning, hop_of, way_of; cbn [to]; [destruct (discarded h); reflexivity | reflexivity]. Qed.

  Lemma stands_step : forall st st' pst, Step.sound N st -> Step.sound P pst -> stands st pst -> stepN st st' ->
    exists pst', stepP pst pst' /\ stands st' pst'.
  Proof.
    intros st st' pst So Sp H K; destruct K as [st [c h] e a Hi He Ha Hr | st c s a rest [d k] b Hc Ht Hb Hr | st c s a rest Hc Hl | st c s a rest Hc Hn].
    - destruct He as (v & k & r & x & R & F & <-); cbn [fst snd] in *; unfold Reference.find_hop in F; apply find_some in F; destruct F as [Kx X].
      apply Reference.same_way_eq in X; cbn in R; destruct (starting v k) as [l|] eqn:Sv; [|discriminate]; injection R as <-.
      destruct (into_exit k l x c h Kx X) as [-> I]; pose proof (starts_there v k l Sv) as Sl.
      eexists; split.
      + apply (Step.inject P same_int (fun _ => places t) (Pools.room t) (Pools.entry t) pst h (need x) (offered h)).
        * exists l, (need x); auto.
        * exists l; auto.
        * reflexivity.
        * cbn in Hr |- *; rewrite (stands_length st pst _ H), as_many in Hr; exact Hr.
      + cbn [at_ network_of fst]; apply stands_put; [exact H|]; rewrite !map_app; exact (f_equal (fun l => l ++ [h]) (H (channel_of t h))).
    - destruct (So c s a) as (Hat & _ & Ne & Ea); [rewrite Hc; left; reflexivity|]; destruct s as [c0 h]; cbn in Hat; subst c0 a.
      destruct (offers_exits c h _ (conj Ne eq_refl) Ht) as (y & Ky & Ey & Ec); rewrite meaning_leads in Ey; destruct y as [|u n]; [discriminate|].
      cbn in Ey; injection Ey as -> ->; destruct (stands_first st pst c _ _ rest H Hc) as (a' & rest' & Ep & Er); cbn [snd] in Ep.
      destruct (Sp c h a') as (_ & _ & ->); [rewrite Ep; left; reflexivity|].
      assert (Rm : roomN (c, h) (channel_of t u, u) = Pools.room t h u).
      { assert (Rw : Reference.row_of int node int reads (c, h) = map (hop_of h) (exits_of t h)).
        { assert (R : exists r, reads (Inside c) h = Some r) by (change (reads (Inside c) h <> None) in Ne; destruct (reads (Inside c) h); [eauto | contradiction]).
          destruct R as [r R]; unfold Reference.row_of; change (match reads (Inside c) h with Some r => r | None => [] end = map (hop_of h) (exits_of t h)).
          rewrite R; exact (proj2 (reads_inside c h r R)). }
        unfold Reference.room, Pools.room; rewrite Rw; cbn [fst snd].
        destruct (Reference.find_hop int int same_int same_int (map (hop_of h) (exits_of t h)) (Reference.Into (channel_of t u) u)) as [x|] eqn:F;
          [exact (demand_first h _ u x F)|].
        exfalso; pose proof (find_none _ _ F (hop_of h (To u n)) (in_map (hop_of h) _ _ Ky)) as B; cbn in B.
        destruct (same_int (channel_of t u) (channel_of t u)); [|contradiction]; destruct (same_int u u); [discriminate | contradiction]. }
      eexists; split.
      + apply (Step.move P same_int (fun _ => places t) (Pools.room t) (Pools.entry t) pst c h _ rest' u (offered u) Ep).
        * apply in_map_iff; exists (To u n); auto.
        * reflexivity.
        * change (List.length (pst (channel_of t u)) + Pools.room t h u <= places t).
          rewrite <- Rm, <- as_many, <- (stands_length st pst (channel_of t u) H); exact Hr.
      + cbv zeta; cbn [at_ network_of fst]; pose proof (stands_put st pst c rest rest' H Er) as H1; apply stands_put; [exact H1|].
        rewrite !map_app; exact (f_equal (fun l => l ++ [u]) (H1 (channel_of t u))).
    - destruct (So c s a) as (Hat & _ & Ne & Ea); [rewrite Hc; left; reflexivity|]; destruct s as [c0 h]; cbn in Hat; subst c0 a.
      destruct (offers_exits c h _ (conj Ne eq_refl) Hl) as (y & Ky & Ey & Ec); rewrite meaning_leads in Ey; destruct y as [|u n]; [|discriminate].
      destruct (stands_first st pst c _ _ rest H Hc) as (a' & rest' & Ep & Er); cbn [snd] in Ep.
      destruct (Sp c h a') as (_ & _ & ->); [rewrite Ep; left; reflexivity|].
      eexists; split; [apply (Step.leave P same_int (fun _ => places t) (Pools.room t) (Pools.entry t) pst c h _ rest' Ep) |
        exact (stands_put st pst c rest rest' H Er)].
      apply in_map_iff; exists Out; auto.
    - destruct (So c s a) as (Hat & _ & Ne & Ea); [rewrite Hc; left; reflexivity|]; destruct s as [c0 h]; cbn in Hat; subst c0 a.
      destruct (stands_first st pst c _ _ rest H Hc) as (a' & rest' & Ep & Er); cbn [snd] in Ep.
      destruct (Sp c h a') as (_ & _ & ->); [rewrite Ep; left; reflexivity|].
      eexists; split; [apply (Step.discard P same_int (fun _ => places t) (Pools.room t) (Pools.entry t) pst c h _ rest' Ep) |
        exact (stands_put st pst c rest rest' H Er)].
      intros x B; apply in_map_iff in B; destruct B as (y & _ & B); apply (Hn (Reference.meaning int int (hop_of h y))).
      assert (R : exists r, reads (Inside c) h = Some r) by (change (reads (Inside c) h <> None) in Ne; destruct (reads (Inside c) h); [eauto | contradiction]).
      destruct R as [r R]; unfold Reference.offers, Reference.row_of; change (List.In (Reference.meaning int int (hop_of h y))
        (map (Reference.meaning int int) match reads (Inside c) h with Some r => r | None => [] end)).
      rewrite R, (proj2 (reads_inside c h r R)); apply in_map, in_map; exact B.
  Qed.
  Lemma stands_steps : forall st st', stepsN st st' -> forall pst, Step.sound N st -> Step.sound P pst -> stands st pst ->
    exists pst', stepsP pst pst' /\ stands st' pst'.
  Proof.
    intros st st' K; induction K as [st | st st1 st2 K _ IH]; intros pst So Sp H; [exists pst; split; [apply Step.steps_none | exact H]|].
    destruct (stands_step st st1 pst So Sp H K) as (p1 & K1 & H1).
    destruct (IH p1 (Step.step_sound N same_int _ roomN entryN _ _ So K)
      (Step.step_sound P same_int _ (Pools.room t) (Pools.entry t) _ _ Sp K1) H1) as (p2 & K2 & H2).
    exists p2; split; [exact (Step.steps_more _ _ _ _ _ _ _ _ K1 K2) | exact H2].
  Qed.

  (* The state of Pools.v that a state of the moves is. *)
  Lemma pooled_state : forall l s, replay nothing l = Some s -> exists pst, Step.reachable P same_int (fun _ => places t) (Pools.room t) (Pools.entry t) pst /\
    forall c, map fst (pst c) = map (fun p => name p) (queue s c).
  Proof.
    intros l s E; destruct (replay_steps int node int same_int same_int same_node channels tail head reads sc whole_packets drains_at_once
      reads_listed l nothing _ s (nothing_means int node int same_int same_int reads) E) as (st & K & M).
    destruct (stands_steps _ st K (Step.empty P)) as (pst & Kp & H); [intros c x a [] | intros c x a [] | intro c; reflexivity |].
    exists pst; split; [exact Kp|]; intro c; rewrite <- (H c), (same_packets _ _ _ _ _ _ _ _ M c), map_map; reflexivity.
  Qed.

  Theorem pools_replay : forall l s, replay nothing l = Some s -> forall p, List.In p pools ->
    free p <= list_sum (map (fun c => places t - List.length (queue s c)) (members t p)).
  Proof.
    intros l s E p Hp; destruct (pooled_state l s E) as (pst & R & M); destruct (pools_kept t pools level known accepted pst R) as (_ & _ & Kp).
    assert (Sp : spares t pst (members t p) = list_sum (map (fun c => places t - List.length (queue s c)) (members t p))); [|rewrite <- Sp; exact (Kp p Hp)].
    unfold spares; f_equal; apply map_ext; intro c; unfold spare; pose proof (f_equal (@List.length int) (M c)) as L; rewrite !map_length in L.
    rewrite <- L; reflexivity.
  Qed.

  Theorem pools_no_deadlock : forall l w, Reference.deadlock int node int same_int same_int same_node channels tail head reads sc l w = false.
  Proof.
    intros l w; unfold Reference.deadlock; destruct (replay nothing l) as [s|] eqn:E; [|reflexivity]; destruct w as [|c0 w0]; [reflexivity|].
    set (w := c0 :: w0); destruct (forallb _ w) eqn:F; [exfalso|reflexivity]; rewrite forallb_forall in F.
    destruct (pooled_state l s E) as (pst & R & M); destruct (pools_kept t pools level known accepted pst R) as (Sp & _).
    assert (Len : forall c, List.length (pst c) = List.length (queue s c)).
    { intro c; pose proof (f_equal (@List.length int) (M c)) as L; rewrite !map_length in L; exact L. }
    apply (pools_sound t pools level known accepted pst R (fun c => List.In c w)) with (c := c0); [|left; reflexivity].
    intros c Hc; cbn in c; specialize (F c Hc); unfold Reference.waits in F; destruct (queue s c) as [|p q] eqn:Q; [discriminate|].
    pose proof (M c) as Mc; rewrite Q in Mc; destruct (pst c) as [|[h a] rest] eqn:Ep; [discriminate|]; cbn in Mc; injection Mc as -> _.
    destruct (Sp c (name p) a) as (_ & _ & Ha); [rewrite Ep; left; reflexivity|]; change (a = offered (name p)) in Ha; subst a.
    destruct (reads (Inside c) (name p)) as [r|] eqn:Rd; [|discriminate]; destruct (reads_inside c (name p) r Rd) as [Ec ->].
    assert (All : forall y, List.In y (exits_of t (name p)) -> Reference.closed int node int same_int sc s w (hop_of (name p) y) = true).
    { destruct (map (hop_of (name p)) (exits_of t (name p))) as [|x r] eqn:Em; [discriminate|]; rewrite forallb_forall in F.
      intros y Ky; apply F; rewrite <- Em; apply in_map; exact Ky. }
    exists (name p), (offered (name p)), rest; split; [reflexivity|]; split; [|split].
    - destruct (exits_of t (name p)) as [|y r] eqn:Ee; [discriminate|]; exists (leads y); unfold offered; rewrite Ee; left; reflexivity.
    - intro L; apply in_map_iff in L; destruct L as ([|u n] & X & Ky); [|discriminate]; specialize (All Out Ky).
      unfold Reference.closed in All; cbn in All; destruct (discarded (name p)); discriminate.
    - intros u Ku; pose proof (demand_in _ _ Ku) as Kd; specialize (All _ Kd); unfold Reference.closed in All; cbn [to hop_of way_of need] in All.
      apply andb_true_iff in All; destruct All as [A1 A2]; cbn [at_ pooled]; destruct (in_dec same_int (channel_of t u) w) as [I|]; [|discriminate].
      split; [exact I|]; apply Nat.ltb_lt in A2; rewrite as_many in A2; rewrite Len; exact A2.
  Qed.
End Table.
