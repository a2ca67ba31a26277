package rwc1

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Design of the machine of the drain.
//
// Node i sends over link i to node i+1. In a line packets come into the FIFO of
// node 0 from its processor, go from FIFO to FIFO and are consumed at the last
// node; in a ring every processor sends straight into its link, and what comes is
// consumed at the next node. A transfer is two steps: it starts, which takes the
// packet out of its FIFO and needs room at the other end (the handshake), and it
// ends, which nothing stops: the packet is put into the FIFO beyond, whatever the
// router there is doing. In between it is half-way over the link. A router may
// pass a packet on before it has come whole, if its FIFO is empty: then only the
// tail is on the link in, and the link out is not idle before the tail has come.
//
// The operating system asks all nodes for a drain; each node hears of it when it
// does. Then:
//
//	run        packets move
//	stopping   no transfer is started any more; when the own link is idle, a
//	           word goes over it behind the last packet
//	told       the word is on its way or has arrived; waits for that of the node before
//	frozen     the interrupt; entry by entry the FIFOs are saved to memory
//	saved      another program has the processor
//	restoring  entry by entry what was saved goes back
//	restored   waits until it may run
//
// Nothing is lost, doubled or overtaken because of this invariant: from frozen to
// restored nothing arrives over the link. The word behind the last packet is one
// way to know; to refuse handshakes unless running, and to wait until the link in
// is idle, is another. A word is worth nothing if the node before may have saved,
// restored and run again since: if nodes run again one by one, a router must stop
// as soon as it hears the word.
//
// Two packets of VC 0 of node 0 are watched, see pair.

// Freeze is what a router waits for before it takes itself for frozen.
type Freeze uint8

const (
	OnWord Freeze = iota // until the node before has sent the word that no packet follows
	OnIdle               // until no packet is on the link in
	AtOnce               // for nothing: wrong
)

// FreezeNames are the names of those, in order.
var FreezeNames = []string{"word", "idle", "at-once"}

// DrainOptions describes a line or a ring of nodes.
type DrainOptions struct {
	Nodes int // 2 to 4
	Ring  bool
	VCs   int // 1 or 2
	Depth int // packets of a FIFO, 1 to 3
	// StoreAndForward: a packet is passed on only when it has come whole. Otherwise
	// a router may pass its head on while the tail is still on the link in
	// (virtual cut-through), in a line of at least three nodes.
	StoreAndForward bool
	Freeze          Freeze
	Open            bool // a router accepts a handshake whenever there is room, frozen or not
	Alone           bool // a node runs again as soon as it has restored, without waiting for all others
	// Deaf: a router that runs and hears the word goes on until its own
	// processor tells it to stop. Otherwise the word stops it, so that the drain
	// spreads by itself.
	Deaf bool
	// Reversed: what was saved last is restored first. Wrong.
	Reversed bool
}

// What a node does.
const (
	run = iota
	stopping
	told
	frozen
	saved
	restoring
	restored
)

var phaseNames = []string{"run", "stopping", "told", "frozen", "saved", "restoring", "restored"}

// drain is the program under construction. Slices are by node.
type drain struct {
	DrainOptions
	p      *program.Program
	phase  []program.Var
	round  []program.Var  // which drain the node knows of, the last bit
	heard  []program.Var  // 1: the word of the node before has arrived
	links  []program.Var  // what is half-way over the link to the next node
	fifos  [][]parts.FIFO // [node][vc]
	memory [][]parts.FIFO

	asked program.Var // which drain the operating system has asked for, the last bit
	pair  pair        // the watched packets, until they have been consumed
}

