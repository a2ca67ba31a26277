package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A test is a test, an example or the seeds of a fuzz target.
type test struct {
	binary, dir, name string
	hash              string // of the binary
	rapid             bool
	sampled, every    bool // of the package that has -every: whether it is given
	recorded
}

// recorded is what a run of a test without a mutant tells.
type recorded struct {
	CPU     time.Duration
	Answers map[string][4]bool // by "package number": no, yes, no and equal, yes and equal
}

// build compiles the tests of a package and lists them.
func build(dir string, p pkg) ([]*test, error) {
	deps, err := output("go", "list", "-deps", "-test", "-f", "{{.ImportPath}}\t{{.Dir}}", p.ImportPath)
	if err != nil {
		return nil, err
	}
	copies, err := overlaid(dir)
	if err != nil {
		return nil, err
	}
	written := sha256.New() // which files have their conditions rewritten: others than in a draw before, perhaps
	for _, file := range slices.Sorted(maps.Keys(copies)) {
		if strings.Contains(deps, "\t"+filepath.Dir(file)+"\n") {
			fmt.Fprintln(written, file)
		}
	}
	binary := filepath.Join(dir, fmt.Sprintf("%s-%.6x.test", strings.NewReplacer("/", "_", ".", "_").Replace(p.ImportPath), written.Sum(nil)))
	if !newer(binary, deps) {
		if _, err := output("go", "test", "-c", "-ldflags=-s -w", "-overlay", filepath.Join(dir, "overlay.json"), "-o", binary, p.ImportPath); err != nil {
			return nil, err
		}
	}
	c := exec.Command(binary, "-test.list", ".")
	c.Dir = p.Dir
	names, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s -test.list: %w", binary, err)
	}
	text, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	hash := fmt.Sprintf("%.12x", sha256.Sum256(text))
	var tests []*test
	for name := range strings.FieldsSeq(string(names)) {
		if !strings.HasPrefix(name, "Benchmark") {
			tests = append(tests, &test{
				binary: binary, dir: p.Dir, name: name, hash: hash,
				rapid:   strings.Contains(deps, "pgregory.net/rapid"),
				sampled: strings.Contains(deps, "/spec/support/seedtest\t"),
			})
		}
	}
	return tests, nil
}

// newer reports whether a binary that was kept is newer than all files of the packages
// that it depends on, and than what instrumented them.
func newer(binary, deps string) bool {
	built, err := os.Stat(binary)
	if err != nil {
		return false
	}
	var dirs []string
	for line := range strings.Lines(deps) {
		_, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		dirs = append(dirs, dir)
	}
	for _, dir := range dirs {
		files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
		for _, file := range append(files, ".ci/mutants/points.go", ".ci/mutants/runtime.go") {
			if info, err := os.Stat(file); err != nil || !info.ModTime().Before(built.ModTime()) {
				return false
			}
		}
	}
	return true
}

// record runs each test alone, without a mutant, and drops those that are too slow or fail.
func record(dir string, tests []*test, o options) []*test {
	eachOf(len(tests), o.at, func(i int) {
		t := tests[i]
		kept := filepath.Join(dir, t.hash+"-"+t.name+".json")
		if text, err := os.ReadFile(kept); err == nil && json.Unmarshal(text, &t.recorded) == nil && (t.Answers != nil || t.CPU > o.slow) {
			return
		}
		file := filepath.Join(dir, "reached-"+t.hash+"-"+t.name)
		_ = os.Remove(file) // of a run that was interrupted
		text, err := t.run(dir, []*test{t}, "UNKNOT_REACHED="+file, o.slow)
		if t.CPU > o.slow {
			text, _ := json.Marshal(recorded{CPU: t.CPU})
			_ = os.WriteFile(kept, text, 0o666)
			return
		}
		t.Answers = map[string][4]bool{}
		if f, err := os.Open(file); err == nil {
			for s := bufio.NewScanner(f); s.Scan(); {
				at := strings.LastIndexByte(s.Text(), ' ')
				a := t.Answers[s.Text()[:at]]
				a[s.Text()[at+1]-'0'] = true
				t.Answers[s.Text()[:at]] = a
			}
			f.Close()
		}
		if err != nil { // a bound on time, perhaps, on a busy machine
			fmt.Fprintf(os.Stderr, "left out: %s of %s fails without a mutant: %v\n%s", t.name, t.dir, err, text)
			t.CPU = math.MaxInt64
			return
		}
		text, _ = json.Marshal(t.recorded)
		_ = os.WriteFile(kept, text, 0o666)
	})
	slices.SortStableFunc(tests, func(a, b *test) int { return cmp.Compare(a.CPU, b.CPU) })
	var all time.Duration
	for _, t := range tests {
		if t.CPU <= o.slow {
			all += t.CPU
		} else if t.CPU < math.MaxInt64 {
			fmt.Fprintf(os.Stderr, "left out: %s takes %.1f s\n", t.name, t.CPU.Seconds())
		}
	}
	fmt.Fprintf(os.Stderr, "%d tests take %.0f s\n", len(tests), all.Seconds())
	return slices.DeleteFunc(tests, func(t *test) bool { return t.CPU > o.slow })
}

// run runs tests of one binary, the first of which gets the time that it took.
func (t *test) run(dir string, tests []*test, env string, limit time.Duration) ([]byte, error) {
	var names []string
	for _, u := range tests {
		names = append(names, u.name)
	}
	args := []string{"-c", `ulimit -v 16000000; ulimit -t "$0"; exec "$@"`, strconv.Itoa(int(limit.Seconds()) + 1), t.binary,
		"-test.run=^(" + strings.Join(names, "|") + ")$", "-test.failfast", "-test.paniconexit0", "-test.count=1"}
	if t.rapid {
		args = append(args, "-rapid.nofailfile", "-rapid.shrinktime=1ms")
	}
	if t.every && t.sampled {
		args = append(args, "-every", "-test.timeout=60m")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour) // asleep: the limit is on CPU time, as others may need the machine
	defer cancel()
	c := exec.CommandContext(ctx, "sh", args...)
	c.Dir = t.dir
	c.Env = append(os.Environ(), env, "TMPDIR="+dir)
	out := &bytes.Buffer{}
	c.Stdout, c.Stderr = out, out
	c.WaitDelay = time.Second
	err := c.Run()
	if c.ProcessState != nil {
		t.CPU = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	return out.Bytes(), err
}
