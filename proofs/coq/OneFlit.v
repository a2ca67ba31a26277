(* Packets that shift as a whole in shared channels of one flit, by the step of Reference.v.

   Packets of flits shift as a whole only where channels have one flit (Scenario.Elastic). Proved: then a head finds no place
   behind another packet, so that shared channels are as those of one packet at a time: the same moves are possible
   ([one_flit_replay]). So what Flits.v proves of the one is true of the other ([one_flit_empties]).
   With Shared.v and Sinks.v: however the network is run, if every hop lowers the rank, from every state that the moves reach
   some moves lead to the empty network ([lowered_empties]).
   Assumed: every hop demands a place, and no more than there are; what Flits.v assumes of tables. Not proved: that packets
   do move. *)
Require Import List Arith Lia Bool Packets Wormhole Reference StuckFlits Flits Shared Sinks.
Import ListNotations.

Section OneFlit.
  Variable channel node header : Type.
  Hypothesis same : forall c d : channel, {c = d} + {c <> d}.
  Hypothesis same_header : forall h k : header, {h = k} + {h <> k}.
  Hypothesis same_node : forall v w : node, {v = w} + {v <> w}.
  Variable channels : list channel.
  Variable tail : channel -> node.
  Variable head : channel -> node.
  Variable row : Reference.place channel node -> header -> option (list (Reference.hop channel header)).
  Variable sc : scenario.
  Hypothesis all_channels : forall c, In c channels.
  Hypothesis as_a_whole : shifts sc = true.
  Hypothesis one_flit : capacity sc = 1.
  Hypothesis drains_at_once : sink sc = 0.
  Hypothesis listed : forall p h r x c k, row p h = Some r -> In x r -> to x = Into c k -> row (Inside c) k <> None.
  Hypothesis demands_one : forall p h r x c k, row p h = Some r -> In x r -> to x = Into c k -> need x = 1.
  (* The same, but channels are not shared. *)
  Definition apart : scenario := {| capacity := capacity sc; later := later sc; endless := endless sc; flitwise := flitwise sc;
    shared := false; elastic := elastic sc; sink := sink sc |}.
  Notation apply x := (Reference.apply channel node header same same_header same_node channels tail head row x).
  Notation replay x := (Reference.replay channel node header same same_header same_node channels tail head row x).
  Notation nothing := (Reference.nothing channel node header).
  Notation tidy := (StuckFlits.tidy channel node header).

  Lemma apart_atomic : atomic apart = true.
  Proof. pose proof as_a_whole as X; unfold shifts in X; apply andb_true_iff in X; destruct X as [X _]; unfold atomic; cbn; rewrite X; reflexivity. Qed.
  Lemma not_elastic : elastic sc = false.
  Proof. pose proof as_a_whole as X; unfold shifts in X; apply andb_true_iff in X; destruct X as [_ X]; apply negb_true_iff in X; exact X. Qed.

  Lemma accepts_apart : forall s p h r x, tidy s -> (forall z q, queue s z = [q] -> flits q = 1) -> row p h = Some r -> In x r ->
    Reference.accepts channel node header same channels head sc s p x = Reference.accepts channel node header same channels head apart s p x.
  Proof.
    intros s p h r x T F R K; unfold Reference.accepts; destruct (to x) as [d k| |] eqn:X; try reflexivity; rewrite apart_atomic.
    destruct (atomic sc); [reflexivity|]; rewrite one_flit, (demands_one p h r x d k R K X).
    destruct (StuckFlits.one _ _ _ s d T) as [Q|[q Q]]; rewrite Q.
    - unfold Reference.entering; rewrite Q; destruct (Reference.fed _ _ _ _ _ s d) as [b|] eqn:E; [|reflexivity].
      destruct (StuckFlits.fed_there _ _ _ s T b d (StuckFlits.fed_into _ _ _ same channels s d b E) Q).
    - unfold sum_flits; cbn [map list_sum fold_right]; rewrite (F d q Q); reflexivity.
  Qed.
  Lemma apply_apart : forall s m, tidy s -> (forall z q, queue s z = [q] -> flits q = 1) -> apply sc s m = apply apart s m.
  Proof.
    intros s m T F; destruct m as [p h w|c h w|v c h|v c h|v]; try reflexivity; cbn [Reference.apply]; unfold Reference.advance.
    destruct (row p h) as [r|] eqn:R; [|reflexivity]; destruct (Reference.find_hop _ _ _ _ r w) as [x|] eqn:E; [|reflexivity].
    unfold Reference.find_hop in E; apply find_some in E; destruct E as [K _]; rewrite (accepts_apart s p h r x T F R K); reflexivity.
  Qed.

  Lemma apart_state : forall l s, replay apart nothing l = Some s -> tidy s /\ forall z q, queue s z = [q] -> flits q = 1.
  Proof.
    intros l s E; destruct (shows_replay channel node header same same_header same_node channels tail head row apart all_channels apart_atomic
      ltac:(cbn; lia) drains_at_once listed l s E) as ([_ Rg] & W & H).
    split; [exact (shows_tidy _ _ _ _ _ _ _ _ H) | exact (Rg not_elastic)].
  Qed.
  Lemma replay_apart : forall l' l s, replay apart nothing l = Some s -> replay sc s l' = replay apart s l'.
  Proof.
    induction l' as [|m l' IH]; intros l s E; [reflexivity|]; destruct (apart_state l s E) as [T F]; cbn [Reference.replay].
    rewrite (apply_apart s m T F); destruct (apply apart s m) as [s1|] eqn:E1; [|reflexivity]; apply (IH (l ++ [m])).
    rewrite (Sinks.replay_app channel node header same same_header same_node channels tail head row apart l _ nothing s E);
      cbn [Reference.replay]; rewrite E1; reflexivity.
  Qed.

  Theorem one_flit_replay : forall l, replay sc nothing l = replay apart nothing l.
  Proof. intro l; exact (replay_apart l [] nothing eq_refl). Qed.
  Theorem one_flit_empties : Sinks.can_empty channel node header same same_header same_node channels tail head row apart ->
    Sinks.can_empty channel node header same same_header same_node channels tail head row sc.
  Proof.
    intros H l s R; rewrite one_flit_replay in R; destruct (H l s R) as (l' & s' & R' & Em); exists l', s'; split; [|exact Em].
    rewrite (replay_apart l' l s R); exact R'.
  Qed.
End OneFlit.

Section Run.
  Variable channel node header : Type.
  Hypothesis same : forall c d : channel, {c = d} + {c <> d}.
  Hypothesis same_header : forall h k : header, {h = k} + {h <> k}.
  Hypothesis same_node : forall v w : node, {v = w} + {v <> w}.
  Variable channels : list channel.
  Variable tail : channel -> node.
  Variable head : channel -> node.
  Variable row : Reference.place channel node -> header -> option (list (Reference.hop channel header)).
  Variable sc : scenario.
  Notation N := (Reference.network_of channel node header same same_header row).
  Hypothesis all_channels : forall c, In c channels.
  Hypothesis buffers : 1 <= capacity sc.
  Hypothesis rigid : shifts sc = true -> capacity sc = 1.      (* as spec has it: deeper buffers are elastic *)
  Hypothesis listed : forall p h r x c k, row p h = Some r -> In x r -> to x = Into c k -> row (Inside c) k <> None.
  Hypothesis fitting : forall p h r x, row p h = Some r -> In x r -> need x <= capacity sc.
  Hypothesis demanding : forall p h r x c k, row p h = Some r -> In x r -> to x = Into c k -> 1 <= need x.
  Hypothesis no_dead_end : forall s, reached N s -> row (Inside (fst s)) (snd s) <> Some [].
  Variable rank : channel -> nat.
  Hypothesis lowers : lowered N rank.

  Theorem lowered_empties : Sinks.can_empty channel node header same same_header same_node channels tail head row sc.
  Proof.
    apply Sinks.sinks_drain; destruct (shifts sc) eqn:S.
    - apply (one_flit_empties channel node header same same_header same_node channels tail head row (drained sc) all_channels S (rigid eq_refl) eq_refl listed).
      + intros p h r x c k R K X; pose proof (fitting p h r x R K); pose proof (demanding p h r x c k R K X); pose proof (rigid eq_refl); lia.
      + intros l s; apply (flits_drain channel node header same same_header same_node channels tail head row (apart (drained sc)) all_channels
          (apart_atomic (drained sc) S) buffers eq_refl listed no_dead_end rank (lowered_escapes N rank lowers)).
    - intros l s; exact (shared_drain channel node header same same_header same_node channels tail head row (drained sc) all_channels S buffers eq_refl listed
        rank lowers fitting no_dead_end l s).
  Qed.
End Run.
