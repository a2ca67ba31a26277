package machines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/seed-105a2da2/unknot/spec/lines"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// A ranking is evidence that a response is given under weak fairness. As long
// as it is pending and not answered, no step raises the rank of the state. A
// step that keeps it stays among states that name the same helpful action,
// which is fair, possible in each of them, and lowers the rank or answers when
// it is taken. Some fair action is always possible, so no run rests. So a run on
// which the response is never answered would put off a fair action forever. (Lehmann, Pnueli and Stavi 1981, Manna and Pnueli 1984.)

// Ranking ranks the states of a closed set for one response.
type Ranking struct {
	ClosedSet       // Property is the response's name
	Ranks     []int // by state; those in which nothing is pending do not matter
	Helpful   []int // by state: the number of an action; NoAction if every step lowers the rank
}

// NoAction stands for a helpful action where there is none.
const NoAction = -1

// VerifyRanking checks a ranking, and that its set is closed. A nil error is
// the only acceptance.
//
// Soundness: while the response is pending the rank never rises, and where it stays a
// fair action that is possible lowers it, so under weak fairness it is answered. Not
// covered: runs on which a fair action is put off forever.
func VerifyRanking(ctx context.Context, m states.Machine, claims states.Claims, v states.Response, r *Ranking) error {
	switch {
	case r == nil:
		return errors.New("no ranking")
	case r.Property != v.Name:
		return fmt.Errorf("the ranking is for %q, not %q", r.Property, v.Name)
	case len(r.Ranks) != len(r.States) || len(r.Helpful) != len(r.States):
		return errors.New("not every state has a rank")
	}
	number := make(map[string]int, len(r.States))
	for i, s := range r.States {
		number[stateKey(s)] = i
	}
	words := m.Layout().Words()
	return VerifyClosed(ctx, m, func(s, next []uint64) error {
		if !v.Pending(s) {
			return nil
		}
		i := number[stateKey(s)]
		stays, helpful, rests := false, false, true
		for k := 0; (k+1)*words <= len(next); k++ {
			after := next[k*words : (k+1)*words]
			action := m.Action(s, k)
			helpful = helpful || action.Number == r.Helpful[i]
			rests = rests && claims.Fair != nil && !claims.Fair(action.Number)
			if !v.Pending(after) || v.Answered != nil && v.Answered(s, k, after) {
				continue
			}
			j := number[stateKey(after)] // of another state, if the set is not closed
			switch {
			case r.Ranks[j] > r.Ranks[i]:
				return fmt.Errorf("%q raises the rank from %d to %d", action.Name, r.Ranks[i], r.Ranks[j])
			case r.Ranks[j] < r.Ranks[i]:
				continue
			case r.Helpful[i] < 0 || r.Helpful[i] != r.Helpful[j]:
				return fmt.Errorf("%q keeps rank %d, but the helpful actions are number %d and %d", action.Name, r.Ranks[i], r.Helpful[i], r.Helpful[j])
			case action.Number == r.Helpful[i]:
				return fmt.Errorf("the helpful action %q keeps rank %d", action.Name, r.Ranks[i])
			}
			stays = true
		}
		if rests {
			return fmt.Errorf("nothing has to happen, so %q may never be answered", v.Name)
		}
		if stays && (!helpful || claims.Fair != nil && !claims.Fair(r.Helpful[i])) {
			return fmt.Errorf("the helpful action, number %d, is not possible, or not fair", r.Helpful[i])
		}
		return nil
	}, &r.ClosedSet)
}

// The written form of a ranking:
//
//	unknot-ranking 3
//	machine NAME
//	property NAME
//	states COUNT WORDS
//	RANK HELPFUL WORD ...     a state a line, ascending; HELPFUL is the number of an action, -: none
//	end
const (
	rankingLine = "unknot-ranking 3"
	noHelp      = "-"
)

// ReadRanking reads the written form. Memory is bounded by the text. Errors are
// *spec.PosError with the given file name.
func ReadRanking(file string, in io.Reader) (*Ranking, error) {
	l := lines.New(file, in, rankingLine)
	r := &Ranking{}
	err := readStates(l, &r.ClosedSet, 2, func(words []string) {
		helpful := NoAction
		if words[1] != noHelp {
			helpful = l.Number(words[1], 0, math.MaxInt)
		}
		r.Ranks, r.Helpful = append(r.Ranks, l.Number(words[0], 0, math.MaxInt)), append(r.Helpful, helpful)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}
