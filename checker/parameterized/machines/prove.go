package machines

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/proofs/smt"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Proof is what is known about all sizes.
type Proof struct {
	Sizes      []int // that were checked one by one, ascending
	Further    []int // sizes at which the formulas were compared with the file after a proof, ascending
	Compared   int   // states, drawn ones included, in which the formulas were compared with the file
	Uncompared []Uncompared
	Differs    error // how formulas and file disagree at a further size; nil if they do not
	Clauses    []Clause
	Script     *smt.Script // the conditions for every size; nil if no invariant was found
	Solvers    []string    // those that prove Script
	Unproved   error       // why a solver does not; nil if none was asked, or all prove it
	Missing    string      // why no invariant was found
	Size       int         // the smallest size found at which an invariant of the file is violated; 0: none
	Result     *checker.Result
	Conditions int // that Script has

	Uncovered []Uncovered // situations in which nothing was compared, so that nothing is proved of the file

	clauses []clause // those of Clauses
}

// Clause is a part of the invariant, for readers.
type Clause struct {
	Says   string // a formula
	Own    bool   // an invariant of the file
	Counts string // the array with which it follows by counting; empty: it is proved by induction
}

// Verdict returns holds if both solvers prove the conditions and formulas and file agree in every situation, violated if a size is known at which an invariant is, and otherwise unknown.
func (p *Proof) Verdict() spec.Verdict {
	switch {
	case p.Size != 0:
		return spec.Violated
	case p.Differs == nil && len(p.Uncovered) == 0 && p.Script != nil && p.Unproved == nil && len(p.Solvers) == len(smt.Solvers()):
		return spec.Holds
	}
	return spec.Unknown
}

