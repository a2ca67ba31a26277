package routing_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// fan is a network of one flow, from a over two levels of n nodes each to z: a commits its packets to one of n, and so
// does each of these. asked counts how often the relation is asked.
func fan(n int, asked *atomic.Int64) routing.Definition {
	t := spec.NewTopology()
	a := t.AddNode("a")
	for k := range 2 * n {
		t.AddNode(fmt.Sprint(k))
	}
	z := t.AddNode("z")
	join := func(from, to spec.NodeID) { t.AddLink(spec.Link{From: from, To: to, VCs: 1}) }
	for k := range spec.NodeID(n) {
		join(a, 1+k)
		for j := range spec.NodeID(n) {
			join(1+k, 1+spec.NodeID(n)+j)
		}
	}
	for k := range spec.NodeID(n) {
		join(1+spec.NodeID(n)+k, z)
	}
	route := func(p routing.Packet) routing.Choice {
		asked.Add(1)
		var all []routing.Choice
		for _, l := range t.OutLinks(p.Node) {
			all = append(all, routing.Adaptive(spec.Hop{Channel: t.Channel(l, 0)}))
		}
		return routing.Oblivious(all...)
	}
	return routing.Definition{
		Topology: t, Routing: routing.Router{Topology: t, Route: route},
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == a && dst == z },
	}
}

// TestAskedForAlternatives: a relation is asked about each of its own sites a few times, however many alternatives they
// have, and each alternative is a site.
func TestAskedForAlternatives(t *testing.T) {
	const n = 40
	var asked atomic.Int64
	net, err := routing.Compile(t.Context(), fan(n, &asked), routing.CompileOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	// After a: n channels, in which a packet is committed to one of n; then n*n, and n to z.
	if want := n*n + n*n + n; net.SiteCount() != want || len(net.Table(0).Sources) != n {
		t.Errorf("%d sites, %d sources: want %d and %d", net.SiteCount(), len(net.Table(0).Sources), want, n)
	}
	// The source, the n sites after it and the n*n after these; those that arrive are not asked about. Each twice to
	// find the sites and twice for the alternatives, and the source once more, until it is known that it commits.
	if own := int64(1 + n + n*n); asked.Load() > 4*own+1 {
		t.Errorf("asked %d times about %d sites", asked.Load(), own)
	}
}

// TestImpureAlternatives: a relation that permits the same hops, but in other alternatives each time, is refused.
func TestImpureAlternatives(t *testing.T) {
	var asked atomic.Int64
	def := fan(4, &asked)
	whole := def.Routing.(routing.Router)
	def.Routing = routing.Router{Topology: def.Topology, Route: func(p routing.Packet) routing.Choice {
		if c := whole.Route(p); asked.Load()%2 == 0 {
			return c
		}
		var all []spec.Hop
		for _, l := range def.Topology.OutLinks(p.Node) {
			all = append(all, spec.Hop{Channel: def.Topology.Channel(l, 0)})
		}
		return routing.Oblivious(routing.Adaptive(all[:1]...), routing.Adaptive(all[len(all)/2:]...), routing.Adaptive(all...))
	}}
	if _, err := routing.Compile(t.Context(), def, routing.CompileOptions{Workers: 1}); err == nil || !strings.Contains(err.Error(), "impure") {
		t.Errorf("%v, want a refusal: the relation is impure", err)
	}
}

// BenchmarkAlternatives compiles networks of n and 2n nodes on each of two levels. The sites are 2n*n + n, so the
// second should take four times as long as the first; with rows made hop by hop it takes eight.
func BenchmarkAlternatives(b *testing.B) {
	for _, n := range []int{100, 200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				var asked atomic.Int64
				if _, err := routing.Compile(b.Context(), fan(n, &asked), routing.CompileOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
