package static

import (
	"context"
	"iter"
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
	u        *relation.Usage
	walk     *relation.Walk
	budget   *windows.Budget
	scenario spec.Scenario
	need     func(from spec.ChannelID, h spec.Hop) int
	set      map[spec.ChannelID]bool // the whole stuck set
	left     map[spec.ChannelID]bool // not yet taken out: filled when the current packet travels
	packed   map[spec.ChannelID]int  // packets that close a channel of the set
	least    map[spec.ChannelID]int  // room that a head there has to need at least
}

// fill returns the paths of packets that fill every channel of a stuck set, in travelling order, or nil. If few, it
// does not fill them: it places as few packets as it can.
func (p *placement) fill(ctx context.Context, set []spec.ChannelID, few bool) (paths [][]spec.Move, err error) {
	traffic, err := p.n.Traffic(p.scenario)
	if err != nil {
		return nil, err
	}
	p.need = traffic.Need
	p.set, p.left = map[spec.ChannelID]bool{}, map[spec.ChannelID]bool{}
	p.packed, p.least = map[spec.ChannelID]int{}, map[spec.ChannelID]int{}
	p.budget.Renew()
	for _, c := range set {
		p.set[c], p.left[c], p.packed[c] = true, true, p.n.Capacity()
	}
	if few {
		p.fewest(set)
	}
	for len(p.left) > 0 {
		before := len(p.left)
		for _, c := range set {
			if err := ctx.Err(); err != nil {
				return nil, context.Cause(ctx)
			}
			if !p.left[c] {
				continue
			}
			if path := p.path(c); path != nil {
				p.budget.Spend(spec.Site{Channel: path[0].From, Header: path[0].Header}, p.n.Capacity())
				paths = append(paths, path)
				delete(p.left, c)
			}
		}
		if len(p.left) == before {
			return nil, nil
		}
	}
	slices.Reverse(paths)
	return paths, nil
}

// fewest sets how many packets close each channel, and which heads do.
func (p *placement) fewest(set []spec.ChannelID) {
	least := func(c spec.ChannelID, r spec.RowID) (room int) {
		room = p.n.Capacity()
		for _, h := range p.n.Row(r) {
			room = min(room, p.need(c, h))
		}
		return room
	}
	for _, c := range set {
		p.packed[c] = 1
		for _, r := range p.u.Of(c) {
			if p.stuck(c, r) {
				p.least[c] = max(p.least[c], least(c, r))
			}
		}
	}
	for _, c := range set {
		for _, r := range p.u.Of(c) {
			if !p.stuck(c, r) {
				continue
			}
			for _, h := range p.n.Row(r) {
				p.packed[h.Channel] = max(p.packed[h.Channel], p.n.Capacity()+1-p.need(c, h))
			}
		}
	}
}

// stuck reports whether a packet with a row is to be stuck at the head of channel c.
func (p *placement) stuck(c spec.ChannelID, r spec.RowID) bool {
	return inside(p.n, r, func(c spec.ChannelID) bool { return p.set[c] }) &&
		!slices.ContainsFunc(p.n.Row(r), func(h spec.Hop) bool { return p.need(c, h) < p.least[c] })
}

// fits reports whether each packet that is to be in a channel can enter it by a hop, one after the other.
func (p *placement) fits(from spec.ChannelID, h spec.Hop) bool {
	return p.need(from, h) <= p.n.Capacity()+1-p.packed[h.Channel]
}

// packets returns the moves of packets along these paths, for each path as many packets in turn as the channel at its
// end is to hold.
func (p *placement) packets(paths [][]spec.Move) (moves []spec.Move) {
	for _, path := range paths {
		for range p.packed[path[len(path)-1].Hop.Channel] {
			moves = append(moves, path...)
		}
	}
	return moves
}

// path returns the moves that bring a packet into c, where it is stuck, past
// the channels that are left. It tries direct injections into c first.
func (p *placement) path(c spec.ChannelID) []spec.Move {
	const mostSearches = 256
	var far []*spec.Table
	tail := p.n.Topology().Tail(c)
	for i := range p.n.Tables() {
		t := p.n.Table(i)
		lo, _ := slices.BinarySearch(t.Channels, c)
		for s := lo; s < t.Len() && t.Channels[s] == c; s++ {
			if !p.stuck(c, t.Rows[s]) {
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
					p.budget.Affords(at, p.n.Capacity()) {
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
		sends := func(i int) bool { return p.budget.Affords(t.SourceSite(i), p.n.Capacity()) }
		goal := func(s int) bool { return t.Channels[s] == c && p.stuck(c, t.Rows[s]) }
		free := func(d spec.ChannelID) bool { return d != c && !p.left[d] }
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
