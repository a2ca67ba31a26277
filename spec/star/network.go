package star

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// define turns what the file declared into a definition.
func (b *builder) define(ctx context.Context, globals starlark.StringDict) (routing.Definition, error) {
	none := routing.Definition{}
	if len(b.nodes) == 0 {
		return none, place(b.file, 1, 1, "no node: declare nodes with node(name, at=(x, y))")
	}
	route, ok := globals["route"].(*starlark.Function)
	if !ok {
		if v := globals["route"]; v != nil {
			return none, place(b.file, 1, 1, "route is of type %s: it must be a function, def route(at, to)", v.Type())
		}
		return none, place(b.file, 1, 1, "no routing: define def route(at, to) that returns a list of hops")
	}
	if pos := route.Position(); route.NumParams() != 2 || route.HasVarargs() || route.HasKwargs() || route.NumKwonlyParams() > 0 {
		return none, place(b.file, int(pos.Line), int(pos.Col), "route must take two parameters: write def route(at, to)")
	}
	t := b.topology()
	if err := t.Err(); err != nil {
		return none, place(b.file, 1, 1, "%v", err)
	}
	def := b.def
	def.Topology = t
	def.Source = cmp.Or(def.Source, b.file)
	def.Name = cmp.Or(def.Name, strings.TrimSuffix(b.file[strings.LastIndexByte(b.file, '/')+1:], ".star"))
	r := newRelation(ctx, b, t, route)
	if !r.concreteOnly {
		r.calls = newCalls(b.callable, globals)
	}
	if b.sources {
		const most = 1 << 16
		switch {
		case len(b.replied) > 0:
			return none, place(b.file, 1, 1, "sources cannot be combined with replies: a transaction has several sources; keep what matters in the tag")
		case def.Tags*t.Nodes() > most:
			return none, place(b.file, 1, 1, "sources of %d nodes with %d tags each: at most %d in all", t.Nodes(), def.Tags, most)
		}
		r.tags, def.Tags = def.Tags, def.Tags*t.Nodes()
	}
	def.Routing = routing.Deliver(t, r)
	if def.Flows = r.flows(b.flow); def.Flows == nil {
		def.Flows = b.allPairs()
	}
	def.Replies = r.replies(b.replied)
	return def, nil
}

func newRelation(ctx context.Context, b *builder, t *spec.Topology, route *starlark.Function) *relation {
	r := &relation{ctx: ctx, file: b.file, steps: b.opt.MaxRouteSteps, nodes: b.nodes, links: b.links,
		classes: b.def.Classes, t: t, route: route, ownTags: b.def.Tags,
		injections: injections{fewRuns: fewRuns, runsPerNode: mostRunsPerNode}}
	r.facts = sync.OnceValue(func() *facts { return newFacts(b.nodes, b.links, b.lists) })
	if b.opt.tested != nil {
		b.opt.tested(r)
	}
	return r
}

// topology copies the declared nodes and links.
func (b *builder) topology() *spec.Topology {
	t := spec.NewTopology(b.vcNames...)
	for _, n := range b.nodes {
		t.AddNode(n.name, n.coordinates()...)
		n.links = slices.Clip(n.links)
	}
	for _, l := range b.links {
		l.first = t.Channel(t.AddLink(spec.Link{From: l.src.id, To: l.dst.id, VCs: l.vcs, Out: l.out, In: l.into, Dim: l.dim}), 0)
	}
	return t
}
