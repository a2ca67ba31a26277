package states

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// The traffic of a network as a [Machine]: its name, its steps, how they are numbered
// and described, and its claims.

// Name names the network by its digest, and the scenario, single packets by
// their numbers: "... under once 2 0,2,0 1,3,0".
func (t *Traffic) Name() string {
	var name strings.Builder
	fmt.Fprintf(&name, "%s under %s", t.n.Digest(), t.sc)
	for i, f := range t.once {
		for range t.times[i] {
			fmt.Fprintf(&name, " %d,%d,%d", f.Source, f.Target.Dest, f.Target.Class)
		}
	}
	return name.String()
}

// TrafficNamed returns the machine that Traffic.Name names.
func TrafficNamed(n *spec.Network, name string) (*Traffic, error) {
	text, ok := strings.CutPrefix(name, n.Digest().String()+" under ")
	if !ok {
		return nil, fmt.Errorf("invalid machine %.100q: want traffic of the network %s", name, n.Digest())
	}
	words, packets, some := strings.Cut(text, "once ")
	var once []spec.Flow
	if some {
		words = cmp.Or(strings.TrimSuffix(words, " "), spec.Scenario{}.String())
		for _, word := range strings.Split(packets, " ")[1:] { // the first says how many
			var f spec.Flow
			if _, err := fmt.Sscanf(word, "%d,%d,%d", &f.Source, &f.Target.Dest, &f.Target.Class); err != nil {
				return nil, fmt.Errorf("invalid packet %.40q: want SOURCE,DESTINATION,CLASS", word)
			}
			once = append(once, f)
		}
	}
	sc, err := spec.ParseScenario(words)
	if err != nil {
		return nil, err
	}
	sc.Once = once
	t, err := NewTraffic(n, sc)
	if err != nil {
		return nil, err
	}
	if t.Name() != name {
		return nil, fmt.Errorf("%.100q is not in canonical form: want %.100q", name, t.Name())
	}
	return t, t.Packed()
}

// Start appends the empty state.
func (t *Traffic) Start(dst []uint64) []uint64 { return t.Encode(dst, t.Empty()) }

// AppendSuccessors appends the successors of s in the order of Moves.
func (t *Traffic) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	if !t.sc.Flits() {
		return t.nextPackets(dst, s), nil
	}
	x := t.load(s)
	x.moves = t.moves(x.moves[:0], &x.state)
	for _, m := range x.moves {
		if err := t.Make(&x.after, m); err != nil || len(t.sent) > 0 && !t.count(&x.after, m) {
			return dst, fmt.Errorf("a listed move is refused: %w", err)
		}
		dst = append(dst, s...)
		t.encode(dst[len(dst)-len(s):], &x.after, x.after.Changed)
		x.after.Undo(&x.state)
	}
	t.scratch.Put(x)
	return dst, nil
}

// Under returns the scenario under which a machine runs a network; nil for other
// machines.
func Under(m Machine) *spec.Scenario {
	if t, ok := m.(*Traffic); ok {
		sc := t.Scenario()
		return &sc
	}
	return nil
}

// Action describes the i-th move of s.
func (t *Traffic) Action(s []uint64, i int) Action {
	var m spec.Move
	if t.sc.Flits() {
		m = t.Moves(t.Decode(s))[i]
	} else {
		m = t.waysOf(nil, s)[i].Move
	}
	return Action{t.number(m), t.Describe(m)}
}

// Two moves may read alike, since names of nodes may. So actions are numbered, with a
// block of numbers for each kind of move:
//
//	injections          0: none of them need ever happen, so they may be one
//	heads that move on  by site and hop
//	flits that follow   by site of the tail and hop taken
//	flits that enter    by site that the packet entered first
//	ends of packets     the same
//	sinks that consume  by node
//
// A site is numbered as in [spec.Table.First], and a hop by its place in the row, of
// which t.stride bounds the length.
const injection = 0

// number returns the number of a move that is possible in some state.
func (t *Traffic) number(m spec.Move) int {
	sites := t.n.SiteCount()
	hops := 1 + 2*sites*t.stride
	if m.Kind == spec.Consume {
		return hops + 2*sites + int(t.n.Topology().Head(m.From))
	}
	table := t.n.TableOf(m.Header.Target())
	if !m.From.IsInjection() {
		s, _ := table.Find(m.From, m.Header.Tag)
		hop, _ := spec.FindHop(t.n.Row(table.Rows[s]), m.Hop)
		return 1 + (int(m.Kind)*sites+table.First+s)*t.stride + hop
	}
	if m.Kind == spec.Advance {
		return injection
	}
	s, _ := table.Find(m.Hop.Channel, m.Hop.Tag)
	return hops + int(m.Kind-spec.Follow)*sites + table.First + s
}

// Describe describes a move in words.
func (t *Traffic) Describe(m spec.Move) string {
	topo := t.n.Topology()
	switch m.Kind {
	case spec.Consume:
		return fmt.Sprintf("the sink of %s consumes a packet", topo.Node(topo.Head(m.From)).Name)
	case spec.Finish:
		return fmt.Sprintf("the packet for %s that enters %s ends",
			topo.Node(m.Header.Dest).Name, topo.HopName(m.Hop))
	case spec.Follow:
		return fmt.Sprintf("flit for %s: %s -> %s", topo.Node(m.Header.Dest).Name, topo.ChannelName(m.From),
			topo.HopName(m.Hop))
	}
	text := fmt.Sprintf("packet for %s", topo.Node(m.Header.Dest).Name)
	if len(t.n.Classes()) > 1 {
		text += ", class " + t.n.Classes()[m.Header.Class]
	}
	if m.Header.Tag != 0 {
		text += fmt.Sprintf(", tag %d", m.Header.Tag)
	}
	text = fmt.Sprintf("%s: %s -> %s", text, topo.ChannelName(m.From), topo.HopName(m.Hop))
	if m.Hop.Channel != spec.Eject && m.Hop.Tag != m.Header.Tag {
		text += fmt.Sprintf(", tag %d", m.Hop.Tag)
	}
	return text
}

// Claims asks for what [Stuck] does not show: that the first packet of every channel
// eventually moves on, provided that moves are fair; injections need not happen. A
// packet at a dead end counts as discarded.
func (t *Traffic) Claims() Claims {
	c := Claims{Fair: func(action int) bool { return action != injection }} // a source finishes its packet eventually
	for i := range t.queues {
		ch := spec.ChannelID(i)
		if len(t.headers[ch]) == 0 {
			continue
		}
		c.Responses = append(c.Responses, Response{
			// The number distinguishes channels of the same name.
			Name: fmt.Sprintf("the packet in %s (channel %d) moves on", t.n.Topology().ChannelName(ch), ch),
			Pending: func(s []uint64) bool {
				v := t.queues[ch].Of(s, 0)
				return v > 0 && (t.sc.Flits() || len(t.n.Row(t.rows[ch][v-1])) > 0)
			},
			Answered: func(s []uint64, _ int, after []uint64) bool { return t.movedOn(ch, s, after) },
		})
	}
	return c
}

// movedOn reports whether some or all of the first piece of channel c in s has left
// after a step.
func (t *Traffic) movedOn(c spec.ChannelID, s, after []uint64) bool {
	q := &t.queues[c]
	if v, w := q.Of(s, 0), q.Of(after, 0); v != w && v > 0 && w > 0 && t.sc.Flits() {
		was, is := t.piece(c, int(v)-1), t.piece(c, int(w)-1)
		if was.Left != is.Left || was.Flits+was.Rest > is.Flits+is.Rest {
			return true
		}
	}
	return q.Taken(after) < q.Taken(s)
}
