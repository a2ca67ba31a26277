package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.starlark.net/syntax"

	"github.com/seed-105a2da2/unknot/cmd/unknot/guide"
)

// TestStubs: every function of the manual is declared once, so that Starlark and Python can read it, and its
// documentation is the manual's.
func TestStubs(t *testing.T) {
	code, out, errs := unknot(t, "stubs")
	if code != exitExpected || errs != "" {
		t.Fatalf("exit %d, %s", code, errs)
	}
	file, err := (&syntax.FileOptions{}).Parse("stubs.py", strings.ReplaceAll(out, "\n    ...\n", "\n    pass\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string][]string{}
	for _, s := range file.Stmts {
		def, is := s.(*syntax.DefStmt)
		if !is {
			t.Fatalf("%T is no function", s)
		}
		if declared[def.Name.Name] != nil {
			t.Errorf("%s is declared twice", def.Name.Name)
		}
		names := []string{}
		for _, p := range def.Params {
			switch p := p.(type) {
			case *syntax.Ident:
				names = append(names, p.Name)
			case *syntax.BinaryExpr:
				names = append(names, p.X.(*syntax.Ident).Name+"=")
			case *syntax.UnaryExpr:
				names = append(names, p.Op.String()+p.X.(*syntax.Ident).Name)
			}
		}
		declared[def.Name.Name] = names
	}
	for name, want := range map[string]string{ // as a reader of the headings would declare them
		"param":      "name default min= max= choices= doc=",
		"hop":        "link vc= tag= room=",
		"oblivious":  "alternatives",
		"discard":    "",
		"record":     "**more",
		"also":       "f *more",
		"network_of": "file carries= name= **more",
		"expect":     "deadlock_freedom= livelock_freedom= delivery= no_discard= switching= property= verdict=",
		"ltl":        "name formula over= fair= **more",
	} {
		if got := strings.Join(declared[name], " "); got != want {
			t.Errorf("%s(%s), want (%s)", name, got, want)
		}
	}
	headings := regexp.MustCompile(`(?m)^## ([a-z_]+)\(`)
	for _, topic := range manual {
		page, err := guide.Page(topic)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range headings.FindAllStringSubmatch(page, -1) {
			if _, is := declared[h[1]]; !is && h[1] != "route" {
				t.Errorf("%s is not declared", h[1])
			}
		}
	}
	if !strings.Contains(out, "A value outside its range is an input error (exit code 2).") {
		t.Error("the documentation is not the manual's")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing, so it does not read the stubs")
	}
	c := exec.Command(python, "-c", "import ast, sys; print(*(d.name for d in ast.parse(sys.stdin.read()).body))")
	c.Stdin = strings.NewReader(out)
	said, err := c.CombinedOutput()
	if names := strings.Fields(string(said)); err != nil || len(names) != len(declared) || !slices.Contains(names, "hop") {
		t.Errorf("python3: %v\n%s", err, said)
	}
}

// TestProblemMatcher: the patterns of the guide find place and message of a deadlock in what check --json --annotations
// prints, and of a mistake.
func TestProblemMatcher(t *testing.T) {
	page, err := guide.Page("ci")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(page, "```json .vscode/tasks.json\n")
	block, _, _ = strings.Cut(block, "\n```")
	var tasks struct {
		Tasks []struct {
			ProblemMatcher []struct {
				Pattern struct {
					Regexp                      string
					File, Line, Column, Message int
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(block), &tasks); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	ring := "network(name = \"ring\")\nn = [node() for i in range(4)]\nfor i in range(4):\n    link(n[i], n[(i + 1) % 4])\n" +
		"def route(at, to):\n    return [hop(at.node.out[0])]\n"
	for i, c := range []struct{ file, text, want string }{
		{"ring.star", ring, "ring.star:6:13: deadlock freedom violated: 4 packets wait for each other and can never move"},
		{"wrong.star", strings.Replace(ring, "out[0]", "out[1]", 1),
			"wrong.star:6:28: tuple index 1 out of range [-1:0] (in route at inject 1 for 0)"},
	} {
		if err := os.WriteFile(c.file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, out, errs := unknot(t, "check", "--json", "--annotations", c.file)
		p := tasks.Tasks[0].ProblemMatcher[i].Pattern
		var found []string
		for line := range strings.Lines(out + errs) {
			if m := regexp.MustCompile(p.Regexp).FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
				found = append(found, strings.Join([]string{m[p.File], m[p.Line], m[p.Column]}, ":")+": "+m[p.Message])
			}
		}
		if !slices.Equal(found, []string{c.want}) {
			t.Errorf("%s: got %q, want %q", c.file, found, c.want)
		}
	}
}
