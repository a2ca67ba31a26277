package static

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/internal/windows"
	"github.com/seed-105a2da2/unknot/spec"
)

// Placing packets.
//
// A stuck set is a deadlock only if it can be filled from the empty network.
// Packets are placed one after the other, each travelling alone all the way to
// its channel, past the packets placed before. The order is found backwards:
// the packet placed last must have a path that avoids all other channels of the
// set; remove one that has, and continue with the rest. Fewer packets are never
// more in the way, so the first choice is as good as any, and which header a
// channel gets does not matter to the others. For a given stuck set the search
// is therefore complete among all such plans; deadlocks that need packets to
// travel side by side are not found, and the answer then is unknown.

// placement fills stuck sets.
type placement struct {
	n        *spec.Network
	walk     *relation.Walk
	budget   *windows.Budget
	scenario spec.Scenario
	need     func(from spec.ChannelID, h spec.Hop) int
	set      map[spec.ChannelID]int // the whole stuck set: how many packets each channel holds
	left     map[spec.ChannelID]int // those not yet taken out: in the way when the current packet travels
}

// load is packets that travel along a path in turn.
type load struct {
	path  []spec.Move
	count int
}

// full is a set of channels that are full.
func full(n *spec.Network, channels []spec.ChannelID) map[spec.ChannelID]int {
	set := map[spec.ChannelID]int{}
	for _, c := range channels {
		set[c] = n.Capacity()
	}
	return set
}

// fill returns packets that fill a stuck set, in travelling order, or nil.
func (p *placement) fill(ctx context.Context, set map[spec.ChannelID]int) (loads []load, err error) {
	traffic, err := p.n.Traffic(p.scenario)
	if err != nil {
		return nil, err
	}
	p.need, p.set, p.left = traffic.Need, set, maps.Clone(set)
	p.budget.Renew()
	take := func(path []spec.Move, count int) {
		p.budget.Spend(spec.Site{Channel: path[0].From, Header: path[0].Header}, count)
		loads = append(loads, load{path, count})
		c := path[len(path)-1].Hop.Channel
		if p.left[c] -= count; p.left[c] == 0 {
			delete(p.left, c)
		}
	}
	channels := slices.Sorted(maps.Keys(set))
	for len(p.left) > 0 {
		before := len(loads)
		for _, c := range channels {
			if err := ctx.Err(); err != nil {
				return nil, context.Cause(ctx)
			}
			for count := p.left[c]; count > 0; count = p.left[c] {
				if path := p.path(c, true); path != nil {
					take(path, count)
				} else if path = p.movesBehind(c); path != nil {
					take(path, 1)
				} else {
					break
				}
			}
		}
		if len(loads) == before {
			return nil, nil
		}
	}
	slices.Reverse(loads)
	return loads, nil
}

// movesBehind returns the moves of a packet that is to stand behind others in channel c; nil if there are none, or hops need
// no room for several packets, so that it may as well be like the first.
func (p *placement) movesBehind(c spec.ChannelID) []spec.Move {
	if p.left[c] < 2 || max(p.n.Room(), p.scenario.Bubble) < 2 {
		return nil
	}
	return p.path(c, false)
}

// stuck reports whether a packet with a row is stuck at the head of channel c.
func (p *placement) stuck(c spec.ChannelID, r spec.RowID) bool {
	return relation.Waits(p.n, r) && !slices.ContainsFunc(p.n.Row(r), func(h spec.Hop) bool {
		held, in := p.set[h.Channel]
		return !in || p.n.Capacity()-held >= p.need(c, h)
	})
}

// fits reports whether a packet can take a hop into a channel as the last of those left there.
func (p *placement) fits(from spec.ChannelID, h spec.Hop) bool {
	return p.need(from, h) <= p.n.Capacity()+1-p.left[h.Channel]
}

// inTurn returns the moves of loads one after the other.
func inTurn(loads []load) (moves []spec.Move) {
	for _, l := range loads {
		for range l.count {
			moves = append(moves, l.path...)
		}
	}
	return moves
}

