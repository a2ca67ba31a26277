package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestSweepEvidence: the cases that do not hold have a folder each, with --tables all cases that have a network, and what
// is in it is verified. Of the 28 pairs of cables of a pod of four leaves, 12 cut two leaves off from different spines, and 4
// one leaf from both.
func TestSweepEvidence(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{
		"sweep", "clos", "--links", "2", "--reroute", "without", "--set", "pods=1", "--set", "leaves=4", "--property", "deadlock-freedom",
	}
	for _, tt := range []struct {
		more    []string
		folders int
	}{
		{[]string{"--evidence", "exceptions"}, 16},
		{[]string{"--evidence", "all", "--tables"}, 37},
	} {
		if code, out, errs := unknot(t, slices.Concat(args, tt.more)...); code != exitViolated {
			t.Fatalf("exit %d\n%s%s", code, out, errs)
		}
		folders, err := os.ReadDir(tt.more[1])
		if err != nil || len(folders) != tt.folders {
			t.Errorf("%v: %d folders, want %d: %v", tt.more, len(folders), tt.folders, err)
		}
		if code, out, errs := unknot(t, "verify", tt.more[1]); code != exitExpected || strings.Count(out, "VERIFIED") != tt.folders {
			t.Errorf("%v: exit %d\n%s%s", tt.more, code, out, errs)
		}
	}
	line := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, line, _ := strings.Cut(string(text), "\n")
		return line
	}
	if got, want := line("exceptions/case-9/case.jsonl"), `"links":["leaf0.0-spine0.0","leaf0.0-spine0.1"]`; !strings.HasPrefix(got, `{"case":9,`) ||
		!strings.Contains(got, want) {
		t.Errorf("the line of case 9 is %s, want %s", got, want)
	}
	// Of the nine cases with at most one failure none is violated, so no folder stays but one with a file of somebody else.
	if err := os.WriteFile("exceptions/case-9/notes.txt", []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("exceptions/case-x", 0o755); err != nil {
		t.Fatal(err)
	}
	fewer := slices.Clone(args)
	fewer[3] = "1"
	if code, out, errs := unknot(t, append(fewer, "--evidence", "exceptions")...); code != exitExpected {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	left, err := filepath.Glob("exceptions/*/*")
	if folders, _ := filepath.Glob("exceptions/*"); err != nil || len(folders) != 2 || !slices.Equal(left, []string{"exceptions/case-9/notes.txt"}) {
		t.Errorf("left are %v and %v: want the notes and case-x", folders, left)
	}
}

// TestSweepEvidenceOfShards: a shard leaves the evidence of the others where it is.
func TestSweepEvidenceOfShards(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, shard := range []string{"1/2", "2/2", "1/2"} {
		if code, out, errs := unknot(t, "sweep", "ring", "--range", "n=3..6", "--property", "deadlock-freedom",
			"--shard", shard, "--evidence", "all"); code != exitViolated {
			t.Fatalf("exit %d\n%s%s", code, out, errs)
		}
	}
	folders, err := filepath.Glob("all/*")
	if want := []string{"all/case-0", "all/case-1", "all/case-2", "all/case-3"}; err != nil || !slices.Equal(folders, want) {
		t.Errorf("%v, want %v", folders, want)
	}
}

// interrupting is an output at whose third line the command is interrupted.
type interrupting struct {
	bytes.Buffer
	cancel context.CancelFunc
}

func (i *interrupting) Write(b []byte) (int, error) {
	n, err := i.Buffer.Write(b)
	if bytes.Count(i.Bytes(), []byte("\n")) == 3 {
		i.cancel()
	}
	return n, err
}

// TestSweepInterrupted: an interrupted sweep says how many of its cases it has decided, and what they came to. Every ring can
// deadlock.
func TestSweepInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, errs := &interrupting{cancel: cancel}, &strings.Builder{}
	args := []string{"sweep", "ring", "--range", "n=3..40", "--property", "deadlock-freedom", "--workers", "1"}
	code := run(ctx, args, streams{in: strings.NewReader(""), out: out, err: errs})
	lines := strings.Count(out.String(), "\n") - 1 // but the header
	want := fmt.Sprintf("ended after %d of 38 cases:\n", lines)
	if code != exitInterrupted || lines > 10 || !strings.HasPrefix(errs.String(), want) ||
		!strings.Contains(errs.String(), "n=4     deadlock freedom violated") {
		t.Errorf("exit %d after %d lines, want %q\n%s", code, lines, want, errs)
	}
}

