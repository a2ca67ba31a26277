package report

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestCycleOfTheRing: the deadlock of a ring is known: all channels, in order.
func TestCycleOfTheRing(t *testing.T) {
	r, _ := decided(t, fromFile(t, "ring.star"), checker.Question{}, Origin{File: "testdata/ring.star"})
	p := r.Properties[0]
	var got []string
	for i, d := range p.Cycle {
		if len(d.Holds) != 1 || d.Holds[0].ID != spec.ChannelID(i) || d.WaitsFor.ID != spec.ChannelID((i+1)%4) {
			t.Errorf("dependency %d: %+v", i, d)
		}
		got = append(got, fmt.Sprint(d.Rule.Line))
	}
	// The head of channel 1 is at node 2, which has the rule of line 12.
	if diff := cmp.Diff([]string{"13", "12", "13", "13"}, got); diff != "" {
		t.Errorf("lines of the rules (-want +got):\n%s", diff)
	}
	if p.Decisive != 1 || p.Rule.Line != 12 {
		t.Errorf("the decisive dependency is %d by line %d, want 1 by line 12", p.Decisive, p.Rule.Line)
	}
	if p.Evidence != "trace" || p.Fault != "deadlock" || len(p.Steps) != 4 || p.Back != -1 {
		t.Errorf("%s, %s, %d steps, back %d", p.Evidence, p.Fault, len(p.Steps), p.Back)
	}
	if r.Properties[1].Evidence != "certificate" || !r.Properties[1].AsExpected() || r.Properties[0].AsExpected() || !r.Failed() {
		t.Error("livelock holds by a certificate, deadlock does not")
	}
}

// TestCycleOfWorms: in the gadget W1 two messages of two flits hold two channels each.
func TestCycleOfWorms(t *testing.T) {
	r, _ := decided(t, modeltest.Network(t, "gadget", map[string]string{"name": "W1"}), checker.Question{Properties: []string{"deadlock-freedom"}}, Origin{})
	var got []string
	for _, d := range r.Properties[0].Cycle {
		got = append(got, d.String())
	}
	want := []string{
		"P2 for D1 holds E->A vc0, A->B vc0 and waits for B->C vc0 (held by P1), by the gadget's table",
		"P1 for D2 holds B->C vc0, C->E vc0 and waits for E->A vc0 (held by P2), by the gadget's table",
	}
	// It begins with the packet that holds the least channel, whichever that is.
	if diff := cmp.Diff(want, got); diff != "" && cmp.Diff([]string{want[1], want[0]}, got) != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFingerprint: it stays when lines move or words of a rule change, and
// changes with the cycle, the property and the name.
func TestFingerprint(t *testing.T) {
	text, err := os.ReadFile("testdata/ring.star")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) (string, int) {
		r, _ := decided(t, loaded(t, "ring.star", text), checker.Question{Properties: []string{"deadlock-freedom"}}, Origin{})
		return r.Properties[0].fingerprint(&r), r.Properties[0].Rule.Line
	}
	first, line := at(string(text))
	moved, below := at("# A new line.\n\n" + string(text))
	if first != moved {
		t.Error("the fingerprint changes when lines move")
	}
	if line != 12 || below != 14 {
		t.Errorf("the rule is in line %d, then %d, want 12 and 14", line, below)
	}
	longer, _ := at(strings.ReplaceAll(strings.ReplaceAll(string(text), "range(4)", "range(5)"), "% 4", "% 5"))
	renamed, _ := at(strings.Replace(string(text), "ring & <co>", "other", 1))
	if longer == first || renamed == first || longer == renamed {
		t.Error("another network has the same fingerprint")
	}
	for _, file := range []string{"deadend.star"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		of := func(text string) string {
			r, _ := decided(t, loaded(t, file, text), checker.Question{Properties: []string{"delivery"}}, Origin{})
			return r.Properties[0].fingerprint(&r)
		}
		if of(string(text)) != of("\n\n"+string(text)) {
			t.Errorf("%s: the fingerprint changes when lines move", file)
		}
	}
}

