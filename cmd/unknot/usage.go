package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groups order the flags of commands that have many by purpose. A flag is listed in the first group that
// names it; groups for simulate only are those of commands with --load.
var groups = []struct {
	title     string
	flags     []string
	simulates bool // for simulate alone
}{
	{"Network", []string{
		"set", "switching", "source", "dest", "from", "both-ways", "weight", "engine", "route", "vcs", "root", "scope",
		"sl", "leave-out",
		"range", "reroute", "links", "switch-links", "nodes", "dests",
	}, false},
	{"Protocol over the network", []string{"protocol", "protocol-set", "place"}, false},
	{"Properties", []string{"property", "notion", "smallest", "liveness", "expected", "scheme"}, false},
	{"Traffic", []string{
		"load", "traffic", "hot", "share", "points", "length", "burst", "window", "replies", "queue", "stop",
	}, true},
	{"Routers", []string{
		"fan-out", "depth", "wait", "partners", "third", "service", "buffer", "shared", "injectors", "like", "delays", "arbiter", "selection",
		"choice",
		"compare",
	}, true},
	{"Measurement", []string{"clocks", "warmup", "seed", "seeds", "saturation", "paper", "beside"}, true},
	{"Scenario, explored where the routing tables do not decide it", []string{
		"packets", "once", "length", "bubble", "sink", "shared", "elastic",
	}, false},
	{"Exploration", []string{
		"explore", "symmetry", "partial-order", "no-sample", "slice", "compact", "workers", "coverage", "runs",
		"steps", "seed", "up-to-symmetry", "tables", "trace", "port",
	}, false},
	{"Limits", []string{
		"timeout", "memory", "disk", "max-states", "max-sites", maxSteps, "max-cases", "effort",
	}, false},
	{"Interrupting and resuming", []string{"checkpoint", "checkpoint-every", "resume", "shard", "merge"}, false},
	{"Output", []string{
		"check", "rows", "kind", "part", "format", "to", "fabric", "closed", "print", "sites", "recount", "out", "keep", "states", "json",
		"junit", "sarif", "markdown", "report", "evidence", "plot", "csv", "events", "annotations", "force",
	}, false},
}

// help replaces cobra's: it fits the terminal.
func help(c *cobra.Command, _ []string) {
	w := c.OutOrStdout()
	text := strings.TrimSpace(cmp.Or(c.Long, c.Short)) + "\n"
	if width := widthOf(w); columnsOf(w) > 0 {
		text = helpText(text, width)
	}
	fmt.Fprintln(w, text)
	if c.Runnable() || c.HasSubCommands() {
		_ = usage(c) // of the same writer, which fails as above
	}
}

// usage replaces cobra's: many flags are listed in groups, and lines keep to the
// width.
func usage(c *cobra.Command) error {
	w := c.OutOrStderr()
	fmt.Fprintln(w, "Usage:")
	if c.Runnable() {
		fmt.Fprintf(w, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s COMMAND\n\nCommands:\n", c.CommandPath())
		var items []item
		for _, s := range c.Commands() {
			if s.IsAvailableCommand() || s.Name() == "help" {
				items = append(items, item{s.Name(), s.Short})
			}
		}
		if err := writeItems(w, items); err != nil {
			return err
		}
	}
	if c.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	if err := writeFlags(w, c.LocalFlags()); err != nil {
		return err
	}
	if !c.HasParent() {
		fmt.Fprintf(w, "\n%s help COMMAND describes a command, %[1]s help TOPIC prints a page of the guide.\n",
			c.CommandPath())
	}
	return nil
}

// writeFlags lists flags, in groups if there are more than ten.
func writeFlags(w io.Writer, flags *pflag.FlagSet) error {
	var all []*pflag.Flag
	flags.VisitAll(func(f *pflag.Flag) { all = append(all, f) })
	section := func(title string, flags []*pflag.Flag) error {
		if len(flags) == 0 {
			return nil
		}
		fmt.Fprintf(w, "\n%s:\n", title)
		var items []item
		for _, f := range flags {
			items = append(items, flagItem(f))
		}
		return writeItems(w, items)
	}
	if len(all) <= 10 {
		return section("Flags", all)
	}
	rest := all
	for _, g := range groups {
		var its []*pflag.Flag
		for _, name := range g.flags {
			f := flags.Lookup(name)
			if f != nil && slices.Contains(rest, f) && (flags.Lookup("load") != nil || !g.simulates) {
				its = append(its, f)
			}
		}
		rest = without(rest, its)
		if err := section(g.title, its); err != nil {
			return err
		}
	}
	return section("Other flags", rest)
}

func without(flags, some []*pflag.Flag) []*pflag.Flag {
	return slices.DeleteFunc(slices.Clone(flags), func(f *pflag.Flag) bool { return slices.Contains(some, f) })
}

// flagItem describes a flag.
func flagItem(f *pflag.Flag) item {
	kind, text := pflag.UnquoteUsage(f)
	name := "    --" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", --" + f.Name
	}
	if kind != "" {
		name += " " + strings.TrimSuffix(kind, "Array")
	}
	switch f.DefValue {
	case "", "0", "0s", "false", "[]":
	default:
		if !strings.Contains(text, "default") {
			text += " (default " + f.DefValue + ")"
		}
	}
	return item{name, text}
}
