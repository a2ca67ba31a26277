package intern_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/support/hash"
	"github.com/seed-105a2da2/unknot/spec/support/intern"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func TestMain(m *testing.M) { seedtest.Main(m) }

// TestSlices: numbers are those of a map from texts, in the order of the first, whether hashes are good, all equal, or
// differ only in the half of which slots keep nothing; and each number gives its slice back.
func TestSlices(t *testing.T) {
	for name, of := range map[string]func([]int32) uint64{
		"mixed":     func(x []int32) uint64 { return hash.Words(0, x) },
		"all equal": func([]int32) uint64 { return 42 },
		"low half":  func(x []int32) uint64 { return uint64(uint32(hash.Words(0, x))) },
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var s intern.Slices[int32]
				known := map[string]int32{}
				for _, x := range rapid.SliceOfN(rapid.SliceOfN(rapid.Int32Range(-1, 2), 0, 3), 0, 200).Draw(t, "slices") {
					want, met := known[fmt.Sprint(x)]
					if !met {
						want = int32(len(known))
						known[fmt.Sprint(x)] = want
					}
					if n, added := s.Number(of(x), x); n != want || added == met {
						t.Fatalf("%v is number %d, new: %t; want %d, %t", x, n, added, want, !met)
					}
					if got := s.Slice(want); !slices.Equal(got, x) {
						t.Fatalf("number %d is %v, want %v", want, got, x)
					}
				}
				if s.Len() != len(known) {
					t.Fatalf("%d numbers, want %d", s.Len(), len(known))
				}
			})
		})
	}
}

// TestIndex: with room or without, what was added is found by its hash and nothing by another; hashes may repeat.
func TestIndex(t *testing.T) {
	for _, x := range []*intern.Index{{}, intern.NewIndex(0), intern.NewIndex(300)} {
		if n := x.Find(5, func(int32) bool { return true }); n != -1 {
			t.Errorf("in an empty index number %d is found", n)
		}
		for n := range int32(300) {
			if got := x.Add(hash.Finish(uint64(n % 100))); got != n {
				t.Fatalf("number %d is added as %d", n, got)
			}
		}
		for n := range int32(300) {
			if got := x.Find(hash.Finish(uint64(n%100)), func(m int32) bool { return m == n }); got != n {
				t.Errorf("number %d is found as %d", n, got)
			}
		}
		if n := x.Find(hash.Finish(1000), func(int32) bool { return true }); n != -1 || x.Len() != 300 {
			t.Errorf("under a hash that nothing has number %d is found, of %d", n, x.Len())
		}
	}
}
