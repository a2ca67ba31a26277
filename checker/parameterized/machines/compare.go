package machines

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/seed-105a2da2/unknot/checker/parameterized/symbolic"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// A proof rests on the reading of the file. What a file means may change at a size near a number that it writes, where
// a wrong reading would otherwise be met by nobody. So formulas and file are compared there, too: this tests the
// reading, and proves nothing about it.

// Uncompared are sizes at which formulas and file were not compared, for one reason.
type Uncompared struct {
	Sizes []int // ascending
	Why   string
}

// constants adds the numbers that are given to those of a file.
func constants(all []int, given map[string]string) []int {
	for _, text := range given {
		if v, err := strconv.Atoi(text); err == nil && v >= 0 {
			all = append(all, v)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// further lists the sizes around the numbers of the file, and the next few, that were not checked one by one.
func (m *Machine) further(checked []int) []int {
	sizes := map[int]bool{}
	for i := range 6 {
		sizes[m.Least+len(checked)+i] = true
	}
	for _, c := range m.constants {
		for d := -1; d <= 2; d++ {
			sizes[c+d] = true
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(sizes)), func(n int) bool {
		return n < m.Least || m.Most != 0 && n > m.Most || slices.Contains(checked, n)
	})
}

// compare compares the formulas with the file at further sizes. A disagreement is in p, and so is what was not compared;
// errors are those of cancellation.
func (m *Machine) compare(ctx context.Context, p *Proof) error {
	const mostSizes = 40
	sizes := m.further(p.Sizes)
	omit := func(sizes []int, why string) { p.Uncompared = append(p.Uncompared, Uncompared{sizes, why}) }
	if len(sizes) > mostSizes {
		omit(slices.Clone(sizes[mostSizes:]), fmt.Sprintf("%d sizes were compared before them", mostSizes))
		sizes = sizes[:mostSizes]
	}
	for i, n := range sizes {
		if m.work(n) > mostWork {
			omit(sizes[i:], fmt.Sprintf("a state of %s = %d takes more than %d operators", m.Size, n, mostWork))
			break
		}
		file, err := m.load(ctx, n)
		var large *spec.BoundError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &large):
			omit(sizes[i:], fmt.Sprintf("the file is too large at %s = %d: %v", m.Size, n, err))
			return nil
		case err == nil:
			err = m.compareAt(ctx, p, n, file)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			p.Differs = fmt.Errorf("at %s = %d: %w", m.Size, n, err)
			return nil
		}
		p.Further = append(p.Further, n)
	}
	return nil
}

// mostWork bounds the operators that one state of a size takes, at most, by the formulas or by the file.
const mostWork = 1_000_000

// work is how many operators the rules and properties of a size have for all keys, with the variables that steps copy; at
// most one above mostWork.
func (m *Machine) work(n int) (all int) {
	names := ranges{m.Size: {int64(n), int64(n)}}
	times := func(n int, of ...binder) int {
		for _, b := range of { // the range of one may depend on those before
			lo, hi := names.of(b.of.lo), names.of(b.of.hi)
			names[b.name] = span{lo.least, max(lo.least, hi.most-1)}
			n = int(min(mostWork+1, int64(n)*min(mostWork+1, max(0, hi.most-lo.least))))
		}
		return n
	}
	var operators func(t *symbolic.Term) int
	operators = func(t *symbolic.Term) int {
		rounds := 1
		if t.Op == symbolic.OpEvery || t.Op == symbolic.OpExists {
			rounds = times(1, binder{t.Name, set{lo: t.Args[0], hi: t.Args[1]}})
		}
		all := 1
		for _, a := range t.Args {
			all = min(mostWork+1, all+operators(a))
		}
		return int(min(mostWork+1, int64(all)*int64(rounds)))
	}
	for _, v := range m.variables {
		keys := 1
		for _, k := range v.keys {
			keys = times(keys, binder{of: k})
		}
		all = min(mostWork+1, all+keys)
	}
	variables := all // which each step copies
	add := func(names []binder, one int, terms ...*symbolic.Term) {
		rounds := times(1, names...)
		for _, t := range terms {
			one = min(mostWork+1, one+operators(t))
		}
		all = int(min(mostWork+1, int64(all)+int64(one)*int64(rounds)))
	}
	for _, r := range m.rules {
		for _, p := range r.paths {
			add(p.params, variables, p.conds...)
			for _, o := range p.owed {
				add(o.params, 1, o.must)
			}
		}
	}
	for _, p := range m.properties {
		add(p.params, 1, p.holds)
	}
	return all
}

// span is the numbers that a term can be, if each of its names can be those of a span.
type span struct{ least, most int64 }

// ranges are the spans of names.
type ranges map[string]span

// of is the span of the bound of a range, or a wider one. No bound has the state.
func (r ranges) of(t *symbolic.Term) span {
	const far = 1 << 40
	arg := func(i int) span { return r.of(t.Args[i]) }
	bounded := func(a, b int64) span { return span{max(min(a, b), -far), min(max(a, b), far)} }
	switch t.Op {
	case symbolic.OpNumber, symbolic.OpText:
		return bounded(int64(t.N), int64(t.N))
	case symbolic.OpName:
		if s, known := r[t.Name]; known {
			return s
		}
	case symbolic.OpAdd:
		return bounded(arg(0).least+arg(1).least, arg(0).most+arg(1).most)
	case symbolic.OpSub:
		return bounded(arg(0).least-arg(1).most, arg(0).most-arg(1).least)
	case symbolic.OpMul: // by a number
		factor := int64(t.Args[0].N)
		return bounded(factor*arg(1).least, factor*arg(1).most)
	case symbolic.OpCases:
		return span{min(arg(1).least, arg(2).least), max(arg(1).most, arg(2).most)}
	}
	return span{-far, far}
}

// compareAt compares one size: in initial states, along random walks from these, in states that are drawn near the
// walks, and in others. How many there are depends on how long a comparison takes, by the operators that it evaluates.
func (m *Machine) compareAt(ctx context.Context, p *Proof, n int, file *program.Program) error {
	const walked, length, drawn, most = 300, 60, 300, 20_000_000
	g, err := m.ground(n, file)
	if err != nil {
		return err
	}
	if err := g.agreesAtFirst(); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(uint64(n), 2))
	compare := func(s state) error {
		p.Compared++
		_, err := g.agreesIn(s)
		return err
	}
	initials := file.Initials()
	var states []state
	var at []int
	for i := 0; i < walked && g.evaluated < most/2; i++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if i%length == 0 || at == nil {
			at = slices.Clone(initials[random.IntN(len(initials))])
		}
		s := g.ours(at)
		states = append(states, s)
		if err := compare(s); err != nil {
			return err
		}
		at = g.stroll(at, random, nil)
	}
	for i := 0; i < drawn && g.evaluated < most; i++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s := g.draw(random)
		if i%3 != 0 { // few cells of a state of a walk are drawn: most of its steps stay as they are
			near := slices.Clone(states[random.IntN(len(states))])
			for range 1 + random.IntN(3) {
				c := random.IntN(len(near))
				near[c] = s[c]
			}
			g.fill(near)
			s = near
		}
		if err := compare(s); err != nil {
			return err
		}
	}
	return nil
}

// stroll returns a state after a step that is drawn; nil: there is none, or a step is wrong. A rule that rests is drawn if
// no other one is possible.
func (g *ground) stroll(values []int, random *rand.Rand, rests []bool) (after []int) {
	met, awake := 0, false
	if err := g.program.Each(values, func(rule int, to []int) {
		switch {
		case rests == nil || !rests[rule]:
			if !awake {
				met, awake = 0, true
			}
		case awake:
			return
		}
		if met++; random.IntN(met) == 0 {
			after = slices.Clone(to)
		}
	}); err != nil {
		return nil
	}
	return after
}
