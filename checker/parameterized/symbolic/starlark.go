package symbolic

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"

	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// A part of Starlark is read, and the rest refused at its place: a wrong reading is a wrong proof. What a statement
// means where its condition or its loop depends on a size is up to a [Language]; what is plain Starlark is here.

type (
	// Value is a *Term, or what else a language has.
	Value   any
	Tuple   []Value
	Builtin string // a name that the file does not define
	Method  struct {
		Of   Value
		Name string
	}
)

// Parse reads the syntax of a file, within the bounds that [star.Compile] has. It refuses bytes, which equal no text.
func Parse(file string, text []byte) (*syntax.File, error) {
	if _, err := star.Compile(file, text); err != nil {
		return nil, err
	}
	dialect := &syntax.FileOptions{TopLevelControl: true, GlobalReassign: true}
	tree, err := dialect.Parse(file, text, 0)
	if err != nil {
		return nil, err
	}
	r := &Reader{File: file}
	return tree, Refused(func() {
		syntax.Walk(tree, func(n syntax.Node) bool {
			if l, is := n.(*syntax.Literal); is && l.Token == syntax.BYTES {
				r.Refuse(l.TokenPos, "bytes, which are not read for all sizes")
			}
			return true
		})
	})
}

// Constants lists the numbers that a file writes, ascending: those from 0 to 2^30, which can be near a size.
func Constants(tree *syntax.File) []int {
	const most = 1 << 30
	met := map[int]bool{}
	syntax.Walk(tree, func(n syntax.Node) bool {
		if l, ok := n.(*syntax.Literal); ok {
			if v, ok := l.Value.(int64); ok && v < most {
				met[int(v)] = true
			}
		}
		return true
	})
	return slices.Sorted(maps.Keys(met))
}

// Globals are the names that the top level of a file gives a value somewhere.
func Globals(tree *syntax.File) map[string]bool {
	names := map[string]bool{}
	add := func(e syntax.Expr) {
		if id, is := e.(*syntax.Ident); is {
			names[id.Name] = true
		}
	}
	for _, s := range tree.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.AssignStmt:
				EachPlace(n.LHS, add)
			case *syntax.ForStmt:
				EachPlace(n.Vars, add)
			case *syntax.DefStmt:
				names[n.Name.Name] = true
				return false
			}
			return true
		})
	}
	return names
}

// Start is where a part of a file begins.
func Start(n syntax.Node) syntax.Position {
	at, _ := n.Span()
	return at
}

// EachAssigned calls f with each name that statements, or those in them, give a value.
func EachAssigned(body []syntax.Stmt, f func(name string)) {
	name := func(e syntax.Expr) {
		if id, is := e.(*syntax.Ident); is {
			f(id.Name)
		}
	}
	for _, s := range body {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.AssignStmt:
				EachPlace(n.LHS, name)
			case *syntax.ForStmt:
				EachPlace(n.Vars, name)
			case *syntax.DefStmt:
				f(n.Name.Name)
			}
			return true
		})
	}
}

// EachPlace calls f with each place of a pattern, and with the patterns.
func EachPlace(e syntax.Expr, f func(e syntax.Expr)) {
	e = plain(e)
	for _, x := range parts(e) {
		EachPlace(x, f)
	}
	f(e)
}

// plain returns what is within parentheses.
func plain(e syntax.Expr) syntax.Expr {
	for {
		p, is := e.(*syntax.ParenExpr)
		if !is {
			return e
		}
		e = p.X
	}
}

// parts returns the places of a pattern, nil if e is one place.
func parts(e syntax.Expr) []syntax.Expr {
	switch e := e.(type) {
	case *syntax.TupleExpr:
		return e.List
	case *syntax.ListExpr:
		return e.List
	}
	return nil
}

// Reader counts what a run does, and refuses what it cannot read.
type Reader struct {
	File string
	Most int             // steps
	At   syntax.Position // of the last step
	// Globals are names that the top level defines, though perhaps where nothing runs.
	Globals map[string]bool
	// Least are the least values of sizes; that of another name is 0.
	Least    map[string]int
	done     int
	met      map[int]bool
	compared map[string]bool // differences
}

// Meet notes a number near which the meaning of a file may change: one that an expression has.
func (r *Reader) Meet(n int) {
	const most = 1 << 30
	if r.met == nil {
		r.met = map[int]bool{}
	}
	if n = max(n, -n); n < most {
		r.met[n] = true
	}
}

