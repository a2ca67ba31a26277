// Package clos, internal to unknot, models Clos networks of data centres as they run: leaves, spines and cores with
// parallel cables, ECMP by hash, priorities that pause each other's senders, and failures.
package clos

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Options describes a Clos network. Each pod has Leaves leaves and Spines spines, every leaf joined to every spine by
// Cables cables. Spine number i of every pod is joined to the same Cores cores, plane i; without pods to join, there are
// none.
type Options struct {
	Pods, Leaves, Spines, Cores, Cables int
	Hosts                               int  // of a leaf, that have a cable of their own; 0: the leaves send
	Priorities                          int  // lossless ones: VCs
	Adaptive                            bool // a packet takes whichever hop is free; else a hash commits it to one

	// Without names cables and switches that have failed, separated by commas: leaf0.1-spine0.0, a second cable between
	// them leaf0.1-spine0.0#2, core3.
	Without string
	// Converged says that all switches know the failures. Otherwise those alone do that lost a cable.
	Converged bool
	// Bounces, if not 0, stands for all failures: wherever there is another switch below, a packet may be sent astray, as
	// if the cables on its way had failed, unless it has bounced so often. The tag counts bounces.
	Bounces int
	// Drop says that a packet is dropped that bounces on the last priority. Otherwise it stays on that.
	Drop bool
}

// Tiers of nodes.
const (
	host = iota
	leaf
	spine
	core
)

// New returns a Clos network. The header of a packet is the leaf of its host, which ends the model: a host takes what
// its cable brings.
//
// A switch sends a packet down if it has a cable towards the leaf, and else up, over any cable. If all cables down have
// failed and nobody told the switches above, it sends the packet down to another switch, which sends it up again, though
// not to where it came from if there is another. Such a turn from down to up is a bounce; it moves the packet to the next
// priority (Hu et al., Tagger, CoNEXT 2017).
func New(o Options) (routing.Definition, error) {
	if o.Pods == 1 {
		o.Cores = 0
	}
	c := &clos{Options: o}
	leaves, spines := o.Pods*o.Leaves, o.Pods*o.Spines
	c.firstSpine, c.firstCore = leaves, leaves+spines
	c.firstHost = c.firstCore + o.Spines*o.Cores
	const mostChannels, mostNodes, mostKnown = 1 << 24, 1 << 20, 1 << 26
	nodes, cables := c.firstHost+leaves*o.Hosts, leaves*(o.Spines*o.Cables+o.Hosts)+spines*o.Cores
	switch {
	case leaves < 2 && o.Hosts < 2:
		return routing.Definition{}, fmt.Errorf("one leaf: want another, or two hosts")
	case o.Pods > 1 && o.Cores == 0:
		return routing.Definition{}, fmt.Errorf("%d pods without cores: want cores, which join them", o.Pods)
	case o.Bounces > 0 && (o.Without != "" || o.Converged):
		return routing.Definition{}, errors.New("bounces stand for all failures: want none of without and knows")
	case o.Converged && o.Without != "" && leaves*c.firstHost > mostKnown:
		return routing.Definition{}, fmt.Errorf("%d leaves and %d switches whose ways all know: want at most %d pairs",
			leaves, c.firstHost, mostKnown)
	case nodes > mostNodes:
		return routing.Definition{}, fmt.Errorf("%d nodes: want at most %d", nodes, mostNodes)
	case 2*cables*o.Priorities > mostChannels:
		return routing.Definition{}, fmt.Errorf("%d channels: want at most %d", 2*cables*o.Priorities, mostChannels)
	}
	if err := c.build(); err != nil {
		return routing.Definition{}, err
	}
	name := "ECMP by hash"
	if o.Adaptive {
		name = "any equal path"
	}
	sender := func(v spec.NodeID) bool { return c.tier[v] == leaf && o.Hosts == 0 || c.tier[v] == host }
	receives := func(v spec.NodeID) bool { return c.tier[v] == leaf && !c.failed[v] }
	return routing.Definition{
		Name: "clos", Topology: c.t, Tags: 1 + o.Bounces, Switching: spec.VirtualCutThrough, Routing: relation{c, name},
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool {
			return receives(dst) && sender(src) && !c.failed[src]
		},
		Senders: func(all []spec.NodeID, to spec.Target) []spec.NodeID {
			if !receives(to.Dest) {
				return all
			}
			first, end := 0, c.firstSpine
			if o.Hosts > 0 {
				first, end = c.firstHost, c.t.Nodes()
			}
			for v := first; v < end; v++ {
				all = append(all, spec.NodeID(v))
			}
			return all
		},
	}, nil
}

