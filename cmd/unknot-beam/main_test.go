package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/cluster"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// TestMain also is the program that tests start: a job server, or the command itself.
func TestMain(m *testing.M) {
	registerRounds()
	switch os.Getenv("UNKNOT_BEAM_TEST") {
	case "command":
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	case "server":
		serve()
	}
	flag.Parse()
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	done, err := ownTemporary()
	if err != nil {
		panic(err)
	}
	code := m.Run()
	done()
	os.Exit(code)
}

// serve is Prism as a job server, until its input ends.
func serve() {
	var port int
	if _, err := fmt.Sscan(os.Getenv("UNKNOT_BEAM_PORT"), &port); err != nil {
		panic(err)
	}
	if _, err := prism.CreateJobServer(context.Background(), prism.Options{Port: port}); err != nil {
		panic(err)
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// command runs this program as a process of its own.
func command(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), "UNKNOT_BEAM_TEST=command")
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	_ = c.Run()
	return c.ProcessState.ExitCode(), o.String(), e.String()
}

// subject is something that is explored.
type subject struct {
	model    string
	set      map[string]string
	scenario spec.Scenario
}

// subjects are of several kinds: packets and flits, with a deadlock and without, a protocol that
// holds and ones that do not.
var subjects = []subject{
	{"ring", nil, spec.Scenario{}},
	{"ring", map[string]string{"variant": "dateline"}, spec.Scenario{Length: 2}},
	{"mesh", map[string]string{"k": "2"}, spec.Scenario{Packets: 3}},
	{"peterson", nil, spec.Scenario{}},
}

