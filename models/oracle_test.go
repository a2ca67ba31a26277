package models_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/models/graph"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// Counts known beforehand, computed independently of this project or with the short
// proof given. -1 stands for a number that the oracle does not state.
type counts struct{ Channels, Edges, Sites int }

func TestOracleCounts(t *testing.T) {
	type row struct {
		model string
		set   map[string]string
		want  counts
	}
	rows := []row{
		{"ring", map[string]string{"n": "2"}, counts{2, 0, -1}},
		{"ring", map[string]string{"variant": "position", "n": "4"}, counts{7, 11, -1}},
		{"ring", map[string]string{"n": "4"}, counts{4, 4, -1}},
		{"mesh", map[string]string{"k": "3", "routing": "double-y"}, counts{36, 50, -1}},
		{"torus", map[string]string{"k": "4", "routing": "dor", "tie": "parity"}, counts{64, 96, -1}},
		{"dragonfly", map[string]string{"local-vcs": "no"}, counts{12, 12, -1}},
		{"dragonfly", nil, counts{18, -1, -1}},
		{"graph", map[string]string{"graph": "complete"}, counts{56, 0, 56}}, // 8*7 links, each used by one pair
	}
	for k := 2; k <= 8; k++ {
		ks := fmt.Sprint(k)
		rows = append(rows,
			row{"mesh", map[string]string{"k": ks}, counts{4 * k * (k - 1), 8*k*k - 16*k + 4, k * k * (k*k - 1)}},
			row{"mesh", map[string]string{"k": ks, "routing": "adaptive"}, counts{4 * k * (k - 1), 12*k*k - 24*k + 8, -1}})
		if k == 2 {
			rows[len(rows)-2].want.Edges = 4 // 8*4-32+4: four turns from x to y
		}
		if k >= 5 {
			rows = append(rows, row{"torus", map[string]string{"k": ks, "routing": "dor"}, counts{4 * k * k, 8 * k * k, -1}})
		}
		for _, model := range []string{"west-first", "north-last", "negative-first"} {
			rows = append(rows, row{"turn-model", map[string]string{"k": ks, "model": model}, counts{4 * k * (k - 1), 10*k*k - 20*k + 6, -1}})
		}
	}
	for n := 2; n <= 6; n++ {
		ns, links := fmt.Sprint(n), (1<<n)*n
		rows = append(rows,
			row{"hypercube", map[string]string{"n": ns}, counts{links, links * (n - 1) / 2, -1}},
			row{"hypercube", map[string]string{"n": ns, "routing": "p-cube"}, counts{links, 3 * links * (n - 1) / 4, -1}},
			row{"hypercube", map[string]string{"n": ns, "routing": "adaptive"}, counts{links, links * (n - 1), -1}})
	}
	for _, r := range rows {
		c := report(t, modeltest.SwitchedNetwork(t, r.model, r.set, spec.StoreAndForward)).Census
		got := counts{c.Channels, c.Edges, c.Sites}
		if r.want.Edges < 0 {
			got.Edges = -1
		}
		if r.want.Sites < 0 {
			got.Sites = -1
		}
		if diff := cmp.Diff(r.want, got); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", r.model, r.set, diff)
		}
	}
}

// TestOracleVerdicts: rows of the oracles over ranges of sizes, beyond the
// examples that the catalogue states.
func TestOracleVerdicts(t *testing.T) {
	free, stuck := spec.Holds, spec.Violated
	for _, r := range []struct {
		model string
		set   map[string]string
		sizes string // name of the size parameter
		from  int
		to    int
		want  spec.Verdict
	}{
		{"ring", nil, "n", 3, 9, stuck},
		{"ring", map[string]string{"variant": "dateline"}, "n", 2, 9, free},
		{"ring", map[string]string{"variant": "position"}, "n", 2, 9, free},
		{"ring", map[string]string{"variant": "two-way"}, "n", 4, 9, stuck},
		{"mesh", nil, "k", 2, 8, free},
		{"mesh", map[string]string{"routing": "adaptive"}, "k", 2, 6, stuck},
		{"mesh", map[string]string{"routing": "duato"}, "k", 2, 6, free},
		{"mesh", map[string]string{"routing": "o1turn"}, "k", 2, 6, free},
		{"mesh", map[string]string{"routing": "o1turn-1vc"}, "k", 2, 6, stuck},
		{"mesh", map[string]string{"routing": "double-y"}, "k", 2, 6, free},
		{"turn-model", map[string]string{"model": "odd-even"}, "k", 2, 7, free},
		{"torus", map[string]string{"routing": "dor"}, "k", 5, 8, stuck},
		{"torus", map[string]string{"routing": "dateline"}, "k", 2, 8, free},
		{"torus", map[string]string{"routing": "duato"}, "k", 2, 7, free},
		{"torus", map[string]string{"routing": "adaptive"}, "k", 4, 7, stuck},
		{"torus", map[string]string{"n": "3", "routing": "dateline"}, "k", 2, 5, free},
		{"star-channel", nil, "k", 2, 9, free},
		{"star-channel", map[string]string{"n": "3"}, "k", 2, 4, free},
		{"star-channel", map[string]string{"tie": "adaptive"}, "k", 2, 8, free},
		{"star-channel", map[string]string{"ch": "never"}, "k", 4, 8, stuck},
		{"hypercube", map[string]string{"routing": "adaptive"}, "n", 2, 5, stuck},
		{"cccb", nil, "n", 2, 3, free},
		{"detour", map[string]string{"vcs": "1"}, "n", 3, 6, stuck},
		{"detour", nil, "n", 3, 6, free},
	} {
		for size := r.from; size <= r.to; size++ {
			set := map[string]string{r.sizes: fmt.Sprint(size)}
			for k, v := range r.set {
				set[k] = v
			}
			for _, s := range []spec.Switching{spec.StoreAndForward, spec.Wormhole} {
				if got := verdictsOf(report(t, modeltest.SwitchedNetwork(t, r.model, set, s))).Deadlock; got != r.want {
					t.Errorf("%s %v, %s: deadlock %s, want %s", r.model, set, s, got, r.want)
				}
			}
		}
	}
}

