package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/spec"
)

// heavy are commands that without a budget take minutes, gigabytes or both, each
// in another part: compiling, a file's own relation, preparing moves, deep
// buffers, symmetries, a model's own work, settling, drawing.
func heavy(t *testing.T) map[string][]string {
	slow := file(t, "slow.star", `network(name = "slow", switching = "store-and-forward")
nodes = [node() for _ in range(120)]
[both(a, b) for a in nodes for b in nodes if a.name < b.name]
def route(at, to):
    for _ in range(20000):
        pass
    return [hop(at.node.to(to))]
`)
	deep := func(buffer int) string {
		return file(t, fmt.Sprintf("deep%d.json", buffer), fmt.Sprintf(`{"format": "unknot-network-1", "name": "deep", "switching": "store-and-forward", "buffer": %d, "tags": 1,
 "selection": "", "classes": [""], "vcs": [], "nodes": [{"name": "a", "at": []}, {"name": "b", "at": []}],
 "links": [{"from": 0, "to": 1, "vcs": 1, "out": "", "in": "", "dim": 0}], "rows": [[0, 0], [-1, 0]],
 "tables": [{"dest": 1, "class": 0, "sources": [0, 0], "sites": [0, 0, 1]}]}`, buffer))
	}
	_, out, _ := unknot(t, "check", "torus", "--switching", "saf")
	_, digest, _ := strings.Cut(out, "sha256: ")
	count := file(t, "count.unknot", fmt.Sprintf("unknot-count 1\nmachine \"%.64s under %s\"\nproperty \"deadlock\"\nstates 1000000000000\ntransitions 1\ndigest %064x\nend\n", digest, spec.Scenario{}, 0))
	return map[string][]string{
		"compile":      {"check", "turn-model", "--set", "k=48"},
		"star-channel": {"check", "star-channel", "--set", "k=64", "--set", "n=2"},
		"relation":     {"check", slow},
		"moves":        {"check", "mesh", "--set", "k=48", "--explore"},
		"too deep":     {"check", deep(1 << 30), "--explore"},
		"very deep":    {"check", deep(1_000_000), "--explore"},
		"deep buffers": {"check", "ring", "--set", "variant=dateline", "--set", "buffer=1000", "--explore"},
		"symmetry":     {"check", "hypercube", "--set", "n=10", "--symmetry"},
		"plane":        {"check", "p3", "--set", "columns=32", "--set", "rows=32", "--set", "moves=10000"},
		"states":       {"check", "torus", "--switching", "saf", "--explore"},
		"flits":        {"check", "mesh", "--set", "k=4", "--length", "4"},
		"graph":        {"graph", "star-channel", "--set", "k=32", "--set", "n=2", "--format", "json", "--out", filepath.Join(t.TempDir(), "graph.json")},
		"show":         {"show", slow},
		"sweep":        {"sweep", "mesh", "--set", "k=8", "--links", "2", "--out", filepath.Join(t.TempDir(), "results")},
		"export":       {"export", slow, "--to", "promela"},
		"ask":          {"ask", "p3", "distance-grows", "--set", "columns=32", "--set", "rows=32", "--set", "moves=10000"},
		"verify":       {"verify", slow, "evidence"},
		"static":       {"check", "mesh", "--set", "k=64"},
		"evidence":     {"verify", "torus", "--switching", "saf", "--recount", count},
	}
}

// ended reports whether a budget ended the work: the answer is unknown, or the
// static decision stands and says that exploring did not end.
func ended(code int, out string) bool {
	return code == exitUnknown || code == exitExpected && strings.Contains(out, "exploring did not end")
}

// heldBy returns the most memory that a process has held, or 0 if it is gone. What
// is reported of one that has ended counts the test's own memory, from before it
// became another program.
func heldBy(pid int) (bytes int64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, text, _ := strings.Cut(string(status), "VmHWM:")
	_, _ = fmt.Sscan(text, &bytes)
	return bytes << 10
}

// TestBudgetsHold runs what is heavy as a process of its own. The time ends it
// within a few seconds: two for what does not heed its context, and some for a
// busy machine. Memory ends it within a tenth of the budget, by the system's own
// account of the process.
func TestBudgetsHold(t *testing.T) {
	unknot := filepath.Join(t.TempDir(), "unknot")
	if out, err := exec.Command("go", "build", "-o", unknot, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(t *testing.T, args ...string) (code int, text string, took time.Duration, peak int64) {
		began := time.Now()
		c := exec.Command(unknot, args...)
		c.Env = append(os.Environ(), "GOTRACEBACK=single")
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() { ended <- c.Wait() }()
		for {
			select {
			case err := <-ended:
				var exit *exec.ExitError
				if err != nil && !errors.As(err, &exit) {
					t.Fatal(err)
				}
				return c.ProcessState.ExitCode(), out.String(), time.Since(began), peak
			case <-time.After(5 * time.Millisecond):
				peak = max(peak, heldBy(c.Process.Pid))
			}
		}
	}
	for name, args := range heavy(t) {
		t.Run(name+"/time", func(t *testing.T) {
			code, out, took, _ := run(t, append(args, "--timeout", "500ms")...)
			if !ended(code, out) || took > 8*time.Second {
				t.Errorf("exit %d after %s:\n%.500s", code, took, out)
			}
		})
		t.Run(name+"/memory", func(t *testing.T) {
			const budget = 64 << 20
			code, out, _, peak := run(t, append(args, "--memory", "64MiB", "--timeout", "4s")...)
			if !ended(code, out) || !strings.Contains(out, "budget") && !strings.Contains(out, "the time is up") && !strings.Contains(out, "beyond the bound") {
				t.Errorf("exit %d:\n%.500s", code, out)
			}
			if peak > budget+budget/10 {
				t.Errorf("it took %d MiB", peak>>20)
			}
		})
	}
}
