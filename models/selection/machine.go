package selection

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/spec"
)

// Design of the machine.
//
// A few packets, each sent once, have a place: their source, one of the
// channels that the relation lets them reach, or delivered. A channel holds one
// packet, as a channel of wormhole switching holds one message. A packet that
// chooses again at every clock moves into the channel it chooses, in one step;
// one that commits takes a step to commit and, when the channel is free, a step
// to enter it.
//
// Only CCB and the form Stale look at what was one clock earlier, and so only their
// machines have a clock: a copy of all places as they were when the present clock began. A packet moves at
// most once in a clock; the clock may go on at any time, provided that something
// has moved, so that a state in which nothing can move any more is one without
// successors.

// Packet is a packet that is sent once.
type Packet struct{ From, To spec.NodeID }

// Machine is the machine of a few packets on a *-channel torus whose routers
// choose by a selection function. Packets have all entered or still wait at
// their source, which holds any number.
type Machine struct {
	o        Options
	g        *grid.Grid
	relation spec.Relation
	packets  []packet
	layout   spec.Layout
	clocked  bool
}

type packet struct {
	Packet
	places    []spec.ChannelID // the source's injection channel, those within reach, Eject for delivered
	place     spec.Field       // index into places
	committed spec.Field       // 0, or 1 + dimension*3 + class
	before    spec.Field       // place when the clock began
	earlier   spec.Field       // place when the clock before began
}

// The most packets that a machine may have, and dimensions of its torus.
const (
	MostPackets = 16
	mostDims    = 4
)

// NewMachine returns the machine of the given packets.
func NewMachine(o Options, packets []Packet) (*Machine, error) {
	if o.N > mostDims {
		return nil, fmt.Errorf("%d dimensions: want at most %d", o.N, mostDims)
	}
	if len(packets) == 0 || len(packets) > MostPackets {
		return nil, fmt.Errorf("%d packets: want 1 to %d", len(packets), MostPackets)
	}
	g, err := newGrid(o)
	if err != nil {
		return nil, err
	}
	def, err := starchannel.New(starchannel.Options{K: o.K, N: o.N, Tie: o.Tie})
	if err != nil {
		return nil, err
	}
	m := &Machine{o: o, g: g, relation: def.Routing, clocked: o.Form == Stale || o.Function == CCB && o.Form != Early}
	for i, p := range packets {
		if p.From == p.To || int(max(p.From, p.To)) >= g.Nodes() || min(p.From, p.To) < 0 {
			return nil, fmt.Errorf("packet %d goes from node %d to node %d: want two of the %d nodes", i, p.From, p.To, g.Nodes())
		}
		m.packets = append(m.packets, packet{Packet: p, places: m.reach(p)})
	}
	show := func(i int, f *spec.Field) {
		m.layout.Shown(len(m.layout.Fields())-1, func(v uint64) string { return m.placeName(m.packets[i].places[v]) })
		*f = m.layout.Fields()[len(m.layout.Fields())-1]
	}
	for i := range m.packets {
		p := &m.packets[i]
		p.place = m.layout.Field(fmt.Sprintf("packet %d", i), uint64(len(p.places)))
		show(i, &p.place)
	}
	for i := range m.packets {
		p := &m.packets[i]
		if o.Form != Again {
			p.committed = m.layout.Field(fmt.Sprintf("committed %d", i), uint64(3*o.N+1))
		}
		if m.clocked {
			p.before = m.layout.Field(fmt.Sprintf("before %d", i), uint64(len(p.places)))
			show(i, &p.before)
			p.earlier = m.layout.Field(fmt.Sprintf("earlier %d", i), uint64(len(p.places)))
			show(i, &p.earlier)
		}
	}
	return m, nil
}

// reach lists the places of a packet under the relation, in the order of a
// breadth-first search, so that place 0 is the source.
func (m *Machine) reach(p Packet) []spec.ChannelID {
	places := []spec.ChannelID{spec.Injection(p.From)}
	for i := 0; i < len(places); i++ {
		for _, w := range ways(m.g, m.o.Tie, m.g.Head(places[i]), p.To) {
			for class, usable := range w.usable {
				if c := w.first + spec.ChannelID(class); usable && !slices.Contains(places, c) {
					places = append(places, c)
				}
			}
		}
	}
	return append(places, spec.Eject)
}

