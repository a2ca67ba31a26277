package studies

import (
	"fmt"
	"math"

	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/spec"
)

// Machines as their papers describe them. Each is set up twice: under traffic of our own, and with traces that show what the
// paper says about its links.

func machines() []Figure {
	// The machine of Yokota et al.: 4x16x16 routers, cut-through, FIFOs of 64 words, which hold 8 packets of the maximum length 8;
	// the port is chosen one router ahead, so routing takes no clock, and a packet that has begun is sent to its end. The paper
	// does not give packet lengths: each is equally likely.
	rwc1 := func(name string, flags map[string]string) Figure {
		for flag, value := range map[string]string{"switching": "vct", "buffer": "8", "delays": "route=0,cross=1,link=1", "arbiter": "message"} {
			flags[flag] = value
		}
		return Figure{Name: name, Network: "rwc1", Set: map[string]string{"n": "4"}, Flags: flags}
	}
	words := rwc1("rwc-1-links", map[string]string{"clocks": "200000"})
	words.Traces = []Trace{
		{"alone", alone(8)},
		{"stream", func(*spec.Network) []simulate.Event { return stream(0, 0, 1, 1000, 8) }},
	}
	words.Stated = []Stated{
		{Sentence: "3.3, 4.2: transfer is pipelined from router to router, and routing takes no time in them", fitted: true, compare: trace("alone", func(r *simulate.Result) bool {
			return near1(r.Total.Mean, 2*(r.Hops+1)+8-1) // crossbar and link; no store-and-forward, no routing
		})},
		{Sentence: "3.2: a word a clock", compare: trace("stream", func(r *simulate.Result) bool { return near1(float64(r.Finished), 8*1000) })},
	}

	// Multi-PSI/V2 (Takeda et al.): 8x8 PEs, byte by byte through buffers of 48; a flit is a byte, a clock 200 ns at 5 MB/s. The
	// buffers are FIFOs, so a packet follows the tail of another. The paper does not give packet lengths or router delays: we take
	// three clocks, none between packets, 32 bytes. Regions are equal, ties are broken horizontally.
	psi := Figure{Name: "multi-psi", Network: "p3", Set: map[string]string{"columns": "8", "rows": "8", "variant": "horizontal"}, Flags: map[string]string{
		"switching": "wormhole", "buffer": "48", "shared": "true", "delays": "route=0,cross=1,link=2", "length": "32",
	}}
	channels := psi
	channels.Name = "multi-psi-links"
	channels.Traces = []Trace{
		{"one", func(*spec.Network) []simulate.Event { return stream(0, 0, 1, 100, 32) }},
		{"apart", func(n *spec.Network) (all []simulate.Event) { // each has its own channel: every other PE to the next
			for v := spec.NodeID(0); int(v) < n.Topology().Nodes(); v += 2 {
				all = append(all, stream(0, v, v+1, 100, 32)...)
			}
			return all
		}},
		{"together", func(*spec.Network) []simulate.Event { // two PEs to the third of their row
			return append(stream(0, 0, 2, 100, 32), stream(0, 1, 2, 100, 32)...)
		}},
	}
	channels.Stated = []Stated{
		{Sentence: "4: 5 Mbytes a second in a channel", compare: trace("one", func(r *simulate.Result) bool { return near1(float64(r.Finished), 32*100) })},
		{Sentence: "4: transfers run in parallel unless several ask for the same channel", compare: func(of func(string) *simulate.Curve, _ []string) Outcome {
			one, apart, together := of("one").Points[0].Finished, of("apart").Points[0].Finished, of("together").Points[0].Finished
			return confirm(apart == one && near1(float64(together), 2*32*100))
		}},
	}

	// PEACH2 (Hanawa et al.): a ring of 4 boards as in figure 4, posted writes of 256 bytes with an overhead of 24. A flit is
	// 8 bytes and a clock 2 ns, so a link carries 4 GB/s, of which 256/280 = 3.66 GB/s is payload. The 194 clocks of a hop are fitted:
	// a write of 4 bytes, so of 28 bytes or 4 flits, takes 782 ns from host to host through two boards, 2 hops and 3 clocks.
	peach2 := Figure{Name: "peach2", Network: "peach2", Set: map[string]string{"n": "4", "tie": "EEWW"}, Flags: map[string]string{
		"switching": "vct", "traffic": "neighbour", "buffer": "16", "delays": "route=0,cross=1,link=193", "length": "35", "load": "0.1..1",
	}}
	dma := peach2
	dma.Name = "peach2-dma"
	dma.Flags = map[string]string{"switching": "vct", "buffer": "16", "delays": "route=0,cross=1,link=193", "clocks": "200000"}
	dma.Traces = []Trace{
		{"store", func(*spec.Network) []simulate.Event { return stream(0, 0, 1, 1, 4) }},
		chain(1, 4), chain(2, 4), chain(4, 4), chain(255, 4), chain(1, 8), chain(1, 16), chain(1, 1024),
	}
	rate := func(of func(string) *simulate.Curve, name string) float64 { // in GB/s
		r := of(name).Points[0]
		return float64(256*r.Delivered) / float64(2*r.Finished)
	}
	dma.Stated = []Stated{
		{Sentence: "3.2: a store takes 782 ns", fitted: true, compare: trace("store", func(r *simulate.Result) bool { return 2*r.Finished == 782 })},
		{Sentence: "3.1.1: at most 3.66 GB/s", compare: func(of func(string) *simulate.Curve, _ []string) Outcome {
			return confirm(rate(of, "1x1024K") <= 3.66 && near1(rate(of, "1x1024K"), 3.66))
		}},
		{Sentence: "3.1.1: more than 3.3 GB/s, 93 % of the peak", fitted: true, compare: func(of func(string) *simulate.Curve, _ []string) Outcome {
			return confirm(rate(of, "255x4K") > 3.3 && near1(rate(of, "255x4K"), 0.93*3.66))
		}},
		{Sentence: "3.1.1: four reach 75 to 80 % of the most", fitted: true, compare: func(of func(string) *simulate.Curve, _ []string) Outcome {
			share := rate(of, "4x4K") / rate(of, "255x4K")
			return confirm(share >= 0.75 && share <= 0.8)
		}},
		{Sentence: "3.1.1: one is far slower", compare: func(of func(string) *simulate.Curve, _ []string) Outcome {
			return confirm(rate(of, "1x4K") < rate(of, "255x4K")/2)
		}},
		{Sentence: "3.1.1: the total counts, the number of descriptors hardly", compare: func(of func(string) *simulate.Curve, _ []string) Outcome {
			return confirm(rate(of, "2x4K") > 0.95*rate(of, "1x8K") && rate(of, "4x4K") > 0.95*rate(of, "1x16K"))
		}},
	}
	return []Figure{rwc1("rwc-1", map[string]string{"length": "1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1", "load": "0.05..0.25"}), words, psi, channels, peach2, dma}
}

