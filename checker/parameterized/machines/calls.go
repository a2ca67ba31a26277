package machines

import (
	"maps"
	"slices"
	"strconv"

	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
)

func (r *reader) callBuiltin(name string, a *arguments) value {
	switch name {
	case "machine", "param", "processes", "optional", "var", "fifo", "rule", "invariant", "never":
		return r.declare(name, a)
	case "expect", "reach", "eventually", "always_possible", "ltl", "final", "symmetry":
		r.atTop(a.At, name) // says nothing about which states are reachable, or is not proved here
		a.TakeList()
		a.TakeNamed()
		return none
	case "range":
		return r.rangeOf(a)
	case "list", "tuple":
		switch v := a.Want(0, "a list").(type) {
		case tuple:
			if name == "list" {
				return list(v)
			}
			return v
		case list:
			if name == "tuple" {
				return tuple(v)
			}
			return v
		case set, *comprehension:
			return v
		}
	case "len":
		switch v := a.Want(0, "a list").(type) {
		case tuple, list:
			return symbolic.Number(len(r.Elems(v, a.At)))
		case set:
			return r.length(v, a.At)
		case *comprehension:
			return &counted{v}
		case place:
			held := symbolic.Number(0)
			for i, x := range v.of.places {
				held = symbolic.Cases(symbolic.Equal(r.read(x, v.keys), absent), held, symbolic.Number(i+1))
			}
			return held
		}
	case "all", "any":
		return r.quantify(name, a)
	case "count":
		return &counted{r.filter(a.Want(0, "over"), a.Want(1, "f"), a.At)}
	case "when":
		if a.Take(1, "why") != nil {
			r.text(a, 1, "why")
		}
		if r.run == nil || !r.changes {
			r.Refuse(a.At, "when outside rules")
		}
		r.when(r.truth(a.Want(0, "condition"), a.At))
		return none
	case "fail":
		a.Take(0, "text")
		r.fault(a.At, "fail(...)")
		return none
	case "choose":
		return r.choose(a)
	case "also":
		return r.also(a)
	}
	r.Refuse(a.At, "%s is not read for all sizes", name)
	return nil
}

func (r *reader) rangeOf(a *arguments) value {
	lo, hi := symbolic.Number(0), (*symbolic.Term)(nil)
	switch first := r.number(a.Want(0, "a number"), a.At); len(a.List) {
	case 1:
		hi = first
	case 2:
		lo, hi = first, r.number(a.Take(1, ""), a.At)
	default:
		r.Refuse(a.At, "range with a step, which is not read for all sizes")
	}
	if (!lo.IsNumber() || !hi.IsNumber()) && (lo.Contains(isRead) || hi.Contains(isRead)) {
		r.Refuse(a.At, "a range that depends on the state")
	}
	r.MeetCompared(lo, hi)
	return set{lo, hi, false}
}

func isRead(t *symbolic.Term) bool { return t.Op == symbolic.OpRead }

// quantify reads all and any, or any(values) as an initial value.
func (r *reader) quantify(name string, a *arguments) value {
	v := a.Want(0, "a list")
	if name == "any" && r.run == nil {
		return anyOf{v}
	}
	switch v := v.(type) {
	case *comprehension:
		says, ok := v.elem.(*symbolic.Term)
		if !ok || !says.IsTruth() {
			break
		}
		c := &comprehension{v.names, v.cond, nil}
		if name == "all" {
			return r.all(c, says)
		}
		c.cond = symbolic.And(c.cond, says)
		return r.some(c)
	case tuple, list:
		var terms []*symbolic.Term
		for _, elem := range r.Elems(v, a.At) {
			t, ok := elem.(*symbolic.Term)
			if !ok || !t.IsTruth() {
				r.Refuse(a.At, "%s of something else than a list of truth values", name)
			}
			terms = append(terms, t)
		}
		if name == "all" {
			return symbolic.And(terms...)
		}
		return symbolic.Or(terms...)
	}
	r.Refuse(a.At, "%s of something else than a list of truth values", name)
	return nil
}

