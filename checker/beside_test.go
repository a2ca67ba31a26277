package checker

import (
	"runtime"
	"testing"
)

// TestBeside: with one worker the digest and the checks of evidence run in turn, on the deciding
// goroutine: no other is started. With two they run while the decision continues.
func TestBeside(t *testing.T) {
	alone := verification{inTurn: true}
	before, within := runtime.NumGoroutine(), 0
	alone.spawn(func() { within = runtime.NumGoroutine() })
	if within == 0 || within > before {
		t.Errorf("one worker: %d goroutines, %d before", within, before)
	}
	two := verification{}
	decided := make(chan bool)
	two.spawn(func() { decided <- true }) // ends while the decision continues
	<-decided
	two.checks.Wait()
}
