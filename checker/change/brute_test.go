package change_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/change"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/proofs/changes"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// Brute force.
//
// A second meaning of a change, from the definitions, which shares no code with the decision: a state is what stands
// in every channel, and which routers have been rewritten. It visits all states of small networks.

// packet is one that stands in a channel. by is the table to which it is committed, 0 or 1, and alt the alternative of
// the table that it follows: another one whenever it is looked up again. origin is the node that a reply goes to.
type packet struct {
	dest, origin spec.NodeID
	class        spec.Class
	tag          spec.Tag
	by           int
	alt          int
}

type brute struct {
	t       *spec.Topology
	tables  [2]routing.Relation
	flows   routing.Flows
	buffer  int
	replies bool // a packet of class 0 is a request: in the request buffer of its destination it becomes a reply
	changes.Manner
	order []spec.NodeID // of the rewriting; nil: any
}

// Request buffers are channels of their own, after those of the topology: one for each node.

func (b *brute) requestBuffer(v spec.NodeID) spec.ChannelID {
	return spec.ChannelID(b.t.Channels()) + spec.ChannelID(v)
}

func (b *brute) answers(c spec.ChannelID) bool { return int(c) >= b.t.Channels() }

func (b *brute) channels() int {
	if b.replies {
		return b.t.Channels() + b.t.Nodes()
	}
	return b.t.Channels()
}

// head returns the router at which the packets of a channel are.
func (b *brute) head(c spec.ChannelID) spec.NodeID {
	if b.answers(c) {
		return spec.NodeID(int(c) - b.t.Channels())
	}
	return b.t.Head(c)
}

// alternatives returns what a table permits.
func (b *brute) alternatives(by int, at spec.ChannelID, p packet) [][]spec.Hop {
	if b.answers(at) {
		at = spec.Injection(b.head(at))
	}
	all, err := routing.Alternatives(b.tables[by], at, spec.Header{Dest: p.dest, Class: p.class, Tag: p.tag})
	if err != nil {
		panic(err)
	}
	if !b.replies || p.class > 0 {
		return all
	}
	received := make([][]spec.Hop, len(all))
	for i, hops := range all {
		for _, h := range hops {
			if h == (spec.Hop{Channel: spec.Eject}) {
				h.Channel = b.requestBuffer(p.dest)
			}
			received[i] = append(received[i], h)
		}
	}
	return received
}

// after returns a packet that has taken a hop into a channel.
func (b *brute) after(p packet, h spec.Hop, by int) packet {
	if p.tag, p.by, p.alt = h.Tag, by, 0; b.answers(h.Channel) {
		p.dest, p.class, p.tag = p.origin, 1, 0
	}
	return p
}

// hops returns what a table permits to a packet that has its alternative.
func (b *brute) hops(by int, at spec.ChannelID, p packet) []spec.Hop {
	return b.alternatives(by, at, p)[p.alt]
}

// choices returns a packet once for each alternative of a table.
func (b *brute) choices(by int, at spec.ChannelID, p packet) (all []packet) {
	for p.alt = range b.alternatives(by, at, p) {
		all = append(all, p)
	}
	return all
}

// state of all packets.
type bruteState struct {
	in      [][]packet
	renewed []bool
}

func (s bruteState) copy() bruteState {
	c := bruteState{renewed: slices.Clone(s.renewed)}
	for _, q := range s.in {
		c.in = append(c.in, slices.Clone(q))
	}
	return c
}

func inForce(renewed bool) int {
	if renewed {
		return 1
	}
	return 0
}

// follows is the table of a packet in channel c.
func (b *brute) follows(s bruteState, c spec.ChannelID, p packet) int {
	if b.Committed {
		return p.by
	}
	return inForce(s.renewed[b.head(c)])
}

// rewritings returns the routers that may be rewritten next.
func (b *brute) rewritings(renewed []bool) (next []spec.NodeID) {
	for i := range renewed {
		v := spec.NodeID(i)
		if b.order != nil {
			v = b.order[i]
		}
		if !renewed[v] {
			next = append(next, v)
			if b.order != nil {
				return next
			}
		}
	}
	return next
}

