(* CCCB with two VCs, on which RWC-1's network deadlocks for every n >= 3 (Yokota et al. have three VCs).

   The network is that of CCCB.v, but a packet that passes the border between n-1 and 0 for the second time stays on VC 1.
   Words of n bits are lists here.
   Proved: whatever the channels hold, a reachable state has the n channels of VC 1 along the ring y = z = 0 full of packets
   that wait for each other, and the first of each is stuck for good ([two_vcs_deadlock]). The packet in the channel from x
   to x+1 is for x+2. It comes from n-1 with bit x of z wrong, and corrects it at x.
   Assumed: packets move as a whole, by the step of Step.v. With n = 2 the ring is too short for these packets; there
   unknot check finds another deadlock. *)
Require Import List Arith Lia Bool Packets Step Stuck Filled.
Import ListNotations.

Section CCCBTwo.
  Variable n : nat.
  Hypothesis n3 : 3 <= n.

  Record node := { px : nat; py : list bool; pz : list bool }.
  Definition bit (w : list bool) (x : nat) := nth x w false.
  Fixpoint flip (w : list bool) (x : nat) : list bool :=
    match w, x with [], _ => [] | b :: w, O => negb b :: w | b :: w, S x => b :: flip w x end.
  Inductive kind := Ccc | Cross | Parallel.              (* corrects z, corrects y on a step, steps *)
  Record link := { tail : node; by_kind : kind; vc : nat }.
  Definition onward (x : nat) : nat := if S x =? n then 0 else S x.
  Definition head (c : link) : node := match by_kind c with
    | Ccc => {| px := px (tail c); py := py (tail c); pz := flip (pz (tail c)) (px (tail c)) |}
    | Cross => {| px := onward (px (tail c)); py := flip (py (tail c)) (px (tail c)); pz := pz (tail c) |}
    | Parallel => {| px := onward (px (tail c)); py := py (tail c); pz := pz (tail c) |} end.

  Definition at_home (p d : node) := px p = px d /\ forall b, b < n -> bit (py p) b = bit (py d) b /\ bit (pz p) b = bit (pz d) b.
  (* The hop of a packet for d at p, on VC v. *)
  Definition route (p : node) (v : nat) (d : node) (c : link) :=
    tail c = p /\ ~ at_home p d /\
    (by_kind c = Ccc /\ bit (pz p) (px p) <> bit (pz d) (px p) /\ vc c = v \/
     by_kind c <> Ccc /\ bit (pz p) (px p) = bit (pz d) (px p) /\ vc c = (if S (px p) =? n then Nat.min (S v) 1 else v) /\
     (by_kind c = Cross /\ bit (py p) (px p) <> bit (py d) (px p) \/ by_kind c = Parallel /\ bit (py p) (px p) = bit (py d) (px p))).

  Definition cccb : network := {|
    channel := link;
    site := link * node;
    at_ := fst;
    alternative := fun s a => a = (fun h => match h with
      | Leave => at_home (head (fst s)) (snd s)
      | Go t => snd t = snd s /\ route (head (fst s)) (vc (fst s)) (snd s) (fst t) end);
    injected := fun s => px (tail (fst s)) < n /\ px (snd s) < n /\ route (tail (fst s)) 0 (snd s) (fst s) |}.

  Definition same (c d : channel cccb) : {c = d} + {c <> d}.
  Proof. repeat decide equality. Defined.

  Definition zeros := repeat false n.
  Lemma bit_zeros : forall x, bit zeros x = false.
  Proof. intro x; unfold bit, zeros; generalize n; revert x; induction x as [|x IH]; intros [|m]; cbn; auto. Qed.
  Lemma flip_twice : forall w x, flip (flip w x) x = w.
  Proof. induction w as [|b w IH]; intros [|x]; cbn; [reflexivity | reflexivity | rewrite negb_involutive; reflexivity | rewrite IH; reflexivity]. Qed.
  Lemma flip_other : forall w x b, b <> x -> bit (flip w x) b = bit w b.
  Proof. unfold bit; induction w as [|a w IH]; intros [|x] [|b] H; cbn; auto; try lia; apply IH; lia. Qed.
  Lemma flip_same : forall w x, x < length w -> bit (flip w x) x = negb (bit w x).
  Proof. unfold bit; induction w as [|a w IH]; intros [|x] H; cbn in *; try lia; try reflexivity; apply IH; lia. Qed.
  Lemma flipped : forall x, x < n -> bit (flip zeros x) x = true.
  Proof. intros x H; rewrite flip_same by (unfold zeros; rewrite repeat_length; exact H); rewrite bit_zeros; reflexivity. Qed.

  Arguments bit : simpl never.
  Arguments flip : simpl never.
  Arguments Nat.eqb : simpl never.

  Definition ring (x : nat) : link := {| tail := {| px := x; py := zeros; pz := zeros |}; by_kind := Parallel; vc := 1 |}.
  Definition goal (x : nat) : node := {| px := x; py := zeros; pz := zeros |}.
  Definition full : list (channel cccb) := map ring (seq 0 n).
  Definition waiting (c : channel cccb) : site cccb := (c, goal (onward (onward (px (tail c))))).
  Definition next_hops (c : channel cccb) : hop (site cccb) -> Prop := fun h => match h with
    | Leave => at_home (head c) (snd (waiting c))
    | Go t => snd t = snd (waiting c) /\ route (head c) (vc c) (snd (waiting c)) (fst t) end.

  Lemma onward_in : forall x, x < n -> onward x < n.
  Proof. intros x H; unfold onward; destruct (Nat.eqb_spec (S x) n); lia. Qed.
  Lemma onward_less : forall x, S x < n -> onward x = S x.
  Proof. intros x H; unfold onward; destruct (Nat.eqb_spec (S x) n); lia. Qed.
  Lemma onward_other : forall x, x < n -> onward x <> x.
  Proof. intros x H; unfold onward; destruct (Nat.eqb_spec (S x) n); lia. Qed.
  Lemma twice_other : forall x, x < n -> onward (onward x) <> x.
  Proof.
    intros x H; unfold onward; destruct (Nat.eqb_spec (S x) n) as [E|E].
    - destruct (Nat.eqb_spec 1 n); lia.
    - destruct (Nat.eqb_spec (S (S x)) n); lia.
  Qed.

  Section Places.
    Variable capacity : channel cccb -> nat.
    Hypothesis places : forall c, 1 <= capacity c.
    Notation room := (fun _ _ : site cccb => 1).
    Notation entry := (fun (_ : site cccb) e => e = 1).
    Notation way := (way cccb room entry full).

    (* The way to the channel from x to x+1, where x is not n-1: with bit x of z wrong from n-1 to x, which corrects it. *)
    Definition astray (x j : nat) : link := {| tail := {| px := j; py := zeros; pz := flip zeros x |}; by_kind := Parallel; vc := 1 |}.
    Definition corrected (x : nat) : link := {| tail := {| px := x; py := zeros; pz := flip zeros x |}; by_kind := Ccc; vc := 1 |}.

    Lemma not_home : forall x p d, x < n -> pz p = flip zeros x -> pz d = zeros -> ~ at_home p d.
    Proof.
      intros x p d Hx Ep Ed [_ H]; destruct (H x Hx) as [_ E]; rewrite Ep, Ed, (flipped x Hx), bit_zeros in E; discriminate.
    Qed.
    Lemma astray_outside : forall x j, x < n -> ~ In (astray x j) full.
    Proof.
      intros x j Hx H; apply in_map_iff in H; destruct H as (i & E & _); injection E as _ E.
      pose proof (flipped x Hx) as F; rewrite <- E, bit_zeros in F; discriminate.
    Qed.

    Lemma way_astray : forall x d, S x < n -> d < n -> way (astray x (n - 1), goal d).
    Proof.
      intros x d Hx Hd; apply way_first; [|reflexivity]; cbn; split; [lia | split; [exact Hd | split; [reflexivity|]]].
      split; [apply (not_home x); [lia | reflexivity | reflexivity]|]; right; cbn.
      split; [discriminate | split; [rewrite flip_other by lia; reflexivity|]].
      split; [destruct (Nat.eqb_spec (S (n - 1)) n); [reflexivity | lia] | right; auto].
    Qed.

    Lemma way_on : forall x d j, S x < n -> d < n -> j < x -> way (astray x j, goal d).
    Proof.
      intros x d j Hx Hd; induction j as [|j IH]; intro Hj.
      - eapply (way_next cccb room entry full (astray x (n - 1), goal d) _ _ (way_astray x d Hx Hd));
          [apply astray_outside; lia | reflexivity | | reflexivity | cbn; intro E; injection E; lia].
        cbn; split; [reflexivity|]; unfold route, head; cbn.
        replace (onward (n - 1)) with 0 by (unfold onward; destruct (Nat.eqb_spec (S (n - 1)) n); lia).
        split; [reflexivity | split; [apply (not_home x); [lia | reflexivity | reflexivity]|]]; right.
        split; [discriminate | split; [rewrite flip_other by lia; reflexivity|]].
        split; [destruct (Nat.eqb_spec 1 n); lia | right; auto].
      - eapply (way_next cccb room entry full (astray x j, goal d) _ _ (IH ltac:(lia)));
          [apply astray_outside; lia | reflexivity | | reflexivity | cbn; intro E; injection E; lia].
        cbn; split; [reflexivity|]; unfold route, head; cbn; rewrite (onward_less j) by lia.
        split; [reflexivity | split; [apply (not_home x); [lia | reflexivity | reflexivity]|]]; right.
        split; [discriminate | split; [rewrite flip_other by lia; reflexivity|]].
        split; [destruct (Nat.eqb_spec (S (S j)) n); reflexivity | right; auto].
    Qed.

    Lemma way_corrected : forall x d, S x < n -> d < n -> way (corrected x, goal d).
    Proof.
      intros x d Hx Hd.
      assert (G : forall j, way (astray x j, goal d) -> onward j = x -> way (corrected x, goal d)).
      { intros j H E; eapply (way_next cccb room entry full (astray x j, goal d) _ _ H);
          [apply astray_outside; lia | reflexivity | | reflexivity | discriminate].
        cbn; split; [reflexivity|]; unfold route, head; cbn; rewrite E; split; [reflexivity|].
        split; [apply (not_home x); [lia | reflexivity | reflexivity]|]; left; split; [reflexivity | split; [|reflexivity]].
        rewrite (flipped x) by lia; rewrite bit_zeros; discriminate. }
      destruct x as [|x].
      - apply (G (n - 1) (way_astray 0 d Hx Hd)); unfold onward; destruct (Nat.eqb_spec (S (n - 1)) n); lia.
      - apply (G x); [apply way_on; lia | apply onward_less; lia].
    Qed.

    Lemma way_ring : forall x, x < n -> way (waiting (ring x)).
    Proof.
      intros x Hx; pose proof (onward_in _ (onward_in x Hx)) as Hd.
      assert (Hn : ~ at_home (goal x) (goal (onward (onward x)))).
      { intros [E _]; cbn in E; exact (twice_other x Hx (eq_sym E)). }
      destruct (Nat.eq_dec (S x) n) as [E|E].
      - apply way_first; [|reflexivity]; cbn; split; [exact Hx | split; [exact Hd | split; [reflexivity | split; [exact Hn|]]]]; right; cbn.
        split; [discriminate | split; [reflexivity | split; [destruct (Nat.eqb_spec (S x) n); [reflexivity | contradiction] | right; auto]]].
      - eapply (way_next cccb room entry full (corrected x, goal (onward (onward x))) _ _ (way_corrected x _ ltac:(lia) Hd));
          [| reflexivity | | reflexivity | discriminate].
        + intro H; apply in_map_iff in H; destruct H as (i & F & _); discriminate.
        + cbn; split; [reflexivity|]; unfold route, head; cbn; rewrite flip_twice.
          split; [reflexivity | split; [exact Hn | right]].
          split; [discriminate | split; [reflexivity | split; [destruct (Nat.eqb_spec (S x) n); [contradiction | reflexivity] | right; auto]]].
    Qed.

    Theorem two_vcs_deadlock : exists st, reachable cccb same capacity room entry st /\
      forall x, x < n -> exists p, stuck_for_good cccb same capacity room entry st (ring x) p.
    Proof.
      destruct (filled_stuck cccb same capacity room entry places full waiting next_hops) as (st & H & S).
      - intros c Hc; apply in_map_iff in Hc; destruct Hc as (x & <- & Hx); apply in_seq in Hx.
        split; [reflexivity | split; [apply way_ring; lia | reflexivity]].
      - intros c Hc; apply in_map_iff in Hc; destruct Hc as (x & <- & Hx); apply in_seq in Hx.
        assert (Hx' : x < n) by lia; pose proof (onward_in x Hx') as Hy.
        assert (Hn : ~ at_home (goal (onward x)) (goal (onward (onward x)))).
        { intros [E _]; cbn in E; exact (onward_other _ Hy (eq_sym E)). }
        split; [|split].
        + exists (Go (ring (onward x), goal (onward (onward x)))); split; [reflexivity | split; [reflexivity | split; [exact Hn | right]]]; cbn.
          split; [discriminate | split; [reflexivity | split; [destruct (_ =? n); reflexivity | right; auto]]].
        + exact Hn.
        + intros [[p k v] d] [_ (E & _ & [(_ & Hz & _) | (_ & _ & Hv & [(_ & Hc) | (Hk & _)])])]; cbn in *; try contradiction.
          split; [|apply le_n]; subst; apply in_map_iff; exists (onward x); split; [|apply in_seq; lia].
          unfold ring, head; cbn; destruct (_ =? n); reflexivity.
      - exists st; split; [exact H|]; intros x Hx; eexists; apply S, in_map, in_seq; lia.
    Qed.
  End Places.
End CCCBTwo.
