package parameterized

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// A file is run twice over. Its top level runs once: a loop over a symbolic range runs its body for one variable that
// stands for all values, and what is declared below a condition has it as its guard. route runs once for each way
// through its conditions, for a packet at a node (y1, y2 ...) with a destination (d1, d2 ...), and for each kind of
// channel that brings it.
//
// It reads a part of Starlark, and refuses the rest at its place. A wrong reading is a wrong proof. So it has no rule
// of its own: what it reads means what Starlark makes of it, and [Family.Prove] compares both at small sizes, and at
// those around the numbers of the file.

type (
	// value is a *term, string, tuple, *list, *dict, series, nodeValue, linkValue, arrivedValue, joined, choice, hopped,
	// siteValue, *function, builtin, method or none.
	value   = symbolic.Value
	tuple   = symbolic.Tuple
	builtin = symbolic.Builtin
	method  = symbolic.Method
	none    struct{}
	hopped  kind
	// list has elements, or one that stands for all.
	list struct {
		elems []value
		each  *each
		depth int // how many variables were in scope where it was made
		made  *arrival
		busy  bool // in a loop
	}
	// dict has entries, or one that stands for all.
	dict struct {
		keys, values []value
		each         *each
		depth        int
		made         *arrival
	}
	// each is an element of a collection, for all values of its variables.
	each struct {
		vars       []variable
		key, value value
	}
	nodeValue struct{ at []*symbolic.Term } // by its coordinates
	linkValue struct{ link int }            // that of the node where the packet is
	// arrivedValue is the link that brought the packet: one of another node.
	arrivedValue struct{ link int }
	siteValue    struct{} // the first argument of route
	function     struct {
		name   string
		params []syntax.Expr
		body   []syntax.Stmt
		locals map[string]bool // names that it assigns
	}
	// series is a range or the elements of a text: no list, though one has its elements.
	series struct {
		of   *list
		text bool
	}
	joined struct{} // what link and both return
	// choice is what "and" or "or" makes of a link: it is true or false as said, but its value may be the link.
	choice struct{ truth *symbolic.Term }
	// unknown is a name that was assigned in a loop over a symbolic range, or below a condition.
	unknown struct{}
)

// variable stands for all numbers low <= v < high.
type variable struct {
	name      string
	low, high *symbolic.Term
}

func (v variable) bounds() *symbolic.Term {
	return symbolic.And(symbolic.AtMost(v.low, symbolic.Named(v.name)), symbolic.Less(symbolic.Named(v.name), v.high))
}

type reader struct {
	symbolic.Reader
	f       *Family
	globals map[string]value
	vars    []variable       // in scope, at top level
	guard   []*symbolic.Term // conditions in scope
	owed    []obligation
	made    int // variables
	vcNames []string
	shape   []variable // of the nodes
	arrival *arrival   // nil at top level
	local   map[string]value
	called  []*function
	second  int             // operands of and, or that may not count, and branches, around what is read
	params  map[string]bool // declared
	whole   bool            // network was called
	noted   map[string]bool // situations
}

// arrival is a run of route.
type arrival struct {
	by        *kind // that the packet holds; nil: it is at its source
	decisions []bool
	decided   int
}

