package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// try runs each mutant until a test catches it, and returns those that were tried.
func try(dir string, mutants []*mutant, tests []*test, o options) ([]*mutant, error) {
	var mu sync.Mutex
	var spent time.Duration
	tried := make([]bool, len(mutants))
	count := 0
	// What was caught before is caught still, as long as the file is the same and no
	// test was dropped; what lived lives, as long as all tests are the same, too.
	caught, err := open(dir, "caught")
	if err != nil {
		return nil, err
	}
	defer caught.Close()
	lived, err := open(dir, "lived")
	if err != nil {
		return nil, err
	}
	defer lived.Close()
	suite := suiteOf(tests)
	// Those that no test can catch come first, as they cost nothing.
	slices.SortStableFunc(mutants, func(a, b *mutant) int { return min(1, len(a.differing(tests))) - min(1, len(b.differing(tests))) })
	eachOf(len(mutants), o.at, func(i int) {
		mu.Lock()
		over := o.part > 0 && spent > o.part
		mu.Unlock()
		if over {
			return
		}
		m := mutants[i]
		if m.outcome = caught.before[m.source+m.key]; m.outcome == "" && lived.before[m.source+m.key] != suite {
			m.try(dir, tests)
		}
		mu.Lock()
		defer mu.Unlock()
		tried[i] = true
		spent += m.cpu
		if m.outcome == "" {
			fmt.Fprintf(os.Stderr, "lives: %s\n", m.key)
			if m.cpu > 0 {
				lived.add(m, suite)
			}
		} else if m.cpu > 0 {
			caught.add(m, m.outcome)
		}
		if count++; count%500 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d mutants, %.0f s of CPU time\n", count, len(mutants), spent.Seconds())
		}
	})
	var all []*mutant
	for i, m := range mutants {
		if tried[i] {
			all = append(all, m)
		}
	}
	return all, nil
}

// kept is a file of what was found out before about mutants.
type kept struct {
	*os.File
	before map[string]string // by source and key
}

func open(dir, name string) (*kept, error) {
	name = filepath.Join(dir, name)
	text, _ := os.ReadFile(name)
	k := &kept{before: map[string]string{}}
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 3 {
			k.before[f[0]+f[1]] = f[2]
		}
	}
	var err error
	k.File, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	return k, err
}

func (k *kept) add(m *mutant, what string) { fmt.Fprintf(k, "%s\t%s\t%s\n", m.source, m.key, what) }

// suiteOf identifies the tests with their code.
func suiteOf(tests []*test) string {
	var names []string
	for _, t := range tests {
		names = append(names, t.hash+" "+t.name+"\n")
	}
	slices.Sort(names)
	return fmt.Sprintf("%.12x", sha256.Sum256([]byte(strings.Join(names, ""))))
}

// differs reports whether the mutant answers otherwise than the condition, given
// what the condition answered.
func (m *mutant) differs(a [4]bool) bool {
	switch m.mutation {
	case always:
		return a[0] || a[2]
	case never:
		return a[1] || a[3]
	case edge:
		return a[2] || a[3]
	}
	return true
}

// differing returns the tests in which m answers otherwise.
func (m *mutant) differing(tests []*test) (all []*test) {
	key := fmt.Sprintf("%s %d", m.pkg, m.number)
	for _, t := range tests {
		if a, asked := t.Answers[key]; asked {
			m.reached = true
			if m.differs(a) {
				all = append(all, t)
			}
		}
	}
	return all
}

// try runs the tests in which m answers otherwise, some fast ones of a package at a time.
func (m *mutant) try(dir string, tests []*test) {
	differing := m.differing(tests)
	env := fmt.Sprintf("UNKNOT_MUTANT=%s %d %q", m.pkg, m.number, m.mutation)
	for len(differing) > 0 {
		first := differing[0]
		var group, rest []*test
		var sum time.Duration
		for _, t := range differing {
			if t.binary == first.binary && (t == first || sum+t.CPU < 300*time.Millisecond) {
				group, sum = append(group, t), sum+t.CPU
			} else {
				rest = append(rest, t)
			}
		}
		differing = rest
		runner := *first
		out, err := runner.run(dir, group, env, time.Second+4*sum)
		m.cpu += runner.CPU
		if err != nil {
			m.outcome = caught(out, runner.CPU > time.Second+3*sum, group)
			return
		}
	}
}

var failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// caught names the test that failed.
func caught(out []byte, late bool, group []*test) string {
	if m := failed.FindSubmatch(out); m != nil {
		return string(m[1])
	}
	how := "a crash in " + group[0].name
	if late {
		how = "the time limit in " + group[0].name
	}
	if len(group) > 1 {
		how += fmt.Sprintf(" or %d others", len(group)-1)
	}
	return how
}

// eachOf calls f of 0 to n-1, some at a time.
func eachOf(n, at int, f func(int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range at {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}
