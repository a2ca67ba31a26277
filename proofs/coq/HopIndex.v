(* Hop-indexed VCs on every graph (Günther, 1981): hop number i of a packet is on VC i.

   Proved: packets of whatever length never wait for each other ([hopindex_never_stuck]), as every hop lowers the rank of
   the channel ([hopindex_lowered]), whatever the routing is; so none moves for ever (Measures.v: lowered_measured).
   Assumed: as many VCs as the longest path has hops; sinks drain. Not proved here: that packets arrive. *)
Require Import List Arith Lia Packets Wormhole.

Section HopIndex.
  Variable vertex : Type.
  Variable vcs : nat.
  Record chan := { from : vertex; to : vertex; vc : nat }.
  Variable first : vertex -> chan -> Prop.              (* by destination *)
  Variable next : vertex -> chan -> chan -> Prop.
  Hypothesis rises : forall d c c', next d c c' -> vc c' = S (vc c) /\ vc c' < vcs.

  Definition hopindex : network := {|
    channel := chan;
    site := chan * vertex;
    at_ := fst;
    alternative := fun s a => a = (fun h => match h with
      | Leave => to (fst s) = snd s
      | Go t => snd t = snd s /\ next (snd s) (fst s) (fst t) end);
    injected := fun s => first (snd s) (fst s) |}.

  Definition hopindex_rank (c : chan) : nat := vcs - vc c.

  Theorem hopindex_lowered : lowered hopindex hopindex_rank.
  Proof. intros s a t _ -> (_ & H); destruct (rises _ _ _ H) as [E Hlt]; unfold hopindex_rank; cbn; lia. Qed.

  Theorem hopindex_never_stuck : never_stuck hopindex.
  Proof. exact (lowered_never_stuck hopindex hopindex_rank hopindex_lowered). Qed.
End HopIndex.
