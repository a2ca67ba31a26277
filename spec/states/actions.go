package states

import (
	"cmp"
	"slices"
	"sort"

	"github.com/seed-105a2da2/unknot/spec"
)

// What a move is called may be what another one is called: names of nodes may
// read alike. So actions are numbered, a block of numbers for each kind of move:
//
//	injections          by flow and hop
//	heads that move on  by site and hop
//	flits that follow   by site of the tail and hop taken
//	flits that enter    by site that the message entered first
//	ends of messages    the same
//	sinks that consume  by node
//
// A flow is numbered as its source in the network's tables, a site as in
// [spec.Table.First], and a hop by its place in the row, of which stride bounds the
// length.

type actionNumbers struct {
	flows  []int // by table: flows of those before it; one more at the end
	stride int
}

func (t *Traffic) numberActions() {
	t.actions = actionNumbers{flows: make([]int, 1, t.n.Tables()+1), stride: 1}
	for i := range t.n.Tables() {
		t.actions.flows = append(t.actions.flows, t.actions.flows[i]+len(t.n.Table(i).Sources))
	}
	for r := range t.n.RowCount() {
		t.actions.stride = max(t.actions.stride, len(t.n.Row(spec.RowID(r))))
	}
}

// injections returns how many numbers injections take; they come first.
func (a *actionNumbers) injections() int { return a.flows[len(a.flows)-1] * a.stride }

// number returns the number of a move that is possible in some state.
func (t *Traffic) number(m spec.Move) int {
	a := &t.actions
	hop := func(r spec.RowID) int { return max(0, slices.Index(t.n.Row(r), m.Hop)) }
	blocks := a.injections()
	hops := t.n.SiteCount() * a.stride
	if m.Kind == spec.Consume {
		return blocks + 2*hops + 2*t.n.SiteCount() + int(t.n.Topology().Head(m.From))
	}
	i := sort.Search(t.n.Tables(), func(i int) bool { return t.n.Table(i).Compare(m.Header.Target()) >= 0 })
	table := t.n.Table(i)
	if !m.From.IsInjection() {
		s, _ := table.Find(m.From, m.Header.Tag)
		return blocks + int(m.Kind)*hops + (table.First+s)*a.stride + hop(table.Rows[s])
	}
	if m.Kind == spec.Advance {
		k, _ := slices.BinarySearchFunc(table.Sources, t.n.Topology().Head(m.From), func(x spec.Source, want spec.NodeID) int { return cmp.Compare(x.Node, want) })
		return (a.flows[i]+k)*a.stride + hop(table.Sources[k].Row)
	}
	s, _ := table.Find(m.Hop.Channel, m.Hop.Tag)
	return blocks + 2*hops + int(m.Kind-spec.Follow)*t.n.SiteCount() + table.First + s
}
