(* The turn models of plane meshes: west-first, north-last, negative-first (Glass and Ni, 1992) and odd-even (Chiu, 2000).

   Proved, for meshes of every size, also of unequal sides: packets of whatever length never wait for each other
   ([west_first_never_stuck] and so on), as every hop without a forbidden turn lowers the rank of the channel; so none moves
   for ever. [turns_never_stuck] is the form that they share: any relation whose turns are permitted.
   Assumed: no packet turns back on the spot, as none does on a shortest way; sinks drain. Not proved here: that packets
   arrive, or that every pair has a path without a forbidden turn. *)
Require Import List Arith ZArith Lia Bool Packets Wormhole.
Open Scope Z_scope.

Inductive way := East | West | North | South.
Record chan := { cx : Z; cy : Z; dir : way }.            (* of the node that the channel leaves *)
Definition hx (c : chan) := match dir c with East => cx c + 1 | West => cx c - 1 | _ => cx c end.
Definition hy (c : chan) := match dir c with North => cy c + 1 | South => cy c - 1 | _ => cy c end.

Section Turns.
  Variables w h : Z.                                     (* columns and rows *)
  Definition inside (c : chan) := 0 <= cx c < w /\ 0 <= cy c < h /\ 0 <= hx c < w /\ 0 <= hy c < h.
  Variable permitted : way -> way -> Z -> Prop.          (* turns from one direction to another, in a column *)
  Definition follows (c c' : chan) :=
    cx c' = hx c /\ cy c' = hy c /\ inside c' /\ (dir c = dir c' \/ permitted (dir c) (dir c') (cx c')).

  (* Any relation that takes no other turns. *)
  Variable destination : Type.
  Variable home : chan -> destination -> Prop.
  Variable first : destination -> chan -> Prop.
  Variable next : destination -> chan -> chan -> Prop.
  Hypothesis first_inside : forall d c, first d c -> inside c.
  Hypothesis next_follows : forall d c c', next d c c' -> follows c c'.

  Definition turns : network := {|
    channel := chan;
    site := chan * destination;
    at_ := fst;
    alternative := fun s a => a = (fun g => match g with
      | Leave => home (fst s) (snd s)
      | Go t => snd t = snd s /\ next (snd s) (fst s) (fst t) end);
    injected := fun s => first (snd s) (fst s) |}.

  Lemma turns_inside : forall s, reached turns s -> inside (fst s).
  Proof.
    intros s H; destruct H as [s H | s a t _ -> (E & H)]; [exact (first_inside _ _ H)|].
    exact (proj1 (proj2 (proj2 (next_follows _ _ _ H)))).
  Qed.

  Lemma turns_lowered : forall rank : chan -> nat,
    (forall c c', inside c -> follows c c' -> (rank c' < rank c)%nat) -> lowered turns rank.
  Proof.
    intros rank H s a t Hs -> (_ & Hn); exact (H _ _ (turns_inside s Hs) (next_follows _ _ _ Hn)).
  Qed.

  Theorem turns_never_stuck : forall rank : chan -> nat,
    (forall c c', inside c -> follows c c' -> (rank c' < rank c)%nat) -> never_stuck turns.
  Proof. intros rank H; exact (lowered_never_stuck turns rank (turns_lowered rank H)). Qed.

  Definition side (a b : way) := match a, b with
    | East, East | East, West | West, East | West, West | North, North | North, South | South, North | South, South => False
    | _, _ => True end.

  (* A number for (high, column or row left, across, along): mixed radix, as the columns and rows are bounded. *)
  Definition mixed (m a b c : Z) := Z.to_nat ((a * 2 + b) * m + c).
  Lemma mixed_lower : forall m a b c a' b' c', 0 <= c < m -> 0 <= c' < m -> 0 <= a -> 0 <= a' -> 0 <= b <= 1 -> 0 <= b' <= 1 ->
    a' < a \/ a' = a /\ (b' < b \/ b' = b /\ c' < c) -> (mixed m a' b' c' < mixed m a b c)%nat.
  Proof. intros m a b c a' b' c' Hc Hc' Ha Ha' Hb Hb' H; unfold mixed; apply Z2Nat.inj_lt; nia. Qed.
End Turns.

Section Models.
  Variables w h : Z.
  Definition along (c : chan) := match dir c with North => h - cy c | South => cy c + 1 | _ => 0 end.
  Definition beside (c : chan) := match dir c with East => w - cx c | West => cx c + 1 | _ => 0 end.
  Definition vertical (c : chan) := match dir c with North | South => 1 | _ => 0 end.

  (* No turn to west. *)
  Definition west_first (a b : way) (x : Z) := side a b /\ b <> West.
  Definition west_first_rank (c : chan) :=
    mixed (h + 1) (match dir c with West => w + cx c | _ => w - 1 - cx c end) (vertical c) (along c).

  (* No turn from north. *)
  Definition north_last (a b : way) (x : Z) := side a b /\ a <> North.
  Definition north_last_rank (c : chan) :=
    mixed (w + 1) (match dir c with North => h - 1 - cy c | _ => h + cy c end) (1 - vertical c) (beside c).

  (* No turn from east or north to west or south. *)
  Definition negative_first (a b : way) (x : Z) := side a b /\ ~ ((a = East \/ a = North) /\ (b = West \/ b = South)).
  Definition negative_first_rank (c : chan) :=
    Z.to_nat (match dir c with East | North => w + h - cx c - cy c | _ => w + h + cx c + cy c end).

  (* In even columns no turn from east, in odd columns none to west. *)
  Definition odd_even (a b : way) (x : Z) := side a b /\ ~ (Z.even x = true /\ a = East) /\ ~ (Z.even x = false /\ b = West).
  Definition odd_even_rank (c : chan) :=
    mixed (h + 1) (match dir c with
                   | West => w + cx c
                   | East => w - 1 - cx c
                   | _ => if Z.even (cx c) then w + cx c else w - 1 - cx c end) (vertical c) (along c).

  Ltac models := intros [x y d] [x' y' d'] (H1 & H2 & H3 & H4) (E1 & E2 & (H5 & H6 & H7 & H8) & H);
    unfold hx, hy in *; cbn [cx cy dir] in *; subst.
  Ltac turn := match goal with
    | H : _ = _ \/ _ |- _ => destruct H as [H | H]; [try discriminate H | unfold west_first, north_last, negative_first, odd_even, side in H]
    end.

  Lemma west_first_lower : forall c c', inside w h c -> follows w h west_first c c' -> (west_first_rank c' < west_first_rank c)%nat.
  Proof.
    models; destruct d, d'; turn; try (exfalso; tauto);
      unfold west_first_rank, vertical, along; cbn [cx cy dir]; apply mixed_lower; lia.
  Qed.
  Lemma north_last_lower : forall c c', inside w h c -> follows w h north_last c c' -> (north_last_rank c' < north_last_rank c)%nat.
  Proof.
    models; destruct d, d'; turn; try (exfalso; tauto);
      unfold north_last_rank, vertical, beside; cbn [cx cy dir]; apply mixed_lower; lia.
  Qed.
  Lemma negative_first_lower : forall c c', inside w h c -> follows w h negative_first c c' ->
    (negative_first_rank c' < negative_first_rank c)%nat.
  Proof.
    models; destruct d, d'; turn; try (exfalso; tauto);
      unfold negative_first_rank; cbn [cx cy dir]; apply Z2Nat.inj_lt; lia.
  Qed.
  Lemma odd_even_lower : forall c c', inside w h c -> follows w h odd_even c c' -> (odd_even_rank c' < odd_even_rank c)%nat.
  Proof.
    models; destruct d, d'; turn; try (exfalso; tauto);
      unfold odd_even_rank, vertical, along; cbn [cx cy dir];
      repeat match goal with
      | |- context [Z.even ?a] => let E := fresh "P" in destruct (Z.even a) eqn:E
      end; try (exfalso; tauto); try congruence; apply mixed_lower; try lia.
  Qed.

  Section Networks.
    Variable destination : Type.
    Variable home : chan -> destination -> Prop.
    Variable first : destination -> chan -> Prop.
    Variable next : destination -> chan -> chan -> Prop.
    Hypothesis first_inside : forall d c, first d c -> inside w h c.

    Theorem west_first_never_stuck : (forall d c c', next d c c' -> follows w h west_first c c') ->
      never_stuck (turns destination home first next).
    Proof. intro H; exact (turns_never_stuck w h _ _ home first next first_inside H _ west_first_lower). Qed.
    Theorem north_last_never_stuck : (forall d c c', next d c c' -> follows w h north_last c c') ->
      never_stuck (turns destination home first next).
    Proof. intro H; exact (turns_never_stuck w h _ _ home first next first_inside H _ north_last_lower). Qed.
    Theorem negative_first_never_stuck : (forall d c c', next d c c' -> follows w h negative_first c c') ->
      never_stuck (turns destination home first next).
    Proof. intro H; exact (turns_never_stuck w h _ _ home first next first_inside H _ negative_first_lower). Qed.
    Theorem odd_even_never_stuck : (forall d c c', next d c c' -> follows w h odd_even c c') ->
      never_stuck (turns destination home first next).
    Proof. intro H; exact (turns_never_stuck w h _ _ home first next first_inside H _ odd_even_lower). Qed.
  End Networks.
End Models.
