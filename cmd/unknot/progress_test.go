package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

func TestMeter(t *testing.T) {
	p := routing.Progress{Stage: "routing", Done: 25, Total: 100, Count: 5000, Unit: "sites"}
	var quiet bytes.Buffer
	m := &meter{w: &quiet}
	m.show(p)
	m.clear()
	if quiet.Len() > 0 {
		t.Errorf("off a terminal it says %q", quiet.String())
	}
	var shown bytes.Buffer
	m = &meter{w: &shown, terminal: true}
	m.show(p)
	m.began = m.began.Add(-10 * time.Second) // as if a quarter had taken ten seconds: thirty remain
	m.last = time.Time{}
	m.show(p)
	m.show(p)                                                                                   // too soon after the last one: nothing more
	for _, want := range []string{`routing 25 %, 5000 sites`, `\((500|4\d\d)/s\), 3\ds left`} { // a busy machine is slower
		if !regexp.MustCompile(want).MatchString(shown.String()) {
			t.Errorf("%q does not match %q", shown.String(), want)
		}
	}
	if n := strings.Count(shown.String(), "routing"); n != 2 {
		t.Errorf("drawn %d times, want 2", n)
	}
	m.clear()
	if !strings.HasSuffix(shown.String(), "\r\x1b[K") {
		t.Error("the line is not cleared")
	}
}

// TestRemind: a command that runs on says so after half a minute, and how to end it: a log hears of it again whenever the
// time has doubled, a terminal, which shows the progress, does not.
func TestRemind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log, shown bytes.Buffer
		quiet, terminal := newMeter(streams{err: &log}), newMeter(streams{err: &shown, terminal: true})
		quiet.patience, terminal.patience = 30*time.Second, 30*time.Second
		for n := range int64(100) {
			p := states.Progress{States: 10 * n, Elapsed: time.Duration(n) * time.Second}
			quiet.explored(p)
			terminal.explored(p)
			time.Sleep(time.Second)
		}
		const end = "; Ctrl-C ends it with what is known, and --timeout sets a limit\n"
		if want := "unknot: exploring, 300 states after 30s" + end + "unknot: exploring, 600 states after 1m0s" + end; log.String() != want {
			t.Errorf("the log is\n%swant\n%s", log.String(), want)
		}
		if n := strings.Count(shown.String(), "\r\x1b[Kunknot: exploring, 300 states after 30s"+end+"\r\x1b[K"); n != 1 || strings.Count(shown.String(), "Ctrl-C") != 1 {
			t.Errorf("on a terminal: %q", shown.String())
		}
	})
}

// TestSeldom: a log has a line after half a minute, and then whenever the time has doubled.
func TestSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := newSeldom(&log)
		for done := range int64(200) {
			s.show(routing.Progress{Stage: "sweeping 200 cases", Done: done, Total: 200})
			time.Sleep(2 * time.Second)
		}
		const want = "unknot: sweeping 200 cases: 15 done in 30s, 6m10s left\n" +
			"unknot: sweeping 200 cases: 30 done in 1m0s, 5m40s left\n" +
			"unknot: sweeping 200 cases: 60 done in 2m0s, 4m40s left\n" +
			"unknot: sweeping 200 cases: 120 done in 4m0s, 2m40s left\n"
		if log.String() != want {
			t.Errorf("the log is\n%swant\n%s", log.String(), want)
		}
	})
}

func TestPace(t *testing.T) {
	for perSecond, want := range map[float64]string{1: "1/s", 1234: "1234/s", 0.5: "30/min"} {
		if got := paceOf(perSecond); got != want {
			t.Errorf("%v a second: %s, want %s", perSecond, got, want)
		}
	}
}

// TestUntilBound: at a steady pace half of a bound takes as long as the other half.
func TestUntilBound(t *testing.T) {
	const minute = time.Minute
	for _, tt := range []struct {
		name string
		p    states.Progress
		want time.Duration
	}{
		{"nothing bounds it", states.Progress{States: 10, Elapsed: minute}, 0},
		{"half of the states", states.Progress{States: 10, MaxStates: 20, Elapsed: minute}, minute},
		{"memory comes first", states.Progress{States: 10, MaxStates: 1000, Memory: 3, Budget: 4, Elapsed: minute}, minute / 3},
		{"only begun", states.Progress{States: 10, MaxStates: 20, Elapsed: time.Millisecond}, 0},
		{"used up", states.Progress{States: 20, MaxStates: 20, Elapsed: minute}, 0},
	} {
		if got := untilBound(tt.p).Round(time.Millisecond); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
