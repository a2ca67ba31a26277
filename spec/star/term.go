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

// constraint is a term on which a run depends, and the value that it had.
type constraint struct {
	term  *term
	value int64
}

// term is a number that an input determines; nodes and links are their numbers. It
// has a value wherever the decisions before it (symbolicRun.decide) are the same.
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
	opConstant operation = iota
	opPart               // of the input
	opElement            // table[a]
	opExit               // link k that leaves node a
	opLink               // from node a to node b, or -1
	opSum
	opDifference
	opProduct
	opQuotient  // of b > 0
	opRemainder // of b > 0
	opAnd
	opOr
	opXor
	opShift // to the right
	opMin
	opMax
	opEqual
	opLess
	opAtMost
)

// mostMagnitude bounds the terms, so that none overflows.
const mostMagnitude = 1 << 50

func constant(k int64) *term { return &term{k: k, most: max(k, -k)} }

func partOf(k, most int64) *term { return &term{do: opPart, k: k, most: most} }

// elementOf is table[a], or a constant if all elements are equal.
func elementOf(table *column, a *term) *term {
	if table.least == table.most && len(table.of) > 0 {
		return constant(table.least)
	}
	return &term{do: opElement, a: a, table: table.of, most: max(table.most, -table.least, 0), size: a.size + 1}
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

// combine is a op b. It fails if the result could be too large, or if b is not a
// constant in range where it must be: as a divisor, a positive one, or as the width of
// a shift.
func combine(do operation, a, b *term) (*term, bool) {
	t := &term{do: do, a: a, b: b, most: max(a.most, b.most), size: a.size + b.size + 1}
	known := b.do == opConstant
	switch do {
	case opSum, opDifference:
		t.most = a.most + b.most
	case opProduct:
		if a.most > 0 && b.most > mostMagnitude/a.most {
			return nil, false
		}
		t.most = a.most * b.most
	case opQuotient, opRemainder:
		if !known || b.k <= 0 {
			return nil, false
		}
		if do == opRemainder && b.k == 1 {
			return constant(0), true
		}
	case opShift:
		if !known || b.k < 0 || b.k > 62 {
			return nil, false
		}
	case opAnd, opOr, opXor:
		t.most = 2*t.most + 1
	case opEqual, opLess, opAtMost:
		t.most = 1
	}
	return fold(t), t.most <= mostMagnitude
}

// fold returns the value of a term of constants as a constant, and other terms as
// they are.
func fold(t *term) *term {
	if t.do == opPart || t.do == opConstant || t.a.do != opConstant || t.b != nil && t.b.do != opConstant {
		return t
	}
	return constant(t.evaluate(nil))
}

// reads reports whether the value depends on one of the given parts of the input.
func (t *term) reads(parts ...int64) bool {
	switch {
	case t == nil || t.do == opConstant:
		return false
	case t.do == opPart:
		return slices.Contains(parts, t.k)
	}
	return t.a.reads(parts...) || t.b.reads(parts...)
}

// evaluate returns the term's value.
func (t *term) evaluate(q *input) int64 {
	switch t.do {
	case opConstant:
		return t.k
	case opPart:
		return q[t.k]
	case opElement:
		return t.table[t.a.evaluate(q)]
	case opExit:
		return t.links[t.a.evaluate(q)][t.k].link
	}
	a, b := t.a.evaluate(q), t.b.evaluate(q)
	switch t.do {
	case opLink:
		for _, l := range t.links[a] {
			if l.to == b {
				return l.link
			}
		}
		return -1
	case opSum:
		return a + b
	case opDifference:
		return a - b
	case opProduct:
		return a * b
	case opQuotient:
		return (a - modulo(a, b)) / b
	case opRemainder:
		return modulo(a, b)
	case opAnd:
		return a & b
	case opOr:
		return a | b
	case opXor:
		return a ^ b
	case opShift:
		return a >> b
	case opMin:
		return min(a, b)
	case opMax:
		return max(a, b)
	case opEqual:
		return bit(a == b)
	case opLess:
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

func (all terms) intern(t *term) *term {
	if t == nil {
		return nil
	}
	if t.kept != nil {
		return t.kept
	}
	key := spelling{do: t.do, a: all.intern(t.a), b: all.intern(t.b), k: t.k}
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

// equality returns the number that a term was found to equal.
func (d *constraint) equality(t *term) (k int64, ok bool) {
	switch e := d.term; {
	case e.do != opEqual || d.value == 0:
	case e.a == t && e.b.do == opConstant:
		return e.b.k, true
	case e.b == t && e.a.do == opConstant:
		return e.a.k, true
	}
	return 0, false
}

// substitute returns a term in which terms of known value are replaced by constants.
func (t *term) substitute(known []constraint) *term {
	if t.do == opConstant {
		return t
	}
	for i := range known {
		d := &known[i]
		if d.term == t {
			return constant(d.value)
		}
		if k, same := d.equality(t); same {
			return constant(k)
		}
	}
	if t.do == opPart {
		return t
	}
	u := *t
	u.kept = nil
	u.a = t.a.substitute(known)
	if t.b != nil {
		u.b = t.b.substitute(known)
	}
	if u.a == t.a && u.b == t.b {
		return t
	}
	return fold(&u)
}
