(* Tables of one member of a family: dimension order on a line of three nodes.

   Proved: they follow the relation of Mesh.v ([line_follows]), and are what Tables.v asks of tables ([line_proper]). So no
   channel is held for good there, here with packets of three flits in shared channels of two, and sinks that hold one packet
   ([line_free]). This shows that the hypotheses of Tables.v can be met, also where nodes are functions, as in Grid.v. *)
Require Import List Arith ZArith Lia Bool Packets Wormhole Grid Mesh Reference StuckFlits Shared Tables FamilyStates.
Import ListNotations.
Open Scope Z_scope.

Inductive three := Low | Middle | High.
Definition at_z (v : three) : Z := match v with Low => 0 | Middle => 1 | High => 2 end.
(* The direction, and whether it is the link between Middle and High. *)
Definition wire := (bool * bool)%type.
Definition leaves (c : wire) := match c with (true, false) => Low | (true, true) | (false, false) => Middle | (false, true) => High end.
Definition enters (c : wire) := match c with (false, false) => Low | (true, false) | (false, true) => Middle | (true, true) => High end.
Definition same_three : forall v w : three, {v = w} + {v <> w}.
Proof. decide equality. Defined.
Definition same_wire : forall c d : wire, {c = d} + {c <> d}.
Proof. decide equality; apply bool_dec. Defined.

Definition onto (c : wire) (d : three) : option (list (Reference.hop wire three)) := Some [{| to := Into c d; need := 1 |}].
Definition line_rows (p : Reference.place wire three) (d : three) : option (list (Reference.hop wire three)) := match p with
  | Source v => match v, d with
    | Low, Middle | Low, High => onto (true, false) d
    | Middle, High => onto (true, true) d
    | Middle, Low => onto (false, false) d
    | High, Middle | High, Low => onto (false, true) d
    | _, _ => None end
  | Inside c => match c, d with
    | (true, false), Middle | (true, true), High | (false, true), Middle | (false, false), Low => Some [{| to := Eject; need := 0 |}]
    | (true, false), High => onto (true, true) d
    | (false, true), Low => onto (false, false) d
    | _, _ => None end end.
Definition line : tables := {|
  same_buffer := same_wire; same_label := same_three; same_router := same_three;
  buffers := [(true, false); (true, true); (false, true); (false, false)];
  tail_of := leaves; head_of := enters; rows := line_rows;
  run_as := {| capacity := 2; later := 2; endless := false; flitwise := true; shared := true; elastic := true; sink := 1 |} |}.

Lemma line_proper : proper line.
Proof.
  split; cbn.
  - intros [[|] [|]]; tauto.
  - intros [[| |]|[[|] [|]]] [| |] r x c k E K X; cbn in E; try discriminate; injection E as <-; destruct K as [<-|[]]; cbn in X; try discriminate;
      injection X as <- <-; discriminate.
  - intros [[| |]|[[|] [|]]] [| |] r x E K; cbn in E; try discriminate; injection E as <-; destruct K as [<-|[]]; cbn; lia.
  - intros [[| |]|[[|] [|]]] [| |] r x c k E K X; cbn in E; try discriminate; injection E as <-; destruct K as [<-|[]]; cbn in X; try discriminate; cbn; lia.
  - lia.
  - discriminate.
  - repeat constructor; cbn; intuition discriminate.
  - intros [[[|] [|]] [| |]] _; discriminate.
Qed.

(* A site of the tables is one of the relation, where nodes are functions: the same position, and the same destination. *)
Definition stands_for (p : wire * three) (s : chan * node) := dim (fst s) = 0%nat /\ up (fst s) = fst (fst p) /\ vc (fst s) = 0%nat /\
  tail (fst s) 0%nat = at_z (leaves (fst p)) /\ snd s 0%nat = at_z (snd p).
Lemma line_follows : follows (xy 3 1) line stands_for.
Proof.
  split; cbn.
  - intros [| |] [| |] r x c k E K X; cbn in E; try discriminate; injection E as <-; destruct K as [<-|[]]; injection X as <- <-.
    all: match goal with |- exists s, stands_for (?c, ?k) s /\ _ =>
      exists ({| tail := fun _ => at_z (leaves c); dim := 0; up := fst c; vc := 0 |}, fun _ => at_z k) end.
    all: split; [repeat split | cbn; repeat split; try (intros j Hj; cbn; lia); cbn; lia].
  - intros [[|] [|]] [| |] r x d k s (E1 & E2 & E3 & E4 & E5) _ E K X; cbn in E; try discriminate; injection E as <-; destruct K as [<-|[]];
      try discriminate; injection X as <- <-; cbn in E1, E2, E3, E4, E5.
    all: eexists; exists ({| tail := head (mesh 3 1) (fst s); dim := 0; up := up (fst s); vc := 0 |}, snd s).
    all: assert (M : head (mesh 3 1) (fst s) 0%nat = at_z Middle) by (unfold head, moved; rewrite E1, E2, E4; reflexivity).
    all: split; [reflexivity | split; [|repeat split; cbn; auto]].
    all: split; [reflexivity | split; [reflexivity | split; [split; [cbn; lia | split; [cbn; rewrite M, E5; discriminate | intros j Hj; cbn in Hj; lia]]|]]].
    all: cbn; split; [reflexivity|]; rewrite E2, M, E5; reflexivity.
Qed.

Theorem line_free : free_of_deadlock line.
Proof.
  apply (xy_states 3 1 line stands_for (fun c => xy_rank 3 1 {| tail := fun _ => at_z (leaves c); dim := 0; up := fst c; vc := 0 |}) line_proper line_follows).
  intros c h s (E1 & E2 & _ & E4 & _); unfold xy_rank; cbn; rewrite E1, E2, E4; reflexivity.
Qed.
