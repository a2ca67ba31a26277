package repair

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Copies of the VCs.
//
// Dateline, HopIndex and Layers keep every hop of a network that leads somewhere, and say on
// which copy of its VC a packet takes it: copy i of VC k on a link of m VCs is VC i*m+k.
// A link has as many copies as any packet needs there. The copy follows from the channel
// that holds the packet, and at the source from the flow: neither the header nor the
// classes change. Request buffers have copies as other channels have, so a transaction goes on in the copy in which a
// request arrived. All alternatives of a site, and its discards, are in each copy of it.

// plan says which copies a packet takes.
type plan struct {
	start func(t *table, source int32) int
	step  func(at spec.ChannelID, copy int, to spec.ChannelID) int

	copies []int // by link, see countCopies
}

// countCopies finds how many copies each link needs, and the whole network. If a packet
// needs more than most, it returns nil and the channels of a path that does; if ctx has ended, nil.
func (p *plan) countCopies(ctx context.Context, w *paths, most int) (copies []int, path []spec.ChannelID) {
	copies = make([]int, w.n.Topology().Links())
	for i := range w.tables {
		if ctx.Err() != nil {
			return nil, nil
		}
		t := &w.tables[i]
		// By vertex and copy: the state before it + 1, or -1 at a source.
		before := make([]int32, t.Vertices()*most)
		var queue []int32
		channels := func(s int32) []spec.ChannelID {
			var back []spec.ChannelID
			for ; t.SiteNumber(s/int32(most)) >= 0; s = before[s] - 1 {
				back = append(back, t.Channels[t.SiteNumber(s/int32(most))])
			}
			slices.Reverse(back)
			return back
		}
		for v := range int32(len(t.Sources)) {
			s := v*int32(most) + int32(p.start(t, v))
			before[s] = -1
			queue = append(queue, s)
		}
		for k := 0; k < len(queue); k++ {
			s := queue[k]
			v, copy := s/int32(most), int(s)%most
			for e, end := t.Edges(v); e < end; e++ {
				if !t.Live[e] || t.To[e] == relation.Arrived {
					continue
				}
				next, c := copy, t.Hop[e].Channel
				if t.SiteNumber(v) >= 0 {
					next = p.step(t.Channels[t.SiteNumber(v)], copy, c)
				}
				if next >= most {
					return nil, append(channels(s), c)
				}
				if to := t.To[e]*int32(most) + int32(next); before[to] == 0 {
					before[to] = s + 1
					queue = append(queue, to)
					l := w.n.Topology().LinkOf(c)
					copies[l] = max(copies[l], next+1)
				}
			}
		}
	}
	return copies, nil
}

// definition returns the network with the copies.
func (p *plan) definition(w *paths) routing.Definition {
	def := routing.FromNetwork(w.n)
	old := w.n.Topology()
	def.Topology = routing.Widened(old, func(l spec.LinkID) int { return old.Link(l).VCs * max(1, p.copies[l]) })
	def.Routing = &copiedRelation{p, w, def.Topology}
	return def
}

// copiedRelation is the relation on copies.
type copiedRelation struct {
	*plan
	w   *paths
	now *spec.Topology
}

// original returns the channel of the first copy, and the number of the copy.
func (r *copiedRelation) original(c spec.ChannelID) (spec.ChannelID, int) {
	if c < 0 {
		return c, 0
	}
	l := r.now.LinkOf(c)
	m := r.w.n.Topology().Link(l).VCs
	return r.w.n.Topology().Channel(l, r.now.VC(c)%m), r.now.VC(c) / m
}

func (r *copiedRelation) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	c, copy := r.original(at)
	t, v := r.w.vertex(c, h)
	for e, end := t.Edges(v); e < end; e++ {
		hop := t.Hop[e]
		switch {
		case !t.Live[e]:
			continue
		case hop.Channel == spec.Eject:
			dst = append(dst, hop)
			continue
		}
		k := 0
		if c.IsInjection() {
			k = r.start(t, v)
		} else {
			k = r.step(c, copy, hop.Channel)
		}
		old := r.w.n.Topology()
		l := old.LinkOf(hop.Channel)
		hop.Channel = r.now.Channel(l, k*old.Link(l).VCs+old.VC(hop.Channel))
		dst = append(dst, hop)
	}
	return dst, nil
}

// Message is what the network says of the first copy.
func (r *copiedRelation) Message(at spec.ChannelID, h spec.Header) string {
	c, _ := r.original(at)
	return r.w.n.Message(spec.Site{Channel: c, Header: h})
}

// MessageClass is that of the first copy.
func (r *copiedRelation) MessageClass(at spec.ChannelID, h spec.Header) (spec.Class, bool) {
	c, _ := r.original(at)
	return r.w.n.MessageClass(spec.Site{Channel: c, Header: h})
}

func (r *copiedRelation) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	c, _ := r.original(at)
	hop.Channel, _ = r.original(hop.Channel)
	return r.w.n.Reason(spec.Site{Channel: c, Header: h}, hop)
}

