package p3

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestClaimsOfZones: on convex planes, whatever the moves and the rule: zones
// cover, and no hop leads away from the target. Beyond arrives.
func TestClaimsOfZones(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := Rule(rapid.IntRange(0, int(Forced)).Draw(t, "rule"))
		f := forwarding(t, Options{Plane: drawPlane(t), Rule: rule})
		for _, ask := range []func(context.Context) (Finding, error){f.Covers, neverFarther(f)} {
			if got, err := ask(t.Context()); err != nil || got.Verdict != spec.Holds {
				t.Fatalf("%s: %v %+v", RuleNames[rule], err, got)
			}
		}
		if (rule == Beyond || rule == BeyondHorizontal || rule == BeyondVertical) && len(f.Plane.Regions) > 1 && !arrives(t, f) {
			t.Fatalf("%s: packets need not arrive", RuleNames[rule])
		}
	})
}

// neverFarther is the question whether a distance ever grows.
func neverFarther(f *Forwarding) func(context.Context) (Finding, error) {
	return func(ctx context.Context) (Finding, error) { return f.Distances(ctx, false) }
}

// TestChangesOfDistance: what [Forwarding.compare] says without computing is
// what the distances, computed from the definition, say.
func TestChangesOfDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := forwarding(t, Options{Plane: drawPlane(t), Border: Border(rapid.IntRange(0, 2).Draw(t, "border"))})
		d := &distances{plane: f.Plane}
		var target *Cell
		var brute []*big.Rat // by region
		cells := 0
		err := f.eachHop(t.Context(), func(h hop) bool {
			if h.target != target {
				if cells++; cells > 40 {
					return false // enough for one plane: fractions are slow
				}
				target, brute = h.target, nil
				for _, r := range f.Plane.Regions {
					brute = append(brute, bruteDistance(r, innerOf(target)))
				}
			}
			want := brute[h.to].Cmp(brute[h.from])
			if got := f.compare(h, d); got != want {
				t.Fatalf("%s to %s, target %s: %d, want %d", f.name(h.from), f.name(h.to), h.target, got, want)
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestBent: the counterexample to "the packet always arrives", by hand. The
// corner is (64,80). The strip of the upper edge of (0,0), which rises by 16 to
// 64, ends at the line from there to (52,128); targets to the right of it and to
// the left of x = 76, its mirror image, lie in zone B of both lower PEs. One is
// (60,112), 4 to the left and 32 above: squared distance 16 + 1024.
func TestBent(t *testing.T) {
	p, err := Bent()
	if err != nil {
		t.Fatal(err)
	}
	f := forwarding(t, Options{Plane: p})
	got, err := f.Distances(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	want := Finding{
		Verdict: spec.Violated,
		Because: "from (0,0) to (1,0) the squared distance from the target (60,112) changes from 1040 to 1040",
		Evidence: []string{
			"PE (0,0), target (60,112) at squared distance 1040: zone B at (64,80), may go to (1,0) or (0,1)",
			"PE (1,0), target (60,112) at squared distance 1040: zone B at (64,80), may go to (1,1) or (0,0)",
		},
	}
	got.Picture = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestQuestionsCatchWrongHops: a single hop that the zones do not name is found.
func TestQuestionsCatchWrongHops(t *testing.T) {
	f := forwarding(t, Options{Plane: regular(t, 3, 3), Rule: Horizontal})
	// From the middle PE, for the targets of the upper right one, go left.
	f.hops[8][0][4] = 1 << 3
	for _, strictly := range []bool{false, true} {
		if got, err := f.Distances(t.Context(), strictly); err != nil || got.Verdict != spec.Violated {
			t.Errorf("strictly %t: %s, %v", strictly, got.Verdict, err)
		}
	}
	if arrives(t, f) {
		t.Error("packets arrive")
	}
	f.hops[8][0][4] = 0
	if arrives(t, f) {
		t.Error("packets arrive through a dead end")
	}
	// A strip to both sides: it overlaps the one of the edge opposite.
	f = forwarding(t, Options{Plane: regular(t, 3, 3)})
	f.views[4].out[1] = line{0, 0, -1}
	if got, err := f.Covers(t.Context()); err != nil || got.Verdict != spec.Violated {
		t.Errorf("overlapping zones: %s, %v", got.Verdict, err)
	}
}

// TestNotConvex: a target above the border of another PE is a dead end.
func TestNotConvex(t *testing.T) {
	p, err := Parse("f", "pe foot 0,0 64,0 64,64 0,64; pe side 64,0 128,0 128,64 64,64; pe arm 0,64 64,64 96,128 0,128")
	if err != nil {
		t.Fatal(err)
	}
	got, err := forwarding(t, Options{Plane: p}).Covers(t.Context())
	if err != nil || got.Verdict != spec.Violated || p.Convex() {
		t.Errorf("%+v, %v, convex: %t", got, err, p.Convex())
	}
}

// TestPictures: well-formed, and the same to the byte the second time.
func TestPictures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := forwarding(t, Options{Plane: drawPlane(t)})
		for _, ask := range []func(context.Context) (Finding, error){f.Covers, neverFarther(f)} {
			got, err := ask(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var one, two bytes.Buffer
			if err := errors.Join(got.Picture.SVG(&one), got.Picture.SVG(&two)); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
				t.Fatalf("%v\n%s\n%s", err, &one, &two)
			}
			for d := xml.NewDecoder(&one); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// TestDistance: the distance that reports name is that of the definition.
func TestDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlane(t)
		n := rapid.Int64Range(-200, 200)
		c := Cell{corners: []place{{n.Draw(t, "x"), n.Draw(t, "y"), rapid.Int64Range(1, 7).Draw(t, "w")}}}
		for _, r := range p.Regions {
			at := vector{big.NewRat(c.corners[0].x, c.corners[0].w), big.NewRat(c.corners[0].y, c.corners[0].w)}
			if got, want := r.distance(&c), bruteDistance(r, at); got.Cmp(want) != 0 {
				t.Fatalf("%s from %s: %s, want %s", &c, r.Name, got, want)
			}
		}
	})
}

// TestCancelled: every question ends when its context does.
func TestCancelled(t *testing.T) {
	f := forwarding(t, Options{Plane: regular(t, 2, 2)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, ask := range map[string]func(context.Context) (Finding, error){"covers": f.Covers, "farther": neverFarther(f), "masks": f.CoarsestMasks} {
		if _, err := ask(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewForwarding(ctx, Options{Plane: f.Plane}); !errors.Is(err, context.Canceled) {
		t.Errorf("cells: %v", err)
	}
}
