package machines

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
)

// Some invariants of a file follow from others by counting alone, and a formula of fixed length cannot count. Peterson's
// lock has n - 1 stages. If two processes are critical, another one waits at each stage: n + 1 processes, of n.
//
// # Theorem (the pigeonhole principle)
//
// Let f be a function from a finite set L of numbers to a finite set P of participants. Let f have another value for
// each key, and let m different participants be no values of f. Then P has at least |L| + m elements.
//
// So a state in which an invariant fails does not exist, if in each such state some variable is such a function, and P is
// too small. The participants that the failure names are the m. Solvers prove four conditions of every state in which
// the other clauses hold and the invariant does not: the variable has participants as values, and none of the m; it has
// another one for each key; the m are different participants; and P has fewer than |L| + m elements.
//
// An invariant that is proved so is no premise of these conditions, nor is any other one that is proved so. Steps may
// use it: it holds wherever the clauses do that are proved by induction.

// counting says that a clause follows by the pigeonhole principle.
type counting struct {
	of   *variable // L to P, by its one key
	part countingPart
}

// countingPart is one of the conditions.
type countingPart int

const (
	fewParticipants countingPart = iota // P is too small, and the m are different participants
	otherValues                         // no value is one of the m, or none of P
	oneToOne                            // no value twice
	countingParts
)

func (p countingPart) String() string {
	return [...]string{
		"there are too few participants", "each value is a participant, and none of these", "no value is there twice",
	}[p]
}

// opposite returns what a state breaks a condition with; the constants of the query so far are the m, if they are
// participants. It returns the terms that the query must name, too.
func (c *counting) opposite(q *query) (all []*symbolic.Term, named []indexed) {
	participants := c.of.domain.set()
	var m []*symbolic.Term
	for _, b := range q.consts {
		if b.of.same(participants) {
			m = append(m, symbolic.Named(b.name))
		}
	}
	keys := c.of.keys[0]
	at := func() (key, value *symbolic.Term) {
		key = q.constant(keys)
		value = symbolic.Read(c.of, []*symbolic.Term{key})
		all = append(all, symbolic.Within(key, keys.lo, keys.hi))
		named = append(named, indexed{value, participants})
		return key, value
	}
	var wrong []*symbolic.Term // one of these
	switch c.part {
	case fewParticipants:
		for i, a := range m {
			wrong = append(wrong, symbolic.Not(symbolic.Within(a, participants.lo, participants.hi)))
			for _, b := range m[:i] {
				wrong = append(wrong, symbolic.Equal(a, b))
			}
		}
		count := symbolic.Plus(symbolic.Plus(keys.hi, -1, keys.lo), 1, symbolic.Number(len(m)))
		wrong = append(wrong, symbolic.Less(participants.hi, participants.lo),
			symbolic.AtMost(count, symbolic.Plus(participants.hi, -1, participants.lo)))
	case otherValues:
		_, value := at()
		wrong = append(wrong, symbolic.Not(symbolic.Within(value, participants.lo, participants.hi)))
		for _, a := range m {
			wrong = append(wrong, symbolic.Equal(value, a))
		}
	case oneToOne:
		a, x := at()
		b, y := at()
		all = append(all, symbolic.Not(symbolic.Equal(a, b)))
		wrong = append(wrong, symbolic.Equal(x, y))
	}
	return append(all, symbolic.Or(wrong...)), named
}

// goals are the conditions of a clause that follows by counting with a variable.
func (v *variable) goals(of *clause, number int) (all []goal) {
	for part := range countingParts {
		all = append(all, goal{of: of, number: number, counts: &counting{v, part}})
	}
	return all
}

// levels says how participants may be at levels: the keys of an array that names a participant for each.
type levels struct {
	named *variable // the participant by level
	at    *variable // the level of a participant
	state *variable // in few values of this one they count; nil: in all
	above int       // so many participants above a level leave the one that it names at it
}

