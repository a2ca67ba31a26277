package star

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// A program says whether a rule is possible and what it changes; its file says why. So
// properties of one state are found by running a function again in that state, and
// recording what when, push and pop do. None of it is evidence.

// Source is the file that a program was made from. It is safe for concurrent use.
type Source struct {
	b    *builder
	text []byte
	mu   sync.Mutex // functions run one at a time
}

// SourceOf returns the file that a program was made from; nil if it was not made from one, or
// has been changed since, or is a copy.
func SourceOf(p *program.Program) *Source {
	s, ok := p.Source.(*Source)
	if !ok || s.b.m.p != p || len(s.b.instances) != len(p.Rules) {
		return nil
	}
	return s
}

// Declared returns the name under which a rule of the program is declared, for all of its
// keys.
func (s *Source) Declared(rule int) string { return s.b.instances[rule].d.name }

// Place returns where a rule of the program is declared.
func (s *Source) Place(rule int) string { return s.b.instances[rule].d.place().String() }

// Decided lists the names of the properties of the program that are declared with a name in the file: one for each key
// of an eventually, an always_possible or an ltl; never: NAME of a never. Another name stands for itself.
func (s *Source) Decided(name string) []string { return s.b.m.decided(name) }

// Symmetry returns where the file states the symmetries that make a renaming of the program: the
// first place and, if there are several, the others as text.
func (s *Source) Symmetry(renaming int) (file string, line, col int, others string) {
	g := s.b.m.group
	var at []position
	for _, k := range g.made[renaming+1] {
		if !slices.Contains(at, g.at[k]) {
			at = append(at, g.at[k])
		}
	}
	for _, p := range at[1:] {
		others += fmt.Sprintf(" and %s:%d:%d", p.file, p.line, p.col)
	}
	return at[0].file, int(at[0].line), int(at[0].col), others
}

// Refusal says at which place of the file and why a rule of the program is refused in a state, given by the
// values of the variables; "" if it is possible.
func (s *Source) Refusal(rule int, state []int) (place, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place, why := s.refusal(s.b.instances[rule], state); place != "" {
		return place, why
	}
	d, p := s.b.instances[rule].d, s.b.m.p
	for k := range s.b.instances {
		if s.b.instances[k].d.precedes(d) && p.Rules[k].Guard.Holds(state) {
			return d.place().String(), p.Rules[k].Name + " is possible and goes first"
		}
	}
	return "", ""
}

func (s *Source) refusal(in instance, state []int) (place, why string) {
	if of := in.d.turn; of != nil && !of.guard.Holds(state) {
		return in.d.place().String(), "it is the turn of others to push into " + of.of.fifo.path
	}
	a, t := s.b.newEvaluation(s.b.m, in.d, in.i)
	a.seen = &observations{}
	_, err := a.call(t, decision.At(state, in.options), in.d, in.i)
	if why := new(refusal); errors.As(err, &why) {
		at, _ := innermost(s.b.file, err)
		at = in.d.citationOf(in.i, at)
		switch {
		case why.of != nil:
			return at.String(), oneLine(why.why + ": " + s.holdsText(why.of, state))
		case why.why != "":
			text := oneLine(why.why)
			if by := why.by; by != nil && by.at.file != networkFile {
				text = withValues(text, s.values(by.looked, state))
			}
			return at.String(), text
		case why.by != nil:
			return why.by.at.String(), s.where(in.d, in.i, state, why.by.text, why.by.looked)
		}
		return at.String(), oneLine(s.line(at))
	}
	for _, part := range slices.Sorted(maps.Keys(a.also)) {
		if place, why := s.refusal(instance{d: &s.b.m.parts[part].declared}, state); place != "" {
			return place, why
		}
	}
	return "", ""
}

// Fault returns which rule has a wrong step in a state, where, and what is wrong there; "" if
// that is not known. In the program a fault is a variable, which several at one place may share.
func (s *Source) Fault(state []int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.b.m.p
	for k := range s.b.instances {
		if !p.Rules[k].Guard.Holds(state) {
			continue
		}
		if text := s.fault(s.b.instances[k], state); text != "" {
			return p.Rules[k].Name + ": " + text
		}
	}
	return ""
}

func (s *Source) fault(in instance, state []int) string {
	a, t := s.b.newEvaluation(s.b.m, in.d, in.i)
	_, err := a.call(t, decision.At(state, in.options), in.d, in.i)
	if err != nil && !errors.Is(err, errRefused) {
		at, cause := innermost(s.b.file, err)
		text := oneLine(advised(cause.Error()))
		if far := new(outOfRange); errors.As(err, &far) && far.full != nil {
			text += ", where " + far.full.path + "=" + s.heldText(far.full, state, map[program.Var]bool{}, false)
		}
		return in.d.citationOf(in.i, at).String() + ": " + text
	}
	for _, part := range slices.Sorted(maps.Keys(a.also)) {
		if text := s.fault(instance{d: &s.b.m.parts[part].declared}, state); text != "" {
			return text
		}
	}
	return ""
}

