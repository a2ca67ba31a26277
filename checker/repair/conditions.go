package repair

import (
	"context"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

// conditions are what a repair has to meet, found on the paths of a network: each is a clause, some unit of which must go.
type conditions struct {
	*paths
	whole [][]int32          // By table: left, while nothing is forbidden
	sites [][]relation.Place // by channel
	// decide finds whether the network of the live edges is free and, if it deadlocks, a trace; nil if each hop needs room
	// for one packet.
	decide func(context.Context) (bool, *counterexamples.Trace)
	kind   soundness // of the clauses so far
}

// soundness says what is known of clauses.
type soundness int

const (
	proved soundness = iota // package repairs finds that every repair meets them
	traced                  // every repair does, but there is no evidence of that
	open                    // a repair may not meet some
)

// newConditions returns nil if ctx has ended.
func newConditions(ctx context.Context, n *spec.Network, s Scheme) *conditions {
	w := newPaths(ctx, n, s)
	if w == nil {
		return nil
	}
	j := &conditions{paths: w, sites: make([][]relation.Place, n.Topology().Channels())}
	j.forbid(ctx, make([]bool, len(j.units)))
	for i := range j.tables {
		if ctx.Err() != nil {
			return nil
		}
		t := &j.tables[i]
		j.whole = append(j.whole, slices.Clone(t.Left))
		for s, c := range t.Channels {
			j.sites[c] = append(j.sites[c], relation.Place{Table: int32(i), Vertex: int32(len(t.Sources) + s)})
		}
	}
	return j
}

// borderClause adds to a clause that one of the forbidden units that keep the packets of a
// vertex from arriving must stay.
func (j *conditions) borderClause(i int, v int32, forbidden []bool, clause []sat.Literal) []sat.Literal {
	t := &j.tables[i]
	if j.whole[i][v] == graph.Never {
		return clause
	}
	var blocked []int32
	seen, _ := bfs.Reach([]int32{v}, func(v int32, visit func(int32)) {
		for e, end := t.Edges(v); e < end; e++ {
			switch to := t.To[e]; {
			case to >= 0 && j.whole[i][to] == graph.Never:
			case t.unit[e] != free && forbidden[t.unit[e]]:
				blocked = append(blocked, e)
			default: // not arrived: v would have a path
				visit(to)
			}
		}
	})
	for _, e := range blocked {
		if !seen[t.To[e]] {
			clause = append(clause, sat.No(t.unit[e]))
		}
	}
	return compact(clause)
}

// waysOut returns how many sources from v on are alternatives of one, of which the routing may drop all but one. Those
// of the data are flows of their own.
func (w *paths) waysOut(i, v int) int {
	t := &w.tables[i]
	end := v + 1
	for w.n.ContinuesFlow(t.Table, end) {
		end++
	}
	return end - v
}

func compact(clause []sat.Literal) []sat.Literal {
	slices.Sort(clause)
	return slices.Compact(clause)
}

// appendPath adds the units on a path from a source through a vertex to arrived.
func (t *table) appendPath(v int32, clause []sat.Literal) []sat.Literal {
	add := func(e int32) {
		if t.unit[e] != free {
			clause = append(clause, sat.Yes(t.unit[e]))
		}
	}
	for u := v; t.By[u] != relation.AtSource; u = t.From[t.By[u]] {
		add(t.By[u])
	}
	for u := v; ; {
		e, _ := t.Edges(u)
		for ; !t.Live[e] || t.To[e] != relation.Arrived && t.Left[t.To[e]] >= t.Left[u]; e++ {
		}
		add(e)
		if u = t.To[e]; u == relation.Arrived {
			return clause
		}
	}
}

// Why a set of forbidden units is not a repair, as clauses that every repair satisfies
// and this set does not. Each unit is a variable, true if the unit is forbidden.
//
//   - A flow has no path left. One of the forbidden units at the border of what its
//     packets reach must stay.
//   - A packet can circle forever. Of the units on the cycle, and on a path to it and from
//     it, one must go: while they all stay, the cycle stays.
//   - Channels are stuck: each has a site, and a path of live edges from there to a head
//     all of whose live hops lead into these channels. While the units on paths through
//     these sites stay, the sites stay, and can only lose hops; so one of those units
//     must go, or a forbidden unit that removes another hop of a head must stay.
//
// Deadlock freedom is not monotone, as forbidding a hop may remove an escape. The last
// part of the last clause covers this.

// violations returns a bounded number of clauses against the forbidden units, none if they are
// a repair. Two clauses of one kind share no unit that must go. Linear in the edges for
// each clause. If ctx ends, it returns fewer.
func (j *conditions) violations(ctx context.Context, forbidden []bool, most int) [][]sat.Literal {
	j.paths.forbid(ctx, forbidden)
	var clauses [][]sat.Literal
	for i := range j.tables {
		for v, ways := 0, 0; v < len(j.tables[i].Sources); v += ways {
			ways = j.waysOut(i, v)
			if slices.ContainsFunc(j.tables[i].Left[v:v+ways], func(left int32) bool { return left < graph.Never }) {
				continue
			}
			if len(clauses) == most || ctx.Err() != nil {
				return clauses
			}
			var clause []sat.Literal
			for k := range ways {
				clause = j.borderClause(i, int32(v+k), forbidden, clause)
			}
			clauses = append(clauses, clause)
		}
	}
	if len(clauses) > 0 {
		return clauses
	}
	used := make([]bool, len(j.units))
	for i := range j.tables {
		for {
			if len(clauses) == most || ctx.Err() != nil {
				return clauses
			}
			c := j.cycleClause(&j.tables[i], used)
			if c == nil {
				break
			}
			clauses = append(clauses, c)
		}
	}
	if len(clauses) > 0 {
		return clauses
	}
	if j.decide == nil {
		return j.stuckClauses(ctx, forbidden, used, most)
	}
	return j.unkeptClauses(ctx, forbidden, used, most)
}

// Where hops need room for several packets, stuck channels are no deadlock if bubbles keep them from filling. They are
// one for certificates if packets fill them over hops that need room for one packet each: package repairs has the proof.
// Otherwise the checker decides. A trace leads to a deadlock as long as its hops stay and the packets that wait have no
// others. Where the checker finds neither a certificate nor a trace, the set is left out as if there could be none.

// unkeptClauses returns clauses against sets of channels that no bubble keeps from being stuck.
func (j *conditions) unkeptClauses(ctx context.Context, forbidden, used []bool, most int) [][]sat.Literal {
	for i := range j.tables {
		t := &j.tables[i]
		t.Enter(func(e int32) bool { return t.Hop[e].Room <= 1 && (t.unit[e] == free || !forbidden[t.unit[e]]) })
	}
	clauses := j.stuckClauses(ctx, forbidden, used, most)
	j.paths.forbid(ctx, forbidden)
	if len(clauses) > 0 || !slices.Contains(j.fixpoint(ctx), true) {
		return clauses
	}
	free, trace := j.decide(ctx)
	switch {
	case free:
		return nil
	case trace == nil || j.n.Alternatives() > 0: // whose tags are others where some are dropped
		j.kind = open
		return j.stuckClauses(ctx, forbidden, used, most)
	}
	j.kind = max(j.kind, traced)
	return [][]sat.Literal{j.clauseAgainstTrace(trace.Moves, forbidden)}
}

// clauseAgainstTrace returns the clause that a hop of these moves must go, or a forbidden one of a packet that is left at
// their end must stay.
func (j *conditions) clauseAgainstTrace(moves []spec.Move, forbidden []bool) []sat.Literal {
	var clause []sat.Literal
	left := map[spec.ChannelID][]spec.Header{}
	for _, m := range moves {
		t, v := j.vertex(m.From, m.Header)
		for e, end := t.Edges(v); e < end; e++ {
			if t.Live[e] && t.Hop[e].Channel == m.Hop.Channel && t.Hop[e].Tag == m.Hop.Tag && t.unit[e] != free {
				clause = append(clause, sat.Yes(t.unit[e]))
			}
		}
		if !m.From.IsInjection() {
			left[m.From] = left[m.From][1:]
		}
		if to := m.Hop.Channel; to != spec.Eject {
			h := m.Header
			h.Tag = m.Hop.Tag
			left[to] = append(left[to], h)
		}
	}
	var witnesses []witness
	for _, c := range slices.Sorted(maps.Keys(left)) {
		for i, h := range left[c] {
			t, v := j.vertex(c, h)
			clause = t.appendPath(v, clause)
			if i == 0 {
				n, _ := slices.BinarySearchFunc(j.tables, h.Target(), func(t table, to spec.Target) int {
					return t.Target.Compare(to)
				})
				witnesses = append(witnesses, witness{Place: relation.Place{Table: int32(n), Vertex: v}, head: v})
			}
		}
	}
	return compact(append(clause, j.clauseAgainst(witnesses, nil, forbidden)...))
}

// cycleClause returns a clause against a cycle of live edges of a table that has no used
// unit, and marks its units as used. It returns nil without such a cycle.
func (j *conditions) cycleClause(t *table, used []bool) []sat.Literal {
	g := graph.Collect(t.Vertices(), func(add func(from, to int32)) {
		for e, live := range t.Live {
			if live && t.To[e] >= 0 && (t.unit[e] == free || !used[t.unit[e]]) {
				add(t.From[e], t.To[e])
			}
		}
	})
	if _, acyclic := graph.Heights(g); acyclic {
		return nil
	}
	cycle, _ := graph.ShortestCycle(g, 1<<20)
	var clause []sat.Literal
	for k, v := range cycle {
		for e, end := t.Edges(v); e < end; e++ {
			if t.Live[e] && t.To[e] == cycle[(k+1)%len(cycle)] {
				clause = append(clause, sat.Yes(t.unit[e])) // between sites
				used[t.unit[e]] = true
				break
			}
		}
	}
	return compact(t.appendPath(cycle[0], clause))
}

// fixpoint returns the channels in which packets, or worms, can be stuck over the live edges. If ctx ends they are
// more, or nil.
func (j *conditions) fixpoint(ctx context.Context) []bool {
	return relation.Leftover(ctx, j.graphs, j.sites, j.n.Switching() == spec.Wormhole)
}

// stuckClauses returns clauses against sets of stuck channels: cycles of packets with a single
// hop, many of which are easy to find at once, or else closed sets around a channel.
// Fewer if ctx ends.
func (j *conditions) stuckClauses(ctx context.Context, forbidden, used []bool, most int) [][]sat.Literal {
	left := j.fixpoint(ctx)
	if !slices.Contains(left, true) {
		return nil
	}
	clauses := j.ringClauses(ctx, forbidden, used, most)
	if len(clauses) > 0 {
		return clauses
	}
	for seed, is := range left {
		if !is {
			continue
		}
		if len(clauses) == most || ctx.Err() != nil {
			break
		}
		c := j.closureClause(ctx, spec.ChannelID(seed), left, forbidden)
		if c == nil || slices.ContainsFunc(c, func(l sat.Literal) bool { return !l.Negative() && used[l.Variable()] }) {
			continue
		}
		for _, l := range c {
			used[l.Variable()] = used[l.Variable()] || !l.Negative()
		}
		clauses = append(clauses, c)
	}
	return clauses
}

// ringClauses returns clauses against cycles of channels in which each has a site whose only hop
// leads into the next.
func (j *conditions) ringClauses(ctx context.Context, forbidden, used []bool, most int) [][]sat.Literal {
	best := map[dependency.Edge]witness{}
	var edges []dependency.Edge
	for i := range j.tables {
		if ctx.Err() != nil {
			return nil
		}
		t := &j.tables[i]
		for v := int32(len(t.Sources)); v < int32(t.Vertices()); v++ {
			if !t.Waits(v) {
				continue
			}
			next, several := spec.ChannelID(-1), false
			t.EachNext(v, func(_, to int32) {
				c := t.Channels[t.SiteNumber(to)]
				several = several || next >= 0 && c != next
				next = c
			})
			if several {
				continue
			}
			k := dependency.Edge{From: t.Channels[t.SiteNumber(v)], To: next}
			w := witness{Place: relation.Place{Table: int32(i), Vertex: v}, head: v, units: t.PathLength(v)}
			if was, known := best[k]; !known {
				edges = append(edges, k)
				best[k] = w
			} else if w.units < was.units {
				best[k] = w
			}
		}
	}
	clauses := [][]sat.Literal{}
	bad := map[dependency.Edge]bool{} // its clause has a used unit
	for len(clauses) < most && ctx.Err() == nil {
		g := graph.Collect(len(j.sites), func(add func(from, to int32)) {
			for _, k := range edges {
				if !bad[k] {
					add(int32(k.From), int32(k.To))
				}
			}
		})
		cycle, _ := graph.ShortestCycle(g, 1<<20)
		if cycle == nil {
			break
		}
		member := map[spec.ChannelID]bool{}
		var witnesses []witness
		for i, c := range cycle {
			k := dependency.Edge{From: spec.ChannelID(c), To: spec.ChannelID(cycle[(i+1)%len(cycle)])}
			member[k.From] = true
			witnesses = append(witnesses, best[k])
			bad[k] = true
		}
		c := j.clauseAgainst(witnesses, member, forbidden)
		if !slices.ContainsFunc(c, func(l sat.Literal) bool { return !l.Negative() && used[l.Variable()] }) {
			for _, l := range c {
				used[l.Variable()] = used[l.Variable()] || !l.Negative()
			}
			clauses = append(clauses, c)
		}
	}
	return clauses
}

// witness shows why a channel is stuck: one of its sites, and the edges from there to a head.
type witness struct {
	relation.Place
	head  int32
	edges []int32
	fresh int // channels that the head adds
	units int
}

// closureClause closes a set of channels around one of those left, taking for each the witness that
// adds the fewest channels, and returns the clause against the set; nil if ctx has ended.
func (j *conditions) closureClause(ctx context.Context, seed spec.ChannelID, left, forbidden []bool) []sat.Literal {
	member := map[spec.ChannelID]bool{seed: true}
	set := []spec.ChannelID{seed}
	var witnesses []witness
	for i := 0; i < len(set); i++ {
		if ctx.Err() != nil {
			return nil
		}
		var best witness
		for k, p := range j.sites[set[i]] {
			w, ok := j.findWitness(p, left, member)
			if ok && (best.units == 0 || w.fresh < best.fresh || w.fresh == best.fresh && w.units < best.units) {
				best = w
			}
			if best.units > 0 && best.fresh == 0 && k > 256 {
				break
			}
		}
		witnesses = append(witnesses, best)
		t := &j.tables[best.Table]
		t.EachNext(best.head, func(_, to int32) {
			if c := t.Channels[t.SiteNumber(to)]; !member[c] {
				member[c] = true
				set = append(set, c)
			}
		})
	}
	return j.clauseAgainst(witnesses, member, forbidden)
}

// clauseAgainst returns the clause against a set of stuck channels, from one witness for each.
func (j *conditions) clauseAgainst(witnesses []witness, member map[spec.ChannelID]bool, forbidden []bool) []sat.Literal {
	var clause []sat.Literal
	for _, w := range witnesses {
		t := &j.tables[w.Table]
		clause = t.appendPath(w.Place.Vertex, clause)
		for _, e := range w.edges {
			clause = append(clause, sat.Yes(t.unit[e]))
		}
		clause = t.appendPath(w.head, clause)
	}
	clause = compact(clause)
	for _, w := range witnesses {
		t := &j.tables[w.Table]
		for e, end := t.Edges(w.head); e < end; e++ {
			switch to := t.To[e]; {
			case t.Live[e] || j.whole[w.Table][to] == graph.Never || member[t.Channels[t.SiteNumber(to)]]:
			case t.unit[e] != free && forbidden[t.unit[e]]:
				clause = append(clause, sat.No(t.unit[e]))
			default:
				clause = j.borderClause(int(w.Table), to, forbidden, clause)
			}
		}
	}
	return compact(clause)
}

// findWitness returns a witness at a site of a remaining channel: with wormhole switching the
// nearest head that the site leads to, else the site itself.
func (j *conditions) findWitness(p relation.Place, left []bool, member map[spec.ChannelID]bool) (witness, bool) {
	t := &j.tables[p.Table]
	if !t.IsLive(p.Vertex) {
		return witness{}, false
	}
	fresh := 0 // channels that the head last looked at would add
	path, edges := bfs.Path([]int32{p.Vertex}, func(v int32) bool {
		blocked := t.Waits(v)
		fresh = 0
		t.EachNext(v, func(_, to int32) {
			c := t.Channels[t.SiteNumber(to)]
			blocked = blocked && left[c]
			if !member[c] {
				fresh++
			}
		})
		return blocked
	}, func(v int32, visit func(e, to int32)) {
		if j.n.Switching() == spec.Wormhole {
			t.EachNext(v, visit)
		}
	})
	if path == nil {
		return witness{}, false
	}
	slices.Reverse(edges)
	return witness{
		Place: p, head: path[len(path)-1], edges: edges, fresh: fresh, units: t.PathLength(p.Vertex) + len(edges),
	}, true
}
