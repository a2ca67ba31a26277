package checker_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// counter counts to most in turns: after 2 most steps the next leaves the range.
func counter(most int) *program.Program {
	p := program.New("counter")
	turn, n := p.Var("turn", 2), p.Var("n", most+1)
	p.Rule("count", program.Eq(turn, 0), program.Set(n, program.Add(n, 1)), program.Set(turn, 1))
	p.Rule("pass", program.Eq(turn, 1), program.Set(turn, 0))
	p.Invariant("below", program.Lt(n, most))
	p.Response("a turn comes", program.Eq(turn, 1))
	return p
}

func machineOf(t rapid.TB, p *program.Program) *program.Machine {
	t.Helper()
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestOutOfRange: a value that leaves its range violates a property, with the run to it; nothing
// is said about what was not found violated before.
func TestOutOfRange(t *testing.T) {
	m := machineOf(t, counter(3))
	for _, opt := range []checker.Question{{Explore: checker.Whole},
		{Explore: checker.Whole, Workers: 1, Liveness: true}, {Explore: checker.Whole, Compact: true}} {
		x := explore(t, m, opt)
		f := finding(t, x, states.InRange)
		if f.Verdict != spec.Violated || f.Run() == nil || f.Run().Fault != runs.Refused || len(f.Run().Steps) != 6 {
			t.Fatalf("%+v", f)
		}
		if want := `6 steps from the start: program "counter": rule "count": "n" is set to 4: must be 0 to 3`; f.Because.String() != want {
			t.Errorf("because %s, want %s", f.Because, want)
		}
		if x.Complete || x.Digest != "" || !strings.Contains(x.Ended.String(), "at a wrong step") {
			t.Errorf("complete: %t, ended: %s", x.Complete, x.Ended)
		}
		if got := finding(t, x, "below").Verdict; got != spec.Violated { // n = 3, one step earlier
			t.Errorf("below %s", got)
		}
		// The state whose step is refused has one, so it is not a deadlock; nor is it known
		// that there is none beyond it.
		if got := finding(t, x, "deadlock-freedom").Verdict; got != spec.Unknown {
			t.Errorf("deadlock %s", got)
		}
		if opt.Liveness {
			if got := finding(t, x, "a turn comes").Verdict; got != spec.Unknown {
				t.Errorf("a turn comes %s", got)
			}
		}
		short := *f.Run()
		short.Steps = short.Steps[:4]
		if err := runs.Replay(t.Context(), m, m.Claims(), &short); err == nil || !strings.Contains(err.Error(), "stays in range") {
			t.Errorf("a run that ends before: %v", err)
		}
		other := *f.Run()
		other.Property = "below"
		if err := runs.Replay(t.Context(), m, m.Claims(), &other); err == nil {
			t.Error("a refused step shows that an invariant is broken")
		}
	}
}

// TestRangeHasALine: what a budget or a violation leaves open of the range of values is said to be unknown, and why; nothing is
// said where all states were visited, or the text of the program shows that values stay in range.
func TestRangeHasALine(t *testing.T) {
	large := counter(200_000) // beyond the states that are visited after a violation
	large.Invariant("never 1", program.Ne(program.Var(1), 1))
	large.Final = program.And()
	large.Responses, large.Invariants = nil, large.Invariants[1:]
	plain := program.New("plain")
	x := plain.Var("x", 3)
	plain.Rule("up", program.Lt(x, 2), program.Set(x, program.IfElse(program.Eq(x, 0), 1, 2)))
	plain.Final = program.Eq(x, 2)
	for _, c := range []struct {
		name string
		p    *program.Program
		opt  checker.Question
		want string // why it is unknown; "" if nothing is said
	}{
		{"a bound", counter(9), checker.Question{MaxStates: 4}, "the limit of 4 states is reached"},
		{"a bound on disk", counter(9), checker.Question{MaxStates: 4, Disk: t.TempDir()}, "the limit of 4 states is reached"},
		{"a violation", large, checker.Question{}, "stopped at the violation; the rest of the state graph was not explored"},
		{"not asked", large, checker.Question{Properties: []string{"never 1"}}, ""},
		{"plain, a bound", plain, checker.Question{MaxStates: 1}, ""},
		{"plain", plain, checker.Question{}, ""},
	} {
		r := explore(t, machineOf(t, c.p), c.opt)
		got := ""
		if f := r.Of(states.InRange); f != nil && f.Verdict == spec.Unknown {
			got = f.Because.String()
		} else if f != nil {
			t.Errorf("%s: %s", c.name, f.Verdict)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q (%d states)", c.name, got, c.want, r.States)
		}
	}
}

// TestOutOfRangeAsByHand: on drawn programs a violation is found if and only if a plain search
// by the meaning of the rules finds one, after equally few steps, for any number of
// workers, and whether or not the search could stop at a deadlock before.
func TestOutOfRangeAsByHand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := program.New("drawn")
		var vars []program.Var
		for i := range rapid.IntRange(1, 4).Draw(t, "variables") {
			vars = append(vars, p.Var(fmt.Sprint(i), rapid.IntRange(2, 6).Draw(t, "values")))
		}
		one := rapid.SampledFrom(vars)
		for i := range rapid.IntRange(1, 5).Draw(t, "rules") {
			to, from := one.Draw(t, "to"), one.Draw(t, "from")
			value := program.Add(program.Add(from, 0), rapid.IntRange(0, 2).Draw(t, "more"))
			if rapid.Bool().Draw(t, "modulo") {
				value = program.IfElse(program.Lt(value, 2), value, 0)
			}
			p.Rule(fmt.Sprint("rule ", i), program.Eq(one.Draw(t, "test"), rapid.IntRange(0, 1).Draw(t, "is")), program.Set(to, value))
		}
		if _, err := p.Machine(); err != nil {
			return // an assignment that is always out of range is refused at once
		}
		depth := shortestRefusal(t, p)
		for _, opt := range []checker.Question{{Explore: checker.Whole, Workers: 1}, {Explore: checker.Whole, Workers: 2}, {Workers: 2}} {
			x := explore(t, machineOf(t, p), opt)
			got := -1
			for _, f := range x.Findings {
				if f.Property == states.InRange {
					got = len(f.Run().Steps)
				}
			}
			if got != depth || opt.Explore == checker.Whole && x.Complete != (depth < 0) {
				t.Fatalf("refused after %d steps, want %d; complete: %t", got, depth, x.Complete)
			}
		}
	})
}

// shortestRefusal returns the least number of steps after which one can be refused; -1 if none can.
func shortestRefusal(t *rapid.T, p *program.Program) int {
	level := [][]int{make([]int, len(p.Variables))}
	seen := map[string]bool{fmt.Sprint(level[0]): true}
	for depth := 0; len(level) > 0; depth++ {
		var next [][]int
		for _, s := range level {
			steps, err := programtest.Steps(p, s)
			if err != nil {
				return depth
			}
			for _, step := range steps {
				if key := fmt.Sprint(step.After); !seen[key] {
					seen[key] = true
					next = append(next, step.After)
				}
			}
		}
		level = next
	}
	return -1
}
