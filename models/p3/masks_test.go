package p3

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestBlocksAreFewest: no division into blocks has fewer entries, and each entry may
// hold what its targets may.
func TestBlocksAreFewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &blocks{width: rapid.IntRange(1, 9).Draw(t, "width"), height: rapid.IntRange(1, 9).Draw(t, "height")}
		b.sets = rapid.SliceOfN(rapid.SampledFrom([]uint32{1, 1, 2, 3, 3, 5, 7, own, nobody}), b.width*b.height, b.width*b.height).Draw(t, "sets")
		// counts lists the numbers of entries of all divisions of a block.
		var counts func(m, x, y int) map[int]bool
		counts = func(m, x, y int) map[int]bool {
			all, set := map[int]bool{}, nobody
			for v := y << m; v < min((y+1)<<m, b.height); v++ {
				for u := x << m; u < min((x+1)<<m, b.width); u++ {
					set &= b.sets[v*b.width+u]
				}
			}
			switch {
			case set == nobody:
				all[0] = true
				return all
			case set != 0:
				all[1] = true
			}
			if m == 0 {
				return all
			}
			sums := map[int]bool{0: true}
			for k := range 4 {
				next := map[int]bool{}
				for n := range counts(m-1, 2*x+k%2, 2*y+k/2) {
					for s := range sums {
						next[n+s] = true
					}
				}
				sums = next
			}
			for n := range sums {
				all[n] = true
			}
			return all
		}
		want := b.width*b.height + 1
		for n := range counts(4, 0, 0) { // 9 targets side by side at most
			want = min(want, n)
		}
		told := make([]int, b.width*b.height)
		got := b.coarsest(func(i int, set uint32) {
			told[i]++
			if set&^b.sets[i] != 0 && b.sets[i] != nobody || set == 0 {
				t.Fatalf("target %d: %b, of %b", i, set, b.sets[i])
			}
		})
		if got != want {
			t.Fatalf("%d entries, want %d", got, want)
		}
		for i, n := range told {
			if n != 1 && b.sets[i] != nobody {
				t.Fatalf("target %d has %d entries", i, n)
			}
		}
	})
}

// TestMaskedEntries: two PEs of 4 x 4 targets each. Blocks
// make its own 16 targets one entry, and the other 16 another.
func TestMaskedEntries(t *testing.T) {
	f := forwarding(t, Options{Plane: Grid(GridOptions{Columns: 2, Rows: 1, Pitch: 4}), Masks: Blocks})
	if f.Entries != 4 || f.Targets != 64 {
		t.Fatalf("%d entries in place of %d, want 4 of 64", f.Entries, f.Targets)
	}
}

// drawSmall draws a moved grid with few integer points.
func drawSmall(t *rapid.T) *Plane {
	return Grid(GridOptions{
		Columns: rapid.IntRange(1, 3).Draw(t, "columns"), Rows: rapid.IntRange(1, 3).Draw(t, "rows"),
		Pitch: rapid.Int64Range(1, 9).Draw(t, "pitch"), Moves: rapid.IntRange(0, 12).Draw(t, "moves"), Seed: rapid.Uint64().Draw(t, "seed"),
	})
}

// TestMaskedNetworks: the integer points of a grid are all targets, each once; masked
// tables permit one edge for each, among those that the rule permits for the cell that
// contains it when all points are targets; so what the static decision finds for the
// rule, whatever the choice, it finds for them.
func TestMaskedNetworks(t *testing.T) {
	seedtest.Sample(t, 25)
	rapid.Check(t, func(t *rapid.T) {
		p := drawSmall(t)
		if len(p.Regions) == 1 {
			return // no flow
		}
		o := Options{Plane: p, Rule: rapid.SampledFrom(asTables).Draw(t, "rule"), Masks: rapid.SampledFrom([]Masks{Blocks, AnyOfBlock}).Draw(t, "masks")}
		masked := forwarding(t, o)
		o.Masks = NoMasks
		plain := forwarding(t, o)
		found := 0
		for region, cells := range masked.Cells {
			found += len(cells)
			for i := range cells {
				k := holds(plain.Cells[region], innerOf(&cells[i]))
				if k < 0 {
					t.Fatalf("the point %s is not a target of %s", &cells[i], p.Regions[region].Name)
				}
				for number, table := range masked.tables.all {
					was, is := plain.edges(table.pe, &plain.Cells[region][k]), masked.edges(number, &cells[i])
					single := is&(is-1) == 0 || masked.asked.Masks == AnyOfBlock
					back, others := towards(p, table, was)
					if table.pe != region && (is&^was != 0 || is == 0 || !single || is&back != 0 && others != 0) {
						t.Fatalf("table %+v, target %s: edges %b, of %b", table, &cells[i], is, was)
					}
				}
			}
		}
		// A grid has the lattice of its rectangle, without its right and upper border.
		if lo, hi := p.box(); int64(found) != (hi.X-lo.X)*(hi.Y-lo.Y) {
			t.Fatalf("%d integer targets in a rectangle from %v to %v", found, lo, hi)
		}
		was, is := decided(t, plain), decided(t, masked)
		for i, r := range is.Findings {
			// Like a choice of hops, masks may lose freedom from deadlock despite a cycle
			// of waits, and delivery of packets that may go round.
			kept := was.Findings[i].Verdict == spec.Holds
			switch spec.Property(i) {
			case spec.DeadlockFreedom:
				kept = kept && cycle(t, plain.Definition()) == 0
			case spec.Delivery:
				kept = kept && was.Findings[spec.LivelockFreedom].Verdict == spec.Holds
			}
			if kept && r.Verdict != spec.Holds {
				t.Fatalf("%s %s, and %s with masks", r.Property, was.Findings[i].Verdict, r.Verdict)
			}
		}
	})
}

