package change_test

import (
	"fmt"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/change"
)

// BenchmarkMesh changes a mesh from XY to YX, in a round for each column.
func BenchmarkMesh(b *testing.B) {
	for _, k := range []int{8, 16} {
		b.Run(fmt.Sprintf("%dx%d", k, k), func(b *testing.B) {
			t := mesh(k, k)
			for b.Loop() {
				r, err := change.Decide(b.Context(), dimensionOrder(t, 0), dimensionOrder(t, 1), change.Options{})
				if err != nil || r.Rounds == nil || len(r.Rounds.Turns) != k {
					b.Fatal(r, err)
				}
			}
		})
	}
}
