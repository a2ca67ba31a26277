package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// report writes the table and what is wrong with the list.
func report(w io.Writer, tried, all []*mutant, listed map[string]string, o options) (bool, error) {
	slices.SortStableFunc(tried, func(a, b *mutant) int { return cmp.Or(strings.Compare(a.file, b.file), a.line-b.line, a.col-b.col) })
	type sum struct{ made, caught, listed, unreached, other int }
	sums := map[string]*sum{}
	good := true
	var rows strings.Builder
	for _, m := range tried {
		p := filepath.ToSlash(filepath.Dir(m.file))
		if sums[p] == nil {
			sums[p] = &sum{}
		}
		s := sums[p]
		s.made++
		_, known := listed[m.key]
		outcome := "caught by " + m.outcome
		switch {
		case m.outcome != "":
			s.caught++
			if known {
				good = false
				fmt.Fprintf(w, "%s:%d:%d: caught by %s, and still in alive.txt:\n%s\n", m.file, m.line, m.col, m.outcome, m.key)
			}
		case known:
			s.listed++
			outcome = "listed"
		case m.reached:
			s.other++
			outcome = "ALIVE"
		default:
			s.unreached++
			outcome = "NOT REACHED"
		}
		if m.outcome == "" && !known {
			good = false
			fmt.Fprintf(w, "%s:%d:%d: %s:\n%s\n", m.file, m.line, m.col, outcome, m.key)
		}
		fmt.Fprintf(&rows, "%s:%d:%d\t%s\t%s\t%s\n", m.file, m.line, m.col, m.mutation, m.text, outcome)
	}
	good = noneUnknown(w, all, listed, "alive.txt") && good
	var cpu time.Duration
	for _, m := range tried {
		cpu += m.cpu
	}
	fmt.Fprintf(w, "%-24s%8s%8s%8s%8s%13s\n", "package", "mutants", "caught", "listed", "alive", "not reached")
	var t sum
	for _, p := range slices.Sorted(maps.Keys(sums)) {
		s := sums[p]
		fmt.Fprintf(w, "%-24s%8d%8d%8d%8d%13d\n", p, s.made, s.caught, s.listed, s.other, s.unreached)
		t = sum{t.made + s.made, t.caught + s.caught, t.listed + s.listed, t.unreached + s.unreached, t.other + s.other}
	}
	fmt.Fprintf(w, "%-24s%8d%8d%8d%8d%13d\n", "all", t.made, t.caught, t.listed, t.other, t.unreached)
	fmt.Fprintf(os.Stderr, "%.0f s of CPU time for mutants\n", cpu.Seconds())
	if o.table == "" {
		return good, nil
	}
	return good, os.WriteFile(o.table, []byte(rows.String()), 0o666)
}

// noneUnknown reports whether all that a file lists are mutants.
func noneUnknown(w io.Writer, all []*mutant, listed map[string]string, file string) bool {
	made, good := map[string]bool{}, true
	for _, m := range all {
		made[m.key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(listed)) {
		if !made[key] {
			good = false
			fmt.Fprintf(w, "in %s, but no mutant:\n%s\n", file, key)
		}
	}
	return good
}

// readAlive reads a list of mutants that live: keys, one a line, and below them an
// indented reason for those since the reason before.
func readAlive(file string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(".ci", "mutants", file))
	if err != nil {
		return nil, err
	}
	listed := map[string]string{}
	var waiting []string
	reasoned := false
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '\t':
			if waiting == nil {
				return nil, fmt.Errorf("%s:%d: a reason of no mutant", file, i+1)
			}
			for _, key := range waiting {
				listed[key] += line
			}
			reasoned = true
		default:
			if reasoned {
				waiting, reasoned = nil, false
			}
			if _, twice := listed[line]; twice {
				return nil, fmt.Errorf("%s:%d: listed twice", file, i+1)
			}
			listed[line] = ""
			waiting = append(waiting, line)
		}
	}
	if waiting != nil && !reasoned {
		return nil, fmt.Errorf("%s: the last mutants have no reason", file)
	}
	return listed, nil
}
