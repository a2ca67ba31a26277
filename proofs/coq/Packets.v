(* Packets that wait for each other, and ranks.

   Proved: if channels have ranks such that every waiting packet has a hop into a channel of lower rank, then no set of
   packets waits for itself ([ranked_sound]). If there are finitely many channels and places, the converse is true as
   well ([ranked_iff_never_stuck]): so a rank exists exactly where no such set does. It is not needed for freedom from deadlock:
   the packets of such a set may be unable to come there all at once.

   A packet waits at a *site*: a channel together with all that the router knows of the packet. At a site the environment
   commits the packet to one of several *alternatives*, each a set of hops, and the router takes any hop of the
   alternative whose channel has room. Adaptive routing is one alternative of many hops; ECMP is many of one hop.
   [split_ranked] shows that choice is a splitting of sites: for ranks it is the same whether the environment chooses or
   each alternative is a site of its own.

   Assumed: packets wait as a whole in one channel (store-and-forward, virtual cut-through; Wormhole.v has the rest); sinks
   drain, so who may leave does; an alternative without hops is a dead end, and the packet is discarded. Room is in
   Room.v, the step by which packets move in Step.v. *)
Require Import List Arith Lia Bool.
Import ListNotations.

(* A hop leads out of the network, or to another site. *)
Inductive hop (site : Type) := Leave | Go (s : site).
Arguments Leave {site}.
Arguments Go {site} s.

Record network := {
  channel : Type;
  site : Type;
  at_ : site -> channel;                               (* where a packet at the site waits *)
  alternative : site -> (hop site -> Prop) -> Prop;    (* the sets of hops among which the environment chooses *)
  injected : site -> Prop                              (* where the first hop of a packet may lead *)
}.

