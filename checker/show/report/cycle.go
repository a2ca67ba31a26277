package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

// The decisive cycle. In a stuck set every channel has an edge to another channel of
// the set: a packet holds the next channel of its own, or waits for one that it may
// take. So the wait-for graph of a stuck set has a cycle, whichever edges are
// followed, and a shortest one is the shortest explanation of the deadlock. With
// adaptive routing a packet waits for other channels, too; those are in
// Property.Stuck, and the trace shows them.
//
// The choice depends on the graph alone: of several shortest cycles it is the one through
// the least channel, and of several edges between two channels the first.

// WaitCycle returns a shortest cycle of packets that wait for each other.
func WaitCycle(t evidence.Trace) ([]Dependency, error) {
	waits, err := explain.Waits(t)
	if err != nil {
		return nil, err
	}
	var edges []explain.Wait
	for _, w := range waits {
		edges = append(edges, w.Edges()...)
	}
	return packetsOf(t.Network, shortestCycle(edges)), nil
}

// shortestCycle returns the edges of a shortest cycle, in order from its least channel;
// nil if there is none.
func shortestCycle(waits []explain.Wait) []explain.Wait {
	waits = slices.SortedStableFunc(slices.Values(waits), func(a, b explain.Wait) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	var channels []spec.ChannelID // by vertex
	for _, w := range waits {
		channels = append(channels, w.From, w.To)
	}
	slices.Sort(channels)
	channels = slices.Compact(channels)
	vertex := func(c spec.ChannelID) int32 {
		v, _ := slices.BinarySearch(channels, c)
		return int32(v)
	}
	g := graph.Collect(len(channels), func(add func(from, to int32)) {
		for _, w := range waits {
			add(vertex(w.From), vertex(w.To))
		}
	})
	var edges []explain.Wait
	cycle, _ := graph.ShortestCycle(g, math.MaxInt)
	for i, v := range cycle {
		e := int(g.First[v]) + slices.Index(g.Successors(v), cycle[(i+1)%len(cycle)])
		edges = append(edges, waits[e]) // sorted like the edges
	}
	return edges
}

// waitsItself reports whether an edge starts in the channel of a packet's head.
func waitsItself(w explain.Wait) bool { return w.Site.Channel == w.From }

// packetsOf groups the edges of a cycle by packet: the edges of one message are
// consecutive, along the channels that it holds.
func packetsOf(n *spec.Network, cycle []explain.Wait) []Dependency {
	if len(cycle) == 0 {
		return nil
	}
	first := beginning(cycle, 0)
	cycle = slices.Concat(cycle[first:], cycle[:first])
	topo := n.Topology()
	channel := func(c spec.ChannelID) Channel { return Channel{c, topo.ChannelName(c)} }
	var out []Dependency
	var held []Channel
	for i, w := range cycle {
		held = append(held, channel(w.From))
		last := i == len(cycle)-1 || cycle[i+1].Site != w.Site
		if !waitsItself(w) && !last {
			continue
		}
		d := Dependency{
			Packet:   "packet for " + topo.Node(w.Site.Header.Dest).Name + n.CommitmentText(w.Site),
			Holds:    held,
			Name:     explain.Packet(w.Packet, topo.Node(w.Site.Header.Dest).Name) + n.CommitmentText(w.Site),
			Number:   w.Packet,
			WaitsFor: channel(w.To),
			Holder:   w.Holder,
		}
		if waitsItself(w) {
			d.Rule = n.Reason(w.Site, w.Hop)
			d.Alternative, d.Alternatives = n.Committed(w.Site)
		} else {
			d.Queued = true
			d.Holds = append(d.Holds, d.WaitsFor)
		}
		out = append(out, d)
		held = nil
	}
	return out
}

// beginning returns the first edge of the packet that edge i belongs to.
func beginning(cycle []explain.Wait, i int) int {
	for range cycle {
		before := (i + len(cycle) - 1) % len(cycle)
		if waitsItself(cycle[before]) || cycle[before].Site != cycle[i].Site {
			break
		}
		i = before
	}
	return i
}

// loopOf returns the loop of the one packet of a livelock.
func loopOf(t evidence.Trace) []Dependency {
	n := t.Network
	topo := n.Topology()
	var out []Dependency
	for _, m := range t.Moves[t.Back:] {
		out = append(out, Dependency{
			Packet:   "packet for " + topo.Node(m.Header.Dest).Name,
			Holds:    []Channel{{m.From, topo.ChannelName(m.From)}},
			WaitsFor: Channel{m.Hop.Channel, topo.HopName(m.Hop)},
			Moves:    true,
			Rule:     n.Reason(spec.Site{Channel: m.From, Header: m.Header}, m.Hop),
		})
	}
	least := 0
	for i, d := range out {
		if d.Holds[0].ID < out[least].Holds[0].ID {
			least = i
		}
	}
	return slices.Concat(out[least:], out[:least])
}

// decisive returns the number of the dependency to look at first, or -1 if no
// dependency has a rule. A rule behind one dependency of a cycle says more about
// it than a rule behind all the rest, so the rarest comes first, and places come
// before words; of several the last one, which closes the cycle.
func decisive(cycle []Dependency) int {
	count := map[spec.Reason]int{}
	for _, d := range cycle {
		count[d.Rule]++
	}
	rank := func(r spec.Reason) int {
		if r.File == "" {
			return len(cycle) + count[r]
		}
		return count[r]
	}
	best := -1
	for i, d := range cycle {
		if d.Rule.Text != "" && (best < 0 || rank(d.Rule) <= rank(cycle[best].Rule)) {
			best = i
		}
	}
	return best
}
