package combining_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/export/enginetest"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestEnginesInvalidate: SPIN and Rumur agree with unknot on the exported programs.
func TestEnginesInvalidate(t *testing.T) {
	byTwo := InvalidateOptions{FanOut: 2, Depth: 1, Homes: []int{0, 1}, Writers: []int{0, 1}, Link: 2, Entries: 1, Overflow: "marked", Variant: "defer"}
	sound := byTwo
	sound.Variant, sound.Link, sound.Travel = "sound", 1, true
	apart := byTwo
	apart.Overflow, apart.Arbiter, apart.Unit, apart.Link = "none", "round-robin", "one-place", 1
	every := map[string]InvalidateOptions{"literal": paper("literal"), "defer, two blocks, marked": byTwo}
	if seedtest.Whole() {
		every["sound, two blocks, interrupts travel"] = sound
		every["defer, round-robin, units with one place"] = apart
	}
	for v, o := range every {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			m, err := invalidation(o)
			if err != nil {
				t.Fatal(err)
			}
			engines(t, m)
		})
	}
}

// engines compares the installed engines with unknot on a program: states, steps, and
// whether an invariant is violated. Without any engine it skips the test, unless CI=true.
func engines(t *testing.T, p *program.Program) {
	t.Helper()
	x := searchedProgram(t, p, checker.Question{Explore: checker.Whole})
	if x == nil {
		return
	}
	want := enginetest.Counts{States: int(x.States), Transitions: int(x.Transitions)}
	for _, v := range p.Invariants {
		if broke(x, v.Name) {
			want.Broken = enginetest.Some
		}
	}
	enginetest.Compare(t, p, want)
}
