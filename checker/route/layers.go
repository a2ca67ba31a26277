package route

import (
	"cmp"
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/layers"
	"github.com/seed-105a2da2/unknot/spec"
)

// turns is the complete dependency graph: its vertices are the links, its edges the turns from one
// link to another.
type turns struct {
	*graph.Graph
	place []uint32 // by link: its number among those that leave its node
}

// of returns the edge of a turn.
func (x *turns) of(from, to spec.LinkID) uint32 { return x.First[from] + x.place[to] }

// mostTurns and mostSteps bound memory.
const (
	mostTurns = 1 << 26
	mostSteps = 1 << 28
)

func (g *ground) turns() (*turns, error) {
	count := 0
	x := &turns{place: make([]uint32, g.t.Links())}
	for v := range spec.NodeID(g.t.Nodes()) {
		count += len(g.t.InLinks(v)) * len(g.t.OutLinks(v))
		for i, l := range g.t.OutLinks(v) {
			x.place[l] = uint32(i)
		}
	}
	if count > mostTurns {
		return nil, &spec.BoundError{What: "turns", Limit: mostTurns}
	}
	x.Graph = graph.Collect(g.t.Links(), func(add func(from, to int32)) {
		for l := range spec.LinkID(g.t.Links()) {
			for _, to := range g.t.OutLinks(g.t.Link(l).To) {
				add(int32(l), int32(to))
			}
		}
	})
	return x, nil
}

// paths are all flows, by destination and source.
func (g *ground) paths(x *turns, f *forwarding) layers.Paths {
	return layers.Paths{Graph: x.Graph, Count: len(g.ends) * len(g.ends), Edges: func(path int, visit func(e uint32)) {
		d := path / len(g.ends)
		next := f.tree(d)
		l := next[g.ends[path%len(g.ends)]]
		for l >= 0 && g.t.Link(l).To != g.ends[d] {
			to := next[g.t.Link(l).To]
			visit(x.of(l, to))
			l = to
		}
	}}
}

// lash divides the paths of the even routes among layers; if that takes several, it also tries
// routes that are not spread, which often take fewer.
func (g *ground) lash(ctx context.Context) (*forwarding, error) {
	x, err := g.turns()
	if err != nil {
		return nil, err
	}
	var best *forwarding
	most := g.mostVCs()
	for _, even := range []bool{true, false} {
		if most == 0 {
			break // one layer suffices
		}
		f, err := g.shortest(ctx, even)
		if err != nil {
			return nil, err
		}
		g.say("layers")
		if s := layers.Online(ctx, g.paths(x, f), most); s != nil {
			best, most = g.onLayers(f, s), s.Count-1
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	if best == nil {
		return nil, &VCsError{g.opt.Engine, g.mostVCs()}
	}
	return best, nil
}

func (g *ground) dfsssp(ctx context.Context) (*forwarding, error) {
	x, err := g.turns()
	if err != nil {
		return nil, err
	}
	f, err := g.shortest(ctx, true)
	if err != nil {
		return nil, err
	}
	p, steps := g.paths(x, f), 0
	for path := 0; path < p.Count && steps <= mostSteps; path++ {
		p.Edges(path, func(uint32) { steps++ })
	}
	if steps > mostSteps {
		return nil, &spec.BoundError{What: "turns of flows", Limit: mostSteps}
	}
	g.say("layers")
	s := layers.Offline(ctx, p, g.mostVCs())
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case s == nil:
		return nil, &VCsError{g.opt.Engine, g.mostVCs()}
	}
	return g.onLayers(f, s), nil
}

func (g *ground) mostVCs() int { return cmp.Or(g.opt.VCs, MostVCs) }

// onLayers keeps each flow on the VC of its layer.
func (g *ground) onLayers(f *forwarding, s *layers.Sharing) *forwarding {
	f.vcs = s.Count
	number := make([]int, g.t.Nodes())
	for i, v := range g.ends {
		number[v] = i
	}
	f.start = func(d int, source spec.NodeID, _ spec.LinkID) int { return int(s.Of[d*len(g.ends)+number[source]]) }
	return f
}
