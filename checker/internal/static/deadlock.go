package static

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/internal/windows"
	"github.com/seed-105a2da2/unknot/checker/internal/wormhole"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// deadlock tries the methods in order, the cheapest first. For store-and-forward and virtual cut-through it is exact,
// except for whether the remaining stuck set can be reached, and where hops need room for several packets.
func (d *Decision) deadlock(ctx context.Context) (*Answer, error) {
	if d.n.SiteCount() == 0 {
		return &Answer{Because: findings.Say(findings.NoSites)}, nil
	}
	if d.ranks != nil {
		return d.free(proofs.Rank, d.ranks, nil), nil
	}
	if !d.climbs() {
		left := d.usage.Delete(nil)
		if left.Left == 0 {
			return d.free(proofs.Escape, left.Rank, nil), nil
		}
		if d.keepsBubbles() {
			return d.kept(ctx)
		}
		d.n = routing.Whole(ctx, d.n)
		return d.packets(ctx, unranked(left.Rank), nil)
	}
	tails, err := d.headTail(ctx)
	if err != nil {
		return nil, err
	}
	shared := d.sc.Shared && d.n.Buffer() > 1 // a channel of one flit takes no head behind another packet
	if tails.Stuck == 0 && !shared {
		return d.free(proofs.ExtendedEscape, tails.Rank, tails.Held), nil
	}
	left := d.usage.Delete(nil)
	d.n = routing.Whole(ctx, d.n)
	if left.Left > 0 &&
		(!d.opt.Scenario.Flits() || d.sc.Length <= d.n.Buffer() && !shared ||
			d.sc.Length > 0 && d.n.Buffer()%d.sc.Length == 0 || d.sc.Length == spec.AnyLength) {
		a, err := d.packets(ctx, unranked(left.Rank), nil)
		if err != nil || a.Verdict == spec.Violated || !d.opt.Scenario.Flits() {
			return a, err
		}
	}
	return d.worms(ctx, unranked(tails.Rank), left.Left == 0, shared)
}

// kept is deadlock where some hops need room for several packets.
func (d *Decision) kept(ctx context.Context) (*Answer, error) {
	d.say(routing.Progress{Stage: "looking for bubbles"})
	cert, open, err := d.bubbles(ctx)
	if err != nil {
		return nil, err
	}
	if cert != nil {
		return &Answer{Verdict: spec.Holds, Evidence: evidence.Bubbles{Network: d.n, Certificate: cert}}, nil
	}
	d.n = routing.Whole(ctx, d.n)
	a, err := d.packets(ctx, open.left(), open.found)
	if err == nil && a.Verdict == spec.Unknown {
		t, err := d.walked(ctx, d.whole(), nil, open.left())
		if err != nil {
			return nil, err
		}
		if t != nil {
			return d.blocked(findings.Blocked{What: words.Count{Of: "packet"}}, t), nil
		}
		a.Because = a.Because.And(findings.Say(open.why()))
	}
	return a, err
}

// climbs reports that the dependencies do not decide deadlock, so the head/tail fixpoint is next.
func (d *Decision) climbs() bool { return d.ranks == nil && d.n.Switching() == spec.Wormhole }

// headTail runs the head/tail fixpoint.
func (d *Decision) headTail(ctx context.Context) (tails *relation.HeadTail, err error) {
	round := func(deleted int) {
		d.say(routing.Progress{
			Stage: "head/tail fixpoint", Done: int64(deleted), Total: int64(d.dependencies.Len()),
			Count: int64(deleted), Unit: "channels ranked",
		})
	}
	if !d.lists() {
		return d.usage.HeadTailRanks(ctx, d.opt.Workers, round)
	}
	if tails, d.tails = d.tails, nil; tails == nil {
		if tails, err = d.usage.HeadTail(ctx, d.opt.Workers, true, nil); err != nil {
			return nil, err
		}
	}
	return tails, tails.Run(ctx, round)
}

