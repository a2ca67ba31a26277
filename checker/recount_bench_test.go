package checker_test

import (
	"fmt"
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
	"github.com/seed-105a2da2/unknot/spec/states"
)

// BenchmarkRecount times a recount, by the reference step, against an exploration
// on one core whose count it checks; both ask every state for deadlock.
func BenchmarkRecount(b *testing.B) {
	for _, bm := range []struct {
		name, model string
		set         map[string]string
		switching   spec.Switching
		scenario    spec.Scenario
	}{
		{"packets", "ring", map[string]string{"n": "5", "variant": "crossing"}, spec.StoreAndForward, spec.Scenario{}},
		{"flits", "gadget", map[string]string{"name": "W2"}, spec.Wormhole, spec.Scenario{Length: spec.AnyLength}},
		{"machine", "peterson", map[string]string{"n": "4"}, 0, spec.Scenario{}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			e, _ := models.Find(bm.model)
			var m states.Machine
			var err error
			if e.IsMachine() {
				m, err = e.Machine(bm.set)
			} else {
				var def routing.Definition
				if def, err = e.Define(bm.set); err == nil {
					def.Switching = bm.switching
					m, err = trafficIn(b, def, bm.scenario)
				}
			}
			if err != nil {
				b.Fatal(err)
			}
			var explored, recounted time.Duration
			for b.Loop() {
				begin := time.Now()
				x, err := checker.Explore(b.Context(), m, checker.ExploreOptions{Workers: 1, Whole: true, Closed: -1, Properties: []string{"deadlock"}})
				if err != nil {
					b.Fatal(err)
				}
				explored += time.Since(begin)
				f := x.Of("deadlock")
				count, ok := f.Evidence.(evidence.Count)
				if !ok {
					b.Fatalf("no count: %s: %s", f.Verdict, f.Because)
				}
				safe, err := machines.Safe(m, "deadlock")
				if err != nil {
					b.Fatal(err)
				}
				begin = time.Now()
				if err := machines.Recount(b.Context(), m, safe, count.Count, 0); err != nil {
					b.Fatal(err)
				}
				recounted += time.Since(begin)
			}
			b.ReportMetric(recounted.Seconds()/explored.Seconds(), "times/exploration")
		})
	}
}

func trafficIn(b testing.TB, def routing.Definition, sc spec.Scenario) (*states.Traffic, error) {
	n, err := routing.Compile(b.Context(), def, routing.CompileOptions{})
	if err != nil {
		b.Fatal(err)
	}
	return states.NewTraffic(n, sc)
}

// TestRecountAllocates: a recount of flits keeps what it has decoded, what it steps in
// and the list of moves. All that it allocates is the chains of states in which some
// message is behind its head and waits: less than one a state. It was 5.6.
func TestRecountAllocates(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector allocates as well")
	}
	e, _ := models.Find("gadget")
	def, err := e.Define(map[string]string{"name": "W2"})
	if err != nil {
		t.Fatal(err)
	}
	def.Switching = spec.Wormhole
	m, err := trafficIn(t, def, spec.Scenario{Length: spec.AnyLength})
	if err != nil {
		t.Fatal(err)
	}
	safe, err := machines.Safe(m, "deadlock")
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
	if each := float64(after.Mallocs-before.Mallocs) / float64(count); each > 1 {
		t.Errorf("%.1f allocations for each of %d states", each, count)
	}
}
