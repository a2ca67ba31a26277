package starchannel

import (
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func Entry() catalogue.Entry {
	uses := []string{"published", "never", "always"}
	return catalogue.Entry{
		Name:    "star-channel",
		Summary: "adaptive minimal routing on k-ary n-cube tori with VC classes CH, CA, CF",
		Source:  "Sugiyama and Funahashi: An Output Selection Function Based on the Characteristic of Virtual Channel",
		Params: []catalogue.Param{
			catalogue.Integer("k", 4, 2, 1024, "nodes in each dimension"),
			catalogue.Integer("n", 2, 1, 10, "dimensions"),
			grid.TieParam(),
			catalogue.Choice("ch", uses, "class CH: as published, taken away, or without its condition"),
			catalogue.Choice("ca", uses, "class CA, likewise"),
			catalogue.Choice("cf", uses[:2], "class CF: as published or taken away"),
		},
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "the paper's claim: CH and CA are an escape cut at the wrap-around links"},
			{Set: catalogue.Set{"k": "4", "tie": "negative"}, Packets: spec.Holds, Worms: spec.Holds, Because: "as above, by symmetry"},
			{Set: catalogue.Set{"k": "4", "tie": "adaptive"}, Packets: spec.Holds, Worms: spec.Holds, Because: "either way is minimal and keeps the escape"},
			{Set: catalogue.Set{"k": "4", "tie": "parity"}, Packets: spec.Holds, Worms: spec.Holds, Because: "as for the other ties"},
			{Set: catalogue.Set{"k": "5"}, Packets: spec.Holds, Worms: spec.Holds, Because: "the paper's claim"},
			{Set: catalogue.Set{"k": "3", "n": "3"}, Packets: spec.Holds, Worms: spec.Holds, Because: "the paper's claim, in three dimensions"},
			{Set: catalogue.Set{"ch": "never"}, Packets: spec.Violated, Worms: spec.Violated, Because: "CA alone closes each ring"},
			{Set: catalogue.Set{"ca": "never"}, Packets: spec.Violated, Worms: spec.Violated, Because: "before a wrap-around link only CF is left, and it is cyclic"},
			{Set: catalogue.Set{"ch": "always"}, Packets: spec.Violated, Worms: spec.Violated, Because: "all three classes of a ring filled with packets two hops from home"},
			{Set: catalogue.Set{"ca": "always"}, Packets: spec.Violated, Worms: spec.Violated, Because: "CA fills up with packets for other dimensions; the trace replays"},
			{Set: catalogue.Set{"cf": "never"}, Packets: spec.Holds, Worms: spec.Holds, Because: "the escape by itself"},
			{Set: catalogue.Set{"ch": "always", "ca": "never"}, Packets: spec.Violated, Worms: spec.Violated, Because: "CH without its condition closes each ring"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) {
			use := func(name string) Use { return catalogue.Chosen[Use](a, name, uses) }
			return New(Options{K: a.Int("k"), N: a.Int("n"), Tie: grid.TieOf(a), CH: use("ch"), CA: use("ca"), CF: use("cf")})
		},
	}
}
