package main

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/proofs/refutation"
	"github.com/seed-105a2da2/unknot/spec"
)

type checkFlags struct {
	networkFlags
	exploreFlags
	properties []string
	smallest   string
	settle     int64
	json       bool
	expected   bool
	out        string
}

// checkOptions turns the flags about a network into options.
func (f *checkFlags) checkOptions(c *cobra.Command, name string, n *spec.Network, m *meter) (checker.CheckOptions, error) {
	sc, err := f.scenarioOf(name, n)
	if err == nil && f.opt.Coverage {
		err = fmt.Errorf("%s is a network: --coverage counts the rules of machines", name)
	}
	if err != nil {
		return checker.CheckOptions{}, err
	}
	x, err := f.exploreOptions(m)
	if err != nil {
		return checker.CheckOptions{}, err
	}
	of := map[string]refutation.Unit{"": refutation.Unbounded, "moves": refutation.Unbounded, "packets": refutation.Messages,
		"messages": refutation.Messages, "channels": refutation.Channels}[f.smallest]
	shortest := f.smallest == "moves"
	opt := checker.CheckOptions{Properties: f.properties, Scenario: sc, Always: f.explore, Shortest: shortest, Smallest: of, Settle: f.settle, Progress: f.outputs.progress(m.show), Explore: x}
	switch {
	case c.Flags().Changed("max-states") && !c.Flags().Changed("settle"):
		opt.Settle = cmp.Or(x.MaxStates, math.MaxInt64) // the flag bounds exploring of any kind
	case f.settle <= 0:
		opt.Settle = -1
	}
	return opt, nil
}

// keep writes the evidence of a result to a folder, also if the command was interrupted
// before; an interrupt while it writes stops it.
func (f *checkFlags) keep(ctx context.Context, dir string, r *checker.Result) error {
	f.budget.saving.Lock()
	defer f.budget.saving.Unlock()
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
	}
	return writeEvidence(ctx, dir, r)
}
