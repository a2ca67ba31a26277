package states

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// How whole packets step on packed states.
//
// Whole packets do not reach into other channels: one hop takes a packet from the
// first place of a channel, or from its source, to the first free place of another.
// So the hops of a packet are listed once for each place where it may stand, and a
// successor is a copy of the state with two queues changed. These lines come to the
// same as Moves, Step and Stuck, which are the meaning; a test compares them.

// way is a hop of a packet.
type way struct {
	from, to spec.ChannelID
	value    uint64  // of the packet's place in channel to
	room     Field   // the place there that is free if it may move there; none if there always is one
	counts   []Field // that it raises, if none is at its most
}

// ways are all hops of all packets.
type ways struct {
	injected []way     // in the order of Moves
	first    [][][]way // by channel and 1 less than the value of its first place
}

// packetWays lists the ways. Linear in the hops of all sites.
func (t *Traffic) packetWays() *ways {
	w := &ways{first: make([][][]way, len(t.queues))}
	for i := range t.n.Tables() {
		table := t.n.Table(i)
		for _, src := range table.Sources {
			if sent, _, sends := t.Quota(spec.Flow{Source: src.Node, Target: table.Target}); sends {
				at := way{from: spec.Injection(src.Node), counts: t.sent[max(0, sent) : sent+1]}
				w.injected = t.appendWays(w.injected, at, spec.Header{Dest: table.Dest, Class: table.Class}, src.Row)
			}
		}
	}
	for c, headers := range t.headers {
		for i, h := range headers {
			w.first[c] = append(w.first[c], t.appendWays(nil, way{from: spec.ChannelID(c)}, h, t.rows[c][i]))
		}
	}
	return w
}

func (t *Traffic) appendWays(dst []way, from way, h spec.Header, row spec.RowID) []way {
	for _, hop := range t.n.Row(row) {
		w := from
		if w.to = hop.Channel; w.to != spec.Eject {
			h.Tag = hop.Tag
			w.value = t.Value(w.to, h)
			if last := t.Capacity() - t.Need(w.from, w.to); last < t.queues[w.to].Len() {
				w.room = t.queues[w.to].At(last)
			}
		} else if t.sinks != nil {
			w.counts = append(slices.Clip(w.counts), t.sinks[t.n.Topology().Head(w.from)])
		}
		dst = append(dst, w)
	}
	return dst
}

// open reports whether there is room where a way leads.
func (w *way) open(s []uint64) bool {
	for i := range w.counts {
		if f := &w.counts[i]; f.Of(s) == f.Values-1 {
			return false
		}
	}
	return w.room.Of(s) == 0
}

// nextPackets appends the successors of s, if messages are whole packets, in the
// order of Moves.
func (t *Traffic) nextPackets(dst, s []uint64) []uint64 {
	ways := t.ways()
	dst = t.take(dst, s, ways.injected)
	for c := range t.queues {
		if v := t.queues[c].first.Of(s); v != 0 {
			dst = t.take(dst, s, ways.first[c][v-1])
		}
	}
	for i := range t.sinks {
		if f := &t.sinks[i]; f.Of(s) > 0 {
			dst = append(dst, s...)
			f.Put(dst[len(dst)-len(s):], f.Of(s)-1)
		}
	}
	return dst
}

// take appends where the ways lead from s, if they are open.
func (t *Traffic) take(dst, s []uint64, ways []way) []uint64 {
	for i := range ways {
		w := &ways[i]
		if !w.open(s) {
			continue
		}
		dst = append(dst, s...)
		after := dst[len(dst)-len(s):]
		for i := range w.counts {
			w.counts[i].Put(after, w.counts[i].Of(s)+1)
		}
		if !w.from.IsInjection() {
			t.queues[w.from].pop(after)
		}
		if w.to != spec.Eject {
			t.queues[w.to].push(after, w.value)
		}
	}
	return dst
}

// StuckIn returns what Stuck does of the state with a packed form.
func (t *Traffic) StuckIn(s []uint64) []spec.ChannelID {
	if t.sc.Flits() {
		x := t.load(s)
		defer t.scratch.Put(x)
		return t.Stuck(x.state)
	}
	first := t.ways().first
	in := make([]bool, len(t.queues))
	for c := range in {
		in[c] = t.queues[c].first.Of(s) != 0
	}
	return stuckAmong(in, func(c spec.ChannelID) bool {
		ways := first[c][t.queues[c].first.Of(s)-1]
		for i := range ways {
			if w := &ways[i]; w.to == spec.Eject || !in[w.to] || w.open(s) {
				return false
			}
		}
		return len(ways) > 0
	})
}
