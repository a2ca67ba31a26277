package star

import (
	"context"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
)

// routeCall is a Starlark thread with the values that one call needs.
type routeCall struct {
	thread *starlark.Thread
	run    run
	site   site
	hops   []placedHop
}

func (r *relation) startCall() *routeCall {
	if a, ok := r.callPool.Get().(*routeCall); ok {
		a.thread.Steps = 0
		return a
	}
	a := &routeCall{run: run{limit: r.steps, calls: r.calls, places: &r.places}}
	a.run.site = &a.site
	a.site.names = r.classes
	a.thread = newThread(r.file, &a.run)
	return a
}

// evaluate calls route plainly, without symbolic values. The hops belong to the routeCall that it returns, until that is given back.
func (r *relation) evaluate(s spec.Site) (*routeCall, error) {
	if err := context.Cause(r.ctx); err != nil {
		return nil, err
	}
	if s.Channel.IsInjection() {
		if err, ok := r.refused.Load(s); ok {
			return nil, err.(error)
		}
	}
	a := r.startCall()
	a.site.node, a.site.dest = r.nodes[r.t.Head(s.Channel)], r.nodes[s.Header.Dest]
	a.site.channel, a.site.tag, a.site.class = s.Channel, s.Header.Tag, s.Header.Class
	a.site.link, a.site.vc, a.run.function = nil, 0, ""
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
	v, err := starlark.Call(a.thread, r.route, starlark.Tuple{&a.site, a.site.dest}, nil)
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

// sequenceOf returns a list or a tuple.
func sequenceOf(v starlark.Value) (starlark.Indexable, bool) {
	switch v := v.(type) {
	case *starlark.List:
		return v, true
	case starlark.Tuple:
		return v, true
	}
	return nil, false
}

// hops reads what route returned.
func (r *relation) hops(a *routeCall, v starlark.Value) ([]placedHop, error) {
	list, ok := sequenceOf(v)
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
func (a *routeCall) returned(f *starlark.Function, problem string) error {
	pos := f.Position()
	return place(pos.Filename(), int(pos.Line), int(pos.Col), "%s (%s)", problem, oneLine(a.run.subject()))
}
