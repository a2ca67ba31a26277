package machines

import (
	"fmt"
	"slices"
)

// columns are the reachable states of a size, fact by fact: a set of states for each.
type columns struct {
	g     *ground
	words int
	sets  map[string][]uint64
}

func newColumns(g *ground) *columns {
	return &columns{g, (len(g.states) + 63) / 64, map[string][]uint64{}}
}

// where returns the states for which a test is true; key names it.
func (c *columns) where(key string, test func(state) bool) []uint64 {
	if known, is := c.sets[key]; is {
		return known
	}
	found := make([]uint64, c.words)
	for i, s := range c.g.states {
		if test(s) {
			found[i/64] |= 1 << (i % 64)
		}
	}
	c.sets[key] = found
	return found
}

// isReachable reports whether a reachable state of a small size has a cube, for some different participants.
func (s *search) isReachable(cube []literal, elements []element) bool {
	used := make([]bool, len(elements))
	for i := range cube {
		for _, e := range cube[i].elements() {
			used[e] = true
		}
		for _, e := range cube[i].others(elements) {
			used[e] = true
		}
	}
	for _, c := range s.oracle {
		if c.has(cube, elements, used) {
			return true
		}
	}
	return false
}

func (c *columns) has(cube []literal, elements []element, used []bool) bool {
	assigned := make([]int, len(elements))
	env := map[string]int{c.g.m.Size: c.g.n}
	var assign func(i int) bool
	assign = func(i int) bool {
		if i == len(elements) {
			return c.meets(cube, elements, assigned)
		}
		if !used[i] {
			assigned[i] = -1
			return assign(i + 1)
		}
		of := elements[i].of
	next:
		for x, hi := c.g.value(of.lo, env, nil), c.g.value(of.hi, env, nil); x < hi; x++ {
			for j := range i {
				if used[j] && assigned[j] == x && elements[j].of.same(of) {
					continue next
				}
			}
			assigned[i] = x
			if assign(i + 1) {
				return true
			}
		}
		return false
	}
	return assign(0)
}

// meets reports whether some state has all facts of a cube, with these participants.
func (c *columns) meets(cube []literal, elements []element, assigned []int) bool {
	if len(c.g.states) == 0 {
		return false
	}
	met := make([]uint64, c.words)
	for i := range met {
		met[i] = ^uint64(0)
	}
	if rest := len(c.g.states) % 64; rest != 0 {
		met[c.words-1] = 1<<rest - 1
	}
	for i := range cube {
		some := uint64(0)
		for j, w := range c.fact(&cube[i], elements, assigned) {
			met[j] &= w
			some |= met[j]
		}
		if some == 0 {
			return false
		}
	}
	return true
}

// fact returns the states that have one fact.
func (c *columns) fact(l *literal, elements []element, assigned []int) []uint64 {
	if l.v == nil {
		a, b := c.operand(&l.a, assigned), c.operand(&l.b, assigned)
		return c.where(fmt.Sprint(a.key, b.key, l.signs), func(s state) bool {
			d := a.of(s) - b.of(s)
			return d < 0 && l.signs[0] || d == 0 && l.signs[1] || d > 0 && l.signs[2]
		})
	}
	keys := make([]int, len(l.at))
	for i, e := range l.at {
		keys[i] = assigned[e]
	}
	cell := c.g.cellOf(l.v, keys)
	var codes []int
	rest := false
	for _, x := range l.values {
		switch {
		case x == other:
			rest = true
		case x >= firstElement:
			codes = append(codes, assigned[x-firstElement])
		default:
			codes = append(codes, x)
		}
	}
	var named []int
	if rest {
		for i, e := range elements {
			if assigned[i] >= 0 && e.of.same(set{lo: l.v.domain.lo, hi: l.v.domain.hi}) {
				named = append(named, assigned[i])
			}
		}
	}
	return c.where(fmt.Sprint(cell, codes, rest, named), func(s state) bool {
		x := s[cell]
		return slices.Contains(codes, x) || rest && x >= 0 && !slices.Contains(named, x)
	})
}

type measured struct {
	key string
	of  func(state) int
}

func (c *columns) operand(o *operand, assigned []int) measured {
	var x int
	switch {
	case o.v != nil:
		keys := make([]int, len(o.at))
		for i, e := range o.at {
			keys[i] = assigned[e]
		}
		cell := c.g.cellOf(o.v, keys)
		return measured{fmt.Sprint("cell", cell), func(s state) int { return s[cell] }}
	case o.elem >= 0:
		x = assigned[o.elem]
	default:
		x = c.g.value(o.t, map[string]int{c.g.m.Size: c.g.n}, nil)
	}
	return measured{fmt.Sprint("number", x), func(state) int { return x }}
}