// line returns a line of the file, as it is written.
func (s *Source) line(at position) string {
	lines := strings.Split(string(newlines(s.text)), "\n")
	if at.file != s.b.file || int(at.line) > len(lines) {
		return "a condition does not hold"
	}
	return strings.TrimSpace(lines[at.line-1])
}

// Broken says why an invariant of the program does not hold in a state, once for each key
// for which it fails: the part of the condition that decides, and the values that it
// read, such as `msi.star:56:60: s.state[a] != "M", where a=0, b=1, state[0]=M`.
func (s *Source) Broken(invariant string, state []int) (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.b.m.rules {
		d := &s.b.m.rules[r]
		if d.property() != invariant || !slices.Contains([]string{"invariant", "never", "reach"}, d.what) {
			continue
		}
		for i := range d.over.args {
			a, t := s.b.newEvaluation(s.b.m, d, i)
			a.seen = &observations{}
			v, err := a.call(t, decision.At(state, nil), d, i)
			if err == nil && v == starlark.Bool(d.what == "invariant") || err != nil && d.what == "reach" {
				continue
			}
			all = append(all, s.why(d, i, state, a, err))
		}
	}
	return all
}

// why returns why an instance of a property fails: from what its function met, and the
// error, if any, with which it ended.
func (s *Source) why(d *declared, i int, state []int, a *evaluation, err error) string {
	at, text, looked := position{}, "", a.run.Looked
	if err != nil {
		at, err = innermost(s.b.file, err)
		text = oneLine(err.Error())
	} else {
		// Every return has marked its parts, so there is a reason.
		reason := a.seen.decidingReason(d.what != "invariant")
		if at, text = reason.at, reason.text; len(reason.looked) > 0 {
			looked = reason.looked
		}
	}
	return at.String() + ": " + s.where(d, i, state, text, looked)
}

// where adds to a text which instance it is about, and the values of variables.
func (s *Source) where(d *declared, i int, state []int, text string, looked []program.Var) string {
	var words []string
	for k, x := range d.over.args[i] {
		name, _ := d.f.Param(k + 1)
		words = append(words, name+"="+shown(x))
	}
	return withValues(text, append(words, s.values(looked, state)...))
}

// withValues puts values behind a text.
func withValues(text string, values []string) string {
	if len(values) == 0 {
		return text
	}
	return text + ", where " + strings.Join(values, ", ")
}

// values describes the values of variables, and what FIFOs hold of which they are parts, of at most 12.
func (s *Source) values(of []program.Var, state []int) (words []string) {
	const most = 12
	told, within := map[string]bool{}, s.fifos()
	for _, x := range of {
		v := &s.b.m.p.Variables[x]
		name := v.Name
		if q := within[x]; q != nil {
			name = q.path
		}
		switch {
		case told[name]:
			continue
		case len(told) == most:
			return append(words, "...")
		}
		told[name] = true
		value := valueText(v, state[x])
		if q := within[x]; q != nil {
			value = s.heldText(q, state, map[program.Var]bool{}, false)
		}
		words = append(words, name+"="+value)
	}
	return words
}

// Step returns who takes the step of a rule of the program in a state where it is possible,
// and which messages it sends and receives, in order.
func (s *Source) Step(rule int, state []int) (by string, all []Transfer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.b.instances[rule]
	s.transfers(in, state, &all)
	return in.d.actor(in.i), all
}

func (s *Source) transfers(in instance, state []int, all *[]Transfer) {
	a, t := s.b.newEvaluation(s.b.m, in.d, in.i)
	a.seen = &observations{transfers: all}
	if _, err := a.call(t, decision.At(state, in.options), in.d, in.i); err != nil {
		return
	}
	for _, part := range slices.Sorted(maps.Keys(a.also)) {
		s.transfers(instance{d: &s.b.m.parts[part].declared}, state, all)
	}
}

// Waiting returns how many messages each FIFO holds in a state, by its name; empty FIFOs
// are left out.
func (s *Source) Waiting(state []int) map[string]int {
	all := map[string]int{}
	var look func(p *slot)
	look = func(p *slot) {
		_, isQueue := p.kind.(*queue)
		for _, q := range p.in {
			look(q)
			for isQueue && len(q.in) > 0 {
				q = q.in[0]
			}
			if isQueue && q.occupied(state[q.x]) {
				all[p.path]++
			}
		}
	}
	look(s.b.m.root)
	return all
}

