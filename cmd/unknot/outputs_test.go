package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/seed-105a2da2/unknot/checker/show/report"
)

// counts are the numbers of a JUnit file.
type counts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
}

// flow is what a test reads of a SARIF file.
type flow struct {
	Runs []struct {
		Invocations []struct {
			Successful bool `json:"executionSuccessful"`
		}
		Results []struct {
			RuleID       string
			Suppressions []struct{ Kind string }
			Locations    []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI string }
					Region           struct{ StartLine int }
				}
			}
		}
	}
}

// TestOutputs: all outputs at once say the same as the exit code.
func TestOutputs(t *testing.T) {
	line := 1 + strings.Count(ringFile[:strings.Index(ringFile, "return")], "\n")
	expecting := func(text string) string { return strings.Replace(ringFile, "%", text, 1) }
	for _, tt := range []struct {
		name        string
		ring        string
		args        []string
		code        int
		junit       counts
		results     int
		suppressed  int
		events      []string // last words
		annotations string   // prefix
	}{
		{"one file", expecting(""), []string{"check", "ring.star"}, 1, counts{3, 1, 0}, 1, 0,
			[]string{"started", "finding", "finished"}, "::error file=ring.star,line=7,col="},
		{"as expected", expecting(`expect(deadlock_freedom = "violated")`), []string{"check", ".", "--property", "deadlock-freedom"}, 0, counts{1, 0, 0}, 1, 1,
			[]string{"started", "finding", "finished"}, ""},
		{"not read", "network(", []string{"check", "ring.star"}, 2, counts{1, 0, 1}, 0, 0,
			[]string{"started", "failed", "finished"}, "::error file=ring.star,line=1,col="},
		{"not read, of several", "network(", []string{"check", ".", "ring"}, 2, counts{4, 0, 1}, 1, 1,
			[]string{"started", "failed", "started", "finding", "finished"}, "::error file=ring.star,line=1,col="},
		{"explored", expecting(""), []string{"check", "ring.star", "--explore=always"}, 1, counts{3, 1, 0}, 1, 0,
			[]string{"started", "finding", "finished"}, "::error file=ring.star,line=7,col="},
		{"a bound", expecting(""), []string{"check", "ring.star", "--property", "starvation-freedom", "--max-states", "2"}, 3, counts{1, 0, 1}, 1, 0,
			[]string{"started", "finding", "finished"}, "::warning file=ring.star,line=1,col=1,"},
		{"a machine", "", []string{"check", "peterson"}, 0, counts{2, 0, 0}, 0, 0,
			[]string{"started", "finding", "finished"}, ""},
		{"no such file", "", []string{"check", "none.star"}, 2, counts{1, 0, 1}, 0, 0,
			[]string{"started", "failed", "finished"}, "::error title=none.star could not be decided::"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if tt.ring != "" {
				if err := os.WriteFile("ring.star", []byte(tt.ring), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			code, out, errs := unknot(t, append(tt.args, "--events", "e", "--junit", "j", "--sarif", "s", "--markdown", "m", "--annotations")...)
			if code != tt.code {
				t.Errorf("exit %d, want %d\n%s%s", code, tt.code, out, errs)
			}
			var junit counts
			if err := xml.Unmarshal(read(t, "j"), &junit); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(tt.junit, junit); diff != "" {
				t.Errorf("JUnit (-want +got):\n%s", diff)
			}
			var sarif flow
			if err := json.Unmarshal(read(t, "s"), &sarif); err != nil {
				t.Fatal(err)
			}
			run := sarif.Runs[0]
			suppressed := 0
			for _, r := range run.Results {
				suppressed += len(r.Suppressions)
			}
			if len(run.Results) != tt.results || suppressed != tt.suppressed || run.Invocations[0].Successful == slices.Contains(tt.events, "failed") {
				t.Errorf("SARIF: %d results, %d suppressed, %+v", len(run.Results), suppressed, run.Invocations)
			}
			if tt.name == "one file" {
				at := run.Results[0].Locations[0].PhysicalLocation
				if at.ArtifactLocation.URI != "ring.star" || at.Region.StartLine != line {
					t.Errorf("SARIF: at %+v, want line %d", at, line)
				}
			}
			if diff := cmp.Diff(tt.events, eventKinds(t, read(t, "e"))); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if !bytes.HasPrefix(read(t, "m"), []byte("## unknot: ")) {
				t.Error("no summary")
			}
			if tt.annotations == "" && strings.Contains(errs, "::") || !strings.HasPrefix(errs, tt.annotations) {
				t.Errorf("annotations %q, want %q", errs, tt.annotations)
			}
			left, err := filepath.Glob(".*")
			if err != nil || len(left) > 0 {
				t.Errorf("temporary files left: %v, %v", left, err)
			}
		})
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// eventKinds validates events and returns their kinds, without progress and
// without repetition.
func eventKinds(t *testing.T, text []byte) []string {
	t.Helper()
	schema := compiledSchema(t, "#/$defs/event")
	var kinds []string
	for line := range bytes.Lines(text) {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if kind := doc.(map[string]any)["event"].(string); kind != "progress" {
			kinds = append(kinds, kind)
		}
	}
	return slices.Compact(kinds)
}

func compiledSchema(t *testing.T, at string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(report.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json" + at)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestJSONSchema: what --json prints is what the published schema describes.
func TestJSONSchema(t *testing.T) {
	schema := compiledSchema(t, "")
	for _, args := range [][]string{
		{"check", "ring"}, {"check", "torus"}, {"check", "mesh", "--set", "routing=deflection"}, {"check", "gadget"},
		{"check", "gadget", "--set", "name=swap", "--switching", "store-and-forward", "--property", "deadlock-freedom",
			"--explore=never"}, {"check", "ring", "--explore=always"},
		{"check", "ring", "--set", "variant=dateline", "--liveness"}, {"check", "ring", "--explore=always", "--max-states", "3"},
		{"check", "peterson"}, {"check", "ring", "mesh", "none.star"},
		{"check", "ring", "peterson"}, {"check", "peterson", "--expected", "--switching", "saf"}, {"ask", "peach2", "addresses"},
	} {
		_, out, errs := unknot(t, append(args, "--json")...)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
		if err != nil {
			t.Fatalf("%v: %v\n%s%s", args, err, out, errs)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// TestOutputsFail: a file that cannot be written is refused before anything is decided; one in the folder that --out makes can be.
func TestOutputsFail(t *testing.T) {
	for _, flag := range []string{"--events", "--junit", "--sarif", "--markdown"} {
		name := filepath.Join(t.TempDir(), "no", "such", "folder")
		if code, _, errs := unknot(t, "check", "ring", flag, name); code != exitUsage || !strings.HasPrefix(errs, "unknot: invalid "+flag+" ") {
			t.Errorf("%s: exit %d, %s", flag, code, errs)
		}
		out := filepath.Join(t.TempDir(), "new")
		if code, _, errs := unknot(t, "check", "ring", "--out", out, flag, filepath.Join(out, "x")); code != exitViolated {
			t.Errorf("%s: exit %d, %s", flag, code, errs)
		}
	}
}

func TestReplayTo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "evidence")
	if code, _, errs := unknot(t, "check", "ring", "--out", dir); code != exitViolated {
		t.Fatal(errs)
	}
	network, trace := filepath.Join(dir, networkFile), filepath.Join(dir, "deadlock-freedom.unknot")
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--to", "vcd"}, 0, "$enddefinitions $end\n"},
		{[]string{"--to", "itf"}, 0, `"format": "ITF"`},
		{[]string{"--to", "fst"}, 2, `invalid --to "fst": want itf, vcd, mermaid or svg`},
		{[]string{"--to", "vcd", "--format", "dot"}, 2, "--format and --to exclude each other"},
	} {
		code, out, errs := unknot(t, append([]string{"replay", network, trace}, tt.args...)...)
		if code != tt.code || !strings.Contains(out+errs, tt.want) {
			t.Errorf("%v: exit %d\n%s%s", tt.args, code, out, errs)
		}
	}
	// A run of a machine, and of a network's traffic.
	dir = filepath.Join(t.TempDir(), "starved")
	if code, _, errs := unknot(t, "check", "ring", "--set", "variant=dateline", "--liveness", "--out", dir); code != exitViolated {
		t.Fatal(errs)
	}
	code, out, errs := unknot(t, "replay", filepath.Join(dir, networkFile), filepath.Join(dir, "starvation-freedom.unknot"), "--to", "itf")
	if code != 0 || !strings.Contains(out, `"loop": 1`) {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}
