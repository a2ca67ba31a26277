package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/report"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Exit codes, see guide/commands.md.
const (
	exitExpected    = 0
	exitViolated    = 1
	exitUsage       = 2
	exitUnknown     = 3
	exitInternal    = 4
	exitInterrupted = 130
)

// streams are what a command reads from and writes to.
type streams struct {
	in       io.Reader
	out, err io.Writer
	terminal bool           // err is a terminal: show progress there
	exit     func(code int) // ends a process that ignores its budget; nil in tests
	spare    int64          // bytes of memory to take without --memory; 0: no bound
}

// codeError ends a command with its exit code; a nil err prints nothing.
type codeError struct {
	code int
	err  error
}

func (e *codeError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *codeError) Unwrap() error { return e.err }

func exitCode(ctx context.Context, err error) int {
	var (
		coded    *codeError
		bound    *spec.BoundError
		budget   *routing.BudgetError
		evidence *checker.EvidenceError
		replay   *report.ReplayError
	)
	switch {
	case err == nil:
		return exitExpected
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &replay):
		return exitInternal
	case errors.As(err, &bound), errors.As(err, &budget):
		return exitUnknown
	case errors.As(err, &evidence):
		return exitInternal
	}
	return exitUsage
}

// verdictError turns a verdict into the exit code.
func verdictError(v spec.Verdict) error {
	switch v {
	case spec.Violated:
		return &codeError{code: exitViolated}
	case spec.Unknown:
		return &codeError{code: exitUnknown}
	}
	return nil
}