// filter returns the keys for which a function is true.
func (r *reader) filter(over, f value, at syntax.Position) *comprehension {
	g, ok := f.(*function)
	c := r.eachOf(over)
	if !ok || c == nil {
		r.Refuse(at, "count: want keys that depend on the size, and a function")
	}
	if key, is := c.elem.(tuple); is && len(key) == 1 { // count gives it to the function whole
		r.Refuse(at, "count over tuples of one number, which are not read for all sizes")
	}
	depth := len(r.scopes)
	r.scopes = append(r.scopes, c.names...)
	r.pure++
	r.under(c.cond, func() { c.cond = symbolic.And(c.cond, r.answer(r.invoke(g, r.spread(c.elem), at), at)) })
	r.pure--
	r.scopes = r.scopes[:depth]
	return c
}

// spread returns the parameters that a key stands for.
func (r *reader) spread(key value) []value {
	if t, is := key.(tuple); is {
		return t
	}
	return []value{key}
}

func (r *reader) choose(a *arguments) value {
	over := a.Want(0, "options")
	if r.run == nil || !r.changes || r.isPart || len(r.scopes) > 0 || len(r.guard) > 0 {
		r.Refuse(a.At, "choose outside rules, in also, in a loop over participants or in a part of a condition")
	}
	if c := r.eachOf(over); c != nil {
		r.run.params = append(r.run.params, c.names...)
		r.when(c.cond)
		return c.elem
	}
	each := r.Elems(over, a.At)
	if len(each) == 0 {
		panic(impossible{})
	}
	return each[r.pick(len(each))]
}

// also runs a function on the state as it was before the step.
func (r *reader) also(a *arguments) value {
	f := a.Want(0, "a function")
	a.TakeList()
	if r.run == nil || !r.changes {
		r.Refuse(a.At, "also outside rules")
	}
	for _, v := range a.List[1:] {
		for _, part := range r.spread(v) {
			r.asTerm(part, a.At)
		}
	}
	before, outer := r.run.updates, r.isPart
	r.isPart = true
	r.run.updates = map[*variable][]update{}
	switch f := f.(type) {
	case *function:
		if len(f.params) == 0 {
			r.Refuse(a.At, "also: want a function of the state")
		}
		if f.local != nil { // it runs after the step, with the last values of the names around it
			r.Refuse(a.At, "also of a lambda within a function, which is not read for all sizes")
		}
		r.returnsNone(r.invoke(f, append([]value{stateValue{}}, a.List[1:]...), a.At), a.At)
	case method:
		if f.Name == "holds" {
			r.Refuse(a.At, "also of holds, which changes nothing")
		}
		b := a.Rest(f.Name)
		r.callFIFO(f, b)
		b.Done()
		a.TakeNamed()
	default:
		r.Refuse(a.At, "also: want a function or a method of a FIFO")
	}
	maps.Copy(r.parts, r.run.updates) // write refuses what another part assigns
	for _, v := range r.m.variables {
		if len(r.parts[v]) > 0 && len(before[v]) > 0 {
			r.Refuse(a.At, "also assigns %s, which the step assigns elsewhere, too", v.name)
		}
	}
	r.run.updates, r.isPart = before, outer
	return none
}

// callFIFO reads the methods of FIFOs, which have as many variables as places.
func (r *reader) callFIFO(m method, a *arguments) value {
	p, ok := m.Of.(place)
	if !ok {
		r.Refuse(a.At, "%s(...) is not read for all sizes", m.Name)
	}
	held := make([]*symbolic.Term, len(p.of.places)+1)
	for i, v := range p.of.places {
		held[i] = r.read(v, p.keys)
	}
	held[len(p.of.places)] = absent
	shift := func() {
		for i, v := range p.of.places {
			r.write(v, p.keys, held[i+1], a.At)
		}
	}
	switch m.Name {
	case "push":
		message := r.asTerm(a.Want(0, "a message"), a.At)
		a.Take(-1, "by") // FIFOs with arbiters are refused
		r.fits(p.of.name, &p.of.places[0].domain, message, a.At)
		r.oweRange(p.of.places[0], message, a.At) // before it waits for room
		room := symbolic.Equal(held[len(p.of.places)-1], absent)
		if p.of.blocking {
			r.when(room)
		} else {
			r.owe(a.At, p.of.name+" is full", room)
		}
		for i, v := range p.of.places {
			here := symbolic.Equal(held[i], absent)
			if i > 0 {
				here = symbolic.And(here, symbolic.Not(symbolic.Equal(held[i-1], absent)))
			}
			r.under(here, func() { r.write(v, p.keys, message, a.At) })
		}
		return none
	case "pop", "take":
		r.when(symbolic.Not(symbolic.Equal(held[0], absent)))
		if m.Name == "take" && len(a.List) == 0 {
			r.Refuse(a.At, "take without a message")
		}
		if m.Name == "take" {
			var any []*symbolic.Term
			for i := range a.List {
				any = append(any, r.equal(held[0], a.Take(i, ""), a.At))
			}
			r.when(symbolic.Or(any...))
		}
		shift()
		return held[0]
	case "clear":
		for _, v := range p.of.places {
			r.write(v, p.keys, absent, a.At)
		}
		return none
	case "holds":
		if i := r.constant(a.Want(0, "a place"), a.At); i >= 0 && i < len(p.of.places) && len(a.List) > 1 {
			var any []*symbolic.Term
			for j := 1; j < len(a.List); j++ {
				any = append(any, r.equal(held[i], a.Take(j, ""), a.At))
			}
			return symbolic.Or(any...)
		}
	}
	r.Refuse(a.At, "%s(...) is not read for all sizes", m.Name)
	return nil
}

