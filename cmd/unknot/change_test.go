package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestChange: from XY to YX no order is safe; what is written is accepted by the folder's check; other networks are refused.
func TestChange(t *testing.T) {
	mesh, dir := filepath.Join("..", "..", "models", "examples", "mesh.star"), filepath.Join(t.TempDir(), "out")
	change := func(args ...string) (int, string) {
		code, out, errs := unknot(t, append([]string{"change", mesh, mesh}, args...)...)
		return code, out + errs
	}
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"--set w=3 --set h=2 --set order=xy --to order=yx --out " + dir, exitViolated, "without waiting no order is safe"},
		// Routers that are rewritten one after the other share a line, where that happens in the trace.
		{"--set w=3 --set h=2 --set order=xy --to order=yx", exitViolated,
			"vc0\n  rewritten: (0,0) (0,1) (1,0) (1,1) (2,0) (2,1)\n  packet for (0,1), new table: "},
		{"--set w=3 --set h=2 --to order=yx --json", exitViolated, `"every_order_fails": true`},
		{"--set w=3 --set h=2", 0, "deadlock-freedom HOLDS"},
		{"--set w=3 --set h=2 --json", 0, `"fact": "acyclic-in-force"`},
		{"--set w=3 --set h=2 --to h=3", exitUsage, "a change rewrites routing tables"},
		{"--max-states -1", exitUsage, "max-states"},
		{"--settle 1", exitUsage, "it is now called --max-states"},
	} {
		if code, out := change(strings.Fields(tt.args)...); code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s", tt.args, code, tt.code, tt.want, out)
		}
	}
	if code, out, errs := unknot(t, "verify", dir); code != 0 || strings.Contains(out, "REJECTED") {
		t.Errorf("exit %d:\n%s%s", code, out, errs)
	}
}

// TestChangeCommits: where tables commit packets, each waiting packet is shown with its alternative, as it may have been
// looked up again since its last step; a discard on the way is no fault; the evidence is accepted.
func TestChangeCommits(t *testing.T) {
	t.Chdir(t.TempDir())
	ring := `network(name = "n", switching = "virtual-cut-through")
n = [node() for _ in range(4)]
l = [link(n[i], n[(i + 1) % 4], vcs = 2) for i in range(4)]
def route(at, to):
    a, b = hop(l[at.node.id], 0), hop(l[at.node.id], 1)
    return `
	for name, row := range map[string]string{"plain": "[a]", "hashed": "oblivious([a, b])", "lossy": "[a, discard()]"} {
		if err := os.WriteFile(name+".star", []byte(ring+row+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"plain.star hashed.star", exitViolated, "  waits for 1, new table (alternative 1 of 2): in 3->0 vc0\n"},
		{"hashed.star lossy.star", 0, "delivery HOLDS"},
		{"lossy.star lossy.star --committed", 0, "deadlock-freedom HOLDS"},
	} {
		code, out, errs := unknot(t, append(strings.Fields("change "+tt.args), "--out", "out")...)
		if code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s%s", tt.args, code, tt.code, tt.want, out, errs)
		}
		if code, out, errs := unknot(t, "verify", "out"); code != 0 || strings.Contains(out, "REJECTED") {
			t.Errorf("%s: verify: exit %d:\n%s%s", tt.args, code, out, errs)
		}
	}
}
