package selection

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Design of the machine.
//
// A program of guarded commands over what is in each channel: nothing, or a
// packet for one of the destinations, and what it has committed to. A channel
// holds one packet, as a channel of wormhole switching holds one message; two
// packets for one destination in one channel are not told apart, wherever they
// come from. A channel that no packet can come to has no variable.
//
// A packet that chooses again at every clock moves into the channel it chooses,
// in one step; one that commits takes a step to commit and, when the channel is
// free, a step to enter it. What a router knows when it chooses, and so when the
// guard of such a step holds, is in condition.go; the part of it that is not in
// the present is kept by clock.go and history.go.
//
// The relation is asked apart from all this, for the invariant: each packet is in a
// channel, and has committed to one, that the relation permits from the node
// before. The relation of *-channel goes by the node, not by the channel by which
// a packet came there, so every step is within it if all states are.

// Machine is a *-channel torus whose routers choose by a selection function, as a
// program: see [program.Machine].
type Machine struct {
	*program.Machine
	b *builder
}

// NewMachine returns the machine of a torus and its traffic.
//
// It claims that all states are [Within] the relation; for packets that are sent
// once, that none of them gets stuck (deadlock); and for those that are sent again
// and again [Moves], since a source that can still send hides a deadlock of the
// others. A state in which nothing in flight can move is one in which packets wait
// forever if nothing more is sent. Whenever some packets are stuck forever such a
// state can be reached: routing is minimal, so if nothing more is sent the others
// run out of steps.
//
// The error says which option is out of range, or that the machine is too large:
// its variables and rules are linear in the pairs of a channel and a destination
// whose packets can come to it, of which there may be 4096.
func NewMachine(o Options, t Traffic) (*Machine, error) {
	b, err := newBuilder(o, t)
	if err != nil {
		return nil, err
	}
	return b.machine()
}

// The invariants that are claimed.
const (
	Within = "within the relation"
	Moves  = "something in flight can move"
	Count  = "none is lost or doubled"              // if the number in flight is bounded, and so counted
	Spares = "CF of the lowest dimension is spared" // chosen only if no higher one has a free VC
)

// builder is a machine in the making.
type builder struct {
	o        Options
	t        Traffic
	g        *grid.Grid
	relation routing.Relation
	ways     func(v, dest spec.NodeID) []way
	p        *program.Program
	dests    []spec.NodeID // value i+1 of a channel is a packet for dests[i]
	sites    [][]int       // by channel: the destinations of packets in it, as indices of dests, ascending
	channels []buffer      // by channel
	flight   program.Var
	old      clock
	past     history
	unspared []program.Expr // a packet may choose CF of the lowest dimension, and another has a free VC
	flying   []program.Expr // guards of what packets in channels can do
}

// buffer is the variables of a channel.
type buffer struct {
	used      bool // some packet can come to it; if not it has no variables
	content   program.Var
	commits   bool        // some packet in it has hops left and commits
	committed program.Var // 0, or a choice
	fresh     program.Var // with a clock: its packet came in this clock
}

func newBuilder(o Options, t Traffic) (*builder, error) {
	if o.Bound == 0 {
		o.Bound = 2
	}
	if o.Form == Stale && o.Status == Present {
		return nil, fmt.Errorf("form stale goes by the status of one clock earlier: form commit is what it is with the present one")
	}
	g, err := newGrid(o)
	if err != nil {
		return nil, err
	}
	if err := t.check(g); err != nil {
		return nil, err
	}
	def, err := o.starChannel(g)
	if err != nil {
		return nil, err
	}
	b := &builder{o: o, t: t, g: g, relation: def.Routing, p: program.New(name(o, t))}
	b.ways = func(v, dest spec.NodeID) []way { return o.ways(g, v, dest) }
	b.old.on = o.Form == Stale || o.Function == CCB && o.N > 1 && o.Form != Early && o.Status == ClockOld
	return b, nil
}

