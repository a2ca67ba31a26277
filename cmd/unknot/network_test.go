package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
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

// TestFlowNamed: a name may hold the arrow that parts the two names of --once, and the colon before a class; a class has a
// name or a number.
func TestFlowNamed(t *testing.T) {
	topo := spec.NewTopology()
	a, b, c := topo.AddNode("a->x"), topo.AddNode("b"), topo.AddNode("b:reply")
	topo.AddLink(spec.Link{From: a, To: b, VCs: 1})
	hop := routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		return append(dst, spec.Hop{Channel: 0})
	})
	n := routingtest.Compile(t, routing.Definition{Name: "net", Topology: topo, Classes: []string{"request", "reply"}, Routing: routing.Deliver(topo, hop),
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == a && dst == b }})
	flow := func(from, to spec.NodeID, class spec.Class) spec.Flow {
		return spec.Flow{Source: from, Target: spec.Target{Dest: to, Class: class}}
	}
	for text, want := range map[string]spec.Flow{
		"a->x->b": flow(a, b, 0), "b->a->x": flow(b, a, 0), "a->x->b:request": flow(a, b, 0), "b->a->x:reply": flow(b, a, 1), "b->a->x:1": flow(b, a, 1),
		"a->x->b:reply": flow(a, c, 0), "a->x->b:reply:reply": flow(a, c, 1), "b:reply->b:0": flow(c, b, 0),
	} {
		if f, err := flowNamed(n, text); err != nil || f != want {
			t.Errorf("%s: %v, %v", text, f, err)
		}
	}
	for _, text := range []string{"", "b", "b->", "->b", "a->x", "b->->b", "b:", "b->b:", "b->b:Reply", "b->b:2",
		"b->b:-1", "b->b:reply:", ":reply", "b->c:reply"} {
		if f, err := flowNamed(n, text); err == nil {
			t.Errorf("%q: %v", text, f)
		}
	}
	if _, err := flowNamed(n, "b->b:answer"); err == nil ||
		err.Error() != `invalid --once "b->b:answer": want after the colon a class of net: request or reply` {
		t.Errorf("another class: %v", err)
	}
}

// TestOnceOfAClass: in a ring of three, the packets of one class alone go two hops and block each other. A user who could name
// only the first class could not ask for them.
func TestOnceOfAClass(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ring.star")
	text := `network(name = "ring", switching = "saf", classes = ["near", "far"])
nodes = [node(name = n) for n in ["A", "B", "C"]]
links = [link(nodes[i], nodes[(i + 1) % 3]) for i in range(3)]
flows(lambda src, dst, cls: dst.id == (src.id + 1 + cls) % 3)

def route(at, to):
    return [hop(links[at.node.id])]
`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		class string
		to    string
		code  int
	}{{":far", "CAB", exitViolated}, {":1", "CAB", exitViolated}, {":near", "BCA", exitExpected}, {"", "BCA", exitExpected}, {"", "CAB", exitUsage}} {
		args := []string{"check", file, "--property", "deadlock-freedom"}
		for i, from := range "ABC" {
			args = append(args, "--once", string(from)+"->"+string(c.to[i])+c.class)
		}
		if code, out, errs := unknot(t, args...); code != c.code {
			t.Errorf("%v: exit %d, want %d\n%s%s", args, code, c.code, out, errs)
		}
	}
}
