package explorer

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/show/internal/figure"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
)

// network draws where the packets are, and says which are stuck.
func (p *pages) network(v *view, run Run, states [][]uint64) error {
	topo := p.traffic.Network().Topology()
	tracker := explain.Track(p.traffic)
	var changed []spec.ChannelID
	for i, choice := range run.Choices {
		var err error
		if _, changed, err = tracker.Step(p.traffic.Moves(p.traffic.Decode(states[i]))[choice]); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	state := tracker.State()
	var full []spec.ChannelID
	for c, pieces := range state.Channels {
		if len(pieces) > 0 || slices.Contains(changed, spec.ChannelID(c)) {
			full = append(full, spec.ChannelID(c))
		}
	}
	stuck := p.traffic.Stuck(state)
	d := p.whole
	if d == nil {
		d = figure.Draw(topo, figure.Options{ID: "topology", Limits: limits, Matter: full})
	}
	v.Symbols = []*figure.Topology{d}
	v.Overlay = &figure.Overlay{Topology: d, Slots: d.Slots(full)}
	for i, s := range v.Overlay.Slots {
		slot := &v.Overlay.Slots[i]
		slot.Text, slot.Body = tracker.Short(s.Channel)
		slot.Changed = slices.Contains(changed, s.Channel)
		if slot.Title += ": empty"; slot.Text != "" {
			slot.Title = topo.ChannelName(s.Channel) + ": " + tracker.Long(s.Channel)
		}
	}
	for _, s := range v.Sources {
		v.Overlay.Open(s.Node, fmt.Sprintf("?at=%d#moves", s.Node))
	}
	p.stuck(v, d, tracker, stuck)
	return nil
}

// stuck says who waits for whom, and which notions of deadlock a state meets.
func (p *pages) stuck(v *view, d *figure.Topology, tracker *explain.Tracker, stuck []spec.ChannelID) {
	if len(stuck) == 0 {
		v.Claims = append(v.Claims, claim{
			"deadlock",
			"none: no packets wait only for each other; one that others starve, or at a dead end, does not count",
			"✓",
		})
		return
	}
	topo := p.traffic.Network().Topology()
	notion := counterexamples.NotionOf(p.traffic.Traffic, tracker.State())
	if v.Rest {
		notion = counterexamples.Global // within the bounds on traffic
	}
	what := [...]string{
		counterexamples.Local:  "packets wait only for each other, and can never move again",
		counterexamples.Weak:   "nothing in flight can move",
		counterexamples.Global: "nothing can move, not even an injection",
	}
	v.Claims = append(v.Claims, claim{"deadlock", fmt.Sprintf("%s: %s", notion, what[notion]), "✗"})
	var cycle []spec.ChannelID
	for _, x := range tracker.Waits(stuck) {
		text := explain.Packet(x.Packet, topo.Node(x.Site.Header.Dest).Name) + " holds "
		for i, c := range x.Holds {
			text += []string{"", ", "}[min(i, 1)] + topo.ChannelName(c)
		}
		text += p.traffic.Network().CommitmentText(x.Site)
		if x.Behind > 0 {
			text += fmt.Sprintf(" and stands behind P%d", x.Behind)
		}
		for i, want := range x.For {
			text += fmt.Sprintf("%s%s, held by P%d%s",
				[]string{" and waits for ", "; for "}[min(i, 1)], topo.ChannelName(want.Hop.Channel), want.Holder,
				p.traffic.Network().Reason(x.Site, want.Hop).Clause())
		}
		if x.Cyclic {
			cycle = append(cycle, x.Holds...)
		}
		if len(v.Waits) < mostRows {
			v.Waits = append(v.Waits, text)
		}
	}
	v.Overlay.Strong = d.Strong(cycle)
}
