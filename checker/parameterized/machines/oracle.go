package machines

import (
	"context"
	"fmt"
	"math/rand/v2"
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

// walked returns states of a larger size along random walks: some of the reachable ones, far from the initial states.
func (m *Machine) walked(ctx context.Context, n, most int) (*columns, error) {
	const length, stretch = 400, 25 // steps of a walk; steps for which the same rules rest
	file, err := m.load(ctx, n)
	if err != nil {
		return nil, fmt.Errorf("at %s = %d: %w", m.Size, n, err)
	}
	g, err := m.ground(n, file)
	if err != nil {
		return nil, fmt.Errorf("at %s = %d: %w", m.Size, n, err)
	}
	random := rand.New(rand.NewPCG(uint64(n), 3))
	initials := file.Initials()
	met := map[string]bool{}
	var at []int
	rests := make([]bool, len(file.Rules))
	for i := range most {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if i%length == 0 || at == nil {
			at = slices.Clone(initials[random.IntN(len(initials))])
		}
		if s := g.ours(at); !met[fmt.Sprint(s)] {
			met[fmt.Sprint(s)] = true
			g.states = append(g.states, s)
		}
		if i%stretch == 0 { // with all rules alike, nobody would get far ahead of the others
			often := random.Float64()
			for j := range rests {
				rests[j] = random.Float64() < often
			}
		}
		at = g.stroll(at, random, rests)
	}
	return newColumns(g), nil
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
		return c.where(fmt.Sprint(a.key, b.key, l.off, l.signs), func(s state) bool {
			d := a.of(s) - b.of(s) - l.off
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
			if assigned[i] >= 0 && e.of.same(l.v.domain.set()) {
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
