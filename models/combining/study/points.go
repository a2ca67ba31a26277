package study

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/simulate"
)

// Point is what was measured at one load and wait, over all seeds, as it is written for programs.
type Point struct {
	FanOut   int               `json:"fan_out"`
	Depth    int               `json:"depth"`
	Hot      float64           `json:"hot"`
	Partners int               `json:"partners"` // -1: any number
	Third    string            `json:"third"`
	Service  int               `json:"service"`
	Buffer   int               `json:"buffer"`
	Clocks   int               `json:"clocks"`
	Seed     uint64            `json:"seed"` // the first
	Seeds    int               `json:"seeds"`
	Wait     string            `json:"wait"` // clocks, recorded or queue
	Load     float64           `json:"load"`
	Accepted simulate.Estimate `json:"accepted"`
	Latency  simulate.Estimate `json:"latency"`
	P99      simulate.Estimate `json:"p99"`
	Carried  simulate.Estimate `json:"carried"`
	Memory   simulate.Estimate `json:"memory"`
}

// PointsOf takes the runs of one load together, which are so many, one behind the other, with seeds that follow each
// other.
func PointsOf(results []Result, seeds int) (points []Point) {
	for i := 0; i < len(results); i += seeds {
		runs := results[i : i+seeds]
		o := runs[0].Options
		mean := func(of func(Result) float64) simulate.Estimate {
			var values []float64
			for _, r := range runs {
				values = append(values, of(r))
			}
			return simulate.MeanOf(values)
		}
		points = append(points, Point{
			FanOut: o.FanOut, Depth: o.Depth, Hot: o.Hot, Partners: o.Partners, Third: thirdName(o.ThirdWaits),
			Service: o.Service, Buffer: o.Buffer, Clocks: o.Clocks, Seed: o.Seed, Seeds: seeds, Wait: o.wait(), Load: o.Load,
			Accepted: mean(func(r Result) float64 { return r.Accepted }),
			Latency:  mean(func(r Result) float64 { return r.Latency }),
			P99:      mean(func(r Result) float64 { return float64(r.P99) }),
			Carried:  mean(func(r Result) float64 { return r.Combined }),
			Memory:   mean(func(r Result) float64 { return r.Memory }),
		})
	}
	return points
}

func thirdName(waits bool) string {
	if waits {
		return "waits"
	}
	return "passes"
}

// wait says for what a request waits: so many clocks, or the name of the way in which requests combine.
func (o Options) wait() string {
	switch o.How {
	case Recorded:
		return "recorded"
	case InQueue:
		return "queue"
	}
	return strconv.Itoa(o.Wait)
}

// WriteTable writes points, which there must be, a table for each way to wait.
func WriteTable(w io.Writer, points []Point) error {
	var b strings.Builder
	p := points[0]
	fmt.Fprintf(&b, "Requests on a tree of fan-out %d and depth %d, %g %% of them for one cell\n",
		p.FanOut, p.Depth, 100*p.Hot)
	combine := "two combine, a third"
	further := map[string]string{"passes": "passes alone", "waits": "waits in its link"}[p.Third]
	switch {
	case p.Partners < 0:
		combine = "any number combine, a late one"
	case p.Partners > 2:
		combine = fmt.Sprintf("up to %d combine, a further one", p.Partners)
	}
	seeds := fmt.Sprintf("seed %d", p.Seed)
	if p.Seeds > 1 {
		seeds = fmt.Sprintf("%d seeds from %d, with 95 %% intervals", p.Seeds, p.Seed)
	}
	fmt.Fprintf(&b,
		"  %s %s; memory beside the root, %d clocks per request; buffers of %d; %d clocks, %s\n",
		combine, further, p.Service, p.Buffer, p.Clocks, seeds)
	for i, r := range points {
		if p.Seeds > 1 {
			if i == 0 || r.Wait != points[i-1].Wait {
				fmt.Fprintf(&b, "\nwait %s\n%8s %18s %18s %7s %16s %7s\n",
					r.Wait, "load", "accepted", "latency", "p99", "carried", "memory")
			}
			fmt.Fprintf(&b, "%8.4g %9.4f +-%6.4f %9.1f +-%6.1f %7.0f %7.3f +-%6.3f %7.3f\n",
				r.Load, r.Accepted.Mean, r.Accepted.Half, r.Latency.Mean, r.Latency.Half, r.P99.Mean, r.Carried.Mean, r.Carried.Half, r.Memory.Mean)
			continue
		}
		if i == 0 || r.Wait != points[i-1].Wait {
			fmt.Fprintf(&b, "\nwait %s\n%8s %9s %9s %7s %8s %7s\n",
				r.Wait, "load", "accepted", "latency", "p99", "carried", "memory")
		}
		fmt.Fprintf(&b, "%8.4g %9.4f %9.1f %7.0f %8.3f %7.3f\n",
			r.Load, r.Accepted.Mean, r.Latency.Mean, r.P99.Mean, r.Carried.Mean, r.Memory.Mean)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteCSV writes results, a line each.
func WriteCSV(w io.Writer, results []Result) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{"fan_out", "depth", "hot", "partners", "third_waits", "service", "buffer", "clocks", "seed",
		"wait", "load", "accepted", "latency", "p99", "carried", "memory"})
	for _, r := range results {
		o := r.Options
		_ = c.Write(strings.Fields(fmt.Sprintf("%d %d %g %d %t %d %d %d %d %s %g %g %g %d %g %g",
			o.FanOut, o.Depth, o.Hot, o.Partners, o.ThirdWaits, o.Service, o.Buffer, o.Clocks, o.Seed, o.wait(), o.Load,
			r.Accepted, r.Latency, r.P99, r.Combined, r.Memory)))
	}
	c.Flush()
	return c.Error()
}
