package p3

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
)

// drawPyramid draws what the entries of a small table may hold.
func drawPyramid(t *rapid.T) *pyramid {
	p := newPyramid(rapid.IntRange(1, 9).Draw(t, "width"), rapid.IntRange(1, 9).Draw(t, "height"))
	sets := rapid.SampledFrom([]uint32{1, 1, 2, 3, 3, 5, 7, own, nobody})
	for i := range p.common[0] {
		p.common[0][i] = sets.Draw(t, "set")
	}
	p.raise()
	return p
}

// TestBlocksAreFewest: of all divisions into blocks none has fewer entries.
func TestBlocksAreFewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPyramid(t)
		// counts lists the numbers of entries of all divisions of a block.
		var counts func(m, x, y int) map[int]bool
		counts = func(m, x, y int) map[int]bool {
			all, set := map[int]bool{}, nobody
			p.targets(m, x, y, func(i int) { set &= p.common[0][i] })
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
			for _, part := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
				next := map[int]bool{}
				for n := range counts(m-1, 2*x+part[0], 2*y+part[1]) {
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
		want := p.width*p.height + 1
		for n := range counts(len(p.common)-1, 0, 0) {
			want = min(want, n)
		}
		visited := make([]int, p.width*p.height)
		got := p.coarsest(func(m, x, y int) {
			set := nobody
			p.targets(m, x, y, func(i int) { set &= p.common[0][i]; visited[i]++ })
			if set == 0 {
				t.Fatalf("%d bits, block (%d,%d): no entry will do", m, x, y)
			}
		})
		if got != want {
			t.Fatalf("%d entries, want %d", got, want)
		}
		for i, n := range visited {
			if n != 1 && p.common[0][i] != nobody {
				t.Fatalf("target %d has %d entries", i, n)
			}
		}
	})
}

// TestMaskedEntries: two PEs of 4 x 4 targets each. Blocks
// make its own 16 targets one entry, and the other 16 another.
func TestMaskedEntries(t *testing.T) {
	p, err := Grid(GridOptions{Columns: 2, Rows: 1, Pitch: 4})
	if err != nil {
		t.Fatal(err)
	}
	got, err := forwarding(t, Options{Plane: p}).CoarsestMasks(t.Context())
	if err != nil || got.Verdict != spec.Holds || len(got.Evidence) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, want := range []string{
		"without masks: 64 entries", "blocks: 4 entries, at least 4; 2 of 2",
	} {
		if !strings.HasPrefix(got.Evidence[i], want) {
			t.Errorf("got %s\nwant %s", got.Evidence[i], want)
		}
	}
}

// divided counts the blocks into which a table falls, each with one port: what
// the entries are, seen from the finished table.
func (t *tables) divided(pe int) int {
	t.fill(pe, func(i int) uint32 { return 1 << t.port[pe][i] })
	return t.pyramid.coarsest(func(m, x, y int) {})
}

// TestMaskedNetworks: the ordinary static decision finds nothing lost with masked
// tables, and the tables have the entries that were counted.
func TestMaskedNetworks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawSmall(t)
		if len(p.Regions) == 1 {
			return // no flow
		}
		o := Options{Plane: p, Targets: Integers, Rule: rapid.SampledFrom([]Rule{Literal, Horizontal, WestFirst, Beyond, BeyondHorizontal, BeyondVertical, Nearer, ByQuadrant}).Draw(t, "rule"),
			Masks: Blocks}
		masked := forwarding(t, o)
		o.Masks = Unmasked
		plain := forwarding(t, o)
		was, is := decided(t, plain), decided(t, masked)
		unwound, err := plain.Unwound(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range is.Findings {
			// A rule with choices may be free of deadlock despite a cycle of waits,
			// which masks need not keep.
			kept := was.Findings[i].Verdict == spec.Holds && (i > 0 || unwound.Verdict == spec.Holds)
			if kept && r.Verdict != spec.Holds {
				t.Fatalf("%s %s, and %s with masks", r.Property, was.Findings[i].Verdict, r.Verdict)
			}
		}
		if got, err := masked.NeverFarther(t.Context()); err != nil || got.Verdict != spec.Holds {
			t.Fatalf("%+v, %v", got, err)
		}
		paths, err := plain.newTables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		entries, err := paths.coarsen(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for pe, n := range entries {
			if got := paths.divided(pe); got != n {
				t.Fatalf("PE %d: %d entries, counted %d", pe, got, n)
			}
		}
	})
}

