package machines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
)

// A ranking is evidence that a response is given under fairness. While it is pending
// and not answered, no step raises the rank of the state. A step that keeps the rank stays
// among states with the same helpful action, which is fair, possible in each of them, and
// lowers the rank or answers when it is taken. Some fair action is always possible, so no
// run rests. So a run on which the response is never answered would put off a fair action
// forever. (Lehmann, Pnueli and Stavi 1981, Manna and Pnueli 1984.)
//
// Where the helpful action is strongly fair, the states of a rank in which it is not
// possible have a second level: a rank and a helpful action of their own, and so on. A
// run that keeps the first rank forever meets states without a second level only finitely
// often, or else the action would be taken. From then on the second rank never rises, and
// the same argument applies to it. So the levels of two states are compared as far as both
// have them.

// Ranking ranks the states of a closed set for one response.
type Ranking struct {
	ClosedSet           // Property is the response's name
	Levels    [][]Level // by state, outermost first; where nothing is pending they do not matter
}

// Level is a rank, and the number of the action that helps while the rank is kept: NoAction
// if every step lowers it.
type Level struct{ Rank, Helpful int }

// NoAction stands for no helpful action.
const NoAction = -1

// VerifyRanking checks a ranking, and that its set is closed. A nil error is
// the only acceptance.
//
// Soundness: on a run that stays pending the first rank becomes constant and its action is
// never taken. So from some state on the action is not possible; but it is possible in states
// whose last level it is, so there is a next level, to which the same applies; and levels are
// bounded. Not covered: runs that are less fair than the actions are said to be.
func VerifyRanking(ctx context.Context, m states.Machine, claims states.Claims, v states.Response, r *Ranking) error {
	switch {
	case r == nil:
		return errors.New("no ranking")
	case r.Property != v.Name:
		return fmt.Errorf("the ranking is for %q, not %q", r.Property, v.Name)
	case len(r.Levels) != len(r.States) || slices.ContainsFunc(r.Levels, func(l []Level) bool { return len(l) == 0 }):
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
		levels, possible, rests := r.Levels[number[stateKey(s)]], map[int]bool{NoAction: true}, true
		for k := 0; (k+1)*words <= len(next); k++ {
			after, action := next[k*words:(k+1)*words], m.Action(s, k)
			possible[action.Number] = claims.IsFair(action.Number)
			rests = rests && !claims.IsFair(action.Number)
			if !v.Pending(after) || v.Answered != nil && v.Answered(s, k, after) {
				continue
			}
			// If the set is not closed, the rank is another state's.
			if err := lowers(action, levels, r.Levels[number[stateKey(after)]]); err != nil {
				return err
			}
		}
		if rests {
			return fmt.Errorf("no step has to happen, so %q may never be answered", v.Name)
		}
		for i, l := range levels {
			if last := i == len(levels)-1; last && !possible[l.Helpful] || !last && !claims.Strong[l.Helpful] {
				return fmt.Errorf("the helpful action of level %d, number %d, is disabled, or not fair enough",
					i+1, l.Helpful)
			}
		}
		return nil
	}, &r.ClosedSet)
}

// lowers refuses an action that raises the first rank that it changes or, if it
// changes none, is helpful at one of the levels that both states have. An until that helps is never lowered by an action:
// it is among the obligations of all pairs of the rank.
func lowers(action states.Action, from, to []Level) error {
	for i := range min(len(from), len(to)) {
		switch f, t := from[i], to[i]; {
		case t.Rank > f.Rank:
			return fmt.Errorf("%q raises the rank from %d to %d", action.Name, f.Rank, t.Rank)
		case t.Rank < f.Rank:
			return nil
		case f.Until() >= 0 && f.Helpful == t.Helpful:
			return nil
		case f.Helpful < 0 || f.Helpful != t.Helpful:
			return fmt.Errorf("%q keeps rank %d, but the helpful actions are number %d and %d",
				action.Name, f.Rank, f.Helpful, t.Helpful)
		case action.Number == f.Helpful:
			return fmt.Errorf("the helpful action %q keeps rank %d", action.Name, f.Rank)
		}
	}
	return nil
}

// The written form of a ranking:
//
//	unknot-ranking 3
//	machine NAME
//	property NAME
//	states COUNT WORDS
//	RANK HELPFUL ... WORD ... a state a line, ascending, after its levels; HELPFUL is the number of an action, -: none
//	end
const rankingLine = "unknot-ranking 3"

// ReadRanking reads the written form. Memory is bounded by the text. Errors are
// *spec.PosError with the given file name.
func ReadRanking(file string, in io.Reader) (*Ranking, error) {
	l, r := lines.New(file, in, rankingLine), &Ranking{}
	readStates(l, &r.ClosedSet, func(words []string) bool {
		var levels []Level
		for ; len(words) > 1; words = words[2:] {
			helpful := NoAction
			if words[1] != "-" {
				helpful = l.Number(words[1], 0, math.MaxInt)
			}
			levels = append(levels, Level{l.Number(words[0], 0, math.MaxInt), helpful})
		}
		r.Levels = append(r.Levels, levels)
		return len(words) == 0 && levels != nil
	})
	return lines.End(l, r)
}
