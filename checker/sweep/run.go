package sweep

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
)

// Options says how to run a sweep.
type Options struct {
	Shard, Shards int   // decide the cases with number%Shards == Shard-1; zero means all
	Workers       int   // cases decided at once; at least 1
	Most          int   // refuse questions with more cases; 0: 1,000,000
	Settle        int64 // see checker.Options
	MaxSites      int   // see spec.CompileOptions
	// Done is called after each case with the number of this shard's cases that are done, and of all.
	Done func(done, all int)
}

// Count returns the number of cases; more than most are an error.
func (q *Question) Count(ctx context.Context, most int) (int, error) {
	n := 0
	for _, err := range q.Cases(ctx) {
		if err != nil {
			return 0, err
		}
		if n++; n > most {
			return 0, fmt.Errorf("there are more than %d cases", most)
		}
		if n%4096 == 0 && ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
	}
	return n, nil
}

// Header returns the first line that Run writes for the question.
func (q *Question) Header(cases int, opt Options) Header {
	return Header{Version: 1, Network: q.Network, Question: q.Text(), Cases: cases, Shard: max(1, opt.Shard), Shards: max(1, opt.Shards)}
}

// Run decides the cases of a shard that are not among those already done, and
// writes a line for each, in order, as soon as it and all before it are decided.
// The caller has written the header. When the context ends, what is decided by
// then has been written.
func (q *Question) Run(ctx context.Context, w io.Writer, h Header, done map[int]bool, opt Options) error {
	workers := max(1, opt.Workers)
	type slot struct {
		c      *Case
		result Result
		err    error
	}
	total := (h.Cases - (h.Shard - 1) + h.Shards - 1) / h.Shards
	finished := len(done)
	batch := make([]slot, 0, 16*workers)
	flush := func() error {
		var wg sync.WaitGroup
		jobs := make(chan int)
		for range workers {
			wg.Go(func() {
				for i := range jobs {
					batch[i].result, batch[i].err = q.decide(ctx, batch[i].c, opt)
				}
			})
		}
		for i := range batch {
			jobs <- i
		}
		close(jobs)
		wg.Wait()
		for i := range batch {
			if batch[i].err != nil {
				return batch[i].err
			}
			line, err := appendLine(nil, batch[i].result)
			if err != nil {
				return err
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
			finished++
			if opt.Done != nil {
				opt.Done(finished, total)
			}
		}
		batch = batch[:0]
		return nil
	}
	for c, err := range q.Cases(ctx) {
		if err != nil {
			return err
		}
		if c.Number%h.Shards != h.Shard-1 || done[c.Number] {
			continue
		}
		if batch = append(batch, slot{c: c}); len(batch) == cap(batch) {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// decide decides one case. A network that cannot be built is a result; an
// interrupt or rejected evidence is an error.
func (q *Question) decide(ctx context.Context, c *Case, opt Options) (Result, error) {
	r := Result{Case: c.Number, Set: c.Set, Links: c.Links, Nodes: c.Nodes, Dests: c.Dests}
	if err := context.Cause(ctx); err != nil {
		return r, err
	}
	def, err := q.define(ctx, c)
	var n *spec.Network
	if err == nil {
		n, err = spec.Compile(ctx, def, spec.CompileOptions{MaxSites: opt.MaxSites, Workers: 1})
	}
	if cause := context.Cause(ctx); cause != nil {
		return r, cause
	}
	if err != nil {
		r.Error = err.Error()
		return r, nil
	}
	report, err := checker.Decide(ctx, n, checker.Options{Properties: q.Properties, Workers: 1, Settle: opt.Settle})
	if err != nil {
		return r, fmt.Errorf("case %d: %w", c.Number, err)
	}
	r.Digest = report.Digest.String()
	for _, res := range report.Results {
		switch v := res.Verdict.String(); res.Property {
		case spec.Deadlock:
			r.Deadlock = v
		case spec.Livelock:
			r.Livelock = v
		case spec.Delivery:
			r.Delivery = v
		}
	}
	return r, nil
}
