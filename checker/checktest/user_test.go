package checktest_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestUser does what a user does: a module of its own that imports this one, with a deadlock-free
// network and one that is not, run by the commands of its workflow file. The first passes, the other
// fails with the cycle, and the command that it names shows the deadlock
// again.
func TestUser(t *testing.T) {
	seedtest.InFull(t)
	if testing.Short() {
		t.Skip("-short: builds a module of its own")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	copyFile := func(from, to string) {
		t.Helper()
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	copyFile("testdata/user/network_test.go.txt", "network_test.go")
	copyFile(filepath.Join(root, "go.sum"), "go.sum")
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	const unknot = "github.com/seed-105a2da2/unknot"
	// What go mod tidy would write: the same versions, and this module with them.
	text := strings.Replace(string(mod), "module "+unknot, "module example.org/network", 1) +
		"\nrequire " + unknot + " v0.0.0\nreplace " + unknot + " => " + root + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	flags, err := exec.Command("go", "env", "GOFLAGS").Output()
	if err != nil {
		t.Fatal(err)
	}
	run := func(command ...string) (string, int) {
		t.Helper()
		c := exec.Command(command[0], command[1:]...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOFLAGS=-mod=mod "+strings.TrimSpace(string(flags))) // with other flags all would be built again
		out, err := c.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(out), c.ProcessState.ExitCode()
	}
	workflow, err := os.ReadFile("testdata/user/.github/workflows/network.yml")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^\s*- run: (.*)$`).FindAllStringSubmatch(string(workflow), -1)
	if len(commands) != 1 {
		t.Fatalf("the workflow runs %d commands, want 1", len(commands))
	}
	out, code := run(append(strings.Fields(commands[0][1]), "-v")...)
	for _, want := range []string{
		"--- PASS: TestTwoVCs", "--- FAIL: TestOneVC", "deadlock freedom is violated, want holds", "waits for",
		"in failed: deadlock-freedom.unknot, deadlock-freedom.dot, network.json, reasons.json, report.html", "reproduce: unknot check failed/network.json",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q", want)
		}
	}
	if code != 1 || t.Failed() {
		t.Fatalf("exit %d, want 1:\n%s", code, out)
	}
	if out, code := run("go", "run", unknot+"/cmd/unknot", "check", "failed/network.json"); code != 1 || !strings.Contains(out, "deadlock freedom VIOLATED") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	if out, code := run("go", "run", unknot+"/cmd/unknot", "replay", "failed/network.json",
		"failed/deadlock-freedom.unknot", "--format", "waits"); code != 0 || !strings.Contains(out, "waits") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}
