package star_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestLTLText: a formula in the file is the formula of the program, whichever way its operators are written.
func TestLTLText(t *testing.T) {
	p, q := program.Eq(program.Var(0), 1), program.Eq(program.Var(0), 2)
	not := program.Not
	one := func(op program.Op, e program.Expr) program.Expr { return program.Expr{Op: op, Args: []program.Expr{e}} }
	box := func(e program.Expr) program.Expr { return one(program.Always, e) }
	diamond := func(e program.Expr) program.Expr { return one(program.Eventually, e) }
	until := func(a, b program.Expr) program.Expr {
		return program.Expr{Op: program.Until, Args: []program.Expr{a, b}}
	}
	implies := func(a, b program.Expr) program.Expr { return program.Or(not(a), b) }
	for _, tt := range []struct {
		text string
		want program.Expr
	}{
		{"[] (p -> <> q)", box(implies(p, diamond(q)))},
		{"always (p implies eventually q)", box(implies(p, diamond(q)))},
		{"G(p => F q)", box(implies(p, diamond(q)))},
		{"p ~> q", box(implies(p, diamond(q)))},
		{"[]<>p && <>[]q", program.And(box(diamond(p)), diamond(box(q)))},
		{"!p U q && p", program.And(until(not(p), q), p)},
		{"p until (q until p)", until(p, until(q, p))},
		{"p W q", program.Or(until(p, q), box(p))},
		{"p V q", not(until(not(p), not(q)))},
		{`p \/ q /\ ~ p`, program.Or(p, program.And(q, not(p)))},
		{"p || q || p", program.Or(program.Or(p, q), p)},
		{"p -> (q -> p)", implies(p, implies(q, p))},
		{"p <-> q", program.Or(program.And(p, q), program.And(not(p), not(q)))},
		{"not p or true and q", program.Or(not(p), program.And(program.And(), q))},
		{"p U [] q", until(p, box(q))},
		{"([] p) U q", until(box(p), q)},
	} {
		f, err := star.Load(t.Context(), "m.star", fmt.Appendf(nil, `machine(name = "m")
var("x", range(3))
rule("up", lambda s: also(up))
def up(s):
    when(s.x < 2)
    s.x += 1
ltl("f", %q, fair = False, p = lambda s: s.x == 1, q = lambda s: s.x == 2)
`, tt.text), star.Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		want := program.Formula{Name: "f", Holds: tt.want, Unfair: true}
		if diff := cmp.Diff([]program.Formula{want}, f.Program.Formulas); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
}

// TestLTLKeys: with over each key is a property of its own, and expect names all of them.
func TestLTLKeys(t *testing.T) {
	f, err := star.Load(t.Context(), "m.star", []byte(`machine(name = "m")
var("x", range(3), over = range(2))
def up(s, i):
    when(s.x[i] < 2)
    s.x[i] += 1
rule("{} up", up, over = range(2))
ltl("{} rises", "<> (p && [] !q)", over = range(2), q = lambda s, i: s.x[i] == 1, p = lambda s, i: s.x[i] == 2)
expect("{} rises", "holds")
`), star.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"0 rises", "1 rises"}
	var got, expected []string
	for i, formula := range f.Program.Formulas {
		got = append(got, formula.Name)
		if p := formula.Holds.Args[0].Args[0]; !cmp.Equal(p, program.Eq(program.Var(i), 2)) {
			t.Errorf("%s: p is %v", formula.Name, p)
		}
	}
	for _, x := range f.Program.Expect {
		expected = append(expected, x.Property)
	}
	if !cmp.Equal(got, want) || !cmp.Equal(expected, want) {
		t.Errorf("formulas %q, expected of %q; want %q", got, expected, want)
	}
}

// TestLTLNames: a formula may have the name of a rule, and a proposition one that begins like an operator.
func TestLTLNames(t *testing.T) {
	for _, call := range []string{`ltl("r", "<> p", p = one)`, `ltl("f", "always1 U p", always1 = one, p = one)`} {
		f, err := star.Load(t.Context(), "m.star", []byte("machine(name = \"m\")\nvar(\"x\", range(3))\none = lambda s: s.x == 1\n"+
			"def step(s):\n    s.x = 1\nrule(\"r\", step)\n"+call+"\n"), star.Options{})
		if err != nil || len(f.Program.Formulas) != 1 {
			t.Errorf("%s: %v", call, err)
		}
	}
}

// TestLTLErrors: what is wrong with a formula is said at its call, with the place in the text.
func TestLTLErrors(t *testing.T) {
	for _, tt := range []struct{ call, want string }{
		{`ltl("f", "[] (p -> <> q", p = one, q = one)`, `ltl "f": character 14 of the formula: want )`},
		{`ltl("f", "", p = one)`, `ltl "f": character 1 of the formula: want a proposition, or ( or an operator of one formula: ! [] <>`},
		{`ltl("f", "[] p U q", p = one, q = one)`,
			`ltl "f": character 6 of the formula: put parentheses around what [] is about: SPIN and others differ in whether it includes U`},
		{`ltl("f", "p U q U p", p = one, q = one)`,
			`ltl "f": character 7 of the formula: put parentheses around what U joins: a chain is read differently by different tools`},
		{`ltl("f", "p -> q -> p", p = one, q = one)`,
			`ltl "f": character 8 of the formula: put parentheses around what -> joins: a chain is read differently by different tools`},
		{`ltl("f", "[] X p", p = one)`,
			`ltl "f": character 4 of the formula: next is not known: which step comes next depends on how finely rules are written`},
		{`ltl("f", "p q", p = one, q = one)`, `ltl "f": character 3 of the formula: want an operator, or the end`},
		{`ltl("f", "p + p", p = one)`, `ltl "f": character 3 of the formula: want an operator, or the end`},
		{`ltl("f", "p && U p", p = one)`, `ltl "f": character 6 of the formula: want a proposition before U`},
		{`ltl("f", "(p && )", p = one)`, `ltl "f": character 7 of the formula: want a proposition before )`},
		{`ltl("f", "(<> r) && p", p = one)`, // not that a parenthesis is missing
			`ltl "f": character 5 of the formula: r is not given: write r = lambda s: ... after the formula, or use p`},
		{`ltl("f", "<> r", p = one)`, `ltl "f": character 4 of the formula: r is not given: write r = lambda s: ... after the formula, or use p`},
		{`ltl("f", "<> r")`, `ltl "f": character 4 of the formula: r is not given: write r = lambda s: ... after the formula`},
		{`ltl("f", "true")`, `ltl "f" has no proposition: name a function of the state, as in p = lambda s: s.x == 1`},
		{`ltl("f", "<> p", p = one, q = one)`, `ltl "f": the formula does not mention q`},
		{`ltl("f", "<> p", p = 1)`, `ltl "f": p is an int: want a function of the state`},
		{`ltl("f", one)`, `the formula is a function: want a text such as "[] (p -> <> q)", and p = and q = functions of the state`},
		{`ltl("f")`, "ltl: missing argument for formula: write ltl(name, formula, over=, fair=True, p = f, ...)"},
		{`invariant("f", one); ltl("f", "<> p", p = one)`, `the property "f" is already declared: names must differ`},
		{`ltl("f", "<> p", p = lambda s, i: True)`, `ltl "f": want a function of one parameter, the state, or over=; this one has 2`},
	} {
		_, err := star.Load(t.Context(), "m.star",
			[]byte("machine(name = \"m\")\nvar(\"x\", range(3))\none = lambda s: s.x == 1\nrule(\"r\", lambda s: also(lambda s: when(s.x > 5)))\n"+
				tt.call+"\n"),
			star.Options{})
		if got := fmt.Sprint(err); len(got) < 9 || got[:9] != "m.star:5:" || got[len(got)-min(len(got), len(tt.want)):] != tt.want {
			t.Errorf("%s:\n%s\nwant %s", tt.call, got, tt.want)
		}
	}
	many := "ltl(\"f\", \""
	for i := range 17 {
		many += fmt.Sprintf("<> p%d && ", i)
	}
	many += "true\""
	for i := range 17 {
		many += fmt.Sprintf(", p%d = lambda s: s.x == 1 and s.x != %d", i, i+3)
	}
	for _, deep := range []string{many + ")", "ltl(\"f\", \"" + fmt.Sprintf("%0*d", 200, 0) + "\")"} {
		if _, err := star.Load(t.Context(), "m.star",
			[]byte("machine(name = \"m\")\nvar(\"x\", range(3))\nrule(\"r\", lambda s: also(lambda s: when(s.x > 5)))\n"+deep+"\n"),
			star.Options{}); err == nil {
			t.Errorf("%.60s is accepted", deep)
		}
	}
}
