package p3

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Design of the network of a move.
//
// Every kind of target is a class of packets for one node, goals, to which each PE has a link: the owner of a target
// takes it. So a boundary that moves changes hops only, neither destinations nor classes nor links, and networks with
// tables as before and as after the move are two routings of one network, which unknot change can compare.
//
// A packet crosses a link by the entry of one PE and then waits for the hop that the entry of the next PE names. An
// order of rewriting matters only because one entry may be as before the move and another as after, and packets of
// both sorts may be in the network together. The path by which packets got there does not matter. So with [Settling]
// PEs inject into every link into which entries may have sent packets, and from there packets follow the entries as
// after the move, as all are in the end. If that has no cycle of dependencies, packets that the tables have left
// anywhere never wait in a cycle, however many there are, whether entries are rewritten one by one, table by table or
// PE by PE.

// Tables determines which entries packets meet.
type Tables uint8

const (
	// Before: as before the move.
	Before Tables = iota
	// After: as after it.
	After
	// Either: at each hop an entry as before or as after, as while boundaries move to and fro for ever.
	Either
	// Settling: packets have been left anywhere by entries of either sort, and go on as after the move.
	Settling
	// Apart: each packet meets entries of one sort, but packets for different targets may meet different sorts. So it
	// is if an entry waits for the packets for its target, and these are held or all entries for the target change at
	// once.
	Apart
)

// TablesNames are the names of the values of Tables, in order.
var TablesNames = []string{"before", "after", "either", "settling", "apart"}

// Numbers determines how packets for a PE by its number go, which moves of boundaries do not change. The paper does
// not say how.
type Numbers uint8

const (
	NoNumbers Numbers = iota
	// ByRow: first along the row.
	ByRow
	// ByColumn: first along the column.
	ByColumn
)

// NumbersNames are the names of the values of Numbers, in order.
var NumbersNames = []string{"no", "horizontal", "vertical"}

// nextPE returns the PE after from on the way to another one, on a grid of that many columns.
func (n Numbers) nextPE(columns, from, to int) int {
	sideways, upwards := to%columns-from%columns, to/columns-from/columns
	switch {
	case sideways != 0 && (n == ByRow || upwards == 0):
		return from + sign(int64(sideways))
	default:
		return from + columns*sign(int64(upwards))
	}
}

// Moved returns the network of a move.
func Moved(ctx context.Context, m Move) (routing.Definition, error) {
	n := &moved{Move: m, t: spec.NewTopology(), links: map[[2]int]spec.ChannelID{}}
	kinds, err := n.kindsOf(ctx)
	if err != nil {
		return routing.Definition{}, err
	}
	columns := m.After.Columns
	for i, r := range m.After.Regions {
		n.t.AddNode(r.Name, i%columns, i/columns)
	}
	n.goals = int(n.t.AddNode("goals", columns, 0))
	link := func(pe, to int) {
		l := n.t.AddLink(spec.Link{From: spec.NodeID(pe), To: spec.NodeID(to), VCs: 1})
		n.links[[2]int{pe, to}] = n.t.Channel(l, 0)
	}
	for pe, across := range m.After.Across {
		for _, to := range across {
			if to != Outside {
				link(pe, to)
			}
		}
		link(pe, n.goals)
	}
	for i := range kinds {
		k := &kinds[i]
		name := fmt.Sprintf("kind %d %s, of %s before and %s after",
			i, &k.Cell, m.Before.Regions[k.Owner[0]].Name, m.After.Regions[k.Owner[1]].Name)
		before, after := n.entries(k, 0), n.entries(k, 1)
		switch m.Tables {
		case Before:
			n.add(name, n.sent(before), before)
		case After:
			n.add(name, n.sent(after), after)
		case Apart:
			n.add(name+", before", n.sent(before), before)
			n.add(name+", after", n.sent(after), after)
		case Either:
			n.add(name, n.sent(before, after), before, after)
		case Settling:
			n.add(name, n.left(before, after), after)
		}
	}
	if m.Numbers != NoNumbers {
		n.names = append(n.names, "PE number")
	}
	flows := func(src, dst spec.NodeID, c spec.Class) bool {
		if int(c) == len(n.kinds) {
			return int(src) != n.goals && int(dst) != n.goals
		}
		return int(dst) == n.goals && int(src) != n.goals && n.kinds[c].sent[src] != 0
	}
	return routing.Definition{
		Name: "P3 while a boundary moves", Topology: n.t, Classes: n.names, Flows: flows, Routing: n,
		Switching: spec.StoreAndForward,
	}, nil
}

