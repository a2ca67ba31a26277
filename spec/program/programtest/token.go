package programtest

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// TokenRing passes a token round n places.
func TokenRing(n int) *program.Program {
	p := program.New(fmt.Sprintf("token ring of %d", n))
	token := make([]program.Var, n)
	var held []program.Expr
	for i := range token {
		token[i] = p.Var(fmt.Sprintf("token %d", i), 2, "no", "yes")
		held = append(held, program.Eq(token[i], 1))
	}
	p.Init(token[0], 1)
	for i := range token {
		p.Rule(fmt.Sprintf("pass from %d", i), held[i], program.Set(token[i], 0), program.Set(token[(i+1)%n], 1))
	}
	p.Invariant("some place has the token", program.Or(held...))
	p.Response("place 0 lets go", held[0])
	return p
}
