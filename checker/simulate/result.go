package simulate

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/seed-105a2da2/unknot/counterexamples"
)

// Result is what was measured, in one run or in several with different seeds. Rates are in flits
// per sending node and clock. It is saturated if a queue overflowed, or if clearly fewer flits
// arrived than were generated: by more than 2 % plus an allowance for chance in the queues, 4
// packets (of the length that the average flit is in, times those of a burst) times the square
// root of the number of sending nodes.
type Result struct {
	Load  float64  `json:"load"`  // Options.Load; for a trace, what it offers
	Seeds []uint64 `json:"seeds"` // of the runs summed up
	// simulated: fewer than requested after a deadlock, or once a trace was delivered
	Clocks int `json:"clocks"`
	Warmup int `json:"warmup"` // how many at the start are not measured
	// clock in which the last packet of a trace arrived; 0: not all did
	Finished int `json:"finished,omitempty"`
	// packets of a trace that had not arrived at the end, or were refused or discarded
	Missing    int       `json:"missing,omitempty"`
	Offered    Estimate  `json:"offered"`              // generated
	Accepted   Estimate  `json:"accepted"`             // arrived
	Accepts    []float64 `json:"accepts,omitempty"`    // of each seed, if there are several and each was measured
	Total      Latency   `json:"total"`                // since the packet was generated
	Network    Latency   `json:"network"`              // since its head left the source
	Throughput float64   `json:"throughput"`           // share of clocks in which a router forwards a flit to another
	Hops       float64   `json:"hops"`                 // links that a packet crossed, on average
	Delivered  int64     `json:"delivered"`            // packets
	Discarded  int64     `json:"discarded,omitempty"`  // packets, on purpose
	Refused    int64     `json:"refused"`              // packets, at a full queue
	Longest    int       `json:"longest-queue"`        // packets that waited at one node at once, since clock 0
	Overflowed bool      `json:"overflowed,omitempty"` // a queue did, which ended the run: see Options.Stop
	Backlog    int       `json:"backlog"`              // packets on their way or at their source at the end
	FlitHops   int64     `json:"flit-hops"`            // flits that crossed a link, since clock 0
	// Jain's index of the sending nodes' deliveries: 1 is fair, 1/nodes worst
	Fairness  float64 `json:"fairness"`
	Least     float64 `json:"least"` // the least that a sending node delivered
	Most      float64 `json:"most"`
	VCs       []Share `json:"vcs"`
	Links     []Use   `json:"links"` // those that carried something
	Saturated bool    `json:"saturated"`
	// latency depends on how long the run was; of several, in half of them or more
	Correlated bool      `json:"correlated,omitempty"`
	Deadlock   *Deadlock `json:"deadlock,omitempty"`

	growth    growth   // of the backlog
	sustained Estimate // load that the nodes served worst sustain
}

// Latency is how long packets took, in clocks, until their last flit had arrived.
type Latency struct {
	Estimate
	Max int64 `json:"max"`
	// the mean of each seed, if there are several and packets arrived in each
	Runs      []float64  `json:"runs,omitempty"`
	Quantiles []Quantile `json:"quantiles"`
	histogram *hdrhistogram.Histogram
}

// Quantile says that Share of the packets took Clocks or fewer, to three digits.
type Quantile struct {
	Share  float64 `json:"share"`
	Clocks int64   `json:"clocks"`
}

var shares = []float64{0.5, 0.9, 0.99, 0.999}

func latencyOf(h *hdrhistogram.Histogram, mean Estimate) Latency {
	l := Latency{Estimate: mean, Max: h.Max(), histogram: h}
	for _, s := range shares {
		l.Quantiles = append(l.Quantiles, Quantile{s, h.ValueAtQuantile(100 * s)})
	}
	return l
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

// Deadlock is what ended a run.
type Deadlock struct {
	Seed uint64 `json:"seed"` // of the run
	// at which the last head began to wait; or the clocks run, if one had not yet
	Clock   int                    `json:"clock"`
	Packets int                    `json:"packets"` // that are stuck, or behind stuck ones
	Trace   *counterexamples.Trace `json:"-"`
}

// State is "deadlock in clock N", "a queue overflowed by clock N", "saturated" or "".
func (r *Result) State() string {
	switch {
	case r.Deadlock != nil:
		return fmt.Sprintf("deadlock in clock %d", r.Deadlock.Clock)
	case r.Overflowed:
		return fmt.Sprintf("a queue overflowed by clock %d", r.Clocks)
	case r.Saturated:
		return "saturated"
	}
	return ""
}

// peak is the utilisation of the busiest link in its busiest window.
func (r *Result) peak() float64 {
	most := 0.0
	for _, l := range r.Links {
		most = max(most, l.Peak)
	}
	return most
}

const window = 1000 // clocks per window for the utilisation of a link
