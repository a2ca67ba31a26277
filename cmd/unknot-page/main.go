// Unknot-page is unknot in a web page: it reads a file, checks it, verifies the evidence as unknot-verify does, and draws
// the report. .ci/site compiles it to WebAssembly. Elsewhere it answers the requests of its standard input, one JSON
// value each, so that what a page is told can be tried in a terminal:
//
//	echo '{"name": "ring.star", "text": "..."}' | unknot-page
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/page"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/models/examples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/murphi"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Request is what a page asks.
type Request struct {
	Name     string            `json:"name"` // of the file; "field/NAME.star" may read what lies beside the examples
	Text     string            `json:"text"`
	Set      map[string]string `json:"set,omitempty"`      // values of parameters
	Seconds  float64           `json:"seconds,omitempty"`  // at most; 0: no limit
	States   int64             `json:"states,omitempty"`   // at most; 0: the default of checker.Question
	Exercise string            `json:"exercise,omitempty"` // its name, if the file answers one
}

// Answer is what it is told.
type Answer struct {
	Error      *Fault     `json:"error,omitempty"` // then nothing else is there
	Name       string     `json:"name,omitempty"`
	Properties []Property `json:"properties,omitempty"`
	Text       string     `json:"text,omitempty"`   // as unknot check prints it
	Report     string     `json:"report,omitempty"` // a page of its own, with pictures and players
	Parameters []string   `json:"parameters,omitempty"`
	Exercise   *Marked    `json:"exercise,omitempty"`
}

// Fault is what is wrong with a file, and where. Line is 0 if it is at no place of the file asked about.
type Fault struct {
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
}

// Property is a verdict, and what the verifier says of its evidence, read from its written form.
type Property struct {
	Name     string `json:"name"`
	Title    string `json:"title"` // the name as people read it
	Verdict  string `json:"verdict"`
	Verified bool   `json:"verified"`
	Check    string `json:"check"` // what the verifier read, or why it did not accept
}

const memory = 1 << 30 // bytes for states

// Respond answers a request. An error in the file is an answer. The time is that of deciding; drawing is bounded by
// page.MostBytes.
func Respond(ctx context.Context, q Request) Answer {
	a, err := decide(ctx, q)
	if err == nil {
		return a
	}
	f := &Fault{Message: err.Error()}
	var at *spec.PosError
	if errors.As(err, &at) && at.File == q.Name {
		f.Line, f.Column = at.Line, at.Col
	}
	return Answer{Error: f}
}

func decide(ctx context.Context, q Request) (a Answer, err error) {
	within, cancel := ctx, context.CancelFunc(func() {})
	if q.Seconds > 0 {
		within, cancel = context.WithTimeout(ctx, time.Duration(q.Seconds*float64(time.Second)))
	}
	defer cancel()
	n, m, err := read(within, q, &a)
	if err != nil {
		return a, err
	}
	question := checker.Question{MaxStates: q.States, Memory: memory}
	var r *checker.Result
	if n != nil {
		r, err = checker.Check(within, n, question)
	} else {
		r, err = checker.Explore(within, m, question)
	}
	if err != nil {
		return a, err
	}
	a.Name = r.Name
	if a.Properties, err = verified(ctx, r); err != nil {
		return a, err
	}
	var text, html strings.Builder
	if err := report.WriteText(&text, r, report.Advice{}); err != nil {
		return a, err
	}
	if err := page.Write(ctx, &html, r, page.Options{Command: q.command()}); err != nil {
		return a, err
	}
	a.Text, a.Report = text.String(), html.String()
	if q.Exercise != "" {
		a.Exercise, err = mark(ctx, q, n, a.Properties)
	}
	return a, err
}

// read reads a network or a machine, and lists its parameters.
func read(ctx context.Context, q Request, a *Answer) (*spec.Network, states.Machine, error) {
	if path.Ext(q.Name) == ".m" {
		p, err := murphi.Load(ctx, q.Name, []byte(q.Text))
		if err != nil {
			return nil, nil, err
		}
		m, err := p.Machine()
		return nil, m, err
	}
	folder, err := fs.Sub(examples.Files(), path.Dir(q.Name))
	if err != nil {
		return nil, nil, err
	}
	file, err := star.Load(ctx, q.Name, []byte(q.Text), star.Options{
		Set:  q.Set,
		Open: func(name string) ([]byte, error) { return fs.ReadFile(folder, name) },
		List: star.ListOf(folder),
	})
	if err != nil {
		return nil, nil, err
	}
	for _, p := range file.Params {
		a.Parameters = append(a.Parameters, fmt.Sprintf("%s=%s (%s) %s", p.Name, p.Value, p.Range(), p.Doc))
	}
	if file.Program != nil {
		m, err := file.Program.Machine()
		return nil, m, err
	}
	n, err := routing.Compile(ctx, file.Definition, routing.CompileOptions{})
	return n, nil, err
}
