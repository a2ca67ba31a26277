package checker

import (
	"fmt"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// TestLateViolation: what is violated where parents are no more kept comes with a trace
// as short as any: seven digits go from 0 to 7 one step at a time, and the last of the
// 8^7 states takes 49 steps.
func TestLateViolation(t *testing.T) {
	if testing.Short() {
		t.Skip("two million states twice: minutes under the race detector")
	}
	for _, padding := range []int{1, 1 << 20} { // a bit map, and quotients
		p := program.New("digits")
		p.Var("padding", padding)
		var last []program.Expr
		for i := range 7 {
			x := p.Var(fmt.Sprint("digit ", i), 8)
			p.Rule(fmt.Sprint("count ", i), program.Lt(x, 7), program.Set(x, program.Add(x, 1)))
			last = append(last, program.Eq(x, 7))
		}
		p.Final = program.And(last...)
		p.Invariant("not the last", program.Not(program.And(last...)))
		m, err := p.Machine()
		if err != nil {
			t.Fatal(err)
		}
		r, err := Explore(t.Context(), m, ExploreOptions{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		f := r.Of("not the last")
		if r.States != 1<<21 || f == nil || f.Verdict != spec.Violated || f.Because != "49 steps from the start" {
			t.Errorf("padding of %d: %d states, %+v; want %d, violated after 49 steps", padding, r.States, f, 1<<21)
		}
	}
}
