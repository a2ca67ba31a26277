package p3

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestKindsOfPoints: every point is of a kind that agrees with the definition, before
// the move and after.
func TestKindsOfPoints(t *testing.T) {
	seedtest.Sample(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		before, after, err := Moving(rapid.IntRange(2, 3).Draw(t, "columns"), rapid.IntRange(1, 2).Draw(t, "rows"),
			rapid.Int64Range(-30, 30).Draw(t, "dx"), rapid.Int64Range(-30, 30).Draw(t, "dy"))
		if err != nil {
			t.Fatal(err)
		}
		kinds, err := Kinds(t.Context(), before, after, Literal)
		if err != nil {
			t.Fatal(err)
		}
		_, hi := before.box()
		for range 10 {
			x, y := rapid.Int64Range(0, hi.X-1).Draw(t, "x"), rapid.Int64Range(0, hi.Y-1).Draw(t, "y")
			at := rat(Point{x, y})
			at.x.Add(at.x, big.NewRat(1, 1<<60))
			at.y.Add(at.y, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 400)))
			var owner [2]int
			var to [2][]uint32
			for i, p := range []*Plane{before, after} {
				for pe, r := range p.Regions {
					_, edges := bruteZone(r, at)
					if edges == 0 {
						owner[i] = pe
					}
					set := uint32(0)
					for e, across := range p.Across[pe] {
						if edges>>e&1 == 1 && across != Outside {
							set |= 1 << across
						}
					}
					to[i] = append(to[i], set)
				}
			}
			if !slices.ContainsFunc(kinds, func(k Kind) bool { return k.Owner == owner && cmp.Equal(k.To, to) }) {
				t.Fatalf("(%d,%d): no kind owned by %v with the hops %v", x, y, owner, to)
			}
		}
		for i, k := range kinds {
			if k.Moved != (k.Owner[0] != k.Owner[1]) || i > 0 && k.Moved && !kinds[i-1].Moved {
				t.Fatalf("kind %d of %d is out of order", i, len(kinds))
			}
		}
	})
}

// twoPEs is the machine of two PEs a and b, written by hand: a target moves from b to
// a, and entries are rewritten in any order.
type twoPEs struct{ plan, a, b, ab, ba, left, arrived, late int }

func (s twoPEs) steps(again bool) []twoPEs {
	var out []twoPEs
	add := func(may bool, change func(n *twoPEs)) {
		if may {
			n := s
			change(&n)
			out = append(out, n)
		}
	}
	add(s.left > 0 && s.a == 0 && s.ab == 0, func(n *twoPEs) { n.left--; n.ab = 1 })
	add(s.left > 0 && s.b == 1 && s.ba == 0, func(n *twoPEs) { n.left--; n.ba = 1 })
	add(s.ab == 1 && s.b == 0, func(n *twoPEs) {
		n.ab, n.arrived = 0, n.arrived+1
		if s.a == 1 && s.plan == 1 {
			n.late = 1
		}
	})
	add(s.ab == 1 && s.b == 1 && s.ba == 0, func(n *twoPEs) { n.ab, n.ba = 0, 1 })
	add(s.ba == 1 && s.a == 1, func(n *twoPEs) {
		n.ba, n.arrived = 0, n.arrived+1
		if s.b == 0 && s.plan == 0 {
			n.late = 1
		}
	})
	add(s.ba == 1 && s.a == 0 && s.ab == 0, func(n *twoPEs) { n.ba, n.ab = 0, 1 })
	add(s.a != s.plan, func(n *twoPEs) { n.a = s.plan })
	add(s.b != s.plan, func(n *twoPEs) { n.b = s.plan })
	add(s.plan == 0 && !again || again && s.a == s.plan && s.b == s.plan, func(n *twoPEs) { n.plan = 1 - s.plan })
	return out
}

