package parameterized

import (
	"slices"
	"strconv"

	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/spec"
)

// What a file declares: parameters, the network, nodes, links; and the hops that route makes.

func (r *reader) param(a *arguments) value {
	r.declaredOnce(a.At, "param")
	name := r.text(a, 0, "name")
	missing, least, most := a.Take(1, "default"), a.Take(2, "min"), a.Take(3, "max")
	a.Take(4, "choices")
	a.Take(5, "doc")
	if r.params == nil {
		r.params = map[string]bool{}
	}
	if r.params[name] {
		r.Refuse(a.At, "parameter %s is declared twice", name)
	}
	r.params[name] = true
	for i, s := range r.f.Sizes {
		if s.Name == name {
			if least != nil {
				r.f.Sizes[i].Least = r.constant(least, a.At)
				r.Least[name] = r.f.Sizes[i].Least
			}
			if most != nil {
				r.f.Sizes[i].Most = r.constant(most, a.At)
			}
			return symbolic.Named(name)
		}
	}
	text, given := r.f.set[name]
	if !given {
		return missing
	}
	switch v := missing.(type) {
	case string:
		return text
	case *symbolic.Term:
		if v.IsTruth() {
			b, err := strconv.ParseBool(text)
			if err != nil {
				r.Refuse(a.At, "invalid value %q of %s", text, name)
			}
			return symbolic.Truth(b)
		}
		if n, err := strconv.Atoi(text); err == nil {
			return symbolic.Number(n)
		}
	}
	r.Refuse(a.At, "invalid value %q of %s", text, name)
	return nil
}

func (r *reader) network(a *arguments) value {
	r.declaredOnce(a.At, "network")
	if r.whole {
		r.Refuse(a.At, "network is called twice")
	}
	r.whole = true
	for _, name := range []string{"name", "paper", "switching"} {
		a.Take(-1, name)
	}
	if b := a.Take(-1, "buffer"); b != nil {
		r.constant(b, a.At)
	}
	switch v := a.Take(-1, "vcs").(type) {
	case nil:
	case *symbolic.Term:
		r.f.vcs = r.constant(v, a.At)
	default:
		for _, name := range r.Elems(v, a.At) {
			text, ok := name.(string)
			if !ok {
				r.Refuse(a.At, "want names of VCs")
			}
			r.vcNames = append(r.vcNames, text)
		}
		r.f.vcs = len(r.vcNames)
	}
	a.Done()
	return none{}
}

// node declares the nodes: one call does so for all values of the variables in scope.
func (r *reader) node(a *arguments) value {
	if r.shape != nil {
		r.Refuse(a.At, "nodes are declared in a second place, which is not read for all sizes")
	}
	if len(r.vars) == 0 || len(r.guard) > 0 {
		r.Refuse(a.At, "a node that is not declared for each value of a size")
	}
	n := nodeValue{}
	by := map[string]*symbolic.Term{}
	sizes := map[string]bool{}
	for _, s := range r.f.Sizes {
		sizes[s.Name] = true
	}
	for i, v := range r.vars {
		found := map[string]bool{}
		v.low.Names(found)
		v.high.Names(found)
		for name := range found {
			if !sizes[name] {
				r.Refuse(a.At, "nodes whose range of one coordinate depends on another")
			}
		}
		by[v.name] = symbolic.Named(here(i))
		n.at = append(n.at, symbolic.Named(v.name))
	}
	if at := a.Take(-1, "at"); at != nil {
		met := map[string]bool{}
		for _, x := range r.Elems(at, a.At) {
			t := r.integer(x, a.At)
			base := t
			if t.Op == symbolic.OpAdd && t.Args[1].IsNumber() {
				base = t.Args[0]
			}
			if !base.IsName() || by[base.Name] == nil {
				r.Refuse(a.At, "at: want the variables of the loops, plus a number, so that no two nodes have the same")
			}
			met[base.Name] = true
			r.f.at = append(r.f.at, t.Replace(by))
		}
		if len(met) != len(r.vars) {
			r.Refuse(a.At, "at: want each variable of the loops, so that no two nodes have the same")
		}
	}
	a.Done()
	r.shape = append(r.shape, r.vars...)
	return n
}

