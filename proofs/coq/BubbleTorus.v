(* Bubbles on k-ary n-cubes, with any number of adaptive VCs beside them, for every k >= 2 and every n (after Carrion et
   al., 1997, and Puente et al., 2001).

   VC 0 is dimension order along shortest ways; VCs 1 to m take any minimal hop, and with m = 0 there are none. A hop into a
   ring of VC 0, from a source, another dimension or an adaptive VC, demands room for two packets; all others for one.
   Proved: from every state that the empty network can reach some steps without injection lead to the empty network
   ([bubble_drains]), so no packet is stuck for good ([bubble_never_stuck]). At distance k/2 a rule may permit one way or
   both: the theorems are for every rule that looks at the node, the destination, the dimension and the direction, and
   leaves a shortest way in each dimension that has hops left. Where all hops demand room for one, a packet can be stuck for good, for every
   n >= 1, every m and every k >= 5, and for k = 4 where the rule permits the way up ([bubbles_needed]).
   Assumed: packets move as a whole, by the step of Step.v; every channel has a place, and every one of VC 0 two; sinks
   drain. Not proved: that every packet does move, as room for two need never come; that packets arrive. *)
Require Import List Arith ZArith Lia Bool Eqdep_dec Packets Grid Dateline Step Stuck Filled Room.
Import ListNotations.
Open Scope Z_scope.

