package checker

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/explain"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
)

// ofSize reports whether a finding is about deadlocks up to some size, see [Options].
func (f *Finding) ofSize() bool { return strings.HasPrefix(f.Property, "no deadlock of at most ") }

// smallest makes the deadlock found, the last finding, one of the fewest messages or
// channels, and adds that there is none of fewer.
func (d *decision) smallest(ctx context.Context, of refutation.Unit) error {
	d.checks.Wait()
	const steps = 20_000 // dead ends of a search: some ten seconds in networks of a thousand channels
	s, err := d.static.Smallest(ctx, of, steps)
	if err != nil && ctx.Err() == nil {
		return err
	}
	f := &d.result.Findings[len(d.result.Findings)-1]
	if err != nil || s.Size == 0 {
		f.Notes = append(f.Notes, "whether a smaller one exists was not shown: "+stopped(ctx))
		return nil
	}
	unit := strings.TrimSuffix(of.String(), "s")
	size := explain.Plural(s.Size, unit)
	if of == refutation.Channels {
		size = "messages in " + size
	}
	if s.Trace == nil {
		f.Notes = append(f.Notes, size+" could block each other, but no order was found that brings them there one by one")
	} else {
		f.Because = size + " block each other permanently"
		f.Evidence = evidence.Trace{Network: d.n, Trace: s.Trace}
		*d.refused[len(d.refused)-1] = f.Evidence.Verify(ctx, evidence.Options{})
	}
	none := s.None
	switch {
	case none == nil && s.Size > 1:
		f.Notes = append(f.Notes, "whether fewer can was not decided in time")
	case none != nil && none.Bound.Most == s.Size-1:
		f.Notes = append(f.Notes, "no fewer can")
	case none != nil:
		f.Notes = append(f.Notes, fmt.Sprintf("%d cannot; the sizes between are open", none.Bound.Most))
	}
	if none != nil {
		e := evidence.Refutation{Network: d.n, Refutation: none}
		because := "what such messages would hold and wait for is contradictory (Verbeek and Schmaltz 2011)"
		if len(none.Steps) == 0 {
			because = "all such sets were tried: in each, some message waits for a channel that no message of the set can hold"
		}
		f := Finding{Property: e.Shown().Property, Verdict: spec.Holds, Evidence: e, Assumptions: f.Assumptions, Method: Static, Because: because}
		if s.Verified {
			// The evidence is none itself, which nothing changes from here on: to have it
			// checked again would be the same call, which takes as long as all the rest.
			d.result.Findings, d.refused = append(d.result.Findings, f), append(d.refused, new(error))
		} else {
			d.add(ctx, f)
		}
	}
	return nil
}
