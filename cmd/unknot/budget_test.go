package main

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/spec/routing"
)

// TestHardStopWaitsForASave: the process is not ended while a checkpoint is being
// saved; without one it is ended at once.
func TestHardStopWaitsForASave(t *testing.T) {
	b := &budget{timeout: time.Second}
	opt, err := (&exploreFlags{within: b, notion: "local"}).exploreQuestion(newMeter(streams{err: new(bytes.Buffer)}))
	if err != nil {
		t.Fatal(err)
	}
	stop := func() <-chan int {
		ended := make(chan int, 1)
		std := streams{err: new(bytes.Buffer), exit: func(code int) { ended <- code }}
		go b.giveUp(&routing.BudgetError{Time: b.timeout}, exitUnknown, std)
		return ended
	}
	opt.Saves.Lock() // as an exploration does
	ended := stop()
	select {
	case <-ended:
		t.Error("ended during a save")
	case <-time.After(50 * time.Millisecond):
	}
	opt.Saves.Unlock()
	if code := <-ended; code != exitUnknown {
		t.Errorf("exit code %d, want %d", code, exitUnknown)
	}
	// The code that has ended the process keeps the lock: no save begins that it would cut off.
	if b.saving.TryLock() {
		t.Error("another save could begin")
	}
	b = &budget{timeout: time.Second}
	if code := <-stop(); code != exitUnknown {
		t.Errorf("without a save: exit code %d, want %d", code, exitUnknown)
	}
}

// TestSaved: a save that an interrupt meets is waited for, and then there is something to tell.
func TestSaved(t *testing.T) {
	var b budget
	if b.saved() {
		t.Error("nothing is being saved")
	}
	b.saving.Lock()
	saved := make(chan bool)
	go func() { saved <- b.saved() }()
	select {
	case <-saved:
		t.Error("it did not wait")
	case <-time.After(50 * time.Millisecond):
	}
	b.saving.Unlock()
	if !<-saved || !b.saving.TryLock() {
		t.Error("it was not saved, or nothing else can be")
	}
}

// TestHardStopIsBounded: a save that does not end is not waited for longer than said, and who gave up waiting does not
// take the lock when it ends: a second wait then went on for its whole time.
func TestHardStopIsBounded(t *testing.T) {
	var held sync.Mutex
	held.Lock()
	if await(&held, time.Millisecond) {
		t.Error("a lock that is held was taken")
	}
	held.Unlock()
	if !await(&held, time.Minute) {
		t.Error("who gave up took the lock")
	}
}

// TestHardEnd: work that does not heed its context is told to end when the time is up,
// and ended two seconds or a tenth of the time later; an interrupt ends it in one
// second. What ends by itself before is left alone.
func TestHardEnd(t *testing.T) {
	const never = 0
	for _, tt := range []struct {
		name                      string
		timeout, interrupt, works time.Duration
		told, ended               time.Duration
		code                      int
		says                      string
	}{
		{"a short time", 500 * time.Millisecond, never, time.Hour, 500 * time.Millisecond, 2500 * time.Millisecond,
			exitUnknown, "unknot: unknown: the time is up"},
		{"a long time", 10 * time.Minute, never, time.Hour, 10 * time.Minute, 11 * time.Minute, exitUnknown, "unknot: unknown: the time is up"},
		{"an interrupt", never, 3 * time.Second, time.Hour, 3 * time.Second, 4 * time.Second, exitInterrupted, "interrupted"},
		{"an interrupt within the time", time.Minute, 3 * time.Second, time.Hour, 3 * time.Second, 4 * time.Second, exitInterrupted, "interrupted"},
		{"in time", time.Second, never, 900 * time.Millisecond, never, never, -1, ""},
		{"within the two seconds", time.Second, never, 2900 * time.Millisecond, time.Second, never, -1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // its clock runs only while all wait
				began := time.Now()
				var errs bytes.Buffer
				code, ended := -1, time.Duration(never)
				done := make(chan struct{})
				std := streams{err: &errs, exit: func(c int) {
					if code < 0 { // a process ends only once
						code, ended = c, time.Since(began)
						close(done)
					}
				}}
				parent, interrupt := context.WithCancel(t.Context())
				defer interrupt()
				if tt.interrupt != never {
					time.AfterFunc(tt.interrupt, interrupt)
				}
				told := time.Duration(never)
				ctx, end := (&budget{timeout: tt.timeout}).begin(parent, std)
				context.AfterFunc(ctx, func() { told = time.Since(began) })
				select {
				case <-time.After(tt.works):
				case <-done:
				}
				synctest.Wait()
				if told != tt.told {
					t.Errorf("told after %s, want %s", told, tt.told)
				}
				end()
				time.Sleep(time.Hour)
				if code != tt.code || ended != tt.ended || !strings.Contains(errs.String(), tt.says) {
					t.Errorf("exit %d after %s, want %d after %s\n%s", code, ended, tt.code, tt.ended, &errs)
				}
			})
		})
	}
}

// TestBudgetTellsItsEnd: work in stages can see when the time will be up, and
// keep some of it for the last (--smallest: the trace to what it has found).
func TestBudgetTellsItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		std := streams{err: new(bytes.Buffer), exit: func(code int) { t.Errorf("exit %d", code) }}
		b := &budget{timeout: time.Hour}
		ctx, end := b.begin(t.Context(), std)
		defer end()
		if at, bounded := ctx.Deadline(); !bounded || time.Until(at) != time.Hour {
			t.Errorf("the deadline is %v, %v", at, bounded)
		}
		<-ctx.Done()
		var up *routing.BudgetError
		if !errors.As(context.Cause(ctx), &up) || up.Time != time.Hour {
			t.Errorf("ended by %v", context.Cause(ctx))
		}
	})
}

// TestEveryCommandHasABudget: every command that reads a file or computes takes --timeout and --memory; the others only
// print what the program holds.
func TestEveryCommandHasABudget(t *testing.T) {
	root := &cobra.Command{}
	addCommands(root, nil, streams{})
	prints := []string{"help", "completion", "man", "stubs"}
	checked := 0
	for _, c := range root.Commands() {
		if slices.Contains(prints, c.Name()) {
			continue
		}
		for _, of := range append(c.Commands(), c) {
			checked++
			for _, flag := range []string{"timeout", "memory"} {
				if of.Flags().Lookup(flag) == nil {
					t.Errorf("%s has no --%s", of.CommandPath(), flag)
				}
			}
		}
	}
	if checked < 16 {
		t.Errorf("%d commands, want 16 or more", checked)
	}
}

// TestTimeOfExploreAndModels: the two commands that had no limit end with their time.
func TestTimeOfExploreAndModels(t *testing.T) {
	for _, args := range [][]string{{"explore", "ring"}, {"models", "--claims"}} {
		code, _, errs := unknot(t, append(args, "--timeout", "300ms")...)
		if code != exitUnknown || !strings.HasSuffix(errs, "the time is up, 300ms\n") {
			t.Errorf("%v: exit %d, %s", args, code, errs)
		}
	}
}
