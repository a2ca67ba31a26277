package main

import (
	"context"
	"strings"
	"testing"
	"time"
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
	if err == nil || err.Error() != "not finished after 50ms" {
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
		return outcome{engine: name, making: making, wall: time.Second, cpu: 2 * time.Second, peak: 3 << 20, bits: 8, visited: "table"}
	}
	text := render([]table{{subject: subject{about: "it", states: 1 << 20, transitions: 4e6},
		outcomes: []outcome{row("ours", 0), row("theirs", 2500*time.Millisecond), {engine: "none", missing: "is not there"}}}})
	columns := strings.Count(strings.Split(text, "\n")[2], "|")
	for _, want := range []string{"| ours | in wall | 1.00 s | 2.00 s | 4.0 | 3 MiB | 3 |", "| theirs | 2.50 s | 1.00 s |", "| none | is not there |"} {
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
