package simulate

import (
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestRoutes: every site is found with its row, and no other.
func TestRoutes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := drawnNetwork(rt, true)
		r := routesOf(n)
		for i := range n.Tables() {
			table := n.Table(i)
			for k := range table.Len() {
				c := table.Channels[k]
				for tag := range spec.Tag(n.Tags() + 1) {
					at, legal := table.Find(c, tag)
					if row, found := r.row(i, c, tag); found != legal || legal && row != table.Rows[at] {
						rt.Fatalf("table %d, channel %d, tag %d: row %d, %v; legal %v", i, c, tag, row, found, legal)
					}
				}
			}
		}
	})
}

// TestLaneSize: a lane takes half a line of the cache.
func TestLaneSize(t *testing.T) {
	if size := unsafe.Sizeof(lane{}); size != 32 {
		t.Errorf("%d bytes", size)
	}
}
