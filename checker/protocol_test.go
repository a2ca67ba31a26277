package checker_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/export"
	"github.com/seed-105a2da2/unknot/checker/export/enginetest"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// What a drawn protocol file means, three times over: by its meaning in Go, by the plain meaning
// of its closed form, and by exploring. The first two are graphs of maps and slices, from which
// verdicts are read by definition.

// graph is all reachable states, and the steps between them.
type graph struct {
	state   []string
	number  map[string]int
	steps   [][]taking
	broken  map[string]bool // invariants
	pending map[string][]bool
	final   []bool
}

type taking struct {
	to   int
	rule string
	fair bool
}

// search walks a graph from its start; nil if it has more states than most.
func search(most int, start string, visit func(state string, g *graph) []taking) *graph {
	g := &graph{state: []string{start}, number: map[string]int{start: 0}, broken: map[string]bool{}, pending: map[string][]bool{}}
	for i := 0; i < len(g.state); i++ {
		if len(g.state) > most {
			return nil
		}
		g.steps = append(g.steps, visit(g.state[i], g))
	}
	return g
}

func (g *graph) at(state string) int {
	i, known := g.number[state]
	if !known {
		i = len(g.state)
		g.number[state], g.state = i, append(g.state, state)
	}
	return i
}

func (g *graph) count() (states, steps int) {
	for _, s := range g.steps {
		steps += len(s)
	}
	return len(g.state), steps
}

// verdicts returns what is violated.
func (g *graph) verdicts() map[string]bool {
	out := map[string]bool{"deadlock-freedom": false}
	for name, is := range g.broken {
		out[name] = is
	}
	for i, steps := range g.steps {
		out["deadlock-freedom"] = out["deadlock-freedom"] || len(steps) == 0 && !g.final[i]
	}
	for name, pending := range g.pending {
		out[name] = g.starves(pending)
	}
	return out
}

// starves reports whether a run can stay in some states forever: it comes to one where no fair
// rule is possible, or goes around states that reach each other, in which every fair rule is
// taken or somewhere impossible.
func (g *graph) starves(in []bool) bool {
	reaches := make([][]bool, len(g.state)) // by at least one step, among those states
	for i := range g.state {
		reaches[i] = make([]bool, len(g.state))
		todo := []int{i}
		for len(todo) > 0 && in[i] {
			for _, a := range g.steps[todo[0]] {
				if in[a.to] && !reaches[i][a.to] {
					reaches[i][a.to] = true
					todo = append(todo, a.to)
				}
			}
			todo = todo[1:]
		}
	}
	for i := range g.state {
		if in[i] && (!slices.ContainsFunc(g.steps[i], func(a taking) bool { return a.fair }) || reaches[i][i] && g.fairly(i, reaches)) {
			return true
		}
	}
	return false
}

// fairly reports whether a fair run can go round the states that state i reaches and that
// reach it.
func (g *graph) fairly(i int, reaches [][]bool) bool {
	possible, taken, states := map[string]int{}, map[string]bool{}, 0
	for k := range g.state {
		if !reaches[i][k] || !reaches[k][i] {
			continue
		}
		states++
		here := map[string]bool{}
		for _, a := range g.steps[k] {
			if a.fair {
				here[a.rule] = true
				taken[a.rule] = taken[a.rule] || reaches[i][a.to] && reaches[a.to][i]
			}
		}
		for rule := range here {
			possible[rule]++
		}
	}
	for rule, n := range possible {
		if n == states && !taken[rule] {
			return false
		}
	}
	return true
}

// meant walks the states of a drawn file as its meaning has them.
func meant(d *netgen.Protocol, most int) *graph {
	known := map[string]*netgen.State{}
	name := func(s *netgen.State) string {
		text := fmt.Sprint(s.Values, s.FIFOs) // maps are printed in order
		known[text] = s
		return text
	}
	return search(most, name(d.Start), func(state string, g *graph) (steps []taking) {
		s := known[state]
		for _, p := range d.Properties {
			g.broken[p.Property] = g.broken[p.Property] || !p.Holds(s)
		}
		for _, p := range d.Responses {
			g.pending[p.Name] = append(g.pending[p.Name], p.Holds(s))
		}
		g.final = append(g.final, d.Final != nil && d.Final(s))
		for _, r := range d.Rules {
			after, fails := r.Steps(s)
			if fails {
				panic("a careful protocol has a step with an error")
			}
			for _, t := range after {
				steps = append(steps, taking{g.at(name(t)), r.Name, r.Fair})
			}
		}
		return steps
	})
}