// Drain is the machine of a drain in a line or ring of nodes.
//
// The invariants: "in order", the second packet is never consumed before the
// first; "nothing lost or doubled", each of the two is in one place until it has been consumed;
// "nothing arrives at a frozen router". The response "the drain ends": all nodes
// run again.
func Drain(o DrainOptions) *program.Program {
	m := &drain{DrainOptions: o, p: program.New(fmt.Sprintf(
		"RWC-1 drain, %d nodes, ring %t, %d VCs of %d packets, freeze %s, open %t, alone %t, deaf %t, reversed %t, store-and-forward %t",
		o.Nodes, o.Ring, o.VCs, o.Depth, FreezeNames[o.Freeze], o.Open, o.Alone, o.Deaf, o.Reversed, o.StoreAndForward))}
	m.variables()
	for i := range o.Nodes {
		m.send(i)
		m.arrive(i)
		m.consume(i)
		m.freeze(i)
		m.save(i)
	}
	m.system()
	m.claims()
	return m.p
}

// A link holds nothing, a packet of some VC, the word, or the tail of a packet
// whose head is on the next link.
func onLink(vc, packet int) int { return 3*vc + packet }

func (m *drain) word() int { return 3*m.VCs + 1 }
func (m *drain) tail() int { return 3*m.VCs + 2 }

func (m *drain) variables() {
	p := m.p
	linkNames := []string{"idle"}
	for v := range m.VCs {
		for _, name := range packetNames[1:] {
			linkNames = append(linkNames, fmt.Sprintf("%s, VC %d", name, v))
		}
	}
	linkNames = append(linkNames, "the word", "a tail")
	for i := range m.Nodes {
		m.phase = append(m.phase, p.Enum(fmt.Sprintf("node %d", i), phaseNames...))
		m.round = append(m.round, p.Var(fmt.Sprintf("round of %d", i), 2))
		m.heard = append(m.heard, p.Var(fmt.Sprintf("%d has heard the word", i), 2))
		m.links = append(m.links, p.Enum(fmt.Sprintf("link %d", i), linkNames...))
		var queues, memories []parts.FIFO
		for v := range m.VCs {
			queues = append(queues, newFIFO(p, fmt.Sprintf("FIFO %d.%d", i, v), m.Depth, packetNames))
			memories = append(memories, newFIFO(p, fmt.Sprintf("memory %d.%d", i, v), m.Depth, packetNames))
		}
		m.fifos, m.memory = append(m.fifos, queues), append(m.memory, memories)
	}
	m.asked = p.Var("asked for", 2)
	m.pair = newPair(p)
}

func (m *drain) hasLinkOut(i int) bool { return m.Ring || i < m.Nodes-1 }
func (m *drain) hasLinkIn(i int) bool  { return m.Ring || i > 0 }
func (m *drain) next(i int) int        { return (i + 1) % m.Nodes }
func (m *drain) before(i int) int      { return (i + m.Nodes - 1) % m.Nodes }

func (m *drain) in(i, phase int) program.Expr { return program.Eq(m.phase[i], phase) }

// fresh adds the rules by which a processor sends a packet: a plain one, the
// first or the second.
func (m *drain) fresh(name string, watched bool, may program.Expr, put func(packet int) program.Stmt) {
	m.p.Unfair(name, may, put(plain))
	if watched {
		m.p.Unfair(name+", the first", program.And(may, program.Eq(m.pair.sent, 0)), put(first), program.Set(m.pair.sent, 1))
		m.p.Unfair(name+", the second", program.And(may, program.Eq(m.pair.sent, 1)), put(second), program.Set(m.pair.sent, 2))
	}
}

