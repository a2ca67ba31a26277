// Package deadline, internal to unknot, is for what takes long and ends with a context.
package deadline

import (
	"context"
	"io"
)

// Passed reports whether ctx has ended. It looks only when step is a multiple of 4,096, so that loops of a few
// nanoseconds a step can ask in each.
func Passed(ctx context.Context, step int) bool { return step%(1<<12) == 0 && ctx.Err() != nil }

// Writer returns a writer to w that fails, with the cause, once ctx has ended.
func Writer(ctx context.Context, w io.Writer) io.Writer { return writer{ctx, w} }

type writer struct {
	ctx context.Context
	io.Writer
}

func (w writer) Write(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.Writer.Write(p)
}
