package walk

import "github.com/seed-105a2da2/unknot/spec/states"

// StateCheck recognises the words that are a state of a layout.
type StateCheck struct {
	used  []uint64       // by word: the bits of fields
	short []states.Field // fields with fewer values than their bits allow
}

// NewStateCheck returns the check of a layout.
func NewStateCheck(l *states.Layout) *StateCheck {
	c := &StateCheck{used: make([]uint64, l.Words())}
	for _, f := range l.Fields() {
		word, shift, mask := f.Place()
		c.used[word] |= mask << shift
		if f.Values-1 != mask {
			c.short = append(c.short, f)
		}
	}
	return c
}

// Holds reports whether the words are a state.
func (c *StateCheck) Holds(s []uint64) bool {
	for i, used := range c.used {
		if s[i]&^used != 0 {
			return false
		}
	}
	for _, f := range c.short {
		if f.Of(s) >= f.Values {
			return false
		}
	}
	return true
}
