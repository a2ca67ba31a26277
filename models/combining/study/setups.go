package study

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// What the paper states about rates, levels and Acks, each beside what measures it. The paper has no
// measurements: depths, loads, hot spots, waiting times, buffers and the time of the memory are ours.

// Setup measures statements of the paper.
type Setup struct {
	Name, About string
	Measure     func(ctx context.Context, runs Runs) ([]simulate.Stated, error)
}

// Runs says how often and how long each point of a setup is run, and with what that the paper does not give.
type Runs struct {
	Seed    uint64 // the first
	Seeds   int
	Clocks  int
	Service int // clocks that the memory, or the home, takes for a message, 1 to [MostService]
	Buffer  int // messages that a link's buffer holds, 1 to [MostBuffer], if the setup does not say it
}

// The most of a setup.
const (
	MostService = 200
	MostBuffer  = 1000
)

// Setups lists the setups.
func Setups() []Setup {
	return []Setup{
		{"rates", "how many requests combine, against a queue of two", rates},
		{"tolerance", "how far apart two requests may come and combine", tolerance},
		{"acks", "the Acks of an invalidation, one by one and combined", acks},
	}
}

// RunAll measures on all cores, in order.
func RunAll(ctx context.Context, all []Options) ([]Result, error) {
	results := make([]Result, len(all))
	err := each.Do(ctx, runtime.GOMAXPROCS(0), len(all), func(_, i int) (err error) {
		results[i], err = Run(ctx, all[i])
		return err
	})
	return results, err
}

// rate is the share that is carried, and whether the tree takes the load, in each run of each point.
type rate struct {
	carried []float64
	takes   bool
}

// The points of a setup: each depth with each hot spot and each load.
var (
	rateDepths = []int{2, 4, 6}
	rateHots   = []float64{0.1, 0.3, 1}
	rateLoads  = []float64{0.004, 0.02, 0.1, 0.4}
)

// measureRates measures a way to combine at each point.
func measureRates(ctx context.Context, way Options, runs Runs) ([]rate, error) {
	var all []Options
	for _, depth := range rateDepths {
		for _, hot := range rateHots {
			for _, load := range rateLoads {
				for seed := range runs.Seeds {
					o := way
					o.FanOut, o.Depth, o.Hot, o.Load, o.Service = 2, depth, hot, load, runs.Service
					o.Clocks, o.Seed = runs.Clocks, runs.Seed+uint64(seed)
					if o.Buffer == 0 {
						o.Buffer = runs.Buffer
					}
					all = append(all, o)
				}
			}
		}
	}
	results, err := RunAll(ctx, all)
	if err != nil {
		return nil, err
	}
	var rates []rate
	for i := 0; i < len(results); i += runs.Seeds {
		of, accepted := rate{}, 0.0
		for _, r := range results[i : i+runs.Seeds] {
			of.carried = append(of.carried, r.Combined)
			accepted += r.Accepted / float64(runs.Seeds)
		}
		of.takes = accepted > 0.95*results[i].Load
		rates = append(rates, of)
	}
	return rates, nil
}

// compareRates asks whether one way carries more than another, and nowhere fewer. A seed makes the same requests
// for both, so their differences count. With taken, only points count at which both take the load.
func compareRates(x, y []rate, taken bool) (studies.Outcome, string) {
	more, fewer, all := 0, 0, 0
	var last [2][]string // at the greatest depth, if all requests are for one cell
	for i := range x {
		if len(x)-i <= len(rateLoads) {
			last[0] = append(last[0], fmt.Sprintf("%.2f", simulate.MeanOf(x[i].carried).Mean))
			last[1] = append(last[1], fmt.Sprintf("%.2f", simulate.MeanOf(y[i].carried).Mean))
		}
		if taken && !(x[i].takes && y[i].takes) {
			continue
		}
		all++
		differences := make([]float64, len(x[i].carried))
		for k := range differences {
			differences[k] = x[i].carried[k] - y[i].carried[k]
		}
		switch gain := simulate.MeanOf(differences); {
		case gain.Half < 0: // a single run tells nothing
		case gain.Mean > gain.Half:
			more++
		case -gain.Mean > gain.Half:
			fewer++
		}
	}
	outcome := studies.Within
	if fewer > 0 {
		outcome = studies.Refuted
	} else if more > 0 {
		outcome = studies.Confirmed
	}
	return outcome, fmt.Sprintf("more at %d of %d points, fewer at %d; with 64 clusters and one cell %s against %s",
		more, all, fewer, strings.Join(last[0], ", "), strings.Join(last[1], ", "))
}