// Properties lists the names of what is proved.
func (m *Machine) Properties() (names []string) {
	for _, p := range m.properties {
		if !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}

// Prove checks small sizes, and then proves the invariants of the file for every size, or says what is missing. Without
// a proof it checks more sizes. Errors are those of input and cancellation.
func (m *Machine) Prove(ctx context.Context) (*Proof, error) {
	const few, many = 30_000, 200_000 // states of one size: that the search looks at; that are checked without a proof
	p := &Proof{}
	var grounds []*ground
	for n := m.Least; (m.Most == 0 || n <= m.Most) && n < m.Least+5 && m.work(n) <= mostWork; n++ {
		g, whole, err := m.check(ctx, p, n, few)
		if err != nil || p.Size != 0 {
			return p, err
		}
		if !whole {
			break
		}
		grounds = append(grounds, g)
	}
	switch {
	case m.work(m.Least) > mostWork:
		p.Missing = fmt.Sprintf("a state of the smallest size takes more than %d operators", mostWork)
	case len(grounds) == 0:
		p.Missing = fmt.Sprintf("the smallest size has more than %d states", few)
	default:
		if err := m.prove(ctx, p, grounds); err != nil {
			return p, err
		}
	}
	if p.Verdict() == spec.Holds {
		if err := m.compare(ctx, p); err != nil || p.Differs != nil {
			return p, err
		}
		return p, m.cover(ctx, p, grounds)
	}
	for n := m.Least + len(p.Sizes); (m.Most == 0 || n <= m.Most) && n < m.Least+12 && m.work(n) <= mostWork; n++ {
		file, err := m.load(ctx, n)
		if err != nil {
			return p, fmt.Errorf("at %s = %d: %w", m.Size, n, err)
		}
		r, err := m.explore(ctx, file, many)
		if err != nil {
			return p, err
		}
		if r.Verdict() == spec.Violated {
			p.Size, p.Result = n, r
		}
		if r.Verdict() == spec.Violated || !r.Complete {
			return p, nil
		}
		p.Sizes = append(p.Sizes, n)
	}
	return p, nil
}

// explore checks one size: the invariants of the file, and that no step is wrong.
func (m *Machine) explore(ctx context.Context, p *program.Program, most int64) (*checker.Result, error) {
	machine, err := p.Machine()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, v := range p.Invariants {
		if v.Cover == "" {
			names = append(names, v.Name)
		}
	}
	question := checker.Question{Properties: names, MaxStates: most}
	if len(names) == 0 { // no participants that the invariant is about: wrong steps are found with any property
		question.Properties, question.Explore = []string{spec.DeadlockFreedom.String()}, checker.Whole
	}
	r, err := checker.Explore(ctx, machine, question)
	if err == nil {
		r.Findings = slices.DeleteFunc(r.Findings, func(f checker.Finding) bool {
			return f.Property == spec.DeadlockFreedom.String()
		})
	}
	return r, err
}

// check checks one size, and compares the formulas with the file. It is whole if the size has at most so many states.
func (m *Machine) check(ctx context.Context, p *Proof, n, most int) (g *ground, whole bool, err error) {
	at := func(err error) error { return fmt.Errorf("%s at %s = %d: %w", m.file, m.Size, n, err) }
	file, err := m.load(ctx, n)
	if err != nil {
		return nil, false, at(err)
	}
	r, err := m.explore(ctx, file, int64(most))
	switch {
	case err != nil:
		return nil, false, at(err)
	case r.Verdict() == spec.Violated:
		p.Sizes, p.Size, p.Result = append(p.Sizes, n), n, r
		return nil, false, nil
	}
	if g, err = m.ground(n, file); err != nil {
		return nil, false, at(err)
	}
	whole, err = g.reach(ctx, most)
	if err != nil {
		return nil, false, at(err)
	}
	compared, err := g.agrees(ctx)
	p.Compared += compared
	if err != nil {
		return nil, false, at(err)
	}
	if whole {
		p.Sizes = append(p.Sizes, n)
	}
	return g, whole, nil
}

// prove looks for an invariant, and has the solvers decide the conditions.
func (m *Machine) prove(ctx context.Context, p *Proof, grounds []*ground) error {
	solvers := smt.Solvers()
	var oracle []*columns
	for _, g := range grounds {
		oracle = append(oracle, newColumns(g))
	}
	const longest = 5 * time.Minute
	within, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	begin := func() *search {
		return &search{m: m, solver: solvers[0], grounds: grounds, oracle: oracle, random: rand.New(rand.NewPCG(1, 2))}
	}
	s := begin()
	err := s.run(within)
	if err == nil && s.missing != "" && !s.large {
		counting := begin()
		if err := counting.runCounting(within); err == nil && counting.missing == "" {
			s = counting
		}
	}
	if ctx.Err() == nil && within.Err() != nil {
		err, s.missing = nil, fmt.Sprintf("the search for one took longer than %v", longest)
	}
	p.Missing = s.missing
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		p.Unproved = err
		return nil
	case s.missing != "":
		return nil
	}
	text, err := s.script(ctx, p)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		p.Unproved = err
		return nil
	}
	if p.Script, err = smt.Parse(m.file+".smt2", text); err != nil {
		return err
	}
	for _, v := range solvers {
		if err := v.Run(ctx, p.Script); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			p.Unproved = err
			return nil
		}
		p.Solvers = append(p.Solvers, v.Name)
	}
	return nil
}

// run proves the invariants of the file by induction.
func (s *search) run(ctx context.Context) error {
	for i := range s.m.properties {
		p := &s.m.properties[i]
		c := clause{names: p.params, body: p.holds, says: p.name, own: true}
		s.add(&c)
	}
	return s.closeGoals(ctx)
}

// closeGoals adds clauses to the invariants of the file until all goals are reached, or none can be added.
func (s *search) closeGoals(ctx context.Context) error {
	met := map[string]bool{}
	for i := range s.m.rules {
		for j := range s.m.rules[i].paths {
			path := &s.m.rules[i].paths[j]
			for k := range path.owed {
				o := &path.owed[k]
				if key := fmt.Sprint(o.params, o.must); !met[key] {
					met[key] = true
					says := fmt.Sprintf("%s: not %s", o.at, o.says)
					s.goals = append(s.goals, goal{path: path, owed: o, rule: s.m.rules[i].name, says: says})
				}
			}
		}
	}
	for i := 0; i < len(s.goals); {
		batch := s.goals[i:]
		i = len(s.goals)
		proved, err := s.proved(ctx, batch)
		if err != nil || s.missing != "" {
			return err
		}
		for j := range batch {
			if proved[j] {
				continue
			}
			if err := s.strengthen(ctx, &batch[j]); err != nil || s.missing != "" {
				return err
			}
		}
	}
	return nil
}

