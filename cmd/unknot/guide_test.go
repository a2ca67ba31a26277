package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/cmd/unknot/guide"
	"github.com/seed-105a2da2/unknot/models/examples"
	"github.com/seed-105a2da2/unknot/proofs/coq"
	"github.com/seed-105a2da2/unknot/proofs/smt"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
	"github.com/seed-105a2da2/unknot/spec/topology"
)

// TestReadme and TestGuide: in a folder with the example networks where a clone has
// them, the files that a page shows (```python NAME) are written, its commands run, and
// the lines below a "$ command" are those that it prints, in order; "..." stands for any
// lines.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 140 {
		t.Errorf("README.md has %d lines: at most 140", n)
	}
	if ran := runPage(t, string(text)); ran < 10 {
		t.Errorf("only %d commands were found", ran)
	}
}

func TestGuide(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for i, topic := range guide.Topics() {
		t.Run(topic, func(t *testing.T) {
			page, err := guide.Page(topic)
			if err != nil {
				t.Fatal(err)
			}
			code, text, _ := unknot(t, "help", topic)
			if code != exitExpected || !strings.HasPrefix(text, "# ") {
				t.Fatalf("exit %d: %.60q", code, text)
			}
			if parts := strings.SplitN(text, "\n\n", 3); !strings.HasPrefix(parts[1], "For ") {
				t.Errorf("the page does not begin with whom it is for: %.60q", parts[1])
			}
			for _, m := range regexp.MustCompile("`unknot help ([a-z-]+)`").FindAllStringSubmatch(text, -1) {
				if code, _, errs := unknot(t, "help", m[1]); code != exitExpected {
					t.Errorf("%s: %s", m[0], errs)
				}
			}
			if m := regexp.MustCompile(`\]\([^)h][^)]*\)`).FindString(text); m != "" && topic != "commands" {
				t.Errorf("help shows a link: %s", m)
			}
			for _, m := range links.FindAllStringSubmatch(page, -1) {
				if _, err := os.Stat(filepath.Join("guide", m[1])); err != nil {
					t.Error(err)
				}
			}
			if seedtest.Sampled(i, 3) {
				runPage(t, text)
			}
		})
	}
}

// TestFaultsDoNotHold: what holds is freedom from a fault. A reader takes "deadlock
// holds" for a deadlock, so no text for users says so.
func TestFaultsDoNotHold(t *testing.T) {
	misread := regexp.MustCompile(`(?i)\b(deadlock|livelock|starvation) (is )?(holds|violated|unknown)\b`)
	files := []string{"../../README.md"}
	for _, pattern := range []string{"guide/*.md", modelPages + "/*.md", "../../checker/*/testdata/*.[hmstx]*"} {
		more, err := filepath.Glob(pattern)
		if err != nil || len(more) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(more), err)
		}
		files = append(files, more...)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := misread.Find(text); found != nil {
			t.Errorf("%s: %q", name, found)
		}
	}
}

// TestHelpTopics: help lists every page of the guide, and completes topics; a topic is no command.
func TestHelpTopics(t *testing.T) {
	pages, err := guide.Files()
	if topics := guide.Topics(); err != nil || len(pages) != len(topics) {
		t.Fatalf("%d pages, %d topics: %v", len(pages), len(topics), err)
	}
	_, all, _ := unknot(t, "help")
	_, completed, _ := unknot(t, "__complete", "help", "")
	for _, topic := range guide.Topics() {
		if !strings.Contains(all, "\n  "+topic+" ") || !strings.Contains(completed, topic+"\t"+guide.Title(topic)+"\n") {
			t.Errorf("%s is not listed, or not completed", topic)
		}
		if code, out, _ := unknot(t, topic, "--help"); code != exitUsage {
			t.Errorf("%s is a command: %s", topic, out)
		}
	}
	for _, command := range []string{"check", "route", "simulate", "untie"} {
		if code, out, _ := unknot(t, "help", command); code != exitExpected || !strings.Contains(out, "Usage:\n  unknot "+command+" ") {
			t.Errorf("help %s: exit %d\n%s", command, code, out)
		}
	}
	for former, now := range formerTopics {
		for _, topic := range now {
			if _, err := guide.Page(topic); err != nil {
				t.Error(err)
			}
			for _, args := range [][]string{{"help", former}, {former}} {
				if code, _, errs := unknot(t, args...); code != exitUsage || !strings.Contains(errs, topic) {
					t.Errorf("%s: exit %d: %s", args, code, errs)
				}
			}
		}
	}
	if code, _, errs := unknot(t, "help", "chekc"); code != exitUsage || !strings.Contains(errs, "did you mean check?") {
		t.Errorf("help chekc: exit %d\n%s", code, errs)
	}
}

