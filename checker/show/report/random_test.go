package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/netgen"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// readers are the checks of every writer that need no other program.
type readers struct{ result, event, sarif, itf *jsonschema.Schema }

func newReaders(t *testing.T) readers {
	return readers{schema(t, own), schema(t, own+"#/$defs/event"), schema(t, "testdata/sarif-schema-2.1.0.json"), schema(t, "testdata/itf.schema.json")}
}

// fataler is what testing.T and rapid.T have in common here.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// text runs a writer.
func text(t fataler, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatalf("%v", err)
	}
	return b.Bytes()
}

func valid(t fataler, s *jsonschema.Schema, what string, text []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = s.Validate(doc)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", what, err, text)
	}
}

// check reads everything that is written about a result.
func (rd readers) check(t fataler, r Result) {
	t.Helper()
	all := []Result{r}
	valid(t, rd.result, "result", text(t, func(w io.Writer) error { return WriteJSON(w, &r) }))
	valid(t, rd.sarif, "SARIF", text(t, func(w io.Writer) error { return WriteSARIF(w, all) }))
	events := text(t, func(w io.Writer) error {
		e := NewEvents(w)
		e.Started(r.File)
		e.Found(&r)
		e.Finished(all)
		return e.Err()
	})
	for line := range bytes.Lines(events) {
		valid(t, rd.event, "event", line)
	}
	var suites struct {
		Cases []struct {
			Status string `xml:"status,attr"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(text(t, func(w io.Writer) error { return WriteJUnit(w, all) }), &suites); err != nil {
		t.Fatalf("JUnit: %v", err)
	}
	for i, p := range r.Properties {
		if suites.Cases[i].Status != p.Verdict.String() {
			t.Fatalf("JUnit: %s is %s, not %s", p.Name, suites.Cases[i].Status, p.Verdict)
		}
	}
	command := regexp.MustCompile(`^::(error|warning) (file=[^,:\r\n]+,line=[1-9][0-9]*,col=[1-9][0-9]*,)?title=[^,:\r\n]*::[^\r\n]*$`)
	annotations := string(text(t, func(w io.Writer) error { return WriteAnnotations(w, all) }))
	lines := strings.Split(annotations, "\n")
	if lines[len(lines)-1] != "" || len(lines)-1 > MostAnnotations || r.Failed() != (len(lines) > 1) {
		t.Fatalf("annotations of a result (failed: %v): %q", r.Failed(), annotations)
	}
	for _, l := range lines[:len(lines)-1] {
		if !command.MatchString(l) {
			t.Fatalf("no workflow command: %q", l)
		}
	}
	markdown := text(t, func(w io.Writer) error { return WriteMarkdown(w, all) })
	rows := 0
	_, table, _ := bytes.Cut(markdown, []byte("\n\n")) // behind the table, a fence may hold a command that begins with a bar
	table, _, _ = bytes.Cut(table, []byte("\n\n"))
	for line := range bytes.Lines(table) {
		rows++
		if bars := bytes.Count(line, []byte("|")) - bytes.Count(line, []byte(`\|`)); bars != 6 {
			t.Fatalf("a row of %d bars: %s", bars, line)
		}
	}
	failed := 0
	if r.Err != nil {
		failed = 1
	}
	if rows != 2+len(r.Properties)+failed {
		t.Fatalf("%d rows for %d properties", rows, len(r.Properties))
	}
}

// TestRandomNetworks: for any network, the output of every writer can be read, and a violated
// deadlock has a cycle in which each packet waits for the next.
func TestRandomNetworks(t *testing.T) {
	rd := newReaders(t)
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		switching := rapid.SampledFrom([]spec.Switching{spec.StoreAndForward, spec.VirtualCutThrough, spec.Wormhole}).Draw(rt, "switching")
		n := netgen.Network(rt, netgen.Options{Nodes: 4, Channels: 7, Tags: 2, MayFail: rapid.Bool().Draw(rt, "mayFail")}, switching)
		report, err := checker.Check(t.Context(), n, checker.Question{Workers: 1,
			Explore:   rapid.SampledFrom([]checker.Exploration{checker.Never, checker.Auto}).Draw(rt, "explored"),
			MaxStates: 500})
		if err != nil {
			rt.Fatal(err)
		}
		r, err := Of(report, Origin{})
		if err != nil {
			rt.Fatal(err)
		}
		rd.check(rt, r)
		for i, p := range r.Properties {
			seen[p.Name+" "+p.Verdict.String()]++
			trace := report.Findings[i].Trace()
			if trace == nil {
				continue
			}
			if p.Fault == "deadlock" || p.Fault == "loop" {
				checkCycle(rt, n, trace, p)
			}
			x, err := explain.Follow(report.Findings[i].Evidence)
			if err != nil {
				rt.Fatal(err)
			}
			valid(rt, rd.itf, "ITF", text(rt, func(w io.Writer) error { return writeITF(w, x) }))
			d, err := readVCD(text(rt, func(w io.Writer) error { return writeVCD(w, x) }))
			if err != nil || len(d.values) != len(trace.Moves)+2 {
				rt.Fatalf("VCD of %d moves: %v", len(trace.Moves), err)
			}
		}
	})
	for _, want := range []string{"deadlock-freedom violated", "deadlock-freedom holds", "livelock-freedom violated", "delivery violated"} {
		if seedtest.Usual() && seen[want] == 0 {
			t.Errorf("no network with %s among %v", want, seen)
		}
	}
}

// checkCycle checks a cycle by the definition: every packet goes on to where the next one begins;
// what it waits for is permitted where its head is.
func checkCycle(t *rapid.T, n *spec.Network, trace *counterexamples.Trace, p Property) {
	if len(p.Cycle) == 0 {
		t.Fatalf("no cycle in a %s", p.Fault)
	}
	moves, err := states.NewTraffic(n, trace.Scenario)
	if err != nil {
		t.Fatal(err)
	}
	s := moves.Empty()
	for _, m := range trace.Moves {
		if s, err = moves.Step(s, m); err != nil {
			t.Fatal(err)
		}
	}
	for i, d := range p.Cycle {
		if next := p.Cycle[(i+1)%len(p.Cycle)]; d.WaitsFor != next.Holds[0] {
			t.Fatalf("%s, but then %s", d, next)
		}
		if d.Moves || d.Queued {
			continue
		}
		if !slices.Contains(p.Stuck, d.WaitsFor) {
			t.Fatalf("%s, which is not stuck", d)
		}
		at := d.Holds[len(d.Holds)-1].ID
		permitted := false
		for _, piece := range s.Channels[at] {
			hops, _ := n.Hops(spec.Site{Channel: at, Header: piece.Header})
			permitted = permitted || !piece.Left && slices.ContainsFunc(hops, func(h spec.Hop) bool { return h.Channel == d.WaitsFor.ID })
		}
		if !permitted {
			t.Fatalf("%s, which no packet there may take", d)
		}
	}
}

// fact is one with any text.
type fact string

func (f fact) String() string { return string(f) }

// TestHostileTexts: names and reasons are data, whatever characters they have.
func TestHostileTexts(t *testing.T) {
	rd := newReaders(t)
	name := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "\n\n# x", "]]>", "a|b", "```", "$end",
		"::error::", "x,y:z%", `"]; c0 --> c1["`, "\x00\x1b[31m", "<script>", "end", "| A", "\u2028", "..\\..", "%25",
		"\xff\xfe"}))
	rapid.Check(t, func(rt *rapid.T) {
		str := func(label string) string { return name.Draw(rt, label) }
		channel := func(id spec.ChannelID) Channel { return Channel{id, str("channel")} }
		a, b := channel(0), channel(1)
		rule := spec.Reason{Text: str("rule")}
		if rapid.Bool().Draw(rt, "placed") {
			rule.File, rule.Line, rule.Col = "f"+str("file"), 3, 4
		}
		digest := strings.Repeat("0", 64)
		r := Result{
			Name: str("name"), File: str("file"), Command: str("command"), Digest: digest, Switching: "wormhole",
			Assumed: []checker.Assumed{{Sentences: []words.Sentence{words.Of(fact(str("assumption")))}}}, Census: &checker.Census{},
			Properties: []Property{
				{
					Name: str("property"), Verdict: spec.Violated, Expected: spec.Holds, Because: words.Of(fact(str("because"))), Notes: []words.Sentence{words.Of(fact(str("note")))},
					Evidence: "trace", Fault: "deadlock", Stuck: []Channel{a, b}, Rule: rule, Back: -1, Ending: str("ending"),
					Cycle: []Dependency{{Packet: str("packet"), Name: str("name"), Holds: []Channel{a}, WaitsFor: b, Rule: rule},
						{Packet: str("packet"), Name: str("name"), Holds: []Channel{b}, WaitsFor: a}},
					Steps: []Step{{str("step"), str("step by rule"), 1,
						[]states.Change{{Field: str("field"), Before: str("before"), After: str("after")}}, rule, 1,
						2}},
				},
				{Name: str("property"), Verdict: spec.Unknown, Expected: spec.Holds, Because: words.Of(fact(str("because"))), Candidate: []Channel{a}, Decisive: -1, Back: -1},
			},
		}
		rd.check(rt, r)
		if a != b {
			checkMermaid(t, mermaid(r.Properties[0].Cycle, 0))
		}
		rd.check(rt, Result{Name: str("name"), File: str("file"), Err: errors.New("e" + str("error"))})
		for _, s := range []string{vcdText(str("vcd")), oneLine(str("vcd"))} {
			if strings.ContainsAny(s, "\n\r") {
				rt.Fatalf("%q has lines", s)
			}
		}
		if s := vcdText(str("vcd")); slices.Contains(strings.Fields(s), "$end") {
			rt.Fatalf("%q ends its comment", s)
		}
		if s := "c0_" + identifier(str("vcd")); !vcdIdentifier.MatchString(s) {
			rt.Fatalf("%q is not an identifier", s)
		}
		if out, err := (object{{str("key"), str("value")}}).MarshalJSON(); err != nil || !json.Valid(out) {
			rt.Fatalf("%s: %v", out, err)
		}
	})
}
