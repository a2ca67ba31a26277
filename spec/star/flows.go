package star

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// flows records who sends to whom.
func (b *builder) flows(_ *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "flows", &v); err != nil {
		return nil, err
	}
	if b.flow.f != nil || b.flow.set != nil {
		return nil, fmt.Errorf("flows is called twice: call it once")
	}
	switch v := v.(type) {
	case *starlark.Function:
		b.flow.f = v
		if v.NumParams() != 3 || v.HasVarargs() || v.HasKwargs() || v.NumKwonlyParams() > 0 {
			return nil, fmt.Errorf("flows takes a function of three parameters, not %s: write (src, dst, cls)", v.Name())
		}
	case *starlark.List:
		b.flow.set = map[aFlow]bool{}
		for i := range v.Len() {
			if err := b.addFlow(v.Index(i)); err != nil {
				return nil, fmt.Errorf("flow %d: %w", i, err)
			}
		}
	default:
		return nil, fmt.Errorf("flows of %s: want a function (src, dst, cls) or a list of pairs, as in [(a, b)]", nameOf(v))
	}
	return starlark.None, nil
}

func (b *builder) addFlow(v starlark.Value) error {
	t, ok := v.(starlark.Tuple)
	if !ok || len(t) != 2 && len(t) != 3 {
		return fmt.Errorf("%s: want a tuple, (src, dst) or (src, dst, cls)", nameOf(v))
	}
	src, err := b.end("flows", t[0])
	if err != nil {
		return err
	}
	dst, err := b.end("flows", t[1])
	if err != nil {
		return err
	}
	if src == dst {
		return fmt.Errorf("%s sends to itself: want two nodes", src.name)
	}
	if len(t) == 2 {
		for c := range b.def.Classes {
			b.flow.set[aFlow{src.id, dst.id, spec.Class(c)}] = true
		}
		return nil
	}
	c, err := b.class(t[2])
	if err != nil {
		return err
	}
	b.flow.set[aFlow{src.id, dst.id, c}] = true
	return nil
}

func quoted(all []string) string {
	out := make([]string, len(all))
	for i, x := range all {
		out[i] = strconv.Quote(x)
	}
	return strings.Join(out, ", ")
}

// class finds a class by number or by name.
func (b *builder) class(v starlark.Value) (spec.Class, error) {
	c := -1
	switch v := v.(type) {
	case starlark.Int:
		if x, err := starlark.AsInt32(v); err == nil {
			c = x
		}
	case starlark.String:
		c = slices.Index(b.def.Classes, string(v))
	}
	switch {
	case c >= 0 && c < len(b.def.Classes):
		return spec.Class(c), nil
	case len(b.def.Classes) == 1:
		return 0, fmt.Errorf("invalid class %.40s: the network has one class, number 0; declare several with network(classes = [\"request\", \"reply\"])", short(v))
	}
	return 0, fmt.Errorf("invalid class %.40s: want one of %s, or its number, 0 to %d", short(v), quoted(b.def.Classes), len(b.def.Classes)-1)
}

// flows returns the definition's flows. A function that fails counts as sending, and
// the relation then answers with its error.
func (r *relation) flows(f flow) routing.Flows {
	switch {
	case f.f != nil:
		return func(src, dst spec.NodeID, c spec.Class) bool {
			sends, err := r.sends(f.f, src, dst, c)
			if err != nil {
				r.refuses.Store(true)
				r.refused.Store(spec.Site{Channel: spec.Injection(src), Header: spec.Header{Dest: dst, Class: c}}, err)
				return true
			}
			return sends
		}
	case f.set != nil:
		return func(src, dst spec.NodeID, c spec.Class) bool { return f.set[aFlow{src, dst, c}] }
	}
	return nil
}

func (r *relation) sends(f *starlark.Function, src, dst spec.NodeID, c spec.Class) (bool, error) {
	if r.ctx.Err() != nil {
		return true, nil // the relation says why
	}
	if q := (input{ofNode: int64(src), ofDest: int64(dst), ofLink: -1, ofClass: int64(c)}); !r.concreteOnly {
		if a := r.sendsTo(f, q); a != nil && !a.concrete {
			return a.sends, nil
		}
	}
	sends := false
	err := r.call(f, "flows", src, dst, starlark.Tuple{r.nodes[src], r.nodes[dst], starlark.MakeInt(int(c))}, func(v starlark.Value) string {
		is, ok := v.(starlark.Bool)
		if sends = bool(is); !ok {
			return "must return True or False"
		}
		return ""
	})
	return sends, err
}

// call evaluates a function other than route for two nodes. read takes the result, or says
// what it must be.
func (r *relation) call(f *starlark.Function, what string, src, dst spec.NodeID, args starlark.Tuple, read func(starlark.Value) string) error {
	a := r.startCall()
	a.site.node, a.site.dest, a.site.link, a.run.function = r.nodes[src], r.nodes[dst], nil, what
	v, err := starlark.Call(a.thread, f, args, nil)
	if err != nil {
		return fault(r.file, a.thread, err)
	}
	r.callPool.Put(a)
	if want := read(v); want != "" {
		return a.returned(f, f.Name()+" returned "+nameOf(v)+": "+want)
	}
	return nil
}
