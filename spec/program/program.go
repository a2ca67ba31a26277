// Package program writes finite machines as guarded commands (Dijkstra 1975),
// as data: one description is explored by unknot ([Program.Machine]), written
// for other engines (package checker/export), and kept in a closed form of JSON
// ([WriteClosed], [ReadClosed]) for those who check evidence about it.
//
// A program has variables over small ranges, rules, and invariants. A step
// takes one rule whose guard holds and runs its effect, statement by statement.
// Rules are ground: a rule for every process is a Go loop that adds one rule for
// process, and an array is a slice of variables made in a loop:
//
//	p := program.New("token ring of 3")
//	var token [3]program.Var
//	for i := range token {
//		token[i] = p.Var(fmt.Sprintf("token %d", i), 2)
//	}
//	p.Init(token[0], 1)
//	for i := range token {
//		next := (i + 1) % len(token)
//		p.Rule(fmt.Sprintf("pass from %d", i), program.Eq(token[i], 1),
//			program.Set(token[i], 0), program.Set(token[next], 1))
//	}
package program

import "github.com/seed-105a2da2/unknot/spec"

// Program is a machine as data. Build it with [New] and the methods below, or
// write the fields; [Program.Machine] and the writers check it.
type Program struct {
	// Name identifies a machine, parameters included, see states.Machine.
	Name string
	// Module is the name of the TLA+ module; "" stands for Name. It is made an
	// identifier.
	Module    string
	Variables []Variable
	// Starts are initial states besides that of the variables' Initial, the first one: a value for each variable. Some may
	// be equal.
	Starts     [][]int
	Rules      []Rule
	Invariants []Invariant
	Responses  []Response
	Formulas   []Formula
	Renamings  []Renaming // symmetries, the identity left out; see package renaming
	// Generators generate a group of symmetries that is too large to list, and of which Renamings lists a part. Empty:
	// Renamings is the whole group.
	Generators []Renaming
	// Final is the intended end: a state without steps in which it holds is not a
	// deadlock. The zero value: no state is.
	Final Expr
	// Source is what the program was made from, such as a *star.Source, for display. It is not
	// part of the closed form. Nil: the program itself is the source.
	Source any
	// Expect are the verdicts that the author expects. They are not part of the
	// machine: the digest does not cover them.
	Expect []Expectation
}

// Expectation is a verdict that the author of a program expects on a property:
// "deadlock-freedom", or the name of an invariant or response.
type Expectation struct {
	Property string
	Verdict  spec.Verdict
}

// Variable is a named number of the state, 0 <= value < Values.
type Variable struct {
	Name    string // unique
	Values  int    // at least 1, at most 1<<30
	Initial int
	// Names are the names of the values 0, 1, ..., for display; nil, or one per value.
	Names []string
}

// Rule is a guarded command. Rules of the same name are one action as far as
// fairness goes.
type Rule struct {
	Name   string
	Guard  Expr
	Effect []Stmt // run in sequence: a statement sees what those before it set
	// Unfair marks a step that need never be taken, however long it stays
	// possible: a request from outside, say. Strong marks one that is eventually taken
	// even if it is only possible again and again; others have to stay possible.
	Unfair, Strong bool
	// Where is the place where it is written, for display; not part of the closed form.
	Where spec.Reason
}

// Renaming is a symmetry of a program with like parts, such as processes: where
// every variable goes, and what becomes of values that name a part. It is a hint: an
// exploration modulo symmetries verifies it on the program or in every state.
type Renaming struct {
	Vars   []Var         // by variable
	Values map[Var][]int // by variable, where it differs: what each of its values becomes
}

// Invariant is a condition that must hold in every reachable state or, with a Cover, one
// that some reachable state is to violate.
type Invariant struct {
	Name  string // unique
	Holds Expr
	// Cover names the property that some reachable state violates the invariant, which
	// then stands for the opposite; may be "". Unique among properties.
	Cover string
}

// Response is a liveness property: what is pending is answered eventually,
// provided that fair rules are taken, see states.Claims.
type Response struct {
	Name    string // unique
	Pending Expr
}

// Formula is a temporal property: an expression of conditions with [Until], [Always] and [Eventually], and what these
// make with [And], [Or] and [Not]. It holds if all fair runs satisfy it, see states.Formula.
type Formula struct {
	Name  string // unique
	Holds Expr
	// Unfair says that it is about all runs, whether or not they are fair.
	Unfair bool
	// Possible says that Holds is a condition on states, and the formula is about every reachable state instead: from
	// each, some run reaches the condition, fair or not. It is AG EF of computation tree logic.
	Possible bool
}

// New returns a program without variables and rules.
func New(name string) *Program { return &Program{Name: name} }

// Var adds a variable with the values 0..values-1, which may have names; it starts with 0.
func (p *Program) Var(name string, values int, names ...string) Var {
	p.Variables = append(p.Variables, Variable{Name: name, Values: values, Names: names})
	return Var(len(p.Variables) - 1)
}

// Init gives a variable of this program another initial value than 0.
func (p *Program) Init(x Var, value int) { p.Variables[x].Initial = value }

// Rule adds a rule, and returns it until another one is added.
func (p *Program) Rule(name string, guard Expr, effect ...Stmt) *Rule {
	p.Rules = append(p.Rules, Rule{Name: name, Guard: guard, Effect: effect})
	return &p.Rules[len(p.Rules)-1]
}

// Invariant adds an invariant.
func (p *Program) Invariant(name string, holds Expr) {
	p.Invariants = append(p.Invariants, Invariant{Name: name, Holds: holds})
}

// Response adds a response.
func (p *Program) Response(name string, pending Expr) {
	p.Responses = append(p.Responses, Response{Name: name, Pending: pending})
}

// Stmt is a statement: an assignment, or a choice between two sequences.
type Stmt struct {
	// Cond chooses between Then and Else. The zero value makes the statement an
	// assignment of Value to Var.
	Cond       Expr
	Then, Else []Stmt

	Var   Var
	Value Expr
}

// Set assigns to a variable. A value out of the variable's range is an error of
// the program, found when the step is taken.
func Set[A Operand](x Var, value A) Stmt { return Stmt{Var: x, Value: operand(value)} }

// If runs the statements if the condition holds; see [Stmt.Otherwise].
func If(cond Expr, then ...Stmt) Stmt { return Stmt{Cond: cond, Then: then} }

// Otherwise gives a choice the statements that run if its condition does not hold.
func (s Stmt) Otherwise(statements ...Stmt) Stmt {
	s.Else = statements
	return s
}

// Assigns reports whether the statement is an assignment, not a choice.
func (s *Stmt) Assigns() bool { return s.Cond.Op == 0 }
