package evidence_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// TestVerifyFolder: a folder with a network and its evidence is verified, as is one whose evidence lies a folder deeper;
// not so a folder without any, evidence about another network, and a count that nobody counts again. Of several faults a
// rejection is the one returned.
func TestVerifyFolder(t *testing.T) {
	network, _ := subjects(t)
	var closed bytes.Buffer
	if err := spec.WriteClosed(&closed, network.Network); err != nil {
		t.Fatal(err)
	}
	valid := map[string]string{"network.json": closed.String()}
	for i, text := range texts(t) {
		if shown, err := network.Check(t.Context(), "f", []byte(text), evidence.Options{}); err == nil && shown.Property != "addresses" {
			valid[string(rune('a'+i))+".unknot"] = text
		}
	}
	if len(valid) < 3 {
		t.Fatalf("%d files: want evidence of several kinds", len(valid))
	}
	with := func(name, text string) map[string]string {
		files := map[string]string{}
		for name, text := range valid {
			files[name] = text
		}
		files[name] = text
		return files
	}
	var count string
	for _, text := range texts(t) {
		if strings.HasPrefix(text, "unknot-count") {
			count = text
		}
	}
	for name, tt := range map[string]struct {
		files map[string]string
		want  string // "" if all is verified
	}{
		"verified":          {valid, ""},
		"no evidence":       {map[string]string{"network.json": closed.String()}, "nothing to check"},
		"no network":        {map[string]string{"a.unknot": count}, "lacks the network.json"},
		"nothing":           {map[string]string{"other": "x"}, "want a folder"},
		"not about it":      {with("z.unknot", strings.Replace(count, "sha256", "sha257", 1)), "z.unknot"},
		"other than result": {with(evidence.ResultFile, "{}"), "want a list of properties"},
	} {
		for _, below := range []string{"", "below"} {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, below), 0o700); err != nil {
				t.Fatal(err)
			}
			for name, text := range tt.files {
				if err := os.WriteFile(filepath.Join(dir, below, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := evidence.VerifyFolder(t.Context(), dir, evidence.Options{})
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s %s: %v, want %q", name, below, err, tt.want)
			}
		}
	}
	var machine bytes.Buffer
	if err := program.WriteClosed(&machine, toggle()); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		files     map[string]string
		unchecked bool
	}{
		"a count":               {map[string]string{"a.unknot": count}, true},
		"and then a rejection":  {map[string]string{"a.unknot": count, "b.unknot": count + "x"}, false},
		"a rejection before it": {map[string]string{"a.unknot": count + "x", "b.unknot": count}, false},
	} {
		dir := t.TempDir()
		tt.files["machine.json"] = machine.String()
		for name, text := range tt.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var unchecked *evidence.UncheckedError
		if err := evidence.VerifyFolder(t.Context(), dir, evidence.Options{}); err == nil || errors.As(err, &unchecked) != tt.unchecked {
			t.Errorf("%s: %v, want it unchecked: %v", name, err, tt.unchecked)
		}
	}
	if err := evidence.VerifyFolder(t.Context(), filepath.Join(t.TempDir(), "none"), evidence.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// TestOutcomeWhy: the name of the file is left out where it is that of the outcome, and where the error begins with it.
func TestOutcomeWhy(t *testing.T) {
	fault := errors.New("a: a rank rises")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&evidence.FileError{File: "a", Err: fault}, "a: a rank rises"},
		{&evidence.FileError{File: "b", Err: fault}, "b: a: a rank rises"}, // another file
		{&evidence.PanicError{File: "a", Value: "index"}, "the check failed: index"},
		{&evidence.PanicError{File: "b", Value: "index"}, "b: the check failed: index"},
		{fault, "a: a rank rises"}, // which is all of its text
		{fmt.Errorf("in memory: %w", &evidence.FileError{File: "a", Err: fault}), "in memory: a: a: a rank rises"},
	} {
		o := evidence.Outcome{File: "a", Err: tt.err}
		if got := o.Why(); got != tt.want || o.String() != tt.err.Error() {
			t.Errorf("%v: why is %q, want %q; in full %q", tt.err, got, tt.want, o)
		}
		if file := new(evidence.FileError); errors.As(tt.err, &file) && !errors.Is(tt.err, fault) {
			t.Errorf("%v does not wrap what is wrong", tt.err)
		}
	}
}
