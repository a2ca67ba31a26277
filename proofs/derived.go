package proofs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Numbers that a certificate leaves out.
//
// Of a network of tens of millions of sites, lists by site take more memory than the tables. Two of them follow from the
// network, so Verify finds them table by table, and checks the same conditions:
//
// Measure and Arrival without numbers: the measure of a site is the distance, over links, from the node that its channel
// leads to, to the destination. Every measure will do, as only the conditions are relied on. Each destination costs a
// search of all nodes and links, however few sites its tables have: with many nodes and small tables, that is far more
// than a listed measure costs, which is linear in the sites and hops.
//
// ExtendedEscape without Held: what is held at a site is the least rank of the channels of all sites that lead there,
// its own included. These are the largest numbers that never exceed the rank of the site's own channel, and that no hop
// raises. All other conditions ask for large numbers, so the ranks alone are accepted if and only if some list of
// numbers is accepted with them. Each table costs time linear in its sites and hops, and in a bit for each channel and
// tag of the network.

// leavesOut reports that the certificate has no list of the numbers that its kind compares.
func (c *Certificate) leavesOut() bool {
	switch c.Kind {
	case ExtendedEscape:
		return len(c.Held) == 0
	case Measure, Arrival:
		return len(c.Measure)+len(c.Rank) == 0
	}
	return false
}

// verifyWithout checks a certificate that leaves numbers out. The plain check finds out where it is wrong.
func verifyWithout(ctx context.Context, n *spec.Network, c *Certificate) error {
	var right func(table int) bool
	if c.Kind == ExtendedEscape {
		right = newFlood(n, c.Rank).escapes
	} else {
		right = newDistances(n, c.Kind).fall
	}
	for i := range n.Tables() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !right(i) {
			return cmp.Or(plainTable(n, c, n.Table(i)), fmt.Errorf("table %d is wrong", i))
		}
	}
	return nil
}

// VerifyAll is [Verify] of several certificates about one network, and returns what each returns. Those that leave out
// their measures are checked in one pass over the tables; if it does not accept them, each is checked alone.
func VerifyAll(ctx context.Context, n *spec.Network, all []*Certificate) []error {
	errs := make([]error, len(all))
	var together []int
	var kinds []Kind
	for i, c := range all {
		if checkHead(n, c) == nil && c.leavesOut() && c.Kind != ExtendedEscape {
			together, kinds = append(together, i), append(kinds, c.Kind)
		}
	}
	accepted := len(together) > 1 && newDistances(n, kinds...).fallEverywhere(ctx)
	for i, c := range all {
		if !accepted || !slices.Contains(together, i) {
			errs[i] = Verify(ctx, n, c)
		}
	}
	return errs
}

// distances checks that packets come closer to their destination, for certificates of kind Measure and Arrival.
type distances struct {
	n       *spec.Network
	measure bool            // every hop leads closer
	arrival bool            // some hop leads closer, and packets arrive
	head    []spec.NodeID   // by channel: the node it leads to
	before  [][]spec.NodeID // by node: those with a link to it
	from    []int32         // by node: links of a shortest way to the destination; math.MaxInt32 if there is none
	queue   []spec.NodeID   // those from which there is one, nearest first
	met     []int32         // by row with a hop into a channel: the last table in which it was right, by its number + 1
}

// newDistances returns the check for certificates of all these kinds.
func newDistances(n *spec.Network, kinds ...Kind) *distances {
	t := n.Topology()
	d := &distances{
		n: n, measure: slices.Contains(kinds, Measure), arrival: slices.Contains(kinds, Arrival),
		head: make([]spec.NodeID, t.Channels()), before: make([][]spec.NodeID, t.Nodes()),
		from: make([]int32, t.Nodes()), met: make([]int32, n.RowCount()),
	}
	for c := range d.head {
		d.head[c] = t.Head(spec.ChannelID(c))
	}
	for v := range d.before {
		for _, l := range t.InLinks(spec.NodeID(v)) {
			d.before[v] = append(d.before[v], t.Link(l).From)
		}
	}
	return d
}

// search finds the distances to a node, breadth first: linear in all nodes and links.
func (d *distances) search(dest spec.NodeID) {
	if len(d.queue) > 0 && d.queue[0] == dest {
		return
	}
	for v := range d.from {
		d.from[v] = math.MaxInt32
	}
	d.from[dest], d.queue = 0, append(d.queue[:0], dest)
	for i := 0; i < len(d.queue); i++ {
		v := d.queue[i]
		for _, u := range d.before[v] {
			if d.from[u] == math.MaxInt32 {
				d.from[u], d.queue = d.from[v]+1, append(d.queue, u)
			}
		}
	}
}

