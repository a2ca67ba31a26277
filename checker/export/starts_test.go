package export_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/export"
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

// TestSeveralStarts: several initial states are written in Murphi and TLA+, and refused in Promela and C.
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
	for _, err := range []error{export.Promela(&text, p), export.PINS(&text, p)} {
		if err == nil || !strings.Contains(err.Error(), "2 initial states") {
			t.Errorf("got %v: want that there are 2 initial states", err)
		}
	}
}
