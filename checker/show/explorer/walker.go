package explorer

import (
	"errors"
	"fmt"
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// walker takes runs through a machine. It is safe for concurrent use.
type walker struct {
	m       states.Machine
	traffic *states.Traffic // m itself, if that is the traffic of a network
	starts  [][]uint64

	mu     sync.Mutex
	run    Run        // last asked for
	states [][]uint64 // of run, one more than steps
}

func newWalker(m states.Machine) (*walker, error) {
	w := &walker{m: m}
	w.traffic, _ = m.(*states.Traffic)
	if w.traffic != nil && len(w.traffic.Scenario().Once) == 0 && w.traffic.Network().FlowCount() > mostFlows {
		return nil, fmt.Errorf("%w; keep fewer flows (--dest, --source) or single packets (--once)",
			&spec.BoundError{What: "flows, each of which may inject in every state", Limit: mostFlows})
	}
	words := m.Layout().Words()
	for start := m.Start(nil); len(start) >= words; start = start[words:] {
		w.starts = append(w.starts, start[:words])
	}
	if len(w.starts) == 0 {
		return nil, errors.New("the machine has no initial state")
	}
	return w, nil
}

// notFound says that an address names no state.
type notFound struct{ text string }

func (e *notFound) Error() string { return e.text }
