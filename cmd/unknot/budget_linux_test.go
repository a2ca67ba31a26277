package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// unsettled writes the closed form of a network whose deadlock no static argument
// decides, and which has endlessly many states: a gadget, and links next to it that are
// sent over.
func unsettled(t *testing.T) string {
	t.Helper()
	e, _ := models.Find("gadget")
	def, err := e.Define(map[string]string{"name": "swap"})
	if err != nil {
		t.Fatal(err)
	}
	def.Switching = spec.StoreAndForward
	topo, flows, route := def.Topology, def.Flows, def.Routing
	first := spec.NodeID(topo.Nodes())
	for range 12 {
		topo.AddPair(topo.AddNode(""), topo.AddNode(""), 1)
	}
	def.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
		if src < first && dst < first {
			return flows(src, dst, c)
		}
		return src >= first && dst == first+((src-first)^1)
	}
	def.Routing = routing.Func(func(dst []spec.Hop, at spec.ChannelID, h spec.Header) []spec.Hop {
		switch v := topo.Head(at); {
		case v < first:
			dst, err := route.AppendHops(dst, at, h)
			if err != nil {
				t.Error(err)
			}
			return dst
		case v == h.Dest:
			return append(dst, spec.Hop{Channel: spec.Eject})
		default:
			return append(dst, spec.Hop{Channel: topo.Channel(topo.OutLinks(v)[0], 0)})
		}
	})
	n, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := spec.WriteClosed(&text, n); err != nil {
		t.Fatal(err)
	}
	return file(t, "unsettled.json", text.String())
}

// heavy are commands that without a budget take minutes, gigabytes or both, each
// in another part: compiling, a file's own relation, preparing moves, deep
// buffers, symmetries, a model's own work, settling, drawing.
func heavy(t *testing.T) map[string][]string {
	slow := file(t, "slow.star", `network(name = "slow", switching = "store-and-forward")
nodes = [node() for _ in range(120)]
[both(a, b) for a in nodes for b in nodes if a.name < b.name]
def route(at, to):
    str(at.node.id + 1000 * to.id) # no two questions are alike
    for _ in range(20000):
        pass
    return [hop(at.node.to(to))]
`)
	deep := func(buffer int) string {
		return file(t, fmt.Sprintf("deep%d.json", buffer),
			fmt.Sprintf(`{"format": "unknot-network-1", "name": "deep", "switching": "store-and-forward", "buffer": %d, "tags": 1,
 "selection": "", "classes": [""], "vcs": [], "nodes": [{"name": "a", "at": []}, {"name": "b", "at": []}],
 "links": [{"from": 0, "to": 1, "vcs": 1, "out": "", "in": "", "dim": 0}], "rows": [[0, 0], [-1, 0]],
 "tables": [{"dest": 1, "class": 0, "sources": [0, 0], "sites": [0, 0, 1]}]}`, buffer))
	}
	_, out, _ := unknot(t, "check", "torus", "--switching", "saf")
	_, digest, _ := strings.Cut(out, "sha256: ")
	count := file(t, "count.unknot",
		fmt.Sprintf("unknot-count 3\nmachine \"%.64s under %s\"\nproperty \"deadlock-freedom\"\nstates 1000000000000\ntransitions 1\ndigest %064x\nend\n",
			digest, spec.Scenario{}, 0))
	return map[string][]string{
		"compile":      {"check", "turn-model", "--set", "k=48"},
		"star-channel": {"check", "star-channel", "--set", "k=64", "--set", "n=2"},
		"relation":     {"check", slow},
		"moves":        {"check", "mesh", "--set", "k=48", "--explore=always"},
		"too deep":     {"check", deep(1 << 30), "--explore=always"},
		"very deep":    {"check", deep(1_000_000), "--explore=always"},
		"deep buffers": {"check", "ring", "--set", "variant=dateline", "--set", "buffer=1000", "--explore=always"},
		"symmetry":     {"check", "hypercube", "--set", "n=10", "--symmetry"},
		"plane":        {"check", "p3", "--set", "columns=32", "--set", "rows=32", "--set", "moves=10000"},
		"states":       {"check", "torus", "--switching", "saf", "--explore=always"},
		"flits":        {"check", "mesh", "--set", "k=4", "--length", "4"},
		"graph":        {"graph", "star-channel", "--set", "k=32", "--set", "n=2", "--format", "json", "--out", filepath.Join(t.TempDir(), "graph.json")},
		"show":         {"show", slow},
		"sweep":        {"sweep", "mesh", "--set", "k=8", "--links", "2", "--out", filepath.Join(t.TempDir(), "results")},
		"settle":       {"check", unsettled(t), "--property", "deadlock-freedom", "--max-states", "100000000"},
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

// process runs a command until it ends, and sends it a signal, if there is one, when it
// is time to. It returns how long it ran, or how long after the signal, and the most
// memory that it had.
func process(t *testing.T, unknot string, signal os.Signal, when func(pid int) bool, args ...string) (code int, text string, took time.Duration, peak int64) {
	t.Helper()
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
			if signal != nil && when(c.Process.Pid) {
				began = time.Now()
				_ = c.Process.Signal(signal)
				signal = nil
			}
		}
	}
}

