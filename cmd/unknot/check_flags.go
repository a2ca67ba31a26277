package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
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

// networkQuestion is what the flags ask about a network.
func (f *checkFlags) networkQuestion(
	c *cobra.Command, name string, n *spec.Network, m *meter,
) (checker.Question, error) {
	sc, err := f.scenarioOf(name, n)
	if err == nil && f.question.Coverage {
		err = fmt.Errorf("%s is a network: --coverage counts the rules of machines", name)
	}
	if err != nil {
		return checker.Question{}, err
	}
	q, err := f.exploreQuestion(m)
	if err != nil {
		return checker.Question{}, err
	}
	q.Properties, q.Scenario, q.Always, q.Settle = f.properties, sc, f.explore, f.settle
	q.Progress = f.outputs.progress(m.show)
	q.Smallest = map[string]checker.Size{
		"packets": checker.FewestMessages, "messages": checker.FewestMessages, "channels": checker.FewestChannels,
		"moves": checker.FewestMoves,
	}[f.smallest]
	switch {
	case c.Flags().Changed("max-states") && !c.Flags().Changed("settle"):
		q.Settle = cmp.Or(q.MaxStates, math.MaxInt64) // the flag bounds exploring of any kind
	case f.settle <= 0:
		q.Settle = -1
	}
	return q, nil
}

// inFlags says which flags to leave out if the question that they ask cannot be answered.
func inFlags(err error) error {
	var refused *checker.QuestionError
	if !errors.As(err, &refused) {
		return err
	}
	flags := map[string]string{
		"Liveness": "--liveness", "Compact": "--compact", "PartialOrder": "--partial-order", "Slice": "--slice",
		"Symmetry": "--symmetry",
		"Coverage": "--coverage", "Disk": "--disk", "Save": "--checkpoint", "Resume": "--resume",
		"Properties": "--property",
	}
	text := refused.Why + "; leave out " + flags[refused.Field]
	if refused.Other != "" {
		text += ", or " + flags[refused.Other]
	}
	return errors.New(text)
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
