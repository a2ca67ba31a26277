package bruteforcetest

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// What one packet can do. With replies it is one packet of a transaction: the request and then, where that has
// been taken, what is sent because of it. Which replies follow is the data's choice and made before the first hop:
// whatever it is, the network has to carry it.

// message is one that a node sends, as seen on its way: what matters is where it goes.
type message struct {
	class int
	to    spec.NodeID
}

// plan is a transaction: its messages, the first of which its source sends.
type plan struct {
	source   spec.NodeID
	messages []message
}

// plans lists the transactions.
func (n *network) plans() (all []plan) {
	var extend func(p plan, from spec.NodeID)
	extend = func(p plan, from spec.NodeID) {
		last := p.messages[len(p.messages)-1]
		replied := false
		for _, r := range n.replies {
			if r.request != last.class {
				continue
			}
			to := []spec.NodeID{p.source}
			if r.to != nil {
				to = r.to(p.source, last.to)
			} else if last.to == p.source {
				to = []spec.NodeID{from}
			}
			for _, v := range to {
				replied = true
				extend(plan{source: p.source, messages: append(slices.Clone(p.messages), message{r.reply, v})}, last.to)
			}
		}
		if !replied { // nothing replies to it, or there is nobody to reply to
			all = append(all, p)
		}
	}
	for _, f := range n.flows {
		extend(plan{source: f.from, messages: []message{{f.class, f.to}}}, f.from)
	}
	return all
}

// site is where a packet stands, and all on which its future depends.
type site struct {
	place  int         // a channel; beyond those, a place of a request buffer; -1 - node: see kept
	source spec.NodeID // 0 unless routes depend on it, or it is counted
	counts bool        // the transaction counts as outstanding at its source until it ends
	tag    spec.Tag
	choice int    // of the alternatives, that to which the packet is committed
	todo   string // the messages that are not consumed yet, the one under way first
}

// kept reports whether a packet is a request in a request buffer that has room for all that can be outstanding.
func (s site) kept() bool { return s.place < 0 }

// step is what a packet may do next: go to the site of that number, or leave the network.
type step int

const (
	arrives step = -1 - iota
	misled       // it leaves at another node than its destination
	dropped      // it is discarded on purpose
)

// packets is where packets can get.
type packets struct {
	n      *network
	plans  []plan
	begins [][]step // by plan, and within that by alternative
	of     []int    // by begin: its plan
	sites  []site
	steps  [][]step // by site
	number map[site]step
	ends   []requestBuffer // of nodes; their places are numbered after the channels
}

// requestBuffer is a number of places, each of which holds as many requests as a channel.
type requestBuffer struct {
	node  spec.NodeID
	name  string
	first int
	size  int
}

func (n *network) packets() *packets {
	x := &packets{n: n, plans: n.plans(), number: map[site]step{}}
	for i, p := range x.plans {
		s := site{todo: todo(p.messages), counts: n.window(p.messages[0].class) > 0}
		if n.sources || s.counts {
			s.source = p.source
		}
		for ; s.choice < x.alternatives(s, spec.Injection(p.source)); s.choice++ {
			x.begins, x.of = append(x.begins, x.hops(s, spec.Injection(p.source))), append(x.of, i)
		}
	}
	for i := 0; i < len(x.sites); i++ {
		x.steps = append(x.steps, x.hops(x.sites[i], x.channel(x.sites[i])))
	}
	return x
}

// window returns how many requests of a class a node may have outstanding; 0: any number.
func (n *network) window(class int) int {
	for _, r := range n.replies {
		if r.request == class {
			return r.outstanding
		}
	}
	return 0
}

func todo(messages []message) string {
	var b []byte
	for _, m := range messages {
		b = append(b, byte(m.class), byte(m.to))
	}
	return string(b)
}

// channel returns where the message under way stands: a reply that has not left the node is in its injection channel.
func (x *packets) channel(s site) spec.ChannelID {
	if s.kept() {
		return spec.Injection(spec.NodeID(-1 - s.place))
	}
	for _, e := range x.ends {
		if e.first <= s.place && s.place < e.first+e.size {
			return spec.Injection(e.node)
		}
	}
	return spec.ChannelID(s.place)
}

// alternatives returns how many alternatives a packet has at a site.
func (x *packets) alternatives(s site, at spec.ChannelID) int {
	if x.n.topo.Head(at) == spec.NodeID(s.todo[1]) {
		return 1
	}
	return len(x.n.route(x.question(s, at)))
}

