package static

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
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
		return &Answer{Because: findings.Say(findings.NoFlows)}, nil
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
	t, found := d.faultTrace(worst)
	a := d.violated(findings.Say(found), t)
	for kind, count := range s.counts {
		if count > 0 {
			a.Notes = append(a.Notes, findings.Say(findings.Faults{Fault: counterexamples.Fault(kind), N: count}))
		}
	}
	return a, nil
}

// faultTrace leads one packet to a delivery fault.
func (d *Decision) faultTrace(f fault) (*counterexamples.Trace, findings.Undelivered) {
	t := d.n.Table(f.table)
	topo := d.n.Topology()
	tr := &counterexamples.Trace{Property: spec.Delivery, Fault: f.kind}
	found := findings.Undelivered{Fault: f.kind, For: topo.Node(t.Dest).Name}
	if f.site < 0 {
		tr.Site = t.SourceSite(-f.site - 1)
	} else {
		w := relation.NewWalk(d.n)
		w.Load(t)
		tr.Moves, _ = w.Shortest(nil, func(s int) bool { return s == f.site }, nil)
		tr.Site = t.Site(f.site)
		found.In = topo.ChannelName(tr.Site.Channel)
	}
	found.At = topo.Node(topo.Head(tr.Site.Channel)).Name
	if f.kind == counterexamples.Unrouted || f.kind == counterexamples.DeadEnd {
		found.Heading = d.n.Heading(tr.Site)
	}
	if f.kind == counterexamples.Misdelivery {
		tr.Moves = append(tr.Moves, spec.Move{
			From:   tr.Site.Channel,
			Header: tr.Site.Header,
			Hop:    spec.Hop{Channel: spec.Eject},
		})
		tr.Site = spec.Site{}
	}
	return tr, found
}
