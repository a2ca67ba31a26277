package sweep

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// Prove decides cases again, each from its tables, and calls keep with the answer, whose evidence a second program
// checks: a line of results has none, and what sites show of a case is not checked by another program. Calls are made
// one after the other, in the order of the cases. Cases like others and those without a network are left out. A verdict
// other than that of the line is a *checker.EvidenceError.
func (p *Plan) Prove(
	ctx context.Context, results []Result, opt Options, keep func(number int, r *checker.Result) error,
) error {
	lines := map[int]*Result{}
	for i, r := range results {
		if r.Like == nil && r.Error == "" {
			lines[r.Case] = &results[i]
		}
	}
	opt.Tables = true
	var batch []*variant
	flush := func() error {
		err := each.Do(ctx, max(1, opt.Workers), len(batch), func(_, i int) error {
			one := opt
			one.Workers = 1
			if err := p.q.build(ctx, batch[i], one); err != nil {
				return err
			}
			return p.q.decide(ctx, batch[i], one)
		})
		for _, v := range batch {
			if err != nil {
				return err
			}
			if line := lines[v.c.Number]; v.result.Verdicts() != line.Verdicts() {
				return &checker.EvidenceError{
					Name: fmt.Sprintf("case %d", v.c.Number),
					Err:  fmt.Errorf("its tables say %s, its line %s", v.result.Verdicts(), line.Verdicts()),
				}
			}
			err = keep(v.c.Number, v.report)
		}
		batch = batch[:0]
		return err
	}
	for c, err := range p.Each(ctx, func(number int) bool { return lines[number] != nil }) {
		if err != nil {
			return err
		}
		if batch = append(batch, &variant{c: c}); len(batch) == 2*max(1, opt.Workers) {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}
