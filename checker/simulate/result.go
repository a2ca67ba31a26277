package simulate

import (
	"fmt"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/seed-105a2da2/unknot/counterexamples"
)

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
	Seed     uint64                 `json:"seed"`     // of the run
	Clock    int                    `json:"clock"`    // at which the last head began to wait; or the clocks run, if one had not yet
	Messages int                    `json:"messages"` // that are stuck, or behind stuck ones
	Trace    *counterexamples.Trace `json:"-"`
}

// State is "deadlock in clock N", "saturated" or "".
func (r *Result) State() string {
	switch {
	case r.Deadlock != nil:
		return fmt.Sprintf("deadlock in clock %d", r.Deadlock.Clock)
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

// MeanOf estimates the mean of the distribution that independent values are drawn from.
func MeanOf(values []float64) Estimate {
	var sum, squares float64
	for _, x := range values {
		sum, squares = sum+x, squares+x*x
	}
	switch n := float64(len(values)); n {
	case 0:
		return Estimate{}
	case 1:
		return Estimate{sum, -1}
	default:
		return Estimate{sum / n, quantile(len(values)-1) * math.Sqrt(max(0, squares-sum*sum/n)/(n-1)/n)}
	}
}

// quantile is the 97.5 % quantile of Student's distribution.
func quantile(freedom int) float64 {
	table := []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228}
	if freedom <= len(table) {
		return table[freedom-1]
	}
	return 1.96 + 2.5/float64(freedom) // within a hundredth from 11 on
}