// strengthen adds clauses until no state that satisfies them breaks a goal.
func (s *search) strengthen(ctx context.Context, g *goal) error {
	const mostClauses = 300
	for {
		v, err := s.counterexample(ctx, g)
		if err != nil || v == nil {
			return err
		}
		var c *clause
		if g.counts != nil {
			if c, err = s.excludeBeside(ctx, v, g.of); err != nil {
				return err
			}
		} else {
			c = s.exclude(v)
		}
		if c == nil {
			first, last := s.grounds[0], s.grounds[len(s.grounds)-1]
			s.missing = fmt.Sprintf("after %s, some state breaks %s; no clause excludes it, as reachable states of %s = %d to "+
				"%d have all of its parts with at most %d participants of a set", words.Plural(len(s.clauses), "clause"),
				s.text(g), s.m.Size, first.n, last.n, mostElements)
			return nil
		}
		if len(s.clauses) >= mostClauses {
			s.missing = fmt.Sprintf("%d clauses are not inductive", len(s.clauses))
			return nil
		}
		s.add(c)
	}
}

// text says what a goal is.
func (s *search) text(g *goal) string {
	switch {
	case g.owed != nil:
		return g.says
	case g.path == nil:
		return "initially: " + g.of.infix(s.m)
	}
	return "with a step of " + g.rule + ": " + g.of.infix(s.m)
}

// proved asks the solver about many goals at once. It ends early if a query is too large.
func (s *search) proved(ctx context.Context, goals []goal) (proved []bool, err error) {
	const long = 32 << 20 // bytes of a text for the solver, from which on the next goals have another one
	for len(proved) < len(goals) && err == nil && s.missing == "" {
		var some []bool
		some, err = s.provedOnce(ctx, goals[len(proved):], long)
		proved = append(proved, some...)
	}
	return proved, err
}

// provedOnce asks about the first goals, at least one.
func (s *search) provedOnce(ctx context.Context, goals []goal, long int) ([]bool, error) {
	var b strings.Builder
	b.WriteString("(set-option :timeout 10000)\n" + s.m.preamble())
	for i := range goals {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if b.Len() > long {
			goals = goals[:i]
			break
		}
		q := s.m.ask(&goals[i], s.clauses)
		if q.room < 0 {
			s.missing, s.large = errLarge.Error(), true
			return nil, nil
		}
		b.WriteString("(push 1)\n")
		q.declare(&b)
		for _, t := range slices.Concat(q.asserts, q.domains()) {
			fmt.Fprintf(&b, "(assert %s)\n", t)
		}
		for _, u := range q.uses {
			fmt.Fprintf(&b, "(assert %s)\n", u.says)
		}
		b.WriteString("(check-sat)\n(pop 1)\n")
	}
	out, err := s.solver.Output(ctx, b.String())
	if err != nil {
		return nil, err
	}
	answers := strings.Fields(out)
	if len(answers) != len(goals) {
		return nil, fmt.Errorf("%s gives %d answers to %d questions", s.solver.Name, len(answers), len(goals))
	}
	proved := make([]bool, len(goals))
	for i, a := range answers {
		proved[i] = a == string(smt.Unsat)
	}
	return proved, nil
}

// add adds a clause with its goals: it holds initially, and each step keeps it.
func (s *search) add(c *clause) {
	s.clauses = append(s.clauses, *c)
	number := len(s.clauses)
	c = &s.clauses[number-1]
	own := *c
	if c.counts != nil {
		s.goals = append(s.goals, c.counts.goals(&own, number)...)
		return
	}
	s.goals = append(s.goals, goal{of: &own, number: number, rule: "no rule"})
	for i := range s.m.rules {
		for j := range s.m.rules[i].paths {
			path := &s.m.rules[i].paths[j]
			if !slices.ContainsFunc(path.conds, func(c *symbolic.Term) bool { return c.IsFalse() }) && path.touches(own.body) {
				s.goals = append(s.goals, goal{of: &own, number: number, path: path, rule: s.m.rules[i].name})
			}
		}
	}
}

// touches reports whether a path assigns something that a formula reads.
func (p *path) touches(t *symbolic.Term) bool {
	return t.Contains(func(u *symbolic.Term) bool { return u.Op == symbolic.OpRead && len(p.updates[variableOf(u)]) > 0 })
}