// ticks returns the time of processors that a process has taken, in hundredths of a
// second.
func ticks(pid int) (sum int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, behind, _ := strings.Cut(string(text), ") ")
	if fields := strings.Fields(behind); len(fields) > 12 {
		for _, field := range fields[11:13] { // in the program, and in the system for it
			n, _ := strconv.Atoi(field)
			sum += n
		}
	}
	return sum
}

// yardstick returns how much a busy machine adds to the time of a process: many
// times the time of a process that does nothing, measured for as long as f runs or longer.
func yardstick(t *testing.T, unknot string, f func()) time.Duration {
	t.Helper()
	const times = 20
	longest := time.Duration(0)
	idle := func() {
		_, _, took, _ := process(t, unknot, nil, nil, "--version")
		longest = max(longest, took)
	}
	idle()
	f()
	idle()
	return times * longest
}

// TestBudgetsHold runs heavy commands as processes of their own. The time limit ends one within
// two seconds, for code that ignores its context, plus what a busy machine adds. The memory limit
// ends one within a tenth of the budget, as the system measures the process, in one of three tries.
func TestBudgetsHold(t *testing.T) {
	unknot := built(t)
	all := heavy(t)
	for i, name := range slices.Sorted(maps.Keys(all)) {
		args := all[name]
		t.Run(name+"/time", func(t *testing.T) {
			if !seedtest.Sampled(i, 20) {
				t.Skip("not in the sample of this run")
			}
			const budget, heedless = 500 * time.Millisecond, 2 * time.Second
			var code int
			var out string
			var took time.Duration
			busy := yardstick(t, unknot, func() {
				code, out, took, _ = process(t, unknot, nil, nil, append(args, "--timeout", budget.String())...)
			})
			within := code == exitExpected // a quiet machine decides some of them in time
			if !within && !ended(code, out) || took > budget+heedless+busy {
				t.Errorf("exit %d after %s, want at most %s and %s:\n%.500s", code, took, budget+heedless, busy, out)
			}
		})
		t.Run(name+"/memory", func(t *testing.T) {
			if !seedtest.Sampled(i+10, 20) {
				t.Skip("not in the sample of this run")
			}
			const budget = 64 << 20
			var code int
			var out string
			peak := int64(math.MaxInt64)
			for try := 0; try < 3 && peak > budget+budget/10; try++ { // on a busy machine the watch may be kept from running
				var held int64
				code, out, _, held = process(t, unknot, nil, nil, append(args, "--memory", "64MiB", "--timeout", "2s")...)
				peak = min(peak, held)
			}
			within := code == exitExpected
			if !within && (!ended(code, out) || !strings.Contains(out, "budget") &&
				!strings.Contains(out, "the time is up") && !strings.Contains(out, "beyond the bound")) {
				t.Errorf("exit %d:\n%.500s", code, out)
			}
			if peak > budget+budget/10 {
				t.Errorf("it took %d MiB", peak>>20)
			}
		})
	}
}

// TestInterruptsEnd: whatever a command is doing, an interrupt ends it within a second,
// plus what a busy machine adds; no part of evidence that was being written is left.
func TestInterruptsEnd(t *testing.T) {
	unknot, evidence, written := built(t), t.TempDir(), t.TempDir()
	if code, out, _, _ := process(t, unknot, nil, nil, "check", "ring", "--set", "buffer=500", "--out", evidence); code != exitViolated {
		t.Fatalf("exit %d\n%s", code, out)
	}
	all := map[string][]string{
		"settle":   {"check", unsettled(t), "--property", "deadlock-freedom", "--max-states", "100000000"},
		"explore":  {"check", "torus", "--switching", "saf", "--explore=always"},
		"liveness": {"check", "ring", "--set", "n=7", "--set", "variant=dateline", "--liveness"},
		"shrink":   {"shrink", filepath.Join(evidence, networkFile), filepath.Join(evidence, "deadlock-freedom.unknot")},
		"write":    {"check", "mesh", "--set", "k=32", "--out", written},
		"compile":  {"check", "turn-model", "--set", "k=48"},
		"untie":    {"untie", "torus", "--set", "k=24", "--set", "routing=adaptive"},
		"simulate": {"simulate", "torus", "--set", "k=24", "--load", "1", "--clocks", "100000000"},
	}
	for i, name := range slices.Sorted(maps.Keys(all)) {
		args := all[name]
		enough := 20 // hundredths of a second
		if seedtest.Whole() {
			enough = 50
		}
		working := func(pid int) bool { return ticks(pid) >= enough }
		if name == "write" {
			working = func(int) bool {
				begun, _ := filepath.Glob(filepath.Join(written, ".*"))
				return len(begun) > 0
			}
		}
		for k, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			if !seedtest.Sampled(i+k, 5) {
				continue
			}
			var code int
			var out string
			var took time.Duration
			busy := yardstick(t, unknot, func() { code, out, took, _ = process(t, unknot, signal, working, args...) })
			if code != exitInterrupted || took > time.Second+busy {
				t.Errorf("%s: exit %d %s after a signal, want at most 1 s and %s:\n%.500s", name, code, took, busy, out)
			}
		}
	}
	left, _ := os.ReadDir(written)
	for _, file := range left {
		if file.Name() != networkFile && file.Name() != write.ReasonsFile { // the closed form is not evidence
			t.Errorf("left %s", file.Name())
		}
	}
}
