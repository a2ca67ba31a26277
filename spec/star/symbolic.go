package star

import (
	"errors"
	"math"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
)

// Symbolic values: the arguments of route in a concolic run (Godefroid, Klarlund and Sen 2005). partial.go says what
// the runs are for, term.go what is computed.
//
// A symbolic value is a Starlark value that holds a term instead of a number. Arithmetic makes a larger term and
// decides nothing. Where Starlark needs the number itself (a comparison, a condition, an index, text), concretize
// evaluates the term on the run's concrete input and records the constraint that it had this value. An operation that
// no one has written for symbolic values ends the run with errNotSymbolic, so a missing case costs time and never an
// answer: the input is evaluated concretely.
//
// Invariants: a run is determined by its path, so constraints are recorded in the order in which they were needed;
// no value escapes from a run, as the hops at its end are terms again; terms, paths and tuples are bounded
// (mostDecisions, bounded, chargeSymbolic).

const mostDecisions = 1 << 6 // of a run

// symbolicRun is a run of route with values that stand for those of its input, and what
// was decided on the way.
type symbolicRun struct {
	r      *relation
	q      *input
	path   []constraint
	made   []*symbolicHop
	pinned bool // the packet is about to enter the network, at a node that is concrete
}

// errNotSymbolic ends a run that needs more of a symbolic value than it can do.
var errNotSymbolic = errors.New("an operation has no symbolic form")

// decide returns the value of a term, on which the run depends from here on.
func (p *symbolicRun) decide(t *term) int64 {
	g := p.r.facts()
	t = g.term(t)
	known := t.substitute(p.path)
	if known.do == opConstant {
		return known.k
	}
	if len(p.path) == mostDecisions {
		panic(errNotSymbolic)
	}
	if known != t {
		t = g.term(known)
	}
	d := constraint{t, t.evaluate(p.q)}
	p.path = append(p.path, d)
	return d.value
}

// symbolic is a value that stands for a part of the input. Whatever is not made for it
// calls its method Type, which ends the run.
type symbolic struct {
	t *term
	p *symbolicRun
}

func (s *symbolic) Type() string          { panic(errNotSymbolic) }
func (s *symbolic) Freeze()               {}
func (s *symbolic) Hash() (uint32, error) { return 0, errNotSymbolic }

// CompareSameType is called within lists and the like; only compareSymbolic knows symbolic values.
func (s *symbolic) CompareSameType(syntax.Token, starlark.Value, int) (bool, error) {
	panic(errNotSymbolic)
}

// termOf returns the term of a number, a node or a link.
func termOf(v starlark.Value) (*term, meaning) {
	switch v := v.(type) {
	case *symbolicInt:
		return v.t, meaningInt
	case *symbolicNode:
		return v.t, meaningNode
	case *symbolicLink:
		return v.t, meaningLink
	case *node:
		return constant(int64(v.id)), meaningNode
	case *link:
		return constant(int64(v.id)), meaningLink
	case starlark.Int:
		if k, exact := v.Int64(); exact && max(k, -k) <= mostMagnitude && k != math.MinInt64 {
			return constant(k), meaningInt
		}
	}
	return nil, meaningNone
}

type (
	symbolicInt  struct{ symbolic }
	symbolicNode struct{ symbolic }
	symbolicLink struct{ symbolic }
	symbolicSite struct{ symbolic } // at
)

func (p *symbolicRun) int(t *term) starlark.Value {
	if t.do == opConstant {
		return starlark.MakeInt64(t.k)
	}
	return bounded(t, &symbolicInt{symbolic{t, p}})
}

func (p *symbolicRun) node(t *term) starlark.Value { return bounded(t, &symbolicNode{symbolic{t, p}}) }
func (p *symbolicRun) link(t *term) starlark.Value { return bounded(t, &symbolicLink{symbolic{t, p}}) }

// bounded looks at a symbolic value whose term has become large, as x = min(x, x+1) doubles
// it.
func bounded(t *term, v starlark.Value) starlark.Value {
	const mostSize = 1 << 8
	if t.size > mostSize {
		return concretize(v)
	}
	return v
}

// isSymbolic reports whether a value is a symbolic value, or a tuple with one.
func isSymbolic(v starlark.Value) bool {
	switch v := v.(type) {
	case *symbolicInt, *symbolicNode, *symbolicLink, *symbolicSite, *symbolicRow:
		return true
	case starlark.Tuple:
		return slices.ContainsFunc(v, isSymbolic)
	}
	return false
}

