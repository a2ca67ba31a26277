package murphi

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Statements. A sequence of them becomes a sequence of those of the closed form, in which a statement sees what those
// before it have set. Calls are inlined, loops unrolled.
//
// A local leaf holds an expression, which is put in where the local variable is read. That is right as long as no
// variable in the expression has changed since: an expression is *stable* if it reads no variable that the rule
// writes anywhere. One that is not, and one that is large, is assigned to a temporary variable instead, and the leaf
// holds this. The same happens where two branches leave different values behind. Temporary variables are variables of
// the program that each rule sets back to 0, so that they neither make states differ nor carry anything from one step
// to the next.
//
// Invariant: what a local leaf holds is stable, or reads its own temporary variable alone. So leaves can be assigned
// one after another.

const (
	mostSize       = 24      // of an expression that is put in, instead of a temporary variable
	mostWritten    = 1 << 16 // of an expression
	mostTicks      = 1 << 22 // evaluations, in all
	mostNodes      = 1 << 22 // operators and operands, in all
	mostStartTicks = 1 << 28 // within startstates, whose values are known
	mostLoops      = 1 << 12 // of while
	mostCalls      = 100     // rounds of while whose condition depends on the state

	mostRecursion = 40 // calls of a function within each other
)

func (t *translator) emit(s program.Stmt) {
	if s.Assigns() {
		n := size(&s.Value, mostWritten)
		if t.nodes += n; n >= mostWritten || t.nodes > mostNodes {
			t.fail(t.at, "the rule becomes too large here: more than %d operators in one expression, or %d in all",
				mostWritten, mostNodes)
		}
	}
	t.block = append(t.block, s)
}

// tick counts evaluations, and ends those without end.
func (t *translator) tick(at position) {
	t.at = at
	ticks, most, of := &t.ticks, mostTicks, "rules"
	if t.globals != nil {
		ticks, most, of = &t.startTicks, mostStartTicks, "startstates"
	}
	if *ticks++; *ticks > most {
		t.fail(at, "translating the %s takes more than %d evaluations: use smaller ranges or fewer rules", of, most)
	}
	if *ticks%(1<<10) == 0 {
		if err := t.ctx.Err(); err != nil {
			panic(interrupted{err})
		}
	}
}

// fault emits a step that is wrong where a condition holds: a variable with one value is set to another.
func (t *translator) fault(cond program.Expr, at position, form string, args ...any) {
	if never(cond) {
		return
	}
	message := fmt.Sprintf(form, args...)
	if t.globals != nil {
		t.fail(at, "%s, in a startstate", message)
	}
	x := t.faultVar(fmt.Sprintf("%s:%d:%d: %s", t.base, at.line, at.col, message))
	set := program.Set(x, program.IfElse(program.Le(0, x), 1, 0)) // out of range, but not for Check
	if always(cond) {
		t.emit(set)
		return
	}
	if t.nodes += size(&cond, mostWritten); t.nodes > mostNodes {
		t.fail(at, "the rule becomes too large here: more than %d operators in all", mostNodes)
	}
	t.emit(program.If(cond, set))
}

// faultsOf is where a block without assignments, but for faults, meets a fault.
func faultsOf(list []program.Stmt) program.Expr {
	out := none()
	for i := range list {
		s := &list[i]
		if s.Assigns() {
			return program.And()
		}
		out = or(out, either(s.Cond, faultsOf(s.Then), faultsOf(s.Else)))
	}
	return out
}

// provided evaluates something where a condition holds.
func (t *translator) provided(cond program.Expr, f func()) { t.branch(cond, f, func() {}) }

