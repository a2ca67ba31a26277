package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed-105a2da2/unknot/cmd/internal/memory"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
)

// usualTimeout is the time of a run that visits no states again: the largest networks take minutes.
const usualTimeout = time.Hour

// options are what comes before the files on the command line, and what the system has to spare.
type options struct {
	evidence.Options // Memory: bytes; 0: no bound is known
	timeout          time.Duration
	version, help    bool
}

// parse reads the options that come first, and returns the rest.
func parse(args []string, spare int64) (o options, files []string, err error) {
	o.Memory, o.timeout = spare, -1
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "--" {
		name, value, given := strings.Cut(args[0], "=")
		args = args[1:]
		switch name {
		case "--timeout", "--memory":
			if !given {
				if len(args) == 0 {
					return o, nil, fmt.Errorf("%s: want a value", name)
				}
				value, args = args[0], args[1:]
			}
			if name == "--memory" {
				o.Memory, err = memory.Parse(value)
			} else if o.timeout, err = time.ParseDuration(value); err != nil || o.timeout < 0 {
				err = errors.New("a time such as 30s, 10m or 2h, or 0 for no limit")
			}
			if err != nil {
				return o, nil, fmt.Errorf("invalid %s %.40q: want %w", name, value, err)
			}
			continue
		case "--recount", "--plain", "--version", "--help", "-h":
			if !given {
				o.Recount, o.Plain = o.Recount || name == "--recount", o.Plain || name == "--plain"
				o.version, o.help = o.version || name == "--version", o.help || name == "--help" || name == "-h"
				continue
			}
		}
		return o, nil, fmt.Errorf("unknown option %.60q", name)
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if o.timeout < 0 {
		o.timeout = usualTimeout
		if o.Recount { // which may take as long as the exploration did
			o.timeout = 0
		}
	}
	return o, args, nil
}

// limitError says which limit ended the work.
type limitError struct{ what string }

func (e *limitError) Error() string {
	return e.what + " is used up; --timeout and --memory set other limits"
}

// begin returns a context that ends when the time or the memory is used up. If the work does not stop soon after, exit
// ends the process, with a line that says so.
func (o *options) begin(ctx context.Context, errs io.Writer, exit func(int)) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	giveUp := func(e error) {
		fmt.Fprintln(errs, "unknot-verify: unchecked:", e)
		exit(exitUnchecked)
	}
	ends := []func(){func() { cancel(nil) }}
	if o.timeout > 0 {
		up := &limitError{fmt.Sprintf("the time of %v", o.timeout)}
		soft := time.AfterFunc(o.timeout, func() { cancel(up) })
		hard := time.AfterFunc(o.timeout+max(2*time.Second, o.timeout/10), func() { giveUp(up) })
		ends = append(ends, func() { soft.Stop(); hard.Stop() })
	}
	if o.Memory > 0 {
		up := &limitError{fmt.Sprintf("the memory of %d bytes", o.Memory)}
		ends = append(ends, memory.Bound(o.Memory, 5*time.Millisecond, func() { cancel(up) }, func() { giveUp(up) }))
	}
	return ctx, func() {
		for _, f := range ends {
			f()
		}
	}
}

// limited returns, if a limit was reached, that the file was not checked, instead of what the check returned.
func limited(ctx context.Context, file string, err error) error {
	var up *limitError
	if err == nil || !errors.As(context.Cause(ctx), &up) {
		return err
	}
	return &evidence.UncheckedError{Why: cmp.Or(file, "unknot-verify") + ": " + spec.Printable(up.Error())}
}
