package p3

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Disciplines. The entries of Path Tables for one target are rewritten in some
// order; before an entry is rewritten some links may have to be empty; and while
// a move is under way some packets may be held back at their sources. Each of the
// three goes from what asks for nothing to what asks for most.

// Order says in which order the entries for one target are rewritten when a
// boundary moves across it. The giver is the PE that owned it, the taker the one
// that will. Targets whose owner stays have no order but AnyOrder or AtOnce.
type Order uint8

const (
	AnyOrder   Order = iota
	GiverFirst       // the giver stops serving the target before any other entry changes
	TakerFirst       // the taker serves it before any other entry changes
	AtOnce           // all entries for a target change in one step
)

// OrderNames are the names of the orders, in order.
var OrderNames = []string{"any", "giver-first", "taker-first", "at-once"}

// Wait says which links must be empty when an entry is rewritten.
type Wait uint8

const (
	Nothing   Wait = iota
	Inputs         // no packet for the target waits in a link into the PE; with AtOnce, into any PE whose entry changes
	OfTarget       // no packet for the target is in the network
	OfNetwork      // no packet is
)

// WaitNames are the names of the values of Wait, in order.
var WaitNames = []string{"nothing", "inputs", "target", "network"}

// Hold says which packets are held back at their sources from the move of the
// boundary until the entries have been rewritten.
type Hold uint8

const (
	Nobody     Hold = iota
	TargetsOwn      // packets for a target, until its entries have been rewritten
	Everybody       // all packets, until all entries have been
)

// HoldNames are the names of the values of Hold, in order.
var HoldNames = []string{"nobody", "target", "all"}

// Discipline is a way to rewrite Path Tables. The zero value asks for nothing.
type Discipline struct {
	Order Order
	Wait  Wait
	Hold  Hold
}

func (d Discipline) String() string {
	return fmt.Sprintf("order %s, waiting for %s, holding %s", OrderNames[d.Order], WaitNames[d.Wait], HoldNames[d.Hold])
}

// held lists the conditions under which packets of kind k are let in.
func (m *rebalance) held(k int) []program.Expr {
	switch m.Discipline.Hold {
	case TargetsOwn:
		return m.planned(k)
	case Everybody:
		return m.all
	}
	return nil
}

// waiting lists the conditions under which entry x for kind k may be rewritten.
func (m *rebalance) waiting(k int, x program.Var) []program.Expr {
	switch m.Discipline.Wait {
	case OfTarget:
		return m.without(k, func(int) bool { return true })
	case Inputs:
		return m.without(k, func(pe int) bool { return m.entries[k][pe] == x })
	case OfNetwork:
		return m.empty()
	}
	return nil
}

// rewrite adds the rules that change the entries for kind k.
func (m *rebalance) rewrite(k int) {
	kind := &m.kinds[k]
	for pe, x := range m.entries[k] {
		if x == noEntry {
			continue
		}
		name := fmt.Sprintf("%s rewrites its entry for %s", m.name(pe), &kind.Cell)
		stale := program.Ne(x, m.plan)
		switch {
		case m.Discipline.Order == AtOnce:
			m.p.Rule(fmt.Sprintf("all rewrite their entries for %s", &kind.Cell), program.And(append(m.waiting(k, x), stale)...), program.Set(x, m.plan))
			return // there is one variable for all
		case m.Discipline.Order == AnyOrder || !kind.Moved:
			m.p.Rule(name, program.And(append(m.waiting(k, x), stale)...), program.Set(x, m.plan))
		default:
			m.inTurn(k, pe, name)
		}
	}
}

// inTurn lets PE pe rewrite its entry when it is its turn: the first at once,
// the others after it; the second upon a notice if there are any.
func (m *rebalance) inTurn(k, pe int, name string) {
	kind, x := &m.kinds[k], m.entries[k][pe]
	for plan := range 2 {
		first, second := kind.Owner[1-plan], kind.Owner[plan] // giver, taker
		if m.Discipline.Order == TakerFirst {
			first, second = second, first
		}
		aimed := program.And(append(m.waiting(k, x), program.Eq(m.plan, plan), program.Ne(x, plan))...)
		begun := program.Eq(m.entries[k][first], plan)
		switch {
		case pe == first:
			m.p.Rule(name, aimed, program.Set(x, plan))
		case pe == second && m.Notice:
			notice := 1 + len(m.kinds) + k
			link := m.links[[2]int{first, second}]
			m.p.Rule(fmt.Sprintf("%s notifies %s of %s", m.name(first), m.name(second), &kind.Cell),
				program.And(aimed, begun, program.Eq(link, 0)), program.Set(link, notice))
			m.p.Rule(name, program.And(program.Eq(m.plan, plan), program.Eq(link, notice)), program.Set(link, 0), program.Set(x, plan))
		default:
			m.p.Rule(name, program.And(aimed, begun), program.Set(x, plan))
		}
	}
}

// empty lists the conditions that no packet is in the network.
func (m *rebalance) empty() []program.Expr {
	var none []program.Expr
	for _, l := range m.order {
		none = append(none, program.Eq(m.links[l], 0))
	}
	return none
}

// without lists the conditions that no packet of kind k waits before one of the
// given PEs.
func (m *rebalance) without(k int, before func(pe int) bool) []program.Expr {
	var none []program.Expr
	for _, l := range m.order {
		if before(l[1]) {
			none = append(none, program.Ne(m.links[l], k+1))
		}
	}
	return none
}

// planned lists the conditions that all entries for kind k are as planned.
func (m *rebalance) planned(k int) []program.Expr {
	var done []program.Expr
	for _, x := range m.entries[k] {
		if x != noEntry {
			done = append(done, program.Eq(x, m.plan))
		}
	}
	return done
}
