package sat

import (
	"context"
	"slices"
)

// Answer is the result of a search under an assumption.
type Answer int8

const (
	Undecided Answer = iota
	Satisfied        // IsTrue tells the model
	Refuted          // the assumption is false in every model within the bound
)

// Limits bound the work of a search.
type Limits struct {
	Conflicts int64                 // in total over all searches of the solver
	Visits    int64                 // literals made true, in total: a measure of time
	Progress  func(conflicts int64) // called at intervals; may be nil
	Plain     bool                  // Beyond is not called
}

// Solve looks for a model with the literal true, within the bound in force. accept may refuse
// a model: it returns clauses that hold in every good model and one of which is false in this
// one, or none. After Refuted or Undecided only the decision for the bound remains.
func (s *Solver) Solve(ctx context.Context, assume Literal, lim Limits, accept func() [][]Literal) (Answer, error) {
	assumed := []Literal{assume}
	if s.limit.by >= 0 {
		assumed = []Literal{Yes(s.limit.by), assume}
	}
	for restart := int64(1); ; restart++ {
		s.backToBound()
		if err := context.Cause(ctx); err != nil {
			return Undecided, err
		}
		if len(s.learned) > s.most {
			s.BackTo(0)
			s.forget()
		}
		budget := 100 * luby(restart)
		switch got := s.descend(ctx, assumed, &budget, lim, accept); got {
		case Satisfied:
			return got, nil
		case Refuted:
			s.backToBound()
			return got, nil
		}
		if s.usedUp(lim) {
			s.backToBound()
			return Undecided, nil
		}
	}
}

// backToBound undoes all decisions but the one for the bound, whose conclusions are many.
func (s *Solver) backToBound() {
	if s.level() > 0 && s.limit.by >= 0 && s.assigned[s.limit.by] > 0 && s.levels[s.limit.by] <= 1 {
		s.BackTo(1)
	} else {
		s.BackTo(0)
	}
}

func (s *Solver) usedUp(lim Limits) bool {
	return s.Conflicts >= lim.Conflicts || s.Visits >= lim.Visits || s.full
}

// descend searches until it finds a model or an unsatisfiability proof, or the budget of conflicts
// is used up.
func (s *Solver) descend(
	ctx context.Context, assumed []Literal, budget *int64, lim Limits, accept func() [][]Literal,
) Answer {
	for {
		if s.refuted {
			return Refuted
		}
		conflict := s.propagate()
		if conflict == nil && !lim.Plain {
			conflict = s.checkBeyond()
		}
		if conflict != nil {
			if !s.backjump(conflict, lim) {
				return Refuted
			}
			*budget--
			continue
		}
		if *budget <= 0 || s.usedUp(lim) || ctx.Err() != nil {
			return Undecided
		}
		if at := s.level(); at < len(assumed) {
			switch s.of(assumed[at]) {
			case -1:
				s.answer(assumed[at])
				return Refuted
			case 0:
				s.decide(assumed[at])
			case 1:
				s.decisions = append(s.decisions, len(s.trail)) // its own level
			}
			continue
		}
		if v, open := s.decisionVariable(); open {
			l := No(v)
			if s.saved[v] > 0 {
				l = Yes(v)
			}
			s.decide(l)
			continue
		}
		wrong := accept()
		if ctx.Err() != nil {
			return Undecided
		}
		if len(wrong) == 0 {
			return Satisfied
		}
		s.Conflicts++
		*budget--
		s.BackTo(0)
		for _, c := range wrong {
			s.Require(c...)
		}
	}
}

// checkBeyond calls Beyond, and undoes the levels after its clause became false.
func (s *Solver) checkBeyond() []Literal {
	if s.Beyond == nil {
		return nil
	}
	literals, node := s.Beyond()
	if literals == nil {
		return nil
	}
	level := int32(0)
	for _, l := range literals {
		level = max(level, s.levels[l.Variable()])
	}
	s.BackTo(int(level))
	return s.wrong(&clause{literals: literals, node: node})
}

