package gadget

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func Entry() catalogue.Entry {
	return catalogue.Entry{
		Name: "gadget", Summary: "gadgets W1, W2, W5, swap and pigeonholes that tell the steps of the decision apart", Source: "built for this purpose",
		Params: []catalogue.Param{
			catalogue.Choice("name", []string{"W1", "W2", "W5", "swap", "pigeonholes"}, "which one"),
			catalogue.Integer("pigeons", 3, 2, 24, "pigeonholes: channels that one head waits for, each held by a worm that goes on into a hole"),
			catalogue.Integer("holes", 2, 1, 24, "pigeonholes: channels for their heads"),
		},
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Violated, Because: "messages of two flits deadlock"},
			{Set: catalogue.Set{"name": "W2"}, Packets: spec.Holds, Worms: spec.Holds, Because: "free, though the head/tail fixpoint raises a false alarm"},
			{Set: catalogue.Set{"name": "W5"}, Packets: spec.Holds, Worms: spec.Holds, Because: "no set of channels is an escape, but a routing subfunction is"},
			{Set: catalogue.Set{"name": "swap"}, Packets: spec.Holds, Worms: spec.Violated, Livelock: spec.Violated, Because: "each of two packets comes to its place through the other's; a longer message blocks itself"},
			{Set: catalogue.Set{"name": "pigeonholes"}, Packets: spec.Holds, Worms: spec.Holds, Because: "three worms would need three holes"},
			{Set: catalogue.Set{"name": "pigeonholes", "pigeons": "6", "holes": "5"}, Packets: spec.Holds, Worms: spec.Holds, Because: "six worms would need six holes"},
			{Set: catalogue.Set{"name": "pigeonholes", "pigeons": "3", "holes": "3"}, Packets: spec.Holds, Worms: spec.Violated, Because: "three worms, a hole each, and one that waits for them"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) {
			if a.Text("name") == "pigeonholes" {
				return Pigeonholes(a.Int("pigeons"), a.Int("holes")), nil
			}
			return Wormhole(a.Text("name"))
		},
	}
}
