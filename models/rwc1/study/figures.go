// Package study, internal to unknot, asks about the router of the RWC-1 machine: questions whose answers have
// evidence, and the setups of its paper for the simulator.
package study

import (
	"maps"

	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/spec"
)

// Figures are the machine as the paper describes it, set up twice: under traffic of our own, and with traces that show
// what the paper says about its links.
func Figures() []studies.Figure {
	// The machine of Yokota et al.: 4x16x16 routers, cut-through, FIFOs of 64 words, which hold 8 packets of the
	// maximum length 8; the port is chosen one router ahead, so routing takes no clock, and a packet that has begun
	// is sent to its end. The paper does not give packet lengths: each is equally likely.
	rwc1 := func(name string, flags map[string]string) studies.Figure {
		maps.Copy(flags, map[string]string{
			"switching": "vct", "buffer": "8", "delays": "route=0,cross=1,link=1", "arbiter": "message",
		})
		return studies.Figure{Name: name, Network: "rwc1", Set: map[string]string{"n": "4"}, Flags: flags}
	}
	words := rwc1("rwc-1-links", map[string]string{"clocks": "200000"})
	words.Traces = []studies.Trace{
		{Name: "alone", Events: studies.OneEach(8)},
		{Name: "stream", Events: func(*spec.Network) []simulate.Event { return studies.Burst(0, 0, 1, 1000, 8) }},
	}
	words.Stated = []studies.Stated{
		{
			Sentence: "3.3, 4.2: transfer is pipelined from router to router, and routing takes no time in them",
			Fitted:   true,
			Compare: studies.OfTrace("alone", func(r *simulate.Result) bool {
				// Crossbar and link; no store-and-forward, no routing.
				return studies.Close(r.Total.Mean, 2*(r.Hops+1)+8-1)
			}),
		}, {
			Sentence: "3.2: a word a clock",
			Compare: studies.OfTrace("stream", func(r *simulate.Result) bool {
				return studies.Close(float64(r.Finished), 8*1000)
			}),
		},
	}
	lengths := map[string]string{"length": "1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1", "load": "0.05..0.25"}
	return []studies.Figure{rwc1("rwc-1", lengths), words}
}
