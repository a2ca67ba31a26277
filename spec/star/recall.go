package star

import (
	"context"
	"math"
	"slices"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
)

// How answers of route are remembered.
//
// route runs with values that stand for its arguments (standin.go). Computing
// with them makes terms; wherever the run depends on one, in a comparison or an index,
// the decision is recorded: this term had that value. The decisions of all runs form a
// tree. An input descends the tree by the values of its terms, and finds its hops at
// the leaf, again as terms. (For injections, runs may be specific to one node: see
// pin.go. Results of the file's own functions are kept in calls.go.) So a torus of any
// size is evaluated once for each offset, not for each pair of nodes, and nothing is kept for
// each site.
//
// Invariant: route is pure, so two runs with equal decisions are one run. What a
// symbolic value cannot do ends the run, and its leaf says that inputs there are evaluated
// plainly, with the values themselves; so are those beyond the bound.

// Next evaluates route, or recalls its answer.
func (r *relation) Next(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	s := spec.Site{Channel: at, Header: h}
	if q := r.inputAt(s); !r.concreteOnly {
		if a := r.answer(&q); a != nil && !a.concrete {
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
		defer r.callPool.Put(a)
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
	if b := r.routes.leaf(&q); b != nil && !b.leaf.concrete && !r.maybeRefused(at) {
		switch hops, ok := r.hopsOf(dst, b.leaf, &q); {
		case ok && b.repeatable:
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
	return like.(*branch).answersToo(&q) && !r.maybeRefused(at)
}

// maybeRefused reports whether the answer in a channel may be the error of flows.
func (r *relation) maybeRefused(at spec.ChannelID) bool { return at.IsInjection() && r.refuses.Load() }

// Reason returns the place of the call of hop that made a hop, and the calls
// that led there from route.
func (r *relation) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) string {
	s := spec.Site{Channel: at, Header: h}
	if q := r.inputAt(s); !r.concreteOnly {
		if in, _ := r.treeOf(&q); in == nil {
		} else if a := in.find(&q); a != nil && !a.concrete {
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
		defer r.callPool.Put(a)
		row = a.hops
	}
	for _, p := range row {
		if p.Hop == hop {
			return p.at.String()
		}
	}
	return ""
}

// answer returns the answer of route to an input, and evaluates route if it is not known;
// nil if route must be evaluated concretely.
func (r *relation) answer(q *input) *answer {
	if q[ofLink] < 0 && r.refuses.Load() {
		s := spec.Site{Channel: spec.Injection(spec.NodeID(q[ofNode])), Header: spec.Header{Dest: spec.NodeID(q[ofDest]), Class: spec.Class(q[ofClass])}}
		if _, refused := r.refused.Load(s); refused {
			return nil
		}
	}
	in, pinned := r.treeOf(q)
	if in == nil {
		return nil
	}
	if a := in.find(q); a != nil {
		if pinned {
			r.injections.answered.Add(1)
		}
		return a
	}
	p := &symbolicRun{r: r, q: new(input), pinned: pinned}
	*p.q = *q
	a := p.execute(in, r.route, starlark.Tuple{&symbolicSite{symbolic{nil, p}}, p.node(partOf(ofDest, mostNodes))}, p.hops)
	if q[ofLink] < 0 {
		r.injections.countRun(p, a)
	}
	return a
}

// sendsTo returns the answer of the function of flows, as recall does for route.
func (r *relation) sendsTo(f *starlark.Function, q input) *answer {
	if a := r.senders.find(&q); a != nil {
		return a
	}
	p := &symbolicRun{r: r, q: &q}
	args := starlark.Tuple{p.node(partOf(ofNode, mostNodes)), p.node(partOf(ofDest, mostNodes)), p.int(partOf(ofClass, math.MaxUint16))}
	return p.execute(&r.senders, f, args, func(v starlark.Value) (answer, bool) {
		sends, ok := v.(starlark.Bool)
		return answer{sends: bool(sends)}, ok
	})
}

// execute runs a function with symbolic values and keeps what it decided and returned; nil if
// there is no room for it.
func (p *symbolicRun) execute(in *decisionTree, f *starlark.Function, args starlark.Tuple, read func(starlark.Value) (answer, bool)) *answer {
	if in.full.Load() || context.Cause(p.r.ctx) != nil {
		return nil
	}
	leaf, ok := p.run(f, args, read)
	if !ok {
		leaf = answer{concrete: true}
	}
	return in.add(p.path, p.r.facts().answer(leaf))
}

func (p *symbolicRun) run(f *starlark.Function, args starlark.Tuple, read func(starlark.Value) (answer, bool)) (leaf answer, ok bool) {
	defer func() {
		if v := recover(); v != nil {
			if v != errNotSymbolic {
				panic(v)
			}
			ok = false
		}
	}()
	a := p.r.startCall()
	a.site.node, a.site.dest = p.r.nodes[p.q[ofNode]], p.r.nodes[p.q[ofDest]]
	a.run.probe = p
	v, err := starlark.Call(a.thread, f, args, nil)
	if err != nil { // evaluated concretely, route reports it
		return answer{}, false
	}
	leaf, ok = read(v)
	a.run.probe = nil
	p.r.callPool.Put(a)
	return leaf, ok
}

// hops reads what route returned.
func (p *symbolicRun) hops(v starlark.Value) (answer, bool) {
	list, ok := sequenceOf(v)
	if !ok {
		return answer{}, false
	}
	var a answer
	returned := map[*symbolicHop]bool{}
	for i := range list.Len() {
		h, ok := list.Index(i).(*symbolicHop)
		if !ok {
			return answer{}, false
		}
		a.hops, returned[h] = append(a.hops, h.hopTerms), true
	}
	for _, h := range p.made {
		if !returned[h] {
			a.made, returned[h] = append(a.made, h.hopTerms), true
		}
	}
	return a, true
}
