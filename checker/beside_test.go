package checker

import (
	"runtime"
	"testing"
)

// TestBeside: with one worker the digest and the checks of evidence run in turn, on the deciding
// goroutine: no other is started. With two they run while the decision continues.
func TestBeside(t *testing.T) {
	alone := decision{explore: Question{Workers: 1}}
	before, within := runtime.NumGoroutine(), 0
	alone.beside(func() { within = runtime.NumGoroutine() })
	if within == 0 || within > before {
		t.Errorf("one worker: %d goroutines, %d before", within, before)
	}
	two := decision{explore: Question{Workers: 2}}
	decided := make(chan bool)
	two.beside(func() { decided <- true }) // ends while the decision continues
	<-decided
	two.checks.Wait()
}