// chargeSymbolic charges for looking for symbolic values in tuples within the arguments of a function.
func chargeSymbolic(t *starlark.Thread, args starlark.Tuple) error {
	for _, v := range args {
		if tuple, is := v.(starlark.Tuple); is {
			if err := chargeVisits(t, tuple); err != nil {
				return err
			}
		}
	}
	return nil
}

// concretize returns what a symbolic value stands for. The run depends on it from here on.
func concretize(v starlark.Value) starlark.Value {
	switch v := v.(type) {
	case *symbolicInt:
		return starlark.MakeInt64(v.p.decide(v.t))
	case *symbolicNode:
		return v.p.r.nodes[v.p.decide(v.t)]
	case *symbolicLink:
		return v.p.r.links[v.p.decide(v.t)]
	case *symbolicRow:
		return v.list()
	case starlark.Tuple:
		if isSymbolic(v) {
			out := make(starlark.Tuple, len(v))
			for i, x := range v {
				out[i] = concretize(x)
			}
			return out
		}
	}
	return v
}

func concretizeAll(all starlark.Tuple) starlark.Tuple {
	if isSymbolic(all) {
		return concretize(all).(starlark.Tuple)
	}
	return all
}

func (s *symbolicInt) String() string { return concretize(s).String() }
func (s *symbolicInt) Truth() starlark.Bool {
	return starlark.Bool(!s.p.decideHolds(opEqual, s.t, constant(0)))
}
func (s *symbolicNode) String() string       { return concretize(s).String() }
func (s *symbolicNode) Truth() starlark.Bool { return true }
func (s *symbolicLink) String() string       { return concretize(s).String() }
func (s *symbolicLink) Truth() starlark.Bool { return true }
func (s *symbolicSite) String() string       { panic(errNotSymbolic) }
func (s *symbolicSite) Truth() starlark.Bool { return true }

// decideHolds decides a comparison.
func (p *symbolicRun) decideHolds(do operation, a, b *term) bool {
	t, ok := combine(do, a, b)
	return ok && p.decide(t) != 0
}

// arithmetic is what a symbolic value for a number can do without being looked at.
var arithmetic = map[syntax.Token]operation{
	syntax.PLUS: opSum, syntax.MINUS: opDifference, syntax.STAR: opProduct, syntax.SLASHSLASH: opQuotient,
	syntax.PERCENT: opRemainder,
	syntax.AMP:     opAnd, syntax.PIPE: opOr, syntax.CIRCUMFLEX: opXor, syntax.GTGT: opShift,
}

// Binary computes a term, or looks at the value.
func (s *symbolicInt) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	var t *term
	other, is := termOf(y)
	if do, ok := arithmetic[op]; ok && is == meaningInt {
		if a, b := s.t, other; side == starlark.Left {
			t, ok = combine(do, a, b)
		} else {
			t, ok = combine(do, b, a)
		}
		if ok {
			return s.p.int(t), nil
		}
	}
	if side == starlark.Left {
		return starlark.Binary(op, concretize(s), concretize(y))
	}
	return starlark.Binary(op, concretize(y), concretize(s))
}

// Unary is -x, +x or ~x.
func (s *symbolicInt) Unary(op syntax.Token) (starlark.Value, error) {
	switch op {
	case syntax.MINUS:
		return s.Binary(syntax.MINUS, starlark.MakeInt(0), starlark.Right)
	case syntax.TILDE:
		return s.Binary(syntax.MINUS, starlark.MakeInt(-1), starlark.Right)
	}
	return s, nil
}

// Attr is at.name.
func (s *symbolicSite) Attr(name string) (starlark.Value, error) {
	p := s.p
	injecting := func() bool { return p.pinned || p.decideHolds(opLess, partOf(ofLink, math.MaxInt32), constant(0)) }
	switch {
	case p.pinned && (name == "node" || name == "src" && p.r.tags > 0):
		return p.r.nodes[p.q[ofNode]], nil
	}
	switch name {
	case "node":
		return p.node(partOf(ofNode, mostNodes)), nil
	case "injecting":
		return starlark.Bool(injecting()), nil
	case "src":
		if p.r.tags == 0 {
			return nil, errNotSymbolic
		}
		return p.node(partOf(ofSource, mostNodes)), nil
	case "tag":
		return p.int(partOf(ofTag, 1<<16)), nil
	case "cls":
		return p.int(partOf(ofClass, 1<<16)), nil
	case "cls_name":
		return starlark.String(p.r.classes[p.decide(partOf(ofClass, 1<<16))]), nil
	case "link", "vc", "channel":
		if injecting() {
			return starlark.None, nil
		}
	}
	switch name {
	case "link":
		return p.link(partOf(ofLink, math.MaxInt32)), nil
	case "vc":
		return p.int(partOf(ofVC, 1<<16)), nil
	case "channel":
		return p.int(partOf(ofChannel, math.MaxInt32)), nil
	}
	return nil, errNotSymbolic
}

