(* Duato's scheme on k-ary n-cubes with datelines as the escape, for every k >= 2 and every n (Duato, 1993).

   VC 2 takes any minimal hop. VCs 0 and 1 are dimension order: VC 0 while the wrap-around link of the dimension lies ahead,
   VC 1 otherwise.
   Proved: wherever a packet waits, it is offered an escape that ranks below all channels that it may still hold
   ([duato_torus_escapes]); so packets of whatever length never wait for each other ([duato_torus_never_stuck]). At distance
   k/2 a rule may permit one way or both, as in StarChannel.v ([one_way]). With VC 0 for CA and VC 1 for CH, every hop is one of
   the *-channel scheme (StarChannel.v), and so is what a packet may hold; what is offered here is the lower of its escapes.
   Assumed: sinks drain. Not proved here: that packets arrive; they do, as every hop is minimal. *)
Require Import List Arith ZArith Lia Bool Packets Wormhole Grid Dateline StarChannel.
Import ListNotations.
Open Scope Z_scope.

Section DuatoTorus.
  Variable k : Z.
  Variable n : nat.
  Hypothesis k2 : 2 <= k.
  Notation torus := (torus k n).
  Variable rule : node -> node -> nat -> bool -> Prop.
  Hypothesis leaves_one : one_way k rule.
  Notation star := (star k n rule).

  Definition duato_torus_offers (x d : node) (c : chan) :=
    tail c = x /\ (dim c < n)%nat /\
    (minimal k (up c) (x (dim c)) (d (dim c)) /\ rule x d (dim c) (up c)) /\
    (vc c = 2%nat \/ lowest torus x d (dim c) /\ vc c = (if wraps (up c) (x (dim c)) (d (dim c)) then 0 else 1)%nat).
  Definition duato_torus := routed torus (by_node torus duato_torus_offers).

  Definition renamed (c : chan) : chan := {| tail := tail c; dim := dim c; up := up c;
    vc := match vc c with 0 => 1 | 1 => 0 | v => v end%nat |}.
  Definition duato_torus_rank (c : chan) : nat := star_rank k n (renamed c).

  Lemma offers_star : forall x d c, duato_torus_offers x d c -> star_offers k n rule x d (renamed c).
  Proof.
    intros x d c (H1 & H2 & H3 & H4); split; [exact H1 | split; [exact H2 | split; [exact H3|]]]; cbn [dim up vc renamed].
    destruct H4 as [-> | [Hl ->]]; [left; reflexivity | right; split; [exact Hl|]].
    destruct (wraps (up c) (x (dim c)) (d (dim c))); [left; reflexivity | right; split; reflexivity].
  Qed.

  Lemma worm_star : forall l s a, worm duato_torus l s a -> forall b, alternative star (renamed (fst s), snd s) b ->
    worm star (map renamed l) (renamed (fst s), snd s) b.
  Proof.
    intros l s a H; induction H as [s a (H1 & H2 & H3) _ | l s a t b Hw IH Ht Hb | l c s a _ IH Hne]; intros b' Hb'.
    - apply (worm_first star (renamed (fst s), snd s)); [split; [exact H1 | split; [exact H2 | exact (offers_star _ _ _ H3)]] | exact Hb'].
    - destruct (worm_site duato_torus l s a Hw) as [_ Ha]; cbn in Ha; rewrite Ha in Ht; destruct Ht as [E Ht].
      apply (worm_next star _ _ _ (renamed (fst t), snd t) b' (IH _ eq_refl)); [|exact Hb'].
      split; [exact E | exact (offers_star _ _ _ Ht)].
    - rewrite map_app in IH; apply (worm_tail star _ (renamed c)); [exact (IH b' Hb')|].
      destruct l; [contradiction | discriminate].
  Qed.

  Theorem duato_torus_escapes : escapes duato_torus duato_torus_rank.
  Proof.
    intros l s a Hw [h Hh]; pose proof (worm_star l s a Hw _ eq_refl) as Hs.
    destruct (worm_site duato_torus l s a Hw) as [_ Ha]; cbn in Ha; rewrite Ha in *.
    destruct h as [|t]; [left; exact Hh | right].
    destruct Hh as [_ (Et & Hi & [[Hne _] _] & _)]; cbn in Et.
    destruct (worm_outranks k n k2 rule _ _ _ Hs) as (H1 & H2 & H3 & H4); cbn [fst snd] in *.
    pose proof (head_in k n k2 rule _ _ _ H1 H3) as Hy; change (head torus (renamed (fst s))) with (head torus (fst s)) in *.
    destruct (lowest_exists torus _ _ _ Hi Hne) as (i & Hin & Hni & Hbelow).
    destruct (leaves_one (head torus (fst s)) (snd s) i) as (u & Hu & Hr).
    { destruct (some_way k k2 _ _ Hni (Hy i Hin) (H2 i Hin)); eauto. }
    pose (v := if wraps u (head torus (fst s) i) (snd s i) then 0%nat else 1%nat).
    exists ({| tail := head torus (fst s); dim := i; up := u; vc := v |}, snd s); split.
    - split; [reflexivity|]; split; [reflexivity | split; [exact Hin | split; [exact (conj Hu Hr) | right]]].
      split; [exact (conj Hin (conj Hni Hbelow)) | reflexivity].
    - intros c Hc; specialize (H4 (renamed c) (in_map renamed l c Hc) i u (conj Hin (conj Hni Hbelow)) Hu).
      unfold duato_torus_rank; unfold escape in H4; unfold star_rank at 1; cbn; unfold v; destruct (wraps u _ _); exact H4.
  Qed.

  Theorem duato_torus_never_stuck : never_stuck duato_torus.
  Proof. exact (escapes_never_stuck duato_torus duato_torus_rank duato_torus_escapes). Qed.
End DuatoTorus.
