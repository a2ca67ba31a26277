package checker

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-105a2da2/unknot/checker/internal/liveness"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// ended says why an exploration is not complete.
func ended(ctx context.Context, r *walk.Result, q Question) words.Sentence {
	switch r.Reason {
	case walk.Found:
		switch {
		case r.Uncompared:
			return words.Say("stopped at the violation, before the successors of the last level were compared with the states found: new ones are not counted")
		case r.Expanded == r.States:
			return words.Say("stopped at the violation, when all states had been explored")
		}
		return words.Say("stopped at the violation; the rest of the state graph was not explored")
	case walk.Refused:
		return words.Say("stopped where a value leaves its range; the rest of the state graph was not explored")
	case walk.OutOfMemory:
		return words.Say("out of memory: the budget of %d MiB for states is used up", q.Memory>>20)
	case walk.OutOfDisk:
		return words.Say("a file in %s could not be written: %s", q.Disk, r.Full)
	case walk.OutOfStates:
		return words.Say("the limit of %s is reached", words.Count{N: int(q.MaxStates), Of: "state"})
	case walk.Interrupted:
		return stopped(ctx)
	}
	return words.Sentence{}
}

// usedUp says which bound or budget an error is about, if it is.
func usedUp(ctx context.Context, err error) words.Sentence {
	var bound *spec.BoundError
	var budget *routing.BudgetError
	switch {
	case err == nil:
	case errors.As(err, &bound):
		return words.Say("%s", bound)
	case errors.As(err, &budget):
		return words.Say("%s", budget)
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return stopped(ctx)
	}
	return words.Sentence{}
}

// stopped says why a context has ended.
func stopped(ctx context.Context) words.Sentence {
	var up *routing.BudgetError
	if errors.As(context.Cause(ctx), &up) {
		return words.Say("%s", up)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return words.Say("out of time")
	}
	return words.Say("interrupted")
}

const searching = " while searching for fair cycles"

// failed says what an error came from.
func (s *subject) failed(err error) error {
	var refused *walk.CheckpointError
	var rejected *EvidenceError
	var placed *spec.PosError
	switch {
	case errors.As(err, &refused):
		return &CheckpointError{refused.File, refused.Msg}
	case errors.As(err, &rejected), errors.As(err, &placed):
		return err
	}
	return fmt.Errorf("exploring %s: %w", s.name, err)
}

// tooLarge says why there is no room for the graph of a space; nothing if there is.
func (s *subject) tooLarge(whole *liveness.Space, x *Result) words.Sentence {
	if x.Transitions >= liveness.MostSteps {
		return words.Say("the state graph has %d steps: too many to search for fair cycles (limit %d)", x.Transitions, int64(liveness.MostSteps))
	}
	need := whole.Bytes()
	if s.q.Memory > 0 && need > s.q.Memory {
		return words.Say("searching %d states and %d steps for fair cycles takes %d MiB, more than the memory budget of %d MiB", x.States, x.Transitions, need>>20, s.q.Memory>>20)
	}
	x.Peak = max(x.Peak, need)
	return words.Sentence{}
}
