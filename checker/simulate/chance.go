package simulate

import (
	"math/bits"
	"math/rand/v2"

	"github.com/seed-105a2da2/unknot/spec/support/hash"
)

// Random choices of a router depend on the seed, the clock and the lane, not on earlier draws. So the order in which
// regions are simulated does not matter. In a network of one region, VCs are chosen by a single stream of numbers in
// the order of the run, as they always were, so that published measurements remain reproducible.

// chance is a generator of random numbers.
type chance hash.SplitMix

// What numbers are drawn for; each use has its own.
const (
	choices     = iota // of a VC
	turns              // among the heads at a node
	ranks              // at the crossbar
	commitments        // to an alternative
)

func (c *chance) draw() uint64 { return (*hash.SplitMix)(c).Draw() }

// lessThan returns a number below n, each equally likely up to about 2^-32: from the stream, if there is one.
func (c *chance) lessThan(n int, stream *rand.Rand) int {
	if stream != nil {
		return stream.IntN(n)
	}
	x, _ := bits.Mul64(c.draw(), uint64(n))
	return int(x)
}
