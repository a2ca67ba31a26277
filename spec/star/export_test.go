package star

import (
	"errors"
	"maps"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// Equalling returns what the look-up in a place of some values says about a comparison.
func Equalling(values []starlark.Value, free bool, op syntax.Token, v starlark.Value) (n int, alone bool) {
	t := newThread("n.star", &run{limit: 1e6})
	d, err := newDomain(t, values, nil)
	if err != nil {
		panic(err)
	}
	p := &slot{kind: d}
	if free {
		p.free = 1
	}
	return p.equalling(op, v)
}

// Evaluating returns options with a given number of workers that evaluate rules and properties, and bounds on runs and
// steps.
func (o Options) Evaluating(workers, leaves, steps int) Options {
	o.workers, o.leaves, o.ruleSteps = workers, leaves, steps
	return o
}

// Plainly returns options with which route is evaluated without symbolic values.
func (o Options) Plainly() Options {
	o.tested = func(r *relation) { r.concreteOnly = true }
	return o
}

// Unsorted returns options with which targets have no kinds, so that each answer is compared with the one before.
func (o Options) Unsorted() Options {
	o.tested = func(r *relation) {
		for range mostTargetTerms + 1 {
			r.routes.targetTerms = append(r.routes.targetTerms, &targetTerm{})
		}
	}
	return o
}

// Counting returns options with which count says how many runs of route with symbolic values
// are remembered, and for how many sites route was evaluated concretely.
func (o Options) Counting(count *func() (runs, plain int)) Options {
	o.tested = func(r *relation) {
		*count = func() (runs, plain int) {
			for i := range r.memo.parts {
				plain += len(r.memo.parts[i].rows)
			}
			runs = r.routes.leaves
			for i := range r.injections.trees {
				runs += r.injections.trees[i].leaves
			}
			return runs, plain
		}
	}
	return o
}

// Pinning returns options with few runs about injections before these are judged, and tells runs for each
// node, after which route is evaluated concretely unless as many answers were known.
func (o Options) Pinning(few, tells int64) Options {
	o.tested = func(r *relation) { r.injections.fewRuns, r.injections.runsPerNode = few, tells }
	return o
}

// Knowing returns options with which known returns how many calls of functions were
// known.
func (o Options) Knowing(known *func() int) Options {
	o.tested = func(r *relation) {
		*known = func() (n int) {
			for _, f := range r.calls.functions {
				n += int(f.known.Load())
			}
			return n
		}
	}
	return o
}

// Rememberable returns the functions of a text whose calls may be remembered.
func Rememberable(text string) ([]string, error) {
	tree, err := parse("n.star", []byte(text))
	if err != nil {
		return nil, err
	}
	all, _ := rememberable(tree)
	return slices.Sorted(maps.Keys(all)), nil
}

// Words returns the names that the file of a machine, or of a network, can call.
func Words(machine bool) []string {
	b := newBuilder("n.star", Options{})
	b.machine = machine
	var names []string
	for _, of := range []starlark.StringDict{starlark.Universe, b.predeclared()} {
		for name, v := range of {
			if _, calls := v.(starlark.Callable); calls && identifier(name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Unread returns options with which no number that is computed of the state is read where it need not be.
func (o Options) Unread() Options {
	o.few = 1
	return o
}

// Read returns options with which all numbers that are computed of the state are read.
func (o Options) Read() Options {
	o.few = 1 << 30
	return o
}

// PlainStep interprets the function of a rule of a program, by the numbers of one state: the values after the step, whether
// the step is refused, and what is wrong with it.
func PlainStep(p *program.Program, rule int, state []int) (after []int, refused bool, wrong error) {
	s := SourceOf(p)
	in := s.b.instances[rule]
	a, t := s.b.newEvaluation(s.b.m, in.d, in.i)
	_, err := a.call(t, decision.At(state, in.options), in.d, in.i)
	if err != nil {
		refused = errors.Is(err, errRefused)
		return nil, refused, err
	}
	after = slices.Clone(state)
	for _, set := range a.answer() {
		after[set.Var] = set.Value(state)
	}
	return after, false, nil
}
