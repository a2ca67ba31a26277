package change

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/proofs/changes"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/each"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Rounds is a change that waits: each round begins once all packets have left that were injected before the one before
// it ended.
type Rounds struct {
	Turns    [][]spec.NodeID   // every router once; nil if none were found
	Findings []Finding         // each property holds, with a certificate for each round
	Bound    evidence.Evidence // an evidence.ChangeBound that fewer do not do; nil if they may, or no trace of one round shows it
	Least    int               // fewer rounds do not do: each change in fewer has a round that is not safe, or not known to be
	Proved   bool              // each of those has a trace
	Because  words.Sentence    // why there are none, or how far they were looked for
}

// mostExact is the number of routers up to which all changes in rounds are considered.
const mostExact = 9

// rounds looks for few rounds, after the change without waiting was not shown to be safe.
func (u *search) rounds(ctx context.Context, alone *Result) (*Rounds, error) {
	quick := *u
	quick.opt.States = 0 // there are many rounds to try
	whole := alone.Verdict()
	x := &planner{search: &quick, known: map[[2]uint32]spec.Verdict{}, out: &Rounds{Least: 2, Proved: whole == spec.Violated}}
	r := x.out
	for _, f := range alone.Findings {
		if t, is := f.Evidence.(evidence.ChangeTrace); is && len(x.traces) == 0 {
			x.traces = append(x.traces, t.Trace)
		}
	}
	var err error
	if len(u.differ) <= mostExact {
		x.known[[2]uint32{0, 1<<len(u.differ) - 1}] = whole
		if err = x.fewest(ctx); err == nil {
			err = x.bound(ctx)
		}
	} else {
		err = x.guess(ctx)
	}
	if err != nil || r.Turns == nil {
		return r, err
	}
	if x.parts == nil {
		if err := x.try(ctx, r.Turns); err != nil {
			return nil, err
		}
	}
	plans := make([]*changes.Plan, len(properties))
	for i, property := range properties {
		var parts []part
		for _, p := range x.parts {
			parts = append(parts, p[i])
		}
		plans[i] = u.plan(property, r.Turns, parts)
		r.Findings = append(r.Findings, Finding{
			Property: property, Verdict: spec.Holds, Because: parts[0].because,
			Evidence: evidence.ChangePlan{Network: u.p.Network(), Plan: plans[i]},
		})
	}
	if err := changes.Verify(ctx, u.p.Network(), false, plans...); err != nil {
		return nil, &checker.EvidenceError{Name: "a change in rounds", Err: err}
	}
	return r, nil
}

// planner looks for rounds. Sets of routers that differ are bits, up to mostExact of them.
type planner struct {
	*search
	known map[[2]uint32]spec.Verdict
	out   *Rounds
	parts [][len(properties)]part // by round of out, if they are kept

	traces []*changes.Trace // of rounds that are not safe
}

// safe returns whether a round has all properties: holds, violated if a trace shows that it has not, or unknown.
func (x *planner) safe(ctx context.Context, r changes.Round) (spec.Verdict, error) {
	parts, err := x.decide(ctx, r)
	if i := slices.IndexFunc(parts[:], func(p part) bool { return p.verdict == spec.Violated }); i >= 0 && err == nil {
		x.traces = append(x.traces, parts[i].trace)
	}
	return verdictOf(parts), err
}

// bound makes the evidence that fewer rounds do not do.
func (x *planner) bound(ctx context.Context) error {
	if !x.out.Proved || len(x.differ) == 0 { // of tables that are the same, the trace of the change says all
		return nil
	}
	b := &changes.Bound{Network: x.p.Network().Digest(), Manner: x.opt.Manner, Rounds: x.out.Least, Traces: x.traces}
	if x.out.Turns == nil {
		b.Rounds = len(x.differ) + 1
	}
	for i := 0; i < len(b.Traces); { // without those that it does not need
		fewer := *b
		if fewer.Traces = slices.Delete(slices.Clone(b.Traces), i, i+1); fewer.Follow(x.p) == nil {
			b.Traces = fewer.Traces
		} else {
			i++
		}
	}
	x.out.Bound = evidence.ChangeBound{Network: x.p.Network(), Bound: b}
	if err := x.out.Bound.Verify(ctx, evidence.Options{}); err != nil {
		return &checker.EvidenceError{Name: "a bound of rounds", Err: err}
	}
	return nil
}

func verdictOf(parts [len(properties)]part) spec.Verdict {
	verdict := spec.Holds
	for _, p := range parts {
		if p.verdict == spec.Violated {
			return spec.Violated
		}
		if p.verdict != spec.Holds {
			verdict = spec.Unknown
		}
	}
	return verdict
}

