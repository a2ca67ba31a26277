// Command mutants changes every condition of the code that unknot-verify trusts, one
// at a time, and reports which mutants no test kills; or some conditions of all code,
// drawn with a seed:
//
//	go run ./.ci/mutants                         # all, in minutes of CPU time
//	go run ./.ci/mutants -only 'proofs/verify'   # those whose "file function: mutation: condition" matches
//	go run ./.ci/mutants -again before.txt       # those that an earlier output names
//	go run ./.ci/mutants -keep /tmp/m -tests proofs   # continues where it was interrupted, with some tests
//	go run ./.ci/mutants -only '^$'              # none: only checks that all mutants in alive.txt exist
//	go run ./.ci/mutants -part 20s               # some of them, chosen with a fixed seed
//	go run ./.ci/mutants -draw 200 -seed 1       # of all code, tried with the tests of the package of each
//
// A condition (points.go) is negated, is always true or always false, or decides
// otherwise where the compared values are equal. All mutants of all packages are
// compiled into one test binary per test package: each condition is evaluated through
// a function that an environment variable can invert. One run of each test records
// which conditions it evaluates, and their values; a mutant is tried with the tests in
// which it changes a value, the fastest first. A limit on CPU time kills endless loops.
//
// The mutants that survive are in alive.txt, each with the reason why it accepts nothing
// wrong; those that were drawn, in drawn.txt, with the reason why no test can tell. The exit
// code is 1 if another survives, if one of those is killed, or if more than one in ten of
// those drawn survive.
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The trusted code is everything that this program imports. Besides the tests there, these
// packages test it.
const verifier = "./cmd/unknot-verify"

var alsoTested = []string{"./checker/internal/wormhole", "./checker/repair"} // of refutations

type pkg struct {
	Dir, ImportPath, Name              string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string
	Module                             *struct{ Path, Dir string }
}

type mutant struct {
	point
	pkg, mutation, key string
	source             string // hash of the file
	outcome            string // who caught it; "" if it lives
	reached            bool
	cpu                time.Duration
}

func main() {
	only := flag.String("only", "", "mutants of which \"file function: mutation: condition\" matches this `regexp`")
	again := flag.String("again", "", "only mutants that are a line of this `file`, an output of this program")
	keep := flag.String("keep", "", "a `folder` for what the next run need not do again")
	tested := flag.String("tests", "", "tests in packages that match this `regexp`")
	part := flag.Duration("part", 0, "stop after this CPU time, with mutants in an order drawn by a fixed seed")
	slow := flag.Duration("slow", 4*time.Second, "leave out tests that take longer than this alone")
	count := flag.Int("draw", 0, "draw this many mutants of one token from all code, and try them with the tests of their packages")
	seed := flag.Int64("seed", 1, "of -draw")
	every := flag.Bool("every", false, "with -draw: try those that live with the tests in full, too")
	at := flag.Int("j", 2, "tests at a time")
	table := flag.String("table", "", "write one line per mutant to this `file`")
	flag.Usage = func() {
		fmt.Fprintln(
			flag.CommandLine.Output(),
			"usage: go run ./.ci/mutants [flags]\nreports the conditions of unknot-verify, or of all code, that no test needs",
		)
		flag.PrintDefaults()
	}
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	in, fault := regexp.Compile(*tested)
	if err = cmp.Or(err, fault); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	ok, err := run(options{pattern, in, *again, *keep, *part, *slow, *at, *table, *count, *seed, *every})
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

type options struct {
	only, tests *regexp.Regexp
	again, keep string
	part, slow  time.Duration
	at          int
	table       string
	draw        int
	seed        int64
	every       bool
}

func run(o options) (bool, error) {
	root, err := output("go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return false, err
	}
	root = strings.TrimSpace(root)
	if err := os.Chdir(root); err != nil {
		return false, err
	}
	listed, err := readAlive("alive.txt")
	if err != nil {
		return false, err
	}
	others, err := readAlive("drawn.txt")
	if err != nil {
		return false, err
	}
	dir := o.keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "mutants"); err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
	} else if err := os.MkdirAll(dir, 0o777); err != nil {
		return false, err
	}
	if o.draw > 0 {
		maps.Copy(others, listed)
		return drawn(root, dir, others, o)
	}
	trusted, err := packages(append([]string{"-deps"}, verifier)...)
	if err != nil {
		return false, err
	}
	mutants, err := overlay(root, dir, trusted, nil)
	if err != nil {
		return false, err
	}
	more, err := packages(alsoTested...)
	if err != nil {
		return false, err
	}
	tested := append(slices.Clone(trusted), more...)
	chosen := slices.DeleteFunc(slices.Clone(mutants), func(m *mutant) bool { return !o.only.MatchString(m.key) })
	if chosen, err = o.named(chosen); err != nil {
		return false, err
	}
	var tests []*test
	for _, p := range tested {
		if len(chosen) == 0 { // only the list is checked
			break
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 || !o.tests.MatchString(p.ImportPath) {
			continue
		}
		more, err := build(dir, p)
		if err != nil {
			return false, err
		}
		tests = append(tests, more...)
	}
	tests = record(dir, tests, o)
	if o.part > 0 {
		r := rand.New(rand.NewPCG(12, 12))
		r.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	}
	tried, err := try(dir, chosen, tests, o)
	if err != nil {
		return false, err
	}
	good, err := report(os.Stdout, tried, mutants, listed, o)
	if err != nil || len(others) == 0 {
		return good, err
	}
	everything, err := packages("./...")
	if err != nil {
		return false, err
	}
	mutants, err = overlay(root, dir, everything, map[string]bool{})
	return noneUnknown(os.Stdout, mutants, others, "drawn.txt") && good, err
}

