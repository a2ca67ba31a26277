(* Finite sinks, by the step of Reference.v, and why they add no deadlock.

   A sink holds so many packets, and its node consumes them one at a time (Scenario.Sink). Proved: if from every state of the
   network whose sinks drain at once some moves lead to the empty network, that is so with finite sinks, too ([sinks_drain]);
   so no channel is held for good there ([sinks_never_stuck]). The same moves are made, and before each the sink at the
   head's node is emptied. So what Reference.v, Flits.v and Shared.v prove of sinks that drain at once is true of finite ones.
   Assumed: nothing about the network, or the rules by which it is run: nodes consume whatever else happens. Not proved:
   that packets do move. *)
Require Import List Arith Lia Bool Reference StuckFlits.
Import ListNotations.

Section Sinks.
  Variable channel node header : Type.
  Hypothesis same : forall c d : channel, {c = d} + {c <> d}.
  Hypothesis same_header : forall h k : header, {h = k} + {h <> k}.
  Hypothesis same_node : forall v w : node, {v = w} + {v <> w}.
  Variable channels : list channel.
  Variable tail : channel -> node.
  Variable head : channel -> node.
  Variable row : Reference.place channel node -> header -> option (list (Reference.hop channel header)).
  Variable sc : scenario.
  (* The same, but sinks drain at once. *)
  Definition drained : scenario := {| capacity := capacity sc; later := later sc; endless := endless sc; flitwise := flitwise sc;
    shared := shared sc; elastic := elastic sc; sink := 0 |}.
  Notation state := (Reference.state channel node header).
  Notation move := (Reference.move channel node header).
  Notation apply x := (Reference.apply channel node header same same_header same_node channels tail head row x).
  Notation replay x := (Reference.replay channel node header same same_header same_node channels tail head row x).
  Notation nothing := (Reference.nothing channel node header).
  Notation leave_from x := (Reference.leave_from channel node header same channels x).
  Notation give_up := (Reference.give_up channel node header same).
  Notation held := (Reference.held channel node header).
  Notation state_of q h := (Reference.Build_state channel node header q h).

  Lemma leave_held : forall q h h' c, leave_from sc (state_of q h) c = state_of (queue (leave_from drained (state_of q h') c)) h.
  Proof.
    intros q h h' c; unfold Reference.leave_from, Reference.end_of.
    assert (F : forall n d, Reference.back_from channel node header same channels (state_of q h) n d =
      Reference.back_from channel node header same channels (state_of q h') n d).
    { induction n as [|n IH]; intro d; [reflexivity|]; cbn [Reference.back_from].
      change (Reference.fed channel node header same channels (state_of q h) d) with (Reference.fed channel node header same channels (state_of q h') d).
      destruct (Reference.fed _ _ _ _ _ _ d); [apply IH | reflexivity]. }
    cbn [queue]; rewrite F; change (shifts drained) with (shifts sc); cbv zeta.
    set (e := if shifts sc then _ else c); destruct (q e) as [|p b] eqn:Q; [reflexivity|].
    destruct (shifts sc && (0 <? rest p)); [reflexivity|]; cbn [flits rest].
    change (Reference.fed channel node header same channels (state_of q h) e) with (Reference.fed channel node header same channels (state_of q h') e).
    destruct (Reference.fed _ _ _ _ _ _ e); reflexivity.
  Qed.
  Lemma give_up_held : forall n q h h' c, give_up (state_of q h) n c = state_of (queue (give_up (state_of q h') n c)) h.
  Proof.
    induction n as [|n IH]; intros q h h' c; [reflexivity|]; cbn [Reference.give_up queue].
    destruct (rev (q c)) as [|[nm f r g] b]; [reflexivity|]; destruct f; [|reflexivity]; destruct g as [[d k| |]|]; try reflexivity.
    unfold Reference.set_queue; cbn [queue Reference.held]; apply IH.
  Qed.
  Notation arrive x := (Reference.arrive channel node header same same_node head x).
  Notation mark_gone := (Reference.mark_gone channel node header same).
  Notation accepts x := (Reference.accepts channel node header same channels head x).
  Lemma arrive_held : forall q h h' p w, queue (arrive sc (state_of q h) p w) = queue (arrive drained (state_of q h') p w).
  Proof. intros q h h' p [d k| |]; cbn; [reflexivity | destruct (sink sc =? 0); reflexivity | reflexivity]. Qed.
  Lemma mark_held : forall q h h' c w, queue (mark_gone (state_of q h) c w) = queue (mark_gone (state_of q h') c w).
  Proof. intros q h h' c w; unfold Reference.mark_gone; cbn [queue]; destruct (q c); reflexivity. Qed.
  Lemma whole_state : forall s : state, s = state_of (queue s) (held s).
  Proof. intros [q h]; reflexivity. Qed.
  (* Where a head goes, by either rules. *)
  Lemma goes_held : forall q h h' c p w,
    queue (leave_from sc (mark_gone (arrive sc (state_of q h) p w) c w) c) = queue (leave_from drained (mark_gone (arrive drained (state_of q h') p w) c w) c).
  Proof.
    intros q h h' c p w; rewrite (whole_state (mark_gone (arrive sc (state_of q h) p w) c w)),
      (leave_held _ _ (held (mark_gone (arrive drained (state_of q h') p w) c w)) c).
    cbn [queue]; f_equal; f_equal; rewrite (whole_state (mark_gone (arrive drained (state_of q h') p w) c w)); f_equal.
    rewrite (whole_state (arrive sc (state_of q h) p w)), (whole_state (arrive drained (state_of q h') p w)), (arrive_held q h h' p w); apply mark_held.
  Qed.

  Lemma accepts_more : forall q h h' p x, accepts sc (state_of q h) p x = true -> accepts drained (state_of q h') p x = true.
  Proof. intros q h h' p x; unfold Reference.accepts; destruct (to x); [exact (fun A => A) | reflexivity | reflexivity]. Qed.
  Lemma accepts_emptied : forall q h h' p x, h (Reference.node_of channel node head p) = 0 ->
    accepts drained (state_of q h') p x = true -> accepts sc (state_of q h) p x = true.
  Proof.
    intros q h h' p x E; unfold Reference.accepts; destruct (to x); [exact (fun A => A) | intros _ | reflexivity].
    cbn [Reference.held]; rewrite E; destruct (sink sc); reflexivity.
  Qed.

  Definition consumes (m : move) := match m with Consume _ _ _ _ => true | _ => false end.

  (* A move of one is a move of the other. *)
  Lemma move_held : forall m q h h', consumes m = false ->
    (forall p k w, m = Advance _ _ _ p k w -> forall x, accepts sc (state_of q h) p x = accepts drained (state_of q h') p x) ->
    option_map queue (apply sc (state_of q h) m) = option_map queue (apply drained (state_of q h') m).
  Proof.
    intros m q h h' C A; destruct m as [p k w|c k w|v c k|v c k|v]; [| | | |discriminate]; cbn [Reference.apply].
    - unfold Reference.advance; destruct (row p k) as [r|]; [|reflexivity]; destruct (Reference.find_hop _ _ _ _ r w) as [x|]; [|reflexivity].
      rewrite (A p k w eq_refl x); change (Reference.waits_at channel node header same_header (state_of q h) p k) with
        (Reference.waits_at channel node header same_header (state_of q h') p k).
      destruct (_ && _); [|reflexivity]; cbv zeta; cbn [option_map]; f_equal; destruct p as [v|c]; [apply arrive_held | apply goes_held].
    - unfold Reference.follow; cbn [queue]; destruct (q c) as [|[nm f r [x|]] b]; try reflexivity; destruct (_ && _); [|reflexivity].
      change (elastic drained) with (elastic sc); change (capacity drained) with (capacity sc); destruct w as [d j| |].
      + destruct (_ && _); [|reflexivity]; cbn [option_map]; f_equal; unfold Reference.set_queue; cbn [queue Reference.held];
        rewrite (leave_held _ h h'); reflexivity.
      + cbn [option_map]; f_equal; rewrite (leave_held q h h'); reflexivity.
      + cbn [option_map]; f_equal; rewrite (leave_held q h h'); reflexivity.
    - change (Reference.at_source channel node header same_header same_node tail (state_of q h) v c k) with
        (Reference.at_source channel node header same_header same_node tail (state_of q h') v c k).
      change (elastic drained) with (elastic sc); change (capacity drained) with (capacity sc); cbn [queue]; destruct (_ && _); reflexivity.
    - change (Reference.at_source channel node header same_header same_node tail (state_of q h) v c k) with
        (Reference.at_source channel node header same_header same_node tail (state_of q h') v c k).
      change (endless drained) with (endless sc); destruct (_ && _); [|reflexivity]; cbn [option_map]; f_equal.
      unfold Reference.set_queue; cbn [queue Reference.held]; rewrite (give_up_held _ _ h h'); reflexivity.
  Qed.

  (* What finite sinks permit is permitted where they drain at once. *)
  Lemma to_drained : forall m s s0 s', queue s0 = queue s -> apply sc s m = Some s' ->
    exists l s1, replay drained s0 l = Some s1 /\ queue s1 = queue s'.
  Proof.
    intros m [q h] [q0 h0] s' E X; cbn in E; subst q0; destruct (consumes m) eqn:C.
    - destruct m as [| | | |v]; try discriminate; cbn [Reference.apply Reference.held] in X; destruct (0 <? h v); [|discriminate]; injection X as <-.
      exists [], (state_of q h0); split; reflexivity.
    - assert (Y : exists s1, apply drained (state_of q h0) m = Some s1 /\ queue s1 = queue s').
      { assert (Y : (forall p k w, m <> Advance _ _ _ p k w) -> exists s1, apply drained (state_of q h0) m = Some s1 /\ queue s1 = queue s').
        { intro Na; pose proof (move_held m q h h0 C (fun p k w Em => match Na p k w Em with end)) as M; rewrite X in M.
          destruct (apply drained (state_of q h0) m) as [s1|]; [cbn in M; injection M as M; exists s1; auto | discriminate]. }
        destruct m as [p k w|c k w|v c k|v c k|v]; [clear Y | apply Y; discriminate ..].
        cbn [Reference.apply] in *; unfold Reference.advance in *; destruct (row p k) as [r|]; [|discriminate].
        destruct (Reference.find_hop _ _ _ _ r w) as [x|]; [|discriminate]; match type of X with (if ?b then _ else _) = _ => destruct b eqn:W end; [|discriminate].
        apply andb_true_iff in W; destruct W as [W A]; pose proof (accepts_more q h h0 p x A) as A'.
        change (Reference.waits_at channel node header same_header (state_of q h) p k) with
          (Reference.waits_at channel node header same_header (state_of q h0) p k) in W; rewrite W, A'; cbn [andb].
        eexists; split; [reflexivity|]; injection X as <-; cbv zeta; destruct p as [v|c]; symmetry; [apply arrive_held | apply goes_held]. }
      destruct Y as (s1 & Y & Q); exists [m], s1; split; [cbn [Reference.replay]; rewrite Y; reflexivity | exact Q].
  Qed.
  Lemma emptied : forall n s v, held s v = n -> exists l s', replay sc s l = Some s' /\ held s' v = 0 /\ queue s' = queue s.
  Proof.
    induction n as [|n IH]; intros s v E; [exists [], s; auto|].
    destruct (IH (Reference.set_held channel node header same_node s v (held s v - 1)) v) as (l & s' & R & D).
    { cbn; destruct (same_node v v); [lia | contradiction]. }
    exists (Consume _ _ _ v :: l), s'; split; [|exact D]; cbn [Reference.replay Reference.apply]; rewrite E in *; exact R.
  Qed.
  Lemma replay_app : forall x l l' s s', replay x s l = Some s' -> replay x s (l ++ l') = replay x s' l'.
  Proof.
    intros x; induction l as [|m l IH]; intros l' s s' E; cbn in *; [injection E as ->; reflexivity|].
    destruct (apply x s m) as [s1|]; [exact (IH l' s1 s' E) | discriminate].
  Qed.
  (* And what is done there can be done with finite sinks, which are emptied first. *)
  Lemma from_drained : forall m s s0 s1, queue s = queue s0 -> apply drained s0 m = Some s1 ->
    exists l s', replay sc s l = Some s' /\ queue s' = queue s1.
  Proof.
    intros m s [q0 h0] s1 E X; destruct (consumes m) eqn:C.
    - destruct m as [| | | |v]; try discriminate; cbn [Reference.apply Reference.held] in X; destruct (0 <? h0 v); [|discriminate]; injection X as <-.
      exists [], s; split; [reflexivity | exact E].
    - assert (Y : (forall p k w, m <> Advance _ _ _ p k w) -> exists l s', replay sc s l = Some s' /\ queue s' = queue s1).
      { intro Na; destruct s as [q h]; cbn in E; subst q; pose proof (move_held m q0 h h0 C (fun p k w Em => match Na p k w Em with end)) as M.
        rewrite X in M; destruct (apply sc (state_of q0 h) m) as [s'|] eqn:A; [|discriminate]; cbn in M; injection M as M.
        exists [m], s'; split; [cbn [Reference.replay]; rewrite A; reflexivity | exact M]. }
      destruct m as [p k w|c k w|v c k|v c k|v]; [clear Y | apply Y; discriminate ..].
      destruct (emptied _ s (Reference.node_of channel node head p) eq_refl) as (l & [q h] & R & Hd & Q); cbn in Q; rewrite E in Q; cbn in Q; subst q.
      assert (Y : exists s', apply sc (state_of q0 h) (Advance _ _ _ p k w) = Some s' /\ queue s' = queue s1).
      { cbn [Reference.apply] in *; unfold Reference.advance in *; destruct (row p k) as [r|]; [|discriminate].
        destruct (Reference.find_hop _ _ _ _ r w) as [x|]; [|discriminate]; match type of X with (if ?b then _ else _) = _ => destruct b eqn:W end; [|discriminate].
        apply andb_true_iff in W; destruct W as [W A]; pose proof (accepts_emptied q0 h h0 p x Hd A) as A'.
        change (Reference.waits_at channel node header same_header (state_of q0 h0) p k) with
          (Reference.waits_at channel node header same_header (state_of q0 h) p k) in W; rewrite W, A'; cbn [andb].
        eexists; split; [reflexivity|]; injection X as <-; cbv zeta; destruct p as [v|c]; [apply arrive_held | apply goes_held]. }
      destruct Y as (s' & Y & Q); exists (l ++ [Advance _ _ _ p k w]), s'; split; [|exact Q].
      rewrite (replay_app sc l _ s _ R); cbn [Reference.replay]; rewrite Y; reflexivity.
  Qed.

  Lemma all_to_drained : forall l s s0 s', queue s0 = queue s -> replay sc s l = Some s' ->
    exists l' s1, replay drained s0 l' = Some s1 /\ queue s1 = queue s'.
  Proof.
    induction l as [|m l IH]; intros s s0 s' E R; cbn in R; [injection R as <-; exists [], s0; auto|].
    destruct (apply sc s m) as [s2|] eqn:X; [|discriminate]; destruct (to_drained m s s0 s2 E X) as (l1 & s1 & R1 & E1).
    destruct (IH s2 s1 s' E1 R) as (l2 & s3 & R2 & E2); exists (l1 ++ l2), s3; split; [rewrite (replay_app drained l1 _ s0 s1 R1); exact R2 | exact E2].
  Qed.
  Lemma all_from_drained : forall l s s0 s1, queue s = queue s0 -> replay drained s0 l = Some s1 ->
    exists l' s', replay sc s l' = Some s' /\ queue s' = queue s1.
  Proof.
    induction l as [|m l IH]; intros s s0 s1 E R; cbn in R; [injection R as <-; exists [], s; auto|].
    destruct (apply drained s0 m) as [s2|] eqn:X; [|discriminate]; destruct (from_drained m s s0 s2 E X) as (l1 & s3 & R1 & E1).
    destruct (IH s3 s2 s1 E1 R) as (l2 & s' & R2 & E2); exists (l1 ++ l2), s'; split; [rewrite (replay_app sc l1 _ s s3 R1); exact R2 | exact E2].
  Qed.

  Definition can_empty x := forall l s, replay x nothing l = Some s -> exists l' s', replay x s l' = Some s' /\ forall c, queue s' c = [].
  Theorem sinks_drain : can_empty drained -> can_empty sc.
  Proof.
    intros H l s R; destruct (all_to_drained l nothing nothing s eq_refl R) as (l1 & s1 & R1 & E1).
    destruct (H l1 s1 R1) as (l2 & s2 & R2 & Em); destruct (all_from_drained l2 s s1 s2 (eq_sym E1) R2) as (l' & s' & R' & E').
    exists l', s'; split; [exact R' | rewrite E'; exact Em].
  Qed.
  Theorem sinks_never_stuck : can_empty drained -> forall l s c, replay sc nothing l = Some s ->
    ~ forall l' s', replay sc s l' = Some s' -> exists p behind, queue s' c = p :: behind.
  Proof.
    intros H l s c R K; destruct (sinks_drain H l s R) as (l' & s' & R' & Em); destruct (K l' s' R') as (p & b & Q); rewrite Em in Q; discriminate.
  Qed.
End Sinks.
