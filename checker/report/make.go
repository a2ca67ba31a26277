package report

import (
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/spec"
)

// Decided makes a result of a static decision about n. An error means that a
// trace of the report does not replay on n.
func Decided(n *spec.Network, r *checker.Report, from Origin) (Result, error) {
	census := r.Census
	out := Result{
		Name: r.Network, File: from.File, Command: from.Command,
		Digest: r.Digest.String(), Switching: r.Switching.String(), Assumptions: r.Assumptions, Census: &census,
	}
	for _, res := range r.Results {
		p := from.property(res.Property.String(), res.Verdict)
		p.Because, p.Notes = res.Because, res.Notes
		for _, c := range res.Candidate {
			p.Candidate = append(p.Candidate, Channel{c, n.Topology().ChannelName(c)})
		}
		switch {
		case res.Certificate != nil:
			p.Evidence, p.Certificate = Certificate, res.Certificate.Kind.String()
		case res.Closed != nil:
			p.Evidence = ClosedSet
		case res.Trace != nil:
			if err := p.trace(n, res.Trace); err != nil {
				return Result{}, fmt.Errorf("reporting %s of %s: %w", p.Name, r.Network, err)
			}
		}
		out.Properties = append(out.Properties, p)
	}
	return out, nil
}

// Explored makes a result of an exploration of m. n is the network whose traffic
// m is, or nil. An error means that a trace or run does not replay.
func Explored(m spec.Machine, n *spec.Network, x *checker.Exploration, from Origin) (Result, error) {
	out := Result{
		Name: x.Machine, File: from.File, Command: from.Command, Assumptions: x.Assumptions,
		Space: &Space{
			Machine: x.Machine, Complete: x.Complete, Ended: x.Ended,
			States: x.States, Expanded: x.Expanded, Transitions: x.Transitions,
			Levels: x.Levels, Widest: x.Widest, Bits: x.Bits,
			Local: x.Local, Weak: x.Weak, Global: x.Global, Halts: x.Halts, Digest: x.Digest,
		},
	}
	if n != nil {
		out.Digest, out.Switching = n.Digest().String(), n.Definition().Switching.String()
	}
	for _, f := range x.Findings {
		p := from.property(f.Property, f.Verdict)
		p.Because, p.Notes, p.Vacuous = f.Because, f.Notes, f.Vacuous
		var err error
		switch {
		case f.Trace != nil:
			err = p.trace(n, f.Trace)
		case f.Run != nil:
			err = p.run(m, f.Run)
		case f.Closed != nil:
			p.Evidence = ClosedSet
		case f.Ranking != nil:
			p.Evidence = Ranking
		case f.Verdict == spec.Holds:
			p.Evidence = Counts
		}
		if err != nil {
			return Result{}, fmt.Errorf("reporting %s of %s: %w", p.Name, x.Machine, err)
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
	p.Evidence, p.Fault = Trace, t.Fault.String()
	if plain := (spec.Scenario{}).String(); t.Scenario.String() != plain {
		p.Scenario = t.Scenario.String()
	}
	changes, err := counterexamples.Changes(n, t)
	if err != nil {
		return err
	}
	lines := counterexamples.Transcript(n, t)
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
func (p *Property) run(m spec.Machine, r *counterexamples.Run) error {
	p.Evidence, p.Fault = Run, r.Fault.String()
	states, err := r.States(m)
	if err != nil {
		return err
	}
	for i, t := range r.Steps {
		p.Steps = append(p.Steps, Step{Text: t.Action.Name, Changes: m.Layout().Changes(states[i], states[i+1])})
	}
	switch {
	case r.Fault == counterexamples.Unanswered && r.Back < len(r.Steps):
		p.Back = r.Back
		p.Ending = fmt.Sprintf("and so on from step %d", r.Back+1)
	case r.Fault == counterexamples.Unanswered:
		p.Ending = "there it may rest for ever"
	case r.Fault == counterexamples.Halt:
		p.Ending = "there nothing is possible"
	case r.Fault == counterexamples.Refused:
		p.Ending = "there the next step would take a value out of its range"
	}
	return nil
}
