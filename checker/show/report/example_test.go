package report_test

import (
	"context"
	"fmt"
	"os"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// A one-way ring of three: every packet of two hops waits for the next one.
func ExampleOf() {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	for i := range spec.NodeID(3) {
		topo.AddLink(spec.Link{From: i, To: (i + 1) % 3, VCs: 1})
	}
	next := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(topo.Head(at))[0], 0)})
	})
	def := routing.Definition{Name: "ring", Topology: topo, Routing: routing.Named("the next node", routing.Deliver(topo, next))}
	n, err := routing.Compile(context.Background(), def, routing.CompileOptions{})
	if err != nil {
		panic(err)
	}
	found, err := checker.Check(context.Background(), n, checker.Question{})
	if err != nil {
		panic(err)
	}
	result, err := report.Of(found, report.Origin{})
	if err != nil {
		panic(err)
	}
	deadlock := result.Properties[0]
	fmt.Println(deadlock.Name, deadlock.Verdict)
	for _, d := range deadlock.Cycle {
		fmt.Println(d)
	}
	if err := report.WriteAnnotations(os.Stdout, []report.Result{{Name: "ring", Properties: result.Properties[1:]}}); err != nil {
		panic(err) // livelock and delivery hold: nothing is annotated
	}
	// Output:
	// deadlock-freedom violated
	// P3 for 2 holds 0->1 vc0 and waits for 1->2 vc0 (held by P2), by the next node
	// P2 for 0 holds 1->2 vc0 and waits for 2->0 vc0 (held by P1), by the next node
	// P1 for 1 holds 2->0 vc0 and waits for 0->1 vc0 (held by P3), by the next node
}
