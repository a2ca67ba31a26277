package worms

import (
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
)

// crowd gives each channel that a worm holds, and whose head is not there, a channel that
// the worm goes on to, each to one of them (Hall 1935). A channel that need not be held
// takes itself while no other needs it. Where heads are counted, a worm may
// have its head in the channel instead, as long as the bound is not used up. Where no
// channel is found for one, those that were tried all go on to fewer channels than they are.
type crowd struct {
	f     *formula
	by    []spec.ChannelID // by channel: whose worm goes on to it, or itself; -1 if none
	heads []spec.ChannelID // whose worms have their heads there
	tried []int            // by channel, and for heads: the last attempt that looked there
	now   int              // number of the attempt
	all   []spec.ChannelID // that it found no place for at once
}

// crowded looks for held channels that lead to too few others. It returns a clause that says
// that not all of them are held, or that one leads elsewhere or to a head, which all is
// false now. Linear in the formula for each channel that is held, mostly far less.
func (f *formula) crowded() []sat.Literal {
	c := &crowd{f: f, by: make([]spec.ChannelID, len(f.at)), tried: make([]int, len(f.at)+1)}
	var held []spec.ChannelID
	for i := range f.at {
		c.by[i] = -1
		if c.ends(spec.ChannelID(i)) {
			continue
		}
		switch value := f.Value(sat.Yes(f.occupied[i])); {
		case value > 0:
			held = append(held, spec.ChannelID(i))
		case value == 0:
			c.by[i] = spec.ChannelID(i)
		}
	}
	for _, from := range held {
		c.now, c.all = c.now+1, c.all[:0]
		if !c.place(from) {
			return c.clause()
		}
	}
	return nil
}

// ends reports whether a channel says nothing: no worm can be there, or one may end there
// and is not counted.
func (c *crowd) ends(at spec.ChannelID) bool {
	return len(c.f.at[at]) == 0 || c.f.head == nil && slices.ContainsFunc(c.f.at[at], func(kind int32) bool {
		return c.f.kinds.want[kind] >= 0 && c.f.Value(sat.Yes(c.f.held[kind])) >= 0 && c.f.Value(sat.Yes(c.f.end(kind))) >= 0
	})
}

// place finds a place for a channel's worm to go on to, if need be by moving others (Kuhn 1955).
func (c *crowd) place(from spec.ChannelID) bool {
	c.all = append(c.all, from)
	q := c.f.kinds
	if c.f.head != nil && c.f.Value(sat.Yes(c.f.head[from])) >= 0 {
		if heads := len(c.tried) - 1; c.tried[heads] < c.now {
			c.tried[heads] = c.now
			if most, _ := c.f.Bound(); len(c.heads) < most {
				c.heads = append(c.heads, from)
				return true
			}
			for i, other := range c.heads {
				if c.place(other) {
					c.heads[i] = from
					return true
				}
			}
		}
		if c.f.Value(sat.Yes(c.f.head[from])) > 0 {
			return false
		}
	}
	if c.f.Value(sat.Yes(c.f.occupied[from])) == 0 && c.take(from, from) {
		return true
	}
	for _, kind := range c.f.at[from] {
		if c.f.Value(sat.Yes(c.f.held[kind])) < 0 {
			continue
		}
		for e := q.first[kind]; e < q.first[kind+1]; e++ {
			if c.f.Value(sat.Yes(c.f.hop[e])) >= 0 && c.take(from, q.channel[q.next[e]]) {
				return true
			}
		}
	}
	return false
}

// take gives a channel to another one's worm, if that which has it finds another.
func (c *crowd) take(from, to spec.ChannelID) bool {
	if c.tried[to] == c.now {
		return false
	}
	c.tried[to] = c.now
	if c.by[to] >= 0 && !c.place(c.by[to]) {
		return false
	}
	c.by[to] = from
	return true
}

// clause returns the clause against the channels looked at, and adds it to the proof. What
// leads to channels that were tried is part of the sum, even if it is false now: so
// the clause says more.
func (c *crowd) clause() []sat.Literal {
	f, q := c.f, c.f.kinds
	clause, sum, within := []sat.Literal{}, [][]sat.Literal{}, false
	for _, from := range c.all {
		if f.head != nil && f.Value(sat.Yes(f.head[from])) > 0 {
			clause = append(clause, sat.No(f.head[from]))
			sum = append(sum, []sat.Literal{sat.Yes(f.head[from])})
			within = true
			continue
		}
		var some []sat.Literal
		add := func(l sat.Literal, to spec.ChannelID) {
			switch {
			case f.Gone(l):
			case c.tried[to] == c.now:
				some = append(some, l)
			default:
				clause = append(clause, l)
			}
		}
		add(sat.No(f.occupied[from]), from)
		counted := f.head != nil && f.Value(sat.Yes(f.head[from])) == 0
		if counted {
			some = append(some, sat.Yes(f.head[from]))
			within = true
		}
		for _, kind := range f.at[from] {
			held := sat.Yes(f.held[kind])
			if f.Gone(held) {
				continue
			}
			ends := q.want[kind] >= 0 && !counted && !f.Gone(sat.Yes(f.end(kind)))
			leaves := ends
			for e := q.first[kind]; e < q.first[kind+1]; e++ {
				leaves = leaves || c.tried[q.channel[q.next[e]]] < c.now && !f.Gone(sat.Yes(f.hop[e]))
			}
			if f.Value(held) < 0 && leaves {
				clause = append(clause, held)
				continue
			}
			if ends {
				clause = append(clause, sat.Yes(f.end(kind)))
			}
			for e := q.first[kind]; e < q.first[kind+1]; e++ {
				add(sat.Yes(f.hop[e]), q.channel[q.next[e]])
			}
		}
		sum = append(sum, some)
	}
	if most, by := f.Bound(); within && most < math.MaxInt {
		clause = append(clause, sat.No(by.Variable()))
	}
	slices.Sort(clause)
	clause = slices.Compact(clause)
	if f.proof != nil {
		f.proof.crowded(clause, sum)
	}
	return clause
}
