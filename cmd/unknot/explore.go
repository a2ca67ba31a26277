package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker/show/explorer"
	"github.com/seed-105a2da2/unknot/spec/states"
)

type walkFlags struct {
	networkFlags
	exploreFlags // of these the scenario alone
	trace        string
	port         int
}

func exploreCommand(std streams) *cobra.Command {
	var f walkFlags
	c := &cobra.Command{
		Use:   "explore NETWORK",
		Short: "Step through states interactively in a browser",
		Long: `Explore serves a page on 127.0.0.1, at a URL with a random token that it prints.
The page shows a state, the packets in it, the properties that hold there and
every possible step with its effect. Every state has its own URL. With --trace
the page follows a trace, in its scenario.

It serves until interrupted (Ctrl-C), or until --timeout.`,
		Example: `  unknot explore ring
  unknot explore peterson
  unknot explore evidence/network.json --trace evidence/deadlock-freedom.unknot`,
		Args:              wants(1, 1),
		ValidArgsFunction: completeNetwork,
		RunE:              func(c *cobra.Command, args []string) error { return f.walk(c, args[0], std) },
	}
	f.networkFlags.register(c)
	f.registerScenario(c)
	c.Flags().StringVar(&f.trace, "trace", "", "trace to follow")
	reads(c.Flags(), "trace")
	for _, name := range []string{"length", "elastic", "shared", "bubble", "sink", "packets", "once"} {
		c.MarkFlagsMutuallyExclusive("trace", name) // it brings its own scenario
	}
	f.budget.register(c, std)
	c.Flags().IntVar(&f.port, "port", 0, "port to listen on (default any free port)")
	return c
}

func (f *walkFlags) walk(c *cobra.Command, name string, std streams) error {
	if f.port < 0 || f.port > 65535 {
		return invalid("port", f.port, "0 to 65535")
	}
	m := newMeter(std)
	defer m.clear()
	if f.trace != "" {
		return f.follow(c, name, m, std)
	}
	machine, n, err := f.loadMachine(c.Context(), name, m.show)
	if err != nil {
		return err
	}
	m.clear()
	sc, err := f.scenarioOf(name, n)
	if err != nil {
		return err
	}
	o := explorer.Options{Machine: machine}
	if n != nil {
		if o.Machine, err = states.NewTraffic(n, sc); err != nil {
			return err
		}
	}
	return f.serve(c, o, std)
}

// follow walks along a trace or run, in its machine.
func (f *walkFlags) follow(c *cobra.Command, name string, m *meter, std streams) error {
	e, err := f.counterexample(c.Context(), name, f.trace, m)
	if err != nil {
		return err
	}
	o, err := explorer.Follow(e)
	if err != nil {
		return fmt.Errorf("%s: %w", f.trace, err)
	}
	return f.serve(c, o, std)
}

func (f *walkFlags) serve(c *cobra.Command, o explorer.Options, std streams) error {
	err := explorer.Serve(c.Context(), f.port, o, func(url string) {
		fmt.Fprintf(std.out, "%s\n", url)
		fmt.Fprintln(std.err, "unknot: open the address above in a browser on this computer; Ctrl-C ends it")
	})
	if up := used(c.Context()); up != nil {
		return up
	}
	return err
}
