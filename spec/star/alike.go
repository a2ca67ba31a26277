package star

import (
	"errors"
	"fmt"
	"maps"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/rewriting"
)

// symmetry is symmetry(image, (set, image), ...): an image is a dict, or a function of a
// member of the set.
func (b *builder) symmetry(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 || len(kwargs) > 0 {
		return nil, errors.New("symmetry takes dicts, or sets with their images: write symmetry({\"left\": \"right\", \"right\": \"left\"}, (ring, lambda i: (i + 1) % n))")
	}
	y := symmetry{at: positionOf(t.Name, t.CallStack()), all: map[string]starlark.Value{}, sets: map[*members]map[string]starlark.Value{}}
	for _, arg := range args {
		set, image := (*members)(nil), arg
		if pair, ok := arg.(starlark.Tuple); ok && len(pair) == 2 {
			if set, ok = pair[0].(*members); !ok {
				return nil, fmt.Errorf("symmetry of %s: want a set made by processes or domain", nameOf(pair[0]))
			}
			image = pair[1]
		}
		images, err := imagesOf(t, set, image)
		if err != nil {
			return nil, err
		}
		if set != nil {
			y.sets[set] = images
			continue
		}
		maps.Copy(y.all, images)
	}
	b.m.symmetries = append(b.m.symmetries, y)
	return starlark.None, charge(t, emptyDict)
}

// imagesOf reads an image: a permutation of the members of a set, or of the keys of a
// dict.
func imagesOf(t *starlark.Thread, set *members, image starlark.Value) (map[string]starlark.Value, error) {
	dict, isDict := image.(*starlark.Dict)
	f, isFunction := image.(starlark.Callable)
	var from []starlark.Value
	switch {
	case set != nil && (isDict || isFunction):
		from = set.values
	case isDict:
		from = dict.Keys()
	default:
		return nil, fmt.Errorf("the image is %s: want a dict, or a set made by processes or domain with a dict or a function", nameOf(image))
	}
	images, taken := map[string]starlark.Value{}, map[string]bool{}
	for _, v := range from {
		to := v
		if _, number := v.(starlark.Int); number && set == nil {
			return nil, fmt.Errorf("the number %s in a dict: numbers are renamed where they are declared with a set, (domain(...), image)", short(v))
		}
		var err error
		if isDict {
			if x, found, _ := dict.Get(v); found {
				to = x
			}
		} else if to, err = starlark.Call(t, f, starlark.Tuple{v}, nil); err != nil {
			return nil, err
		}
		if taken[keyText(to)] {
			return nil, fmt.Errorf("the image %s twice: images must differ", short(to))
		}
		images[keyText(v)], taken[keyText(to)] = to, true
	}
	for _, v := range from {
		if !taken[keyText(v)] {
			return nil, fmt.Errorf("%s is not among the images: a symmetry permutes the values", short(v))
		}
	}
	return images, charge(t, 4*len(from))
}

// renamings gives the program the group that the symmetries generate.
func (m *machine) renamings(file string) error {
	const mostExchanged = 6 // members of a set of processes
	group := newGroup(rewriting.Identity(m.p))
	for _, set := range m.sets {
		for i := range min(len(set.values), mostExchanged) - 1 {
			a, b := set.values[i], set.values[i+1]
			y := symmetry{sets: map[*members]map[string]starlark.Value{set: {keyText(a): b, keyText(b): a}}}
			if r, err := m.renaming(&y); err == nil {
				group.add(r, set.at)
			}
		}
	}
	for _, y := range m.symmetries {
		r, err := m.renaming(&y)
		if err != nil {
			return place(file, int(y.at.line), int(y.at.col), "symmetry: %v", err)
		}
		group.add(r, y.at)
	}
	m.p.Renamings, m.group = group.all[1:], group
	return nil
}

func (m *machine) renaming(y *symmetry) (program.Renaming, error) {
	r := rewriting.Identity(m.p)
	return r, y.rename(&r, m.root, m.root)
}
