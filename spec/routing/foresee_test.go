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
