// Package study, internal to unknot, asks about the communication boards of the Tightly Coupled Accelerators
// architecture: questions whose answers have evidence, and the setups of its paper for the simulator.
package study

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/spec"
)

// Figures are the machine as the paper describes it, set up twice: under traffic of our own, and with traces that show
// what the paper says about its links.
func Figures() []studies.Figure {
	// PEACH2 (Hanawa et al.): a ring of 4 boards as in figure 4, posted writes of 256 bytes with an overhead of 24. A
	// flit is 8 bytes and a clock 2 ns, so a link carries 4 GB/s, of which 256/280 = 3.66 GB/s is payload. The 194
	// clocks of a hop are Fitted: a write of 4 bytes, so of 28 bytes or 4 flits, takes 782 ns from host to host
	// through two boards, 2 hops and 3 clocks.
	const delays = "route=0,cross=1,link=193"
	peach2 := studies.Figure{
		Name: "peach2", Network: "peach2", Set: map[string]string{"n": "4", "tie": "EEWW"},
		Flags: map[string]string{
			"switching": "vct", "traffic": "neighbour", "buffer": "16", "delays": delays, "length": "35",
			"load": "0.1..1",
		},
	}
	dma := peach2
	dma.Name = "peach2-dma"
	dma.Flags = map[string]string{"switching": "vct", "buffer": "16", "delays": delays, "clocks": "200000"}
	dma.Traces = []studies.Trace{
		{Name: "store", Events: func(*spec.Network) []simulate.Event { return studies.Burst(0, 0, 1, 1, 4) }},
		chain(1, 4), chain(2, 4), chain(4, 4), chain(255, 4), chain(1, 8), chain(1, 16), chain(1, 1024),
	}
	rate := func(of func(string) *simulate.Curve, name string) float64 { // in GB/s
		r := of(name).Points[0]
		return float64(256*r.Delivered) / float64(2*r.Finished)
	}
	rates := func(asked func(rate func(name string) float64) bool) studies.Comparison {
		return func(of func(string) *simulate.Curve, _ []string) studies.Outcome {
			return studies.Confirm(asked(func(name string) float64 { return rate(of, name) }))
		}
	}
	// All speeds follow from the clock, the packets' lengths and three times that are Fitted: none is confirmed.
	dma.Stated = []studies.Stated{
		{
			Sentence: "3.2: a store takes 782 ns", Fitted: true,
			Compare: studies.OfTrace("store", func(r *simulate.Result) bool { return 2*r.Finished == 782 }),
		}, {
			Sentence: "3.1.1: at most 3.66 GB/s", Fitted: true,
			Compare: rates(func(rate func(string) float64) bool {
				return rate("1x1024K") <= 3.66 && studies.Close(rate("1x1024K"), 3.66)
			}),
		}, {
			Sentence: "3.1.1: more than 3.3 GB/s, 93 % of the peak", Fitted: true,
			Compare: rates(func(rate func(string) float64) bool {
				return rate("255x4K") > 3.3 && studies.Close(rate("255x4K"), 0.93*3.66)
			}),
		}, {
			Sentence: "3.1.1: four reach 75 to 80 % of the most", Fitted: true,
			Compare: rates(func(rate func(string) float64) bool {
				share := rate("4x4K") / rate("255x4K")
				return share >= 0.75 && share <= 0.8
			}),
		}, {
			Sentence: "3.1.1: one is far slower", Fitted: true,
			Compare: rates(func(rate func(string) float64) bool { return rate("1x4K") < rate("255x4K")/2 }),
		}, {
			Sentence: "3.1.1: the total counts, the number of descriptors matters little", Fitted: true,
			Compare: rates(func(rate func(string) float64) bool {
				return rate("2x4K") > 0.95*rate("1x8K") && rate("4x4K") > 0.95*rate("1x16K")
			}),
		},
	}
	return []studies.Figure{peach2, dma}
}

// chain is a chained DMA of PEACH2: descriptors of equal size in KB, written to the host of the next board in packets
// of 256 bytes. Two times are Fitted: 353 clocks to start, as four descriptors of 4 KB reach 77.5 % of the speed of
// 255; and 42 between two descriptors, as 255 of 4 KB reach 93 % of the peak: 560 clocks of flits in 602.
func chain(descriptors, kilobytes int) studies.Trace {
	const start, between, packet = 353, 42, 35
	events := func(*spec.Network) (all []simulate.Event) {
		for i := range descriptors {
			all = append(all, studies.Burst(start+i*(between+4*kilobytes*packet), 0, 1, 4*kilobytes, packet)...)
		}
		return all
	}
	return studies.Trace{Name: fmt.Sprintf("%dx%dK", descriptors, kilobytes), Events: events}
}
