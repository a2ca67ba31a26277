// Package packets is the packed form of states.Traffic for whole packets: the
// same machine, the same packing, the same order of successors, without
// allocation. Tests compare the two.
//
// Every field of the layout lies within one word, so a move is at most three changes:
// take the first packet out of a channel, put it into the first free place of another,
// count it. A channel that only one header can enter is a count. All of that is
// precomputed for every value that the first place of a channel can have. With one packet
// per channel and states of one word, a move is "these bits are 0, add this number"; see
// word.go.
//
// Export makes the same machine a program, state by state, so package compiled could take its place; BenchmarkTraffic
// of package explore runs both. In November 2026, on a busy machine, programs took 1.1 to 1.3 times the CPU time on a
// ring of 8 with a dateline, 1.3 to 1.5 on the 3x3 torus, 1.2 to 1.6 on that with four destinations, 1.0 to 1.5 on
// star-channel, as much on the adaptive mesh 4x4, and 0.9 on the ring of 8 without a dateline. What rules that out is
// preparation: a program has a rule for each flow and hop, and the adaptive mesh took 0.4 s in place of 4 ms with 8x8
// nodes, and 4.9 s in place of 0.1 with 16x16, which then walked half as fast; export.MostParts bounds programs, too.
package packets

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/place"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Machine steps packed states. It is safe for concurrent use.
type Machine struct {
	t        *states.Traffic
	channels []channel
	inject   []move
	sinks    []counter // by node; nil if sinks drain at once
	most     int       // largest number of successors of a state
	word     *wordMachine
}

// channel is a network channel that some packet uses.
type channel struct {
	id     spec.ChannelID
	places []place.Place
	counts bool   // one field holds the number of packets, all with the same header
	beyond int    // places of the buffer without a field: bounded traffic cannot fill them, or one field counts
	first  []int  // by value of the first place except 0: moves[first[v-1]:first[v]]
	moves  []move // of the first packet
}

// move is a hop of a packet.
type move struct {
	to      int         // index of the channel; -1: out of the network
	value   uint64      // of the packet, there
	need    int         // free places needed
	counter int         // index in Machine.sent of the counter it increases; -1: none
	sink    int         // node whose sink takes it; -1: none is needed
	source  place.Place // injections only: the counter
	limit   uint64      // of the counter
}

// counter is a field with a bound.
type counter struct {
	place.Place
	limit uint64
}

// New returns the packed form of t, which must move whole packets. Time and
// memory are linear in the hops of flows and sites; the error is that of ctx.
func New(ctx context.Context, t *states.Traffic) (*Machine, error) {
	n := t.Network()
	topo := n.Topology()
	m := &Machine{t: t}
	index := make([]int, topo.Channels())
	for c := range spec.ChannelID(topo.Channels()) {
		headers, _ := t.Headers(c)
		if len(headers) == 0 {
			continue
		}
		index[c] = len(m.channels)
		ch := channel{id: c, places: place.All(t.Queue(c)), counts: t.Queue(c).Counts}
		ch.beyond = t.Capacity() - len(ch.places)
		m.channels = append(m.channels, ch)
	}
	if t.Scenario().Sink > 0 {
		for _, f := range t.Sinks() {
			m.sinks = append(m.sinks, counter{place.Of(f), uint64(t.Scenario().Sink)})
		}
	}
	hop := func(from spec.ChannelID, h spec.Header, hop spec.Hop) move {
		if hop.Channel == spec.Eject {
			x := move{to: -1, counter: -1, sink: -1}
			if m.sinks != nil && !hop.Discards() {
				x.sink = int(topo.Head(from))
			}
			return x
		}
		h.Tag = hop.Tag
		return move{
			to: index[hop.Channel], value: t.Value(hop.Channel, h), need: t.Need(from, hop), counter: -1,
			sink: -1,
		}
	}
	for i := range m.channels {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		ch := &m.channels[i]
		headers, rows := t.Headers(ch.id)
		ch.first = append(ch.first, 0)
		for k, h := range headers {
			for _, x := range n.Row(rows[k]) {
				ch.moves = append(ch.moves, hop(ch.id, h, x))
			}
			ch.first = append(ch.first, len(ch.moves))
			m.most = max(m.most, len(n.Row(rows[k])))
		}
	}
	m.most *= len(m.channels)
	sent := t.SentFields()
	for i := range n.Tables() {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		table := n.Table(i)
		for i, src := range table.Sources {
			number, limit, ok := t.Quota(spec.Flow{Source: src.Node, Target: table.Target})
			if !ok {
				continue
			}
			from := table.SourceSite(i)
			for _, x := range n.Row(src.Row) {
				mv := hop(from.Channel, from.Header, x)
				if mv.counter = number; number >= 0 {
					mv.source, mv.limit = place.Of(sent[number]), uint64(limit)
				}
				m.inject = append(m.inject, mv)
			}
		}
	}
	m.most += len(m.inject) + len(m.sinks)
	m.word = newWordMachine(m)
	return m, nil
}

