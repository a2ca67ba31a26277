package star_test

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/star"
)

// A file becomes a definition; its parameters can be set.
func ExampleLoad() {
	const text = `
n = param("n", 4, min = 2, max = 64)
network(name = "line")
nodes = [node() for i in range(n)]
for a, b in zip(nodes, nodes[1:]):
    both(a, b, out = "right", back = "left")

def route(at, to):
    return [hop(at.node.port("right" if at.node.id < to.id else "left"))]
`
	f, err := star.Load(context.Background(), "line.star", []byte(text), star.Options{Set: map[string]string{"n": "6"}})
	if err != nil {
		fmt.Println(err) // file:line:col: what is wrong
		return
	}
	fmt.Println(f.Definition.Name, f.Definition.Topology.Nodes(), "nodes")
	// Output: line 6 nodes
}
