package rwc1

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Design of the machine of whole routers.
//
// A buffer is a FIFO of whole packets of one execution level, or of one mode. The
// buffers of a router are those of its inputs, for each link in and VC, and that
// of its processor, each for every set of levels. Behind the router is the
// processor with a PIB for every level. What a packet is tells its whole way, as
// a list of buffers; only buffers on the way of some stream are made, so that a
// few streams on the fabric of 1024 nodes make a small machine. What is left out
// would be empty at all times.
//
// A step moves the first packet of a buffer into the next buffer of its way if
// there is room for it. That is virtual cut-through as far as it decides what
// waits for what: the handshake at the start of a packet asks for the room of the
// whole packet, and nothing stops it afterwards. What is half-way over a link is
// in rwc1-drain.
//
// Every output port, a link or the way to the processor, has an arbiter among
// the buffers whose first packet wants it. A packet may be held back by others
// of a higher rank; see Hold. Ranks are modes (system over user, the paper's
// words), or levels.
//
// The processor takes what is first in a PIB: a reply, or a packet that is not
// answered, is consumed, a request is turned into its reply as soon as the
// injection buffer of the reply has room. PIB and APB are one queue: with spilling
// the PIB is as long as all packets that can be under way to it.
//
// The invariant "something can move" is there because processors that may still
// ask hide a deadlock of all that is in flight.

// Marks of packets, see pair.
const (
	unmarked = iota
	markedFirst
	markedSecond
)

var markNames = []string{"", ", the first", ", the second"}

// packet is what a place of a buffer can hold: 1 + its number in whole.packets.
type packet struct {
	stream int
	reply  bool
	mark   int
	way    []int // numbers of buffers
}

// whole is the program under construction.
type whole struct {
	MachineOptions
	p       *program.Program
	t       *spec.Topology
	packets []packet // a reply follows its request
	buffers []*buffer
	ports   []port

	open  []program.Var // by stream: packets under way, or requests without a reply
	asked []program.Var // by stream: how many have been sent; only if that is bounded
	pair  pair          // if one is watched

	moves []program.Expr // when something in flight can move
}

// Machine is the machine of whole routers and their processors.
//
// The invariants: "nothing lost or doubled": of every stream there are as many
// packets as are under way, and of a watched one exactly one; "delivered to the
// right node": nothing is in a PIB but what is meant for that processor and level;
// "something can move": unless nothing is in flight; "in order", if two packets
// are watched: the second does not end before the first. The response "a watched
// packet ends": it is consumed, or its reply is.
//
// The number of rules is linear in the streams times the length of their ways,
// times the buffers that share a port with rotate.
func Machine(o MachineOptions) (*program.Program, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	def, err := routersOf(Options{N: o.N, Topology: o.Fabric, VCs: o.VCs, Border: o.Border})
	if err != nil {
		return nil, err
	}
	m := &whole{MachineOptions: o, p: program.New(o.name()), t: def.Topology}
	m.p.Module = "RWC-1 machine"
	if err := m.ways(def.Routing); err != nil {
		return nil, err
	}
	if err := m.variables(); err != nil {
		return nil, err
	}
	for k := range m.Streams {
		m.ask(k)
	}
	for k := range m.ports {
		m.arbitrate(k)
	}
	for i := range m.buffers {
		m.serve(i)
	}
	m.claims()
	return m.p, nil
}

