package combining_test

import (
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestClassesByBoth: the verdicts from channel dependencies and from exploring all states
// agree and are as expected. Sharing two classes that cause one another is harmless as
// long as one end of them is the only home; see the expectations of the catalogue.
func TestClassesByBoth(t *testing.T) {
	e := combining.ClassesEntry()
	const one, two = "0", "0,1"
	for _, tt := range []struct {
		fanout, homes, vcs, clusters string
		want                         spec.Verdict
	}{
		{"2", two, "all", "wait", spec.Violated},
		{"2", one, "each", "wait", spec.Holds},
		{"2", two, "request-apart", "wait", spec.Violated},
		{"2", two, "there-and-back", "wait", spec.Violated},
		{"2", two, "all", "ample", spec.Holds},
		{"2", one, "all", "wait", spec.Violated},
		{"2", one, "request-apart", "wait", spec.Violated},
		{"2", one, "there-and-back", "wait", spec.Holds},
		{"3", one, "all", "wait", spec.Violated},
	} {
		n := routingtest.Network(t)(e.Define(map[string]string{"fanout": tt.fanout, "depth": "1", "homes": tt.homes, "vcs": tt.vcs, "clusters": tt.clusters}))
		r, err := checker.Check(t.Context(), n, checker.Question{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := states.NewTraffic(n, spec.Scenario{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := checker.Explore(t.Context(), m,
			checker.Question{Explore: map[bool]checker.Exploration{true: checker.Whole}[tt.want == spec.Holds], MaxStates: 200_000, Closed: -1})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Findings[0].Verdict; got != tt.want || x.Findings[0].Verdict != tt.want {
			t.Errorf("%+v: by dependencies %s, by exploring %d states %s, want %s", tt, got, x.States, x.Findings[0].Verdict, tt.want)
		}
	}
}

func TestClassesRefuse(t *testing.T) {
	e := combining.ClassesEntry()
	for _, tt := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"fanout": "1"}, `invalid fanout "1": want an integer from 2 to 8`},
		{map[string]string{"depth": "0"}, `invalid depth "0": want an integer from 1 to 4`},
		{map[string]string{"fanout": "3", "depth": "3"}, "27 clusters: want at most 16"},
		{map[string]string{"homes": ""}, `invalid homes "": want numbers of clusters as in 0,3`},
		{map[string]string{"homes": "0,0"}, `invalid homes "0,0": want different clusters in ascending order`},
		{map[string]string{"homes": "4"}, `invalid homes "4": want clusters from 0 to 3`},
		{map[string]string{"homes": "-1"}, `invalid homes "-1": want numbers of clusters as in 0,3`},
		{map[string]string{"vcs": "some"}, `invalid vcs "some": want one of all, each, request-apart, there-and-back`},
	} {
		if _, err := e.Define(tt.set); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.set, err, tt.want)
		}
	}
}
