package selection

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// The plain machine: the same meaning as the program, over maps and lists, with choices
// instead of conditions, all channels instead of those that a property reads, and the whole
// history instead of comparisons of two outputs.

const none spec.ChannelID = -9

type plainPacket struct {
	dest   spec.NodeID
	choice spec.ChannelID // committed to; none
	fresh  bool
}

type plainState struct {
	sent            []bool
	choice          []spec.ChannelID // by source
	in              map[spec.ChannelID]plainPacket
	before, earlier map[spec.ChannelID]bool  // taken then
	uses            []spec.ChannelID         // LRU: in order of their last use
	count           map[spec.ChannelID]int64 // LFU, LD: of outputs, without any bound
}

func (s plainState) clone() plainState {
	return plainState{slices.Clone(s.sent), slices.Clone(s.choice), maps.Clone(s.in), maps.Clone(s.before),
		maps.Clone(s.earlier), slices.Clone(s.uses), maps.Clone(s.count)}
}

type plainMachine struct {
	o torus
	t Traffic
	g *grid.Grid
}

func (m plainMachine) clocked() bool {
	return m.o.Form == Stale || m.o.Function == CCB && m.o.N > 1 && m.o.Form != Early && m.o.Status == ClockOld
}

func (m plainMachine) start() plainState {
	s := plainState{in: map[spec.ChannelID]plainPacket{}, before: map[spec.ChannelID]bool{},
		earlier: map[spec.ChannelID]bool{}, count: map[spec.ChannelID]int64{}}
	for range m.t.Packets {
		s.sent = append(s.sent, false)
		s.choice = append(s.choice, none)
	}
	return s
}

func (m plainMachine) next(s plainState) []plainState {
	var all []plainState
	step := func(change func(after *plainState)) {
		after := s.clone()
		change(&after)
		all = append(all, after)
	}
	for i, p := range m.t.Packets {
		if s.sent[i] {
			continue
		}
		enter := func(c spec.ChannelID) {
			if _, taken := s.in[c]; taken || m.t.InFlight > 0 && len(s.in) >= m.t.InFlight {
				return
			}
			step(func(after *plainState) {
				after.sent[i], after.choice[i] = !m.t.Again, none
				m.enter(after, c, p.To)
			})
		}
		switch {
		case s.choice[i] != none:
			enter(s.choice[i])
		case m.o.Form == Again || m.t.Ready:
			for _, c := range m.choices(s, p.From, p.To) {
				enter(c)
			}
		default:
			for _, c := range m.choices(s, p.From, p.To) {
				step(func(after *plainState) { after.choice[i] = c })
			}
		}
	}
	for _, at := range slices.Sorted(maps.Keys(s.in)) {
		p := s.in[at]
		if p.fresh {
			continue
		}
		enter := func(c spec.ChannelID) {
			if _, taken := s.in[c]; taken {
				return
			}
			step(func(after *plainState) {
				delete(after.in, at)
				m.enter(after, c, p.dest)
			})
		}
		v := m.g.Head(at)
		switch {
		case v == p.dest:
			step(func(after *plainState) { delete(after.in, at) })
		case p.choice != none:
			enter(p.choice)
		case m.o.Form == Again:
			for _, c := range m.choices(s, v, p.dest) {
				enter(c)
			}
		default:
			for _, c := range m.choices(s, v, p.dest) {
				step(func(after *plainState) { p := p; p.choice = c; after.in[at] = p })
			}
		}
	}
	if m.clocked() {
		step(func(after *plainState) {
			after.earlier, after.before = after.before, map[spec.ChannelID]bool{}
			for c, p := range after.in {
				p.fresh = false
				after.in[c] = p
				after.before[c] = true
			}
		})
	}
	if m.o.Function == LFU && m.o.History == Exact {
		for v := range spec.NodeID(m.g.Nodes()) {
			step(func(after *plainState) {
				maps.DeleteFunc(after.count, func(c spec.ChannelID, _ int64) bool { return m.g.Link(m.g.LinkOf(c)).From == v })
			})
		}
	}
	return all
}

func (m plainMachine) enter(s *plainState, c spec.ChannelID, dest spec.NodeID) {
	s.in[c] = plainPacket{dest, none, m.clocked()}
	if m.o.History == Open {
		return
	}
	switch m.o.Function {
	case LRU:
		s.uses = append(slices.DeleteFunc(s.uses, func(x spec.ChannelID) bool { return x == c }), c)
	case LFU:
		s.count[c]++
	case LD:
		s.count[m.g.Channel(m.g.LinkOf(c), 0)]++
	}
}

func (m plainMachine) choices(s plainState, v, dest spec.NodeID) []spec.ChannelID {
	now := func(c spec.ChannelID) bool { _, taken := s.in[c]; return !taken }
	neighbour := now
	if m.clocked() {
		neighbour = func(c spec.ChannelID) bool { return !s.earlier[c] }
	}
	see := view{free: now}
	switch m.o.Form {
	case Early:
		return m.o.Function.choices(nil, m.o.directions(m.g, v, dest), m.o.Reading, view{free: func(spec.ChannelID) bool { return true }})
	case Stale:
		see.free = neighbour
	}
	see.ahead = func(w direction) int {
		n := 0
		for _, then := range m.o.directions(m.g, m.g.Head(w.first), dest) {
			for class, usable := range then.usable {
				if usable && neighbour(then.first+spec.ChannelID(class)) {
					n++
				}
			}
		}
		return n
	}
	if m.o.History == Exact {
		see.past = func(a, b spec.ChannelID) int { return int(m.used(s, a) - m.used(s, b)) }
	}
	return m.o.Function.choices(nil, m.o.directions(m.g, v, dest), m.o.Reading, see)
}

