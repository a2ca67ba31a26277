// Package gadget, internal to unknot, holds small networks built to distinguish the steps of the
// decision: packets may be free from deadlock where worms are not, and worms without any escape.
package gadget

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// question is a channel and a destination; channel "" is the injection for that
// destination.
type question struct{ channel, dest string }

// plan is a network, its channels given by name.
type plan struct {
	name     string
	nodes    []string
	channels [][3]string           // name, from, to
	routes   map[question][]string // channels permitted
	inject   [][3]string           // node, destination, the channel that it injects into
}

func (p plan) definition() routing.Definition {
	t := spec.NewTopology()
	node := map[string]spec.NodeID{}
	for _, n := range p.nodes {
		node[n] = t.AddNode(n)
	}
	channel := map[string]spec.ChannelID{}
	var names []string
	for _, c := range p.channels {
		channel[c[0]] = t.Channel(t.AddLink(spec.Link{From: node[c[1]], To: node[c[2]], VCs: 1, Out: c[0]}), 0)
		names = append(names, c[0])
	}
	type flow struct{ src, dst spec.NodeID }
	sources := map[flow][]spec.ChannelID{}
	for _, i := range p.inject {
		f := flow{node[i[0]], node[i[1]]}
		sources[f] = append(sources[f], channel[i[2]])
	}
	return routing.Definition{
		Name: p.name, Topology: t, Switching: spec.Wormhole,
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { _, ok := sources[flow{src, dst}]; return ok },
		Routing: routing.Deliver(t, routing.Named("the gadget's table",
			routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
				if at.IsInjection() {
					for _, c := range sources[flow{t.Head(at), h.Dest}] {
						dst = append(dst, spec.Hop{Channel: c})
					}
					return dst
				}
				for _, c := range p.routes[question{names[at], t.Node(h.Dest).Name}] {
					dst = append(dst, spec.Hop{Channel: channel[c]})
				}
				return dst
			}))),
	}
}

