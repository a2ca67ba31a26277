package spec_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec"
)

// TestNamesOfVerdicts: properties and verdicts are read by the names that they are written by, and by no other.
func TestNamesOfVerdicts(t *testing.T) {
	for _, p := range []spec.Property{spec.DeadlockFreedom, spec.LivelockFreedom, spec.Delivery} {
		if got, ok := spec.ParseProperty(p.String()); got != p || !ok {
			t.Errorf("%s is read as %s, %t", p, got, ok)
		}
	}
	for _, v := range []spec.Verdict{spec.Unknown, spec.Holds, spec.Violated} {
		if got, ok := spec.ParseVerdict(v.String()); got != v || !ok {
			t.Errorf("%s is read as %s, %t", v, got, ok)
		}
	}
	for _, name := range []string{"", "Deadlock", "HOLDS", "holds ", "peace", "property(?)", "verdict(?)"} {
		if p, ok := spec.ParseProperty(name); ok {
			t.Errorf("%q is read as the property %s", name, p)
		}
		if v, ok := spec.ParseVerdict(name); ok {
			t.Errorf("%q is read as the verdict %s", name, v)
		}
	}
}
