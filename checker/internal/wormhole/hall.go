package wormhole

import (
	"math"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/sat"
	"github.com/seed-105a2da2/unknot/spec"
)

// hallMatching matches each held channel whose worm has its head elsewhere to a channel that the worm
// goes on to, no channel twice (Hall 1935). A channel that need not be held is matched to
// itself while no other needs it. Where heads are counted, a worm may instead have its head in
// the channel, as long as the bound is not used up. If a channel cannot be matched, all the
// channels tried go on to fewer channels than they are.
type hallMatching struct {
	f       *formula
	places  []counterpart    // by channel
	triedIn []int            // by channel, then one for heads: the last attempt that looked there
	heads   []spec.ChannelID // matched as heads
	all     []spec.ChannelID // from which this attempt looked for a place
	round   int              // number of the call
	attempt int              // number of the attempt
	work    int64            // literals looked at in this call
	failed  int64            // in all calls that found nothing
}

// counterpart is what is known of a channel. Most of it holds again at the next call, so it is tried first.
type counterpart struct {
	by       spec.ChannelID // the channel matched to it, perhaps itself; -1 if none
	round    int            // the call that found this out
	end      int32          // kind of a worm that may end there
	from, to int32          // kind of its worm, and the hop that it was matched by last
}

// mostFailed is the number of literals that may be looked at without effect for each propagated one, which costs
// about ten times as much: a clause found as soon as a decision makes it false keeps the proof short.
const mostFailed = 32

// violator looks for held channels that lead to too few others. It returns a clause, false now, that
// says that not all of them are held, or that one leads elsewhere or to a head. It returns nil if it
// finds none, or has failed too often. At worst it looks at the formula for each held channel,
// but mostly at little more than these channels.
func (c *hallMatching) violator() (clause []sat.Literal, node int32) {
	f := c.f
	most := int64(1000 + 4*len(f.hop))
	// where heads are counted, unit propagation finds mostly the same: without this, tori take a tenth less
	if f.head == nil || f.kinds.loose {
		most += mostFailed * f.Visits
	}
	if c.failed > most {
		return nil, 0
	}
	c.round, c.heads, c.work = c.round+1, c.heads[:0], int64(len(f.at)/8)
	for i := range f.at {
		if v := f.occupied[i]; v < 0 || !f.IsTrue(v) || c.uncounted(spec.ChannelID(i)) {
			continue
		}
		c.attempt, c.all = c.attempt+1, c.all[:0]
		if !c.match(spec.ChannelID(i)) {
			return c.clause()
		}
	}
	c.failed += c.work
	return nil, 0
}

func newHallMatching(f *formula) *hallMatching {
	c := &hallMatching{f: f, places: make([]counterpart, len(f.at)), triedIn: make([]int, len(f.at)+1)}
	for i, kinds := range f.at {
		c.places[i].to = -1
		if len(kinds) > 0 {
			c.places[i].end = kinds[0]
		}
	}
	return c
}

// uncounted reports whether a channel adds nothing to the count: no worm can be there, or one may end
// there without being counted.
func (c *hallMatching) uncounted(at spec.ChannelID) bool {
	if len(c.f.at[at]) == 0 || c.f.head != nil {
		return len(c.f.at[at]) == 0
	}
	if c.mayEnd(c.places[at].end) {
		return true
	}
	i := slices.IndexFunc(c.f.at[at], c.mayEnd)
	if i >= 0 {
		c.places[at].end = c.f.at[at][i]
	}
	return i >= 0
}

func (c *hallMatching) mayEnd(kind int32) bool {
	c.work++
	return c.f.kinds.want[kind] >= 0 && c.f.Value(sat.Yes(c.f.held[kind])) >= 0 &&
		c.f.Value(sat.Yes(c.f.headVariable(kind))) >= 0
}

// match finds a place for a channel's worm to go on to, moving others if need be (Kuhn 1955).
func (c *hallMatching) match(from spec.ChannelID) bool {
	c.all = append(c.all, from)
	q := c.f.kinds
	if c.f.head != nil && c.f.Value(sat.Yes(c.f.head[from])) >= 0 {
		if heads := len(c.triedIn) - 1; c.triedIn[heads] < c.attempt {
			c.triedIn[heads] = c.attempt
			if most, _ := c.f.Bound(); len(c.heads) < most {
				c.heads = append(c.heads, from)
				return true
			}
			for i, other := range c.heads {
				if c.match(other) {
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
	at := &c.places[from]
	if at.to >= 0 && c.follow(from, at.from, at.to) {
		return true
	}
	for _, kind := range c.f.at[from] {
		c.work++
		if c.f.Value(sat.Yes(c.f.held[kind])) < 0 {
			continue
		}
		for e, end := q.Edges(kind); e < end; e++ {
			if c.follow(from, kind, e) {
				at.from, at.to = kind, e
				return true
			}
		}
	}
	return false
}

// follow lets a channel's worm go on by a hop from one of its kinds.
func (c *hallMatching) follow(from spec.ChannelID, kind, hop int32) bool {
	c.work++
	return c.f.Value(sat.Yes(c.f.hop[hop])) >= 0 && c.f.Value(sat.Yes(c.f.held[kind])) >= 0 &&
		c.take(from, c.f.kinds.channel[c.f.kinds.To[hop]])
}

// take gives channel to to the worm of from, if the one that has it finds another.
func (c *hallMatching) take(from, to spec.ChannelID) bool {
	if c.triedIn[to] == c.attempt {
		return false
	}
	c.triedIn[to] = c.attempt
	at := &c.places[to]
	if at.round < c.round {
		at.by, at.round = -1, c.round
		if c.f.Value(sat.Yes(c.f.occupied[to])) == 0 && !c.uncounted(to) {
			at.by = to
		}
	}
	if at.by >= 0 && !c.match(at.by) {
		return false
	}
	at.by = from
	return true
}

// clause returns the clause against the channels looked at, and adds it to the proof. Hops
// to channels that were tried are part of the sum even if they are false now: that makes
// the clause stronger.
func (c *hallMatching) clause() (clause []sat.Literal, node int32) {
	f, q := c.f, c.f.kinds
	clause = []sat.Literal{}
	var sum [][]sat.Literal
	var gone []sat.Literal
	isGone := func(l sat.Literal) bool {
		if f.Gone(l) {
			gone = append(gone, l)
		}
		return f.Gone(l)
	}
	within := false
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
			case isGone(l):
			case c.triedIn[to] == c.attempt:
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
			if isGone(held) {
				continue
			}
			ends := q.want[kind] >= 0 && !counted && !isGone(sat.Yes(f.headVariable(kind)))
			leaves := ends
			for e, end := q.Edges(kind); e < end; e++ {
				leaves = leaves || c.triedIn[q.channel[q.To[e]]] < c.attempt && !isGone(sat.Yes(f.hop[e]))
			}
			if f.Value(held) < 0 && leaves {
				clause = append(clause, held)
				continue
			}
			if ends {
				clause = append(clause, sat.Yes(f.headVariable(kind)))
			}
			for e, end := q.Edges(kind); e < end; e++ {
				add(sat.Yes(f.hop[e]), q.channel[q.To[e]])
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
		node = f.SettledNode(gone)
		f.proof.addSum(clause, sum, node)
	}
	return clause, node
}
