package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ringFile is a one-way ring of three with one VC: three packets with two hops
// each block each other.
const ringFile = `network(name = "ring")
%
nodes = [node(at = (i,)) for i in range(3)]
for i in range(3):
    link(nodes[i], nodes[(i + 1) % 3])
def route(at, to):
    return [hop(at.node.out[0])]
`

func TestSuite(t *testing.T) {
	for _, tt := range []struct {
		name   string
		expect string // of the file
		args   []string
		code   int
		want   string // in the output
	}{
		{"as expected", `expect(deadlock_freedom = "violated")`, nil, 0,
			"ok   ring.star (store-and-forward): deadlock freedom violated, livelock freedom holds, delivery holds\n1 of 1 as expected\n"},
		{"nothing is stated", ``, nil, 1,
			"FAIL ring.star (store-and-forward): deadlock freedom violated, livelock freedom holds, delivery holds\n     deadlock freedom is violated, not holds as expected: "},
		{"another verdict", `expect(deadlock_freedom = "unknown", delivery = "violated")`, nil, 1, "     delivery is holds, not violated as expected: "},
		{"under two switchings", `expect(switching = "wormhole", deadlock_freedom = "violated")` + "\n" +
			`expect(deadlock_freedom = "violated")`, nil, 0, "ok   ring.star (wormhole): deadlock freedom violated"},
		{"one is wrong", `expect(switching = "wormhole", deadlock_freedom = "violated")` + "\n" +
			`expect(deadlock_freedom = "holds")`, nil, 1, "1 of 2 as expected\n"},
		{"the command line's switching", `expect(switching = "wormhole", deadlock_freedom = "violated")`,
			[]string{"--switching", "wh"}, 0, "1 of 1 as expected\n"},
		{"one property", `expect(deadlock_freedom = "violated")`, []string{"--property", "livelock-freedom"}, 0,
			"ok   ring.star (store-and-forward): livelock freedom holds\n"},
		{"a wrong file", `expect(deadlock_freedom = "maybe")`, nil, 2,
			"FAIL ring.star:2:1: invalid deadlock-freedom \"maybe\": want holds, violated or unknown\n"},
		{"saving", ``, []string{"--checkpoint", "c"}, 2, "a checkpoint saves one network"},
		{"states on disk", ``, []string{"--disk", "d"}, 2, "--disk holds the states of one network"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("ring.star", []byte(strings.Replace(ringFile, "%", tt.expect, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile("other.json", []byte(`{"no": "network"}`), 0o600); err != nil {
				t.Fatal(err)
			}
			code, out, errs := unknot(t, append([]string{"check", "."}, tt.args...)...)
			if code != tt.code || !strings.Contains(out+errs, tt.want) {
				t.Errorf("exit %d, want %d with %q:\n%s%s", code, tt.code, tt.want, out, errs)
			}
			if _, err := os.Stat("x"); err == nil {
				t.Error("evidence was written")
			}
		})
	}
}

// TestSuiteWithLibrary: a file that another loads is no network to check, unless it describes one itself; a
// file that nothing loads is checked, as its author may have forgotten route.
func TestSuiteWithLibrary(t *testing.T) {
	t.Chdir(t.TempDir())
	ring := strings.Replace(strings.Replace(ringFile, "%",
		"load(\"lib.star\", \"next\")\nexpect(deadlock_freedom = \"violated\")",
		1), "nodes[(i + 1) % 3]", "nodes[next(i)]", 1)
	for name, text := range map[string]string{"ring.star": ring, "lib.star": "def next(i):\n    return (i + 1) % 3\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, errs := unknot(t, "check", "."); code != 0 || !strings.HasSuffix(out, "\n1 of 1 as expected\n") || errs != "" {
		t.Errorf("a library that is loaded: exit %d\n%s%s", code, out, errs)
	}
	if err := os.WriteFile("route.star", []byte("def next(at, to):\n    return []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := unknot(t, "check", "."); code != 2 || !strings.Contains(out, "FAIL route.star:1:1: no node") {
		t.Errorf("a file that nothing loads: exit %d\n%s", code, out)
	}
}

// TestSuiteOfPaths: lists of paths in a folder are networks, unless it has network files, which may read them. Four flows
// that turn around a square deadlock, as each waits for the next, and two that part and meet do not; the latter's packets
// are committed where they begin.
func TestSuiteOfPaths(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"turns.csv": "hops\na b c\nb c d\nc d a\nd a b\n", "parts.csv": "hops\na b d\na c d\n", "rest.csv": "from,to\na,b\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out, _ := unknot(t, "check", ".", "--switching", "vct")
	const parts = "ok   parts.csv (virtual-cut-through): deadlock freedom holds, livelock freedom holds, delivery holds\n"
	const turns = "FAIL turns.csv (virtual-cut-through): deadlock freedom violated, livelock freedom holds, delivery holds\n"
	if code != 1 || !strings.HasPrefix(out, parts+turns) || !strings.Contains(out, "\n1 of 2 as expected\n") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if _, out, _ = unknot(t, "show", "parts.csv"); !strings.Contains(out, "\nalternatives: at sources alone") {
		t.Error(out)
	}
	if err := os.WriteFile("net.star", []byte("network(name = 'n')\npaths('parts.csv')\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ = unknot(t, "check", "."); code != 0 || !strings.HasPrefix(out, "ok   net.star") ||
		!strings.HasSuffix(out, "\n1 of 1 as expected\n") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// TestSuiteEvidence: a folder is checked with a folder of evidence for each network and
// switching, which the second program checks in one go; checking it again skips them.
func TestSuiteEvidence(t *testing.T) {
	t.Chdir(t.TempDir())
	expect := `expect(switching = "wormhole", deadlock_freedom = "violated")` + "\n" + `expect(deadlock_freedom = "violated")`
	for name, text := range map[string]string{"net/ring.star": strings.Replace(ringFile, "%", expect, 1),
		"net/b/ring.star": strings.Replace(ringFile, "%", expect, 1)} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		code, out, errs := unknot(t, "check", "net", "--out", "net/proof")
		if code != exitExpected || !strings.HasSuffix(out,
			"written to net/proof, a folder each; check them with: unknot verify net/proof\n4 of 4 as expected\n") {
			t.Fatalf("exit %d:\n%s%s", code, out, errs)
		}
	}
	folders, err := filepath.Glob("net/proof/*")
	if diff := cmp.Diff([]string{"net/proof/ring", "net/proof/ring-2", "net/proof/ring-3", "net/proof/ring-4"}, folders); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	code, out, errs := unknot(t, "verify", "net/proof")
	if code != exitExpected || strings.Count(out, "VERIFIED ") != 4*3 ||
		!strings.Contains(out, "VERIFIED net/proof/ring-4/deadlock-freedom.unknot: deadlock freedom violated") {
		t.Errorf("exit %d:\n%s%s", code, out, errs)
	}
	// What is wrong in one of them is seen from above.
	if err := os.Rename("net/proof/ring-2/livelock-freedom.unknot", "net/proof/ring-2/network.json"); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := unknot(t, "verify", "net/proof"); code != exitUsage || !strings.Contains(errs, "ring-2") {
		t.Errorf("without a network: exit %d:\n%s%s", code, out, errs)
	}
	if code, _, errs := unknot(t, "verify", "net/b"); code != exitUsage || !strings.Contains(errs, "net/b: want a folder that unknot check --out") {
		t.Errorf("nothing to verify: exit %d: %s", code, errs)
	}
}

// TestSuiteOfModels: a model's expected verdicts are those of the catalogue.
func TestSuiteOfModels(t *testing.T) {
	code, out, errs := unknot(t, "check", "ring", "star-channel", "mesh")
	if code != exitExpected || !strings.HasSuffix(out, "3 of 3 as expected\n") {
		t.Errorf("exit %d:\n%s%s", code, out, errs)
	}
	if code, out, _ := unknot(t, "check", "ring", "nowhere.star"); code != exitUsage || !strings.Contains(out, "1 of 2 as expected") {
		t.Errorf("with a file that is not there: exit %d:\n%s", code, out)
	}
}

// TestSuiteJSON: the closed form keeps what is expected, and so does the result.
func TestSuiteJSON(t *testing.T) {
	star := file(t, "ring.star", strings.Replace(ringFile, "%", `expect(deadlock_freedom = "violated")`, 1))
	code, closed, errs := unknot(t, "show", star, "--closed")
	if code != exitExpected {
		t.Fatal(errs)
	}
	folder := filepath.Dir(file(t, "ring.json", closed))
	code, out, errs := unknot(t, "check", folder, "--json")
	if code != exitExpected {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	var got suiteResult
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Trials) != 1 || got.Trials[0].Result == nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := map[string]string{"deadlock-freedom": "violated", "livelock-freedom": "holds", "delivery": "holds"}
	if diff := cmp.Diff(want, got.Trials[0].Expected); diff != "" || !got.Trials[0].AsExpected {
		t.Errorf("as expected: %v (-want +got):\n%s", got.Trials[0].AsExpected, diff)
	}
}

// TestSuiteOfMachines: machines of the catalogue are explored, and compared with
// what it states of them: p3-rebalance breaks a property, as expected.
func TestSuiteOfMachines(t *testing.T) {
	junit := filepath.Join(t.TempDir(), "results.xml")
	code, out, errs := unknot(t, "check", "peterson", "p3-rebalance", "ring", "--junit", junit)
	if code != exitExpected || !strings.Contains(out, "ok   p3-rebalance (machine): deadlock freedom holds, ") ||
		!strings.Contains(out, "none is delivered late violated") || !strings.HasSuffix(out, "3 of 3 as expected\n") {
		t.Errorf("exit %d:\n%s%s", code, out, errs)
	}
	if text, err := os.ReadFile(junit); err != nil || !strings.Contains(string(text), "mutual exclusion") {
		t.Errorf("the results lack a machine's property: %v", err)
	}
	// Of these parameters the catalogue states nothing, so everything should hold.
	code, out, _ = unknot(t, "check", "p3-rebalance", "--expected", "--set", "discipline=any", "--set", "packets=1")
	if code != exitViolated || !strings.Contains(out, "none is delivered late is violated, not holds as expected") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	code, out, _ = unknot(t, "check", "peterson", "ring", "--property", "deadlock-freedom")
	if code != exitUsage || !strings.Contains(out, "peterson is a protocol: all its properties are decided") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	code, out, _ = unknot(t, "check", "peterson", "--expected", "--json")
	var got suiteResult
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != exitExpected || got.Trials[0].Expected["mutual exclusion"] != "holds" {
		t.Errorf("exit %d, %v:\n%s", code, err, out)
	}
}