// levels lists what variables can be levels for an invariant.
func (m *Machine) levels(c clause) (all []levels) {
	q := &query{m: m}
	q.skolem(negate(c.body)) // makes the constants that are not in names
	for _, named := range m.variables {
		if len(named.keys) != 1 || named.domain.kind != participants || named.keys[0].same(named.domain.set()) {
			continue
		}
		of := named.domain.set()
		above := 0
		for _, b := range slices.Concat(c.names, q.consts) {
			if b.of.same(of) {
				above++
			}
		}
		by := func(test func(v *variable) bool) (all []*variable) {
			for _, v := range m.variables {
				if len(v.keys) == 1 && v.keys[0].same(of) && test(v) {
					all = append(all, v)
				}
			}
			return all
		}
		states := append(by(func(v *variable) bool { return v.domain.kind == texts }), nil)
		for _, at := range by(func(v *variable) bool { return v.domain.kind == numbers && !v.domain.optional && !v.domain.absent }) {
			for _, state := range states {
				if above > 0 {
					all = append(all, levels{named, at, state, above})
				}
			}
		}
	}
	return all
}

// stays returns the clause that so many participants above a level leave the one that it names at it, and in how many
// cases reachable states bear it out; nil if some state does not. They count in as many values of state as possible, and
// the one that is named has as few of these as possible.
func (s *search) stays(l *levels) (c *clause, cases int) {
	type met struct {
		values []int // of state, of those above
		named  int   // that of the one that is named
		stays  bool
	}
	var all []met
	for _, c := range s.oracle {
		env := map[string]int{s.m.Size: c.g.n}
		lo, hi := c.g.value(l.named.keys[0].lo, env, nil), c.g.value(l.named.keys[0].hi, env, nil)
		first, last := c.g.value(l.named.domain.lo, env, nil), c.g.value(l.named.domain.hi, env, nil)
		for _, x := range c.g.states {
			value := func(v *variable, key int) int {
				if v == nil {
					return 0
				}
				return x[c.g.cellOf(v, []int{key})]
			}
			for level := lo; level < hi; level++ {
				var m met
				for p := first; p < last; p++ {
					if value(l.at, p) > level {
						m.values = append(m.values, value(l.state, p))
					}
				}
				if len(m.values) < l.above {
					continue
				}
				if w := value(l.named, level); w >= first && w < last {
					m.named, m.stays = value(l.state, w), value(l.at, w) == level
				}
				all = append(all, m)
			}
		}
	}
	counted := map[int]bool{0: l.state == nil}
	count := func(m met) (n int) {
		for _, x := range m.values {
			if counted[x] {
				n++
			}
		}
		return n
	}
	moves := func() bool {
		return slices.ContainsFunc(all, func(m met) bool { return !m.stays && count(m) >= l.above })
	}
	if l.state != nil {
		for _, code := range l.state.domain.codes {
			counted[code.N] = true
			if moves() {
				counted[code.N] = false
			}
		}
	}
	in := map[int]bool{}
	for _, m := range all {
		if count(m) >= l.above {
			in[m.named] = true
			cases++
		}
	}
	if cases == 0 || moves() {
		return nil, 0
	}
	of := l.named.domain.set()
	c = &clause{names: []binder{{"p_0", l.named.keys[0]}}}
	level := symbolic.Named("p_0")
	has := func(p *symbolic.Term, values map[int]bool) *symbolic.Term {
		if l.state == nil {
			return symbolic.Truth(true)
		}
		var any []*symbolic.Term
		for _, code := range l.state.domain.codes {
			if values[code.N] {
				any = append(any, symbolic.Equal(symbolic.Read(l.state, []*symbolic.Term{p}), code))
			}
		}
		return symbolic.Or(any...)
	}
	var premises []*symbolic.Term
	for i := range l.above {
		p := symbolic.Named(fmt.Sprintf("p_%d", i+1))
		for _, b := range c.names[1:] {
			premises = append(premises, symbolic.Not(symbolic.Equal(symbolic.Named(b.name), p)))
		}
		c.names = append(c.names, binder{p.Name, of})
		premises = append(premises, symbolic.Less(level, symbolic.Read(l.at, []*symbolic.Term{p})), has(p, counted))
	}
	w := symbolic.Read(l.named, []*symbolic.Term{level})
	c.body = symbolic.Implies(symbolic.And(premises...), symbolic.And(
		symbolic.Within(w, of.lo, of.hi), symbolic.Equal(symbolic.Read(l.at, []*symbolic.Term{w}), level), has(w, in)))
	return c, cases
}

