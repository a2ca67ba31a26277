package combining_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/combining"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// found is what all engines count: states and steps without the invariants, and
// whether any state breaks one.
type found struct {
	States, Steps int
	Broken        bool
}

// TestEnginesInvalidate: SPIN and Rumur find in the exported programs what unknot
// finds.
func TestEnginesInvalidate(t *testing.T) {
	byTwo := combining.InvalidateOptions{FanOut: 2, Depth: 1, Homes: []int{0, 1}, Writers: []int{0, 1}, Link: 2, Entries: 1, Overflow: combining.Marked, Variant: combining.Deferred}
	for v, o := range map[string]combining.InvalidateOptions{
		"literal": paper(combining.Literal), "defer, two blocks, marked": byTwo,
	} {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			m, err := combining.NewInvalidation(o)
			if err != nil {
				t.Fatal(err)
			}
			engines(t, m.Program())
		})
	}
}

// engines compares what the installed engines find in a program with what unknot
// finds. Without any the test is skipped, unless CI=true.
func engines(t *testing.T, p *program.Program) {
	t.Helper()
	spin, rumur := installed(t, "spin", "cc"), installed(t, "rumur", "cc")
	if !spin && !rumur {
		t.Skip("neither SPIN nor Rumur is installed, or no C compiler")
	}
	free := *p
	free.Invariants, free.Responses = nil, nil
	x := searchedProgram(t, p, checker.ExploreOptions{Whole: true})
	if x == nil {
		return
	}
	want := found{int(x.States), int(x.Transitions), false}
	for _, v := range p.Invariants {
		want.Broken = want.Broken || broke(x, v.Name)
	}
	if spin {
		if diff := cmp.Diff(want, bySPIN(t, p, &free)); diff != "" {
			t.Errorf("SPIN (-want +got):\n%s", diff)
		}
	}
	if rumur {
		if diff := cmp.Diff(want, byRumur(t, p, &free)); diff != "" {
			t.Errorf("Rumur (-want +got):\n%s", diff)
		}
	}
}

func installed(t *testing.T, names ...string) bool {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CI") == "true" {
				t.Errorf("%s is not installed, and with CI=true it must be", name)
			}
			t.Logf("%s is not installed: that engine is left out", name)
			return false
		}
	}
	return true
}

// bySPIN asks whether an invariant breaks; if one does, it counts once more
// without them. SPIN counts the initial state among its steps.
func bySPIN(t *testing.T, p, free *program.Program) (f found) {
	t.Helper()
	explore := func(p *program.Program) []byte {
		dir := t.TempDir()
		exported(t, filepath.Join(dir, "p.pml"), program.WritePromela, p)
		run(t, dir, "spin", "-a", "p.pml")
		run(t, dir, "cc", "-O0", "-w", "-DSAFETY", "-DNOREDUCE", "-DVECTORSZ=4096", "-o", "pan", "pan.c")
		return run(t, dir, "./pan", "-E", "-m200000", "-w18")
	}
	out := explore(p)
	if f.Broken = figure(t, out, `errors: (\d+)`) > 0; f.Broken {
		out = explore(free)
	}
	f.States, f.Steps = figure(t, out, `(\d+) states, stored`), figure(t, out, `(\d+) transitions`)-1
	return f
}

func byRumur(t *testing.T, p, free *program.Program) (f found) {
	t.Helper()
	explore := func(p *program.Program) ([]byte, bool) {
		dir := t.TempDir()
		exported(t, filepath.Join(dir, "p.m"), program.WriteMurphi, p)
		run(t, dir, "rumur", "--value-type", "int32_t", "--threads", "1", "--deadlock-detection", "off", "--output", "p.c", "p.m")
		run(t, dir, "cc", "-O0", "-w", "-march=native", "-mcx16", "-o", "p", "p.c", "-lpthread")
		c := exec.Command("./p")
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil && !bytes.Contains(out, []byte("error(s) found")) {
			t.Fatalf("Rumur's verifier: %v\n%s", err, out)
		}
		return out, err == nil
	}
	out, holds := explore(p)
	if f.Broken = !holds; f.Broken {
		if out, holds = explore(free); !holds {
			t.Fatalf("Rumur finds an error without any invariant:\n%s", out)
		}
	}
	f.States, f.Steps = figure(t, out, `Explored:\s+(\d+) states`), figure(t, out, `(\d+) rules fired in \S+\n*$`)
	return f
}

func exported(t *testing.T, file string, writer func(io.Writer, *program.Program) error, p *program.Program) {
	t.Helper()
	var text bytes.Buffer
	if err := writer(&text, p); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return out
}

func figure(t *testing.T, out []byte, pattern string) int {
	t.Helper()
	m := regexp.MustCompile(pattern).FindSubmatch(out)
	if m == nil {
		t.Fatalf("no %q in\n%s", pattern, out)
	}
	x, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return x
}
