// Package study, internal to unknot, asks about the router of the RWC-1 machine: questions whose answers have
// evidence, and the setups of its paper for the simulator.
package study

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/spec"
)

// Figures are the machine as the paper describes it, set up twice: under traffic of our own, and with traces that show
// what the paper says about its links.
func Figures() []studies.Figure {
	// The machine of Yokota et al.: 4x16x16 routers, cut-through, FIFOs of 64 words; the port is chosen one router
	// ahead, so routing takes no clock, and a packet that has begun is sent to its end. The paper does not give how many
	// data a packet has: each number is equally likely.
	rwc1 := func(name string, header int, flags map[string]string) studies.Figure {
		maps.Copy(flags, map[string]string{
			"switching": "vct", "buffer": strconv.Itoa(64 / Words(mostData, header)), "delays": "route=0,cross=1,link=1",
			"arbiter": "packet",
		})
		return studies.Figure{Name: name, Network: "rwc1", Set: map[string]string{"n": "4"}, Flags: flags}
	}
	longest := Words(mostData, shortHeader)
	words := rwc1("rwc-1-links", shortHeader, map[string]string{"clocks": "200000"})
	words.Traces = []studies.Trace{
		{Name: "alone", Events: studies.OneEach(longest)},
		{Name: "stream", Events: func(*spec.Network) []simulate.Event { return studies.Burst(0, 0, 1, 1000, longest) }},
	}
	words.Stated = []studies.Stated{
		{
			Sentence: "3.3, 4.2: transfer is pipelined from router to router, and routing takes no time in them",
			Fitted:   true,
			Compare: studies.OfTrace("alone", func(r *simulate.Result) bool {
				// Crossbar and link; no store-and-forward, no routing.
				return studies.Close(r.Total.Mean, 2*(r.Hops+1)+float64(longest)-1)
			}),
		}, {
			Sentence: "3.2: a word a clock",
			Compare: studies.OfTrace("stream", func(r *simulate.Result) bool {
				return studies.Close(float64(r.Finished), float64(longest)*1000)
			}),
		},
	}
	traffic := func(header int) map[string]string {
		var lengths []string
		for data := 1; data <= mostData; data++ {
			lengths = append(lengths, strconv.Itoa(Words(data, header))+":1")
		}
		return map[string]string{"length": strings.Join(lengths, ","), "load": "0.05..0.25"}
	}
	return []studies.Figure{
		parallelLinks(1), parallelLinks(2),
		rwc1("rwc-1", shortHeader, traffic(shortHeader)), rwc1("rwc-1-long", longHeader, traffic(longHeader)), words,
	}
}

// parallelLinks is an MDCE with some parallel links a node, in which each node sends a packet to each other, so
// slowly that none waits. Footnote 3 says that one parallel link would be a bottleneck. The paper gives no size;
// rings of three make 192 nodes, and other sizes are flags.
func parallelLinks(parallel int) studies.Figure {
	f := studies.Figure{
		Name: fmt.Sprintf("mdce-parallel-%d", parallel), Network: "mdce",
		Set:   map[string]string{"n": "3", "banyan": "1", "ccc": "1", "parallel": strconv.Itoa(parallel)},
		Flags: map[string]string{"clocks": strconv.Itoa(spacing*192 + 1000), "selection": "lru", "buffer": "4"},
		Traces: []studies.Trace{{Name: "all pairs", Events: func(n *spec.Network) (all []simulate.Event) {
			nodes := n.Topology().Nodes()
			for away := 1; away < nodes; away++ {
				for v := range nodes {
					all = append(all, studies.Burst(spacing*away, spec.NodeID(v), spec.NodeID((v+away)%nodes), 1, 1)...)
				}
			}
			return all
		}}},
	}
	compare := func(of func(string) *simulate.Curve) (ring, cross float64) {
		links := of("all pairs").Points[0].Links
		count := 0
		for _, l := range links {
			from, to, _ := strings.Cut(l.Link, "->")
			_, ring0, _ := strings.Cut(from, ",")
			_, ring1, _ := strings.Cut(to, ",")
			if strings.HasPrefix(ring1, ring0) { // the other coordinates are the same
				ring, count = ring+l.Mean, count+1
			} else {
				cross += l.Mean
			}
		}
		return ring / float64(count), cross / float64(len(links)-count)
	}
	f.Stated = []studies.Stated{{
		Sentence: "2.2: a parallel link carries more than any other link does on average",
		Compare: func(of func(string) *simulate.Curve, _ []string) studies.Outcome {
			ring, cross := compare(of)
			return studies.Confirm(ring > 1.05*cross)
		},
		Detail: func(of func(string) *simulate.Curve, _ []string) string {
			ring, cross := compare(of)
			return fmt.Sprintf("a parallel link carries %.2f times what a cross link does", ring/cross)
		},
	}}
	return f
}

// spacing is the number of clocks between the packets of a node, more than a packet needs.
const spacing = 60

// mostData is the largest number of data of a packet. Section 3.2: "the data that are transferred by one packet are
// limited to 1 to 8".
const mostData = 8

// The header ends "in the middle of the second word", the paper does not say where. These are two of its lengths in bits,
// the shorter the longest of those with which a packet of 8 data has 12 words, the longer one with which it has 13.
const (
	shortHeader = 48 + 16
	longHeader  = 48 + 40
)

// Words returns the length of a packet: a header of some bits, and data of 64 bits, in words of 48. So the longest packet
// has 12 or 13 words, the shortest 3 or 4, and a FIFO of 64 words holds 5 or 4 of the longest.
func Words(data, header int) int { return (header + 64*data + 47) / 48 }
