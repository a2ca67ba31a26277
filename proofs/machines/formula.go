package machines

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/ltl"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
)

// A ranking of a formula is evidence that every fair run satisfies it. It ranks pairs of a state and a set of
// obligations: of what an automaton for the *opposite* of the formula still has to read there (package ltl). The
// pairs contain each initial state with the opposite of the formula, and each step of a state with each move of the
// automaton. No step raises the rank. What keeps it stays among pairs with the same helper, which is a fair action, as in
// the ranking of a response; or an until that is among the obligations of each of them.
// (Vardi and Wolper 1986, Manna and Pnueli 1984.) Of what is always possible, states are ranked, see distance.

// FormulaRanking ranks pairs of a state and obligations.
type FormulaRanking struct {
	Machine  string // its Name
	Property string // the formula's name
	Pairs    []Pair
}

// Pair is a state with obligations, and its levels as in a [Ranking]. Helpful is the number of an action, NoAction, or
// [HelpfulUntil].
type Pair struct {
	State  []uint64
	Left   ltl.Obligations
	Levels []Level
}

// HelpfulUntil stands for until number i of the automaton as what helps.
func HelpfulUntil(i int) int { return NoAction - 1 - i }

// Until returns the number of the until that helps, or -1.
func (l Level) Until() int { return max(-1, NoAction-1-l.Helpful) }

func (p *Pair) key() string { return pairKey(p.State, p.Left) }

func pairKey(s []uint64, left ltl.Obligations) string {
	return stateKey(s) + string(binary.LittleEndian.AppendUint64(nil, uint64(left)))
}

// VerifyFormula checks a ranking of a formula. A nil error is the only acceptance.
//
// Soundness: let a fair run violate the formula. Then it satisfies the opposite, so the automaton has an accepting run
// on its letters ([ltl.Automaton]), and the pairs of both are all ranked. The first rank becomes constant. From
// then on its helper is the same, and is no until, as that would stay among the obligations forever. So it is an
// action that is never taken; as the run is fair, the action is not always possible, or, if strongly fair, not possible
// from some time on. But it is possible where its level is the last one; so pairs of the rank have a next level, to
// which the same applies, and levels are bounded. A run that ends repeats its last state, in which no action is possible
// that helps. Not covered: runs that are less fair than the actions are said to be.
func VerifyFormula(ctx context.Context, m states.Machine, claims states.Claims, f states.Formula, r *FormulaRanking) error {
	switch {
	case r == nil:
		return errors.New("no ranking")
	case r.Machine != m.Name():
		return fmt.Errorf("the ranking is for another machine: %s, not %s", r.Machine, m.Name())
	case r.Property != f.Name:
		return fmt.Errorf("the ranking is for %q, not %q", r.Property, f.Name)
	}
	opposite, err := ltl.New(ltl.Not(f.Formula))
	if err != nil {
		return err
	}
	first := opposite.Start()
	if f.Possible {
		first = 0
	}
	v := &formulaRanking{m: m, claims: claims, f: f, opposite: opposite, pairs: map[string]*Pair{}}
	for i := range r.Pairs {
		p := &r.Pairs[i]
		if len(p.State) != m.Layout().Words() || len(p.Levels) == 0 {
			return fmt.Errorf("pair %d has %d words and %d levels", i, len(p.State), len(p.Levels))
		}
		if err := written(m.Layout(), p.State); err != nil {
			return fmt.Errorf("invalid state %d: %w", i, err)
		}
		v.pairs[p.key()] = p
	}
	start := m.Start(nil)
	if len(start) == 0 {
		return errNoStart
	}
	for s := range slices.Chunk(start, m.Layout().Words()) {
		if v.pairs[pairKey(s, first)] == nil {
			return fmt.Errorf("the pairs lack the state %s, in which the machine begins", m.Layout().Text(s))
		}
	}
	for i := range r.Pairs {
		if err := ctx.Err(); err != nil {
			return err
		}
		check := v.pair
		if f.Possible {
			check = v.distance
		}
		if err := check(&r.Pairs[i]); err != nil {
			return fmt.Errorf("in %s: %w", m.Layout().Text(r.Pairs[i].State), err)
		}
	}
	return nil
}

// formulaRanking is what is known while pairs are checked.
type formulaRanking struct {
	m        states.Machine
	claims   states.Claims
	f        states.Formula
	opposite *ltl.Automaton
	pairs    map[string]*Pair
}

