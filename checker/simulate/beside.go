package simulate

import (
	"fmt"
	"io"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/booksim"
)

// Beside is a run of BookSim 2 beside a run of the same configuration here.
type Beside struct {
	File     string       `json:"file"` // what BookSim printed
	Unstable bool         `json:"unstable"`
	State    string       `json:"state"`             // of the run here
	Figures  []Difference `json:"figures,omitempty"` // none if there are none of BookSim, or if nothing arrived here
	Notes    []string     `json:"notes,omitempty"`   // why figures may differ
}

// Difference is a figure of two runs.
type Difference struct {
	Figure   string   `json:"figure"`
	BookSim  float64  `json:"booksim"`
	Here     float64  `json:"here"`
	Relative *float64 `json:"relative,omitempty"` // Here/BookSim - 1; nil if BookSim's is 0
}

// SetBeside puts the results of BookSim beside those of the first point of a study, whose packets pass routers(links)
// routers. Of the latencies here it leaves out the clocks of stages that nodes have, and have not in BookSim.
func (s *Study) SetBeside(r *booksim.Results, routers func(links float64) float64, stages int) {
	here := s.Curves[0].Points[0]
	b := &Beside{File: r.File, Unstable: r.Unstable, State: here.State()}
	s.Beside = b
	if b.State == "" {
		b.State = "not saturated"
	}
	if r.Unstable || here.Delivered == 0 {
		return
	}
	for _, x := range []Difference{
		{"injected, flits per node and clock", r.Injected, here.Offered.Mean, nil},
		{"accepted, flits per node and clock", r.Accepted, here.Accepted.Mean, nil},
		{"latency of packets, clocks", r.Latency, here.Total.Mean - float64(stages), nil},
		{"latency in the network, clocks", r.Network, here.Network.Mean - float64(stages), nil},
		{"routers passed", r.Routers, routers(here.Hops), nil},
	} {
		if x.BookSim > 0 {
			relative := x.Here/x.BookSim - 1
			x.Relative = &relative
		}
		b.Figures = append(b.Figures, x)
	}
	b.Notes = []string{
		"BookSim also lets a node send packets to itself, over one router; here none does",
		"latency in the network begins when the head leaves its node in BookSim, and its first router here",
	}
	if stages > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("nodes are routers of their own here: the %d clocks that a packet takes in two "+
			"of them are left out of the latencies", stages))
	}
}

// write writes the figures as a table.
func (b *Beside) write(w io.Writer) {
	ended := "ended with results"
	if b.Unstable {
		ended = "ended as unstable, without results"
	}
	fmt.Fprintf(w, "\nbeside %s: BookSim %s; here: %s\n", spec.Printable(b.File), ended, b.State)
	if b.Figures == nil {
		return
	}
	fmt.Fprintf(w, "%-36s %10s %10s %11s\n", "", "BookSim", "here", "difference")
	for _, x := range b.Figures {
		relative := ""
		if x.Relative != nil {
			relative = fmt.Sprintf("%+.1f %%", 100**x.Relative)
		}
		fmt.Fprintf(w, "%-36s %10.4g %10.4g %11s\n", x.Figure, x.BookSim, x.Here, relative)
	}
	for _, note := range b.Notes {
		fmt.Fprintf(w, "  %s\n", note)
	}
}
