package liveness

import (
	"context"
	"maps"
	"math/bits"
	"slices"
	"sync"

	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/walk"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/deadline"
	"github.com/seed-105a2da2/unknot/spec/support/each"
)

// Deciding a response by the values of a few variables, and by graphs of some of the states, one after the other.
//
// The variables are those that tell whether the response is pending, and others set only by the same actions. A pass
// over the states takes the steps of these actions alone and looks nothing up. It makes the graph of the joint values
// of the variables in open states, and its components.
//
// A latch adds one bit to a value: whether a field differs from a value that no other action gives it.
//
// Soundness: all other steps keep the values, except that they may set a latch; the graph of values has these
// changes, too. So a strongly connected part of the state graph has values of one component. And if a fair action is
// possible in all states with values of a component, and none of its steps leads from one of them to another, no fair
// run stays among these: they are dropped. The rest is decided component by component. A graph that has all states
// with values of some components, and all their steps, has every part among them, and tells what is possible in its
// states. If no fair run stays in any, the response holds; otherwise the whole graph is needed.

// Local is what a response directly depends on.
type Local struct {
	// takes all steps of some actions, and no others, from states of the whole machine
	walk.Machine
	Labels  func(dst []int32, s []uint64) []int32 // appends the label of each successor
	Actions []int                                 // by label
	// changed by no other action; they tell whether the response is pending
	Fields  []states.Field
	Latches []Latch
}

// Latch is a field and a value that no other action gives it.
type Latch struct {
	Field states.Field
	Value uint64
}

// Bits bounds the bits of all fields together, each latch counting as one.
const Bits = 16

// leastGraph is how many states a graph gets before another one is begun.
const leastGraph = 1 << 17

type local struct {
	*Space
	by      Local
	pending func(s []uint64) bool
	places  []valuePlace
	latches []latchPlace
	at      uint     // bits of a value, without latches
	action  []uint64 // by label: its bit
	fair    uint64   // the bits of fair actions
	least   int64    // a graph gets this many states before another one is begun
	graphs  []*some  // those to be decided
	of      []int32  // by value: which of them; -1: none
}

// valuePlace is the place of a field in a state, and in a value.
type valuePlace struct {
	word      int
	shift, at uint
	mask      uint64
}

// latchPlace is the place of a latch's field in a state.
type latchPlace struct {
	word        int
	shift       uint
	mask, value uint64
}

// DecideLocally decides the k-th response if no fair run keeps it pending and what it depends on shows that at less
// cost than the whole graph; otherwise it returns nil. It takes peak bytes, space included, at most memory (0: no
// bound).
func DecideLocally(ctx context.Context, s *Space, k int, by Local, memory int64) (_ *Answer, peak int64, _ error) {
	x := &local{Space: s, by: by, least: leastGraph}
	a, err := x.decide(ctx, k, func(left, largest int64) bool {
		states := s.Space.Numbered() + left*int64(s.Machine.Layout().Words())*8
		peak = states + graphBytes(largest, s.Steps/s.States()*largest) + largest*tableBytes
		return (left <= s.States()*3/4 || largest <= s.States()/2) && (memory == 0 || peak <= memory)
	})
	return a, peak, err
}

// decide is DecideLocally, given worth, which reports whether graphs pay that have this many states in all and in the
// largest.
func (x *local) decide(ctx context.Context, k int, worth func(left, largest int64) bool) (*Answer, error) {
	s := x.Space
	x.pending = s.Claims.Responses[k].Pending
	if s.Claims.Responses[k].Answered != nil || !x.prepare() {
		return nil, nil
	}
	met, err := x.look(ctx)
	if err != nil {
		return nil, err
	}
	left, largest := x.divide(met)
	if !worth(left, largest) {
		return nil, nil
	}
	if err := x.collect(ctx); err != nil {
		return nil, err
	}
	for i, g := range x.graphs {
		part := *s
		part.Partial, part.Ranked, part.Steps = true, false, s.Steps/s.States()*g.states+1
		graph, err := newGraph(ctx, part, newTable(s.Machine.Layout().Words(), g.all))
		if err != nil {
			return nil, err
		}
		if waits, err := graph.waits(ctx, k); waits || err != nil {
			return nil, err
		}
		x.graphs[i] = nil
	}
	return &Answer{Vacuous: !slices.ContainsFunc(met.count, func(n int64) bool { return n > 0 })}, nil
}

