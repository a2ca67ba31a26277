(* Changes of routing tables while packets are under way: each router has the old table or the new one.

   Proved: if ranks are right for the union, which permits at every site what either table permits there, then in every
   mixture no set of packets waits for itself, whether packets keep to the table that they met on arrival or are looked up
   again ([union_never_stuck]). If packets are looked up again and the change ends, it is enough that ranks are right for the
   new table at all sites where mixtures may have brought packets ([final_never_stuck]). That each table has ranks alone is
   not enough: [each_alone] and [mixture_stuck] are a change of two routers in whose mixture packets wait
   for each other: a legal set, not said to be reached. This union keeps the alternatives of both tables apart; unknot calls
   it committed, and calls a union the tables whose rows are merged.
   Assumed: what Packets.v assumes; both tables know the sites to which the other one leads. Not proved: rounds, which are
   changes one after another, the second of which begins when the packets of the first have left; and a step in which
   tables are rewritten. *)
Require Import List Arith Lia Bool Packets.

Section Change.
  Variable channel site router : Type.
  Variable at_ : site -> channel.
  Variable of_ : site -> router.                     (* the router that decides at a site *)
  Variable old new : site -> (hop site -> Prop) -> Prop.
  Variable injected : site -> Prop.

  Definition with_table (t : site -> (hop site -> Prop) -> Prop) : network :=
    {| Packets.channel := channel; Packets.site := site; Packets.at_ := at_; alternative := t; Packets.injected := injected |}.
  Definition union := with_table (fun s a => old s a \/ new s a).
  (* m tells the routers that have the new table. *)
  Definition mixture (m : router -> bool) := with_table (fun s a => if m (of_ s) then new s a else old s a).
  (* The new table, with packets wherever mixtures may have brought them. *)
  Definition final : network :=
    {| Packets.channel := channel; Packets.site := site; Packets.at_ := at_; alternative := new; Packets.injected := reached union |}.

  Lemma mixture_reached : forall m s, reached (mixture m) s -> reached union s.
  Proof.
    intros m s H; induction H as [s Hi | s a t _ IH Ha Ht]; [apply reached_first; exact Hi|].
    apply (reached_next union s a t IH); [|exact Ht]; cbn in *; destruct (m (of_ s)); [right | left]; exact Ha.
  Qed.

  (* Packets that wait somewhere, each committed to what some table permitted at its site, at any time of the change. *)
  Theorem union_never_stuck : forall rank, ranked union rank -> forall K, legal union K -> ~ stuck union K.
  Proof. exact (ranked_sound union). Qed.

  Theorem mixture_never_stuck : forall rank, ranked union rank -> forall m K, legal (mixture m) K -> ~ stuck (mixture m) K.
  Proof.
    intros rank H m K HK; apply (union_never_stuck rank H K); intros c s a Hs.
    destruct (HK c s a Hs) as (Hc & Hr & Ha); split; [exact Hc | split; [exact (mixture_reached m s Hr)|]].
    cbn in *; destruct (m (of_ s)); [right | left]; exact Ha.
  Qed.

  Theorem final_never_stuck : forall rank, ranked final rank -> forall K : waiting final,
    (forall c s a, K c s a -> at_ s = c /\ reached union s /\ new s a) -> ~ stuck final K.
  Proof.
    intros rank H K HK; apply (ranked_sound final rank H); intros c s a Hs; destruct (HK c s a Hs) as (Hc & Hr & Ha).
    split; [exact Hc | split; [apply reached_first; exact Hr | exact Ha]].
  Qed.
End Change.

(* Two channels, each with a router at its end that may pass a packet on into the other channel, or out. The old table has
   packets leave from the second, the new one from the first. *)
Definition passes (first : bool) (s : bool) (a : hop bool -> Prop) := a = (fun h => if eqb s first then h = Leave else h = Go first).
Definition table (first : bool) := with_table bool bool (fun s => s) (fun _ => True) (passes first).

Theorem each_alone : forall first, ranked (table first) (fun c => if eqb c first then 0 else 1).
Proof.
  intros first s a _ -> _; cbn; destruct s, first; cbn; try (left; reflexivity); right; eexists; (split; [reflexivity | cbn; lia]).
Qed.

Theorem mixture_stuck : exists m K,
  let N := mixture bool bool bool (fun s => s) (fun s => s) (passes true) (passes false) (fun _ => True) m in
  legal N K /\ one_a_channel N K /\ stuck N K.
Proof.
  exists (fun r => r), (fun c s a => s = c /\ a = (fun h => h = Go (negb c))); cbv zeta; split; [|split; [|split]].
  - intros c s a [-> ->]; split; [reflexivity | split; [apply reached_first; exact I|]].
    destruct c; reflexivity.
  - intros c s a s' a' [-> ->] [-> ->]; auto.
  - exists true, true, (fun h => h = Go false); auto.
  - intros c s a [-> ->]; split; [exists (Go (negb c)); reflexivity | split; [discriminate|]].
    intros t [= ->]; exists (negb c), (fun h => h = Go (negb (negb c))); split; reflexivity.
Qed.
