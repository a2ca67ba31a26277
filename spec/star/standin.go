package star

import (
	"errors"
	"math"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
)

const mostDecisions = 1 << 6 // of a run

// probe is a run of route with values that stand for those of its input, and what
// was decided on the way.
type probe struct {
	r      *relation
	q      *input
	path   []decided
	made   []*someHop
	pinned bool // the packet is about to enter the network, at a node that is not a stand-in
}

// errUnlike ends a run that needs more of a stand-in than it can do.
var errUnlike = errors.New("a value of the input is used as no stand-in can be")

// decide returns the value of a term, on which the run depends from here on.
func (p *probe) decide(t *term) int64 {
	g := p.r.ground()
	t = g.term(t)
	known := t.given(p.path)
	if known.do == aConstant {
		return known.k
	}
	if len(p.path) == mostDecisions {
		panic(errUnlike)
	}
	if known != t {
		t = g.term(known)
	}
	d := decided{t, t.of(p.q)}
	p.path = append(p.path, d)
	return d.value
}

// standIn is a value that stands for a part of the input. Whatever is not made for it
// calls its method Type, which ends the run.
type standIn struct {
	t *term
	p *probe
}

func (s *standIn) Type() string          { panic(errUnlike) }
func (s *standIn) Freeze()               {}
func (s *standIn) Hash() (uint32, error) { return 0, errUnlike }

// CompareSameType is called within lists and the like; only compared knows stand-ins.
func (s *standIn) CompareSameType(syntax.Token, starlark.Value, int) (bool, error) { panic(errUnlike) }

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

type (
	someInt  struct{ standIn }
	someNode struct{ standIn }
	someLink struct{ standIn }
	someSite struct{ standIn } // at
)

func (p *probe) int(t *term) starlark.Value {
	if t.do == aConstant {
		return starlark.MakeInt64(t.k)
	}
	return bounded(t, &someInt{standIn{t, p}})
}

func (p *probe) node(t *term) starlark.Value { return bounded(t, &someNode{standIn{t, p}}) }
func (p *probe) link(t *term) starlark.Value { return bounded(t, &someLink{standIn{t, p}}) }

// bounded looks at a stand-in whose term has become large, as x = min(x, x+1) doubles
// it.
func bounded(t *term, v starlark.Value) starlark.Value {
	const mostSize = 1 << 8
	if t.size > mostSize {
		return known(v)
	}
	return v
}

// stands reports whether a value is a stand-in, or a tuple with one.
func stands(v starlark.Value) bool {
	switch v := v.(type) {
	case *someInt, *someNode, *someLink, *someSite, *someRow:
		return true
	case starlark.Tuple:
		return slices.ContainsFunc(v, stands)
	}
	return false
}

// chargeStandIns charges for looking for stand-ins in tuples within the arguments of a function.
func chargeStandIns(t *starlark.Thread, args starlark.Tuple) error {
	for _, v := range args {
		if tuple, is := v.(starlark.Tuple); is {
			if err := chargeVisits(t, tuple); err != nil {
				return err
			}
		}
	}
	return nil
}

// known returns what a stand-in stands for. The run depends on it from here on.
func known(v starlark.Value) starlark.Value {
	switch v := v.(type) {
	case *someInt:
		return starlark.MakeInt64(v.p.decide(v.t))
	case *someNode:
		return v.p.r.nodes[v.p.decide(v.t)]
	case *someLink:
		return v.p.r.links[v.p.decide(v.t)]
	case *someRow:
		return v.list()
	case starlark.Tuple:
		if stands(v) {
			out := make(starlark.Tuple, len(v))
			for i, x := range v {
				out[i] = known(x)
			}
			return out
		}
	}
	return v
}

func allKnown(all starlark.Tuple) starlark.Tuple {
	if stands(all) {
		return known(all).(starlark.Tuple)
	}
	return all
}

func (s *someInt) String() string        { return known(s).String() }
func (s *someInt) Truth() starlark.Bool  { return starlark.Bool(!s.p.holds(isEqual, s.t, constant(0))) }
func (s *someNode) String() string       { return known(s).String() }
func (s *someNode) Truth() starlark.Bool { return true }
func (s *someLink) String() string       { return known(s).String() }
func (s *someLink) Truth() starlark.Bool { return true }
func (s *someSite) String() string       { panic(errUnlike) }
func (s *someSite) Truth() starlark.Bool { return true }

// holds decides a comparison.
func (p *probe) holds(do operation, a, b *term) bool {
	t, ok := combined(do, a, b)
	return ok && p.decide(t) != 0
}

// arithmetic is what a stand-in for a number can do without being looked at.
var arithmetic = map[syntax.Token]operation{
	syntax.PLUS: aSum, syntax.MINUS: aDifference, syntax.STAR: aProduct, syntax.SLASHSLASH: aQuotient, syntax.PERCENT: aRemainder,
	syntax.AMP: anAnd, syntax.PIPE: anOr, syntax.CIRCUMFLEX: anXor, syntax.GTGT: aShift,
}

