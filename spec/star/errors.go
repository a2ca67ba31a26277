package star

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
)

// position is where a call was made.
type position struct {
	file      string
	line, col int32
	callers   string // file:line:col of the calls around it, innermost first
}

// String returns the position as a reason or a message names it.
func (p position) String() string {
	s := fmt.Sprintf("%s:%d:%d", p.file, p.line, p.col)
	if p.callers != "" {
		s += ", called from " + p.callers
	}
	return s
}

// reason is the position as the reason of a hop or a rule.
func (p position) reason() spec.Reason {
	return spec.Reason{Text: p.String(), File: p.file, Line: int(p.line), Col: int(p.col)}
}

const mostCallers = 8

// positionOf returns the innermost position of a stack within the file, or one that it
// loads. Of many callers it names the innermost ones and the outermost, which help most.
func positionOf(file string, stack starlark.CallStack) position {
	var at []syntax.Position
	for i := range stack {
		if pos := stack.At(i).Pos; pos.Line > 0 {
			at = append(at, pos)
		}
	}
	if len(at) == 0 {
		return position{file, 1, 1, ""}
	}
	var callers []string
	for i, pos := range at[1:] {
		switch {
		case i < mostCallers-1 || i == len(at)-2:
			callers = append(callers, fmt.Sprintf("%s:%d:%d", pos.Filename(), pos.Line, pos.Col))
		case i == mostCallers-1:
			callers = append(callers, "...")
		}
	}
	return position{at[0].Filename(), at[0].Line, at[0].Col, strings.Join(callers, ", ")}
}

func place(file string, line, col int, format string, args ...any) error {
	return &spec.PosError{File: file, Line: line, Col: col, Msg: oneLine(fmt.Sprintf(format, args...))}
}

