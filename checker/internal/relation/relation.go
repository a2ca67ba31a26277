// Package relation is the graph of a network's routing relation: the one that decisions, repairs, simulations and
// pictures walk. A network's tables say which sites there are (a channel and a header that packets can be at
// together), its rows which hops they permit. Nothing here decides anything; the verifier has a graph of its own.
//
// There are these views of the relation, each as large as its questions need:
//
//   - [Usage], of the whole network: which rows are in use at each channel. Neither the dependency graph nor the
//     fixpoint of packets ([Deletion]) asks for more, and it is small however many sites there are.
//   - [RowGraph], of one table: sites with equal rows are one vertex, as they have one future. The survey of single
//     packets ([RowGraph.HopsLeft]) and the fixpoint of worms ([HeadTail]) run over these, table by table. Where the
//     dependencies have no cycle, [Descent] surveys without a graph.
//   - [Walk], of one table: site by site, for ways, reach, cycles and traces; and [Paths], which has all hops in
//     compressed rows, forward and back, for questions that close hops ([Leftover] is their fixpoint).
//
// A fixpoint numbers the channels by the round that deletes them, which is the certificate, and leaves those that are
// Unranked. A set of channels that limits a question is a mask: []bool by channel, nil for all.
//
// The graph is to carry what a table will say (alternatives, room and discard), so these rules hold. Edges are hops,
// in the order of their row, and a vertex stands for what the router decides: when the environment first commits a
// packet to an alternative, each alternative is a vertex of its own, with the hops of that row, and a site leads to
// its alternatives at no cost; the fixpoints then ask of a site that all of its alternatives are resolved, of an
// alternative that some hop is. What a hop demands (room) is an attribute of the edge beside its target, never a
// property of the channel. Leaving the network is no edge: a row that ends a packet (Eject, discard, a dead end) is a
// property of the vertex.
package relation

import (
	"context"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// Usage lists which rows the sites of each channel use. The store-and-forward decision
// and the channel dependency graph need no more, and it is small: a 64x64 torus with
// sixty million sites has about two million pairs of channel and row.
type Usage struct {
	Used  []bool // by channel: some site is there
	First []int32
	Rows  []spec.RowID // rows of channel c: Rows[First[c]:First[c+1]], ascending; empty rows and bare Eject left out

	net          *spec.Network
	into, usedAt *graph.Graph // see rowsInto and users; made when first needed
}

// Of returns the rows in use at channel c.
func (u *Usage) Of(c spec.ChannelID) []spec.RowID { return u.Rows[u.First[c]:u.First[c+1]] }

// Waits reports whether a packet with row r waits for a channel: it has not
// arrived and is not at a dead end.
func Waits(n *spec.Network, r spec.RowID) bool {
	hops := n.Row(r)
	return len(hops) > 0 && hops[0].Channel != spec.Eject
}

// Wanted returns the channels that a packet with row r waits for, ascending; none if it has
// arrived or is at a dead end.
func Wanted(n *spec.Network, r spec.RowID) []spec.ChannelID {
	var wanted []spec.ChannelID
	for _, h := range n.Row(r) {
		if h.Channel == spec.Eject {
			return nil
		}
		wanted = append(wanted, h.Channel)
	}
	return slices.Compact(wanted)
}

// NewUsage makes one pass over all sites, on the given number of workers. Each
// pair (channel, row) is one bit: rows are numbered within the node whose
// router answers them, so that a channel needs as many bits as its node has
// rows.
func NewUsage(ctx context.Context, n *spec.Network, workers int) (*Usage, error) {
	t := n.Topology()
	local := make([]int32, n.RowCount()) // number of a row within its node, or -1
	byNode := make([][]spec.RowID, t.Nodes())
	for r := range local {
		local[r] = -1
		hops := n.Row(spec.RowID(r))
		if len(hops) == 0 || hops[len(hops)-1].Channel == spec.Eject {
			continue
		}
		v := t.Tail(hops[len(hops)-1].Channel)
		local[r] = int32(len(byNode[v]))
		byNode[v] = append(byNode[v], spec.RowID(r))
	}
	base := make([]int, t.Channels()+1)
	for c := range t.Channels() {
		base[c+1] = base[c] + len(byNode[t.Head(spec.ChannelID(c))])
	}
	type scratch struct {
		pairs []uint64
		used  []bool
	}
	seen := make([]scratch, workers)
	err := each.Do(ctx, workers, n.Fragments()+n.Tables(), func(worker, i int) error {
		var table spec.Table // rows shared by many tables are looked at once
		if i < n.Fragments() {
			table = n.Fragment(int32(i))
		} else {
			table = *n.Stored(i - n.Fragments())
		}
		s := &seen[worker]
		if s.pairs == nil {
			s.pairs = make([]uint64, base[t.Channels()]/64+1)
			s.used = make([]bool, t.Channels())
		}
		for i, c := range table.Channels {
			s.used[c] = true
			if l := local[table.Rows[i]]; l >= 0 {
				bit := base[c] + int(l)
				s.pairs[bit/64] |= 1 << (bit % 64)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := scratch{make([]uint64, base[t.Channels()]/64+1), make([]bool, t.Channels())}
	for _, s := range seen {
		for i, w := range s.pairs {
			all.pairs[i] |= w
		}
		for c, used := range s.used {
			all.used[c] = all.used[c] || used
		}
	}
	pairs := 0
	for _, w := range all.pairs {
		pairs += bits.OnesCount64(w)
	}
	u := &Usage{Used: all.used, First: make([]int32, t.Channels()+1), Rows: make([]spec.RowID, 0, pairs), net: n}
	for c := range t.Channels() {
		rows := byNode[t.Head(spec.ChannelID(c))]
		for bit := base[c]; bit < base[c+1]; bit++ {
			if all.pairs[bit/64]>>(bit%64)&1 == 1 {
				u.Rows = append(u.Rows, rows[bit-base[c]])
			}
		}
		u.First[c+1] = int32(len(u.Rows))
	}
	return u, nil
}

// Dependencies returns the channel dependency graph: its vertices are the network
// channels, and an edge c -> d says that a packet in c may next ask for d.
func (u *Usage) Dependencies() *graph.Graph {
	channels := u.net.Topology().Channels()
	g := &graph.Graph{First: make([]uint32, 1, channels+1)}
	mark := make([]int32, channels) // mark[d] == c+1: c -> d has been added
	for c := range spec.ChannelID(channels) {
		for _, r := range u.Of(c) {
			for _, h := range u.net.Row(r) {
				if d := h.Channel; d != spec.Eject && mark[d] != int32(c)+1 {
					mark[d] = int32(c) + 1
					g.To = append(g.To, int32(d))
				}
			}
		}
		slices.Sort(g.To[g.First[c]:])
		g.First = append(g.First, uint32(len(g.To)))
	}
	return g
}
