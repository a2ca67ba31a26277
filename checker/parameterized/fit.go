package parameterized

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/proofs/smt"
)

// comparisons lists the candidates for the invariant of a kind of channels, in the coordinates of where it begins and
// of the destination.
func (f *Family) comparisons(k kind) []*symbolic.Term {
	var all []*symbolic.Term
	for i := range f.low {
		dest := symbolic.Named(there(i))
		for j, at := range []*symbolic.Term{symbolic.Named(here(i)), f.links[k.link].head[i]} {
			if j == 1 && at.Same(symbolic.Named(here(i))) {
				continue
			}
			equal, less := symbolic.Equal(at, dest), symbolic.Less(at, dest)
			atMost := symbolic.AtMost(at, dest)
			all = append(all, equal, less, atMost, symbolic.Not(less), symbolic.Not(atMost), symbolic.Not(equal))
			size := symbolic.Plus(f.high[i], -1, f.low[i])
			ahead := symbolic.Times(2, symbolic.Wrap(symbolic.Plus(dest, -1, at), size))
			all = append(all, symbolic.Less(ahead, size), symbolic.AtMost(ahead, size),
				symbolic.Less(size, ahead), symbolic.AtMost(size, ahead))
		}
	}
	return all
}

// fitInvariant returns a conjunction for each kind of channels: of the comparisons that are true of all small networks
// those that no hop breaks, at any size.
func (f *Family) fitInvariant(ctx context.Context, solver smt.Solver, samples []*small) ([][]*symbolic.Term, error) {
	invariant := make([][]*symbolic.Term, len(f.kinds()))
	for i, k := range f.kinds() {
		invariant[i] = f.comparisons(k)
	}
	for _, s := range samples {
		for _, site := range s.sites {
			values := maps.Clone(s.size)
			s.values(values, here, site.from)
			s.values(values, there, site.dest)
			isFalse := func(t *symbolic.Term) bool { return t.Value(values) == 0 }
			invariant[site.kind] = slices.DeleteFunc(invariant[site.kind], isFalse)
		}
	}
	for {
		c := f.conditions(invariant, nil)
		asked := c.breaking()
		answers, err := ask(ctx, solver, c.preamble()+script(asked))
		if err != nil {
			return nil, err
		}
		if len(answers) != len(asked) {
			return nil, fmt.Errorf("%s: %d answers to %d questions: %.200v",
				solver.Name, len(answers), len(asked), answers)
		}
		lost := map[*symbolic.Term]bool{}
		for i, q := range asked {
			if answers[i] != string(smt.Unsat) {
				lost[q.of] = true
			}
		}
		if len(lost) == 0 {
			return invariant, nil
		}
		for i := range invariant {
			invariant[i] = slices.DeleteFunc(invariant[i], func(t *symbolic.Term) bool { return lost[t] })
		}
	}
}

func ask(ctx context.Context, solver smt.Solver, text string) ([]string, error) {
	out, err := solver.Output(ctx, text)
	return strings.Fields(out), err
}

// unranked is a kind of dependencies that no function lowers.
type unranked struct{ from, to kind }

// dependency is a pair of channels, by kind and the values of the names in their features, of which a packet can hold
// the first and ask for the second.
type dependency struct {
	kinds       [3]int // and 1, if it need not be lowered and may not be raised
	held, asked map[string]int
}

// dependencies lists those of the small networks.
func dependencies(samples []*small) (all []dependency) {
	for _, s := range samples {
		for d := range s.deps {
			one := dependency{kinds: [3]int{d[0].kind, d[1].kind}, held: maps.Clone(s.size), asked: maps.Clone(s.size)}
			s.values(one.held, here, d[0].from)
			s.values(one.asked, here, d[1].from)
			all = append(all, one)
		}
	}
	return all
}

// fitRank returns a tuple of functions for each kind of channels that every dependency given lowers and, as far as the
// solver finds, those of all sizes: a dependency that raises the rank at some size is one more that is given
// (counterexample-guided; Solar-Lezama 2006). Or it returns the kinds of dependencies that no further function lowers.
func (f *Family) fitRank(
	ctx context.Context, solver smt.Solver, deps []dependency, invariant [][]*symbolic.Term, escape []bool,
) (
	rank [][]*symbolic.Term, left []unranked, err error,
) {
	const mostRounds = 30
	for range mostRounds {
		if rank, left, err = f.fitLevels(ctx, solver, deps); err != nil || len(left) > 0 {
			return nil, left, err
		}
		c := f.conditions(invariant, rank)
		c.escape = escape
		more, err := f.raised(ctx, solver, c)
		if err != nil || len(more) == 0 {
			return rank, nil, err
		}
		deps = append(deps, more...)
	}
	return rank, nil, nil // which the solvers will refuse
}

