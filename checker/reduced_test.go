package checker_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// The ways to explore part of a program.
var parts = map[string]checker.Question{
	"partial order": {PartialOrder: true},
	"slice":         {Slice: true},
	"both":          {PartialOrder: true, Slice: true},
}

// sameReduced explores a program whole and in part: verdicts and the lengths of runs are the same,
// counts never larger, and a run is one of the whole program, replayed. It returns how often there
// were fewer states.
func sameReduced(t rapid.TB, m states.Machine, properties []string) (fewer int) {
	t.Helper()
	const most = 1_000_000 // a step out of range ends a walk, but may lie behind any number of states
	all := explore(t, m, checker.Question{Explore: checker.Whole, Properties: properties, MaxStates: most})
	if !all.Complete && all.States >= most {
		return 0
	}
	for name, opt := range parts {
		opt.Explore, opt.Properties, opt.MaxStates = checker.Whole, properties, most
		x := explore(t, m, opt)
		if !x.Complete && x.States >= most { // it may lack the step that ended the walk of all
			continue
		}
		out := all.Of(states.InRange)
		if (out == nil) != (x.Of(states.InRange) == nil) {
			t.Fatalf("%s: a value leaves its range in one of both alone", name)
		}
		for _, f := range x.Findings {
			want := all.Of(f.Property)
			switch {
			case want == nil:
				t.Fatalf("%s: %s was not asked", name, f.Property)
			case out != nil && f.Property != states.InRange:
				continue // either may come first
			case f.Verdict != want.Verdict:
				t.Fatalf("%s: %s %s, of all states %s", name, f.Property, f.Verdict, want.Verdict)
			case f.Run() != nil && len(f.Run().Steps) != len(want.Run().Steps):
				t.Fatalf("%s: %s is shown in %d steps, of all states in %d", name, f.Property, len(f.Run().Steps), len(want.Run().Steps))
			case f.Run() == nil && f.Evidence != nil && x.Reduced != nil:
				t.Fatalf("%s: a part of the states is evidence of %s", name, f.Property)
			}
		}
		if name == "slice" && x.Reduced == nil { // it leaves nothing out
			if x.States != all.States || x.Digest != all.Digest {
				t.Fatalf("%s: %d states of digest %s, want %d of %s", name, x.States, x.Digest, all.States, all.Digest)
			}
			continue
		}
		if len(x.Reduced) == 0 || x.Digest != "" || x.Idle != nil || !all.Complete {
			if len(x.Reduced) == 0 || x.Digest != "" || x.Idle != nil {
				t.Fatalf("%s: reduced %q, digest %q, idle %q", name, x.Reduced, x.Digest, x.Idle)
			}
			continue
		}
		if x.States > all.States || x.Transitions > all.Transitions || x.Halts > all.Halts {
			t.Fatalf("%s: %d states and %d steps, of all %d and %d", name, x.States, x.Transitions, all.States, all.Transitions)
		}
		if x.States < all.States {
			fewer++
		}
	}
	return fewer
}

// TestReducedPrograms: drawn programs and protocol files, asked for some of their properties.
func TestReducedPrograms(t *testing.T) {
	fewer := 0
	seedtest.Sample(t, 8)
	rapid.Check(t, func(rt *rapid.T) {
		var p *program.Program
		if rapid.Bool().Draw(rt, "file") {
			_, p = drawnProtocol(rt)
		} else {
			p = netgen.Program(rt, rapid.Bool().Draw(rt, "careful"))
		}
		m, err := p.Machine()
		if err != nil {
			rt.Skip(err)
		}
		if x := explore(rt, m, checker.Question{Explore: checker.Whole, MaxStates: 5_000}); !x.Complete && x.Of(states.InRange) == nil {
			rt.Skip("too many states")
		}
		safe := slices.DeleteFunc(checker.Properties(m), func(name string) bool {
			return slices.ContainsFunc(p.Responses, func(r program.Response) bool { return r.Name == name })
		})
		properties := rapid.SliceOfNDistinct(rapid.SampledFrom(safe), 1, len(safe), rapid.ID).Draw(rt, "properties")
		fewer += sameReduced(rt, m, properties)
	})
	if seedtest.Usual() && fewer < 20 {
		t.Errorf("%d were reduced: the test is worth little", fewer)
	}
}

