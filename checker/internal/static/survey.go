package static

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/each"
	"github.com/seed-105a2da2/unknot/spec/support/pages"
)

// surveyed surveys the single packets, once.
func (d *Decision) surveyed(ctx context.Context) (*survey, error) {
	if d.survey != nil {
		return d.survey, nil
	}
	d.say(routing.Progress{Stage: "survey of single packets"})
	s := &survey{cyclic: make([]bool, d.n.Tables())}
	minimal := false
	switch {
	case d.lists():
	case d.ranks != nil: // a search from each destination, which minimal needs, takes longer than to descend
		s.ranks = d.ranks
		s.bounded = d.n.SiteCount() > cmp.Or(d.opt.measured, 1<<28)
	default:
		var err error
		if s.longest, minimal, err = d.minimal(ctx); err != nil {
			return nil, err
		}
	}
	if s.ranks == nil && !minimal {
		s.left = pages.Make[int32](d.n.SiteCount())
	}
	found := make([][]fault, d.n.Tables())
	counts := make([][faultKinds]int, d.opt.Workers)
	ends := endsOf(d.n)
	paths := make([][]int32, d.opt.Workers)
	look := func(worker, i int, t *spec.Table, g *relation.RowGraph) {
		paths[worker] = slices.Grow(paths[worker][:0], g.Len())[:g.Len()]
		mine := s.left[t.First : t.First+t.Len()]
		s.cyclic[i] = g.HopsLeft(d.n, paths[worker], mine)
		found[i] = faultsOf(d.n, i, t, mine, s.cyclic[i], ends, &counts[worker])
	}
	var err error
	switch {
	case minimal, s.bounded:
		if s.bounded {
			s.longest = slices.Max(s.ranks)
		}
		plain := plainFragments(d.n, ends)
		tables := make([]spec.Table, d.opt.Workers)
		err = each.Do(ctx, d.opt.Workers, d.n.Tables(), func(worker, i int) error {
			if !faultless(d.n, i, ends, plain) { // a table without faults need not be assembled
				found[i] = faultsOf(d.n, i, d.n.TableIn(&tables[worker], i), nil, false, ends, &counts[worker])
			}
			return nil
		})
	case d.ranks != nil:
		plain := plainFragments(d.n, ends)
		s.longest, err = d.descend(ctx, func(worker, i int, t *spec.Table) {
			if !faultless(d.n, i, ends, plain) {
				found[i] = faultsOf(d.n, i, t, nil, false, ends, &counts[worker])
			}
		}, s.left)
	case d.opt.Deadlock && d.climbs() && d.lists():
		d.tails, err = d.usage.HeadTail(ctx, d.opt.Workers, true, look) // from the same graphs
	default:
		err = relation.EachTable(ctx, d.n, d.opt.Workers, look)
	}
	if err != nil {
		return nil, err
	}
	if s.left != nil && d.ranks == nil && d.n.SiteCount() > 0 {
		s.longest = slices.Max(s.left) // a site with a predecessor has less left, so this is a first one
	}
	for _, fs := range found {
		s.faults = append(s.faults, fs...)
	}
	for _, k := range counts {
		for i := range k {
			s.counts[i] += k[i]
		}
	}
	d.survey = s
	return s, nil
}

// lists reports that certificates have numbers for each site, where they need not.
func (d *Decision) lists() bool { return d.n.SiteCount() <= cmp.Or(d.opt.listed, 1<<22) }

// minimal reports whether packets that are not at the destination's node always have a hop, every hop leads closer to it,
// and there is none from there. Then no way of a packet is longer than any other, and the most hops that may follow a
// site are the links from its node. It looks at each row of a table once, and ends at the first table that is otherwise.
func (d *Decision) minimal(ctx context.Context) (most int32, minimal bool, err error) {
	type scratch struct {
		to    spec.NodeID
		links []int32 // by node: of a shortest way to this one
		met   []int32 // by row: the last table that has it, by its number + 1
		most  int32
	}
	topo := d.n.Topology()
	heads := make([]int32, topo.Channels())
	for c := range heads {
		heads[c] = int32(topo.Head(spec.ChannelID(c)))
	}
	back := graph.Collect(topo.Nodes(), func(add func(from, to int32)) {
		for l := range spec.LinkID(topo.Links()) {
			add(int32(topo.Link(l).To), int32(topo.Link(l).From))
		}
	})
	scratches := make([]scratch, d.opt.Workers)
	var detour atomic.Bool
	err = each.Do(ctx, d.opt.Workers, d.n.Tables(), func(worker, i int) error {
		if detour.Load() {
			return nil
		}
		s, dest, round := &scratches[worker], d.n.Stored(i).Dest, int32(i)+1
		if s.met == nil {
			s.met = make([]int32, d.n.RowCount())
		}
		if s.links == nil || s.to != dest {
			s.to = dest
			s.links, _ = back.Distances(s.links, []int32{int32(dest)}, nil)
		}
		for p := range d.n.Portions(i) {
			for k, r := range p.Rows {
				if s.met[r] == round {
					continue
				}
				here, onward := s.links[heads[p.Channels[k]]], false
				for _, h := range d.n.Row(r) {
					if h.Channel == spec.Eject {
						continue
					}
					if onward = true; s.links[heads[h.Channel]] >= here {
						detour.Store(true)
						return nil
					}
				}
				if onward != (here > 0) {
					detour.Store(true)
					return nil
				}
				if onward { // and so all sites with this row are at one node
					s.met[r] = round
				}
				s.most = max(s.most, here)
			}
		}
		return nil
	})
	for _, s := range scratches {
		most = max(most, s.most)
	}
	return most, !detour.Load(), err
}

