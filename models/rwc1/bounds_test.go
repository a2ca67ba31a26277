package rwc1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// TestBounds: the least and the greatest value of every option are taken, those
// next to them are not. The ranges are those that the doc comments give.
func TestBounds(t *testing.T) {
	router := func(change func(o *rwc1.RouterOptions)) error {
		o := rwc1.RouterOptions{Inputs: 2, VCs: 2, Depth: 1, Burst: 1}
		change(&o)
		_, err := rwc1.Router(o)
		return err
	}
	drain := func(change func(o *rwc1.DrainOptions)) error {
		o := rwc1.DrainOptions{Nodes: 2, VCs: 1, Depth: 1}
		change(&o)
		_, err := rwc1.Drain(o)
		return err
	}
	whole := func(change func(o *rwc1.MachineOptions)) error {
		o := rwc1.MachineOptions{N: 2, VCs: 1, Depth: 1, PIB: 1, Window: 1, Watch: -1, Streams: []rwc1.Stream{{From: 0, To: 1, Answer: -1}}}
		change(&o)
		_, err := rwc1.Machine(o)
		return err
	}
	for _, tt := range []struct {
		name        string
		least, most int
		with        func(v int) error
	}{
		{"router inputs", 1, 3, func(v int) error { return router(func(o *rwc1.RouterOptions) { o.Inputs = v }) }},
		{"router VCs", 1, 3, func(v int) error { return router(func(o *rwc1.RouterOptions) { o.VCs = v }) }},
		{"router depth", 1, 4, func(v int) error { return router(func(o *rwc1.RouterOptions) { o.Depth = v }) }},
		{"router watch", 0, 3, func(v int) error { return router(func(o *rwc1.RouterOptions) { o.Watch = v }) }},
		{"router watch with injection", 0, 4, func(v int) error {
			return router(func(o *rwc1.RouterOptions) { o.Injection, o.Watch = true, v })
		}},
		{"router arbiter", 0, 2, func(v int) error { return router(func(o *rwc1.RouterOptions) { o.Arbiter = rwc1.Arbiter(v) }) }},
		{"router system traffic", 0, 2, func(v int) error { return router(func(o *rwc1.RouterOptions) { o.System = rwc1.SystemTraffic(v) }) }},
		{"router priority", 0, 1, func(v int) error { return router(func(o *rwc1.RouterOptions) { o.Priority = rwc1.Priority(v) }) }},
		{"router burst", 1, 4, func(v int) error {
			return router(func(o *rwc1.RouterOptions) { o.System, o.Burst = rwc1.Pauses, v })
		}},
		{"drain nodes", 2, 4, func(v int) error { return drain(func(o *rwc1.DrainOptions) { o.Nodes = v }) }},
		{"drain VCs", 1, 2, func(v int) error { return drain(func(o *rwc1.DrainOptions) { o.VCs = v }) }},
		{"drain depth", 1, 3, func(v int) error { return drain(func(o *rwc1.DrainOptions) { o.Depth = v }) }},
		{"drain freeze", 0, 2, func(v int) error { return drain(func(o *rwc1.DrainOptions) { o.Freeze = rwc1.Freeze(v) }) }},
		{"ring n", 2, 8, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.N = v }) }},
		{"CCCB n", 2, 4, func(v int) error {
			return whole(func(o *rwc1.MachineOptions) { o.Fabric, o.N = rwc1.CCCBFabric, v })
		}},
		{"machine VCs", 1, 4, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.VCs = v }) }},
		{"machine depth", 1, 4, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.Depth = v }) }},
		{"machine PIB", 1, 4, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.PIB = v }) }},
		{"machine window", 0, 9, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.Window = v }) }},
		{"machine window with an APB", 1, 9, func(v int) error {
			return whole(func(o *rwc1.MachineOptions) { o.Spill, o.Window = true, v })
		}},
		{"machine fabric", 0, 3, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.Fabric = rwc1.Fabric(v) }) }},
		{"machine border", 0, 1, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.Border = rwc1.Border(v) }) }},
		{"machine buffers", 0, 1, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.Buffers = rwc1.Buffers(v) }) }},
		{"machine arbiter", 0, 3, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.Arbiter = rwc1.Arbiter(v) }) }},
		{"machine hold", 0, 3, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.Hold = rwc1.Hold(v) }) }},
		{"machine watch", -1, 0, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.Watch = v }) }},
		{"stream from", 0, 0, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.Streams[0].From = v }) }},
		{"stream to", 1, 1, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.Streams[0].To = v }) }},
		{"stream from, one further", 2, 2, func(v int) error {
			return whole(func(o *rwc1.MachineOptions) { o.N, o.Streams[0].From, o.Streams[0].To = 3, v, 1 })
		}},
		{"stream to, one further", 2, 2, func(v int) error {
			return whole(func(o *rwc1.MachineOptions) { o.N, o.Streams[0].From, o.Streams[0].To = 3, 1, v })
		}},
		{"stream level", 0, 3, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.Streams[0].Level = v }) }},
		{"stream answer", -1, 3, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.Streams[0].Answer = v }) }},
		{"stream most", 0, 9, func(v int) error { return whole(func(o *rwc1.MachineOptions) { o.Streams[0].Most = v }) }},
	} {
		for v := tt.least; v <= tt.most; v++ {
			if err := tt.with(v); err != nil {
				t.Errorf("%s %d: %v", tt.name, v, err)
			}
		}
		// -1 of a kind that is numbered from 0 is 255.
		if err := tt.with(tt.least - 1); err == nil {
			t.Errorf("%s %d is taken: want at least %d", tt.name, tt.least-1, tt.least)
		}
		if err := tt.with(tt.most + 1); err == nil {
			t.Errorf("%s %d is taken: want at most %d", tt.name, tt.most+1, tt.most)
		}
	}
}

