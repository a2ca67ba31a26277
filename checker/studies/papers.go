package studies

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/spec"
)

// The figures of Sugiyama and Funahashi ("An Output Selection Function Based on the Characteristic of
// Virtual Channel") have three VCs, messages of 128 flits, 50,000 clocks of which the first 5,000 are
// dropped, and three clocks a hop. The paper leaves open how deep buffers are, how nodes inject, which way
// ties go, and what transposition means in three dimensions: these are flags, or patterns of package simulate.
// Buffers are deep enough for a VC to stream, and a node sends to one neighbour as many messages as it has VCs.

var (
	existing = []string{"dimension-order", "random", "zigzag", "lru", "lfu", "ld"}
	compared = []string{"dimension-order", "random", "zigzag", "ld", "s-ccb", "ccb"}
)

// Figures lists the figures that can be run.
func Figures() []Figure {
	const uniform, transpose, reversal = "uniform", "transpose", "bit-reversal"
	peak := []Stated{{Sentence: "4.5: peak utilisation of links is nearest to even with CCB", compare: flattest("ccb")}}
	both := func(section, highest, lowest string) []Stated {
		s := []Stated{
			{Sentence: section + ": " + highest + " performs best", compare: best(highest)},
			{Sentence: section + ": CCB is above S-CCB", compare: everywhere("ccb", "s-ccb"), between: []string{"ccb", "s-ccb"}},
			{Sentence: section + ": past saturation CCB accepts more than S-CCB", compare: accepts("ccb", "s-ccb"), between: []string{"ccb", "s-ccb"}},
			{Sentence: "abstract: CCB performs better than the existing functions", compare: func(of func(string) *simulate.Curve, functions []string) Outcome {
				return best("ccb")(of, slices.DeleteFunc(slices.Clone(functions), func(f string) bool { return f == "s-ccb" }))
			}},
		}
		if lowest != "" {
			s = append(s, Stated{Sentence: section + ": " + lowest + " saturates first", compare: worst(lowest)})
		}
		return s
	}
	spares := Stated{Sentence: "4.2, 4.4: CCB uses less x-CF than dimension order, and more CF of the highest dimension", compare: shares("ccb", "dimension-order")}
	star := func(name string, k, n int, traffic, loads string, functions []string, stated []Stated) Figure {
		return Figure{Name: name, Network: "star-channel", Set: map[string]string{"k": strconv.Itoa(k), "n": strconv.Itoa(n)}, Flags: map[string]string{
			"traffic": traffic, "load": loads, "points": "12", "length": "128", "buffer": "4", "lanes": "3", "clocks": "50000",
			"compare": strings.Join(functions, ","), // loads: a range in which all saturate
		}, Functions: functions, Stated: stated}
	}
	// Section 3.1.2 argues that messages on one link take turns, so each is slower. Here two of them go from a node to the next.
	share := Figure{Name: "star-channel-links", Network: "star-channel", Flags: map[string]string{"buffer": "4", "lanes": "3", "clocks": "2000"}}
	share.Traces = []Trace{
		{"alone", func(*spec.Network) []simulate.Event { return stream(0, 0, 1, 1, 128) }},
		{"together", func(*spec.Network) []simulate.Event { return stream(0, 0, 1, 2, 128) }},
		{"in turn", func(*spec.Network) []simulate.Event {
			return append(stream(0, 0, 1, 1, 128), stream(128, 0, 1, 1, 128)...)
		}},
	}
	share.Stated = []Stated{
		{Sentence: "3.1.2: each of the messages that share a link is slower", compare: func(of func(string) *simulate.Curve, _ []string) Outcome {
			return confirm(near1(of("together").Points[0].Total.Mean-of("alone").Points[0].Total.Mean, 128))
		}},
		{Sentence: "3.1.2: a link that is shared carries less", compare: func(of func(string) *simulate.Curve, _ []string) Outcome {
			return confirm(of("together").Points[0].Finished > of("in turn").Points[0].Finished)
		}},
	}
	return append([]Figure{
		star("fig3", 16, 2, reversal, "0.02..0.3", existing, []Stated{
			{Sentence: "2.2: LD performs best of the existing functions", compare: best("ld")},
			{Sentence: "2.2: the better one uses less x-CF, and more y-CF", compare: shares("ld", "dimension-order")},
		}),
		star("fig8", 32, 2, uniform, "0.02..0.24", compared, append(both("4.2", "ccb", ""), Stated{Sentence: "4.2: performance does not differ dramatically", compare: near})),
		star("fig9", 8, 3, uniform, "0.05..0.8", compared, append(both("4.2", "ccb", ""), spares)),
		star("fig10", 32, 2, transpose, "0.02..0.24", compared, both("4.3", "ccb", "dimension-order")),
		star("fig11", 8, 3, transpose, "0.05..0.8", compared, append(both("4.3", "ld", "dimension-order"), spares)),
		star("fig12", 32, 2, reversal, "0.02..0.24", compared, both("4.4", "ccb", "dimension-order")),
		star("fig13", 8, 3, reversal, "0.05..0.8", compared, append(both("4.4", "ccb", "dimension-order"), spares)),
		star("fig14-16", 32, 2, reversal, "0.02..0.24", []string{"dimension-order", "random", "ccb"}, peak),
		share,
	}, machines()...)
}

// IsFitted reports whether a setup was fitted to a sentence.
func IsFitted(sentence string) bool {
	return slices.ContainsFunc(Figures(), func(f Figure) bool {
		return slices.ContainsFunc(f.Stated, func(s Stated) bool { return s.fitted && s.Sentence == sentence })
	})
}
