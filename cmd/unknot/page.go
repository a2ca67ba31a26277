package main

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/page"
)

// reportFlag is the flag that writes an HTML page, and what the page shows besides
// the findings.
type reportFlag struct {
	file  string
	about strings.Builder // what the page says above the findings
	opt   page.Options
	last  time.Time
}

func (f *reportFlag) register(c *cobra.Command) {
	writes(c.Flags(), &f.file, "report",
		"file for a self-contained HTML page with the verdicts, the trace and the evidence", "html")
}

// begin remembers the command line and starts the clock.
func (f *reportFlag) begin(c *cobra.Command, args []string) {
	f.opt = page.Options{Command: commandLine(c, args)}
	f.last = time.Now()
}

// lap names what the time since the last lap was spent on.
func (f *reportFlag) lap(what string) {
	now := time.Now()
	f.opt.Times = append(f.opt.Times, page.Timed{What: what, Took: now.Sub(f.last).Round(10 * time.Microsecond)})
	f.last = now
}

// write writes the page, if asked to. what names the last lap.
func (f *reportFlag) write(ctx context.Context, what string, r *checker.Result) error {
	if f.file == "" {
		return nil
	}
	f.lap(what)
	f.opt.About = f.about.String()
	return writeFile(ctx, f.file,
		func(w io.Writer) error { return page.Write(context.WithoutCancel(ctx), w, r, f.opt) })
}
