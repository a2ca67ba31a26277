package combining

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/renaming"
)

// mostWords bounds the words of which a renaming lists the images.
const mostWords = 1 << 12

// symmetries names those of the tree that take the home to itself, for commutative
// operations: with others the clusters stand in an order. Beyond four clusters
// there are too many words, and it names none.
func (r *reduction) symmetries() {
	if !r.Commutative || r.words() > mostWords {
		return
	}
	r.Renamings = r.tree.renamings(func(nodes []int) []program.Renaming {
		if r.tree.local(0) && nodes[0] != 0 {
			return nil
		}
		return []program.Renaming{r.renaming(nodes)}
	})
}

func (r *reduction) renaming(nodes []int) program.Renaming {
	x := relabelling{renaming.Identity(r.Program)}
	word := mapped(r.words(), r.base, nodes[:r.tree.Clusters()])
	x.move(r.word, r.word, word)
	for c := range r.tree.Clusters() {
		x.move(r.sent[c], r.sent[nodes[c]], nil)
		x.move(r.got[c], r.got[nodes[c]], nil)
	}
	for node, image := range nodes {
		x.moveLane(r.up[node], r.up[image], word, nil)
		x.moveLane(r.down[node], r.down[image], nil)
		for k := range r.held[node] {
			to := k
			if r.Order == ByPosition && r.Level != Record { // which has one for all
				to = slices.Index(r.tree.ways[image], nodes[r.tree.ways[node][k]])
			}
			x.move(r.held[node][k], r.held[image][to], word)
			x.move(r.counts[node][k], r.counts[image][to], nil)
		}
		if r.messages[node] >= 0 {
			x.move(r.messages[node], r.messages[image], nil)
		}
	}
	return x.Renaming
}
