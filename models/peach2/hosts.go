package peach2

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Design of the machine of hosts.
//
// What PCI Express says about passing is about packets in one link: a packet may
// leave it ahead of an older one. So the state of a link is the list of its
// packets, oldest first, with at most so many of each buffer. A link is that from
// a host to its board, or the one that begins at a board's ring port (one list a
// lane); what arrives at its board is consumed there by the host, or turned from
// a read into a completion as soon as the link out of that host has room.
//
// A packet is a kind, who asked, and whose address it bears; its way is fixed by
// that. Who asked is forgotten for posted writes, and whom for completions, unless
// somebody counts. The values of a place are the packets that can be in its link,
// by kind, so that kinds are ranges of values.
//
// A deadlock of some packets while others go on must be seen, too. Therefore the
// hosts may stop sending, once and for good. Then packets only move on, so the
// machine comes to a state without steps; if packets are left in it they wait for
// each other forever, and they did before; conversely packets that wait for each
// other forever are left at the end. So deadlock of the machine is deadlock of
// any packets, and its intended end is that none are left.

// Destinations is whom a host writes to and reads from.
type Destinations uint8

const (
	ToAll      Destinations = iota
	ToNext                  // the next board, by number
	ToOpposite              // the board half of the boards further, by number
)

// DestinationNames are the names of the destinations, in order.
var DestinationNames = []string{"all", "next", "opposite"}

// HostsOptions describes the machine of a cluster's hosts.
type HostsOptions struct {
	Reads    Reads // NoReads: writes alone
	Ordering Ordering
	NoWrites bool
	To       Destinations
	// Buffer is how many packets a buffer of a link holds, 1 to 4; one for
	// completions alone holds one.
	Buffer int
	// Requests bounds the writes and reads of a host that are on their way, answers
	// included, 0 to 7; 0: as many as the buffers take.
	Requests int
	// Turns has those that want room in the same buffer take turns, links and host
	// (round robin). Otherwise any of them takes it, again and again.
	Turns bool
	// Watch tells one read of host 0 at a time apart, for the response "a read of
	// host 0 is answered".
	Watch bool
}

func (o HostsOptions) check() error {
	switch {
	case o.NoWrites && o.Reads == NoReads:
		return errors.New("neither writes nor reads: want one of them")
	case o.Watch && o.Reads == NoReads:
		return errors.New("no read can be watched without reads")
	}
	return nil
}

// hosts is the program under construction.
type hosts struct {
	HostsOptions
	p         *program.Program
	boards    int
	wiring    wiring
	lanes     lanes
	ways      [][]portSet   // by node, by board
	of        [3]int        // buffer by kind
	holds     [3]int        // packets, by buffer
	links     []*link       // those from the hosts first, by number
	open      []program.Var // by host, if requests are bounded
	transfers []transfer
	quiet     program.Var // 1: the hosts have stopped sending
	seen      program.Var // 1: a watched read is on its way
}

// Hosts is the machine of a cluster's hosts that write to each other and read from
// each other, packet by packet, as guarded commands. A cluster with faults in the
// sense of [Inspect] is refused, as is one in which addresses of one node are
// routed in different ways.
//
// Deadlock is that of any packets: some block each other permanently, whatever the
// rest does. Where waits close a cycle there may be none, because hosts have too few
// requests open or do not address the boards that it takes, or because the packets of
// a cycle cannot be let in one after the other.
func Hosts(c *Cluster, o HostsOptions) (*program.Program, error) {
	all, err := faultless(c)
	if err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	h := &hosts{HostsOptions: o, boards: len(c.Boards), wiring: c.wiring(), lanes: c.lanes()}
	for d, ways := range all {
		if len(ways) != 1 {
			return nil, fmt.Errorf("addresses of node %d are routed in %d different ways: hosts are modelled with one way", d, len(ways))
		}
		h.ways = append(h.ways, ways[0])
	}
	h.of, _ = o.Reads.buffers()
	for _, kind := range [...]int{completion, nonPosted, posted} {
		h.holds[h.of[kind]] = o.Buffer
		if kind == completion {
			h.holds[h.of[kind]] = 1
		}
	}
	h.p = program.New(h.title())
	h.survey()
	h.declare()
	for at := range h.boards {
		h.send(at)
	}
	for _, k := range h.links {
		for i := range k.places {
			for v := range k.values {
				h.move(k, i, v)
			}
		}
	}
	h.arbitrate()
	for _, x := range h.transfers {
		h.p.Rules = append(h.p.Rules, program.Rule{Name: x.name, Guard: program.And(append(x.guard, x.may...)...), Effect: x.effect, Unfair: x.from == nil})
	}
	h.p.Unfair("hosts stop sending", program.Eq(h.quiet, 0), program.Set(h.quiet, 1))
	h.p.Final = program.And(program.Eq(h.quiet, 1), h.empty())
	if o.Watch {
		h.p.Response("a read of host 0 is answered", program.Eq(h.seen, 1))
	}
	return h.p, nil
}

