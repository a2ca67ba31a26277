package main

import (
	"flag"
	"os"
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
