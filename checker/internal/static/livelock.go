package static

import (
	"context"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// livelock decides whether a packet can move forever: whether the sites of one
// target have a cycle. It is exact for adversarial selection under every switching;
// the result says whether a fair selection would leave the cycle.
func (d *Decision) livelock(ctx context.Context) (*Answer, error) {
	s, err := d.surveyed(ctx)
	if err != nil {
		return nil, err
	}
	if d.n.SiteCount() == 0 {
		return &Answer{Because: findings.Say(findings.NoSites)}, nil
	}
	first, cyclic := -1, 0
	for i, is := range s.cyclic {
		if is {
			cyclic++
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		a := d.certified(proofs.Certificate{
			Property: spec.LivelockFreedom, Kind: proofs.Measure, Rank: s.ranks, Measure: s.left,
		})
		a.Longest, a.Bounded = 1+int(s.longest), s.bounded
		return a, nil
	}
	t, found := d.lasso(d.n.Table(first))
	a := d.violated(findings.Say(found), t)
	a.Notes = findings.Each(findings.Destinations{Cyclic: cyclic, All: d.n.Tables()})
	return a, nil
}

// lasso leads one packet to a shortest cycle of its sites and once around it.
func (d *Decision) lasso(t *spec.Table) (*counterexamples.Trace, findings.Circling) {
	w := relation.NewWalk(d.n)
	w.Load(t)
	cycle, _ := graph.ShortestCycle(w.Graph(), 1<<28)
	on := make(map[int]int, len(cycle))
	for i, s := range cycle {
		on[int(s)] = i
	}
	moves, entry := w.Shortest(nil, func(s int) bool { _, ok := on[s]; return ok }, nil)
	tr := &counterexamples.Trace{
		Property: spec.LivelockFreedom, Fault: counterexamples.Loop, Moves: moves, Back: len(moves),
	}
	exits := false
	for i := range cycle {
		at := t.Site(int(cycle[(on[entry]+i)%len(cycle)]))
		to := t.Site(int(cycle[(on[entry]+i+1)%len(cycle)]))
		hop := spec.Hop{Channel: to.Channel, Tag: to.Header.Tag}
		tr.Moves = append(tr.Moves, spec.Move{From: at.Channel, Header: at.Header, Hop: hop})
		hops, _ := d.n.Hops(at)
		exits = exits || len(hops) > 1
	}
	return tr, findings.Circling{
		For: d.n.Topology().Node(t.Dest).Name, Through: words.Count{N: len(cycle), Of: "channel"}, Leaves: exits,
	}
}