// runCounting proves invariants of the file by counting where it can, and the rest by induction. It knows more reachable
// states than those of small sizes: with few levels, too much seems to be true.
func (s *search) runCounting(ctx context.Context) error {
	const steps = 20_000
	s.counting = true
	next := s.grounds[len(s.grounds)-1].n + 1
	for _, n := range []int{next, next + 2} {
		if s.m.Most != 0 && n > s.m.Most || s.m.work(n) > mostWork {
			continue
		}
		walked, err := s.m.walked(ctx, n, steps)
		if err != nil {
			return err
		}
		s.oracle = append(s.oracle, walked)
	}
	counted := false
	for i := range s.m.properties {
		p := &s.m.properties[i]
		c := clause{names: p.params, body: p.holds, says: p.name, own: true}
		added, err := s.addCounted(ctx, c)
		if err != nil {
			return err
		}
		if counted = counted || added; !added {
			s.add(&c)
		}
	}
	if !counted {
		s.missing = "no invariant of the file follows by counting"
		return nil
	}
	return s.closeGoals(ctx)
}

// addCounted adds an invariant of the file that follows by counting, and the clauses that this needs. It reports whether
// there are such clauses, and adds nothing if not.
func (s *search) addCounted(ctx context.Context, c clause) (added bool, err error) {
	clauses, goals := len(s.clauses), len(s.goals)
	type candidate struct {
		named *variable
		stays *clause
		cases int
	}
	var all []candidate
	for _, l := range s.m.levels(c) {
		if stays, cases := s.stays(&l); stays != nil {
			all = append(all, candidate{l.named, stays, cases})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return b.cases - a.cases }) // what says more comes first
	for _, l := range all {
		c.counts = l.named
		s.add(l.stays)
		s.add(&c)
		for _, g := range slices.Clone(s.goals[len(s.goals)-int(countingParts):]) {
			if err := s.strengthen(ctx, &g); err != nil {
				return false, err
			}
			if s.missing != "" {
				break
			}
		}
		if s.missing == "" {
			return true, nil
		}
		s.clauses, s.goals, s.missing = s.clauses[:clauses], s.goals[:goals], ""
	}
	return false, nil
}

// excludeBeside returns a clause that excludes a part of a state in which an invariant fails, and that is no consequence
// of this invariant: it excludes states in which the invariant holds, too. It is nil if none is found.
func (s *search) excludeBeside(ctx context.Context, v *view, of *clause) (*clause, error) {
	const tries = 6
	for limit := 1; limit <= mostElements; limit++ {
		elements := v.elements(func(of set) int { return min(limit, s.most(of)) })
		cube := v.literals(elements, s.counting)
		if s.isReachable(cube, elements) {
			continue
		}
		// Facts that the invariant is about are of more values first, while no reachable state has the cube. So these alone
		// need not be what makes it unreachable.
		for i := range cube {
			if x := cube[i].v; x != nil && of.body.Contains(func(t *symbolic.Term) bool { return t.Op == symbolic.OpRead && t.Of == x }) {
				cube = s.widenOne(cube, elements, i)
			}
		}
		var best []literal
		for try := range tries {
			var order []int
			if try > 0 {
				order = s.random.Perm(len(cube))
			}
			small := s.shrink(cube, elements, order)
			if best != nil && weight(small) >= weight(best) {
				continue
			}
			follows, err := s.follows(ctx, s.clause(small, elements), of)
			if err != nil {
				return nil, err
			}
			if !follows {
				best = small
			}
		}
		if best != nil {
			return s.clause(s.widen(best, elements), elements), nil
		}
	}
	return nil, nil
}

// follows reports whether one clause implies another.
func (s *search) follows(ctx context.Context, c, from *clause) (bool, error) {
	alone := &search{m: s.m, solver: s.solver, clauses: []clause{{names: from.names, body: from.body}}}
	proved, err := alone.proved(ctx, []goal{{of: c, follows: true}})
	return err == nil && len(proved) == 1 && proved[0], err
}
