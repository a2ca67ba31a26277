package main

import (
	"flag"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

const claimsHeading = `# What the sources claim, and what unknot finds

Each row quotes the source, in translation, with its section; *ours* is what the source does not say.
A refutation names the reading under which it stands.

Written by ` + "`go test ./cmd/unknot -run TestClaims -update`" + `, which runs every command.

`

// TestClaims runs the commands of claims; each has its expected verdict beside
// it. The table that is kept for readers is what they find. The suite runs one
// in 32.
func TestClaims(t *testing.T) {
	const table = "../../models/CLAIMS.md"
	if *update {
		code, out, errs := unknot(t, "models", "--claims")
		if code != exitExpected {
			t.Fatalf("exit %d: %s", code, errs)
		}
		if err := os.WriteFile(table, []byte(claimsHeading+out), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	kept := strings.SplitAfter(string(text), "\n")
	next := func(n int) string {
		n = min(n, len(kept))
		lines := strings.Join(kept[:n], "")
		kept = kept[n:]
		return lines
	}
	if diff := cmp.Diff(claimsHeading, next(strings.Count(claimsHeading, "\n"))); diff != "" {
		t.Fatal(diff)
	}
	for _, e := range models.Catalogue() {
		if len(e.Claims()) == 0 {
			continue
		}
		head := claimsEntry(e) + claimsHead
		if diff := cmp.Diff(head, next(strings.Count(head, "\n"))); diff != "" {
			t.Fatalf("%s (-want +kept):\n%s", e.Name, diff)
		}
		rows := strings.SplitAfter(next(len(e.Claims())), "\n")
		next(1)
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			done := figures{}
			for i, c := range e.Claims() {
				if diff := cmp.Diff(rowOfClaim(t, c, rows[i], done), rows[i]); diff != "" {
					t.Errorf("unknot %s (-found +kept):\n%s", strings.Join(c.Command, " "), diff)
				}
			}
		})
	}
	if rest := next(len(kept)); rest != "" {
		t.Errorf("%s has more rows than the catalogue has claims: %q", table, rest)
	}
}

// rowOfClaim returns the row of a claim as its command fills it in; where it is
// not in the sample, with the evidence of the row that is kept.
func rowOfClaim(t *testing.T, c catalogue.Claim, kept string, done figures) string {
	t.Helper()
	var out strings.Builder
	sum := fnv.New32a()
	sum.Write([]byte(strings.Join(c.Command, " ")))
	// What takes minutes is left to -update: all figures of a simulation but the third, and
	// the turn models of three dimensions, which TestTurnSets counts.
	figure := c.Command[0] == "simulate" && c.Command[1] == "star-channel" && !slices.Contains(c.Command, "fig3")
	if seedtest.Sampled(int(sum.Sum32()), 32) && !figure && !slices.Contains(c.Command, "yz-right") {
		if err := claimRows(t.Context(), &out, []catalogue.Claim{c}, done); err != nil {
			t.Error(err)
		}
		return out.String()
	}
	cells := strings.Split(kept, " | ")
	evidence := strings.ReplaceAll(cells[max(0, len(cells)-2)], "\\|", "|")
	if err := writeClaim(&out, c, c.Want.String(), evidence); err != nil {
		t.Fatal(err)
	}
	return out.String()
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
		{"as expected", []catalogue.Claim{claim(spec.Violated, "deadlock", "check", "ring")}, "| a\\|b | *ours* | found | deadlock freedom violated | trace of 4 steps | `unknot check ring` |\n", ""},
		{"not as expected", []catalogue.Claim{claim(spec.Holds, "deadlock", "check", "ring"), claim(spec.Holds, "livelock", "check", "ring")},
			"| deadlock freedom violated (not holds) |", "1 of 2 verdicts differ from those that the catalogue expects:\nunknot check ring: violated, not holds"},
		// At a fiftieth of a flit nothing saturates, so there is no verdict on where the functions do.
		{"measured", []catalogue.Claim{claim(spec.Unknown, "4.2: performance does not differ dramatically", "simulate", "star-channel", "--paper", "fig8", "--set", "k=4", "--load", "0.02", "--length", "4", "--clocks", "2000")},
			"| found | measured: too close to tell | last load without saturation: dimension-order 0.02 (", ""},
		{"no such ordering", []catalogue.Claim{claim(spec.Holds, "speed", "simulate", "star-channel", "--paper", "fig8", "--set", "k=4", "--load", "0.02", "--length", "4", "--clocks", "100")}, "", `no verdict on "speed"`},
		{"no such property", []catalogue.Claim{claim(spec.Holds, "speed", "check", "ring")}, "", `no verdict on "speed"`},
		{"no such model", []catalogue.Claim{claim(spec.Holds, "deadlock", "check", "nothing.star")}, "", "unknot check nothing.star: exit 2: "},
		{"none", nil, "", "lists no claims"},
	} {
		var out strings.Builder
		err := claimsTable(t.Context(), &out, catalogue.Entry{Name: "test", Claimed: func() []catalogue.Claim { return tt.claims }})
		if !strings.Contains(out.String(), tt.row) || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v\n%s", tt.name, err, out.String())
		}
	}
}
