package proofs

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-105a2da2/unknot/spec"
)

// The plain check: for readers.
//
// VerifyPlain and CheckTables check again, with a map and nothing else, what Verify and spec.NewNetwork check on
// networks of hundreds of millions of sites. unknot-verify --plain runs them, so that a sceptic runs what he has read.
// Each table is checked alone, with one condition per kind of certificate; the theorem behind it is stated at the Kind.
// Tests compare both forms on drawn networks and certificates.

// CheckTables checks what every kind of evidence takes for granted: a hop permitted anywhere leaves the node where
// the packet is, so for another channel than the packet's own, as no link leads back to its own node, and leads to a
// site that the same table lists. So, by induction over the hops of a packet, everything that an injected packet can
// do is in the tables.
func CheckTables(ctx context.Context, n *spec.Network) error {
	topo := n.Topology()
	for i := range n.Tables() {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := n.Table(i)
		listed := sitesOf(t)
		if len(listed) != t.Len() {
			return fmt.Errorf("the table for %s lists a site twice", topo.Node(t.Dest).Name)
		}
		check := func(s spec.Site, hops []spec.Hop) error {
			for _, h := range hops {
				if h.Channel == spec.Eject {
					continue
				}
				if _, ok := listed[h.Taken()]; !ok || topo.Tail(h.Channel) != topo.Head(s.Channel) {
					return at(n, s,
						"a hop leads to no site of the table, or does not leave the node where the packet is")
				}
			}
			return nil
		}
		for k, src := range t.Sources {
			if err := check(t.SourceSite(k), n.Row(src.Row)); err != nil {
				return err
			}
		}
		for k := range t.Len() {
			if err := check(t.Site(k), n.Row(t.Rows[k])); err != nil {
				return err
			}
		}
	}
	return nil
}

// sitesOf numbers the sites of a table. A hop names the site that it leads to.
func sitesOf(t *spec.Table) map[spec.Hop]int {
	sites := make(map[spec.Hop]int, t.Len())
	for k, c := range t.Channels {
		sites[spec.Hop{Channel: c, Tag: t.Tag(k)}] = k
	}
	return sites
}

// at says at which site something is wrong.
func at(n *spec.Network, s spec.Site, problem string) error {
	t := n.Topology()
	return fmt.Errorf("at %s for %s, class %d, tag %d: %s",
		t.ChannelName(s.Channel), t.Node(s.Header.Dest).Name, s.Header.Class, s.Header.Tag, problem)
}

// VerifyPlain accepts the certificates that Verify accepts. It takes several times as long.
func VerifyPlain(ctx context.Context, n *spec.Network, c *Certificate) error {
	if err := checkHead(n, c); err != nil {
		return err
	}
	if len(c.Once) > 0 {
		return plainOnce(n, c.Once)
	}
	if c.Kind == NoDiscard {
		for r := range spec.RowID(n.RowCount()) {
			for _, h := range n.Row(r) {
				if h.Discards() {
					return discards(r)
				}
			}
		}
		return nil
	}
	for i := range n.Tables() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := plainTable(n, c, n.Table(i)); err != nil {
			return err
		}
	}
	return nil
}

func plainTable(n *spec.Network, c *Certificate, t *spec.Table) error {
	p := plain{n, c, t, sitesOf(t), nil}
	switch {
	case c.leavesOut() && c.Kind == ExtendedEscape:
		p.hold()
	case c.leavesOut():
		p.measure()
	}
	for k, src := range t.Sources {
		if problem := p.source(n.Row(src.Row)); problem != "" {
			return at(n, t.SourceSite(k), problem)
		}
	}
	for k := range t.Len() {
		if problem := p.site(k, n.Row(t.Rows[k])); problem != "" {
			return at(n, t.Site(k), problem)
		}
	}
	return nil
}

