package simulate

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/grid"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/models/selection"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
)

// TestWorkers: the same bytes with any number of workers, and different ones with another seed.
func TestWorkers(t *testing.T) {
	n := dimensionOrder(t, 4, 2, 4, false, spec.Wormhole, nil)
	jobs := func(seed uint64) (jobs []Job) {
		for _, load := range []float64{0.1, 0.3, 0.5} {
			jobs = append(jobs, Job{Network: n, Options: Options{Load: load, Lengths: []Length{{1, 1}, {5, 2}},
				Clocks: 3000, Warmup: 500, Burst: 4, Seed: seed, Arbiter: Random}, Seeds: 3})
		}
		return jobs
	}
	bytes := func(jobs []Job, workers int) string {
		points, err := Points(context.Background(), jobs, workers, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range points {
			if mean := MeanOf(p.Accepts); mean.Half <= 0 || len(p.Seeds) != 3 || mean.Mean != p.Accepted.Mean || mean.Half > p.Accepted.Half {
				t.Errorf("three seeds gave the same, or an interval that is too short: %+v of %v", p.Accepted, p.Accepts)
			}
		}
		text, err := json.Marshal(points)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	one := bytes(jobs(7), 1)
	for _, workers := range []int{2, 5} {
		if diff := cmp.Diff(one, bytes(jobs(7), workers)); diff != "" {
			t.Errorf("%d workers (-one):\n%s", workers, diff)
		}
	}
	if bytes(jobs(8), 1) == one {
		t.Error("another seed gives the same")
	}
}

// asked is a selection function that checks every answer.
type asked struct {
	Selector
	look func(v *View, free []spec.Hop, chosen spec.Hop)
}

func (a asked) Choose(v *View, free []spec.Hop) int {
	i := a.Selector.Choose(v, free)
	a.look(v, free, free[i])
	return i
}

// TestFunctionsOfThePaper: each choice is one that package models/selection permits the function for some status of
// the neighbours and some history: its packets, which have committed to a channel that was free, may wait for no
// other. With all VCs free it is one that a function that chooses early takes.
func TestFunctionsOfThePaper(t *testing.T) {
	const k = 4
	n := modeltest.Network(t, "star-channel", map[string]string{"k": "4", "n": "2"})
	for f, name := range selection.Names {
		make, ok := Function(name)
		if !ok {
			t.Fatalf("no function %s", name)
		}
		permits := func(form selection.Form) *spec.Network {
			o := selection.Options{K: k, N: 2, Tie: grid.TiePositive, Function: selection.Function(f), Form: form, Reading: selection.Literal}
			if o.Function == selection.CCB || o.Function == selection.Zigzag {
				o.Reading = selection.FreeHere
			}
			def, err := selection.New(o)
			if err != nil {
				t.Fatal(err)
			}
			return routingtest.Compile(t, def)
		}
		stale, early := permits(selection.Stale), permits(selection.Early)
		may := func(in *spec.Network, v *View, c spec.ChannelID) bool {
			for tag := range spec.Tag(in.Tags()) { // a source for each alternative
				hops, _ := in.Hops(spec.Site{
					Channel: spec.Injection(v.Node), Header: spec.Header{Dest: v.Target.Dest, Tag: tag},
				})
				if slices.ContainsFunc(hops, func(h spec.Hop) bool { return h.Channel == c }) {
					return true
				}
			}
			return false
		}
		choices, all := 0, 0
		look := func(v *View, free []spec.Hop, chosen spec.Hop) {
			choices++
			if !may(stale, v, chosen.Channel) {
				t.Errorf("%s at %d for %d: chose %s of %d", name, v.Node, v.Target.Dest, n.Topology().ChannelName(chosen.Channel), len(free))
			}
			whole := true
			for _, h := range v.Permitted {
				l := n.Topology().LinkOf(h.Channel)
				some, of := v.freeVCs(l)
				whole = whole && some == of
			}
			if whole {
				if all++; !may(early, v, chosen.Channel) {
					t.Errorf("%s at %d for %d: chose %s though all were free", name, v.Node, v.Target.Dest, n.Topology().ChannelName(chosen.Channel))
				}
			}
		}
		simulated(t, n, Options{Load: 0.5, Lengths: flits(4), Injectors: 3, Clocks: 1000, Seed: 1, Select: func() Selector { return asked{make(), look} }})
		if choices < 1000 || all < 100 {
			t.Errorf("%s: only %d choices, %d with all free", name, choices, all)
		}
	}
}

// TestVariants: ccb-loosest takes the link that ccb takes, and of its free VCs the last; lfu-recent takes the link whose
// first free VC a list of all choices has least often in the last thousand clocks.
func TestVariants(t *testing.T) {
	n := modeltest.Network(t, "star-channel", map[string]string{"k": "4", "n": "2"})
	link := func(c spec.ChannelID) spec.LinkID { return n.Topology().LinkOf(c) }
	run := func(name string, look func(v *View, free []spec.Hop, chosen spec.Hop)) {
		make, ok := Function(name)
		if !ok {
			t.Fatalf("no function %s", name)
		}
		simulated(t, n, Options{Load: 0.5, Lengths: flits(4), Injectors: 3, Clocks: 3000, Seed: 1, Select: func() Selector { return asked{make(), look} }})
	}
	makeCCB, _ := Function("ccb")
	ccb, others := makeCCB(), 0
	run("ccb-loosest", func(v *View, free []spec.Hop, chosen spec.Hop) {
		strict := free[ccb.Choose(v, free)]
		for _, h := range free {
			if link(chosen.Channel) != link(strict.Channel) || link(h.Channel) == link(chosen.Channel) && h.Channel > chosen.Channel {
				t.Fatalf("chose %d of %v, where ccb chooses %d", chosen.Channel, free, strict.Channel)
			}
		}
		if chosen != strict {
			others++
		}
	})
	if others < 100 {
		t.Errorf("only %d choices differ from those of ccb", others)
	}
	taken, fewer := map[spec.ChannelID][]int{}, 0
	run("lfu-recent", func(v *View, free []spec.Hop, chosen spec.Hop) {
		recent := func(c spec.ChannelID) (count int) {
			for _, clock := range taken[c] {
				if clock > v.Clock()-1000 {
					count++
				}
			}
			return count
		}
		first := map[spec.LinkID]bool{}
		for _, h := range free {
			if !first[link(h.Channel)] && recent(h.Channel) < recent(chosen.Channel) {
				t.Fatalf("chose %d, taken %d times, of %v: %d was taken %d times",
					chosen.Channel, recent(chosen.Channel), free, h.Channel, recent(h.Channel))
			}
			first[link(h.Channel)] = true
		}
		if recent(chosen.Channel) < len(taken[chosen.Channel]) {
			fewer++
		}
		taken[chosen.Channel] = append(taken[chosen.Channel], v.Clock())
	})
	if fewer < 100 {
		t.Errorf("only %d choices were of a channel that was taken earlier, too", fewer)
	}
}

// TestSumOfRuns: a run in which nothing arrived has no latency, so it does not count as 0 in the mean. At a low load and
// with deep enough buffers a packet of 8 flits over one link takes 2 hops of 3 clocks and 7 clocks more, so the mean
// is at least 13, and 10 without the hop out of the source.
func TestSumOfRuns(t *testing.T) {
	n := dimensionOrder(t, 2, 1, 8, false, spec.Wormhole, nil)
	for _, seeds := range []int{2, 20} {
		r, err := Points(t.Context(), []Job{{Network: n,
			Options: Options{Load: 0.002, Lengths: flits(8), Clocks: 1000, Warmup: 100, Seed: 1},
			Seeds:   seeds}}, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		if s := r[0]; s.Delivered > 0 && (s.Total.Mean < 13 || s.Network.Mean < 10 || s.Hops < 1 || s.Fairness < 0.25) {
			t.Errorf("%d seeds: %d packets, latency %v, network %v, %v hops, fairness %v", seeds, s.Delivered, s.Total.Mean, s.Network.Mean, s.Hops, s.Fairness)
		}
	}
}

// TestRunsWithoutMeasurement: a run that deadlocks before the warm-up is over accepts nothing that could be compared; the
// others are not compared seed by seed, as they would be matched with other seeds.
func TestRunsWithoutMeasurement(t *testing.T) {
	accepts := func(clocks ...int) []float64 {
		var runs []*Result
		spread := spreads{hdrhistogram.New(1, 10, 3), hdrhistogram.New(1, 10, 3)}
		for _, c := range clocks {
			runs = append(runs, &Result{Clocks: c, Warmup: 100, Delivered: 1, Accepted: Estimate{Mean: float64(c) / 1000}})
		}
		return sum(runs, &spread).Accepts
	}
	if diff := cmp.Diff([]float64{0.2, 0.3}, accepts(200, 300)); diff != "" {
		t.Errorf("of two runs (-want +got):\n%s", diff)
	}
	if got := accepts(200, 50, 300); got != nil {
		t.Errorf("of three runs, one not measured: %v", got)
	}
}

// TestRunsWithoutArrivals: if one seed delivered nothing, the runs are not compared seed by seed, as that one has no mean.
func TestRunsWithoutArrivals(t *testing.T) {
	n := dimensionOrder(t, 2, 1, 4, false, spec.Wormhole, nil)
	for clocks, all := range map[int]bool{40: false, 4000: true} {
		points, err := Points(t.Context(), []Job{{Network: n, Options: Options{Load: 0.02, Lengths: flits(2), Clocks: clocks, Seed: 1}, Seeds: 20}}, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p := points[0]; p.Delivered == 0 || (len(p.Total.Runs) == 20) != all || !all && p.Total.Runs != nil {
			t.Errorf("%d clocks: %d delivered, means of %d runs", clocks, p.Delivered, len(p.Total.Runs))
		}
	}
}