// branch translates one of two.
func (t *translator) branch(cond program.Expr, yes, no func()) {
	switch {
	case always(cond):
		yes()
		return
	case never(cond):
		no()
		return
	}
	n, block, before := len(t.locals), t.block, slices.Clone(t.locals)
	side := func(f func()) ([]program.Stmt, []val) {
		t.block = nil
		f()
		return t.block, t.locals[:n]
	}
	then, a := side(yes)
	t.locals = before
	otherwise, b := side(no)
	t.block, t.locals = block, b
	var later []func()
	for i := range n {
		if sameVal(&a[i], &b[i]) {
			continue
		}
		out := merged(cond, a[i], b[i])
		if t.pure || t.stable(&cond) && t.stable(&out.e) && t.stable(&out.undef) && size(&out.e, mostSize) < mostSize {
			later = append(later, func() { t.locals[i] = out })
			continue
		}
		home := t.home(i, out.t)
		for k, v := range []val{a[i], b[i]} {
			list := []*[]program.Stmt{&then, &otherwise}[k]
			if raw := v.raw(); raw.Op != program.Read || program.Var(raw.Value) != home {
				*list = append(*list, program.Set(home, raw))
			}
		}
		later = append(later, func() { t.locals[i] = t.fromTemporary(home, out) })
	}
	for _, f := range later {
		f()
	}
	if len(then)+len(otherwise) > 0 {
		t.emit(program.If(cond, then...).Otherwise(otherwise...))
	}
}

func sameVal(a, b *val) bool {
	return a.t == b.t && same(&a.e, &b.e) && same(&a.undef, &b.undef) && a.low == b.low && a.high == b.high
}

// stable reports whether an expression has the same value until the rule ends.
func (t *translator) stable(e *program.Expr) bool {
	if t.pure {
		return true
	}
	if e.Op == program.Read {
		return t.constantRead(program.Var(e.Value))
	}
	for i := range e.Args {
		if !t.stable(&e.Args[i]) {
			return false
		}
	}
	return true
}

func (t *translator) constantRead(x program.Var) bool {
	if int(x) < t.c.leaves {
		return t.written != nil && !t.written[int(x)]
	}
	return t.fixed[x]
}

// temporary returns a variable that the rule does not use, for values of a type.
func (t *translator) temporary(y *typ) program.Var {
	key := any(y.values())
	if y.kind == scalarsetKind || y.kind == unionKind {
		key = y
	}
	for _, x := range t.temporaries[key] {
		if !t.busy[x] {
			t.busy[x], t.used[x] = true, true
			return x
		}
	}
	x := t.p.Var(fmt.Sprintf("temporary %d", len(t.temporaryType)+1), y.values()+1)
	t.temporaries[key] = append(t.temporaries[key], x)
	t.temporaryType[x] = y
	t.busy[x], t.used[x] = true, true
	return x
}

// fromTemporary is a value as it is read from a temporary variable to which its raw form was assigned.
func (t *translator) fromTemporary(x program.Var, v val) val {
	out := stored(x, v.t, !never(v.undef))
	if never(v.undef) { // still counted from 1
		out = stored(x, v.t, true)
		out.undef = program.Expr{}
	}
	out.low, out.high = v.low, v.high
	return out
}

// home is the temporary variable of a local leaf.
func (t *translator) home(local int, y *typ) program.Var {
	if x, has := t.homes[local]; has {
		return x
	}
	x := t.temporary(y)
	t.homes[local] = x
	return x
}

// kept is a value that stays as it is until the statement ends.
func (t *translator) kept(v val) val {
	if _, known := v.known(); known || t.pure || t.globals != nil || t.stable(&v.e) && size(&v.e, mostSize) < mostSize {
		return v
	}
	if v.t == t.c.integer { // of what range the temporary variable can be, is known
		v.t = &typ{kind: rangeKind, low: v.low, high: v.high, leaves: 1}
		if v.t.values() > mostValues {
			t.fail(t.at, "an index of more than %d values", mostValues)
		}
	}
	x := t.temporary(v.t)
	t.fixed[x] = true
	t.emit(program.Set(x, v.raw()))
	return t.fromTemporary(x, v)
}

