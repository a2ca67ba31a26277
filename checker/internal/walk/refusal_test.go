package walk

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// refusing is a counter that refuses to step where all digits are 1, or instead halts there. When
// it refuses, it has begun to append.
type refusing struct {
	*maze
	halts bool
}

var errRefused = errors.New("refused")

func (m *refusing) AppendSuccessors(dst, s []uint64) ([]uint64, error) {
	dst, _, err := m.Steps(dst, nil, s)
	return dst, err
}

func (m *refusing) Steps(dst []uint64, kinds []uint32, s []uint64) ([]uint64, []uint32, error) {
	for _, f := range m.fields {
		if f.Of(s) != 1 {
			dst, _ = m.maze.AppendSuccessors(dst, s)
			for i, f := range m.fields {
				if f.Of(s) < 2 {
					kinds = append(kinds, uint32(i+1)) // the digit that goes up
				}
			}
			return dst, kinds, nil
		}
	}
	if m.halts {
		return dst, kinds, nil
	}
	return append(dst, s...), append(kinds, 1), errRefused
}

// TestRefusedBeside: if a machine refuses to step, the other states of the round are expanded as if
// it had no steps there, in every form, and the refused state is reported.
func TestRefusedBeside(t *testing.T) {
	for _, gaps := range [][]uint64{nil, {1 << 40}, {1 << 60, 1 << 60, 1 << 60}} {
		for _, judged := range []bool{false, true} {
			for _, halts := range []bool{true, false} {
				m := &refusing{counter(4, 3), halts}
				for i, gap := range gaps {
					m.layout.Field(fmt.Sprint("gap ", i), gap)
				}
				opt := Options{Workers: 2}
				if judged {
					opt.Judge = func(s []uint64, kind uint32) Flags {
						if kind > 0 && m.fields[kind-1].Of(s) == 0 {
							t.Errorf("no step of kind %d leads to %v", kind, s)
						}
						return 0
					}
				}
				space, r, err := Explore(t.Context(), m, opt)
				if err != nil {
					t.Fatal(err)
				}
				if !halts {
					want := []uint64{1, 1, 1, 1}
					var got []uint64
					for _, f := range m.fields {
						got = append(got, f.Of(space.State(nil, r.RefusedAt)))
					}
					if diff := cmp.Diff(want, got); diff != "" || r.Reason != Refused || !errors.Is(r.Refusal, errRefused) {
						t.Errorf("%v: reason %v, refusal %v (-want +got):\n%s", gaps, r.Reason, r.Refusal, diff)
					}
					// Four digits of 3 values have sums of 0 to 5 in these numbers of ways. Of those with a sum of at
					// most 4, 23 and 17 have a digit 0 and 1: so the machine steps, except in the refused state.
					expanded := int64(1 + 4 + 10 + 16 + 19)
					if r.Expanded != expanded || r.States != expanded+16 || r.Transitions != 4*(23+17)-4 || r.Levels != 5 {
						t.Errorf("%v: %d states, %d expanded in %d levels, %d steps", gaps, r.States, r.Expanded, r.Levels, r.Transitions)
					}
				} else if r.States != 3*3*3*3 || r.Reason != Complete {
					t.Errorf("%v: %d states", gaps, r.States)
				}
				space.Release()
			}
		}
	}
}
