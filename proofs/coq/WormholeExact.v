(* How exact ranks are for packets that hold several channels.

   Wormhole.v proves that no set of packets waits for itself if channels have ranks such that every waiting packet has a hop
   into a channel below all that it may still hold. Its sets may overlap: two packets may hold the same channel.
   Proved: for finite networks such ranks exist exactly where no such set waits for itself ([wormhole_exact]), and exactly where
   unknot's certificate of kind "extended-escape" exists, which bounds for each site what a packet may hold
   ([held_exact]). So that certificate misses nothing but what follows from a channel having one packet at a time.
   And that is a real gap: a network of four channels has no ranks, but no set of packets that share no channel waits for
   itself ([disjoint_gap]). unknot decides such networks by a proof that no such set exists.
   Assumed: finitely many channels, alternatives, and pairs of a site and a channel that a packet there may hold; equality of
   sites can be told. Not proved: a condition by ranks that is exact for sets that share no channel. *)
Require Import List Arith Lia Packets Wormhole.
Import ListNotations.

Section Holding.
  Variable N : network.

  (* holds s c: a packet whose head waits at s may still hold the channel c. *)
  Inductive holds : site N -> channel N -> Prop :=
  | holds_first : forall s, injected N s -> holds s (at_ N s)
  | holds_here : forall s a t, reached N s -> alternative N s a -> a (Go t) -> holds t (at_ N t)
  | holds_still : forall s a t c, holds s c -> alternative N s a -> a (Go t) -> holds t c.

  Lemma holds_reached : forall s c, holds s c -> reached N s.
  Proof.
    intros s c H; induction H as [s Hi | s a t Hs Ha Ht | s a t c _ IH Ha Ht];
      [exact (reached_first N s Hi) | exact (reached_next N s a t Hs Ha Ht) | exact (reached_next N s a t IH Ha Ht)].
  Qed.
  Lemma reached_holds : forall s, reached N s -> holds s (at_ N s).
  Proof. intros s H; destruct H as [s Hi | s a t Hs Ha Ht]; [exact (holds_first s Hi) | exact (holds_here s a t Hs Ha Ht)]. Qed.
  Lemma holds_worm : forall s c, holds s c -> forall a, alternative N s a -> exists l, worm N l s a /\ In c l.
  Proof.
    intros s c H; induction H as [s Hi | s a t Hs Ha Ht | s a t c H IH Ha Ht]; intros b Hb.
    - exists [at_ N s]; split; [exact (worm_first N s b Hi Hb) | left; reflexivity].
    - exists [at_ N t]; split; [|left; reflexivity].
      exact (worm_of_site N t (reached_next N s a t Hs Ha Ht) b Hb).
    - destruct (IH a Ha) as (l & Hw & Hc); exists (at_ N t :: l); split; [exact (worm_next N l s a t b Hw Ht Hb) | right; exact Hc].
  Qed.
  Lemma worm_holds : forall l s a, worm N l s a -> forall c, In c l -> holds s c.
  Proof.
    intros l s a H; induction H as [s a Hi _ | l s a t b Hw IH Ht _ | l c s a _ IH _]; intros d Hd.
    - destruct Hd as [<-|[]]; exact (holds_first s Hi).
    - destruct (worm_site N l s a Hw) as [Hs Ha]; destruct Hd as [<-|Hd]; [exact (holds_here s a t Hs Ha Ht)|].
      exact (holds_still s a t d (IH d Hd) Ha Ht).
    - apply IH, in_or_app; auto.
  Qed.
End Holding.

