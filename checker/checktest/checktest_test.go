package checktest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker/checktest"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/models/modeltest"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// recorder is a test that only records that it fails.
type recorder struct {
	*testing.T
	text string
	dead bool
}

func (r *recorder) Errorf(format string, args ...any) { r.text += fmt.Sprintf(format, args...) }
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); r.dead = true }

type set map[string]string

// TestVerdicts: expected verdicts pass, all others fail with the reason. The verdicts are those
// of the catalogue.
func TestVerdicts(t *testing.T) {
	saf := func(def routing.Definition) routing.Definition { def.Switching = spec.StoreAndForward; return def }
	network := func(model string, s set, o checktest.Options) func(*testing.T, *recorder) {
		return func(t *testing.T, r *recorder) { checktest.Network(r, saf(modeltest.Definition(t, model, s)), o) }
	}
	of := func(model string, s set, o checktest.Options) func(*testing.T, *recorder) {
		return func(t *testing.T, r *recorder) { checktest.Machine(r, modeltest.Machine(t, model, s), o) }
	}
	for _, tt := range []struct {
		name string
		do   func(*testing.T, *recorder)
		want []string // in the failure; none: it passes
	}{
		{"free", network("star-channel", nil, checktest.Options{}), nil},
		{"deadlock-freedom", network("ring", nil, checktest.Options{}),
			[]string{"deadlock freedom is violated, want holds", "waits", "reproduce: unknot check "}},
		{"deadlock, expected", network("ring", nil, checktest.Options{Violated: []string{"deadlock-freedom"}}), nil},
		{"another property", network("ring", nil, checktest.Options{Properties: []string{"livelock-freedom", "delivery"}}), nil},
		{"fails to fail", network("star-channel", nil, checktest.Options{Violated: []string{"livelock-freedom"}}),
			[]string{"livelock freedom holds, want violated"}},
		{"fails to be unknown", network("star-channel", nil, checktest.Options{Unknown: []string{"deadlock-freedom"}}),
			[]string{"deadlock freedom holds, want unknown"}},
		{"no such property", network("ring", nil, checktest.Options{Properties: []string{"speed"}}), []string{`invalid property "speed"`}},
		{"explored", network("ring", nil, checktest.Options{Scenario: &spec.Scenario{}}),
			[]string{"deadlock freedom is violated, want holds", "network.json --explore=always"}},
		{"a bubble", network("ring", set{"buffer": "2"}, checktest.Options{Scenario: &spec.Scenario{Bubble: 2}}), nil},
		{"too many states", func(t *testing.T, r *recorder) {
			checktest.Network(r, modeltest.Definition(t, "gadget", set{"name": "swap"}),
				checktest.Options{Scenario: &spec.Scenario{Length: 1}, MaxStates: 20})
		}, []string{"deadlock freedom is unknown, want holds", "--explore=always --length 1"}},
		{"machine", of("peterson", nil, checktest.Options{Properties: []string{"mutual exclusion"}}), nil},
		{"machine, nothing named", of("two-phase-commit", nil, checktest.Options{}), nil},
		{"machine, fails to fail", of("peterson", nil, checktest.Options{Violated: []string{"mutual exclusion"}}),
			[]string{"mutual exclusion holds, want violated"}},
		{"machine, no such property", of("peterson", nil, checktest.Options{Properties: []string{"speed"}}), []string{`has no property "speed": want one of "deadlock-freedom"`}},
		{"machine deadlocks",
			of("selection-clock", set{"function": "ccb", "reading": "literal"}, checktest.Options{Properties: []string{"deadlock-freedom"}}),
			[]string{"deadlock freedom is violated, want holds", "packet 1 for (1,3), at its source (0,1): enters"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			temporary(t)
			r := &recorder{T: t}
			tt.do(t, r)
			if len(tt.want) == 0 && r.text != "" {
				t.Errorf("it fails:\n%s", r.text)
			}
			for _, want := range tt.want {
				if !strings.Contains(r.text, want) {
					t.Errorf("the failure lacks %q:\n%s", want, r.text)
				}
			}
		})
	}
}

// temporary keeps temporary files in a folder that is removed with the test.
func temporary(t *testing.T) string {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // Windows
	return dir
}