// TestSweepDeclaredRange: --range NAME takes the values that a file declares, numbers and truth values, too.
func TestSweepDeclaredRange(t *testing.T) {
	t.Chdir(t.TempDir())
	name := file(t, "ring.star", `k = param("k", 3, min = 3, max = 5)
back = param("back", False)
free = param("free", 1, min = 1)
network(name = "line")
n = [node(str(i)) for i in range(k)]
for i in range(k - 1):
    both(n[i], n[i + 1])
def route(at, to):
    return [hop(at.node.to(n[n.index(at.node) + (1 if n.index(to) > n.index(at.node) else -1)]))]
`)
	code, out, errs := unknot(t, "sweep", name, "--range", "k", "--range", "back")
	if code != exitExpected || !strings.Contains(errs, "6 of 6 cases hold") {
		t.Errorf("exit %d, want three sizes and both truth values\n%s%s", code, out, errs)
	}
	code, _, errs = unknot(t, "sweep", name, "--range", "free")
	if code != exitUsage || !strings.Contains(errs, `invalid range "free"`) {
		t.Errorf("exit %d, want that free has no greatest value\n%s", code, errs)
	}
}

// TestSweep: results in a file, resumed when cut off; shards merged byte for byte;
// exit codes; a plot.
func TestSweep(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"sweep", "graph", "--set", "graph=torus", "--set", "n=9", "--set", "routing=up-down", "--reroute", "without", "--links", "2"}
	with := func(more ...string) []string { return append(append([]string{}, args...), more...) }
	must := func(want int, args ...string) string {
		t.Helper()
		code, out, errs := unknot(t, args...)
		if code != want {
			t.Fatalf("%v: exit %d, want %d:\n%s%s", args, code, want, out, errs)
		}
		return out + errs
	}
	// 18 links: 1 + 18 + 18*17/2 cases.
	out := must(exitExpected, with("--out", "all.jsonl", "--plot", "plot.svg")...)
	if !strings.HasPrefix(out, "172 of 172 cases hold\n") || strings.Contains(out, "failed") {
		t.Errorf("the summary is\n%s", out)
	}
	text, err := os.ReadFile("all.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(text), "\n"); got != 1+1+18+153 {
		t.Errorf("%d lines", got)
	}
	if svg, err := os.ReadFile("plot.svg"); err != nil || !strings.HasPrefix(string(svg), "<svg") || !strings.Contains(string(svg), "2 links failed") {
		t.Errorf("the plot: %v", err)
	}
	for i, cut := range []int{0, 1, 100, len(text) / 2, len(text) - 1} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		if err := os.WriteFile("cut.jsonl", text[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		must(exitExpected, with("--out", "cut.jsonl")...)
		if again, err := os.ReadFile("cut.jsonl"); err != nil || string(again) != string(text) {
			t.Errorf("cut at byte %d and resumed: another result, %v", cut, err)
		}
	}
	for _, shard := range []string{"1", "2", "3"} {
		must(exitExpected, with("--out", shard+".jsonl", "--shard", shard+"/3")...)
	}
	must(exitExpected, "sweep", "--merge", "3.jsonl", "1.jsonl", "2.jsonl", "--out", "merged.jsonl")
	if merged, err := os.ReadFile("merged.jsonl"); err != nil || string(merged) != string(text) {
		t.Errorf("merged: another result, %v", err)
	}
	for _, tt := range []struct {
		code int
		want string
		args []string
	}{
		{exitUsage, "the results of another sweep", with("--out", "1.jsonl")},
		{exitUsage, "the results of another sweep", with("--out", "all.jsonl", "--switching", "saf")},
		{exitUsage, "the results of another sweep", with("--out", "all.jsonl", "--explore=never")},
		{exitUsage, "the results of another sweep", with("--out", "all.jsonl", "--dest", "3")},
		{exitUsage,
			"invalid --reroute \"witout\": want an engine (shortest, updown, dor, lash, dfsssp or nue), or a parameter of graph: ",
			[]string{"sweep", "graph", "--links", "1", "--reroute", "witout"}},
		{exitUsage, "some shards are missing or incomplete", []string{"sweep", "--merge", "1.jsonl", "2.jsonl"}},
		{exitUsage, "more than 100 cases: vary less, or raise --max-cases", with("--max-cases", "100")},
		{exitUsage, "--shard: up to symmetry, all cases are compared with each other: want one shard", with("--up-to-symmetry", "--shard", "1/2")},
		{exitUsage, "the results of another sweep: the question", with("--out", "all.jsonl", "--up-to-symmetry")},
		{exitUsage, "want I/N", with("--shard", "4/3")},
		{exitUsage, "invalid range", []string{"sweep", "graph", "--range", "without"}}, // any text
		{exitUsage, "fixed value, too", []string{"sweep", "ring", "--set", "n=4", "--range", "n=3..5"}},
		{exitUsage, "--range: n has a range already", []string{"sweep", "ring", "--range", "n=3", "--range", "n=4"}},
		{exitUsage, "invalid --nodes \"-1\": want at least 0", []string{"sweep", "ring", "--nodes", "-1"}},
		{exitUsage, "invalid parameter", []string{"sweep", "ring", "--range", "m=3..5"}},
		{exitUsage, "is a protocol", []string{"sweep", "peterson"}},
	} {
		code, out, errs := unknot(t, tt.args...)
		if code != tt.code || !strings.Contains(out+errs, tt.want) {
			t.Errorf("%v: exit %d, want %d with %q:\n%s%s", tt.args, code, tt.code, tt.want, out, errs)
		}
	}
	// With one destination a ring cannot deadlock: its last channel is never waited for.
	if code, out, errs := unknot(t, "sweep", "ring", "--range", "n=3..4", "--dests", "1", "--property", "deadlock-freedom"); code != exitExpected {
		t.Errorf("one destination at a time: exit %d\n%s%s", code, out, errs)
	}
	if code, _, errs := unknot(t, "sweep", "ring", "--range", "n=3..4", "--property",
		"deadlock-freedom"); code != exitViolated || !strings.Contains(errs, "deadlock freedom violated") {
		t.Errorf("all destinations: exit %d\n%s", code, errs)
	}
	// A parameter without values takes all its choices.
	if _, _, errs := unknot(t, "sweep", "graph", "--set", "n=4", "--set", "graph=complete", "--range", "routing",
		"--property", "deadlock-freedom"); errs != "5 of 5 cases hold\n" {
		t.Errorf("all routings of a graph:\n%s", errs)
	}
	// The 16 cases with a failed cable are decided without tables, unless these are asked for.
	clos := []string{"sweep", "clos", "--links", "1", "--reroute", "without", "--set", "priorities=2", "--set", "last=drop"}
	if _, _, errs := unknot(t, clos...); !strings.Contains(errs, "without a certificate: 16 cases;") {
		t.Errorf("without tables:\n%s", errs)
	}
	if _, _, errs := unknot(t, append(clos, "--tables")...); errs != "17 of 17 cases hold\n" {
		t.Errorf("with tables:\n%s", errs)
	}
	// A ring without one of its links is the same whichever it is.
	if _, out, errs := unknot(t, "sweep", "ring", "--set", "n=5", "--links", "1", "--up-to-symmetry", "--property",
		"deadlock-freedom"); !strings.HasPrefix(errs,
		"5 of 6 cases hold, 1 of 2 orbits\n") || !strings.Contains(errs, "intact") || !strings.Contains(out, `"like":1,`) {
		t.Errorf("up to symmetry:\n%s%s", out, errs)
	}
	if left, _ := filepath.Glob(".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestSweepTrap: a file that claims to know what has failed, and does not, passes
// no case: what failed is taken out. After an edit its results are for another
// sweep, to continue with and to merge.
func TestSweepTrap(t *testing.T) {
	t.Chdir(t.TempDir())
	const line = `n = param("n", 4)
down = param("down", "")
network(name = "line")
v = [node("v%d" % i) for i in range(n)]
for i in range(n - 1):
    both(v[i], v[i + 1], out = "R", back = "L")
pos = {v[i]: i for i in range(n)}
def route(at, to):
    return [hop(at.node.port("R" if pos[to] > pos[at.node] else "L"))]
`
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile("trap.star", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(line)
	args := []string{"sweep", "trap.star", "--links", "1", "--reroute", "down", "--out", "all"}
	// A line without one of its three links is in two parts.
	if code, out, errs := unknot(t, args...); code != exitViolated || !strings.Contains(out,
		"3      1 link failed  deadlock freedom holds, livelock freedom holds, delivery violated") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	code, out, errs := unknot(t, "sweep", "trap.star", "--links", "1", "--reroute", "dwn")
	if want := "unknot: invalid --reroute \"dwn\": want an engine (shortest, updown, dor, lash, dfsssp or nue), or a parameter of trap.star: n, down\n"; code != exitUsage ||
		out != "" || errs != want {
		t.Errorf("a misspelt parameter: exit %d\n%s%s", code, out, errs)
	}
	for _, shard := range []string{"1", "2"} {
		if code, _, errs := unknot(t, "sweep", "trap.star", "--links", "1", "--shard", shard+"/2", "--out", shard); code == exitUsage {
			t.Errorf("shard %s: exit %d\n%s", shard, code, errs)
		}
		write(strings.Replace(line, `"R" if`, `"L" if`, 1))
	}
	if code, out, errs := unknot(t, "sweep", "--merge", "1", "2"); code != exitUsage || out != "" ||
		!strings.Contains(errs, "the content of trap.star differs") {
		t.Errorf("merged with the shard of an edited file: exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs := unknot(t, args...); code != exitUsage || out != "" ||
		!strings.Contains(errs, "all holds the results of another sweep: the content of trap.star differs") {
		t.Errorf("after an edit: exit %d\n%s%s", code, out, errs)
	}
}

// TestSweepSaysWhy: a case that is unknown names the commands that tell the reason, and they do: where the only link of two
// nodes fails, no packet ever enters a channel.
func TestSweepSaysWhy(t *testing.T) {
	name := file(t, "pair.star", `network(name = "pair", switching = "store-and-forward")
a, b = node(), node()
both(a, b)
def route(at, to):
    return [hop(at.node.to(to))]
`)
	folder := filepath.Join(t.TempDir(), "why")
	_, _, errs := unknot(t, "sweep", name, "--links", "1", "--evidence", folder)
	const want = "why unknown: sweep again with --evidence FOLDER, then unknot check FOLDER/case-1/network.json\n"
	if !strings.HasSuffix(errs, want) {
		t.Errorf("%q, want %q at its end", errs, want)
	}
	if _, out, errs := unknot(t, "check", filepath.Join(folder, "case-1/network.json")); !strings.Contains(out,
		"deadlock freedom unknown: no packet ever enters a channel") {
		t.Errorf("%s%s", out, errs)
	}
}
