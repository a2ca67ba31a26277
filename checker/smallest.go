package checker

import (
	"context"
	"slices"
	"time"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/static"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// A smallest deadlock, in two parts: in any scenario, decided from the tables (smallest), and in the scenario asked
// about, found by exploring (smallestKnown before it, fewest after it).
//
// Two bounds meet. From above comes the smallest deadlock that a trace shows; a set that could block itself, but that
// no trace leads to, is a note. From below comes an unsatisfiability proof that no set up to some size is stuck. Every
// reachable deadlock contains such a set, so the bound holds in every scenario; the smallest set need not be
// reachable, so the two may never meet. "No fewer can" is said only where they do.
//
// Invariant: a finding of fewer packets replaces one of more only with evidence that was verified; a bound is a
// finding of its own, with Bound set (ofSize), and never changes the verdict on deadlock freedom.

// ofSize reports whether a finding is about deadlocks up to some size; see [Size].
func (f *Finding) ofSize() bool { return f.Bound.Of != unsat.Unbounded }

// smallest turns the deadlock found, the last finding, into one of the fewest packets or
// channels, and adds the size up to which none exists, and why no more is known. It takes all
// the time left or, if early, a quarter of it.
func smallest(ctx context.Context, n *spec.Network, t tables, s *static.Decision, v *verification) error {
	v.checks.Wait()
	of := t.smallest
	if n.SiteCount() == 0 {
		return nil
	}
	if end, timed := ctx.Deadline(); timed && t.early {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-time.Until(end)*3/4))
		defer cancel()
	}
	capacity := 1
	if n.Switching() != spec.Wormhole && of == unsat.Packets && n.Capacity() > 1 {
		capacity, of = n.Capacity(), unsat.Channels // a packet waits for channels that are full
	}
	last := len(v.findings) - 1
	f, refused := &v.findings[last], v.refused[last]
	best := 0 // shown by evidence
	if trace := f.Trace(); trace != nil && *refused == nil {
		best = sizeOf(ctx, n, trace, of) // now: the search takes all the time that is left
	}
	found, err := s.Smallest(ctx, of, func(t *counterexamples.Trace) error {
		err := evidence.Trace{Network: n, Trace: t}.Verify(ctx, evidence.Options{})
		if err != nil && ctx.Err() == nil {
			return &EvidenceError{deadlock, err}
		}
		return err
	})
	if err != nil {
		return err
	}
	c := counted{of, capacity}
	if found.Trace != nil && (best == 0 || found.Placed <= best) {
		best = found.Placed
		f.Verdict, f.Candidate, f.Method = spec.Violated, nil, Static
		f.Because = findings.Say(c.blocked(best))
		f.Evidence = evidence.Trace{Network: n, Trace: found.Trace}
		*refused = nil // it was verified when it was found
	}
	none := 0
	if found.None != nil {
		none = found.None.Bound.Most
		v.findings = append(v.findings, noneOfSize(n, found.None, f.Assumptions))
		v.refused = append(v.refused, new(error))
		f = &v.findings[last]
	}
	if found.Found > 0 && (best == 0 || found.Found < best) {
		f.Notes = append(f.Notes, findings.Say(findings.Unreached(c.blocked(found.Found))))
	}
	var why words.Sentence
	switch {
	case found.Why == findings.OutOfTime && ctx.Err() != nil:
		why = stopped(ctx)
	case found.Why != nil:
		why = findings.Say(found.Why)
	}
	switch {
	case best == none+1:
		f.Notes = append(f.Notes, findings.Say(findings.NoFewer))
	case best > 0:
		between := findings.FewestBetween{Least: capacity * (none + 1), Most: c.size(best), Why: why}
		f.Notes = append(f.Notes, findings.Say(between))
	case none > 0:
		f.Notes = append(f.Notes, findings.Say(findings.AtLeastSize{Least: c.size(none + 1), Why: why}))
	}
	return nil
}

// counted is what the size of a deadlock counts.
type counted struct {
	of       unsat.Unit
	capacity int // packets of a channel, if packets in full channels are counted; otherwise 1
}

// size is that of a deadlock.
func (c counted) size(count int) findings.Size {
	switch {
	case c.capacity > 1:
		return findings.Size{Packets: c.capacity * count, Channels: count}
	case c.of == unsat.Channels:
		return findings.Size{Channels: count}
	}
	return findings.Size{Packets: count}
}

