package selection

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/spec"
)

// TestChoices: the paper's rules, by hand, for a packet at (0,0) with one hop
// left in x and two in y on a 5x5 torus, which may use all three VCs of x and CF of
// y. Free VCs are written x:CH,CA,CF y:CF as digits.
func TestChoices(t *testing.T) {
	o := Options{K: 5, N: 2}
	g, err := newGrid(o)
	if err != nil {
		t.Fatal(err)
	}
	all := ways(g, o.Tie, 0, spec.NodeID(2*5+1))
	name := func(c spec.ChannelID) string { dim, _ := g.Direction(c); return "xy"[dim:dim+1] + ClassNames[g.VC(c)] }
	ahead := func(x, y int) func(way) int { return func(w way) int { return []int{x, y}[w.dim] } }
	for _, tt := range []struct {
		f       Function
		reading Reading
		free    string // x:CH,CA,CF y:CF
		ahead   func(way) int
		want    string
	}{
		{DimensionOrder, Literal, "1111", nil, "xCH"},
		{DimensionOrder, Literal, "0011", nil, "xCF"},
		{DimensionOrder, Literal, "0001", nil, "yCF"},
		{DimensionOrder, Literal, "0000", nil, ""},
		{Random, Literal, "0111", nil, "xCA yCF"},
		{LRU, Literal, "0110", nil, "xCA"},
		{Zigzag, Literal, "1111", nil, "yCF"}, // two hops left in y, one in x
		{Zigzag, Literal, "1110", nil, "xCH"},
		{SCCB, Literal, "1111", nil, "xCH"}, // (a)
		{SCCB, Literal, "0111", nil, "yCF"}, // (b)
		{SCCB, Literal, "0110", nil, "xCA"}, // (b): x is the highest that is free
		{SCCB, Literal, "0000", nil, ""},
		{CCB, Literal, "0101", ahead(9, 0), "yCF"}, // (a)
		{CCB, Literal, "0100", ahead(9, 0), "xCA"}, // (a): y is not free
		{CCB, Literal, "1111", ahead(3, 2), "xCH"}, // (b)
		{CCB, Literal, "1111", ahead(3, 3), "yCF"}, // (b): the higher of equals
		{CCB, Literal, "1110", ahead(3, 3), ""},    // (b): it waits for y, though x is free
		{CCB, FreeHere, "1110", ahead(3, 3), "xCH"},
		{CCB, FreeHere, "1110", ahead(0, 9), "xCH"},
	} {
		free := func(c spec.ChannelID) bool {
			dim, _ := g.Direction(c)
			if dim == 0 {
				return tt.free[g.VC(c)] == '1'
			}
			return g.VC(c) == starchannel.CF && tt.free[3] == '1'
		}
		var got []string
		for _, c := range tt.f.choices(nil, all, tt.reading, view{free: free, ahead: tt.ahead}) {
			got = append(got, name(c))
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s %s, free %s (-want +got):\n%s", Names[tt.f], ReadingNames[tt.reading], tt.free, diff)
		}
	}
}

// TestWithinTheRelation: every step of every reachable state of some packets is
// one that *-channel permits, into a free channel, or moves nothing; and every
// packet that has a free permitted channel and chooses again at every clock has
// a step, save with CCB read literally.
func TestWithinTheRelation(t *testing.T) {
	def, err := starchannel.New(starchannel.Options{K: 4, N: 2})
	if err != nil {
		t.Fatal(err)
	}
	packets := []Packet{{0, 9}, {4, 13}, {1, 12}}
	for f := range Names {
		for form := range FormNames {
			for reading := range ReadingNames {
				o := Options{K: 4, N: 2, Function: Function(f), Form: Form(form), Reading: Reading(reading)}
				m, err := NewMachine(o, packets)
				if err != nil {
					t.Fatal(err)
				}
				if m.clocked { // it has many more states
					if m, err = NewMachine(o, packets[:2]); err != nil {
						t.Fatal(err)
					}
				}
				walk(t, m, func(s []uint64, next [][]uint64) {
					held := occupiedBy(m, s)
					for _, after := range next {
						moved := 0
						for i := range m.packets {
							p := &m.packets[i]
							from, to := p.places[p.place.Of(s)], p.places[p.place.Of(after)]
							if from == to {
								continue
							}
							moved++
							hops, err := def.Routing.Next(nil, from, spec.Header{Dest: p.To})
							if err != nil || !slices.ContainsFunc(hops, func(h spec.Hop) bool { return h.Channel == to }) || held[to] {
								t.Fatalf("%s: a packet goes from %d to %d", m.Name(), from, to)
							}
						}
						if moved > 1 {
							t.Fatalf("%s: %d packets move at once", m.Name(), moved)
						}
					}
					if o.Form == Again && (o.Function != CCB || o.Reading == FreeHere) && len(next) == 0 {
						for i := range m.packets {
							p := &m.packets[i]
							at := p.places[p.place.Of(s)]
							if at == spec.Eject {
								continue
							}
							hops, _ := def.Routing.Next(nil, at, spec.Header{Dest: p.To})
							if slices.ContainsFunc(hops, func(h spec.Hop) bool { return !held[h.Channel] }) {
								t.Fatalf("%s: a packet waits though a channel is free", m.Name())
							}
						}
					}
				})
			}
		}
	}
}

func occupiedBy(m *Machine, s []uint64) map[spec.ChannelID]bool {
	held := map[spec.ChannelID]bool{}
	for i := range m.packets {
		if c := m.packets[i].places[m.packets[i].place.Of(s)]; c >= 0 {
			held[c] = true
		}
	}
	return held
}

