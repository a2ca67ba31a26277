(* P3, the processing power plane of the Multi-PSI/V2 (Takeda, Nakashima, Masuda and Taki): a packet for a point of a plane
   that is divided among PEs goes from region to region, over edges that only the region's own corners determine.

   The paper's rule: if the target lies in the strip perpendicular to an edge (zone A), cross this edge; if it lies in the
   wedge at a corner (zone B), either of the two edges there. With *either* an arbitrary choice it may go back and forth for
   ever ([either_goes_back]). The rule here crosses, of these edges, one beyond whose line the target lies.
   Proved, for every plane of convex regions that is convex itself, for all targets with rational coordinates, whichever of
   those edges the Path Table of a channel names: no packet moves for ever ([plane_no_livelock]); a region that does not hold
   the target has such an edge ([every_target_in_a_zone]), so every packet arrives, within as many hops as there are edges at
   most ([plane_arrives]), where its target lies ([plane_leaves_right]); and the distance between region and target never
   grows ([plane_never_farther]). The measure of a PE is the greatest pair of an edge that it may cross: the squared distance
   from the target to the edge, and the squared cotangent of the angle at which the edge is seen there. A hop lowers the
   pair: the next region has the edge, too, so the distance is at most the same, and if it is, the packet goes round one
   corner, towards the target.
   Assumed: at each edge the region across has the same edge, from end to end (where regions meet in the middle of an edge,
   that point is a corner of both). A target on a border is in both regions, and the packet leaves at the first one; unknot's networks
   (border=lean) take it for a nearby target, slightly to the right, of which this is true. Nothing
   is assumed of regions that overlap. Not proved: freedom from deadlock, which the rule does not have; the rule "either, but
   never straight back". *)
Require Import List Arith Lia QArith Lqa Bool Packets Measures.
Import ListNotations.
Open Scope Q_scope.

Definition point := (Q * Q)%type.
Definition edge := (point * point)%type.

(* Where c is, seen from the edge from a to b: how far to its left, and how far along it, both times the edge's length.
   The square of this length is [square]. *)
Definition left_of (a b c : point) : Q := (fst b - fst a) * (snd c - snd a) - (snd b - snd a) * (fst c - fst a).
Definition along (a b c : point) : Q := (fst b - fst a) * (fst c - fst a) + (snd b - snd a) * (snd c - snd a).
Definition square (a b : point) : Q := along a b b.

(* A region has its corners counter-clockwise, so that it lies to the left of its edges. A corner may be flat. *)
Definition region := list point.
Fixpoint path (first : point) (l : list point) : list edge := match l with
  | [] => []
  | a :: l' => (a, match l' with [] => first | b :: _ => b end) :: path first l' end.
Definition edges (r : region) : list edge := match r with [] => [] | a :: _ => path a r end.

Definition inside (r : region) (t : point) := forall a b, In (a, b) (edges r) -> 0 <= left_of a b t.
(* All corners lie to the left of each edge or on its line, and one does not lie on the line. *)
Definition convex (r : region) := forall a b, In (a, b) (edges r) ->
  (forall c, In c r -> 0 <= left_of a b c) /\ exists c, In c r /\ 0 < left_of a b c.

(* The zones, borders included: at or between the perpendiculars to an edge at its ends; behind the end of the edge e and
   before the start of the next one, f. *)
