package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// ringOfLines is a ring that deadlocks, in which lines 5 and 6 make the hops.
const ringOfLines = `network(name="ring", switching="store-and-forward")
n = [node(name="n%d" % i) for i in range(4)]
next = {n[i].id: link(n[i], n[(i + 1) % 4]) for i in range(4)}
def route(at, to):
    if at.node.id < 2: return [hop(next[at.node.id])]
    return [hop(next[at.node.id])]
`

// TestReasonsOfEvidence: commands on the closed form in an evidence folder
// name the lines of the file that it was made from.
func TestReasonsOfEvidence(t *testing.T) {
	star := file(t, "ring.star", ringOfLines)
	dir := t.TempDir()
	if code, _, errs := unknot(t, "check", star, "--out", dir); code != exitViolated || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	network, trace := filepath.Join(dir, networkFile), filepath.Join(dir, "deadlock-freedom.unknot")
	page := filepath.Join(dir, "page.html")
	if code, _, errs := unknot(t, "check", network, "--report", page, "--switching", "saf"); code != exitViolated || errs != "" {
		t.Fatalf("check --report: exit %d: %s", code, errs)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{"check --report": string(text)}
	for _, c := range [][]string{{"replay", network, trace}, {"check", network}, {"check", network, "--explore=always"}} {
		_, out, errs := unknot(t, c...)
		if errs != "" && c[0] == "replay" {
			t.Errorf("%s: %s", c[0], errs)
		}
		shown[strings.Join(c, " ")] = out
	}
	for what, text := range shown {
		if !strings.Contains(text, "ring.star:5:") || !strings.Contains(text, "ring.star:6:") || strings.Contains(text, "network.json:") {
			t.Errorf("%s does not show lines 5 and 6 of the file:\n%.3000s", what, text)
		}
	}
	body := exploring(t, "end", "explore", network, "--trace", trace)
	if !strings.Contains(body, "ring.star:") || strings.Contains(body, "network.json:") {
		t.Errorf("explore does not show lines of the file:\n%s", body)
	}
	// Evidence made from evidence is the same, byte for byte.
	again := t.TempDir()
	if code, _, errs := unknot(t, "check", network, "--out", again); code != exitViolated {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for _, name := range []string{networkFile, write.ReasonsFile} {
		a, err1 := os.ReadFile(filepath.Join(dir, name))
		b, err2 := os.ReadFile(filepath.Join(again, name))
		if err1 != nil || err2 != nil || string(a) != string(b) {
			t.Errorf("%s differs: %v, %v", name, err1, err2)
		}
	}
	// A network without reasons takes the file away.
	if code, _, errs := unknot(t, "check", "ring", "--out", dir); code != exitViolated {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if code, _, errs := unknot(t, "replay", network, trace); code != exitExpected || errs != "" {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// TestReasonsOfEveryHop: hop by hop the file says what the network says, whatever
// its classes, tags, virtual channels and selections.
func TestReasonsOfEveryHop(t *testing.T) {
	for _, text := range []string{ringOfLines, `network(name="n", vcs=["a", "b"], classes=["x", "y"], tags=2)
m = [node(name="n%d" % i) for i in range(5)]
for i in range(5):
    link(m[i], m[(i + 1) % 5], out="r"); link(m[(i + 1) % 5], m[i], out="l")
def right(at, tag): return hop(at.node.port("r"), "b", tag=tag)
def route(at, to):
    if at.injecting: return [right(at, 1), hop(at.node.port("r"), "a")]
    if at.tag == 1: return [right(at, 1)]
    return [hop(at.node.port("r"), "a"),
            right(at, 1)]
`} {
		name := file(t, "n.star", text)
		f, err := star.Load(t.Context(), name, []byte(text), star.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n, err := routing.Compile(t.Context(), f.Definition, routing.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if code, _, errs := unknot(t, "check", name, "--out", dir); code > exitViolated {
			t.Fatalf("exit %d: %s", code, errs)
		}
		network := filepath.Join(dir, networkFile)
		closed, err := os.ReadFile(network)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := spec.ReadClosed(t.Context(), network, closed)
		if err != nil {
			t.Fatal(err)
		}
		got, warning, err := withReasons(t.Context(), network, plain, 0)
		if err != nil || warning != "" {
			t.Fatal(err, warning)
		}
		hops := 0
		err = routing.Sites(n, func(s spec.Site, row []spec.Hop) error {
			for _, hop := range row {
				hops++
				if want := n.Reason(s, hop); got.Reason(s, hop) != want || hop.Channel != spec.Eject && want.Text == "" {
					t.Errorf("%v, %v: %v, want %v", s, hop, got.Reason(s, hop), want)
				}
			}
			return nil
		})
		if err != nil || hops == 0 {
			t.Errorf("%d hops: %v", hops, err)
		}
		if got.Reason(spec.Site{}, spec.Hop{Channel: 99}) != (spec.Reason{}) {
			t.Error("a hop that is not there has a reason")
		}
	}
}

// TestReasonsRefused: reasons of another network, or too many, are left out with a
// warning; what is wrong has a place, and nothing is decided.
func TestReasonsRefused(t *testing.T) {
	source := file(t, "ring.star", ringOfLines)
	dir := t.TempDir()
	if code, _, errs := unknot(t, "check", source, "--out", dir); code != exitViolated {
		t.Fatalf("exit %d: %s", code, errs)
	}
	network, name := filepath.Join(dir, networkFile), filepath.Join(dir, write.ReasonsFile)
	text, err := os.ReadFile(name)
	if err != nil || !json.Valid(text) {
		t.Fatalf("%v: invalid JSON:\n%s", err, text)
	}
	replace := func(old, new string) string {
		p := regexp.MustCompile(old)
		at := p.FindIndex(text)
		if at == nil {
			t.Fatalf("%s does not occur in\n%s", old, text)
		}
		return string(text[:at[0]]) + new + string(text[at[1]:])
	}
	for _, tt := range []struct {
		text string
		code int
		want string
	}{
		{replace(`"network":"[0-9a-f]{4}`, `"network":"0000`), exitViolated, "unknot: warning: " + name + " is ignored: it is for another network"},
		{replace(`(?s)"tables.*`, ``), exitUsage, name + `:3:1: want "tables" here`},
		{replace(`\{"format":"`, `{"format":"x`), exitUsage, name + `:1:11: want "unknot-reasons-1" here`},
		{replace(`\n\[\d+,`, "\n[2147483647,"), exitUsage, name + ":4:1: reasons of "},
		{replace(`\n\[\d+,`, "\n[99999999999,"), exitUsage, "want a list of numbers for every one of 4 tables"},
		{replace(`\n\[\d+,`, "\n[0,"), exitUsage, name + ":4:1: 0 hops with reason"},
		{replace(`\n\[\d+,`, "\n[-3,"), exitUsage, "want at least one hop"},
		{replace(`\n\[\d+,\d+`, "\n[1"), exitUsage, name + ":4:1: reasons of "},
		{replace(`\n\[[^\]]*\]`, "\nnull"), exitUsage, name + ":4:1: reasons of 0 hops"},
		{replace(`(?s)\n\[[^\]]*\],`, ""), exitUsage, "want a list of numbers for every one of 4 tables"},
		{replace(`(?s)"reasons":\[.*\]`, `"reasons":[]`), exitUsage, "0 reasons: a table has reason"},
		{replace(`(?s)"reasons":\[.*\]`, `"reasons":3`), exitUsage, "want a list of reasons"},
		{replace(`"line": \d`, `"line": 0`), exitUsage, "want a list of reasons: line 0, column "},
		{replace(`"file"`, `"folder"`), exitUsage, "want a list of reasons: "},
		{string(text) + "[", exitUsage, "text after the end"},
		{"", exitUsage, name + `:1:1: want "{" here`},
		{strings.Repeat("[", 1<<16), exitUsage, name + `:1:1: want "{" here`},
	} {
		if err := os.WriteFile(name, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := unknot(t, "check", network)
		if code != tt.code || !strings.Contains(errs, tt.want) || strings.Count(errs, "\n") != 1 || (code == exitUsage) != (out == "") {
			t.Errorf("exit %d, want %d and %q:\n%s%s", code, tt.code, tt.want, out, errs)
		}
	}
	if err := os.WriteFile(name, []byte(replace(`ring\.star`, `\u001b[2J`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, out, errs := unknot(t, "check", network); strings.Contains(out+errs, "\x1b") {
		t.Error("a reason clears the screen")
	}
	if _, warning, err := withReasons(t.Context(), network, nil, 16); err != nil || !strings.Contains(warning, "too many") {
		t.Errorf("a file larger than the budget: %v, %q", err, warning)
	}
}
