package program_test

import (
	"fmt"
	"os"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
)

// A lock of two processes as guarded commands, and one step of it.
func Example() {
	p := program.New("lock")
	holder := p.Var("holder", 3, "nobody", "A", "B")
	for i, name := range []string{"A", "B"} {
		p.Rule(name+" takes", program.Eq(holder, 0), program.Set(holder, i+1))
		p.Rule(name+" returns", program.Eq(holder, i+1), program.Set(holder, 0))
	}
	steps, err := programtest.Steps(p, p.Start())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(steps), "steps from the start")
	if err := program.WriteClosed(os.Stdout, p); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2 steps from the start
	// {"format":"unknot-program-1",
	// "name":"lock",
	// "variables":[
	// {"name":"holder","values":["nobody","A","B"],"initial":0}],
	// "rules":[
	// {"name":"A takes","guard":["=","holder",0],"do":[["set","holder",1]]},
	// {"name":"A returns","guard":["=","holder",1],"do":[["set","holder",0]]},
	// {"name":"B takes","guard":["=","holder",0],"do":[["set","holder",2]]},
	// {"name":"B returns","guard":["=","holder",2],"do":[["set","holder",0]]}],
	// "invariants":[],
	// "responses":[]}
}
