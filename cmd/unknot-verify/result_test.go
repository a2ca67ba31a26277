package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
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
	const three = `{"property":"deadlock","verdict":"holds"},{"property":"livelock","verdict":"holds"},{"property":"delivery","verdict":"holds"}`
	for _, tt := range []struct {
		name, digest, properties string
		code                     int
		want                     string
	}{
		{"what was shown", "", three, exitVerified, ""},
		{"less", "", `{"property":"livelock","verdict":"holds"}`, exitVerified, ""},
		{"an unknown", "", three + `,{"property":"starvation","verdict":"unknown"}`, exitVerified, ""},
		{"more", "", three + `,{"property":"starvation","verdict":"holds"}`, exitUnchecked, `UNCHECKED: ` + dir + `/result.json: it says "starvation freedom holds"; no evidence here is about that` + "\n"},
		{"the contrary", "", strings.Replace(three, "holds", "violated", 1), exitRejected, `REJECTED: ` + dir + `/result.json: it says "deadlock freedom violated"; the evidence here shows "deadlock freedom holds"` + "\n"},
		{"no verdict", "", `{"property":"deadlock","verdict":"Holds"}`, exitRejected, `it says "deadlock freedom Holds"`},
		{"another network", strings.Repeat("0", 64), three, exitRejected, "it is about another network, of digest"},
		{"no JSON", "", `}`, exitRejected, "result.json: invalid character"},
	} {
		digest := tt.digest
		if digest == "" {
			digest = s.Digest.String()
		}
		if err := os.WriteFile(filepath.Join(dir, evidence.ResultFile), []byte(`{"version":2,"digest":"`+digest+`","properties":[`+tt.properties+`]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := run([]string{dir}, &out, &out); code != tt.code || strings.Count(out.String(), "VERIFIED: ") != 3 || !strings.Contains(out.String(), tt.want) {
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
	for _, name := range []string{"deadlock", "never-4", "never-3", "3-is-left"} {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, name+".unknot")); err != nil {
			t.Fatal(err)
		}
	}
	result := filepath.Join(dir, evidence.ResultFile)
	const text = `{"version":2,"machine":"queue","properties":[{"property":"never 4","verdict":"violated"}]}`
	if err := os.WriteFile(result, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := run([]string{dir}, &out, &out); code != exitVerified {
		t.Errorf("exit %d:\n%s", code, &out)
	}
	if err := os.Remove(result); err != nil || os.Mkdir(result, 0o700) != nil {
		t.Fatal(err)
	}
	if code := run([]string{dir}, &out, &out); code != exitRejected || !strings.Contains(out.String(), "result.json is not a regular file") {
		t.Errorf("a folder of that name: exit %d:\n%s", code, &out)
	}
}
