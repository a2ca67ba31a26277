(* Message classes, and replies that a node sends when it has taken a request.

   A request leaves the network only when its node can send the reply, which needs room in a channel; so a request waits for
   replies, at a request buffer, which is a channel of its own here. Other hops stay within the class of the message.
   Proved: if each class has ranks among the channels that its messages use, and the classes have an order in which a message
   waits for later ones alone, then together they have ranks ([classes_ranked]), so no set of messages waits for itself
   ([classes_never_stuck]). If requests and replies use separate channels and replies are always taken, this is so
   ([request_reply]): the usual rule, of two virtual networks. Without separate channels it is not: [shared_stuck] is a
   network of two channels, one each way, in which a legal set of two requests waits for ever; the ranks that each class would
   have alone are not proved.
   Assumed: what Packets.v assumes; every request is answered, so one that is consumed without a reply is not covered. unknot
   does not use this file for its verdicts: their request buffers are channels of the table, and Checker.v is about that. Nothing bounds the outstanding requests. Not proved: what windows of outstanding requests
   add, with which channels may be shared. *)
Require Import List Arith Lia Bool Packets.
Import ListNotations.

Section Classes.
  Variable N : network.
  Variable most : nat.                              (* above all ranks *)
  Variable class : channel N -> nat.                (* of the messages that use it; a message waits for classes that are lower *)
  Variable rank : channel N -> nat.
  Hypothesis bounded : forall c, rank c < most.

  (* Every waiting message may leave, or has a hop to a lower class, or one in its class to a lower rank. *)
  Definition ordered := forall s a, reached N s -> alternative N s a -> (exists h, a h) ->
    a Leave \/ exists t, a (Go t) /\ (class (at_ N t) < class (at_ N s) \/
      class (at_ N t) = class (at_ N s) /\ rank (at_ N t) < rank (at_ N s)).

  Theorem classes_ranked : ordered -> ranked N (fun c => class c * most + rank c).
  Proof.
    intros H s a Hs Ha Hh; destruct (H s a Hs Ha Hh) as [Hl | (t & Ht & Hlow)]; [left; exact Hl | right].
    exists t; split; [exact Ht|]; pose proof (bounded (at_ N t)); pose proof (bounded (at_ N s)); nia.
  Qed.

  Theorem classes_never_stuck : ordered -> forall K, legal N K -> ~ stuck N K.
  Proof. intro H; exact (ranked_sound N _ (classes_ranked H)). Qed.
End Classes.

(* Requests that use channels in which reply is false, and replies in the others. *)
Section RequestReply.
  Variable N : network.
  Variable reply : channel N -> bool.
  Variable rank : channel N -> nat.
  Variable most : nat.
  Hypothesis bounded : forall c, rank c < most.

  (* A request moves on, or its reply is sent: its last hop leads into a channel of replies. *)
  Hypothesis requests : forall s a, reached N s -> reply (at_ N s) = false -> alternative N s a -> (exists h, a h) ->
    exists t, a (Go t) /\ (reply (at_ N t) = true \/ rank (at_ N t) < rank (at_ N s)).
  (* A reply is taken where it arrives, and its hops lead on among channels of replies. *)
  Hypothesis replies : forall s a, reached N s -> reply (at_ N s) = true -> alternative N s a -> (exists h, a h) ->
    a Leave \/ exists t, a (Go t) /\ reply (at_ N t) = true /\ rank (at_ N t) < rank (at_ N s).

  Theorem request_reply : forall K, legal N K -> ~ stuck N K.
  Proof.
    apply (classes_never_stuck N most (fun c => if reply c then 0 else 1) rank bounded).
    intros s a Hs Ha Hh; destruct (reply (at_ N s)) eqn:E.
    - destruct (replies s a Hs E Ha Hh) as [Hl | (t & Ht & Hr & Hlow)]; [left; exact Hl | right].
      exists t; rewrite Hr; auto.
    - destruct (requests s a Hs E Ha Hh) as (t & Ht & Hlow); right; exists t; split; [exact Ht|].
      destruct (reply (at_ N t)); [left; lia | right; destruct Hlow as [H | H]; [discriminate | auto]].
  Qed.
End RequestReply.

(* Two nodes with a channel each way, which requests and replies share. A request that has arrived needs the channel back for
   its reply; a reply is taken. *)
Definition shared : network := {|
  channel := bool;
  site := bool * bool;                              (* a channel, and whether a reply is in it *)
  at_ := fst;
  alternative := fun s a => a = (fun h => if snd s then h = Leave else h = Go (negb (fst s), true));
  injected := fun s => snd s = false |}.

Theorem shared_stuck : exists K, legal shared K /\ one_a_channel shared K /\ stuck shared K.
Proof.
  exists (fun c s a => s = (c, false) /\ a = (fun h => h = Go (negb c, true))).
  split; [|split; [|split]].
  - intros c s a [-> ->]; split; [reflexivity | split; [apply reached_first; reflexivity | reflexivity]].
  - intros c s a s' a' [-> ->] [-> ->]; split; reflexivity.
  - exists true, (true, false), (fun h => h = Go (false, true)); split; reflexivity.
  - intros c s a [-> ->]; split; [exists (Go (negb c, true)); reflexivity | split; [discriminate|]].
    intros t [= ->]; exists (negb c, false), (fun h => h = Go (negb (negb c), true)); split; reflexivity.
Qed.
