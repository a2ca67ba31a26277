package automorphism_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker/internal/automorphism"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestIsomorphismAgainstBruteForce: a mapping from a network to a renumbered copy is found;
// with one permitted hop or flow fewer, if and only if there is one among all permutations.
// Isomorphic networks have one shape.
func TestIsomorphismAgainstBruteForce(t *testing.T) {
	equal, different, unlike := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		compile := func(def routing.Definition) *spec.Network {
			n, err := routing.Compile(context.Background(), def, routing.CompileOptions{Workers: 1})
			if err != nil {
				rt.Fatal(err)
			}
			return n
		}
		def := circulant(rt)
		if rapid.Bool().Draw(rt, "any") {
			def = netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 6, Tags: 2, MayFail: true, Sparse: true})
		}
		perm := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
			for v := range def.Topology.Nodes() {
				if !yield(v) {
					return
				}
			}
		})).Draw(rt, "nodes")
		without := rapid.IntRange(-1, def.Topology.Channels()-1).Draw(rt, "without")
		other := def
		if without >= 0 {
			from := rapid.IntRange(0, def.Topology.Nodes()-1).Draw(rt, "towards")
			other.Routing = routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				hops, _ := def.Routing.AppendHops(nil, at, h)
				for _, hop := range hops {
					if int(hop.Channel) != without || int(h.Dest) != from {
						dst = append(dst, hop)
					}
				}
				return dst
			})
		}
		a, b := compile(def), compile(netgen.Relabelled(other, perm))
		found, ok, err := automorphism.Isomorphism(context.Background(), a, b, automorphism.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		if ok && (!commutes(a, b, found, false) || !commutes(b, a, inverted(found), false)) {
			rt.Fatalf("%v does not take one to the other", found)
		}
		want := a.Tables() == b.Tables() && a.SiteCount() == b.SiteCount() && a.FlowCount() == b.FlowCount() && len(bruteForce(a, b, false)) > 0
		if ok != want {
			rt.Fatalf("found: %t; there is one: %t", ok, want)
		}
		same := automorphism.Shape(a) == automorphism.Shape(b)
		switch {
		case ok && !same:
			rt.Fatal("isomorphic networks of two shapes")
		case ok:
			equal++
		case same:
			different++
		default:
			unlike++
		}
	})
	t.Logf("%d isomorphic, %d not, %d of them told apart by their shape", equal, different+unlike, unlike)
	if seedtest.Usual() && (equal == 0 || unlike == 0) {
		t.Error("a test of one kind only")
	}
}

func inverted(s automorphism.Symmetry) automorphism.Symmetry {
	back := automorphism.Symmetry{Nodes: slices.Clone(s.Nodes), Channels: slices.Clone(s.Channels)}
	for v, to := range s.Nodes {
		back.Nodes[to] = spec.NodeID(v)
	}
	for c, to := range s.Channels {
		back.Channels[to] = spec.ChannelID(c)
	}
	return back
}

// TestIsomorphismSeesWhatHasNoNumber: networks that differ in switching, buffers,
// or in the size of anything are not isomorphic, whatever their routes.
func TestIsomorphismSeesWhatHasNoNumber(t *testing.T) {
	plain := oneWay(4).def
	saf, deep := plain, plain
	saf.Switching, deep.Buffer = spec.StoreAndForward, 2
	if plain.Switching == saf.Switching {
		saf.Switching = spec.Wormhole
	}
	a := compile(t, plain, nil)
	for what, def := range map[string]routing.Definition{"switching": saf, "buffers": deep, "one node more": oneWay(5).def, "datelines": dateline(4).def} {
		b := compile(t, def, nil)
		if _, ok, err := automorphism.Isomorphism(t.Context(), a, b, automorphism.Options{}); ok || err != nil {
			t.Errorf("%s: isomorphic: %t, %v", what, ok, err)
		}
		if automorphism.CheckIsomorphism(a, b, automorphism.Identity(a.Topology())) == nil {
			t.Errorf("%s: the identity is accepted", what)
		}
	}
}

// TestIsomorphismOfIdle: nodes without links may have other numbers in the other network.
func TestIsomorphismOfIdle(t *testing.T) {
	net := func(from, to spec.NodeID) *spec.Network {
		top := spec.NewTopology()
		for _, name := range []string{"a", "b", "c", "d"} {
			top.AddNode(name)
		}
		top.AddLink(spec.Link{From: from, To: to, VCs: 1})
		n, err := routing.Compile(t.Context(), routing.Definition{
			Name: "idle", Topology: top, Buffer: 1, Tags: 1,
			Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop { return dst }),
			Flows:   func(src, dst spec.NodeID, c spec.Class) bool { return false },
		}, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	a, b := net(0, 1), net(3, 0)
	found, ok, err := automorphism.Isomorphism(t.Context(), a, b, automorphism.Options{})
	if err != nil || !ok || !commutes(a, b, found, false) {
		t.Errorf("found: %t %v (%v)", ok, found, err)
	}
}
