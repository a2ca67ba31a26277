(* Packets of several flits in the step of Reference.v, and why ranks mean that none of them is stuck for good.

   Proved: every state that the moves reach shows packets of Wormhole.v, each in channels of its own ([shows_replay]). If
   channels have ranks as there, below all that a packet may hold, then from every such state some moves lead to the empty
   network ([flits_drain]): the packet in the lowest channel goes on until its head is out, and all its flits follow. So no
   channel is held for good ([flits_never_stuck]), and no trace is to a deadlock ([no_flit_deadlock]).
   Wormhole.v has the ranks: a certificate of kind rank or extended-escape gives them ([lowered_escapes], [held_escapes]).
   For packets of a fixed length or of any, in buffers of one flit or more, whose flits move one by one ([elastic]) or which
   shift as a whole ([rigid]: then each channel of a packet has one flit).
   Assumed: a channel has flits of one packet at a time; tables list every site that a hop leads to and have no dead end;
   sinks drain. Not proved: the same for shared channels (Scenario.Shared); that every packet does move. *)
Require Import List Arith Lia Bool Packets Wormhole Reference StuckFlits.
Import ListNotations.

Section Flits.
  Variable channel node header : Type.
  Hypothesis same : forall c d : channel, {c = d} + {c <> d}.
  Hypothesis same_header : forall h k : header, {h = k} + {h <> k}.
  Hypothesis same_node : forall v w : node, {v = w} + {v <> w}.
  Variable channels : list channel.
  Variable tail : channel -> node.
  Variable head : channel -> node.
  Variable row : Reference.place channel node -> header -> option (list (Reference.hop channel header)).
  Variable sc : scenario.
  Hypothesis all_channels : forall c, List.In c channels.
  Hypothesis of_flits : atomic sc = true.
  Hypothesis buffers : 1 <= capacity sc.
  Hypothesis drains_at_once : sink sc = 0.
  Hypothesis listed : forall p h r x c k, row p h = Some r -> List.In x r -> to x = Into c k -> row (Inside c) k <> None.
  Notation piece := (Reference.piece channel header).
  Notation state := (Reference.state channel node header).
  Notation fed := (Reference.fed channel node header same channels).
  Notation set_queue := (Reference.set_queue channel node header same).
  Notation apply := (Reference.apply channel node header same same_header same_node channels tail head row sc).
  Notation replay := (Reference.replay channel node header same same_header same_node channels tail head row sc).
  Notation nothing := (Reference.nothing channel node header).
  Notation leave_from := (Reference.leave_from channel node header same channels sc).
  Notation give_up := (Reference.give_up channel node header same).
  Notation into := (StuckFlits.into channel node header).
  Notation tidy := (StuckFlits.tidy channel node header).
  Notation only := (StuckFlits.only channel node header).
  Notation flits_at := (StuckFlits.flits_at channel node header).
  Notation N := (Reference.network_of channel node header same same_header row).
  Notation offers := (Reference.offers channel node header row).

  Lemma tidy_apply : forall s m s', tidy s -> apply s m = Some s' -> tidy s'.
  Proof.
    intros s m s' T E; apply (StuckFlits.holds_tidy _ _ _ row sc [] s').
    apply (StuckFlits.holds_apply _ _ _ same same_header same_node channels tail head row sc all_channels of_flits [] s m s'); [|exact E].
    split; [exact T | intros c [] | intros c p []].
  Qed.
  Lemma piece_in : forall s c, tidy s -> queue s c <> [] -> exists p, queue s c = [p].
  Proof. intros s c T Q; destruct (StuckFlits.one _ _ _ s c T) as [E|E]; [contradiction | exact E]. Qed.
  Lemma set_only : forall s c q, only s (set_queue s c q) c.
  Proof. exact (StuckFlits.set_only _ _ _ same). Qed.
  Lemma set_at : forall s c q, queue (set_queue s c q) c = q.
  Proof. exact (StuckFlits.set_at _ _ _ same). Qed.

  (* ---- lists without duplicates ---- *)

  Lemma nodup_app : forall (a b : list channel), NoDup (a ++ b) <-> NoDup a /\ NoDup b /\ forall c, In c a -> ~ In c b.
  Proof.
    induction a as [|x a IH]; intro b; cbn; [split; [intro H; split; [constructor | auto] | tauto]|]; split.
    - intro H; inversion H as [|? ? X Y]; subst; apply IH in Y; destruct Y as (Y1 & Y2 & Y3); split; [|split; [exact Y2|]].
      + constructor; [intro Z; apply X, in_or_app; auto | exact Y1].
      + intros c [<-|Z]; [intro U; apply X, in_or_app; auto | exact (Y3 c Z)].
    - intros (H & K & D); inversion H as [|? ? X Y]; subst; constructor.
      + intro Z; apply in_app_or in Z; destruct Z as [Z|Z]; [contradiction | exact (D x (or_introl eq_refl) Z)].
      + apply IH; split; [exact Y | split; [exact K | intros c Z; exact (D c (or_intror Z))]].
  Qed.

  (* ---- packets and the channels that they hold ---- *)

  Definition last_here (p : piece) := forall d k, gone p <> Some (Into d k).
  (* The channels of one packet, the last one first; its head waits in the first, or has left the network from there. *)
  Fixpoint run (s : state) (X : list channel) : Prop :=
    match X with
    | [] => True
    | x :: R => exists p, queue s x = [p] /\
        match R with [] => last_here p | y :: _ => (exists k, gone p = Some (Into y k)) /\ run s R end
    end.
  (* Nobody feeds its last channel; where its head waits, it is there, and the packet is one of Wormhole.v's. *)
  Definition body (s : state) (X : list channel) :=
    run s X /\ (forall x R b, X = x :: R -> ~ into s b x) /\
    (forall A e p, X = A ++ [e] -> queue s e = [p] -> gone p = None ->
       0 < flits p /\ worm N (rev X) (e, name p) (offers (e, name p))).
  Record shows (s : state) (W : list (list channel)) : Prop := {
    shows_tidy : tidy s;
    shows_once : NoDup (concat W);
    shows_all : forall c, In c (concat W) <-> queue s c <> [];
    shows_body : forall X, In X W -> body s X }.

  Lemma run_one : forall s X x, run s X -> In x X -> exists p, queue s x = [p].
  Proof.
    intros s X x; induction X as [|y R IH]; intros H []; destruct H as (p & Q & H).
    - subst y; eauto.
    - destruct R as [|z R]; [destruct H0 | exact (IH (proj2 H) H0)].
  Qed.
  Lemma run_end : forall s A x R, run s (A ++ x :: R) -> run s (x :: R).
  Proof.
    intros s A x R; induction A as [|a A IH]; intro H; [exact H|]; apply IH; destruct H as (p & _ & H).
    destruct A as [|b A]; cbn [app] in *; exact (proj2 H).
  Qed.
  Lemma run_at : forall s X x p, run s X -> In x X -> queue s x = [p] ->
    (exists A, X = A ++ [x] /\ last_here p) \/ exists A y R k, X = A ++ x :: y :: R /\ gone p = Some (Into y k).
  Proof.
    intros s X x p H K Q; apply in_split in K; destruct K as (A & R & ->); apply run_end in H; destruct H as (p' & Q' & H).
    rewrite Q in Q'; injection Q' as <-; destruct R as [|y R]; [left; eauto|].
    right; destruct H as ((k & G) & _); exists A, y, R, k; auto.
  Qed.
  Lemma run_fed : forall s x y R, run s (y :: R) -> In x (y :: R) -> x = y \/ exists b, In b (y :: R) /\ into s b x.
  Proof.
    intros s x y R; revert y; induction R as [|z R IH]; intros y H [->|K]; auto; [destruct K|].
    destruct H as (p & Q & (k & G) & H); right; destruct (IH z H K) as [->|(b & B & I)].
    - exists y; split; [left; reflexivity | exists p, [], k; auto].
    - exists b; split; [right; exact B | exact I].
  Qed.
  (* What a piece does next is the same. *)
  Definition goes (s s' : state) (x : channel) := forall p, queue s x = [p] -> exists p', queue s' x = [p'] /\
    forall d k, gone p = Some (Into d k) <-> gone p' = Some (Into d k).
  Lemma run_goes : forall s s' X, run s X -> (forall x, In x X -> goes s s' x) -> run s' X.
  Proof.
    intros s s' X; induction X as [|x R IH]; intros H K; [exact I|]; destruct H as (p & Q & H).
    destruct (K x (or_introl eq_refl) p Q) as (p' & Q' & G); exists p'; split; [exact Q'|].
    destruct R as [|y R].
    - intros d k E; apply G in E; exact (H d k E).
    - destruct H as ((k & E) & H); split; [exists k; apply G; exact E | apply IH; [exact H | intros z Hz; apply K; right; exact Hz]].
  Qed.
  Lemma goes_same : forall s s' x, queue s' x = queue s x -> goes s s' x.
  Proof. intros s s' x E p Q; exists p; rewrite E; split; [exact Q | tauto]. Qed.

  Lemma body_goes : forall s s' X, body s X -> (forall x, In x X -> goes s s' x) ->
    (forall a x, In x X -> into s' a x -> into s a x) ->
    (forall e p', In e X -> queue s' e = [p'] -> gone p' = None ->
       exists p, queue s e = [p] /\ gone p = None /\ name p' = name p /\ flits p <= flits p') -> body s' X.
  Proof.
    intros s s' X (R & U & H) G F K; split; [exact (run_goes s s' X R G) | split].
    - intros x Y b E I; apply (U x Y b E); apply F; [rewrite E; left; reflexivity | exact I].
    - intros A e p' E Q E'; destruct (K e p') as (p & Q0 & G0 & N0 & F0); [rewrite E; apply in_or_app; right; left; reflexivity | exact Q | exact E' |].
      destruct (H A e p E Q0 G0) as [H1 H2]; rewrite N0; split; [lia | exact H2].
  Qed.

  (* One packet changes: it holds X' for X, of which D is new. *)
  Lemma shows_next : forall s s' A X X' B D, shows s (A ++ X :: B) -> tidy s' ->
    (forall c, ~ In c X -> ~ In c D -> queue s' c = queue s c) -> (forall d, In d D -> queue s d = []) ->
    (forall a x, ~ In a X -> into s' a x -> into s a x) -> (forall a x, In a X -> into s' a x -> In x X \/ In x D) ->
    NoDup X' -> incl X' (X ++ D) -> (forall c, In c (X ++ D) -> (In c X' <-> queue s' c <> [])) -> body s' X' ->
    shows s' (A ++ X' :: B).
  Proof.
    intros s s' A X X' B D H T O Dn Ia Ib ND Inc Mem Bd.
    assert (E : forall Z, concat (A ++ Z :: B) = concat A ++ Z ++ concat B) by (intro Z; rewrite concat_app; reflexivity).
    pose proof (shows_once _ _ H) as ND0; rewrite E in ND0; apply nodup_app in ND0; destruct ND0 as (N1 & N2 & N3).
    apply nodup_app in N2; destruct N2 as (N4 & N5 & N6).
    assert (Dout : forall d, In d D -> ~ In d (concat (A ++ X :: B))).
    { intros d K L; apply (shows_all _ _ H) in L; exact (L (Dn d K)). }
    assert (Far : forall c, In c (concat A) \/ In c (concat B) -> ~ In c X /\ ~ In c D).
    { intros c K; split; intro L.
      - destruct K as [K|K]; [exact (N3 c K (in_or_app _ _ _ (or_introl L))) | exact (N6 c L K)].
      - apply (Dout c L); rewrite E; apply in_or_app; destruct K as [K|K]; [left; exact K | right; apply in_or_app; right; exact K]. }
    split; [exact T | | |].
    - rewrite E; apply nodup_app; split; [exact N1 | split].
      + apply nodup_app; split; [exact ND | split; [exact N5|]]; intros c K L; destruct (Far c (or_intror L)) as [F1 F2].
        apply Inc, in_app_or in K; destruct K; contradiction.
      + intros c K L; destruct (Far c (or_introl K)) as [F1 F2]; apply in_app_or in L; destruct L as [L|L].
        * apply Inc, in_app_or in L; destruct L; contradiction.
        * apply (N3 c K), in_or_app; auto.
    - intro c; rewrite E; destruct (in_dec same c (X ++ D)) as [K|K].
      + rewrite <- (Mem c K); split.
        * intro L; apply in_app_or in L; destruct L as [L|L]; [|apply in_app_or in L; destruct L as [L|L]; [exact L|]].
          -- destruct (Far c (or_introl L)); apply in_app_or in K; destruct K; contradiction.
          -- destruct (Far c (or_intror L)); apply in_app_or in K; destruct K; contradiction.
        * intro L; apply in_or_app; right; apply in_or_app; auto.
      + assert (K1 : ~ In c X) by (intro; apply K, in_or_app; auto); assert (K2 : ~ In c D) by (intro; apply K, in_or_app; auto).
        rewrite (O c K1 K2), <- (shows_all _ _ H), E, !in_app_iff; split; [intros [L|[L|L]]; auto; apply Inc in L; contradiction | tauto].
    - intros Y K; apply in_app_or in K; destruct K as [K|[<-|K]]; [| exact Bd |].
      all: assert (HY : forall c, In c Y -> ~ In c X /\ ~ In c D)
        by (intros c L; apply Far; first [left; apply in_concat; eauto; fail | right; apply in_concat; eauto; fail]).
      all: assert (BY : body s Y) by (apply (shows_body _ _ H), in_or_app; cbn; tauto).
      all: apply (body_goes s s' Y BY);
        [ intros x L; destruct (HY x L); apply goes_same, O; assumption
        | intros a x L I; destruct (HY x L) as [F1 F2]; destruct (in_dec same a X) as [M|M];
          [destruct (Ib a x M I); contradiction | exact (Ia a x M I)]
        | intros e p' L Q G; destruct (HY e L) as [F1 F2]; exists p'; rewrite <- (O e F1 F2); auto ].
  Qed.

  Lemma once_in : forall s A X B, shows s (A ++ X :: B) -> NoDup X /\ body s X /\ tidy s /\ forall c, In c X -> queue s c <> [].
  Proof.
    intros s A X B H; assert (K : In X (A ++ X :: B)) by (apply in_or_app; right; left; reflexivity); split; [|split; [|split]].
    - pose proof (shows_once _ _ H) as D; rewrite concat_app in D; apply nodup_app in D; destruct D as (_ & D & _).
      cbn in D; apply nodup_app in D; exact (proj1 D).
    - exact (shows_body _ _ H X K).
    - exact (shows_tidy _ _ H).
    - intros c L; apply (shows_all _ _ H), in_concat; eauto.
  Qed.
  Lemma found : forall s W c, shows s W -> queue s c <> [] -> exists A X B, W = A ++ X :: B /\ In c X.
  Proof.
    intros s W c H Q; apply (shows_all _ _ H), in_concat in Q; destruct Q as (X & K & L); apply in_split in K; destruct K as (A & B & ->); eauto.
  Qed.
  (* Where a packet goes on, it goes on within its channels. *)
  Lemma into_within : forall s X a x, run s X -> In a X -> into s a x -> In x X.
  Proof.
    intros s X a x R K (p & q & k & Q & G); destruct (run_one s X a R K) as [p' Q']; rewrite Q' in Q; injection Q as -> _.
    destruct (run_at s X a p R K Q') as [(A & _ & L)|(A & y & R' & k' & -> & G')]; [destruct (L x k G)|].
    rewrite G in G'; injection G' as -> _; apply in_or_app; right; right; left; reflexivity.
  Qed.

  (* The piece in c has other flits, or has left the network. *)
  Lemma shows_reshape : forall s s' A X B c p p', shows s (A ++ X :: B) -> In c X -> only s s' c -> queue s c = [p] ->
    queue s' c = [p'] -> name p' = name p -> rest p' <= rest p ->
    (gone p' = gone p /\ (gone p = None -> flits p <= flits p') \/ gone p = None /\ gone p' <> None /\ last_here p') ->
    shows s' (A ++ X :: B) /\ tidy s'.
  Proof.
    intros s s' A X B c p p' H K O Q Q' Nm Rs G; destruct (once_in s A X B H) as (ND & Bd & T & Full).
    assert (Gx : forall d k, gone p = Some (Into d k) <-> gone p' = Some (Into d k)).
    { destruct G as [[G _]|(G1 & G2 & G3)]; [rewrite G; tauto|]; intros d k; rewrite G1; split; [discriminate | intro E; destruct (G3 d k E)]. }
    assert (Iff : forall a x, into s' a x -> into s a x).
    { intros a x (q & r & k & E & F); destruct (same a c) as [->|Z].
      - rewrite Q' in E; injection E as <- <-; exists p, [], k; split; [exact Q | apply Gx; exact F].
      - rewrite (O a Z) in E; exists q, r, k; auto. }
    assert (T' : tidy s').
    { apply (StuckFlits.tidy_mark _ _ _ same s s' c p p' T O Q Q' Rs); destruct G as [[G _]|(G1 & G2 & G3)]; [left; exact G|].
      right; intros d k E; destruct (G3 d k E). }
    split; [|exact T']; apply (shows_next s s' A X X B [] H T').
    - intros x Hx _; apply O; intros ->; contradiction.
    - intros d [].
    - intros a x _ I; exact (Iff a x I).
    - intros a x L I; left; exact (into_within s X a x (proj1 Bd) L (Iff a x I)).
    - exact ND.
    - rewrite app_nil_r; apply incl_refl.
    - intros x; rewrite app_nil_r; intro L; split; [|intros _; exact L]; intros _ E.
      destruct (same x c) as [->|Z]; [congruence | rewrite (O x Z) in E; exact (Full x L E)].
    - apply (body_goes s s' X Bd).
      + intros x L; destruct (same x c) as [->|Z]; [|exact (goes_same s s' x (O x Z))].
        intros q E; rewrite Q in E; injection E as <-; exists p'; split; [exact Q' | exact Gx].
      + intros a x _ I; exact (Iff a x I).
      + intros e q L E F; destruct (same e c) as [->|Z]; [|exists q; rewrite <- (O e Z); auto].
        rewrite Q' in E; injection E as <-; exists p; destruct G as [[G1 G2]|(G1 & G2 & _)]; [|contradiction].
        rewrite G1 in F; split; [exact Q | split; [exact F | split; [exact Nm | exact (G2 F)]]].
  Qed.

  (* A channel that nobody feeds is given up by the packet. *)
  Lemma shows_drop : forall s A X B c p, shows s (A ++ X :: B) -> In c X -> queue s c = [p] -> gone p <> None ->
    (forall b, ~ into s b c) -> exists R, X = c :: R /\ shows (set_queue s c []) (A ++ R :: B) /\ tidy (set_queue s c []).
  Proof.
    intros s A X B c p H K Q G U; destruct (once_in s A X B H) as (ND & Bd & T & Full).
    destruct X as [|y R]; [destruct K|]; destruct (run_fed s c y R (proj1 Bd) K) as [<-|(b & _ & I)]; [|destruct (U b I)].
    exists R; split; [reflexivity|]; set (s' := set_queue s c []).
    assert (T' : tidy s') by exact (StuckFlits.tidy_remove _ _ _ same s s' c T (set_only s c []) (set_at s c []) U).
    assert (Iff : forall a x, into s' a x -> into s a x /\ a <> c).
    { intros a x (q & r & k & E & F); destruct (same a c) as [->|Z].
      - unfold s' in E; rewrite set_at in E; discriminate.
      - unfold s' in E; rewrite (set_only s c [] a Z) in E; split; [exists q, r, k; auto | exact Z]. }
    inversion ND as [|? ? Nc ND']; subst; split; [|exact T']; apply (shows_next s s' A (c :: R) R B [] H T').
    - intros x Hx _; apply set_only; intros ->; apply Hx; left; reflexivity.
    - intros d [].
    - intros a x _ I; exact (proj1 (Iff a x I)).
    - intros a x L I; left; exact (into_within s _ a x (proj1 Bd) L (proj1 (Iff a x I))).
    - exact ND'.
    - intros x L; rewrite app_nil_r; right; exact L.
    - intros x; rewrite app_nil_r; intros [<-|L].
      + unfold s'; rewrite set_at; split; [contradiction | intro X; destruct (X eq_refl)].
      + unfold s'; rewrite set_only by (intros ->; contradiction); split; [intros _; apply Full; right; exact L | intros _; exact L].
    - assert (Same : forall x, In x R -> queue s' x = queue s x) by (intros x L; apply set_only; intros ->; contradiction).
      destruct Bd as (Rn & Un & Hd); destruct Rn as (p0 & Q0 & Rn); rewrite Q in Q0; injection Q0 as <-; split; [|split].
      + destruct R as [|z R]; [exact I|]; apply (run_goes s s' (z :: R) (proj2 Rn)); intros x L; apply goes_same, Same, L.
      + intros x Z b E I; destruct R as [|z R]; [discriminate|]; injection E as -> ->; destruct Rn as ((k & Gp) & _).
        destruct (Iff b x I) as [I' Ne]; apply Ne, (StuckFlits.one_feeder _ _ _ s T b c x I'); exists p, [], k; auto.
      + intros A0 e q E Qe Ge; rewrite (Same e) in Qe by (rewrite E; apply in_or_app; right; left; reflexivity).
        destruct (Hd (c :: A0) e q) as [H1 H2]; [rewrite E; reflexivity | exact Qe | exact Ge|]; split; [exact H1|].
        cbn [rev] in H2; apply (worm_tail N _ c); [exact H2|]; rewrite E, rev_app_distr; discriminate.
  Qed.

  (* Every channel that nobody feeds has a flit of its packet, or one still to come. *)
  Definition busy (s : state) (c : channel) := forall p, queue s c = [p] -> (forall b, ~ into s b c) -> 0 < flits p + rest p.
  Definition weigh (s : state) (c : channel) (n : nat) := list_sum (map (fun p => flits p * n + rest p * S n) (queue s c)).
  (* How many moves it takes to bring a packet out, at most. *)
  Fixpoint weight (s : state) (X : list channel) :=
    match X with [] => 0 | x :: R => weigh s x (length X) + weight s R end.
  Lemma weight_same : forall s s' X, (forall x, In x X -> queue s' x = queue s x) -> weight s' X = weight s X.
  Proof.
    intros s s' X; induction X as [|x R IH]; intro H; [reflexivity|]; cbn [weight]; unfold weigh.
    rewrite (H x (or_introl eq_refl)), IH; [reflexivity | intros y Y; apply H; right; exact Y].
  Qed.
  Lemma weight_app : forall s s' A R, (forall x, In x A -> queue s' x = queue s x) -> weight s' (A ++ R) + weight s R = weight s (A ++ R) + weight s' R.
  Proof.
    intros s s' A R; induction A as [|x A IH]; intro H; cbn [app weight]; [lia|]; unfold weigh.
    rewrite (H x (or_introl eq_refl)); specialize (IH (fun y Y => H y (or_intror Y))); cbn [length]; lia.
  Qed.

  Definition less (p : piece) : piece := {| name := name p; flits := flits p - 1; rest := rest p; gone := gone p |}.
  Lemma leave_elastic : forall s c p, elastic sc = true -> queue s c = [p] ->
    (leave_from s c = set_queue s c [less p] /\ (flits p - 1 = 0 -> rest p = 0 -> exists b, into s b c)) \/
    (leave_from s c = set_queue s c [] /\ flits p - 1 = 0 /\ rest p = 0 /\ forall b, ~ into s b c).
  Proof.
    intros s c p El Q; unfold Reference.leave_from, shifts; rewrite El; cbn [negb]; rewrite andb_false_r; cbn [andb]; rewrite Q.
    cbn [flits rest name gone]; destruct (fed s c) as [b|] eqn:F.
    - left; rewrite andb_false_r; split; [reflexivity|]; intros _ _; exists b; exact (StuckFlits.fed_into _ _ _ same channels s c b F).
    - rewrite andb_true_r; destruct ((flits p - 1 =? 0) && (rest p =? 0)) eqn:E.
      + right; apply andb_true_iff in E; destruct E as [E1 E2]; apply Nat.eqb_eq in E1; apply Nat.eqb_eq in E2.
        split; [reflexivity | split; [exact E1 | split; [exact E2|]]]; exact (StuckFlits.fed_none _ _ _ same channels all_channels s c F).
      + left; split; [reflexivity|]; intros E1 E2; rewrite E1, E2 in E; discriminate.
  Qed.

  Lemma shows_leave : forall s A X B c p, elastic sc = true -> shows s (A ++ X :: B) -> In c X -> queue s c = [p] -> gone p <> None -> 0 < flits p ->
    (forall x, x <> c -> busy s x) -> (forall y, into s c y -> exists q, queue s y = [q] /\ 0 < flits q) ->
    exists X', shows (leave_from s c) (A ++ X' :: B) /\ (X' = X /\ queue (leave_from s c) c = [less p] \/ X = c :: X') /\
      (forall x, busy (leave_from s c) x) /\ only s (leave_from s c) c /\
      forall C R, X = C ++ c :: R -> weight (leave_from s c) X' + S (length R) <= weight s X.
  Proof.
    intros s A X B c p El H K Q G F By Nx; destruct (once_in s A X B H) as (ND & _).
    destruct (leave_elastic s c p El Q) as [[E Z]|(E & Z1 & Z2 & Z3)]; rewrite E.
    - exists X; set (s' := set_queue s c [less p]).
      assert (P : shows s' (A ++ X :: B) /\ tidy s').
      { apply (shows_reshape s s' A X B c p (less p) H K (set_only s c _) Q (set_at s c _)); cbn; auto; left; split; [reflexivity | contradiction]. }
      assert (Iff : forall a x, into s a x -> into s' a x).
      { intros a x (q & r & k & D & M); destruct (same a c) as [->|Na].
        - rewrite Q in D; injection D as <- <-; exists (less p), [], k; split; [apply set_at | exact M].
        - exists q, r, k; split; [unfold s'; rewrite (set_only s c _ a Na); exact D | exact M]. }
      split; [exact (proj1 P) | split; [left; split; [reflexivity | apply set_at] | split; [|split; [apply set_only|]]]].
      + intros x q D U; destruct (same x c) as [->|Nx'].
        * unfold s' in D; rewrite set_at in D; injection D as <-; cbn.
          destruct (Nat.eq_dec (flits p - 1) 0) as [E1|]; [|lia]; destruct (Nat.eq_dec (rest p) 0) as [E2|]; [|lia].
          destruct (Z E1 E2) as [b I]; destruct (U b (Iff b c I)).
        * unfold s' in D; rewrite (set_only s c _ x Nx') in D; apply (By x Nx' q D); intros b I; exact (U b (Iff b x I)).
      + intros C R ->; apply NoDup_remove_2 in ND; assert (Qc : queue s' c = [less p]) by apply set_at.
        assert (Sm : forall x, In x C \/ In x R -> queue s' x = queue s x).
        { intros x L; apply set_only; intros ->; apply ND, in_or_app; exact L. }
        pose proof (weight_app s s' C (c :: R) (fun x L => Sm x (or_introl L))) as W.
        assert (W1 : weight s' (c :: R) + S (length R) <= weight s (c :: R)); [|lia].
        cbn [weight]; unfold weigh; rewrite Qc, Q, (weight_same s s' R (fun x L => Sm x (or_intror L))); cbn; nia.
    - destruct (shows_drop s A X B c p H K Q G Z3) as (R & EX & Sh & _); exists R; set (s' := set_queue s c []) in *.
      split; [exact Sh | split; [auto | split; [|split; [apply set_only|]]]].
      + intros x q D U; destruct (same x c) as [->|Nx']; [unfold s' in D; rewrite set_at in D; discriminate|].
        unfold s' in D; rewrite (set_only s c _ x Nx') in D; destruct (in_dec same x R) as [L|L].
        * (* in the packet: fed, or next *)
          destruct (once_in s A X B H) as (_ & (Rn & _) & _); rewrite EX in Rn.
          destruct (run_fed s x c R Rn (or_intror L)) as [->|(b & Lb & I)]; [contradiction|].
          destruct (same b c) as [->|Nb]; [destruct (Nx x I) as (q' & Q' & P'); rewrite Q' in D; injection D as <-; lia|].
          destruct I as (a0 & r0 & k0 & D0 & M0); destruct (U b); exists a0, r0, k0; split; [|exact M0].
          unfold s'; rewrite (set_only s c _ b Nb); exact D0.
        * apply (By x Nx' q D); intros b I; destruct (same b c) as [->|Nb].
          -- destruct (once_in s A X B H) as (_ & (Rn & _) & _); rewrite EX in Rn.
             destruct (into_within s (c :: R) c x Rn (or_introl eq_refl) I) as [->|]; contradiction.
          -- destruct I as (a0 & r0 & k0 & D0 & M0); apply (U b); exists a0, r0, k0; split; [|exact M0].
             unfold s'; rewrite (set_only s c _ b Nb); exact D0.
      + intros C R' EC; rewrite EX in *; inversion ND as [|? ? N1 N2]; subst.
        assert (R' = R) as ->.
        { destruct C as [|z C]; [injection EC; auto|]; injection EC as <- EC; destruct N1; rewrite EC; apply in_or_app; right; left; reflexivity. }
        cbn [weight]; unfold weigh; rewrite Q, (weight_same s s' R); [cbn; nia | intros x L; apply set_only; intros ->; contradiction].
  Qed.

  (* Where packets shift as a whole, each channel that one holds has one flit. *)
  Definition rigid (s : state) := elastic sc = false -> forall z p, queue s z = [p] -> flits p = 1.
  Definition lively (s : state) := (forall z, busy s z) /\ rigid s.
  (* What the flits that are left weigh less after a move: not if there is no end of them. *)
  Definition ended (s : state) (X : list channel) :=
    elastic sc = true \/ endless sc = false \/ forall x R q, X = x :: R -> queue s x = [q] -> rest q = 0.

  Lemma last_one_in : forall (z : channel) C R e, NoDup (e :: R) -> e :: R = z :: C -> In e C -> False.
  Proof. intros z C R e N E K; injection E as <- <-; inversion N; contradiction. Qed.

  Lemma end_first : forall s A x R B n Y c R', shows s (A ++ (x :: R) :: B) -> x :: R = Y ++ c :: R' -> length Y <= n ->
    Reference.back_from channel node header same channels s n c = x.
  Proof.
    intros s A x R B n; induction n as [|n IH]; intros Y c R' H E L; destruct (once_in s A _ B H) as (ND & Bd & T & _).
    - destruct Y; [injection E as -> _; reflexivity | cbn in L; lia].
    - cbn [Reference.back_from]; destruct Y as [|y Y].
      + injection E as <- _; destruct (fed s x) as [d|] eqn:F; [|reflexivity].
        destruct (proj1 (proj2 Bd) x R d eq_refl (StuckFlits.fed_into _ _ _ same channels s x d F)).
      + destruct (exists_last (l := y :: Y)) as (Y' & b & EY); [discriminate|]; rewrite EY in *.
        assert (I : into s b c).
        { pose proof (proj1 Bd) as Rn; rewrite E, <- app_assoc in Rn; apply run_end in Rn; destruct Rn as (p & Q & (k & G) & _); exists p, [], k; auto. }
        destruct (fed s c) as [d|] eqn:F; [|destruct (StuckFlits.fed_none _ _ _ same channels all_channels s c F b I)].
        rewrite (StuckFlits.one_feeder _ _ _ s T d b c (StuckFlits.fed_into _ _ _ same channels s c d F) I).
        apply (IH Y' b (c :: R') H); [rewrite E, <- app_assoc; reflexivity | rewrite app_length in L; cbn in L; lia].
  Qed.

  (* A flit leaves c for e, where the head is, or leaves the network; if packets shift, that is one flit less at their end. *)
  Lemma shows_left : forall s A Y e B c p, shows s (A ++ (Y ++ [e]) :: B) -> In c (Y ++ [e]) -> queue s c = [p] -> gone p <> None ->
    0 < flits p -> match gone p with Some (Into d _) => d = e | _ => c = e end ->
    (forall x, x <> c -> busy s x) -> (forall y, into s c y -> exists q, queue s y = [q] /\ 0 < flits q) -> rigid s ->
    exists z X', In z (Y ++ [e]) /\ (z = c \/ exists R, Y ++ [e] = z :: R) /\ shows (leave_from s c) (A ++ X' :: B) /\
      (X' = Y ++ [e] /\ (exists p0 p1, queue s z = [p0] /\ queue (leave_from s c) z = [p1] /\ gone p1 = gone p0) \/ Y ++ [e] = z :: X') /\
      lively (leave_from s c) /\ only s (leave_from s c) z /\ (ended s (Y ++ [e]) -> weight (leave_from s c) X' < weight s (Y ++ [e])).
  Proof.
    intros s A Y e B c p H K Q G F Me By Nx Rg; destruct (elastic sc) eqn:El.
    - destruct (shows_leave s A _ B c p El H K Q G F By Nx) as (X' & Sh & Ex & By' & O & Wt).
      exists c, X'; split; [exact K | split; [auto | split; [exact Sh | split; [|split; [|split; [exact O|]]]]]].
      + destruct Ex as [[-> Qx]|Ex]; [left; split; [reflexivity | exists p, (less p); auto] | auto].
      + split; [exact By' | intro; congruence].
      + intros _; apply in_split in K; destruct K as (C & R & E); specialize (Wt C R E); lia.
    - destruct (once_in s A _ B H) as (ND & Bd & T & Full); remember (Y ++ [e]) as X eqn:EX.
      destruct X as [|x R]; [destruct Y; discriminate|]; destruct (run_one s _ x (proj1 Bd) (or_introl eq_refl)) as [q Qx].
      pose proof (Rg El x q Qx) as F1.
      assert (U : forall b, ~ into s b x) by (intro b; exact (proj1 (proj2 Bd) x R b eq_refl)).
      assert (En : Reference.end_of channel node header same channels s e = x).
      { apply (end_first s A x R B _ Y e []); [exact H | exact EX|].
        assert (length (x :: R) <= length channels) by (apply NoDup_incl_length; [exact ND | intros z _; apply all_channels]).
        rewrite EX, app_length in H0; cbn in H0; lia. }
      assert (Lv : leave_from s c = if 0 <? rest q
        then set_queue s x [{| name := name q; flits := flits q; rest := if endless sc then rest q else rest q - 1; gone := gone q |}]
        else set_queue s x []).
      { unfold Reference.leave_from, shifts; rewrite El; unfold atomic in of_flits; apply andb_true_iff in of_flits; destruct of_flits as [Fw _].
        rewrite Fw; cbn [negb andb].
        assert (Ee : (match queue s c with {| gone := Some (Into d _) |} :: _ => d | _ => c end) = e).
        { rewrite Q; destruct p as [n f r [[d k| |]|]]; cbn in Me; congruence. }
        rewrite Ee, En, Qx; destruct (0 <? rest q) eqn:Rq; [reflexivity|]; cbv zeta; cbn [flits rest]; rewrite F1.
        apply Nat.ltb_ge in Rq; assert (rest q = 0) as -> by lia; cbn [Nat.sub Nat.eqb andb].
        destruct (fed s x) as [d|] eqn:Fd; [destruct (U d (StuckFlits.fed_into _ _ _ same channels s x d Fd)) | reflexivity]. }
      rewrite Lv; exists x; destruct (0 <? rest q) eqn:Rq.
      + apply Nat.ltb_lt in Rq; set (q' := Build_piece _ _ _ _ _ _); set (s' := set_queue s x [q']).
        assert (Rg' : forall z p0, queue s' z = [p0] -> flits p0 = 1).
        { intros z p0 M; destruct (same z x) as [->|Z]; [unfold s' in M; rewrite set_at in M; injection M as <-; exact F1|].
          unfold s' in M; rewrite (set_only s x _ z Z) in M; exact (Rg El z p0 M). }
        exists (x :: R); split; [left; reflexivity | split; [right; eauto | split; [|split; [|split; [|split; [apply set_only|]]]]]].
        * refine (proj1 (shows_reshape s s' A _ B x q q' H (or_introl eq_refl) (set_only s x _) Qx (set_at s x _) eq_refl _ _)).
          -- cbn; destruct (endless sc); lia.
          -- left; split; [reflexivity | intros _; cbn; lia].
        * left; split; [reflexivity | exists q, q'; split; [exact Qx | split; [apply set_at | reflexivity]]].
        * split; [intros z p0 M _; rewrite (Rg' z p0 M); lia | intros _; exact Rg'].
        * intros [X|[X|X]]; [congruence | | specialize (X x R q eq_refl Qx); lia].
          inversion ND as [|? ? N1 N2]; subst; cbn [weight]; unfold weigh; unfold s' at 1; rewrite set_at, Qx.
          rewrite (weight_same s s' R) by (intros z L; apply set_only; intros ->; contradiction).
          cbn [map list_sum fold_right q' flits rest]; rewrite X; nia.
      + apply Nat.ltb_ge in Rq; assert (R0 : rest q = 0) by lia.
        assert (Gq : gone q <> None).
        { destruct (run_at s _ x q (proj1 Bd) (or_introl eq_refl) Qx) as [(C & EC & L)|(C & y & R1 & k & _ & G')]; [|congruence].
          assert (x = e) as -> by (rewrite EX in EC; apply app_inj_tail in EC; symmetry; exact (proj2 EC)).
          assert (R = []) as -> by (destruct C as [|z C]; [injection EC; auto|]; exfalso; apply (last_one_in z (C ++ [e]) R e);
            [exact ND | exact EC | apply in_or_app; right; left; reflexivity]).
          destruct K as [<-|[]]; rewrite Q in Qx; injection Qx as <-; exact G. }
        destruct (shows_drop s A _ B x q H (or_introl eq_refl) Qx Gq U) as (R' & ER & Sh & _); injection ER as <-; set (s' := set_queue s x []) in *.
        assert (Rg' : forall z p0, queue s' z = [p0] -> flits p0 = 1).
        { intros z p0 M; destruct (same z x) as [->|Z]; [unfold s' in M; rewrite set_at in M; discriminate|].
          unfold s' in M; rewrite (set_only s x _ z Z) in M; exact (Rg El z p0 M). }
        exists R; split; [left; reflexivity | split; [right; eauto | split; [exact Sh | split; [auto | split; [|split; [apply set_only|]]]]]].
        * split; [intros z p0 M _; rewrite (Rg' z p0 M); lia | intros _; exact Rg'].
        * intros _; inversion ND as [|? ? N1 N2]; subst; cbn [weight]; unfold weigh; rewrite Qx.
          rewrite (weight_same s s' R) by (intros z L; apply set_only; intros ->; contradiction).
          cbn [map list_sum fold_right length]; rewrite F1; nia.
  Qed.

  (* ---- moves ---- *)

  Definition out (s : state) (X : list channel) :=
    forall A e, X = A ++ [e] -> exists p, queue s e = [p] /\ (gone p = Some Eject \/ gone p = Some Discard).
  Lemma last_one : forall c (Y X : list channel), NoDup (Y ++ [c]) -> Y ++ [c] = c :: X -> X = [].
  Proof.
    intros c Y X H E; destruct Y as [|y Y]; [injection E; auto|]; injection E as -> _; cbn in H; inversion H as [|? ? Z _]; subst.
    destruct Z; apply in_or_app; right; left; reflexivity.
  Qed.

  Lemma shows_create : forall s s' W c q, shows s W -> only s s' c -> queue s c = [] -> queue s' c = [q] -> gone q = None ->
    flits q = 1 -> worm N [c] (c, name q) (offers (c, name q)) -> lively s -> shows s' ([c] :: W) /\ lively s'.
  Proof.
    intros s s' W c q H O Q Q' G F Wm [By Rg]; pose proof (shows_tidy _ _ H) as T.
    assert (Iff : forall a x, into s' a x <-> into s a x).
    { intros a x; destruct (same a c) as [->|Z]; [|unfold StuckFlits.into; rewrite (O a Z); tauto].
      split; intros (p & r & k & E & M); [rewrite Q' in E; injection E as <- _; congruence | congruence]. }
    assert (U : forall b, ~ into s b c) by (intros b I; exact (StuckFlits.fed_there _ _ _ s T b c I Q)).
    split.
    - apply (shows_next s s' [] [] [c] W [c]).
      + split; [exact T | exact (shows_once _ _ H) | exact (shows_all _ _ H)|]; intros X [<-|K]; [|exact (shows_body _ _ H X K)].
        split; [exact I | split; [intros x R b E; discriminate | intros A e p E; destruct A; discriminate]].
      + exact (StuckFlits.tidy_create _ _ _ same s s' c q T O Q Q' G).
      + intros x _ L; apply O; intros ->; apply L; left; reflexivity.
      + intros d [<-|[]]; exact Q.
      + intros a x _ I; apply Iff; exact I.
      + intros a x [].
      + constructor; [intros [] | constructor].
      + apply incl_refl.
      + intros x [<-|[]]; rewrite Q'; split; [discriminate | left; reflexivity].
      + split; [exists q; split; [exact Q' | intros d k; rewrite G; discriminate] | split].
        * intros x R b [= <- _] I; apply (U b), Iff, I.
        * intros A e p E Qe Ge; destruct A as [|z A]; [injection E as <- | destruct A; discriminate].
          rewrite Q' in Qe; injection Qe as <-; split; [lia | exact Wm].
    - split.
      + intros x p E V; destruct (same x c) as [->|Z]; [rewrite Q' in E; injection E as <-; lia|].
        rewrite (O x Z) in E; apply (By x p E); intros b I; apply (V b), Iff, I.
      + intros El x p E; destruct (same x c) as [->|Z]; [rewrite Q' in E; injection E as <-; exact F|].
        rewrite (O x Z) in E; exact (Rg El x p E).
  Qed.

  Definition fresh (k : header) : piece := {| name := k; flits := 1; rest := 0; gone := None |}.

  Lemma shows_extend : forall s s' A Y c B d k a a', shows s (A ++ (Y ++ [c]) :: B) -> tidy s' -> queue s c = [a] -> gone a = None ->
    offers (c, name a) (Go (d, k)) -> row (Inside d) k <> None ->
    queue s d = [] -> (forall x, x <> c -> x <> d -> queue s' x = queue s x) -> queue s' c = [a'] -> gone a' = Some (Into d k) ->
    queue s' d = [fresh k] -> shows s' (A ++ (Y ++ [c; d]) :: B).
  Proof.
    intros s s' A Y c B d k a a' H T' Qc Ga Of Rd Qd O Qc' Ga' Qd'; destruct (once_in s A _ B H) as (ND & Bd & T & Full).
    assert (Dout : ~ In d (Y ++ [c])) by (intro L; exact (Full d L Qd)).
    assert (CD : d <> c) by congruence.
    assert (Ky : forall x, In x Y -> x <> c /\ x <> d).
    { intros x L; split; intros ->; [|apply Dout, in_or_app; auto]; apply NoDup_remove_2 in ND; rewrite app_nil_r in ND; contradiction. }
    assert (Iff : forall b x, into s' b x -> b = c /\ x = d \/ into s b x).
    { intros b x (p & r & j & E & M); destruct (same b c) as [->|Z].
      - rewrite Qc' in E; injection E as <- _; rewrite Ga' in M; injection M as <- _; auto.
      - destruct (same b d) as [->|Z']; [rewrite Qd' in E; injection E as <- _; discriminate|].
        rewrite (O b Z Z') in E; right; exists p, r, j; auto. }
    replace (Y ++ [c; d]) with ((Y ++ [c]) ++ [d]) by (rewrite <- app_assoc; reflexivity).
    apply (shows_next s s' A (Y ++ [c]) ((Y ++ [c]) ++ [d]) B [d] H T').
    - intros x N1 N2; apply O; intros ->; [apply N1, in_or_app; right; left; reflexivity | apply N2; left; reflexivity].
    - intros x [<-|[]]; exact Qd.
    - intros b x L I; destruct (Iff b x I) as [[-> _]|I']; [destruct L; apply in_or_app; right; left; reflexivity | exact I'].
    - intros b x L I; destruct (Iff b x I) as [[_ ->]|I']; [right; left; reflexivity | left; exact (into_within s _ b x (proj1 Bd) L I')].
    - apply nodup_app; split; [exact ND | split; [constructor; [intros [] | constructor]|]]; intros x L [<-|[]]; contradiction.
    - apply incl_refl.
    - intros x L; split; [|intros _; exact L]; intros _ E; destruct (same x c) as [->|Z]; [congruence|].
      destruct (same x d) as [->|Z']; [congruence|]; rewrite (O x Z Z') in E.
      apply in_app_or in L; destruct L as [L|[L|[]]]; [exact (Full x L E) | congruence].
    - destruct Bd as (Rn & Un & Hd); split; [|split].
      + clear -Rn Ky O Qc Qc' Ga' Qd'; induction Y as [|y Y IH]; cbn [app] in *.
        * exists a'; split; [exact Qc' | split; [eauto | exists (fresh k); split; [exact Qd' | intros e j; discriminate]]].
        * destruct Rn as (p & Qp & Rn); destruct (Ky y (or_introl eq_refl)) as [N1 N2].
          exists p; split; [rewrite (O y N1 N2); exact Qp|].
          assert (IH' := IH ltac:(destruct Y; exact (proj2 Rn)) (fun x L => Ky x (or_intror L))).
          destruct Y as [|z Y]; cbn [app] in *; (split; [exact (proj1 Rn) | exact IH']).
      + intros x R b E I; assert (L : In x (Y ++ [c])) by (destruct Y; injection E as <- _; left; reflexivity).
        destruct (Iff b x I) as [[_ ->]|I']; [contradiction|]; destruct Y as [|y Y]; injection E as <- _; exact (Un _ _ b eq_refl I').
      + intros C e p E Qe Ge; apply app_inj_tail in E; destruct E as [_ <-]; rewrite Qd' in Qe; injection Qe as <-; split; [cbn; lia|].
        rewrite rev_app_distr; cbn [rev app name fresh]; destruct (Hd Y c a eq_refl Qc Ga) as [_ Wm].
        apply (worm_next N _ _ _ (d, k) (offers (d, k)) Wm Of); split; [exact Rd | reflexivity].
  Qed.

  Lemma offers_in : forall c h r x, row (Inside c) h = Some r -> List.In x r -> offers (c, h) (Reference.meaning channel header x).
  Proof. intros c h r x E Hx; unfold Reference.offers, Reference.row_of; cbn; rewrite E; apply in_map; exact Hx. Qed.

  Lemma out_goes : forall s s' X, out s X -> (forall e p, In e X -> queue s e = [p] -> exists p', queue s' e = [p'] /\ gone p' = gone p) -> out s' X.
  Proof.
    intros s s' X H K A e E; destruct (H A e E) as (p & Q & G).
    destruct (K e p) as (p' & Q' & G'); [rewrite E; apply in_or_app; right; left; reflexivity | exact Q|].
    exists p'; rewrite G'; auto.
  Qed.
  Lemma out_tail : forall s c X, out s (c :: X) -> out s X.
  Proof. intros s c X H A e E; apply (H (c :: A) e); rewrite E; reflexivity. Qed.
  Lemma out_left : forall s s' X z X', NoDup X -> out s X -> only s s' z ->
    (X' = X /\ (exists p0 p1, queue s z = [p0] /\ queue s' z = [p1] /\ gone p1 = gone p0) \/ X = z :: X') -> out s' X'.
  Proof.
    intros s s' X z X' ND Ot O [[-> (p0 & p1 & Q0 & Q1 & G)]| ->].
    - apply (out_goes s s' X Ot); intros e q L Qe; destruct (same e z) as [->|Z]; [|exists q; rewrite (O e Z); auto].
      rewrite Q0 in Qe; injection Qe as <-; eauto.
    - apply (out_goes s s' X' (out_tail s z X' Ot)); intros e q L Qe; exists q; rewrite O; [auto | intros ->; inversion ND; contradiction].
  Qed.

  (* The head has left the network, and what it has left behind follows. *)
  Lemma shows_gone : forall s s2 A Y c B a a' y, shows s (A ++ (Y ++ [c]) :: B) -> lively s -> queue s c = [a] -> 0 < flits a ->
    queue s2 c = [a'] -> name a' = name a -> flits a' = flits a -> rest a' = rest a -> gone a = None -> gone a' = Some y ->
    y = Eject \/ y = Discard -> only s s2 c ->
    lively (leave_from s2 c) /\ exists X', shows (leave_from s2 c) (A ++ X' :: B) /\ out (leave_from s2 c) X'.
  Proof.
    intros s s2 A Y c B a a' y H [By Rg] Q Fa Q2 N2 F2 R2 G G2 Ey O; destruct (once_in s A _ B H) as (ND & Bd & T & Full).
    assert (Inc : In c (Y ++ [c])) by (apply in_or_app; right; left; reflexivity).
    assert (La : last_here a') by (intros d k E; rewrite G2 in E; injection E as ->; destruct Ey; discriminate).
    assert (Sh : shows s2 (A ++ (Y ++ [c]) :: B) /\ tidy s2).
    { apply (shows_reshape s s2 A _ B c a a' H Inc O Q Q2 N2); [lia|]; right; split; [exact G | split; [congruence | exact La]]. }
    destruct (shows_left s2 A Y c B c a' (proj1 Sh) Inc Q2) as (z & X' & Kz & Wz & Sh' & Ex & Lv & O' & _).
    - congruence.
    - lia.
    - rewrite G2; destruct Ey as [-> | ->]; reflexivity.
    - intros z Z p M U; rewrite (O z Z) in M; apply (By z p M); intros b (p0 & q0 & j0 & M0 & L0); apply (U b); exists p0, q0, j0.
      split; [|exact L0]; rewrite O; [exact M0 | intros ->; congruence].
    - intros x (p & q & j & M & L); rewrite Q2 in M; injection M as <- _; destruct (La x j L).
    - intros El z p M; destruct (same z c) as [->|Z]; [rewrite Q2 in M; injection M as <-; rewrite F2; exact (Rg El c a Q)|].
      rewrite (O z Z) in M; exact (Rg El z p M).
    - split; [exact Lv|]; exists X'; split; [exact Sh'|].
      assert (O2 : out s2 (Y ++ [c])).
      { intros C e Ee; apply app_inj_tail in Ee; destruct Ee as [_ <-]; exists a'; rewrite G2; split; [exact Q2|]; destruct Ey as [-> | ->]; auto. }
      exact (out_left s2 _ _ z X' ND O2 O' Ex).
  Qed.

  Lemma shows_advance : forall s A Y c B a r x, shows s (A ++ (Y ++ [c]) :: B) -> lively s -> queue s c = [a] -> gone a = None ->
    row (Inside c) (name a) = Some r -> In x r -> (forall d k, to x = Into d k -> queue s d = []) ->
    exists s', apply s (Advance _ _ _ (Inside c) (name a) (to x)) = Some s' /\ lively s' /\
      exists X', shows s' (A ++ X' :: B) /\ match to x with
        | Into d k => exists Z, X' = Z ++ [d] /\ incl Z (Y ++ [c]) /\ queue s' d = [fresh k]
        | _ => out s' X' end.
  Proof.
    intros s A Y c B a r x H [By Rg] Q G R Hx Em; destruct (once_in s A _ B H) as (ND & Bd & T & Full).
    destruct (proj2 (proj2 Bd) Y c a eq_refl Q G) as [Fa _].
    assert (Inc : In c (Y ++ [c])) by (apply in_or_app; right; left; reflexivity).
    destruct (Reference.in_find_hop channel header same same_header r x Hx) as [x1 Fx].
    pose proof Fx as Fx'; unfold Reference.find_hop in Fx'; apply find_some in Fx'; destruct Fx' as [_ Hy]; apply Reference.same_way_eq in Hy.
    assert (Ac : Reference.accepts channel node header same channels head sc s (Inside c) x1 = true).
    { unfold Reference.accepts; rewrite Hy, of_flits, drains_at_once; destruct (to x) as [d k| |] eqn:E; auto; rewrite (Em d k eq_refl); reflexivity. }
    set (s1 := Reference.arrive channel node header same same_node head sc s (Inside c) (to x)).
    set (a' := {| name := name a; flits := flits a; rest := rest a; gone := Some (to x) |}).
    set (s2 := set_queue s1 c [a']).
    assert (Q1 : queue s1 c = [a]).
    { unfold s1; rewrite StuckFlits.arrive_else; [exact Q | intros k E; rewrite (Em c k E) in Q; discriminate]. }
    exists (leave_from s2 c); split.
    { unfold Reference.apply, Reference.advance; rewrite R, Fx; unfold Reference.waits_at; rewrite Q, G, Ac.
      destruct (same_header (name a) (name a)) as [_|X]; [|destruct (X eq_refl)]; apply Nat.ltb_lt in Fa; rewrite Fa; cbn [andb].
      fold s1; unfold Reference.mark_gone; rewrite Q1; reflexivity. }
    assert (Q2 : queue s2 c = [a']) by apply set_at.
    destruct (to x) as [d k| |] eqn:E.
    - specialize (Em d k eq_refl).
      assert (CD : d <> c) by congruence.
      assert (Qd1 : queue s1 d = [fresh k]) by (unfold s1; cbn; destruct (same d d); [rewrite Em; reflexivity | contradiction]).
      assert (Qd : queue s2 d = [fresh k]) by (unfold s2; rewrite (set_only s1 c _ d CD); exact Qd1).
      assert (O1 : only s s1 d) by (unfold s1; cbn [Reference.arrive]; apply set_only).
      assert (O : forall z, z <> c -> z <> d -> queue s2 z = queue s z).
      { intros z Z1 Z2; unfold s2; rewrite (set_only s1 c _ z Z1); exact (O1 z Z2). }
      assert (T1 : tidy s1) by exact (StuckFlits.tidy_create _ _ _ same s s1 d (fresh k) T O1 Em Qd1 eq_refl).
      assert (T2 : tidy s2).
      { apply (StuckFlits.tidy_mark _ _ _ same s1 s2 c a a' T1 (set_only s1 c _) Q1 Q2 (le_n _)); right; intros e j M; injection M as <- <-.
        split; [exact CD | split; [rewrite Qd1; discriminate | split; [|intros q M; rewrite Qd1 in M; injection M as <-; reflexivity]]].
        intros e (p & q & j & M & L); destruct (same e d) as [->|Z]; [rewrite Qd1 in M; injection M as <- _; discriminate|].
        rewrite (O1 e Z) in M; apply (StuckFlits.fed_there _ _ _ s T e d); [exists p, q, j; auto | exact Em]. }
      assert (Sh : shows s2 (A ++ (Y ++ [c; d]) :: B)).
      { apply (shows_extend s s2 A Y c B d k a a' H T2 Q G); auto.
        - pose proof (offers_in c (name a) r x R Hx) as M; unfold Reference.meaning in M; rewrite E in M; exact M.
        - exact (listed _ _ _ _ _ _ R Hx E). }
      replace (Y ++ [c; d]) with ((Y ++ [c]) ++ [d]) in Sh by (rewrite <- app_assoc; reflexivity).
      assert (Dout : ~ In d (Y ++ [c])) by (intro L; exact (Full d L Em)).
      destruct (shows_left s2 A (Y ++ [c]) d B c a' Sh) as (z & X' & Kz & Wz & Sh' & Ex & Lv & O' & _).
      + apply in_or_app; left; exact Inc.
      + exact Q2.
      + discriminate.
      + exact Fa.
      + reflexivity.
      + intros z Z p M U; destruct (same z d) as [->|Z']; [rewrite Qd in M; injection M as <-; cbn; lia|].
        rewrite (O z Z Z') in M; apply (By z p M); intros b (p0 & q0 & j0 & M0 & L0); apply (U b); exists p0, q0, j0.
        split; [|exact L0]; rewrite O; [exact M0 | intros ->; congruence | intros ->; congruence].
      + intros y (p & q & j & M & L); rewrite Q2 in M; injection M as <- _; injection L as <- <-; exists (fresh k); split; [exact Qd | cbn; lia].
      + intros El z p M; destruct (same z d) as [->|Z']; [rewrite Qd in M; injection M as <-; reflexivity|].
        destruct (same z c) as [->|Z]; [rewrite Q2 in M; injection M as <-; exact (Rg El c a Q) | rewrite (O z Z Z') in M; exact (Rg El z p M)].
      + assert (Dz : d <> z).
        { destruct Wz as [->|[R' E']]; [exact CD|]; intros ->; apply Dout; destruct Y; injection E' as -> _; left; reflexivity. }
        split; [exact Lv|]; exists X'; split; [exact Sh'|]; rewrite (O' d Dz).
        destruct Ex as [[-> _]|Ex]; [exists (Y ++ [c]); split; [reflexivity | split; [apply incl_refl | exact Qd]]|].
        destruct Y as [|y Y]; [injection Ex as _ <- | injection Ex as _ <-].
        * exists []; split; [reflexivity | split; [intros v [] | exact Qd]].
        * exists (Y ++ [c]); split; [reflexivity | split; [apply incl_tl, incl_refl | exact Qd]].
    - assert (S1 : forall z, queue s1 z = queue s z) by (intro z; unfold s1; cbn [Reference.arrive]; rewrite drains_at_once; reflexivity).
      apply (shows_gone s s2 A Y c B a a' Eject H (conj By Rg) Q Fa Q2); auto.
      intros z Z; unfold s2; rewrite (set_only s1 c _ z Z); apply S1.
    - apply (shows_gone s s2 A Y c B a a' Discard H (conj By Rg) Q Fa Q2); auto.
      intros z Z; unfold s2; rewrite (set_only s1 c _ z Z); reflexivity.
  Qed.

  Lemma same_way_refl : forall y, Reference.same_way channel header same same_header y y = true.
  Proof. exact (Reference.same_way_refl channel header same same_header). Qed.

  Lemma shows_follow : forall s A X B c p y, shows s (A ++ X :: B) -> lively s -> In c X -> queue s c = [p] ->
    gone p = Some y -> 0 < flits p -> (forall d k, y = Into d k -> elastic sc = true /\ flits_at s d < capacity sc) ->
    exists s', apply s (Follow _ _ _ c (name p) y) = Some s' /\ lively s' /\
      exists X', shows s' (A ++ X' :: B) /\ (ended s X -> weight s' X' < weight s X) /\ (out s X -> out s' X').
  Proof.
    intros s A X B c p y H [By Rg] K Q G F Room; destruct (once_in s A X B H) as (ND & Bd & T & Full).
    assert (Ap : apply s (Follow _ _ _ c (name p) y) = match y with
      | Into d _ => Some (leave_from (set_queue s d (Reference.change_last _ _ (queue s d) (Reference.one_more _ _))) c)
      | _ => Some (leave_from s c) end).
    { unfold Reference.apply, Reference.follow; rewrite Q; destruct p as [n f r g]; cbn [name flits rest gone] in *; subst g.
      destruct (same_header n n); [|contradiction]; rewrite same_way_refl; apply Nat.ltb_lt in F; rewrite F; cbn [andb].
      destruct y as [d k| |]; auto; destruct (Room d k eq_refl) as [El M]; unfold StuckFlits.flits_at in M; apply Nat.ltb_lt in M.
      rewrite El, M; reflexivity. }
    rewrite Ap; clear Ap.
    assert (Iex : forall d k, y = Into d k -> into s c d) by (intros d k ->; exists p, [], k; auto).
    destruct (run_at s X c p (proj1 Bd) K Q) as [(Y & EX & L)|(C & d & R & k & EX & G')].
    - subst X; destruct (shows_left s A Y c B c p H K Q) as (z & X' & Kz & Wz & Sh & Ex & Lv & O & Wt);
        [congruence | exact F | rewrite G; destruct y as [d k| |]; [destruct (L d k G) | reflexivity | reflexivity] | intros; apply By | | exact Rg |].
      + intros x (p0 & q0 & j & M & N0); rewrite Q in M; injection M as <- _; destruct (L x j N0).
      + exists (leave_from s c); split; [destruct y as [d k| |]; [destruct (L d k G) | reflexivity | reflexivity] | split; [exact Lv|]].
        exists X'; split; [exact Sh | split; [exact Wt | intro Ot; exact (out_left s _ _ z X' ND Ot O Ex)]].
    - rewrite G in G'; injection G' as ->; pose proof (Iex d k eq_refl) as I; destruct (Room d k eq_refl) as [El _].
      assert (Kd : In d X) by (rewrite EX; apply in_or_app; right; right; left; reflexivity).
      destruct (run_one s X d (proj1 Bd) Kd) as [q Qd].
      assert (CD : c <> d) by (intros ->; exact (StuckFlits.no_loop _ _ _ s T d I)).
      eexists; split; [reflexivity|]; rewrite Qd; change (Reference.change_last channel header [q] _) with [Reference.one_more _ _ q].
      set (q' := Reference.one_more _ _ q); set (s1 := set_queue s d [q']).
      assert (Sh1 : shows s1 (A ++ X :: B) /\ tidy s1).
      { apply (shows_reshape s s1 A X B d q q' H Kd (set_only s d _) Qd (set_at s d _)); try reflexivity; left; split; [reflexivity | intros _; cbn; lia]. }
      assert (Q1 : queue s1 c = [p]) by (unfold s1; rewrite (set_only s d _ c CD); exact Q).
      assert (Iff : forall a x, into s a x -> into s1 a x).
      { intros a x (p0 & q0 & j & M & N0); destruct (same a d) as [->|Z].
        - rewrite Qd in M; injection M as <- <-; exists q', [], j; split; [apply set_at | exact N0].
        - exists p0, q0, j; split; [unfold s1; rewrite (set_only s d _ a Z); exact M | exact N0]. }
      destruct (shows_leave s1 A X B c p El (proj1 Sh1) K Q1) as (X' & Sh & Ex & By' & O & Wt); [congruence | exact F | | |].
      + intros z Z p0 M U; destruct (same z d) as [->|Zd].
        * unfold s1 in M; rewrite set_at in M; injection M as <-; cbn; lia.
        * unfold s1 in M; rewrite (set_only s d _ z Zd) in M; apply (By z p0 M); intros b Ib; exact (U b (Iff b z Ib)).
      + intros z (p0 & q0 & j & M & N0); rewrite Q1 in M; injection M as <- _; rewrite G in N0; injection N0 as <- _.
        exists q'; split; [apply set_at | cbn; lia].
      + split; [split; [exact By' | intro; congruence]|]; exists X'; split; [exact Sh | split].
        * intros _; specialize (Wt C (d :: R) EX); rewrite EX in *; cbn [length] in Wt.
          replace (C ++ c :: d :: R) with ((C ++ [c]) ++ d :: R) in * by (rewrite <- app_assoc; reflexivity).
          apply NoDup_remove_2 in ND.
          assert (Sm : forall x, In x (C ++ [c]) \/ In x R -> queue s1 x = queue s x).
          { intros x L; apply set_only; intros ->; apply ND, in_or_app; exact L. }
          pose proof (weight_app s s1 (C ++ [c]) (d :: R) (fun x L => Sm x (or_introl L))) as W.
          assert (W1 : weight s1 (d :: R) <= weight s (d :: R) + S (length R)); [|lia].
          cbn [weight]; unfold weigh; unfold s1 at 1; rewrite set_at, Qd, (weight_same s s1 R (fun x L => Sm x (or_intror L))).
          cbn; nia.
        * intro Ot.
          assert (Ot1 : out s1 X).
          { apply (out_goes s _ X Ot); intros e q0 Le Qe; destruct (same e d) as [->|Z].
            - rewrite Qd in Qe; injection Qe as <-; exists q'; split; [apply set_at | reflexivity].
            - exists q0; unfold s1; rewrite (set_only s d _ e Z); auto. }
          assert (Ot2 : out s1 X') by (destruct Ex as [[-> _]|Ex]; [exact Ot1 | rewrite Ex in Ot1; exact (out_tail _ _ _ Ot1)]).
          apply (out_goes s1 _ X' Ot2); intros e q0 Le Qe; destruct (same e c) as [->|Z]; [|exists q0; rewrite (O e Z); auto].
          destruct Ex as [[-> Qx]|Ex]; [rewrite Q1 in Qe; injection Qe as <-; exists (less p); auto|].
          exfalso; rewrite Ex in ND; inversion ND; contradiction.
  Qed.

  Lemma at_source_true : forall s c p, queue s c = [p] -> 0 < rest p ->
    Reference.at_source channel node header same_header same_node tail s (tail c) c (name p) = true.
  Proof.
    intros s c p Q F; unfold Reference.at_source; rewrite Q; cbn [rev app]; apply Nat.ltb_lt in F; rewrite F.
    destruct (same_node (tail c) (tail c)); [|contradiction]; destruct (same_header (name p) (name p)); [reflexivity | contradiction].
  Qed.

  (* The source sends one more flit, or says that it was the last. *)
  Lemma shows_set : forall s A X B c p p', shows s (A ++ X :: B) -> In c X -> queue s c = [p] -> name p' = name p -> gone p' = gone p ->
    rest p' <= rest p -> flits p <= flits p' -> shows (set_queue s c [p']) (A ++ X :: B) /\ tidy (set_queue s c [p']) /\
    (out s X -> out (set_queue s c [p']) X) /\ (forall a x, into s a x <-> into (set_queue s c [p']) a x) /\
    forall C R, X = C ++ c :: R -> weight (set_queue s c [p']) X + (flits p * S (length R) + rest p * S (S (length R))) =
      weight s X + (flits p' * S (length R) + rest p' * S (S (length R))).
  Proof.
    intros s A X B c p p' H K Q Nm G Rs F; destruct (once_in s A X B H) as (ND & Bd & T & Full); set (s' := set_queue s c [p']).
    destruct (shows_reshape s s' A X B c p p' H K (set_only s c _) Q (set_at s c _) Nm Rs) as [S1 S2]; [left; auto|].
    split; [exact S1 | split; [exact S2 | split; [|split]]].
    - intro Ot; apply (out_goes s s' X Ot); intros e q L E; destruct (same e c) as [->|Z].
      + rewrite Q in E; injection E as <-; exists p'; split; [apply set_at | exact G].
      + exists q; unfold s'; rewrite (set_only s c _ e Z); auto.
    - intros a x; destruct (same a c) as [->|Z].
      + split; intros (p0 & q0 & j & M & L); [rewrite Q in M | unfold s' in M; rewrite set_at in M]; injection M as <- <-.
        * exists p', [], j; split; [apply set_at | congruence].
        * exists p, [], j; split; [exact Q | congruence].
      + unfold StuckFlits.into, s'; rewrite (set_only s c _ a Z); tauto.
    - intros C R ->; apply NoDup_remove_2 in ND.
      assert (Sm : forall x, In x C \/ In x R -> queue s' x = queue s x) by (intros x L; apply set_only; intros ->; apply ND, in_or_app; exact L).
      pose proof (weight_app s s' C (c :: R) (fun x L => Sm x (or_introl L))) as W; cbn [weight] in W; unfold weigh in W.
      assert (Qc : queue s' c = [p']) by apply set_at; rewrite Qc, Q, (weight_same s s' R (fun x L => Sm x (or_intror L))) in W.
      cbn [map list_sum fold_right length] in W; lia.
  Qed.

  Lemma busy_but : forall s s' c, only s s' c -> (forall a x, into s a x <-> into s' a x) -> (forall z, busy s z) -> forall z, z <> c -> busy s' z.
  Proof. intros s s' c O I By z Z p Q U; rewrite (O z Z) in Q; apply (By z p Q); intros b K; exact (U b (proj1 (I b z) K)). Qed.

  Lemma shows_enter : forall s A X B c p, elastic sc = true -> shows s (A ++ X :: B) -> lively s -> In c X -> queue s c = [p] -> 0 < rest p ->
    flits p < capacity sc -> exists s', apply s (Enter _ _ _ (tail c) c (name p)) = Some s' /\ lively s' /\
      shows s' (A ++ X :: B) /\ (endless sc = false -> weight s' X < weight s X) /\ (out s X -> out s' X).
  Proof.
    intros s A X B c p El H [By Rg] K Q F C.
    set (p' := Reference.entered channel header sc p).
    exists (set_queue s c [p']); split.
    { unfold Reference.apply; rewrite (at_source_true s c p Q F), El, Q; cbn [Reference.sum_flits map list_sum fold_right].
      rewrite Nat.add_0_r; apply Nat.ltb_lt in C; rewrite C; reflexivity. }
    destruct (shows_set s A X B c p p' H K Q) as (S1 & S2 & S3 & S4 & S5); try reflexivity; try (unfold p'; cbn; destruct (endless sc); lia).
    split; [|split; [exact S1 | split; [|exact S3]]].
    - split; [|intro; congruence]; intros z; destruct (same z c) as [->|Z]; [|exact (busy_but s _ c (set_only s c _) S4 By z Z)].
      intros q E _; rewrite set_at in E; injection E as <-; cbn; lia.
    - intro En; apply in_split in K; destruct K as (D & R & EX); specialize (S5 D R EX); unfold p' in *; cbn [flits rest Reference.entered] in S5.
      rewrite En in S5; nia.
  Qed.

  Lemma shows_give_up : forall n s A X B c, shows s (A ++ X :: B) -> length X < n -> In c X -> (forall b, ~ into s b c) ->
    (forall z, z <> c -> busy s z) -> (forall p, queue s c = [p] -> rest p = 0) -> (forall z, busy (give_up s n c) z) /\
    exists X', shows (give_up s n c) (A ++ X' :: B) /\ weight (give_up s n c) X' <= weight s X /\ (out s X -> out (give_up s n c) X').
  Proof.
    induction n as [|n IH]; intros s A X B c H Ln K U By R0; [lia|].
    destruct (once_in s A X B H) as (ND & Bd & T & Full).
    destruct (run_one s X c (proj1 Bd) K) as [p Q]; pose proof (R0 p Q) as R1; destruct p as [k f r g]; cbn in R1; subst r.
    cbn [Reference.give_up]; rewrite Q; cbn [rev app]; destruct f as [|f].
    - destruct g as [y|].
      + destruct (shows_drop s A X B c _ H K Q ltac:(discriminate) U) as (R & EX & Sh & T'); cbv zeta.
        set (s' := set_queue s c []) in *; rewrite EX in *; inversion ND as [|? ? Nc ND']; subst.
        assert (Wt : weight s' R <= weight s (c :: R)).
        { cbn [weight]; rewrite (weight_same s s' R); [lia | intros x L; apply set_only; intros ->; contradiction]. }
        assert (Ot : out s (c :: R) -> out s' R).
        { intro O; apply (out_goes s s' R (out_tail s c R O)); intros e q L Qe; exists q; unfold s'.
          rewrite set_only; [auto | intros ->; contradiction]. }
        assert (Ifs : forall a x, a <> c -> into s a x -> into s' a x).
        { intros a x Z (p0 & q0 & j & M & L); exists p0, q0, j; split; [unfold s'; rewrite (set_only s c [] a Z); exact M | exact L]. }
        assert (By' : forall z, (forall k', y <> Into z k') -> busy s' z).
        { intros z Nz p0 M V; destruct (same z c) as [->|Z]; [unfold s' in M; rewrite set_at in M; discriminate|].
          unfold s' in M; rewrite (set_only s c [] z Z) in M; apply (By z Z p0 M); intros b Ib; destruct (same b c) as [->|Zb].
          - destruct Ib as (p1 & q1 & j & M1 & L1); rewrite Q in M1; injection M1 as <- _; cbn in L1; injection L1 as ->; destruct (Nz j eq_refl).
          - exact (V b (Ifs b z Zb Ib)). }
        destruct y as [d k'| |].
        * assert (Id : into s c d) by (eexists _, _, k'; split; [exact Q | reflexivity]).
          assert (Kd : In d R).
          { destruct (into_within s _ c d (proj1 Bd) (or_introl eq_refl) Id) as [->|L]; [destruct (StuckFlits.no_loop _ _ _ s T d Id) | exact L]. }
          assert (DC : d <> c) by (intros ->; contradiction).
          cbn [length] in Ln; destruct (IH s' A R B d Sh ltac:(lia) Kd) as (By2 & X' & Sh2 & Wt2 & Ot2).
          -- intros b (p0 & q0 & j & M & L); destruct (same b c) as [->|Zb]; [unfold s' in M; rewrite set_at in M; discriminate|].
             apply Zb, (StuckFlits.one_feeder _ _ _ s T b c d); [|exact Id]; exists p0, q0, j; split; [|exact L].
             unfold s' in M; rewrite (set_only s c [] b Zb) in M; exact M.
          -- intros z Z; apply By'; intros j [= E _]; congruence.
          -- intros p0 M; unfold s' in M; rewrite (set_only s c [] d DC) in M; exact (StuckFlits.fed_whole _ _ _ s T c d p0 Id M).
          -- split; [exact By2 | exists X'; split; [exact Sh2 | split; [lia | auto]]].
        * split; [intro z; apply By'; discriminate | exists R; split; [exact Sh | split; [exact Wt | exact Ot]]].
        * split; [intro z; apply By'; discriminate | exists R; split; [exact Sh | split; [exact Wt | exact Ot]]].
      + exfalso; destruct (run_at s X c _ (proj1 Bd) K Q) as [(Y & EX & _)|(C & d & R & j & EX & G')]; [|discriminate].
        destruct (proj2 (proj2 Bd) Y c _ EX Q eq_refl) as [F _]; cbn in F; lia.
    - split; [|exists X; split; [exact H | split; [lia | auto]]]; intro z; destruct (same z c) as [->|Z]; [|exact (By z Z)].
      intros p M _; rewrite Q in M; injection M as <-; cbn; lia.
  Qed.

  Lemma shows_finish : forall s A X B c p, shows s (A ++ X :: B) -> lively s -> In c X -> queue s c = [p] -> 0 < rest p ->
    endless sc = true -> exists s', apply s (Finish _ _ _ (tail c) c (name p)) = Some s' /\ lively s' /\
      exists X', shows s' (A ++ X' :: B) /\ weight s' X' < weight s X /\ (out s X -> out s' X').
  Proof.
    intros s A X B c p H [By Rg] K Q F En; destruct (once_in s A X B H) as (ND & Bd & T & Full).
    set (p' := Reference.finished channel header p); set (s1 := set_queue s c [p']).
    exists (give_up s1 (S (length channels)) c); split.
    { unfold Reference.apply; rewrite (at_source_true s c p Q F), En, Q; reflexivity. }
    destruct (shows_set s A X B c p p' H K Q) as (S1 & S2 & S3 & S4 & S5); try reflexivity; try (unfold p'; cbn; lia).
    assert (U : forall b, ~ into s b c) by (intros b I; pose proof (StuckFlits.fed_whole _ _ _ s T b c p I Q); lia).
    destruct (shows_give_up (S (length channels)) s1 A X B c S1) as (By' & X' & Sh & Wt & Ot).
    - apply Nat.lt_succ_r, NoDup_incl_length; [exact ND | intros x _; apply all_channels].
    - exact K.
    - intros b I; exact (U b (proj2 (S4 b c) I)).
    - exact (busy_but s s1 c (set_only s c _) S4 By).
    - intros q E; unfold s1 in E; rewrite set_at in E; injection E as <-; reflexivity.
    - split; [split; [exact By'|] | exists X'; split; [exact Sh | split; [|intro O; exact (Ot (S3 O))]]].
      { intros El z q M; pose proof (Rg El c p Q) as F1; assert (Qc : queue s1 c = [p']) by apply set_at.
        cbn [Reference.give_up] in M; rewrite Qc in M; cbn [rev app] in M; unfold p', Reference.finished in M; rewrite F1 in M.
        destruct (same z c) as [->|Z]; [rewrite Qc in M; injection M as <-; exact F1|].
        unfold s1 in M; rewrite (set_only s c _ z Z) in M; exact (Rg El z q M). }
      apply in_split in K; destruct K as (D & R & EX); specialize (S5 D R EX); unfold p' in *; cbn [flits rest Reference.finished] in S5.
      fold s1 in S5; nia.
  Qed.

  (* ---- every move ---- *)

  Lemma shows_held : forall s W v n, shows s W -> shows (Reference.set_held channel node header same_node s v n) W.
  Proof.
    intros s W v n H; set (s' := Reference.set_held channel node header same_node s v n); split.
    - exact (StuckFlits.tidy_same _ _ _ tail head s s' (shows_tidy _ _ H) (fun _ => eq_refl)).
    - exact (shows_once _ _ H).
    - exact (shows_all _ _ H).
    - intros X K; apply (body_goes s s' X (shows_body _ _ H X K)).
      + intros x _; apply goes_same; reflexivity.
      + intros a x _ I; exact I.
      + intros e p' _ Q G; exists p'; auto.
  Qed.

  Lemma shows_apply : forall s W m s', shows s W -> lively s -> apply s m = Some s' ->
    lively s' /\ exists W', shows s' W'.
  Proof.
    intros s W m s' H By E; pose proof (shows_tidy _ _ H) as T; destruct m as [p h y|c h y|v c h|v c h|v].
    - pose proof E as E0; unfold Reference.apply, Reference.advance in E0.
      destruct (row p h) as [r|] eqn:R; [|discriminate].
      destruct (Reference.find_hop channel header same same_header r y) as [x|] eqn:Fx; [|discriminate].
      pose proof Fx as Fx'; unfold Reference.find_hop in Fx'; apply find_some in Fx'; destruct Fx' as [Hx Hy]; apply Reference.same_way_eq in Hy.
      destruct (Reference.waits_at channel node header same_header s p h) eqn:Wt; [|discriminate].
      destruct (Reference.accepts channel node header same channels head sc s p x) eqn:Ac; [|discriminate]; cbn [andb] in E0.
      assert (Em : forall d k, y = Into d k -> queue s d = []).
      { intros d k ->; exact (StuckFlits.accepts_empty _ _ _ same channels head sc of_flits s p x d k Hy Ac). }
      destruct p as [v|c].
      + injection E0 as <-; destruct y as [d k| |]; cbn [Reference.arrive].
        * specialize (Em d k eq_refl); rewrite Em; cbn [app]; set (q := Build_piece _ _ _ _ _ _).
          destruct (shows_create s (set_queue s d [q]) W d q H (set_only s d _) Em (set_at s d _) eq_refl eq_refl) as [Sh By']; [| exact By | eauto].
          change (name q) with k; apply (worm_first N (d, k) (offers (d, k)));
            [exists v, h, r, x; auto | split; [exact (listed _ _ _ _ _ _ R Hx Hy) | reflexivity]].
        * rewrite drains_at_once; cbn [Nat.eqb]; eauto.
        * eauto.
      + unfold Reference.waits_at in Wt; destruct (queue s c) as [|a b] eqn:Qc; [discriminate|].
        destruct (piece_in s c T) as [a1 Q]; [congruence|]; rewrite Q in Qc; injection Qc as -> <-.
        destruct (same_header (name a) h) as [<-|]; [|discriminate]; cbn [andb] in Wt; apply andb_true_iff in Wt; destruct Wt as [_ Wt].
        destruct (gone a) eqn:G; [discriminate|].
        destruct (found s W c H) as (A & X & B & -> & K); [congruence|].
        destruct (once_in s A X B H) as (_ & Bd & _).
        destruct (run_at s X c a (proj1 Bd) K Q) as [(Y & -> & _)|(C & d & R' & j & _ & G')]; [|congruence].
        rewrite <- Hy in Em; rewrite <- Hy in E.
        destruct (shows_advance s A Y c B a r x H By Q G R Hx Em) as (s2 & E2 & By' & X' & Sh & _).
        rewrite E in E2; injection E2 as <-; eauto.
    - pose proof E as E0; unfold Reference.apply, Reference.follow in E0; destruct (queue s c) as [|p b] eqn:Qc; [discriminate|].
      destruct (piece_in s c T) as [a1 Q]; [congruence|]; rewrite Q in Qc; injection Qc as -> <-.
      destruct p as [n f r [g|]]; [|discriminate]; destruct (same_header n h) as [<-|]; [|discriminate]; cbn [andb] in E0.
      destruct (Reference.same_way channel header same same_header g y) eqn:Wy; [|discriminate]; apply Reference.same_way_eq in Wy; subst y.
      destruct (0 <? f) eqn:F; [|discriminate]; apply Nat.ltb_lt in F; cbn [andb] in E0.
      destruct (found s W c H) as (A & X & B & -> & K); [congruence|].
      destruct (shows_follow s A X B c _ g H By K Q eq_refl F) as (s2 & E2 & By' & X' & Sh & _).
      { intros d k ->; unfold StuckFlits.flits_at; destruct (elastic sc) eqn:El; [|discriminate]; split; [reflexivity|]; cbn [andb] in E0.
        destruct (Reference.sum_flits (queue s d) <? capacity sc) eqn:M; [apply Nat.ltb_lt; exact M | discriminate]. }
      cbn [name] in E2; rewrite E in E2; injection E2 as <-; eauto.
    - pose proof E as E0; unfold Reference.apply in E0.
      destruct (Reference.at_source channel node header same_header same_node tail s v c h) eqn:At; [|discriminate].
      unfold Reference.at_source in At; destruct (StuckFlits.one _ _ _ s c T) as [Q|[p Q]]; rewrite Q in At; [discriminate|].
      cbn [rev app] in At; destruct (same_node (tail c) v) as [<-|]; [|discriminate]; cbn [andb] in At.
      destruct (0 <? rest p) eqn:F; [|discriminate]; apply Nat.ltb_lt in F; destruct (same_header (name p) h) as [<-|]; [|discriminate].
      destruct (elastic sc) eqn:El; [|discriminate]; cbn [andb] in E0; destruct (Reference.sum_flits (queue s c) <? capacity sc) eqn:M; [|discriminate].
      rewrite Q in M; cbn [Reference.sum_flits map list_sum fold_right] in M; apply Nat.ltb_lt in M; rewrite Nat.add_0_r in M.
      destruct (found s W c H) as (A & X & B & -> & K); [congruence|].
      destruct (shows_enter s A X B c p El H By K Q F M) as (s2 & E2 & By' & Sh & _); rewrite E in E2; injection E2 as <-; eauto.
    - pose proof E as E0; unfold Reference.apply in E0.
      destruct (Reference.at_source channel node header same_header same_node tail s v c h) eqn:At; [|discriminate].
      unfold Reference.at_source in At; destruct (StuckFlits.one _ _ _ s c T) as [Q|[p Q]]; rewrite Q in At; [discriminate|].
      cbn [rev app] in At; destruct (same_node (tail c) v) as [<-|]; [|discriminate]; cbn [andb] in At.
      destruct (0 <? rest p) eqn:F; [|discriminate]; apply Nat.ltb_lt in F; destruct (same_header (name p) h) as [<-|]; [|discriminate].
      destruct (endless sc) eqn:En; [|discriminate].
      destruct (found s W c H) as (A & X & B & -> & K); [congruence|].
      destruct (shows_finish s A X B c p H By K Q F En) as (s2 & E2 & By' & X' & Sh & _); rewrite E in E2; injection E2 as <-; eauto.
    - unfold Reference.apply in E; destruct (0 <? held channel node header s v); [|discriminate]; injection E as <-; split; [exact By|].
      exists W; apply shows_held; exact H.
  Qed.

  Theorem shows_replay : forall l s, replay nothing l = Some s -> lively s /\ exists W, shows s W.
  Proof.
    assert (G : forall l s0 s W, shows s0 W -> lively s0 -> replay s0 l = Some s -> lively s /\ exists W, shows s W).
    { induction l as [|m l IH]; intros s0 s W H By E; cbn in E; [injection E as <-; eauto|].
      destruct (apply s0 m) as [s1|] eqn:E1; [|discriminate]; destruct (shows_apply s0 W m s1 H By E1) as (By1 & W1 & H1).
      exact (IH s1 s W1 H1 By1 E). }
    intros l s E; apply (G l nothing s []); [|split; [intros z p Q; discriminate | intros El z p Q; discriminate] | exact E]; split.
    - exact (StuckFlits.tidy_reached _ _ _ same same_header same_node channels tail head row sc all_channels [] nothing of_flits eq_refl).
    - constructor.
    - intro c; split; [intros [] | intro X; destruct (X eq_refl)].
    - intros X [].
  Qed.

  (* ---- a packet whose head is out follows it ---- *)

  Lemma last_flits : forall s X, (forall x, In x X -> flits_at s x = 0) \/
    exists A y Z, X = A ++ y :: Z /\ 0 < flits_at s y /\ forall z, In z Z -> flits_at s z = 0.
  Proof.
    intros s X; induction X as [|x X [IH|(A & y & Z & -> & F & IH)]]; [left; intros x [] | |].
    - destruct (Nat.eq_dec (flits_at s x) 0) as [E|E]; [left; intros y [<-|K]; auto|].
      right; exists [], x, X; split; [reflexivity | split; [lia | exact IH]].
    - right; exists (x :: A), y, Z; auto.
  Qed.
  Lemma flits_one : forall s c p, queue s c = [p] -> flits_at s c = flits p.
  Proof. intros s c p Q; unfold StuckFlits.flits_at, Reference.sum_flits; rewrite Q; cbn; lia. Qed.

  Lemma follows_out : forall s A X B, shows s (A ++ X :: B) -> lively s -> out s X -> X <> [] ->
    exists m s' X', apply s m = Some s' /\ lively s' /\ shows s' (A ++ X' :: B) /\ weight s' X' < weight s X /\ out s' X'.
  Proof.
    intros s A X B H By Ot Ne; destruct (once_in s A X B H) as (ND & Bd & T & Full); destruct (elastic sc) eqn:El.
    - destruct (last_flits s X) as [Z0|(C & y & Z & EX & F & Z0)].
      + destruct X as [|x R]; [contradiction|]; destruct (run_one s (x :: R) x (proj1 Bd) (or_introl eq_refl)) as [p Q].
        pose proof (Z0 x (or_introl eq_refl)) as F; rewrite (flits_one s x p Q) in F.
        pose proof (proj1 By x p Q (fun b => proj1 (proj2 Bd) x R b eq_refl)) as Rs.
        destruct (endless sc) eqn:En.
        * destruct (shows_finish s A _ B x p H By (or_introl eq_refl) Q ltac:(lia) En) as (s' & E & By' & X' & Sh & Wt & Ot').
          eexists _, s', X'; split; [exact E | split; [exact By' | split; [exact Sh | split; [exact Wt | exact (Ot' Ot)]]]].
        * destruct (shows_enter s A _ B x p El H By (or_introl eq_refl) Q ltac:(lia) ltac:(lia)) as (s' & E & By' & Sh & Wt & Ot').
          eexists _, s', (x :: R); split; [exact E | split; [exact By' | split; [exact Sh | split; [exact (Wt En) | exact (Ot' Ot)]]]].
      + assert (K : In y X) by (rewrite EX; apply in_or_app; right; left; reflexivity).
        pose proof (proj1 Bd) as Rn; rewrite EX in Rn; apply run_end in Rn; destruct Rn as (p & Q & Rn); rewrite (flits_one s y p Q) in F.
        assert (G : exists w, gone p = Some w /\ forall d k, w = Into d k -> elastic sc = true /\ flits_at s d < capacity sc).
        { destruct Z as [|z Z].
          - destruct (Ot C y EX) as (p' & Q' & G); rewrite Q in Q'; injection Q' as <-.
            destruct G as [G|G]; eexists; (split; [exact G | discriminate]).
          - destruct Rn as ((k & G) & _); eexists; split; [exact G|]; intros d j [= -> _].
            rewrite (Z0 d (or_introl eq_refl)); split; [exact El | lia]. }
        destruct G as (w & G & Room).
        destruct (shows_follow s A X B y p w H By K Q G F Room) as (s' & E & By' & X' & Sh & Wt & Ot').
        eexists _, s', X'; split; [exact E | split; [exact By' | split; [exact Sh | split; [apply Wt; left; exact El | exact (Ot' Ot)]]]].
    - destruct X as [|x R]; [contradiction|]; destruct (run_one s (x :: R) x (proj1 Bd) (or_introl eq_refl)) as [p Q].
      destruct (Nat.eq_dec (rest p) 0) as [R0|R0]; [|destruct (endless sc) eqn:En].
      2: { destruct (shows_finish s A _ B x p H By (or_introl eq_refl) Q ltac:(lia) En) as (s' & E & By' & X' & Sh & Wt & Ot').
           eexists _, s', X'; split; [exact E | split; [exact By' | split; [exact Sh | split; [exact Wt | exact (Ot' Ot)]]]]. }
      all: assert (Nd : ended s (x :: R)) by (first [right; left; exact En |
        right; right; intros v V u [= <- _] Q'; rewrite Q in Q'; injection Q' as <-; exact R0]).
      all: destruct (exists_last (l := x :: R)) as (Y & e & EX); [discriminate|]; destruct (Ot Y e EX) as (q & Qe & G).
      all: assert (Ge : exists w, gone q = Some w /\ forall d k, w = Into d k -> elastic sc = true /\ flits_at s d < capacity sc)
        by (destruct G as [G|G]; eexists; (split; [exact G | discriminate])).
      all: destruct Ge as (w & Gw & Room).
      all: assert (Ke : In e (x :: R)) by (rewrite EX; apply in_or_app; right; left; reflexivity).
      all: pose proof (proj2 By El e q Qe) as Fe.
      all: destruct (shows_follow s A (x :: R) B e q w H By Ke Qe Gw ltac:(lia) Room) as (s' & E & By' & X' & Sh & Wt & Ot').
      all: eexists _, s', X'; split; [exact E | split; [exact By' | split; [exact Sh | split; [exact (Wt Nd) | exact (Ot' Ot)]]]].
  Qed.

  Lemma replay_app : forall l l' s s', replay s l = Some s' -> replay s (l ++ l') = replay s' l'.
  Proof.
    induction l as [|m l IH]; intros l' s s' E; cbn in *; [injection E as ->; reflexivity|].
    destruct (apply s m) as [s1|]; [exact (IH l' s1 s' E) | discriminate].
  Qed.

  Lemma all_out : forall n s A X B, weight s X < n -> shows s (A ++ X :: B) -> lively s -> out s X ->
    exists l s', replay s l = Some s' /\ lively s' /\ shows s' (A ++ B).
  Proof.
    induction n as [|n IH]; intros s A X B Wt H By Ot; [lia|]; destruct X as [|x R].
    - exists [], s; split; [reflexivity | split; [exact By|]].
      destruct H as [H1 H2 H3 H4]; rewrite concat_app in H2, H3; cbn [concat app] in H2, H3; rewrite <- concat_app in H2, H3.
      split; [exact H1 | exact H2 | exact H3 | intros X K; apply H4, in_or_app; apply in_app_or in K; cbn; tauto].
    - destruct (follows_out s A (x :: R) B H By Ot ltac:(discriminate)) as (m & s1 & X1 & E & By1 & Sh & W1 & O1).
      destruct (IH s1 A X1 B ltac:(lia) Sh By1 O1) as (l & s' & E' & D); exists (m :: l), s'; split; [cbn; rewrite E; exact E' | exact D].
  Qed.

  Hypothesis no_dead_end : forall s, reached N s -> row (Inside (fst s)) (snd s) <> Some [].

  Section Ranked.
    Variable rank : channel -> nat.
    Hypothesis ranks : escapes N rank.

    Lemma head_out : forall n s A Y c B a e, shows s (A ++ (Y ++ [c]) :: B) -> lively s -> queue s c = [a] -> gone a = None ->
      In e (Y ++ [c]) -> rank e < n -> (forall d, queue s d <> [] -> rank e <= rank d) ->
      exists l s' X', replay s l = Some s' /\ lively s' /\ shows s' (A ++ X' :: B) /\ out s' X'.
    Proof.
      induction n as [|n IH]; intros s A Y c B a e H By Q G K Rk Least; [lia|].
      destruct (once_in s A _ B H) as (_ & Bd & _); destruct (proj2 (proj2 Bd) Y c a eq_refl Q G) as [_ Wm].
      destruct (worm_site N _ _ _ Wm) as [Rch [Hr _]]; pose proof (no_dead_end _ Rch) as Nd; cbn [fst snd] in *.
      destruct (row (Inside c) (name a)) as [[|h0 r]|] eqn:R; [congruence | | congruence].
      destruct (ranks _ _ _ Wm) as [Lv|([d k] & Go' & Low)];
        [exists (Reference.meaning channel header h0); exact (offers_in c (name a) _ h0 R (or_introl eq_refl)) | |].
      - unfold Reference.offers, Reference.row_of in Lv; cbn [fst snd] in Lv; rewrite R in Lv; apply in_map_iff in Lv; destruct Lv as (x & Mx & Hx).
        destruct (shows_advance s A Y c B a (h0 :: r) x H By Q G R Hx) as (s' & E & By' & X' & Sh & Ot).
        { intros d k E; unfold Reference.meaning in Mx; rewrite E in Mx; discriminate. }
        exists [Advance _ _ _ (Inside c) (name a) (to x)], s', X'; split; [cbn [Reference.replay]; rewrite E; reflexivity|].
        split; [exact By' | split; [exact Sh|]]; unfold Reference.meaning in Mx; destruct (to x); [discriminate | exact Ot | exact Ot].
      - unfold Reference.offers, Reference.row_of in Go'; cbn [fst snd] in Go'; rewrite R in Go'; apply in_map_iff in Go'; destruct Go' as (x & Mx & Hx).
        unfold Reference.meaning in Mx; destruct (to x) as [d' k'| |] eqn:Ex; try discriminate; injection Mx as -> ->.
        assert (Low' : forall z, In z (Y ++ [c]) -> rank d < rank z) by (intros z Z; apply in_rev in Z; apply (Low z); exact Z).
        assert (Em : queue s d = []).
        { destruct (queue s d) as [|q b] eqn:Qd; [reflexivity|]; specialize (Least d); rewrite Qd in Least.
          specialize (Least ltac:(discriminate)); specialize (Low' e K); lia. }
        destruct (shows_advance s A Y c B a (h0 :: r) x H By Q G R Hx) as (s1 & E & By1 & X1 & Sh & Y1).
        { intros d1 k1 E; rewrite Ex in E; injection E as <- _; exact Em. }
        rewrite Ex in Y1; destruct Y1 as (Z & -> & Inc & Qd).
        destruct (IH s1 A Z d B (fresh k) d Sh By1 Qd eq_refl) as (l & s' & X' & E' & D).
        + apply in_or_app; right; left; reflexivity.
        + specialize (Low' e K); lia.
        + intros z Qz; apply (shows_all _ _ Sh) in Qz; apply in_concat in Qz; destruct Qz as (V & Kv & Kz).
          assert (Old : In z (concat (A ++ (Y ++ [c]) :: B)) -> rank d <= rank z).
          { intro L; apply (shows_all _ _ H) in L; specialize (Least z L); specialize (Low' e K); lia. }
          apply in_app_or in Kv; destruct Kv as [Kv|[<-|Kv]].
          * apply Old, in_concat; exists V; split; [apply in_or_app; auto | exact Kz].
          * apply in_app_or in Kz; destruct Kz as [Kz|[<-|[]]]; [|lia]; specialize (Low' z (Inc z Kz)); lia.
          * apply Old, in_concat; exists V; split; [apply in_or_app; right; right; exact Kv | exact Kz].
        + exists (Advance _ _ _ (Inside c) (name a) (to x) :: l), s', X'; split; [|exact D].
          cbn [Reference.replay]; rewrite Ex in *; rewrite E; exact E'.
    Qed.

    Lemma least : forall l : list channel, l <> [] -> exists c, In c l /\ forall d, In d l -> rank c <= rank d.
    Proof.
      induction l as [|c l IH]; intro H; [contradiction|]; destruct l as [|d l]; [exists c; split; [left; reflexivity | intros e [<-|[]]; lia]|].
      destruct IH as (e & He & Hm); [discriminate|]; destruct (le_lt_dec (rank c) (rank e)).
      - exists c; split; [left; reflexivity | intros f [<-|Hf]; [lia | specialize (Hm f Hf); lia]].
      - exists e; split; [right; exact He | intros f [<-|Hf]; [lia | exact (Hm f Hf)]].
    Qed.

    Lemma drains_from : forall n s W, length W < n -> shows s W -> lively s ->
      exists l s', replay s l = Some s' /\ forall c, queue s' c = [].
    Proof.
      induction n as [|n IH]; intros s W Ln H By; [lia|].
      destruct (concat W) as [|c0 C0] eqn:EC.
      - exists [], s; split; [reflexivity|]; intro c; destruct (queue s c) as [|p q] eqn:Q; [reflexivity|].
        assert (K : In c (concat W)) by (apply (shows_all _ _ H); congruence); rewrite EC in K; destruct K.
      - destruct (least (concat W)) as (e & Ke & Le); [rewrite EC; discriminate|].
        assert (Qe : queue s e <> []) by (apply (shows_all _ _ H); exact Ke).
        destruct (found s W e H Qe) as (A & X & B & -> & Kx).
        assert (Least : forall d, queue s d <> [] -> rank e <= rank d) by (intros d Qd; apply Le, (shows_all _ _ H), Qd).
        assert (D : exists l s' X', replay s l = Some s' /\ lively s' /\ shows s' (A ++ X' :: B) /\ out s' X').
        { destruct (exists_last (l := X)) as (Y & c & ->); [intros ->; destruct Kx|].
          destruct (once_in s A _ B H) as (_ & Bd & _); pose proof (run_end s Y c [] (proj1 Bd)) as (a & Q & La).
          destruct (gone a) as [g|] eqn:G; [|exact (head_out (S (rank e)) s A Y c B a e H By Q G Kx (Nat.lt_succ_diag_r _) Least)].
          exists [], s, (Y ++ [c]); split; [reflexivity | split; [exact By | split; [exact H|]]].
          intros A' e' E; apply app_inj_tail in E; destruct E as [_ <-]; exists a; split; [exact Q|].
          destruct g as [d k| |]; [destruct (La d k G) | auto | auto]. }
        destruct D as (l1 & s1 & X1 & E1 & By1 & Sh1 & O1).
        destruct (all_out (S (weight s1 X1)) s1 A X1 B (Nat.lt_succ_diag_r _) Sh1 By1 O1) as (l2 & s2 & E2 & By2 & Sh2).
        destruct (IH s2 (A ++ B)) as (l3 & s3 & E3 & D3); [rewrite app_length in *; cbn in Ln; lia | exact Sh2 | exact By2|].
        exists (l1 ++ l2 ++ l3), s3; split; [|exact D3]; rewrite (replay_app l1 _ s s1 E1), (replay_app l2 _ s1 s2 E2); exact E3.
    Qed.

    Theorem flits_drain : forall l s, replay nothing l = Some s -> exists l' s', replay s l' = Some s' /\ forall c, queue s' c = [].
    Proof. intros l s E; destruct (shows_replay l s E) as (By & W & H); exact (drains_from (S (length W)) s W (Nat.lt_succ_diag_r _) H By). Qed.

    Theorem flits_never_stuck : forall l s c, replay nothing l = Some s ->
      ~ forall l' s', replay s l' = Some s' -> exists p behind, queue s' c = p :: behind.
    Proof.
      intros l s c E H; destruct (flits_drain l s E) as (l' & s' & E' & Em); destruct (H l' s' E') as (p & b & Q); rewrite Em in Q; discriminate.
    Qed.

    Theorem no_flit_deadlock : forall l w,
      StuckFlits.flit_deadlock channel node header same same_header same_node channels tail head row sc l w = false.
    Proof.
      intros l w; destruct (StuckFlits.flit_deadlock _ _ _ _ _ _ _ _ _ _ _ l w) eqn:D; [|reflexivity].
      destruct (StuckFlits.flit_deadlock_sound _ _ _ same same_header same_node channels tail head row sc all_channels l w D) as (s & E & (c & _ & K & _) & F).
      destruct (F c K) as (p & _ & G); destruct (flits_never_stuck l s c E); intros l' s' E'; destruct (G l' s' E') as (p' & Q & _); eauto.
    Qed.
  End Ranked.
End Flits.
