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
		if got, err := nodeNamed("net", topo, "once", name); err != nil || got != want {
			t.Errorf("%s: node %d (%v), want %d", name, got, err, want)
		}
	}
	if _, err := nodeNamed("net", topo, "once", "1,1"); err == nil || err.Error() != `invalid --once "1,1": want a node of net, (0,0) to 0,1` {
		t.Errorf("1,1: %v", err)
	}
}
