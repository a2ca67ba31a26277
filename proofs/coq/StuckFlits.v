(* Traces to deadlocks of packets of several flits, by the step of Reference.v.

   Proved: if [flit_deadlock] accepts a trace and channels w, the trace leads to a state in which each channel of w holds a
   packet that is never out of it again, whatever happens, and some of them are heads that never move again
   ([flit_deadlock_sound]). Flits are counted: the flits of a packet that are in its channels or still to come are more than
   fit into the channels ahead of c, so it does not leave c; and the hops of its head, in w, too, lead into channels of w, which
   are never empty. What every state keeps is [tidy] (from where a channel is fed), what these states keep is [holds].
   For packets of a fixed length or of any, flits that move one by one or packets that shift as a whole, finite sinks or not.
   Assumed: [channels] lists all channels. Not proved: that a trace that is refused shows no deadlock, and anything about
   shared channels (Scenario.Shared), which [flit_deadlock] refuses: a channel has flits of one packet at a time here. *)
Require Import List Arith Lia Bool Reference.
Import ListNotations.

Arguments Reference.Into {_ _}.
Arguments Reference.Eject {_ _}.
Arguments Reference.Discard {_ _}.
Arguments Reference.name {_ _}.
Arguments Reference.flits {_ _}.
Arguments Reference.rest {_ _}.
Arguments Reference.gone {_ _}.
Arguments Reference.to {_ _}.
Arguments Reference.queue {_ _ _}.
Arguments Reference.Source {_ _}.
Arguments Reference.Inside {_ _}.
Arguments Reference.last_rest {_ _}.
Arguments Reference.sum_flits {_ _}.

