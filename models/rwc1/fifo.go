package rwc1

import "github.com/seed-105a2da2/unknot/spec/program"

// fifo is a queue as variables of a program: its places, the head first. A place
// with the value empty is free, and behind it all are.
type fifo []program.Var

func newFIFO(p *program.Program, name string, depth int, values []string) fifo {
	q := make(fifo, depth)
	for k := range q {
		q[k] = p.Enum(name+" "+string(rune('a'+k)), values...)
	}
	return q
}

func (q fifo) head() program.Var     { return q[0] }
func (q fifo) some() program.Expr    { return program.Ne(q[0], empty) }
func (q fifo) none() program.Expr    { return program.Eq(q[0], empty) }
func (q fifo) room() program.Expr    { return program.Eq(q[len(q)-1], empty) }
func (q fifo) is(x int) program.Expr { return program.Eq(q[0], x) }
func (q fifo) pop() (s []program.Stmt) {
	for k := range len(q) - 1 {
		s = append(s, program.Set(q[k], q[k+1]))
	}
	return append(s, program.Set(q[len(q)-1], empty))
}

// push puts a value, which must not be empty, behind the last. If there is no
// room, nothing happens: the value is lost.
func push[A program.Operand](q fifo, value A) program.Stmt {
	last := len(q) - 1
	s := program.If(program.Eq(q[last], empty), program.Set(q[last], value))
	for k := last - 1; k >= 0; k-- {
		s = program.If(program.Eq(q[k], empty), program.Set(q[k], value)).Otherwise(s)
	}
	return s
}

// popLast takes the last value away after it has been used by then, a
// statement for each place that may be the last.
func (q fifo) popLast(then func(value program.Var) program.Stmt) program.Stmt {
	take := func(k int) []program.Stmt { return []program.Stmt{then(q[k]), program.Set(q[k], empty)} }
	s := program.If(program.Ne(q[0], empty), take(0)...)
	for k := 1; k < len(q); k++ {
		s = program.If(program.Ne(q[k], empty), take(k)...).Otherwise(s)
	}
	return s
}
