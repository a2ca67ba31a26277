package selection

import (
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
)

// figureClaims are the orderings that the paper's evaluation states, each as a simulation shows it near
// saturation, where one run has no interval: several loads, three to fifty seeds (figures 14 to 16, which compare no latencies: one), and
// --paper for the parameters that the paper leaves open. In two
// dimensions only figure 3 has the paper's size; the others, of 32x32, are run on 16x16. If CCB and S-CCB were too
// close to distinguish, as in figures 8, 9 and 11, the run was repeated with more clocks and seeds.
func figureClaims() []catalogue.Claim {
	measured := func(command, stated, says string, want spec.Verdict, finding string) catalogue.Claim {
		return catalogue.Row(says, strings.Fields("simulate star-channel --paper "+command), stated, want, finding)
	}
	const (
		fig3  = "fig3 --load 0.04..0.24 --points 6 --clocks 15000 --seeds 3"
		fig8  = "fig8 --set k=16 --load 0.2,0.25 --clocks 10000 --seeds 5"
		fig9  = "fig9 --load 0.3,0.4,0.5 --clocks 5000 --seeds 3"
		fig10 = "fig10 --set k=16 --load 0.04..0.29 --points 6 --clocks 15000 --seeds 3"
		fig11 = "fig11 --load 0.14,0.18,0.22 --clocks 5000 --seeds 3"
		fig12 = "fig12 --set k=16 --load 0.04..0.29 --points 6 --clocks 15000 --seeds 3"
		fig13 = "fig13 --load 0.1,0.15,0.2,0.25 --clocks 5000 --seeds 5"
		fig14 = "fig14-16 --set k=16 --load 0.12,0.14,0.16 --clocks 15000"
		// CCB and S-CCB alone, at all loads from light to saturation.
		two8  = "fig8 --set k=16 --compare ccb,s-ccb --load 0.09,0.14,0.19,0.24 --clocks 20000 --seeds 10"
		light = "fig8 --set k=16 --compare ccb,s-ccb --load 0.04 --clocks 20000 --seeds 50"
		two9  = "fig9 --compare ccb,s-ccb --load 0.05,0.1,0.2,0.3,0.4 --clocks 20000 --seeds 5"
		two10 = "fig10 --set k=16 --compare ccb,s-ccb --load 0.04..0.29 --points 6 --clocks 15000 --seeds 5"
		two11 = "fig11 --compare ccb,s-ccb --load 0.05,0.1,0.14,0.18,0.22,0.26 --clocks 20000 --seeds 5"
		two12 = "fig12 --set k=16 --compare ccb,s-ccb --load 0.04..0.29 --points 6 --clocks 15000 --seeds 5"
		two13 = "fig13 --compare ccb,s-ccb --load 0.05,0.1,0.15,0.2,0.25,0.3 --clocks 5000 --seeds 5"
		// Beyond saturation, too.
		past8  = "fig8 --set k=16 --compare ccb,s-ccb --load 0.24,0.3 --clocks 15000 --seeds 20"
		past9  = "fig9 --compare ccb,s-ccb --load 0.4,0.5 --clocks 10000 --seeds 5"
		past10 = "fig10 --set k=16 --compare ccb,s-ccb --load 0.19,0.24,0.29 --clocks 15000 --seeds 20"
		past11 = "fig11 --compare ccb,s-ccb --load 0.26,0.3 --clocks 10000 --seeds 20"
		past12 = "fig12 --set k=16 --compare ccb,s-ccb --load 0.19,0.24,0.29 --clocks 15000 --seeds 20"
		past13 = "fig13 --compare ccb,s-ccb --load 0.35,0.45 --clocks 10000 --seeds 5"
		size2  = " on 16x16, buffers of 4 flits"
		size3  = " on 8x8x8, buffers of 4 flits"
		open   = "at loads of 0.04 and 0.09 CCB is ahead of S-CCB; at 0.14, the last without saturation, nothing tells them apart: 0.4 +-3.5 clocks of 432 (50,000 clocks, 30 seeds). So on 32x32: ahead at 0.02 and 0.04, 2.7 +-5.7 clocks at 0.06 (20,000 clocks, 5 seeds). Past saturation, at 0.19, S-CCB is ahead: 40.5 +-26.5 clocks (5 seeds). Run"
		all    = "confirmed at each load below saturation,"
		ahead  = "confirmed at each load past saturation,"
		read   = "above past saturation is to accept more"
		spare  = "CCB uses less x-CF than dimension order, and more CF of the highest dimension"
	)
	const exist = "abstract: CCB performs better than the existing functions"
	return slices.Concat(
		catalogue.Said("abstract", "simulation shows that under all traffic patterns that were evaluated CCB performs better than the existing methods",
			measured(fig8, exist, "figure 8: CCB is better than the existing functions", spec.Holds, "confirmed"+size2),
			measured(fig9, exist, "figure 9: CCB is better than the existing functions", spec.Holds, "confirmed"+size3),
			measured(fig10, exist, "figure 10: CCB is better than the existing functions", spec.Holds, "confirmed"+size2),
			measured(fig11, exist, "figure 11: CCB is better than the existing functions", spec.Holds, "confirmed"+size3+", where (x,y,z) sends to (k-1-z, k-1-y, k-1-x). The paper contradicts itself: by section 4.3 LD is best in figure 11; see the row below"),
			measured(fig12, exist, "figure 12: CCB is better than the existing functions", spec.Holds, "confirmed"+size2),
			measured(fig13, exist, "figure 13: CCB is better than the existing functions", spec.Holds, "confirmed"+size3)),
		catalogue.Said("3.1.2", "if there are several packets in one physical channel they have to be transferred by time sharing; so, compared with one packet alone, each makes less use of the physical channel, and performance falls",
			measured("star-channel-links", "3.1.2: each of the messages that share a link is slower", "two messages of 128 flits on one link take as long, each, as both together", spec.Holds, "confirmed: 260.5 clocks instead of 133"),
			measured("star-channel-links", "3.1.2: a link that is shared carries less", "... and the last flit comes later than if they went one behind the other", spec.Violated, "It comes in the same clock, 261: sharing costs latency alone. That CF of the lowest dimension is used less where performance is higher is measured in figures 3, 9, 11 and 13").RefutedIf("performance is what a link carries")),
		catalogue.Said("2.2", "a look at figure 3 (a) shows that LD performs best",
			measured(fig3, "2.2: LD performs best of the existing functions", "figure 3: LD is best of the existing functions", spec.Holds, "confirmed"+size2)),
		catalogue.Said("2.2", "an output selection function of high performance, like LD, uses the CF channel of dimension x less and the CF channel of dimension y more",
			measured(fig3, "2.2: the better one uses less x-CF, and more y-CF", "figure 3: LD uses less x-CF and more y-CF than dimension order", spec.Holds, "confirmed"+size2)),
		catalogue.Said("4.2", "in figures 8 and 9 alike CCB shows the highest performance",
			measured(fig8, "4.2: ccb performs best", "figure 8: CCB is best", spec.Holds, "confirmed"+size2+"; on 32x32, twelve loads and three seeds, too close to tell, as one seed of dimension order saturates at 0.1: 684 +-808 clocks, CCB 487 +-13, S-CCB 521 +-19, LD 583 +-24"),
			measured(fig9, "4.2: ccb performs best", "figure 9: CCB is best", spec.Holds, "confirmed"+size3)),
		catalogue.Said("4.2", "as a result no dramatic difference in performance arose in the graph of figure 8 (a)",
			measured(fig8, "4.2: performance does not differ dramatically", "figure 8: all accept 9 tenths or more of what the best does", spec.Holds, "confirmed"+size2+"; so on 32x32, twelve loads and three seeds")),
		catalogue.Said("4.2", "comparing CCB with S-CCB, CCB is above in performance in all cases",
			measured(two8, "4.2: CCB is above S-CCB", "figure 8: CCB is above S-CCB", spec.Holds, all+size2),
			measured(light, "4.2: CCB is above S-CCB", "figure 8: CCB is above S-CCB under light load", spec.Holds, "confirmed by 50 seeds, left open by 10,"+size2),
			measured(two9, "4.2: CCB is above S-CCB", "figure 9: CCB is above S-CCB", spec.Holds, all+size3),
			measured(past8, "4.2: past saturation CCB accepts more than S-CCB", "figure 8: past saturation CCB accepts more than S-CCB", spec.Unknown, "CCB accepts 0.0062 +-0.0027 more at 0.24, and 0.0009 +-0.0023 at 0.3,"+size2),
			measured(past9, "4.2: past saturation CCB accepts more than S-CCB", "figure 9: past saturation CCB accepts more than S-CCB", spec.Holds, ahead+size3)),
		catalogue.Said("4.2", "just before the network saturates, CCB keeps latency quite low by suppressing the use of x-CF and using y-CF and z-CF much",
			measured(fig9, "4.2, 4.4: "+spare, "figure 9: "+spare, spec.Holds, "confirmed"+size3)),
		catalogue.Said("4.3", "in figures 10 and 11 alike dimension order saturates the network at the lowest throughput, and CCB shows high performance",
			measured(fig10, "4.3: dimension-order saturates first", "figure 10: dimension order saturates first", spec.Holds, "confirmed"+size2),
			measured(fig11, "4.3: dimension-order saturates first", "figure 11: dimension order saturates first", spec.Holds, "confirmed"+size3),
			measured(fig10, "4.3: ccb performs best", "figure 10: CCB is best", spec.Unknown, open+size2)),
		catalogue.Said("4.3", "what differs from the evaluation with other traffic is that in figure 11 LD showed the highest performance",
			measured(fig11, "4.3: ld performs best", "figure 11: LD is best", spec.Violated, "CCB is ahead of it on 8x8x8, with buffers of 4 flits, and with --buffer 16").RefutedIf("(x,y,z) sends to (k-1-z, k-1-y, k-1-x), the paper has the plane only")),
		catalogue.Said("4.3", "comparing S-CCB with CCB, CCB is above in all points, as with uniform traffic",
			measured(two10, "4.3: CCB is above S-CCB", "figure 10: CCB is above S-CCB", spec.Unknown, open+size2),
			measured(two11, "4.3: CCB is above S-CCB", "figure 11: CCB is above S-CCB", spec.Holds, all+size3),
			measured(past10, "4.3: past saturation CCB accepts more than S-CCB", "figure 10: past saturation CCB accepts more than S-CCB", spec.Violated, "S-CCB accepts 0.0008 +-0.0005 more at 0.24 and 0.0007 +-0.0004 at 0.29, half a percent; at 0.19 nothing tells them apart: 0.0002 +-0.0004; run"+size2).RefutedIf(read),
			measured(past11, "4.3: past saturation CCB accepts more than S-CCB", "figure 11: past saturation CCB accepts more than S-CCB", spec.Holds, ahead+size3)),
		catalogue.Said("4.3", "with CCB and LD, which performed especially well, use of CF of the lowest dimension, x, is suppressed, and of CF of the highest, z, there is much, as figure 11 (b) shows",
			measured(fig11, "4.2, 4.4: "+spare, "figure 11: "+spare, spec.Holds, "confirmed"+size3)),
		catalogue.Said("4.4", "in figures 12 and 13 alike dimension order saturates the network at the lowest throughput, while CCB shows the highest performance",
			measured(fig12, "4.4: dimension-order saturates first", "figure 12: dimension order saturates first", spec.Holds, "confirmed"+size2),
			measured(fig12, "4.4: ccb performs best", "figure 12: CCB is best", spec.Holds, "confirmed"+size2),
			measured(fig13, "4.4: dimension-order saturates first", "figure 13: dimension order saturates first", spec.Holds, "confirmed"+size3),
			measured(fig13, "4.4: ccb performs best", "figure 13: CCB is best", spec.Holds, "confirmed"+size3)),
		catalogue.Said("4.4", "with S-CCB and CCB use of x-CF, the lowest dimension, is suppressed, and y-CF and z-CF, the higher ones, are used much",
			measured(fig13, "4.2, 4.4: "+spare, "figure 13: "+spare, spec.Holds, "confirmed"+size3)),
		catalogue.Said("4.4", "comparing S-CCB with CCB, CCB is above in all points with bit reversal traffic, too",
			measured(two12, "4.4: CCB is above S-CCB", "figure 12: CCB is above S-CCB", spec.Holds, all+size2),
			measured(two13, "4.4: CCB is above S-CCB", "figure 13: CCB is above S-CCB", spec.Holds, all+size3),
			measured(past12, "4.4: past saturation CCB accepts more than S-CCB", "figure 12: past saturation CCB accepts more than S-CCB", spec.Unknown, "CCB accepts 0.0059 +-0.0008 more at 0.19, 0.0011 +-0.0012 at 0.24 and 0.0007 +-0.0014 at 0.29,"+size2),
			measured(past13, "4.4: past saturation CCB accepts more than S-CCB", "figure 13: past saturation CCB accepts more than S-CCB", spec.Holds, ahead+size3)),
		catalogue.Said("4.5", "figures 14, 15 and 16 show that with CCB peak utilisation of channels is nearer to even than with the other functions",
			measured(fig14, "4.5: peak utilisation of links is nearest to even with CCB", "figures 14 to 16: peaks of the links vary least with CCB", spec.Holds, "confirmed"+size2)),
	)
}
