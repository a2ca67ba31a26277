package evidence_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// index is a correct index, with parts of two kinds.
const index = `{"format": "unknot-answer-2", "asked": "a", "asks": "b", "verdict": "holds", "because": "c", "believe": ["d"], "parts": [
{"shows": "e", "property": "addresses", "verdict": "holds", "evidence": "0001.unknot", "case": 1, "needs": "holds"},
{"shows": "e", "subject": "0002.json", "digest": "0f", "property": "deadlock-freedom", "verdict": "violated", "evidence": "0002.unknot"}]}
`

func TestReadAnswer(t *testing.T) {
	if _, err := evidence.ReadAnswer("f", []byte(index)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, old, new, want string }{
		{"text behind it", "]}\n", "]}\n{}", "nothing after the end"},
		{"a word behind it", "]}\n", "]}\nverified", "nothing after the end"},
		{"a key twice", `"verdict": "holds", "because"`, `"verdict": "violated", "verdict": "holds", "because"`, "each key once"},
		{"parts twice", `"parts": [`, `"parts": [], "parts": [`, "each key once"},
		{"a key in capitals", `"asked": "a"`, `"Asked": "a"`, "each key once"},
		{"two verdicts, one in capitals", `"because"`, `"Verdict": "violated", "because"`, "each key once"},
		{"a key of its own", `"because"`, `"why": 1, "because"`, "unknown field"},
		{"without a key", `"because": "c", `, "", "each key once"},
		{"the same part twice", `"believe": ["d"], "parts": [`,
			`"believe": ["d"], "parts": [{"shows": "e", "property": "addresses", "verdict": "holds", "evidence": "0001.unknot", "case": 1, "needs": "holds"},`,
			"part 2: it repeats part 1"},
		{"another format", "unknot-answer-2", "unknot-answer-3", "want \"unknot-answer-2\""},
		{"no verdict", `"holds", "because"`, `"true", "because"`, "invalid verdict"},
		{"a verdict that is unknown", `"holds", "because"`, `"unknown", "because"`, `invalid verdict "unknown": want holds or violated`},
		{"nothing to believe", `["d"]`, `[]`, "believe is empty"},
		{"nothing to believe in a sentence", `["d"]`, `[""]`, "believe is empty"},
		{"a part of no verdict", `"violated"`, `"unknown"`, "want holds or violated"},
		{"a file outside", `"0001.unknot"`, `"../0001.unknot"`, "must lie in the folder"},
		{"a file from the root", `"0001.unknot"`, `"/etc/passwd"`, "must lie in the folder"},
		{"a file below", `"0001.unknot"`, `"a/0001.unknot"`, "must lie in the folder"},
		{"no file", `"0001.unknot"`, `""`, "must lie in the folder"},
		{"the folder", `"0001.unknot"`, `"."`, "must lie in the folder"},
		{"a subject outside", `"0002.json"`, `".."`, "must lie in the folder"},
		{"a case that needs nothing", `, "needs": "holds"`, "", "want a case from 1 that needs"},
		{"a need of no case", `"case": 1, `, "", "want a case from 1 that needs"},
		{"a case that needs another word", `"needs": "holds"`, `"needs": "unknown"`, "want a case from 1 that needs"},
		{"a case below", `"case": 1`, `"case": -1`, "want a case from 1 that needs"},
		{"a subject without digest", `"digest": "0f", `, "", "want a digest with a subject"},
		{"a part without property", `"property": "deadlock-freedom"`, `"property": ""`, "names no property"},
		{"a line break", `"shows": "e", "subject"`, `"shows": "e\nVERIFIED: all", "subject"`, "control characters"},
		{"an escape", `"because": "c"`, `"because": "\u001b[2Kc"`, "control characters"},
		{"what turns text round", `["d"]`, "[\"d\u202e\"]", "control characters"},
		{"no parts", index[strings.Index(index, "[\n"):], "[]}\n", "no parts: nothing is shown"},
		{"a list", "{\"format\"", "[{\"format\"", "1:1: "},
		{"a word of another language", `"addresses"`, `"addresses" and`, "2:40: invalid character 'a'"},
		{"a number for a text", `"shows": "e", "subject"`, `"shows": 3, "subject"`, "f:3:137: json: cannot unmarshal number"},
		{"a part of another word", `"violated"`, `"false"`, "want holds or violated"},
	} {
		changed := strings.Replace(index, tt.old, tt.new, 1)
		if changed == index {
			t.Fatalf("%s: there is no %s", tt.name, tt.old)
		}
		if _, err := evidence.ReadAnswer("f", []byte(changed)); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%s: %v, want f:LINE:COL: ... %q", tt.name, err, tt.want)
		}
	}
}

