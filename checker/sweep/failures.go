package sweep

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Cable is what fails at once between two nodes: a link and, if there is one,
// the link that leads back.
type Cable struct {
	Name  string        // A-B, or A->B of a link without a way back; the second one between the same nodes A-B#2
	Links []spec.LinkID // one or two
}

// Cables lists the cables of a topology in the order of their first links. Of
// parallel links the i-th one there and the i-th one back make a cable.
func Cables(t *spec.Topology) []Cable {
	type pair struct{ from, to spec.NodeID }
	waiting := map[pair][]int{} // cables whose way back is still to come
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
	seen := map[string]int{}
	for i := range all {
		link := t.Link(all[i].Links[0])
		between := "->"
		if len(all[i].Links) == 2 {
			between = "-"
		}
		name := t.Node(link.From).Name + between + t.Node(link.To).Name
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s#%d", name, seen[name])
		}
		all[i].Name = name
	}
	return all
}

// Failures are the cables and nodes of a topology that do not work.
type Failures struct {
	Cables []Cable
	Nodes  []spec.NodeID
}

// Without returns the network as it runs on with failures that its routing does
// not know of: no packet can take a hop over a failed link or to a failed node,
// and failed nodes neither send nor receive. A packet whose every hop has failed
// is at a dead end.
func Without(def spec.Definition, f Failures) spec.Definition {
	t := def.Topology
	failedNode := make([]bool, t.Nodes())
	for _, v := range f.Nodes {
		failedNode[v] = true
	}
	failed := make([]bool, t.Links())
	for l := range failed {
		link := t.Link(spec.LinkID(l))
		failed[l] = failedNode[link.From] || failedNode[link.To]
	}
	for _, c := range f.Cables {
		for _, l := range c.Links {
			failed[l] = true
		}
	}
	if !slices.Contains(failed, true) && len(f.Nodes) == 0 {
		return def
	}
	flows := def.Flows
	def.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
		return !failedNode[src] && !failedNode[dst] && (flows == nil || flows(src, dst, c))
	}
	def.Routing = &working{def.Routing, t, failed}
	return def
}

// working is a relation less the hops over failed links.
type working struct {
	spec.Relation
	t      *spec.Topology
	failed []bool // by link
}

func (w *working) Next(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	begin := len(dst)
	dst, err := w.Relation.Next(dst, at, h)
	if err != nil {
		return dst, err
	}
	kept := slices.DeleteFunc(dst[begin:], func(hop spec.Hop) bool {
		return hop.Channel >= 0 && w.failed[w.t.LinkOf(hop.Channel)]
	})
	return dst[:begin+len(kept)], nil
}

// Reason is that of the relation.
func (w *working) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) string {
	return spec.Reason(w.Relation, at, h, hop)
}