// rates compares the ways to combine at all points.
func rates(ctx context.Context, runs Runs) (stated []simulate.Stated, err error) {
	queue, any := Options{How: InQueue}, Options{How: InQueue, Partners: -1}
	long := Options{How: InQueue, Buffer: 16}
	recorded, recordedAny := Options{How: Recorded}, Options{How: Recorded, Partners: -1}
	measured := map[Options][]rate{}
	of := func(way Options) []rate {
		if _, ok := measured[way]; !ok && err == nil {
			measured[way], err = measureRates(ctx, way, runs)
		}
		return measured[way]
	}
	state := func(sentence string, x, y Options, taken bool) {
		of(x)
		of(y)
		if err == nil {
			outcome, detail := compareRates(of(x), of(y), taken)
			stated = append(stated, simulate.Stated{Sentence: sentence, Outcome: string(outcome), Detail: detail})
		}
	}
	state("abstract: level 1 with any number of partners carries more than a queue of two", recordedAny, queue, false)
	state("5: level 1 with two partners carries more than a queue of two", recorded, queue, false)
	const taking = ", where both take the load"
	state("5: level 1 with two partners carries more than a queue of two"+taking, recorded, queue, true)
	waits := []int{4, 16, 64}
	for _, wait := range waits {
		two, all := Options{Wait: wait}, Options{Wait: wait, Partners: -1}
		after := fmt.Sprintf("level 2 that waits %d clocks", wait)
		state("3.3: "+after+", with two partners, carries more than a queue of two", two, queue, false)
		state("3.3: "+after+", with two partners, carries more than a queue of two"+taking, two, queue, true)
		state("3.3: "+after+", with any number of partners, carries more than a queue of two", all, queue, false)
	}
	for i, wait := range waits[1:] {
		state(fmt.Sprintf("2: waiting %d clocks carries more than waiting %d, with any number of partners", wait, waits[i]),
			Options{Wait: wait, Partners: -1}, Options{Wait: waits[i], Partners: -1}, false)
	}
	state("2: a queue of any number of partners carries more than a queue of two", any, queue, false)
	state("2: a queue of 16 messages carries more than one of 4, both of two partners", long, queue, false)
	return stated, err
}

// Made is a request for the hot cell, made by a cluster at a clock.
type Made struct{ Clock, Cluster int }

// burst is what became of some requests when nobody else asks.
type burst struct {
	carried []bool  // by another one, by request
	latency []int64 // by request
	crossed int64   // messages over upward links, the one to the memory among them
	served  int64   // by the memory
	last    int64   // clock of the last answer
}

// runBurst runs until all are answered; ok is false if they are not after 100,000 clocks.
func runBurst(opt Options, made []Made) (b burst, ok bool) {
	const most = 100_000
	opt.Load, opt.Hot, opt.Clocks = 0, 1, most
	t := newTree(opt)
	for ; t.Result.Answers < int64(len(made)); t.clock++ {
		if t.clock == most {
			return b, false
		}
		for _, m := range made {
			if int64(m.Clock) == t.clock {
				t.requests = append(t.requests, request{cluster: int32(m.Cluster), made: t.clock})
				t.sources[m.Cluster] = append(t.sources[m.Cluster], message{request: int32(len(t.requests) - 1), hot: true})
			}
		}
		t.step()
	}
	for _, r := range t.requests {
		b.carried, b.latency = append(b.carried, r.carried), append(b.latency, r.answered-r.made)
	}
	b.crossed, b.served, b.last = t.crossed, t.entered, t.clock
	return b, true
}

// apart returns the most clocks by which the second of two neighbours' requests may come later and is carried, or -1.
func apart(opt Options) int {
	most := 200 + opt.Service // clocks: more than an answer takes here, and than any wait
	last := -1
	for d := range most {
		if b, ok := runBurst(opt, []Made{{0, 0}, {d, 1}}); ok && b.carried[1] {
			last = d
		}
	}
	return last
}

// alone returns the latency of a request that meets no other.
func alone(opt Options) int64 {
	b, ok := runBurst(opt, []Made{{0, 0}})
	if !ok {
		return math.MaxInt64
	}
	return b.latency[0]
}

