package proofs

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/seed-105a2da2/unknot/spec"
)

// Verify checks a certificate against a network: one pass over the sites, no
// search. A nil error is the only acceptance. Any other error says what was
// found and where. A network in which nobody sends anything proves nothing and
// is refused. It ends with ctx.
//
// Soundness: each kind's condition is checked for every source, site and hop of the
// tables, which hold all that an injected packet can do ([spec.NewNetwork]); the
// theorem of each kind stands with [Kind].
//
// Not covered: that the tables are those of the network that somebody meant; and, for
// deadlock, sinks that do not drain and dependencies between messages at endpoints.
func Verify(ctx context.Context, n *spec.Network, c *Certificate) error {
	if err := checkHead(n, c); err != nil {
		return err
	}
	v := verification{n: n, c: c, index: n.NewIndex()}
	for i := range n.Tables() {
		if err := cmp.Or(ctx.Err(), v.table(n.Table(i))); err != nil {
			return err
		}
	}
	return nil
}

// ErrNoFlow refuses evidence about a network in which nobody sends anything.
var ErrNoFlow = errors.New("this network has no flows: the certificate shows nothing")

// checkHead checks that the certificate is about this network, that its kind
// can show its property under its switching, and that it has exactly the
// numbers that its kind needs.
func checkHead(n *spec.Network, c *Certificate) error {
	switch {
	case c == nil:
		return errors.New("no certificate")
	case n.FlowCount() == 0:
		return ErrNoFlow
	case c.Network != n.Digest():
		return fmt.Errorf("the certificate is for another network: %s, not %s", c.Network, n.Digest())
	case c.Switching != n.Switching():
		return fmt.Errorf("the certificate assumes %s switching, the network has %s", c.Switching, n.Switching())
	}
	want, ok := shows[c.Kind]
	switch {
	case !ok:
		return fmt.Errorf("invalid kind of certificate %d", c.Kind)
	case c.Property != want:
		return fmt.Errorf("a certificate of kind %s shows %s, not %s", c.Kind, want, c.Property)
	case c.Kind == Escape && c.Switching == spec.Wormhole:
		return errors.New("a certificate of kind escape does not cover wormhole switching")
	}
	ranks, held, measure := 0, 0, 0
	switch c.Kind {
	case Rank, Escape:
		ranks = n.Topology().Channels()
	case ExtendedEscape:
		ranks, held = n.Topology().Channels(), n.SiteCount()
	case Measure, Arrival:
		measure = n.SiteCount()
	}
	for _, l := range []struct {
		name    string
		numbers []int32
		want    int
	}{{"rank", c.Rank, ranks}, {"held", c.Held, held}, {"measure", c.Measure, measure}} {
		if len(l.numbers) != l.want {
			return fmt.Errorf("%d numbers %s: want %d", len(l.numbers), l.name, l.want)
		}
		for i, x := range l.numbers {
			if x < 0 {
				return fmt.Errorf("number %d of %s is %d: want at least 0", i, l.name, x)
			}
		}
	}
	return nil
}

// shows tells which property each kind shows.
var shows = map[Kind]spec.Property{
	Rank:           spec.Deadlock,
	Escape:         spec.Deadlock,
	ExtendedEscape: spec.Deadlock,
	Measure:        spec.Livelock,
	Arrival:        spec.Delivery,
}

type verification struct {
	n     *spec.Network
	c     *Certificate
	index *spec.Index
}

func (v *verification) table(t *spec.Table) error {
	v.index.Load(t)
	for _, src := range t.Sources {
		if err := v.source(t, src); err != nil {
			return err
		}
	}
	for s := range t.Len() {
		if err := v.site(t, s); err != nil {
			return err
		}
	}
	return nil
}

// source checks the first hops of one flow.
func (v *verification) source(t *spec.Table, src spec.Source) error {
	hops := v.n.Row(src.Row)
	at := spec.Site{Channel: spec.Injection(src.Node), Header: spec.Header{Dest: t.Dest, Class: t.Class}}
	if v.c.Kind == Arrival && len(hops) == 0 {
		return v.wrong(at, "no first hop")
	}
	for _, h := range hops {
		to := v.index.Site(h)
		switch {
		case v.c.Kind == Arrival && to < 0:
			return v.wrong(at, "a packet ejects at a node that is not its destination")
		case v.c.Kind == ExtendedEscape && to >= 0 && v.c.Held[t.First+to] > v.c.Rank[h.Channel]:
			return v.wrong(at, fmt.Sprintf("held %d after the hop into %s of rank %d", v.c.Held[t.First+to], v.name(h), v.c.Rank[h.Channel]))
		}
	}
	return nil
}

// site checks one site: what every hop must satisfy, and what some hop must.
func (v *verification) site(t *spec.Table, s int) error {
	c := v.c
	hops := v.n.Row(t.Rows[s])
	some := false // some hop, or the site's own nature, is what the kind asks for
	for _, h := range hops {
		if h.Channel == spec.Eject {
			if c.Kind == Arrival && v.n.Topology().Head(t.Channels[s]) != t.Dest {
				return v.wrong(t.Site(s), "a packet ejects at a node that is not its destination")
			}
			some = true
			continue
		}
		here, there := t.First+s, t.First+v.index.Site(h)
		switch c.Kind {
		case Rank:
			if c.Rank[h.Channel] >= c.Rank[t.Channels[s]] {
				return v.wrong(t.Site(s), fmt.Sprintf("rank %d, but the hop into %s has rank %d", c.Rank[t.Channels[s]], v.name(h), c.Rank[h.Channel]))
			}
		case Escape:
			some = some || c.Rank[h.Channel] < c.Rank[t.Channels[s]]
		case ExtendedEscape:
			if c.Held[there] > c.Held[here] || c.Held[there] > c.Rank[h.Channel] {
				return v.wrong(t.Site(s), fmt.Sprintf("held %d, but held %d after the hop into %s of rank %d", c.Held[here], c.Held[there], v.name(h), c.Rank[h.Channel]))
			}
			some = some || c.Rank[h.Channel] < c.Held[here]
		case Measure:
			if c.Measure[there] >= c.Measure[here] {
				return v.wrong(t.Site(s), fmt.Sprintf("measure %d, but %d after the hop into %s", c.Measure[here], c.Measure[there], v.name(h)))
			}
		case Arrival:
			some = some || c.Measure[there] < c.Measure[here]
		}
	}
	switch {
	case some:
	case c.Kind == Arrival:
		return v.wrong(t.Site(s), "no permitted hop of lower measure")
	case (c.Kind == Escape || c.Kind == ExtendedEscape) && len(hops) > 0:
		return v.wrong(t.Site(s), "no permitted hop of lower rank")
	}
	return nil
}

func (v *verification) name(h spec.Hop) string { return v.n.Topology().ChannelName(h.Channel) }

func (v *verification) wrong(s spec.Site, what string) error {
	t := v.n.Topology()
	return fmt.Errorf("at %s for %s, class %d, tag %d: %s", t.ChannelName(s.Channel), t.Node(s.Header.Dest).Name, s.Header.Class, s.Header.Tag, what)
}
