package combining

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Run is a run of invalidate/Ack: Actions[i] leads from States[i] to States[i+1].
type Run struct {
	States  [][]uint64
	Actions []string
	Why     string // what is wrong with the last state
	Broken  string // the invariant that does not hold in it; "" at a standstill
	of      *Invalidation
	machine *program.Machine
}

// Failure is what a search looks for.
type Failure uint8

const (
	// Broken is a state in which an invariant does not hold.
	Broken Failure = iota
	// Standstill is a state without steps.
	Standstill
)

// BoundError says that a search was given up: whether there is a failure is not known.
type BoundError struct{ States int }

func (e *BoundError) Error() string {
	return fmt.Sprintf("no failure among the first %d states: choose a smaller machine", e.States)
}

// Shortest returns a shortest run to a failure, by breadth-first search; the same
// one on every call. It returns nil if there is none, and a *BoundError if it has
// seen more than the given number of states. It takes about 200 bytes a
// state, and is meant for machines small enough to be drawn.
func (m *Invalidation) Shortest(ctx context.Context, what Failure, mostStates int) (*Run, error) {
	machine, err := m.p.Machine()
	if err != nil {
		return nil, err
	}
	words := machine.Layout().Words()
	key := func(s []uint64) string {
		var b []byte
		for _, w := range s {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
		return string(b)
	}
	type visited struct {
		state  []uint64
		before int
		action string
	}
	all := []visited{{machine.Start(nil), -1, ""}}
	seen := map[string]bool{key(all[0].state): true}
	for i := 0; i < len(all); i++ {
		const often = 1024
		if i%often == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("searching a run: %w", context.Cause(ctx))
		}
		next, err := machine.Next(nil, all[i].state)
		if err != nil {
			return nil, err
		}
		if why, broken := failure(machine, what, all[i].state, len(next) == 0); why != "" {
			r := &Run{Why: why, Broken: broken, of: m, machine: machine}
			for at := i; at >= 0; at = all[at].before {
				r.States = append(r.States, all[at].state)
				if all[at].before >= 0 {
					r.Actions = append(r.Actions, all[at].action)
				}
			}
			slices.Reverse(r.States)
			slices.Reverse(r.Actions)
			return r, nil
		}
		k := 0
		for s := range slices.Chunk(next, words) {
			if id := key(s); !seen[id] {
				seen[id] = true
				all = append(all, visited{s, i, machine.Action(all[i].state, k).Name})
			}
			k++
		}
		if len(all) > mostStates {
			return nil, &BoundError{mostStates}
		}
	}
	return nil, nil
}

// failure says what is wrong with a state, or nothing, and names the invariant.
func failure(machine *program.Machine, what Failure, s []uint64, ends bool) (why, broken string) {
	if what == Standstill {
		if ends {
			return "no step is possible", ""
		}
		return "", ""
	}
	for _, v := range machine.Claims().Invariants {
		if !v.Holds(s) {
			return fmt.Sprintf("%q does not hold", v.Name), v.Name
		}
	}
	return "", ""
}
