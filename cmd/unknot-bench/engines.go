package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-105a2da2/unknot/checker/export"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// engine is one way to explore a subject.
type engine struct {
	name    string
	prepare func(ctx context.Context, b *bench) (command []string, err error)
	states  *regexp.Regexp // in its output
	steps   *regexp.Regexp // transitions in its output; nil if it counts others
}

// bench is the folder in which a subject is prepared, in every language.
type bench struct {
	dir     string
	n       *spec.Network // nil: a machine
	program *program.Program
	states  int64         // known beforehand
	packets int           // 0: any number
	making  time.Duration // generating and compiling the verifier prepared last
	model   string
	set     map[string]string // the model's parameters
}

// cost is what an engine took in a round.
type cost struct{ wall, cpu time.Duration }

// outcome holds the counts and costs of a run.
type outcome struct {
	engine    string
	missing   string // why it did not run
	states    int64
	steps     int64         // transitions; 0 if the engine does not count them
	making    time.Duration // generating and compiling the verifier; 0: part of wall
	wall, cpu time.Duration
	peak      int64  // bytes, of the process
	bits      int64  // of a state; only unknot tells
	visited   string // the form of its visited set
	wrong     int64  // a wrong number of states that the engine counted in some run; else 0
	rounds    []cost // of the fastest run of each
}

var (
	ourBits    = regexp.MustCompile(`"bits": (\d+),\s*"visited": "([^"]*)"`)
	spinStates = regexp.MustCompile(`(?m)^\s*(\d+) states, stored`)
)

// engines are unknot first, then the others.
func engines() []engine {
	rumurStates := regexp.MustCompile(`(?m)^\s*(\d+) states,`)
	rumurSteps := regexp.MustCompile(`(\d+) rules fired`)
	ours, ourSteps := regexp.MustCompile(`"states": (\d+)`), regexp.MustCompile(`"transitions": (\d+)`)
	unknot := func(workers int) engine {
		return engine{fmt.Sprintf("unknot, %s", words.Plural(workers, "worker")),
			func(ctx context.Context, b *bench) ([]string, error) {
				return b.unknot(ctx, workers)
			}, ours, ourSteps}
	}
	spin := func(name string, flags, arguments []string) engine {
		return engine{"SPIN, " + name, func(ctx context.Context, b *bench) ([]string, error) {
			return b.spin(ctx, name, flags, arguments)
		}, spinStates, nil}
	}
	hand := func(name string, flags []string) engine {
		return engine{"SPIN, " + name + ", a model written by hand", func(ctx context.Context, b *bench) ([]string, error) {
			return b.byHand(ctx, name, flags)
		}, spinStates, nil}
	}
	return []engine{
		unknot(2), unknot(1),
		spin("parallel breadth-first", []string{"-DBFS_PAR"}, []string{"-u2"}),
		spin("breadth-first", []string{"-DBFS"}, nil),
		spin("depth-first", nil, nil),
		hand("breadth-first", []string{"-DBFS"}), hand("depth-first", nil),
		{"Rumur, 1 thread", func(ctx context.Context, b *bench) ([]string, error) { // with two it takes more CPU time
			return b.rumur(ctx)
		}, rumurStates, rumurSteps},
	}
}

// unknot builds the command line and writes the closed form.
func (b *bench) unknot(ctx context.Context, workers int) ([]string, error) {
	file := filepath.Join(b.dir, "unknot")
	if _, err := os.Stat(file); err != nil {
		if err := buildFor(ctx, b.dir, file); err != nil {
			return nil, err
		}
	}
	closed := filepath.Join(b.dir, "closed.json")
	if err := create(closed, func(w io.Writer) error {
		if b.n == nil {
			return program.WriteClosed(w, b.program)
		}
		return spec.WriteClosed(w, b.n)
	}); err != nil {
		return nil, err
	}
	return []string{
		file, "check", closed, "--explore=whole", "--json",
		"--workers", strconv.Itoa(workers), "--packets", strconv.Itoa(b.packets),
	}, nil
}

// buildFor builds unknot for this processor, as the verifiers are: with the instructions of 2015 if
// it has them.
func buildFor(ctx context.Context, dir, file string) error {
	var err error
	for _, level := range []string{"GOAMD64=v3", "GOAMD64=v1"} { // not heeded elsewhere
		if err = silent(ctx, dir, []string{level}, "go", "build", "-o", file, module+"/cmd/unknot"); err != nil {
			return err
		}
		if err = silent(ctx, dir, nil, file, "--version"); err == nil {
			break
		}
	}
	return err
}

