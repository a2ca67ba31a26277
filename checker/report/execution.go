package report

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Execution is the states that a trace or run goes through: what state-based
// tools call a counterexample, finite or a lasso.
type Execution struct {
	machine  states.Machine
	states   [][]uint64
	actions  []string // one less than states
	loop     int      // number of the state that the last one comes back to, or -1
	property string
	fault    string
}

// TraceExecution takes the moves of a trace of n.
func TraceExecution(n *spec.Network, t *counterexamples.Trace) (*Execution, error) {
	traffic, err := states.NewTraffic(n, t.Scenario)
	if err != nil {
		return nil, err
	}
	x := &Execution{machine: traffic, loop: -1, property: t.Property.String(), fault: t.Fault.String()}
	s := traffic.Empty()
	x.states = append(x.states, traffic.Encode(nil, s))
	for i, m := range t.Moves {
		if s, err = traffic.Step(s, m); err != nil {
			return nil, fmt.Errorf("move %d is not possible: %w", i+1, err)
		}
		x.states = append(x.states, traffic.Encode(nil, s))
		x.actions = append(x.actions, traffic.Describe(m))
	}
	if t.Fault == counterexamples.Loop {
		if t.Back < 0 || t.Back >= len(x.states) {
			return nil, fmt.Errorf("the loop begins after move %d of %d", t.Back, len(t.Moves))
		}
		x.loop = t.Back
	}
	return x, nil
}

// RunExecution takes the steps of a run of m.
func RunExecution(m states.Machine, r *runs.Run) (*Execution, error) {
	states, err := r.States(m)
	if err != nil {
		return nil, err
	}
	x := &Execution{machine: m, states: states, loop: -1, property: r.Property, fault: r.Fault.String()}
	for _, t := range r.Steps {
		x.actions = append(x.actions, t.Action.Name)
	}
	if r.Fault == runs.Unanswered {
		if r.Back < 0 || r.Back >= len(states) {
			return nil, fmt.Errorf("the loop begins after step %d of %d", r.Back, len(r.Steps))
		}
		x.loop = r.Back
	}
	return x, nil
}

// action names the step that leads to state i.
func (x *Execution) action(i int) string {
	if i == 0 {
		return "start"
	}
	return x.actions[i-1]
}

// occupied lists the channels of a traffic that some state has packets in, ascending.
func (x *Execution) occupied(t *states.Traffic) []spec.ChannelID {
	in := make([]bool, t.Network().Topology().Channels())
	for _, s := range x.states {
		for c, pieces := range t.Decode(s).Channels {
			in[c] = in[c] || len(pieces) > 0
		}
	}
	var out []spec.ChannelID
	for c, occupied := range in {
		if occupied {
			out = append(out, spec.ChannelID(c))
		}
	}
	return out
}
