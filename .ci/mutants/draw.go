package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// oneToken reports whether a mutant changes a token: == for !=, false for true, an
// inserted or removed !, <= for <; or drops an operand of && or ||.
func (m *mutant) oneToken() bool {
	return m.mutation == negated || m.mutation == edge || m.operand && m.mutation != masked
}

// draw returns some mutants of one token, those whose names hash least with the seed: as the
// code grows, a seed continues to draw most of the same ones. None are in a file that is left out.
func draw(all []*mutant, o options, leftOut map[string]bool) []*mutant {
	rank := func(m *mutant) string {
		return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%d %s", o.seed, m.key)))
	}
	some := slices.DeleteFunc(slices.Clone(all), func(m *mutant) bool {
		return !m.oneToken() || leftOut[m.file] || !o.only.MatchString(m.key)
	})
	slices.SortFunc(some, func(a, b *mutant) int { return strings.Compare(rank(a), rank(b)) })
	return some[:min(o.draw, len(some))]
}

// drawn tries mutants drawn from the code of the whole module with the tests of their own packages,
// or, where a package has none, of those that import it.
func drawn(root, dir string, listed map[string]string, o options) (bool, error) {
	all, err := packages("./...")
	if err != nil {
		return false, err
	}
	mutants, err := overlay(root, dir, all, map[string]bool{})
	if err != nil {
		return false, err
	}
	var chosen []*mutant
	leftOut := map[string]bool{}
	for {
		chosen = draw(mutants, o, leftOut)
		files := map[string]bool{}
		for _, m := range chosen {
			files[m.file] = true
		}
		if _, err := overlay(root, dir, all, files); err != nil {
			return false, err
		}
		refused, err := uncompiled(root, dir)
		if err != nil {
			return false, err
		}
		if len(refused) == 0 {
			break
		}
		for _, file := range refused {
			fmt.Fprintf(os.Stderr, "left out: %s is not compiled with its conditions rewritten\n", file)
			leftOut[file] = true
		}
	}
	if chosen, err = o.named(chosen); err != nil {
		return false, err
	}
	byPackage := map[string][]*mutant{}
	for _, m := range chosen {
		byPackage[m.pkg] = append(byPackage[m.pkg], m)
	}
	before, err := open(dir, "caught")
	if err != nil {
		return false, err
	}
	defer before.Close()
	var tried []*mutant
	for _, path := range slices.Sorted(maps.Keys(byPackage)) {
		var tests []*test
		known := !slices.ContainsFunc(byPackage[path], func(m *mutant) bool { return before.before[m.source+m.key] == "" })
		for _, p := range testersOf(path, all) {
			if known { // what was caught before is not tried again
				break
			}
			more, err := build(dir, p)
			if err != nil {
				return false, err
			}
			tests = append(tests, more...)
		}
		some, err := try(dir, byPackage[path], record(dir, tests, o), o)
		if err != nil {
			return false, err
		}
		for _, m := range some {
			if m.outcome == "" && o.every {
				if m.inFull(dir, tests); m.outcome != "" {
					before.add(m, m.outcome)
				}
			}
		}
		tried = append(tried, some...)
	}
	return o.reportDrawn(os.Stdout, tried, listed), nil
}

// inFull tries a mutant with all tests of a package at once, in full.
func (m *mutant) inFull(dir string, tests []*test) {
	env := fmt.Sprintf("UNKNOT_MUTANT=%s %d %q", m.pkg, m.number, m.mutation)
	byBinary := map[string][]*test{}
	for _, t := range tests {
		byBinary[t.binary] = append(byBinary[t.binary], t)
	}
	for _, binary := range slices.Sorted(maps.Keys(byBinary)) {
		runner := *byBinary[binary][0]
		runner.every = true
		out, err := runner.run(dir, byBinary[binary], env, 10*time.Minute)
		m.cpu += runner.CPU
		if err != nil {
			m.outcome = caught(out, false, byBinary[binary]) + ", in full"
			return
		}
	}
}

// testersOf returns the package if it has tests, and otherwise those with tests that import it.
func testersOf(path string, all []pkg) (testers []pkg) {
	for _, p := range all {
		if p.ImportPath == path && len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			return []pkg{p}
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 && (slices.Contains(p.Imports, path) ||
			slices.Contains(p.TestImports, path) || slices.Contains(p.XTestImports, path)) {
			testers = append(testers, p)
		}
	}
	return testers
}

// uncompiled returns the files whose rewritten text is not compiled, such as those with booleans of a type
// of their own.
func uncompiled(root, dir string) ([]string, error) {
	out, err := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "./...").CombinedOutput()
	if err == nil {
		return nil, nil
	}
	replaced, fault := overlaid(dir)
	if fault != nil {
		return nil, fault
	}
	var files []string
	for original, copied := range replaced {
		if regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(copied) + `:`).Match(out) {
			file, err := filepath.Rel(root, original)
			if err != nil {
				return nil, err
			}
			files = append(files, filepath.ToSlash(file))
		}
	}
	if files == nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	slices.Sort(files)
	return files, nil
}

// reportDrawn lists the mutants that live, and reports whether each is listed with its reason and
// there is at most one in ten.
func (o options) reportDrawn(w io.Writer, tried []*mutant, listed map[string]string) bool {
	slices.SortStableFunc(tried, func(a, b *mutant) int {
		return cmp.Or(strings.Compare(a.file, b.file), a.line-b.line, a.col-b.col)
	})
	alive, explained, good := 0, 0, true
	for _, m := range tried {
		_, known := listed[m.key]
		switch {
		case m.outcome != "" && known:
			good = false
			fmt.Fprintf(w, "%s:%d:%d: caught by %s, and still listed:\n%s\n", m.file, m.line, m.col, m.outcome, m.key)
		case m.outcome != "":
		case known:
			alive, explained = alive+1, explained+1
		default:
			alive, good = alive+1, false
			fmt.Fprintf(w, "%s:%d:%d: %s:\n%s\n", m.file, m.line, m.col, map[bool]string{true: "ALIVE", false: "NOT REACHED"}[m.reached], m.key)
		}
	}
	share := strconv.FormatFloat(100*float64(alive)/float64(max(1, len(tried))), 'f', 1, 64)
	fmt.Fprintf(
		w, "%d mutants drawn with seed %d: %d caught, %d live (%s %%), %d of them explained\n", len(tried), o.seed,
		len(tried)-alive, alive, share, explained,
	)
	return good && 10*alive <= len(tried)
}
