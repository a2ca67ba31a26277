package machines

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// The top level of a file runs once. Each rule runs once for each way through its conditions, for keys that are names.
// A loop over participants runs its body for one name that stands for all; what it assigns, it assigns for all at once.
// So a loop is refused if the order of participants matters: one assigns, reads or refuses what another one meets.
//
// A part of Starlark is read, and the rest refused at its place. A wrong reading is a wrong proof. So what is read
// means what Starlark makes of it, and [Machine.Prove] compares both at small sizes, and near the numbers of the file.

type (
	// value is a *term, tuple, list, set, *comprehension, *counted, *function, builtin, method, stateValue, array, *fifo,
	// place, *choice, truthValues, anyOf or options.
	value       = symbolic.Value
	tuple       = symbolic.Tuple
	builtin     = symbolic.Builtin
	method      = symbolic.Method
	list        []value
	stateValue  struct{}
	truthValues struct{}           // bool
	anyOf       struct{ of value } // any(values), as an initial value
	options     struct{ of value } // optional(values)
	array       struct{ v *variable }
	fifo        struct {
		name     string
		keys     []set
		places   []*variable
		blocking bool
	}
	place struct { // a FIFO at its keys
		of   *fifo
		keys []*symbolic.Term
	}
	// choice is a value that depends on a condition, other than a number, text or truth value.
	choice struct {
		cond *symbolic.Term
		a, b value
	}
	// comprehension has an element for all values of its names for which the condition holds.
	comprehension struct {
		names []binder
		cond  *symbolic.Term
		elem  value
	}
	counted  struct{ of *comprehension } // its number of elements
	function struct {
		name   string
		params []string
		body   []syntax.Stmt
		result syntax.Expr // of a lambda
		local  map[string]value
		own    map[string]bool // names that it assigns, or that the function around a lambda does
	}
)

// impossible ends a way through a rule.
type impossible struct{}

type reader struct {
	symbolic.Reader
	m            *Machine
	globals      map[string]value
	local        map[string]value
	fifos        map[string]*fifo
	arrays       map[string]*variable
	codes        map[string]int
	ranges       map[string]set // of names that stand for all of a set
	made         int            // names
	writes       int            // to the state
	called       []*function
	scopes       []binder         // of loops, comprehensions and lambdas over participants
	guard        []*symbolic.Term // conditions of those
	entry        int              // of guard: how many hold where the function that runs was called
	refusing     string           // the outermost scope in which a condition last refused a step for some participants
	run          *path            // nil at top level
	changes      bool             // run may assign
	decisions    []int
	decided      int
	options      []int // of each decision
	loops        []*loop
	declared     []string               // parameters
	parts        map[*variable][]update // what also assigns, which the rest of a step does not see
	later        []func()               // rules and properties, which run after the top level
	isPart       bool                   // also runs it
	inLoop       bool                   // of the top level
	comprehended int                    // comprehensions around what is read
	pure         int                    // comprehensions and counts around it, whose order of elements formulas do not have
	noted        map[string]bool        // situations
}

// loop is a loop over participants that runs.
type loop struct {
	names    []string
	reads    []*symbolic.Term
	assigned map[*variable][]*symbolic.Term // with their keys
}

