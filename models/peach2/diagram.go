package peach2

import (
	"math/bits"

	"github.com/seed-105a2da2/unknot/spec"
)

// Design of the exact decision over a whole window.
//
// A function of the address (which ports match, whose address it is) is kept as
// an ordered decision diagram: a node asks one bit of the address, highest bit
// first, and a leaf is the function's value. Equal nodes are stored once and a
// node that does not care is left out, so that equal functions are the same
// node, and the size depends on where decisions change, not on the window.
//
// A diagram is made from registers by reading addresses bit by bit, highest
// first: of a register it is enough to know whether it has matched for good,
// has failed for good, or still agrees with its lower bound, its upper bound or
// both. States of all registers together are remembered by level. Registers that
// all mask the same low bits away have at most two states more than there are
// bounds, so a level is as small as the list; with masks of any form a pair of
// registers still has at most 25 states a level, but a long list may have
// exponentially many, and no method can avoid that in general: "no gap" is the
// tautology of a disjunction of bit patterns, which is co-NP-complete. The size
// is bounded; beyond the bound there is a *spec.BoundError, never an answer.

// beyond is the error of a decision over a window that needs more memory than
// is allowed.
func beyond(limit int) error {
	return &spec.BoundError{What: "states or nodes of a decision diagram that the registers need", Limit: limit}
}

// ref is a diagram: a node's number, or, if it is negative, the leaf with value -1-ref.
type ref int32

func leaf(value int) ref   { return ref(-1 - value) }
func (f ref) isLeaf() bool { return f < 0 }
func (f ref) value() int   { return int(-1 - f) }

type node struct {
	bit    int8 // that the node asks
	lo, hi ref
}

// space holds the diagrams over the addresses of so many bits.
type space struct {
	bits   int
	nodes  []node
	unique map[node]ref
	limit  int // nodes, and states of registers in one construction; tests lower it
}

const usualLimit = 1 << 20

func newSpace(bits int) *space {
	return &space{bits: bits, unique: map[node]ref{}, limit: usualLimit}
}

func (s *space) node(bit int, lo, hi ref) (ref, error) {
	if lo == hi {
		return lo, nil
	}
	k := node{int8(bit), lo, hi}
	if f, ok := s.unique[k]; ok {
		return f, nil
	}
	if len(s.nodes) >= s.limit {
		return 0, beyond(s.limit)
	}
	f := ref(len(s.nodes))
	s.nodes = append(s.nodes, k)
	s.unique[k] = f
	return f, nil
}

// branches returns what f becomes when a bit, the highest not yet read, is 0 and 1.
func (s *space) branches(f ref, bit int) (lo, hi ref) {
	if f.isLeaf() || int(s.nodes[f].bit) != bit {
		return f, f
	}
	return s.nodes[f].lo, s.nodes[f].hi
}

// What is known of a register after the high bits of an address.
const (
	failed  = iota
	matched // whatever the low bits are
	both    // the high bits are those of Lower and of Upper
	lower   // those of Lower, less than those of Upper
	upper   // those of Upper, more than those of Lower
)

// matches returns the diagram of value(m), where m tells which of the registers
// match the address.
func (s *space) matches(registers []Register, value func(m []bool) int) (ref, error) {
	const mostBytes = 1 << 28 // of remembered states, a byte a register
	c := &construction{space: s, registers: registers, value: value, memo: make([]map[string]ref, s.bits+1)}
	c.most = min(s.limit, mostBytes/max(1, len(registers)))
	for i := range c.memo {
		c.memo[i] = map[string]ref{}
	}
	start := make([]byte, len(registers))
	for i, r := range registers {
		start[i] = both
		switch over := bits.Len64(r.Upper) > s.bits; {
		case r.Lower > r.Upper || bits.Len64(r.Lower) > s.bits:
			start[i] = failed
		case over && r.Lower == 0:
			start[i] = matched
		case over:
			start[i] = lower
		}
	}
	return c.build(s.bits, start)
}

type construction struct {
	*space
	registers []Register
	value     func([]bool) int
	memo      []map[string]ref // by bits left, then by states
	states    int              // remembered
	most      int
}

func (c *construction) build(left int, states []byte) (ref, error) {
	settled := true
	for _, x := range states {
		settled = settled && x <= matched
	}
	if settled || left == 0 {
		m := make([]bool, len(states))
		for i, x := range states {
			m[i] = x != failed // what agrees with a bound to the end is within it
		}
		return leaf(c.value(m)), nil
	}
	key := string(states)
	if f, ok := c.memo[left][key]; ok {
		return f, nil
	}
	if c.states++; c.states > c.most {
		return 0, beyond(c.most)
	}
	var branch [2]ref
	for b := range branch {
		next := make([]byte, len(states))
		for i, x := range states {
			next[i] = step(c.registers[i], x, left-1, uint64(b))
		}
		f, err := c.build(left-1, next)
		if err != nil {
			return 0, err
		}
		branch[b] = f
	}
	f, err := c.node(left-1, branch[0], branch[1])
	if err == nil {
		c.memo[left][key] = f
	}
	return f, err
}

