(* Packets that share channels, by the step of Reference.v, and why ranks mean that none of them is stuck for good.

   A head may enter a channel behind the tail of another packet (Scenario.Shared). Proved: if every hop lowers the rank of
   the channel, then from every state that the moves reach some moves lead to the empty network ([shared_drain]). In the
   lowest channel that has flits, a head finds the channel of any of its hops empty; a packet whose head has left the network
   there goes on with the flits behind it, from channel to channel back to its source. So no channel is held for good
   ([shared_never_stuck]), and no packet is the first of a channel for good ([shared_packets]).
   For whole packets, and for packets of flits that move one by one, of a fixed length or of any; in channels of one packet
   at a time or shared.
   Assumed: every hop lowers the rank, so a certificate of kind rank, not one of kind extended-escape: a packet behind another
   one cannot take its escape. Tables list every site that a hop leads to, and have no dead end; no hop demands more room
   than a channel has; sinks drain at once (Sinks.v has finite ones). Not proved: the same for packets that shift as a whole,
   which OneFlit.v is about; that every packet does move. *)
Require Import List Arith Lia Bool Packets Reference StuckFlits.
Import ListNotations.

Arguments Reference.need {_ _}.

Section Shared.
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
  Hypothesis one_by_one : shifts sc = false.     (* whole packets, or flits that move one by one *)
  Hypothesis buffers : 1 <= capacity sc.
  Hypothesis drains_at_once : sink sc = 0.
  Hypothesis listed : forall p h r x c k, row p h = Some r -> In x r -> to x = Into c k -> row (Inside c) k <> None.
  Notation piece := (Reference.piece channel header).
  Notation way := (Reference.way channel header).
  Notation state := (Reference.state channel node header).
  Notation fed := (Reference.fed channel node header same channels).
  Notation set_queue := (Reference.set_queue channel node header same).
  Notation apply := (Reference.apply channel node header same same_header same_node channels tail head row sc).
  Notation replay := (Reference.replay channel node header same same_header same_node channels tail head row sc).
  Notation nothing := (Reference.nothing channel node header).
  Notation leave_from := (Reference.leave_from channel node header same channels sc).
  Notation give_up := (Reference.give_up channel node header same).
  Notation accepts := (Reference.accepts channel node header same channels head sc).
  Notation change_last := (Reference.change_last channel header).
  Notation into := (StuckFlits.into channel node header).
  Notation only := (StuckFlits.only channel node header).
  Notation N := (Reference.network_of channel node header same same_header row).
  Notation offers := (Reference.offers channel node header row).
  Variable rank : channel -> nat.
  Hypothesis lowers : lowered N rank.

  (* ---- lists ---- *)

  Lemma last_of : forall (q : list piece), q = [] \/ exists A p, q = A ++ [p].
  Proof. intro q; destruct q as [|x q]; [auto|]; right; destruct (exists_last (l := x :: q)) as (A & p & E); [discriminate | eauto]. Qed.
  Lemma last_rest_app : forall (A : list piece) p, last_rest (A ++ [p]) = rest p.
  Proof. intros A p; unfold last_rest; rewrite rev_app_distr; reflexivity. Qed.
  Lemma last_rest_cons : forall p (q : list piece), q <> [] -> last_rest (p :: q) = last_rest q.
  Proof.
    intros p q H; destruct (last_of q) as [->|(A & x & ->)]; [contradiction|]; rewrite app_comm_cons, !last_rest_app; reflexivity.
  Qed.
  Lemma change_last_app : forall (A : list piece) p f, change_last (A ++ [p]) f = A ++ [f p].
  Proof. intros A p f; unfold Reference.change_last; rewrite rev_app_distr; cbn; rewrite rev_involutive; reflexivity. Qed.
  Lemma set_at : forall s c q, queue (set_queue s c q) c = q.
  Proof. exact (StuckFlits.set_at _ _ _ same). Qed.
  Lemma set_other : forall s c q d, d <> c -> queue (set_queue s c q) d = queue s d.
  Proof. exact (StuckFlits.set_only _ _ _ same). Qed.
  Lemma fed_not : forall s b c, into s b c -> fed s c <> None.
  Proof. intros s b c I F; exact (StuckFlits.fed_none _ _ _ same channels all_channels s c F b I). Qed.

  (* ---- what every state keeps ---- *)

  (* In each channel the first packet alone may have sent its head on, and the last one alone may still be entering; it
     enters from its source or from one channel, of higher rank. A first packet without a flit here waits for those behind,
     except in the channels of [but]. *)
  Record fine (but : channel -> Prop) (s : state) : Prop := {
    first_goes : forall c p q x, queue s c = p :: q -> In x q -> gone x = None /\ 0 < flits x;
    last_enters : forall c A p x, queue s c = A ++ [p] -> In x A -> rest x = 0;
    feeder : forall b b' c, into s b c -> into s b' c -> b = b';
    there : forall b c, into s b c -> queue s c <> [];
    all_sent : forall b c, into s b c -> last_rest (queue s c) = 0;
    downward : forall b c, into s b c -> rank c < rank b;
    at_site : forall c p, In p (queue s c) -> gone p = None -> reached N (c, name p);
    flitless : forall c p q, queue s c = p :: q -> flits p = 0 ->
      q = [] /\ gone p <> None /\ (but c \/ 0 < rest p \/ exists b, into s b c) }.
  Definition none (c : channel) := False.

  Lemma fine_same : forall but s s', fine but s -> (forall c, queue s' c = queue s c) -> fine but s'.
  Proof.
    intros but s s' H E; assert (I : forall b c, into s' b c <-> into s b c) by (intros; unfold StuckFlits.into; rewrite E; tauto).
    split.
    - intros c p q x; rewrite E; apply (first_goes _ _ H).
    - intros c A p x; rewrite E; apply (last_enters _ _ H).
    - intros b b' c K L; apply I in K; apply I in L; exact (feeder _ _ H b b' c K L).
    - intros b c K; apply I in K; rewrite E; exact (there _ _ H b c K).
    - intros b c K; apply I in K; rewrite E; exact (all_sent _ _ H b c K).
    - intros b c K; apply I in K; exact (downward _ _ H b c K).
    - intros c p; rewrite E; apply (at_site _ _ H).
    - intros c p q; rewrite E; intros Q F; destruct (flitless _ _ H c p q Q F) as (A & B & [C|[C|(b & C)]]); split; auto; split; auto.
      right; right; exists b; apply I; exact C.
  Qed.

  Lemma fine_but : forall (but but' : channel -> Prop) s, fine but s ->
    (forall c p, but c -> queue s c = [p] -> flits p = 0 -> but' c \/ 0 < rest p \/ exists b, into s b c) -> fine but' s.
  Proof.
    intros but but' s H K; destruct H as [H1 H2 H3 H4 H5 H6 H7 H8]; split; auto.
    intros c p q Q F; destruct (H8 c p q Q F) as (-> & B & [C|C]); split; auto; split; auto; exact (K c p C Q F).
  Qed.

  (* The last packet of a channel without a flit there is its only one, and its head is on. *)
  Lemma lone : forall but s c A p, fine but s -> queue s c = A ++ [p] -> flits p = 0 -> A = [] /\ gone p <> None.
  Proof.
    intros but s c A p H Q F; destruct A as [|a A]; cbn in Q.
    - split; [reflexivity|]; exact (proj1 (proj2 (flitless _ _ H c p [] Q F))).
    - destruct (first_goes _ _ H c a (A ++ [p]) p Q) as [_ G]; [apply in_or_app; right; left; reflexivity | lia].
  Qed.

  (* Another last piece goes where the old one went. *)
  Lemma into_last : forall s s' c A p p', only s s' c -> queue s c = A ++ [p] -> queue s' c = A ++ [p'] -> gone p' = gone p ->
    forall b d, into s' b d <-> into s b d.
  Proof.
    intros s s' c A p p' O Q Q' G b d; unfold StuckFlits.into; destruct (same b c) as [->|Z]; [|rewrite (O b Z); tauto].
    rewrite Q, Q'; destruct A as [|a A]; cbn; split; intros (x & q & k & E & F); injection E as <- <-.
    - exists p, [], k; split; [reflexivity | congruence].
    - exists p', [], k; split; [reflexivity | congruence].
    - exists a, (A ++ [p]), k; auto.
    - exists a, (A ++ [p']), k; auto.
  Qed.

  (* The last piece of a channel gets a flit, or its source sends no more. *)
  Lemma fine_last : forall (but but' : channel -> Prop) s s' c A p p', fine but s -> only s s' c -> queue s c = A ++ [p] ->
    queue s' c = A ++ [p'] -> name p' = name p -> gone p' = gone p -> flits p <= flits p' -> rest p' <= rest p ->
    (flits p' = 0 -> but' c) -> (forall d, d <> c -> but d -> but' d) -> fine but' s'.
  Proof.
    intros but but' s s' c A p p' H O Q Q' Nm G F R B1 B2; pose proof (into_last s s' c A p p' O Q Q' G) as I; split.
    - intros d x q y E K; destruct (same d c) as [->|Z]; [|rewrite (O d Z) in E; exact (first_goes _ _ H d x q y E K)].
      rewrite Q' in E; destruct A as [|a A]; cbn in E; injection E as <- <-; [destruct K|].
      apply in_app_or in K; destruct K as [K|[<-|[]]].
      + apply (first_goes _ _ H c a (A ++ [p]) y Q), in_or_app; auto.
      + destruct (first_goes _ _ H c a (A ++ [p]) p Q) as [G0 F0]; [apply in_or_app; right; left; reflexivity|]; rewrite G; split; [exact G0 | lia].
    - intros d B x y E K; destruct (same d c) as [->|Z]; [|rewrite (O d Z) in E; exact (last_enters _ _ H d B x y E K)].
      rewrite Q' in E; apply app_inj_tail in E; destruct E as [<- _]; exact (last_enters _ _ H c A p y Q K).
    - intros b b' d K L; apply I in K; apply I in L; exact (feeder _ _ H b b' d K L).
    - intros b d K; destruct (same d c) as [->|Z]; [rewrite Q'; destruct A; discriminate|].
      rewrite (O d Z); apply I in K; exact (there _ _ H b d K).
    - intros b d K; apply I in K; pose proof (all_sent _ _ H b d K) as L; destruct (same d c) as [->|Z]; [|rewrite (O d Z); exact L].
      rewrite Q, last_rest_app in L; rewrite Q', last_rest_app; lia.
    - intros b d K; apply I in K; exact (downward _ _ H b d K).
    - intros d x K L; destruct (same d c) as [->|Z]; [|rewrite (O d Z) in K; exact (at_site _ _ H d x K L)].
      rewrite Q' in K; apply in_app_or in K; destruct K as [K|[<-|[]]].
      + apply (at_site _ _ H c x); [rewrite Q; apply in_or_app; auto | exact L].
      + rewrite Nm; apply (at_site _ _ H c p); [rewrite Q; apply in_or_app; right; left; reflexivity | congruence].
    - intros d x q E L; destruct (same d c) as [->|Z].
      + rewrite Q' in E; destruct A as [|a A]; cbn in E; injection E as <- <-.
        * destruct (flitless _ _ H c p [] Q ltac:(lia)) as (_ & G0 & _); split; [reflexivity | split; [congruence | left; exact (B1 L)]].
        * destruct (flitless _ _ H c a (A ++ [p]) Q L) as (X & _); destruct A; discriminate.
      + rewrite (O d Z) in E; destruct (flitless _ _ H d x q E L) as (X & Y & [K|[K|(b & K)]]); split; auto; split; auto.
        right; right; exists b; apply I; exact K.
  Qed.

  (* A head enters a channel that nobody is entering. *)
  Lemma fine_append : forall s s' d y, fine none s -> only s s' d -> queue s' d = queue s d ++ [y] -> gone y = None -> flits y = 1 ->
    reached N (d, name y) -> (forall b, ~ into s b d) -> last_rest (queue s d) = 0 -> fine none s'.
  Proof.
    intros s s' d y H O Q' G F Rch U L.
    assert (I : forall b c, into s' b c <-> into s b c).
    { intros b c; unfold StuckFlits.into; destruct (same b d) as [->|Z]; [|rewrite (O b Z); tauto].
      rewrite Q'; destruct (queue s d) as [|p q]; cbn; split; intros (x & t & k & E & K).
      - injection E as <- <-; congruence.
      - discriminate.
      - injection E as <- <-; exists p, q, k; auto.
      - injection E as <- <-; exists p, (q ++ [y]), k; auto. }
    split.
    - intros c p q x E K; destruct (same c d) as [->|Z]; [|rewrite (O c Z) in E; exact (first_goes _ _ H c p q x E K)].
      rewrite Q' in E; destruct (queue s d) as [|a t] eqn:Q; cbn in E; injection E as <- <-; [destruct K|].
      apply in_app_or in K; destruct K as [K|[<-|[]]]; [exact (first_goes _ _ H d a t x Q K) | split; [exact G | lia]].
    - intros c A p x E K; destruct (same c d) as [->|Z]; [|rewrite (O c Z) in E; exact (last_enters _ _ H c A p x E K)].
      rewrite Q' in E; apply app_inj_tail in E; destruct E as [<- _].
      destruct (last_of (queue s d)) as [Q|(B & z & Q)]; rewrite Q in K; [destruct K|].
      apply in_app_or in K; destruct K as [K|[<-|[]]]; [exact (last_enters _ _ H d B z x Q K)|].
      rewrite Q, last_rest_app in L; exact L.
    - intros b b' c K M; apply I in K; apply I in M; exact (feeder _ _ H b b' c K M).
    - intros b c K; apply I in K; destruct (same c d) as [->|Z]; [destruct (U b K) | rewrite (O c Z); exact (there _ _ H b c K)].
    - intros b c K; apply I in K; destruct (same c d) as [->|Z]; [destruct (U b K) | rewrite (O c Z); exact (all_sent _ _ H b c K)].
    - intros b c K; apply I in K; exact (downward _ _ H b c K).
    - intros c p K M; destruct (same c d) as [->|Z]; [|rewrite (O c Z) in K; exact (at_site _ _ H c p K M)].
      rewrite Q' in K; apply in_app_or in K; destruct K as [K|[<-|[]]]; [exact (at_site _ _ H d p K M) | exact Rch].
    - intros c p q E K; destruct (same c d) as [->|Z].
      + rewrite Q' in E; destruct (queue s d) as [|a t] eqn:Q; cbn in E; injection E as <- <-; [lia|]; exfalso.
        destruct (flitless _ _ H d a t Q K) as (-> & _ & [[]|[X|(b & X)]]); [|exact (U b X)].
        change [a] with ([] ++ [a]) in L; rewrite last_rest_app in L; lia.
      + rewrite (O c Z) in E; destruct (flitless _ _ H c p q E K) as (X & Y & [[]|[W|(b & W)]]); split; auto; split; auto.
        right; right; exists b; apply I; exact W.
  Qed.

  (* A head goes on from c: into a channel below, where it is the last one now, or out of the network. *)
  Definition marked (p : piece) (w : way) : piece := {| name := name p; flits := flits p; rest := rest p; gone := Some w |}.
  Lemma fine_mark : forall s s' c p q w, fine none s -> only s s' c -> queue s c = p :: q -> queue s' c = marked p w :: q ->
    gone p = None -> (forall d k, w = Into d k -> rank d < rank c /\ queue s d <> [] /\ last_rest (queue s d) = 0 /\ forall b, ~ into s b d) ->
    fine none s'.
  Proof.
    intros s s' c p q w H O Q Q' G D.
    assert (I1 : forall b y, into s' b y -> into s b y \/ b = c /\ exists k, w = Into y k).
    { intros b y (x & t & k & E & K); destruct (same b c) as [->|Z]; [|left; exists x, t, k; rewrite <- (O b Z); auto].
      rewrite Q' in E; injection E as <- <-; cbn in K; injection K as ->; right; eauto. }
    assert (I2 : forall b y, into s b y -> into s' b y).
    { intros b y (x & t & k & E & K); destruct (same b c) as [->|Z]; [rewrite Q in E; injection E as <- <-; congruence|].
      exists x, t, k; rewrite (O b Z); auto. }
    assert (Flits : 0 < flits p).
    { destruct (Nat.eq_dec (flits p) 0) as [E|E]; [|lia]; destruct (flitless _ _ H c p q Q E) as (_ & X & _); contradiction. }
    assert (LR : forall d, last_rest (queue s' d) = last_rest (queue s d)).
    { intro d; destruct (same d c) as [->|Z]; [|rewrite (O d Z); reflexivity]; rewrite Q, Q'.
      destruct (last_of q) as [->|(A & z & ->)]; [reflexivity|]; rewrite !app_comm_cons, !last_rest_app; reflexivity. }
    split.
    - intros d x t y E K; destruct (same d c) as [->|Z]; [|rewrite (O d Z) in E; exact (first_goes _ _ H d x t y E K)].
      rewrite Q' in E; injection E as <- <-; exact (first_goes _ _ H c p q y Q K).
    - intros d A x y E K; destruct (same d c) as [->|Z]; [|rewrite (O d Z) in E; exact (last_enters _ _ H d A x y E K)].
      rewrite Q' in E; destruct A as [|a A]; [destruct K|]; cbn in E; injection E as <- E; subst q; rewrite app_comm_cons in Q.
      destruct K as [<-|K]; [exact (last_enters _ _ H c (p :: A) x p Q (or_introl eq_refl)) | exact (last_enters _ _ H c (p :: A) x y Q (or_intror K))].
    - intros b b' y K M; destruct (I1 b y K) as [K'|(-> & k & E)], (I1 b' y M) as [M'|(-> & k' & E')].
      + exact (feeder _ _ H b b' y K' M').
      + destruct (D y k' E') as (_ & _ & _ & U); destruct (U b K').
      + destruct (D y k E) as (_ & _ & _ & U); destruct (U b' M').
      + reflexivity.
    - intros b y K; destruct (same y c) as [->|Z]; [rewrite Q'; discriminate|]; rewrite (O y Z).
      destruct (I1 b y K) as [K'|(-> & k & E)]; [exact (there _ _ H b y K') | exact (proj1 (proj2 (D y k E)))].
    - intros b y K; rewrite LR; destruct (I1 b y K) as [K'|(-> & k & E)]; [exact (all_sent _ _ H b y K') | exact (proj1 (proj2 (proj2 (D y k E))))].
    - intros b y K; destruct (I1 b y K) as [K'|(-> & k & E)]; [exact (downward _ _ H b y K') | exact (proj1 (D y k E))].
    - intros d x K L; destruct (same d c) as [->|Z]; [|rewrite (O d Z) in K; exact (at_site _ _ H d x K L)].
      rewrite Q' in K; destruct K as [<-|K]; [discriminate|]; apply (at_site _ _ H c x); [rewrite Q; right; exact K | exact L].
    - intros d x t E L; destruct (same d c) as [->|Z].
      + rewrite Q' in E; injection E as <- <-; cbn in L; lia.
      + rewrite (O d Z) in E; destruct (flitless _ _ H d x t E L) as (X & Y & [[]|[K|(b & K)]]); split; auto; split; auto.
        right; right; exists b; exact (I2 b d K).
  Qed.

  (* ---- a flit leaves a channel ---- *)

  Definition less (p : piece) : piece := {| name := name p; flits := flits p - 1; rest := rest p; gone := gone p |}.
  Lemma leave_is : forall s c p q, queue s c = p :: q ->
    leave_from s c = set_queue s c (less p :: q) /\ (flits p - 1 = 0 -> rest p = 0 -> q = [] /\ exists b, into s b c) \/
    leave_from s c = set_queue s c q /\ flits p - 1 = 0 /\ rest p = 0 /\ (q = [] -> forall b, ~ into s b c).
  Proof.
    intros s c p q Q; unfold Reference.leave_from; rewrite one_by_one; cbn [andb]; cbv zeta; rewrite Q; cbn [flits rest name gone].
    destruct (Nat.eqb_spec (flits p - 1) 0) as [E1|E1]; cbn [andb]; [|left; split; [reflexivity | intros; contradiction]].
    destruct (Nat.eqb_spec (rest p) 0) as [E2|E2]; cbn [andb]; [|left; split; [reflexivity | intros; contradiction]].
    destruct (fed s c) as [b|] eqn:F; destruct q as [|x q].
    - left; split; [reflexivity|]; intros _ _; split; [reflexivity|]; exists b; exact (StuckFlits.fed_into _ _ _ same channels s c b F).
    - right; split; [reflexivity | split; [exact E1 | split; [exact E2 | discriminate]]].
    - right; split; [reflexivity | split; [exact E1 | split; [exact E2 | intros _]]].
      exact (StuckFlits.fed_none _ _ _ same channels all_channels s c F).
    - right; split; [reflexivity | split; [exact E1 | split; [exact E2 | discriminate]]].
  Qed.

  Lemma fine_leave : forall s c p q w, fine none s -> queue s c = p :: q -> gone p = Some w -> 0 < flits p ->
    (forall d k A x, w = Into d k -> queue s d = A ++ [x] -> 0 < flits x) -> fine none (leave_from s c).
  Proof.
    intros s c p q w H Q G F W; destruct (leave_is s c p q Q) as [[E Z]|(E & Z1 & Z2 & Z3)]; rewrite E; clear E.
    - set (s' := set_queue s c (less p :: q)).
      assert (Q' : queue s' c = less p :: q) by apply set_at.
      assert (O : forall d, d <> c -> queue s' d = queue s d) by (intros d D; apply set_other; exact D).
      clearbody s'.
      assert (I : forall b y, into s' b y <-> into s b y).
      { intros b y; unfold StuckFlits.into; destruct (same b c) as [->|D]; [|rewrite (O b D); tauto].
        rewrite Q, Q'; split; intros (x & t & k & E & K); injection E as <- <-; [exists p, q, k | exists (less p), q, k]; auto. }
      split.
      + intros d x t y E K; destruct (same d c) as [->|D]; [|rewrite (O d D) in E; exact (first_goes _ _ H d x t y E K)].
        rewrite Q' in E; injection E as <- <-; exact (first_goes _ _ H c p q y Q K).
      + intros d A x y E K; destruct (same d c) as [->|D]; [|rewrite (O d D) in E; exact (last_enters _ _ H d A x y E K)].
        rewrite Q' in E; destruct A as [|a A]; [destruct K|]; cbn in E; injection E as <- E; subst q; rewrite app_comm_cons in Q.
        destruct K as [<-|K]; [exact (last_enters _ _ H c (p :: A) x p Q (or_introl eq_refl)) | exact (last_enters _ _ H c (p :: A) x y Q (or_intror K))].
      + intros b b' y K M; apply I in K; apply I in M; exact (feeder _ _ H b b' y K M).
      + intros b y K; destruct (same y c) as [->|D]; [rewrite Q'; discriminate|]; rewrite (O y D); apply I in K; exact (there _ _ H b y K).
      + intros b y K; apply I in K; pose proof (all_sent _ _ H b y K) as L; destruct (same y c) as [->|D]; [|rewrite (O y D); exact L].
        rewrite Q in L; rewrite Q'; destruct (last_of q) as [->|(A & z & ->)]; [exact L|].
        rewrite !app_comm_cons, !last_rest_app in *; exact L.
      + intros b y K; apply I in K; exact (downward _ _ H b y K).
      + intros d x K L; destruct (same d c) as [->|D]; [|rewrite (O d D) in K; exact (at_site _ _ H d x K L)].
        rewrite Q' in K; destruct K as [<-|K]; [cbn in L; congruence|]; apply (at_site _ _ H c x); [rewrite Q; right; exact K | exact L].
      + intros d x t E L; destruct (same d c) as [->|D].
        * rewrite Q' in E; injection E as <- <-; cbn in L; cbn [gone rest less]; destruct (Nat.eq_dec (rest p) 0) as [R|R].
          -- destruct (Z L R) as (-> & b & K); split; [reflexivity | split; [congruence | right; right; exists b; apply I; exact K]].
          -- split; [|split; [congruence | right; left; lia]]; destruct (last_of q) as [|(A & z & ->)]; [assumption | exfalso; apply R].
             rewrite app_comm_cons in Q; exact (last_enters _ _ H c (p :: A) z p Q (or_introl eq_refl)).
        * rewrite (O d D) in E; destruct (flitless _ _ H d x t E L) as (X & Y & [[]|[K|(b & K)]]); split; auto; split; auto.
          right; right; exists b; apply I; exact K.
    - set (s' := set_queue s c q).
      assert (Q' : queue s' c = q) by apply set_at.
      assert (O : forall d, d <> c -> queue s' d = queue s d) by (intros d D; apply set_other; exact D).
      clearbody s'.
      assert (I1 : forall b y, into s' b y -> into s b y /\ b <> c).
      { intros b y (x & t & k & E & K); destruct (same b c) as [->|D].
        - rewrite Q' in E; destruct (first_goes _ _ H c p q x Q) as [X _]; [rewrite E; left; reflexivity | congruence].
        - split; [exists x, t, k; rewrite <- (O b D); auto | exact D]. }
      assert (I2 : forall b y, into s b y -> b <> c -> into s' b y).
      { intros b y (x & t & k & E & K) D; exists x, t, k; rewrite (O b D); auto. }
      assert (Ne : forall b, into s b c -> q <> []) by (intros b K E; exact (Z3 E b K)).
      split.
      + intros d x t y E K; destruct (same d c) as [->|D]; [|rewrite (O d D) in E; exact (first_goes _ _ H d x t y E K)].
        rewrite Q' in E; apply (first_goes _ _ H c p q y Q); rewrite E; right; exact K.
      + intros d A x y E K; destruct (same d c) as [->|D]; [|rewrite (O d D) in E; exact (last_enters _ _ H d A x y E K)].
        rewrite Q' in E; rewrite E, app_comm_cons in Q; exact (last_enters _ _ H c (p :: A) x y Q (or_intror K)).
      + intros b b' y K M; apply I1 in K; apply I1 in M; exact (feeder _ _ H b b' y (proj1 K) (proj1 M)).
      + intros b y K; apply I1 in K; destruct K as [K _]; destruct (same y c) as [->|D]; [rewrite Q'; exact (Ne b K)|].
        rewrite (O y D); exact (there _ _ H b y K).
      + intros b y K; apply I1 in K; destruct K as [K _]; pose proof (all_sent _ _ H b y K) as L.
        destruct (same y c) as [->|D]; [|rewrite (O y D); exact L]; rewrite Q', <- (last_rest_cons p q (Ne b K)), <- Q; exact L.
      + intros b y K; apply I1 in K; exact (downward _ _ H b y (proj1 K)).
      + intros d x K L; destruct (same d c) as [->|D]; [|rewrite (O d D) in K; exact (at_site _ _ H d x K L)].
        rewrite Q' in K; apply (at_site _ _ H c x); [rewrite Q; right; exact K | exact L].
      + intros d x t E L; destruct (same d c) as [->|D].
        * rewrite Q' in E; destruct (first_goes _ _ H c p q x Q) as [_ X]; [rewrite E; left; reflexivity | lia].
        * rewrite (O d D) in E; destruct (flitless _ _ H d x t E L) as (X & Y & [[]|[K|(b & K)]]); split; auto; split; auto.
          right; right; exists b; apply I2; [exact K | intros ->]; subst t.
          destruct K as (p' & q' & k & E' & G'); rewrite Q in E'; injection E' as <- <-; rewrite G in G'; injection G' as ->.
          specialize (W d k [] x eq_refl E); lia.
  Qed.

  (* ---- a source ends its packet ---- *)

  Definition count (c : channel) := length (filter (fun x => rank x <=? rank c) channels).
  Lemma fewer : forall (f g : channel -> bool) l c, (forall x, f x = true -> g x = true) -> In c l -> f c = false -> g c = true ->
    length (filter f l) < length (filter g l).
  Proof.
    intros f g l c H; assert (Le : forall m, length (filter f m) <= length (filter g m)).
    { induction m as [|x m IH]; [reflexivity|]; cbn; specialize (H x).
      destruct (f x); [rewrite (H eq_refl); cbn; lia | destruct (g x); cbn; lia]. }
    induction l as [|x l IH]; intros I F G; [destruct I|]; cbn; destruct I as [->|K].
    - rewrite F, G; cbn; specialize (Le l); lia.
    - specialize (IH K F G); pose proof (H x) as Hx; destruct (f x); [rewrite (Hx eq_refl); cbn; lia | destruct (g x); cbn; lia].
  Qed.
  Lemma count_all : forall c, count c <= length channels.
  Proof.
    intro c; unfold count; generalize channels; intro l; induction l as [|x l IH]; [reflexivity|]; cbn; destruct (rank x <=? rank c); cbn; lia.
  Qed.
  Lemma count_lower : forall c d, rank d < rank c -> count d < count c.
  Proof.
    intros c d L; unfold count; apply (fewer _ _ channels c).
    - intros x E; apply Nat.leb_le in E; apply Nat.leb_le; lia.
    - apply all_channels.
    - apply Nat.leb_gt; exact L.
    - apply Nat.leb_refl.
  Qed.

  Lemma fine_drop : forall s c p w, fine (eq c) s -> queue s c = [p] -> gone p = Some w -> (forall b, ~ into s b c) ->
    fine (fun d => exists k, w = Into d k) (set_queue s c []).
  Proof.
    intros s c p w H Q G U; set (s' := set_queue s c []).
    assert (Q' : queue s' c = []) by apply set_at.
    assert (O : forall d, d <> c -> queue s' d = queue s d) by (intros d D; apply set_other; exact D).
    clearbody s'.
    assert (I : forall b y, into s' b y -> into s b y /\ b <> c).
    { intros b y (x & t & k & E & K); destruct (same b c) as [->|D]; [rewrite Q' in E; discriminate|].
      split; [exists x, t, k; rewrite <- (O b D); auto | exact D]. }
    assert (C : forall y b, into s' b y -> y <> c) by (intros y b K ->; exact (U b (proj1 (I b c K)))).
    split.
    - intros d x t y E K; destruct (same d c) as [->|D]; [rewrite Q' in E; discriminate | rewrite (O d D) in E; exact (first_goes _ _ H d x t y E K)].
    - intros d A x y E K; destruct (same d c) as [->|D]; [rewrite Q' in E; destruct A; discriminate | rewrite (O d D) in E; exact (last_enters _ _ H d A x y E K)].
    - intros b b' y K M; exact (feeder _ _ H b b' y (proj1 (I b y K)) (proj1 (I b' y M))).
    - intros b y K; rewrite (O y (C y b K)); exact (there _ _ H b y (proj1 (I b y K))).
    - intros b y K; rewrite (O y (C y b K)); exact (all_sent _ _ H b y (proj1 (I b y K))).
    - intros b y K; exact (downward _ _ H b y (proj1 (I b y K))).
    - intros d x K L; destruct (same d c) as [->|D]; [rewrite Q' in K; destruct K | rewrite (O d D) in K; exact (at_site _ _ H d x K L)].
    - intros d x t E L; destruct (same d c) as [->|D]; [rewrite Q' in E; discriminate|]; rewrite (O d D) in E.
      destruct (flitless _ _ H d x t E L) as (X & Y & [K|[K|(b & K)]]); split; auto; split; auto; [congruence|].
      destruct (same b c) as [->|B].
      + left; destruct K as (p' & q' & k & E' & G'); rewrite Q in E'; injection E' as <- <-; rewrite G in G'; injection G' as ->; eauto.
      + right; right; exists b; destruct K as (p' & q' & k & E' & G'); exists p', q', k; rewrite (O b B); auto.
  Qed.

  Lemma fine_give_up : forall n s c, fine (eq c) s -> (forall b, ~ into s b c) -> last_rest (queue s c) = 0 -> count c < n ->
    fine none (give_up s n c).
  Proof.
    induction n as [|n IH]; intros s c H U L Hn; [lia|]; cbn [Reference.give_up].
    assert (Other : (forall p, queue s c = [p] -> flits p = 0 -> False) -> fine none s).
    { intro K; apply (fine_but (eq c) none s H); intros d p <- Q F; destruct (K p Q F). }
    destruct (rev (queue s c)) as [|[nm f r g] before] eqn:R.
    - apply Other; intros p Q _; rewrite Q in R; discriminate.
    - assert (Q : queue s c = rev before ++ [{| name := nm; flits := f; rest := r; gone := g |}])
        by (rewrite <- (rev_involutive (queue s c)), R; reflexivity).
      destruct f as [|f].
      + destruct (lone _ s c _ _ H Q eq_refl) as [E G]; cbn in G; destruct g as [w|]; [|contradiction].
        rewrite E in *; cbn [app] in Q; clear Other.
        pose proof (fine_drop s c _ w H Q eq_refl U) as D; destruct w as [d k| |].
        * assert (K : into s c d) by (eexists _, _, k; split; [exact Q | reflexivity]).
          pose proof (downward _ _ H c d K) as Low; assert (Ne : d <> c) by (intros ->; lia).
          apply IH.
          -- apply (fine_but _ _ _ D); intros x p (k' & X) _ _; injection X as -> _; auto.
          -- intros b (x & t & k' & E' & G'); destruct (same b c) as [->|B]; [rewrite set_at in E'; discriminate|].
             rewrite set_other in E' by exact B; apply B, (feeder _ _ H b c d); [exists x, t, k'; auto | exact K].
          -- rewrite set_other by exact Ne; exact (all_sent _ _ H c d K).
          -- pose proof (count_lower c d Low); lia.
        * apply (fine_but _ _ _ D); intros x p (k' & X); discriminate.
        * apply (fine_but _ _ _ D); intros x p (k' & X); discriminate.
      + apply Other; intros p Q2 F; rewrite Q2 in Q; change [p] with ([] ++ [p]) in Q; apply app_inj_tail in Q.
        destruct Q as [_ ->]; discriminate.
  Qed.

  (* ---- every move keeps it ---- *)

  Lemma accepts_free : forall s p x d k, fine none s -> to x = Into d k -> accepts s p x = true ->
    (forall b, ~ into s b d) /\ last_rest (queue s d) = 0.
  Proof.
    intros s p x d k H E A; unfold Reference.accepts in A; rewrite E in A; destruct (atomic sc).
    - destruct (queue s d) as [|y q] eqn:Q; [|discriminate]; split; [|reflexivity]; intros b K; exact (there _ _ H b d K Q).
    - apply andb_true_iff in A; destruct A as [_ A]; apply negb_true_iff in A; unfold Reference.entering in A.
      destruct (fed s d) as [b|] eqn:F; [discriminate|]; apply Nat.ltb_ge in A; split; [|lia].
      exact (StuckFlits.fed_none _ _ _ same channels all_channels s d F).
  Qed.
  Lemma enters_site : forall v h r x d k, row (Reference.Source v) h = Some r ->
    Reference.find_hop channel header same same_header r (Into d k) = Some x -> reached N (d, k).
  Proof. intros v h r x d k R F; apply reached_first; exists v, h, r, x; auto. Qed.
  Lemma offers_in : forall c h r x, row (Inside c) h = Some r -> In x r -> offers (c, h) (Reference.meaning channel header x).
  Proof. intros c h r x E Hx; unfold Reference.offers, Reference.row_of; cbn; rewrite E; apply in_map; exact Hx. Qed.
  Lemma goes_to : forall c h r x d k, row (Inside c) h = Some r -> In x r -> to x = Into d k -> reached N (c, h) ->
    reached N (d, k) /\ rank d < rank c.
  Proof.
    intros c h r x d k R K E Rch; pose proof (offers_in c h r x R K) as Of; unfold Reference.meaning in Of; rewrite E in Of.
    assert (Al : alternative N (c, h) (offers (c, h))) by (split; [cbn; congruence | reflexivity]).
    split; [exact (reached_next N _ _ _ Rch Al Of) | exact (lowers _ _ _ Rch Al Of)].
  Qed.

  Definition fresh (k : header) (n : nat) : piece := {| name := k; flits := 1; rest := n; gone := None |}.
  Notation arrive := (Reference.arrive channel node header same same_node head sc).
  Notation mark_gone := (Reference.mark_gone channel node header same).

  (* The states on the way of a head from c. *)
  Lemma head_goes : forall s c p q r x w, fine none s -> queue s c = p :: q -> gone p = None -> row (Inside c) (name p) = Some r ->
    In x r -> to x = w -> accepts s (Inside c) x = true ->
    exists s2, leave_from (mark_gone (arrive s (Inside c) w) c w) c = leave_from s2 c /\ fine none s2 /\
      queue s2 c = marked p w :: q /\ (forall d k A y, w = Into d k -> queue s2 d = A ++ [y] -> 0 < flits y) /\
      forall e, e <> c -> queue s2 e = match w with Into d k => if same e d then queue s d ++ [fresh k 0] else queue s e | _ => queue s e end.
  Proof.
    intros s c p q r x w H Q G R K E A; eexists; split; [reflexivity|].
    assert (Rch : reached N (c, name p)) by (apply (at_site _ _ H c p); [rewrite Q; left; reflexivity | exact G]).
    assert (Out : forall s1, (forall e, queue s1 e = queue s e) -> (forall d k, w <> Into d k) ->
      fine none (mark_gone s1 c w) /\ queue (mark_gone s1 c w) c = marked p w :: q /\ forall e, e <> c -> queue (mark_gone s1 c w) e = queue s e).
    { intros s1 S1 Nw; pose proof (fine_same none s s1 H S1) as H1; unfold Reference.mark_gone; rewrite (S1 c), Q.
      split; [|split; [apply set_at | intros e Ne; rewrite set_other by exact Ne; apply S1]].
      apply (fine_mark s1 _ c p q w H1); [intros e Ne; apply set_other; exact Ne | rewrite S1; exact Q | apply set_at | exact G |].
      intros d k X; destruct (Nw d k X). }
    destruct w as [d k| |].
    - destruct (goes_to c (name p) r x d k R K E Rch) as [Rd Low]; destruct (accepts_free s _ x d k H E A) as [U L].
      assert (Ne : c <> d) by (intros ->; lia).
      set (s1 := arrive s (Inside c) (Into d k)).
      assert (Q1 : queue s1 d = queue s d ++ [fresh k 0]) by apply set_at.
      assert (O1 : forall e, e <> d -> queue s1 e = queue s e) by (intros e X; apply set_other; exact X).
      assert (H1 : fine none s1) by exact (fine_append s s1 d (fresh k 0) H O1 Q1 eq_refl eq_refl Rd U L).
      assert (Qc : queue s1 c = p :: q) by (rewrite (O1 c Ne); exact Q).
      unfold Reference.mark_gone; rewrite Qc; fold (marked p (Into d k)).
      assert (O2 : forall e, e <> c -> queue (set_queue s1 c (marked p (Into d k) :: q)) e = queue s1 e) by (intros e X; apply set_other; exact X).
      split; [|split; [apply set_at | split]].
      + apply (fine_mark s1 _ c p q (Into d k) H1 O2 Qc (set_at _ _ _) G); intros d' k' X; injection X as <- <-.
        split; [exact Low | split; [rewrite Q1; destruct (queue s d); discriminate | split; [rewrite Q1, last_rest_app; reflexivity|]]].
        intros b (y & t & j & E' & G'); destruct (same b d) as [->|B].
        * apply (U d); rewrite Q1 in E'; destruct (queue s d) as [|z t'] eqn:Qd; cbn in E'; injection E' as <- <-; [discriminate|].
          exists z, t', j; auto.
        * apply (U b); rewrite (O1 b B) in E'; exists y, t, j; auto.
      + intros d' k' B y X Y; injection X as <- <-; rewrite (O2 d) in Y by congruence; rewrite Q1 in Y; apply app_inj_tail in Y.
        destruct Y as [_ <-]; cbn; lia.
      + intros e X; rewrite (O2 e X); destruct (same e d) as [->|D]; [exact Q1 | exact (O1 e D)].
    - destruct (Out (arrive s (Inside c) Eject)) as (X & Y & Z); [|discriminate|split; [exact X | split; [exact Y | split; [discriminate | exact Z]]]].
      intro e; unfold Reference.arrive; destruct (sink sc =? 0); reflexivity.
    - destruct (Out (arrive s (Inside c) Discard)) as (X & Y & Z); [reflexivity | discriminate|split; [exact X | split; [exact Y | split;
      [discriminate | exact Z]]]].
  Qed.
  Lemma leave_out : forall s c p q w, fine none s -> queue s c = p :: q -> gone p = Some w -> 0 < flits p -> (forall d k, w <> Into d k) ->
    fine none (leave_from s c).
  Proof. intros s c p q w H Q G F Nw; apply (fine_leave s c p q w H Q G F); intros d k A x E; destruct (Nw d k E). Qed.

  (* What a flit that follows its head does. *)
  Lemma follows : forall s c p q d k, fine none s -> queue s c = p :: q -> gone p = Some (Into d k) -> 0 < flits p ->
    let s1 := set_queue s d (change_last (queue s d) (Reference.one_more channel header)) in
    fine none (leave_from s1 c) /\ queue s1 c = p :: q /\ c <> d.
  Proof.
    intros s c p q d k H Q G F s1; assert (K : into s c d) by (exists p, q, k; auto).
    pose proof (downward _ _ H c d K) as Low; assert (Ne : c <> d) by (intros ->; lia).
    destruct (last_of (queue s d)) as [E|(A & y & E)]; [destruct (there _ _ H c d K E)|].
    assert (Q1 : queue s1 d = A ++ [Reference.one_more channel header y]) by (unfold s1; rewrite set_at, E; apply change_last_app).
    assert (Qc : queue s1 c = p :: q) by (unfold s1; rewrite set_other by exact Ne; exact Q).
    split; [|split; [exact Qc | exact Ne]]; apply (fine_leave s1 c p q (Into d k)); [|exact Qc | exact G | exact F|].
    - apply (fine_last none none s s1 d A y (Reference.one_more channel header y) H); [intros e X; apply set_other;
      exact X | exact E | exact Q1 | reflexivity | reflexivity | cbn; lia | cbn; lia | cbn; lia | auto].
    - intros d' k' B z X Y; injection X as <- <-; rewrite Q1 in Y; apply app_inj_tail in Y; destruct Y as [_ <-]; cbn; lia.
  Qed.

  Lemma at_source_last : forall s v c h, Reference.at_source channel node header same_header same_node tail s v c h = true ->
    exists A p, queue s c = A ++ [p] /\ 0 < rest p.
  Proof.
    intros s v c h E; unfold Reference.at_source in E; destruct (rev (queue s c)) as [|p before] eqn:R; [discriminate|].
    apply andb_true_iff in E; destruct E as [E _]; apply andb_true_iff in E; destruct E as [_ E]; apply Nat.ltb_lt in E.
    exists (rev before), p; split; [rewrite <- (rev_involutive (queue s c)), R; reflexivity | exact E].
  Qed.

  Lemma fine_apply : forall s m s', fine none s -> apply s m = Some s' -> fine none s'.
  Proof.
    intros s m s' H E; destruct m as [p h w|c h w|v c h|v c h|v]; cbn [Reference.apply] in E.
    - unfold Reference.advance in E; destruct (row p h) as [r|] eqn:R; [|discriminate].
      destruct (Reference.find_hop _ _ _ _ r w) as [x|] eqn:F; [|discriminate].
      match type of E with (if ?b then _ else _) = _ => destruct b eqn:W end; [|discriminate]; apply andb_true_iff in W; destruct W as [W A]; cbv zeta in E.
      pose proof F as F'; unfold Reference.find_hop in F'; apply find_some in F'; destruct F' as [K X]; apply Reference.same_way_eq in X.
      destruct p as [v|c].
      + injection E as <-; destruct w as [d k| |].
        * destruct (accepts_free s _ x d k H X A) as [U L].
          apply (fine_append s _ d (fresh k (if whole sc then 0 else later sc)) H); [intros e Y; apply set_other; exact Y | apply set_at
            | reflexivity | reflexivity | exact (enters_site v h r x d k R F) | exact U | exact L].
        * apply (fine_same none s _ H); intro c; unfold Reference.arrive; destruct (sink sc =? 0); reflexivity.
        * exact H.
      + injection E as <-; unfold Reference.waits_at in W; destruct (queue s c) as [|p q] eqn:Q; [discriminate|].
        apply andb_true_iff in W; destruct W as [W G]; apply andb_true_iff in W; destruct W as [Nm Fl]; apply Nat.ltb_lt in Fl.
        destruct (gone p) eqn:Gp; [discriminate|]; destruct (same_header (name p) h) as [<-|]; [|discriminate].
        destruct (head_goes s c p q r x w H Q Gp R K X A) as (s2 & -> & H2 & Q2 & Last & _).
        exact (fine_leave s2 c (marked p w) q w H2 Q2 eq_refl Fl Last).
    - unfold Reference.follow in E; destruct (queue s c) as [|[nm f r [x|]] q] eqn:Q; try discriminate.
      match type of E with (if ?b then _ else _) = _ => destruct b eqn:W end; [|discriminate]; apply andb_true_iff in W; destruct W as [W Fl];
        apply Nat.ltb_lt in Fl.
      apply andb_true_iff in W; destruct W as [_ W]; apply Reference.same_way_eq in W; subst x; destruct w as [d k| |].
      + destruct (elastic sc && _); [|discriminate]; injection E as <-; exact (proj1 (follows s c _ q d k H Q eq_refl Fl)).
      + injection E as <-; exact (leave_out s c _ q _ H Q eq_refl Fl ltac:(discriminate)).
      + injection E as <-; exact (leave_out s c _ q _ H Q eq_refl Fl ltac:(discriminate)).
    - destruct (Reference.at_source _ _ _ _ _ _ s v c h) eqn:At; [|discriminate]; cbn [andb] in E.
      destruct (elastic sc && _); [|discriminate]; injection E as <-; destruct (at_source_last s v c h At) as (A & p & Q & _).
      apply (fine_last none none s _ c A p (Reference.entered channel header sc p) H); [intros e Y; apply set_other; exact Y | exact Q
        | rewrite set_at, Q; apply change_last_app | reflexivity | reflexivity | cbn; lia | cbn; destruct (endless sc); lia | cbn; lia | auto].
    - destruct (Reference.at_source _ _ _ _ _ _ s v c h) eqn:At; [|discriminate]; cbn [andb] in E.
      destruct (endless sc); [|discriminate]; injection E as <-; destruct (at_source_last s v c h At) as (A & p & Q & Rs).
      set (s1 := set_queue s c (change_last (queue s c) (Reference.finished channel header))).
      assert (O : only s s1 c) by (intros e Y; apply set_other; exact Y).
      assert (Q1 : queue s1 c = A ++ [Reference.finished channel header p]) by (unfold s1; rewrite set_at, Q; apply change_last_app).
      apply (fine_give_up (S (length channels)) s1 c).
      + apply (fine_last none (eq c) s s1 c A p (Reference.finished channel header p) H O Q Q1); [reflexivity | reflexivity | cbn; lia | cbn;
        lia | reflexivity | intros d _ []].
      + intros b I; apply (into_last s s1 c A p _ O Q Q1 eq_refl) in I; pose proof (all_sent _ _ H b c I) as L.
        rewrite Q, last_rest_app in L; lia.
      + rewrite Q1, last_rest_app; reflexivity.
      + pose proof (count_all c); lia.
    - destruct (0 <? Reference.held channel node header s v); [|discriminate]; injection E as <-; apply (fine_same none s _ H); reflexivity.
  Qed.
  Lemma fine_nothing : fine none nothing.
  Proof.
    assert (I : forall b c, ~ into nothing b c) by (intros b c (p & q & k & E & _); discriminate).
    split; cbn; try (intros; discriminate); try (intros b c K; destruct (I b c K)).
    - intros c A p x E; destruct A; discriminate.
    - intros b b' c K; destruct (I b c K).
    - intros c p [].
  Qed.

  (* ---- whole packets ---- *)

  Definition whole_state (s : state) := forall c p, In p (queue s c) -> flits p = 1 /\ rest p = 0 /\ gone p = None.
  Lemma whole_apply : flitwise sc = false -> forall s m s', fine none s -> whole_state s -> apply s m = Some s' -> whole_state s'.
  Proof.
    intros Fw s m s' H Wh E; destruct m as [p h w|c h w|v c h|v c h|v]; cbn [Reference.apply] in E.
    - unfold Reference.advance in E; destruct (row p h) as [r|] eqn:R; [|discriminate].
      destruct (Reference.find_hop _ _ _ _ r w) as [x|] eqn:F; [|discriminate].
      match type of E with (if ?b then _ else _) = _ => destruct b eqn:W end; [|discriminate]; apply andb_true_iff in W; destruct W as [W A]; cbv zeta in E.
      pose proof F as F'; unfold Reference.find_hop in F'; apply find_some in F'; destruct F' as [K X]; apply Reference.same_way_eq in X.
      destruct p as [v|c].
      + injection E as <-; destruct w as [d k| |].
        * intros e y Y; cbn in Y; destruct (same e d) as [->|]; [|exact (Wh e y Y)]; apply in_app_or in Y; destruct Y as [Y|[<-|[]]]; [exact (Wh d y Y)|].
          unfold whole; rewrite Fw; repeat split.
        * intros e y Y; apply (Wh e y); revert Y; unfold Reference.arrive; destruct (sink sc =? 0); trivial.
        * exact Wh.
      + injection E as <-; unfold Reference.waits_at in W; destruct (queue s c) as [|p q] eqn:Q; [discriminate|].
        apply andb_true_iff in W; destruct W as [W G]; apply andb_true_iff in W; destruct W as [Nm Fl]; apply Nat.ltb_lt in Fl.
        destruct (gone p) eqn:Gp; [discriminate|]; destruct (same_header (name p) h) as [<-|]; [|discriminate].
        destruct (head_goes s c p q r x w H Q Gp R K X A) as (s2 & -> & H2 & Q2 & _ & O2).
        destruct (Wh c p) as (F1 & F2 & _); [rewrite Q; left; reflexivity|].
        assert (Wo : forall e y, e <> c -> In y (queue s2 e) -> flits y = 1 /\ rest y = 0 /\ gone y = None).
        { intros e y Ne Y; rewrite (O2 e Ne) in Y; destruct w as [d k| |]; [|exact (Wh e y Y)|exact (Wh e y Y)].
          destruct (same e d) as [->|]; [|exact (Wh e y Y)]; apply in_app_or in Y; destruct Y as [Y|[<-|[]]]; [exact (Wh d y Y) | repeat split]. }
        destruct (leave_is s2 c (marked p w) q Q2) as [[_ Z]|(-> & _)].
        * cbn in Z; destruct Z as (_ & b & I); [lia | exact F2|]; pose proof (downward _ _ H2 b c I) as L.
          assert (Ne : b <> c) by (intros ->; lia); destruct I as (y & t & k & Y & G'); destruct (Wo b y Ne) as (_ & _ & G2); [rewrite Y; left;
            reflexivity | congruence].
        * intros e y Y; destruct (same e c) as [->|Ne]; [|rewrite set_other in Y by exact Ne; exact (Wo e y Ne Y)].
          rewrite set_at in Y; apply (Wh c y); rewrite Q; right; exact Y.
    - unfold Reference.follow in E; destruct (queue s c) as [|[nm f r [x|]] q] eqn:Q; try discriminate.
      destruct (Wh c {| name := nm; flits := f; rest := r; gone := Some x |}) as (_ & _ & G); [rewrite Q; left; reflexivity | discriminate].
    - destruct (Reference.at_source _ _ _ _ _ _ s v c h) eqn:At; [|discriminate]; destruct (at_source_last s v c h At) as (A & p & Q & L).
      destruct (Wh c p) as (_ & R & _); [rewrite Q; apply in_or_app; right; left; reflexivity | lia].
    - destruct (Reference.at_source _ _ _ _ _ _ s v c h) eqn:At; [|discriminate]; destruct (at_source_last s v c h At) as (A & p & Q & L).
      destruct (Wh c p) as (_ & R & _); [rewrite Q; apply in_or_app; right; left; reflexivity | lia].
    - destruct (0 <? Reference.held channel node header s v); [|discriminate]; injection E as <-; exact Wh.
  Qed.

  (* What the moves keep. *)
  Definition kept (s : state) := fine none s /\ (flitwise sc = false -> whole_state s).
  Lemma kept_replay : forall l s s', kept s -> replay s l = Some s' -> kept s'.
  Proof.
    induction l as [|m l IH]; intros s s' H E; cbn in E; [injection E as <-; exact H|].
    destruct (apply s m) as [s1|] eqn:E1; [|discriminate]; apply (IH s1 s'); [|exact E]; destruct H as [H W]; split.
    - exact (fine_apply s m s1 H E1).
    - intro Fw; exact (whole_apply Fw s m s1 H (W Fw) E1).
  Qed.
  Lemma kept_nothing : kept nothing.
  Proof. split; [exact fine_nothing | intros _ c p []]. Qed.

  (* ---- a sum that can be brought down ---- *)

  (* A flit weighs more the higher its channel, and one that its source has not sent yet weighs still more. *)
  Definition weigh (c : channel) (q : list piece) := list_sum (map (fun p => flits p * S (rank c) + rest p * S (S (rank c))) q).
  Definition total (s : state) := list_sum (map (fun c => weigh c (queue s c)) (nodup same channels)).
  Lemma weigh_app : forall c a b, weigh c (a ++ b) = weigh c a + weigh c b.
  Proof. intros c a b; unfold weigh; rewrite map_app, list_sum_app; reflexivity. Qed.
  Lemma weigh_cons : forall c p q, weigh c (p :: q) = flits p * S (rank c) + rest p * S (S (rank c)) + weigh c q.
  Proof. reflexivity. Qed.
  Lemma weigh_none : forall c, weigh c [] = 0.
  Proof. reflexivity. Qed.
  Lemma sums : forall (f g : channel -> nat) c l, NoDup l -> In c l -> (forall d, d <> c -> g d = f d) ->
    list_sum (map g l) + f c = list_sum (map f l) + g c.
  Proof.
    intros f g c l ND K E; induction l as [|d l IH]; [destruct K|]; inversion ND as [|? ? Nd ND']; subst.
    change (g d + list_sum (map g l) + f c = f d + list_sum (map f l) + g c); destruct (same d c) as [->|Z].
    - assert (Eq : map g l = map f l) by (apply map_ext_in; intros e He; apply E; intros ->; contradiction); rewrite Eq; lia.
    - destruct K as [K|K]; [contradiction|]; specialize (IH ND' K); rewrite (E d Z); lia.
  Qed.
  Lemma total_only : forall s s' c, only s s' c -> total s' + weigh c (queue s c) = total s + weigh c (queue s' c).
  Proof.
    intros s s' c O; exact (sums (fun c => weigh c (queue s c)) (fun c => weigh c (queue s' c)) c (nodup same channels) (NoDup_nodup same channels)
      (proj2 (nodup_In same channels c) (all_channels c)) (fun d Z => f_equal (weigh d) (O d Z))).
  Qed.
  Lemma total_same : forall s s', (forall c, queue s' c = queue s c) -> total s' = total s.
  Proof. intros s s' E; unfold total; f_equal; apply map_ext; intro c; rewrite E; reflexivity. Qed.
  Lemma set_total : forall s c q, total (set_queue s c q) + weigh c (queue s c) = total s + weigh c q.
  Proof. intros s c q; pose proof (total_only s (set_queue s c q) c (fun e Z => set_other s c q e Z)) as T; rewrite set_at in T; exact T. Qed.

  Lemma leave_total : forall s c p q, queue s c = p :: q -> 0 < flits p -> total (leave_from s c) + S (rank c) = total s.
  Proof.
    intros s c p q Q F; destruct (leave_is s c p q Q) as [[-> _]|(-> & F1 & R & _)].
    - pose proof (set_total s c (less p :: q)) as T; rewrite Q, !weigh_cons in T; cbn [flits rest less] in T.
      destruct (flits p) as [|f]; [lia|]; replace (S f - 1) with f in T by lia; nia.
    - pose proof (set_total s c q) as T; rewrite Q, weigh_cons, R in T; replace (flits p) with 1 in T by lia; lia.
  Qed.
  Lemma give_up_total : forall n s c, total (give_up s n c) <= total s.
  Proof.
    induction n as [|n IH]; intros s c; [apply le_n|]; cbn [Reference.give_up].
    destruct (rev (queue s c)) as [|[nm f r g] before] eqn:R; [apply le_n|]; destruct f; [|apply le_n]; destruct g as [w|]; [|apply le_n].
    assert (Le : total (set_queue s c (rev before)) <= total s).
    { pose proof (set_total s c (rev before)) as T; rewrite <- (rev_involutive (queue s c)), R in T; cbn [rev] in T; rewrite weigh_app in T; lia. }
    destruct w as [d k| |]; [|exact Le|exact Le]; specialize (IH (set_queue s c (rev before)) d); cbv zeta; lia.
  Qed.

  Lemma advance_total : forall s c p q r x w, fine none s -> queue s c = p :: q -> gone p = None -> row (Inside c) (name p) = Some r ->
    In x r -> to x = w -> accepts s (Inside c) x = true -> total (leave_from (mark_gone (arrive s (Inside c) w) c w) c) < total s.
  Proof.
    intros s c p q r x w H Q G R K E A; destruct (head_goes s c p q r x w H Q G R K E A) as (s2 & -> & _ & Q2 & _ & O2).
    assert (F : 0 < flits p).
    { destruct (Nat.eq_dec (flits p) 0) as [F|F]; [|lia]; destruct (flitless _ _ H c p q Q F) as (_ & X & _); contradiction. }
    pose proof (leave_total s2 c (marked p w) q Q2 F) as L; destruct w as [d k| |].
    - assert (Rch : reached N (c, name p)) by (apply (at_site _ _ H c p); [rewrite Q; left; reflexivity | exact G]).
      destruct (goes_to c (name p) r x d k R K E Rch) as [_ Low]; assert (Ne : c <> d) by (intros ->; lia).
      pose proof (set_total s d (queue s d ++ [fresh k 0])) as T1; set (s1 := set_queue s d (queue s d ++ [fresh k 0])) in *.
      assert (O : only s1 s2 c) by (intros e Z; rewrite (O2 e Z); reflexivity).
      pose proof (total_only s1 s2 c O) as T2; assert (Qc : queue s1 c = p :: q) by (unfold s1; rewrite set_other by exact Ne; exact Q).
      rewrite Qc, Q2, !weigh_cons in T2; rewrite weigh_app, weigh_cons, weigh_none in T1; cbn [flits rest marked fresh] in *; lia.
    - pose proof (total_only s s2 c O2) as T; rewrite Q, Q2, !weigh_cons in T; cbn [flits rest marked] in T; lia.
    - pose proof (total_only s s2 c O2) as T; rewrite Q, Q2, !weigh_cons in T; cbn [flits rest marked] in T; lia.
  Qed.

  (* ---- from every state to the empty network ---- *)

  Hypothesis fitting : forall p h r x, row p h = Some r -> In x r -> need x <= capacity sc.
  Hypothesis no_dead_end : forall s, reached N s -> row (Inside (fst s)) (snd s) <> Some [].

  Lemma replay_app : forall l l' s s', replay s l = Some s' -> replay s (l ++ l') = replay s' l'.
  Proof.
    induction l as [|m l IH]; intros l' s s' E; cbn in *; [injection E as ->; reflexivity|].
    destruct (apply s m) as [s1|]; [exact (IH l' s1 s' E) | discriminate].
  Qed.
  Lemma reached_listed : forall s, reached N s -> row (Inside (fst s)) (snd s) <> None.
  Proof.
    intros s H; destruct H as [[d k] (v & h & r & x & R & F) | [c h] a [d k] _ [Ne ->] Of]; cbn [fst snd] in *.
    - unfold Reference.find_hop in F; apply find_some in F; destruct F as [K X]; apply Reference.same_way_eq in X; exact (listed _ h r x d k R K X).
    - unfold Reference.offers, Reference.row_of in Of; cbn [fst snd] in Of; destruct (row (Inside c) h) as [r|] eqn:R; [|destruct Of].
      apply in_map_iff in Of; destruct Of as (x & M & K); unfold Reference.meaning in M; destruct (to x) as [e j| |] eqn:X; try discriminate.
      injection M as -> ->; exact (listed _ h r x d k R K X).
  Qed.
  Lemma same_way_refl : forall w, Reference.same_way channel header same same_header w w = true.
  Proof.
    intros [c h| |]; try reflexivity; cbn; destruct (same c c); [|contradiction]; destruct (same_header h h); [reflexivity | contradiction].
  Qed.
  Lemma at_source_true : forall s c p, queue s c = [p] -> 0 < rest p ->
    Reference.at_source channel node header same_header same_node tail s (tail c) c (name p) = true.
  Proof.
    intros s c p Q R; unfold Reference.at_source; rewrite Q; cbn [rev app]; apply Nat.ltb_lt in R; rewrite R.
    destruct (same_node (tail c) (tail c)); [|contradiction]; destruct (same_header (name p) (name p)); [reflexivity | contradiction].
  Qed.
  Lemma lowest : forall s : state, (exists c, queue s c <> []) -> exists c, queue s c <> [] /\ forall d, queue s d <> [] -> rank c <= rank d.
  Proof.
    intros s (c & Q); remember (rank c) as n eqn:E; revert c E Q; induction n as [n IH] using lt_wf_ind; intros c E Q.
    destruct (existsb (fun d => match queue s d with [] => false | _ => rank d <? rank c end) channels) eqn:X.
    - apply existsb_exists in X; destruct X as (d & _ & X); destruct (queue s d) as [|p q] eqn:Qd; [discriminate|]; apply Nat.ltb_lt in X.
      apply (IH (rank d)) with (c := d); [lia | reflexivity | congruence].
    - exists c; split; [exact Q|]; intros d Qd; destruct (le_lt_dec (rank c) (rank d)) as [|L]; [assumption | exfalso].
      assert (Y : existsb (fun d => match queue s d with [] => false | _ => rank d <? rank c end) channels = true); [|congruence].
      apply existsb_exists; exists d; split; [apply all_channels|]; destruct (queue s d); [contradiction | apply Nat.ltb_lt; exact L].
  Qed.
  Lemma highest : exists top, forall c, rank c <= top.
  Proof.
    assert (B : forall l, exists top, forall c, In c l -> rank c <= top).
    { induction l as [|x l (top & IH)]; [exists 0; intros c []|]; exists (Nat.max (rank x) top); intros c [<-|K]; [lia | specialize (IH c K); lia]. }
    destruct (B channels) as [top T]; exists top; intro c; exact (T c (all_channels c)).
  Qed.

  (* A channel that has no flit of its packet gets one from behind, or the source ends the packet. *)
  Lemma behind_goes : elastic sc = true -> forall n top s c p, (forall e, rank e <= top) -> fine none s -> queue s c = [p] -> flits p = 0 ->
    top - rank c < n -> exists m s', apply s m = Some s' /\ total s' < total s.
  Proof.
    intros El n; induction n as [|n IH]; intros top s c p Top H Q F Hn; [lia|].
    destruct (flitless _ _ H c p [] Q F) as (_ & _ & [[]|[Rs|(b & K)]]).
    - destruct (endless sc) eqn:En.
      + exists (Finish _ _ _ (tail c) c (name p)); eexists; split; [cbn [Reference.apply]; rewrite (at_source_true s c p Q Rs), En; reflexivity|].
        eapply Nat.le_lt_trans; [apply give_up_total|]; pose proof (set_total s c (change_last (queue s c) (Reference.finished channel header))) as T.
        rewrite Q in T |- *; change [p] with ([] ++ [p]) in T |- *; rewrite change_last_app in T |- *; cbn [app] in *.
        rewrite !weigh_cons, weigh_none in T; cbn [flits rest Reference.finished] in T; rewrite F in T; nia.
      + exists (Enter _ _ _ (tail c) c (name p)); eexists; split.
        { cbn [Reference.apply]; rewrite (at_source_true s c p Q Rs), El; cbn [andb]; rewrite Q; unfold sum_flits; cbn [map list_sum fold_right]; rewrite F.
          replace (0 + 0 <? capacity sc) with true by (symmetry; apply Nat.ltb_lt; lia); reflexivity. }
        pose proof (set_total s c (change_last [p] (Reference.entered channel header sc))) as T.
        change [p] with ([] ++ [p]) in T |- *; rewrite change_last_app in T |- *; cbn [app] in *.
        rewrite Q, !weigh_cons, weigh_none in T; cbn [flits rest Reference.entered] in T; rewrite F, En in T; destruct (rest p); [lia|]; nia.
    - pose proof (downward _ _ H b c K) as Low; assert (Ne : b <> c) by (intros ->; lia); destruct K as (pb & qb & k & Qb & Gb).
      destruct (Nat.eq_dec (flits pb) 0) as [Fb|Fb].
      + destruct (flitless _ _ H b pb qb Qb Fb) as (-> & _); apply (IH top s b pb Top H Qb Fb); specialize (Top b); lia.
      + exists (Follow _ _ _ b (name pb) (Into c k)); eexists; split.
        { cbn [Reference.apply]; unfold Reference.follow; rewrite Qb; destruct pb as [nm f r g]; cbn [gone flits name] in *; subst g.
          rewrite same_way_refl, El, Q; unfold sum_flits; cbn [map list_sum fold_right]; rewrite F; destruct (same_header nm nm); [|contradiction].
          destruct f; [contradiction|]; replace (0 + 0 <? capacity sc) with true by (symmetry; apply Nat.ltb_lt; lia); reflexivity. }
        set (s1 := set_queue s c (change_last [p] (Reference.one_more channel header))).
        assert (Q1 : queue s1 b = pb :: qb) by (unfold s1; rewrite set_other by exact Ne; exact Qb).
        pose proof (leave_total s1 b pb qb Q1 ltac:(lia)) as L; pose proof (set_total s c (change_last [p] (Reference.one_more channel header))) as T.
        fold s1 in T; change [p] with ([] ++ [p]) in T; rewrite change_last_app in T; cbn [app] in T.
        rewrite Q, !weigh_cons, weigh_none in T; cbn [flits rest Reference.one_more] in T; rewrite F in T; lia.
  Qed.

  Lemma progress : forall s, kept s -> (exists c, queue s c <> []) -> exists l s', replay s l = Some s' /\ total s' < total s.
  Proof.
    intros s [H Wh] Ne; destruct (lowest s Ne) as (c & Q & Low); destruct (queue s c) as [|p q] eqn:Qc; [contradiction|].
    destruct (gone p) as [w|] eqn:G.
    - assert (El : elastic sc = true).
      { destruct (flitwise sc) eqn:Fw; [|destruct (Wh eq_refl c p) as (_ & _ & X); [rewrite Qc; left; reflexivity | congruence]].
        pose proof one_by_one as X; unfold shifts in X; rewrite Fw in X; destruct (elastic sc); [reflexivity | discriminate]. }
      assert (Nw : forall d k, w <> Into d k).
      { intros d k ->; assert (K : into s c d) by (exists p, q, k; auto); pose proof (downward _ _ H c d K); specialize (Low d (there _ _ H c d K)); lia. }
      destruct (Nat.eq_dec (flits p) 0) as [F|F].
      + destruct (flitless _ _ H c p q Qc F) as (-> & _); destruct highest as [top T].
        destruct (behind_goes El (S (top - rank c)) top s c p T H Qc F (Nat.lt_succ_diag_r _)) as (m & s' & A & L).
        exists [m], s'; split; [cbn [Reference.replay]; rewrite A; reflexivity | exact L].
      + exists [Follow _ _ _ c (name p) w], (leave_from s c); split; [|pose proof (leave_total s c p q Qc ltac:(lia)); lia].
        cbn [Reference.replay Reference.apply]; unfold Reference.follow; rewrite Qc; destruct p as [nm f r g]; cbn [gone flits name] in *; subst g.
        rewrite same_way_refl; destruct (same_header nm nm); [|contradiction]; destruct f; [contradiction|]; destruct w as [d k| |];
          [destruct (Nw d k eq_refl) | |]; reflexivity.
    - assert (Rch : reached N (c, name p)) by (apply (at_site _ _ H c p); [rewrite Qc; left; reflexivity | exact G]).
      pose proof (reached_listed _ Rch) as R1; pose proof (no_dead_end _ Rch) as R2; cbn [fst snd] in *.
      destruct (row (Inside c) (name p)) as [[|x r]|] eqn:R; [congruence | | congruence].
      assert (Y : exists y, Reference.find_hop channel header same same_header (x :: r) (to x) = Some y).
      { unfold Reference.find_hop; cbn [find]; rewrite same_way_refl; eauto. }
      destruct Y as [y Y]; pose proof Y as Y'; unfold Reference.find_hop in Y'; apply find_some in Y'; destruct Y' as [K E]; apply Reference.same_way_eq in E.
      assert (A : accepts s (Inside c) y = true).
      { unfold Reference.accepts; rewrite E; destruct (to x) as [d k| |] eqn:X; [|rewrite drains_at_once; reflexivity | reflexivity].
        destruct (goes_to c (name p) (x :: r) y d k R K E Rch) as [_ L].
        assert (Qd : queue s d = []) by (destruct (queue s d) as [|z t] eqn:Qd; [reflexivity | specialize (Low d); rewrite Qd in Low;
          specialize (Low ltac:(discriminate)); lia]).
        rewrite Qd; destruct (atomic sc); [reflexivity|]; apply andb_true_iff; split; [apply Nat.leb_le; exact (fitting _ _ _ _ R K)|].
        unfold Reference.entering; rewrite Qd; destruct (fed s d) as [b|] eqn:F; [|reflexivity].
        destruct (there _ _ H b d (StuckFlits.fed_into _ _ _ same channels s d b F) Qd). }
      exists [Advance _ _ _ (Inside c) (name p) (to x)]; eexists; split; [|exact (advance_total s c p q (x :: r) y (to x) H Qc G R K E A)].
      cbn [Reference.replay Reference.apply]; unfold Reference.advance; rewrite R, Y, A; unfold Reference.waits_at.
      rewrite Qc, G; destruct (same_header (name p) (name p)); [|contradiction]; replace (0 <? flits p) with true; [reflexivity|].
      symmetry; apply Nat.ltb_lt; destruct (Nat.eq_dec (flits p) 0) as [F|]; [|lia]; destruct (flitless _ _ H c p q Qc F) as (_ & X & _); contradiction.
  Qed.

  Lemma drains_from : forall n s, total s < n -> kept s -> exists l s', replay s l = Some s' /\ forall c, queue s' c = [].
  Proof.
    induction n as [|n IH]; intros s Hn H; [lia|].
    destruct (existsb (fun c => match queue s c with [] => false | _ => true end) channels) eqn:X.
    - apply existsb_exists in X; destruct X as (c & _ & X).
      destruct (progress s H) as (l & s1 & R & L); [exists c; destruct (queue s c); discriminate|].
      destruct (IH s1 ltac:(lia) (kept_replay l s s1 H R)) as (l' & s' & R' & D); exists (l ++ l'), s'; split; [rewrite (replay_app l l' s s1 R);
        exact R' | exact D].
    - exists [], s; split; [reflexivity|]; intro c; destruct (queue s c) as [|p q] eqn:Q; [reflexivity|].
      assert (Y : existsb (fun c => match queue s c with [] => false | _ => true end) channels = true); [|congruence].
      apply existsb_exists; exists c; split; [apply all_channels | rewrite Q; reflexivity].
  Qed.

  Theorem shared_drain : forall l s, replay nothing l = Some s -> exists l' s', replay s l' = Some s' /\ forall c, queue s' c = [].
  Proof. intros l s E; exact (drains_from (S (total s)) s (Nat.lt_succ_diag_r _) (kept_replay l nothing s kept_nothing E)). Qed.

  Theorem shared_never_stuck : forall l s c, replay nothing l = Some s ->
    ~ forall l' s', replay s l' = Some s' -> exists p behind, queue s' c = p :: behind.
  Proof.
    intros l s c E H; destruct (shared_drain l s E) as (l' & s' & E' & Em); destruct (H l' s' E') as (p & b & Q); rewrite Em in Q; discriminate.
  Qed.
  Theorem shared_packets : forall l s c p, replay nothing l = Some s ->
    ~ forall l' s', replay s l' = Some s' -> exists behind, queue s' c = p :: behind.
  Proof. intros l s c p E H; apply (shared_never_stuck l s c E); intros l' s' R; destruct (H l' s' R) as (b & Q); eauto. Qed.
End Shared.
