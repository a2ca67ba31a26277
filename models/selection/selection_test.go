package selection

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestChoices: the paper's rules, by hand, for a packet at (0,0) with one hop
// left in x and two in y on a 5x5 torus, which may use all three VCs of x and CF of
// y. Free VCs are written x:CH,CA,CF y:CF as digits.
func TestChoices(t *testing.T) {
	o := torus{K: 5, N: 2}
	g, err := gridOf(o)
	if err != nil {
		t.Fatal(err)
	}
	all := o.directions(g, 0, spec.NodeID(2*5+1))
	name := func(c spec.ChannelID) string { dim, _ := g.Direction(c); return "xy"[dim:dim+1] + ClassNames[g.VC(c)] }
	ahead := func(x, y int) func(direction) int { return func(w direction) int { return []int{x, y}[w.dim] } }
	for _, tt := range []struct {
		f       Function
		reading Reading
		free    string // x:CH,CA,CF y:CF
		ahead   func(direction) int
		want    string
		past    string // outputs, the least used first; "": left open
	}{
		{DimensionOrder, Literal, "1111", nil, "xCH", ""},
		{DimensionOrder, Literal, "0011", nil, "xCF", ""},
		{DimensionOrder, Literal, "0001", nil, "yCF", ""},
		{DimensionOrder, Literal, "0000", nil, "", ""},
		{Random, Literal, "0111", nil, "xCA yCF", ""},
		{LRU, Literal, "0110", nil, "xCA", ""},
		{LRU, Literal, "1111", nil, "xCH yCF", ""}, // by some history
		{LRU, Literal, "1111", nil, "yCF", "yCF xCH xCA"},
		{LRU, Literal, "1111", nil, "xCH", "xCH yCF xCA"},
		{LFU, Literal, "0111", nil, "yCF", "xCH yCF xCA"}, // CH is taken, so that CA is compared
		{LD, Literal, "1110", nil, "xCH", "yCF xCH"},      // y is less used, and not free
		{Zigzag, Literal, "1111", nil, "yCF", ""},         // two hops left in y, one in x
		{Zigzag, Literal, "1110", nil, "xCH", ""},
		{SCCB, Literal, "1111", nil, "xCH", ""}, // (a)
		{SCCB, Literal, "0111", nil, "yCF", ""}, // (b)
		{SCCB, Literal, "0110", nil, "xCA", ""}, // (b): x is the highest that is free
		{SCCB, Literal, "0000", nil, "", ""},
		{CCB, Literal, "0101", ahead(9, 0), "yCF", ""}, // (a)
		{CCB, Literal, "0100", ahead(9, 0), "xCA", ""}, // (a): y is not free
		{CCB, Literal, "1111", ahead(3, 2), "xCH", ""}, // (b)
		{CCB, Literal, "1111", ahead(3, 3), "yCF", ""}, // (b): the higher of equals
		{CCB, Literal, "1110", ahead(3, 3), "", ""},    // (b): it waits for y, though x is free
		{CCB, FreeHere, "1110", ahead(3, 3), "xCH", ""},
		{CCB, FreeHere, "1110", ahead(0, 9), "xCH", ""},
	} {
		free := func(c spec.ChannelID) bool {
			dim, _ := g.Direction(c)
			if dim == 0 {
				return tt.free[g.VC(c)] == '1'
			}
			return g.VC(c) == starchannel.CF && tt.free[3] == '1'
		}
		see := view{free: free, ahead: tt.ahead}
		if tt.past != "" {
			see.past = func(a, b spec.ChannelID) int {
				return strings.Index(tt.past, name(a)) - strings.Index(tt.past, name(b))
			}
		}
		var got []string
		for _, c := range tt.f.choices(nil, all, tt.reading, see) {
			got = append(got, name(c))
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s %s, free %s (-want +got):\n%s", Names[tt.f], ReadingNames[tt.reading], tt.free, diff)
		}
	}
}

