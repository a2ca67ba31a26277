package sweep

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Cases without tables.
//
// Most failures leave a network free, and that can be seen without its tables: if the dependencies between all channels
// are acyclic, nothing deadlocks, under any switching (Dally and Seitz 1987), and no packet travels in a cycle, as it
// would travel along dependencies. If, moreover, no alternative of a site is without hops, and packets leave at
// their destinations alone or are discarded on purpose, then each packet goes on until it leaves, and so every flow
// arrives from every site. So such a case holds in everything that tables are asked about.
//
// If the dependencies have a cycle, the tables of some targets are made: one for each dependency of a shortest cycle. A
// deadlock of their packets alone is one of the network, whose other packets need not be sent. Livelock freedom and
// delivery then hold if the sites of no target have a cycle among the channels that lie on cycles of dependencies.
//
// All other cases are decided from all tables, and so are cases whose relation has not declared that it is pure, as
// [routing.Compile] asks such a relation twice.
//
// A Clos of 1,280 cables between switches takes some 30 times as long with tables: no rows, digests and certificates are
// made. The result says so, by its method, and has no digest. From what changed (changed.go) it takes an eighth of that
// again: 6 s of CPU for all 1,281 cases, which took 47 s.

// bySites are the properties that sites can show.
var bySites = []spec.Property{spec.DeadlockFreedom, spec.LivelockFreedom, spec.Delivery}

// Methods of results without tables, or with those of a few targets.
const (
	acyclicMethod = "acyclic"
	cycleMethod   = "cycle"
)

// errOpen says that a site leaves something open.
var errOpen = errors.New("open")

// bySitesAlone returns the dependencies, none yet, of a definition that can be decided without tables.
func bySitesAlone(def routing.Definition) (*ports, bool) {
	if _, ok := bySitesOf(def); !ok {
		return nil, false
	}
	return newPorts(def.Topology)
}

// bySitesOf returns the alternatives at each site of a definition that can be decided without tables.
func bySitesOf(def routing.Definition) (func(at spec.Site) ([][]spec.Hop, error), bool) {
	pure, ok := def.Routing.(routing.Pure)
	if !ok || !pure.Pure() || def.Topology.Err() != nil || len(def.Replies) > 0 ||
		def.Selection != nil && def.Selection.Commit != nil {
		return nil, false
	}
	committing, commits := def.Routing.(routing.Committing)
	return func(at spec.Site) ([][]spec.Hop, error) {
		if commits {
			return committing.Alternatives(at.Channel, at.Header)
		}
		hops, err := def.Routing.AppendHops(nil, at.Channel, at.Header)
		return [][]spec.Hop{hops}, err
	}, true
}

// plain reports whether a site leaves nothing open but dependencies: each alternative has hops, for one packet at a
// time, and a packet leaves at its destination or is discarded on purpose.
func plain(t *spec.Topology, tags int, at spec.Site, all [][]spec.Hop) bool {
	if len(all)*tags > 1<<16 { // more than tables have tags for
		return false
	}
	for _, hops := range all {
		if len(hops) == 0 {
			return false
		}
		for _, h := range hops {
			if h.Room > 1 || h.Channel == spec.Eject && !h.Discards() && t.Head(at.Channel) != at.Header.Dest {
				return false
			}
		}
	}
	return true
}

