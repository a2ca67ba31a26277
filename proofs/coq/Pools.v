(* A checker of certificates of bubbles, proved: sets of channels that keep free places, and levels of channels.

   A table lists for every site its channel and its exits, with the room that each demands; then the first hops of the
   sources. A certificate names sets of channels with so many places that are always free, and gives each channel a level.
   Proved, for whole packets: if [check_pools] answers true, the sets have their free places in every state that the empty
   network can reach ([pools_kept]), and in no such state do packets wait for each other ([pools_sound]), by the step of
   Step.v, in the words of Stuck.v. The sets need not be rings, as those of Room.v are.
   The check: a hop from outside a set leaves free places in it, in its own channel or in a set before it. Then, for each
   channel, the search: assume that its first packet is stuck, and that no channel of a lower level is. Its hops lead into
   channels that are as full as these demand, whose first packets are stuck as well; each case must come to a hop into a lower
   level, or to a set that has too few free places.
   Given with the certificate and checked, not trusted: for each channel, rows of hops of which each packet there that waits
   has one at least. Assumed: what Checker.v assumes of primitive integers, and that their comparison is equality; each channel has the same
   number of places. Not proved: that packets do
   move; that the table is read rightly, which is the work of reader.ml. *)
Require Import List Arith ZArith Lia Bool Uint63 PArray Packets Step Stuck Checker Certified.
Import ListNotations.

(* How a packet leaves a site: out of the network, or to another site, whose channel must have so many places free. *)
Inductive exit := Out | To (s : int) (need : nat).
Record spot := { within : int; exits : list exit }.
Record roomy := { spots : array spot; starts : list (list exit); places : nat; total : int }.

