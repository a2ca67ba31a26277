package simulate

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/seed-105a2da2/unknot/spec"
)

// Job is a point of a curve: a network, how it is run, and how often, each time with
// another seed, ascending from Options.Seed.
type Job struct {
	Network *spec.Network
	Options Options
	Seeds   int    // 0 means 1
	Keep    string // folder in which runs are kept, and found again; "": none
	Selects string // name of the selection function, by which its runs are found
}

// Points runs jobs on a number of workers, and sums each up. The result depends on the jobs alone. After faults it
// returns the first one in the order of the jobs. done may be nil; it is never called concurrently.
func Points(ctx context.Context, jobs []Job, workers int, done func(runs, of int)) ([]*Result, error) {
	type run struct{ job, seed int }
	var runs []run
	points, results, faults := make([]*Result, len(jobs)), make([][]*Result, len(jobs)), make([]error, len(jobs))
	shared := map[*spec.Network]func() *routes{} // shared by all runs on a network
	spread := make([]spreads, len(jobs))
	for j := range jobs {
		if n := jobs[j].Network; shared[n] == nil {
			shared[n] = sync.OnceValue(func() *routes { return routesOf(n) })
		}
		results[j] = make([]*Result, max(1, jobs[j].Seeds))
		for s := range results[j] {
			runs = append(runs, run{j, s})
		}
	}
	var (
		group sync.WaitGroup
		lock  sync.Mutex
		next  int
		ended int
	)
	for range max(1, min(workers, len(runs))) {
		group.Go(func() {
			for {
				lock.Lock()
				at := next
				next++
				lock.Unlock()
				if at >= len(runs) {
					return
				}
				x := runs[at]
				o := jobs[x.job].Options
				o.Seed += uint64(x.seed)
				o.routes = shared[jobs[x.job].Network]()
				r, err := jobs[x.job].run(ctx, o)
				lock.Lock()
				of := results[x.job]
				if of[x.seed] = r; err == nil {
					spread[x.job].add(r)
				} else if faults[x.job] == nil {
					faults[x.job] = err
				}
				if !slices.Contains(of, nil) {
					points[x.job], spread[x.job] = sum(of, &spread[x.job]), spreads{}
				}
				if ended++; done != nil {
					done(ended, len(runs))
				}
				lock.Unlock()
			}
		})
	}
	group.Wait()
	for _, err := range faults {
		if err != nil {
			return nil, err
		}
	}
	return points, nil
}

// spreads are the merged latencies of some runs. A histogram is large, so a run hands over its own.
type spreads struct{ total, network *hdrhistogram.Histogram }

func (s *spreads) add(r *Result) {
	if s.total == nil {
		s.total, s.network = r.Total.histogram, r.Network.histogram
	} else {
		s.total.Merge(r.Total.histogram)
		s.network.Merge(r.Network.histogram)
	}
	r.Total.histogram, r.Network.histogram = nil, nil
}

// sum sums up runs with several seeds. The intervals come from the variance between the runs; a run in which nothing
// was measured, or nothing arrived, does not contribute to means that it lacks.
func sum(runs []*Result, spread *spreads) *Result {
	if len(runs) == 1 {
		return runs[0]
	}
	s := *runs[0]
	measured, arrived := slices.Clone(runs), slices.Clone(runs)
	measured = slices.DeleteFunc(measured, func(r *Result) bool { return r.Clocks <= r.Warmup })
	arrived = slices.DeleteFunc(arrived, func(r *Result) bool { return r.Delivered == 0 })
	mean := func(runs []*Result, of func(*Result) float64) Estimate {
		all := make([]float64, len(runs))
		for i, r := range runs {
			all[i] = of(r)
		}
		return MeanOf(all)
	}
	merged := func(h *hdrhistogram.Histogram, of func(*Result) *Latency) Latency {
		l := latencyOf(h, mean(arrived, func(r *Result) float64 { return of(r).Mean }))
		l.histogram = nil
		for _, r := range runs {
			if len(arrived) == len(runs) {
				l.Runs = append(l.Runs, of(r).Mean)
			}
		}
		return l
	}
	s.Offered = mean(measured, func(r *Result) float64 { return r.Offered.Mean })
	s.Accepted = mean(measured, func(r *Result) float64 { return r.Accepted.Mean })
	for _, r := range runs {
		if len(measured) == len(runs) {
			s.Accepts = append(s.Accepts, r.Accepted.Mean)
		}
	}
	s.addGrowth(runs)
	s.Accepted.Half = s.acceptedHalf(s.Accepted.Half)
	s.Total = merged(spread.total, func(r *Result) *Latency { return &r.Total })
	s.Network = merged(spread.network, func(r *Result) *Latency { return &r.Network })
	s.Throughput = mean(measured, func(r *Result) float64 { return r.Throughput }).Mean
	s.Hops = mean(arrived, func(r *Result) float64 { return r.Hops }).Mean
	s.Fairness = mean(arrived, func(r *Result) float64 { return r.Fairness }).Mean
	s.Least = mean(measured, func(r *Result) float64 { return r.Least }).Mean
	s.Most = mean(measured, func(r *Result) float64 { return r.Most }).Mean
	s.addCounts(runs)
	return &s
}

