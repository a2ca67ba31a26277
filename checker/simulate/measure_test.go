package simulate

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// funnel is two sources whose packets share a link to d.
func funnel(t *testing.T) *spec.Network {
	topo := spec.NewTopology()
	a, b, c, d := topo.AddNode("a"), topo.AddNode("b"), topo.AddNode("c"), topo.AddNode("d")
	for _, ends := range [][2]spec.NodeID{{a, c}, {b, c}, {c, d}} {
		topo.AddLink(spec.Link{From: ends[0], To: ends[1], VCs: 2})
	}
	next := func(dst []spec.Hop, at spec.ChannelID, _ spec.Header) []spec.Hop {
		out := topo.OutLinks(topo.Head(at))[0]
		return append(dst, spec.Hop{Channel: topo.Channel(out, 0)}, spec.Hop{Channel: topo.Channel(out, 1)})
	}
	return routingtest.Compile(t, routing.Definition{
		Name: "funnel", Topology: topo, Switching: spec.Wormhole, Buffer: 8, Routing: routing.Deliver(topo, routing.Func(next)),
		Flows: func(src, dst spec.NodeID, _ spec.Class) bool { return (src == a || src == b) && dst == d },
	})
}

// TestArbiters: two sources that overload a link get half of it each, with any arbiter, and keep it
// busy; in light traffic oldest-first leaves the fewest very late packets.
func TestArbiters(t *testing.T) {
	n := funnel(t)
	for arbiter, name := range ArbiterNames {
		r := simulated(t, n, Options{Load: 1, Lengths: flits(5), Injectors: 2, Shared: true, Arbiter: Arbiter(arbiter), Clocks: 20_000, Warmup: 1000})
		if math.Abs(r.Least-0.5) > 0.02 || math.Abs(r.Most-0.5) > 0.02 || r.Fairness < 0.999 {
			t.Errorf("%s: %v to %v, fairness %v", name, r.Least, r.Most, r.Fairness)
		}
	}
	worst := map[Arbiter]int64{}
	for _, arbiter := range []Arbiter{Oldest, Random} {
		r := simulated(t, n, Options{Load: 0.45, Lengths: flits(5), Injectors: 2, Arbiter: arbiter, Clocks: 100_000, Warmup: 1000})
		worst[arbiter] = r.Total.Quantiles[3].Clocks
	}
	if worst[Oldest] >= worst[Random] {
		t.Errorf("of a thousand packets the last takes %d clocks by age, %d by chance", worst[Oldest], worst[Random])
	}
}

// TestUtilisation: a link's mean and peak, worked out by hand: 300 flits in the second window of 1,000 clocks
// after the warm-up of 500, and 100 in the fourth, out of four; earlier ones do not count.
func TestUtilisation(t *testing.T) {
	var events []Event
	add := func(from, packets int) {
		for i := range packets {
			events = append(events, Event{Clock: from + 10*i, Source: 0, Dest: 3, Flits: 5})
		}
	}
	add(0, 20)
	add(1600, 60)
	add(4296, 20) // the last arrives in clock 4296 + 190 + 13, which ends the run
	r := simulated(t, funnel(t), Options{Traffic: Traffic{Events: events}, Load: 1, Lengths: flits(5), Injectors: 2, Clocks: 9000, Warmup: 500})
	for _, u := range r.Links {
		if u.Mean != 0.1 || u.Peak != 0.3 {
			t.Errorf("%s: mean %v, peak %v; want 0.1 and 0.3", u.Link, u.Mean, u.Peak)
		}
	}
	if r.Finished != 4499 || r.Clocks != 4500 || len(r.Links) != 2 || r.Delivered != 80 || r.FlitHops != 2*500 ||
		r.Hops != 2 || r.Offered.Mean != 0.1 || r.Accepted.Mean != 0.1 {
		t.Errorf("%+v", r)
	}
	// Two of the 4 routers forward 400 flits each in 4,000 clocks.
	if want := 0.05; math.Abs(r.Throughput-want) > 1e-9 {
		t.Errorf("throughput %v, want %v", r.Throughput, want)
	}
}

// TestMissing: each packet of a trace arrives or is missing, whether it was refused, is in transit or was
// never sent; and the last arrival is reported only if none is missing.
func TestMissing(t *testing.T) {
	n := dimensionOrder(t, 2, 1, 1, false, spec.Wormhole, nil)
	both := map[bool]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		o := Options{Load: 1, Clocks: rapid.IntRange(1, 60).Draw(rt, "clocks"), Queue: rapid.IntRange(0, 2).Draw(rt, "queue"), Lengths: []Length{{3, 1}}}
		for range rapid.IntRange(1, 8).Draw(rt, "packets") {
			source := rapid.IntRange(0, 3).Draw(rt, "source")
			dest := (source + rapid.IntRange(1, 3).Draw(rt, "on")) % 4
			o.Traffic.Events = append(o.Traffic.Events, Event{rapid.IntRange(0, 40).Draw(rt, "clock"), spec.NodeID(source), spec.NodeID(dest), 3})
		}
		results, err := Points(t.Context(), []Job{{Network: n, Options: o, Seeds: 2}}, 1, nil)
		if err != nil {
			rt.Fatal(err)
		}
		r := results[0]
		if want := 2*len(o.Traffic.Events) - int(r.Delivered); r.Missing != want || (r.Finished > 0) != (want == 0) {
			rt.Fatalf("%+v: %d missing, want %d; the last arrived in clock %d", o, r.Missing, want, r.Finished)
		}
		both[r.Missing > 0] = true
	})
	if seedtest.Usual() && len(both) < 2 {
		t.Error("packets were always missing, or never")
	}
}

