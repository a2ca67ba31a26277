package main

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/spec/routing"
)

// TestHardStopWaitsForASave: the process is not ended while a checkpoint is being
// saved; without one it is ended at once.
func TestHardStopWaitsForASave(t *testing.T) {
	b := &budget{timeout: time.Second}
	opt, err := (&exploreFlags{within: b, notion: "local"}).exploreOptions(newMeter(streams{err: new(bytes.Buffer)}))
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
	// Whoever has ended the process keeps the lock: no save begins that it cuts.
	if b.saving.TryLock() {
		t.Error("another save could begin")
	}
	b = &budget{timeout: time.Second}
	if code := <-stop(); code != exitUnknown {
		t.Errorf("without a save: exit code %d, want %d", code, exitUnknown)
	}
}

// TestHardStopIsBounded: a save that does not end is not waited for longer than said.
func TestHardStopIsBounded(t *testing.T) {
	var held sync.Mutex
	held.Lock()
	await(&held, time.Millisecond)
}