// raised returns a dependency for each kind of them that does not lower the rank at some size.
func (f *Family) raised(ctx context.Context, solver smt.Solver, c *conditions) (all []dependency, err error) {
	names := []string{}
	for _, s := range f.Sizes {
		names = append(names, s.Name)
	}
	for i := range f.low {
		names = append(names, here(i), next(i), after(i))
	}
	asked := c.lowering()
	for i := range asked {
		asked[i].says = "" // and no answer is wanted
	}
	answers, err := ask(ctx, solver, c.preamble()+script(asked))
	if err != nil || len(answers) != len(asked) {
		return nil, cmp.Or(err, fmt.Errorf("%s: %d answers to %d questions", solver.Name, len(answers), len(asked)))
	}
	for i, q := range asked {
		if answers[i] != string(smt.Sat) {
			continue
		}
		q.values = names
		out, err := solver.Output(ctx, c.preamble()+script([]question{q}))
		if err != nil {
			return nil, err
		}
		values, err := smt.Values(out)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", solver.Name, err)
		}
		d := dependency{kinds: q.kinds, held: map[string]int{}, asked: map[string]int{}}
		integer := func(name string) int {
			if v := values[name]; v != nil {
				return int(v.Num().Int64())
			}
			return 0
		}
		for _, s := range f.Sizes {
			d.held[s.Name], d.asked[s.Name] = integer(s.Name), integer(s.Name)
		}
		for i := range f.low {
			d.held[here(i)], d.asked[here(i)] = integer(q.held(i)), integer(q.asked(i))
		}
		all = append(all, d)
	}
	return all, nil
}

// fitLevels returns a tuple of functions that every dependency given lowers, or the kinds that are left.
func (f *Family) fitLevels(ctx context.Context, solver smt.Solver, deps []dependency) (
	rank [][]*symbolic.Term, left []unranked, err error,
) {
	kinds := f.kinds()
	rank = make([][]*symbolic.Term, len(kinds))
	open := map[[3]int]bool{} // kinds of dependencies that no level lowers yet
	for _, d := range deps {
		open[d.kinds] = true
	}
	const mostLevels = 12
	strict := func() bool {
		for d := range open {
			if d[2] == 0 {
				return true
			}
		}
		return false
	}
	for level := 0; strict() && level < mostLevels; level++ {
		parts := components(len(kinds), open)
		functions, lowered := partsInOrder(parts, open)
		if len(lowered) == 0 {
			for part := range int32(parts.Count()) {
				within := map[[3]int]bool{}
				for d := range open {
					if parts.Of[d[0]] == part {
						within[d] = true
					}
				}
				if len(within) == 0 {
					continue
				}
				lower, fitted, err := f.fitLevel(ctx, solver, parts.Component(part), deps, within)
				if err != nil {
					return nil, nil, err
				}
				lowered = append(lowered, lower...)
				for k, t := range fitted {
					functions[k] = t
				}
			}
		}
		if len(lowered) == 0 {
			break
		}
		for i := range kinds {
			rank[i] = append(rank[i], functions[i])
		}
		for _, d := range lowered {
			delete(open, d)
		}
	}
	for _, d := range sorted(open) {
		if d[2] == 0 {
			left = append(left, unranked{kinds[d[0]], kinds[d[1]]})
		}
	}
	return rank, left, nil
}

// components returns the strongly connected components of the kinds of channels.
func components(kinds int, open map[[3]int]bool) *graph.Components {
	c := new(graph.Components)
	c.Find(graph.Collect(kinds, func(add func(from, to int32)) {
		for _, d := range sorted(open) {
			add(int32(d[0]), int32(d[1]))
		}
	}))
	return c
}

// partsInOrder makes the number of a component the function of its kinds: it lowers all dependencies between
// components.
func partsInOrder(parts *graph.Components, open map[[3]int]bool) (functions []*symbolic.Term, lowered [][3]int) {
	for _, part := range parts.Of {
		functions = append(functions, symbolic.Number(int(part)))
	}
	for _, d := range sorted(open) {
		if parts.Of[d[0]] != parts.Of[d[1]] {
			lowered = append(lowered, d)
		}
	}
	if len(lowered) == 0 {
		for i := range functions {
			functions[i] = symbolic.Number(0)
		}
	}
	return functions, lowered
}

