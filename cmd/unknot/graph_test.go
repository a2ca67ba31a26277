package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestGraphOfManyEdges: what Graphviz cannot lay out soon is refused with what to
// do instead, and the files for programs are complete at any size. A mesh of
// 16 x 16 has 4 · 16 · 15 = 960 channels, all of which XY routing uses.
func TestGraphOfManyEdges(t *testing.T) {
	seedtest.InFull(t)
	began := time.Now()
	code, _, errs := unknot(t, "graph", "star-channel", "--set", "k=8", "--set", "n=3", "--format", "svg", "--part", "all")
	if code != exitUsage || !strings.Contains(errs, "too many to lay out") || !strings.Contains(errs, "--part cycle") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s to refuse", took)
	}
	code, out, errs := unknot(t, "graph", "mesh", "--set", "k=16", "--format", "json")
	var graph struct{ Nodes, Links []json.RawMessage }
	if err := json.Unmarshal([]byte(out), &graph); code != exitExpected || err != nil {
		t.Fatalf("exit %d: %v %s", code, err, errs)
	}
	if len(graph.Nodes) != 960 || len(graph.Links) < len(graph.Nodes) {
		t.Errorf("%d nodes and %d links, want all 960 channels", len(graph.Nodes), len(graph.Links))
	}
}

func needsDot(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("dot"); err != nil {
		t.Skip("Graphviz is not installed (Debian package graphviz)")
	}
}

// TestGraphWithoutShape: nodes that Graphviz would take minutes to place stand in rows,
// and the picture says so: 75 nodes, each joined to those 1 to 30 further, no shape of its own.
func TestGraphWithoutShape(t *testing.T) {
	needsDot(t)
	var rows strings.Builder
	for v := range 75 {
		for apart := range 30 {
			fmt.Fprintf(&rows, "r%d,r%d\n", v, (v+apart+1)%75)
		}
	}
	file := filepath.Join(t.TempDir(), "graph.csv")
	if err := os.WriteFile(file, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := unknot(t, "graph", file, "--kind", "topology", "--format", "svg", "--timeout", "50s")
	if code != exitExpected || !strings.Contains(out, "</svg>") || !strings.Contains(errs, "2250 edges, too many for Graphviz to place: nodes stand in rows") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// TestGraphInOneLine: channels that lie in one line took Graphviz minutes, with
// 768 edges.
func TestGraphInOneLine(t *testing.T) {
	needsDot(t)
	code, out, errs := unknot(t, "graph", "torus", "--set", "k=8", "--set", "routing=adaptive", "--part", "all", "--format", "svg", "--timeout", "30s")
	if code != exitExpected || !strings.Contains(out, "</svg>") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// TestGraphByEnding: without --format the file's ending says what is written; --format has the last word.
func TestGraphByEnding(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, begins := range map[string]string{
		"ring.json": "{", "ring.graphml": "<?xml", "ring.dot": "digraph", "ring.txt": "digraph", "ring": "digraph", "other.json --format dot": "digraph",
	} {
		name, _, _ := strings.Cut(args, " ")
		if code, _, errs := unknot(t, append([]string{"graph", "ring", "--out"}, strings.Fields(args)...)...); code != exitExpected {
			t.Fatalf("%s: exit %d: %s", args, code, errs)
		}
		if text, err := os.ReadFile(name); err != nil || !strings.HasPrefix(string(text), begins) {
			t.Errorf("%s: %v, %.20q: want %s", args, err, text, begins)
		}
	}
}
