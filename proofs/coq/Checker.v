(* A checker of certificates, proved.

   A table lists for every site its channel, whether its channel ends at the destination, and its row of hops; the rows of
   the sources follow. Choice is in the table as a splitting of sites (Packets.v), so each site has one alternative.
   Proved: if a function below answers true, the network that the table denotes has the property: [rank_sound],
   [escape_sound], [extended_sound], [measure_sound], [arrival_sound]. Extract.v makes an OCaml program of them, which tests
   compare with unknot's verifier.
   Assumed: what the theories assume. Not proved: that the table is read rightly, which is the work of reader.ml, and that
   extraction and OCaml are right. *)
Require Import List Arith NArith PArith Lia Bool FMapPositive Packets Wormhole Measures.
Import ListNotations.
Module M := PositiveMap.

Inductive move := Eject | Drop | Into (s : positive).
Record entry := { place : positive; home : bool; row : list move }.
Record table := { sites : M.t entry; sources : list (list move) }.

Definition channel_at (t : table) (s : positive) := match M.find s (sites t) with Some e => place e | None => 1%positive end.
Definition row_at (t : table) (s : positive) := match M.find s (sites t) with Some e => row e | None => [] end.
Definition meaning (m : move) : hop positive := match m with Into s => Go s | _ => Leave end.

(* The network that a table denotes. *)
Definition denoted (t : table) : network := {|
  channel := positive;
  site := positive;
  at_ := channel_at t;
  alternative := fun s a => a = (fun h => In h (map meaning (row_at t s)));
  injected := fun s => exists r, In r (sources t) /\ In (Into s) r |}.

Definition numbers := M.t N.
Definition number (m : numbers) (p : positive) : N := match M.find p m with Some x => x | None => 0%N end.
Definition every (t : table) (f : positive -> entry -> bool) := forallb (fun p => f (fst p) (snd p)) (M.elements (sites t)).
Definition all_hops (f : positive -> bool) (r : list move) :=
  forallb (fun m => match m with Into s => f s | _ => true end) r.
Definition some_way (f : positive -> bool) (r : list move) :=
  existsb (fun m => match m with Into s => f s | _ => true end) r.
Definition no_hop (r : list move) := match r with [] => true | _ => false end.
Definition ejects (r : list move) := existsb (fun m => match m with Eject => true | _ => false end) r.

Definition check_rank (t : table) (rank : numbers) :=
  every t (fun _ e => all_hops (fun s => N.ltb (number rank (channel_at t s)) (number rank (place e))) (row e)).
Definition check_escape (t : table) (rank : numbers) :=
  every t (fun _ e => no_hop (row e) ||
    some_way (fun s => N.ltb (number rank (channel_at t s)) (number rank (place e))) (row e)).
Definition below (t : table) (rank held : numbers) := all_hops (fun s => N.leb (number held s) (number rank (channel_at t s))).
Definition check_extended (t : table) (rank held : numbers) :=
  forallb (below t rank held) (sources t) &&
  every t (fun s e => below t rank held (row e) &&
    all_hops (fun s' => N.leb (number held s') (number held s)) (row e) &&
    (no_hop (row e) || some_way (fun s' => N.ltb (number rank (channel_at t s')) (number held s)) (row e))).
Definition check_measure (t : table) (measure : numbers) :=
  every t (fun s e => all_hops (fun s' => N.ltb (number measure s') (number measure s)) (row e)).
Definition check_arrival (t : table) (measure : numbers) :=
  forallb (fun r => negb (no_hop r) && negb (ejects r)) (sources t) &&
  forallb (all_hops (fun s => match M.find s (sites t) with Some _ => true | None => false end)) (sources t) &&
  every t (fun s e => (negb (ejects (row e)) || home e) &&
    all_hops (fun s => match M.find s (sites t) with Some _ => true | None => false end) (row e) &&
    some_way (fun s' => N.ltb (number measure s') (number measure s)) (row e)).