// step reads one bit of an address.
func step(r Register, state byte, bit int, b uint64) byte {
	b &= r.Mask >> bit & 1
	l, u := r.Lower>>bit&1, r.Upper>>bit&1
	switch state {
	case both:
		switch {
		case b < l || b > u:
			return failed
		case l == u:
			return both
		case b == l:
			return lower
		}
		return upper
	case lower:
		switch {
		case b < l:
			return failed
		case b > l:
			return matched
		}
	case upper:
		switch {
		case b > u:
			return failed
		case b < u:
			return matched
		}
	}
	return state
}

// pair returns the diagram of value(f's value, g's value).
func (s *space) pair(f, g ref, value func(a, b int) int) (ref, error) {
	memo := map[[2]ref]ref{}
	var build func(f, g ref) (ref, error)
	build = func(f, g ref) (ref, error) {
		if f.isLeaf() && g.isLeaf() {
			return leaf(value(f.value(), g.value())), nil
		}
		if h, ok := memo[[2]ref{f, g}]; ok {
			return h, nil
		}
		bit := int8(-1)
		if !f.isLeaf() {
			bit = s.nodes[f].bit
		}
		if !g.isLeaf() {
			bit = max(bit, s.nodes[g].bit)
		}
		f0, f1 := s.branches(f, int(bit))
		g0, g1 := s.branches(g, int(bit))
		lo, err := build(f0, g0)
		if err != nil {
			return 0, err
		}
		hi, err := build(f1, g1)
		if err != nil {
			return 0, err
		}
		if len(memo) >= s.limit {
			return 0, beyond(s.limit)
		}
		h, err := s.node(int(bit), lo, hi)
		if err == nil {
			memo[[2]ref{f, g}] = h
		}
		return h, err
	}
	return build(f, g)
}

// count returns the number of addresses whose value is wanted.
func (s *space) count(f ref, want func(value int) bool) uint64 {
	memo := map[ref]uint64{} // over the bits up to the node's own
	// over counts f over so many bits.
	var over func(f ref, bits int) uint64
	over = func(f ref, bits int) uint64 {
		if f.isLeaf() {
			if want(f.value()) {
				return 1 << bits
			}
			return 0
		}
		n := s.nodes[f]
		c, ok := memo[f]
		if !ok {
			c = over(n.lo, int(n.bit)) + over(n.hi, int(n.bit))
			memo[f] = c
		}
		return c << (bits - 1 - int(n.bit))
	}
	return over(f, s.bits)
}

// lowest returns the lowest address from the given one on whose value is wanted.
func (s *space) lowest(f ref, from uint64, want func(value int) bool) (uint64, bool) {
	if bits.Len64(from) > s.bits {
		return 0, false
	}
	has := s.having(want)
	var find func(f ref, left int, prefix uint64, bound bool) (uint64, bool)
	find = func(f ref, left int, prefix uint64, bound bool) (uint64, bool) {
		if !has(f) {
			return 0, false
		}
		if left == 0 {
			return prefix, true
		}
		bit := left - 1
		lo, hi := s.branches(f, bit)
		if !bound || from>>bit&1 == 0 {
			if a, ok := find(lo, bit, prefix, bound); ok {
				return a, true
			}
			bound = false
		}
		return find(hi, bit, prefix|1<<bit, bound)
	}
	return find(f, s.bits, 0, true)
}

// having reports whether a diagram has a wanted value.
func (s *space) having(want func(int) bool) func(ref) bool {
	memo := map[ref]bool{}
	var has func(f ref) bool
	has = func(f ref) bool {
		if f.isLeaf() {
			return want(f.value())
		}
		b, ok := memo[f]
		if !ok {
			b = has(s.nodes[f].lo) || has(s.nodes[f].hi)
			memo[f] = b
		}
		return b
	}
	return has
}

// interval returns the first maximal run of addresses with wanted values.
func (s *space) interval(f ref, want func(value int) bool) (first, last uint64, ok bool) {
	first, ok = s.lowest(f, 0, want)
	if !ok {
		return 0, 0, false
	}
	end, more := s.lowest(f, first, func(v int) bool { return !want(v) })
	if !more {
		end = 1 << s.bits
	}
	return first, end - 1, true
}

// at returns the value of one address.
func (s *space) at(f ref, address uint64) int {
	for !f.isLeaf() {
		n := s.nodes[f]
		if f = n.lo; address>>n.bit&1 == 1 {
			f = n.hi
		}
	}
	return f.value()
}
