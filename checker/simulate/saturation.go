package simulate

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// The load at which a network saturates can be bounded, but not read off a run: in T clocks a critical queue grows by
// about sqrt(T), so runs cannot tell loads apart whose relative difference is less than about 1/sqrt(T). A bisection
// on whether fewer flits arrived than were generated ends at a load that depends on the seed. Two observations bound
// the load instead:
//
//   - From above: the least load found at which the backlog grows by more than that of a critical queue.
//   - From below: what the nodes that are served worst deliver, at that load or a lower one. Throughput is what every
//     node gets, not the average (Dally and Towles 2004, 23.1): past saturation some nodes starve, while others may
//     send more than before. It is an assumption that a network that delivers this much under a greater load also
//     does under a load of just this much.
//
// Each bound is wrong in about one search in forty.

// growth compares what arrived with what the load generates on average. In a critical queue the difference after T
// clocks is distributed like |N|, where N is normal with the variance of what comes in T clocks (by the reflection
// principle; Harrison 1985, Brownian Motion and Stochastic Flow Systems): 0.80 standard deviations on average, and
// 2.54 or more in one of a hundred cases on either side if 20 batches give the variance (Student's distribution). In
// a stable queue it is less.
type growth struct {
	flits    float64 // expected less arrived, on average over runs
	noise    float64 // the standard deviation of N, summed over the queues that may be critical
	slack    float64 // flits that are on their way anyway
	measured bool
	runs     int
}

// significant reports whether a backlog grows by more than chance and a critical queue explain.
func (g growth) significant() bool {
	const mean, extreme = 0.80, 2.54
	return g.measured && g.flits > g.slack+g.noise*(mean+(extreme-mean)/math.Sqrt(float64(g.runs)))
}

// growthOf measures the growth of a run's backlog. Where several queues are critical, their backlogs add up, not only
// the variances: B queues, each with a B-th of the variance of the whole, have sqrt(B) times its standard deviation.
// B is what arrives in a clock, divided by what the busiest link carries, as a packet waits in one critical queue at
// a time, and each carries about that much.
func (e *engine) growthOf(r *Result) growth {
	m := e.m
	clocks, senders, expected := 0.0, 0.0, 0.0
	for _, x := range m.lasted {
		clocks += float64(x)
	}
	for v := range e.queues {
		if e.queues[v].sends {
			senders++
			expected += e.o.Load * m.worst.rate[v] * clocks
		}
	}
	if e.source.traced || e.o.Window > 0 || clocks < float64(m.clocks-m.warmup) || clocks == 0 {
		return growth{}
	}
	const n = 20
	var came, left [n]float64
	arrived := 0.0
	for i := range m.generated {
		came[i*n/pieces] += float64(m.generated[i])
		gone := float64(m.accepted[i] + m.lost[i])
		left[i*n/pieces] += gone
		arrived += gone
	}
	busiest := 0.0
	for _, l := range r.Links {
		busiest = max(busiest, l.Mean)
	}
	queues := senders
	if busiest > 0 {
		queues = min(max(arrived/clocks/busiest, 1), senders)
	}
	var net [n]float64
	for i := range came {
		net[i] = came[i] - left[i]
	}
	noise := math.Sqrt(n*max(variance(came[:]), variance(net[:]))) * math.Sqrt(queues)
	return growth{expected - arrived, noise, e.o.mean() * senders, true, 1}
}

func variance(x []float64) float64 {
	mean, sum := MeanOf(x).Mean, 0.0
	for _, v := range x {
		sum += (v - mean) * (v - mean)
	}
	return sum / float64(len(x)-1)
}

// worst measures what the nodes that are served worst deliver: a sixteenth of those that send, those with the
// greatest backlog after the first half of the measured clocks, measured in the second. Measured in the half that
// chose them, they would be those that had bad luck.
type worst struct {
	rate    []float64 // by node: share of the load that it generates
	backlog []int64   // by node: flits generated and not delivered
	among   []bool    // by node
	of      float64   // rates of those chosen
	served  *[pieces]int64
}

// choose chooses the nodes.
func (w *worst) choose() {
	var senders []int
	for v, rate := range w.rate {
		if rate > 0 {
			senders = append(senders, v)
		}
	}
	behind := func(v int) float64 { return float64(w.backlog[v]) / w.rate[v] }
	slices.SortFunc(senders, func(a, b int) int { return cmp.Or(cmp.Compare(behind(b), behind(a)), a-b) })
	w.served, w.among = new([pieces]int64), make([]bool, len(w.rate))
	for _, v := range senders[:(len(senders)+15)/16] {
		w.among[v] = true
		w.of += w.rate[v]
	}
}

func (w *worst) deliver(x *packet, piece int) {
	w.backlog[x.source] -= int64(x.length)
	if w.served != nil && w.among[x.source] {
		w.served[piece] += int64(x.length)
	}
}

// sustained returns the load that the nodes served worst sustain.
func (e *engine) sustained() Estimate {
	w := &e.m.worst
	if w.served == nil || w.of == 0 {
		return Estimate{0, -1}
	}
	var all []ratio
	for i := pieces / 2; i < pieces; i++ {
		all = append(all, ratio{float64(w.served[i]), w.of * float64(e.m.lasted[i])})
	}
	x, _ := estimate(all)
	return x
}

// Bounds says between which loads a network saturates, or from which on it deadlocks.
type Bounds struct {
	Low, High float64
	Over      *Result // at High; nil if no load up to 1 is known to be too high
}

// Saturation bounds the load at which a network saturates or deadlocks. It starts from points already measured, by
// ascending load, and bisects to a sixty-fourth where the backlog begins to grow by more than chance. Longer runs,
// and more seeds, bring the bounds closer together. If High is a deadlock, Low is the greatest lower load that was
// run without one.
func Saturation(ctx context.Context, j Job, workers int, points []*Result) (Bounds, error) {
	under, over := 0.0, Bounds{High: 1}
	all := slices.Clone(points)
	narrow := func(r *Result) {
		if r.Deadlock != nil || r.growth.significant() {
			over.High, over.Over = r.Load, r
		} else {
			under = r.Load
		}
	}
	for i := 0; i < len(points) && over.Over == nil; i++ {
		narrow(points[i])
	}
	for under < 1 && (over.Over == nil || over.High-under > over.High/64) {
		if j.Options.Load = (under + over.High) / 2; over.Over == nil {
			j.Options.Load = 1
		}
		r, err := Points(ctx, []Job{j}, workers, nil)
		if err != nil {
			return Bounds{}, err
		}
		narrow(r[0])
		all = append(all, r[0])
	}
	if over.Over != nil && over.Over.Deadlock != nil {
		over.Low = under
		return over, nil
	}
	for _, r := range all {
		if r.Load <= over.High && r.Deadlock == nil && r.sustained.Half >= 0 {
			over.Low = max(over.Low, min(r.sustained.Mean-r.sustained.Half, r.Load))
		}
	}
	return over, nil
}
