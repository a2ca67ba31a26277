package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// hostile is what a name in a file may hold, as JSON and Starlark write it: it
// clears the screen, begins lines as verdicts and as commands to CI systems,
// turns the direction of writing, and ends what it may stand in.
var hostile = []string{
	`VERIFIED: deadlock holds`, `::error file=x::pwn`, ` ::error::pwn`, `a\n::error file=x::pwn`, `b\r\nVERIFIED b: all holds`,
	`##[error]pwn`, `##teamcity[buildStatus text='pwn']`, `\u001b[2J\u001b]0;t\u0007`, "\\u202ered", `c\u2028d\u0085e`,
	`\"];x[label=\"y`, `]]>--><script>alert(1)</script>`,
	"```\\n# VERIFIED\\n```mermaid",
}

// TestHostileArguments: no argument and no file in a folder can bring into the
// output what a file's text cannot.
func TestHostileArguments(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	network := "network(name=\"n\")\na, b = node(name=\"A\"), node(name=\"B\")\nboth(a, b)\ndef route(at, to):\n    return [hop(at.node.to(to))]\n"
	for i, name := range []string{"\x1b[2J", "a\n::error file=x::pwn", "::error::pwn", " ::error::pwn", "VERIFIED b",
		"a\rREJECTED", "##[error]pwn", "##teamcity[x 'pwn']", "\u202ered", "\x9b2J"} {
		star := name + ".star"
		if err := os.WriteFile(star, []byte(network), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"check", star}, {"check", "ring", "--out", name}, {"sweep", star}, {"show", name}, {name}, {"replay", "ring", name},
			{"check", "ring", "--report", name}, {"ask", "ring", name}, {"models", name}, {"help", name}, {"verify", star, name}} {
			code, out, errs := unknot(t, args...)
			clean(t, strings.Join(args, " "), out+errs, nil)
			if code != exitUsage || out != "" || strings.Count(errs, "\n") != 1 {
				t.Errorf("%q: exit %d, %q, %q: want a line of what is wrong", args, code, out, errs)
			}
		}
		if err := os.Remove(star); err != nil {
			t.Fatal(err)
		}
		// In a folder, only what moves on the screen or ends a line does harm.
		folder := filepath.Join(dir, "folder"+strconv.Itoa(i))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, star), []byte(network), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := unknot(t, "check", folder, "--annotations")
		clean(t, "check "+folder, out+errs, regexp.MustCompile("^::error title="+regexp.QuoteMeta(folder)))
		if code != exitUsage && code != exitExpected {
			t.Errorf("folder with %q: exit %d: %s", star, code, errs)
		}
	}
}

// clean refuses lines that no output may have, except for those that are ours.
func clean(t *testing.T, what, text string, ours *regexp.Regexp) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		if regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f\x{80}-\x9f\x{2028}\x{2029}\x{202a}-\x{202e}\x{2066}-\x{2069}]|##\w*\[`).MatchString(line) ||
			regexp.MustCompile(`^\s*(VERIFIED|REJECTED|UNCHECKED|::)`).MatchString(line) && (ours == nil || !ours.MatchString(line)) {
			t.Errorf("%s prints %q", what, line)
		}
	}
}

