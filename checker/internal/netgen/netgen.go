// Package netgen draws small random networks for property tests. It is
// imported by tests alone.
package netgen

import (
	"context"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
)

// Options bounds what is drawn.
type Options struct {
	Nodes    int  // at most
	Channels int  // at most
	Tags     int  // at most
	MayFail  bool // dead ends, wrong destinations and loops too, not only minimal-looking routes
}

type question struct {
	at spec.ChannelID
	h  spec.Header
}

// Definition draws a network: a random multigraph with a random table for a
// relation.
func Definition(rt *rapid.T, o Options) spec.Definition {
	nodes := rapid.IntRange(2, o.Nodes).Draw(rt, "nodes")
	tags := rapid.IntRange(1, max(1, o.Tags)).Draw(rt, "tags")
	t := spec.NewTopology()
	for range nodes {
		t.AddNode("")
	}
	for t.Channels() < o.Channels {
		from := rapid.IntRange(0, nodes-1).Draw(rt, "from")
		to := (from + rapid.IntRange(1, nodes-1).Draw(rt, "to")) % nodes
		t.AddLink(spec.Link{From: spec.NodeID(from), To: spec.NodeID(to), VCs: 1 + rapid.IntRange(0, min(1, o.Channels-t.Channels()-1)).Draw(rt, "vcs")})
		if t.Channels() >= nodes && rapid.IntRange(0, 5).Draw(rt, "enough") == 0 {
			break
		}
	}
	table := map[question][]spec.Hop{}
	for n := range nodes {
		for dest := range nodes {
			if n == dest {
				continue
			}
			places := []spec.ChannelID{spec.Injection(spec.NodeID(n))}
			for _, l := range t.In(spec.NodeID(n)) {
				for vc := range t.Link(l).VCs {
					places = append(places, t.Channel(l, vc))
				}
			}
			for _, at := range places {
				for tag := range tags {
					table[question{at, spec.Header{Dest: spec.NodeID(dest), Tag: spec.Tag(tag)}}] = row(rt, t, spec.NodeID(n), tags, o.MayFail)
				}
			}
		}
	}
	relation := spec.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		return append(dst, table[question{at, h}]...)
	})
	return spec.Definition{Name: "random", Topology: t, Tags: tags, Routing: spec.Deliver(t, relation)}
}

// row draws the hops of one question: usually one or two, now and then none.
func row(rt *rapid.T, t *spec.Topology, n spec.NodeID, tags int, mayFail bool) []spec.Hop {
	var all []spec.Hop
	for _, l := range t.Out(n) {
		for vc := range t.Link(l).VCs {
			for tag := range tags {
				all = append(all, spec.Hop{Channel: t.Channel(l, vc), Tag: spec.Tag(tag)})
			}
		}
	}
	if len(all) == 0 || mayFail && rapid.IntRange(0, 11).Draw(rt, "none") == 0 {
		return nil
	}
	hops := []spec.Hop{all[rapid.IntRange(0, len(all)-1).Draw(rt, "hop")]}
	if rapid.Bool().Draw(rt, "two") {
		hops = append(hops, all[rapid.IntRange(0, len(all)-1).Draw(rt, "hop")])
	}
	if mayFail && rapid.IntRange(0, 19).Draw(rt, "wrong") == 0 {
		hops = append(hops, spec.Hop{Channel: spec.Eject})
	}
	return hops
}

// Network draws and compiles a network.
func Network(rt *rapid.T, o Options, s spec.Switching) *spec.Network {
	def := Definition(rt, o)
	def.Switching = s
	n, err := spec.Compile(context.Background(), def, spec.CompileOptions{Workers: 2})
	if err != nil {
		rt.Fatalf("compiling a random network: %v", err)
	}
	return n
}
