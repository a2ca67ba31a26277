package machines

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/proofs/smt"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// A situation is what the reader knows where it reads a part of the file: the participants and conditions in scope,
// and how a comparison turns out there. It never knows more of the size or the state. So if it misreads an
// expression, it does so in every state of any size that has the same situation, and a comparison in one of them
// meets it.
//
// So comparisons are complete if each situation that some reachable state of some size has is met by one:
//
//   - Those that states of small sizes have are met there.
//   - Of the others, both solvers say which no state has in which the invariant holds. That is sound, though the
//     invariant is one of the formulas: formulas and file agree on the way to the first state that they misread, so
//     the invariant is true of that state.
//   - Of what is left, a solver gives the smallest size, and a part of a state. The rest is that of a state on a
//     random walk, and formulas and file are compared in the whole.
//
// Where this fails, as the size is too large or no such state is found, the verdict is unknown. What it does not
// show is that an operator is right for all numbers of one situation.
type situation struct {
	at     syntax.Position
	params []binder
	cond   *symbolic.Term
	says   *symbolic.Term // the part of it for which it was noted
	top    bool           // of the top level: a part of an initial value, or of a number that depends on the size
}

// Uncovered is a situation of the file in which the formulas were not compared with it, though some state of some
// size may have it.
type Uncovered struct {
	Line      int    // 0: not of one place
	Condition string // that is true there, beside others
	Size      int    // the smallest that has it; 0: unknown
	Why       string
}

const mostSituations = 10_000

// MeetCompared notes a comparison of numbers, and how it can turn out.
func (r *reader) MeetCompared(a, b *symbolic.Term) {
	r.Reader.MeetCompared(a, b)
	for _, t := range []*symbolic.Term{a, b} {
		t.Visit(func(u *symbolic.Term) {
			if u.Op == symbolic.OpCases {
				r.noteBoth(u.Args[0])
			}
		})
	}
	for _, c := range []*symbolic.Term{symbolic.Less(a, b), symbolic.Equal(a, b), symbolic.Less(b, a)} {
		r.note(c)
	}
}

func (r *reader) noteBoth(cond *symbolic.Term) {
	r.note(cond)
	r.note(symbolic.Not(cond))
}

// note keeps the situation in which cond is true, beside what is in scope.
func (r *reader) note(cond *symbolic.Term) {
	s := &situation{at: r.At, says: cond, top: r.run == nil}
	all := slices.Clone(r.guard)
	if r.run != nil {
		s.params = slices.Clone(r.run.params)
		all = append(slices.Clone(r.run.conds), all...)
	}
	s.params = append(s.params, r.scopes...)
	s.cond = symbolic.And(append(all, cond)...)
	if s.cond.IsFalse() || s.cond.IsTrue() && len(s.params) == 0 || r.m.crowded {
		return
	}
	key := s.cond.String()
	for _, p := range s.params {
		key += " " + p.name
	}
	if r.noted[key] {
		return
	}
	if r.noted == nil {
		r.noted = map[string]bool{}
	}
	r.noted[key] = true
	r.m.situations = append(r.m.situations, s)
	r.m.crowded = len(r.m.situations) == mostSituations
}

// isIn reports whether a state has a situation, for some participants.
func (g *ground) isIn(at *situation, s state) bool {
	found := false
	env := map[string]int{g.m.Size: g.n}
	g.each(at.params, env, func() bool {
		found = g.value(at.cond, env, s) != 0
		return !found
	})
	return found
}

// unmet returns the situations that no state has in which steps can be compared, as far as the budget of operators
// goes.
func (g *ground) unmet(
	ctx context.Context, open []*situation, states []state, budget int,
) (left []*situation, err error) {
	left = slices.DeleteFunc(slices.Clone(open), func(s *situation) bool { return s.top && g.isIn(s, nil) })
	before := g.evaluated
	for _, s := range states {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if g.evaluated-before > budget || len(left) == 0 {
			return left, nil
		}
		met := func(at *situation) bool { return !at.top && g.isIn(at, s) }
		if some := slices.DeleteFunc(slices.Clone(left), met); len(some) < len(left) {
			if compared, err := g.agreesIn(s); err != nil {
				return nil, err
			} else if compared {
				left = some
			}
		}
	}
	return left, nil
}

// goal asks whether a situation is one of no state.
func (at *situation) goal() *goal {
	owed := &obligation{at: at.at, params: at.params, must: symbolic.Not(at.cond)}
	return &goal{path: &path{}, owed: owed}
}

