package untie

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

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

// follows names the hops that no unit forbids but after which the destination is out of reach,
// by channel and next channel, with their headers. Fewer if ctx ends.
func (w *paths) follows(ctx context.Context, forbidden []bool) []string {
	type turn struct{ at, to spec.ChannelID }
	headers := map[turn][]string{}
	for i := range w.tables {
		if ctx.Err() != nil {
			break
		}
		t := &w.tables[i]
		add := func(v int32, row spec.RowID) {
			if !t.isLive(v) {
				return
			}
			at := t.siteOf(v)
			e := t.first[v]
			for _, h := range w.n.Row(row) {
				if e == t.first[v+1] || t.hop[e] != h { // an edge left out
					headers[turn{at.Channel, h.Channel}] = append(headers[turn{at.Channel, h.Channel}], w.header(at.Header))
					continue
				}
				if !t.live[e] && (t.unit[e] == free || !forbidden[t.unit[e]]) {
					headers[turn{at.Channel, h.Channel}] = append(headers[turn{at.Channel, h.Channel}], w.header(at.Header))
				}
				e++
			}
		}
		for v, s := range t.Sources {
			add(int32(v), s.Row)
		}
		for s, row := range t.Rows {
			add(int32(len(t.Sources)+s), row)
		}
	}
	turns := slices.SortedFunc(maps.Keys(headers), func(a, b turn) int { return slices.Compare([]spec.ChannelID{a.at, a.to}, []spec.ChannelID{b.at, b.to}) })
	var lines []string
	for _, k := range turns {
		why := "no path is left after it"
		if k.to == spec.Eject {
			why = "it is not the destination"
		}
		lines = append(lines, fmt.Sprintf("so do not offer %s for packets %s: %s", w.turn(k.at, k.to), strings.Join(slices.Compact(headers[k]), ", "), why))
	}
	return lines
}
