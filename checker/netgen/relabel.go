package netgen

import (
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Relabelled returns a network with its nodes renamed by a permutation, its links in another
// order and the VCs of each reversed: the same network except for names.
func Relabelled(def routing.Definition, perm []int) routing.Definition {
	old := def.Topology
	back := make([]spec.NodeID, len(perm))
	for v, w := range perm {
		back[w] = spec.NodeID(v)
	}
	topo := spec.NewTopology()
	for range perm {
		topo.AddNode("")
	}
	var oldLink []spec.LinkID // by new link
	newLink := make([]spec.LinkID, old.Links())
	for l := old.Links() - 1; l >= 0; l-- { // links in another order, too
		k := old.Link(spec.LinkID(l))
		newLink[l] = topo.AddLink(spec.Link{From: spec.NodeID(perm[k.From]), To: spec.NodeID(perm[k.To]), VCs: k.VCs})
		oldLink = append(oldLink, spec.LinkID(l))
	}
	toOld := func(c spec.ChannelID) spec.ChannelID {
		if c.IsInjection() {
			return spec.Injection(back[topo.Head(c)])
		}
		l := oldLink[topo.LinkOf(c)]
		return old.Channel(l, old.Link(l).VCs-1-topo.VC(c))
	}
	toNew := func(c spec.ChannelID) spec.ChannelID {
		if c == spec.Eject {
			return c
		}
		l := old.LinkOf(c)
		return topo.Channel(newLink[l], old.Link(l).VCs-1-old.VC(c))
	}
	if flows := def.Flows; flows != nil {
		def.Flows = func(src, dst spec.NodeID, c spec.Class) bool { return flows(back[src], back[dst], c) }
	}
	relation := def.Routing
	def.Topology = topo
	def.Routing = routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		h.Dest = back[h.Dest]
		hops, _ := relation.AppendHops(nil, toOld(at), h)
		for _, hop := range hops {
			dst = append(dst, spec.Hop{Channel: toNew(hop.Channel), Tag: hop.Tag, Room: hop.Room})
		}
		return dst
	})
	return def
}
