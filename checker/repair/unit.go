package repair

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
)

// unit is what a scheme may forbid: a hop at a site, or a turn, which all sites of
// a channel share, whatever the header and tag.
type unit struct {
	at  spec.Site
	hop spec.Hop
}

// unit is what a scheme forbids.
func (s Scheme) unit() string {
	if s == Hops {
		return "hop"
	}
	return "turn"
}

// namer names the parts of a network.
type namer struct {
	n      *spec.Network
	scheme Scheme
}

// words names a unit.
func (w namer) words(x unit) string {
	turn := w.turn(x.at.Channel, x.hop.Channel)
	if w.scheme != Hops {
		return turn
	}
	return turn + " for packets " + w.header(x.at.Header)
}

func (w namer) turn(at, to spec.ChannelID) string {
	return w.n.Topology().ChannelName(at) + " then " + w.n.Topology().ChannelName(to)
}

// header names what a router looks at.
func (w namer) header(h spec.Header) string {
	text := "to " + w.n.Topology().Node(h.Dest).Name
	if len(w.n.Classes()) > 1 {
		text += " of class " + w.n.Classes()[h.Class]
	}
	if w.n.Tags() > 1 {
		text += fmt.Sprintf(" with tag %d", h.Tag)
	}
	return text
}

// forbids says which units are forbidden.
func (w namer) forbids(units []unit, forbidden []bool) []string {
	var lines []string
	for u, is := range forbidden {
		if is {
			lines = append(lines, fmt.Sprintf("forbid the %s %s", w.scheme.unit(), w.words(units[u])))
		}
	}
	return lines
}
