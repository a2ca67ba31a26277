package page_test

import (
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/page"
	"github.com/seed-105a2da2/unknot/spec/support/goldentest"
)

// The golden files only fix the bytes; what they say is checked in other tests: that ring.html
// shows the one cycle of the ring of three nodes in TestWaitsOfTheRing, that machine.html steps
// from count 0 to 2 in TestPlayerOfARun, that all pages are well formed in
// TestPages.
func TestGolden(t *testing.T) {
	o := page.Options{Command: "unknot check ring.star", Times: []page.Timed{{What: "deciding", Took: 1500 * time.Millisecond}}}
	for name, s := range map[string]*checker.Result{
		"ring.html":    decided(t, ring(t, 3, plain)),
		"machine.html": explored(t, nil, newStuckMachine(), checker.Question{Workers: 1}),
	} {
		goldentest.Compare(t, name, written(t, s, o))
	}
}
