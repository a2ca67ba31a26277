package bubbles

import (
	"io"
	"math"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
)

// Read reads the written form of a certificate. It is text, one field a line in this order:
//
//	unknot-bubbles 1
//	network DIGEST
//	scenario whole packets|bubble N
//	levels COUNT
//	sets COUNT
//	free COUNT
//	channels COUNT
//	...
//	end
//
// The counts of levels and channels are followed by that many numbers, 32 a line, separated by single spaces. The
// lines free and channels stand there once for each set. A certificate has one written form, and no other is read.
// Memory is bounded by the text, whatever counts it claims. Errors are *spec.PosError with the given file name.
func Read(file string, r io.Reader) (*Certificate, error) {
	l := lines.New(file, r, "unknot-bubbles 1")
	c := &Certificate{Network: l.Network()}
	sc, err := spec.ParseScenario(l.Field("scenario"))
	if c.Bubble = sc.Bubble; err != nil {
		l.Fail("%v", err)
	} else if !sc.Equal(c.Scenario()) || c.Bubble == 1 {
		l.Fail("scenario %s: want whole packets, or a bubble of at least 2 and nothing else", sc)
	}
	c.Levels = l.List("levels")
	for range l.Number(l.Field("sets"), 0, math.MaxInt32) {
		s := Set{Free: l.Number(l.Field("free"), 1, math.MaxInt32)}
		for _, d := range l.List("channels") {
			s.Channels = append(s.Channels, spec.ChannelID(d))
		}
		if l.Err() != nil {
			break
		}
		c.Sets = append(c.Sets, s)
	}
	return lines.End(l, c)
}
