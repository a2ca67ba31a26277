package checker

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/proofs/machines"
)

// TestSums: what workers add up is the digest that visiting the states again gives. Mutants: sums
// that lose a carry, or forget the number of words or what was added before.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 9).Draw(t, "words")
		all := make([]sums, rapid.IntRange(1, 3).Draw(t, "workers"))
		var plain machines.SetDigest
		for range rapid.IntRange(0, 12).Draw(t, "batches") {
			states := rapid.SliceOfN(rapid.Uint64(), words, 4*words).Draw(t, "states")
			states = states[:len(states)/words*words]
			all[rapid.IntRange(0, len(all)-1).Draw(t, "worker")].add(states, words)
			for s := range slices.Chunk(states, words) {
				plain.Add(s)
			}
		}
		if got := joined(all); got != plain {
			t.Fatalf("%d words: %v, want %v", words, got, plain)
		}
	})
}
