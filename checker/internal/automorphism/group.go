package automorphism

import (
	"encoding/binary"
	"slices"
)

// group is a group of permutations of the frame, all elements listed, the
// identity first. An element is known by where it takes the base.
type group struct {
	base       []int32
	most       int
	elems      [][]int32
	index      map[string]bool // by images of the base
	generators [][]int32
	work       int // images computed so far
}

// newGroup returns the group of the identity on n vertices, which is to grow to
// at most most elements.
func newGroup(n int, base []int32, most int) *group {
	g := &group{base: base, most: most, index: map[string]bool{}}
	identity := make([]int32, n)
	for v := range identity {
		identity[v] = int32(v)
	}
	g.add(identity)
	return g
}

func (g *group) add(e []int32) {
	g.elems = append(g.elems, e)
	g.index[g.key(e, nil)] = true
}

// key tells elements apart: the images of the base under a, and then b if given.
func (g *group) key(a, b []int32) string {
	k := make([]byte, 0, 4*len(g.base))
	for _, v := range g.base {
		v = a[v]
		if b != nil {
			v = b[v]
		}
		k = binary.LittleEndian.AppendUint32(k, uint32(v))
	}
	g.work += len(g.base)
	return string(k)
}

// product returns a followed by b.
func (g *group) product(a, b []int32) []int32 {
	c := make([]int32, len(a))
	for v, w := range a {
		c[v] = b[w]
	}
	g.work += len(a)
	return c
}

// extend adds a generator and all products, coset by coset (Dimino, 1971), and
// returns true; or, if they would be too many, leaves the group as it is and
// returns false.
func (g *group) extend(generator []int32) bool {
	if g.index[g.key(generator, nil)] {
		return true
	}
	old := len(g.elems)
	if 2*old > g.most { // the order of a subgroup divides that of the group (Lagrange)
		return false
	}
	g.generators = append(g.generators, generator)
	g.addCoset(old, generator)
	for i := old; i < len(g.elems); i += old {
		for _, by := range g.generators {
			if g.index[g.key(g.elems[i], by)] {
				continue
			}
			if len(g.elems)+old > g.most {
				g.shrink(old)
				return false
			}
			g.addCoset(old, g.product(g.elems[i], by))
		}
	}
	return true
}

// addCoset adds the products of the first old elements and r. The first of them
// is r.
func (g *group) addCoset(old int, r []int32) {
	for _, e := range g.elems[:old] {
		g.add(g.product(e, r))
	}
}

func (g *group) shrink(old int) {
	for _, e := range g.elems[old:] {
		delete(g.index, g.key(e, nil))
	}
	g.elems = g.elems[:old]
	g.generators = g.generators[:len(g.generators)-1]
}

// generate returns the group of the generators if it has at most most elements,
// else the larger of two subgroups: one takes up generators from the first to
// the last as long as their group is small enough, the other from the last to
// the first.
func generate(n int, base []int32, generators [][]int32, most, work int) *group {
	grow := func(order [][]int32) (g *group, whole bool) {
		g = newGroup(n, base, most)
		whole = true
		for _, generator := range order {
			if g.work > work {
				return g, false
			}
			whole = g.extend(generator) && whole
		}
		return g, whole
	}
	deep, whole := grow(generators)
	if whole {
		return deep
	}
	backwards := slices.Clone(generators)
	slices.Reverse(backwards)
	high, _ := grow(backwards)
	if len(high.elems) >= len(deep.elems) {
		return high
	}
	return deep
}
