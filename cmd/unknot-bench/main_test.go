package main

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/checker"
)

// TestElsewhere: outside a checkout, and with flags that mean nothing, one line says so.
func TestElsewhere(t *testing.T) {
	for args, want := range map[string]string{
		"--timeout 0s": "invalid timeout 0s", "--repeat 0": "invalid repeat 0", "ring-7": `invalid argument "ring-7"`,
		"--model ring-7 --model ring7": `invalid model "ring7": want torus-3x3, `, "--out nodir/x": `invalid out "nodir/x"`,
	} {
		if err := run(t.Context(), strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
	t.Chdir(t.TempDir())
	err := run(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "want a checkout") || strings.Contains(err.Error(), "\n") {
		t.Errorf("elsewhere: %v", err)
	}
}

// TestNotInTime: an engine that takes too long is ended, and its row says so.
func TestNotInTime(t *testing.T) {
	_, err := engine{name: "slow"}.measure(context.Background(), []string{"sleep", "300"}, 50*time.Millisecond)
	if err == nil || err.Error() != "*over 0.05 s*" {
		t.Errorf("%v, want that it was not done", err)
	}
}

// TestSubjects: names are told apart, and each subject can be made.
func TestSubjects(t *testing.T) {
	names := map[string]bool{}
	for _, s := range subjects() {
		if names[s.name] {
			t.Errorf("two are called %s", s.name)
		}
		names[s.name] = true
		if _, _, err := s.build(t.Context()); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}

// TestTable: the row of an engine shows the time to build its verifier, if it builds one.
func TestTable(t *testing.T) {
	row := func(name string, making time.Duration) outcome {
		o := outcome{engine: name, making: making}
		for _, cpu := range []time.Duration{4, 2, 9} {
			o.add(outcome{engine: name, wall: cpu * time.Second / 2, cpu: cpu * time.Second, peak: 3 << 20, bits: 8, visited: "table"})
		}
		return o
	}
	text := render([]table{{subject: subject{about: "it", states: 1 << 20, transitions: 4e6}, probes: 1e6,
		outcomes: []outcome{row("ours", 0), row("theirs", 2500*time.Millisecond), {engine: "none", missing: "is not there"}}}})
	columns := strings.Count(strings.Split(text, "\n")[2], "|")
	for _, want := range []string{
		"| ours | in run | 1.00 s | 1.00 s | 2.00 s | 4.00 s | 3 MiB | 3 | 1.0 |", "| theirs | 2.50 s | 1.00 s | 3.50 s |", "| none | is not there |",
	} {
		line := ""
		for l := range strings.Lines(text) {
			if strings.HasPrefix(l, want) {
				line = l
			}
		}
		if strings.Count(line, "|") != columns {
			t.Errorf("no row %s with %d columns:\n%s", want, columns-1, text)
		}
	}
}

// TestPairs: ratios are those of runs in the same round, and their median, where an engine may have had fewer rounds.
func TestPairs(t *testing.T) {
	costs := func(cpu ...time.Duration) *outcome {
		var o outcome
		for _, x := range cpu {
			o.rounds = append(o.rounds, cost{cpu: x * time.Second})
		}
		return &o
	}
	ours := costs(1, 2, 4, 8)
	for _, x := range []struct {
		theirs *outcome
		want   float64
	}{{costs(3, 6, 4, 80), 3}, {costs(2, 8), 3}, {ours, 1}} {
		if got := x.theirs.ratio(ours); got != x.want {
			t.Errorf("%v: %v times, want %v", x.theirs.rounds, got, x.want)
		}
	}
	if least, middle := ours.least(), ours.middle(); least != time.Second || middle != 3*time.Second {
		t.Errorf("least %v, median %v", least, middle)
	}
}

// TestWrittenByHand: SPIN counts as many states of a model written by hand as are found in the catalogue's. No number is
// written here, as two programs, each with a text of its own, are to agree.
func TestWrittenByHand(t *testing.T) {
	for _, program := range []string{"spin", "cc"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	for _, tt := range []struct{ model, set string }{
		{"peterson", "n=3"},
		{"two-phase-commit", "managers=3"},
		{"rwc1-machine", "streams=all@0 n=2 window=2"},
		{"rwc1-machine", "streams=all@0 n=3 window=5"},
		{"fetch-add", "requesters=3"},
		{"fetch-add", "requesters=3 fan-out=3"},
		{"invalidate-ack", "variant=defer resharing=no depth=1 writers=1"},
		{"invalidate-ack", "variant=defer resharing=no homes=0,2 link=3 overflow=marked writers=3"},
		{"invalidate-ack", "variant=defer resharing=no homes=0,2 link=1 overflow=marked"},
		{"invalidate-ack", "variant=defer resharing=no homes=0,4 link=1 depth=3 writers=5"},
		{"invalidate-ack", "variant=defer resharing=no link=1 depth=3 writers=1,2,5"},
	} {
		t.Run(tt.model+" "+tt.set, func(t *testing.T) {
			t.Parallel()
			s := subject{model: tt.model, set: map[string]string{}}
			for setting := range strings.FieldsSeq(tt.set) {
				name, value, _ := strings.Cut(setting, "=")
				s.set[name] = value
			}
			p, _, err := s.build(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			m, err := p.Machine()
			if err != nil {
				t.Fatal(err)
			}
			want, err := checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole})
			if err != nil {
				t.Fatal(err)
			}
			b := &bench{dir: t.TempDir(), model: s.model, set: s.set, states: want.States}
			line, err := b.byHand(t.Context(), "depth-first", nil) // where a short stack would lose states
			if err != nil {
				t.Fatal(err)
			}
			got, err := engine{states: spinStates}.measure(t.Context(), line, time.Minute)
			if err != nil || got.states != want.States {
				t.Errorf("%d states, want %d: %v", got.states, want.States, err)
			}
		})
	}
}
