(* A checker of certificates, proved.

   A table lists for every site its channel, whether its channel ends at the destination, and its row of hops; the rows of
   the sources follow. Choice is in the table as a splitting of sites (Packets.v), so each site has one alternative.
   Proved: if a function below answers true, the network that the table denotes has the property: [rank_sound],
   [escape_sound], [extended_sound], [measure_sound], [arrival_sound]. Extract.v makes an OCaml program of them, which tests
   compare with unknot's verifier.
   Assumed: what the theories assume, and what Coq's library says of its primitive integers of 63 bits (less, at most and
   plus are those of numbers); of its primitive arrays nothing is assumed, as they are only read. Not proved: that the table
   is read rightly, which is the work of reader.ml, and that extraction and OCaml are right. *)
Require Import List Arith ZArith Lia Bool Uint63 PArray Packets Wormhole Measures.
Import ListNotations.

Inductive move := Eject | Drop | Into (s : int).
Record entry := { place : int; home : bool; row : list move }.
Record table := { sites : array entry; sources : list (list move) }.

Definition find (s : int) (t : array entry) := if (s <? length t)%uint63 then Some t.[s] else None.
Definition channel_at (t : table) (s : int) := match find s (sites t) with Some e => place e | None => 0%uint63 end.
Definition row_at (t : table) (s : int) := match find s (sites t) with Some e => row e | None => [] end.
Definition meaning (m : move) : hop int := match m with Into s => Go s | _ => Leave end.

(* The network that a table denotes. *)
Definition denoted (t : table) : network := {|
  channel := int;
  site := int;
  at_ := channel_at t;
  alternative := fun s a => a = (fun h => In h (map meaning (row_at t s)));
  injected := fun s => exists r, In r (sources t) /\ In (Into s) r |}.

Definition numbers := array int.
Definition number (m : numbers) (p : int) : int := m.[p].
Fixpoint from (n : nat) (i : int) (f : int -> bool) : bool :=
  match n with 0 => true | S n => if f i then from n (i + 1)%uint63 f else false end.
Definition every (t : table) (f : int -> entry -> bool) :=
  from (Z.to_nat (to_Z (length (sites t)))) 0%uint63 (fun s => f s (sites t).[s]).
Definition all_hops (f : int -> bool) (r : list move) :=
  forallb (fun m => match m with Into s => f s | _ => true end) r.
Definition some_way (f : int -> bool) (r : list move) :=
  existsb (fun m => match m with Into s => f s | _ => true end) r.
Definition no_hop (r : list move) := match r with [] => true | _ => false end.
Definition ejects (r : list move) := existsb (fun m => match m with Eject => true | _ => false end) r.

Definition check_rank (t : table) (rank : numbers) :=
  every t (fun _ e => all_hops (fun s => ltb (number rank (channel_at t s)) (number rank (place e))) (row e)).
Definition check_escape (t : table) (rank : numbers) :=
  every t (fun _ e => no_hop (row e) ||
    some_way (fun s => ltb (number rank (channel_at t s)) (number rank (place e))) (row e)).
Definition below (t : table) (rank held : numbers) := all_hops (fun s => leb (number held s) (number rank (channel_at t s))).
Definition check_extended (t : table) (rank held : numbers) :=
  forallb (below t rank held) (sources t) &&
  every t (fun s e => below t rank held (row e) &&
    all_hops (fun s' => leb (number held s') (number held s)) (row e) &&
    (no_hop (row e) || some_way (fun s' => ltb (number rank (channel_at t s')) (number held s)) (row e))).
Definition check_measure (t : table) (measure : numbers) :=
  every t (fun s e => all_hops (fun s' => ltb (number measure s') (number measure s)) (row e)).
Definition check_arrival (t : table) (measure : numbers) :=
  forallb (fun r => negb (no_hop r) && negb (ejects r)) (sources t) &&
  forallb (all_hops (fun s => match find s (sites t) with Some _ => true | None => false end)) (sources t) &&
  every t (fun s e => (negb (ejects (row e)) || home e) &&
    all_hops (fun s => match find s (sites t) with Some _ => true | None => false end) (row e) &&
    some_way (fun s' => ltb (number measure s') (number measure s)) (row e)).

Lemma from_all : forall n i f s, from n i f = true -> (to_Z i <= to_Z s < to_Z i + Z.of_nat n)%Z -> f s = true.
Proof.
  induction n as [|n IH]; intros i f s H Hs; [lia|]; cbn [from] in H; destruct (f i) eqn:E; [|discriminate].
  destruct (Z.eq_dec (to_Z i) (to_Z s)) as [X|X]; [apply to_Z_inj in X; subst; exact E|].
  apply (IH _ f s H); pose proof (to_Z_bounded i); pose proof (to_Z_bounded s); pose proof (add_spec i 1) as A.
  change (to_Z 1) with 1%Z in A; rewrite Z.mod_small in A by lia; lia.