// TestHelpSection: help prints a section by its heading, or by words that only one heading has, with the sections within it;
// a line of code that begins as a heading does is none.
func TestHelpSection(t *testing.T) {
	for _, topic := range guide.Topics() {
		page, err := guide.Page(topic)
		if err != nil {
			t.Fatal(err)
		}
		page = helpPage(page)
		seen := map[string]bool{}
		for _, s := range guide.Sections(page) {
			if seen[strings.ToLower(s.Heading)] {
				t.Errorf("%s has two sections %q: the second one cannot be asked for", topic, s.Heading)
			}
			seen[strings.ToLower(s.Heading)] = true
			_, text, errs := unknot(t, append([]string{"help", topic}, strings.Fields(s.Heading)...)...)
			first, _, _ := strings.Cut(text, "\n")
			if errs != "" || strings.TrimLeft(first, "#") != " "+s.Heading || !strings.Contains(page, text) || strings.Count(text, "```")%2 > 0 {
				t.Errorf("%s, %s: %s%s", topic, s.Heading, errs, text)
			}
		}
	}
	const page = "# T\n\n## A\na\n```sh\n# b\n## C\n```\n\n### D\nd\n\n## E\ne\n"
	want := []guide.Section{
		{Heading: "A", Text: "## A\na\n```sh\n# b\n## C\n```\n\n### D\nd\n"}, {Heading: "D", Text: "### D\nd\n"}, {Heading: "E", Text: "## E\ne\n"},
	}
	if diff := cmp.Diff(want, guide.Sections(page)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, c := range []struct {
		args, says string
		code       int
	}{
		{"proofs WHAT is not", "## What is not proved\n", exitExpected},
		{"proofs proved for", `want "Proved for every size" or "Proved for the sizes that are asked for"`, exitUsage},
		{"proofs refutde", "did you mean refuted?", exitUsage},
		{"proofs zzz", `invalid section "zzz" of proofs: want one that unknot help proofs prints`, exitUsage},
		{"network-files link", "## link(", exitExpected},
		{"model checkers", "did you mean model-checkers?", exitUsage},
		{"commands prove", "## prove\n", exitExpected},
		{"proofs " + strings.Repeat("a ", 16), "got 17 arguments", exitUsage},
	} {
		code, text, errs := unknot(t, append([]string{"help"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(text+errs, c.says) {
			t.Errorf("help %s: exit %d, want %d and %s\n%s%s", c.args, code, c.code, c.says, errs, text)
		}
	}
}

// TestTheoremPage: each part in Coq is what the theorem at its end rests on, but for indentation, and in the file that the
// comment above it names. All theorems that the page names exist. At 230 words a minute and ten seconds for a line of Coq,
// the theorem is understood within ten minutes, and the page read within 800 seconds. It was 720 before a stranger missed the
// smaller gaps and some assumptions there, which the way to the theorem does not need.
func TestTheoremPage(t *testing.T) {
	page, err := guide.Page("theorem")
	if err != nil {
		t.Fatal(err)
	}
	same := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	needed := map[string]string{}
	statement, err := coq.Statement("rank_no_deadlock")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range statement {
		needed[p.File] = same(p.Text)
	}
	parts := 0
	blocks := regexp.MustCompile("(?ms)^```coq\n(.*?)^```$")
	seconds := func(text string) int {
		lines := 0
		for _, block := range blocks.FindAllStringSubmatch(text, -1) {
			lines += len(regexp.MustCompile(`(?m)^ *[^ (\n]|^ *\([^*]`).FindAllString(block[1], -1))
		}
		return 60*len(strings.Fields(blocks.ReplaceAllString(text, "")))/230 + 10*lines
	}
	for _, block := range blocks.FindAllStringSubmatch(page, -1) {
		file := ""
		for _, part := range strings.Split(strings.TrimSpace(block[1]), "\n\n") {
			if named := regexp.MustCompile(`^\(\* (\w+\.v) \*\)\n`).FindStringSubmatch(part); named != nil {
				file, part = named[1], part[len(named[0]):]
			}
			parts++
			if !strings.Contains(needed[file], same(part)) {
				t.Errorf("rank_no_deadlock needs nothing like this of %s:\n%s", file, part)
			}
		}
	}
	way, _, found := strings.Cut(page, "## What lies between")
	if parts < 8 || !found || seconds(way) > 600 || seconds(page) > 800 {
		t.Errorf("%d parts, %d seconds to the theorem, %d in all: want at most 600 and 800", parts, seconds(way), seconds(page))
	}
	t.Logf("%d seconds to the theorem, %d in all", seconds(way), seconds(page))
	for _, name := range regexp.MustCompile("`(\\w+_\\w+)` ?\\(`(\\w+\\.v)`").FindAllStringSubmatch(page, -1) {
		if parts, err := coq.Statement(name[1]); err != nil || len(parts) == 0 || parts[len(parts)-1].File != name[2] {
			t.Errorf("no theorem %s in %s: %v", name[1], name[2], err)
		}
	}
	_, others, _ := strings.Cut(page, "## Other kinds\n")
	for _, name := range regexp.MustCompile("`(\\w+_\\w+)`").FindAllStringSubmatch(others, -1) {
		if parts, err := coq.Statement(name[1]); err != nil || len(parts) == 0 {
			t.Errorf("no theorem %s: %v", name[1], err)
		}
	}
}

// TestFieldWords: a reader who asks for a word of the own field is led to pages that exist, and finds a word of the same
// row on the first one.
func TestFieldWords(t *testing.T) {
	for _, f := range fieldWords {
		for i, page := range strings.Fields(f.pages) {
			text, err := guide.Page(page)
			if err != nil {
				t.Error(err)
			}
			if i == 0 && !slices.ContainsFunc(strings.Split(f.words, ", "), func(w string) bool { return wholeWord(w).MatchString(text) }) {
				t.Errorf("%s has no word of %q", page, f.words)
			}
		}
	}
	if got := pagesOfField("no such word"); got != nil {
		t.Errorf("a word of no field: %q", got)
	}
}

const commandsHead = `# Commands: every command and every flag

For everyone who looks up a flag. Each section is the output of ` + "`unknot help COMMAND`" + `.

Made from the flags by ` + "`go test ./cmd/unknot -run TestCommandsPage -update`" + `.

## Exit codes

| code | check, route, sweep, untie, ask | verify, unknot-verify |
|---|---|---|
| 0 | every property holds; with --expected or several files, every verdict is as expected; a repair was found | all verified |
| 1 | a property is violated, or not as expected; no scheme has a repair | the check itself failed: treat as rejected |
| 2 | usage or input: one line ` + "`file:line:col: what is wrong`" + ` | the same |
| 3 | a property is unknown and none is violated; a limit was reached | a count is unchecked, a verdict has no evidence, or a limit was reached |
| 4 | evidence was rejected; if unknot wrote it, that is a bug: please report it | evidence was rejected |
| 130 | interrupted | interrupted |

The other commands use the same codes, and their sections list them. For ` + "`diff`" + `, 0 means equal and 1 different.
`

// TestCommandsPage: the page about commands is what they print about themselves. It is kept as a file, and not
// printed by help alone, so that it can be read without the program, and so that a change of a flag shows what it
// changes for users.
func TestCommandsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(commandsHead)
	_, all, _ := unknot(t, "help")
	_, list, _ := strings.Cut(all, "\nCommands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	fmt.Fprintf(&b, "\n## The commands\n\n```text\n%s\n```\n", list)
	commands := 0
	for line := range strings.Lines(list) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(line, "   ") || name == "completion" || name == "help" {
			continue // more about the command before; cobra's own
		}
		commands++
		code, text, errs := unknot(t, "help", name)
		if code != exitExpected {
			t.Fatalf("help %s: exit %d: %s", name, code, errs)
		}
		fmt.Fprintf(&b, "\n## %s\n\n```text\n%s\n```\n", name, strings.TrimSpace(text))
	}
	if commands < 15 {
		t.Fatalf("%d commands", commands)
	}
	const page = "guide/commands.md"
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	kept, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(kept)); diff != "" {
		t.Errorf("(-want +kept), write it anew with -update:\n%s", diff)
	}
}

var verifierIn string // the folder

// verifier builds unknot-verify, once for all pages.
var verifier = sync.OnceValues(func() (file string, err error) {
	if verifierIn, err = os.MkdirTemp("", "unknot"); err != nil {
		return "", err
	}
	file = filepath.Join(verifierIn, "unknot-verify")
	if out, err := exec.Command("go", "build", "-o", file, "../unknot-verify").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return file, nil
})

func removeVerifier() {
	if verifierIn != "" {
		os.RemoveAll(verifierIn)
	}
}

// runPage runs the commands of a page and returns how many it ran.
func runPage(t *testing.T, text string) int {
	t.Helper()
	p := shownPage{t: t, dir: t.TempDir()}
	if strings.Contains(text, "\n$ unknot-verify") || strings.Contains(text, "\nunknot-verify") {
		var err error
		if p.verifier, err = verifier(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(p.dir, "models", "examples"), examples.Files()); err != nil {
		t.Fatal(err)
	}
	dumps := filepath.Join("spec", "fabric", "testdata", "ring6-lash")
	if err := os.CopyFS(filepath.Join(p.dir, dumps), os.DirFS(filepath.Join("..", "..", dumps))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(p.dir)
	for _, m := range regexp.MustCompile("(?ms)^```([a-z]*)(?: (\\S+))?\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		if m[2] != "" {
			p.write(m[2], []byte(m[3]))
		}
		p.block(m[1], m[3])
	}
	return p.ran
}

type shownPage struct {
	t             *testing.T
	dir, verifier string
	ran           int
}

func (p *shownPage) write(name string, text []byte) {
	file := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// block runs the commands of one fenced block.
func (p *shownPage) block(language, text string) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		command, isCommand := strings.CutPrefix(lines[i], "$ ")
		if !isCommand && (language != "" || !strings.HasPrefix(lines[i], "unknot")) {
			continue
		}
		var shown []string
		for isCommand && i+1 < len(lines) && !strings.HasPrefix(lines[i+1], "$ ") {
			i++
			shown = append(shown, lines[i])
		}
		p.run(command, shown)
	}
}

var word = regexp.MustCompile(`"[^"]*"|'[^']*'|\S+`) // as a shell has them

func (p *shownPage) run(line string, shown []string) {
	command, _, _ := strings.Cut(line, " #")
	command, to, redirected := strings.Cut(command, " > ")
	var args []string
	for _, w := range word.FindAllString(command, -1) {
		if found, _ := filepath.Glob(w); strings.Contains(w, "*") && len(found) > 0 {
			args = append(args, found...)
			continue
		}
		args = append(args, strings.Trim(w, `"'`))
	}
	if len(args) < 2 || strings.Contains(line, "--timeout") || args[1] == "explore" {
		return // takes minutes on purpose, or serves until it is interrupted
	}
	if !seedtest.Whole() && strings.HasPrefix(line, "unknot untie mesh --set k=4") { // takes seconds
		p.ran++
		return
	}
	if _, err := exec.LookPath("dot"); err != nil && strings.Contains(line, "svg") && args[1] == "graph" {
		p.t.Logf("left out, Graphviz is not there: %s", line)
		return
	}
	if strings.HasPrefix(line, "unknot prove ") {
		for _, solver := range smt.Solvers() {
			if _, err := exec.LookPath(solver.Name); err != nil {
				p.t.Logf("left out, %s is not there: %s", solver.Name, line)
				return
			}
		}
	}
	p.ran++
	var out string
	switch args[0] {
	case "unknot":
		code, text, errs := unknot(p.t, args[1:]...)
		unknown := code == exitUnknown && slices.ContainsFunc(shown, func(line string) bool { return strings.Contains(line, "UNKNOWN") })
		if out = text; code != exitExpected && code != exitViolated && !unknown {
			p.t.Errorf("%s: exit %d\n%s%s", line, code, out, errs)
		}
	case "unknot-verify":
		text, err := exec.Command(p.verifier, args[1:]...).CombinedOutput()
		if out = string(text); err != nil {
			p.t.Errorf("%s: %v\n%s", line, err, text)
		}
	default:
		p.ran--
		return
	}
	if redirected {
		p.write(strings.TrimSpace(to), []byte(out))
	}
	if !printed(out, shown) {
		p.t.Errorf("%s prints\n%s\nnot as shown\n%s", line, out, strings.Join(shown, "\n"))
	}
}

// printed reports whether the output is what is shown; nothing shown is any output.
func printed(out string, shown []string) bool {
	if len(shown) == 0 {
		return true
	}
	var pattern bytes.Buffer
	pattern.WriteString(`\A`)
	for _, line := range shown {
		if line == "..." {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		pattern.WriteString(regexp.QuoteMeta(line) + `\n`)
	}
	pattern.WriteString(`\z`)
	return regexp.MustCompile(pattern.String()).MatchString(out)
}

// TestFormatsPage: the page about formats names every format, with its version, that the code reads or writes.
func TestFormatsPage(t *testing.T) {
	page, err := guide.Page("formats")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	literal := regexp.MustCompile(`"(unknot-[a-z-]+[ -])(\d+)"`)
	err = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range literal.FindAllSubmatch(text, -1) {
			found[string(m[1])+string(m[2])] = true
			if !strings.Contains(page, "`"+string(m[1])+string(m[2])+"`") &&
				!regexp.MustCompile("`"+string(m[1])+`\d+`+"`.*`-"+string(m[2])+"`").MatchString(page) {
				t.Errorf("%s: the page says nothing of %s%s", path, m[1], m[2])
			}
		}
		return err
	})
	if err != nil || len(found) < 10 {
		t.Errorf("%d formats: %v", len(found), err)
	}
}

// TestFormatsPageKeys: the page about formats names each key of JSON that the code writes, and has each line of the grammars
// of evidence.
func TestFormatsPageKeys(t *testing.T) {
	page, err := guide.Page("formats")
	if err != nil {
		t.Fatal(err)
	}
	source := func(name string) string {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	named := func(part, name string) bool {
		return regexp.MustCompile("[`,]" + regexp.QuoteMeta(name) + "[`,]").MatchString(part)
	}
	tag := regexp.MustCompile(`json:"([a-zA-Z][\w-]*)`)
	_, other, _ := strings.Cut(page, "\n## Other JSON\n")
	other, _, _ = strings.Cut(other, "\n## ")
	for row, files := range map[string][]string{
		"`check FILE FILE --json`":    {"cmd/unknot/suite.go"},
		"`check FOLDER --json`":       {"checker/fabrics/survey.go", "checker/fabrics/fabrics.go"},
		"`ask --json`":                {"cmd/unknot/ask.go"},
		"`answer.json`":               {"proofs/evidence/answer.go"},
		"`sweep --out`":               {"checker/sweep/results.go"},
		"`diff --json`":               {"cmd/unknot/diff.go", "checker/diff/list.go"},
		"`change --json`":             {"cmd/unknot/change.go"},
		"`simulate --json`":           {"checker/simulate/beside.go", "checker/simulate/curves.go", "checker/simulate/intervals.go", "checker/simulate/result.go"},
		"`simulate combining --json`": {"cmd/unknot/combining.go"},
		"`check --report`":            {"checker/show/page/player.go"},
		"`reasons.json`":              {"checker/write/reasons.go"},
	} {
		var rows strings.Builder // of one command, which may have several
		for line := range strings.Lines(other) {
			if strings.Contains(line, row) {
				rows.WriteString(line)
			}
		}
		keys := 0
		for _, name := range files {
			for _, m := range tag.FindAllStringSubmatch(source(name), -1) {
				if keys++; !named(rows.String(), m[1]) {
					t.Errorf("%s: the row of %s lacks the key %s", name, row, m[1])
				}
			}
		}
		if keys < 4 {
			t.Errorf("%s: %d keys", row, keys)
		}
	}
	drawn := regexp.MustCompile(`[{,]"(\w+)":`).FindAllStringSubmatch(source("checker/show/draw/testdata/ring4.json"), -1)
	if len(drawn) < 10 {
		t.Errorf("%d keys in a drawing", len(drawn))
	}
	for line := range strings.Lines(other) {
		if !strings.Contains(line, "`graph --format json`") {
			continue
		}
		for _, m := range drawn {
			if !named(line, m[1]) {
				t.Errorf("the row of graph --format json lacks the key %s", m[1])
			}
		}
	}
	for section, schema := range map[string]string{
		"Networks: the closed form":   "spec/network.schema.json",
		"Protocols: the JSON program": "spec/program/program.schema.json",
		"Results":                     "checker/show/report/result.schema.json",
	} {
		_, part, _ := strings.Cut(page, "\n## "+section+"\n")
		part, _, _ = strings.Cut(part, "\n## ")
		var parsed any
		if err := json.Unmarshal([]byte(source(schema)), &parsed); err != nil {
			t.Fatal(err)
		}
		keys := schemaKeys(parsed)
		if len(keys) < 15 {
			t.Errorf("%s: %d keys", schema, len(keys))
		}
		for _, key := range keys {
			if other := section == "Results" && slices.Contains(otherAnswers, key); !other && !named(part, key) {
				t.Errorf("%s lacks the key %s of %s", section, key, schema)
			}
		}
	}
	grammars := 0
	for _, root := range []string{"proofs", "counterexamples"} {
		err := filepath.WalkDir("../../"+root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, g := range regexp.MustCompile(`(?m)^//\tunknot-.*\n(?://\t.*\n)+`).FindAllString(string(text), -1) {
				grammars++
				if block := strings.ReplaceAll("\n"+g, "\n//\t", "\n"); !strings.Contains(page, block) {
					t.Errorf("%s: the page lacks this grammar:%s", path, block)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if grammars < 14 {
		t.Errorf("%d grammars: want one for each kind of evidence", grammars)
	}
}

// otherAnswers are keys of answers whose rows are among those of other JSON, where the tags in Go are compared.
var otherAnswers = []string{"model", "question", "subject", "asks", "numbers", "parts", "believe", "result"}

// schemaKeys returns the keys of all objects that a schema describes.
func schemaKeys(schema any) (keys []string) {
	switch s := schema.(type) {
	case map[string]any:
		for key, part := range s {
			if of, ok := part.(map[string]any); ok && key == "properties" {
				keys = slices.AppendSeq(keys, maps.Keys(of))
				for _, within := range of {
					keys = append(keys, schemaKeys(within)...)
				}
				continue
			}
			keys = append(keys, schemaKeys(part)...)
		}
	case []any:
		for _, part := range s {
			keys = append(keys, schemaKeys(part)...)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// TestTopologiesPage: each format that is read has a row.
func TestTopologiesPage(t *testing.T) {
	page, err := guide.Page("topologies")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range topology.Formats() {
		if !strings.Contains(page, "| `"+format+"` |") {
			t.Errorf("no row for %s", format)
		}
	}
}

// TestLayoutNamesPackages: the page names each package but those of models, which are folders of the same kind.
func TestLayoutNamesPackages(t *testing.T) {
	page, err := guide.Page("layout")
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{"spec", "checker", "proofs", "counterexamples", "cmd"} {
		err := filepath.WalkDir("../../"+root, func(file string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "testdata") {
				return err
			}
			dir := filepath.ToSlash(filepath.Dir(file))[len("../../"):]
			if !strings.Contains(page, "`"+dir+"`") && !strings.Contains(page, "`"+path.Base(dir)+"`") {
				t.Errorf("%s is not on the page", dir)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestLayoutNamesFunctions: a stop that names functions of a file names those that the file has.
func TestLayoutNamesFunctions(t *testing.T) {
	page, err := guide.Page("layout")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\((\.\./[^)]+)\)`)
	cited := regexp.MustCompile("((?:`\\w+`(?:, )?)+) in (?:\\[[^]]*\\]\\(([^)]*)\\)|`(\\w+\\.go)`)")
	folder, found := "", 0
	for row := range strings.Lines(page) {
		if to := link.FindStringSubmatch(row); to != nil {
			if folder = filepath.Join("guide", to[1]); filepath.Ext(folder) == ".go" {
				folder = filepath.Dir(folder)
			}
		}
		for _, c := range cited.FindAllStringSubmatch(row, -1) {
			pattern := filepath.Join("guide", c[2])
			if c[2] == "" {
				pattern = filepath.Join(folder, c[3])
			} else if filepath.Ext(pattern) != ".go" {
				pattern = filepath.Join(pattern, "*.go")
			}
			files, _ := filepath.Glob(pattern)
			var text []byte
			for _, name := range files {
				more, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				text = append(text, more...)
			}
			for _, name := range regexp.MustCompile(`\w+`).FindAllString(c[1], -1) {
				found++
				if !regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + name + `\(|^\t` + name + ` := func`).Match(text) {
					t.Errorf("%s has no function %s", pattern, name)
				}
			}
		}
	}
	if found < 15 {
		t.Errorf("%d functions are named", found)
	}
}

// TestGlossary: the entries are in alphabetical order, each once.
func TestGlossary(t *testing.T) {
	page, err := guide.Page("glossary")
	if err != nil {
		t.Fatal(err)
	}
	var terms []string
	for _, m := range regexp.MustCompile(`(?m)^\| \*\*([^*]+)\*\*`).FindAllStringSubmatch(page, -1) {
		terms = append(terms, strings.ToLower(m[1]))
	}
	if len(terms) < 50 || !slices.IsSorted(terms) || len(slices.Compact(slices.Clone(terms))) != len(terms) {
		sorted := slices.Sorted(slices.Values(terms))
		t.Errorf("%d terms (-want +got):\n%s", len(terms), cmp.Diff(sorted, terms))
	}
}
