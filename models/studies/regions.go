package studies

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/spec"
)

// SettleRegions decides whether, for all of the regions, no packet between two nodes of a
// region passes a node outside. If one does, it returns the names of the nodes on its way, up
// to the first outside, and of its destination.
func (p *Part) SettleRegions(ctx context.Context, regions [][]spec.NodeID) (path []string, dest string, err error) {
	n, err := p.compiled(ctx)
	if err != nil {
		return nil, "", err
	}
	all := &answers.RegionSet{Network: n.Digest(), Regions: regions}
	inside := answers.VerifyRegions(n, all)
	if inside == nil {
		p.Verdict, p.Regions = spec.Holds, regions
		return nil, "", nil
	}
	for _, region := range regions {
		for _, p.Dest = range region {
			if p.Way = leaving(n, region, p.Dest); p.Way == nil {
				continue
			}
			p.Verdict, p.Regions = spec.Violated, [][]spec.NodeID{region}
			for _, v := range p.Way {
				path = append(path, n.Topology().Node(v).Name)
			}
			return path, n.Topology().Node(p.Dest).Name, nil
		}
	}
	return nil, "", inside
}

// leaving returns the nodes of a shortest path from a node of the region towards dest that
// ends outside, or nil. It searches breadth first, each site once.
func leaving(n *spec.Network, region []spec.NodeID, dest spec.NodeID) []spec.NodeID {
	type step struct {
		at     spec.Site
		node   spec.NodeID
		before int // index of the step before; -1: the source
	}
	var steps []step
	seen := map[spec.Site]bool{}
	for _, v := range region {
		steps = append(steps, step{spec.Site{Channel: spec.Injection(v), Header: spec.Header{Dest: dest}}, v, -1})
	}
	for i := 0; i < len(steps); i++ {
		if _, inside := slices.BinarySearch(region, steps[i].node); !inside {
			var path []spec.NodeID
			for k := i; k >= 0; k = steps[k].before {
				path = append(path, steps[k].node)
			}
			slices.Reverse(path)
			return path
		}
		hops, _ := n.Hops(steps[i].at)
		for _, h := range hops {
			next := spec.Site{Channel: h.Channel, Header: spec.Header{
				Dest: dest, Class: steps[i].at.Header.Class, Tag: h.Tag,
			}}
			if h.Channel != spec.Eject && !seen[next] {
				seen[next] = true
				steps = append(steps, step{next, n.Topology().Head(h.Channel), i})
			}
		}
	}
	return nil
}
