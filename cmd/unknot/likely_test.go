package main

import (
	"strings"
	"testing"
)

// TestDidYouMean: a mistake in a name or in the number of arguments says what
// there is.
func TestDidYouMean(t *testing.T) {
	for _, tt := range []struct {
		args string
		want string // in the message; the last word of it is at its end
	}{
		{"check tours", "; did you mean torus?\n"},
		{"check zzzzzz", ", or a folder for check\n"},
		{"models pech2", "; did you mean peach2?\n"},
		{"ask p3-rebalanec settles", "; did you mean p3-rebalance?\n"},
		{"check torus --explor", "; did you mean --explore?\n"},
		{"check torus --explore", "flag needs an argument: --explore: want auto, never, always or whole\n"},
		{"check torus --explore --liveness", "invalid --explore \"--liveness\": want auto, never, always or whole\n"},
		{"check torus --settle 0", "; it is now called --max-states\n"},
		{"check torus --whole", "; it is now called --explore=whole\n"},
		{"simulate torus --pattern hotspot", "; did you mean --traffic?\n"},
		{"check torus --plot x.svg", "unknown flag: --plot; it is a flag of unknot simulate or sweep\n"},
		{"check torus --property deadlok", "; did you mean deadlock-freedom?\n"},
		{"check torus --switching wormwhole", "; did you mean wormhole?\n"},
		{"simulate torus --traffic transpos", "; did you mean transpose?\n"},
		{"check torus --format json", "; did you mean --json?\n"},
		{"check torus --output proof", "; did you mean --out?\n"},
		{"diff torus", "; --to NAME=VALUE compares it with itself in another setting\n"},
		{"diff torus torus --set k=3 --set k=4", "k is set twice; --to NAME=VALUE sets it for the second network alone\n"},
		{"simulate torus --rate 0.3", "; did you mean --load?\n"},
		{"sweep torus --range adaptve", "unknot: --range: invalid parameter \"adaptve\": want k, n, routing, tie, adaptive; did you mean adaptive?\n"},
		{"check torus --set k=3..5", "; unknot sweep torus --range k=3..5 takes several values\n"},
		{"check ../../models/examples/torus.star --set k=3..5", "; unknot sweep ../../models/examples/torus.star --range k=3..5 takes several values\n"},
		{"untie torus --most 3", "; parameters are set with --set, as in --set most=VALUE\n"},
		{"sweep ring --set n=3..4", "invalid n \"3..4\": want an integer from 2 to 16384; --range n=3..4 takes several values\n"},
		{"sweep torus --set tie=positive|negative", "; --range tie=positive|negative takes several values\n"},
		{"sweep ring --range n=3..4 --out nodir/results.jsonl", "invalid --out \"nodir/results.jsonl\": want a file in a folder that exists\n"},
		{"check torus --set routng=dor", "; did you mean routing?\n"},
		{"check ../../models/examples/torus.star --set kk=4", ": invalid parameter \"kk\": want k, datelines"},
		{"ask", "these models have questions: peach2, "},
		{"ask p3", "want a question about p3: distance-grows, "},
		{"ask ring", "ring has no questions; these models have: peach2, "},
		{"ask p3 masks extra", "got 3 arguments: want unknot ask MODEL QUESTION [flags]\n"},
		{"show", "got 0 arguments: want unknot show NETWORK [flags], as in unknot show ring --set n=4\n"},
		{"explore", "got 0 arguments: want unknot explore NETWORK [flags], as in unknot explore ring\n"},
		{"shrink ring", "got 1 argument: want unknot shrink NETWORK TRACE [flags], as in unknot shrink evidence/network.json evidence/deadlock-freedom.unknot --out small.unknot\n"},
		{"show ring mesh", "got 2 arguments: want unknot show NETWORK [flags]\n"},
		{"show n=4", "; parameters are set with --set, as in --set n=4\n"},
		{"show ring --max-sites 99999999999999999999", "invalid --max-sites \"99999999999999999999\": want a number that 64 bits hold\n"},
		{"export ring", "want --to promela, murphi, tla, pins, opensm-lfts, opensm-sl2vl, path-sls or anynet\n"},
		{"export ring --to spin", "invalid --to \"spin\": want promela, murphi, tla, pins, opensm-lfts, opensm-sl2vl, path-sls or anynet\n"},
	} {
		code, out, errs := unknot(t, strings.Fields(tt.args)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("unknot %s: exit %d, %q and %q: want %q", tt.args, code, out, errs, tt.want)
		}
	}
}

// TestShowListsParameters: with what a file was read, and what it may be read with.
func TestShowListsParameters(t *testing.T) {
	code, out, errs := unknot(t, "show", "../../models/examples/torus.star", "--set", "k=4")
	if want := "\nparameters, set with --set NAME=VALUE\n  k=4             3..64  nodes in each row and column (default 8)\n" +
		"  datelines=true  true|false  change VC at the wraparound link\n"; code != exitExpected ||
		!strings.Contains(out, want) {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

// TestSweepTakesValuesThatLookLikeRanges: a parameter of a file may have them.
func TestSweepTakesValuesThatLookLikeRanges(t *testing.T) {
	name := file(t, "pair.star", `network(name = "pair", switching = "store-and-forward")
way = param("way", "none", choices = ["none", "a|b", "1..2"])
a, b = node(), node()
both(a, b)
def route(at, to):
    return [hop(at.node.to(to))]
`)
	for _, value := range []string{"a|b", "1..2"} {
		if code, out, errs := unknot(t, "sweep", name, "--set", "way="+value); code != exitExpected {
			t.Errorf("--set way=%s: exit %d, %s%s", value, code, out, errs)
		}
	}
}
