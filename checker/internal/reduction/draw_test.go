package reduction

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// drawn draws a program: any guarded commands, or processes with places that share a few
// variables and FIFOs, which have more orders of steps to leave out.
func drawn(t *rapid.T) *program.Program {
	if rapid.IntRange(0, 2).Draw(t, "any") == 0 {
		return netgen.Program(t, rapid.Bool().Draw(t, "careful"))
	}
	return processes(t)
}

func processes(t *rapid.T) *program.Program {
	upTo := func(n int) int { return rapid.IntRange(0, n).Draw(t, "number") }
	p := program.New("processes")
	n, places := 2+upTo(2), 2+upTo(2)
	var at, own []program.Var
	for i := range n {
		at = append(at, p.Var(fmt.Sprint("at ", i), places))
		own = append(own, p.Var(fmt.Sprint("own ", i), 3))
	}
	shared := []program.Var{p.Var("shared 0", 3), p.Var("shared 1", 2)}
	queue := []program.Var{p.Var("queue 0", 3), p.Var("queue 1", 3)} // 0: no message
	for i := range n {
		for range 1 + upTo(places) {
			from, to := upTo(places-1), upTo(places-1)
			guard := []program.Expr{program.Eq(at[i], from)}
			effect := []program.Stmt{program.Set(at[i], to)}
			x, v := shared[upTo(1)], upTo(1)
			switch upTo(9) {
			case 0:
				guard = append(guard, program.Eq(x, v))
			case 1:
				guard = append(guard, program.Eq(x, 0))
				effect = append(effect, program.Set(x, 1))
			case 2:
				effect = append(effect, program.Set(x, v))
			case 3: // send
				guard = append(guard, program.Eq(queue[1], 0))
				effect = append(effect, program.If(program.Eq(queue[0], 0), program.Set(queue[0], v+1)).Otherwise(program.Set(queue[1], v+1)))
			case 4: // receive
				guard = append(guard, program.Ne(queue[0], 0))
				effect = append(effect, program.Set(own[i], queue[0]), program.Set(queue[0], queue[1]), program.Set(queue[1], 0))
			case 5:
				guard = append(guard, program.Or(program.Eq(own[i], v), program.Eq(x, v)))
			case 6: // may leave its range
				effect = append(effect, program.Set(own[i], program.Add(own[i], 1)))
			case 7:
				guard = append(guard, program.Lt(own[i], 2))
				effect = append(effect, program.Set(own[i], program.Add(own[i], 1)))
			case 8:
				guard = append(guard, program.Not(program.And(program.Eq(at[(i+1)%n], v), program.Eq(own[i], 0))))
			}
			p.Rule(fmt.Sprintf("%d.%d", i, len(p.Rules)), program.And(guard...), effect...)
		}
	}
	meet := []program.Expr{program.Eq(at[0], upTo(places-1)), program.Eq(at[1], upTo(places-1))}
	switch upTo(3) {
	case 0:
		meet = append(meet, program.Eq(shared[0], 1))
	case 1:
		meet = append(meet, program.Or(program.Eq(queue[0], 2), program.Ne(own[0], 0)))
	}
	p.Invariant("never meet", program.Not(program.And(meet...)))
	p.Invariant("another", program.Or(program.Ne(own[0], 2), program.Ne(shared[1], upTo(1))))
	if upTo(2) == 0 {
		p.Final = program.Eq(at[0], places-1)
	}
	return p
}
