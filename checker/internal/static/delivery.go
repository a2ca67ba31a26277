package static

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// delivery decides whether every packet can always still arrive, and leaves the
// network only at its target. It is exact under every switching, as it concerns
// single packets.
func (d *Decision) delivery(ctx context.Context) (*Answer, error) {
	s, err := d.surveyed(ctx)
	if err != nil {
		return nil, err
	}
	if d.n.FlowCount() == 0 {
		return &Answer{Because: words.Say("no node sends anything: nothing to decide")}, nil
	}
	if len(s.faults) == 0 {
		return d.certified(proofs.Certificate{
			Property: spec.Delivery, Kind: proofs.Arrival, Rank: s.ranks, Measure: s.left,
		}), nil
	}
	worst := s.faults[0]
	for _, f := range s.faults {
		if f.kind == counterexamples.Misdelivery && worst.kind != counterexamples.Misdelivery {
			worst = f // the gravest fault is shown: a wrong answer before a missing one
		}
	}
	t, because := d.faultTrace(worst)
	a := d.violated(because, t)
	for kind, what := range [faultKinds]string{
		counterexamples.Unrouted:    "flows without a first hop",
		counterexamples.DeadEnd:     "sites without a hop",
		counterexamples.Misdelivery: "sites where a packet is ejected at a wrong node",
		counterexamples.Trap:        "sites from which the destination is unreachable",
	} {
		if s.counts[kind] > 0 {
			a.Notes = append(a.Notes, words.Say("%s: %d", what, s.counts[kind]))
		}
	}
	return a, nil
}

// faultTrace leads one packet to a delivery fault.
func (d *Decision) faultTrace(f fault) (*counterexamples.Trace, words.Sentence) {
	t := d.n.Table(f.table)
	topo := d.n.Topology()
	dest := topo.Node(t.Dest).Name
	tr := &counterexamples.Trace{Property: spec.Delivery, Fault: f.kind}
	if f.site < 0 {
		tr.Site = t.SourceSite(-f.site - 1)
		if f.kind == counterexamples.Unrouted {
			return tr, words.Say("at %s the routing function returns no first hop %s",
				topo.Node(topo.Head(tr.Site.Channel)).Name, d.n.Heading(tr.Site))
		}
	} else {
		w := relation.NewWalk(d.n)
		w.Load(t)
		tr.Moves, _ = w.Shortest(nil, func(s int) bool { return s == f.site }, nil)
		tr.Site = t.Site(f.site)
	}
	where, at := topo.ChannelName(tr.Site.Channel), topo.Node(topo.Head(tr.Site.Channel)).Name
	switch f.kind {
	case counterexamples.DeadEnd:
		return tr, words.Say("at %s the routing function returns no hop %s for a packet in %s",
			at, d.n.Heading(tr.Site), where)
	case counterexamples.Trap:
		return tr, words.Say("a packet for %s in %s can move but can never arrive", dest, where)
	default:
		tr.Moves = append(tr.Moves, spec.Move{
			From:   tr.Site.Channel,
			Header: tr.Site.Header,
			Hop:    spec.Hop{Channel: spec.Eject},
		})
		tr.Site = spec.Site{}
		return tr, words.Say("a packet for %s is ejected at %s", dest, at)
	}
}
