package routing

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Transactions.
//
// A network with replies is compiled to one whose packets are transactions: a packet
// goes as a request from its source to the node that answers, takes a place of its
// request buffer, a channel that leads from the node to itself, and becomes the reply
// there, with another route from then on. So the dependencies between classes are
// dependencies between channels, and the code that decides, explores and verifies
// networks needs no change.
//
// The destination of a transaction is where its last message is consumed, its class
// that of its first message. Its tag says which messages are still to come, to whom,
// and the tag of the routing relation. What follows is chosen when a transaction
// begins, since only the data decide it: a router must not go another way because
// this one is blocked. So each plan, all that is to be sent, is a source of its own. If the routing commits packets, a
// plan has a source for each alternative of its first message, and a later message is committed as its request takes a
// place: a site there has the alternatives of the node that sends it. A message that is discarded ends its transaction,
// as nothing waits for it but bounds on outstanding requests. Where nodes reply to the origin
// there is a tag for every node that answers, so with N nodes there are N times as many sites as in the plain network,
// for requests and for replies.
//
// With whole packets (store-and-forward, virtual cut-through, messages that fit into
// a channel) this is exact. A worm may reach through a request buffer: the head of the reply leaves
// while the request is still coming in. "Holds" for messages of any length also covers nodes
// that first receive the whole request: there, a deadlock is a set of worms each of which
// begins at or behind a request buffer or ends before it, and such worms are worms here.

// HasReplies reports whether the nodes of a compiled network answer requests: their request buffers are links from a
// node to itself.
func HasReplies(n *spec.Network) bool {
	for l := range spec.LinkID(n.Topology().Links()) {
		if link := n.Topology().Link(l); link.From == link.To {
			return true
		}
	}
	return false
}

// leg is a message that a transaction still has to send, with all that follow it.
type leg struct {
	class spec.Class
	to    spec.NodeID // none for the last leg: the destination of the transaction
	next  int32       // number of the next leg; none for the last one
	only  bool        // the transaction has no other leg: its class is its own
}

const none = -1

// transactions is the relation of a network with replies.
type transactions struct {
	def   Definition
	plain *spec.Network  // carries the messages of all classes
	whole *spec.Topology // with the request buffers
	pools []pool         // of request buffers
	legs  []leg
	known map[leg]int32
	begin map[spec.Flow][]plan // the transactions with a source and a target
	ends  map[spec.Target][]spec.NodeID
	sent  map[spec.Flow]bool // messages of the plain network
	to    map[spec.Target][]spec.NodeID
	plans int
	parts map[cause]bool // transactions that begin where another one was cut off

	kinds   map[part]int32   // of requests that are outstanding
	windows map[sender]int32 // by whom they are counted
	bounds  []int            // of the windows
	first   []spec.ChannelID // by node and pool: place 0, or none
	step    int              // tags of the network, divided by the alternatives to which it commits packets
}

// pool is a request buffer that every node has.
type pool struct {
	name    string
	places  int
	ample   bool   // it holds all that is outstanding
	by      *Reply // the first that has it
	classes []spec.Class
}

// part is what follows from where a transaction stands.
type part struct {
	origin, source, to spec.NodeID
	class              spec.Class
}

// cause is a part, and the kind of request that it answers.
type cause struct {
	part
	answers int32
}

// plan is a transaction: its first leg, and what it is to a node that counts requests ([spec.Exchange]).
type plan struct {
	leg, answers, asks, window int32
	alternative                spec.Tag // to which the first message is committed, once the plain network is compiled
}

// sender is a node that sends requests of a class.
type sender struct {
	node  spec.NodeID
	class spec.Class
}

const mostPlans = 1 << 23

// transactionsOf finds the transactions of def.
func transactionsOf(ctx context.Context, def Definition) (*transactions, error) {
	t := &transactions{def: def}
	if err := t.buffers(); err != nil {
		return nil, err
	}
	return t, t.follow(ctx)
}

