package hash_test

import (
	"math/bits"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/support/hash"
)

// TestSplitMix: the first numbers from 1234567, as Vigna's splitmix64.c prints them.
func TestSplitMix(t *testing.T) {
	s := hash.SplitMix(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431} {
		if got := s.Draw(); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}

// TestEveryBit: each bit of what is mixed in changes a fair share of the 64 bits of Finish and Digest, and a half of Mix
// somewhere: on average 32, and over 4,096 changes the mean stays within 1 of it for a random function.
func TestEveryBit(t *testing.T) {
	for name, f := range map[string]func(x uint64) uint64{
		"Finish": hash.Finish,
		"Digest": func(x uint64) uint64 { return hash.Digest(7, x) },
		"Mix":    func(x uint64) uint64 { return hash.Mix(7, x) },
	} {
		for bit := range 64 {
			changed := 0
			for s, i := hash.SplitMix(1), 0; i < 4096; i++ {
				x := s.Draw()
				changed += bits.OnesCount64(f(x) ^ f(x^1<<bit))
			}
			if mean := float64(changed) / 4096; mean < 24 || mean > 40 || name != "Mix" && (mean < 31 || mean > 33) {
				t.Errorf("%s: bit %d changes %.1f bits, want about 32", name, bit, mean)
			}
		}
	}
}

// TestWords: the order counts, and so does a zero at the end.
func TestWords(t *testing.T) {
	seen := map[uint64]string{}
	for name, words := range map[string][]int32{"none": nil, "0": {0}, "0 0": {0, 0}, "1 2": {1, 2}, "2 1": {2, 1}, "-1": {-1}} {
		h := hash.Words(0, words)
		if other, met := seen[h]; met {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[h] = name
	}
}