// kindsOf lists the kinds of targets, and the tables that may treat them differently.
func (m *moved) kindsOf(ctx context.Context) ([]Kind, error) {
	m.tables = tablesOf(m.After, m.Masks != NoMasks && m.Rule == NeverBack)
	if m.Masks == NoMasks {
		return Kinds(ctx, m.Before, m.After, m.Rule)
	}
	return MaskedKinds(ctx, m.Before, m.After, m.Rule, m.Masks)
}

// entries are those of a version of the tables, by table: the PEs that it may send to, or the goals.
func (m *moved) entries(k *Kind, version int) []uint32 {
	to := slices.Clone(k.To[version])
	for i, t := range m.tables.all {
		if t.pe == k.Owner[version] {
			to[i] = 1 << m.goals
		}
	}
	return to
}

// sent are, by PE, the nodes to which its CPU may send packets by one of some versions of the entries.
func (m *moved) sent(versions ...[]uint32) []uint32 {
	to := make([]uint32, len(m.After.Regions))
	for _, version := range versions {
		for pe := range to {
			to[pe] |= version[pe]
		}
	}
	return to
}

// left are, by PE, the nodes to which it may have sent packets from anywhere.
func (m *moved) left(versions ...[]uint32) []uint32 {
	to := make([]uint32, len(m.After.Regions))
	for _, version := range versions {
		for i, t := range m.tables.all {
			to[t.pe] |= version[i]
		}
	}
	return to
}

// moved is the relation of the network.
type moved struct {
	Move
	t      *spec.Topology
	tables tables
	goals  int // a node
	links  map[[2]int]spec.ChannelID
	kinds  []movedKind // by class
	names  []string
}

type movedKind struct {
	sent    []uint32   // by PE: to which nodes packets were sent
	waiting [][]uint32 // by version of the entries that packets meet now: by table, to which they are sent
}

func (m *moved) add(name string, sent []uint32, waiting ...[]uint32) {
	m.names = append(m.names, name)
	m.kinds = append(m.kinds, movedKind{sent, waiting})
}

// AppendHops implements routing.Relation.
func (m *moved) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	pe := int(m.t.Head(at))
	switch {
	case pe == int(h.Dest):
		return append(dst, spec.Hop{Channel: spec.Eject}), nil
	case int(h.Class) == len(m.kinds):
		return append(dst, spec.Hop{Channel: m.links[[2]int{pe, m.Numbers.nextPE(m.After.Columns, pe, int(h.Dest))}]}), nil
	}
	var set uint32
	if at.IsInjection() {
		set = m.kinds[h.Class].sent[pe]
	} else {
		from := uint32(1) << m.t.Tail(at)
		for _, version := range m.kinds[h.Class].waiting {
			to := version[m.tables.number(pe, int(m.t.Tail(at)))]
			if m.Rule == NeverBack && to != from {
				to &^= from
			}
			set |= to
		}
	}
	for ; set != 0; set &= set - 1 {
		dst = append(dst, spec.Hop{Channel: m.links[[2]int{pe, bits.TrailingZeros32(set)}]})
	}
	return dst, nil
}

// Reason names the kind of targets.
func (m *moved) Reason(_ spec.ChannelID, h spec.Header, _ spec.Hop) spec.Reason {
	if int(h.Class) == len(m.kinds) {
		return spec.Reason{Text: "the PE's number"}
	}
	return spec.Reason{Text: "an entry for targets of " + m.names[h.Class]}
}
