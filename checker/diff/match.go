// Package diff, internal to unknot, compares two networks: which nodes, links, flows, routes and
// dependencies one has and the other lacks, by name.
//
// Numbers mean nothing across networks, so [match] first finds the counterpart of each
// node, link, virtual channel and class; everything else compares numbers. Time is linear in
// the sites and links of both, except for sorting; memory in channels, dependencies and the
// rows that are reported.
package diff

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// none marks what has no counterpart.
const none = -1

// matching gives the counterparts in one topology of another's nodes, links, channels and classes.
type matching struct {
	node    []spec.NodeID
	link    []spec.LinkID
	channel []spec.ChannelID
	class   []int
}

// match matches two topologies. Nodes match by name; links between the same nodes by their ports, and
// the rest in order; VCs and classes by name.
func match(a, b *spec.Topology) *matching {
	m := &matching{}
	for v := range spec.NodeID(a.Nodes()) {
		w, ok := b.NodeNamed(a.Node(v).Name)
		if !ok {
			w = none
		}
		m.node = append(m.node, w)
	}
	m.links(a, b)
	vc := map[string]int{}
	for l := range spec.LinkID(b.Links()) {
		for i := len(vc); i < b.Link(l).VCs; i++ {
			vc[b.VCName(i)] = i
		}
	}
	for c := range spec.ChannelID(a.Channels()) {
		d := spec.ChannelID(noChannel)
		if l := m.link[a.LinkOf(c)]; l != none {
			if i, ok := vc[a.VCName(a.VC(c))]; ok && i < b.Link(l).VCs {
				d = b.Channel(l, i)
			}
		}
		m.channel = append(m.channel, d)
	}
	return m
}

// noChannel is the number of no channel, not even of an injection.
const noChannel = 1<<31 - 1

func (m *matching) links(a, b *spec.Topology) {
	m.link = slices.Repeat([]spec.LinkID{none}, a.Links())
	taken := make([]bool, b.Links())
	for _, exactly := range []bool{true, false} {
		for l := range spec.LinkID(a.Links()) {
			k := a.Link(l)
			from, to := m.node[k.From], m.node[k.To]
			if m.link[l] != none || from == none || to == none {
				continue
			}
			for _, c := range b.OutLinks(from) {
				x := b.Link(c)
				if !taken[c] && x.To == to && (!exactly || x.Out == k.Out && x.In == k.In) {
					m.link[l], taken[c] = c, true
					break
				}
			}
		}
	}
}

// classes matches the classes by their names.
func (m *matching) classes(a, b *spec.Network) {
	for _, name := range a.Classes() {
		m.class = append(m.class, slices.Index(b.Classes(), name))
	}
}

// hop returns the counterpart of a hop in the other network.
func (m *matching) hop(h spec.Hop) spec.Hop {
	if h.Channel != spec.Eject {
		h.Channel = m.channel[h.Channel]
	}
	return h
}
