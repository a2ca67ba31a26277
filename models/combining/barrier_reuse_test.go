package combining_test

import (
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// mutated changes the rule with a given name in a program.
func mutated(t *testing.T, p *program.Program, rule string, change func(p *program.Program, r *program.Rule)) *program.Program {
	t.Helper()
	i := slices.IndexFunc(p.Rules, func(r program.Rule) bool { return r.Name == rule })
	if i < 0 {
		t.Fatalf("%s has no rule %q", p.Name, rule)
	}
	change(p, &p.Rules[i])
	p.Renamings = nil
	return p
}

// afterwards makes a rule set a variable at the end.
func afterwards(t *testing.T, variable string, value int) func(p *program.Program, r *program.Rule) {
	return func(p *program.Program, r *program.Rule) {
		r.Effect = append(r.Effect, program.Set(program.Var(at(t, p, variable)), value))
	}
}

// TestBarrierSentences: the claims about barriers, sentence by sentence, for both kinds:
// a machine for which the claim holds, and one with the single change that violates it.
func TestBarrierSentences(t *testing.T) {
	const (
		early       = "no member leaves before all have arrived"
		overlapping = "groups=0,1,2/2,3"
	)
	barrier := func(set ...string) *program.Program { return barriers(t, set...) }
	memory := func(set ...string) *program.Program { return memoryBarriers(t, set...) }
	for i, tt := range []struct {
		sentence   string
		kept       *program.Program // all its properties hold
		broken     *program.Program
		violated   string
		rounds     *program.Program // the broken one with a single round, all its properties hold; nil: not compared
		difference string
	}{
		{"no member leaves before all have arrived", barrier("rounds=3"),
			mutated(t, barrier("rounds=3"), "root 6: release 0", func(p *program.Program, r *program.Rule) {
				r.Guard = program.Eq(program.Var(at(t, p, "kept[switch 4,0]")), 1)
			}), early, nil, "the root does not wait for those below switch 5"},
		{"no member leaves before all have arrived (memory)", memory("rounds=3"),
			mutated(t, memory("rounds=3"), "cluster 3 arrives at 0", afterwards(t, "up[cluster 3].0.arrivals", 1)), early, nil, "an arrival counts as two"},
		{"everybody leaves", barrier("rounds=3"),
			mutated(t, barrier("rounds=3"), "root 6: release 0", afterwards(t, "down[switch 5].0", 0)),
			"cluster 3 leaves", nil, "the release goes to one side only"},
		{"everybody leaves (memory)", memory("rounds=3"),
			memory("rounds=3", "partners=two"), "cluster 3 leaves", nil, "two partners, where one comes"},
		{"reuse in the next round is safe", barrier(),
			mutated(t, barrier(), "root 6: release 0", afterwards(t, "kept[switch 5,0]", 1)), early,
			nil, "the root keeps the arrival of one side for the next round"},
		{"reuse in the next round is safe (memory)", memory("release=sense"),
			memory("release=flag"), early,
			memory("release=flag", "rounds=1"), "a flag that is still raised"},
		{"... of the wait buffers, too", memory(),
			mutated(t, memory(), "switch 5: combine at 0 from cluster 3", afterwards(t, "entry[switch 5,0,].arrivals", 1)), early,
			nil, "an entry keeps an arrival"},
		{"two overlapping groups do not mix", barrier(overlapping),
			barrier(overlapping, "key=processor"), early, nil, "the key is the processor"},
		{"two overlapping groups do not mix (memory)", memory(overlapping),
			mutated(t, memory(overlapping), "cluster 2 arrives at 1", afterwards(t, "up[cluster 2].0.key", 1)), early,
			nil, "the arrival at one is sent to the variable of the other"},
	} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		if _, violated := verdicts(t, tt.kept); violated != nil {
			t.Errorf("%s: %v is violated", tt.sentence, violated)
		}
		if _, violated := verdicts(t, tt.broken); !slices.Contains(violated, tt.violated) {
			t.Errorf("%s, but %s: %v is violated, want %s", tt.sentence, tt.difference, violated, tt.violated)
		}
		if tt.rounds == nil {
			continue
		}
		if _, violated := verdicts(t, tt.rounds); violated != nil {
			t.Errorf("%s, but %s, one round: %v", tt.sentence, tt.difference, violated)
		}
	}
}
