// Command unknot-bench compares unknot with other model checkers: it explores
// the same machines, exported to their languages, with each of them in turn,
// checks that all count the same states, and writes a table of ratios.
//
//	unknot-bench [--out FILE] [--repeat N] [--timeout DURATION] [--model NAME]...
//
// It needs SPIN (spin), Rumur (rumur) and a C compiler (cc). An engine that is missing
// or exceeds the time limit is left out, and the table says so. All searches are exact and
// without reductions. Times and memory are those of whole processes, in the fastest run of N
// rounds; of CPU time the least and the median are told, and the median of its ratio to
// unknot's in the same round. A row over 30 seconds has two rounds. The floor is as many random probes as there are
// transitions. In a round each engine runs once, and once more in a row if it took less than two seconds: the first run
// also pays for memory that another engine has released, which on a
// virtual machine may be a third of a short run. The time to generate and compile the C code
// of SPIN and Rumur has its own column. unknot and the verifiers are all built for this
// processor. The command builds unknot, so run it in a checkout.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seed-105a2da2/unknot/cmd/internal/version"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "unknot-bench:", err)
		os.Exit(1)
	}
}

const module = "github.com/seed-105a2da2/unknot"

// inCheckout returns an error unless unknot can be built here.
func inCheckout(ctx context.Context) error {
	if out, err := command(ctx, "go", "list", "-m").Output(); err != nil || strings.TrimSpace(string(out)) != module {
		return fmt.Errorf("invalid folder: want a checkout of %s, and go to build it", module)
	}
	return nil
}

type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("unknot-bench", flag.ContinueOnError)
	out := fs.String("out", "", "output file (default standard output)")
	repeat := fs.Int("repeat", 5, "rounds of all engines, in turn; an engine that takes over 30 seconds has two")
	most := fs.Duration("timeout", 10*time.Minute, "limit for each run of an engine; a row says so if it is exceeded")
	var only list
	fs.Var(&only, "model", "run only this one (repeatable): "+strings.Join(subjectNames(), ", "))
	tell := fs.Bool("version", false, "print the version")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *tell {
		_, err := fmt.Println(version.Line("unknot-bench"))
		return err
	}
	unknown := func(name string) bool { return !slices.Contains(subjectNames(), name) }
	i := slices.IndexFunc(only, unknown)
	switch {
	case fs.NArg() > 0:
		return fmt.Errorf("invalid argument %q: want flags alone", fs.Arg(0))
	case *most <= 0:
		return fmt.Errorf("invalid timeout %v: want more than 0", *most)
	case *repeat < 1:
		return fmt.Errorf("invalid repeat %d: want at least 1", *repeat)
	case i >= 0:
		return fmt.Errorf("invalid model %q: want %s", only[i], strings.Join(subjectNames(), ", "))
	}
	if info, err := os.Stat(filepath.Dir(*out)); err != nil || !info.IsDir() {
		return fmt.Errorf("invalid out %q: want a file in a folder that exists", *out)
	}
	if err := inCheckout(ctx); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "unknot-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var tables []table
	var ended error // what was measured before is written nevertheless
	for _, s := range subjects() {
		if len(only) > 0 && !slices.Contains(only, s.name) {
			continue
		}
		t, err := measure(ctx, s, engines(), dir, *repeat, *most)
		if err != nil {
			ended = fmt.Errorf("%s: %w", s.name, err)
			break
		}
		tables = append(tables, *t)
	}
	if len(tables) == 0 {
		return ended
	}
	for i, t := range tables { // last, because a process inherits the peak memory of the one that starts it
		tables[i].probes = probeRate(t.subject.states, 2)
	}
	text := render(tables)
	if *out == "" {
		fmt.Print(text)
		return ended
	}
	return cmp.Or(os.WriteFile(*out, []byte(text), 0o644), ended)
}
