(* A step for packets that hold several channels, and why ranks mean that they do not wait for each other.

   A packet holds channels, head first. It is injected into a free channel, its head takes a hop into a free channel, it lets
   go of its last channel, it leaves from where it has arrived, or is discarded at a dead end. A channel is free if no packet
   holds it.
   Proved: every packet of a reachable state is one of Wormhole.v's ([worm_sound]), and no two hold the same channel
   ([worm_once]). If no set of those waits for itself, no packets of a reachable state wait only for each other
   ([worm_no_deadlock]). Packets let go whenever they like, so the states of packets of any length are among these.
   If channels have ranks as there, below all that a packet may hold, then from every reachable state some steps without
   injection lead to the empty network ([worm_drains]); so no packet is stuck for good ([wormhole_never_stuck]). Nothing has
   to be let go on the way. But this statement is weak: where packets can let go of all but the channels of their heads, those
   that wait for the channels behind can go on. So it does not exclude what [worm_no_deadlock] excludes, and would follow
   from ranks for whole packets. Flits.v has the conclusion for packets that let go as their flits move.
   Assumed: a channel has flits of one packet at a time; every hop leads to a site that has an alternative; it can be told
   whether an alternative has a hop; sinks drain. Not proved: that every packet does move. Flits are not counted here;
   Flits.v has the step that counts them. *)
Require Import List Arith Lia Packets Wormhole.
Import ListNotations.

