package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/models/examples"
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
	if n := strings.Count(string(text), "\n"); n > 150 {
		t.Errorf("README.md has %d lines: at most 150", n)
	}
	if ran := runPage(t, string(text)); ran < 10 {
		t.Errorf("only %d commands were found", ran)
	}
}

func TestGuide(t *testing.T) {
	for _, topic := range topics {
		t.Run(topic, func(t *testing.T) {
			code, text, _ := unknot(t, "help", topic)
			if code != exitExpected || !strings.HasPrefix(text, "# "+topic+": ") {
				t.Fatalf("exit %d: %.60q", code, text)
			}
			for _, m := range regexp.MustCompile("`unknot help ([a-z]+)`").FindAllStringSubmatch(text, -1) {
				if code, _, errs := unknot(t, "help", m[1]); code != exitExpected {
					t.Errorf("%s: %s", m[0], errs)
				}
			}
			runPage(t, text)
		})
	}
}

// TestFaultsDoNotHold: what holds is freedom from a fault. A reader takes "deadlock
// holds" for a deadlock, so nothing that is written for people says so.
func TestFaultsDoNotHold(t *testing.T) {
	misread := regexp.MustCompile(`(?i)\b(deadlock|livelock|starvation) (is )?(holds|violated|unknown)\b`)
	files := []string{"../../README.md", "../../models/CLAIMS.md"}
	for _, pattern := range []string{"guide/*.md", "../../checker/*/testdata/*.[hmstx]*"} {
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

// TestHelpTopics: help lists every page of the guide, and completes topics.
func TestHelpTopics(t *testing.T) {
	pages, err := guide.ReadDir("guide")
	if err != nil || len(pages) != len(topics) {
		t.Fatalf("%d pages, %d topics: %v", len(pages), len(topics), err)
	}
	_, all, _ := unknot(t, "help")
	_, completed, _ := unknot(t, "__complete", "help", "")
	for _, topic := range topics {
		if !strings.Contains(all, "  "+topic+" ") || !strings.Contains(completed, topic+"\t") {
			t.Errorf("%s is not listed, or not completed", topic)
		}
	}
	if code, out, _ := unknot(t, "help", "check"); code != exitExpected || !strings.Contains(out, "unknot check NETWORK") {
		t.Errorf("help check: exit %d\n%s", code, out)
	}
	if code, _, errs := unknot(t, "help", "chekc"); code != exitUsage || !strings.Contains(errs, "tutorial") {
		t.Errorf("help chekc: exit %d\n%s", code, errs)
	}
}

// runPage runs the commands of a page and returns how many it ran.
func runPage(t *testing.T, text string) int {
	t.Helper()
	p := shownPage{t: t, dir: t.TempDir(), verifier: filepath.Join(t.TempDir(), "unknot-verify")}
	if strings.Contains(text, "\n$ unknot-verify") || strings.Contains(text, "\nunknot-verify") {
		if out, err := exec.Command("go", "build", "-o", p.verifier, "../unknot-verify").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
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
	if _, err := exec.LookPath("dot"); err != nil && strings.Contains(line, "svg") && args[1] == "graph" {
		p.t.Logf("left out, Graphviz is not there: %s", line)
		return
	}
	p.ran++
	var out string
	switch args[0] {
	case "unknot":
		code, text, errs := unknot(p.t, args[1:]...)
		if out = text; code != exitExpected && code != exitViolated {
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
