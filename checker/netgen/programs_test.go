package netgen_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestPrograms: drawn programs become machines unless their numbers may grow too large or, of careless ones, always leave
// their range, and have every operator,
// and fairness of every kind; of careful ones no step along a random walk leaves a range.
func TestPrograms(t *testing.T) {
	met, made, fair, strong, unfair := map[program.Op]int{}, 0, 0, 0, 0
	count := func(e *program.Expr) { met[e.Op]++ }
	rapid.Check(t, func(rt *rapid.T) {
		careful := rapid.Bool().Draw(rt, "careful")
		p := netgen.Program(rt, careful)
		if _, err := p.Machine(); err != nil {
			if !regexp.MustCompile(`too large|beyond|can leave the range of`).MatchString(err.Error()) &&
				(careful || !strings.Contains(err.Error(), "always out of range")) {
				rt.Fatal(err)
			}
			return
		}
		made++
		if len(p.Rules) == 0 || len(p.Variables) == 0 || len(p.Invariants) != 1 || len(p.Responses) != 1 {
			rt.Fatalf("%d rules of %d variables, %d invariants, %d responses", len(p.Rules), len(p.Variables), len(p.Invariants), len(p.Responses))
		}
		each(&p.Invariants[0].Holds, count)
		each(&p.Final, count)
		state := make([]int, len(p.Variables))
		for i, v := range p.Variables {
			if state[i] = v.Initial; state[i] < 0 || state[i] >= v.Values {
				rt.Fatalf("%s is %d of %d values", v.Name, state[i], v.Values)
			}
		}
		for _, r := range p.Rules {
			each(&r.Guard, count)
			switch {
			case r.Strong:
				strong++
			case r.Unfair:
				unfair++
			default:
				fair++
			}
		}
		for range 5 {
			steps, err := programtest.Steps(p, state)
			if err != nil && careful {
				rt.Fatalf("a careful program's step in %v: %v", state, err)
			}
			if err != nil || len(steps) == 0 {
				return
			}
			state = steps[rapid.IntRange(0, len(steps)-1).Draw(rt, "step")].After
		}
	})
	if !seedtest.Usual() {
		return
	}
	for op := program.Constant; op <= program.Choice; op++ {
		if met[op] == 0 {
			t.Errorf("operator %d is never drawn", op)
		}
	}
	if seedtest.Usual() && (made < 50 || min(fair, strong, unfair) == 0) {
		t.Errorf("%d machines, %d rules fair, %d strongly, %d not: want some of each", made, fair, strong, unfair)
	}
}

// each calls f with an expression and all its parts.
func each(e *program.Expr, f func(*program.Expr)) {
	f(e)
	for i := range e.Args {
		each(&e.Args[i], f)
	}
}

// TestProtocols: a drawn file is read, a careful one without an error, and its rules and steps along a random
// walk are those of the machine that was drawn with it; of a careful one no step is wrong.
func TestProtocols(t *testing.T) {
	read, stepped := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		careful := rapid.Bool().Draw(rt, "careful")
		drawn := netgen.DrawProtocol(rt, careful)
		f, err := star.Load(context.Background(), "drawn.star", []byte(drawn.Text), star.Options{})
		if err != nil {
			if !careful && regexp.MustCompile(`(invalid value|has no \[|is full|fail: drawn).*\(in `).MatchString(err.Error()) {
				return // a step that is wrong in every state is an error in the file
			}
			rt.Fatalf("%v\n%s", err, drawn.Text)
		}
		read++
		s := drawn.Start
		for range 5 {
			before := make([]int, len(f.Program.Variables))
			for x, v := range f.Program.Variables {
				before[x] = s.Number(v.Name, v.Names)
			}
			var next []*netgen.State
			for _, r := range drawn.Rules {
				after, wrong := r.Steps(s)
				only := *f.Program
				only.Rules = slices.DeleteFunc(slices.Clone(only.Rules), func(x program.Rule) bool { return x.Name != r.Name })
				steps, err := programtest.Steps(&only, before)
				if wrong && careful || (err != nil) != wrong {
					rt.Fatalf("%s in %v: wrong %t, and %v\n%s", r.Name, before, wrong, err, drawn.Text)
				}
				if wrong {
					continue
				}
				if diff := cmp.Diff(len(after), len(steps)); diff != "" {
					rt.Fatalf("%s in %v, steps (-drawn +read): %s\n%s", r.Name, before, diff, drawn.Text)
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
	if seedtest.Usual() && (read < 30 || stepped < 100) {
		t.Errorf("%d files were read, %d steps taken: want more", read, stepped)
	}
}
