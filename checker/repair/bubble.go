package repair

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Bubbles.
//
// The units are turns, from injections too; a unit that is chosen needs room for two packets, so that it leaves a place
// free (Carrión et al. 1997). More room is not always better: a hop within a ring that needs it can block. So whether a
// set of turns is a repair is decided by the checker, which finds a certificate of bubbles or a trace. A trace refutes
// every set without the turns that took a last place, and with those that keep the packets left from taking one: a
// clause. Before that, turns are added to the set as long as there is a trace with no clause of the second kind, which
// makes clauses short. There is no evidence of the clauses: unknot-verify checks what is proposed, not that it is least.

// roomy is a search for the turns that are to need room for two packets.
type roomy struct {
	*search
	w     *paths
	kind  soundness
	units map[[2]spec.ChannelID]int32
	// effort is left for shorter clauses, in hops examined.
	effort int64
}

// decision is what a decision examines, for each hop of the network.
const decision = 64

// bubble looks for the fewest turns that are to need room for two packets.
func (u *search) bubble(ctx context.Context) (Proposal, error) {
	for _, property := range []spec.Property{spec.LivelockFreedom, spec.Delivery} {
		if f := u.before.Of(property.String()); f != nil && f.Verdict != spec.Holds {
			return Proposal{Verdict: f.Verdict, Because: findings.Say(findings.KeepsFault{Property: property})}, nil
		}
	}
	r := &roomy{search: u, w: newPaths(ctx, u.n, Bubble), units: map[[2]spec.ChannelID]int32{}, effort: u.opt.Effort}
	if r.w == nil {
		return Proposal{}, ctx.Err()
	}
	for k, x := range r.w.units {
		r.units[[2]spec.ChannelID{x.at.Channel, x.hop.Channel}] = int32(k)
	}
	l := newHittingSet(ctx, problem{
		namer: r.w.namer, units: r.w.units, weight: decision * r.w.hops, violations: r.violations, kind: &r.kind,
	}, u.opt.Effort)
	l.try(ctx, r.entries(), 1) // of which most are needed, as a rule
	p, err := u.forbid(ctx, l, func() (routing.Definition, []findings.Fact) { return r.definition(l.best), nil })
	switch {
	case p.Network != nil:
		p.Because = findings.Say(findings.RoomNeeded{Turns: words.Count{N: p.Cost, Of: p.Unit}, AtLeast: p.AtLeast})
	case p.Verdict == spec.Violated:
		p.Because = findings.Say(findings.NoBubbles)
	case ctx.Err() == nil:
		p.Because = findings.Say(findings.NoBubblesFound{AtLeast: p.AtLeast})
	}
	return p, err
}

// entries are the turns, injections included, that lead into a strongly connected part of the dependency graph from
// elsewhere: into a ring, where rings are such parts.
func (r *roomy) entries() []bool {
	channels := r.n.Topology().Channels()
	var parts graph.Components
	parts.Find(graph.Collect(channels, func(add func(from, to int32)) {
		for _, x := range r.w.units {
			if !x.at.Channel.IsInjection() {
				add(int32(x.at.Channel), int32(x.hop.Channel))
			}
		}
	}))
	set := make([]bool, len(r.w.units))
	for k, x := range r.w.units {
		into := parts.Of[x.hop.Channel]
		set[k] = len(parts.Component(into)) > 1 && (x.at.Channel.IsInjection() || parts.Of[x.at.Channel] != into)
	}
	return set
}

// violations returns the clauses against a set of turns; none if the set is a repair.
func (r *roomy) violations(ctx context.Context, set []bool, _ int) [][]sat.Literal {
	free, trace := r.decide(ctx, r.definition(set))
	switch {
	case free, ctx.Err() != nil: // when nothing was decided
		return nil
	case trace == nil:
		r.kind = open
		return [][]sat.Literal{clauseOfAll(set)} // one turn more, as a guess
	}
	r.kind = max(r.kind, traced)
	clause := r.clause(trace, set)
	for k := range set {
		if r.effort -= int64(decision * r.w.hops); r.effort < 0 || ctx.Err() != nil {
			break
		}
		if set[k] {
			continue
		}
		more := slices.Clone(set)
		more[k] = true
		if _, trace := r.decide(ctx, r.definition(more)); trace != nil {
			if c := r.clause(trace, more); !slices.ContainsFunc(c, sat.Literal.Negative) {
				set, clause = more, c
			}
		}
	}
	return [][]sat.Literal{clause}
}

// clauseOfAll says that some turn is in the set that is not yet.
func clauseOfAll(set []bool) (clause []sat.Literal) {
	for k, in := range set {
		if !in {
			clause = append(clause, sat.Yes(int32(k)))
		}
	}
	return clause
}

// clause returns what a trace says against a set of turns: one that took a last place needs more room, or one that keeps
// a packet that is stuck from taking one does not.
func (r *roomy) clause(trace *counterexamples.Trace, set []bool) (clause []sat.Literal) {
	left, capacity := map[spec.ChannelID][]spec.Header{}, r.n.Capacity()
	for _, m := range trace.Moves {
		if to := m.Hop.Channel; to >= 0 && capacity-len(left[to]) == 1 {
			clause = append(clause, sat.Yes(r.units[[2]spec.ChannelID{m.From, to}]))
		}
		if !m.From.IsInjection() {
			left[m.From] = left[m.From][1:]
		}
		if m.Hop.Channel >= 0 {
			m.Header.Tag = m.Hop.Tag
			left[m.Hop.Channel] = append(left[m.Hop.Channel], m.Header)
		}
	}
	for _, c := range trace.Stuck {
		hops, _ := r.n.Hops(spec.Site{Channel: c, Header: left[c][0]})
		for _, h := range hops {
			k, places := r.units[[2]spec.ChannelID{c, h.Channel}], capacity-len(left[h.Channel])
			if set[k] && places > 0 && places >= int(h.Room) {
				clause = append(clause, sat.No(k))
			}
		}
	}
	return compact(clause)
}

// definition is the network in which a set of turns needs room for two packets.
func (r *roomy) definition(set []bool) routing.Definition {
	def := routing.FromNetwork(r.n)
	def.Routing = &roomyRelation{def.Routing, r, set}
	return def
}

type roomyRelation struct {
	routing.Relation
	r   *roomy
	set []bool
}

func (x *roomyRelation) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	first := len(dst)
	dst, err := x.Relation.AppendHops(dst, at, h)
	for i, hop := range dst[first:] {
		if k, is := x.r.units[[2]spec.ChannelID{at, hop.Channel}]; is && x.set[k] {
			dst[first+i].Room = max(2, hop.Room)
		}
	}
	return dst, err
}

func (x *roomyRelation) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	return routing.Reason(x.Relation, at, h, hop)
}

func (x *roomyRelation) Message(at spec.ChannelID, h spec.Header) string {
	return routing.Message(x.Relation, at, h)
}
