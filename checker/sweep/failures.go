package sweep

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Cable is what fails at once between two nodes: a link and, if there is one,
// the link that leads back.
type Cable struct {
	Name  string        // A-B, or A->B without a link back; a second one between the same nodes is A-B#2
	Links []spec.LinkID // one or two
}

// Cables lists the cables of a topology in the order of their first links. Of
// parallel links, the i-th one there and the i-th one back form a cable.
func Cables(t *spec.Topology) []Cable {
	type pair struct{ from, to spec.NodeID }
	waiting := map[pair][]int{} // cables whose link back has not come yet
	var all []Cable
	for l := range spec.LinkID(t.Links()) {
		link := t.Link(l)
		back := pair{link.To, link.From}
		if open := waiting[back]; len(open) > 0 {
			all[open[0]].Links = append(all[open[0]].Links, l)
			waiting[back] = open[1:]
			continue
		}
		there := pair{link.From, link.To}
		waiting[there] = append(waiting[there], len(all))
		all = append(all, Cable{Links: []spec.LinkID{l}})
	}
	links, cables := map[pair]int{}, map[pair]int{}
	for i := range all {
		link := t.Link(all[i].Links[0])
		between, seen, ends := "->", links, pair{link.From, link.To}
		if len(all[i].Links) == 2 {
			between, seen = "-", cables
			if back := (pair{link.To, link.From}); seen[back] > 0 { // parallel to a cable that begins at the other end
				ends = back
			}
		}
		name := t.Node(ends.from).Name + between + t.Node(ends.to).Name
		if seen[ends]++; seen[ends] > 1 {
			name = fmt.Sprintf("%s#%d", name, seen[ends])
		}
		all[i].Name = name
	}
	return all
}

// Failures are the failed cables and nodes of a topology.
type Failures struct {
	Cables []Cable
	Nodes  []spec.NodeID
}

// Without returns what is left of a network when cables and nodes have failed and its
// routing does not know it. The failed links, and all links of failed nodes, are missing;
// failed nodes neither send nor receive, but keep their numbers. A packet all of whose hops
// have failed is at a dead end.
func Without(def routing.Definition, f Failures) routing.Definition {
	old := def.Topology
	failedNode := make([]bool, old.Nodes())
	for _, v := range f.Nodes {
		failedNode[v] = true
	}
	failed := make([]bool, old.Links())
	for l := range failed {
		link := old.Link(spec.LinkID(l))
		failed[l] = failedNode[link.From] || failedNode[link.To]
	}
	for _, c := range f.Cables {
		for _, l := range c.Links {
			failed[l] = true
		}
	}
	if !slices.Contains(failed, true) && len(f.Nodes) == 0 || old.Err() != nil {
		return def // as it is, or for Compile to refuse
	}
	flows := def.Flows
	def.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
		return !failedNode[src] && !failedNode[dst] && (flows == nil || flows(src, dst, c))
	}
	left := &remnant{relation: def.Routing, now: make([]spec.ChannelID, old.Channels())}
	def.Topology = spec.NewTopology(old.VCNames()...)
	for v := range spec.NodeID(old.Nodes()) {
		def.Topology.AddNode(old.Node(v).Name, old.Node(v).At...)
	}
	for l, gone := range failed {
		link := old.Link(spec.LinkID(l))
		next := spec.ChannelID(len(left.before))
		if gone {
			left.lost = append(left.lost, link.From)
		} else {
			def.Topology.AddLink(link)
		}
		for vc := range link.VCs {
			c := old.Channel(spec.LinkID(l), vc)
			left.now[c] = none
			if !gone {
				left.now[c] = next + spec.ChannelID(vc)
				left.before = append(left.before, c)
			}
		}
	}
	def.Routing = left
	if def.Selection != nil && def.Selection.Commit != nil {
		def.Selection = left.selection(def.Selection)
	}
	return def
}

// remnant is a relation on the remaining links of its topology, whose
// channels are renumbered.
type remnant struct {
	relation routing.Relation
	before   []spec.ChannelID // by channel: its number in the whole topology
	now      []spec.ChannelID // by channel of the whole topology; none if it failed
	lost     []spec.NodeID    // that lost a link, once for each
}

// none stands for a channel that failed.
const none spec.ChannelID = 1<<31 - 1

// whole returns the number of a channel in the whole topology; ejection and injection
// channels have the same number in both.
func (r *remnant) whole(c spec.ChannelID) spec.ChannelID {
	if c < 0 {
		return c
	}
	return r.before[c]
}

