package export

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Network unrolls the machine of whole packets of a network into a program:
// a rule for every flow and first hop, and for every site and hop. The
// scenario may keep a bubble, bound the traffic and have sinks that fill; one
// with a packet length moves flits and is refused.
//
// The meaning is that of states.Traffic: the variables are its fields and the rules its
// moves, both in its order, so the states of both are equal word by word. A place of a
// channel holds 0 (empty) or 1 + the number of its packet's header among those that reach
// the channel; the first place is the head of the queue, and packets shift towards it. If
// only one header reaches a channel, its variable counts packets.
//
// The invariant says that whenever a packet is in flight, something in flight can move. Its
// violation is a weak deadlock, and the invariant is called "weak". If packets reach dead
// ends, all packets in flight may also wait for such a packet, which is not a deadlock: then the
// invariant is called "at rest".
//
// The error is [TooLarge] if the program would be.
func Network(n *spec.Network, sc spec.Scenario) (*program.Program, error) {
	t, err := states.NewTraffic(n, sc)
	if err != nil {
		return nil, err
	}
	if t.Scenario().Flits() {
		return nil, fmt.Errorf("%s: only moves of whole packets can be exported, not their flits", n.Name())
	}
	if err := t.Packed(); err != nil {
		return nil, err
	}
	u := unrolling{t: t, n: n, topo: n.Topology(), p: program.New(t.Name()), named: map[string]int{}}
	u.p.Module = n.Name()
	if err := u.bounded(); err != nil {
		return nil, err
	}
	u.variables()
	u.injections()
	name := "weak"
	var occupied, moves []program.Expr
	for c := range spec.ChannelID(u.topo.Channels()) {
		if headers, rows := t.Headers(c); len(headers) > 0 {
			if slices.ContainsFunc(rows, func(r spec.RowID) bool { return len(n.Row(r)) == 0 }) {
				name = "at rest"
			}
			first := u.places[c][0]
			occupied = append(occupied, program.Ne(first, 0))
			moves = append(moves, u.channel(c)...)
		}
	}
	for v, x := range u.sinks {
		held := program.Ne(x, 0)
		moves = append(moves, held)
		u.p.Rule(u.unlike(t.Describe(spec.Move{
			Kind: spec.Consume, From: spec.Injection(spec.NodeID(v)), Hop: spec.Hop{Channel: spec.Eject},
		})),
			held, program.Set(x, program.Sub(x, 1)))
	}
	u.p.Invariant(name, program.Or(program.Not(program.Or(occupied...)), program.Or(moves...)))
	return u.p, nil
}

// unrolling is a network being unrolled into a program.
type unrolling struct {
	t      *states.Traffic
	n      *spec.Network
	topo   *spec.Topology
	p      *program.Program
	places [][]program.Var // by channel, first in first
	sinks  []program.Var   // by node; nil if they drain at once
	sent   []program.Var
	named  map[string]int // how many variables and rules would have each name
}

// MostParts bounds the assignments of a program and the names of its values, of which each legal
// site has one at least. A program of that many takes a gigabyte, and no engine reads its text.
const MostParts = 1 << 20

// TooLarge refuses a network that a program of at most MostParts does not describe.
func TooLarge(network string) error {
	return fmt.Errorf("%s: %w; keep fewer flows (--dest, --source)",
		network, &spec.BoundError{What: "assignments and names in the program", Limit: MostParts})
}

// bounded refuses, before there is any of it, a program that would be too large: it has an assignment for each
// move and place, and a name for each header and place.
func (u *unrolling) bounded() error {
	parts, places := 0, 0
	for c := range spec.ChannelID(u.topo.Channels()) {
		places = max(places, u.t.Queue(c).Len())
		headers, rows := u.t.Headers(c)
		parts += len(headers) * places
		for _, r := range rows {
			parts += len(u.n.Row(r)) * places
		}
	}
	for i := range u.n.Tables() {
		table := u.n.Table(i)
		for _, src := range table.Sources {
			if _, _, ok := u.t.Quota(spec.Flow{Source: src.Node, Target: table.Target}); ok {
				parts += len(u.n.Row(src.Row)) * places
			}
		}
	}
	if parts > MostParts {
		return TooLarge(u.n.Name())
	}
	return nil
}

// unlike returns a name that no variable or rule has yet: the names of channels may be the
// same, and each move is its own action.
func (u *unrolling) unlike(name string) string {
	for u.named[name]++; u.named[name] > 1; u.named[name]++ {
		name += fmt.Sprintf(" #%d", u.named[name])
	}
	return name
}

// variables adds the fields of the traffic in their order.
func (u *unrolling) variables() {
	add := func(f states.Field, counts bool) program.Var {
		x := u.p.Var(u.unlike(f.Name), int(f.Values))
		if f.Show != nil && !counts {
			for v := range f.Values {
				u.p.Variables[x].Names = append(u.p.Variables[x].Names, f.Show(v))
			}
		}
		return x
	}
	fields := u.t.Layout().Fields()
	next := func(counts bool) program.Var {
		f := fields[0]
		fields = fields[1:]
		return add(f, counts)
	}
	u.places = make([][]program.Var, u.topo.Channels())
	for c := range u.places {
		q := u.t.Queue(spec.ChannelID(c))
		for range q.Len() {
			u.places[c] = append(u.places[c], next(q.Counts))
		}
	}
	for range u.t.Sinks() {
		u.sinks = append(u.sinks, next(false))
	}
	for range u.t.SentFields() {
		u.sent = append(u.sent, next(false))
	}
}

