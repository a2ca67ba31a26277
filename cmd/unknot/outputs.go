package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// outputs are the flags that tell other programs what check found; several may be
// given. Files are written as a whole, at the end; only the events are written as
// they happen, so that they can be followed.
type outputs struct {
	events, junit, sarif, markdown string
	annotations                    bool

	ctx     context.Context // of the command
	command string
	name    string    // of the network that is being checked
	err     io.Writer // where annotations go, so that they stay out of --json
	file    *os.File  // of the events; nil without
	aside   bool      // file gets the name of the events at the end
	earlier string    // what the events replace is there until the end; "" if it is nowhere
	stream  *report.Events
	results []report.Result
}

// outputNames are the names of these flags, which do not affect what is checked.
var outputNames = [...]string{"events", "junit", "sarif", "markdown", "annotations"}

func (o *outputs) register(c *cobra.Command) {
	fs := c.Flags()
	writes(fs, &o.events, "events", "file for events as they happen, one JSON object per line")
	writes(fs, &o.junit, "junit", "file for the verdicts as JUnit XML", "xml")
	writes(fs, &o.sarif, "sarif", "file for violated and unknown verdicts as SARIF 2.1.0")
	writes(fs, &o.markdown, "markdown", "file for a Markdown summary with Mermaid diagrams")
	fs.BoolVar(&o.annotations, "annotations", false,
		fmt.Sprintf("print GitHub Actions annotations on standard error, at most %d", report.MostAnnotations))
}

func (o *outputs) wanted() bool {
	return o.annotations || o.events != "" || o.junit != "" || o.sarif != "" || o.markdown != ""
}

// run runs the check of the networks named by args, with the outputs open, and
// completes them. A network that could not be decided is a result, too.
func (o *outputs) run(c *cobra.Command, args []string, std streams, check func() error) (err error) {
	if !o.wanted() {
		return check()
	}
	o.ctx, o.command, o.err = c.Context(), commandLine(c, args), std.err
	if o.events != "" {
		if below(c.Flags().Lookup("out"), o.events) { // which is made at the end, unless it is there
			err = os.MkdirAll(filepath.Dir(o.events), 0o755)
		}
		if err == nil {
			err = o.openEvents()
		}
		if err != nil {
			return err
		}
		o.stream = report.NewEvents(o.file)
	}
	o.started(args[0])
	err = check()
	if bad := new(codeError); err != nil && len(o.results) == 0 && !(errors.As(err, &bad) && bad.err == nil) {
		o.failed(err)
	}
	if fault := o.write(o.results); fault != nil {
		return fault
	}
	return err
}

// openEvents opens the file of the events, which can be followed there. What it replaces may be what a network, once it
// is read, turns out to load: events of an earlier run are kept under another name until the end; any other file stays,
// and gets its new content at the end.
func (o *outputs) openEvents() (err error) {
	target := place(o.events)
	head, stays := beginning(target)
	if !stays {
		o.file, err = os.Create(o.events)
		return err
	}
	beside, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*")
	if err != nil {
		return err
	}
	if o.aside = !bytes.HasPrefix(head, []byte(eventsMark)); o.aside {
		o.file = beside
		return nil
	}
	o.earlier = beside.Name()
	if err := errors.Join(beside.Close(), os.Rename(target, o.earlier)); err != nil {
		return err
	}
	o.file, err = os.Create(target)
	return err
}

// closeEvents completes the file of the events.
func (o *outputs) closeEvents() error {
	err := errors.Join(o.stream.Err(), o.file.Close())
	switch {
	case o.earlier != "" && overwritingOf(o.ctx).isInput(o.events):
		return errors.Join(err, os.Rename(o.earlier, place(o.events)))
	case o.earlier != "":
		return errors.Join(err, os.Remove(o.earlier))
	case !o.aside:
		return err
	}
	if err == nil {
		err = writeFile(o.ctx, o.events, func(w io.Writer) error {
			file, err := os.Open(o.file.Name())
			if err != nil {
				return err
			}
			defer file.Close()
			_, err = io.Copy(w, file)
			return err
		})
	}
	return errors.Join(err, os.Remove(o.file.Name()))
}

