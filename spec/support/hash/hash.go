// Package hash, internal to unknot, mixes numbers: for tables in memory, digests of what is compared, and random
// choices that a seed decides. None of it withstands an adversary.
package hash

import "math/bits"

const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio

// Mix adds x to a hash by a multiplication whose halves are folded (wyhash: Wang 2019). It is the fastest, and weak for
// few and regular values of x: end with Finish if low bits choose a slot.
func Mix(h, x uint64) uint64 {
	hi, lo := bits.Mul64(h^x^golden, 0xd1342543de82ef95)
	return hi ^ lo
}

// Words adds the words of a state, or of any list, to a hash.
func Words[T ~int | ~int32 | ~uint32 | ~uint64](h uint64, words []T) uint64 {
	for _, x := range words {
		h = Mix(h, uint64(x))
	}
	return h
}

// Finish is the finaliser of splitmix64 (Steele, Lea and Flood 2014), a bijection in which each output bit depends on
// all input bits.
func Finish(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Digest adds x to a digest so that each bit depends on all bits of both.
func Digest(digest, x uint64) uint64 { return Finish(digest ^ (x + golden)) }

// SplitMix is the random generator of that name. Its value is its state: two with one value draw the same numbers.
type SplitMix uint64

// Draw returns the next number; each of the 2^64 comes once in a period.
func (s *SplitMix) Draw() uint64 {
	*s += golden
	return Finish(uint64(*s))
}
