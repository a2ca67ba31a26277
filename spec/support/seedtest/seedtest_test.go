package seedtest

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { Main(m) }

// TestDraws is run by TestSeed.
func TestDraws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { t.Log("drew", rapid.Uint64().Draw(rt, "number")) })
}

// TestSeed: without a flag tests draw the same cases again; with one they draw by it.
func TestSeed(t *testing.T) {
	draws := func(args ...string) string {
		t.Helper()
		c := exec.Command(os.Args[0], append([]string{"-test.run=^TestDraws$", "-test.v"}, args...)...)
		c.Env = append(os.Environ(), "RAPID_SEED=0") // whatever this run was given
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		all := regexp.MustCompile(`drew \d+`).FindAllString(string(out), -1)
		if len(all) < 100 {
			t.Fatalf("%d draws, want 100:\n%s", len(all), out)
		}
		return strings.Join(all, "\n")
	}
	fixed := draws()
	if again := draws(); again != fixed {
		t.Error("the same command drew something else")
	}
	if explicit := draws("-rapid.seed=1"); explicit != fixed {
		t.Error("the fixed seed is not 1")
	}
	for _, arg := range []string{"-rapid.seed=2", "-rapid.seed=0"} {
		if draws(arg) == fixed {
			t.Errorf("%s drew what the fixed seed draws", arg)
		}
	}
}

// TestTellsUsual is run by TestUsual.
func TestTellsUsual(t *testing.T) { t.Log("usual:", Usual()) }

// TestUsual: the draws of the suite are usual, and so are more of them; fewer draws are not,
// nor are other seeds.
func TestUsual(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"", "true"}, {"-every", "true"}, {"-rapid.checks=1000", "true"}, {"-rapid.seed=1", "true"},
		{"-test.short", "false"}, {"-rapid.seed=2", "false"}, {"-rapid.seed=0", "false"},
	} {
		c := exec.Command(os.Args[0], append([]string{"-test.run=^TestTellsUsual$", "-test.v"}, strings.Fields(tt.args)...)...)
		c.Env = append(os.Environ(), "RAPID_SEED=0")
		out, err := c.Output()
		if err != nil || !strings.Contains(string(out), "usual: "+tt.want) {
			t.Errorf("%q: want %s (%v):\n%s", tt.args, tt.want, err, out)
		}
	}
}

// TestFewDraws is run by TestSample.
func TestFewDraws(t *testing.T) {
	Few(3, func() {
		rapid.Check(t, func(rt *rapid.T) { t.Log("drew", rapid.Uint64().Draw(rt, "number")) })
	})
	for i := range 100 {
		if Sampled(i, 8) {
			t.Log("took", i)
		}
	}
}

// TestSample: of a hundred cases every eighth, of a hundred draws three; with -every all
// cases, and four times the draws, of as many as -rapid.checks says.
func TestSample(t *testing.T) {
	for _, tt := range []struct {
		args        []string
		draws, took int
	}{{nil, 3, 13}, {[]string{"-every"}, 12, 100}, {[]string{"-every", "-rapid.checks=1000"}, 120, 100}} {
		out, err := exec.Command(os.Args[0], append([]string{"-test.run=^TestFewDraws$", "-test.v"}, tt.args...)...).Output()
		if draws, took := strings.Count(string(out), "drew "), strings.Count(string(out), "took "); err != nil || draws != tt.draws || took != tt.took {
			t.Errorf("%v: %d draws and %d cases, want %d and %d (%v)", tt.args, draws, took, tt.draws, tt.took, err)
		}
	}
}

// TestSampleDraws is run by TestInFull.
func TestSampleDraws(t *testing.T) {
	t.Run("sample", func(t *testing.T) {
		Sample(t, 30)
		t.Log("in the sample:", Usual())
		rapid.Check(t, func(rt *rapid.T) { t.Log("drew", rapid.Uint64().Draw(rt, "number")) })
	})
	t.Log("behind it:", Usual())
	rapid.Check(t, func(rt *rapid.T) { t.Log("drew", rapid.Uint64().Draw(rt, "number")) })
	InFull(t)
	t.Log("in full")
}

