package machines

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/spec"
)

// script writes the conditions of the clauses that the proof needs, each with the instances that it needs: those of an
// unsatisfiable core.
func (s *search) script(ctx context.Context, p *Proof) (string, error) {
	needed := map[int]bool{}
	for i := range s.clauses {
		needed[i] = s.clauses[i].own
	}
	done := map[int]*proved{}
	for {
		var round []*proved
		operators := 0
		for i := range s.goals {
			g := &s.goals[i]
			if done[i] != nil || g.of != nil && !needed[g.number-1] {
				continue
			}
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			d := &proved{goal: g, q: s.m.ask(g, s.clauses)}
			if d.q.room < 0 {
				return "", errLarge
			}
			done[i], round = d, append(round, d)
			if operators += mostOperators - d.q.room; operators > mostOperators {
				break // the other goals have another round, as each keeps its instances until then
			}
		}
		if len(round) == 0 {
			break
		}
		if err := s.cores(ctx, round); err != nil {
			return "", err
		}
		for _, d := range round {
			for _, u := range d.uses {
				needed[u.clause] = true
			}
			d.q.uses = nil
		}
	}
	number := map[int]int{} // of the clauses that are needed, from 1
	var b strings.Builder
	b.WriteString(s.m.preamble())
	for i := range s.clauses {
		if !needed[i] {
			continue
		}
		c := &s.clauses[i]
		p.clauses = append(p.clauses, *c)
		number[i] = len(number) + 1
		says := Clause{Says: c.infix(s.m), Own: c.own}
		if c.counts != nil {
			says.Counts = c.counts.name
		}
		p.Clauses = append(p.Clauses, says)
		if c.body.IsQuantified() {
			continue // its instances are written out
		}
		var params []string
		scope := symbolic.Truth(true)
		for _, n := range c.names {
			params = append(params, "("+n.name+" Int)")
			scope = symbolic.And(scope, symbolic.Within(symbolic.Named(n.name), n.of.lo, n.of.hi))
		}
		fmt.Fprintf(&b, "; clause %d: %s\n(define-fun clause.%d (%s) Bool %s)\n", number[i],
			spec.Printable(c.infix(s.m)), number[i], strings.Join(params, " "), symbolic.Implies(scope, c.body))
	}
	for i := range s.goals {
		d := done[i]
		if d == nil {
			continue
		}
		p.Conditions++
		g := d.goal
		switch {
		case g.owed != nil:
			fmt.Fprintf(&b, "(push 1)\n; %s\n", spec.Printable(g.says))
		case g.counts != nil:
			fmt.Fprintf(&b, "(push 1)\n; clause %d, by counting with %s: %s\n", number[g.number-1],
				spec.Printable(g.counts.of.name), g.counts.part)
		case g.path == nil:
			fmt.Fprintf(&b, "(push 1)\n; clause %d is true of initial states\n", number[g.number-1])
		default:
			fmt.Fprintf(&b, "(push 1)\n; a step of %s keeps clause %d\n", spec.Printable(g.rule), number[g.number-1])
		}
		d.q.declare(&b)
		for _, t := range slices.Concat(d.q.asserts, d.says) {
			fmt.Fprintf(&b, "(assert %s)\n", t)
		}
		for _, u := range d.uses {
			if s.clauses[u.clause].body.IsQuantified() {
				fmt.Fprintf(&b, "(assert %s)\n", u.says)
				continue
			}
			args := ""
			for _, a := range u.args {
				args += " " + a.String()
			}
			if args == "" {
				fmt.Fprintf(&b, "(assert clause.%d)\n", number[u.clause])
			} else {
				fmt.Fprintf(&b, "(assert (clause.%d%s))\n", number[u.clause], args)
			}
		}
		b.WriteString("(set-info :status unsat)\n(check-sat)\n(pop 1)\n")
	}
	return s.m.header() + b.String(), nil
}

// proved is a goal with what it needs.
type proved struct {
	goal *goal
	q    *query
	uses []instance
	says []*symbolic.Term // of the domains
}

