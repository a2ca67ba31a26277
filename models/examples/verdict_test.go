package examples_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestVerdicts compares the first line of every example, and what the comments
// say about other parameters, with what the checker decides.
func TestVerdicts(t *testing.T) {
	type variant struct {
		name     string
		set      map[string]string
		deadlock spec.Verdict
	}
	var variants []variant
	for _, name := range networks(t) {
		for _, x := range load(t, name, nil).Expect() {
			if x.Property == spec.DeadlockFreedom {
				variants = append(variants, variant{name, nil, x.Verdict})
			}
		}
	}
	variants = append(variants,
		variant{"ring", map[string]string{"vcs": "2"}, spec.Holds},
		variant{"field/hashed_choice", map[string]string{"choice": "any"}, spec.Holds},
		variant{"duato_mesh", map[string]string{"escape": "false"}, spec.Violated},
		variant{"escape", map[string]string{"escape": "dateline"}, spec.Holds},
		variant{"escape", map[string]string{"escape": "ring"}, spec.Violated}, // fills with packets that have entered it
		variant{"escape", map[string]string{"escape": "none"}, spec.Violated},
		variant{"dragonfly", map[string]string{"local_vcs": "1"}, spec.Violated},
		variant{"spidergon", map[string]string{"vcs": "1"}, spec.Violated},
		variant{"hop_index", map[string]string{"vcs": "1"}, spec.Violated},
		variant{"mesh", map[string]string{"order": "yx"}, spec.Holds},
		variant{"up_down", map[string]string{"root": "f"}, spec.Holds},
		variant{"dragonfly", map[string]string{"a": "4", "h": "2"}, spec.Holds},
		variant{"spidergon", map[string]string{"n": "14"}, spec.Holds},
	)
	for _, v := range variants {
		n := load(t, v.name, v.set)
		r, err := checker.Check(context.Background(), n, checker.Question{})
		if err != nil {
			t.Errorf("%s %v: %v", v.name, v.set, err)
			continue
		}
		want := map[spec.Property]spec.Verdict{spec.DeadlockFreedom: v.deadlock, spec.LivelockFreedom: spec.Holds, spec.Delivery: spec.Holds}
		got := map[spec.Property]spec.Verdict{}
		for _, x := range r.Findings {
			p, _ := spec.ParseProperty(x.Property)
			got[p] = x.Verdict
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", v.name, v.set, diff)
		}
	}
}

// TestField decides the reports from practice with the parameters of the report.
func TestField(t *testing.T) {
	for _, tt := range []struct {
		ecmp string
		want spec.Verdict
	}{{"hash", spec.Violated}, {"any", spec.Holds}} {
		n := load(t, "field/clos_bounce", map[string]string{"without": "tor0a-leaf0a,tor1a-leaf1a", "ecmp": tt.ecmp})
		r, err := checker.Check(context.Background(), n, checker.Question{Properties: []string{"deadlock-freedom"}})
		if err != nil || r.Findings[0].Verdict != tt.want {
			t.Errorf("%s: %v, %v, want %s", tt.ecmp, r.Findings, err, tt.want)
		}
	}
}
