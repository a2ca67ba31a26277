package star

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
)

// relation evaluates the file's route function, once for each input.
type relation struct {
	ctx        context.Context
	file       string
	steps      uint64 // of one call
	nodes      []*node
	classes    []string
	links      []*link
	t          *spec.Topology
	route      *starlark.Function
	twins      map[*starlark.Function]*starlark.Function // of functions that are bare (bare.go)
	tags       int                                       // with sources: tag = number of the source * tags + the file's own; otherwise 0
	evaluators sync.Pool                                 // of *evaluator
	memo       memo                                      // of plain evaluations
	places     places                                    // of hops
	refused    sync.Map                                  // by Site: the error of flows, for an injection
	refuses    atomic.Bool                               // there are any

	ground  func() *ground
	global  map[starlark.Value]bool // the file's own lists and dicts
	calls   *calls
	routes  tree
	senders tree
	pins    pins
	plainly bool // without stand-ins, for tests
	ownTags int  // that the file declares
}

// evaluator is a Starlark thread with the values that one call needs.
type evaluator struct {
	thread *starlark.Thread
	run    run
	site   site
	hops   []placedHop
}

func newRelation(ctx context.Context, b *builder, t *spec.Topology, route *starlark.Function) *relation {
	r := &relation{ctx: ctx, file: b.file, steps: b.opt.MaxRouteSteps, nodes: b.nodes, links: b.links,
		classes: b.def.Classes, t: t, route: route, global: b.lists, ownTags: b.def.Tags,
		pins: pins{few: fewRuns, tells: mostTells}}
	r.ground = sync.OnceValue(func() *ground { return newGround(r) })
	if b.opt.tested != nil {
		b.opt.tested(r)
	}
	return r
}

func (r *relation) evaluator() *evaluator {
	if a, ok := r.evaluators.Get().(*evaluator); ok {
		a.thread.Steps = 0
		return a
	}
	a := &evaluator{run: run{limit: r.steps, calls: r.calls, places: &r.places}}
	a.run.site = &a.site
	a.site.names = r.classes
	a.thread = newThread(r.file, &a.run)
	return a
}

// Next evaluates route, or recalls its answer.
func (r *relation) Next(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	s := spec.Site{Channel: at, Header: h}
	if q := r.inputAt(s); !r.plainly {
		if a := r.recall(&q); a != nil && !a.plain {
			if all, ok := r.hopsOf(dst, a, &q); ok {
				return all, nil
			}
		}
	}
	row, ok := r.memo.find(s)
	if !ok {
		a, err := r.evaluate(s)
		if err != nil {
			return dst, err
		}
		defer r.evaluators.Put(a)
		row = a.hops
	}
	dst = slices.Grow(dst, len(row))
	for _, p := range row {
		dst = append(dst, p.Hop)
	}
	return dst, nil
}

// Pure is true: what route reads is frozen, and neither time nor chance is within its reach.
func (r *relation) Pure() bool { return true }

// NextLike is Next, and returns the run of route, a leaf of the tree, if it may repeat:
// it is the run for another target, too, if that decides alike.
func (r *relation) NextLike(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, any, error) {
	q := r.inputAt(spec.Site{Channel: at, Header: h})
	if in, pinned := r.treeOf(&q); in == nil || pinned {
		hops, err := r.Next(dst, at, h)
		return hops, nil, err
	}
	if b := r.routes.leaf(&q); b != nil && !b.leaf.plain && !r.maybeRefused(at) {
		switch hops, ok := r.hopsOf(dst, b.leaf, &q); {
		case ok && b.repeats:
			return hops, b, nil
		case ok:
			return hops, nil, nil
		}
	}
	hops, err := r.Next(dst, at, h)
	return hops, nil, err
}

// Repeats evaluates only the decisions that depend on the target.
func (r *relation) Repeats(like any, at spec.ChannelID, h spec.Header) bool {
	q := r.inputAt(spec.Site{Channel: at, Header: h})
	return like.(*branch).repeatsFor(&q) && !r.maybeRefused(at)
}

// maybeRefused reports whether the answer in a channel may be the error of flows.
func (r *relation) maybeRefused(at spec.ChannelID) bool { return at.IsInjection() && r.refuses.Load() }

