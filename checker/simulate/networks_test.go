package simulate

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// dimensionOrder is a network of k x k nodes with dimension order; in a torus a packet takes the shorter way
// around, up if both are equally long, and, of each pair of VCs, the second from the wrap-around link on.
func dimensionOrder(t testing.TB, k, vcs, buffer int, wrap bool, s spec.Switching, flows routing.Flows) *spec.Network {
	t.Helper()
	g, err := grid.New(grid.Options{Sizes: grid.Square(k, 2), Wrap: wrap, VCs: func(int, grid.Direction) int { return vcs }})
	if err != nil {
		t.Fatal(err)
	}
	next := func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		v := g.Head(at)
		dim := g.Lowest(v, h.Dest)
		ways := g.Minimal(v, h.Dest, dim, grid.TiePositive)
		d := grid.Plus
		if !ways.Has(d) {
			d = grid.Minus
		}
		first := g.Channel(g.Port(v, dim, d), 0)
		for vc := range spec.ChannelID(vcs) {
			if !wrap || (vc < spec.ChannelID(vcs)/2) == g.WrapsAhead(v, h.Dest, dim, d) {
				dst = append(dst, spec.Hop{Channel: first + vc})
			}
		}
		return dst
	}
	return routingtest.Compile(t, routing.Definition{Name: "dimension-order", Topology: g.Topology,
		Routing: routing.Deliver(g.Topology, routing.Func(next)), Switching: s, Buffer: buffer, Flows: flows})
}

func simulated(t testing.TB, n *spec.Network, o Options) *Result {
	t.Helper()
	r, err := Run(context.Background(), n, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func flits(n int) []Length { return []Length{{n, 1}} }

// switched is a network with another switching.
func switched(n *spec.Network, s spec.Switching) routing.Definition {
	def := routing.FromNetwork(n)
	def.Switching = s
	return def
}

// hops counts the flits that have crossed a link.
func hops(e *engine) (sum int64) {
	for l := range e.links {
		sum += e.ports[l].carried
	}
	return sum
}

// TestWithBuffer: a network with other buffers is the one that is compiled with them, or both are refused.
func TestWithBuffer(t *testing.T) {
	refused := 0
	rapid.Check(t, func(rt *rapid.T) {
		n := drawnNetwork(rt, true)
		def := routing.FromNetwork(n)
		def.Buffer = rapid.IntRange(1, 5).Draw(rt, "buffer")
		want, wrong := routing.Compile(t.Context(), def, routing.CompileOptions{})
		got, err := n.WithBuffer(def.Buffer)
		switch {
		case (wrong == nil) != (err == nil):
			rt.Fatalf("%v; compiled: %v", err, wrong)
		case err != nil:
			refused++
		case got.Digest() != want.Digest() || got.Buffer() != want.Buffer():
			rt.Fatalf("digest %s, compiled %s", got.Digest(), want.Digest())
		case got.Buffer() != n.Buffer() && got.Digest() == n.Digest():
			rt.Fatal("the digest did not change")
		}
	})
	if seedtest.Usual() && refused == 0 {
		t.Error("no buffer was too small for a hop")
	}
}
