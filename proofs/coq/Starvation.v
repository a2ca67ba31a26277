(* Starvation: every packet moves on at some time, whoever else is injected meanwhile.

   Step.v proves that from every reachable state *some* next steps empty the network. Here a run is given, endless, in which
   sources may inject for ever, and which may be any run that is strongly fair to channels.

   Strongly fair to a channel: if its first packet could leave the channel again and again, some packet leaves it at some
   time ([fair]). Possible again and again means that there is no time after which it never is. So a router must not pass over
   the same input for ever while an output that it asks for becomes free again and again; an arbiter that serves its
   inputs in turn, or first come first served, keeps to that. Strongly fair to a source is the same, of its first hop.
   unknot check --liveness asks about weak fairness, under which a packet may starve that moves on here.

   Proved: if channels have ranks (Packets.v) such that the hop into a channel of lower rank demands one place, then in every
   run from the empty network that is strongly fair to all channels, no packet waits for ever ([no_packet_waits]): it is not
   so that fewer packets leave its channel than stand before it, and itself. And no source waits for ever that the run is
   fair to and that demands one place ([no_source_waits]). DatelineStates.v concludes it of datelines. The channels of
   Grid.v and of most other families hold functions, which cannot be compared, so nothing is concluded of them.

   Refuted for bubbles ([bubbles_starve]): in a ring of two channels where a first hop demands two places, all hypotheses of
   the ring theorem hold ([bubbles_never_stuck]), and a run that is strongly fair to all channels and to the other source
   never has two free places in one of the channels: the source there waits for ever. No fairness helps, as its hop never is possible.

   Proved without classical logic, so "at some time" is stated as "it is not so that never".

   Assumed: whole packets; sinks drain; every hop demands at least one place, and every channel has one; every hop leads to a
   site that has an alternative; it can be told whether an alternative has a hop. Not proved: a bound on the time; that a
   packet reaches its destination: it moves on, and its hops end where a measure says so (Measures.v); wormhole packets
   of several flits; the arbiters of a real router, which have to be fair as stated. *)
Require Import List Arith Lia Packets Step Room.
Import ListNotations.

Lemma nth_error_app1_some : forall (A : Type) (l q : list A) p x, nth_error l p = Some x -> nth_error (l ++ q) p = Some x.
Proof.
  intros A l q p x H; rewrite nth_error_app1; [exact H|]; apply nth_error_Some; rewrite H; discriminate.
Qed.

