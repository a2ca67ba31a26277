package compiled_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// crowd draws a program of processes that walk by themselves, and sometimes look at or
// set what others do.
func crowd(t *rapid.T) *program.Program {
	p := program.New("crowd")
	upTo := func(n int) int { return rapid.IntRange(0, n).Draw(t, "n") }
	places := 2 + upTo(2)
	var at []program.Var
	for i := range 2 + upTo(2) {
		at = append(at, p.Var(fmt.Sprint("at ", i), places))
	}
	shared := []program.Var{p.Var("a", 3), p.Var("b", 2)}
	for i := range 1 + upTo(70)/60*64 { // at times more than a block of rules
		p.Rule(fmt.Sprint("never ", i), program.Eq(shared[0], 2), program.Set(shared[0], 2))
	}
	for i, x := range at {
		for k := range 1 + upTo(2) {
			guard, effect := program.Eq(x, upTo(places-1)), []program.Stmt{program.Set(x, upTo(places-1))}
			y := shared[upTo(1)]
			switch upTo(8) {
			case 0:
				guard = program.And(guard, program.Eq(y, upTo(1)))
			case 1, 5:
				effect = append(effect, program.Set(y, upTo(1)))
			case 2:
				effect = append(effect, program.Set(y, program.Add(1, y))) // at times out of range
			case 6:
				effect = append(effect, program.If(program.Eq(x, 1),
					program.Set(y, program.Sub(1, shared[upTo(1)]))).Otherwise(program.Set(y, shared[upTo(1)])))
			case 3:
				effect = []program.Stmt{program.If(program.Eq(y, upTo(1)), effect...)}
			case 4:
				effect = append(effect, program.If(program.Eq(at[upTo(len(at)-1)], 0), program.Set(y, upTo(2))))
			}
			p.Rule(fmt.Sprint("rule ", i, ".", k), guard, effect...)
		}
	}
	return p
}

// found is everything that a walk reports.
type found struct {
	Reason                                walk.Reason
	States, Expanded, Transitions, Widest int64
	Levels                                int
	Flagged                               [walk.FlagBits]int64
	First                                 [walk.FlagBits]walk.ID
	RefusedAt                             walk.ID
	Taken                                 []int    // kinds
	Order                                 []string // of discovery, with parents
	Leaves                                bool
}

// explore judges states by the whole invariant, by obligations, or by those once they are found.
func explore(t *rapid.T, m *compiled.Machine, opt walk.Options, judge string) found {
	broken, free := func(s []uint64, _ uint32) uint64 {
		if m.Claims().Invariants[len(m.Claims().Invariants)-1].Holds(s) {
			return 0
		}
		return 1
	}, func() []bool { return nil }
	switch judge {
	case "obligations":
		owed := m.Obligations([]string{"even"})
		broken, free = owed.Broken, owed.Free
	case "found meanwhile":
		_, owed := compiled.Judged(m.Machine, []string{"even"})
		broken, free = owed.Broken, owed.Free
	}
	opt.Judge = func(s []uint64, kind uint32) walk.Flags { return walk.Flags(broken(s, kind)) << 1 }
	opt.Free = free
	opt.Inspect = func(_ []uint64, successors int) walk.Flags {
		if successors == 0 {
			return 1
		}
		return 0
	}
	space, r, err := walk.Explore(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer space.Release()
	f := found{r.Reason, r.States, r.Expanded, r.Transitions, r.Widest, r.Levels, r.Flagged, r.First, r.RefusedAt, nil, nil, false}
	for kind, taken := range r.Taken {
		if taken {
			f.Taken = append(f.Taken, kind)
		}
	}
	if r.Reason == walk.Refused {
		f.States = 0 // what the last round finds after that state is not specified
		return f
	}
	f.Leaves = r.Leaves
	space.EachNumbered(func(id walk.ID, state []uint64) bool {
		chain, err := space.Chain(id)
		f.Order = append(f.Order, fmt.Sprint(id, state, chain, err))
		return true
	})
	return f
}

// TestSleep: leaving out steps that sleep or lead back, a walk finds the same states in the same
// order with the same parents, counts the same, and judges the same, also after a checkpoint.
func TestSleep(t *testing.T) {
	left, refused, broken := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		var p *program.Program
		if rapid.IntRange(0, 4).Draw(rt, "which") > 0 {
			p = crowd(rt)
		} else {
			p = netgen.Program(rt, rapid.Bool().Draw(rt, "careful"))
		}
		p.Invariant("even", program.Or(program.Ne(program.Var(0), 1), program.Ne(program.Var(1), 1)))
		plain, err := p.Machine()
		if err != nil {
			rt.Skip(err)
		}
		m := compiled.New(plain)
		opt := walk.Options{Workers: 1, MaxStates: 3000, Leaves: true}
		want := explore(rt, m, opt, "the whole")
		judge := rapid.SampledFrom([]string{"obligations", "found meanwhile"}).Draw(rt, "judge")
		if opt.Sleep = m.Sleep(); opt.Sleep == nil {
			rt.Skip("a single leaf")
		}
		opt.Workers = rapid.IntRange(1, 2).Draw(rt, "workers")
		if diff := cmp.Diff(want, explore(rt, m, opt, judge)); diff != "" {
			rt.Fatalf("-whole +without those that sleep:\n%s", diff)
		}
		if want.Reason == walk.Refused {
			refused++
		}
		if want.Flagged[1] > 0 {
			broken++
		}
		left += sleeps(rt, m, opt.Sleep)
		if want.States < 10 || want.Reason != walk.Complete {
			return
		}
		save := filepath.Join(t.TempDir(), "checkpoint")
		opt.Checkpoint, opt.MaxStates = walk.Checkpoint{Save: save}, want.States/2
		if cut := explore(rt, m, opt, judge); cut.Reason != walk.OutOfStates {
			return // at once
		}
		opt.Checkpoint, opt.MaxStates = walk.Checkpoint{Resume: save}, 0
		resumed := explore(rt, m, opt, judge)
		if resumed.Leaves {
			rt.Fatal("a part of a walk says that all states can be left")
		}
		resumed.Taken, resumed.Leaves = want.Taken, want.Leaves
		if diff := cmp.Diff(want, resumed); diff != "" {
			rt.Fatalf("-whole +from a checkpoint on:\n%s", diff)
		}
	})
	if seedtest.Usual() && (left < 100 || refused == 0 || broken == 0) {
		t.Errorf("%d steps were left out, %d walks refused, %d broke the invariant: want more", left, refused, broken)
	}
}

