package program_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/states"
)

func machine(t *testing.T, p *program.Program) *program.Machine {
	t.Helper()
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMachine(t *testing.T) {
	m := machine(t, programtest.TokenRing(3))
	var trail []string
	s := m.Start(nil)
	for range 4 {
		next, err := m.AppendSuccessors(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		if len(next) != m.Layout().Words() {
			t.Fatalf("%d words of successors: want those of one", len(next))
		}
		trail = append(trail, m.Layout().Text(s), m.Action(s, 0).Name)
		s = next
	}
	want := []string{
		"token 0=yes", "pass from 0", "token 1=yes", "pass from 1", "token 2=yes", "pass from 2", "token 0=yes", "pass from 0",
	}
	if diff := cmp.Diff(want, trail); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	claims := m.Claims()
	if !claims.Invariants[0].Holds(s) || claims.Invariants[0].Holds([]uint64{0}) {
		t.Error("the invariant holds where it must not, or the reverse")
	}
	if claims.Final != nil || !claims.Fair(0) || claims.Strong[0] {
		t.Error("an end, or rules that are unfair or strongly fair, that the program does not name")
	}
	if k := m.RuleOf(s, 1); k != -1 {
		t.Errorf("a second successor by rule %d: there is none", k)
	}
}

func TestFairness(t *testing.T) {
	p := program.New("fair and unfair")
	p.Rule("request", program.And()).Unfair = true
	p.Rule("grant", program.And())
	p.Rule("grant", program.And())
	p.Rule("retry", program.And()).Strong = true
	m := machine(t, p)
	fair, strong := m.Claims().Fair, m.Claims().Strong
	if fair(0) || !fair(1) || !fair(3) || strong[0] || strong[1] || !strong[3] {
		t.Errorf("fair: request %v, grant %v, retry %v; strongly: %v", fair(0), fair(1), fair(3), strong)
	}
	if a := m.Action(nil, 2); a != (states.Action{Number: 1, Name: "grant"}) { // rules of a name are one action
		t.Errorf("the second rule \"grant\" is action %v", a)
	}
}

// TestMeaning: every operator, by hand, with 2 for x and 5 for y.
func TestMeaning(t *testing.T) {
	x, y := program.Var(0), program.Var(1)
	values := []int{2, 5}
	yes, no := program.Lt(x, y), program.Lt(y, x)
	for i, tt := range []struct {
		number program.Expr
		want   int
	}{
		{program.Const(7), 7},
		{program.Value(y), 5},
		{program.Add(x, y), 7},
		{program.Sub(x, y), -3},
		{program.Mul(x, y), 10},
		{program.IfElse(yes, x, y), 2},
		{program.IfElse(no, x, y), 5},
	} {
		if got := tt.number.Number(values); got != tt.want {
			t.Errorf("number %d is %d, want %d", i, got, tt.want)
		}
	}
	for i, tt := range []struct {
		truth program.Expr
		want  bool
	}{
		{yes, true}, {no, false}, {program.Lt(x, 2), false},
		{program.Le(x, y), true}, {program.Le(y, x), false}, {program.Le(x, 2), true},
		{program.Eq(x, 2), true}, {program.Eq(x, y), false},
		{program.Ne(x, 2), false}, {program.Ne(x, y), true},
		{program.Not(yes), false}, {program.Not(no), true},
		{program.And(), true}, {program.And(yes, no), false}, {program.And(no, yes), false}, {program.And(yes, yes), true},
		{program.Or(), false}, {program.Or(yes, no), true}, {program.Or(no, yes), true}, {program.Or(no, no), false},
	} {
		if got := tt.truth.Holds(values); got != tt.want {
			t.Errorf("condition %d is %v, want %v", i, got, tt.want)
		}
	}
}

func TestOutOfRange(t *testing.T) {
	for _, tt := range []struct {
		value program.Expr
		start int
		want  string
	}{
		{program.Add(program.Var(0), 1), 2, `program "counter": rule "count": "x" is set to 3: must be 0 to 2`},
		{program.Sub(program.Var(0), 1), 0, `program "counter": rule "count": "x" is set to -1: must be 0 to 2`},
	} {
		p := program.New("counter")
		x := p.Var("x", 3)
		p.Init(x, tt.start)
		p.Rule("never", program.Or(), program.Set(x, program.Add(x, 1)))
		p.Rule("count", program.And(), program.If(program.Le(x, 2), program.Set(x, tt.value)))
		m := machine(t, p)
		_, err := m.AppendSuccessors(nil, m.Start(nil))
		_, plain := programtest.Steps(p, p.Start())
		if err == nil || err.Error() != tt.want || plain == nil || plain.Error() != tt.want {
			t.Errorf("machine: %v\nplain: %v\nwant %s", err, plain, tt.want)
		}
	}
}

func TestCheck(t *testing.T) {
	always := program.And()
	for _, tt := range []struct {
		name  string
		build func(p *program.Program)
		want  string
	}{
		{"two variables", func(p *program.Program) { p.Var("x", 2) }, `variable 1: duplicate name "x"`},
		{"an invariant called deadlock", func(p *program.Program) { p.Invariant("deadlock-freedom", always) },
			`invariant "deadlock-freedom": duplicate name "deadlock-freedom"`},
		{"no values", func(p *program.Program) { p.Var("y", 0) }, "has 0 values"},
		{"start", func(p *program.Program) { p.Init(0, 3) }, "starts with 3"},
		{"names of values", func(p *program.Program) { p.Variables[0].Names = []string{"a"} }, "1 names for them"},
		{"nameless rule", func(p *program.Program) { p.Rule("", always) }, "rule 0: a name must be non-empty UTF-8"},
		{"undefined", func(p *program.Program) { p.Rule("r", program.Eq(program.Var(1), 0)) }, "variable number 1"},
		{"undefined target", func(p *program.Program) { p.Rule("r", always, program.Set(program.Var(-1), 0)) }, "variable number -1"},
		{"no guard", func(p *program.Program) { p.Rules = append(p.Rules, program.Rule{Name: "r"}) }, "is missing"},
		{"number as guard", func(p *program.Program) { p.Rule("r", program.Const(1)) }, "want a condition, not a number"},
		{"condition as number", func(p *program.Program) { p.Rule("r", program.Eq(always, 1)) }, "want a number, not a condition"},
		{"condition assigned", func(p *program.Program) { p.Rule("r", always, program.Set(0, always)) }, "want a number, not a condition"},
		{"constant out of range", func(p *program.Program) { p.Rule("r", always, program.Set(0, 3)) }, "out of range"},
		{"inside a choice", func(p *program.Program) {
			p.Rule("r", always, program.If(always).Otherwise(program.Set(0, program.Const(-2))))
		}, "out of range"},
		{"too large", func(p *program.Program) {
			y := p.Var("y", 1<<30)
			p.Invariant("i", program.Lt(program.Mul(y, y), 0))
		}, "can leave the range"},
		{"too small", func(p *program.Program) { // -3*(2^30-1) is below -(2^31-1)
			y := p.Var("y", 1<<30)
			p.Invariant("i", program.Lt(program.Sub(program.Sub(program.Sub(0, y), y), y), 0))
		}, "can leave the range"},
		{"a number left out", func(p *program.Program) { p.Rule("r", program.Eq(program.Expr{}, 1)) }, "is missing"},
		{"condition as first summand", func(p *program.Program) { p.Rule("r", program.Eq(program.Add(always, 1), 1)) }, "want a number, not a condition"},
		{"condition as second summand", func(p *program.Program) { p.Rule("r", program.Eq(program.Add(1, always), 1)) }, "want a number, not a condition"},
		{"number to choose a number by",
			func(p *program.Program) { p.Rule("r", always, program.Set(0, program.IfElse(program.Const(1), 0, 1))) },
			"want a condition, not a number"},
		{"both choices out of range", func(p *program.Program) { p.Rule("r", always, program.Set(0, program.IfElse(always, 3, 4))) }, "always out of range"},
		{"invariants", func(p *program.Program) { p.Invariant("i", always); p.Invariant("i", always) }, `invariant "i"`},
		{"arguments of a number", func(p *program.Program) {
			p.Final = program.Eq(program.Expr{Op: program.Constant, Args: []program.Expr{always}}, 0)
		}, "1 arguments: want 0"},
		{"arguments", func(p *program.Program) { p.Final = program.Expr{Op: program.Negation} }, "0 arguments"},
		{"operator", func(p *program.Program) { p.Final = program.Expr{Op: 99} }, "operator 99"},
		{"response", func(p *program.Program) { p.Response("r", program.Const(1)) }, `response "r": want a condition, not a number`},
		{"a cover called as a property", func(p *program.Program) {
			p.Invariants = append(p.Invariants, program.Invariant{Name: "v", Holds: always, Cover: "v"})
		}, `cover: duplicate name "v"`},
		{"a response called deadlock", func(p *program.Program) { p.Response("deadlock-freedom", always) }, `duplicate name "deadlock-freedom"`},
		{"expected twice", func(p *program.Program) {
			p.Expect = []program.Expectation{{Property: "deadlock-freedom"}, {Property: "deadlock-freedom"}}
		}, `expectation: duplicate name "deadlock-freedom"`},
		{"expected to stay in range", func(p *program.Program) { // which no verdict says
			p.Expect = []program.Expectation{{Property: states.InRange}}
		}, `is not "deadlock-freedom"`},
		{"condition of a choice", func(p *program.Program) { p.Rule("r", always, program.If(program.Const(1))) }, "if: want a condition, not a number"},
		{"fairness of an action", func(p *program.Program) { p.Rule("r", always); p.Rule("r", always).Unfair = true }, "one action"},
		{"strong fairness of an action", func(p *program.Program) { p.Rule("r", always).Strong = true; p.Rule("r", always) }, "one action"},
		{"unfair and strongly fair",
			func(p *program.Program) { r := p.Rule("r", always); r.Unfair, r.Strong = true, true },
			"all strongly fair, or all neither"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := program.New("wrong")
			p.Var("x", 3)
			tt.build(p)
			if _, err := p.Machine(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v: want %q in it", err, tt.want)
			}
		})
	}
}

// TestCheckOperators: whatever number stands for an operator, known or not, an expression
// with arguments that no operator takes is refused.
func TestCheckOperators(t *testing.T) {
	for op := 1; op < 256; op++ {
		p := program.New("wrong")
		p.Var("x", 3)
		p.Final = program.Expr{Op: program.Op(op), Args: []program.Expr{{}, {}, {}, {}}}
		if err := p.Check(); err == nil {
			t.Errorf("operator %d is accepted", op)
		}
	}
}

// TestCheckLimits: the least variable, and the least and the largest number.
func TestCheckLimits(t *testing.T) {
	p := program.New("limits")
	p.Var("x", 1)
	y := p.Var("y", 1<<30) // twice its largest value is 1<<31 - 2
	p.Invariant("i", program.Lt(1-1<<31, 1<<31-1))
	p.Invariant("j", program.Lt(program.Add(y, y), 1<<31-1))
	if err := p.Check(); err != nil {
		t.Error(err)
	}
}

// TestSteps: the machine takes the steps that [program.Program.Steps] lists, by the
// rules that it lists, and reads no state but the one given.
func TestSteps(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := netgen.Program(rt, false)
		m, err := p.Machine()
		if err != nil {
			rt.Skip(err) // numbers that grow too large
		}
		state, values := m.Start(nil), p.Start()
		for range 10 {
			if diff := cmp.Diff(values, m.Values(state)); diff != "" {
				rt.Fatalf("values (-want +got):\n%s", diff)
			}
			before := slices.Clone(state)
			steps, fault := programtest.Steps(p, values)
			next, err := m.AppendSuccessors(nil, state)
			if fmt.Sprint(fault) != fmt.Sprint(err) || !slices.Equal(before, state) {
				rt.Fatalf("error %v, want %v; or Next changed its argument", err, fault)
			}
			words := m.Layout().Words()
			if len(next) != words*len(steps) {
				rt.Fatalf("%d words of successors, want %d times %d", len(next), len(steps), words)
			}
			for i, step := range steps {
				if diff := cmp.Diff(step.After, m.Values(next[i*words:(i+1)*words])); diff != "" {
					rt.Fatalf("successor %d (-want +got):\n%s", i, diff)
				}
				if k := m.RuleOf(state, i); k != step.Rule || m.Action(state, i).Name != p.Rules[k].Name {
					rt.Fatalf("successor %d by rule %d, %v: want %d", i, k, m.Action(state, i), step.Rule)
				}
			}
			if k := m.RuleOf(state, len(steps)); err == nil && k != -1 {
				rt.Fatalf("rule %d leads to no successor", k)
			}
			if len(steps) == 0 {
				return
			}
			i := rapid.IntRange(0, len(steps)-1).Draw(rt, "step")
			values, state = steps[i].After, next[i*words:(i+1)*words]
		}
	})
}