Section StuckFlits.
  Variable channel node header : Type.
  Hypothesis same : forall c d : channel, {c = d} + {c <> d}.
  Hypothesis same_header : forall h k : header, {h = k} + {h <> k}.
  Hypothesis same_node : forall v w : node, {v = w} + {v <> w}.
  Variable channels : list channel.
  Variable tail : channel -> node.
  Variable head : channel -> node.
  Variable row : Reference.place channel node -> header -> option (list (Reference.hop channel header)).
  Variable sc : scenario.
  Notation piece := (Reference.piece channel header).
  Notation state := (Reference.state channel node header).
  Notation hop := (Reference.hop channel header).
  Notation feeds := (Reference.feeds channel node header same).
  Notation fed := (Reference.fed channel node header same channels).
  Notation set_queue := (Reference.set_queue channel node header same).
  Notation apply := (Reference.apply channel node header same same_header same_node channels tail head row sc).
  Notation replay := (Reference.replay channel node header same same_header same_node channels tail head row sc).
  Notation nothing := (Reference.nothing channel node header).
  Notation leave_from := (Reference.leave_from channel node header same channels sc).
  Notation give_up := (Reference.give_up channel node header same).
  Notation back_from := (Reference.back_from channel node header same channels).

  (* The channels ahead of c that its packet holds, up to the one where its head waits; None if the head waits nowhere. *)
  Fixpoint ahead (s : state) (fuel : nat) (c : channel) : option (list channel) :=
    match queue s c with
    | p :: _ => match gone p, fuel with
      | None, _ => Some []
      | Some (Into d _), S n => option_map (cons d) (ahead s n d)
      | _, _ => None
      end
    | [] => None
    end.
  (* Those behind c, the last one first, and then X. *)
  Fixpoint from_tail (s : state) (fuel : nat) (c : channel) (X : list channel) : list channel :=
    match fuel, fed s c with S n, Some b => from_tail s n b (b :: X) | _, _ => X end.

  Definition flits_at (s : state) (c : channel) := sum_flits (queue s c).
  Definition counted (s : state) (c : channel) := if endless sc then 0 else last_rest (queue s c).
  (* The flits of a packet that holds the channels X, the last one first, and those still to come. *)
  Definition content (s : state) (X : list channel) :=
    list_sum (map (flits_at s) X) + match X with x :: _ => counted s x | [] => 0 end.

  Definition into_one (w : list channel) (h : hop) :=
    match to h with Into d _ => if in_dec same d w then true else false | _ => false end.
  Definition head_waits (s : state) (w : list channel) (c : channel) :=
    match queue s c with
    | p :: _ => match gone p, row (Inside c) (name p) with
      | Some _, _ => true
      | None, Some (h :: r) => forallb (into_one w) (h :: r)
      | None, _ => false
      end
    | [] => false
    end.
  Definition flits_wait (s : state) (w : list channel) (c : channel) :=
    head_waits s w c &&
    match ahead s (length channels) c with
    | Some l =>
      forallb (fun x => (if in_dec same x w then true else false) && (flits_at s x <=? capacity sc)) l &&
      (capacity sc * length l <? content s (from_tail s (length channels) c (c :: l)))
    | None => false
    end.
  Definition flit_deadlock (l : list (move channel node header)) (w : list channel) :=
    flitwise sc && negb (shared sc) &&
    match replay nothing l, w with
    | Some s, _ :: _ => forallb (flits_wait s w) w
    | _, _ => false
    end.

  Hypothesis all_channels : forall c, List.In c channels.

  (* ---- where flits are ---- *)

  (* The packet at the front of d goes on into c. *)
  Definition into (s : state) (d c : channel) := exists p q k, queue s d = p :: q /\ gone p = Some (Into c k).
  Lemma into_feeds : forall s d c, into s d c <-> feeds s c d = true.
  Proof.
    intros s d c; unfold into, Reference.feeds; split.
    - intros (p & q & k & -> & E); destruct p as [n f r g]; cbn in E; subst g; destruct (same c c); [reflexivity | contradiction].
    - intro H; destruct (queue s d) as [|[n f r [[e k| |]|]] q] eqn:Q; try discriminate.
      destruct (same e c) as [->|]; [|discriminate]; eexists _, _, _; split; [reflexivity | reflexivity].
  Qed.
  Lemma fed_into : forall s c d, fed s c = Some d -> into s d c.
  Proof. intros s c d H; apply find_some in H; apply into_feeds; exact (proj2 H). Qed.
  Lemma fed_none : forall s c, fed s c = None -> forall d, ~ into s d c.
  Proof.
    intros s c H d K; apply into_feeds in K; pose proof (find_none _ _ H d (all_channels d)) as E; cbn in E; congruence.
  Qed.

  Record tidy (s : state) : Prop := {
    single : forall c, length (queue s c) <= 1;
    fed_there : forall d c, into s d c -> queue s c <> [];
    one_feeder : forall d d' c, into s d c -> into s d' c -> d = d';
    fed_whole : forall d c p, into s d c -> queue s c = [p] -> rest p = 0;
    no_loop : forall c, ~ into s c c }.

  Definition only (s s' : state) (c : channel) := forall d, d <> c -> queue s' d = queue s d.
  Lemma one : forall s c, tidy s -> queue s c = [] \/ exists p, queue s c = [p].
  Proof.
    intros s c H; pose proof (single s H c) as L; destruct (queue s c) as [|p [|q r]]; [auto | eauto | cbn in L; lia].
  Qed.
  Lemma into_one_piece : forall s d c, tidy s -> into s d c -> exists p k, queue s d = [p] /\ gone p = Some (Into c k).
  Proof.
    intros s d c H (p & q & k & E & G); destruct (one s d H) as [X|[p' X]]; rewrite X in E; [discriminate|].
    injection E as -> <-; eauto.
  Qed.

  Lemma tidy_same : forall s s', tidy s -> (forall c, queue s' c = queue s c) -> tidy s'.
  Proof.
    intros s s' H E; assert (I : forall d c, into s' d c <-> into s d c) by (intros; unfold into; rewrite E; tauto).
    split.
    - intro c; rewrite E; exact (single s H c).
    - intros d c K; rewrite E; exact (fed_there s H d c (proj1 (I d c) K)).
    - intros d d' c K K'; apply I in K; apply I in K'; exact (one_feeder s H d d' c K K').
    - intros d c p K Q; apply I in K; rewrite E in Q; exact (fed_whole s H d c p K Q).
    - intros c K; apply I in K; exact (no_loop s H c K).
  Qed.

  (* The piece in c has changed to p', which may go on if nothing else leads there. *)
  Lemma tidy_mark : forall s s' c p p', tidy s -> only s s' c -> queue s c = [p] -> queue s' c = [p'] -> rest p' <= rest p ->
    (gone p' = gone p \/ forall d k, gone p' = Some (Into d k) ->
       d <> c /\ queue s d <> [] /\ (forall e, ~ into s e d) /\ forall q, queue s d = [q] -> rest q = 0) -> tidy s'.
  Proof.
    intros s s' c p p' H O Q Q' R G.
    assert (I : forall d e, into s' d e -> into s d e \/
              (d = c /\ e <> c /\ queue s e <> [] /\ (forall x, ~ into s x e) /\ forall q, queue s e = [q] -> rest q = 0)).
    { intros d e (x & r & k & E & K); destruct (same d c) as [->|N].
      - rewrite Q' in E; injection E as <- <-; destruct G as [G|G].
        + left; exists p, [], k; split; [exact Q | congruence].
        + right; split; [reflexivity | exact (G e k K)].
      - left; rewrite (O d N) in E; exists x, r, k; auto. }
    assert (NE : forall e, queue s e <> [] -> queue s' e <> []).
    { intros e X; destruct (same e c) as [->|N]; [rewrite Q'; discriminate | rewrite (O e N); exact X]. }
    split.
    - intro d; destruct (same d c) as [->|N]; [rewrite Q'; cbn; lia | rewrite (O d N); exact (single s H d)].
    - intros d e K; apply NE; destruct (I d e K) as [K'|(_ & _ & X & _)]; [exact (fed_there s H d e K') | exact X].
    - intros d d' e K K'; destruct (I d e K) as [A|(A & _ & _ & A' & _)], (I d' e K') as [B|(B & _ & _ & B' & _)].
      + exact (one_feeder s H d d' e A B).
      + destruct (B' d A).
      + destruct (A' d' B).
      + congruence.
    - intros d e x K X; destruct (same e c) as [->|N].
      + rewrite Q' in X; injection X as <-; destruct (I d c K) as [A|(_ & A & _)]; [|contradiction].
        pose proof (fed_whole s H d c p A Q); lia.
      + rewrite (O e N) in X; destruct (I d e K) as [A|(_ & _ & _ & _ & A)]; [exact (fed_whole s H d e x A X) | exact (A x X)].
    - intros e K; destruct (I e e K) as [A|(-> & A & _)]; [exact (no_loop s H e A) | contradiction].
  Qed.

  Lemma tidy_remove : forall s s' c, tidy s -> only s s' c -> queue s' c = [] -> (forall d, ~ into s d c) -> tidy s'.
  Proof.
    intros s s' c H O Q U.
    assert (I : forall d e, into s' d e -> into s d e).
    { intros d e (x & r & k & E & K); destruct (same d c) as [->|N]; [rewrite Q in E; discriminate|].
      rewrite (O d N) in E; exists x, r, k; auto. }
    split.
    - intro d; destruct (same d c) as [->|N]; [rewrite Q; cbn; lia | rewrite (O d N); exact (single s H d)].
    - intros d e K; apply I in K; destruct (same e c) as [->|N]; [destruct (U d K) | rewrite (O e N); exact (fed_there s H d e K)].
    - intros d d' e K K'; exact (one_feeder s H d d' e (I d e K) (I d' e K')).
    - intros d e x K X; apply I in K; destruct (same e c) as [->|N]; [destruct (U d K)|].
      rewrite (O e N) in X; exact (fed_whole s H d e x K X).
    - intros e K; exact (no_loop s H e (I e e K)).
  Qed.

  Lemma tidy_create : forall s s' c p, tidy s -> only s s' c -> queue s c = [] -> queue s' c = [p] -> gone p = None -> tidy s'.
  Proof.
    intros s s' c p H O Q Q' G.
    assert (I : forall d e, into s' d e -> into s d e).
    { intros d e (x & r & k & E & K); destruct (same d c) as [->|N]; [rewrite Q' in E; injection E as <- <-; congruence|].
      rewrite (O d N) in E; exists x, r, k; auto. }
    assert (U : forall d, ~ into s d c) by (intros d K; exact (fed_there s H d c K Q)).
    split.
    - intro d; destruct (same d c) as [->|N]; [rewrite Q'; cbn; lia | rewrite (O d N); exact (single s H d)].
    - intros d e K; apply I in K; destruct (same e c) as [->|N]; [rewrite Q'; discriminate | rewrite (O e N); exact (fed_there s H d e K)].
    - intros d d' e K K'; exact (one_feeder s H d d' e (I d e K) (I d' e K')).
    - intros d e x K X; apply I in K; destruct (same e c) as [->|N]; [destruct (U d K)|].
      rewrite (O e N) in X; exact (fed_whole s H d e x K X).
    - intros e K; exact (no_loop s H e (I e e K)).
  Qed.

  (* ---- the channels of one packet ---- *)

  (* The channels that one packet holds, the last one first; its head waits in the first. *)
  Fixpoint chain (s : state) (X : list channel) : Prop :=
    match X with
    | [] => False
    | x :: R => exists p, queue s x = [p] /\
        match R with [] => gone p = None | y :: _ => (exists k, gone p = Some (Into y k)) /\ chain s R end
    end.

  Definition kept (s s' : state) (x : channel) :=
    forall p, queue s x = [p] -> exists p', queue s' x = [p'] /\ name p' = name p /\ gone p' = gone p.
  Lemma kept_same : forall s s' x, queue s' x = queue s x -> kept s s' x.
  Proof. intros s s' x E p Q; exists p; rewrite E; auto. Qed.
  Lemma kept_trans : forall s s' s'' x, kept s s' x -> kept s' s'' x -> kept s s'' x.
  Proof.
    intros s s' s'' x H K p Q; destruct (H p Q) as (p' & Q' & N & G); destruct (K p' Q') as (p'' & Q'' & N' & G').
    exists p''; split; [exact Q'' | split; congruence].
  Qed.

  Lemma chain_kept : forall s s' X, chain s X -> (forall x, In x X -> kept s s' x) -> chain s' X.
  Proof.
    intros s s' X; induction X as [|x R IH]; intros H K; [exact H|]; destruct H as (p & Q & H).
    destruct (K x (or_introl eq_refl) p Q) as (p' & Q' & _ & G); exists p'; split; [exact Q'|].
    destruct R as [|y R]; [congruence|]; destruct H as ((k & E) & H); split; [exists k; congruence|].
    apply IH; [exact H | intros z Hz; apply K; right; exact Hz].
  Qed.
  Lemma chain_end : forall s A x R, chain s (A ++ x :: R) -> chain s (x :: R).
  Proof.
    intros s A x R; induction A as [|a A IH]; intro H; [exact H|]; apply IH; destruct H as (p & _ & H).
    destruct A as [|b A]; cbn [app] in *; exact (proj2 H).
  Qed.
  Lemma chain_one : forall s X x, chain s X -> In x X -> exists p, queue s x = [p].
  Proof.
    intros s X x H K; apply in_split in K; destruct K as (A & R & ->); apply chain_end in H; destruct H as (p & Q & _); eauto.
  Qed.
  Lemma chain_same : forall s R R' x, chain s (x :: R) -> chain s (x :: R') -> R = R'.
  Proof.
    intros s R; induction R as [|y R IH]; intros R' x (p & Q & H) (p' & Q' & H'); rewrite Q in Q'; injection Q' as <-.
    - destruct R' as [|z R']; [reflexivity|]; destruct H' as ((k & E) & _); congruence.
    - destruct H as ((k & E) & H); destruct R' as [|z R']; [congruence|]; destruct H' as ((k' & E') & H').
      rewrite E in E'; injection E' as <- _; f_equal; exact (IH R' y H H').
  Qed.
  Lemma chain_once : forall s X, chain s X -> NoDup X.
  Proof.
    intros s X; induction X as [|x R IH]; intro H; constructor.
    - intro K; apply in_split in K; destruct K as (A & R' & ->); pose proof (chain_end s (x :: A) x R' H) as H'.
      pose proof (chain_same s _ _ x H H') as E; apply (f_equal (@length channel)) in E; rewrite app_length in E; cbn in E; lia.
    - destruct R as [|y R]; [constructor|]; destruct H as (p & _ & _ & H); exact (IH H).
  Qed.
  Lemma chain_next : forall s X x p, chain s X -> In x X -> queue s x = [p] ->
    match gone p with
    | None => exists A, X = A ++ [x]
    | Some (Into y _) => exists A R, X = A ++ x :: y :: R
    | _ => False
    end.
  Proof.
    intros s X x p H K Q; apply in_split in K; destruct K as (A & R & ->); apply chain_end in H; destruct H as (p' & Q' & H).
    rewrite Q in Q'; injection Q' as <-; destruct R as [|y R].
    - rewrite H; eauto.
    - destruct H as ((k & ->) & _); eauto.
  Qed.
  (* Every channel of a chain but the last one of its packet is fed. *)
  Lemma chain_fed : forall s X x y R, chain s X -> X = y :: R -> In x X -> x = y \/ exists b, into s b x.
  Proof.
    intros s X x y R H -> K; apply in_split in K; destruct K as (A & R' & E); destruct A as [|a A]; [injection E; auto|].
    right; rewrite E in H; clear E; revert a H; induction A as [|b A IH]; intros a H.
    - destruct H as (p & Q & (k & G) & _); exists a, p, [], k; auto.
    - destruct H as (p & _ & _ & H); exact (IH b H).
  Qed.

  Lemma sum_same : forall (f g : channel -> nat) X, (forall x, In x X -> g x = f x) -> list_sum (map g X) = list_sum (map f X).
  Proof. intros f g X H; f_equal; apply map_ext_in; exact H. Qed.
  Lemma sum_one : forall (f g : channel -> nat) X y, NoDup X -> In y X -> (forall x, In x X -> x <> y -> g x = f x) ->
    list_sum (map g X) + f y = list_sum (map f X) + g y.
  Proof.
    intros f g X y H K E; apply in_split in K; destruct K as (A & R & ->).
    apply NoDup_remove_2 in H; rewrite !map_app, !list_sum_app.
    change (list_sum (map g (y :: R))) with (g y + list_sum (map g R)).
    change (list_sum (map f (y :: R))) with (f y + list_sum (map f R)).
    assert (N : forall x, In x A \/ In x R -> g x = f x).
    { intros x I; apply E; [apply in_or_app; cbn; tauto | intros ->; apply H, in_or_app; exact I]. }
    rewrite (sum_same f g A), (sum_same f g R); [lia | |]; intros; apply N; auto.
  Qed.

  (* The packet that holds the channels B, then c, then l has more flits than fit into l: it never leaves c. *)
  Record good (s : state) (B : list channel) (c : channel) (l : list channel) : Prop := {
    good_chain : chain s (B ++ c :: l);
    good_fits : forall x, In x l -> flits_at s x <= capacity sc;
    good_more : capacity sc * length l < content s (B ++ c :: l) }.

  Lemma good_kept : forall s s' B c l, good s B c l -> (forall x, In x (B ++ c :: l) -> kept s s' x) ->
    (forall x, In x l -> flits_at s' x <= capacity sc) -> content s (B ++ c :: l) <= content s' (B ++ c :: l) -> good s' B c l.
  Proof.
    intros s s' B c l [C F M] K F' M'; split; [exact (chain_kept s s' _ C K) | exact F' | lia].
  Qed.
  Lemma content_same : forall s s' X, (forall x, In x X -> queue s' x = queue s x) -> content s' X = content s X.
  Proof.
    intros s s' X E; unfold content; f_equal.
    - apply sum_same; intros x K; unfold flits_at; rewrite (E x K); reflexivity.
    - destruct X as [|x R]; [reflexivity|]; unfold counted; rewrite (E x (or_introl eq_refl)); reflexivity.
  Qed.
  Lemma good_same : forall s s' B c l, good s B c l -> (forall x, In x (B ++ c :: l) -> queue s' x = queue s x) -> good s' B c l.
  Proof.
    intros s s' B c l H E; apply (good_kept s); [exact H | | |].
    - intros x K; exact (kept_same s s' x (E x K)).
    - intros x K; unfold flits_at; rewrite E by (apply in_or_app; right; right; exact K); exact (good_fits s B c l H x K).
    - rewrite (content_same s s' _ E); apply le_n.
  Qed.

  (* A channel without flits that nobody feeds is given up: if it is one of the packet's, it is behind c. *)
  Lemma good_removed : forall s s' x B c l, good s B c l -> only s s' x -> queue s' x = [] -> flits_at s x = 0 -> counted s x = 0 ->
    (forall d, ~ into s d x) -> (exists B', good s' B' c l) /\ forall y, In y (c :: l) -> queue s' y = queue s y.
  Proof.
    intros s s' x B c l H O Q F R U; pose proof (chain_once _ _ (good_chain _ _ _ _ H)) as ND.
    destruct (in_dec same x (B ++ c :: l)) as [K|K].
    - destruct B as [|b B]; cbn [app] in *.
      + exfalso; destruct (chain_fed s _ x c l (good_chain _ _ _ _ H) eq_refl K) as [->|[d D]]; [|exact (U d D)].
        pose proof (good_more _ _ _ _ H) as M; unfold content in M; cbn [app map] in M.
        change (list_sum (flits_at s c :: map (flits_at s) l)) with (flits_at s c + list_sum (map (flits_at s) l)) in M.
        rewrite F, R in M; pose proof (good_fits _ _ _ _ H) as G; revert M G; clear; intros M G.
        assert (list_sum (map (flits_at s) l) <= capacity sc * length l); [|lia].
        clear M; induction l as [|y l IH]; [cbn; lia|].
        change (list_sum (map (flits_at s) (y :: l))) with (flits_at s y + list_sum (map (flits_at s) l)).
        pose proof (G y (or_introl eq_refl)); cbn [length]; rewrite Nat.mul_succ_r.
        specialize (IH (fun z Z => G z (or_intror Z))); lia.
      + destruct (chain_fed s _ x b (B ++ c :: l) (good_chain _ _ _ _ H) eq_refl K) as [->|[d D]]; [|destruct (U d D)].
        inversion ND as [|? ? N ND']; subst.
        assert (E : forall y, In y (B ++ c :: l) -> queue s' y = queue s y) by (intros y Y; apply O; intros ->; contradiction).
        split; [|intros y Y; apply E, in_or_app; right; exact Y]; exists B; split.
        * apply (chain_kept s); [|intros y Y; exact (kept_same _ _ _ (E y Y))].
          pose proof (good_chain _ _ _ _ H) as C; destruct C as (p & _ & C); destruct (B ++ c :: l) eqn:Z; [|exact (proj2 C)].
          destruct B; discriminate.
        * intros y Y; unfold flits_at; rewrite E by (apply in_or_app; right; right; exact Y); exact (good_fits _ _ _ _ H y Y).
        * rewrite (content_same s s' _ E); pose proof (good_more _ _ _ _ H) as M; unfold content in *; cbn [app map] in M.
          change (list_sum (flits_at s b :: map (flits_at s) (B ++ c :: l))) with
            (flits_at s b + list_sum (map (flits_at s) (B ++ c :: l))) in M; rewrite F, R in M; lia.
    - assert (E : forall y, In y (B ++ c :: l) -> queue s' y = queue s y) by (intros y Y; apply O; intros ->; contradiction).
      split; [exists B; exact (good_same s s' B c l H E) | intros y Y; apply E, in_or_app; right; exact Y].
  Qed.

  (* ---- what stays ---- *)

  Section Moves.
  Hypothesis of_flits : atomic sc = true.
  Variable w : list channel.

  (* All hops of the packet whose head waits in c lead into channels of w. *)
  Definition bound (c : channel) (p : piece) :=
    exists h r, row (Inside c) (name p) = Some (h :: r) /\ forall x, In x (h :: r) -> exists d k, to x = Into d k /\ In d w.
  Record holds (s : state) : Prop := {
    holds_tidy : tidy s;
    holds_good : forall c, In c w -> exists B l, good s B c l /\ incl l w;
    holds_bound : forall c p, In c w -> queue s c = [p] -> gone p = None -> bound c p }.
  Definition stays (s s' : state) := forall c, In c w -> kept s s' c.

  Lemma holds_one : forall s c, holds s -> In c w -> exists p, queue s c = [p].
  Proof.
    intros s c H K; destruct (holds_good s H c K) as (B & l & G & _).
    apply (chain_one s _ c (good_chain _ _ _ _ G)), in_or_app; right; left; reflexivity.
  Qed.

  (* It is enough that the chains stay, behind as far as they matter. *)
  Lemma holds_next : forall s s', holds s -> tidy s' ->
    (forall B c l, In c w -> good s B c l -> incl l w -> (exists B', good s' B' c l) /\ kept s s' c) -> holds s' /\ stays s s'.
  Proof.
    intros s s' H T N.
    assert (K : stays s s').
    { intros c I; destruct (holds_good s H c I) as (B & l & G & L); exact (proj2 (N B c l I G L)). }
    split; [split; [exact T | |] | exact K].
    - intros c I; destruct (holds_good s H c I) as (B & l & G & L); destruct (N B c l I G L) as ((B' & G') & _); eauto.
    - intros c p' I Q' E; destruct (holds_one s c H I) as [p Q]; destruct (K c I p Q) as (p'' & Q'' & E1 & E2).
      rewrite Q' in Q''; injection Q'' as <-; unfold bound; rewrite E1; apply (holds_bound s H c p I Q); congruence.
  Qed.
  Lemma holds_trans : forall s s' s'', holds s' /\ stays s s' -> (holds s' -> holds s'' /\ stays s' s'') -> holds s'' /\ stays s s''.
  Proof.
    intros s s' s'' [H S] N; destruct (N H) as [H' S']; split; [exact H'|]; intros c I; exact (kept_trans _ _ _ c (S c I) (S' c I)).
  Qed.

  Lemma holds_same : forall s s', holds s -> (forall c, queue s' c = queue s c) -> holds s' /\ stays s s'.
  Proof.
    intros s s' H E; apply (holds_next s s' H (tidy_same s s' (holds_tidy s H) E)); intros B c l _ G _; split.
    - exists B; exact (good_same s s' B c l G (fun x _ => E x)).
    - exact (kept_same s s' c (E c)).
  Qed.

  (* A channel that no packet of w holds. *)
  Definition outside (s : state) (x : channel) := forall B c l, In c w -> good s B c l -> incl l w -> ~ In x (B ++ c :: l).

  Lemma holds_outside : forall s s' x, holds s -> tidy s' -> only s s' x -> outside s x -> holds s' /\ stays s s'.
  Proof.
    intros s s' x H T O U; apply (holds_next s s' H T); intros B c l I G L.
    assert (E : forall y, In y (B ++ c :: l) -> queue s' y = queue s y) by (intros y Y; apply O; intros ->; exact (U B c l I G L Y)).
    split; [exists B; exact (good_same s s' B c l G E) | apply kept_same, E, in_or_app; right; left; reflexivity].
  Qed.

  Lemma outside_empty : forall s x, queue s x = [] -> outside s x.
  Proof. intros s x Q B c l _ G _ K; destruct (chain_one s _ x (good_chain _ _ _ _ G) K) as [p E]; congruence. Qed.
  Lemma outside_out : forall s x p, queue s x = [p] -> gone p = Some Eject \/ gone p = Some Discard -> outside s x.
  Proof.
    intros s x p Q E B c l _ G _ K; pose proof (chain_next s _ x p (good_chain _ _ _ _ G) K Q) as N.
    destruct E as [E|E]; rewrite E in N; exact N.
  Qed.
  Lemma outside_head : forall s x p, queue s x = [p] -> gone p = None -> ~ In x w -> outside s x.
  Proof.
    intros s x p Q E N B c l I G L K; pose proof (chain_next s _ x p (good_chain _ _ _ _ G) K Q) as C; rewrite E in C.
    destruct C as [A C]; apply N.
    assert (D : In x (c :: l)); [|destruct D as [<-|D]; [exact I | exact (L x D)]].
    assert (D : exists A' y, c :: l = A' ++ [y]) by (destruct (exists_last (l := c :: l)) as (A' & y & D); [discriminate | eauto]).
    destruct D as (A' & y & D); rewrite D in C; rewrite app_assoc in C; apply app_inj_tail in C; destruct C as [_ <-].
    rewrite D; apply in_or_app; right; left; reflexivity.
  Qed.
  Lemma outside_behind : forall s x y, tidy s -> into s y x -> outside s x -> outside s y.
  Proof.
    intros s x y T F U B c l I G L K; destruct (into_one_piece s y x T F) as (p & k & Q & E).
    pose proof (chain_next s _ y p (good_chain _ _ _ _ G) K Q) as C; rewrite E in C; destruct C as (A & R & C).
    apply (U B c l I G L); rewrite C; apply in_or_app; right; right; left; reflexivity.
  Qed.
  Lemma outside_end : forall s n x, tidy s -> outside s x -> outside s (back_from s n x).
  Proof.
    intros s n; induction n as [|n IH]; intros x T U; cbn; [exact U|]; destruct (fed s x) as [d|] eqn:F; [|exact U].
    apply IH; [exact T | exact (outside_behind s x d T (fed_into s x d F) U)].
  Qed.

  Lemma holds_create : forall s s' c p, holds s -> only s s' c -> queue s c = [] -> queue s' c = [p] -> gone p = None ->
    holds s' /\ stays s s'.
  Proof.
    intros s s' c p H O Q Q' G; apply (holds_outside s s' c H); [|exact O | exact (outside_empty s c Q)].
    exact (tidy_create s s' c p (holds_tidy s H) O Q Q' G).
  Qed.
  Lemma holds_remove : forall s s' x, holds s -> only s s' x -> queue s' x = [] -> flits_at s x = 0 -> counted s x = 0 ->
    (forall d, ~ into s d x) -> holds s' /\ stays s s'.
  Proof.
    intros s s' x H O Q F R U; apply (holds_next s s' H (tidy_remove s s' x (holds_tidy s H) O Q U)); intros B c l I G L.
    destruct (good_removed s s' x B c l G O Q F R U) as [E E']; split; [exact E | apply kept_same, E'; left; reflexivity].
  Qed.

  (* More flits in x, as many as there is room for, of which some may have been counted at the source. *)
  Lemma holds_fuller : forall s s' x p p', holds s -> only s s' x -> queue s x = [p] -> queue s' x = [p'] -> name p' = name p ->
    gone p' = gone p -> rest p' <= rest p -> flits p' <= Nat.max (flits p) (capacity sc) -> flits p <= flits p' ->
    (endless sc = true \/ flits p + rest p <= flits p' + rest p') -> holds s' /\ stays s s'.
  Proof.
    intros s s' x p p' H O Q Q' N G R C M D.
    assert (K : forall y, kept s s' y).
    { intro y; destruct (same y x) as [->|Z]; [|exact (kept_same s s' y (O y Z))].
      intros q E; rewrite Q in E; injection E as <-; exists p'; auto. }
    assert (Fx : flits_at s x = flits p) by (unfold flits_at; rewrite Q; cbn; lia).
    assert (Fx' : flits_at s' x = flits p') by (unfold flits_at; rewrite Q'; cbn; lia).
    assert (F : forall y, y <> x -> flits_at s' y = flits_at s y) by (intros y Z; unfold flits_at; rewrite (O y Z); reflexivity).
    apply (holds_next s s' H); [exact (tidy_mark s s' x p p' (holds_tidy s H) O Q Q' R (or_introl G))|].
    intros B c l I Gd L; split; [|exact (K c)]; exists B; apply (good_kept s s' B c l Gd (fun y _ => K y)).
    - intros y Y; pose proof (good_fits _ _ _ _ Gd y Y); destruct (same y x) as [->|Z]; [lia | rewrite (F y Z); assumption].
    - pose proof (chain_once _ _ (good_chain _ _ _ _ Gd)) as ND; unfold content; remember (B ++ c :: l) as X eqn:EX.
      destruct (in_dec same x X) as [J|J].
      + pose proof (sum_one (flits_at s) (flits_at s') X x ND J (fun y _ Z => F y Z)) as S.
        destruct X as [|y X]; [destruct B; discriminate|]; unfold counted; destruct (endless sc) eqn:En; [lia|].
        destruct D as [D|D]; [discriminate|].
        destruct (same y x) as [->|Z]; [rewrite Q, Q'; cbn [last_rest rev app]; lia | rewrite (O y Z); lia].
      + rewrite (sum_same (flits_at s) (flits_at s')); [|intros y Y; apply F; intros ->; contradiction].
        destruct X as [|y X]; [lia|]; unfold counted; rewrite (O y); [lia | intros ->; apply J; left; reflexivity].
  Qed.

  (* A flit goes from x into y, where its head has gone. *)
  Lemma holds_pass : forall s s' x y p q p' q' k, holds s -> (forall d, d <> x -> d <> y -> queue s' d = queue s d) ->
    queue s x = [p] -> gone p = Some (Into y k) -> queue s y = [q] -> queue s' x = [p'] -> queue s' y = [q'] ->
    name p' = name p -> gone p' = gone p -> rest p' = rest p -> flits p = S (flits p') ->
    name q' = name q -> gone q' = gone q -> rest q' = rest q -> flits q' = S (flits q) -> flits q < capacity sc ->
    holds s' /\ stays s s'.
  Proof.
    intros s s' x y p q p' q' k H O Qx Ex Qy Qx' Qy' N1 G1 R1 F1 N2 G2 R2 F2 C; pose proof (holds_tidy s H) as T.
    assert (XY : x <> y) by (intros ->; apply (no_loop s T y); exists p, [], k; auto).
    set (s1 := set_queue s x [p']).
    assert (O1 : only s s1 x) by (intros d D; cbn; destruct (same d x); [contradiction | reflexivity]).
    assert (O2 : only s1 s' y).
    { intros d D; cbn; destruct (same d x) as [->|Z]; [exact Qx' | exact (O d Z D)]. }
    assert (Q1 : queue s1 x = [p']) by (cbn; destruct (same x x); [reflexivity | contradiction]).
    assert (Q2 : queue s1 y = [q]) by (cbn; destruct (same y x); [congruence | exact Qy]).
    assert (T1 : tidy s1) by (apply (tidy_mark s s1 x p p' T O1 Qx Q1); [lia | auto]).
    assert (T2 : tidy s') by (apply (tidy_mark s1 s' y q q' T1 O2 Q2 Qy'); [lia | auto]).
    assert (K : forall d, kept s s' d).
    { intro d; destruct (same d x) as [->|X]; [intros a E; rewrite Qx in E; injection E as <-; exists p'; auto|].
      destruct (same d y) as [->|Y]; [intros a E; rewrite Qy in E; injection E as <-; exists q'; auto | apply kept_same; auto]. }
    assert (Fo : forall d, d <> x -> d <> y -> flits_at s' d = flits_at s d) by (intros d X Y; unfold flits_at; rewrite (O d X Y); reflexivity).
    assert (Fx : flits_at s x = S (flits_at s' x)) by (unfold flits_at; rewrite Qx, Qx'; cbn; lia).
    assert (Fy : flits_at s' y = S (flits_at s y)) by (unfold flits_at; rewrite Qy, Qy'; cbn; lia).
    assert (Fc : flits_at s' y <= capacity sc) by (unfold flits_at; rewrite Qy'; cbn; lia).
    apply (holds_next s s' H T2); intros B c l I Gd L; split; [|exact (K c)]; exists B; apply (good_kept s s' B c l Gd (fun d _ => K d)).
    - intros d D; pose proof (good_fits _ _ _ _ Gd d D); destruct (same d x) as [->|X]; [lia|].
      destruct (same d y) as [->|Y]; [exact Fc | rewrite (Fo d X Y); assumption].
    - pose proof (good_chain _ _ _ _ Gd) as Ch; pose proof (chain_once _ _ Ch) as ND; remember (B ++ c :: l) as X eqn:EX.
      assert (Cc : forall z, In z X -> counted s' z = counted s z).
      { intros z _; unfold counted; destruct (endless sc); [reflexivity|].
        destruct (same z x) as [->|Zx]; [rewrite Qx, Qx'; cbn; exact R1|].
        destruct (same z y) as [->|Zy]; [rewrite Qy, Qy'; cbn; exact R2 | rewrite (O z Zx Zy); reflexivity]. }
      assert (S1 : list_sum (map (flits_at s) X) <= list_sum (map (flits_at s') X)).
      { set (f := fun d => if same d x then flits_at s' x else flits_at s d).
        assert (f1 : forall d, d <> x -> f d = flits_at s d) by (intros d D; unfold f; destruct (same d x); [contradiction | reflexivity]).
        assert (fx : f x = flits_at s' x) by (unfold f; destruct (same x x); [reflexivity | contradiction]).
        assert (f2 : forall d, d <> y -> flits_at s' d = f d).
        { intros d D; destruct (same d x) as [->|X0]; [congruence | rewrite (f1 d X0); exact (Fo d X0 D)]. }
        assert (fy : f y = flits_at s y) by (apply f1; congruence).
        destruct (in_dec same x X) as [J|J].
        - pose proof (chain_next s X x p Ch J Qx) as N; rewrite Ex in N; destruct N as (A & R & EN).
          assert (J' : In y X) by (rewrite EN; apply in_or_app; right; right; left; reflexivity).
          pose proof (sum_one (flits_at s) f X x ND J (fun d _ D => f1 d D)).
          pose proof (sum_one f (flits_at s') X y ND J' (fun d _ D => f2 d D)); lia.
        - rewrite <- (sum_same (flits_at s) f) by (intros d D; apply f1; intros ->; contradiction).
          destruct (in_dec same y X) as [J'|J'].
          + pose proof (sum_one f (flits_at s') X y ND J' (fun d _ D => f2 d D)); lia.
          + rewrite (sum_same f (flits_at s')); [lia | intros d D; apply f2; intros ->; contradiction]. }
      unfold content; destruct X as [|z X]; [lia|]; rewrite (Cc z (or_introl eq_refl)); lia.
  Qed.

  (* ---- moves ---- *)

  Lemma shape : forall s c p, holds s -> forall q, queue s c = p :: q -> queue s c = [p] /\ q = [].
  Proof.
    intros s c p H q E; destruct (one s c (holds_tidy s H)) as [X|[p' X]]; rewrite X in E; [discriminate|].
    injection E as -> <-; split; [exact X | reflexivity].
  Qed.
  Lemma set_only : forall s c q, only s (set_queue s c q) c.
  Proof. intros s c q d D; cbn; destruct (same d c); [contradiction | reflexivity]. Qed.
  Lemma set_at : forall s c q, queue (set_queue s c q) c = q.
  Proof. intros s c q; cbn; destruct (same c c); [reflexivity | contradiction]. Qed.
  Lemma stays_refl : forall s, holds s -> holds s /\ stays s s.
  Proof. intros s H; split; [exact H | intros c _; apply kept_same; reflexivity]. Qed.

  (* One flit less in a channel that no packet of w holds; or none, but one less at the source. *)
  Lemma holds_taken : forall s c, holds s ->
    (forall y, y = (if shifts sc then Reference.end_of channel node header same channels s
       (match queue s c with p :: _ => match gone p with Some (Into d _) => d | _ => c end | [] => c end) else c) -> outside s y) ->
    holds (leave_from s c) /\ stays s (leave_from s c).
  Proof.
    intros s c H U; unfold Reference.leave_from.
    set (y := if shifts sc then _ else c); specialize (U y).
    assert (Uy : outside s y).
    { apply U; unfold y; destruct (queue s c) as [|[n f r [[d k| |]|]] q]; reflexivity. }
    destruct (queue s y) as [|p q] eqn:Q; [exact (stays_refl s H)|].
    destruct (shape s y p H q Q) as [Q1 ->].
    assert (T : forall p', name p' = name p -> gone p' = gone p -> rest p' <= rest p ->
      holds (set_queue s y [p']) /\ stays s (set_queue s y [p'])).
    { intros p' N G R; apply (holds_outside s _ y H); [|apply set_only | exact Uy].
      apply (tidy_mark s _ y p p' (holds_tidy s H) (set_only s y _) Q1 (set_at s y _)); auto. }
    destruct (shifts sc && (0 <? rest p)).
    - apply T; cbn; [reflexivity | reflexivity | destruct (endless sc); lia].
    - cbv zeta; destruct (fed s y) as [d|] eqn:F; cbn [flits rest].
      + rewrite andb_false_r; apply T; cbn; auto.
      + rewrite andb_true_r; destruct ((flits p - 1 =? 0) && (rest p =? 0)); [|apply T; cbn; auto].
        apply (holds_outside s _ y H); [|apply set_only | exact Uy].
        exact (tidy_remove s _ y (holds_tidy s H) (set_only s y []) (set_at s y []) (fed_none s y F)).
  Qed.

  Lemma holds_follow : forall s c h y s', holds s ->
    Reference.follow channel node header same same_header channels sc s c h y = Some s' -> holds s' /\ stays s s'.
  Proof.
    intros s c h y s' H E; unfold Reference.follow in E.
    destruct (queue s c) as [|[n f r [x|]] behind] eqn:Q; try discriminate.
    destruct (shape s c _ H behind Q) as [Q1 ->]; clear Q; rename Q1 into Q.
    destruct (same_header n h) as [_|]; [|discriminate]; cbn [andb] in E.
    destruct (Reference.same_way channel header same same_header x y) eqn:W; [|discriminate].
    apply Reference.same_way_eq in W; subst y; cbn [andb] in E; destruct (0 <? f) eqn:F0; [|discriminate]; apply Nat.ltb_lt in F0.
    destruct x as [d k| |].
    - destruct (elastic sc) eqn:El; [|discriminate]; destruct (sum_flits (queue s d) <? capacity sc) eqn:Room; [|discriminate].
      cbn [andb] in E; injection E as <-; apply Nat.ltb_lt in Room; pose proof (holds_tidy s H) as T.
      assert (I : into s c d) by (exists {| name := n; flits := f; rest := r; gone := Some (Into d k) |}, [], k; auto).
      destruct (one s d T) as [Qd|[q Qd]]; [destruct (fed_there s T c d I Qd)|].
      assert (CD : c <> d) by (intros ->; exact (no_loop s T d I)).
      rewrite Qd in *; cbn in Room.
      set (q' := {| name := name q; flits := S (flits q); rest := rest q; gone := gone q |}).
      change (Reference.change_last channel header [q] _) with [q'].
      set (s1 := set_queue s d [q']); set (p' := {| name := n; flits := f - 1; rest := r; gone := Some (Into d k) |}).
      assert (Q1 : queue s1 c = [{| name := n; flits := f; rest := r; gone := Some (Into d k) |}]) by (cbn; destruct (same c d); [contradiction | exact Q]).
      assert (P : holds (set_queue s1 c [p']) /\ stays s (set_queue s1 c [p'])).
      { apply (holds_pass s _ c d {| name := n; flits := f; rest := r; gone := Some (Into d k) |} q p' q' k); auto; cbn.
        - intros e X Y; destruct (same e c); [contradiction|]; destruct (same e d); [contradiction | reflexivity].
        - destruct (same c c); [reflexivity | contradiction].
        - destruct (same d c); [congruence|]; destruct (same d d); [reflexivity | contradiction].
        - lia.
        - lia. }
      unfold Reference.leave_from, shifts; rewrite El; cbn [negb]; rewrite andb_false_r; cbn [andb]; rewrite Q1; cbn [name flits rest gone].
      fold p'; destruct (fed s1 c) as [b|] eqn:Fd; [rewrite andb_false_r; exact P|]; rewrite andb_true_r.
      destruct ((f - 1 =? 0) && (r =? 0)) eqn:Over; [|exact P].
      apply andb_true_iff in Over; destruct Over as [O1 O2]; apply Nat.eqb_eq in O1; apply Nat.eqb_eq in O2.
      apply (holds_trans s _ _ P); intro H2; apply (holds_remove _ _ c H2).
      + intros e X; cbn; destruct (same e c); [contradiction | reflexivity].
      + cbn; destruct (same c c); [reflexivity | contradiction].
      + unfold flits_at; rewrite set_at; cbn; lia.
      + unfold counted; rewrite set_at; cbn; destruct (endless sc); [reflexivity | exact O2].
      + intros e (a & b & z & X & G); destruct (same e c) as [->|Z].
        * rewrite set_at in X; injection X as <- <-; apply (fed_none s1 c Fd c); eexists _, _, z; split; [exact Q1 | exact G].
        * rewrite (set_only s1 c [p'] e Z) in X; apply (fed_none s1 c Fd e); exists a, b, z; auto.
    - injection E as <-; apply (holds_taken s c H); rewrite Q; cbn [gone]; intros y ->.
      assert (U : outside s c) by (apply (outside_out s c _ Q); auto).
      destruct (shifts sc); [apply outside_end; [exact (holds_tidy s H) | exact U] | exact U].
    - injection E as <-; apply (holds_taken s c H); rewrite Q; cbn [gone]; intros y ->.
      assert (U : outside s c) by (apply (outside_out s c _ Q); auto).
      destruct (shifts sc); [apply outside_end; [exact (holds_tidy s H) | exact U] | exact U].
  Qed.

  Notation arrive := (Reference.arrive channel node header same same_node head sc).
  Notation accepts := (Reference.accepts channel node header same channels head sc).
  Notation mark_gone := (Reference.mark_gone channel node header same).

  Lemma accepts_empty : forall s p x d k, to x = Into d k -> accepts s p x = true -> queue s d = [].
  Proof.
    intros s p x d k E H; unfold Reference.accepts in H; rewrite E, of_flits in H; destruct (queue s d); [reflexivity | discriminate].
  Qed.
  Lemma holds_arrive : forall s p y, holds s -> (forall d k, y = Into d k -> queue s d = []) ->
    holds (arrive s p y) /\ stays s (arrive s p y).
  Proof.
    intros s p [d k| |] H E; cbn [Reference.arrive].
    - specialize (E d k eq_refl); rewrite E; eapply (holds_create s _ d _ H (set_only s d _) E (set_at s d _)); reflexivity.
    - destruct (sink sc =? 0); [exact (stays_refl s H) | apply (holds_same s _ H); reflexivity].
    - exact (stays_refl s H).
  Qed.
  Lemma arrive_else : forall s p y c, (forall k, y <> Into c k) -> queue (arrive s p y) c = queue s c.
  Proof.
    intros s p [d k| |] c E; cbn [Reference.arrive].
    - cbn; destruct (same c d) as [->|]; [destruct (E k eq_refl) | reflexivity].
    - destruct (sink sc =? 0); reflexivity.
    - reflexivity.
  Qed.

  Lemma holds_advance : forall s p h y s', holds s ->
    Reference.advance channel node header same same_header same_node channels head row sc s p h y = Some s' -> holds s' /\ stays s s'.
  Proof.
    intros s p h y s' H E; unfold Reference.advance in E.
    destruct (row p h) as [r|] eqn:R; [|discriminate].
    destruct (Reference.find_hop channel header same same_header r y) as [x|] eqn:Fx; [|discriminate].
    unfold Reference.find_hop in Fx; apply find_some in Fx; destruct Fx as [Hx Hy]; apply Reference.same_way_eq in Hy.
    destruct (Reference.waits_at channel node header same_header s p h) eqn:Wt; [|discriminate].
    destruct (accepts s p x) eqn:Ac; [|discriminate]; cbn [andb] in E; injection E as <-.
    assert (Em : forall d k, y = Into d k -> queue s d = []).
    { intros d k ->; exact (accepts_empty s p x d k Hy Ac). }
    pose proof (holds_arrive s p y H Em) as A; destruct p as [v|c]; [exact A|].
    unfold Reference.waits_at in Wt; destruct (queue s c) as [|a b] eqn:Qc; [discriminate|].
    destruct (shape s c a H b Qc) as [Q ->]; clear Qc.
    destruct (same_header (name a) h) as [Na|]; [|discriminate]; cbn [andb] in Wt.
    apply andb_true_iff in Wt; destruct Wt as [_ Wt]; destruct (gone a) eqn:Ga; [discriminate|]; clear Wt.
    assert (Nw : ~ In c w).
    { intro K; destruct (holds_bound s H c a K Q Ga) as (h1 & r1 & R1 & B1); rewrite Na, R in R1; injection R1 as ->.
      destruct (B1 x Hx) as (d & k & Ex & Kd); destruct (holds_one s d H Kd) as [q Qd].
      rewrite (Em d k) in Qd; [discriminate | congruence]. }
    set (s1 := arrive s (Inside c) y) in *; apply (holds_trans s s1 _ A); clear A; intro H1.
    assert (Q1 : queue s1 c = [a]).
    { unfold s1; rewrite arrive_else; [exact Q | intros k ->; rewrite (Em c k eq_refl) in Q; discriminate]. }
    set (a' := {| name := name a; flits := flits a; rest := rest a; gone := Some y |}).
    assert (Mk : mark_gone s1 c y = set_queue s1 c [a']) by (unfold Reference.mark_gone; rewrite Q1; reflexivity).
    rewrite Mk; set (s2 := set_queue s1 c [a']).
    assert (New : forall d k, y = Into d k -> queue s1 d = [{| name := k; flits := 1; rest := 0; gone := None |}] /\ d <> c).
    { intros d k ->; split; [|intros ->; rewrite (Em c k eq_refl) in Q; discriminate].
      unfold s1; cbn; destruct (same d d); [|contradiction]; rewrite (Em d k eq_refl); reflexivity. }
    assert (T2 : tidy s2).
    { apply (tidy_mark s1 s2 c a a' (holds_tidy s1 H1) (set_only s1 c _) Q1 (set_at s1 c _) (le_n _)); right.
      intros d k Ey; injection Ey as ->; destruct (New d k eq_refl) as [Qd Dc]; split; [exact Dc|].
      split; [rewrite Qd; discriminate | split; [|intros q Qd'; rewrite Qd in Qd'; injection Qd' as <-; reflexivity]].
      intros e (p0 & q0 & k0 & X & G); destruct (same e d) as [->|Z].
      - rewrite Qd in X; injection X as <- <-; discriminate.
      - unfold s1 in X; rewrite arrive_else in X; [|intros k1 [= -> _]; contradiction].
        apply (fed_there s (holds_tidy s H) e d); [exists p0, q0, k0; auto | exact (Em d k eq_refl)]. }
    assert (P2 : holds s2 /\ stays s1 s2).
    { apply (holds_outside s1 s2 c H1 T2 (set_only s1 c _)); exact (outside_head s1 c a Q1 Ga Nw). }
    apply (holds_trans s1 s2 _ P2); clear P2; intro H2; apply (holds_taken s2 c H2).
    assert (Q2 : queue s2 c = [a']) by apply set_at.
    rewrite Q2; change (gone a') with (Some y).
    assert (Ud : forall d k, y = Into d k -> outside s2 d).
    { intros d k E; destruct (New d k E) as [Qd Dc]; apply (outside_head s2 d {| name := k; flits := 1; rest := 0; gone := None |}).
      - unfold s2; rewrite (set_only s1 c _ d Dc); exact Qd.
      - reflexivity.
      - intro K; destruct (holds_one s d H K) as [q Qd']; rewrite (Em d k E) in Qd'; discriminate. }
    assert (Uc : outside s2 c).
    { destruct y as [d k| |]; [|apply (outside_out s2 c a' Q2); auto | apply (outside_out s2 c a' Q2); auto].
      apply (outside_behind s2 d c T2); [exists a', [], k; auto | exact (Ud d k eq_refl)]. }
    intros z ->; destruct (shifts sc); [|exact Uc]; apply (outside_end s2 _ _ T2); destruct y as [d k| |]; [exact (Ud d k eq_refl) | exact Uc | exact Uc].
  Qed.

  Lemma at_source_one : forall s v c h, holds s ->
    Reference.at_source channel node header same_header same_node tail s v c h = true -> exists p, queue s c = [p] /\ 0 < rest p.
  Proof.
    intros s v c h H E; unfold Reference.at_source in E; destruct (one s c (holds_tidy s H)) as [Q|[p Q]]; rewrite Q in E; [discriminate|].
    cbn in E; exists p; split; [exact Q|]; apply andb_true_iff in E; destruct E as [E _]; apply andb_true_iff in E; destruct E as [_ E].
    apply Nat.ltb_lt; exact E.
  Qed.

  Lemma holds_give_up : forall n s c, endless sc = true -> holds s -> (forall d, ~ into s d c) ->
    holds (give_up s n c) /\ stays s (give_up s n c).
  Proof.
    induction n as [|n IH]; intros s c En H U; cbn [Reference.give_up]; [exact (stays_refl s H)|].
    destruct (one s c (holds_tidy s H)) as [Q|[[k f r g] Q]]; rewrite Q; cbn [rev app]; [exact (stays_refl s H)|].
    destruct f as [|f]; [|exact (stays_refl s H)]; destruct g as [y|]; [|exact (stays_refl s H)].
    assert (P : holds (set_queue s c []) /\ stays s (set_queue s c [])).
    { apply (holds_remove s _ c H (set_only s c []) (set_at s c [])); [unfold flits_at; rewrite Q; reflexivity | | exact U].
      unfold counted; rewrite En; reflexivity. }
    cbv zeta; destruct y as [d k'| |]; try exact P; apply (holds_trans s _ _ P); intro H2; apply (IH _ d En H2).
    intros e (p0 & q0 & k0 & X & G); destruct (same e c) as [->|Z]; [rewrite set_at in X; discriminate|].
    rewrite (set_only s c [] e Z) in X; apply Z, (one_feeder s (holds_tidy s H) e c d).
    - exists p0, q0, k0; auto.
    - eexists _, _, k'; split; [exact Q | reflexivity].
  Qed.

  Theorem holds_apply : forall s m s', holds s -> apply s m = Some s' -> holds s' /\ stays s s'.
  Proof.
    intros s m s' H E; destruct m as [p h y|c h y|v c h|v c h|v]; unfold Reference.apply in E.
    - exact (holds_advance s p h y s' H E).
    - exact (holds_follow s c h y s' H E).
    - destruct (Reference.at_source channel node header same_header same_node tail s v c h) eqn:A; [|discriminate].
      destruct (elastic sc && (sum_flits (queue s c) <? capacity sc)) eqn:R; cbn [andb] in E.
      + rewrite andb_true_iff in R; destruct R as [R1 R2]; rewrite R1, R2 in E; cbn in E; injection E as <-.
        destruct (at_source_one s v c h H A) as (p & Q & Rp); rewrite Q in *; cbn in R2; apply Nat.ltb_lt in R2.
        eapply (holds_fuller s _ c p _ H (set_only s c _) Q (set_at s c _)); cbn; try reflexivity; try lia.
        * destruct (endless sc); lia.
        * destruct (endless sc); [left; reflexivity | right; lia].
      + destruct (elastic sc), (sum_flits (queue s c) <? capacity sc); cbn in R, E; discriminate.
    - destruct (Reference.at_source channel node header same_header same_node tail s v c h) eqn:A; [|discriminate].
      destruct (endless sc) eqn:En; [|discriminate].
      destruct (at_source_one s v c h H A) as (p & Q & Rp); rewrite Q in E.
      set (s1 := set_queue s c _) in E; change (Some (give_up s1 (S (length channels)) c) = Some s') in E.
      assert (Es : s' = give_up s1 (S (length channels)) c) by congruence; rewrite Es; clear E Es.
      assert (P : holds s1 /\ stays s s1).
      { eapply (holds_fuller s s1 c p _ H (set_only s c _) Q (set_at s c _)); cbn; try reflexivity; try lia; left; exact En. }
      apply (holds_trans s s1 _ P); intro H1.
      apply (holds_give_up _ s1 c En H1).
      intros e (p0 & q0 & k0 & X & G).
      assert (I : into s e c).
      { destruct (same e c) as [->|Z].
        - unfold s1 in X; rewrite set_at in X; injection X as <- <-; exists p, [], k0; auto.
        - unfold s1 in X; rewrite (set_only s c _ e Z) in X; exists p0, q0, k0; auto. }
      pose proof (fed_whole s (holds_tidy s H) e c p I Q); lia.
    - destruct (0 <? held channel node header s v); [|discriminate]; injection E as <-; apply (holds_same s _ H); reflexivity.
  Qed.

  Theorem holds_replay : forall l s s', holds s -> replay s l = Some s' -> holds s' /\ stays s s'.
  Proof.
    induction l as [|m l IH]; intros s s' H E; cbn in E; [injection E as <-; exact (stays_refl s H)|].
    destruct (apply s m) as [s1|] eqn:E1; [|discriminate].
    exact (holds_trans s s1 s' (holds_apply s m s1 H E1) (fun H1 => IH s1 s' H1 E)).
  Qed.
  End Moves.

  Lemma tidy_reached : forall l s, atomic sc = true -> replay nothing l = Some s -> tidy s.
  Proof.
    intros l s A E; apply (holds_tidy [] s); apply (holds_replay A [] l nothing s); [|exact E]; split.
    - assert (U : forall d c, ~ into nothing d c) by (intros d c (p & q & k & X & _); discriminate).
      split; [cbn; lia | intros d c K; destruct (U d c K) | intros d d' c K; destruct (U d c K) | intros d c p K; destruct (U d c K) | intros c; exact (U c c)].
    - intros c [].
    - intros c p [].
  Qed.

  Lemma ahead_chain : forall s n c l, tidy s -> ahead s n c = Some l -> chain s (c :: l).
  Proof.
    intros s n; induction n as [|n IH]; intros c l T E; cbn in E; destruct (one s c T) as [Q|[p Q]]; rewrite Q in E; try discriminate.
    - destruct (gone p) as [[d k| |]|] eqn:G; try discriminate; injection E as <-; exists p; auto.
    - destruct (gone p) as [[d k| |]|] eqn:G; try discriminate; [|injection E as <-; exists p; auto].
      destruct (ahead s n d) as [r|] eqn:A; [|discriminate]; injection E as <-; exists p; split; [exact Q | split; [eauto | exact (IH d r T A)]].
  Qed.
  Lemma tail_chain : forall s n c R, tidy s -> chain s (c :: R) -> chain s (from_tail s n c (c :: R)) /\ exists B, from_tail s n c (c :: R) = B ++ c :: R.
  Proof.
    intros s n; induction n as [|n IH]; intros c R T C; cbn [from_tail]; [split; [exact C | exists []; reflexivity]|].
    destruct (fed s c) as [b|] eqn:F; [|split; [exact C | exists []; reflexivity]].
    destruct (into_one_piece s b c T (fed_into s c b F)) as (p & k & Q & G).
    assert (C' : chain s (b :: c :: R)) by (exists p; split; [exact Q | split; [exists k; exact G | exact C]]).
    destruct (IH b (c :: R) T C') as (D & B & E); split; [exact D|].
    exists (B ++ [b]); rewrite E, <- app_assoc; reflexivity.
  Qed.

  Lemma flits_wait_holds : forall s w, tidy s -> forallb (flits_wait s w) w = true -> holds w s.
  Proof.
    intros s w T H; rewrite forallb_forall in H; split; [exact T | |].
    - intros c K; specialize (H c K); apply andb_true_iff in H; destruct H as [_ H].
      destruct (ahead s (length channels) c) as [l|] eqn:A; [|discriminate]; apply andb_true_iff in H; destruct H as [F M].
      rewrite forallb_forall in F; apply Nat.ltb_lt in M; pose proof (ahead_chain s _ c l T A) as C.
      destruct (tail_chain s (length channels) c l T C) as (C' & B & E); rewrite E in *; exists B, l; split; [split|].
      + exact C'.
      + intros x X; specialize (F x X); apply andb_true_iff in F; apply Nat.leb_le; exact (proj2 F).
      + exact M.
      + intros x X; specialize (F x X); apply andb_true_iff in F; destruct F as [F _]; destruct (in_dec same x w); [assumption | discriminate].
    - intros c p K Q G; specialize (H c K); apply andb_true_iff in H; destruct H as [H _]; unfold head_waits in H; rewrite Q, G in H.
      destruct (row (Inside c) (name p)) as [[|h r]|] eqn:R; try discriminate; exists h, r; split; [exact R|].
      rewrite forallb_forall in H; intros x X; specialize (H x X); unfold into_one in H; destruct (to x) as [d k| |]; try discriminate.
      destruct (in_dec same d w); [eauto | discriminate].
  Qed.

  Theorem flit_deadlock_sound : forall l w, flit_deadlock l w = true -> exists s, replay nothing l = Some s /\
    (exists c p, In c w /\ queue s c = [p] /\ gone p = None) /\
    forall c, In c w -> exists p, queue s c = [p] /\ forall l' s', replay s l' = Some s' ->
      exists p', queue s' c = [p'] /\ name p' = name p /\ gone p' = gone p.
  Proof.
    intros l w H; unfold flit_deadlock in H; apply andb_true_iff in H; destruct H as [A H].
    destruct (replay nothing l) as [s|] eqn:E; [|discriminate].
    assert (H' : w <> [] /\ forallb (flits_wait s w) w = true) by (destruct w; [discriminate | split; [discriminate | exact H]]).
    clear H; destruct H' as [Ne H]; pose proof (flits_wait_holds s w (tidy_reached l s A E) H) as W.
    exists s; split; [reflexivity | split].
    - destruct w as [|c w0]; [contradiction|]; destruct (holds_good _ s W c (or_introl eq_refl)) as (B & X & G & L).
      destruct (exists_last (l := c :: X)) as (A' & e & D); [discriminate|]; pose proof (good_chain _ _ _ _ G) as C.
      rewrite D, app_assoc in C; apply chain_end in C; destruct C as (p & Q & Gp); exists e, p; split; [|auto].
      assert (I : In e (c :: X)) by (rewrite D; apply in_or_app; right; left; reflexivity).
      destruct I as [<-|I]; [left; reflexivity | exact (L e I)].
    - intros c K; destruct (holds_one w s c W K) as [p Q]; exists p; split; [exact Q|]; intros l' s' E'.
      destruct (holds_replay A w l' s s' W E') as [_ S]; exact (S c K p Q).
  Qed.
End StuckFlits.
