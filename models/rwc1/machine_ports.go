package rwc1

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// buffer is a FIFO of the machine: that of an input and VC, that of the
// injection, both for a set of levels, or a PIB.
type buffer struct {
	name   string
	router spec.NodeID
	input  spec.ChannelID // that ends in it; of a processor spec.Injection(router)
	set    int            // of levels; of a PIB the level
	pib    bool
	holds  []int    // numbers of packets whose way it is on, ascending
	goes   []onward // what becomes of them; none of a PIB
	q      parts.FIFO
}

// onward is where some packets of a buffer go.
type onward struct {
	port, to int
	packets  []int
}

// port is an output port of a router: a link, or the way to the processor. There
// is an arbiter for each rank.
type port struct {
	router spec.NodeID
	link   spec.LinkID // -1: to the processor
	from   []int       // the buffers that send over it, ascending: injection last
}

// place is where a buffer is, see buffer.
type place struct {
	router spec.NodeID
	input  spec.ChannelID
	set    int
	pib    bool
}

// ways makes packets, buffers and ports: those on the way of some stream.
func (m *whole) ways(routing routing.Relation) error {
	w := ways{t: m.t, routing: routing}
	var all [][]place // by packet
	for k, s := range m.Streams {
		marks := []int{unmarked}
		if k == m.Watch {
			marks = append(marks, markedFirst)
			if m.Watch2 {
				marks = append(marks, markedSecond)
			}
		}
		for _, mark := range marks {
			for leg := range 1 + b2i(s.asks()) {
				from, to, level := spec.NodeID(s.From), spec.NodeID(s.To), s.Level
				if leg == 1 {
					from, to, level = to, from, s.Answer
				}
				set := m.set(level)
				channels, err := w.follow(from, to)
				if err != nil {
					return fmt.Errorf("the way of stream %s: %w", s, err)
				}
				way := []place{{from, spec.Injection(from), set, false}}
				for _, c := range channels {
					way = append(way, place{m.t.Head(c), c, set, false})
				}
				all = append(all, append(way, place{to, spec.Injection(to), level, true}))
				m.packets = append(m.packets, packet{stream: k, reply: leg == 1, mark: mark})
			}
		}
	}
	number := m.numbered(all)
	for i, way := range all {
		for _, x := range way {
			m.packets[i].way = append(m.packets[i].way, number[x])
		}
		m.join(i)
	}
	return nil
}

// numbered makes a buffer for each place on some way, and returns their numbers:
// inputs in the order of their channels, injection behind them, PIBs last.
func (m *whole) numbered(ways [][]place) map[place]int {
	number := map[place]int{}
	for _, way := range ways {
		for _, x := range way {
			number[x] = 0
		}
	}
	order := slices.SortedFunc(maps.Keys(number), func(a, b place) int {
		return cmp.Or(b2i(a.pib)-b2i(b.pib), b2i(a.input.IsInjection())-b2i(b.input.IsInjection()),
			cmp.Compare(m.t.Head(a.input), m.t.Head(b.input)), cmp.Compare(a.input, b.input), a.set-b.set)
	})
	for i, x := range order {
		number[x] = i
		m.buffers = append(m.buffers, &buffer{name: m.bufferName(x.input, x.set, x.pib), router: x.router, input: x.input, set: x.set, pib: x.pib})
	}
	return number
}

func (m *whole) bufferName(input spec.ChannelID, set int, pib bool) string {
	switch {
	case pib:
		return fmt.Sprintf("PIB of %s level %d", m.t.Node(m.t.Head(input)).Name, set)
	case input.IsInjection():
		return fmt.Sprintf("injection of %s set %d", m.t.Node(m.t.Head(input)).Name, set)
	}
	return fmt.Sprintf("%s set %d", m.t.ChannelName(input), set)
}

// join enters the way of packet i into its buffers and ports.
func (m *whole) join(i int) {
	way := m.packets[i].way
	for n, at := range way {
		b := m.buffers[at]
		b.holds = append(b.holds, i)
		if b.pib {
			continue
		}
		to := m.buffers[way[n+1]]
		out := port{router: b.router, link: -1}
		if !to.pib {
			out.link = m.t.LinkOf(to.input)
		}
		k := slices.IndexFunc(m.ports, func(p port) bool { return p.router == out.router && p.link == out.link })
		if k < 0 {
			k = len(m.ports)
			m.ports = append(m.ports, out)
		}
		if from := m.ports[k].from; !slices.Contains(from, at) {
			m.ports[k].from = append(from, at)
			slices.Sort(m.ports[k].from)
		}
		g := slices.IndexFunc(b.goes, func(o onward) bool { return o.port == k && o.to == way[n+1] })
		if g < 0 {
			g = len(b.goes)
			b.goes = append(b.goes, onward{port: k, to: way[n+1]})
		}
		b.goes[g].packets = append(b.goes[g].packets, i)
	}
}

