package p3

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Again says whether the boundary moves to and fro forever.
type Again uint8

const (
	Once    Again = iota
	Forever       // a new move begins at any time after all entries have been rewritten
	Settled       // and only while no packet is in the network
)

// AgainNames are the names of the values of Again, in order.
var AgainNames = []string{"no", "yes", "settled"}

// Bounds of [Rebalancing]: kinds of targets, and packets.
const (
	MostKinds   = 16
	MostPackets = 12
)

// Rebalancing describes packets on their way while a boundary moves, at any time.
type Rebalancing struct {
	Before, After *Plane // at most [MostMoving] PEs
	Rule          Rule
	Discipline    Discipline
	Kinds         []int // numbers of the kinds of targets that take part, see [Kinds]: 1 to [MostKinds]
	// Packets is how many are sent in all, of these kinds in any mixture: 1 to
	// [MostPackets]. 0 means one for each number in Kinds, which may then be
	// repeated; there are fewer states by far.
	Packets int
	// From names the PE at which each of these packets is sent; nil stands for
	// any PE.
	From  []int
	Again Again
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
	sources []source
	entries [][]program.Var // by kind and PE; noEntry where before and after agree
	links   map[[2]int]program.Var
	order   [][2]int // the links, in order
	plan    program.Var
	arrived program.Var
	late    program.Var
	all     []program.Expr // all entries are as planned
}

const noEntry = program.Var(-1)

// source is where packets of one kind are sent.
type source struct {
	kind  int // of rebalance.kinds
	pe    int // anywhere if < 0
	count int
	left  program.Var // packets still to be sent; shared by all sources if Packets is not 0
}

// Program returns the machine. Its claims: the invariants "nothing lost or
// doubled", "somebody serves" (every target), "nobody serves what another does"
// and "none is delivered late" (where the giver serves what the taker serves
// already); the responses "all arrive" and "the move is completed"; and no
// deadlock.
func (r Rebalancing) Program(ctx context.Context) (*program.Program, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	kinds, err := Kinds(ctx, r.Before, r.After, r.Rule)
	if err != nil {
		return nil, err
	}
	m := &rebalance{Rebalancing: r, links: map[[2]int]program.Var{}}
	for i, k := range r.Kinds {
		if k < 0 || k >= len(kinds) || r.Packets > 0 && slices.Contains(r.Kinds[:i], k) {
			return nil, fmt.Errorf("kind %d of targets: want different numbers from 0 to %d", k, len(kinds)-1)
		}
		from := -1
		if r.From != nil {
			from = r.From[i]
		}
		number := distinct(r.Kinds, k)
		if number == len(m.kinds) {
			m.kinds = append(m.kinds, kinds[k])
		}
		at := slices.IndexFunc(m.sources, func(s source) bool { return s.kind == number && s.pe == from })
		if at < 0 {
			at = len(m.sources)
			m.sources = append(m.sources, source{kind: number, pe: from})
		}
		m.sources[at].count++
	}
	m.p = program.New(fmt.Sprintf("rebalancing of %d PEs, %s, %s, kinds %v, from %v, %d packets, again %s, notice %t",
		len(r.Before.Regions), RuleNames[r.Rule], r.Discipline, r.Kinds, r.From, r.Packets, AgainNames[r.Again], r.Notice))
	m.variables()
	m.send()
	m.forward()
	for k := range m.kinds {
		m.rewrite(k)
	}
	may := []program.Expr{program.Eq(m.plan, 0)}
	switch r.Again {
	case Forever:
		may = m.all
	case Settled:
		may = append(m.empty(), m.all...)
	}
	m.p.Unfair("the boundary moves", program.And(may...), program.Set(m.plan, program.Sub(1, m.plan)))
	m.claims()
	return m.p, nil
}

