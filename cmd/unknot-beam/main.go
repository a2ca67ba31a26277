// Command unknot-beam explores the states of a network or machine on Apache Beam: breadth
// first, exactly, with the states in files of shards, on any engine that runs Beam's pipelines.
// See "unknot help large".
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism" // and "universal", which it imports

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/cluster"
	"github.com/seed-105a2da2/unknot/cmd/internal/version"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

const (
	exitExpected    = 0
	exitViolated    = 1
	exitUsage       = 2
	exitUnknown     = 3
	exitInternal    = 4
	exitInterrupted = 130
)

const help = `unknot-beam explores the states of a network or machine on Apache Beam.

Usage:
  unknot-beam --files FOLDER [flags] NETWORK.json|MACHINE.json

The file is a closed form ("unknot show --closed"). States are kept in FOLDER, which all
workers must see: a path, or gs://BUCKET/FOLDER. It must be new or empty, or hold what the same
command left when it was interrupted; then the search continues. It is empty again at the end.

  --files FOLDER      folder for the states
  --shards N          parts into which the states are divided, each for one worker (default 8)
  --scenario TEXT     how a network is run, in the words of traces: "length 2 packets 3"
                      (default "whole packets")
  --notion NOTION     deadlock: local, weak or global (default local)
  --property NAME     deadlock, delivery, or an invariant of the machine (repeatable; default all)
  --explore HOW       always (up to the first violation), or whole (all states; default always)
  --max-states N      limit on states, checked after each level; at the limit the answer is unknown (exit 3)
  --out FOLDER        new folder for the closed form and the evidence, for unknot-verify
  --json              print the result as JSON
  --version           print the version

Of Beam's own flags these matter:
  --runner NAME       prism, in this process (default), or universal
  --endpoint ADDRESS  job service of Flink, Spark, or of Prism as a separate process
  --environment_type  LOOPBACK: workers are this process; DOCKER, PROCESS or EXTERNAL
  --environment_config, --worker_binary, --parallelism: see Beam's documentation

Exit codes: 0 every property holds, 1 one is violated, 2 usage, input, or a failed job,
3 one is unknown and none is violated, 4 evidence was rejected (a bug), 130 interrupted.
`