// limits bound the time for one answer, without which a situation counts as one of some state.
var limits = map[string]string{
	"z3": "(set-option :timeout 10000)\n", "cvc5": "(set-option :tlimit-per 10000)\n",
}

// impossible says which situations both solvers say to be those of no state.
func (m *Machine) impossible(ctx context.Context, open []*situation, clauses []clause) (none []bool, err error) {
	none = make([]bool, len(open))
	var b strings.Builder
	asks := make([]bool, len(open))
	asked := 0
	for i, at := range open {
		q := m.ask(at.goal(), clauses)
		if asks[i] = q.room >= 0; !asks[i] {
			continue
		}
		none[i] = true
		asked++
		b.WriteString("(push 1)\n")
		q.write(&b)
		b.WriteString("(check-sat)\n(pop 1)\n")
	}
	for _, v := range smt.Solvers() {
		out, err := v.Output(ctx, limits[v.Name]+m.preamble()+m.accepted()+b.String())
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		answers := strings.Fields(out)
		if err != nil || len(answers) != asked {
			return make([]bool, len(open)), nil
		}
		for i := range none {
			if asks[i] {
				none[i], answers = none[i] && answers[0] == string(smt.Unsat), answers[1:]
			}
		}
	}
	return none, nil
}

// accepted says which sizes the file accepts.
func (m *Machine) accepted() string {
	if m.Most == 0 {
		return ""
	}
	return fmt.Sprintf("(assert (<= %s %d))\n", m.Size, m.Most)
}

// write writes what a query asserts.
func (q *query) write(b *strings.Builder) {
	q.declare(b)
	for _, t := range slices.Concat(q.asserts, q.domains()) {
		fmt.Fprintf(b, "(assert %s)\n", t)
	}
	for _, u := range q.uses {
		fmt.Fprintf(b, "(assert %s)\n", u.says)
	}
}

// part is what a solver says of a state: the values of some variables, at keys.
type part struct {
	n      int
	cells  []cellValue
	params []int // of the situation
}

type cellValue struct {
	v     *variable
	keys  []int
	value int
}

// least returns the smallest size that has a situation, with a part of a state; nil if the solver does not say.
func (m *Machine) least(ctx context.Context, at *situation, clauses []clause) (*part, error) {
	q := m.ask(at.goal(), clauses)
	var b strings.Builder
	solver := smt.Solvers()[0]
	// Optimization is not part of the logic of quantifier-free formulas.
	b.WriteString(limits[solver.Name] + strings.Replace(m.preamble(), "(set-logic QF_UFLIA)\n", "", 1) + m.accepted())
	q.write(&b)
	names := []string{m.Size}
	ask := func(name string, t *symbolic.Term) {
		text := t.String()
		if t.IsTruth() {
			text = "(ite " + text + " 1 0)"
		}
		fmt.Fprintf(&b, "(declare-const %s Int)\n(assert (= %s %s))\n", name, name, text)
		names = append(names, name)
	}
	var reads []*symbolic.Term
	q.eachRead(func(t *symbolic.Term) {
		ask(fmt.Sprintf("r_%d", len(reads)), t)
		for j, k := range t.Args {
			ask(fmt.Sprintf("r_%d_%d", len(reads), j), k)
		}
		reads = append(reads, t)
	})
	for i := range at.params {
		names = append(names, q.consts[i].name)
	}
	fmt.Fprintf(&b, "(minimize %s)\n(check-sat)\n(get-value (%s))\n", m.Size, strings.Join(names, " "))
	out, err := solver.Output(ctx, b.String())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, nil // no answer, which the caller says
	}
	found, err := smt.Values(out)
	if err != nil || len(found) == 0 {
		return nil, nil
	}
	const most = 1 << 30
	value := func(name string) int {
		if x := found[name]; x != nil && x.IsInt() && x.Num().IsInt64() {
			return int(min(max(x.Num().Int64(), -most), most))
		}
		return most
	}
	p := &part{n: value(m.Size)}
	for i, t := range reads {
		c := cellValue{v: variableOf(t), value: value(fmt.Sprintf("r_%d", i))}
		for j := range t.Args {
			c.keys = append(c.keys, value(fmt.Sprintf("r_%d_%d", i, j)))
		}
		p.cells = append(p.cells, c)
	}
	for i := range at.params {
		p.params = append(p.params, value(q.consts[i].name))
	}
	return p, nil
}