// send adds the starts of transfers of node i, and in a line what comes from the
// processor of node 0.
func (m *drain) send(i int) {
	for v := range m.VCs {
		q := m.fifos[i][v]
		if !m.Ring && i == 0 {
			m.fresh(fmt.Sprintf("0 sends on VC %d", v), v == 0, program.And(m.in(0, run), q.Room()),
				func(packet int) program.Stmt { return q.Push(packet) })
		}
		if !m.hasLinkOut(i) {
			continue
		}
		to := m.next(i)
		may := []program.Expr{m.in(i, run), program.Eq(m.links[i], empty), m.fifos[to][v].Room()}
		if !m.Open {
			may = append(may, m.in(to, run))
		}
		name := fmt.Sprintf("%d starts a packet of VC %d", i, v)
		if m.Ring {
			m.fresh(name, i == 0 && v == 0, program.And(may...), func(packet int) program.Stmt { return program.Set(m.links[i], onLink(v, packet)) })
			continue
		}
		if !m.StoreAndForward && i > 0 {
			for _, packet := range []int{plain, first, second} {
				in := m.links[i-1]
				m.p.Rule(fmt.Sprintf("%d passes on the head of a packet of VC %d", i, v),
					program.And(append([]program.Expr{program.Eq(in, onLink(v, packet)), q.Empty()}, may...)...),
					program.Set(m.links[i], onLink(v, packet)), program.Set(in, m.tail()))
			}
		}
		m.p.Rule(name, program.And(append(may, q.Some())...),
			program.Set(m.links[i], program.Add(3*v, q.Head(0))), q.Pop())
	}
}

// whole is true unless the tail of the packet on link i is still on the link
// before.
func (m *drain) whole(i int) program.Expr {
	if m.Ring || i == 0 {
		return program.And()
	}
	return program.Ne(m.links[i-1], m.tail())
}

// arrive ends transfers on link i.
func (m *drain) arrive(i int) {
	if !m.hasLinkOut(i) {
		return
	}
	to, idle := m.next(i), program.Set(m.links[i], empty)
	for v := range m.VCs {
		for _, packet := range []int{plain, first, second} {
			m.p.Rule(fmt.Sprintf("a packet of VC %d has come to %d", v, to), program.And(program.Eq(m.links[i], onLink(v, packet)), m.whole(i)), take(m.fifos[to][v], program.Const(packet)), idle)
		}
	}
	if !m.StoreAndForward && !m.Ring && to < m.Nodes-1 {
		m.p.Rule(fmt.Sprintf("a tail has passed %d", to), program.And(program.Eq(m.links[i], m.tail()), m.whole(i)), idle)
	}
	hear := []program.Stmt{program.Set(m.heard[to], 1), idle}
	if !m.Deaf {
		hear = append(hear, program.If(m.in(to, run), program.Set(m.phase[to], stopping), program.Set(m.round[to], m.asked)))
	}
	m.p.Rule(fmt.Sprintf("%d hears the word", to), program.Eq(m.links[i], m.word()), hear...)
}

// consume takes packets to the processor of node i.
func (m *drain) consume(i int) {
	if !m.Ring && i < m.Nodes-1 {
		return
	}
	for v := range m.VCs {
		q := m.fifos[i][v]
		m.p.Rule(fmt.Sprintf("%d consumes a packet of VC %d", i, v), program.And(m.in(i, run), q.Some()), append(m.pair.leaves(q.Head(0)), q.Pop())...)
	}
}

// freeze takes node i from run to frozen.
func (m *drain) freeze(i int) {
	step := func(what string, guard program.Expr, effect ...program.Stmt) {
		m.p.Rule(fmt.Sprintf("%d %s", i, what), guard, effect...)
	}
	step("hears of the drain and stops", program.And(m.in(i, run), program.Ne(m.round[i], m.asked)),
		program.Set(m.phase[i], stopping), program.Set(m.round[i], m.asked))
	toFrozen := program.Set(m.phase[i], frozen)
	switch m.Freeze {
	case AtOnce:
		step("is frozen", m.in(i, stopping), toFrozen)
	case OnIdle:
		idle := []program.Expr{m.in(i, stopping)}
		if m.hasLinkOut(i) {
			idle = append(idle, program.Eq(m.links[i], empty))
		}
		if m.hasLinkIn(i) {
			idle = append(idle, program.Eq(m.links[m.before(i)], empty))
		}
		step("is frozen", program.And(idle...), toFrozen)
	case OnWord:
		toTold := program.Set(m.phase[i], told)
		if m.hasLinkOut(i) {
			step("sends the word", program.And(m.in(i, stopping), program.Eq(m.links[i], empty)), program.Set(m.links[i], m.word()), toTold)
		} else {
			step("has nobody to tell", m.in(i, stopping), toTold)
		}
		heard := program.And()
		if m.hasLinkIn(i) {
			heard = program.Eq(m.heard[i], 1)
		}
		step("is frozen", program.And(m.in(i, told), heard), toFrozen, program.Set(m.heard[i], 0))
	}
}

