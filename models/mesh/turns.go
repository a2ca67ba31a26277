package mesh

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Turn is a change of direction in a two-dimensional mesh, such as "ES": a
// packet that travels east turns south. North is +y, east +x.
type Turn string

const compass = "EWNS" // by 2*dimension + direction

// Cycles are the two abstract cycles of turns (Glass and Ni, 1992): a turn
// model forbids at least one turn of each.
var Cycles = [2][4]Turn{
	{"EN", "NW", "WS", "SE"}, // counter-clockwise
	{"ES", "SW", "WN", "NE"}, // clockwise
}

// WestFirst returns the turns that west-first routing forbids (Glass and Ni, 1992).
func WestFirst() []Turn { return []Turn{"NW", "SW"} }

// NorthLast returns the turns that north-last routing forbids (Glass and Ni, 1992).
func NorthLast() []Turn { return []Turn{"NW", "NE"} }

// NegativeFirst returns the turns that negative-first routing forbids (Glass and Ni, 1992).
func NegativeFirst() []Turn { return []Turn{"NW", "ES"} }

// Turns is minimal routing on one VC that takes none of the forbidden turns and
// no hop from which the destination could no longer be reached without one.
func Turns(o Options, forbidden []Turn) (routing.Definition, error) {
	if err := o.flat("turn models"); err != nil {
		return routing.Definition{}, err
	}
	var no [4][4]bool
	for _, t := range forbidden {
		if len(t) != 2 || strings.IndexByte(compass, t[0]) < 0 || strings.IndexByte(compass, t[1]) < 0 || strings.IndexByte(compass, t[0])/2 == strings.IndexByte(compass, t[1])/2 {
			return routing.Definition{}, fmt.Errorf("invalid turn %q: want two letters such as \"ES\", one of E, W and one of N, S", t)
		}
		no[strings.IndexByte(compass, t[0])][strings.IndexByte(compass, t[1])] = true
	}
	return o.define("mesh turns", each(1), func(g *grid.Grid) routing.Relation {
		return routing.Named("minimal, no forbidden turn", &turnModel{g, func(_ spec.NodeID, from, to int) bool { return !no[from][to] }})
	})
}

// OddEven is the turn model of Chiu (2000): in an even column no packet turns
// from east to north or south, in an odd column none from north or south to
// west. Minimal, one VC.
func OddEven(o Options) (routing.Definition, error) {
	if err := o.flat("odd-even"); err != nil {
		return routing.Definition{}, err
	}
	const east, west = 0, 1
	return o.define("mesh odd-even", each(1), func(g *grid.Grid) routing.Relation {
		return routing.Named("minimal, odd-even turns", &turnModel{g, func(v spec.NodeID, from, to int) bool {
			even := g.At(v, 0)%2 == 0
			return !(even && from == east || !even && to == west)
		}})
	})
}

// turnModel permits minimal hops by permitted turns, as long as the destination
// stays within reach by further ones.
type turnModel struct {
	g *grid.Grid
	// may reports whether a packet at v may turn; directions count as in compass.
	may func(v spec.NodeID, from, to int) bool
}

const straight = -1 // the direction of a packet that has just been injected

func (m *turnModel) Next(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	from := straight
	if !at.IsInjection() {
		dim, d := m.g.Direction(at)
		from = 2*dim + int(d)
	}
	seen := map[state]bool{}
	m.onward(state{m.g.Head(at), from}, h.Dest, func(l spec.LinkID, next state) bool {
		if m.reaches(next, h.Dest, seen) {
			dst = append(dst, spec.Hop{Channel: m.g.Channel(l, 0)})
		}
		return true
	})
	return dst, nil
}

// state is a packet at v that came there in a direction.
type state struct {
	v    spec.NodeID
	from int
}

// onward visits the minimal hops that are permitted turns, as long as visit says so.
func (m *turnModel) onward(s state, dest spec.NodeID, visit func(l spec.LinkID, next state) bool) {
	for to := range 4 {
		dim, d := to/2, grid.Direction(to%2)
		if !m.g.Minimal(s.v, dest, dim, grid.TiePositive).Has(d) || s.from != straight && s.from/2 != dim && !m.may(s.v, s.from, to) {
			continue
		}
		l := m.g.Port(s.v, dim, d)
		if !visit(l, state{m.g.Topology.Link(l).To, to}) {
			return
		}
	}
}

// reaches reports whether a packet can go on to dest minimally: depth-first search
// over the minimal rectangle. What has been seen before is known.
func (m *turnModel) reaches(s state, dest spec.NodeID, seen map[state]bool) bool {
	reached, known := seen[s]
	if known || s.v == dest {
		return reached || s.v == dest
	}
	m.onward(s, dest, func(_ spec.LinkID, next state) bool {
		reached = m.reaches(next, dest, seen)
		return !reached
	})
	seen[s] = reached
	return reached
}