Section Ranks.
  Variable N : network.
  Notation set := (hop (site N) -> Prop).

  (* The sites that packets can reach. *)
  Inductive reached : site N -> Prop :=
  | reached_first : forall s, injected N s -> reached s
  | reached_next : forall s a t, reached s -> alternative N s a -> a (Go t) -> reached t.

  (* Some waiting packets: K c s a says that one waits in channel c, at site s, committed to the alternative a. *)
  Definition waiting := channel N -> site N -> set -> Prop.
  Definition legal (K : waiting) :=
    forall c s a, K c s a -> at_ N s = c /\ reached s /\ alternative N s a.
  Definition one_a_channel (K : waiting) :=
    forall c s a s' a', K c s a -> K c s' a' -> s = s' /\ a = a'.

  (* They wait for each other for ever: none has arrived or is at a dead end, and each hop leads into a channel where
     another one waits. *)
  Definition stuck (K : waiting) :=
    (exists c s a, K c s a) /\
    (forall c s a, K c s a ->
       (exists h, a h) /\ ~ a Leave /\ (forall t, a (Go t) -> exists s' a', K (at_ N t) s' a')).

  (* Every site has in each alternative, unless it is a dead end, a way out or a hop into a channel of lower rank. *)
  Definition ranked (rank : channel N -> nat) :=
    forall s a, reached s -> alternative N s a -> (exists h, a h) ->
      a Leave \/ exists t, a (Go t) /\ rank (at_ N t) < rank (at_ N s).

  Theorem ranked_sound : forall rank, ranked rank -> forall K, legal K -> ~ stuck K.
  Proof.
    intros rank Hr K HK [(c0 & s0 & a0 & H0) Hall].
    assert (none : forall n c s a, rank c < n -> ~ K c s a).
    { induction n as [|n IH]; intros c s a Hn H; [lia|].
      destruct (HK c s a H) as (Hc & Hs & Ha).
      destruct (Hall c s a H) as (Hh & Hl & Hnext).
      destruct (Hr s a Hs Ha Hh) as [|(t & Ht & Hlow)]; [contradiction|].
      destruct (Hnext t Ht) as (s' & a' & H').
      apply (IH (at_ N t) s' a'); [rewrite Hc in Hlow; lia | exact H']. }
    exact (none (S (rank c0)) c0 s0 a0 (Nat.lt_succ_diag_r _) H0).
  Qed.

  (* If every hop lowers the rank, the dependency graph is acyclic, and the ranks are right whatever the router chooses. *)
  Definition lowered (rank : channel N -> nat) :=
    forall s a t, reached s -> alternative N s a -> a (Go t) -> rank (at_ N t) < rank (at_ N s).

  Theorem lowered_ranked : forall rank, lowered rank -> ranked rank.
  Proof.
    intros rank H s a Hs Ha [[|t] Hh]; [left; exact Hh | right; exists t; split; [exact Hh | exact (H s a t Hs Ha Hh)]].
  Qed.
End Ranks.

(* ---- choice ---- *)

(* The network in which each alternative is a site of its own. *)
Definition split (N : network) : network := {|
  channel := channel N;
  site := site N * (hop (site N) -> Prop);
  at_ := fun p => at_ N (fst p);
  alternative := fun p a => alternative N (fst p) (snd p) /\
    a = (fun h => match h with Leave => snd p Leave | Go (t, b) => snd p (Go t) /\ alternative N t b end);
  injected := fun p => injected N (fst p) /\ alternative N (fst p) (snd p) |}.

Lemma split_reached : forall N p, reached (split N) p -> reached N (fst p) /\ alternative N (fst p) (snd p).
Proof.
  intros N p H; induction H as [p [Hi Ha] | p a q _ [IH _] [Ha ->] Hq].
  - split; [apply reached_first; exact Hi | exact Ha].
  - destruct q as [t b]; destruct Hq as [Ht Hb]; cbn in *.
    split; [exact (reached_next N _ _ t IH Ha Ht) | exact Hb].
Qed.

Lemma reached_split : forall N s a,
  reached N s -> alternative N s a -> reached (split N) (s, a).
Proof.
  intros N s a H; revert a; induction H as [s Hi | s b t _ IH Hb Ht]; intros a Ha.
  - apply reached_first; split; [exact Hi | exact Ha].
  - eapply reached_next; [exact (IH b Hb) | split; [exact Hb | reflexivity] | split; [exact Ht | exact Ha]].
Qed.

(* Every hop leads to a site that has an alternative. *)
Definition has_alternatives (N : network) :=
  forall s a t, reached N s -> alternative N s a -> a (Go t) -> exists b, alternative N t b.

Theorem split_ranked : forall N, has_alternatives N ->
  forall rank, ranked N rank <-> ranked (split N) rank.
Proof.
  intros N full rank; split.
  - intros H p a Hp [Ha ->] [h Hh].
    destruct (split_reached N p Hp) as [Hs _].
    destruct (H (fst p) (snd p) Hs Ha) as [Hl | (t & Ht & Hlow)].
    + destruct h as [|[t b]]; [exists Leave | exists (Go t)]; tauto.
    + left; exact Hl.
    + right; destruct (full _ _ t Hs Ha Ht) as [b Hb]; exists (t, b); cbn; auto.
  - intros H s a Hs Ha [h Hh].
    destruct (H (s, a) _ (reached_split N s a Hs Ha) (conj Ha eq_refl)) as [Hl | ([t b] & [Ht _] & Hlow)].
    + destruct h as [|t]; [exists Leave; exact Hh|].
      destruct (full s a t Hs Ha Hh) as [b Hb]; exists (Go (t, b)); cbn; auto.
    + left; exact Hl.
    + right; exists t; cbn in *; auto.
Qed.

(* ---- the converse ---- *)

Section Converse.
  Variable N : network.
  Hypothesis same : forall c d : channel N, {c = d} + {c <> d}.
  Variable channels : list (channel N).
  Hypothesis all_channels : forall c, In c channels.
  Variable sites : list (site N).                      (* those that are reached *)
  Hypothesis all_sites : forall s, In s sites <-> reached N s.
  Variable choices : site N -> list (list (hop (site N))).   (* the alternatives, as lists *)
  Hypothesis all_choices : forall s a,
    alternative N s a <-> exists l, In l (choices s) /\ a = (fun h => In h l).

  Definition member (l : list (channel N)) c := if in_dec same c l then true else false.
  Lemma member_iff : forall l c, member l c = true <-> In c l.
  Proof. intros l c; unfold member; destruct (in_dec same c l); split; intros; auto; discriminate. Qed.

  (* A packet that can wait in c, committed to hops that all lead into l. *)
  Definition into (l : list (channel N)) (h : hop (site N)) : bool :=
    match h with Leave => false | Go t => member l (at_ N t) end.
  Definition blocked l (hs : list (hop (site N))) : bool :=
    match hs with [] => false | _ => forallb (into l) hs end.
  Definition candidates (c : channel N) : list (site N * list (hop (site N))) :=
    flat_map (fun s => if same (at_ N s) c then map (pair s) (choices s) else []) sites.
  Definition keeps l c := existsb (fun p => blocked l (snd p)) (candidates c).

  Lemma candidates_iff : forall c s l,
    In (s, l) (candidates c) <-> at_ N s = c /\ reached N s /\ In l (choices s).
  Proof.
    intros c s l; unfold candidates; rewrite in_flat_map; split.
    - intros (s' & Hs & H); destruct (same (at_ N s') c) as [E|]; [|destruct H].
      apply in_map_iff in H; destruct H as (l' & [= -> ->] & Hl).
      split; [exact E | split; [apply all_sites; exact Hs | exact Hl]].
    - intros (E & Hs & Hl); exists s; split; [apply all_sites; exact Hs|].
      destruct (same (at_ N s) c); [apply in_map; exact Hl | contradiction].
  Qed.

  (* Round after round, channels go in which no packet can wait for channels that are left. *)
  Definition peel l := filter (keeps l) l.
  Fixpoint left n := match n with 0 => channels | S m => peel (left m) end.
  Fixpoint survived n c := match n with
    | 0 => 0
    | S m => survived m c + (if member (left (S m)) c then 1 else 0) end.

  Lemma left_shrinks : forall m n c, m <= n -> In c (left n) -> In c (left m).
  Proof.
    intros m n c H; induction H as [|n H IH]; intro Hi; [exact Hi|].
    apply IH; cbn in Hi; apply filter_In in Hi; tauto.
  Qed.

  Lemma survived_all : forall n c, In c (left n) -> survived n c = n.
  Proof.
    induction n as [|n IH]; intros c H; [reflexivity|].
    pose proof (proj2 (member_iff (left (S n)) c) H) as Hm; cbn [survived]; rewrite Hm.
    rewrite IH; [lia | exact (left_shrinks n (S n) c (Nat.le_succ_diag_r n) H)].
  Qed.

  Lemma survived_gone : forall m c, ~ In c (left (S m)) -> forall n, m <= n -> survived n c = survived m c.
  Proof.
    intros m c H n Hn; induction Hn as [|n Hn IH]; [reflexivity|].
    cbn [survived]; rewrite IH.
    destruct (member (left (S n)) c) eqn:E; [|lia].
    apply member_iff in E; exfalso; apply H, (left_shrinks (S m) (S n)); [lia | exact E].
  Qed.

  Lemma survived_is : forall m n c, m <= n -> In c (left m) -> ~ In c (left (S m)) -> survived n c = m.
  Proof. intros m n c Hn Hi Ho; rewrite (survived_gone m c Ho n Hn); exact (survived_all m c Hi). Qed.

  Lemma goes : forall n c, ~ In c (left n) -> exists m, m < n /\ In c (left m) /\ ~ In c (left (S m)).
  Proof.
    induction n as [|n IH]; intros c H; [exfalso; apply H, all_channels|].
    destruct (in_dec same c (left n)) as [Hi|Ho].
    - exists n; repeat split; [lia | exact Hi | exact H].
    - destruct (IH c Ho) as (m & Hm & H1 & H2); exists m; repeat split; [lia | exact H1 | exact H2].
  Qed.

  Lemma filter_shorter : forall (f : channel N -> bool) l, length (filter f l) <= length l.
  Proof. induction l as [|c l IH]; cbn; [lia|]; destruct (f c); cbn; lia. Qed.
  Lemma filter_same : forall (f : channel N -> bool) l, length (filter f l) = length l -> filter f l = l.
  Proof.
    induction l as [|c l IH]; cbn; [reflexivity|]; intro H; destruct (f c); cbn in *.
    - f_equal; apply IH; lia.
    - pose proof (filter_shorter f l); lia.
  Qed.

  Definition last := S (length channels).
  Lemma ends : forall n, length (left n) + n <= length channels \/ exists m, m <= n /\ peel (left m) = left m.
  Proof.
    induction n as [|n IH]; [left; cbn; lia|].
    destruct IH as [IH | (m & Hm & E)]; [|right; exists m; split; [lia | exact E]].
    destruct (Nat.eq_dec (length (peel (left n))) (length (left n))) as [E|E].
    - right; exists n; split; [lia | exact (filter_same _ _ E)].
    - pose proof (filter_shorter (keeps (left n)) (left n)) as F.
      unfold peel in E; left; change (left (S n)) with (filter (keeps (left n)) (left n)); lia.
  Qed.
  Lemma last_stays : peel (left last) = left last.
  Proof.
    destruct (ends last) as [H | (m & Hm & E)]; [unfold last in H; lia|].
    assert (stays : forall n, m <= n -> left n = left m).
    { intros n H; induction H as [|n H IH]; [reflexivity | cbn [left]; rewrite IH; exact E]. }
    rewrite (stays last Hm); exact E.
  Qed.

  Lemma forallb_not : forall (f : hop (site N) -> bool) l, forallb f l = false -> exists h, In h l /\ f h = false.
  Proof.
    intros f l; induction l as [|h l IH]; cbn; intro H; [discriminate|].
    destruct (f h) eqn:E; [|exists h; auto].
    destruct (IH H) as (h' & ? & ?); exists h'; auto.
  Qed.

  (* If all channels go, the rounds that they survive are ranks. *)
  Lemma empty_ranked : left last = [] -> ranked N (survived last).
  Proof.
    intros E s a Hs Ha [h0 Hh0]; apply all_choices in Ha; destruct Ha as (l & Hl & ->).
    assert (Hc : ~ In (at_ N s) (left last)) by (rewrite E; intros []).
    destruct (goes last _ Hc) as (m & Hm & Hi & Ho).
    assert (Hb : blocked (left m) l = false).
    { destruct (blocked (left m) l) eqn:Eb; [|reflexivity].
      exfalso; apply Ho; cbn; apply filter_In; split; [exact Hi|].
      apply existsb_exists; exists (s, l); split; [apply candidates_iff; auto | exact Eb]. }
    unfold blocked in Hb; destruct l as [|h l]; [destruct Hh0|].
    destruct (forallb_not _ _ Hb) as ([|t] & Hin & Hf); [left; exact Hin|].
    right; exists t; split; [exact Hin|]; cbn in Hf.
    assert (Hn : ~ In (at_ N t) (left m)) by (intro H; apply member_iff in H; congruence).
    destruct (goes m _ Hn) as (m' & Hm' & Hi' & Ho').
    rewrite (survived_is m last (at_ N s)), (survived_is m' last (at_ N t)); auto; lia.
  Qed.

  (* If some stay, packets can wait in them for each other. *)
  Definition pick (l : list (channel N)) (c : channel N) := find (fun p => blocked l (snd p)) (candidates c).
  Lemma nonempty_stuck : left last <> [] -> exists K, legal N K /\ one_a_channel N K /\ stuck N K.
  Proof.
    intro E; set (l := left last) in *.
    exists (fun c s a => In c l /\ exists hs, pick l c = Some (s, hs) /\ a = (fun h => In h hs)).
    assert (picked : forall c s hs, pick l c = Some (s, hs) ->
              at_ N s = c /\ reached N s /\ In hs (choices s) /\ blocked l hs = true).
    { intros c s hs H; apply find_some in H; destruct H as [H Hb].
      apply candidates_iff in H; tauto. }
    assert (some : forall c, In c l -> exists s hs, pick l c = Some (s, hs)).
    { intros c Hc; assert (Hk : In c (peel l)) by (unfold l; rewrite last_stays; exact Hc).
      apply filter_In in Hk; destruct Hk as [_ Hk]; apply existsb_exists in Hk; destruct Hk as (p & Hp & Hb).
      destruct (pick l c) as [[s hs]|] eqn:Ep; [eauto|].
      pose proof (find_none _ _ Ep p Hp) as Hf; change (blocked l (snd p) = false) in Hf; rewrite Hb in Hf; discriminate. }
    split; [|split; [|split]].
    - intros c s a (_ & hs & Hp & ->); destruct (picked c s hs Hp) as (H1 & H2 & H3 & _).
      split; [exact H1 | split; [exact H2 | apply all_choices; eauto]].
    - intros c s a s' a' (_ & hs & Hp & ->) (_ & hs' & Hp' & ->).
      rewrite Hp in Hp'; injection Hp' as -> ->; auto.
    - destruct l as [|c r] eqn:El; [contradiction|].
      destruct (some c (or_introl eq_refl)) as (s & hs & Hp).
      exists c, s, (fun h => In h hs); split; [left; reflexivity | eauto].
    - intros c s a (Hc & hs & Hp & ->); destruct (picked c s hs Hp) as (_ & _ & _ & Hb).
      unfold blocked in Hb; destruct hs as [|h hs]; [discriminate|].
      rewrite forallb_forall in Hb; split; [exists h; left; reflexivity | split].
      + intro H; specialize (Hb _ H); discriminate.
      + intros t Ht; specialize (Hb _ Ht); cbn in Hb; apply member_iff in Hb.
        destruct (some _ Hb) as (s' & hs' & Hp'); exists s', (fun h => In h hs'); eauto.
  Qed.

  Theorem ranked_iff_never_stuck :
    (exists rank, ranked N rank) <-> ~ exists K, legal N K /\ one_a_channel N K /\ stuck N K.
  Proof.
    split.
    - intros [rank H] (K & HK & _ & Hs); exact (ranked_sound N rank H K HK Hs).
    - intro H; exists (survived last); apply empty_ranked.
      destruct (left last) eqn:E; [reflexivity|].
      exfalso; apply H, nonempty_stuck; congruence.
  Qed.
End Converse.
