// Command unknot decides deadlock, livelock and delivery of interconnection
// networks, with evidence. See README.md.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seed-105a2da2/unknot/cmd/internal/heap"
	"github.com/seed-105a2da2/unknot/cmd/internal/memory"
	"github.com/seed-105a2da2/unknot/cmd/internal/version"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

func main() {
	heap.Prepare()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a command that ignores the first interrupt is ended by the second
	std := streams{
		os.Stdin, os.Stdout, os.Stderr, term.IsTerminal(int(os.Stderr.Fd())), os.Exit,
		memory.Spare("/proc", "/sys/fs/cgroup"),
	}
	os.Exit(run(ctx, os.Args[1:], std))
}

// run executes one command line and returns its exit code. File names and values
// are printed as they are, so those that could pass for something else are refused.
func run(ctx context.Context, args []string, std streams) int {
	if i := slices.IndexFunc(args, unprintable); i >= 0 {
		fmt.Fprintf(std.err,
			"unknot: invalid argument %s: want printable text that begins neither as a verdict nor as a command to a "+
				"CI system\n", escaped(args[i]))
		return exitUsage
	}
	if len(args) > 0 && args[0] == "" { // a variable of a script that is not set, which cobra drops
		fmt.Fprintln(std.err, `unknot: invalid command "": want one that unknot help lists`)
		return exitUsage
	}
	out := &output{Writer: std.out}
	std.out = out
	cores := runtime.GOMAXPROCS(0)
	defer func() {
		if runtime.GOMAXPROCS(0) != cores {
			runtime.GOMAXPROCS(cores)
		}
	}()
	root := &cobra.Command{
		Use:   "unknot",
		Short: "Find deadlock, livelock and misdelivery in interconnection networks",
		Long: `unknot decides whether an interconnection network can deadlock, livelock or
misdeliver packets. Every verdict comes with evidence: a certificate that
unknot-verify checks, or a trace that replays from the empty network.

A NETWORK is a model ("unknot models" lists them), a *.star file, a *.json file in
the closed form of a network or a machine, a protocol in Murphi (*.m), a topology
that another program wrote ("unknot help topologies"), or a folder of dumps
("unknot help fabrics").

The guide, by "unknot help TOPIC":

`,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(c *cobra.Command, args []string) error {
			if n, err := c.Flags().GetInt("max-sites"); err == nil && n < 1 {
				return invalid("max-sites", n, "at least 1")
			}
			if n, err := c.Flags().GetUint64(maxSteps); err == nil && (n < 1 || n > math.MaxInt64) {
				return invalid(maxSteps, n, "1 to %d", int64(math.MaxInt64))
			}
			if n, err := c.Flags().GetInt("workers"); err == nil && n > 0 && n < cores {
				runtime.GOMAXPROCS(n) // for what reads, compiles, decides and verifies as well as for what explores
			}
			if err := exclusive(c.Flags()); err != nil {
				return err
			}
			over, err := distinctOutputs(c.Flags(), args)
			c.SetContext(withOverwriting(c.Context(), over))
			return err
		},
		Version: version.Line("unknot"),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageFunc(usage)
	root.SetHelpFunc(help)
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetArgs(args)
	addCommands(root, args, std)
	root.SetFlagErrorFunc(likelyFlag)
	root.DisableSuggestions = true // they take more than a line, and leave out help
	c, err := root.ExecuteContextC(ctx)
	err = likelyCommand(root, args, err)
	if ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))) {
		err = fmt.Errorf("interrupted: %s did not finish", c.CommandPath())
	}
	var bound *spec.BoundError
	if errors.As(err, &bound) {
		sites, noSites := c.Flags().GetInt("max-sites")
		steps, noSteps := c.Flags().GetUint64(maxSteps)
		switch {
		case noSites == nil && strings.HasPrefix(bound.What, "sites") && int64(bound.Limit) == int64(sites):
			err = fmt.Errorf("%w: want a smaller network, or a higher --max-sites", err)
		case noSteps == nil && bound.What == "steps" && uint64(bound.Limit) == steps:
			err = fmt.Errorf("%w If not, set a higher --max-steps", err)
		}
	}
	if failed := out.failed(); failed != nil {
		err = failed // an unwritten verdict does not count
	}
	code := exitCode(ctx, err)
	var silent *codeError
	if err != nil && !(errors.As(err, &silent) && silent.err == nil) {
		fmt.Fprintf(std.err, "unknot: %v\n", err)
	}
	return code
}

// commands makes each of the commands, by name.
func commands() map[string]func(streams) *cobra.Command {
	return map[string]func(streams) *cobra.Command{
		"ask":      askCommand,
		"change":   changeCommand,
		"check":    checkCommand,
		"diff":     diffCommand,
		"explore":  exploreCommand,
		"export":   exportCommand,
		"graph":    graphCommand,
		"models":   modelsCommand,
		"prove":    proveCommand,
		"replay":   replayCommand,
		"route":    routeCommand,
		"run":      runCommand,
		"show":     showCommand,
		"shrink":   shrinkCommand,
		"simulate": simulateCommand,
		"sweep":    sweepCommand,
		"untie":    untieCommand,
		"verify":   verifyCommand,
	}
}

// addCommands adds the command that is asked for; to ask for help, completion or none of
// them, all. To make all of them takes longer than many a check.
func addCommands(root *cobra.Command, args []string, std streams) {
	all := commands()
	if len(args) > 0 && all[args[0]] != nil {
		root.AddCommand(all[args[0]](std))
		return
	}
	root.Long += topicList()
	for _, c := range all {
		root.AddCommand(c(std)) // which keeps them sorted
	}
	root.AddCommand(manCommand(root, std.out), stubsCommand(std.out))
	root.SetHelpCommand(helpCommand(root, std.out))
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Use, c.DisableFlagsInUseLine, c.Args = "completion SHELL", true, cobra.ArbitraryArgs
		c.RunE = func(c *cobra.Command, args []string) error { // to cobra every shell is fine: it prints help
			if len(args) == 0 {
				return c.Help()
			}
			return fmt.Errorf("invalid shell %.40q: want %s",
				args[0], words.OneOf(namesOf(c.Commands(), (*cobra.Command).Name)))
		}
		for _, shell := range c.Commands() {
			if shell.Name() == "fish" {
				shell.RunE = func(c *cobra.Command, _ []string) error { return completeFish(root, c, std.out) }
			}
		}
	}
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		completeFlags(root)
	}
}

// output remembers the first error of writing to it.
type output struct {
	io.Writer
	mu  sync.Mutex
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = cmp.Or(o.err, err)
	return n, err
}

func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