// TestKindsOfTheFile: the machine's file and the networks of moves have the same kinds of
// targets in the same order, and for each kind packets can go to the same PEs.
func TestKindsOfTheFile(t *testing.T) {
	seedtest.Sample(t, 8)
	rapid.Check(t, func(t *rapid.T) {
		r := Rebalancing{
			columns: rapid.IntRange(2, 3).Draw(t, "columns"), rows: rapid.IntRange(1, 2).Draw(t, "rows"),
			dx: rapid.Int64Range(-30, 30).Draw(t, "dx"), dy: rapid.Int64Range(-30, 30).Draw(t, "dy"), Packets: 1,
		}
		r.Rule = rapid.SampledFrom([]Rule{Literal, Horizontal, Vertical, WestFirst, Beyond, BeyondHorizontal, BeyondVertical}).Draw(t, "rule")
		before, after, err := Moving(r.columns, r.rows, r.dx, r.dy)
		if err != nil {
			t.Fatal(err)
		}
		kinds, err := Kinds(t.Context(), before, after, r.Rule)
		if err != nil {
			t.Fatal(err)
		}
		r.Kinds = []int{len(kinds)}
		if _, err := r.Program(t.Context()); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("from 0 to %d", len(kinds)-1)) {
			t.Fatalf("%d kinds: %v", len(kinds), err)
		}
		r.Kinds = []int{rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")}
		k := kinds[r.Kinds[0]]
		p, err := r.Program(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want, got := map[string]bool{}, map[string]bool{} // which PE's entry differs, and where packets go on to
		for pe := range k.To[0] {
			if k.To[0][pe] != k.To[1][pe] {
				want["entry "+before.Regions[pe].Name] = true
			}
			for to := range k.To[0] {
				for v, version := range []string{"before", "after"} {
					if k.To[v][pe]>>to&1 == 1 && (v == 0 || k.To[0][pe] != k.To[1][pe]) {
						want[fmt.Sprintf("%s %s %d", before.Regions[pe].Name, version, to)] = true
					}
				}
			}
		}
		for _, v := range p.Variables {
			if name, ok := strings.CutPrefix(v.Name, fmt.Sprintf("entry[%s,", &k.Cell)); ok {
				got["entry "+strings.TrimSuffix(name, "]")] = true
			}
		}
		for _, x := range p.Rules {
			var link, version string
			var to int
			if n, _ := fmt.Sscanf(strings.Replace(x.Name, fmt.Sprintf(" the packet for %s goes on", &k.Cell), "", 1),
				"over %s as %s to PE %d", &link, &version, &to); n == 3 {
				_, at, _ := strings.Cut(link, "->")
				got[fmt.Sprintf("%s %s %d", at, version, to)] = true
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("kind %d, %s (-network +file):\n%s", r.Kinds[0], &k.Cell, diff)
		}
	})
}

func explored(t *testing.T, r Rebalancing) *checker.Result {
	t.Helper()
	return exploredWith(t, r, checker.Question{Explore: checker.Whole, Liveness: true})
}

// deadlock explores all states, without liveness.
func deadlock(t *testing.T, r Rebalancing) spec.Verdict {
	t.Helper()
	return exploredWith(t, r, checker.Question{Explore: checker.Whole}).Findings[0].Verdict
}

func exploredWith(t *testing.T, r Rebalancing, o checker.Question) *checker.Result {
	t.Helper()
	p, err := r.Program(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	x, err := checker.Explore(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func moving(t *testing.T, columns, rows int, dx, dy int64) Rebalancing {
	t.Helper()
	before, after, err := Moving(columns, rows, dx, dy)
	if err != nil {
		t.Fatal(err)
	}
	return Rebalancing{columns: columns, rows: rows, dx: dx, dy: dy,
		Move: Move{Before: before, After: after, Rule: BeyondHorizontal}, Kinds: []int{0}, Packets: 2}
}

// TestTwoPEs: the machine has the states and steps of the one written by hand.
func TestTwoPEs(t *testing.T) {
	for packets := 1; packets <= 4; packets++ {
		for _, again := range []Again{Once, Forever} {
			start := twoPEs{left: packets}
			seen := map[twoPEs]bool{start: true}
			steps := int64(0)
			for queue := []twoPEs{start}; len(queue) > 0; queue = queue[1:] {
				for _, n := range queue[0].steps(again == Forever) {
					steps++
					if !seen[n] {
						seen[n] = true
						queue = append(queue, n)
					}
				}
			}
			r := moving(t, 2, 1, 16, 0)
			r.Packets, r.Again = packets, again
			if x := explored(t, r); x.States != int64(len(seen)) || x.Transitions != steps {
				t.Errorf("%d packets, again %d: %d states, %d steps; want %d, %d", packets, again, x.States, x.Transitions, len(seen), steps)
			}
		}
	}
}

// TestDeadlockBetween: four PEs, free of deadlock before the move and after it,
// deadlock in between, though all entries for a target change at once.
func TestDeadlockBetween(t *testing.T) {
	seedtest.InFull(t)
	r := moving(t, 2, 2, 16, 0)
	for _, p := range []*Plane{r.Before, r.After} {
		if got := decided(t, forwarding(t, Options{Plane: p, Rule: r.Rule})).Findings[0].Verdict; got != spec.Holds {
			t.Fatalf("before or after: deadlock %s", got)
		}
	}
	if settles(t, r, false) {
		t.Error("entries as after the move: no cycle of links")
	}
	if !settles(t, r, true) {
		t.Error("entries of one sort: a cycle of links")
	}
	r.Kinds, r.Packets, r.Discipline = []int{0, 1, 2, 7}, 4, Discipline{Order: AtOnce}
	if x := explored(t, r); x.Findings[0].Verdict != spec.Violated || x.Findings[0].Run() == nil {
		t.Errorf("at once: deadlock %s", x.Findings[0].Verdict)
	}
	r.Packets = 3 // one too few for a cycle of four links
	if x := explored(t, r); x.Findings[0].Verdict != spec.Holds {
		t.Errorf("three packets: deadlock %s", x.Findings[0].Verdict)
	}
	// One packet of each kind is enough for the cycle, and keeps the verdicts.
	r.Packets = 0
	if x := explored(t, r); x.Findings[0].Verdict != spec.Violated {
		t.Errorf("at once, one of each: deadlock %s", x.Findings[0].Verdict)
	}
	for _, d := range []Discipline{{Wait: OfTarget, Hold: TargetsOwn}, {Order: AtOnce, Wait: Inputs}} {
		r.Discipline = d
		if x := explored(t, r); x.Findings[0].Verdict != spec.Holds {
			t.Errorf("%+v: deadlock %s", d, x.Findings[0].Verdict)
		}
	}
}

// TestFirstEntry: with the order giver-first, no entry for the target changes before
// that of the PE that gave it away, and with taker-first none before that of the PE
// that takes it; with any order all may.
func TestFirstEntry(t *testing.T) {
	r := moving(t, 2, 2, 16, 0)
	r.Packets = 1
	for order, want := range map[Order]string{AnyOrder: "neither", GiverFirst: "0", TakerFirst: "1"} {
		r.Discipline.Order = order
		p, err := r.Program(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		kinds, err := Kinds(t.Context(), r.Before, r.After, r.Rule)
		if err != nil {
			t.Fatal(err)
		}
		kind := kinds[r.Kinds[0]]
		entry := func(pe int) program.Var {
			name := fmt.Sprintf("entry[%s,%s]", &kind.Cell, r.Before.Regions[pe].Name)
			return program.Var(slices.IndexFunc(p.Variables, func(v program.Variable) bool { return v.Name == name }))
		}
		others := 0
		for owner, name := range []string{"0", "1"} {
			first := entry(kind.Owner[owner])
			var before []program.Expr
			for x, v := range p.Variables {
				if strings.HasPrefix(v.Name, "entry[") && program.Var(x) != first {
					before = append(before, program.Or(program.Ne(program.Var(x), 1), program.Eq(first, 1)))
				}
			}
			others = len(before)
			p.Invariant(name, program.And(before...))
		}
		if others < 2 {
			t.Fatalf("%d entries besides the first: want those of a third PE among them", others)
		}
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		x, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range x.Findings {
			if name := f.Property; name == "0" || name == "1" {
				if (f.Verdict == spec.Holds) != (name == want) {
					t.Errorf("order %d, first the owner %s: %s", order, name, f.Verdict)
				}
			}
		}
	}
}

func TestRebalancingRefuses(t *testing.T) {
	for _, tt := range []struct {
		change func(r *Rebalancing)
		want   string
	}{
		{func(r *Rebalancing) { r.Packets, r.Kinds = 0, make([]int, 13) }, "13 kinds of targets: want at most 16, or 12 with a packet each"},
		{func(r *Rebalancing) { r.Kinds = make([]int, 17) }, "17 kinds of targets"},
		{func(r *Rebalancing) { r.From = []int{0} }, "1 places to send 1 kinds from"},
		{func(r *Rebalancing) { r.Packets, r.From = 0, []int{2} }, "packets sent from PE 2: want numbers up to 1"},
		{func(r *Rebalancing) { r.Packets, r.From = 0, []int{-1} }, `"-1" is not a PE`},
		{func(r *Rebalancing) { r.Kinds = []int{3} }, "kind 3 of targets: want different numbers from 0 to 2"},
		{func(r *Rebalancing) { r.Kinds = []int{1, 1} }, "a kind of targets twice"},
		{func(r *Rebalancing) { r.Kinds = []int{-1} }, `invalid number "-1"`},
		{func(r *Rebalancing) { r.Notice = true }, "want the order giver-first or taker-first"},
		{func(r *Rebalancing) { r.columns, r.rows = 5, 4 }, "a grid of 5 x 4: want at most 16 PEs"},
		{func(r *Rebalancing) { r.rows, r.dx, r.dy = 2, -63, 63 }, "a boundary shifted by (-63,63): a region is no longer convex"},
	} {
		r := moving(t, 2, 1, 16, 0)
		tt.change(&r)
		if _, err := r.Program(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	for _, m := range [][4]int64{{5, 4, 0, 0}, {2, 2, -63, 63}} {
		if _, _, err := Moving(int(m[0]), int(m[1]), m[2], m[3]); err == nil {
			t.Errorf("%v: accepted", m)
		}
	}
}