// name tells machines apart.
func name(o Options, t Traffic) string {
	name := fmt.Sprintf("selection %s %s k=%d n=%d", o.function(), FormNames[o.Form], o.K, o.N)
	if o.OneWay {
		name += " one-way"
	} else {
		name += " tie=" + grid.TieNames[o.Tie]
	}
	switch {
	case o.Function == CCB:
		name += fmt.Sprintf(" %s %s", ReadingNames[o.Reading], StatusNames[o.Status])
	case o.History == Exact && o.Function == LRU:
		name += " exact"
	case o.History == Exact && (o.Function == LFU || o.Function == LD):
		name += fmt.Sprintf(" exact to %d", o.Bound)
	}
	if t.Ready {
		name += ", ready sources"
	}
	if t.Spares {
		name += ", sparing CF"
	}
	if t.Packets == nil {
		return name
	}
	name += ", once:"
	if t.Again {
		name = name[:len(name)-len("once:")] + "again and again:"
	}
	for _, p := range t.Packets {
		name += fmt.Sprintf(" %d>%d", p.From, p.To)
	}
	if t.InFlight > 0 {
		name += fmt.Sprintf(", %d in flight", t.InFlight)
	}
	return name
}

func (b *builder) machine() (*Machine, error) {
	for _, p := range b.t.Packets {
		if !slices.Contains(b.dests, p.To) {
			b.dests = append(b.dests, p.To)
		}
	}
	slices.Sort(b.dests)
	if err := b.findSites(); err != nil {
		return nil, err
	}
	sources := b.declare()
	for i, p := range b.t.Packets {
		b.choose(sources[i], p.To)
	}
	for c := range b.channels {
		for _, d := range b.sites[c] {
			b.choose(b.inChannel(spec.ChannelID(c), d), b.dests[d])
		}
	}
	b.tick()
	b.periods()
	if err := b.claim(sources); err != nil {
		return nil, err
	}
	m, err := b.p.Machine()
	return &Machine{m, b}, err
}

// findSites finds where packets can be, if each way may be taken, breadth first.
func (b *builder) findSites() error {
	type place struct {
		c spec.ChannelID
		d int
	}
	var all []place
	b.sites = make([][]int, b.g.Channels())
	visit := func(v spec.NodeID, d int) {
		for _, w := range b.ways(v, b.dests[d]) {
			for class, usable := range w.usable {
				if c := w.first + spec.ChannelID(class); usable && !slices.Contains(b.sites[c], d) {
					b.sites[c] = append(b.sites[c], d)
					all = append(all, place{c, d})
				}
			}
		}
	}
	for _, p := range b.t.Packets {
		visit(p.From, slices.Index(b.dests, p.To))
	}
	for i := 0; i < len(all); i++ {
		if i == mostPlaces {
			return fmt.Errorf("packets for %d nodes can come to more than %d places: choose a smaller torus or fewer packets", len(b.dests), mostPlaces)
		}
		visit(b.g.Head(all[i].c), all[i].d)
	}
	for _, here := range b.sites {
		slices.Sort(here)
	}
	return nil
}

// declare adds the variables, and returns what packets do at their sources.
func (b *builder) declare() []holder {
	names, choices := []string{"-"}, []string{"-"}
	for _, d := range b.dests {
		names = append(names, "for "+b.g.Node(d).Name)
	}
	for dim := range b.o.N {
		for _, class := range ClassNames {
			choices = append(choices, fmt.Sprintf("%s of dimension %d", class, dim))
		}
	}
	sources := make([]holder, len(b.t.Packets))
	for i, p := range b.t.Packets {
		sources[i] = b.source(i, p, choices)
	}
	b.channels = make([]buffer, b.g.Channels())
	for i := range b.channels {
		c := spec.ChannelID(i)
		x := &b.channels[c]
		if x.used = len(b.sites[c]) > 0; !x.used {
			continue
		}
		x.content = b.p.Enum(b.g.ChannelName(c), names...)
		x.commits = b.o.Form != Again && slices.ContainsFunc(b.sites[c], func(d int) bool { return b.dests[d] != b.g.Head(c) })
		if x.commits {
			x.committed = b.p.Enum(b.g.ChannelName(c)+" commits to", choices...)
		}
	}
	if b.t.InFlight > 0 {
		b.flight = b.p.Var("in flight", b.t.InFlight+1)
	}
	b.declareClock()
	b.declareHistory()
	return sources
}