Qed.

Lemma every_site : forall t f s e, every t f = true -> find s (sites t) = Some e -> f s e = true.
Proof.
  intros t f s e H F; unfold find in F; destruct (ltb s (length (sites t))) eqn:E; [|discriminate]; injection F as <-.
  apply ltb_spec in E; apply (from_all _ _ _ s H); pose proof (to_Z_bounded s); change (to_Z 0) with 0%Z; lia.
Qed.

Lemma hop_row : forall t s s', In (Go s') (map meaning (row_at t s)) ->
  exists e, find s (sites t) = Some e /\ In (Into s') (row e).
Proof.
  intros t s s' H; unfold row_at in H; destruct (find s (sites t)) as [e|]; [|destruct H].
  exists e; split; [reflexivity|]; apply in_map_iff in H; destruct H as ([| |x] & E & Hin); try discriminate.
  injection E as ->; exact Hin.
Qed.

Lemma all_hops_in : forall f r s, all_hops f r = true -> In (Into s) r -> f s = true.
Proof. intros f r s H Hin; unfold all_hops in H; rewrite forallb_forall in H; exact (H (Into s) Hin). Qed.

Lemma some_way_in : forall f r, some_way f r = true -> In Leave (map meaning r) \/ exists s, In (Go s) (map meaning r) /\ f s = true.
Proof.
  intros f r H; apply existsb_exists in H; destruct H as ([| |s] & Hin & Hf).
  - left; apply in_map_iff; exists Eject; auto.
  - left; apply in_map_iff; exists Drop; auto.
  - right; exists s; split; [apply in_map_iff; exists (Into s); auto | exact Hf].
Qed.

Definition value (i : int) : nat := Z.to_nat (to_Z i).
Definition nat_of (m : numbers) (p : int) : nat := value (number m p).
Arguments value : simpl never.
Arguments number : simpl never.
Arguments find : simpl never.
Lemma below_nat : forall a b, ltb a b = true -> value a < value b.
Proof. intros a b H; apply ltb_spec in H; pose proof (to_Z_bounded a); unfold value; lia. Qed.
Lemma most_nat : forall a b, leb a b = true -> value a <= value b.
Proof. intros a b H; apply leb_spec in H; pose proof (to_Z_bounded a); unfold value; lia. Qed.

Lemma rank_lowered : forall t rank, check_rank t rank = true -> lowered (denoted t) (nat_of rank).
Proof.
  intros t rank H s a s' _ -> Hs'; destruct (hop_row t s s' Hs') as (e & F & Hin).
  pose proof (all_hops_in _ _ _ (every_site _ _ _ _ H F) Hin) as L; apply below_nat in L.
  unfold nat_of; cbn; unfold channel_at at 2; rewrite F; lia.
Qed.

Theorem rank_sound : forall t rank, check_rank t rank = true -> never_stuck (denoted t).
Proof. intros t rank H; exact (lowered_never_stuck _ _ (rank_lowered t rank H)). Qed.

Lemma some_row : forall t s f, (exists h, In h (map meaning (row_at t s))) ->
  (forall e, find s (sites t) = Some e -> no_hop (row e) || some_way f (row e) = true) ->
  In Leave (map meaning (row_at t s)) \/ exists s', In (Go s') (map meaning (row_at t s)) /\ f s' = true.
Proof.
  intros t s f [h Hh] H; unfold row_at in *; destruct (find s (sites t)) as [e|]; [|destruct Hh].
  specialize (H e eq_refl); apply orb_true_iff in H; destruct H as [H | H]; [|exact (some_way_in f (row e) H)].
  destruct (row e); [destruct Hh | discriminate].
Qed.

