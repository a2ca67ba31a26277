(* P-cube on binary n-cubes, for every n (Glass and Ni, 1992).

   Proved: packets of whatever length never wait for each other ([pcube_never_stuck]), as every hop lowers the rank of the
   channel ([pcube_lowered]); so none moves for ever (Measures.v: lowered_measured). A packet first clears the bits in which its destination has none, in
   any order, and then sets those that are missing, in any order. A node is a bit for each dimension.
   Assumed: sinks drain. Not proved here: that packets arrive; they do, as every hop corrects a bit. *)
Require Import List Arith Lia Bool Packets Wormhole.

Section Pcube.
  Variable n : nat.
  Definition vertex := nat -> bool.
  Record link := { from : vertex; across : nat }.
  Definition to (c : link) : vertex := fun j => if j =? across c then negb (from c j) else from c j.
  Definition pcube_offers (x d : vertex) (i : nat) :=
    i < n /\ x i <> d i /\ (x i = false -> forall j, j < n -> x j = true -> d j = true).

  Definition pcube : network := {|
    channel := link;
    site := link * vertex;
    at_ := fst;
    alternative := fun s a => a = (fun h => match h with
      | Leave => forall j, j < n -> to (fst s) j = snd s j
      | Go t => snd t = snd s /\ from (fst t) = to (fst s) /\ pcube_offers (to (fst s)) (snd s) (across (fst t)) end);
    injected := fun s => pcube_offers (from (fst s)) (snd s) (across (fst s)) |}.

  Fixpoint ones (m : nat) (x : vertex) : nat := match m with 0 => 0 | S m => ones m x + (if x m then 1 else 0) end.
  (* Links that clear a bit rank above those that set one. *)
  Definition pcube_rank (c : link) := if from c (across c) then S n + ones n (from c) else n - ones n (from c).

  Lemma to_same : forall c, to c (across c) = negb (from c (across c)).
  Proof. intro c; unfold to; rewrite Nat.eqb_refl; reflexivity. Qed.
  Lemma to_other : forall c j, j <> across c -> to c j = from c j.
  Proof. intros c j H; unfold to; destruct (Nat.eqb_spec j (across c)); [contradiction | reflexivity]. Qed.
  Lemma ones_to : forall c m, ones m (to c) + (if across c <? m then if from c (across c) then 1 else 0 else 0) =
    ones m (from c) + (if across c <? m then if from c (across c) then 0 else 1 else 0).
  Proof.
    intro c; induction m as [|m IH]; [reflexivity|]; cbn [ones].
    destruct (Nat.eq_dec m (across c)) as [->|E].
    - rewrite to_same; destruct (Nat.ltb_spec (across c) (across c)), (Nat.ltb_spec (across c) (S (across c))); try lia.
      destruct (from c (across c)); cbn; lia.
    - rewrite (to_other c m E); destruct (Nat.ltb_spec (across c) m), (Nat.ltb_spec (across c) (S m)); lia.
  Qed.
  Lemma ones_most : forall m x, ones m x <= m.
  Proof. induction m as [|m IH]; intro x; cbn; [lia|]; specialize (IH x); destruct (x m); lia. Qed.

  Lemma pcube_sites : forall s, reached pcube s -> pcube_offers (from (fst s)) (snd s) (across (fst s)).
  Proof. intros s H; induction H as [s H | s a t _ _ -> (E & Ef & H)]; [exact H | rewrite E, Ef; exact H]. Qed.

  Theorem pcube_lowered : lowered pcube pcube_rank.
  Proof.
    intros s a t Hs -> (_ & Ef & (Hj & Hne & _)); destruct (pcube_sites s Hs) as (Hi & Hd & Hset).
    unfold pcube_rank; cbn [at_ pcube]; rewrite Ef; pose proof (ones_to (fst s) n) as O.
    destruct (Nat.ltb_spec (across (fst s)) n); [|lia].
    pose proof (ones_most n (from (fst s))); pose proof (ones_most n (to (fst s))).
    destruct (from (fst s) (across (fst s))) eqn:B; [destruct (to (fst s) (across (fst t))); lia|].
    destruct (to (fst s) (across (fst t))) eqn:T; [|lia]; exfalso; apply Hne.
    destruct (Nat.eq_dec (across (fst t)) (across (fst s))) as [E|E].
    - rewrite E in *; destruct (snd s (across (fst s))); congruence.
    - rewrite to_other in T by exact E; symmetry; exact (Hset eq_refl _ Hj T).
  Qed.

  Theorem pcube_never_stuck : never_stuck pcube.
  Proof. exact (lowered_never_stuck pcube pcube_rank pcube_lowered). Qed.
End Pcube.
