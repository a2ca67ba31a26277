package murphi_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/murphi"
)

// otherwise has the tests of Rumur on which unknot decides otherwise, each with the reason.
var otherwise = map[string]string{
	// Refused by unknot alone. What is refused is named at its place.
	"alias-in-bound":                "the bound of a range is an alias of a constant",
	"alias-in-bound2":               "the bound of a range is an alias of a constant",
	"amp-with-typedef":              "bit operation",
	"assertion-type-limits":         "a range of 2^30 values: at most 2^20",
	"bitwise-and":                   "bit operation",
	"bitwise-not":                   "bit operation",
	"bitwise-or":                    "bit operation",
	"bitwise-xor":                   "bit operation",
	"compare-array":                 "whole arrays are compared",
	"compare-record":                "whole records are compared",
	"const-folding":                 "a conditional number between declarations",
	"const-folding2":                "a constant calls a function",
	"const-folding3":                "a constant calls a function",
	"const-folding4":                "a constant calls a function",
	"const-folding5":                "bit operation",
	"const-folding6":                "bit operation",
	"for-variants":                  "a protocol without rules",
	"isundefined-decl":              "a function with a var parameter within an expression",
	"lsh-basic":                     "bit operation",
	"multiple-parameters2":          "parameters without a separator",
	"pipe-with-typedef":             "bit operation",
	"range-and":                     "bit operation",
	"read-slice":                    "a protocol without a startstate",
	"recursion4":                    "a recursion whose depth depends on the state",
	"recursion5":                    "a recursion whose depth depends on the state",
	"reference-function-parameter2": "a function with a var parameter within an expression",
	"rsh-and":                       "bit operation",
	"rsh-basic":                     "bit operation",
	"uint64-model":                  "a constant of 64 bits",
	"while-stmt1":                   "a loop whose rounds depend on the state",
	"while-stmt2":                   "a loop whose rounds depend on the state",
	"while-stmt3":                   "a loop whose rounds depend on the state",
	// Refused, as what is wrong for certain is wrong before any step.
	"for-step-0-dynamic": "a step of 0 is refused when the file is read; Rumur finds it in a step",
	"octal-literal2":     "CMurphi reads 010 as decimal, Rumur as octal: refused",
	"ruleset-trace3":     "an assertion that fails in a startstate is refused at its place",
	// Read by unknot alone, as the meaning is clear.
	"bound-illegal":  "an option of the command line is wrong, not the file",
	"for-step-1":     "a loop from 10 to 0 makes no round, as in CMurphi",
	"for-step-neg-1": "a loop from 0 to 10 by -1 makes no round, as in CMurphi",
	"function-order": "a function may be called before its declaration",
	"recursion3":     "functions may call each other",
	"section-order6": "declarations in any order",
	"section-order7": "declarations in any order",
	"section-order8": "declarations in any order",
	// Other verdicts.
	"bound-limit":        "Rumur is told to stop at a depth at which nothing is wrong yet",
	"smart-quotes":       "a deadlock, which TestHeaders does not look for",
	"simple-deadlock":    "the same",
	"multiple-deadlocks": "the same",
}

// TestHeaders compares with what the comments at the head of Rumur's own tests expect, in the folder tests of its repository,
// which UNKNOT_RUMUR_TESTS names: whether a file is read, and whether something is wrong in it. The tests of its SMT
// bridge are left out: they read what is undefined, in conditions that only a solver simplifies.
func TestHeaders(t *testing.T) {
	folder := os.Getenv("UNKNOT_RUMUR_TESTS")
	if folder == "" {
		t.Skip("UNKNOT_RUMUR_TESTS names no folder")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.m"))
	if err != nil || len(files) < 200 {
		t.Fatalf("%d .m files in %s: %v", len(files), folder, err)
	}
	equal, header := 0, regexp.MustCompile(`(?m)^\s*(?:--|/\*)?\s*(rumur|checker)_exit_code:\s*(\S+)`)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".m")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "smt-") {
			continue
		}
		want, got := "holds", "holds"
		for _, m := range header.FindAllStringSubmatch(string(text), -1) {
			if m[2] != "0" {
				want = map[string]string{"rumur": "refused", "checker": "wrong"}[m[1]]
			}
		}
		const few = 20_000
		if p, err := murphi.Load(t.Context(), "a.m", text); err != nil {
			got = "refused"
		} else if len(p.Formulas) > 0 {
			continue // of liveness, see TestAlwaysPossibleAgainstRumur
		} else {
			_, _, fault, broken := exploredUpTo(t, p, few)
			for _, v := range p.Invariants { // a cover is an invariant that must not hold
				if slices.Contains(broken, v.Name) == (v.Cover == "") {
					got = "wrong"
				}
			}
			if fault != "" {
				got = "wrong"
			}
		}
		switch reason, differs := otherwise[name]; {
		case differs && got == want:
			t.Errorf("%s: %s, as Rumur: it is not that %s", name, got, reason)
		case !differs && got != want:
			t.Errorf("%s: %s, but %s by Rumur", name, got, want)
		case !differs:
			equal++
		}
	}
	t.Logf("%d equal, %d otherwise", equal, len(otherwise))
}
