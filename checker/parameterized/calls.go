package parameterized

import (
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
)

// arguments are those of a call.
type arguments = symbolic.Arguments

func (r *reader) call(e *syntax.CallExpr) value {
	at := symbolic.Start(e)
	of := r.Expr(e.Fn)
	args := symbolic.Call(r, e)
	switch f := of.(type) {
	case *function:
		return r.invoke(f, args.List, args.Named, at)
	case method:
		args.Of = f.Name
		v := r.callMethod(f, args)
		args.Done()
		return v
	case builtin:
		args.Of = string(f)
		v := r.callBuiltin(string(f), args)
		args.Done()
		return v
	}
	r.Refuse(at, "a call that is not read for all sizes")
	return nil
}

// invoke calls a function of the file.
func (r *reader) invoke(f *function, list []value, byName map[string]value, at syntax.Position) value {
	if slices.Contains(r.called, f) {
		r.Refuse(at, "%s calls itself", f.name)
	}
	if len(list)+len(byName) != len(f.params) {
		r.Refuse(at, "%s with %d values, want %d", f.name, len(list)+len(byName), len(f.params))
	}
	local := map[string]value{}
	for i, p := range f.params {
		name := p.(*syntax.Ident).Name // see define
		v, given := byName[name]
		if i < len(list) {
			v, given = list[i], !given
		}
		if !given {
			r.Refuse(at, "%s: want one value for %s", f.name, name)
		}
		local[name] = v
	}
	outer := r.local
	r.local, r.called = local, append(r.called, f)
	defer func() { r.local, r.called = outer, r.called[:len(r.called)-1] }()
	if c, v := symbolic.Block(r, f.body); c == symbolic.Returns {
		return v
	}
	return none{}
}

func (r *reader) text(a *arguments, i int, name string) string {
	switch v := a.Take(i, name).(type) {
	case nil:
		return ""
	case string:
		return v
	}
	r.Refuse(a.At, "%s: want a text for %s that does not depend on a size", a.Of, name)
	return ""
}

func (r *reader) count(a *arguments, i int, name string, missing int) int {
	v := a.Take(i, name)
	if v == nil {
		return missing
	}
	return r.constant(v, a.At)
}

func (r *reader) callBuiltin(name string, a *arguments) value {
	switch name {
	case "expect":
		r.declaredOnce(a.At, "expect")
		a.TakeNamed()
		return none{}
	case "param":
		return r.param(a)
	case "network":
		return r.network(a)
	case "node":
		return r.node(a)
	case "link":
		return r.link(a, false)
	case "both":
		return r.link(a, true)
	case "hop":
		return r.hop(a)
	case "range":
		return r.rangeOf(a)
	case "len":
		return r.length(a.Take(0, ""), a.At)
	case "min", "max":
		return r.extreme(name, a)
	case "abs":
		t := r.integer(a.Take(0, ""), a.At)
		r.MeetCompared(t, symbolic.Number(0))
		return symbolic.Cases(symbolic.Less(t, symbolic.Number(0)), symbolic.Times(-1, t), t)
	case "list", "tuple":
		elems := []value{}
		if v := a.Take(0, ""); v != nil {
			elems = r.Elems(v, a.At)
		}
		if name == "tuple" {
			return tuple(elems)
		}
		return r.newList(slices.Clone(elems))
	case "enumerate":
		if len(a.List) != 1 {
			r.Refuse(a.At, "enumerate: want one list")
		}
		var pairs []value
		for i, v := range r.Elems(a.Take(0, ""), a.At) {
			pairs = append(pairs, tuple{symbolic.Number(i), v})
		}
		return r.newList(pairs)
	case "zip":
		return r.zip(a)
	case "reversed":
		elems := slices.Clone(r.Elems(a.Take(0, ""), a.At))
		slices.Reverse(elems)
		return r.newList(elems)
	case "fail":
		r.owe(a.At, "fail(...)", symbolic.Truth(false))
		return none{}
	}
	r.Refuse(a.At, "%s is not read for all sizes", name)
	return nil
}

func (r *reader) zip(a *arguments) value {
	var rows []value
	a.TakeList()
	for i, v := range a.List {
		elems := r.Elems(v, a.At)
		if i == 0 {
			for range elems {
				rows = append(rows, tuple{})
			}
		}
		rows = rows[:min(len(rows), len(elems))]
		for j := range rows {
			rows[j] = append(slices.Clone(rows[j].(tuple)), elems[j])
		}
	}
	return r.newList(rows)
}

func (r *reader) extreme(name string, a *arguments) value {
	vs := a.List
	a.TakeList()
	if len(vs) == 1 {
		vs = r.Elems(vs[0], a.At)
	}
	if len(vs) == 0 {
		r.Refuse(a.At, "%s of nothing", name)
	}
	best := r.integer(vs[0], a.At)
	for _, v := range vs[1:] {
		t := r.integer(v, a.At)
		r.MeetCompared(t, best)
		better := symbolic.Less(t, best)
		if name == "max" {
			better = symbolic.Less(best, t)
		}
		best = symbolic.Cases(better, t, best)
	}
	return best
}

