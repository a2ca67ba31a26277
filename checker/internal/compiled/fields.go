package compiled

import (
	"cmp"
	"math/bits"
	"slices"
)

// fields are the bits of variables in one word, each field those of one variable. All of
// them are compared at once (Lamport, Multiple Byte Processing with
// Full-Word Instructions, 1975).
type fields struct {
	mask, want uint64 // a field matches if it is so masked
	low, high  uint64 // the lowest and highest bit of each
	below      uint64 // the bits of each from the lowest up to, but without, the highest
}

// add adds the field of a test of bits.
func (f *fields) add(t *test) {
	high := uint64(1) << (bits.Len64(t.mask) - 1)
	low := t.mask & -t.mask
	f.mask, f.want = f.mask|t.mask, f.want|t.want
	f.low, f.high, f.below = f.low|low, f.high|high, f.below|(high-low)
}

// any reports whether some field matches: no bit of it differs. Subtracting each field's
// lowest bit makes the lowest matching field borrow, which sets its highest bit; without
// a borrow that bit stays clear.
func (f *fields) any(word uint64) bool {
	differs := (word ^ f.want) & f.mask
	return (differs-f.low)&^differs&f.high != 0
}

// count returns how many fields match. Where a bit below the highest differs, the sum
// carries into the highest, and never further.
func (f *fields) count(word uint64) int {
	differs := (word ^ f.want) & f.mask
	return bits.OnesCount64(^(differs&^f.high + f.below | differs) & f.high)
}

// eachFields calls f with the tests of bits that are worth making together: those in one
// word with the same number. It returns the others.
func eachFields(tests []numbered, f func(number int, word int32, of fields)) (others []numbered) {
	slices.SortStableFunc(tests, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.word, b.word), cmp.Compare(a.number, b.number))
	})
	for len(tests) > 0 {
		var all fields
		var single []numbered // those that overlap
		n := 0
		for ; n < len(tests) && tests[n].word == tests[0].word && tests[n].number == tests[0].number; n++ {
			if all.mask&tests[n].mask != 0 {
				single = append(single, tests[n])
			} else {
				all.add(&tests[n].test)
			}
		}
		if bits.Len64(all.mask)-bits.TrailingZeros64(all.mask) > sideBits {
			f(tests[0].number, tests[0].word, all)
			others = append(others, single...)
		} else {
			others = append(others, tests[:n]...)
		}
		tests = tests[n:]
	}
	return others
}

// numbered is a test of bits and the number that it counts for.
type numbered struct {
	test
	number int
	index  int // of what it was made from
}
