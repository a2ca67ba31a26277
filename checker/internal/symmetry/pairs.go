package symmetry

import (
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/compiled"
	"github.com/seed-105a2da2/unknot/checker/internal/orbit"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/rewriting"
)

// Rules that may be alike, checked one by one.
//
// Say a cell adds up requests, each a bit of the process that asks. Renaming processes maps the sum to the sum of the
// renamed bits only if no two are equal, which holds in the reachable states alone. But it is plain which rule
// would be mapped to which: by terms that take sums for mapped to sums (renamed.guess). Let g map r to r', with its
// guard, by such terms. If in s the step of r leads to t, and in g(s) that of r' leads to g(t), for all r
// whose guards hold in s, then g maps the steps of all of them from s to those from g(s). For r that depends on few
// variables, those that r, or r' after renaming, reads or sets, so few states need to be looked at.

// pairs are the rules that may be alike under the symmetries of a group. They are safe for concurrent use.
type pairs struct {
	all     *compiled.Machine   // all of these rules
	alone   []*compiled.Machine // by rule: it alone
	images  []symmetryFunc      // by symmetry, but the identity
	becomes [][]int             // by symmetry and rule: the rule that it may become
	shown   []*shown            // by rule
}

const mostPairs = 256 // rules

// pairsOf pairs the rules of p, which m has among others. It returns nil if that is not possible.
func pairsOf(m, all *compiled.Machine) *pairs {
	p := all.Program()
	renamings, err := Fieldwise(p)
	if err != nil || len(p.Rules) == 0 || len(p.Rules) > mostPairs {
		return nil
	}
	g, ok := orbit.NewGroup(renamings)
	if !ok {
		return nil
	}
	var by [][]int
	c := newMeanings(p, len(g.Generators))
	for _, k := range g.Generators {
		becomes := guessed(p, c, p.Renamings[k])
		if becomes == nil {
			return nil
		}
		by = append(by, becomes)
	}
	out := &pairs{all: all}
	moves := [][]int{make([]int, len(p.Rules))}
	for i := range p.Rules {
		moves[0][i] = i
	}
	for a := 1; a < g.Order(); a++ {
		of, generator := g.Made(int32(a))
		move := make([]int, len(p.Rules))
		for i := range move {
			move[i] = by[generator][moves[of][i]]
		}
		moves = append(moves, move)
		out.images = append(out.images, g.Renamings[a].Of(m.Layout()))
	}
	out.becomes = moves[1:]
	touched := make([]map[program.Var]bool, len(p.Rules))
	for i := range p.Rules {
		one := *p
		one.Rules = p.Rules[i : i+1]
		machine, err := one.Machine()
		if err != nil {
			return nil
		}
		out.alone = append(out.alone, compiled.New(machine))
		touched[i] = touches(&p.Rules[i])
	}
	for i := range p.Rules {
		counts := touched[i]
		all := make([]bool, len(p.Variables))
		for x := range all {
			all[x] = counts[program.Var(x)]
			for a := 0; a < len(out.becomes) && !all[x]; a++ {
				all[x] = touched[out.becomes[a][i]][program.Var(g.Renamings[a+1].To[x])]
			}
		}
		s := newShown(m, all)
		if s == nil {
			return nil
		}
		out.shown = append(out.shown, s)
	}
	return out
}

// touches returns the variables that a rule reads or sets.
func touches(r *program.Rule) map[program.Var]bool {
	u := rewriting.UsesOf(r.Effect)
	rewriting.Reads(u.Reads, &r.Guard)
	for x := range u.Sets {
		u.Reads[x] = true
	}
	return u.Reads
}

// guessed returns which rule each rule may become under a renaming; nil if that is not clear, or if a guard is not
// known to become that rule's.
func guessed(p *program.Program, c *meanings, r program.Renaming) []int {
	after := c.renamed(r)
	after.guess = true
	of, becomes := map[int][]int{}, make([]int, len(p.Rules))
	for i := range p.Rules {
		id, err := c.before.rule(&p.Rules[i])
		if err != nil {
			return nil
		}
		of[id] = append(of[id], i)
	}
	exact := c.renamed(r)
	for i := range p.Rules {
		id, err := after.rule(&p.Rules[i])
		if err != nil || len(of[id]) == 0 {
			return nil
		}
		becomes[i] = of[id][0]
		of[id] = of[id][1:]
		if same, _ := c.same(&p.Rules[i].Guard, exact, &p.Rules[becomes[i]].Guard); !same {
			return nil
		}
	}
	return becomes
}

// alike reports whether the symmetries are known to map the steps of these rules from a state to those from its images.
func (a *pairs) alike(s []uint64) bool {
	var few [64]int32
	for _, r := range a.all.Rules(few[:0], s) {
		if a.shown[r].has(s) {
			continue
		}
		to, err := a.alone[r].AppendSuccessors(nil, s)
		if err != nil {
			return false
		}
		for k, image := range a.images {
			next, err := a.alone[a.becomes[k][r]].AppendSuccessors(nil, image(nil, s))
			if err != nil || !slices.Equal(next, image(nil, to)) {
				return false
			}
		}
		a.shown[r].add(s)
	}
	return true
}
