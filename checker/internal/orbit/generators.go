package orbit

import (
	"encoding/binary"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
)

// Generators returns indices of renamings from which all the others come by
// composing them: what composing keeps has to be checked for those only. If the
// renamings, and the one that changes nothing, are not a group, all are returned.
// With n renamings of f fields and g generators it takes time of the order of
// n·g·f.
func Generators(renamings []Renaming) []int {
	if len(renamings) == 0 {
		return nil
	}
	index := map[string]bool{}
	for _, r := range renamings {
		index[r.key()] = true
	}
	identity := Renaming{To: graph.Identity[int](len(renamings[0].To))}
	index[identity.key()] = true
	// group is closed under composing with the generators, of which there are
	// finitely many powers, so that it has the inverses, too.
	group, in := []Renaming{identity}, map[string]bool{identity.key(): true}
	var generators []int
	for k, r := range renamings {
		if in[r.key()] {
			continue
		}
		generators = append(generators, k)
		for at := 0; at < len(group); at++ {
			for _, g := range generators {
				next := group[at].then(renamings[g])
				key := next.key()
				if in[key] {
					continue
				}
				if !index[key] {
					return graph.Identity[int](len(renamings))
				}
				in[key] = true
				group = append(group, next)
			}
		}
	}
	return generators
}

// key is the same for renamings that do the same.
func (r Renaming) key() string {
	var b []byte
	for i, to := range r.To {
		b = binary.AppendVarint(b, int64(to))
		if r.Values == nil || !changes(r.Values[i]) {
			b = append(b, 0)
			continue
		}
		b = append(b, 1)
		for _, v := range r.Values[i] {
			b = binary.AppendUvarint(b, v)
		}
	}
	return string(b)
}

// then is r first and o after it.
func (r Renaming) then(o Renaming) Renaming {
	out := Renaming{To: make([]int, len(r.To)), Values: make([][]uint64, len(r.To))}
	for i, to := range r.To {
		out.To[i] = o.To[to]
		var first, second []uint64
		if r.Values != nil {
			first = r.Values[i]
		}
		if o.Values != nil {
			second = o.Values[to]
		}
		switch {
		case first == nil:
			out.Values[i] = second
		case second == nil:
			out.Values[i] = first
		default:
			values := slices.Clone(first)
			for v, w := range values {
				values[v] = second[w]
			}
			out.Values[i] = values
		}
	}
	return out
}