Lemma escape_ranked : forall t rank, check_escape t rank = true -> ranked (denoted t) (nat_of rank).
Proof.
  intros t rank H s a _ -> Hh.
  destruct (some_row t s (fun s' => ltb (number rank (channel_at t s')) (number rank (channel_at t s))) Hh) as [|(s' & Hin & L)].
  - intros e F; pose proof (every_site _ _ _ _ H F) as E; cbn in E; unfold channel_at at 2; rewrite F; exact E.
  - left; assumption.
  - right; exists s'; split; [exact Hin | apply below_nat in L; unfold nat_of; cbn; lia].
Qed.

Theorem escape_sound : forall t rank, check_escape t rank = true -> forall K, legal (denoted t) K -> ~ stuck (denoted t) K.
Proof. intros t rank H; exact (ranked_sound (denoted t) (nat_of rank) (escape_ranked t rank H)). Qed.

Lemma extended_escapes : forall t rank held, check_extended t rank held = true -> escapes (denoted t) (nat_of rank).
Proof.
  intros t rank held H; apply held_escapes with (held := nat_of held).
  apply andb_true_iff in H; destruct H as [Hs He]; split.
  - intros s (r & Hr & Hin); rewrite forallb_forall in Hs.
    pose proof (all_hops_in _ _ _ (Hs r Hr) Hin) as L; apply most_nat in L; unfold nat_of; cbn; lia.
  - intros s a s' _ -> Hs'; destruct (hop_row t s s' Hs') as (e & F & Hin).
    pose proof (every_site _ _ _ _ He F) as E; apply andb_true_iff in E; destruct E as [E _].
    apply andb_true_iff in E; destruct E as [E1 E2].
    pose proof (all_hops_in _ _ _ E1 Hin) as L1; pose proof (all_hops_in _ _ _ E2 Hin) as L2.
    apply most_nat in L1; apply most_nat in L2; unfold nat_of; cbn; lia.
  - intros s a _ -> Hh.
    destruct (some_row t s (fun s' => ltb (number rank (channel_at t s')) (number held s)) Hh) as [|(s' & Hin & L)].
    + intros e F; pose proof (every_site _ _ _ _ He F) as E; apply andb_true_iff in E; exact (proj2 E).
    + left; assumption.
    + right; exists s'; split; [exact Hin | apply below_nat in L; unfold nat_of; cbn; lia].
Qed.

Theorem extended_sound : forall t rank held, check_extended t rank held = true -> never_stuck (denoted t).
Proof. intros t rank held H; exact (escapes_never_stuck (denoted t) (nat_of rank) (extended_escapes t rank held H)). Qed.

Theorem measure_sound : forall t measure, check_measure t measure = true ->
  ~ exists f : nat -> int, reached (denoted t) (f 0) /\
      forall i, exists a, alternative (denoted t) (f i) a /\ a (Go (f (S i))).
Proof.
  intros t measure H; apply (measure_no_livelock (denoted t) (nat_of measure)).
  intros s a s' _ -> Hs'; destruct (hop_row t s s' Hs') as (e & F & Hin).
  pose proof (all_hops_in _ _ _ (every_site _ _ _ _ H F) Hin) as L; apply below_nat in L; unfold nat_of; lia.
Qed.

(* From every site a packet can be brought out, and it is ejected at its destination alone; no source ejects it at once. *)
Theorem arrival_sound : forall t measure, check_arrival t measure = true ->
  (forall s, reached (denoted t) s -> Measures.home (denoted t) (nat_of measure s) s) /\
  (forall s e, find s (sites t) = Some e -> In Eject (row e) -> home e = true) /\
  (forall r, In r (sources t) -> r <> [] /\ ~ In Eject r).
Proof.
  intros t measure H; apply andb_true_iff in H; destruct H as [H He]; apply andb_true_iff in H; destruct H as [Hs Hk].
  assert (known : forall s, reached (denoted t) s -> exists e, find s (sites t) = Some e).
  { intros s Hr; destruct Hr as [s (r & Hr & Hin) | s a s' _ -> Hs'].
    - rewrite forallb_forall in Hk; pose proof (all_hops_in _ _ _ (Hk r Hr) Hin) as E; cbn in E.
      destruct (find s (sites t)); [eauto | discriminate].
    - destruct (hop_row t s s' Hs') as (e & F & Hin); pose proof (every_site _ _ _ _ He F) as E.
      apply andb_true_iff in E; destruct E as [E _]; apply andb_true_iff in E; destruct E as [_ E].
      pose proof (all_hops_in _ _ _ E Hin) as G; cbn in G; destruct (find s' (sites t)); [eauto | discriminate]. }
  split; [|split].
  - apply (arrival_home (denoted t) (nat_of measure)).
    intros s a Hr ->; destruct (known s Hr) as [e F]; pose proof (every_site _ _ _ _ He F) as E.
    apply andb_true_iff in E; destruct E as [_ E]; apply some_way_in in E; unfold row_at; rewrite F.
    destruct E as [E | (s' & Hin & L)]; [left; exact E | right; exists s'; split; [exact Hin|]].
    apply below_nat in L; unfold nat_of; lia.
  - intros s e F Hin; pose proof (every_site _ _ _ _ He F) as E; apply andb_true_iff in E; destruct E as [E _].
    apply andb_true_iff in E; destruct E as [E _]; apply orb_true_iff in E; destruct E as [E | E]; [|exact E].
    apply negb_true_iff in E; assert (X : ejects (row e) = true); [|congruence].
    apply existsb_exists; exists Eject; auto.
  - intros r Hr; rewrite forallb_forall in Hs; specialize (Hs r Hr); apply andb_true_iff in Hs; destruct Hs as [H1 H2]; split.
    + intros ->; discriminate.
    + intro Hin; apply negb_true_iff in H2; assert (X : ejects r = true); [|congruence].
      apply existsb_exists; exists Eject; auto.
Qed.