// TestInFull: a sample of 30 percent, in which no test may insist on what it meets, ends with its
// test: 30 draws, then a hundred; in full both are a hundred, and what runs only in full does.
func TestInFull(t *testing.T) {
	for _, tt := range []struct {
		args  string
		draws int
		want  []string
	}{
		{"", 130, []string{"in the sample: false", "behind it: true", "--- SKIP: TestSampleDraws"}},
		{"-every", 200, []string{"in the sample: true", "behind it: true", "in full", "--- PASS: TestSampleDraws"}},
		{"-rapid.checks=10", 13, []string{"in the sample: false", "--- SKIP: TestSampleDraws"}},
	} {
		c := exec.Command(os.Args[0], append([]string{"-test.run=^TestSampleDraws$", "-test.v"}, strings.Fields(tt.args)...)...)
		out, err := c.Output()
		if draws := strings.Count(string(out), "drew "); err != nil || draws != tt.draws {
			t.Errorf("%q: %d draws, want %d (%v)", tt.args, draws, tt.draws, err)
		}
		for _, want := range tt.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%q: want %s in\n%s", tt.args, want, out)
			}
		}
	}
}

// TestLeftOutRunsInFull: .ci/run looks for every function by which a test leaves something out, so
// that its step in full runs that test.
func TestLeftOutRunsInFull(t *testing.T) {
	source, err := os.ReadFile("seedtest.go")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`'seedtest\\\.\(([A-Za-z|]+)\)\\\('`).FindSubmatch(script)
	if m == nil {
		t.Fatal("no pattern of functions of seedtest in .ci/run")
	}
	looked, found := strings.Split(string(m[1]), "|"), 0
	for f := range strings.SplitSeq(string(source), "\nfunc ") {
		name, body, _ := strings.Cut(f, "(")
		if strings.Contains(body, "*every") {
			found++
			if !slices.Contains(looked, name) {
				t.Errorf(".ci/run does not look for seedtest.%s: what it leaves out runs nowhere", name)
			}
		}
	}
	if found != len(looked) {
		t.Errorf("%d functions leave something out, .ci/run looks for %v", found, looked)
	}
}

// TestEveryPackage: no package of this module draws without the fixed seed, and no test
// requires of all seeds that its draws met enough cases.
func TestEveryPackage(t *testing.T) {
	// A condition after the draws of a test, in which a count is none or small.
	asked := regexp.MustCompile(`(?m)^\tif (.*(?: == 0|< \d[\d_]*)\b.*) \{`)
	draws, fixed := map[string]string{}, map[string]bool{}
	err := filepath.WalkDir("../../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		dir := filepath.Dir(path)
		for f := range strings.SplitSeq(string(text), "\nfunc ") {
			_, behind, draws := strings.Cut(f, "rapid"+".Check(") // not this function
			for _, m := range asked.FindAllStringSubmatch(behind, -1) {
				if draws && !strings.Contains(m[1], "seedtest.Usual()") {
					t.Errorf("%s, after rapid.Check: if %s: want seedtest.Usual() && ..., as other draws than the suite's may meet less", path, m[1])
				}
			}
		}
		if regexp.MustCompile(`(?m)^\t"pgregory.net/rapid"$`).Match(text) {
			draws[dir] = path
		}
		if regexp.MustCompile(`(?ms)^func TestMain\(m \*testing\.M\) \{[^}]*(\}[^}]*)?\b(seedtest\.)?(Main|Lean)\(m\)[ \n]\}$`).Match(text) {
			fixed[dir] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, file := range draws {
		if !fixed[dir] {
			t.Errorf("%s draws; want in %s/main_test.go:\nfunc TestMain(m *testing.M) { seedtest.Main(m) }", file, dir)
		}
	}
	if len(draws) < 20 {
		t.Errorf("%d packages draw: the search has missed some", len(draws))
	}
}
