package symmetry

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/rewriting"
)

// Whether a renaming is a symmetry, decided on the program as it is written.
//
// Let g be a renaming: it maps states to states. Renaming a rule with g gives the
// rule that steps from g(s) to g(t) wherever the rule steps from s to t. So if g
// fixes the initial state and maps the multiset of rules to itself, it maps steps of
// the whole state space to steps, reachable states to reachable states and deadlocks
// to deadlocks; if it maps an invariant to itself, the invariant holds in s if and
// only if it holds in g(s). (Emerson & Sistla 1996, section 3; scalar sets make it so
// by construction, Ip & Dill 1996, theorem 3.) One check of the program then replaces
// a check in every state. Symmetries compose, so generators of a group are
// enough.
//
// Whether two rules mean the same is undecidable in practice; they are compared in a
// normal form (see terms), and then as decision diagrams (see diagrams). Both may
// distinguish equal rules, but never identify different ones. A renaming that is not
// confirmed here may still be a symmetry: of the reachable states, or by arithmetic
// beyond the normal form.

// Confirm returns nil if a renaming is a symmetry of the program as far as invariants,
// deadlocks and the intended end go; otherwise the error says what is not mapped to
// itself, which does not show that the renaming is not a symmetry. Responses and the names
// of rules, which fairness goes by, are ignored. The program must be one that Check
// accepts. Time is about linear in the program's size, but quadratic in the length of
// an effect.
func Confirm(p *program.Program, r program.Renaming) error {
	if err := check(p, r); err != nil {
		return err
	}
	if len(p.Starts) > 0 {
		if err := sameStarts(p, r); err != nil {
			return err
		}
	} else if err := sameStart(p, r); err != nil {
		return err
	}
	c := newMeanings(p)
	after := c.renamed(r)
	if err := sameRules(p, c.before.rule, after.rule); err != nil &&
		sameRules(p, c.trees.rule, c.treesOf(after).rule) != nil {
		return err
	}
	same := func(what string, e *program.Expr) error {
		same, err := c.same(e, after, e)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if !same {
			return fmt.Errorf("%s is not mapped to itself", what)
		}
		return nil
	}
	for i := range p.Invariants {
		v := &p.Invariants[i]
		if err := same(fmt.Sprintf("the invariant %q", v.Name), &v.Holds); err != nil {
			return err
		}
	}
	if p.Final.Op == 0 {
		return nil
	}
	return same("the intended end", &p.Final)
}

// meanings compares parts of a program with their images under renamings.
type meanings struct {
	program *program.Program
	*shared
	before *renamed
	trees  *diagrams
}

func newMeanings(p *program.Program) *meanings {
	ids := &terms{ids: map[string]int{}}
	c := &meanings{program: p, shared: newShared(ids), before: &renamed{terms: ids, vars: rewriting.Identity(p).Vars}}
	c.trees = c.treesOf(c.before)
	return c
}

func (c *meanings) renamed(r program.Renaming) *renamed {
	return &renamed{terms: c.before.terms, vars: r.Vars, values: steady(r.Values)}
}

func (c *meanings) treesOf(n *renamed) *diagrams { return &diagrams{n, c.program, c.shared} }

// same reports whether a condition, renamed, means the same as another. The error says why
// that is not known.
func (c *meanings) same(e *program.Expr, after *renamed, is *program.Expr) (bool, error) {
	a, err := c.before.truth(is)
	b, errAfter := after.truth(e)
	if err == nil && errAfter == nil && a == b {
		return true, nil
	}
	if a, err = c.trees.condition(nil, is); err == nil {
		b, err = c.treesOf(after).condition(nil, e)
	}
	return err == nil && a == b, err
}

// sameRules compares the rules before and after, by their terms, as multisets.
func sameRules(p *program.Program, before, after func(*program.Rule) (int, error)) error {
	count := map[int]int{}
	for i := range p.Rules {
		id, err := before(&p.Rules[i])
		if err != nil {
			return fmt.Errorf("rule %q: %w", p.Rules[i].Name, err)
		}
		count[id]++
	}
	for i := range p.Rules {
		id, err := after(&p.Rules[i])
		if err != nil {
			return fmt.Errorf("rule %q: %w", p.Rules[i].Name, err)
		}
		if count[id]--; count[id] < 0 {
			return fmt.Errorf("rule %q is mapped to no rule", p.Rules[i].Name)
		}
	}
	return nil
}

// steady drops tables that change no value.
func steady(values map[program.Var][]int) map[program.Var][]int {
	out := map[program.Var][]int{}
	for x, table := range values {
		if slices.ContainsFunc(table, func(v int) bool { return table[v] != v }) {
			out[x] = table
		}
	}
	return out
}

// sameStarts returns nil if a renaming maps each initial state to one.
func sameStarts(p *program.Program, r program.Renaming) error {
	starts := map[string]bool{}
	for _, s := range p.Initials() {
		starts[fmt.Sprint(s)] = true
	}
	image := make([]int, len(p.Variables))
	for k, s := range p.Initials() {
		for i, value := range s {
			if values := r.Values[program.Var(i)]; values != nil {
				value = values[value]
			}
			image[r.Vars[i]] = value
		}
		if !starts[fmt.Sprint(image)] {
			return fmt.Errorf("initial state %d is mapped to a state that is not initial", k+1)
		}
	}
	return nil
}

// sameStart returns nil if a renaming maps the only initial state to itself.
func sameStart(p *program.Program, r program.Renaming) error {
	for i, v := range p.Variables {
		after := v.Initial
		if values := r.Values[program.Var(i)]; values != nil {
			after = values[after]
		}
		if to := p.Variables[r.Vars[i]]; to.Initial != after {
			return fmt.Errorf("%s starts with %d, which is mapped to %d of %s, which starts with %d",
				v.Name, v.Initial, after, to.Name, to.Initial)
		}
	}
	return nil
}
