package fabrics

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/fabric"
)

// TestSurveyTable: the columns are the properties of the scope that counts, in whose row verdicts are in capitals; a scope
// that was not decided is unknown in all of them if it counts, otherwise in deadlock, the only one that it is asked for.
func TestSurveyTable(t *testing.T) {
	decided := func(scope fabric.Scope, counts bool, properties ...string) surveyed {
		s := surveyed{Judgement: &Judgement{Scope: scope, Counts: counts}, sites: 7}
		for _, p := range properties {
			s.findings, s.rests = append(s.findings, checker.Finding{Property: p, Verdict: spec.Holds}), append(s.rests, "ranks")
		}
		return s
	}
	undecided := func(scope fabric.Scope, counts bool) surveyed {
		return surveyed{Judgement: &Judgement{Scope: scope, Counts: counts, Why: errors.New("too large")}}
	}
	hosts, all, vls := fabric.Scope{}, fabric.Scope{Switches: true}, fabric.Scope{VLs: true}
	for name, tt := range map[string]struct {
		scopes []surveyed
		want   map[fabric.Scope]string
	}{
		"all decided": {[]surveyed{decided(all, false, "deadlock-freedom"),
			decided(vls, true, "deadlock-freedom", "livelock-freedom", "delivery"),
			decided(hosts, false, "deadlock-freedom", "livelock-freedom", "delivery")},
			map[fabric.Scope]string{all: "holds - -", vls: "HOLDS HOLDS HOLDS", hosts: "holds holds holds"}},
		"another undecided": {[]surveyed{decided(vls, true, "deadlock-freedom", "livelock-freedom"), undecided(all, false)},
			map[fabric.Scope]string{vls: "HOLDS HOLDS", all: "unknown -"}},
		"the one undecided": {[]surveyed{decided(hosts, false, "deadlock-freedom", "livelock-freedom"), undecided(vls, true)},
			map[fabric.Scope]string{hosts: "holds holds", vls: "UNKNOWN UNKNOWN"}},
	} {
		var b strings.Builder
		(&Survey{Fabric: &fabric.Fabric{}, scopes: tt.scopes}).table(&b)
		for scope, want := range tt.want {
			found := false
			for line := range strings.Lines(b.String()) {
				rest, is := strings.CutPrefix(line, scope.String()+" ")
				if is && strings.HasPrefix(strings.Join(strings.Fields(rest), " "), want+" ") {
					found = true
				}
			}
			if !found {
				t.Errorf("%s: no row of %s with %s:\n%s", name, scope, want, &b)
			}
		}
	}
}

// TestSurveyVerdict: the verdict is that of the scope that counts and of no other, or why that was not decided,
// wherever it stands.
func TestSurveyVerdict(t *testing.T) {
	scope := func(counts bool, why error, v spec.Verdict) surveyed {
		return surveyed{Judgement: &Judgement{Counts: counts, Why: why}, findings: []checker.Finding{{Property: "deadlock-freedom", Verdict: v}}}
	}
	late := errors.New("the time is up")
	others := []surveyed{scope(false, nil, spec.Holds), scope(false, nil, spec.Violated), scope(false, late, spec.Unknown)}
	for want, own := range map[spec.Verdict]surveyed{
		spec.Holds: scope(true, nil, spec.Holds), spec.Violated: scope(true, nil, spec.Violated), spec.Unknown: scope(true, nil, spec.Unknown),
	} {
		for at := range len(others) + 1 {
			s := &Survey{scopes: slices.Concat(others[:at], []surveyed{own}, others[at:])}
			if got, err := s.Verdict(); got != want || err != nil {
				t.Errorf("counted as number %d: %s, %v, want %s", at, got, err, want)
			}
		}
	}
	early := errors.New("too many sites")
	s := &Survey{scopes: append(slices.Clone(others), scope(true, early, spec.Holds))}
	if _, err := s.Verdict(); err != early {
		t.Errorf("%v, want %v", err, early)
	}
}
