package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Transcript tells a trace or run in sentences, one a step, with the reasons of hops
// and, if they are wanted, what each changes; nil if e is neither.
func Transcript(e evidence.Evidence, changes bool) []string {
	x, err := Follow(e)
	if err != nil {
		return []string{"it does not replay: " + err.Error()}
	}
	if x == nil {
		return nil
	}
	var lines, changed []string
	if changes {
		if changed, err = x.Changes(); err != nil {
			return []string{"it does not replay: " + err.Error()}
		}
		if _, empty := x.Machine.(*states.Traffic); !empty {
			lines = append(lines, "   "+x.Machine.Layout().Text(x.first()))
		}
	}
	for i, s := range x.Steps {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, s.Text))
		if changes {
			lines = append(lines, "   "+changed[i])
		}
	}
	if x.Ending != "" {
		lines = append(lines, x.Ending)
	}
	return lines
}

// told tells a move.
func told(n *spec.Network, m spec.Move) string {
	topo := n.Topology()
	if m.Kind != spec.Advance {
		return follower(n, m)
	}
	line := "packet for " + topo.Node(m.Header.Dest).Name
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
	return line + by(n, spec.Site{Channel: m.From, Header: m.Header}, m.Hop)
}

// ending says what the last state of a trace shows.
func ending(t evidence.Trace) string {
	topo := t.Network.Topology()
	switch t.Fault {
	case counterexamples.Loop:
		return fmt.Sprintf("and so on from move %d", t.Back+1)
	case counterexamples.DeadEnd:
		return "there it has no permitted hop"
	case counterexamples.Trap:
		return "from there it can move, but never arrive"
	case counterexamples.Unrouted:
		return fmt.Sprintf("%s has no first hop for %s", topo.Node(topo.Head(t.Site.Channel)).Name, topo.Node(t.Site.Header.Dest).Name)
	case counterexamples.Misdelivery:
		return "that is not its destination"
	}
	return ""
}

func follower(n *spec.Network, m spec.Move) string {
	topo := n.Topology()
	switch {
	case m.Kind == spec.Consume:
		return fmt.Sprintf("the sink of %s consumes a packet", topo.Node(topo.Head(m.From)).Name)
	case m.Kind == spec.Finish:
		return fmt.Sprintf("the message for %s that enters %s ends", topo.Node(m.Header.Dest).Name, topo.ChannelName(m.Hop.Channel))
	case m.From.IsInjection():
		return fmt.Sprintf("the next flit for %s enters into %s", topo.Node(m.Header.Dest).Name, topo.ChannelName(m.Hop.Channel))
	case m.Hop.Channel == spec.Eject:
		return fmt.Sprintf("the next flit for %s leaves %s at %s", topo.Node(m.Header.Dest).Name, topo.ChannelName(m.From), topo.Node(topo.Head(m.From)).Name)
	}
	return fmt.Sprintf("the next flit for %s follows from %s to %s", topo.Node(m.Header.Dest).Name, topo.ChannelName(m.From), topo.ChannelName(m.Hop.Channel))
}

// Wait is an edge of the wait-for graph: the message whose head is at Site holds
// From, and waits for To; or holds To, too, nearer to its head.
type Wait struct {
	From, To spec.ChannelID
	Site     spec.Site
	Hop      spec.Hop
}

// Waits returns the wait-for graph at the end of a trace to a circular wait.
func Waits(t evidence.Trace) ([]Wait, error) {
	n := t.Network
	_, s, err := counterexamples.End(context.Background(), n, t.Trace)
	if err != nil {
		return nil, err
	}
	var waits []Wait
	add := func(w Wait) {
		if !slices.Contains(waits, w) {
			waits = append(waits, w)
		}
	}
	for _, c := range t.Stuck {
		if len(s.Channels[c]) == 0 {
			continue
		}
		at, held, waiting := head(s, c)
		for i := range held[1:] {
			add(Wait{From: held[i], To: held[i+1], Site: at})
		}
		if hops, _ := n.Hops(at); waiting {
			for _, hop := range hops {
				add(Wait{at.Channel, hop.Channel, at, hop})
			}
		}
	}
	return waits, nil
}

