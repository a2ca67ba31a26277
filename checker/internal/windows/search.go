package windows

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Breadth-first search for a deadlock of whole packets within the windows. A state is what is in each channel, with
// what counts it, and the requests that have arrived. Windows keep the packets few, so small networks are searched whole.

// packet is one in a channel, or a request that has arrived.
type packet struct {
	header  spec.Header
	x       int32   // exchange; -1: none
	windows []int32 // that count it; shared, not changed
}

type state struct {
	channels [][]packet
	arrived  [][]packet // by kind, the oldest first
	open     []int
}

// flow is a source, and its exchange.
type flow struct {
	at  spec.Site
	row []spec.Hop
	x   int32
}

type search struct {
	n     *spec.Network
	flows []flow
	kinds int
}

// Search returns the moves of a shortest run of whole packets to a deadlock, or nil if there is none among so
// many states; and the number of states found, which are all if it is less.
func Search(ctx context.Context, n *spec.Network, most int) (moves []spec.Move, states int) {
	q := &search{n: n}
	e := exchangesOf(n)
	for _, x := range n.Exchanges() {
		q.kinds = max(q.kinds, int(x.Asks)+1, int(x.Answers)+1)
	}
	for i := range n.Tables() {
		t := n.Table(i)
		for k, src := range t.Sources {
			q.flows = append(q.flows, flow{t.SourceSite(k), n.Row(src.Row), int32(e.at(t.SourceSite(k)))})
		}
	}
	type visit struct {
		s    *state
		by   spec.Move
		from int
	}
	empty := &state{make([][]packet, n.Topology().Channels()), make([][]packet, q.kinds), make([]int, len(n.Windows()))}
	all, seen := []visit{{s: empty, from: -1}}, map[string]bool{string(q.key(nil, empty)): true}
	var key []byte
	for i := 0; i < len(all) && ctx.Err() == nil; i++ {
		s := all[i].s
		if q.stuck(s) {
			for k := i; all[k].from >= 0; k = all[k].from {
				moves = append(moves, all[k].by)
			}
			slices.Reverse(moves)
			return moves, len(all)
		}
		q.each(s, func(m spec.Move, after *state) {
			if key = q.key(key[:0], after); !seen[string(key)] && len(all) < most {
				seen[string(key)] = true
				all = append(all, visit{after, m, i})
			}
		})
		all[i].s = nil
	}
	return nil, len(all)
}

// key tells states apart.
func (q *search) key(b []byte, s *state) []byte {
	list := func(ps []packet) {
		b = binary.AppendUvarint(b, uint64(len(ps)))
		for _, p := range ps {
			for _, x := range []int{int(p.header.Dest), int(p.header.Class), int(p.header.Tag), int(p.x) + 1, len(p.windows)} {
				b = binary.AppendUvarint(b, uint64(x))
			}
			for _, w := range p.windows {
				b = binary.AppendUvarint(b, uint64(w))
			}
		}
	}
	for _, ps := range s.channels {
		list(ps)
	}
	for _, ps := range s.arrived {
		list(ps)
	}
	return b
}

// each calls f with every move that is possible in s, and the state after it.
func (q *search) each(s *state, f func(spec.Move, *state)) {
	for _, from := range q.flows {
		p := packet{header: from.at.Header, x: from.x}
		var answered int32 = -1
		if from.x >= 0 {
			x := q.n.Exchanges()[from.x]
			if x.Window >= 0 && s.open[x.Window] >= q.n.Windows()[x.Window] || x.Answers >= 0 && len(s.arrived[x.Answers]) == 0 {
				continue
			}
			if answered = x.Answers; answered >= 0 {
				p.windows = s.arrived[answered][0].windows
			}
			if x.Window >= 0 {
				p.windows = append(slices.Clip(p.windows), x.Window)
			}
		}
		q.move(s, from.at, p, from.row, answered, f)
	}
	for c, ps := range s.channels {
		if len(ps) > 0 {
			at := spec.Site{Channel: spec.ChannelID(c), Header: ps[0].header}
			hops, _ := q.n.Hops(at)
			q.move(s, at, ps[0], hops, -1, f)
		}
	}
}

// move takes a packet along each hop that has room. Injected, it may answer a request.
func (q *search) move(s *state, at spec.Site, p packet, hops []spec.Hop, answered int32, f func(spec.Move, *state)) {
	for _, h := range hops {
		to := h.Channel
		if to >= 0 && len(s.channels[to]) >= q.n.Capacity() {
			continue
		}
		after := &state{slices.Clone(s.channels), slices.Clone(s.arrived), slices.Clone(s.open)}
		switch {
		case !at.Channel.IsInjection():
			after.channels[at.Channel] = slices.Clone(s.channels[at.Channel][1:])
		case p.x >= 0:
			if answered >= 0 {
				after.arrived[answered] = slices.Clone(s.arrived[answered][1:])
			}
			if w := q.n.Exchanges()[p.x].Window; w >= 0 {
				after.open[w]++
			}
		}
		moved := p
		moved.header.Tag = h.Tag
		switch {
		case to >= 0:
			after.channels[to] = append(slices.Clip(after.channels[to]), moved)
		case p.x >= 0 && q.n.Exchanges()[p.x].Asks >= 0:
			kind := q.n.Exchanges()[p.x].Asks
			after.arrived[kind] = append(slices.Clip(after.arrived[kind]), packet{x: -1, windows: p.windows})
		default:
			for _, w := range p.windows {
				after.open[w]--
			}
		}
		f(spec.Move{From: at.Channel, Header: at.Header, Hop: h}, after)
	}
}

// stuck reports whether packets wait for each other in full channels: the largest set of channels whose first
// packets have hops, all of them into full channels of the set.
func (q *search) stuck(s *state) bool {
	in, some := make([]bool, len(s.channels)), false
	for c, ps := range s.channels {
		in[c] = len(ps) > 0
		some = some || in[c]
	}
	for again := some; again; {
		again, some = false, false
		for c, ps := range s.channels {
			if !in[c] {
				continue
			}
			hops, _ := q.n.Hops(spec.Site{Channel: spec.ChannelID(c), Header: ps[0].header})
			moves := len(hops) == 0 || slices.ContainsFunc(hops, func(h spec.Hop) bool {
				return h.Channel < 0 || !in[h.Channel] || len(s.channels[h.Channel]) < q.n.Capacity()
			})
			if moves {
				in[c], again = false, true
			} else {
				some = true
			}
		}
	}
	return some
}