// Read reads a protocol file whose parameter of the given name stays symbolic. given has values of others; defaults
// apply to the rest. An error about the text is a *spec.PosError that names what cannot be read.
func Read(file string, text []byte, size string, given map[string]string) (*Machine, error) {
	tree, err := symbolic.Parse(file, text)
	if err != nil {
		return nil, err
	}
	if strings.Trim(size, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || size == "" ||
		slices.Contains(reserved, size) {
		return nil, fmt.Errorf("%s: a size cannot be called %.40q in formulas: want another name in the file", file, size)
	}
	if _, is := given[size]; is {
		return nil, fmt.Errorf("%s: %s stands for every size, and cannot be set", file, size)
	}
	r := &reader{
		Reader:  symbolic.Reader{File: file, Most: 1_000_000, Globals: symbolic.Globals(tree), Least: map[string]int{size: 0}},
		m:       &Machine{Size: size, file: file, text: text, set: given},
		globals: map[string]value{}, fifos: map[string]*fifo{}, arrays: map[string]*variable{}, codes: map[string]int{},
		ranges: map[string]set{},
	}
	r.local = r.globals
	if err := symbolic.Refused(func() { r.statements(tree.Stmts) }); err != nil {
		return nil, err
	}
	if len(r.declared) == 0 {
		return nil, fmt.Errorf("%s: the file declares no parameter that could stand for a size", file)
	}
	if !slices.Contains(r.declared, size) {
		return nil, fmt.Errorf("%s: no parameter %.40q: want %s%s",
			file, size, words.OneOf(r.declared), words.Suggestion(size, r.declared))
	}
	if err := symbolic.Refused(r.finish); err != nil {
		return nil, err
	}
	r.m.constants = constants(slices.Concat(r.Met(), symbolic.Constants(tree)), given)
	return r.m, nil
}

// statements reads the file, and then the functions of its rules and properties.
func (r *reader) statements(all []syntax.Stmt) {
	symbolic.Block(r, all)
	for _, f := range r.later {
		f()
	}
}

// finish refuses a file without something to prove.
func (r *reader) finish() {
	r.m.name()
	end := syntax.MakePosition(&r.m.file, 1, 1)
	switch {
	case r.m.Least < 1:
		r.Refuse(end, "parameter %s: want min = a number of at least 1, from which on the proof holds", r.m.Size)
	case len(r.m.properties) == 0:
		r.Refuse(end, "the file has no invariant, so there is nothing to prove for all sizes")
	}
	r.closed()
}

// closed refuses formulas with a name that stands for no participant and no size there: its value would be anything.
func (r *reader) closed() {
	end := syntax.MakePosition(&r.m.file, 1, 1)
	check := func(at syntax.Position, names []string, terms ...*symbolic.Term) {
		for _, t := range terms {
			free := map[string]bool{}
			t.Free(free)
			delete(free, r.m.Size)
			for _, name := range names {
				delete(free, name)
			}
			for _, name := range slices.Sorted(maps.Keys(free)) {
				r.Refuse(at, "a formula with %s, which is no participant and no size there", name)
			}
		}
	}
	scope := func(at syntax.Position, binders []binder) (names []string) {
		for _, b := range binders {
			check(at, names, b.of.lo, b.of.hi)
			names = append(names, b.name)
		}
		return names
	}
	for _, v := range r.m.variables {
		for _, k := range v.keys {
			check(end, nil, k.lo, k.hi)
		}
		if v.domain.lo != nil {
			check(end, nil, v.domain.lo, v.domain.hi)
		}
		if v.initial != nil {
			check(end, v.names, v.initial)
		}
	}
	for _, x := range r.m.rules {
		for _, p := range x.paths {
			names := scope(p.at, p.params)
			check(p.at, names, p.conds...)
			for _, all := range p.updates {
				for _, u := range all {
					check(p.at, slices.Concat(names, u.names), u.cond, u.value)
				}
			}
			for _, o := range p.owed {
				check(o.at, scope(o.at, o.params), o.must)
			}
		}
	}
	for _, p := range r.m.properties {
		check(end, scope(end, p.params), p.holds)
	}
	for _, s := range r.m.situations {
		check(s.at, scope(s.at, s.params), s.cond)
	}
}

// reserved are words of SMT-LIB and of solvers that are letters.
var reserved = strings.Fields(`abs and as asks assert concat div distinct exists exp false forall holds iff implies is
	ite let link match member mod not or par pi pop push repeat select sin store tan to true union xor`)

// name decides which variables name participants: the keys of arrays.
func (m *Machine) name() {
	for _, v := range m.variables {
		d := &v.domain
		if d.kind != numbers || d.hi.IsNumber() {
			continue
		}
		of := d.set()
		if slices.ContainsFunc(m.variables, func(w *variable) bool {
			return slices.ContainsFunc(w.keys, func(k set) bool { return !k.processes && of.same(k) })
		}) {
			d.kind = participants
		}
	}
}

func (r *reader) fresh(prefix string) string {
	r.made++
	return prefix + "_" + strconv.Itoa(r.made)
}

// code returns the text of the file with its number.
func (r *reader) code(s string) *symbolic.Term {
	if s == none.Name || s == absent.Name {
		r.Refuse(r.At, "the text %q, which formulas have for something else", s)
	}
	n, known := r.codes[s]
	if !known {
		n = len(r.m.texts)
		r.codes[s] = n
		r.m.texts = append(r.m.texts, s)
	}
	return symbolic.Text(s, n)
}

// Define keeps a function of the file.
func (r *reader) Define(s *syntax.DefStmt) {
	at := symbolic.Start(s)
	if r.run != nil || len(r.called) > 0 {
		r.Refuse(at, "a function within a function, which is not read for all sizes")
	}
	f := &function{name: s.Name.Name, params: r.params(s.Params), body: s.Body, own: map[string]bool{}}
	symbolic.EachAssigned(s.Body, func(name string) { f.own[name] = true })
	r.define(f.name, f, at)
}

// None is what a function without a result returns.
func (r *reader) None() value { return none }

// define gives a name its value. A name of the file itself has one, as functions read it later.
func (r *reader) define(name string, v value, at syntax.Position) {
	if _, twice := r.globals[name]; twice && len(r.called) == 0 && r.run == nil && !r.inLoop && r.comprehended == 0 {
		r.Refuse(at, "%s is assigned twice at top level, which is not read for all sizes", name)
	}
	r.local[name] = v
}

func (r *reader) params(of []syntax.Expr) (names []string) {
	for _, p := range of {
		id, ok := p.(*syntax.Ident)
		if !ok {
			r.Refuse(symbolic.Start(p), "a parameter with a default value, or with *, which is not read for all sizes")
		}
		names = append(names, id.Name)
	}
	return names
}

// bySize reports whether a condition depends on a name of a loop, comprehension or lambda over participants.
func (r *reader) bySize(cond *symbolic.Term) bool {
	return slices.ContainsFunc(r.scopes, func(b binder) bool { return cond.Mentions(b.name) })
}

func (r *reader) Branch(s *syntax.IfStmt) (symbolic.Control, value) {
	cond := r.truth(r.Expr(s.Cond), symbolic.Start(s.Cond))
	if !r.bySize(cond) {
		if r.decide(cond, symbolic.Start(s.Cond)) {
			return symbolic.Block(r, s.True)
		}
		return symbolic.Block(r, s.False)
	}
	for i, body := range [][]syntax.Stmt{s.True, s.False} {
		c := cond
		if i == 1 {
			c = symbolic.Not(cond)
		}
		r.guard = append(r.guard, c)
		r.note(c)
		if c, _ := symbolic.Block(r, body); c != symbolic.GoesOn {
			r.Refuse(symbolic.Start(s), "a branch for some participants of a loop that leaves the loop")
		}
		r.guard = r.guard[:len(r.guard)-1]
	}
	return symbolic.GoesOn, nil
}

// decide goes one way at a condition; the other way is another run.
func (r *reader) decide(cond *symbolic.Term, at syntax.Position) bool {
	if cond.IsTrue() || cond.IsFalse() {
		return cond.IsTrue()
	}
	if r.run == nil {
		r.Refuse(at, "a condition on the size outside rules and properties")
	}
	if len(r.guard) > 0 {
		r.Refuse(at, "a condition within a condition for some participants, which is not read for all sizes")
	}
	if holds, known := settled(r.run.conds, cond); known {
		return holds
	}
	yes := r.pick(2) == 0
	if !yes {
		cond = symbolic.Not(cond)
	}
	r.note(cond)
	r.run.conds = append(r.run.conds, cond)
	return yes
}

// pick takes one of several options; the others are other runs.
func (r *reader) pick(n int) int {
	if r.decided == len(r.decisions) {
		r.decisions, r.options = append(r.decisions, 0), append(r.options, n)
	}
	r.decided++
	return r.decisions[r.decided-1]
}

// settled finds a condition, or its contrary, among those that hold.
func settled(conds []*symbolic.Term, cond *symbolic.Term) (holds, known bool) {
	value := func(t *symbolic.Term) (of, is *symbolic.Term) {
		if t.Op == symbolic.OpEqual && t.Args[1].Op == symbolic.OpText {
			return t.Args[0], t.Args[1]
		}
		return nil, nil
	}
	of, is := value(cond)
	for _, c := range conds {
		if c.Same(cond) {
			return true, true
		}
		if c.Same(symbolic.Not(cond)) {
			return false, true
		}
		if of2, is2 := value(c); of != nil && of2 != nil && of.Same(of2) && is.N != is2.N {
			return false, true
		}
	}
	return false, false
}

// ways runs f once for each way through its conditions.
func (r *reader) ways(
	at syntax.Position, params []binder, changes bool, f func() value,
) (paths []path, results []value) {
	const mostPaths = 300
	r.decisions, r.options = nil, nil
	for {
		r.run = &path{at: at, params: slices.Clone(params), updates: map[*variable][]update{}}
		r.changes, r.decided, r.parts = changes, 0, map[*variable][]update{}
		var result value
		possible := func() (ok bool) {
			defer func() {
				if p := recover(); p != nil {
					if _, is := p.(impossible); !is {
						panic(p)
					}
					r.local, r.called, r.scopes, r.guard, r.loops, r.pure, r.isPart = r.globals, nil, nil, nil, nil, 0, false
				}
			}()
			result = f()
			maps.Copy(r.run.updates, r.parts)
			return true
		}()
		if possible || len(r.run.owed) > 0 {
			if !possible { // it is wrong before it is refused, if at all
				r.run.updates, r.run.conds = nil, []*symbolic.Term{symbolic.Truth(false)}
			}
			paths, results = append(paths, *r.run), append(results, result)
		}
		if len(paths) > mostPaths {
			r.Refuse(at, "more than %d ways through the conditions of a rule", mostPaths)
		}
		for len(r.decisions) > 0 && r.decisions[len(r.decisions)-1]+1 == r.options[len(r.decisions)-1] {
			r.decisions, r.options = r.decisions[:len(r.decisions)-1], r.options[:len(r.options)-1]
		}
		if len(r.decisions) == 0 {
			break
		}
		r.decisions[len(r.decisions)-1]++
	}
	r.run = nil
	return paths, results
}

// owe notes a condition that must be true wherever a run gets here.
func (r *reader) owe(at syntax.Position, says string, must *symbolic.Term) {
	must = r.forAll(must)
	if r.run == nil {
		if !must.IsTrue() {
			r.Refuse(at, "%s, which is not excluded at every size", says)
		}
		return
	}
	if !must.IsTrue() && len(r.scopes) > 0 && r.scopes[0].name == r.refusing {
		// It would be owed only if no participant refuses the step, but an earlier one is wrong before a later one refuses.
		r.Refuse(at, "%s, in a loop after a condition that can refuse the step for another participant", says)
	}
	if must = symbolic.Implies(symbolic.And(r.run.conds...), must); !must.IsTrue() {
		r.run.owed = append(r.run.owed, obligation{at, says, slices.Clone(r.run.params), must})
	}
}

// forAll says t for all names in scope for which the conditions in scope hold.
func (r *reader) forAll(t *symbolic.Term) *symbolic.Term {
	t = symbolic.Implies(symbolic.And(r.guard...), t)
	for _, b := range slices.Backward(r.scopes) {
		switch {
		case t.Mentions(b.name):
			t = symbolic.Every(b.name, b.of.lo, b.of.hi, t)
		case !r.hasElement(b.of): // nothing is said of no names
			t = symbolic.Implies(symbolic.Less(b.of.lo, b.of.hi), t)
		}
	}
	return t
}

// hasElement reports whether a range has one at every size, as far as this is plain.
func (r *reader) hasElement(of set) bool {
	n := symbolic.Plus(of.hi, -1, of.lo)
	at := func(size int) *symbolic.Term {
		return r.evaluate(n.Replace(map[string]*symbolic.Term{r.m.Size: symbolic.Number(size)}))
	}
	least, next := at(r.m.Least), at(r.m.Least+1)
	return least != nil && next != nil && least.N > 0 && next.N >= least.N
}

// fault notes an error, after which nothing runs.
func (r *reader) fault(at syntax.Position, says string) {
	r.owe(at, says, symbolic.Truth(false))
	r.assume(r.forAll(symbolic.Truth(false)))
}

// when refuses the step unless a condition holds.
func (r *reader) when(cond *symbolic.Term) {
	if cond = r.forAll(cond); !cond.IsTrue() && len(r.scopes) > 0 {
		r.refusing = r.scopes[0].name
	}
	r.assume(cond)
}

// assume leaves the runs for which a condition holds.
func (r *reader) assume(cond *symbolic.Term) {
	if cond.IsTrue() {
		return
	}
	if holds, known := settled(r.run.conds, cond); known && holds {
		return
	} else if known || cond.IsFalse() {
		panic(impossible{})
	}
	r.noteBoth(cond)
	r.run.conds = append(r.run.conds, cond)
}

func (r *reader) Loop(s *syntax.ForStmt) (symbolic.Control, value) {
	over := r.Expr(s.X)
	if c := r.eachOf(over); c != nil {
		if r.run == nil {
			r.Refuse(symbolic.Start(s), "a loop over participants outside rules and properties")
		}
		l := &loop{assigned: map[*variable][]*symbolic.Term{}}
		for _, b := range c.names {
			l.names = append(l.names, b.name)
		}
		depth, guards := len(r.scopes), len(r.guard)
		outer := maps.Clone(r.local)
		r.scopes, r.loops = append(r.scopes, c.names...), append(r.loops, l)
		if !c.cond.IsTrue() {
			r.guard = append(r.guard, c.cond)
		}
		symbolic.Bind(r, s.Vars, c.elem)
		r.note(symbolic.Truth(true))
		if c, _ := symbolic.Block(r, s.Body); c != symbolic.GoesOn {
			r.Refuse(symbolic.Start(s), "a loop over participants that ends early")
		}
		r.scopes, r.guard, r.loops = r.scopes[:depth], r.guard[:guards], r.loops[:len(r.loops)-1]
		for _, read := range l.reads { // of what the loop assigns: for the same participant only
			keys, is := l.assigned[variableOf(read)]
			if is && !(slices.EqualFunc(read.Args, keys, (*symbolic.Term).Same) && len(keys) == len(l.names)) {
				r.Refuse(symbolic.Start(s), "a loop over participants that reads what it assigns for another one")
			}
		}
		for name, v := range r.local {
			if before, was := outer[name]; was && !identical(before, v) {
				r.Refuse(symbolic.Start(s), "a loop over participants that assigns %s, which was assigned before it", name)
			}
		}
		clear(r.local)
		maps.Copy(r.local, outer)
		return symbolic.GoesOn, nil
	}
	defer func(outer bool) { r.inLoop = outer }(r.inLoop)
	r.inLoop = true
	return symbolic.Rounds(r, s, r.Elems(over, symbolic.Start(s.X)))
}

func identical(a, b value) bool {
	x, ok := a.(*symbolic.Term)
	y, also := b.(*symbolic.Term)
	if ok && also {
		return x.Same(y)
	}
	if !ok && !also {
		return reflect.DeepEqual(a, b)
	}
	return false
}

// eachOf returns the element that stands for all of a collection, with fresh names; nil if its elements are known one
// by one.
func (r *reader) eachOf(v value) *comprehension {
	switch v := v.(type) {
	case set:
		b := binder{r.fresh("i"), v}
		r.ranges[b.name] = v
		return &comprehension{[]binder{b}, symbolic.Truth(true), symbolic.Named(b.name)}
	case *comprehension:
		by := map[string]*symbolic.Term{}
		c := &comprehension{}
		for _, b := range v.names {
			f := binder{r.fresh("i"), set{b.of.lo.Replace(by), b.of.hi.Replace(by), b.of.processes}}
			by[b.name], r.ranges[f.name] = symbolic.Named(f.name), f.of
			c.names = append(c.names, f)
		}
		c.cond, c.elem = v.cond.Replace(by), r.replace(v.elem, by)
		return c
	}
	return nil
}

func (r *reader) replace(v value, by map[string]*symbolic.Term) value {
	switch v := v.(type) {
	case *symbolic.Term:
		return v.Replace(by)
	case tuple:
		all := make(tuple, len(v))
		for i := range v {
			all[i] = r.replace(v[i], by)
		}
		return all
	}
	r.Refuse(r.At, "a collection of something else than numbers, texts, truth values and tuples of them")
	return nil
}

// elems returns the elements of a collection that are known one by one.
func (r *reader) Elems(v value, at syntax.Position) []value {
	switch v := v.(type) {
	case tuple:
		return v
	case list:
		return v
	case set:
		const most = 1000
		if v.lo.IsNumber() && v.hi.IsNumber() && v.hi.N-v.lo.N < most {
			var all []value
			for i := v.lo.N; i < v.hi.N; i++ {
				all = append(all, symbolic.Number(i))
			}
			return all
		}
	}
	r.Refuse(at, "want a list, tuple or range whose elements do not depend on the size")
	return nil
}

// Place assigns to a name, or to a variable of the state.
func (r *reader) Place(to syntax.Expr, v value) {
	at := symbolic.Start(to)
	switch to := to.(type) {
	case *syntax.Ident:
		if len(r.guard) > r.entry {
			r.Refuse(at, "a name that is assigned for some participants")
		}
		r.define(to.Name, v, at)
		return
	case *syntax.DotExpr:
		if _, is := r.Expr(to.X).(stateValue); is {
			x := r.stateVariable(to.Name.Name, at)
			if len(x.keys) > 0 {
				r.Refuse(at, "%s has an element for each key: want an index", x.name)
			}
			r.write(x, nil, r.asTerm(v, at), at)
			return
		}
	case *syntax.IndexExpr:
		if a, is := r.Expr(to.X).(array); is {
			r.write(a.v, r.keys(a.v.name, a.v.keys, r.Expr(to.Y), at), r.asTerm(v, at), at)
			return
		}
	}
	r.Refuse(at, "an assignment that is not read for all sizes")
}

func (r *reader) Assign(s *syntax.AssignStmt) {
	if s.Op == syntax.EQ {
		symbolic.Bind(r, s.LHS, r.Expr(s.RHS))
		return
	}
	op := map[syntax.Token]syntax.Token{syntax.PLUS_EQ: syntax.PLUS, syntax.MINUS_EQ: syntax.MINUS}[s.Op]
	if op == 0 {
		r.Refuse(symbolic.Start(s), "an assignment that is not read for all sizes")
	}
	// Starlark reads the place before the right side, and its index once, and extends lists in place.
	syntax.Walk(s.LHS, func(n syntax.Node) bool {
		if c, is := n.(*syntax.CallExpr); is {
			r.Refuse(symbolic.Start(c), "a call on the left of += or -=, which is not read for all sizes")
		}
		return true
	})
	before := r.Expr(s.LHS)
	if _, is := before.(*symbolic.Term); !is {
		r.Refuse(symbolic.Start(s), "+= or -= of something else than a number, which is not read for all sizes")
	}
	writes := r.writes
	v := r.Expr(s.RHS)
	if r.writes != writes {
		r.Refuse(symbolic.Start(s.RHS), "an assignment to the state within += or -=, which is not read for all sizes")
	}
	symbolic.Bind(r, s.LHS, r.binary(op, before, v, symbolic.Start(s)))
}

func (r *reader) asTerm(v value, at syntax.Position) *symbolic.Term {
	if t, ok := v.(*symbolic.Term); ok {
		return t
	}
	r.Refuse(at, "want a number, a text or a truth value here")
	return nil
}

// keys checks the index of an array.
func (r *reader) keys(name string, of []set, by value, at syntax.Position) []*symbolic.Term {
	given := r.spread(by)
	if _, is := by.(tuple); is && len(given) == 1 {
		r.Refuse(at, "a key of %s that is a tuple of one number", name)
	}
	if len(given) != len(of) {
		r.Refuse(at, "%s with %d keys, want %d", name, len(given), len(of))
	}
	var keys []*symbolic.Term
	for i, v := range given {
		k := r.asTerm(v, at)
		if r.kindOf(k) == texts && k.Op != symbolic.OpText || k.IsTruth() || k.Op == symbolic.OpText && k.N >= 0 {
			r.Refuse(at, "a key of %s that is no number", name)
		}
		if !k.IsName() || !r.ranges[k.Name].same(of[i]) {
			if k.Op != symbolic.OpText {
				r.MeetCompared(of[i].lo, k)
				r.MeetCompared(k, of[i].hi)
			}
			r.owe(at, "a key that does not exist", symbolic.Within(k, of[i].lo, of[i].hi))
		}
		keys = append(keys, k)
	}
	return keys
}

// kindOf says of which kind a term is; none and absent are of any.
func (r *reader) kindOf(t *symbolic.Term) kind {
	switch {
	case t.IsTruth():
		return truths
	case t.Op == symbolic.OpText && t.N < 0:
		return 0
	case t.Op == symbolic.OpText:
		return texts
	case t.Op == symbolic.OpRead && variableOf(t).domain.kind == texts:
		return texts
	case t.Op == symbolic.OpCases:
		if k := r.kindOf(t.Args[1]); k != 0 {
			return k
		}
		return r.kindOf(t.Args[2])
	}
	return numbers
}

// read reads a variable of the state, as the step has changed it so far.
func (r *reader) read(v *variable, keys []*symbolic.Term) *symbolic.Term {
	if r.run == nil {
		r.Refuse(r.At, "the state outside rules and properties")
	}
	t := updated(r.run.updates[v], v, keys)
	for _, l := range r.loops {
		l.reads = append(l.reads, symbolic.Read(v, keys))
	}
	const mostSize = 20_000
	if t.Size() > mostSize {
		r.Refuse(r.At, "a value that is too long to be read for all sizes")
	}
	return t
}

func (r *reader) stateVariable(name string, at syntax.Position) *variable {
	if v := r.arrays[name]; v != nil {
		return v
	}
	r.Refuse(at, "s.%s is no variable", name)
	return nil
}

// fits refuses a value of another kind than a variable has.
func (r *reader) fits(name string, d *domain, t *symbolic.Term, at syntax.Position) {
	switch k := r.kindOf(t); {
	case (d.kind == truths) != (k == truths), k == texts && d.kind != texts, k == numbers && d.kind == texts:
		r.Refuse(at, "%s has no such values", name)
	}
}

// oweRange notes that a value must be one of a variable's.
func (r *reader) oweRange(v *variable, t *symbolic.Term, at syntax.Position) {
	in := v.domain.contains(t)
	if v.domain.lo != nil && t.Op != symbolic.OpText {
		r.MeetCompared(v.domain.lo, t)
		r.MeetCompared(t, v.domain.hi)
	}
	if v.domain.kind != truths && r.canBeNegative(t) { // a number below 0 is not None
		in = symbolic.And(in, symbolic.AtMost(symbolic.Number(0), t))
	}
	r.owe(at, "a value out of the range of "+v.name, in)
}

// write assigns to a variable, for all names in scope for which the conditions in scope hold.
func (r *reader) write(v *variable, keys []*symbolic.Term, t *symbolic.Term, at syntax.Position) {
	if r.run == nil || !r.changes {
		r.Refuse(at, "an assignment to the state outside rules")
	}
	r.writes++
	d := &v.domain
	r.fits(v.name, d, t, at)
	if d.kind == truths && t.IsQuantified() {
		if r.bySize(t) {
			r.Refuse(at, "a truth value about all participants, assigned for each participant")
		}
		t = symbolic.Truth(r.decide(t, at))
	}
	if r.pure > 0 {
		r.Refuse(at, "an assignment to the state within a list or a count")
	}
	r.oweRange(v, t, at)
	if len(r.parts[v]) > 0 {
		r.Refuse(at, "%s is assigned by also, and once more", v.name)
	}
	u := update{value: t}
	conds := slices.Clone(r.guard)
	by := map[string]*symbolic.Term{}
	used := map[string]bool{}
	for i, k := range keys {
		name := r.fresh("k")
		u.names = append(u.names, name)
		scope := slices.IndexFunc(r.scopes, func(b binder) bool { return k.IsName() && b.name == k.Name })
		if scope >= 0 && !used[k.Name] {
			b := r.scopes[scope]
			by[k.Name], used[k.Name] = symbolic.Named(name), true
			if !b.of.same(v.keys[i]) {
				conds = append(conds, symbolic.Within(symbolic.Named(name), b.of.lo, b.of.hi))
			}
			continue
		}
		conds = append(conds, symbolic.Equal(symbolic.Named(name), k))
	}
	for _, b := range r.scopes {
		if !used[b.name] {
			r.Refuse(at, "an assignment in a loop over participants to something else than each one's own")
		}
	}
	u.cond, u.value = symbolic.And(conds...).Replace(by), t.Replace(by)
	if u.cond.IsQuantified() || u.value.IsQuantified() {
		r.Refuse(at, "an assignment for some participants that depends on all")
	}
	for _, l := range r.loops {
		before, twice := l.assigned[v]
		// Another participant's, perhaps, before or after.
		if twice && !slices.EqualFunc(before, keys, (*symbolic.Term).Same) {
			r.Refuse(at, "a loop over participants that assigns %s twice, with other keys", v.name)
		}
		l.assigned[v] = keys
	}
	r.run.updates[v] = append(r.run.updates[v], u)
}
