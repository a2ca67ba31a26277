package checker

import (
	"os"
	"path/filepath"
	"regexp"
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
	for by := NoArgument; by <= Unnamed; by++ {
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

// TestEveryKindIsNamed: no certificate and no evidence borrows the argument of another. A kind or type that is new fails
// here until it is named; one that static decisions do not give stays unnamed.
func TestEveryKindIsNamed(t *testing.T) {
	argument := func(e evidence.Evidence) Argument {
		var f Finding
		f.holdsStatically(&static.Answer{Evidence: e})
		return f.Argument
	}
	kinds := map[Argument]proofs.Kind{}
	k := proofs.Rank
	for ; k.String() != proofs.Kind(0).String(); k++ {
		by := argument(evidence.Certificate{Certificate: &proofs.Certificate{Kind: k}})
		if other, twice := kinds[by]; twice || by == Unnamed {
			t.Errorf("%s: %s, as of %s", k, by, other)
		}
		kinds[by] = k
	}
	if by := argument(evidence.Certificate{Certificate: &proofs.Certificate{Kind: k}}); by != Unnamed || len(kinds) < 6 {
		t.Errorf("a kind beyond the %d: %s, want %s", len(kinds), by, Unnamed)
	}
	named := map[string]evidence.Evidence{
		"Certificate":      evidence.Certificate{Certificate: &proofs.Certificate{Kind: proofs.Rank}},
		"Bubbles":          evidence.Bubbles{Certificate: &bubbles.Certificate{}},
		"Unsatisfiability": evidence.Unsatisfiability{},
	}
	others := map[string]evidence.Evidence{
		"Trace": evidence.Trace{}, "Sharing": evidence.Sharing{}, "Cycle": evidence.Cycle{}, "Regions": evidence.Regions{},
		"ChangePlan": evidence.ChangePlan{}, "ChangeTrace": evidence.ChangeTrace{}, "ChangeBound": evidence.ChangeBound{},
		"Addresses": evidence.Addresses{}, "ClosedSet": evidence.ClosedSet{}, "Ranking": evidence.Ranking{},
		"FormulaRanking": evidence.FormulaRanking{}, "Rankings": evidence.Rankings{}, "Count": evidence.Count{},
		"Run": evidence.Run{},
	}
	text, err := os.ReadFile(filepath.Join("write", "evidence.go"))
	if err != nil {
		t.Fatal(err)
	}
	written := regexp.MustCompile(`(?m)^\tcase evidence\.(\w+):$`).FindAllStringSubmatch(string(text), -1)
	for _, m := range written {
		e, is := named[m[1]]
		if !is {
			if e, is = others[m[1]]; !is {
				t.Errorf("%s is new: list it here", m[1])
				continue
			}
		}
		if by := argument(e); (by == Unnamed) != (named[m[1]] == nil) {
			t.Errorf("%s: %s", m[1], by)
		}
	}
	if len(written) != len(named)+len(others) {
		t.Errorf("%d types are written, %d are listed", len(written), len(named)+len(others))
	}
}
