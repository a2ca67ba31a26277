package selection

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUse: what is counted of one router that sends to the corner opposite, by hand:
// dimension-order takes each VC of x while one is free, and CF of y only when none is.
func TestUse(t *testing.T) {
	m := machine(t, Options{K: 2, N: 2, Function: DimensionOrder}, Traffic{Packets: []Packet{{0, 3}}, Again: true})
	u, err := m.Use(t.Context(), 100_000)
	if err != nil {
		t.Fatal(err)
	}
	if u.Chosen[Lowest][0] == 0 || u.Chosen[Lowest][1] == 0 || u.Chosen[Lowest][2] == 0 || u.Chosen[Higher][2] == 0 {
		t.Errorf("chosen %v: each VC of x, and CF of y", u.Chosen)
	}
	if u.Unspared == 0 {
		t.Error("dimension-order does not spare CF of x while CF of y is free")
	}
	if u.Chosen[Higher][0] != 0 || u.Chosen[Higher][1] != 0 || u.Chosen[Only][0] == 0 {
		t.Errorf("chosen %v: no other VC of y, and behind x CH of y", u.Chosen)
	}
	// At the source all of x and CF of y can be taken, and CH and CA of y never are:
	// 16 of 64. At 1 only y is left: 8 statuses; at 2 only x, where packets come one by
	// one, by CF, and can still take CH, CA and CF: 8.
	want := []Views{{Sites: 2, All: 16, Reached: 16}, {Sites: 1, All: 64, Reached: 16, Missing: []string{"a packet at (0,0) for (1,1)", "free: none"}}}
	if diff := cmp.Diff(want, u.Views); diff != "" {
		t.Error(diff)
	}
	one := machine(t, Options{K: 2, N: 2, Function: DimensionOrder}, Traffic{Packets: []Packet{{0, 3}}})
	if u, err = one.Use(t.Context(), 100_000); err != nil {
		t.Fatal(err)
	}
	// One packet finds everything free: CH of x, then CH of y, then it is there.
	if u.States != 4 || u.Chosen != [3][3]int64{Only: {1}, Lowest: {1}} || !u.Possible[Higher][2] {
		t.Errorf("%+v", u)
	}
}

// TestUseWithinViews: no class is chosen in a reachable state that no enumerated
// status makes the function choose, and no VC that is not seen to be free.
func TestUseWithinViews(t *testing.T) {
	smallest(t, func(m *Machine) {
		u, err := m.Use(t.Context(), 200_000)
		if err != nil {
			t.Fatal(err)
		}
		for role, classes := range u.Chosen {
			for class, n := range classes {
				if n > 0 && !u.Possible[role][class] {
					t.Errorf("%s: %s chosen as %s", m.Name(), ClassNames[class], RoleNames[role])
				}
			}
		}
		if m.b.o.Form == Early {
			return
		}
		// What is chosen is free in the status that the router is said to see.
		walk(t, m, 200_000, func(s []uint64, next [][]uint64) {
			for i := range next {
				st := m.b.steps[m.RuleOf(s, i)]
				if st.chosen && !freeIn(m.b.ways(st.node, st.dest), m.seenAt(s, st.site))(st.to) {
					t.Fatalf("%s: %s is chosen, which is not free in what is seen", m.Name(), m.b.g.ChannelName(st.to))
				}
			}
		})
	})
}

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

// TestUseIsBounded: a search is given up behind the number of states that it may
// visit, not at it.
func TestUseIsBounded(t *testing.T) {
	m := machine(t, Options{K: 2, N: 2}, Traffic{Packets: []Packet{{0, 3}}})
	u, err := m.Use(t.Context(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := m.Use(t.Context(), u.States); err != nil || again.States != u.States {
		t.Errorf("up to %d states: %d, %v", u.States, again.States, err)
	}
	var bound *BoundError
	if _, err := m.Use(t.Context(), u.States-1); !errors.As(err, &bound) || bound.States != u.States-1 {
		t.Errorf("up to %d states: %v, want a BoundError", u.States-1, err)
	}
}
