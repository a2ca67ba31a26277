package p3

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Discipline says in which order the entries of Path Tables for one target are
// rewritten when a boundary moves across it. The giver is the PE that owned it,
// the taker the one that will.
type Discipline uint8

const (
	AnyOrder   Discipline = iota
	GiverFirst            // the giver stops serving the target before any other entry changes
	TakerFirst            // the taker serves it before any other entry changes
	AtOnce                // all entries for a target change in one step
	Quiet                 // in any order, but only while no packet for the target is on its way, and none is let in
	Drained               // as Quiet, for all targets together: the network is empty
	disciplines
)

// DisciplineNames are the names of the disciplines, in order.
var DisciplineNames = []string{"any", "giver-first", "taker-first", "at-once", "quiet", "drained"}

// Again says whether the boundary moves to and fro for ever.
type Again uint8

const (
	Once    Again = iota
	Forever       // a new move begins at any time after all entries have been rewritten
	Settled       // and only while no packet is in the network
	agains
)

// AgainNames are the names of the values of Again, in order.
var AgainNames = []string{"no", "yes", "settled"}

// Rebalancing describes packets on their way while a boundary moves.
type Rebalancing struct {
	Before, After *Plane // at most [MostMoving] PEs
	Rule          Rule
	Discipline    Discipline
	Kinds         []int // numbers of the kinds of targets that take part, see [Kinds]: 1 to 16
	Packets       int   // sent in all: 1 to 8
	Again         Again
	// Notice: with GiverFirst and TakerFirst, the first of the two tells the
	// other by a packet over the link between them, and the other rewrites its
	// entry when that arrives. Otherwise entries are rewritten from outside.
	Notice bool
}

// rebalance builds the machine. Every link holds one packet, a kind of target or
// a notice. An entry is 0 as before the move and 1 as after.
type rebalance struct {
	Rebalancing
	p       *program.Program
	kinds   []Kind
	entries [][]program.Var // by kind and PE; noEntry where before and after agree
	links   map[[2]int]program.Var
	order   [][2]int // the links, in order
	plan    program.Var
	left    program.Var // packets still to be sent
	arrived program.Var
	late    program.Var
	all     []program.Expr // all entries are as planned
}

const noEntry = program.Var(-1)

// Program returns the machine. Its claims: the invariants "nothing lost or
// doubled", "somebody serves" (every target), "nobody serves what another does"
// and "none is delivered late" (where the giver serves what the taker serves
// already); the response "all arrive"; and no deadlock.
func (r Rebalancing) Program(ctx context.Context) (*program.Program, error) {
	switch {
	case r.Before == nil || r.After == nil:
		return nil, fmt.Errorf("a move needs a plane before and one after")
	case r.Rule >= Forced || r.Discipline >= disciplines || r.Again >= agains:
		return nil, fmt.Errorf("rule %d with discipline %d, again %d: want a rule up to %s, and values that exist", r.Rule, r.Discipline, r.Again, RuleNames[BeyondVertical])
	case len(r.Kinds) < 1 || len(r.Kinds) > 16 || r.Packets < 1 || r.Packets > 8:
		return nil, fmt.Errorf("%d packets for %d kinds of targets: want 1 to 8, and 1 to 16", r.Packets, len(r.Kinds))
	case r.Notice && r.Discipline != GiverFirst && r.Discipline != TakerFirst:
		return nil, fmt.Errorf("a notice goes from the first to the second: want discipline %s or %s", DisciplineNames[GiverFirst], DisciplineNames[TakerFirst])
	}
	kinds, err := Kinds(ctx, r.Before, r.After, r.Rule)
	if err != nil {
		return nil, err
	}
	m := &rebalance{Rebalancing: r, links: map[[2]int]program.Var{}}
	for i, k := range r.Kinds {
		if k < 0 || k >= len(kinds) || slices.Contains(r.Kinds[:i], k) {
			return nil, fmt.Errorf("kind %d of targets: want different numbers from 0 to %d", k, len(kinds)-1)
		}
		m.kinds = append(m.kinds, kinds[k])
	}
	m.p = program.New(fmt.Sprintf("rebalancing of %d PEs, %s, %s, kinds %v, %d packets, again %s, notice %t",
		len(r.Before.Regions), RuleNames[r.Rule], DisciplineNames[r.Discipline], r.Kinds, r.Packets, AgainNames[r.Again], r.Notice))
	m.variables()
	m.send()
	m.forward()
	for k := range m.kinds {
		m.rewrite(k)
	}
	if r.Again != Once {
		may := m.all
		if r.Again == Settled {
			may = append(m.empty(), may...)
		}
		m.p.Unfair("the boundary moves again", program.And(may...), program.Set(m.plan, program.Sub(1, m.plan)))
	}
	m.claims()
	return m.p, nil
}

