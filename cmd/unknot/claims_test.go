package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
)

var update = flag.Bool("update", false, "write the golden files anew")

const claimsHeading = `# What the sources claim, and what unknot finds

A row has the sentence of the source, in translation, with its section; what the source does not say is *ours*.
A refutation names the reading of the sentence under which it stands.

Written by ` + "`go test ./cmd/unknot -run TestClaims -update`" + `, which runs every command.

`

// TestClaims runs the command of every claim of the catalogue. Each has its
// expected verdict beside it; the table with the evidence is kept for readers.
func TestClaims(t *testing.T) {
	const table = "../../models/CLAIMS.md"
	code, out, errs := unknot(t, "models", "--claims")
	if code != exitExpected {
		t.Fatalf("exit %d: %s", code, errs)
	}
	out = claimsHeading + out
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

// TestReadmePicture: the picture of a finding in the guide is the one that its
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

// TestClaimsDiffer: a verdict that is not the one that the catalogue expects is
// marked and is an error, and so is a command that does not run.
func TestClaimsDiffer(t *testing.T) {
	claim := func(want spec.Verdict, property string, command ...string) catalogue.Claim {
		return catalogue.Claim{Says: "a|b", Command: command, Property: property, Want: want, Finding: "found", Ours: true}
	}
	for _, tt := range []struct {
		name   string
		claims []catalogue.Claim
		row    string // in the table
		err    string
	}{
		{"as expected", []catalogue.Claim{claim(spec.Violated, "deadlock", "check", "ring")}, "| a\\|b | *ours* | found | deadlock violated | trace of 4 steps | `unknot check ring` |\n", ""},
		{"not as expected", []catalogue.Claim{claim(spec.Holds, "deadlock", "check", "ring"), claim(spec.Holds, "livelock", "check", "ring")},
			"| deadlock violated (not holds) |", "1 of 2 verdicts are not those that the catalogue expects:\nunknot check ring: violated, not holds"},
		{"no such property", []catalogue.Claim{claim(spec.Holds, "speed", "check", "ring")}, "", `nothing is said of "speed"`},
		{"no such model", []catalogue.Claim{claim(spec.Holds, "deadlock", "check", "nothing.star")}, "", "unknot check nothing.star: exit 2: "},
		{"none", nil, "", "lists no claims"},
	} {
		var out strings.Builder
		err := claimsTable(t.Context(), &out, catalogue.Entry{Name: "test", Claims: tt.claims})
		if !strings.Contains(out.String(), tt.row) || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v\n%s", tt.name, err, out.String())
		}
	}
}