func (r *Rebalancing) check() error {
	switch d := r.Discipline; {
	case len(r.Kinds) > MostKinds || r.Packets == 0 && len(r.Kinds) > MostPackets:
		return fmt.Errorf("%d kinds of targets: want at most %d, or %d with a packet each", len(r.Kinds), MostKinds, MostPackets)
	case r.From != nil && (r.Packets > 0 || len(r.From) != len(r.Kinds)):
		return fmt.Errorf("%d places to send %d kinds from, %d packets: want a place for each, and 0 packets", len(r.From), len(r.Kinds), r.Packets)
	case slices.ContainsFunc(r.From, func(pe int) bool { return pe < -1 || pe >= len(r.Before.Regions) }):
		return fmt.Errorf("packets sent from PEs %v: want numbers up to %d, or -1 for any", r.From, len(r.Before.Regions)-1)
	case r.Notice && (d.Order != GiverFirst && d.Order != TakerFirst || d.Wait != Nothing):
		return fmt.Errorf("a notice goes from the first to the second: want the order %s or %s, waiting for %s", OrderNames[GiverFirst], OrderNames[TakerFirst], WaitNames[Nothing])
	}
	return nil
}

func (m *rebalance) variables() {
	for i := range m.Before.Regions {
		for j := range m.Before.Regions {
			if !slices.Contains(m.Before.Across[i], j) && !slices.Contains(m.After.Across[i], j) {
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
	var shared program.Var
	if m.Packets > 0 {
		shared = m.p.Var("to be sent", m.Packets+1)
		m.p.Init(shared, m.Packets)
	}
	for i := range m.sources {
		src := &m.sources[i]
		if src.left = shared; m.Packets == 0 {
			name := fmt.Sprintf("to be sent for %s", &m.kinds[src.kind].Cell)
			if src.pe >= 0 {
				name += " at " + m.name(src.pe)
			}
			src.left = m.p.Var(name, src.count+1)
			m.p.Init(src.left, src.count)
		}
	}
	m.arrived = m.p.Var("arrived", m.packets()+1)
	m.late = m.p.Var("late", 2)
	for k, kind := range m.kinds {
		row, shared := make([]program.Var, len(m.Before.Regions)), noEntry
		for pe := range row {
			row[pe] = noEntry
			switch {
			case kind.To[0][pe] == kind.To[1][pe]:
			case shared != noEntry:
				row[pe] = shared
			case m.Discipline.Order == AtOnce:
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

// distinct returns the place of x among the different elements of a list.
func distinct(list []int, x int) int {
	n := 0
	for i, y := range list[:slices.Index(list, x)] {
		if !slices.Contains(list[:i], y) {
			n++
		}
	}
	return n
}

// packets is how many there are.
func (m *rebalance) packets() int {
	if m.Packets > 0 {
		return m.Packets
	}
	return len(m.Kinds)
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

// send lets packets in. A PE that serves the target needs no network; one that
// does so no longer, or not yet, does. So a packet that is sent at a given PE may
// be consumed there.
func (m *rebalance) send() {
	for _, src := range m.sources {
		k, kind := src.kind, m.kinds[src.kind]
		open := program.And(append([]program.Expr{program.Lt(0, src.left)}, m.held(k)...)...)
		leave := program.Set(src.left, program.Sub(src.left, 1))
		for pe := range m.Before.Regions {
			switch {
			case src.pe >= 0 && src.pe != pe:
			case src.pe == pe || pe != kind.Owner[0] && pe != kind.Owner[1]:
				m.step(k, pe, open, leave, "send")
			case kind.Moved && pe == kind.Owner[0]:
				m.hop(k, pe, 1, open, leave, "send")
			case kind.Moved:
				m.hop(k, pe, 0, open, leave, "send")
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

func (m *rebalance) claims() {
	count := program.Value(m.arrived)
	for i, src := range m.sources {
		if i == 0 || m.Packets == 0 {
			count = program.Add(count, src.left)
		}
	}
	packet := make([]program.Expr, 0, len(m.order)+1)
	for _, l := range m.order {
		is := program.And(program.Ne(m.links[l], 0), program.Le(m.links[l], len(m.kinds)))
		count = program.Add(count, program.IfElse(is, 1, 0))
		packet = append(packet, is)
	}
	m.p.Invariant("nothing lost or doubled", program.Eq(count, m.packets()))
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
	if len(m.all) > 0 {
		m.p.Response("the move is completed", program.Not(program.And(m.all...)))
	}
	end := append(m.empty(), m.all...)
	m.p.Final = program.And(append(end, program.Eq(m.arrived, m.packets()))...)
}
