// Package censustest, internal to unknot, counts channels, dependencies and sites by a plain walk
// over the sites of a network. The tests of the models use it, so that a model is not judged by the
// checker that it is meant to test.
package censustest

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Census holds the counts of a network.
type Census struct {
	Channels int // that some packet uses
	Edges    int // of the channel dependency graph: distinct pairs of channels
	Sites    int // in channels of links
	Acyclic  bool
}

// Count takes the census. The dependency graph is Dally and Seitz's (1987): an
// edge from the channel in which some packet stands to each it may enter next.
func Count(n *spec.Network) Census {
	channels := n.Topology().Channels()
	used := make([]bool, channels)
	next := make([]map[spec.ChannelID]bool, channels)
	for i := range n.Tables() {
		t := n.Table(i)
		for j, c := range t.Channels {
			used[c] = true
			for _, hop := range n.Row(t.Rows[j]) {
				if hop.Channel == spec.Eject {
					continue
				}
				if next[c] == nil {
					next[c] = map[spec.ChannelID]bool{}
				}
				next[c][hop.Channel] = true
			}
		}
	}
	k := Census{Sites: n.SiteCount(), Acyclic: acyclic(next)}
	for c := range channels {
		k.Edges += len(next[c])
		if used[c] {
			k.Channels++
		}
	}
	return k
}

// acyclic removes vertices without an incoming edge until none is left (Kahn, 1962).
func acyclic(next []map[spec.ChannelID]bool) bool {
	into := make([]int, len(next))
	for _, after := range next {
		for d := range after {
			into[d]++
		}
	}
	var free []int
	for c, edges := range into {
		if edges == 0 {
			free = append(free, c)
		}
	}
	for i := 0; i < len(free); i++ {
		for d := range next[free[i]] {
			if into[d]--; into[d] == 0 {
				free = append(free, int(d))
			}
		}
	}
	return len(free) == len(next)
}

// Undelivered returns an error if some packet leaves the network anywhere but at its
// destination, or comes to a place from which no path leads there. It searches
// backwards from the places where packets leave.
func Undelivered(n *spec.Network) error {
	x := n.NewIndex()
	for i := range n.Tables() {
		t := n.Table(i)
		x.Load(t)
		if err := undelivered(n, t, x); err != nil {
			return err
		}
	}
	return nil
}

func undelivered(n *spec.Network, t *spec.Table, x *spec.Index) error {
	places := t.Len() + len(t.Sources) // the sites, then the sources
	place := func(p int) (spec.ChannelID, spec.RowID) {
		if p < t.Len() {
			return t.Channels[p], t.Rows[p]
		}
		s := t.Sources[p-t.Len()]
		return spec.Injection(s.Node), s.Row
	}
	from := make([][]int, t.Len())
	arrives := make([]bool, places)
	var queue []int
	for p := range places {
		at, row := place(p)
		for _, hop := range n.Row(row) {
			switch {
			case hop.Channel != spec.Eject:
				site := x.Site(hop)
				from[site] = append(from[site], p)
			case n.Topology().Head(at) != t.Dest:
				return fmt.Errorf("a packet for %s leaves from %s", n.Topology().Node(t.Dest).Name, n.Topology().ChannelName(at))
			case !arrives[p]:
				arrives[p] = true
				queue = append(queue, p)
			}
		}
	}
	for i := 0; i < len(queue); i++ {
		if queue[i] >= t.Len() {
			continue
		}
		for _, p := range from[queue[i]] {
			if !arrives[p] {
				arrives[p] = true
				queue = append(queue, p)
			}
		}
	}
	for p, ok := range arrives {
		if !ok {
			at, _ := place(p)
			return fmt.Errorf("no path leads from %s to %s", n.Topology().ChannelName(at), n.Topology().Node(t.Dest).Name)
		}
	}
	return nil
}

// Unexplained returns an error if the relation permits a hop and gives no reason.
func Unexplained(n *spec.Network) error {
	return routing.Sites(n, func(s spec.Site, hops []spec.Hop) error {
		for _, hop := range hops {
			if n.Reason(s, hop).Text == "" {
				return fmt.Errorf("no reason for the hop from %s to %s", n.Topology().ChannelName(s.Channel), n.Topology().ChannelName(hop.Channel))
			}
		}
		return nil
	})
}
