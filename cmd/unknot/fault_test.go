package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/contexttest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// built returns a file that runs the command, to be killed and measured as a process: the tests under another name,
// as linking the command takes seconds.
func built(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux to kill and measure a process")
	}
	tests, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "unknot")
	if err := os.Symlink(tests, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestMain runs the command if that is the name of the file (built), else the tests.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "unknot" {
		main()
	}
	defer removeVerifier()
	seedtest.Lean(m)
}

// TestKilled kills an exploration many times without warning at random moments
// and continues from the last checkpoint each time; in the end the counts are
// those of an undisturbed run.
func TestKilled(t *testing.T) {
	unknot := built(t)
	args := []string{"check", "ring", "--set", "n=7", "--explore=whole", "--json"} // 823,543 states
	want, err := exec.Command(unknot, args...).Output()
	if code := new(exec.ExitError); !errors.As(err, &code) || code.ExitCode() != exitViolated {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "checkpoint")
	random := rand.New(rand.NewPCG(1, 2))
	kills, resumed, least := 0, 0, 3
	if seedtest.Whole() {
		least = 10
	}
	saving := func() []string {
		saving := append(args, "--checkpoint", file, "--checkpoint-every", "1ms")
		if _, err := os.Stat(file); err == nil {
			resumed++
			saving = append(saving, "--resume", file)
		}
		return saving
	}
	for kills < 5*least || resumed < least && kills < 500 { // on a busy machine many are killed before their first checkpoint
		c := exec.Command(unknot, saving()...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(5+random.IntN(60)+2*(kills-resumed)) * time.Millisecond) // later, the fewer come to a checkpoint
		_ = c.Process.Kill()
		if c.Wait() == nil || c.ProcessState.ExitCode() >= 0 {
			os.Remove(file) // it was faster than the kill: from the beginning
		}
		kills++
	}
	c := exec.Command(unknot, saving()...)
	got, err := c.Output()
	if code := new(exec.ExitError); !errors.As(err, &code) || code.ExitCode() != exitViolated {
		t.Fatalf("after %d kills: %v", kills, err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("undisturbed\n%s\nafter %d kills\n%s", want, kills, got)
	}
	if resumed < least {
		t.Errorf("only %d of %d runs began with a checkpoint", resumed, kills)
	}
	if left, _ := filepath.Glob(file + ".*"); len(left) > 1 {
		t.Errorf("killed runs left %v", left)
	}
}

// TestEvidenceStops: evidence that is being written when a command is interrupted is
// left out, whenever that happens; the files about the network are complete.
func TestEvidenceStops(t *testing.T) {
	e, _ := models.Find("ring")
	def, err := e.Define(nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := checker.Check(t.Context(), n, checker.Question{})
	if err != nil {
		t.Fatal(err)
	}
	whole, stopped := 0, 0
	for after := 0; whole == 0; after++ {
		dir := t.TempDir()
		made := filepath.Join(dir, "made", "by unknot")
		if err := writeEvidence(contexttest.New(t.Context(), after), made, r); err != nil {
			if _, left := os.Stat(made); !os.IsNotExist(left) {
				t.Errorf("stopped before write %d: %s is left, %v", after, made, left)
			}
		}
		if err := os.RemoveAll(filepath.Dir(made)); err != nil {
			t.Fatal(err)
		}
		err := writeEvidence(contexttest.New(t.Context(), after), dir, r)
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		switch {
		case err == nil && len(files) > 4: // the network, three properties and the result
			whole++
		case err == nil || len(files) > 2: // the network and its reasons
			t.Errorf("stopped before write %d: %v, %v", after, err, files)
		default:
			stopped++
		}
		if text, err := os.ReadFile(filepath.Join(dir, networkFile)); err == nil {
			if _, err := spec.ReadClosed(t.Context(), networkFile, text); err != nil {
				t.Error(err)
			}
		}
	}
	if stopped < 5 {
		t.Errorf("stopped at %d writes only", stopped)
	}
}

// TestInterruptedSaves: Ctrl-C saves, says how to continue, and exits with 130.
func TestInterruptedSaves(t *testing.T) {
	unknot := built(t)
	file := filepath.Join(t.TempDir(), "checkpoint")
	events := file + ".events"
	interrupt := func(args ...string) {
		t.Helper()
		_ = os.Remove(events)
		c := exec.Command(unknot, append([]string{"check", "torus", "--switching", "saf", "--explore=always", "--events", events}, args...)...)
		var errs bytes.Buffer
		c.Stderr = &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for begun, tries := false, 0; !begun && tries < 6000; tries++ { // until it explores, however slow the machine is
			time.Sleep(10 * time.Millisecond)
			text, _ := os.ReadFile(events)
			begun = bytes.Contains(text, []byte(`"states"`))
		}
		_ = c.Process.Signal(os.Interrupt)
		_ = c.Wait()
		if code := c.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(errs.String(), "saved; to continue, add --resume "+file) {
			t.Errorf("%v: exit code %d\n%s", args, code, errs.String())
		}
	}
	interrupt("--checkpoint", file)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// A run that resumes from it saves to it again.
	interrupt("--resume", file)
	if after, _ := os.ReadFile(file); len(after) < len(before) {
		t.Errorf("resumed: %d bytes after %d", len(after), len(before))
	}
	// Another network's checkpoint is refused.
	out, err := exec.Command(unknot, "check", "ring", "--explore=always", "--resume", file).CombinedOutput()
	if code := new(exec.ExitError); !errors.As(err, &code) || code.ExitCode() != exitUsage ||
		!strings.Contains(string(out), "checkpoint "+file+" is for another machine") {
		t.Errorf("%v\n%s", err, out)
	}
}

// outputAndPeak runs a command and samples the most memory that it had in use,
// in bytes. (What the system reports about a process that has ended begins with the
// memory of the one that started it.)
func outputAndPeak(c *exec.Cmd) (out []byte, peak int64, err error) {
	var text bytes.Buffer
	c.Stdout = &text
	if err := c.Start(); err != nil {
		return nil, 0, err
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	status := fmt.Sprintf("/proc/%d/status", c.Process.Pid)
	for {
		select {
		case err := <-done:
			return text.Bytes(), peak, err
		case <-time.After(2 * time.Millisecond):
		}
		told, _ := os.ReadFile(status) // it may have ended
		if _, rest, ok := strings.Cut(string(told), "VmHWM:"); ok {
			var kib int64
			if _, err := fmt.Sscan(rest, &kib); err == nil {
				peak = max(peak, kib<<10)
			}
		}
	}
}

// TestMemoryBudget: the whole process keeps to 64 MiB, within a tenth.
func TestMemoryBudget(t *testing.T) {
	unknot := built(t)
	for i, args := range [][]string{
		{"check", "torus", "--set", "k=3", "--switching", "saf"},              // states of several words
		{"check", "ring", "--set", "n=8", "--explore=whole"},                  // of one
		{"check", "torus", "--set", "k=3", "--switching", "saf", "--compact"}, // kept as hashes
		{"check", "mesh", "--set", "k=3", "--switching", "saf"},               // wide levels
	} {
		if !seedtest.Sampled(i, 3) {
			continue
		}
		c := exec.Command(unknot, append(args, "--explore=always", "--memory", "64MiB", "--json")...)
		out, peak, err := outputAndPeak(c)
		var result struct {
			Space struct {
				Complete bool
				Ended    string
				States   int64
			}
		}
		if json.Unmarshal(out, &result) != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		x := result.Space
		if x.Complete || !strings.Contains(x.Ended, "memory") {
			t.Errorf("%v: ended with %q", args, x.Ended)
		}
		t.Logf("%v: %d states in %d MiB", args, x.States, peak>>20)
		if limit := int64(64<<20) * 11 / 10; peak > limit {
			t.Errorf("%v: the process took %d MiB, more than %d", args, peak>>20, limit>>20)
		}
		if x.States < 100_000 {
			t.Errorf("%v: only %d states fitted in", args, x.States)
		}
	}
}

// TestSweepKilled kills a sweep without warning at random moments and runs it
// again until it ends by itself; the results are then, byte for byte, those of an
// undisturbed run.
func TestSweepKilled(t *testing.T) {
	unknot := built(t)
	dir := t.TempDir()
	args := []string{"sweep", "star-channel", "--set", "k=3", "--links", "2", "--explore=never", "--out"}
	ended := func(c *exec.Cmd) bool { return c.ProcessState.ExitCode() == exitViolated } // two failures can tie a knot
	whole := exec.Command(unknot, append(args, filepath.Join(dir, "whole"))...)
	start := time.Now()
	if out, _ := whole.CombinedOutput(); !ended(whole) {
		t.Fatalf("%v\n%s", whole.ProcessState, out)
	}
	took := time.Since(start)
	random := rand.New(rand.NewPCG(3, 4))
	killed := 0
	for range 500 {
		c := exec.Command(unknot, append(args, filepath.Join(dir, "killed"))...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		// The later, the longer: on a busy machine most of a run is its beginning.
		stop := time.AfterFunc(took/4+time.Duration(random.Int64N(int64(took/2)+int64(killed)*5e6)), func() { _ = c.Process.Kill() })
		_ = c.Wait()
		stop.Stop()
		if !ended(c) {
			killed++
			continue
		}
		if killed > 0 {
			break
		}
		took /= 2 // the first run was on a busier machine
		if err := os.Remove(filepath.Join(dir, "killed")); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(filepath.Join(dir, "whole"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "killed"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("after %d kills: %d bytes, undisturbed %d", killed, len(got), len(want))
	}
	if killed == 0 {
		t.Error("no run was killed")
	}
	t.Logf("killed %d times", killed)
}
