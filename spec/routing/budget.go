package routing

import (
	"fmt"
	"time"
)

// BudgetError says that a budget is used up: of time or, if that is 0, of
// memory. It is the cause with which a context ends ([context.WithCancelCause]),
// so code that checks its context keeps both budgets, and [context.Cause] tells
// which one ended it.
type BudgetError struct {
	Time   time.Duration // that was allowed; 0 if memory is used up
	Memory int64         // bytes
	Spare  bool          // the limit is what the computer has to spare, not one that the user set
}

// Error names the budget and its size.
func (e *BudgetError) Error() string {
	if e.Time > 0 {
		return fmt.Sprintf("the time is up, %s", e.Time)
	}
	if e.Spare {
		return fmt.Sprintf("the memory that this computer has to spare, %d MiB, is used up", e.Memory>>20)
	}
	if e.Memory < 1<<20 {
		return fmt.Sprintf("the memory budget of %d bytes is used up", e.Memory)
	}
	return fmt.Sprintf("the memory budget of %d MiB is used up", e.Memory>>20)
}

// Progress is how far some work has got, for display: no answer depends on it.
type Progress struct {
	Stage       string // what is being done, such as "routing"
	Done, Total int64  // in units of the stage; Total 0 if not known
	Count       int64  // what has been found so far, in Unit
	Unit        string // such as "sites"
}
