package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker/page/walk"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/spec"
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
every possible step with its effect. Every state has a link. With --trace the
page follows a trace or run, in its scenario.

It serves until interrupted (Ctrl-C).`,
		Example: `  unknot explore ring
  unknot explore peterson
  unknot explore evidence/network.json --trace evidence/deadlock.unknot`,
		Args:              wants(1, 1),
		ValidArgsFunction: completeNetwork,
		RunE:              func(c *cobra.Command, args []string) error { return f.walk(c, args[0], std) },
	}
	f.networkFlags.register(c)
	f.registerScenario(c)
	c.Flags().StringVar(&f.trace, "trace", "", "trace or run to follow")
	c.Flags().IntVar(&f.port, "port", 0, "port to listen on (default any free port)")
	return c
}

func (f *walkFlags) walk(c *cobra.Command, name string, std streams) error {
	if f.port < 0 || f.port > 65535 {
		return fmt.Errorf("--port %d: must be 0 to 65535", f.port)
	}
	m := newMeter(std)
	defer m.clear()
	machine, n, err := f.loadMachine(c.Context(), name, m.show)
	if err != nil {
		return err
	}
	m.clear()
	sc, err := f.scenarioOf(name, n)
	if err != nil {
		return err
	}
	if f.trace != "" && sc.String() != (spec.Scenario{}).String() {
		return errors.New("--trace brings its own scenario")
	}
	o := walk.Options{Machine: machine}
	if f.trace != "" {
		o, err = tracedWalk(machine, n, f.trace)
	} else if n != nil {
		o.Machine, err = states.NewTraffic(n, sc)
	}
	if err != nil {
		return err
	}
	return walk.Serve(c.Context(), f.port, o, func(url string) {
		fmt.Fprintf(std.out, "%s\n", url)
		fmt.Fprintln(std.err, "unknot: open the address above in a browser on this computer; Ctrl-C ends it")
	})
}

// tracedWalk reads a trace or run and returns the walk of the machine that it
// is of.
func tracedWalk(m states.Machine, n *spec.Network, file string) (o walk.Options, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return o, err
	}
	if bytes.HasPrefix(text, []byte("unknot-run ")) {
		r, err := runs.Read(file, bytes.NewReader(text))
		if err != nil {
			return o, err
		}
		if n != nil {
			if m, err = states.TrafficNamed(n, r.Machine); err != nil {
				return o, fmt.Errorf("%s: %w", file, err)
			}
		}
		o.Machine = m
		if o.Trace, err = walk.FromRun(m, r); err != nil {
			return o, fmt.Errorf("%s: %w", file, err)
		}
		return o, nil
	}
	if n == nil {
		return o, fmt.Errorf("%s: want a run of the machine %s", file, m.Name())
	}
	t, err := counterexamples.Read(file, bytes.NewReader(text))
	if err != nil {
		return o, err
	}
	traffic, err := states.NewTraffic(n, t.Scenario)
	if err != nil {
		return o, fmt.Errorf("%s: %w", file, err)
	}
	o.Machine = traffic
	if o.Trace, err = walk.FromTrace(traffic, t); err != nil {
		return o, fmt.Errorf("%s: %w", file, err)
	}
	return o, nil
}