// descend finds the hops left of all sites in the order of the ranks, and calls look with each table. It returns the
// most of them, and keeps them all in left unless that is nil.
func (d *Decision) descend(
	ctx context.Context, look func(worker, i int, t *spec.Table), left []int32,
) (longest int32, err error) {
	type scratch struct {
		table   spec.Table
		descent *relation.Descent
		left    []int32
		longest int32
	}
	scratches := make([]scratch, d.opt.Workers)
	err = each.Do(ctx, d.opt.Workers, d.n.Tables(), func(worker, i int) error {
		s := &scratches[worker]
		if s.descent == nil {
			s.descent = relation.NewDescent(d.n, d.ranks)
		}
		t := d.n.TableIn(&s.table, i)
		if left != nil {
			s.left = left[t.First : t.First+t.Len()]
		} else {
			s.left = slices.Grow(s.left[:0], t.Len())[:t.Len()]
		}
		s.longest = max(s.longest, s.descent.HopsLeft(t, s.left))
		look(worker, i, t)
		return nil
	})
	for _, s := range scratches {
		longest = max(longest, s.longest)
	}
	return longest, err
}

// endsOf reports, by row, whether a packet may end there: the row is a dead end or lets it leave.
func endsOf(n *spec.Network) []bool {
	ends := make([]bool, n.RowCount())
	for r := range ends {
		ends[r] = len(n.Row(spec.RowID(r))) == 0 || n.Leaves(spec.RowID(r))
	}
	return ends
}

// plainFragments reports, by fragment, whether no packet may end in it and every source has a first hop.
func plainFragments(n *spec.Network, ends []bool) []bool {
	plain := make([]bool, n.Fragments())
	for f := range plain {
		p := n.Fragment(int32(f))
		plain[f] = !slices.ContainsFunc(p.Rows, func(r spec.RowID) bool { return ends[r] }) &&
			!slices.ContainsFunc(p.Sources, func(s spec.Source) bool { return ends[s.Row] })
	}
	return plain
}

// faultless reports that a table without cycles has no delivery fault.
func faultless(n *spec.Network, table int, ends, plain []bool) bool {
	t := n.Stored(table)
	var counts [faultKinds]int
	faults := len(faultsOf(n, table, t, nil, false, ends, &counts))
	for _, f := range t.Fragments {
		if !plain[f] {
			p := n.Fragment(f)
			p.Target = t.Target
			faults += len(faultsOf(n, table, &p, nil, false, ends, &counts))
		}
	}
	return faults == 0
}

// faultsOf finds the first delivery fault of each kind in a table and counts all.
func faultsOf(
	n *spec.Network, table int, t *spec.Table, left []int32, cyclic bool, ends []bool, counts *[faultKinds]int,
) []fault {
	topo := n.Topology()
	var first [faultKinds]*fault
	add := func(kind counterexamples.Fault, site int) {
		counts[kind]++
		if first[kind] == nil {
			first[kind] = &fault{kind, table, site}
		}
	}
	for i, src := range t.Sources {
		switch {
		case !ends[src.Row]: // most flows
		case len(n.Row(src.Row)) == 0:
			add(counterexamples.Unrouted, -i-1)
		case n.Arrives(src.Row):
			add(counterexamples.Misdelivery, -i-1)
		}
	}
	for s, r := range t.Rows {
		switch {
		case !ends[r] && !cyclic: // most sites
		case len(n.Row(r)) == 0:
			add(counterexamples.DeadEnd, s)
		case n.Arrives(r) && topo.Head(t.Channels[s]) != t.Dest:
			add(counterexamples.Misdelivery, s)
		case cyclic && left[s] == graph.Never:
			add(counterexamples.Trap, s)
		}
	}
	var out []fault
	for _, f := range first {
		if f != nil {
			out = append(out, *f)
		}
	}
	return out
}
