package report

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/explain"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Of makes a result of what the checker found. An error means that a trace or
// run does not replay.
func Of(r *checker.Result, from Origin) (Result, error) {
	out := Result{Name: r.Name, File: from.File, Command: from.Command, Assumed: r.Assumed(), Census: r.Census, Space: r.Space}
	if n := r.Network; n != nil {
		out.Digest, out.Switching = n.Digest().String(), n.Switching().String()
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		p := from.property(f.Property, f.Verdict)
		p.Because, p.Method, p.Assumptions, p.Notes, p.Vacuous = f.Because, f.Method, f.Assumptions, f.Notes, f.Vacuous
		for _, c := range f.Candidate {
			p.Candidate = append(p.Candidate, Channel{c, r.Network.Topology().ChannelName(c)})
		}
		var err error
		if e := r.Evidence(f); e != nil {
			p.Evidence = Evidence(e.Kind())
		} else if f.Verdict == spec.Holds {
			p.Evidence = Counts
		}
		switch {
		case f.Certificate != nil:
			p.Certificate = f.Certificate.Kind.String()
		case f.Trace != nil:
			err = p.trace(r.Network, f.Trace)
		case f.Run != nil:
			err = p.run(r.Machine, f.Run)
		}
		if err != nil {
			return Result{}, fmt.Errorf("reporting %s of %s: %w", p.Name, r.Name, err)
		}
		out.Properties = append(out.Properties, p)
	}
	return out, nil
}

// property begins the answer to a question.
func (o Origin) property(name string, v spec.Verdict) Property {
	p := Property{Name: name, Verdict: v, Expected: spec.Holds, Decisive: -1, Back: -1}
	if want, stated := o.Expected[name]; stated {
		p.Expected = want
	}
	return p
}

// trace fills in what a trace of a network shows.
func (p *Property) trace(n *spec.Network, t *counterexamples.Trace) error {
	p.Fault = t.Fault.String()
	if plain := (spec.Scenario{}).String(); t.Scenario.String() != plain {
		p.Scenario = t.Scenario.String()
	}
	changes, err := explain.Changes(n, t)
	if err != nil {
		return err
	}
	lines := explain.Transcript(n, t)
	for i, m := range t.Moves {
		_, text, _ := strings.Cut(lines[i], ". ")
		s := Step{Text: text, Changes: changes[i]}
		if m.Kind == spec.Advance {
			s.Rule = ruleOf(n.Reason(spec.Site{Channel: m.From, Header: m.Header}, m.Hop))
		}
		p.Steps = append(p.Steps, s)
	}
	p.Ending = strings.Join(lines[len(t.Moves):], "; ")
	for i := len(p.Steps) - 1; i >= 0 && p.Rule.Text == ""; i-- {
		p.Rule = p.Steps[i].Rule
	}
	switch t.Fault {
	case counterexamples.CircularWait:
		for _, c := range t.Stuck {
			p.Stuck = append(p.Stuck, Channel{c, n.Topology().ChannelName(c)})
		}
		if p.Cycle, err = circularWait(n, t); err != nil {
			return err
		}
	case counterexamples.Loop:
		if t.Back < 0 || t.Back >= len(t.Moves) {
			return fmt.Errorf("the loop begins with move %d of %d", t.Back+1, len(t.Moves))
		}
		p.Back = t.Back
		p.Cycle = loopOf(n, t)
	}
	if p.Decisive = decisive(p.Cycle); p.Decisive >= 0 {
		p.Rule = p.Cycle[p.Decisive].Rule
	}
	return nil
}

// run fills in what a run of a machine shows.
func (p *Property) run(m states.Machine, r *runs.Run) error {
	p.Fault = r.Fault.String()
	states, err := r.States(m)
	if err != nil {
		return err
	}
	for i, t := range r.Steps {
		p.Steps = append(p.Steps, Step{Text: t.Action.Name, Changes: m.Layout().Changes(states[i], states[i+1])})
	}
	switch {
	case r.Fault == runs.Unanswered && r.Back < len(r.Steps):
		p.Back = r.Back
		p.Ending = fmt.Sprintf("and so on from step %d", r.Back+1)
	case r.Fault == runs.Unanswered:
		p.Ending = "it may stay there forever"
	case r.Fault == runs.Halt:
		p.Ending = "no step is possible there"
	case r.Fault == runs.Refused:
		p.Ending = "the next step there would take a value out of its range"
	}
	return nil
}
