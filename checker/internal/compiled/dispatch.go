package compiled

import (
	"cmp"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Which rules can step, decided by the variables that most guards read.
//
// A rule whose effect is a tree of choices is treated as one rule for each leaf of the tree,
// only one of which can step at a time. To keep the rules few, only the first two variables
// that the tree tests are split on.
//
// A filter is a table indexed by the values of adjacent variables: for each of 64 rules, a bit
// that says whether its guard admits the values. A block of rules has the filters that should
// be worth their lookup; the rest of a guard is evaluated for the rules that pass them all.

const (
	blockRules = 64
	worth      = 0.05 // the least gain of a filter: guards that need not be evaluated, each worth many lookups
)

// leaf is a rule, or one branch of its effect.
type leaf struct {
	rule   int
	guard  formula
	effect []program.Stmt
}

// split appends the leaves of l if it is a tree of choices. on lists the variables split on so far.
func (c *compiler) split(leaves []leaf, l leaf, on []program.Var) []leaf {
	if len(l.effect) != 1 || l.effect[0].Assigns() {
		return append(leaves, l)
	}
	s := &l.effect[0]
	c.assume(l.guard)
	cond := c.truth(&s.Cond)
	c.forget(0)
	again := slices.Contains(on, cond.x)
	if cond.shape > member || cond.shape == member && !again && len(on) == 2 {
		return append(leaves, l)
	}
	if cond.shape == member && !again {
		on = append(slices.Clone(on), cond.x)
	}
	for i, branch := range [][]program.Stmt{s.Then, s.Else} {
		taken := cond
		if i == 1 {
			taken = c.not(cond)
		}
		guard := c.conjunction(2, func(k int) formula { return []formula{l.guard, taken}[k] })
		if guard.shape != never {
			leaves = c.split(leaves, leaf{l.rule, guard, branch}, on)
		}
	}
	return leaves
}

type block struct {
	rules   uint64 // those that can step at all
	filters []filter
}

type filter struct {
	place
	rows []uint64 // by value
}

// candidates returns the rules of a block whose guards the filters let pass.
func (b *block) candidates(s []uint64) uint64 {
	rules := b.rules
	for i := range b.filters {
		f := &b.filters[i]
		rules &= f.rows[f.of(s)]
	}
	return rules
}

// part is a conjunct of a guard.
type part struct {
	formula
	at   place
	fits bool // into a filter: it reads one place only
	odds float64
}

// block makes the filters of up to 64 rules and reduces their guards to what the filters
// do not check.
func (c *compiler) block(guards []formula) block {
	var b block
	passes := make([]float64, len(guards)) // the fraction of states in which a rule passes, if values were uniform
	parts := make([][]part, len(guards))
	var spans []place
	for i, g := range guards {
		if passes[i] = 1; g.shape != never {
			b.rules |= 1 << i
		}
		for _, f := range g.conjuncts() {
			p := part{formula: f, odds: c.odds(f)}
			if p.at, p.fits = c.span(f); p.fits {
				spans = append(spans, p.at)
			}
			parts[i] = append(parts[i], p)
		}
	}
	slices.SortFunc(spans, func(a, b place) int { return cmp.Or(a.compare(b), cmp.Compare(a.mask, b.mask)) })
	spans = slices.Compact(spans)
	var wide []place // places that filters can cover
	seen := map[place]bool{}
	for i, at := range spans {
		for _, last := range spans[i:] {
			if both, fits := at.join(last); fits && !seen[both] {
				seen[both] = true
				wide = append(wide, both)
			}
		}
	}
	for {
		best, most := place{}, worth
		for _, at := range wide {
			if gain := gain(parts, passes, at); gain > most {
				best, most = at, gain
			}
		}
		if most == worth {
			break
		}
		b.filters = append(b.filters, c.filter(parts, passes, best))
	}
	for i := range guards {
		guards[i] = formula{shape: all}
		for _, p := range parts[i] {
			guards[i].parts = append(guards[i].parts, p.formula)
		}
	}
	return b
}

// gain returns how many fewer guards are evaluated after a filter.
func gain(parts [][]part, passes []float64, at place) (gain float64) {
	for i := range parts {
		odds := 1.0
		for k := range parts[i] {
			if p := &parts[i][k]; p.fits && at.covers(p.at) {
				odds *= p.odds
			}
		}
		gain += passes[i] * (1 - odds)
	}
	return gain
}

// filter makes a filter and removes what it checks from the guards.
func (c *compiler) filter(parts [][]part, passes []float64, at place) filter {
	var passing [1 << sideBits]uint64
	f := filter{at, slices.Repeat([]uint64{^uint64(0)}, int(at.mask)+1)}
	for i := range parts {
		parts[i] = slices.DeleteFunc(parts[i], func(p part) bool {
			if !p.fits || !at.covers(p.at) {
				return false
			}
			passes[i] *= p.odds
			passes := passing[:p.at.mask+1] // by the value at the part's place
			for v := range passes {
				passes[v] = ^uint64(1 << i)
				if c.evaluate(p.formula, c.oneWord(p.at.word, uint64(v)<<p.at.shift)) {
					passes[v] = ^uint64(0)
				}
			}
			for v := range f.rows {
				f.rows[v] &= passes[uint64(v)>>(p.at.shift-at.shift)&p.at.mask]
			}
			return true
		})
	}
	return f
}