(* Tables and numbers from lists: the sites, channels and numbers count from 1. *)
Fixpoint from {A : Type} (i : positive) (l : list A) : M.t A :=
  match l with [] => M.empty A | x :: r => M.add i x (from (Pos.succ i) r) end.
Definition table_of (l : list entry) (r : list (list move)) : table := {| sites := from 1 l; sources := r |}.
Definition numbers_of (l : list N) : numbers := from 1 l.

Lemma every_site : forall t f s e, every t f = true -> M.find s (sites t) = Some e -> f s e = true.
Proof.
  intros t f s e H F; unfold every in H; rewrite forallb_forall in H.
  exact (H (s, e) (M.elements_correct _ _ F)).
Qed.

Lemma hop_row : forall t s s', In (Go s') (map meaning (row_at t s)) ->
  exists e, M.find s (sites t) = Some e /\ In (Into s') (row e).
Proof.
  intros t s s' H; unfold row_at in H; destruct (M.find s (sites t)) as [e|]; [|destruct H].
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

Definition nat_of (m : numbers) (p : positive) : nat := N.to_nat (number m p).

Lemma rank_lowered : forall t rank, check_rank t rank = true -> lowered (denoted t) (nat_of rank).
Proof.
  intros t rank H s a s' _ -> Hs'; destruct (hop_row t s s' Hs') as (e & F & Hin).
  pose proof (all_hops_in _ _ _ (every_site _ _ _ _ H F) Hin) as L; apply N.ltb_lt in L.
  unfold nat_of; cbn; unfold channel_at at 2; rewrite F; lia.
Qed.

Theorem rank_sound : forall t rank, check_rank t rank = true -> never_stuck (denoted t).
Proof. intros t rank H; exact (lowered_never_stuck _ _ (rank_lowered t rank H)). Qed.

Lemma some_row : forall t s f, (exists h, In h (map meaning (row_at t s))) ->
  (forall e, M.find s (sites t) = Some e -> no_hop (row e) || some_way f (row e) = true) ->
  In Leave (map meaning (row_at t s)) \/ exists s', In (Go s') (map meaning (row_at t s)) /\ f s' = true.
Proof.
  intros t s f [h Hh] H; unfold row_at in *; destruct (M.find s (sites t)) as [e|]; [|destruct Hh].
  specialize (H e eq_refl); apply orb_true_iff in H; destruct H as [H | H]; [|exact (some_way_in f (row e) H)].
  destruct (row e); [destruct Hh | discriminate].
Qed.

