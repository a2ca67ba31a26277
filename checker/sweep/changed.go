package sweep

import (
	"context"
	"iter"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Cases from what changed.
//
// If the sites of the network without failures show that all holds, a case is decided from the nodes alone whose rows
// differ: those that lost a link, or those that the relation names ([routing.Differing]). All other sites have the rows
// that they had, without hops into failed links. So the sites of the case are among those of the intact network and those
// to which rows of differing nodes lead, and theirs. Their dependencies are those of the intact network that are left, and
// those of the new rows. If each of the latter lowers the heights of the intact network, these show that all are acyclic.
// Else the heights of all are computed anew.
//
// These are more sites and dependencies than the case may have, as nobody asks whether packets still reach an old site. If
// they show that all holds, it does. If not, all sites are visited (decideBySites).

// intact is what the sites of a network without failures show.
type intact struct {
	*ports
	tags    int
	classes int
	heights []int32            // by channel: every dependency leads to a lower one
	into    [][]spec.ChannelID // by node: the channels whose head it is
	targets []spec.Target      // of the sites
	met     []uint64           // by target and place: a bit for each site
	sites   int                // with alternatives
}

// intactOf returns what the sites show, or nil if they leave something open or have too many bits. A Clos of 6,144
// cables has 17 million sites, and bits for 11 million places.
func (q *Question) intactOf(ctx context.Context, def routing.Definition, opt Options) *intact {
	p, ok := bySitesAlone(def)
	if !ok {
		return nil
	}
	t := def.Topology
	x := &intact{ports: p, tags: max(1, def.Tags), classes: max(1, len(def.Classes))}
	x.into = make([][]spec.ChannelID, t.Nodes())
	const mostBits = 1 << 30
	if targets := t.Nodes() * x.classes; targets > mostBits/x.places() {
		return nil
	}
	x.met = make([]uint64, (t.Nodes()*x.classes*x.places()+63)/64)
	for c := range spec.ChannelID(t.Channels()) {
		x.into[t.Head(c)] = append(x.into[t.Head(c)], c)
	}
	enters := false
	err := routing.Visit(ctx, def, routing.CompileOptions{MaxSites: opt.MaxSites}, func(at spec.Site, all [][]spec.Hop) error {
		if x.sites += len(all); !plain(t, x.tags, at, all) {
			return errOpen
		}
		if to := at.Header.Target(); len(x.targets) == 0 || x.targets[len(x.targets)-1] != to { // they follow each other
			x.targets = append(x.targets, to)
		}
		bit := x.bitOf(at)
		x.met[bit/64] |= 1 << (bit % 64)
		for _, hops := range all {
			for _, h := range hops {
				if h.Channel >= 0 && at.Channel >= 0 {
					x.add(at, h.Channel)
				}
				enters = enters || h.Channel >= 0
			}
		}
		return nil
	})
	if err != nil || !enters {
		return nil
	}
	x.by = nil
	if x.heights, ok = graph.Heights(x.graph()); !ok {
		return nil
	}
	return x
}

// places returns how many sites a target may have: one where each node injects, and one for each channel and tag.
func (x *intact) places() int { return x.t.Nodes() + x.t.Channels()*x.tags }

// bitOf returns the number of a site's bit in met.
func (x *intact) bitOf(at spec.Site) int {
	place := int(x.t.Head(at.Channel))
	if at.Channel >= 0 {
		place = x.t.Nodes() + int(at.Channel)*x.tags + int(at.Header.Tag)
	}
	return (int(at.Header.Dest)*x.classes+int(at.Header.Class))*x.places() + place
}

// has reports whether a site is one of the intact network.
func (x *intact) has(at spec.Site) bool {
	bit := x.bitOf(at)
	return x.met[bit/64]>>(bit%64)&1 != 0
}

// injected yields the sites where a node injects.
func (x *intact) injected(v spec.NodeID) iter.Seq[spec.Site] {
	return func(yield func(spec.Site) bool) {
		for _, to := range x.targets {
			at := spec.Site{Channel: spec.Injection(v), Header: spec.Header{Dest: to.Dest, Class: to.Class}}
			if x.has(at) && !yield(at) {
				return
			}
		}
	}
}

// sitesAt yields the sites where a node decides.
func (x *intact) sitesAt(v spec.NodeID) iter.Seq[spec.Site] {
	return func(yield func(spec.Site) bool) {
		for at := range x.injected(v) {
			if !yield(at) {
				return
			}
		}
		for _, to := range x.targets {
			for _, c := range x.into[v] {
				for tag := range x.tags {
					at := spec.Site{Channel: c, Header: spec.Header{Dest: to.Dest, Class: to.Class, Tag: spec.Tag(tag)}}
					if x.has(at) && !yield(at) {
						return
					}
				}
			}
		}
	}
}

// differing returns the nodes whose rows may differ from those of the intact network, aside from hops into links that
// failed and whose loss is told otherwise; false if that is not known.
func (q *Question) differing(def routing.Definition) ([]spec.NodeID, bool) {
	r, nodes, known := def.Routing, []spec.NodeID(nil), false
	if left, is := r.(*remnant); is {
		r, nodes = left.relation, slices.Clone(left.lost)
		known = q.Reroute == "" // r is the intact network's
	}
	if d, is := r.(routing.Differing); is && !known && q.Engine == nil {
		var more []spec.NodeID
		more, known = d.Differing()
		nodes = append(nodes, more...)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes), known
}

// holds reports whether a case's differing nodes show that all holds, as it does in the intact network.
func (x *intact) holds(c *Case, def routing.Definition, nodes []spec.NodeID, opt Options) bool {
	left, ok := bySitesOf(def)
	if !ok || max(1, def.Tags) != x.tags || max(1, len(def.Classes)) != x.classes {
		return false
	}
	whole, now, ok := x.renumber(def.Topology, c.failures)
	if !ok {
		return false
	}
	down := func(v spec.NodeID) bool { return slices.Contains(c.failures.Nodes, v) }
	var added []dependency.Edge
	var queue []spec.Site
	met, count, enters := map[int]bool{}, x.sites, false
	// visit takes a site in the numbers of the intact network.
	visit := func(at spec.Site) bool {
		here := at
		if at.Channel >= 0 {
			here.Channel = now[at.Channel]
		}
		all, err := left(here)
		if count += len(all); err != nil || opt.MaxSites > 0 && count > opt.MaxSites ||
			!plain(def.Topology, x.tags, here, all) {
			return false
		}
		for _, hops := range all {
			for _, h := range hops {
				if h.Channel == spec.Eject {
					continue
				}
				if h.Channel < 0 || int(h.Channel) >= len(whole) || int(h.Tag) >= x.tags ||
					def.Topology.Tail(h.Channel) != def.Topology.Head(here.Channel) {
					return false
				}
				enters = true
				next := spec.Site{Channel: whole[h.Channel], Header: at.Header}
				next.Header.Tag = h.Tag
				if bit := x.bitOf(next); !x.has(next) && !met[bit] {
					met[bit] = true
					queue = append(queue, next)
				}
				if at.Channel < 0 {
					continue
				}
				if bit := x.bit(at.Channel, next.Channel); x.bits[bit/64]>>(bit%64)&1 == 0 {
					added = append(added, dependency.Edge{From: at.Channel, To: next.Channel})
				}
			}
		}
		return true
	}
	for _, v := range nodes {
		for at := range x.sitesAt(v) {
			gone := at.Channel >= 0 && now[at.Channel] == none || at.Channel < 0 && down(v) || down(at.Header.Dest)
			if !gone && !visit(at) {
				return false
			}
		}
	}
	for len(queue) > 0 {
		at := queue[len(queue)-1]
		if queue = queue[:len(queue)-1]; !visit(at) {
			return false
		}
	}
	for v := spec.NodeID(0); int(v) < len(x.into) && !enters; v++ { // some packet still enters a channel
		for at := range x.injected(v) {
			if !down(v) && !down(at.Header.Dest) {
				enters = visit(at)
				break
			}
		}
	}
	if !enters || len(queue) > 0 {
		return false
	}
	if !slices.ContainsFunc(added, func(d dependency.Edge) bool { return x.heights[d.From] <= x.heights[d.To] }) {
		return true
	}
	_, acyclic := graph.Heights(graph.Collect(x.t.Channels(), func(add func(from, to int32)) {
		x.each(func(from, to spec.ChannelID) {
			if now[from] != none && now[to] != none {
				add(int32(from), int32(to))
			}
		})
		for _, d := range added {
			add(int32(d.From), int32(d.To))
		}
	}))
	return acyclic
}

// renumber returns, by channel of a topology that failures left, its number in the intact one, and the other way round;
// false if it is not what they leave.
func (x *intact) renumber(t *spec.Topology, f Failures) (whole, now []spec.ChannelID, ok bool) {
	if t.Nodes() != x.t.Nodes() {
		return nil, nil, false
	}
	gone := make([]bool, x.t.Links())
	for _, c := range f.Cables {
		for _, l := range c.Links {
			gone[l] = true
		}
	}
	whole, now = make([]spec.ChannelID, t.Channels()), slices.Repeat([]spec.ChannelID{none}, x.t.Channels())
	for v := range spec.NodeID(t.Nodes()) {
		if t.Node(v).Name != x.t.Node(v).Name {
			return nil, nil, false
		}
		links, failed := t.OutLinks(v), slices.Contains(f.Nodes, v)
		for _, l := range x.t.OutLinks(v) {
			before := x.t.Link(l)
			if gone[l] || failed || slices.Contains(f.Nodes, before.To) {
				continue
			}
			if len(links) == 0 || t.Link(links[0]).To != before.To || t.Link(links[0]).VCs != before.VCs {
				return nil, nil, false
			}
			for vc := range before.VCs {
				was, is := x.t.Channel(l, vc), t.Channel(links[0], vc)
				whole[is], now[was] = was, is
			}
			links = links[1:]
		}
		if len(links) > 0 {
			return nil, nil, false
		}
	}
	return whole, now, true
}
