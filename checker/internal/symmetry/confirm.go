package symmetry

import (
	"cmp"
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
	return confirmed(p, []program.Renaming{r}).why
}

// rest is the least part of a program, as far as is known, for which the program without it is mapped to itself by
// some renamings.
type rest struct {
	rules, invariants []bool
	final             bool
	why               error // what, for one, is not mapped to itself; nil if the rest is empty
	by                int   // the number of the renaming that why is about
}

// confirmed returns what renamings are not confirmed for. Whatever remains without it is confirmed for each of them,
// and so for all that they generate. A rule that is mapped to one of the rest belongs to it, too.
func confirmed(p *program.Program, renamings []program.Renaming) rest {
	c := newMeanings(p, len(renamings))
	left := rest{rules: make([]bool, len(p.Rules)), invariants: make([]bool, len(p.Invariants))}
	say := func(k int, err error) {
		if left.why == nil {
			left.why, left.by = err, k
		}
	}
	sides := make([]*renamed, len(renamings))
	for k, r := range renamings {
		sides[k] = c.renamed(r)
	}
	plain, before := make([]*ruleTerms, len(sides)), newRuleTerms(p, c.before.rule)
	trees := make([]*ruleTerms, len(sides))
	// Sums of values that are renamed are mapped to such sums in few machines, and their diagrams are large.
	sparing := func(d *diagrams) *ruleTerms {
		t := newRuleTerms(p, d.rule)
		t.term = func(i int) (int, error) {
			if slices.ContainsFunc(plain, func(after *ruleTerms) bool { _, err := after.of(i); return err != nil }) {
				defer func(most int) { d.most = most }(d.most)
				d.most = min(d.most, len(d.chosen)+mostOfSums)
			}
			return d.rule(&p.Rules[i])
		}
		return t
	}
	treesBefore := sparing(c.trees)
	for k, after := range sides {
		plain[k], trees[k] = newRuleTerms(p, after.rule), sparing(c.treesOf(after))
	}
	for more := true; more; {
		more = false
		for k := range sides {
			from, to := unmatched(among(left.rules), among(left.rules), before, plain[k])
			if len(from) > 0 {
				from, to = unmatched(from, to, treesBefore, trees[k])
			}
			if len(from) == 0 {
				continue
			}
			say(k, cmp.Or(plain[k].errs[to[0]], fmt.Errorf("rule %q is mapped to no rule", p.Rules[to[0]].Name)))
			for _, i := range append(from, to...) {
				left.rules[i], more = true, true
			}
		}
	}
	for k, after := range sides {
		same := func(what string, e *program.Expr) (same bool) {
			same, err := c.same(e, after, e)
			if err != nil {
				say(k, fmt.Errorf("%s: %w", what, err))
			} else if !same {
				say(k, fmt.Errorf("%s is not mapped to itself", what))
			}
			return err == nil && same
		}
		for i := range p.Invariants {
			v := &p.Invariants[i]
			if !same(fmt.Sprintf("the invariant %q", v.Name), &v.Holds) {
				left.invariants[i] = true
			}
		}
		if p.Final.Op != 0 && !same("the intended end", &p.Final) {
			left.final = true
		}
	}
	return left
}

// among returns the indices of rules that are not left out.
func among(left []bool) (all []int) {
	for i, is := range left {
		if !is {
			all = append(all, i)
		}
	}
	return all
}

// ruleTerms are the terms of a program's rules, found as they are asked for.
type ruleTerms struct {
	rules []program.Rule
	term  func(i int) (int, error)
	known []int // 0: not yet
	errs  []error
}

func newRuleTerms(p *program.Program, term func(*program.Rule) (int, error)) *ruleTerms {
	return &ruleTerms{
		rules: p.Rules, term: func(i int) (int, error) { return term(&p.Rules[i]) },
		known: make([]int, len(p.Rules)), errs: make([]error, len(p.Rules)),
	}
}

func (t *ruleTerms) of(i int) (int, error) {
	if t.known[i] == 0 && t.errs[i] == nil {
		var id int
		if id, t.errs[i] = t.term(i); t.errs[i] != nil {
			t.errs[i] = fmt.Errorf("rule %q: %w", t.rules[i].Name, t.errs[i])
		}
		t.known[i] = id + 1
	}
	return t.known[i] - 1, t.errs[i]
}

// unmatched pairs rules before and after a renaming that have the same term, and returns the others, as many of each.
func unmatched(before, after []int, termBefore, termAfter *ruleTerms) (from, to []int) {
	of := map[int][]int{}
	for _, i := range before {
		id, err := termBefore.of(i)
		if err != nil {
			from = append(from, i)
			continue
		}
		of[id] = append(of[id], i)
	}
	for _, i := range after {
		id, err := termAfter.of(i)
		if like := of[id]; err == nil && len(like) > 0 {
			of[id] = like[1:]
			continue
		}
		to = append(to, i)
	}
	for _, like := range of {
		from = append(from, like...)
	}
	return from, to
}

// meanings compares parts of a program with their images under renamings.
type meanings struct {
	program *program.Program
	*shared
	before *renamed
	trees  *diagrams
}

func newMeanings(p *program.Program, renamings int) *meanings {
	ids := &terms{ids: map[string]int{}}
	c := &meanings{program: p, shared: newShared(ids, (1+renamings)*mostTests), before: &renamed{terms: ids, vars: rewriting.Identity(p).Vars}}
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