Section WormStep.
  Variable N : network.
  Notation set := (hop (site N) -> Prop).
  Hypothesis full : has_alternatives N.
  Hypothesis decided : forall s a, reached N s -> alternative N s a -> (exists h, a h) \/ forall h, ~ a h.

  (* The channels that a packet holds, the site where its head waits, and what it is committed to. *)
  Definition packet := (list (channel N) * (site N * set))%type.
  Definition state := list packet.
  Definition free (st : state) (c : channel N) := forall p, In p st -> ~ In c (fst p).

  Inductive step : state -> state -> Prop :=
  | inject : forall st s (a : set), injected N s -> alternative N s a -> free st (at_ N s) -> step st (([at_ N s], (s, a)) :: st)
  | advance : forall (before after : state) l s (a : set) t (b : set), a (Go t) -> alternative N t b ->
      free (before ++ (l, (s, a)) :: after) (at_ N t) ->
      step (before ++ (l, (s, a)) :: after) (before ++ (at_ N t :: l, (t, b)) :: after)
  | let_go : forall (before after : state) l c s (a : set), l <> [] ->
      step (before ++ (l ++ [c], (s, a)) :: after) (before ++ (l, (s, a)) :: after)
  | leave : forall (before after : state) l s (a : set), a Leave -> step (before ++ (l, (s, a)) :: after) (before ++ after)
  | discard : forall (before after : state) l s (a : set), (forall h, ~ a h) -> step (before ++ (l, (s, a)) :: after) (before ++ after).

  Inductive steps : state -> state -> Prop :=
  | steps_none : forall st, steps st st
  | steps_more : forall st st' st'', step st st' -> steps st' st'' -> steps st st''.
  Definition reachable (st : state) := steps [] st.

  Lemma steps_trans : forall st st' st'', steps st st' -> steps st' st'' -> steps st st''.
  Proof. intros st st' st'' H K; induction H as [|x y z Hxy _ IH]; [exact K | exact (steps_more _ _ _ Hxy (IH K))]. Qed.

  Definition sound (st : state) := forall l s a, In (l, (s, a)) st -> worm N l s a.
  Definition held (st : state) := concat (map fst st).

  Lemma step_sound : forall st st', sound st -> step st st' -> sound st'.
  Proof.
    intros st st' H K; destruct K as [st s a Hi Ha _ | before after l s a t b Ht Hb _ | before after l c s a Hne
                                     | before after l s a _ | before after l s a _]; intros l' s' a' Hin.
    - destruct Hin as [E|Hin]; [injection E as <- <- <-; exact (worm_first N s a Hi Ha) | exact (H _ _ _ Hin)].
    - apply in_app_or in Hin; destruct Hin as [Hin|[E|Hin]]; [apply H, in_or_app; auto | | apply H, in_or_app; right; right; exact Hin].
      injection E as <- <- <-; apply (worm_next N l s a t b); [apply H, in_or_app; right; left; reflexivity | exact Ht | exact Hb].
    - apply in_app_or in Hin; destruct Hin as [Hin|[E|Hin]]; [apply H, in_or_app; auto | | apply H, in_or_app; right; right; exact Hin].
      injection E as <- <- <-; apply (worm_tail N l c); [apply H, in_or_app; right; left; reflexivity | exact Hne].
    - apply H, in_or_app; apply in_app_or in Hin; destruct Hin; [left | right; right]; assumption.
    - apply H, in_or_app; apply in_app_or in Hin; destruct Hin; [left | right; right]; assumption.
  Qed.

  Theorem worm_sound : forall st, reachable st -> sound st.
  Proof.
    intros st H; unfold reachable in H; assert (H0 : sound []) by (intros l s a []).
    induction H as [|x y z K _ IH]; [exact H0 | exact (IH (step_sound x y H0 K))].
  Qed.

  (* Packets that wait only for each other: none may leave, and each hop of each leads into a channel that one of them holds. *)
  Definition deadlock (st : state) := exists waiters : state, waiters <> [] /\ incl waiters st /\
    forall l s a, In (l, (s, a)) waiters -> (exists h, a h) /\ ~ a Leave /\
      forall t, a (Go t) -> exists p, In p waiters /\ In (at_ N t) (fst p).

  Theorem worm_no_deadlock : (forall W, ~ stuck_worms N W) -> forall st, reachable st -> ~ deadlock st.
  Proof.
    intros H st R (w & Ne & I & K); apply (H (fun l s a => In (l, (s, a)) w)); split.
    - destruct w as [|[l [s a]] w]; [contradiction | exists l, s, a; left; reflexivity].
    - intros l s a Hw; destruct (K l s a Hw) as (Hh & Hl & Hn); split; [exact (worm_sound st R l s a (I _ Hw)) | split; [exact Hh | split; [exact Hl|]]].
      intros t Ht; destruct (Hn t Ht) as ([l' [s' a']] & Hp & Hc); exists l', s', a'; split; [exact Hp | exact Hc].
  Qed.

  Lemma held_app : forall x y, held (x ++ y) = held x ++ held y.
  Proof. intros x y; unfold held; rewrite map_app; apply concat_app. Qed.
  Lemma free_held : forall st c, free st c -> ~ In c (held st).
  Proof.
    intros st c H K; apply in_concat in K; destruct K as (l & Hl & Hc); apply in_map_iff in Hl; destruct Hl as (p & <- & Hp).
    exact (H p Hp Hc).
  Qed.
  Lemma once_without : forall x (y z : list (channel N)), NoDup (x ++ y ++ z) -> NoDup (x ++ z).
  Proof. intros x y z; induction y as [|c y IH]; intro H; [exact H | exact (IH (NoDup_remove_1 _ _ _ H))]. Qed.

  Lemma step_once : forall st st', NoDup (held st) -> step st st' -> NoDup (held st').
  Proof.
    intros st st' H K; destruct K as [st s a _ _ Hf | before after l s a t b _ _ Hf | before after l c s a _
                                     | before after l s a _ | before after l s a _].
    - constructor; [exact (free_held st _ Hf) | exact H].
    - pose proof (free_held _ _ Hf) as Hn; rewrite held_app in *; unfold held in *; cbn in *.
      apply NoDup_Add with (a := at_ N t) (l := concat (map fst before) ++ l ++ concat (map fst after)).
      + apply Add_app.
      + split; assumption.
    - rewrite held_app in *; unfold held in *; cbn in *; rewrite <- app_assoc in H.
      rewrite app_assoc in *; exact (NoDup_remove_1 _ _ _ H).
    - rewrite held_app in *; unfold held in *; cbn in *; exact (once_without _ _ _ H).
    - rewrite held_app in *; unfold held in *; cbn in *; exact (once_without _ _ _ H).
  Qed.

  Theorem worm_once : forall st, reachable st -> NoDup (held st).
  Proof.
    intros st H; unfold reachable in H; assert (H0 : NoDup (held [])) by constructor.
    induction H as [|x y z K _ IH]; [exact H0 | exact (IH (step_once x y H0 K))].
  Qed.

  Section Ranked.
    Variable rank : channel N -> nat.
    Hypothesis ranks : escapes N rank.

    (* One packet holds a channel that ranks at most as high as all others that are held. *)
    Lemma lowest_packet : forall st, sound st -> st <> [] -> exists before p after c,
      st = before ++ p :: after /\ In c (fst p) /\ forall d, In d (held st) -> rank c <= rank d.
    Proof.
      assert (least : forall l : list (channel N), l <> [] -> exists c, In c l /\ forall d, In d l -> rank c <= rank d).
      { induction l as [|c l IH]; intro H; [contradiction|].
        destruct l as [|d l]; [exists c; split; [left; reflexivity | intros e [<-|[]]; lia]|].
        destruct IH as (e & He & Hmin); [discriminate|]; destruct (le_lt_dec (rank c) (rank e)).
        - exists c; split; [left; reflexivity | intros f [<-|Hf]; [lia | specialize (Hmin f Hf); lia]].
        - exists e; split; [right; exact He | intros f [<-|Hf]; [lia | exact (Hmin f Hf)]]. }
      intros st H Hne; destruct (least (held st)) as (c & Hc & Hmin).
      - destruct st as [|[l [s a]] st]; [contradiction|]; pose proof (worm_nonempty N l s a (H _ _ _ (or_introl eq_refl))) as L.
        destruct l; [contradiction | discriminate].
      - pose proof Hc as K; apply in_concat in K; destruct K as (l & Hl & K); apply in_map_iff in Hl; destruct Hl as (p & <- & Hp).
        apply in_split in Hp; destruct Hp as (before & after & E); exists before, p, after, c; auto.
    Qed.

    (* That packet goes on until it is out, as its escapes are free. *)
    Lemma lowest_leaves : forall n before after l s a c, rank c < n -> In c l -> sound (before ++ (l, (s, a)) :: after) ->
      (forall d, In d (held (before ++ (l, (s, a)) :: after)) -> rank c <= rank d) ->
      steps (before ++ (l, (s, a)) :: after) (before ++ after).
    Proof.
      induction n as [|n IH]; intros before after l s a c Hn Hc H Hmin; [lia|].
      assert (Hw : worm N l s a) by (apply H, in_or_app; right; left; reflexivity).
      destruct (worm_site N l s a Hw) as [Hs Ha].
      destruct (decided s a Hs Ha) as [Hh|Hno]; [|eapply steps_more; [apply discard; exact Hno | apply steps_none]].
      destruct (ranks l s a Hw Hh) as [Hl | (t & Ht & Hlow)]; [eapply steps_more; [apply leave; exact Hl | apply steps_none]|].
      destruct (full s a t Hs Ha Ht) as [b Hb].
      assert (K : step (before ++ (l, (s, a)) :: after) (before ++ (at_ N t :: l, (t, b)) :: after)).
      { apply advance; [exact Ht | exact Hb|]; intros p Hp Hin.
        assert (Hd : In (at_ N t) (held (before ++ (l, (s, a)) :: after))).
        { apply in_concat; exists (fst p); split; [apply in_map; exact Hp | exact Hin]. }
        specialize (Hmin _ Hd); specialize (Hlow c Hc); lia. }
      eapply steps_more; [exact K|]; apply (IH before after _ _ _ (at_ N t)).
      - specialize (Hlow c Hc); lia.
      - left; reflexivity.
      - exact (step_sound _ _ H K).
      - intros d Hd; rewrite held_app in *; unfold held in *; cbn in *.
        apply in_app_or in Hd; destruct Hd as [Hd|[<-|Hd]]; [| apply le_n |];
          (assert (rank c <= rank d); [apply Hmin, in_or_app; auto | specialize (Hlow c Hc); lia]).
    Qed.

    Theorem worm_drains : forall st, reachable st -> steps st [].
    Proof.
      intros st H; apply worm_sound in H; remember (length st) as m eqn:E; revert st H E.
      induction m as [|m IH]; intros st H E; [destruct st; [apply steps_none | discriminate]|].
      destruct (lowest_packet st H) as (before & [l [s a]] & after & c & -> & Hc & Hmin); [intros ->; discriminate|].
      apply (steps_trans _ (before ++ after)); [exact (lowest_leaves (S (rank c)) _ _ _ _ _ c (Nat.lt_succ_diag_r _) Hc H Hmin)|].
      apply IH.
      - intros l' s' a' Hin; apply H, in_or_app; apply in_app_or in Hin; destruct Hin; [left | right; right]; assumption.
      - rewrite app_length in *; cbn in E; lia.
    Qed.

    Theorem wormhole_never_stuck : forall st s a, reachable st ->
      ~ forall st', steps st st' -> exists l, In (l, (s, a)) st'.
    Proof. intros st s a H K; destruct (K [] (worm_drains st H)) as (l & []). Qed.
  End Ranked.
End WormStep.