func (m *whole) variables() error {
	const most = 16 // places of a queue: pushing looks at each
	values := []string{"empty"}
	for _, x := range m.packets {
		what := []string{"", " reply"}[b2i(x.reply)]
		values = append(values, m.Streams[x.stream].String()+what+markNames[x.mark])
	}
	room := 0
	for _, b := range m.buffers {
		places := m.Depth
		if b.pib {
			places = m.PIB
			if m.Spill {
				if places = max(places, m.toPIB(b)); places > most {
					return fmt.Errorf("an APB of %d packets: want at most %d; a smaller window or fewer streams", places, most)
				}
			}
		}
		b.q = newFIFO(m.p, b.name, places, values)
		room += places
	}
	for k, s := range m.Streams {
		bound := m.Window
		if bound == 0 {
			bound = room
		}
		if s.Most > 0 {
			bound = min(bound, s.Most)
		}
		m.open = append(m.open, m.p.Var(fmt.Sprintf("under way %d: %s", k, s), bound+1))
	}
	m.asked = make([]program.Var, len(m.Streams))
	for k, s := range m.Streams {
		if s.Most > 0 {
			m.asked[k] = m.p.Var(fmt.Sprintf("sent %d: %s", k, s), s.Most+1)
		}
	}
	if m.Watch >= 0 {
		m.pair = newPair(m.p)
	}
	return nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// toPIB returns how many packets can be under way to a PIB: the windows of all
// processors that have any.
func (m *whole) toPIB(b *buffer) int {
	counted := map[int]bool{}
	for _, i := range b.holds {
		counted[m.Streams[m.packets[i].stream].From] = true
	}
	return len(counted) * m.Window
}

// ask adds the rules by which a processor sends packets of a stream.
func (m *whole) ask(k int) {
	s := m.Streams[k]
	for i, x := range m.packets {
		if x.stream != k || x.reply {
			continue
		}
		to := m.buffers[x.way[0]].q
		may := []program.Expr{to.Room(), program.Lt(m.open[k], m.p.Variables[m.open[k]].Values-1)}
		effect := []program.Stmt{to.Push(i + 1), program.Set(m.open[k], program.Add(m.open[k], 1))}
		if m.Window > 0 {
			sum := program.Const(0)
			for d, other := range m.Streams {
				if other.From == s.From {
					sum = program.Add(sum, m.open[d])
				}
			}
			may = append(may, program.Lt(sum, m.Window))
		}
		if s.Most > 0 {
			may = append(may, program.Lt(m.asked[k], s.Most))
			effect = append(effect, program.Set(m.asked[k], program.Add(m.asked[k], 1)))
		}
		if m.Answers {
			may = append(may, program.Not(m.mustAnswer(s.From)))
		}
		name := fmt.Sprintf("%d sends %s%s", s.From, s, markNames[x.mark])
		if x.mark != unmarked {
			may = append(may, program.Eq(m.pair.sent, x.mark-1))
			effect = append(effect, program.Set(m.pair.sent, x.mark))
		}
		m.p.Unfair(name, program.And(may...), effect...)
	}
}

// mustAnswer is true while a request is first in some PIB of a processor.
func (m *whole) mustAnswer(v int) program.Expr {
	var waits []program.Expr
	for _, b := range m.buffers {
		if !b.pib || int(b.router) != v {
			continue
		}
		for _, i := range b.holds {
			if x := m.packets[i]; !x.reply && m.Streams[x.stream].asks() {
				waits = append(waits, b.q.Is(i+1))
			}
		}
	}
	return program.Or(waits...)
}

// serve takes what is first in a PIB.
func (m *whole) serve(at int) {
	b := m.buffers[at]
	if !b.pib {
		return
	}
	for _, i := range b.holds {
		x, k := m.packets[i], m.packets[i].stream
		s := m.Streams[k]
		if s.asks() && !x.reply {
			to := m.buffers[m.packets[i+1].way[0]].q
			guard := program.And(b.q.Is(i+1), to.Room())
			m.moves = append(m.moves, guard)
			m.p.Rule(fmt.Sprintf("%d answers at level %d", s.To, s.Level), guard, to.Push(i+2), b.q.Pop())
			continue
		}
		effect := []program.Stmt{b.q.Pop(), program.Set(m.open[k], program.Sub(m.open[k], 1))}
		switch {
		case x.mark == markedFirst && m.Watch2:
			effect = append(effect, m.pair.firstLeaves()...)
		case x.mark == markedFirst:
			effect = append(effect, program.Set(m.pair.sent, 0))
		case x.mark == markedSecond:
			effect = append(effect, m.pair.secondLeaves()...)
		}
		m.moves = append(m.moves, b.q.Is(i+1))
		m.p.Rule(fmt.Sprintf("%d consumes at level %d", b.router, b.set), b.q.Is(i+1), effect...)
	}
}

func (m *whole) claims() {
	var places []program.Var
	var right, flying []program.Expr
	for _, b := range m.buffers {
		places = append(places, b.q.First()...)
		flying = append(flying, b.q.Some())
		if !b.pib {
			continue
		}
		for _, x := range b.q.First() {
			allowed := []program.Expr{program.Eq(x, empty)}
			for _, i := range b.holds {
				allowed = append(allowed, program.Eq(x, i+1))
			}
			right = append(right, program.Or(allowed...))
		}
	}
	var kept []program.Expr
	total := func(these func(x packet) bool) program.Expr {
		sum := program.Const(0)
		for i, x := range m.packets {
			if these(x) {
				sum = program.Add(sum, count(i+1, places...))
			}
		}
		return sum
	}
	for k := range m.Streams {
		kept = append(kept, program.Eq(total(func(x packet) bool { return x.stream == k }), m.open[k]))
	}
	if m.Watch >= 0 {
		one := total(func(x packet) bool { return x.mark == markedFirst })
		two := total(func(x packet) bool { return x.mark == markedSecond })
		kept = append(kept,
			program.Eq(program.Add(one, m.pair.gone), program.IfElse(program.Le(1, m.pair.sent), 1, 0)),
			program.Eq(program.Add(two, m.pair.done), program.IfElse(program.Eq(m.pair.sent, 2), 1, 0)))
		m.p.Response("a watched packet ends", program.And(program.Le(1, m.pair.sent), program.Eq(m.pair.gone, 0)))
	}
	m.p.Invariant("nothing lost or doubled", program.And(kept...))
	m.p.Invariant("delivered to the right node", program.And(right...))
	m.p.Invariant("something can move", program.Implies(program.Or(flying...), program.Or(m.moves...)))
	if m.Watch2 {
		m.p.Invariant("in order", m.pair.inOrder())
	}
	var idle []program.Expr
	for _, x := range m.open {
		idle = append(idle, program.Eq(x, 0))
	}
	m.p.Final = program.And(idle...)
}