// walk visits all reachable states with a queue and a map.
func walk(t *testing.T, m *Machine, visit func(s []uint64, next [][]uint64)) {
	t.Helper()
	words := m.Layout().Words()
	queue := [][]uint64{m.Start(nil)}
	seen := map[string]bool{fmt.Sprint(queue[0]): true}
	for i := 0; i < len(queue); i++ {
		flat, err := m.Next(nil, queue[i])
		if err != nil {
			t.Fatal(err)
		}
		next := slices.Collect(slices.Chunk(flat, words))
		visit(queue[i], next)
		for _, s := range next {
			if k := fmt.Sprint(s); !seen[k] {
				seen[k] = true
				queue = append(queue, s)
			}
		}
	}
}

// TestColumnKnot: the deadlock of CCB read literally is the one that can be found by
// hand: every CF channel of the column's ring holds a packet with one hop left
// in x and one in y; all of x is free; the next node in x, where the packet
// could use CA and CF of y and sometimes CH, has no more free VCs than the next
// one in y, where it could use all three of x.
func TestColumnKnot(t *testing.T) {
	o := Options{K: 4, N: 2, Function: CCB, Reading: Literal}
	packets, err := Column(o)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewMachine(o, packets)
	if err != nil {
		t.Fatal(err)
	}
	var knots []string
	walk(t, m, func(s []uint64, next [][]uint64) {
		if len(next) > 0 || m.Claims().Final(s) {
			return
		}
		var held []string
		for c := range occupiedBy(m, s) {
			held = append(held, m.g.ChannelName(c))
		}
		slices.Sort(held)
		knots = append(knots, strings.Join(held, ", "))
	})
	slices.Sort(knots)
	want := []string{"(0,0)->(0,1) CF, (0,1)->(0,2) CF, (0,2)->(0,3) CF, (0,3)->(0,0) CF"}
	if diff := cmp.Diff(want, slices.Compact(knots)); diff != "" {
		t.Error(diff)
	}
}

// TestStaticHolds: what the static decision finds free of deadlock, exploration
// finds free for any few packets.
func TestStaticHolds(t *testing.T) {
	static := map[Options]spec.Verdict{}
	found := map[spec.Verdict]int{}
	rapid.Check(t, func(rt *rapid.T) {
		o := Options{
			K: 4, N: 2, Function: Function(rapid.IntRange(0, len(Names)-1).Draw(rt, "function")),
			Form: Form(rapid.IntRange(int(Again), int(Early)).Draw(rt, "form")), Reading: FreeHere,
		}
		if _, ok := static[o]; !ok {
			static[o] = decide(rt, o)
		}
		shift := rapid.IntRange(0, 3).Draw(rt, "column")
		packets, err := Column(o)
		if err != nil {
			rt.Fatal(err)
		}
		for i := range packets {
			packets[i].From += spec.NodeID(shift)
			packets[i].To = packets[i].To/4*4 + spec.NodeID((int(packets[i].To)+shift)%4)
		}
		if o.Form == Stale || o.Function == CCB {
			packets = packets[:3]
		}
		m, err := NewMachine(o, packets)
		if err != nil {
			rt.Fatal(err)
		}
		x, err := checker.Explore(context.Background(), m, checker.ExploreOptions{Workers: 2, MaxStates: 200_000})
		if err != nil {
			rt.Fatal(err)
		}
		for _, f := range x.Findings {
			found[f.Verdict]++
			if f.Verdict == spec.Violated && (static[o] == spec.Holds || f.Property != "deadlock") {
				rt.Fatalf("%s: %s is violated, and the static verdict is %s", m.Name(), f.Property, static[o])
			}
		}
	})
	if found[spec.Holds] == 0 || found[spec.Violated] == 0 {
		t.Errorf("no test: %v", found)
	}
}

func decide(rt *rapid.T, o Options) spec.Verdict {
	def, err := New(o)
	if err != nil {
		rt.Fatal(err)
	}
	n, err := spec.Compile(context.Background(), def, spec.CompileOptions{})
	if err != nil {
		rt.Fatal(err)
	}
	r, err := checker.Decide(context.Background(), n, checker.Options{Properties: []spec.Property{spec.Deadlock}})
	if err != nil {
		rt.Fatal(err)
	}
	return r.Results[0].Verdict
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func() error
		want string
	}{
		{"adaptive tie", func() error { _, err := New(Options{K: 4, N: 2, Tie: grid.TieAdaptive}); return err }, "direction must be given"},
		{"literal ccb as a network", func() error { _, err := New(Options{K: 4, N: 2, Function: CCB}); return err }, "depends on the state"},
		{"commit as a network", func() error { _, err := New(Options{K: 4, N: 2, Form: Commit}); return err }, "depends on the state"},
		{"no packets", func() error { _, err := NewMachine(Options{K: 4, N: 2}, nil); return err }, "want 1 to"},
		{"a packet for itself", func() error { _, err := NewMachine(Options{K: 4, N: 2}, []Packet{{1, 1}}); return err }, "want two of the 16"},
		{"a packet from nowhere", func() error { _, err := NewMachine(Options{K: 4, N: 2}, []Packet{{-1, 1}}); return err }, "want two of the 16"},
		{"rings of one", func() error { _, err := New(Options{K: 1, N: 2}); return err }, "nodes in a dimension"},
		{"a short column", func() error { _, err := Column(Options{K: 3, N: 2}); return err }, "at least 4"},
	} {
		if err := tt.make(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error with %q", tt.name, err, tt.want)
		}
	}
}