// started says what is checked next.
func (o *outputs) started(name string) {
	o.name = name
	if o.stream != nil {
		o.stream.Started(name)
	}
}

// found reports the last result as events.
func (o *outputs) found() {
	if o.stream != nil {
		o.stream.Found(&o.results[len(o.results)-1])
	}
}

// progress adds the events to a function that shows progress.
func (o *outputs) progress(show func(routing.Progress)) func(routing.Progress) {
	if o.stream == nil {
		return show
	}
	return func(p routing.Progress) { show(p); o.stream.Progress(p) }
}

// exploring adds the events to a function that shows the progress of an exploration.
func (o *outputs) exploring(show func(states.Progress)) func(states.Progress) {
	if o.stream == nil {
		return show
	}
	return func(p states.Progress) { show(p); o.stream.Exploring(p) }
}

// decided keeps a result.
func (o *outputs) decided(r *checker.Result) error {
	if !o.wanted() {
		return nil
	}
	result, err := report.Of(r, o.origin(nil))
	return o.keep(result, err)
}

// trials keeps the results of one network of a suite.
func (o *outputs) trials(of []trial) error {
	for i := range of {
		t := &of[i]
		if t.err != nil {
			o.failed(t.err)
			continue
		}
		if !o.wanted() {
			continue
		}
		expected := map[string]spec.Verdict{}
		for _, a := range t.findings() {
			expected[a.Property] = t.want(a.Property)
		}
		result, err := report.Of(t.result, o.origin(expected))
		if err := o.keep(result, err); err != nil {
			return err
		}
	}
	return nil
}

// failed records that a network could not be decided.
func (o *outputs) failed(fault error) {
	if o.wanted() {
		o.results = append(o.results, report.Result{Name: o.name, File: fileOf(o.name), Command: o.command, Err: fault})
		o.found()
	}
}

func (o *outputs) keep(r report.Result, err error) error {
	if err != nil {
		return err
	}
	o.results = append(o.results, r)
	o.found()
	return nil
}

func (o *outputs) origin(expected map[string]spec.Verdict) report.Origin {
	return report.Origin{File: fileOf(o.name), Command: o.command, Expected: expected}
}

// fileOf returns the name of the file that a network is read from, "" for a model.
func fileOf(name string) string {
	if info, err := os.Stat(name); err != nil || info.IsDir() {
		return ""
	}
	return name
}

// write completes the events and writes the files.
func (o *outputs) write(results []report.Result) error {
	var faults []error
	if o.stream != nil {
		o.stream.Finished(results)
		faults = append(faults, o.closeEvents())
	}
	for _, f := range []struct {
		name  string
		write func(io.Writer, []report.Result) error
	}{{o.junit, report.WriteJUnit}, {o.sarif, report.WriteSARIF}, {o.markdown, report.WriteMarkdown}} {
		if f.name != "" {
			faults = append(faults, writeFile(o.ctx, f.name, func(w io.Writer) error { return f.write(w, results) }))
		}
	}
	if o.annotations {
		faults = append(faults, report.WriteAnnotations(o.err, results))
	}
	return errors.Join(faults...)
}

// commandLine returns the command line to be typed again: flags by name, without
// the page itself, other outputs, and the flags named in without.
func commandLine(c *cobra.Command, args []string, without ...string) string {
	words := append(strings.Fields(c.CommandPath()), args...)
	c.Flags().Visit(func(f *pflag.Flag) {
		output := f.Name == "report" || slices.Contains(outputNames[:], f.Name)
		if output || f.Name == forced || slices.Contains(without, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			switch {
			case f.Value.Type() != "bool":
				words = append(words, "--"+f.Name, v)
			case v == "true":
				words = append(words, "--"+f.Name)
			default:
				words = append(words, "--"+f.Name+"="+v)
			}
		}
	})
	for i, w := range words {
		words[i] = quoted(w)
	}
	return strings.Join(words, " ")
}

// quoted puts a word into single quotes if a shell would interpret it.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_=+,./:@%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
