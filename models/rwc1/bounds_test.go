package rwc1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models/rwc1"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// TestWindowIsOfAProcessor: a window bounds the packets in transit of all streams of a
// processor together, and is reached: there is room for more, in buffers of two packets for
// each of two levels.
func TestWindowIsOfAProcessor(t *testing.T) {
	for window := 1; window <= 3; window++ {
		o := wholeOptions(t, 2, "0-1@0,0-1@1")
		o.Depth, o.Window = 2, window
		if got := mostUnderWay(t, o); got != window {
			t.Errorf("window %d: up to %d packets are under way", window, got)
		}
	}
}

// mostUnderWay returns the largest number of packets that the streams have in transit, over
// all reachable states.
func mostUnderWay(t *testing.T, o rwc1.MachineOptions) int {
	most := 0
	m := whole(t, o)
	steps(t, m, func(s, _ []uint64, _ string) {
		most = max(most, sum(m, s, func(name string) bool { return strings.HasPrefix(name, "under_way") }))
	})
	return most
}

// steps calls f for each step between reachable states.
func steps(t *testing.T, m *program.Machine, f func(s, next []uint64, action string)) {
	t.Helper()
	states, words := [][]uint64{m.Start(nil)}, m.Layout().Words()
	seen := map[string]bool{fmt.Sprint(states[0]): true}
	for i := 0; i < len(states); i++ {
		flat, err := m.AppendSuccessors(nil, states[i])
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
