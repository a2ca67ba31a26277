package checker

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/spec"
)

func discardsOf(ctx context.Context, n *spec.Network) (Discards, error) {
	d, err := relation.DiscardsOf(ctx, n)
	return Discards(d), err
}

// discards notes in an answer about delivery, or that packets are discarded, where they may be.
func (f *Finding) discards(n *spec.Network, d Discards) {
	if d.Sites == 0 || f.Property != delivery && (f.Property != noDiscard || f.Verdict != spec.Violated) {
		return
	}
	if f.Argument == AlwaysReachable {
		f.holds(ReachableOrDiscarded, findings.ReachableOrDiscarded)
	}
	topo := n.Topology()
	f.Notes = append(f.Notes, findings.Each(
		findings.MayBeDiscarded{Flows: d.Flows, All: n.FlowCount(), NoFault: f.Property == delivery},
		findings.DiscardSites{
			N: d.Sites, In: topo.ChannelName(d.First.Channel) + n.TagText(d.First),
			For: topo.Node(d.First.Header.Dest).Name, Rule: n.Reason(d.First, spec.Discard()),
		})...)
}