// observations is what a run meets.
type observations struct {
	whens     []whenCall
	reasons   []reason
	transfers *[]Transfer // nil: they are not wanted, so no message is looked at
}

// whenCall is a call of when.
type whenCall struct {
	at    position
	holds bool
	why   string // of a part of network_of, or a FIFO
}

// reason is a part of a condition whose value decides.
type reason struct {
	at     position
	text   string
	holds  bool // the value that it gives the whole
	looked []program.Var
	depth  int // of calls
}

// Transfer is a message that a step puts into a FIFO, or takes out of it.
type Transfer struct {
	FIFO    string
	Sent    bool
	Copies  int  // sent: 0: it is lost
	Place   int  // taken: 0 is the head
	Cleared bool // all are taken out
	Text    string
}

// decidingReason returns the part that made a condition what it is: of those that agree, in the fewest calls, the last.
func (s *observations) decidingReason(holds bool) *reason {
	return deciding(s.reasons, func(r *reason) bool { return r.holds == holds })
}

func deciding(all []reason, agrees func(*reason) bool) (by *reason) {
	for i := range all {
		if r := &all[i]; agrees(r) && (by == nil || r.depth <= by.depth) {
			by = r
		}
	}
	return by
}

// Which part of a condition decides it. The result of a function of a machine is split
// where one part decides alone: a False part of x and y, a True part of x or y, an
// element of all([...]) or any([...]). The metered tree (meter.go) marks each such part
// with the values that decide, and a run that is recorded keeps the parts that have one:
// the last that agrees with the result is the reason. If a part calls a function of the
// file, the parts of that function's result decide. What other calls return, in a filter
// or in a part that does not decide, lies deeper in the call stack and is not a reason.

// Flags of a part.
const (
	ifFalse  = 1 << iota // it decides if it is False
	ifTrue               // it decides if it is True
	negated              // the whole is its negation
	byCalled             // it is a call, whose function may know more
	tested               // it is used as a condition
)

const eitherWay = ifFalse | ifTrue

// decided meters an expression and marks the parts that decide it.
func (m *metering) decided(e syntax.Expr, flags int) syntax.Expr {
	start, end := e.Span()
	if endsInBracket(e) {
		end.Col++
	}
	text := m.text(start, end)
	// The whole line, as the reason stands before the constant.
	if constant, is := e.(*syntax.Ident); is && (constant.Name == "True" || constant.Name == "False") {
		text = strings.TrimSpace(m.lines[start.Line-1])
	}
	switch x := e.(type) {
	case *syntax.ParenExpr:
		x.X = m.decided(x.X, flags)
		return x
	case *syntax.CondExpr:
		x.Cond, x.True, x.False = m.condition(x.Cond), m.decided(x.True, flags), m.decided(x.False, flags)
		return x
	case *syntax.UnaryExpr:
		if x.Op == syntax.NOT {
			contrary := (flags&ifFalse)<<1 | (flags&ifTrue)>>1 | (flags&negated ^ negated) | tested
			x.X = m.decided(x.X, contrary)
			return x
		}
		e = m.expr(e)
	case *syntax.BinaryExpr:
		alone := map[syntax.Token]int{syntax.AND: ifFalse, syntax.OR: ifTrue}[x.Op] & flags
		if alone == 0 {
			e = m.expr(e)
			break
		}
		x.X, x.Y = m.decided(x.X, alone|flags&negated|tested), m.decided(x.Y, alone|flags&(negated|tested))
		flags &^= alone
	case *syntax.CallExpr:
		if elements, alone := elementsOf(x, flags); alone != 0 {
			m.elements[elements] = alone | flags&negated
			flags &^= alone
		} else if f, named := x.Fn.(*syntax.Ident); !named || !starlark.Universe.Has(f.Name) {
			// Built-in functions have no parts.
			flags |= byCalled
		}
		e = m.expr(e)
	default:
		if flags&tested != 0 {
			e = m.condition(e)
		} else {
			e = m.expr(e)
		}
	}
	if flags &^= tested; flags&eitherWay == 0 {
		return e
	}
	return call("part ends", start, call("part begins", start), e,
		&syntax.Literal{Token: syntax.STRING, TokenPos: start, Raw: text, Value: text},
		&syntax.Literal{Token: syntax.INT, TokenPos: start, Raw: "", Value: int64(flags)})
}

// endsInBracket reports whether an expression ends in x[i], whose span leaves out the closing
// bracket.
func endsInBracket(e syntax.Expr) bool {
	switch x := e.(type) {
	case *syntax.IndexExpr, *syntax.SliceExpr:
		return true
	case *syntax.BinaryExpr:
		return endsInBracket(x.Y)
	case *syntax.UnaryExpr:
		return endsInBracket(x.X)
	case *syntax.CondExpr:
		return endsInBracket(x.False)
	}
	return false
}

