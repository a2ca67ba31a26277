package unsat

import (
	"context"
	"math"
)

// Design of unit propagation. Between calls, as long as there is no contradiction:
//
//   - trail lists the literals that are true, each once, and value[l] == -value[l^1].
//   - All of the trail is propagated. Of two watched literals, the first two of a clause, one is false only if the
//     other is true.
//   - A clause is in the lists of its two watched literals and in no other. Literals that were false when it was added
//     are left out of it: what is true then stays true.
//   - count is the number of counted literals on the trail, at most c.most.
//
// Only follows takes anything back: all that it has made true itself. Watched literals need no repair then, since a
// literal that becomes open is false no more. A contradiction stays: the formula has no solution.

// clauses is a formula in conjunctive normal form, with what follows from it by unit
// propagation (two watched literals: Moskewicz et al. 2001). Literal 2v says that
// variable v is true, 2v+1 that it is false.
type clauses struct {
	value         []int8      // by literal: 1 true, -1 false, 0 open
	watching      [][][]int32 // by literal: the clauses in which it is one of the first two
	group         [][]int32   // by literal: those of which at most one is true; may be nil
	first, last   int32       // of the variables first to last-1, at most this many are true:
	most, count   int         // count is how many are
	trail         []int32     // literals that are true, in the order found
	done          int         // trail[:done] is propagated
	contradiction bool
	// How many literals of a clause that holds are true, counting repeated literals as often as they occur.
	least func(clause []int32) int
}

func yes(v int32) int32 { return 2 * v }
func no(v int32) int32  { return 2*v + 1 }

func newClauses(variables int) clauses {
	return clauses{
		most: math.MaxInt, least: func([]int32) int { return 1 }, value: make([]int8, 2*variables),
		watching: make([][][]int32, 2*variables), group: make([][]int32, 2*variables),
	}
}

// variable adds a variable.
func (c *clauses) variable() int32 {
	c.value, c.watching, c.group = append(c.value, 0, 0), append(c.watching, nil, nil), append(c.group, nil, nil)
	return int32(len(c.group)/2 - 1)
}

// atMostOne says that at most one of the literals is true. Each is in one group.
func (c *clauses) atMostOne(literals []int32) {
	for _, l := range literals {
		c.group[l] = literals
	}
}

// add adds a clause.
func (c *clauses) add(literals ...int32) {
	var open []int32
	for _, l := range literals {
		if c.value[l] > 0 {
			return
		}
		if c.value[l] == 0 {
			open = append(open, l)
		}
	}
	switch len(open) {
	case 0:
		c.contradiction = true
	case 1:
		c.contradiction = c.contradiction || !c.set(open[0]) || !c.propagate()
	default:
		c.watch(open[0], open)
		c.watch(open[1], open)
	}
}

func (c *clauses) watch(l int32, clause []int32) { c.watching[l] = append(c.watching[l], clause) }

// follows reports whether unit propagation shows that the clause is true, or that, were its
// literals false, all clauses of the sum would be true, which are too many.
func (c *clauses) follows(ctx context.Context, literals []int32, sum ...[]int32) bool {
	before, shown := len(c.trail), false
	for _, l := range literals {
		shown = shown || !c.set(l^1)
	}
	shown = shown || !c.propagate() || c.tooMany(ctx, sum)
	for _, l := range c.trail[before:] {
		c.value[l], c.value[l^1] = 0, 0
		if c.counted(l) {
			c.count--
		}
	}
	c.trail, c.done = c.trail[:before], before
	return shown
}

// tooMany reports whether all clauses of a sum follow, although they cannot all be true: at most
// one literal of a group is true, and at most c.most of those counted. So the true literals in the
// clauses, with repetition, are at most the sum over the groups of the greatest number of times that
// one of its literals occurs; and each clause needs some (a cutting plane: Cook, Coullard and Turán 1987).
func (c *clauses) tooMany(ctx context.Context, sum [][]int32) bool {
	occurs, most, satisfied, least := map[int32]int{}, map[int32]int{}, 0, 0
	for _, clause := range sum {
		if ctx.Err() != nil || !c.follows(ctx, clause) {
			return false
		}
		least += c.least(clause)
		for _, l := range clause {
			group, together := l, 1
			if c.counted(l) {
				group, together = -1, c.most
			} else if len(c.group[l]) > 0 {
				group = c.group[l][0]
			}
			if occurs[l]++; occurs[l] > most[group] {
				most[group]++
				satisfied += together
			}
		}
	}
	return satisfied < least
}

// counted reports whether a literal is one of those at most c.most of which are true.
func (c *clauses) counted(l int32) bool { return l%2 == 0 && c.first <= l/2 && l/2 < c.last }

// full draws the conclusion once c.most of those are true: the others are false.
func (c *clauses) full() bool {
	for v := c.first; v < c.last && c.count == c.most; v++ {
		c.set(no(v)) // which changes nothing where the value is known
	}
	return c.count <= c.most
}

// set makes a literal true; false if it is false.
func (c *clauses) set(l int32) bool {
	if c.value[l] == 0 {
		c.value[l], c.value[l^1] = 1, -1
		c.trail = append(c.trail, l)
		if c.counted(l) {
			c.count++
		}
	}
	return c.value[l] > 0
}

// propagate draws the conclusions from what is true; it is false at a contradiction.
func (c *clauses) propagate() bool {
	for ; c.done < len(c.trail); c.done++ {
		l := c.trail[c.done]
		for _, m := range c.group[l] {
			if m != l && !c.set(m^1) {
				return false
			}
		}
		if c.counted(l) && !c.full() || !c.visit(l^1) {
			return false
		}
	}
	return true
}

// visit looks at the clauses that watch a literal which has become false.
func (c *clauses) visit(l int32) bool {
	list := c.watching[l]
	keep := list[:0]
	for i, clause := range list {
		if clause[0] == l {
			clause[0], clause[1] = clause[1], l
		}
		k := 2
		for c.value[clause[0]] <= 0 && k < len(clause) && c.value[clause[k]] < 0 {
			k++
		}
		if c.value[clause[0]] <= 0 && k < len(clause) {
			clause[1], clause[k] = clause[k], l
			c.watch(clause[1], clause)
			continue
		}
		keep = append(keep, clause)
		if !c.set(clause[0]) {
			c.watching[l] = append(keep, list[i+1:]...)
			return false
		}
	}
	c.watching[l] = keep
	return true
}