// set assigns to the leaves of a place of a simple type.
func (t *translator) set(p place, v val, at position) {
	v = t.converted(v, p.t, at)
	t.each(p.alts, func(base int) { t.setLeaf(base, p.t, v) })
}

// each translates something for the alternative that applies.
func (t *translator) each(alts []alternative, f func(base int)) {
	if len(alts) == 1 {
		f(alts[0].base)
		return
	}
	t.branch(alts[0].cond, func() { f(alts[0].base) }, func() { t.each(alts[1:], f) })
}

func (t *translator) setLeaf(base int, y *typ, v val) {
	switch {
	case base < 0:
		i := -1 - base
		if _, known := v.known(); known || t.pure || t.globals != nil || always(v.undef) ||
			t.stable(&v.e) && t.stable(&v.undef) && size(&v.e, mostSize) < mostSize {
			if t.pure && size(&v.e, mostWritten) >= mostWritten {
				t.fail(t.at, "the condition becomes too large here: more than %d operators", mostWritten)
			}
			t.locals[i] = v
			return
		}
		home := t.home(i, y)
		t.emit(program.Set(home, v.raw()))
		t.locals[i] = t.fromTemporary(home, v)
	case t.globals != nil:
		t.globals[base] = v
	case t.pure:
		t.fail(t.at, "a condition cannot change variables")
	default:
		t.writes[base] = true
		x := program.Var(base)
		if !never(v.undef) && !t.optional[base] {
			t.wanted[t.class[base]] = true
		}
		if t.optional[base] {
			t.emit(program.Set(x, v.raw()))
		} else {
			t.emit(program.Set(x, plus2(v.number(), -y.low)))
		}
	}
}

// copy assigns all leaves of one place to those of another of the same type.
func (t *translator) copy(to, from place, at position) {
	if to.t.simple() {
		t.set(to, t.read(from), at)
		return
	}
	t.each(to.alts, func(base int) {
		to.t.each(0, "", func(leaf int, y *typ, _ string) {
			source := place{t: y}
			for _, a := range from.alts {
				source.alts = append(source.alts, alternative{a.cond, moved(a.base, leaf)})
			}
			t.setLeaf(moved(base, leaf), y, t.read(source))
		})
	})
}

// fill assigns to all leaves of a place what each of them is to hold.
func (t *translator) fill(to place, each func(what func(leaf int, v val))) {
	t.each(to.alts, func(base int) {
		each(func(leaf int, v val) { t.setLeaf(moved(base, leaf), v.t, v) })
	})
}

// variable makes a local variable, undefined, or a copy of what lies at a place.
func (t *translator) variable(y *typ) place {
	base := -1 - len(t.locals)
	y.blank(func(_ int, v val) { t.locals = append(t.locals, v) })
	return place{y, []alternative{{program.And(), base}}}
}

// body translates a block in a frame of its own names.
func (t *translator) body(b *block) {
	for _, d := range b.decls {
		if d.op == "var" {
			p := t.variable(d.symbol.t)
			t.frame.bound[d.symbol] = bound{place: &p}
		}
	}
	ended := t.variable(t.c.boolean)
	t.frame.returned = -1 - ended.alts[0].base
	t.locals[t.frame.returned] = constantOf(t.c.boolean, 0)
	t.run(b.stmts)
}

// run translates statements up to a return.
func (t *translator) run(list []*stmt) {
	for i, s := range list {
		t.statement(s)
		if ended := t.locals[t.frame.returned]; !never(ended.e) {
			t.branch(not(ended.e), func() { t.run(list[i+1:]) }, func() {})
			return
		}
	}
}

// statement translates one, and gives back the temporary variables that it took.
func (t *translator) statement(s *stmt) {
	n := len(t.locals)
	before := map[program.Var]bool{}
	for x := range t.busy {
		before[x] = true
	}
	t.tick(s.at)
	t.stmt(s)
	for i, x := range t.homes {
		if i >= n {
			delete(t.homes, i)
		} else {
			before[x] = true
		}
	}
	for x := range t.busy {
		if !before[x] {
			delete(t.busy, x)
			delete(t.fixed, x)
		}
	}
	t.locals = t.locals[:n]
}

