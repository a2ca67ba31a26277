package liveness

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/support/deadline"
)

// DecideEnding decides all responses of a machine whose fair runs that keep one pending all end, without its graph.
// Such a run ends in a state without fair actions. If there is one, holds is false. Otherwise vacuous tells, by
// response, whether it is never pending. Time is linear in the steps; memory is that of a few states.
func DecideEnding(ctx context.Context, s *Space) (vacuous []bool, holds bool, err error) {
	const parts = 64
	responses := s.Claims.Responses
	pending, waits := make([][]bool, parts), make([]bool, parts)
	err = eachPart(s.Workers, parts, func(part int) error {
		pending[part] = make([]bool, len(responses))
		rest, k := rest{Space: s}, 0
		s.Each(part, parts, func(state []uint64) bool {
			rests := rest.resting(state)
			for i, was := range pending[part] {
				if (rests || !was) && responses[i].Pending(state) {
					pending[part][i] = true
					waits[part] = waits[part] || rests
				}
			}
			k++
			return rest.err == nil && !waits[part] && !deadline.Passed(ctx, k)
		})
		if rest.err != nil {
			return rest.err
		}
		return ctx.Err()
	})
	if err != nil || slices.Contains(waits, true) {
		return nil, false, err
	}
	for i := range responses {
		vacuous = append(vacuous, !slices.ContainsFunc(pending, func(p []bool) bool { return p[i] }))
	}
	return vacuous, true, nil
}

// rest decides where a run may end.
type rest struct {
	*Space
	next   []uint64
	labels []int32
	known  []int8 // by label, if asked already: 1 if the action is fair, -1 if not
	err    error
}

// resting reports whether no fair action is possible resting a state.
func (r *rest) resting(state []uint64) bool {
	if r.Labels == nil {
		if r.next, r.err = r.Fast.AppendSuccessors(r.next[:0], state); r.err != nil {
			return false
		}
		for k := range len(r.next) / len(state) {
			if r.Claims.IsFair(r.Machine.Action(state, k).Number) {
				return false
			}
		}
		return true
	}
	r.labels = r.Labels(r.labels[:0], state)
	for k, label := range r.labels {
		if r.Fair != nil && r.Fair[label] || r.Fair == nil && r.isFair(state, k, label) {
			return false
		}
	}
	return true
}

// isFair reports whether the action of the k-th step of a state is fair; it remembers that by label.
func (r *rest) isFair(state []uint64, k int, label int32) bool {
	if more := int(label) + 1 - len(r.known); more > 0 {
		r.known = append(r.known, make([]int8, more)...)
	}
	if r.known[label] == 0 {
		r.known[label] = -1
		if r.Claims.IsFair(r.Machine.Action(state, k).Number) {
			r.known[label] = 1
		}
	}
	return r.known[label] > 0
}
