package combining_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// paper is the machine of the paper: 4 clusters, 2 of which write one block.
func paper(v string) InvalidateOptions {
	return InvalidateOptions{FanOut: 2, Depth: 2, Homes: []int{0}, Writers: []int{1, 3}, Link: 2, Entries: 1, Resharing: true, Variant: v}
}

func searched(t interface{ Errorf(string, ...any) }, o InvalidateOptions, how checker.Question) *checker.Result {
	m, err := invalidation(o)
	if err != nil {
		t.Errorf("%+v: %v", o, err)
		return nil
	}
	return searchedProgram(t, m, how)
}

func searchedProgram(t interface{ Errorf(string, ...any) }, p *program.Program, how checker.Question) *checker.Result {
	m, err := p.Machine()
	if err != nil {
		t.Errorf("%v", err)
		return nil
	}
	how.Closed = -1
	x, err := checker.Explore(context.Background(), m, how)
	if err != nil {
		t.Errorf("%s: %v", p.Name, err)
		return nil
	}
	return x
}

func broke(x *checker.Result, property string) bool {
	return slices.ContainsFunc(x.Findings, func(f checker.Finding) bool { return f.Property == property && f.Verdict == spec.Violated })
}

func allViolated(x *checker.Result) (all []string) {
	for _, f := range x.Findings {
		if f.Verdict == spec.Violated {
			all = append(all, f.Property)
		}
	}
	return all
}

// TestLoneWriter: with one writer no request meets another, so all variants have the same
// states and violate nothing. Below, the number of states without reading again is counted
// by hand.
func TestLoneWriter(t *testing.T) {
	var counts []int64
	for _, v := range mended[1:4] {
		o := paper(v)
		o.Writers = []int{3}
		x := searched(t, o, checker.Question{Explore: checker.Whole, Liveness: true})
		if got := allViolated(x); len(got) > 0 {
			t.Errorf("%s: %v", v, got)
		}
		counts = append(counts, x.States)
	}
	if len(slices.Compact(counts)) != 1 {
		t.Errorf("states of parts, repeat and return: %v", counts)
	}
	// A switch with two clusters and nothing else: 1 writes the block of 0. The
	// states in their order: rest; request in 1-2; in 2-0; queued; invalidate in
	// 0-2; in 2-1; Ack in 1-2; in 2-0; to be answered; reply in 0-2; in 2-1;
	// told; Done in 1-2; in 2-0. Each again with home's copy gone, but for the
	// invalidate: home's copy goes before it is sent, so the states from there on
	// are the same for both; and with the request of the next write behind Done.
	o := InvalidateOptions{FanOut: 2, Depth: 1, Homes: []int{0}, Writers: []int{1}, Link: 2, Entries: 1, Variant: "parts"}
	const (
		first  = 4         // with home's copy: rest, request twice, queued
		later  = 10        // from the invalidate to Done in 2-0
		next   = 1 + 1 + 1 // rest; request in 1-2 and in 2-0, Done gone
		queued = 1
		// Done and the next request together: both in 1-2; Done in 2-0 and the
		// request in 1-2; both in 2-0.
		both = 3
	)
	if x := searched(t, o, checker.Question{Explore: checker.Whole}); x.States != first+later+next+queued+both {
		t.Errorf("%d states of a switch with two clusters, by hand %d", x.States, first+later+next+queued+both)
	}
}

// TestRequestLevels: requests that do not combine meet no entry and none is discarded, so each is a lone writer's, one
// after the other, and everything holds, in all variants alike. At level 3 the first request that passes a switch of its
// own waits there forever.
func TestRequestLevels(t *testing.T) {
	for i, writers := range []string{"1,3", "2,3", "0,1", "1,2,3", "0,1,2,3"} {
		var counts [][2]int64
		for _, variant := range []string{"literal", "parts", "defer"} {
			if !seedtest.Sampled(i, 2) {
				continue
			}
			p := protocol(t, invalidateAck, "level=0", "writers="+writers, "variant="+variant, "resharing=no")
			x, violated := verdicts(t, p)
			if violated != nil {
				t.Errorf("level 0, %s, writers %s: violated are %v", variant, writers, violated)
			}
			counts = append(counts, [2]int64{x.States, x.Transitions})
		}
		if len(slices.Compact(counts)) > 1 {
			t.Errorf("level 0, writers %s: %v states and steps", writers, counts)
		}
	}
	for _, variant := range []string{"literal", "parts", "defer", "sound"} {
		_, violated := verdicts(t, protocol(t, invalidateAck, "level=3", "writers=3", "variant="+variant))
		for _, want := range []string{"deadlock-freedom", "the request of 3 is answered"} {
			if !slices.Contains(violated, want) {
				t.Errorf("level 3, %s: violated are %v, want %q too", variant, violated, want)
			}
		}
	}
}

// TestMendsHold: each repair establishes its properties, and those that it does not repair
// stay violated, for every pair of writers and every home.
func TestMendsHold(t *testing.T) {
	number := 0
	for a := range 4 {
		for b := a + 1; b < 4; b++ {
			for _, v := range mended {
				if v == "repeat" {
					continue // no repair: repeating requests loses those of home's own cluster, too
				}
				if number++; !seedtest.Sampled(number, 3) { // each repair with two of the pairs
					continue
				}
				o := paper(v)
				o.Writers = []int{a, b}
				o.Resharing = a+b == 4 // both in one of the six is enough
				got := allViolated(searched(t, o, checker.Question{Explore: checker.Whole, Liveness: true}))
				// A request of home's own cluster meets no other at a switch.
				meet := a != 0
				switch {
				case v == "literal" && !slices.Contains(got, "no Ack lost"),
					v == "parts" && (slices.Contains(got, "nothing lost") != meet || slices.Contains(got, "no Ack lost")),
					v == "return" && (slices.Contains(got, "nothing lost") || len(got) > 0 != meet),
					v == "defer" && len(got) > 0:
					t.Errorf("%s, writers %v: violated are %v", v, o.Writers, got)
				}
			}
		}
	}
}