// TestMasksByBruteForce: on planes of a few targets all tables that keep the
// distances are tried together. None that keep the verdicts have fewer entries
// than the bound, or than what was found where that is proved.
func TestMasksByBruteForce(t *testing.T) {
	const most = 1 << 17
	tried, same, proved := 0, 0, 0
	for seed := range uint64(40) {
		p, err := Grid(GridOptions{Columns: 2 + int(seed%2), Rows: 1 + int(seed/2%2), Pitch: 2, Moves: int(seed / 4), Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		plain := forwarding(t, Options{Plane: p, Rule: BeyondHorizontal, Targets: Integers})
		kept, _, err := plain.holds(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		paths, err := plain.newTables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// All tables of each PE, and their entries.
		all, blocks, combinations := make([][][]uint8, len(p.Regions)), make([][]int, len(p.Regions)), 1
		for pe := range p.Regions {
			all[pe] = [][]uint8{make([]uint8, len(plain.lattice.owner))}
			for i, owner := range plain.lattice.owner {
				if int(owner) == pe || owner < 0 || len(all[pe]) > most {
					continue
				}
				at := innerOf(&plain.Cells[owner][plain.lattice.cell[i]])
				old := all[pe]
				all[pe] = nil
				for e, to := range p.Across[pe] {
					if to == Outside || bruteDistance(p.Regions[to], at).Cmp(bruteDistance(p.Regions[pe], at)) > 0 {
						continue
					}
					for _, table := range old {
						table = slices.Clone(table)
						table[i] = uint8(e)
						all[pe] = append(all[pe], table)
					}
				}
			}
			for _, table := range all[pe] {
				paths.port[pe] = table
				blocks[pe] = append(blocks[pe], paths.divided(pe))
			}
			combinations = min(most+1, combinations*len(all[pe]))
		}
		if combinations > most {
			continue
		}
		tried++
		fewest := len(plain.lattice.owner)*len(p.Regions) + 1
		var choose func(pe, entries int)
		choose = func(pe, entries int) {
			if entries >= fewest {
				return
			}
			if pe < len(p.Regions) {
				for k, table := range all[pe] {
					paths.port[pe] = table
					choose(pe+1, entries+blocks[pe][k])
				}
				return
			}
			g, err := paths.forwarding(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			now, _, err := g.holds(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i := range kept {
				if kept[i] && !now[i] {
					return
				}
			}
			fewest = entries
		}
		choose(0, 0)
		if paths, err = plain.newTables(t.Context()); err != nil {
			t.Fatal(err)
		}
		found, err := paths.coarsen(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		least, err := paths.least(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, bound := 0, 0
		for pe := range found {
			got, bound = got+found[pe], bound+least[pe]
		}
		if bound > fewest || fewest > got {
			t.Errorf("seed %d: found %d entries, at least %d, but %d are enough", seed, got, bound, fewest)
		}
		if got == fewest {
			same++
		}
		if got == bound {
			proved++
		}
	}
	t.Logf("%d planes, the fewest entries found on %d, and proved on %d", tried, same, proved)
	if tried < 10 || proved == 0 {
		t.Errorf("%d planes tried, proved on %d", tried, proved)
	}
}

// TestMasksCatch: a single wrong entry is found by the questions that masks keep.
func TestMasksCatch(t *testing.T) {
	p, err := Grid(GridOptions{Columns: 3, Rows: 1, Pitch: 4})
	if err != nil {
		t.Fatal(err)
	}
	paths, err := forwarding(t, Options{Plane: p, Targets: Integers}).newTables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	paths.port = paths.first
	for _, want := range [][3]bool{{true, true, true}, {false, false, false}} {
		f, err := paths.forwarding(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, says, err := f.holds(t.Context()); err != nil || got != want {
			t.Errorf("%s, %v, want %v", says, err, want)
		}
		paths.port[1][11] = 3 // in the middle, for a target of the last: to the first
	}
}

func TestMasksRefuse(t *testing.T) {
	notch, err := Parse("f", "pe foot 0,0 64,0 64,64 0,64; pe side 64,0 128,0 128,64 64,64; pe arm 0,64 64,64 96,128 0,128")
	if err != nil {
		t.Fatal(err)
	}
	p := regular(t, 2, 1)
	for want, o := range map[string]Options{
		"want targets integers":          {Plane: p, Masks: Blocks},
		"do not exist":                   {Plane: p, Masks: Blocks + 1, Targets: Integers},
		"want a plane that is convex":    {Plane: notch, Masks: Blocks, Targets: Integers},
		"want a rule other than forced":  {Plane: p, Rule: Forced, Masks: Blocks, Targets: Integers},
		"integer targets need borders l": {Plane: p, Border: Both, Masks: Blocks, Targets: Integers},
	} {
		if _, err := New(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
