package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
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

// TestProblemMatcher: the patterns of the guide find, in what check prints, the place and message of a deadlock, of a
// mistake and of a warning, once each, as VS Code reads them: the first pattern that fits a line is taken, a severity that
// is missing is the matcher's, and what has the same place and message is one problem.
func TestProblemMatcher(t *testing.T) {
	page, err := guide.Page("ci")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(page, "```json .vscode/tasks.json\n")
	block, _, _ = strings.Cut(block, "\n```")
	var tasks struct {
		Tasks []struct {
			Command        string
			Args           []string
			ProblemMatcher []struct {
				Severity string
				Pattern  struct {
					Regexp                                string
					Severity, File, Line, Column, Message int
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(block), &tasks); err != nil {
		t.Fatal(err)
	}
	task := tasks.Tasks[0]
	problems := func(printed string) []string {
		var found []string
		for line := range strings.Lines(printed) {
			for _, m := range task.ProblemMatcher {
				p := m.Pattern
				g := regexp.MustCompile(p.Regexp).FindStringSubmatch(strings.TrimSuffix(line, "\n"))
				if g == nil {
					continue
				}
				problem := fmt.Sprintf("%s: %s:%s:%s: %s", cmp.Or(g[p.Severity], m.Severity), g[p.File], g[p.Line], g[p.Column], g[p.Message])
				if !slices.Contains(found, problem) {
					found = append(found, problem)
				}
				break
			}
		}
		return found
	}
	ring := "network(name = \"ring\")\nn = [node() for i in range(4)]\nfor i in range(4):\n    link(n[i], n[(i + 1) % 4])\n" +
		"def route(at, to):\n    return [hop(at.node.out[0])]\n"
	wrong := strings.Replace(ring, "out[0]", "out[1]", 1)
	const (
		deadlock = "deadlock freedom violated: 4 packets wait for each other and can never move"
		index    = "tuple index 1 out of range [-1:0] (in route at inject 1 for 0)"
	)
	inFolder(t, map[string]string{
		"ring.star": ring, "my nets/a ring.star": ring, "wrong.star": wrong, "my nets/wrong.star": wrong, "cut.star": "network(\n",
		"torus.cfg": "topology = torus;\nk = 8;\nn = 1;\nnum_vcs = 3;\npacket_size = 3;\nrouting_function = dim_order_bal;\n",
	})
	for _, c := range []struct {
		file  string
		flags []string
		want  []string
	}{
		{"ring.star", nil, []string{"error: ring.star:6:13: " + deadlock}},
		{"my nets/a ring.star", nil, []string{"error: my nets/a ring.star:6:13: " + deadlock}},
		{"wrong.star", nil, []string{"error: wrong.star:6:28: " + index}},
		{"my nets/wrong.star", nil, []string{"error: my nets/wrong.star:6:28: " + index}},
		{"cut.star", nil, []string{"error: cut.star:1:8: this ( is never closed: close it, or indent the lines that continue it"}},
		{"torus.cfg", []string{"--explore=never"}, []string{
			"warning: torus.cfg:1:1: wait_for_tail_credit is not set: BookSim lets a packet into a VC behind the tail of another " +
				"(--shared); --set wait_for_tail_credit=1 asks for one packet in each VC",
			"warning: torus.cfg:1:1: deadlock freedom unknown",
		}},
		{"ring.star", []string{"--property", "starvation-freedom", "--max-states", "2"}, []string{
			"warning: ring.star:1:1: starvation freedom unknown: ",
		}},
	} {
		for _, form := range [][]string{nil, {"--json"}} {
			args := append(append([]string(nil), c.flags...), form...)
			for _, a := range task.Args {
				args = append(args, strings.ReplaceAll(a, "${relativeFile}", c.file))
			}
			args = append(args[len(args)-len(task.Args):], args[:len(args)-len(task.Args)]...)
			_, out, errs := unknot(t, args...)
			found := problems(errs + out)
			if !slices.EqualFunc(found, c.want, strings.HasPrefix) {
				t.Errorf("%s: got %q, want %q", strings.Join(args, " "), found, c.want)
			}
		}
	}
}

// TestAnnotationsAsRead: GitHub's runner reads the file of an annotation as it is named, with blanks, commas and colons. It
// splits what is before the second "::" at commas, and each part at "=", and then takes out the escapes.
func TestAnnotationsAsRead(t *testing.T) {
	for _, file := range []string{"my nets/a ring.star", "a,b=c.star", "50%.star", "a::b.star"} {
		inFolder(t, map[string]string{file: "network(\n"})
		_, _, errs := unknot(t, "check", "--annotations", file)
		line, _, _ := strings.Cut(errs, "\n")
		command, message, is := strings.Cut(strings.TrimPrefix(line, "::error "), "::")
		if !is {
			t.Fatalf("%s: no annotation: %s", file, errs)
		}
		plain := strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
		got := map[string]string{}
		for part := range strings.SplitSeq(command, ",") {
			name, value, _ := strings.Cut(part, "=")
			got[name] = plain.Replace(value)
		}
		want := map[string]string{"file": file, "line": "1", "col": "8", "title": file + " could not be decided"}
		if diff := gocmp.Diff(want, got); diff != "" || !strings.HasPrefix(message, "this ( is never closed") {
			t.Errorf("%s: %s (-want +got):\n%s", file, message, diff)
		}
	}
}
