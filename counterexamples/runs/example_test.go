package runs_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// A counter goes from 0 to 1 by action 0, and from there to 1 or 2 by action 1, whose second successor breaks the
// invariant. In the text, a step names the action, the index of its successor among those of that action, and the name
// of the action.
func ExampleRead() {
	p := program.New("counter")
	x := p.Var("x", 3)
	p.Rule("up", program.Eq(x, 0), program.Set(x, 1))
	p.Rule("goes on", program.Eq(x, 1), program.Set(x, 1))
	p.Rule("goes on", program.Eq(x, 1), program.Set(x, 2))
	p.Invariant("small", program.Lt(x, 2))
	m, err := p.Machine()
	if err != nil {
		panic(err)
	}
	for _, choice := range []string{"1", "0"} {
		run, err := runs.Read("small.unknot", strings.NewReader(`unknot-machine-trace 2
machine "counter"
property "small"
fault broken
start 0
step 0 0 "up"
step 1 `+choice+` "goes on"
end
`))
		if err != nil {
			panic(err)
		}
		fmt.Printf("successor %s: %v\n", choice, runs.Replay(context.Background(), m, m.Claims(), run))
	}
	// Output:
	// successor 1: <nil>
	// successor 0: the invariant "small" holds at the end
}