// remaining is the inverse of whole. What is not a channel of the whole topology is returned
// unchanged, for Compile to refuse.
func (r *remnant) remaining(c spec.ChannelID) spec.ChannelID {
	if c < 0 || int(c) >= len(r.now) {
		return c
	}
	return r.now[c]
}

func (r *remnant) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	begin := len(dst)
	dst, err := r.relation.AppendHops(dst, r.whole(at), h)
	if err != nil {
		return dst, err
	}
	kept := dst[:begin]
	for _, hop := range dst[begin:] {
		if hop.Channel = r.remaining(hop.Channel); hop.Channel != none {
			kept = append(kept, hop)
		}
	}
	return kept, nil
}

// Alternatives are those of the relation, without the hops that failed: a packet that is committed to failed hops alone
// is at a dead end.
func (r *remnant) Alternatives(at spec.ChannelID, h spec.Header) ([][]spec.Hop, error) {
	c, commits := r.relation.(routing.Committing)
	if !commits {
		hops, err := r.AppendHops(nil, at, h)
		return [][]spec.Hop{hops}, err
	}
	all, err := c.Alternatives(r.whole(at), h)
	left := make([][]spec.Hop, len(all))
	for i, hops := range all {
		for _, hop := range hops {
			if hop.Channel = r.remaining(hop.Channel); hop.Channel != none {
				left[i] = append(left[i], hop)
			}
		}
	}
	return left, err
}

// Pure is what the relation says of itself.
func (r *remnant) Pure() bool {
	p, ok := r.relation.(routing.Pure)
	return ok && p.Pure()
}

// Reason returns the reason of the relation.
func (r *remnant) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	hop.Channel = r.whole(hop.Channel)
	return routing.Reason(r.relation, r.whole(at), h, hop)
}

// selection is a selection function on what is left. If it commits to a failed hop, the hop
// becomes none, for Compile to refuse.
func (r *remnant) selection(s *routing.Selection) *routing.Selection {
	left := *s
	left.Commit = func(dst []spec.Hop, at spec.ChannelID, h spec.Header, permitted []spec.Hop) []spec.Hop {
		permitted = slices.Clone(permitted)
		for i := range permitted {
			permitted[i].Channel = r.whole(permitted[i].Channel)
		}
		begin := len(dst)
		dst = s.Commit(dst, r.whole(at), h, permitted)
		for i := range dst[begin:] {
			dst[begin+i].Channel = r.remaining(dst[begin+i].Channel)
		}
		return dst
	}
	return &left
}

// Rerouted returns a network that was built knowing the failures of another, without what
// failed. Nodes are identified by name. Of the links from one node to another, either as
// many as are left must exist, or all, of which the failed ones are removed; so no case
// passes because its file left a link in.
func Rerouted(def routing.Definition, intact *spec.Topology, f Failures) (routing.Definition, error) {
	t := def.Topology
	down := make([]bool, intact.Nodes())
	var rest Failures
	for _, v := range f.Nodes {
		down[v] = true
		if now, ok := t.NodeNamed(intact.Node(v).Name); ok {
			rest.Nodes = append(rest.Nodes, now)
		}
	}
	same := make([]spec.NodeID, intact.Nodes())
	for v := range same {
		now, ok := t.NodeNamed(intact.Node(spec.NodeID(v)).Name)
		if same[v] = now; !ok && !down[v] {
			return def, fmt.Errorf("node %s is missing, although it has not failed", intact.Node(spec.NodeID(v)).Name)
		}
	}
	failed := map[[2]spec.NodeID][]spec.LinkID{} // by the nodes they join
	var pairs [][2]spec.NodeID
	for _, c := range f.Cables {
		for _, l := range c.Links {
			link := intact.Link(l)
			if down[link.From] || down[link.To] {
				continue
			}
			pair := [2]spec.NodeID{link.From, link.To}
			if failed[pair] == nil {
				pairs = append(pairs, pair)
			}
			failed[pair] = append(failed[pair], l)
		}
	}
	for _, pair := range pairs {
		from, to := pair[0], pair[1]
		before, now := intact.LinksBetween(from, to), t.LinksBetween(same[from], same[to])
		switch left := len(before) - len(failed[pair]); len(now) {
		case left:
		case len(before):
			for _, l := range failed[pair] {
				rest.Cables = append(rest.Cables, Cable{Links: []spec.LinkID{now[slices.Index(before, l)]}})
			}
		default:
			return def, fmt.Errorf("%d links lead from %s to %s: want the %d that have not failed",
				len(now), intact.Node(from).Name, intact.Node(to).Name, left)
		}
	}
	return Without(def, rest), nil
}
