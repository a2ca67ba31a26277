package sweep_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/sweep"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// byTables decides a sweep with and without tables: both find the same, and the same lines if a case needed tables. It
// returns how many cases needed none, by their method.
func byTables(t rapid.TB, q *sweep.Question) (by map[string]int, all []sweep.Result) {
	t.Helper()
	by = map[string]int{}
	fast := results(t, q, sweep.Options{Workers: 2, Explore: checker.Never})
	slow := results(t, q, sweep.Options{Workers: 2, Explore: checker.Never, Tables: true})
	for i, r := range fast {
		if r.Method != "" {
			by[r.Method]++
			if slow[i].Method != "" || r.Digest != "" {
				t.Errorf("%+v, with tables %+v", r, slow[i])
			}
			r.Method, r.Digest = "", slow[i].Digest
		}
		if r.Verdicts() != slow[i].Verdicts() || r.Digest != slow[i].Digest || r.Error != slow[i].Error {
			t.Errorf("%+v, with tables %+v", r, slow[i])
		}
	}
	return by, fast
}

// TestAcyclicCases: all single and double failures of small Clos networks, decided both ways. The intact network always has
// its tables. With two priorities and drops those cases alone need tables in which a leaf has lost both its cables, 4 of 28;
// if packets stay on one priority, others deadlock, which the tables of a few leaves show, and if all know the failures, two
// leaves can be parted.
func TestAcyclicCases(t *testing.T) {
	for _, tt := range []struct {
		set        map[string]string
		without    int // -1: not counted by hand
		deadlocked bool
	}{
		{map[string]string{"priorities": "2", "last": "drop"}, 8 + 28 - 4, false},
		{map[string]string{}, -1, true},
		{map[string]string{"knows": "all", "choice": "any"}, -1, false},
	} {
		q := of(t, "clos", sweep.Question{Set: tt.set, Links: 2, Reroute: "without"})
		q.Set["pods"], q.Set["leaves"] = "1", "4"
		by, all := byTables(t, q)
		if len(all) != 1+8+28 || tt.without >= 0 && by["acyclic"] != tt.without || by["acyclic"] < 8 {
			t.Errorf("%v: %v of %d cases without tables", tt.set, by, len(all))
		}
		deadlocked := slices.ContainsFunc(all, func(r sweep.Result) bool { return r.Deadlock.Verdict == spec.Violated })
		if deadlocked != tt.deadlocked || (by["cycle"] > 0) != deadlocked {
			t.Errorf("%v: deadlocked %t, %v", tt.set, deadlocked, by)
		}
	}
}

// counted is a relation of a Clos network that counts its answers.
type counted struct {
	routing.Committing
	answers *atomic.Int64
}

func (c counted) Pure() bool { return true }
func (c counted) Differing() ([]spec.NodeID, bool) {
	return c.Committing.(routing.Differing).Differing()
}

func (c counted) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	c.answers.Add(1)
	return c.Committing.AppendHops(dst, at, h)
}

func (c counted) Alternatives(at spec.ChannelID, h spec.Header) ([][]spec.Hop, error) {
	c.answers.Add(1)
	return c.Committing.Alternatives(at, h)
}

// forgetful is a relation that does not know where it differs.
type forgetful struct{ routing.Committing }

func (forgetful) Pure() bool { return true }

// TestFromWhatChanged: the sites of a Clos network of 16 leaves, two priorities and drops are visited once, and in each
// of its 80 single failures the two switches of the cable, and where packets go astray, are asked, in all two of 32
// switches and some; of a relation that does not know where it differs, all sites are. The lines are the same.
func TestFromWhatChanged(t *testing.T) {
	lines, answers := [2]string{}, [2]int64{}
	for i := range lines {
		count := new(atomic.Int64)
		q := of(t, "clos", sweep.Question{Links: 1, Reroute: "without", Set: map[string]string{
			"pods": "2", "leaves": "8", "spines": "4", "cores": "2", "priorities": "2", "last": "drop",
		}})
		build := q.Build
		q.Build = func(ctx context.Context, set map[string]string) (routing.Definition, error) {
			def, err := build(ctx, set)
			c := counted{def.Routing.(routing.Committing), count}
			if def.Routing = c; i == 1 {
				def.Routing = forgetful{c}
			}
			return def, err
		}
		lines[i] = run(t, q, "", sweep.Options{Workers: 2, Explore: checker.Never})
		answers[i] = count.Load()
	}
	if lines[0] != lines[1] || !strings.Contains(lines[0], `"case":80,`) || strings.Contains(lines[0], "violated") {
		t.Errorf("%s\nand with all sites visited\n%s", lines[0], lines[1])
	}
	if answers[0] > answers[1]/5 {
		t.Errorf("%d answers, and %d if all sites are visited", answers[0], answers[1])
	}
}

