package checker

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
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
	flows := words.Say("packets of %s of %d may be discarded on purpose", words.Count{N: d.Flows, Of: "flow"}, n.FlowCount())
	if f.Property == delivery {
		flows = flows.And(", which is no fault")
	}
	if f.Argument == AlwaysReachable {
		f.holds(ReachableOrDiscarded)
	}
	topo := n.Topology()
	first := words.Say("that is at %s: first in %s for %s%s", words.Count{N: d.Sites, Of: "site"},
		topo.ChannelName(d.First.Channel)+n.TagText(d.First), topo.Node(d.First.Header.Dest).Name,
		n.Reason(d.First, spec.Discard()).Clause())
	f.Notes = append(f.Notes, flows, first)
}
