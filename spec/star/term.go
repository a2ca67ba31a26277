package star

import (
	"encoding/binary"
	"slices"
	"sync"

	"go.starlark.net/starlark"
)

// Terms: numbers that an input determines, as symbolic values compute them. Equal terms are one (terms), so that a
// constraint is compared by its address, and the decision tree stays small. What terms look up, of nodes, links and
// the file's own lists, are facts.

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

// meaning says what the number of a term means.
type meaning int

const (
	meaningNone meaning = iota
	meaningInt
	meaningNode
	meaningLink
)

// facts holds what terms read of the nodes, the links and the file's lists.
type facts struct {
	nodes       []*node
	global      map[starlark.Value]bool // the file's own lists and dicts
	coordinates []*column               // by dimension, then by node; nil if nodes differ in the number of coordinates
	exits       *column                 // by node: how many links leave it
	links       [][]arc                 // by node: the links that leave it
	ofLinks     [6]*column              // by link: src, dst, vcs, dim, and the numbers of out and into in portNames
	portNames   []string

	mu    sync.Mutex
	ports map[string]*column
	lists map[starlark.Value]content
	terms terms
	same  map[string]*answer
}

func newFacts(nodes []*node, links []*link, global map[starlark.Value]bool) *facts {
	g := &facts{nodes: nodes, global: global, ports: map[string]*column{}, lists: map[starlark.Value]content{},
		terms: terms{}, same: map[string]*answer{}}
	dims := len(nodes[0].at)
	if !slices.ContainsFunc(nodes, func(n *node) bool { return len(n.at) != dims }) {
		g.coordinates = make([]*column, dims)
		for d := range g.coordinates {
			of := make([]int64, len(nodes))
			for v, n := range nodes {
				of[v] = int64(n.coordinates()[d])
			}
			g.coordinates[d] = columnOf(of)
		}
	}
	var exits []int64
	for _, n := range nodes {
		arcs := make([]arc, len(n.links))
		for i, l := range n.links {
			arcs[i] = arc{int64(l.(*link).dst.id), int64(l.(*link).id)}
		}
		exits, g.links = append(exits, int64(len(arcs))), append(g.links, arcs)
	}
	g.exits = columnOf(exits)
	numbers := map[string]int64{}
	text := func(s string) int64 {
		i, met := numbers[s]
		if !met {
			i = int64(len(g.portNames))
			numbers[s] = i
			g.portNames = append(g.portNames, s)
		}
		return i
	}
	var ofLinks [6][]int64
	for _, l := range links {
		values := []int64{int64(l.src.id), int64(l.dst.id), int64(l.vcs), int64(l.dim), text(l.out), text(l.into)}
		for i, v := range values {
			ofLinks[i] = append(ofLinks[i], v)
		}
	}
	for i := range ofLinks {
		g.ofLinks[i] = columnOf(ofLinks[i])
	}
	return g
}

// port returns, by node, the link with a name, or -1; nil if there are too many names.
func (g *facts) port(name string) *column {
	const most = 1 << 24 // numbers in all tables
	g.mu.Lock()
	defer g.mu.Unlock()
	table := g.ports[name]
	if table != nil || len(g.ports)*len(g.nodes) > most {
		return table
	}
	of := make([]int64, len(g.nodes))
	for v, n := range g.nodes {
		of[v] = -1
		if i := slices.IndexFunc(n.links, func(l starlark.Value) bool { return l.(*link).out == name }); i >= 0 {
			of[v] = g.links[v][i].link
		}
	}
	table = columnOf(of)
	g.ports[name] = table
	return table
}

func (g *facts) term(t *term) *term {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.terms.intern(t)
}

// hop returns hop i: first come those returned, then those made but not returned.
func (a *answer) hop(i int) *hopTerms {
	if i < len(a.hops) {
		return &a.hops[i]
	}
	return &a.made[i-len(a.hops)]
}

// answer returns the one copy of an answer that is kept.
func (g *facts) answer(a answer) *answer {
	g.mu.Lock()
	defer g.mu.Unlock()
	var key []byte
	key = binary.AppendUvarint(key, uint64(len(a.hops)))
	for i := range len(a.hops) + len(a.made) {
		h := a.hop(i)
		h.link, h.vc, h.tag = g.terms.intern(h.link), g.terms.intern(h.vc), g.terms.intern(h.tag)
		discards := 0
		if h.discards {
			discards = 1
		}
		for _, n := range []int{discards, h.link.number, h.vc.number, h.tag.number, int(h.room), int(h.at.line), int(h.at.col), len(h.at.file),
			len(h.at.callers)} {
			key = binary.AppendUvarint(key, uint64(n))
		}
		key = append(append(key, h.at.file...), h.at.callers...)
	}
	key = append(key, byte(bit(a.concrete)), byte(bit(a.sends)))
	for _, end := range a.ends {
		key = binary.AppendUvarint(key, uint64(end))
	}
	kept := g.same[string(key)]
	if kept == nil {
		for i := range a.hops {
			a.hops[i].reason = a.hops[i].at.reason()
		}
		kept = &a
		g.same[string(key)] = kept
	}
	return kept
}

// content is that of a list or a dict.
type content struct {
	table *column // row by row
	is    meaning // nothing: other things
	width int     // of rows; 0: there are none
}

func (e *content) rows() int { return len(e.table.of) / max(1, e.width) }
