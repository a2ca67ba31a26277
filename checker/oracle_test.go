package checker_test

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// An oracle: what a network does, stated once more from the definition, with none of the code of
// spec that steps, compiles or packs, and none of the checker's. Its states are messages, not
// channels; a message is a string of parts, from tail to head. It is meant to be readable and
// right, for networks of a few channels.
//
// Whether a message never moves again is not judged from a state, as in spec, but found out: no
// continuation of the state ever moves its head.

// model is a network under a scenario.
type model struct {
	def      routing.Definition
	sc       spec.Scenario
	capacity int // of a channel: whole packets or flits
	atomic   bool
	elastic  bool
	discard  bool // a head at a dead end may leave the network
	answers  map[asked][]spec.Hop
}

type asked struct {
	at spec.ChannelID
	h  spec.Header
}

// world is a state.
type world struct {
	messages []message // in the order of their keys
	sinks    []int     // by node
	sent     []int     // by flow; with Scenario.Packets sent[0] counts them all
}

type message struct {
	to   spec.Target
	way  []part // tail first
	rest int    // flits at the source; 1 if it has any length and is not finished
	out  bool   // the head has left the network
	was  int    // its number in the previous world; -1: not in it
}

// part is the part of a message in one channel.
type part struct {
	channel spec.ChannelID
	tag     spec.Tag
	flits   int
	place   int // in the queue of the channel: 0 is the first message
}

// event is a step and its effect.
type event struct {
	after    world
	moved    int // the message whose head moves, or -1
	injected bool
}

func newModel(def routing.Definition, sc spec.Scenario) *model {
	m := &model{def: def, sc: sc, capacity: max(1, def.Buffer), answers: map[asked][]spec.Hop{}}
	if def.Switching == spec.Wormhole && !sc.Flits() {
		m.capacity = 1
	}
	m.atomic = sc.Flits() && !sc.Shared
	m.elastic = sc.Elastic || sc.Flits() && m.capacity > 1
	return m
}

// hops asks the relation for hops, without duplicates.
func (m *model) hops(at spec.ChannelID, h spec.Header) []spec.Hop {
	q := asked{at, h}
	hops, known := m.answers[q]
	if !known {
		all, err := m.def.Routing.AppendHops(nil, at, h)
		if err != nil {
			panic(err) // the relations of these tests do not fail
		}
		for _, hop := range all {
			if !slices.Contains(hops, hop) {
				hops = append(hops, hop)
			}
		}
		m.answers[q] = hops
	}
	return hops
}

// flows lists who sends to whom.
func (m *model) flows() (all []spec.Flow) {
	for src := range spec.NodeID(m.def.Topology.Nodes()) {
		for dst := range spec.NodeID(m.def.Topology.Nodes()) {
			for c := range spec.Class(max(1, len(m.def.Classes))) {
				if src != dst && (m.def.Flows == nil || m.def.Flows(src, dst, c)) {
					all = append(all, spec.Flow{Source: src, Target: spec.Target{Dest: dst, Class: c}})
				}
			}
		}
	}
	return all
}

// sends returns how many packets of a flow the scenario permits.
func (m *model) sends(f spec.Flow) (most int) {
	switch {
	case m.sc.Packets > 0:
		return m.sc.Packets
	case len(m.sc.Once) == 0:
		return math.MaxInt
	}
	for _, once := range m.sc.Once {
		if once == f {
			most++
		}
	}
	return most
}

func (m *model) start() world {
	return world{sinks: make([]int, m.def.Topology.Nodes()), sent: make([]int, 1+len(m.flows()))}
}

// holds returns the flits in a channel, and what entered it last.
func (w *world) holds(c spec.ChannelID) (flits int, messages int, last *message, at int) {
	for i := range w.messages {
		for k, p := range w.messages[i].way {
			if p.channel != c {
				continue
			}
			flits += p.flits
			messages++
			if last == nil || p.place > last.way[at].place {
				last, at = &w.messages[i], k
			}
		}
	}
	return flits, messages, last, at
}

// room reports whether a head may move from one channel along a hop.
func (m *model) room(w *world, from spec.ChannelID, hop spec.Hop) bool {
	t := m.def.Topology
	if hop.Channel == spec.Eject {
		return m.sc.Sink == 0 || w.sinks[t.Head(from)] < m.sc.Sink
	}
	flits, messages, last, at := w.holds(hop.Channel)
	if messages == 0 {
		return true // a bubble is at most as large as a channel
	}
	if m.atomic || at > 0 || last.rest > 0 { // held by a message that is still coming in
		return false
	}
	need := 1
	if m.sc.Bubble > 1 && (from.IsInjection() || t.Link(t.LinkOf(from)).Dim != t.Link(t.LinkOf(hop.Channel)).Dim) {
		need = m.sc.Bubble
	}
	return m.capacity-flits >= need
}

// events lists what can happen next.
func (m *model) events(w world) []event {
	all := m.injections(w)
	for i := range w.messages {
		all = append(all, m.headMoves(w, i)...)
		all = append(all, m.bodyMoves(w, i)...)
	}
	for v, held := range w.sinks {
		if held > 0 {
			after := w.copy()
			after.sinks[v]--
			all = append(all, event{after: after.canonical(), moved: -1})
		}
	}
	return all
}

