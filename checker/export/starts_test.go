package export_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/export"
	"github.com/seed-105a2da2/unknot/checker/export/enginetest"
	"github.com/seed-105a2da2/unknot/spec/murphi"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestMurphiBack: what is written in Murphi and read again has the states, the steps and the broken invariants of the program.
func TestMurphiBack(t *testing.T) {
	for i, e := range engineModels(t) {
		if !seedtest.Sampled(i, 5) {
			continue
		}
		var text bytes.Buffer
		if err := export.Murphi(&text, e.p); err != nil {
			t.Fatal(err)
		}
		back, err := murphi.Load(context.Background(), "a.m", text.Bytes())
		if err != nil {
			t.Errorf("%s: %v", e.name, err)
			continue
		}
		if diff := cmp.Diff(explored(t, machine(t, e.p)), explored(t, machine(t, back))); diff != "" {
			t.Errorf("%s: -before +after\n%s", e.name, diff)
		}
	}
}

// TestSeveralStarts: several initial states are written in Murphi and TLA+ as they are, and chosen by a first step in Promela and C.
func TestSeveralStarts(t *testing.T) {
	p := program.New("p")
	x := p.Var("x", 3)
	p.Rule("up", program.Eq(x, 1), program.Set(x, 2))
	p.Starts = [][]int{{1}}
	var text bytes.Buffer
	if err := export.TLA(&text, p); err != nil || !strings.Contains(text.String(), "     \\/ /\\ TRUE\n        /\\ x = 1\n") {
		t.Errorf("%v\n%s", err, text.String())
	}
	text.Reset()
	if err := export.Murphi(&text, p); err != nil {
		t.Fatal(err)
	}
	back, err := murphi.Load(context.Background(), "a.m", text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got := back.Initials(); !cmp.Equal(got, [][]int{{0}, {1}}) {
		t.Errorf("initial states %v: want 0 and 1", got)
	}
	enginetest.Compare(t, p, enginetest.Counts{States: 3, Transitions: 1})
}

// TestStartsOfEngines: all engines find the states of a program with several initial states, some of which are reachable from
// others, and count an invariant that fails in one of them, but not before one is chosen. The names of what is added are taken.
func TestStartsOfEngines(t *testing.T) {
	p := program.New("ring walks")
	x, begun := p.Var("begun", 6), p.Var("begun'", 2)
	p.Init(begun, 1)
	p.Rule("begin", program.And(program.Eq(begun, 1), program.Lt(x, 5)), program.Set(x, program.Add(x, 1)))
	p.Rule("stop", program.Eq(x, 4), program.Set(begun, 0))
	p.Invariant("not 3", program.Ne(x, 3))
	p.Invariant("not 2 and 0", program.Or(program.Ne(x, 2), program.Ne(begun, 0)))
	p.Starts = [][]int{{2, 0}, {1, 1}, {3, 1}}
	// 0 to 5 with begun'=1, 4 and 2 with 0: five steps up, one stop, and that of 4 and 0, which changes nothing.
	want := enginetest.Counts{States: 8, Transitions: 7, Broken: 2}
	if diff := cmp.Diff(counts(want), explored(t, machine(t, p))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	enginetest.Compare(t, p, want)
}
