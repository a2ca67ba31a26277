package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/automorphism"
	"github.com/seed-105a2da2/unknot/checker/internal/revision"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// Options says how to run a sweep.
type Options struct {
	Shard, Shards int                 // decide the cases with number%Shards == Shard-1; zero means all
	Workers       int                 // cases decided at once; at least 1. The last case gets them all
	Explore       checker.Exploration // Auto or Never
	MaxStates     int64               // that may be explored in a case; see checker.Question
	MaxSites      int                 // see routing.CompileOptions
	// see routing.CompileOptions; a case that needs more ends the sweep, as another run may have more
	Memory int64
	Tables bool // decide every case from its tables, also those whose sites show that all holds
	// Done is called after each case with the number of this shard's finished cases, and of all.
	Done func(done, all int)
}

// Plan is the cases of a question, counted but not yet made: a shard builds nothing of a
// network without cases of its own except what counting takes.
type Plan struct {
	q     *Question
	Cases int
	first *base // for the first values of the ranges
	sizes []int // by network; nil if each has one case
}

// CasesError says that a question has more cases than allowed.
type CasesError struct{ Most int }

func (e *CasesError) Error() string { return fmt.Sprintf("more than %d cases: vary less", e.Most) }

// Plan counts the cases; more than most are a [*CasesError]. It builds the first network, and all
// of them if the number of cases depends on them. A network that cannot be built is an
// error.
func (q *Question) Plan(ctx context.Context, most int) (*Plan, error) {
	p := &Plan{q: q}
	for _, r := range q.Ranges {
		if len(r.Values) == 0 {
			return nil, fmt.Errorf("%s has no values", r.Name)
		}
	}
	for values := range combinations(q.Ranges) {
		b, size := q.base(ctx, values), 1
		if p.first == nil || q.fails() {
			def, err := b.build()
			if err != nil {
				return nil, err
			}
			if q.fails() {
				if size = q.sizeOf(def); q.Ends != nil && len(q.cables(def)) == 0 {
					return nil, fmt.Errorf("%s has no link between nodes that neither send nor receive", q.Network)
				}
				p.sizes = append(p.sizes, size)
			}
		}
		if p.first == nil {
			p.first = b
		}
		if p.Cases += size; p.Cases > most {
			return nil, &CasesError{most}
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return p, nil
}

// Header returns the first line of the results.
func (p *Plan) Header(opt Options) Header {
	return Header{
		Version: resultsVersion, Program: revision.This(), Network: p.q.Network, Content: p.q.Content,
		Question: p.q.Text(),
		Cases:    p.Cases, Shard: max(1, opt.Shard), Shards: max(1, opt.Shards),
	}
}

// Each yields the wanted cases in order, and makes no others.
func (p *Plan) Each(ctx context.Context, wanted func(number int) bool) iter.Seq2[*Case, error] {
	return func(yield func(*Case, error) bool) {
		from, network := 0, 0
		for values := range combinations(p.q.Ranges) {
			size := 1
			if p.sizes != nil {
				size = p.sizes[network]
			}
			some := false
			for number := from; number < from+size && !some; number++ {
				some = wanted(number)
			}
			if some {
				b := p.first
				if network > 0 {
					b = p.q.base(ctx, values)
				}
				if !p.q.cases(b, from, wanted, yield) {
					return
				}
			}
			from += size
			network++
		}
	}
}

// Run decides the cases of a shard that are not among those done, and writes a line for
// each, in order, as soon as it and all before it are decided. The caller has written the
// header. If the context ends, what is decided by then has been written.
func (p *Plan) Run(ctx context.Context, w io.Writer, done []Result, opt Options) error {
	h := p.Header(opt)
	if p.q.UpToSymmetry && h.Shards > 1 {
		return ErrShards
	}
	workers := max(1, opt.Workers)
	known := map[int]bool{}
	for _, r := range done {
		known[r.Case] = true
	}
	orbits, err := p.orbitsOf(ctx, done, opt)
	if err != nil {
		return err
	}
	ahead := 1024 // cases per batch; workers wait for each other at its end
	if orbits != nil {
		ahead = 16 * workers // networks, which are compared
	}
	out := &output{
		w: w, finished: len(done), total: h.Mine(), done: opt.Done,
	}
	batch := make([]*variant, 0, ahead)
	flush := func() error {
		out.begin(len(batch))
		failed := p.q.decideAll(ctx, batch, out, orbits, workers, opt)
		batch = batch[:0]
		return failed
	}
	wanted := func(number int) bool { return number%h.Shards == h.Shard-1 && !known[number] }
	for c, err := range p.Each(ctx, wanted) {
		if err != nil {
			return err
		}
		if batch = append(batch, &variant{c: c}); len(batch) == ahead {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// variant is a case on its way to a result.
type variant struct {
	c       *Case
	network *spec.Network // nil if there is none, or it is no longer needed
	result  Result
	decided bool
	report  *checker.Result // if it was decided from its tables

	// Up to symmetry only.
	shape    uint64 // see automorphism.Shape
	compared int    // number of cases of its shape that it was compared with and differs from
}

// output writes results in order, whatever order they arrive in.
type output struct {
	w        io.Writer
	finished int // cases
	total    int
	done     func(done, all int)

	mu      sync.Mutex
	results []*Result // of a batch; nil if not known yet, or written
	next    int       // the first not written
}

// begin starts a batch of n results, numbered from 0.
func (o *output) begin(n int) { o.results, o.next = make([]*Result, n), 0 }

// add writes a result once all before it are there, and then those that waited for it.
func (o *output) add(i int, r *Result) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.results[i] = r
	for ; o.next < len(o.results) && o.results[o.next] != nil; o.next++ {
		if err := writeLine(o.w, *o.results[o.next]); err != nil {
			return err
		}
		o.results[o.next] = nil
		if o.finished++; o.done != nil {
			o.done(o.finished, o.total)
		}
	}
	return nil
}

// decideAll decides cases, one of each orbit, and drops them.
func (q *Question) decideAll(
	ctx context.Context, batch []*variant, out *output, orbits *orbits, workers int, opt Options,
) error {
	// ranges grow: the last case often takes as long as all others, while the other workers are idle
	alone := func(i int) Options {
		one := opt
		one.Workers = max(1, workers/(len(batch)-i))
		return one
	}
	if orbits == nil {
		return each.Do(ctx, workers, len(batch), func(_, i int) error {
			v := batch[i]
			batch[i] = nil
			if err := q.build(ctx, v, alone(i)); err != nil {
				return err
			}
			if err := q.decide(ctx, v, alone(i)); err != nil {
				return err
			}
			return out.add(i, &v.result)
		})
	}
	err := each.Do(ctx, workers, len(batch), func(_, i int) error {
		if err := q.build(ctx, batch[i], alone(i)); err != nil {
			return err
		}
		return orbits.compare(ctx, batch[i])
	})
	for i := 0; i < len(batch) && err == nil; i++ {
		err = orbits.place(ctx, batch[i])
	}
	if err == nil {
		err = each.Do(ctx, workers, len(batch), func(_, i int) error { return q.decide(ctx, batch[i], alone(i)) })
	}
	for i, v := range batch {
		if orbits.copyVerdicts(v); v.decided {
			err = cmp.Or(err, out.add(i, &v.result))
		}
	}
	return err
}

// build makes the network of a case, unless its sites decide it. If it cannot be built with its failures, that is a
// result; if it cannot be built without them, or on an interrupt, that is an error.
func (q *Question) build(ctx context.Context, v *variant, opt Options) error {
	c := v.c
	v.result = Result{Case: c.Number, Set: c.Set, Links: c.Links, Nodes: c.Nodes, Dests: c.Dests}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	def, err := q.define(ctx, c)
	if err == nil {
		if err := q.fromSites(ctx, v, def, opt); v.decided || err != nil {
			return err
		}
		v.network, err = routing.Compile(ctx, def, routing.CompileOptions{
			MaxSites: opt.MaxSites,
			Memory:   opt.Memory,
			Workers:  max(1, opt.Workers),
		})
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if intact := new(baseError); errors.As(err, &intact) {
		return intact.err
	}
	if up := new(routing.BudgetError); errors.As(err, &up) {
		return fmt.Errorf("case %d: %w", c.Number, err)
	}
	if err != nil {
		v.result.Error, v.network = err.Error(), nil
		return nil
	}
	v.result.Digest = v.network.Digest().String()
	if q.UpToSymmetry {
		v.shape = automorphism.Shape(v.network)
	}
	return nil
}

// decide decides the network of a case, unless it is like another's. Rejected
// evidence and an interrupt are errors.
func (q *Question) decide(ctx context.Context, v *variant, opt Options) error {
	if v.result.Like != nil || v.decided {
		return nil
	}
	if v.decided = v.result.Error != ""; v.decided {
		return nil
	}
	var names []string
	for _, p := range q.Properties {
		names = append(names, p.String())
	}
	report, err := checker.Check(ctx, v.network, checker.Question{
		Properties: names,
		Workers:    max(1, opt.Workers),
		Explore:    opt.Explore,
		MaxStates:  opt.MaxStates,
	})
	if cause := context.Cause(ctx); cause != nil {
		return cause // what it left open is not a result: the case is decided when the sweep is resumed
	}
	if err != nil {
		return fmt.Errorf("case %d: %w", v.c.Number, err)
	}
	for _, w := range v.result.verdicts() {
		if f := report.Of(w.property); f != nil {
			*w.verdict = Verdict{true, f.Verdict}
		}
	}
	v.decided, v.report = true, report
	return nil
}
