package checker_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// BenchmarkRecount times a recount with the reference step, and an exploration with liveness,
// against a plain exploration on one core (-cpu 1), whose count is checked; all check every state
// for deadlock. Steps are those that exploring takes in a second.
func BenchmarkRecount(b *testing.B) {
	for _, bm := range []struct {
		name, model string
		set         map[string]string
		switching   spec.Switching
		buffer      int
		scenario    spec.Scenario
	}{
		{"packets", "ring", map[string]string{"n": "5", "variant": "crossing"}, spec.StoreAndForward, 1, spec.Scenario{}},
		{"flits", "gadget", map[string]string{"name": "W2"}, spec.Wormhole, 1, spec.Scenario{Length: spec.AnyLength}},
		{"flits-worms", "ring", map[string]string{"n": "5", "variant": "crossing"}, spec.Wormhole, 1, spec.Scenario{Length: 2}},
		{"flits-shared", "ring", map[string]string{"n": "3", "variant": "dateline"}, spec.Wormhole, 3, spec.Scenario{Length: 3, Shared: true}},
		{"flits-bounded", "ring", map[string]string{"n": "8", "variant": "dateline"}, spec.Wormhole, 1, spec.Scenario{Length: 3, Packets: 3}},
		{"flits-wide", "hypercube", map[string]string{"n": "3"}, spec.Wormhole, 2, spec.Scenario{Length: 2, Packets: 2}},
		{"flits-replies", "", nil, spec.Wormhole, 1, spec.Scenario{Length: 2, Packets: 3}},
		{"machine", "peterson", map[string]string{"n": "4"}, 0, 0, spec.Scenario{}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			e, _ := models.Find(bm.model)
			var m states.Machine
			var err error
			switch {
			case bm.model != "" && e.IsMachine():
				m, err = e.Machine(bm.set)
			default:
				def := replying(b)
				if bm.model != "" {
					def, err = e.Define(bm.set)
				}
				if err == nil {
					def.Switching, def.Buffer = bm.switching, bm.buffer
					m, err = trafficIn(b, def, bm.scenario)
				}
			}
			if err != nil {
				b.Fatal(err)
			}
			explore := func(live bool) (*checker.Result, time.Duration) {
				opt := checker.Question{Workers: 1, Explore: checker.Whole, Closed: -1, Liveness: live, Properties: []string{"deadlock-freedom"}}
				if live {
					opt.Properties = nil // all
				}
				begin := time.Now()
				x, err := checker.Explore(b.Context(), m, opt)
				if err != nil {
					b.Fatal(err)
				}
				return x, time.Since(begin)
			}
			var explored, recounted, lived time.Duration
			steps := int64(0)
			for b.Loop() {
				x, took := explore(false)
				explored += took
				steps += x.Transitions
				f := x.Of("deadlock-freedom")
				count, ok := f.Evidence.(evidence.Count)
				if !ok {
					b.Fatalf("no count: %s: %s", f.Verdict, f.Because)
				}
				safe, err := machines.Safe(m, "deadlock-freedom")
				if err != nil {
					b.Fatal(err)
				}
				begin := time.Now()
				if err := machines.Recount(b.Context(), m, safe, count.Count, 0); err != nil {
					b.Fatal(err)
				}
				recounted += time.Since(begin)
				_, took = explore(true)
				lived += took
			}
			b.ReportMetric(float64(steps)/explored.Seconds()/1e6, "Msteps/s")
			b.ReportMetric(recounted.Seconds()/explored.Seconds(), "recount/exploration")
			b.ReportMetric(lived.Seconds()/explored.Seconds(), "liveness/exploration")
		})
	}
}

func trafficIn(b testing.TB, def routing.Definition, sc spec.Scenario) (*states.Traffic, error) {
	n := routingtest.Compile(b, def)
	return states.NewTraffic(n, sc)
}

// TestRecountAllocates: a recount of flits reuses what it has decoded, what it steps in and the list
// of moves. It allocates only the chains of states in which some message is behind its head and
// waits: less than one per state, and close to none if the network is so empty that few heads
// wait. It was 5.6, and 1.7 with replies.
func TestRecountAllocates(t *testing.T) {
	seedtest.InFull(t)
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector allocates, too")
	}
	w2, _ := models.Find("gadget")
	gadget, err := w2.Define(map[string]string{"name": "W2"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		def      routing.Definition
		scenario spec.Scenario
		most     float64
	}{
		{"W2", gadget, spec.Scenario{Length: spec.AnyLength}, 1},
		{"replies", replying(t), spec.Scenario{Length: 2, Packets: 3}, 0.5},
	} {
		tt.def.Switching = spec.Wormhole
		m, err := trafficIn(t, tt.def, tt.scenario)
		if err != nil {
			t.Fatal(err)
		}
		safe, err := machines.Safe(m, "deadlock-freedom")
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err = machines.Recount(t.Context(), m, safe, &machines.Count{Machine: m.Name(), States: 1 << 20}, 0)
		runtime.ReadMemStats(&after)
		var count uint64 // fewer, which shows when all have been visited
		if _, none := fmt.Sscanf(fmt.Sprint(err), "%d states are reachable, not 1048576", &count); none != nil {
			t.Fatal(err)
		}
		if each := float64(after.Mallocs-before.Mallocs) / float64(count); each > tt.most {
			t.Errorf("%s: %.2f allocations for each of %d states, want %.1f at most", tt.name, each, count, tt.most)
		}
	}
}

// replying is a mesh whose memories send a reply for each request: most of its many
// channels are empty.
func replying(t testing.TB) routing.Definition {
	text, err := os.ReadFile("../models/examples/request_reply.star")
	if err != nil {
		t.Fatal(err)
	}
	f, err := star.Load(t.Context(), "request_reply.star", text, star.Options{Set: map[string]string{"k": "3"}})
	if err != nil {
		t.Fatal(err)
	}
	return f.Definition
}
