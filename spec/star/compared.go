package star

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// What a network's functions do with stand-ins (standin.go) in operators and built-in
// functions. The metered tree (meter.go) calls compared and indexed within functions.

// meaning says what the number of a term means.
type meaning int

const (
	nothing meaning = iota
	anInt
	aNode
	anEdge
)

// termOf returns the term of a number, a node or a link.
func termOf(v starlark.Value) (*term, meaning) {
	switch v := v.(type) {
	case *someInt:
		return v.t, anInt
	case *someNode:
		return v.t, aNode
	case *someLink:
		return v.t, anEdge
	case *node:
		return constant(int64(v.id)), aNode
	case *link:
		return constant(int64(v.id)), anEdge
	case starlark.Int:
		if k, exact := v.Int64(); exact && max(k, -k) <= mostMagnitude && k != math.MinInt64 {
			return constant(k), anInt
		}
	}
	return nil, nothing
}

// value returns the stand-in for a term.
func (p *probe) value(t *term, is meaning) starlark.Value {
	switch is {
	case aNode:
		return p.node(t)
	case anEdge:
		return p.link(t)
	}
	return p.int(t)
}

func probeOf(v starlark.Value) *probe {
	switch v := v.(type) {
	case *someInt:
		return v.p
	case *someNode:
		return v.p
	case *someLink:
		return v.p
	}
	return nil
}

// compared is x op y.
func compared(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if err := unnamed(op, x, y); err != nil {
		return nil, err
	}
	if !stands(x) && !stands(y) {
		return evaluated(op, x, y)
	}
	one, isTuple := x.(starlark.Tuple)
	other, also := y.(starlark.Tuple)
	equality := op == syntax.EQL || op == syntax.NEQ
	if isTuple && also && equality {
		same := len(one) == len(other)
		for i := 0; same && i < len(one); i++ {
			v, err := compared(syntax.EQL, one[i], other[i])
			if err != nil {
				return nil, err
			}
			same = bool(v.Truth())
		}
		return starlark.Bool(same == (op == syntax.EQL)), nil
	}
	a, is := termOf(x)
	b, what := termOf(y)
	if is == nothing || is != what || is != anInt && !equality {
		switch y.(type) {
		case starlark.NoneType, starlark.String:
			if equality && is != nothing {
				return starlark.Bool(op == syntax.NEQ), nil
			}
		}
		return evaluated(op, known(x), known(y))
	}
	p := probeOf(x)
	if p == nil {
		p = probeOf(y)
	}
	holds := false
	switch op {
	case syntax.EQL:
		holds = p.holds(isEqual, a, b)
	case syntax.NEQ:
		holds = !p.holds(isEqual, a, b)
	case syntax.LT:
		holds = p.holds(isLess, a, b)
	case syntax.GE:
		holds = !p.holds(isLess, a, b)
	case syntax.LE:
		holds = p.holds(isAtMost, a, b)
	case syntax.GT:
		holds = !p.holds(isAtMost, a, b)
	default:
		return evaluated(op, known(x), known(y))
	}
	return starlark.Bool(holds), nil
}

// extreme is min or max.
func extreme(do operation, plain *starlark.Builtin) builtin {
	return func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) != 2 || len(kwargs) > 0 || !stands(args) {
			return plain.CallInternal(t, allKnown(args), kwargs)
		}
		a, is := termOf(args[0])
		b, what := termOf(args[1])
		if is != anInt || what != anInt {
			return plain.CallInternal(t, allKnown(args), kwargs)
		}
		p := probeOf(args[0])
		if p == nil {
			p = probeOf(args[1])
		}
		m, _ := combined(do, a, b)
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
	return is == anInt && what == anInt
}

// standing returns replacements for built-in functions whose arguments may be
// stand-ins, and the functions that the metered tree calls.
func standing(plain starlark.StringDict) starlark.StringDict {
	all := starlark.StringDict{"[]": starlark.NewBuiltin("[]", indexed), "remembered call": starlark.NewBuiltin("remembered", remembered)}
	for op, name := range comparisons {
		all[name] = starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return compared(op, args[0], args[1])
		})
	}
	all["min"] = starlark.NewBuiltin("min", extreme(aLeast, plain["min"].(*starlark.Builtin)))
	all["max"] = starlark.NewBuiltin("max", extreme(aGreatest, plain["max"].(*starlark.Builtin)))
	for name, f := range map[string]starlark.Value{"abs": starlark.Universe["abs"], "range": plain["range"], "a method": plain["a method"], "%": plain["%"], "*": plain["*"], "*=": plain["*="]} {
		all[name] = starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if !makesTerm(name, args) {
				args = allKnown(args)
			}
			return f.(*starlark.Builtin).CallInternal(t, args, kwargs)
		})
	}
	return all
}