// decisionVariable takes the most active open variable from the heap.
func (s *Solver) decisionVariable() (int32, bool) {
	for len(s.heap.items) > 0 {
		if v := s.heap.pop(s); s.assigned[v] == 0 {
			return v, true
		}
	}
	return 0, false
}

// backjump learns from a false clause and undoes all decisions that it does not depend
// on; false means that the formula is refuted.
func (s *Solver) backjump(conflict []Literal, lim Limits) bool {
	s.Conflicts++
	if lim.Progress != nil && s.Conflicts%4096 == 0 {
		lim.Progress(s.Conflicts)
	}
	if s.level() == 0 {
		s.contradict(conflict)
		return false
	}
	learned, level := s.analyse(conflict)
	node := s.node(true)
	s.BackTo(level)
	if s.Log != nil && !s.Log(learned, node) {
		s.full = true
	}
	if len(learned) == 1 {
		s.assign(learned[0], reason{node: node})
		return true
	}
	c := &clause{literals: learned, node: node, spread: s.spread(learned[1:]) + 1}
	s.learned = append(s.learned, c)
	s.watch(c)
	s.assign(learned[0], reason{clause: c})
	return true
}

// analyse resolves a false clause backwards to the last literal of this level that all
// paths to the conflict pass (first unique implication point). That literal is first in
// the learned clause; one of the level to go back to is second.
func (s *Solver) analyse(conflict []Literal) (learned []Literal, level int) {
	learned = append(learned, 0) // room for that literal
	open := 0
	at := len(s.trail) - 1
	if s.trace != nil {
		s.mark(s.trace.conflict)
	}
	note := func(l Literal) {
		v := l.Variable()
		s.markSettled(l)
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
		for !s.seen[s.trail[at].Variable()] {
			at--
		}
		l := s.trail[at]
		at--
		s.seen[l.Variable()] = false
		if open--; open == 0 {
			learned[0] = l.not()
			break
		}
		s.eachCause(l, note)
		s.markCause(l)
	}
	marked := slices.Clone(learned[1:])
	learned = s.shorten(learned)
	for _, l := range marked {
		s.seen[l.Variable()] = false
	}
	s.increment *= 1 / 0.95
	for i := 1; i < len(learned); i++ {
		if s.levels[learned[i].Variable()] > s.levels[learned[1].Variable()] {
			learned[1], learned[i] = learned[i], learned[1]
		}
	}
	if len(learned) > 1 {
		level = int(s.levels[learned[1].Variable()])
	}
	return learned, level
}

// shorten drops the literals that the others imply in one step.
func (s *Solver) shorten(learned []Literal) []Literal {
	short := learned[:1]
	for _, l := range learned[1:] {
		why := s.reasons[l.Variable()]
		implied := why.group || why.clause != nil
		s.eachCause(l.not(), func(m Literal) {
			implied = implied && (s.seen[m.Variable()] || s.levels[m.Variable()] == 0)
		})
		if !implied {
			short = append(short, l)
			continue
		}
		s.markCause(l)
		s.eachCause(l.not(), func(m Literal) { s.markSettled(m) })
	}
	return short
}

func (s *Solver) raise(v int32) {
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
func (s *Solver) spread(literals []Literal) int32 {
	levels := map[int32]bool{}
	for _, l := range literals {
		levels[s.levels[l.Variable()]] = true
	}
	return int32(len(levels))
}

// forget drops the worse half of the learned clauses; there must be no decisions.
func (s *Solver) forget() {
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
	// What level 0 has forced no longer needs a reason.
	for _, l := range s.trail {
		s.reasons[l.Variable()] = reason{}
	}
}

// luby is the sequence 1 1 2 1 1 2 4 ..., which makes most restarts short and some
// long (Luby, Sinclair and Zuckerman 1993).
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
