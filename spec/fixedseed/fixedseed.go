// Package fixedseed makes drawn tests draw the same on every machine: a clone
// passes or fails for everybody alike, and .ci/hunt is what draws afresh. Every
// package whose tests draw with rapid calls it:
//
//	func TestMain(m *testing.M) { fixedseed.Main(m) }
package fixedseed

import (
	"flag"
	"strconv"
	"testing"
)

// Main runs the tests of m with the same seed each time, unless -rapid.seed, or
// RAPID_SEED in the environment, names another; with -rapid.seed=0 they draw
// afresh.
func Main(m *testing.M) {
	if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" {
		_ = f.Value.Set("1") // a number, so it is accepted; the command line is read later, by m
	}
	m.Run()
}

// Few draws an eighth as often as usual while f runs: each draw of it takes long, as
// a protocol's file is compiled for each. No other test may draw meanwhile.
func Few(f func()) {
	checks := flag.Lookup("rapid.checks")
	usual := checks.Value.String()
	if n, err := strconv.Atoi(usual); err == nil {
		_ = checks.Value.Set(strconv.Itoa(max(1, n/8)))
	}
	defer func() { _ = checks.Value.Set(usual) }()
	f()
}
