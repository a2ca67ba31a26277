package program

import "math"

// Var numbers the variables of a program: an index of Program.Variables.
type Var int

// Op is what an expression does.
type Op uint8

// The operators. The zero value is no operator: it marks an expression that was left out.
const (
	Constant Op = iota + 1 // the number Value
	Read                   // the variable with the number Value
	Plus                   // of two numbers, a number
	Minus
	Times
	Equal // of two numbers, a truth value
	NotEqual
	Less
	LessEqual
	Conjunction // of any number of truth values; of none: true
	Disjunction // of any number of truth values; of none: false
	Negation    // of one truth value
	Choice      // of a truth value and two numbers, a number: if, then, else

	// What follows is for formulas alone, of truth values along a run, see [Formula].
	Until      // the second is true at some time, and the first until then
	Always     // at all times
	Eventually // at some time
)

// operator is an operator's name in the closed form, how many arguments it takes (-1: any
// number), how many of these, the first ones, are conditions, and whether the result is one.
type operator struct {
	name        string
	args, takes int
	condition   bool
}

// Temporal reports whether an operator is about a run, not about a state.
func (o Op) Temporal() bool { return o >= Until && o <= Eventually }

var operators = [...]operator{
	Constant: {"number", 0, 0, false}, Read: {"variable", 0, 0, false},
	Plus: {"+", 2, 0, false}, Minus: {"-", 2, 0, false}, Times: {"*", 2, 0, false},
	Equal: {"=", 2, 0, true}, NotEqual: {"!=", 2, 0, true}, Less: {"<", 2, 0, true}, LessEqual: {"<=", 2, 0, true},
	Conjunction: {"and", -1, math.MaxInt, true}, Disjunction: {"or", -1, math.MaxInt, true},
	Negation: {"not", 1, 1, true},
	Choice:   {"if", 3, 1, false},
	Until:    {"until", 2, 2, true}, Always: {"always", 1, 1, true}, Eventually: {"eventually", 1, 1, true},
}

// Expr is an expression: a tree of operators. It is a number or a truth value;
// the two do not mix, since Murphi and TLA+ keep them apart.
type Expr struct {
	Op    Op
	Value int
	Args  []Expr
}

// Operand is anything that may be used as a number.
type Operand interface{ int | Var | Expr }

func operand[A Operand](a A) Expr {
	switch a := any(a).(type) {
	case int:
		return Expr{Op: Constant, Value: a}
	case Var:
		return Expr{Op: Read, Value: int(a)}
	case Expr:
		return a
	}
	return Expr{}
}

func binary[A, B Operand](op Op, a A, b B) Expr {
	return Expr{Op: op, Args: []Expr{operand(a), operand(b)}}
}

// Const is a number as an expression.
func Const(value int) Expr { return operand(value) }

// Value is a variable as an expression.
func Value(x Var) Expr { return operand(x) }

// Add is a+b.
func Add[A, B Operand](a A, b B) Expr { return binary(Plus, a, b) }

// Sub is a-b.
func Sub[A, B Operand](a A, b B) Expr { return binary(Minus, a, b) }

// Mul is a*b.
func Mul[A, B Operand](a A, b B) Expr { return binary(Times, a, b) }

// Eq is a=b.
func Eq[A, B Operand](a A, b B) Expr { return binary(Equal, a, b) }

// Ne is a≠b.
func Ne[A, B Operand](a A, b B) Expr { return binary(NotEqual, a, b) }

// Lt is a<b.
func Lt[A, B Operand](a A, b B) Expr { return binary(Less, a, b) }

// Le is a≤b.
func Le[A, B Operand](a A, b B) Expr { return binary(LessEqual, a, b) }

// And holds if all of its conditions do; without any it holds.
func And(conditions ...Expr) Expr { return Expr{Op: Conjunction, Args: conditions} }

// Or holds if one of its conditions does; without any it does not.
func Or(conditions ...Expr) Expr { return Expr{Op: Disjunction, Args: conditions} }

// Not holds if the condition does not.
func Not(condition Expr) Expr { return Expr{Op: Negation, Args: []Expr{condition}} }

// IfElse is a if the condition holds and b otherwise.
func IfElse[A, B Operand](condition Expr, a A, b B) Expr {
	return Expr{Op: Choice, Args: []Expr{condition, operand(a), operand(b)}}
}
