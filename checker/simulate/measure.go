package simulate

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/seed-105a2da2/unknot/spec"
)

// What is measured. All counts are of the clocks after the warm-up; latencies are those of the
// messages delivered then. The clocks are divided into batches; an estimate is the mean, with a
// 95 % interval from the variance between the batches.

const (
	batches = 20
	window  = 1000 // clocks per window for the utilisation of a link
)

// Estimate is a mean with its 95 % interval: Mean-Half to Mean+Half. Half is less than 0 for a trace, and if too
// little was measured.
type Estimate struct {
	Mean float64 `json:"mean"`
	Half float64 `json:"half"`
}

// Contains reports whether x is in the interval.
func (e Estimate) Contains(x float64) bool { return math.Abs(x-e.Mean) <= e.Half }

// Latency is how long messages took, in clocks, until their last flit had arrived.
type Latency struct {
	Estimate
	Max       int64      `json:"max"`
	Runs      []float64  `json:"runs,omitempty"` // the mean of each seed, if there are several and messages arrived in each
	Quantiles []Quantile `json:"quantiles"`
	histogram *hdrhistogram.Histogram
}

// Quantile says that Share of the messages took Clocks or fewer, to three digits.
type Quantile struct {
	Share  float64 `json:"share"`
	Clocks int64   `json:"clocks"`
}

// Result is what was measured, in one run or in several with different seeds. Rates are in flits
// per sending node and clock. It is saturated if a queue overflowed, or if clearly fewer flits
// arrived than were generated: by more than 2 % plus an allowance for chance in the queues, 4
// messages (of the length that the average flit is in, times those of a burst) times the square
// root of the number of sending nodes.
type Result struct {
	Load       float64   `json:"load"`               // Options.Load; for a trace, what it offers
	Seeds      []uint64  `json:"seeds"`              // of the runs summed up
	Clocks     int       `json:"clocks"`             // simulated: fewer than requested after a deadlock, or once a trace was delivered
	Warmup     int       `json:"warmup"`             // how many at the start are not measured
	Finished   int       `json:"finished,omitempty"` // clock in which the last message of a trace arrived; 0: not all did
	Missing    int       `json:"missing,omitempty"`  // messages of a trace that had not arrived at the end, or were refused
	Offered    Estimate  `json:"offered"`            // generated
	Accepted   Estimate  `json:"accepted"`           // arrived
	Accepts    []float64 `json:"accepts,omitempty"`  // of each seed, if there are several and each was measured
	Total      Latency   `json:"total"`              // since the message was generated
	Network    Latency   `json:"network"`            // since its head left the source
	Throughput float64   `json:"throughput"`         // share of clocks in which a router forwards a flit to another
	Hops       float64   `json:"hops"`               // links that a message crossed, on average
	Delivered  int64     `json:"delivered"`          // messages
	Refused    int64     `json:"refused"`            // messages, at a full queue
	Backlog    int       `json:"backlog"`            // messages on their way or at their source at the end
	FlitHops   int64     `json:"flit-hops"`          // flits that crossed a link, since clock 0
	Fairness   float64   `json:"fairness"`           // Jain's index of the sending nodes' deliveries: 1 is fair, 1/nodes worst
	Least      float64   `json:"least"`              // the least that a sending node delivered
	Most       float64   `json:"most"`
	VCs        []Share   `json:"vcs"`
	Links      []Use     `json:"links"` // those that carried something
	Saturated  bool      `json:"saturated"`
	Deadlock   *Deadlock `json:"deadlock,omitempty"`
}

// Share is the fraction of a dimension's VC grants that went to VCs of a class.
type Share struct {
	Dim   int     `json:"dim"`
	VC    string  `json:"vc"`
	Share float64 `json:"share"`
}

// Use is the share of clocks in which a link carried a flit, on average and in the busiest
// window of 1,000 clocks.
type Use struct {
	Link string  `json:"link"`
	Mean float64 `json:"mean"`
	Peak float64 `json:"peak"`
}