// Binary computes a term, or looks at the value.
func (s *someInt) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	var t *term
	other, is := termOf(y)
	if do, ok := arithmetic[op]; ok && is == anInt {
		if a, b := s.t, other; side == starlark.Left {
			t, ok = combined(do, a, b)
		} else {
			t, ok = combined(do, b, a)
		}
		if ok {
			return s.p.int(t), nil
		}
	}
	if side == starlark.Left {
		return starlark.Binary(op, known(s), known(y))
	}
	return starlark.Binary(op, known(y), known(s))
}

// Unary is -x, +x or ~x.
func (s *someInt) Unary(op syntax.Token) (starlark.Value, error) {
	switch op {
	case syntax.MINUS:
		return s.Binary(syntax.MINUS, starlark.MakeInt(0), starlark.Right)
	case syntax.TILDE:
		return s.Binary(syntax.MINUS, starlark.MakeInt(-1), starlark.Right)
	}
	return s, nil
}

// Attr is at.name.
func (s *someSite) Attr(name string) (starlark.Value, error) {
	p := s.p
	injecting := func() bool { return p.pinned || p.holds(isLess, partOf(ofLink, math.MaxInt32), constant(0)) }
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
			return nil, errUnlike
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
	return nil, errUnlike
}

// Attr is n.name.
func (s *someNode) Attr(name string) (starlark.Value, error) {
	p, g := s.p, s.p.r.ground()
	switch name {
	case "at":
		if g.coordinates == nil {
			break
		}
		at := make(starlark.Tuple, len(g.coordinates))
		for i, table := range g.coordinates {
			at[i] = p.int(element(table, s.t))
		}
		return at, nil
	case "id":
		return p.int(s.t), nil
	case "out":
		out := make(starlark.Tuple, p.decide(element(g.exits, s.t)))
		for i := range out {
			out[i] = p.link(&term{do: anExit, a: s.t, k: int64(i), links: g.links, most: math.MaxInt32, size: s.t.size + 1})
		}
		return out, nil
	case "to":
		return someMethod{starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if len(args) != 1 || len(kwargs) > 0 {
				return nil, errUnlike
			}
			return p.between(s.t, args[0])
		})}, nil
	case "port":
		return someMethod{starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if len(args) != 1 || len(kwargs) > 0 {
				return nil, errUnlike
			}
			port, ok := args[0].(starlark.String)
			table := g.port(spec.Printable(string(port)))
			if !ok || table == nil {
				return nil, errUnlike
			}
			return p.exists(element(table, s.t)), nil
		})}, nil
	}
	return known(s).(*node).Attr(name)
}

// someMethod is a method of a stand-in. It can be called, not compared.
type someMethod struct{ *starlark.Builtin }

func (someMethod) Type() string { panic(errUnlike) }
func (someMethod) CompareSameType(syntax.Token, starlark.Value, int) (bool, error) {
	panic(errUnlike)
}

// AttrNames are not used: an error ends the run.
func (s *someNode) AttrNames() []string { return nil }
func (s *someLink) AttrNames() []string { return nil }
func (s *someSite) AttrNames() []string { return nil }

// between is the link from one node to another, or None.
func (p *probe) between(from *term, to starlark.Value) (starlark.Value, error) {
	t, is := termOf(to)
	if is != aNode {
		return nil, errUnlike
	}
	return p.exists(&term{do: aLink, a: from, b: t, links: p.r.ground().links, most: math.MaxInt32, size: from.size + t.size + 1}), nil
}

// exists is the link, or None where there is none.
func (p *probe) exists(t *term) starlark.Value {
	if p.holds(isLess, t, constant(0)) {
		return starlark.None
	}
	return p.link(t)
}

// Attr is l.name.
func (s *someLink) Attr(name string) (starlark.Value, error) {
	p, g := s.p, s.p.r.ground()
	of := func(what int) *term { return element(g.ofLinks[what], s.t) }
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
	return known(s).(*link).Attr(name)
}

// someHop is what hop returns in a run with stand-ins.
type someHop struct{ hopTerms }

func (h *someHop) String() string        { panic(errUnlike) }
func (h *someHop) Type() string          { panic(errUnlike) }
func (h *someHop) Freeze()               {}
func (h *someHop) Truth() starlark.Bool  { return true }
func (h *someHop) Hash() (uint32, error) { return 0, errUnlike }

// someRow stands for one of the lists within a list or a dict; its term is the number of the row, or of
// the node.
type someRow struct {
	standIn
	in starlark.Value
	listed
}

// list returns the list that it stands for. The run depends on it from here on.
func (s *someRow) list() *starlark.List {
	i := s.p.decide(s.t)
	if list, ok := s.in.(*starlark.List); ok {
		return list.Index(int(i)).(*starlark.List)
	}
	v, _, _ := s.in.(*starlark.Dict).Get(s.p.r.nodes[i])
	return v.(*starlark.List)
}
