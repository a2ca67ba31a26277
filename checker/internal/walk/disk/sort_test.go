package disk

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSort: states are sorted as by comparing them, whichever of their bits differ, many or few of them, equal ones
// among them.
func TestSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 6).Draw(t, "words")
		masks := rapid.SliceOfN(rapid.SampledFrom([]uint64{0, 1, 3, 0xff00, 1<<63 | 1<<40 | 1, ^uint64(0)}), words, words).Draw(t, "masks")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var a []uint64
		for range rapid.SampledFrom([]int{0, 1, 7, 8, 95, 96, 97, 1000}).Draw(t, "states") {
			for _, mask := range masks {
				a = append(a, random.Uint64()&mask)
			}
		}
		all := slices.Collect(slices.Chunk(slices.Clone(a), words))
		slices.SortFunc(all, slices.Compare[[]uint64])
		sortStates(a, words)
		if want := slices.Concat(all...); !slices.Equal(a, want) {
			t.Fatalf("%d words, masks %x: %x, want %x", words, masks, a, want)
		}
	})
}

// BenchmarkSort sorts states like those of protocols: of 70 bits, and of six words with few bits that differ.
func BenchmarkSort(b *testing.B) {
	for name, masks := range map[string][]uint64{"57 bits": {1<<57 - 1}, "70 bits": {^uint64(0), 63}, "six words": {0xff0f, 3 << 60, 0xf0f0f0f0f, 7, 0xff00000000ff, 0xff}} {
		random, states := rand.New(rand.NewPCG(1, 2)), 1<<18
		var from []uint64
		for range states {
			for _, mask := range masks {
				from = append(from, random.Uint64()&mask)
			}
		}
		a := slices.Clone(from)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				copy(a, from)
				sortStates(a, len(masks))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*states), "ns/state")
		})
	}
}

// TestSortAsks: sorting asks whether to stop before it moves anything, of 65,536 words on; for fewer it
// never asks, as that takes longer than a part of them.
func TestSortAsks(t *testing.T) {
	for _, words := range []int{1, 3} {
		for _, tt := range []struct {
			states int
			asked  bool
		}{{1<<16/words - 1, false}, {1<<16/words + 1, true}} {
			a := make([]uint64, tt.states*words)
			for i := range a {
				a[i] = uint64(len(a)-i) * 0x9e3779b97f4a7c15
			}
			before, asks := slices.Clone(a), 0
			done := sortStatesUntil(func() bool { asks++; return true }, a, words)
			if done == tt.asked || (asks > 0) != tt.asked || tt.asked && !slices.Equal(a, before) {
				t.Errorf("%d states of %d words: done %t, asked %d times, want that it asks: %t", tt.states, words, done, asks, tt.asked)
			}
		}
	}
}