// blocked is what blocks each other in a deadlock of a size.
func (c counted) blocked(count int) findings.Blocked {
	channels := words.Count{N: count, Of: "channel"}
	switch {
	case c.capacity > 1:
		return findings.Blocked{What: words.Count{N: c.capacity * count, Of: "packet"}, In: channels}
	case c.of == unsat.Channels:
		return findings.Blocked{What: words.Count{Of: "packet"}, In: channels}
	}
	return findings.Blocked{What: words.Count{N: count, Of: "packet"}}
}

// noneOfSize is the finding that there is no deadlock up to some size; its evidence has been verified.
func noneOfSize(n *spec.Network, r *unsat.Proof, assumptions []words.Sentence) Finding {
	f := Finding{
		Property: r.Bound.Property(), Bound: r.Bound, Method: Static,
		Evidence: evidence.Unsatisfiability{Network: n, Proof: r}, Assumptions: assumptions,
	}
	f.holds(NoSmallDeadlock, findings.NoSmallDeadlock{Source: NoSmallDeadlock.Source()})
	if len(r.Steps) == 0 {
		f.holds(FewTried, findings.FewTried)
	}
	return f
}

// sizeOf counts the stuck packets that a trace shows, or the channels they are in. For whole
// packets, which fill their channels, it always counts channels. It returns 0 if ctx ends first.
func sizeOf(ctx context.Context, n *spec.Network, t *counterexamples.Trace, of unsat.Unit) (count int) {
	if of == unsat.Channels || !t.Scenario.Flits() {
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

// The smallest deadlock in a scenario, by packets or by moves. It is found by exploring,
// which may not end. Known beforehand are a trace of the static decision, carried over into
// the scenario, and a lower bound on the packets or channels of a deadlock; each channel
// takes a move.

// measure returns the size of the deadlock that a trace leads to, in the unit asked for.
func measure(ctx context.Context, p *plan, t *counterexamples.Trace) int {
	switch {
	case p.q.Smallest == FewestMoves:
		return len(t.Moves)
	case p.q.Smallest == FewestPackets && !t.Scenario.Flits():
		return len(t.Stuck) * p.n.Capacity()
	}
	return sizeOf(ctx, p.n, t, p.q.Smallest.unit())
}

// smallestCarried returns the smallest deadlock in the scenario that is found soon after the static
// decision, or nil.
func smallestCarried(ctx context.Context, p *plan, f *Finding) (best *evidence.Trace) {
	try := func(t *counterexamples.Trace) {
		if t != nil && (best == nil || measure(ctx, p, t) < measure(ctx, p, best.Trace)) && possible(p, t) &&
			counterexamples.Replay(context.WithoutCancel(ctx), p.n, t) == nil {
			best = &evidence.Trace{Network: p.n, Trace: t}
		}
	}
	static := f.Trace()
	if static == nil || p.q.Notion != Local {
		return nil
	}
	sc := p.traffic.Scenario()
	switch {
	case static.Scenario.Equal(sc.Steps()):
		try(static)
	case sc.Steps().Equal(spec.Scenario{Length: spec.AnyLength}):
		try(finished(ctx, p, static))
	}
	if flows := flowsOf(p.n, static); ctx.Err() == nil && len(sc.Once) == 0 &&
		(!sc.Bounded() || sc.Packets >= len(flows)) {
		sc.Packets, sc.Once = 0, flows
		const soon = 50_000
		q := Question{Workers: p.q.Workers, MaxStates: soon, Memory: 1 << 29, Properties: []string{deadlock}}
		if t, err := states.NewTraffic(p.n, sc); err == nil {
			if x, err := exploreStates(ctx, t, q); err == nil {
				try(x.Findings[0].Trace())
			}
		}
	}
	return best
}

// smallestKnown returns the smallest deadlock known before exploring, if a smallest one is
// wanted, and whether that settles the verdict without exploring.
func smallestKnown(ctx context.Context, p *plan, r *Result) (best *evidence.Trace, enough bool) {
	f := r.Of(deadlock)
	if f == nil || !p.asked || !p.small() {
		return nil, false
	}
	if f.Verdict != spec.Violated {
		return nil, covers(f, p.q.Scenario)
	}
	if best = smallestCarried(ctx, p, f); best != nil && p.q.Smallest == FewestMoves {
		least, _ := leastMoves(p, r)
		return best, len(best.Moves) == least
	}
	return best, best != nil
}

// fewest turns the finding about deadlock into one about a smallest deadlock, or notes what is known of it.
func fewest(ctx context.Context, p *plan, r *Result, best *evidence.Trace) error {
	switch f := r.Of(deadlock); {
	case f == nil || !p.asked:
	case f.Verdict == spec.Holds:
		r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return f.ofSize() })
	case p.q.Smallest == FewestMoves:
		fewestMoves(p, r, f, best)
	case p.small():
		return fewestPackets(ctx, p, r, f, best)
	}
	return nil
}