// cores finds the instances of clauses and domains that queries need to be unsatisfiable.
func (s *search) cores(ctx context.Context, all []*proved) error {
	var b strings.Builder
	b.WriteString("(set-option :produce-unsat-cores true)\n(set-option :timeout 20000)\n" + s.m.preamble())
	for i, d := range all {
		b.WriteString("(push 1)\n")
		d.q.declare(&b)
		for _, t := range d.q.asserts {
			fmt.Fprintf(&b, "(assert %s)\n", t)
		}
		for j, t := range d.q.domains() {
			fmt.Fprintf(&b, "(assert (! %s :named d_%d_%d))\n", t, i, j)
		}
		for j, u := range d.q.uses {
			fmt.Fprintf(&b, "(assert (! %s :named u_%d_%d))\n", u.says, i, j)
		}
		b.WriteString("(check-sat)\n(get-unsat-core)\n(pop 1)\n")
	}
	out, err := s.solver.Output(ctx, b.String())
	if err != nil {
		return err
	}
	core := map[string]bool{}
	for _, w := range strings.FieldsFunc(out, func(c rune) bool { return strings.ContainsRune("() \n", c) }) {
		core[w] = true
	}
	for i, d := range all {
		for j, t := range d.q.domains() {
			if core[fmt.Sprintf("d_%d_%d", i, j)] {
				d.says = append(d.says, t)
			}
		}
		for j, u := range d.q.uses {
			if core[fmt.Sprintf("u_%d_%d", i, j)] {
				d.uses = append(d.uses, u)
			}
		}
	}
	return nil
}

func (m *Machine) header() string {
	return fmt.Sprintf(`; written by unknot
; %s, for every %s >= %d.
;
; Proved, if every answer is as its status says: the clauses hold in every reachable state, as they hold initially and
; each step keeps them, or follow from those by counting, and no step is wrong. The invariants of the file are among them.
; By counting: an array has another participant as value for each of its keys, and none of those for which the clause
; fails. Together these are more than there are participants, so the clause does not fail (the pigeonhole principle).
; A condition has a state before a step and its negated conclusion, with those instances of the clauses and of the
; domains of the variables that it needs. Constants c_1, c_2 ... name the participants.
; Assumed: the formulas are those of the file; unknot compared both at some sizes.
`, spec.Printable(m.file), m.Size, m.Least)
}

// infix writes a clause for readers, with letters for participants.
func (c *clause) infix(m *Machine) string {
	by := map[string]*symbolic.Term{}
	letter := func(i int) string {
		name := string(rune('a' + i%26))
		if name == m.Size {
			name += name
		}
		return name
	}
	var names []string
	for i, n := range c.names {
		names = append(names, letter(i))
		by[n.name] = symbolic.Named(names[i])
	}
	made := len(names)
	var bound func(t *symbolic.Term) *symbolic.Term // renames what is bound within
	bound = func(t *symbolic.Term) *symbolic.Term {
		if t.Op == symbolic.OpEvery || t.Op == symbolic.OpExists {
			name := letter(made)
			made++
			inner := t.Args[2].Replace(map[string]*symbolic.Term{t.Name: symbolic.Named(name)})
			t = &symbolic.Term{Op: t.Op, Name: name, Args: []*symbolic.Term{t.Args[0], t.Args[1], inner}}
		}
		return t.Each(bound)
	}
	if c.facts == nil {
		text := bound(c.body.Replace(by)).Infix()
		if len(names) > 0 {
			text = "for all " + strings.Join(names, ", ") + ": " + text
		}
		return text
	}
	var facts, lacks []string // the latter: what is not true
	for _, f := range c.facts {
		f = f.Replace(by)
		text := f.Infix()
		if x, _ := f.Values(); x == nil && (f.Op == symbolic.OpAnd || f.Op == symbolic.OpOr) {
			text = "(" + text + ")"
		}
		if f.Op == symbolic.OpNot && f.Args[0].Op == symbolic.OpRead {
			lacks = append(lacks, text)
		} else {
			facts = append(facts, text)
		}
	}
	switch text := strings.Join(append(facts, lacks...), " and "); len(names) {
	case 0:
		return "never: " + text
	case 1:
		return "for no " + names[0] + ": " + text
	default:
		return "for no different " + strings.Join(names, ", ") + ": " + text
	}
}
