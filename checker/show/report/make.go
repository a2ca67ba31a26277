package report

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/explain"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// ReplayError says that a trace or run of a result does not replay: a fault of unknot itself, never of the network.
type ReplayError struct {
	Property, Of string // the names of the property, and of the network or machine
	Err          error  // of the replay
}

// Error names the property and its subject.
func (e *ReplayError) Error() string {
	return fmt.Sprintf("reporting %s of %s: %v", e.Property, e.Of, e.Err)
}

// Unwrap returns Err.
func (e *ReplayError) Unwrap() error { return e.Err }

// Of makes a result of what the checker found. The error is a *[ReplayError].
func Of(r *checker.Result, from Origin) (Result, error) {
	out := Result{
		Name: r.Name, File: from.File, Command: from.Command,
		Assumed: r.Assumed(), Census: r.Census, Space: r.Space, Properties: Tell(r),
	}
	if n := r.Network; n != nil {
		out.Digest, out.Switching = n.Digest().String(), n.Switching().String()
		if c := r.Census; c != nil && c.Discards.Sites > 0 {
			s, topo := c.Discards.First, n.Topology()
			out.discarding = topo.ChannelName(s.Channel) + n.TagText(s) + " for " + topo.Node(s.Header.Dest).Name
		}
	}
	for i := range out.Properties {
		p := &out.Properties[i]
		if want, stated := from.Expected[p.Name]; stated {
			p.Expected = want
		}
		if err := p.describe(r.Findings[i].Evidence); err != nil {
			return Result{}, &ReplayError{p.Name, r.Name, err}
		}
	}
	return out, nil
}

// Tell returns the answers of a result, by finding, without what traces and runs show: to follow one takes as long as
// to check it.
func Tell(r *checker.Result) []Property {
	all := make([]Property, len(r.Findings))
	for i := range r.Findings {
		f := &r.Findings[i]
		p := Property{Name: f.Property, Verdict: f.Verdict, Expected: spec.Holds, Decisive: -1, Back: -1}
		p.Because, p.Argument, p.Method, p.Vacuous = f.Because, f.Argument, f.Method, f.Vacuous
		p.Assumptions, p.Notes = f.Assumptions, f.Notes
		for _, c := range f.Candidate {
			p.Candidate = append(p.Candidate, Channel{c, r.Network.Topology().ChannelName(c)})
		}
		if e := f.Evidence; e != nil {
			p.Evidence, p.rests = e.Kind(), explain.Text(e)
		} else if f.Verdict != spec.Unknown {
			p.Evidence = evidence.Count{}.Kind()
		}
		p.addScenario(r, f)
		if c := f.Certificate(); c != nil {
			p.Certificate = c.Kind.String()
		}
		all[i] = p
	}
	return all
}

// RestsOn says in words what the evidence is. A verdict without any rests on counts of the states, as the caller calls
// them; one that is unknown rests on nothing, "".
func (p *Property) RestsOn(counts string) string {
	if p.rests == "" && p.Verdict != spec.Unknown {
		return counts + ", unchecked"
	}
	return p.rests
}

// addScenario says how the network was run for a verdict, unless that is about its tables.
func (p *Property) addScenario(r *checker.Result, f *checker.Finding) {
	var sc *spec.Scenario
	switch {
	case f.Evidence != nil:
		sc = f.Evidence.Shown().Under
	case f.Verdict != spec.Unknown && f.Method == checker.Explored && r.Machine != nil:
		sc = states.Under(r.Machine)
	}
	if sc == nil {
		return
	}
	p.Scenario = sc.String()
	for _, o := range slices.SortedFunc(slices.Values(sc.Once), spec.Flow.Compare) {
		p.Once = append(p.Once, Flow{o.Source, o.Target.Dest, o.Target.Class})
	}
}

// describe fills in what a trace or run shows.
func (p *Property) describe(e evidence.Evidence) error {
	x, err := explain.Follow(e)
	if x == nil || err != nil {
		return err
	}
	changes, err := x.Changes()
	if err != nil {
		return err
	}
	p.Fault, p.Ending = x.Fault, x.Ending
	if x.Back < len(x.Steps) {
		p.Back = x.Back
	}
	for i, s := range x.Steps {
		p.Steps = append(p.Steps, Step{
			What: s.What, Text: s.Text(), Packet: s.Packet, Changes: changes[i], Rule: s.Rule,
			Alternative: s.Alternative, Alternatives: s.Alternatives,
		})
		p.Rule = p.Steps[i].Rule // in a machine; for packets see caused
	}
	if t, ok := e.(evidence.Trace); ok {
		return p.caused(t)
	}
	return nil
}

// caused fills in the rules that brought packets to where a trace ends, and the cycle
// that they form.
func (p *Property) caused(t evidence.Trace) (err error) {
	n := t.Network
	for i := len(p.Steps) - 1; i >= 0 && p.Rule.Text == ""; i-- {
		p.Rule = p.Steps[i].Rule
	}
	switch t.Fault {
	case counterexamples.Deadlock:
		for _, c := range t.Stuck {
			p.Stuck = append(p.Stuck, Channel{c, n.Topology().ChannelName(c)})
		}
		p.Cycle, err = WaitCycle(t)
	case counterexamples.Loop:
		p.Cycle = loopOf(t)
	}
	if p.Decisive = decisive(p.Cycle); p.Decisive >= 0 {
		p.Rule = p.Cycle[p.Decisive].Rule
	}
	return err
}