// TestColumnKnot: the deadlock of CCB read literally is the one found by hand: every CF
// channel of the column's ring holds a packet with one hop left in x and one in y; all
// of x is free; the next node in x, where the packet could use CA and CF of y and
// sometimes CH, has no more free VCs than the next one in y, where it could use all
// three of x.
func TestColumnKnot(t *testing.T) {
	o := torus{K: 4, N: 2, Function: CCB, Reading: Literal}
	m := machine(t, o, Traffic{Who: "column"})
	var knots []string
	walk(t, m, 100_000, func(s []uint64, next [][]uint64) {
		if len(next) > 0 || m.Claims().Final(s) {
			return
		}
		var held []string
		for c := range m.held(s) {
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

// TestStaticHolds: if the static decision finds a function free of deadlock, so does
// exploring, for three packets of each column of 3x3, one way; and nothing else is ever
// violated.
func TestStaticHolds(t *testing.T) {
	found := map[spec.Verdict]int{}
	number := 0
	for f := range Names {
		for _, form := range []Form{Again, Early, Stale} {
			o := torus{K: 3, N: 2, OneWay: true, Function: Function(f), Form: form, Reading: FreeHere}
			static := decide(t, o)
			for x := range spec.NodeID(3) {
				if number++; !seedtest.Sampled(number, 10) {
					continue
				}
				packets := []Packet{{x, 6 + (x+1)%3}, {3 + x, (x + 1) % 3}, {6 + x, 3 + (x+1)%3}}
				m := machine(t, o, Traffic{Packets: packets})
				got, err := checker.Explore(t.Context(), m, checker.Question{MaxStates: 20_000})
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range got.Findings {
					found[p.Verdict]++
					if p.Verdict == spec.Violated && (static == spec.Holds || p.Property != "deadlock-freedom") {
						t.Errorf("%s: %s is violated, and the static verdict is %s", m.Name(), p.Property, static)
					}
				}
			}
		}
	}
	if seedtest.Whole() && (found[spec.Holds] < 6 || found[spec.Violated] < 3) {
		t.Errorf("no test: %v", found)
	}
}

func decide(t testing.TB, o torus) spec.Verdict {
	n := routingtest.Network(t)(New(o.options()))
	r, err := checker.Check(context.Background(), n, checker.Question{Properties: []string{"deadlock-freedom"}})
	if err != nil {
		t.Fatal(err)
	}
	return r.Findings[0].Verdict
}

func TestRefused(t *testing.T) {
	file := func(o torus, who string) func() error {
		return func() error { _, err := NewMachine(t, o, Traffic{Who: who}); return err }
	}
	square := torus{K: 4, N: 2}
	var far []string // on 16x16, each to the node that is opposite
	for v := range 100 {
		far = append(far, fmt.Sprintf("%d-%d", v, (v/16+8)%16*16+(v+8)%16))
	}
	for _, tt := range []struct {
		name string
		make func() error
		want string
	}{
		{"a formula of ccb", func() error { _, err := New(Options{K: 4, N: 2, Function: CCB, Reading: Formula}); return err }, "want one of zigzag"},
		{"a formula of ccb, step by step", file(torus{K: 4, N: 2, Function: CCB, Reading: Formula}, "far"), "want one of zigzag"},
		{"literal ccb as a network", func() error { _, err := New(Options{K: 4, N: 2, Function: CCB}); return err }, "depends on the state"},
		{"a packet for itself", file(square, "1>1"), "want two of the 16"},
		{"a packet from nowhere", file(square, "-1-1"), "want SRC-DST with two node numbers"},
		{"a packet for nowhere", file(square, "1-16"), "want two of the 16"},
		{"a packet without end", file(square, "0-1,2"), `entry 2 of the packets is "2"`},
		{"a packet of many digits", file(square, "0-99999999999999999999"), "want SRC-DST with two node numbers"},
		{"old status that is the present one", file(torus{K: 4, N: 2, Form: Stale, Status: Present}, "0-1"), "with the present one it is form commit"},
		{"a list too long", file(square, strings.Repeat("0-1,", 300)), "1200 bytes: want at most 1024"},
		{"too many places", file(torus{K: 16, N: 2}, strings.Join(far, ",")), "more than 4096 places"},
		{"rings of one", func() error { _, err := New(Options{K: 1, N: 2}); return err }, "nodes in a dimension"},
		{"a short column", file(torus{K: 3, N: 2}, "column"), "at least 4"},
		{"all of too many", file(torus{K: 5, N: 4}, "all"), "at most 256 nodes"},
		{"a router of too many pairs", func() error { _, err := NewRouter(Options{K: 6, N: 2}); return err }, "want at most 1024"},
	} {
		if err := tt.make(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error with %q", tt.name, err, tt.want)
		}
	}
}

// TestZigzagReadings: on a ring of 5, x = 4 is one hop back from 0, y = 2 two hops
// ahead. Most hops are left in y; by the formula |x_d - x_s| x is farther, 4 against 2.
func TestZigzagReadings(t *testing.T) {
	for reading, want := range map[Reading]int{FreeHere: 1, Formula: 0} {
		o := torus{K: 5, N: 2, Function: Zigzag, Reading: reading}
		g, err := gridOf(o)
		if err != nil {
			t.Fatal(err)
		}
		got := o.Function.choices(nil, o.directions(g, 0, spec.NodeID(2*5+4)), reading, view{free: func(spec.ChannelID) bool { return true }})
		if len(got) != 1 {
			t.Fatalf("%s: %d channels chosen", ReadingNames[reading], len(got))
		}
		if dim, _ := g.Direction(got[0]); dim != want {
			t.Errorf("%s: dimension %d, want %d", ReadingNames[reading], dim, want)
		}
	}
	if _, err := gridOf(torus{K: 5, N: 2, Function: CCB, Reading: Formula}); err == nil {
		t.Error("ccb has no formula")
	}
}
