package disk

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
)

// expand expands the rest of the level. done says that the walk ends with it.
func (w *search) expand(ctx context.Context) (done bool, err error) {
	in, err := w.shelf.open(w.level(), false)
	if err != nil {
		return false, err
	}
	defer in.close()
	for range w.Blocks {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		err := in.nextHead()
		if err == nil {
			err = in.pass()
		}
		if err == io.EOF {
			err = in.damaged("it has fewer blocks than were expanded")
		}
		if err != nil {
			return false, err
		}
	}
	for in.read < in.States {
		if err := w.expandGroup(ctx, in); err != nil {
			return false, err
		}
		if ctx.Err() != nil {
			w.result.Reason = walk.Interrupted
			return true, w.leave()
		}
		if w.result.Refusal != nil {
			w.result.Reason = walk.Refused
			return true, nil
		}
		if w.opt.Until != nil && w.opt.Until(&w.Flagged, w.States) {
			w.result.Reason = walk.Found
			return true, nil
		}
		full, err := w.full(ctx)
		if err != nil {
			return true, err
		}
		if full && in.read < in.States {
			w.result.Reason = walk.OutOfStates
			return true, w.keep(ctx)
		}
		w.tell()
		if w.due() {
			if err := w.keep(ctx); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// expandGroup expands a few blocks. If ctx ends, none of them counts, though their
// successors stay.
func (w *search) expandGroup(ctx context.Context, in *cursor) error {
	var lock sync.Mutex
	left := w.group
	next := func(x *worker) (more bool, err error) {
		lock.Lock()
		defer lock.Unlock()
		if left == 0 || ctx.Err() != nil {
			return false, nil
		}
		if err := in.nextHead(); err == io.EOF {
			return false, nil
		} else if err != nil {
			return false, err
		}
		left--
		copy(x.last, in.last)
		x.count = in.count
		x.body, err = in.raw(x.body)
		in.count = 0
		return err == nil, err
	}
	errs := make([]error, len(w.workers))
	w.each(func(k int) {
		x := w.workers[k]
		for {
			more, err := next(x)
			if err == nil && more {
				err = x.expand(ctx, in)
			}
			if err != nil && ctx.Err() == err {
				return // what it holds is left as it is
			}
			if err != nil || !more {
				errs[k] = err
				return
			}
		}
	})
	w.collect()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	whole := ctx.Err() == nil // asked once: what is counted must not be expanded again
	for _, x := range w.workers {
		if whole {
			w.count(x)
		}
		x.tally = tally{}
	}
	if whole {
		w.Blocks += w.group - left
	}
	return nil
}

// count adds what a worker found in a group.
func (w *search) count(x *worker) {
	level := w.Levels - 1
	w.Expanded += x.expanded
	w.Transitions += x.transitions
	w.Rests = w.Rests || x.rests
	for f, n := range x.flagged {
		w.flag(f, level, n, x.least[f])
	}
	if x.refusal != nil && (w.result.Refusal == nil || compare(x.refused, w.refused) < 0) {
		w.result.Refusal, w.refused = x.refusal, x.refused
	}
	if more := len(x.taken) - len(w.Taken); more > 0 {
		w.Taken = append(w.Taken, make([]bool, more)...)
	}
	for k, taken := range x.taken {
		w.Taken[k] = w.Taken[k] || taken
	}
}
