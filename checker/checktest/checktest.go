// Package checktest says in a line of a Go test what holds of a network or a
// machine:
//
//	checktest.Network(t, def, checktest.Options{})                                    // free of deadlock and livelock, delivers
//	checktest.Network(t, def, checktest.Options{Properties: []string{"deadlock"}})    // only this one
//	checktest.Network(t, def, checktest.Options{Violated: []string{"deadlock"}})      // this one is expected to fail
//	checktest.Network(t, def, checktest.Options{Scenario: &spec.Scenario{Bubble: 2}}) // explored, not decided from the tables
//	checktest.File(t, "my.star", checktest.Options{})                                 // the network in a file
//	checktest.Machine(t, m, checktest.Options{Properties: []string{"mutual exclusion"}})
//
// A test that fails tells who waits for whom, keeps the network in the closed
// form with the trace, a drawing and a page, and names the command that shows
// it again. It takes a *testing.T, *testing.B or *rapid.T.
package checktest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/explain"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// T is the part of *testing.T that is needed; *rapid.T has it, too.
type T interface {
	Helper()
	Name() string
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Options says what is expected. The zero value expects that everything holds.
type Options struct {
	// Properties are those to look at; none means all: deadlock, livelock and
	// delivery of a network, deadlock and every claim of a machine.
	Properties []string
	// Violated and Unknown are the properties that are expected to be so.
	Violated, Unknown []string
	// Scenario, if it is not nil, says how the network is run: its states are
	// explored then.
	Scenario *spec.Scenario
	// MaxStates bounds what is explored; more are unknown. 0 means 1,000,000 for a
	// machine or with Scenario, and 200,000 to settle what the static decision of a
	// network leaves open.
	MaxStates int64
	// Liveness decides responses and starvation, too, where states are explored.
	Liveness bool
	// Symmetry explores one state of each orbit.
	Symmetry bool
	// Folder is where what failed is kept, so that the command that the failure
	// names finds it. "" means the test's artifact folder under go test -artifacts,
	// else a new folder among the temporary files; for a *rapid.T
	// testdata/unknot/NAME.
	Folder string
}

// Network checks a network's definition and returns the report; nil if the
// definition is no network, or where states are explored.
func Network(t T, def routing.Definition, o Options) *checker.Result {
	t.Helper()
	ctx := contextOf(t)
	n, err := routing.Compile(ctx, def, routing.CompileOptions{})
	if err != nil {
		t.Fatalf("invalid network %s: %v", def.Name, err)
		return nil
	}
	if o.Scenario != nil {
		m, err := states.NewTraffic(n, *o.Scenario)
		if err != nil {
			t.Fatalf("%s: %v", def.Name, err)
			return nil
		}
		explore(t, m, n, o)
		return nil
	}
	opt := checker.Options{Settle: o.MaxStates}
	for _, name := range o.named() {
		p, ok := spec.ParseProperty(name)
		if !ok {
			t.Fatalf("invalid property %q: want deadlock, livelock or delivery", name)
			return nil
		}
		opt.Properties = append(opt.Properties, p)
	}
	report, err := checker.Decide(ctx, n, opt)
	if err != nil {
		t.Fatalf("deciding %s: %v", n.Name(), err)
		return nil
	}
	var wrong []string
	var traces []*counterexamples.Trace
	for _, r := range report.Findings {
		if want := o.want(r.Property); r.Verdict != want {
			wrong = append(wrong, explained(n, r.Property, r.Verdict, want, r.Because, r.Trace)...)
			traces = append(traces, r.Trace)
		}
	}
	if len(wrong) > 0 {
		k := keep(t, o)
		k.network(n, report, traces)
		t.Errorf("%s:\n%s%s", n.Name(), strings.Join(wrong, "\n"), k.text("unknot check "+filepath.Join(k.folder, networkFile)))
	}
	return report
}

// File checks the network that a .star file describes, its parameters at their
// defaults, see [Network]. Relative names are relative to the package's folder.
func File(t T, name string, o Options) *checker.Result {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	f, err := star.Load(contextOf(t), name, text, star.Options{})
	if err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	return Network(t, f.Definition, o)
}

// Machine explores a machine and returns what was found.
func Machine(t T, m states.Machine, o Options) *checker.Result {
	t.Helper()
	return explore(t, m, nil, o)
}

func explore(t T, m states.Machine, n *spec.Network, o Options) *checker.Result {
	t.Helper()
	most := o.MaxStates
	if most == 0 {
		most = 1_000_000
	}
	x, err := checker.Explore(contextOf(t), m, checker.ExploreOptions{MaxStates: most, Liveness: o.Liveness, Symmetry: o.Symmetry, Whole: len(o.Violated) > 0})
	if err != nil {
		t.Fatalf("exploring %s: %v", m.Name(), err)
		return nil
	}
	for _, name := range o.named() {
		if !slices.ContainsFunc(x.Findings, func(f checker.Finding) bool { return f.Property == name }) {
			t.Fatalf("%s has no property %q", m.Name(), name)
			return x
		}
	}
	var wrong []string
	k := &kept{}
	for _, f := range x.Findings {
		if len(o.Properties) > 0 && !slices.Contains(o.named(), f.Property) {
			continue
		}
		want := o.want(f.Property)
		if f.Verdict == want {
			continue
		}
		if len(wrong) == 0 {
			k = keep(t, o)
		}
		wrong = append(wrong, explained(n, f.Property, f.Verdict, want, f.Because, f.Trace)...)
		if f.Run != nil {
			for _, line := range explain.RunTranscript(m, f.Run) {
				wrong = append(wrong, "  "+line)
			}
			k.run(m, f.Property, f.Run)
		}
		if f.Trace != nil {
			k.trace(n, f.Trace)
		}
	}
	if len(wrong) > 0 {
		command := "" // a machine of a test's own has no name on the command line
		if n != nil {
			k.closed(n)
			command = fmt.Sprintf("unknot check %s %s", filepath.Join(k.folder, networkFile), scenarioFlags(n.Topology(), *o.Scenario))
		}
		k.page(n, m, x)
		t.Errorf("%s:\n%s%s", m.Name(), strings.Join(wrong, "\n"), k.text(command))
	}
	return x
}

// named lists the properties that the options name; none means all.
func (o Options) named() []string {
	if len(o.Properties) == 0 {
		return nil
	}
	return slices.Concat(o.Properties, slices.DeleteFunc(slices.Concat(o.Violated, o.Unknown), func(p string) bool { return slices.Contains(o.Properties, p) }))
}

// want returns the verdict that is expected of a property.
func (o Options) want(property string) spec.Verdict {
	switch {
	case slices.Contains(o.Violated, property):
		return spec.Violated
	case slices.Contains(o.Unknown, property):
		return spec.Unknown
	}
	return spec.Holds
}

// explain says what is wrong with a verdict.
func explained(n *spec.Network, property string, got, want spec.Verdict, because string, trace *counterexamples.Trace) []string {
	lines := []string{fmt.Sprintf("%s is %s, want %s: %s", property, got, want, because)}
	if trace == nil {
		return lines
	}
	told := explain.WaitFor(n, trace)
	if trace.Fault != counterexamples.CircularWait {
		told = explain.Transcript(n, trace)
	}
	const most = 30
	for i, line := range told {
		if i == most {
			lines = append(lines, fmt.Sprintf("  ... and %d more", len(told)-most))
			break
		}
		lines = append(lines, "  "+line)
	}
	return lines
}

func contextOf(t T) context.Context {
	if c, ok := t.(interface{ Context() context.Context }); ok {
		return c.Context()
	}
	return context.Background()
}
