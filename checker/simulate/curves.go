package simulate

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Curve is what was measured for one network and selection function, by ascending load.
type Curve struct {
	Name       string      `json:"name"`
	Network    string      `json:"network"`
	Digest     string      `json:"sha256"` // "" unless [Plan] asks for it
	Points     []*Result   `json:"points"`
	Saturation *[2]float64 `json:"saturation,omitempty"` // Bounds.Low and Bounds.High
	Over       *Result     `json:"-"`                    // Bounds.Over
	Conditions []string    `json:"conditions,omitempty"` // if they differ from the study's
}

// Bound says where the network saturates or deadlocks, if that was searched for; numbers are rounded away from the
// load that they bound.
func (c *Curve) Bound() string {
	if c.Saturation == nil {
		return ""
	}
	low, high := digits(c.Saturation[0], math.Floor), digits(c.Saturation[1], math.Ceil)
	switch {
	case c.Over == nil && low >= 1:
		return "does not saturate up to a load of 1"
	case c.Over == nil:
		return fmt.Sprintf("saturates above a load of %v, if at all: up to a load of 1 no queue grows by more than "+
			"chance explains in so many clocks", low)
	case c.Over.Deadlock != nil:
		return fmt.Sprintf("deadlocks at a load of %v, and did not at %v", high, low)
	}
	return fmt.Sprintf("saturates between loads of %v and %v", low, high)
}

// Correlated says at which loads, if any, the runs were too short for the mean latency, although they did not saturate.
func (c *Curve) Correlated() string {
	var loads []string
	for _, r := range c.Points {
		if r.Correlated && r.State() == "" {
			loads = append(loads, number(r.Load))
		}
	}
	if loads == nil {
		return ""
	}
	return fmt.Sprintf("runs are too short at %s: queues change so slowly there that latency depends on how long a "+
		"run is; want more --clocks",
		map[bool]string{true: "a load of ", false: "loads of "}[len(loads) == 1]+strings.Join(loads, ", "))
}

// digits rounds a load to three digits.
func digits(x float64, round func(float64) float64) float64 {
	if x <= 0 {
		return 0
	}
	unit := math.Pow(10, 2-math.Floor(math.Log10(x)))
	return round(x*unit) / unit
}

// Study is curves to be compared, and the conditions under which they were measured.
type Study struct {
	Conditions []string `json:"conditions"` // a sentence each
	Curves     []Curve  `json:"curves"`
	Stated     []Stated `json:"stated,omitempty"` // what a paper states about them, and what was measured
	Beside     *Beside  `json:"beside,omitempty"` // what another program measured
}

// Stated is what a paper states about curves, and how that fares in those that were measured.
type Stated struct {
	Sentence string `json:"sentence"`
	Outcome  string `json:"outcome,omitempty"` // "": it cannot be compared
	Detail   string `json:"detail,omitempty"`  // the numbers that were compared
}

func (s Stated) String() string {
	if s.Outcome == "" {
		return s.Sentence
	}
	text := s.Sentence + ": " + s.Outcome
	if s.Detail != "" {
		text += " (" + s.Detail + ")"
	}
	return text
}

// WriteJSON writes a study with all that was measured.
func (s *Study) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(struct {
		Format string `json:"format"`
		*Study
	}{"unknot-simulation-1", s})
}

// columns are the columns of the CSV table: rates in flits per sending node and clock, latencies
// in clocks, halves of 95 % intervals ("" where too little was measured).
var columns = []struct {
	name string
	of   func(r *Result) string
}{
	{"load", func(r *Result) string { return number(r.Load) }},
	{"offered", func(r *Result) string { return number(r.Offered.Mean) }},
	{"offered-half", func(r *Result) string { return half(r.Offered) }},
	{"accepted", func(r *Result) string { return number(r.Accepted.Mean) }},
	{"accepted-half", func(r *Result) string { return half(r.Accepted) }},
	{"latency", func(r *Result) string { return number(r.Total.Mean) }},
	{"latency-half", func(r *Result) string { return half(r.Total.Estimate) }},
	{"p50", func(r *Result) string { return quantileOf(r, 0) }},
	{"p90", func(r *Result) string { return quantileOf(r, 1) }},
	{"p99", func(r *Result) string { return quantileOf(r, 2) }},
	{"p99.9", func(r *Result) string { return quantileOf(r, 3) }},
	{"max", func(r *Result) string { return strconv.FormatInt(r.Total.Max, 10) }},
	{"network-latency", func(r *Result) string { return number(r.Network.Mean) }},
	{"throughput", func(r *Result) string { return number(r.Throughput) }},
	{"hops", func(r *Result) string { return number(r.Hops) }},
	{"fairness", func(r *Result) string { return number(r.Fairness) }},
	{"peak", func(r *Result) string { return number(r.peak()) }},
	{"packets", func(r *Result) string { return strconv.FormatInt(r.Delivered, 10) }},
	{"discarded", func(r *Result) string { return strconv.FormatInt(r.Discarded, 10) }},
	{"finished", func(r *Result) string { return map[bool]string{true: strconv.Itoa(r.Finished)}[r.Finished > 0] }},
	{"state", (*Result).State},
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

func half(e Estimate) string {
	if e.Half < 0 {
		return ""
	}
	return number(e.Half)
}

func quantileOf(r *Result, i int) string {
	return strconv.FormatInt(r.Total.Quantiles[i].Clocks, 10)
}

// WriteCSV writes a line for each point.
func (s *Study) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	record := []string{"curve"}
	for _, x := range columns {
		record = append(record, x.name)
	}
	_ = c.Write(record) // c.Error returns the first error
	for _, curve := range s.Curves {
		for _, r := range curve.Points {
			record = append(record[:0], curve.Name)
			for _, x := range columns {
				record = append(record, x.of(r))
			}
			_ = c.Write(record)
		}
	}
	c.Flush()
	return c.Error()
}

