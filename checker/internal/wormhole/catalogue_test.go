package wormhole_test

import (
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/internal/wormhole"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

type set = map[string]string

func catalogue(t testing.TB, model string, s set) *spec.Network {
	t.Helper()
	return modeltest.Network(t, model, s, modeltest.Switched(spec.Wormhole))
}

// freeDoubleY is a 2D mesh with one VC in x and two in y, any minimal hop on any
// VC: double-y without its rule.
func freeDoubleY(t *testing.T, k int) *spec.Network {
	t.Helper()
	g, err := grid.New(grid.Options{Sizes: grid.Square(k, 2), VCs: func(dim int, _ grid.Direction) int { return 1 + dim }})
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, routing.Definition{
		Name: "double-y, any VC", Topology: g.Topology,
		Routing: routing.Deliver(g.Topology, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			v := g.Head(at)
			for dim := range 2 {
				ways := g.Minimal(v, h.Dest, dim, grid.TiePositive)
				for _, d := range [...]grid.Direction{grid.Plus, grid.Minus} {
					for vc := range 1 + dim {
						if ways.Has(d) {
							dst = append(dst, spec.Hop{Channel: g.Channel(g.Port(v, dim, d), vc)})
						}
					}
				}
			}
			return dst
		})),
	})
}

// TestStuckNetworks: networks that have stuck sets, each of which passes Check,
// with the number of channels that the smallest needs where that is known.
func TestStuckNetworks(t *testing.T) {
	for _, tt := range []struct {
		name    string
		network *spec.Network
		length  int
		want    int // channels held; 0: not known beforehand
		because string
	}{
		{"mesh 3 adaptive", catalogue(t, "mesh", set{"k": "3", "routing": "adaptive"}), 0, 4, "four packets around a square, published"},
		{"mesh 16 adaptive", catalogue(t, "mesh", set{"k": "16", "routing": "adaptive"}), 0, 4, "four packets around a square"},
		{"mesh 8 o1turn, 1 VC", catalogue(t, "mesh", set{"k": "8", "routing": "o1turn-1vc"}), 0, 4, "four packets around a square, two of each order"},
		{"turns but EN, 8", catalogue(t, "turn-model", set{"k": "8", "model": "chosen", "forbid": "EN"}), 0, 4, "four packets around a square, clockwise"},
		{"torus 8 adaptive", catalogue(t, "torus", set{"k": "8", "routing": "adaptive"}), 0, 4, "four packets around a square"},
		{"torus 16 adaptive", catalogue(t, "torus", set{"k": "16", "routing": "adaptive"}), 0, 4, "four packets around a square"},
		{"torus 16 dor", catalogue(t, "torus", set{"k": "16", "routing": "dor"}), 0, 16, "the only cycles are the rings of one dimension and direction"},
		{"hypercube 6 adaptive", catalogue(t, "hypercube", set{"n": "6", "routing": "adaptive"}), 0, 4, "four packets around a square"},
		{"hyperx 5 adaptive", catalogue(t, "hyperx", set{"k": "5", "routing": "adaptive"}), 0, 4, "four packets around a square"},
		{"dragonfly 2 1 3", catalogue(t, "dragonfly", set{"local-vcs": "no"}), 0, 6, "12 channels, 12 edges: two cycles of six"},
		{"dragonfly 4 2 9", catalogue(t, "dragonfly", set{"local-vcs": "no", "a": "4", "h": "2", "g": "9"}), 0, 0, ""},
		{"spidergon 64, 1 VC", catalogue(t, "spidergon", set{"n": "64", "vcs": "1"}), 0, 64, "the only cycles are the two rings"},
		{"double-y any VC 4", freeDoubleY(t, 4), 0, 0, ""},
		{"mesh 2 deflection", catalogue(t, "mesh", set{"k": "2", "routing": "deflection"}), 0, 0, ""},
		{"mesh 3 deflection", catalogue(t, "mesh", set{"k": "3", "routing": "deflection"}), 0, 0, ""},
		{"mesh 3 deflection", catalogue(t, "mesh", set{"k": "3", "routing": "deflection"}), 2, 0, ""},
		{"mesh 8 deflection", catalogue(t, "mesh", set{"k": "8", "routing": "deflection"}), 0, 0, ""},
		{"cube 3 deflection", catalogue(t, "mesh", set{"k": "3", "n": "3", "routing": "deflection"}), 0, 0, ""},
	} {
		u, candidates := rest(t, tt.network)
		start := time.Now()
		found, decided, err := wormhole.Search(t.Context(), tt.network, u, candidates, wormhole.Options{Channels: tt.length})
		took := time.Since(start)
		if err != nil || !decided {
			t.Errorf("%s: decided %t, %v", tt.name, decided, err)
			continue
		}
		if err := wormhole.Check(tt.network, found); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		held := 0
		for _, w := range found {
			held += len(w.Sites)
		}
		t.Logf("%s: %d worms in %d channels, of %d candidates; %v", tt.name, len(found), held, len(candidates), took)
		if tt.want != 0 && held != tt.want {
			t.Errorf("%s: %d channels are held, want %d: %s", tt.name, held, tt.want, tt.because)
		}
	}
}

// TestFreeNetworks: deadlock-free under wormhole switching by their theorems, so
// nothing may be found even if every channel is a candidate. (Packets in the
// deflection mesh always have an XY hop, so its worms are not of one channel.)
func TestFreeNetworks(t *testing.T) {
	for _, tt := range []struct {
		name    string
		network *spec.Network
		length  int
	}{
		{"mesh 4 xy (Dally and Seitz)", catalogue(t, "mesh", set{"k": "4"}), 0},
		{"mesh 4 Duato", catalogue(t, "mesh", set{"k": "4", "routing": "duato"}), 0},
		{"mesh 4 double-y", catalogue(t, "mesh", set{"k": "4", "routing": "double-y"}), 0},
		{"mesh 5 odd-even (Chiu)", catalogue(t, "turn-model", set{"k": "5", "model": "odd-even"}), 0},
		{"torus 5 dateline", catalogue(t, "torus", set{"k": "5", "routing": "dateline"}), 0},
		{"torus 4 Duato", catalogue(t, "torus", set{"k": "4", "routing": "duato"}), 0},
		{"dragonfly 2 1 3, local VCs", catalogue(t, "dragonfly", nil), 0},
		{"mesh 3 deflection, packets", catalogue(t, "mesh", set{"k": "3", "routing": "deflection"}), 1},
	} {
		u, err := relation.NewUsage(t.Context(), tt.network, 2)
		if err != nil {
			t.Fatal(err)
		}
		var all []spec.ChannelID
		for c := range tt.network.Topology().Channels() {
			all = append(all, spec.ChannelID(c))
		}
		found, decided, err := wormhole.Search(t.Context(), tt.network, u, all, wormhole.Options{Channels: tt.length})
		if err != nil || !decided || found != nil {
			t.Errorf("%s: %d worms, decided %t, %v; want none", tt.name, len(found), decided, err)
		}
	}
}
