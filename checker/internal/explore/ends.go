package explore

import (
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Ends reports whether every fair run of a network's traffic that keeps a packet waiting is known to end: because
// every fair run does, or because no packet waits forever in one that does not. Linear in the hops.
func Ends(t *states.Traffic) bool { return bounded(t) || uncontended(t) }

// bounded reports whether the number of injections is bounded and no packet can reach a site twice.
// Then every fair run ends. Each step injects a packet, of which there are finitely many; or moves a packet
// or some of its flits over another hop of its path, which visits no site twice; or ends a packet; or takes
// a packet out of a sink, once. Packets of a given length also have finitely many flits. A packet of any
// length has as many as its source likes, but until the source ends it, that step is possible, and all other
// kinds of steps are finitely many. So in an infinite run, from some time on only flits of packets
// that never end move, and the step that ends them is possible but never taken: the run is not fair.
func bounded(t *states.Traffic) bool {
	sc := t.Scenario()
	if !sc.Bounded() {
		return false
	}
	n := t.Network()
	channels := spec.ChannelID(n.Topology().Channels())
	first, sites := make([]int32, channels), int32(0)
	for c := range channels {
		headers, _ := t.Headers(c)
		first[c] = sites
		sites += int32(len(headers))
	}
	_, acyclic := graph.Heights(graph.Collect(int(sites), func(add func(from, to int32)) {
		eachHop(t, func(c spec.ChannelID, k int, h spec.Header, x spec.Hop) {
			if h.Tag = x.Tag; x.Channel != spec.Eject {
				add(first[c]+int32(k), first[x.Channel]+int32(t.Value(x.Channel, h))-1)
			}
		})
	}))
	return acyclic
}

// uncontended reports whether every channel is entered from one other channel or by injections, every bounded sink
// from one channel, and no dependency of channels closes a cycle. Then a fair run keeps no packet waiting.
//
// Soundness: by induction over the longest path from a channel. Suppose that from some time on its first piece has
// flits, and none of them leaves.
// If its head is there, it has a hop, since there is no dead end. If the hop ejects it, nothing else enters that sink,
// which drains; from then on the hop is possible throughout but never taken: not fair. Otherwise the hop leads to a
// channel that nothing else enters. Its packets are all in, being ahead of this head, and leave it in finitely many
// steps, by induction. Then the hop is possible throughout (no bubble is asked for) but never taken.
// If its head has gone and flits move one by one, the next flit can follow unless the channel ahead stays full of
// packets that do not move on, against the induction. If packets shift as a whole, the argument above applies to
// its head, which reaches the end of its path after finitely many hops; then flits follow it, or the source ends it,
// as that is possible until it is done.
// Last, a piece without flits waits for those behind it, which are on the way or at a source that can send them: in
// a channel behind it they are the first piece, and leave as shown.
func uncontended(t *states.Traffic) bool {
	sc := t.Scenario()
	if sc.Bubble > 1 || t.Network().Room() > 1 {
		return false
	}
	n, topo := t.Network(), t.Network().Topology()
	channels := topo.Channels()
	const unknown, injected = -2, -1
	from, free := slices.Repeat([]int32{unknown}, channels+topo.Nodes()), true // by channel, then by node with a sink
	enter := func(to int, by int32) {
		if free = free && to >= 0 && (from[to] == unknown || from[to] == by); free {
			from[to] = by
		}
	}
	for i := range n.Tables() {
		for _, src := range n.Table(i).Sources {
			for _, x := range n.Row(src.Row) {
				enter(int(x.Channel), injected)
			}
		}
	}
	for c := range spec.ChannelID(channels) {
		_, rows := t.Headers(c)
		for _, r := range rows {
			free = free && len(n.Row(r)) > 0
		}
	}
	eachHop(t, func(c spec.ChannelID, _ int, _ spec.Header, x spec.Hop) {
		switch {
		case x.Channel != spec.Eject:
			enter(int(x.Channel), int32(c))
		case sc.Sink > 0 && !x.Discards():
			enter(channels+int(topo.Head(c)), int32(c))
		}
	})
	if !free {
		return false
	}
	_, acyclic := graph.Heights(graph.Collect(channels, func(add func(from, to int32)) {
		for c, by := range from[:channels] {
			if by >= 0 {
				add(by, int32(c))
			}
		}
	}))
	return acyclic
}

// eachHop calls f with every hop of every channel's headers; h is the k-th header of c.
func eachHop(t *states.Traffic, f func(c spec.ChannelID, k int, h spec.Header, x spec.Hop)) {
	n := t.Network()
	for c := range spec.ChannelID(n.Topology().Channels()) {
		headers, rows := t.Headers(c)
		for k, h := range headers {
			for _, x := range n.Row(rows[k]) {
				f(c, k, h, x)
			}
		}
	}
}
