package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// unknot runs a command line and returns its exit code and output.
func unknot(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(context.Background(), args, streams{in: strings.NewReader(""), out: &o, err: &e})
	return code, o.String(), e.String()
}

// file writes a network file into a folder of the test's own and returns its name.
func file(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// cores notes on how many cores a command runs that writes to it.
type cores int

func (c *cores) Write(b []byte) (int, error) {
	*c = cores(runtime.GOMAXPROCS(0))
	return len(b), nil
}

// TestWorkersBoundAll: --workers bounds the cores of all that a command does, of the static
// decision, too, and of nothing behind it. More than there are make none.
func TestWorkersBoundAll(t *testing.T) {
	before := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(before)
	for workers, want := range map[string]cores{"0": 3, "1": 1, "2": 2, "5": 3} {
		for _, command := range []string{"check", "sweep"} {
			var got cores
			if code := run(t.Context(), []string{command, "ring", "--set", "n=4", "--workers", workers},
				streams{in: strings.NewReader(""), out: &got, err: io.Discard}); code > 1 {
				t.Fatalf("exit code %d", code)
			}
			if got != want {
				t.Errorf("%s --workers %s: %d cores, want %d", command, workers, got, want)
			}
			if after := runtime.GOMAXPROCS(0); after != 3 {
				t.Errorf("%s --workers %s: %d cores behind it", command, workers, after)
			}
		}
	}
}

func TestExitCodes(t *testing.T) {
	loop := "def route(at, to):\n  for i in range(1000000000):\n    pass\n  return []\na = node()\nb = node()\nboth(a, b)\n"
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string // of standard output (codes 0 and 1) or standard error
	}{
		{"free", []string{"check", "star-channel", "--set", "k=4", "--set", "n=2"}, 0,
			"star-channel: deadlock freedom HOLDS, livelock freedom HOLDS, delivery HOLDS\n"},
		{"CH removed", []string{"check", "star-channel", "--set", "k=4", "--set", "n=2", "--set", "ch=never"}, 1, "star-channel: deadlock freedom VIOLATED"},
		{"too few VCs", []string{"check", "cccb", "--set", "vcs=2"}, 1, "CCCB: deadlock freedom VIOLATED"},
		{"livelock-freedom", []string{"check", "mesh", "--set", "routing=deflection"}, 1, "cycles through 2 channels forever under a selection"},
		{"one property", []string{"check", "mesh", "--set", "routing=deflection", "--property", "deadlock-freedom",
			"--switching", "saf"}, 0, "mesh deflection: deadlock freedom HOLDS\n"},
		{"switching", []string{"check", "gadget", "--switching", "saf"}, 0, "store-and-forward switching, 1 packet per channel"},
		{"unknown", []string{"check", "gadget", "--set", "name=swap", "--switching", "store-and-forward", "--property",
			"deadlock-freedom", "--explore=never"}, 3, "deadlock freedom UNKNOWN"},
		{"worms", []string{"check", "mesh", "--set", "routing=deflection", "--property", "deadlock-freedom"}, 1,
			"packets wait for each other and can never move (length 2)"},
		{"worms of a gadget", []string{"check", "gadget"}, 1, "packets wait for each other and can never move (length 2)"},
		{"explored", []string{"check", "ring", "--set", "variant=dateline", "--explore=always"}, 0, "closed set of 576 states, verified"},
		{"violation by exploring", []string{"check", "ring", "--explore=always"}, 1, "trace of 4 moves"},
		{"starvation-freedom", []string{"check", "ring", "--set", "variant=dateline", "--liveness"}, 1, "starvation freedom VIOLATED"},
		{"bound on states", []string{"check", "gadget", "--set", "name=swap", "--switching", "saf", "--property",
			"deadlock-freedom", "--max-states", "5"}, 3, "the limit of 5 states is reached"},
		{"bound on time", []string{"check", "ring", "--set", "n=9", "--set", "variant=dateline", "--liveness", "--timeout", "50ms"}, 3, "the time is up"},
		{"bound on memory", []string{"check", "torus", "--switching", "saf", "--memory", "4MiB"}, 3, "the memory budget"},
		{"by hash", []string{"check", "gadget", "--set", "name=swap", "--switching", "saf", "--property",
			"deadlock-freedom", "--compact"}, 3, "some may be missing, with probability at most"},
		{"single packets", []string{"check", "ring", "--once", "0->2", "--once", "1->3"}, 0, "2 packets, each injected once"},
		{"no such packet", []string{"check", "ring", "--once", "0-2"}, 2, `invalid --once "0-2": want the names of two nodes, as in A->B`},
		{"exported", []string{"export", "ring", "--to", "murphi"}, 0, "startstate"},
		{"exported where to", []string{"export", "ring"}, 2, "want --to promela, murphi, tla, "},
		{"flits not exported", []string{"export", "gadget", "--to", "tla", "--length", "2"}, 2, "not their flits"},
		{"machine", []string{"check", "peterson"}, 0, "mutual exclusion HOLDS"},
		{"machine modulo symmetry", []string{"check", "peterson", "--symmetry"}, 0, "172 states"},
		{"machine shown", []string{"show", "peterson"}, 0, "11 variables"},
		{"no network", []string{"graph", "peterson"}, 2, "is a protocol, not a network"},
		{"machine with switching", []string{"check", "peterson", "--switching", "saf"}, 2, "peterson is a protocol: it has no switching or flows to set"},
		{"machine with a destination", []string{"show", "peterson", "--dest", "x"}, 2, "no switching or flows"},
		{"machine with a source", []string{"check", "peterson", "--source", "x", "--expected"}, 2, ""},
		{"machine with a packet", []string{"check", "peterson", "--once", "A->B"}, 2, "it has no packets"},
		{"machine to export with a packet", []string{"export", "peterson", "--to", "tla", "--once", "A->B"}, 2, "it has no packets"},
		{"machine with a notion", []string{"check", "peterson", "--notion", "weak"}, 2, "--notion is for networks"},
		{"machine with no sites", []string{"check", "peterson", "--max-sites", "0"}, 2, `invalid --max-sites "0": want at least 1`},
		{"workers of a sweep", []string{"sweep", "ring", "--workers", "-1"}, 2, `invalid --workers "-1": want 0 to 1024`},
		{"workers without end", []string{"check", "peterson", "--workers", "100000000"}, 2, `invalid --workers "100000000": want 0 to 1024`},
		{"keep less than none", []string{"check", "peterson", "--keep", "-5"}, 2, `invalid --keep "-5": want a number of states, or -1 for none`},
		{"a property twice",
			[]string{"check", "ring", "--property", "deadlock-freedom", "--property", "deadlock-freedom"}, 1,
			"one-way ring: deadlock freedom VIOLATED\n"},
		{"flits need worms", []string{"check", "ring", "--length", "2"}, 2, "needs wormhole switching"},
		{"no notion", []string{"check", "ring", "--notion", "mine"}, 2, "want local, weak or global"},
		{"no size", []string{"check", "ring", "--memory", "much"}, 2, "want a size such as 512MiB"},
		{"bound", []string{"check", "mesh", "--set", "k=8", "--max-sites", "100"}, 3,
			"unknot: compiling mesh XY: more than 100 sites: beyond the bound: want a smaller network, or a higher --max-sites\n"},
		{"steps", []string{"show", "testdata/bombs/endless.star", "--max-steps", "1000"}, 3,
			"unknot: testdata/bombs/endless.star:3:7: more than 1000 steps: beyond the bound: is there a loop or a list that is far too long? If not, set a higher --max-steps\n"},
		{"steps without end",
			[]string{"show", "testdata/bombs/endless.star", "--max-steps", "100000000000000", "--timeout", "200ms"}, 3,
			"unknot: the time is up, 200ms\n"},
		{"no steps", []string{"show", "testdata/bombs/endless.star", "--max-steps", "0"}, 2, `invalid --max-steps "0": want 1 to 9223372036854775807`},
		{"a shared key", []string{"show", "testdata/bombs/hash.star"}, 3,
			"unknot: testdata/bombs/hash.star:4:10: more than 1048576 bytes of text in a key: beyond the bound: use smaller keys, and nest them less\n"},
		{"shared values to print", []string{"check", "testdata/bombs/print.star"}, 3,
			"unknot: testdata/bombs/print.star:4:16: more than 10000000 steps: beyond the bound: is there a loop or a list that is far too long? If not, set a higher --max-steps\n"},
		{"no such model", []string{"check", "nothing"}, 2,
			`invalid network "nothing": want a model (see "unknot models"), a file (see "unknot help topologies"), or a folder for check`},
		{"missing file", []string{"check", "nowhere.star"}, 2, "unknot: nowhere.star: no such file or directory\n"},
		{"unknown parameter", []string{"check", "mesh", "--set", "q=1"}, 2, `unknot: mesh: invalid parameter "q": want k, n, routing` + "\n"},
		{"absurd size", []string{"check", "mesh", "--set", "k=100000"}, 2, "unknot: mesh: invalid k \"100000\": want an integer from 2 to 1024\n"},
		{"absurd volume", []string{"check", "mesh", "--set", "k=1024", "--set", "n=10"}, 2, "make more than 1048576 nodes"},
		{"set twice", []string{"check", "mesh", "--set", "k=2", "--set", "k=3"}, 2, "k is set twice"},
		{"set nothing", []string{"check", "mesh", "--set", "k"}, 2, "want NAME=VALUE"},
		{"no such property", []string{"check", "mesh", "--property", "peace"}, 2, `want one of "deadlock-freedom", "livelock-freedom", "delivery"`},
		{"no such switching", []string{"check", "mesh", "--switching", "circuit"}, 2, "want store-and-forward"},
		{"no such flag", []string{"check", "mesh", "--fast"}, 2, "unknown flag"},
		{"no network", []string{"check"}, 2, "want unknot check NETWORK"},
		{"no such command", []string{"guess"}, 2, `invalid command "guess": want one that unknot help lists`},
		{"a mistyped command", []string{"hlep"}, 2, `invalid command "hlep": want one that unknot help lists; did you mean help?`},
		{"syntax error", []string{"check", file(t, "a.star", "node(\n")}, 2, "a.star:1:5: "},
		{"no such link",
			[]string{"check", file(t, "b.star", "a = node()\nb = node()\nboth(a, b)\ndef route(at, to):\n  return [hop(at.node.to(at.node))]\n")},
			2, "b.star:5:"},
		{"endless loop", []string{"check", file(t, "c.star", loop)}, 3, "c.star:2:"},
		{"not a closed network", []string{"check", file(t, "d.json", "{}")}, 2, `d.json:1:1: the key "buffer" is missing`},
		{"parameters of a closed network", []string{"check", file(t, "e.json", "{}"), "--set", "k=1"}, 2, "which has no parameters"},
		{"no cycle to draw", []string{"graph", "mesh", "--kind", "cycle"}, 2, "its channel dependency graph is acyclic"},
		{"no part on a cycle", []string{"graph", "mesh", "--part", "cycle"}, 2, "its channel dependency graph is acyclic"},
		{"no cyclic part", []string{"graph", "mesh", "--part", "cyclic"}, 2, "its channel dependency graph is acyclic"},
		{"no escape to draw", []string{"graph", "ring", "--kind", "escape"}, 2, "deadlock freedom is violated"},
		{"too large to read", []string{"graph", "mesh", "--set", "k=16"}, 2, "--part all draws them"},
		{"no such kind", []string{"graph", "ring", "--kind", "portrait"}, 2, `invalid --kind "portrait": want topology, cdg`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := unknot(t, tt.args...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, tt.code, out, errs)
			}
			text := out
			if tt.code >= 2 {
				text = errs
				if strings.Count(errs, "\n") > 1 || strings.Contains(errs, "goroutine") {
					t.Errorf("not one clear line:\n%s", errs)
				}
			}
			if tt.code == exitUnknown && out != "" {
				text = out // the report is there, with its reason
			}
			if !strings.Contains(text, tt.want) {
				t.Errorf("%q does not contain %q", text, tt.want)
			}
		})
	}
}