// plainOnce follows the packets of flows hop by hop.
func plainOnce(n *spec.Network, flows []spec.Flow) error {
	met := map[spec.Site]bool{}
	var follow func(s spec.Site) error
	follow = func(s spec.Site) error {
		hops, _ := n.Hops(s)
		for _, h := range hops {
			next := spec.Site{Channel: h.Channel, Header: spec.Header{Dest: s.Header.Dest, Class: s.Header.Class, Tag: h.Tag}}
			switch {
			case h.Discards():
				return at(n, s, "the row permits a discard")
			case h.Channel != spec.Eject && !met[next]:
				met[next] = true
				if err := follow(next); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, f := range flows {
		for k := range n.TableOf(f.Target).SourcesOf(f.Source) {
			header := spec.Header{Dest: f.Target.Dest, Class: f.Target.Class, Tag: spec.Tag(k)}
			if err := follow(spec.Site{Channel: spec.Injection(f.Source), Header: header}); err != nil {
				return err
			}
		}
	}
	return nil
}

// plain is the check of one table.
type plain struct {
	n     *spec.Network
	c     *Certificate
	table *spec.Table
	sites map[spec.Hop]int
	found []int32 // by site: the numbers that the certificate leaves out
}

// hold finds the largest numbers that are nowhere above the rank of the site's own channel, and that no hop raises.
func (p *plain) hold() {
	for _, c := range p.table.Channels {
		p.found = append(p.found, p.c.Rank[c])
	}
	for lowered := true; lowered; {
		lowered = false
		for site, row := range p.table.Rows {
			for _, h := range p.n.Row(row) {
				if next, ok := p.sites[h.Taken()]; ok && p.found[next] > p.found[site] {
					p.found[next], lowered = p.found[site], true
				}
			}
		}
	}
}

// measure finds the distances of the sites' nodes from the destination.
func (p *plain) measure() {
	t := p.n.Topology()
	distance := map[spec.NodeID]int32{p.table.Dest: 0}
	for found := true; found; {
		found = false
		for l := range spec.LinkID(t.Links()) {
			to, reached := distance[t.Link(l).To]
			if from, before := distance[t.Link(l).From]; reached && (!before || from > to+1) {
				distance[t.Link(l).From], found = to+1, true
			}
		}
	}
	for _, c := range p.table.Channels {
		d, reached := distance[t.Head(c)]
		if !reached {
			d = math.MaxInt32
		}
		p.found = append(p.found, d)
	}
}

// number returns the certificate's number for a site of the table: what is held there, its measure, the rank of its
// channel, or what was found in their place.
func (p *plain) number(site int) int32 {
	switch {
	case p.found != nil:
		return p.found[site]
	case len(p.c.Held) > 0:
		return p.c.Held[p.table.First+site]
	case len(p.c.Measure) > 0:
		return p.c.Measure[p.table.First+site]
	}
	return p.c.Rank[p.table.Channels[site]]
}

// numberAfter returns the number of the site that a hop leads to.
func (p *plain) numberAfter(h spec.Hop) int32 { return p.number(p.sites[h.Taken()]) }

// source says what is wrong with the first hops of a flow.
func (p *plain) source(hops []spec.Hop) string {
	switch {
	case p.c.Kind == Arrival && len(hops) == 0:
		return "no first hop"
	case p.c.Kind == Arrival && arrives(hops):
		return misdelivered
	case p.c.Kind == ExtendedEscape && p.holdsMore(hops):
		return heldOver
	}
	return ""
}

// site says what is wrong with the hops of a site.
func (p *plain) site(site int, hops []spec.Hop) string {
	here, left, deadEnd := p.number(site), leaves(hops), len(hops) == 0
	switch p.c.Kind {
	case Rank, Measure: // every hop leads lower
		if highest := p.highest(hops); highest >= here {
			return fmt.Sprintf("%s %d, but %d after a hop", p.c.Kind, here, highest)
		}
	case Escape: // some hop leads lower
		if !left && !deadEnd && !p.leadsBelow(here, hops) {
			return fmt.Sprintf("%s %d, but no permitted hop is lower", p.c.Kind, here)
		}
	case ExtendedEscape: // what is held stays a lower bound, and some hop is into a channel below it
		if p.holdsMore(hops) {
			return heldOver
		}
		if highest := p.highest(hops); highest > here {
			return fmt.Sprintf("%s %d, but %d after a hop", p.c.Kind, here, highest)
		}
		if !left && !deadEnd && !p.leadsBelow(here, hops) {
			return fmt.Sprintf("%s %d, but no permitted hop is lower", p.c.Kind, here)
		}
	case Arrival: // some hop leads lower, and a packet ejects only at home
		if arrives(hops) && p.n.Topology().Head(p.table.Channels[site]) != p.table.Dest {
			return misdelivered
		}
		if !left && !p.leadsBelow(here, hops) {
			return fmt.Sprintf("%s %d, but no permitted hop is lower", p.c.Kind, here)
		}
	default: // a kind whose condition is missing here shows nothing
		return noCondition(p.c.Kind)
	}
	return ""
}

// arrives reports whether one of the hops ejects.
func arrives(hops []spec.Hop) bool {
	for _, h := range hops {
		if h.Channel == spec.Eject && !h.Discards() {
			return true
		}
	}
	return false
}

// leaves reports whether one of the hops ejects, or discards.
func leaves(hops []spec.Hop) bool {
	for _, h := range hops {
		if h.Channel == spec.Eject {
			return true
		}
	}
	return false
}

// highest returns the highest number after a hop into a channel, -1 if there is none.
func (p *plain) highest(hops []spec.Hop) int32 {
	highest := int32(-1)
	for _, h := range hops {
		if h.Channel != spec.Eject {
			highest = max(highest, p.numberAfter(h))
		}
	}
	return highest
}

// leadsBelow reports whether one of the hops, none of which leaves the network, leads below a number: to a site with a
// lower one or, as extended escapes compare channels, into a channel of lower rank.
func (p *plain) leadsBelow(number int32, hops []spec.Hop) bool {
	for _, h := range hops {
		if p.c.Kind == ExtendedEscape && p.c.Rank[h.Channel] < number ||
			p.c.Kind != ExtendedEscape && p.numberAfter(h) < number {
			return true
		}
	}
	return false
}

// holdsMore reports whether more is held after some hop than the rank of the channel that it leads into.
func (p *plain) holdsMore(hops []spec.Hop) bool {
	for _, h := range hops {
		if h.Channel != spec.Eject && p.numberAfter(h) > p.c.Rank[h.Channel] {
			return true
		}
	}
	return false
}
