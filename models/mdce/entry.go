package mdce

import (
	"errors"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

func CCCBEntry() catalogue.Entry {
	return catalogue.Entry{
		Name:    "cccb",
		Summary: "CCCB, the network of RWC-1, with spiral buffers: n x 2^n x 2^n nodes",
		Source:  "Yokota et al.: the RWC-1 router; spiral buffers after the EM-4",
		Params: []catalogue.Param{
			catalogue.Integer("n", 2, 2, 8, "length of the rings; the machine has 4"),
			catalogue.Integer("vcs", 3, 1, 16, "VCs a link; the paper states that 3 are needed"),
		},
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "a packet passes x=n-1 at most twice, so the index never saturates"},
			{Set: catalogue.Set{"n": "3"}, Packets: spec.Holds, Worms: spec.Holds, Because: "the dependency graph is acyclic"},
			{Set: catalogue.Set{"n": "3", "vcs": "1"}, Packets: spec.Violated, Worms: spec.Violated, Because: "one VC leaves the rings closed"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) { return CCCB(a.Int("n"), a.Int("vcs")) },
	}
}

func Entry() catalogue.Entry {
	return catalogue.Entry{
		Name:    "mdce",
		Summary: "(B,C,P)-MDCE networks: circular banyans and directed-ring CCCs over shared rings",
		Source:  "Yokota et al.: Directed Cycles Ensemble and Multidimensional Directed Cycles Ensemble",
		Params: []catalogue.Param{
			catalogue.Integer("n", 2, 2, 16, "length of the rings, bits a dimension"),
			catalogue.Integer("banyan", 1, 0, 8, "banyan dimensions (B)"),
			catalogue.Integer("ccc", 0, 0, 8, "CCC dimensions (C)"),
			catalogue.Integer("parallel", 1, 1, 64, "parallel ring links (P)"),
			catalogue.Integer("vcs", 3, 1, 64, "VCs a link"),
			catalogue.Choice("overflow", overflowNames, "beyond the last VC: stay in it, or go on in VC 0"),
			catalogue.Choice("order", orderNames, "which of several wrong bits at one x is corrected first"),
		},
		Expect: []catalogue.Expectation{
			{Packets: spec.Holds, Worms: spec.Holds, Because: "c-Banyan: the index never saturates"},
			{Set: catalogue.Set{"banyan": "0", "ccc": "1", "n": "3"}, Packets: spec.Holds, Worms: spec.Holds, Because: "directed-ring CCC: likewise"},
			{Set: catalogue.Set{"ccc": "1", "parallel": "2"}, Packets: spec.Holds, Worms: spec.Holds, Because: "CCCB with a second ring link"},
			{Set: catalogue.Set{"banyan": "0", "ccc": "2", "n": "3"}, Packets: spec.Holds, Worms: spec.Holds, Because: "CCC dimensions are corrected in ascending order at each x"},
		},
		Build: func(a catalogue.Args) (routing.Definition, error) {
			o := Options{
				N: a.Int("n"), Banyan: a.Int("banyan"), CCC: a.Int("ccc"), Parallel: a.Int("parallel"), VCs: a.Int("vcs"), Switching: spec.VirtualCutThrough,
				Overflow: catalogue.Chosen[Overflow](a, "overflow", overflowNames), Order: catalogue.Chosen[Order](a, "order", orderNames),
			}
			if o.Banyan+o.CCC < 1 {
				return routing.Definition{}, errors.New("0 banyan and 0 CCC dimensions: want at least one in all")
			}
			return New(o)
		},
	}
}

var (
	overflowNames = []string{"saturate", "wrap"}
	orderNames    = []string{"ascending", "any"}
)
