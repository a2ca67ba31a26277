(* E-cube on binary n-cubes, for every n (Sullivan and Bashkow, 1977).

   Proved: packets of whatever length never wait for each other ([ecube_never_stuck]), as every hop lowers the rank of the
   channel ([ecube_lowered]); so none moves for ever (Measures.v: lowered_measured). A packet goes in the lowest dimension in which it differs from its
   destination. A node is a bit for each dimension.
   Assumed: sinks drain. Not proved here: that packets arrive; they do, as every hop corrects a bit. *)
Require Import List Arith Lia Bool Packets Wormhole.

Section Ecube.
  Variable n : nat.
  Definition vertex := nat -> bool.
  Record link := { from : vertex; across : nat }.
  Definition to (c : link) : vertex := fun j => if j =? across c then negb (from c j) else from c j.
  Definition differs_first (x d : vertex) (i : nat) := i < n /\ x i <> d i /\ forall j, j < i -> x j = d j.

  Definition ecube : network := {|
    channel := link;
    site := link * vertex;
    at_ := fst;
    alternative := fun s a => a = (fun h => match h with
      | Leave => forall j, j < n -> to (fst s) j = snd s j
      | Go t => snd t = snd s /\ from (fst t) = to (fst s) /\ differs_first (to (fst s)) (snd s) (across (fst t)) end);
    injected := fun s => differs_first (from (fst s)) (snd s) (across (fst s)) |}.

  Definition ecube_rank (c : link) := n - across c.

  Lemma ecube_sites : forall s, reached ecube s -> differs_first (from (fst s)) (snd s) (across (fst s)).
  Proof.
    intros s H; induction H as [s H | s a t _ _ -> (E & Ef & H)]; [exact H | rewrite E, Ef; exact H].
  Qed.

  Theorem ecube_lowered : lowered ecube ecube_rank.
  Proof.
    intros s a t Hs -> (_ & _ & (Hj & Hne & _)); destruct (ecube_sites s Hs) as (Hi & Hd & Hbelow).
    unfold ecube_rank; cbn.
    assert (across (fst s) < across (fst t)); [|lia].
    destruct (le_lt_dec (across (fst t)) (across (fst s))) as [H|H]; [exfalso; apply Hne | exact H].
    unfold to; destruct (Nat.eqb_spec (across (fst t)) (across (fst s))) as [E|E].
    - rewrite E; destruct (from (fst s) (across (fst s))), (snd s (across (fst s))); cbn; congruence.
    - apply Hbelow; lia.
  Qed.

  Theorem ecube_never_stuck : never_stuck ecube.
  Proof. exact (lowered_never_stuck ecube ecube_rank ecube_lowered). Qed.
End Ecube.
