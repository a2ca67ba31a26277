package star

import (
	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/renaming"
)

// renamings states the symmetries of sets of processes: exchanging two of them moves
// what is kept for each, and renames the values that name them.
func (m *machine) renamings() {
	const mostPermuted = 6 // there are n! permutations of n
	for _, set := range m.sets {
		renaming.Alike(m.p, min(set.n, mostPermuted), func(perm []int) program.Renaming {
			r := renaming.Identity(m.p)
			m.rename(&r, set, perm, m.root, m.root)
			return r
		})
	}
}

// rename moves what is in place p to place q, its image.
func (m *machine) rename(r *program.Renaming, set *processes, perm []int, p, q *slot) {
	switch k := p.kind.(type) {
	case *domain:
		r.Vars[p.x] = q.x
		if k.like == set {
			values := make([]int, p.free+len(k.values))
			for i, v := range k.values {
				values[p.free+i], _ = q.number(image(v, perm))
			}
			r.Values[p.x] = values
		}
		return
	case *array:
		for i, key := range k.keys.values {
			to := k.keys.number[keyText(k.keys.image(key, set, perm))]
			m.rename(r, set, perm, p.in[i], q.in[to])
		}
		return
	}
	for i := range p.in {
		m.rename(r, set, perm, p.in[i], q.in[i])
	}
}

// image is what a member of a set becomes; other values stay.
func image(v starlark.Value, perm []int) starlark.Value {
	if i, err := starlark.AsInt32(v); err == nil && i >= 0 && i < len(perm) {
		return starlark.MakeInt(perm[i])
	}
	return v
}

func (k *keys) image(key starlark.Value, set *processes, perm []int) starlark.Value {
	if len(k.like) == 0 {
		return key
	}
	parts, tuple := key.(starlark.Tuple)
	if !tuple {
		return image(key, perm)
	}
	out := append(starlark.Tuple{}, parts...)
	for i, s := range k.like {
		if s == set {
			out[i] = image(out[i], perm)
		}
	}
	return out
}
