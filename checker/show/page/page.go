// Package page, internal to unknot, writes results as one self-contained HTML page: it opens from
// disk, requests nothing from a server, and is smaller than 2 MB.
package page

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/internal/figure"
	"github.com/seed-105a2da2/unknot/spec"
)

// Design of the page.
//
//   - All text goes through html/template, so that no name in a network can
//     become markup; drawings are data that templates write.
//   - All layout is made in Go. The script steps the players and selects what is
//     shown of the dependency graph, nothing else; without it the page shows every
//     step as text and every cycle as a picture.
//   - A policy in the page forbids the browser to load anything.
//   - What is written depends on the arguments alone. Times are those that the
//     caller gives; without them the page is byte for byte the same on every run.
//   - The size is bounded: a page that would be too large is made again with
//     tighter limits, which it then states.

// Options says what a page shows besides the findings. The zero value adds nothing.
type Options struct {
	Command string  // the command line that made it
	About   string  // lines about what the subject is a part of, such as a fabric; shown as they are
	Times   []Timed // what took how long, in this order
	Links   []Link  // to the pages of a site that it is a part of, on top
}

// Link leads to an address.
type Link struct{ To, Text string }

// Timed is how long something took.
type Timed struct {
	What string
	Took time.Duration
}

// MostBytes is the size that no page exceeds.
const MostBytes = 2_000_000

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// Write writes the page. An error comes from the subject (evidence that does not replay,
// say), from ctx or from w; nothing is written unless the page is complete. Time is linear
// in the sites, and for the flows on links in flows times sites up to a bound, beyond which
// targets are counted instead.
func Write(ctx context.Context, w io.Writer, r *checker.Result, o Options) error {
	s := subject{r}
	text, err := template.New("page").Funcs(template.FuncMap{"words": strings.Fields}).Parse(figure.Templates)
	if err == nil {
		text, err = text.Parse(pageText)
	}
	if err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	for _, l := range []limits{
		{figure: figure.Limits{Nodes: 300, Links: 1500}, steps: 2000, rows: 400, channels: 200},
		{figure: figure.Limits{Nodes: 100, Links: 400}, steps: 500, rows: 100, channels: 100},
		{figure: figure.Limits{Nodes: 30, Links: 100}, steps: 100, rows: 30, channels: 30},
		{figure: figure.Limits{Nodes: 10, Links: 30}, steps: 20, rows: 10, channels: 10},
	} {
		v, err := s.view(ctx, o, l)
		if err != nil {
			return fmt.Errorf("writing a page about %s: %w", r.Name, err)
		}
		var b bytes.Buffer
		if err := text.ExecuteTemplate(&b, "page", v); err != nil {
			return fmt.Errorf("writing a page about %s: %w", r.Name, err)
		}
		if b.Len() <= MostBytes {
			_, err := w.Write(b.Bytes())
			return err
		}
	}
	return fmt.Errorf("writing a page about %s: %w",
		r.Name, &spec.BoundError{What: "bytes in a page", Limit: MostBytes})
}

// limits bound how much a page shows.
type limits struct {
	figure   figure.Limits
	steps    int // of a player
	rows     int // of a table
	channels int // of a dependency graph
}
