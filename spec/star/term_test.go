package star

import "testing"

// TestTermsOfConstants: an operation on two constants is the constant that Starlark computes, whatever the signs, and with
// zero; there is none where the second is no divisor, or no width of a shift.
func TestTermsOfConstants(t *testing.T) {
	floor := func(a, b int64) int64 { // rounded down, as in Starlark
		q := a / b
		if a%b != 0 && (a < 0) != (b < 0) {
			q--
		}
		return q
	}
	is := func(yes bool) int64 { return map[bool]int64{true: 1}[yes] }
	positive := func(b int64) bool { return b > 0 }
	for do, tt := range map[operation]struct {
		of    func(a, b int64) int64
		legal func(b int64) bool
	}{
		opSum:        {of: func(a, b int64) int64 { return a + b }},
		opDifference: {of: func(a, b int64) int64 { return a - b }},
		opProduct:    {of: func(a, b int64) int64 { return a * b }},
		opQuotient:   {floor, positive},
		opRemainder:  {func(a, b int64) int64 { return a - b*floor(a, b) }, positive},
		opAnd:        {of: func(a, b int64) int64 { return a & b }},
		opOr:         {of: func(a, b int64) int64 { return a | b }},
		opXor:        {of: func(a, b int64) int64 { return a ^ b }},
		opShift:      {func(a, b int64) int64 { return a >> b }, func(b int64) bool { return b >= 0 }},
		opMin:        {of: func(a, b int64) int64 { return min(a, b) }},
		opMax:        {of: func(a, b int64) int64 { return max(a, b) }},
		opEqual:      {of: func(a, b int64) int64 { return is(a == b) }},
		opLess:       {of: func(a, b int64) int64 { return is(a < b) }},
		opAtMost:     {of: func(a, b int64) int64 { return is(a <= b) }},
	} {
		for a := int64(-4); a <= 4; a++ {
			for b := int64(-4); b <= 4; b++ {
				got, ok := combine(do, constant(a), constant(b))
				if legal := tt.legal == nil || tt.legal(b); ok != legal {
					t.Errorf("operation %d of %d and %d: %t, want %t", do, a, b, ok, legal)
				} else if ok && (got.do != opConstant || got.k != tt.of(a, b)) {
					t.Errorf("operation %d of %d and %d: %d, want %d", do, a, b, got.k, tt.of(a, b))
				}
			}
		}
	}
	for _, large := range []int64{1 << 26, 1 << 40} {
		if _, ok := combine(opProduct, constant(large), constant(large)); ok {
			t.Errorf("the square of %d is a term: want none beyond %d", large, int64(mostMagnitude))
		}
	}
	if m, ok := combine(opProduct, constant(1<<25), constant(1<<25)); !ok || m.k != mostMagnitude {
		t.Error("2^50 is no term")
	}
}
