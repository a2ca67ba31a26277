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

// TestArrowsInNames: a name may hold the arrow that parts the two names of --once.
func TestArrowsInNames(t *testing.T) {
	topo := spec.NewTopology()
	a, b := topo.AddNode("a->x"), topo.AddNode("b")
	for text, want := range map[string]spec.Flow{
		"a->x->b": {Source: a, Target: spec.Target{Dest: b}},
		"b->a->x": {Source: b, Target: spec.Target{Dest: a}},
	} {
		if f, err := flowNamed("net", topo, text); err != nil || f != want {
			t.Errorf("%s: %v, %v", text, f, err)
		}
	}
	for _, text := range []string{"", "b", "b->", "->b", "a->x", "b->->b"} {
		if f, err := flowNamed("net", topo, text); err == nil {
			t.Errorf("%q: %v", text, f)
		}
	}
}
