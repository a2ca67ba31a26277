package routing

import "github.com/seed-105a2da2/unknot/spec"

// ParseSwitching reads the name of a switching mode, or one of the short forms saf,
// vct and wh.
func ParseSwitching(s string) (spec.Switching, bool) {
	for i, short := range []string{"saf", "vct", "wh"} {
		if s == short {
			return spec.Switching(i), true
		}
	}
	return spec.ParseSwitching(s)
}
