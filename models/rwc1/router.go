package rwc1

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Design of the machine of a router.
//
// One output port of one router, and the buffers of the next router behind it.
// FIFO c = input*VCs + vc has a user and a system part; with an injection port
// there is one more FIFO, that sends into VC 0. A FIFO offers its first system
// packet, else its first user packet; the arbiter grants one of the FIFOs whose
// offer finds room in the VC beyond. The next router passes its packets on
// sooner or later; packets arrive when they like, or never. System packets come
// to the FIFOs of VC 0 alone, which is enough to hold users back.
//
// Two user packets of one FIFO are watched, see pair. Of the other FIFOs only
// matters whether they have a packet to offer: one place is enough, since it may
// be filled again at once.
//
// The arbiter's memory: rotate keeps the last winner, and the next FIFO in
// number order comes first; queue keeps all FIFOs in a list and moves the winner
// to the end. If every FIFO could always send, both would be round-robin. Here
// they are not the same, since a FIFO whose VC has no room is passed over.

// Arbiter is how FIFOs take turns at an output port. The paper: round-robin, "so
// that the channel that has won last has the lowest priority".
type Arbiter uint8

const (
	Rotate Arbiter = iota // the order of the FIFOs is a fixed cyclic order from the one after the last winner
	Queue                 // the winner goes to the end of the list, the others keep their order
	Fixed                 // the lowest number wins: not round-robin, for comparison
)

// ArbiterNames are the names of the arbiters, in order.
var ArbiterNames = []string{"rotate", "queue", "fixed"}

// SystemTraffic is when system packets arrive.
type SystemTraffic uint8

const (
	NoSystem  SystemTraffic = iota
	Pauses                  // while a user packet waits, at most Burst of them arrive until one is sent
	Unlimited               // whenever there is room
)

// SystemTrafficNames are the names of those, in order.
var SystemTrafficNames = []string{"none", "pauses", "unlimited"}

// Priority is what "user packets are sent only while the system buffers are
// empty" means.
type Priority uint8

const (
	WholeRouter Priority = iota // all system buffers of the router
	OwnFIFO                     // that of the same FIFO
)

// PriorityNames are the names of those, in order.
var PriorityNames = []string{"router", "fifo"}

// RouterOptions describes one output port of a router.
type RouterOptions struct {
	Inputs, VCs int // links in, 1 to 3, and VCs of each, 1 to 3; the machine has 3 and 3
	Injection   bool
	Depth       int // packets of the watched FIFO, 1 to 4
	Watch       int // the FIFO that is watched, input*VCs + vc; the injection FIFO comes last
	Arbiter     Arbiter
	Apart       bool // user and system packets take turns with an arbiter each
	System      SystemTraffic
	Burst       int // with Pauses: 1 to 4
	Priority    Priority
}

func (o RouterOptions) fifos() int {
	if o.Injection {
		return o.Inputs*o.VCs + 1
	}
	return o.Inputs * o.VCs
}

func (o RouterOptions) check() error {
	switch {
	case o.Inputs < 1 || o.Inputs > 3 || o.VCs < 1 || o.VCs > 3:
		return fmt.Errorf("%d inputs of %d VCs: want 1 to 3 of each", o.Inputs, o.VCs)
	case o.Depth < 1 || o.Depth > 4:
		return fmt.Errorf("a FIFO of %d packets: want 1 to 4", o.Depth)
	case o.Watch < 0 || o.Watch >= o.fifos():
		return fmt.Errorf("FIFO %d is watched: there are 0 to %d", o.Watch, o.fifos()-1)
	case o.Arbiter > Fixed || o.System > Unlimited || o.Priority > OwnFIFO:
		return fmt.Errorf("arbiter %d, system traffic %d, priority %d: want 0 to 2, 0 to 2, 0 to 1", o.Arbiter, o.System, o.Priority)
	case o.System == Pauses && (o.Burst < 1 || o.Burst > 4):
		return fmt.Errorf("bursts of %d system packets: want 1 to 4", o.Burst)
	}
	return nil
}

// router is the program under construction.
type router struct {
	RouterOptions
	p *program.Program

	slots  []program.Var // the watched FIFO, its head first
	offers []program.Var // by FIFO: 1 if it has a user packet; not of the watched one
	system []program.Var // by FIFO: 1 if it has a system packet; only where system packets come
	beyond []program.Var // by VC: what the next router's user buffer holds
	above  []program.Var // by VC: 1 if its system buffer holds a packet

	pair   pair        // the watched packets, until they have left the next router
	passed program.Var // grants to other user packets for the same VC while the first is at the head
	left   program.Var // system packets that may arrive before a user packet is sent

	user, sys *parts.Arbiter
}