// clos is the network without what failed. Nodes are numbered: leaves, spines, cores, hosts, each by pod.
type clos struct {
	Options
	t                                *spec.Topology
	firstSpine, firstCore, firstHost int
	tier                             []int8
	failed                           []bool          // by node: a switch that failed
	lost                             []spec.NodeID   // switches that lost a cable, once for each
	up, down                         [][]spec.LinkID // by node
	// By node, priority and, of hops down, child: the hops over all cables, each an alternative.
	ups   [][][][]spec.Hop
	downs []map[spec.NodeID][][][]spec.Hop
	// By leaf and node, if all know the failures: whether a way leads down to the leaf, or up and then down.
	below, reaches [][]bool
}

func (c *clos) pod(v spec.NodeID) int {
	switch {
	case int(v) < c.firstSpine:
		return int(v) / c.Leaves
	case int(v) < c.firstCore:
		return (int(v) - c.firstSpine) / c.Spines
	}
	return -1
}

// build makes the topology, and the hops over its cables.
func (c *clos) build() error {
	c.t = spec.NewTopology()
	add := func(tier int8, format string, args ...any) spec.NodeID {
		c.tier = append(c.tier, tier)
		c.up, c.down = append(c.up, nil), append(c.down, nil)
		return c.t.AddNode(fmt.Sprintf(format, args...))
	}
	var leaves, spines, cores []spec.NodeID
	for i := range c.Pods * c.Leaves {
		leaves = append(leaves, add(leaf, "leaf%d.%d", i/c.Leaves, i%c.Leaves))
	}
	for i := range c.Pods * c.Spines {
		spines = append(spines, add(spine, "spine%d.%d", i/c.Spines, i%c.Spines))
	}
	for i := range c.Spines * c.Cores {
		cores = append(cores, add(core, "core%d", i))
	}
	gone := map[string]bool{} // and whether it was met
	if c.Without != "" {
		for name := range strings.SplitSeq(c.Without, ",") {
			gone[name] = false
		}
	}
	lost := func(names ...string) bool {
		for _, name := range names {
			if _, is := gone[name]; is {
				gone[name] = true
				return true
			}
		}
		return false
	}
	c.failed = make([]bool, len(c.tier), len(c.tier)+len(leaves)*c.Hosts)
	for v := range c.failed {
		c.failed[v] = lost(c.t.Node(spec.NodeID(v)).Name)
	}
	join := func(below, above spec.NodeID, number int) {
		a, b, suffix := c.t.Node(below).Name, c.t.Node(above).Name, ""
		if number > 1 {
			suffix = fmt.Sprintf("#%d", number)
		}
		if lost(a+"-"+b+suffix, b+"-"+a+suffix) || c.failed[below] || c.failed[above] {
			c.lost = append(c.lost, below, above)
			return
		}
		up, down := c.t.AddPair(below, above, c.Priorities)
		c.up[below], c.down[above] = append(c.up[below], up), append(c.down[above], down)
	}
	for i, v := range leaves {
		for s := range c.Spines {
			for n := range c.Cables {
				join(v, spines[i/c.Leaves*c.Spines+s], n+1)
			}
		}
	}
	for i, v := range spines {
		for k := range c.Cores {
			join(v, cores[i%c.Spines*c.Cores+k], 1)
		}
	}
	for i, v := range leaves {
		for k := range c.Hosts {
			h := add(host, "host%d.%d.%d", i/c.Leaves, i%c.Leaves, k)
			c.failed = append(c.failed, c.failed[v])
			c.up[h] = append(c.up[h], c.t.AddLink(spec.Link{From: h, To: v, VCs: c.Priorities}))
		}
	}
	for name := range strings.SplitSeq(c.Without, ",") {
		if met, is := gone[name]; is && !met {
			return fmt.Errorf("invalid without %.40q: want switches and cables of the network, such as core0 and "+
				"leaf0.0-spine0.0", name)
		}
	}
	c.hops()
	if c.Converged && c.Without != "" {
		c.converge()
	}
	return nil
}

