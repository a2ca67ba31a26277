package statespace

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// refusing is a counter that refuses to step where all digits are 1, or else halts there. What
// it refuses it has begun to append.
type refusing struct {
	*maze
	halts bool
}

var errRefused = errors.New("refused")

func (m *refusing) Next(dst, s []uint64) ([]uint64, error) {
	dst, _, err := m.Steps(dst, nil, s)
	return dst, err
}

func (m *refusing) Steps(dst []uint64, kinds []uint32, s []uint64) ([]uint64, []uint32, error) {
	for _, f := range m.fields {
		if f.Of(s) != 1 {
			before := len(dst)
			dst, _ = m.maze.Next(dst, s)
			for i := range (len(dst) - before) / len(s) {
				kinds = append(kinds, uint32(i+1))
			}
			return dst, kinds, nil
		}
	}
	if m.halts {
		return dst, kinds, nil
	}
	return append(dst, s...), append(kinds, 1), errRefused
}

// TestRefusedBeside: where a machine refuses to step, the states beside are expanded as they are
// where it has no steps, in every form, and the refused one is told.
func TestRefusedBeside(t *testing.T) {
	for _, gaps := range [][]uint64{nil, {1 << 40}, {1 << 60, 1 << 60, 1 << 60}} {
		for _, judged := range []bool{false, true} {
			var states, steps int64
			for _, halts := range []bool{true, false} {
				m := &refusing{counter(4, 3), halts}
				for i, gap := range gaps {
					m.layout.Field(fmt.Sprint("gap ", i), gap)
				}
				opt := Options{Workers: 2}
				if judged {
					opt.Judge = func([]uint64, uint32) Flags { return 0 }
				}
				space, r, err := Explore(t.Context(), m, opt)
				if err != nil {
					t.Fatal(err)
				}
				if halts { // what is found up to the round of that state, by levels of its digits' sum
					states, steps = r.States, r.Transitions
				} else {
					want := []uint64{1, 1, 1, 1}
					var got []uint64
					for _, f := range m.fields {
						got = append(got, f.Of(space.State(nil, r.RefusedAt)))
					}
					if diff := cmp.Diff(want, got); diff != "" || r.Reason != Refused || !errors.Is(r.Refusal, errRefused) {
						t.Errorf("%v: reason %v, refusal %v (-want +got):\n%s", gaps, r.Reason, r.Refusal, diff)
					}
					// Level 4 has 19 states: 4 steps each from those that have no digit at its end.
					if r.States > states || r.Transitions > steps || r.Levels != 5 || r.Expanded != 1+4+10+16+19 {
						t.Errorf("%v: %d states, %d expanded in %d levels, %d steps; of %d and %d", gaps, r.States, r.Expanded, r.Levels, r.Transitions, states, steps)
					}
					// Sums 0 to 5 of four digits of 3 values: 1, 4, 10, 16, 19, 16. Without the
					// refused state each of sum 5 is found by others.
					if r.States != 1+4+10+16+19+16 {
						t.Errorf("%v: %d states", gaps, r.States)
					}
				}
				space.Release()
			}
		}
	}
}