// TestSymmetryOfTree: homes 0 and 3, whose clusters both write. The only symmetry is the
// reflection of the tree, which exchanges them. Modulo it the verdicts are the same, and
// states come in pairs, except for its fixed points.
func TestSymmetryOfTree(t *testing.T) {
	seedtest.InFull(t)
	o := paper("defer")
	o.Homes, o.Writers, o.Link, o.Resharing = []int{0, 3}, []int{0, 3}, 1, false
	m, err := invalidation(o)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(m.Renamings); n != 1 {
		t.Fatalf("%d symmetries, want 1", n)
	}
	whole := searched(t, o, checker.Question{Explore: checker.Whole})
	modulo := searched(t, o, checker.Question{Explore: checker.Whole, Symmetry: true})
	if diff := cmp.Diff(allViolated(whole), allViolated(modulo)); diff != "" {
		t.Error(diff)
	}
	fixed := fixedStates(t, m)
	if 2*modulo.States != whole.States+fixed {
		t.Errorf("%d states, %d modulo a symmetry that leaves %d alone", whole.States, modulo.States, fixed)
	}
}

// fixedStates counts the reachable states that the only symmetry maps to themselves.
func fixedStates(t *testing.T, inv *program.Program) (n int64) {
	m, err := inv.Machine()
	if err != nil {
		t.Fatal(err)
	}
	turn := inv.Renamings[0]
	type key = [8]uint64
	pack := func(s []uint64) (k key) { copy(k[:], s); return k }
	words := m.Layout().Words()
	seen := map[key]bool{}
	queue := slices.Collect(slices.Chunk(m.Start(nil), words))
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if seen[pack(s)] {
			continue
		}
		seen[pack(s)] = true
		if slices.Equal(renamed(m, turn, s), s) {
			n++
		}
		next, err := m.AppendSuccessors(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		queue = slices.AppendSeq(queue, slices.Chunk(next, words))
	}
	return n
}

// TestMutations: breaking any part of the good variant violates a property.
func TestMutations(t *testing.T) {
	for i, tt := range []struct {
		name   string
		rule   string // the rules whose name has this in it
		mutate func(p *program.Program, r *program.Rule)
		want   string
	}{
		{"the root enters no dummy", "root 6: invalidate", without("acks["), "no Ack lost"},
		{"a cluster keeps its copy", "cluster 2 takes invalidate", without("copy["), "no copy beside a writer"},
		{"home does not wait for Acks", "home of 0 invalidates for cluster 1", func(p *program.Program, r *program.Rule) {
			r.Effect = append(r.Effect, program.Set(variableNamed(p, "home[0].state"), valueNamed(p, "home[0].state", "answers")))
		}, "no copy beside a writer"},
		{"home replies twice", "home of 0 replies to cluster 1", without("home["), "one Ack a request"},
		{"the reply leaves the entry", "switch 4: reply", without("requests[", "sent["), "empty at rest"},
		{"a request is not entered", "switch 5: request 0 for 3", without("requests["), "nothing lost"},
		{"the reply is thrown away", "root 6: reply", without("link[root 6"), "one Ack a request"},
		{"a cluster never answers", "cluster 2 takes invalidate",
			func(_ *program.Program, r *program.Rule) { r.Guard = program.Or() }, "the request of 1 is answered"},
	} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		m, err := invalidation(paper("defer"))
		if err != nil {
			t.Fatal(err)
		}
		p, n := m, 0
		for i := range p.Rules {
			if strings.Contains(p.Rules[i].Name, tt.rule) {
				tt.mutate(p, &p.Rules[i])
				n++
			}
		}
		if n == 0 {
			t.Fatalf("no rule has a name with %q", tt.rule)
		}
		x := searchedProgram(t, p, checker.Question{Explore: checker.Whole, Liveness: true, MaxStates: 50_000})
		if x != nil && !broke(x, tt.want) {
			t.Errorf("%s: violated are %v, want %q among them", tt.name, allViolated(x), tt.want)
		}
	}
}

// without removes from a rule its assignments to variables whose names have a given
// beginning.
func without(prefixes ...string) func(p *program.Program, r *program.Rule) {
	return func(p *program.Program, r *program.Rule) { r.Effect = less(p, r.Effect, prefixes) }
}

func less(p *program.Program, list []program.Stmt, prefixes []string) (out []program.Stmt) {
	for _, s := range list {
		if s.Assigns() && slices.ContainsFunc(prefixes, func(x string) bool { return strings.HasPrefix(p.Variables[s.Var].Name, x) }) {
			continue
		}
		s.Then, s.Else = less(p, s.Then, prefixes), less(p, s.Else, prefixes)
		out = append(out, s)
	}
	return out
}

func variableNamed(p *program.Program, name string) program.Var {
	return program.Var(slices.IndexFunc(p.Variables, func(v program.Variable) bool { return v.Name == name }))
}

func valueNamed(p *program.Program, variable, value string) int {
	return slices.Index(p.Variables[variableNamed(p, variable)].Names, value)
}
