(* Duato's protocol on meshes of every size and in every number of dimensions (Duato, 1993).

   Proved: packets of whatever length never wait for each other ([duato_never_stuck]). Dimension order on VC 0 is the escape;
   VC 1 takes any minimal hop. Wherever a packet waits, it is offered an escape that ranks below all channels that it may
   still hold ([duato_escapes]).
   Assumed: sinks drain. Not proved here: that packets arrive; they do, as every hop is minimal. *)
Require Import List Arith ZArith Lia Bool Packets Wormhole Grid.
Import ListNotations.
Open Scope Z_scope.

Section Duato.
  Variable k : Z.
  Variable n : nat.
  Hypothesis k2 : 2 <= k.
  Definition mesh := {| size := k; dims := n; wrap := false |}.

  Definition nearer (u : bool) (a b : Z) := if u then a < b else b < a.
  Definition duato_offers (x d : node) (c : chan) :=
    tail c = x /\ (dim c < n)%nat /\ nearer (up c) (x (dim c)) (d (dim c)) /\
    (vc c = 1%nat \/ vc c = 0%nat /\ lowest mesh x d (dim c)).
  Definition duato := routed mesh (by_node mesh duato_offers).

  Definition value (u : bool) (a : Z) := if u then k - a else a + 1.
  Definition escape (y : node) (i : nat) (u : bool) : nat := pair_rank (S n) (k + 1) (S i) (value u (y i)).
  Definition duato_rank (c : chan) : nat :=
    if (vc c =? 1)%nat then pair_rank (S n) (k + 1) 0 0 else escape (tail c) (dim c) (up c).

  Lemma value_bound : forall u a, 0 <= a < k -> 0 <= value u a < k + 1.
  Proof. intros u a H; unfold value; destruct u; lia. Qed.
  Lemma moved_in : forall u a b, 0 <= a < k -> 0 <= b < k -> nearer u a b -> 0 <= moved mesh u a < k.
  Proof. intros u a b Ha Hb H; unfold moved, nearer in *; cbn; destruct u; lia. Qed.
  Lemma line : forall a b u v, nearer u a b -> nearer v (moved mesh u a) b ->
    nearer v a b /\ value v (moved mesh u a) <= value v a /\ (u = v -> value v (moved mesh u a) < value u a) /\ u = v.
  Proof. intros a b u v H1 H2; unfold nearer, value, moved in *; cbn in *; destruct u, v; try (exfalso; lia); (split; [lia | split; [lia | split; [intros _; lia | reflexivity]]]). Qed.

  Definition outranks (y d : node) (c : chan) :=
    forall i u, lowest mesh y d i -> nearer u (y i) (d i) -> (escape y i u < duato_rank c)%nat.

  Lemma head_in : forall x d c, inside mesh x -> inside mesh d -> duato_offers x d c -> inside mesh (head mesh c).
  Proof.
    intros x d c Hx Hd (<- & Hi & Hn & _); apply head_inside; [exact Hx | exact (moved_in _ _ _ (Hx _ Hi) (Hd _ Hi) Hn)].
  Qed.
  Lemma nearer_ne : forall u a b, nearer u a b -> a <> b.
  Proof. intros u a b H; unfold nearer in H; destruct u; lia. Qed.
  Lemma low_rises : forall x d c i j, duato_offers x d c -> lowest mesh x d i -> lowest mesh (head mesh c) d j -> (i <= j)%nat.
  Proof.
    intros x d c i j (<- & _ & Hn & _) (_ & _ & Hi) (_ & Hj & _).
    destruct (le_lt_dec i j) as [|H]; [assumption | exfalso].
    destruct (Nat.eq_dec j (dim c)) as [->|E]; [exact (nearer_ne _ _ _ Hn (Hi _ H))|].
    apply Hj; rewrite (head_other _ _ _ E); exact (Hi j H).
  Qed.

  Lemma new_channel : forall x d c, inside mesh x -> inside mesh d -> duato_offers x d c -> outranks (head mesh c) d c.
  Proof.
    intros x d c Hx Hd H j v Hl Hv.
    pose proof (head_in x d c Hx Hd H) as Hy; pose proof (proj1 Hl) as Hj; cbn in Hj.
    pose proof (value_bound v _ (Hy j Hj)) as V; pose proof H as (Ht & Hi & Hn & Hc); unfold duato_rank.
    destruct Hc as [-> | [-> Hlow]]; cbn [Nat.eqb]; unfold escape; apply pair_rank_lower; try lia.
    - apply value_bound; rewrite Ht; exact (Hx _ Hi).
    - pose proof (low_rises x d c _ j H Hlow Hl) as Hle.
      destruct (Nat.eq_dec j (dim c)) as [E|E]; [right | left; lia]; split; [auto|].
      rewrite E, head_same in *; rewrite Ht in *; destruct (line _ _ _ _ Hn Hv) as (_ & _ & L & Eu); exact (L Eu).
  Qed.

  Lemma old_channel : forall x d c o i, inside mesh x -> inside mesh d -> duato_offers x d c -> lowest mesh x d i ->
    outranks x d o -> outranks (head mesh c) d o.
  Proof.
    intros x d c o i Hx Hd H Hlow Ho j v Hl Hv.
    pose proof (head_in x d c Hx Hd H) as Hy; pose proof (proj1 Hl) as Hj; cbn in Hj.
    pose proof (low_rises x d c i j H Hlow Hl) as Hle; pose proof (proj1 Hlow) as Hi; cbn in Hi.
    pose proof H as (Ht & Hdim & Hn & _).
    destruct (Nat.eq_dec j i) as [-> | Hne].
    - destruct (Nat.eq_dec i (dim c)) as [E|E].
      + assert (Eh : head mesh c i = moved mesh (up c) (x i)) by (rewrite E, head_same, Ht; reflexivity).
        rewrite <- E in Hn; rewrite Eh in Hv; destruct (line _ _ _ _ Hn Hv) as (Hb & L & _ & _).
        specialize (Ho i v Hlow Hb); unfold escape in *; rewrite Eh; eapply Nat.le_lt_trans; [|exact Ho].
        destruct (Z.eq_dec (value v (moved mesh (up c) (x i))) (value v (x i))) as [->|Hneq]; [apply le_n|].
        apply Nat.lt_le_incl, pair_rank_lower; try lia; apply value_bound; [exact (Hx i Hi) | rewrite <- Eh; exact (Hy i Hi)].
      + assert (Eh : head mesh c i = x i) by (rewrite (head_other _ _ _ E), Ht; reflexivity).
        rewrite Eh in Hv; specialize (Ho i v Hlow Hv); unfold escape in *; rewrite Eh; exact Ho.
    - destruct Hlow as (Hi' & Hxi & Hbelow).
      assert (G : exists u, nearer u (x i) (d i)).
      { destruct (Z_lt_le_dec (x i) (d i)); [exists true | exists false]; unfold nearer; lia. }
      destruct G as [u Hu]; specialize (Ho i u (conj Hi' (conj Hxi Hbelow)) Hu).
      eapply Nat.lt_trans; [|exact Ho]; unfold escape; apply pair_rank_lower; try lia; apply value_bound; [exact (Hx i Hi) | exact (Hy j Hj)].
  Qed.

  Lemma worm_outranks : forall l s a, worm duato l s a ->
    inside mesh (tail (fst s)) /\ inside mesh (snd s) /\ duato_offers (tail (fst s)) (snd s) (fst s) /\
    forall o, In o l -> outranks (head mesh (fst s)) (snd s) o.
  Proof.
    intros l s a H; induction H as [s a (H1 & H2 & H3) _ | l s a t b Hw IH Ht Hb | l c s a _ IH _].
    - split; [exact H1 | split; [exact H2 | split; [exact H3|]]].
      intros o [<-|[]]; exact (new_channel _ _ _ H1 H2 H3).
    - destruct (worm_site duato l s a Hw) as [_ Ha]; cbn in Ha; rewrite Ha in Ht; destruct Ht as [E Ht]; cbn in Ht.
      destruct IH as (H1 & H2 & H3 & H4); rewrite E.
      pose proof (head_in _ _ _ H1 H2 H3) as Hy; pose proof (proj1 Ht) as Et; rewrite Et.
      split; [exact Hy | split; [exact H2 | split; [exact Ht|]]].
      intros o [<-|Ho]; [exact (new_channel _ _ _ Hy H2 Ht)|].
      destruct (lowest_exists mesh _ (snd s) (dim (fst t)) (proj1 (proj2 Ht)) (nearer_ne _ _ _ (proj1 (proj2 (proj2 Ht))))) as [i Hlow].
      exact (old_channel _ _ _ o i Hy H2 Ht Hlow (H4 o Ho)).
    - destruct IH as (H1 & H2 & H3 & H4); split; [exact H1 | split; [exact H2 | split; [exact H3|]]].
      intros o Ho; apply H4, in_or_app; auto.
  Qed.

  Theorem duato_escapes : escapes duato duato_rank.
  Proof.
    intros l s a Hw [h Hh].
    destruct (worm_site duato l s a Hw) as [_ Ha]; cbn in Ha; rewrite Ha in *.
    destruct h as [|t]; [left; exact Hh | right].
    destruct Hh as [_ (Et & Hi & Hn & _)]; cbn in Et.
    destruct (worm_outranks _ _ _ Hw) as (H1 & H2 & H3 & H4).
    destruct (lowest_exists mesh _ _ _ Hi (nearer_ne _ _ _ Hn)) as [i (Hin & Hni & Hbelow)].
    assert (G : exists u, nearer u (head mesh (fst s) i) (snd s i)).
    { destruct (Z_lt_le_dec (head mesh (fst s) i) (snd s i)); [exists true | exists false]; unfold nearer; lia. }
    destruct G as [u Hu].
    exists ({| tail := head mesh (fst s); dim := i; up := u; vc := 0%nat |}, snd s); split.
    - split; [reflexivity|]; split; [reflexivity | split; [exact Hin | split; [exact Hu | right]]].
      split; [reflexivity | exact (conj Hin (conj Hni Hbelow))].
    - intros c Hc; exact (H4 c Hc i u (conj Hin (conj Hni Hbelow)) Hu).
  Qed.

  Theorem duato_never_stuck : never_stuck duato.
  Proof. exact (escapes_never_stuck duato duato_rank duato_escapes). Qed.
End Duato.