// TestWindowIsOfAProcessor: a window bounds what a processor has under way in all
// its streams together, and is reached: there is room for more, in buffers of two
// packets for each of two levels.
func TestWindowIsOfAProcessor(t *testing.T) {
	for window := 1; window <= 3; window++ {
		o := wholeOptions(t, 2, "0>1@0,0>1@1")
		o.Depth, o.Window = 2, window
		if got := mostUnderWay(t, o); got != window {
			t.Errorf("window %d: up to %d packets are under way", window, got)
		}
	}
}

// mostUnderWay returns how many packets the streams have under way at most, over
// all reachable states.
func mostUnderWay(t *testing.T, o rwc1.MachineOptions) int {
	most := 0
	m := whole(t, o)
	steps(t, m, func(s, _ []uint64, _ string) {
		most = max(most, sum(m, s, func(name string) bool { return strings.HasPrefix(name, "under way") }))
	})
	return most
}

// TestRouterSteps: each step of a router takes one packet one place further. System
// packets are told from user packets, but not from each other, so they are
// counted: one more as one arrives, as many as one is sent, one less as the next
// router passes one on. It is likewise for users.
func TestRouterSteps(t *testing.T) {
	for i := range 6 { // each arbiter, with one memory for both kinds and with two
		arbiter := rwc1.Arbiter(i / 2)
		p, err := rwc1.Router(rwc1.RouterOptions{Inputs: 1, VCs: 2, Injection: true, Depth: 1, Arbiter: arbiter, Apart: i%2 == 1, System: rwc1.Unlimited})
		m := machine(t, p, err)
		taken := map[string]int{}
		steps(t, m, func(s, next []uint64, action string) {
			for _, kind := range []string{"system", "user"} {
				here := func(name string) bool {
					return strings.HasSuffix(name, " "+kind) && !strings.HasPrefix(name, "beyond") || kind == "user" && strings.Contains(name, " place ")
				}
				beyond := func(name string) bool {
					return strings.HasPrefix(name, "beyond") && strings.HasSuffix(name, " system") == (kind == "system")
				}
				got := [2]int{packets(m, next, here) - packets(m, s, here), packets(m, next, beyond) - packets(m, s, beyond)}
				var want [2]int
				system := strings.Contains(action, "system packet")
				switch {
				case system != (kind == "system"):
				case strings.HasPrefix(action, "arrives: "):
					want = [2]int{1, 0}
				case strings.HasSuffix(action, " is sent"):
					want = [2]int{-1, 1}
				case strings.HasPrefix(action, "the next router passes on"):
					want = [2]int{0, -1}
				}
				if got != want {
					t.Fatalf("%s: %s packets here and beyond change by %v, want %v", action, kind, got, want)
				}
				if want != [2]int{} {
					taken[fmt.Sprint(kind, want)]++
				}
			}
		})
		if len(taken) != 6 {
			t.Errorf("arbiter %s: steps %v: want arrivals, transfers and departures of both kinds", rwc1.ArbiterNames[arbiter], taken)
		}
	}
}

// steps calls f for each step between reachable states.
func steps(t *testing.T, m *program.Machine, f func(s, next []uint64, action string)) {
	t.Helper()
	states, words := [][]uint64{m.Start(nil)}, m.Layout().Words()
	seen := map[string]bool{fmt.Sprint(states[0]): true}
	for i := 0; i < len(states); i++ {
		flat, err := m.Next(nil, states[i])
		if err != nil {
			t.Fatal(err)
		}
		for k := range len(flat) / words {
			next := flat[k*words : (k+1)*words]
			f(states[i], next, m.Action(states[i], k).Name)
			if key := fmt.Sprint(next); !seen[key] {
				seen[key] = true
				states = append(states, next)
			}
		}
	}
}

// sum adds the values of some variables.
func sum(m *program.Machine, s []uint64, of func(name string) bool) int {
	total := 0
	for _, f := range m.Layout().Fields() {
		if of(f.Name) {
			total += int(f.Of(s))
		}
	}
	return total
}

// packets counts those of some places that are not empty.
func packets(m *program.Machine, s []uint64, of func(name string) bool) int {
	total := 0
	for _, f := range m.Layout().Fields() {
		if of(f.Name) && f.Of(s) != 0 {
			total++
		}
	}
	return total
}
