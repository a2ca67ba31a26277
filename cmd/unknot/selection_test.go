package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
)

// TestSelectionFunctions: what a verdict covers is said in the same words wherever it is said: a promise for every selection
// function would be refuted by the routers of the model that draw a hop on arrival, and deadlock.
func TestSelectionFunctions(t *testing.T) {
	const random = "--set function=random --set form=early"
	for command, want := range map[string]struct{ verdict, note bool }{
		"selection --property deadlock-freedom":                      {true, true}, // an escape
		"selection --property deadlock-freedom " + random:            {false, false},
		"mesh --set routing=duato --property deadlock-freedom":       {true, true},  // an escape
		"detour --explore=always --property deadlock-freedom":        {true, true},  // explored
		"turn-model --property deadlock-freedom":                     {true, false}, // adaptive, acyclic
		"ring --set buffer=2 --bubble 2 --property deadlock-freedom": {true, false}, // cyclic, one hop
	} {
		code, out, errs := unknot(t, append([]string{"check"}, strings.Fields(command)...)...)
		if holds := code == exitExpected; holds != want.verdict || strings.Contains(out, checker.Uncommitted) != want.note {
			t.Errorf("check %s: exit %d, want holds: %t, with the note: %t\n%s%s", command, code, want.verdict, want.note, out, errs)
		}
		if !strings.Contains(command, "random") && !strings.Contains(out, checker.WorkConserving) && !strings.Contains(out, "\n  selection ") {
			t.Errorf("check %s does not say which selection functions it assumes:\n%s", command, out)
		}
	}
	for scheme, note := range map[string]bool{"escape": true, "turns": false} { // a repair is a verdict, too
		if code, out, errs := unknot(t, "untie", "mesh", "--set", "k=3", "--set", "routing=adaptive", "--scheme",
			scheme); code != exitExpected || strings.Contains(out, checker.Uncommitted) != note {
			t.Errorf("untie by %s: exit %d, want the note: %t\n%s%s", scheme, code, note, out, errs)
		}
	}
	pages := map[string]bool{"../../README.md": false, "guide/answers.md": true, "guide/network-files.md": false,
		"guide/methods.md": true, "guide/first-network.md": false}
	for page, note := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Join(strings.Fields(string(text)), " ")
		if !strings.Contains(words, checker.WorkConserving) {
			t.Errorf("%s does not say %q", page, checker.WorkConserving)
		}
		if note && !strings.Contains(strings.ToLower(words), strings.ToLower(checker.Uncommitted)) {
			t.Errorf("%s does not say %q", page, checker.Uncommitted)
		}
		// Livelock alone is decided against all selection functions.
		for _, promise := range regexp.MustCompile(`[^.|;]*(every|any|all|delay or) selection function[^.|;]*`).FindAllString(words, -1) {
			if before, _, _ := strings.Cut(words, promise); !strings.Contains(promise+before[max(0, len(before)-250):],
				"ivelock") && !strings.Contains(promise, "no packet moves forever") {
				t.Errorf("%s promises too much: %s", page, promise)
			}
		}
	}
}
