(* The reference step of package spec, as a program, and what the theory says of it.

   [apply] is the step that unknot replays traces with: packets and flits, buffers, room, bubbles, sinks, atomic or shared
   channels, packets of one flit or many that stretch or shift as a whole. Extract.v makes an OCaml program of it, which
   tests compare with Go's step. Here a channel does not remember by whom it is fed, nor a packet where it ends, as they
   do in Go: both are looked up in the state ([fed], [end_of]).
   Proved, for whole packets: every move is a step of Step.v, and every step of Step.v is a move ([forth], [back]). So
   ranks imply that from every state that the moves reach some moves lead to the empty network ([reference_drains]), and
   no packet is stuck for good ([reference_never_stuck]); and a trace that [deadlock] accepts leads to packets that never
   move again ([deadlock_sound]).
   Assumed: tables list every site that a hop leads to, which spec.NewNetwork checks, and have no dead end, which delivery
   shows; sinks drain. Not proved here: anything about packets of several flits. For these StuckFlits.v says what a trace
   shows, and Flits.v what ranks imply. *)
Require Import List Arith Lia Bool Packets Step Stuck.
Import ListNotations.

Section Reference.
  Variable channel node header : Type.
  Hypothesis same : forall c d : channel, {c = d} + {c <> d}.
  Hypothesis same_header : forall h k : header, {h = k} + {h <> k}.
  Hypothesis same_node : forall v w : node, {v = w} + {v <> w}.
  Variable channels : list channel.
  Variable tail : channel -> node.
  Variable head : channel -> node.

  (* What a hop does: it leads into a channel with a new header, or ejects, or discards. *)
  Inductive way := Into (c : channel) (h : header) | Eject | Discard.
  (* A hop of a row, and how many packets must still fit before it is taken: 1, or room, or a bubble. *)
  Record hop := { to : way; need : nat }.
  (* Where a packet is: at its source, or in a channel. *)
  Inductive place := Source (v : node) | Inside (c : channel).
  Variable row : place -> header -> option (list hop).       (* None: no packet is there with that header *)

  Record scenario := {
    capacity : nat;         (* flits of a channel, or whole packets *)
    later : nat;            (* flits of a packet behind its head *)
    endless : bool;         (* a packet goes on until its source ends it *)
    flitwise : bool;        (* packets are of flits: channels have one at a time, unless shared *)
    shared : bool;
    elastic : bool;         (* flits move one by one; otherwise a packet of flits shifts as a whole *)
    sink : nat }.           (* packets that the sink of a node holds; 0: it drains at once *)
  Variable sc : scenario.

  (* The part of a packet in one channel. *)
  Record piece := { name : header; flits : nat; rest : nat; gone : option way }.
  Record state := { queue : channel -> list piece; held : node -> nat }.

  Inductive move :=
  | Advance (p : place) (h : header) (w : way)
  | Follow (c : channel) (h : header) (w : way)
  | Enter (v : node) (c : channel) (h : header)
  | Finish (v : node) (c : channel) (h : header)
  | Consume (v : node).

  Definition same_way (w x : way) : bool :=
    match w, x with
    | Into c h, Into d k => (if same c d then true else false) && (if same_header h k then true else false)
    | Eject, Eject | Discard, Discard => true
    | _, _ => false
    end.
  Definition whole := negb (flitwise sc).
  Definition atomic := flitwise sc && negb (shared sc).
  Definition shifts := flitwise sc && negb (elastic sc).
  Definition sum_flits (q : list piece) := list_sum (map flits q).
  Definition set_queue (s : state) c q : state :=
    {| queue := fun d => if same d c then q else queue s d; held := held s |}.
  Definition set_held (s : state) v n : state :=
    {| queue := queue s; held := fun w => if same_node w v then n else held s w |}.
  Definition nothing : state := {| queue := fun _ => []; held := fun _ => 0 |}.

  (* The channel from which the last packet of c is still coming. *)
  Definition feeds (s : state) (c d : channel) :=
    match queue s d with
    | {| gone := Some (Into e _) |} :: _ => if same e c then true else false
    | _ => false
    end.
  Definition fed (s : state) (c : channel) := find (feeds s c) channels.
  (* The channel where the packet that is in c ends. *)
  Fixpoint back_from (s : state) (fuel : nat) (c : channel) :=
    match fuel, fed s c with S n, Some d => back_from s n d | _, _ => c end.
  Definition end_of (s : state) (c : channel) := back_from s (length channels) c.
  Definition last_rest (q : list piece) := match rev q with p :: _ => rest p | [] => 0 end.
  Definition entering (s : state) c := match fed s c with Some _ => true | None => 0 <? last_rest (queue s c) end.

  Definition node_of (p : place) := match p with Source v => v | Inside c => head c end.
  Definition accepts (s : state) (p : place) (h : hop) :=
    match to h with
    | Discard => true
    | Eject => (sink sc =? 0) || (held s (node_of p) <? sink sc)
    | Into c _ => if atomic then match queue s c with [] => true | _ => false end
                  else (sum_flits (queue s c) + need h <=? capacity sc) && negb (entering s c)
    end.

  (* One flit leaves c, and the piece goes with its last. If packets shift, a flit leaves the end of the packet. *)
  Definition leave_from (s : state) (c : channel) : state :=
    let c := if shifts then
      end_of s (match queue s c with {| gone := Some (Into d _) |} :: _ => d | _ => c end) else c in
    match queue s c with
    | [] => s
    | p :: behind =>
      if shifts && (0 <? rest p) then
        set_queue s c ({| name := name p; flits := flits p; rest := if endless sc then rest p else rest p - 1; gone := gone p |} :: behind)
      else
        let p' := {| name := name p; flits := flits p - 1; rest := rest p; gone := gone p |} in
        let over := (flits p' =? 0) && (rest p =? 0) &&
          match fed s c, behind with Some _, [] => false | _, _ => true end in
        set_queue s c (if over then behind else p' :: behind)
    end.

  Definition change_last (q : list piece) (f : piece -> piece) : list piece :=
    match rev q with p :: before => rev before ++ [f p] | [] => [] end.
  Definition one_more (p : piece) := {| name := name p; flits := S (flits p); rest := rest p; gone := gone p |}.
  Definition entered (p : piece) :=
    {| name := name p; flits := S (flits p); rest := if endless sc then rest p else rest p - 1; gone := gone p |}.
  Definition finished (p : piece) := {| name := name p; flits := flits p; rest := 0; gone := gone p |}.

  (* The hop of a row that does the same; the first, if several do. *)
  Definition find_hop (r : list hop) (w : way) := find (fun h => same_way (to h) w) r.
  Definition waits_at (s : state) (p : place) (h : header) :=
    match p with
    | Source _ => true
    | Inside c => match queue s c with
      | x :: _ => (if same_header (name x) h then true else false) && (0 <? flits x) && match gone x with None => true | _ => false end
      | [] => false
      end
    end.

  Definition arrive (s : state) (p : place) (w : way) : state :=
    match w with
    | Into c h => set_queue s c (queue s c ++ [{| name := h; flits := 1; gone := None;
        rest := match p with Source _ => if whole then 0 else later sc | Inside _ => 0 end |}])
    | Eject => if sink sc =? 0 then s else set_held s (node_of p) (S (held s (node_of p)))
    | Discard => s
    end.
  Definition mark_gone (s : state) (c : channel) (w : way) : state :=
    match queue s c with
    | x :: behind => set_queue s c ({| name := name x; flits := flits x; rest := rest x; gone := Some w |} :: behind)
    | [] => s
    end.
  Definition advance (s : state) (p : place) (h : header) (w : way) : option state :=
    match row p h with
    | None => None
    | Some r => match find_hop r w with
      | None => None
      | Some x => if waits_at s p h && accepts s p x then
          let s := arrive s p w in
          Some (match p with Source _ => s | Inside c => leave_from (mark_gone s c w) c end)
        else None
      end
    end.

  Definition follow (s : state) (c : channel) (h : header) (w : way) : option state :=
    match queue s c with
    | {| name := k; flits := n; gone := Some x |} :: _ =>
      if (if same_header k h then true else false) && same_way x w && (0 <? n) then
        match w with
        | Into d _ => if elastic sc && (sum_flits (queue s d) <? capacity sc) then
            Some (leave_from (set_queue s d (change_last (queue s d) one_more)) c) else None
        | _ => Some (leave_from s c)
        end
      else None
    | _ => None
    end.

  (* The packet with header h that is still entering c from the source v. *)
  Definition at_source (s : state) (v : node) (c : channel) (h : header) :=
    match rev (queue s c) with
    | p :: _ => (if same_node (tail c) v then true else false) && (0 <? rest p) && (if same_header (name p) h then true else false)
    | [] => false
    end.
  (* Where a packet has ended, the channels that its last flit has left are given up. *)
  Fixpoint give_up (s : state) (fuel : nat) (c : channel) : state :=
    match fuel, rev (queue s c) with
    | S n, {| flits := 0; gone := Some w |} :: before =>
      let s := set_queue s c (rev before) in
      match w with Into d _ => give_up s n d | _ => s end
    | _, _ => s
    end.

  Definition apply (s : state) (m : move) : option state :=
    match m with
    | Advance p h w => advance s p h w
    | Follow c h w => follow s c h w
    | Enter v c h => if at_source s v c h && elastic sc && (sum_flits (queue s c) <? capacity sc) then
        Some (set_queue s c (change_last (queue s c) entered)) else None
    | Finish v c h => if at_source s v c h && endless sc then
        Some (give_up (set_queue s c (change_last (queue s c) finished)) (S (length channels)) c) else None
    | Consume v => if 0 <? held s v then Some (set_held s v (held s v - 1)) else None
    end.

  Fixpoint replay (s : state) (l : list move) : option state :=
    match l with [] => Some s | m :: l => match apply s m with Some s => replay s l | None => None end end.

  (* The moves of l lead to a state in which the channels of w wait for each other for ever. *)
  Definition closed (s : state) (w : list channel) (h : hop) :=
    match to h with
    | Into d _ => (if in_dec same d w then true else false) && (capacity sc <? length (queue s d) + need h)
    | _ => false
    end.
  Definition waits (s : state) (w : list channel) (c : channel) :=
    match queue s c with
    | p :: _ => match row (Inside c) (name p) with
      | Some (h :: r) => forallb (closed s w) (h :: r)
      | _ => false
      end
    | [] => false
    end.
  Definition deadlock (l : list move) (w : list channel) :=
    match replay nothing l, w with
    | Some s, _ :: _ => forallb (waits s w) w
    | _, _ => false
    end.

  (* ---- whole packets ---- *)
  Hypothesis whole_packets : flitwise sc = false.
  Hypothesis drains_at_once : sink sc = 0.
  Hypothesis all_channels : forall c, List.In c channels.
  Hypothesis once : NoDup channels.
  (* What spec.NewNetwork checks: each hop leads to a site of the tables, and demands no more than a channel holds. *)
  Hypothesis listed : forall p h r x c k, row p h = Some r -> List.In x r -> to x = Into c k -> row (Inside c) k <> None.
  Hypothesis fitting : forall p h r x, row p h = Some r -> List.In x r -> need x <= capacity sc.

  Definition row_of (s : channel * header) := match row (Inside (fst s)) (snd s) with Some r => r | None => [] end.
  Definition meaning (x : hop) : Packets.hop (channel * header) := match to x with Into c h => Go (c, h) | _ => Leave end.
  Definition offers (s : channel * header) (h : Packets.hop (channel * header)) := List.In h (map meaning (row_of s)).

  (* The network of the theory. *)
  Definition network_of : network := {|
    Packets.channel := channel;
    site := channel * header;
    at_ := fst;
    alternative := fun s a => row (Inside (fst s)) (snd s) <> None /\ a = offers s;
    injected := fun s => exists v h r x, row (Source v) h = Some r /\ find_hop r (Into (fst s) (snd s)) = Some x |}.
  Definition room (s t : channel * header) :=
    match find_hop (row_of s) (Into (fst t) (snd t)) with Some x => need x | None => 0 end.
  Definition entry (s : channel * header) (e : nat) :=
    exists v h r x, row (Source v) h = Some r /\ find_hop r (Into (fst s) (snd s)) = Some x /\ need x = e.

  Notation step := (Step.step network_of same (fun _ => capacity sc) room entry).
  Notation steps := (Step.steps network_of same (fun _ => capacity sc) room entry).
  Notation put := (Step.put network_of same).

  Definition packet_of (c : channel) (p : piece) : Step.packet network_of := ((c, name p), offers (c, name p)).
  Definition whole_piece (p : piece) := flits p = 1 /\ rest p = 0 /\ gone p = None.
  (* The same packets in the same places. *)
  Record means (s : state) (st : Step.state network_of) : Prop := {
    same_packets : forall c, st c = map (packet_of c) (queue s c);
    all_whole : forall c p, List.In p (queue s c) -> whole_piece p;
    none_held : forall v, held s v = 0 }.

  Lemma same_way_eq : forall w x, same_way w x = true -> w = x.
  Proof.
    intros [c h| |] [d k| |] H; try reflexivity; try discriminate; cbn in H.
    destruct (same c d) as [->|]; [|discriminate]; destruct (same_header h k) as [->|]; [reflexivity | discriminate].
  Qed.
  Lemma same_way_refl : forall w, same_way w w = true.
  Proof.
    intros [c h| |]; try reflexivity; cbn.
    destruct (same c c); [|contradiction]; destruct (same_header h h); [reflexivity | contradiction].
  Qed.

  Lemma find_hop_in : forall r w x, find_hop r w = Some x -> List.In x r /\ to x = w.
  Proof. intros r w x H; apply find_some in H; destruct H as [H1 H2]; split; [exact H1 | exact (same_way_eq _ _ H2)]. Qed.
  Lemma in_find_hop : forall r x, List.In x r -> exists y, find_hop r (to x) = Some y.
  Proof.
    intros r x H; unfold find_hop; destruct (find (fun h => same_way (to h) (to x)) r) eqn:E; [eauto|].
    pose proof (find_none _ _ E x H) as F; cbn in F; rewrite same_way_refl in F; discriminate.
  Qed.

  Lemma sum_length : forall s st c, means s st -> sum_flits (queue s c) = length (st c).
  Proof.
    intros s st c H; rewrite (same_packets _ _ H), map_length; pose proof (all_whole _ _ H c) as W.
    unfold sum_flits; induction (queue s c) as [|p q IH]; [reflexivity|].
    change (list_sum (map flits (p :: q))) with (flits p + list_sum (map flits q)); cbn [length].
    rewrite IH by (intros; apply W; right; assumption); destruct (W p (or_introl eq_refl)) as (-> & _); reflexivity.
  Qed.

  Lemma not_fed : forall s c d, (forall p q k, queue s d = p :: q -> gone p <> Some (Into c k)) -> feeds s c d = false.
  Proof.
    intros s c d H; unfold feeds; destruct (queue s d) as [|[n f r [[e k| |]|]] q] eqn:E; try reflexivity.
    destruct (same e c) as [->|]; [|reflexivity]; destruct (H _ _ k eq_refl); reflexivity.
  Qed.
  Lemma nobody : forall s c, (forall d, feeds s c d = false) -> fed s c = None.
  Proof.
    intros s c H; unfold fed; destruct (find (feeds s c) channels) as [d|] eqn:E; [|reflexivity].
    apply find_some in E; rewrite H in E; destruct E; discriminate.
  Qed.

  Lemma not_entering : forall s st c, means s st -> entering s c = false.
  Proof.
    intros s st c H; unfold entering; rewrite nobody.
    - unfold last_rest; destruct (rev (queue s c)) as [|p q] eqn:E; [reflexivity|].
      destruct (all_whole _ _ H c p) as (_ & -> & _); [apply in_rev; rewrite E; left; reflexivity | reflexivity].
    - intro d; apply not_fed; intros p q k E; destruct (all_whole _ _ H d p) as (_ & _ & G); [rewrite E; left; reflexivity|].
      rewrite G; discriminate.
  Qed.

  Lemma accepts_iff : forall s st p x c h, means s st -> to x = Into c h ->
    accepts s p x = true <-> length (st c) + need x <= capacity sc.
  Proof.
    intros s st p x c h H E; unfold accepts; rewrite E; unfold atomic; rewrite whole_packets; cbn [andb].
    rewrite (not_entering s st c H), andb_true_r, (sum_length s st c H); apply Nat.leb_le.
  Qed.
  Lemma accepts_out : forall s p x, (forall c h, to x <> Into c h) -> accepts s p x = true.
  Proof.
    intros s p x H; unfold accepts; destruct (to x) as [c h| |]; [destruct (H c h eq_refl) | | reflexivity].
    rewrite drains_at_once; reflexivity.
  Qed.

  Lemma put_means : forall s st c q, means s st -> (forall p, List.In p q -> whole_piece p) ->
    means (set_queue s c q) (put st c (map (packet_of c) q)).
  Proof.
    intros s st c q H W; constructor.
    - intro d; cbn; unfold Step.put; destruct (same d c) as [->|]; [reflexivity | apply (same_packets _ _ H)].
    - intros d p; cbn; destruct (same d c) as [->|]; [apply W | apply (all_whole _ _ H)].
    - exact (none_held _ _ H).
  Qed.
  (* States of the theory are functions, which are the same if their values are. *)
  Lemma means_same : forall s s' st st', means s st -> (forall c, queue s c = queue s' c) -> (forall v, held s v = held s' v) ->
    (forall c, st c = st' c) -> means s' st'.
  Proof.
    intros s s' st st' H Hq Hh Hst; constructor.
    - intro c; rewrite <- Hq, <- Hst; apply (same_packets _ _ H).
    - intros c p; rewrite <- Hq; apply (all_whole _ _ H).
    - intro v; rewrite <- Hh; apply (none_held _ _ H).
  Qed.

  (* The first packet of c has taken a hop, and nothing else has changed since: it leaves c whole. *)
  Lemma leave_whole : forall s c x behind w, flits x = 1 -> rest x = 0 -> queue s c = x :: behind ->
    (forall d, d <> c -> forall p q, queue s d = p :: q -> gone p = None) ->
    (forall h, w = Into c h -> behind <> []) ->
    forall d, queue (leave_from (mark_gone s c w) c) d = queue (set_queue s c behind) d.
  Proof.
    intros s c x behind w Hf Hr Hq Hd Hw d; unfold mark_gone; rewrite Hq; unfold leave_from, shifts; rewrite whole_packets; cbn [andb].
    cbn [queue set_queue]; destruct (same c c) as [_|]; [|contradiction]; cbn [flits rest gone name]; rewrite Hf, Hr; cbn [Nat.sub Nat.eqb andb].
    match goal with |- context [fed ?s' c] => assert (F : behind = [] -> fed s' c = None) end.
    { intro E; apply nobody; intro e; apply not_fed; intros p q k; cbn [queue set_queue].
      destruct (same e c) as [->|Hne].
      - intros [= <- _]; cbn; intros [= ->]; exact (Hw k eq_refl E).
      - intro Hp; rewrite (Hd e Hne p q Hp); discriminate. }
    destruct behind as [|y r]; [rewrite (F eq_refl)|]; cbn [queue set_queue];
      try (destruct (fed _ c)); cbn; destruct (same d c); reflexivity.
  Qed.

  Lemma advance_in : forall s st c x behind h w r y, means s st -> queue s c = x :: behind -> name x = h ->
    row (Inside c) h = Some r -> find_hop r w = Some y ->
    (forall d k, w = Into d k -> length (st d) + need y <= capacity sc) ->
    exists s', apply s (Advance (Inside c) h w) = Some s' /\ (forall v, held s' v = 0) /\
      forall d, queue s' d = match w with
        | Into e k => let q := queue (set_queue s c behind) in
            if same d e then q e ++ [{| name := k; flits := 1; rest := 0; gone := None |}] else q d
        | _ => queue (set_queue s c behind) d end.
  Proof.
    intros s st c x behind h w r y H Hq Hn Hr Hf Hroom.
    pose proof (find_hop_in _ _ _ Hf) as [_ Hto].
    destruct (all_whole _ _ H c x) as (Wf & Wr & Wg); [rewrite Hq; left; reflexivity|].
    assert (Acc : accepts s (Inside c) y = true).
    { destruct w as [d k| |].
      - apply (accepts_iff s st (Inside c) y d k H Hto); exact (Hroom d k eq_refl).
      - apply accepts_out; rewrite Hto; discriminate.
      - apply accepts_out; rewrite Hto; discriminate. }
    assert (W : forall d, d <> c -> forall p q, queue s d = p :: q -> gone p = None).
    { intros d _ p q E; apply (all_whole _ _ H d p); rewrite E; left; reflexivity. }
    unfold apply, advance; rewrite Hr, Hf; unfold waits_at; rewrite Hq, Hn, Wf, Wg, Acc.
    destruct (same_header h h) as [_|]; [|contradiction]; cbn [andb Nat.ltb Nat.leb].
    eexists; split; [reflexivity|]; split.
    { intro v; unfold leave_from, mark_gone, arrive; rewrite drains_at_once; cbn [Nat.eqb].
      repeat match goal with |- context [match ?e with _ => _ end] => destruct e; cbn [held set_queue] end; apply (none_held _ _ H). }
    intro d; destruct w as [e k| |].
    - (* into a channel *)
      set (new := {| name := k; flits := 1; rest := 0; gone := None |}).
      assert (Q : queue (arrive s (Inside c) (Into e k)) c = x :: (if same c e then behind ++ [new] else behind)).
      { cbn; destruct (same c e) as [<-|]; [rewrite Hq; reflexivity | exact Hq]. }
      rewrite (leave_whole (arrive s (Inside c) (Into e k)) c x _ (Into e k) Wf Wr Q).
      + cbn; destruct (same d c) as [->|Hdc].
        * destruct (same c e) as [<-|Hce]; [destruct (same c c); [reflexivity | contradiction]|]; reflexivity.
        * destruct (same d e) as [->|]; [|reflexivity]; destruct (same e c); [contradiction | reflexivity].
      + intros f Hfc p q; cbn; destruct (same f e) as [->|]; [|intro E; exact (W f Hfc p q E)].
        destruct (queue s e) as [|z t] eqn:Ez; cbn; intros [= <- _]; [reflexivity | exact (W e Hfc z t Ez)].
      + intros k' [= -> _]; destruct (same c c); [|contradiction]; destruct behind; discriminate.
    - cbn [arrive]; rewrite drains_at_once; cbn [Nat.eqb].
      rewrite (leave_whole s c x behind Eject Wf Wr Hq W ltac:(discriminate)); reflexivity.
    - cbn [arrive]; rewrite (leave_whole s c x behind Discard Wf Wr Hq W ltac:(discriminate)); reflexivity.
  Qed.

  Lemma alternative_of : forall c p r, row (Inside c) p = Some r -> alternative network_of (c, p) (offers (c, p)).
  Proof. intros c p r E; split; [cbn; congruence | reflexivity]. Qed.
  Lemma offers_in : forall c h r x, row (Inside c) h = Some r -> List.In x r -> offers (c, h) (meaning x).
  Proof. intros c h r x E Hx; unfold offers, row_of; cbn; rewrite E; apply in_map; exact Hx. Qed.

  (* A move is a step, or ejects a packet at its source, which changes nothing. *)
  Theorem forth : forall s st m s', means s st -> apply s m = Some s' -> exists st', steps st st' /\ means s' st'.
  Proof.
    intros s st m s' H E; destruct m as [p h w|c h w|v c h|v c h|v].
    - destruct p as [v|c]; cbn in E; unfold advance in E.
      + destruct (row (Source v) h) as [r|] eqn:Er; [|discriminate].
        destruct (find_hop r w) as [x|] eqn:Ef; [|discriminate]; cbn in E.
        destruct (accepts s (Source v) x) eqn:Ea; [|discriminate]; injection E as <-.
        destruct (find_hop_in _ _ _ Ef) as [Hx Hto]; destruct w as [c k| |].
        * apply (accepts_iff s st _ x c k H Hto) in Ea.
          pose proof (listed _ _ _ _ _ _ Er Hx Hto) as Hl.
          eexists; split.
          { eapply steps_more; [|apply steps_none].
            apply (inject network_of same (fun _ => capacity sc) room entry st (c, k) (need x) (offers (c, k)));
              [exists v, h, r, x; split; [exact Er | exact Ef] | exists v, h, r, x; auto | split; [exact Hl | reflexivity] | exact Ea]. }
          cbn; unfold whole; rewrite whole_packets; cbn [negb].
          rewrite (same_packets _ _ H c); change [((c, k), offers (c, k))] with (map (packet_of c) [{| name := k; flits := 1; rest := 0; gone := None |}]).
          rewrite <- map_app; apply put_means; [exact H|].
          intros p Hp; apply in_app_or in Hp; destruct Hp as [Hp | [<-|[]]]; [exact (all_whole _ _ H c p Hp)|].
          repeat split.
        * exists st; split; [apply steps_none|]; cbn; rewrite drains_at_once; exact H.
        * exists st; split; [apply steps_none | exact H].
      + destruct (row (Inside c) h) as [r|] eqn:Er; [|discriminate].
        destruct (find_hop r w) as [x|] eqn:Ef; [|discriminate].
        destruct (waits_at s (Inside c) h) eqn:Ew; [|discriminate]; cbn [andb] in E.
        destruct (accepts s (Inside c) x) eqn:Ea; [|discriminate]; injection E as E.
        unfold waits_at in Ew; destruct (queue s c) as [|y behind] eqn:Eq; [discriminate|].
        destruct (same_header (name y) h) as [En|]; [|discriminate].
        destruct (find_hop_in _ _ _ Ef) as [Hx Hto].
        assert (Hroom : forall d k, w = Into d k -> length (st d) + need x <= capacity sc).
        { intros d k ->; exact (proj1 (accepts_iff s st _ x d k H Hto) Ea). }
        destruct (advance_in s st c y behind h w r x H Eq En Er Ef Hroom) as (s1 & E1 & Hh & Hq).
        assert (s1 = s') as ->.
        { unfold apply, advance in E1; rewrite Er, Ef in E1; unfold waits_at in E1; rewrite Eq in E1.
          destruct (all_whole _ _ H c y) as (Wf & _ & Wg); [rewrite Eq; left; reflexivity|].
          rewrite En, Wf, Wg, Ea in E1; destruct (same_header h h); [|contradiction]; cbn in E1; injection E1 as <-; exact E. }
        assert (Hc : st c = ((c, h), offers (c, h)) :: map (packet_of c) behind).
        { rewrite (same_packets _ _ H c), Eq; cbn; unfold packet_of; rewrite En; reflexivity. }
        assert (Wb : forall p, List.In p behind -> whole_piece p).
        { intros p Hp; apply (all_whole _ _ H c); rewrite Eq; right; exact Hp. }
        pose proof (put_means s st c behind H Wb) as M.
        destruct w as [d k| |].
        * pose proof (listed _ _ _ _ _ _ Er Hx Hto) as Hl.
          eexists; split.
          { eapply steps_more; [|apply steps_none].
            apply (Step.move network_of same (fun _ => capacity sc) room entry st c (c, h) (offers (c, h)) _ (d, k) (offers (d, k)) Hc).
            - pose proof (offers_in c h r x Er Hx) as O; unfold meaning in O; rewrite Hto in O; exact O.
            - split; [exact Hl | reflexivity].
            - unfold room, row_of; cbn [fst snd]; rewrite Er, Ef; exact (Hroom d k eq_refl). }
          cbv zeta; cbn [at_ network_of fst].
          pose proof (put_means _ _ d (queue (set_queue s c behind) d ++ [{| name := k; flits := 1; rest := 0; gone := None |}]) M) as M2.
          assert (W2 : forall p, List.In p (queue (set_queue s c behind) d ++ [{| name := k; flits := 1; rest := 0; gone := None |}]) -> whole_piece p).
          { intros p Hp; apply in_app_or in Hp; destruct Hp as [Hp | [<-|[]]]; [exact (all_whole _ _ M d p Hp) | repeat split]. }
          specialize (M2 W2); rewrite map_app in M2; rewrite <- (same_packets _ _ M d) in M2.
          apply (means_same _ s' _ _ M2); [|intro v; rewrite Hh; apply (none_held _ _ H) | reflexivity].
          intro e; rewrite Hq; cbn; destruct (same e d) as [->|]; reflexivity.
        * eexists; split.
          { eapply steps_more; [|apply steps_none].
            apply (Step.leave network_of same (fun _ => capacity sc) room entry st c (c, h) (offers (c, h)) _ Hc).
            pose proof (offers_in c h r x Er Hx) as O; unfold meaning in O; rewrite Hto in O; exact O. }
          apply (means_same _ s' _ _ M); [intro e; rewrite Hq; reflexivity | intro v; rewrite Hh; apply (none_held _ _ H) | reflexivity].
        * eexists; split.
          { eapply steps_more; [|apply steps_none].
            apply (Step.leave network_of same (fun _ => capacity sc) room entry st c (c, h) (offers (c, h)) _ Hc).
            pose proof (offers_in c h r x Er Hx) as O; unfold meaning in O; rewrite Hto in O; exact O. }
          apply (means_same _ s' _ _ M); [intro e; rewrite Hq; reflexivity | intro v; rewrite Hh; apply (none_held _ _ H) | reflexivity].
    - exfalso; cbn in E; unfold follow in E; destruct (queue s c) as [|[n f r [g|]] q] eqn:Eq; try discriminate.
      destruct (all_whole _ _ H c {| name := n; flits := f; rest := r; gone := Some g |}) as (_ & _ & G); [rewrite Eq; left; reflexivity | discriminate].
    - exfalso; cbn in E; unfold at_source in E; destruct (rev (queue s c)) as [|x q] eqn:Eq; [discriminate|].
      destruct (all_whole _ _ H c x) as (_ & G & _); [apply in_rev; rewrite Eq; left; reflexivity|].
      rewrite G, andb_false_r in E; discriminate.
    - exfalso; cbn in E; unfold at_source in E; destruct (rev (queue s c)) as [|x q] eqn:Eq; [discriminate|].
      destruct (all_whole _ _ H c x) as (_ & G & _); [apply in_rev; rewrite Eq; left; reflexivity|].
      rewrite G, andb_false_r in E; discriminate.
    - exfalso; cbn in E; rewrite (none_held _ _ H) in E; discriminate.
  Qed.

  Hypothesis no_dead_end : forall s, reached network_of s -> row (Inside (fst s)) (snd s) <> Some [].

  (* A step is a move. *)
  Theorem back : forall s st st', means s st -> Step.sound network_of st -> step st st' ->
    exists m s', apply s m = Some s' /\ means s' st'.
  Proof.
    intros s st st' H Hs E; destruct E as [st [c k] e a Hi (v & h & r & x & Er & Ef & <-) [Hl ->] Hroom
                                         | st c [c1 h] a rest [d k] b Hc Ht [Hl ->] Hroom | st c [c1 h] a rest Hc Ha | st c [c1 h] a rest Hc Ha].
    - destruct (find_hop_in _ _ _ Ef) as [Hx Hto]; cbn [fst snd] in *.
      exists (Advance (Source v) h (Into c k)); eexists; split.
      + cbn; unfold advance; rewrite Er, Ef; cbn [waits_at andb].
        rewrite (proj2 (accepts_iff s st (Source v) x c k H Hto) Hroom); reflexivity.
      + cbn; unfold whole; rewrite whole_packets; cbn [negb].
        rewrite (same_packets _ _ H c); change [((c, k), offers (c, k))] with (map (packet_of c) [{| name := k; flits := 1; rest := 0; gone := None |}]).
        rewrite <- map_app; apply put_means; [exact H|].
        intros p Hp; apply in_app_or in Hp; destruct Hp as [Hp | [<-|[]]]; [exact (all_whole _ _ H c p Hp) | repeat split].
    - pose proof (same_packets _ _ H c) as P; rewrite Hc in P; destruct (queue s c) as [|y behind] eqn:Eq; [discriminate|].
      cbn in P; injection P as -> -> -> ->.
      unfold offers in Ht; apply in_map_iff in Ht; destruct Ht as (x & Hm & Hx).
      unfold row_of in Hx; cbn [fst snd] in Hx; destruct (row (Inside c) (name y)) as [r|] eqn:Er; [|destruct Hx].
      unfold meaning in Hm; destruct (to x) as [d' k'| |] eqn:Eto; try discriminate; injection Hm as -> ->.
      destruct (in_find_hop r x Hx) as [z Ez]; rewrite Eto in Ez.
      unfold room, row_of in Hroom; cbn [fst snd at_ network_of] in Hroom; rewrite Er, Ez in Hroom.
      destruct (advance_in s st c y behind (name y) (Into d k) r z H Eq eq_refl Er Ez) as (s1 & E1 & Hh & Hq);
        [intros d1 k1 [= <- <-]; exact Hroom|].
      exists (Advance (Inside c) (name y) (Into d k)), s1; split; [exact E1|].
      assert (Wb : forall p, List.In p behind -> whole_piece p).
      { intros p Hp; apply (all_whole _ _ H c); rewrite Eq; right; exact Hp. }
      pose proof (put_means s st c behind H Wb) as M.
      pose proof (put_means _ _ d (queue (set_queue s c behind) d ++ [{| name := k; flits := 1; rest := 0; gone := None |}]) M) as M2.
      assert (W2 : forall p, List.In p (queue (set_queue s c behind) d ++ [{| name := k; flits := 1; rest := 0; gone := None |}]) -> whole_piece p).
      { intros p Hp; apply in_app_or in Hp; destruct Hp as [Hp | [<-|[]]]; [exact (all_whole _ _ M d p Hp) | repeat split]. }
      specialize (M2 W2); rewrite map_app in M2; rewrite <- (same_packets _ _ M d) in M2.
      apply (means_same _ s1 _ _ M2); [|intro v; rewrite Hh; apply (none_held _ _ H) | reflexivity].
      intro e; rewrite Hq; cbn; destruct (same e d) as [->|]; reflexivity.
    - pose proof (same_packets _ _ H c) as P; rewrite Hc in P; destruct (queue s c) as [|y behind] eqn:Eq; [discriminate|].
      cbn in P; injection P as -> -> -> ->.
      unfold offers in Ha; apply in_map_iff in Ha; destruct Ha as (x & Hm & Hx).
      unfold row_of in Hx; cbn [fst snd] in Hx; destruct (row (Inside c) (name y)) as [r|] eqn:Er; [|destruct Hx].
      destruct (in_find_hop r x Hx) as [z Ez].
      destruct (advance_in s st c y behind (name y) (to x) r z H Eq eq_refl Er Ez) as (s1 & E1 & Hh & Hq);
        [intros d1 k1 E; unfold meaning in Hm; rewrite E in Hm; discriminate|].
      exists (Advance (Inside c) (name y) (to x)), s1; split; [exact E1|].
      assert (Wb : forall p, List.In p behind -> whole_piece p).
      { intros p Hp; apply (all_whole _ _ H c); rewrite Eq; right; exact Hp. }
      apply (means_same _ s1 _ _ (put_means s st c behind H Wb)); [|intro v; rewrite Hh; apply (none_held _ _ H) | reflexivity].
      intro e; rewrite Hq; unfold meaning in Hm; destruct (to x); [discriminate | reflexivity | reflexivity].
    - exfalso; destruct (Hs c (c1, h) a) as (Hat & Hr & Hl & ->); [rewrite Hc; left; reflexivity|]; cbn in Hat; subst c1.
      pose proof (no_dead_end _ Hr) as N0; cbn [fst snd] in *.
      destruct (row (Inside c) h) as [[|x r]|] eqn:Er; [congruence | | congruence].
      apply (Ha (meaning x)); exact (offers_in c h (x :: r) x Er (or_introl eq_refl)).
  Qed.

  Lemma nothing_means : means nothing (Step.empty network_of).
  Proof. constructor; [reflexivity | intros c p [] | reflexivity]. Qed.

  Lemma steps_trans : forall st st1 st2, steps st st1 -> steps st1 st2 -> steps st st2.
  Proof. intros st st1 st2 H K; induction H as [|x y z Hxy _ IH]; [exact K | exact (steps_more _ _ _ _ _ _ _ _ Hxy (IH K))]. Qed.

  Lemma replay_steps : forall l s st s', means s st -> replay s l = Some s' -> exists st', steps st st' /\ means s' st'.
  Proof.
    induction l as [|m l IH]; intros s st s' H E; cbn in E.
    - injection E as <-; exists st; split; [apply steps_none | exact H].
    - destruct (apply s m) as [s1|] eqn:E1; [|discriminate].
      destruct (forth s st m s1 H E1) as (st1 & H1 & M1); destruct (IH s1 st1 s' M1 E) as (st2 & H2 & M2).
      exists st2; split; [exact (steps_trans _ _ _ H1 H2) | exact M2].
  Qed.

  Lemma steps_replay : forall st st', steps st st' -> forall s, means s st -> Step.sound network_of st ->
    exists l s', replay s l = Some s' /\ means s' st'.
  Proof.
    intros st st' K; induction K as [st | st st1 st2 K1 _ IH]; intros s H Hs.
    - exists [], s; split; [reflexivity | exact H].
    - destruct (back s st st1 H Hs K1) as (m & s1 & E1 & M1).
      destruct (IH s1 M1 (step_sound network_of same _ room entry _ _ Hs K1)) as (l & s2 & E2 & M2).
      exists (m :: l), s2; split; [cbn; rewrite E1; exact E2 | exact M2].
  Qed.

  Section Ranked.
    Variable rank : channel -> nat.
    Hypothesis ranks : ranked network_of rank.

    Theorem reference_drains : forall l s, replay nothing l = Some s ->
      exists l' s', replay s l' = Some s' /\ forall c, queue s' c = [].
    Proof.
      intros l s E; destruct (replay_steps l nothing _ s nothing_means E) as (st & K & M).
      assert (D : exists st', steps st st' /\ forall c, st' c = []).
      { apply (drains network_of same channels (fun s _ => all_channels (at_ network_of s)) once (fun _ => capacity sc) room entry rank ranks); [| | |exact K].
        - intros [c h] a [d k] _ [_ ->] Ht; unfold offers in Ht; apply in_map_iff in Ht; destruct Ht as (x & Hm & Hx).
          unfold row_of in Hx; cbn [fst snd] in Hx; destruct (row (Inside c) h) as [r|] eqn:Er; [|destruct Hx].
          unfold meaning in Hm; destruct (to x) as [d' k'| |] eqn:Eto; try discriminate; injection Hm as -> ->.
          exists (offers (d, k)); split; [exact (listed _ _ _ _ _ _ Er Hx Eto) | reflexivity].
        - intros [c h] a _ [Hl ->]; unfold offers, row_of; cbn [fst snd] in *.
          destruct (row (Inside c) h) as [[|x r]|]; [right; intros h' [] | left; exists (meaning x); left; reflexivity | congruence].
        - intros [c h] a [d k] _ [_ ->] _; unfold room; destruct (find_hop (row_of (c, h)) (Into (fst (d, k)) (snd (d, k)))) as [x|] eqn:Ef; [|lia].
          destruct (find_hop_in _ _ _ Ef) as [Hx _]; unfold row_of in Hx; cbn [fst snd] in Hx.
          destruct (row (Inside c) h) as [r|] eqn:Er; [exact (fitting _ _ _ _ Er Hx) | destruct Hx]. }
      destruct D as (st' & K' & Hempty).
      destruct (steps_replay st st' K' s M (reachable_sound network_of same _ room entry st K)) as (l' & s' & E' & M').
      exists l', s'; split; [exact E'|]; intro c; pose proof (same_packets _ _ M' c) as P; rewrite Hempty in P.
      destruct (queue s' c); [reflexivity | discriminate].
    Qed.

    Theorem reference_never_stuck : forall l s c p, replay nothing l = Some s ->
      ~ forall l' s', replay s l' = Some s' -> exists behind, queue s' c = p :: behind.
    Proof.
      intros l s c p E H; destruct (reference_drains l s E) as (l' & s' & E' & Hempty).
      destruct (H l' s' E') as [behind X]; rewrite Hempty in X; discriminate.
    Qed.
  End Ranked.

  Theorem deadlock_sound : forall l w, deadlock l w = true -> exists s, replay nothing l = Some s /\ w <> [] /\
    forall c, List.In c w -> exists p, forall l' s', replay s l' = Some s' -> exists behind, queue s' c = p :: behind.
  Proof.
    intros l w H; unfold deadlock in H; destruct (replay nothing l) as [s|] eqn:E; [|discriminate].
    assert (H' : w <> [] /\ forallb (waits s w) w = true) by (destruct w; [discriminate | split; [discriminate | exact H]]).
    clear H; destruct H' as [Hne H']; exists s; split; [reflexivity|]; split; [exact Hne|].
    destruct (replay_steps l nothing _ s nothing_means E) as (st & K & M).
    assert (B : blocked network_of (fun _ => capacity sc) room (fun c => List.In c w) st).
    { intros c Hc; rewrite forallb_forall in H'; specialize (H' c Hc); unfold waits in H'.
      destruct (queue s c) as [|p q] eqn:Eq; [discriminate|].
      destruct (row (Inside c) (name p)) as [[|h r]|] eqn:Er; try discriminate; rewrite forallb_forall in H'.
      exists (c, name p), (offers (c, name p)), (map (packet_of c) q); split; [rewrite (same_packets _ _ M c), Eq; reflexivity|].
      split; [exists (meaning h); exact (offers_in c _ _ h Er (or_introl eq_refl))|].
      unfold offers, row_of; cbn [fst snd]; rewrite Er; split.
      - intro L; apply in_map_iff in L; destruct L as (x & Hm & Hx); specialize (H' x Hx); unfold closed in H'.
        unfold meaning in Hm; destruct (to x); discriminate.
      - intros [d k] L; apply in_map_iff in L; destruct L as (x & Hm & Hx).
        unfold meaning in Hm; destruct (to x) as [d' k'| |] eqn:Eto; try discriminate; injection Hm as -> ->.
        destruct (in_find_hop (h :: r) x Hx) as [y Ey]; rewrite Eto in Ey; destruct (find_hop_in _ _ _ Ey) as [Hy Hyto].
        specialize (H' y Hy); unfold closed in H'; rewrite Hyto in H'.
        destruct (in_dec same d w) as [Hd|]; [|discriminate]; split; [exact Hd|].
        cbn [andb] in H'; apply Nat.ltb_lt in H'; unfold room, row_of; cbn [fst snd at_ network_of]; rewrite Er, Ey.
        rewrite (same_packets _ _ M d), map_length; exact H'. }
    intros c Hc; destruct (B c Hc) as (s0 & a0 & r0 & E0 & _).
    pose proof (same_packets _ _ M c) as P; rewrite E0 in P; destruct (queue s c) as [|p q] eqn:Eq; [discriminate|].
    exists p; intros l' s' E'; destruct (replay_steps l' s st s' M E') as (st' & K' & M').
    destruct (stuck_stays network_of same _ room entry (fun c => List.In c w) st st' B K' c Hc) as [_ S].
    destruct (S _ _ E0) as [r1 E1]; pose proof (same_packets _ _ M' c) as P'; rewrite E1 in P'.
    destruct (queue s' c) as [|p' q'] eqn:Eq'; [discriminate|]; exists q'; f_equal.
    cbn in P, P'; injection P as P _; injection P' as P' _; subst s0.
    destruct (all_whole _ _ M c p) as (F1 & F2 & F3); [rewrite Eq; left; reflexivity|].
    destruct (all_whole _ _ M' c p') as (G1 & G2 & G3); [rewrite Eq'; left; reflexivity|].
    destruct p as [n f r g], p' as [n' f' r' g']; cbn in *; congruence.
  Qed.
End Reference.