// flowsOf lists the packets that a trace injects.
func flowsOf(n *spec.Network, t *counterexamples.Trace) (flows []spec.Flow) {
	for _, m := range t.Moves {
		if m.From.IsInjection() && m.Kind == spec.Advance {
			flows = append(flows, spec.Flow{Source: n.Topology().Head(m.From), Target: m.Header.Target()})
		}
	}
	return flows
}

// finished turns whole packets, each in one channel, into packets of any length: a packet
// that moves on has its packet finished first. It is nil if that leads to no deadlock.
func finished(ctx context.Context, p *plan, t *counterexamples.Trace) *counterexamples.Trace {
	if !t.Scenario.Equal(spec.Scenario{}) {
		return nil
	}
	long := *t
	long.Scenario, long.Moves = spec.Scenario{Length: spec.AnyLength}, nil
	for i, m := range t.Moves {
		long.Moves = append(long.Moves, m)
		at := spec.Site{Channel: m.Hop.Channel, Header: m.Header}
		at.Header.Tag = m.Hop.Tag
		if m.From.IsInjection() &&
			slices.ContainsFunc(t.Moves[i+1:], func(o spec.Move) bool {
				return o.From == at.Channel && o.Header == at.Header
			}) {
			m.Kind = spec.Finish
			long.Moves = append(long.Moves, m)
		}
	}
	traffic, end, err := counterexamples.End(context.WithoutCancel(ctx), p.n, &long)
	if err != nil {
		return nil
	}
	if long.Stuck = states.Stuck(traffic, end); len(long.Stuck) == 0 {
		return nil
	}
	return &long
}

// leastMoves returns a lower bound on the moves to a deadlock, and its reason.
func leastMoves(p *plan, r *Result) (least int, why findings.Fact) {
	least = 1
	if i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ofSize() }); i >= 0 {
		if e, ok := r.Findings[i].Evidence.(evidence.Unsatisfiability); ok {
			least, why = (e.Bound.Most+1)*p.n.Capacity(), findings.ChannelMoves
			if p.n.Capacity() > 1 {
				why = findings.PacketMoves
			}
		}
	}
	if r.Space != nil && !p.q.PartialOrder && !p.q.Compact && r.Space.Levels-1 > least {
		least, why = r.Space.Levels-1, findings.ShorterVisited
	}
	return least, why
}

// fewestMoves makes f say between which bounds the fewest moves to a deadlock lie.
// best is the shortest trace known before exploring.
func fewestMoves(p *plan, r *Result, f *Finding, best *evidence.Trace) {
	least, why := leastMoves(p, r)
	switch {
	case f.Verdict == spec.Violated && f.Method == Explored && !p.q.PartialOrder:
		if len(f.Trace().Moves) != least || why == nil {
			why = findings.ShorterVisited
		}
		f.Notes = append(f.Notes, findings.Say(findings.NoFewerMoves{Why: why}))
	case best != nil:
		ended := f.Because
		moves := words.Count{N: len(best.Moves), Of: "move"}
		*f = Finding{
			Property: deadlock, Verdict: spec.Violated, Method: Static, Evidence: *best,
			Assumptions: trafficAssumptions(p.traffic, deadlock),
			Because:     findings.Say(findings.Blocked{After: moves, What: words.Count{Of: "packet"}}),
		}
		if len(best.Moves) == least {
			f.Notes = append(f.Notes, findings.Say(findings.NoFewerMoves{Why: why}))
			break
		}
		between := findings.FewestBetween{Least: least, Most: findings.Size{Moves: moves.N}, Why: ended}
		f.Notes = append(f.Notes, findings.Say(between))
		if why != nil {
			f.Notes = append(f.Notes, findings.Say(findings.MovesBound{Least: least, Why: why}))
		}
	case why != nil:
		f.Notes = append(f.Notes, findings.Say(findings.AtLeastMoves{Least: least, Why: why}))
	}
}

