package draw

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
)

// Waits draws who waits for whom at the end of a trace: the stuck channels and
// those that their packets hold and wait for. Only a deadlock has any.
func Waits(e evidence.Evidence) (*Graph, error) {
	t, ok := e.(evidence.Trace)
	if !ok || t.Fault != counterexamples.Deadlock {
		return nil, fmt.Errorf("only in a deadlock of a network packets wait for others: this is a %s", e.Shown().By)
	}
	n := t.Network
	waits, err := explain.Waits(t)
	if err != nil {
		return nil, err
	}
	topo := n.Topology()
	var arrows []arrow
	channels := slices.Clone(t.Stuck)
	for _, w := range waits {
		packet := explain.Packet(w.Packet, topo.Node(w.Site.Header.Dest).Name)
		for _, x := range w.Edges() {
			kind, why := "waits for", packet+" waits for "+topo.ChannelName(x.To)
			if x.Site.Channel != x.From {
				kind, why = "holds behind", fmt.Sprintf("%s holds %s behind its head", packet, topo.ChannelName(x.From))
			} else {
				why += n.Reason(x.Site, x.Hop).Clause()
			}
			arrows = append(arrows, arrow{dependency.Edge{From: x.From, To: x.To}, kind, why, "", true})
			channels = append(channels, x.From, x.To)
		}
	}
	slices.Sort(channels)
	return drawChannels(topo, slices.Compact(channels), arrows), nil
}