// plainly walks the states of a program by its plain meaning.
func plainly(t *rapid.T, p *program.Program, most int) *graph {
	known := map[string][]int{}
	name := func(values []int) string {
		text := fmt.Sprint(values)
		known[text] = values
		return text
	}
	return search(most, name(p.Start()), func(state string, g *graph) (steps []taking) {
		values := known[state]
		for _, v := range p.Invariants {
			g.broken[v.Name] = g.broken[v.Name] || !v.Holds.Holds(values)
		}
		for _, r := range p.Responses {
			g.pending[r.Name] = append(g.pending[r.Name], r.Pending.Holds(values))
		}
		g.final = append(g.final, p.Final.Op != 0 && p.Final.Holds(values))
		all, err := programtest.Steps(p, values)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			r := p.Rules[s.Rule]
			steps = append(steps, taking{g.at(name(s.After)), r.Name, !r.Unfair})
		}
		return steps
	})
}

// drawnProtocol draws a file and loads it.
func drawnProtocol(rt *rapid.T) (*netgen.Protocol, *program.Program) {
	d := netgen.DrawProtocol(rt, true)
	f, err := star.Load(context.Background(), "drawn.star", []byte(d.Text), star.Options{})
	if err != nil {
		rt.Fatalf("%v\n%s", err, d.Text)
	}
	return d, f.Program
}

// TestDrawnProtocols: exploring a drawn file agrees with its meaning, and with that of its closed
// form: the same states, steps and verdicts.
func TestDrawnProtocols(t *testing.T) {
	const most = 300 // states, as fair cycles are looked for among all pairs
	seen, skipped := map[string]int{}, 0
	seedtest.Few(12, func() {
		rapid.Check(t, func(rt *rapid.T) {
			d, p := drawnProtocol(rt)
			want := meant(d, most)
			if want == nil {
				skipped++
				return
			}
			var text bytes.Buffer
			if err := program.WriteClosed(&text, p); err != nil {
				rt.Fatal(err)
			}
			closed, err := program.ReadClosed("drawn.json", text.Bytes())
			if err != nil {
				rt.Fatal(err)
			}
			agree := func(what string, states, steps int, verdicts map[string]bool) {
				n, m := want.count()
				if states != n || steps != m {
					rt.Fatalf("%s has %d states and %d steps: want %d and %d\n%s", what, states, steps, n, m, d.Text)
				}
				if diff := cmp.Diff(want.verdicts(), verdicts); diff != "" {
					rt.Fatalf("%s (-meaning +%[1]s):\n%s\n%s", what, diff, d.Text)
				}
			}
			g := plainly(rt, closed, most)
			if g == nil {
				rt.Fatalf("the closed form has more than %d states\n%s", most, d.Text)
			}
			n, m := g.count()
			agree("closed form", n, m, g.verdicts())
			for _, workers := range []int{1, 2} {
				x, err := checker.Explore(t.Context(), machineOf(rt, p), checker.Question{Explore: checker.Whole, Liveness: true, Workers: workers})
				if err != nil {
					rt.Fatal(err)
				}
				verdicts := map[string]bool{}
				for _, f := range x.Findings {
					if f.Verdict == spec.Unknown {
						rt.Fatalf("%s: %s\n%s", f.Property, f.Because, d.Text)
					}
					if never := f.Property + ": never reached"; slices.ContainsFunc(p.Invariants, func(v program.Invariant) bool { return v.Name == never }) {
						verdicts[never] = f.Verdict == spec.Holds
						continue
					}
					verdicts[f.Property] = f.Verdict == spec.Violated
				}
				agree("exploration", int(x.States), int(x.Transitions), verdicts)
			}
			for name, violated := range want.verdicts() {
				seen[fmt.Sprintf("%.1s %v", name, violated)]++
			}
		})
	})
	t.Logf("%d are too large; %v", skipped, seen)
}

// TestDrawnProtocolsByEngines: SPIN and Rumur count in the exports of drawn files what the files
// mean. It takes some seconds a file: -rapid.checks=5000 draws a hundred of them.
func TestDrawnProtocolsByEngines(t *testing.T) {
	const most = 2000
	seed := 0 // of the files, ascending, as rapid repeats small numbers
	seedtest.Few(2, func() {
		rapid.Check(t, func(rt *rapid.T) {
			var d *netgen.Protocol
			var p *program.Program
			var g *graph
			seed += rapid.IntRange(1, 1<<30).Draw(rt, "seeds left out")
			long := false                                         // for a compiler: each outcome of its choices is written out
			for ; g == nil || len(g.state) < 20 || long; seed++ { // little to see, or too much
				rapid.Custom(func(rt *rapid.T) int { d, p = drawnProtocol(rt); return 0 }).Example(seed)
				g = meant(d, most)
				var text bytes.Buffer
				if err := export.Promela(&text, p); err != nil {
					rt.Fatal(err)
				}
				long = text.Len() > 100_000 // one of two million bytes was drawn: spin and cc took minutes
			}
			t.Run(fmt.Sprint("drawn with ", seed-1), func(t *testing.T) { // a failing file is not shrunk
				states, steps := g.count()
				want := enginetest.Counts{States: states, Transitions: steps}
				if slices.Contains(slices.Collect(maps.Values(g.broken)), true) {
					want.Broken = enginetest.Some
				}
				enginetest.Compare(t, p, want)
			})
		})
	})
}