// atTop refuses a declaration in a loop or function.
func (r *reader) atTop(at syntax.Position, what string) {
	if r.run != nil || len(r.called) > 0 || len(r.scopes) > 0 || r.comprehended > 0 {
		r.Refuse(at, "%s in a loop, list, function or rule, which is not read for all sizes", what)
	}
}

func (r *reader) declare(name string, a *arguments) value {
	r.atTop(a.At, name)
	switch name {
	case "machine":
		a.Take(0, "name")
		a.Take(1, "paper")
		return none
	case "param":
		return r.param(a)
	case "processes":
		a.Take(0, "name")
		return set{symbolic.Number(0), r.number(a.Want(1, "n"), a.At), true}
	case "optional":
		return options{a.Want(0, "values")}
	case "var":
		r.variable(a)
	case "fifo":
		r.fifo(a)
	case "rule":
		r.rule(a)
	default:
		r.property(a, name == "never")
	}
	return none
}

func (r *reader) param(a *arguments) value {
	name, missing := r.text(a, 0, "name"), a.Want(1, "default")
	least, most := a.Take(2, "min"), a.Take(3, "max")
	a.Take(4, "choices")
	a.Take(5, "doc")
	r.declared = append(r.declared, name)
	if name == r.m.Size {
		if least != nil {
			r.m.Least = r.constant(least, a.At)
			r.Least[name] = r.m.Least
		}
		if most != nil {
			r.m.Most = r.constant(most, a.At)
		}
		return symbolic.Named(name)
	}
	given, is := r.m.set[name]
	t, ok := missing.(*symbolic.Term)
	switch {
	case !is:
		return missing
	case ok && t.IsTruth():
		if b, err := strconv.ParseBool(given); err == nil {
			return symbolic.Truth(b)
		}
	case ok && t.IsNumber():
		if n, err := strconv.Atoi(given); err == nil {
			return symbolic.Number(n)
		}
	case ok && t.Op == symbolic.OpText:
		return r.code(given)
	}
	r.Refuse(a.At, "invalid value %q of %s", given, name)
	return nil
}

// domain reads the values of a variable.
func (r *reader) domain(v value, at syntax.Position) domain {
	if o, is := v.(options); is {
		d := r.domain(o.of, at)
		switch d.kind {
		case truths:
			r.Refuse(at, "an optional truth value, which is not read for all sizes")
		case texts:
			d.codes = append([]*symbolic.Term{none}, d.codes...)
		}
		d.optional = true
		return d
	}
	if _, is := v.(truthValues); is {
		return domain{kind: truths}
	}
	if s, is := v.(set); is {
		if !s.lo.IsNumber() || s.lo.N < 0 {
			r.Refuse(at, "a range that does not begin with a number of at least 0")
		}
		d := domain{kind: numbers, lo: s.lo, hi: s.hi}
		if s.processes {
			d.kind, d.processes = participants, true
		}
		if !r.inDomain(&d, s.lo) {
			r.Refuse(at, "a range that may have no numbers at some size")
		}
		return d
	}
	d := domain{kind: texts}
	flags := 0
	for _, elem := range r.Elems(v, at) {
		t := r.asTerm(elem, at)
		switch {
		case t.IsTruth():
			flags++
		case t.Op == symbolic.OpText:
			d.codes = append(d.codes, t)
		default:
			r.Refuse(at, "values that are no texts, truth values or ranges")
		}
	}
	switch {
	case flags == 2 && len(d.codes) == 0:
		return domain{kind: truths}
	case flags > 0 || len(d.codes) == 0:
		r.Refuse(at, "values of several kinds, or none")
	}
	return d
}