// bruteShortest is the length of a shortest cycle and the least channel on one,
// by the definition: powers of the adjacency relation.
func bruteShortest(edges []explain.Wait, channels int) (length int, least spec.ChannelID) {
	reach := make([][]bool, channels)
	for i := range reach {
		reach[i] = make([]bool, channels)
	}
	for _, e := range edges {
		reach[e.From][e.To] = true
	}
	step := reach
	for length := 1; length <= channels; length++ {
		for i := range step {
			if step[i][i] {
				return length, spec.ChannelID(i)
			}
		}
		next := make([][]bool, channels)
		for i := range next {
			next[i] = make([]bool, channels)
			for k := range channels {
				for j := range channels {
					next[i][j] = next[i][j] || step[i][k] && reach[k][j]
				}
			}
		}
		step = next
	}
	return 0, 0
}

func TestShortestCycle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		channels := rapid.IntRange(1, 9).Draw(t, "channels")
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) explain.Wait {
			c := func(name string) spec.ChannelID { return spec.ChannelID(rapid.IntRange(0, channels-1).Draw(t, name)) }
			return explain.Wait{From: c("from"), To: c("to")}
		}), 0, 25).Draw(t, "edges")
		got := shortestCycle(edges)
		want, least := bruteShortest(edges, channels)
		if len(got) != want {
			t.Fatalf("a cycle of %d edges, the shortest has %d", len(got), want)
		}
		if want > 0 && got[0].From != least {
			t.Fatalf("a cycle from %d, the least channel on a shortest one is %d", got[0].From, least)
		}
		for i, e := range got {
			if e.To != got[(i+1)%len(got)].From {
				t.Fatalf("edge %d does not lead to the next one", i)
			}
		}
	})
}

// TestCyclesByTheDefinition: in every deadlock each packet of the cycle is where the trace leaves
// it, its head may take the channel that it waits for, and the next packet holds
// that.
func TestCyclesByTheDefinition(t *testing.T) {
	for _, tt := range []struct {
		model string
		set   map[string]string
	}{
		{"ring", map[string]string{"n": "5"}},
		{"ring", map[string]string{"variant": "two-way", "n": "7"}},
		{"torus", map[string]string{"routing": "dor"}},
		{"mesh", map[string]string{"routing": "adaptive"}},
		{"gadget", map[string]string{"name": "W1"}},
		{"detour", map[string]string{"vcs": "1"}},
		{"spidergon", map[string]string{"vcs": "1"}},
	} {
		n, err := tryModel(t, tt.model, tt.set)
		if err != nil {
			t.Errorf("%s %v: %v", tt.model, tt.set, err)
			continue
		}
		r, report := decided(t, n, checker.Question{Properties: []string{"deadlock-freedom"}}, Origin{})
		trace := report.Findings[0].Trace()
		if trace == nil {
			t.Errorf("%s %v: %s", tt.model, tt.set, report.Findings[0].Verdict)
			continue
		}
		traffic, err := states.NewTraffic(n, trace.Scenario)
		if err != nil {
			t.Fatal(err)
		}
		s := traffic.Empty()
		for _, m := range trace.Moves {
			if s, err = traffic.Step(s, m); err != nil {
				t.Fatal(err)
			}
		}
		cycle := r.Properties[0].Cycle
		if len(cycle) == 0 {
			t.Errorf("%s: a deadlock without a cycle", tt.model)
		}
		for i, d := range cycle {
			next := cycle[(i+1)%len(cycle)]
			if d.WaitsFor.ID != next.Holds[0].ID {
				t.Errorf("%s: %s, but then %s", tt.model, d, next)
			}
			for k, c := range d.Holds {
				p := s.Channels[c.ID][0]
				if head := k == len(d.Holds)-1; p.Left == head || !head && p.Out.Channel != d.Holds[k+1].ID {
					t.Errorf("%s: %s, but it is elsewhere", tt.model, d)
				} else if head {
					hops, _ := n.Hops(spec.Site{Channel: c.ID, Header: p.Header})
					may := false
					for _, h := range hops {
						may = may || h.Channel == d.WaitsFor.ID
					}
					if !may {
						t.Errorf("%s: %s, but no rule permits that", tt.model, d)
					}
				}
			}
		}
	}
}

