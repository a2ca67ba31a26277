package explain

import (
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// StepText writes what the step to a successor, given by its number, changes, and which messages it loses.
func StepText(m states.Machine, before, after []uint64, choice int) string {
	text := states.ChangesText(states.Changes(m.Layout(), before, after))
	pm, ok := m.(interface {
		programMachine
		RuleOf(s []uint64, i int) int
	})
	if !ok || star.SourceOf(pm.Program()) == nil {
		return text
	}
	_, transfers := star.SourceOf(pm.Program()).Step(pm.RuleOf(before, choice), pm.Values(before))
	for _, t := range transfers {
		if t.Sent && t.Copies == 0 {
			lost := t.FIFO + ": " + t.Text + " is lost"
			if text == "-" {
				text = lost
			} else {
				text += ", " + lost
			}
		}
	}
	return text
}
