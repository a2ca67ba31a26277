package checker_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// TestFragmentsChangeNoVerdict: a network whose tables store their common parts as fragments gets the
// same results as one without fragments, with the same evidence.
func TestFragmentsChangeNoVerdict(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 6, Channels: 12, Tags: 2, MayFail: rapid.Bool().Draw(rt, "may fail"), Classes: 2})
		def.Switching = rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole}).Draw(rt, "switching")
		opt := checker.Question{MaxStates: 2000}
		opt.MaxStates, opt.Workers = 2000, 1
		if rapid.Bool().Draw(rt, "few packets") {
			opt.Scenario.Packets = 2
		}
		var said [2][]string
		for i := range said {
			n, err := routing.Compile(t.Context(), def, routing.CompileOptions{Fragments: int64(i)})
			if err != nil {
				rt.Fatal(err)
			}
			r, err := checker.Check(t.Context(), n, opt)
			if err != nil {
				rt.Fatal(err)
			}
			for _, f := range r.Findings {
				var text bytes.Buffer
				if f.Evidence != nil {
					if err := write.Evidence(&text, f.Evidence); err != nil {
						rt.Fatal(err)
					}
				}
				said[i] = append(said[i], f.Property, f.Verdict.String(), f.Because.String(), text.String())
				said[i] = append(append(said[i], words.Written(f.Notes)...), words.Written(f.Assumptions)...)
			}
		}
		if diff := cmp.Diff(said[0], said[1]); diff != "" {
			rt.Fatalf("(-whole +in fragments):\n%s", diff)
		}
	})
}
