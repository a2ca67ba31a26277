package murphi_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec/murphi"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// counted is what a search of all states finds. States and rules are those of a search that finds nothing wrong.
type counted struct {
	States, Rules string
	Wrong         bool
}

// TestRumurAgrees: Rumur explores the same files, without symmetry reduction and without detection of deadlocks, and
// finds as many states, as many rules fired and the same verdict. Some are left out: Rumur 2022.08.20 refuses unions and multisets,
// and to it a loop from 3 to 2 is an error, where CMurphi, whose loops are those of C, makes no round.
func TestRumurAgrees(t *testing.T) {
	for _, program := range []string{"rumur", "cc"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is not installed, and with CI=true it must be", program)
			}
			t.Skipf("%s is not installed", program)
		}
	}
	models := meanings()
	delete(models, "unions")
	delete(models, "multisets")
	delete(models, "empty loop")
	for _, test := range wrongSteps {
		models["wrong: "+test.body] = wrongStep(test.body)
	}
	for name, file := range map[string]string{"german": german, "initial states": initialStates} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		models[name] = string(text)
	}
	text, err := os.ReadFile(flash)
	if err != nil {
		t.Fatal(err)
	}
	models["flash of one node"] = strings.Replace(string(text), "const n: 2;", "const n: 1;", 1)
	for i, name := range slices.Sorted(maps.Keys(models)) {
		if !seedtest.Sampled(i, len(models)) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(rumur(t, models[name]), ours(t, models[name])); diff != "" {
				t.Errorf("%s\n-Rumur +unknot:\n%s", models[name], diff)
			}
		})
	}
}

// TestFolder compares the files of a folder that UNKNOT_MURPHI names, such as those of the paraVerifier repositories, with
// Rumur, and logs a row for each. Both read a file, or neither does, but for unions and multisets, which Rumur lacks; what has
// few states has equal counts and verdicts.
func TestFolder(t *testing.T) {
	folder := os.Getenv("UNKNOT_MURPHI")
	if folder == "" {
		t.Skip("UNKNOT_MURPHI names no folder")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.m"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no .m files in %s: %v", folder, err)
	}
	const few = 20_000
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p, refused := murphi.Load(t.Context(), "a.m", text)
			command := exec.CommandContext(t.Context(), "rumur", "--output", filepath.Join(t.TempDir(), "a.c"), file)
			out, err := command.CombinedOutput()
			lacks := strings.Contains(string(out), "union types") || strings.Contains(string(out), "multiset")
			if (refused == nil) != (err == nil) && !lacks {
				t.Errorf("unknot: %v; Rumur: %v %s", refused, err, out)
			}
			if refused != nil {
				t.Logf("refused: %v", refused)
				return
			}
			states, steps, fault, broken := exploredUpTo(t, p, few)
			t.Logf("%d variables, %d rules; %d states, %d steps; fault %q, broken %q", len(p.Variables), len(p.Rules), states, steps,
				fault, broken)
			if err == nil && states < few {
				if diff := cmp.Diff(rumur(t, string(text)), ours(t, string(text))); diff != "" {
					t.Errorf("-Rumur +unknot:\n%s", diff)
				}
			}
		})
	}
}

func ours(t *testing.T, text string) counted {
	t.Helper()
	states, rules, fault, broken := explored(t, load(t, text))
	broken = slices.DeleteFunc(broken, func(name string) bool { return strings.HasSuffix(name, "never reached") }) // covers
	if fault != "" || len(broken) > 0 {
		return counted{Wrong: true}
	}
	return counted{States: strconv.Itoa(states), Rules: strconv.Itoa(rules)}
}

func rumur(t *testing.T, text string) counted {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.m"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) (string, error) {
		c := exec.CommandContext(t.Context(), name, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		return string(out), err
	}
	for _, line := range []string{
		"rumur --value-type int32_t --threads 1 --symmetry-reduction off --deadlock-detection off --output a.c a.m",
		"cc -O0 -w -march=native -mcx16 -o a a.c -lpthread",
	} {
		words := strings.Fields(line)
		if out, err := run(words[0], words[1:]...); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	out, err := run("./a")
	found := regexp.MustCompile(`(\d+) states?, (\d+) rules? fired in`).FindStringSubmatch(out)
	switch {
	case err != nil && strings.Contains(out, "error(s) found"):
		return counted{Wrong: true}
	case err != nil || found == nil:
		t.Fatalf("Rumur's verifier: %v\n%s", err, out)
	}
	return counted{States: found[1], Rules: found[2]}
}