func main() {
	registerRounds()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// flags holds the flags of one command line.
type flags struct {
	files, scenario, notion, out, runner string
	shards                               int
	states                               int64
	properties                           texts
	json, version                        bool
	exploring                            string
}

// texts is a repeatable flag.
type texts []string

func (t *texts) String() string     { return strings.Join(*t, ", ") }
func (t *texts) Set(s string) error { *t = append(*t, s); return nil }

func (f *flags) register(fs *flag.FlagSet) {
	fs.StringVar(&f.files, "files", "", "")
	fs.StringVar(&f.scenario, "scenario", "whole packets", "")
	fs.StringVar(&f.notion, "notion", "local", "")
	fs.StringVar(&f.out, "out", "", "")
	fs.StringVar(&f.runner, "runner", "prism", "")
	fs.IntVar(&f.shards, "shards", 8, "")
	fs.Int64Var(&f.states, "max-states", 0, "")
	fs.Var(&f.properties, "property", "")
	fs.StringVar(&f.exploring, "explore", "always", "")
	fs.BoolVar(&f.json, "json", false, "")
	fs.BoolVar(&f.version, "version", false, "")
}

// run runs one command line. It does not return on a worker, which Beam starts with flags of its
// own.
func run(args []string, out, errs io.Writer) int {
	var f flags
	fs := flag.CommandLine // to which Beam has added its own
	fs.Init("unknot-beam", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	f.register(fs)
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err = io.WriteString(out, help)
		return failed(errs, err)
	case err != nil:
		return failed(errs, err)
	case f.version:
		_, err = fmt.Fprintln(out, version.Line("unknot-beam"))
		return failed(errs, err)
	}
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // what fails comes back as an error
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := f.explore(ctx, fs.Args(), out, errs)
	if err != nil {
		return failed(errs, err)
	}
	return code
}

// failed prints an error, if any, in one line.
func failed(errs io.Writer, err error) int {
	if err == nil {
		return exitExpected
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	fmt.Fprintf(errs, "unknot-beam: %s\n", spec.Printable(text))
	var rejected *checker.EvidenceError
	var bound *spec.BoundError
	switch {
	case errors.As(err, &rejected):
		return exitInternal
	case errors.As(err, &bound):
		return exitUnknown
	}
	return exitUsage
}

func (f *flags) explore(ctx context.Context, args []string, out, errs io.Writer) (int, error) {
	opt, err := f.options(args)
	if err != nil {
		return 0, err
	}
	m, err := f.read(ctx, args[0])
	if err != nil {
		return 0, err
	}
	files, err := openFolder(ctx, f.files)
	if err != nil {
		return 0, err
	}
	done, err := ownTemporary()
	if err != nil {
		return 0, err
	}
	defer done()
	opt.Cluster = &cluster.Engine{Files: files, Where: f.files, Shards: f.shards, Round: func(ctx context.Context, question string, works [][]byte) error {
		return round(ctx, f.runner, f.files, question, works)
	}}
	r, err := checker.Explore(ctx, m, opt)
	if err != nil {
		return 0, err
	}
	if err := printResult(out, r, f.json); err != nil {
		return 0, err
	}
	if f.out != "" {
		if err := writeEvidence(context.WithoutCancel(ctx), filepath.Clean(f.out), r); err != nil {
			return 0, err
		}
	}
	if !r.Complete && r.Verdict() != spec.Violated {
		again := ""
		if f.states > 0 && r.States >= f.states {
			again = " with a higher --max-states"
		}
		fmt.Fprintf(errs, "unknot-beam: saved in %s; run the same command again%s to continue\n", spec.Printable(f.files), again)
	}
	switch {
	case ctx.Err() != nil:
		return exitInterrupted, nil
	case r.Verdict() == spec.Violated:
		return exitViolated, nil
	case r.Verdict() == spec.Unknown:
		return exitUnknown, nil
	}
	return exitExpected, nil
}

// options checks the flags, and returns the options that they stand for.
func (f *flags) options(args []string) (checker.Question, error) {
	const mostShards = 1 << 16
	opt := checker.Question{Properties: f.properties, Explore: checker.Always, MaxStates: f.states}
	switch f.exploring {
	case checker.Always.String():
	case checker.Whole.String():
		opt.Explore = checker.Whole
	default:
		return opt, fmt.Errorf("invalid --explore %.60q: want always or whole", f.exploring)
	}
	var ok bool
	opt.Notion, ok = checker.ParseNotion(f.notion)
	_, err := os.Stat(f.out)
	up, fault := os.Stat(filepath.Dir(filepath.Clean(f.out)))
	switch {
	case len(args) != 1:
		return opt, fmt.Errorf("want one NETWORK.json or MACHINE.json, not %d (see unknot-beam --help)", len(args))
	case f.files == "" || strings.ContainsAny(f.files, `*?[]\`):
		return opt, fmt.Errorf(`invalid files %q: want a folder, without any of *?[]\`, f.files)
	case f.runner != "prism" && f.runner != "universal":
		return opt, fmt.Errorf("invalid runner %q: want prism or universal", f.runner)
	case f.runner == "universal" && *jobopts.Endpoint == "":
		return opt, errors.New("runner universal: want --endpoint, the address of a job service")
	case f.shards < 1 || f.shards > mostShards:
		return opt, fmt.Errorf("invalid shards %d: want 1 to %d", f.shards, mostShards)
	case f.states < 0:
		return opt, fmt.Errorf("invalid max-states %d: want a number of states, or 0 for no limit", f.states)
	case !ok:
		return opt, fmt.Errorf("invalid notion %q: want local, weak or global", f.notion)
	case f.out != "" && err == nil:
		return opt, fmt.Errorf("invalid out %q: want a folder that does not exist yet", f.out)
	case f.out != "" && (fault != nil || !up.IsDir()):
		return opt, fmt.Errorf("invalid out %q: want a new folder in one that exists", f.out)
	}
	return opt, nil
}

// read reads the closed form.
func (f *flags) read(ctx context.Context, name string) (states.Machine, error) {
	text, err := evidence.ReadFile(name)
	if err != nil {
		return nil, err
	}
	s, err := evidence.Read(ctx, name, text)
	if err != nil {
		return nil, err
	}
	sc, err := spec.ParseScenario(f.scenario)
	if err != nil {
		return nil, fmt.Errorf("invalid scenario %q: %w", f.scenario, err)
	}
	if s.Network == nil {
		if !sc.Equal(spec.Scenario{}) {
			return nil, fmt.Errorf("%s is a protocol: it has no scenario", name)
		}
		return s.Machine, nil
	}
	return states.NewTraffic(s.Network, sc)
}

// ownTemporary gives Beam a folder for its temporary files, since it leaves one behind for each
// pipeline; done removes the folder.
func ownTemporary() (done func(), err error) {
	dir, err := os.MkdirTemp("", "unknot-beam-")
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	return func() { os.RemoveAll(dir) }, err
}
