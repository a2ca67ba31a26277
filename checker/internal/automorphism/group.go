package automorphism

import (
	"encoding/binary"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
)

// group is a group of permutations of the frame, with all elements listed, the
// identity first. An element is identified by the images of the base.
type group struct {
	base       []int32
	most       int
	elems      [][]int32
	index      map[string]bool // by images of the base
	generators [][]int32
	work       int // images computed so far
}

// newGroup returns the trivial group on n vertices, which may grow to
// at most most elements.
func newGroup(n int, base []int32, most int) *group {
	g := &group{base: base, most: most, index: map[string]bool{}}
	identity := graph.Identity[int32](n)
	g.add(identity)
	return g
}

func (g *group) add(e []int32) {
	g.elems = append(g.elems, e)
	g.index[g.key(e, nil)] = true
}

// key identifies an element by the images of the base under a, and then b if given.
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
	g.work += len(a)
	return compose(a, b)
}

// extend adds a generator and all products, coset by coset (Dimino, 1971), and
// returns true; if they would be too many, it leaves the group as it is and
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

// addCoset adds the products of the first old elements with r. The first of them
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

// generate returns the group of the generators if it has at most most elements.
// Otherwise it grows several subgroups, each from a list of candidates that it
// adds as long as the group stays small enough, and returns the largest: from the
// generators in order and in reverse, then, in both directions, from each of their
// offspring on. It stops when no larger group is possible, or after computing work images.
func generate(n int, base []int32, generators [][]int32, most, work int) *group {
	spent := 0
	grow := func(candidates ...[]int32) (g *group, whole bool) {
		g, whole = newGroup(n, base, most), true
		for _, c := range candidates {
			if spent+g.work > work {
				whole = false
				break
			}
			whole = g.extend(c) && whole
		}
		spent += g.work
		return g, whole
	}
	best, whole := grow(generators...)
	if whole {
		return best
	}
	backwards := slices.Clone(generators)
	slices.Reverse(backwards)
	if g, _ := grow(backwards...); len(g.elems) >= len(best.elems) {
		best = g
	}
	more := offspring(backwards)
	for _, first := range more {
		if 2*len(best.elems) > most || spent > work {
			break
		}
		if g, _ := grow(append([][]int32{first}, more...)...); len(g.elems) > len(best.elems) {
			best = g
		}
	}
	return best
}

// offspring returns the generators, their powers by proper divisors of their
// order, and commutators and products of the first few: elements that generate
// smaller groups, such as the translations among the symmetries of a torus.
func offspring(generators [][]int32) [][]int32 {
	const few = 8
	all := slices.Clone(generators)
	for _, g := range generators {
		m := order(g)
		for d := 2; d <= m/2; d++ {
			if m%d == 0 {
				all = append(all, power(g, d))
			}
		}
	}
	first := generators[:min(few, len(generators))]
	for i, a := range first {
		for _, b := range first[:i] {
			ab, ba := compose(a, b), compose(b, a)
			all = append(all, compose(inverse(ba), ab), ab)
		}
	}
	return all
}

// compose returns a followed by b.
func compose(a, b []int32) []int32 {
	c := make([]int32, len(a))
	for v, w := range a {
		c[v] = b[w]
	}
	return c
}

func inverse(a []int32) []int32 {
	b := make([]int32, len(a))
	for v, w := range a {
		b[w] = int32(v)
	}
	return b
}

// power returns a^d, d >= 1.
func power(a []int32, d int) []int32 {
	if d == 1 {
		return a
	}
	half := power(a, d/2)
	if half = compose(half, half); d%2 == 1 {
		return compose(half, a)
	}
	return half
}

// order returns the least m >= 1 such that a^m is the identity, or 1 if that is
// too large to be useful.
func order(a []int32) int {
	const most = 1 << 16
	m := 1
	seen := make([]bool, len(a))
	for v := range a {
		length := 0
		for w := int32(v); !seen[w]; w = a[w] {
			seen[w] = true
			length++
		}
		if length > 1 {
			m = m / gcd(m, length) * length
		}
		if m > most {
			return 1
		}
	}
	return m
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
