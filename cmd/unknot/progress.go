package main

import (
	"fmt"
	"io"
	"time"

	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// meter shows progress on one line of a terminal: stage, share, rate and the
// time that remains. Elsewhere it shows nothing.
type meter struct {
	w        io.Writer
	terminal bool
	stage    string
	began    time.Time
	last     time.Time
	shown    bool

	made     time.Time
	patience time.Duration // until it says in a line of its own that the command runs on, see remind; 0: it never does
}

func newMeter(std streams) *meter {
	return &meter{w: std.err, terminal: std.terminal, made: time.Now()}
}

// remind says in a line how long a command has run, and how to end it: in a log, and again whenever the time has
// doubled; on a terminal, which shows the rest, once.
func (m *meter) remind(stage string, count int64, unit string) {
	elapsed := time.Since(m.made)
	if m.patience == 0 || elapsed < m.patience {
		return
	}
	if m.patience = 2 * elapsed; m.terminal {
		m.patience = 0
	}
	m.clear()
	if count > 0 {
		stage += fmt.Sprintf(", %d %s", count, unit)
	}
	fmt.Fprintf(m.w, "unknot: %s after %s; Ctrl-C ends it with what is known, and --timeout sets a limit\n",
		stage, elapsed.Round(time.Second))
}

// show shows a report; it never blocks for long and redraws at most ten times a second.
func (m *meter) show(p routing.Progress) {
	m.remind(p.Stage, p.Count, p.Unit)
	if !m.terminal {
		return
	}
	now := time.Now()
	if p.Stage != m.stage {
		m.stage, m.began, m.last = p.Stage, now, time.Time{}
	}
	if now.Sub(m.last) < 100*time.Millisecond {
		return
	}
	m.last, m.shown = now, true
	line := p.Stage
	if p.Total > 0 {
		line += fmt.Sprintf(" %d %%", 100*p.Done/p.Total)
	}
	elapsed := now.Sub(m.began).Seconds()
	if p.Count > 0 {
		line += fmt.Sprintf(", %d %s", p.Count, p.Unit)
		if elapsed > 1 {
			line += fmt.Sprintf(" (%s)", paceOf(float64(p.Count)/elapsed))
		}
	}
	if left := remains(p, now.Sub(m.began)); left > 0 && elapsed > 1 {
		line += fmt.Sprintf(", %s left", left)
	}
	fmt.Fprintf(m.w, "\r\x1b[K%s", line)
}

// paceOf words a number a second, a slow one as a number a minute.
func paceOf(perSecond float64) string {
	if perSecond < 1 {
		return fmt.Sprintf("%.0f/min", 60*perSecond)
	}
	return fmt.Sprintf("%.0f/s", perSecond)
}

// remains estimates how long the rest of a stage takes, in seconds at the pace so far; 0 if nothing tells.
func remains(p routing.Progress, elapsed time.Duration) time.Duration {
	if p.Done <= 0 || p.Done >= p.Total {
		return 0
	}
	return time.Duration(float64(elapsed) / float64(p.Done) * float64(p.Total-p.Done)).Round(time.Second)
}

// seldom reports progress in lines, for a log: after half a minute, and then whenever the time has doubled.
type seldom struct {
	w     io.Writer
	began time.Time
	next  time.Duration
}

func newSeldom(w io.Writer) *seldom { return &seldom{w: w, began: time.Now(), next: 30 * time.Second} }

func (s *seldom) show(p routing.Progress) {
	elapsed := time.Since(s.began)
	left := remains(p, elapsed)
	if elapsed < s.next || left == 0 {
		return
	}
	s.next = 2 * elapsed
	fmt.Fprintf(s.w, "unknot: %s: %d done in %s, %s left\n", p.Stage, p.Done, elapsed.Round(time.Second), left)
}

// clear removes the line.
func (m *meter) clear() {
	if m.shown {
		fmt.Fprint(m.w, "\r\x1b[K")
		m.shown = false
	}
}

// above returns a writer to the same terminal, perhaps, which removes the line first. It must not be written to while a
// report is shown.
func (m *meter) above(w io.Writer) io.Writer { return cleared{m, w} }

type cleared struct {
	m *meter
	w io.Writer
}

func (c cleared) Write(p []byte) (int, error) {
	c.m.clear()
	return c.w.Write(p)
}

// explored shows the progress of an exploration.
func (m *meter) explored(p states.Progress) {
	m.remind("exploring", p.States, "states")
	if !m.terminal {
		return
	}
	m.shown = true
	line := fmt.Sprintf("exploring: %d states (%.0f/s), %d of them not expanded, level %d, %d MiB",
		p.States, float64(p.States)/max(p.Elapsed.Seconds(), 0.001), p.Frontier, p.Level, p.Memory>>20)
	if p.Budget > 0 {
		line += fmt.Sprintf(" of %d MiB", p.Budget>>20)
	}
	if left := untilBound(p); left > 0 {
		line += fmt.Sprintf(", a limit in at most %s", left.Round(time.Second))
	}
	if p.Note != "" {
		line += "; " + p.Note
	}
	fmt.Fprintf(m.w, "\r\x1b[K%s", line)
}

// untilBound returns how long an exploration takes to use up its states or its
// memory at the pace so far; 0 if nothing bounds it, or it has only begun. The number
// of states is unknown, so it may end sooner.
func untilBound(p states.Progress) time.Duration {
	if p.Elapsed < time.Second {
		return 0
	}
	share := 0.0
	if p.MaxStates > 0 {
		share = float64(p.States) / float64(p.MaxStates)
	}
	if p.Budget > 0 {
		share = max(share, float64(p.Memory)/float64(p.Budget))
	}
	if share <= 0 || share >= 1 {
		return 0
	}
	return time.Duration(float64(p.Elapsed) * (1 - share) / share)
}