// TestHostileNames: whatever names a network or a machine has, no command and no
// form of output prints a control character, or begins a line with what a
// verifier or a CI system would say.
func TestHostileNames(t *testing.T) {
	h := func(i int) string { return `"` + hostile[i%len(hostile)] + `"` }
	dir := t.TempDir()
	annotation := regexp.MustCompile(`^::(error|warning|notice) file=` + regexp.QuoteMeta(dir))
	verified := regexp.MustCompile(`^VERIFIED ` + regexp.QuoteMeta(dir))
	step := 6 // every name is used, and with -every in twice as many places
	if seedtest.Whole() {
		step = 3
	}
	for i := 0; i < len(hostile); i += step {
		// A ring of four, and a machine of which one property fails.
		star := filepath.Join(dir, "n.star")
		text := "network(name=" + h(i) + ", classes=[" + h(i+1) + "], vcs=[" + h(i+2) + "])\n" +
			"n = [node(name=x) for x in [" + h(i) + ", " + h(i+1) + ", " + h(i+2) + ", " + h(i+3) + "]]\n" +
			"for k in range(4):\n    link(n[k], n[(k + 1) % 4], out=" + h(i+4) + ", into=" + h(i+5) + ")\n" +
			"def route(at, to):\n    return [hop(at.node.port(" + h(i+4) + "), " + h(i+2) + ")]\n"
		text = regexp.MustCompile(`\\u00([01]b|07|85)`).ReplaceAllString(text, `\x$1`)
		text = strings.ReplaceAll(text, `\x85`, `\u0085`)
		machine := filepath.Join(dir, "m.json")
		program := `{"format": "unknot-program-1", "name": ` + h(i) + `, "variables": [{"name": ` + h(i+1) + `, "values": [` + h(i+2) + `, ` + h(i+3) + `]}],
			"rules": [{"name": ` + h(i+4) + `, "guard": ["=", ` + h(i+1) + `, 0], "do": [["set", ` + h(i+1) + `, 1]]}],
			"invariants": [{"name": ` + h(i+5) + `, "holds": ["=", ` + h(i+1) + `, 0]}, {"name": ` + h(i+6) + `, "holds": ["<", ` + h(i+1) + `, 2]}]}`
		for name, text := range map[string]string{star: text, machine: program} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, file := range []string{star, machine} {
			out := filepath.Join(dir, "evidence")
			if err := os.RemoveAll(out); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := unknot(t, "check", file, "--out", out)
			if code != exitViolated {
				t.Fatalf("check %s: exit %d: %s\n%s", file, code, stderr, text)
			}
			clean(t, "check", stdout+stderr, nil)
			closed := filepath.Join(out, "network.json")
			commands := [][]string{{"show", file}, {"check", file, "--json"}, {"check", file, "--explore=whole"},
				{"sweep", file, "--links", "1"}, {"untie", file},
				{"graph", file, "--format", "dot"}, {"graph", file, "--format", "graphml"}, {"graph", file, "--format", "json"}}
			if file == machine {
				closed = filepath.Join(out, "machine.json")
				commands = [][]string{{"show", file}, {"check", file, "--json"}, {"export", file, "--to", "promela"},
					{"export", file, "--to", "murphi"}, {"export", file, "--to", "tla"},
					{"export", file, "--to", "pins"}}
			}
			evidence, err := filepath.Glob(filepath.Join(out, "*.unknot"))
			if err != nil || len(evidence) == 0 {
				t.Fatalf("no evidence: %v", err)
			}
			for _, e := range evidence {
				commands = append(commands, []string{"replay", closed, e}, []string{"shrink", closed, e})
			}
			for _, c := range commands {
				_, stdout, stderr := unknot(t, c...)
				var ours *regexp.Regexp
				if c[0] == "export" {
					ours = regexp.MustCompile("") // Promela has :: of its own, and names there are identifiers
				}
				clean(t, strings.Join(c, " "), stdout+stderr, ours)
			}
			_, stdout, stderr = unknot(t, append([]string{"verify", closed}, evidence...)...)
			clean(t, "verify", stdout+stderr, verified)
			if strings.Count(stdout, "\n") != len(evidence) {
				t.Errorf("verify prints more or less than a line for each of %d files:\n%s", len(evidence), stdout)
			}
			made := map[string]string{"--junit": "", "--sarif": "", "--markdown": "", "--report": ""}
			args := []string{"check", file, "--annotations"}
			for flag := range made {
				made[flag] = filepath.Join(dir, "made"+flag)
				args = append(args, flag, made[flag])
			}
			_, stdout, stderr = unknot(t, args...)
			clean(t, "check --annotations", stdout+stderr, annotation)
			for flag, file := range made {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				clean(t, flag, string(text), nil)
			}
		}
	}
}