Section Bubbles.
  Variable k : Z.
  Variable n m : nat.
  Hypothesis k2 : 2 <= k.
  Notation torus := (torus k n).
  Notation minimal := (minimal k).
  Notation moved := (moved torus).

  (* A node is a list of n positions below k, and a channel one VC of the link from a node in a dimension and direction. *)
  Definition pos (x : list Z) : node := fun j => nth j x 0.
  (* The ways that routers permit. *)
  Variable rule : list Z -> list Z -> nat -> bool -> Prop.
  Hypothesis leaves_one : forall x d i, (exists u, minimal u (pos x i) (pos d i)) ->
    exists u, minimal u (pos x i) (pos d i) /\ rule x d i u.

  Record place := { from : list Z; axis : nat; plus : bool; vc : nat }.
  Definition is_node (x : list Z) := (length x =? n)%nat && forallb (fun a => (0 <=? a) && (a <? k)) x.
  Definition is_channel (p : place) := is_node (from p) && (axis p <? n)%nat && (vc p <=? m)%nat.
  Definition channel := { p : place | is_channel p = true }.
  Notation the := (@proj1_sig place (fun p => is_channel p = true)).

  Fixpoint set_at (i : nat) (a : Z) (x : list Z) : list Z :=
    match x, i with [], _ => [] | _ :: y, O => a :: y | b :: y, S i => b :: set_at i a y end.
  Definition to (p : place) : list Z := set_at (axis p) (moved (plus p) (pos (from p) (axis p))) (from p).

  Definition offers (x d : list Z) (p : place) :=
    from p = x /\ (minimal (plus p) (pos x (axis p)) (pos d (axis p)) /\ rule x d (axis p) (plus p)) /\
    (vc p = 0%nat -> lowest torus (pos x) (pos d) (axis p)).
  Definition bubbles : network := {|
    Packets.channel := channel;
    site := channel * list Z;                              (* a channel, and the destination *)
    at_ := fst;
    alternative := fun s a => a = (fun h => match h with
      | Leave => at_home torus (pos (to (the (fst s)))) (pos (snd s))
      | Go t => snd t = snd s /\ offers (to (the (fst s))) (snd s) (the (fst t)) end);
    injected := fun s => is_node (snd s) = true /\ offers (from (the (fst s))) (snd s) (the (fst s)) |}.

  (* The demands for room. A ring is the channels of VC 0 of one dimension and direction through one row of nodes. *)
  Definition goes_on (p q : place) := (vc p =? 0)%nat && (axis p =? axis q)%nat && eqb (plus p) (plus q).
  Definition room (s t : site bubbles) : nat :=
    if (vc (the (fst t)) =? 0)%nat then if goes_on (the (fst s)) (the (fst t)) then 1 else 2 else 1.
  Definition entry (s : site bubbles) (e : nat) := e = if (vc (the (fst s)) =? 0)%nat then 2%nat else 1%nat.
  Definition ring (c : channel) : option (list Z * nat * bool) :=
    if (vc (the c) =? 0)%nat then Some (set_at (axis (the c)) 0 (from (the c)), axis (the c), plus (the c)) else None.
  (* The level of a channel, and hops left in its dimension. *)
  Definition level (c : channel) : nat := if (vc (the c) =? 0)%nat then n - axis (the c) else S n.
  Definition hops (u : bool) (a b : Z) := if u then ahead k a b else ahead k b a.
  Definition left_over (s : site bubbles) : nat :=
    Z.to_nat (hops (plus (the (fst s))) (pos (to (the (fst s))) (axis (the (fst s)))) (pos (snd s) (axis (the (fst s))))).

  (* ---- positions ---- *)

  Lemma set_length : forall i a x, length (set_at i a x) = length x.
  Proof. induction i as [|i IH]; intros a [|b x]; cbn; auto. Qed.
  Lemma set_same : forall i a x, (i < length x)%nat -> pos (set_at i a x) i = a.
  Proof. unfold pos; induction i as [|i IH]; intros a [|b x] H; cbn in *; try lia; apply IH; lia. Qed.
  Lemma set_other : forall i a x j, j <> i -> pos (set_at i a x) j = pos x j.
  Proof. unfold pos; induction i as [|i IH]; intros a [|b x] [|j] H; cbn in *; auto; try lia; apply IH; lia. Qed.
  Lemma set_twice : forall i a b x, set_at i a (set_at i b x) = set_at i a x.
  Proof. induction i as [|i IH]; intros a b [|e x]; cbn; auto; f_equal; apply IH. Qed.
  Lemma set_back : forall i x, set_at i (pos x i) x = x.
  Proof. unfold pos; induction i as [|i IH]; intros [|b x]; cbn; auto; f_equal; apply IH. Qed.

  Lemma is_node_iff : forall x, is_node x = true <-> length x = n /\ forall a, In a x -> 0 <= a < k.
  Proof.
    intro x; unfold is_node; rewrite andb_true_iff, Nat.eqb_eq, forallb_forall.
    split; intros [H1 H2]; (split; [exact H1|]); intros a Ha; specialize (H2 a Ha); lia.
  Qed.
  Lemma node_pos : forall x j, is_node x = true -> (j < n)%nat -> 0 <= pos x j < k.
  Proof. intros x j H Hj; apply is_node_iff in H; destruct H as [H1 H2]; apply H2, nth_In; lia. Qed.
  Lemma set_node : forall i a x, is_node x = true -> 0 <= a < k -> is_node (set_at i a x) = true.
  Proof.
    intros i a x H Ha; apply is_node_iff in H; destruct H as [H1 H2]; apply is_node_iff; split; [rewrite set_length; exact H1|].
    clear H1; revert i H2; induction x as [|b x IH]; intros [|i] H2 e He; cbn in *; try tauto.
    - destruct He as [<-|He]; [exact Ha | apply H2; right; exact He].
    - destruct He as [<-|He]; [apply H2; left; reflexivity | apply (IH i); [intros f Hf; apply H2; right; exact Hf | exact He]].
  Qed.

  Lemma is_channel_iff : forall p, is_channel p = true <-> is_node (from p) = true /\ (axis p < n)%nat /\ (vc p <= m)%nat.
  Proof. intro p; unfold is_channel; rewrite !andb_true_iff, Nat.ltb_lt, Nat.leb_le; tauto. Qed.
  Lemma channel_is : forall c : channel, is_node (from (the c)) = true /\ (axis (the c) < n)%nat /\ (vc (the c) <= m)%nat.
  Proof. intros [p H]; apply is_channel_iff; exact H. Qed.

  Definition make (x : list Z) (i : nat) (u : bool) (v : nat) (Hx : is_node x = true) (Hi : (i < n)%nat) (Hv : (v <= m)%nat) : channel :=
    exist (fun p => is_channel p = true) {| from := x; axis := i; plus := u; vc := v |}
      (proj2 (is_channel_iff {| from := x; axis := i; plus := u; vc := v |}) (conj Hx (conj Hi Hv))).

  Lemma same_place : forall c d : channel, the c = the d -> c = d.
  Proof. intros [p H] [q K] E; cbn in E; subst q; f_equal; apply UIP_dec, bool_dec. Qed.
  Lemma place_dec : forall p q : place, {p = q} + {p <> q}.
  Proof. decide equality; [apply Nat.eq_dec | apply bool_dec | apply Nat.eq_dec | apply list_eq_dec, Z.eq_dec]. Defined.
  Definition same (c d : channel) : {c = d} + {c <> d}.
  Proof.
    destruct (place_dec (the c) (the d)) as [E|E]; [left; exact (same_place c d E) | right; intros ->; contradiction].
  Defined.

  (* All channels. *)
  Fixpoint nodes (j : nat) : list (list Z) :=
    match j with O => [[]] | S j => flat_map (fun a => map (cons a) (nodes j)) (map Z.of_nat (seq 0 (Z.to_nat k))) end.
  Lemma nodes_all : forall j x, length x = j -> (forall a, In a x -> 0 <= a < k) -> In x (nodes j).
  Proof.
    induction j as [|j IH]; intros [|a x] E H; try discriminate; [left; reflexivity|].
    cbn; apply in_flat_map; exists a; split.
    - apply in_map_iff; exists (Z.to_nat a); specialize (H a (or_introl eq_refl)); split; [lia | apply in_seq; lia].
    - apply in_map, IH; [cbn in E; lia | intros b Hb; apply H; right; exact Hb].
  Qed.
  Definition checked (p : place) : list channel :=
    match bool_dec (is_channel p) true with Specif.left H => [exist _ p H] | Specif.right _ => [] end.
  Definition channels : list channel := nodup same
    (flat_map checked
      (flat_map (fun x => flat_map (fun i => flat_map (fun u => map (fun v => {| from := x; axis := i; plus := u; vc := v |})
        (seq 0 (S m))) [true; false]) (seq 0 n)) (nodes n))).
  Lemma all_channels : forall c, In c channels.
  Proof.
    intro c; apply nodup_In, in_flat_map; destruct (channel_is c) as (H1 & H2 & H3); apply is_node_iff in H1.
    exists (the c); split.
    - apply in_flat_map; exists (from (the c)); split; [apply nodes_all; tauto|].
      apply in_flat_map; exists (axis (the c)); split; [apply in_seq; lia|].
      apply in_flat_map; exists (plus (the c)); split; [destruct (plus (the c)); cbn; auto|].
      apply in_map_iff; exists (vc (the c)); split; [destruct (the c); reflexivity | apply in_seq; lia].
    - unfold checked; destruct (bool_dec (is_channel (the c)) true) as [H|H]; [left; apply same_place; reflexivity|].
      destruct c as [p Hp]; contradiction.
  Qed.
  Lemma once : NoDup channels.
  Proof. apply NoDup_nodup. Qed.

  (* ---- one ring ---- *)

  Ltac cases := unfold hops, Dateline.minimal, ahead, Grid.moved in *; cbn [wrap size Dateline.torus] in *;
    repeat match goal with
    | H : context [?a =? ?b] |- _ => destruct (Z.eqb_spec a b)
    | H : context [?a <=? ?b] |- _ => destruct (Z.leb_spec a b)
    | |- context [?a =? ?b] => destruct (Z.eqb_spec a b)
    | |- context [?a <=? ?b] => destruct (Z.leb_spec a b)
    end; try lia.

  Lemma moved_in : forall u a, 0 <= a < k -> 0 <= moved u a < k.
  Proof. intros u a H; destruct u; cases. Qed.
  Lemma moved_other : forall u a, 0 <= a < k -> moved u a <> a.
  Proof. intros u a H; destruct u; cases. Qed.
  Lemma hops_in : forall u a b, 0 <= a < k -> 0 <= b < k -> 0 <= hops u a b < k.
  Proof. intros u a b Ha Hb; destruct u; cases. Qed.
  Lemma hops_moved : forall u a b, 0 <= a < k -> 0 <= b < k -> a <> b -> hops u (moved u a) b = hops u a b - 1.
  Proof. intros u a b Ha Hb H; destruct u; cases. Qed.
  Lemma hops_none : forall u a b, 0 <= a < k -> 0 <= b < k -> hops u a b = 0 -> a = b.
  Proof. intros u a b Ha Hb H; destruct u; cases. Qed.
  Lemma minimal_on : forall u a b, 0 <= a < k -> 0 <= b < k -> minimal u a b -> moved u a <> b -> minimal u (moved u a) b.
  Proof. intros u a b Ha Hb [H1 H2] H; split; [exact H | destruct u; cases]. Qed.
  Lemma only_on : forall u v a b, 0 <= a < k -> 0 <= b < k -> minimal u a b -> minimal v (moved u a) b -> v = u.
  Proof. intros u v a b Ha Hb [H1 H2] [H3 H4]; destruct u, v; try reflexivity; cases. Qed.
  Lemma some_way : forall a b, a <> b -> 0 <= a < k -> 0 <= b < k -> minimal true a b \/ minimal false a b.
  Proof.
    intros a b H Ha Hb; unfold Dateline.minimal, ahead.
    destruct (Z.leb_spec a b), (Z.leb_spec b a); destruct (Z_le_gt_dec (2 * (b - a)) k), (Z_le_gt_dec (2 * (b - a + k)) k); lia.
  Qed.
  Lemma round_moved : forall u j a b, 0 <= a < k -> 0 <= b < k -> hops u a b = Z.of_nat j -> Nat.iter j (moved u) a = b.
  Proof.
    intros u; induction j as [|j IH]; intros a b Ha Hb H; [exact (hops_none u a b Ha Hb H)|].
    assert (Hne : a <> b) by (intros ->; destruct u; cases).
    rewrite <- (IH (moved u a) b); [|apply moved_in; exact Ha | exact Hb | rewrite hops_moved by assumption; lia].
    clear; induction j as [|j IH]; [reflexivity | exact (f_equal (moved u) IH)].
  Qed.

  Lemma to_node : forall c : channel, is_node (to (the c)) = true.
  Proof.
    intro c; destruct (channel_is c) as (H1 & H2 & _); apply set_node; [exact H1 | apply moved_in, node_pos; assumption].
  Qed.
  Lemma to_axis : forall c : channel, pos (to (the c)) (axis (the c)) = moved (plus (the c)) (pos (from (the c)) (axis (the c))).
  Proof.
    intro c; destruct (channel_is c) as (H1 & H2 & _); apply is_node_iff in H1; apply set_same; lia.
  Qed.
  Lemma to_other : forall (c : channel) j, j <> axis (the c) -> pos (to (the c)) j = pos (from (the c)) j.
  Proof. intros c j H; apply set_other; exact H. Qed.

  (* A channel that begins where another one ends. *)
  Definition channel_at (c : channel) (i : nat) (u : bool) (v : nat) (Hi : (i < n)%nat) (Hv : (v <= m)%nat) : channel :=
    make (to (the c)) i u v (to_node c) Hi Hv.
  Definition successor (c : channel) : channel :=
    channel_at c (axis (the c)) (plus (the c)) (vc (the c)) (proj1 (proj2 (channel_is c))) (proj2 (proj2 (channel_is c))).

  Lemma the_successor : forall c, the (successor c) =
    {| from := to (the c); axis := axis (the c); plus := plus (the c); vc := vc (the c) |}.
  Proof. reflexivity. Qed.
  Lemma iter_successor : forall j c, the (Nat.iter j successor c) =
    {| from := set_at (axis (the c)) (Nat.iter j (moved (plus (the c))) (pos (from (the c)) (axis (the c)))) (from (the c));
       axis := axis (the c); plus := plus (the c); vc := vc (the c) |}.
  Proof.
    induction j as [|j IH]; intro c.
    - cbn; rewrite set_back; destruct (the c); reflexivity.
    - change (Nat.iter (S j) successor c) with (successor (Nat.iter j successor c)); rewrite the_successor.
      unfold to; rewrite (IH c); cbn [from axis plus vc]; rewrite set_twice, set_same; [reflexivity|].
      destruct (channel_is c) as (H1 & H2 & _); apply is_node_iff in H1; lia.
  Qed.

  Lemma ring_is : forall c g, ring c = Some g ->
    vc (the c) = 0%nat /\ g = (set_at (axis (the c)) 0 (from (the c)), axis (the c), plus (the c)).
  Proof. intros c g H; unfold ring in H; destruct (Nat.eqb_spec (vc (the c)) 0); [|discriminate]; injection H as <-; auto. Qed.

  Lemma ring_closed : forall c g, ring c = Some g -> ring (successor c) = Some g.
  Proof.
    intros c g H; destruct (ring_is c g H) as [E ->]; unfold ring, successor, channel_at, make; cbn [proj1_sig from axis plus vc].
    rewrite E; cbn [Nat.eqb]; unfold to; rewrite set_twice; reflexivity.
  Qed.
  Lemma ring_round : forall c d g, ring c = Some g -> ring d = Some g -> exists j, Nat.iter j successor c = d.
  Proof.
    intros c d g Hc Hd; destruct (ring_is c g Hc) as [Ec ->]; destruct (ring_is d _ Hd) as [Ed E]; injection E as E1 E2 E3.
    destruct (channel_is c) as (C1 & C2 & _); destruct (channel_is d) as (D1 & _ & _).
    set (a := pos (from (the c)) (axis (the c))); set (b := pos (from (the d)) (axis (the c))).
    pose proof (node_pos _ _ C1 C2) as Ha; pose proof (node_pos _ _ D1 C2) as Hb; fold a in Ha; fold b in Hb.
    exists (Z.to_nat (hops (plus (the c)) a b)); apply same_place; rewrite iter_successor; fold a.
    rewrite (round_moved (plus (the c)) _ a b Ha Hb) by (pose proof (hops_in (plus (the c)) a b Ha Hb); lia).
    rewrite <- (set_twice (axis (the c)) b 0 (from (the c))), E1, <- E2, set_twice; unfold b; rewrite set_back.
    rewrite Ec, E2, E3, <- Ed; destruct (the d); reflexivity.
  Qed.
  Lemma ring_two : forall c g, ring c = Some g -> successor c <> c.
  Proof.
    intros c g _ E; destruct (channel_is c) as (H1 & H2 & _); apply (moved_other (plus (the c)) _ (node_pos _ _ H1 H2)).
    rewrite <- to_axis; change (to (the c)) with (from (the (successor c))); rewrite E; reflexivity.
  Qed.
  Lemma ring_level : forall c d g, ring c = Some g -> ring d = Some g -> level c = level d.
  Proof.
    intros c d g Hc Hd; destruct (ring_is c g Hc) as [Ec ->]; destruct (ring_is d _ Hd) as [Ed E]; injection E as _ E _.
    unfold level; rewrite Ec, Ed, E; reflexivity.
  Qed.

  (* ---- the relation ---- *)

  Lemma home_or_lowest : forall x d : node, at_home torus x d \/ exists j, lowest torus x d j.
  Proof.
    intros x d.
    assert (G : forall j, (j <= n)%nat -> (forall i, (i < j)%nat -> x i = d i) \/ exists i, lowest torus x d i).
    { induction j as [|j IH]; intro Hj; [left; intros i Hi; lia|].
      destruct IH as [H|H]; [lia | | right; exact H].
      destruct (Z.eq_dec (x j) (d j)) as [E|E].
      - left; intros i Hi; destruct (Nat.eq_dec i j) as [->|]; [exact E | apply H; lia].
      - right; exists j; split; [exact Hj | split; [exact E | exact H]]. }
    destruct (G n (le_n n)) as [H|H]; [left; exact H | right; exact H].
  Qed.

  Lemma sites : forall s, reached bubbles s -> is_node (snd s) = true /\ offers (from (the (fst s))) (snd s) (the (fst s)).
  Proof.
    intros s H; induction H as [s H | s a t _ [IH _] -> [E H]]; [exact H|].
    rewrite E; split; [exact IH|]; pose proof (proj1 H) as F; rewrite F; exact H.
  Qed.

  (* Wherever a packet has not arrived, it is offered a hop of VC 0: to a lower level, or on in its ring. *)
  Lemma escape : forall s, reached bubbles s -> ~ at_home torus (pos (to (the (fst s)))) (pos (snd s)) ->
    exists t : site bubbles, snd t = snd s /\ offers (to (the (fst s))) (snd s) (the (fst t)) /\ vc (the (fst t)) = 0%nat /\
      ((level (fst t) < level (fst s))%nat \/
       exists g, ring (fst s) = Some g /\ fst t = successor (fst s) /\ room s t = 1%nat /\ (left_over t < left_over s)%nat).
  Proof.
    intros [c d] Hs Hn; destruct (sites _ Hs) as (Hd & _ & [Hm _] & Hl); cbn [fst snd] in *.
    destruct (home_or_lowest (pos (to (the c))) (pos d)) as [|(i & Hlow)]; [contradiction|].
    pose proof Hlow as (Hi & Hne & Hbelow); cbn in Hi.
    destruct (channel_is c) as (C1 & C2 & C3); pose proof (to_node c) as Hy.
    assert (Hv : (0 <= m)%nat) by lia.
    destruct (leaves_one (to (the c)) d i) as (w & W).
    { destruct (some_way _ _ Hne (node_pos _ _ Hy Hi) (node_pos _ _ Hd Hi)); eauto. }
    destruct (Nat.eq_dec (vc (the c)) 0) as [V|V]; [|].
    - specialize (Hl V).
      assert (Hle : (axis (the c) <= i)%nat).
      { destruct (le_lt_dec (axis (the c)) i) as [|H]; [assumption | exfalso; apply Hne].
        rewrite to_other by lia; apply Hl; exact H. }
      destruct (Nat.eq_dec i (axis (the c))) as [->|Hi'].
      + exists (successor c, d); cbn [fst snd]; split; [reflexivity|].
        pose proof Hne as Hne'; rewrite to_axis in Hne'.
        pose proof (minimal_on _ _ _ (node_pos _ _ C1 C2) (node_pos _ _ Hd C2) Hm Hne') as Hm'.
        pose proof (proj1 W) as W1; rewrite to_axis in W1.
        assert (Hr : rule (to (the c)) d (axis (the c)) (plus (the c))).
        { rewrite <- (only_on _ _ _ _ (node_pos _ _ C1 C2) (node_pos _ _ Hd C2) Hm W1); exact (proj2 W). }
        rewrite <- to_axis in Hm'.
        split; [split; [reflexivity | split; [exact (conj Hm' Hr) | intros _; exact Hlow]]|].
        split; [exact V | right].
        exists (set_at (axis (the c)) 0 (from (the c)), axis (the c), plus (the c)).
        split; [unfold ring; rewrite V; reflexivity | split; [reflexivity|]]; split.
        * unfold room, goes_on; cbn; rewrite V, eqb_reflx, (Nat.eqb_refl (axis (the c))); reflexivity.
        * unfold left_over; cbn [fst snd]; rewrite to_axis; change (axis (the (successor c))) with (axis (the c)).
          change (plus (the (successor c))) with (plus (the c)); change (from (the (successor c))) with (to (the c)).
          pose proof (node_pos _ _ Hy C2) as Ha; pose proof (node_pos _ _ Hd C2) as Hb.
          rewrite (hops_moved _ _ _ Ha Hb Hne).
          pose proof (hops_in (plus (the c)) _ _ Ha Hb); pose proof (hops_none (plus (the c)) _ _ Ha Hb); lia.
      + exists (channel_at c i w 0 Hi Hv, d); cbn [fst snd]; split; [reflexivity|].
        split; [split; [reflexivity | split; [exact W | intros _; exact Hlow]]|]; split; [reflexivity | left].
        unfold level; rewrite V; cbn; lia.
    - exists (channel_at c i w 0 Hi Hv, d); cbn [fst snd]; split; [reflexivity|].
      split; [split; [reflexivity | split; [exact W | intros _; exact Hlow]]|]; split; [reflexivity | left].
      unfold level; rewrite (proj2 (Nat.eqb_neq _ _) V); cbn; lia.
  Qed.

  Lemma into_ring : forall s a t g, reached bubbles s -> alternative bubbles s a -> a (Go t) -> ring (fst t) = Some g ->
    ~ (ring (fst s) = Some g /\ fst t = successor (fst s)) -> (2 <= room s t)%nat.
  Proof.
    intros [c d] a [c' d'] g _ -> [_ (E & _)] Hg H; cbn [fst snd] in *; unfold room, goes_on; cbn [fst snd].
    destruct (ring_is c' g Hg) as [V' ->]; rewrite V'; cbn [Nat.eqb].
    destruct (Nat.eqb_spec (vc (the c)) 0) as [V|]; [|cbn; lia].
    destruct (Nat.eqb_spec (axis (the c)) (axis (the c'))) as [A|]; [|cbn; lia].
    destruct (eqb (plus (the c)) (plus (the c'))) eqn:P; [apply eqb_prop in P | cbn; lia]; exfalso; apply H.
    assert (S : c' = successor c).
    { apply same_place; unfold successor, channel_at, make; cbn [proj1_sig].
      rewrite V, A, P, <- V', <- E; destruct (the c'); reflexivity. }
    split; [|exact S]; unfold ring; rewrite V; cbn [Nat.eqb].
    rewrite S; cbn; unfold to; rewrite set_twice; reflexivity.
  Qed.

  Section Places.
    Variable capacity : channel -> nat.
    Hypothesis a_place : forall c, (1 <= capacity c)%nat.
    Hypothesis two_places : forall c, vc (the c) = 0%nat -> (2 <= capacity c)%nat.
    Notation reachable := (reachable bubbles same capacity room entry).

    Theorem bubble_drains : forall st, reachable st ->
      exists st', steps bubbles same capacity room entry st st' /\ forall c, st' c = [].
    Proof.
      apply (ring_drains bubbles same channels all_channels once capacity room entry) with
        (level := level) (name := (list Z * nat * bool)%type) (ring := ring) (successor := successor) (measure := left_over) (most := Z.to_nat k).
      - intros s a t _ _ _; eexists; reflexivity.
      - intros s a Hs ->; left; destruct (home_or_lowest (pos (to (the (fst s)))) (pos (snd s))) as [H | (i & _ & Hi & _)]; [exists Leave; exact H|].
        destruct (home_or_lowest (pos (to (the (fst s)))) (pos (snd s))) as [H | (j & Hj & Hne & _)]; [exists Leave; exact H|].
        destruct (escape s Hs) as (t & H1 & H2 & _); [intro H; exact (Hne (H j Hj)) | exists (Go t); split; assumption].
      - intros s a t _ _ _; unfold room; destruct (Nat.eqb_spec (vc (the (fst t))) 0) as [V|]; [|exact (a_place (fst t))].
        pose proof (two_places _ V); cbn [at_ bubbles]; destruct (goes_on _ _); lia.
      - intros s t; unfold room; destruct (_ =? _)%nat; [destruct (goes_on _ _)|]; lia.
      - intros s e ->; destruct (_ =? _)%nat; lia.
      - exact ring_closed.
      - exact ring_round.
      - exact ring_two.
      - exact ring_level.
      - intros c g H; exact (two_places c (proj1 (ring_is c g H))).
      - intros s e g _ -> H; destruct (ring_is _ g H) as [V _]; cbn [at_ bubbles] in V; rewrite V; cbn; lia.
      - exact into_ring.
      - intros s a Hs -> _; destruct (home_or_lowest (pos (to (the (fst s)))) (pos (snd s))) as [H | (j & Hj & Hne & _)]; [left; exact H | right].
        destruct (escape s Hs) as (t & H1 & H2 & _ & [H3 | (g & H3 & H4 & H5 & H6)]); [intro H; exact (Hne (H j Hj)) | |].
        + left; exists t; split; [split; assumption | exact H3].
        + right; exists t, g; split; [split; assumption | split; [exact H3 | split; [exact H4 | split; [exact H5 | exact H6]]]].
      - intros [c d] H; destruct (sites _ H) as (Hd & _); unfold left_over; cbn [fst snd] in *.
        destruct (channel_is c) as (_ & C2 & _).
        pose proof (hops_in (plus (the c)) _ _ (node_pos _ _ (to_node c) C2) (node_pos _ _ Hd C2)); lia.
    Qed.

    Theorem bubble_never_stuck : forall st c p, reachable st -> ~ stuck_for_good bubbles same capacity room entry st c p.
    Proof.
      intros st c p Hst H; destruct (bubble_drains st Hst) as (st' & H1 & H2).
      destruct (H st' H1) as (rest & E); rewrite H2 in E; discriminate.
    Qed.

    (* Without bubbles the rings of dimension 0 fill up with packets for the node after next. *)
    Definition after_next (c : channel) : site bubbles :=
      (c, set_at 0 (moved true (moved true (pos (from (the c)) 0%nat))) (from (the c))).
    Definition upwards (c : channel) : bool := (axis (the c) =? 0)%nat && plus (the c).

    Theorem bubbles_needed : 4 <= k -> (k = 4 -> forall x d, rule x d 0 true) -> (1 <= n)%nat ->
      exists st c p, Step.reachable bubbles same capacity (fun _ _ => 1%nat) (fun _ e => e = 1%nat) st /\
        stuck_for_good bubbles same capacity (fun _ _ => 1%nat) (fun _ e => e = 1%nat) st c p.
    Proof.
      intros k4 up4 n1.
      assert (up : forall x d, 0 <= pos x 0%nat < k -> 0 <= pos d 0%nat < k ->
                pos d 0%nat = moved true (pos x 0%nat) \/ pos d 0%nat = moved true (moved true (pos x 0%nat)) ->
                minimal true (pos x 0%nat) (pos d 0%nat) /\ rule x d 0 true).
      { intros x d Hx Hd E; assert (M : minimal true (pos x 0%nat) (pos d 0%nat)) by (destruct E as [-> | ->]; cases).
        split; [exact M|]; destruct (Z.eq_dec k 4) as [K|K]; [exact (up4 K x d)|].
        destruct (leaves_one x d 0 (ex_intro _ true M)) as ([] & [_ M'] & R); [exact R | exfalso].
        clear M R; destruct E as [E | E]; rewrite E in M'; cases. }
      destruct (filled_stuck bubbles same capacity (fun _ _ => 1%nat) (fun _ e => e = 1%nat) a_place (filter upwards channels) after_next
        (fun c h => match h with
           | Leave => at_home torus (pos (to (the c))) (pos (snd (after_next c)))
           | Go t => snd t = snd (after_next c) /\ offers (to (the c)) (snd (after_next c)) (the (fst t)) end))
        as (st & H & S).
      - intros c Hc; apply filter_In in Hc; destruct Hc as [_ Hc]; apply andb_true_iff in Hc; destruct Hc as [A P].
        apply Nat.eqb_eq in A; destruct (channel_is c) as (C1 & C2 & _); rewrite A in C2.
        pose proof (node_pos _ _ C1 C2) as Ha; pose proof (is_node_iff (from (the c))) as L; rewrite C1 in L.
        destruct L as [L _]; destruct (L eq_refl) as [L1 _]; clear L.
        split; [reflexivity | split; [apply way_first; [|reflexivity] | reflexivity]]; cbn [injected bubbles after_next fst snd].
        split; [apply set_node; [exact C1 | apply moved_in, moved_in; exact Ha]|].
        split; [reflexivity | split].
        + rewrite A, P; apply up; [exact Ha | rewrite set_same by lia; apply moved_in, moved_in; exact Ha | right; apply set_same; lia].
        + intros _; rewrite A; split; [exact n1 | split; [rewrite set_same by lia; cases | intros j Hj; lia]].
      - intros c Hc; apply filter_In in Hc; destruct Hc as [_ Hc]; apply andb_true_iff in Hc; destruct Hc as [A P].
        apply Nat.eqb_eq in A; destruct (channel_is c) as (C1 & C2 & C3); rewrite A in C2.
        pose proof (node_pos _ _ C1 C2) as Ha; pose proof (is_node_iff (from (the c))) as L; rewrite C1 in L.
        destruct L as [L _]; destruct (L eq_refl) as [L1 _]; clear L.
        set (a := pos (from (the c)) 0%nat) in *.
        assert (Y : pos (to (the c)) 0%nat = moved true a) by (rewrite <- A at 1; rewrite to_axis, A, P; reflexivity).
        assert (D : pos (snd (after_next c)) 0%nat = moved true (moved true a)) by (cbn [after_next snd]; rewrite set_same by lia; reflexivity).
        assert (O : forall j, j <> 0%nat -> pos (to (the c)) j = pos (snd (after_next c)) j).
        { intros j Hj; rewrite to_other by (rewrite A; exact Hj); cbn [after_next snd]; rewrite set_other by exact Hj; reflexivity. }
        assert (Hne : moved true a <> moved true (moved true a)) by (apply not_eq_sym, moved_other, moved_in; exact Ha).
        split; [|split].
        + exists (Go (channel_at c 0 true 0 n1 (Nat.le_0_l m), snd (after_next c))); split; [reflexivity|].
          split; [reflexivity | split; cbn [fst snd proj1_sig channel_at make axis plus vc]].
          { apply up; rewrite ?Y, ?D; [apply moved_in; exact Ha | apply moved_in, moved_in; exact Ha | left; reflexivity]. }
          intros _; split; [exact n1 | split; [rewrite Y, D; exact Hne | intros j Hj; lia]].
        + intro H; specialize (H 0%nat n1); rewrite Y, D in H; contradiction.
        + intros [c' d'] [_ (_ & [[Hm1 Hm2] _] & _)]; cbn [fst snd at_ bubbles] in *; split; [|lia].
          apply filter_In; split; [apply all_channels|]; unfold upwards; apply andb_true_iff.
          destruct (Nat.eq_dec (axis (the c')) 0) as [A'|A']; [|exfalso; apply Hm1; exact (O _ A')].
          split; [apply Nat.eqb_eq; exact A'|]; rewrite A', Y, D in *; destruct (plus (the c')); [reflexivity | exfalso; cases].
      - assert (Hx : is_node (repeat 0 n) = true).
        { apply is_node_iff; split; [apply repeat_length | intros a Ha; apply repeat_spec in Ha; lia]. }
        exists st, (make (repeat 0 n) 0 true 0 Hx n1 (Nat.le_0_l m)); eexists; split; [exact H | apply S].
        apply filter_In; split; [apply all_channels | reflexivity].
    Qed.
  End Places.
End Bubbles.
