package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/murphi"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/listed"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// A suite is several networks that are checked one after the other against the
// verdicts that their authors expect: those that the file states, those of the
// catalogue for a model, and "holds" if no verdict is stated.

// isSuite reports whether the arguments of check are to be checked as a suite.
func (f *checkFlags) isSuite(args []string) bool {
	if len(args) > 1 || f.expected {
		return true
	}
	if _, ok := models.Find(args[0]); ok {
		return false
	}
	info, err := os.Stat(args[0])
	return err == nil && info.IsDir() && !f.isFabric(args[0]) && !f.isTables(args[0])
}

// networkFiles lists the files of networks and machines in a folder, and below
// it: *.star, *.m in Murphi, and *.json that begins like a closed form. It skips those that check wrote
// next to evidence, and libraries that other files load. Lists of paths count where there is none of these,
// which may read them.
func networkFiles(dir string) ([]string, error) {
	var files, lists []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case unprintable(path):
			return fmt.Errorf("invalid file name %s: want printable text", escaped(path))
		case strings.HasSuffix(path, ".star"):
			files = append(files, path)
		case strings.HasSuffix(path, murphiFile):
			text, err := readFile(context.Background(), path, murphi.MostBytes)
			if err != nil || murphi.Is(text) { // or of another language
				files = append(files, path)
			}
		case d.Name() == networkFile || d.Name() == machineFile:
			if beside, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.unknot")); len(beside) > 0 {
				return nil
			}
			fallthrough
		case strings.HasSuffix(path, ".json"):
			head, err := headOf(path)
			is := spec.IsClosed(head) || evidence.IsProgram(head)
			if err != nil {
				return err
			}
			if is {
				files = append(files, path)
			}
		case strings.HasSuffix(path, ".csv"):
			head, err := headOf(path)
			if err != nil {
				return err
			}
			if listed.IsPaths(head) {
				lists = append(lists, path)
			}
		}
		return nil
	})
	if len(files) == 0 {
		files = lists
	}
	if err == nil && len(files) == 0 {
		err = fmt.Errorf(
			"%s contains no network file (*.star or *.json) and no dumps of a fabric (unknot help fabrics lists them); "+
				"to check a topology, name its file", dir)
		if tables, _ := filepath.Glob(filepath.Join(dir, "*.csv")); len(tables) > 0 {
			err = fmt.Errorf("%w; a table for each router is a file *.csv with the columns dest and next, and paths are one "+
				"with the column hops", err)
		}
	}
	return withoutLibraries(files), err
}

// withoutLibraries leaves out files that others load and that describe nothing themselves.
func withoutLibraries(files []string) []string {
	loaded := map[string]bool{}
	for _, path := range files {
		open := beside(context.Background(), path) // which only looks at them
		text, err := open(filepath.Base(path))
		if err != nil || !strings.HasSuffix(path, ".star") {
			continue
		}
		star.Loads(text, star.Options{Open: func(name string) ([]byte, error) {
			if !strings.HasSuffix(name, ".star") {
				return nil, fs.ErrNotExist // data
			}
			text, err := open(name)
			loaded[filepath.Join(filepath.Dir(path), name)] = err == nil && star.IsLibrary(text)
			return text, err
		}})
	}
	return slices.DeleteFunc(files, func(path string) bool { return loaded[path] })
}