// decideBySites returns the verdict on deadlock freedom if the sites of a definition show it, and that all else holds;
// Unknown otherwise.
func (q *Question) decideBySites(ctx context.Context, def routing.Definition, opt Options) (spec.Verdict, error) {
	p, ok := bySitesAlone(def)
	if !ok {
		return spec.Unknown, nil
	}
	enters := false // without a packet that enters a channel there is nothing to decide
	err := routing.Visit(ctx, def, routing.CompileOptions{MaxSites: opt.MaxSites}, func(at spec.Site, all [][]spec.Hop) error {
		if !plain(p.t, max(1, def.Tags), at, all) {
			return errOpen
		}
		for _, hops := range all {
			for _, h := range hops {
				if h.Channel >= 0 && at.Channel >= 0 {
					p.add(at, h.Channel)
				}
				enters = enters || h.Channel >= 0
			}
		}
		return nil
	})
	if cause := context.Cause(ctx); cause != nil {
		return spec.Unknown, cause
	}
	if err != nil || !enters { // an error is told by the compilation that follows
		return spec.Unknown, nil
	}
	g := p.graph()
	if _, acyclic := graph.Heights(g); acyclic {
		return spec.Holds, nil
	}
	verdict, err := q.deadlocksOn(ctx, def, p, g, opt)
	if cause := context.Cause(ctx); cause != nil {
		return spec.Unknown, cause
	}
	return verdict, err
}

// deadlocksOn returns Violated if packets whose dependencies are a shortest cycle deadlock, and no packet travels in a
// cycle.
func (q *Question) deadlocksOn(
	ctx context.Context, def routing.Definition, p *ports, g *graph.Graph, opt Options,
) (spec.Verdict, error) {
	if circles, err := anyCircles(ctx, def, g); circles || err != nil {
		return spec.Unknown, err
	}
	const budget = 1 << 20
	cycle, _ := graph.ShortestCycle(g, budget)
	some := map[spec.Target]bool{}
	for i, c := range cycle {
		some[p.by[p.bit(spec.ChannelID(c), spec.ChannelID(cycle[(i+1)%len(cycle)]))]] = true
	}
	flows := def.Flows
	def.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
		return some[spec.Target{Dest: dst, Class: c}] && (flows == nil || flows(src, dst, c))
	}
	n, err := routing.Compile(ctx, def, routing.CompileOptions{MaxSites: opt.MaxSites, Memory: opt.Memory, Workers: 1})
	if err != nil {
		return spec.Unknown, nil // as above
	}
	r, err := checker.Check(ctx, n, checker.Question{
		Properties: []string{spec.DeadlockFreedom.String()}, Workers: 1, Explore: opt.Explore, MaxStates: opt.MaxStates,
	})
	if err != nil {
		return spec.Unknown, err
	}
	if f := r.Of(spec.DeadlockFreedom.String()); f != nil && f.Verdict == spec.Violated {
		return spec.Violated, nil
	}
	return spec.Unknown, nil
}

// anyCircles reports whether the sites of some target have a cycle, given the dependencies of all.
func anyCircles(ctx context.Context, def routing.Definition, g *graph.Graph) (circles bool, err error) {
	var parts graph.Components
	parts.Find(g)
	tags := max(1, def.Tags)
	number := map[int]int32{} // by place: that among the sites of the target
	var edges [][2]int32
	var target spec.Target
	found := errors.New("found")
	finish := func() error {
		_, acyclic := graph.Heights(graph.Collect(len(number), func(add func(from, to int32)) {
			for _, e := range edges {
				add(e[0], e[1])
			}
		}))
		clear(number)
		edges = edges[:0]
		if !acyclic {
			return found
		}
		return nil
	}
	place := func(c spec.ChannelID, tag spec.Tag) int32 {
		k := int(c)*tags + int(tag)
		n, known := number[k]
		if !known {
			n = int32(len(number))
			number[k] = n
		}
		return n
	}
	err = routing.Visit(ctx, def, routing.CompileOptions{}, func(at spec.Site, all [][]spec.Hop) error {
		if to := at.Header.Target(); to != target {
			target = to
			if err := finish(); err != nil {
				return err
			}
		}
		if at.Channel < 0 {
			return nil
		}
		for _, hops := range all {
			for _, h := range hops {
				if h.Channel >= 0 && parts.Of[at.Channel] == parts.Of[h.Channel] {
					edges = append(edges, [2]int32{place(at.Channel, at.Header.Tag), place(h.Channel, h.Tag)})
				}
			}
		}
		return nil
	})
	if err == nil {
		err = finish()
	}
	if errors.Is(err, found) {
		return true, nil
	}
	return false, err
}