func (x *packets) question(s site, at spec.ChannelID) question {
	q := question{at: at, to: spec.NodeID(s.todo[1]), class: int(s.todo[0]), tag: s.tag}
	if x.n.sources {
		q.source = s.source
	}
	return q
}

// hops returns what a packet may do at a site.
func (x *packets) hops(s site, at spec.ChannelID) (all []step) {
	add := func(to step) {
		if !slices.Contains(all, to) {
			all = append(all, to)
		}
	}
	enter := func(s site) {
		for s.choice = 0; s.choice < x.alternatives(s, x.channel(s)); s.choice++ {
			add(x.at(s))
		}
	}
	here, m := x.n.topo.Head(at), message{int(s.todo[0]), spec.NodeID(s.todo[1])}
	if here == m.to {
		if len(s.todo) == 2 {
			return []step{arrives}
		}
		s.todo, s.tag = s.todo[2:], 0
		for _, place := range x.bufferAt(here, m.class) {
			s.place = place
			enter(s)
		}
		return all
	}
	for _, hop := range x.n.route(x.question(s, at))[s.choice] {
		if hop.Channel == spec.Eject {
			add(map[bool]step{true: dropped, false: misled}[hop == spec.Hop{Channel: spec.Eject, Tag: 1}])
			continue
		}
		s.place, s.tag = int(hop.Channel), hop.Tag
		enter(s)
	}
	return all
}

// at numbers a site.
func (x *packets) at(s site) step {
	i, known := x.number[s]
	if !known {
		i = step(len(x.sites))
		x.number[s] = i
		x.sites = append(x.sites, s)
	}
	return i
}

// bufferAt returns the places that a node has for requests of a class.
func (x *packets) bufferAt(v spec.NodeID, class int) (places []int) {
	i := slices.IndexFunc(x.n.replies, func(r reply) bool { return r.request == class })
	r := x.n.replies[i]
	if x.n.window(class) > 0 {
		return []int{-1 - int(v)}
	}
	name := r.buffer
	if name == "" {
		name = x.n.classNames()[class]
	}
	e := slices.IndexFunc(x.ends, func(e requestBuffer) bool { return e.node == v && e.name == name })
	if e < 0 {
		e = len(x.ends)
		x.ends = append(x.ends, requestBuffer{v, name, x.spaces(), max(1, r.places/x.n.unit())})
	}
	for k := range x.ends[e].size {
		places = append(places, x.ends[e].first+k)
	}
	return places
}

// spaces returns the number of channels and places.
func (x *packets) spaces() int {
	total := x.n.topo.Channels()
	for _, e := range x.ends {
		total += e.size
	}
	return total
}

// delivered reports whether every transaction begins, and every packet of it can arrive from wherever it gets and
// leaves nowhere else.
func (x *packets) delivered() bool {
	if x.misleads() || slices.ContainsFunc(x.begins, func(hops []step) bool { return len(hops) == 0 }) {
		return false
	}
	home := make([]bool, len(x.sites))
	x.settle(func(i int) bool {
		changed := !home[i] && slices.ContainsFunc(x.steps[i], func(to step) bool { return to == arrives || to == dropped || to >= 0 && home[to] })
		home[i] = home[i] || changed
		return changed
	})
	return !slices.Contains(home, false)
}

// transactions returns how many different transactions there are.
func (x *packets) transactions() int {
	all := map[string]bool{}
	for _, p := range x.plans {
		all[fmt.Sprint(p)] = true
	}
	return len(all)
}

// drops reports whether some packet may be discarded on purpose.
func (x *packets) drops() bool {
	return slices.ContainsFunc(slices.Concat(x.begins, x.steps), func(to []step) bool { return slices.Contains(to, dropped) })
}

// misleads reports whether some packet leaves at a wrong node.
func (x *packets) misleads() bool {
	return slices.ContainsFunc(slices.Concat(x.begins, x.steps), func(to []step) bool { return slices.Contains(to, misled) })
}

// loops reports whether a packet can come back to where it has been: some sites remain when those that lead to none of
// the others are taken away, over and over.
func (x *packets) loops() bool {
	gone := make([]bool, len(x.sites))
	x.settle(func(i int) bool {
		changed := !gone[i] && !slices.ContainsFunc(x.steps[i], func(to step) bool { return to >= 0 && !gone[to] })
		gone[i] = gone[i] || changed
		return changed
	})
	return slices.Contains(gone, false)
}

// settle calls change for every site until none has changed.
func (x *packets) settle(change func(site int) bool) {
	for again := true; again; {
		again = false
		for i := range x.sites {
			again = change(i) || again
		}
	}
}
