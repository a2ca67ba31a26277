package export

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
)

// TestSimultaneous: the simultaneous assignments do what the statements do one after the
// other, on random programs.
func TestSimultaneous(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := netgen.Program(rt, true)
		if err := p.Check(); err != nil {
			rt.Skip(err) // numbers that grow too large
		}
		values := p.Start()
		for range 10 {
			steps, err := programtest.Steps(p, values)
			if err != nil {
				rt.Fatal(err)
			}
			for _, step := range steps {
				effect, err := simultaneous(p, step.Rule)
				if err != nil {
					rt.Skip(err) // expressions that grow too large
				}
				got := append([]int(nil), values...)
				for _, s := range effect {
					got[s.Var] = s.Value.Number(values)
				}
				if diff := cmp.Diff(step.After, got); diff != "" {
					rt.Fatalf("rule %d on %v (-want +got):\n%s", step.Rule, values, diff)
				}
			}
			if len(steps) == 0 {
				return
			}
			values = steps[rapid.IntRange(0, len(steps)-1).Draw(rt, "step")].After
		}
	})
}