func (t *translator) stmt(s *stmt) {
	switch s.op {
	case ":=":
		to, value := s.exprs[0], s.exprs[1]
		switch {
		case value.op == "call":
			if value.symbol.function.effects() {
				if p := t.lvalue(to); len(p.alts) > 1 {
					t.fail(s.at, "a call that changes variables is assigned to an element whose index depends on the state: "+
						"assign it to a local variable first")
				}
			}
			from := t.inlined(value)
			if from == nil {
				t.fail(value.at, "%s returns nothing: want a value", value.name)
			}
			if from.t.simple() {
				t.set(t.lvalue(to), t.defined(t.read(*from), value), value.at)
				return
			}
			t.copy(t.lvalue(to), *from, value.at)
		case value.t.simple():
			v := t.eval(value)
			t.set(t.lvalue(to), v, value.at)
		default:
			from := t.lvalue(value)
			t.copy(t.lvalue(to), from, value.at)
		}
	case "call":
		t.inlined(s.exprs[0])
	case "if":
		t.clauses(s, 0)
	case "switch":
		v := t.eval(s.exprs[0])
		t.cases(s, t.kept(v), 0)
	case "for":
		t.loop(s, t.range_(s.over))
	case "while":
		t.while(s, 0)
	case "alias":
		t.bind(s.aliases)
		t.run(s.bodies[0])
	case "clear":
		p := t.lvalue(s.exprs[0])
		t.fill(p, p.t.cleared)
	case "undefine":
		p := t.lvalue(s.exprs[0])
		t.fill(p, p.t.blank)
	case "error":
		t.fault(program.And(), s.at, "error: %s", s.text)
	case "assert":
		t.fault(not(t.eval(s.exprs[0]).e), s.at, "assertion fails: %s", orElse(s.text, "unnamed"))
	case "assume":
		t.assume(s)
	case "cover":
		cond := t.eval(s.exprs[0]).e
		if t.globals == nil && !t.pure {
			t.marked(t.coverMark(s), cond)
		}
	case "multisetadd":
		t.added(s)
	case "multisetremove":
		t.removedAt(s)
	case "multisetremovepred":
		t.filtered(s)
	case "return":
		f := t.frame
		if len(s.exprs) > 0 {
			if f.result.t.simple() {
				t.set(f.result, t.eval(s.exprs[0]), s.at)
			} else {
				t.copy(f.result, t.lvalue(s.exprs[0]), s.at)
			}
		}
		t.locals[f.returned] = constantOf(t.c.boolean, 1)
	}
}

// bind evaluates aliases, whose indices keep their values.
func (t *translator) bind(list []*binding) {
	for _, b := range list {
		if b.value.place() {
			p := t.lvalue(b.value)
			t.frame.bound[b.symbol] = bound{place: &p}
			continue
		}
		if b.value.t.simple() {
			t.frame.bound[b.symbol] = bound{value: t.kept(t.eval(b.value))}
			continue
		}
		t.fail(b.at, "an alias of what a function returns is not read: assign it to a variable")
	}
}

func (t *translator) clauses(s *stmt, i int) {
	if i == len(s.exprs) {
		t.run(s.bodies[i])
		return
	}
	t.branch(t.eval(s.exprs[i]).e, func() { t.run(s.bodies[i]) }, func() { t.clauses(s, i+1) })
}

func (t *translator) cases(s *stmt, v val, i int) {
	if i == len(s.cases) {
		t.run(s.bodies[i])
		return
	}
	cond := none()
	for _, label := range s.cases[i] {
		cond = or(cond, t.equals(v, t.eval(label)))
	}
	t.branch(cond, func() { t.run(s.bodies[i]) }, func() { t.cases(s, v, i+1) })
}

