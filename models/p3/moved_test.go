package p3_test

import (
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/p3"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestMovedPlanes: the network of a move by (0,16) has before it the verdicts of the regular grid and after it those of
// the plane bent, which is another program with other classes; with either, what holds holds before and after.
func TestMovedPlanes(t *testing.T) {
	verdicts := func(e catalogue.Entry, set catalogue.Set) (out [3]spec.Verdict) {
		def, err := e.Define(set)
		if err != nil {
			t.Fatal(err)
		}
		c := countedOf(t, def)
		return [3]spec.Verdict{c.Deadlock, c.Livelock, c.Delivery}
	}
	for _, rule := range p3.RuleNames {
		if rule == "forced" {
			continue
		}
		for i, numbers := range slices.Concat(p3.NumbersNames, p3.MasksNames[1:]) {
			masks := "none" // or numbers
			if i >= len(p3.NumbersNames) {
				numbers, masks = "no", numbers
			}
			var of [2][3]spec.Verdict
			for i, plane := range []catalogue.Set{{"columns": "2"}, {"shape": "bent"}} {
				plane["variant"], plane["numbers"], plane["masks"] = rule, numbers, masks
				of[i] = verdicts(p3.Entry(), plane)
				move := catalogue.Set{"dx": "0", "dy": "16", "variant": rule, "numbers": numbers, "masks": masks, "tables": p3.TablesNames[i]}
				if got := verdicts(p3.MoveEntry(), move); got != of[i] {
					t.Errorf("%v: %v, want %v as of p3 %v", move, got, of[i], plane)
				}
			}
			mixed := catalogue.Set{"dx": "0", "dy": "16", "variant": rule, "numbers": numbers, "masks": masks, "tables": "either"}
			if got := verdicts(p3.MoveEntry(), mixed); got[1] == spec.Holds && (of[0][1] != spec.Holds || of[1][1] != spec.Holds) {
				t.Errorf("%v: %v, want what the planes have, %v", mixed, got, of)
			}
		}
	}
}

// TestNeverBackSettles: packets that entries before and after a move have left in any channel arrive, where those that
// may be sent straight back may go to and fro for ever.
func TestNeverBackSettles(t *testing.T) {
	number := 0
	for _, size := range [...][2]int{{2, 2}, {3, 2}, {3, 3}} {
		for _, dx := range [...]int64{-40, -16, 16, 40, 56} {
			for _, dy := range [...]int64{-40, -8, 0, 8, 32} {
				m := p3.Move{Rule: p3.NeverBack, Tables: p3.Settling}
				var err error
				if m.Before, m.After, err = p3.Moving(size[0], size[1], dx, dy); err != nil {
					continue // not convex
				}
				if number++; !seedtest.Sampled(number, 6) {
					continue
				}
				for m.Masks = range p3.Masks(len(p3.MasksNames)) {
					def, err := p3.Moved(t.Context(), m)
					if err != nil {
						t.Fatal(err)
					}
					if c := countedOf(t, def); c.Livelock != spec.Holds || c.Delivery != spec.Holds {
						t.Errorf("%v by (%d,%d), masks %s: %+v", size, dx, dy, p3.MasksNames[m.Masks], c)
					}
				}
			}
		}
	}
	if number != 66 {
		t.Errorf("%d moves, want the 66 of the claim", number)
	}
}
