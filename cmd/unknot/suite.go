package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/report"
	"github.com/seed-105a2da2/unknot/cmd/internal/evidence"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
)

// A suite is several networks that are checked one after the other against the
// verdicts that their authors expect: those that the file states, those of the
// catalogue for a model, and "holds" for whatever states nothing.

// trial is one decision of a suite: a network under one switching, or a machine.
type trial struct {
	name        string
	n           *spec.Network
	report      *checker.Report
	machine     spec.Machine // instead of a network
	exploration *checker.Exploration
	expect      map[string]spec.Verdict // by property; what is not named should hold
	err         error                   // it could not be decided
}

// answer is the verdict on a property.
type answer struct {
	property string
	verdict  spec.Verdict
	because  string
}

// answers lists what was found, in order.
func (t *trial) answers() []answer {
	var all []answer
	if t.report != nil {
		for _, r := range t.report.Results {
			all = append(all, answer{r.Property.String(), r.Verdict, r.Because})
		}
	}
	if t.exploration != nil {
		for _, f := range t.exploration.Findings {
			all = append(all, answer{f.Property, f.Verdict, f.Because})
		}
	}
	return all
}

// isSuite reports whether the arguments of check are to be checked as a suite.
func (f *checkFlags) isSuite(args []string) bool {
	if len(args) > 1 || f.expected {
		return true
	}
	if _, ok := models.Find(args[0]); ok {
		return false
	}
	info, err := os.Stat(args[0])
	return err == nil && info.IsDir()
}

// networkFiles lists the files of networks and machines in a folder, and below
// it: *.star, and *.json that begins like a closed form.
func networkFiles(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case strings.HasSuffix(path, ".star"):
			files = append(files, path)
		case strings.HasSuffix(path, ".json"):
			is, err := isClosed(path)
			if err != nil {
				return err
			}
			if is {
				files = append(files, path)
			}
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s holds no network file", dir)
	}
	return files, err
}

// isClosed looks at the first bytes of a file.
func isClosed(path string) (bool, error) {
	head, err := headOf(path)
	return bytes.Contains(head, []byte(spec.ClosedFormat)) || evidence.IsProgram(head), err
}

// headOf returns the first bytes of a file, in which closed forms name their format.
func headOf(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head := make([]byte, 256)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return head[:n], nil
}

// suite checks all targets and compares the verdicts with those expected.
func (f *checkFlags) suite(ctx context.Context, targets []string, opt checker.Options, std streams) error {
	if f.out != "" {
		return errors.New("--out takes the evidence of one network: check them one by one")
	}
	var names []string
	for _, target := range targets {
		info, err := os.Stat(target)
		if _, model := models.Find(target); model || err != nil || !info.IsDir() {
			names = append(names, target)
			continue
		}
		files, err := networkFiles(target)
		if err != nil {
			return err
		}
		names = append(names, files...)
	}
	m := newMeter(std)
	opt.Progress = f.outputs.progress(m.show)
	var trials []trial
	for _, name := range names {
		f.outputs.started(name)
		of := f.trials(ctx, name, opt)
		m.clear()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !f.json {
			for _, t := range of {
				if _, err := io.WriteString(std.out, t.text()); err != nil {
					return err
				}
			}
		}
		if err := f.outputs.trials(of); err != nil {
			return err
		}
		trials = append(trials, of...)
	}
	if f.json {
		if err := writeSuite(std.out, trials); err != nil {
			return err
		}
	}
	return summary(std, trials, f.json)
}

// trials decides one network, once for each switching that its expectations
// name.
func (f *checkFlags) trials(ctx context.Context, name string, opt checker.Options) []trial {
	failed := func(err error) []trial { return []trial{{name: name, err: err}} }
	if e, ok := models.Find(name); ok && e.IsMachine() {
		return []trial{f.machineTrial(ctx, e)}
	}
	if isProgramFile(name) {
		return []trial{f.programTrial(ctx, name)}
	}
	n, err := f.load(ctx, name, opt.Progress)
	if err != nil {
		return failed(err)
	}
	expect, err := f.expectations(name, n)
	if err != nil {
		return failed(err)
	}
	var all []trial
	for _, s := range slices.Sorted(maps.Keys(expect)) {
		t := trial{name: name, n: n, expect: expect[s]}
		if s != n.Definition().Switching {
			def := n.Definition()
			def.Switching = s
			if t.n, err = spec.Compile(ctx, def, spec.CompileOptions{MaxSites: f.maxSites}); err != nil {
				return failed(err)
			}
		}
		if t.report, t.err = checker.Decide(ctx, t.n, opt); t.err != nil {
			t.err = fmt.Errorf("deciding it: %w", t.err)
		}
		all = append(all, t)
	}
	return all
}

// machineTrial explores a model that is a machine of its own, with everything
// that has to happen sooner or later.
func (f *checkFlags) machineTrial(ctx context.Context, e models.Entry) trial {
	t := trial{name: e.Name, expect: map[string]spec.Verdict{}}
	if len(f.properties) > 0 {
		t.err = fmt.Errorf("%s is a machine: all its properties are decided", e.Name)
		return t
	}
	if t.machine, t.err = f.modelMachine(e); t.err != nil {
		return t
	}
	set, err := f.settings()
	if err != nil {
		t.err = err
		return t
	}
	for _, x := range e.Machines {
		if maps.Equal(x.Set, set) {
			for _, property := range x.Violated {
				t.expect[property] = spec.Violated
			}
		}
	}
	t.exploreWhole(ctx)
	return t
}