// suite checks all targets and compares the verdicts with those expected.
func (f *checkFlags) suite(c *cobra.Command, targets []string, std streams) error {
	ctx := c.Context()
	var names []string
	for _, target := range targets {
		info, err := os.Stat(target)
		if _, model := models.Find(target); model || err != nil || !info.IsDir() || f.isFabric(target) || f.isTables(target) {
			names = append(names, target)
			continue
		}
		if f.from != "" {
			return fmt.Errorf("--from %s: %s is a folder, want a file", f.from, target)
		}
		files, err := networkFiles(target)
		if err != nil {
			return err
		}
		names = append(names, files...)
	}
	m := newMeter(std)
	var trials []trial
	folders := write.Names{}
	for _, name := range names {
		f.outputs.started(name)
		of := f.trials(c, name, m)
		m.clear()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, t := range of {
			if f.out != "" && t.err == nil {
				if err := f.keep(ctx, filepath.Join(f.out, folders.Name(t.folder())), t.result); err != nil {
					return err
				}
			}
			if !f.json {
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
	if f.out != "" && !f.json {
		const written = "written to %s, a folder each; check them with: unknot verify %[1]s\n"
		if _, err := fmt.Fprintf(std.out, written, f.out); err != nil {
			return err
		}
	}
	return summary(std, trials, f.json)
}

// trials decides one network, once for each switching that its expectations
// name.
func (f *checkFlags) trials(c *cobra.Command, name string, m *meter) []trial {
	ctx := c.Context()
	failed := func(err error) []trial { return []trial{{name: name, err: err}} }
	if e, ok := models.Find(name); ok && e.IsMachine() || isProgramFile(ctx, name) {
		return []trial{f.machineTrial(ctx, name, m)}
	}
	n, err := f.load(ctx, name, f.outputs.progress(m.show))
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
		if s != n.Switching() {
			def := routing.FromNetwork(n)
			def.Switching = s
			if t.n, err = routing.Compile(ctx, def, routing.CompileOptions{MaxSites: f.maxSites}); err != nil {
				return failed(err)
			}
		}
		q, behind, err := f.networkQuestion(c, name, t.n, m)
		if err != nil {
			return failed(err)
		}
		if t.result, t.err = checker.Check(ctx, t.n, q); t.err != nil {
			t.err = fmt.Errorf("deciding it: %w", inFlags(t.err))
		} else {
			f.tellBehind(behind, t.result)
		}
		all = append(all, t)
	}
	return all
}

// machineTrial explores a machine, its responses included.
func (f *checkFlags) machineTrial(ctx context.Context, name string, meter *meter) trial {
	t := trial{name: name, expect: map[string]spec.Verdict{}}
	var m states.Machine
	if m, _, t.err = f.loadMachine(ctx, name, meter.show); t.err != nil {
		return t
	}
	if len(f.properties) > 0 {
		t.err = fmt.Errorf("%s is a protocol: all its properties are decided", name)
		return t
	}
	if e, model := models.Find(name); model {
		set, _ := settingsOf("set", f.set) // which the machine has taken
		for _, x := range e.Described().Machines {
			if maps.Equal(x.Set, set) {
				for _, property := range x.Violated {
					t.expect[property] = spec.Violated
				}
			}
		}
	} else {
		for _, x := range programOf(m).Expect {
			t.expect[x.Property] = x.Verdict
		}
	}
	t.result, t.err = f.exploreWhole(ctx, name, m, meter)
	return t
}

// exploreWhole explores all of a machine, by default within 4 GiB.
func (f *checkFlags) exploreWhole(
	ctx context.Context, name string, m states.Machine, meter *meter,
) (*checker.Result, error) {
	const memory = 4 << 30
	if _, err := f.scenarioOf(name, nil); err != nil {
		return nil, err
	}
	q, err := f.exploreQuestion(meter)
	if err != nil {
		return nil, err
	}
	q.Explore, q.Memory = checker.Whole, cmp.Or(q.Memory, memory)
	// Liveness cannot be decided under these reductions, or not always.
	q.Liveness = q.Liveness || !q.Symmetry && !q.PartialOrder && !q.Slice && !q.Compact
	r, err := checker.Explore(ctx, m, q)
	return r, inFlags(err)
}

// expectations returns what is expected of a network, by switching. A
// switching that the command line names is the only one.
func (f *checkFlags) expectations(name string, n *spec.Network) (map[spec.Switching]map[string]spec.Verdict, error) {
	own := n.Switching()
	all := map[spec.Switching]map[string]spec.Verdict{}
	for _, x := range n.Expect() {
		if all[x.Switching] == nil {
			all[x.Switching] = map[string]spec.Verdict{}
		}
		all[x.Switching][x.Property.String()] = x.Verdict
	}
	if e, ok := models.Find(name); ok {
		set, err := settingsOf("set", f.set)
		if err != nil {
			return nil, err
		}
		for _, x := range e.Described().Expect {
			if maps.Equal(x.Set, set) {
				all[own] = map[string]spec.Verdict{
					spec.DeadlockFreedom.String(): x.Deadlock(own), spec.LivelockFreedom.String(): x.Livelock,
					spec.Delivery.String(): x.Delivery,
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

// trial is one decision of a suite: a network under one switching, or a machine.
type trial struct {
	name   string
	n      *spec.Network // nil: a machine
	result *checker.Result
	expect map[string]spec.Verdict // by property; what is not named should hold
	err    error                   // it could not be decided
}

// folder returns the name of the folder with its evidence: that of the file.
func (t *trial) folder() string {
	base := filepath.Base(t.name)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// findings lists what was found, in order.
func (t *trial) findings() []checker.Finding {
	if t.result == nil {
		return nil
	}
	return t.result.Findings
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
	return t.err == nil &&
		!slices.ContainsFunc(t.findings(), func(a checker.Finding) bool { return a.Verdict != t.want(a.Property) })
}

// text is a line about the trial, and one more for each verdict that is not the
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
	for _, a := range t.findings() {
		verdicts = append(verdicts, fmt.Sprintf("%s %s", evidence.Freedom(a.Property), a.Verdict))
		if want := t.want(a.Property); want != a.Verdict {
			more = append(more, fmt.Sprintf("     %s is %s, not %s as expected: %s\n",
				evidence.Freedom(a.Property), a.Verdict, want, a.Because))
		}
	}
	word := "ok  "
	if len(more) > 0 {
		word = "FAIL"
	}
	under := "machine"
	if t.n != nil {
		under = t.n.Switching().String()
	}
	return fmt.Sprintf("%s %s (%s): %s\n%s", word, t.name, under, strings.Join(verdicts, ", "), strings.Join(more, ""))
}

// summary says how many trials are as expected, and turns that into an exit code.
func summary(std streams, trials []trial, quiet bool) error {
	good, code, other := 0, exitExpected, ""
	for i := range trials {
		t := &trials[i]
		if t.err == nil && !t.asExpected() && other == "" {
			other = t.name
		}
		switch {
		case t.asExpected():
			good++
		case t.err != nil:
			if c := exitCode(context.Background(), t.err); code != exitUsage {
				code = c
			}
		case code != exitUsage && slices.ContainsFunc(t.findings(), func(a checker.Finding) bool {
			return a.Verdict != t.want(a.Property) && a.Verdict != spec.Unknown
		}):
			code = exitViolated
		case code == exitExpected:
			code = exitUnknown
		}
	}
	if !quiet {
		text := fmt.Sprintf("%d of %d as expected\n", good, len(trials))
		if other != "" {
			text += fmt.Sprintf("to see why: unknot check %s\n", other)
		}
		if _, err := io.WriteString(std.out, text); err != nil {
			return err
		}
	}
	if code != exitExpected {
		return &codeError{code: code}
	}
	return nil
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
			result, err := report.Of(t.result, report.Origin{})
			if err != nil {
				return err
			}
			r.Result = &result
			r.Expected = map[string]string{}
			for _, a := range t.findings() {
				r.Expected[a.Property] = t.want(a.Property).String()
			}
		}
		out.Trials = append(out.Trials, r)
	}
	return writeJSON(w, out)
}