func (m *Machine) placeName(c spec.ChannelID) string {
	switch {
	case c == spec.Eject:
		return "delivered"
	case c.IsInjection():
		return "at its source"
	}
	return m.g.ChannelName(c)
}

// Name tells the function, the form, the torus and the packets.
func (m *Machine) Name() string {
	name := fmt.Sprintf("selection %s %s k=%d n=%d tie=%s", Names[m.o.Function], FormNames[m.o.Form], m.o.K, m.o.N, grid.TieNames[m.o.Tie])
	if m.o.Function == CCB {
		name += " " + ReadingNames[m.o.Reading]
	}
	for _, p := range m.packets {
		name += fmt.Sprintf(" %d>%d", p.From, p.To)
	}
	return name
}

// Layout says how states are packed.
func (m *Machine) Layout() *spec.Layout { return &m.layout }

// Start appends the state in which every packet is at its source.
func (m *Machine) Start(dst []uint64) []uint64 {
	return append(dst, make([]uint64, m.layout.Words())...)
}

// step is a possible step: packet p commits to a choice, enters a channel, is
// delivered, or (p < 0) the clock goes on.
type step struct {
	p      int
	commit spec.ChannelID // the choice; -1 if it moves
	place  int            // the new place; 0 if it only commits
}

// Next appends the successors.
func (m *Machine) Next(dst, s []uint64) ([]uint64, error) {
	for _, st := range m.steps(nil, s) {
		at := len(dst)
		dst = append(dst, s...)
		next := dst[at:]
		switch {
		case st.p < 0:
			for i := range m.packets {
				p := &m.packets[i]
				p.before.Put(next, p.place.Of(s))
				p.earlier.Put(next, p.before.Of(s))
			}
		case st.commit >= 0:
			m.packets[st.p].committed.Put(next, m.choice(st.commit))
		default:
			p := &m.packets[st.p]
			p.place.Put(next, uint64(st.place))
			if m.o.Form != Again {
				p.committed.Put(next, 0)
			}
		}
	}
	return dst, nil
}

func (m *Machine) choice(c spec.ChannelID) uint64 {
	dim, _ := m.g.Direction(c)
	return uint64(1 + dim*3 + m.g.VC(c))
}

// Action names a step.
func (m *Machine) Action(s []uint64, i int) string {
	st := m.steps(nil, s)[i]
	if st.p < 0 {
		return "the clock goes on"
	}
	who := fmt.Sprintf("packet %d ", st.p)
	if st.commit >= 0 {
		return who + "commits to " + m.g.ChannelName(st.commit)
	}
	if c := m.packets[st.p].places[st.place]; c != spec.Eject {
		return who + "enters " + m.g.ChannelName(c)
	}
	return who + "is delivered"
}

// steps lists the possible steps.
func (m *Machine) steps(dst []step, s []uint64) []step {
	now := m.occupied(s, func(p *packet) spec.Field { return p.place })
	v := view{free: func(c spec.ChannelID) bool { return !slices.Contains(now, c) }}
	ticks := false
	var late []spec.ChannelID // occupied one clock ago
	if m.clocked {
		late = m.occupied(s, func(p *packet) spec.Field { return p.earlier })
	}
	for i := range m.packets {
		p := &m.packets[i]
		place := p.place.Of(s)
		if m.clocked {
			moved := p.before.Of(s) != place
			ticks = ticks || moved || p.earlier.Of(s) != p.before.Of(s)
			if moved {
				continue
			}
		}
		at := p.places[place]
		if at == spec.Eject {
			continue
		}
		here := m.g.Head(at)
		if here == p.To {
			dst = append(dst, step{p: i, commit: -1, place: len(p.places) - 1})
			continue
		}
		all := ways(m.g, m.o.Tie, here, p.To)
		if m.o.Form != Again && p.committed.Of(s) > 0 {
			for _, w := range all {
				c := w.first + spec.ChannelID((p.committed.Of(s)-1)%3)
				if w.dim == int(p.committed.Of(s)-1)/3 && v.free(c) {
					dst = append(dst, step{p: i, commit: -1, place: slices.Index(p.places, c)})
				}
			}
			continue
		}
		seen := v
		switch {
		case m.o.Form == Early:
			seen = view{free: func(spec.ChannelID) bool { return true }}
		case m.clocked:
			if m.o.Form == Stale {
				seen.free = func(c spec.ChannelID) bool { return !slices.Contains(late, c) }
			}
			seen.ahead = func(w way) int { return m.ahead(w, p.To, late) }
		}
		for _, c := range m.o.Function.choices(nil, all, m.o.Reading, seen) {
			if m.o.Form == Again {
				dst = append(dst, step{p: i, commit: -1, place: slices.Index(p.places, c)})
			} else {
				dst = append(dst, step{p: i, commit: c})
			}
		}
	}
	if ticks {
		dst = append(dst, step{p: -1})
	}
	return dst
}