// Conditions describes how a network is run at any load, a sentence each.
func (o Options) Conditions(n *spec.Network) []string {
	o.Load = 1
	o, err := o.settle(n)
	if err != nil {
		return nil
	}
	packets := "packets of " + lengthText(o.Lengths)
	if len(o.Traffic.Events) > 0 {
		packets = "packets of a trace, until all have arrived"
	}
	d := o.Delays
	all := []string{
		fmt.Sprintf("%s, %s a VC%s; %s", n.Switching(), words.Plural(n.Buffer(), unitOf(n)),
			map[bool]string{true: ", shared by packets"}[o.Shared], packets),
		fmt.Sprintf("a hop takes %d clocks: routing %d, VC allocation %d, switch allocation %d, crossbar %d, link "+
			"%d; a credit %d", d.Hop(), d.Route, d.Allocate, d.Switch, d.Cross, d.Link, d.Credit),
		fmt.Sprintf("%s arbiters; a node sends up to %s at a time",
			ArbiterNames[o.Arbiter], words.Plural(o.Injectors, "packet")),
		fmt.Sprintf("%s, of which the first %d are not measured; from seed %d",
			words.Plural(o.Clocks, "clock"), o.Warmup, o.Seed),
		fmt.Sprintf("after +- half of the 95 %% interval, from %d batches of a run or fewer longer ones, or from "+
			"several seeds", batches[0].number),
	}
	if share, _ := o.ceiling(n); share < 1 {
		all = append(all,
			fmt.Sprintf("with these buffers a VC carries at most %.2f of the bandwidth of its link", share))
	}
	if traffic := o.Traffic.sentence(); traffic != "" {
		all = append(all, traffic)
	}
	all = append(all, "loads in flits per clock and sending node; latency in clocks, from the generation of a "+
		"packet to the arrival of its last flit")
	if o.Burst > 1 {
		all = append(all, fmt.Sprintf("bursts of %v packets on average", o.Burst))
	}
	if o.Window > 0 {
		all = append(all,
			fmt.Sprintf("a closed loop: each request is answered, and a node has at most %d open", o.Window))
	}
	if n.Alternatives() > 0 {
		all = append(all, [...]string{
			ByFlow:   "packets are committed to alternatives by a hash of source, destination, class and router, from the seed",
			ByPacket: "packets are committed to alternatives at random, each for itself and at each router",
		}[o.Choice])
	}
	if n.Discards() {
		all = append(all, "a packet that may be discarded is, when none of its hops has room")
	}
	if n.Room() > 1 {
		all = append(all, fmt.Sprintf("some hops are taken only while up to %d packets still fit into their channel", n.Room()))
	}
	late := 0
	for _, x := range o.Traffic.Events {
		if x.Clock >= o.Clocks {
			late++
		}
	}
	if late > 0 {
		all = append(all, fmt.Sprintf("%s of the trace would not be sent: later than the last clock",
			words.Plural(late, "packet")))
	}
	if o.Queue > 0 {
		all = append(all, fmt.Sprintf("at most %d packets wait at a node", o.Queue))
	}
	return all
}

// unitOf is what buffers are counted in.
func unitOf(n *spec.Network) string {
	if n.Switching() == spec.Wormhole {
		return "flit"
	}
	return "packet"
}

func lengthText(lengths []Length) string {
	if len(lengths) == 1 {
		return words.Plural(lengths[0].Flits, "flit")
	}
	text := ""
	for i, l := range lengths {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%d (weight %v)", l.Flits, l.Weight)
	}
	return text + " flits"
}