// pureRelation declares that a relation is pure.
type pureRelation struct{ routing.Relation }

func (pureRelation) Pure() bool { return true }

// TestAcyclicDrawn: failures of drawn networks whose routing does not know them, decided both ways.
func TestAcyclicDrawn(t *testing.T) {
	methods := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		def := netgen.Definition(rt, netgen.Options{Nodes: 4, Channels: 8, Tags: 2, MayFail: rapid.IntRange(0, 3).Draw(rt, "fails") == 0, Ring: true})
		def.Topology.AddLink(spec.Link{From: 0, To: 1, VCs: 1}) // unused: without it the others are as they were
		def.Routing = pureRelation{def.Routing}
		nodes := rapid.IntRange(0, 1).Draw(rt, "nodes that fail")
		q := &sweep.Question{Network: "drawn", Links: 1, Nodes: nodes, Build: func(context.Context, map[string]string) (routing.Definition, error) {
			return def, nil
		}}
		by, _ := byTables(rt, q)
		for method, n := range by {
			methods[method] += n
		}
	})
	if seedtest.Usual() && (methods["acyclic"] == 0 || methods["cycle"] == 0) {
		t.Errorf("cases decided without tables: %v", methods)
	}
}

// TestProve: cases are decided again from their tables, and a line that says something else is refused.
func TestProve(t *testing.T) {
	q := of(t, "clos", sweep.Question{Set: map[string]string{"pods": "1", "leaves": "3"}, Links: 1, Reroute: "without"})
	opt := sweep.Options{Workers: 2, Explore: checker.Never}
	lines := results(t, q, opt)
	p, err := q.Plan(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	var numbers []int
	keep := func(line sweep.Result, r *checker.Result) error {
		numbers = append(numbers, line.Case)
		if len(r.Findings) != 3 || r.Findings[0].Evidence == nil {
			t.Errorf("case %d: %v", line.Case, r.Findings)
		}
		return nil
	}
	if err := p.Prove(t.Context(), lines, opt, keep); err != nil || !slices.Equal(numbers, []int{0, 1, 2, 3, 4, 5, 6}) {
		t.Errorf("%v: %v", numbers, err)
	}
	lines[2].Deadlock.Verdict = spec.Violated
	if refused := new(checker.EvidenceError); !errors.As(p.Prove(t.Context(), lines, opt, keep), &refused) {
		t.Error("a forged line was not refused")
	}
}

// TestForgedMethod: a line without a digest is refused unless everything holds by the method that needs none.
func TestForgedMethod(t *testing.T) {
	q := of(t, "clos", sweep.Question{Set: map[string]string{"knows": "all"}, Links: 1, Reroute: "without"})
	lines := strings.SplitAfter(run(t, q, "", sweep.Options{Explore: checker.Never}), "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `"method":"acyclic"`) })
	if i < 0 {
		t.Fatal("no case without tables")
	}
	for what, lie := range map[string][2]string{
		"no method":      {`,"method":"acyclic"`, ""},
		"another method": {`"acyclic"`, `"cyclic"`},
		"no deadlock":    {`"acyclic"`, `"cycle"`},
		"violated":       {`"delivery":"holds"`, `"delivery":"violated"`},
		"a digest":       {`"method":"acyclic"`, `"method":"acyclic","digest":"` + strings.Repeat("0", 64) + `"`},
	} {
		forged := slices.Clone(lines)
		forged[i] = strings.Replace(forged[i], lie[0], lie[1], 1)
		if _, _, _, err := sweep.ReadResults(strings.NewReader(strings.Join(forged, ""))); err == nil {
			t.Errorf("%s: %s", what, forged[i])
		}
	}
}
