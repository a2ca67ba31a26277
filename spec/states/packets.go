package states

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// How whole packets step on packed states.
//
// Whole packets do not reach into other channels: one hop takes a packet from the
// first place of a channel, or from its source, to the first free place of another.
// So the hops of a packet are listed once for each place where it may be, and a
// successor is a copy of the state with two queues changed. The result is that of
// Moves, Step and Stuck, which define the meaning; a test compares them.

// way is a move of a packet.
type way struct {
	spec.Move
	to     *Queue  // nil: out of the network
	room   slot    // of its place that is free if it may move there, or of the count
	most   uint64  // that room has then
	value  uint64  // of the packet's place there
	counts []Field // that it changes, if they have such a value
	change uint64  // by as much: 1, or ^0 where a sink consumes
}

// stand is a place from which packets move: the sources, a channel, or the sinks.
type stand struct {
	head slot    // of a channel: its first place; otherwise none
	ways [][]way // by value of head
}

// waysOfFirst returns the ways of the packet that is first there. A queue that counts has one
// kind of packet.
func (x *stand) waysOfFirst(s []uint64) []way {
	return x.ways[min(x.head.Of(s), uint64(len(x.ways)-1))]
}

// packetWays lists the ways in the order of Moves: the sources, the channels, the sinks.
// Linear in the hops of all sites.
func (t *Traffic) packetWays() []stand {
	var injected, consumed []way
	for i := range t.n.Tables() {
		table := t.n.Table(i)
		for i, src := range table.Sources {
			if sent, _, sends := t.Quota(spec.Flow{Source: src.Node, Target: table.Target}); sends {
				from := table.SourceSite(i)
				injected = t.appendWays(injected, way{
					Move:   spec.Move{From: from.Channel, Header: from.Header},
					counts: t.sent[max(0, sent) : sent+1], change: 1,
				}, src.Row)
			}
		}
	}
	all := []stand{{ways: [][]way{injected}}}
	for c, headers := range t.headers {
		x := stand{t.queues[c].first.slot, make([][]way, 1, 1+len(headers))}
		for i, h := range headers {
			x.ways = append(x.ways,
				t.appendWays(nil, way{Move: spec.Move{From: spec.ChannelID(c), Header: h}, change: 1}, t.rows[c][i]))
		}
		all = append(all, x)
	}
	for v := range t.sinks {
		consumed = append(consumed, way{
			Move: spec.Move{
				Kind: spec.Consume, From: spec.Injection(spec.NodeID(v)), Hop: spec.Hop{Channel: spec.Eject},
			},
			counts: t.sinks[v : v+1], change: ^uint64(0),
		})
	}
	return append(all, stand{ways: [][]way{consumed}})
}

func (t *Traffic) appendWays(dst []way, from way, row spec.RowID) []way {
	for _, hop := range t.n.Row(row) {
		w, h := from, from.Header
		if w.Hop = hop.Taken(); hop.Channel != spec.Eject {
			h.Tag = hop.Tag
			w.to, w.value = &t.queues[hop.Channel], t.Value(hop.Channel, h)
			// A state from a file may have more packets than were sent: hence the minimum.
			last := min(t.Capacity()-t.Need(w.From, hop), w.to.places-1)
			if w.room = w.to.FieldAt(last % w.to.fields).slot; w.to.Counts {
				w.most = uint64(last)
			}
		} else if t.sinks != nil && !hop.Discards() {
			w.counts = append(slices.Clip(w.counts), t.sinks[t.n.Topology().Head(w.From)])
		}
		dst = append(dst, w)
	}
	return dst
}

// open reports whether there is room where a way leads.
func (w *way) open(s []uint64) bool {
	for i := range w.counts {
		if f := &w.counts[i]; f.Of(s)+w.change >= f.Values {
			return false
		}
	}
	return w.room.Of(s) <= w.most
}

// waysOf appends the ways that are open in s, in the order of Moves.
func (t *Traffic) waysOf(dst []*way, s []uint64) []*way {
	for _, x := range t.ways() {
		ways := x.waysOfFirst(s)
		for k := range ways {
			if ways[k].open(s) {
				dst = append(dst, &ways[k])
			}
		}
	}
	return dst
}

// nextPackets appends the successors of s, if packets move whole.
func (t *Traffic) nextPackets(dst, s []uint64) []uint64 {
	var few [64]*way
	for _, w := range t.waysOf(few[:0], s) {
		dst = append(dst, s...)
		after := dst[len(dst)-len(s):]
		for i := range w.counts {
			w.counts[i].Put(after, w.counts[i].Of(s)+w.change)
		}
		if !w.From.IsInjection() {
			t.queues[w.From].pop(after)
		}
		if w.to != nil {
			w.to.Put(after, w.to.Taken(after), w.value)
		}
	}
	return dst
}

// StuckIn returns the result of Stuck for a packed state.
func (t *Traffic) StuckIn(s []uint64) []spec.ChannelID {
	if t.sc.Flits() {
		x := t.load(s)
		defer t.scratch.Put(x)
		return t.Stuck(x.state)
	}
	set, in, channels := new([64]spec.ChannelID)[:0], new([64]bool)[:0], t.ways()[1:]
	for c := range t.queues {
		if in = append(in, channels[c].head.Of(s) != 0); in[c] {
			set = append(set, spec.ChannelID(c))
		}
	}
	return stuckAmong(set, in, func(c spec.ChannelID) bool {
		ways := channels[c].waysOfFirst(s)
		for i := range ways {
			if w := &ways[i]; w.to == nil || !in[w.Hop.Channel] || w.open(s) {
				return false
			}
		}
		return len(ways) > 0
	})
}
