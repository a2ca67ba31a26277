package disk

import (
	"context"
	"sync"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// search is the state of one call of Explore.
type search struct {
	m      walk.Machine
	kinds  walk.Kinds // the machine, if it reports kinds
	opt    walk.Options
	tuning tuning
	shelf  *shelf
	words  int
	group  int // blocks of a level between two checks of what was found
	state
	whole state // the state when the level began

	workers []*worker
	most    int // runs of successors merged at a time
	refused []uint64
	result  walk.Result
	began   time.Time
	told    time.Time
	saved   time.Time
}

// worker expands blocks, and holds their successors.
type worker struct {
	w      *search
	states []uint64 // successors, up to its capacity
	most   int      // largest use of memory, in words
	inRow  bool     // the states ascend, without duplicates
	recent []uint64 // states that were sent, each at its hash
	tally

	sent, dropped int64
	found, left   []run

	body  []byte // of the block
	count int
	last  []uint64
	level []uint64 // its states
	next  []uint64
	steps []uint32 // kinds of steps
	taken []bool   // kinds
}

// tally is what a worker found in a group.
type tally struct {
	expanded, transitions int64
	flagged               [walk.FlagBits]int64
	least                 [walk.FlagBits][]uint64
	rests                 bool // some state has successors, of which none is another state; only with Options.Leaves
	refusal               error
	refused               []uint64
}

// tuning is what tests change.
type tuning struct {
	// words of successors that a worker collects; 0: derived from Options.Memory
	buffer int
	runs   int                                // of visited states, at most; 0: mostRuns
	write  func(name string, bytes int) error // called before each write; may be nil
	meddle func(*state)                       // called with the state at the start of each merge; may be nil
}

const (
	usualMemory = 1 << 30
	leastMemory = 4 << 20
	mostRuns    = 16      // of visited states
	perRun      = 4 << 16 // bytes to read one, and to merge it; more for states of very many words
	mostGarbage = 256 << 20
	mostRetired = 128
	group       = 32 // blocks of a level between two checks of what was found, at most
)

// each runs f for every worker, in parallel.
func (w *search) each(f func(k int)) {
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

// saving holds the lock of Saving, and returns the function that releases it.
func (w *search) saving() (done func()) {
	l := w.opt.Checkpoint.Saving
	if l == nil {
		return func() {}
	}
	l.Lock()
	return l.Unlock
}

// due reports whether it is time to save the walk.
func (w *search) due() bool {
	every := w.opt.Checkpoint.Every
	return every > 0 && time.Since(w.saved) > every || w.shelf.garbage() > mostGarbage ||
		len(w.shelf.retired) > mostRetired
}

// save saves the walk between two levels.
func (w *search) save(ctx context.Context) error {
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
func (w *search) retreat() {
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
func (w *search) measure() {
	r := &w.result
	r.States, r.Expanded, r.Transitions = w.States+w.New, w.Expanded, w.Transitions
	r.Levels, r.Widest, r.Flagged, r.Taken = w.Levels, w.Widest, w.Flagged, w.Taken
	for f := range r.First {
		r.First[f] = walk.ID(f)
	}
	r.RefusedAt, r.Leaves = refusedAt, w.opt.Leaves && !w.Rests
	r.Uncompared = w.Transitions > w.Counted && (r.Reason == walk.Found || r.Reason == walk.Refused)
}

func (w *search) tell() {
	const rest = 200 * time.Millisecond
	if w.opt.Progress == nil || time.Since(w.told) < rest {
		return
	}
	w.told = time.Now()
	memory := int64(0)
	for _, x := range w.workers {
		memory += int64(len(x.states)) * 8
	}
	w.opt.Progress(states.Progress{
		States: w.States + w.New, Transitions: w.Transitions, Level: w.Levels - 1,
		Frontier: w.States + w.New - w.Expanded,
		Memory:   memory, Budget: w.opt.Memory, MaxStates: w.opt.MaxStates, Elapsed: time.Since(w.began),
	})
}

const refusedAt = walk.ID(walk.FlagBits)