// fits reports whether the channel of a hop has the room that the hop needs.
func (b *brute) fits(s bruteState, h spec.Hop) bool {
	return b.buffer-len(s.in[h.Channel]) >= max(1, int(h.Room))
}

func (b *brute) next(s bruteState) (all []bruteState) {
	for _, v := range b.rewritings(s.renewed) {
		n := s.copy()
		n.renewed[v] = true
		again := []bruteState{n}
		for i, q := range n.in {
			if b.head(spec.ChannelID(i)) != v || b.Committed {
				continue
			}
			for k, p := range q { // it is looked up again
				var more []bruteState
				for _, x := range again {
					for _, p := range b.choices(1, spec.ChannelID(i), p) {
						y := x.copy()
						y.in[i][k] = p
						more = append(more, y)
					}
				}
				again = more
			}
		}
		all = append(all, again...)
	}
	enter := func(n bruteState, p packet, h spec.Hop) {
		if h.Channel != spec.Eject {
			if !b.fits(n, h) {
				return
			}
			by := inForce(n.renewed[b.head(h.Channel)])
			for _, p := range b.choices(by, h.Channel, b.after(p, h, by)) {
				x := n.copy()
				x.in[h.Channel] = append(x.in[h.Channel], p)
				all = append(all, x)
			}
			return
		}
		all = append(all, n)
	}
	for v := range spec.NodeID(b.t.Nodes()) {
		for d := range spec.NodeID(b.t.Nodes()) {
			if p := (packet{dest: d, origin: v}); v != d && b.flows(v, d, 0) {
				for _, h := range slices.Concat(b.alternatives(inForce(s.renewed[v]), spec.Injection(v), p)...) {
					if h.Channel != spec.Eject {
						enter(s.copy(), p, h)
					}
				}
			}
		}
	}
	for i, q := range s.in {
		if c := spec.ChannelID(i); len(q) > 0 {
			for _, h := range b.hops(b.follows(s, c, q[0]), c, q[0]) {
				n := s.copy()
				n.in[c] = n.in[c][1:]
				enter(n, q[0], h)
			}
		}
	}
	return all
}

// stuck reports whether packets block each other in a state, whatever else happens.
func (b *brute) stuck(s bruteState) bool {
	if !b.Stalls && slices.Contains(s.renewed, false) {
		return false
	}
	in := make([]bool, len(s.in))
	for c, q := range s.in {
		in[c] = len(q) > 0
	}
	for again := true; again; {
		again = false
		for c, q := range s.in {
			if !in[c] {
				continue
			}
			hops := b.hops(b.follows(s, spec.ChannelID(c), q[0]), spec.ChannelID(c), q[0])
			moves := func(h spec.Hop) bool { return h.Channel == spec.Eject || !in[h.Channel] || b.fits(s, h) }
			if len(hops) == 0 || slices.ContainsFunc(hops, moves) {
				in[c], again = false, true
			}
		}
	}
	return slices.Contains(in, true)
}

// deadlocks visits all states, if there are not too many.
func (b *brute) deadlocks(most int) (is, all bool) {
	first := bruteState{in: make([][]packet, b.channels()), renewed: make([]bool, b.t.Nodes())}
	seen, queue := map[string]bool{fmt.Sprint(first): true}, []bruteState{first}
	for i := 0; i < len(queue); i++ {
		if b.stuck(queue[i]) {
			return true, true
		}
		for _, n := range b.next(queue[i]) {
			if key := fmt.Sprint(n); !seen[key] {
				if len(seen) == most {
					return false, false
				}
				seen[key] = true
				queue = append(queue, n)
			}
		}
		queue[i] = bruteState{}
	}
	return false, true
}

// alone is where a single packet is, and what has been rewritten.
type alone struct {
	at      spec.ChannelID
	p       packet
	renewed [8]bool
}

