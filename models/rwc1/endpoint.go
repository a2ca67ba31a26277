package rwc1

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Design of the machine of two endpoints.
//
// Endpoint i sends into link i, which ends at the other endpoint and stands for
// injection FIFO and network: packets in it keep their order and wait for the
// room that they need. What arrives goes into the PIB; what is first there is
// consumed if it is a reply, and turned into a reply, as soon as link i has room,
// if it is a request. With an APB, what finds the PIB full, or the APB not empty,
// goes to the APB, and comes back when the PIB has room: PIB and APB are one
// queue.
//
// An endpoint has at most Window requests open, so an APB of 2*Window places is
// as good as an infinite one: there are no more packets. A deadlock of all needs
// both links and both PIBs full, Link+PIB packets for each endpoint, each of them
// part of a request of one of the two; so Window >= Link+PIB is needed for it.
//
// Replies may have links of their own (buffers per level), or just PIBs of
// their own (a level of their own, in shared buffers).
//
// One request of endpoint 0 at a time is watched, for the response.

// EndpointOptions describes two endpoints.
type EndpointOptions struct {
	PIB, Link int // packets that a PIB and a link hold, 1 to 3
	Window    int // requests that an endpoint has open at most, 1 to 4
	Reply     Reply
	Buffers   Buffers // with LevelAbove
	Spill     bool
	// AnswersFirst: an endpoint asks nothing while a request waits in its PIB.
	// Otherwise its own requests may take the room for replies, again and again.
	AnswersFirst bool
}

func (o EndpointOptions) check() error {
	switch {
	case o.PIB < 1 || o.PIB > 3 || o.Link < 1 || o.Link > 3:
		return fmt.Errorf("a PIB of %d packets and a link of %d: want 1 to 3 of each", o.PIB, o.Link)
	case o.Window < 1 || o.Window > 4:
		return fmt.Errorf("%d open requests: want 1 to 4", o.Window)
	case o.Reply > LevelAbove || o.Buffers > PerMode:
		return fmt.Errorf("reply %d, buffers %d: each is 0 or 1", o.Reply, o.Buffers)
	}
	return nil
}

// What is in a place of a queue; the first is empty.
const (
	request = iota + 1
	reply
	watchedRequest
	watchedReply
)

var messageNames = []string{"empty", "request", "reply", "the watched request", "the watched reply"}

// endpoints is the program under construction. Queues are [endpoint][level],
// where level 1 exists only if replies have their own.
type endpoints struct {
	EndpointOptions
	p         *program.Program
	links     [2][]fifo
	pib, apb  [2][]fifo
	open      [2]program.Var // requests without a reply
	isWatched program.Var    // 1 while the watched request is open
}

// Endpoints is the machine of two endpoints that send requests to each other.
//
// Deadlock is that of all. The invariant "an answer for every request": every
// open request is in some queue, or its reply is, once. The response "a request
// is answered" is about the watched one.
func Endpoints(o EndpointOptions) (*program.Program, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	m := &endpoints{EndpointOptions: o, p: program.New(fmt.Sprintf(
		"RWC-1 endpoints, PIB %d, links %d, %d requests open, reply %d, buffers %d, spill %t, answers first %t",
		o.PIB, o.Link, o.Window, o.Reply, o.Buffers, o.Spill, o.AnswersFirst))}
	for i := range 2 {
		for level := range int(o.Reply) + 1 {
			name := func(what string) string { return fmt.Sprintf("%s %d.%d", what, i, level) }
			if level == 0 || o.Buffers == PerLevel {
				m.links[i] = append(m.links[i], newFIFO(m.p, name("link"), o.Link, messageNames))
			} else {
				m.links[i] = append(m.links[i], m.links[i][0])
			}
			m.pib[i] = append(m.pib[i], newFIFO(m.p, name("PIB"), o.PIB, messageNames))
			if o.Spill {
				m.apb[i] = append(m.apb[i], newFIFO(m.p, name("APB"), 2*o.Window, messageNames))
			}
		}
		m.open[i] = m.p.Var(fmt.Sprintf("open %d", i), o.Window+1)
	}
	m.isWatched = m.p.Var("watched", 2)
	for i := range 2 {
		m.ask(i)
		for level := range m.pib[i] {
			m.receive(i, level)
		}
		m.serve(i)
	}
	m.claims()
	return m.p, nil
}

// level returns where a message's queues are.
func (m *endpoints) level(message int) int {
	if message == reply || message == watchedReply {
		return int(m.Reply)
	}
	return 0
}

