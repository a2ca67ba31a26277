package compiled

import (
	"cmp"
	"math/bits"
	"slices"
)

// place says where a variable lies in a state.
type place struct {
	word  int
	shift uint
	mask  uint64
}

func (p *place) of(s []uint64) uint64 { return s[p.word] >> (p.shift & 63) & p.mask }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.word, q.word), cmp.Compare(p.shift, q.shift))
}

// join returns the place that covers two places; fits says that a table can be that large.
func (p place) join(q place) (at place, fits bool) {
	if p.word != q.word {
		return p, false
	}
	if q.shift < p.shift {
		p, q = q, p
	}
	width := max(bits.Len64(p.mask), int(q.shift-p.shift)+bits.Len64(q.mask))
	p.mask = 1<<width - 1
	return p, width <= sideBits
}

func (p place) covers(q place) bool {
	return p.word == q.word && p.shift <= q.shift && q.mask<<(q.shift-p.shift)&^p.mask == 0
}

// sideBits bounds the bits by which adjacent variables are looked up together.
const sideBits = 10

// sideBySide calls f with groups of adjacent parts, and the place of each. It orders
// the parts.
func sideBySide[T any](parts []T, of func(*T) place, f func(group []T, at place)) {
	slices.SortFunc(parts, func(a, b T) int { return of(&a).compare(of(&b)) })
	for len(parts) > 0 {
		at, n := of(&parts[0]), 1
		for ; n < len(parts); n++ {
			wide, fits := at.join(of(&parts[n]))
			if !fits {
				break
			}
			at = wide
		}
		f(parts[:n], at)
		parts = parts[n:]
	}
}

// test is one test of a state and where to continue after it. It has 32 bytes and no
// pointers: most of a machine's time goes into tests.
type test struct {
	kind  kind
	shift uint8 // with word and mask: the place
	word  int32
	next  [2]int32 // if it fails, if it holds
	mask  uint64
	want  uint64 // masked: the bits wanted; inSet: the values wanted; inSets, summed: where these are
}

type kind uint8

const (
	masked  kind = iota // s[word]&mask == want
	inSet               // the value at the place is in want
	inSets              // the values at the place, of adjacent variables, are in the sets from want on
	noField             // none of fields[want] matches
	summed              // the comparison sums[want] holds
)

func (t *test) place() place { return place{int(t.word), uint(t.shift), t.mask} }

func testOf(k kind, at place, want uint64) test {
	return test{kind: k, shift: uint8(at.shift), word: int32(at.word), mask: at.mask, want: want}
}