func (d *Decision) free(kind proofs.Kind, ranks, held []int32) *Answer {
	return d.certified(proofs.Certificate{Property: spec.DeadlockFreedom, Kind: kind, Rank: ranks, Held: held})
}

func unranked(ranks []int32) []spec.ChannelID {
	var out []spec.ChannelID
	for c, rank := range ranks {
		if rank == relation.Unranked {
			out = append(out, spec.ChannelID(c))
		}
	}
	return out
}

// whole is the scenario of whole packets that is decided.
func (d *Decision) whole() spec.Scenario { return spec.Scenario{Bubble: d.opt.Bubble} }

// packets looks for a trace to a stuck set of packets within the largest one: to one of some sets, of which is known
// how many packets each channel holds, or to one that is full.
func (d *Decision) packets(
	ctx context.Context, largest []spec.ChannelID, sets []map[spec.ChannelID]int,
) (*Answer, error) {
	d.say(routing.Progress{Stage: "confirming the candidate"})
	a := &Answer{Candidate: largest}
	const attempts = 24
	if capacity := d.n.Capacity(); len(largest)*capacity > mostMoves {
		a.Because = findings.Say(findings.Unfilled{
			Channels: words.Count{N: len(largest), Of: "channel"}, Capacity: capacity,
		})
		return a, nil
	}
	p := &placement{
		n: d.n, walk: relation.NewWalk(d.n), budget: windows.NewBudget(d.n), scenario: d.whole(),
	}
	for _, channels := range stuckSets(ctx, d.n, d.usage, largest, attempts) {
		sets = append(sets, full(d.n, channels))
	}
	for _, set := range sets {
		loads, err := p.fill(ctx, set)
		if err != nil {
			return nil, err
		}
		moves, sc := inTurn(loads), d.whole()
		if d.opt.Scenario.Flits() {
			flits, each := d.flits(wormhole.Worm{Sites: make([]spec.Site, 1)}, nil), 1
			if d.sc.Shared && d.sc.Length > 0 { // a channel has to be filled
				each = d.n.Buffer() / flits
			}
			var paths [][]spec.Move
			for _, l := range loads {
				paths = append(paths, slices.Repeat([][]spec.Move{l.path}, each)...)
			}
			moves, sc = d.carried(paths, slices.Repeat([]int{flits}, len(paths))), d.sc
		}
		t, err := d.replayed(ctx, sc, moves)
		if err != nil {
			return nil, err
		}
		if t == nil {
			continue
		}
		b := findings.Blocked{What: words.Count{N: len(set), Of: "packet"}}
		if d.n.Switching() == spec.Wormhole {
			b.How = findings.SingleFlits
		}
		return d.blocked(b, t), nil
	}
	a.Because = findings.Say(findings.Unreached{
		What: words.Count{Of: "packet"}, In: words.Count{N: len(largest), Of: "channel"},
	})
	a.Open = &Open{Few: d.somePlacements(ctx, p, largest)}
	if d.n.Switching() == spec.Wormhole {
		a.Open.Scenario.Length = spec.AnyLength
	}
	return a, nil
}