// Router is the machine of one output port.
//
// The invariants "in order" and "nothing lost or doubled" are about the two
// watched packets; "bounded turn": while a user packet is first in its FIFO, no
// more user packets of others are sent into its VC than there are other FIFOs
// that send into it. The response "a user packet is sent": a watched packet leaves
// the router sooner or later, if the next router passes on what it has and the
// arbiter grants what it can.
func Router(o RouterOptions) (*program.Program, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	m := &router{RouterOptions: o}
	m.p = program.New(fmt.Sprintf("RWC-1 router, %d inputs of %d VCs, injection %t, depth %d, FIFO %d watched, arbiter %s, apart %t, system traffic %s, bursts of %d, priority by %s",
		o.Inputs, o.VCs, o.Injection, o.Depth, o.Watch, ArbiterNames[o.Arbiter], o.Apart, SystemTrafficNames[o.System], o.Burst, PriorityNames[o.Priority]))
	m.variables()
	m.arrivals()
	for c := range o.fifos() {
		m.grants(c)
	}
	m.next()
	m.claims()
	return m.p, nil
}

// vc returns the VC beyond that a FIFO sends into.
func (m *router) vc(c int) int {
	if c == m.Inputs*m.VCs {
		return 0
	}
	return c % m.VCs
}

// hasSystem reports whether system packets come to a FIFO: to those of VC 0.
func (m *router) hasSystem(c int) bool { return m.System != NoSystem && m.vc(c) == 0 }

func (m *router) name(c int) string {
	if c == m.Inputs*m.VCs {
		return "injection"
	}
	return fmt.Sprintf("input %d VC %d", c/m.VCs, m.vc(c))
}

func (m *router) variables() {
	p := m.p
	for k := range m.Depth {
		m.slots = append(m.slots, p.Enum(fmt.Sprintf("%s place %d", m.name(m.Watch), k), packetNames...))
	}
	m.offers = make([]program.Var, m.fifos())
	m.system = make([]program.Var, m.fifos())
	for c := range m.fifos() {
		if c != m.Watch {
			m.offers[c] = p.Var(m.name(c)+" user", 2)
		}
		if m.hasSystem(c) {
			m.system[c] = p.Var(m.name(c)+" system", 2)
		}
	}
	for v := range m.VCs {
		m.beyond = append(m.beyond, p.Enum(fmt.Sprintf("beyond, VC %d", v), packetNames...))
	}
	if m.System != NoSystem {
		m.above = append(m.above, p.Var("beyond, VC 0 system", 2))
	}
	m.pair = newPair(p)
	m.passed = p.Var("others passed", m.rivals()+2)
	if m.System == Pauses {
		m.left = p.Var("system packets before a user packet", m.Burst+1)
		p.Init(m.left, m.Burst)
	}
	m.user = newTurns(p, m.Arbiter, m.fifos(), "turn")
	m.sys = m.user
	if m.Apart && m.System != NoSystem {
		m.sys = newTurns(p, m.Arbiter, m.fifos(), "system turn")
	}
}

// rivals returns the number of other FIFOs that send into the watched one's VC.
func (m *router) rivals() int {
	n := 0
	for c := range m.fifos() {
		if c != m.Watch && m.vc(c) == m.vc(m.Watch) {
			n++
		}
	}
	return n
}

// waiting is true if a FIFO has a user packet.
func (m *router) waiting(c int) program.Expr {
	if c == m.Watch {
		return program.Ne(m.slots[0], empty)
	}
	return program.Eq(m.offers[c], 1)
}

// userCan is true if a FIFO's user packet may be sent and finds room.
func (m *router) userCan(c int) program.Expr {
	conditions := []program.Expr{m.waiting(c), program.Eq(m.beyond[m.vc(c)], empty)}
	for d := range m.fifos() {
		if m.hasSystem(d) && (m.Priority == WholeRouter || d == c) {
			conditions = append(conditions, program.Eq(m.system[d], 0))
		}
	}
	return program.And(conditions...)
}

// systemCan is the same of its system packet.
func (m *router) systemCan(c int) program.Expr {
	if !m.hasSystem(c) {
		return program.Or()
	}
	return program.And(program.Eq(m.system[c], 1), program.Eq(m.above[0], 0))
}