func (t *translator) loop(s *stmt, values []val) {
	for i, v := range values {
		t.frame.bound[s.over.symbol] = bound{value: v}
		t.run(s.bodies[0])
		if ended := t.locals[t.frame.returned]; !never(ended.e) {
			t.branch(not(ended.e), func() { t.loop(s, values[i+1:]) }, func() {})
			return
		}
	}
}

func (t *translator) while(s *stmt, rounds int) {
	cond := t.eval(s.exprs[0]).e
	if never(cond) {
		return
	}
	if rounds > mostLoops || !always(cond) && rounds > mostCalls {
		t.fail(s.at, "the rounds of this loop are not bounded when the file is read: want a loop that a local variable ends, "+
			"in at most %d rounds", mostLoops)
	}
	t.branch(cond, func() {
		t.run(s.bodies[0])
		ended := t.locals[t.frame.returned]
		t.branch(not(ended.e), func() { t.while(s, rounds+1) }, func() {})
	}, func() {})
}

// call inlines a call within an expression.
func (t *translator) call(e *expr) *place {
	if e.symbol.function.effects() {
		t.fail(e.at, "%s changes variables: it can be a statement, or be assigned, but not be within an expression", e.name)
	}
	return t.inlined(e)
}

// inlined translates the body of a function with its arguments, and returns where its result lies; nil if it has
// none.
func (t *translator) inlined(e *expr) *place {
	f := e.symbol.function
	if f.calls++; f.calls > mostRecursion {
		t.fail(e.at, "%s calls itself more than %d times within each other: want a recursion whose depth is known when the file "+
			"is read", f.name, mostRecursion)
	}
	inner := &frame{bound: map[*symbol]bound{}}
	for i, p := range f.params {
		var at place
		switch a := e.args[i]; {
		case p.writable:
			at = t.lvalue(a)
		case p.symbol.t.simple():
			var v val
			if a.place() { // it is not read, and can be undefined
				v = t.read(t.lvalue(a))
			} else {
				v = t.eval(a)
			}
			at = t.variable(p.symbol.t)
			t.set(at, v, a.at)
		default:
			from := t.lvalue(a)
			at = t.variable(p.symbol.t)
			t.copy(at, from, a.at)
		}
		inner.bound[p.symbol] = bound{place: &at}
	}
	if f.returns != nil {
		inner.result = t.variable(f.returns)
	}
	outer := t.frame
	t.frame = inner
	t.body(&f.block)
	t.frame = outer
	f.calls--
	if f.returns == nil {
		return nil
	}
	return &inner.result
}

// effects reports whether a function may change something other than its own variables.
func (f *function) effects() bool {
	return slices.ContainsFunc(f.params, func(p *variable) bool { return p.writable }) || changes(f.stmts, map[*function]bool{f: true})
}

func changes(list []*stmt, seen map[*function]bool) bool {
	var calls func(e *expr) bool
	calls = func(e *expr) bool {
		if e.op == "call" {
			f := e.symbol.function
			if !seen[f] {
				seen[f] = true
				if changes(f.stmts, seen) {
					return true
				}
			}
			for i, p := range f.params {
				if p.writable && e.args[i].root().kind == global {
					return true
				}
			}
		}
		return slices.ContainsFunc(e.args, calls)
	}
	return slices.ContainsFunc(list, func(s *stmt) bool {
		switch s.op {
		case ":=", "clear", "undefine":
			if s.exprs[0].root().kind == global {
				return true
			}
		case "multisetadd", "multisetremove":
			if s.exprs[1].root().kind == global {
				return true
			}
		case "multisetremovepred":
			if s.over.multiset.root().kind == global {
				return true
			}
		}
		return s.op != "put" && slices.ContainsFunc(s.exprs, calls) ||
			slices.ContainsFunc(s.bodies, func(b []*stmt) bool { return changes(b, seen) })
	})
}