func (h *hosts) title() string {
	return fmt.Sprintf("hosts of %d PEACH2 boards, reads %s, ordering %s, writes %t, to %s, buffers of %d, requests %d, turns %t, watch %t",
		h.boards, h.Reads, h.Ordering, !h.NoWrites, DestinationNames[h.To], h.Buffer, h.Requests, h.Turns, h.Watch)
}

// link returns the link that begins at a jack, in a lane.
func (h *hosts) link(from Jack, lane int) *link {
	i := slices.IndexFunc(h.links, func(k *link) bool { return k.from == from && k.lane == lane })
	if i < 0 {
		i = len(h.links)
		h.links = append(h.links, &link{from: from, lane: lane})
	}
	return h.links[i]
}

// next returns the link that a packet in link k goes on through; nil: it has
// arrived at its board.
func (h *hosts) next(k *link, x message) *link {
	b := h.end(k)
	if b == x.node() {
		return nil
	}
	p := h.ways[x.node()][b].first()
	return h.link(Jack{b, p}, h.lanes.next(k.lane, k.from.Port, p, h.wiring[b][p].dateline))
}

// targets lists whom a host sends to.
func (h *hosts) targets(at int) []int {
	switch h.To {
	case ToNext:
		return []int{(at + 1) % h.boards}
	case ToOpposite:
		return []int{(at + h.boards/2) % h.boards}
	}
	var all []int
	for d := range h.boards {
		if d != at {
			all = append(all, d)
		}
	}
	return all
}

// requests lists what a host may send.
func (h *hosts) requests(at int) []message {
	var all []message
	for _, d := range h.targets(at) {
		if !h.NoWrites {
			x := message{kind: posted, by: -1, of: d}
			if h.Requests > 0 {
				x.by = at
			}
			all = append(all, x)
		}
		if h.Reads != NoReads {
			all = append(all, message{kind: nonPosted, by: at, of: d})
			if h.Watch && at == 0 {
				all = append(all, message{kind: nonPosted, by: at, of: d, watched: true})
			}
		}
	}
	return all
}

// survey finds out which packets can be in which link.
func (h *hosts) survey() {
	for at := range h.boards {
		h.link(Jack{at, Internal}, 0)
	}
	walk := func(at int, x message) {
		for k := h.link(Jack{at, Internal}, 0); k != nil; k = h.next(k, x) {
			if !slices.Contains(k.values, x) {
				k.values = append(k.values, x)
			}
		}
	}
	for at := range h.boards {
		for _, x := range h.requests(at) {
			walk(at, x)
			if x.kind == nonPosted {
				walk(x.of, answer(x))
			}
		}
	}
}

