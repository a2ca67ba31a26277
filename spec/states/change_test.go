package states_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestTold: what changes is listed with the value before; what stays is not.
func TestTold(t *testing.T) {
	var l states.Layout
	a := l.Queue("a", 1, 3, func(v uint64) string { return []string{"I", "S", "M"}[v] }).FieldAt(0)
	b := l.Field("b", 4)
	l.Field("c", 2)
	before := make([]uint64, l.Words())
	after := make([]uint64, l.Words())
	a.Put(after, 2)
	b.Put(before, 3)
	b.Put(after, 1)
	for _, c := range []struct {
		to   []uint64
		want string
	}{{after, "a: I -> M, b: 3 -> 1"}, {before, "-"}} {
		if got := states.ChangesText(states.Changes(&l, before, c.to)); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