type measures struct {
	e                    *engine
	on                   bool
	total, network       *hdrhistogram.Histogram
	latency              [batches]struct{ total, network, messages float64 }
	generated, accepted  [batches]int64 // flits
	batch                int
	lasted               [batches]int64 // clocks
	delivered, refused   int64
	bySource             []int64 // flits delivered, by node
	before, opened, peak []int64 // flits carried before the measurement and before this window, and most in a window; by link
}

func newMeasures(e *engine) *measures {
	m := &measures{e: e}
	m.total, m.network = hdrhistogram.New(1, math.MaxInt32, 3), hdrhistogram.New(1, math.MaxInt32, 3)
	m.bySource = make([]int64, len(e.nodes))
	m.before, m.opened, m.peak = make([]int64, e.links), make([]int64, e.links), make([]int64, e.links)
	m.on = e.o.Warmup == 0
	return m
}

// clock ends a clock.
func (m *measures) clock() {
	if m.on {
		m.lasted[m.batch]++
	}
	past := int(m.e.now) + 1 - m.e.o.Warmup
	if past < 0 {
		return
	}
	if past%window == 0 {
		m.endWindow(m.on)
	}
	if !m.on {
		for l := range m.before {
			m.before[l] = m.e.ports[l].carried
		}
	}
	m.on = true
	m.batch = m.batchOf(past)
}

// turns reports whether a window or a batch ends before a clock.
func (m *measures) turns(clock int32) bool {
	past := int(clock) - m.e.o.Warmup
	return past >= 0 && (past%window == 0 || m.batchOf(past) != m.batch)
}

func (m *measures) batchOf(past int) int {
	return min(past*batches/(m.e.o.Clocks-m.e.o.Warmup), batches-1)
}

// endWindow starts a new window; the one before the first is not measured.
func (m *measures) endWindow(measured bool) {
	for l := range m.opened {
		flits := m.e.ports[l].carried
		if measured {
			m.peak[l] = max(m.peak[l], flits-m.opened[l])
		}
		m.opened[l] = flits
	}
}

func (m *measures) generate(flits int) {
	if m.on {
		m.generated[m.batch] += int64(flits)
	}
}

func (m *measures) refuse() {
	if m.on {
		m.refused++
	}
}

func (m *measures) flits(arrived int64) {
	if m.on {
		m.accepted[m.batch] += arrived
	}
}

func (m *measures) deliver(x *message) {
	if !m.on {
		return
	}
	total, network := int64(m.e.now-x.created), int64(m.e.now-x.entered)
	_ = m.total.RecordValue(total) // in range, as clocks are
	_ = m.network.RecordValue(network)
	b := &m.latency[m.batch]
	b.total, b.network, b.messages = b.total+float64(total), b.network+float64(network), b.messages+1
	m.delivered++
	m.bySource[x.source] += int64(x.length)
}

// estimate returns the mean of a ratio over the batches with a denominator.
func estimate(ratio func(b int) (above, below float64)) Estimate {
	var above, below, sum, squares, n float64
	for b := range batches {
		x, y := ratio(b)
		if above, below = above+x, below+y; y > 0 {
			sum, squares, n = sum+x/y, squares+x/y*x/y, n+1
		}
	}
	if below == 0 {
		return Estimate{}
	}
	half := -1.0
	if n > 1 {
		half = quantile(int(n)-1) * math.Sqrt(max(0, squares-sum*sum/n)/(n-1)/n)
	}
	return Estimate{above / below, half}
}

var shares = []float64{0.5, 0.9, 0.99, 0.999}

func latencyOf(h *hdrhistogram.Histogram, mean Estimate) Latency {
	l := Latency{Estimate: mean, Max: h.Max(), histogram: h}
	for _, s := range shares {
		l.Quantiles = append(l.Quantiles, Quantile{s, h.ValueAtQuantile(100 * s)})
	}
	return l
}