// machine makes the machine of a subject, by way of its closed form, which is what the
// command reads.
func (x subject) machine(t *testing.T) (states.Machine, []byte) {
	t.Helper()
	e, ok := models.Find(x.model)
	if !ok {
		t.Fatalf("no model %s", x.model)
	}
	var b bytes.Buffer
	if e.IsMachine() {
		m, err := e.Machine(x.set)
		if err == nil {
			err = program.WriteClosed(&b, m.(*program.Machine).Program())
		}
		if err != nil {
			t.Fatal(err)
		}
	} else {
		def, err := e.Define(x.set)
		if err != nil {
			t.Fatal(err)
		}
		if x.scenario.Flits() {
			def.Switching = spec.Wormhole
		}
		n, err := routing.Compile(t.Context(), def, routing.CompileOptions{})
		if err == nil {
			err = spec.WriteClosed(&b, n)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := evidence.Read(t.Context(), x.model, b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if s.Network == nil {
		return s.Machine, b.Bytes()
	}
	m, err := states.NewTraffic(s.Network, x.scenario)
	if err != nil {
		t.Fatal(err)
	}
	return m, b.Bytes()
}

// file writes the closed form.
func (x subject) file(t *testing.T) string {
	t.Helper()
	_, text := x.machine(t)
	name := filepath.Join(t.TempDir(), x.model+".json")
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func explore(t *testing.T, m states.Machine, opt checker.Question) *checker.Result {
	t.Helper()
	r, err := checker.Explore(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// onBeam is a cluster with files in a folder, by the runner within this process.
func onBeam(t *testing.T, dir string, shards int) *cluster.Engine {
	t.Helper()
	files, err := openFolder(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return &cluster.Engine{Files: files, Where: dir, Shards: shards, Round: func(ctx context.Context, question string, works [][]byte) error {
		return round(ctx, "prism", dir, question, works)
	}}
}

// text returns the parts of a result that must not depend on where states are stored. That
// decides which of several shortest paths is shown, so only their length counts.
func text(r *checker.Result) string {
	space := *r.Space
	space.Visited, space.Peak, space.Whens = "", 0, nil
	text := fmt.Sprintf("%+v\n", space)
	for _, f := range r.Findings {
		text += fmt.Sprintln(f.Property, f.Verdict, f.Because, f.Vacuous, f.Evidence != nil)
	}
	return text
}

func empty(t *testing.T, dir string) {
	t.Helper()
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		t.Errorf("%s is left", f.Name())
	}
}

// TestSame: Beam finds the same counts, digest and verdicts as a search in memory, and traces of
// the same length, which Explore has replayed. No file is left behind.
func TestSame(t *testing.T) {
	for i, x := range subjects {
		t.Run(fmt.Sprint(x), func(t *testing.T) {
			m, _ := x.machine(t)
			dir := filepath.Join(t.TempDir(), "states")
			opt := checker.Question{Explore: checker.Whole}
			want := text(explore(t, m, opt))
			opt.Cluster = onBeam(t, dir, 1+i)
			if got := text(explore(t, m, opt)); got != want {
				t.Errorf("on Beam\n%s in memory\n%s", got, want)
			}
			empty(t, dir)
		})
	}
}

// TestStaleShard: a shard that is put back to the level before ends the search with an error.
func TestStaleShard(t *testing.T) {
	m, _ := subjects[0].machine(t)
	dir := t.TempDir()
	c := onBeam(t, dir, 2)
	run, rounds := c.Round, 0
	var stale []byte
	c.Round = func(ctx context.Context, question string, works [][]byte) error {
		name := filepath.Join(dir, fmt.Sprintf("shard-00001-level-%d", rounds))
		var err error
		if rounds++; rounds == 2 {
			err = os.WriteFile(name, stale, 0o644)
		} else {
			stale, err = os.ReadFile(name)
		}
		if err != nil {
			t.Fatal(err)
		}
		return run(ctx, question, works)
	}
	_, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole, Cluster: c})
	if err == nil || rounds != 2 || !strings.Contains(err.Error(), `shard-00001-level-1 is another one: it begins with "unknot-shard 2, 1 of 2 at level 0`) {
		t.Errorf("after %d rounds %v", rounds, err)
	}
}

// TestJobServer: the command, with Prism as a process of its own whose workers run in the
// command's process, is killed between levels and started again. Its result is the same, and a
// second program accepts its evidence.
func TestJobServer(t *testing.T) {
	server := exec.CommandContext(t.Context(), os.Args[0])
	const port = "47831"
	server.Env = append(os.Environ(), "UNKNOT_BEAM_TEST=server", "UNKNOT_BEAM_PORT="+port)
	hold, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	ready, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err == nil {
		_, err = io.ReadFull(ready, make([]byte, 5))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { hold.Close(); _ = server.Wait() }()

	x := subjects[0]
	file, dir, out := x.file(t), filepath.Join(t.TempDir(), "states"), filepath.Join(t.TempDir(), "out")
	args := []string{"--runner", "universal", "--endpoint", "localhost:" + port, "--environment_type", "LOOPBACK",
		"--files", dir, "--shards", "3", "--explore=whole", "--out", out, file}
	killed := killedIn(t, dir, args...)
	m, _ := x.machine(t)
	want := explore(t, m, checker.Question{Explore: checker.Whole})
	code, got, errs := command(t, args...)
	if code != exitViolated || errs != "" || !strings.Contains(got, want.Digest) || !strings.Contains(got, fmt.Sprintf("\n%d states of", want.States)) {
		t.Errorf("exit %d\n%s%s want %d states, %s", code, got, errs, want.States, want.Digest)
	}
	if !killed {
		t.Error("it was not killed")
	}
	empty(t, dir)
	verified(t, out)
}

// killedIn starts the command and kills it once it has explored some levels.
func killedIn(t *testing.T, dir string, args ...string) bool {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), "UNKNOT_BEAM_TEST=command")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		if found, _ := filepath.Glob(filepath.Join(dir, "shard-*-level-2")); len(found) > 0 {
			_ = c.Process.Kill()
		}
		select {
		case <-ended:
			_, err := os.Stat(filepath.Join(dir, "manifest"))
			return err == nil
		case <-time.After(time.Millisecond):
		}
	}
}

// verified checks all evidence in a folder as unknot-verify does.
func verified(t *testing.T, dir string) {
	t.Helper()
	of, files, _, err := evidence.Files(dir)
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	text, err := evidence.ReadFile(of)
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Read(t.Context(), of, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := evidence.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Check(t.Context(), file, text, evidence.Options{Recount: true}); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestRefuses: an impossible request is refused in one line, with exit code 2, and nothing is written.
func TestRefuses(t *testing.T) {
	ring, machine, dir := subjects[0].file(t), subjects[3].file(t), filepath.Join(t.TempDir(), "states")
	here := t.TempDir()
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "mine.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		want string
		args []string
	}{
		{"want one NETWORK.json or MACHINE.json, not 0", []string{"--files", dir}},
		{"invalid files \"\"", []string{ring}},
		{"invalid files \"a*\"", []string{"--files", "a*", ring}},
		{"file system scheme \"hdfs\" not registered", []string{"--files", "hdfs://x/y", ring}},
		{"invalid shards 0: want 1 to 65536", []string{"--files", dir, "--shards", "0", ring}},
		{"invalid runner \"hadoop\"", []string{"--files", dir, "--runner", "hadoop", ring}},
		{"want --endpoint", []string{"--files", dir, "--runner", "universal", ring}},
		{"invalid max-states -1", []string{"--files", dir, "--max-states", "-1", ring}},
		{"invalid notion \"loud\"", []string{"--files", dir, "--notion", "loud", ring}},
		{"invalid scenario \"quickly\"", []string{"--files", dir, "--scenario", "quickly", ring}},
		{"is a protocol: it has no scenario", []string{"--files", dir, "--scenario", "packets 2", machine}},
		{"invalid property \"speed\"", []string{"--files", dir, "--property", "speed", ring}},
		{"invalid out", []string{"--files", dir, "--out", here, ring}},
		{"want a new folder in one that exists", []string{"--files", dir, "--out", filepath.Join(here, "missing", "out"), ring}},
		{"cannot be used: want an empty folder", []string{"--files", foreign, ring}},
		{"flag provided but not defined: -fast", []string{"--fast"}},
		{"no such file", []string{"--files", dir, "nowhere.json"}},
		{"main_test.go:1:1: ", []string{"--files", dir, "main_test.go"}},
	} {
		code, out, errs := command(t, x.args...)
		if code != exitUsage || out != "" || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "unknot-beam: ") || !strings.Contains(errs, x.want) {
			t.Errorf("%q: exit %d\n%s%s want %s", x.args, code, out, errs, x.want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Fatalf("%q: something is written", x.args)
		}
	}
	if code, out, errs := command(t, "--help"); code != 0 || out != help || errs != "" {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs := command(t, "--version"); code != 0 || !strings.HasPrefix(out, "unknot-beam ") || errs != "" {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// TestUnwrittenEvidence: if the folder of evidence cannot be made, the result is printed all the same, and
// no part of the folder is left, under its name or another.
func TestUnwrittenEvidence(t *testing.T) {
	ring, dir := subjects[0].file(t), t.TempDir()
	long := filepath.Join(dir, strings.Repeat("x", 255)) // the longest name: none is left for what is being written
	code, out, errs := command(t, "--files", filepath.Join(dir, "states"), "--shards", "1", "--out", long, ring)
	if code != exitUsage || !strings.Contains(out, "deadlock freedom VIOLATED") || !strings.HasPrefix(errs, "unknot-beam: writing "+long) {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	empty(t, filepath.Join(dir, "states"))

	m, _ := subjects[0].machine(t)
	taken := t.TempDir() // by somebody, meanwhile
	mine := filepath.Join(taken, "out", "mine.txt")
	if err := os.MkdirAll(mine, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeEvidence(t.Context(), filepath.Dir(mine), explore(t, m, checker.Question{})); err == nil {
		t.Error("a folder of somebody else's is replaced")
	}
	if files, _ := filepath.Glob(filepath.Join(taken, ".*")); len(files) > 0 {
		t.Errorf("%v left", files)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

// TestBound: a bound on states is named as what to change to continue.
func TestBound(t *testing.T) {
	ring, dir := subjects[0].file(t), filepath.Join(t.TempDir(), "states")
	code, out, errs := command(t, "--files", dir, "--shards", "1", "--max-states", "5", ring)
	if code != exitUnknown || !strings.Contains(out, "(1 state expanded: the limit of 5 states is reached)") ||
		!strings.HasSuffix(errs, "; run the same command again with a higher --max-states to continue\n") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	code, out, errs = command(t, "--files", dir, ring)
	if code != exitViolated || !strings.Contains(out, "256 states of 8 bits") || errs != "" { // 256: as in memory
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	empty(t, dir)
}
