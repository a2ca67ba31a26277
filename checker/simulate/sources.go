package simulate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// sources generate packets. Each sending node has the clock of its next packet in a heap,
// so a clock costs only what is generated in it.
type sources struct {
	n      *spec.Network
	o      *Options
	queues []queue
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

func newSources(n *spec.Network, o *Options, queues []queue, number []spec.RowID) (*sources, error) {
	s := &sources{n: n, o: o, queues: queues}
	var err error
	if s.to, err = newDestinations(n, o); err != nil {
		return nil, err
	}
	for i, row := range s.to.flows.row {
		s.to.flows.row[i] = number[row]
	}
	for _, rows := range s.to.flows.alternatives {
		for k, row := range rows {
			rows[k] = number[row]
		}
	}
	sum := 0.0
	for _, l := range o.Lengths {
		sum += l.Weight
		s.sums = append(s.sums, sum)
	}
	if len(o.Traffic.Events) > 0 {
		return s, s.trace(o.Traffic.Events)
	}
	for v, rate := range s.to.rate {
		if queues[v].sends = rate > 0; rate > 0 {
			s.due.add(s.drawNext(-1, int32(v)))
		}
	}
	return s, nil
}

// trace checks the events of a trace.
func (s *sources) trace(events []Event) error {
	s.traced, s.events = true, slices.Clone(events)
	slices.SortStableFunc(s.events, func(a, b Event) int { return cmp.Compare(a.Clock, b.Clock) })
	most := s.o.longest()
	for _, x := range s.events {
		if _, err := s.to.must(s.n, x.Source, x.Dest); err != nil {
			return err
		}
		if x.Flits < 1 || x.Flits > most || x.Clock < 0 {
			return fmt.Errorf("invalid packet of %d flits at clock %d: want 1 to %d flits, from clock 0",
				x.Flits, x.Clock, most)
		}
		s.queues[x.Source].sends = true
	}
	return nil
}

// drawNext draws when node v generates its next packet, drawNext a clock. A Bernoulli source tosses
// a coin in each clock. A bursty one does so as for a load of 1 until its burst is over, and
// then pauses: both times are geometric, so it is a Markov chain of two states.
func (s *sources) drawNext(clock int64, v int32) int64 {
	o, n := s.o, &s.queues[v]
	rate := o.Load * s.to.rate[v] / o.mean() // packets a clock
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

// length draws the flits of a packet.
func (s *sources) length() int32 {
	if len(s.sums) == 1 {
		return int32(s.o.Lengths[0].Flits)
	}
	x := s.to.random.Float64() * s.sums[len(s.sums)-1]
	i, _ := slices.BinarySearch(s.sums, x)
	return int32(s.o.Lengths[i].Flits)
}
