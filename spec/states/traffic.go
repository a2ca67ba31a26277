package states

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
)

// Traffic is the machine of a network under a scenario: the reference step, and
// how its occupancies are packed. It is immutable and safe for concurrent use.
type Traffic struct {
	*spec.Traffic
	n     *spec.Network
	sc    spec.Scenario
	once  []spec.Flow // different flows, in canonical order
	times []int       // by once: how often it may inject

	headers [][]spec.Header // by channel: its sites in canonical order
	rows    [][]spec.RowID  // by channel and site
	stride  int             // of the numbers of actions: hops of the longest row
	ways    func() []stand  // of whole packets; listed when first asked for
	scratch sync.Pool       // of *scratch

	rests  int // values of Piece.Rest
	layout Layout
	all    []spec.ChannelID // in order
	queues []Queue          // by channel
	codes  [][]int          // flits: by channel and header, the code of its first piece; one more at the end
	known  [][]spec.Piece   // flits: by channel and code, the first pieces
	sinks  []Field
	sent   []Field
}

// NewTraffic returns the machine of n under a scenario, or says what is wrong with
// the scenario. Time and memory are linear in the sites.
func NewTraffic(n *spec.Network, sc spec.Scenario) (*Traffic, error) {
	rules, err := n.Traffic(sc)
	if err != nil {
		return nil, err
	}
	t := &Traffic{Traffic: rules, n: n, sc: rules.Scenario(), rests: max(1, sc.Length, 2*spec.AnyLength*sc.Length)}
	for _, f := range slices.SortedFunc(slices.Values(sc.Once), spec.Flow.Compare) {
		if k := len(t.once); k > 0 && t.once[k-1] == f {
			t.times[k-1]++
			continue
		}
		t.once, t.times = append(t.once, f), append(t.times, 1)
	}
	channels := n.Topology().Channels()
	t.headers, t.rows = make([][]spec.Header, channels), make([][]spec.RowID, channels)
	for i := range n.Tables() {
		table := n.Table(i)
		for s, c := range table.Channels {
			t.headers[c] = append(t.headers[c], table.Site(s).Header)
			t.rows[c] = append(t.rows[c], table.Rows[s])
		}
	}
	t.pack()
	for r := range n.RowCount() {
		t.stride = max(t.stride, len(n.Row(spec.RowID(r))))
	}
	t.ways = sync.OnceValue(t.packetWays)
	t.scratch.New = func() any { return &scratch{state: t.Empty(), after: t.Empty()} }
	return t, nil
}

// SentOnce lists the different flows of Scenario.Once in canonical order, and how
// often each injects.
func (t *Traffic) SentOnce() (flows []spec.Flow, times []int) { return t.once, t.times }

// Empty returns the empty state.
func (t *Traffic) Empty() spec.Occupancy {
	s := t.Traffic.Empty()
	if len(t.sent) > 0 {
		s.Sent = make([]int, len(t.sent))
	}
	return s
}

// Moves lists what can happen next within the bounds on traffic, in the order of
// spec.Traffic.Moves.
func (t *Traffic) Moves(s spec.Occupancy) []spec.Move { return t.moves(nil, &s) }

func (t *Traffic) moves(dst []spec.Move, s *spec.Occupancy) []spec.Move {
	for k, f := range t.once {
		if s.Sent[k] < t.times[k] {
			dst = t.Injections(dst, s, f)
		}
	}
	if t.once != nil || t.sc.Packets > 0 && s.Sent[0] == t.sc.Packets {
		return t.Traffic.Moves(dst, s, nil)
	}
	return t.Traffic.Moves(dst, s, func(spec.Flow) bool { return true })
}

// count counts a move, and reports whether the bounds on traffic leave it.
func (t *Traffic) count(s *spec.Occupancy, m spec.Move) bool {
	if m.Kind != spec.Advance || !m.From.IsInjection() {
		return true
	}
	field, ok := t.left(s, spec.Flow{Source: t.n.Topology().Head(m.From), Target: m.Header.Target()})
	if ok && field >= 0 {
		s.Sent[field]++
	}
	return ok
}

// left returns the index in Occupancy.Sent that counts the packets of a flow, -1 for none,
// and whether the bounds on traffic leave one to inject.
func (t *Traffic) left(s *spec.Occupancy, f spec.Flow) (field int, ok bool) {
	field, limit, ok := t.Quota(f)
	return field, ok && (field < 0 || s.Sent[field] < limit)
}

// Step returns the state after one move, or says why the move is not possible.
func (t *Traffic) Step(s spec.Occupancy, m spec.Move) (after spec.Occupancy, err error) {
	after.Copy(s)
	err = t.Apply(&after, m)
	return after, err
}