// path returns the moves that bring a packet into c, where it is stuck if that is asked for, past
// the channels that are left. It tries direct injections into c first.
func (p *placement) path(c spec.ChannelID, stuck bool) []spec.Move {
	const mostSearches = 256
	var far []*spec.Table
	tail := p.n.Topology().Tail(c)
	for i := range p.n.Tables() {
		t := p.n.Table(i)
		lo, _ := slices.BinarySearch(t.Channels, c)
		for s := lo; s < t.Len() && t.Channels[s] == c; s++ {
			if stuck && !p.stuck(c, t.Rows[s]) {
				continue
			}
			hop := spec.Hop{Channel: c, Tag: t.Tag(s)}
			for k, src := range t.SourcesOf(tail) {
				at := spec.Site{
					Channel: spec.Injection(tail),
					Header:  spec.Header{Dest: t.Dest, Class: t.Class, Tag: spec.Tag(k)},
				}
				row := p.n.Row(src.Row)
				if k, leads := spec.FindHop(row, hop); leads && p.fits(at.Channel, row[k]) &&
					p.budget.Affords(at, p.left[c]) {
					return []spec.Move{{From: at.Channel, Header: at.Header, Hop: hop}}
				}
			}
			if len(far) == 0 || far[len(far)-1] != t {
				far = append(far, t)
			}
		}
	}
	for i, t := range far {
		if i == mostSearches {
			break
		}
		p.walk.Load(t)
		sends := func(i int) bool { return p.budget.Affords(t.SourceSite(i), p.left[c]) }
		goal := func(s int) bool { return t.Channels[s] == c && (!stuck || p.stuck(c, t.Rows[s])) }
		free := func(d spec.ChannelID) bool { return d != c && p.left[d] == 0 }
		p.walk.Takes = func(from spec.ChannelID, h spec.Hop) bool { return h.Channel != c || p.fits(from, h) }
		moves, _ := p.walk.Shortest(sends, goal, free)
		p.walk.Takes = nil
		if moves != nil {
			return moves
		}
	}
	return nil
}

// somePlacements yields, for small stuck sets, the flows of just their packets. Each is injected once, in
// any order and interleaving: far fewer states than all traffic has.
func (d *Decision) somePlacements(ctx context.Context, p *placement, largest []spec.ChannelID) iter.Seq[[]spec.Flow] {
	const attempts = 4
	const most = 16 // packets: each doubles the states
	return func(yield func([]spec.Flow) bool) {
		for _, set := range stuckSets(ctx, d.n, d.usage, largest, attempts) {
			if len(set)*d.n.Capacity() > most {
				continue
			}
			if flows := p.flows(ctx, set); len(flows) > 0 && !yield(flows) {
				return
			}
		}
	}
}

// flows returns, for every channel of a stuck set, the flow of a packet that is stuck there
// and has the shortest path from its source, repeated for each packet the channel holds; none
// if some channel has no such packet, or ctx ends.
func (p *placement) flows(ctx context.Context, set []spec.ChannelID) []spec.Flow {
	in := func(c spec.ChannelID) bool { return slices.Contains(set, c) }
	var flows []spec.Flow
	for _, c := range set {
		var best []spec.Move
		for i := range p.n.Tables() {
			if ctx.Err() != nil {
				return nil
			}
			t := p.n.Table(i)
			lo, _ := slices.BinarySearch(t.Channels, c)
			if lo == t.Len() || t.Channels[lo] != c {
				continue
			}
			p.walk.Load(t)
			path, _ := p.walk.Shortest(nil,
				func(s int) bool { return t.Channels[s] == c && inside(p.n, t.Rows[s], in) }, nil)
			if path != nil && (best == nil || len(path) < len(best)) {
				best = path
			}
		}
		if best == nil {
			return nil
		}
		f := spec.Flow{Source: p.n.Topology().Head(best[0].From), Target: best[0].Header.Target()}
		for range p.n.Capacity() {
			flows = append(flows, f)
		}
	}
	return flows
}