// fall reports whether the sources and sites of a table are right. Hops of a row leave one node, so a row with some is
// right at all its sites, or at none.
func (d *distances) fall(table int) bool {
	dest, round := d.n.Stored(table).Dest, int32(table)+1
	d.search(dest)
	for p := range d.n.Portions(table) {
		for _, s := range p.Sources {
			if d.arrival && (len(d.n.Row(s.Row)) == 0 || d.n.Arrives(s.Row)) {
				return false
			}
		}
		for s, r := range p.Rows {
			if d.met[r] == round {
				continue
			}
			node := d.head[p.Channels[s]]
			leaves, most, least := false, int32(-1), int32(math.MaxInt32)
			for _, h := range d.n.Row(r) {
				if h.Channel == spec.Eject {
					leaves = true
					continue
				}
				most, least = max(most, d.from[d.head[h.Channel]]), min(least, d.from[d.head[h.Channel]])
				d.met[r] = round
			}
			switch {
			case d.measure && most >= d.from[node],
				d.arrival && !leaves && least >= d.from[node],
				d.arrival && node != dest && d.n.Arrives(r):
				return false
			}
		}
	}
	return true
}

// fallEverywhere reports whether all tables are right, and were looked at before ctx ended.
func (d *distances) fallEverywhere(ctx context.Context) bool {
	for i := range d.n.Tables() {
		if ctx.Err() != nil || !d.fall(i) {
			return false
		}
	}
	return true
}

// flood finds what is held at the sites of one table after the other: in ascending order of the ranks, each channel's
// rank spreads from its sites to all that they lead to, unless a lower one has been there. Sites with one row lead to
// the same sites, so a row is followed once, from the lowest.
type flood struct {
	n      *spec.Network
	at     []int32      // by channel: its place in the order of ranks, times the number of tags
	rank   []int32      // by that number plus a tag, as the next two
	row    []spec.RowID // of the site there
	listed []uint64     // bits: the table has a site there
	least  []int32      // by row: the least rank that its hops lead into; -1 if a packet waits for none
	met    []int32      // by row: the last table in which it was followed, by its number + 1
	stack  []spec.RowID
}

func newFlood(n *spec.Network, ranks []int32) *flood {
	tags := n.Tags()
	order := make([]int32, len(ranks))
	for c := range order {
		order[c] = int32(c)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(ranks[a], ranks[b]) })
	f := &flood{
		n: n, at: make([]int32, len(ranks)), rank: make([]int32, 0, len(ranks)*tags),
		row: make([]spec.RowID, len(ranks)*tags), listed: make([]uint64, (len(ranks)*tags+63)/64),
		least: make([]int32, n.RowCount()), met: make([]int32, n.RowCount()),
	}
	for _, c := range order {
		f.at[c] = int32(len(f.rank))
		for range tags {
			f.rank = append(f.rank, ranks[c])
		}
	}
	for r := range f.least {
		hops := n.Row(spec.RowID(r))
		f.least[r] = math.MaxInt32
		if len(hops) == 0 { // a dead end
			f.least[r] = -1
		}
		for _, h := range hops {
			if h.Channel == spec.Eject {
				f.least[r] = -1
			} else {
				f.least[r] = min(f.least[r], ranks[h.Channel])
			}
		}
	}
	return f
}

// escapes reports whether each site of a table permits a hop into a channel of lower rank than what is held there, unless
// its packet need not wait.
func (f *flood) escapes(table int) bool {
	for p := range f.n.Portions(table) {
		for s, c := range p.Channels {
			at := int(f.at[c]) + int(p.Tag(s))
			f.row[at] = p.Rows[s]
			f.listed[at/64] |= 1 << (at % 64)
		}
	}
	all := true
	for i, word := range f.listed {
		f.listed[i] = 0
		for ; word != 0; word &= word - 1 {
			at := i*64 + bits.TrailingZeros64(word)
			all = f.spread(f.row[at], f.rank[at], int32(table)+1) && all
		}
	}
	return all
}

// spread follows rows from one of them, at whose sites so much is held.
func (f *flood) spread(from spec.RowID, held, round int32) bool {
	if f.met[from] == round {
		return true
	}
	all := true
	f.met[from], f.stack = round, append(f.stack[:0], from)
	for len(f.stack) > 0 {
		r := f.stack[len(f.stack)-1]
		f.stack = f.stack[:len(f.stack)-1]
		all = all && f.least[r] < held
		for _, h := range f.n.Row(r) {
			if h.Channel == spec.Eject {
				continue
			}
			if next := f.row[int(f.at[h.Channel])+int(h.Tag)]; f.met[next] != round {
				f.met[next], f.stack = round, append(f.stack, next)
			}
		}
	}
	return all
}