// MeetCompared notes what a comparison compares with: the number in its difference, and for each of its names the values
// at which the difference changes its sign, while the other names have their least values.
func (r *Reader) MeetCompared(a, b *Term) {
	const mostNames = 3
	d := Plus(a, -1, b)
	if d.Op == OpAdd && d.Args[1].IsNumber() {
		r.Meet(d.Args[1].N)
	}
	names := map[string]bool{}
	d.Names(names)
	if len(names) > mostNames || d.Contains(func(t *Term) bool { return t.Op == OpRead || t.Op == OpText || t.IsTruth() }) {
		return
	}
	if key := d.String(); r.compared[key] {
		return
	} else if r.compared == nil {
		r.compared = map[string]bool{key: true}
	} else {
		r.compared[key] = true
	}
	wraps := d.Contains(func(t *Term) bool { return t.Op == OpWrap })
	for name := range names {
		if _, isSize := r.Least[name]; isSize || !wraps { // a coordinate beyond its ring goes round and round
			r.changes(d, name, names)
		}
	}
}

// changes looks for a change of sign between powers of two, and bisects. So it may miss two changes between two powers.
func (r *Reader) changes(d *Term, name string, names map[string]bool) {
	values := map[string]int{}
	for other := range names {
		values[other] = r.Least[other]
	}
	sign := func(x int) int {
		values[name] = x
		return cmp.Compare(d.Value(values), 0)
	}
	const most = 1 << 20
	for low := 1; low < most; low *= 2 {
		before, high := sign(low), 2*low
		if sign(high) == before {
			continue
		}
		first := low + 1 + sort.Search(high-low-1, func(i int) bool { return sign(low+1+i) != before })
		r.Meet(first)
	}
}

// Met lists the numbers that were noted, ascending.
func (r *Reader) Met() []int { return slices.Sorted(maps.Keys(r.met)) }

// refusal ends the reading of a file.
type refusal struct{ err error }

// Refuse ends the reading of the file with a *spec.PosError, which [Refused] returns.
func (r *Reader) Refuse(at syntax.Position, format string, args ...any) {
	panic(refusal{&spec.PosError{
		File: r.File, Line: int(at.Line), Col: int(at.Col), Msg: fmt.Sprintf(format, args...),
	}})
}

// Refused runs f, and returns the error of a refusal.
func Refused(f func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case refusal:
			err = p.err
		default:
			panic(p)
		}
	}()
	f()
	return nil
}

// Step counts a step, so that a run ends and its values fit into memory.
func (r *Reader) Step(at syntax.Position) {
	if at.IsValid() {
		r.At = at
	}
	if r.done++; r.done > r.Most {
		r.Refuse(r.At, "the file takes more than %d steps", r.Most)
	}
}

// Control says how a statement ended.
type Control int

const (
	GoesOn Control = iota
	Breaks
	Continues
	Returns
)

// Language is what a reader makes of a file.
type Language interface {
	Refuse(at syntax.Position, format string, args ...any)
	Step(at syntax.Position)

	Expr(e syntax.Expr) Value
	Define(s *syntax.DefStmt)
	Assign(s *syntax.AssignStmt)
	Branch(s *syntax.IfStmt) (Control, Value)
	Loop(s *syntax.ForStmt) (Control, Value)
	// Elems returns the elements of a collection that are known one by one, and refuses another value.
	Elems(v Value, at syntax.Position) []Value
	// Place gives a value to a place that is no pattern.
	Place(to syntax.Expr, v Value)
	None() Value
}

// Block runs statements, until one ends it.
func Block(l Language, body []syntax.Stmt) (Control, Value) {
	for _, s := range body {
		if c, v := statement(l, s); c != GoesOn {
			return c, v
		}
	}
	return GoesOn, nil
}

func statement(l Language, s syntax.Stmt) (Control, Value) {
	l.Step(Start(s))
	switch s := s.(type) {
	case *syntax.ExprStmt:
		l.Expr(s.X)
	case *syntax.DefStmt:
		l.Define(s)
	case *syntax.AssignStmt:
		l.Assign(s)
	case *syntax.IfStmt:
		return l.Branch(s)
	case *syntax.ForStmt:
		return l.Loop(s)
	case *syntax.ReturnStmt:
		if s.Result == nil {
			return Returns, l.None()
		}
		return Returns, l.Expr(s.Result)
	case *syntax.BranchStmt:
		switch s.Token {
		case syntax.BREAK:
			return Breaks, nil
		case syntax.CONTINUE:
			return Continues, nil
		}
	default:
		l.Refuse(Start(s), "a statement that is not read for all sizes")
	}
	return GoesOn, nil
}

