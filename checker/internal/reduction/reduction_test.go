package reduction

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// findings is what an exploration reports: how many steps lead to the nearest states of each
// kind, and in how many states nothing can step.
type findings struct {
	nearest       map[string]int // steps; none: there is no such state
	halts, states int
	steps         int
}

// stepper is a machine as it is explored here: state by state, in a map.
type stepper interface {
	Start(dst []uint64) []uint64
	AppendSuccessors(dst, s []uint64) ([]uint64, error)
}

// plainly explores a machine up to a state that refuses to step. States are identified by
// the values of the variables.
func plainly(m stepper, plain *program.Machine, asked Asked, most int) (f findings, ok bool) {
	p := plain.Program()
	f.nearest = map[string]int{}
	reached := func(what string, steps int) {
		if _, known := f.nearest[what]; !known {
			f.nearest[what] = steps
		}
	}
	words := plain.Layout().Words()
	start := m.Start(nil)
	depth := map[string]int{fmt.Sprint(start): 0}
	for queue := [][]uint64{start}; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		steps := depth[fmt.Sprint(s)]
		values := plain.Values(s)
		for _, v := range asked.invariants(p) {
			if !v.Holds.Holds(values) {
				reached(v.Name, steps)
			}
		}
		f.states++
		next, err := m.AppendSuccessors(nil, s)
		if err != nil {
			reached("refused", steps)
			continue
		}
		f.steps += len(next) / words
		if len(next) == 0 {
			f.halts++
			if p.Final.Op == 0 || !p.Final.Holds(values) {
				reached("deadlock-freedom", steps)
			}
		}
		for ; len(next) > 0; next = next[words:] {
			key := fmt.Sprint(next[:words])
			if _, seen := depth[key]; !seen {
				depth[key] = steps + 1
				queue = append(queue, next[:words])
			}
		}
		if len(depth) > most {
			return f, false
		}
	}
	return f, true
}

// asks draws what is asked of a program.
func asks(t *rapid.T, p *program.Program) (asked Asked) {
	asked.Deadlock = rapid.IntRange(0, 3).Draw(t, "deadlock") > 0
	for _, v := range p.Invariants {
		if rapid.Bool().Draw(t, "invariant") {
			asked.Invariants = append(asked.Invariants, v.Name)
		}
	}
	return asked
}

const mostDrawn = 3_000

// same compares what is asked, and reports other differences in deadlocks.
func same(all, reduced findings, asked Asked, halts bool) string {
	what := append(slices.Clone(asked.Invariants), "refused")
	if asked.Deadlock {
		what = append(what, "deadlock-freedom")
	}
	refused, refuses := all.nearest["refused"]
	for _, x := range what {
		n, is := all.nearest[x]
		m, still := reduced.nearest[x]
		if refuses && (!is || n > refused) && (!still || m > refused) {
			continue // nothing is said about what lies beyond
		}
		if is != still || n != m {
			return fmt.Sprintf("%s: %d steps (%v), reduced %d (%v)", x, n, is, m, still)
		}
	}
	switch {
	case refuses:
	case halts && asked.Deadlock && all.halts != reduced.halts:
		return fmt.Sprintf("%d states without successors, reduced %d", all.halts, reduced.halts)
	case reduced.states > all.states || reduced.steps > all.steps:
		return fmt.Sprintf("%d states and %d steps, reduced %d and %d", all.states, all.steps, reduced.states, reduced.steps)
	}
	return ""
}

// TestReductions: for drawn programs the nearest states of each kind are as many steps away in
// the reduced state graph, which is never larger; with stubborn sets, equally many states can
// do nothing.
func TestReductions(t *testing.T) {
	explored, fewer, sliced := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		m, err := p.Machine()
		if err != nil {
			t.Skip(err)
		}
		asked := asks(t, p)
		all, ok := plainly(m, m, asked, mostDrawn)
		if !ok {
			return
		}
		explored++
		stubborn, err := New(context.Background(), compiled.New(m), asked)
		if err != nil {
			t.Fatal(err)
		}
		reduced, _ := plainly(stubborn, m, asked, mostDrawn)
		if diff := same(all, reduced, asked, true); diff != "" {
			t.Fatalf("stubborn sets, asked %+v: %s\n%s", asked, diff, text(p))
		}
		if reduced.states < all.states {
			fewer++
		}
		slice, err := SliceOf(m, asked)
		if err != nil {
			t.Fatal(err)
		}
		part, err := slice.Program.Machine()
		if err != nil {
			t.Fatal(err)
		}
		reduced, _ = plainly(part, part, asked, mostDrawn)
		if diff := same(all, reduced, asked, false); diff != "" {
			t.Fatalf("slice without %q, asked %+v: %s\n%s", slice.Left, asked, diff, text(p))
		}
		if len(slice.Left)+slice.Rules > 0 {
			sliced++
		}
		both, err := New(context.Background(), compiled.New(part), asked)
		if err != nil {
			t.Fatal(err)
		}
		less, _ := plainly(both, part, asked, mostDrawn)
		if diff := same(reduced, less, asked, true); diff != "" {
			t.Fatalf("stubborn sets of the slice without %q, asked %+v: %s", slice.Left, asked, diff)
		}
	})
	t.Logf("of %d: %d with fewer states by stubborn sets, %d with a slice", explored, fewer, sliced)
	if seedtest.Usual() && (10*fewer < explored || 10*sliced < explored) {
		t.Error("too few programs are reduced for the test to show anything")
	}
}

func text(p *program.Program) string {
	var b strings.Builder
	_ = program.WriteClosed(&b, p)
	return b.String()
}