// over reads the keys of an array.
func (r *reader) over(v value, at syntax.Position) []set {
	switch v := v.(type) {
	case nil:
		return nil
	case set:
		if r.canBeNegative(v.lo) { // formulas have None as a number below 0, and it is no key
			r.Refuse(at, "keys below 0, which are not read for all sizes")
		}
		return []set{v}
	case list:
		if len(v) == 1 {
			r.Refuse(at, "keys that are tuples of one number, which are not read for all sizes")
		}
		var sets []set
		for _, elem := range v {
			s, ok := elem.(set)
			if !ok {
				r.Refuse(at, "keys that are no ranges and no processes, which are not read for all sizes")
			}
			sets = append(sets, r.over(s, at)...)
		}
		return sets
	}
	r.Refuse(at, "keys that are no ranges and no processes, which are not read for all sizes")
	return nil
}

// first returns the initial value: a term, a list of messages, or a function of the keys in names.
func (r *reader) first(init value, names []string, over []set, at syntax.Position) value {
	f, ok := init.(*function)
	if !ok {
		return init
	}
	var keys []value
	depth := len(r.scopes)
	for i, name := range names {
		keys = append(keys, symbolic.Named(name))
		r.scopes = append(r.scopes, binder{name, over[i]})
		r.ranges[name] = over[i]
	}
	if len(f.params) != len(keys) {
		r.Refuse(at, "init: want a function of each key")
	}
	v := r.invoke(f, keys, at)
	r.scopes = r.scopes[:depth]
	return v
}

func (r *reader) keyNames(of []set) (names []string) {
	for range of {
		names = append(names, r.fresh("k"))
	}
	return names
}

func (r *reader) variable(a *arguments) {
	v := &variable{name: r.text(a, 0, "name")}
	values := a.Want(1, "values")
	if _, is := values.(*function); is {
		r.Refuse(a.At, "values that depend on the key, which are not read for all sizes")
	}
	v.domain = r.domain(values, a.At)
	v.keys = r.over(a.Take(2, "over"), a.At)
	v.names = r.keyNames(v.keys)
	init := a.Take(3, "init")
	switch t := r.first(init, v.names, v.keys, a.At).(type) {
	case nil:
		switch d := v.domain; {
		case d.kind == truths:
			v.initial = symbolic.Truth(false)
		case d.optional:
			v.initial = none
		case d.kind == texts:
			v.initial = d.codes[0]
		default:
			v.initial = d.lo
		}
	case anyOf:
		if _, is := init.(anyOf); !is {
			r.Refuse(a.At, "init: any(...) in a function")
		}
		if d := r.domain(t.of, a.At); !d.same(&v.domain) {
			r.Refuse(a.At, "init: any(...) of other values than %s has, which is not read for all sizes", v.name)
		}
		v.initial = nil
	case *symbolic.Term:
		v.initial = t
	default:
		r.Refuse(a.At, "an initial value that is not read for all sizes")
	}
	r.add(v, a.At)
	r.arrays[v.name] = v
}

// add adds a variable of the machine.
func (r *reader) add(v *variable, at syntax.Position) {
	if r.arrays[v.name] != nil || r.fifos[v.name] != nil {
		r.Refuse(at, "variable %s is declared twice", v.name)
	}
	if v.initial != nil {
		r.fits(v.name, &v.domain, v.initial, at)
		if !r.inDomain(&v.domain, v.initial) {
			r.Refuse(at, "an initial value of %s that may be none of its values at some size", v.name)
		}
	}
	r.m.variables = append(r.m.variables, v)
}

