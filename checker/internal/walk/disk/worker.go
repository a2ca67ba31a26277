package disk

import (
	"context"
	"errors"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
)

const recentBits = 15

func newWorker(w *search, buffer int) *worker {
	x := &worker{w: w, states: walk.Allocate(buffer)[:0], last: make([]uint64, w.words)}
	x.recent = make([]uint64, w.words<<recentBits)
	x.recent[w.words-1] = 1 // a state in the wrong place, so that state 0 is not taken for sent
	return x
}

// expand expands the block that was read.
func (x *worker) expand(ctx context.Context, in *cursor) (err error) {
	words := x.w.words
	if x.level, err = in.decode(x.level[:0], x.body, x.count, x.last); err != nil {
		return err
	}
	const often = 64
	for n, left := 0, x.level; len(left) > 0; n, left = n+1, left[words:] {
		if n%often == 0 && ctx.Err() != nil {
			return nil
		}
		x.visit(left[:words])
		if err := x.send(ctx, left[:words]); err != nil {
			return err
		}
	}
	return nil
}

// visit finds the successors of a state, and records what it finds there.
func (x *worker) visit(s []uint64) {
	refusal := x.step(s)
	successors := len(x.next) / x.w.words
	if refusal != nil {
		if x.refusal == nil || compare(s, x.refused) < 0 {
			x.refusal, x.refused = refusal, append([]uint64(nil), s...)
		}
		x.next, successors = x.next[:0], 1
	}
	if x.w.opt.Leaves && refusal == nil && successors > 0 && !x.rests {
		x.rests = !walk.Leaves(x.next, s)
	}
	x.expanded++
	x.transitions += int64(len(x.next) / x.w.words)
	var flags walk.Flags
	if x.w.opt.Inspect != nil {
		flags = x.w.opt.Inspect(s, successors)
	}
	if x.w.opt.Judge != nil {
		flags |= x.w.opt.Judge(s, 0)
	}
	if flags != 0 {
		x.flag(flags, s)
	}
}

// step finds the successors of a state.
func (x *worker) step(s []uint64) (err error) {
	if x.w.kinds == nil {
		x.next, err = x.w.m.AppendSuccessors(x.next[:0], s)
		return err
	}
	x.next, x.steps, err = x.w.kinds.Steps(x.next[:0], x.steps[:0], s)
	for _, k := range x.steps {
		if more := int(k) + 1 - len(x.taken); more > 0 {
			x.taken = append(x.taken, make([]bool, more)...)
		}
		x.taken[k] = true
	}
	return err
}

func (x *worker) flag(flags walk.Flags, s []uint64) {
	for f := range walk.FlagBits {
		if flags&(1<<f) == 0 {
			continue
		}
		if x.flagged[f]++; x.least[f] == nil || compare(s, x.least[f]) < 0 {
			x.least[f] = append(x.least[f][:0], s...)
		}
	}
}

// send takes over the successors of a state, except the state itself and those that were sent recently.
func (x *worker) send(ctx context.Context, from []uint64) error {
	words := x.w.words
	for next := x.next; len(next) > 0; next = next[words:] {
		s := next[:words]
		if compare(s, from) == 0 {
			continue
		}
		place := x.recent[int(hashOf(s)>>(64-recentBits))*words:][:words]
		if compare(s, place) == 0 {
			continue
		}
		copy(place, s)
		if err := x.hold(ctx, s); err != nil {
			return err
		}
		x.sent++
	}
	return nil
}

// hold adds a state to those that the worker holds.
func (x *worker) hold(ctx context.Context, s []uint64) error {
	if len(x.states)+len(s) > cap(x.states) {
		if err := x.spill(ctx); err != nil {
			return err
		}
	}
	x.states = append(x.states, s...)
	x.inRow = false
	return nil
}

// sort sorts the states that the worker holds and drops duplicates. If ctx ends first,
// they are left in some order.
func (x *worker) sort(ctx context.Context) error {
	if x.inRow {
		return nil
	}
	x.most = max(x.most, len(x.states))
	if !sortStatesUntil(func() bool { return ctx.Err() != nil }, x.states, x.w.words) {
		return ctx.Err()
	}
	var dropped int64
	x.states, dropped = distinct(x.states, x.w.words)
	x.dropped += dropped
	x.inRow = true
	return nil
}

// spill writes the states that the worker holds into a run. If ctx ends first, the worker still
// holds them.
func (x *worker) spill(ctx context.Context) error {
	if err := x.sort(ctx); err != nil || len(x.states) == 0 {
		return err
	}
	out, err := x.w.shelf.writer(x.w.Levels)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(x.states, 16*max(1, blockWords/x.w.words)*x.w.words) {
		if err = ctx.Err(); err == nil {
			err = out.write(part)
		}
		if err != nil {
			out.discard()
			return err
		}
	}
	r, err := out.close()
	if err != nil {
		return err
	}
	x.found = append(x.found, r)
	x.states = x.states[:0]
	return nil
}

// collect takes over what the workers sent and wrote.
func (w *search) collect() {
	for _, x := range w.workers {
		w.Sent, w.Dropped = w.Sent+x.sent, w.Dropped+x.dropped
		w.Found = append(w.Found, x.found...)
		x.sent, x.dropped, x.found = 0, 0, nil
	}
}

// spill writes what the workers hold into runs, unless ctx ends.
func (w *search) spill(ctx context.Context) error {
	errs := make([]error, len(w.workers))
	w.each(func(k int) { errs[k] = w.workers[k].spill(ctx) })
	w.collect()
	return errors.Join(errs...)
}