// Read reads a network file whose parameters of the given names stay symbolic. set has values of others, the defaults
// apply to the rest. Each error is a *spec.PosError that names what cannot be read.
func Read(file string, text []byte, sizes []string, set map[string]string) (*Family, error) {
	tree, err := symbolic.Parse(file, text)
	if err != nil {
		return nil, err
	}
	r := &reader{
		Reader:  symbolic.Reader{File: file, Most: 5_000_000, Globals: symbolic.Globals(tree), Least: map[string]int{}},
		globals: map[string]value{},
		f:       &Family{file: file, text: text, set: set, vcs: 1},
	}
	declared := params(tree)
	const mostNames = 3
	switch {
	case len(declared) == 0:
		return nil, fmt.Errorf("%s: the file declares no parameter that could stand for a size", file)
	case len(sizes) > mostNames:
		return nil, fmt.Errorf("%s: %d sizes: want at most %d", file, len(sizes), mostNames)
	}
	for i, name := range sizes {
		if slices.Contains(sizes[:i], name) {
			return nil, fmt.Errorf("%s: %s is named twice", file, name)
		}
		if _, is := set[name]; is {
			return nil, fmt.Errorf("%s: %s stands for every size, and cannot be set", file, name)
		}
		if !slices.Contains(declared, name) {
			return nil, fmt.Errorf("%s: no parameter %.40q: want %s%s",
				file, name, words.OneOf(declared), words.Suggestion(name, declared))
		}
		if isReserved(name) {
			return nil, fmt.Errorf("%s: a size cannot be called %s in formulas: want another name in the file",
				file, name)
		}
		r.f.Sizes = append(r.f.Sizes, Size{Name: name})
	}
	r.local = r.globals
	if err := symbolic.Refused(func() {
		symbolic.Block(r, tree.Stmts)
		r.finish()
	}); err != nil {
		return nil, err
	}
	r.f.thresholds = slices.Concat(r.Met(), symbolic.Constants(tree))
	for _, text := range set {
		if v, err := strconv.Atoi(text); err == nil && v >= 0 {
			r.f.thresholds = append(r.f.thresholds, v)
		}
	}
	isLarge := func(n int) bool { return n >= mostNumber }
	r.f.thresholds = slices.DeleteFunc(r.f.thresholds, isLarge)
	return r.f, nil
}

// atTop refuses what is read at top level only, outside route and functions that it calls.
func (r *reader) atTop(at syntax.Position, what string) {
	if r.arrival != nil {
		r.Refuse(at, "%s in route", what)
	}
}

// declaredOnce refuses a declaration in a loop, below a condition or in a function.
func (r *reader) declaredOnce(at syntax.Position, what string) {
	if r.arrival != nil || len(r.vars) > 0 || len(r.guard) > 0 || len(r.called) > 0 || r.second > 0 {
		r.Refuse(at, "%s in a loop over a size, below a condition or in a function", what)
	}
}

// define keeps a function of the top level. Its scope is Starlark's: a name that it assigns is its own everywhere.
func (r *reader) Define(s *syntax.DefStmt) {
	at := symbolic.Start(s)
	r.declaredOnce(at, "a function")
	f := &function{name: s.Name.Name, params: s.Params, body: s.Body, locals: map[string]bool{}}
	for _, p := range s.Params {
		name, is := p.(*syntax.Ident)
		if !is {
			r.Refuse(symbolic.Start(p), "a parameter with a default or a *, which is not read for all sizes")
		}
		f.locals[name.Name] = true
	}
	for _, sub := range s.Body {
		syntax.Walk(sub, func(n syntax.Node) bool {
			switch n.(type) {
			case *syntax.DefStmt, *syntax.LambdaExpr:
				r.Refuse(symbolic.Start(n), "a function within a function, or a lambda")
			}
			return true
		})
	}
	symbolic.EachAssigned(s.Body, func(name string) { f.locals[name] = true })
	r.local[s.Name.Name] = f
}

// constantKey refuses a key that depends on a size or a coordinate, where others stand beside it.
func (r *reader) constantKey(key value, at syntax.Position) {
	switch k := key.(type) {
	case string:
		return
	case *symbolic.Term:
		if k.IsNumber() {
			return
		}
	case tuple:
		for _, x := range k {
			r.constantKey(x, at)
		}
		return
	}
	r.Refuse(at, "a key that depends on a size or a coordinate")
}

// filled refuses to read a collection in the loops that fill it.
func (r *reader) filled(e *each, depth, elems int, at syntax.Position) {
	if e == nil && elems == 0 && len(r.vars) > depth {
		r.Refuse(at, "an empty collection that is read in a loop over a size, which may fill it")
	}
	if e == nil {
		return
	}
	for _, v := range e.vars {
		if slices.ContainsFunc(r.vars, func(w variable) bool { return w.name == v.name }) {
			r.Refuse(at, "a collection that is read in the loop that fills it")
		}
	}
}

