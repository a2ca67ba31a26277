package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// table holds the measurements of one subject.
type table struct {
	subject
	outcomes []outcome
	probes   float64 // random probes a second into a table of that size: the ceiling
}

// short is how long a run takes that is worth a second one in a row.
const short = 2 * time.Second

// measure runs engines, the first of which is unknot, on a subject in rounds, each in turn, and keeps the
// fastest run of each: a slow phase of the machine then meets all of them.
func measure(ctx context.Context, s subject, all []engine, dir string, repeat int, most time.Duration) (*table, error) {
	p, n, err := s.build(ctx)
	if err != nil {
		return nil, err
	}
	b := &bench{dir: filepath.Join(dir, s.name), n: n, program: p, states: s.states, packets: s.packets}
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
	for range repeat {
		for i, e := range all {
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
				if err == nil && (t.outcomes[i].wall == 0 || o.wall < t.outcomes[i].wall) {
					t.outcomes[i] = o
				}
				t.outcomes[i].making, t.outcomes[i].wrong = making[i], wrong
				if o.wall > short {
					break
				}
			}
		}
	}
	if t.outcomes[0].wall == 0 {
		return nil, errors.New("unknot did not run: " + t.outcomes[0].missing)
	}
	return t, nil
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
		b.WriteString("| engine | build | wall | CPU | million transitions/s | peak memory | bytes a state " +
			"| times wall | times CPU | times memory |\n|---|---|---|---|---|---|---|---|---|---|\n")
		ours := t.outcomes[0]
		for _, o := range t.outcomes {
			if o.missing != "" {
				fmt.Fprintf(&b, "| %s | %s | | | | | | | | |\n", o.engine, o.missing)
				continue
			}
			made := "in wall"
			if o.making > 0 {
				made = seconds(o.making)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %.1f | %d MiB | %d | %.1f | %.1f | %.1f |\n",
				o.engine, made, seconds(o.wall), seconds(o.cpu),
				float64(t.transitions)/o.wall.Seconds()/1e6, o.peak>>20, o.peak/t.states,
				o.wall.Seconds()/ours.wall.Seconds(), o.cpu.Seconds()/ours.cpu.Seconds(),
				float64(o.peak)/float64(ours.peak))
		}
		for _, o := range t.outcomes {
			if o.wrong != 0 {
				fmt.Fprintf(&b, "\n%s counted %d states, not %d.\n", o.engine, o.wrong, t.states)
			}
		}
		fmt.Fprintf(&b, "\nUpper bound: %.0f million random probes a second into a table of that size, 2 workers.\n\n",
			t.probes/1e6)
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