// oneLine makes a message fit into a line of a report.
func oneLine(s string) string {
	const most = 400
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(" ")
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, "\\x%02x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// newlines returns a text with its lines as the parser counts them: a carriage return ends
// one, alone or before a newline.
func newlines(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
}

// fault places an error of evaluation at the innermost position within the
// file and says in which evaluation, if any, and from where it was called.
func fault(file string, t *starlark.Thread, err error) error {
	var placed *spec.PosError
	if errors.As(err, &placed) { // in the text of a loaded file
		return placed
	}
	at, err := innermost(file, err)
	about := runOf(t).subject()
	if at.callers != "" {
		about = strings.TrimPrefix(about+", called from "+at.callers, ", ")
	}
	if about != "" {
		about = " (" + oneLine(about) + ")"
	}
	var met *boundFault
	if !errors.As(err, &met) && t.Steps >= runOf(t).limit {
		met = tooManySteps(runOf(t).limit)
	}
	if met != nil {
		pos := &spec.PosError{File: at.file, Line: int(at.line), Col: int(at.col), Msg: oneLine(met.Error()) + about}
		return &beyond{pos, &met.BoundError}
	}
	return &spec.PosError{File: at.file, Line: int(at.line), Col: int(at.col),
		Msg: oneLine(runOf(t).advised(err.Error())) + about}
}

// ofKey matches what is said of a key.
var ofKey = pattern(`^(?:int|string|bool|tuple) has no \.(\w+) field or method|` +
	`^can't assign to \.(\w+) field of (?:int|string|bool|tuple)$`)

// advised adds to a message of the run what to write instead.
func (r *run) advised(msg string) string {
	if of := ofKey().FindStringSubmatch(msg); of != nil && r.evaluation != nil &&
		r.evaluation.m.root.kind.(*record).field(of[1]+of[2]) >= 0 {
		return msg + ": the state, which has " + of[1] + of[2] + ", is the first parameter, as in def f(s, i)"
	}
	return advised(msg)
}

// innermost returns where an error of evaluation arose, and what it was there.
func innermost(file string, err error) (position, error) {
	at := position{file, 1, 1, ""}
	var of *misplaced
	if errors.As(err, &of) {
		at, err = of.at, of.error
	}
	var eval *starlark.EvalError
	for errors.As(err, &eval) { // within a loaded file
		if of == nil {
			at = positionOf(file, written(eval.CallStack))
		}
		err = eval.Unwrap()
	}
	return at, err
}

// written leaves out the calls within what network_of declares, which the author of the
// file did not write, unless there are no others.
func written(stack starlark.CallStack) starlark.CallStack {
	others := slices.DeleteFunc(slices.Clone(stack), func(f starlark.CallFrame) bool {
		return f.Pos.Line == 0 ||
			f.Pos.Filename() == networkFile
	})
	if len(others) == 0 {
		return stack
	}
	return others
}

// Errors of what a file calls, which do not know their place: fault adds it.

// mistake is an error in the file that does not depend on the state.
type mistake struct{ error }

func (m *mistake) Unwrap() error { return m.error }

func mistakef(format string, args ...any) error { return &mistake{fmt.Errorf(format, args...)} }

// outOfRange is a number that a variable of numbers cannot hold, or a message too many for a FIFO: the step is wrong,
// not the file, even if no state is looked at.
type outOfRange struct {
	error
	full *slot // the FIFO; nil: a number
}

// errRefused ends a run that refuses the step; refusal says why.
var errRefused = errors.New("the step is refused")

type refusal struct {
	why   string
	by    *reason // nil: not recorded
	of    *slot   // the FIFO that does not hold what is to be taken; nil: another reason
	empty bool    // a FIFO from which something is popped
	full  bool    // a FIFO into which something is pushed
}

func (r *refusal) Error() string { return r.why }

func (r *refusal) Is(target error) bool { return target == errRefused }

// misplaced is an error in a method of a FIFO; its place is that of the call of also.
type misplaced struct {
	error
	at position
}

func (m *misplaced) Unwrap() error { return m.error }

// beyond is an error at the place in a file where a limit was reached.
type beyond struct {
	*spec.PosError
	bound *spec.BoundError
}

func (e *beyond) Unwrap() []error { return []error{e.PosError, e.bound} }

// boundFault is an error of a built-in function, which does not know the place.
type boundFault struct {
	spec.BoundError
	advice string
}

func (e *boundFault) Error() string { return e.BoundError.Error() + ": " + e.advice }

func bound(limit int, what, advice string) error {
	return &boundFault{spec.BoundError{What: what, Limit: limit}, advice}
}

func tooManySteps(limit uint64) *boundFault {
	return &boundFault{spec.BoundError{What: "steps", Limit: int(limit)},
		"is there a loop or a list that is far too long?"}
}

// failure is what fail(...) says.
type failure struct{ text string }

func (f *failure) Error() string { return "fail: " + f.text }

const mostNesting = 200 // brackets inside brackets

// checkNesting refuses texts whose parse would need a deep stack. It counts
// brackets in comments and strings too, of which real files have few.
func checkNesting(file string, text []byte) error {
	depth, line, start := 0, 1, 0
	for i, c := range text {
		switch c {
		case '\n':
			line, start = line+1, i+1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
		if depth > mostNesting {
			return place(file, line, i-start+1, "brackets nested more than %d deep: split the expression", mostNesting)
		}
	}
	return nil
}

// unclosed returns an error if a bracket is open at a line that is indented no deeper than
// the line with the bracket: then the bracket is not closed, rather than continued by that
// line. The parser fails only at what follows. Otherwise unclosed returns nil.
func unclosed(file string, text []byte, line int) error {
	type open struct {
		bracket          byte
		line, col, depth int
	}
	var stack []open
	lines := bytes.Split(text, []byte("\n"))
	indent := func(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }
	quote := "" // of the string that is open
	for i, l := range lines[:min(line-1, len(lines))] {
		for c := 0; c < len(l); c++ {
			rest := string(l[c:])
			switch {
			case quote != "" && l[c] == '\\':
				c++
			case quote != "":
				if strings.HasPrefix(rest, quote) {
					c += len(quote) - 1
					quote = ""
				}
			case l[c] == '#':
				c = len(l)
			case l[c] == '"' || l[c] == '\'':
				quote = rest[:1]
				if triple := quote + quote + quote; strings.HasPrefix(rest, triple) {
					quote = triple
					c += 2
				}
			case l[c] == '(' || l[c] == '[' || l[c] == '{':
				stack = append(stack, open{l[c], i + 1, c + 1, indent(l)})
			case l[c] == ')' || l[c] == ']' || l[c] == '}':
				if len(stack) == 0 {
					return nil
				}
				stack = stack[:len(stack)-1]
			}
		}
		if len(quote) == 1 {
			quote = ""
		}
	}
	if len(stack) == 0 || quote != "" {
		return nil
	}
	last := stack[len(stack)-1]
	if line <= len(lines) && len(bytes.TrimSpace(lines[line-1])) > 0 && indent(lines[line-1]) > last.depth {
		return nil
	}
	return place(file, last.line, last.col, "this %c is never closed: close it, or indent the lines that continue it",
		last.bracket)
}

// Starlark's own messages say what is wrong. Newcomers write Python, or guess a name: to the
// messages that they meet this file adds what to write instead.

// advice is appended to a message that matches.
type advice struct {
	message func() *regexp.Regexp
	write   string
}

func advise(message, write string) advice { return advice{pattern(message), write} }

// pattern returns a regular expression that is compiled on first use, not whenever the
// program starts.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// inEvaluation advises about messages of the resolver and of evaluation.
var inEvaluation = []advice{
	advise(`^undefined: math\b`, "nothing can be imported: compute with integers, //, %, abs, min and max"),
	advise(`^undefined: (true|false|null|none)\b`, "the constants are True, False and None"),
	advise(`^undefined: sum\b`, "add up in a for loop"),
	advise(`^undefined: (assert|assume|require)\b`,
		"fail(text) where a condition does not hold; in a rule when(condition) refuses the step"),
	advise(`^undefined: isinstance\b`, "write type(x) == \"int\""),
	advise(`called recursively$`, "use a for loop over a range"),
	advise(`frozen`, "globals cannot change after the file has run; compute them at top level"),
	advise(`referenced before assignment$`, "assign it on every path; a function cannot assign to a global"),
	advise(`^function has no \.__name__`,
		"write the name as a string next to the function, as in [(\"asks\", ask), (\"waits\", wait)]"),
	advise(`^unhandled index operation `, "a variable has elements if it is declared with over="),
	advise(`got float, want int`, "write an integer; // divides to one"),
	advise(`^key .*"-?\d+".* not in dict$`,
		"numbers in a table(...) are integers, and names of nodes are strings: make the keys with str(...)"),
	advise(`^NoneType has no `,
		"the value is None, as at.link when injecting, to(node) and port(name) where no such link leaves the node, "+
			"and the head of an empty FIFO; test it first"),
	advise(`^unknown binary op: (NoneType \S+ \w+|\w+ \S+ NoneType)$`,
		"one value is None, as at.vc and at.channel when injecting; test it first"),
	advise(`^node \S+ node not implemented$`, "compare numbers, as in a.id < b.id, or coordinates, as in a.at < b.at"),
	advise(`^site has no `, "at has node, link, vc, channel, injecting, tag, cls and cls_name; links leave at.node"),
	advise(`^node has no `, "a node has id, name, at, out, to(node) and port(name)"),
	advise(`^link has no \.`, "a link has id, src, dst, vcs, out, into and dim"),
	advise(`out of range: empty tuple$`, "a node has coordinates if it is declared with at=(x, y)"),
	advise(`got array, want iterable$|^array value is not iterable$`,
		"an array of the state cannot be iterated: write [s.x[i] for i in keys]"),
	advise(`^can't assign to \.\w+ field of record$`,
		"a message cannot be changed: push its fields, as in push(kind = m.kind, src = 1)"),
	advise(`^invalid call of non-function \(array\)`, "an element is in square brackets, as in s.x[i]"),
	advise(`^invalid call of non-function \((int|string|bool)\)`, "leave out the brackets"),
	advise(`^unknown binary op: (array \S+ \w+|\w+ \S+ array)$`, "name an element, as in s.x[i]"),
	advise(`^unknown binary op: (fifo \S+ \w+|\w+ \S+ fifo)$`, "push puts a message in, pop takes the first one out"),
	advise(`^unknown binary op: (string \+|\w+ \+ string)`, "join text with \"%s\" % x or str(x)"),
}

// inSyntax advises about messages of the parser.
var inSyntax = []advice{
	advise(`got (import|from),`, "nothing can be imported, but abs, min, max, len, range, sorted and zip are built in"),
	advise(`^got newline, want ':'`, "a line that begins a block ends with a colon"),
	advise(`got class,`, "there are no classes: use functions, and dicts keyed by node"),
	advise(`got (try|except|finally|raise|with),`,
		"there are no exceptions: test first with if; fail(text) ends with a message"),
	advise(`got (global|nonlocal),`, "a function cannot assign to a global: return the value"),
	advise(`got await,`, "when(condition) refuses the step until the condition holds"),
	advise(`got (yield|async),`, "return a list"),
	advise(`got not, want primary`, "write and, or rather than &, |; put not x in brackets after another operator"),
	advise(`got del,`, "use pop, or build another dict or list"),
	advise(`got is,`, "compare with == or !="),
	advise(`got '=', want '?[:)]|^keyword argument must have form`, "compare with =="),
	advise(`got else, want primary`, "only if has an else"),
	advise(`got '\*\*', want newline`, "there is no power: multiply, or shift as in 1 << n"),
	advise(`got ':', want (newline|'\)')`, "leave out type annotations, and assign with = in a statement of its own"),
	advise(`got ',', want ':'`, "there are no sets: use a list, or a dict such as {x: True}"),
	advise(`input character '!'`, "write not"),
	advise(`input character '@'`, "there are no decorators: call the function"),
	advise(`got '(&|\|)', want`, "write the words and, or"),
	advise(`got for, want`, "there are no generators: write a list, as in all([x for x in y])"),
	advise(`does not associate with`, "join two comparisons with and, as in 0 < x and x < 3"),
	advise(`without else clause`, "write x if condition else y"),
	advise(`want indent$`, "indent the body of def, for and if"),
}

// habits are Python that the parser rejects only at what follows it.
var habits = []advice{
	advise(`\b[fF]["']`, "there are no f-strings: write \"%s\" % x or \"{}\".format(x)"),
	advise(`^\s*assert\b`, "there is no assert: write if not condition: fail(text)"),
	advise(`^\s*print\b`, "there is no print: fail(x) shows a value"),
	advise(`^\s*when\s+\w+$`, "when is a function: write when(condition)"),
	advise(`^\s*when\(.*\)\s*:?$`, "when has no body: the statements after it run only if the condition holds"),
	advise(`(\+\+|--)$`, "there is no ++: write x += 1"),
}

func advised(msg string) string { return adviseFrom(inEvaluation, msg) }

func adviseFrom(list []advice, msg string) string {
	for _, a := range list {
		if a.message().MatchString(msg) {
			return msg + ": " + a.write
		}
	}
	return msg
}

// syntaxFault places the first error of the parser or the resolver in the file; names
// lists what the file can call besides Starlark's own functions.
func syntaxFault(file string, text []byte, names string, err error) error {
	var (
		parse      syntax.Error
		unresolved resolve.ErrorList
	)
	switch {
	case errors.As(err, &parse):
		return parseFault(file, text, int(parse.Pos.Line), int(parse.Pos.Col), parse.Msg)
	case errors.As(err, &unresolved) && len(unresolved) > 0:
		first := unresolved[0]
		msg := advised(first.Msg)
		if msg == first.Msg && strings.HasPrefix(msg, "undefined: ") {
			msg += ": " + definition(text, strings.TrimPrefix(msg, "undefined: "), names)
		}
		return place(file, int(first.Pos.Line), int(first.Pos.Col), "%s", msg)
	}
	return place(file, 1, 1, "%s", err.Error())
}

const ofMachines = "processes, domain, symmetry, var, fifo, record, optional, rule, when, choose, count, invariant, " +
	"never, reach, eventually, always_possible, ltl, final, network_of"

// definition says how to define a name, or what to write in its place: a variable of a
// machine, for example, is a part of the state.
func definition(text []byte, name, names string) string {
	machine := strings.Contains(names, "when")
	if !machine && regexp.MustCompile(`\b`+name+`\b`).MatchString(ofMachines) {
		return "it is for protocol files, which call machine(name = ...)"
	}
	switch declared := regexp.MustCompile(`\b(var|fifo)\(\s*["']` + regexp.QuoteMeta(name) + `["']`); {
	case machine && name == "s":
		return "the state is a parameter, as in def f(s): ..., and rule(name, f) names the function without calling it"
	case machine && regexp.MustCompile(`^(lossy|duplicating|unordered)$`).MatchString(name):
		return "write " + name + " = True"
	case machine && declared.Match(text):
		return "the variable is a part of the state: write s." + name
	case machine && temporal().MatchString(name):
		return "properties are invariant, never, reach, eventually and ltl(\"name\", \"[] (p -> <> q)\", p = f, q = g): unknot help " +
			"protocol-files says what each asks"
	case !machine && name == "protocol":
		return "a protocol file calls machine(name = ...)"
	case machine && name == "net" && bytes.Contains(text, []byte("network_of(")):
		return "network_of returns it: write net = network_of(...)"
	case regexp.MustCompile(`\bparam\(\s*["']` + regexp.QuoteMeta(name) + `["']`).Match(text):
		return "param returns the value: write " + name + " = param(...)"
	case regexp.MustCompile(`["']` + regexp.QuoteMeta(name) + `["']`).Match(text):
		return "define it first; a string is written in quotes, as in \"" + name + "\""
	}
	return "define it first, or use " + names + " or a function of Starlark"
}

// temporal matches the operators of temporal logics, as newcomers from TLA+ and SPIN guess them.
var temporal = pattern(`^(ctl|always|until|next|globally|leads_to|leadsto|liveness|property|spec)$`)

// asName matches a message about a keyword where a name or a value is expected.
var asName = pattern(`^got [a-z]+, want primary expression`)

var lastWord = pattern(`\w+$`)

var gotToken = pattern(`^got '?([^' ,]+)`)

// parseFault places a parser error at the token that it names: the parser often reports
// the position after it.
func parseFault(file string, text []byte, line, col int, msg string) error {
	if err := unclosed(file, newlines(text), line); err != nil {
		return err
	}
	before := ""
	if lines := bytes.SplitN(newlines(text), []byte("\n"), line+1); 0 < line && line <= len(lines) {
		if line > 1 && col == 1 && strings.HasPrefix(msg, "got newline") { // the line that it ends lacks something
			line--
			col = len(bytes.TrimRight(lines[line-1], " \t\r")) + 1
		}
		before = string(lines[line-1])
		before = before[:max(0, min(col-1, len(before)))]
	}
	if strings.HasSuffix(msg, "literal, want newline") || strings.HasPrefix(msg, "got identifier, want newline") ||
		strings.HasPrefix(msg, "got ':', want newline") || strings.HasPrefix(msg, "got newline, want primary") {
		for _, h := range habits {
			if at := h.message().FindStringIndex(before); at != nil {
				start := at[1] - len(strings.TrimLeft(before[at[0]:at[1]], " \t"))
				return place(file, line, start+1, "%s: %s", msg, h.write)
			}
		}
	}
	if token := gotToken().FindStringSubmatch(msg); token != nil && strings.HasSuffix(before, token[1]) {
		col -= len(token[1])
		before = strings.TrimSuffix(before, token[1])
	}
	if strings.HasPrefix(msg, "keyword argument must") && strings.HasSuffix(before, "=") {
		if col--; strings.Contains(before, "lambda ") {
			return place(file, line, col, "%s: compare with ==; to assign, write a def in place of the lambda", msg)
		}
	}
	if word := lastWord().FindString(before); msg == "not an identifier" && word != "" {
		return place(file, line, col-len(word), "%s is a keyword and cannot be a name: choose another", word)
	}
	if last := strings.TrimRight(before, " "); asName().MatchString(msg) &&
		(strings.HasSuffix(last, ",") || strings.HasSuffix(last, "(")) {
		return place(file, line, col, "%s: a keyword cannot be a name: choose another", msg)
	}
	return place(file, line, col, "%s", adviseFrom(inSyntax, msg))
}
