(* From a relation to the states of the reference step: what ranks of a relation say of every network whose tables follow it.

   The theorems about families (Mesh.v, Turns.v, UpDown.v and so on) are about a relation, whose channels may hold functions.
   Here are tables, as Reference.v has them: channels, nodes and headers of any types that can be compared, rows of hops, and
   how the network is run. They follow a relation if each first hop and each next one is one of the relation ([follows]); so
   they may also have fewer hops. Proved, for all tables that follow a relation: if each hop of the relation lowers the rank, no
   channel is held for good in a state that the moves reach, however the network is run ([lowered_states]): by whole packets,
   or by packets of flits that move one by one or shift, in channels of their own or shared, and with finite sinks, too.
   If the relation only offers escapes (Wormhole.v), the tables must also have each hop that it offers ([offers_all]). Then the
   same is true unless packets share channels ([escapes_states]).
   Assumed: tables list every site that a hop leads to, and have no dead end where packets come; each hop demands a
   place, and no more than there are; packets shift only where channels have one flit ([proper]). Not proved: that packets do move, and that they arrive. *)
Require Import List Arith Lia Bool Packets Wormhole Reference StuckFlits Flits Shared Sinks OneFlit.
Import ListNotations.

(* Tables, and how the network is run. *)
Record tables := {
  buffer : Type;                          (* its channels *)
  router : Type;
  label : Type;                           (* what a packet carries *)
  same_buffer : forall c d : buffer, {c = d} + {c <> d};
  same_label : forall h k : label, {h = k} + {h <> k};
  same_router : forall v w : router, {v = w} + {v <> w};
  buffers : list buffer;
  tail_of : buffer -> router;
  head_of : buffer -> router;
  rows : Reference.place buffer router -> label -> option (list (Reference.hop buffer label));
  run_as : scenario }.

Definition moves_of (t : tables) : network := Reference.network_of (buffer t) (router t) (label t) (same_buffer t) (same_label t) (rows t).
Definition replays (t : tables) := Reference.replay (buffer t) (router t) (label t) (same_buffer t) (same_label t) (same_router t)
  (buffers t) (tail_of t) (head_of t) (rows t) (run_as t).
Definition empty_of (t : tables) := Reference.nothing (buffer t) (router t) (label t).

(* What spec.NewNetwork checks, and that no packet comes to a dead end. *)
Record proper (t : tables) : Prop := {
  all_buffers : forall c, In c (buffers t);
  all_listed : forall p h r x c k, rows t p h = Some r -> In x r -> to x = Into c k -> rows t (Inside c) k <> None;
  all_fit : forall p h r x, rows t p h = Some r -> In x r -> need x <= capacity (run_as t);
  all_need : forall p h r x c k, rows t p h = Some r -> In x r -> to x = Into c k -> 1 <= need x;
  some_place : 1 <= capacity (run_as t);
  one_flit : shifts (run_as t) = true -> capacity (run_as t) = 1;
  once : NoDup (buffers t);
  no_end : forall s, reached (moves_of t) s -> rows t (Inside (fst s)) (snd s) <> Some [] }.

(* From some state that the moves reach channel c is never empty again. *)
Definition held_for_good (t : tables) (c : buffer t) := exists l s, replays t (empty_of t) l = Some s /\
  forall l' s', replays t s l' = Some s' -> exists p behind, queue s' c = p :: behind.

(* The environment has no choice: each site has one alternative. *)
Definition sole_alternative (M : network) := forall s, exists a, forall b, alternative M s b <-> b = a.

