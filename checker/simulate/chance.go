package simulate

import (
	"math/bits"
	"math/rand/v2"
)

// Random choices of a router depend on the seed, the clock and the lane, not on earlier draws. So the order in which
// regions are simulated does not matter. In a network of one region, VCs are chosen by a single stream of numbers in
// the order of the run, as they always were, so that published measurements remain reproducible.

// chance is a generator of random numbers: splitmix64 (Steele, Lea, Flood 2014).
type chance uint64

// What numbers are drawn for; each use has its own.
const (
	choices = iota // of a VC
	turns          // among the heads at a node
	ranks          // at the crossbar
)

func (c *chance) next() uint64 {
	*c += 0x9e3779b97f4a7c15
	return spread(uint64(*c))
}

// lessThan returns a number lessThan n, each equally likely up to about 2^-32: from the stream, if there is one.
func (c *chance) lessThan(n int, stream *rand.Rand) int {
	if stream != nil {
		return stream.IntN(n)
	}
	x, _ := bits.Mul64(c.next(), uint64(n))
	return int(x)
}

// spread is the finaliser of splitmix64, a bijection in which each output bit depends on all input bits.
func spread(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