// Messages returns the network that carries the messages of def, replies included, each
// as a packet of its own that is sent at any time and waits for no request buffer.
func Messages(ctx context.Context, def Definition) (Definition, error) {
	if len(def.Replies) == 0 {
		return def, nil
	}
	if err := complete(&def); err != nil {
		return def, err
	}
	t, err := transactionsOf(ctx, def)
	if err != nil {
		return def, err
	}
	return t.messages(), nil
}

func (t *transactions) messages() Definition {
	plain := t.def
	plain.Replies, plain.Expect = nil, nil
	plain.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
		return t.sent[spec.Flow{Source: src, Target: spec.Target{Dest: dst, Class: c}}]
	}
	plain.Senders = func(dst []spec.NodeID, to spec.Target) []spec.NodeID { return append(dst, t.to[to]...) }
	return plain
}

// buffers lists the pools, and checks the replies.
func (t *transactions) buffers() error {
	classes := t.def.Classes
	for i := range t.def.Replies {
		r := &t.def.Replies[i]
		if int(r.Request) >= len(classes) || int(r.Reply) >= len(classes) {
			return r.wrong("class %d replies to class %d, but classes are numbered 0 to %d",
				r.Reply, r.Request, len(classes)-1)
		}
		name := cmp.Or(r.RequestBuffer, classes[r.Request])
		at := slices.IndexFunc(t.pools, func(p pool) bool { return p.name == name })
		if at < 0 {
			at = len(t.pools)
			t.pools = append(t.pools, pool{name: name, places: r.Slots, ample: r.Outstanding > 0, by: r})
		}
		p := &t.pools[at]
		switch {
		case p.places != r.Slots:
			return r.wrong("request buffer %s has %d slots here and %d elsewhere: want one size",
				name, max(1, r.Slots), max(1, p.places))
		case p.ample != (r.Outstanding > 0):
			return r.wrong(
				"request buffer %s has messages with and without a bound on those outstanding: bound all of them or none",
				name)
		}
		if !slices.Contains(p.classes, r.Request) {
			p.classes = append(p.classes, r.Request)
		}
		for k, q := range t.pools {
			if k != at && slices.Contains(q.classes, r.Request) {
				return r.wrong("class %s has two request buffers, %s and %s: want one", classes[r.Request], q.name, name)
			}
		}
	}
	for i := range t.def.Replies {
		r := &t.def.Replies[i]
		if p := t.pool(r.Reply); p >= 0 && t.pools[p].ample && !t.pools[t.pool(r.Request)].ample {
			return r.wrong(
				"requests of class %s are bounded, but answer those of class %s, whose request buffers can fill while they "+
					"wait: bound these, too", classes[r.Reply], classes[r.Request])
		}
		if r.Reply == r.Request || t.causes(r.Reply, r.Request, len(classes)) {
			return r.wrong("class %s causes itself: every chain of replies must end",
				cmp.Or(classes[r.Request], fmt.Sprint(r.Request)))
		}
	}
	return nil
}

// causes reports whether a message of class a causes one of class b within some replies.
func (t *transactions) causes(a, b spec.Class, within int) bool {
	return within > 0 && slices.ContainsFunc(t.def.Replies, func(r Reply) bool {
		return r.Request == a && (r.Reply == b || t.causes(r.Reply, b, within-1))
	})
}

// pool returns the request buffer of requests of a class; none if nothing replies to them.
func (t *transactions) pool(c spec.Class) int {
	return slices.IndexFunc(t.pools, func(p pool) bool { return slices.Contains(p.classes, c) })
}