// worms looks for worms that block each other in the channels that the head/tail
// fixpoint leaves, and for a trace to them. long says that packets which fit into one
// channel cannot block each other; shared, that packets may share channels, and so may
// block each other although none do in channels of their own.
func (d *Decision) worms(ctx context.Context, candidate []spec.ChannelID, long, shared bool) (*Answer, error) {
	a := &Answer{Candidate: candidate, Open: &Open{Scenario: d.sc}}
	although := findings.Plainly
	if long && len(candidate) > 0 {
		although = findings.LongOnly
	}
	a.Because = findings.Say(findings.MightBlock{
		Channels: words.Count{N: len(candidate), Of: "channel"}, Long: long,
	})
	if len(candidate) == 0 {
		a.Because = findings.Say(findings.EscapeAlone)
	}
	d.say(routing.Progress{Stage: "searching for packets that block each other"})
	o := wormhole.Options{Steps: 200_000, Numbers: 1 << 23} // a few seconds
	var under *spec.Scenario
	if d.sc.Length > 0 {
		o.Channels, under = wormhole.Holds(d.n, d.sc.Length), &d.sc
	}
	found, decided, err := wormhole.Search(ctx, d.n, d.usage, candidate, o)
	if err != nil {
		return nil, err
	}
	switch {
	case len(found) > 0:
		moves, err := d.placeWorms(ctx, found)
		if err != nil {
			return nil, err
		}
		t, err := d.replayed(ctx, d.sc, moves)
		if err != nil {
			return nil, err
		}
		if t != nil {
			b := findings.Blocked{What: words.Count{Of: "packet"}, How: although}
			if len(found) == 1 {
				b.What.N = 1
			}
			return d.blocked(b, t), nil
		}
		a.Because = a.Because.And(unreached(found, findings.Plainly))
	case decided && !shared:
		refuted, _, err := d.refuted(ctx, nil, under, o)
		if err != nil {
			return nil, err
		}
		if refuted != nil {
			return &Answer{Verdict: spec.Holds, Evidence: evidence.Unsatisfiability{Network: d.n, Proof: refuted}}, nil
		}
		a.Because = a.Because.And(findings.Say(findings.NoProof))
	}
	if shared {
		behind, err := d.queued(ctx, a, o)
		if err != nil {
			return nil, err
		}
		found = append(found, behind...)
	}
	if a.Verdict == spec.Unknown {
		t, err := d.walked(ctx, d.sc, found, candidate)
		if err != nil {
			return nil, err
		}
		if t != nil {
			return d.blocked(findings.Blocked{What: words.Count{Of: "packet"}, How: although}, t), nil
		}
		a.Because = a.Because.And(findings.Say(findings.NoWalk))
	}
	return a, nil
}

// queued looks for packets that block each other where the head of one may stand behind the tail of another,
// and puts its result into a. It returns the packets found if it could not bring them to their places.
func (d *Decision) queued(ctx context.Context, a *Answer, o wormhole.Options) ([]wormhole.Worm, error) {
	refuted, found, err := d.refuted(ctx, &spec.Scenario{Length: spec.AnyLength, Elastic: true, Shared: true}, &d.sc, o)
	if refuted != nil {
		*a = Answer{Verdict: spec.Holds, Evidence: evidence.Unsatisfiability{Network: d.n, Proof: refuted}, Queued: true}
	}
	if found == nil || err != nil {
		return nil, err
	}
	moves, err := d.placeWorms(ctx, found)
	if err != nil {
		return nil, err
	}
	t, err := d.replayed(ctx, d.sc, moves)
	if t == nil && d.sc.Length > 0 {
		a.Because = a.Because.And(unreached(found, findings.Behind))
	}
	if t != nil {
		b := findings.Blocked{What: words.Count{Of: "packet"}, How: findings.Behind}
		found, *a = nil, *d.blocked(b, t)
	}
	return found, err
}

// refuted returns an unsatisfiability proof for packets of any length or, failing that, for those of under, if that
// sets a length. If there is neither it returns what was found last.
func (d *Decision) refuted(
	ctx context.Context, all, under *spec.Scenario, o wormhole.Options,
) (*unsat.Proof, []wormhole.Worm, error) {
	r, found, err := wormhole.Refute(ctx, d.n, all, unsat.Bound{}, o)
	if r == nil && err == nil && under != nil && under.Length > 0 {
		r, found, err = wormhole.Refute(ctx, d.n, under, unsat.Bound{}, o)
	}
	return r, found, err
}

// unreached follows what might block: worms could block each other.
func unreached(found []wormhole.Worm, how findings.How) words.Sentence {
	could := findings.Unreached{What: words.Count{N: len(found), Of: "packet"}, How: how}
	return findings.Say(findings.Also{Because: findings.Say(could)})
}
