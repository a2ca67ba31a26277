package external

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/statespace"
)

// walk is the state of one call of Explore.
type walk struct {
	m      statespace.Machine
	kinds  statespace.Kinds // the machine, if it reports kinds
	opt    statespace.Options
	tuning tuning
	shelf  *shelf
	words  int
	group  int // blocks of a level between two checks of what was found
	state
	whole state // the state when the level began

	workers []*worker
	most    int // runs of successors merged at a time
	refused []uint64
	result  statespace.Result
	began   time.Time
	told    time.Time
	saved   time.Time
}

const (
	usualMemory = 1 << 30
	leastMemory = 4 << 20
	mostRuns    = 16      // of visited states
	perRun      = 3 << 16 // bytes to read one; more for states of very many words
	mostGarbage = 256 << 20
	mostRetired = 128
	group       = 32 // blocks of a level between two checks of what was found, at most
)

var errNoStart = errors.New("the machine has no initial state")

func explore(ctx context.Context, m statespace.Machine, dir string, opt statespace.Options, t tuning) (*Space, *statespace.Result, error) {
	w := &walk{m: m, opt: opt, tuning: t, words: m.Layout().Words(), began: time.Now()}
	w.opt.Workers = max(1, opt.Workers)
	if opt.Judge != nil {
		w.kinds = m.(statespace.Kinds)
	}
	var err error
	if w.shelf, err = openShelf(dir, w.words); err != nil {
		return nil, nil, err
	}
	w.shelf.asked, w.group = t.write, group
	if opt.MaxStates > 0 { // successors found between two checks exceed the bound
		w.shelf.most = uint32(min(max(16, opt.MaxStates/1000), blockWords))
		w.group = int(max(1, min(group, opt.MaxStates/200/min(int64(w.shelf.most), max(1, int64(blockWords/w.words))))))
	}
	if t.runs == 0 {
		w.tuning.runs = mostRuns
	}
	w.saved = w.began
	space := &Space{w: w}
	err = w.begin(ctx)
	if err == nil && w.result.Reason == statespace.Complete {
		err = w.run(ctx)
	}
	for _, x := range w.workers {
		w.result.Peak += int64(x.most) * 8
		statespace.Free(x.states)
		x.states = nil
	}
	var full *diskError
	if errors.As(err, &full) {
		w.result.Reason, w.result.Full, err = statespace.OutOfDisk, full.Error(), nil
		w.retreat()
	}
	if err != nil {
		w.shelf.close(true)
		return nil, nil, err
	}
	w.measure()
	w.result.Visited, w.result.Disk = "disk", w.shelf.peak
	return space, &w.result, nil
}

// begin starts from the initial states, or continues from what the folder holds.
func (w *walk) begin(ctx context.Context) error {
	was, err := w.shelf.restore(w.opt.Checkpoint.Identity)
	if err != nil {
		return err
	}
	if was != nil {
		w.state = *was
	}
	memory := w.opt.Memory
	if memory == 0 {
		memory = usualMemory
	}
	buffer := w.tuning.buffer
	if buffer == 0 {
		if memory < leastMemory {
			w.result.Reason = statespace.OutOfMemory
			return nil
		}
		buffer = int(memory * 5 / 8 / 8 / int64(w.opt.Workers))
	}
	w.most = max(4, int(memory/8/perRun))
	for range w.opt.Workers {
		w.workers = append(w.workers, newWorker(w, max(buffer/w.words*w.words, w.words)))
	}
	if was != nil {
		return w.interrupted(ctx, w.audit(ctx))
	}
	start := w.m.Start(nil)
	sortStates(start, w.words)
	start, _ = distinct(start, w.words)
	if len(start) == 0 {
		w.shelf.close(false)
		return errNoStart
	}
	out, err := w.shelf.writer(0)
	if err == nil {
		err = out.write(start)
	}
	if err != nil {
		return err
	}
	r, err := out.close()
	if err != nil {
		return err
	}
	w.Visited, w.Levels, w.Widest, w.States, w.Fresh = []run{r}, 1, r.States, r.States, 1
	return w.interrupted(ctx, w.save(ctx))
}

