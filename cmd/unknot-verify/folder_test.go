package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
)

// TestEvidenceFolder: of a folder that unknot check --out wrote, all evidence is checked
// against the closed form in it; of several, each.
func TestEvidenceFolder(t *testing.T) {
	folder := func(model string) string {
		network, files := evidenceFolder(t, model, nil)
		for _, file := range files {
			if err := os.Rename(file, file+".unknot"); err != nil {
				t.Fatal(err)
			}
		}
		return filepath.Dir(network)
	}
	free, stuck, empty := folder("star-channel"), folder("ring"), t.TempDir()
	both, bare := t.TempDir(), t.TempDir() // as of a fabric: a folder a scope, and nothing else
	for name, of := range map[string]string{"a/free": free, "b": stuck} {
		if err := os.CopyFS(filepath.Join(both, name), os.DirFS(of)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(bare, "b"), os.DirFS(stuck)); err != nil || os.Mkdir(filepath.Join(bare, "a"), 0o700) != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name           string
		args           []string
		code, verified int
		want           string
	}{
		{"a folder", []string{free}, exitVerified, 3, "VERIFIED: deadlock freedom holds (extended-escape) of star-channel (wormhole)\n"},
		{"two folders", []string{free, stuck}, exitVerified, 6, "VERIFIED: deadlock freedom violated (circular-wait) of one-way ring"},
		{"folders below", []string{both}, exitVerified, 6, "VERIFIED: deadlock freedom violated (circular-wait) of one-way ring"},
		{"one below without evidence", []string{bare}, exitUsage, 3, bare + "/a: want a folder that unknot check --out"},
		{"one without evidence", []string{free, empty}, exitUsage, 3, empty + ": want a folder that unknot check --out"},
		{"one that is not there", []string{free, empty + "/x"}, exitUsage, 3, "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if code := run(tt.args, &out, &out); code != tt.code || strings.Count(out.String(), "VERIFIED: ") != tt.verified || !strings.Contains(out.String(), tt.want) {
				t.Errorf("exit code %d, want %d with %d verified and %q\n%s", code, tt.code, tt.verified, tt.want, &out)
			}
		})
	}
	// Evidence for another network is not ignored.
	if err := os.Rename(filepath.Join(free, "livelock.unknot"), filepath.Join(stuck, "livelock.unknot")); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := run([]string{stuck}, &out, &out); code != exitRejected || !strings.Contains(out.String(), "REJECTED: ") {
		t.Errorf("exit code %d:\n%s", code, &out)
	}
}

// TestHalfAFolder: a folder that has a closed form or a result without evidence, or evidence
// without a closed form, is not one of folders to look into.
func TestHalfAFolder(t *testing.T) {
	for files, want := range map[string]string{
		"network.json":                "network.json: no evidence (*.unknot) lies beside it",
		"deadlock.unknot":             ": the folder lacks the network.json or machine.json that the evidence is about",
		"result.json":                 "result.json: no evidence (*.unknot) lies beside it", // nobody would see what it says
		"network.json result.json":    "network.json: no evidence (*.unknot) lies beside it",
		"deadlock.unknot result.json": ": the folder lacks the network.json or machine.json that the evidence is about",
		"notes.txt":                   "below: want a folder that unknot check --out or unknot ask --out wrote",
	} {
		dir := t.TempDir()
		err := os.Mkdir(filepath.Join(dir, "below"), 0o700)
		for _, file := range strings.Fields(files) {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, file), nil, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := run([]string{dir}, &out, &out); code != exitUsage || !strings.Contains(out.String(), want) {
			t.Errorf("%s alone: exit code %d, %s", files, code, &out)
		}
	}
}

