package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// settling returns the line that says what would settle the unknown findings of a result: the
// same command without the budgets that ended it, and what is known about the number of states.
// It is "" if the cause is not a budget but a bound that stays, a full disk, or a value that
// leaves its range, where every exploration ends.
func (f *checkFlags) settling(c *cobra.Command, args []string, r *checker.Result) string {
	compact := r.Space != nil && r.Complete && f.question.Compact
	ended := r.Space == nil || !r.Complete
	unasked := r.Space == nil && f.settle <= 0
	if !(compact || unasked || ended && (r.Space != nil || c.Context().Err() != nil)) {
		return ""
	}
	if f := r.Of(states.InRange); f != nil && f.Verdict == spec.Violated || r.Space != nil && (r.Beyond || r.Full) {
		return ""
	}
	command := commandLine(c, args, "timeout", "max-states", "settle", "memory", "compact", "json", "out")
	if r.Network != nil {
		command += " --max-states 0" // more than settling explores by itself
	}
	if memory := max(8<<30, 2*f.budget.memory); r.Network != nil || f.budget.memory > 0 {
		command += fmt.Sprintf(" --memory %dGiB", memory>>30)
	}
	if r.Verdict() == spec.Violated && !f.question.Whole {
		command += " --whole" // not only up to the violation
	}
	return command + sizes(r.Space)
}

// sizes says what an exploration that was cut short tells about the number of states:
// bounds only, since how fast levels grow says little about when they end. It leaves out
// time, so that the same command prints the same.
func sizes(x *checker.Space) string {
	const tells = 48               // bits; a larger bound would be meaningless
	if x == nil || x.States == 0 { // of which nothing is known yet
		return ""
	}
	if x.Complete {
		return fmt.Sprintf("   (about %s)", words.Plural(int(x.States), "state"))
	}
	parts := []string{fmt.Sprintf("at least %s, %d of them unexplored",
		words.Plural(int(x.States), "state"), x.States-x.Expanded)}
	if x.States == x.Expanded { // as on disk, where those of the next level are not told from each other yet
		parts[0] = "at least " + words.Plural(int(x.States), "state")
	}
	if x.Bits <= tells {
		parts = append(parts, fmt.Sprintf("at most %d", int64(1)<<x.Bits))
	}
	return fmt.Sprintf("   (%s)", strings.Join(parts, "; "))
}
