package simulate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// sources generate messages. Each sending node has the clock of its next message in a heap,
// so a clock costs only what is generated in it.
type sources struct {
	e      *engine
	to     *destinations
	due    clocks
	traced bool
	events []Event // of the trace that are still to come, ascending by clock
	missed int     // earlier ones refused by a full queue
	sums   []float64
	chance float64 // chance of the last toss
	pause  float64 // its mean, if time were not in clocks
}

// clocks is a heap of clocks and the nodes that generate then: clock<<31 | node.
type clocks []int64

// add adds a clock.
func (c *clocks) add(x int64) {
	*c = append(*c, x)
	of := *c
	at := len(of) - 1
	for ; at > 0 && of[(at-1)/2] > x; at = (at - 1) / 2 {
		of[at] = of[(at-1)/2]
	}
	of[at] = x
}

// replace replaces the first clock.
func (c clocks) replace(x int64) {
	at := 0
	for {
		child := 2*at + 1
		if child+1 < len(c) && c[child+1] < c[child] {
			child++
		}
		if child >= len(c) || c[child] >= x {
			c[at] = x
			return
		}
		c[at] = c[child]
		at = child
	}
}

// drop removes the first clock.
func (c *clocks) drop() {
	last := len(*c) - 1
	x := (*c)[last]
	if *c = (*c)[:last]; last > 0 {
		c.replace(x)
	}
}

func newSources(e *engine) (*sources, error) {
	s := &sources{e: e}
	var err error
	if s.to, err = newDestinations(e.n, &e.o); err != nil {
		return nil, err
	}
	for i, row := range s.to.flows.row {
		s.to.flows.row[i] = e.routes.number[row]
	}
	sum := 0.0
	for _, l := range e.o.Lengths {
		sum += l.Weight
		s.sums = append(s.sums, sum)
	}
	if len(e.o.Traffic.Events) > 0 {
		return s, s.trace(e.o.Traffic.Events)
	}
	for v, rate := range s.to.rate {
		if e.queues[v].sends = rate > 0; rate > 0 {
			s.due.add(s.after(-1, int32(v)))
		}
	}
	return s, nil
}

// trace checks the events of a trace.
func (s *sources) trace(events []Event) error {
	s.traced, s.events = true, slices.Clone(events)
	slices.SortStableFunc(s.events, func(a, b Event) int { return cmp.Compare(a.Clock, b.Clock) })
	most := s.e.o.longest()
	for _, x := range s.events {
		if _, err := s.to.must(s.e.n, x.Source, x.Dest); err != nil {
			return err
		}
		if x.Flits < 1 || x.Flits > most || x.Clock < 0 {
			return fmt.Errorf("invalid message of %d flits at clock %d: want 1 to %d flits, from clock 0", x.Flits, x.Clock, most)
		}
		s.e.queues[x.Source].sends = true
	}
	return nil
}

// over reports whether all messages of a trace have arrived.
func (s *sources) over() bool { return s.traced && len(s.events) == 0 && s.e.alive == 0 }

// after draws when node v generates its next message, after a clock. A Bernoulli source tosses
// a coin in each clock. A bursty one does so as for a load of 1 until its burst is over, and
// then pauses: both times are geometric, so it is a Markov chain of two states.
func (s *sources) after(clock int64, v int32) int64 {
	o, n := &s.e.o, &s.e.queues[v]
	rate := o.Load * s.to.rate[v] / o.mean() // messages a clock
	gap := int64(0)
	if o.Burst > 1 {
		fast := 1 / o.mean()
		if !n.bursting {
			gap = s.geometric(1/(o.Burst*(1/rate-1/fast)+1)) - 1
		}
		n.bursting = s.to.random.Float64() >= 1/o.Burst
		rate = fast
	}
	return min(clock+gap+s.geometric(rate), math.MaxInt32)<<31 | int64(v)
}

// geometric draws the number of tosses up to the first success, each with chance p.
func (s *sources) geometric(p float64) int64 {
	if p >= 1 {
		return 1
	}
	if p != s.chance {
		s.chance, s.pause = p, -1/math.Log1p(-p)
	}
	return 1 + int64(min(s.to.random.ExpFloat64()*s.pause, math.MaxInt32))
}

