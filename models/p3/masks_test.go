package p3

import (
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
	if err != nil || got.Verdict != spec.Holds || !strings.HasPrefix(got.Because, "4 entries in place of 64,") {
		t.Fatalf("%+v, %v", got, err)
	}
}

// TestMaskedNetworks: masked tables permit only what the rule does, one edge for
// each target; so what the static decision finds of the rule, by whatever choice,
// it finds of them.
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
		for region, cells := range plain.Cells {
			for i := range cells {
				for pe := range p.Regions {
					was, is := plain.edges(pe, &cells[i]), masked.edges(pe, &masked.Cells[region][i])
					if pe != region && (is&^was != 0 || is == 0 || is&(is-1) != 0) {
						t.Fatalf("PE %d, target %s: edges %b, of %b", pe, &cells[i], is, was)
					}
				}
			}
		}
		was, is := decided(t, plain), decided(t, masked)
		for i, r := range is.Findings {
			// What a choice may lose masks may lose: freedom from deadlock despite a cycle
			// of waits, and delivery of packets that may go round.
			kept := was.Findings[i].Verdict == spec.Holds
			switch spec.Property(i) {
			case spec.Deadlock:
				kept = kept && cycle(t, plain.Definition()) == 0
			case spec.Delivery:
				kept = kept && was.Findings[spec.Livelock].Verdict == spec.Holds
			}
			if kept && r.Verdict != spec.Holds {
				t.Fatalf("%s %s, and %s with masks", r.Property, was.Findings[i].Verdict, r.Verdict)
			}
		}
	})
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