// sleeps checks along a search what commutes: whatever sleeps after a step in its own right was
// possible before it, and both orders lead to the same state. It returns how many steps were
// left out.
func sleeps(t *rapid.T, m *compiled.Machine, sleep *walk.Sleep) (left int) {
	words, none := m.Layout().Words(), make([]uint64, sleep.Words)
	step := func(s []uint64, kind uint32) []uint64 {
		next, kinds, err := m.Steps(nil, nil, s)
		if err != nil {
			return nil // of another rule
		}
		i := slices.Index(kinds, kind)
		if i < 0 {
			t.Fatalf("kind %d cannot step in %s", kind, m.Layout().Text(s))
		}
		return next[i*words:][:words]
	}
	queue, seen := m.Start(nil), map[string]bool{}
	for ; len(queue) > 0 && len(seen) < 100; queue = queue[words:] {
		p := queue[:words]
		if key := fmt.Sprint(p); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		next, kinds, err := m.Steps(nil, nil, p)
		if err != nil {
			continue
		}
		queue = append(queue, next...)
		notes := make([]uint64, sleep.Notes)
		sleep.Steps(nil, nil, make([]bool, sleep.Kinds), notes, p, none)
		for i, kind := range kinds {
			q := next[i*words:][:words]
			asleep, taken := make([]uint64, sleep.Words), make([]bool, sleep.Kinds)
			sleep.After(asleep, notes, kind)
			all, every, err := m.Steps(nil, nil, q)
			awake, some, n, wrong := sleep.Steps(nil, nil, taken, make([]uint64, sleep.Notes), q, asleep)
			if errors.Is(err, wrong) != (err == nil) || err != nil {
				continue
			}
			if len(awake)/words != len(some) || len(some)+n != len(every) {
				t.Fatalf("%d kinds of %d states, and %d are left out, of %d", len(some), len(awake)/words, n, len(every))
			}
			left += n
			for k, other := range every {
				r := all[k*words:][:words]
				if slices.Contains(some, other) || taken[other] && slices.Equal(r, q) {
					continue
				}
				if first := slices.Index(kinds, other); first < 0 || first >= i {
					t.Fatalf("%d sleeps behind %d, and does not come before it", other, kind)
				}
				if got := step(step(p, other), kind); got != nil && !slices.Equal(got, r) {
					t.Fatalf("from %s, kinds %d and %d lead to %s and %s", m.Layout().Text(p), other, kind, m.Layout().Text(got), m.Layout().Text(r))
				}
			}
		}
	}
	return left
}
