// Package flits is the packed form of states.Traffic for packets of flits: the
// same machine, the same packing, the same order of successors, without decoding
// states. Tests compare the two.
//
// The value of a channel's place is 0, or 1 + a mixed number of header, hop taken,
// flits here and flits to come (see states.Traffic.Layout). So a flit more or less,
// a flit entering from the source and a head leaving are all numbers added to the
// value; what a value means is looked up in a table. What a step has to know of other
// channels is found in one pass over the state (look): how many pieces and flits each
// holds, from which channel its last packet is still entering, and which gates are
// open. A gate is what a head needs in order to move on: room in a channel or in a
// sink, or an injection left. AppendSuccessors, Inspect and Labels share that pass when called for
// one state in turn.
package flits

import (
	"context"
	"slices"
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
	atomic    bool  // a channel holds one packet at a time
	capacity  int32 // flits of a channel
	most      int32 // flits of a piece
	rests     int32 // values of "flits to come"
	channels  []channel
	begin     [][]int32 // by word of a state: the channels whose first place is in it, ascending
	inject    []injection
	gates     [][2]int32    // by injection: the gates of its hop and of its counter
	sinks     []place.Place // by node; nil if sinks drain at once
	sinkLimit uint64
	sent      []counter
	always    int32     // the gate that is always open, after those of channels, sinks and counters
	heads     int       // the kind of step by which no packet begins and no head arrives in a channel
	scratch   sync.Pool // *scratch
}

// counter counts injections up to a limit.
type counter struct {
	place.Place
	limit uint64
}

// channel is a network channel that some packet uses.
type channel struct {
	id     spec.ChannelID
	node   int // at its far end
	places []place.Place
	pieces []piece // by value; 0 stands for none
	rows   []row   // by header
	loses  bool    // some packet is lost here
}

// piece is what a value of a place means.
type piece struct {
	flits, rest int32
	out         int32 // channel that the head went to, or one of the constants below
	header      int32
}

const (
	ejected  = -1 // out of the network
	headHere = -2
	nobody   = -3 // no channel feeds this one
)

// row is what the head of a header may do in a channel.
type row struct {
	hops []hop
	lost bool // see machines.Lost
}

// hop is a move of a head.
type hop struct {
	to    int32  // channel, or ejected
	gate  int32  // the gate that must be open
	value uint64 // of the piece, there
	left  uint64 // what the piece that stays behind adds to its value
	sink  int    // node whose sink takes it; -1: none is needed
	word  int32  // of the target's first place
	shift uint8  // of that place
}

// injection is the first hop of a packet.
type injection struct {
	hop
	counter int // index in Machine.sent; -1: none
}

// view is what a step has to know about a channel.
type view struct {
	count, flits int32
	feeder       int32 // channel from which its last packet is still entering
	leaves       bool  // its first packet can leave now, so it does not stay; valid once the state was stepped
	held         bool  // used by Inspect: may stay forever
	first, last  piece
}

// scratch is what look has found in a state, and memory for steps.
type scratch struct {
	state    []uint64
	views    []view  // by channel
	occupied []int32 // channels that hold something, ascending
	open     []uint8 // by gate: 1 if it is
	asleep   []uint8 // by gate: 1 if injections sleep
	list     []int32
	kinds    []uint32
	stepped  bool // whether the state was stepped; then:
	moves    bool // something other than an injection is possible
	spare    []uint64
}

// mostValues bounds the tables: 16 bytes for each value that a place can have.
const mostValues = 1 << 21

// New returns the packed form of t, whose packets must be of flits, or nil if
// its tables would be too large: long packets in deep buffers. The error is that
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
	for _, f := range t.SentFields() {
		m.sent = append(m.sent, counter{Place: place.Of(f)})
	}
	m.always = int32(len(m.channels) + len(m.sinks) + len(m.sent))
	b := builder{m, index, make([][]uint64, len(m.channels)), machines.Lost(t)}
	m.begin = make([][]int32, t.Layout().Words())
	for i := range m.channels {
		b.number(i)
		word := m.channels[i].places[0].Word
		m.begin[word] = append(m.begin[word], int32(i))
	}
	for i := range m.channels {
		b.channel(i)
	}
	if err := b.injections(ctx); err != nil {
		return nil, err
	}
	m.heads = len(m.inject) + 1
	m.scratch.New = func() any {
		x := &scratch{
			views: make([]view, len(m.channels)), open: make([]uint8, m.always+1),
			asleep: make([]uint8, m.always+1), list: make([]int32, max(len(m.inject), len(m.channels))),
		}
		for i := range x.views {
			x.views[i].feeder, x.open[i] = nobody, 1
		}
		x.open[m.always] = 1
		return x
	}
	return m, nil
}

