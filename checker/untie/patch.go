package untie

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// words names a unit.
func (w *ways) words(u int32) string {
	x := w.units[u]
	turn := w.turn(x.at.Channel, x.hop.Channel)
	if w.scheme == Turns {
		return turn
	}
	return turn + " for packets " + w.header(x.at.Header)
}

func (w *ways) turn(at, to spec.ChannelID) string {
	return w.n.Topology().ChannelName(at) + " then " + w.n.Topology().ChannelName(to)
}

// header names what a router looks at.
func (w *ways) header(h spec.Header) string {
	text := "to " + w.n.Topology().Node(h.Dest).Name
	if len(w.n.Classes()) > 1 {
		text += " of class " + w.n.Classes()[h.Class]
	}
	if w.n.Tags() > 1 {
		text += fmt.Sprintf(" with tag %d", h.Tag)
	}
	return text
}

// patch says which units are forbidden, and which hops go with them.
func (w *ways) patch(forbidden []bool) []string {
	var lines []string
	for u, is := range forbidden {
		if is {
			lines = append(lines, fmt.Sprintf("forbid the %s %s", strings.TrimSuffix(string(w.scheme), "s"), w.words(int32(u))))
		}
	}
	return append(lines, w.follows(forbidden)...)
}

// follows names the hops that no unit forbids, but behind which the destination is out of reach:
// by channel and next channel, with the headers.
func (w *ways) follows(forbidden []bool) []string {
	type turn struct{ at, to spec.ChannelID }
	headers := map[turn][]string{}
	for i := range w.tables {
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
	var turns []turn
	for k := range headers {
		turns = append(turns, k)
	}
	slices.SortFunc(turns, func(a, b turn) int { return slices.Compare([]spec.ChannelID{a.at, a.to}, []spec.ChannelID{b.at, b.to}) })
	var lines []string
	for _, k := range turns {
		why := "no way on is left behind it"
		if k.to == spec.Eject {
			why = "it is not the destination"
		}
		lines = append(lines, fmt.Sprintf("so do not offer %s for packets %s: %s", w.turn(k.at, k.to), strings.Join(slices.Compact(headers[k]), ", "), why))
	}
	return lines
}