func (m *router) arrivals() {
	p := m.p
	for k := range m.Depth {
		place := []program.Expr{program.Eq(m.slots[k], empty)}
		if k > 0 {
			place = append(place, program.Ne(m.slots[k-1], empty))
		}
		at := func(more ...program.Expr) program.Expr {
			return program.And(append(append([]program.Expr(nil), place...), more...)...)
		}
		p.Unfair("arrives: a packet at "+m.name(m.Watch), at(), program.Set(m.slots[k], plain))
		p.Unfair("arrives: the first at "+m.name(m.Watch), at(program.Eq(m.pair.sent, 0)), program.Set(m.slots[k], first), program.Set(m.pair.sent, 1))
		p.Unfair("arrives: the second at "+m.name(m.Watch), at(program.Eq(m.pair.sent, 1)), program.Set(m.slots[k], second), program.Set(m.pair.sent, 2))
	}
	var someone []program.Expr
	for c := range m.fifos() {
		someone = append(someone, m.waiting(c))
		if c != m.Watch {
			p.Unfair("arrives: a packet at "+m.name(c), program.Eq(m.offers[c], 0), program.Set(m.offers[c], 1))
		}
	}
	for c := range m.fifos() {
		if !m.hasSystem(c) {
			continue
		}
		guard, effect := program.Eq(m.system[c], 0), []program.Stmt{program.Set(m.system[c], 1)}
		if m.System == Pauses {
			guard = program.And(guard, program.Or(program.Lt(0, m.left), program.Not(program.Or(someone...))))
			effect = append(effect, program.If(program.Or(someone...), program.Set(m.left, program.Sub(m.left, 1))))
		}
		p.Unfair("arrives: a system packet at "+m.name(c), guard, effect...)
	}
}

// grants adds the rules by which FIFO c is granted the port: for its system
// packet, else for its user packet.
func (m *router) grants(c int) {
	var users, systems []program.Expr // who else could send
	for d := range m.fifos() {
		users, systems = append(users, m.userCan(d)), append(systems, m.systemCan(d))
	}
	anySystem := program.Or(systems...)
	both := make([]program.Expr, m.fifos())
	for d := range both {
		both[d] = program.Or(users[d], systems[d])
	}
	if m.hasSystem(c) {
		rivals := both
		if m.sys != m.user {
			rivals = systems
		}
		m.p.Rule("system packet of "+m.name(c)+" is sent", program.And(m.systemCan(c), m.sys.Turn(c, rivals)),
			append(m.sys.Wins(c, rivals), program.Set(m.system[c], 0), program.Set(m.above[0], 1))...)
	}
	rivals := both
	guard := m.userCan(c)
	if m.sys != m.user {
		rivals, guard = users, program.And(guard, program.Not(anySystem))
	}
	effect := append(m.user.Wins(c, rivals), m.send(c)...)
	if m.System == Pauses {
		effect = append(effect, program.Set(m.left, m.Burst))
	}
	m.p.Rule("user packet of "+m.name(c)+" is sent", program.And(guard, m.user.Turn(c, rivals)), effect...)
}

// send takes the first user packet of a FIFO to the VC beyond.
func (m *router) send(c int) []program.Stmt {
	if c != m.Watch {
		effect := []program.Stmt{program.Set(m.offers[c], 0), program.Set(m.beyond[m.vc(c)], plain)}
		if m.vc(c) == m.vc(m.Watch) {
			effect = append(effect, program.If(program.And(program.Eq(m.slots[0], first), program.Lt(m.passed, m.rivals()+1)),
				program.Set(m.passed, program.Add(m.passed, 1))))
		}
		return effect
	}
	effect := []program.Stmt{program.Set(m.beyond[m.vc(c)], m.slots[0])}
	for k := range m.Depth - 1 {
		effect = append(effect, program.Set(m.slots[k], m.slots[k+1]))
	}
	return append(effect, program.Set(m.slots[m.Depth-1], empty), program.Set(m.passed, 0))
}

// next is the next router, which passes on what it has.
func (m *router) next() {
	for v, x := range m.beyond {
		m.p.Rule(fmt.Sprintf("the next router passes on VC %d", v), program.Ne(x, empty),
			append(m.pair.leaves(x), program.Set(x, empty))...)
	}
	for _, x := range m.above {
		m.p.Rule("the next router passes on a system packet", program.Eq(x, 1), program.Set(x, 0))
	}
}

func (m *router) claims() {
	m.p.Invariant("in order", m.pair.inOrder())
	m.p.Invariant("nothing lost or doubled", m.pair.intact(append(append([]program.Var(nil), m.slots...), m.beyond...)...))
	m.p.Invariant("bounded turn", program.Le(m.passed, m.rivals()))
	var here []program.Expr
	for _, x := range m.slots {
		here = append(here, program.Eq(x, first))
	}
	m.p.Response("a user packet is sent", program.Or(here...))
}