// inDomain reports whether an initial value is in a domain at every size, as far as its form tells.
func (r *reader) inDomain(d *domain, t *symbolic.Term) bool {
	switch t.Op {
	case symbolic.OpCases:
		return r.inDomain(d, t.Args[1]) && r.inDomain(d, t.Args[2])
	case symbolic.OpName:
		return d.kind != texts && r.ranges[t.Name].same(set{lo: d.lo, hi: d.hi})
	case symbolic.OpNumber: // lo is a number, and hi one that grows with the size, or not at all
		if d.kind == texts || t.N < d.lo.N {
			return false
		}
		n := max(1, r.m.Least) // a file without one is refused in the end
		a := r.evaluate(d.hi.Replace(map[string]*symbolic.Term{r.m.Size: symbolic.Number(n)}))
		b := r.evaluate(d.hi.Replace(map[string]*symbolic.Term{r.m.Size: symbolic.Number(n + 1)}))
		return a != nil && b != nil && t.N < a.N && a.N <= b.N
	}
	return d.contains(t).IsTrue()
}

func (r *reader) fifo(a *arguments) {
	f := &fifo{name: r.text(a, 0, "name"), blocking: r.flag(a, "blocking")}
	d := r.domain(a.Want(1, "values"), a.At)
	size := 1
	if v := a.Take(2, "size"); v != nil {
		t, ok := v.(*symbolic.Term)
		if !ok || !t.IsNumber() || t.N < 1 || t.N > 8 {
			r.Refuse(a.At, "a FIFO whose size is no number from 1 to 8, which is not read for all sizes")
		}
		size = t.N
	}
	switch d.kind {
	case truths:
		r.Refuse(a.At, "a FIFO of truth values, which is not read for all sizes")
	case texts:
		d.codes = append([]*symbolic.Term{absent}, d.codes...)
	}
	if d.optional {
		r.Refuse(a.At, "a FIFO of optional values, which is not read for all sizes")
	}
	d.absent = true
	f.keys = r.over(a.Take(3, "over"), a.At)
	a.Take(-1, "classes")
	names := r.keyNames(f.keys)
	init := r.first(a.Take(-1, "init"), names, f.keys, a.At)
	for i := range size {
		v := &variable{name: f.name + "." + strconv.Itoa(i), keys: f.keys, domain: d, names: names}
		v.initial = r.message(init, i, size, a.At)
		r.add(v, a.At)
		f.places = append(f.places, v)
	}
	r.fifos[f.name] = f
}

// message returns what a list of messages has at a place.
func (r *reader) message(init value, i, size int, at syntax.Position) *symbolic.Term {
	switch v := init.(type) {
	case nil:
		return absent
	case *choice:
		return symbolic.Cases(v.cond, r.message(v.a, i, size, at), r.message(v.b, i, size, at))
	case list:
		if len(v) > size {
			r.Refuse(at, "more initial messages than places")
		}
		if i < len(v) {
			return r.asTerm(v[i], at)
		}
		return absent
	}
	r.Refuse(at, "init: want a list of messages")
	return nil
}

// family is keys of a rule or property: for all values of the names for which the condition holds.
type family struct {
	names []binder
	cond  *symbolic.Term
	keys  []value
}

// families reads over= of a rule or property.
func (r *reader) families(over value, at syntax.Position) []family {
	switch v := over.(type) {
	case nil:
		return []family{{cond: symbolic.Truth(true)}}
	case set, *comprehension:
		c := r.eachOf(v)
		r.refuseTwice(c, at)
		return []family{{c.names, c.cond, r.spread(c.elem)}}
	case list:
		isList := func(elem value) bool {
			switch elem.(type) {
			case set, *comprehension, list:
				return true
			}
			return false
		}
		if !slices.ContainsFunc(v, isList) {
			var all []family
			for i, elem := range v {
				for _, other := range v[:i] {
					if !r.differ(elem, other) {
						r.Refuse(at, "keys that may be equal at some size, which are not read for all sizes")
					}
				}
				all = append(all, family{cond: symbolic.Truth(true), keys: r.spread(elem)})
			}
			return all
		}
		all := []family{{cond: symbolic.Truth(true)}}
		for _, part := range v {
			var grown []family
			for _, f := range all {
				for _, g := range r.families(part, at) {
					grown = append(grown, family{
						slices.Concat(f.names, g.names), symbolic.And(f.cond, g.cond), slices.Concat(f.keys, g.keys),
					})
				}
			}
			all = grown
		}
		return all
	}
	r.Refuse(at, "over: want ranges, processes or lists")
	return nil
}

