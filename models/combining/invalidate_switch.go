package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// What switches do, but for their combining units: steps 2, 4, 6 and 8 as far as
// messages are passed on.

// Unit is how a switch's combining unit is attached to its crossbar, which joins
// the parent, the children and the unit.
type Unit uint8

const (
	// Merged: no place of its own. A message goes from the head of its link
	// through the crossbar, the unit, the crossbar again and into the next link in
	// one step; it waits in its link until all of that can be done. So the unit
	// never holds a message that it cannot finish, and no two ways in wait for
	// each other there.
	Merged Unit = iota
	// OnePlace: the unit has a register for one message in front, and one behind,
	// for all ways. Crossing to it, what it does, and crossing from it are three
	// steps.
	OnePlace
	// PlaceEach: a register in front for each way in, and one behind for each way
	// out.
	PlaceEach
)

// UnitNames are the values of Unit for people, in their order.
var UnitNames = []string{"merged", "one-place", "place-each"}

// forUnit reports whether a message goes to the combining unit: levels 1 and 3
// do, level 0 does not.
func (f fact) forUnit() bool {
	return f.by == direct && (f.what == request || f.what == ack || f.what == reply || f.what == returned)
}

// switchAt adds the rules of switch s: one for every message that can come to
// it, or some where the wait buffer decides.
func (m *Invalidation) switchAt(s int) {
	for _, from := range m.tree.Neighbours(s) {
		in := m.link(from, s)
		for _, f := range in.messages {
			switch {
			case f.by != direct:
				m.detourAt(s, in, f)
			case f.forUnit():
				m.deliver(s, in, f, m.toUnit(s, in, f))
			case f.what == invalidate:
				m.invalidateAt(s, in, f)
			case f.what == done:
				m.deliver(s, in, f, m.forward(m.link(s, m.tree.Next(s, m.Homes[f.block])), f))
			case f.what == data:
				m.deliver(s, in, f, m.forward(m.link(s, m.tree.Next(s, f.cluster)), f))
			}
		}
		if m.Unit == Merged {
			m.sendDeferred(s, in.messages)
		}
	}
	m.unitAt(s)
}

// name is what a rule of a switch is called. All rules for one message are one
// action: which of them applies is for the wait buffer to say.
func (m *Invalidation) name(s int, in *link, f fact) string {
	return fmt.Sprintf("%s: %s from %d", m.tree.Name(s), f, in.from)
}

// delivery is one thing to be done with the message at the head of a link: one
// of some ways applies, or none for the time being.
type delivery struct {
	to   int // the neighbour that gets a copy, or noNeighbour: the unit
	ways []way
}

const noNeighbour = -1

// way is what may be done with a message: what it takes besides room, the links
// that it sends into, and what changes.
type way struct {
	when   program.Expr
	to     []*link
	effect []program.Stmt
}

// forward passes a message on.
func (m *Invalidation) forward(out *link, f fact) delivery {
	return delivery{out.to, []way{{program.And(), []*link{out}, []program.Stmt{out.Push(out.code(f))}}}}
}

// toUnit hands a message to the combining unit, or does at once what that does.
func (m *Invalidation) toUnit(s int, in *link, f fact) delivery {
	if m.Unit == Merged {
		return delivery{noNeighbour, m.combine(s, f)}
	}
	place := m.unitIn(s, in.from)
	return delivery{noNeighbour, m.forward(place, f).ways}
}

// deliver adds the rules that do all that is to be done with a message at the
// head of a link: together, or with Copies one after the other, after the last of
// which the message leaves its link.
func (m *Invalidation) deliver(s int, in *link, f fact, all ...delivery) {
	from, here := wayIn(s, in.from), in.Is(in.code(f))
	if !m.Copies || len(all) == 1 {
		// At most one delivery has a choice of ways: the unit's.
		for _, w := range together(all) {
			m.step(step{
				name: m.name(s, in, f), from: from, wants: program.And(here, w.when), to: w.to,
				effect: append([]program.Stmt{in.Pop()}, w.effect...),
			})
		}
		return
	}
	for i, d := range all {
		mine := m.served(in, d.to)
		var others []program.Expr
		last := []program.Stmt{in.Pop()}
		for j, x := range all {
			if j != i {
				others = append(others, program.Eq(m.served(in, x.to), 1))
				last = append(last, program.Set(m.served(in, x.to), 0))
			}
		}
		to := "the unit"
		if d.to >= 0 {
			to = fmt.Sprint(d.to)
		}
		for _, w := range d.ways {
			m.step(step{
				name: m.name(s, in, f) + " to " + to, from: from,
				wants: program.And(here, program.Eq(mine, 0), w.when), to: w.to,
				effect: append([]program.Stmt{program.If(program.And(others...), last...).Otherwise(program.Set(mine, 1))}, w.effect...),
			})
		}
	}
}

// together is the product of deliveries: all of them in one step.
func together(all []delivery) []way {
	ways := []way{{when: program.And()}}
	for _, d := range all {
		var more []way
		for _, a := range ways {
			for _, b := range d.ways {
				more = append(more, way{
					program.And(a.when, b.when), append(a.to[:len(a.to):len(a.to)], b.to...),
					append(a.effect[:len(a.effect):len(a.effect)], b.effect...),
				})
			}
		}
		ways = more
	}
	return ways
}

// wayIn is the source of what comes to a switch from a neighbour.
func wayIn(s, neighbour int) subject { return subject{name: "way", node: s, to: neighbour, block: -1} }

// served returns the variable that tells whether the message at the head of a
// link has been delivered to a neighbour, or to the unit.
func (m *Invalidation) served(in *link, to int) program.Var {
	key := subject{name: "served", node: in.to, to: in.from, via: to, block: -1}
	if x, known := m.vars[key]; known {
		return x
	}
	target := "the unit"
	if to >= 0 {
		target = m.tree.Name(to)
	}
	return m.variable(m.p.Enum(fmt.Sprintf("%s has given what comes from %d to %s", m.tree.Name(in.to), in.from, target), "-", "given"), key, nil)
}

// invalidateAt is step 4. A distance comes with what is on its way up from home.
func (m *Invalidation) invalidateAt(s int, in *link, f fact) {
	below := about(invalidate, f.block).to(f.cluster)
	top := m.tree.Height(s) == f.distance // of the sharing area
	var all []delivery
	for _, to := range m.tree.Neighbours(s) {
		switch {
		case to == in.from || top && to == m.tree.Parent(s):
		case to == m.tree.Parent(s):
			all = append(all, m.forward(m.link(s, to), f))
		default:
			all = append(all, m.forward(m.link(s, to), below))
		}
	}
	if top {
		all = append(all, m.dummy(s, in, f))
	}
	m.deliver(s, in, f, all...)
}