// ground holds what terms read of the nodes, the links and the file's lists.
type ground struct {
	r           *relation
	coordinates []*column  // by dimension, then by node; nil if nodes differ in the number of coordinates
	exits       *column    // by node: how many links leave it
	links       [][]arc    // by node: the links that leave it
	ofLinks     [6]*column // by link: src, dst, vcs, dim, and the numbers of out and into in portNames
	portNames   []string

	mu    sync.Mutex
	ports map[string]*column
	lists map[starlark.Value]listed
	terms terms
	same  map[string]*answer
}

func newGround(r *relation) *ground {
	g := &ground{r: r, ports: map[string]*column{}, lists: map[starlark.Value]listed{}, terms: terms{}, same: map[string]*answer{}}
	dims := len(r.nodes[0].at)
	if !slices.ContainsFunc(r.nodes, func(n *node) bool { return len(n.at) != dims }) {
		g.coordinates = make([]*column, dims)
		for d := range g.coordinates {
			of := make([]int64, len(r.nodes))
			for v, n := range r.nodes {
				of[v] = int64(n.coordinates()[d])
			}
			g.coordinates[d] = columnOf(of)
		}
	}
	var exits []int64
	for _, n := range r.nodes {
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
	for _, l := range r.links {
		for i, v := range []int64{int64(l.src.id), int64(l.dst.id), int64(l.vcs), int64(l.dim), text(l.out), text(l.into)} {
			ofLinks[i] = append(ofLinks[i], v)
		}
	}
	for i := range ofLinks {
		g.ofLinks[i] = columnOf(ofLinks[i])
	}
	return g
}

// port returns, by node, the link with a name, or -1; nil if there are too many names.
func (g *ground) port(name string) *column {
	const most = 1 << 24 // numbers in all tables
	g.mu.Lock()
	defer g.mu.Unlock()
	table := g.ports[name]
	if table != nil || len(g.ports)*len(g.r.nodes) > most {
		return table
	}
	of := make([]int64, len(g.r.nodes))
	for v, n := range g.r.nodes {
		of[v] = -1
		if i := slices.IndexFunc(n.links, func(l starlark.Value) bool { return l.(*link).out == name }); i >= 0 {
			of[v] = g.links[v][i].link
		}
	}
	table = columnOf(of)
	g.ports[name] = table
	return table
}

func (g *ground) term(t *term) *term {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.terms.of(t)
}

// hop returns hop i: first come those returned, then those made but not returned.
func (a *answer) hop(i int) *hopTerms {
	if i < len(a.hops) {
		return &a.hops[i]
	}
	return &a.made[i-len(a.hops)]
}

// answer returns the one copy of an answer that is kept.
func (g *ground) answer(a answer) *answer {
	g.mu.Lock()
	defer g.mu.Unlock()
	var key []byte
	key = binary.AppendUvarint(key, uint64(len(a.hops)))
	for i := range len(a.hops) + len(a.made) {
		h := a.hop(i)
		h.link, h.vc, h.tag = g.terms.of(h.link), g.terms.of(h.vc), g.terms.of(h.tag)
		for _, n := range []int{h.link.number, h.vc.number, h.tag.number, int(h.at.line), int(h.at.col), len(h.at.file), len(h.at.callers)} {
			key = binary.AppendUvarint(key, uint64(n))
		}
		key = append(append(key, h.at.file...), h.at.callers...)
	}
	key = append(key, byte(bit(a.plain)), byte(bit(a.sends)))
	kept := g.same[string(key)]
	if kept == nil {
		for i := range a.hops {
			a.hops[i].reason = a.hops[i].at.String()
		}
		kept = &a
		g.same[string(key)] = kept
	}
	return kept
}