// TestQueues: a full queue refuses, and that is saturation.
func TestQueues(t *testing.T) {
	r := simulated(t, funnel(t), Options{Load: 0.9, Lengths: flits(5), Queue: 4, Clocks: 10_000})
	if r.Refused == 0 || !r.Saturated || r.Backlog > 2*(4+1+4) {
		t.Errorf("%d refused, %d left", r.Refused, r.Backlog)
	}
}

// TestConservation: what is measured in two ways agrees: flits that arrive times the links they cross are the flits
// that the links carry, except for those on their way at either end; what was generated has arrived or is somewhere;
// and by Little's law as many packets are in the network as come in a clock times how long they stay.
func TestConservation(t *testing.T) {
	for name, n := range map[string]*spec.Network{
		"mesh":  dimensionOrder(t, 4, 2, 4, false, spec.Wormhole, nil),
		"torus": dimensionOrder(t, 5, 2, 4, true, spec.VirtualCutThrough, nil),
		"rows":  dimensionOrder(t, 4, 2, 4, false, spec.StoreAndForward, func(src, dst spec.NodeID, _ spec.Class) bool { return src < 4 && src != dst }),
	} {
		e, err := newEngine(n, Options{Load: 0.1, Lengths: []Length{{3, 1}, {9, 1}}, Clocks: 40_000, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		present := 0
		for range e.o.Clocks {
			if err := e.run(t.Context(), 1, func() bool { return false }); err != nil {
				t.Fatal(err)
			}
			present += e.alive
		}
		r := e.result()
		senders, clocks := 0.0, float64(e.o.Clocks)
		for v := range e.queues {
			if e.queues[v].sends {
				senders++
			}
		}
		links := 0.0
		for _, l := range r.Links {
			links += l.Mean
			if l.Mean > l.Peak || l.Peak > 1 {
				t.Errorf("%s: %+v", name, l)
			}
		}
		near := func(what string, x, y, share float64) {
			if math.Abs(x-y) > share*max(x, y) {
				t.Errorf("%s: %s: %v and %v", name, what, x, y)
			}
		}
		near("use of links", r.Accepted.Mean*senders*r.Hops, links, 0.01)
		near("throughput", r.Throughput*float64(len(e.nodes)), links, 1e-9)
		near("Little", float64(present)/clocks, float64(r.Delivered)/clocks*r.Total.Mean, 0.01)
		if int64(r.Backlog)+r.Delivered != e.serial || r.Accepted.Mean > r.Offered.Mean {
			t.Errorf("%s: %d generated, %d delivered, %d left, %v of %v accepted", name, e.serial, r.Delivered, r.Backlog, r.Accepted, r.Offered)
		}
	}
}

// TestRatesOfADeadlock: rates are over the clocks that were run, not those after the deadlock.
func TestRatesOfADeadlock(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"n": "4"})
	var rates []Estimate
	for _, clocks := range []int{2000, 40_000} {
		r := simulated(t, n, Options{Load: 1, Lengths: flits(8), Clocks: clocks, Seed: 1})
		if r.Deadlock == nil {
			t.Fatal("no deadlock")
		}
		rates = append(rates, r.Offered)
		early, err := Points(t.Context(), []Job{{Network: n,
			Options: Options{Load: 1, Lengths: flits(8), Clocks: clocks, Warmup: clocks - 1, Seed: 1},
			Seeds:   1 + len(rates)}}, 1, nil)
		if err != nil || early[0].Deadlock == nil {
			t.Fatalf("no deadlock in the warm-up: %v", err)
		}
		if text, err := json.Marshal(early[0]); err != nil || bytes.Contains(text, []byte("null")) {
			t.Errorf("%s (%v)", text, err)
		}
	}
	for _, x := range rates {
		if math.Abs(x.Mean-1) > 0.2 {
			t.Errorf("offered %v, want about 1", rates)
		}
	}
}

// TestClumps: queues that come and go with long bursts and packets are not taken for saturation: the load is a
// twentieth, and a mesh carries a multiple of that.
func TestClumps(t *testing.T) {
	n := dimensionOrder(t, 4, 1, 8, false, spec.Wormhole, nil)
	for name, o := range map[string]Options{
		"packets": {Lengths: []Length{{1, 1000}, {4096, 1}}},
		"bursts":  {Lengths: flits(8), Burst: 1000},
	} {
		o.Load, o.Clocks, o.Warmup, o.Seed = 0.05, 5000, 500, 1
		if r := simulated(t, n, o); r.Saturated {
			t.Errorf("%s: %v of %v accepted", name, r.Accepted, r.Offered)
		}
	}
}