Section Follows.
  Variable M : network.
  Variable t : tables.
  Variable means : buffer t * label t -> site M -> Prop.    (* which site of the relation a site of the tables is *)

  Record follows : Prop := {
    first_follows : forall v h r x c k, rows t (Source v) h = Some r -> In x r -> to x = Into c k ->
      exists s, means (c, k) s /\ injected M s;
    next_follows : forall c h r x d k s, means (c, h) s -> reached M s -> rows t (Inside c) h = Some r -> In x r -> to x = Into d k ->
      exists a u, alternative M s a /\ a (Go u) /\ means (d, k) u }.
  (* Channels have the ranks of what they stand for. *)
  Definition ranked_as (rank : channel M -> nat) (level : buffer t -> nat) := forall c h s, means (c, h) s -> rank (at_ M s) = level c.
  (* The tables have all that the relation offers. *)
  Definition offers_all := forall c h r s a, means (c, h) s -> reached M s -> alternative M s a -> rows t (Inside c) h = Some r ->
    (a Leave -> exists x, In x r /\ forall d k, to x <> Into d k) /\
    (forall u, a (Go u) -> exists x d k, In x r /\ to x = Into d k /\ means (d, k) u).

  Hypothesis H : follows.

  Lemma offered : forall c h d k, Reference.offers (buffer t) (router t) (label t) (rows t) (c, h) (Go (d, k)) ->
    exists r x, rows t (Inside c) h = Some r /\ In x r /\ to x = Into d k.
  Proof.
    intros c h d k E; unfold Reference.offers, Reference.row_of in E; cbn [fst snd] in E; destruct (rows t (Inside c) h) as [r|]; [|destruct E].
    apply in_map_iff in E; destruct E as (x & X & K); exists r, x; split; [reflexivity | split; [exact K|]].
    unfold Reference.meaning in X; destruct (to x) as [e j| |]; try discriminate; injection X as -> ->; reflexivity.
  Qed.
  Lemma first_hop : forall c k, injected (moves_of t) (c, k) -> exists s, means (c, k) s /\ injected M s.
  Proof.
    intros c k (v & h & r & x & R & F); unfold Reference.find_hop in F; apply find_some in F; destruct F as [K X].
    apply Reference.same_way_eq in X; exact (first_follows H v h r x c k R K X).
  Qed.
  Lemma reached_means : forall s', reached (moves_of t) s' -> exists s, means s' s /\ reached M s.
  Proof.
    intros s' R; induction R as [[c k] F | [c h] a [d k] _ (s & Ms & Rs) [_ ->] K].
    - destruct (first_hop c k F) as (s & Ms & I); exists s; split; [exact Ms | apply reached_first; exact I].
    - destruct (offered c h d k K) as (r & x & R & Kx & X); destruct (next_follows H c h r x d k s Ms Rs R Kx X) as (a & u & A & G & Mu).
      exists u; split; [exact Mu | exact (reached_next M s a u Rs A G)].
  Qed.

  Lemma lowered_tables : forall rank level, ranked_as rank level -> lowered M rank -> lowered (moves_of t) level.
  Proof.
    intros rank level E L [c h] a [d k] R [_ ->] K; destruct (reached_means (c, h) R) as (s & Ms & Rs).
    destruct (offered c h d k K) as (r & x & Rw & Kx & X); destruct (next_follows H c h r x d k s Ms Rs Rw Kx X) as (a & u & A & G & Mu).
    pose proof (L s a u Rs A G) as Low; rewrite (E c h s Ms), (E d k u Mu) in Low; exact Low.
  Qed.

  (* The relation leaves no choice to the environment: each site has one alternative. *)
  Hypothesis sole : sole_alternative M.

  (* A packet of the tables is one of the relation, in channels of the same ranks. *)
  Lemma worm_means : forall rank level, ranked_as rank level -> forall l s' b, worm (moves_of t) l s' b ->
    exists l' s a, worm M l' s a /\ means s' s /\ map rank l' = map level l.
  Proof.
    intros rank level E l s' b W; induction W as [[c k] b F _ | l [c h] b [d k] b' W (l' & s & a & Wm & Ms & El) K _ | l c s' b _ (l' & s & a & Wm & Ms & El) Ne].
    - destruct (first_hop c k F) as (s & Ms & I); destruct (sole s) as [a A]; exists [at_ M s], s, a.
      split; [apply worm_first; [exact I | apply A; reflexivity] | split; [exact Ms | cbn; rewrite (E c k s Ms); reflexivity]].
    - destruct (worm_site _ _ _ _ W) as [_ [_ Eb]]; subst b; destruct (offered c h d k K) as (r & x & R & Kx & X).
      destruct (worm_site _ _ _ _ Wm) as [Rs As]; destruct (next_follows H c h r x d k s Ms Rs R Kx X) as (a' & u & A' & G & Mu).
      destruct (sole s) as [a0 A0]; apply A0 in As; apply A0 in A'; subst a a'; destruct (sole u) as [au Au].
      exists (at_ M u :: l'), u, au; split; [|split; [exact Mu | cbn [map]; rewrite (E d k u Mu), El; reflexivity]].
      exact (worm_next M l' s a0 u au Wm G (proj2 (Au au) eq_refl)).
    - destruct (exists_last (l := l')) as (l0 & e & ->); [intros ->; apply (f_equal (@length nat)) in El; rewrite !map_length, app_length in El; cbn in El; lia|].
      rewrite !map_app in El; cbn [map] in El; apply app_inj_tail in El; destruct El as [El _].
      exists l0, s, a; split; [|split; [exact Ms | exact El]]; apply (worm_tail M l0 e); [exact Wm|].
      intros ->; destruct l; [contradiction | discriminate].
  Qed.

  Lemma escapes_tables : forall rank level, ranked_as rank level -> offers_all -> escapes M rank -> escapes (moves_of t) level.
  Proof.
    intros rank level E All Es l [c h] b W [x Hx]; destruct (worm_means rank level E l (c, h) b W) as (l' & s & a & Wm & Ms & El).
    destruct (worm_site _ _ _ _ W) as [_ [_ Eb]]; subst b; destruct (worm_site _ _ _ _ Wm) as [Rs As]; destruct x as [|[d k]]; [left; exact Hx|].
    destruct (offered c h d k Hx) as (r & y & R & K & X).
    assert (back : forall z, In z r -> Reference.offers (buffer t) (router t) (label t) (rows t) (c, h) (Reference.meaning (buffer t) (label t) z)).
    { intros z Kz; unfold Reference.offers, Reference.row_of; cbn [fst snd]; rewrite R; apply in_map; exact Kz. }
    destruct (next_follows H c h r y d k s Ms Rs R K X) as (a' & u & A' & G & _); destruct (sole s) as [a0 A0].
    pose proof (proj1 (A0 a) As); pose proof (proj1 (A0 a') A'); subst a a'; destruct (All c h r s a0 Ms Rs As R) as [Lv Gv].
    destruct (Es l' s a0 Wm (ex_intro _ (Go u) G)) as [L|(u' & G' & Low)].
    - destruct (Lv L) as (z & Kz & Nz); left; pose proof (back z Kz) as B; unfold Reference.meaning in B.
      destruct (to z) as [e j| |] eqn:Ez; [destruct (Nz e j eq_refl) | exact B | exact B].
    - destruct (Gv u' G') as (z & e & j & Kz & Ez & Mz); right; exists (e, j); split.
      + pose proof (back z Kz) as B; unfold Reference.meaning in B; rewrite Ez in B; exact B.
      + intros f Kf; apply (in_map level) in Kf; rewrite <- El in Kf; apply in_map_iff in Kf; destruct Kf as (g & Eg & Kg).
        specialize (Low g Kg); rewrite (E e j u' Mz) in Low; cbn in *; lia.
  Qed.
End Follows.

(* ---- conclusions ---- *)

Definition free_of_deadlock (t : tables) := forall c, ~ held_for_good t c.
(* Of tables that follow the relation, with channels that have its ranks; and of those that also offer all of it. *)
Definition lowered_free (M : network) (rank : channel M -> nat) := forall t means level,
  proper t -> follows M t means -> ranked_as M t means rank level -> free_of_deadlock t.
Definition escapes_free (M : network) (rank : channel M -> nat) := forall t means level,
  proper t -> follows M t means -> ranked_as M t means rank level -> offers_all M t means ->
  flitwise (run_as t) && shared (run_as t) = false -> free_of_deadlock t.

Notation empties t := (Sinks.can_empty (buffer t) (router t) (label t) (same_buffer t) (same_label t) (same_router t) (buffers t) (tail_of t) (head_of t) (rows t)).
Lemma empties_free : forall t, empties t (run_as t) -> free_of_deadlock t.
Proof.
  intros t H c (l & s & R & K); destruct (H l s R) as (l' & s' & R' & Em); destruct (K l' s' R') as (p & b & Q); rewrite Em in Q; discriminate.
Qed.

Theorem lowered_states : forall M rank, lowered M rank -> lowered_free M rank.
Proof.
  intros M rank L t means level P F E; apply empties_free.
  exact (lowered_empties (buffer t) (router t) (label t) (same_buffer t) (same_label t) (same_router t) (buffers t) (tail_of t) (head_of t) (rows t)
    (run_as t) (all_buffers t P) (some_place t P) (one_flit t P) (all_listed t P) (all_fit t P) (all_need t P) (no_end t P) level
    (lowered_tables M t means F rank level E L)).
Qed.

Theorem escapes_states : forall M rank, sole_alternative M -> escapes M rank -> escapes_free M rank.
Proof.
  intros M rank So L t means level P F E All Run; apply empties_free, Sinks.sinks_drain.
  pose proof (escapes_tables M t means F So rank level E All L) as L'; destruct (flitwise (run_as t)) eqn:W.
  - assert (A : atomic (drained (run_as t)) = true) by (unfold atomic; cbn; cbn in Run; rewrite W, Run; reflexivity).
    intros l s; exact (flits_drain (buffer t) (router t) (label t) (same_buffer t) (same_label t) (same_router t) (buffers t) (tail_of t) (head_of t) (rows t)
      (drained (run_as t)) (all_buffers t P) A (some_place t P) eq_refl (all_listed t P) (no_end t P) level L' l s).
  - intros l s; exact (reference_drains (buffer t) (router t) (label t) (same_buffer t) (same_label t) (same_router t) (buffers t) (tail_of t) (head_of t) (rows t)
      (drained (run_as t)) W eq_refl (all_buffers t P) (once t P) (all_listed t P) (all_fit t P) (no_end t P) level
      (escapes_ranked (moves_of t) level L' (worm_of_site (moves_of t))) l s).
Qed.