// hops makes the hops over the cables that are left.
func (c *clos) hops() {
	each := func(links []spec.LinkID, vc int) (all [][]spec.Hop) {
		for _, l := range links {
			all = append(all, []spec.Hop{{Channel: c.t.Channel(l, vc)}})
		}
		return c.choice(all)
	}
	c.ups, c.downs = make([][][][]spec.Hop, c.t.Nodes()), make([]map[spec.NodeID][][][]spec.Hop, c.t.Nodes())
	for v := range c.ups {
		c.downs[v] = map[spec.NodeID][][][]spec.Hop{}
		for vc := range c.Priorities {
			c.ups[v] = append(c.ups[v], each(c.up[v], vc))
			for links := c.down[v]; len(links) > 0; {
				child, n := c.t.Link(links[0]).To, 1
				for n < len(links) && c.t.Link(links[n]).To == child {
					n++
				}
				c.downs[v][child] = append(c.downs[v][child], each(links[:n], vc))
				links = links[n:]
			}
		}
	}
}

// choice makes one alternative of all if the router may take whichever hop is free.
func (c *clos) choice(all [][]spec.Hop) [][]spec.Hop {
	if c.Adaptive && len(all) > 1 {
		return [][]spec.Hop{slices.Concat(all...)}
	}
	return all
}

// converge finds what all switches know. Children have smaller numbers than their parents, hosts aside.
func (c *clos) converge() {
	for d := range spec.NodeID(c.firstSpine) {
		below, reaches := make([]bool, c.firstHost), make([]bool, c.firstHost)
		below[d] = !c.failed[d]
		for v := range c.firstHost {
			for _, l := range c.down[v] {
				below[v] = below[v] || below[c.t.Link(l).To]
			}
		}
		copy(reaches, below)
		for v := c.firstHost - 1; v >= 0; v-- {
			for _, l := range c.up[v] {
				reaches[v] = reaches[v] || reaches[c.t.Link(l).To]
			}
		}
		c.below, c.reaches = append(c.below, below), append(c.reaches, reaches)
	}
}

// relation is the routing of a Clos network.
type relation struct {
	*clos
	name string
}

// Pure reports that nothing changes what the relation reads.
func (relation) Pure() bool { return true }

// Differing implements routing.Differing: switches that lost a cable differ, unless all know the failures.
func (r relation) Differing() ([]spec.NodeID, bool) { return r.lost, r.below == nil }

// Reason names the rule.
func (r relation) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	from, v := spec.NodeID(-1), r.t.Head(at)
	if !at.IsInjection() {
		from = r.t.Tail(at)
	}
	switch {
	case hop.Channel == spec.Eject && v == h.Dest:
		return spec.Reason{Text: "arrived"}
	case hop.Channel == spec.Eject:
		return spec.Reason{Text: "bounce on the last priority"}
	case r.cameDown(from, v) && r.tier[r.t.Head(hop.Channel)] > r.tier[v]:
		return spec.Reason{Text: "bounce"}
	}
	return spec.Reason{Text: r.name}
}

func (c *clos) cameDown(from, v spec.NodeID) bool { return from >= 0 && c.tier[from] > c.tier[v] }

// AppendHops implements routing.Relation.
func (r relation) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	switch all := r.alternatives(at, h); len(all) {
	case 0:
		return dst, nil
	case 1:
		return append(dst, all[0]...), nil
	}
	return dst, routing.ErrCommits
}

// Alternatives implements routing.Committing.
func (r relation) Alternatives(at spec.ChannelID, h spec.Header) ([][]spec.Hop, error) {
	all := r.alternatives(at, h)
	if len(all) == 0 {
		all = [][]spec.Hop{nil} // a dead end
	}
	return all, nil
}

func (c *clos) alternatives(at spec.ChannelID, h spec.Header) [][]spec.Hop {
	v, from, priority := c.t.Head(at), spec.NodeID(-1), 0
	if !at.IsInjection() {
		from, priority = c.t.Tail(at), c.t.VC(at)
	}
	d := h.Dest
	switch {
	case v == d:
		return [][]spec.Hop{{{Channel: spec.Eject}}}
	case c.tier[v] == host:
		return c.ups[v][0]
	case c.below != nil:
		return c.converged(v, d, priority)
	case c.Bounces > 0:
		return c.failing(v, from, d, priority, h.Tag)
	}
	return c.way(v, from, d, priority)
}

