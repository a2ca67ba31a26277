package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// fifo is a link of bounded capacity in one direction: its places, the head
// first. A place holds 0 (empty) or a message, 1 and up; behind an empty place
// all are empty. So one queue has one encoding, and a state has no dead bits.
type fifo []program.Var

// newFIFO adds the places of a link to a program. messages are the names of the
// messages 1, 2, ... that it can carry; the fewer they are the smaller the state.
func newFIFO(p *program.Program, name string, capacity int, messages []string) fifo {
	q := make(fifo, capacity)
	for k := range q {
		place := name
		if capacity > 1 {
			place = fmt.Sprintf("%s.%d", name, k)
		}
		q[k] = p.Enum(place, append([]string{"-"}, messages...)...)
	}
	return q
}

// Full holds if nothing more can be pushed.
func (q fifo) Full() program.Expr { return program.Ne(q[len(q)-1], 0) }

// Room holds if a message can be pushed.
func (q fifo) Room() program.Expr { return program.Eq(q[len(q)-1], 0) }

// Empty holds if there is no message.
func (q fifo) Empty() program.Expr { return program.Eq(q[0], 0) }

// Head is the first message, 0 if there is none.
func (q fifo) Head() program.Var { return q[0] }

// Is holds if the first message is the given one.
func (q fifo) Is(message int) program.Expr { return program.Eq(q[0], message) }

// Holds holds if the message is anywhere in the link.
func (q fifo) Holds(message int) program.Expr {
	any := make([]program.Expr, len(q))
	for k := range q {
		any[k] = program.Eq(q[k], message)
	}
	return program.Or(any...)
}

// Count is how many times the message is in the link.
func (q fifo) Count(message int) program.Expr {
	n := program.Const(0)
	for _, place := range q {
		n = program.Add(n, program.IfElse(program.Eq(place, message), 1, 0))
	}
	return n
}

// Push puts a message behind the last. There must be room: the guard has to say so.
func push[A program.Operand](q fifo, message A) program.Stmt {
	last := len(q) - 1
	s := program.Set(q[last], message)
	for k := last - 1; k >= 0; k-- {
		s = program.If(program.Eq(q[k], 0), program.Set(q[k], message)).Otherwise(s)
	}
	return s
}

// Push puts a message behind the last. There must be room: the guard has to say so.
func (q fifo) Push(message int) program.Stmt { return push(q, message) }

// Pop takes the first message away.
func (q fifo) Pop() []program.Stmt {
	var s []program.Stmt
	for k := range len(q) - 1 {
		s = append(s, program.Set(q[k], q[k+1]))
	}
	return append(s, program.Set(q[len(q)-1], 0))
}