func (m *rebalance) variables() {
	for i := range m.Before.Regions {
		for j := range m.Before.Regions {
			if !m.adjacent(m.Before, i, j) && !m.adjacent(m.After, i, j) {
				continue
			}
			names := []string{"-"}
			for k := range m.kinds {
				names = append(names, fmt.Sprintf("packet for %s", &m.kinds[k].Cell))
			}
			if m.Notice {
				for k := range m.kinds {
					names = append(names, fmt.Sprintf("notice of %s", &m.kinds[k].Cell))
				}
			}
			m.links[[2]int{i, j}] = m.p.Enum(fmt.Sprintf("%s->%s", m.name(i), m.name(j)), names...)
			m.order = append(m.order, [2]int{i, j})
		}
	}
	m.plan = m.p.Enum("plan", "before", "after")
	m.p.Init(m.plan, 1)
	m.left = m.p.Var("to be sent", m.Packets+1)
	m.p.Init(m.left, m.Packets)
	m.arrived = m.p.Var("arrived", m.Packets+1)
	m.late = m.p.Var("late", 2)
	for k, kind := range m.kinds {
		row, shared := make([]program.Var, len(m.Before.Regions)), noEntry
		for pe := range row {
			row[pe] = noEntry
			switch {
			case kind.To[0][pe] == kind.To[1][pe]:
			case shared != noEntry:
				row[pe] = shared
			case m.Discipline == AtOnce:
				shared = m.p.Enum(fmt.Sprintf("entries for %s", &m.kinds[k].Cell), "before", "after")
				row[pe] = shared
				m.all = append(m.all, program.Eq(shared, m.plan))
			default:
				row[pe] = m.p.Enum(fmt.Sprintf("entry of %s for %s", m.name(pe), &m.kinds[k].Cell), "before", "after")
				m.all = append(m.all, program.Eq(row[pe], m.plan))
			}
		}
		m.entries = append(m.entries, row)
	}
}

func (m *rebalance) adjacent(p *Plane, i, j int) bool {
	for _, to := range p.Across[i] {
		if to == j {
			return true
		}
	}
	return false
}

func (m *rebalance) name(pe int) string { return m.Before.Regions[pe].Name }

// version is the condition that PE pe's entry for kind k is as before (0) or as
// after (1) the move, and whether that can be.
func (m *rebalance) version(k, pe, version int) (program.Expr, bool) {
	x := m.entries[k][pe]
	if x == noEntry {
		return program.And(), version == 0
	}
	return program.Eq(x, version), true
}

// send lets packets in, at every PE but the ones that own the target.
func (m *rebalance) send() {
	open := []program.Expr{program.Lt(0, m.left)}
	if m.Discipline == Drained {
		open = append(open, m.all...)
	}
	always := open
	for k, kind := range m.kinds {
		if open = always; m.Discipline == Quiet {
			open = append(slices.Clone(always), m.planned(k)...)
		}
		for pe := range m.Before.Regions {
			if pe == kind.Owner[0] || pe == kind.Owner[1] {
				continue
			}
			m.step(k, pe, program.And(open...), program.Set(m.left, program.Sub(m.left, 1)), "send")
		}
		// A PE that serves the target needs no network; one that does so no
		// longer, or not yet, does.
		for i, pe := range kind.Owner {
			if kind.Moved {
				m.hop(k, pe, 1-i, program.And(open...), program.Set(m.left, program.Sub(m.left, 1)), "send")
			}
		}
	}
}