// TestReducedModels: machines of the catalogue.
func TestReducedModels(t *testing.T) {
	for _, x := range []struct {
		model string
		set   map[string]string
		asked []string
	}{
		{"two-phase-commit", map[string]string{"managers": "4"}, nil},
		{"two-phase-commit", map[string]string{"managers": "4"}, []string{"deadlock-freedom"}},
		{"peterson", map[string]string{"n": "3"}, nil},
		{"rwc1-drain", nil, []string{"deadlock-freedom"}},
		{"selection-clock", nil, []string{"deadlock-freedom"}},
		{"barrier", nil, []string{"deadlock-freedom"}},
		{"test-and-set", nil, []string{"deadlock-freedom"}},
		{"invalidate-ack", nil, nil},
		{"rwc1-machine", nil, nil},
	} {
		t.Run(x.model+" "+strings.Join(x.asked, ", "), func(t *testing.T) {
			t.Parallel()
			if x.model == "invalidate-ack" {
				seedtest.InFull(t) // it takes as long as all others
			}
			e, ok := models.Find(x.model)
			if !ok {
				t.Fatal("not in the catalogue")
			}
			m, err := e.Machine(x.set)
			if err != nil {
				t.Fatal(err)
			}
			sameReduced(t, m, x.asked)
		})
	}
}

// TestReducedSays: the result says what was left out, and a run shows all variables.
func TestReducedSays(t *testing.T) {
	p := program.New("one counts")
	at, count, seen := p.Var("at", 4), p.Var("count", 3), p.Var("seen", 3)
	p.Rule("on", program.Lt(at, 3), program.Set(at, program.Add(at, 1)), program.Set(seen, count))
	p.Rule("count", program.And(), program.Set(count, program.IfElse(program.Eq(count, 2), program.Const(0), program.Add(count, 1))))
	p.Invariant("below", program.Lt(at, 3))
	m := compiled(t, p)
	x := explore(t, m, checker.Question{Slice: true, Properties: []string{"below"}})
	const left = "slice: 2 variables (count, seen) and 1 rule left out: no property, no guard that a property needs and no assignment that may leave its range depends on them"
	if !slices.Equal(words.Written(x.Reduced), []string{left}) || x.States != 4 || x.Bits != 2 {
		t.Errorf("%d states of %d bits, %q; want 4 of 2 bits, %q", x.States, x.Bits, x.Reduced, left)
	}
	if f := finding(t, x, "below"); f.Verdict != spec.Violated || len(f.Run().Steps) != 3 {
		t.Errorf("below is %s by %v, want violated in 3 steps", f.Verdict, f.Evidence)
	}
	// The counter turns around by itself, so something can always step.
	x = explore(t, m, checker.Question{PartialOrder: true, Properties: []string{"deadlock-freedom"}})
	if f := finding(t, x, "deadlock-freedom"); f.Verdict != spec.Holds ||
		f.Because.String() != "every state of the reduced state graph was explored" || x.States >= 4*3*3 {
		t.Errorf("deadlock freedom %s: %s, %d states", f.Verdict, f.Because, x.States)
	}
	if len(x.Reduced) != 1 || !strings.HasPrefix(x.Reduced[0].String(), "partial order: ") {
		t.Errorf("left out: %q", x.Reduced)
	}
}

