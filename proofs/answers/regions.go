package answers

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
)

// Regions names the property that no packet between two nodes of a region passes a node
// outside of it, for each of several regions, such as partitions of a machine for
// different users.
//
// That it holds is shown by the regions alone: for each target in a region, all sites
// that packets from the region may reach are visited, so no packet is left out,
// whichever hops it takes. One path shows that it does not hold.
const Regions = "regions"

// RegionSet is a list of regions of a network, which may overlap, or a single region
// and a path that leaves it, if the property does not hold.
type RegionSet struct {
	Network spec.Digest
	Regions [][]spec.NodeID // each ascending

	// Way shows that the property does not hold: the nodes of a packet's path for
	// Target, from its source on, of which the last is outside; nil if it holds.
	Way    []spec.NodeID
	Target spec.Target
}

// VerifyRegions checks, without a path, every packet between two nodes of each
// region, whichever permitted hops it takes; with one, that a packet may go this
// path, and that its source and destination lie in the region and the path's last node
// does not. A nil error is the only acceptance; regions without a flow inside show
// nothing and are refused. Time: the sites that packets reach, for each region and
// each target in it.
//
// Soundness: from the first hops of every flow within a region all hops are followed to
// all sites, and none leads outside; a path is followed hop by hop in the tables. This is
// a search: the sites are not listed in the evidence. Not covered: flows into a region
// from outside, and that the regions are those that were meant.
func VerifyRegions(n *spec.Network, r *RegionSet) error {
	switch {
	case r == nil || len(r.Regions) == 0:
		return errors.New("no regions")
	case r.Network != n.Digest():
		return fmt.Errorf("the regions are for another network: %s, not %s", r.Network, n.Digest())
	}
	v := regionCheck{n: n, in: make([]bool, n.Topology().Nodes()), seen: make([]int, n.Topology().Channels()*n.Tags())}
	tables := make([][]*spec.Table, len(v.in)) // by destination
	for k := range n.Tables() {
		t := n.Table(k)
		tables[t.Dest] = append(tables[t.Dest], t)
	}
	for i, region := range r.Regions {
		clear(v.in)
		for k, node := range region {
			if node < 0 || int(node) >= len(v.in) || k > 0 && node <= region[k-1] {
				return fmt.Errorf("region %d: node %d does not exist, or is out of order", i+1, node)
			}
			v.in[node] = true
		}
		if r.Way != nil {
			continue
		}
		for _, node := range region {
			for _, t := range tables[node] {
				if err := v.stays(t, region); err != nil {
					return fmt.Errorf("region %d: %w", i+1, err)
				}
			}
		}
	}
	if r.Way == nil {
		if !v.some {
			return errors.New("no node sends within any of the regions, so nothing is shown")
		}
		return nil
	}
	if len(r.Regions) != 1 {
		return fmt.Errorf("a path out of a region with %d regions: want one", len(r.Regions))
	}
	return v.leaves(r)
}

// regionCheck follows packets of one target after another.
type regionCheck struct {
	n     *spec.Network
	in    []bool // by node: whether it is in the region
	seen  []int  // by channel and tag: the number of the last target for which a packet came there
	round int
	some  bool // some packet was followed
	stack []spec.Hop
}

// stays checks that packets of a table that start in the region stay in it.
func (v *regionCheck) stays(t *spec.Table, region []spec.NodeID) error {
	v.round++
	topo, tags := v.n.Topology(), v.n.Tags()
	enter := func(row spec.RowID) error {
		for _, h := range v.n.Row(row) {
			if h.Channel == spec.Eject {
				continue
			}
			if to := topo.Head(h.Channel); !v.in[to] {
				return fmt.Errorf("a packet for %s, class %d, passes %s, outside the region",
					topo.Node(t.Dest).Name, t.Class, topo.Node(to).Name)
			}
			if at := int(h.Channel)*tags + int(h.Tag); v.seen[at] != v.round {
				v.seen[at] = v.round
				v.stack = append(v.stack, h)
			}
		}
		return nil
	}
	v.stack = v.stack[:0]
	for _, node := range region {
		for _, src := range t.SourcesOf(node) {
			v.some = true
			if err := enter(src.Row); err != nil {
				return err
			}
		}
	}
	for len(v.stack) > 0 {
		h := v.stack[len(v.stack)-1]
		v.stack = v.stack[:len(v.stack)-1]
		i, legal := t.Find(h.Channel, h.Tag)
		if !legal {
			return fmt.Errorf("a hop leads to %s, which is not a site", topo.ChannelName(h.Channel))
		}
		if err := enter(t.Rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// leaves checks a path: all hops that lead along it are followed side by side.
func (v *regionCheck) leaves(r *RegionSet) error {
	topo := v.n.Topology()
	for _, node := range r.Way {
		if node < 0 || int(node) >= topo.Nodes() {
			return fmt.Errorf("the path passes node %d, which does not exist", node)
		}
	}
	t := v.n.TableOf(r.Target)
	switch {
	case t == nil || len(r.Way) < 2:
		return errors.New("no node sends to the destination, or the path has no hop")
	case !v.in[r.Way[0]] || !v.in[t.Dest]:
		return errors.New("the packet's source and destination are not both in the region")
	case v.in[r.Way[len(r.Way)-1]]:
		return errors.New("the path ends in the region")
	}
	sources := t.SourcesOf(r.Way[0])
	if len(sources) == 0 {
		return fmt.Errorf("%s does not send to the destination", topo.Node(r.Way[0]).Name)
	}
	rows := map[spec.RowID]bool{}
	for _, src := range sources {
		rows[src.Row] = true
	}
	for _, node := range r.Way[1:] {
		next := map[spec.RowID]bool{}
		for row := range rows {
			for _, h := range v.n.Row(row) {
				if h.Channel == spec.Eject || topo.Head(h.Channel) != node {
					continue
				}
				if i, legal := t.Find(h.Channel, h.Tag); legal {
					next[t.Rows[i]] = true
				}
			}
		}
		if len(next) == 0 {
			return fmt.Errorf("the packet may not go to %s there", topo.Node(node).Name)
		}
		rows = next
	}
	return nil
}

// The written form of regions, nodes numbered as in the closed form:
//
//	unknot-regions 1
//	network DIGEST
//	regions COUNT
//	NODE NODE ...              a region a line
//	way DEST CLASS NODE ...    if the property does not hold
//	end
const regionsLine = "unknot-regions 1"

// ReadRegions reads the written form. Memory is bounded by the text. Errors are
// *spec.PosError with the given file name.
func ReadRegions(file string, in io.Reader) (*RegionSet, error) {
	l := lines.New(file, in, regionsLine)
	r := &RegionSet{Network: l.Network()}
	nodes := func(words []string) (list []spec.NodeID) {
		for _, w := range words {
			list = append(list, spec.NodeID(l.Number(w, 0, math.MaxInt32)))
		}
		return list
	}
	for count := l.Numbers("regions", 1)[0]; len(r.Regions) < count && l.Err() == nil; {
		r.Regions = append(r.Regions, nodes(strings.Split(l.ReadLine(), " ")))
	}
	if strings.HasPrefix(l.Peek(), "way ") {
		words := strings.Split(l.Field("way"), " ")
		if len(words) < 3 {
			l.Fail("want \"way DEST CLASS NODE ...\" here")
			return nil, l.Err()
		}
		r.Target = spec.Target{Dest: nodes(words[:1])[0], Class: spec.Class(l.Number(words[1], 0, math.MaxUint16))}
		r.Way = nodes(words[2:])
	}
	return lines.End(l, r)
}
