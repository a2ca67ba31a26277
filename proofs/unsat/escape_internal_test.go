package unsat

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestEscape: a worm that goes round between two sites forever has its head there, unless it has taken the hop out
// of them; a hop that stays among them does not lead out. Packets take channel there, then channel back and there
// again, or on, home and there again, and arrive nowhere.
func TestEscape(t *testing.T) {
	topo := spec.NewTopology()
	for range 3 {
		topo.AddNode("")
	}
	there := topo.Channel(topo.AddLink(spec.Link{From: 0, To: 1, VCs: 1}), 0)
	back := topo.Channel(topo.AddLink(spec.Link{From: 1, To: 0, VCs: 1}), 0)
	on := topo.Channel(topo.AddLink(spec.Link{From: 1, To: 2, VCs: 1}), 0)
	home := topo.Channel(topo.AddLink(spec.Link{From: 2, To: 0, VCs: 1}), 0)
	def := routing.Definition{Name: "round", Topology: topo, Switching: spec.Wormhole,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return src == 0 && dst == 1 },
		Routing: routing.Func(func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
			switch at {
			case there:
				return append(dst, spec.Hop{Channel: back}, spec.Hop{Channel: on})
			case on:
				return append(dst, spec.Hop{Channel: home})
			}
			return append(dst, spec.Hop{Channel: there})
		})}
	n := routingtest.Compile(t, def)
	f, err := newFormula(t.Context(), n, Bound{}, spec.Scenario{Length: spec.AnyLength})
	if err != nil {
		t.Fatal(err)
	}
	site := map[spec.ChannelID]int32{}
	for s, c := range n.Table(0).Channels {
		site[c] = int32(s)
	}
	out := int32(-1) // the hop from there on
	for hop := f.firstHop[site[there]]; hop < f.firstHop[site[there]+1]; hop++ {
		if f.to[hop] == site[on] {
			out = hop
		}
	}
	ends := []int32{no(f.sites + site[there]), yes(f.ends[0][site[there]]), yes(f.ends[0][site[back]])}
	if f.follows(t.Context(), append(ends, yes(f.hops+out))) {
		t.Error("before, worms do not go round")
	}
	f.escape([]int32{site[there], site[back]})
	if !f.follows(t.Context(), append(ends, yes(f.hops+out))) {
		t.Error("a worm that goes round forever has no head")
	}
	if f.follows(t.Context(), ends) {
		t.Error("a worm that has gone on has its head behind")
	}
}

// TestEscapeBeside: where channels are shared, a hop within some sites leads out of them only if its channel has a site
// outside them. Here the one hop leads from site 0 to site 1.
func TestEscapeBeside(t *testing.T) {
	const hop, end, variables = 3, 4, 7 // by site from 0 and from end
	for _, tt := range []struct {
		beside []int32
		out    bool
	}{{nil, false}, {[]int32{yes(1), yes(0)}, false}, {[]int32{yes(1), yes(2)}, true}} {
		f := &formula{clauses: newClauses(variables), hops: hop, ends: [][]int32{{end, end + 1, end + 2}},
			firstHop: []int32{0, 1, 1, 1}, to: []int32{1}, inside: make([]bool, 3),
			beside: [][]int32{nil, tt.beside, nil}}
		f.escape([]int32{0, 1})
		head := []int32{no(0), yes(end), yes(end + 1)}
		if !f.follows(t.Context(), append(head, yes(hop))) {
			t.Errorf("beside %v: a worm has no head, though it stays", tt.beside)
		}
		if got := !f.follows(t.Context(), head); got != tt.out {
			t.Errorf("beside %v: the hop leads out: %t, want %t", tt.beside, got, tt.out)
		}
	}
}