// builder fills in the tables of a machine.
type builder struct {
	*Machine
	index []int32    // by channel of the network
	bases [][]uint64 // by channel and header: the value of a piece whose head is here, without flits
	lost  [][]bool   // see machines.Lost
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

// hop makes the hop of a head at a node; rest flits of its packet stay at the source.
func (b *builder) hop(node int, h spec.Header, x spec.Hop, rest int32) hop {
	if x.Channel == spec.Eject {
		if b.sinks == nil || x.Discards() {
			return hop{to: ejected, gate: b.always, sink: -1}
		}
		return hop{to: ejected, gate: int32(len(b.channels) + node), sink: node}
	}
	h.Tag = x.Tag
	to := b.index[x.Channel]
	// Value numbers headers from 1, for whole packets.
	base := b.bases[to][b.t.Value(x.Channel, h)-1]
	p := b.channels[to].places[0]
	return hop{
		to: to, gate: to, value: base + uint64(b.rests) + uint64(rest), sink: -1, word: int32(p.Word),
		shift: uint8(p.Shift),
	}
}

func (b *builder) injections(ctx context.Context) error {
	n := b.t.Network()
	for i := range n.Tables() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		table := n.Table(i)
		for i, src := range table.Sources {
			header := table.SourceSite(i).Header
			number, limit, ok := b.t.Quota(spec.Flow{Source: src.Node, Target: table.Target})
			if !ok {
				continue
			}
			for _, x := range n.Row(src.Row) {
				in := injection{b.hop(int(src.Node), header, x, b.rests-1), number}
				bound := b.always
				if number >= 0 {
					bound -= int32(len(b.sent) - number)
					b.sent[number].limit = uint64(limit)
				}
				b.inject, b.gates = append(b.inject, in), append(b.gates, [2]int32{in.gate, bound})
			}
		}
	}
	return nil
}

// Layout returns the layout of the traffic.
func (m *Machine) Layout() *states.Layout { return m.t.Layout() }

// Start appends the state without packets.
func (m *Machine) Start(dst []uint64) []uint64 { return m.t.Start(dst) }

// outs is what the next hop adds to a value: the number of values that share
// header and hop taken.
func (m *Machine) outs() int32 { return (m.most + 1) * m.rests }

// look examines a state. Its result goes back to m.scratch.
func (m *Machine) look(s []uint64) *scratch {
	x := m.scratch.Get().(*scratch)
	if slices.Equal(x.state, s) {
		return x
	}
	v := x.views
	for _, i := range x.occupied {
		v[i], x.open[i] = view{feeder: nobody}, 1
	}
	x.state, x.occupied, x.stepped = append(x.state[:0], s...), x.occupied[:0], false
	for word, bits := range s {
		if bits == 0 {
			continue // most words, in wide states with few packets
		}
		for _, i := range m.begin[word] {
			ch, y := &m.channels[i], &v[i]
			for _, p := range ch.places {
				value := p.Value(s)
				if value == 0 {
					break
				}
				y.last = ch.pieces[value]
				if y.count++; y.count == 1 {
					y.first = y.last
					if out := y.first.out; out >= 0 {
						v[out].feeder = i // it has a piece, as the packet is not all in
					}
					x.occupied = append(x.occupied, i)
				}
				y.flits += y.last.flits
			}
		}
	}
	for _, i := range x.occupied {
		y := &v[i]
		x.open[i] = gate(!m.atomic && y.flits < m.capacity && y.feeder == nobody && y.last.rest == 0)
	}
	gates := x.open[len(m.channels):]
	for i, sink := range m.sinks {
		gates[i] = gate(sink.Value(s) < m.sinkLimit)
	}
	for i := range m.sent {
		gates[len(m.sinks)+i] = gate(m.sent[i].Value(s) < m.sent[i].limit)
	}
	return x
}

func gate(open bool) uint8 {
	if open {
		return 1
	}
	return 0
}
