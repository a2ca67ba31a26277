// Package smt, internal to unknot, holds theorems about families of networks as files in SMT-LIB 2: the verification
// conditions for every size, which the solvers z3 and cvc5 decide, and the formulas of the ranks, which Go evaluates
// on the networks that unknot checks.
//
// # The files
//
// A file begins with what it proves, assumes and does not prove. It defines the rank of a channel as a tuple of
// functions, rank.1, rank.2 and so on, compared lexicographically, and a wrong rank, wrong.1 and so on. Checks follow.
// Each is within (push 1) and (pop 1), begins with a comment that says what is checked, and sets the answer that is
// right with (set-info :status ...). A condition is negated, so unsat proves it for every size. What begins with "wrong
// rank", "one VC fewer" or "missing condition" must be sat: the conditions are not true of everything.
package smt

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed *.smt2
var files embed.FS

// Answer is what a solver says of a check.
type Answer string

const (
	Sat   Answer = "sat"
	Unsat Answer = "unsat"
)

// Check is a question of a file.
type Check struct {
	Says string // the comment above it
	Line int    // of (check-sat)
	Want Answer
}

// IsWrong reports whether c asks for a counterexample to something that is not true.
func (c Check) IsWrong() bool {
	return c.Want == Sat && !strings.HasPrefix(c.Says, "not vacuous")
}

// Script is a file in SMT-LIB 2.
type Script struct {
	Name      string // of the file
	Text      string
	Checks    []Check
	functions map[string]function
}

// function is a define-fun; it has no recursion, which SMT-LIB does not permit there.
type function struct {
	params []string
	body   term
}

// Open reads a file of this package.
func Open(name string) (*Script, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, string(text))
}

// Parse reads a file of the form that the package's comment describes. An error has the line.
func Parse(name, text string) (*Script, error) {
	s := &Script{Name: name, Text: text, functions: map[string]function{}}
	commands, err := read(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	lines := strings.Split(text, "\n")
	says, want := "", Answer("")
	for _, c := range commands {
		switch c.head() {
		case "push":
			says, want = "", ""
			below := lines[min(c.line, len(lines)-1)] // as lines count from 1
			if comment, ok := strings.CutPrefix(below, "; "); ok {
				says = comment
			}
		case "set-info":
			if len(c.list) == 3 && c.list[1].atom == ":status" {
				want = Answer(c.list[2].atom)
			}
		case "check-sat":
			if says == "" || want != Sat && want != Unsat {
				return nil, fmt.Errorf("%s:%d: a check without a comment or a status: want both", name, c.line)
			}
			s.Checks = append(s.Checks, Check{says, c.line, want})
		case "define-fun":
			if len(c.list) != 5 {
				return nil, fmt.Errorf("%s:%d: invalid define-fun: want a name, parameters, a sort and a term",
					name, c.line)
			}
			f := function{body: c.list[4]}
			for _, p := range c.list[2].list {
				f.params = append(f.params, p.head())
			}
			if _, twice := s.functions[c.list[1].atom]; twice {
				return nil, fmt.Errorf("%s:%d: %s is defined twice", name, c.line, c.list[1].atom)
			}
			s.functions[c.list[1].atom] = f
		}
	}
	return s, nil
}

// Tuple evaluates the functions name.1, name.2 and so on. Their parameters, and the constants of the file that they
// name, take the values given, those of sort Bool 0 or 1. A value that is missing is an error, and so is a formula
// other than of linear arithmetic, comparisons and cases.
func (s *Script) Tuple(name string, values map[string]int) ([]int, error) {
	var tuple []int
	for {
		f, ok := s.functions[name+"."+strconv.Itoa(len(tuple)+1)]
		if !ok {
			break
		}
		x, err := s.value(f.body, values)
		if err != nil {
			return nil, fmt.Errorf("%s: %s.%d: %w", s.Name, name, len(tuple)+1, err)
		}
		tuple = append(tuple, x)
	}
	if len(tuple) == 0 {
		return nil, fmt.Errorf("%s does not define %s.1", s.Name, name)
	}
	return tuple, nil
}

// Formula returns the text of a tuple, a function a line.
func (s *Script) Formula(name string) string {
	var b strings.Builder
	for i := 1; ; i++ {
		f, ok := s.functions[name+"."+strconv.Itoa(i)]
		if !ok {
			return b.String()
		}
		fmt.Fprintf(&b, "%s.%d = %s\n", name, i, f.body)
	}
}
