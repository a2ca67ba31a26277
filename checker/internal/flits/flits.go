// Package flits is the packed form of states.Traffic for messages of flits: the
// same machine, the same packing, the same order of successors, without decoding
// states. Tests compare the two.
//
// The value of a channel's place is 0, or 1 + a mixed number of header, hop
// taken, flits here and flits to come (see states.Traffic.Layout). So a flit more
// or less is a number added to the value, and so are a flit entered from the
// source and a head gone; what a value means is looked up in a table. What a step
// has to know of other channels is found in one pass over the state: how many
// pieces and flits each holds, and from which channel its last message goes on
// entering.
package flits

import (
	"context"
	"sync"

	"github.com/seed-105a2da2/unknot/checker/internal/place"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Machine steps packed states. It is safe for concurrent use.
type Machine struct {
	t         *states.Traffic
	anyLength bool
	elastic   bool
	atomic    bool  // a channel holds one message at a time
	capacity  int32 // flits of a channel
	most      int32 // flits of a piece
	rests     int32 // values of "flits to come"
	channels  []channel
	inject    []injection
	sinks     []place.Place // by node; nil if sinks drain at once
	sinkLimit uint64
	scratch   sync.Pool // *[]view
}

// channel is a network channel that some message uses.
type channel struct {
	id     spec.ChannelID
	node   int // at its far end
	places []place.Place
	pieces []piece // by value; that of 0 is no piece
	rows   []row   // by header
	loses  bool    // some packet is lost here
}

// piece is what a value of a place means.
type piece struct {
	flits, rest int32
	out         int32 // channel that the head went to, or one of the following
	header      int32
}

const (
	ejected  = -1 // out of the network
	headHere = -2
	nobody   = -3 // no channel feeds this one
)

// row is what a header may do at the head of a channel.
type row struct {
	hops []hop
	lost bool // machines.Lost
}

// hop is a move of a head.
type hop struct {
	to    int32  // channel, or ejected
	value uint64 // of the piece, there
	left  uint64 // what the piece that stays behind adds to its value
	sink  int    // node whose sink takes it; -1: none has to
}

// injection is the first hop of a message.
type injection struct {
	hop
	bounded bool
	counter place.Place
	limit   uint64
}

// view is what the step has to know about a channel.
type view struct {
	count, flits int32
	feeder       int32 // channel from which its last message goes on entering
	first, last  *piece
	held         bool // the inspector's: may stay forever
}

// mostValues bounds the tables: 16 bytes for each value that a place can have.
const mostValues = 1 << 21

// New returns the packed form of t, whose messages must be of flits, or nil if
// its tables would be too large: long messages in deep buffers. The error is that
// of ctx.
func New(ctx context.Context, t *states.Traffic) (*Machine, error) {
	n, sc := t.Network(), t.Scenario()
	topo := n.Topology()
	m := &Machine{
		t: t, anyLength: sc.Length == spec.AnyLength, elastic: sc.Elastic, atomic: !sc.Shared,
		capacity: int32(t.Capacity()), most: int32(t.PieceFlits()), rests: int32(max(1, sc.Length)),
	}
	if m.anyLength {
		m.rests = 2
	}
	index := make([]int32, topo.Channels())
	values := 0
	for c := range spec.ChannelID(topo.Channels()) {
		headers, rows := t.Headers(c)
		if len(headers) == 0 {
			continue
		}
		index[c] = int32(len(m.channels))
		ch := channel{id: c, node: int(topo.Head(c)), places: place.All(t.Queue(c))}
		m.channels = append(m.channels, ch)
		for _, r := range rows {
			values += (1 + len(n.Row(r))) * int(m.outs())
		}
	}
	if values > mostValues {
		return nil, nil
	}
	if sc.Sink > 0 {
		m.sinkLimit = uint64(sc.Sink)
		for _, f := range t.Sinks() {
			m.sinks = append(m.sinks, place.Of(f))
		}
	}
	b := builder{m, index, make([][]uint64, len(m.channels)), machines.Lost(t)}
	for i := range m.channels {
		b.number(i)
	}
	for i := range m.channels {
		b.channel(i)
	}
	if err := b.injections(ctx); err != nil {
		return nil, err
	}
	m.scratch.New = func() any {
		v := make([]view, len(m.channels))
		return &v
	}
	return m, nil
}

// builder fills in the tables of a machine.
type builder struct {
	*Machine
	index []int32    // by channel of the network
	bases [][]uint64 // by channel and header: the value of a piece whose head is here, without flits
	lost  [][]bool   // machines.Lost
}

func (b *builder) number(i int) {
	_, rows := b.t.Headers(b.channels[i].id)
	next := uint64(1)
	for _, r := range rows {
		b.bases[i] = append(b.bases[i], next)
		next += uint64(1+len(b.t.Network().Row(r))) * uint64(b.outs())
	}
}

func (b *builder) channel(i int) {
	ch := &b.channels[i]
	headers, rows := b.t.Headers(ch.id)
	ch.pieces = make([]piece, 1)
	for k, h := range headers {
		permitted := b.t.Network().Row(rows[k])
		var r row
		for j, x := range permitted {
			to := b.hop(ch.node, h, x, 0)
			to.left = uint64(1+j) * uint64(b.outs())
			r.hops = append(r.hops, to)
		}
		r.lost = b.lost[ch.id][k]
		ch.loses = ch.loses || r.lost
		ch.rows = append(ch.rows, r)
		for j := range 1 + len(permitted) {
			out := int32(headHere)
			if j > 0 {
				out = r.hops[j-1].to
			}
			for flits := range b.most + 1 {
				for rest := range b.rests {
					ch.pieces = append(ch.pieces, piece{flits, rest, out, int32(k)})
				}
			}
		}
	}
}

// hop is that of a head at a node; rest flits of its message stay at the source.
func (b *builder) hop(node int, h spec.Header, x spec.Hop, rest int32) hop {
	if x.Channel == spec.Eject {
		out := hop{to: ejected, sink: -1}
		if b.sinks != nil {
			out.sink = node
		}
		return out
	}
	h.Tag = x.Tag
	to := b.index[x.Channel]
	// Value numbers headers from 1, for whole packets.
	base := b.bases[to][b.t.Value(x.Channel, h)-1]
	return hop{to: to, value: base + uint64(b.rests) + uint64(rest), sink: -1}
}

func (b *builder) injections(ctx context.Context) error {
	n := b.t.Network()
	sent := b.t.SentFields()
	for i := range n.Tables() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		table := n.Table(i)
		for _, src := range table.Sources {
			number, limit, ok := b.t.Quota(spec.Flow{Source: src.Node, Target: table.Target})
			if !ok {
				continue
			}
			for _, x := range n.Row(src.Row) {
				in := injection{hop: b.hop(int(src.Node), spec.Header{Dest: table.Dest, Class: table.Class}, x, b.rests-1)}
				if number >= 0 {
					in.bounded, in.counter, in.limit = true, place.Of(sent[number]), uint64(limit)
				}
				b.inject = append(b.inject, in)
			}
		}
	}
	return nil
}