// Wormhole returns one of the wormhole gadgets:
//
//   - W1: packets cannot deadlock, messages of two flits or more can.
//
//   - W2: worms cannot deadlock, but the head/tail fixpoint raises a false alarm.
//
//   - W5: worms cannot deadlock; no set of channels is an escape (what R permits
//     inside it is cyclic), though a routing subfunction is.
//
//   - swap: the packets for DA in c1 and for DB in c2 would block each other, but each
//     comes to its channel through the other's. No state has both, which only exploring
//     shows, as no order of channels does. A message that is as long as both channels
//     blocks itself.
//
// In W5, packets for D0 leave where the channels 1 and 2 end, packets for D1 where 0
// and 3 do; here each leaves by a sink channel, since a node does not send to itself.
func Wormhole(name string) (routing.Definition, error) {
	switch name {
	case "W1":
		return plan{
			name:  name,
			nodes: []string{"A", "B", "C", "E", "D1", "D2"},
			channels: [][3]string{
				{"e1", "E", "A"}, {"a1", "A", "B"}, {"e2", "B", "C"}, {"a2", "C", "E"},
				{"x1", "A", "D1"}, {"x2", "A", "D2"}, {"y1", "C", "D1"}, {"y2", "C", "D2"},
			},
			routes: map[question][]string{
				{"e1", "D1"}: {"a1", "x1"}, {"a1", "D1"}: {"e2"}, {"e2", "D1"}: {"y1"},
				{"e2", "D2"}: {"a2", "y2"}, {"a2", "D2"}: {"e1"}, {"e1", "D2"}: {"x2"},
			},
			inject: [][3]string{{"E", "D1", "e1"}, {"B", "D2", "e2"}},
		}.definition(), nil
	case "W2":
		return plan{
			name:  name,
			nodes: []string{"H", "D0", "M", "D1", "D2"},
			channels: [][3]string{
				{"h", "M", "H"}, {"t1", "H", "D0"}, {"t2", "H", "D0"}, {"m", "D0", "M"},
				{"s1", "D0", "D1"}, {"s2", "D0", "D2"}, {"z1", "H", "D1"}, {"z2", "H", "D2"},
			},
			routes: map[question][]string{
				{"h", "D0"}: {"t1", "t2"}, {"t1", "D1"}: {"m", "s1"}, {"t2", "D2"}: {"m", "s2"},
				{"m", "D1"}: {"h"}, {"m", "D2"}: {"h"}, {"h", "D1"}: {"z1"}, {"h", "D2"}: {"z2"},
			},
			inject: [][3]string{{"M", "D0", "h"}, {"H", "D1", "t1"}, {"H", "D2", "t2"}},
		}.definition(), nil
	case "W5":
		return plan{
			name:  name,
			nodes: []string{"N0", "N1", "D0", "D1"},
			channels: [][3]string{
				{"0", "N0", "N1"}, {"1", "N1", "N0"}, {"2", "N1", "N0"}, {"3", "N0", "N1"},
				{"z0", "N0", "D0"}, {"z1", "N1", "D1"},
			},
			routes: map[question][]string{
				{"0", "D0"}: {"1"}, {"1", "D1"}: {"3", "0"}, {"3", "D0"}: {"2", "1"},
				{"1", "D0"}: {"z0"}, {"2", "D0"}: {"z0"}, {"0", "D1"}: {"z1"}, {"3", "D1"}: {"z1"},
			},
			inject: [][3]string{{"N0", "D0", "0"}, {"N1", "D1", "1"}, {"N0", "D0", "3"}},
		}.definition(), nil
	case "swap":
		return plan{
			name:     name,
			nodes:    []string{"X", "Y", "DA", "DB"},
			channels: [][3]string{{"c1", "X", "Y"}, {"c2", "Y", "X"}, {"a", "X", "DA"}, {"b", "Y", "DB"}},
			routes: map[question][]string{
				{"c2", "DA"}: {"c1", "a"}, {"c1", "DA"}: {"c2"},
				{"c1", "DB"}: {"c2", "b"}, {"c2", "DB"}: {"c1"},
			},
			inject: [][3]string{{"Y", "DA", "c2"}, {"X", "DB", "c1"}},
		}.definition(), nil
	}
	return routing.Definition{}, fmt.Errorf("invalid gadget %q: want W1, W2, W5 or swap", name)
}

// Pigeonholes returns W2 with more channels of each sort. A head in h waits for all of
// t1, t2, ...: one for each pigeon. A message to Di can hold ti only while it continues
// through some hole m1, m2, ..., for in ti it may leave by a sink; in the hole it waits
// for h. So the only stuck set has a worm in h and, for each pigeon, a worm in ti and a
// hole of its own: it exists exactly if there are enough holes. For the head/tail
// fixpoint one hole is enough.
func Pigeonholes(pigeons, holes int) routing.Definition {
	p := plan{
		name:     fmt.Sprintf("pigeonholes: %d pigeons, %d holes", pigeons, holes),
		nodes:    []string{"H", "D0", "M"},
		channels: [][3]string{{"h", "M", "H"}},
		routes:   map[question][]string{},
		inject:   [][3]string{{"M", "D0", "h"}},
	}
	var all []string
	for j := 1; j <= holes; j++ {
		hole := fmt.Sprintf("m%d", j)
		p.channels = append(p.channels, [3]string{hole, "D0", "M"})
		all = append(all, hole)
	}
	for i := 1; i <= pigeons; i++ {
		t, s, z, d := fmt.Sprintf("t%d", i), fmt.Sprintf("s%d", i), fmt.Sprintf("z%d", i), fmt.Sprintf("D%d", i)
		p.nodes = append(p.nodes, d)
		p.channels = append(p.channels, [3]string{t, "H", "D0"}, [3]string{s, "D0", d}, [3]string{z, "H", d})
		p.routes[question{"h", "D0"}] = append(p.routes[question{"h", "D0"}], t)
		p.routes[question{t, d}] = append([]string{s}, all...)
		p.routes[question{"h", d}] = []string{z}
		for _, hole := range all {
			p.routes[question{hole, d}] = []string{"h"}
		}
		p.inject = append(p.inject, [3]string{"H", d, t})
	}
	return p.definition()
}
