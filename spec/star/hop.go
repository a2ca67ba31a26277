package star

import (
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/spec"
)

// hop is hop(link, vc, tag). The hop keeps the place of the call.
func (b *builder) hop(t *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	r := runOf(t)
	at := r.site
	if at == nil {
		return nil, errors.New("hop outside route: only route(at, to) returns hops")
	}
	var to, vc, tag starlark.Value
	if len(kwargs) == 0 && 1 <= len(args) && len(args) <= 3 {
		to = args[0]
		if len(args) > 1 {
			vc = args[1]
		}
		if len(args) > 2 {
			tag = args[2]
		}
	} else if err := starlark.UnpackArgs(f.Name(), args, kwargs, "link", &to, "vc?", &vc, "tag?", &tag); err != nil {
		return nil, err
	}
	r.hops++
	place := r.calling(t)
	if p := r.probe; p != nil {
		return p.hop(b, place.position, to, vc, tag)
	}
	l, ok := to.(*link)
	switch {
	case to == starlark.None:
		also := ""
		if at.link == nil {
			also = ", and at.link is None when injecting"
		}
		return nil, fmt.Errorf("hop into None: to(node) and port(name) return None if no such link leaves %s%s; test it first, or return [] for a dead end", at.node.name, also)
	case !ok:
		return nil, fmt.Errorf("hop into %s: want a link that leaves %s, such as at.node.to(n) or at.node.port(\"+x\")", nameOf(to), at.node.name)
	}
	if l.src != at.node {
		return nil, fmt.Errorf("hop into %s, which does not leave %s: want one of its links (at.node.out)", l, at.node.name)
	}
	h := &hop{link: l}
	var err error
	if h.vc, err = b.vcNumber(l, vc); err != nil {
		return nil, err
	}
	number := 0
	if tag != nil {
		if number, err = starlark.AsInt32(tag); err != nil {
			return nil, fmt.Errorf("hop with tag %.40s: want 0 to %d", short(tag), b.def.Tags-1)
		}
	}
	if number < 0 || number >= b.def.Tags {
		return nil, fmt.Errorf("hop with tag %d: want 0 to %d (network(tags=%d))", number, b.def.Tags-1, b.def.Tags)
	}
	h.row = placedHop{Hop: spec.Hop{Channel: l.first + spec.ChannelID(h.vc), Tag: spec.Tag(number)}, at: place}
	return h, nil
}

// calling returns the place of the call that a thread is carrying out.
func (r *run) calling(t *starlark.Thread) *callPlace {
	var space [8]syntax.Position
	around := callsAround(space[:0], t)
	last := &r.last[(around[0].Line+around[0].Col)%int32(len(r.last))]
	if !slices.Equal(last.around, around) {
		*last = lastPlace{slices.Clone(around), r.places.intern(positionOf(t.Name, t.CallStack()))}
	}
	return last.at
}

// hop is hop(link, vc, tag), by numbers or a VC's name.
func (p *symbolicRun) hop(b *builder, at position, to, vc, tag starlark.Value) (starlark.Value, error) {
	if name, named := vc.(starlark.String); named {
		vc = starlark.MakeInt(b.vcNamed(string(name)))
	}
	h := hopTerms{vc: constant(0), tag: constant(0), at: at}
	var is [3]meaning
	h.link, is[0] = termOf(to)
	if is[1] = meaningInt; vc != nil {
		h.vc, is[1] = termOf(vc)
	}
	if is[2] = meaningInt; tag != nil {
		h.tag, is[2] = termOf(tag)
	}
	if is != [3]meaning{meaningLink, meaningInt, meaningInt} {
		return nil, errNotSymbolic
	}
	made := &symbolicHop{h}
	p.made = append(p.made, made)
	return made, nil
}

func (b *builder) vcNumber(l *link, vc starlark.Value) (int, error) {
	number := 0
	switch vc := vc.(type) {
	case nil:
	case starlark.Int:
		x, err := starlark.AsInt32(vc)
		if err != nil {
			x = -1
		}
		number = x
	case starlark.String:
		if number = b.vcNamed(string(vc)); number < 0 {
			if len(b.vcNames) == 0 {
				return 0, fmt.Errorf("hop into VC %.40q of %s: VCs have no names: write a number, or network(vcs=[\"lo\", \"hi\"])", string(vc), l)
			}
			return 0, fmt.Errorf("hop into VC %.40q of %s: the names are %q", string(vc), l, b.vcNames)
		}
	default:
		return 0, fmt.Errorf("hop into VC %.40s: want a number or a name", short(vc))
	}
	if number < 0 || number >= l.vcs {
		return 0, fmt.Errorf("hop into VC %.40s of %s: its VCs are 0 to %d", short(vc), l, l.vcs-1)
	}
	return number, nil
}

// vcNamed returns the number of the VC with a name, or -1. A name that some VC has is printable.
func (b *builder) vcNamed(name string) int {
	if i := slices.Index(b.vcNames, name); i >= 0 {
		return i
	}
	return slices.Index(b.vcNames, spec.Printable(name))
}