func (r *reader) link(a *arguments, both bool) value {
	from, ok := a.Take(0, "a").(nodeValue)
	to, also := a.Take(1, "b").(nodeValue)
	if !ok || !also {
		r.Refuse(a.At, "the ends of a link: want nodes of the file")
	}
	into := "into"
	if both {
		into = "back"
	}
	for _, t := range slices.Concat(from.at, to.at) {
		r.pieces(t)
	}
	l := link{
		out: r.text(a, -1, "out"), into: r.text(a, -1, into),
		dim: r.count(a, -1, "dim", 0), vcs: r.count(a, -1, "vcs", r.f.vcs), at: a.At,
	}
	if l.vcs < 1 || l.vcs > 64 {
		r.Refuse(a.At, "a link of %d VCs: want 1 to 64", l.vcs)
	}
	if spec.Printable(l.out+l.into) != l.out+l.into {
		r.Refuse(a.At, "the name of a port: want printable characters")
	}
	a.Done()
	r.declare(l, from, to)
	if both {
		l.out, l.into = l.into, l.out
		r.declare(l, to, from)
	}
	return joined{}
}

// declare adds a link for all values of the variables in scope. The formulas of a link are in the coordinates of where
// it begins, so those of the variables are inverted.
func (r *reader) declare(l link, from, to nodeValue) {
	by := map[string]*symbolic.Term{}
	in := map[string]variable{}
	for _, v := range r.vars {
		in[v.name] = v
	}
	guard := []*symbolic.Term{}
	for i, t := range from.at {
		x, size := symbolic.Named(here(i)), (*symbolic.Term)(nil)
		if t.Op == symbolic.OpWrap {
			t, size = t.Args[0], t.Args[1]
		}
		offset := 0
		if t.Op == symbolic.OpAdd && t.Args[1].IsNumber() {
			t, offset = t.Args[0], t.Args[1].N
		}
		v, known := in[t.Name]
		if !t.IsName() || !known || by[v.name] != nil {
			r.Refuse(l.at, "a link whose end is not a node with each coordinate a variable of its own, plus a number")
		}
		inverse := symbolic.Plus(x, -offset, symbolic.Number(1))
		if size != nil {
			if !size.Same(v.high) || !v.low.Same(symbolic.Number(0)) || offset > 1 || offset < -1 ||
				!v.high.Same(r.shape[i].high) || !v.low.Same(r.shape[i].low) {
				r.Refuse(l.at, "a link round a ring that is not from one node to the next")
			}
			inverse = symbolic.Wrap(inverse, size)
		} else {
			guard = append(guard, v.bounds())
			if offset == 0 && v.low.Same(r.shape[i].low) && v.high.Same(r.shape[i].high) {
				guard = guard[:len(guard)-1] // of every node
			}
		}
		by[v.name] = inverse
	}
	if len(by) != len(r.vars) {
		r.Refuse(l.at, "a link for each value of a size at one node")
	}
	// Bounds, too, can have the variables of other loops.
	l.guard = symbolic.And(append(guard, r.guard...)...).Replace(by)
	for _, t := range to.at {
		l.head = append(l.head, t.Replace(by))
	}
	for _, other := range r.f.links {
		if other.out == l.out {
			r.Refuse(l.at, "two links leave port %q", l.out)
		}
	}
	r.f.links = append(r.f.links, l)
}

// atPacket refuses something of another node than the one where the packet is.
func (r *reader) atPacket(of nodeValue, what string, at syntax.Position) {
	for i, t := range of.at {
		if r.arrival == nil || !t.Same(symbolic.Named(next(i))) {
			r.Refuse(at, "%s of another node than that of the packet", what)
		}
	}
}

// port returns the link that leaves a port; [reader.hop] asks whether there is one.
func (r *reader) port(of nodeValue, a *arguments) value {
	a.Want(0, "the name of a port")
	name := r.text(a, 0, "")
	r.atPacket(of, "a port", a.At)
	for i, l := range r.f.links {
		if l.out == name {
			return linkValue{i}
		}
	}
	return none{}
}

func (r *reader) hop(a *arguments) value {
	l, ok := a.Take(0, "link").(linkValue)
	if r.arrival == nil {
		r.Refuse(a.At, "hop outside route")
	}
	vc := 0
	switch v := a.Take(1, "vc").(type) {
	case nil:
	case string:
		vc = -1
		for i, name := range r.vcNames {
			if name == v {
				vc = i
			}
		}
	default:
		vc = r.constant(v, a.At)
	}
	if r.count(a, 2, "tag", 0) != 0 || r.count(a, 3, "room", 1) != 1 {
		r.Refuse(a.At, "tags and room are not read for all sizes")
	}
	a.Done()
	if !ok {
		r.owe(a.At, "a hop over a link that does not exist", symbolic.Truth(false))
		return hopped{}
	}
	if vc < 0 || vc >= r.f.links[l.link].vcs {
		r.Refuse(a.At, "the link has no such VC")
	}
	r.owe(a.At, "a hop over a link that does not exist", r.f.links[l.link].guard.Replace(r.hereIsPacket()))
	return hopped{l.link, vc}
}
