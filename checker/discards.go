package checker

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// discards notes in an answer about delivery where packets may be discarded on purpose, which is no fault.
func (f *Finding) discards(ctx context.Context, n *spec.Network) error {
	if f.Property != delivery {
		return nil
	}
	d, err := relation.DiscardsOf(ctx, n)
	if err != nil || d.Sites == 0 {
		return err
	}
	if f.Argument == AlwaysReachable {
		f.holds(ReachableOrDiscarded)
	}
	topo := n.Topology()
	f.Notes = append(f.Notes, words.Say("packets of %s of %d may be discarded on purpose, which is no fault",
		words.Count{N: d.Flows, Of: "flow"}, n.FlowCount()))
	first := words.Say("that is at %s: first in %s for %s", words.Count{N: d.Sites, Of: "site"},
		topo.ChannelName(d.First.Channel)+n.TagText(d.First), topo.Node(d.First.Header.Dest).Name)
	if why := n.Reason(d.First, spec.Discard()); why != "" {
		first = first.And(", by %s", why)
	}
	f.Notes = append(f.Notes, first)
	return nil
}
