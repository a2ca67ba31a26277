package disk

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plainUnion is [merger.merge], state by state.
func plainUnion(lists [][]uint64, words int) (all []uint64) {
	var states [][]uint64
	for _, list := range lists {
		states = slices.AppendSeq(states, slices.Chunk(list, words))
	}
	slices.SortFunc(states, slices.Compare[[]uint64])
	return slices.Concat(slices.CompactFunc(states, slices.Equal[[]uint64])...)
}

// TestMerge: any number of lists are merged as if their states were sorted and each kept once, and are left as they are.
func TestMerge(t *testing.T) {
	var m merger
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 3).Draw(t, "words")
		lists := make([][]uint64, rapid.IntRange(1, 9).Draw(t, "lists"))
		for i := range lists {
			few := rapid.SliceOfN(rapid.Uint64Range(0, 5), 0, 12*words).Draw(t, "words of states")
			lists[i] = plainUnion([][]uint64{few[:len(few)/words*words]}, words)
		}
		var before [][]uint64
		for _, list := range lists {
			before = append(before, slices.Clone(list))
		}
		if got, want := m.merge(slices.Clone(lists), words), plainUnion(before, words); !slices.Equal(got, want) {
			t.Fatalf("%v of %d words: %v, want %v", before, words, got, want)
		}
		for i := range lists {
			if !slices.Equal(lists[i], before[i]) {
				t.Fatalf("list %d became %v, was %v", i, lists[i], before[i])
			}
		}
	})
}

// TestStrikeWindow: of the states looked for, those in a window are struck, up to where either ends.
func TestStrikeWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 3).Draw(t, "words")
		draw := func(most int) []uint64 {
			few := rapid.SliceOfN(rapid.Uint64Range(0, uint64(rapid.SampledFrom([]int{2, 60}).Draw(t, "values"))), words, most*words).Draw(t, "words of states")
			return plainUnion([][]uint64{few[:len(few)/words*words]}, words)
		}
		states, w := draw(8), draw(80)
		struck := make([]bool, len(states)/words)
		i, k := strikeWindow(states, w, words, 0, struck)
		last := w[len(w)-words:]
		for n, s := range slices.Collect(slices.Chunk(states, words)) {
			is := slices.ContainsFunc(slices.Collect(slices.Chunk(w, words)), func(x []uint64) bool { return slices.Equal(x, s) })
			if struck[n] != is || slices.Compare(s, last) <= 0 && n*words >= i {
				t.Fatalf("%v in %v: %v, struck %v, %d and %d words on", states, w, s, struck[n], i, k)
			}
		}
		if i < len(states) && k < len(w) {
			t.Fatalf("%v in %v: ended at %d and %d words", states, w, i, k)
		}
	})
}

// BenchmarkMerge merges random lists of 8,192 words, and sorts the same states.
func BenchmarkMerge(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, words := range []int{1, 2, 6} {
		for _, count := range []int{2, 16} {
			lists := make([][]uint64, count)
			for i := range lists {
				for range blockWords / words * words {
					lists[i] = append(lists[i], random.Uint64())
				}
				sortStates(lists[i], words)
			}
			states := float64(count * (blockWords / words))
			b.Run(fmt.Sprintf("%d words/%d lists/merged", words, count), func(b *testing.B) {
				var m merger
				for b.Loop() {
					m.merge(slices.Clone(lists), words)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/states, "ns/state")
			})
			b.Run(fmt.Sprintf("%d words/%d lists/sorted", words, count), func(b *testing.B) {
				for b.Loop() {
					sortStates(slices.Concat(lists...), words)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/states, "ns/state")
			})
		}
	}
}