// keepEveryHop returns the paths of the whole network, for a scheme that keeps every hop, or the
// answer if it is known already: only hops that lead nowhere must go, or no such repair
// exists.
func (u *search) keepEveryHop(ctx context.Context) (*conditions, Proposal, error) {
	topo := u.n.Topology()
	if u.scheme == Escape && routing.HasReplies(u.n) {
		return nil, Proposal{Because: findings.Say(findings.NoReplies)}, nil
	}
	j := newConditions(ctx, u.n, Turns)
	for i := range u.n.Tables() {
		if ctx.Err() != nil {
			return nil, Proposal{}, ctx.Err()
		}
		t := &j.tables[i]
		for v, s := range t.Sources {
			if t.Left[v] == graph.Never {
				return nil, Proposal{
					Verdict: spec.Violated,
					Because: findings.Say(findings.NoRoute{
						From: topo.Node(s.Node).Name, Header: j.header(t.VertexSite(int32(v))),
					}),
				}, nil
			}
		}
		if dead := slices.Index(t.Left, graph.Never); u.n.Alternatives() > 0 && dead >= 0 {
			return nil, Proposal{Because: findings.Say(findings.CommittedToDeadEnd{
				In: topo.ChannelName(t.VertexSite(int32(dead)).Channel),
			})}, nil
		}
		if j.cycleClause(t, make([]bool, len(j.units))) != nil {
			return nil, Proposal{
				Verdict: spec.Violated,
				Because: findings.Say(findings.KeepsCycle{For: topo.Node(t.Dest).Name}),
			}, nil
		}
	}
	none := make([]bool, len(j.units))
	kept := u.n.Room() > 1 && u.before.Of(spec.DeadlockFreedom.String()).Verdict == spec.Holds // by bubbles
	if kept || len(j.violations(ctx, none, 1)) == 0 {
		p, err := u.certify(ctx,
			Proposal{
				Unit: "VC", Cost: 1, AtLeast: 1,
				Because: findings.Say(findings.DeadHopsOnly), Patch: findings.Each(j.deadHops(ctx, none)...),
			}, j.definition())
		return nil, p, err
	}
	return j, Proposal{}, nil
}

// propose certifies a plan if it takes fewer copies than the earlier proposal, and otherwise keeps that one.
// bounded says why no fewer suffice.
func (u *search) propose(
	ctx context.Context, j *conditions, p *plan, was Proposal, patch []findings.Fact,
) (Proposal, error) {
	topo, cost := j.n.Topology(), slices.Max(p.copies)
	if was.Network != nil && was.Cost <= cost {
		return was, nil
	}
	out := Proposal{Unit: "VC", Cost: cost}
	added := 0
	for l, k := range p.copies {
		if k > 1 {
			vcs := topo.Link(spec.LinkID(l)).VCs
			added += (k - 1) * vcs
			patch = append(patch, findings.GiveVCs{Link: topo.LinkName(spec.LinkID(l)), VCs: k * vcs, Before: vcs})
		}
	}
	out.Because = findings.Say(findings.Layered{Layers: cost, Channels: added})
	out.Patch = findings.Each(append(patch, j.deadHops(ctx, make([]bool, len(j.units)))...)...)
	out, err := u.certify(ctx, out, p.definition(j.paths))
	if out.Network == nil && was.Network != nil {
		out = was
	}
	return out, err
}

// bounded adds to a certified plan the lower bound on copies, and the reason.
func (p Proposal) bounded(atLeast int, why words.Sentence) Proposal {
	if p.Network == nil {
		return p
	}
	p.AtLeast = atLeast
	p.Because = p.Because.And(findings.Say(findings.Also{Because: why}))
	if p.Cost != atLeast {
		p.Because = p.Because.And(findings.Say(findings.CostOpen{AtLeast: atLeast, Cost: p.Cost}))
	}
	return p
}

// hopIndex takes the next copy at every hop.
func (u *search) hopIndex(ctx context.Context) (Proposal, error) {
	j, out, err := u.keepEveryHop(ctx)
	if j == nil {
		return out, err
	}
	const most = 256
	p := &plan{
		start: func(*table, int32) int { return 0 },
		step:  func(_ spec.ChannelID, copy int, _ spec.ChannelID) int { return copy + 1 },
	}
	if p.copies, _ = p.countCopies(ctx, j.paths, most); p.copies == nil {
		return Proposal{Because: findings.Say(findings.PathTooLong{Hops: most})}, ctx.Err()
	}
	out, err = u.propose(ctx, j, p, out, []findings.Fact{findings.LayerByHop})
	if out.Network == nil {
		return out, err
	}
	out.Least, err = verified(ctx, u.n, unsat.Bound{Of: HopIndex.bound(), Most: out.Cost - 1},
		[]unsat.Step{{Condition: true}}, oneVisit)
	return out.bounded(out.Cost, findings.Say(findings.LongestPath)), err
}