// TestExamples: every example file states what is expected of it, and is it.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../models/examples/*.star")
	for _, folder := range []string{"protocols", "coherence", "field"} {
		more, err2 := filepath.Glob("../../models/examples/" + folder + "/*.star")
		if err = errors.Join(err, err2); err != nil || len(more) == 0 {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	files = append(files, "../../models/examples/protocols/19_german.m")
	code, out, errs := unknot(t, "check", "../../models/examples")
	if code != exitExpected || strings.Count(out, "\nok  ")+1 != len(files) {
		t.Errorf("exit %d:\n%s%s", code, out, errs)
	}
}

// TestEvidenceFolder: what check writes, verify accepts, by model and by closed
// form, and a later run leaves nothing stale behind.
func TestEvidenceFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "evidence")
	if code, _, errs := unknot(t, "check", "torus", "--set", "routing=adaptive", "--out", dir); code != exitViolated {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	all := []string{filepath.Join(dir, "deadlock-freedom.unknot"), filepath.Join(dir, "livelock-freedom.unknot"), filepath.Join(dir, "delivery.unknot")}
	for _, network := range [][]string{{"torus", "--set", "routing=adaptive"}, {filepath.Join(dir, networkFile)}} {
		code, out, errs := unknot(t, append(append([]string{"verify"}, network...), all...)...)
		if code != 0 || strings.Count(out, "VERIFIED") != 3 {
			t.Errorf("verify %v: exit code %d\n%s%s", network, code, out, errs)
		}
	}
	if code, out, _ := unknot(t, append([]string{"verify", "mesh"}, all...)...); code != exitInternal || strings.Count(out, "REJECTED") != 3 {
		t.Errorf("evidence about a torus accepted for a mesh: exit code %d\n%s", code, out)
	}
	if code, _, _ := unknot(t, "check", "gadget", "--set", "name=swap", "--switching", "store-and-forward",
		"--property", "deadlock-freedom", "--explore=never", "--out", dir); code != exitUnknown {
		t.Fatalf("exit code %d", code)
	}
	if _, err := os.Stat(all[0]); !os.IsNotExist(err) {
		t.Errorf("the trace of an earlier run is still there: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files left: %v, %v", left, err)
	}
}

