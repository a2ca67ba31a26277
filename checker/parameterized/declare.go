package parameterized

import (
	"strconv"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/spec"
)

// What a file declares: parameters, the network, nodes, links; and the hops that route makes.

func (r *reader) param(a *arguments) value {
	r.declaredOnce(a.at, "param")
	name := a.text(0, "name")
	missing, least, most := a.take(1, "default"), a.take(2, "min"), a.take(3, "max")
	a.take(4, "choices")
	a.take(5, "doc")
	if r.params == nil {
		r.params = map[string]bool{}
	}
	if r.params[name] {
		r.refuse(a.at, "parameter %s is declared twice", name)
	}
	r.params[name] = true
	for i, s := range r.f.Sizes {
		if s.Name == name {
			if least != nil {
				r.f.Sizes[i].Least = r.constant(least, a.at)
			}
			if most != nil {
				r.f.Sizes[i].Most = r.constant(most, a.at)
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
				r.refuse(a.at, "invalid value %q of %s", text, name)
			}
			return symbolic.Truth(b)
		}
		if n, err := strconv.Atoi(text); err == nil {
			return symbolic.Number(n)
		}
	}
	r.refuse(a.at, "invalid value %q of %s", text, name)
	return nil
}

func (r *reader) network(a *arguments) value {
	r.declaredOnce(a.at, "network")
	if r.whole {
		r.refuse(a.at, "network is called twice")
	}
	r.whole = true
	for _, name := range []string{"name", "paper", "switching"} {
		a.take(-1, name)
	}
	if b := a.take(-1, "buffer"); b != nil {
		r.constant(b, a.at)
	}
	switch v := a.take(-1, "vcs").(type) {
	case nil:
	case *symbolic.Term:
		r.f.vcs = r.constant(v, a.at)
	default:
		for _, name := range r.elems(v, a.at) {
			text, ok := name.(string)
			if !ok {
				r.refuse(a.at, "want names of VCs")
			}
			r.vcNames = append(r.vcNames, text)
		}
		r.f.vcs = len(r.vcNames)
	}
	a.done()
	return none{}
}

// node declares the nodes: one call does so for all values of the variables in scope.
func (r *reader) node(a *arguments) value {
	if r.shape != nil {
		r.refuse(a.at, "nodes are declared in a second place, which is not read for all sizes")
	}
	if len(r.vars) == 0 || len(r.guard) > 0 {
		r.refuse(a.at, "a node that is not declared for each value of a size")
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
				r.refuse(a.at, "nodes whose range of one coordinate depends on another")
			}
		}
		by[v.name] = symbolic.Named(here(i))
		n.at = append(n.at, symbolic.Named(v.name))
	}
	if at := a.take(-1, "at"); at != nil {
		met := map[string]bool{}
		for _, x := range r.elems(at, a.at) {
			t := r.integer(x, a.at)
			base := t
			if t.Op == symbolic.OpAdd && t.Args[1].IsNumber() {
				base = t.Args[0]
			}
			if !base.IsName() || by[base.Name] == nil {
				r.refuse(a.at, "at: want the variables of the loops, plus a number, so that no two nodes have the same")
			}
			met[base.Name] = true
			r.f.at = append(r.f.at, t.Replace(by))
		}
		if len(met) != len(r.vars) {
			r.refuse(a.at, "at: want each variable of the loops, so that no two nodes have the same")
		}
	}
	a.done()
	r.shape = append(r.shape, r.vars...)
	return n
}

func (r *reader) link(a *arguments, both bool) value {
	from, ok := a.take(0, "a").(nodeValue)
	to, also := a.take(1, "b").(nodeValue)
	if !ok || !also {
		r.refuse(a.at, "the ends of a link: want nodes of the file")
	}
	into := "into"
	if both {
		into = "back"
	}
	l := link{
		out: a.text(-1, "out"), into: a.text(-1, into),
		dim: a.count(-1, "dim", 0), vcs: a.count(-1, "vcs", r.f.vcs), at: a.at,
	}
	if l.vcs < 1 || l.vcs > 64 {
		r.refuse(a.at, "a link of %d VCs: want 1 to 64", l.vcs)
	}
	if spec.Printable(l.out+l.into) != l.out+l.into {
		r.refuse(a.at, "the name of a port: want printable characters")
	}
	a.done()
	r.declare(l, from, to)
	if both {
		l.out, l.into = l.into, l.out
		r.declare(l, to, from)
	}
	return none{}
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
			r.refuse(l.at, "a link whose end is not a node with each coordinate a variable of its own, plus a number")
		}
		inverse := symbolic.Plus(x, -offset, symbolic.Number(1))
		if size != nil {
			if !size.Same(v.high) || !v.low.Same(symbolic.Number(0)) || offset > 1 || offset < -1 ||
				!v.high.Same(r.shape[i].high) || !v.low.Same(r.shape[i].low) {
				r.refuse(l.at, "a link round a ring that is not from one node to the next")
			}
			inverse = symbolic.Wrap(inverse, size)
		} else {
			guard = append(guard, v.bounds().Replace(map[string]*symbolic.Term{v.name: inverse}))
			if offset == 0 && v.low.Same(r.shape[i].low) && v.high.Same(r.shape[i].high) {
				guard = guard[:len(guard)-1] // of every node
			}
		}
		by[v.name] = inverse
	}
	if len(by) != len(r.vars) {
		r.refuse(l.at, "a link for each value of a size at one node")
	}
	for _, g := range r.guard {
		guard = append(guard, g.Replace(by))
	}
	l.guard = symbolic.And(guard...)
	for _, t := range to.at {
		l.head = append(l.head, t.Replace(by))
	}
	for _, other := range r.f.links {
		if other.out == l.out {
			r.refuse(l.at, "two links leave port %q", l.out)
		}
	}
	r.f.links = append(r.f.links, l)
}

// port returns the link that leaves a port; [reader.hop] asks whether there is one.
func (r *reader) port(of nodeValue, a *arguments) value {
	name := a.text(0, "p")
	for i, t := range of.at {
		if r.arrival == nil || !t.Same(symbolic.Named(next(i))) {
			r.refuse(a.at, "a port of another node than that of the packet")
		}
	}
	for i, l := range r.f.links {
		if l.out == name {
			return linkValue{i}
		}
	}
	return none{}
}

func (r *reader) hop(a *arguments) value {
	l, ok := a.take(0, "link").(linkValue)
	if r.arrival == nil {
		r.refuse(a.at, "hop outside route")
	}
	vc := 0
	switch v := a.take(1, "vc").(type) {
	case nil:
	case string:
		vc = -1
		for i, name := range r.vcNames {
			if name == v {
				vc = i
			}
		}
	default:
		vc = r.constant(v, a.at)
	}
	if a.count(2, "tag", 0) != 0 || a.count(3, "room", 1) != 1 {
		r.refuse(a.at, "tags and room are not read for all sizes")
	}
	a.done()
	if !ok {
		r.owe(a.at, "a hop over a link that does not exist", symbolic.Truth(false))
		return hopped{}
	}
	if vc < 0 || vc >= r.f.links[l.link].vcs {
		r.refuse(a.at, "the link has no such VC")
	}
	r.owe(a.at, "a hop over a link that does not exist", r.f.links[l.link].guard.Replace(r.hereIsPacket()))
	return hopped{l.link, vc}
}