// TestQueued: a packet behind another one waits for that one, by no rule. Two places a channel,
// atomic or not, occur only with deeper buffers, so the edges are written by
// hand.
func TestQueued(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"n": "4"})
	site := func(c spec.ChannelID, dest spec.NodeID) spec.Site {
		return spec.Site{Channel: c, Header: spec.Header{Dest: dest}}
	}
	hop := func(c spec.ChannelID) spec.Hop { return spec.Hop{Channel: c} }
	edges := []explain.Wait{
		{From: 0, To: 1, Site: site(1, 3), Packet: 4, Holder: 3},              // a message holds 0 and stands in 1, behind another one
		{From: 1, To: 2, Site: site(1, 0), Hop: hop(2), Packet: 3, Holder: 2}, // which waits for 2
		{From: 2, To: 3, Site: site(2, 0), Hop: hop(3), Packet: 2, Holder: 1}, // and so on
		{From: 3, To: 0, Site: site(3, 1), Hop: hop(0), Packet: 1, Holder: 4},
	}
	var got []string
	for _, d := range packetsOf(n, shortestCycle(edges)) {
		got = append(got, d.String())
	}
	want := []string{
		"P4 for 3 holds 0->1 vc0, 1->2 vc0 behind P3 in 1->2 vc0",
		"P3 for 0 holds 1->2 vc0 and waits for 2->3 vc0 (held by P2), by the next node",
		"P2 for 0 holds 2->3 vc0 and waits for 3->0 vc0 (held by P1), by the next node",
		"P1 for 1 holds 3->0 vc0 and waits for 0->1 vc0 (held by P4), by the next node",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDecisive(t *testing.T) {
	a, b := spec.Reason{Text: "a"}, spec.Reason{Text: "b"}
	x1, x2 := spec.PlaceReason("x", 1, 1), spec.PlaceReason("x", 2, 1)
	for _, tt := range []struct {
		rules []spec.Reason
		want  int
	}{
		{nil, -1},
		{[]spec.Reason{{}, {}}, -1},
		{[]spec.Reason{a, {}}, 0},
		{[]spec.Reason{a, a, a}, 2},
		{[]spec.Reason{a, b, a}, 1},
		{[]spec.Reason{a, x1, x1, x2, x2}, 4},
		{[]spec.Reason{x2, x1, x1, a}, 0},
	} {
		var cycle []Dependency
		for _, r := range tt.rules {
			cycle = append(cycle, Dependency{Rule: r})
		}
		if got := decisive(cycle); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.rules, got, tt.want)
		}
	}
}

func TestMermaidText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		got := mermaidText(s)
		if strings.ContainsAny(got, "\"\n\r`<|[]{}") {
			t.Fatalf("%q is not safe within quotes", got)
		}
	})
	if got, want := mermaidText(`(0,0)->(1,0) "x" #1`), `(0,0)->(1,0) #34;x#34; #35;1`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestEvidenceKinds: without a closed set, counts are the evidence of what holds.
func TestEvidenceKinds(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"variant": "dateline", "n": "4"})
	for closed, want := range map[int]string{0: "closed-set", -1: "counts"} {
		r, _, _ := explored(t, n, checker.Question{Closed: closed})
		if got := r.Properties[0].Evidence; got != want || r.Space.States != 576 {
			t.Errorf("Closed %d: %s of %d states, want %s", closed, got, r.Space.States, want)
		}
	}
	r, _, _ := explored(t, n, checker.Question{MaxStates: 10})
	if p := r.Properties[0]; p.Evidence != "" || p.Verdict != spec.Unknown || !p.Because.Equal(r.Space.Ended) {
		t.Errorf("a bound: %s, %s, %q", p.Verdict, p.Evidence, p.Because)
	}
}

// TestRejects: a trace of another network is not a result.
func TestRejects(t *testing.T) {
	ring, other := fromFile(t, "ring.star"), fromFile(t, "deadend.star")
	report, err := checker.Check(t.Context(), ring, checker.Question{})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := *report
	elsewhere.Findings = []checker.Finding{{Evidence: evidence.Trace{Network: other, Trace: report.Findings[0].Trace()}}}
	if _, err := Of(&elsewhere, Origin{}); err == nil {
		t.Error("a report about another network was accepted")
	}
	m, err := states.NewTraffic(ring, spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	follow := func(r runs.Run) error {
		r.Machine = m.Name()
		_, err := explain.Follow(evidence.Run{Machine: m, Run: &r})
		return err
	}
	if follow(runs.Run{Steps: []runs.Taken{{Action: states.Action{Name: "jump"}}}}) == nil {
		t.Error("an impossible run was taken")
	}
	if follow(runs.Run{Fault: runs.Unanswered, Back: 7}) == nil {
		t.Error("a loop beyond the run was taken")
	}
}
