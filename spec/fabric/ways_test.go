package fabric_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/fabric"
)

// TestWaysBack: the warning counts the pairs of hosts between which the routes there and back differ, and
// there is none if all are the same: by the cables that each route takes.
func TestWaysBack(t *testing.T) {
	met := map[bool]bool{}
	for _, dir := range []string{"ring6-minhop", "ring6-lash", "opensm/ring4/lash", "opensm/ring4/nue1",
		"opensm/ring4/updn_roots", "opensm/ring4/file_clockwise", "opensm/mesh3x3/file_xy", "opensm/mesh3x3/minhop"} {
		f, err := fabric.Read(t.Context(), os.DirFS("testdata/"+dir), fabric.Options{Name: dir})
		if err != nil {
			t.Fatal(err)
		}
		// cables returns those of a route, either end first, in any order.
		cables := func(from, to int) map[string]int {
			all := map[string]int{}
			for _, s := range f.Route(from, f.Nodes[to].LID, 0, false) {
				ends := []string{f.End(s.From), f.End(s.To)}
				if ends[0] > ends[1] {
					ends[0], ends[1] = ends[1], ends[0]
				}
				all[strings.Join(ends, " - ")]++
			}
			return all
		}
		pairs, differ := 0, 0
		for u := f.Switches; u < len(f.Nodes); u++ {
			for v := u + 1; v < len(f.Nodes); v++ {
				pairs++
				if fmt.Sprint(cables(u, v)) != fmt.Sprint(cables(v, u)) { // maps are printed in order
					differ++
				}
			}
		}
		want := fmt.Sprintf("%d of %d pairs of hosts: the route back differs", differ, pairs)
		if said := strings.Contains(strings.Join(f.Warnings, "\n"), want); said != (differ > 0) ||
			differ == 0 && strings.Contains(strings.Join(f.Warnings, "\n"), "the route back differs") {
			t.Errorf("%s: want %q if any differ:\n%s", dir, want, strings.Join(f.Warnings, "\n"))
		}
		met[differ > 0] = true
	}
	if len(met) < 2 {
		t.Errorf("routes differ: %v; want both", met)
	}
}
