package walk

import (
	"math/bits"

	"github.com/seed-105a2da2/unknot/spec/states"
)

// mixing is the bijection of quotient.go.
type mixing struct {
	first        uint8 // bits of the first word of a state
	bits         uint8 // that are mixed, at most 64
	over         uint8 // bits beyond those, which are only mixed in
	half         uint8
	width        uint8 // of y
	mask         uint64
	back1, back2 uint64
}

// States of up to this many bits are marked in a map of all possible states: at 8 MiB or
// less it is smaller and faster than tables of the states found.
const markBits = 26

const (
	leastQuotient = markBits + 1   // bits of states that are mixed
	mostQuotient  = 64 + shardBits // what is left after choosing the shard fits into a word

	factor1 = 0xd1342543de82ef95
	factor2 = 0xaf251af3b0f025b5
	factor3 = 0x9e3779b97f4a7c15
)

// newMixing returns the bijection of a layout's states; ok is false unless they have
// leastQuotient to mostQuotient bits.
func newMixing(l *states.Layout) (m mixing, ok bool) {
	if l.Words() > 2 {
		return m, false
	}
	used := NewStateCheck(l).used
	first, all := bits.Len64(used[0]), 0
	for _, u := range used {
		all += bits.Len64(u)
	}
	if all < leastQuotient || all > mostQuotient {
		return m, false
	}
	n := min(all, 64)
	return mixing{
		first: uint8(first), bits: uint8(n), over: uint8(all - n), half: uint8(n+1) / 2, width: uint8(all - shardBits),
		mask: 1<<n - 1, back1: inverse(factor1), back2: inverse(factor2),
	}, true
}

// inverse returns the inverse of an odd number modulo 2^64, by Newton's iteration. Three
// bits of the start are right, and each step doubles their number.
func inverse(x uint64) uint64 {
	y := x
	for range 5 {
		y *= 2 - x*y
	}
	return y
}

// fold joins the bits of two words: 64 of them, and those over.
func (m *mixing) fold(a, b uint64) (lo, over uint64) { return a | b<<m.first, b >> (64 - m.first) }

// mix returns the shard of a folded state, and y.
func (m *mixing) mix(lo, over uint64) (shard int, y uint64) {
	lo = (lo ^ over*factor3) * factor1 & m.mask
	lo = (lo ^ lo>>(m.half&63)) * factor2 & m.mask
	return int(lo >> ((m.bits - shardBits) & 63)), lo&(m.mask>>shardBits)<<(m.over&63) | over
}

// of is mix for the words of a state.
func (m *mixing) of(s []uint64) (shard int, y uint64) {
	if len(s) == 1 {
		return m.mix(s[0], 0)
	}
	return m.mix(m.fold(s[0], s[1]))
}

// state appends the words of the state that mix maps to shard and y: the inverse of of.
func (m *mixing) state(dst []uint64, shard int, y uint64) []uint64 {
	over := y & (1<<(m.over&63) - 1)
	lo := (y>>(m.over&63) | uint64(shard)<<((m.bits-shardBits)&63)) * m.back2 & m.mask
	lo = (lo ^ lo>>(m.half&63)) * m.back1 & m.mask
	lo ^= over * factor3 // a no-op without bits over
	if m.over == 0 {
		return append(dst, lo)
	}
	return append(dst, lo&(1<<m.first-1), lo>>m.first|over<<(64-m.first))
}

// wholeMixing returns a bijection on numbers of some bits, the first of which are one number; see whole.
func wholeMixing(first, all uint8) mixing {
	return mixing{
		first: first, bits: all, half: (all + 1) / 2, width: all, mask: 1<<all - 1,
		back1: inverse(factor1), back2: inverse(factor2),
	}
}

// whole mixes a number, without a shard.
func (m *mixing) whole(x uint64) (y uint64) {
	x = x * factor1 & m.mask
	return (x ^ x>>(m.half&63)) * factor2 & m.mask
}

// unmixed is the inverse of whole.
func (m *mixing) unmixed(y uint64) (x uint64) {
	y = y * m.back2 & m.mask
	return (y ^ y>>(m.half&63)) * m.back1 & m.mask
}