// generate makes the messages of the clocks up to and including last.
func (s *sources) generate(last int32) {
	for len(s.due) > 0 && s.due[0]>>31 <= int64(last) {
		clock, v := s.due[0]>>31, int32(s.due[0]&(1<<31-1))
		n := &s.e.queues[v]
		if s.e.o.Window > 0 && int(n.outstanding) >= s.e.o.Window {
			n.held = true
			s.due.drop()
			continue
		}
		f := s.to.draw(v)
		s.add(v, message{created: int32(clock), table: s.to.flows.table[f], row: s.to.flows.row[f], length: s.length()})
		s.due.replace(s.after(clock, v))
	}
	for len(s.events) > 0 && s.events[0].Clock <= int(last) {
		x := s.events[0]
		s.events = s.events[1:]
		f := s.to.flows.to(s.e.n, x.Source, x.Dest).from
		s.add(int32(x.Source), message{created: int32(x.Clock), table: s.to.flows.table[f], row: s.to.flows.row[f], length: int32(x.Flits)})
	}
}

// add makes a node generate a message.
func (s *sources) add(v int32, m message) {
	r := s.e.regionOf(v)
	m.serial, m.source, m.next = s.e.serial, spec.NodeID(v), none
	s.e.serial++
	r.coming = append(r.coming, m)
}

// length draws the flits of a message.
func (s *sources) length() int32 {
	if len(s.sums) == 1 {
		return int32(s.e.o.Lengths[0].Flits)
	}
	x := s.to.random.Float64() * s.sums[len(s.sums)-1]
	i, _ := slices.BinarySearch(s.sums, x)
	return int32(s.e.o.Lengths[i].Flits)
}

// emit puts the messages of this clock into the queues of their nodes.
func (s *sources) emit(r *region) {
	n := 0
	for ; n < len(r.coming) && r.coming[n].created == s.e.now; n++ {
		s.enqueue(&r.coming[n])
	}
	r.coming = r.coming[:copy(r.coming, r.coming[n:])]
}

// enqueue puts a message into the queue of its node, unless that is full.
func (s *sources) enqueue(m *message) {
	e, v := s.e, int32(m.source)
	n := &e.queues[v]
	e.m.generate(int(m.length))
	if e.o.Queue > 0 && int(n.queued) >= e.o.Queue && !m.reply {
		e.m.refuse()
		s.missed++
		return
	}
	if !m.reply {
		n.outstanding++
	}
	at := e.free
	if at == none {
		at = int32(len(e.messages))
		e.messages = append(e.messages, message{})
	} else {
		e.free = e.messages[at].next
	}
	e.messages[at] = *m
	e.alive++
	if n.queued++; n.tail == none {
		n.head = at
	} else {
		e.messages[n.tail].next = at
	}
	n.tail = at
	for i := range int32(e.o.Lanes) {
		if v := e.channels + v*int32(e.o.Lanes) + i; e.fronts[v].message == none {
			s.load(v, e.o.Delays.Source)
			break
		}
	}
}

// next makes a lane of a node send the next message of the queue, from the next clock on.
func (s *sources) next(lane int32) {
	if s.e.queues[s.e.nodeOf(lane)].head != none {
		s.load(lane, 1)
	}
}

// nodeOf returns the node that a source lane belongs to.
func (e *engine) nodeOf(lane int32) int32 { return (lane - e.channels) / int32(e.o.Lanes) }

func (s *sources) load(lane int32, after int) {
	e := s.e
	n := &e.queues[e.nodeOf(lane)]
	at := n.head
	n.head = e.messages[at].next
	if n.queued--; n.head == none {
		n.tail = none
	}
	e.begin(lane, at, after)
}

// delivered answers a request, and lets a source go on that waited for the answer.
func (s *sources) delivered(m *message) {
	e := s.e
	dest := e.n.Stored(int(m.table)).Dest
	if !m.reply && dest != m.source { // a transaction of the network, which ends where it began, is its own reply
		table := e.n.TableOf(spec.Target{Dest: m.source, Class: e.o.Replies})
		if table != nil {
			if source, ok := table.Source(dest); ok {
				s.add(int32(dest), message{created: e.now, table: s.tableNumber(table.Target), row: e.routes.number[source.Row], length: s.length(), reply: true})
				return
			}
		}
		e.fail(0, fmt.Errorf("%s has no flow for the reply from %s to %s", e.n.Name(), e.topo.Node(dest).Name, e.topo.Node(m.source).Name))
		return
	}
	v := int32(dest)
	n := &e.queues[v]
	n.outstanding--
	if n.held {
		n.held = false
		s.due.add(int64(e.now)<<31 | int64(v))
	}
}

// tableNumber finds a target's table.
func (s *sources) tableNumber(t spec.Target) int32 {
	lo, hi := 0, s.e.n.Tables()
	for lo < hi {
		if mid := (lo + hi) / 2; s.e.n.Stored(mid).Target.Compare(t) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return int32(lo)
}