// prepare reports whether values and actions are few enough, and lays out the values.
func (x *local) prepare() bool {
	at := uint(0)
	for _, f := range x.by.Fields {
		word, shift, mask := f.Place()
		x.places = append(x.places, valuePlace{word, shift, at, mask})
		at += uint(bits.Len64(mask))
	}
	for _, l := range x.by.Latches {
		word, shift, mask := l.Field.Place()
		x.latches = append(x.latches, latchPlace{word, shift, mask, l.Value})
	}
	x.at = at
	at += uint(len(x.latches))
	numbers := map[int]int{}
	for _, a := range x.by.Actions {
		if _, known := numbers[a]; !known {
			numbers[a] = len(numbers)
		}
		bit := uint64(1) << (numbers[a] & 63)
		x.action = append(x.action, bit)
		if x.Claims.IsFair(a) {
			x.fair |= bit
		}
	}
	x.of = make([]int32, 1<<min(at, Bits))
	return at <= Bits && len(numbers) <= 64
}

// value returns the joint value of the fields, and above it a bit for each latch that is set.
func (x *local) value(s []uint64) (v uint32) {
	for i := range x.places {
		p := &x.places[i]
		v |= uint32(s[p.word]>>(p.shift&63)&p.mask) << (p.at & 31)
	}
	for i := range x.latches {
		if l := &x.latches[i]; s[l.word]>>(l.shift&63)&l.mask != l.value {
			v |= 1 << ((x.at + uint(i)) & 31)
		}
	}
	return v
}

// values is what a worker has seen.
type values struct {
	open   []uint8  // by value: whether states with it are open; 0: not asked yet
	count  []int64  // by value: open states with it
	always []uint64 // by value: actions possible in all of these
	// by two values: actions with steps from open states with the first to states with the second
	taken  map[uint64]uint64
	recent [1 << 8][2]uint64 // some of taken
}

const (
	isOpen = 1 + iota
	isClosed
)

func newValues(n int) *values {
	return &values{
		open: make([]uint8, n), count: make([]int64, n), always: slices.Repeat([]uint64{^uint64(0)}, n),
		taken: map[uint64]uint64{},
	}
}

// asks reports whether a state with a value is open.
func (m *values) asks(v uint32, s []uint64, pending func(s []uint64) bool) bool {
	if m.open[v] == 0 {
		if m.open[v] = isClosed; pending(s) {
			m.open[v] = isOpen
		}
	}
	return m.open[v] == isOpen
}

// take records a step.
func (m *values) take(from, to uint32, action uint64) {
	pair := uint64(from)<<32 | uint64(to)
	r := &m.recent[(from*31+to)&uint32(len(m.recent)-1)]
	if r[0] != pair || r[1]&action == 0 {
		m.taken[pair] |= action
		*r = [2]uint64{pair, m.taken[pair]}
	}
}