// Layout is that of the traffic.
func (m *Machine) Layout() *states.Layout { return m.t.Layout() }

// Start appends the state without messages.
func (m *Machine) Start(dst []uint64) []uint64 { return m.t.Start(dst) }

// look finds out about all channels.
func (m *Machine) look(v []view, s []uint64) {
	for i := range v {
		v[i].feeder = nobody
	}
	for i := range m.channels {
		ch, x := &m.channels[i], &v[i]
		x.count, x.flits = 0, 0
		for _, p := range ch.places {
			value := p.Value(s)
			if value == 0 {
				break
			}
			x.last = &ch.pieces[value]
			if x.count++; x.count == 1 {
				x.first = x.last
				if out := x.first.out; out >= 0 {
					v[out].feeder = int32(i)
				}
			}
			x.flits += x.last.flits
		}
	}
}

// accepts reports whether a head may take a hop.
func (m *Machine) accepts(v []view, s []uint64, h *hop) bool {
	if h.to == ejected {
		return h.sink < 0 || m.sinks[h.sink].Value(s) < m.sinkLimit
	}
	x := &v[h.to]
	switch {
	case x.count == 0:
		return true
	case m.atomic:
		return false
	}
	return x.flits < m.capacity && x.feeder == nobody && x.last.rest == 0
}