// pair checks one pair: all steps and moves from it, and its helpers.
func (v *formulaRanking) pair(p *Pair) error {
	next, err := v.m.AppendSuccessors(nil, p.State)
	if err != nil {
		return err
	}
	var steps []states.Action
	var possible []int
	for k := range len(next) / len(p.State) {
		steps = append(steps, v.m.Action(p.State, k))
		possible = append(possible, steps[k].Number)
	}
	if v.claims.MayRest(&v.f, possible) {
		steps, next = append(steps, states.Action{Number: NoAction, Name: "staying there"}), append(next, p.State...)
	}
	moves := v.opposite.Moves(p.Left, v.f.Letter(p.State))
	for k, action := range steps {
		after := next[k*len(p.State):][:len(p.State)]
		for _, left := range moves {
			to := v.pairs[pairKey(after, left)]
			if to == nil {
				return fmt.Errorf("the pairs lack what %q leads to", action.Name)
			}
			if err := lowers(action, p.Levels, to.Levels); err != nil {
				return err
			}
		}
	}
	for i, l := range p.Levels {
		last, helps := i == len(p.Levels)-1, l.Helpful == NoAction
		switch u := l.Until(); {
		case u >= 0:
			helps = slices.Contains(v.opposite.Untils(), u) && p.Left.Has(u)
		case l.Helpful == NoAction || v.f.Unfair:
			helps = last && helps
		case last:
			helps = slices.Contains(possible, l.Helpful) && v.claims.IsFair(l.Helpful)
		default:
			helps = v.claims.Strong[l.Helpful]
		}
		if !helps {
			return fmt.Errorf("what helps at level %d, number %d, is not possible, not fair enough, or no until that is left",
				i+1, l.Helpful)
		}
	}
	return nil
}

// distance checks one state, without obligations, of the ranking of what is always possible: all steps from it lead to
// ranked states and, unless the condition is true there, one of them lowers the rank.
//
// Soundness: every reachable state is ranked, as the initial ones are. From any of them follow steps that lower the
// rank. Ranks are at least 0, so this ends, in a state in which the condition is true.
func (v *formulaRanking) distance(p *Pair) error {
	next, err := v.m.AppendSuccessors(nil, p.State)
	if err != nil {
		return err
	}
	nearer := v.f.Atoms[0](p.State)
	for after := range slices.Chunk(next, len(p.State)) {
		to := v.pairs[pairKey(after, 0)]
		if to == nil {
			return fmt.Errorf("the ranking lacks the state %s, to which a step leads", v.m.Layout().Text(after))
		}
		nearer = nearer || to.Levels[0].Rank < p.Levels[0].Rank
	}
	switch {
	case p.Left != 0 || len(p.Levels) != 1 || p.Levels[0].Helpful != NoAction:
		return errors.New("what is always possible has one rank for each state, and nothing that helps")
	case !nearer:
		return fmt.Errorf("no step lowers the rank %d, and %q is not true", p.Levels[0].Rank, v.f.Name)
	}
	return nil
}

// The written form of a ranking of a formula:
//
//	unknot-formula-ranking 1
//	machine NAME
//	property NAME
//	pairs COUNT WORDS
//	RANK HELPFUL ... LEFT WORD ...  a pair a line, ascending by obligations and state, in hexadecimal digits
//	end
//
// HELPFUL is the number of an action, - for none, or u and the number of an until. Of what is always possible, there is one
// RANK, HELPFUL is - and LEFT is 0.
const formulaRankingLine = "unknot-formula-ranking 1"

// ReadFormulaRanking reads the written form. Memory is bounded by the text. Errors are *spec.PosError with the given file
// name.
func ReadFormulaRanking(file string, in io.Reader) (*FormulaRanking, error) {
	l, r := lines.New(file, in, formulaRankingLine), &FormulaRanking{}
	r.Machine, r.Property = l.Quoted("machine"), l.Quoted("property")
	size := l.Numbers("pairs", 2)
	var last []uint64
	for i := 0; i < size[0] && l.Err() == nil; i++ {
		words := strings.Split(l.ReadLine(), " ")
		before := len(words) - size[1] - 1
		if before < 2 || before%2 != 0 {
			l.Fail("want levels, obligations and a state of %d words here", size[1])
			break
		}
		p := Pair{}
		for ; before > 0; before -= 2 {
			level := Level{l.Number(words[0], 0, math.MaxInt), NoAction}
			if u, until := strings.CutPrefix(words[1], "u"); until {
				level.Helpful = HelpfulUntil(l.Number(u, 0, ltl.MostObligations))
			} else if words[1] != "-" {
				level.Helpful = l.Number(words[1], 0, math.MaxInt)
			}
			p.Levels, words = append(p.Levels, level), words[2:]
		}
		numbers := l.Hexadecimal(words)
		if len(numbers) != len(words) {
			break
		}
		if p.Left, p.State = ltl.Obligations(numbers[0]), numbers[1:]; i > 0 && slices.Compare(last, numbers) >= 0 {
			l.Fail("pairs must be ascending, each once")
		}
		last, r.Pairs = numbers, append(r.Pairs, p)
	}
	return lines.End(l, r)
}