// injections adds a rule for every flow and first hop.
func (u *unrolling) injections() {
	for i := range u.n.Tables() {
		table := u.n.Table(i)
		for k, src := range table.Sources {
			h := table.SourceSite(k).Header
			sent, limit, ok := u.t.Quota(spec.Flow{Source: src.Node, Target: table.Target})
			if !ok {
				continue
			}
			for _, hop := range u.n.Row(src.Row) {
				from := spec.Injection(src.Node)
				guard, effect := u.accepts(from, hop), u.enters(from, h, hop)
				if sent >= 0 {
					guard = append(guard, program.Lt(u.sent[sent], limit))
					effect = append(effect, program.Set(u.sent[sent], program.Add(u.sent[sent], 1)))
				}
				u.p.Rule(u.unlike(u.t.Describe(spec.Move{From: from, Header: h, Hop: hop})), program.And(guard...),
					effect...).Unfair = true
			}
		}
	}
}

// channel adds a rule for every header and hop of the first packet in channel
// c, and returns the guards.
func (u *unrolling) channel(c spec.ChannelID) []program.Expr {
	var guards []program.Expr
	headers, rows := u.t.Headers(c)
	for i, h := range headers {
		for _, hop := range u.n.Row(rows[i]) {
			here := program.Eq(u.places[c][0], i+1)
			if u.counts(c) {
				here = program.Ne(u.places[c][0], 0)
			}
			guard := program.And(append([]program.Expr{here}, u.accepts(c, hop)...)...)
			effect := append(u.leaves(c), u.enters(c, h, hop)...)
			u.p.Rule(u.unlike(u.t.Describe(spec.Move{From: c, Header: h, Hop: hop})), guard, effect...)
			guards = append(guards, guard)
		}
	}
	return guards
}

// accepts returns the conditions under which a packet may take a hop.
func (u *unrolling) accepts(from spec.ChannelID, hop spec.Hop) []program.Expr {
	if hop.Channel != spec.Eject {
		// The last places are free before the first ones.
		at, ok := u.lastPlace(from, hop)
		switch {
		case ok && u.counts(hop.Channel):
			return []program.Expr{program.Le(u.places[hop.Channel][0], at)}
		case ok:
			return []program.Expr{program.Eq(u.places[hop.Channel][at], 0)}
		}
		return nil
	}
	if u.sinks == nil || hop.Discards() {
		return nil
	}
	return []program.Expr{program.Lt(u.sinks[u.topo.Head(from)], u.t.Scenario().Sink)}
}

// counts reports whether the variable of a channel counts its packets.
func (u *unrolling) counts(c spec.ChannelID) bool { return u.t.Queue(c).Counts }

// lastPlace returns the number of the last place in the channel of a hop that must be free for a packet
// from channel from. ok is false if bounded traffic cannot fill the buffer that far.
func (u *unrolling) lastPlace(from spec.ChannelID, hop spec.Hop) (place int, ok bool) {
	to := hop.Channel
	place, places := u.t.Capacity()-u.t.Need(from, hop), len(u.places[to])
	if u.counts(to) {
		places = u.p.Variables[u.places[to][0]].Values - 1
	}
	return place, place < places
}

// leaves shifts the packets of channel c by one place.
func (u *unrolling) leaves(c spec.ChannelID) []program.Stmt {
	var effect []program.Stmt
	places := u.places[c]
	if u.counts(c) {
		return append(effect, program.Set(places[0], program.Sub(places[0], 1)))
	}
	for i := range len(places) - 1 {
		effect = append(effect, program.Set(places[i], places[i+1]))
	}
	return append(effect, program.Set(places[len(places)-1], 0))
}

// enters puts a packet into the first free place that a hop leads to.
func (u *unrolling) enters(from spec.ChannelID, h spec.Header, hop spec.Hop) []program.Stmt {
	if hop.Channel == spec.Eject {
		if u.sinks == nil || hop.Discards() {
			return nil
		}
		x := u.sinks[u.topo.Head(from)]
		return []program.Stmt{program.Set(x, program.Add(x, 1))}
	}
	h.Tag = hop.Tag
	value := int(u.t.Value(hop.Channel, h))
	places := u.places[hop.Channel]
	if u.counts(hop.Channel) {
		return []program.Stmt{program.Set(places[0], program.Add(places[0], 1))}
	}
	// At least Need places are free, so the last one looked at is; if traffic is bounded,
	// one is always free.
	last, ok := u.lastPlace(from, hop)
	if !ok {
		last = len(places) - 1
	}
	put := []program.Stmt{program.Set(places[last], value)}
	for i := last - 1; i >= 0; i-- {
		put = []program.Stmt{program.If(program.Eq(places[i], 0), program.Set(places[i], value)).Otherwise(put...)}
	}
	return put
}