// WaitFor tells who waits for whom at the end of a trace to a circular wait:
// one sentence for each channel that a stuck packet waits for. Stuck channels
// follow each other along the waits, so that a cycle reads as one. Other evidence has
// no such end.
func WaitFor(e evidence.Evidence) []string {
	t, ok := e.(evidence.Trace)
	if !ok || t.Fault != counterexamples.CircularWait {
		return nil
	}
	n := t.Network
	_, s, err := counterexamples.End(context.Background(), n, t.Trace)
	if err != nil {
		return []string{"it does not replay: " + err.Error()}
	}
	topo := n.Topology()
	var lines []string
	for _, c := range alongWaits(n, s, t.Stuck) {
		if len(s.Channels[c]) == 0 {
			continue
		}
		site, held, waiting := head(s, c)
		if !waiting {
			lines = append(lines, fmt.Sprintf("packet for %s holds %s behind the first packet of %s", topo.Node(site.Header.Dest).Name, held.names(topo), topo.ChannelName(site.Channel)))
			continue
		}
		hops, _ := n.Hops(site)
		var waits []string
		for _, h := range hops {
			waits = append(waits, topo.ChannelName(h.Channel)+by(n, site, h))
		}
		lines = append(lines, fmt.Sprintf("packet for %s holds %s and waits for %s", topo.Node(site.Header.Dest).Name, held.names(topo), strings.Join(waits, " and for ")))
	}
	return lines
}

type channels []spec.ChannelID

func (cs channels) names(t *spec.Topology) string {
	var names []string
	for _, c := range cs {
		names = append(names, t.ChannelName(c))
	}
	return strings.Join(names, ", ")
}

// head follows the first message of channel c to where its head stands: the
// site, the channels from c on to there, and whether the head is the first
// there.
func head(s spec.Occupancy, c spec.ChannelID) (at spec.Site, held channels, first bool) {
	p := s.Channels[c][0]
	held = channels{c}
	for p.Left && p.Out.Channel >= 0 {
		c = p.Out.Channel
		held = append(held, c)
		if len(s.Channels[c]) > 1 {
			return spec.Site{Channel: c, Header: s.Channels[c][len(s.Channels[c])-1].Header}, held, false
		}
		p = s.Channels[c][0]
	}
	return spec.Site{Channel: c, Header: p.Header}, held, true
}

// alongWaits orders stuck channels, one for each message (the one farthest from
// its head): each followed by one of a message that it waits for, as long as
// that has not been named.
func alongWaits(n *spec.Network, s spec.Occupancy, stuck []spec.ChannelID) []spec.ChannelID {
	tail := map[spec.ChannelID]spec.ChannelID{} // by channel of a message: its last one in the set
	var tails []spec.ChannelID
	longest := map[spec.ChannelID]int{}
	for _, c := range stuck {
		if len(s.Channels[c]) == 0 {
			continue
		}
		_, held, _ := head(s, c)
		for i, h := range held {
			if len(held)-i > 0 && longest[h] < len(held) {
				longest[h], tail[h] = len(held), c
			}
		}
	}
	for _, c := range stuck {
		if tail[c] == c {
			tails = append(tails, c)
		}
	}
	named := map[spec.ChannelID]bool{}
	var order []spec.ChannelID
	for _, c := range tails {
		for c >= 0 && !named[c] {
			named[c] = true
			order = append(order, c)
			at, _, _ := head(s, c)
			hops, _ := n.Hops(at)
			next := spec.Eject
			for _, h := range hops {
				if t, ok := tail[h.Channel]; ok && !named[t] {
					next = t
					break
				}
			}
			c = next
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
