(* The families with states: what the ranks of each family say of every network whose tables follow its relation.

   Each theorem is that of the family's file, carried to the step of Reference.v by Tables.v: no channel is held for good in
   a state that the moves reach. Proved, for families whose every hop lowers the rank, however the network is run
   ([lowered_free]); for those with escapes, unless packets share channels ([escapes_free]). Bubbles are in BubbleTorus.v.
   Assumed: as in each family's file, and in Tables.v of tables. Not proved: that packets do move, and that they arrive. *)
Require Import List ZArith Packets Wormhole Grid Mesh Turns Dateline Crossing Ecube Pcube CCCB UpDown HopIndex Boards DuatoMesh StarChannel DuatoTorus Tables.
Open Scope Z_scope.

Theorem xy_states : forall k n, lowered_free (Mesh.xy k n) (Mesh.xy_rank k n).
Proof. intros k n; exact (lowered_states _ _ (Mesh.xy_lowered k n)). Qed.
Theorem dateline_tables : forall k n, 2 <= k -> lowered_free (Dateline.dateline k n) (Dateline.dateline_rank k n).
Proof. intros k n k2; exact (lowered_states _ _ (Dateline.dateline_lowered k n k2)). Qed.
Theorem crossing_states : forall k n, 2 <= k -> lowered_free (Crossing.crossing k n) (Crossing.crossing_rank k n).
Proof. intros k n k2; exact (lowered_states _ _ (Crossing.crossing_lowered k n k2)). Qed.
Theorem ecube_states : forall n, lowered_free (Ecube.ecube n) (Ecube.ecube_rank n).
Proof. intro n; exact (lowered_states _ _ (Ecube.ecube_lowered n)). Qed.
Theorem pcube_states : forall n, lowered_free (Pcube.pcube n) (Pcube.pcube_rank n).
Proof. intro n; exact (lowered_states _ _ (Pcube.pcube_lowered n)). Qed.
Theorem cccb_states : forall n, lowered_free (CCCB.cccb n) (CCCB.cccb_rank n).
Proof. intro n; exact (lowered_states _ _ (CCCB.cccb_lowered n)). Qed.
Theorem boards_states : forall k, 2 <= k -> lowered_free (Boards.boards k) (Boards.boards_rank k).
Proof. intros k k2; exact (lowered_states _ _ (Boards.boards_lowered k k2)). Qed.

(* Turn models: any relation whose hops stay in the mesh and take permitted turns. *)
Section Models.
  Variables w h : Z.
  Variable destination : Type.
  Variable home : Turns.chan -> destination -> Prop.
  Variable first : destination -> Turns.chan -> Prop.
  Variable next : destination -> Turns.chan -> Turns.chan -> Prop.
  Hypothesis first_inside : forall d c, first d c -> Turns.inside w h c.
  Notation turns := (Turns.turns destination home first next).

  Theorem west_first_states : (forall d c c', next d c c' -> Turns.follows w h west_first c c') -> lowered_free turns (west_first_rank w h).
  Proof. intro H; exact (lowered_states turns _ (turns_lowered w h _ _ home first next first_inside H _ (west_first_lower w h))). Qed.
  Theorem north_last_states : (forall d c c', next d c c' -> Turns.follows w h north_last c c') -> lowered_free turns (north_last_rank w h).
  Proof. intro H; exact (lowered_states turns _ (turns_lowered w h _ _ home first next first_inside H _ (north_last_lower w h))). Qed.
  Theorem negative_first_states : (forall d c c', next d c c' -> Turns.follows w h negative_first c c') -> lowered_free turns (negative_first_rank w h).
  Proof. intro H; exact (lowered_states turns _ (turns_lowered w h _ _ home first next first_inside H _ (negative_first_lower w h))). Qed.
  Theorem odd_even_states : (forall d c c', next d c c' -> Turns.follows w h odd_even c c') -> lowered_free turns (odd_even_rank w h).
  Proof. intro H; exact (lowered_states turns _ (turns_lowered w h _ _ home first next first_inside H _ (odd_even_lower w h))). Qed.
End Models.

(* Graphs. *)
Section Graphs.
  Variable vertex : Type.
  Variable link : vertex -> vertex -> Prop.
  Variable place : vertex -> nat.
  Variable size : nat.
  Hypothesis place_small : forall v, (place v < size)%nat.
  Hypothesis place_once : forall v w, place v = place w -> v = w.

  Theorem updown_states : forall (first : vertex -> UpDown.chan vertex -> Prop) (next : vertex -> UpDown.chan vertex -> UpDown.chan vertex -> Prop),
    (forall d c, first d c -> link (UpDown.from vertex c) (UpDown.to vertex c) /\ UpDown.from vertex c <> UpDown.to vertex c) ->
    (forall d c c', next d c c' -> link (UpDown.from vertex c') (UpDown.to vertex c') /\ UpDown.from vertex c' <> UpDown.to vertex c' /\
      UpDown.from vertex c' = UpDown.to vertex c) ->
    (forall d c c', next d c c' -> ~ UpDown.up vertex place c -> ~ UpDown.up vertex place c') ->
    lowered_free (UpDown.updown vertex first next) (UpDown.updown_rank vertex place size).
  Proof.
    intros first next F X U; exact (lowered_states _ _ (UpDown.updown_lowered vertex link place size place_small place_once first next F X U)).
  Qed.
  Theorem hopindex_states : forall vcs (first : vertex -> HopIndex.chan vertex -> Prop) (next : vertex -> HopIndex.chan vertex -> HopIndex.chan vertex -> Prop),
    (forall d c c', next d c c' -> HopIndex.vc vertex c' = S (HopIndex.vc vertex c) /\ (HopIndex.vc vertex c' < vcs)%nat) ->
    lowered_free (HopIndex.hopindex vertex first next) (HopIndex.hopindex_rank vertex vcs).
  Proof. intros vcs first next R; exact (lowered_states _ _ (HopIndex.hopindex_lowered vertex vcs first next R)). Qed.
End Graphs.

(* Escapes. *)
Lemma routed_sole : forall g r, sole_alternative (routed g r).
Proof. intros g r s; eexists; intro b; split; intro E; exact E. Qed.

Theorem duato_states : forall k n, 2 <= k -> escapes_free (DuatoMesh.duato k n) (DuatoMesh.duato_rank k n).
Proof. intros k n k2; exact (escapes_states _ _ (routed_sole _ _) (DuatoMesh.duato_escapes k n k2)). Qed.
Theorem star_states : forall k n rule, 2 <= k -> one_way k rule -> escapes_free (StarChannel.star k n rule) (StarChannel.star_rank k n).
Proof. intros k n rule k2 L; exact (escapes_states _ _ (routed_sole _ _) (StarChannel.star_escapes k n k2 rule L)). Qed.
Theorem duato_torus_states : forall k n rule, 2 <= k -> one_way k rule ->
  escapes_free (DuatoTorus.duato_torus k n rule) (DuatoTorus.duato_torus_rank k n).
Proof. intros k n rule k2 L; exact (escapes_states _ _ (routed_sole _ _) (DuatoTorus.duato_torus_escapes k n k2 rule L)). Qed.