func (r *reader) rangeOf(a *arguments) value {
	low, high, step := symbolic.Number(0), (*symbolic.Term)(nil), 1
	a.TakeList()
	switch len(a.List) {
	case 1:
		high = r.integer(a.List[0], a.At)
	case 2, 3:
		low, high = r.integer(a.List[0], a.At), r.integer(a.List[1], a.At)
		if len(a.List) == 3 {
			step = r.constant(a.List[2], a.At)
		}
	default:
		r.Refuse(a.At, "range with %d values, want 1 to 3", len(a.List))
	}
	if low.IsNumber() && high.IsNumber() && step != 0 {
		const most = 10_000
		var all []value
		for i := low.N; step > 0 && i < high.N || step < 0 && i > high.N; i += step {
			if all = append(all, symbolic.Number(i)); len(all) > most {
				r.Refuse(a.At, "a range of more than %d numbers", most)
			}
		}
		return series{of: r.newList(all)}
	}
	if step == 0 {
		r.Refuse(a.At, "a range with step 0")
	}
	if step != 1 {
		r.Refuse(a.At, "a range over a size with a step other than 1")
	}
	r.MeetCompared(low, high)
	r.made++
	v := variable{"v" + strconv.Itoa(r.made), low, high}
	return series{of: &list{each: &each{[]variable{v}, nil, symbolic.Named(v.name)}, depth: len(r.vars)}}
}

func (r *reader) length(v value, at syntax.Position) value {
	switch v := v.(type) {
	case string:
		return symbolic.Number(len(v))
	case series:
		return r.length(v.of, at)
	case *list:
		r.filled(v.each, v.depth, len(v.elems), at)
		if v.each != nil && len(v.each.vars) == 1 {
			n := symbolic.Plus(v.each.vars[0].high, -1, v.each.vars[0].low)
			return symbolic.Cases(symbolic.Less(n, symbolic.Number(0)), symbolic.Number(0), n)
		}
	}
	return symbolic.Number(len(r.Elems(v, at)))
}

func (r *reader) callMethod(m method, a *arguments) value {
	switch of := m.Of.(type) {
	case string:
		sep, parts := "", []value{}
		if m.Name == "split" {
			sep = r.text(a, 0, "")
		}
		if strings.ContainsFunc(of, func(c rune) bool { return c > 127 }) {
			r.Refuse(a.At, "%s(...) of a text that is not ASCII, which is not read for all sizes", m.Name)
		}
		if m.Name == "elems" || sep != "" {
			for _, part := range strings.Split(of, sep) {
				parts = append(parts, part)
			}
			if m.Name == "elems" {
				return series{r.newList(parts), true}
			}
			return r.newList(parts)
		}
	case *list:
		switch m.Name {
		case "append":
			r.append(of, a.Want(0, "an element"), a.At)
			return none{}
		case "extend":
			for _, v := range r.Elems(a.Take(0, ""), a.At) {
				r.append(of, v, a.At)
			}
			return none{}
		}
	case *dict:
		return r.dictMethod(of, m.Name, a)
	case nodeValue:
		if m.Name == "port" {
			return r.port(of, a)
		}
	}
	r.Refuse(a.At, "%s(...) is not read for all sizes", m.Name)
	return nil
}

func (r *reader) dictMethod(d *dict, name string, a *arguments) value {
	if name != "items" && name != "keys" && name != "values" {
		r.Refuse(a.At, "%s(...) is not read for all sizes", name)
	}
	r.filled(d.each, d.depth, len(d.keys), a.At)
	pick := func(key, v value) value {
		switch name {
		case "items":
			return tuple{key, v}
		case "keys":
			return key
		}
		return v
	}
	l := r.newList(nil)
	if d.each != nil {
		l.each = &each{d.each.vars, nil, pick(d.each.key, d.each.value)}
		return l
	}
	for i := range d.keys {
		l.elems = append(l.elems, pick(d.keys[i], d.values[i]))
	}
	return l
}

// attribute returns an attribute, or a method to be called.
func (r *reader) attribute(of value, name string, at syntax.Position) value {
	switch v := of.(type) {
	case siteValue:
		return r.siteAttribute(name, at)
	case nodeValue:
		switch {
		case name == "at":
			all := tuple{}
			by := map[string]*symbolic.Term{}
			for i := range v.at {
				by[here(i)] = v.at[i]
			}
			for _, t := range r.f.at {
				all = append(all, t.Replace(by))
			}
			return all
		case name == "id" && len(r.shape) == 1:
			return symbolic.Plus(v.at[0], -1, r.shape[0].low)
		case name == "out" && len(r.f.links) == 1 && r.f.links[0].guard.IsTrue():
			r.atPacket(v, "the links", at)
			return tuple{linkValue{0}}
		case name == "port":
			return method{Of: v, Name: name}
		}
	case linkValue, arrivedValue:
		i := 0
		switch v := v.(type) {
		case linkValue:
			r.owe(at, "an attribute of a link that does not exist", r.truth(v, at))
			i = v.link
		case arrivedValue:
			i = v.link
		}
		l := r.f.links[i]
		switch name {
		case "dim":
			return symbolic.Number(l.dim)
		case "out":
			return l.out
		case "into":
			return l.into
		case "vcs":
			return symbolic.Number(l.vcs)
		}
	case *list, *dict, string:
		return method{Of: v, Name: name}
	case none:
		r.owe(at, "an attribute of None", symbolic.Truth(false))
		return none{}
	}
	r.Refuse(at, ".%s is not read for all sizes", name)
	return nil
}

func (r *reader) siteAttribute(name string, at syntax.Position) value {
	by := r.arrival.by
	switch name {
	case "node":
		packet := nodeValue{}
		for i := range r.shape {
			packet.at = append(packet.at, symbolic.Named(next(i)))
		}
		return packet
	case "injecting":
		return symbolic.Truth(by == nil)
	case "tag", "cls":
		return symbolic.Number(0)
	case "link", "vc":
		if by == nil && name == "link" {
			return none{}
		}
		if by != nil && name == "vc" {
			return symbolic.Number(by.vc)
		}
		if by != nil {
			return arrivedValue{by.link}
		}
	}
	r.Refuse(at, "at.%s is not read for all sizes", name)
	return nil
}
