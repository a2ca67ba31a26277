package diff

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// comparison compares the tables of two networks, target by target.
type comparison struct {
	a, b          *spec.Network
	there, back   *matching
	flows, routes *list
	rows          map[[2]spec.RowID]bool // pairs already compared: whether they are the same
	destinations  map[spec.NodeID]bool   // nodes of b, or below 0 those of a that b lacks, to which routes differ
}

func newComparison(a, b *spec.Network, opt Options) *comparison {
	c := &comparison{a: a, b: b, there: match(a.Topology(), b.Topology()), back: match(b.Topology(), a.Topology()),
		flows: &list{List: List{What: "flows"}, opt: opt}, routes: &list{List: List{What: "routes"}, opt: opt},
		rows: map[[2]spec.RowID]bool{}, destinations: map[spec.NodeID]bool{}}
	c.there.classes(a, b)
	c.back.classes(b, a)
	return c
}

// tables compares everything in the tables.
func (c *comparison) tables(ctx context.Context) error {
	for i := range c.a.Tables() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t := c.a.Table(i)
		dest, class := c.there.node[t.Dest], c.there.class[t.Class]
		var other *spec.Table
		if dest != none && class >= 0 {
			other = c.b.TableOf(spec.Target{Dest: dest, Class: spec.Class(class)})
		}
		if other == nil {
			c.alone(c.a, t, (*list).lose, -1-t.Dest)
		} else {
			c.compare(t, other)
		}
	}
	for i := range c.b.Tables() {
		t := c.b.Table(i)
		dest, class := c.back.node[t.Dest], c.back.class[t.Class]
		if dest == none || class < 0 || c.a.TableOf(spec.Target{Dest: dest, Class: spec.Class(class)}) == nil {
			c.alone(c.b, t, (*list).gain, t.Dest)
		}
	}
	if n := len(c.destinations); n > 0 {
		c.routes.Note = fmt.Sprintf("to %d destinations", n)
		if n == 1 {
			c.routes.Note = "to 1 destination"
		}
	}
	return nil
}

// alone reports all of a table that the other network lacks.
func (c *comparison) alone(n *spec.Network, t *spec.Table, tell func(*list, func() string), dest spec.NodeID) {
	for i, s := range t.Sources {
		tell(c.flows, func() string { return flowText(n, t.SourceSite(i)) })
		tell(c.routes, func() string { return routeText(n, t.SourceSite(i), s.Row) })
	}
	for i, r := range t.Rows {
		tell(c.routes, func() string { return routeText(n, t.Site(i), r) })
	}
	c.destinations[dest] = true
}

// compare compares the tables of one target.
func (c *comparison) compare(t, u *spec.Table) {
	differ := c.routes.Gone + c.routes.New + c.routes.Changed
	pair := func(at spec.Site, r, s spec.RowID) {
		if c.same(r, s) {
			c.routes.Same++
			return
		}
		c.routes.change(func() string {
			return routeText(c.a, at, r) + ", now " + hopsText(c.b, c.b.OwnHops(c.b.Row(s)), short(c.a, at))
		})
	}
	for i, s := range t.Sources {
		at := t.SourceSite(i)
		if v := c.there.node[s.Node]; v != none {
			if k, ok := u.FindSource(spec.Injection(v), at.Header.Tag); ok {
				c.flows.Same++
				pair(at, s.Row, u.Sources[k].Row)
				continue
			}
		}
		c.flows.lose(func() string { return flowText(c.a, at) })
		c.routes.lose(func() string { return routeText(c.a, at, s.Row) })
	}
	for i, s := range u.Sources {
		at := u.SourceSite(i)
		if v := c.back.node[s.Node]; v != none {
			if _, ok := t.FindSource(spec.Injection(v), at.Header.Tag); ok {
				continue
			}
		}
		c.flows.gain(func() string { return flowText(c.b, at) })
		c.routes.gain(func() string { return routeText(c.b, at, s.Row) })
	}
	for i, r := range t.Rows {
		if k, ok := u.Find(c.there.channel[t.Channels[i]], t.Tag(i)); ok {
			pair(t.Site(i), r, u.Rows[k])
			continue
		}
		c.routes.lose(func() string { return routeText(c.a, t.Site(i), r) })
	}
	for i, r := range u.Rows {
		if _, ok := t.Find(c.back.channel[u.Channels[i]], u.Tag(i)); !ok {
			c.routes.gain(func() string { return routeText(c.b, u.Site(i), r) })
		}
	}
	if c.routes.Gone+c.routes.New+c.routes.Changed > differ {
		c.destinations[u.Dest] = true
	}
}

// same reports whether rows of the two networks permit the same hops.
func (c *comparison) same(r, s spec.RowID) bool {
	known, ok := c.rows[[2]spec.RowID{r, s}]
	if ok {
		return known
	}
	var hops []spec.Hop
	for _, h := range c.a.Row(r) {
		hops = append(hops, c.there.hop(h))
	}
	slices.SortFunc(hops, spec.Hop.Compare)
	is := slices.Equal(hops, c.b.Row(s))
	c.rows[[2]spec.RowID{r, s}] = is
	return is
}

// flowText names the flow that begins at a site.
func flowText(n *spec.Network, at spec.Site) string {
	text := n.Topology().Node(n.Topology().Head(at.Channel)).Name + " to " + target(n, at.Header.Target())
	if message := n.Message(at); message != "" {
		text += ", " + message
	} else if n.Alternatives() > 0 {
		text += n.CommitmentText(at)
	} else if at.Header.Tag > 0 {
		text += fmt.Sprintf(", alternative %d", at.Header.Tag+1)
	}
	return text
}

func target(n *spec.Network, to spec.Target) string {
	text := n.Topology().Node(to.Dest).Name
	if len(n.Classes()) > 1 {
		text += fmt.Sprintf(" class %q", n.Classes()[to.Class])
	}
	return text
}

// routeText describes what is permitted at a site.
func routeText(n *spec.Network, at spec.Site, r spec.RowID) string {
	text := fmt.Sprintf("to %s: %s", target(n, at.Header.Target()), n.Topology().ChannelName(at.Channel))
	if n.Alternatives() > 0 {
		text += n.TagText(at)
	} else if at.Header.Tag > 0 {
		text += fmt.Sprintf(" tag %d", at.Header.Tag)
	}
	return text + " takes " + hopsText(n, n.OwnHops(n.Row(r)), short(n, at))
}

// short names the node of a site short of the destination, where a packet that ejects is lost to it; otherwise "".
func short(n *spec.Network, at spec.Site) string {
	v := n.Topology().Head(at.Channel)
	if v == at.Header.Dest {
		return ""
	}
	return n.Topology().Node(v).Name
}

// hopsText describes permitted hops at a node short of the destination, or there ("").
func hopsText(n *spec.Network, hops []spec.Hop, short string) string {
	if len(hops) == 0 {
		return "nothing"
	}
	var parts []string
	for _, h := range hops {
		text := n.Topology().HopName(h)
		if h.Channel == spec.Eject && !h.Discards() && short != "" {
			text += " at " + short + ", short of the destination"
		}
		if h.Tag > 0 && !h.Discards() {
			text += fmt.Sprintf(" tag %d", h.Tag)
		}
		if h.Room > 1 {
			text += fmt.Sprintf(" with room for %d", h.Room)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " or ")
}
