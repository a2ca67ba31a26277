package star_test

import (
	"context"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// numbers writes a state as the program's variables.
func numbers(s *netgen.State, p *program.Program) []int {
	out := make([]int, len(p.Variables))
	for x, v := range p.Variables {
		out[x] = s.Number(v.Name, v.Names)
	}
	return out
}

// holds reports whether all instances of a property hold.
func holds(all []netgen.Instance, s *netgen.State, of func(netgen.Instance) bool) bool {
	return !slices.ContainsFunc(all, func(x netgen.Instance) bool { return of(x) && !x.Holds(s) })
}

// TestTwin: programs made from drawn files do what the files mean: the same steps,
// refusals and violations in every state of random walks, and the same values of
// invariants.
func TestTwin(t *testing.T) {
	stepped, wronged, chosen := 0, 0, 0
	seedtest.Sample(t, 30)
	rapid.Check(t, func(rt *rapid.T) {
		drawn := netgen.DrawProtocol(rt, false)
		f, err := star.Load(context.Background(), "twin.star", []byte(drawn.Text), star.Options{})
		if err != nil {
			if regexp.MustCompile(`(invalid value|has no \[|is full|fail: drawn).*\(in `).MatchString(err.Error()) {
				return // a step that is wrong in every state is an error in the file
			}
			rt.Fatalf("%v\n%s", err, drawn.Text)
		}
		s := drawn.Start
		for range 12 {
			before := numbers(s, f.Program)
			from, possible := star.SourceOf(f.Program), map[string]bool{}
			for _, v := range f.Program.Invariants {
				want := holds(drawn.Properties, s, func(x netgen.Instance) bool { return x.Property == v.Name })
				if got := v.Holds.Holds(before); got != want || (len(from.Broken(v.Name, before)) == 0) != want {
					rt.Fatalf("%s is %v in %v, and broken by %q: want %v\n%s", v.Name, got, before, from.Broken(v.Name, before), want, drawn.Text)
				}
			}
			for _, x := range f.Program.Rules {
				possible[x.Name] = possible[x.Name] || x.Guard.Holds(before)
			}
			for k, x := range f.Program.Rules {
				_, why := from.Refusal(k, before)
				if x.Guard.Holds(before) && why != "" || !possible[x.Name] && why == "" {
					rt.Fatalf("%s in %v: %q, possible: %v\n%s", x.Name, before, why, possible[x.Name], drawn.Text)
				}
				from.Step(k, before)
			}
			var next []*netgen.State
			for _, r := range drawn.Rules {
				after, wrong := r.Steps(s)
				only := *f.Program
				only.Rules = slices.DeleteFunc(slices.Clone(only.Rules), func(x program.Rule) bool { return x.Name != r.Name })
				steps, err := programtest.Steps(&only, before)
				if (err != nil) != wrong {
					rt.Fatalf("%s in %v: error %v, want one: %v\n%s", r.Name, before, err, wrong, drawn.Text)
				}
				if wrong {
					wronged++
					continue
				}
				var got, want [][]int
				for _, x := range steps {
					got = append(got, x.After)
				}
				for _, x := range after {
					want = append(want, numbers(x, f.Program))
				}
				slices.SortFunc(got, slices.Compare)
				slices.SortFunc(want, slices.Compare)
				if diff := cmp.Diff(want, got); diff != "" {
					rt.Fatalf("%s in %v (-twin +program):\n%s\n%s", r.Name, before, diff, drawn.Text)
				}
				if len(after) > 1 {
					chosen++
				}
				next = append(next, after...)
			}
			if len(next) == 0 {
				return
			}
			stepped++
			s = next[rapid.IntRange(0, len(next)-1).Draw(rt, "step")]
		}
	})
	if seedtest.Usual() && (stepped == 0 || wronged == 0 || chosen == 0) {
		t.Errorf("%d steps, %d violations, %d choices: want some of each", stepped, wronged, chosen)
	}
}