// way routes a packet where only those that lost a cable know it.
func (c *clos) way(v, from, d spec.NodeID, priority int) [][]spec.Hop {
	if all := c.hopsAhead(v, d, priority); all != nil {
		return all
	}
	bounces := c.cameDown(from, v)
	within := c.tier[v] == core || c.tier[v] == spine && c.pod(v) == c.pod(d)
	if !within && len(c.up[v]) > 0 {
		return c.upwards(v, from, priority, bounces)
	}
	// Down to a switch that is not on its way, which sends it up again.
	if all := c.others(c.down[v], from, priority, nil); all != nil {
		return all
	}
	if len(c.up[v]) > 0 {
		return c.upwards(v, from, priority, bounces)
	}
	return c.others(c.down[v], -1, priority, nil) // back
}

// hopsAhead are the hops down towards a leaf, nil if there are none.
func (c *clos) hopsAhead(v, d spec.NodeID, priority int) [][]spec.Hop {
	next := d
	switch {
	case c.tier[v] == core: // one spine of each pod
		next = spec.NodeID(c.firstSpine + c.pod(d)*c.Spines + (int(v)-c.firstCore)/c.Cores)
	case c.tier[v] == leaf || c.pod(v) != c.pod(d):
		return nil
	}
	if all := c.downs[v][next]; all != nil {
		return all[priority]
	}
	return nil
}

// failing are the alternatives where any cable may fail: a packet on its way down, too, may go astray, unless it has
// bounced too often.
func (c *clos) failing(v, from, d spec.NodeID, priority int, tag spec.Tag) (all [][]spec.Hop) {
	for _, hops := range c.way(v, from, d, priority) {
		all = append(all, slices.Clone(hops))
	}
	if int(tag) < c.Bounces && c.hopsAhead(v, d, priority) != nil {
		for _, hops := range c.others(c.down[v], from, priority, nil) {
			all = append(all, slices.Clone(hops))
		}
	}
	bounces := c.cameDown(from, v)
	for _, hops := range all {
		for i, h := range hops {
			if h.Channel == spec.Eject {
				continue
			}
			if hops[i].Tag = tag; bounces && c.tier[c.t.Head(h.Channel)] > c.tier[v] {
				hops[i].Tag++
			}
		}
	}
	return all
}

// upwards sends a packet up, not to where it came from unless there is no other.
func (c *clos) upwards(v, from spec.NodeID, priority int, bounces bool) [][]spec.Hop {
	if !bounces {
		return c.ups[v][priority]
	}
	if priority+1 < c.Priorities {
		priority++
	} else if c.Drop {
		return [][]spec.Hop{{spec.Discard()}}
	}
	return c.others(c.up[v], from, priority, c.ups[v][priority])
}

// others are the alternatives over links that do not lead back to a node, or else what is given.
func (c *clos) others(links []spec.LinkID, from spec.NodeID, priority int, otherwise [][]spec.Hop) (all [][]spec.Hop) {
	for _, l := range links {
		if c.t.Link(l).To != from {
			all = append(all, []spec.Hop{{Channel: c.t.Channel(l, priority)}})
		}
	}
	if len(all) == 0 {
		return otherwise
	}
	return c.choice(all)
}

// converged routes a packet where all switches know what failed: down where that leads to the leaf, and else up to where
// it does. A packet never bounces.
func (c *clos) converged(v, d spec.NodeID, priority int) (all [][]spec.Hop) {
	links, good := c.up[v], c.reaches[d]
	if c.below[d][v] {
		links, good = c.down[v], c.below[d]
	}
	lost := false
	for _, l := range links {
		lost = lost || !good[c.t.Link(l).To]
	}
	if !lost && !c.below[d][v] {
		return c.ups[v][priority]
	}
	for _, l := range links {
		if good[c.t.Link(l).To] {
			all = append(all, []spec.Hop{{Channel: c.t.Channel(l, priority)}})
		}
	}
	return c.choice(all)
}
