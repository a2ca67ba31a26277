package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// TestResultBesideEvidence: a result that contradicts what the evidence next to it has
// shown is rejected; one that says more is unchecked.
func TestResultBesideEvidence(t *testing.T) {
	network, files := evidenceFolder(t, "star-channel", nil) // deadlock, livelock, delivery hold
	dir := filepath.Dir(network)
	t.Chdir(dir) // a result here is not about files that are named
	for _, file := range files {
		if err := os.Rename(file, file+".unknot"); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(network)
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Read(t.Context(), network, text)
	if err != nil {
		t.Fatal(err)
	}
	const three = `{"property":"deadlock-freedom","verdict":"holds","method":"static","evidence":"certificate","certificate":"extended-escape"},` +
		`{"property":"livelock-freedom","verdict":"holds","method":"static","evidence":"certificate","certificate":"measure"},` +
		`{"property":"delivery","verdict":"holds","method":"static","evidence":"certificate","certificate":"arrival"}`
	for _, tt := range []struct {
		name, digest, properties string
		code                     int
		want                     string
	}{
		{"what was shown", "", three, exitVerified, ""},
		{"less", "", three[:strings.LastIndex(three, ",{")], exitVerified, ""},
		{"unknown what was shown", "", strings.Replace(three,
			`{"property":"deadlock-freedom","verdict":"holds","method":"static","evidence":"certificate","certificate":"extended-escape"}`,
			`{"property":"deadlock-freedom","verdict":"unknown"}`, 1), exitVerified, ""},
		{"a property twice", "", three + `,{"property":"livelock-freedom","verdict":"unknown"}`, exitRejected,
			`it says "livelock freedom unknown": it says so twice, or the contrary`},
		{"an unknown", "", three + `,{"property":"starvation-freedom","verdict":"unknown"}`, exitVerified, ""},
		{"more", "", three + `,{"property":"starvation-freedom","verdict":"holds"}`, exitUnchecked, `UNCHECKED: ` +
			dir + `/result.json: it says "starvation freedom holds"; no evidence here is about that` + "\n"},
		{"the contrary", "", strings.Replace(three, "holds", "violated", 1), exitRejected, `REJECTED: ` + dir +
			`/result.json: it says "deadlock freedom violated"; the evidence here shows "deadlock freedom holds"` +
			"\n"},
		{"no verdict", "", `{"property":"deadlock-freedom","verdict":"Holds"}`, exitRejected, `it says "deadlock freedom Holds"`},
		{"another network", strings.Repeat("0", 64), three, exitRejected, "it is about another network or machine than "},
		{"a key twice", "", three + `],"properties":[{"property":"livelock-freedom","verdict":"holds"}`, exitRejected,
			"want a list of properties, each key once"},
		{"a verdict twice", "", strings.Replace(three, `"holds"`, `"violated","verdict":"holds"`, 1), exitRejected, "each key once"},
		{"a key that only looks like another", "", strings.Replace(three, `"holds"`, `"violated","Verdict":"holds"`, 1),
			exitRejected, `it says "deadlock freedom violated"`},
		{"a key twice, and bytes that take as much more when they are written again", "", strings.Replace(three,
			`"holds"`, `"unknown","verdict":"holds","because":"`+strings.Repeat("\xff", 10)+`"`,
			1), exitRejected, "each key once"},
		{"an escape without need", "", strings.Replace(three, "deadlock-freedom", `dead\u006cock`, 1), exitRejected, "texts without needless escapes"},
		{"something behind the end", "", three + `]}{"more":[`, exitRejected, "result.json: "},
		{"no JSON", "", `}`, exitRejected, "result.json: invalid character"},
	} {
		digest := tt.digest
		if digest == "" {
			digest = s.Digest.String()
		}
		if err := os.WriteFile(filepath.Join(dir, evidence.ResultFile),
			[]byte(`{"version":2,"network":"star-channel","digest":"`+digest+`","switching":"wormhole","properties":[`+tt.properties+`]}`),
			0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := run([]string{dir}, &out, &out); code != tt.code || strings.Count(out.String(), "VERIFIED: ") != 3 ||
			!strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s", tt.name, code, tt.code, tt.want, &out)
		}
		// Named files are checked without a result.
		if code := run([]string{network, files[0] + ".unknot"}, &out, &out); code != exitVerified {
			t.Errorf("%s: named files: exit %d", tt.name, code)
		}
	}
	// Where evidence is rejected, the result, here no JSON, is not read.
	if err := os.WriteFile(files[0]+".unknot", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := run([]string{dir}, &out, &out); code != exitRejected || strings.Count(out.String(), "REJECTED: ") != 1 {
		t.Errorf("exit %d, want one rejected:\n%s", code, &out)
	}
}

// TestResultOfAMachine: its evidence names the machine, its result has no digest.
func TestResultOfAMachine(t *testing.T) {
	dir := machineFolder(t, queue(4), 1000)
	for _, name := range []string{"deadlock-freedom", "never-4", "never-3", "3-is-left"} {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, name+".unknot")); err != nil {
			t.Fatal(err)
		}
	}
	result := filepath.Join(dir, evidence.ResultFile)
	const text = `{"version":2,"machine":"queue","properties":[` +
		`{"property":"deadlock-freedom","verdict":"holds","method":"explored","evidence":"closed-set"},` +
		`{"property":"never 4","verdict":"violated","method":"explored","evidence":"machine-trace","steps":4,"fault":"broken"},` +
		`{"property":"never 3","verdict":"violated","method":"explored","evidence":"machine-trace","steps":3,"fault":"broken"},` +
		`{"property":"3 is left","verdict":"holds","method":"explored","evidence":"ranking"}]}`
	if err := os.WriteFile(result, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := run([]string{dir}, &out, &out); code != exitVerified {
		t.Errorf("exit %d:\n%s", code, &out)
	}
	if err := os.WriteFile(result, []byte(strings.Replace(text, `"queue"`, `"queue of 9"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{dir}, &out, &out); code != exitRejected || !strings.Contains(out.String(), "it is about another network or machine than queue\n") {
		t.Errorf("another name: exit %d:\n%s", code, &out)
	}
	if err := os.Remove(result); err != nil || os.Mkdir(result, 0o700) != nil {
		t.Fatal(err)
	}
	if code := run([]string{dir}, &out, &out); code != exitRejected || !strings.Contains(out.String(), "result.json is not a regular file") {
		t.Errorf("a folder of that name: exit %d:\n%s", code, &out)
	}
}

// TestResultOfTheSmallestDeadlock: of few packets there is no deadlock, which is not the
// contrary of the deadlock of more.
func TestResultOfTheSmallestDeadlock(t *testing.T) {
	n := modeltest.Network(t, "ring", map[string]string{"n": "3"}, func(d *routing.Definition) { d.Switching = spec.Wormhole })
	x, err := checker.Check(t.Context(), n, checker.Question{Smallest: checker.FewestPackets, Scenario: spec.Scenario{Length: 1, Shared: true},
		Closed: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, f := range x.Findings {
		kinds = append(kinds, f.Property+" by "+f.Evidence.Kind())
	}
	if !slices.Contains(kinds, "deadlock-freedom by trace") || !slices.Contains(kinds, "no deadlock of at most 2 packets by closed-set") {
		t.Fatalf("the evidence is %q", kinds)
	}
	dir, text := resultFolder(t, x)
	put := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, evidence.ResultFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		old, new string
		code     int
	}{
		{"", "", exitVerified},
		{`"violated"`, `"holds"`, exitRejected}, // only of two packets
		{`"property": "no deadlock of at most 2 packets",\s*"verdict": "holds"`,
			`"property": "no deadlock of at most 2 packets", "verdict": "violated"`, exitRejected},
		{"no deadlock of at most 2 packets", "no deadlock of at most 3 packets", exitUnchecked},
		// nothing says that there is one
		{`"property": "deadlock-freedom",\s*"verdict": "violated"`, `"property": "deadlock of more", "verdict": "violated"`, exitRejected},
		{`"property": "deadlock-freedom",\s*"verdict": "violated"`, `"property": "deadlock-freedom", "verdict": "unknown"`, exitRejected},
		{"packets 2", "packets 3", exitRejected},
	} {
		changed := text
		if tt.old != "" {
			if changed = regexp.MustCompile(tt.old).ReplaceAllString(text, tt.new); changed == text {
				t.Fatalf("there is no %q in\n%s", tt.old, changed)
			}
		}
		put(changed)
		var out bytes.Buffer
		if code := run([]string{dir}, &out, &out); code != tt.code {
			t.Errorf("%s for %s: exit %d, want %d:\n%s", tt.new, tt.old, code, tt.code, &out)
		}
	}
}
