package routing_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestForeseenMemory: a memory budget refuses nothing that takes four fifths of it. What a network takes is measured on one
// that is a little smaller, with fewer than 1,024 tables: it is refused only when it gets to its bound. Rings whose
// classes are routed alike take far less in fragments than as whole tables.
func TestForeseenMemory(t *testing.T) {
	const classes = 17
	define := func(nodes int, alike bool) routing.Definition {
		def := routingtest.OneWayRing(nodes, 2)
		def.Classes = nil
		for c := range classes {
			def.Classes = append(def.Classes, fmt.Sprint("c", c))
		}
		topo := def.Topology
		def.Routing = routing.Deliver(topo, routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
			vc := 0
			if !alike {
				vc = int(uint32(at)*7+uint32(h.Dest*h.Dest)+uint32(h.Class)) % 2
			}
			return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(topo.Head(at))[0], vc)})
		}))
		return def
	}
	compiles := func(def routing.Definition, fragments, budget int64) bool {
		_, err := routing.Compile(t.Context(), def, routing.CompileOptions{Workers: 1, Fragments: fragments, Memory: budget})
		if up := new(routing.BudgetError); err != nil && !errors.As(err, &up) {
			t.Fatal(err)
		}
		return err == nil
	}
	for _, alike := range []bool{true, false} {
		for i, fragments := range []int64{0, 1, 1 << 40} { // none; always; where the budget calls for them
			if alike != (i == 1) && !seedtest.Whole() {
				continue
			}
			least, most := int64(0), int64(1)<<26
			for most-least > most/64 {
				if budget := (least + most) / 2; compiles(define(60, alike), fragments, budget) {
					most = budget
				} else {
					least = budget
				}
			}
			if !compiles(define(61, alike), fragments, most*5/4) {
				t.Errorf("alike: %t, fragments from %d bytes: a network of 1,037 tables is refused at %d bytes, though one of 1,020 takes %d",
					alike, fragments, most*5/4, most)
			}
			t.Logf("alike: %t, fragments from %d: %d bytes", alike, fragments, most)
		}
	}
}

// TestFragmentsWithoutCycles: tables are stored in fragments from another size on where the dependencies have no cycle.
// Whole, the tables of 20 nodes take some 6,000 bytes on a line as on a ring, and less than 8 for each of the
// 20 x 20 sources and 20 x 38 sites there could be.
func TestFragmentsWithoutCycles(t *testing.T) {
	const nodes = 20
	line := spec.NewTopology()
	for range nodes {
		line.AddNode("")
	}
	for v := range spec.NodeID(nodes - 1) {
		line.AddPair(v, v+1, 1)
	}
	along := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		for _, out := range line.OutLinks(line.Head(at)) {
			if next := line.Link(out).To; (next > line.Head(at)) == (h.Dest > line.Head(at)) {
				dst = append(dst, spec.Hop{Channel: line.Channel(out, 0)})
			}
		}
		return dst
	})
	straight := routing.Definition{Name: "line", Topology: line, Routing: routing.Deliver(line, along)}
	ring := routingtest.OneWayRing(nodes, 1)
	around := routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		return append(dst, spec.Hop{Channel: ring.Topology.Channel(ring.Topology.OutLinks(ring.Topology.Head(at))[0], 0)})
	})
	ring.Routing = routing.Deliver(ring.Topology, around)
	for _, tt := range []struct {
		from, acyclic int64
		line, ring    bool
	}{
		{1, 0, true, true}, {1, 64 << 10, true, true}, {4 << 10, 0, true, true}, {16 << 10, 0, false, false},
		{16 << 10, 4 << 10, true, false}, {16 << 10, 16 << 10, false, false}, {0, 4 << 10, false, false},
	} {
		for def, want := range map[*routing.Definition]bool{&straight: tt.line, &ring: tt.ring} {
			n, err := routing.Compile(t.Context(), *def, routing.CompileOptions{Workers: 1, Fragments: tt.from, Acyclic: tt.acyclic})
			if err != nil {
				t.Fatal(err)
			}
			if got := n.Fragments() > 0; got != want {
				t.Errorf("%s, from %d bytes, without cycles %d: in fragments %t, want %t", def.Name, tt.from, tt.acyclic, got, want)
			}
		}
	}
}