// save takes node i from frozen to restored, and from there back to run if it
// need not wait for others.
func (m *drain) save(i int) {
	var drained, restoredAll []program.Expr
	for v := range m.VCs {
		q, mem := m.fifos[i][v], m.memory[i][v]
		drained, restoredAll = append(drained, q.Empty()), append(restoredAll, mem.Empty())
		m.p.Rule(fmt.Sprintf("%d saves a packet of VC %d", i, v), program.And(m.in(i, frozen), q.Some()),
			take(mem, program.Value(q.Head(0))), q.Pop())
		back := []program.Stmt{q.Put(program.Value(mem.Head(0))), mem.Pop()}
		if m.Reversed {
			back = []program.Stmt{lastTo(mem, q)}
		}
		m.p.Rule(fmt.Sprintf("%d restores a packet of VC %d", i, v), program.And(m.in(i, restoring), mem.Some(), q.Room()), back...)
	}
	step := func(what string, guard program.Expr, to int) {
		m.p.Rule(fmt.Sprintf("%d %s", i, what), guard, program.Set(m.phase[i], to))
	}
	step("has saved all", program.And(append(drained, m.in(i, frozen))...), saved)
	step("is given back", m.in(i, saved), restoring)
	step("has restored all", program.And(append(restoredAll, m.in(i, restoring))...), restored)
	if m.Alone {
		step("runs again", m.in(i, restored), run)
	}
}

// take puts a packet into a FIFO; if it is full, the packet is lost.
func take(q parts.FIFO, packet program.Expr) program.Stmt {
	return program.If(q.Room(), q.Put(packet))
}

// lastTo takes the last packet of one FIFO into another, which has room.
func lastTo(from, to parts.FIFO) program.Stmt {
	var s program.Stmt
	for k, x := range from.First() {
		last := program.If(program.Ne(x, empty), to.Put(program.Value(x)), program.Set(x, empty))
		if k > 0 {
			last = last.Otherwise(s)
		}
		s = last
	}
	return s
}

// system is what the operating system does: it asks for a drain when no other
// is under way, and lets all nodes run when all have restored.
func (m *drain) system() {
	var quiet, ready []program.Expr
	var release []program.Stmt
	for i := range m.Nodes {
		quiet = append(quiet, m.in(i, run), program.Eq(m.round[i], m.asked))
		ready = append(ready, m.in(i, restored))
		release = append(release, program.Set(m.phase[i], run))
	}
	m.p.Unfair("a drain is asked for", program.And(quiet...), program.Set(m.asked, program.Sub(1, m.asked)))
	if !m.Alone {
		m.p.Rule("all run again", program.And(ready...), release...)
	}
}

func (m *drain) claims() {
	var places []program.Var
	still := program.And()
	var under []program.Expr
	for i := range m.Nodes {
		for v := range m.VCs {
			places = append(places, m.fifos[i][v].First()...)
			places = append(places, m.memory[i][v].First()...)
		}
		places = append(places, m.links[i]) // a link's first three packets are those of VC 0
		under = append(under, program.Not(m.in(i, run)), program.Ne(m.round[i], m.asked))
		if m.hasLinkIn(i) {
			link := m.links[m.before(i)]
			packet := program.And(program.Ne(link, empty), program.Ne(link, m.word()))
			still = program.And(still, program.Not(program.And(program.Le(frozen, m.phase[i]), program.Le(m.phase[i], restored), packet)))
		}
	}
	m.p.Invariant("in order", m.pair.inOrder())
	m.p.Invariant("nothing lost or doubled", m.pair.intact(places...))
	m.p.Invariant("nothing arrives at a frozen router", still)
	m.p.Response("the drain ends", program.Or(under...))
}
