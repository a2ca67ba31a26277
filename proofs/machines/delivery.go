package machines

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Delivery of a network's traffic (spec.Delivery): every flow that the scenario
// permits has a first hop; and wherever a packet is, some sequence of permitted hops
// leads to its destination, and none leaves the network elsewhere. That is a
// question about single packets. A state is safe if no packet in it is lost.

// Lost reports, by channel and number of the header in states.Traffic.Headers, whether
// a packet is lost: at a dead end, out of reach of its destination, or where it may
// leave the network elsewhere. Linear in the hops of all sites.
func Lost(t *states.Traffic) [][]bool {
	n := t.Network()
	topo, index := n.Topology(), n.NewIndex()
	lost := make([][]bool, topo.Channels())
	for i := range n.Tables() {
		table := n.Table(i)
		index.Load(table)
		home := make([]bool, table.Len()) // the destination is within reach
		before := make([][]int, table.Len())
		var reached []int
		reach := func(s int) {
			if !home[s] {
				home[s], reached = true, append(reached, s)
			}
		}
		for s, row := range table.Rows {
			for _, h := range n.Row(row) {
				if to := index.Site(h); to >= 0 {
					before[to] = append(before[to], s)
				} else if topo.Head(table.Channels[s]) == table.Dest || h.Discards() {
					reach(s)
				}
			}
		}
		for i := 0; i < len(reached); i++ {
			for _, s := range before[reached[i]] {
				reach(s)
			}
		}
		for s, c := range table.Channels {
			astray := n.Arrives(table.Rows[s]) && topo.Head(c) != table.Dest
			lost[c] = append(lost[c], astray || !home[s])
		}
	}
	return lost
}

// Misrouted returns the first flow, as the site of its source, whose packets have
// no first hop or may leave the network at the source; false if there is none.
func Misrouted(t *states.Traffic) (spec.Site, bool) {
	n := t.Network()
	for i := range n.Tables() {
		table := n.Table(i)
		for k, src := range table.Sources {
			_, _, sends := t.Quota(spec.Flow{Source: src.Node, Target: table.Target})
			if sends && (len(n.Row(src.Row)) == 0 || n.Arrives(src.Row)) {
				return table.SourceSite(k), true
			}
		}
	}
	return spec.Site{}, false
}

// delivered returns the test that makes a state safe for delivery.
func delivered(t *states.Traffic) func(words, next []uint64) error {
	topo, lost := t.Network().Topology(), Lost(t)
	if s, is := Misrouted(t); is {
		err := fmt.Errorf("a packet from %s for %s has no first hop, or may eject at its source",
			topo.Node(topo.Head(s.Channel)).Name, topo.Node(s.Header.Dest).Name)
		return func(_, _ []uint64) error { return err }
	}
	some := slices.ContainsFunc(lost, func(l []bool) bool { return slices.Contains(l, true) })
	return func(words, _ []uint64) error {
		for i := 0; some && i < len(lost); i++ {
			c := spec.ChannelID(i)
			q := t.Queue(c)
			for k := 0; k < q.Len() && q.Of(words, k) != 0; k++ {
				if lost[c][t.Number(c, q.Of(words, k))] {
					return fmt.Errorf("a packet in %s cannot reach its destination, or may eject elsewhere",
						topo.ChannelName(c))
				}
			}
		}
		return nil
	}
}
