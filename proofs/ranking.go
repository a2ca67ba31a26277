package proofs

import (
	"errors"
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
)

// A ranking is evidence that a response is given under weak fairness. As long
// as it is pending and not answered, no step raises the rank of the state. A
// step that keeps it stays among states that name the same helpful action,
// which is fair, possible in each of them, and lowers the rank or answers when
// it is taken. Some fair action is always possible, so no run rests. So a run on
// which the response is never answered would put off a fair action for ever. (Lehmann, Pnueli and Stavi 1981, Manna and Pnueli 1984.)

// Ranking ranks the states of a closed set for one response.
type Ranking struct {
	ClosedSet          // Property is the response's name
	Ranks     []int    // by state; those in which nothing is pending do not matter
	Helpful   []string // by state: an action; "" if every step lowers the rank
}

// VerifyRanking checks a ranking, and that its set is closed. A nil error is
// the only acceptance.
func VerifyRanking(m spec.Machine, claims spec.Claims, v spec.Response, r *Ranking) error {
	switch {
	case r == nil:
		return errors.New("there is no ranking")
	case r.Property != v.Name:
		return fmt.Errorf("the ranking is for %q, not %q", r.Property, v.Name)
	case len(r.Ranks) != len(r.States) || len(r.Helpful) != len(r.States):
		return errors.New("not every state has a rank")
	}
	if err := VerifyClosed(m, func([]uint64) error { return nil }, &r.ClosedSet); err != nil {
		return err
	}
	number := make(map[string]int, len(r.States))
	for i, s := range r.States {
		number[stateKey(s)] = i
	}
	words := m.Layout().Words()
	for i, s := range r.States {
		if !v.Pending(s) {
			continue
		}
		next, err := m.Next(nil, s)
		if err != nil {
			return err
		}
		fail := func(format string, args ...any) error {
			return fmt.Errorf("in %s: "+format, append([]any{m.Layout().Text(s)}, args...)...)
		}
		stays, helpful, rests := false, false, true
		for k := 0; (k+1)*words <= len(next); k++ {
			after := next[k*words : (k+1)*words]
			action := m.Action(s, k)
			helpful = helpful || action == r.Helpful[i]
			rests = rests && claims.Fair != nil && !claims.Fair(action)
			if !v.Pending(after) || v.Answered != nil && v.Answered(s, k, after) {
				continue
			}
			j := number[stateKey(after)]
			switch {
			case r.Ranks[j] > r.Ranks[i]:
				return fail("%q raises the rank from %d to %d", action, r.Ranks[i], r.Ranks[j])
			case r.Ranks[j] < r.Ranks[i]:
				continue
			case r.Helpful[i] == "" || r.Helpful[i] != r.Helpful[j]:
				return fail("%q keeps rank %d, but the helpful actions are %q and %q", action, r.Ranks[i], r.Helpful[i], r.Helpful[j])
			case action == r.Helpful[i]:
				return fail("the helpful action %q keeps rank %d", action, r.Ranks[i])
			}
			stays = true
		}
		if rests {
			return fail("nothing has to happen, so %q may never be answered", v.Name)
		}
		if stays && (!helpful || claims.Fair != nil && !claims.Fair(r.Helpful[i])) {
			return fail("the helpful action %q is not possible, or not fair", r.Helpful[i])
		}
	}
	return nil
}