// forward moves packets on, or delivers them.
func (m *rebalance) forward() {
	for _, l := range m.order {
		for k := range m.kinds {
			m.step(k, l[1], program.Eq(m.links[l], k+1), program.Set(m.links[l], 0), "forward")
		}
	}
}

// step adds the rules of what PE pe may do with a packet of kind k that it has.
func (m *rebalance) step(k, pe int, has program.Expr, leave program.Stmt, verb string) {
	for version := range 2 {
		m.hop(k, pe, version, has, leave, verb)
	}
}

func (m *rebalance) hop(k, pe, version int, has program.Expr, leave program.Stmt, verb string) {
	now, can := m.version(k, pe, version)
	if !can {
		return
	}
	kind := &m.kinds[k]
	if kind.Owner[version] == pe {
		effect := []program.Stmt{leave, program.Set(m.arrived, program.Add(m.arrived, 1))}
		if kind.Moved {
			other, _ := m.version(k, kind.Owner[1-version], 1-version)
			giver := program.Eq(m.plan, 1-version)
			effect = append(effect, program.If(program.And(other, giver), program.Set(m.late, 1)))
		}
		m.p.Rule(fmt.Sprintf("%s consumes a packet for %s", m.name(pe), &kind.Cell), program.And(has, now), effect...)
		return
	}
	for to := kind.To[version][pe]; to != 0; to &= to - 1 {
		next := bits.TrailingZeros32(to)
		link := m.links[[2]int{pe, next}]
		m.p.Rule(fmt.Sprintf("%s: %s to %s for %s", m.name(pe), verb, m.name(next), &kind.Cell),
			program.And(has, now, program.Eq(link, 0)), leave, program.Set(link, k+1))
	}
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
		case m.Discipline == AtOnce:
			m.p.Rule(fmt.Sprintf("all rewrite their entries for %s", &kind.Cell), stale, program.Set(x, m.plan))
			return // there is one variable for all
		case m.Discipline == Quiet:
			m.p.Rule(name, program.And(append(m.without(k), stale)...), program.Set(x, m.plan))
		case m.Discipline == Drained:
			m.p.Rule(name, program.And(append(m.empty(), stale)...), program.Set(x, m.plan))
		case m.Discipline == AnyOrder || !kind.Moved:
			m.p.Rule(name, stale, program.Set(x, m.plan))
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
		if m.Discipline == TakerFirst {
			first, second = second, first
		}
		aimed := program.And(program.Eq(m.plan, plan), program.Ne(x, plan))
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

// without lists the conditions that no packet of kind k is in the network.
func (m *rebalance) without(k int) []program.Expr {
	var none []program.Expr
	for _, l := range m.order {
		none = append(none, program.Ne(m.links[l], k+1))
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

func (m *rebalance) claims() {
	count := program.Add(m.left, m.arrived)
	packet := make([]program.Expr, 0, len(m.order)+1)
	for _, l := range m.order {
		is := program.And(program.Ne(m.links[l], 0), program.Le(m.links[l], len(m.kinds)))
		count = program.Add(count, program.IfElse(is, 1, 0))
		packet = append(packet, is)
	}
	m.p.Invariant("nothing lost or doubled", program.Eq(count, m.Packets))
	var some, one []program.Expr
	for k, kind := range m.kinds {
		if !kind.Moved {
			continue
		}
		before, _ := m.version(k, kind.Owner[0], 0)
		after, _ := m.version(k, kind.Owner[1], 1)
		some = append(some, program.Or(before, after))
		one = append(one, program.Not(program.And(before, after)))
	}
	m.p.Invariant("somebody serves", program.And(some...))
	m.p.Invariant("nobody serves what another does", program.And(one...))
	m.p.Invariant("none is delivered late", program.Eq(m.late, 0))
	m.p.Response("all arrive", program.Or(packet...))
	end := append(m.empty(), m.all...)
	m.p.Final = program.And(append(end, program.Eq(m.left, 0))...)
}
