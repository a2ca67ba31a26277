package checker_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/models/gadget"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// moving draws how messages move: their length, and what channels do with them.
func moving(rt *rapid.T) spec.Scenario {
	return spec.Scenario{
		Length:  rapid.SampledFrom([]int{spec.AnyLength, 1, 2, 3, 4}).Draw(rt, "length"),
		Elastic: rapid.Bool().Draw(rt, "elastic"), Shared: rapid.Bool().Draw(rt, "shared"),
	}
}

// TestLengths: on random networks whose messages have one length, or any, in buffers of up to
// three flits, what is decided without exploring is what exploring finds, and exploring settles
// what that leaves open.
func TestLengths(t *testing.T) {
	seen := map[string]int{}
	seedtest.Sample(t, 40)
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 6, Tags: 2, Buffer: 3, Ring: true, Sparse: true,
			MayFail: rapid.Bool().Draw(rt, "may fail")})
		def.Switching = spec.Wormhole
		n, sc := networkOf(rt, def), moving(rt)
		if n.SiteCount() == 0 {
			return
		}
		agreesOnLengths(rt, n, sc, seen)
	})
	t.Log(seen)
	for _, what := range []string{"holds", "violated", "holds shared", "holds length", "violated length", "violated buffer"} {
		if seedtest.Usual() && seen[what] == 0 {
			t.Errorf("the random networks test nothing: %v", seen)
		}
	}
}

// agreesOnLengths compares the static verdict on deadlock with that of exploring.
func agreesOnLengths(t rapid.TB, n *spec.Network, sc spec.Scenario, seen map[string]int) {
	t.Helper()
	r, err := checker.Check(context.Background(), n,
		checker.Question{Properties: []string{"deadlock-freedom"}, Workers: 1, Scenario: sc, Explore: checker.Never})
	if err != nil {
		t.Fatal(err)
	}
	const most = 20_000
	f := r.Findings[0]
	if trace := f.Trace(); trace != nil && sc.Length > 0 && trace.Scenario.Length != sc.Length {
		t.Fatalf("%s: a trace of %s", sc, trace.Scenario)
	}
	x := explore(t, trafficOf(t, n, sc), checker.Question{Workers: 1, MaxStates: most, Properties: []string{"deadlock-freedom"}})
	g := finding(t, x, "deadlock-freedom")
	if g.Verdict == spec.Unknown {
		seen["too large"]++
		return
	}
	if f.Verdict != g.Verdict && f.Verdict != spec.Unknown {
		t.Fatalf("%s, buffer %d: decided %s (%s), but exploring says %s (%s)", sc, n.Buffer(), f.Verdict, f.Because, g.Verdict, g.Because)
	}
	word := f.Verdict.String()
	if f.Verdict == spec.Unknown {
		word += ", " + g.Verdict.String()
	}
	seen[word]++
	for name, is := range map[string]bool{"shared": sc.Shared && n.Buffer() > 1, "length": sc.Length > 0, "buffer": n.Buffer() > 1} {
		if is {
			seen[word+" "+name]++
		}
	}
}

// TestGadgetLengths: gadgets in which only the disjointness of messages decides, with messages of
// one to four flits and of any length, and one or more flits a buffer. They are decided without
// exploring, as exploring finds; in shared channels, too, if messages leave no room for others
// behind them. W1 needs messages that hold two channels each, and so do as many pigeons as holes
// (models/gadget).
func TestGadgetLengths(t *testing.T) {
	define := func(name string, pigeons, holes int) routing.Definition {
		if name != "pigeonholes" {
			def, err := gadget.Wormhole(name)
			if err != nil {
				t.Fatal(err)
			}
			return def
		}
		return gadget.Pigeonholes(pigeons, holes)
	}
	for _, g := range []struct {
		name           string
		pigeons, holes int
		blocks         bool // with messages that hold two channels
	}{{"W1", 0, 0, true}, {"W2", 0, 0, false}, {"W5", 0, 0, false}, {"pigeonholes", 3, 2, false},
		{"pigeonholes", 3, 3, true}, {"pigeonholes", 6, 5, false}, {"pigeonholes", 6, 6, true}} {
		for buffer := 1; buffer <= 3; buffer++ {
			def := define(g.name, g.pigeons, g.holes)
			def.Switching, def.Buffer = spec.Wormhole, buffer
			n := networkOf(t, def)
			for _, length := range []int{spec.AnyLength, 1, 2, 3, 4} {
				for _, shared := range []bool{false, true} {
					sc := spec.Scenario{Length: length, Shared: shared}
					r, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{"deadlock-freedom"}, Scenario: sc, Explore: checker.Never})
					if err != nil {
						t.Fatal(err)
					}
					want := spec.Holds
					if g.blocks && (length == spec.AnyLength || length > buffer) {
						want = spec.Violated
					}
					f := r.Findings[0]
					if shared && buffer > 1 && length == spec.AnyLength {
						// In W1 as before. In the others a message that waits for the channels t holds h in its path: it
						// goes on behind the tail in one of them, of a message that waits for h.
						want = spec.Violated
					} else if shared && length > 1 && length%buffer != 0 {
						continue // with some lengths there is room behind a tail: see TestLengths
					}
					if f.Verdict != want || f.Method != checker.Static {
						t.Errorf("%s, %s, buffer %d: %s %s, want %s", n.Name(), sc, buffer, f.Method, f.Verdict, want)
					}
				}
			}
		}
	}
}
