package murphi

import (
	"errors"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Expected verdicts are comments, as Murphi has no word for them: -- expect "NAME" violated. Other comments that begin with
// expect are left alone, unless a quotation mark follows.

type expectation struct {
	at       position
	property string
	verdict  spec.Verdict
}

// expect reads a comment.
func (s *scanner) expect(comment string) error {
	quoted, is := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(comment, "--")), `expect "`)
	if !is {
		return nil
	}
	property, verdict, closed := strings.Cut(quoted, `"`)
	v, known := spec.ParseVerdict(strings.TrimSpace(verdict))
	if !closed || !known {
		return wrong(s.file, s.at, `want -- expect "PROPERTY", and holds, violated or unknown`)
	}
	s.expects = append(s.expects, expectation{s.at, spec.Printable(property), v})
	return nil
}

// expect gives a program the expected verdicts. The name of a liveness in a ruleset stands for all of its values.
func expect(file string, p *program.Program, all []expectation) error {
	properties := []string{spec.DeadlockFreedom.String()}
	for _, v := range p.Invariants {
		if v.Cover != "" {
			properties = append(properties, v.Cover)
		} else {
			properties = append(properties, v.Name)
		}
	}
	for _, f := range p.Formulas {
		properties = append(properties, f.Name)
	}
	for _, x := range all {
		found := false
		for _, name := range properties {
			if name != x.property && !strings.HasPrefix(name, x.property+", ") {
				continue
			}
			found = true
			p.Expect = append(p.Expect, program.Expectation{Property: name, Verdict: x.verdict})
			if err := p.Check(); err != nil {
				return wrong(file, x.at, "expect: %v", errors.Unwrap(err))
			}
		}
		if !found {
			return wrong(file, x.at, "expect: there is no property %.60q%s", x.property, words.NowCalled(x.property, properties))
		}
	}
	return nil
}