// TestTurnSets: of the 16 ways to forbid one turn of each cycle, 12 are free for k >= 3
// and all for k = 2 (Glass and Ni 1992). A relation that can no longer route all
// packets minimally is free all the same. For three dimensions see package mesh.
func TestTurnSets(t *testing.T) {
	for k, want := range map[int]int{2: 16, 3: 12, 4: 12} {
		free := 0
		for _, left := range []string{"EN", "NW", "WS", "SE"} {
			for _, right := range []string{"ES", "SW", "WN", "NE"} {
				n := modeltest.SwitchedNetwork(t, "turn-model",
					map[string]string{"k": fmt.Sprint(k), "model": "one-of-each", "xy-left": left, "xy-right": right},
					spec.Wormhole)
				if verdictsOf(report(t, n)).Deadlock == spec.Holds {
					free++
				}
			}
		}
		if free != want {
			t.Errorf("k=%d: %d of 16 turn sets are free, want %d", k, free, want)
		}
	}
}

// TestSmallestDeadlocks: the stuck sets shown are as small as the smallest known.
func TestSmallestDeadlocks(t *testing.T) {
	for _, tt := range []struct {
		model string
		set   map[string]string
		want  int
	}{
		{"ring", map[string]string{"n": "6"}, 6},
		{"mesh", map[string]string{"k": "2", "routing": "adaptive"}, 4},
		{"mesh", map[string]string{"k": "4", "routing": "adaptive"}, 4},
		{"ring", map[string]string{"variant": "two-way", "n": "5"}, 5},
		{"ring", map[string]string{"variant": "two-way", "n": "7"}, 7},
	} {
		r := report(t, modeltest.SwitchedNetwork(t, tt.model, tt.set, spec.StoreAndForward))
		if trace := r.Findings[0].Trace(); trace == nil || len(trace.Stuck) != tt.want {
			t.Errorf("%s %v: stuck set %v, want %d packets", tt.model, tt.set, trace, tt.want)
		}
	}
}

// TestLeastVCsOfCCCB: the paper's 3 VCs, and the least number that suffices.
func TestLeastVCsOfCCCB(t *testing.T) {
	for n, want := range map[int][]spec.Verdict{ // by number of VCs, from 1
		2: {spec.Violated, spec.Violated, spec.Holds},
		3: {spec.Violated, spec.Violated, spec.Holds},
	} {
		var got []spec.Verdict
		for vcs := 1; vcs <= len(want); vcs++ {
			got = append(got, verdictsOf(report(t, modeltest.SwitchedNetwork(t, "cccb",
				map[string]string{"n": fmt.Sprint(n), "vcs": fmt.Sprint(vcs)}, spec.VirtualCutThrough))).Deadlock)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("n=%d (-want +got):\n%s", n, diff)
		}
	}
}

// TestUpDownOnRandomGraphs: up*/down* routes every pair of any connected graph
// and its dependency graph is acyclic.
func TestUpDownOnRandomGraphs(t *testing.T) {
	for seed := range uint64(40) {
		def, err := graph.UpDown(graph.Random(3+int(seed)%9, int(seed)%7, seed), int(seed)%3)
		if err != nil {
			t.Fatal(err)
		}
		n := routingtest.Compile(t, def)
		want := verdicts{spec.Holds, spec.Holds, spec.Holds}
		r := report(t, n)
		if diff := cmp.Diff(want, verdictsOf(r)); diff != "" {
			t.Errorf("seed %d: %s", seed, diff)
		}
		g, err := dependency.Of(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Cyclic()) > 0 {
			t.Errorf("seed %d: the dependency graph has a cycle", seed)
		}
	}
}

// TestFreeThoughCyclic: an acyclic dependency graph is not necessary.
func TestFreeThoughCyclic(t *testing.T) {
	for _, tt := range []struct {
		model string
		set   map[string]string
	}{
		{"ring", map[string]string{"variant": "position", "n": "5"}},
		{"mesh", map[string]string{"routing": "duato"}},
		{"hypercube", map[string]string{"routing": "duato"}},
		{"star-channel", nil},
	} {
		for _, s := range []spec.Switching{spec.StoreAndForward, spec.Wormhole} {
			n := modeltest.SwitchedNetwork(t, tt.model, tt.set, s)
			g, err := dependency.Of(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			if verdict := verdictsOf(report(t, n)).Deadlock; verdict != spec.Holds || len(g.Cyclic()) == 0 {
				t.Errorf("%s %v, %s: deadlock %s, %d cyclic components", tt.model, tt.set, s, verdict, len(g.Cyclic()))
			}
		}
	}
}

// TestHopIndexFreesAnyGraph: VC = hop index makes any graph free and delivers.
func TestHopIndexFreesAnyGraph(t *testing.T) {
	for seed := range uint64(20) {
		def, err := graph.HopIndexed(graph.Random(4+int(seed)%8, int(seed)%9, seed))
		if err != nil {
			t.Fatal(err)
		}
		want := verdicts{spec.Holds, spec.Holds, spec.Holds}
		if diff := cmp.Diff(want, verdictsOf(report(t, routingtest.Compile(t, def)))); diff != "" {
			t.Errorf("seed %d: %s", seed, diff)
		}
	}
}
