package studies

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
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

// leaving returns the nodes of a shortest path from a node of the region towards dest that ends outside, or nil.
func leaving(n *spec.Network, region []spec.NodeID, dest spec.NodeID) (path []spec.NodeID) {
	var from []spec.Site
	for _, v := range region {
		from = append(from, spec.Site{Channel: spec.Injection(v), Header: spec.Header{Dest: dest}})
	}
	node := func(at spec.Site) spec.NodeID { return n.Topology().Head(at.Channel) }
	sites, _ := bfs.Path(from, func(at spec.Site) bool {
		_, inside := slices.BinarySearch(region, node(at))
		return !inside
	}, func(at spec.Site, visit func(spec.Hop, spec.Site)) {
		hops, _ := n.Hops(at)
		for _, h := range hops {
			if h.Channel != spec.Eject {
				visit(h, spec.Site{Channel: h.Channel, Header: spec.Header{Dest: dest, Class: at.Header.Class, Tag: h.Tag}})
			}
		}
	})
	for _, at := range sites {
		path = append(path, node(at))
	}
	return path
}
