package routing

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
)

// FromNetwork returns a definition with the flows, hops and reasons in the tables
// of a network, as a start for a similar one: with other switching, say, or fewer
// flows. Its relation fails at a place that is not a site of the network.
func FromNetwork(n *spec.Network) Definition {
	n = Whole(context.Background(), n)
	def := Definition{
		Name: n.Name(), Origin: n.Origin(), Topology: n.Topology(), Classes: n.Classes(), Tags: n.Tags(),
		Switching: n.Switching(), Buffer: n.Buffer(), Expect: n.Expect(), Routing: tables{n}, transactions: true,
		Flows: func(src, dst spec.NodeID, c spec.Class) bool {
			return asks(n, spec.Flow{Source: src, Target: spec.Target{Dest: dst, Class: c}}) > 0
		},
		Senders: func(dst []spec.NodeID, to spec.Target) []spec.NodeID {
			if t := n.TableOf(to); t != nil {
				for _, s := range t.Sources {
					dst = append(dst, s.Node)
				}
			}
			return dst
		},
	}
	def.windows, def.exchanges, def.alternatives, def.apart = n.Windows(), n.Exchanges(), n.Alternatives(), n.FlowsApart()
	if n.Asks() {
		def.asks = func(f spec.Flow) int { return asks(n, f) }
	}
	if n.Selection() != "" {
		def.Selection = &Selection{Name: n.Selection()}
	}
	return def
}

// asks returns how many sources a flow has.
func asks(n *spec.Network, f spec.Flow) int {
	if t := n.TableOf(f.Target); t != nil {
		return len(t.SourcesOf(f.Source))
	}
	return 0
}

// Whole returns the network with no table stored in fragments, for random access. It returns n if
// that has none, or if ctx ends first; otherwise it takes time and memory linear in the sites.
func Whole(ctx context.Context, n *spec.Network) *spec.Network {
	if n.Fragments() == 0 {
		return n
	}
	p := partsOf(n)
	for i := range n.Tables() {
		if ctx.Err() != nil {
			return n
		}
		p.Tables = append(p.Tables, *n.Table(i))
	}
	whole, err := spec.NewNetwork(ctx, p)
	switch {
	case err != nil && ctx.Err() != nil:
		return n
	case err != nil:
		panic("routing: a network is not one without fragments: " + err.Error()) // it was checked so
	}
	return whole
}

// partsOf returns the parts of a network, without its tables.
func partsOf(n *spec.Network) spec.Parts {
	p := spec.Parts{
		Name: n.Name(), Origin: n.Origin(), Topology: n.Topology(), Classes: n.Classes(), Tags: n.Tags(),
		Switching: n.Switching(), Buffer: n.Buffer(), Selection: n.Selection(), Expect: n.Expect(), Reason: n.Reason,
		Message: n.Message, MessageClass: n.MessageClass, Asks: n.Asks(), Alternatives: n.Alternatives(),
		Apart: n.FlowsApart(), Windows: n.Windows(), Exchanges: n.Exchanges(),
	}
	for r := range n.RowCount() {
		p.Rows = append(p.Rows, n.Row(spec.RowID(r)))
	}
	return p
}

// tables is the relation that a network's tables hold.
type tables struct{ n *spec.Network }

func (t tables) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	hops, ok := t.n.Hops(spec.Site{Channel: at, Header: h})
	if !ok {
		return dst, fmt.Errorf("no packet for node %d in class %d reaches channel %d with tag %d",
			h.Dest, h.Class, at, h.Tag)
	}
	return append(dst, hops...), nil
}

func (t tables) Message(at spec.ChannelID, h spec.Header) string {
	return t.n.Message(spec.Site{Channel: at, Header: h})
}

func (t tables) MessageClass(at spec.ChannelID, h spec.Header) (spec.Class, bool) {
	return t.n.MessageClass(spec.Site{Channel: at, Header: h})
}

func (t tables) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	return t.n.Reason(spec.Site{Channel: at, Header: h}, hop)
}

// Terminals lists the nodes of a network that send or receive, ascending.
func Terminals(n *spec.Network) (ends []spec.NodeID) {
	is := make([]bool, n.Topology().Nodes())
	for i := range n.Tables() {
		t := n.Table(i)
		is[t.Dest] = true
		for _, s := range t.Sources {
			is[s.Node] = true
		}
	}
	for v, end := range is {
		if end {
			ends = append(ends, spec.NodeID(v))
		}
	}
	return ends
}