func TestJSON(t *testing.T) {
	code, out, _ := unknot(t, "check", "ring", "--set", "n=3", "--json")
	if code != exitViolated {
		t.Errorf("exit code %d", code)
	}
	var r struct {
		Census     map[string]int
		Properties []struct{ Stuck []int32 }
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	// each channel carries two destinations
	want := map[string]int{"nodes": 3, "links": 3, "channels": 3, "unused": 0, "flows": 6, "sites": 6, "dependencies": 3}
	if diff := cmp.Diff(want, r.Census); diff != "" {
		t.Errorf("census (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int32{0, 1, 2}, r.Properties[0].Stuck); diff != "" {
		t.Errorf("stuck channels (-want +got):\n%s", diff)
	}
}

// TestDeterministicOutput: the same bytes on every run.
func TestDeterministicOutput(t *testing.T) {
	for _, args := range [][]string{
		{"check", "torus", "--set", "routing=adaptive"},
		{"check", "star-channel", "--json"},
		{"graph", "star-channel", "--kind", "ecdg", "--set", "k=3"},
		{"graph", "torus", "--set", "routing=adaptive", "--kind", "cdg", "--format", "graphml"},
		{"show", "mesh", "--closed"},
		{"models"},
	} {
		_, first, _ := unknot(t, args...)
		for range 3 {
			if _, again, _ := unknot(t, args...); again != first {
				t.Errorf("%v: another text on another run", args)
			}
		}
		if first == "" {
			t.Errorf("%v: no text", args)
		}
	}
}

func TestGraphs(t *testing.T) {
	for _, args := range [][]string{
		{"mesh", "--kind", "topology"}, {"ring", "--kind", "cdg"}, {"ring", "--kind", "cycle"},
		{"star-channel", "--kind", "escape"}, {"star-channel", "--kind", "ecdg"}, {"torus", "--set", "k=5", "--set", "routing=dor", "--part", "cyclic"},
		{"torus", "--set", "k=12", "--set", "routing=adaptive"}, // large: only the shortest cycle
	} {
		for _, format := range []string{"dot", "graphml", "json"} {
			code, out, errs := unknot(t, append([]string{"graph", "--format", format}, args...)...)
			if code != 0 || len(out) == 0 || len(out) > 1<<20 {
				t.Errorf("%v, %s: exit code %d, %d bytes\n%s", args, format, code, len(out), errs)
			}
		}
	}
	needsDot(t)
	name := filepath.Join(t.TempDir(), "ring.svg")
	if code, _, errs := unknot(t, "graph", "ring", "--format", "svg", "--out", name); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	if text, err := os.ReadFile(name); err != nil || !bytes.Contains(text, []byte("<svg")) {
		t.Errorf("no picture: %v", err)
	}
}

func TestModelsAndShow(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"models"}, "star-channel"},
		{[]string{"models", "cccb"}, "vcs=3            1..16"},
		{[]string{"show", "ring", "--sites"}, "0->1 vc0 for 2\n    1->2 vc0, by the next node\n"},
		{[]string{"completion", "bash"}, "unknot"},
		{[]string{"check", "--help"}, "Examples:"},
	} {
		code, out, errs := unknot(t, tt.args...)
		if code != 0 || !strings.Contains(out, tt.want) {
			t.Errorf("%v: exit code %d, %q is not in\n%s%s", tt.args, code, tt.want, out, errs)
		}
	}
	if code, _, _ := unknot(t, "models", "nothing"); code != exitUsage {
		t.Errorf("models nothing: exit code %d", code)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{{"check", "mesh"}, {"run", "mesh"}, {"simulate", "mesh", "--load", "0.1"}, {"sweep", "mesh"}} {
		var o, e bytes.Buffer
		if code := run(ctx, args, streams{out: &o, err: &e}); code != exitInterrupted {
			t.Errorf("%v: exit code %d, want %d\n%s", args, code, exitInterrupted, e.String())
		}
		if want := "unknot: interrupted: unknot " + args[0] + " did not finish\n"; e.String() != want {
			t.Errorf("%v prints %q, want %q", args, e.String(), want)
		}
	}
}
