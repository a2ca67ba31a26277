package repair

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

// Rerouting. What the network's routing chose, its alternatives and whether it discards, goes with its tables: no
// packet is committed any more, and each arrives. The units are the turns of the topology, those straight back left out,
// between the first VCs of its links. A set of them is a repair if the others close no
// cycle and leave a path for every flow.

// rerouting is the topology as a graph of channels.
type rerouting struct {
	*turnGraph
	n     *spec.Network
	units []unit
	into  [][]int32 // by channel: turns that end there
}

// order looks for the fewest turns that must go, and routes by shortest paths over the others.
func (u *search) order(ctx context.Context) (Proposal, error) {
	t := u.n.Topology()
	r := &rerouting{n: u.n}
	if routing.HasReplies(u.n) {
		return Proposal{Because: findings.Say(findings.NoReplies)}, nil
	}
	for l := range spec.LinkID(t.Links()) {
		for _, next := range t.OutLinks(t.Link(l).To) {
			if t.Link(next).To != t.Link(l).From {
				r.units = append(r.units, unit{
					spec.Site{Channel: t.Channel(l, 0)},
					spec.Hop{Channel: t.Channel(next, 0)},
				})
			}
		}
	}
	r.turnGraph = newTurnGraph(ctx, t.Channels(), r.units) // a unit a turn
	r.into = make([][]int32, t.Channels())
	for k, turn := range r.turns {
		r.into[turn[1]] = append(r.into[turn[1]], int32(k))
	}
	weight := (len(r.units) + t.Nodes()) * min(u.n.Tables(), t.Nodes())
	visits := func(x int32) int { return 1 + int(x%2)*weight }
	l := newHittingSet(ctx, problem{
		namer: namer{u.n, Order}, units: r.units, weight: weight, visits: visits, violations: r.violations,
		separate: r.separate,
	}, u.opt.Effort)
	return u.forbid(ctx, l, func() (routing.Definition, []findings.Fact) {
		follows := []findings.Fact{findings.ShortestOverRest}
		if u.n.Alternatives() > 0 {
			follows = append(follows, findings.NoCommitment)
		}
		if u.n.Room() > 1 {
			follows = append(follows, findings.NoRoom)
		}
		if u.n.Discards() {
			follows = append(follows, findings.NoDiscard)
		}
		return r.definition(l.best), follows
	})
}