// occupied lists the channels that the packets were in.
func (m *Machine) occupied(s []uint64, place func(*packet) spec.Field) []spec.ChannelID {
	var all []spec.ChannelID
	for i := range m.packets {
		p := &m.packets[i]
		if c := p.places[place(p).Of(s)]; c >= 0 {
			all = append(all, c)
		}
	}
	return all
}

// ahead counts the free VCs that a packet could use at the next node of a way.
func (m *Machine) ahead(w way, dest spec.NodeID, occupied []spec.ChannelID) int {
	n := 0
	for _, then := range ways(m.g, m.o.Tie, m.g.Head(w.first), dest) {
		for class, usable := range then.usable {
			if usable && !slices.Contains(occupied, then.first+spec.ChannelID(class)) {
				n++
			}
		}
	}
	return n
}

// Claims: every packet is delivered in the end; no two packets are in one
// channel; no packet is committed to a channel that the relation does not
// permit.
func (m *Machine) Claims() spec.Claims {
	delivered := func(s []uint64) bool {
		for i := range m.packets {
			if p := &m.packets[i]; int(p.place.Of(s)) < len(p.places)-1 {
				return false
			}
		}
		return true
	}
	c := spec.Claims{
		Final: delivered,
		Invariants: []spec.Invariant{{Name: "one packet a channel", Holds: func(s []uint64) bool {
			now := m.occupied(s, func(p *packet) spec.Field { return p.place })
			slices.Sort(now)
			return len(slices.Compact(slices.Clone(now))) == len(now)
		}}},
	}
	if m.o.Form != Again {
		c.Invariants = append(c.Invariants, spec.Invariant{Name: "within the relation", Holds: func(s []uint64) bool {
			return m.permitted(s) == nil
		}, Applies: func(s []uint64) bool {
			return slices.ContainsFunc(m.packets, func(p packet) bool { return p.committed.Of(s) > 0 })
		}})
	}
	return c
}

var errOutside = errors.New("a packet is committed to a channel that the relation does not permit")

// permitted asks the relation itself about every commitment.
func (m *Machine) permitted(s []uint64) error {
	for i := range m.packets {
		p := &m.packets[i]
		k := p.committed.Of(s)
		if k == 0 {
			continue
		}
		at := p.places[p.place.Of(s)]
		hops, err := m.relation.Next(nil, at, spec.Header{Dest: p.To})
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(hops, func(h spec.Hop) bool { return h.Channel >= 0 && m.choice(h.Channel) == k }) {
			return errOutside
		}
	}
	return nil
}

// Column returns a packet from each node of column 0 to the node one column and
// two rows on. Together they can fill the CF channels of the column's ring,
// each with one hop left in either dimension. It needs two dimensions and rings
// of four, so that two rows on is minimal.
func Column(o Options) ([]Packet, error) {
	if o.K < 4 || o.N < 2 {
		return nil, fmt.Errorf("a column of packets needs k of at least 4 and two dimensions, not k=%d, n=%d", o.K, o.N)
	}
	var packets []Packet
	for y := range o.K {
		packets = append(packets, Packet{From: spec.NodeID(y * o.K), To: spec.NodeID((y+2)%o.K*o.K + 1)})
	}
	return packets, nil
}
