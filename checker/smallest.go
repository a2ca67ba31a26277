package checker

import (
	"context"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/static"
	"github.com/seed-105a2da2/unknot/checker/internal/wormhole"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// ofSize reports whether a finding is about deadlocks up to some size; see [Size].
func (f *Finding) ofSize() bool { return f.Bound.Of != refutation.Unbounded }

// smallest turns the deadlock found, the last finding, into one of the fewest messages or
// channels, and adds the size up to which none exists, and why no more is known. It takes all
// the time left or, if early, a quarter of it.
func (d *decision) smallest(ctx context.Context, of refutation.Unit, early bool) error {
	d.checks.Wait()
	if d.n.SiteCount() == 0 {
		return nil
	}
	if end, timed := ctx.Deadline(); timed && early {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-time.Until(end)*3/4))
		defer cancel()
	}
	capacity := 1
	if d.n.Switching() != spec.Wormhole && of == refutation.Messages && d.n.Capacity() > 1 {
		capacity, of = d.n.Capacity(), refutation.Channels // a packet waits for channels that are full
	}
	f, refused := &d.result.Findings[len(d.result.Findings)-1], d.refused[len(d.refused)-1]
	best := 0 // shown by evidence
	if t := f.Trace(); t != nil && *refused == nil {
		best = sizeOf(ctx, d.n, t, of) // now: the search takes all the time that is left
	}
	s, err := d.static.Smallest(ctx, of, func(t *counterexamples.Trace) error {
		err := evidence.Trace{Network: d.n, Trace: t}.Verify(ctx, evidence.Options{})
		if err != nil && ctx.Err() == nil {
			return &EvidenceError{deadlock, err}
		}
		return err
	})
	if err != nil {
		return err
	}
	c := counted{of, capacity, d.n.Switching() == spec.Wormhole}
	if s.Trace != nil && (best == 0 || s.Placed <= best) {
		best = s.Placed
		f.Verdict, f.Candidate, f.Because, f.Method = spec.Violated, nil, words.Say("%s block each other permanently", c.block(best)), Static
		if c.alone(best) {
			f.Because = words.Say("%s permanently", blocking(best, "message"))
		}
		f.Evidence = evidence.Trace{Network: d.n, Trace: s.Trace}
		*refused = nil // it was verified when it was found
	}
	none := 0
	if s.None != nil {
		none = s.None.Bound.Most
		d.none(s.None, f.Assumptions)
		f = &d.result.Findings[len(d.result.Findings)-2]
	}
	if s.Found > 0 && (best == 0 || s.Found < best) {
		note := words.Say("%s could block each other, but no order was found that brings them there one by one", c.block(s.Found))
		if c.alone(s.Found) {
			note = static.CouldBlock(s.Found, "")
		}
		f.Notes = append(f.Notes, note)
	}
	var why words.Sentence
	switch {
	case s.Why == wormhole.OutOfTime && ctx.Err() != nil:
		why = words.Say(": %s", stopped(ctx))
	case s.Why != "":
		why = words.Say(": %s", s.Why)
	}
	switch {
	case best == none+1:
		f.Notes = append(f.Notes, words.Say("no fewer can"))
	case best > 0:
		f.Notes = append(f.Notes, words.Say("the fewest are between %d and %s%s", capacity*(none+1), c.size(best), why))
	case none > 0:
		f.Notes = append(f.Notes, words.Say("if there is a deadlock, it has at least %s%s", c.size(none+1), why))
	}
	return nil
}

// counted is what the size of a deadlock counts.
type counted struct {
	of       refutation.Unit
	capacity int // packets of a channel, if packets in full channels are counted; otherwise 1
	wormhole bool
}

// size writes a size.
func (c counted) size(count int) words.Sentence {
	switch {
	case c.capacity > 1:
		return words.Say("%s in %s", words.Count{N: c.capacity * count, Of: "packet"}, words.Count{N: count, Of: "channel"})
	case c.of == refutation.Channels:
		return words.Say("%s", words.Count{N: count, Of: "channel"})
	case c.wormhole:
		return words.Say("%s", words.Count{N: count, Of: "message"})
	}
	return words.Say("%s", words.Count{N: count, Of: "packet"})
}

// block names what blocks each other in a deadlock of a size.
func (c counted) block(count int) words.Sentence {
	if c.of == refutation.Channels && c.capacity == 1 {
		return words.Say("messages in %s", c.size(count))
	}
	return c.size(count)
}

// alone reports whether a deadlock of a size is a message that blocks itself.
func (c counted) alone(count int) bool {
	return count == 1 && c.of == refutation.Messages && c.wormhole
}

// none adds a verified finding that there is no deadlock up to some size.
func (d *decision) none(r *refutation.Refutation, assumptions []words.Sentence) {
	e := evidence.Refutation{Network: d.n, Refutation: r}
	because := words.Say("what such messages would hold and wait for is contradictory (Verbeek and Schmaltz 2011)")
	if len(r.Steps) == 0 {
		because = words.Say("all such sets were tried: in each, some message waits for a channel that no message of the set can hold")
	}
	f := Finding{Property: r.Bound.Property(), Bound: r.Bound, Verdict: spec.Holds, Evidence: e, Assumptions: assumptions, Method: Static, Because: because}
	d.result.Findings, d.refused = append(d.result.Findings, f), append(d.refused, new(error))
}

// sizeOf counts the stuck messages that a trace shows, or the channels they are in. For whole
// packets, which fill their channels, it always counts channels. It returns 0 if ctx ends first.
func sizeOf(ctx context.Context, n *spec.Network, t *counterexamples.Trace, of refutation.Unit) (count int) {
	if of == refutation.Channels || !t.Scenario.Flits() {
		return len(t.Stuck)
	}
	_, end, err := counterexamples.End(ctx, n, t)
	if err != nil {
		return 0
	}
	for _, c := range t.Stuck {
		for _, p := range end.Channels[c] {
			if !p.Left {
				count++
			}
		}
	}
	return count
}
