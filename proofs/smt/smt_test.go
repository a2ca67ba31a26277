package smt_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/proofs/smt"
)

func scripts(t *testing.T) []*smt.Script {
	t.Helper()
	names, err := filepath.Glob("*.smt2")
	if err != nil || len(names) == 0 {
		t.Fatal("no files: ", err)
	}
	var all []*smt.Script
	for _, name := range names {
		s, err := smt.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// run skips the test where the solver is not installed.
func run(t *testing.T, v smt.Solver, s *smt.Script) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := v.Run(ctx, s)
	if errors.Is(err, smt.ErrNotInstalled) {
		t.Skip(err)
	}
	return err
}

// TestSolvers: both solvers prove each condition for every size, and refute what is wrong.
func TestSolvers(t *testing.T) {
	for _, v := range smt.Solvers() {
		t.Run(v.Name, func(t *testing.T) {
			for _, s := range scripts(t) {
				if err := run(t, v, s); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestEachFileCanFail: every file has a wrong rank and a missing condition, which are satisfiable, a condition that is
// not, and a check that it is not vacuous.
func TestEachFileCanFail(t *testing.T) {
	for _, s := range scripts(t) {
		for _, kind := range []string{"wrong rank", "missing condition", "not vacuous"} {
			found := false
			for _, c := range s.Checks {
				if strings.HasPrefix(c.Says, kind) {
					found = true
					if c.Want != smt.Sat {
						t.Errorf("%s:%d: %s: %s is wanted", s.Name, c.Line, c.Says, c.Want)
					}
				}
			}
			if !found {
				t.Errorf("%s has no check that begins with %q", s.Name, kind)
			}
		}
	}
}

// TestWrongFiles: a theorem whose rank or condition is changed is refused, by its line.
func TestWrongFiles(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, want string }{
		{
			"rank without the VC", "dateline.smt2", "(+ (ite (= vc 0) k 0) (ite up (- k x) (+ x 1)))", "(ite up (- k x) (+ x 1))",
			"every hop lowers the rank",
		},
		{"no order of dimensions", "xy.smt2", "(=> (< j i) (= y s))", "true", "every hop lowers the rank"},
		{"invariant that hops break", "crossing.smt2", "(or (border up x) (not (wraps up x t)))", "(border up x)", "hops keep the invariant"},
		{"CH everywhere", "star-channel.smt2", "(and (= vc 0) (not (wraps up x t)))", "(= vc 0)", "outranks every escape"},
		{"two VCs", "cccb.smt2", "(<= 0 v 2)", "(<= 0 v 1)", "a step keeps the invariant"},
		{"a rank below none", "up-down.smt2", "tail (- n tail)))\n(define-fun wrong.1", "tail (- 0 tail)))\n(define-fun wrong.1", "well-founded"},
		{"wrong status", "e-cube.smt2", ":status unsat", ":status sat", "every hop lowers the rank"},
		{"not SMT-LIB", "e-cube.smt2", "(assert lowest)", "(assert lowests)", "no answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := smt.Open(c.file)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(s.Text, c.old, c.new, 1)
			if changed == s.Text {
				t.Fatalf("%s does not have %q", c.file, c.old)
			}
			if s, err = smt.Parse(c.file, changed); err != nil {
				t.Fatal(err)
			}
			for _, v := range smt.Solvers() {
				if err := run(t, v, s); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.file+":") {
					t.Errorf("%s: %v, want %q", v.Name, err, c.want)
				}
			}
		})
	}
}

// TestTuple evaluates formulas on numbers small enough to do by hand.
func TestTuple(t *testing.T) {
	const text = `(declare-const k Int) ; a comment (
(define-fun half ((x Int)) Bool (<= (* 2 x) k))
(define-fun r.1 ((x Int) (up Bool)) Int (ite (and up (half x)) (- k x 1) (- x)))
(define-fun r.2 () Int (+ k (mod (- 7) 3)))
(define-fun s.1 () Int (div k 2))`
	s, err := smt.Parse("t", text)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x, up int
		want  []int
	}{{2, 1, []int{2, 7}}, {3, 1, []int{-3, 7}}, {2, 0, []int{-2, 7}}} { // k = 5: 5-2-1; -7 mod 3 = 2
		got, err := s.Tuple("r", map[string]int{"k": 5, "x": c.x, "up": c.up})
		if err != nil || !cmp.Equal(got, c.want) {
			t.Errorf("x=%d up=%d: %v, %v, want %v", c.x, c.up, got, err, c.want)
		}
	}
	for name, want := range map[string]string{
		"r": `t: r.1: line 3: "up" has no value`, "s": "t: s.1: line 5: (div k 2) cannot be evaluated", "q": "t does not define q.1",
	} {
		if got, err := s.Tuple(name, map[string]int{"k": 5}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, %v, want %s", name, got, err, want)
		}
	}
	if got, want := s.Formula("r"), "r.1 = (ite (and up (half x)) (- k x 1) (- x))\nr.2 = (+ k (mod (- 7) 3))\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestParseErrors: what is no such file is refused with its line.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"(a\n(b)":                    "t:1: this parenthesis is not closed",
		"(a)\n)":                     "t:2: a parenthesis too many",
		"\n(echo \"x\")":             `t:2: invalid character '"': want symbols without quotes`,
		"(push 1)\n(check-sat)":      "t:2: a check without a comment or a status: want both",
		"(push 1)\n; x\n(check-sat)": "t:3: a check without a comment or a status: want both",
		"(define-fun f ())":          "t:1: invalid define-fun: want a name, parameters, a sort and a term",
		"(define-fun f () Int 1)\n(define-fun f () Int 2)": "t:2: f is defined twice",
	} {
		if _, err := smt.Parse("t", text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
