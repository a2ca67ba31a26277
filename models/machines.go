package models

import (
	"github.com/seed-105a2da2/unknot/models/mdce"
	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/spec"
)

// Entries for the machines of the papers.

func starChannel() Entry {
	uses := []string{"published", "never", "always"}
	return Entry{
		Name:    "star-channel",
		Summary: "adaptive minimal routing on k-ary n-cube tori with VC classes CH, CA, CF",
		Source:  "Sugiyama and Funahashi: An Output Selection Function Based on the Characteristic of Virtual Channel",
		Params: []Param{
			integer("k", 4, 2, 1024, "nodes in each dimension"),
			integer("n", 2, 1, 10, "dimensions"),
			tieParam(),
			choice("ch", uses, "class CH: as published, taken away, or without its condition"),
			choice("ca", uses, "class CA, likewise"),
			choice("cf", uses[:2], "class CF: as published or taken away"),
		},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "the paper's claim: CH and CA are an escape cut at the wrap-around links"},
			{set{"k": "4", "tie": "negative"}, spec.Holds, spec.Holds, 0, 0, "as above, by symmetry"},
			{set{"k": "4", "tie": "adaptive"}, spec.Holds, spec.Holds, 0, 0, "either way is minimal and keeps the escape"},
			{set{"k": "4", "tie": "parity"}, spec.Holds, spec.Holds, 0, 0, "as for the other ties"},
			{set{"k": "5"}, spec.Holds, spec.Holds, 0, 0, "the paper's claim"},
			{set{"k": "3", "n": "3"}, spec.Holds, spec.Holds, 0, 0, "the paper's claim, in three dimensions"},
			{set{"ch": "never"}, spec.Violated, spec.Violated, 0, 0, "CA alone closes each ring"},
			{set{"ca": "never"}, spec.Violated, spec.Violated, 0, 0, "before a wrap-around link only CF is left, and it is cyclic"},
			{set{"ch": "always"}, spec.Violated, spec.Violated, 0, 0, "all three classes of a ring filled with packets two hops from home"},
			{set{"ca": "always"}, spec.Violated, spec.Violated, 0, 0, "CA fills up with packets for other dimensions; the trace replays"},
			{set{"cf": "never"}, spec.Holds, spec.Holds, 0, 0, "the escape by itself"},
			{set{"ch": "always", "ca": "never"}, spec.Violated, spec.Violated, 0, 0, "CH without its condition closes each ring"},
		},
		build: func(a Args) (spec.Definition, error) {
			use := func(name string) starchannel.Use { return starchannel.Use(index(uses, a.Text(name))) }
			return starchannel.New(starchannel.Options{K: a.Int("k"), N: a.Int("n"), Tie: tieOf(a), CH: use("ch"), CA: use("ca"), CF: use("cf")})
		},
	}
}

func cccb() Entry {
	return Entry{
		Name:    "cccb",
		Summary: "CCCB, the network of RWC-1, with spiral buffers: n x 2^n x 2^n nodes",
		Source:  "Yokota et al.: the RWC-1 router; spiral buffers after the EM-4",
		Params: []Param{
			integer("n", 2, 2, 8, "length of the rings; the machine has 4"),
			integer("vcs", 3, 1, 16, "VCs a link; the paper states that 3 are needed"),
		},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "a packet passes x=n-1 at most twice, so the index never saturates"},
			{set{"n": "3"}, spec.Holds, spec.Holds, 0, 0, "the dependency graph is acyclic"},
			{set{"n": "3", "vcs": "1"}, spec.Violated, spec.Violated, 0, 0, "one VC leaves the rings closed"},
		},
		build: func(a Args) (spec.Definition, error) { return mdce.CCCB(a.Int("n"), a.Int("vcs")) },
	}
}

func mdceEntry() Entry {
	return Entry{
		Name:    "mdce",
		Summary: "(B,C,P)-MDCE networks: circular banyans and directed-ring CCCs over shared rings",
		Source:  "Yokota et al.: Directed Cycles Ensemble and Multidimensional Directed Cycles Ensemble",
		Params: []Param{
			integer("n", 2, 2, 16, "length of the rings, bits a dimension"),
			integer("banyan", 1, 0, 8, "banyan dimensions (B)"),
			integer("ccc", 0, 0, 8, "CCC dimensions (C)"),
			integer("parallel", 1, 1, 64, "parallel ring links (P)"),
			integer("vcs", 3, 1, 64, "VCs a link"),
			choice("overflow", []string{"saturate", "wrap"}, "beyond the last VC: stay in it, or go on in VC 0"),
			choice("order", []string{"ascending", "any"}, "which of several wrong bits at one x is corrected first"),
		},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "c-Banyan: the index never saturates"},
			{set{"banyan": "0", "ccc": "1", "n": "3"}, spec.Holds, spec.Holds, 0, 0, "directed-ring CCC: likewise"},
			{set{"ccc": "1", "parallel": "2"}, spec.Holds, spec.Holds, 0, 0, "CCCB with a second ring link"},
			{set{"banyan": "0", "ccc": "2", "n": "3"}, spec.Holds, spec.Holds, 0, 0, "CCC dimensions are corrected in ascending order at each x"},
		},
		build: func(a Args) (spec.Definition, error) {
			overflow, order := mdce.Saturate, mdce.Ascending
			if a.Text("overflow") == "wrap" {
				overflow = mdce.Wrap
			}
			if a.Text("order") == "any" {
				order = mdce.AnyOrder
			}
			return mdce.New(mdce.Options{N: a.Int("n"), Banyan: a.Int("banyan"), CCC: a.Int("ccc"), Parallel: a.Int("parallel"), VCs: a.Int("vcs"), Overflow: overflow, Order: order, Switching: spec.VirtualCutThrough})
		},
	}
}
