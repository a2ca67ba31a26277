package page

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/show/internal/figure"
	"github.com/seed-105a2da2/unknot/spec"
)

// waits is who waits for whom.
type waits struct {
	Overlay *figure.Overlay
	Rows    []waitRow
	Text    string
	Cycle   int // rows of the cycle, the first ones
	More    int
}

type waitRow struct {
	Number int
	Cyclic bool
	Packet string
	Holds  []string
	For    []wantRow
	Behind string
}

type wantRow struct {
	Channel string
	Holder  string
	Why     string
}

// waitsOf lists who waits for whom, and draws it.
func waitsOf(n *spec.Network, d *figure.Topology, tracker *explain.Tracker, stuck []spec.ChannelID, l limits) *waits {
	topo := n.Topology()
	w := &waits{Overlay: &figure.Overlay{Topology: d}}
	var held, cycle []spec.ChannelID
	heads := map[spec.ChannelID]int{}
	choice := false
	for i, x := range tracker.Waits(stuck) {
		row := waitRow{
			Number: i + 1,
			Cyclic: x.Cyclic,
			Packet: explain.Packet(x.Packet, topo.Node(x.Site.Header.Dest).Name) + n.CommitmentText(x.Site),
		}
		for _, c := range x.Holds {
			row.Holds = append(row.Holds, topo.ChannelName(c))
			if !slices.Contains(held, c) {
				held = append(held, c)
			}
		}
		if x.Behind > 0 {
			row.Behind = fmt.Sprintf("P%d, before it in %s", x.Behind, topo.ChannelName(x.Site.Channel))
		}
		for _, want := range x.For {
			row.For = append(row.For, wantRow{
				topo.ChannelName(want.Hop.Channel),
				fmt.Sprintf("P%d", want.Holder),
				n.Reason(x.Site, want.Hop).Text,
			})
		}
		choice = choice || len(x.For) > 1
		if x.Cyclic {
			w.Cycle++
			cycle = append(cycle, x.Holds...)
		}
		heads[x.Site.Channel] = i + 1
		if len(w.Rows) < l.rows {
			w.Rows = append(w.Rows, row)
		} else {
			w.More++
		}
	}
	w.Text = stuckText(len(w.Rows)+w.More, w.Cycle, choice)
	w.Overlay.Strong = d.Strong(cycle)
	w.Overlay.Slots = d.Slots(held)
	for i, s := range w.Overlay.Slots {
		w.Overlay.Slots[i].Text, w.Overlay.Slots[i].Body = tracker.Short(s.Channel)
		w.Overlay.Slots[i].Title += ": " + tracker.Long(s.Channel)
		if number := heads[s.Channel]; number > 0 && number <= len(w.Rows) {
			w.Overlay.Badges = append(w.Overlay.Badges, d.Badge(s, number, w.Rows[number-1].Packet, w.Overlay.Slots))
		}
	}
	return w
}

// stuckText says in a sentence who blocks whom; choice means that some packet has
// several permitted hops.
func stuckText(stuck, cycle int, choice bool) string {
	return findings.WaitsShown{Stuck: stuck, Cycle: cycle, Choice: choice}.String()
}