Section Runs.
  Variable N : network.
  Hypothesis same : forall c d : channel N, {c = d} + {c <> d}.
  Variable capacity : channel N -> nat.
  Variable room : site N -> site N -> nat.
  Variable entry : site N -> nat -> Prop.
  Notation set := (hop (site N) -> Prop).
  Notation state := (Step.state N).
  Notation put := (Step.put N same).
  Notation step := (Step.step N same capacity room entry).

  (* What happens in a step: nothing, a packet enters at a site, or the first packet of a channel leaves it. *)
  Inductive event := Idle | Enter (s : site N) | Depart (c : channel N).

  Inductive happens : event -> state -> state -> Prop :=
  | idle : forall st, happens Idle st st
  | enter : forall (st : state) s e (a : set), injected N s -> entry s e -> alternative N s a ->
      length (st (at_ N s)) + e <= capacity (at_ N s) ->
      happens (Enter s) st (put st (at_ N s) (st (at_ N s) ++ [(s, a)]))
  | move : forall (st : state) c s (a : set) rest t (b : set), st c = (s, a) :: rest -> a (Go t) -> alternative N t b ->
      length (st (at_ N t)) + room s t <= capacity (at_ N t) ->
      happens (Depart c) st (let st' := put st c rest in put st' (at_ N t) (st' (at_ N t) ++ [(t, b)]))
  | leave : forall (st : state) c s (a : set) rest, st c = (s, a) :: rest -> a Leave ->
      happens (Depart c) st (put st c rest)
  | discard : forall (st : state) c s (a : set) rest, st c = (s, a) :: rest -> (forall h, ~ a h) ->
      happens (Depart c) st (put st c rest).

  (* These are the steps of Step.v, and waiting. *)
  Lemma happens_step : forall ev st st', happens ev st st' -> st' = st \/ step st st'.
  Proof.
    intros ev st st' H; destruct H as [| st s e a Hi He Ha Hr | st c s a rest t b Hc Ht Hb Hr | st c s a rest Hc Hl | st c s a rest Hc Hd].
    - left; reflexivity.
    - right; exact (Step.inject N same capacity room entry st s e a Hi He Ha Hr).
    - right; exact (Step.move N same capacity room entry st c s a rest t b Hc Ht Hb Hr).
    - right; exact (Step.leave N same capacity room entry st c s a rest Hc Hl).
    - right; exact (Step.discard N same capacity room entry st c s a rest Hc Hd).
  Qed.

  (* A run: a state and an event at each time. States are the same if all channels have the same packets. *)
  Variable run : nat -> state.
  Variable act : nat -> event.
  Definition is_run := (forall c, run 0 c = []) /\
    forall k, exists st, happens (act k) (run k) st /\ forall c, run (S k) c = st c.

  (* The first packet of a channel can leave it at time k. *)
  Definition possible c k := exists s a rest, run k c = (s, a) :: rest /\
    (a Leave \/ (forall h, ~ a h) \/
     exists t b, a (Go t) /\ alternative N t b /\ length (run k (at_ N t)) + room s t <= capacity (at_ N t)).
  Definition enters s k := exists e, entry s e /\ length (run k (at_ N s)) + e <= capacity (at_ N s).

  Definition never_from (i : nat) (P : nat -> Prop) := forall k, i <= k -> ~ P k.
  Definition again_and_again (P : nat -> Prop) := forall i, ~ never_from i P.
  Definition fair c := forall i, never_from i (fun k => act k = Depart c) -> ~ again_and_again (possible c).
  Definition fair_to_source s := forall i, never_from i (fun k => act k = Enter s) -> ~ again_and_again (enters s).

  Hypothesis a_run : is_run.
  Hypothesis all_fair : forall c, fair c.
  Variable rank : channel N -> nat.
  Hypothesis full : has_alternatives N.
  Hypothesis decided : forall s a, reached N s -> alternative N s a -> (exists h, a h) \/ forall h, ~ a h.
  Hypothesis room_one : forall s t, 1 <= room s t.
  Hypothesis entry_one : forall s e, entry s e -> 1 <= e.
  Hypothesis places : forall c, 1 <= capacity c.
  (* Ranks as in Packets.v; the hop that lowers the rank demands one place. *)
  Hypothesis ranks : forall s a, reached N s -> alternative N s a -> (exists h, a h) ->
    a Leave \/ exists t, a (Go t) /\ rank (at_ N t) < rank (at_ N s) /\ room s t = 1.

  Lemma run_sound : forall k, sound N (run k).
  Proof.
    induction k as [|k IH]; intros c s a Hin.
    - rewrite (proj1 a_run c) in Hin; destruct Hin.
    - destruct (proj2 a_run k) as (st & H & E); rewrite E in Hin.
      destruct (happens_step _ _ _ H) as [-> | Hs]; [exact (IH c s a Hin)|].
      exact (step_sound N same capacity room entry _ _ IH Hs c s a Hin).
  Qed.

  Lemma put_at : forall (st : state) c q d, put st c q d = if same d c then q else st d.
  Proof. reflexivity. Qed.

  (* An event changes the number of packets of a channel by what enters and what departs, and no channel overflows. *)
  Lemma happens_kept : forall ev st st' c, happens ev st st' -> length (st c) <= capacity c -> length (st' c) <= capacity c.
  Proof.
    intros ev st st' c H Hk.
    destruct H as [| st s e a Hi He Ha Hr | st d s a rest t b Hc Ht Hb Hr | st d s a rest Hc Hl | st d s a rest Hc Hd].
    - exact Hk.
    - rewrite put_at; destruct (same c (at_ N s)) as [->|]; [rewrite app_length; cbn; specialize (entry_one s e He); lia | exact Hk].
    - cbv zeta; rewrite put_at; destruct (same c (at_ N t)) as [->|].
      + rewrite app_length, put_at; cbn; specialize (room_one s t).
        destruct (same (at_ N t) d) as [E|]; [rewrite E, Hc in *; cbn in *; lia | lia].
      + rewrite put_at; destruct (same c d) as [->|]; [rewrite Hc in Hk; cbn in Hk; lia | exact Hk].
    - rewrite put_at; destruct (same c d) as [->|]; [rewrite Hc in Hk; cbn in Hk; lia | exact Hk].
    - rewrite put_at; destruct (same c d) as [->|]; [rewrite Hc in Hk; cbn in Hk; lia | exact Hk].
  Qed.

  (* A full channel from which a packet departs is not full afterwards. *)
  Lemma depart_frees : forall c st st', happens (Depart c) st st' -> length (st c) = capacity c -> length (st' c) < capacity c.
  Proof.
    intros c st st' H Hk; inversion H as [| | st0 c0 s a rest t b Hc Ht Hb Hr | st0 c0 s a rest Hc Hl | st0 c0 s a rest Hc Hd]; subst.
    - cbv zeta; rewrite put_at; destruct (same c (at_ N t)) as [E|].
      + rewrite <- E in Hr; specialize (room_one s t); lia.
      + rewrite put_at; destruct (same c c); [rewrite Hc in Hk; cbn in Hk; lia | contradiction].
    - rewrite put_at; destruct (same c c); [rewrite Hc in Hk; cbn in Hk; lia | contradiction].
    - rewrite put_at; destruct (same c c); [rewrite Hc in Hk; cbn in Hk; lia | contradiction].
  Qed.

  (* Without a departure the packets of a channel stay, and others come behind them. *)
  Lemma happens_stays : forall ev st st' c, happens ev st st' -> ev <> Depart c -> exists q, st' c = st c ++ q.
  Proof.
    intros ev st st' c H Hne.
    destruct H as [| st s e a Hi He Ha Hr | st d s a rest t b Hc Ht Hb Hr | st d s a rest Hc Hl | st d s a rest Hc Hd].
    - exists []; rewrite app_nil_r; reflexivity.
    - rewrite put_at; destruct (same c (at_ N s)) as [->|]; [eexists; reflexivity | exists []; rewrite app_nil_r; reflexivity].
    - cbv zeta; assert (c <> d) as Hcd by (intros ->; apply Hne; reflexivity).
      rewrite put_at; destruct (same c (at_ N t)) as [->|]; rewrite put_at.
      + destruct (same (at_ N t) d); [contradiction | eexists; reflexivity].
      + destruct (same c d); [contradiction | exists []; rewrite app_nil_r; reflexivity].
    - rewrite put_at; destruct (same c d) as [->|]; [exfalso; apply Hne; reflexivity | exists []; rewrite app_nil_r; reflexivity].
    - rewrite put_at; destruct (same c d) as [->|]; [exfalso; apply Hne; reflexivity | exists []; rewrite app_nil_r; reflexivity].
  Qed.

  (* With one, the first of them is gone. *)
  Lemma happens_departs : forall st st' c, happens (Depart c) st st' -> exists p rest q, st c = p :: rest /\ st' c = rest ++ q.
  Proof.
    intros st st' c H; inversion H as [| | st0 c0 s a rest t b Hc Ht Hb Hr | st0 c0 s a rest Hc Hl | st0 c0 s a rest Hc Hd]; subst.
    - exists (s, a), rest; cbv zeta; rewrite put_at; destruct (same c (at_ N t)) as [E|].
      + rewrite put_at; destruct (same (at_ N t) c) as [|Hne]; [|exfalso; apply Hne; symmetry; exact E].
        eexists; split; [exact Hc | reflexivity].
      + rewrite put_at; destruct (same c c); [|contradiction]; exists []; rewrite app_nil_r; split; [exact Hc | reflexivity].
    - exists (s, a), rest, []; rewrite app_nil_r, put_at; destruct (same c c); [|contradiction]; split; [exact Hc | reflexivity].
    - exists (s, a), rest, []; rewrite app_nil_r, put_at; destruct (same c c); [|contradiction]; split; [exact Hc | reflexivity].
  Qed.

  Lemma run_kept : forall k c, length (run k c) <= capacity c.
  Proof.
    induction k as [|k IH]; intro c; [rewrite (proj1 a_run c); cbn; lia|].
    destruct (proj2 a_run k) as (st' & H & E); rewrite E; exact (happens_kept _ _ _ c H (IH c)).
  Qed.

  Lemma run_stays : forall c i, never_from i (fun k => act k = Depart c) -> forall k, i <= k -> exists q, run k c = run i c ++ q.
  Proof.
    intros c i H k Hk; induction Hk as [|k Hk IH]; [exists []; rewrite app_nil_r; reflexivity|].
    destruct IH as (q & IH); destruct (proj2 a_run k) as (st & Hst & E).
    destruct (happens_stays _ _ _ c Hst (H k Hk)) as (q' & Hq); exists (q ++ q').
    rewrite E, Hq, IH, app_assoc; reflexivity.
  Qed.

  (* A channel that is full from some time on has no departures from then on. *)
  Lemma full_stays : forall c i, (forall k, i <= k -> capacity c < length (run k c) + 1) ->
    never_from i (fun k => act k = Depart c).
  Proof.
    intros c i H k Hk Hd; destruct (proj2 a_run k) as (st & Hst & E); rewrite Hd in Hst.
    pose proof (run_kept k c) as Hle; pose proof (H k Hk) as H1; pose proof (H (S k) ltac:(lia)) as H2.
    pose proof (depart_frees c _ _ Hst ltac:(lia)) as Hf; rewrite E in H2; lia.
  Qed.

  (* A channel that holds a packet has another departure. *)
  Theorem channel_moves : forall c i, run i c <> [] -> ~ never_from i (fun k => act k = Depart c).
  Proof.
    assert (H : forall n c i, rank c < n -> run i c <> [] -> ~ never_from i (fun k => act k = Depart c)).
    { induction n as [|n IH]; intros c i Hn Hne Hd; [lia|].
      apply (all_fair c i Hd); intros j Hnever.
      set (m := max i j).
      destruct (run i c) as [|[s a] rest] eqn:Ei; [contradiction|].
      assert (first : forall k, m <= k -> exists rest', run k c = (s, a) :: rest').
      { intros k Hk; destruct (run_stays c i Hd k ltac:(lia)) as (q & Hq).
        rewrite Hq, Ei; eexists; reflexivity. }
      destruct (run_sound i c s a) as (Hat & Hs & Ha); [rewrite Ei; left; reflexivity|].
      destruct (decided s a Hs Ha) as [Hh | Hnone].
      - destruct (ranks s a Hs Ha Hh) as [Hl | (t & Ht & Hlow & Hroom)].
        + destruct (first m ltac:(lia)) as (q & Hq); apply (Hnever m ltac:(lia)).
          exists s, a, q; split; [exact Hq | left; exact Hl].
        + destruct (full s a t Hs Ha Ht) as (b & Hb).
          assert (Hfull : forall k, m <= k -> capacity (at_ N t) < length (run k (at_ N t)) + 1).
          { intros k Hk; destruct (le_lt_dec (length (run k (at_ N t)) + 1) (capacity (at_ N t))) as [Hle|]; [|assumption].
            destruct (first k Hk) as (q & Hq); exfalso; apply (Hnever k ltac:(lia)).
            exists s, a, q; split; [exact Hq | right; right; exists t, b]; rewrite Hroom; repeat split; assumption. }
          apply (IH (at_ N t) m); [rewrite Hat in Hlow; lia | | exact (full_stays _ _ Hfull)].
          specialize (Hfull m ltac:(lia)); specialize (places (at_ N t)); destruct (run m (at_ N t)); [cbn in Hfull; lia | discriminate].
      - destruct (first m ltac:(lia)) as (q & Hq); apply (Hnever m ltac:(lia)).
        exists s, a, q; split; [exact Hq | right; left; exact Hnone]. }
    intros c i; exact (H (S (rank c)) c i (Nat.lt_succ_diag_r _)).
  Qed.

  (* How many packets depart from a channel from time i on, before time i + n. *)
  Fixpoint departures c i n : nat :=
    match n with
    | 0 => 0
    | S m => departures c i m + match act (i + m) with Depart d => if same d c then 1 else 0 | _ => 0 end
    end.

  (* Packets stand in a channel in the order in which they came: the one behind p others is behind p - n after n departures. *)
  Lemma in_order : forall c i p n x, nth_error (run i c) p = Some x -> departures c i n <= p ->
    nth_error (run (i + n) c) (p - departures c i n) = Some x.
  Proof.
    intros c i p n; induction n as [|n IH]; intros x Hx Hle.
    - cbn; rewrite Nat.add_0_r, Nat.sub_0_r; exact Hx.
    - cbn [departures] in *; rewrite Nat.add_succ_r.
      destruct (proj2 a_run (i + n)) as (st & Hst & E); rewrite E.
      assert (Hn : departures c i n <= p) by lia; specialize (IH x Hx Hn).
      destruct (act (i + n)) as [|s|d] eqn:Ea; [| |destruct (same d c) as [->|Hne]].
      + destruct (happens_stays _ _ _ c Hst ltac:(discriminate)) as (q & ->).
        rewrite Nat.add_0_r; apply nth_error_app1_some; exact IH.
      + destruct (happens_stays _ _ _ c Hst ltac:(discriminate)) as (q & ->).
        rewrite Nat.add_0_r; apply nth_error_app1_some; exact IH.
      + destruct (happens_departs _ _ c Hst) as (y & rest & q & Ey & ->).
        rewrite Ey in IH; replace (p - departures c i n) with (S (p - (departures c i n + 1))) in IH by lia.
        cbn in IH; apply nth_error_app1_some; exact IH.
      + destruct (happens_stays _ _ _ c Hst) as (q & ->); [intros [=]; contradiction|].
        rewrite Nat.add_0_r; apply nth_error_app1_some; exact IH.
  Qed.

  (* No packet waits for ever: of the packet behind p others, at time i in channel c, it is not so that at all later times
     at most p packets have departed, so that it is still there. *)
  Theorem no_packet_waits : forall c i p, p < length (run i c) -> ~ forall n, departures c i n <= p.
  Proof.
    intros c i p; revert i; induction p as [p IH] using lt_wf_ind; intros i Hp H.
    apply (channel_moves c i); [destruct (run i c); [cbn in Hp; lia | discriminate]|].
    intros k Hk Hd.
    set (m := S (k - i)).
    assert (H1 : 1 <= departures c i m).
    { unfold m; cbn; replace (i + (k - i)) with k by lia; rewrite Hd; destruct (same c c); [lia | contradiction]. }
    assert (Hsum : forall n, departures c i (m + n) = departures c i m + departures c (i + m) n).
    { induction n as [|n IHn]; [rewrite Nat.add_0_r; cbn; lia|].
      rewrite Nat.add_succ_r; cbn [departures]; rewrite IHn, Nat.add_assoc; lia. }
    destruct (nth_error (run i c) p) as [x|] eqn:Ex; [|apply nth_error_None in Ex; lia].
    pose proof (H m) as Hm; pose proof (in_order c i p m x Ex Hm) as Hx.
    apply (IH (p - departures c i m) ltac:(lia) (i + m)).
    - apply nth_error_Some; rewrite Hx; discriminate.
    - intro n; specialize (H (m + n)); rewrite Hsum in H; lia.
  Qed.

  Theorem no_source_waits : forall s i, injected N s -> entry s 1 -> fair_to_source s -> ~ never_from i (fun k => act k = Enter s).
  Proof.
    intros s i Hi He Hf Hd; apply (Hf i Hd); intros j Hnever.
    assert (Hfull : forall k, j <= k -> capacity (at_ N s) < length (run k (at_ N s)) + 1).
    { intros k Hk; destruct (le_lt_dec (length (run k (at_ N s)) + 1) (capacity (at_ N s))) as [Hle|]; [|assumption].
      exfalso; apply (Hnever k Hk); exists 1; split; assumption. }
    apply (channel_moves (at_ N s) j); [|exact (full_stays _ _ Hfull)].
    specialize (Hfull j (le_n _)); specialize (places (at_ N s)); destruct (run j (at_ N s)); [cbn in Hfull; lia | discriminate].
  Qed.
End Runs.

(* Where every hop demands one place, ranks are enough. *)
Theorem ranked_no_packet_waits : forall N same capacity entry run act rank,
  is_run N same capacity (fun _ _ => 1) entry run act -> (forall c, fair N capacity (fun _ _ => 1) run act c) ->
  has_alternatives N -> (forall s a, reached N s -> alternative N s a -> (exists h, a h) \/ forall h, ~ a h) ->
  (forall s e, entry s e -> 1 <= e) -> (forall c, 1 <= capacity c) -> ranked N rank ->
  forall c i p, p < length (run i c) -> ~ forall n, departures N same act c i n <= p.
Proof.
  intros N same capacity entry run act rank Hrun Hfair Hfull Hdec Hentry Hplaces Hr.
  apply (no_packet_waits N same capacity (fun _ _ => 1) entry run act Hrun Hfair rank Hfull Hdec); auto.
  intros s a Hs Ha Hh; destruct (Hr s a Hs Ha Hh) as [Hl | (t & Ht & Hlow)]; [left; exact Hl | right; exists t; auto].
Qed.

(* A ring of two channels, A and B, with two places each. Packets enter either, where two places are free; they go from B
   to A, and leave from A. *)
Inductive lane := A | B.
Definition same_lane : forall c d : lane, {c = d} + {c <> d}.
Proof. decide equality. Defined.
Definition out_of (s : lane) : hop lane -> Prop := fun h => h = match s with A => Leave | B => Go A end.
Definition ring_of_two : network := {|
  channel := lane; site := lane; at_ := fun s => s; alternative := fun s a => a = out_of s; injected := fun _ => True
|}.
Definition two_places (_ : lane) := 2.
Definition one_place (_ _ : lane) := 1.
Definition bubble (_ : lane) (e : nat) := e = 2.

(* Nobody is stuck for good there, by the ring theorem. *)
Theorem bubbles_never_stuck : forall st c p, reachable ring_of_two same_lane two_places one_place bubble st ->
  ~ stuck_for_good ring_of_two same_lane two_places one_place bubble st c p.
Proof.
  apply (ring_never_stuck ring_of_two same_lane [A; B]) with (level := fun _ => 0) (name := unit) (ring := fun _ => Some tt)
    (successor := fun c : lane => match c with A => B | B => A end) (measure := fun s : lane => match s with A => 0 | B => 1 end) (most := 1).
  - intros [|]; cbn; auto.
  - repeat constructor; cbn; intuition discriminate.
  - intros s a t _ _ _; exists (out_of t); reflexivity.
  - intros s a _ Ha; left; cbn in Ha; subst a; eexists; reflexivity.
  - intros; unfold one_place, two_places; lia.
  - intros; unfold one_place; lia.
  - intros s e He; unfold bubble in He; lia.
  - intros c g H; exact H.
  - intros [|] [|] g _ _; [exists 0 | exists 1 | exists 1 | exists 0]; reflexivity.
  - intros [|] g _; discriminate.
  - intros; reflexivity.
  - intros; unfold two_places; lia.
  - intros s e g _ He _; unfold bubble in He; lia.
  - intros s a t g _ Ha Ht _ Hno; exfalso; apply Hno; split; [destruct g; reflexivity|].
    cbn in Ha; subst a; destruct s; unfold out_of in Ht; [discriminate | injection Ht as ->; reflexivity].
  - intros s a _ Ha _; cbn in Ha; subst a; destruct s; [left; reflexivity|].
    right; right; exists A, tt; unfold out_of, one_place; repeat split; auto.
  - intros [|] _; cbn; lia.
Qed.

(* The run: one packet enters A. Then for ever: one enters B and goes to A, and the first of A leaves. *)
Definition at_A : Step.packet ring_of_two := (A, out_of A).
Definition at_B : Step.packet ring_of_two := (B, out_of B).
Fixpoint phase (k : nat) : nat :=  (* 3 before the first packet, then 0, 1, 2, 0 ... *)
  match k with
  | 0 => 3
  | S k => match phase k with 0 => 1 | 1 => 2 | _ => 0 end
  end.
Definition busy (k : nat) : Step.state ring_of_two := fun c : lane =>
  match phase k, c with
  | 0, A => [at_A]
  | 1, A => [at_A]
  | 1, B => [at_B]
  | 2, A => [at_A; at_A]
  | _, _ => []
  end.
Definition acts (k : nat) : event ring_of_two :=
  match phase k with 0 => Enter ring_of_two B | 1 => Depart ring_of_two B | 2 => Depart ring_of_two A | _ => Enter ring_of_two A end.

Lemma phases : forall k, phase k <= 3 /\ (phase k = 3 -> k = 0) /\ (1 <= k -> phase k <= 2).
Proof.
  induction k as [|k (H1 & H2 & H3)]; cbn; [lia|]; destruct (phase k) as [|[|[|n]]]; lia.
Qed.

Lemma comes_again : forall p, p <= 2 -> forall i, exists k, i <= k /\ phase k = p.
Proof.
  intros p Hp i; pose proof (phases i) as (H & _).
  assert (Hnext : forall k, phase (S k) = match phase k with 0 => 1 | 1 => 2 | _ => 0 end) by reflexivity.
  destruct (phase i) as [|[|[|[|n]]]] eqn:E; [| | | | lia].
  all: pose proof (Hnext i) as E1; rewrite E in E1; pose proof (Hnext (S i)) as E2; rewrite E1 in E2;
    pose proof (Hnext (S (S i))) as E3; rewrite E2 in E3; destruct p as [|[|[|p]]]; [| | | lia].
  all: first [exists i; split; [lia | assumption] | exists (S i); split; [lia | assumption]
    | exists (S (S i)); split; [lia | assumption] | exists (S (S (S i))); split; [lia | assumption]].
Qed.

Theorem bubbles_starve :
  is_run ring_of_two same_lane two_places one_place bubble busy acts /\
  (forall c, fair ring_of_two two_places one_place busy acts c) /\
  fair_to_source ring_of_two two_places bubble busy acts B /\
  (forall k, 1 <= k -> ~ enters ring_of_two two_places bubble busy A k /\ acts k <> Enter ring_of_two A).
Proof.
  split; [split; [intros [|]; reflexivity|] | split; [|split]].
  - intro k; unfold acts, busy; cbn [phase]; pose proof (phases k) as (H & _).
    destruct (phase k) as [|[|[|[|n]]]] eqn:E; [| | | | lia].
    + eexists; split; [apply (enter ring_of_two same_lane two_places one_place bubble) with (e := 2) (a := out_of B);
        [exact I | reflexivity | reflexivity | cbn; unfold two_places; lia]|].
      intros [|]; unfold Step.put; cbn; rewrite ?E; reflexivity.
    + eexists; split; [apply (move ring_of_two same_lane two_places one_place bubble) with (s := B) (a := out_of B) (rest := []) (t := A) (b := out_of A);
        [reflexivity | reflexivity | reflexivity | cbn; unfold two_places, one_place; lia]|].
      intros [|]; unfold Step.put; cbn; rewrite ?E; reflexivity.
    + eexists; split; [apply (leave ring_of_two same_lane two_places one_place bubble) with (s := A) (a := out_of A) (rest := [at_A]);
        [reflexivity | reflexivity]|].
      intros [|]; unfold Step.put; cbn; rewrite ?E; reflexivity.
    + eexists; split; [apply (enter ring_of_two same_lane two_places one_place bubble) with (e := 2) (a := out_of A);
        [exact I | reflexivity | reflexivity | cbn; unfold two_places; lia]|].
      intros [|]; unfold Step.put; cbn; rewrite ?E; reflexivity.
  - intros [|] i Hnever _.
    + destruct (comes_again 2 ltac:(lia) i) as (k & Hk & E); apply (Hnever k Hk); unfold acts; rewrite E; reflexivity.
    + destruct (comes_again 1 ltac:(lia) i) as (k & Hk & E); apply (Hnever k Hk); unfold acts; rewrite E; reflexivity.
  - intros i Hnever _.
    destruct (comes_again 0 ltac:(lia) i) as (k & Hk & E); apply (Hnever k Hk); unfold acts; rewrite E; reflexivity.
  - intros k Hk; pose proof (phases k) as (_ & _ & H); specialize (H Hk); split.
    + intros (e & He & Hroom); unfold bubble in He; subst e; unfold busy, two_places in Hroom; cbn in Hroom.
      destruct (phase k) as [|[|[|n]]]; cbn in Hroom; lia.
    + unfold acts; destruct (phase k) as [|[|[|n]]]; [discriminate | discriminate | discriminate | lia].
Qed.
