package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
)

// The command that an unknown row names does settle it; the line is compared byte for byte.
func TestSettling(t *testing.T) {
	t.Parallel()
	const says = "  to decide it: unknot "
	for _, tt := range []struct {
		args string
		line string // "" if no command would help
		code int    // of that command
	}{
		// Two channels with one of 2 headers, two with one of 1: 2^6 codes. A packet can livelock.
		{"check gadget --set name=swap --switching store-and-forward --max-states 10",
			"check gadget --set name=swap --switching store-and-forward --max-states 0 --memory 8GiB --explore=whole   (at least 14 states, 6 of them unexplored; at most 64)",
			1},
		{"check gadget --set name=swap --switching store-and-forward --property deadlock-freedom --explore=never",
			"check gadget --property deadlock-freedom --set name=swap --switching store-and-forward --max-states 0 --memory 8GiB",
			0},
		{"check peterson --max-states 50 --memory 1GiB", "check peterson --memory 8GiB   (at least 56 states, 21 of them unexplored; at most 33554432)", 0},
		// There are 882: all were found, and no more are claimed.
		{"check peterson --max-states 882", "check peterson   (at least 882 states, 6 of them unexplored; at most 33554432)", 0},
		{"check peterson --compact", "check peterson   (about 882 states)", 0},
		// A limit that was lifted already stays so.
		{"check peterson --max-states 0 --compact", "check peterson --max-states 0   (about 882 states)", 0},
		{"check gadget --set name=swap --switching store-and-forward --property deadlock-freedom --explore=never --max-states 0",
			"check gadget --max-states 0 --property deadlock-freedom --set name=swap --switching store-and-forward --memory 8GiB",
			0},
		{"check gadget --set name=W2", "", 0},
		// Every exploration ends where a message is taken twice.
		{"check ../../models/examples/protocols/18_go_back_n.star --set numbers=2", "", 0},
		// The empty state and one packet of 3 from each of 4 nodes; 4 channels of 4 values.
		{"check ring --liveness --memory 12GiB --max-states 3",
			"check ring --liveness --max-states 0 --memory 24GiB --explore=whole   (at least 13 states, 12 of them unexplored; at most 256)",
			1},
	} {
		_, out, _ := unknot(t, strings.Fields(tt.args)...)
		_, line, _ := strings.Cut(out, says)
		line, _, _ = strings.Cut(line, "\n")
		if line != tt.line {
			t.Errorf("%s: says\n%s, want\n%s", tt.args, line, tt.line)
		}
		if line == "" {
			continue
		}
		command, _, _ := strings.Cut(line, "   (")
		if code, out, errs := unknot(t, slices.Concat(strings.Fields(command))...); code != tt.code || strings.Contains(out, says) {
			t.Errorf("%s: exit %d\n%s%s", command, code, out, errs)
		}
	}
}

// TestFullDiskSettles: more memory makes no room on a disk that is full.
func TestFullDiskSettles(t *testing.T) {
	t.Parallel()
	for full, want := range map[bool]bool{true: false, false: true} {
		f := &checkFlags{}
		f.budget.memory = 1 << 30
		r := &checker.Result{Space: &checker.Space{Full: full, States: 9, Expanded: 9, Bits: 57}}
		if line := f.settling((&cobra.Command{Use: "check"}), []string{"peterson"}, r); (line != "") != want {
			t.Errorf("full: %v: says %q, want a command: %v", full, line, want)
		} else if want && !strings.HasSuffix(line, "(at least 9 states)") { // all of which are explored
			t.Errorf("says %q", line)
		}
	}
}

// TestNothingSettles: where no option moves the bound that ended an exploration before it
// began, no command is said to decide the row; and where memory did, none of the states
// that were not found yet is counted.
func TestNothingSettles(t *testing.T) {
	t.Parallel()
	unknot := built(t)                                                           // the memory of other tests is not its own
	for buffer, want := range map[string]bool{"100000000": false, "100": true} { // of 1,000, states of 32 kB each fill the memory between two looks at it
		file := filepath.Join(t.TempDir(), "deep.star")
		text := `network(name = "deep", switching = "wormhole", buffer = ` + buffer + `)
n = [node(at = (i,)) for i in range(16)]
l = [link(n[i], n[(i + 1) % 16]) for i in range(16)]
def route(at, to):
    return [hop(l[at.node.at[0]])]
`
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(unknot, "check", file, "--liveness", "--property", "starvation-freedom", "--length", "3", "--shared", "--memory", "128MiB")
		out, _ := c.CombinedOutput()
		_, line, said := strings.Cut(string(out), "to decide it: ")
		if code := c.ProcessState.ExitCode(); code != exitUnknown || said != want || strings.Contains(line, "more than 0 states") {
			t.Errorf("buffers of %s: exit %d, want a command: %v\n%s", buffer, code, want, out)
		}
	}
}
