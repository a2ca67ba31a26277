package explain

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
)

// Text says what evidence is, and how it was checked; "" without any.
func Text(e evidence.Evidence) string {
	switch e := e.(type) {
	case nil:
		return ""
	case evidence.Certificate:
		return fmt.Sprintf("%s certificate, verified", e.Certificate.Kind)
	case evidence.Trace:
		return fmt.Sprintf("trace of %s from the empty network, replayed", Plural(len(e.Moves), "move"))
	case evidence.Run:
		return fmt.Sprintf("run of %s, replayed", Plural(len(e.Steps), "step"))
	case evidence.Count:
		return fmt.Sprintf("count of %d states and %d transitions with a digest; unknot-verify --recount or another engine (unknot export) reproduces it", e.States, e.Transitions)
	}
	return e.Shown().By + ", verified"
}

// Plural counts things: "1 step", "2 steps".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