// addGrowth sums up how the backlog of runs grew, and what they sustained.
func (s *Result) addGrowth(runs []*Result) {
	n := float64(len(runs))
	s.growth, s.sustained = growth{measured: true}, Estimate{}
	correlated, squares := 0, 0.0
	for _, r := range runs {
		g := r.growth
		s.growth.flits += g.flits / n
		s.growth.noise += g.noise / n
		s.growth.slack += g.slack / n
		s.growth.measured, s.growth.runs = s.growth.measured && g.measured, len(runs)
		s.sustained.Mean += r.sustained.Mean / n
		if squares += r.sustained.Half * r.sustained.Half; r.sustained.Half < 0 {
			squares = math.Inf(1)
		}
		if r.Correlated {
			correlated++
		}
	}
	if s.sustained.Half = math.Sqrt(squares) / n; math.IsInf(squares, 1) {
		s.sustained.Half = -1
	}
	s.Correlated = 2*correlated >= len(runs)
}

// addCounts adds up what runs count, and what their channels and links carried; the first run to overflow or to
// deadlock gives the clocks.
func (s *Result) addCounts(runs []*Result) {
	n := float64(len(runs))
	saturated := 0
	shares, links := map[Share]int{}, map[string]int{} // places in s.VCs and s.Links
	s.Seeds, s.VCs, s.Links = nil, []Share{}, []Use{}
	s.Delivered, s.Discarded, s.Refused, s.Backlog, s.Missing, s.FlitHops = 0, 0, 0, 0, 0, 0
	for _, r := range runs {
		s.Seeds = append(s.Seeds, r.Seeds...)
		s.Delivered += r.Delivered
		s.Discarded += r.Discarded
		s.Refused += r.Refused
		s.Backlog += r.Backlog
		s.Missing += r.Missing
		s.FlitHops += r.FlitHops
		if r.Saturated {
			saturated++
		}
		s.Finished = max(s.Finished, r.Finished)
		s.Longest = max(s.Longest, r.Longest)
		if r.Overflowed && (!s.Overflowed || r.Clocks < s.Clocks) {
			s.Overflowed, s.Clocks = true, r.Clocks
		}
		if s.Deadlock == nil && r.Deadlock != nil {
			s.Deadlock, s.Clocks = r.Deadlock, r.Clocks
		}
		for _, x := range r.VCs {
			key := Share{Dim: x.Dim, VC: x.VC}
			if _, known := shares[key]; !known {
				shares[key], s.VCs = len(s.VCs), append(s.VCs, key)
			}
			s.VCs[shares[key]].Share += x.Share / n
		}
		for _, x := range r.Links {
			if _, known := links[x.Link]; !known {
				links[x.Link], s.Links = len(s.Links), append(s.Links, Use{Link: x.Link})
			}
			u := &s.Links[links[x.Link]]
			u.Mean, u.Peak = u.Mean+x.Mean/n, max(u.Peak, x.Peak)
		}
	}
	if s.Saturated = 2*saturated > len(runs) || s.Overflowed; s.Missing > 0 {
		s.Finished = 0
	}
}