// follow lists all transactions, cut off at the request buffers that are never full.
func (t *transactions) follow(ctx context.Context) error {
	t.legs, t.known, t.plans = nil, map[leg]int32{}, 0
	t.begin, t.ends = map[spec.Flow][]plan{}, map[spec.Target][]spec.NodeID{}
	t.sent, t.to = map[spec.Flow]bool{}, map[spec.Target][]spec.NodeID{}
	t.parts, t.kinds, t.windows, t.bounds = map[cause]bool{}, map[part]int32{}, map[sender]int32{}, nil
	nodes := spec.NodeID(t.def.Topology.Nodes())
	for c := range t.def.Classes {
		if slices.ContainsFunc(t.def.Replies, func(r Reply) bool { return int(r.Reply) == c }) {
			continue
		}
		for src := range nodes {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			for dst := range nodes {
				if src == dst || t.def.Flows != nil && !t.def.Flows(src, dst, spec.Class(c)) {
					continue
				}
				if err := t.start(cause{part{src, src, dst, spec.Class(c)}, none}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (t *transactions) start(c cause) error { return t.extend(c.answers, []part{c.part}) }

// extend lists the transactions that begin with some messages, the first of which answers a request of some kind.
func (t *transactions) extend(answers int32, way []part) error {
	last := way[len(way)-1]
	t.message(last)
	at, origin, p := last.to, last.origin, t.pool(last.class)
	cut := p >= 0 && t.pools[p].ample
	x := plan{answers: answers, asks: none, window: none}
	if cut {
		x.asks, x.window = t.outstands(last)
	}
	if p < 0 || cut {
		if err := t.note(x, way); err != nil {
			return err
		}
	}
	var to []spec.NodeID
	answered := p < 0 || cut
	for _, r := range t.def.Replies {
		if r.Request != last.class {
			continue
		}
		to = to[:0]
		switch {
		case r.To != nil:
			var err error
			if to, err = r.To(to, origin, at); err != nil {
				return err
			}
		case at != origin:
			to = append(to, origin)
		default:
			to = append(to, last.source)
		}
		answered = answered || len(to) > 0
		for _, dst := range to {
			switch nodes := t.def.Topology.Nodes(); {
			case dst < 0 || int(dst) >= nodes:
				return r.wrong("a reply to node %d, but nodes are numbered 0 to %d", dst, nodes-1)
			case dst == at:
				return r.wrong("%s replies to itself: want another node", t.def.Topology.Node(at).Name)
			}
			next := part{origin, at, dst, r.Reply}
			if !cut {
				if err := t.extend(answers, append(way[:len(way):len(way)], next)); err != nil {
					return err
				}
			} else if c := (cause{next, x.asks}); !t.parts[c] {
				t.parts[c] = true
				if err := t.start(c); err != nil {
					return err
				}
			}
		}
	}
	if !answered {
		return t.note(x, way)
	}
	return nil
}

// outstands returns the kind of a request that is outstanding, and the window that counts it. Those of a kind cause the
// same.
func (t *transactions) outstands(m part) (kind, window int32) {
	by := sender{m.source, m.class}
	if m.to != m.origin {
		m.source = none // it does not tell where the reply goes
	}
	kind, known := t.kinds[m]
	if !known {
		kind = int32(len(t.kinds))
		t.kinds[m] = kind
	}
	window, known = t.windows[by]
	if !known {
		window = int32(len(t.bounds))
		t.windows[by], t.bounds = window, append(t.bounds, t.outstanding(by.class))
	}
	return kind, window
}

// message notes that the plain network carries a message.
func (t *transactions) message(m part) {
	to := spec.Target{Dest: m.to, Class: m.class}
	if f := (spec.Flow{Source: m.source, Target: to}); !t.sent[f] {
		t.sent[f] = true
		t.to[to] = append(t.to[to], m.source)
	}
}

// note keeps a transaction, whose first leg it numbers.
func (t *transactions) note(x plan, way []part) error {
	if t.plans++; t.plans > mostPlans {
		return &spec.BoundError{What: "transactions", Limit: mostPlans}
	}
	next := int32(none)
	for i, m := range slices.Backward(way) {
		l := leg{class: m.class, to: m.to, next: next}
		if i == len(way)-1 {
			l.to, l.only = none, i == 0
		}
		if l.only {
			l.class = 0
		}
		id, known := t.known[l]
		if !known {
			id = int32(len(t.legs))
			t.known[l], t.legs = id, append(t.legs, l)
		}
		next = id
	}
	to := spec.Target{Dest: way[len(way)-1].to, Class: way[0].class}
	f := spec.Flow{Source: way[0].source, Target: to}
	if len(t.begin[f]) == 0 {
		t.ends[to] = append(t.ends[to], f.Source)
	}
	if x.leg = next; !slices.Contains(t.begin[f], x) {
		t.begin[f] = append(t.begin[f], x)
	}
	return nil
}