// TestFile: a ring whose packets all go the same way around deadlocks (Dally and Seitz, 1987); a
// missing file, or one that is not a network, fails with its place.
func TestFile(t *testing.T) {
	dir := temporary(t)
	ring := `network(name="ring")
n = [node() for i in range(4)]
next = [link(n[i], n[(i + 1) % 4]) for i in range(4)]
def route(at, to): return [hop(next[at.node.id])]
`
	for _, tt := range []struct {
		text, want string
		o          checktest.Options
	}{
		{ring, "", checktest.Options{Violated: []string{"deadlock-freedom"}}},
		{ring, "x.star:4:", checktest.Options{}},
		{ring + "oops(", "x.star:5:", checktest.Options{}},
		{"", "x.star: no such file", checktest.Options{}},
	} {
		name := filepath.Join(dir, "x.star")
		if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if tt.text != "" {
			if err := os.WriteFile(name, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r := &recorder{T: t}
		checktest.File(r, name, tt.o)
		if !strings.Contains(r.text, tt.want) || (r.text == "") != (tt.want == "") {
			t.Errorf("says %q, want %q", r.text, tt.want)
		}
	}
}

// TestCommandFindsItsFiles: the file named by the command of a failure still exists after the
// test has ended.
func TestCommandFindsItsFiles(t *testing.T) {
	dir := temporary(t)
	var r *recorder
	t.Run("failing", func(t *testing.T) {
		r = &recorder{T: t}
		checktest.Network(r, modeltest.Definition(t, "ring", nil), checktest.Options{})
	})
	_, command, _ := strings.Cut(r.text, "reproduce: unknot check ")
	name, _, _ := strings.Cut(command, "\n")
	if _, err := os.Stat(name); err != nil || !strings.HasPrefix(name, dir) {
		t.Errorf("%q: %v\n%s", name, err, r.text)
	}
}

// TestKept: what failed is kept, and what is kept reproduces it.
func TestKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "kept")
	r := &recorder{T: t}
	checktest.Network(r, modeltest.Definition(t, "ring", set{"n": "3"}), checktest.Options{Folder: folder})
	var names []string
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{"deadlock-freedom.dot", "deadlock-freedom.unknot", "network.json", "reasons.json", "report.html"}, names); diff != "" {
		t.Error(diff)
	}
	text, err := os.ReadFile(filepath.Join(folder, "network.json"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := spec.ReadClosed(t.Context(), "network.json", text)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(folder, "deadlock-freedom.unknot"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	trace, err := counterexamples.Read("deadlock-freedom.unknot", file)
	if err != nil {
		t.Fatal(err)
	}
	if err := counterexamples.Replay(t.Context(), n, trace); err != nil {
		t.Error(err)
	}
}

// TestKeptMachine: a machine that is written as guarded commands is kept as well, with
// the evidence under the names that unknot check gives it, and the command finds it.
func TestKeptMachine(t *testing.T) {
	folder := t.TempDir()
	p := program.New("counter")
	a := p.Var("a", 3)
	p.Rule("count", program.Lt(a, 2), program.Set(a, program.Add(a, 1)))
	p.Invariant("a/b stays small", program.Lt(a, 2))
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{T: t}
	checktest.Machine(r, m, checktest.Options{Properties: []string{"a/b stays small"}, Folder: folder})
	if want := "unknot check " + filepath.Join(folder, "machine.json"); !strings.Contains(r.text, want) {
		t.Errorf("%q is not in\n%s", want, r.text)
	}
	subject, files, _, err := evidence.Files(folder)
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "a-b-stays-small.unknot" {
		t.Errorf("%s, %v, %v", subject, files, err)
	}
}

// TestKeptNowhere: a folder that cannot be made hides nothing of the failure.
func TestKeptNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := &recorder{T: t}
	checktest.Network(r, modeltest.Definition(t, "ring", nil), checktest.Options{Folder: file})
	if !strings.Contains(r.text, "deadlock freedom is violated") || !strings.Contains(r.text, "keeping network.json: ") {
		t.Errorf("the failure is\n%s", r.text)
	}
}

// TestExpectations: File wants what the file expects, unless the options say otherwise; a property
// that does not exist is an error.
func TestExpectations(t *testing.T) {
	const ring = "../../models/examples/ring.star" // it expects a deadlock
	for _, tt := range []struct {
		name string
		o    checktest.Options
		want string // in the failure, or ""
	}{
		{"the file's own", checktest.Options{}, ""},
		{"only livelock", checktest.Options{Properties: []string{"livelock-freedom"}}, ""},
		{"misspelt", checktest.Options{Violated: []string{"deadlok"}}, `invalid property "deadlok"`},
		{"all hold", checktest.Options{Properties: []string{"deadlock-freedom"}}, "deadlock freedom is violated, want holds"},
	} {
		r := &recorder{T: t}
		tt.o.Folder = t.TempDir()
		checktest.File(r, ring, tt.o)
		if (r.text == "") != (tt.want == "") || !strings.Contains(r.text, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, r.text, tt.want)
		}
	}
}

// TestPackageComment: the protocol in the comment of the package is the one of ExampleMachine, which runs.
func TestPackageComment(t *testing.T) {
	text, err := os.ReadFile("checktest.go")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(text), "\npackage checktest\n")
	_, shown, found := strings.Cut(comment, "//\tp := program.New(")
	if !found {
		t.Fatal("the comment has no protocol")
	}
	shown, _, _ = strings.Cut("//\tp := program.New("+shown, "//\n")
	for line := range strings.Lines(shown) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "//"))
		line = strings.Replace(line, "t.Fatal(err)", `t.Fatalf("%v", err)`, 1) // of a *testing.T, which the example has not
		if !strings.Contains(string(example), line+"\n") {
			t.Errorf("ExampleMachine lacks %q", line)
		}
	}
}