// noneOf returns the most messages, or channels, for which the static decision has shown that
// they cannot block each other.
func noneOf(p *plan, r *Result) int {
	for _, f := range r.Findings {
		if e, ok := f.Evidence.(evidence.Unsatisfiability); ok && f.ofSize() {
			if e.Bound.Of != p.q.Smallest.unit() {
				return (e.Bound.Most+1)*p.n.Capacity() - 1
			}
			return e.Bound.Most
		}
	}
	return 0
}

// half returns a context for exploring; if fewer packets are explored afterwards, it leaves half of the time.
func half(ctx context.Context, p *plan) (context.Context, context.CancelFunc) {
	if end, timed := ctx.Deadline(); timed && p.asked && p.q.Smallest == FewestPackets {
		return context.WithDeadline(ctx, end.Add(-time.Until(end)/2))
	}
	return ctx, func() {}
}

// deadlockOfFew explores what the given number of packets can do.
func deadlockOfFew(ctx context.Context, p *plan, packets int) (*Finding, error) {
	const soon = 1_000_000 // states, where nothing else bounds them
	sc := p.traffic.Scenario()
	sc.Packets = packets
	t, err := states.NewTraffic(p.n, sc)
	if err != nil {
		return nil, err
	}
	q := Question{
		Workers: p.q.Workers, Memory: p.q.Memory, MaxStates: p.q.MaxStates, Closed: p.q.Closed,
		Properties: []string{deadlock},
	}
	if _, timed := ctx.Deadline(); !timed && q.MaxStates == 0 {
		q.MaxStates = soon
	}
	x, err := exploreStates(ctx, t, q)
	if err != nil {
		return nil, err
	}
	return &x.Findings[0], nil
}

// fewestPackets turns f into a finding about the smallest deadlock in the scenario. best is what
// was known before exploring. If nothing that k packets can do is a deadlock, it takes more
// than k: stuck packets stay stuck when the others are gone.
func fewestPackets(ctx context.Context, p *plan, r *Result, f *Finding, best *evidence.Trace) error {
	assumed := trafficAssumptions(p.traffic, deadlock)
	if t := f.Trace(); t != nil && t.Scenario.Equal(p.traffic.Scenario().Steps()) &&
		(best == nil || measure(ctx, p, t) <= measure(ctx, p, best.Trace)) {
		best = &evidence.Trace{Network: p.n, Trace: t}
	}
	if p.q.Notion != Local {
		f.Notes = append(f.Notes, findings.Say(findings.NoSmaller))
		return nil
	}
	none, ended := noneOf(p, r), findings.Say(findings.MovesOnly)
	var shown *Finding
	// then no two packets are in one channel
	counts := p.q.Smallest == FewestPackets || p.q.Scenario.Shared && p.n.Buffer() == 1
	for counts && len(p.q.Scenario.Once) == 0 && (best == nil || none+1 < measure(ctx, p, best.Trace)) {
		x, err := deadlockOfFew(ctx, p, none+1)
		if err != nil {
			return err
		}
		if x.Verdict == spec.Violated {
			best = &evidence.Trace{Network: p.n, Trace: x.Trace()}
			break
		}
		if ended = x.Because; x.Verdict == spec.Unknown {
			break
		}
		none++
		x.Bound = unsat.Bound{Of: unsat.Packets, Most: none}
		x.Property = x.Bound.Property()
		shown = x
	}
	c := counted{p.q.Smallest.unit(), 1}
	switch {
	case best == nil:
		f.Notes = append(f.Notes, findings.Say(findings.AtLeastSize{Least: c.size(none + 1)}))
	default:
		size := measure(ctx, p, best.Trace)
		*f = Finding{
			Property: deadlock, Verdict: spec.Violated, Method: f.Method, Evidence: *best, Assumptions: assumed,
			Because: findings.Say(c.blocked(size)),
		}
		if f.Method == "" {
			f.Method = Explored
		}
		if size == none+1 {
			f.Notes = append(f.Notes, findings.Say(findings.NoFewer))
		} else {
			between := findings.FewestBetween{Least: none + 1, Most: c.size(size), Why: ended}
			f.Notes = append(f.Notes, findings.Say(between))
		}
	}
	if shown != nil {
		r.Findings = append(slices.DeleteFunc(r.Findings, func(f Finding) bool { return f.ofSize() }), *shown)
	}
	return nil
}
