package selection

import (
	"regexp"
	"testing"
)

// TestSaturation: a difference stays where it would pass the bound, and counts down
// from there: node 0 sends to 1 over x alone, and to 3 over either.
func TestSaturation(t *testing.T) {
	const bound = 1
	m := machine(t, torus{K: 2, N: 2, Function: LD, History: Exact, Bound: bound}, Traffic{Packets: []Packet{{0, 1}, {0, 2}, {0, 3}}, Again: true, InFlight: 2})
	if len(m.pairs) != 1 { // 1 and 2 have one dimension left
		t.Fatalf("%d pairs of links, want that of node 0", len(m.pairs))
	}
	p := m.pairs[0]
	since := m.Layout().Fields()[p.x]
	stayed := map[uint64]int{}
	walk(t, m, 10_000, func(s []uint64, next [][]uint64) {
		before := m.held(s)
		for _, after := range next {
			want := int(since.Of(s))
			for c := range m.held(after) {
				if _, was := before[c]; was {
					continue
				}
				switch m.g.Channel(m.g.LinkOf(c), 0) {
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
		name, who string
		o         torus
		n         int
		has       string
	}{
		{"all of a ring of 4", "all", torus{K: 4, N: 1}, 12, "(3) to (0)"},
		{"two hops on, on a ring of 4", "far", torus{K: 4, N: 1}, 4, "(2) to (0)"},
		{"two or three hops back, on a ring of 5: two", "far", torus{K: 5, N: 1}, 10, "(0) to (3)"},
		{"the node before, on a one-way ring of 5", "far", torus{K: 5, N: 1, OneWay: true}, 5, "(0) to (4)"},
		{"opposite corners of 2x2", "far", torus{K: 2, N: 2}, 4, "(1,0) to (0,1)"},
		{"a column of 4", "column", torus{K: 4, N: 2}, 4, "(0,3) to (1,1)"},
	} {
		sent := regexp.MustCompile(`^packet \d+ for (.*), at its source (.*): enters`)
		got := map[string]bool{}
		for _, r := range machine(t, tt.o, Traffic{Who: tt.who}).Program().Rules {
			if ends := sent.FindStringSubmatch(r.Name); ends != nil {
				got[ends[2]+" to "+ends[1]] = true
			}
		}
		if len(got) != tt.n || !got[tt.has] {
			t.Errorf("%s: %v, want %d, %s among them", tt.name, got, tt.n, tt.has)
		}
	}
}
