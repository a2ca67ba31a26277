package selection

import (
	"slices"
	"testing"
)

// TestSaturation: a difference stays where it would pass the bound, and counts down
// from there: node 0 sends to 1 over x alone, and to 3 over either.
func TestSaturation(t *testing.T) {
	const bound = 1
	m := machine(t, Options{K: 2, N: 2, Function: LD, History: Exact, Bound: bound}, Traffic{Packets: []Packet{{0, 1}, {0, 2}, {0, 3}}, Again: true, InFlight: 2})
	if len(m.b.past.pairs) != 1 { // 1 and 2 have one dimension left
		t.Fatalf("%d pairs of links, want that of node 0", len(m.b.past.pairs))
	}
	p := m.b.past.pairs[0]
	since := m.Layout().Fields()[p.since]
	stayed := map[uint64]int{}
	walk(t, m, 10_000, func(s []uint64, next [][]uint64) {
		before := m.held(s)
		for _, after := range next {
			want := int(since.Of(s))
			for c := range m.held(after) {
				if _, was := before[c]; was {
					continue
				}
				switch m.b.g.Channel(m.b.g.LinkOf(c), 0) {
				case p.a:
					want++
				case p.b:
					want--
				}
			}
			if want < 0 || want > 2*bound {
				stayed[since.Of(s)]++
			}
			if got := int(since.Of(after)); got != min(max(want, 0), 2*bound) {
				t.Fatalf("from %d to %d, want %d kept to 0 to %d", since.Of(s), got, want, 2*bound)
			}
		}
	})
	if stayed[0] == 0 || stayed[2*bound] == 0 {
		t.Errorf("no difference would have passed the bound: %v", stayed)
	}
}

// TestWhoSends: the sets of packets with a name, by hand.
func TestWhoSends(t *testing.T) {
	for _, tt := range []struct {
		name string
		of   func(Options) ([]Packet, error)
		o    Options
		n    int
		has  Packet
	}{
		{"all of a ring of 4", All, Options{K: 4, N: 1}, 12, Packet{3, 0}},
		{"two hops on, on a ring of 4", Far, Options{K: 4, N: 1}, 4, Packet{2, 0}},
		{"two or three hops back, on a ring of 5: two", Far, Options{K: 5, N: 1}, 10, Packet{0, 3}},
		{"the node before, on a one-way ring of 5", Far, Options{K: 5, N: 1, OneWay: true}, 5, Packet{0, 4}},
		{"opposite corners of 2x2", Far, Options{K: 2, N: 2}, 4, Packet{1, 2}},
		{"a column of 4", Column, Options{K: 4, N: 2}, 4, Packet{12, 5}},
	} {
		got, err := tt.of(tt.o)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != tt.n || !slices.Contains(got, tt.has) {
			t.Errorf("%s: %v, want %d, %v among them", tt.name, got, tt.n, tt.has)
		}
	}
}