// tolerance asks how far apart two requests may come in the machine's tree, and in one of 64 clusters.
func tolerance(_ context.Context, runs Runs) (stated []simulate.Stated, err error) {
	for _, depth := range []int{2, 6} {
		base := Options{FanOut: 2, Depth: depth, Service: runs.Service, Buffer: runs.Buffer}
		way := func(how How, wait int) Options {
			o := base
			o.How, o.Wait = how, wait
			return o
		}
		none, queue, recorded := way(Waiting, 0), way(InQueue, 0), way(Recorded, 0)
		own := apart(recorded)
		words := fmt.Sprintf("in %d levels: level 0 never, a queue up to %d clocks apart, level 1 up to %d",
			depth, apart(queue), own)
		words = strings.Replace(words, "up to -1 clocks apart", "never", 1)
		for _, wait := range []int{4, 16, 64} {
			words += fmt.Sprintf(", level 2 that waits %d up to %d", wait, apart(way(Waiting, wait)))
		}
		cost := fmt.Sprintf(
			"a request that meets no other takes %d clocks at level 0, %d at level 1, %d at level 2 that waits 4",
			alone(none), alone(recorded), alone(way(Waiting, 4)))
		at := fmt.Sprintf(", with %d levels of switches", depth)
		for _, s := range []struct {
			sentence string
			holds    bool
			detail   string
		}{
			{"5: level 1 has less overhead than level 2 that waits 4 clocks", alone(recorded) < alone(way(Waiting, 4)), cost},
			{
				"5: of the ways in which no request waits, level 1 is the most tolerant of different arrival times",
				own > apart(none) && own > apart(queue), words,
			},
			{
				"5: level 1 is more tolerant of different arrival times than level 2 that waits 4 clocks",
				own > apart(way(Waiting, 4)), words,
			},
			{
				"5: level 1 is more tolerant of different arrival times than level 2 that waits 64 clocks",
				own > apart(way(Waiting, 64)), words,
			},
		} {
			stated = append(stated, simulate.Stated{
				Sentence: s.sentence + at, Outcome: string(studies.Confirm(s.holds)), Detail: s.detail,
			})
		}
	}
	return stated, nil
}

// answeredEarly reports whether a message is answered before the last one is made.
func answeredEarly(b burst, made []Made) bool {
	first, last := int64(math.MaxInt64), 0
	for i, m := range made {
		first, last = min(first, int64(m.Clock)+b.latency[i]), max(last, m.Clock)
	}
	return first < int64(last)
}

// acks sends an Ack from each cluster to the root, some clocks apart: one by one, for a fixed time, and for ever.
func acks(_ context.Context, runs Runs) (stated []simulate.Stated, err error) {
	fewer, single, early := true, true, true
	var sooner []bool // by size
	var words []string
	for _, depth := range []int{2, 4, 6} {
		var made []Made
		for c := range 1 << depth {
			made = append(made, Made{7 * c % 16, c}) // an invalidation takes up to 16 clocks
		}
		with := func(wait int) (burst, bool) {
			return runBurst(Options{FanOut: 2, Depth: depth, Service: runs.Service, Buffer: runs.Buffer, Wait: wait}, made)
		}
		one, first := with(0)
		some, second := with(4)
		all, third := with(math.MaxInt32)
		recorded, fourth := runBurst(
			Options{FanOut: 2, Depth: depth, Service: runs.Service, Buffer: runs.Buffer, How: Recorded}, made)
		if !first || !second || !third || !fourth {
			return nil, fmt.Errorf("the Acks of %d clusters do not come home", len(made))
		}
		fewer, sooner = fewer && all.crossed < one.crossed, append(sooner, all.last < one.last)
		single = single && all.served == 1 && some.served > 1
		early = early && answeredEarly(recorded, made) && !answeredEarly(all, made)
		words = append(words, fmt.Sprintf(
			"%d clusters: %d messages, %d at home, %d clocks, against %d, %d, %d, and level 2 %d at home",
			len(made), all.crossed, all.served, all.last, one.crossed, one.served, one.last, some.served))
	}
	detail := strings.Join(words, "; ")
	for _, s := range []struct {
		sentence string
		holds    bool
	}{
		{"3.3: Acks that combine at level 3 take fewer messages than one by one", fewer},
		{"3.3: one by one the Acks of 4 clusters take longer than combined", sooner[0]},
		{"3.3: one by one the Acks of 64 clusters take longer than combined", sooner[2]},
		{"3.3: at level 3 a single Ack comes home, and at level 2 more", single},
		{"3.3: at level 1 home answers before the last Ack is sent, and at level 3 not", early},
	} {
		stated = append(stated, simulate.Stated{
			Sentence: s.sentence, Outcome: string(studies.Confirm(s.holds)), Detail: detail,
		})
	}
	return stated, nil
}