// refuseTwice refuses keys two of which may be equal, as checks do: each name must be a part of the key, perhaps with a
// number that is added.
func (r *reader) refuseTwice(c *comprehension, at syntax.Position) {
	for _, b := range c.names {
		if !slices.ContainsFunc(r.spread(c.elem), func(part value) bool {
			t, is := part.(*symbolic.Term)
			if is && t.Op == symbolic.OpAdd && t.Args[1].IsNumber() {
				t = t.Args[0]
			}
			return is && t.IsName() && t.Name == b.name
		}) {
			r.Refuse(at, "keys that may be equal at some size, which are not read for all sizes")
		}
	}
}

// differ reports whether two keys differ at every size, as far as this is plain.
func (r *reader) differ(a, b value) bool {
	x, y := r.spread(a), r.spread(b)
	if len(x) != len(y) {
		return true
	}
	for i := range x {
		s, is := x[i].(*symbolic.Term)
		t, also := y[i].(*symbolic.Term)
		switch {
		case !is || !also:
		case r.kindOf(s) != r.kindOf(t), symbolic.Equal(s, t).IsFalse():
			return true
		case r.kindOf(s) == numbers && (r.hasElement(set{lo: s, hi: t}) || r.hasElement(set{lo: t, hi: s})):
			return true
		}
	}
	return false
}

func (r *reader) function(v value, at syntax.Position) *function {
	f, ok := v.(*function)
	if !ok {
		r.Refuse(at, "want a function")
	}
	return f
}

func (r *reader) rule(a *arguments) {
	name := r.text(a, 0, "name") // a function for it could fail at some size
	f := r.function(a.Want(1, "f"), a.At)
	over := a.Take(2, "over")
	for _, ignored := range []string{"fair", "by"} {
		a.Take(-1, ignored)
	}
	for _, refused := range []string{"priority", "timeout"} {
		if a.Take(-1, refused) != nil {
			r.Refuse(a.At, "a rule with %s, which is not read for all sizes", refused)
		}
	}
	families := r.families(over, a.At)
	r.later = append(r.later, func() { r.readRule(name, f, families, a.At) })
}

func (r *reader) readRule(name string, f *function, families []family, at syntax.Position) {
	x := rule{name: name}
	for _, keys := range families {
		paths, _ := r.ways(at, keys.names, true, func() value {
			r.when(keys.cond)
			r.returnsNone(r.invoke(f, append([]value{stateValue{}}, keys.keys...), at), at)
			return nil
		})
		x.paths = append(x.paths, paths...)
	}
	r.m.rules = append(r.m.rules, x)
}

// returnsNone refuses what a rule returns.
func (r *reader) returnsNone(v value, at syntax.Position) {
	if v != none {
		r.Refuse(at, "a rule that returns a value: want None")
	}
}

// answer returns what a condition returns, which is not taken for its truth.
func (r *reader) answer(v value, at syntax.Position) *symbolic.Term {
	if t, ok := v.(*symbolic.Term); ok && t.IsTruth() {
		return t
	}
	r.Refuse(at, "a condition that returns something else than True or False")
	return nil
}

func (r *reader) property(a *arguments, never bool) {
	name := r.text(a, 0, "name")
	f := r.function(a.Want(1, "f"), a.At)
	families := r.families(a.Take(2, "over"), a.At)
	r.later = append(r.later, func() { r.readProperty(name, f, families, never, a.At) })
}

func (r *reader) readProperty(name string, f *function, families []family, never bool, at syntax.Position) {
	for _, keys := range families {
		paths, results := r.ways(at, keys.names, false, func() value {
			return r.invoke(f, append([]value{stateValue{}}, keys.keys...), at)
		})
		p := property{name: name, params: keys.names, holds: symbolic.Truth(true)}
		for i, path := range paths {
			t := symbolic.Truth(true) // an error on the way, see below
			if results[i] != nil {
				t = r.answer(results[i], at)
			}
			if never && results[i] != nil {
				t = symbolic.Not(t)
			}
			p.holds = symbolic.And(p.holds, symbolic.Implies(symbolic.And(path.conds...), t))
			for _, o := range path.owed { // an error counts as a violation
				p.holds = symbolic.And(p.holds, o.must)
			}
		}
		p.holds = symbolic.Implies(keys.cond, p.holds)
		r.m.properties = append(r.m.properties, p)
	}
}