// Attr is n.name.
func (s *symbolicNode) Attr(name string) (starlark.Value, error) {
	p, g := s.p, s.p.r.facts()
	switch name {
	case "at":
		if g.coordinates == nil {
			break
		}
		at := make(starlark.Tuple, len(g.coordinates))
		for i, table := range g.coordinates {
			at[i] = p.int(elementOf(table, s.t))
		}
		return at, nil
	case "id":
		return p.int(s.t), nil
	case "out":
		out := make(starlark.Tuple, p.decide(elementOf(g.exits, s.t)))
		for i := range out {
			out[i] = p.link(&term{
				do: opExit, a: s.t, k: int64(i), links: g.links, most: math.MaxInt32, size: s.t.size + 1,
			})
		}
		return out, nil
	case "to":
		return symbolicMethod{starlark.NewBuiltin(name, func(
			_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
		) (starlark.Value, error) {
			if len(args) != 1 || len(kwargs) > 0 {
				return nil, errNotSymbolic
			}
			return p.linkBetween(s.t, args[0])
		})}, nil
	case "port":
		return symbolicMethod{starlark.NewBuiltin(name, func(
			_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
		) (starlark.Value, error) {
			if len(args) != 1 || len(kwargs) > 0 {
				return nil, errNotSymbolic
			}
			port, ok := args[0].(starlark.String)
			table := g.port(spec.Printable(string(port)))
			if !ok || table == nil {
				return nil, errNotSymbolic
			}
			return p.linkOrNone(elementOf(table, s.t)), nil
		})}, nil
	}
	return concretize(s).(*node).Attr(name)
}

// symbolicMethod is a method of a symbolic value. It can be called, not compared.
type symbolicMethod struct{ *starlark.Builtin }

func (symbolicMethod) Type() string { panic(errNotSymbolic) }
func (symbolicMethod) CompareSameType(syntax.Token, starlark.Value, int) (bool, error) {
	panic(errNotSymbolic)
}

// AttrNames are not used: an error ends the run.
func (s *symbolicNode) AttrNames() []string { return nil }
func (s *symbolicLink) AttrNames() []string { return nil }
func (s *symbolicSite) AttrNames() []string { return nil }

// linkBetween is the link from one node to another, or None.
func (p *symbolicRun) linkBetween(from *term, to starlark.Value) (starlark.Value, error) {
	t, is := termOf(to)
	if is != meaningNode {
		return nil, errNotSymbolic
	}
	return p.linkOrNone(&term{do: opLink, a: from, b: t, links: p.r.facts().links, most: math.MaxInt32,
		size: from.size + t.size + 1}), nil
}

// linkOrNone is the link, or None where there is none.
func (p *symbolicRun) linkOrNone(t *term) starlark.Value {
	if p.decideHolds(opLess, t, constant(0)) {
		return starlark.None
	}
	return p.link(t)
}

// Attr is l.name.
func (s *symbolicLink) Attr(name string) (starlark.Value, error) {
	p, g := s.p, s.p.r.facts()
	of := func(what int) *term { return elementOf(g.ofLinks[what], s.t) }
	switch name {
	case "id":
		return p.int(s.t), nil
	case "src":
		return p.node(of(0)), nil
	case "dst":
		return p.node(of(1)), nil
	case "vcs":
		return p.int(of(2)), nil
	case "dim":
		return p.int(of(3)), nil
	case "out":
		return starlark.String(g.portNames[p.decide(of(4))]), nil
	case "into":
		return starlark.String(g.portNames[p.decide(of(5))]), nil
	}
	return concretize(s).(*link).Attr(name)
}

// symbolicHop is what hop returns in a run with symbolic values.
type symbolicHop struct{ hopTerms }

func (h *symbolicHop) String() string        { panic(errNotSymbolic) }
func (h *symbolicHop) Type() string          { panic(errNotSymbolic) }
func (h *symbolicHop) Freeze()               {}
func (h *symbolicHop) Truth() starlark.Bool  { return true }
func (h *symbolicHop) Hash() (uint32, error) { return 0, errNotSymbolic }

// symbolicRow stands for one of the lists within a list or a dict; its term is the number of the row, or of
// the node.
type symbolicRow struct {
	symbolic
	in starlark.Value
	content
}