// result sums up. It is called once, at the end.
func (m *measures) result() *Result {
	e := m.e
	senders := 0
	for v := range e.queues {
		if e.queues[v].sends {
			senders++
		}
	}
	clocks := float64(int(e.now) - e.o.Warmup)
	r := &Result{
		Load: e.o.Load, Seeds: []uint64{e.o.Seed}, Clocks: int(e.now), Warmup: e.o.Warmup,
		Delivered: m.delivered, Refused: m.refused, Backlog: e.alive,
		Links: []Use{}, // a list in JSON, even if nothing was measured
	}
	rate := func(of *[batches]int64) Estimate {
		return estimate(func(b int) (float64, float64) { return float64(of[b]), float64(m.lasted[b]) * float64(senders) })
	}
	r.Offered, r.Accepted = rate(&m.generated), rate(&m.accepted)
	r.Total = latencyOf(m.total, estimate(func(b int) (float64, float64) { return m.latency[b].total, m.latency[b].messages }))
	r.Network = latencyOf(m.network, estimate(func(b int) (float64, float64) { return m.latency[b].network, m.latency[b].messages }))
	if e.source.traced { // nothing in it is random
		r.Load = r.Offered.Mean
		r.Offered.Half, r.Accepted.Half, r.Total.Half, r.Network.Half = -1, -1, -1, -1
	}
	forwarded := int64(0)
	for l := range e.links {
		flits := e.ports[l].carried
		r.FlitHops += flits
		if flits -= m.before[l]; flits > 0 && m.on && clocks > 0 {
			forwarded += flits
			mean := float64(flits) / clocks
			r.Links = append(r.Links, Use{e.topo.LinkName(spec.LinkID(l)), mean, max(mean, float64(m.peak[l])/window)})
		}
	}
	if clocks > 0 {
		r.Throughput = float64(forwarded) / clocks / float64(len(e.nodes))
		r.fair(m.bySource, e, clocks)
	}
	e.onLinks(func(a *arrival, after int) {
		if a.message != none && int(e.now)+after-e.transit >= e.o.Warmup {
			e.fronts[a.to].given++
		}
	})
	if m.delivered > 0 {
		hops := int64(0)
		for c := range e.channels {
			hops += int64(e.fronts[c].given)
		}
		r.Hops = float64(hops) / float64(m.delivered)
	}
	r.VCs = m.vcs()
	generated, accepted := int64(0), int64(0)
	for b := range batches {
		generated, accepted = generated+m.generated[b], accepted+m.accepted[b]
	}
	r.Saturated = r.Refused > 0 || float64(generated-accepted) > 0.02*float64(generated)+4*e.o.clump()*math.Sqrt(float64(senders))
	return r
}

func (r *Result) fair(bySource []int64, e *engine, clocks float64) {
	var sum, squares, n float64
	r.Least = math.Inf(1)
	for v, flits := range bySource {
		if x := float64(flits) / clocks; e.queues[v].sends {
			sum, squares, n = sum+x, squares+x*x, n+1
			r.Least, r.Most = min(r.Least, x), max(r.Most, x)
		}
	}
	if squares > 0 {
		r.Fairness = sum * sum / n / squares
	}
}

// vcs returns how the messages of each dimension are spread over its VCs.
func (m *measures) vcs() []Share {
	t := m.e.topo
	var counts [][]int64 // by dimension, by VC
	for c := range m.e.channels {
		dim, vc := t.Link(t.LinkOf(spec.ChannelID(c))).Dim, t.VC(spec.ChannelID(c))
		for len(counts) <= dim {
			counts = append(counts, nil)
		}
		for len(counts[dim]) <= vc {
			counts[dim] = append(counts[dim], 0)
		}
		counts[dim][vc] += int64(m.e.fronts[c].given)
	}
	all := []Share{}
	for dim, of := range counts {
		sum := int64(0)
		for _, x := range of {
			sum += x
		}
		for vc, x := range of {
			if sum > 0 {
				all = append(all, Share{dim, t.VCName(vc), float64(x) / float64(sum)})
			}
		}
	}
	return all
}
