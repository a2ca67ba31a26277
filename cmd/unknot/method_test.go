package main

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// row is what must not depend on a budget.
type row struct{ Property, Verdict, Method string }

func rowsOf(t *testing.T, args ...string) []row {
	t.Helper()
	code, out, errs := unknot(t, slices.Concat([]string{"check", "--json"}, args)...)
	if code > 1 {
		t.Fatalf("%v: exit code %d\n%s", args, code, errs)
	}
	var result struct{ Properties []row }
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatal(err)
	}
	return result.Properties
}

// A budget bounds a method and never chooses one: with it, or with a flag at its
// default, the same rows have the same verdicts by the same method.
func TestBudgetsKeepTheMethod(t *testing.T) {
	t.Parallel()
	free := func(deadlock string) []row {
		return []row{{"deadlock-freedom", "holds", deadlock}, {"livelock-freedom", "holds", "static"}, {"delivery", "holds", "static"}}
	}
	for i, network := range []struct {
		args []string
		want []row
	}{
		{[]string{"torus", "--set", "k=8"}, free("static")}, // Dally and Seitz's datelines
		{[]string{"star-channel", "--set", "k=4", "--set", "n=2"}, free("static")},
		{[]string{"gadget", "--set", "name=W2"}, free("static")}, // refuted
		// Which packets can be where at the same time only exploring tells.
		{[]string{"gadget", "--set", "name=swap", "--switching", "store-and-forward"},
			[]row{{"deadlock-freedom", "holds", "explored"}, {"livelock-freedom", "violated", "static"}, {"delivery", "holds", "static"}}},
		{[]string{"ring", "--set", "n=4"}, []row{{"deadlock-freedom", "violated", "static"},
			{"livelock-freedom", "holds", "static"}, {"delivery", "holds", "static"}}},
	} {
		for k, flags := range [][]string{
			nil,
			{"--timeout", "5m"}, {"--memory", "4GiB"}, {"--max-states", "1000000"}, {"--keep", "100"}, {"--workers", "1"},
			{"--checkpoint", t.TempDir() + "/c"},
			{"--notion", "local"}, {"--length", "0"}, {"--bubble", "0"}, {"--sink", "0"}, {"--packets", "0"},
			{"--explore=auto"}, {"--liveness=false"}, {"--symmetry=false"}, {"--shared=false"},
		} {
			if !seedtest.Sampled(i+k, 4) {
				continue
			}
			if diff := cmp.Diff(network.want, rowsOf(t, slices.Concat(network.args, flags)...)); diff != "" {
				t.Errorf("%v %v (-want +got):\n%s", network.args, flags, diff)
			}
		}
	}
}

// No row disappears and no verdict is lost when an exploration that was asked for
// runs out of its budget.
func TestBudgetsKeepTheRows(t *testing.T) {
	t.Parallel()
	want := []row{{"deadlock-freedom", "holds", "static"}, {"livelock-freedom", "holds", "static"}, {"delivery", "holds", "static"}}
	for _, flags := range [][]string{{"--explore=always"}, {"--explore=whole"}, {"--notion", "weak"},
		{"--notion", "global", "--explore=always"}, {"--packets", "40"}, {"--length", "2"}} {
		if diff := cmp.Diff(want, rowsOf(t, slices.Concat([]string{"torus", "--set", "k=8", "--max-states", "1000"}, flags)...)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", flags, diff)
		}
	}
	// Messages of one length are decided as those of any. What sinks hold back does not matter to tables, but the trace is
	// one with such sinks, too.
	for _, c := range []struct {
		flags  []string
		method string
	}{{[]string{"--length", "2"}, "static"}, {[]string{"--length", "2", "--sink", "1"}, "static"},
		{[]string{"--length", "2", "--sink", "1", "--explore=always"}, "explored"}} {
		flags, method := c.flags, c.method
		got := rowsOf(t, slices.Concat([]string{"gadget"}, flags)...)
		if diff := cmp.Diff([]row{{"deadlock-freedom", "violated", method}, {"livelock-freedom", "holds", "static"},
			{"delivery", "holds", "static"}}, got); diff != "" {
			t.Errorf("W1 with %v (-want +got):\n%s", flags, diff)
		}
	}
}
