package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

const own = "result.schema.json" // which Schema has

// schema compiles a JSON Schema, or part of one, with an independent implementation.
func schema(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

func TestJSON(t *testing.T) {
	s := schema(t, own)
	for i, name := range []string{"ring", "deadend", "w1", "swap", "loop", "starved", "broken"} {
		r := cases(t)[i]
		text := kept(t, name+".json", func(w io.Writer) error { return WriteJSON(w, &r) })
		if err := validate(t, s, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestJSONOfUnsatisfiability: pigeonholes are free because tails of worms cannot share a channel, which only clauses show.
func TestJSONOfUnsatisfiability(t *testing.T) {
	r, _ := decided(t, modeltest.Network(t, "gadget", map[string]string{"name": "pigeonholes"}), checker.Question{}, Origin{})
	if r.Properties[0].Evidence != "unsatisfiability-proof" {
		t.Fatalf("deadlock freedom by %q, want an unsatisfiability proof", r.Properties[0].Evidence)
	}
	newReaders(t).check(t, r)
}

// TestJSONOfAPart: the schema knows what was left out.
func TestJSONOfAPart(t *testing.T) {
	e, ok := models.Find("peterson")
	if !ok {
		t.Fatal("not in the catalogue")
	}
	m, err := e.Machine(nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := checker.Explore(t.Context(), m, checker.Question{PartialOrder: true, Slice: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Of(x, Origin{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteJSON(&b, &r); err != nil {
		t.Fatal(err)
	}
	if err := validate(t, schema(t, own), b.Bytes()); err != nil || !strings.Contains(b.String(), `"reduced": [`) {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestSchemaRefuses: JSON that says too little, or something else, is not a result.
func TestSchemaRefuses(t *testing.T) {
	s := schema(t, own)
	r := cases(t)[0]
	var b bytes.Buffer
	if err := WriteJSON(&b, &r); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, old, new string }{
		{"another version", `"version": 2`, `"version": 1`},
		{"a verdict that does not exist", `"verdict": "violated"`, `"verdict": "safe"`},
		{"success without evidence", `"evidence": "certificate",`, ``},
		{"violated by a certificate", `"evidence": "trace"`, `"evidence": "certificate"`},
		{"a line 0", `"line": 12`, `"line": 0`},
		{"no digest", `"digest"`, `"digset"`},
	} {
		text := strings.Replace(b.String(), tt.old, tt.new, 1)
		if text == b.String() {
			t.Errorf("%s: %q does not occur", tt.name, tt.old)
		} else if validate(t, s, []byte(text)) == nil {
			t.Errorf("%s: accepted", tt.name)
		}
	}
}

func TestSARIF(t *testing.T) {
	s := schema(t, "testdata/sarif-schema-2.1.0.json")
	text := kept(t, "results.sarif", func(w io.Writer) error { return WriteSARIF(w, cases(t)) })
	if err := validate(t, s, text); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct{ old, new string }{
		{`"level": "error"`, `"level": "fatal"`},
		{`"executionSuccessful": false`, `"successful": false`},
		{`"startLine": 12`, `"startLine": 0`},
	} {
		wrong := strings.Replace(string(text), tt.old, tt.new, 1)
		if wrong == string(text) || validate(t, s, []byte(wrong)) == nil {
			t.Errorf("the schema accepts %s", tt.new)
		}
	}
	var none bytes.Buffer
	if err := WriteSARIF(&none, nil); err != nil {
		t.Fatal(err)
	}
	if err := validate(t, s, none.Bytes()); err != nil {
		t.Errorf("no results: %v", err)
	}
}

func TestJUnit(t *testing.T) {
	kept(t, "junit.xml", func(w io.Writer) error { return WriteJUnit(w, cases(t)) })
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI has no xmllint (Debian's libxml2-utils)")
		}
		t.Skip("xmllint is not installed (Debian package libxml2-utils)")
	}
	xsd := filepath.Join("testdata", "junit-4.xsd")
	if out, err := exec.Command(xmllint, "--noout", "--nonet", "--schema", xsd, filepath.Join("testdata", "junit.xml")).CombinedOutput(); err != nil {
		t.Errorf("xmllint: %v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join("testdata", "junit.xml"))
	if err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(t.TempDir(), "wrong.xml")
	if err := os.WriteFile(wrong, bytes.Replace(text, []byte(`<failure type=`), []byte(`<failure kind=`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if exec.Command(xmllint, "--noout", "--nonet", "--schema", xsd, wrong).Run() == nil {
		t.Error("xmllint accepts an attribute that the schema does not have")
	}
	empty := filepath.Join(t.TempDir(), "empty.xml")
	var b bytes.Buffer
	if err := WriteJUnit(&b, []Result{{Name: "bare \x01 & <x>"}}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(empty, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(xmllint, "--noout", "--nonet", "--schema", xsd, empty).CombinedOutput(); err != nil {
		t.Errorf("a result without anything: %v\n%s", err, out)
	}
}

// TestJUnitNames: readers take test cases with the same class and name for one.
func TestJUnitNames(t *testing.T) {
	of := func(file string) Result { return Result{Name: "ring", File: file, Err: errFull} }
	var b bytes.Buffer
	if err := WriteJUnit(&b, []Result{of("a.star"), of("b.star"), of("b.star"), of(""), of(""), {Name: "ring #2", Err: errFull}}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`classname="([^"]*)"`).FindAllStringSubmatch(b.String(), -1) {
		if seen[m[1]] {
			t.Errorf("two suites are called %q", m[1])
		}
		seen[m[1]] = true
	}
	if len(seen) != 6 || !seen["ring"] || !seen["ring in b.star"] {
		t.Errorf("classes %v", seen)
	}
}

func TestAnnotations(t *testing.T) {
	all := cases(t)
	text := kept(t, "annotations.txt", func(w io.Writer) error { return WriteAnnotations(w, all) })
	// The grammar of workflow commands, by GitHub's documentation: one line each,
	// no raw comma or colon in a value.
	line := regexp.MustCompile(`^::(error|warning) (file=[^,:]+,line=[1-9][0-9]*,col=[1-9][0-9]*,)?title=[^,:]+::.+$`)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, l := range lines {
		if !line.MatchString(l) {
			t.Errorf("no workflow command: %q", l)
		}
	}
	// Violated: ring deadlock, line delivery, loop, starvation; not W1, which is
	// expected. Not decided: broken. Unknown: swap. That is one too many.
	if len(lines) != MostAnnotations {
		t.Errorf("%d annotations, want %d", len(lines), MostAnnotations)
	}
	if want := "::error file=testdata/ring.star,line=12,col=17,"; !strings.HasPrefix(lines[0], want) {
		t.Errorf("the first is %q, want it to begin with %q", lines[0], want)
	}
	if !strings.HasSuffix(lines[len(lines)-1], "%0A(and 1 more finding)") {
		t.Errorf("the last one does not tell that there are more: %q", lines[len(lines)-1])
	}
	for name, tt := range map[string]struct {
		results []Result
		want    string
	}{
		"none":            {nil, ""},
		"all as expected": {all[2:3], ""},
		"unknown":         {all[3:4], "::warning title=swap%3A deadlock freedom unknown::"},
		"odd names": {[]Result{{Name: "a,b:c%\nd", File: "x,y.star", Properties: []Property{{Name: "p", Verdict: spec.Violated, Expected: spec.Holds}}}},
			"::error file=x%2Cy.star,line=1,col=1,title=a%2Cb%3Ac%25%0Ad%3A p violated::p violated: \n"},
	} {
		var b bytes.Buffer
		if err := WriteAnnotations(&b, tt.results); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(b.String(), tt.want) || tt.want == "" && b.Len() > 0 {
			t.Errorf("%s: %q, want %q", name, b.String(), tt.want)
		}
	}
}

func TestEvents(t *testing.T) {
	s := schema(t, own+"#/$defs/event")
	all := cases(t)
	text := kept(t, "events.ndjson", func(w io.Writer) error {
		e := NewEvents(w)
		e.Started("ring.star")
		for done := range int64(1001) {
			e.Progress(routing.Progress{Stage: "routing", Done: done, Total: 1000})
		}
		for found := range int64(1000) {
			e.Exploring(states.Progress{States: found})
		}
		for i := range all {
			e.Found(&all[i])
		}
		e.Finished(all)
		return e.Err()
	})
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	var progress int
	for _, l := range lines {
		if err := validate(t, s, l); err != nil {
			t.Errorf("%s: %v", l, err)
		}
		if bytes.HasPrefix(l, []byte(`{"event":"progress"`)) {
			progress++
		}
	}
	// 0 to 100 percent, then counts 0, 1, 2, 4, ..., 512.
	if want := 101 + 11; progress != want {
		t.Errorf("%d progress events, want %d", progress, want)
	}
	if want := `{"event":"finished","results":7,"as_expected":1,"violated":5,"unknown":1,"failed":1}`; string(lines[len(lines)-1]) != want {
		t.Errorf("the last event is %s, want %s", lines[len(lines)-1], want)
	}
	room := failing(10)
	e := NewEvents(&room)
	e.Started("x")
	e.Finished(nil)
	if !errors.Is(e.Err(), errFull) {
		t.Errorf("the writer's error is lost: %v", e.Err())
	}
}

func TestMarkdown(t *testing.T) {
	text := kept(t, "summary.md", func(w io.Writer) error { return WriteMarkdown(w, cases(t)) })
	blocks := regexp.MustCompile("(?s)```mermaid\n(.*?)```\n").FindAllSubmatch(text, -1)
	if len(blocks) != 3 { // ring, W1, loop
		t.Fatalf("%d pictures, want 3", len(blocks))
	}
	for _, b := range blocks {
		checkMermaid(t, string(b[1]))
	}
}

// checkMermaid reads a flowchart by the part of Mermaid's grammar that it may
// use: a head, nodes with quoted labels, links with quoted labels between nodes
// that exist, and a style of a link that exists.
func checkMermaid(t *testing.T, text string) {
	t.Helper()
	quoted := `"(?:[^"\n<>&]|<br/>|->)+"`
	node := regexp.MustCompile(`^  (c[0-9]+|more)\[` + quoted + `\]$`)
	link := regexp.MustCompile(`^  (c[0-9]+) (?:-->|==>)\|` + quoted + `\| (c[0-9]+)$`)
	style := regexp.MustCompile(`^  linkStyle ([0-9]+) stroke:#[0-9a-f]{6},stroke-width:4px$`)
	nodes := map[string]bool{}
	links := map[string]string{}
	for i, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		switch {
		case i == 0 && l == "flowchart LR":
		case node.MatchString(l):
			nodes[node.FindStringSubmatch(l)[1]] = true
		case link.MatchString(l):
			m := link.FindStringSubmatch(l)
			if !nodes[m[1]] || !nodes[m[2]] {
				t.Errorf("a link of nodes that are not there: %s", l)
			}
			links[m[1]] = m[2]
		case style.MatchString(l):
		default:
			t.Errorf("no statement of a flowchart: %q", l)
		}
	}
	at, steps := "c0", 0
	for ; steps == 0 || at != "c0" && steps <= len(links); steps++ {
		at = links[at]
	}
	if at != "c0" || steps != len(links) {
		t.Errorf("the links are not a single cycle:\n%s", text)
	}
}

func TestITF(t *testing.T) {
	s := schema(t, "testdata/itf.schema.json")
	for name, x := range executions(t) {
		text := kept(t, name+".itf.json", func(w io.Writer) error { return writeITF(w, x) })
		if err := validate(t, s, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// What the schema cannot say: every state defines every variable and no
		// other, and a loop comes back to where it begins.
		var trace struct {
			Vars   []string
			States []map[string]json.RawMessage
			Loop   *int
		}
		if err := json.Unmarshal(text, &trace); err != nil {
			t.Fatal(err)
		}
		for i, state := range trace.States {
			for _, v := range trace.Vars {
				if _, ok := state[v]; !ok {
					t.Errorf("%s: state %d lacks %s", name, i, v)
				}
			}
			if len(state) != len(trace.Vars)+1 {
				t.Errorf("%s: state %d has %d members for %d variables", name, i, len(state), len(trace.Vars))
			}
		}
		if trace.Loop != nil {
			first, last := trace.States[*trace.Loop], trace.States[len(trace.States)-1]
			for _, v := range trace.Vars {
				if v != "action" && string(first[v]) != string(last[v]) {
					t.Errorf("%s: %s is not the same again at the end of the loop", name, v)
				}
			}
		}
	}
}

// TestITFNames: every field has a variable of its own that is not one of the format's.
func TestITFNames(t *testing.T) {
	var l states.Layout
	for _, name := range []string{"action", "#meta", "meta", "x", "x", "x_2", "", "#"} {
		l.Field(name, 2)
	}
	vars, _ := fieldsITF(l.Fields())
	seen := map[string]bool{"action": true, "": true}
	for i, v := range vars {
		if seen[v] || strings.HasPrefix(v, "#") {
			t.Errorf("field %q is the variable %q", l.Fields()[i].Name, v)
		}
		seen[v] = true
	}
	if vars[2] != "meta_2" || vars[3] != "x" {
		t.Errorf("variables %q", vars)
	}
}

// executions are a deadlock of packets, one of worms, a loop, a run of a
// network's traffic and one of a machine.
func executions(t *testing.T) map[string]*explain.Execution {
	t.Helper()
	all := map[string]*explain.Execution{}
	add := func(name string, x *explain.Execution, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = x
	}
	for name, n := range map[string]*spec.Network{"ring": fromFile(t, "ring.star"), "w1": modeltest.Network(t, "gadget", map[string]string{"name": "W1"})} {
		x, err := explain.Follow(evidence.Trace{Network: n, Trace: deadlockTrace(t, n)})
		add(name, x, err)
	}
	n := modeltest.Network(t, "mesh", map[string]string{"routing": "deflection", "k": "2"})
	_, report := decided(t, n, checker.Question{Properties: []string{"livelock-freedom"}}, Origin{})
	x, err := explain.Follow(report.Findings[0].Evidence)
	add("loop", x, err)
	_, _, ex := explored(t, modeltest.Network(t, "ring", map[string]string{"variant": "dateline", "n": "4"}), checker.Question{Liveness: true})
	x, err = explain.Follow(ex.Findings[len(ex.Findings)-1].Evidence)
	add("starved", x, err)
	_, pm, _ := machine(t, "peterson")
	x, err = explain.Follow(evidence.Run{Machine: pm, Run: walkOf(t, pm, 6)})
	add("machine", x, err)
	return all
}

// walkOf is a run of some steps, always the last successor; it shows nothing.
func walkOf(t *testing.T, m states.Machine, steps int) *runs.Run {
	t.Helper()
	words := m.Layout().Words()
	s := m.Start(nil)[:words]
	r := &runs.Run{Machine: m.Name(), Property: "a walk", Fault: runs.Halt}
	for range steps {
		next, err := m.AppendSuccessors(nil, s)
		if err != nil || len(next) == 0 {
			t.Fatal("no successor", err)
		}
		last := len(next)/words - 1
		r.Steps = append(r.Steps, write.TakenBy(m, s, last))
		s = next[last*words:]
	}
	return r
}

// TestWritersFail: no writer swallows an error.
func TestWritersFail(t *testing.T) {
	all := cases(t)
	x := executions(t)["ring"]
	for name, write := range map[string]func(io.Writer) error{
		"json":        func(w io.Writer) error { return WriteJSON(w, &all[0]) },
		"sarif":       func(w io.Writer) error { return WriteSARIF(w, all) },
		"junit":       func(w io.Writer) error { return WriteJUnit(w, all) },
		"annotations": func(w io.Writer) error { return WriteAnnotations(w, all) },
		"markdown":    func(w io.Writer) error { return WriteMarkdown(w, all) },
		"itf":         func(w io.Writer) error { return writeITF(w, x) },
		"vcd":         func(w io.Writer) error { return writeVCD(w, x) },
	} {
		for _, room := range []failing{0, 45, 100} {
			if err := write(&room); !errors.Is(err, errFull) {
				t.Errorf("%s: %v after a full disk", name, err)
			}
		}
	}
}
