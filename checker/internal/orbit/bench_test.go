package orbit_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/orbit"
)

// BenchmarkReplace finds least images of random states of eight leaves of a tree whose subtrees
// may be turned (128 symmetries), and of five like parts (120): by blocks, and by making every
// image.
func BenchmarkReplace(b *testing.B) {
	for name, n := range map[string]int{"tree of 8": 8, "5 alike": 5} {
		p := &parts{n: n, own: make([][]int, n)}
		for i := range n {
			for k, values := range []uint64{3, 2, 4} {
				p.layout.Field(fmt.Sprintf("%d of %d", k, i), values)
				p.own[i] = append(p.own[i], len(p.names))
				p.names = append(p.names, false)
			}
		}
		p.layout.Field("turn", uint64(n+1))
		p.names = append(p.names, true)
		var renamings []orbit.Renaming
		for _, perm := range permutations(n) {
			if n == 5 || turns(perm) {
				renamings = append(renamings, p.renaming(perm))
			}
		}
		l, err := orbit.New(&p.layout, renamings)
		if err != nil {
			b.Fatal(err)
		}
		var states [256][]uint64
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range states {
			states[i] = make([]uint64, p.layout.Words())
			for _, f := range p.layout.Fields() {
				f.Put(states[i], rng.Uint64N(f.Values))
			}
		}
		s := make([]uint64, p.layout.Words())
		b.Run(name+"/by blocks", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				copy(s, states[i%len(states)])
				l.Replace(s)
			}
		})
		b.Run(name+"/every image", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				least := states[i%len(states)]
				for _, r := range renamings {
					if image := p.apply(r, states[i%len(states)]); slices.Compare(image, least) < 0 {
						least = image
					}
				}
			}
		})
	}
}

// turns reports whether a permutation of eight leaves turns subtrees only.
func turns(perm []int) bool {
	for i := range perm {
		if perm[i]/2 != perm[i^1]/2 || perm[i]/4 != perm[i^2]/4 {
			return false
		}
	}
	return true
}
