package simulate

import (
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestRoutes: every site is found with its row, and no other.
func TestRoutes(t *testing.T) {
	kinds := map[bool]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := drawnNetwork(rt, true)
		r := routesOf(n)
		if n.Topology().Channels() > n.Topology().Links() {
			kinds[r.byLink]++
		}
		for i := range n.Tables() {
			table := n.Table(i)
			for k := range table.Len() {
				c := table.Channels[k]
				for tag := range spec.Tag(n.Tags() + 1) {
					at, legal := table.Find(c, tag)
					place := int32(c)
					if r.byLink {
						place = int32(n.Topology().LinkOf(c))
					}
					if found := r.find(int32(i), place, tag); found.used != legal {
						rt.Fatalf("table %d, channel %d, tag %d: found %v; legal %v", i, c, tag, found.used, legal)
					}
					if !legal {
						continue
					}
					if row := r.row(int32(i), int32(c), int32(n.Topology().LinkOf(c)), tag); !slices.Equal(r.permitted(row), n.OwnHops(n.Row(table.Rows[at]))) {
						rt.Fatalf("table %d, channel %d, tag %d: %v, not %v", i, c, tag, r.permitted(row), n.Row(table.Rows[at]))
					}
				}
			}
		}
	})
	if seedtest.Usual() && (kinds[true] == 0 || kinds[false] == 0) {
		t.Errorf("one entry for a link, or not: %v", kinds)
	}
}

// TestLaneSize: a lane takes half a cache line, and so do a front and a port.
func TestLaneSize(t *testing.T) {
	if lane, front, port := unsafe.Sizeof(lane{}), unsafe.Sizeof(front{}), unsafe.Sizeof(port{}); lane != 32 || front != 32 || port != 32 {
		t.Errorf("%d, %d and %d bytes", lane, front, port)
	}
}