// used returns when an output was used last, or how often.
func (m plainMachine) used(s plainState, c spec.ChannelID) int64 {
	switch m.o.Function {
	case LRU:
		if i := slices.Index(s.uses, c); i >= 0 {
			return int64(i)
		}
		dim, _ := m.g.Direction(c)
		return int64(dim - m.o.N) // never: before all uses, the lower dimensions first
	case LFU:
		return s.count[c]
	}
	return s.count[m.g.Channel(m.g.LinkOf(c), 0)]
}

// packed is the state of the program that represents a plain state.
func (m *Machine) packed(s plainState) []uint64 {
	dst := make([]uint64, m.Layout().Words())
	set := func(x, v int) {
		if x >= 0 {
			m.Layout().Fields()[x].Put(dst, uint64(v))
		}
	}
	put := func(name string, v int) {
		if x, is := m.fields[name]; is {
			set(x, v)
		}
	}
	bit := map[bool]int{true: 1}
	choice := func(c spec.ChannelID) int {
		if c == none {
			return 0
		}
		dim, _ := m.g.Direction(c)
		return 1 + 3*dim + m.g.VC(c)
	}
	for i := range s.sent {
		put(fmt.Sprintf("packet[%d]", i), bit[s.sent[i]])
		put(fmt.Sprintf("packet_commits_to[%d]", i), choice(s.choice[i]))
	}
	for i, x := range m.channels["holds"] {
		c := spec.ChannelID(i)
		if p, taken := s.in[c]; taken {
			set(x, slices.Index(m.Program().Variables[x].Names, "for "+m.g.Node(p.dest).Name))
			set(m.channels["commits_to"][c], choice(p.choice))
			set(m.channels["came_now"][c], bit[p.fresh])
		}
		set(m.channels["was_taken"][c], bit[s.before[c]])
		set(m.channels["taken_earlier"][c], bit[s.earlier[c]])
	}
	put("in_flight", len(s.in))
	plain := plainMachine{m.o, m.t, m.g}
	for _, p := range m.pairs {
		d := int(plain.used(s, p.a) - plain.used(s, p.b))
		if m.o.Function == LRU {
			d = bit[d > 0]
		} else {
			d += m.o.Bound
		}
		set(p.x, d)
	}
	return dst
}

// TestReference: the program takes the steps of the plain machine, no more and no fewer, in many
// reachable states, most of them deep. Steps that change no variable of the program, such as
// those of a clock that no function reads, do not count.
func TestReference(t *testing.T) {
	small := []Packet{{0, 3}, {1, 2}, {3, 0}}                  // round the corners of 2x2: they meet in y
	ring := []Packet{{0, 2}, {1, 0}, {2, 1}}                   // of three, one way
	router := []Packet{{0, 3}, {0, 3}, {0, 1}, {0, 3}, {1, 2}} // one router again and again
	cube := []Packet{{0, 7}, {0, 7}, {1, 6}, {2, 5}}           // three dimensions
	again := func(flight int, p ...Packet) Traffic { return Traffic{Packets: p, Again: true, InFlight: flight} }
	compared, number := 0, 0
	for f := range Names {
		for form := range machineForms {
			for _, tt := range []struct {
				o torus
				t Traffic
			}{
				{torus{K: 2, N: 2, History: Exact, Bound: 3}, Traffic{Packets: small}},
				{torus{K: 2, N: 2, History: Exact, Bound: 5, Status: Present}, Traffic{Packets: router, InFlight: 2}},
				{torus{K: 3, N: 1, OneWay: true}, Traffic{Packets: ring, Ready: true}},
				{torus{K: 3, N: 1, OneWay: true}, again(2, ring...)},
				{torus{K: 2, N: 2, Reading: FreeHere}, again(2, small...)},
				{torus{K: 2, N: 3, History: Exact, Bound: 4, Status: Present}, Traffic{Packets: cube, InFlight: 2}},
			} {
				if number++; !seedtest.Sampled(number, 10) {
					continue
				}
				tt.o.Function, tt.o.Form = Function(f), Form(form)
				if tt.o.Form == Stale {
					tt.o.Status = ClockOld
				}
				m, err := NewMachine(t, tt.o, tt.t)
				if err != nil {
					t.Fatal(err)
				}
				compared += agree(t, m, plainMachine{tt.o, tt.t, m.g}, 150)
			}
		}
	}
	if least := map[bool]int{true: 5_000, false: 1_000}[seedtest.Whole()]; compared < least {
		t.Errorf("only %d states were compared", compared)
	}
}

// agree compares the successors of a given number of states, depth first.
func agree(t *testing.T, m *Machine, plain plainMachine, most int) (compared int) {
	t.Helper()
	stack := []plainState{plain.start()}
	seen := map[string]bool{fmt.Sprint(stack[0]): true}
	if diff := cmp.Diff(m.packed(stack[0]), m.Start(nil)); diff != "" {
		t.Fatalf("%s: start: %s", m.Name(), diff)
	}
	for ; len(stack) > 0 && compared < most; compared++ {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		s := m.packed(at)
		want := map[string]bool{}
		for _, after := range plain.next(at) {
			if !slices.Equal(m.packed(after), s) {
				want[states.ChangesText(states.Changes(m.Layout(), s, m.packed(after)))] = true
			}
			if k := fmt.Sprint(after); !seen[k] {
				seen[k] = true
				stack = append(stack, after)
			}
		}
		flat, err := m.AppendSuccessors(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for after := range slices.Chunk(flat, m.Layout().Words()) {
			got[states.ChangesText(states.Changes(m.Layout(), s, after))] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: in state %s, what changes (-want +got):\n%s", m.Name(), strings.TrimSpace(m.Layout().Text(s)), diff)
		}
	}
	return compared
}
