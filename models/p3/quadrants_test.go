package p3

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
)

func TestParseQuadrants(t *testing.T) {
	for q := range Quadrants(16) {
		if got, err := ParseQuadrants(q.String()); err != nil || got != q {
			t.Errorf("%s: %s, %v", q, got, err)
		}
	}
	for _, text := range []string{"", "hvh", "hvhvh", "HVHV", "hvhx"} {
		if _, err := ParseQuadrants(text); err == nil || !strings.Contains(err.Error(), "want four letters h or v") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if got := Alternate.String(); got != "hvhv" {
		t.Errorf("alternate: %s", got)
	}
}

// TestQuadrantsOfAMesh: of the four turns that a choice permits, one a quadrant,
// those of hvhv and of vhvh are a circle; any other lacks one of either circle.
func TestQuadrantsOfAMesh(t *testing.T) {
	for _, size := range [][2]int{{2, 2}, {3, 2}, {4, 4}} {
		p := regular(t, size[0], size[1])
		for q := range Quadrants(16) {
			f := forwarding(t, Options{Plane: p, Rule: ByQuadrant, Quadrants: q})
			want := spec.Holds
			if q == Alternate || q == ^Alternate&15 {
				want = spec.Violated
			}
			if got := decided(t, f).Results[0].Verdict; got != want {
				t.Errorf("%v, %s: deadlock %s, want %s", size, q, got, want)
			}
		}
		got, err := forwarding(t, Options{Plane: p}).SomeQuadrants(t.Context())
		if err != nil || got.Verdict != spec.Holds || !strings.HasPrefix(got.Because, "with 14 of the 16") {
			t.Errorf("%v: %+v, %v", size, got, err)
		}
	}
}

// TestAlternateArrives: two PEs that meet at a corner of a grid, side by side,
// see a target beyond it in quadrants that differ in right and left, so that one
// of them goes up or down; likewise one above the other. So they do not name each
// other. Every other choice treats some two such quadrants alike, so that on a
// boundary that bends towards them packets go to and fro.
func TestAlternateArrives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := Grid(GridOptions{Columns: rapid.IntRange(2, 4).Draw(t, "columns"), Rows: rapid.IntRange(2, 4).Draw(t, "rows"),
			Moves: rapid.IntRange(0, 60).Draw(t, "moves"), Seed: rapid.Uint64().Draw(t, "seed")})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []Quadrants{Alternate, ^Alternate & 15} {
			if got, err := forwarding(t, Options{Plane: p, Rule: ByQuadrant, Quadrants: q}).Arrives(t.Context()); err != nil || got.Verdict != spec.Holds {
				t.Fatalf("%s: %+v, %v on\n%s", q, got, err, p)
			}
		}
	})
	for q := range Quadrants(16) {
		astray := false
		for _, bend := range []Point{{0, 16}, {0, -16}, {16, 0}, {-16, 0}} {
			g := newMesh(2, 2, 64)
			g.corners[1][1].X += bend.X
			g.corners[1][1].Y += bend.Y
			p, err := g.plane()
			if err != nil {
				t.Fatal(err)
			}
			got, err := forwarding(t, Options{Plane: p, Rule: ByQuadrant, Quadrants: q}).Arrives(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			astray = astray || got.Verdict == spec.Violated
		}
		if want := q != Alternate && q != ^Alternate&15; astray != want {
			t.Errorf("%s: astray at some bend: %t, want %t", q, astray, want)
		}
	}
}

// TestNearerAtACorner: on grids, where four regions meet, nearer arrives: at most
// three of them have the corner as their nearest point, and the one in the
// middle hands packets to an end, which has a neighbour that is nearer. Around a
// corner with sixteen regions there are more, and two in the middle may name each
// other; beyond goes round them.
func TestNearerAtACorner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, rule := range []Rule{Nearer, BeyondNearer} {
			f := forwarding(t, Options{Plane: drawSmall(t), Rule: rule, Targets: Integers})
			if got, err := f.Arrives(t.Context()); err != nil || got.Verdict != spec.Holds {
				t.Fatalf("%s: %+v, %v", RuleNames[rule], got, err)
			}
		}
	})
	p, err := Fan()
	if err != nil {
		t.Fatal(err)
	}
	for rule, want := range map[Rule]spec.Verdict{Nearer: spec.Violated, BeyondNearer: spec.Holds} {
		if got, err := forwarding(t, Options{Plane: p, Rule: rule, Targets: Integers}).Arrives(t.Context()); err != nil || got.Verdict != want {
			t.Errorf("%s: %+v, %v", RuleNames[rule], got, err)
		}
	}
}
