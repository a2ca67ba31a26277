// Package deadline is for loops that take long and end with a context.
package deadline

import "context"

// Passed reports whether ctx has ended. It looks only when step is a multiple of 4,096, so that loops of a few
// nanoseconds a step can ask in each.
func Passed(ctx context.Context, step int) bool { return step%(1<<12) == 0 && ctx.Err() != nil }
