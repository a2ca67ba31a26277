package draw_test

import (
	"context"
	"log"
	"os"

	"github.com/seed-105a2da2/unknot/checker/show/draw"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// The channel dependency graph of a network, for Graphviz: n0 -> n1 says that a packet in
// channel 0->1 may ask for channel 1->2.
func ExampleDependencies() {
	n := line()
	g, err := draw.Dependencies(context.Background(), n)
	if err != nil {
		log.Fatal(err)
	}
	if err := draw.WriteDOT(os.Stdout, g); err != nil {
		log.Fatal(err)
	}
	// Output:
	// digraph unknot {
	// 	bgcolor=white;
	// 	charset="UTF-8";
	// 	fontname=Helvetica;
	// 	fontsize=12;
	// 	inputscale=72;
	// 	label=<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="3"><TR><TD><FONT POINT-SIZE="15"><B>line: cdg</B></FONT></TD></TR></TABLE>>;
	// 	labelloc=t;
	// 	layout=neato;
	// 	outputorder=edgesfirst;
	// 	pad=0.2;
	// 	splines=true;
	// 	node [ fontname=Helvetica, fontsize=11, height=0.3, margin="0.08,0.04", shape=box, style="rounded,filled", width=0.45 ] ;
	// 	edge [ arrowsize=0.7, fontname=Helvetica, fontsize=9 ] ;
	// 	n0 [ color="#0072b2", fillcolor="#cce3f0", label="0->1 vc0", pos="93.6,-22.18!", tooltip="channel 0, VC 0 of link 0->1, 1 VC, out of port +" ];
	// 	n1 [ color="#0072b2", fillcolor="#cce3f0", label="1->2 vc0", pos="280.8,-22.18!", tooltip="channel 1, VC 0 of link 1->2, 1 VC, out of port +" ];
	// 	n0->n1[ color="#6b6b6b", tooltip="packet for 2 in 0->1 vc0 asks for 1->2 vc0" ];
	// }
}

// line is three nodes in a row, from which packets go to the last one.
func line() *spec.Network {
	t := spec.NewTopology()
	for v := range 3 {
		t.AddNode("", v)
	}
	for v := range spec.NodeID(2) {
		t.AddLink(spec.Link{From: v, To: v + 1, VCs: 1, Out: "+"})
	}
	n, err := routing.Compile(context.Background(), routing.Definition{
		Name: "line", Topology: t,
		Flows: func(_, to spec.NodeID, _ spec.Class) bool { return to == 2 },
		Routing: routing.Router{Topology: t, Route: func(p routing.Packet) routing.Choice {
			return routing.Adaptive(t.Hop(t.Port(p.Node, "+"), 0))
		}},
	}, routing.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	return n
}
