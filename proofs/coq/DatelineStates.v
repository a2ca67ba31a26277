(* Datelines once more, with states: what Dateline.v says of sets of packets, said of packets that move by Step.v and WormStep.v.

   Step.v needs channels that can be compared and listed. Those of Grid.v cannot, as nodes there are functions, so here a
   node is a list of positions (BubbleTorus.v). Proved, for every k >= 2, every n and every rule at distance k/2 that leaves
   a shortest way: every hop lowers the rank ([listed_lowered]); no whole packet of a state that the empty network can reach
   by Step.v is stuck for good, for all capacities and all demands that do not exceed them ([dateline_states]); and no packet
   of any length is, by WormStep.v ([dateline_wormhole]). In a run that is strongly fair to channels, no whole packet waits
   for ever where each hop demands one place ([dateline_no_packet_waits]).
   Assumed: sinks drain; by WormStep.v, one packet's flits per channel. *)
Require Import List Arith ZArith Lia Bool Packets Wormhole Grid Dateline Step WormStep Starvation BubbleTorus.
Import ListNotations.
Open Scope Z_scope.

Section States.
  Variable k : Z.
  Variable n : nat.
  Hypothesis k2 : 2 <= k.
  Notation torus := (torus k n).
  Notation minimal := (minimal k).
  Notation is_node := (is_node k n).
  Notation to := (to k n).
  Variable rule : list Z -> list Z -> nat -> bool -> Prop.
  Hypothesis leaves_one : forall x d i, (exists u, minimal u (pos x i) (pos d i)) ->
    exists u, minimal u (pos x i) (pos d i) /\ rule x d i u.

  (* As dateline_offers. *)
  Definition offers (x d : list Z) (p : place) :=
    from p = x /\ lowest torus (pos x) (pos d) (axis p) /\
    (minimal (plus p) (pos x (axis p)) (pos d (axis p)) /\ rule x d (axis p) (plus p)) /\
    vc p = (if wraps (plus p) (pos x (axis p)) (pos d (axis p)) then 0 else 1)%nat.
  Definition listed : network := {|
    Packets.channel := place;
    site := place * list Z;                                (* a channel, and the destination *)
    at_ := fst;
    alternative := fun s a => a = (fun h => match h with
      | Leave => at_home torus (pos (to (fst s))) (pos (snd s))
      | Go t => snd t = snd s /\ offers (to (fst s)) (snd s) (fst t) end);
    injected := fun s => is_node (from (fst s)) = true /\ is_node (snd s) = true /\ offers (from (fst s)) (snd s) (fst s) |}.

  Lemma to_is_node : forall x d p, is_node x = true -> offers x d p -> is_node (to p) = true.
  Proof.
    intros x d p Hx (<- & (Hi & _) & _); apply set_node; [exact Hx | apply moved_in, node_pos with (n := n); assumption].
  Qed.
  Lemma sites : forall s, reached listed s ->
    is_node (from (fst s)) = true /\ is_node (snd s) = true /\ offers (from (fst s)) (snd s) (fst s).
  Proof.
    intros s H; induction H as [s H | s a t _ (H1 & H2 & H3) -> [E H]]; [exact H|].
    pose proof (to_is_node _ _ _ H1 H3) as Hy; rewrite E; pose proof H as (F & _); rewrite F; auto.
  Qed.

  Definition places : list place := nodup place_dec
    (flat_map (fun x => flat_map (fun i => flat_map (fun u => map (fun v => {| from := x; axis := i; plus := u; vc := v |})
      [0; 1]%nat) [true; false]) (seq 0 n)) (nodes k n)).
  Lemma places_all : forall s, reached listed s -> In (fst s) places.
  Proof.
    intros s H; destruct (sites s H) as (Hx & _ & _ & (Hi & _) & _ & V); apply nodup_In; apply is_node_iff in Hx.
    apply in_flat_map; exists (from (fst s)); split; [apply nodes_all; tauto|].
    apply in_flat_map; exists (axis (fst s)); split; [apply in_seq; cbn in Hi; lia|].
    apply in_flat_map; exists (plus (fst s)); split; [destruct (plus (fst s)); cbn; auto|].
    apply in_map_iff; exists (vc (fst s)); split; [destruct (fst s); reflexivity|].
    rewrite V; destruct (wraps _ _ _); cbn; auto.
  Qed.

  Definition place_rank (p : place) : nat :=
    pair_rank n (2 * k + 1) (axis p) (local k (plus p) (vc p) (pos (from p) (axis p))).
  Theorem listed_lowered : lowered listed place_rank.
  Proof.
    intros s a t Hs -> [_ Ht]; destruct (sites s Hs) as (Hx & Hd & _ & (Hi & Hni & Hbelow) & [Hm _] & V).
    destruct Ht as (F & (Hj & Hnj & _) & [Hm' _] & V'); cbn [dims Dateline.torus] in Hi, Hj; cbn [at_ listed].
    pose proof (node_pos _ _ _ _ Hx Hi) as Ha.
    assert (same : pos (to (fst s)) (axis (fst s)) = moved torus (plus (fst s)) (pos (from (fst s)) (axis (fst s)))).
    { apply is_node_iff in Hx; apply set_same; lia. }
    assert (Hle : (axis (fst s) <= axis (fst t))%nat).
    { destruct (le_lt_dec (axis (fst s)) (axis (fst t))) as [|H]; [assumption | exfalso; apply Hnj].
      unfold BubbleTorus.to; rewrite set_other by lia; apply Hbelow; exact H. }
    assert (Hy : is_node (to (fst s)) = true) by (apply set_node; [exact Hx | apply moved_inside; assumption]).
    pose proof (node_pos _ _ _ _ Hy Hj) as Hb.
    unfold place_rank; rewrite F; apply pair_rank_lower; try lia; [apply local_bound; assumption .. |].
    destruct (Nat.eq_dec (axis (fst t)) (axis (fst s))) as [E|E]; [right | left; lia]; split; [auto|].
    rewrite V, V', E in *; rewrite same in *; apply ring_lowers with (n := n); auto; exact (node_pos _ _ _ _ Hd Hi).
  Qed.

  Lemma listed_full : has_alternatives listed.
  Proof. intros s a t _ _ _; eexists; reflexivity. Qed.
  Lemma listed_decided : forall s a, reached listed s -> alternative listed s a -> (exists h, a h) \/ forall h, ~ a h.
  Proof.
    intros [p d] a Hs ->; left; destruct (sites _ Hs) as (Hx & Hd & Ho); cbn [fst snd] in *.
    pose proof (to_is_node _ _ _ Hx Ho) as Hy.
    destruct (home_or_lowest k n (pos (to p)) (pos d)) as [H | (i & Hl)]; [exists Leave; exact H|].
    pose proof Hl as (Hi & Hne & _); cbn in Hi.
    destruct (leaves_one (to p) d i) as (u & Hu).
    { destruct (some_way k k2 _ _ Hne (node_pos _ _ _ _ Hy Hi) (node_pos _ _ _ _ Hd Hi)); eauto. }
    exists (Go ({| from := to p; axis := i; plus := u; vc := if wraps u (pos (to p) i) (pos d i) then 0 else 1 |}, d)).
    split; [reflexivity | split; [reflexivity | split; [exact Hl | split; [exact Hu | reflexivity]]]].
  Qed.

  (* Packets of any length. *)
  Theorem dateline_wormhole : forall st s a, WormStep.reachable listed st ->
    ~ forall st', WormStep.steps listed st st' -> exists l, In (l, (s, a)) st'.
  Proof.
    exact (WormStep.wormhole_never_stuck listed listed_full listed_decided place_rank (lowered_escapes _ _ listed_lowered)).
  Qed.

  (* Whole packets. *)
  Variable capacity : place -> nat.
  Variable room : site listed -> site listed -> nat.
  Variable entry : site listed -> nat -> Prop.
  Hypothesis fits : forall s t, (room s t <= capacity (fst t))%nat.

  Theorem dateline_states : forall st c p, Step.reachable listed place_dec capacity room entry st ->
    ~ stuck_for_good listed place_dec capacity room entry st c p.
  Proof.
    exact (never_stuck_for_good listed place_dec places places_all (NoDup_nodup _ _) capacity room entry place_rank
      (lowered_ranked _ _ listed_lowered) listed_full listed_decided (fun s _ t _ _ _ => fits s t)).
  Qed.

  (* Whole packets whose hops demand one place, in runs that are strongly fair to channels. *)
  Theorem dateline_no_packet_waits : forall run act, is_run listed place_dec capacity (fun _ _ => 1%nat) entry run act ->
    (forall c, fair listed capacity (fun _ _ => 1%nat) run act c) -> (forall s e, entry s e -> (1 <= e)%nat) -> (forall c, (1 <= capacity c)%nat) ->
    forall c i p, (p < length (run i c))%nat -> ~ forall m, (departures listed place_dec act c i m <= p)%nat.
  Proof.
    intros run act Hrun Hfair Hentry Hplaces; exact (ranked_no_packet_waits listed place_dec capacity entry run act place_rank
      Hrun Hfair listed_full listed_decided Hentry Hplaces (lowered_ranked _ _ listed_lowered)).
  Qed.
End States.
