// Package study, internal to unknot, has what is measured of selection functions: the figures of the paper that
// proposes CCB.
package study

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/models/studies"
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
func Figures() []studies.Figure {
	const uniform, transpose, reversal = "uniform", "transpose", "bit-reversal"
	peak := []studies.Stated{{
		Sentence: "4.5: peak utilisation of links is nearest to even with CCB", Compare: studies.Flattest("ccb"),
	}}
	two := []string{"ccb", "s-ccb"}
	both := func(section, highest, lowest string) []studies.Stated {
		s := []studies.Stated{
			{Sentence: section + ": " + highest + " performs best", Compare: studies.Best(highest)},
			{Sentence: section + ": CCB is above S-CCB", Compare: studies.Everywhere("ccb", "s-ccb"), Between: two},
			{
				Sentence: section + ": past saturation CCB accepts more than S-CCB",
				Compare:  studies.Accepts("ccb", "s-ccb"), Between: two,
			}, {
				Sentence: "abstract: CCB performs better than the existing functions",
				Compare: func(of func(string) *simulate.Curve, functions []string) studies.Outcome {
					existing := slices.DeleteFunc(slices.Clone(functions), func(f string) bool { return f == "s-ccb" })
					return studies.Best("ccb")(of, existing)
				},
			},
		}
		if lowest != "" {
			s = append(s,
				studies.Stated{Sentence: section + ": " + lowest + " saturates first", Compare: studies.Worst(lowest)})
		}
		return s
	}
	spares := studies.Stated{
		Sentence: "4.2, 4.4: CCB uses less x-CF than dimension order, and more CF of the highest dimension",
		Compare:  studies.Shares("ccb", "dimension-order"),
	}
	alike := studies.Stated{Sentence: "4.2: performance does not differ dramatically", Compare: studies.Near}
	star := func(
		name string, k, n int, traffic, loads string, functions []string, stated []studies.Stated,
	) studies.Figure {
		return studies.Figure{
			Name: name, Network: "star-channel", Set: map[string]string{"k": strconv.Itoa(k), "n": strconv.Itoa(n)},
			Flags: map[string]string{
				"traffic": traffic, "load": loads, "points": "12", "length": "128", "buffer": "4", "injectors": "3",
				"clocks":  "50000",
				"compare": strings.Join(functions, ","), // loads: a range in which all saturate
			},
			Functions: functions, Stated: stated,
		}
	}
	// Section 3.1.2 argues that messages on one link take turns, so each is slower. Here two of them go from a node
	// to the next.
	share := studies.Figure{
		Name: "star-channel-links", Network: "star-channel",
		Flags: map[string]string{"buffer": "4", "injectors": "3", "clocks": "2000"},
	}
	share.Traces = []studies.Trace{
		{Name: "alone", Events: func(*spec.Network) []simulate.Event { return studies.Burst(0, 0, 1, 1, 128) }},
		{Name: "together", Events: func(*spec.Network) []simulate.Event { return studies.Burst(0, 0, 1, 2, 128) }},
		{Name: "in turn", Events: func(*spec.Network) []simulate.Event {
			return append(studies.Burst(0, 0, 1, 1, 128), studies.Burst(128, 0, 1, 1, 128)...)
		}},
	}
	share.Stated = []studies.Stated{
		{
			Sentence: "3.1.2: each of the messages that share a link is slower",
			Compare: func(of func(string) *simulate.Curve, _ []string) studies.Outcome {
				together, alone := of("together").Points[0].Total.Mean, of("alone").Points[0].Total.Mean
				return studies.Confirm(studies.Close(together-alone, 128))
			},
		}, {
			Sentence: "3.1.2: a link that is shared carries less",
			Compare: func(of func(string) *simulate.Curve, _ []string) studies.Outcome {
				return studies.Confirm(of("together").Points[0].Finished > of("in turn").Points[0].Finished)
			},
		},
	}
	return []studies.Figure{
		star("fig3", 16, 2, reversal, "0.02..0.3", existing, []studies.Stated{
			{Sentence: "2.2: LD performs best of the existing functions", Compare: studies.Best("ld")},
			{Sentence: "2.2: the better one uses less x-CF, and more y-CF", Compare: studies.Shares("ld",
				"dimension-order")},
		}),
		star("fig8", 32, 2, uniform, "0.02..0.24", compared, append(both("4.2", "ccb", ""), alike)),
		star("fig9", 8, 3, uniform, "0.05..0.8", compared, append(both("4.2", "ccb", ""), spares)),
		star("fig10", 32, 2, transpose, "0.02..0.24", compared, both("4.3", "ccb", "dimension-order")),
		star("fig11", 8, 3, transpose, "0.05..0.8", compared, append(both("4.3", "ld", "dimension-order"), spares)),
		star("fig12", 32, 2, reversal, "0.02..0.24", compared, both("4.4", "ccb", "dimension-order")),
		star("fig13", 8, 3, reversal, "0.05..0.8", compared, append(both("4.4", "ccb", "dimension-order"), spares)),
		star("fig14-16", 32, 2, reversal, "0.02..0.24", []string{"dimension-order", "random", "ccb"}, peak),
		share,
	}
}
