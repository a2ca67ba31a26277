package models_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestNoneUnknownInFlits: deadlock is decided for messages of any length and of one, two and three flits, in buffers of
// one to three flits, shared or not. The suite decides one case in 161, CI one in seven.
func TestNoneUnknownInFlits(t *testing.T) {
	seen, number := map[string]int{}, 0
	for _, e := range networks() {
		for _, set := range choices(e) {
			for i := range 24 {
				if number++; number%7 != 0 || !seedtest.Sampled(number, 7*67) {
					continue
				}
				sc, buffer := spec.Scenario{Length: []int{spec.AnyLength, 1, 2, 3}[i%4], Shared: i/4%2 > 0}, 1+i/8
				def, err := e.Define(set)
				if err != nil {
					continue // choices that exclude each other, see TestDefineRefuses
				}
				if set["routing"] == "bubble" {
					continue // a room counts whole packets, and wormhole switching moves flits
				}
				def.Switching, def.Buffer = spec.Wormhole, buffer
				n, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
				if err != nil {
					t.Fatalf("%s %v: %v", e.Name, set, err)
				}
				r, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{"deadlock-freedom"}, Scenario: sc, MaxStates: 200_000})
				if err != nil {
					t.Fatalf("%s %v, %s, buffer %d: %v", e.Name, set, sc, buffer, err)
				}
				f := r.Findings[0]
				if f.Verdict == spec.Unknown {
					t.Errorf("%s %v, %s, buffer %d: unknown: %s", e.Name, set, sc, buffer, f.Because)
				}
				seen[f.Verdict.String()]++
			}
		}
	}
	t.Log(seen)
}

// TestBroughtThere: messages that could block each other, but that no order brings to their places one by one, are
// brought there together, or other messages are found that block each other, without exploring. In "swap" only
// exploring shows that the messages never get there (models/gadget says why), so the static decision claims nothing.
func TestBroughtThere(t *testing.T) {
	for i, c := range []struct {
		name   string
		set    map[string]string
		buffer int
		sc     spec.Scenario
		want   spec.Verdict
	}{
		{"combining-classes", nil, 1, spec.Scenario{Length: 2, Shared: true}, spec.Violated},
		{"combining-classes", map[string]string{"vcs": "request-apart"}, 3, spec.Scenario{Length: 2, Shared: true}, spec.Violated},
		{"peach2", map[string]string{"reads": "fifo"}, 1, spec.Scenario{Length: 3, Shared: true}, spec.Violated},
		{"peach2", map[string]string{"reads": "fifo", "south": "ep-ep"}, 2, spec.Scenario{Length: 3, Shared: true}, spec.Violated},
		{"peach2", map[string]string{"reads": "shared", "variant": "cut"}, 1, spec.Scenario{Length: 3}, spec.Violated},
		{"rwc1", map[string]string{"pib": "finite", "traffic": "request-reply"}, 3, spec.Scenario{Length: 2, Shared: true}, spec.Violated},
		{"gadget", map[string]string{"name": "swap"}, 2, spec.Scenario{Length: 1}, spec.Unknown},
		{"gadget", map[string]string{"name": "swap"}, 3, spec.Scenario{Length: 3, Shared: true}, spec.Unknown},
	} {
		if !seedtest.Sampled(i, 2) {
			continue
		}
		e, ok := models.Find(c.name)
		if !ok {
			t.Fatal("no such model")
		}
		def, err := e.Define(c.set)
		if err != nil {
			t.Fatal(err)
		}
		def.Switching, def.Buffer = spec.Wormhole, c.buffer
		n := routingtest.Compile(t, def)
		var moves []spec.Move // the same each time
		for _, explored := range []checker.Exploration{checker.Never, checker.Auto} {
			r, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{"deadlock-freedom"},
				Scenario: c.sc, Explore: explored, MaxStates: 200_000})
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			if want == spec.Unknown && explored == checker.Auto {
				want = spec.Holds
			}
			if f := r.Findings[0]; f.Verdict != want || f.Trace() != nil && f.Trace().Scenario.Length != c.sc.Length {
				t.Errorf("%s %v, %s, buffer %d: %s (%s), want %s", c.name, c.set, c.sc, c.buffer, f.Verdict, f.Because, want)
			} else if f.Trace() != nil {
				if moves != nil && !slices.Equal(moves, f.Trace().Moves) {
					t.Errorf("%s %v, %s, buffer %d: another trace the second time", c.name, c.set, c.sc, c.buffer)
				}
				moves = f.Trace().Moves
			}
		}
	}
}

// TestFoundLate: in star-channel whose class CH lacks its condition, messages of five flits in shared buffers of four
// block each other; this is found without exploring, although an unsatisfiability proof learns more than a million numbers before
// such a set is found.
func TestFoundLate(t *testing.T) {
	seedtest.InFull(t)
	e, _ := models.Find("star-channel")
	def, err := e.Define(map[string]string{"ch": "always", "tie": "parity"})
	if err != nil {
		t.Fatal(err)
	}
	def.Switching, def.Buffer = spec.Wormhole, 4
	n := routingtest.Compile(t, def)
	r, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{"deadlock-freedom"},
		Scenario: spec.Scenario{Length: 5, Shared: true}, Explore: checker.Never})
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Findings[0]; f.Verdict != spec.Violated {
		t.Errorf("%s (%s), want violated", f.Verdict, f.Because)
	}
}

// TestNoneUnknown: nothing in the catalogue is left open, with any two of the choices
// that its parameters offer, under any switching. The suite decides one case in sixteen.
func TestNoneUnknown(t *testing.T) {
	decided, number := 0, 0
	for _, e := range networks() {
		for _, set := range choices(e) {
			for _, s := range []spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole} {
				if number++; !seedtest.Sampled(number, 64) {
					continue
				}
				def, err := e.Define(set)
				if err != nil {
					continue // choices that exclude each other, see TestDefineRefuses
				}
				if set["routing"] == "bubble" && s == spec.Wormhole {
					continue // a room counts whole packets, and wormhole switching moves flits
				}
				def.Switching = s
				n, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
				if err != nil {
					t.Fatalf("%s %v: %v", e.Name, set, err)
				}
				r, err := checker.Check(t.Context(), n, checker.Question{})
				if err != nil {
					t.Fatalf("%s %v, %s: %v", e.Name, set, s, err)
				}
				for _, f := range r.Findings {
					if f.Verdict == spec.Unknown {
						t.Errorf("%s %v, %s: %s is unknown: %s", e.Name, set, s, f.Property, f.Because)
					}
				}
				decided++
			}
		}
	}
	t.Logf("%d networks", decided)
}

// choices returns the settings of at most two parameters with choices, each once.
func choices(e catalogue.Entry) []map[string]string {
	sets := []map[string]string{{}}
	for _, p := range e.Parameters() {
		without := slices.Clone(sets)
		for _, value := range p.Choices {
			for _, set := range without {
				if value == p.Default || len(set) == 2 {
					continue
				}
				with := maps.Clone(set)
				with[p.Name] = value
				sets = append(sets, with)
			}
		}
	}
	return sets
}