// chain is a chained DMA of PEACH2: descriptors of equal size in KB, written to the host of the next board in packets of 256
// bytes. Two times are fitted: 353 clocks to start, as four descriptors of 4 KB reach 77.5 % of the speed of 255; and 42 between
// two descriptors, as 255 of 4 KB reach 93 % of the peak: 560 clocks of flits in 602.
func chain(descriptors, kilobytes int) Trace {
	const start, between, packet = 353, 42, 35
	return Trace{fmt.Sprintf("%dx%dK", descriptors, kilobytes), func(*spec.Network) (all []simulate.Event) {
		for i := range descriptors {
			all = append(all, stream(start+i*(between+4*kilobytes*packet), 0, 1, 4*kilobytes, packet)...)
		}
		return all
	}}
}

// stream is a burst of packets generated together.
func stream(clock int, from, to spec.NodeID, packets, flits int) []simulate.Event {
	all := make([]simulate.Event, packets)
	for i := range all {
		all[i] = simulate.Event{Clock: clock, Source: from, Dest: to, Flits: flits}
	}
	return all
}

// alone is one packet from the first node to each other one, 100 clocks apart.
func alone(flits int) func(n *spec.Network) []simulate.Event {
	return func(n *spec.Network) (all []simulate.Event) {
		for v := 1; v < n.Topology().Nodes(); v++ {
			all = append(all, stream(100*v, 0, spec.NodeID(v), 1, flits)...)
		}
		return all
	}
}

// trace asks something about the result of a trace.
func trace(name string, asked func(r *simulate.Result) bool) func(func(string) *simulate.Curve, []string) Outcome {
	return func(of func(string) *simulate.Curve, _ []string) Outcome {
		return confirm(asked(of(name).Points[0]))
	}
}

func confirm(yes bool) Outcome {
	if yes {
		return Confirmed
	}
	return Refuted
}

// near1 reports whether x is within 1 % of y.
func near1(x, y float64) bool { return math.Abs(x-y) <= 0.01*y }