// declare makes the variables.
func (h *hosts) declare() {
	for _, k := range h.links {
		slices.SortStableFunc(k.values, func(x, y message) int { return x.kind - y.kind })
		names, room := []string{"-"}, 0
		used := [3]bool{}
		for _, x := range k.values {
			names = append(names, x.String())
			if b := h.of[x.kind]; !used[b] {
				used[b] = true
				room += h.holds[b]
			}
		}
		k.places = parts.NewFIFO(room, func(i int) []program.Var {
			return []program.Var{h.p.Enum(fmt.Sprintf("%s place %d", k.name(), i), names...)}
		})
	}
	if h.Requests > 0 {
		for at := range h.boards {
			h.open = append(h.open, h.p.Var(fmt.Sprintf("open %d", at), h.Requests+1))
		}
	}
	h.quiet = h.p.Var("quiet", 2)
	if h.Watch {
		h.seen = h.p.Var("watched", 2)
	}
}

// room says that the buffer of a kind has room in a link.
func (h *hosts) room(k *link, kind int) program.Expr {
	same := func(other int) bool { return h.of[other] == h.of[kind] }
	if h.holds[h.of[kind]] == 1 {
		var none []program.Expr
		for _, place := range k.places.First() {
			none = append(none, program.Not(k.is(place, same)))
		}
		return program.And(none...)
	}
	held := program.Const(0)
	for _, place := range k.places.First() {
		held = program.Add(held, program.IfElse(k.is(place, same), 1, 0))
	}
	return program.Lt(held, h.holds[h.of[kind]])
}

// send makes the steps by which a host sends.
func (h *hosts) send(at int) {
	up := h.links[at]
	for _, x := range h.requests(at) {
		guard := []program.Expr{program.Eq(h.quiet, 0)}
		effect := []program.Stmt{up.push(x)}
		if h.Requests > 0 {
			guard = append(guard, program.Lt(h.open[at], h.Requests))
			effect = append(effect, program.Set(h.open[at], program.Add(h.open[at], 1)))
		}
		name := fmt.Sprintf("host %d writes to %d", at, x.of)
		if x.kind == nonPosted {
			name = fmt.Sprintf("host %d reads from %d", at, x.of)
		}
		if x.watched {
			name += ", watched"
			guard = append(guard, program.Eq(h.seen, 0))
			effect = append(effect, program.Set(h.seen, 1))
		}
		h.transfers = append(h.transfers, transfer{name: name, guard: guard, may: []program.Expr{h.room(up, x.kind)}, effect: effect, to: up, buffer: h.of[x.kind]})
	}
}

// move makes the step by which a packet leaves place i of a link.
func (h *hosts) move(k *link, i, v int) {
	x := k.values[v]
	guard := []program.Expr{program.Eq(k.places[i][0], v+1)}
	for _, older := range k.places[:i].First() {
		guard = append(guard, program.Not(k.is(older, func(kind int) bool {
			return h.of[kind] == h.of[x.kind] || !h.Ordering.passes(x.kind, kind)
		})))
	}
	r := transfer{guard: guard, effect: []program.Stmt{k.places.Remove(i)}, from: k, to: h.next(k, x)}
	what := packetNames[x.kind]
	enter := func(as message) {
		r.may = append(r.may, h.room(r.to, as.kind))
		r.effect = append(r.effect, r.to.push(as))
		r.buffer = h.of[as.kind]
	}
	switch {
	case r.to != nil:
		enter(x)
	case x.kind == nonPosted:
		what, r.to = "read is answered", h.links[x.of]
		enter(answer(x))
	default:
		if h.Requests > 0 {
			r.effect = append(r.effect, program.Set(h.open[x.by], program.Sub(h.open[x.by], 1)))
		}
		if x.watched {
			r.effect = append(r.effect, program.Set(h.seen, 0))
		}
	}
	if r.name = fmt.Sprintf("%s leaves %s", what, k.name()); r.to == nil {
		r.name = fmt.Sprintf("%s arrives from %s", what, k.name())
	}
	h.transfers = append(h.transfers, r)
}

// empty says that no packet is on its way.
func (h *hosts) empty() program.Expr {
	var none []program.Expr
	for _, k := range h.links {
		if len(k.places) > 0 {
			none = append(none, k.places.Empty())
		}
	}
	return program.And(none...)
}
