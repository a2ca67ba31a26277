// Package enginetest, internal to unknot, has other model checkers count what they find in a
// program: SPIN in its Promela, Rumur in its Murphi, and for its C our own host, as LTSmin is not
// packaged. Only tests import it.
//
// All explore all states, even beyond one that violates an invariant, so that their counts can
// be compared exactly with those of any other search. Each is independent of the others and of
// unknot's search.
package enginetest

import (
	"bytes"
	"embed"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/seed-105a2da2/unknot/checker/export"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// Counts is what a search of all states of a program finds.
type Counts struct {
	States, Transitions int
	Broken              int // pairs of a reachable state and an invariant that does not hold in it, or Some
}

// Some, as Counts.Broken, says that an invariant is broken somewhere, but not how
// often.
const Some = -1

// Compare reports to t where the installed engines find something other than what is
// wanted in p. Without any engine the test is skipped, unless CI=true: then it fails for
// each missing one.
func Compare(t *testing.T, p *program.Program, want Counts) {
	t.Helper()
	spin, rumur, cc := Installed(t, "spin", "cc"), Installed(t, "rumur", "cc"), Installed(t, "cc")
	if !cc {
		t.Skip("no C compiler, which all engines need")
	}
	if got := PINS(t, p); !got.agrees(want) {
		t.Errorf("%s: the host of LTSmin's models finds %+v, want %+v", p.Name, got, want)
	}
	if spin {
		if got := SPIN(t, p); !got.agrees(want) {
			t.Errorf("%s: SPIN finds %+v, want %+v", p.Name, got, want)
		}
	}
	if rumur {
		if got := Rumur(t, p); !got.agrees(want) {
			t.Errorf("%s: Rumur finds %+v, want %+v", p.Name, got, want)
		}
	}
}

// agrees reports whether two counts may be of the same program.
func (c Counts) agrees(d Counts) bool {
	if c.Broken == Some || d.Broken == Some {
		return c.States == d.States && c.Transitions == d.Transitions && (c.Broken != 0) == (d.Broken != 0)
	}
	return c == d
}

// chosen leaves out the step that chooses one of several initial states, and the state before it.
func (c Counts) chosen(p *program.Program) Counts {
	if n := len(p.Starts) + 1; n > 1 {
		c.States, c.Transitions = c.States-1, c.Transitions-n
	}
	return c
}

// Installed reports whether all of the named programs are installed. A missing one
// is logged, and with CI=true it is an error.
func Installed(t testing.TB, names ...string) bool {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CI") == "true" {
				t.Errorf("%s is not installed, and with CI=true it must be", name)
			} else {
				t.Logf("%s is not installed: that engine is left out", name)
			}
			return false
		}
	}
	return true
}

// SPIN has SPIN explore a program. Each broken invariant has an extra transition, to
// its assertion; and SPIN counts the initial state among its transitions.
func SPIN(t testing.TB, p *program.Program) Counts {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "p.pml"), export.Promela, p)
	run(t, dir, "spin", "-a", "p.pml")
	run(t, dir, "cc", "-O0", "-w", "-DSAFETY", "-DNOREDUCE", "-DVECTORSZ=4096", "-o", "pan", "pan.c")
	// -E: a state without successors is not an error; -c0: continue after errors.
	out := run(t, dir, "./pan", "-E", "-c0", "-m200000", "-w18")
	if bytes.Contains(out, []byte("search was not completed")) || bytes.Contains(out, []byte("max search depth too small")) {
		t.Fatalf("SPIN did not finish:\n%s", out)
	}
	c := Counts{States: figure(t, out, `(\d+) states, stored`), Broken: figure(t, out, `errors: (\d+)`)}
	c.Transitions = figure(t, out, `(\d+) transitions`) - 1 - c.Broken
	return c.chosen(p)
}

// Rumur has Rumur explore a program and, if that finds a broken invariant, once more
// without invariants, since Rumur does not continue beyond a state that breaks one. So
// it does not say how many do. A cover counts as its invariant, as with the others.
func Rumur(t testing.TB, p *program.Program) Counts {
	t.Helper()
	var c Counts
	plain := *p
	plain.Invariants = slices.Clone(p.Invariants)
	for i := range plain.Invariants {
		plain.Invariants[i].Cover = ""
	}
	out, holds := verifier(t, &plain)
	if !holds {
		c.Broken = Some
		free := *p
		free.Invariants, free.Formulas = nil, nil
		if out, holds = verifier(t, &free); !holds {
			t.Fatalf("Rumur finds an error without any invariant:\n%s", out)
		}
	}
	c.States = figure(t, out, `Explored:\s+(\d+) states`)
	c.Transitions = figure(t, out, `(\d+) rules fired in \S+\n*$`)
	return c
}

// RumurHolds reports whether Rumur finds no error in a program, whose covers are to be reached.
func RumurHolds(t testing.TB, p *program.Program) bool {
	t.Helper()
	_, holds := verifier(t, p)
	return holds
}

//go:embed testdata/pins
var pins embed.FS

// PINS has a host of LTSmin models explore a program. It also fails if the model
// violates its dependency matrices in the first few hundred states.
func PINS(t testing.TB, p *program.Program) Counts {
	t.Helper()
	var model bytes.Buffer
	if err := export.PINS(&model, p); err != nil {
		t.Fatal(err)
	}
	out, err := hosted(t, model.Bytes())
	if err != nil {
		t.Fatalf("%s: %v\n%s", p.Name, err, out)
	}
	return Counts{States: figure(t, out, `(\d+) states`), Transitions: figure(t, out, `(\d+) steps`), Broken: figure(t, out, `(\d+) broken`)}.chosen(p)
}

// hosted compiles a model with its host and runs it.
func hosted(t testing.TB, model []byte) ([]byte, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, pins); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "testdata", "pins")
	if err := os.WriteFile(filepath.Join(dir, "model.c"), model, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O0", "-I.", "-o", "host", "host.c", "model.c")
	return command(dir, "./host").CombinedOutput()
}

// verifier runs Rumur's verifier of a program; holds reports whether it found no error.
func verifier(t testing.TB, p *program.Program) (out []byte, holds bool) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "p.m"), export.Murphi, p)
	run(t, dir, "rumur", "--value-type", "int32_t", "--threads", "1", "--deadlock-detection", "off", "--output", "p.c", "p.m")
	run(t, dir, "cc", "-O0", "-w", "-march=native", "-mcx16", "-o", "p", "p.c", "-lpthread")
	out, err := command(dir, "./p").CombinedOutput()
	if err != nil && !bytes.Contains(out, []byte("error(s) found")) {
		t.Fatalf("Rumur's verifier: %v\n%s", err, out)
	}
	return out, err == nil
}

func write(t testing.TB, file string, writer func(io.Writer, *program.Program) error, p *program.Program) {
	t.Helper()
	var text bytes.Buffer
	if err := writer(&text, p); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func command(dir, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = dir
	return c
}

func run(t testing.TB, dir, name string, args ...string) []byte {
	t.Helper()
	out, err := command(dir, name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return out
}

// figure finds a number in an engine's report.
func figure(t testing.TB, out []byte, pattern string) int {
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
