package star

import "slices"

// input is all that route, or the function of flows, can read.
type input [inputSize]int64

const (
	ofNode = iota // where the packet is
	ofDest
	ofSource
	ofLink // -1 when injecting
	ofVC
	ofChannel
	ofTag
	ofClass
	inputSize
)

// decided is a term on which a run depends, and the value that it had.
type decided struct {
	what  *term
	value int64
}

// term is a number that an input determines; nodes and links are their numbers. It
// has a value wherever the decisions before it (probe.decide) are the same.
type term struct {
	do     operation
	a, b   *term
	k      int64   // a constant, or a part of the input
	table  []int64 // by the value of a
	links  [][]arc // by node
	most   int64   // no value is larger, nor smaller than its negative
	size   int     // steps to compute it
	kept   *term   // the one of terms that it equals; nil if it was not looked up. Guarded as terms is
	number int     // its number among terms, if it is kept there
}

// arc is a link and the node that it leads to.
type arc struct{ to, link int64 }

type operation uint8

const (
	aConstant operation = iota
	aPart               // of the input
	anElement           // table[a]
	anExit              // link k that leaves node a
	aLink               // from node a to node b, or -1
	aSum
	aDifference
	aProduct
	aQuotient  // of b > 0
	aRemainder // of b > 0
	anAnd
	anOr
	anXor
	aShift // to the right
	aLeast
	aGreatest
	isEqual
	isLess
	isAtMost
)

// mostMagnitude bounds the terms, so that none overflows.
const mostMagnitude = 1 << 50

func constant(k int64) *term { return &term{k: k, most: max(k, -k)} }

func partOf(k, most int64) *term { return &term{do: aPart, k: k, most: most} }

// element is table[a], or a constant if all elements are equal.
func element(table *column, a *term) *term {
	if table.least == table.most && len(table.of) > 0 {
		return constant(table.least)
	}
	return &term{do: anElement, a: a, table: table.of, most: max(table.most, -table.least, 0), size: a.size + 1}
}

// column is a table in which terms look up, with its least and its largest element.
type column struct {
	of          []int64
	least, most int64
}

func columnOf(of []int64) *column {
	c := &column{of: of}
	if len(of) > 0 {
		c.least, c.most = slices.Min(of), slices.Max(of)
	}
	return c
}

// combined is a op b. It fails if the result could be too large, or if b is not a
// constant in range where it must be: as a divisor, a positive one, or as the width of
// a shift.
func combined(do operation, a, b *term) (*term, bool) {
	t := &term{do: do, a: a, b: b, most: max(a.most, b.most), size: a.size + b.size + 1}
	known := b.do == aConstant
	switch do {
	case aSum, aDifference:
		t.most = a.most + b.most
	case aProduct:
		if a.most > 0 && b.most > mostMagnitude/a.most {
			return nil, false
		}
		t.most = a.most * b.most
	case aQuotient, aRemainder:
		if !known || b.k <= 0 {
			return nil, false
		}
		if do == aRemainder && b.k == 1 {
			return constant(0), true
		}
	case aShift:
		if !known || b.k < 0 || b.k > 62 {
			return nil, false
		}
	case anAnd, anOr, anXor:
		t.most = 2*t.most + 1
	case isEqual, isLess, isAtMost:
		t.most = 1
	}
	return folded(t), t.most <= mostMagnitude
}

// folded returns the value of a term of constants as a constant, and other terms as
// they are.
func folded(t *term) *term {
	if t.do == aPart || t.do == aConstant || t.a.do != aConstant || t.b != nil && t.b.do != aConstant {
		return t
	}
	return constant(t.of(nil))
}

// reads reports whether the value depends on one of the given parts of the input.
func (t *term) reads(parts ...int64) bool {
	switch {
	case t == nil || t.do == aConstant:
		return false
	case t.do == aPart:
		return slices.Contains(parts, t.k)
	}
	return t.a.reads(parts...) || t.b.reads(parts...)
}

// of returns the term's value.
func (t *term) of(q *input) int64 {
	switch t.do {
	case aConstant:
		return t.k
	case aPart:
		return q[t.k]
	case anElement:
		return t.table[t.a.of(q)]
	case anExit:
		return t.links[t.a.of(q)][t.k].link
	}
	a, b := t.a.of(q), t.b.of(q)
	switch t.do {
	case aLink:
		for _, l := range t.links[a] {
			if l.to == b {
				return l.link
			}
		}
		return -1
	case aSum:
		return a + b
	case aDifference:
		return a - b
	case aProduct:
		return a * b
	case aQuotient:
		return (a - modulo(a, b)) / b
	case aRemainder:
		return modulo(a, b)
	case anAnd:
		return a & b
	case anOr:
		return a | b
	case anXor:
		return a ^ b
	case aShift:
		return a >> b
	case aLeast:
		return min(a, b)
	case aGreatest:
		return max(a, b)
	case isEqual:
		return bit(a == b)
	case isLess:
		return bit(a < b)
	default:
		return bit(a <= b)
	}
}

// modulo is the remainder of a divided by b > 0, as in Starlark: never negative.
func modulo(a, b int64) int64 {
	if a %= b; a < 0 {
		a += b
	}
	return a
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// spelling identifies a term: terms with equal spellings are one.
type spelling struct {
	do    operation
	a, b  *term
	k     int64
	table *int64
}

// terms holds each term once, so that the terms of a large tree lie close together.
type terms map[spelling]*term

func (all terms) of(t *term) *term {
	if t == nil {
		return nil
	}
	if t.kept != nil {
		return t.kept
	}
	key := spelling{do: t.do, a: all.of(t.a), b: all.of(t.b), k: t.k}
	if t.table != nil {
		key.table = &t.table[0]
	}
	kept, met := all[key]
	if !met {
		u := *t
		u.a, u.b = key.a, key.b
		kept = &u
		kept.kept, kept.number = kept, len(all)
		all[key] = kept
	}
	t.kept = kept
	return kept
}

// equals returns the number that a term was found to equal.
func (d *decided) equals(t *term) (k int64, ok bool) {
	switch e := d.what; {
	case e.do != isEqual || d.value == 0:
	case e.a == t && e.b.do == aConstant:
		return e.b.k, true
	case e.b == t && e.a.do == aConstant:
		return e.a.k, true
	}
	return 0, false
}

// given returns a term in which terms of known value are replaced by constants.
func (t *term) given(known []decided) *term {
	if t.do == aConstant {
		return t
	}
	for i := range known {
		d := &known[i]
		if d.what == t {
			return constant(d.value)
		}
		if k, same := d.equals(t); same {
			return constant(k)
		}
	}
	if t.do == aPart {
		return t
	}
	u := *t
	u.kept = nil
	u.a = t.a.given(known)
	if t.b != nil {
		u.b = t.b.given(known)
	}
	if u.a == t.a && u.b == t.b {
		return t
	}
	return folded(&u)
}
