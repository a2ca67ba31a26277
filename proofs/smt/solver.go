package smt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Solver is a program that decides files in SMT-LIB 2, which it reads from its input.
type Solver struct {
	Name string
	args []string
}

// Solvers are those whose answers count: a condition is proved for every size if both say so.
func Solvers() []Solver {
	return []Solver{
		{"z3", []string{"-in", "-smt2"}},
		{"cvc5", []string{"--incremental", "--lang=smt2", "-"}},
	}
}

// ErrNotInstalled says that a solver is not on this computer.
var ErrNotInstalled = errors.New("not installed")

// Run asks the solver all checks of a file. The first answer that differs from the one wanted is an error, with its
// line; so is anything else that the solver says. Run ends the solver with ctx.
func (v Solver) Run(ctx context.Context, s *Script) error {
	path, err := exec.LookPath(v.Name)
	if err != nil {
		return fmt.Errorf("%s: %w", v.Name, ErrNotInstalled)
	}
	c := exec.CommandContext(ctx, path, v.args...)
	c.Stdin = strings.NewReader(s.Text)
	var out, problems bytes.Buffer
	c.Stdout, c.Stderr = &out, &problems
	failed := c.Run()
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %s: %w", v.Name, s.Name, ctx.Err())
	}
	answers := strings.Fields(out.String())
	for i, check := range s.Checks {
		switch {
		case i < len(answers) && Answer(answers[i]) == check.Want:
		case i < len(answers) && (Answer(answers[i]) == Sat || Answer(answers[i]) == Unsat || answers[i] == "unknown"):
			return fmt.Errorf("%s:%d: %s: %s says %s, want %s",
				s.Name, check.Line, check.Says, v.Name, answers[i], check.Want)
		default:
			return fmt.Errorf("%s:%d: %s: %s gives no answer: %.200s", s.Name, check.Line, check.Says, v.Name,
				strings.TrimSpace(out.String()+" "+problems.String()))
		}
	}
	if len(answers) > len(s.Checks) {
		return fmt.Errorf("%s: %s says more than answers: %.200s", s.Name, v.Name, strings.TrimSpace(out.String()))
	}
	if failed != nil {
		return fmt.Errorf("%s: %s: %w", s.Name, v.Name, failed)
	}
	return nil
}
