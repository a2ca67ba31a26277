// Command compare runs the unknot of a commit and that of the working tree on everything at hand, and prints each
// difference between their answers. See .ci/same.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type options struct {
	drawn, sample, workers int
	seed                   uint64
	only                   *regexp.Regexp
	words                  bool
	timeout                time.Duration
	memory, states, shared string
	keep                   string
	old                    string
	former                 bool // the commit has flags of before --explore took a word
}

func main() {
	var o options
	flag.IntVar(&o.drawn, "drawn", 2000, "`number` of files to draw")
	flag.IntVar(&o.sample, "sample", 1, "run one in so `many`, chosen by the seed")
	flag.IntVar(&o.workers, "j", 2, "runs at a time")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the drawn files and of the sample")
	only := flag.String("only", "", "run what has a name that matches this `regexp`")
	flag.BoolVar(&o.words, "words", false, "compare sentences and messages, too")
	flag.DurationVar(&o.timeout, "timeout", time.Minute, "limit on a run; where one reaches it, nothing is compared")
	flag.StringVar(&o.memory, "memory", "2GiB", "limit on a run")
	flag.StringVar(&o.states, "max-states", "200000", "limit on an exploration")
	flag.StringVar(&o.shared, "shared", "../shared", "`folder` with fabrics and cases; skipped if it is not there")
	flag.StringVar(&o.keep, "keep", "", "`folder` for the programs, the drawn files and the evidence; default: a new one, deleted in the end")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: .ci/same [flags] OLD\ncompares the answers of a commit with those of the working tree")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 1 { // flags after OLD
		o.old = flag.Arg(0)
		_ = flag.CommandLine.Parse(flag.Args()[1:])
	} else {
		o.old = flag.Arg(0)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if o.only, err = regexp.Compile(*only); err == nil && (o.old == "" || o.sample < 1 || o.workers < 1 || o.drawn < 0) {
		err = errors.New("want a commit, and numbers of at least 1")
	}
	same := false
	if err == nil {
		same, err = o.compare(ctx)
	}
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "same:", err)
		os.Exit(2)
	case !same:
		os.Exit(1)
	}
}

// compare reports whether the answers are the same.
func (o *options) compare(ctx context.Context) (bool, error) {
	if o.keep == "" {
		dir, err := os.MkdirTemp("", "same")
		if err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
		o.keep = dir
	}
	var err error
	if o.keep, err = filepath.Abs(o.keep); err != nil {
		return false, err
	}
	programs, err := o.build(ctx)
	if err != nil {
		return false, err
	}
	help, err := exec.CommandContext(ctx, programs[0], "check", "--help").Output()
	if err != nil {
		return false, err
	}
	o.former = strings.Contains(string(help), "--settle")
	subjects, err := o.subjects()
	if err != nil {
		return false, err
	}
	random := rand.New(rand.NewPCG(o.seed, 0))
	chosen := slices.DeleteFunc(slices.Clone(subjects), func(s subject) bool { return random.IntN(o.sample) > 0 || !o.only.MatchString(s.name) })
	if len(chosen) == 0 {
		return false, errors.New("nothing to compare")
	}
	results := make([]result, len(chosen))
	var (
		group sync.WaitGroup
		next  atomic.Int64
	)
	for i := range results {
		results[i].done = make(chan struct{})
	}
	for range o.workers {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(chosen)); i = next.Add(1) - 1 {
				r := &results[i]
				if ctx.Err() == nil {
					r.differences, r.late, r.err = o.run(ctx, chosen[i], programs)
				}
				close(r.done)
			}
		})
	}
	defer group.Wait()
	var slow []string
	found := 0
	for i := range results { // in order, as soon as they are known
		r := &results[i]
		<-r.done
		if err := cmp.Or(context.Cause(ctx), r.err); err != nil {
			return false, err
		}
		if r.late {
			slow = append(slow, chosen[i].String())
		}
		for _, d := range r.differences {
			fmt.Printf("%s: %s\n", chosen[i], d)
			found++
		}
	}
	fmt.Printf("%d runs of %d, %d differences\n", len(chosen), len(subjects), found)
	for _, s := range slow {
		fmt.Printf("not compared, as it takes more than %v: %s\n", o.timeout, s)
	}
	return found == 0, nil
}

// result is what comparing one subject found.
type result struct {
	differences []string
	late        bool
	err         error
	done        chan struct{}
}

// build compiles both programs: first that of the commit.
func (o *options) build(ctx context.Context) (programs [2]string, err error) {
	source := filepath.Join(o.keep, "source")
	if err := os.RemoveAll(source); err != nil {
		return programs, err
	}
	if err := os.MkdirAll(source, 0o777); err != nil {
		return programs, err
	}
	archive := filepath.Join(o.keep, "source.tar")
	for i, step := range []struct {
		dir     string
		command []string
	}{
		{".", []string{"git", "archive", "-o", archive, o.old}},
		{source, []string{"tar", "-xf", archive}},
		{source, []string{"go", "build", "-trimpath", "-buildvcs=false", "-o", filepath.Join(o.keep, "old"), "./cmd/unknot"}},
		{".", []string{"go", "build", "-trimpath", "-buildvcs=false", "-o", filepath.Join(o.keep, "new"), "./cmd/unknot"}},
	} {
		c := exec.CommandContext(ctx, step.command[0], step.command[1:]...)
		c.Dir = step.dir
		if out, err := c.CombinedOutput(); err != nil {
			return programs, fmt.Errorf("%s: %w\n%s", strings.Join(step.command, " "), err, out)
		}
		if i > 1 {
			programs[i-2] = step.command[len(step.command)-2]
		}
	}
	return programs, nil
}