// elementsOf returns the comprehension in all([...]) or any([...]), and the flag of the
// value with which one element decides, or 0.
func elementsOf(e *syntax.CallExpr, flags int) (*syntax.Comprehension, int) {
	f, named := e.Fn.(*syntax.Ident)
	if !named || len(e.Args) != 1 {
		return nil, 0
	}
	list, _ := e.Args[0].(*syntax.Comprehension)
	if list == nil || list.Curly {
		return nil, 0
	}
	return list, map[string]int{"all": ifFalse, "any": ifTrue}[f.Name] & flags
}

// text returns what stands between two positions, at most to the end of the line.
func (m *metering) text(start, end syntax.Position) string {
	line, more := []rune(m.lines[start.Line-1]), ""
	to := len(line)
	if end.Line == start.Line {
		to = min(to, int(end.Col)-1)
	} else {
		more = " ..."
	}
	return strings.TrimSpace(string(line[min(to, int(start.Col)-1):to])) + more
}

// partBegins returns how many reasons are known and how many values have been looked
// at.
func partBegins(t *starlark.Thread, _ *starlark.Builtin, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	a := evaluationOf(t)
	if a == nil || a.seen == nil {
		return starlark.None, nil
	}
	return starlark.Tuple{starlark.MakeInt(len(a.seen.reasons)), starlark.MakeInt(len(a.run.Looked))}, nil
}

// partEnds is called with what partBegins returned, the value of the part, its text and flags.
func partEnds(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple) (starlark.Value, error) {
	begun, paired := args[0].(starlark.Tuple)
	flags := intOf(args[3])
	_, is := args[1].(starlark.Bool)
	if !paired || !is && flags&^byCalled == eitherWay { // the value is no condition
		return args[1], nil
	}
	a, known, looked := evaluationOf(t), intOf(begun[0]), intOf(begun[1])
	holds := bool(args[1].Truth()) // it is no Bool in not s.x and any([s.x])
	if holds && flags&ifTrue == 0 || !holds && flags&ifFalse == 0 {
		return args[1], nil
	}
	whole, depth := holds != (flags&negated != 0), t.CallStackDepth()
	if flags&byCalled != 0 {
		if by := deciding(a.seen.reasons[known:], func(r *reason) bool {
			return r.depth == depth+1 && r.holds == bool(holds)
		}); by != nil {
			by.holds, by.depth = bool(whole), depth
			return args[1], nil
		}
	}
	a.seen.reasons = append(a.seen.reasons, reason{positionOf(t.Name, t.CallStack()), string(args[2].(starlark.String)),
		bool(whole), a.run.Looked[looked:], depth})
	return args[1], nil
}

func intOf(v starlark.Value) int {
	n, _ := starlark.AsInt32(v)
	return n
}

// Definition returns the function of a rule of the program as the file writes it, without the
// indentation of its first line; "" if it is in no file, as with the rules of network_of.
func (s *Source) Definition(rule int) string {
	d := s.b.instances[rule].d
	if d.f == nil || d.f.Position().Filename() == networkFile {
		return ""
	}
	pos, text := d.f.Position(), s.text
	if name := pos.Filename(); name != s.b.file {
		var err error
		if text, err = s.b.opt.open(name[strings.LastIndexByte(name, '/')+1:]); err != nil {
			return ""
		}
	}
	tree, err := parse(pos.Filename(), text)
	if err != nil {
		return ""
	}
	lines := strings.Split(string(newlines(text)), "\n")
	var found string
	syntax.Walk(tree, func(n syntax.Node) bool {
		var at syntax.Position
		switch n := n.(type) {
		case *syntax.DefStmt:
			at = n.Def
		case *syntax.LambdaExpr:
			at = n.Lambda
		default:
			return n != nil && found == ""
		}
		if at.Line == pos.Line && at.Col == pos.Col {
			start, end := n.Span()
			found = spanned(lines, start, end)
		}
		return found == ""
	})
	return found
}

// spanned returns what stands between two positions, whose columns count characters.
func spanned(lines []string, start, end syntax.Position) string {
	part := append([]string(nil), lines[start.Line-1:end.Line]...)
	last := []rune(part[len(part)-1])
	part[len(part)-1] = string(last[:min(len(last), int(end.Col)-1)])
	first := []rune(part[0])
	part[0] = string(first[min(len(first), int(start.Col)-1):])
	indent := lines[start.Line-1]
	indent = indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))]
	for i := range part[1:] {
		part[1+i] = strings.TrimPrefix(part[1+i], indent)
	}
	return strings.Join(part, "\n")
}
