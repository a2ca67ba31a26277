package main

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestNodeNamed: coordinates name a node with and without brackets; a node of
// that very name comes first.
func TestNodeNamed(t *testing.T) {
	topo := spec.NewTopology()
	for _, name := range []string{"(0,0)", "(0,1)", "0,1"} {
		topo.AddNode(name)
	}
	for name, want := range map[string]spec.NodeID{"(0,0)": 0, "0,0": 0, "(0,1)": 1, "0,1": 2} {
		if got, ok := nodeNamed(topo, name); !ok || got != want {
			t.Errorf("%s: node %d (%v), want %d", name, got, ok, want)
		}
	}
	if _, ok := nodeNamed(topo, "1,1"); ok {
		t.Error("1,1 is found, want nothing")
	}
}
