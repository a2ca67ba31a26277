package worms

import (
	"context"
	"slices"
)

// answer of a search under an assumption.
type answer int8

const (
	undecided answer = iota
	satisfied        // a model stands in solver.assigned
	refuted          // the assumption is false in every model; it is false for good now
)

// limits are what a search may use up.
type limits struct {
	conflicts int64 // in total over all searches of the solver
	visits    int64 // literals made true, in total: a measure of time
	progress  func(conflicts int64)
}

// solve looks for a model with the literal true. accept may refuse a model: it
// returns clauses that hold in every good model and one of which is false in
// this one, or none. On refuted and undecided no decision stands any more.
func (s *solver) solve(ctx context.Context, assume literal, lim limits, accept func() [][]literal) (answer, error) {
	for restart := int64(1); ; restart++ {
		s.backTo(0)
		if err := context.Cause(ctx); err != nil {
			return undecided, err
		}
		if len(s.learned) > s.most {
			s.forget()
		}
		budget := 100 * luby(restart)
		got := s.descend(ctx, assume, &budget, lim, accept)
		if got != undecided {
			return got, nil
		}
		if s.usedUp(lim) {
			s.backTo(0)
			return undecided, nil
		}
	}
}

func (s *solver) usedUp(lim limits) bool {
	return s.conflicts >= lim.conflicts || s.visits >= lim.visits || s.proof != nil && s.proof.size > s.proof.most
}

// descend searches until a model, a refutation, or the budget of conflicts is
// used up.
func (s *solver) descend(ctx context.Context, assume literal, budget *int64, lim limits, accept func() [][]literal) answer {
	for {
		if s.refuted {
			return refuted
		}
		if conflict := s.propagate(); conflict != nil {
			if !s.backjump(conflict, lim) {
				return refuted
			}
			*budget--
			continue
		}
		if *budget <= 0 || s.usedUp(lim) || s.conflicts%256 == 0 && ctx.Err() != nil {
			return undecided
		}
		if s.level() == 0 {
			switch s.of(assume) {
			case -1:
				return refuted
			case 0:
				s.decide(assume)
				continue
			}
		}
		if v, open := s.next(); open {
			l := no(v)
			if s.saved[v] > 0 {
				l = yes(v)
			}
			s.decide(l)
			continue
		}
		wrong := accept()
		if len(wrong) == 0 {
			return satisfied
		}
		s.conflicts++
		*budget--
		s.backTo(0)
		for _, c := range wrong {
			s.require(c...)
		}
	}
}

// next takes the most active open variable from the heap.
func (s *solver) next() (int32, bool) {
	for len(s.heap.items) > 0 {
		if v := s.heap.pop(s); s.assigned[v] == 0 {
			return v, true
		}
	}
	return 0, false
}

// backjump learns from a false clause and takes back all decisions that it does
// not depend on; false means that the formula is refuted.
func (s *solver) backjump(conflict []literal, lim limits) bool {
	s.conflicts++
	if lim.progress != nil && s.conflicts%4096 == 0 {
		lim.progress(s.conflicts)
	}
	if s.level() == 0 {
		s.refuted = true
		return false
	}
	learned, level := s.analyse(conflict)
	s.backTo(level)
	if s.proof != nil {
		s.proof.clause(learned)
	}
	if len(learned) == 1 {
		s.assign(learned[0], reason{})
		return true
	}
	c := &clause{literals: learned, learned: true, spread: s.spread(learned[1:]) + 1}
	s.learned = append(s.learned, c)
	s.watch(c)
	s.assign(learned[0], reason{clause: c})
	return true
}

// analyse resolves a false clause backwards to the last literal through which
// all of the conflict of this level goes (first unique implication point). That
// literal stands first in the learned clause, one of the level to go back to
// second.
func (s *solver) analyse(conflict []literal) (learned []literal, level int) {
	learned = append(learned, 0) // the point's place
	open := 0
	at := len(s.trail) - 1
	note := func(l literal) {
		v := l.variable()
		if s.seen[v] || s.levels[v] == 0 {
			return
		}
		s.seen[v] = true
		s.raise(v)
		if int(s.levels[v]) == s.level() {
			open++
		} else {
			learned = append(learned, l)
		}
	}
	for _, l := range conflict {
		note(l)
	}
	for {
		for !s.seen[s.trail[at].variable()] {
			at--
		}
		l := s.trail[at]
		at--
		s.seen[l.variable()] = false
		if open--; open == 0 {
			learned[0] = l.not()
			break
		}
		s.eachCause(l, note)
	}
	marked := slices.Clone(learned[1:])
	learned = s.shorten(learned)
	for _, l := range marked {
		s.seen[l.variable()] = false
	}
	s.increment *= 1 / 0.95
	for i := 1; i < len(learned); i++ {
		if s.levels[learned[i].variable()] > s.levels[learned[1].variable()] {
			learned[1], learned[i] = learned[i], learned[1]
		}
	}
	if len(learned) > 1 {
		level = int(s.levels[learned[1].variable()])
	}
	return learned, level
}

// eachCause calls f for the false literals that forced l.
func (s *solver) eachCause(l literal, f func(literal)) {
	why := s.reasons[l.variable()]
	if why.group {
		f(why.other.not())
		return
	}
	if why.clause == nil {
		return
	}
	for _, m := range why.clause.literals {
		if m != l {
			f(m)
		}
	}
}

// shorten leaves out the literals that the others imply in one step.
func (s *solver) shorten(learned []literal) []literal {
	short := learned[:1]
	for _, l := range learned[1:] {
		why := s.reasons[l.variable()]
		implied := why.group || why.clause != nil
		s.eachCause(l.not(), func(m literal) {
			implied = implied && (s.seen[m.variable()] || s.levels[m.variable()] == 0)
		})
		if !implied {
			short = append(short, l)
		}
	}
	return short
}

func (s *solver) raise(v int32) {
	s.activity[v] += s.increment
	if s.activity[v] > 1e100 {
		for i := range s.activity {
			s.activity[i] *= 1e-100
		}
		s.increment *= 1e-100
	}
	s.heap.raised(s, v)
}

// spread counts the levels of literals.
func (s *solver) spread(literals []literal) int32 {
	levels := map[int32]bool{}
	for _, l := range literals {
		levels[s.levels[l.variable()]] = true
	}
	return int32(len(levels))
}

// forget drops the worse half of the learned clauses; no decision may stand.
func (s *solver) forget() {
	slices.SortStableFunc(s.learned, func(a, b *clause) int {
		if a.spread != b.spread {
			return int(a.spread - b.spread)
		}
		return len(a.literals) - len(b.literals)
	})
	half := len(s.learned) / 2
	for _, c := range s.learned[half:] {
		if c.spread > 2 && len(c.literals) > 2 {
			c.literals = nil
		}
	}
	s.learned = slices.DeleteFunc(s.learned, func(c *clause) bool { return c.literals == nil })
	for l := range s.watches {
		s.watches[l] = slices.DeleteFunc(s.watches[l], func(w watch) bool { return w.clause.literals == nil })
	}
	s.most += s.most / 20
	// What level 0 has forced needs no reason any more.
	for _, l := range s.trail {
		s.reasons[l.variable()] = reason{}
	}
}

// luby is the sequence 1 1 2 1 1 2 4 ... that lets restarts be short mostly and
// long now and then (Luby, Sinclair and Zuckerman 1993).
func luby(i int64) int64 {
	for k := int64(1); ; k++ {
		if i == 1<<k-1 {
			return 1 << (k - 1)
		}
		if i < 1<<k-1 {
			return luby(i - (1<<(k-1) - 1))
		}
	}
}
