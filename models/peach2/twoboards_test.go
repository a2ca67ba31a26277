package peach2

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// reachable lists all states of a machine, by a plain search.
func reachable(t *testing.T, m *TwoBoards) []uint64 {
	t.Helper()
	if m.layout.Words() != 1 {
		t.Fatal("states of more than one word")
	}
	states := m.Start(nil)
	seen := map[uint64]bool{states[0]: true}
	for i := 0; i < len(states); i++ {
		next, err := m.AppendSuccessors(nil, states[i:i+1])
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range next {
			if !seen[s] {
				seen[s] = true
				states = append(states, s)
			}
		}
	}
	return states
}

// TestStuck: packets do not drain from a stuck state, however they move, once nothing
// more is sent; and a state at rest that is not empty is stuck.
func TestStuck(t *testing.T) {
	for i, tt := range []struct {
		reads  Reads
		writes bool
		depth  int
		stuck  bool
	}{
		{Separate, true, 1, false},
		{Shared, true, 1, true},
		{Shared, false, 1, true},
		{Shared, false, 2, true},
		{FIFO, true, 1, true},
		{InOrder, true, 1, false},
		{InOrder, true, 2, true},
		{InOrder, false, 2, false},
	} {
		if !seedtest.Sampled(i+1, 2) { // some are stuck, and some are not
			continue
		}
		m, err := NewTwoBoards(tt.reads, tt.writes, tt.depth)
		if err != nil {
			t.Fatal(err)
		}
		drains := map[uint64]bool{}
		var drain func(s uint64) bool
		drain = func(s uint64) bool {
			if s == 0 {
				return true
			}
			if d, ok := drains[s]; ok {
				return d
			}
			next, _ := m.AppendSuccessors(nil, []uint64{s})
			d := false
			for i, e := range m.events([]uint64{s}) {
				if !e.inject && drain(next[i]) {
					d = true
					break
				}
			}
			drains[s] = d
			return d
		}
		any := false
		for _, s := range reachable(t, m) {
			stuck := m.stuck([]uint64{s})
			any = any || stuck
			if stuck && drain(s) {
				t.Fatalf("%s: %s is stuck, but drains", m.Name(), m.layout.Text([]uint64{s}))
			}
			moves := 0
			for _, e := range m.events([]uint64{s}) {
				if !e.inject {
					moves++
				}
			}
			if s != 0 && moves == 0 && !stuck {
				t.Fatalf("%s: %s is at rest, but not stuck", m.Name(), m.layout.Text([]uint64{s}))
			}
			if !tt.stuck && !drain(s) {
				t.Fatalf("%s: %s does not drain", m.Name(), m.layout.Text([]uint64{s}))
			}
		}
		if any != tt.stuck {
			t.Errorf("%s: stuck %t, want %t", m.Name(), any, tt.stuck)
		}
	}
}

// TestPassing: table 2-34 of the specification, with "yes/no" read as yes for
// packets in buffers of their own and "no" for those in the same buffer.
func TestPassing(t *testing.T) {
	m, err := NewTwoBoards(Separate, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := [3][3]bool{ // [later][earlier]
		posted:     {posted: false, nonPosted: true, completion: true},
		nonPosted:  {posted: false, nonPosted: false, completion: true},
		completion: {posted: false, nonPosted: true, completion: false},
	}
	for later := range want {
		for earlier := range want[later] {
			if got := m.passes(later, earlier); got != want[later][earlier] {
				t.Errorf("%s passes %s: %t", kindOfPacket[later], kindOfPacket[earlier], got)
			}
		}
	}
}

// TestOrderIsKept: no step takes a packet out ahead of an older posted write of its
// link, in any reachable state.
func TestOrderIsKept(t *testing.T) {
	for _, reads := range []Reads{Separate, Shared, FIFO, InOrder} {
		m, err := NewTwoBoards(reads, true, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range reachable(t, m) {
			state := []uint64{s}
			q := m.queues(state)
			for i, e := range m.events(state) {
				for slot := range e.packet.slot {
					if !e.inject && q[e.packet.link].kinds[slot] == posted {
						t.Fatalf("%s: %s in %s", m.Name(), m.Action(state, i).Name, m.layout.Text(state))
					}
				}
			}
		}
	}
}

// TestOneRead: the only packet, from the host that sends it to its answer.
func TestOneRead(t *testing.T) {
	m, err := NewTwoBoards(Separate, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	claims := m.Claims()
	s := m.Start(nil)
	for i, want := range []string{
		"host 0 sends a read", "a read moves from host 0 on", "a read moves from board 0 on",
		"a completion moves from host 1 on", "a completion moves from board 1 on",
	} {
		next, err := m.AppendSuccessors(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		at := -1
		for j := range next {
			if m.Action(s, j).Name == want {
				at = j
			}
		}
		if at < 0 {
			t.Fatalf("%q is not possible in %s", want, m.layout.Text(s))
		}
		after := next[at : at+1]
		reads := claims.Responses[0]
		if got := reads.Pending(s); got != (i > 0) {
			t.Errorf("before %q: pending %t", want, got)
		}
		if got := reads.Answered(s, at, after); got != (i == 4) {
			t.Errorf("%q: answered %t", want, got)
		}
		if claims.Responses[1].Pending(s) {
			t.Errorf("before %q a read of host 1 is pending", want)
		}
		s = after
	}
	if s[0] != 0 {
		t.Errorf("left at the end: %s", m.layout.Text(s))
	}
}

func TestTwoBoardsRefuses(t *testing.T) {
	for _, tt := range []struct {
		reads Reads
		depth int
	}{{NoReads, 1}, {99, 1}, {Separate, 0}, {Separate, 5}} {
		if _, err := NewTwoBoards(tt.reads, true, tt.depth); err == nil {
			t.Errorf("reads %s, buffers of %d: accepted", tt.reads, tt.depth)
		}
	}
	var _ states.Claimer = (*TwoBoards)(nil)
	for reads := Separate; reads <= InOrder; reads++ {
		m, err := NewTwoBoards(reads, true, 4)
		if err != nil {
			t.Fatal(err)
		}
		for _, slots := range m.slots {
			if len(slots) > len(queues{}[0].kinds) {
				t.Errorf("%s: %d packets in a link are more than a queue holds", m.Name(), len(slots))
			}
		}
	}
}
