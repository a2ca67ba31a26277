package orbit

import (
	"encoding/binary"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
)

// Group is a numbered set of renamings closed under composition. Number 0 is the identity,
// and each other one is a lower-numbered one followed by a generator.
type Group struct {
	Renamings  []Renaming
	Generators []int // indices of the renamings that generate the group
	made       [][2]int32
	by         [][]int32 // by generator: each number followed by it
	after      [][]int32 // by number a: a followed by b, for each b; nil until needed
}

// NewGroup numbers renamings and the identity. ok is false if they are not a group. With n
// renamings of f fields and g generators it takes time of the order of n·g·f.
func NewGroup(renamings []Renaming) (g *Group, ok bool) {
	if len(renamings) == 0 {
		return &Group{Renamings: make([]Renaming, 1), made: make([][2]int32, 1), after: make([][]int32, 1)}, true
	}
	given := map[string]bool{}
	for _, r := range renamings {
		given[r.key()] = true
	}
	identity := Renaming{To: graph.Identity[int](len(renamings[0].To))}
	given[identity.key()] = true
	// The group is closed under composition with the generators. These have finite order, so
	// it contains the inverses, too.
	g = &Group{Renamings: []Renaming{identity}, made: make([][2]int32, 1)}
	number := map[string]int32{identity.key(): 0}
	for k, r := range renamings {
		if _, known := number[r.key()]; known {
			continue
		}
		g.Generators, g.by = append(g.Generators, k), append(g.by, nil)
		for at := 0; at < len(g.Renamings); at++ {
			for i, generator := range g.Generators {
				if at < len(g.by[i]) {
					continue
				}
				next := g.Renamings[at].compose(renamings[generator])
				key := next.key()
				n, known := number[key]
				if !known {
					if !given[key] {
						return nil, false
					}
					n = int32(len(g.Renamings))
					number[key] = n
					g.Renamings, g.made = append(g.Renamings, next), append(g.made, [2]int32{int32(at), int32(i)})
				}
				g.by[i] = append(g.by[i], n)
			}
		}
	}
	g.after = make([][]int32, len(g.Renamings))
	return g, true
}

// Order returns the number of renamings.
func (g *Group) Order() int { return len(g.Renamings) }

// Made returns the lower-numbered renaming and the generator after it that make a renaming
// other than number 0.
func (g *Group) Made(a int32) (of, generator int32) { return g.made[a][0], g.made[a][1] }

// Compose returns a followed by b. It is not safe for concurrent use.
func (g *Group) Compose(a, b int32) int32 {
	row := g.after[a]
	if row == nil {
		row = make([]int32, len(g.Renamings))
		row[0] = a
		for c := 1; c < len(row); c++ {
			row[c] = g.by[g.made[c][1]][row[g.made[c][0]]]
		}
		g.after[a] = row
	}
	return row[b]
}

// Inverse returns the inverse of a.
func (g *Group) Inverse(a int32) int32 {
	g.Compose(a, 0)
	return int32(slices.Index(g.after[a], 0))
}

// Generators returns indices of renamings from which composition makes all the others:
// what composition preserves has to be checked for those only. If the renamings and the
// identity are not a group, all are returned.
func Generators(renamings []Renaming) []int {
	g, ok := NewGroup(renamings)
	if !ok {
		return graph.Identity[int](len(renamings))
	}
	return g.Generators
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

// compose is r followed by o.
func (r Renaming) compose(o Renaming) Renaming {
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