// Rounds runs the body of a loop once for each element.
func Rounds(l Language, s *syntax.ForStmt, elems []Value) (Control, Value) {
	for _, v := range elems {
		Bind(l, s.Vars, v)
		switch c, v := Block(l, s.Body); c {
		case Breaks:
			return GoesOn, nil
		case Returns:
			return c, v
		}
	}
	return GoesOn, nil
}

// Bind gives the places of a pattern their values.
func Bind(l Language, to syntax.Expr, v Value) {
	to = plain(to)
	places := parts(to)
	if places == nil {
		l.Place(to, v)
		return
	}
	vs := l.Elems(v, Start(to))
	if len(vs) != len(places) {
		l.Refuse(Start(to), "%d values for %d names", len(vs), len(places))
	}
	for i := range places {
		Bind(l, places[i], vs[i])
	}
}

// Exprs reads expressions in turn.
func Exprs(l Language, es []syntax.Expr) (vs []Value) {
	for _, e := range es {
		vs = append(vs, l.Expr(e))
	}
	return vs
}

// Element returns an element by its number, from the end if that is below 0.
func Element(l Language, of []Value, i int, at syntax.Position) Value {
	if i < 0 {
		i += len(of)
	}
	if i < 0 || i >= len(of) {
		l.Refuse(at, "index %d of %d elements", i, len(of))
	}
	return of[i]
}

// Arguments are those of a call, by position and by name.
type Arguments struct {
	At    syntax.Position
	Of    string // the name of what is called
	List  []Value
	Named map[string]Value

	l    Language
	used map[string]bool
}

// Call reads the arguments of a call.
func Call(l Language, e *syntax.CallExpr) *Arguments {
	a := &Arguments{At: Start(e), Named: map[string]Value{}, l: l, used: map[string]bool{}}
	for _, arg := range e.Args {
		if b, is := arg.(*syntax.BinaryExpr); is && b.Op == syntax.EQ {
			a.Named[b.X.(*syntax.Ident).Name] = l.Expr(b.Y)
			continue
		}
		if u, is := arg.(*syntax.UnaryExpr); is && (u.Op == syntax.STAR || u.Op == syntax.STARSTAR) {
			l.Refuse(Start(arg), "a call with * or **, which is not read for all sizes")
		}
		a.List = append(a.List, l.Expr(arg))
	}
	return a
}

// Rest is a call of one of the arguments, by position, with those behind it.
func (a *Arguments) Rest(of string) *Arguments {
	return &Arguments{At: a.At, Of: of, List: a.List[1:], Named: a.Named, l: a.l, used: map[string]bool{}}
}

// Take returns an argument, nil if it is not given. With i < 0 it has no position.
func (a *Arguments) Take(i int, name string) Value {
	if i >= 0 && i < len(a.List) {
		a.used[strconv.Itoa(i)] = true
		return a.List[i] // Done refuses one that is given by name, too
	}
	a.used[name] = true
	return a.Named[name]
}

// Want returns an argument that must be given.
func (a *Arguments) Want(i int, name string) Value {
	v := a.Take(i, name)
	if v == nil {
		a.l.Refuse(a.At, "%s: want %s", a.Of, name)
	}
	return v
}

// TakeList and TakeNamed take all arguments by position, or by name.
func (a *Arguments) TakeList() {
	for i := range a.List {
		a.used[strconv.Itoa(i)] = true
	}
}

func (a *Arguments) TakeNamed() {
	for name := range a.Named {
		a.used[name] = true
	}
}

// Done refuses arguments that were not taken.
func (a *Arguments) Done() {
	for i := range a.List {
		if !a.used[strconv.Itoa(i)] {
			a.l.Refuse(a.At, "%s with argument %d, which is not read for all sizes", a.Of, i+1)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Named)) {
		if !a.used[name] {
			a.l.Refuse(a.At, "%s with %s=, which is not read for all sizes", a.Of, name)
		}
	}
}
