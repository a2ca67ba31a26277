package dependency_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
)

func catalogued(t *testing.T, model string, set map[string]string) *spec.Network {
	t.Helper()
	return modeltest.Network(t, model, set, modeltest.Switched(spec.Wormhole))
}

// certificate returns a certificate of freedom from deadlock.
func certificate(t *testing.T, n *spec.Network) *proofs.Certificate {
	t.Helper()
	r, err := checker.Check(t.Context(), n, checker.Question{Properties: []string{"deadlock-freedom"}})
	if err != nil {
		t.Fatal(err)
	}
	return r.Findings[0].Certificate()
}

// TestExtendedIsAcyclic: even if the plain graph has cycles, each edge of the extended one
// lowers the rank, is at a site and hop of the network, and has a reason and a kind that
// fits.
func TestExtendedIsAcyclic(t *testing.T) {
	for _, tt := range []struct {
		model string
		set   map[string]string
	}{
		{"ring", map[string]string{"variant": "position", "n": "5"}},
		{"star-channel", map[string]string{"k": "4"}},
		{"mesh", map[string]string{"k": "3", "routing": "duato"}},
	} {
		n := catalogued(t, tt.model, tt.set)
		c := certificate(t, n)
		ds, err := dependency.Extended(t.Context(), n, c, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[dependency.Kind]int{}
		for _, d := range ds {
			kinds[d.Kind]++
			if c.Rank[d.To] >= c.Rank[d.From] {
				t.Errorf("%s: edge %v does not lower the rank", tt.model, d.Edge)
			}
			if hops, ok := n.Hops(d.At); !ok || !cmp.Equal(d.Hop.Channel, d.To) || len(hops) == 0 {
				t.Errorf("%s: edge %v has no such site or hop: %+v", tt.model, d.Edge, d)
			}
			if d.Why.Text == "" {
				t.Errorf("%s: edge %v has no reason", tt.model, d.Edge)
			}
			if same := d.Held == d.At; same != (d.Kind == dependency.Direct || d.Kind == dependency.DirectCross) {
				t.Errorf("%s: edge %v is %s, held at %v, asked at %v", tt.model, d.Edge, d.Kind, d.Held, d.At)
			}
		}
		if kinds[dependency.Direct] == 0 {
			t.Errorf("%s: no direct dependency among %v", tt.model, kinds)
		}
	}
}

// TestExplain: every dependency of a plain graph has a site that makes it.
func TestExplain(t *testing.T) {
	n := catalogued(t, "torus", map[string]string{"routing": "adaptive"})
	g, err := dependency.Of(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	var all []spec.ChannelID
	for c := range spec.ChannelID(g.Channels()) {
		all = append(all, c)
	}
	edges := g.EdgesAmong(all)
	if len(edges) != g.Edges() {
		t.Errorf("%d edges among all channels, want %d", len(edges), g.Edges())
	}
	for _, d := range dependency.Explain(n, edges) {
		hops, ok := n.Hops(d.Held)
		found := false
		for _, h := range hops {
			found = found || h == d.Hop
		}
		if !ok || !found || d.Held.Channel != d.From || d.Hop.Channel != d.To || d.Why.Text == "" {
			t.Errorf("edge %v is not made by %+v", d.Edge, d)
		}
	}
}

func TestExtendedRefuses(t *testing.T) {
	n := catalogued(t, "mesh", nil)
	c := certificate(t, n) // plain ranks: XY needs no more
	if _, err := dependency.Extended(t.Context(), n, c, 1<<20); err == nil {
		t.Error("a certificate without an extended escape was accepted")
	}
	n = catalogued(t, "star-channel", nil)
	if _, err := dependency.Extended(t.Context(), n, certificate(t, n), 10); err == nil {
		t.Error("the bound on sites was not kept")
	}
}