// Reason returns the place of the call of hop that made a hop, and the calls
// that led there from route.
func (r *relation) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) string {
	s := spec.Site{Channel: at, Header: h}
	if q := r.inputAt(s); !r.plainly {
		if in, _ := r.treeOf(&q); in == nil {
		} else if a := in.find(&q); a != nil && !a.plain {
			for i := range a.hops {
				if x, ok := r.hopOf(&a.hops[i], &q); ok && x == hop {
					return a.hops[i].reason
				}
			}
		}
	}
	row, ok := r.memo.find(s)
	if !ok {
		a, err := r.evaluate(s)
		if err != nil {
			return ""
		}
		defer r.evaluators.Put(a)
		row = a.hops
	}
	for _, p := range row {
		if p.Hop == hop {
			return p.at.String()
		}
	}
	return ""
}

// evaluate calls route plainly, without stand-ins. The hops belong to the evaluator that it returns, until that is given back.
func (r *relation) evaluate(s spec.Site) (*evaluator, error) {
	if err := context.Cause(r.ctx); err != nil {
		return nil, err
	}
	if s.Channel.IsInjection() {
		if err, ok := r.refused.Load(s); ok {
			return nil, err.(error)
		}
	}
	a := r.evaluator()
	a.site.node, a.site.dest = r.nodes[r.t.Head(s.Channel)], r.nodes[s.Header.Dest]
	a.site.channel, a.site.tag, a.site.class = s.Channel, s.Header.Tag, s.Header.Class
	a.site.link, a.site.vc, a.run.other = nil, 0, ""
	a.site.src = nil
	if r.tags > 0 {
		a.site.src = a.site.node
		if !s.Channel.IsInjection() {
			a.site.src = r.nodes[int(s.Header.Tag)/r.tags]
		}
		a.site.tag = spec.Tag(int(s.Header.Tag) % r.tags)
	}
	if !s.Channel.IsInjection() {
		a.site.link, a.site.vc = r.links[r.t.LinkOf(s.Channel)], r.t.VC(s.Channel)
	}
	v, err := r.value(a, r.route, starlark.Tuple{&a.site, a.site.dest})
	if err != nil {
		return nil, fault(r.file, a.thread, err) // and forget the thread, which may be cancelled
	}
	if a.hops, err = r.hops(a, v); err != nil {
		return nil, err
	}
	for i := range a.hops {
		if r.tags > 0 {
			a.hops[i].Tag += spec.Tag(int(a.site.src.id) * r.tags)
		}
	}
	r.memo.keep(s, a.hops)
	return a, nil
}

// value calls a function of the file and, if it fails bare, its twin, which says what
// is wrong.
func (r *relation) value(a *evaluator, f *starlark.Function, args starlark.Tuple) (starlark.Value, error) {
	v, err := starlark.Call(a.thread, f, args, nil)
	if twin := r.twins[f]; err != nil && twin != nil {
		a.thread = newThread(r.file, &a.run)
		v, err = starlark.Call(a.thread, twin, args, nil)
	}
	return v, err
}

// withStandIns returns the function to run with stand-ins instead of f.
func (r *relation) withStandIns(f *starlark.Function) *starlark.Function {
	return cmp.Or(r.twins[f], f)
}

// listOf returns a list or a tuple.
func listOf(v starlark.Value) (starlark.Indexable, bool) {
	switch v := v.(type) {
	case *starlark.List:
		return v, true
	case starlark.Tuple:
		return v, true
	}
	return nil, false
}

// hops reads what route returned.
func (r *relation) hops(a *evaluator, v starlark.Value) ([]placedHop, error) {
	list, ok := listOf(v)
	switch {
	case v == starlark.None:
		return nil, a.returned(r.route, "route returned nothing: every path must end with return [hop(...), ...], or return [] for a dead end")
	case !ok:
		return nil, a.returned(r.route, "route returned "+nameOf(v)+": must return a list of hops, as in return [hop(link)]")
	}
	dst := a.hops[:0]
	for i := range list.Len() {
		h, ok := list.Index(i).(*hop)
		if !ok {
			return nil, a.returned(r.route, "route returned a list with "+nameOf(list.Index(i))+" in it: want a list of hops, as in return [hop(link)]")
		}
		dst = append(dst, h.row)
	}
	return dst, nil
}

// returned returns an error about what a function of the file returned.
func (a *evaluator) returned(f *starlark.Function, problem string) error {
	pos := f.Position()
	return place(pos.Filename(), int(pos.Line), int(pos.Col), "%s (%s)", problem, oneLine(a.run.about()))
}
