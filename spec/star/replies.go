package star

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// replies records that nodes answer messages of one class with those of another.
func (b *builder) replies(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		request, answer starlark.Value
		to              starlark.Value
		r               reply
	)
	buffer, outstanding := starlark.Value(starlark.None), starlark.Value(starlark.None)
	err := starlark.UnpackArgs(f.Name(), args, kwargs, "request", &request, "reply", &answer, "buffer?", &buffer,
		"endpoint?", &r.Endpoint, "outstanding?", &outstanding, "to?", &to)
	if err != nil {
		return nil, err
	}
	for _, x := range []struct {
		name string
		v    starlark.Value
		n    *int
	}{{"buffer", buffer, &r.Places}, {"outstanding", outstanding, &r.Outstanding}} {
		if *x.n, err = starlark.AsInt32(x.v); given(x.v) && (err != nil || *x.n < 1 || *x.n > 1<<16) {
			return nil, fmt.Errorf("invalid %s %.40s: want 1 to 65536", x.name, short(x.v))
		}
	}
	r.Endpoint = spec.Printable(r.Endpoint)
	if r.Request, err = b.class(request); err != nil {
		return nil, err
	}
	if r.Reply.Reply, err = b.class(answer); err != nil {
		return nil, err
	}
	if given(to) {
		var ok bool
		if r.to, ok = to.(*starlark.Function); !ok || r.to.NumParams() != 2 || r.to.HasVarargs() || r.to.HasKwargs() || r.to.NumKwonlyParams() > 0 {
			return nil, errors.New("invalid to: want a function of two nodes, as in to = lambda origin, at: [...]")
		}
	}
	at := positionOf(t.Name, t.CallStack())
	r.Place = &spec.PosError{File: at.file, Line: int(at.line), Col: int(at.col)}
	b.replied = append(b.replied, r)
	return starlark.None, nil
}

// replies returns the definition's replies.
func (r *relation) replies(all []reply) []routing.Reply {
	out := make([]routing.Reply, len(all))
	for i, x := range all {
		out[i] = x.Reply
		if x.to == nil {
			continue
		}
		out[i].To = func(dst []spec.NodeID, origin, at spec.NodeID) ([]spec.NodeID, error) {
			err := r.call(x.to, "replies", origin, at, starlark.Tuple{r.nodes[origin], r.nodes[at]}, func(v starlark.Value) string {
				list, ok := elements(v)
				if !ok {
					list = []starlark.Value{v}
				}
				for _, x := range list {
					n, ok := x.(*node)
					if !ok {
						return "must return a node or a list of nodes"
					}
					dst = append(dst, n.id)
				}
				return ""
			})
			return dst, err
		}
	}
	return out
}