// cover compares the formulas with the file in the situations that were not met yet, and notes those in which it
// cannot. A disagreement is in p.
func (m *Machine) cover(ctx context.Context, p *Proof, grounds []*ground) error {
	const evaluations, mostParts = 20_000_000, 300
	if m.crowded {
		p.Uncovered = append(p.Uncovered, Uncovered{Why: fmt.Sprintf("there are %d situations or more", mostSituations)})
		return nil
	}
	open := m.situations
	for _, g := range grounds {
		var err error
		if open, err = g.unmet(ctx, open, g.some(), evaluations/len(grounds)); err != nil {
			return err
		}
	}
	none, err := m.impossible(ctx, open, p.clauses)
	if err != nil {
		return err
	}
	grown := map[int]*walker{}
	count := 0
	for i, at := range open {
		if none[i] {
			continue
		}
		left := func(size int, why string) {
			p.Uncovered = append(p.Uncovered, Uncovered{int(at.at.Line), at.says.Infix(), size, why})
		}
		if count++; count > mostParts {
			left(0, fmt.Sprintf("%d situations were compared before it", mostParts))
			continue
		}
		part, err := m.least(ctx, at, p.clauses)
		switch {
		case err != nil:
			return err
		case part == nil:
			left(0, "a solver finds no size that has it, and not both say that there is none")
			continue
		}
		w := grown[part.n]
		if w == nil {
			var why string
			if w, why, err = m.walker(ctx, part.n); err != nil {
				return err
			} else if why != "" {
				left(part.n, why)
				continue
			}
			if w != nil {
				grown[part.n] = w
			}
		}
		met, err := w.meets(ctx, p, at, part)
		if err != nil {
			if ctx.Err() == nil {
				p.Differs = fmt.Errorf("at %s = %d: %w", m.Size, part.n, err)
				return nil
			}
			return err
		}
		if !met {
			left(part.n, "no state was found in which steps can be compared")
		}
	}
	return nil
}

// walker makes states of one size.
type walker struct {
	*ground
	file   *program.Program
	random *rand.Rand
	at     []int
	steps  int
}

// walker returns one; or why there is none.
func (m *Machine) walker(ctx context.Context, n int) (w *walker, why string, err error) {
	if m.work(n) > mostWork {
		return nil, fmt.Sprintf("a state of %s = %d takes more than %d operators", m.Size, n, mostWork), nil
	}
	file, err := m.load(ctx, n)
	var large *spec.BoundError
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case errors.As(err, &large):
		return nil, "the file is too large: " + err.Error(), nil
	case err != nil:
		return nil, "", fmt.Errorf("at %s = %d: %w", m.Size, n, err)
	}
	g, err := m.ground(n, file)
	if err != nil {
		return nil, "", fmt.Errorf("at %s = %d: %w", m.Size, n, err)
	}
	if err := g.agreesAtFirst(); err != nil {
		return nil, "", fmt.Errorf("at %s = %d: %w", m.Size, n, err)
	}
	return &walker{ground: g, file: file, random: rand.New(rand.NewPCG(uint64(n), 5))}, "", nil
}

// next returns the next state of a random walk, which starts again after some steps.
func (w *walker) next() state {
	const length = 60
	if w.steps%length == 0 || w.at == nil {
		initials := w.file.Initials()
		w.at = slices.Clone(initials[w.random.IntN(len(initials))])
	}
	w.steps++
	s := w.ours(w.at)
	w.at = w.stroll(w.at, w.random, nil)
	return s
}

// meets compares formulas and file in a state that has a situation, made of a part that has it and a state of a
// walk. It is false if none was found.
func (w *walker) meets(ctx context.Context, p *Proof, at *situation, of *part) (bool, error) {
	const tries = 200
	if at.top {
		return true, nil // initial values were compared
	}
	for range tries {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		s := slices.Clone(w.next())
		for _, c := range of.cells {
			i := w.cellOf(c.v, c.keys)
			if i >= 0 && slices.Contains(w.cells[i].codes, c.value) {
				s[i] = c.value
			}
		}
		w.fill(s)
		if !w.isIn(at, s) {
			continue
		}
		p.Compared++
		if compared, err := w.agreesIn(s); err != nil || compared {
			return compared, err
		}
	}
	return false, nil
}
