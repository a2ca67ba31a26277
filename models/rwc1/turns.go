package rwc1

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// turns is the memory of an arbiter of n FIFOs, as variables of a program.
//
// Queue is kept as a matrix: before[a][b], for a < b, is 1 while b comes before
// a. It starts with the FIFOs in number order, as does rotate.
type turns struct {
	arbiter Arbiter
	n       int
	last    program.Var // of rotate: the last winner
	before  [][]program.Var
}

func newTurns(p *program.Program, a Arbiter, n int, name string) *turns {
	t := &turns{arbiter: a, n: n}
	switch a {
	case Rotate:
		t.last = p.Var(name, n)
		p.Init(t.last, n-1)
	case Queue:
		t.before = make([][]program.Var, n)
		for i := range n {
			t.before[i] = make([]program.Var, n)
			for k := i + 1; k < n; k++ {
				t.before[i][k] = p.Var(fmt.Sprintf("%s: %d before %d", name, k, i), 2)
			}
		}
	}
	return t
}

// turn is when a FIFO wins, and what the arbiter then remembers.
type turn struct {
	guard  program.Expr
	effect []program.Stmt
}

// grants lists the cases in which FIFO c wins over those of the others for
// which can is true. That c itself can send is not asked.
func (t *turns) grants(c int, can []program.Expr) []turn {
	switch t.arbiter {
	case Rotate:
		var all []turn
		for last := range t.n {
			conditions := []program.Expr{program.Eq(t.last, last)}
			for d := (last + 1) % t.n; d != c; d = (d + 1) % t.n {
				conditions = append(conditions, program.Not(can[d]))
			}
			all = append(all, turn{program.And(conditions...), []program.Stmt{program.Set(t.last, c)}})
		}
		return all
	case Queue:
		var conditions []program.Expr
		var effect []program.Stmt
		for d := range t.n {
			if d == c {
				continue
			}
			low, high, ahead := min(c, d), max(c, d), 1 // ahead: the value when d is before c
			if d < c {
				ahead = 0
			}
			conditions = append(conditions, program.Or(program.Not(can[d]), program.Eq(t.before[low][high], 1-ahead)))
			effect = append(effect, program.Set(t.before[low][high], ahead))
		}
		return []turn{{program.And(conditions...), effect}}
	}
	var conditions []program.Expr
	for d := range c {
		conditions = append(conditions, program.Not(can[d]))
	}
	return []turn{{program.And(conditions...), nil}}
}
