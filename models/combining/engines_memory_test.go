package combining_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// TestEnginesMemory: SPIN and Rumur find in the exported programs what unknot
// finds, in those whose claims hold and in some whose do not.
func TestEnginesMemory(t *testing.T) {
	memory := func(m *combining.Memory, err error) (*program.Program, error) {
		if err != nil {
			return nil, err
		}
		return m.Program, nil
	}
	one := func(p *program.Program, err error) func() (*program.Program, error) {
		return func() (*program.Program, error) { return p, err }
	}
	small := machineTree(combining.Window, combining.AtRoot, 3)
	small.FanOut, small.Depth, small.Capacity = 3, 1, 2
	twice := small
	twice.Splitting = combining.FreedTwice
	arrival := machineReduction()
	arrival.Depth, arrival.Order, arrival.Capacity = 1, combining.ByArrival, 2
	mixed := machineBarrier()
	mixed.Groups, mixed.Key = [][]int{{0, 1, 2}, {2, 3}}, combining.ByProcessor
	for _, tt := range []struct {
		name  string
		build func() (*program.Program, error)
	}{
		{"Fetch&Add, an entry freed twice", one(memory(combining.FetchAdd(twice)))},
		{"reduction by arrival", one(combining.Reduce(arrival))},
		{"barriers by processor", one(combining.Barrier(mixed))},
	} {
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
