(* CCCB with spiral buffers, the network of RWC-1 (Yokota et al.), for every length n of its rings.

   Node (x,y,z) has a position x below n, and words y and z of n bits. At x a packet first corrects bit x of z, without
   leaving x, on the VC that it is on. Then it steps to x+1, and corrects bit x of y on the way; the step from n-1 to 0 has
   the next higher VC.
   Proved: no packet needs a fourth VC ([cccb_three_vcs]), and packets of whatever length never wait for each other
   ([cccb_never_stuck]), as every hop lowers the rank of the channel ([cccb_lowered]); so none moves for ever (Measures.v: lowered_measured).
   Assumed: this order of corrections, which the paper does not give; sinks drain. Not proved here: that packets arrive. *)
Require Import List Arith Lia Bool Packets Wormhole.

Section CCCB.
  Variable n : nat.

  Record node := { px : nat; py : nat -> bool; pz : nat -> bool }.
  Definition flip (w : nat -> bool) (x : nat) : nat -> bool := fun b => if b =? x then negb (w b) else w b.
  Inductive kind := Ccc | Cross | Parallel.              (* corrects z, corrects y on a step, steps *)
  Record link := { tail : node; by_kind : kind; vc : nat }.
  Definition onward (x : nat) : nat := if S x =? n then 0 else S x.
  Definition head (c : link) : node := match by_kind c with
    | Ccc => {| px := px (tail c); py := py (tail c); pz := flip (pz (tail c)) (px (tail c)) |}
    | Cross => {| px := onward (px (tail c)); py := flip (py (tail c)) (px (tail c)); pz := pz (tail c) |}
    | Parallel => {| px := onward (px (tail c)); py := py (tail c); pz := pz (tail c) |} end.

  Definition at_home (p d : node) := px p = px d /\ forall b, b < n -> py p b = py d b /\ pz p b = pz d b.
  (* The hop of a packet for d at p, on VC v. *)
  Definition route (p : node) (v : nat) (d : node) (c : link) :=
    tail c = p /\ ~ at_home p d /\
    (by_kind c = Ccc /\ pz p (px p) <> pz d (px p) /\ vc c = v \/
     by_kind c <> Ccc /\ pz p (px p) = pz d (px p) /\ vc c = (if S (px p) =? n then S v else v) /\
     (by_kind c = Cross /\ py p (px p) <> py d (px p) \/ by_kind c = Parallel /\ py p (px p) = py d (px p))).

  Definition cccb : network := {|
    channel := link;
    site := link * node;
    at_ := fst;
    alternative := fun s a => a = (fun h => match h with
      | Leave => at_home (head (fst s)) (snd s)
      | Go t => snd t = snd s /\ route (head (fst s)) (vc (fst s)) (snd s) (fst t) end);
    injected := fun s => px (tail (fst s)) < n /\ px (snd s) < n /\ route (tail (fst s)) 0 (snd s) (fst s) |}.

  (* A packet that began at x0 has taken s steps. The bits of the positions that it has left by a step are right. *)
  Definition right (x0 s : nat) (p d : node) :=
    forall b, b < n -> x0 <= b < x0 + s \/ b + n < x0 + s -> py p b = py d b /\ pz p b = pz d b.
  Definition under_way (p : node) (v : nat) (d : node) :=
    px p < n /\ px d < n /\
    exists x0 s, x0 < n /\ px p + n * v = x0 + s /\
      s <= n + (if x0 <=? px d then px d - x0 else px d + n - x0) /\ right x0 s p d.

  Lemma vc_bound : forall p v d, under_way p v d -> v <= 2.
  Proof.
    intros p v d (Hp & Hd & x0 & s & Hx & E & Hs & _).
    destruct (Nat.leb_spec x0 (px d)); destruct v as [|[|[|v]]]; try lia; exfalso; nia.
  Qed.

  Lemma flip_same : forall w x, flip w x x = negb (w x).
  Proof. intros w x; unfold flip; rewrite Nat.eqb_refl; reflexivity. Qed.
  Lemma flip_other : forall w x b, b <> x -> flip w x b = w b.
  Proof. intros w x b H; unfold flip; destruct (Nat.eqb_spec b x); [contradiction | reflexivity]. Qed.
  Lemma negb_right : forall a b, a <> b -> negb a = b.
  Proof. intros [|] [|]; cbn; congruence. Qed.

  (* After a whole round all bits are right. *)
  Lemma round_home : forall p v d x0 s, px p < n -> px d < n -> x0 < n -> px p + n * v = x0 + s ->
    s = n + (if x0 <=? px d then px d - x0 else px d + n - x0) -> right x0 s p d -> at_home p d.
  Proof.
    intros p v d x0 s Hp Hd Hx E Hs Hr; split.
    - destruct (Nat.leb_spec x0 (px d)); destruct v as [|[|[|v]]]; try lia; exfalso; nia.
    - intros b Hb; apply Hr; [exact Hb|]; destruct (le_lt_dec x0 b); [left | right]; lia.
  Qed.

  Lemma step_position : forall p v d x0 s, px p < n -> px d < n -> x0 < n -> px p + n * v = x0 + s ->
    s <= n + (if x0 <=? px d then px d - x0 else px d + n - x0) -> right x0 s p d -> ~ at_home p d ->
    S s <= n + (if x0 <=? px d then px d - x0 else px d + n - x0).
  Proof.
    intros p v d x0 s Hp Hd Hx E Hs Hr Hn.
    destruct (Nat.eq_dec s (n + (if x0 <=? px d then px d - x0 else px d + n - x0))) as [Es|]; [|lia].
    exfalso; exact (Hn (round_home p v d x0 s Hp Hd Hx E Es Hr)).
  Qed.

  (* A bit that a step settles is that of the position it leaves. *)
  Lemma newly : forall p v x0 s b, v <= 2 -> px p < n -> b < n -> px p + n * v = x0 + s ->
    x0 <= b < x0 + S s \/ b + n < x0 + S s -> b = px p \/ x0 <= b < x0 + s \/ b + n < x0 + s.
  Proof. intros p v x0 s b Hv Hp Hb E H; destruct v as [|[|[|v]]]; lia. Qed.

  Lemma route_under_way : forall p v d c, under_way p v d -> route p v d c ->
    under_way (head c) (vc c) d /\ (by_kind c = Ccc -> pz (head c) (px (head c)) = pz d (px (head c))).
  Proof.
    intros p v d c H (Et & Hhome & Hk); pose proof (vc_bound p v d H) as Hv.
    destruct H as (Hp & Hd & x0 & s & Hx & E & Hs & Hr).
    destruct Hk as [(Ek & Hz & Ev) | (Ek & Hz & Ev & Hy)]; unfold head; rewrite Et.
    - rewrite Ek, Ev; split; [|intros _; cbn; rewrite flip_same; exact (negb_right _ _ Hz)].
      split; [exact Hp | split; [exact Hd|]]; exists x0, s; repeat split; auto; cbn.
      + exact (proj1 (Hr b H H0)).
      + destruct (Hr b H H0) as [_ Hb]; destruct (Nat.eq_dec b (px p)) as [->|Hne]; [contradiction | rewrite (flip_other _ _ _ Hne); exact Hb].
    - pose proof (step_position p v d x0 s Hp Hd Hx E Hs Hr Hhome) as Hs'.
      split; [|congruence].
      assert (G : forall q, px q = onward (px p) -> pz q = pz p ->
                py q (px p) = py d (px p) -> (forall b, b <> px p -> py q b = py p b) -> under_way q (vc c) d).
      { intros q Q1 Q2 Q3 Q4; assert (Hq : px q < n) by (rewrite Q1; unfold onward; destruct (Nat.eqb_spec (S (px p)) n); lia).
        split; [exact Hq | split; [exact Hd|]]; exists x0, (S s); split; [exact Hx|]; split.
        - rewrite Q1, Ev; unfold onward; destruct (Nat.eqb_spec (S (px p)) n); nia.
        - split; [exact Hs'|]; intros b Hb Hdone.
          destruct (newly p v x0 s b Hv Hp Hb E Hdone) as [-> | Hold].
          + rewrite Q2; split; [exact Q3 | exact Hz].
          + destruct (Hr b Hb Hold) as [R1 R2]; rewrite Q2; split; [|exact R2].
            destruct (Nat.eq_dec b (px p)) as [->|Hne]; [exact Q3 | rewrite (Q4 b Hne); exact R1]. }
      destruct Hy as [(Ec & Hy) | (Ec & Hy)]; rewrite Ec; apply G; cbn; auto.
      + rewrite flip_same; exact (negb_right _ _ Hy).
      + intros b Hb; exact (flip_other _ _ _ Hb).
  Qed.

  Definition place (c : link) (d : node) :=
    px (tail c) < n /\ under_way (head c) (vc c) d /\ (by_kind c = Ccc -> pz (head c) (px (head c)) = pz d (px (head c))) /\
    (by_kind c <> Ccc -> S (px (tail c)) = n -> 1 <= vc c).

  Lemma route_place : forall p v d c, under_way p v d -> route p v d c -> place c d.
  Proof.
    intros p v d c H Hr; destruct (route_under_way p v d c H Hr) as [H1 H2].
    pose proof (proj1 H) as Hp; destruct Hr as (Et & _ & Hk); split; [rewrite Et; exact Hp | split; [exact H1 | split; [exact H2|]]].
    intros Hc E; rewrite Et in E; destruct Hk as [(Ek & _) | (_ & _ & Ev & _)]; [contradiction|].
    rewrite Ev; destruct (Nat.eqb_spec (S (px p)) n); [lia | contradiction].
  Qed.

  Lemma cccb_sites : forall s, reached cccb s -> place (fst s) (snd s).
  Proof.
    intros s H; induction H as [s (Hp & Hd & Hr) | s a t _ IH -> (E & Hr)].
    - apply (route_place (tail (fst s)) 0 (snd s) (fst s)); [|exact Hr].
      split; [exact Hp | split; [exact Hd|]]; exists (px (tail (fst s))), 0; split; [exact Hp | split; [lia | split; [lia|]]].
      intros b Hb Hdone; lia.
    - rewrite E; exact (route_place _ _ _ _ (proj1 (proj2 IH)) Hr).
  Qed.

  Theorem cccb_three_vcs : forall s, reached cccb s -> vc (fst s) <= 2.
  Proof. intros s H; exact (vc_bound _ _ _ (proj1 (proj2 (cccb_sites s H)))). Qed.

  (* Rounds left, positions left in the round, a correction before the step. *)
  Definition round (c : link) := match by_kind c with Ccc => vc c | _ => if S (px (tail c)) =? n then vc c - 1 else vc c end.
  Definition cccb_rank (c : link) :=
    ((2 - round c) * n + (n - 1 - px (tail c))) * 2 + match by_kind c with Ccc => 1 | _ => 0 end.

  Lemma rank_lower : forall r x k r' x' k', r' <= 2 -> x < n -> x' < n -> k <= 1 -> k' <= 1 ->
    r < r' \/ r = r' /\ (x < x' \/ x = x' /\ k' < k) ->
    ((2 - r') * n + (n - 1 - x')) * 2 + k' < ((2 - r) * n + (n - 1 - x)) * 2 + k.
  Proof. intros r x k r' x' k' H1 H2 H3 H4 H5 [H | [-> H]]; [|nia]; assert (2 - r' + 1 <= 2 - r) by lia; nia. Qed.

  Theorem cccb_lowered : lowered cccb cccb_rank.
  Proof.
    intros s a t Hs -> (E & Hr).
    destruct (cccb_sites s Hs) as (Hx & Hu & Hccc & Hborder).
    pose proof (vc_bound _ _ _ Hu) as Hv.
    destruct (route_place _ _ _ _ Hu Hr) as (_ & Hu' & _ & _); pose proof (vc_bound _ _ _ Hu') as Hv'.
    pose proof (proj1 Hu) as Hhx; destruct Hr as (Et & _ & Hk).
    unfold cccb_rank, round; cbn [at_ cccb]; rewrite Et.
    apply rank_lower; [destruct (by_kind (fst t)); try destruct (_ =? _); lia | exact Hx | exact Hhx
      | destruct (by_kind (fst s)); lia | destruct (by_kind (fst t)); lia |].
    destruct (by_kind (fst s)) eqn:K; unfold head in *; rewrite K in *; cbn [px py pz] in *; unfold onward in *.
    - (* after a correction of z a step follows *)
      specialize (Hccc eq_refl); destruct Hk as [(_ & Hz & _) | (Ek & _ & Ev & _)]; [contradiction|].
      destruct (by_kind (fst t)); [contradiction | |]; rewrite Ev in *; destruct (Nat.eqb_spec (S (px (tail (fst s)))) n); lia.
    - assert (Hb : S (px (tail (fst s))) = n -> 1 <= vc (fst s)) by (apply Hborder; discriminate).
      destruct (Nat.eqb_spec (S (px (tail (fst s)))) n) as [B|B]; [specialize (Hb B)|];
        destruct Hk as [(Ek & _ & Ev) | (Ek & _ & Ev & _)]; destruct (by_kind (fst t)); try discriminate; try contradiction;
        rewrite Ev in *; repeat match goal with
        | |- context [?a =? n] => destruct (Nat.eqb_spec a n)
        end; lia.
    - assert (Hb : S (px (tail (fst s))) = n -> 1 <= vc (fst s)) by (apply Hborder; discriminate).
      destruct (Nat.eqb_spec (S (px (tail (fst s)))) n) as [B|B]; [specialize (Hb B)|];
        destruct Hk as [(Ek & _ & Ev) | (Ek & _ & Ev & _)]; destruct (by_kind (fst t)); try discriminate; try contradiction;
        rewrite Ev in *; repeat match goal with
        | |- context [?a =? n] => destruct (Nat.eqb_spec a n)
        end; lia.
  Qed.

  Theorem cccb_never_stuck : never_stuck cccb.
  Proof. exact (lowered_never_stuck cccb cccb_rank cccb_lowered). Qed.
End CCCB.
