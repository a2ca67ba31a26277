package star

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Temporal properties: ltl("name", "[] (p -> <> q)", p = lambda s: ..., q = lambda s: ...). The formula is a text with the
// operators of SPIN, in signs or words, since that is how its users and their textbooks write them. Its propositions are
// functions of the state, like those of other properties, and named like arguments. Combinators would have
// to be functions of functions, and "eventually" has a meaning already.

// formula is a declared formula: a condition for each proposition is still to come.
type formula struct {
	text       string
	tree       program.Expr // with proposition i as a variable of that number
	unfair     bool
	conditions [][]program.Expr // by instance, then by proposition
}

// ltl declares a temporal property: a declaration for each of its propositions, the last of which
// makes the formula.
func (b *builder) ltl(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	own := []string{"name", "formula", "over", "fair"}
	var mine, rest []starlark.Tuple
	for _, kv := range kwargs {
		if slices.Contains(own, string(kv[0].(starlark.String))) {
			mine = append(mine, kv)
		} else {
			rest = append(rest, kv)
		}
	}
	var name string
	var over, text starlark.Value
	fair := true
	if err := starlark.UnpackArgs(f.Name(), args, mine, "name", &name, "formula", &text, "over?", &over, "fair?",
		&fair); err != nil {
		return nil, err
	}
	written, isText := text.(starlark.String)
	if !isText {
		return nil, fmt.Errorf("the formula is %s: want a text such as \"[] (p -> <> q)\", and p = and q = functions of the "+
			"state", nameOf(text))
	}
	if err := b.fresh(t, name); err != nil {
		return nil, err
	}
	propositions := map[string]int{}
	for i, kv := range rest {
		propositions[string(kv[0].(starlark.String))] = i
	}
	p := &formulaReader{text: string(written), propositions: propositions, used: map[string]bool{}}
	tree, err := p.read()
	if err != nil {
		return nil, fmt.Errorf("%s %.40q: %w", f.Name(), name, err)
	}
	if len(rest) == 0 {
		return nil, fmt.Errorf("%s %.40q has no proposition: name a function of the state, as in p = lambda s: s.x == 1",
			f.Name(), name)
	}
	declares := &formula{text: string(written), tree: tree, unfair: !fair}
	for _, kv := range rest {
		proposition := string(kv[0].(starlark.String))
		d := declared{what: f.Name(), name: name, formula: declares}
		is := false
		if d.f, is = kv[1].(*starlark.Function); !is {
			return nil, fmt.Errorf("%s %.40q: %s is %s: want a function of the state", f.Name(), name, proposition,
				nameOf(kv[1]))
		}
		if !p.used[proposition] {
			return nil, fmt.Errorf("%s %.40q: the formula does not mention %s", f.Name(), name, proposition)
		}
		if err := b.m.note(t, d, over); err != nil {
			return nil, err
		}
	}
	last := &b.m.rules[len(b.m.rules)-1]
	last.completes = true
	declares.conditions = make([][]program.Expr, len(last.over.args))
	return starlark.None, nil
}

// fresh refuses the name of a property that another one has.
func (b *builder) fresh(t *starlark.Thread, name string) error {
	if err := charge(t, len(b.m.rules)); err != nil { // the names are searched
		return err
	}
	if slices.ContainsFunc(b.m.rules, func(o declared) bool { return o.what != "rule" && o.name == name }) {
		return fmt.Errorf("the property %.40q is already declared: names must differ", name)
	}
	return nil
}

// add adds the condition of the next proposition of an instance; the formula, if it is the last one.
func (f *formula) add(p *program.Program, d *declared, i int, holds program.Expr) {
	f.conditions[i] = append(f.conditions[i], holds)
	if d.completes {
		p.Formulas = append(p.Formulas, program.Formula{
			Name: d.instance(i), Holds: replaced(f.tree, f.conditions[i]), Unfair: f.unfair,
		})
	}
}

// replaced puts conditions in the place of propositions.
func replaced(tree program.Expr, conditions []program.Expr) program.Expr {
	if tree.Op == program.Read {
		return conditions[tree.Value]
	}
	args := tree.Args
	tree.Args = nil
	for _, a := range args {
		tree.Args = append(tree.Args, replaced(a, conditions))
	}
	return tree
}

// formulaReader reads a formula, by descent from the operators that bind least.
type formulaReader struct {
	text         string
	at           int // of the next word
	propositions map[string]int
	used         map[string]bool
	depth        int
}

// formulaWord matches a word or a sign at the beginning of a text, after white space.
var formulaWord = pattern(`^\s*(\[\]|<->|<=>|<>|->|=>|~>|&&|\|\||/\\|\\/|[()!~&|]|\w+)?`)

