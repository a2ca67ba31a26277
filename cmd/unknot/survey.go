package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/fabrics"
	"github.com/seed-105a2da2/unknot/spec"
)

// surveys reports whether check judges a fabric in all scopes: the argument is one folder,
// and no flag reduces it to one network.
func (f *checkFlags) surveys(args []string) bool {
	one := f.scope != "" || f.switching != "" || len(f.dest)+len(f.source)+len(f.once) > 0 || f.expected ||
		f.question.Save != "" || f.question.Resume != "" || f.question.Disk != ""
	return len(args) == 1 && !one && f.isFabric(args[0])
}

// survey judges a fabric in all scopes.
func (f *checkFlags) survey(c *cobra.Command, name string, std streams) error {
	ctx := c.Context()
	m := newMeter(std)
	defer m.clear()
	f.report.begin(c, []string{name})
	fab, err := f.readFabric(ctx, name)
	if err != nil {
		return err
	}
	f.report.lap("reading")
	s := &fabrics.Survey{Fabric: fab}
	var shown *checker.Result // on the page
	if s.Faults, err = fab.Faults(ctx); err != nil {
		return err
	}
	opt := fabrics.Options{
		MaxSites: f.maxSites, Faults: s.Faults,
		Check: func(n *spec.Network) (checker.Question, error) {
			q, _, err := f.networkQuestion(c, name, n, m)
			return q, err
		},
	}
	err = fabrics.Check(ctx, fab, opt, func(j *fabrics.Judgement) error {
		if j.Why != nil {
			return s.Add(j, f.json)
		}
		if f.out != "" {
			if err := f.keep(ctx, filepath.Join(f.out, j.Scope.Name()), j.Result); err != nil {
				return err
			}
		}
		if j.Counts { // what other programs see is what the exit code says
			if err := f.outputs.decided(j.Result); err != nil {
				return err
			}
			if f.report.file != "" {
				shown = j.Result
			}
		}
		return s.Add(j, f.json)
	})
	if err == nil && !s.Judged() {
		err = surveyError(s)
	}
	if err != nil {
		return err
	}
	if shown != nil {
		if err := s.WriteText(&f.report.about, ""); err != nil {
			return err
		}
		if err := f.report.write(ctx, "compiling and deciding", shown); err != nil {
			return err
		}
	}
	m.clear()
	if f.json {
		err = writeJSON(std.out, s.JSON())
	} else {
		err = s.WriteText(std.out, f.out)
		if v, is := s.Verdict(); err == nil && is == nil && v == spec.Violated {
			_, err = fmt.Fprintf(std.out, "for a repair: unknot untie %s; for other routes: unknot route %[1]s --engine all\n",
				spec.Printable(name))
		}
	}
	if err != nil {
		return err
	}
	if ctx.Err() != nil && used(ctx) == nil {
		return &codeError{code: exitInterrupted}
	}
	return surveyError(s)
}

// surveyError turns the verdicts of the scope that counts into the exit code.
func surveyError(s *fabrics.Survey) error {
	verdict, err := s.Verdict()
	if err != nil {
		return err
	}
	return verdictError(verdict)
}
