(* Channels that fill up until none of their packets can move: a deadlock that is reached from the empty network.

   Proved: if each channel of a set is the last of a way from a source whose other channels are outside the set, and the
   packets that come to wait there may take no hop but into channels of the set, then a reachable state has these channels
   full, and the first packet of each is stuck for good ([filled_stuck]). Theorems of the families use it to show that a
   condition cannot be left out, for every size.
   Assumed: packets move as a whole, by the step of Step.v; every channel has a place; the hops of these ways demand room
   for one packet. *)
Require Import List Arith Lia Packets Step Stuck.
Import ListNotations.

Section Filled.
  Variable N : network.
  Hypothesis same : forall c d : channel N, {c = d} + {c <> d}.
  Variable capacity : channel N -> nat.
  Variable room : site N -> site N -> nat.
  Variable entry : site N -> nat -> Prop.
  Notation set := (hop (site N) -> Prop).
  Notation reachable := (reachable N same capacity room entry).
  Hypothesis places : forall c, 1 <= capacity c.

  Variable W : list (channel N).
  (* A way to a site from a source, through channels outside W. *)
  Inductive way : site N -> Prop :=
  | way_first : forall s, injected N s -> entry s 1 -> way s
  | way_next : forall s a t, way s -> ~ In (at_ N s) W -> alternative N s a -> a (Go t) -> room s t = 1 ->
      at_ N s <> at_ N t -> way t.

  Variable filler : channel N -> site N.              (* the packets that fill a channel, and what they wait for *)
  Variable choice : channel N -> set.
  Hypothesis fillers : forall c, In c W -> at_ N (filler c) = c /\ way (filler c) /\ alternative N (filler c) (choice c).
  Hypothesis waits : forall c, In c W -> (exists h, choice c h) /\ ~ choice c Leave /\
    forall t, choice c (Go t) -> In (at_ N t) W /\ 1 <= room (filler c) t.

  (* The channels outside W are empty. *)
  Definition outside (st : state N) := forall d, ~ In d W -> st d = [].

  Lemma bring : forall s, way s -> forall b st, alternative N s b -> reachable st -> outside st ->
    length (st (at_ N s)) < capacity (at_ N s) ->
    exists st', reachable st' /\ st' (at_ N s) = st (at_ N s) ++ [(s, b)] /\ forall d, d <> at_ N s -> st' d = st d.
  Proof.
    intros s H; induction H as [s Hi He | s a t _ IH Hs Ha Ht Hroom Hne]; intros b st Hb Hst Ho Hlt.
    - exists (put N same st (at_ N s) (st (at_ N s) ++ [(s, b)])); split; [|split].
      + eapply steps_then; [exact Hst | apply (inject N same capacity room entry st s 1 b Hi He Hb); lia].
      + apply put_same.
      + intros d Hd; apply put_other; exact Hd.
    - destruct (IH a st Ha Hst Ho) as (st1 & H1 & E1 & O1); [rewrite (Ho _ Hs); cbn; pose proof (places (at_ N s)); lia|].
      rewrite (Ho _ Hs) in E1; cbn in E1; pose proof (O1 _ (not_eq_sym Hne)) as Et.
      eexists; split; [|split].
      + eapply steps_then; [exact H1 | apply (move N same capacity room entry st1 (at_ N s) s a [] t b E1 Ht Hb)].
        rewrite Et, Hroom; lia.
      + cbv zeta; rewrite put_same, put_other, Et by exact (not_eq_sym Hne); reflexivity.
      + intros d Hd; cbv zeta; rewrite put_other by exact Hd.
        destruct (same d (at_ N s)) as [->|E]; [rewrite put_same; symmetry; exact (Ho _ Hs) | rewrite put_other by exact E; exact (O1 d E)].
  Qed.

  Lemma fill_one : forall c, In c W -> forall m st, reachable st -> outside st -> length (st c) + m <= capacity c ->
    exists st', reachable st' /\ st' c = st c ++ repeat (filler c, choice c) m /\ forall d, d <> c -> st' d = st d.
  Proof.
    intros c Hc; destruct (fillers c Hc) as (E & Hw & Ha); induction m as [|m IH]; intros st H Ho Hm.
    - exists st; rewrite app_nil_r; auto.
    - destruct (bring _ Hw (choice c) st Ha H Ho) as (st1 & H1 & E1 & O1); [rewrite E; lia|]; rewrite E in E1, O1.
      destruct (IH st1 H1) as (st2 & H2 & E2 & O2).
      + intros d Hd; rewrite (O1 d); [exact (Ho d Hd) | intros ->; contradiction].
      + rewrite E1, app_length; cbn; lia.
      + exists st2; split; [exact H2 | split].
        * rewrite E2, E1, <- app_assoc; reflexivity.
        * intros d Hd; rewrite (O2 d Hd); exact (O1 d Hd).
  Qed.

  Lemma fill_all : forall l, incl l W -> exists st, reachable st /\
    (forall c, In c l -> st c = repeat (filler c, choice c) (capacity c)) /\ forall c, ~ In c l -> st c = [].
  Proof.
    induction l as [|c l IH]; intro Hl.
    - exists (empty N); split; [apply steps_none | split; [intros c [] | reflexivity]].
    - destruct IH as (st & H & Hin & Hout); [intros d Hd; apply Hl; right; exact Hd|].
      destruct (in_dec same c l) as [Hc|Hc].
      + exists st; split; [exact H | split].
        * intros d [<-|Hd]; auto.
        * intros d Hd; apply Hout; intro X; apply Hd; right; exact X.
      + destruct (fill_one c (Hl c (or_introl eq_refl)) (capacity c) st H) as (st' & H' & E & O).
        * intros d Hd; apply Hout; intro X; apply Hd, Hl; right; exact X.
        * rewrite (Hout c Hc); cbn; lia.
        * exists st'; split; [exact H' | split].
          -- intros d [<-|Hd]; [rewrite E, (Hout c Hc); reflexivity|].
             rewrite (O d); [exact (Hin d Hd) | intros ->; contradiction].
          -- intros d Hd; rewrite (O d); [apply Hout; intro X; apply Hd; right; exact X | intros ->; apply Hd; left; reflexivity].
  Qed.

  Theorem filled_stuck : exists st, reachable st /\
    forall c, In c W -> stuck_for_good N same capacity room entry st c (filler c, choice c).
  Proof.
    destruct (fill_all W (fun c H => H)) as (st & H & Hin & _); exists st; split; [exact H|].
    assert (head : forall c, In c W -> exists rest, st c = (filler c, choice c) :: rest).
    { intros c Hc; rewrite (Hin c Hc); pose proof (places c); destruct (capacity c); [lia | eexists; reflexivity]. }
    assert (B : blocked N capacity room (fun c => In c W) st).
    { intros c Hc; destruct (head c Hc) as [rest E]; destruct (waits c Hc) as (H1 & H2 & H3).
      exists (filler c), (choice c), rest; split; [exact E | split; [exact H1 | split; [exact H2|]]].
      intros t Ht; destruct (H3 t Ht) as [Hw Hr]; split; [exact Hw|].
      rewrite (Hin _ Hw), repeat_length; lia. }
    intros c Hc st' H'; destruct (head c Hc) as [rest E].
    destruct (stuck_stays N same capacity room entry _ st st' B H' c Hc) as [_ S]; exact (S _ _ E).
  Qed.
End Filled.
