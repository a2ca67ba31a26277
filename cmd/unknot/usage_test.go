package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHelpFitsTheScreen: help keeps to a hundred columns, and shows every flag in a group; simulate, which explores nothing,
// has none for exploration.
func TestHelpFitsTheScreen(t *testing.T) {
	for _, command := range []string{"", "ask", "check", "diff", "explore", "export", "graph", "man", "models",
		"replay", "route", "run", "show", "shrink", "simulate", "simulate combining", "stubs", "sweep", "untie", "verify"} {
		code, out, errs := unknot(t, append(strings.Fields(command), "--help")...)
		if code != exitExpected || out == "" || errs != "" {
			t.Errorf("unknot %s --help: exit %d, %q", command, code, errs)
		}
		if _, other, ok := strings.Cut(out, "\nOther flags:\n"); ok && strings.Count(other, "\n") != 1 { // -h, --help
			t.Errorf("flags of %s without a group, besides --help:\n%s", command, other)
		}
		if command == "simulate" && (strings.Contains(out, "xplor") || !strings.Contains(out, "\nTraffic:\n      --load")) {
			t.Errorf("flags of exploration in simulate:\n%s", out)
		}
		for line := range strings.Lines(out) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width && !strings.Contains(line, "&&") {
				t.Errorf("unknot %s --help: %d columns: %s", command, n, line)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	code, out, errs := unknot(t, "--version")
	if code != exitExpected || !strings.HasPrefix(out, "unknot ") || strings.Count(out, "\n") != 1 || errs != "" {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
}

// TestMan: the page of a command has its name, its flags and its examples.
func TestMan(t *testing.T) {
	code, out, errs := unknot(t, "man", "sweep")
	for _, want := range []string{".TH \"UNKNOT-SWEEP\" 1 \"", "\n\\fB\\-\\-reroute",
		"\n  unknot sweep star\\-channel \\-\\-links 1", "\n.SH \"NETWORK\"\n.nf\n", "\n.SH SEE ALSO\nunknot(1)\n"} {
		if code != exitExpected || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q: %s", code, want, errs)
		}
	}
	if code, out, errs := unknot(t, "man", "nothing"); code != exitUsage || out != "" || errs == "" {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
}