// onePacket decides livelock and delivery by visiting all places of one packet.
func (b *brute) onePacket() (livelocks, undelivered bool) {
	nodes := b.t.Nodes()
	arrives := func(s alone) bool {
		return slices.Contains(b.hops(b.table(s), s.at, s.p), spec.Hop{Channel: spec.Eject})
	}
	moves := func(s alone) (all []alone) {
		for _, h := range b.hops(b.table(s), s.at, s.p) {
			if h.Channel != spec.Eject {
				by := inForce(s.renewed[b.head(h.Channel)])
				for _, p := range b.choices(by, h.Channel, b.after(s.p, h, by)) {
					all = append(all, alone{h.Channel, p, s.renewed})
				}
			}
		}
		return all
	}
	var queue []alone
	seen := map[alone]bool{}
	add := func(s alone) {
		if !b.Committed {
			s.p.by = 0
		}
		if !seen[s] {
			seen[s] = true
			queue = append(queue, s)
		}
	}
	for v := range spec.NodeID(nodes) {
		for d := range spec.NodeID(nodes) {
			if v != d && b.flows(v, d, 0) {
				for _, p := range b.choices(0, spec.Injection(v), packet{dest: d, origin: v}) {
					add(alone{at: spec.Injection(v), p: p})
				}
			}
		}
	}
	for i := 0; i < len(queue); i++ {
		s := queue[i]
		for _, v := range b.rewritings(s.renewed[:nodes]) {
			n := s
			n.renewed[v] = true
			if b.head(s.at) != v || b.Committed && !s.at.IsInjection() {
				add(n)
				continue
			}
			for _, p := range b.choices(1, s.at, s.p) {
				if n.p = p; s.at.IsInjection() {
					n.p.by = 1 // not injected yet
				}
				add(n)
			}
		}
		for _, n := range moves(s) {
			add(n)
		}
	}
	// reached returns whether a place is within reach of some others in the tables as they are.
	within := func(from []alone, is func(alone) bool) bool {
		met, queue := map[alone]bool{}, []alone{}
		add := func(all []alone) {
			for _, s := range all {
				if !b.Committed {
					s.p.by = 0
				}
				if !met[s] {
					met[s] = true
					queue = append(queue, s)
				}
			}
		}
		add(from)
		for i := 0; i < len(queue); i++ {
			if is(queue[i]) {
				return true
			}
			add(moves(queue[i]))
		}
		return false
	}
	for _, s := range queue {
		ended := !slices.Contains(s.renewed[:nodes], false)
		hops := b.hops(b.table(s), s.at, s.p)
		switch {
		case arrives(s) && (b.head(s.at) != s.p.dest || s.at.IsInjection()):
			undelivered = true
		case len(hops) == 0 && (ended || b.Committed || b.Stalls):
			undelivered = true
		}
		if ended || b.Stalls {
			home := func(x alone) bool {
				discards := slices.Contains(b.hops(b.table(x), x.at, x.p), spec.Discard())
				return discards || arrives(x) && b.head(x.at) == x.p.dest
			}
			undelivered = undelivered || !within([]alone{s}, home)
			livelocks = livelocks || within(moves(s), func(x alone) bool { return x == s })
		}
	}
	return livelocks, undelivered
}

func (b *brute) table(s alone) int {
	if b.Committed && !s.at.IsInjection() {
		return s.p.by
	}
	return inForce(s.renewed[b.head(s.at)])
}

// byClass is a relation for each class.
type byClass []routing.Relation

func (r byClass) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	return r[h.Class].AppendHops(dst, at, h)
}

// TestAgainstBruteForce: on drawn networks of at most five nodes with two tables, no verdict contradicts all states of
// the change, in each manner; and what is said to fail in every order fails in a drawn one.
func TestAgainstBruteForce(t *testing.T) { seedtest.Few(200, func() { againstBruteForce(t) }) }

