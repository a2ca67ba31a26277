package checker

import (
	"testing"

	"github.com/seed-105a2da2/unknot/proofs/machines"
	"pgregory.net/rapid"
)

// TestDigester compares digests in one block with those of package machines, which closes
// the hash, and wants the block used wherever a state fits: 64 bytes are 6 words, the bit
// behind them and their length.
func TestDigester(t *testing.T) {
	for words := 1; words <= 8; words++ {
		if got, want := newDigester(words).hash != nil, words <= 6; got != want {
			t.Errorf("states of %d words are hashed as a block: %v, want %v", words, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 8).Draw(t, "words")
		d := newDigester(words)
		var want machines.SetDigest
		for _, s := range rapid.SliceOfN(rapid.SliceOfN(rapid.Uint64(), words, words), 0, 20).Draw(t, "states") {
			d.add(s)
			want.Add(s)
		}
		if d.sum != want {
			t.Fatalf("the digest is %s, want %s", d.sum, want)
		}
	})
}