// programTrial explores a machine from a file in the same way.
func (f *checkFlags) programTrial(ctx context.Context, name string) trial {
	t := trial{name: name, expect: map[string]spec.Verdict{}}
	m, err := f.loadProgram(name)
	if err == nil && len(f.properties) > 0 {
		err = fmt.Errorf("%s is a machine: all its properties are decided", name)
	}
	if err != nil {
		t.err = err
		return t
	}
	t.machine = m
	for _, x := range m.Program().Expect {
		t.expect[x.Property] = x.Verdict
	}
	t.exploreWhole(ctx)
	return t
}

func (t *trial) exploreWhole(ctx context.Context) {
	const memory = 4 << 30
	t.exploration, t.err = checker.Explore(ctx, t.machine, checker.ExploreOptions{Whole: true, Liveness: true, Memory: memory})
}

// expectations returns what is expected of a network, by switching. A
// switching that the command line names is the only one.
func (f *checkFlags) expectations(name string, n *spec.Network) (map[spec.Switching]map[string]spec.Verdict, error) {
	own := n.Definition().Switching
	all := map[spec.Switching]map[string]spec.Verdict{}
	for _, x := range n.Definition().Expect {
		if all[x.Switching] == nil {
			all[x.Switching] = map[string]spec.Verdict{}
		}
		all[x.Switching][x.Property.String()] = x.Verdict
	}
	if e, ok := models.Find(name); ok {
		set, err := f.settings()
		if err != nil {
			return nil, err
		}
		for _, x := range e.Expect {
			if maps.Equal(x.Set, set) {
				all[own] = map[string]spec.Verdict{
					spec.Deadlock.String(): x.Deadlock(own), spec.Livelock.String(): orHolds(x.Livelock), spec.Delivery.String(): orHolds(x.Delivery),
				}
			}
		}
	}
	if f.switching != "" || len(all) == 0 {
		expect := all[own]
		if expect == nil {
			expect = map[string]spec.Verdict{}
		}
		all = map[spec.Switching]map[string]spec.Verdict{own: expect}
	}
	return all, nil
}

// want returns the verdict expected of a property.
func (t *trial) want(property string) spec.Verdict {
	if v, stated := t.expect[property]; stated {
		return v
	}
	return spec.Holds
}

// asExpected reports whether every verdict is the expected one.
func (t *trial) asExpected() bool {
	return t.err == nil && !slices.ContainsFunc(t.answers(), func(a answer) bool { return a.verdict != t.want(a.property) })
}

// text is a line for people, and one more for each verdict that is not the
// expected one.
func (t *trial) text() string {
	if t.err != nil {
		text := t.err.Error()
		if !strings.HasPrefix(text, t.name+":") {
			text = t.name + ": " + text
		}
		return "FAIL " + text + "\n"
	}
	var verdicts, more []string
	for _, a := range t.answers() {
		verdicts = append(verdicts, fmt.Sprintf("%s %s", a.property, a.verdict))
		if want := t.want(a.property); want != a.verdict {
			more = append(more, fmt.Sprintf("     %s is %s, not %s as expected: %s\n", a.property, a.verdict, want, a.because))
		}
	}
	word := "ok  "
	if len(more) > 0 {
		word = "FAIL"
	}
	under := "machine"
	if t.n != nil {
		under = t.n.Definition().Switching.String()
	}
	return fmt.Sprintf("%s %s (%s): %s\n%s", word, t.name, under, strings.Join(verdicts, ", "), strings.Join(more, ""))
}

// summary says how many trials are as expected, and turns that into an exit code.
func summary(std streams, trials []trial, quiet bool) error {
	good, code := 0, exitExpected
	for i := range trials {
		t := &trials[i]
		switch {
		case t.asExpected():
			good++
		case t.err != nil:
			if c := exitCode(context.Background(), t.err); code != exitUsage {
				code = c
			}
		case code != exitUsage && slices.ContainsFunc(t.answers(), func(a answer) bool {
			return a.verdict != t.want(a.property) && a.verdict != spec.Unknown
		}):
			code = exitViolated
		case code == exitExpected:
			code = exitUnknown
		}
	}
	if !quiet {
		if _, err := fmt.Fprintf(std.out, "%d of %d as expected\n", good, len(trials)); err != nil {
			return err
		}
	}
	if code != exitExpected {
		return &codeError{code: code}
	}
	return nil
}

// result returns the machine-readable form of what was found.
func (t *trial) result(o report.Origin) (report.Result, error) {
	if t.exploration != nil {
		return report.Explored(t.machine, nil, t.exploration, o)
	}
	return report.Decided(t.n, t.report, o)
}

// suiteResult is the machine-readable form of a suite.
type suiteResult struct {
	Version int           `json:"version"`
	Trials  []trialResult `json:"networks"`
}

type trialResult struct {
	File       string            `json:"file"`
	AsExpected bool              `json:"as_expected"`
	Expected   map[string]string `json:"expected,omitempty"` // verdict by property
	Error      string            `json:"error,omitempty"`
	Result     any               `json:"result,omitempty"` // as of check with one network
}

func writeSuite(w io.Writer, trials []trial) error {
	out := suiteResult{Version: resultVersion}
	for i := range trials {
		t := &trials[i]
		r := trialResult{File: t.name, AsExpected: t.asExpected()}
		if t.err != nil {
			r.Error = t.err.Error()
		} else {
			result, err := t.result(report.Origin{})
			if err != nil {
				return &codeError{exitInternal, err}
			}
			r.Result = &result
			r.Expected = map[string]string{}
			for _, a := range t.answers() {
				r.Expected[a.property] = t.want(a.property).String()
			}
		}
		out.Trials = append(out.Trials, r)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}