func againstBruteForce(t *testing.T) {
	counts := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		o := netgen.Options{Nodes: 5, Channels: 6, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail"), Buffer: 2, Ring: true, Sparse: true}
		before := netgen.Definition(rt, o)
		after := before
		after.Routing = netgen.Table(rt, before.Topology, max(1, before.Tags), o.MayFail)
		replies := rapid.IntRange(0, 3).Draw(rt, "replies") == 0
		if replies {
			before.Classes = []string{"req", "rsp"}
			before.Replies = []routing.Reply{{Request: 0, Reply: 1, Slots: max(1, before.Buffer)}}
			after.Classes, after.Replies = before.Classes, before.Replies
			for _, d := range []*routing.Definition{&before, &after} {
				d.Routing = byClass{d.Routing, netgen.Table(rt, before.Topology, max(1, before.Tags), o.MayFail)}
			}
			counts["replies"]++
		}
		if rapid.IntRange(0, 3).Draw(rt, "discards") == 0 {
			before.Routing, after.Routing = netgen.Discards(rt, before.Routing), netgen.Discards(rt, after.Routing)
			counts["discards"]++
		}
		if before.Buffer > 1 && rapid.Bool().Draw(rt, "rooms") {
			before.Routing = netgen.Rooms(rt, before.Routing, before.Buffer)
			after.Routing = netgen.Rooms(rt, after.Routing, before.Buffer)
			counts["rooms"]++
		}
		if rapid.Bool().Draw(rt, "alternatives before") {
			before.Routing = netgen.Commits(rt, before.Routing)
			counts["alternatives"]++
		}
		if rapid.Bool().Draw(rt, "alternatives after") {
			after.Routing = netgen.Commits(rt, after.Routing)
			counts["alternatives"]++
		}
		before.Name, after.Name = "before", "after"
		b := &brute{
			t: before.Topology, tables: [2]routing.Relation{before.Routing, after.Routing}, flows: before.Flows,
			buffer: max(1, before.Buffer), replies: replies,
		}
		if b.flows == nil {
			b.flows = func(spec.NodeID, spec.NodeID, spec.Class) bool { return true }
		}
		if before.Switching == spec.Wormhole {
			before.Switching, after.Switching = spec.VirtualCutThrough, spec.VirtualCutThrough
		}
		b.Manner = changes.Manner{Committed: rapid.Bool().Draw(rt, "committed"), Stalls: rapid.Bool().Draw(rt, "stalls")}
		r, err := change.Decide(rt.Context(), before, after, change.Options{Manner: b.Manner, NoWait: true, States: 300})
		if err != nil {
			rt.Skip(err)
		}
		const most = 300
		livelocks, undelivered := b.onePacket()
		deadlocks, all := b.deadlocks(most)
		for i, is := range []bool{deadlocks, livelocks, undelivered} {
			f := r.Findings[i]
			counts[fmt.Sprint(f.Property, " ", is, " ", f.Verdict)]++
			if replies {
				counts[fmt.Sprint("with replies, ", f.Property, " ", is, " ", f.Verdict)]++
			}
			if is && f.Verdict == spec.Holds || !is && f.Verdict == spec.Violated && (i > 0 || all) {
				rt.Fatalf("%v: %s is %s: %s; brute force says %t", b.Manner, f.Property, f.Verdict, f.Because, !is)
			}
		}
		if r.EveryOrder() && all {
			b.order = rapid.Permutation(nodesOf(b.t)).Draw(rt, "order")
			livelocks, undelivered = b.onePacket()
			if deadlocks, all = b.deadlocks(most); !deadlocks && !livelocks && !undelivered && all {
				rt.Fatalf("%v: nothing fails in the order %v", b.Manner, b.order)
			}
			counts["orders"]++
		}
	})
	t.Log(counts)
	if seedtest.Usual() && (counts["orders"] < 5 || counts["deadlock-freedom true violated"] < 2) {
		t.Errorf("too few cases were drawn: %v", counts)
	}
}

func nodesOf(t *spec.Topology) []spec.NodeID {
	all := make([]spec.NodeID, t.Nodes())
	for v := range all {
		all[v] = spec.NodeID(v)
	}
	return all
}
