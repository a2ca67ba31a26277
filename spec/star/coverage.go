package star

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// When is a condition of a rule, and how often it held and refused the step, counted over
// some states and all keys.
type When struct {
	Rule          string // as it is declared
	File          string
	Line, Col     int
	Why           string // of a condition of network_of or a FIFO; otherwise ""
	Held, Refused int64
}

// Lacks returns separator and what never happened; "" if the condition both held and
// refused.
func (w *When) Lacks(separator string) string {
	switch {
	case w.Held == 0 && w.Refused == 0:
		return separator + "never met"
	case w.Held == 0:
		return separator + "never held"
	case w.Refused == 0:
		return separator + "never refused"
	}
	return ""
}

// Coverage counts how often the conditions of rules held and refused, with those of the
// functions that they call by also.
type Coverage struct {
	Whens []When // by rule, and in the order in which they are met
	rules []covered
}

// covered is an instance of a rule: its answers list what was met, 2k if condition k held,
// 2k+1 if it refused, and -1-p if part p is called.
type covered struct {
	tree  *decision.Tree
	parts map[int]*decision.Tree // of the rule
	last  []int                  // what was met in the state that was counted last
}

// Coverage runs the rules once more for all combinations of values that they distinguish,
// and returns counters for their conditions.
func (s *Source) Coverage(ctx context.Context) (*Coverage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &Coverage{}
	for r := range s.b.m.rules {
		d := &s.b.m.rules[r]
		if d.what != "rule" {
			continue
		}
		first, parts := len(c.Whens), map[int]*decision.Tree{}
		var evaluate func(of *declared, i int) (*decision.Tree, error)
		evaluate = func(of *declared, i int) (*decision.Tree, error) {
			a, t := s.b.newEvaluation(s.b.m, of, i)
			called := map[int]bool{}
			tree, err := decision.Evaluate(func(x program.Var) int { return s.b.m.p.Variables[x].Values },
				mostLeavesEach, func(r *decision.Run) (decision.Answer, error) {
					a.seen = &observations{}
					_, err := a.call(t, r, of, i)
					var facts []int
					for p := range a.also {
						called[p], facts = true, append(facts, -1-p)
					}
					for _, w := range a.seen.whens {
						fact := 2 * c.number(first, d.name, of.citationOf(i, w.at), w.why)
						if !w.holds {
							fact++
						}
						facts = append(facts, fact)
					}
					slices.Sort(facts)
					return decision.Answer{Holds: err == nil, Also: slices.Compact(facts)}, ctx.Err()
				})
			for _, p := range slices.Sorted(maps.Keys(called)) {
				if _, known := parts[p]; !known && err == nil {
					parts[p], err = evaluate(&s.b.m.parts[p].declared, 0)
				}
			}
			return tree, err
		}
		for i := range d.over.args {
			tree, err := evaluate(d, i)
			if err != nil {
				return nil, fmt.Errorf("coverage of rule %q: %w", d.instance(i), err)
			}
			c.rules = append(c.rules, covered{tree: tree, parts: parts})
		}
	}
	return c, nil
}

// number returns the number of a condition of a rule whose first condition has number
// first.
func (c *Coverage) number(first int, rule string, at position, why string) int {
	w := When{Rule: rule, File: at.file, Line: int(at.line), Col: int(at.col), Why: why}
	if k := slices.Index(c.Whens[first:], w); k >= 0 {
		return first + k
	}
	c.Whens = append(c.Whens, w)
	return len(c.Whens) - 1
}

// Count counts the conditions that are met in a state, given by the values of variables.
func (c *Coverage) Count(state []int) {
	for r := range c.rules {
		rule := &c.rules[r]
		rule.last = rule.last[:0]
		rule.collect(rule.tree, state)
		slices.Sort(rule.last) // several choices may meet one
		for _, fact := range slices.Compact(rule.last) {
			if w := &c.Whens[fact/2]; fact%2 == 0 {
				w.Held++
			} else {
				w.Refused++
			}
		}
	}
}

// collect adds what a tree and the parts that it calls met.
func (c *covered) collect(t *decision.Tree, state []int) {
	t.Each(state, func(a decision.Answer) {
		for _, fact := range a.Also {
			if fact < 0 {
				c.collect(c.parts[-1-fact], state)
			} else {
				c.last = append(c.last, fact)
			}
		}
	})
}

// Text is the file as it was read, and its name.
func (s *Source) Text() (file string, text []byte) { return s.b.file, s.text }
