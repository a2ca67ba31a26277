package star

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// Rules and properties are evaluated ahead of their turn, on several cores. An answer depends on the
// instances before it in two ways only: they number the parts of steps and the faults that they
// meet, and they use up the bounds of the file. So each instance is evaluated on a machine of its
// own that has met nothing; in its turn, what it met gets the numbers that it would have got. An
// instance that ended with an error, or that now exceeds a bound, is evaluated again in its turn,
// and says what it would have said.

// fork returns a copy of the machine, as the rules of the file see it, for one
// concurrent evaluation.
func (m *machine) fork() *machine {
	own, p := *m, *m.p
	own.p, own.forked = &p, true
	own.parts, own.partNumber, own.faults, own.met = nil, map[stepPartKey]int{}, map[string]program.Var{}, nil
	return &own
}

var errBoundReached = errors.New("the rest is evaluated in turn")

// evaluateConcurrently evaluates all rules and properties, then the parts of steps that these meet, and so on. It
// stops at an error or a bound, which is met again in turn.
func (b *builder) evaluateConcurrently(ctx context.Context) {
	var all []keyed
	for r := range b.m.rules {
		for i := range b.m.rules[r].over.args {
			all = append(all, keyed{&b.m.rules[r], i})
		}
	}
	if min(b.workers(), len(all)) < 2 {
		return
	}
	b.precomputed = map[keyed]*precomputed{}
	for _, q := range all {
		if e := b.inferred[q]; e != nil {
			b.precomputed[q] = e
		}
	}
	b.m.heldStrings() // filled here, as filling it on first use would be a race
	met := map[stepPartKey]bool{}
	for err := error(nil); err == nil && len(all) > 0; {
		var answers []*precomputed
		answers, err = b.evaluateEach(ctx, all, nil)
		var parts []keyed
		for k, e := range answers {
			if e == nil {
				continue
			}
			b.precomputed[all[k]] = e
			for _, p := range e.m.parts {
				if p.turn == nil && !met[p.key] { // of several alike, the first is numbered
					q := keyed{&p.declared, 0}
					met[p.key], parts = true, append(parts, q)
					if e := b.inferred[p.key]; e != nil {
						b.precomputed[q] = e
					}
				}
			}
		}
		all = parts
	}
}

func (b *builder) workers() int { return cmp.Or(b.opt.workers, runtime.GOMAXPROCS(0)) }

// evaluateEach evaluates instances, each on a machine of its own, on several cores. Those after an error
// or a bound, and it, have no answer.
func (b *builder) evaluateEach(ctx context.Context, instances []keyed, note func() *notes) ([]*precomputed, error) {
	answers := make([]*precomputed, len(instances))
	var leaves, steps atomic.Int64
	err := each.Do(ctx, min(b.workers(), len(instances)), len(instances), func(_, k int) error {
		if answers[k] = b.precomputed[instances[k]]; answers[k] != nil {
			return nil
		}
		if leaves.Load() > int64(b.m.leaves) || steps.Load() > int64(b.m.steps) {
			return errBoundReached
		}
		e := &precomputed{m: b.m.fork()}
		if note != nil {
			e.m.noting = note()
		}
		var err error
		if e.answered, err = b.evaluateOn(ctx, e.m, instances[k].d, instances[k].i); err != nil {
			return err
		}
		e.leaves, e.steps = b.m.leaves-e.m.leaves, b.m.steps-e.m.steps
		leaves.Add(int64(e.leaves))
		steps.Add(int64(e.steps))
		answers[k] = e
		return nil
	})
	return answers, err
}

// evaluate makes the tree of an instance in its turn.
func (b *builder) evaluate(ctx context.Context, d *declared, i int) (*decision.Tree, error) {
	var (
		got answered
		err error
	)
	if e := b.precomputed[keyed{d, i}]; e != nil && b.m.adopt(e) {
		got = e.answered
	} else if got, err = b.evaluateOn(ctx, b.m, d, i); err != nil {
		return nil, err
	}
	delete(b.precomputed, keyed{d, i})
	if d.lacks == nil {
		d.lacks, d.reads = map[int]bool{}, map[int]bool{}
	}
	d.lacks[i], d.reads[i] = got.lacksMessage, got.reads
	return got.tree, nil
}

// adopt numbers what an early answer met, and reports whether the answer is the one that would be given
// now.
func (m *machine) adopt(e *precomputed) bool {
	if e.leaves > m.leaves || e.steps > m.steps {
		return false
	}
	if len(e.m.parts)+len(e.m.met) > 0 {
		parts, faults := make([]int, len(e.m.parts)), map[program.Var]program.Var{}
		for i, p := range e.m.parts {
			parts[i] = m.number(p)
		}
		for k, f := range e.m.met {
			faults[program.Var(len(e.m.p.Variables)+k)] = m.faultVar(f.where, f.message)
		}
		if len(slices.Compact(slices.Sorted(maps.Values(faults)))) < len(faults) { // several share one variable
			return false
		}
		e.tree.Renumber(faults, parts)
	}
	m.leaves, m.steps = m.leaves-e.leaves, m.steps-e.steps
	return true
}
