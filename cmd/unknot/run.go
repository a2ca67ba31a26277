package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

type runFlags struct {
	networkFlags
	exploreFlags // of these the scenario alone
	runs, steps  int
	seed         uint64
	states       bool
}

func runCommand(std streams) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run NETWORK",
		Short: "Print random runs, to read before you check",
		Long: `Run prints random walks of a protocol, or of the traffic of a network, with the
action of each step, its place in the file, and its changes. A walk ends when a property is
violated, when no step is possible (with the reason), or after --steps. The same seed
prints the same walks. They prove nothing: "unknot check" decides.

Exit codes: 0 no walk met a violation, 1 one did, 2 usage or input.`,
		Example: `  unknot run peterson
  unknot run msi.star --runs 10 --steps 50 --seed 7
  unknot run ring --packets 3`,
		Args:              wants(1, 1),
		ValidArgsFunction: completeNetwork,
		RunE:              func(c *cobra.Command, args []string) error { return f.run(c, args[0], std) },
	}
	f.networkFlags.register(c)
	f.registerScenario(c)
	f.budget.register(c, std)
	c.Flags().IntVar(&f.runs, "runs", 3, "number of runs")
	c.Flags().IntVar(&f.steps, "steps", 20, "limit on the steps of a run")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the choices")
	c.Flags().BoolVar(&f.states, "states", false,
		"protocols: print whole states, not what each step changes")
	return c
}

func (f *runFlags) run(c *cobra.Command, name string, std streams) error {
	const most = 1_000_000
	switch {
	case f.runs < 1 || f.runs > most:
		return invalid("runs", f.runs, "1 to %d", most)
	case f.steps < 1 || f.steps > most:
		return invalid("steps", f.steps, "1 to %d", most)
	}
	meter := newMeter(std)
	defer meter.clear()
	m, n, err := f.loadMachine(c.Context(), name, meter.show)
	if err != nil {
		return err
	}
	meter.clear()
	sc, err := f.scenarioOf(name, n)
	if err == nil && n != nil {
		m, err = states.NewTraffic(n, sc)
	}
	if err != nil {
		return err
	}
	b := bufio.NewWriter(std.out)
	met := 0
	for i := range f.runs {
		fmt.Fprintf(b, "run %d of %d\n", i+1, f.runs)
		violated, err := f.random(b, m, rand.New(rand.NewPCG(f.seed, uint64(i))))
		if err := cmp.Or(err, context.Cause(c.Context())); err != nil {
			return err
		}
		if violated {
			met++
		}
	}
	fmt.Fprintf(b, "%s of seed %d, %d with a violation; random runs prove nothing: unknot check decides\n",
		words.Plural(f.runs, "run"), f.seed, met)
	if err := b.Flush(); err != nil {
		return err
	}
	if met > 0 {
		return &codeError{code: exitViolated}
	}
	return nil
}

// random takes steps from an initial state, each of the possible actions equally
// likely, prints them, and reports whether something is violated where it ends.
func (f *runFlags) random(w io.Writer, m states.Machine, random *rand.Rand) (violated bool, err error) {
	line := func(format string, args ...any) {
		fmt.Fprintf(w, "  %s\n", spec.Printable(fmt.Sprintf(format, args...)))
	}
	width := m.Layout().Words()
	s := slices.Collect(slices.Chunk(m.Start(nil), width))
	at := s[random.IntN(len(s))]
	first := m.Layout().Text(at)
	if f.states {
		first = explain.StateText(m, at)
	}
	line("   %s", first)
	for i := 0; ; i++ {
		next, err := m.AppendSuccessors(nil, at)
		broken := explain.Violations(m, at, len(next)/width, err)
		for _, v := range broken {
			line("%s", v.Text)
			for _, why := range v.Why {
				line("%s", why)
			}
		}
		switch {
		case broken != nil:
			return true, nil
		case len(next) == 0:
			line("no step is possible, as intended")
			return false, nil
		case i == f.steps:
			line("... after %s", words.Plural(f.steps, "step"))
			return false, nil
		}
		k := explain.Draw(m, at, len(next)/width, random)
		text := m.Action(at, k).Name
		if p, ok := m.(*program.Machine); ok {
			text += p.Program().Rules[p.RuleOf(at, k)].Where.Clause()
		}
		after := next[k*width:][:width]
		line("%d. %s", i+1, text)
		below := explain.StepText(m, at, after, k)
		if f.states {
			below = explain.StateText(m, after)
		}
		line("   %s", below)
		at = after
	}
}
