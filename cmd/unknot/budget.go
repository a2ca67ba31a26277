package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/cmd/internal/memory"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/atomicfile"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
	"github.com/seed-105a2da2/unknot/spec/support/pages"
)

// budget is the time and memory that a command may take, from the first byte
// that it reads. Three lines of defence keep it:
//
//   - code that can predict its cost (compiling, exploring) counts and refuses,
//     so that it ends in the same place every time;
//   - everything that takes long checks the context, which ends with the budget;
//     for that, memory is watched as the system counts it;
//   - a process that continues nevertheless is ended, once the files that it is
//     writing are whole.
//
// An interrupt ends the work in the same way.
type budget struct {
	timeout time.Duration
	size    string
	memory  int64      // bytes; 0: no bound but what the computer has to spare
	saving  sync.Mutex // held while checkpoints and evidence are written
}

const durations = "a time such as 30s, 10m or 2h"

// register adds the flags to a command, and enforces the budget while it runs.
func (b *budget) register(c *cobra.Command, std streams) {
	c.Flags().DurationVar(&b.timeout, "timeout", 0,
		"time limit of the whole command, such as 10m; at the limit the answer is unknown (exit 3)")
	c.Flags().StringVar(&b.size, "memory", "",
		"memory limit of the process, such as 8GiB; at the limit the answer is unknown (exit 3); if not given, 7/8 of "+
			"the memory that is free (Linux)")
	command := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := b.settle(); err != nil {
			return err
		}
		ctx, end := b.begin(c.Context(), std)
		defer end()
		c.SetContext(ctx)
		err := command(c, args)
		if used := used(ctx); err != nil && used != nil && errors.Is(err, ctx.Err()) {
			return used // instead of the error of the work
		}
		return several(c, err)
	}
}

// settle reads the flags.
func (b *budget) settle() (err error) {
	if b.timeout < 0 {
		return invalid("timeout", b.timeout, "%s", durations)
	}
	if b.size != "" {
		if b.memory, err = memory.Parse(b.size); err != nil {
			return invalid("memory", b.size, "%v", err)
		}
	}
	return nil
}

// begin returns a context that ends with the budget. Code that checks it then has a
// second or two to report what it has found.
func (b *budget) begin(ctx context.Context, std streams) (context.Context, func()) {
	const patience = time.Second
	late := func(why error, code int) {
		if b.saved() {
			time.Sleep(patience) // to say what was saved, and where
		}
		b.giveUp(why, code, std)
	}
	ctx = context.WithValue(ctx, memoryKey{}, cmp.Or(b.memory, std.spare))
	interrupt := context.AfterFunc(ctx, func() {
		time.AfterFunc(patience, func() { late(errors.New("interrupted"), exitInterrupted) })
	})
	ctx, cancel := context.WithCancelCause(ctx)
	end := func() { interrupt(); cancel(nil) }
	if b.timeout > 0 {
		up := &routing.BudgetError{Time: b.timeout}
		var soft context.CancelFunc
		ctx, soft = context.WithTimeoutCause(ctx, b.timeout, up)
		hard := time.AfterFunc(b.timeout+max(2*time.Second, b.timeout/10), func() { late(up, exitUnknown) })
		before := end
		end = func() {
			soft()
			hard.Stop()
			before()
		}
	}
	if b.memory > 0 {
		if b.memory < pages.LeastBudget {
			pages.Small()
		}
		share := debug.SetGCPercent(20)
		debug.FreeOSMemory() // what heap.Prepare left untouched counts towards the limit until it is given back
		before := end
		end = func() {
			debug.SetGCPercent(share)
			before()
		}
	}
	if up := (&routing.BudgetError{Memory: cmp.Or(b.memory, std.spare), Spare: b.memory == 0}); up.Memory > 0 {
		every := 2 * time.Millisecond
		if up.Spare { // an eighth more is there, and short commands should not pay for looking
			every *= 5
		}
		unbound := memory.Bound(up.Memory, every, func() { cancel(up) }, func() { b.giveUp(up, exitUnknown, std) })
		before := end
		end = func() {
			unbound()
			before()
		}
	}
	return ctx, end
}

// forStates returns how much memory is left for the states of an exploration:
// some of it is for the garbage collector. 0 means no bound.
func (b *budget) forStates() int64 {
	if b.memory == 0 {
		return 0
	}
	debug.FreeOSMemory()
	return max(1, b.memory-memory.Resident()-b.memory/16)
}

type memoryKey struct{}

// memoryOf returns how much memory a command may take, 0 if there is no bound.
func memoryOf(ctx context.Context) int64 {
	memory, _ := ctx.Value(memoryKey{}).(int64)
	return memory
}

// used returns the budget that ended a context, if one did.
func used(ctx context.Context) *routing.BudgetError {
	var up *routing.BudgetError
	errors.As(context.Cause(ctx), &up)
	return up
}

// exitError turns a verdict into the exit code, unless the command was interrupted.
func exitError(ctx context.Context, v spec.Verdict) error {
	if ctx.Err() != nil && used(ctx) == nil {
		return &codeError{code: exitInterrupted}
	}
	return verdictError(v)
}

// giveUp ends the process (that of a test continues). It waits for files being written:
// a run of days is worth a minute, and another one after [budget.saved] has waited in vain.
func (b *budget) giveUp(why error, code int, std streams) {
	if std.exit == nil {
		return
	}
	await(&b.saving, time.Minute)
	fmt.Fprintf(std.err, "unknot: unknown: %v\n", why)
	std.exit(code)
}

// writeFile writes a file as [writeFile] does, unless ctx ends before it is written. The process is not ended
// while there is a temporary file.
func (b *budget) writeFile(ctx context.Context, name string, write func(io.Writer) error) error {
	b.saving.Lock()
	defer b.saving.Unlock()
	return writeFile(ctx, name, func(w io.Writer) error { return write(deadline.Writer(ctx, w)) })
}

// saved waits until files being written are whole, and reports whether they are.
func (b *budget) saved() bool {
	if b.saving.TryLock() {
		b.saving.Unlock()
		return false
	}
	if !await(&b.saving, time.Minute) {
		return false
	}
	b.saving.Unlock()
	return true
}

// await takes the lock, or gives up after the time and reports false; then it leaves the lock to others.
func await(l sync.Locker, most time.Duration) bool {
	taken, left := make(chan struct{}), make(chan struct{})
	go func() {
		l.Lock()
		select {
		case taken <- struct{}{}:
		case <-left:
			l.Unlock()
		}
	}()
	select {
	case <-taken:
		return true
	case <-time.After(most):
		close(left)
		return false
	}
}

// fill has a folder written, also if the command was interrupted before, while an exit waits. If that fails, it leaves
// no folder that it has made.
func (b *budget) fill(ctx context.Context, dir string, write func(context.Context) error) error {
	b.saving.Lock()
	defer b.saving.Unlock()
	unmake, err := atomicfile.MakeFolder(dir)
	if err != nil {
		return err
	}
	if err := write(context.WithoutCancel(ctx)); err != nil {
		unmake()
		return err
	}
	return nil
}
