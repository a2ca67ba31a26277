package checker

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

// delivery decides whether every packet stays able to arrive and leaves the
// network nowhere else. Exact, whatever the switching: it is a question about
// single packets.
func (d *decision) delivery(ctx context.Context) (*Finding, error) {
	c, err := d.survey(ctx)
	if err != nil {
		return nil, err
	}
	r := &Finding{Property: delivery}
	if d.n.FlowCount() == 0 {
		r.Because = "no node sends anything: nothing to decide"
		return r, nil
	}
	if len(c.faults) == 0 {
		because := fmt.Sprintf("every one of %s is routed, and from every one of %s the destination is reachable", plural(d.n.FlowCount(), "flow"), plural(d.n.SiteCount(), "site"))
		d.certified(r, because, proofs.Certificate{Property: spec.Delivery, Kind: proofs.Arrival, Measure: c.left})
		return r, nil
	}
	worst := c.faults[0]
	for _, f := range c.faults {
		if f.kind == counterexamples.Misdelivery && worst.kind != counterexamples.Misdelivery {
			worst = f // the gravest fault is shown: a wrong answer before a missing one
		}
	}
	t, because := d.faultTrace(worst)
	r.Verdict, r.Because, r.Evidence = spec.Violated, because, evidence.Trace{Network: d.n, Trace: t}
	for kind, what := range [faultKinds]string{
		counterexamples.Unrouted:    "flows without a first hop",
		counterexamples.DeadEnd:     "sites without a hop",
		counterexamples.Misdelivery: "sites where a packet ejects at a wrong node",
		counterexamples.Trap:        "sites from which the destination is unreachable",
	} {
		if c.counts[kind] > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %d", what, c.counts[kind]))
		}
	}
	return r, nil
}

// faultTrace leads one packet to a delivery fault.
func (d *decision) faultTrace(f fault) (*counterexamples.Trace, string) {
	t := d.n.Table(f.table)
	topo := d.n.Topology()
	dest := topo.Node(t.Dest).Name
	tr := &counterexamples.Trace{Network: d.n.Digest(), Property: spec.Delivery, Fault: f.kind}
	if f.site < 0 {
		src := t.Sources[-f.site-1].Node
		tr.Site = spec.Site{Channel: spec.Injection(src), Header: spec.Header{Dest: t.Dest, Class: t.Class}}
		if f.kind == counterexamples.Unrouted {
			return tr, fmt.Sprintf("a packet from %s for %s has no first hop", topo.Node(src).Name, dest)
		}
	} else {
		w := newWalker(d.n)
		w.load(t)
		tr.Moves, _ = w.shortest(func(s int) bool { return s == f.site }, anyChannel)
		tr.Site = t.Site(f.site)
	}
	where := topo.ChannelName(tr.Site.Channel)
	switch f.kind {
	case counterexamples.DeadEnd:
		return tr, fmt.Sprintf("a packet for %s in %s has no permitted hop", dest, where)
	case counterexamples.Trap:
		return tr, fmt.Sprintf("a packet for %s in %s can move but can never arrive", dest, where)
	default:
		tr.Moves = append(tr.Moves, spec.Move{From: tr.Site.Channel, Header: tr.Site.Header, Hop: spec.Hop{Channel: spec.Eject}})
		at := topo.Node(topo.Head(tr.Site.Channel)).Name
		tr.Site = spec.Site{}
		return tr, fmt.Sprintf("a packet for %s ejects at %s", dest, at)
	}
}
