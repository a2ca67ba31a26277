package rwc1

import "github.com/seed-105a2da2/unknot/spec/program"

const empty = 0 // what a place holds that is free

// pair watches two packets that one sender puts into one FIFO. The machines
// do nothing that depends on which packet it is, so what holds of the first and
// the second holds of any two (data independence, Wolper 1986). When both have
// left, two others may be watched.
type pair struct {
	sent      program.Var // how many of the two have been put in
	gone      program.Var // 1: the first has left
	done      program.Var // 1: the second has left
	overtaken program.Var // 1: some second has left before its first
}

func newPair(p *program.Program) pair {
	return pair{p.Var("watched packets sent", 3), p.Var("the first is gone", 2), p.Var("the second is gone", 2), p.Var("overtaken", 2)}
}

// firstLeaves notes that the first packet leaves what is watched.
func (w pair) firstLeaves() []program.Stmt {
	return []program.Stmt{program.Set(w.gone, 1), w.again()}
}

// secondLeaves notes that the second does.
func (w pair) secondLeaves() []program.Stmt {
	return []program.Stmt{program.If(program.Eq(w.gone, 0), program.Set(w.overtaken, 1)), program.Set(w.done, 1), w.again()}
}

// again lets two others be watched when both have left.
func (w pair) again() program.Stmt {
	return program.If(program.And(program.Eq(w.gone, 1), program.Eq(w.done, 1)),
		program.Set(w.sent, 0), program.Set(w.gone, 0), program.Set(w.done, 0))
}

// inOrder is true as long as no second packet has left before its first.
func (w pair) inOrder() program.Expr { return program.Eq(w.overtaken, 0) }

// count returns how many of the variables have the value.
func count(value int, vars ...program.Var) program.Expr {
	n := program.Const(0)
	for _, x := range vars {
		n = program.Add(n, program.IfElse(program.Eq(x, value), 1, 0))
	}
	return n
}
