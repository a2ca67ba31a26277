package checker

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-105a2da2/unknot/checker/explain"
	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// ended says why an exploration is not complete.
func ended(ctx context.Context, r *statespace.Result, opt ExploreOptions) string {
	switch r.Reason {
	case statespace.Found:
		if r.Expanded == r.States {
			return "stopped at the violation, when all states had been explored"
		}
		return "stopped at the violation; the rest of the state graph was not explored"
	case statespace.Refused:
		return "stopped where a value leaves its range; the rest of the state graph was not explored"
	case statespace.OutOfMemory:
		return fmt.Sprintf("out of memory: the budget of %d MiB for states is used up", opt.Memory>>20)
	case statespace.OutOfDisk:
		return fmt.Sprintf("a file in %s could not be written: %s", opt.Disk, r.Full)
	case statespace.OutOfStates:
		return "the limit of " + explain.Plural(int(opt.MaxStates), "state") + " is reached"
	case statespace.Interrupted:
		return stopped(ctx)
	}
	return ""
}

// usedUp says which bound or budget an error is about, or "".
func usedUp(ctx context.Context, err error) string {
	var bound *spec.BoundError
	var budget *routing.BudgetError
	switch {
	case err == nil:
	case errors.As(err, &bound):
		return bound.Error()
	case errors.As(err, &budget):
		return budget.Error()
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return stopped(ctx)
	}
	return ""
}

// stopped says why a context has ended.
func stopped(ctx context.Context) string {
	var up *routing.BudgetError
	if errors.As(context.Cause(ctx), &up) {
		return up.Error()
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "out of time"
	}
	return "interrupted"
}
