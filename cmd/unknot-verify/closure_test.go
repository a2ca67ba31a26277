package main

import (
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// notCode matches what does not count as a line of code: blanks and comments.
var notCode = regexp.MustCompile(`^\s*(//.*)?$`)

// TestTrustedLines follows the imports of what checks evidence, and bounds its
// lines without blanks, comments and tests: what evidence about networks needs,
// what proofs in clauses and evidence about machines need beside that, and what the program adds, which
// reads files and checks answers to questions. The bounds only ever fall (but for
// --version, 11 lines, for refutations, 301, of deadlocks up to a size 66 more and of all sets of a few messages 116, and of more in tori 84, 39, 21 and 76, and for sums 25, of messages of one length 13, of exactly that length and in shared channels 60, that no repair costs less, 48, and the conditions of that, 354 (of which 30 are for datelines, and 12, some of them in refutations, count the turns of a way, without which 3 copies, not 5, are known to be needed on an adaptive torus of 16 x 16, and some 90 let a condition take the time of the hops that it is about, not of the network), for one interface of evidence that the checker shares, 54, for a result that the evidence beside it has to bear out, 54, for rankings of all channels of a network, 52, for what reach asks, 14, and
// for lists of numbers that the decoder does not see, 20, for whole packets that step on packed states, without which a recount takes 18
// times as long as the exploration, 129, and for flits that step in place, without which it
// takes 3.5 to 5, 44, and for lists of the channels that are not empty, without which it takes
// 3.1 to 3.5 with replies, 8, and for pieces that are not copied twice, without which it
// takes 2.9 to 3.3 with long messages, 3, and for tables stored in fragments, without which the text
// of 10,000 hosts is ten times as long and CCCB with n=6 takes twice the memory, 15); the aim
// for networks and for machines is 2,500 each. Nothing of it may be of a kind that
// makes verdicts, tables or words for people.
func TestTrustedLines(t *testing.T) {
	seen := map[string]int{}
	for _, c := range []struct {
		name  string
		roots []string
		most  int
	}{
		{"networks", []string{"proofs", "counterexamples"}, 2600},
		{"conditions of repairs beside that", []string{"proofs/repairs"}, 354},
		{"refutations beside both", []string{"proofs/refutation"}, 829},
		{"machines beside that", []string{"proofs/machines", "counterexamples/runs", "spec/program"}, 2600},
		{"the program beside both", []string{"cmd/unknot-verify"}, 2200},
	} {
		before := maps.Clone(seen)
		for _, p := range c.roots {
			follow(t, p, seen)
		}
		sum := 0
		for _, p := range slices.Sorted(maps.Keys(seen)) {
			if _, counted := before[p]; counted {
				continue
			}
			t.Logf("%5d %s", seen[p], p)
			sum += seen[p]
			for _, no := range []string{"checker", "models", "spec/routing", "spec/star"} {
				if p == no || strings.HasPrefix(p, no+"/") {
					t.Errorf("%s is trusted", p)
				}
			}
		}
		t.Logf("%5d lines of code are trusted for %s", sum, c.name)
		if sum > c.most {
			t.Errorf("%d lines of code are trusted for %s: want at most %d", sum, c.name, c.most)
		}
	}
}

// follow adds the lines of a package of this module and of all that it imports.
func follow(t *testing.T, pkg string, lines map[string]int) {
	t.Helper()
	if _, seen := lines[pkg]; seen {
		return
	}
	lines[pkg] = 0
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pkg), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s (%v)", pkg, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !notCode.MatchString(strings.TrimSuffix(line, "\n")) {
				lines[pkg]++
			}
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range file.Imports {
			path, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if own, ours := strings.CutPrefix(path, "github.com/seed-105a2da2/unknot/"); ours {
				follow(t, own, lines)
			}
		}
	}
}