Section Exact.
  Variable N : network.
  Hypothesis same : forall c d : channel N, {c = d} + {c <> d}.
  Variable channels : list (channel N).
  Hypothesis all_channels : forall c, In c channels.
  Variable holding : list (site N * channel N).
  Hypothesis all_holding : forall s c, In (s, c) holding <-> holds N s c.
  Variable choices : site N -> list (list (hop (site N))).
  Hypothesis all_choices : forall s a, alternative N s a <-> exists l, In l (choices s) /\ a = (fun h => In h l).

  (* The network of what packets hold: a packet at s waits in every channel that it may hold. *)
  Definition lifted (h : hop (site N)) : hop (site N * channel N) :=
    match h with Leave => Leave | Go t => Go (t, at_ N t) end.
  Definition held_network : network := {|
    channel := channel N;
    site := site N * channel N;
    at_ := snd;
    alternative := fun p a => exists l, In l (choices (fst p)) /\ a = (fun h => In h (map lifted l));
    injected := fun p => holds N (fst p) (snd p) |}.

  Lemma held_reached : forall p, reached held_network p <-> holds N (fst p) (snd p).
  Proof.
    intro p; split; [|exact (reached_first held_network p)].
    intro H; induction H as [p Hi | p a q _ IH (l & Hl & ->) Hq]; [exact Hi|].
    apply in_map_iff in Hq; destruct Hq as ([|t] & E & Ht); [discriminate|]; injection E as <-; cbn.
    apply (holds_here N (fst p) (fun h => In h l)); [exact (holds_reached N _ _ IH) | apply all_choices; eauto | exact Ht].
  Qed.

  Lemma held_sites : forall p, In p holding <-> reached held_network p.
  Proof. intros [s c]; rewrite all_holding; symmetry; exact (held_reached (s, c)). Qed.
  Lemma held_choices : forall p a, alternative held_network p a <->
    exists l, In l (map (map lifted) (choices (fst p))) /\ a = (fun h => In h l).
  Proof.
    intros p a; split.
    - intros (l & Hl & ->); exists (map lifted l); split; [apply in_map; exact Hl | reflexivity].
    - intros (l' & Hl & ->); apply in_map_iff in Hl; destruct Hl as (l & <- & Hl); exists l; auto.
  Qed.

  Lemma least : forall (rank : channel N -> nat) l, l <> [] -> exists c, In c l /\ forall d, In d l -> rank c <= rank d.
  Proof.
    intros rank l; induction l as [|c l IH]; intro H; [contradiction|].
    destruct l as [|d l]; [exists c; split; [left; reflexivity | intros e [<-|[]]; lia]|].
    destruct IH as (e & He & Hmin); [discriminate|].
    destruct (le_lt_dec (rank c) (rank e)) as [Hle|Hlt].
    - exists c; split; [left; reflexivity | intros f [<-|Hf]; [lia | specialize (Hmin f Hf); lia]].
    - exists e; split; [right; exact He | intros f [<-|Hf]; [lia | exact (Hmin f Hf)]].
  Qed.

  Lemma ranked_escapes : forall rank, ranked held_network rank -> escapes N rank.
  Proof.
    intros rank H l s a Hw Hh; destruct (worm_site N l s a Hw) as [_ Ha].
    destruct (least rank l (worm_nonempty N l s a Hw)) as (c & Hc & Hmin).
    apply all_choices in Ha; destruct Ha as (hs & Hhs & ->).
    destruct (H (s, c) (fun h => In h (map lifted hs))) as [Hl | ([t d] & Ht & Hlow)].
    - apply held_reached; exact (worm_holds N l s _ Hw c Hc).
    - exists hs; auto.
    - destruct Hh as [h Hh]; exists (lifted h); exact (in_map lifted hs h Hh).
    - left; apply in_map_iff in Hl; destruct Hl as ([|t] & E & Hl); [exact Hl | discriminate].
    - right; apply in_map_iff in Ht; destruct Ht as ([|t'] & E & Ht); [discriminate|]; injection E as -> <-.
      exists t; split; [exact Ht|]; intros e He; cbn in Hlow; specialize (Hmin e He); lia.
  Qed.

  Theorem wormhole_exact : (exists rank, escapes N rank) <-> ~ exists W, stuck_worms N W.
  Proof.
    split; [intros [rank H] [W HW]; exact (escapes_sound N rank H W HW)|].
    intro Hno.
    destruct (proj2 (ranked_iff_never_stuck held_network same channels all_channels holding held_sites
      (fun p => map (map lifted) (choices (fst p))) held_choices)) as [rank H]; [|exists rank; exact (ranked_escapes rank H)].
    intros (K & HK & _ & [(c0 & p0 & a0 & H0) Hall]); apply Hno.
    exists (fun l s a => worm N l s a /\ exists c hs, In c l /\ a = (fun h => In h hs) /\ K c (s, c) (fun h => In h (map lifted hs))).
    assert (G : forall c p a, K c p a -> exists l b, worm N l (fst p) b /\ In c l /\
              exists hs, b = (fun h => In h hs) /\ K c (fst p, c) (fun h => In h (map lifted hs))).
    { intros c [s d] a Hk; destruct (HK _ _ _ Hk) as (E & Hr & (hs & Hhs & ->)); cbn in E; subst d; cbn [fst] in *.
      apply held_reached in Hr; destruct (holds_worm N s c Hr (fun h => In h hs)) as (l & Hw & Hc); [apply all_choices; eauto|].
      exists l, (fun h => In h hs); split; [exact Hw | split; [exact Hc | exists hs; auto]]. }
    split.
    - destruct (G _ _ _ H0) as (l & b & Hw & Hc & hs & -> & Hk); exists l, (fst p0), (fun h => In h hs); split; [exact Hw | eauto].
    - intros l s a (Hw & c & hs & Hc & -> & Hk); split; [exact Hw|].
      destruct (Hall _ _ _ Hk) as ([h Hh] & Hl & Hnext); split; [|split].
      + apply in_map_iff in Hh; destruct Hh as (h' & _ & Hh); eauto.
      + intro X; apply Hl; exact (in_map lifted hs Leave X).
      + intros t Ht; destruct (Hnext (t, at_ N t)) as (p' & a' & Hk'); [exact (in_map lifted hs (Go t) Ht)|]; cbn in Hk'.
        destruct (G _ _ _ Hk') as (l' & b & Hw' & Hc' & hs' & -> & Hk''); exists l', (fst p'), (fun h => In h hs').
        split; [split; [exact Hw' | eauto] | exact Hc'].
  Qed.

  Hypothesis same_site : forall s t : site N, {s = t} + {s <> t}.

  (* The least rank of what a packet at s may hold. *)
  Definition at_site (s : site N) : list (channel N) :=
    map snd (filter (fun p => if same_site (fst p) s then true else false) holding).
  Lemma at_site_iff : forall s c, In c (at_site s) <-> holds N s c.
  Proof.
    intros s c; unfold at_site; rewrite in_map_iff, <- all_holding; split.
    - intros ([t d] & E & H); apply filter_In in H; destruct H as [H E2]; cbn in *; subst d.
      destruct (same_site t s) as [->|]; [exact H | discriminate].
    - intro H; exists (s, c); split; [reflexivity | apply filter_In; split; [exact H|]]; cbn.
      destruct (same_site s s); [reflexivity | contradiction].
  Qed.
  Definition lowest (rank : channel N -> nat) (s : site N) : nat :=
    match at_site s with [] => 0 | c :: l => fold_right (fun d m => Nat.min (rank d) m) (rank c) l end.
  Lemma lowest_le : forall rank s c, holds N s c -> lowest rank s <= rank c.
  Proof.
    intros rank s c H; apply at_site_iff in H; unfold lowest; destruct (at_site s) as [|d l]; [destruct H|].
    revert H; induction l as [|e l IH]; cbn; intro H; [destruct H as [->|[]]; lia|].
    destruct H as [->|[->|H]]; [specialize (IH (or_introl eq_refl)) | | specialize (IH (or_intror H))]; lia.
  Qed.
  Lemma lowest_is : forall rank s, reached N s -> exists c, holds N s c /\ lowest rank s = rank c.
  Proof.
    intros rank s H; apply reached_holds, at_site_iff in H.
    assert (G : exists c, In c (at_site s) /\ lowest rank s = rank c).
    { unfold lowest; destruct (at_site s) as [|d l]; [destruct H|]; clear H.
      induction l as [|e l (c & Hc & E)]; [exists d; split; [left; reflexivity | reflexivity]|]; cbn [fold_right].
      destruct (Nat.min_spec (rank e) (fold_right (fun d m => Nat.min (rank d) m) (rank d) l)) as [[_ ->] | [_ ->]].
      - exists e; split; [right; left; reflexivity | reflexivity].
      - exists c; split; [destruct Hc as [<-|Hc]; [left; reflexivity | right; right; exact Hc] | exact E]. }
    destruct G as (c & Hc & E); exists c; split; [apply at_site_iff; exact Hc | exact E].
  Qed.

  Theorem held_exact : forall rank, escapes N rank <-> exists held, held_ranks N rank held.
  Proof.
    intro rank; split; [|intros [held H]; exact (held_escapes N rank held H)].
    intro H; exists (lowest rank); split.
    - intros s Hi; apply lowest_le, holds_first; exact Hi.
    - intros s a t Hs Ha Ht; destruct (lowest_is rank s Hs) as (c & Hc & ->); split; apply lowest_le.
      + exact (holds_still N s a t c Hc Ha Ht).
      + exact (holds_here N s a t Hs Ha Ht).
    - intros s a Hs Ha Hh; destruct (lowest_is rank s Hs) as (c & Hc & ->).
      destruct (holds_worm N s c Hc a Ha) as (l & Hw & Hin).
      destruct (H l s a Hw Hh) as [|(t & Ht & Hlow)]; [left; assumption | right; exists t; split; [exact Ht | exact (Hlow c Hin)]].
  Qed.
End Exact.

(* ---- the gap ---- *)

(* Packets of flow One go from A by X or Y, and from X to C; those of Two from C by X or Y, and from X to A. *)
Inductive four := A | C | X | Y.
Inductive flow := One | Two.
Definition gap_hops (c : four) (f : flow) : list (hop (four * flow)) :=
  match c, f with
  | A, One => [Go (X, One); Go (Y, One)]
  | C, Two => [Go (X, Two); Go (Y, Two)]
  | X, One => [Go (C, One)]
  | X, Two => [Go (A, Two)]
  | _, _ => [Leave]
  end.
Definition gap : network := {|
  channel := four;
  site := four * flow;
  at_ := fst;
  alternative := fun s a => a = (fun h => In h (gap_hops (fst s) (snd s)));
  injected := fun s => s = (A, One) \/ s = (C, Two) |}.

Definition disjoint (N : network) (W : list (channel N) -> site N -> (hop (site N) -> Prop) -> Prop) :=
  forall l s a l' s' a' c, W l s a -> W l' s' a' -> In c l -> In c l' -> s = s'.

(* What a packet of the gap may hold. *)
Definition gap_holds (s : four * flow) : list four :=
  match s with
  | (A, One) => [A] | (X, One) => [X; A] | (Y, One) => [Y; A] | (C, One) => [C; X; A]
  | (C, Two) => [C] | (X, Two) => [X; C] | (Y, Two) => [Y; C] | (A, Two) => [A; X; C]
  end.
Lemma gap_worm : forall l s a, worm gap l s a -> (exists r, l = fst s :: r) /\ incl l (gap_holds s).
Proof.
  intros l s a H; induction H as [s a Hi _ | l s a t b Hw [_ IH] Ht _ | l c s a _ [[r E] IH] Hne].
  - split; [exists []; reflexivity|]; intros c [<-|[]]; destruct Hi as [-> | ->]; left; reflexivity.
  - split; [exists l; reflexivity|]; destruct (worm_site gap l s a Hw) as [_ Ha]; cbn in Ha; rewrite Ha in Ht.
    destruct s as [[| | |] [|]]; cbn in Ht; repeat destruct Ht as [Ht|Ht]; try discriminate; try contradiction;
      injection Ht as <-; intros c [<-|Hc]; try (apply IH in Hc); cbn in *; intuition (subst; auto).
  - split; [|intros d Hd; apply IH, in_or_app; auto].
    destruct l as [|d l]; [contradiction|]; injection E as -> _; exists l; reflexivity.
Qed.

(* Each of a set that waits is at X, as a packet at A or C may also take Y, which no waiting packet holds. *)
Lemma gap_waits : forall W, stuck_worms gap W -> forall l s a, W l s a -> fst s = X.
Proof.
  intros W [_ Hall].
  assert (Z : forall l s a, W l s a -> ~ In Y l).
  { intros l s a H HY; destruct (Hall l s a H) as (Hw & _ & Hl & _); destruct (gap_worm l s a Hw) as [_ Hi].
    destruct (worm_site gap l s a Hw) as [_ Ha]; cbn in Ha; subst a.
    apply Hi in HY; destruct s as [[| | |] [|]]; cbn in *; intuition discriminate. }
  intros l s a H; destruct (Hall l s a H) as (Hw & _ & Hl & Hnext); destruct (worm_site gap l s a Hw) as [_ Ha]; cbn in Ha; subst a.
  destruct s as [[| | |] [|]]; cbn in *; try reflexivity; try (exfalso; apply Hl; auto; fail).
  - destruct (Hnext (Y, One)) as (l' & s' & a' & H' & HY); [right; left; reflexivity | exfalso; exact (Z _ _ _ H' HY)].
  - destruct (Hnext (Y, Two)) as (l' & s' & a' & H' & HY); [right; left; reflexivity | exfalso; exact (Z _ _ _ H' HY)].
Qed.

Theorem disjoint_gap : (~ exists rank, escapes gap rank) /\ ~ exists W, disjoint gap W /\ stuck_worms gap W.
Proof.
  split.
  - intros [rank H]; apply (escapes_sound gap rank H (fun l s a =>
      l = [X; A] /\ s = (X, One) /\ a = (fun h => In h [Go (C, One)]) \/
      l = [X; C] /\ s = (X, Two) /\ a = (fun h => In h [Go (A, Two)]))); split;
      [exists [X; A], (X, One), (fun h => In h [Go (C, One)]); auto|].
    intros l s a [(-> & -> & ->) | (-> & -> & ->)].
    + split; [|split; [|split]].
      * apply (worm_next gap [A] (A, One) (fun h => In h (gap_hops A One)) (X, One)); [exact (worm_first gap (A, One) (fun h => In h (gap_hops A One)) (or_introl eq_refl) eq_refl) | left; reflexivity | reflexivity].
      * exists (Go (C, One)); left; reflexivity.
      * intros [E|[]]; discriminate.
      * intros t [E|[]]; injection E as <-; exists [X; C], (X, Two), (fun h => In h [Go (A, Two)]); split; [auto | right; left; reflexivity].
    + split; [|split; [|split]].
      * apply (worm_next gap [C] (C, Two) (fun h => In h (gap_hops C Two)) (X, Two)); [exact (worm_first gap (C, Two) (fun h => In h (gap_hops C Two)) (or_intror eq_refl) eq_refl) | left; reflexivity | reflexivity].
      * exists (Go (A, Two)); left; reflexivity.
      * intros [E|[]]; discriminate.
      * intros t [E|[]]; injection E as <-; exists [X; A], (X, One), (fun h => In h [Go (C, One)]); split; [auto | right; left; reflexivity].
  - intros (W & D & HW); pose proof (gap_waits W HW) as HX; destruct HW as [(l & s & a & H) Hall].
    assert (In_X : forall l s a, W l s a -> In X l).
    { intros l1 s1 a1 H1; destruct (Hall _ _ _ H1) as (Hw & _); destruct (gap_worm _ _ _ Hw) as [[r ->] _].
      left; exact (HX _ _ _ H1). }
    destruct (Hall l s a H) as (Hw & _ & _ & Hnext); destruct (worm_site gap l s a Hw) as [_ Ha]; cbn in Ha; subst a.
    pose proof (HX _ _ _ H) as E; destruct s as [c f]; cbn in E; subst c.
    assert (G : exists t : four * flow, In (Go t) (gap_hops X f) /\ ~ In (fst t) (gap_holds (X, f))).
    { destruct f; [exists (C, One) | exists (A, Two)]; (split; [left; reflexivity | cbn; intuition discriminate]). }
    destruct G as (t & Ht & Hno); destruct (Hnext t Ht) as (l' & s' & a' & H' & Hin).
    rewrite <- (D _ _ _ _ _ _ X H H' (In_X _ _ _ H) (In_X _ _ _ H')) in H'.
    destruct (Hall _ _ _ H') as (Hw' & _); destruct (gap_worm _ _ _ Hw') as [_ Hi]; exact (Hno (Hi _ Hin)).
Qed.
