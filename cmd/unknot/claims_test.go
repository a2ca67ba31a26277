package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestClaims runs the command of every claim of the catalogue. Each has its
// expected verdict beside it; the table with the evidence is kept for readers.
func TestClaims(t *testing.T) {
	const table = "../../models/CLAIMS.md"
	code, out, errs := unknot(t, "models", "--claims")
	if code != exitExpected {
		t.Fatalf("exit %d: %s", code, errs)
	}
	out = "# What the sources claim, and what unknot finds\n\n" +
		"Written by `go test ./cmd/unknot -run TestClaims -update`, which runs every command.\n\n" + out
	if *update {
		if err := os.WriteFile(table, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out); diff != "" {
		t.Errorf("%s is not what the commands find now (-want +got):\n%s", table, diff)
	}
}

// TestReadmePicture: the picture of a finding in the README is the one that its
// command draws.
func TestReadmePicture(t *testing.T) {
	const kept = "testdata/p3-livelock.svg"
	drawn := filepath.Join(t.TempDir(), "p3.svg")
	if code, _, errs := unknot(t, "ask", "p3", "arrives", "--set", "shape=bent", "--picture", drawn); code != exitViolated {
		t.Fatalf("exit %d: %s", code, errs)
	}
	got, err := os.ReadFile(drawn)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(kept, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}