// look finds which values open states have, and what steps of the actions do to them.
func (x *local) look(ctx context.Context) (*values, error) {
	const parts = 64
	met := make([]*values, max(1, x.Workers))
	for i := range met {
		met[i] = newValues(len(x.of))
	}
	err := each.Do(context.Background(), len(met), parts, func(worker, part int) (err error) {
		m := met[worker]
		var next []uint64
		var labels []int32
		n := 0
		x.Each(part, parts, func(s []uint64) bool {
			n++
			v := x.value(s)
			if !m.asks(v, s, x.pending) {
				return !deadline.Passed(ctx, n)
			}
			m.count[v]++
			if next, err = x.by.AppendSuccessors(next[:0], s); err != nil {
				return false
			}
			labels = x.by.Labels(labels[:0], s)
			possible := uint64(0)
			for k, l := range labels {
				after := next[k*len(s):][:len(s)]
				to := x.value(after)
				possible |= x.action[l]
				if m.asks(to, after, x.pending) {
					m.take(v, to, x.action[l])
				}
			}
			m.always[v] &= possible
			return !deadline.Passed(ctx, n)
		})
		if err == nil {
			err = ctx.Err()
		}
		return err
	})
	for _, m := range met[1:] {
		for v := range m.count {
			met[0].count[v] += m.count[v]
			met[0].always[v] &= m.always[v]
		}
		for pair, actions := range m.taken {
			met[0].taken[pair] |= actions
		}
	}
	return met[0], err
}

// some are the states that one graph is made of.
type some struct {
	states int64
	all    []uint64 // their words
}

// divide finds the values that no fair run stays with, and divides the others among graphs. It returns how many states
// these have, in all and in the largest.
func (x *local) divide(met *values) (left, largest int64) {
	pairs := slices.Sorted(maps.Keys(met.taken)) // components are numbered by their order
	values := graph.Collect(len(met.count), func(add func(from, to int32)) {
		for _, pair := range pairs {
			add(int32(pair>>32), int32(uint32(pair)))
		}
		above := uint32(1<<len(x.latches)-1) << x.at
		for v := range uint32(len(met.count)) { // other actions may set latches
			if met.count[v] == 0 {
				continue
			}
			free := ^v & above
			for more := free; more != 0; more = (more - 1) & free {
				if met.count[v|more] > 0 {
					add(int32(v), int32(v|more))
				}
			}
		}
	})
	var c graph.Components
	c.Find(values)
	taken := make([]uint64, c.Count())
	for pair, actions := range met.taken {
		if from, to := c.Of[pair>>32], c.Of[uint32(pair)]; from == to {
			taken[from] |= actions
		}
	}
	for i := range c.Count() {
		always, states := x.fair, int64(0)
		for _, v := range c.Component(int32(i)) {
			if x.of[v] = -1; met.count[v] > 0 {
				always &= met.always[v]
				states += met.count[v]
			}
		}
		if states == 0 || always&^taken[i] != 0 {
			continue
		}
		if last := len(x.graphs) - 1; last < 0 || x.graphs[last].states >= x.least || states >= x.least {
			x.graphs = append(x.graphs, &some{})
		}
		last := len(x.graphs) - 1
		x.graphs[last].states += states
		left, largest = left+states, max(largest, x.graphs[last].states)
		for _, v := range c.Component(int32(i)) {
			if met.count[v] > 0 {
				x.of[v] = int32(last)
			}
		}
	}
	return left, largest
}

// collect gives the graphs their states.
func (x *local) collect(ctx context.Context) error {
	const parts, few = 64, 1 << 9
	var mu sync.Mutex
	words := x.Machine.Layout().Words()
	for _, g := range x.graphs {
		g.all = make([]uint64, 0, g.states*int64(words))
	}
	return eachPart(x.Workers, parts, func(part int) error {
		own, n := make([][]uint64, len(x.graphs)), 0
		give := func(i int) {
			mu.Lock()
			x.graphs[i].all = append(x.graphs[i].all, own[i]...)
			mu.Unlock()
			own[i] = own[i][:0]
		}
		x.Each(part, parts, func(s []uint64) bool {
			if i := x.of[x.value(s)]; i >= 0 {
				if own[i] = append(own[i], s...); len(own[i]) >= few {
					give(int(i))
				}
			}
			n++
			return !deadline.Passed(ctx, n)
		})
		for i := range own {
			give(i)
		}
		return ctx.Err()
	})
}
