// Package study, internal to unknot, asks about the processing power plane: questions whose answers have evidence, and
// the setups of its paper for the simulator.
package study

import (
	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/spec"
)

// Figures are the machine as the paper describes it, set up twice: under traffic of our own, and with traces that show
// what the paper says about its links.
func Figures() []studies.Figure {
	// Multi-PSI/V2 (Takeda et al.): 8x8 PEs, byte by byte through buffers of 48; a flit is a byte, a clock 200 ns at
	// 5 MB/s. The buffers are FIFOs, so a packet follows the tail of another. The paper does not give packet lengths
	// or router delays: we take three clocks, none between packets, 32 bytes. Regions are equal, ties are broken
	// horizontally.
	psi := studies.Figure{
		Name: "multi-psi", Network: "p3",
		Set: map[string]string{"columns": "8", "rows": "8", "variant": "horizontal"},
		Flags: map[string]string{
			"switching": "wormhole", "buffer": "48", "shared": "true", "delays": "route=0,cross=1,link=2",
			"length": "32",
		},
	}
	channels := psi
	channels.Name = "multi-psi-links"
	channels.Traces = []studies.Trace{
		{Name: "one", Events: func(*spec.Network) []simulate.Event { return studies.Burst(0, 0, 1, 100, 32) }},
		// Each has its own channel: every other PE to the next.
		{Name: "apart", Events: func(n *spec.Network) (all []simulate.Event) {
			for v := spec.NodeID(0); int(v) < n.Topology().Nodes(); v += 2 {
				all = append(all, studies.Burst(0, v, v+1, 100, 32)...)
			}
			return all
		}},
		{Name: "together", Events: func(*spec.Network) []simulate.Event { // two PEs to the third of their row
			return append(studies.Burst(0, 0, 2, 100, 32), studies.Burst(0, 1, 2, 100, 32)...)
		}},
	}
	channels.Stated = []studies.Stated{
		{
			// The clock is 200 ns for that, so this confirms only that a channel is never idle.
			Sentence: "4: 5 Mbytes a second in a channel", Fitted: true,
			Compare: studies.OfTrace("one", func(r *simulate.Result) bool {
				return studies.Close(float64(r.Finished), 32*100)
			}),
		}, {
			Sentence: "4: transfers run in parallel unless several ask for the same channel",
			Compare: func(of func(string) *simulate.Curve, _ []string) studies.Outcome {
				finished := func(trace string) int { return of(trace).Points[0].Finished }
				return studies.Confirm(finished("apart") == finished("one") &&
					studies.Close(float64(finished("together")), 2*32*100))
			},
		},
	}
	return []studies.Figure{psi, channels}
}