// Apply makes a move in s. After an error s is unusable.
func (t *Traffic) Apply(s *spec.Occupancy, m spec.Move) error {
	if !t.count(s, m) {
		return fmt.Errorf("no packet for node %d is left to inject", m.Header.Dest)
	}
	return t.Traffic.Apply(s, m)
}

// Stuck returns the largest stuck set of a state, see [Stuck].
func (t *Traffic) Stuck(s spec.Occupancy) []spec.ChannelID { return Stuck(t.Traffic, s) }

// Headers returns the headers that packets in channel c can have, in canonical
// order, and the row of each. The slices must not be changed.
func (t *Traffic) Headers(c spec.ChannelID) ([]spec.Header, []spec.RowID) {
	return t.headers[c], t.rows[c]
}

// mostPlaces bounds the places of deep buffers, so that no state, packed or not,
// is larger than some tens of megabytes.
const mostPlaces = 1 << 20

// Packed returns nil if states of t may be packed, or a *BoundError if buffers
// are too deep for that. Steps of a trace need no packed states.
func (t *Traffic) Packed() error {
	if places := t.layout.count; places > mostPlaces && places > len(t.layout.queues) {
		return fmt.Errorf("%s: %w", t.n.Name(),
			&spec.BoundError{What: "slots in the buffers of a state", Limit: mostPlaces})
	}
	return nil
}

// mostKnown bounds the pieces that are kept by their codes: they take at most some
// hundreds of kilobytes, and in small networks include all that occur.
const mostKnown = 1 << 13

// places returns the number of pieces that a channel holds at most.
func (t *Traffic) places() int {
	switch {
	case t.sc.Flits() && !t.sc.Shared:
		return 1
	case t.sc.Length > 1 && t.Capacity() > 1:
		return 2 + (t.Capacity()-2)/t.sc.Length
	case t.sc.Flits(): // a packet may enter a channel again
		return t.Capacity()
	}
	return min(t.Capacity(), cmp.Or(t.sc.Packets, len(t.sc.Once), t.Capacity()))
}

// PieceFlits returns the number of flits that a piece has at most.
func (t *Traffic) PieceFlits() int {
	if t.sc.Length > 0 {
		return min(t.Capacity(), t.sc.Length)
	}
	return t.Capacity()
}

// Layout says how states are packed: first the queue of every channel in the
// order of the channels, then the sinks, then what was sent.
func (t *Traffic) Layout() *Layout { return &t.layout }

func (t *Traffic) pack() {
	topo := t.n.Topology()
	t.queues, t.codes = make([]Queue, topo.Channels()), make([][]int, topo.Channels())
	t.known = make([][]spec.Piece, topo.Channels())
	for c := range t.queues {
		t.all = append(t.all, spec.ChannelID(c))
		t.packChannel(spec.ChannelID(c))
	}
	if t.sc.Sink > 0 {
		for v := range topo.Nodes() {
			t.sinks = append(t.sinks, t.layout.Field("sink of "+topo.Node(spec.NodeID(v)).Name, uint64(t.sc.Sink)+1))
		}
	}
	if t.sc.Packets > 0 {
		t.sent = append(t.sent, t.layout.Field("sent", uint64(t.sc.Packets)+1))
	}
	for i, f := range t.once {
		t.sent = append(t.sent,
			t.layout.Field(fmt.Sprintf("sent %s to %s", topo.Node(f.Source).Name, topo.Node(f.Target.Dest).Name),
				uint64(t.times[i])+1))
	}
}

func (t *Traffic) packChannel(c spec.ChannelID) {
	codes := len(t.headers[c])
	if t.sc.Flits() {
		t.codes[c] = make([]int, 1, codes+1)
		for _, r := range t.rows[c] {
			last := t.codes[c][len(t.codes[c])-1]
			t.codes[c] = append(t.codes[c], last+(1+len(t.n.Row(r)))*(t.PieceFlits()+1)*t.rests)
		}
		codes = t.codes[c][len(t.codes[c])-1]
		for code := range min(codes, mostKnown/len(t.queues)) {
			t.known[c] = append(t.known[c], t.unpacked(c, code))
		}
	}
	places := 1
	if codes > 0 {
		places = t.places()
	}
	t.queues[c] = t.layout.Queue(t.n.Topology().ChannelName(c), places, uint64(codes)+1, func(v uint64) string {
		switch {
		case v == 0:
			return "empty"
		case t.queues[c].Counts:
			return fmt.Sprintf("%d %s", v, t.pieceText(t.piece(c, 0)))
		}
		return t.pieceText(t.piece(c, int(v)-1))
	})
}