func sorted(open map[[3]int]bool) [][3]int {
	return slices.SortedFunc(maps.Keys(open), func(a, b [3]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1], a[2]-b[2]) })
}

// features are the terms that a function of the rank adds up, for a kind of channels.
func (f *Family) features(k kind) []*symbolic.Term {
	all := []*symbolic.Term{symbolic.Number(1)}
	for _, s := range f.Sizes {
		all = append(all, symbolic.Named(s.Name))
	}
	for i, t := range f.links[k.link].head {
		all = append(all, symbolic.Named(here(i)))
		wraps := false
		t.Visit(func(t *symbolic.Term) { wraps = wraps || t.Op == symbolic.OpWrap })
		if wraps {
			all = append(all, t)
		}
	}
	return all
}

// fitLevel finds one function of the rank for the kinds of a component, by linear programming in integers: as many
// kinds of open dependencies as possible get lower, and none gets higher; then with the smallest coefficients.
func (f *Family) fitLevel(
	ctx context.Context, solver smt.Solver, part []int32, deps []dependency, open map[[3]int]bool,
) (lowered [][3]int, functions map[int32]*symbolic.Term, err error) {
	// Small coefficients keep the function from packing several levels into one, which is right at small sizes alone.
	const mostFactor = 2
	kinds := f.kinds()
	var b strings.Builder
	var factors, gains []string
	for _, i := range part {
		for j := range f.features(kinds[i]) {
			name := fmt.Sprintf("c.%d.%d", i, j)
			factors = append(factors, name)
			fmt.Fprintf(&b, "(declare-const %s Int)\n(declare-const a.%s Int)\n", name, name)
			fmt.Fprintf(&b, "(assert (and (<= %[1]s a.%[1]s) (<= (- %[1]s) a.%[1]s) (<= a.%[1]s %[2]d)))\n",
				name, mostFactor)
		}
	}
	order := sorted(open)
	for _, d := range order {
		name := fmt.Sprintf("g.%d.%d.%d", d[0], d[1], d[2])
		gains = append(gains, name)
		fmt.Fprintf(&b, "(declare-const %s Int)\n(assert (and (<= 0 %s) (<= %s 1)))\n", name, name, name)
	}
	rows := map[string]bool{}
	for _, d := range deps {
		if open[d.kinds] {
			rows[d.row(f.features(kinds[d.kinds[0]]), f.features(kinds[d.kinds[1]]))] = true
		}
	}
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		b.WriteString(row)
	}
	fmt.Fprintf(&b, "(maximize (+ 0 %s))\n(minimize (+ 0 a.%s))\n(check-sat)\n(get-value (%s %s))\n",
		strings.Join(gains, " "), strings.Join(factors, " a."), strings.Join(factors, " "), strings.Join(gains, " "))
	out, err := solver.Output(ctx, b.String())
	if err != nil {
		return nil, nil, err
	}
	values, err := smt.Values(out)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", solver.Name, err)
	}
	for i, d := range order {
		if v := values[gains[i]]; v != nil && v.Cmp(big.NewRat(1, 1)) == 0 {
			lowered = append(lowered, d)
		}
	}
	functions = map[int32]*symbolic.Term{}
	for _, i := range part {
		functions[i] = symbolic.Number(0)
		for j, t := range f.features(kinds[i]) {
			if v := values[fmt.Sprintf("c.%d.%d", i, j)]; v != nil && v.Sign() != 0 {
				functions[i] = symbolic.Plus(functions[i], int(v.Num().Int64()), t)
			}
		}
	}
	return lowered, functions, nil
}

// row writes that a dependency gets lower by the gain of its kind.
func (d dependency) row(held, asked []*symbolic.Term) string {
	sum := func(kind int, features []*symbolic.Term, values map[string]int) string {
		var b strings.Builder
		b.WriteString("(+ 0")
		for j, t := range features {
			if x := t.Value(values); x != 0 {
				fmt.Fprintf(&b, " (* %s c.%d.%d)", symbolic.Number(x), kind, j)
			}
		}
		return b.String() + ")"
	}
	return fmt.Sprintf("(assert (>= (- %s %s) g.%d.%d.%d))\n",
		sum(d.kinds[0], held, d.held), sum(d.kinds[1], asked, d.asked), d.kinds[0], d.kinds[1], d.kinds[2])
}
