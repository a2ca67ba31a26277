package checker_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// asWritten is the machine of a program that is neither compiled nor judged by its rules:
// every invariant is checked in every state, by the plain meaning.
type asWritten struct{ *program.Machine }

// TestJudgedAsWritten: judging invariants by what each step can have changed makes no
// difference: verdicts, counts, digests and traces of drawn programs are those of checking all
// of every state, for any number of workers.
func TestJudgedAsWritten(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		p := netgen.Program(rt, rapid.Bool().Draw(rt, "careful"))
		for i := range rapid.IntRange(0, 3).Draw(rt, "invariants") {
			var apart []program.Expr
			for range rapid.IntRange(1, 4).Draw(rt, "conjuncts") {
				is := func(what string) program.Expr {
					x := rapid.IntRange(0, len(p.Variables)-1).Draw(rt, what)
					return program.Eq(program.Var(x), rapid.IntRange(0, min(p.Variables[x].Values, 4)-1).Draw(rt, "value"))
				}
				apart = append(apart, program.Not(program.And(is("one"), is("other"))))
			}
			p.Invariant(fmt.Sprint("apart ", i), program.And(apart...))
		}
		m, err := p.Machine()
		if err != nil {
			rt.Skip(err) // numbers that grow too large
		}
		opt := checker.Question{
			Workers: 1, MaxStates: 2000, Closed: -1,
			Explore: rapid.SampledFrom([]checker.Exploration{checker.Auto, checker.Whole}).Draw(rt, "whole"), Compact: rapid.Bool().Draw(rt, "compact"),
		}
		want := explored(rt, asWritten{m}, opt)
		for _, opt.Workers = range []int{1, 2} {
			if diff := cmp.Diff(want, explored(rt, m, opt)); diff != "" {
				rt.Fatalf("%d workers (-as written +judged):\n%s", opt.Workers, diff)
			}
		}
		for _, f := range want[1:] {
			seen[f[:3]]++
		}
	})
	for _, verdict := range []string{"hol", "vio", "unk"} {
		if seedtest.Usual() && seen[verdict] == 0 {
			t.Errorf("no finding is %s...: %v", verdict, seen)
		}
	}
}

// explored lists what an exploration counts, and for each finding the verdict and the steps of
// its run.
func explored(t *rapid.T, m states.Machine, opt checker.Question) []string {
	x, err := checker.Explore(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	said := []string{fmt.Sprintf("%d states, %d expanded, %d transitions, %d levels, %s %s", x.States, x.Expanded, x.Transitions, x.Levels, x.Digest, x.Ended)}
	for _, f := range x.Findings {
		line := fmt.Sprint(f.Verdict, " ", f.Property, ": ", f.Because)
		if r := f.Run(); r != nil {
			line += fmt.Sprint(" ", r.Steps)
		}
		said = append(said, line)
	}
	return said
}
