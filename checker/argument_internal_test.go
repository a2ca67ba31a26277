package checker

import (
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/internal/static"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/bubbles"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/unsat"
)

// TestArguments: each argument has a name of its own.
func TestArguments(t *testing.T) {
	names := map[string]Argument{}
	for by := NoArgument; by <= AllFairRuns; by++ {
		name := by.String()
		if other, twice := names[name]; twice || name == "" {
			t.Errorf("argument %d is called %q, as is %d", by, name, other)
		}
		names[name] = by
	}
	if len(names) != len(arguments) {
		t.Errorf("%d names, %d arguments", len(names), len(arguments))
	}
}

// TestSources: evidence of each kind leads to its argument, whose sentence names the source of the theorem, if it has one.
func TestSources(t *testing.T) {
	certified := func(c proofs.Certificate) *static.Answer {
		return &static.Answer{Evidence: evidence.Certificate{Certificate: &c}, Longest: 7}
	}
	for want, a := range map[Argument]*static.Answer{
		AcyclicDependencies: certified(proofs.Certificate{Kind: proofs.Rank}),
		LowerHop:            certified(proofs.Certificate{Kind: proofs.Escape}),
		LowerEscape:         certified(proofs.Certificate{Kind: proofs.ExtendedEscape}),
		LowerRank:           certified(proofs.Certificate{Kind: proofs.Measure, Rank: []int32{1}}),
		LowerMeasure:        certified(proofs.Certificate{Kind: proofs.Measure, Measure: []int32{1}}),
		AlwaysReachable:     certified(proofs.Certificate{Kind: proofs.Arrival}),
		NothingDiscards:     certified(proofs.Certificate{Kind: proofs.NoDiscard}),
		FreePlaces:          {Evidence: evidence.Bubbles{Certificate: &bubbles.Certificate{}}},
		DisjointPackets:     {Evidence: evidence.Unsatisfiability{}},
		QueuedPackets:       {Evidence: evidence.Unsatisfiability{}, Queued: true},
	} {
		var f Finding
		f.holdsStatically(a)
		source := want.Source()
		if f.Argument != want || source != "" && !strings.Contains(f.Because.String(), "("+source+")") {
			t.Errorf("%s: %s, because %q: want the source %q", want, f.Argument, f.Because, source)
		}
		if want == LowerRank || want == LowerMeasure {
			if !strings.HasSuffix(f.Because.String(), "no packet makes more than 7 hops") {
				t.Errorf("%s: %q, want 7 hops", want, f.Because)
			}
		}
	}
	for steps, want := range map[int]Argument{0: FewTried, 1: NoSmallDeadlock} {
		f := noneOfSize(nil, &unsat.Proof{Steps: make([]unsat.Step, steps)}, nil)
		if source := want.Source(); f.Argument != want || !strings.Contains(f.Because.String(), source) {
			t.Errorf("%d steps: %s, because %q: want %s, and the source %q", steps, f.Argument, f.Because, want, source)
		}
	}
}