// params lists the names of the parameters that a file declares.
func params(tree *syntax.File) (names []string) {
	syntax.Walk(tree, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		name, is := call.Args[0].(*syntax.Literal)
		if named, ok := call.Args[0].(*syntax.BinaryExpr); ok && named.Op == syntax.EQ {
			name, is = named.Y.(*syntax.Literal)
		}
		if f, ok := call.Fn.(*syntax.Ident); ok && f.Name == "param" && is {
			if text, ok := name.Value.(string); ok {
				names = append(names, text)
			}
		}
		return true
	})
	return names
}

// reserved are the words of SMT-LIB, of solvers and of our own formulas.
var reserved = strings.Fields(`
	abs and as asks assert concat cos distinct div exists exp false forall holds iff implies is ite let link match
	member mod node not or par pi pop push rank repeat select sin store tan to true union xor`)

// isReserved reports whether a name means something else in formulas.
func isReserved(name string) bool {
	if slices.Contains(reserved, name) {
		return true
	}
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" || len(name) > 12 {
		return true
	}
	return len(name) > 1 && strings.Contains("dvxyz", name[:1]) && strings.Trim(name[1:], "0123456789") == ""
}

// finish reads route, once the top level has run.
func (r *reader) finish() {
	end := syntax.MakePosition(&r.f.file, 1, 1)
	for _, s := range r.f.Sizes {
		if s.Least < 1 {
			r.Refuse(end, "parameter %s: want min = a number of at least 1, from which on the proof holds", s.Name)
		}
	}
	if r.shape == nil {
		r.Refuse(end, "no node is declared for each value of a size")
	}
	route, ok := r.globals["route"].(*function)
	if !ok {
		r.Refuse(end, "no function route")
	}
	f := r.f
	for _, v := range r.shape {
		f.low, f.high = append(f.low, v.low), append(f.high, v.high)
	}
	const mostKinds = 40
	if n := len(f.kinds()); n > mostKinds {
		r.Refuse(end, "%d kinds of channels, by port and VC: want at most %d", n, mostKinds)
	}
	for _, k := range f.kinds() {
		f.routes = append(f.routes, r.routes(route, &k))
	}
	f.routes = append(f.routes, r.routes(route, nil))
	f.owed = r.owed
	r.closed()
}

// closed refuses formulas of the network with a name that is no size and no coordinate of theirs. The variable of a loop
// that is left in one would stand for the same value everywhere.
func (r *reader) closed() {
	sizes := map[string]bool{}
	for _, s := range r.f.Sizes {
		sizes[s.Name] = true
	}
	refuse := func(at syntax.Position, t *symbolic.Term, coordinates ...func(int) string) {
		if name := stray(t, sizes, len(r.shape), coordinates...); name != "" {
			r.Refuse(at, "a formula with %s, which is no size and no coordinate", name)
		}
	}
	end := syntax.MakePosition(&r.f.file, 1, 1)
	for i := range r.shape {
		refuse(end, r.f.low[i])
		refuse(end, r.f.high[i])
	}
	for _, t := range r.f.at {
		refuse(end, t, here)
	}
	for _, l := range r.f.links {
		refuse(l.at, l.guard, here)
		for _, t := range l.head {
			refuse(l.at, t, here)
		}
	}
	for _, all := range r.f.routes {
		for _, p := range all.paths {
			refuse(end, p.cond, next, there)
		}
		for _, o := range all.owed {
			refuse(o.at, o.must, next, there)
		}
	}
}