// operators lists the names of each operator.
var formulaOperators = map[string][]string{
	"!": {"!", "~", "not"}, "[]": {"[]", "always", "G"}, "<>": {"<>", "eventually", "F"},
	"U": {"U", "until", "stronguntil"}, "W": {"W", "weakuntil"}, "V": {"V", "R", "release"},
	"&&": {"&&", "&", `/\`, "and"}, "||": {"||", "|", `\/`, "or"},
	"->": {"->", "=>", "implies"}, "~>": {"~>", "leadsto"}, "<->": {"<->", "<=>", "equivalent"},
	"X": {"X", "next"}, "(": {"("}, ")": {")"}, "true": {"true", "True"}, "false": {"false", "False"},
}

// peek returns the next operator, under its first name, or the name of a proposition, or "" at the end.
func (r *formulaReader) peek() (word string, end int) {
	m := formulaWord().FindStringSubmatchIndex(r.text[r.at:])
	if m[2] < 0 {
		return "", r.at + m[1]
	}
	word = r.text[r.at+m[2] : r.at+m[3]]
	for name, all := range formulaOperators {
		if slices.Contains(all, word) {
			word = name
		}
	}
	return word, r.at + m[1]
}

// accept takes the next word if it is the given one.
func (r *formulaReader) accept(word string) bool {
	next, end := r.peek()
	if next == word {
		r.at = end
	}
	return next == word
}

// wrong says what is wrong at the next word.
func (r *formulaReader) wrong(format string, args ...any) error {
	at := r.at + len(r.text[r.at:]) - len(strings.TrimLeft(r.text[r.at:], " \t\r\n"))
	return fmt.Errorf("character %d of the formula: %s", at+1, fmt.Sprintf(format, args...))
}

func (r *formulaReader) read() (program.Expr, error) {
	e, err := r.binary(0)
	if word, _ := r.peek(); err == nil && (word != "" || strings.TrimSpace(r.text[r.at:]) != "") {
		return e, r.wrong("want an operator, or the end")
	}
	return e, err
}

// binders are the operators of two formulas, those first that bind least.
var binders = [][]string{{"<->"}, {"->", "~>"}, {"||"}, {"&&"}, {"U", "W", "V"}}

// binary reads formulas joined by operators of a level, or of later ones. Only && and || make a chain.
func (r *formulaReader) binary(level int) (program.Expr, error) {
	if level == len(binders) {
		return r.unary()
	}
	begin := r.at
	left, err := r.binary(level + 1)
	for n := 0; err == nil; n++ {
		word, end := r.peek()
		if !slices.Contains(binders[level], word) {
			break
		}
		if n > 0 && word != "&&" && word != "||" {
			return left, r.wrong("put parentheses around what %s joins: a chain is read differently by different tools", word)
		}
		if first := strings.TrimLeft(r.text[begin:], " \t\r\n"); word == "U" || word == "W" || word == "V" {
			for _, unary := range []string{"[]", "<>"} {
				for _, name := range formulaOperators[unary] {
					if strings.HasPrefix(first, name) && left.Op.Temporal() {
						return left, r.wrong("put parentheses around what %s is about: SPIN and others differ in whether it "+
							"includes %s", name, word)
					}
				}
			}
		}
		r.at = end
		var right program.Expr
		if right, err = r.binary(level + 1); err == nil {
			left = joined(word, left, right)
		}
	}
	return left, err
}

// joined makes a formula of two.
func joined(word string, a, b program.Expr) program.Expr {
	until := func(a, b program.Expr) program.Expr {
		return program.Expr{Op: program.Until, Args: []program.Expr{a, b}}
	}
	switch word {
	case "&&":
		return program.And(a, b)
	case "||":
		return program.Or(a, b)
	case "->":
		return program.Or(program.Not(a), b)
	case "<->":
		return program.Or(program.And(a, b), program.And(program.Not(a), program.Not(b)))
	case "~>":
		return unaryOf(program.Always, program.Or(program.Not(a), unaryOf(program.Eventually, b)))
	case "W":
		return program.Or(until(a, b), unaryOf(program.Always, a))
	case "V":
		return program.Not(until(program.Not(a), program.Not(b)))
	}
	return until(a, b)
}

func unaryOf(op program.Op, e program.Expr) program.Expr {
	return program.Expr{Op: op, Args: []program.Expr{e}}
}

func (r *formulaReader) unary() (e program.Expr, err error) {
	const deepest = 100
	if r.depth++; r.depth > deepest {
		return e, r.wrong("more than %d operators inside one another", deepest)
	}
	defer func() { r.depth-- }()
	word, end := r.peek()
	switch word {
	case "":
		return e, r.wrong("want a proposition, or ( or an operator of one formula: ! [] <>")
	case "X":
		return e, r.wrong("next is not known: which step comes next depends on how finely rules are written")
	case "true", "false":
		r.at = end
		return map[string]program.Expr{"true": program.And(), "false": program.Or()}[word], nil
	case "(":
		r.at = end
		if e, err = r.binary(0); err == nil && !r.accept(")") {
			err = r.wrong("want )")
		}
		return e, err
	case "!", "[]", "<>":
		r.at = end
		if e, err = r.unary(); err != nil {
			return e, err
		}
		return unaryOf(map[string]program.Op{"!": program.Negation, "[]": program.Always, "<>": program.Eventually}[word], e), nil
	}
	i, known := r.propositions[word]
	switch {
	case known:
		r.at, r.used[word] = end, true
		return program.Expr{Op: program.Read, Value: i}, nil
	case formulaOperators[word] != nil || !regexp.MustCompile(`^[A-Za-z_]\w*$`).MatchString(word):
		return e, r.wrong("want a proposition before %s", word)
	case len(r.propositions) == 0:
		return e, r.wrong("%s is not given: write %s = lambda s: ... after the formula", word, word)
	}
	names := strings.Join(slices.Sorted(maps.Keys(r.propositions)), ", ")
	return e, r.wrong("%s is not given: write %s = lambda s: ... after the formula, or use %s", word, word, names)
}