// asTables are the rules that tables can follow.
var asTables = []Rule{Literal, Horizontal, Vertical, WestFirst, Beyond, BeyondHorizontal, BeyondVertical, NeverBack}

// towards divides edges into those that lead to where a table's packets come from, and the others.
func towards(p *Plane, of table, edges uint32) (back, others uint32) {
	for e, to := range p.Across[of.pe] {
		switch {
		case edges>>e&1 == 0:
		case to == of.from:
			back |= 1 << e
		default:
			others |= 1 << e
		}
	}
	return back, others
}

// TestMaskedChannels: a grid of 2 x 2 PEs has three tables at each PE, of the CPU and of two neighbours. From (0,0) a
// target in (1,1) lies in zone B, and either neighbour may have it; but a packet comes from one of them, so the table of
// its channel sends all of (1,1) to the other: one block, while that of the CPU may hold either.
func TestMaskedChannels(t *testing.T) {
	f := forwarding(t, Options{Plane: Grid(GridOptions{Columns: 2, Rows: 2, Pitch: 4}), Rule: NeverBack, Masks: AnyOfBlock})
	if len(f.tables.all) != 12 {
		t.Fatalf("%d tables, want 12", len(f.tables.all))
	}
	to := func(from int) uint32 { return f.regionsAcross(0, f.edges(f.tables.number(0, from), &f.Cells[3][0])) }
	for from, want := range map[int]uint32{cpu: 1<<1 | 1<<2, 1: 1 << 2, 2: 1 << 1} {
		if got := to(from); got != want {
			t.Errorf("a packet at PE 0 from %d: regions %b, want %b", from, got, want)
		}
	}
	// The region of each PE is a block, in each of eight tables.
	if f.Entries != 8*4 || f.Targets != 8*64 {
		t.Errorf("%d entries in place of %d, want 32 of 512", f.Entries, f.Targets)
	}
}

// TestMaskedBorders: with closed zones the points of the plane's right and upper border are targets, too; a point on an
// edge belongs to the first region that has it.
func TestMaskedBorders(t *testing.T) {
	seedtest.Sample(t, 25)
	rapid.Check(t, func(t *rapid.T) {
		p := drawSmall(t)
		f := forwarding(t, Options{Plane: p, Rule: rapid.SampledFrom(asTables).Draw(t, "rule"), Border: Both, Masks: Blocks})
		found := 0
		for region, cells := range f.Cells {
			found += len(cells)
			for i := range cells {
				at := innerOf(&cells[i])
				for k, r := range p.Regions {
					if in := bruteInside(r, at); in && k < region || !in && k == region {
						t.Fatalf("%s is a target of region %d", &cells[i], region)
					}
				}
				for number, table := range f.tables.all {
					is, may := f.edges(number, &cells[i]), f.permitted(table.pe, &cells[i])
					if table.pe != region && (is == 0 || is&^may != 0) {
						t.Fatalf("table %+v, target %s: edges %b, of %b", table, &cells[i], is, may)
					}
				}
			}
		}
		if lo, hi := p.box(); int64(found) != (hi.X-lo.X+1)*(hi.Y-lo.Y+1) {
			t.Fatalf("%d integer targets in a rectangle from %v to %v", found, lo, hi)
		}
	})
}

// TestMaskedNotch: where a zone names no PE, the target straight above a border, neither does an entry.
func TestMaskedNotch(t *testing.T) {
	plain, masked := decided(t, forwarding(t, Options{Plane: Notch()})), decided(t, forwarding(t, Options{Plane: Notch(), Masks: AnyOfBlock}))
	for i := range plain.Findings {
		if got, want := masked.Findings[i].Verdict, plain.Findings[i].Verdict; got != want {
			t.Errorf("%s %s with masks, and %s without", masked.Findings[i].Property, got, want)
		}
	}
}

func TestMasksRefuse(t *testing.T) {
	for want, o := range map[string]Options{
		"want a rule other than forced":      {Plane: regular(t, 2, 1), Rule: Forced},
		"pairs of PE and integer target: wa": {Plane: regular(t, 9, 8)},
	} {
		o.Masks = Blocks
		if _, err := NewForwarding(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
