package repair

import (
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestTorusInEightLayers: in a torus whose packets take any shortest path, three distinctions of flows make eight
// layers: those that go in +x or not, those that pass the border in x or not, and those that pass it in y or not. In
// one layer nothing leads back along x, nor round a column, of which it leaves half the ring free.
func TestTorusInEightLayers(t *testing.T) {
	for i, k := range []string{"6", "8", "10"} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		l := newLayering(t.Context(), newConditions(t.Context(), modeltest.Network(t, "torus", map[string]string{"k": k, "routing": "adaptive"}), Turns))
		flows, leader := l.maximalFlows(t.Context(), every)
		if !l.assignGreedily(t.Context(), flows, leader, 1<<20) || l.count > 8 {
			t.Errorf("%s x %s: %d layers, want 8 at most", k, k, l.count)
		}
		for c := range l.count {
			var turns []int32
			for f, copy := range l.of {
				if copy == c {
					turns = append(turns, l.turns[f]...)
				}
			}
			if !l.acyclic(turns) {
				t.Errorf("%s x %s: layer %d has a cycle", k, k, c)
			}
		}
	}
}

// TestScattered: in a ring of eight nodes each node is in the middle of the widest gap.
func TestScattered(t *testing.T) {
	ring := modeltest.Network(t, "ring", map[string]string{"n": "8", "variant": "two-way"})
	if got, want := farthestFirst(ring.Topology(), 6), []spec.NodeID{0, 4, 2, 6, 1, 3}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestPartsOfLayers: a number of copies that does not suffice for the flows among some nodes is a bound for the whole,
// and is checked for all of it; that more copies suffice for these flows assigns no flow to a copy.
func TestPartsOfLayers(t *testing.T) {
	l := newLayering(t.Context(), newConditions(t.Context(), modeltest.Network(t, "torus", map[string]string{"k": "6", "routing": "adaptive"}), Turns))
	parts := l.scatteredFlows(t.Context())
	if len(parts) != 2 { // of 16 and 32 nodes of 36
		t.Fatalf("%d parts", len(parts))
	}
	nodes := map[spec.NodeID]bool{}
	for _, f := range parts[0] {
		at := &l.tables[l.flows[f].Table]
		nodes[at.Dest], nodes[at.Sources[l.flows[f].Vertex].Node] = true, true
	}
	if len(nodes) > leastScattered {
		t.Errorf("flows among %d nodes, want %d", len(nodes), leastScattered)
	}
	if got, err := l.solve(t.Context(), 2, parts[0], nil, DefaultEffort); got != sat.Refuted || err != nil || l.least == nil {
		t.Errorf("two copies: %v, %v", got, err)
	}
	if got, err := l.solve(t.Context(), 8, parts[0], nil, DefaultEffort); got != sat.Satisfied || err != nil || l.count != 1 || slices.Max(l.of) > 0 {
		t.Errorf("eight copies: %v, %v; %d copies are assigned", got, err, l.count)
	}
}
