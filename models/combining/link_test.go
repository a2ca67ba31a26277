package combining

import (
	"fmt"
	"slices"
	"testing"

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
