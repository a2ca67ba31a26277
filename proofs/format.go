package proofs

import (
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// The written form of a certificate is text, one field a line in this order:
//
//	unknot-certificate 2
//	network DIGEST
//	property deadlock-freedom|livelock-freedom|delivery|no-discard
//	switching store-and-forward|virtual-cut-through|wormhole
//	kind rank|escape|extended-escape|measure|arrival|no-discard
//	once COUNT        source, destination and class of each flow; only if there are any
//	rank COUNT
//	held COUNT
//	measure COUNT
//	end
//
// Each COUNT is followed by that many integers from 0 to 2147483647, 32 a line,
// separated by single spaces. Read accepts no other form. Numbers that follow from the network
// may be left out, with COUNT 0 (derived.go), so the same may be shown with them and without.

const formatLine = "unknot-certificate 2"

var kindNames = [...]string{
	"kind(?)", Rank: "rank", Escape: "escape", ExtendedEscape: "extended-escape", Measure: "measure",
	Arrival: "arrival", NoDiscard: "no-discard", "kind(?)",
}

// String returns the kind's name in the written form, such as "extended-escape".
func (k Kind) String() string { return kindNames[min(k, NoDiscard+1)] }

// Read reads the written form. Memory is bounded by the text, whatever counts
// it claims. Errors are *spec.PosError with the given file name.
func Read(file string, r io.Reader) (*Certificate, error) {
	l := lines.New(file, r, formatLine)
	c := &Certificate{Network: l.Network(), Property: l.Property()}
	var ok bool
	name := l.Field("switching")
	if c.Switching, ok = spec.ParseSwitching(name); !ok {
		l.Fail("invalid switching %.40q: want store-and-forward, virtual-cut-through or wormhole", name)
	}
	name = l.Field("kind")
	if c.Kind = Kind(max(0, slices.Index(kindNames[:], name))); c.Kind == 0 {
		l.Fail("invalid kind of certificate %.40q: want %s", name, words.OneOf(kindNames[Rank:NoDiscard+1]))
	}
	if strings.HasPrefix(l.Peek(), "once ") {
		flows := l.List("once")
		if len(flows) == 0 || len(flows)%3 > 0 {
			l.Fail("%d numbers once: want three for each flow", len(flows))
		}
		for f := range slices.Chunk(flows, 3) {
			if len(f) == 3 {
				c.Once = append(c.Once, spec.Flow{
					Source: spec.NodeID(f[0]), Target: spec.Target{Dest: spec.NodeID(f[1]), Class: spec.Class(f[2])},
				})
			}
			if f[len(f)-1] > math.MaxUint16 {
				l.Fail("class %d: want at most %d", f[len(f)-1], math.MaxUint16)
			}
		}
	}
	c.Rank, c.Held, c.Measure = l.List("rank"), l.List("held"), l.List("measure")
	return lines.End(l, c)
}
