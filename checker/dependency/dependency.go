// Package dependency, internal to unknot, provides the channel dependency graphs of a network, with the reason for every
// edge: the plain one (Dally and Seitz 1987), the extended one (Duato 1993, 1995), and the escape that a certificate
// describes.
package dependency

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/spec"
)

// Graph is a channel dependency graph: its vertices are the network channels,
// and an edge c -> d says that a packet in c may next ask for d.
type Graph struct {
	used []bool
	g    *graph.Graph
}

// Edge is a dependency between two channels.
type Edge struct{ From, To spec.ChannelID }

func compareEdges(a, b Edge) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
}

// Of returns the channel dependency graph of n, over sites only.
func Of(ctx context.Context, n *spec.Network) (*Graph, error) {
	u, err := relation.NewUsage(ctx, n, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	return &Graph{u.Used, u.Dependencies()}, nil
}

// Around returns the edges of a cycle: from each channel to the next, and from the
// last to the first.
func Around(cycle []spec.ChannelID) []Edge {
	edges := make([]Edge, len(cycle))
	for i, c := range cycle {
		edges[i] = Edge{c, cycle[(i+1)%len(cycle)]}
	}
	return edges
}

// Channels returns the number of channels, used or not.
func (g *Graph) Channels() int { return g.g.Len() }

// Used reports whether some packet enters channel c.
func (g *Graph) Used(c spec.ChannelID) bool { return g.used[c] }

// Edges returns the number of edges.
func (g *Graph) Edges() int { return len(g.g.To) }

// Out yields the channels that c depends on, ascending: those that a packet in c may next ask for.
func (g *Graph) Out(c spec.ChannelID) iter.Seq[spec.ChannelID] {
	return func(yield func(spec.ChannelID) bool) {
		for _, d := range g.g.Successors(int32(c)) {
			if !yield(spec.ChannelID(d)) {
				return
			}
		}
	}
}

// EdgesAmong returns the edges between the given channels, in order.
func (g *Graph) EdgesAmong(channels []spec.ChannelID) []Edge {
	in := make(map[spec.ChannelID]bool, len(channels))
	for _, c := range channels {
		in[c] = true
	}
	var edges []Edge
	for c := range spec.ChannelID(g.Channels()) {
		if !in[c] {
			continue
		}
		for d := range g.Out(c) {
			if in[d] {
				edges = append(edges, Edge{c, d})
			}
		}
	}
	return edges
}

// UsedChannels returns the channels that some packet uses, ascending.
func (g *Graph) UsedChannels() []spec.ChannelID {
	var used []spec.ChannelID
	for c := range spec.ChannelID(g.Channels()) {
		if g.Used(c) {
			used = append(used, c)
		}
	}
	return used
}

// CyclicChannels returns the channels that are on some cycle, ascending.
func (g *Graph) CyclicChannels() []spec.ChannelID {
	cyclic := slices.Concat(g.Cyclic()...)
	slices.Sort(cyclic)
	return cyclic
}

// Cyclic returns the strongly connected components with more than one channel,
// each ascending, ordered by their least channel. Linear time (Tarjan, 1972).
func (g *Graph) Cyclic() [][]spec.ChannelID {
	var c graph.Components
	c.Find(g.g)
	var out [][]spec.ChannelID
	for i := range int32(c.Count()) {
		if members := c.Component(i); len(members) > 1 {
			slices.Sort(members)
			out = append(out, channelIDs(members))
		}
	}
	slices.SortFunc(out, func(a, b []spec.ChannelID) int { return cmp.Compare(a[0], b[0]) })
	return out
}

// ShortestCycle returns the channels of a shortest cycle in order, or nil if the
// graph is acyclic. On a very large graph the cycle may not be shortest; exact
// tells whether it is known to be.
func (g *Graph) ShortestCycle() (cycle []spec.ChannelID, exact bool) {
	const budget = 1 << 30
	c, exact := graph.ShortestCycle(g.g, budget)
	if c == nil {
		return nil, exact
	}
	return channelIDs(c), exact
}

func channelIDs(vs []int32) []spec.ChannelID {
	out := make([]spec.ChannelID, len(vs))
	for i, v := range vs {
		out[i] = spec.ChannelID(v)
	}
	return out
}

// Kind is the kind of an edge of an extended dependency graph.
type Kind uint8

const (
	Direct        Kind = iota // a packet in c, routed there by the escape, asks for d
	Indirect                  // as Direct, after hops that the escape does not permit
	DirectCross               // a packet in c, not routed there by the escape, asks for d
	IndirectCross             // as DirectCross, after further hops
)

var kindNames = [...]string{"direct", "indirect", "direct cross", "indirect cross"}

// String returns "direct", "indirect", "direct cross" or "indirect cross".
func (k Kind) String() string { return kindNames[k] }

// Dependency is an edge with the reason for it.
type Dependency struct {
	Edge
	Kind Kind
	Held spec.Site // the packet's site in channel From
	At   spec.Site // where it asks for To: Held itself, or further on if indirect
	Hop  spec.Hop
	Why  spec.Reason // that permits the hop

	Committed string // to which alternative the packet at At is: spec.Network.CommitmentText
}

// Sentence says which packet makes the dependency in the network of topology t, in which alternative, and by which rule.
func (d Dependency) Sentence(t *spec.Topology) string {
	return fmt.Sprintf("packet for %s in %s asks for %s%s",
		t.Node(d.At.Header.Dest).Name, t.ChannelName(d.At.Channel)+d.Committed, t.ChannelName(d.To), d.Why.Clause())
}

// Explain returns, for each edge of the plain dependency graph, the first site
// in canonical order that makes it. It makes one pass over all sites.
func Explain(n *spec.Network, edges []Edge) []Dependency {
	out := make([]Dependency, len(edges))
	asked := make(map[spec.ChannelID][]int, len(edges))
	for i, e := range edges {
		out[i].Edge = e
		asked[e.From] = append(asked[e.From], i)
	}
	found := make([]bool, len(edges))
	for i := range n.Tables() {
		t := n.Table(i)
		for j, c := range t.Channels {
			for _, k := range asked[c] {
				if found[k] {
					continue
				}
				for _, h := range n.Row(t.Rows[j]) {
					if h.Channel == edges[k].To {
						s := t.Site(j)
						out[k].Held, out[k].At, out[k].Hop, out[k].Why = s, s, h, n.Reason(s, h)
						out[k].Committed = n.CommitmentText(s)
						found[k] = true
						break
					}
				}
			}
		}
	}
	return out
}

// Ends lists the channels that some edges touch, ascending.
func Ends(edges []Edge) []spec.ChannelID {
	var ends []spec.ChannelID
	for _, e := range edges {
		ends = append(ends, e.From, e.To)
	}
	slices.Sort(ends)
	return slices.Compact(ends)
}