// violations returns two kinds of clauses: one of the turns on a cycle must go; one of the forbidden turns at the
// border of what a source reaches must stay.
func (r *rerouting) violations(ctx context.Context, forbidden []bool, most int) [][]sat.Literal {
	clauses := r.cycleClauses(ctx, forbidden, most)
	for i := range r.n.Tables() {
		t := r.n.Table(i)
		if i > 0 && r.n.Table(i-1).Dest == t.Dest && slices.Equal(r.n.Table(i-1).Sources, t.Sources) {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		left := r.distances(t.Dest, forbidden)
		for _, s := range t.Sources {
			if len(clauses) >= most {
				return clauses
			}
			if s.Node != t.Dest && r.leastDistance(s.Node, left) == bfs.Never {
				clauses = append(clauses, r.borderClause(s.Node, forbidden))
			}
		}
	}
	return clauses
}

// separate returns the lightest cycle through each channel, for weighted turns; fewer if ctx ends.
func (r *rerouting) separate(ctx context.Context, weights []float64) [][]sat.Literal {
	var clauses [][]sat.Literal
	seen := map[string]bool{}
	for c := range r.next {
		if ctx.Err() != nil {
			break
		}
		turns := r.lightestCycle(spec.ChannelID(c), weights)
		slices.Sort(turns)
		if key := fmt.Sprint(turns); turns != nil && !seen[key] {
			seen[key] = true
			var clause []sat.Literal
			for _, u := range turns {
				clause = append(clause, sat.Yes(u))
			}
			clauses = append(clauses, clause)
		}
	}
	return clauses
}

// lightestCycle returns the turns of a lightest cycle through a channel if it is lighter than 1; no weight is negative;
// among lightest cycles, one with the fewest turns (Bellman 1958, Ford 1956).
func (r *rerouting) lightestCycle(from spec.ChannelID, weights []float64) []int32 {
	const turn = 1e-4 // added to the weight of every turn
	left := map[spec.ChannelID]float64{from: 0}
	by := map[spec.ChannelID]int32{}
	best, last := 1.0, int32(-1)
	for queue := []spec.ChannelID{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, u := range r.next[at] {
			to, w := r.turns[u][1], left[at]+weights[u]+turn
			switch was, known := left[to]; {
			case to == from && w < best:
				best, last = w, u
			case to != from && w < best && (!known || w < was-1e-9):
				left[to], by[to] = w, u
				queue = append(queue, to)
			}
		}
	}
	var turns []int32
	for u := last; u >= 0; {
		turns = append(turns, u)
		at := r.turns[u][0]
		if at == from {
			break
		}
		u = by[at]
	}
	return turns
}

// distances returns, by channel, the fewest channels after it on a path to a node.
func (r *rerouting) distances(to spec.NodeID, forbidden []bool) []int32 {
	t := r.n.Topology()
	var last []spec.ChannelID
	for _, l := range t.InLinks(to) {
		last = append(last, t.Channel(l, 0))
	}
	left, _ := bfs.Levels(len(r.next), last, func(c spec.ChannelID, visit func(spec.ChannelID)) {
		for _, k := range r.into[c] {
			if !forbidden[k] {
				visit(r.turns[k][0])
			}
		}
	})
	return left
}

// leastDistance returns the least distance over the first channels from a node.
func (r *rerouting) leastDistance(from spec.NodeID, left []int32) int32 {
	t := r.n.Topology()
	best := int32(bfs.Never)
	for _, l := range t.OutLinks(from) {
		best = min(best, left[t.Channel(l, 0)])
	}
	return best
}

// borderClause returns the clause that one of the forbidden turns that leave what a node reaches must stay.
func (r *rerouting) borderClause(from spec.NodeID, forbidden []bool) []sat.Literal {
	t := r.n.Topology()
	seen := make([]bool, len(r.next))
	var queue []spec.ChannelID
	visit := func(c spec.ChannelID) {
		if !seen[c] {
			seen[c] = true
			queue = append(queue, c)
		}
	}
	for _, l := range t.OutLinks(from) {
		visit(t.Channel(l, 0))
	}
	for i := 0; i < len(queue); i++ {
		for _, k := range r.next[queue[i]] {
			if !forbidden[k] {
				visit(r.turns[k][1])
			}
		}
	}
	var clause []sat.Literal
	for k, turn := range r.turns {
		if forbidden[k] && seen[turn[0]] && !seen[turn[1]] {
			clause = append(clause, sat.No(int32(k)))
		}
	}
	return clause
}

// definition routes by shortest paths.
func (r *rerouting) definition(forbidden []bool) routing.Definition {
	t := r.n.Topology()
	left := make([][]int32, t.Nodes())
	for i := range r.n.Tables() {
		if to := r.n.Table(i).Dest; left[to] == nil {
			left[to] = r.distances(to, forbidden)
		}
	}
	was := routing.FromNetwork(r.n)
	def := routing.Definition{ // without alternatives, which tags and sources would tell apart
		Name: was.Name, Origin: was.Origin, Topology: was.Topology, Classes: was.Classes, Switching: was.Switching,
		Buffer: was.Buffer, Flows: was.Flows, Senders: was.Senders, Tags: 1,
	}
	shortest := func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		left := left[h.Dest]
		if at.IsInjection() {
			best := r.leastDistance(t.Head(at), left)
			for _, l := range t.OutLinks(t.Head(at)) {
				if c := t.Channel(l, 0); left[c] == best {
					dst = append(dst, spec.Hop{Channel: c})
				}
			}
			return dst
		}
		for _, k := range r.next[at] {
			if c := r.turns[k][1]; !forbidden[k] && left[c] < left[at] {
				dst = append(dst, spec.Hop{Channel: c})
			}
		}
		return dst
	}
	def.Routing = routing.Deliver(t, routing.Named("shortest path in the order", routing.Func(shortest)))
	return def
}