// fewest considers all changes in rounds, breadth first by the set of routers that have been rewritten.
func (x *planner) fewest(ctx context.Context) error {
	full := uint32(1)<<len(x.differ) - 1
	nodes := func(set uint32) (list []spec.NodeID) {
		for i, v := range x.differ {
			if set>>i&1 > 0 {
				list = append(list, v)
			}
		}
		return list
	}
	// safe also notes whether all that is not safe has a trace.
	safe := func(before, now uint32) (bool, error) {
		key := [2]uint32{before, now}
		verdict, known := x.known[key]
		if !known {
			var err error
			if verdict, err = x.safe(ctx, changes.Round{Before: nodes(before), Now: nodes(now)}); err != nil {
				return false, err
			}
			x.known[key] = verdict
		}
		if verdict == spec.Unknown {
			x.out.Proved = false
		}
		return verdict == spec.Holds, nil
	}
	from, front := map[uint32]uint32{0: 0}, []uint32{0}
	for len(front) > 0 {
		for _, set := range front {
			is, err := safe(set, full&^set)
			if err != nil {
				return err
			}
			if !is {
				continue
			}
			for now := full; now > 0; set = from[set] {
				x.out.Turns = append(x.out.Turns, nodes(now&^set))
				now = set
			}
			slices.Reverse(x.out.Turns)
			x.out.Least = len(x.out.Turns)
			return nil
		}
		var next []uint32
		for _, set := range front {
			rest := full &^ set
			for now := rest; now > 0; now = (now - 1) & rest { // all that are not empty
				if _, met := from[set|now]; met || set|now == full {
					continue
				}
				is, err := safe(set, now)
				if err != nil {
					return err
				}
				if is {
					from[set|now] = set
					next = append(next, set|now)
				}
			}
		}
		front = next
	}
	x.out.Because = findings.Say(findings.NoRoundsKnown)
	if x.out.Proved {
		x.out.Because = findings.Say(findings.NoRounds)
	}
	return nil
}

// guess tries rounds that the places of the nodes suggest, and for small networks one router after the other. Of those
// that are safe it keeps the fewest.
func (x *planner) guess(ctx context.Context) error {
	topo := x.p.Network().Topology()
	for d := range len(topo.Node(x.differ[0]).At) {
		group := map[int][]spec.NodeID{}
		for _, v := range x.differ {
			if at := topo.Node(v).At; d < len(at) {
				group[at[d]] = append(group[at[d]], v)
			}
		}
		var turns [][]spec.NodeID
		all := 0
		for _, at := range slices.Sorted(maps.Keys(group)) {
			turns, all = append(turns, group[at]), all+len(group[at])
		}
		if all < len(x.differ) || len(turns) < 2 {
			continue
		}
		back := slices.Clone(turns)
		slices.Reverse(back)
		for _, turns := range [][][]spec.NodeID{turns, back} {
			if err := x.try(ctx, turns); err != nil {
				return err
			}
		}
	}
	const few = 10_000 // sites
	if x.p.Network().SiteCount() <= few {
		back := slices.Clone(x.differ)
		slices.Reverse(back)
		for _, order := range [][]spec.NodeID{x.differ, back} {
			if err := x.grow(ctx, order); err != nil {
				return err
			}
		}
	}
	if x.out.Turns == nil {
		x.out.Because = findings.Say(findings.NoRoundsTried)
	}
	return nil
}

// errUnsafe stops the work on rounds of which one is not known to be safe.
var errUnsafe = errors.New("a round is not known to be safe")

// try keeps a change in rounds, with their answers, if it is safe and has fewer of them than the one known. Rounds are
// decided on all processors.
func (x *planner) try(ctx context.Context, turns [][]spec.NodeID) error {
	if x.parts != nil && len(x.parts) <= len(turns) {
		return nil
	}
	// Routers whose tables do not differ may be rewritten at any time.
	differs := make([]bool, x.p.Network().Topology().Nodes())
	for _, v := range x.differ {
		differs[v] = true
	}
	turns = slices.Clone(turns)
	same := slices.DeleteFunc(x.everyone(), func(v spec.NodeID) bool { return differs[v] })
	turns[0] = append(slices.Clone(turns[0]), same...)
	slices.Sort(turns[0])
	rounds := changes.Rounds(turns)
	parts := make([][len(properties)]part, len(rounds))
	err := each.Do(ctx, cmp.Or(x.opt.Compile.Workers, runtime.GOMAXPROCS(0)), len(rounds), func(_, i int) (err error) {
		if parts[i], err = x.decide(ctx, rounds[i]); err == nil && verdictOf(parts[i]) != spec.Holds {
			err = errUnsafe
		}
		return err
	})
	if err == nil {
		x.out.Turns, x.parts = turns, parts
	} else if err == errUnsafe {
		err = nil
	}
	return err
}

// grow makes each round as large as it goes, router by router in an order.
func (x *planner) grow(ctx context.Context, order []spec.NodeID) error {
	var turns [][]spec.NodeID
	left := slices.Clone(order)
	var before []spec.NodeID
	for len(left) > 0 {
		var now []spec.NodeID
		left = slices.DeleteFunc(left, func(v spec.NodeID) bool {
			if ctx.Err() != nil {
				return false
			}
			verdict, err := x.safe(ctx, changes.Round{Before: before, Now: append(slices.Clone(now), v)})
			if err != nil || verdict != spec.Holds {
				return false
			}
			now = append(now, v)
			return true
		})
		if len(now) == 0 || ctx.Err() != nil || x.out.Turns != nil && len(turns)+1 >= len(x.out.Turns) && len(left) > 0 {
			return context.Cause(ctx)
		}
		turns, before = append(turns, now), append(before, now...)
	}
	if x.out.Turns == nil || len(turns) < len(x.out.Turns) {
		x.out.Turns, x.parts = turns, nil
	}
	return nil
}