Definition strip (e : edge) (t : point) := let (a, b) := e in 0 <= along a b t /\ along a b t <= square a b.
Definition wedge (e f : edge) (t : point) := let (o, v) := e in let (v', w) := f in
  square o v <= along o v t /\ along v' w t <= 0.
(* The target lies in zone A of an edge, or in zone B at one of its ends. *)
Definition zone (r : region) (e : edge) (t : point) := strip e t \/
  (exists o, In (o, fst e) (edges r) /\ wedge (o, fst e) e t) \/
  (exists w, In (snd e, w) (edges r) /\ wedge e (snd e, w) t).
Definition beyond (e : edge) (t : point) := left_of (fst e) (snd e) t < 0.

(* ---- lists ---- *)
Lemma path_from : forall first l x, In x l -> exists y, In (x, y) (path first l).
Proof.
  induction l as [|a l IH]; intros x Hx; [destruct Hx|]; cbn; destruct Hx as [-> | Hx].
  - eexists; left; reflexivity.
  - destruct (IH x Hx) as [y Hy]; exists y; auto.
Qed.
Lemma path_to : forall first l x, In x (tl l) \/ x = first /\ l <> [] -> exists y, In (y, x) (path first l).
Proof.
  induction l as [|a l IH]; intros x Hx; [cbn in Hx; tauto|]; cbn [tl path] in *.
  destruct l as [|b l].
  - exists a; left; destruct Hx as [[] | [-> _]]; reflexivity.
  - destruct Hx as [[-> | Hx] | [-> _]].
    + exists a; left; reflexivity.
    + destruct (IH x (or_introl Hx)) as [y Hy]; exists y; right; exact Hy.
    + destruct (IH first) as [y Hy]; [right; split; [reflexivity | discriminate]|]; exists y; right; exact Hy.
Qed.
Lemma path_ends : forall first l x y, In (x, y) (path first l) -> In x l /\ (In y l \/ y = first).
Proof.
  induction l as [|a l IH]; intros x y H; [destruct H|]; cbn in H; destruct H as [[= -> <-] | H].
  - destruct l as [|b l]; cbn; auto.
  - destruct (IH x y H); cbn; tauto.
Qed.
Lemma edge_ends : forall r a b, In (a, b) (edges r) -> In a r /\ In b r.
Proof.
  intros [|first l] a b H; [destruct H|]; destruct (path_ends first (first :: l) a b H) as [Ha [Hb | ->]];
    split; auto; left; reflexivity.
Qed.
Lemma edge_from : forall r a, In a r -> exists b, In (a, b) (edges r).
Proof. intros [|first l] a H; [destruct H | exact (path_from first _ a H)]. Qed.
Lemma edge_to : forall r b, In b r -> exists a, In (a, b) (edges r).
Proof.
  intros [|first l] b H; [destruct H|]; apply path_to.
  destruct H as [-> | H]; [right; split; [reflexivity | discriminate] | left; exact H].
Qed.

(* ---- arithmetic, of vectors (x,y) ---- *)
Lemma cancel_le : forall p x, 0 < p -> p * x <= 0 -> x <= 0.
Proof. intros p x Hp H; destruct (Qlt_le_dec 0 x) as [L | L]; [nra | exact L]. Qed.
Lemma opposite : forall a b, 0 <= a -> b <= 0 -> a * b <= 0.
Proof. intros; nra. Qed.
Lemma no_length : forall x y, x * x + y * y <= 0 -> x == 0 /\ y == 0.
Proof. intros; split; nra. Qed.
Lemma square_pos : forall a b c d, ~ a * d - b * c == 0 -> 0 < a * a + b * b.
Proof.
  intros a b c d H; destruct (Qlt_le_dec 0 (a * a + b * b)) as [L | L]; [exact L | exfalso].
  assert (a == 0) by nra; assert (b == 0) by nra; apply H; rewrite H0, H1; ring.
Qed.

(* u leads straight out over the edge d, and x lies to its left. *)
Lemma against : forall dx dy ux uy x y, ux * dx + uy * dy == 0 -> dx * uy - dy * ux < 0 -> 0 <= dx * y - dy * x ->
  ux * x + uy * y <= 0.
Proof.
  intros dx dy ux uy x y H1 H2 H3.
  apply (cancel_le (dx * dx + dy * dy)); [apply (square_pos dx dy ux uy); lra|].
  setoid_replace ((dx * dx + dy * dy) * (ux * x + uy * y)) with
    ((ux * dx + uy * dy) * (x * dx + y * dy) + (dx * y - dy * x) * (dx * uy - dy * ux)) by ring.
  rewrite H1; pose proof (opposite _ _ H3 (Qlt_le_weak _ _ H2)); lra.
Qed.

(* u lies in the wedge at a corner between the edges (a) and (bx,b), both seen from the corner, and x in the region. *)
Lemma cone : forall ax ay bx b ux uy x y wx wy,
  0 <= ax * b - ay * bx -> 0 <= ax * y - ay * x -> 0 <= x * b - y * bx ->
  ux * ax + uy * ay <= 0 -> ux * bx + uy * b <= 0 ->
  ax * uy - ay * ux < 0 \/ ux * b - uy * bx < 0 ->
  0 < ax * wy - ay * wx -> 0 <= wx * b - wy * bx -> 0 < bx * bx + b * b ->
  ux * x + uy * y <= 0.
Proof.
  intros ax ay bx b ux uy x y wx wy H1 H2 H3 H4 H5 H6 H7 H8 H9.
  destruct (Qlt_le_dec 0 (ax * b - ay * bx)) as [P | P].
  { apply (cancel_le (ax * b - ay * bx)); [exact P|].
    setoid_replace ((ax * b - ay * bx) * (ux * x + uy * y)) with
      ((x * b - y * bx) * (ux * ax + uy * ay) + (ax * y - ay * x) * (ux * bx + uy * b)) by ring.
    pose proof (opposite _ _ H3 H4); pose proof (opposite _ _ H2 H5); lra. }
  assert (E : ax * b - ay * bx == 0) by lra.
  assert (A : 0 < ax * ax + ay * ay) by (apply (square_pos ax ay wx wy); lra).
  (* the two directions are opposite *)
  assert (J : (ax * ax + ay * ay) * (wx * b - wy * bx) ==
    (ax * b - ay * bx) * (ax * wx + ay * wy) - (ax * bx + ay * b) * (ax * wy - ay * wx)) by ring.
  rewrite E in J.
  assert (B : ax * bx + ay * b <= 0).
  { apply (cancel_le (ax * wy - ay * wx)); [exact H7|].
    pose proof (Qmult_le_0_compat _ _ (Qlt_le_weak _ _ A) H8); lra. }
  assert (L : (ax * ax + ay * ay) * (bx * bx + b * b) ==
    (ax * bx + ay * b) * (ax * bx + ay * b) + (ax * b - ay * bx) * (ax * b - ay * bx)) by ring.
  rewrite E in L.
  assert (C : ax * bx + ay * b < 0).
  { destruct (Qlt_le_dec (ax * bx + ay * b) 0) as [Q | Q]; [exact Q | exfalso].
    assert (Z : ax * bx + ay * b == 0) by lra.
    rewrite Z in L; pose proof (Qmult_lt_0_compat _ _ A H9); lra. }
  assert (K : (ax * ax + ay * ay) * (ux * bx + uy * b) ==
    (ax * bx + ay * b) * (ux * ax + uy * ay) + (ax * b - ay * bx) * (ax * uy - ay * ux)) by ring.
  assert (K' : (bx * bx + b * b) * (ux * ax + uy * ay) ==
    (ax * bx + ay * b) * (ux * bx + uy * b) - (ax * b - ay * bx) * (bx * uy - b * ux)) by ring.
  rewrite E in K, K'.
  pose proof (opposite _ _ (Qlt_le_weak _ _ A) H5) as K1.
  pose proof (opposite _ _ (Qlt_le_weak _ _ H9) H4) as K2.
  assert (UA : ux * ax + uy * ay == 0).
  { assert (0 <= ux * ax + uy * ay); [|lra].
    destruct (Qlt_le_dec (ux * ax + uy * ay) 0) as [Q | Q]; [exfalso | exact Q].
    assert (0 < (ax * bx + ay * b) * (ux * ax + uy * ay)) by nra; lra. }
  assert (UB : ux * bx + uy * b == 0).
  { assert (0 <= ux * bx + uy * b); [|lra].
    destruct (Qlt_le_dec (ux * bx + uy * b) 0) as [Q | Q]; [exfalso | exact Q].
    assert (0 < (ax * bx + ay * b) * (ux * bx + uy * b)) by nra; lra. }
  destruct H6 as [H6 | H6]; [apply (against ax ay); assumption|].
  apply (against (- bx) (- b)); lra.
Qed.

Lemma quotients : forall a b e f, ~ e == 0 -> ~ f == 0 ->
  (b * f) * (b * f) < (a * e) * (a * e) -> b * b / (e * e) < a * a / (f * f).
Proof.
  intros a b e f He Hf H.
  assert (E : 0 < e * e) by (destruct (Qlt_le_dec e 0); [nra|]; assert (0 < e) by lra; nra).
  assert (F : 0 < f * f) by (destruct (Qlt_le_dec f 0); [nra|]; assert (0 < f) by lra; nra).
  apply Qlt_shift_div_r; [exact E|].
  setoid_replace (a * a / (f * f) * (e * e)) with ((a * e) * (a * e) / (f * f)) by (field; exact Hf).
  apply Qlt_shift_div_l; [exact F|]; lra.
Qed.

(* Round a corner: f and e share the point nearest to the target, which u leads to; s and r say where on them it is. *)
Lemma turning : forall fx fy ex ey ux uy s r wx wy,
  0 <= s -> s <= 1 -> 0 <= r -> r <= 1 ->
  0 < fx * uy - fy * ux -> ex * uy - ey * ux < 0 ->
  (* the ends of f and e lie away from u, *)
  - s * (fx * ux + fy * uy) <= 0 -> (1 - s) * (fx * ux + fy * uy) <= 0 ->
  - r * (ex * ux + ey * uy) <= 0 -> (1 - r) * (ex * ux + ey * uy) <= 0 ->
  (* and to the left of the other edge, *)
  0 <= - r * (fx * ey - fy * ex) -> 0 <= (1 - r) * (fx * ey - fy * ex) ->
  0 <= s * (fx * ey - fy * ex) -> 0 <= - (1 - s) * (fx * ey - fy * ex) ->
  (* as does a point w. *)
  0 < fx * wy - fy * wx -> 0 <= ex * wy - ey * wx ->
  ((ex * ux + ey * uy) * (fx * uy - fy * ux)) * ((ex * ux + ey * uy) * (fx * uy - fy * ux)) <
  ((fx * ux + fy * uy) * (ex * uy - ey * ux)) * ((fx * ux + fy * uy) * (ex * uy - ey * ux)).
Proof.
  intros fx fy ex ey ux uy s r wx wy S0 S1 R0 R1 F E A1 A2 B1 B2 L1 L2 L3 L4 W1 W2.
  assert (U : 0 < ux * ux + uy * uy) by (apply (square_pos ux uy fx fy); lra).
  assert (I : (ex * ux + ey * uy) * (fx * uy - fy * ux) - (fx * ux + fy * uy) * (ex * uy - ey * ux) ==
    (ux * ux + uy * uy) * (fx * ey - fy * ex)) by ring.
  assert (V : (fx * wy - fy * wx) * (ex * uy - ey * ux) - (ex * wy - ey * wx) * (fx * uy - fy * ux) ==
    (fx * ey - fy * ex) * (wx * uy - wy * ux)) by ring.
  set (X := fx * ey - fy * ex) in *; set (al := fx * ux + fy * uy) in *; set (be := ex * ux + ey * uy) in *.
  set (F0 := fx * uy - fy * ux) in *; set (E0 := ex * uy - ey * ux) in *.
  assert (X0 : ~ X == 0).
  { intro Z; rewrite Z in V; pose proof (Qmult_le_0_compat _ _ W2 (Qlt_le_weak _ _ F)).
    assert (0 < (fx * wy - fy * wx) * - E0) by (apply Qmult_lt_0_compat; lra); lra. }
  assert (C : X < 0 /\ s == 0 /\ r == 1 \/ 0 < X /\ s == 1 /\ r == 0).
  { destruct (Qlt_le_dec X 0) as [N | N].
    - left; split; [exact N|]; split; nra.
    - assert (0 < X) by lra; right; split; [assumption|]; split; nra. }
  destruct C as [(XN & HS & HR) | (XP & HS & HR)]; rewrite HS in *; rewrite HR in *.
  - assert (0 < (ux * ux + uy * uy) * - X) by (apply Qmult_lt_0_compat; lra).
    assert (0 <= be * F0) by (apply Qmult_le_0_compat; lra).
    assert (0 <= - al * - E0) by (apply Qmult_le_0_compat; lra).
    assert (al * E0 - be * F0 > 0) by lra.
    assert (0 < (al * E0 - be * F0) * (al * E0 + be * F0)) by (apply Qmult_lt_0_compat; lra).
    lra.
  - assert (0 < (ux * ux + uy * uy) * X) by (apply Qmult_lt_0_compat; lra).
    assert (0 <= - be * F0) by (apply Qmult_le_0_compat; lra).
    assert (0 <= al * - E0) by (apply Qmult_le_0_compat; lra).
    assert (0 < (be * F0 - al * E0) * - (be * F0 + al * E0)) by (apply Qmult_lt_0_compat; lra).
    lra.
Qed.

(* ---- the point of an edge nearest to a target ---- *)
(* Where on the edge it is, from 0 to 1. *)
Definition foot (e : edge) (t : point) : Q := let (a, b) := e in
  if Qlt_le_dec 0 (along a b t) then if Qlt_le_dec (along a b t) (square a b) then along a b t / square a b else 1 else 0.
Definition nearest (e : edge) (t : point) : point := let (a, b) := e in
  (fst a + foot e t * (fst b - fst a), snd a + foot e t * (snd b - snd a)).
(* Its squared distance from the target. *)
Definition distance (e : edge) (t : point) : Q := square (nearest e t) t.
Definition turn (e : edge) (t : point) : Q := let (a, b) := e in let p := nearest e t in
  (fst b - fst a) * (fst t - fst p) + (snd b - snd a) * (snd t - snd p).
(* The squared cotangent of the angle between the edge and the way from its nearest point to the target. *)
Definition slant (e : edge) (t : point) : Q := let (a, b) := e in
  (turn e t * turn e t) / (left_of a b t * left_of a b t).
Definition lower (e f : edge) (t : point) :=
  distance e t < distance f t \/ distance e t == distance f t /\ slant e t < slant f t.

Lemma foot_spec : forall a b t, 0 < square a b ->
  0 <= foot (a, b) t /\ foot (a, b) t <= 1 /\
  (along a b t <= 0 -> foot (a, b) t == 0) /\ (square a b <= along a b t -> foot (a, b) t == 1) /\
  (0 <= along a b t -> along a b t <= square a b -> foot (a, b) t * square a b == along a b t).
Proof.
  intros a b t H; unfold foot; destruct (Qlt_le_dec 0 (along a b t)) as [L | L].
  - destruct (Qlt_le_dec (along a b t) (square a b)) as [M | M].
    + assert (E : along a b t / square a b * square a b == along a b t) by (field; lra).
      repeat split; intros; try lra.
      * apply Qle_shift_div_l; lra.
      * apply Qle_shift_div_r; lra.
    + repeat split; intros; lra.
  - repeat split; intros; lra.
Qed.

Lemma long : forall r a b, convex r -> In (a, b) (edges r) -> 0 < square a b.
Proof.
  intros r [xa ya] [xb yb] H He; destruct (H _ _ He) as [_ ([x y] & _ & Hc)].
  unfold square, along, left_of in *; cbn in *; apply (square_pos _ _ (x - xa) (y - ya)); lra.
Qed.

Lemma corner_inside : forall r c, convex r -> In c r -> inside r c.
Proof. intros r c H Hc a b He; exact (proj1 (H a b He) c Hc). Qed.

(* Seen from the nearest point, all of the region lies away from the target. *)
Lemma away : forall r e t x, convex r -> In e (edges r) -> zone r e t -> beyond e t -> inside r x ->
  let p := nearest e t in
  (fst t - fst p) * (fst x - fst p) + (snd t - snd p) * (snd x - snd p) <= 0.
Proof.
  intros r [a b] t x Hr He Hz Hb Hx; cbv zeta.
  pose proof (foot_spec a b t (long r a b Hr He)) as (F0 & F1 & Fa & Fb & Fs).
  pose proof (Hx a b He) as X1.
  destruct Hz as [[S1 S2] | [(o & Ho & W1 & W2) | (w & Hw & W1 & W2)]]; cbn [fst snd] in *.
  - specialize (Fs S1 S2); unfold nearest, beyond in *; cbn [fst snd] in *.
    set (s := foot (a, b) t) in *; clearbody s.
    destruct a as [xa ya], b as [xb yb], t as [xt yt], x as [x y]; unfold left_of, along, square in *; cbn [fst snd] in *.
    apply (against (xb - xa) (yb - ya)); unfold along in Fs; cbn [fst snd] in Fs; lra.
  - pose proof (Fa W2) as E; pose proof (Hr _ _ He) as [_ (c & Hc & Hw)].
    pose proof (proj1 (Hr _ _ He) o (proj1 (edge_ends r o a Ho))) as H1.
    pose proof (Hx o a Ho) as H2; pose proof (proj1 (Hr _ _ Ho) c Hc) as H3.
    pose proof (long r o a Hr Ho) as H4.
    unfold nearest, beyond in *; cbn [fst snd] in *; set (s := foot (a, b) t) in *; clearbody s.
    destruct a as [xa ya], b as [xb yb], t as [xt yt], x as [x y], o as [xo yo], c as [xc yc].
    unfold left_of, along, square, along in *; cbn [fst snd] in *.
    rewrite E; setoid_replace (xa + 0 * (xb - xa)) with xa by ring; setoid_replace (ya + 0 * (yb - ya)) with ya by ring.
    apply (cone (xb - xa) (yb - ya) (xo - xa) (yo - ya) _ _ _ _ (xc - xa) (yc - ya)); lra.
  - pose proof (Fb W1) as E; pose proof (Hr _ _ Hw) as [_ (c & Hc & Hs)].
    pose proof (proj1 (Hr _ _ Hw) a (proj1 (edge_ends r a b He))) as H1.
    pose proof (Hx b w Hw) as H2; pose proof (proj1 (Hr _ _ He) c Hc) as H3.
    pose proof (long r a b Hr He) as H4.
    unfold nearest, beyond in *; cbn [fst snd] in *; set (s := foot (a, b) t) in *; clearbody s.
    destruct a as [xa ya], b as [xb yb], t as [xt yt], x as [x y], w as [xo yo], c as [xc yc].
    unfold left_of, along, square, along in *; cbn [fst snd] in *.
    rewrite E; setoid_replace (xa + 1 * (xb - xa)) with xb by ring; setoid_replace (ya + 1 * (yb - ya)) with yb by ring.
    apply (cone (xo - xb) (yo - yb) (xa - xb) (ya - yb) _ _ _ _ (xc - xb) (yc - yb)); lra.
Qed.

(* A hop over e, into a region that has e the other way round: whatever edge that region permits next is lower. *)
Lemma falls : forall r a b e t, convex r -> In (b, a) (edges r) -> beyond (a, b) t -> 0 < square a b ->
  In e (edges r) -> zone r e t -> beyond e t -> lower e (a, b) t.
Proof.
  intros r a b [c d] t Hr Hf Hb Hl He Hz Hc; unfold lower.
  destruct (Qlt_le_dec (distance (c, d) t) (distance (a, b) t)) as [L | L]; [left; exact L | right].
  pose proof (foot_spec a b t Hl) as (S0 & S1 & _).
  pose proof (foot_spec c d t (long r c d Hr He)) as (R0 & R1 & _).
  pose proof (away r (c, d) t a Hr He Hz Hc (corner_inside r a Hr (proj2 (edge_ends r b a Hf)))) as Aa.
  pose proof (away r (c, d) t b Hr He Hz Hc (corner_inside r b Hr (proj1 (edge_ends r b a Hf)))) as Ab.
  pose proof (away r (c, d) t c Hr He Hz Hc (corner_inside r c Hr (proj1 (edge_ends r c d He)))) as Ac.
  pose proof (away r (c, d) t d Hr He Hz Hc (corner_inside r d Hr (proj2 (edge_ends r c d He)))) as Ad.
  destruct (Hr _ _ Hf) as [Lf (w & Hw & Ws)]; pose proof (proj1 (Hr _ _ He) w Hw) as We.
  pose proof (Lf c (proj1 (edge_ends r c d He))) as Lc; pose proof (Lf d (proj2 (edge_ends r c d He))) as Ld.
  pose proof (proj1 (Hr _ _ He) a (proj2 (edge_ends r b a Hf))) as La.
  pose proof (proj1 (Hr _ _ He) b (proj1 (edge_ends r b a Hf))) as Lb.
  unfold slant, turn, distance, nearest, beyond in *; cbv zeta in *; cbn [fst snd] in *.
  set (s := foot (a, b) t) in *; set (q := foot (c, d) t) in *; clearbody s q.
  destruct a as [xa ya], b as [xb yb], c as [xc yc], d as [xd yd], t as [xt yt], w as [xw yw].
  unfold left_of, square, along in *; cbn [fst snd] in *.
  set (px := xa + s * (xb - xa)) in *; set (py := ya + s * (yb - ya)) in *.
  set (qx := xc + q * (xd - xc)) in *; set (qy := yc + q * (yd - yc)) in *.
  assert (M : (xt - qx) * (px - qx) + (yt - qy) * (py - qy) <= 0).
  { setoid_replace ((xt - qx) * (px - qx) + (yt - qy) * (py - qy)) with
      ((1 - s) * ((xt - qx) * (xa - qx) + (yt - qy) * (ya - qy)) + s * ((xt - qx) * (xb - qx) + (yt - qy) * (yb - qy)))
      by (unfold px, py; ring).
    pose proof (opposite (1 - s) _ ltac:(lra) Aa); pose proof (opposite s _ S0 Ab); lra. }
  assert (N : (px - qx) * (px - qx) + (py - qy) * (py - qy) <= 0) by lra.
  apply no_length in N; destruct N as [Nx Ny].
  assert (Ex : px == qx) by lra; assert (Ey : py == qy) by lra.
  split; [rewrite Ex, Ey; ring|].
  rewrite Ex, Ey.
  set (ux := xt - qx) in *; set (uy := yt - qy) in *.
  assert (Ha : xa - qx == s * (xa - xb)) by (rewrite <- Ex; unfold px; ring).
  assert (Ha' : ya - qy == s * (ya - yb)) by (rewrite <- Ey; unfold py; ring).
  assert (Hb1 : xb - qx == - (1 - s) * (xa - xb)) by (rewrite <- Ex; unfold px; ring).
  assert (Hb2 : yb - qy == - (1 - s) * (ya - yb)) by (rewrite <- Ey; unfold py; ring).
  assert (Hc1 : xc - qx == - q * (xd - xc)) by (unfold qx; ring).
  assert (Hc2 : yc - qy == - q * (yd - yc)) by (unfold qy; ring).
  assert (Hd1 : xd - qx == (1 - q) * (xd - xc)) by (unfold qx; ring).
  assert (Hd2 : yd - qy == (1 - q) * (yd - yc)) by (unfold qy; ring).
  rewrite Ha, Ha' in Aa; rewrite Hb1, Hb2 in Ab; rewrite Hc1, Hc2 in Ac; rewrite Hd1, Hd2 in Ad.
  assert (El : (xd - xc) * (yt - yc) - (yd - yc) * (xt - xc) == (xd - xc) * uy - (yd - yc) * ux)
    by (unfold ux, uy, qx, qy; ring).
  assert (Fl : (xb - xa) * (yt - ya) - (yb - ya) * (xt - xa) == - ((xa - xb) * uy - (ya - yb) * ux))
    by (unfold ux, uy; rewrite <- Ex, <- Ey; unfold px, py; ring).
  rewrite El in Hc; rewrite Fl in Hb.
  assert (shift : forall x y z : Q, x - z == x - y + (y - z)) by (intros; ring).
  rewrite El, Fl.
  setoid_replace (((xb - xa) * ux + (yb - ya) * uy) * ((xb - xa) * ux + (yb - ya) * uy)) with
    (((xa - xb) * ux + (ya - yb) * uy) * ((xa - xb) * ux + (ya - yb) * uy)) by ring.
  setoid_replace (- ((xa - xb) * uy - (ya - yb) * ux) * - ((xa - xb) * uy - (ya - yb) * ux)) with
    (((xa - xb) * uy - (ya - yb) * ux) * ((xa - xb) * uy - (ya - yb) * ux)) by ring.
  apply quotients; [lra | lra|].
  rewrite (shift xc qx xb), (shift yc qy yb) in Lc; rewrite (shift xd qx xb), (shift yd qy yb) in Ld.
  rewrite (shift xa qx xc), (shift ya qy yc) in La; rewrite (shift xb qx xc), (shift yb qy yc) in Lb.
  rewrite (shift xw qx xb), (shift yw qy yb) in Ws; rewrite (shift xw qx xc), (shift yw qy yc) in We.
  assert (flip : forall x y : Q, x - y == - (y - x)) by (intros; ring).
  rewrite (flip qx xb), (flip qy yb) in *; rewrite (flip qx xc), (flip qy yc) in *.
  rewrite Hb1, Hb2 in *; rewrite Hc1, Hc2 in *; rewrite Hd1, Hd2 in *; rewrite Ha, Ha' in *.
  apply (turning (xa - xb) (ya - yb) (xd - xc) (yd - yc) ux uy (1 - s) q (xw - qx) (yw - qy)); lra.
Qed.

(* The region across the edge has a point as near to the target as the region had. *)
Lemma not_farther : forall r s a b t x, convex r -> convex s -> In (a, b) (edges r) -> zone r (a, b) t -> beyond (a, b) t ->
  In (b, a) (edges s) -> inside r x -> exists y, inside s y /\ square y t <= square x t.
Proof.
  intros r s a b t x Hr Hs He Hz Hb Hf Hx; exists (nearest (a, b) t); split.
  - intros c d Hcd; destruct (edge_ends s b a Hf) as [Ib Ia].
    pose proof (proj1 (Hs c d Hcd) a Ia) as La; pose proof (proj1 (Hs c d Hcd) b Ib) as Lb.
    pose proof (foot_spec a b t (long r a b Hr He)) as (F0 & F1 & _).
    unfold nearest; set (p := foot (a, b) t) in *; clearbody p; unfold left_of in *; cbn [fst snd] in *.
    pose proof (Qmult_le_0_compat (1 - p) _ ltac:(lra) La); pose proof (Qmult_le_0_compat p _ F0 Lb); lra.
  - pose proof (away r (a, b) t x Hr He Hz Hb Hx) as A; cbv zeta in A.
    set (p := nearest (a, b) t) in *; clearbody p.
    destruct p as [px py], t as [xt yt], x as [x y]; unfold square, along; cbn [fst snd] in *.
    assert (0 <= (x - px) * (x - px)) by (destruct (Qlt_le_dec (x - px) 0); nra).
    assert (0 <= (y - py) * (y - py)) by (destruct (Qlt_le_dec (y - py) 0); nra).
    lra.
Qed.

(* ---- every target outside lies in a zone ---- *)
Lemma follows : forall ax ay bx b ux uy, ux * ax + uy * ay <= 0 -> ax * uy - ay * ux < 0 -> 0 <= ax * b - ay * bx ->
  0 < ux * bx + uy * b -> 0 < bx * uy - b * ux.
Proof.
  intros ax ay bx b ux uy H1 H2 H3 H4.
  assert (I : (ux * bx + uy * b) * (ax * uy - ay * ux) - (ux * ax + uy * ay) * (bx * uy - b * ux) ==
    (ux * ux + uy * uy) * (ax * b - ay * bx)) by ring.
  assert (0 < ux * ux + uy * uy) by (apply (square_pos ux uy ax ay); lra).
  assert (0 <= (ux * ux + uy * uy) * (ax * b - ay * bx)) by (apply Qmult_le_0_compat; lra).
  assert (0 < (ux * bx + uy * b) * - (ax * uy - ay * ux)) by (apply Qmult_lt_0_compat; lra).
  destruct (Qlt_le_dec 0 (bx * uy - b * ux)) as [L | L]; [exact L | exfalso].
  assert (0 <= - (ux * ax + uy * ay) * - (bx * uy - b * ux)) by (apply Qmult_le_0_compat; lra); lra.
Qed.

Lemma nearer_than_end : forall a b t, 0 < square a b -> along a b t < square a b -> distance (a, b) t < square b t.
Proof.
  intros a b t S H; pose proof (foot_spec a b t S) as (F0 & F1 & Fa & _ & Fs).
  unfold distance, nearest; set (s := foot (a, b) t) in *; clearbody s.
  destruct a as [xa ya], b as [xb yb], t as [x y]; unfold square, along in *; cbn [fst snd] in *.
  destruct (Qlt_le_dec 0 ((xb - xa) * (x - xa) + (yb - ya) * (y - ya))) as [L | L].
  - specialize (Fs ltac:(lra) ltac:(lra)).
    set (dx := xb - xa) in *; set (dy := yb - ya) in *.
    assert (N : s < 1).
    { destruct (Qlt_le_dec s 1); [assumption | exfalso; assert (E : s == 1) by lra; rewrite E in Fs; lra]. }
    assert (0 < (1 - s) * (1 - s) * (dx * dx + dy * dy)) by (apply Qmult_lt_0_compat; [nra | lra]).
    assert (Z : (1 - s) * (s * (dx * dx + dy * dy)) == (1 - s) * (dx * (x - xa) + dy * (y - ya)))
      by (rewrite Fs; reflexivity).
    setoid_replace (x - xb) with (x - xa - dx) by (unfold dx; ring).
    setoid_replace (y - yb) with (y - ya - dy) by (unfold dy; ring).
    lra.
  - rewrite (Fa L); lra.
Qed.

Lemma nearer_than_start : forall a b t, 0 < square a b -> 0 < along a b t -> distance (a, b) t < square a t.
Proof.
  intros a b t S H; pose proof (foot_spec a b t S) as (F0 & F1 & _ & Fb & Fs).
  unfold distance, nearest; set (s := foot (a, b) t) in *; clearbody s.
  destruct a as [xa ya], b as [xb yb], t as [x y]; unfold square, along in *; cbn [fst snd] in *.
  destruct (Qlt_le_dec ((xb - xa) * (x - xa) + (yb - ya) * (y - ya))
    ((xb - xa) * (xb - xa) + (yb - ya) * (yb - ya))) as [L | L].
  - specialize (Fs ltac:(lra) ltac:(lra)).
    set (dx := xb - xa) in *; set (dy := yb - ya) in *.
    assert (N : 0 < s).
    { destruct (Qlt_le_dec 0 s); [assumption | exfalso; assert (E : s == 0) by lra; rewrite E in Fs; lra]. }
    assert (0 < s * s * (dx * dx + dy * dy)) by (apply Qmult_lt_0_compat; [nra | lra]).
    assert (Z : s * (s * (dx * dx + dy * dy)) == s * (dx * (x - xa) + dy * (y - ya))) by (rewrite Fs; reflexivity).
    lra.
  - rewrite (Fb L); lra.
Qed.

Lemma distance_start : forall a b t, 0 < square a b -> along a b t <= 0 -> distance (a, b) t == square a t.
Proof.
  intros a b t S H; pose proof (foot_spec a b t S) as (_ & _ & Fa & _); specialize (Fa H).
  unfold distance, nearest; set (s := foot (a, b) t) in *; clearbody s; unfold square, along.
  cbn [fst snd]; rewrite Fa; ring.
Qed.
Lemma distance_end : forall a b t, 0 < square a b -> square a b <= along a b t -> distance (a, b) t == square b t.
Proof.
  intros a b t S H; pose proof (foot_spec a b t S) as (_ & _ & _ & Fb & _); specialize (Fb H).
  unfold distance, nearest; set (s := foot (a, b) t) in *; clearbody s; unfold square, along.
  cbn [fst snd]; rewrite Fb; ring.
Qed.

Lemma least : forall (P : edge -> Prop) (f : edge -> Q) l, (forall e, {P e} + {~ P e}) ->
  (exists e, In e l /\ P e) -> exists e, In e l /\ P e /\ forall g, In g l -> P g -> f e <= f g.
Proof.
  intros P f l D; induction l as [|a l IH]; intros (e & He & Pe); [destruct He|].
  destruct (Exists_dec P l D) as [X | X].
  - apply Exists_exists in X; destruct (IH X) as (m & Hm & Pm & Least).
    destruct (D a) as [Pa | Na]; [destruct (Qlt_le_dec (f a) (f m)) as [L | L]|].
    + exists a; split; [left; reflexivity | split; [exact Pa|]]; intros g [<- | Hg] Pg; [apply Qle_refl|].
      apply Qle_trans with (f m); [apply Qlt_le_weak; exact L | exact (Least g Hg Pg)].
    + exists m; split; [right; exact Hm | split; [exact Pm|]]; intros g [<- | Hg] Pg; [exact L | exact (Least g Hg Pg)].
    + exists m; split; [right; exact Hm | split; [exact Pm|]].
      intros g [<- | Hg] Pg; [contradiction | exact (Least g Hg Pg)].
  - assert (No : forall g, In g l -> ~ P g) by (intros g Hg Pg; apply X, Exists_exists; exists g; auto).
    destruct He as [<- | He]; [|destruct (No e He Pe)].
    exists a; split; [left; reflexivity | split; [exact Pe|]].
    intros g [<- | Hg] Pg; [apply Qle_refl | destruct (No g Hg Pg)].
Qed.

Lemma beyond_dec : forall t e, {beyond e t} + {~ beyond e t}.
Proof.
  intros t e; unfold beyond; destruct (Qlt_le_dec (left_of (fst e) (snd e) t) 0) as [L | L]; [left; exact L | right].
  intro H; apply (Qlt_not_le _ _ H L).
Qed.

Lemma inside_or : forall r t, {inside r t} + {exists e, In e (edges r) /\ beyond e t}.
Proof.
  intros r t; destruct (Exists_dec (fun e => beyond e t) (edges r) (beyond_dec t)) as [X | X].
  - right; apply Exists_exists in X; exact X.
  - left; intros a b H; destruct (Qlt_le_dec (left_of a b t) 0) as [L | L]; [exfalso | exact L].
    apply X, Exists_exists; exists (a, b); split; [exact H | exact L].
Qed.

Theorem every_target_in_a_zone : forall r t, convex r -> ~ inside r t ->
  exists e, In e (edges r) /\ zone r e t /\ beyond e t.
Proof.
  intros r t Hr Hout; destruct (inside_or r t) as [I | X]; [contradiction|].
  destruct (least (fun e => beyond e t) (fun e => distance e t) (edges r) (beyond_dec t) X) as ([a b] & He & Hb & Least).
  exists (a, b); split; [exact He | split; [|exact Hb]].
  pose proof (long r a b Hr He) as S; unfold beyond in Hb; cbn [fst snd] in Hb.
  destruct (Qlt_le_dec (along a b t) 0) as [L | L]; [right; left|].
  - destruct (edge_to r a (proj1 (edge_ends r a b He))) as [o Ho]; exists o; split; [exact Ho|]; cbn.
    pose proof (long r o a Hr Ho) as S'.
    destruct (Qlt_le_dec (along o a t) (square o a)) as [M | M]; [exfalso | split; [exact M | lra]].
    pose proof (nearer_than_end o a t S' M) as N; pose proof (distance_start a b t S ltac:(lra)) as D.
    assert (beyond (o, a) t) as B; [|specialize (Least _ Ho B); lra].
    pose proof (proj1 (Hr _ _ He) o (proj1 (edge_ends r o a Ho))) as Lo; clear Least N D S S' He Ho.
    destruct a as [xa ya], b as [xb yb], o as [xo yo], t as [x y]; unfold beyond, square, along, left_of in *; cbn [fst snd] in *.
    pose proof (follows (xb - xa) (yb - ya) (xo - xa) (yo - ya) (x - xa) (y - ya)); lra.
  - destruct (Qlt_le_dec (square a b) (along a b t)) as [M | M]; [right; right | left; split; assumption].
    destruct (edge_from r b (proj2 (edge_ends r a b He))) as [w Hw]; exists w; split; [exact Hw|]; cbn.
    pose proof (long r b w Hr Hw) as S'.
    destruct (Qlt_le_dec 0 (along b w t)) as [K | K]; [exfalso | split; [lra | exact K]].
    pose proof (nearer_than_start b w t S' K) as N; pose proof (distance_end a b t S ltac:(lra)) as D.
    assert (beyond (b, w) t) as B; [|specialize (Least _ Hw B); lra].
    pose proof (proj1 (Hr _ _ Hw) a (proj1 (edge_ends r a b He))) as Lo; clear Least N D S S' He Hw.
    destruct a as [xa ya], b as [xb yb], w as [xo yo], t as [x y]; unfold beyond, square, along, left_of in *; cbn [fst snd] in *.
    pose proof (follows (xa - xb) (- (ya - yb)) (xo - xb) (- (yo - yb)) (x - xb) (- (y - yb))); lra.
Qed.

(* ---- deciding ---- *)
Lemma point_dec : forall a b : point, {a = b} + {a <> b}.
Proof.
  assert (D : forall x y : Q, {x = y} + {x <> y}) by (intros; decide equality; [apply Pos.eq_dec | apply Z.eq_dec]).
  decide equality.
Qed.
Lemma le_dec : forall x y : Q, {x <= y} + {~ x <= y}.
Proof. intros x y; destruct (Qlt_le_dec y x); [right; apply Qlt_not_le; assumption | left; assumption]. Qed.
Lemma wedge_dec : forall e f t, {wedge e f t} + {~ wedge e f t}.
Proof. intros [o v] [v' w] t; unfold wedge; destruct (le_dec (square o v) (along o v t)), (le_dec (along v' w t) 0); tauto. Qed.
Lemma zone_dec : forall r e t, {zone r e t} + {~ zone r e t}.
Proof.
  intros r [a b] t; unfold zone, strip; cbn [fst snd].
  destruct (le_dec 0 (along a b t)); [destruct (le_dec (along a b t) (square a b)); [left; tauto|]|].
  all: destruct (Exists_dec (fun g => snd g = a /\ wedge g (a, b) t) (edges r)) as [X | X].
  1, 4: intros [o v]; cbn [snd]; destruct (point_dec v a), (wedge_dec (o, v) (a, b) t); tauto.
  1, 3: left; apply Exists_exists in X; destruct X as ([o v] & Ho & E & W); cbn in E; subst; right; left; exists o; auto.
  all: destruct (Exists_dec (fun g => fst g = b /\ wedge (a, b) g t) (edges r)) as [Y | Y].
  1, 4: intros [v w]; cbn [fst]; destruct (point_dec v b), (wedge_dec (a, b) (v, w) t); tauto.
  1, 3: left; apply Exists_exists in Y; destruct Y as ([v w] & Hw & E & W); cbn in E; subst; right; right; exists w; auto.
  all: right; intros [S | [(o & Ho & W) | (w & Hw & W)]]; [tauto | |].
  1, 3: apply X, Exists_exists; exists (o, a); auto.
  all: apply Y, Exists_exists; exists (b, w); auto.
Qed.
Lemma lower_dec : forall e f t, {lower e f t} + {~ lower e f t}.
Proof.
  intros e f t; unfold lower; destruct (Qlt_le_dec (distance e t) (distance f t)) as [L | L]; [left; auto|].
  destruct (Qeq_dec (distance e t) (distance f t)) as [E | E]; [|right; intros [H | [H _]]; lra].
  destruct (Qlt_le_dec (slant e t) (slant f t)) as [M | M]; [left; auto | right; intros [H | [_ H]]; lra].
Qed.
Lemma lower_trans : forall e f g t, lower e f t -> lower f g t -> lower e g t.
Proof. unfold lower; intros e f g t [H | [H1 H2]] [K | [K1 K2]]; [left | left | left | right; split]; lra. Qed.

Lemma fewer : forall (A : Type) (p q : A -> bool) l x, (forall y, p y = true -> q y = true) ->
  In x l -> p x = false -> q x = true -> (length (filter p l) < length (filter q l))%nat.
Proof.
  intros A p q l x Hpq Hx Px Qx.
  assert (W : forall l, (length (filter p l) <= length (filter q l))%nat).
  { induction l0 as [|y l0 IH]; cbn; [lia|]; destruct (p y) eqn:E; [rewrite (Hpq y E) | destruct (q y)]; cbn; lia. }
  induction l as [|y l IH]; [destruct Hx|]; cbn; destruct Hx as [-> | Hx].
  - rewrite Px, Qx; cbn; specialize (W l); lia.
  - specialize (IH Hx); destruct (p y) eqn:E; [rewrite (Hpq y E) | destruct (q y)]; cbn; lia.
Qed.

(* ---- the network ---- *)

(* A buffer of the link from one PE to another, and its class. *)
Record link := { source : region; into : region; class : nat }.

Section Forwarding.
  Variable plane : list region.
  Hypothesis regions_convex : forall r, In r plane -> convex r.

  (* Across an edge lies a region that has it the other way round, or the plane ends there, and none of it lies beyond. *)
  Definition across (e : edge) (r : region) := In r plane /\ In (snd e, fst e) (edges r).
  Hypothesis plane_convex : forall r e, In r plane -> In e (edges r) ->
    (exists s, across e s) \/ forall s t, In s plane -> inside s t -> ~ beyond e t.

  (* The edges that a PE may cross. *)
  Definition permitted (r : region) (t : point) (e : edge) := In e (edges r) /\ zone r e t /\ beyond e t.

  (* The Path Table of a channel sends a packet for t over e, into a buffer of class v: some permitted edge, if there is one. *)
  Variable table : link -> point -> edge -> nat -> Prop.
  Hypothesis table_permitted : forall c t e v, table c t e v -> permitted (into c) t e.
  Hypothesis table_chooses : forall c t e, permitted (into c) t e -> exists e' v, table c t e' v.

  Definition forwarding : network := {|
    channel := link;
    site := link * point;
    at_ := fst;
    alternative := fun s a => a = (fun h => match h with
      | Leave => inside (into (fst s)) (snd s)
      | Go t => snd t = snd s /\ source (fst t) = into (fst s) /\
          exists e, table (fst s) (snd s) e (class (fst t)) /\ across e (into (fst t)) end);
    injected := fun s => In (source (fst s)) plane /\ (exists r, In r plane /\ inside r (snd s)) /\
      exists e, permitted (source (fst s)) (snd s) e /\ across e (into (fst s)) |}.

  (* How many edges of the plane are not above all that the PE may cross next. *)
  Definition counted (r : region) (t : point) (f : edge) : bool :=
    existsb (fun e => if zone_dec r e t then if beyond_dec t e then if lower_dec e f t then false else true else false else false)
      (edges r).
  Definition plane_measure (s : link * point) : nat :=
    length (filter (counted (into (fst s)) (snd s)) (flat_map edges plane)).

  Lemma counted_iff : forall r t f, counted r t f = true <-> exists e, permitted r t e /\ ~ lower e f t.
  Proof.
    intros r t f; unfold counted, permitted; rewrite existsb_exists; split.
    - intros (e & He & H); exists e; destruct (zone_dec r e t), (beyond_dec t e), (lower_dec e f t); try discriminate; tauto.
    - intros (e & (He & Hz & Hb) & H); exists e; split; [exact He|].
      destruct (zone_dec r e t), (beyond_dec t e), (lower_dec e f t); tauto.
  Qed.

  Lemma permitted_inside : forall r t e, permitted r t e -> ~ inside r t.
  Proof. intros r t [a b] (He & _ & Hb) Hi; specialize (Hi a b He); unfold beyond in Hb; cbn in Hb; lra. Qed.

  (* Where packets can be: in the plane, for a target that some region holds. *)
  Lemma in_plane : forall s, reached forwarding s -> In (into (fst s)) plane /\ exists r, In r plane /\ inside r (snd s).
  Proof.
    intros s H; induction H as [s (_ & Ht & e & _ & Hs & _) | s a [c t] _ [_ IH] -> (E & _ & e & _ & Hs & _)].
    - split; assumption.
    - cbn in *; subst; split; assumption.
  Qed.

  Lemma measure_falls : forall r s t e, In r plane -> permitted r t e -> across e s ->
    (length (filter (counted s t) (flat_map edges plane)) < length (filter (counted r t) (flat_map edges plane)))%nat.
  Proof.
    intros r s t [a b] Hr (He & Hz & Hb) (Hs & Hf); cbn in Hf.
    assert (next : forall e, permitted s t e -> lower e (a, b) t).
    { intros e (H1 & H2 & H3).
      exact (falls s a b e t (regions_convex s Hs) Hf Hb (long r a b (regions_convex r Hr) He) H1 H2 H3). }
    assert (self : forall e, ~ lower e e t) by (intros e [H | [_ H]]; lra).
    apply fewer with (a, b).
    - intros f Hc; apply counted_iff in Hc; destruct Hc as (e & Hp & Hl); apply counted_iff.
      exists (a, b); split; [split; auto|]; intro L; exact (Hl (lower_trans _ _ _ t (next e Hp) L)).
    - apply in_flat_map; exists r; auto.
    - destruct (counted s t (a, b)) eqn:E; [exfalso | reflexivity].
      apply counted_iff in E; destruct E as (e & Hp & Hl); exact (Hl (next e Hp)).
    - apply counted_iff; exists (a, b); split; [split; auto | apply self].
  Qed.

  Theorem plane_measured : measured forwarding plane_measure.
  Proof.
    intros s a [c t] Hs -> (E & _ & e & Ht & Ha); cbn in E; subst t.
    exact (measure_falls _ _ _ e (proj1 (in_plane s Hs)) (table_permitted _ _ _ _ Ht) Ha).
  Qed.

  Theorem plane_no_livelock :
    ~ exists f : nat -> site forwarding, reached forwarding (f 0%nat) /\
        forall i, exists a, alternative forwarding (f i) a /\ a (Go (f (S i))).
  Proof. exact (measure_no_livelock forwarding plane_measure plane_measured). Qed.

  (* A packet that has not arrived has a hop. *)
  Lemma goes_on : forall s, reached forwarding s -> inside (into (fst s)) (snd s) \/
    exists e d, table (fst s) (snd s) e (class d) /\ source d = into (fst s) /\ across e (into d).
  Proof.
    intros s Hs; destruct (in_plane s Hs) as (Hr & r & Hin & Ht).
    destruct (inside_or (into (fst s)) (snd s)) as [I | (e0 & He0 & Hb0)]; [left; exact I | right].
    destruct (every_target_in_a_zone (into (fst s)) (snd s) (regions_convex _ Hr)) as (e1 & H1).
    { intro I; destruct e0 as [a b]; specialize (I a b He0); unfold beyond in Hb0; cbn in Hb0; lra. }
    destruct (table_chooses (fst s) (snd s) e1 H1) as (e & v & H).
    destruct (table_permitted _ _ _ _ H) as (He & _ & Hb).
    destruct (plane_convex _ e Hr He) as [(s' & Ha) | No]; [|destruct (No r (snd s) Hin Ht Hb)].
    exists e, {| source := into (fst s); into := s'; class := v |}; cbn; auto.
  Qed.

  Theorem plane_arriving : arriving forwarding plane_measure.
  Proof.
    intros s a Hs ->; destruct (goes_on s Hs) as [I | (e & d & Ht & Hd & Ha)]; [left; exact I | right].
    exists (d, snd s); split; [cbn; eauto|].
    exact (measure_falls _ _ _ e (proj1 (in_plane s Hs)) (table_permitted _ _ _ _ Ht) Ha).
  Qed.

  (* Whatever the tables choose, it is home within as many hops as its number says, and leaves where its target lies. *)
  Theorem plane_arrives : forall s, reached forwarding s -> home forwarding (plane_measure s) s.
  Proof. exact (arrival_home forwarding plane_measure plane_arriving). Qed.

  Theorem plane_leaves_right : leaves_right forwarding (fun s => inside (into (fst s)) (snd s)).
  Proof. intros s a _ -> H; exact H. Qed.

  (* The distance between region and target never grows. *)
  Theorem plane_never_farther : forall s a t x, reached forwarding s -> alternative forwarding s a -> a (Go t) ->
    inside (into (fst s)) x -> exists y, inside (into (fst t)) y /\ square y (snd s) <= square x (snd s).
  Proof.
    intros s a t x Hs -> (_ & _ & [b c] & Ht & Hin & Hf) Hx.
    destruct (table_permitted _ _ _ _ Ht) as (He & Hz & Hb).
    exact (not_farther _ _ b c (snd s) x (regions_convex _ (proj1 (in_plane s Hs))) (regions_convex _ Hin) He Hz Hb Hf Hx).
  Qed.
End Forwarding.

(* ---- a plane with one corner moved ---- *)

(* Two by two regions, the corner in the middle moved up. The hypotheses hold of this plane ([bent_convex], [bent_ends]), and
   without [beyond] its two lower regions name each other for one target. *)
Definition bent_left : region := [(0, 0); (64, 0); (64, 80); (0, 64)].
Definition bent_right : region := [(64, 0); (128, 0); (128, 64); (64, 80)].
Definition bent : list region := [bent_left; bent_right; [(0, 64); (64, 80); (64, 128); (0, 128)];
  [(64, 80); (128, 64); (128, 128); (64, 128)]].

Ltac listed H := cbn in H; decompose [or] H; clear H; try contradiction.
Ltac member := first [left; reflexivity | right; member].
Ltac neighbour := split; cbn; member.

Theorem bent_convex : forall r, In r bent -> convex r.
Proof.
  intros r Hr a b He; listed Hr; subst r; listed He; match goal with E : _ = (a, b) |- _ => injection E as <- <- end.
  all: split; [intros c Hc; listed Hc; subst c; discriminate|].
  all: first [eexists; split; [left; reflexivity | reflexivity] | eexists; split; [right; left; reflexivity | reflexivity]
    | eexists; split; [right; right; left; reflexivity | reflexivity]].
Qed.

Theorem bent_ends : forall r e, In r bent -> In e (edges r) ->
  (exists s, across bent e s) \/ forall s t, In s bent -> inside s t -> ~ beyond e t.
Proof.
  assert (four : forall a b c d t, inside [a; b; c; d] t ->
    0 <= left_of a b t /\ 0 <= left_of b c t /\ 0 <= left_of c d t /\ 0 <= left_of d a t).
  { intros a b c d t H; repeat split; apply H; cbn; auto. }
  intros r e Hr He; listed Hr; subst r; listed He; subst e.
  all: first [left; first [exists (nth 0 bent []); neighbour | exists (nth 1 bent []); neighbour
    | exists (nth 2 bent []); neighbour | exists (nth 3 bent []); neighbour] | right].
  all: intros s [x y] Hs Hi Hb; listed Hs; subst s; apply four in Hi; unfold beyond, left_of in *; cbn [fst snd] in *; lra.
Qed.

Theorem either_goes_back : exists t e, (exists r, In r bent /\ inside r t) /\
  ~ inside bent_left t /\ zone bent_left e t /\ across bent e bent_right /\
  ~ inside bent_right t /\ zone bent_right (snd e, fst e) t /\ across bent (snd e, fst e) bent_left.
Proof.
  exists (65, 120), ((64, 0), (64, 80)); split; [|repeat split].
  - eexists; split; [right; right; right; left; reflexivity|].
    intros a b H; listed H; match goal with E : _ = (a, b) |- _ => injection E as <- <- end; discriminate.
  - intro H; specialize (H (64, 80) (0, 64) ltac:(cbn; member)); exact (H eq_refl).
  - right; right; exists (0, 64); split; [cbn; member | split; discriminate].
  - cbn; member.
  - cbn; member.
  - intro H; specialize (H (128, 64) (64, 80) ltac:(cbn; member)); exact (H eq_refl).
  - right; left; exists (128, 64); split; [cbn; member | split; discriminate].
  - cbn; member.
  - cbn; member.
Qed.