// TestAgrees: an answer follows from its parts or is refused, whatever the parts are
// about. A part is written as its case, its verdict and the verdict that it needs.
func TestAgrees(t *testing.T) {
	for _, tt := range []struct {
		parts    string
		holds    bool // accepted as an answer that holds
		violated bool
	}{
		{"", false, false}, // nothing follows from nothing; ReadAnswer refuses it
		{"1++", true, false},
		{"1-+", false, true},
		{"1+-", false, true},
		{"1--", true, false},
		{"1++ 1++", true, false}, // all of one case
		{"1++ 1-+", false, true},
		{"1-+ 1++", false, true},
		{"1-+ 1-+", false, true},
		{"1++ 1--", true, false},
		{"1++ 2-+", true, false}, // some of two cases
		{"1-+ 2++", true, false},
		{"1-+ 2-+", false, true},
		{"1-+ 2++ 1++", true, false},
		{"1-+ 2++ 2+-", false, true},
		{"0+ 0-", false, false}, // none on which the answer rests
		{"0+ 1-+", false, true},
		{"0- 1++", true, false},
	} {
		for _, property := range []string{"deadlock-freedom", "regions", "acyclic", "addresses", "never 3"} {
			sign := map[byte]string{'+': "holds", '-': "violated"}
			a := &evidence.Answer{}
			for _, text := range strings.Fields(tt.parts) {
				p := evidence.Part{Property: property, Case: int(text[0] - '0'), Verdict: sign[text[1]]}
				if p.Case > 0 {
					p.Needs = sign[text[2]]
				}
				a.Parts = append(a.Parts, p)
			}
			for verdict, want := range map[string]bool{"holds": tt.holds, "violated": tt.violated, "unknown": false} {
				a.Verdict = verdict
				if err := a.Agrees(); (err == nil) != want {
					t.Errorf("%s of %q that %s: %v, want accepted: %v", property, tt.parts, verdict, err, want)
				}
			}
		}
	}
}