// list returns the list that it stands for. The run depends on it from here on.
func (s *symbolicRow) list() *starlark.List {
	i := s.p.decide(s.t)
	if list, ok := s.in.(*starlark.List); ok {
		return list.Index(int(i)).(*starlark.List)
	}
	v, _, _ := s.in.(*starlark.Dict).Get(s.p.r.nodes[i])
	return v.(*starlark.List)
}

// What a network's functions do with symbolic values in operators and built-in
// functions. The metered tree (meter.go) calls compareSymbolic and indexSymbolic within functions.

// value returns the symbolic value for a term.
func (p *symbolicRun) value(t *term, is meaning) starlark.Value {
	switch is {
	case meaningNode:
		return p.node(t)
	case meaningLink:
		return p.link(t)
	}
	return p.int(t)
}

func probeOf(v starlark.Value) *symbolicRun {
	switch v := v.(type) {
	case *symbolicInt:
		return v.p
	case *symbolicNode:
		return v.p
	case *symbolicLink:
		return v.p
	}
	return nil
}

// compareSymbolic is x op y.
func compareSymbolic(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if err := checkNamed(op, x, y); err != nil {
		return nil, err
	}
	if !isSymbolic(x) && !isSymbolic(y) {
		return evaluated(op, x, y)
	}
	one, isTuple := x.(starlark.Tuple)
	other, also := y.(starlark.Tuple)
	equality := op == syntax.EQL || op == syntax.NEQ
	if isTuple && also && equality {
		same := len(one) == len(other)
		for i := 0; same && i < len(one); i++ {
			v, err := compareSymbolic(syntax.EQL, one[i], other[i])
			if err != nil {
				return nil, err
			}
			same = bool(v.Truth())
		}
		return starlark.Bool(same == (op == syntax.EQL)), nil
	}
	a, is := termOf(x)
	b, what := termOf(y)
	if is == meaningNone || is != what || is != meaningInt && !equality {
		switch y.(type) {
		case starlark.NoneType, starlark.String:
			if _, text := y.(starlark.String); text && equality && is == meaningInt && a.do == opPart && a.k == ofClass {
				return nil, errNamedClass
			}
			if equality && is != meaningNone {
				return starlark.Bool(op == syntax.NEQ), nil
			}
		}
		return evaluated(op, concretize(x), concretize(y))
	}
	p := probeOf(x)
	if p == nil {
		p = probeOf(y)
	}
	holds := false
	switch op {
	case syntax.EQL:
		holds = p.decideHolds(opEqual, a, b)
	case syntax.NEQ:
		holds = !p.decideHolds(opEqual, a, b)
	case syntax.LT:
		holds = p.decideHolds(opLess, a, b)
	case syntax.GE:
		holds = !p.decideHolds(opLess, a, b)
	case syntax.LE:
		holds = p.decideHolds(opAtMost, a, b)
	case syntax.GT:
		holds = !p.decideHolds(opAtMost, a, b)
	default:
		return evaluated(op, concretize(x), concretize(y))
	}
	return starlark.Bool(holds), nil
}

// minMax is min or max.
func minMax(do operation, plain *starlark.Builtin) builtin {
	return func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
		kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := chargeSymbolic(t, args); err != nil {
			return nil, err
		}
		if len(args) != 2 || len(kwargs) > 0 || !isSymbolic(args) {
			return plain.CallInternal(t, concretizeAll(args), kwargs)
		}
		a, is := termOf(args[0])
		b, what := termOf(args[1])
		if is != meaningInt || what != meaningInt {
			return plain.CallInternal(t, concretizeAll(args), kwargs)
		}
		p := probeOf(args[0])
		if p == nil {
			p = probeOf(args[1])
		}
		m, _ := combine(do, a, b)
		return p.int(m), nil
	}
}

// makesTerm reports whether %, * or *= computes a number from numbers. With a string or a
// list it is charged for what it makes, and needs to know the operands.
func makesTerm(operator string, args starlark.Tuple) bool {
	if operator != "%" && operator != "*" && operator != "*=" {
		return false
	}
	_, is := termOf(args[0])
	_, what := termOf(args[1])
	return is == meaningInt && what == meaningInt
}

// Tables that a file computes for its route, such as distances: a list by number, or a dict by node, of
// numbers, nodes or links, or of lists of these that are equally long. A look-up makes a term.

// mostListed bounds the entries of a table that are copied for terms.
const mostListed = 1 << 22