// named returns the mutants that an earlier output names, or all if none is given.
func (o options) named(all []*mutant) ([]*mutant, error) {
	if o.again == "" {
		return all, nil
	}
	text, err := os.ReadFile(o.again)
	if err != nil {
		return nil, err
	}
	before := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		before[strings.TrimPrefix(strings.TrimSpace(line), "lives: ")] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(m *mutant) bool { return !before[m.key] }), nil
}

// packages lists packages of this module.
func packages(args ...string) ([]pkg, error) {
	text, err := output("go", append([]string{
		"list", "-json=Dir,ImportPath,Name,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,Module",
	}, args...)...)
	if err != nil {
		return nil, err
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if p.Module != nil && strings.HasPrefix(p.ImportPath, p.Module.Path) && !strings.Contains(p.Module.Dir, "@") {
			all = append(all, p)
		}
	}
}

// overlay writes the instrumented files, or only some of them, and dir/overlay.json, and returns the mutants
// of all.
func overlay(root, dir string, trusted []pkg, only map[string]bool) ([]*mutant, error) {
	replace := map[string]string{}
	write := func(path string, text []byte) error {
		copied := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		replace[path] = copied
		return os.WriteFile(copied, text, 0o666)
	}
	var mutants []*mutant
	hashes := map[string]string{}
	for _, p := range trusted {
		var points []point
		some := only == nil
		for _, name := range p.GoFiles {
			path := filepath.Join(p.Dir, name)
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			file, err := filepath.Rel(root, path)
			if err != nil {
				return nil, err
			}
			text, more, err := instrument(filepath.ToSlash(file), text, len(points))
			if err != nil {
				return nil, err
			}
			points = append(points, more...)
			hashes[filepath.ToSlash(file)] = fmt.Sprintf("%.12x", sha256.Sum256(text))
			if only != nil && !only[filepath.ToSlash(file)] {
				continue
			}
			some = true
			if err := write(path, text); err != nil {
				return nil, err
			}
		}
		if some {
			if err := write(filepath.Join(p.Dir, "unknot_mutants.go"), fmt.Appendf(nil, runtime, p.Name, p.ImportPath, max(1, len(points)))); err != nil {
				return nil, err
			}
		}
		slices.SortFunc(points, func(a, b point) int {
			return cmp.Or(strings.Compare(a.file, b.file), a.line-b.line, a.col-b.col, a.number-b.number)
		})
		for _, q := range points {
			for _, m := range q.mutations {
				mutants = append(mutants, &mutant{point: q, pkg: p.ImportPath, mutation: m, source: hashes[q.file]})
			}
		}
	}
	times := map[string]int{}
	for _, m := range mutants {
		m.key = fmt.Sprintf("%s %s: %s: %s", m.file, m.function, m.mutation, m.text)
		if times[m.key]++; times[m.key] > 1 {
			m.key += fmt.Sprintf(" #%d", times[m.key])
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return mutants, os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o666)
}

// overlaid returns what overlay has written: the copy of each file.
func overlaid(dir string) (map[string]string, error) {
	var o struct{ Replace map[string]string }
	text, err := os.ReadFile(filepath.Join(dir, "overlay.json"))
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &o)
	return o.Replace, err
}

func output(name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	var complaint bytes.Buffer
	c.Stderr = &complaint
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, complaint.Bytes())
	}
	return string(out), nil
}
