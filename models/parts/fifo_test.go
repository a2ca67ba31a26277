package parts_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// queue is a program with one FIFO of messages 1..kinds, each with a second
// number, twice the first.
func queue(capacity, kinds int) (*program.Program, parts.FIFO) {
	p := program.New("queue")
	q := parts.NewFIFO(capacity, func(k int) []program.Var {
		return []program.Var{p.Var(fmt.Sprint("kind ", k), kinds+1), p.Var(fmt.Sprint("twice ", k), 2*kinds+1)}
	})
	for i := 1; i <= kinds; i++ {
		p.Rule(fmt.Sprint("put ", i), q.Room(), q.Put(program.Const(i), program.Const(2*i)))
	}
	p.Rule("pop", q.Some(), q.Pop())
	return p, q
}

// TestFIFOStates: a queue of capacity c with k messages has one state for every
// word of at most c letters out of k: 1 + k + ... + k^c.
func TestFIFOStates(t *testing.T) {
	for capacity := 1; capacity <= 4; capacity++ {
		for kinds := 1; kinds <= 3; kinds++ {
			p, q := queue(capacity, kinds)
			want, power := 1, 1
			for range capacity {
				power *= kinds
				want += power
			}
			seen := map[string]bool{}
			for todo := [][]int{p.Start()}; len(todo) > 0; todo = todo[1:] {
				if seen[fmt.Sprint(todo[0])] {
					continue
				}
				seen[fmt.Sprint(todo[0])] = true
				for i := 1; i <= kinds; i++ {
					if holds := q.Holds(i); holds.Holds(todo[0]) != slices.ContainsFunc(q.First(), func(x program.Var) bool { return todo[0][x] == i }) {
						t.Errorf("%v: holds %d is %v", todo[0], i, holds.Holds(todo[0]))
					}
				}
				steps, err := p.Steps(todo[0])
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range steps {
					todo = append(todo, s.After)
				}
			}
			if len(seen) != want {
				t.Errorf("capacity %d, %d messages: %d states, want %d", capacity, kinds, len(seen), want)
			}
		}
	}
}

// TestFIFOIsAQueue drives a FIFO and a slice with the same requests.
func TestFIFOIsAQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 5).Draw(t, "capacity")
		p, q := queue(capacity, 3)
		state, plain := p.Start(), []int(nil)
		for range rapid.IntRange(0, 40).Draw(t, "requests") {
			request, action := rapid.IntRange(0, 3).Draw(t, "request"), "pop"
			if request > 0 {
				action = fmt.Sprint("put ", request)
			}
			steps, err := p.Steps(state)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(steps, func(s program.Step) bool { return p.Rules[s.Rule].Name == action })
			switch possible := request == 0 && len(plain) > 0 || request > 0 && len(plain) < capacity; {
			case possible != (i >= 0):
				t.Fatalf("%s with %v in a queue of %d: possible %v", action, plain, capacity, i >= 0)
			case !possible:
				continue
			case request == 0:
				plain = plain[1:]
			default:
				plain = append(plain, request)
			}
			state = steps[i].After
			var want []int
			for k := range capacity {
				kind := 0
				if k < len(plain) {
					kind = plain[k]
				}
				want = append(want, kind, 2*kind)
			}
			empty := q.Empty()
			if diff := cmp.Diff(want, state); diff != "" || empty.Holds(state) != (len(plain) == 0) {
				t.Fatalf("after %s (-want +got):\n%s", action, diff)
			}
		}
	})
}

// TestArbiters: of those who want, who may be served, by disciplines that say it of
// themselves: after 1 was served of three who all want, then all want again.
func TestArbiters(t *testing.T) {
	for d, want := range map[parts.Discipline][]int{
		parts.Any: {0, 1, 2}, parts.Fixed: {0},
		parts.Batch:      {0, 2}, // who waited when 1 was served
		parts.RoundRobin: {2},    // the next number
		parts.Queue:      {0},    // the list is 0, 2, 1
	} {
		p := program.New("arbiter")
		a := parts.NewArbiter(d, 3, func(i, k, values int) program.Var { return p.Var(fmt.Sprint(i, k), values) })
		all := []program.Expr{program.And(), program.And(), program.And()}
		served := p.Var("served", 2)
		p.Rule("serve 1", program.Eq(served, 0), append(a.Wins(1, all), program.Set(served, 1))...)
		steps, err := p.Steps(p.Start())
		if err != nil || len(steps) != 1 {
			t.Fatal(steps, err)
		}
		var got []int
		for c := range 3 {
			if turn := a.Turn(c, all); turn.Holds(steps[0].After) {
				got = append(got, c)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("discipline %d (-want +got):\n%s", d, diff)
		}
	}
}
