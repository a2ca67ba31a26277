// Package study, internal to unknot, has what is measured of selection functions: the figures of the paper that
// proposes CCB.
package study

import (
	"fmt"
	"math"
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
	existing = []string{"dimension-order", "random", "zigzag", "lru", "lfu", "lfu-recent", "ld"}
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
			{Sentence: section + ": " + highest + " performs best of those run", Compare: studies.Best(highest), Ran: true},
			{Sentence: section + ": CCB is above S-CCB", Compare: studies.Everywhere("ccb", "s-ccb"), Between: two},
			{
				Sentence: "abstract: CCB performs better than the existing functions run", Ran: true,
				Compare: func(of func(string) *simulate.Curve, functions []string) studies.Outcome {
					existing := slices.DeleteFunc(slices.Clone(functions), func(f string) bool { return f == "s-ccb" })
					return studies.Best("ccb")(of, existing)
				},
			},
		}
		if lowest != "" {
			s = append(s,
				studies.Stated{
					Sentence: section + ": " + lowest + " saturates first of those run", Compare: studies.Worst(lowest),
					Ran: true,
				})
		}
		return s
	}
	high := studies.Stated{Sentence: "4.3: CCB shows high performance", Compare: studies.High("ccb")}
	// uses is what a section says of the use of CF by some functions, each a cell of its own.
	uses := func(section string, functions []string, less, more []int) (all []studies.Stated) {
		for _, f := range functions {
			for _, dim := range less {
				all = append(all, studies.Uses(section, f, dim, false, functions...))
			}
			for _, dim := range more {
				all = append(all, studies.Uses(section, f, dim, true, functions...))
			}
		}
		return all
	}
	ranks := []studies.Stated{studies.Ranks("2.2, 3.1", 1, false), studies.Ranks("2.2, 3.1", 2, true)}
	alike := studies.Stated{Sentence: "4.2: performance does not differ dramatically", Compare: studies.Near}
	star := func(
		name string, k, n int, traffic, loads string, functions []string, stated []studies.Stated,
	) studies.Figure {
		return studies.Figure{
			Name: name, Network: "star-channel", Set: map[string]string{"k": strconv.Itoa(k), "n": strconv.Itoa(n)},
			Flags: map[string]string{
				"traffic": traffic, "load": loads, "length": "128", "buffer": "4", "injectors": "3",
				"clocks": "50000", "queue": "16", "stop": "true",
				"compare": strings.Join(functions, ","), // loads: up to one at which all saturate
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
	lowest, higher, highest := []int{1}, []int{2, 3}, []int{3}
	plane := func(name, section, traffic, loads, first string, more ...studies.Stated) studies.Figure {
		return star(name, 32, 2, traffic, loads, compared, slices.Concat(both(section, "ccb", first), more, ranks))
	}
	cube := func(name, section, traffic, loads, best, first string, more ...studies.Stated) studies.Figure {
		return star(name, 8, 3, traffic, loads, compared, slices.Concat(both(section, best, first), more, ranks))
	}
	ldBest := []studies.Stated{{Sentence: "2.2: LD performs best of the existing functions", Compare: studies.Best("ld")}}
	return []studies.Figure{
		star("fig3", 16, 2, reversal, "0.05,0.1,0.12,0.14,0.16,0.18", existing, slices.Concat(ldBest, ranks)),
		star("fig4", 32, 2, reversal, "0.05,0.06,0.07", []string{"ccb", "ccb-loosest"}, []studies.Stated{{
			Sentence: "3.1.1: the strictest VC first is better", Compare: studies.Everywhere("ccb", "ccb-loosest"),
		}}),
		plane("fig8", "4.2", uniform, "0.04,0.08,0.1,0.11", "", alike),
		cube("fig9", "4.2", uniform, "0.1,0.2,0.3,0.35,0.4", "ccb", "", uses("4.2", []string{"ccb"}, lowest, higher)...),
		plane("fig10", "4.3", transpose, "0.03,0.05,0.06,0.07,0.08", "dimension-order", high),
		cube("fig11", "4.3", transpose, "0.1,0.15,0.2,0.25,0.3", "ld", "dimension-order",
			append(uses("4.3", []string{"ccb", "ld"}, lowest, highest), high)...),
		plane("fig12", "4.4", reversal, "0.03,0.05,0.06,0.07,0.08", "dimension-order"),
		cube("fig13", "4.4", reversal, "0.1,0.2,0.25,0.3,0.35", "ccb", "dimension-order",
			uses("4.4", []string{"s-ccb", "ccb"}, lowest, higher)...),
		star("fig14-16", 32, 2, reversal, "0.03,0.05,0.06,0.07,0.08", []string{"dimension-order", "random", "ccb"},
			peak),
		share,
	}
}

// Across lists what the paper states about several figures together.
func Across() []studies.Across {
	const mostAlike = 0.1 // of a dimension's grants
	all := []studies.Across{{
		Sentence: "4.2: the distribution over VCs differs little between functions in figure 8b, and more in figure 9b",
		Figures:  []string{"fig8", "fig9"},
		Compare: func(curves [][]simulate.Curve) (studies.Outcome, string) {
			plane, ok := studies.Spread(curves[0])
			cube, too := studies.Spread(curves[1])
			if !ok || !too {
				return studies.Within, ""
			}
			return studies.Confirm(plane < mostAlike && plane < cube),
				fmt.Sprintf("a VC's share differs by up to %.3f in figure 8b, and %.3f in figure 9b", plane, cube)
		},
	}}
	for _, biased := range [][2]string{{"fig10", "fig8"}, {"fig12", "fig8"}, {"fig11", "fig9"}, {"fig13", "fig9"}} {
		all = append(all, studies.Across{
			Sentence: "5: CCB leads S-CCB especially under biased traffic: " + biased[0] + " against " + biased[1],
			Figures:  biased[:],
			Compare: func(curves [][]simulate.Curve) (studies.Outcome, string) {
				much, at, ok := studies.Lead(curves[0], "ccb", "s-ccb")
				little, under, too := studies.Lead(curves[1], "ccb", "s-ccb")
				if !ok || !too {
					return studies.Within, ""
				}
				return studies.Less(little, much), fmt.Sprintf("CCB is faster by %s at a load of %v, and by %s at %v",
					percent(much), at, percent(little), under)
			},
		})
	}
	return all
}

func percent(e simulate.Estimate) string {
	if math.IsInf(e.Half, 1) {
		return fmt.Sprintf("%.1f %%", 100*e.Mean)
	}
	return fmt.Sprintf("%.1f +-%.1f %%", 100*e.Mean, 100*e.Half)
}
