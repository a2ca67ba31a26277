package combining_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/catalogue"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// verdicts explores a program in full; violated are the properties that do not hold.
func verdicts(t testing.TB, p *program.Program) (x *checker.Result, violated []string) {
	t.Helper()
	m, err := p.Machine()
	if err != nil {
		t.Fatal(err)
	}
	x, err = checker.Explore(t.Context(), m, checker.Question{Explore: checker.Whole, Liveness: true, Workers: 1, Closed: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range x.Findings {
		switch f.Verdict {
		case spec.Violated:
			violated = append(violated, f.Property)
		case spec.Unknown:
			t.Fatalf("%s: %s is unknown: %s", p.Name, f.Property, f.Because)
		}
	}
	return x, violated
}

// everyLineCounts removes one statement of a protocol's file after another: each assignment,
// message and condition. Under the given parameters everything holds with it; without it, a
// claim must fail under some of them, or there must be an error. Statements that may be
// left out are named, with the reason. The suite removes one in sixteen.
func everyLineCounts(t *testing.T, e catalogue.Entry, sets [][]string, spared map[string]string) {
	t.Helper()
	broken := func(text string, set []string) bool {
		f, err := star.Load(t.Context(), e.Name+".star", []byte(text), star.Options{Set: settings(set)})
		if err != nil {
			return true
		}
		m, err := f.Program.Machine()
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []checker.Question{{}, {Liveness: true, Explore: checker.Whole}} { // deadlock and invariants first
			o.Workers, o.Closed, o.MaxStates = 1, -1, 20_000
			x, err := checker.Explore(t.Context(), m, o)
			if err != nil || x.Verdict() == spec.Violated {
				return true
			}
		}
		return false
	}
	for i, set := range sets {
		if seedtest.Sampled(i, 3) && broken(e.Text(), set) {
			t.Fatalf("%s %v: not all holds", e.Name, set)
		}
	}
	for said := range spared {
		if !regexp.MustCompile(`(?m)^ *` + regexp.QuoteMeta(said) + ` *(#.*)?$`).MatchString(e.Text()) {
			t.Errorf("%s has no line %q: take it off the list", e.Name, said)
		}
	}
	step := regexp.MustCompile(`^ +(when\(|also\(|s\..*[^=!<>]=[^=]|.*\.(push|pop)\()`)
	lines, steps := strings.Split(e.Text(), "\n"), 0
	for i, line := range lines {
		said := strings.TrimSpace(strings.Split(line, "#")[0])
		if !step.MatchString(line) || strings.HasPrefix(said, "return") {
			continue
		}
		if steps++; !seedtest.Sampled(steps, 48) {
			continue
		}
		without := slices.Clone(lines)
		without[i] = line[:len(line)-len(strings.TrimLeft(line, " "))] + "pass"
		text := strings.Join(without, "\n")
		needed := slices.ContainsFunc(sets, func(set []string) bool { return broken(text, set) })
		if _, is := spared[said]; is == needed {
			t.Errorf("%s:%d: without %q: broken is %v", e.Name, i+1, said, needed)
		}
	}
}
