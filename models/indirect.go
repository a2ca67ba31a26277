package models

import (
	"github.com/seed-105a2da2/unknot/models/hierarchy"
	"github.com/seed-105a2da2/unknot/models/omega"
	"github.com/seed-105a2da2/unknot/models/spidergon"
	"github.com/seed-105a2da2/unknot/spec"
)

// Entries for networks with levels and stages.

func dragonflyEntry() Entry {
	return Entry{
		Name:    "dragonfly",
		Summary: "dragonfly with minimal routing, one VC or two on local links",
		Source:  "Kim, Dally, Scott and Abts 2008",
		Params: []Param{
			integer("a", 2, 1, 64, "routers a group"), integer("h", 1, 1, 64, "global links a router"), integer("g", 3, 2, 1024, "groups"),
			choice("local-vcs", []string{"yes", "no"}, "VC 1 on local links behind the global hop"),
		},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "local, global, local are three ranks"},
			{set{"local-vcs": "no"}, spec.Violated, spec.Violated, 0, 0, "local and global hops close a cycle"},
			{set{"a": "4", "h": "2", "g": "9"}, spec.Holds, spec.Holds, 0, 0, "as above"},
		},
		build: func(a Args) (spec.Definition, error) {
			return hierarchy.Dragonfly(hierarchy.DragonflyOptions{Routers: a.Int("a"), Globals: a.Int("h"), Groups: a.Int("g"), LocalVCs: a.Bool("local-vcs")})
		},
	}
}

func leafSpineEntry() Entry {
	return Entry{
		Name: "leaf-spine", Summary: "two-level fat tree, up to any spine and down", Source: "Leiserson 1985",
		Params: []Param{integer("leaves", 4, 1, 256, "leaf switches"), integer("spines", 2, 1, 256, "spine switches"), integer("hosts", 2, 1, 64, "hosts a leaf")},
		Expect: []Expectation{{nil, spec.Holds, spec.Holds, 0, 0, "up then down"}},
		build: func(a Args) (spec.Definition, error) {
			return hierarchy.LeafSpine(a.Int("leaves"), a.Int("spines"), a.Int("hosts"))
		},
	}
}

func treeEntry() Entry {
	return Entry{
		Name: "k-ary-n-tree", Summary: "k-ary n-tree, adaptive up and deterministic down", Source: "Petrini and Vanneschi 1997",
		Params: []Param{integer("k", 2, 2, 16, "arity"), integer("n", 3, 1, 8, "levels")},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "up then down"},
			{set{"k": "4", "n": "2"}, spec.Holds, spec.Holds, 0, 0, "up then down"},
		},
		build: func(a Args) (spec.Definition, error) { return hierarchy.KaryTree(a.Int("k"), a.Int("n")) },
	}
}

func spidergonEntry() Entry {
	return Entry{
		Name: "spidergon", Summary: "Spidergon with across-first routing", Source: "Coppola et al. 2004",
		Params: []Param{integer("n", 8, 4, 4096, "nodes, an even number"), integer("vcs", 2, 1, 2, "VCs of the ring links")},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "dateline"},
			{set{"vcs": "1"}, spec.Violated, spec.Violated, 0, 0, "arcs of two hops close the ring"},
			{set{"n": "4", "vcs": "1"}, spec.Holds, spec.Holds, 0, 0, "nobody goes two hops along the ring"},
		},
		build: func(a Args) (spec.Definition, error) { return spidergon.New(a.Int("n"), a.Int("vcs")) },
	}
}

func omegaEntry() Entry {
	return Entry{
		Name: "circular-omega", Summary: "circular omega network with banks (EM-4)", Source: "Sakai, Yamaguchi, Hiraki, Kodama and Yuba 1989",
		Params: []Param{integer("n", 3, 2, 10, "columns, of 2^n nodes"), integer("banks", 3, 1, 16, "banks (VCs)")},
		Expect: []Expectation{
			{nil, spec.Holds, spec.Holds, 0, 0, "a packet passes the last column at most twice"},
			{set{"banks": "1"}, spec.Violated, spec.Violated, 0, 0, "one bank leaves the rings closed"},
		},
		build: func(a Args) (spec.Definition, error) { return omega.New(a.Int("n"), a.Int("banks")) },
	}
}