// TestReductionThatDoesNotPay: a reduction that leaves out none of the first states is not used, and the result is the
// one without it; one that leaves out most of them is.
func TestReductionThatDoesNotPay(t *testing.T) {
	// Each rule reads and writes what the others do, so no step can be put off: a counter to 10,000, and a second one.
	p := program.New("one after the other")
	a, b := p.Var("a", 100), p.Var("b", 100)
	for i, from := range []program.Var{a, b} {
		p.Rule(fmt.Sprint("count ", i), program.Lt(program.Add(a, b), 150), program.Set(from, program.IfElse(program.Eq(from, 99), program.Const(0), program.Add(from, 1))))
	}
	m := compiled(t, p)
	deadlock := []string{"deadlock-freedom"}
	want := explore(t, m, checker.Question{Properties: deadlock})
	got := explore(t, m, checker.Question{Properties: deadlock, PartialOrder: true})
	f := finding(t, got, "deadlock-freedom")
	if got.States != want.States || got.Transitions != want.Transitions || len(got.Reduced) > 0 || f.Verdict != finding(t, want, "deadlock-freedom").Verdict {
		t.Errorf("%d states, %d transitions, %q left out, %s; without the reduction %d and %d",
			got.States, got.Transitions, got.Reduced, f.Verdict, want.States, want.Transitions)
	}

	// Eight that count to 5 by themselves: 5 to the 8th states, of which one order needs 33.
	p = program.New("independent")
	for i := range 8 {
		v := p.Var(fmt.Sprint("v", i), 5)
		p.Rule(fmt.Sprint("count ", i), program.Lt(v, 4), program.Set(v, program.Add(v, 1)))
	}
	if x := explore(t, compiled(t, p), checker.Question{Properties: deadlock, PartialOrder: true}); x.States > 1000 || len(x.Reduced) == 0 {
		t.Errorf("%d states, %q left out: want few of 390625", x.States, x.Reduced)
	}
}

// TestReducedRefuses: a reduction that does not preserve what is asked is refused with the
// reason.
func TestReducedRefuses(t *testing.T) {
	p := program.New("one")
	x := p.Var("x", 2)
	p.Rule("on", program.Eq(x, 0), program.Set(x, 1))
	p.Response("on its way", program.Eq(x, 0))
	m := compiled(t, p)
	ring := trafficOf(t, ringOf(t, nil), spec.Scenario{})
	for _, tt := range []struct {
		m    states.Machine
		opt  checker.Question
		want string
	}{
		{m, checker.Question{Slice: true, Liveness: true}, "liveness needs all rules and variables"},
		{m, checker.Question{Compact: true, Liveness: true}, "liveness needs exact states"},
		{m, checker.Question{Slice: true, Coverage: true}, "coverage counts all reachable states"},
		{m, checker.Question{PartialOrder: true, Properties: []string{"on its way"}}, "liveness needs every order of steps"},
		{m, checker.Question{Slice: true, Symmetry: true}, "symmetry reduction and slicing cannot be combined"},
		{m, checker.Question{PartialOrder: true, Symmetry: true}, "cannot be combined"},
		{m, checker.Question{Slice: true, Cluster: clusterOf(inMap{}, 2)}, "a cluster explores all states"},
		{ring, checker.Question{Slice: true}, "slices are of protocols"},
		{ring, checker.Question{PartialOrder: true, Properties: []string{"delivery"}}, "preserves deadlock only"},
		{unnamed{m}, checker.Question{PartialOrder: true}, "take networks of whole packets, and programs"},
	} {
		if _, err := checker.Explore(context.Background(), tt.m, tt.opt); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v; want %s", tt.opt, err, tt.want)
		}
	}
}

