package main

import (
	"strings"
	"testing"
)

// TestPropertyExplored: --property chooses among what exploring decides, too: only
// what is named is answered, by its own evidence, and a name that does not exist
// lists those that do.
func TestPropertyExplored(t *testing.T) {
	const answered = "the request of 1 is answered"
	for _, tt := range []struct {
		name    string
		args    []string
		code    int
		want    string // of standard output (codes 0 and 1) or standard error
		nowhere string // in either
	}{
		{"an invariant", []string{"invalidate-ack", "--property", "one writer"}, 0, "one writer HOLDS\n", "deadlock-freedom"},
		{"two",
			[]string{"invalidate-ack", "--explore=whole", "--property", "one writer", "--property", "deadlock-freedom"},
			1, "deadlock freedom VIOLATED, one writer HOLDS\n", "Ack a request"},
		{"one that is violated", []string{"invalidate-ack", "--property", "no Ack lost"}, 1, "no Ack lost violated", "one writer"},
		// A response needs no --liveness; the paper's protocol loses requests.
		{"a response", []string{"invalidate-ack", "--property", answered}, 1, answered + " VIOLATED\n", "writes VIOLATED"},
		{"a wrong name", []string{"invalidate-ack", "--property", "two writers"}, 2,
			`invalid property "two writers": want one of "deadlock-freedom", "no copy beside a writer", "one writer"`,
			"HOLDS"},
		{"of a network", []string{"ring", "--set", "variant=dateline", "--explore=always", "--property", "delivery"}, 0,
			"delivery HOLDS\n", "deadlock freedom HOLDS"},
		{"of a network, in time", []string{"ring", "--explore=always", "--property", "starvation-freedom"}, 1,
			"starvation freedom VIOLATED\n", "deadlock freedom VIOLATED"},
		{"from the tables in any case", []string{"ring", "--explore=always", "--property", "livelock-freedom"}, 0,
			"livelock freedom HOLDS\n", "deadlock-freedom"},
		{"from the tables, whatever the reduction", []string{"ring", "--partial-order", "--property", "delivery"}, 0,
			"delivery HOLDS\n", "deadlock freedom HOLDS"},
		{"a response modulo symmetry", []string{"invalidate-ack", "--symmetry", "--property", answered}, 1, answered + " VIOLATED\n", "writes VIOLATED"},
		{"of a network modulo symmetry",
			[]string{"ring", "--explore=always", "--symmetry", "--property", "starvation-freedom"}, 2,
			"a network has a response and rules for each channel", "HOLDS"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := unknot(t, append([]string{"check"}, tt.args...)...)
			text := out
			if tt.code > 1 {
				text = errs
			}
			if code != tt.code || !strings.Contains(text, tt.want) {
				t.Errorf("exit code %d, want %d; output without %q:\n%s%s", code, tt.code, tt.want, out, errs)
			}
			if strings.Contains(out, tt.nowhere) {
				t.Errorf("%q is said, though nobody asked:\n%s", tt.nowhere, out)
			}
		})
	}
}