// TestBranches: one branch of an "if" is run; what follows it is run, and checked, in
// any case.
func TestBranches(t *testing.T) {
	p := program.New("branches")
	x, y, z := p.Var("x", 2), p.Var("y", 3), p.Var("z", 2)
	p.Rule("r", program.And(),
		program.If(program.Eq(x, 1), program.Set(y, 1)).Otherwise(program.Set(y, 2)), program.Set(z, 1))
	p.Final = program.Eq(x, 1)
	for before, want := range map[[3]int][3]int{{0, 0, 0}: {0, 2, 1}, {1, 0, 0}: {1, 1, 1}} {
		err := p.Each(before[:], func(_ int, after []int) {
			if [3]int(after) != want {
				t.Errorf("from %v to %v, want %v", before, after, want)
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	if claims := m.Claims(); claims.Final == nil || claims.Final(m.Start(nil)) {
		t.Error("the machine ends where x is 1, and nowhere else")
	}
	p.Rules[0].Effect[1] = program.Set(z, 2)
	if err := p.Check(); err == nil || !strings.Contains(err.Error(), "always out of range") {
		t.Errorf("what follows an if: %v", err)
	}
}

// TestSumsAreBounded: a sum beyond 32 bits is refused like a difference and a product.
func TestSumsAreBounded(t *testing.T) {
	for i, sum := range []func(x program.Var) program.Expr{
		func(x program.Var) program.Expr { return program.Add(x, 1<<31-1) },
		func(x program.Var) program.Expr { return program.Sub(1-1<<31, x) },
		func(x program.Var) program.Expr { return program.Mul(x, 1<<30) },
	} {
		p := program.New("sum")
		x := p.Var("x", 3)
		p.Invariant("i", program.Lt(sum(x), 0))
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), "a number can leave the range") {
			t.Errorf("%d: %v", i, err)
		}
	}
}
