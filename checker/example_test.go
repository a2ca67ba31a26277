package checker_test

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// A one-way ring of three nodes: three packets, each two hops from home, wait
// for each other forever.
func ExampleCheck() {
	t := spec.NewTopology()
	for range 3 {
		t.AddNode("")
	}
	for i := range spec.NodeID(3) {
		t.AddLink(spec.Link{From: i, To: (i + 1) % 3, VCs: 1})
	}
	onward := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		out := t.OutLinks(t.Head(at))[0]
		return append(dst, spec.Hop{Channel: t.Channel(out, 0)})
	})
	n, err := routing.Compile(context.Background(), routing.Definition{
		Name: "ring", Topology: t, Routing: routing.Deliver(t, routing.Named("onward", onward)),
	}, routing.CompileOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := checker.Check(context.Background(), n, checker.Question{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range report.Findings {
		fmt.Println(r.Property, r.Verdict)
		if r.Trace() != nil {
			for _, sentence := range explain.WaitFor(evidence.Trace{Network: n, Trace: r.Trace()}) {
				fmt.Println(" ", sentence)
			}
		}
	}
	// Output:
	// deadlock-freedom violated
	//   P3 for 2 holds 0->1 vc0 and waits for 1->2 vc0 (held by P2), by onward
	//   P2 for 0 holds 1->2 vc0 and waits for 2->0 vc0 (held by P1), by onward
	//   P1 for 1 holds 2->0 vc0 and waits for 0->1 vc0 (held by P3), by onward
	// livelock-freedom holds
	// delivery holds
}
