package worms

import (
	"errors"
	"slices"
	"testing"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// TestTooManySteps: where trying all sets of some size takes too many steps, the next size is
// tried, but after two no more. On a torus of 6x6 without CH six messages block each other, and
// no fewer (see TestSetsOfFew). It is said of no size that was not accepted.
func TestTooManySteps(t *testing.T) {
	e, _ := models.Find("star-channel")
	def, err := e.Define(map[string]string{"k": "6", "ch": "never"})
	if err != nil {
		t.Fatal(err)
	}
	def.Switching = spec.Wormhole
	n, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		tooMany    []int // messages
		size, none int
	}{{nil, 6, 5}, {[]int{3}, 6, 5}, {[]int{5}, 6, 4}, {[]int{4, 5}, 8, 3}, {[]int{3, 4}, 8, 0}, {[]int{5, 6}, 8, 4}} {
		accepted := map[*refutation.Refutation]bool{}
		verify := func(r *refutation.Refutation) error {
			if slices.Contains(tt.tooMany, r.Bound.Most) {
				return errors.New("too many steps")
			}
			err := refutation.Verify(t.Context(), n, r)
			accepted[r] = err == nil
			return err
		}
		found, none, err := ofFew(t.Context(), n, make([]Worm, 8), 7, verify)
		if err != nil || len(found) != tt.size || tt.size < 8 && Check(n, found) != nil {
			t.Errorf("%v: %d messages, %v: want %d", tt.tooMany, len(found), err, tt.size)
		}
		if (none == nil) != (tt.none == 0) || none != nil && (none.Bound.Most != tt.none || !accepted[none]) {
			t.Errorf("%v: %v, accepted: %t; want none of %d", tt.tooMany, none, accepted[none], tt.none)
		}
	}
}