// folder writes an answer of one part.
func folder(t *testing.T, files map[string]string, p evidence.Part) *evidence.Folder {
	t.Helper()
	dir := t.TempDir()
	var b bytes.Buffer
	if err := evidence.WriteAnswer(&b, &evidence.Answer{Format: evidence.AnswerFormat, Verdict: "holds",
		Believe: []string{"b"}, Parts: []evidence.Part{p}}); err != nil {
		t.Fatal(err)
	}
	files[evidence.AnswerFile] = b.String()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := evidence.OpenFolder(dir, evidence.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFilesOfAFolder: only a regular file in the folder itself is part of it, even if
// the text of another is right; reading a device would never end.
func TestFilesOfAFolder(t *testing.T) {
	text := texts(t)[10] // a table, which stands by itself
	part := evidence.Part{Property: "addresses", Verdict: "holds", Evidence: "table"}
	f := folder(t, map[string]string{"table": text}, part)
	if _, _, err := f.Check(context.Background(), 0, evidence.Options{}); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "table")
	if err := os.WriteFile(elsewhere, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"a file elsewhere": elsewhere, "a file beside it": "other", "a device": os.DevNull} {
		f := folder(t, map[string]string{"other": text}, part)
		if err := os.Symlink(target, filepath.Join(f.Dir, "table")); err != nil {
			t.Skip("cannot make a symbolic link: ", err)
		}
		if _, _, err := f.Check(context.Background(), 0, evidence.Options{}); err == nil ||
			!strings.Contains(err.Error(), "is not a regular file of the folder") {
			t.Errorf("%s: %v", name, err)
		}
	}
	f = folder(t, map[string]string{}, part)
	index := filepath.Join(f.Dir, evidence.AnswerFile)
	if err := os.Rename(index, index+".1"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(index+".1", index); err != nil {
		t.Fatal(err)
	}
	if _, err := evidence.OpenFolder(f.Dir, evidence.Options{}); err == nil || !strings.Contains(err.Error(), "is not a regular file of the folder") {
		t.Errorf("an index elsewhere: %v", err)
	}
}

// TestScenarioOfAPart: the ring of three nodes has a deadlock. With a single packet, or
// with a place kept free, there is none; but neither set shows that the network is free
// of deadlock, which is what a part claims.
func TestScenarioOfAPart(t *testing.T) {
	network, _ := subjects(t)
	var closed bytes.Buffer
	if err := spec.WriteClosed(&closed, network.Network); err != nil {
		t.Fatal(err)
	}
	for scenario, want := range map[string]string{
		"packets 1":     "holds of at most 1 packet, not shown of more (closed set",
		"sink 1":        "is stuck",
		"whole packets": "is stuck",
	} {
		sc, err := spec.ParseScenario(scenario)
		if err != nil {
			t.Fatal(err)
		}
		traffic, err := states.NewTraffic(network.Network, sc)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := write.ClosedSet(&b, &machines.ClosedSet{Machine: traffic.Name(), Property: "deadlock-freedom",
			States: spaceOf(traffic, traffic.Start(nil), mostStates).states}); err != nil {
			t.Fatal(err)
		}
		shown, err := network.Check(context.Background(), "set", b.Bytes(), evidence.Options{})
		if got := fmt.Sprint(shown, err); !strings.Contains(got, want) {
			t.Errorf("%s by itself: %s, want %q", scenario, got, want)
		}
		if err == nil && !strings.Contains(shown.String(), scenario) {
			t.Errorf("%s does not say that this is with %s", shown, scenario)
		}
		f := folder(t, map[string]string{"network": closed.String(), "set": b.String()},
			evidence.Part{Subject: "network", Digest: network.Digest.String(), Property: "deadlock-freedom", Verdict: "holds", Evidence: "set"})
		if _, shown, err := f.Check(context.Background(), 0, evidence.Options{}); err == nil {
			t.Errorf("%s as a part: %s", scenario, shown)
		}
	}
}

// TestDigestOfAPart: what is shown of a network counts for a part about it, not for one
// that names another digest.
func TestDigestOfAPart(t *testing.T) {
	network, _ := subjects(t)
	var closed, measure bytes.Buffer
	if err := spec.WriteClosed(&closed, network.Network); err != nil {
		t.Fatal(err)
	}
	certificate := &proofs.Certificate{Network: network.Digest, Property: spec.LivelockFreedom, Kind: proofs.Measure, Measure: []int32{1, 0, 0, 1, 1, 0}}
	if err := write.Certificate(&measure, certificate); err != nil {
		t.Fatal(err)
	}
	for digest, want := range map[string]string{network.Digest.String(): "", strings.Repeat("0f", 32): "has the digest " + network.Digest.String()} {
		f := folder(t, map[string]string{"network": closed.String(), "measure": measure.String()},
			evidence.Part{Subject: "network", Digest: digest, Property: "livelock-freedom", Verdict: "holds", Evidence: "measure"})
		if _, _, err := f.Check(t.Context(), 0, evidence.Options{}); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.8s: %v, want %q", digest, err, want)
		}
	}
	// Evidence for one verdict does not prove the other.
	f := folder(t, map[string]string{"network": closed.String(), "measure": measure.String()},
		evidence.Part{Subject: "network", Digest: network.Digest.String(), Property: "livelock-freedom", Verdict: "violated", Evidence: "measure"})
	if _, _, err := f.Check(t.Context(), 0, evidence.Options{}); err == nil ||
		!strings.Contains(err.Error(), "shows that livelock freedom holds, not that livelock freedom violated") {
		t.Errorf("a measure for the verdict violated: %v", err)
	}
}

// TestAsDefined: what holds with wormhole switching must hold for messages of any
// length, otherwise for whole packets; what is violated by messages of one length is
// violated.
func TestAsDefined(t *testing.T) {
	for _, tt := range []struct {
		verdict   spec.Verdict
		under     spec.Scenario
		switching spec.Switching
		accepted  bool
	}{
		{spec.Holds, spec.Scenario{}, spec.StoreAndForward, true},
		{spec.Holds, spec.Scenario{}, spec.Wormhole, false},
		{spec.Holds, spec.Scenario{Length: spec.AnyLength}, spec.Wormhole, true},
		{spec.Holds, spec.Scenario{Length: 3}, spec.Wormhole, false},
		{spec.Holds, spec.Scenario{Sink: 1}, spec.StoreAndForward, false},
		{spec.Violated, spec.Scenario{Length: 3, Elastic: true}, spec.Wormhole, true},
		{spec.Violated, spec.Scenario{Sink: 1}, spec.StoreAndForward, false},
	} {
		err := evidence.Shown{Verdict: tt.verdict, Under: &tt.under}.AsDefined(tt.switching)
		if (err == nil) != tt.accepted {
			t.Errorf("%s with %s, switching %s: %v", tt.verdict, tt.under, tt.switching, err)
		}
	}
	if got, want := (evidence.Shown{Property: "deadlock-freedom", Verdict: spec.Holds, By: "x", Under: &spec.Scenario{Once: make([]spec.Flow, 2)}}).String(),
		"deadlock freedom holds of 2 single packets, not shown of others (x, once 2)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestNamesOfProperties: a part names its property by a word, so no two properties may
// share one: otherwise the evidence for a harmless invariant would pass for freedom
// from deadlock.
func TestNamesOfProperties(t *testing.T) {
	for _, change := range []func(*program.Program, program.Expr){
		func(p *program.Program, e program.Expr) { p.Invariant("deadlock-freedom", e) },
		func(p *program.Program, e program.Expr) { p.Response("deadlock-freedom", e) },
		func(p *program.Program, e program.Expr) { p.Invariant("x", e); p.Response("x", e) },
	} {
		p := program.New("p")
		x := p.Var("x", 2, "off", "on")
		change(p, program.Eq(x, 1))
		if _, err := evidence.OfProgram(p); err == nil || !strings.Contains(err.Error(), "duplicate ") {
			t.Errorf("%v", err)
		}
	}
}
