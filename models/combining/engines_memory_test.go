package combining_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestEnginesMemory: SPIN and Rumur agree with unknot on the exported programs, those whose
// claims hold and some whose claims do not.
func TestEnginesMemory(t *testing.T) {
	fetchAdd := func(o combining.MemoryOptions) func() (*program.Program, error) {
		return func() (*program.Program, error) {
			m, err := combining.FetchAdd(o)
			if err != nil {
				return nil, err
			}
			return m.Program, nil
		}
	}
	small := machineTree(combining.Window, combining.AtRoot, 3)
	small.FanOut, small.Depth, small.Capacity = 3, 1, 2
	twice := small
	twice.Splitting = combining.FreedTwice
	three := small
	three.Joined = 3
	cells := machineTree(combining.Window, combining.AtLeaf, 3)
	cells.FanOut, cells.Depth, cells.OneVC = 3, 1, true
	cells.Homes, cells.Targets = []int{0, 1}, [][]int{{0, 1}, {0}, {1}}
	cells.Overflow, cells.Entries = combining.Refuse, 1
	reads := machineTree(combining.Record, combining.AtLeaf, 3)
	reads.FanOut, reads.Depth, reads.Homes, reads.Targets = 3, 1, []int{0, combining.BesideRoot}, [][]int{{1, 0}, {0}, {0, 1}}
	reads.Overflow, reads.Entries = combining.Interrupt, 1
	arrival := machineReduction()
	arrival.Depth, arrival.Order, arrival.Capacity = 1, combining.ByArrival, 2
	for i, tt := range []struct {
		name  string
		build func() (*program.Program, error)
	}{
		{"Fetch&Add, an entry freed twice", fetchAdd(twice)},
		{"Fetch&Add, three combine", fetchAdd(three)},
		{"Fetch&Add, two cells on links for both classes", fetchAdd(cells)},
		{"reads and writes of two cells", func() (*program.Program, error) {
			m, err := combining.ReadCombining(reads, 2)
			if err != nil {
				return nil, err
			}
			return m.Program, nil
		}},
		{"reduction by arrival", func() (*program.Program, error) { return combining.Reduce(arrival) }},
		{"reduction by partners", func() (*program.Program, error) {
			return programtest.Of(combining.ReductionEntry().Machine(map[string]string{"pairs": "0-2,1-3", "home": "root", "meet": "common"}))
		}},
		{"barriers by processor", func() (*program.Program, error) { return barriers(t, "groups=0,1,2/2,3", "key=processor"), nil }},
		{"memory-based barrier at level 1", func() (*program.Program, error) { return memoryBarriers(t, "level=1", "home=root"), nil }},
	} {
		if !seedtest.Sampled(i, 2) {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := tt.build()
			if err != nil {
				t.Fatal(err)
			}
			engines(t, p)
		})
	}
}
