package explain

import (
	"strings"

	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Change is a field of the state to which a step gives a new value.
type Change struct{ Field, Before, After string }

// String writes the change for people: "state[1]: I -> M".
func (c Change) String() string { return c.Field + ": " + c.Before + " -> " + c.After }

// Changes lists what differs between two states, in the order of the layout.
func Changes(l *states.Layout, before, after []uint64) (all []Change) {
	for _, f := range l.Fields() {
		if f.Of(before) != f.Of(after) {
			all = append(all, Change{f.Name, f.Text(before), f.Text(after)})
		}
	}
	return all
}

// ChangesText writes changes for people, on one line; "-" without changes.
func ChangesText(changes []Change) string {
	if len(changes) == 0 {
		return "-"
	}
	parts := make([]string, len(changes))
	for i, c := range changes {
		parts[i] = c.String()
	}
	return strings.Join(parts, ", ")
}

// StepText writes what the step to a successor, given by its number, changes, and which messages it loses.
func StepText(m states.Machine, before, after []uint64, choice int) string {
	text := ChangesText(Changes(m.Layout(), before, after))
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
