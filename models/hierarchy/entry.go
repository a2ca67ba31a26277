package hierarchy

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func DragonflyEntry() catalogue.Entry {
	return catalogue.Entry{
		Name:    "dragonfly",
		Summary: "dragonfly with minimal routing, one VC or two on local links",
		Source:  "Kim, Dally, Scott and Abts 2008",
		Params: []catalogue.Param{
			catalogue.Integer("a", 2, 1, 64, "routers a group"), catalogue.Integer("h", 1, 1, 64, "global links a router"), catalogue.Integer("g", 3, 2, 1024, "groups"),
			catalogue.Choice("local-vcs", []string{"yes", "no"}, "VC 1 on local links behind the global hop"),
		},
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "local, global, local are three ranks"},
			{Set: catalogue.Set{"local-vcs": "no"}, Packets: spec.Violated, Worms: spec.Violated, Because: "local and global hops close a cycle"},
			{Set: catalogue.Set{"a": "4", "h": "2", "g": "9"}, Packets: spec.Holds, Worms: spec.Holds, Because: "as above"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) {
			return Dragonfly(DragonflyOptions{Routers: a.Int("a"), Globals: a.Int("h"), Groups: a.Int("g"), LocalVCs: a.Bool("local-vcs")})
		},
	}
}

func LeafSpineEntry() catalogue.Entry {
	return catalogue.Entry{
		Name: "leaf-spine", Summary: "two-level fat tree, up to any spine and down", Source: "Leiserson 1985",
		Params: []catalogue.Param{catalogue.Integer("leaves", 4, 1, 256, "leaf switches"), catalogue.Integer("spines", 2, 1, 256, "spine switches"), catalogue.Integer("hosts", 2, 1, 64, "hosts a leaf")},
		Expect: []catalogue.Expectation{{Packets: spec.Holds, Worms: spec.Holds, Because: "up then down"}},
		Build: func(a catalogue.Args) (routing.Definition, error) {
			return LeafSpine(a.Int("leaves"), a.Int("spines"), a.Int("hosts"))
		},
	}
}

func TreeEntry() catalogue.Entry {
	return catalogue.Entry{
		Name: "k-ary-n-tree", Summary: "k-ary n-tree, adaptive up and deterministic down", Source: "Petrini and Vanneschi 1997",
		Params: []catalogue.Param{catalogue.Integer("k", 2, 2, 16, "arity"), catalogue.Integer("n", 3, 1, 8, "levels")},
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "up then down"},
			{Set: catalogue.Set{"k": "4", "n": "2"}, Packets: spec.Holds, Worms: spec.Holds, Because: "up then down"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) { return KaryTree(a.Int("k"), a.Int("n")) },
	}
}
