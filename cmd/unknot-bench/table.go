package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// table holds the measurements of one subject.
type table struct {
	subject
	outcomes []outcome
	probes   float64 // random probes a second into a table of that size: the ceiling
}

// short is how long a run takes that is worth a second one in a row, and long one that is worth two rounds, not more.
const (
	short = 2 * time.Second
	long  = 30 * time.Second
)

// measure runs engines, the first of which is unknot, on a subject in rounds, each in turn, so that a slow phase of the
// machine meets all of them: runs of one round are a pair.
func measure(ctx context.Context, s subject, all []engine, dir string, repeat int, most time.Duration) (*table, error) {
	p, n, err := s.build(ctx)
	if err != nil {
		return nil, err
	}
	b := &bench{
		dir: filepath.Join(dir, s.name), n: n, program: p, states: s.states, packets: s.packets, model: s.model, set: s.set,
	}
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return nil, err
	}
	t := &table{subject: s}
	commands := make([][]string, len(all))
	t.outcomes = make([]outcome, len(all))
	making := make([]time.Duration, len(all))
	for i, e := range all {
		t.outcomes[i].engine = e.name
		b.making = 0
		commands[i], err = e.prepare(ctx, b)
		making[i] = b.making
		switch {
		case err != nil && i == 0:
			return nil, fmt.Errorf("unknot does not run: %w", err) // and nothing to compare with
		case err != nil:
			t.outcomes[i].missing = firstLine(err.Error())
		}
	}
	for round := range repeat {
		for i, e := range all {
			if rounds := t.outcomes[i].rounds; round > 1 && len(rounds) > 1 && rounds[0].wall > long {
				continue
			}
			var best outcome
			for range 2 { // in a row: the second finds memory as the same engine left it
				if commands[i] == nil || t.outcomes[i].missing != "" {
					break
				}
				wrong := t.outcomes[i].wrong
				o, err := e.measure(ctx, commands[i], most)
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				switch {
				case err != nil:
					t.outcomes[i].missing = firstLine(err.Error())
				case o.states != s.states && i > 1:
					wrong = o.states // SPIN's parallel search is known to lose states
				case o.states != s.states || o.steps != 0 && o.steps != s.transitions:
					return nil, fmt.Errorf("%s counts %d states and %d transitions, not %d and %d",
						e.name, o.states, o.steps, s.states, s.transitions)
				}
				if err == nil && (best.wall == 0 || o.wall < best.wall) {
					best = o
				}
				t.outcomes[i].making, t.outcomes[i].wrong = making[i], wrong
				if o.wall > short {
					break
				}
			}
			t.outcomes[i].add(best)
		}
	}
	if t.outcomes[0].wall == 0 {
		return nil, errors.New("unknot did not run: " + t.outcomes[0].missing)
	}
	return t, nil
}

// add adds what an engine took in a round, unless it did not run, and keeps the counts and costs of the fastest one.
func (o *outcome) add(round outcome) {
	if round.wall == 0 {
		return
	}
	rounds := append(o.rounds, cost{round.wall, round.cpu})
	if o.wall == 0 || round.wall < o.wall {
		making, wrong := o.making, o.wrong
		*o = round
		o.making, o.wrong = making, wrong
	}
	o.rounds = rounds
}

// least and middle are the least CPU time of all rounds, and the median.
func (o *outcome) least() time.Duration { return o.sorted()[0] }

func (o *outcome) middle() time.Duration {
	all := o.sorted()
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

func (o *outcome) sorted() (all []time.Duration) {
	for _, r := range o.rounds {
		all = append(all, r.cpu)
	}
	slices.Sort(all)
	return all
}

// ratio is the median over the rounds of both, of the CPU time of o divided by that of another engine.
func (o *outcome) ratio(by *outcome) float64 {
	var all []float64
	for r := range min(len(o.rounds), len(by.rounds)) {
		all = append(all, o.rounds[r].cpu.Seconds()/by.rounds[r].cpu.Seconds())
	}
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// render writes the tables in Markdown.
func render(tables []table) string {
	var b strings.Builder
	for _, t := range tables {
		fmt.Fprintf(&b, "%s: %d states, %d transitions; %d bits, visited set: %s.\n\n",
			t.about, t.states, t.transitions, t.outcomes[0].bits, t.outcomes[0].visited)
		b.WriteString("| engine | build | run | whole | CPU, least | CPU, median | peak memory | bytes a state " +
			"| times CPU | times memory | times floor |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
		ours, floor := &t.outcomes[0], float64(t.transitions)/t.probes*2 // each of two workers is busy for half of them
		for i := range t.outcomes {
			o := &t.outcomes[i]
			if o.missing != "" {
				fmt.Fprintf(&b, "| %s | %s | | | | | | | | | |\n", o.engine, o.missing)
				continue
			}
			made := "in run"
			if o.making > 0 {
				made = seconds(o.making)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %d MiB | %d | %.1f | %.1f | %.1f |\n",
				o.engine, made, seconds(o.wall), seconds(o.making+o.wall), seconds(o.least()), seconds(o.middle()),
				o.peak>>20, o.peak/t.states, o.ratio(ours), float64(o.peak)/float64(ours.peak), o.least().Seconds()/floor)
		}
		for _, o := range t.outcomes {
			if o.wrong != 0 {
				fmt.Fprintf(&b, "\n%s counted %d states, not %d.\n", o.engine, o.wrong, t.states)
			}
		}
		fmt.Fprintf(&b, "\nFloor: %.2f s of CPU for as many random probes into a table of that size as there are transitions.\n\n", floor)
	}
	return b.String()
}

// seconds writes three digits or two places.
func seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.3f s", d.Seconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