// Layout returns the layout of the traffic.
func (m *Machine) Layout() *states.Layout { return m.t.Layout() }

// Start appends the state without packets.
func (m *Machine) Start(dst []uint64) []uint64 { return m.t.Start(dst) }

// AppendSuccessors appends the successors of s in the order of states.Traffic.Moves.
func (m *Machine) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	if m.word != nil {
		return m.word.successors(dst, s[0]), nil
	}
	return m.nextPlain(dst, s), nil
}

func (m *Machine) nextPlain(dst, s []uint64) []uint64 {
	for i := range m.inject {
		dst = m.take(dst, s, nil, &m.inject[i])
	}
	for i := range m.channels {
		ch := &m.channels[i]
		if v := ch.head(s); v > 0 {
			for k := ch.first[v-1]; k < ch.first[v]; k++ {
				dst = m.take(dst, s, ch, &ch.moves[k])
			}
		}
	}
	for _, sink := range m.sinks {
		if held := sink.Value(s); held > 0 {
			at := len(dst)
			dst = append(dst, s...)
			sink.Put(dst[at:], held-1)
		}
	}
	return dst
}

// head returns the value of the first place.
func (ch *channel) head(s []uint64) uint64 {
	v := ch.places[0].Value(s)
	if ch.counts {
		v = min(v, 1)
	}
	return v
}

// room returns the first free place of a channel and how many are free.
func (ch *channel) room(s []uint64) (first, free int) {
	if ch.counts {
		n := int(ch.places[0].Value(s))
		return n, 1 + ch.beyond - n
	}
	for i, p := range ch.places {
		if p.Value(s) == 0 {
			return i, len(ch.places) - i + ch.beyond
		}
	}
	return len(ch.places), ch.beyond
}

// possible reports whether a move is possible, and into which place.
func (m *Machine) possible(s []uint64, mv *move) (at int, ok bool) {
	if mv.counter >= 0 && mv.source.Value(s) >= mv.limit {
		return 0, false
	}
	if mv.sink >= 0 && m.sinks[mv.sink].Value(s) >= m.sinks[mv.sink].limit {
		return 0, false
	}
	if mv.to < 0 {
		return 0, true
	}
	at, free := m.channels[mv.to].room(s)
	return at, free >= mv.need
}

// take appends the state after a move of the first packet of from (nil: an
// injection), if it is possible.
func (m *Machine) take(dst, s []uint64, from *channel, mv *move) []uint64 {
	at, ok := m.possible(s, mv)
	if !ok {
		return dst
	}
	begin := len(dst)
	dst = append(dst, s...)
	after := dst[begin:]
	if from != nil && from.counts {
		from.places[0].Add(after, ^uint64(0))
	} else if from != nil {
		last := len(from.places) - 1
		for i := range last {
			from.places[i].Put(after, from.places[i+1].Value(after))
		}
		from.places[last].Put(after, 0)
		if mv.to >= 0 && &m.channels[mv.to] == from {
			at-- // the queue has moved up
		}
	}
	if mv.to >= 0 && m.channels[mv.to].counts {
		m.channels[mv.to].places[0].Add(after, 1)
	} else if mv.to >= 0 {
		m.channels[mv.to].places[at].Put(after, mv.value)
	}
	if mv.counter >= 0 {
		mv.source.Put(after, mv.source.Value(after)+1)
	}
	if mv.sink >= 0 {
		m.sinks[mv.sink].Put(after, m.sinks[mv.sink].Value(after)+1)
	}
	return dst
}