func (m *endpoints) ask(i int) {
	link := m.links[i][0]
	may := program.And(program.Lt(m.open[i], m.Window), link.room())
	if m.AnswersFirst {
		waits := m.pib[i][m.level(request)]
		may = program.And(may, program.Not(program.Or(waits.is(request), waits.is(watchedRequest))))
	}
	more := program.Set(m.open[i], program.Add(m.open[i], 1))
	m.p.Unfair(fmt.Sprintf("%d asks", i), may, push(link, request), more)
	if i == 0 {
		m.p.Unfair("0 asks, watched", program.And(may, program.Eq(m.isWatched, 0)), push(link, watchedRequest), more, program.Set(m.isWatched, 1))
	}
}

// receive takes what endpoint i gets at a level out of the link to it.
func (m *endpoints) receive(i, level int) {
	link, pib := m.links[1-i][level], m.pib[i][level]
	if m.Reply == LevelAbove && m.Buffers == PerMode && level == 1 {
		// A shared link: its two levels are told apart by what is first.
		m.take(i, "a reply", program.Or(link.is(reply), link.is(watchedReply)), link, pib, level)
		return
	}
	ours := link.some()
	if m.Reply == LevelAbove {
		ours = program.Or(link.is(request), link.is(watchedRequest))
		if level == 1 {
			ours = program.Or(link.is(reply), link.is(watchedReply))
		}
	}
	m.take(i, []string{"a packet", "a reply"}[level], ours, link, pib, level)
}

func (m *endpoints) take(i int, what string, ours program.Expr, link, pib fifo, level int) {
	toPIB := append([]program.Stmt{push(pib, link.head())}, link.pop()...)
	if !m.Spill {
		m.p.Rule(fmt.Sprintf("%d takes in %s", i, what), program.And(ours, pib.room()), toPIB...)
		return
	}
	apb := m.apb[i][level]
	m.p.Rule(fmt.Sprintf("%d takes in %s", i, what), program.And(ours, pib.room(), apb.none()), toPIB...)
	m.p.Rule(fmt.Sprintf("%d spills %s", i, what), program.And(ours, program.Or(pib.full(), apb.some())),
		append([]program.Stmt{push(apb, link.head())}, link.pop()...)...)
	m.p.Rule(fmt.Sprintf("%d fetches %s", i, what), program.And(apb.some(), pib.room()),
		append([]program.Stmt{push(pib, apb.head())}, apb.pop()...)...)
}

// serve takes what is first in the PIBs of endpoint i.
func (m *endpoints) serve(i int) {
	requests, replies := m.pib[i][m.level(request)], m.pib[i][m.level(reply)]
	out := m.links[i][m.level(reply)]
	for _, x := range []struct{ asked, answer int }{{request, reply}, {watchedRequest, watchedReply}} {
		m.p.Rule(fmt.Sprintf("%d answers", i), program.And(requests.is(x.asked), out.room()),
			append([]program.Stmt{push(out, x.answer)}, requests.pop()...)...)
	}
	less := program.Set(m.open[i], program.Sub(m.open[i], 1))
	m.p.Rule(fmt.Sprintf("%d has its answer", i), replies.is(reply), append(replies.pop(), less)...)
	m.p.Rule(fmt.Sprintf("%d has its answer", i), replies.is(watchedReply), append(replies.pop(), less, program.Set(m.isWatched, 0))...)
}

func (m *endpoints) claims() {
	var each []program.Expr
	for i := range 2 {
		// Requests of i are on their way to the other endpoint, replies on their way back.
		var there, back []program.Var
		seen := map[program.Var]bool{}
		add := func(to *[]program.Var, queues []fifo) {
			for _, q := range queues {
				if !seen[q[0]] {
					seen[q[0]] = true
					*to = append(*to, q...)
				}
			}
		}
		add(&there, m.links[i])
		add(&there, m.pib[1-i])
		add(&there, m.apb[1-i])
		add(&back, m.links[1-i])
		add(&back, m.pib[i])
		add(&back, m.apb[i])
		all := program.Add(program.Add(count(request, there...), count(watchedRequest, there...)),
			program.Add(count(reply, back...), count(watchedReply, back...)))
		each = append(each, program.Eq(all, m.open[i]))
	}
	m.p.Invariant("an answer for every request", program.And(each...))
	m.p.Response("a request is answered", program.Eq(m.isWatched, 1))
}
