// Package checktest asserts properties of a network or a machine in one line of a
// Go test:
//
//	checktest.Network(t, def, checktest.Options{})                                 // every property holds
//	checktest.Network(t, def, checktest.Options{Properties: []string{"deadlock-freedom"}}) // only this one
//	checktest.Network(t, def, checktest.Options{Violated: []string{"deadlock-freedom"}})   // expected to fail
//	checktest.Network(t, def, checktest.Options{Scenario: &spec.Scenario{Bubble: 2}}) // explored
//	checktest.File(t, "my.star", checktest.Options{})                              // the network in a file
//	checktest.Machine(t, m, checktest.Options{Properties: []string{"mutual exclusion"}})
//
// A protocol in Go is a program, whose machine is explored ([ExampleMachine] runs this one):
//
//	p := program.New("lock")
//	holder := p.Var("holder", 3, "nobody", "A", "B")
//	for i, name := range []string{"A", "B"} {
//		p.Rule(name+" takes", program.Eq(holder, 0), program.Set(holder, i+1))
//		p.Rule(name+" returns", program.Eq(holder, i+1), program.Set(holder, 0))
//	}
//	p.Invariant("A waits", program.Ne(holder, 1))
//	m, err := p.Machine()
//	if err != nil {
//		t.Fatal(err)
//	}
//	checktest.Machine(t, m, checktest.Options{Violated: []string{"A waits"}})
//
// A test that fails tells who waits for whom, keeps the network in closed form with the
// trace, a drawing and a page, and names the command that shows it again. Each function
// takes a *testing.T, *testing.B or *rapid.T.
package checktest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/checker/show/page"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/words"
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
	// Properties are those to check; none means all: deadlock-freedom, livelock-freedom and delivery of a
	// network, deadlock-freedom and every claim of a protocol.
	Properties []string
	// Violated and Unknown are the properties that are expected to be violated or unknown.
	Violated, Unknown []string
	// Scenario, if not nil, says how the network is run; its states are then
	// explored.
	Scenario *spec.Scenario
	// MaxStates bounds exploration; beyond it, verdicts are unknown. 0 means 1,000,000.
	MaxStates int64
	// Liveness also decides responses and starvation, where states are explored.
	Liveness bool
	// Symmetry explores one state of each orbit.
	Symmetry bool
	// Folder keeps what failed, so that the command in the failure finds it: the closed form
	// and the evidence, which unknot-verify checks. It has no result.json, as the failure itself
	// states the verdicts. "" means the test's artifact folder under go test -artifacts,
	// otherwise a new folder among the temporary files; for a *rapid.T
	// testdata/unknot/NAME.
	Folder string
}

// Network checks a network's definition and returns what was found; nil if the definition
// is not a valid network.
func Network(t T, def routing.Definition, o Options) *checker.Result {
	t.Helper()
	ctx := contextOf(t)
	n, err := routing.Compile(ctx, def, routing.CompileOptions{})
	if err != nil {
		t.Fatalf("invalid network %s: %v", def.Name, err)
		return nil
	}
	command, q := "", o.question()
	if o.Scenario != nil {
		q.Scenario, q.Explore = *o.Scenario, checker.Always
		if len(o.Violated) > 0 {
			q.Explore = checker.Whole
		}
		command = " " + scenarioFlags(n.Topology(), *o.Scenario)
	}
	r, err := checker.Check(ctx, n, q)
	if err != nil {
		t.Fatalf("deciding %s: %v", n.Name(), err)
		return nil
	}
	compare(t, r, o, command)
	return r
}

// File checks the network or machine that a .star file describes, with default parameters;
// see [Network]. Unless o names properties, the expected verdicts are the file's own.
// Relative names are relative to the package's folder.
func File(t T, name string, o Options) *checker.Result {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	folder := filepath.Dir(name)
	f, err := star.Load(contextOf(t), name, text, star.Options{
		Open: func(file string) ([]byte, error) { return os.ReadFile(filepath.Join(folder, file)) },
		List: star.ListOf(os.DirFS(folder)),
	})
	if err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	stated := len(o.Properties)+len(o.Violated)+len(o.Unknown) > 0
	if f.Program != nil {
		m, err := f.Program.Machine()
		if err != nil {
			t.Fatalf("%v", err)
			return nil
		}
		if !stated {
			o.expectOf(f.Program)
		}
		return Machine(t, m, o)
	}
	if !stated {
		o.expect(f.Definition)
	}
	return Network(t, f.Definition, o)
}

