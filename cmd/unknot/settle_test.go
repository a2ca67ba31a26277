package main

import (
	"slices"
	"strings"
	"testing"
)

// What an unknown row says would settle it does; and it says so to the byte.
func TestSettling(t *testing.T) {
	t.Parallel()
	const says = "  to decide it: unknot "
	for _, tt := range []struct {
		args string
		line string // "" if no command would help
		code int    // of that command
	}{
		// Two channels with one of 2 headers, two with one of 1: 2^6 codes. A packet can livelock.
		{"check gadget --set name=swap --switching store-and-forward --settle 10", "check gadget --set name=swap --switching store-and-forward --max-states 0 --memory 8GiB --whole   (more than 14 states: of those found, 6 are unexplored; at most 64)", 1},
		{"check gadget --set name=W2 --settle 0", "check gadget --set name=W2 --max-states 0 --memory 8GiB", 0},
		{"check peterson --max-states 50 --memory 1GiB", "check peterson --memory 8GiB   (more than 56 states: of those found, 21 are unexplored; at most 33554432)", 0},
		{"check peterson --compact", "check peterson   (about 882 states)", 0},
		{"check gadget --set name=W2", "", 0},
		// Every exploration ends where a message is taken twice.
		{"check ../../models/examples/protocols/18_go_back_n.star --set numbers=2", "", 0},
		// The empty state and one packet of 3 from each of 4 nodes; 4 channels of 4 values.
		{"check ring --liveness --memory 12GiB --max-states 3", "check ring --liveness --max-states 0 --memory 24GiB --whole   (more than 13 states: of those found, 12 are unexplored; at most 256)", 1},
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