// TestFolder: the parts of an answer are checked one by one, and what has to be
// believed is printed.
func TestFolder(t *testing.T) {
	network, files := evidenceFolder(t, "star-channel", nil) // deadlock, livelock, delivery hold
	dir := filepath.Dir(network)
	text, err := os.ReadFile(network)
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Read(context.Background(), network, text)
	if err != nil {
		t.Fatal(err)
	}
	part := func(property, verdict, file string) evidence.Part {
		return evidence.Part{Shows: "that it is so", Subject: "network.json", Digest: s.Digest.String(), Property: property, Verdict: verdict, Evidence: file, Case: 1, Needs: "holds"}
	}
	if filepath.Base(files[0]) != "deadlock" || filepath.Base(files[1]) != "livelock" {
		t.Fatalf("the evidence is called %v", files)
	}
	dead, deadFiles := evidenceFolder(t, "ring", map[string]string{"n": "3"})
	for from, to := range map[string]string{dead: "ring.json", deadFiles[0]: "ring"} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, to), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ring, err := os.ReadFile(dead)
	if err != nil {
		t.Fatal(err)
	}
	r, err := evidence.Read(context.Background(), dead, ring)
	if err != nil {
		t.Fatal(err)
	}
	stuck := evidence.Part{Shows: "that it is not so", Subject: "ring.json", Digest: r.Digest.String(), Property: "deadlock", Verdict: "violated", Evidence: "ring", Case: 1, Needs: "violated"}
	against := stuck
	against.Needs = "holds"
	beside := part("deadlock", "holds", "deadlock")
	beside.Case, beside.Needs = 0, ""
	other := part("deadlock", "holds", "deadlock")
	other.Shows = "that it is so, too"
	for _, tt := range []struct {
		name  string
		parts []evidence.Part
		code  int
		want  string
	}{
		{"two parts", []evidence.Part{part("deadlock", "holds", "deadlock"), part("livelock", "holds", "livelock")}, exitVerified, "2 of 2 parts verified\n"},
		{"the same twice", []evidence.Part{part("deadlock", "holds", "deadlock"), part("deadlock", "holds", "deadlock")}, exitUsage, "part 2: it repeats part 1"},
		{"the same for another reason", []evidence.Part{part("deadlock", "holds", "deadlock"), other}, exitVerified, "2 of 2 parts verified\n"},
		{"a part that is not so", []evidence.Part{part("deadlock", "holds", "deadlock"), stuck}, exitVerified, "2 of 2 parts verified\n"},
		{"the contrary of its part", []evidence.Part{against}, exitRejected, `the answer "holds" does not follow from its parts`},
		{"the contrary of one of its parts", []evidence.Part{part("deadlock", "holds", "deadlock"), against}, exitRejected, "2 of 2 parts verified"},
		{"nothing it rests on", []evidence.Part{beside}, exitRejected, `the answer "holds" does not follow from its parts`},
		{"no parts", nil, exitUsage, "the answer has no parts"},
		{"another verdict", []evidence.Part{part("deadlock", "violated", "deadlock")}, exitRejected, "shows that deadlock freedom holds, not that deadlock freedom violated"},
		{"another property", []evidence.Part{part("deadlock", "holds", "livelock"), part("livelock", "holds", "livelock")}, exitRejected, "1 of 2 parts verified"},
		{"no such file", []evidence.Part{part("deadlock", "holds", "nothing")}, exitRejected, "REJECTED: "},
		{"a file elsewhere", []evidence.Part{part("deadlock", "holds", "../deadlock")}, exitUsage, "must lie in the folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var index, out bytes.Buffer
			a := &evidence.Answer{Format: evidence.AnswerFormat, Asked: "a question", Verdict: "holds", Believe: []string{"these are all"}, Parts: tt.parts}
			if err := evidence.WriteAnswer(&index, a); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, evidence.AnswerFile), index.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			code := run([]string{dir}, &out, &out)
			if code != tt.code || !strings.Contains(out.String(), tt.want) {
				t.Errorf("exit code %d, want %d with %q\n%s", code, tt.code, tt.want, &out)
			}
			if code != exitUsage && !strings.Contains(out.String(), "not machine-checked: these are all\n") {
				t.Errorf("what is not machine-checked is not printed:\n%s", &out)
			}
		})
	}
}