// first is true if the first packet of a buffer is one of these.
func (m *whole) first(b *buffer, packets []int) program.Expr {
	if len(packets) == len(b.holds) {
		return b.q.Some()
	}
	var any []program.Expr
	for _, i := range packets {
		any = append(any, b.q.Is(i+1))
	}
	return program.Or(any...)
}

// held is true while the packets of a buffer are held back by what stands in
// others.
func (m *whole) held(b *buffer) program.Expr {
	var by []program.Expr
	for _, d := range m.buffers {
		if d.pib || d.router != b.router || m.rank(d.set) <= m.rank(b.set) {
			continue
		}
		if m.Hold == ByRouter || m.Hold == ByFIFO && d.input == b.input {
			by = append(by, d.q.Some())
		}
	}
	return program.Or(by...)
}

// can is true if the first packet of a buffer wants to go on so and may, turns
// and what others can send left aside.
func (m *whole) can(b *buffer, o onward) program.Expr {
	conditions := []program.Expr{m.first(b, o.packets), m.buffers[o.to].q.Room()}
	if held := m.held(b); len(held.Args) > 0 {
		conditions = append(conditions, program.Not(held))
	}
	return program.And(conditions...)
}

// portName names an output port: by its ends, and by what the topology calls the
// link if another joins the same routers.
func (m *whole) portName(p port) string {
	if p.link < 0 {
		return "the way to the processor of " + m.t.Node(p.router).Name
	}
	name := m.t.Node(p.router).Name + "->" + m.t.Node(m.t.Link(p.link).To).Name
	if slices.ContainsFunc(m.t.Out(p.router), func(l spec.LinkID) bool { return l != p.link && m.t.Link(l).To == m.t.Link(p.link).To }) {
		return fmt.Sprintf("link %s (%s)", name, m.t.Link(p.link).Out)
	}
	return "link " + name
}

// able is true if a buffer can send over port k, turns and what others can send
// left aside.
func (m *whole) able(at, k int) program.Expr {
	var any []program.Expr
	for _, o := range m.buffers[at].goes {
		if o.port == k {
			any = append(any, m.can(m.buffers[at], o))
		}
	}
	return program.Or(any...)
}

// arbitrate adds the rules of output port k, for one rank after the other.
func (m *whole) arbitrate(k int) {
	ranks := map[int][]int{}
	highest := 0
	for _, at := range m.ports[k].from {
		r := m.rank(m.buffers[at].set)
		ranks[r] = append(ranks[r], at)
		highest = max(highest, r)
	}
	for r := range highest + 1 {
		if len(ranks[r]) > 0 {
			m.grant(k, r, ranks[r])
		}
	}
}

// grant adds the rules by which port k is granted to the buffers of a rank.
func (m *whole) grant(k, rank int, rivals []int) {
	name := m.portName(m.ports[k])
	var above, same []program.Expr
	if m.Hold != ByRouter { // there, what is above holds back anyway
		for _, at := range m.ports[k].from {
			if m.rank(m.buffers[at].set) > rank {
				above = append(above, m.able(at, k))
			}
		}
	}
	for _, at := range rivals {
		same = append(same, m.able(at, k))
	}
	var turns *parts.Arbiter
	if m.Arbiter != AnyTurn && len(rivals) > 1 {
		turns = newTurns(m.p, m.Arbiter, len(rivals), fmt.Sprintf("turn at %s, rank %d", name, rank))
	}
	for c, at := range rivals {
		b := m.buffers[at]
		for _, o := range b.goes {
			if o.port != k {
				continue
			}
			guard := []program.Expr{m.can(b, o)}
			if len(above) > 0 {
				guard = append(guard, program.Not(program.Or(above...)))
			}
			m.moves = append(m.moves, program.And(guard...))
			effect := []program.Stmt{m.buffers[o.to].q.Put(program.Value(b.q.Head(0))), b.q.Pop()}
			if turns != nil {
				guard, effect = append(guard, turns.Turn(c, same)), append(effect, turns.Wins(c, same)...)
			}
			m.p.Rule(fmt.Sprintf("%s sends over %s", b.name, name), program.And(guard...), effect...)
		}
	}
}
