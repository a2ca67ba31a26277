// Package changes holds evidence about a change of routing tables, and its check: tables are rewritten
// from one routing to another, router by router, while packets are under way.
//
// Evidence about a change is about one network, the pair, which [NewPair] takes apart: it has each class of packets
// twice, first with the old tables, then with the new ones. Both have the rows of every site that packets can reach
// while tables are mixed. A router has one of the two tables in force, first the old one, and from some moment on the
// new one.
//
// Routers are rewritten in rounds, those of a round in any order and at any time. A round begins once every packet has
// left that was injected before the one before it had ended. So the packets of a round have met new tables at the
// routers of earlier rounds, old ones at those of later rounds, and either at its own. One round is a change that does
// not wait for packets.
//
// A [Plan] shows that a change in rounds is free of a fault, a [Trace] that it is not, and a [Bound] that no change in
// fewer rounds is. Each has a written form.
package changes

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Manner says how packets and routers behave during a change.
type Manner struct {
	// Committed has a packet keep to the table that was in force when it arrived at its router. Otherwise a waiting
	// packet is looked up again when the table is rewritten.
	Committed bool
	// Stalls has the rewriting stop anywhere, for good. Otherwise every router of a round is rewritten some day.
	Stalls bool
}

// String returns, say, "waiting packets are looked up again, the rewriting ends".
func (m Manner) String() string {
	return map[bool]string{false: "waiting packets are looked up again", true: "packets are committed on arrival"}[m.Committed] +
		map[bool]string{false: ", the rewriting ends", true: ", the rewriting may stall"}[m.Stalls]
}

// Pair is an old and a new table for each target of a network. It is immutable and safe for concurrent use.
type Pair struct {
	n     *spec.Network
	after spec.Class // the class of the new tables that belongs to class 0 of the old ones
}

// NewPair takes a network apart whose first classes are those of the old tables, and whose last, as many,
// are those of the new ones. It refuses a network in which the two do not have the same sites and sources.
func NewPair(n *spec.Network) (*Pair, error) {
	p := &Pair{n, spec.Class(len(n.Classes()) / 2)}
	switch {
	case len(n.Classes())%2 > 0:
		return nil, fmt.Errorf("%d classes: the tables of a change have each class twice, old and new", len(n.Classes()))
	case n.FlowCount() == 0:
		return nil, errors.New("this network has no flows: a change of it shows nothing")
	case len(n.Windows()) > 0:
		return nil, errors.New("a change of a network whose nodes count outstanding requests is not covered")
	}
	for i := range n.Tables() {
		before, after := n.Stored(i), p.other(n.Stored(i).Target)
		same := after != nil && before.Fragments == nil && after.Fragments == nil &&
			slices.Equal(before.Channels, after.Channels) && slices.Equal(before.Tags, after.Tags) &&
			slices.EqualFunc(before.Sources, after.Sources, func(a, b spec.Source) bool { return a.Node == b.Node })
		if !same {
			return nil, fmt.Errorf("the old and the new table for %s have different sites or sources, or fragments",
				n.Topology().Node(before.Dest).Name)
		}
	}
	return p, nil
}

// Network returns the network of both tables.
func (p *Pair) Network() *spec.Network { return p.n }

// other returns the table of the other routing for the packets of a table.
func (p *Pair) other(t spec.Target) *spec.Table {
	if t.Class < p.after {
		t.Class += p.after
	} else {
		t.Class -= p.after
	}
	return p.n.TableOf(t)
}

// classIn returns a class as it is in the old or in the new tables.
func (p *Pair) classIn(c spec.Class, renewed bool) spec.Class {
	if c %= p.after; renewed {
		c += p.after
	}
	return c
}

// Round says which routers are rewritten in one round, and which were in earlier ones. All others have old tables.
type Round struct{ Before, Now []spec.NodeID }

// Rounds returns the rounds of a change that rewrites these routers in turn.
func Rounds(turns [][]spec.NodeID) (rounds []Round) {
	var before []spec.NodeID
	for _, now := range turns {
		rounds = append(rounds, Round{slices.Clone(before), now})
		before = append(before, now...)
	}
	return rounds
}

// state says of every router which tables it may have in a round.
type state []struct{ old, renewed bool }

func (p *Pair) state(r Round) (state, error) {
	s := make(state, p.n.Topology().Nodes())
	for v := range s {
		s[v].old = true
	}
	for i, list := range [][]spec.NodeID{r.Before, r.Now} {
		for _, v := range list {
			if v < 0 || int(v) >= len(s) || s[v].renewed {
				return nil, fmt.Errorf("router %d is rewritten twice, or does not exist", v)
			}
			s[v].old, s[v].renewed = i == 1, true
		}
	}
	return s, nil
}

// rows returns the rows that may be in force at a router for the places of two tables: the old one, the new one, or
// both in this order. The last is in force once the round has ended.
func (s state) rows(dst []spec.RowID, v spec.NodeID, before, after spec.RowID) []spec.RowID {
	if s[v].old {
		dst = append(dst, before)
	}
	if s[v].renewed {
		dst = append(dst, after)
	}
	return dst
}
