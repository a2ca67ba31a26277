package states

import "strings"

// Change is a field of the state to which a step gives a new value.
type Change struct{ Field, Before, After string }

// String formats the change: "state[1]: I -> M".
func (c Change) String() string { return c.Field + ": " + c.Before + " -> " + c.After }

// Changes lists what differs between two states, in the order of the layout.
func Changes(l *Layout, before, after []uint64) (all []Change) {
	for _, f := range l.Fields() {
		if f.Of(before) != f.Of(after) {
			all = append(all, Change{f.Name, f.Text(before), f.Text(after)})
		}
	}
	return all
}

// ChangesText formats changes on one line; "-" if there are none.
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