Section Table.
  Variable t : roomy.
  Definition spot_at (s : int) := if (s <? length (spots t))%uint63 then Some (spots t).[s] else None.
  Definition channel_of (s : int) := match spot_at s with Some e => within e | None => 0%uint63 end.
  Definition exits_of (s : int) := match spot_at s with Some e => exits e | None => [] end.
  Definition leads (e : exit) : hop int := match e with To s _ => Go s | Out => Leave end.
  Definition is_to (u : int) (e : exit) := match e with To s _ => eqb s u | Out => false end.
  Definition demand (l : list exit) (u : int) : nat := match List.find (is_to u) l with Some (To _ n) => n | _ => 0 end.

  (* The network, with what its hops demand. *)
  Definition pooled : network := {|
    channel := int;
    site := int;
    at_ := channel_of;
    alternative := fun s a => a = (fun h => In h (map leads (exits_of s)));
    injected := fun s => exists r n, In r (starts t) /\ In (To s n) r |}.
  Definition room (s u : int) := demand (exits_of s) u.
  Definition entry (s : int) (n : nat) := exists r, In r (starts t) /\ In (To s n) r.

  (* A set of channels of which so many places are always free. *)
  Record pool := { inside : array bool; free : nat }.
  Variable pools : list pool.
  Variable level : array int.
  (* By channel: rows of hops with which its packets wait, as pairs of a channel and a demand. *)
  Variable rows : array (list (list (int * nat))).

  Fixpoint upto (n : nat) (i : int) : list int := match n with 0 => [] | S n => i :: upto n (i + 1)%uint63 end.
  Definition channels := upto (Z.to_nat (to_Z (total t))) 0%uint63.
  Definition has (p : pool) (c : int) := (inside p).[c] && (c <? total t)%uint63.
  Definition members (p : pool) := filter (has p) channels.

  (* A hop from outside into d leaves n - 1 places of d free, and others of a set before it. *)
  Definition leaves (before : list pool) (p : pool) (d : int) (n : nat) := (free p <=? n - 1) ||
    existsb (fun q => (free p <=? n - 1 + free q) && negb (has q d) && forallb (has p) (members q)) before.
  Definition checked (before : list pool) (p : pool) (from : option int) (e : exit) := match e with
    | Out => true
    | To u n => negb (has p (channel_of u)) || match from with Some c => has p c | None => false end ||
        leaves before p (channel_of u) n end.
  Definition one_pool (before : list pool) (p : pool) := (free p <=? list_sum (map (fun _ => places t) (members p))) &&
    forallb (forallb (checked before p None)) (starts t) &&
    from (Z.to_nat (to_Z (length (spots t)))) 0%uint63
      (fun s => forallb (checked before p (Some (within (spots t).[s]))) (exits (spots t).[s])).
  Fixpoint all_pools (before l : list pool) := match l with
    | [] => true
    | p :: l => one_pool before p && all_pools (p :: before) l end.

  Definition plain (e : exit) := match e with Out => true | To _ n => 1 <=? n end.
  (* Every hop demands a place. *)
  Definition demands := forallb (forallb plain) (starts t) &&
    from (Z.to_nat (to_Z (length (spots t)))) 0%uint63 (fun s => forallb plain (exits (spots t).[s])).

  (* Each row in which a packet waits has a row of [rows] in it. *)
  Definition covered (l : list exit) (r : list (int * nat)) := forallb (fun h =>
    existsb (fun e => match e with To u _ => eqb (channel_of u) (fst h) && (demand l u =? snd h) | Out => false end) l) r.
  Definition row_known (e : spot) := match exits e with [] => true | _ =>
    existsb (fun x => match x with Out => true | _ => false end) (exits e) ||
    existsb (covered (exits e)) rows.[within e] end.
  Definition rows_known := from (Z.to_nat (to_Z (length (spots t)))) 0%uint63 (fun s => row_known (spots t).[s]).

  (* How many packets a channel is taken to have at least. *)
  Definition taken (l : list (int * nat)) (c : int) := fold_right (fun x m => if eqb (fst x) c then Nat.max (snd x) m else m) 0 l.
  Definition full (l : list (int * nat)) (p : pool) := list_sum (map (fun c => places t - taken l c) (members p)) <? free p.
  Definition listed (l : list (int * nat)) (c : int) := existsb (fun x => eqb (fst x) c) l.

  (* No packets can be stuck in the channels of todo, of level v, if those of l have at least as many packets as it says. *)
  Fixpoint refuted (n : nat) (v : int) (l : list (int * nat)) (todo : list int) : bool := match todo, n with
    | c :: todo, S n => forallb (fun r =>
        existsb (fun h => (level.[fst h] <? v)%uint63) r ||
        let here := filter (fun h => (level.[fst h] =? v)%uint63) r in
        let l' := map (fun h => (fst h, places t - snd h + 1)) here ++ l in
        existsb (fun p => existsb (fun h => has p (fst h)) here && full l' p) pools ||
        refuted n v l' (filter (fun c => negb (listed l c)) (map fst here) ++ todo)) rows.[c]
    | _, _ => false end.
  Definition never (c : int) := existsb (full [(c, 1)]) pools ||
    refuted (S (Z.to_nat (to_Z (total t)))) level.[c] [(c, 1)] [c].

  (* All channels are below the total. *)
  Definition bounded := from (Z.to_nat (to_Z (length (spots t)))) 0%uint63 (fun s => (within (spots t).[s] <? total t)%uint63).
  Definition check_pools := bounded && demands && all_pools [] pools && rows_known && forallb never channels.

  (* ---- the table ---- *)
  Hypothesis accepted : check_pools = true.

  Lemma parts : bounded = true /\ demands = true /\ all_pools [] pools = true /\ rows_known = true /\ forallb never channels = true.
  Proof. unfold check_pools in accepted; rewrite !andb_true_iff in accepted; tauto. Qed.

  Lemma each_spot : forall f s e, from (Z.to_nat (to_Z (length (spots t)))) 0%uint63 f = true -> spot_at s = Some e ->
    f s = true /\ (spots t).[s] = e.
  Proof.
    intros f s e H F; unfold spot_at in F; destruct (ltb s (length (spots t))) eqn:E; [|discriminate]; injection F as F.
    split; [|exact F]; apply ltb_spec in E; apply (from_all _ _ _ s H).
    pose proof (to_Z_bounded s); change (to_Z 0) with 0%Z; lia.
  Qed.

  Lemma exits_spot : forall s x, In x (exits_of s) -> exists e, spot_at s = Some e /\ exits_of s = exits e /\ channel_of s = within e.
  Proof.
    intros s x H; unfold exits_of, channel_of in *; destruct (spot_at s) as [e|]; [exists e; auto | destruct H].
  Qed.

  Lemma upto_in : forall n i c, (to_Z i <= to_Z c < to_Z i + Z.of_nat n)%Z -> In c (upto n i).
  Proof.
    induction n as [|n IH]; intros i c H; [lia|]; cbn; destruct (Z.eq_dec (to_Z i) (to_Z c)) as [X|X]; [left; exact (to_Z_inj _ _ X) | right].
    apply IH; pose proof (to_Z_bounded i); pose proof (to_Z_bounded c); pose proof (add_spec i 1) as A.
    change (to_Z 1) with 1%Z in A; rewrite Z.mod_small in A by lia; lia.
  Qed.
  Lemma upto_least : forall n i c, (to_Z i + Z.of_nat n <= wB)%Z -> In c (upto n i) -> (to_Z i <= to_Z c)%Z.
  Proof.
    induction n as [|n IH]; intros i c H K; cbn in K; [destruct K|]; destruct K as [E|K]; [subst; lia|].
    destruct n as [|n]; [destruct K|].
    pose proof (to_Z_bounded i) as Bi; pose proof (add_spec i 1) as A; change (to_Z 1) with 1%Z in A.
    rewrite Z.mod_small in A by lia; specialize (IH (i + 1)%uint63 c); rewrite A in IH; specialize (IH ltac:(lia) K); lia.
  Qed.
  Lemma upto_once : forall n i, (to_Z i + Z.of_nat n <= wB)%Z -> NoDup (upto n i).
  Proof.
    induction n as [|n IH]; intros i H; [constructor|]; cbn; destruct n as [|n]; [constructor; [intros [] | constructor]|].
    pose proof (to_Z_bounded i) as Bi; pose proof (add_spec i 1) as A; change (to_Z 1) with 1%Z in A.
    rewrite Z.mod_small in A by lia; constructor.
    - intro K; apply upto_least in K; rewrite A in *; lia.
    - apply IH; rewrite A; lia.
  Qed.

  Lemma members_once : forall p, NoDup (members p).
  Proof.
    intro p; apply NoDup_filter, upto_once; pose proof (to_Z_bounded (total t)); change (to_Z 0) with 0%Z; lia.
  Qed.
  Lemma channel_in : forall c, (c <? total t)%uint63 = true -> In c channels.
  Proof.
    intros c E; apply ltb_spec in E; apply upto_in; pose proof (to_Z_bounded c); pose proof (to_Z_bounded (total t)).
    change (to_Z 0) with 0%Z; lia.
  Qed.
  Lemma member_has : forall p c, In c (members p) <-> has p c = true.
  Proof.
    intros p c; unfold members; rewrite filter_In; split; [tauto|]; intro H; split; [|exact H].
    unfold has in H; apply andb_true_iff in H; exact (channel_in c (proj2 H)).
  Qed.

  (* ---- free places ---- *)
  Notation step := (Step.step pooled same_int (fun _ => places t) room entry).
  Notation state := (Step.state pooled).
  Notation put := (Step.put pooled same_int).
  Definition spare (st : state) (c : int) := places t - List.length (st c).
  Definition spares (st : state) (l : list int) := list_sum (map (spare st) l).
  Definition kept (st : state) (p : pool) := free p <= spares st (members p).
  Definition within_places (st : state) := forall c, List.length (st c) <= places t.

  Lemma spares_part : forall st l m, NoDup l -> (forall c, In c l -> In c m) -> spares st l <= spares st m.
  Proof.
    intros st l; induction l as [|c l IH]; intros m Hn Hi; [unfold spares; cbn; lia|].
    inversion Hn as [|? ? Hc Hl]; subst; destruct (in_split c m (Hi c (or_introl eq_refl))) as (m1 & m2 & ->).
    specialize (IH (m1 ++ m2) Hl); unfold spares in *; cbn [map list_sum fold_right] in *.
    rewrite map_app, list_sum_app in *; cbn [map] in *; change (list_sum (?a :: ?b)) with (a + list_sum b).
    change (fold_right Nat.add 0 (map (spare st) l)) with (list_sum (map (spare st) l)) in *.
    assert (list_sum (map (spare st) l) <= list_sum (map (spare st) m1) + list_sum (map (spare st) m2)); [|lia].
    apply IH; intros d Hd; specialize (Hi d (or_intror Hd)); apply in_app_or in Hi; apply in_or_app.
    destruct Hi as [|[<-|]]; [left; assumption | contradiction | right; assumption].
  Qed.

  Lemma spares_put_out : forall st l c q, ~ In c l -> spares (put st c q) l = spares st l.
  Proof. intros st l c q H; exact (sum_put_out pooled same_int (fun _ p => places t - List.length p) l st c q H). Qed.
  Lemma spares_put : forall st l c q, NoDup l -> In c l ->
    spares (put st c q) l + (places t - List.length (st c)) = spares st l + (places t - List.length q).
  Proof. intros st l c q Hn H; exact (sum_put pooled same_int (fun _ p => places t - List.length p) l st c q Hn H). Qed.

  Lemma demand_in : forall l u, In (Go u) (map leads l) -> In (To u (demand l u)) l.
  Proof.
    intros l u H; apply in_map_iff in H; destruct H as ([|u' n] & E & Hin); [discriminate|]; injection E as ->.
    unfold demand; destruct (List.find (is_to u) l) as [x|] eqn:F.
    - apply find_some in F; destruct F as [F1 F2]; destruct x as [|v m]; [discriminate|]; cbn in F2.
      apply eqb_spec in F2; subst; exact F1.
    - pose proof (find_none _ _ F _ Hin) as K; cbn in K; rewrite eqb_refl in K; discriminate.
  Qed.

  Lemma demands_least : forall l u n, In l (starts t) \/ (exists s, l = exits_of s) -> In (To u n) l -> 1 <= n.
  Proof.
    destruct parts as (_ & D & _); unfold demands in D; apply andb_true_iff in D; destruct D as [D1 D2].
    intros l u n [H | [s ->]] Hin.
    - rewrite forallb_forall in D1; specialize (D1 l H); rewrite forallb_forall in D1; specialize (D1 _ Hin).
      apply Nat.leb_le in D1; exact D1.
    - destruct (exits_spot s _ Hin) as (e & F & E & _); destruct (each_spot _ s e D2 F) as [K <-].
      rewrite forallb_forall in K; rewrite E in Hin; specialize (K _ Hin); apply Nat.leb_le in K; exact K.
  Qed.

  Lemma leaves_kept : forall before p d n st, (forall q, In q before -> kept st q) -> leaves before p d n = true ->
    has p d = true -> n - 1 <= spare st d -> kept st p.
  Proof.
    intros before p d n st Hb Hl Hd Hs; unfold kept; apply member_has in Hd.
    unfold leaves in Hl; apply orb_true_iff in Hl; destruct Hl as [L | L].
    - apply Nat.leb_le in L; assert (K : spares st [d] <= spares st (members p)).
      { apply spares_part; [constructor; [intros [] | constructor] | intros c [<-|[]]; exact Hd]. }
      unfold spares at 1 in K; cbn [map list_sum fold_right] in K; lia.
    - apply existsb_exists in L; destruct L as (q & Hq & L); rewrite !andb_true_iff in L; destruct L as [[L1 L2] L3].
      apply Nat.leb_le in L1; apply negb_true_iff in L2; rewrite forallb_forall in L3; specialize (Hb q Hq); unfold kept in Hb.
      assert (K : spares st (d :: members q) <= spares st (members p)).
      { apply spares_part.
        - constructor; [intro M; apply member_has in M; congruence | apply members_once].
        - intros c [<-|Hc]; [exact Hd | apply member_has, L3; exact Hc]. }
      unfold spares at 1 in K; cbn [map] in K; change (list_sum (?a :: ?b)) with (a + list_sum b) in K.
      change (list_sum (map (spare st) (members q))) with (spares st (members q)) in K; lia.
  Qed.

  (* A hop between two channels, as the checks see it. *)
  Lemma a_hop : forall s a u, alternative pooled s a -> a (Go u) -> In (To u (room s u)) (exits_of s) /\ 1 <= room s u.
  Proof.
    intros s a u -> H; pose proof (demand_in _ _ H) as K; split; [exact K|].
    exact (demands_least _ u _ (or_intror (ex_intro _ s eq_refl)) K).
  Qed.

  Lemma step_within : forall st st', Step.sound pooled st -> within_places st -> step st st' -> within_places st'.
  Proof.
    intros st st' So H K c; destruct K as [st s n a Hi He Ha Hr | st c0 s a rest u b Hc Ht Hb Hr | st c0 s a rest Hc Hl | st c0 s a rest Hc Hn].
    - destruct (same_int c (at_ pooled s)) as [->|Hne]; [|rewrite put_other by exact Hne; apply H].
      rewrite put_same, app_length; cbn [List.length]; destruct He as (r & Hr1 & Hr2).
      pose proof (demands_least r s n (or_introl Hr1) Hr2); lia.
    - destruct (So c0 s a) as (_ & _ & Ha); [rewrite Hc; left; reflexivity|]; destruct (a_hop s a u Ha Ht) as [_ L]; cbv zeta.
      assert (W : forall d, List.length (put st c0 rest d) <= List.length (st d)).
      { intro d; destruct (same_int d c0) as [->|Hne]; [rewrite put_same, Hc; cbn; lia | rewrite put_other by exact Hne; lia]. }
      destruct (same_int c (at_ pooled u)) as [->|Hne]; [|rewrite put_other by exact Hne; specialize (W c); specialize (H c); lia].
      rewrite put_same, app_length; cbn [List.length]; specialize (W (at_ pooled u)); lia.
    - destruct (same_int c c0) as [->|Hne]; [|rewrite put_other by exact Hne; apply H].
      rewrite put_same; specialize (H c0); rewrite Hc in H; cbn in H; lia.
    - destruct (same_int c c0) as [->|Hne]; [|rewrite put_other by exact Hne; apply H].
      rewrite put_same; specialize (H c0); rewrite Hc in H; cbn in H; lia.
  Qed.

  Lemma more_spare : forall st p c x rest, st c = x :: rest -> kept st p -> kept (put st c rest) p.
  Proof.
    intros st p c x rest Hc H; unfold kept in *; destruct (in_dec same_int c (members p)) as [Hin|Hout].
    - pose proof (spares_put st (members p) c rest (members_once p) Hin) as E; rewrite Hc in E; cbn [List.length] in E; lia.
    - rewrite spares_put_out by exact Hout; exact H.
  Qed.

  Lemma pool_step : forall before p st st', one_pool before p = true -> Step.sound pooled st -> within_places st ->
    kept st p -> (forall q, In q before -> kept st' q) -> step st st' -> kept st' p.
  Proof.
    intros before p st st' Hp So Hw Hk Hb K; unfold one_pool in Hp; rewrite !andb_true_iff in Hp; destruct Hp as [[_ P1] P2].
    destruct K as [st s n a Hi He Ha Hr | st c s a rest u b Hc Ht _ Hr | st c s a rest Hc Hl | st c s a rest Hc Hn].
    - destruct He as (r & Hr1 & Hr2); rewrite forallb_forall in P1; specialize (P1 r Hr1); rewrite forallb_forall in P1.
      specialize (P1 _ Hr2); cbn in P1; change (channel_of s) with (at_ pooled s) in P1; destruct (has p (at_ pooled s)) eqn:E.
      + cbn in P1; apply (leaves_kept before p (at_ pooled s) n _ Hb P1 E).
        unfold spare; rewrite put_same, app_length; cbn [List.length]; lia.
      + unfold kept; rewrite spares_put_out; [exact Hk | intro M; apply member_has in M; congruence].
    - destruct (So c s a) as (Hat & _ & Ha); [rewrite Hc; left; reflexivity|]; destruct (a_hop s a u Ha Ht) as [Hx L].
      destruct (exits_spot s _ Hx) as (e & F & E & Ec); destruct (each_spot _ s e P2 F) as [Q Es].
      rewrite Es in Q; rewrite forallb_forall in Q; rewrite E in Hx; specialize (Q _ Hx); cbn in Q.
      rewrite <- Ec in Q; change (channel_of s) with (at_ pooled s) in Q; rewrite Hat in Q.
      change (channel_of u) with (at_ pooled u) in Q; cbv zeta; pose proof (more_spare st p c _ rest Hc Hk) as H1.
      assert (W : List.length (put st c rest (at_ pooled u)) <= List.length (st (at_ pooled u))).
      { destruct (same_int (at_ pooled u) c) as [->|Hne]; [rewrite put_same, Hc; cbn; lia | rewrite put_other by exact Hne; lia]. }
      destruct (has p (at_ pooled u)) eqn:Ed.
      + cbn [negb orb] in Q; apply orb_true_iff in Q; destruct Q as [Q | Q].
        * pose proof (spares_put st (members p) c rest (members_once p) (proj2 (member_has p c) Q)) as E1.
          pose proof (spares_put (put st c rest) (members p) (at_ pooled u) (put st c rest (at_ pooled u) ++ [(u, b)])
            (members_once p) (proj2 (member_has p _) Ed)) as E2.
          rewrite app_length in E2; cbn [List.length] in E2; rewrite Hc in E1; cbn [List.length] in E1.
          pose proof (Hw c) as Wc; rewrite Hc in Wc; cbn [List.length] in Wc; unfold kept in *; lia.
        * apply (leaves_kept before p (at_ pooled u) (room s u) _ Hb Q Ed).
          unfold spare; rewrite put_same, app_length; cbn [List.length]; lia.
      + unfold kept in *; rewrite spares_put_out; [exact H1 | intro M; apply member_has in M; congruence].
    - exact (more_spare st p c _ rest Hc Hk).
    - exact (more_spare st p c _ rest Hc Hk).
  Qed.

  Lemma pools_step : forall l before st st', all_pools before l = true -> Step.sound pooled st -> within_places st ->
    (forall p, In p l -> kept st p) -> (forall q, In q before -> kept st' q) -> step st st' -> forall p, In p l -> kept st' p.
  Proof.
    induction l as [|p l IH]; intros before st st' Hl So Hw Hk Hb K q Hq; [destruct Hq|].
    cbn in Hl; apply andb_true_iff in Hl; destruct Hl as [Hp Hl].
    pose proof (pool_step before p st st' Hp So Hw (Hk p (or_introl eq_refl)) Hb K) as Kp; destruct Hq as [<-|Hq]; [exact Kp|].
    apply (IH (p :: before) st st' Hl So Hw); [intros; apply Hk; right; assumption | | exact K | exact Hq].
    intros r [<-|Hr]; [exact Kp | exact (Hb r Hr)].
  Qed.

  Lemma pools_first : forall l before, all_pools before l = true -> forall p, In p l -> kept (Step.empty pooled) p.
  Proof.
    induction l as [|p l IH]; intros before H q Hq; [destruct Hq|]; cbn in H; apply andb_true_iff in H; destruct H as [Hp H].
    destruct Hq as [<-|Hq]; [|exact (IH _ H q Hq)].
    unfold one_pool in Hp; rewrite !andb_true_iff in Hp; destruct Hp as [[P _] _]; apply Nat.leb_le in P.
    unfold kept, spares; replace (map (spare (Step.empty pooled)) (members p)) with (map (fun _ : int => places t) (members p)); [exact P|].
    apply map_ext; intro c; unfold spare, Step.empty; cbn; lia.
  Qed.

  Notation reachable := (Step.reachable pooled same_int (fun _ => places t) room entry).
  (* In every state that the empty network can reach, the sets have their free places. *)
  Theorem pools_kept : forall st, reachable st -> Step.sound pooled st /\ within_places st /\ forall p, In p pools -> kept st p.
  Proof.
    destruct parts as (_ & _ & Hp & _); intros st H.
    assert (H0 : Step.sound pooled (Step.empty pooled) /\ within_places (Step.empty pooled) /\ forall p, In p pools -> kept (Step.empty pooled) p).
    { split; [intros c s a []|]; split; [intro c; cbn; lia | exact (pools_first pools [] Hp)]. }
    unfold Step.reachable in H; induction H as [st | st st1 st2 K _ IH]; [exact H0|]; apply IH.
    destruct H0 as (So & Hw & Hk); split; [exact (step_sound pooled same_int _ room entry _ _ So K)|].
    split; [exact (step_within _ _ So Hw K)|].
    exact (pools_step pools [] st st1 Hp So Hw Hk (fun q F => match F with end) K).
  Qed.

  (* ---- the search ---- *)
  Notation blocked := (Stuck.blocked pooled (fun _ => places t) room).

  Lemma taken_least : forall l (st : state), (forall c k, In (c, k) l -> k <= List.length (st c)) -> forall c, taken l c <= List.length (st c).
  Proof.
    unfold taken; intros l st; induction l as [|[d k] l IH]; intros H c; cbn [fold_right fst snd]; [lia|].
    specialize (IH (fun c' k' Hin => H c' k' (or_intror Hin)) c); destruct (eqb d c) eqn:E; [|exact IH].
    apply eqb_spec in E; subst; specialize (H c k (or_introl eq_refl)); apply Nat.max_lub; assumption.
  Qed.

  Lemma not_full : forall l st p, (forall c k, In (c, k) l -> k <= List.length (st c)) -> kept st p -> full l p = false.
  Proof.
    intros l st p H Hk; apply Nat.ltb_ge; unfold kept, spares in Hk.
    assert (K : forall m, list_sum (map (spare st) m) <= list_sum (map (fun c => places t - taken l c) m)).
    { induction m as [|c m IH]; [cbn; lia|]; cbn [map]; change (list_sum (?a :: ?b)) with (a + list_sum b).
      pose proof (taken_least l st H c); assert (spare st c <= places t - taken l c) by (unfold spare; lia); lia. }
    specialize (K (members p)); lia.
  Qed.

  Definition high (c : int) := Z.to_nat (to_Z level.[c]).

  Section Blocked.
    Variable st : state.
    Hypothesis kept_all : forall p, In p pools -> kept st p.
    Hypothesis sound_st : Step.sound pooled st.
    Variable W : int -> Prop.
    Hypothesis stuck : blocked W st.

    Lemma row_of_blocked : forall c, W c -> exists r, In r rows.[c] /\
      forall d m, In (d, m) r -> W d /\ places t - m + 1 <= List.length (st d).
    Proof.
      destruct parts as (_ & _ & _ & R & _); intros c Hc; destruct (stuck c Hc) as (s & a & rest & E & [h Hh] & Hl & Ht).
      destruct (sound_st c s a) as (Hat & _ & ->); [rewrite E; left; reflexivity|]; cbn in Hat.
      pose proof Hh as Hh'; apply in_map_iff in Hh'; destruct Hh' as (x & _ & Hx).
      destruct (exits_spot s x Hx) as (e & F & Ee & Ec); destruct (each_spot _ s e R F) as [K Es]; rewrite Es in K.
      unfold row_known in K; rewrite <- Ee in K; destruct (exits_of s) as [|y l] eqn:El; [destruct Hx|]; rewrite <- El in *.
      apply orb_true_iff in K; destruct K as [K | K].
      - exfalso; apply existsb_exists in K; destruct K as ([|] & Hin & K); [|discriminate].
        apply Hl, in_map_iff; exists Out; auto.
      - rewrite <- Ec, Hat in K; apply existsb_exists in K; destruct K as (r & Hr & K); exists r; split; [exact Hr|].
        intros d m Hd; unfold covered in K; rewrite forallb_forall in K; specialize (K _ Hd); apply existsb_exists in K.
        destruct K as ([|u n] & Hin & K); [discriminate|]; cbn in K; apply andb_true_iff in K; destruct K as [K1 K2].
        apply eqb_spec in K1; apply Nat.eqb_eq in K2.
        destruct (Ht u) as [Wu Lu]; [apply in_map_iff; exists (To u n); auto|]; cbn in Wu, Lu; unfold room in Lu.
        rewrite K1 in *; rewrite K2 in *; split; [exact Wu|].
        destruct (stuck d Wu) as (s' & a' & rest' & E' & _); rewrite E' in *; cbn [List.length fst snd] in *; lia.
    Qed.

    Lemma search : forall n v l todo, (forall d, W d -> (level.[d] <? v)%uint63 = false) ->
      (forall c k, In (c, k) l -> k <= List.length (st c)) -> (forall c, In c todo -> W c) -> refuted n v l todo = false.
    Proof.
      induction n as [|n IH]; intros v l todo Hv Hl Ht; [destruct todo; reflexivity|].
      destruct todo as [|c todo]; [reflexivity|]; cbn [refuted].
      destruct (row_of_blocked c (Ht c (or_introl eq_refl))) as (r & Hr & H).
      apply not_true_is_false; intro T; rewrite forallb_forall in T; specialize (T r Hr); cbv zeta in T.
      set (here := filter (fun h => (level.[fst h] =? v)%uint63) r) in *.
      set (l' := map (fun h => (fst h, places t - snd h + 1)) here ++ l) in *.
      assert (Hl' : forall c k, In (c, k) l' -> k <= List.length (st c)).
      { intros d k Hin; apply in_app_or in Hin; destruct Hin as [Hin|Hin]; [|exact (Hl d k Hin)].
        apply in_map_iff in Hin; destruct Hin as ([d' m] & E & Hin); injection E as -> <-; cbn.
        apply filter_In in Hin; destruct Hin as [Hin _]; exact (proj2 (H _ _ Hin)). }
      rewrite !orb_true_iff in T; destruct T as [T | [T | T]].
      - apply existsb_exists in T; destruct T as ([d m] & Hin & T); cbn [fst] in T; rewrite (Hv d (proj1 (H _ _ Hin))) in T; discriminate.
      - apply existsb_exists in T; destruct T as (p & Hp & T); apply andb_true_iff in T; destruct T as [_ T].
        rewrite (not_full l' st p Hl' (kept_all p Hp)) in T; discriminate.
      - rewrite IH in T; [discriminate | exact Hv | exact Hl'|].
        intros d Hd; apply in_app_or in Hd; destruct Hd as [Hd|Hd]; [|apply Ht; right; exact Hd].
        apply filter_In in Hd; destruct Hd as [Hd _]; apply in_map_iff in Hd; destruct Hd as ([d' m] & E & Hd); cbn in E; subst d'.
        apply filter_In in Hd; destruct Hd as [Hd _]; exact (proj1 (H _ _ Hd)).
    Qed.

    Lemma none_blocked : forall c, ~ W c.
    Proof.
      destruct parts as (B & _ & _ & _ & N).
      assert (G : forall n c, high c < n -> ~ W c).
      { induction n as [|n IH]; intros c Hn Hc; [lia|].
        destruct (stuck c Hc) as (s & a & rest & E & [h Hh] & _ & _); destruct (sound_st c s a) as (Hat & _ & ->); [rewrite E; left; reflexivity|].
        cbn in Hat; apply in_map_iff in Hh; destruct Hh as (x & _ & Hx); destruct (exits_spot s x Hx) as (e & F & _ & Ec).
        destruct (each_spot _ s e B F) as [Q Es].
        rewrite Es, <- Ec, Hat in Q; rewrite forallb_forall in N; specialize (N c (channel_in c Q)); unfold never in N.
        assert (H1 : forall d k, In (d, k) [(c, 1)] -> k <= List.length (st d)).
        { intros d k [K|[]]; injection K as <- <-; rewrite E; cbn; lia. }
        apply orb_true_iff in N; destruct N as [N | N].
        - apply existsb_exists in N; destruct N as (p & Hp & N); rewrite (not_full _ st p H1 (kept_all p Hp)) in N; discriminate.
        - rewrite search in N; [discriminate | | exact H1 | intros d [<-|[]]; exact Hc].
          intros d Hd; apply not_true_is_false; intro L; apply (IH d); [|exact Hd].
          apply ltb_spec in L; unfold high in *; pose proof (to_Z_bounded level.[d]); lia. }
      intro c; exact (G (S (high c)) c (Nat.lt_succ_diag_r _)).
    Qed.
  End Blocked.

  (* In no state that the empty network can reach do packets wait for each other. *)
  Theorem pools_sound : forall st, reachable st -> forall W, blocked W st -> forall c, ~ W c.
  Proof.
    intros st H W B; destruct (pools_kept st H) as (So & _ & Hk); exact (none_blocked st Hk So W B).
  Qed.
End Table.