func (w *walk) run(ctx context.Context) error {
	for {
		w.whole = w.state.clone()
		if w.opt.MaxStates > 0 && w.States+w.New >= w.opt.MaxStates && w.Expanded < w.States {
			w.result.Reason = statespace.OutOfStates
			return w.keep(ctx)
		}
		if len(w.Left) > 0 {
			if err := w.takeBack(ctx); err != nil {
				return w.asBefore(ctx, err)
			}
		}
		if done, err := w.expand(ctx); done || err != nil {
			return w.interrupted(ctx, err)
		}
		more, err := w.merge(ctx)
		if err != nil {
			return w.interrupted(ctx, err)
		}
		if !more {
			return w.interrupted(ctx, w.audit(ctx))
		}
		w.whole = w.state.clone()
		if err := w.gather(ctx); err != nil {
			return w.interrupted(ctx, err)
		}
		w.tell()
		if w.due() {
			if err := w.save(ctx); err != nil {
				return w.interrupted(ctx, err)
			}
		}
	}
}

// interrupted turns the error of an ended context into an interruption.
func (w *walk) interrupted(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	w.result.Reason = statespace.Interrupted
	return w.leave()
}

// asBefore is interrupted, for operations that leave unchanged what was saved.
func (w *walk) asBefore(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	w.result.Reason = statespace.Interrupted
	w.state = w.whole
	return nil
}

// each runs f for every worker, in parallel.
func (w *walk) each(f func(k int)) {
	if len(w.workers) == 1 {
		f(0)
		return
	}
	var wg sync.WaitGroup
	for k := range w.workers {
		wg.Go(func() { f(k) })
	}
	wg.Wait()
}

// keep saves all that was found, so that the walk can continue, and syncs it to disk.
// Once ctx ends, it saves in the quickest way.
func (w *walk) keep(ctx context.Context) error {
	err := w.spill(ctx)
	if err == nil {
		err = w.shelf.settle(ctx, &w.state)
	}
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return w.leave()
	}
	if err != nil {
		return err
	}
	defer w.saving()()
	w.saved = time.Now()
	if err := w.shelf.commit(w.opt.Checkpoint.Identity, &w.state, true); err != nil {
		return err
	}
	w.whole = w.state.clone() // what the level began with may be gone
	return nil
}

// saving holds the lock of Saving, and returns the function that releases it.
func (w *walk) saving() (done func()) {
	l := w.opt.Checkpoint.Saving
	if l == nil {
		return func() {}
	}
	l.Lock()
	return l.Unlock
}

// due reports whether it is time to save the walk.
func (w *walk) due() bool {
	every := w.opt.Checkpoint.Every
	return every > 0 && time.Since(w.saved) > every || w.shelf.garbage() > mostGarbage || len(w.shelf.retired) > mostRetired
}

// save saves the walk between two levels.
func (w *walk) save(ctx context.Context) error {
	every := w.opt.Checkpoint.Every
	lasting := every > 0 && time.Since(w.saved) > every
	if lasting {
		if err := w.shelf.settle(ctx, &w.state); err != nil {
			return err
		}
		w.saved = time.Now()
	}
	defer w.saving()()
	return w.shelf.commit(w.opt.Checkpoint.Identity, &w.state, lasting)
}

// retreat saves the walk as it was when the level began, if there is no more room for
// successors: the room they took suffices for a manifest. If not, the previous one stays.
func (w *walk) retreat() {
	if len(w.whole.Visited) == 0 {
		return
	}
	defer w.saving()()
	w.shelf.retired = nil // some are named again
	w.shelf.name(&w.whole)
	w.shelf.sweep()
	if w.opt.Checkpoint.Every > 0 {
		_ = w.shelf.settle(context.Background(), &w.whole)
	}
	_ = w.shelf.commit(w.opt.Checkpoint.Identity, &w.whole, w.opt.Checkpoint.Every > 0)
}

// measure updates the result.
func (w *walk) measure() {
	r := &w.result
	r.States, r.Expanded, r.Transitions = w.States+w.New, w.Expanded, w.Transitions
	r.Levels, r.Widest, r.Flagged, r.Taken = w.Levels, w.Widest, w.Flagged, w.Taken
	for f := range r.First {
		r.First[f] = statespace.ID(f)
	}
	r.RefusedAt = refusedAt
}

func (w *walk) tell() {
	const rest = 200 * time.Millisecond
	if w.opt.Progress == nil || time.Since(w.told) < rest {
		return
	}
	w.told = time.Now()
	memory := int64(0)
	for _, x := range w.workers {
		memory += int64(len(x.states)) * 8
	}
	w.opt.Progress(statespace.Progress{
		States: w.States + w.New, Transitions: w.Transitions, Level: w.Levels - 1, Frontier: w.States + w.New - w.Expanded,
		Memory: memory, Budget: w.opt.Memory, MaxStates: w.opt.MaxStates, Elapsed: time.Since(w.began),
	})
}
