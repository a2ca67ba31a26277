package simulate

import (
	"context"
	"math"

	"github.com/seed-105a2da2/unknot/spec"
)

// Run simulates a network and measures it. A deadlock ends the run, and is part of the result.
// Errors are faults of the options, the traffic, or the network: one that does not deliver
// cannot be measured. Time is linear in the flits that move; memory is linear in the network's
// buffers and what waits.
func Run(ctx context.Context, n *spec.Network, o Options) (*Result, error) {
	if ctx.Err() != nil { // one of many runs: this one has not begun
		return nil, context.Cause(ctx)
	}
	e, err := newEngine(n, o)
	if err != nil {
		return nil, err
	}
	w, err := newWatch(e)
	if err != nil {
		return nil, err
	}
	if err := e.run(ctx, e.o.Clocks, w.deadlocked); err != nil {
		return nil, err
	}
	r := e.result()
	if s := e.source; s.traced {
		if r.Missing = len(s.events) + e.alive + s.missed + e.lost; r.Missing == 0 {
			r.Finished = int(e.now) - 1
		}
	}
	if len(w.stuck) > 0 || w.look() { // the last deadlock may be too recent to have been seen
		if r.Deadlock, err = w.explain(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// result sums up. It is called once, at the end.
func (e *engine) result() *Result {
	m := e.m
	senders := 0
	for v := range e.queues {
		if e.queues[v].sends {
			senders++
		}
	}
	clocks := float64(int(e.now) - e.o.Warmup)
	r := &Result{
		Load: e.o.Load, Seeds: []uint64{e.o.Seed}, Clocks: int(e.now), Warmup: e.o.Warmup,
		Delivered: m.delivered, Discarded: m.discarded, Refused: m.refused, Backlog: e.alive,
		Longest: m.longest, Overflowed: e.o.Stop && e.source.missed > 0,
		Links: []Use{}, // a list in JSON, even if nothing was measured
	}
	mean := func(of func(i int) ratio) (Estimate, bool) {
		var all [pieces]ratio
		for i := range all {
			all[i] = of(i)
		}
		return estimate(all[:])
	}
	rate := func(of *[pieces]int64) Estimate {
		x, _ := mean(func(i int) ratio { return ratio{float64(of[i]), float64(m.lasted[i]) * float64(senders)} })
		return x
	}
	r.Offered, r.Accepted = rate(&m.generated), rate(&m.accepted)
	total, independent := mean(func(i int) ratio { return ratio{m.latency[i].total, m.latency[i].packets} })
	network, _ := mean(func(i int) ratio { return ratio{m.latency[i].network, m.latency[i].packets} })
	r.Total, r.Network, r.Correlated = latencyOf(m.total, total), latencyOf(m.network, network), !independent
	if e.source.traced { // nothing in it is random
		r.Load = r.Offered.Mean
		r.Offered.Half, r.Accepted.Half, r.Total.Half, r.Network.Half = -1, -1, -1, -1
		r.Correlated = false
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
		if a.packet != none && int(e.now)+after-e.transit >= e.o.Warmup {
			e.fronts[a.to].given++
		}
	})
	if m.delivered+m.discarded > 0 {
		hops := int64(0)
		for c := range e.channels {
			hops += int64(e.fronts[c].given)
		}
		r.Hops = float64(hops) / float64(m.delivered+m.discarded)
	}
	r.VCs = e.vcs()
	generated, accepted := int64(0), int64(0)
	for i := range pieces {
		generated, accepted = generated+m.generated[i], accepted+m.accepted[i]+m.lost[i]
	}
	r.Saturated = r.Refused > 0 ||
		float64(generated-accepted) > 0.02*float64(generated)+4*e.o.clump()*math.Sqrt(float64(senders))
	if e.o.Stop {
		r.Saturated = r.Overflowed
	}
	r.growth, r.sustained = e.growthOf(r), e.sustained()
	r.Accepted.Half = r.acceptedHalf(r.Accepted.Half)
	return r
}

// acceptedHalf returns half of the interval of the accepted load. Unless the backlog is known to grow, all that is
// offered arrives in the end. A run that is busy from end to end does not show it, as the amount that arrives barely
// varies. So the interval is at least that of the offered load.
func (r *Result) acceptedHalf(own float64) float64 {
	if !r.growth.measured || r.growth.significant() || r.Offered.Half < 0 {
		return own
	}
	return max(own, r.Offered.Half+math.Abs(r.Offered.Mean-r.Accepted.Mean))
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

// vcs returns how the packets of each dimension are spread over its VCs.
func (e *engine) vcs() []Share {
	t := e.topo
	var counts [][]int64 // by dimension, by VC
	for c := range e.channels {
		dim, vc := t.Link(t.LinkOf(spec.ChannelID(c))).Dim, t.VC(spec.ChannelID(c))
		for len(counts) <= dim {
			counts = append(counts, nil)
		}
		for len(counts[dim]) <= vc {
			counts[dim] = append(counts[dim], 0)
		}
		counts[dim][vc] += int64(e.fronts[c].given)
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
