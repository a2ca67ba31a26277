(* From a certificate that the checker accepts to the step with which unknot replays traces.

   Certified.v concludes about the steps of Step.v and WormStep.v. Here the conclusion is about that of Reference.v, for the
   network that the same table denotes: [reads] are the rows of its places. Proved: if the checker accepts a certificate of
   kind "rank" or "extended-escape", no state that the moves reach has a channel that is held for good, by packets of flits
   ([rank_flits], [extended_flits]); if it accepts one of kind "rank" or "escape", none has a whole packet that never moves
   again ([rank_packets], [escape_packets]); and if it accepts one of kind "rank", no channel is held for good however the
   network is run, in shared channels, too ([rank_shared]). Sinks may be finite in all of these.
   Assumed: what Checker.v assumes of primitive integers; every hop leads to a site of the table, and demands no more room than
   there is, which unknot-verify checks; that site has a hop, as a dead end is a fault of delivery; packets start by rows of the
   table's sources; but for rank_shared, packets of flits do not share channels; nodes consume what their sinks hold.
   Not proved: that the table is the network's, which reader.ml reads; that packets do move (starvation). *)
Require Import List Arith Lia Bool Uint63 PArray Packets Wormhole Checker Certified Reference StuckFlits Flits Shared Sinks OneFlit.
Import ListNotations.

Section Table.
  Variable t : table.
  Variable node : Type.
  Hypothesis same_node : forall v w : node, {v = w} + {v <> w}.
  Variable tail head : int -> node.
  Variable demand : int -> Checker.move -> nat.
  Variable starts : node -> int -> option (list Checker.move).
  Hypothesis starts_there : forall v h r, starts v h = Some r -> List.In r (sources t).

  (* A packet's header is the number of its site. *)
  Definition way_of (m : Checker.move) : way int int :=
    match m with Checker.Into s => Reference.Into (channel_at t s) s | Checker.Eject => Reference.Eject | Drop => Reference.Discard end.
  Definition hop_of (from : int) (m : Checker.move) : hop int int := {| to := way_of m; need := demand from m |}.
  Definition reads (p : Reference.place int node) (h : int) : option (list (hop int int)) :=
    match p with
    | Source v => option_map (map (hop_of h)) (starts v h)
    | Inside c => match Checker.find h (sites t) with
      | Some e => if same_int (Checker.place e) c then Some (map (hop_of h) (Checker.row e)) else None
      | None => None
      end
    end.
  Notation N := (network_of int node int same_int same_int reads).
  Notation offers := (Reference.offers int node int reads).

  Hypothesis closed : forall r s, List.In r (sources t) \/ (exists h, r = row_at t h) -> List.In (Checker.Into s) r ->
    exists e, Checker.find s (sites t) = Some e /\ Checker.row e <> [].

  Lemma reads_inside : forall c h r, reads (Inside c) h = Some r -> c = channel_at t h /\ r = map (hop_of h) (row_at t h).
  Proof.
    intros c h r E; cbn in E; unfold channel_at, row_at; destruct (Checker.find h (sites t)) as [e|]; [|discriminate].
    destruct (same_int (Checker.place e) c) as [<-|]; [injection E as <-; auto | discriminate].
  Qed.
  Lemma hop_into : forall h r x c k, List.In x (map (hop_of h) r) -> to x = Reference.Into c k -> c = channel_at t k /\ List.In (Checker.Into k) r.
  Proof.
    intros h r x c k K E; apply in_map_iff in K; destruct K as (m & <- & K); destruct m; try discriminate.
    cbn in E; injection E as <- <-; auto.
  Qed.
  Lemma reads_site : forall s, (exists e, Checker.find s (sites t) = Some e /\ Checker.row e <> []) ->
    reads (Inside (channel_at t s)) s <> None /\ reads (Inside (channel_at t s)) s <> Some [].
  Proof.
    intros s (e & F & Ne); cbn; unfold channel_at; rewrite F; destruct (same_int (Checker.place e) (Checker.place e)); [|contradiction].
    split; [discriminate | destruct (Checker.row e); [contradiction | discriminate]].
  Qed.
  Lemma row_in : forall p h r, reads p h = Some r -> exists r', (List.In r' (sources t) \/ exists h, r' = row_at t h) /\ r = map (hop_of h) r'.
  Proof.
    intros [v|c] h r E; [|destruct (reads_inside c h r E) as [_ ->]; eauto].
    cbn in E; destruct (starts v h) as [r'|] eqn:S; [|discriminate]; injection E as <-; exists r'; split; [left; exact (starts_there v h r' S) | reflexivity].
  Qed.
  Lemma reads_listed : forall p h r x c k, reads p h = Some r -> List.In x r -> to x = Reference.Into c k -> reads (Inside c) k <> None.
  Proof.
    intros p h r x c k E K X; destruct (row_in p h r E) as (r' & S & ->); destruct (hop_into h r' x c k K X) as [-> I].
    exact (proj1 (reads_site k (closed r' k S I))).
  Qed.

  Lemma offers_go : forall h c k, offers (channel_at t h, h) (Go (c, k)) -> c = channel_at t k /\ List.In (Go k) (map Checker.meaning (row_at t h)).
  Proof.
    intros h c k E; unfold Reference.offers, Reference.row_of in E; cbn [fst snd] in E.
    destruct (reads (Inside (channel_at t h)) h) as [r|] eqn:R; [|destruct E]; destruct (reads_inside _ _ _ R) as [_ ->].
    apply in_map_iff in E; destruct E as (x & M & K); unfold Reference.meaning in M; destruct (to x) as [d j| |] eqn:X; try discriminate.
    injection M as -> ->; destruct (hop_into h _ x c k K X) as [-> I]; split; [reflexivity | apply in_map_iff; exists (Checker.Into k); auto].
  Qed.
  Lemma offers_back : forall h x, reads (Inside (channel_at t h)) h <> None -> List.In x (map Checker.meaning (row_at t h)) ->
    offers (channel_at t h, h) match x with Go k => Go (channel_at t k, k) | Leave => Leave end.
  Proof.
    intros h x Ne K; unfold Reference.offers, Reference.row_of; cbn [fst snd]; destruct (reads (Inside (channel_at t h)) h) as [r|] eqn:R; [|contradiction].
    destruct (reads_inside _ _ _ R) as [_ ->]; apply in_map_iff in K; destruct K as (m & <- & K); apply in_map_iff.
    exists (hop_of h m); split; [destruct m; reflexivity | apply in_map; exact K].
  Qed.

  Definition offered (h : int) := fun x => List.In x (map Checker.meaning (row_at t h)).
  Lemma reached_table : forall s, reached N s -> fst s = channel_at t (snd s) /\ reached (denoted t) (snd s) /\ reads (Inside (fst s)) (snd s) <> Some [].
  Proof.
    intros s H; induction H as [[c h] (v & k & r & x & R & F)|[c h] a [c' h'] _ (E & Rc & _) [Ne ->] K]; cbn [fst snd] in *.
    - unfold find_hop in F; apply find_some in F; destruct F as [K X]; apply Reference.same_way_eq in X.
      cbn in R; destruct (starts v k) as [r'|] eqn:S; [|discriminate]; injection R as <-; destruct (hop_into k r' x c h K X) as [-> I].
      pose proof (starts_there v k r' S) as S'; split; [reflexivity | split; [apply reached_first; exists r'; auto|]].
      exact (proj2 (reads_site h (closed r' h (or_introl S') I))).
    - subst c; destruct (offers_go h c' h' K) as [-> I]; split; [reflexivity | split; [exact (reached_next (denoted t) h (offered h) h' Rc eq_refl I)|]].
      apply in_map_iff in I; destruct I as ([| |j] & M & I); try discriminate; injection M as ->.
      exact (proj2 (reads_site h' (closed (row_at t h) h' (or_intror (ex_intro _ h eq_refl)) I))).
  Qed.

  Lemma ranked_table : forall rank, ranked (denoted t) rank -> ranked N rank.
  Proof.
    intros rank H [c h] a Rc [Ne ->] [x Hx]; destruct (reached_table _ Rc) as (E & Rd & Nd); cbn [fst snd] in *; subst c.
    destruct (H h (offered h) Rd eq_refl) as [L|(k & K & Low)].
    - destruct (reads (Inside (channel_at t h)) h) as [[|y r]|] eqn:R; [congruence | | congruence].
      destruct (reads_inside _ _ _ R) as [_ M]; destruct (row_at t h) as [|m l] eqn:Q; [discriminate|].
      exists (Checker.meaning m); unfold offered; rewrite Q; left; reflexivity.
    - left; exact (offers_back h Leave Ne L).
    - right; exists (channel_at t k, k); split; [exact (offers_back h (Go k) Ne K) | exact Low].
  Qed.

  Lemma worm_table : forall l s a, worm N l s a -> worm (denoted t) l (snd s) (offered (snd s)) /\ fst s = channel_at t (snd s) /\ a = offers s.
  Proof.
    intros l s a H; induction H as [[c h] a Hi [Ne ->] | l [c h] a [d k] b W (IH & E & ->) K [Ne ->] | l c s a _ IH Hne]; cbn [fst snd] in *.
    - destruct (reached_table (c, h) (reached_first N (c, h) Hi)) as (E & _); cbn [fst snd] in E; subst c; split; [|auto].
      destruct Hi as (v & j & r & x & R & F); unfold find_hop in F; apply find_some in F; destruct F as [K X]; apply Reference.same_way_eq in X.
      cbn in R; destruct (starts v j) as [r'|] eqn:S; [|discriminate]; injection R as <-; destruct (hop_into j r' x _ h K X) as [_ I].
      apply (worm_first (denoted t) h (offered h)); [exists r'; split; [exact (starts_there v j r' S) | exact I] | reflexivity].
    - subst c; destruct (offers_go h d k K) as [-> I]; split; [|auto].
      exact (worm_next (denoted t) l h (offered h) k (offered k) IH I eq_refl).
    - destruct IH as (IH & E & Ea); split; [exact (worm_tail (denoted t) l c _ _ IH Hne) | auto].
  Qed.

  Lemma escapes_table : forall rank, escapes (denoted t) rank -> escapes N rank.
  Proof.
    intros rank H l [c h] a W [x Hx]; destruct (worm_table _ _ _ W) as (Wd & E & ->); destruct (worm_site N _ _ _ W) as [Rc [Ne _]].
    destruct (reached_table _ Rc) as (_ & _ & Nd); cbn [fst snd] in *; subst c.
    destruct (H l h (offered h) Wd) as [L|(k & K & Low)].
    - destruct (reads (Inside (channel_at t h)) h) as [[|y r]|] eqn:R; [congruence | | congruence].
      destruct (reads_inside _ _ _ R) as [_ M]; destruct (row_at t h) as [|m r'] eqn:Q; [discriminate|].
      exists (Checker.meaning m); unfold offered; rewrite Q; left; reflexivity.
    - left; exact (offers_back h Leave Ne L).
    - right; exists (channel_at t k, k); split; [exact (offers_back h (Go k) Ne K) | exact Low].
  Qed.

  Lemma lowered_table : forall rank, lowered (denoted t) rank -> lowered N rank.
  Proof.
    intros rank H [c h] a [d k] Rc [Ne ->] K; destruct (reached_table _ Rc) as (E & Rd & _); cbn [fst snd] in *; subst c.
    destruct (offers_go h d k K) as [-> I]; exact (H h (offered h) k Rd eq_refl I).
  Qed.

  Variable sc : scenario.
  Variable channels : list int.
  Hypothesis all_channels : forall c, List.In c channels.
  Notation replay := (Reference.replay int node int same_int same_int same_node channels tail head reads sc).
  Notation nothing := (Reference.nothing int node int).
  Notation can_empty := (Sinks.can_empty int node int same_int same_int same_node channels tail head reads).

  Lemma no_ends : forall s, reached N s -> reads (Inside (fst s)) (snd s) <> Some [].
  Proof. intros s R; exact (proj2 (proj2 (reached_table s R))). Qed.
  Lemma never_held : can_empty sc -> forall l s c, replay nothing l = Some s ->
    ~ forall l' s', replay s l' = Some s' -> exists p behind, queue s' c = p :: behind.
  Proof.
    intros H l s c R K; destruct (H l s R) as (l' & s' & R' & Em); destruct (K l' s' R') as (p & b & Q); rewrite Em in Q; discriminate.
  Qed.

  Section Flits.
    Hypothesis of_flits : atomic sc = true.
    Hypothesis buffers : 1 <= capacity sc.

    Lemma escapes_flits : forall rank, escapes (denoted t) rank -> forall l s c, replay nothing l = Some s ->
      ~ forall l' s', replay s l' = Some s' -> exists p behind, queue s' c = p :: behind.
    Proof.
      intros rank H; apply never_held, Sinks.sinks_drain; intros l s.
      exact (flits_drain int node int same_int same_int same_node channels tail head reads (drained sc) all_channels of_flits
        buffers eq_refl reads_listed no_ends rank (escapes_table rank H) l s).
    Qed.
    Theorem rank_flits : forall rank, check_rank t rank = true -> forall l s c, replay nothing l = Some s ->
      ~ forall l' s', replay s l' = Some s' -> exists p behind, queue s' c = p :: behind.
    Proof. intros rank H; apply (escapes_flits (nat_of rank)), lowered_escapes, rank_lowered; exact H. Qed.
    Theorem extended_flits : forall rank held, check_extended t rank held = true -> forall l s c, replay nothing l = Some s ->
      ~ forall l' s', replay s l' = Some s' -> exists p behind, queue s' c = p :: behind.
    Proof. intros rank held H; exact (escapes_flits (nat_of rank) (extended_escapes t rank held H)). Qed.
  End Flits.

  Hypothesis fitting : forall h m, demand h m <= capacity sc.

  (* However the network is run. *)
  Section Run.
    Hypothesis buffers : 1 <= capacity sc.
    Hypothesis rigid : shifts sc = true -> capacity sc = 1.
    Hypothesis demanding : forall h s, 1 <= demand h (Checker.Into s).

    Theorem rank_shared : forall rank, check_rank t rank = true -> forall l s c, replay nothing l = Some s ->
      ~ forall l' s', replay s l' = Some s' -> exists p behind, queue s' c = p :: behind.
    Proof.
      intros rank H; apply never_held, (lowered_empties int node int same_int same_int same_node channels tail head reads sc all_channels buffers rigid reads_listed)
        with (rank := nat_of rank).
      - intros p h r x R K; destruct (row_in p h r R) as (r' & _ & ->); apply in_map_iff in K; destruct K as (m & <- & _); apply fitting.
      - intros p h r x c k R K X; destruct (row_in p h r R) as (r' & _ & ->); apply in_map_iff in K; destruct K as (m & <- & _).
        destruct m; try discriminate; apply demanding.
      - exact no_ends.
      - exact (lowered_table (nat_of rank) (rank_lowered t rank H)).
    Qed.
  End Run.

  Section Packets.
    Hypothesis whole_packets : flitwise sc = false.
    Hypothesis once : NoDup channels.

    Lemma ranked_packets : forall rank, ranked (denoted t) rank -> forall l s c p, replay nothing l = Some s ->
      ~ forall l' s', replay s l' = Some s' -> exists behind, queue s' c = p :: behind.
    Proof.
      intros rank H l s c p R K; apply (never_held) with (l := l) (s := s) (c := c); [|exact R | intros l' s' R'; destruct (K l' s' R') as (b & Q); eauto].
      apply Sinks.sinks_drain; intros l1 s1.
      apply (reference_drains int node int same_int same_int same_node channels tail head reads (drained sc) whole_packets eq_refl
        all_channels once reads_listed) with (rank := rank).
      - intros q h r x R1 K1; destruct (row_in q h r R1) as (r' & _ & ->); apply in_map_iff in K1; destruct K1 as (m & <- & _); apply fitting.
      - exact no_ends.
      - exact (ranked_table rank H).
    Qed.
    Theorem rank_packets : forall rank, check_rank t rank = true -> forall l s c p, replay nothing l = Some s ->
      ~ forall l' s', replay s l' = Some s' -> exists behind, queue s' c = p :: behind.
    Proof. intros rank H; apply (ranked_packets (nat_of rank)), lowered_ranked, rank_lowered; exact H. Qed.
    Theorem escape_packets : forall rank, check_escape t rank = true -> forall l s c p, replay nothing l = Some s ->
      ~ forall l' s', replay s l' = Some s' -> exists behind, queue s' c = p :: behind.
    Proof. intros rank H; exact (ranked_packets (nat_of rank) (escape_ranked t rank H)). Qed.
  End Packets.
End Table.