func (m *model) injections(w world) (all []event) {
	for i, f := range m.flows() {
		count, most := 1+i, m.sends(f)
		if m.sc.Packets > 0 {
			count = 0
		}
		if w.sent[count] >= most {
			continue
		}
		from := spec.Injection(f.Source)
		for _, hop := range m.hops(from, spec.Header{Dest: f.Target.Dest, Class: f.Target.Class}) {
			if !m.room(&w, from, hop) {
				continue
			}
			after := w.copy()
			if m.sc.Bounded() {
				after.sent[count]++
			}
			born := message{to: f.Target, was: -1, rest: max(0, m.sc.Length-1)}
			if m.sc.Length == spec.AnyLength {
				born.rest = 1
			}
			after.messages = append(after.messages, born)
			m.enter(&after, &after.messages[len(after.messages)-1], from, hop)
			all = append(all, event{after: after.canonical(), moved: -1, injected: true})
		}
	}
	return all
}

// headMoves takes the head of a message one hop on.
func (m *model) headMoves(w world, i int) (all []event) {
	head := w.messages[i].way[len(w.messages[i].way)-1]
	if w.messages[i].out || head.place > 0 {
		return nil
	}
	hops := m.hops(head.channel, spec.Header{Dest: w.messages[i].to.Dest, Class: w.messages[i].to.Class, Tag: head.tag})
	discarded := m.discard && len(hops) == 0
	if discarded {
		hops = []spec.Hop{{Channel: spec.Eject}}
	}
	for _, hop := range hops {
		if !discarded && !m.room(&w, head.channel, hop) {
			continue
		}
		after := w.copy()
		x := &after.messages[i]
		m.enter(&after, x, head.channel, hop)
		if discarded && m.sc.Sink > 0 {
			after.sinks[m.def.Topology.Head(head.channel)]-- // it never arrived there
		}
		m.leave(&after, x, len(w.messages[i].way)-1)
		all = append(all, event{after: after.canonical(), moved: i})
	}
	return all
}

// enter adds the first flit of a message where a hop leads.
func (m *model) enter(w *world, x *message, from spec.ChannelID, hop spec.Hop) {
	if hop.Channel != spec.Eject {
		_, place, _, _ := w.holds(hop.Channel)
		x.way = append(x.way, part{hop.Channel, hop.Tag, 1, place})
		return
	}
	x.out = true
	if from.IsInjection() {
		x.rest = 0 // all of it leaves at once, without a channel
	}
	if m.sc.Sink > 0 {
		w.sinks[m.def.Topology.Head(from)]++
	}
}

// leave takes a flit out of a part; if messages shift as a whole, everything behind it moves
// up.
func (m *model) leave(w *world, x *message, k int) {
	x.way[k].flits--
	if !m.elastic {
		for ; k > 0; k-- {
			x.way[k].flits++
			x.way[k-1].flits--
		}
		if x.rest > 0 {
			m.fromSource(x)
		}
	}
	w.trim(x)
}

// fromSource takes a flit from the source into the tail.
func (m *model) fromSource(x *message) {
	x.way[0].flits++
	if m.sc.Length != spec.AnyLength {
		x.rest--
	}
}

// trim gives up the channels that the last flit has left.
func (w *world) trim(x *message) {
	for len(x.way) > 0 && x.rest == 0 && x.way[0].flits == 0 {
		gone := x.way[0]
		x.way = x.way[1:]
		for i := range w.messages {
			for k := range w.messages[i].way {
				if p := &w.messages[i].way[k]; p.channel == gone.channel && p.place > gone.place {
					p.place--
				}
			}
		}
	}
}

// bodyMoves moves one flit of a message after its head, or ends the message.
func (m *model) bodyMoves(w world, i int) (all []event) {
	x := &w.messages[i]
	add := func(change func(after *world, x *message)) {
		after := w.copy()
		change(&after, &after.messages[i])
		all = append(all, event{after: after.canonical(), moved: -1})
	}
	full := func(c spec.ChannelID) bool {
		flits, _, _, _ := w.holds(c)
		return flits >= m.capacity
	}
	last := len(x.way) - 1
	if x.out && x.way[last].flits > 0 {
		add(func(after *world, x *message) { m.leave(after, x, last) })
	}
	if m.elastic {
		for k := range last {
			if x.way[k].flits > 0 && !full(x.way[k+1].channel) {
				add(func(after *world, x *message) {
					x.way[k+1].flits++
					m.leave(after, x, k)
				})
			}
		}
		if x.rest > 0 && !full(x.way[0].channel) {
			add(func(_ *world, x *message) { m.fromSource(x) })
		}
	}
	if x.rest > 0 && m.sc.Length == spec.AnyLength {
		add(func(after *world, x *message) {
			x.rest = 0
			after.trim(x)
		})
	}
	return all
}

// copy numbers the messages in their current order.
func (w world) copy() world {
	c := world{slices.Clone(w.messages), slices.Clone(w.sinks), slices.Clone(w.sent)}
	for i := range c.messages {
		c.messages[i].way = slices.Clone(c.messages[i].way)
		c.messages[i].was = i
	}
	return c
}

// canonical drops messages that are gone, and orders the others by their keys.
func (w world) canonical() world {
	w.messages = slices.DeleteFunc(w.messages, func(x message) bool { return len(x.way) == 0 })
	slices.SortFunc(w.messages, func(a, b message) int { return cmp.Compare(a.key(), b.key()) })
	return w
}

func (x *message) key() string {
	b := []byte{byte(x.to.Dest), byte(x.to.Class), byte(x.rest), 0, byte(len(x.way))}
	if x.out {
		b[3] = 1
	}
	for _, p := range x.way {
		b = append(b, byte(p.channel), byte(p.tag), byte(p.flits), byte(p.place))
	}
	return string(b)
}

// key identifies a world.
func (w world) key() string {
	var b []byte
	for _, x := range append(slices.Clone(w.sinks), w.sent...) {
		b = append(b, byte(x))
	}
	for i := range w.messages {
		b = append(b, w.messages[i].key()...)
	}
	return string(b)
}