func (t *Traffic) pieceText(p spec.Piece) string {
	text := "for " + t.n.Topology().Node(p.Header.Dest).Name
	if p.Header.Class != 0 {
		text += fmt.Sprintf(" class %d", p.Header.Class)
	}
	if p.Header.Tag != 0 {
		text += fmt.Sprintf(" tag %d", p.Header.Tag)
	}
	if t.rests > 1 {
		text += fmt.Sprintf(" (flits: %d here", p.Flits)
		switch {
		case p.Rest > 0 && t.sc.Length == spec.AnyLength:
			text += ", any number to come"
		case p.Rest > 0:
			text += fmt.Sprintf(", %d to come", p.Rest)
		}
		if p.Left {
			text += ", head gone to " + t.n.Topology().ChannelName(p.Out.Channel)
		}
		text += ")"
	}
	return text
}

// Queue returns the places that hold the pieces of channel c, first in first.
func (t *Traffic) Queue(c spec.ChannelID) Queue { return t.queues[c] }

// code returns the code of a piece in channel c, whose header is one of Headers(c).
func (t *Traffic) code(c spec.ChannelID, p *spec.Piece) int {
	h := slices.Index(t.headers[c], p.Header) // of few
	if !t.sc.Flits() {
		return h
	}
	out := 0
	if p.Left {
		out = 1 + slices.Index(t.n.Row(t.rows[c][h]), p.Out)
	}
	return t.codes[c][h] + (out*(t.PieceFlits()+1)+p.Flits)*t.rests + p.Rest
}

func compareHeaders(a, b spec.Header) int {
	return cmp.Or(a.Target().Compare(b.Target()), cmp.Compare(a.Tag, b.Tag))
}

// piece returns the piece with a code in channel c.
func (t *Traffic) piece(c spec.ChannelID, code int) spec.Piece {
	if known := t.known[c]; code < len(known) {
		return known[code]
	}
	return t.unpacked(c, code)
}

// unpacked computes piece for a code that is not kept.
func (t *Traffic) unpacked(c spec.ChannelID, code int) spec.Piece {
	h := t.Number(c, uint64(code)+1)
	if !t.sc.Flits() {
		return spec.Piece{Header: t.headers[c][h], Flits: 1}
	}
	code -= t.codes[c][h]
	flits := t.PieceFlits() + 1
	p := spec.Piece{Header: t.headers[c][h], Rest: code % t.rests, Flits: code / t.rests % flits}
	if out := code / t.rests / flits; out > 0 {
		p.Left, p.Out = true, t.n.Row(t.rows[c][h])[out-1]
	}
	return p
}

// Value returns the value of a place of channel c that holds a whole packet with
// header h, one of Headers(c): 1 + its number among them.
func (t *Traffic) Value(c spec.ChannelID, h spec.Header) uint64 {
	i, _ := slices.BinarySearchFunc(t.headers[c], h, compareHeaders)
	return uint64(i) + 1
}

// Number returns the index in Headers(c) of the header of the piece that a value v of a
// place of channel c stands for.
func (t *Traffic) Number(c spec.ChannelID, v uint64) int {
	if !t.sc.Flits() {
		return int(v) - 1
	}
	return sort.SearchInts(t.codes[c], int(v)) - 1
}

// Sinks returns the fields of the sinks, by node; nil if they drain at once.
func (t *Traffic) Sinks() []Field { return t.sinks }

// SentFields returns the fields that count injected packets.
func (t *Traffic) SentFields() []Field { return t.sent }

// Quota returns the index in SentFields that counts the packets of a flow (-1: none)
// and how many it may inject, or false if the scenario leaves the flow out.
func (t *Traffic) Quota(f spec.Flow) (field, limit int, ok bool) {
	i, listed := slices.BinarySearchFunc(t.once, f, spec.Flow.Compare)
	switch {
	case t.sc.Packets > 0:
		return 0, t.sc.Packets, true
	case listed:
		return i, t.times[i], true
	}
	return -1, 0, len(t.once) == 0
}

// scratch is memory for a step of flits: a state and its packed form, and the same state
// once more, for a move to change.
type scratch struct {
	words        []uint64
	state, after spec.Occupancy
	moves        []spec.Move
}

// load returns a scratch with the state of a packed form, which it may still have from
// the last time. It goes back to t.scratch.
func (t *Traffic) load(words []uint64) *scratch {
	x := t.scratch.Get().(*scratch)
	if !slices.Equal(x.words, words) {
		for _, c := range x.state.Changed {
			x.after.Channels[c] = x.after.Channels[c][:0]
		}
		t.decode(&x.state, words)
		x.after.Changed = append(x.after.Changed[:0], x.state.Changed...)
		x.after.Undo(&x.state)
		copy(x.after.Fed, x.state.Fed)
		x.words = append(x.words[:0], words...)
	}
	return x
}