// TestQuestionsRefused: fields that exclude each other, or do not fit a machine, are one kind of error, which names
// them as they are declared.
func TestQuestionsRefused(t *testing.T) {
	p := program.New("one")
	p.Var("x", 2)
	m := compiled(t, p)
	ring := trafficOf(t, ringOf(t, nil), spec.Scenario{})
	cluster := clusterOf(inMap{}, 2)
	none := *cluster
	none.Shards = 0
	for _, tt := range []struct {
		m            states.Machine
		q            checker.Question
		field, other string
	}{
		{m, checker.Question{Liveness: true, Compact: true}, "Liveness", "Compact"},
		{m, checker.Question{Liveness: true, PartialOrder: true}, "Liveness", "PartialOrder"},
		{m, checker.Question{Liveness: true, Slice: true}, "Liveness", "Slice"},
		{m, checker.Question{Coverage: true, PartialOrder: true}, "Coverage", "PartialOrder"},
		{m, checker.Question{Coverage: true, Slice: true}, "Coverage", "Slice"},
		{m, checker.Question{Disk: "d", Liveness: true}, "Disk", "Liveness"},
		{m, checker.Question{Disk: "d", Compact: true}, "Disk", "Compact"},
		{m, checker.Question{Disk: "d", Save: "s"}, "Disk", "Save"},
		{m, checker.Question{Disk: "d", Resume: "s"}, "Disk", "Resume"},
		{m, checker.Question{Cluster: cluster, Liveness: true}, "Cluster", "Liveness"},
		{m, checker.Question{Cluster: cluster, Compact: true}, "Cluster", "Compact"},
		{m, checker.Question{Cluster: cluster, Symmetry: true}, "Cluster", "Symmetry"},
		{m, checker.Question{Cluster: cluster, PartialOrder: true}, "Cluster", "PartialOrder"},
		{m, checker.Question{Cluster: cluster, Slice: true}, "Cluster", "Slice"},
		{m, checker.Question{Cluster: cluster, Disk: "d"}, "Cluster", "Disk"},
		{m, checker.Question{Cluster: cluster, Save: "s"}, "Cluster", "Save"},
		{m, checker.Question{Cluster: &none}, "Cluster", ""},
		{m, checker.Question{PartialOrder: true, Symmetry: true}, "PartialOrder", "Symmetry"},
		{m, checker.Question{Slice: true, Symmetry: true}, "Slice", "Symmetry"},
		{ring, checker.Question{Slice: true}, "Slice", ""},
		{ring, checker.Question{PartialOrder: true, Properties: []string{"delivery"}}, "PartialOrder", "Properties"},
		{ring, checker.Question{Properties: []string{"starvation-freedom"}, Compact: true}, "Liveness", "Compact"}, // which starvation is
		{m, checker.Question{Scenario: spec.Scenario{Packets: 1}}, "Scenario", ""},
		{ring, checker.Question{Scenario: spec.Scenario{Packets: 1}}, "Scenario", ""}, // the traffic has its own
		{m, checker.Question{Smallest: checker.FewestMoves}, "Smallest", ""},
		{m, checker.Question{Explore: checker.Never}, "Explore", ""},
	} {
		_, err := checker.Explore(t.Context(), tt.m, tt.q)
		var refused *checker.QuestionError
		if !errors.As(err, &refused) || refused.Field != tt.field || refused.Other != tt.other {
			t.Errorf("%+v: %v, want that it names %s %s", tt.q, err, tt.field, tt.other)
			continue
		}
		for _, name := range []string{tt.field, tt.other} {
			if _, is := reflect.TypeFor[checker.Question]().FieldByName(name); !is && name != "" {
				t.Errorf("a question has no field %s", name)
			}
		}
	}
}

// TestSliceOfAll: if a slice leaves nothing out, all states are explored, with their usual evidence.
func TestSliceOfAll(t *testing.T) {
	e, _ := models.Find("peterson")
	m, err := e.Machine(nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := explore(t, m, checker.Question{})
	x := explore(t, m, checker.Question{Slice: true})
	f := finding(t, x, "mutual exclusion")
	if f.Verdict != spec.Holds || f.Evidence == nil || f.Because.String() != "every reachable state (a slice leaves nothing out) was explored" {
		t.Errorf("mutual exclusion %s: %s, by %v", f.Verdict, f.Because, f.Evidence)
	}
	if x.Reduced != nil || x.States != whole.States || x.Bits != whole.Bits {
		t.Errorf("%d states of %d bits, %q; want %d of %d, all", x.States, x.Bits, x.Reduced, whole.States, whole.Bits)
	}
}
