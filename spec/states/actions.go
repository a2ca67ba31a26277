package states

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// What a move is called may be what another one is called: names of nodes may
// read alike. So actions are numbered, a block of numbers for each kind of move:
//
//	injections          0: none of them need ever happen, so they may be one
//	heads that move on  by site and hop
//	flits that follow   by site of the tail and hop taken
//	flits that enter    by site that the message entered first
//	ends of messages    the same
//	sinks that consume  by node
//
// A site is numbered as in [spec.Table.First], and a hop by its place in the row, of
// which t.stride bounds the length.
const injection = 0

// number returns the number of a move that is possible in some state.
func (t *Traffic) number(m spec.Move) int {
	sites := t.n.SiteCount()
	hops := 1 + 2*sites*t.stride
	if m.Kind == spec.Consume {
		return hops + 2*sites + int(t.n.Topology().Head(m.From))
	}
	table := t.n.TableOf(m.Header.Target())
	if !m.From.IsInjection() {
		s, _ := table.Find(m.From, m.Header.Tag)
		return 1 + (int(m.Kind)*sites+table.First+s)*t.stride + max(0, slices.Index(t.n.Row(table.Rows[s]), m.Hop))
	}
	if m.Kind == spec.Advance {
		return injection
	}
	s, _ := table.Find(m.Hop.Channel, m.Hop.Tag)
	return hops + int(m.Kind-spec.Follow)*sites + table.First + s
}
