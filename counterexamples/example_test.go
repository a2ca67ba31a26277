package counterexamples_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
)

// Three nodes of a one-way ring each send a packet to the node behind the next one. In the text of a trace, -2-n is the
// injection channel of node n. So the packet of node n moves into channel n. There it waits for the next channel, which
// another of the packets holds.
func ExampleRead() {
	const ring = `{"format":"unknot-network-1","name":"ring","switching":"store-and-forward","buffer":1,"tags":1,"selection":"",
"classes":[""],"vcs":[],"nodes":[{"name":"0","at":[]},{"name":"1","at":[]},{"name":"2","at":[]}],"links":[
{"from":0,"to":1,"vcs":1,"out":"","in":"","dim":0},{"from":1,"to":2,"vcs":1,"out":"","in":"","dim":0},
{"from":2,"to":0,"vcs":1,"out":"","in":"","dim":0}],"rows":[[-1,0],[0,0],[1,0],[2,0]],"tables":[
{"dest":0,"class":0,"sources":[1,2],"sites":[1,0,3,2,0,0]},
{"dest":1,"class":0,"sources":[2,3],"sites":[0,0,0,2,0,1]},
{"dest":2,"class":0,"sources":[0,1],"sites":[0,0,2,1,0,0]}]}`
	n, err := spec.ReadClosed(context.Background(), "ring.json", []byte(ring))
	if err != nil {
		fmt.Println(err)
		return
	}
	text := "unknot-trace 2\nnetwork " + n.Digest().String() + `
property deadlock-freedom
fault deadlock
stuck 0 1 2
move -2 2 0 0 -> 0 0
move -3 0 0 0 -> 1 0
move -4 1 0 0 -> 2 0
end
`
	t, err := counterexamples.Read("deadlock-freedom.unknot", strings.NewReader(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Fault, "after", len(t.Moves), "moves:", counterexamples.Replay(context.Background(), n, t))
	t.Moves = t.Moves[1:]
	fmt.Println(counterexamples.Replay(context.Background(), n, t))
	// Output:
	// deadlock after 3 moves: <nil>
	// 0->1 vc0 is empty
}