Theorem escape_sound : forall t rank, check_escape t rank = true -> forall K, legal (denoted t) K -> ~ stuck (denoted t) K.
Proof.
  intros t rank H; apply (ranked_sound (denoted t) (nat_of rank)).
  intros s a _ -> Hh.
  destruct (some_row t s (fun s' => N.ltb (number rank (channel_at t s')) (number rank (channel_at t s))) Hh) as [|(s' & Hin & L)].
  - intros e F; pose proof (every_site _ _ _ _ H F) as E; cbn in E; unfold channel_at at 2; rewrite F; exact E.
  - left; assumption.
  - right; exists s'; split; [exact Hin | apply N.ltb_lt in L; unfold nat_of; cbn; lia].
Qed.

Theorem extended_sound : forall t rank held, check_extended t rank held = true -> never_stuck (denoted t).
Proof.
  intros t rank held H; apply (escapes_never_stuck (denoted t) (nat_of rank)), held_escapes with (held := nat_of held).
  apply andb_true_iff in H; destruct H as [Hs He]; split.
  - intros s (r & Hr & Hin); rewrite forallb_forall in Hs.
    pose proof (all_hops_in _ _ _ (Hs r Hr) Hin) as L; apply N.leb_le in L; unfold nat_of; cbn; lia.
  - intros s a s' _ -> Hs'; destruct (hop_row t s s' Hs') as (e & F & Hin).
    pose proof (every_site _ _ _ _ He F) as E; apply andb_true_iff in E; destruct E as [E _].
    apply andb_true_iff in E; destruct E as [E1 E2].
    pose proof (all_hops_in _ _ _ E1 Hin) as L1; pose proof (all_hops_in _ _ _ E2 Hin) as L2.
    apply N.leb_le in L1; apply N.leb_le in L2; unfold nat_of; cbn; lia.
  - intros s a _ -> Hh.
    destruct (some_row t s (fun s' => N.ltb (number rank (channel_at t s')) (number held s)) Hh) as [|(s' & Hin & L)].
    + intros e F; pose proof (every_site _ _ _ _ He F) as E; apply andb_true_iff in E; exact (proj2 E).
    + left; assumption.
    + right; exists s'; split; [exact Hin | apply N.ltb_lt in L; unfold nat_of; cbn; lia].
Qed.

Theorem measure_sound : forall t measure, check_measure t measure = true ->
  ~ exists f : nat -> positive, reached (denoted t) (f 0) /\
      forall i, exists a, alternative (denoted t) (f i) a /\ a (Go (f (S i))).
Proof.
  intros t measure H; apply (measure_no_livelock (denoted t) (nat_of measure)).
  intros s a s' _ -> Hs'; destruct (hop_row t s s' Hs') as (e & F & Hin).
  pose proof (all_hops_in _ _ _ (every_site _ _ _ _ H F) Hin) as L; apply N.ltb_lt in L; unfold nat_of; lia.
Qed.

(* From every site a packet can be brought out, and it is ejected at its destination alone; no source ejects it at once. *)
Theorem arrival_sound : forall t measure, check_arrival t measure = true ->
  (forall s, reached (denoted t) s -> Measures.home (denoted t) (nat_of measure s) s) /\
  (forall s e, M.find s (sites t) = Some e -> In Eject (row e) -> home e = true) /\
  (forall r, In r (sources t) -> r <> [] /\ ~ In Eject r).
Proof.
  intros t measure H; apply andb_true_iff in H; destruct H as [H He]; apply andb_true_iff in H; destruct H as [Hs Hk].
  assert (known : forall s, reached (denoted t) s -> exists e, M.find s (sites t) = Some e).
  { intros s Hr; destruct Hr as [s (r & Hr & Hin) | s a s' _ -> Hs'].
    - rewrite forallb_forall in Hk; pose proof (all_hops_in _ _ _ (Hk r Hr) Hin) as E; cbn in E.
      destruct (M.find s (sites t)); [eauto | discriminate].
    - destruct (hop_row t s s' Hs') as (e & F & Hin); pose proof (every_site _ _ _ _ He F) as E.
      apply andb_true_iff in E; destruct E as [E _]; apply andb_true_iff in E; destruct E as [_ E].
      pose proof (all_hops_in _ _ _ E Hin) as G; cbn in G; destruct (M.find s' (sites t)); [eauto | discriminate]. }
  split; [|split].
  - apply (arrival_home (denoted t) (nat_of measure)).
    intros s a Hr ->; destruct (known s Hr) as [e F]; pose proof (every_site _ _ _ _ He F) as E.
    apply andb_true_iff in E; destruct E as [_ E]; apply some_way_in in E; unfold row_at; rewrite F.
    destruct E as [E | (s' & Hin & L)]; [left; exact E | right; exists s'; split; [exact Hin|]].
    apply N.ltb_lt in L; unfold nat_of; lia.
  - intros s e F Hin; pose proof (every_site _ _ _ _ He F) as E; apply andb_true_iff in E; destruct E as [E _].
    apply andb_true_iff in E; destruct E as [E _]; apply orb_true_iff in E; destruct E as [E | E]; [|exact E].
    apply negb_true_iff in E; assert (X : ejects (row e) = true); [|congruence].
    apply existsb_exists; exists Eject; auto.
  - intros r Hr; rewrite forallb_forall in Hs; specialize (Hs r Hr); apply andb_true_iff in Hs; destruct Hs as [H1 H2]; split.
    + intros ->; discriminate.
    + intro Hin; apply negb_true_iff in H2; assert (X : ejects r = true); [|congruence].
      apply existsb_exists; exists Eject; auto.
Qed.
