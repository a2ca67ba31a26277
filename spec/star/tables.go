package star

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Tables that a file computes for its route, such as distances: a list by number, or a dict by node, of
// numbers, nodes or links, or of lists of these that are equally long. A look-up makes a term.

// mostListed bounds the entries of a table that are copied for terms.
const mostListed = 1 << 22

// listed returns the content of a global list or dict. One that a function makes may differ between runs.
func (g *facts) listed(v starlark.Value) listed {
	if !g.global[v] {
		return listed{}
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

func listedIn(all []starlark.Value) listed {
	var e listed
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
			return listed{}
		}
		if nested {
			for j := range e.width {
				if !add(row.Index(j)) {
					return listed{}
				}
			}
		}
	}
	if of == nil {
		return listed{}
	}
	e.table = columnOf(of)
	return e
}

// indexSymbolic is x[i].
func indexSymbolic(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
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