// foreign writes the program for another engine into its own folder, has the
// engine translate it to C, and compiles that.
func (b *bench) foreign(
	ctx context.Context, engine, name, model string, write func(io.Writer) error, generate, compile []string,
) (dir string, err error) {
	if _, err := exec.LookPath(engine); err != nil {
		return "", errors.New(engine + " is not there")
	}
	dir = filepath.Join(b.dir, engine+" "+name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := create(filepath.Join(dir, model), write); err != nil {
		return "", err
	}
	began := time.Now()
	if err := silent(ctx, dir, nil, engine, append(generate, model)...); err != nil {
		return "", err
	}
	err = silent(ctx, dir, nil, "cc", append([]string{"-O3", "-march=native"}, append(compile, "-lpthread")...)...)
	b.making = time.Since(began)
	return dir, err
}

// spin prepares SPIN's verifier.
func (b *bench) spin(ctx context.Context, name string, flags, arguments []string) ([]string, error) {
	dir, err := b.foreign(ctx, "spin", name, "model.pml",
		func(w io.Writer) error { return export.Promela(w, b.program) }, []string{"-a"}, pan(flags))
	return b.verifier(dir, arguments), err
}

// byHand prepares SPIN's verifier of a model in Promela that is written as its users write it.
func (b *bench) byHand(ctx context.Context, name string, flags []string) ([]string, error) {
	text, err := written.ReadFile(b.model + ".pml")
	if err != nil {
		return nil, errors.New("not written")
	}
	var defined []string
	for _, parameter := range slices.Sorted(maps.Keys(b.set)) {
		macro := strings.ToUpper(strings.ReplaceAll(parameter, "-", "_"))
		defined = append(defined, "-D"+macro+"="+b.set[parameter])
	}
	write := func(w io.Writer) error { _, err := w.Write(text); return err }
	dir, err := b.foreign(ctx, "spin", "by hand, "+name, "model.pml", write, append(defined, "-a"), pan(flags))
	return b.verifier(dir, nil), err
}

// written are models with the same states as those of the catalogue, by name. Macros are their parameters: FAN_OUT is
// fan-out. A step that changes nothing is left out, so some have fewer transitions. Properties are left out, too, so
// SPIN has less to do.
//
//go:embed *.pml
var written embed.FS

// pan returns how SPIN's verifier is compiled.
func pan(flags []string) []string {
	all := append([]string{"-DSAFETY", "-DNOREDUCE", "-DNOBOUNDCHECK", "-DMEMLIM=20000"}, flags...)
	return append(all, "-o", "pan", "pan.c")
}

// verifier returns the command line of SPIN's verifier.
// -E, -A: states without successors and failed assertions are not errors, so all states are counted.
// -w: twice as many slots as states, which keeps chains short. -m: no path is longer than there are states; the start and
// the last step, too, have a place on the stack.
func (b *bench) verifier(dir string, arguments []string) []string {
	slots, deep := fmt.Sprintf("-w%d", bits.Len64(uint64(b.states))), fmt.Sprintf("-m%d", b.states+10)
	return append([]string{filepath.Join(dir, "pan"), "-E", "-A", "-n", slots, deep}, arguments...)
}

// rumur prepares Rumur's verifier.
func (b *bench) rumur(ctx context.Context) ([]string, error) {
	whole := *b.program
	if b.n != nil {
		whole.Invariants = nil // it would end with the first violation
	}
	dir, err := b.foreign(ctx, "rumur", "1", "model.m", func(w io.Writer) error { return export.Murphi(w, &whole) },
		[]string{"--output", "model.c", "--threads", "1", "--deadlock-detection", "off", "--pack-state", "off"},
		[]string{"-mcx16", "-o", "model", "model.c"})
	return []string{filepath.Join(dir, "model")}, err
}

func create(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// silent runs a command with more in its environment, and shows its output only if it fails.
func silent(ctx context.Context, dir string, env []string, name string, args ...string) error {
	c := command(ctx, name, args...)
	if filepath.Base(name) != "go" {
		c.Dir = dir
	}
	// TMPDIR: files of a killed compiler are removed with the folder. CGO_ENABLED: unknot is built as on a machine that
	// has only Go.
	c.Env = append(append(os.Environ(), "TMPDIR="+dir, "CGO_ENABLED=0"), env...)
	began := time.Now()
	defer func() { dropShared(c.Process, began) }()
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// measure runs a prepared engine, for at most the given time, and measures the process.
func (e engine) measure(ctx context.Context, line []string, most time.Duration) (outcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("*over %g s*", most.Seconds()))
	defer cancel()
	c := command(ctx, line[0], line[1:]...)
	began := time.Now()
	defer func() { dropShared(c.Process, began) }()
	out, err := c.CombinedOutput()
	o := outcome{engine: e.name, wall: time.Since(began)}
	if ctx.Err() != nil {
		return o, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return o, err
	}
	count := func(what *regexp.Regexp) (int64, error) {
		found := what.FindAllSubmatch(out, -1)
		if found == nil {
			return 0, fmt.Errorf("%s printed no counts (%v):\n%.2000s", e.name, exit, out)
		}
		return strconv.ParseInt(string(found[len(found)-1][1]), 10, 64)
	}
	if o.states, err = count(e.states); err == nil && e.steps != nil {
		o.steps, err = count(e.steps)
	}
	if err != nil {
		return o, err
	}
	if bits := ourBits.FindSubmatch(out); bits != nil {
		o.bits, err = strconv.ParseInt(string(bits[1]), 10, 64)
		o.visited = string(bits[2])
	}
	o.cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	o.peak = peakOf(c.ProcessState)
	return o, err
}
