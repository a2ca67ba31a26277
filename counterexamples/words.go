package counterexamples

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// Transcript tells a trace in sentences, one a move, with the reasons of hops.
func Transcript(n *spec.Network, t *Trace) []string {
	topo := n.Topology()
	var lines []string
	for i, m := range t.Moves {
		line := fmt.Sprintf("%d. packet for %s", i+1, topo.Node(m.Header.Dest).Name)
		switch {
		case m.From.IsInjection() && m.Hop.Channel == spec.Eject:
			line += " leaves at once at " + topo.Node(topo.Head(m.From)).Name
		case m.From.IsInjection():
			line += fmt.Sprintf(" enters at %s into %s", topo.Node(topo.Head(m.From)).Name, topo.ChannelName(m.Hop.Channel))
		case m.Hop.Channel == spec.Eject:
			line += fmt.Sprintf(" leaves %s at %s", topo.ChannelName(m.From), topo.Node(topo.Head(m.From)).Name)
		default:
			line += fmt.Sprintf(" moves from %s to %s", topo.ChannelName(m.From), topo.ChannelName(m.Hop.Channel))
		}
		lines = append(lines, line+by(n, spec.Site{Channel: m.From, Header: m.Header}, m.Hop))
	}
	switch t.Fault {
	case Loop:
		lines = append(lines, fmt.Sprintf("and so on from move %d", t.Back+1))
	case DeadEnd:
		lines = append(lines, "there it has no permitted hop")
	case Trap:
		lines = append(lines, "from there it can move, but never arrive")
	case Unrouted:
		lines = append(lines, fmt.Sprintf("%s has no first hop for %s", topo.Node(topo.Head(t.Site.Channel)).Name, topo.Node(t.Site.Header.Dest).Name))
	case Misdelivery:
		lines = append(lines, "that is not its destination")
	}
	return lines
}

// WaitFor tells who waits for whom at the end of a trace to a circular wait:
// one sentence for each channel that a stuck packet waits for. Stuck channels
// follow each other along the waits, so that a cycle reads as one.
func WaitFor(n *spec.Network, t *Trace) []string {
	s := n.EmptyState()
	for _, m := range t.Moves {
		next, err := n.Step(s, m)
		if err != nil {
			return []string{"the trace does not replay: " + err.Error()}
		}
		s = next
	}
	topo := n.Topology()
	var lines []string
	for _, c := range alongWaits(n, s, t.Stuck) {
		if len(s[c]) == 0 {
			continue
		}
		site := spec.Site{Channel: c, Header: s[c][0]}
		hops, _ := n.Hops(site)
		var waits []string
		for _, h := range hops {
			waits = append(waits, topo.ChannelName(h.Channel)+by(n, site, h))
		}
		lines = append(lines, fmt.Sprintf("packet for %s holds %s and waits for %s", topo.Node(site.Header.Dest).Name, topo.ChannelName(c), strings.Join(waits, " and for ")))
	}
	return lines
}

// alongWaits orders stuck channels: each followed by one that its packet waits
// for, as long as that has not been named.
func alongWaits(n *spec.Network, s spec.State, stuck []spec.ChannelID) []spec.ChannelID {
	named := map[spec.ChannelID]bool{}
	var order []spec.ChannelID
	for _, c := range stuck {
		for c >= 0 && !named[c] && len(s[c]) > 0 {
			named[c] = true
			order = append(order, c)
			hops, _ := n.Hops(spec.Site{Channel: c, Header: s[c][0]})
			i := slices.IndexFunc(hops, func(h spec.Hop) bool { return h.Channel >= 0 && !named[h.Channel] })
			if i < 0 {
				break
			}
			c = hops[i].Channel
		}
	}
	return order
}

func by(n *spec.Network, s spec.Site, h spec.Hop) string {
	if why := n.Reason(s, h); why != "" {
		return ", by " + why
	}
	return ""
}