// listed returns the content of a global list or dict. One that a function makes may differ between runs.
func (g *facts) listed(v starlark.Value) content {
	if !g.global[v] {
		return content{}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	e, met := g.lists[v]
	if !met {
		e = listedIn(g.elements(v))
		g.lists[v] = e
	}
	return e
}

// elements returns what a list holds, or what a dict holds for each node, by the node's number.
func (g *facts) elements(v starlark.Value) []starlark.Value {
	var all []starlark.Value
	switch v := v.(type) {
	case *starlark.List:
		for i := range v.Len() {
			all = append(all, v.Index(i))
		}
	case *starlark.Dict:
		if v.Len() != len(g.nodes) {
			return nil
		}
		for _, n := range g.nodes {
			x, found, err := v.Get(n)
			if !found || err != nil {
				return nil
			}
			all = append(all, x)
		}
	}
	return all
}

func listedIn(all []starlark.Value) content {
	var e content
	var of []int64
	add := func(v starlark.Value) bool {
		t, is := termOf(v)
		if is == meaningNone || len(of) > 0 && is != e.is || len(of) == mostListed {
			return false
		}
		of, e.is = append(of, t.k), is
		return true
	}
	for i, v := range all {
		row, nested := v.(*starlark.List)
		if i == 0 && nested {
			e.width = row.Len()
		}
		if nested != (e.width > 0) || nested && row.Len() != e.width || !nested && !add(v) {
			return content{}
		}
		if nested {
			for j := range e.width {
				if !add(row.Index(j)) {
					return content{}
				}
			}
		}
	}
	if of == nil {
		return content{}
	}
	e.table = columnOf(of)
	return e
}

// indexSymbolic is x[i].
func indexSymbolic(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := chargeKey(t, args[1]); err != nil {
		return nil, err
	}
	t.Steps-- // the name of the function: it takes as many steps as the operator
	if v := lookedUp(args[0], args[1]); v != nil {
		return v, nil
	}
	if row, ok := args[0].(*symbolicRow); ok {
		args[0] = row.list()
	}
	args[1] = concretize(args[1])
	return lazyIndex(t, f, args, kwargs)
}

// lookedUp is x[i] as a symbolic value, or nil.
func lookedUp(x, i starlark.Value) starlark.Value {
	if row, ok := x.(*symbolicRow); ok {
		return row.item(i)
	}
	p := probeOf(i)
	if p == nil {
		return nil
	}
	at, is := termOf(i)
	_, isList := x.(*starlark.List)
	_, isDict := x.(*starlark.Dict)
	if !(isList && is == meaningInt) && !(isDict && is == meaningNode) {
		return nil
	}
	e := p.r.facts().listed(x)
	if e.is == meaningNone || isList && !p.decideInRange(at, e.rows()) {
		return nil
	}
	if e.width > 0 {
		return bounded(at, &symbolicRow{symbolic{at, p}, x, e})
	}
	return p.value(elementOf(e.table, at), e.is)
}

// decideInRange decides whether a number is one of 0..n-1.
func (p *symbolicRun) decideInRange(t *term, n int) bool {
	return !p.decideHolds(opLess, t, constant(0)) && p.decideHolds(opLess, t, constant(int64(n)))
}

// item is row[i], or nil.
func (s *symbolicRow) item(i starlark.Value) starlark.Value {
	t, is := termOf(i)
	if is != meaningInt || !s.p.decideInRange(t, s.width) {
		return nil
	}
	first, _ := combine(opProduct, s.t, constant(int64(s.width)))
	if first == nil {
		return nil
	}
	if t, ok := combine(opSum, first, t); ok {
		return s.p.value(elementOf(s.table, t), s.is)
	}
	return nil
}

var (
	_ starlark.Sliceable = (*symbolicRow)(nil)
	_ starlark.Sequence  = (*symbolicRow)(nil)
	_ starlark.HasBinary = (*symbolicRow)(nil)
)

func (s *symbolicRow) String() string             { return s.list().String() }
func (s *symbolicRow) Truth() starlark.Bool       { return true }
func (s *symbolicRow) Len() int                   { return s.width }
func (s *symbolicRow) Index(i int) starlark.Value { return s.list().Index(i) }
func (s *symbolicRow) Iterate() starlark.Iterator { return s.list().Iterate() }
func (s *symbolicRow) Slice(start, end, step int) starlark.Value {
	return s.list().Slice(start, end, step)
}

// Binary looks at the list. A sum may be +=, which makes no new list but changes this one.
func (s *symbolicRow) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	if side == starlark.Left {
		if op == syntax.PLUS {
			panic(errNotSymbolic)
		}
		return starlark.Binary(op, s.list(), concretize(y))
	}
	return starlark.Binary(op, concretize(y), s.list())
}
