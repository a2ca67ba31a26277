package evidence

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// visit is what visiting all states again has shown, of all properties at once.
type visit struct {
	of     machines.Count   // its property left out
	err    error            // the count is not right
	faults map[string]error // by property that was asked for: a state that is not safe, or nil
}

// visitAll visits all states of a machine as [machines.Recount] does, and asks each for all
// properties of states. States take at most seven eighths of the memory, 8 GiB without a bound.
func visitAll(ctx context.Context, m states.Machine, c *machines.Count, opt Options) *visit {
	recount := machines.Recount
	if opt.Plain {
		recount = machines.RecountPlain
	}
	v := &visit{of: *c, faults: map[string]error{}}
	properties := []string{spec.DeadlockFreedom.String()}
	if _, is := m.(*states.Traffic); is {
		properties = append(properties, spec.Delivery.String())
	}
	for _, i := range states.ClaimsOf(m).Invariants {
		properties = append(properties, i.Name)
	}
	safe := make([]func(s, next []uint64) error, len(properties))
	for i, p := range properties {
		safe[i], v.faults[p] = machines.Safe(m, p)
	}
	var mu sync.Mutex
	v.err = recount(ctx, m, func(s, next []uint64) error {
		for i, p := range properties {
			err := safe[i](s, next)
			if err == nil {
				continue
			}
			err = fmt.Errorf("in %s: %w", m.Layout().Text(s), err)
			mu.Lock()
			if v.faults[p] == nil || err.Error() < v.faults[p].Error() { // the least, whichever came first
				v.faults[p] = err
			}
			mu.Unlock()
		}
		return nil
	}, &v.of, opt.Memory/8*7)
	return v
}
