package smt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
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

// Output returns what the solver says to a text. It ends the solver with ctx.
func (v Solver) Output(ctx context.Context, text string) (string, error) {
	path, err := exec.LookPath(v.Name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", v.Name, ErrNotInstalled)
	}
	c := exec.CommandContext(ctx, path, v.args...)
	c.Stdin = strings.NewReader(text)
	var out, problems bytes.Buffer
	c.Stdout, c.Stderr = &out, &problems
	failed := c.Run()
	if ctx.Err() != nil {
		return "", fmt.Errorf("%s: %w", v.Name, ctx.Err())
	}
	if failed != nil {
		return out.String(), fmt.Errorf("%s: %w: %.200s", v.Name, failed, strings.TrimSpace(out.String()+" "+problems.String()))
	}
	return out.String(), nil
}

// Run asks the solver all checks of a file. The first answer that differs from the one wanted is an error, with its
// line; so is anything else that the solver says. Run ends the solver with ctx.
func (v Solver) Run(ctx context.Context, s *Script) error {
	out, failed := v.Output(ctx, s.Text)
	if errors.Is(failed, ErrNotInstalled) {
		return failed
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", s.Name, failed)
	}
	answers := strings.Fields(out)
	for i, check := range s.Checks {
		switch {
		case i < len(answers) && Answer(answers[i]) == check.Want:
		case i < len(answers) && (Answer(answers[i]) == Sat || Answer(answers[i]) == Unsat || answers[i] == "unknown"):
			return fmt.Errorf("%s:%d: %s: %s says %s, want %s",
				s.Name, check.Line, check.Says, v.Name, answers[i], check.Want)
		default:
			return fmt.Errorf("%s:%d: %s: %s gives no answer: %.200s", s.Name, check.Line, check.Says, v.Name,
				strings.TrimSpace(out))
		}
	}
	if len(answers) > len(s.Checks) {
		return fmt.Errorf("%s: %s says more than answers: %.200s", s.Name, v.Name, strings.TrimSpace(out))
	}
	if failed != nil {
		return fmt.Errorf("%s: %w", s.Name, failed)
	}
	return nil
}

// Values reads the answer to (check-sat) and (get-value ...): numbers, by name. There are none if the answer is not sat.
func Values(output string) (map[string]*big.Rat, error) {
	lists, err := read(output)
	if err != nil {
		return nil, err
	}
	values := map[string]*big.Rat{}
	if len(lists) == 0 || lists[0].atom != string(Sat) {
		return values, nil
	}
	for _, l := range lists[1:] {
		for _, pair := range l.list {
			if len(pair.list) != 2 {
				return nil, fmt.Errorf("line %d: want a name and a value", pair.line)
			}
			if values[pair.list[0].atom], err = rational(pair.list[1]); err != nil {
				return nil, err
			}
		}
	}
	return values, nil
}

// rational reads a number as solvers write it: 2.0, (- 2.0), (/ 1.0 2.0).
func rational(t term) (*big.Rat, error) {
	if t.atom != "" {
		if x, ok := new(big.Rat).SetString(t.atom); ok {
			return x, nil
		}
	}
	var args []*big.Rat
	for i := 1; i < len(t.list); i++ {
		x, err := rational(t.list[i])
		if err != nil {
			return nil, err
		}
		args = append(args, x)
	}
	switch {
	case t.head() == "-" && len(args) == 1:
		return args[0].Neg(args[0]), nil
	case t.head() == "/" && len(args) == 2 && args[1].Sign() != 0:
		return args[0].Quo(args[0], args[1]), nil
	}
	return nil, fmt.Errorf("line %d: %s is no number", t.line, t)
}
