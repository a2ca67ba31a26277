(* Up*/down* on every simple graph, with one VC and every order of its nodes (Schroeder et al., 1991).

   Proved: packets of whatever length never wait for each other ([updown_never_stuck]), as every hop lowers the rank of the
   channel ([updown_lowered]); so none moves for ever (Measures.v: lowered_measured). A link to a node that comes earlier in the order is up, all others
   are down; no packet goes up after it has gone down, whatever else its routing is. On a connected graph every pair has
   such a path, through the node that comes first, if all others have a link to an earlier one ([updown_connected]).
   Assumed: sinks drain; finitely many places in the order, and none of two nodes. Not proved here: that packets arrive. *)
Require Import List Arith Lia Packets Wormhole.

Section UpDown.
  Variable vertex : Type.
  Variable link : vertex -> vertex -> Prop.
  Variable place : vertex -> nat.                       (* the order *)
  Variable size : nat.
  Hypothesis place_small : forall v, place v < size.
  Hypothesis place_once : forall v w, place v = place w -> v = w.

  Record chan := { from : vertex; to : vertex }.
  Definition up (c : chan) := place (to c) < place (from c).
  (* What the routing permits for a destination, as long as it does not go up after down. *)
  Variable first : vertex -> chan -> Prop.
  Variable next : vertex -> chan -> chan -> Prop.
  Hypothesis first_link : forall d c, first d c -> link (from c) (to c) /\ from c <> to c.
  Hypothesis next_link : forall d c c', next d c c' -> link (from c') (to c') /\ from c' <> to c' /\ from c' = to c.
  Hypothesis no_up_after_down : forall d c c', next d c c' -> ~ up c -> ~ up c'.

  Definition updown : network := {|
    channel := chan;
    site := chan * vertex;
    at_ := fst;
    alternative := fun s a => a = (fun h => match h with
      | Leave => to (fst s) = snd s
      | Go t => snd t = snd s /\ next (snd s) (fst s) (fst t) end);
    injected := fun s => first (snd s) (fst s) |}.

  Definition updown_rank (c : chan) : nat :=
    if lt_dec (place (to c)) (place (from c)) then size + place (from c) else size - place (from c).

  Theorem updown_lowered : lowered updown updown_rank.
  Proof.
    intros s a t Hs -> (_ & Hn); unfold updown_rank; cbn.
    destruct (next_link _ _ _ Hn) as (_ & Hne & Ef); rewrite Ef in *.
    assert (Hloop : from (fst s) <> to (fst s)).
    { destruct Hs as [s H | s a u _ -> (E & H)]; [exact (proj2 (first_link _ _ H)) | exact (proj1 (proj2 (next_link _ _ _ H)))]. }
    assert (Hp : place (from (fst s)) <> place (to (fst s))) by (intro E; exact (Hloop (place_once _ _ E))).
    pose proof (place_small (from (fst s))); pose proof (place_small (to (fst s))).
    destruct (lt_dec (place (to (fst s))) (place (from (fst s)))) as [U|D];
      destruct (lt_dec (place (to (fst t))) (place (to (fst s)))) as [U'|D']; try lia.
    exfalso; apply (no_up_after_down _ _ _ Hn D); unfold up; rewrite Ef; exact U'.
  Qed.

  Theorem updown_never_stuck : never_stuck updown.
  Proof. exact (lowered_never_stuck updown updown_rank updown_lowered). Qed.

  (* Every pair has a path up, then down, if every node but the first has a link each way with an earlier one. *)
  Inductive path (dir : vertex -> vertex -> Prop) : vertex -> vertex -> Prop :=
  | path_none : forall v, path dir v v
  | path_hop : forall v w u, link v w -> dir v w -> path dir w u -> path dir v u.

  Lemma path_then : forall dir v w u, path dir v w -> link w u -> dir w u -> path dir v u.
  Proof.
    intros dir v w u H; induction H as [v | v x w Hl Hd _ IH]; intros H1 H2.
    - exact (path_hop dir v u u H1 H2 (path_none dir u)).
    - exact (path_hop dir v x u Hl Hd (IH H1 H2)).
  Qed.

  Theorem updown_connected : forall root,
    (forall v, v <> root -> exists w, link v w /\ link w v /\ place w < place v) ->
    forall v d, (forall a b : vertex, {a = b} + {a <> b}) ->
    exists r, path (fun a b => place b < place a) v r /\ path (fun a b => place a < place b) r d.
  Proof.
    intros root H v d same; exists root.
    assert (G : forall m v, place v < m ->
      path (fun a b => place b < place a) v root /\ path (fun a b => place a < place b) root v).
    { induction m as [|m IH]; intros u Hu; [lia|].
      destruct (same u root) as [->|Hne]; [split; apply path_none|].
      destruct (H u Hne) as (w & H1 & H2 & H3); destruct (IH w ltac:(lia)) as [I1 I2]; split.
      - exact (path_hop _ u w root H1 H3 I1).
      - exact (path_then _ root w u I2 H2 H3). }
    split; [exact (proj1 (G _ v (Nat.lt_succ_diag_r _))) | exact (proj2 (G _ d (Nat.lt_succ_diag_r _)))].
  Qed.
End UpDown.