// expectOf takes the verdicts that a program expects.
func (o *Options) expectOf(p *program.Program) {
	for _, x := range p.Expect {
		switch x.Verdict {
		case spec.Violated:
			o.Violated = append(o.Violated, x.Property)
		case spec.Unknown:
			o.Unknown = append(o.Unknown, x.Property)
		}
	}
}

// expect takes the verdicts that a definition expects with its own switching.
func (o *Options) expect(def routing.Definition) {
	for _, x := range def.Expect {
		switch {
		case x.Switching != def.Switching:
		case x.Verdict == spec.Violated:
			o.Violated = append(o.Violated, x.Property.String())
		case x.Verdict == spec.Unknown:
			o.Unknown = append(o.Unknown, x.Property.String())
		}
	}
}

// Machine explores a machine and returns what was found.
func Machine(t T, m states.Machine, o Options) *checker.Result {
	t.Helper()
	known := checker.Properties(m)
	for _, name := range o.named() {
		if !slices.Contains(known, name) {
			t.Fatalf("%s has no property %q: want one of %s", m.Name(), name, words.Quoted(known))
			return nil
		}
	}
	q := o.question()
	if len(o.Violated) > 0 {
		q.Explore = checker.Whole
	}
	r, err := checker.Explore(contextOf(t), m, q)
	if err != nil {
		t.Fatalf("exploring %s: %v", m.Name(), err)
		return nil
	}
	command := ""
	if o.Liveness {
		command = " --liveness"
	}
	compare(t, r, o, command)
	return r
}

// question is what is asked.
func (o Options) question() checker.Question {
	return checker.Question{
		Properties: o.named(), MaxStates: cmp.Or(o.MaxStates, 1_000_000), Liveness: o.Liveness, Symmetry: o.Symmetry,
	}
}

// compare compares verdicts with the expected ones, and keeps what differs.
// command is the command that checks what is kept, without its name.
func compare(t T, r *checker.Result, o Options, command string) {
	t.Helper()
	for _, name := range slices.Concat(o.Violated, o.Unknown) {
		if !slices.ContainsFunc(r.Findings, func(f checker.Finding) bool { return f.Property == name }) {
			t.Fatalf("invalid property %q: %s has no finding about it", name, r.Name)
			return
		}
	}
	var wrong []string
	var k *kept
	for i := range r.Findings {
		f := &r.Findings[i]
		want := o.want(f.Property)
		if f.Verdict == want {
			continue
		}
		if k == nil {
			k = keep(t, o)
		}
		found := f.Verdict.String()
		if f.Verdict != spec.Holds {
			found = "is " + found
		}
		wrong = append(wrong, fmt.Sprintf("%s %s, want %s: %s", evidence.Freedom(f.Property), found, want, f.Because))
		wrong = append(wrong, shown(f)...)
		k.finding(f)
	}
	if len(wrong) == 0 {
		return
	}
	again := "" // a test's own machine has no name on the command line
	switch m, described := r.Machine.(*program.Machine); {
	case r.Network != nil:
		closed := func(w io.Writer) error { return routing.WriteClosed(w, r.Network) }
		again = k.closed(evidence.NetworkFile, closed) + command
		if write.HasReasons(r.Network) {
			k.write(write.ReasonsFile, func(w io.Writer) error { return write.Reasons(w, r.Network) })
		}
	case described:
		closed := func(w io.Writer) error { return program.WriteClosed(w, m.Program()) }
		again = k.closed(evidence.MachineFile, closed) + command
	}
	k.write("report.html", func(w io.Writer) error { return page.Write(context.Background(), w, r, page.Options{}) })
	t.Errorf("%s:\n%s%s", r.Name, strings.Join(wrong, "\n"), k.text(again))
}

// named lists the properties that the options name; none means all.
func (o Options) named() []string {
	if len(o.Properties) == 0 {
		return nil
	}
	return slices.Concat(o.Properties, slices.DeleteFunc(slices.Concat(o.Violated, o.Unknown),
		func(p string) bool { return slices.Contains(o.Properties, p) }))
}

// want returns the expected verdict of a property.
func (o Options) want(property string) spec.Verdict {
	switch {
	case slices.Contains(o.Violated, property):
		return spec.Violated
	case slices.Contains(o.Unknown, property):
		return spec.Unknown
	}
	return spec.Holds
}

// shown describes a violation: who waits for whom or, without that, the steps.
func shown(f *checker.Finding) []string {
	const most = 30
	steps := explain.WaitFor(f.Evidence)
	if len(steps) == 0 {
		steps = explain.Transcript(f.Evidence, explain.Below(f.Run() != nil), most/3) // a step may take two lines
	}
	var lines []string
	for i, line := range steps {
		if i == most {
			return append(lines, fmt.Sprintf("  ... and %d more", len(steps)-most))
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
