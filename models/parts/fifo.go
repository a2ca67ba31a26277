// Package parts has what the machines of routers and switches are made of, as
// variables, conditions and assignments of a program: FIFOs and arbiters.
package parts

import "github.com/seed-105a2da2/unknot/spec/program"

// FIFO is a queue of bounded capacity: its places, the head first. A message is
// one number or several, of which the first is never 0. A free place holds zeros,
// and behind it all are free: equal contents are equal states.
type FIFO [][]program.Var

// NewFIFO returns the queue whose places hold the variables that place makes; all
// of them have to be 0 at first.
func NewFIFO(capacity int, place func(k int) []program.Var) FIFO {
	q := make(FIFO, capacity)
	for k := range q {
		q[k] = place(k)
	}
	return q
}

// Head is number i of the first message, 0 if there is none.
func (q FIFO) Head(i int) program.Var { return q[0][i] }

// Empty holds if there is no message.
func (q FIFO) Empty() program.Expr { return program.Eq(q[0][0], 0) }

// Some holds if there is a message.
func (q FIFO) Some() program.Expr { return program.Ne(q[0][0], 0) }

// Room holds if a message can be pushed.
func (q FIFO) Room() program.Expr { return program.Eq(q[len(q)-1][0], 0) }

// Is holds if the first message begins with a number.
func (q FIFO) Is(number int) program.Expr { return program.Eq(q[0][0], number) }

// Holds holds if a message anywhere in the queue begins with a number.
func (q FIFO) Holds(number int) program.Expr { return program.Lt(0, q.Count(number)) }

// Count is how many messages begin with a number.
func (q FIFO) Count(number int) program.Expr {
	n := program.Const(0)
	for _, x := range q.First() {
		n = program.Add(n, program.IfElse(program.Eq(x, number), 1, 0))
	}
	return n
}

// First lists the variables of the first numbers, by place.
func (q FIFO) First() []program.Var {
	var all []program.Var
	for _, place := range q {
		all = append(all, place[0])
	}
	return all
}

// Push puts a message of one number behind the last. There must be room.
func (q FIFO) Push(number int) program.Stmt { return q.Put(program.Const(number)) }

// Put puts a message behind the last. There must be room: the guard has to say so.
func (q FIFO) Put(message ...program.Expr) program.Stmt {
	var put program.Stmt
	for k := len(q) - 1; k >= 0; k-- {
		var set []program.Stmt
		for i, x := range q[k] {
			set = append(set, program.Set(x, message[i]))
		}
		if k == len(q)-1 {
			put = all(set)
		} else {
			put = program.If(program.Eq(q[k][0], 0), set...).Otherwise(put)
		}
	}
	return put
}

// Pop takes the first message away.
func (q FIFO) Pop() program.Stmt { return q.Remove(0) }

// Remove takes the message in place k away; those behind it move up.
func (q FIFO) Remove(k int) program.Stmt {
	var shift []program.Stmt
	for ; k < len(q); k++ {
		for i, x := range q[k] {
			if k+1 < len(q) {
				shift = append(shift, program.Set(x, q[k+1][i]))
			} else {
				shift = append(shift, program.Set(x, 0))
			}
		}
	}
	return all(shift)
}

// all makes one statement of several.
func all(statements []program.Stmt) program.Stmt {
	if len(statements) == 1 {
		return statements[0]
	}
	return program.If(program.And(), statements...)
}
