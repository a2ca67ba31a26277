package static

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// noDiscard decides whether a packet can be discarded. It is exact under every switching, as it concerns single packets.
func (d *Decision) noDiscard(ctx context.Context) (*Answer, error) {
	switch {
	case d.n.FlowCount() == 0:
		return &Answer{Because: findings.Say(findings.NoFlows)}, nil
	case !d.n.Discards():
		return d.certified(proofs.Certificate{Property: spec.NoDiscard, Kind: proofs.NoDiscard}), nil
	}
	t, because, err := Discarded(ctx, d.n, spec.Scenario{})
	if err != nil {
		return nil, err
	}
	if t == nil {
		return &Answer{Because: findings.Say(findings.NowhereDiscarded)}, nil
	}
	return d.violated(because, t), nil
}

// Discarded returns a trace of one packet that is discarded, and what it shows; nil if no packet of the flows in a
// scenario can be.
func Discarded(ctx context.Context, n *spec.Network, sc spec.Scenario) (*counterexamples.Trace, words.Sentence, error) {
	moves, err := relation.Discarded(ctx, n, func(f spec.Flow) bool {
		return len(sc.Once) == 0 || slices.Contains(sc.Once, f)
	})
	if err != nil || moves == nil {
		return nil, words.Sentence{}, err
	}
	first, last, topo := moves[0], moves[len(moves)-1], n.Topology()
	because := findings.Say(findings.Discarded{
		From: topo.Node(topo.Head(first.From)).Name, For: topo.Node(last.Header.Dest).Name,
		At: topo.Node(topo.Head(last.From)).Name,
	})
	return &counterexamples.Trace{
		Scenario: sc.Steps(), Property: spec.NoDiscard, Fault: counterexamples.Discarded, Moves: moves,
	}, because, nil
}
