package gadget

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func Entry() catalogue.Entry {
	return catalogue.Entry{
		Name: "gadget", Summary: "wormhole gadgets W1, W2, W5 that tell the steps of the decision apart", Source: "built for this purpose",
		Params: []catalogue.Param{catalogue.Choice("name", []string{"W1", "W2", "W5"}, "which one")},
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Violated, Because: "messages of two flits deadlock"},
			{Set: catalogue.Set{"name": "W2"}, Packets: spec.Holds, Worms: spec.Holds, Because: "free, though the head/tail fixpoint raises a false alarm"},
			{Set: catalogue.Set{"name": "W5"}, Packets: spec.Holds, Worms: spec.Holds, Because: "no set of channels is an escape, but a routing subfunction is"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) { return Wormhole(a.Text("name")) },
	}
}
