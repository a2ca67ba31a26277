// Package seedtest, internal to unknot, makes random tests draw the same on every machine, so that
// a clone passes or fails for everybody alike; .ci/hunt draws afresh. Every package whose tests
// draw with rapid calls it:
//
//	func TestMain(m *testing.M) { seedtest.Main(m) }
//
// Slow tests run a sample of their cases or draws, the same for everybody
// (Sampled, Sample, Few), and a few only run in full (InFull); .ci/run runs all of
// them with -every.
package seedtest

import (
	"flag"
	"runtime"
	"strconv"
	"testing"
)

const suiteSeed = "1"

// Main runs the tests of m with the same seed each time, unless -rapid.seed, or
// RAPID_SEED in the environment, names another; with -rapid.seed=0 they draw
// afresh. Garbage is first collected when it fills 64 MiB, as collecting in small heaps
// takes up to a third of the CPU time of a package.
func Main(m *testing.M) {
	room := make([]byte, 64<<20) // never touched, so that it takes no memory, but it counts as live
	Lean(m)
	runtime.KeepAlive(room)
}

// Lean is Main for tests that bound the memory of their own process.
func Lean(m *testing.M) {
	if f := flag.Lookup("rapid.seed"); f != nil && f.Value.String() == "0" { // nil: no test draws
		_ = f.Value.Set(suiteSeed) // a number, so it is accepted; the command line is read later, by m
	}
	m.Run()
}

var every = flag.Bool("every", false, "run whole what the suite takes a sample of, as .ci/run does")

// Whole reports whether nothing is left out.
func Whole() bool { return *every }

// sampling is whether Sample is in force.
var sampling bool

// Usual reports whether tests draw what the suite draws in full, or more from its seed. A test
// that proves something only if it meets certain cases insists on them only then: other draws,
// of Sample, -short or another seed, may miss them.
func Usual() bool {
	return flag.Lookup("rapid.seed").Value.String() == suiteSeed && !testing.Short() && !sampling
}

// InFull skips a test of which a sample would show nothing, unless nothing is left out.
func InFull(t testing.TB) {
	t.Helper()
	if !*every {
		t.Skip("runs in full only, with -every")
	}
}

// Sample makes the rest of a test draw only share percent of its number of draws, unless
// nothing is left out. No other test may draw meanwhile.
func Sample(t testing.TB, share int) {
	t.Helper()
	if *every {
		return
	}
	checks := flag.Lookup("rapid.checks")
	whole := checks.Value.String()
	n, err := strconv.Atoi(whole)
	if err != nil {
		t.Fatal(err)
	}
	_ = checks.Value.Set(strconv.Itoa(max(1, n*share/100)))
	sampling = true
	t.Cleanup(func() {
		_ = checks.Value.Set(whole)
		sampling = false
	})
}

// Sampled reports whether case i of a test is run where the suite runs one in n.
func Sampled(i, n int) bool { return *every || i%n == 0 }

// Few makes f draw only share percent of the usual number, because each draw takes long;
// four times as many with -every. No other test may draw meanwhile.
func Few(share int, f func()) {
	checks := flag.Lookup("rapid.checks")
	usual := checks.Value.String()
	if *every {
		share *= 4
	}
	if n, err := strconv.Atoi(usual); err == nil {
		_ = checks.Value.Set(strconv.Itoa(max(1, n*share/100)))
	}
	defer func() { _ = checks.Value.Set(usual) }()
	f()
}
