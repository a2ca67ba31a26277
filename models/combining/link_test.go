package combining

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// reachable counts the states of a program by brute force, and those that break
// an invariant.
func reachable(t interface {
	Helper()
	Fatal(...any)
}, p *program.Program) (states, broken int) {
	t.Helper()
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	words := m.Layout().Words()
	seen := map[string]bool{}
	queue := [][]uint64{m.Start(nil)}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		key := fmt.Sprint(s)
		if seen[key] {
			continue
		}
		seen[key] = true
		for _, v := range m.Claims().Invariants {
			if !v.Holds(s) {
				broken++
				break
			}
		}
		next, err := m.Next(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		queue = slices.AppendSeq(queue, slices.Chunk(next, words))
	}
	return len(seen), broken
}

// TestLinkStates: a link of capacity c with k messages has one state for every
// word of at most c letters out of k: 1 + k + ... + k^c.
func TestLinkStates(t *testing.T) {
	for capacity := 1; capacity <= 4; capacity++ {
		for k := 1; k <= 3; k++ {
			p := program.New("link")
			var names []string
			want, power := 1, 1
			for i := range k {
				names = append(names, fmt.Sprintf("m%d", i))
			}
			for range capacity {
				power *= k
				want += power
			}
			q := newFIFO(p, "link", capacity, names)
			for i := range k {
				p.Rule("push", q.Room(), q.Push(i+1))
			}
			p.Rule("pop", program.Not(q.Empty()), q.Pop())
			all := program.Const(0)
			for i := range k {
				all = program.Add(all, q.Count(i+1))
				p.Invariant("held as counted "+names[i], program.Or(
					program.And(q.Holds(i+1), program.Lt(0, q.Count(i+1))), program.And(program.Not(q.Holds(i+1)), program.Eq(q.Count(i+1), 0))))
			}
			p.Invariant("full as counted", program.Implies(program.Not(q.Room()), program.Eq(all, capacity)))
			if states, broken := reachable(t, p); states != want || broken > 0 {
				t.Errorf("capacity %d, %d messages: %d states, want %d; %d broken", capacity, k, states, want, broken)
			}
		}
	}
}

// TestLinkIsAQueue drives a link and a slice with the same requests.
func TestLinkIsAQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 5).Draw(t, "capacity")
		p := program.New("link")
		q := newFIFO(p, "link", capacity, []string{"a", "b", "c"})
		for i := range 3 {
			p.Rule(fmt.Sprint("push ", i+1), q.Room(), q.Push(i+1))
		}
		p.Rule("pop", program.Not(q.Empty()), q.Pop())
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		state := m.Start(nil)
		var plain []int
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			request := rapid.IntRange(0, 3).Draw(t, "request") // 0 pops
			action := "pop"
			if request > 0 {
				action = fmt.Sprint("push ", request)
			}
			next, err := m.Next(nil, state)
			if err != nil {
				t.Fatal(err)
			}
			taken := -1
			for i := range len(next) / m.Layout().Words() {
				if m.Action(state, i).Name == action {
					taken = i
				}
			}
			switch possible := request == 0 && len(plain) > 0 || request > 0 && len(plain) < capacity; {
			case possible != (taken >= 0):
				t.Fatalf("%s with %v in a link of %d: possible %v", action, plain, capacity, taken >= 0)
			case !possible:
				continue
			case request == 0:
				plain = plain[1:]
			default:
				plain = append(plain, request)
			}
			words := m.Layout().Words()
			state = next[taken*words : (taken+1)*words]
			want := append(slices.Clone(plain), make([]int, capacity-len(plain))...)
			if diff := cmp.Diff(want, m.Values(state)); diff != "" {
				t.Fatalf("after %s (-want +got):\n%s", action, diff)
			}
		}
	})
}

// TestWaitBuffer: a buffer of one or two entries for three keys, which come and
// go where Stores says. There are never more entries than there is room for, and
// just one place for a key, or none if it has to wait. The states were counted by
// hand, see below.
func TestWaitBuffer(t *testing.T) {
	const keys = 3
	for _, overflow := range []Overflow{Ample, Refuse, Interrupt, Marked} {
		for size := 1; size <= 2; size++ {
			p := program.New("wait buffer")
			b := newWaitBuffer(keys, size, overflow, func(key, place int) []program.Var {
				return []program.Var{p.Var(fmt.Sprintf("entry %d.%d", key, place), 2)}
			})
			for key := range keys {
				places := program.Const(0)
				for _, st := range b.Stores(key) {
					x := b.own[key][0]
					if st.place == 1 {
						x = b.taken[key][0]
					}
					p.Rule("enter", st.when, program.Set(x, 1))
					p.Rule("clear", program.Ne(x, 0), program.Set(x, 0))
					places = program.Add(places, program.IfElse(st.when, 1, 0))
				}
				least := 1
				if overflow == Refuse {
					least = 0
				}
				p.Invariant(fmt.Sprint("one place for ", key), program.And(program.Le(least, places), program.Le(places, 1)))
				if overflow == Marked {
					p.Invariant(fmt.Sprint("not in both places ", key), program.Not(program.And(b.Has(key, 0), b.Has(key, 1))))
				}
			}
			most := size
			if overflow == Ample {
				most = keys
			}
			p.Invariant("no more than there are", program.Le(b.Used(), most))
			p.Invariant("idle if none is used", program.Implies(b.Idle(), program.Eq(b.Used(), 0)))
			states, broken := reachable(t, p)
			want := map[Overflow][]int{
				Ample:  {8, 8},
				Refuse: {1 + 3, 1 + 3 + 3},
				// Here and there are independent, but for this: a key here came first
				// or came back while there was room, so anything can be reached.
				Interrupt: {(1 + 3) * 8, (1 + 3 + 3) * 8},
				// Each key is here, with the processor, or nowhere. A key goes to the
				// processor while size others are here, so with one entry all but the
				// state with all three there: 8 + 3*4 - 1; with two at most one is
				// there: 7 without, 3*4 with one.
				Marked: {19, 19},
			}[overflow][size-1]
			if states != want || broken > 0 {
				t.Errorf("%s, %d entries: %d states, want %d; %d broken", OverflowNames[overflow], size, states, want, broken)
			}
		}
	}
	for _, x := range []struct {
		size     int
		overflow Overflow
	}{{0, Ample}, {17, Refuse}, {1, Marked + 1}} {
		if checkWaitBuffer(x.size, x.overflow) == nil {
			t.Errorf("%d entries, overflow %d: accepted", x.size, x.overflow)
		}
	}
}
