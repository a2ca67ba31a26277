package route

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// Forwarding.
//
// The routes to a destination are a tree: each node except the destination has a next link
// or none, and following them leads to the destination. Engines grow one tree after the
// other. A tree is grown from the destination outwards, so each node comes after the one
// that its link leads to. What earlier trees put on the links is their load; of equally
// good paths the one with the least load is taken.

// forwarding is what an engine found.
type forwarding struct {
	nodes int
	next  []spec.LinkID // by destination and node; -1: no route
	vcs   int
	roots []spec.NodeID

	// The VC of a packet on its first link, and on the link after a turn; nil: the first VC,
	// and the same VC.
	start func(d int, source spec.NodeID, first spec.LinkID) int
	step  func(at spec.LinkID, vc int, to spec.LinkID) int
}

// tree returns the next links to destination number d.
func (f *forwarding) tree(d int) []spec.LinkID { return f.next[d*f.nodes : (d+1)*f.nodes] }

func (g *ground) newForwarding() *forwarding {
	return &forwarding{nodes: g.t.Nodes(), next: slices.Repeat([]spec.LinkID{-1}, len(g.ends)*g.t.Nodes()), vcs: 1}
}

// loads counts flows, by link.
type loads []int64

// charge adds the flows of a tree, by times each, to the load, and returns how many go from
// or through each node. grown lists the tree's nodes in the order they were grown.
func (g *ground) charge(load loads, next []spec.LinkID, grown []spec.NodeID, by int64) (flows []int64) {
	flows = make([]int64, g.t.Nodes())
	for _, v := range slices.Backward(grown) {
		if next[v] < 0 {
			continue // the destination
		}
		if g.terminal[v] {
			flows[v]++
		}
		load[next[v]] += by * flows[v]
		flows[g.t.Link(next[v]).To] += flows[v]
	}
	return flows
}

// rounds is how often trees are grown: all but the first time against the load of all others.
const rounds = 3

// forward grows all trees. The function grow fills in next for one tree, and returns the nodes
// that have a route in the order in which they got it, the destination first.
func (g *ground) forward(
	ctx context.Context, grow func(d int, load loads, next []spec.LinkID) []spec.NodeID,
) (*forwarding, error) {
	f, load := g.newForwarding(), make(loads, g.t.Links())
	grown := make([][]spec.NodeID, len(g.ends))
	for range rounds {
		for d := range g.ends {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			next := f.tree(d)
			g.charge(load, next, grown[d], -1)
			for v := range next {
				next[v] = -1
			}
			grown[d] = grow(d, load, next)
			g.charge(load, next, grown[d], 1)
		}
	}
	return f, nil
}

// network compiles routes straight to tables.
func (g *ground) network(ctx context.Context, f *forwarding) (*spec.Network, error) {
	t := routing.Widened(g.t, func(l spec.LinkID) int {
		if link := g.t.Link(l); link.From == link.To {
			return link.VCs
		}
		return f.vcs
	})
	p := spec.Parts{
		Name: g.opt.Name + ", routed by " + string(g.opt.Engine), Topology: t, Classes: []string{""}, Tags: 1,
		Switching: g.opt.Switching, Buffer: cmp.Or(g.opt.Buffer, 1),
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	tables := make([]spec.Table, len(g.ends))
	workers := cmp.Or(g.opt.Workers, runtime.GOMAXPROCS(0))
	found := make([][]spec.RowID, workers) // by worker and channel: see table
	var sites atomic.Int64
	err := each.Do(ctx, workers, len(g.ends), func(worker, d int) error {
		if found[worker] == nil {
			found[worker] = slices.Repeat([]spec.RowID{-1}, t.Channels())
		}
		tables[d] = g.table(f, t, d, found[worker])
		if all := sites.Add(int64(len(tables[d].Sources) + tables[d].Len())); g.opt.MaxSites > 0 &&
			all > int64(g.opt.MaxSites) {
			return &spec.BoundError{What: "sites", Limit: g.opt.MaxSites}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.Tables = slices.DeleteFunc(tables, func(t spec.Table) bool { return len(t.Sources) == 0 })
	p.Rows = number(p.Tables, t.Channels())
	return spec.NewNetwork(ctx, p)
}

// Numbers of rows until all are known: no hop at all, Eject, and each channel.
const (
	rowNone = iota
	rowEject
	rowChannel
)

// table follows the routes to a destination. A source without a route has no hop: its packets
// are lost, which violates delivery. found is by channel; it must be all -1, and is again afterwards.
func (g *ground) table(f *forwarding, t *spec.Topology, d int, found []spec.RowID) spec.Table {
	to, next := g.ends[d], f.tree(d)
	table := spec.Table{Target: spec.Target{Dest: to}}
	for _, source := range g.ends {
		l, vc := next[source], 0
		if source == to {
			continue
		}
		if l < 0 {
			table.Sources = append(table.Sources, spec.Source{Node: source, Row: rowNone})
			continue
		}
		if f.start != nil {
			vc = f.start(d, source, l)
		}
		c := t.Channel(l, vc)
		table.Sources = append(table.Sources, spec.Source{Node: source, Row: rowChannel + spec.RowID(c)})
		for found[c] < 0 {
			table.Channels = append(table.Channels, c)
			v := t.Head(c)
			if v == to {
				found[c] = rowEject
				break
			}
			if f.step != nil {
				vc = f.step(l, vc, next[v])
			}
			l = next[v]
			onto := t.Channel(l, vc)
			c, found[c] = onto, rowChannel+spec.RowID(onto)
		}
	}
	slices.Sort(table.Channels)
	table.Rows = make([]spec.RowID, len(table.Channels))
	for i, c := range table.Channels {
		table.Rows[i], found[c] = found[c], -1
	}
	return table
}

// number returns the rows that tables use, and renumbers them in the tables.
func number(tables []spec.Table, channels int) (rows [][]spec.Hop) {
	now := slices.Repeat([]spec.RowID{-1}, rowChannel+channels)
	each := func(f func(r *spec.RowID)) {
		for i := range tables {
			for s := range tables[i].Sources {
				f(&tables[i].Sources[s].Row)
			}
			for s := range tables[i].Rows {
				f(&tables[i].Rows[s])
			}
		}
	}
	each(func(r *spec.RowID) { now[*r] = 0 })
	for r, used := range now {
		if used < 0 {
			continue
		}
		now[r] = spec.RowID(len(rows))
		switch r {
		case rowNone:
			rows = append(rows, nil)
		case rowEject:
			rows = append(rows, []spec.Hop{{Channel: spec.Eject}})
		default:
			rows = append(rows, []spec.Hop{{Channel: spec.ChannelID(r - rowChannel)}})
		}
	}
	each(func(r *spec.RowID) { *r = now[*r] })
	return rows
}