// stray returns a name of t that is no size and none of the first n coordinates; "" if there is none.
func stray(t *symbolic.Term, sizes map[string]bool, n int, coordinates ...func(int) string) string {
	names := map[string]bool{}
	t.Names(names)
	for i := range n {
		for _, of := range coordinates {
			delete(names, of(i))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !sizes[name] {
			return name
		}
	}
	return ""
}

// routes runs route for every way through its conditions.
func (r *reader) routes(route *function, by *kind) routes {
	const mostPaths = 4096
	var all routes
	dest := nodeValue{}
	for i := range r.shape {
		dest.at = append(dest.at, symbolic.Named(there(i)))
	}
	top := r.owed
	for decisions := []bool{}; ; {
		r.arrival = &arrival{by: by, decisions: decisions}
		r.guard, r.owed = nil, nil
		at := route.body[0] // there is one, as Starlark requires
		result := r.invoke(route, []value{siteValue{}, dest}, nil, symbolic.Start(at))
		p := path{cond: symbolic.And(r.guard...)}
		p.hops = r.hops(result, symbolic.Start(at))
		all.owed = append(all.owed, r.owed...)
		all.paths = append(all.paths, p)
		if len(all.paths) > mostPaths {
			r.Refuse(symbolic.Start(at), "route has more than %d ways through its conditions", mostPaths)
		}
		decisions = r.arrival.decisions[:r.arrival.decided]
		for len(decisions) > 0 && !decisions[len(decisions)-1] {
			decisions = decisions[:len(decisions)-1]
		}
		if len(decisions) == 0 {
			break
		}
		decisions = slices.Clone(decisions)
		decisions[len(decisions)-1] = false
	}
	r.arrival, r.guard, r.owed = nil, nil, top
	return all
}

// hops reads what route returns.
func (r *reader) hops(v value, at syntax.Position) []kind {
	switch v := v.(type) {
	case tuple:
		return r.hopsOf(v, at)
	case *list:
		if v.each == nil {
			return r.hopsOf(v.elems, at)
		}
	case none:
		r.owe(at, "route returns None", symbolic.Truth(false))
		return nil
	}
	r.Refuse(at, "route returns something else than hops")
	return nil
}

func (r *reader) hopsOf(vs []value, at syntax.Position) (hops []kind) {
	for _, v := range vs {
		h, ok := v.(hopped)
		if !ok {
			r.Refuse(at, "route returns something else than hops")
		}
		hops = append(hops, kind(h))
	}
	if len(hops) == 0 {
		r.owe(at, "route returns no hop", symbolic.Truth(false))
	}
	return hops
}

// owe notes a condition that must be true wherever the run gets here.
func (r *reader) owe(at syntax.Position, says string, must *symbolic.Term) {
	all := append([]*symbolic.Term{}, r.guard...)
	for _, v := range r.vars {
		all = append(all, v.bounds())
	}
	if must = symbolic.Or(symbolic.Not(symbolic.And(all...)), must); !must.IsTrue() {
		r.owed = append(r.owed, obligation{at, says, must})
	}
}

// decide goes one way at a condition, in route; the other way is another run.
func (r *reader) decide(cond *symbolic.Term, at syntax.Position) bool {
	if cond.IsTrue() || cond.IsFalse() {
		return cond.IsTrue()
	}
	a := r.arrival
	if a == nil {
		r.Refuse(at, "a condition on a size or a coordinate, which is read in if statements and in route only")
	}
	if known, is := settled(r.guard, cond); is {
		return known
	}
	if a.decided == len(a.decisions) {
		a.decisions = append(a.decisions, true)
	}
	yes := a.decisions[a.decided]
	a.decided++
	if !yes {
		cond = symbolic.Not(cond)
	}
	r.guard = append(r.guard, cond)
	r.note(cond)
	return yes
}

// settled finds a condition, or its contrary, among those that hold.
func settled(guard []*symbolic.Term, cond *symbolic.Term) (holds, known bool) {
	var excludes []*symbolic.Term // each of which makes cond false
	excludes = append(excludes, symbolic.Not(cond))
	if cond.Op == symbolic.OpLess || cond.Op == symbolic.OpEqual {
		a, b := cond.Args[0], cond.Args[1]
		excludes = append(excludes, symbolic.Less(b, a))
		if cond.Op == symbolic.OpEqual {
			excludes = append(excludes, symbolic.Less(a, b))
		} else {
			excludes = append(excludes, symbolic.Equal(a, b), symbolic.Equal(b, a))
		}
	}
	for _, g := range guard {
		if g.Same(cond) {
			return true, true
		}
		if slices.ContainsFunc(excludes, g.Same) {
			return false, true
		}
	}
	return false, false
}

func (r *reader) Branch(s *syntax.IfStmt) (symbolic.Control, value) {
	cond := r.truth(r.Expr(s.Cond), symbolic.Start(s.Cond))
	if r.arrival != nil || cond.IsTrue() || cond.IsFalse() {
		if r.decide(cond, symbolic.Start(s.Cond)) {
			return symbolic.Block(r, s.True)
		}
		return symbolic.Block(r, s.False)
	}
	for i, body := range [][]syntax.Stmt{s.True, s.False} {
		r.guard = append(r.guard, cond)
		if i == 1 {
			r.guard[len(r.guard)-1] = symbolic.Not(cond)
		}
		r.note(symbolic.Truth(true))
		if c, _ := symbolic.Block(r, body); c != symbolic.GoesOn {
			r.Refuse(symbolic.Start(s), "the branch of a condition on a size or a coordinate leaves the loop or function")
		}
		r.guard = r.guard[:len(r.guard)-1]
		r.forget(body)
	}
	return symbolic.GoesOn, nil
}

// forget makes the names that statements assign unknown, as their values depend on a condition, or on the round of a
// loop.
func (r *reader) forget(body []syntax.Stmt) {
	symbolic.EachAssigned(body, func(name string) { r.local[name] = unknown{} })
}

func (r *reader) Loop(s *syntax.ForStmt) (symbolic.Control, value) {
	over := r.Expr(s.X)
	if e := r.eachOf(over, symbolic.Start(s.X)); e != nil {
		r.atTop(symbolic.Start(s), "a loop over a size")
		depth := len(r.vars)
		elem := r.enter(e)
		r.forget(s.Body)
		symbolic.Bind(r, s.Vars, elem)
		if c, _ := symbolic.Block(r, s.Body); c != symbolic.GoesOn && c != symbolic.Continues {
			r.Refuse(symbolic.Start(s), "a loop over a size that ends early")
		}
		r.vars = r.vars[:depth]
		r.forget([]syntax.Stmt{s})
		return symbolic.GoesOn, nil
	}
	defer occupy(over)()
	return symbolic.Rounds(r, s, r.Elems(over, symbolic.Start(s.X)))
}

// occupy forbids changes of a list that a loop goes through, until the function that it returns is called.
func occupy(v value) (release func()) {
	l, is := v.(*list)
	if !is {
		return func() {}
	}
	before := l.busy
	l.busy = true
	return func() { l.busy = before }
}

// enter puts fresh variables for those of e in scope, and returns its element in them.
func (r *reader) enter(e *each) value {
	by := map[string]*symbolic.Term{}
	for _, v := range e.vars {
		r.made++
		fresh := variable{"v" + strconv.Itoa(r.made), v.low.Replace(by), v.high.Replace(by)}
		by[v.name] = symbolic.Named(fresh.name)
		r.vars = append(r.vars, fresh)
	}
	return r.replace(e.value, by)
}

// replace puts terms in place of the variables of a value.
func (r *reader) replace(v value, by map[string]*symbolic.Term) value {
	r.Step(syntax.Position{})
	switch v := v.(type) {
	case *symbolic.Term:
		return v.Replace(by)
	case tuple:
		all := make(tuple, len(v))
		for i := range v {
			all[i] = r.replace(v[i], by)
		}
		return all
	case nodeValue:
		all := make([]*symbolic.Term, len(v.at))
		for i := range v.at {
			all[i] = v.at[i].Replace(by)
		}
		return nodeValue{all}
	case *list, *dict, series:
		r.Refuse(r.At, "a list, dict or range within a collection over a size")
	}
	return v
}

// eachOf returns the element that stands for all of a collection; nil if its elements are known one by one.
func (r *reader) eachOf(v value, at syntax.Position) *each {
	switch v := v.(type) {
	case *list:
		r.filled(v.each, v.depth, len(v.elems), at)
		return v.each
	case *dict:
		r.filled(v.each, v.depth, len(v.keys), at)
		if v.each != nil {
			return &each{v.each.vars, nil, v.each.key}
		}
	case series:
		return r.eachOf(v.of, at)
	case unknown:
		r.Refuse(at, "a name that a loop or branch over a size assigns")
	}
	return nil
}

// elems returns the elements of a collection that are known one by one.
func (r *reader) Elems(v value, at syntax.Position) []value {
	switch v := v.(type) {
	case tuple:
		return v
	case *list:
		r.filled(v.each, v.depth, len(v.elems), at)
		if v.each == nil {
			return v.elems
		}
	case *dict:
		r.filled(v.each, v.depth, len(v.keys), at)
		if v.each == nil {
			return v.keys
		}
	case series:
		return r.Elems(v.of, at)
	}
	r.Refuse(at, "want a list, tuple or range whose elements do not depend on a size")
	return nil
}

// Place assigns to a name, or to an element of a dict.
func (r *reader) Place(to syntax.Expr, v value) {
	switch to := to.(type) {
	case *syntax.Ident:
		r.local[to.Name] = v
	case *syntax.IndexExpr:
		r.store(r.Expr(to.X), r.Expr(to.Y), v, symbolic.Start(to))
	default:
		r.Refuse(symbolic.Start(to), "an assignment that is not read for all sizes")
	}
}

// None is what a function without a result returns.
func (r *reader) None() value { return none{} }

func (r *reader) Assign(s *syntax.AssignStmt) {
	if s.Op == syntax.EQ {
		symbolic.Bind(r, s.LHS, r.Expr(s.RHS))
		return
	}
	if _, is := s.LHS.(*syntax.Ident); !is { // Starlark reads the place once, and before the right side
		syntax.Walk(s, func(n syntax.Node) bool {
			if c, is := n.(*syntax.CallExpr); is {
				r.Refuse(symbolic.Start(c), "a call in +=, -= and the like of an element, which is not read for all sizes")
			}
			return true
		})
	}
	old := r.Expr(s.LHS)
	v := r.Expr(s.RHS)
	op := map[syntax.Token]syntax.Token{
		syntax.PLUS_EQ: syntax.PLUS, syntax.MINUS_EQ: syntax.MINUS, syntax.STAR_EQ: syntax.STAR,
		syntax.SLASHSLASH_EQ: syntax.SLASHSLASH, syntax.PERCENT_EQ: syntax.PERCENT,
	}[s.Op]
	if l, is := old.(*list); is && op == syntax.PLUS {
		for _, elem := range r.Elems(v, symbolic.Start(s.RHS)) {
			r.append(l, elem, symbolic.Start(s))
		}
		return
	}
	symbolic.Bind(r, s.LHS, r.binary(op, old, v, symbolic.Start(s)))
}

// store puts a value under a key of a dict. In a loop over a size, that is one entry for all.
func (r *reader) store(to, key, v value, at syntax.Position) {
	d, ok := to.(*dict)
	if !ok || d.each != nil || d.made != r.arrival || r.second > 0 {
		r.Refuse(at, "an assignment that is not read for all sizes")
	}
	if len(r.vars) > d.depth || len(r.guard) > 0 {
		d.each = r.all(len(d.keys) == 0, d.depth, key, v, at)
		return
	}
	r.constantKey(key, at)
	for i := range d.keys {
		if equal := r.equal(d.keys[i], key); equal.IsTrue() {
			d.values[i] = v
			return
		}
	}
	d.keys, d.values = append(d.keys, key), append(d.values, v)
}

func (r *reader) append(l *list, v value, at syntax.Position) {
	if l.each != nil {
		r.Refuse(at, "a list that has an element for each value of a size already")
	}
	if l.busy || l.made != r.arrival || r.second > 0 {
		r.Refuse(at, "a change of a list that a loop goes through, that is frozen, or that a condition may leave out")
	}
	if r.arrival == nil && (len(r.vars) > l.depth || len(r.guard) > 0) {
		l.each = r.all(len(l.elems) == 0, l.depth, nil, v, at)
		return
	}
	l.elems = append(l.elems, v)
}

// all makes a value stand for all values of the variables that came into scope since its collection was made.
func (r *reader) all(empty bool, depth int, key, v value, at syntax.Position) *each {
	if !empty || len(r.guard) > 0 {
		r.Refuse(at, "a collection with something else than one element for each value of a size")
	}
	if key != nil {
		pattern, is := key.(tuple)
		if !is {
			pattern = tuple{key}
		}
		met := map[string]bool{}
		for _, p := range pattern {
			if t, ok := p.(*symbolic.Term); ok && t.IsName() {
				met[t.Name] = true
			}
		}
		if len(met) != len(pattern) || len(met) != len(r.vars)-depth {
			r.Refuse(at, "a dict whose keys are not the variables of its loops, each once")
		}
	}
	return &each{slices.Clone(r.vars[depth:]), key, v}
}
