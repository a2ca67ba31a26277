(* Meshes and tori of any number of dimensions, and routing relations on them, as networks.

   Here are definitions and what follows from them alone; the theorems are in the files of the families. A node has a
   position in each dimension. A channel is one VC of the link from its tail to the next node in a dimension and direction.
   A routing relation says which channels a packet for d may take first, at its source, and next, from the channel that it
   holds. What it permits is one alternative: the router chooses. Nodes are functions, also defined beyond the last dimension,
   and the same only if equal as such: read as meant, "the same channel" needs functional extensionality. *)
Require Import List Arith ZArith Lia Bool Packets.
Import ListNotations.
Open Scope Z_scope.

Definition node := nat -> Z.                                     (* dimension -> position *)
Record chan := { tail : node; dim : nat; up : bool; vc : nat }.

(* n dimensions of k positions; rings if wrap, else lines. *)
Record shape := { size : Z; dims : nat; wrap : bool }.

Definition inside (g : shape) (x : node) := forall j, (j < dims g)%nat -> 0 <= x j < size g.

(* The position after a hop, which at the end of a line is outside. *)
Definition moved (g : shape) (u : bool) (a : Z) : Z :=
  let b := if u then a + 1 else a - 1 in
  if wrap g then (if b =? size g then 0 else if b =? -1 then size g - 1 else b) else b.
Definition head (g : shape) (c : chan) : node :=
  fun j => if (j =? dim c)%nat then moved g (up c) (tail c j) else tail c j.

Definition at_home (g : shape) (x d : node) := forall j, (j < dims g)%nat -> x j = d j.
(* i is the lowest dimension in which a packet at x for d has hops left. *)
Definition lowest (g : shape) (x d : node) (i : nat) :=
  (i < dims g)%nat /\ x i <> d i /\ forall j, (j < i)%nat -> x j = d j.

(* A routing relation. *)
Record relation := { first : node -> node -> chan -> Prop; next : chan -> node -> chan -> Prop }.

Definition routed (g : shape) (r : relation) : network := {|
  channel := chan;
  site := chan * node;                                           (* a channel, and the destination *)
  at_ := fst;
  alternative := fun s a => a = (fun h => match h with
    | Leave => at_home g (head g (fst s)) (snd s)
    | Go t => snd t = snd s /\ next r (fst s) (snd s) (fst t) end);
  injected := fun s => inside g (tail (fst s)) /\ inside g (snd s) /\ first r (tail (fst s)) (snd s) (fst s) |}.

(* A relation that looks at the node alone. *)
Definition by_node (g : shape) (offers : node -> node -> chan -> Prop) : relation :=
  {| first := offers; next := fun c d => offers (head g c) d |}.

(* What is true of first hops and kept by next ones is true of all sites that packets reach. *)
Lemma reached_all : forall g r (P : chan -> node -> Prop),
  (forall c d, inside g (tail c) -> inside g d -> first r (tail c) d c -> P c d) ->
  (forall c d c', P c d -> next r c d c' -> P c' d) ->
  forall s, reached (routed g r) s -> P (fst s) (snd s).
Proof.
  intros g r P Hf Hn s H; induction H as [s (H1 & H2 & H3) | s a t _ IH -> [E H]].
  - exact (Hf _ _ H1 H2 H3).
  - rewrite E; exact (Hn _ _ _ IH H).
Qed.

(* So it is enough to compare ranks of channels of which that is true. *)
Lemma lowered_all : forall g r (P : chan -> node -> Prop) (rank : chan -> nat),
  (forall c d, inside g (tail c) -> inside g d -> first r (tail c) d c -> P c d) ->
  (forall c d c', P c d -> next r c d c' -> P c' d) ->
  (forall c d c', P c d -> next r c d c' -> (rank c' < rank c)%nat) ->
  lowered (routed g r) rank.
Proof.
  intros g r P rank Hf Hn Hr s a t Hs -> [_ Ht].
  exact (Hr _ _ _ (reached_all g r P Hf Hn s Hs) Ht).
Qed.

(* In dimension order the dimension of the next channel is not lower, as what is settled stays settled. *)
Lemma lowest_rises : forall g c d i j, dim c = i -> lowest g (tail c) d i -> lowest g (head g c) d j -> (i <= j)%nat.
Proof.
  intros g c d i j Hd (_ & _ & Hi) (_ & Hj & _).
  destruct (le_lt_dec i j) as [|H]; [assumption | exfalso; apply Hj].
  unfold head; rewrite Hd; destruct (Nat.eqb_spec j i); [lia | exact (Hi j H)].
Qed.

Lemma head_same : forall g c, head g c (dim c) = moved g (up c) (tail c (dim c)).
Proof. intros g c; unfold head; rewrite Nat.eqb_refl; reflexivity. Qed.
Lemma head_other : forall g c j, j <> dim c -> head g c j = tail c j.
Proof. intros g c j H; unfold head; destruct (Nat.eqb_spec j (dim c)); [contradiction | reflexivity]. Qed.

Lemma head_inside : forall g c, inside g (tail c) -> 0 <= moved g (up c) (tail c (dim c)) < size g ->
  inside g (head g c).
Proof.
  intros g c H Hm j Hj; unfold head; destruct (Nat.eqb_spec j (dim c)) as [->|]; [exact Hm | exact (H j Hj)].
Qed.

(* While some hop is left, there is a lowest dimension. *)
Lemma lowest_exists : forall g x d i, (i < dims g)%nat -> x i <> d i -> exists j, lowest g x d j.
Proof.
  intros g x d i; induction i as [i IH] using lt_wf_ind; intros Hi Hne.
  assert (E : (exists j, (j < i)%nat /\ x j <> d j) \/ forall j, (j < i)%nat -> x j = d j).
  { clear -i; induction i as [|i IH]; [right; intros j H; lia|].
    destruct IH as [(j & H & Hj) | Hall]; [left; exists j; split; [lia | exact Hj]|].
    destruct (Z.eq_dec (x i) (d i)) as [E|E]; [|left; exists i; split; [lia | exact E]].
    right; intros j H; destruct (Nat.eq_dec j i) as [->|]; [exact E | apply Hall; lia]. }
  destruct E as [(j & H & Hj) | Hall]; [exact (IH j H ltac:(lia) Hj) | exists i; split; [exact Hi | split; [exact Hne | exact Hall]]].
Qed.

(* Ranks as pairs: a dimension, and a number below the bound m. *)
Definition pair_rank (n : nat) (m : Z) (i : nat) (local : Z) : nat := Z.to_nat (Z.of_nat (n - i) * m + local).
Lemma pair_rank_lower : forall n m i j a b, 0 <= a < m -> 0 <= b < m -> (i <= n)%nat -> (j <= n)%nat ->
  (i < j)%nat \/ i = j /\ b < a -> (pair_rank n m j b < pair_rank n m i a)%nat.
Proof.
  intros n m i j a b Ha Hb Hi Hj [H | [-> H]]; unfold pair_rank; apply Z2Nat.inj_lt; nia.
Qed.
