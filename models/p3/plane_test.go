package p3

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestParseRefuses: what is no subdivision is refused with the place.
func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "f:1:1: 0 regions: want 1 to 4096"},
		{"PE a 0,0 1,0 0,1", `f:1:1: "PE": want a line such as pe NAME 0,0 64,0 64,64 0,64`},
		{"# nothing\n  pe", "f:2:3: a PE needs a name and its corners"},
		{"pe a 0,0 4,0 0,4;0 0,1", `f:1:18: "0": want a line such as pe NAME 0,0 64,0 64,64 0,64`},
		{"pe a 0,0 1 0,1", `f:1:10: invalid corner "1": want two integers, as in 64,0`},
		{"pe a 0,0 99999999999,0 0,1", `f:1:10: invalid corner "99999999999,0": want two integers, as in 64,0`},
		{"pe a 0,0 16385,0 0,1", "f:1:10: corner (16385,0) of a: coordinates must lie within 16384 of 0"},
		{"pe a", "f:1:4: region a has 0 corners: want 3 to 16"},
		{"pe a 0,0 1,0 2,0", "f:1:6: region a has no area"},
		{"pe a 0,0 0,4 4,4 4,0", "f:1:6: region a runs clockwise: want its corners counter-clockwise"},
		{"pe a 0,0 4,0 4,0 4,4", "f:1:10: corner (4,0) of a is given twice"},
		{"pe a 0,0 4,0 1,1 0,4", "f:1:14: region a is not convex: corner (0,4) lies to the right of its edge (4,0)-(1,1)"},
		{"pe a 0,0 4,0 4,4 4,0 8,0 0,8", "f:1:14: region a is not convex: corner (8,0) lies to the right of its edge (4,0)-(4,4)"},
		{"pe a 0,0 9,0 2,0 4,0 4,4", "f:1:10: region a turns back at its corner (9,0)"},
		{"pe a 0,0 9,4 -3,4 6,0 3,9", "not convex"}, // a pentagram turns left at every corner
		{"pe a 0,0 4,0 4,4 0,4\npe a 4,0 8,0 8,4 4,4", `f:2:6: a second region is called "a"`},
		{"pe a 0,0 4,0 4,4 0,4\npe b 4,0 8,0 8,4 4,4\npe c 4,0 6,0 4,4", "it is shared by three"},
		{"pe a 0,0 4,0 4,4 0,4\npe b 0,0 4,0 0,4", "f:2:6: the edge (0,0)-(4,0) of b lies on the same side of a: they overlap"},
		{"pe a 0,0 4,0 4,4 0,4\npe b 2,2 6,2 6,6 2,6", "they overlap, or a corner is missing there"},
		{"pe a 0,0 9,0 9,9 0,9\npe b 3,3 6,3 6,6 3,6", "f:2:6: region b has no connection with a"},
		{"pe a 0,0 4,0 4,4 0,4\npe b 4,0 8,0 8,2 4,2\npe c 4,2 8,2 8,4 4,4", "at (4,2): they overlap, or a corner is missing there"},
		{"pe a 0,0 4,0 4,4 0,4\npe b 4,4 8,4 8,8 4,8", "the border passes the corner (4,4) twice"},
		{"pe a 0,0 4,0 4,4 0,4\npe b 5,0 8,0 8,4 5,4", "f:2:6: region b has no connection with a"},
		// A ring of four around a hole: corners in common, no common border.
		{"pe a 0,0 6,0 6,2 2,2 0,2; pe b 6,0 8,0 8,6 6,6 6,2; pe c 8,6 8,8 2,8 2,6 6,6; pe d 0,2 2,2 2,6 2,8 0,8", "a gap: no region lies on the other side of the edge"},
	} {
		_, err := Parse("f", tt.text)
		var pos *spec.PosError
		if !errors.As(err, &pos) {
			t.Errorf("%q: %v", tt.text, err)
		} else if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q:\n got %s\nwant %s", tt.text, err, tt.want)
		}
	}
}

// TestTextRoundTrip: what a grid writes, reads as the same regions and neighbours.
func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlane(t)
		q, err := Parse("f", p.String())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p.Regions, q.Regions) + cmp.Diff(p.Across, q.Across); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestParseNeverPanics: any text, and any text of the right words, is a plane or
// a PosError.
func TestParseNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.SampledFrom([]string{"pe ", "a ", "b ", "0,0 ", "4,0 ", "4,4 ", "0,4 ", "8,0 ", "8,4 ", ";", "\n", "#", "-1,2 ", "\t", "é "}))
		text := strings.Join(words.Draw(t, "words"), "")
		_, err := Parse("f", text)
		var pos *spec.PosError
		if err != nil && !errors.As(err, &pos) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

// TestMovedGrids: a move keeps the plane: its area is that of the grid, all
// regions have the neighbours they had, and equal seeds give equal planes.
func TestMovedGrids(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := GridOptions{Columns: rapid.IntRange(1, 6).Draw(t, "columns"), Rows: rapid.IntRange(1, 6).Draw(t, "rows"), Pitch: 40, Moves: rapid.IntRange(0, 200).Draw(t, "moves"), Seed: rapid.Uint64().Draw(t, "seed")}
		p, err := Grid(o)
		if err != nil {
			t.Fatal(err)
		}
		twice := int64(0)
		for i, r := range p.Regions {
			for e := range r.Corners {
				from, to := r.edge(e)
				twice += turn(r.Corners[0], from, to)
				x, y := i%o.Columns, i/o.Columns
				want := Outside
				switch {
				case e == 0 && y > 0:
					want = i - o.Columns
				case e == 1 && x+1 < o.Columns:
					want = i + 1
				case e == 2 && y+1 < o.Rows:
					want = i + o.Columns
				case e == 3 && x > 0:
					want = i - 1
				}
				if p.Across[i][e] != want {
					t.Fatalf("across edge %d of %s: %d, want %d", e, r.Name, p.Across[i][e], want)
				}
			}
		}
		if want := 2 * 1600 * int64(o.Columns) * int64(o.Rows); twice != want || !p.Convex() {
			t.Fatalf("twice the area is %d, want %d", twice, want)
		}
		again, err := Grid(o)
		if err != nil || again.String() != p.String() {
			t.Fatalf("a second time: %v\n%s\n%s", err, p, again)
		}
	})
}

func TestGridRefuses(t *testing.T) {
	for _, o := range []GridOptions{{}, {Columns: 1}, {Columns: 300, Rows: 1}, {Columns: 1, Rows: 1, Pitch: -1}, {Columns: 1, Rows: 1, Moves: -1}, {Columns: 1 << 62, Rows: 1 << 62}} {
		if _, err := Grid(o); err == nil {
			t.Errorf("%+v: accepted", o)
		}
	}
}