// ports are the dependencies of a topology: by channel, a bit for each channel that leaves its head.
type ports struct {
	t     *spec.Topology
	out   [][]spec.ChannelID // by node
	port  []int32            // by channel: its place among those that leave its tail
	first []int              // by channel: its first word
	bits  []uint64
	by    []spec.Target // by bit: the first target that has the dependency
}

func newPorts(t *spec.Topology) (*ports, bool) {
	const most = 1 << 20 // words
	g := &ports{t: t, out: make([][]spec.ChannelID, t.Nodes()), port: make([]int32, t.Channels())}
	for v := range g.out {
		for _, l := range t.OutLinks(spec.NodeID(v)) {
			for vc := range t.Link(l).VCs {
				c := t.Channel(l, vc)
				g.port[c] = int32(len(g.out[v]))
				g.out[v] = append(g.out[v], c)
			}
		}
	}
	words := 0
	for c := range spec.ChannelID(t.Channels()) {
		g.first = append(g.first, words)
		if words += (len(g.out[t.Head(c)]) + 63) / 64; words > most {
			return nil, false
		}
	}
	g.first = append(g.first, words)
	g.bits, g.by = make([]uint64, words), make([]spec.Target, 64*words)
	return g, true
}

// bit returns the number of the bit of a dependency.
func (g *ports) bit(from, to spec.ChannelID) int { return 64*g.first[from] + int(g.port[to]) }

func (g *ports) add(at spec.Site, to spec.ChannelID) {
	bit := g.bit(at.Channel, to)
	if word := &g.bits[bit/64]; *word>>(bit%64)&1 == 0 {
		*word |= 1 << (bit % 64)
		g.by[bit] = at.Header.Target()
	}
}

// each calls f for each dependency.
func (g *ports) each(f func(from, to spec.ChannelID)) {
	for c := range spec.ChannelID(g.t.Channels()) {
		out := g.out[g.t.Head(c)]
		for i, word := range g.bits[g.first[c]:g.first[c+1]] {
			for ; word != 0; word &= word - 1 {
				f(c, out[64*i+bits.TrailingZeros64(word)])
			}
		}
	}
}

// graph returns the dependencies as a graph of channels.
func (g *ports) graph() *graph.Graph {
	return graph.Collect(g.t.Channels(), func(add func(from, to int32)) {
		g.each(func(from, to spec.ChannelID) { add(int32(from), int32(to)) })
	})
}

// fromSites decides a case if its sites show the verdicts.
func (q *Question) fromSites(ctx context.Context, v *variant, def routing.Definition, opt Options) error {
	if opt.Tables || q.UpToSymmetry || len(v.c.Links)+len(v.c.Nodes) == 0 {
		return nil
	}
	asked := q.Properties
	if len(asked) == 0 {
		asked = bySites
	}
	if slices.ContainsFunc(asked, func(p spec.Property) bool { return !slices.Contains(bySites, p) }) {
		return nil
	}
	verdict, err := spec.Unknown, error(nil)
	if nodes, known := q.differing(def); known && v.c.Dests == nil {
		if x := v.c.base.intact(ctx, q, opt); x != nil && x.holds(v.c, def, nodes, opt) {
			verdict = spec.Holds
		}
	}
	if verdict == spec.Unknown {
		verdict, err = q.decideBySites(ctx, def, opt)
	}
	if verdict == spec.Unknown || verdict == spec.Violated && !slices.Contains(asked, spec.DeadlockFreedom) || err != nil {
		return err
	}
	v.decided, v.result.Method = true, acyclicMethod
	if verdict == spec.Violated {
		v.result.Method = cycleMethod
	}
	for _, w := range v.result.verdicts() {
		p, known := spec.ParseProperty(w.property)
		switch {
		case !known || !slices.Contains(asked, p):
		case p == spec.DeadlockFreedom:
			*w.verdict = Verdict{true, verdict}
		default:
			*w.verdict = Verdict{true, spec.Holds}
		}
	}
	return nil
}
