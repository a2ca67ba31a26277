package peach2

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestComparisonIsSettled: a comparison reported to depend on no unknown bit has one result
// for all addresses, which are tried; one reported to depend on a bit compares that bit and
// no unknown bit above it.
func TestComparisonIsSettled(t *testing.T) {
	settled, alike := 0, func(x Register, ones, unknown uint64) bool {
		first := ones&x.Mask >= x.Lower && ones&x.Mask <= x.Upper
		for more := unknown; more != 0; more = (more - 1) & unknown {
			if a := (ones | more) & x.Mask; (a >= x.Lower && a <= x.Upper) != first {
				return false
			}
		}
		return true
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.Uint64Range(0, 63)
		unknown := word.Draw(t, "unknown")
		ones := word.Draw(t, "ones") &^ unknown
		x := Register{Mask: word.Draw(t, "mask"), Lower: word.Draw(t, "lower"), Upper: word.Draw(t, "upper")}
		bit := x.open(ones, unknown)
		switch {
		case bit < 0 && !alike(x, ones, unknown):
			t.Fatalf("%+v is not settled for %b and any of %b", x, ones, unknown)
		case bit >= 0 && unknown&x.Mask>>bit != 1:
			t.Fatalf("%+v: bit %d is not the highest of %b that is compared", x, bit, unknown)
		case bit < 0 && unknown != 0:
			settled++
		}
	})
	if seedtest.Usual() && settled == 0 {
		t.Error("no comparison with unknown bits was settled: the draws test nothing")
	}
}
