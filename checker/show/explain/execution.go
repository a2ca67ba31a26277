package explain

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/counterexamples/runs"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Execution is a trace or run, step by step: what other tools call a
// counterexample, finite or a lasso.
type Execution struct {
	Machine  states.Machine // for a trace, the traffic of its scenario
	Property string
	Fault    string // what the last state shows, such as "deadlock"
	Start    int    // number of the initial state
	Steps    []Step
	// the steps from this number on repeat forever; if there are none, the last state does; -1: it is finite
	Back   int
	Ending string // what the last state shows, without a full stop; may be ""
}

// Step is a step of an execution.
type Step struct {
	Action string      // what the machine calls it
	What   string      // what happens
	Rule   spec.Reason // why the step is permitted; may be zero
	Move   spec.Move   // in a network's traffic
	Packet int         // that moves, by its number; 0 if none does, and in any other machine
	choice int         // in any other machine: the number of the successor

	// Alternative is that to which the packet of Move was committed before it, from 1 on, of Alternatives; both 0 if to
	// none.
	Alternative, Alternatives int
}

// Text says what happens, by which rule.
func (s Step) Text() string { return s.What + s.Rule.Clause() }

// Named is Text with the packet's name before it.
func (s Step) Named() string { return Named(s.Packet, s.Text()) }

// Named puts the name of a packet before a sentence about a move of it; 0 is none.
func Named(packet int, text string) string {
	if packet == 0 {
		return text
	}
	return fmt.Sprintf("P%d: %s", packet, text)
}

// Follow returns the execution of a trace or run; nil if e is neither.
func Follow(e evidence.Evidence) (*Execution, error) {
	switch e := e.(type) {
	case evidence.Trace:
		return followTrace(e)
	case evidence.Run:
		return followRun(e)
	}
	return nil, nil
}

func followTrace(t evidence.Trace) (*Execution, error) {
	if of := t.Network.Digest(); t.Trace.Network != of {
		return nil, fmt.Errorf("the trace is for another network: %s, not %s", t.Trace.Network, of)
	}
	traffic, err := states.NewTraffic(t.Network, t.Scenario)
	if err != nil {
		return nil, err
	}
	x := &Execution{
		Machine: traffic, Property: t.Property.String(), Fault: t.Fault.String(), Back: -1, Ending: ending(t),
	}
	k := Track(traffic)
	for i, m := range t.Moves {
		packet, _, err := k.Step(m)
		if err != nil {
			return nil, fmt.Errorf("move %d is not possible: %w", i+1, err)
		}
		step := Step{Action: traffic.Describe(m), What: moveText(t.Network, m), Move: m, Packet: packet}
		if m.Kind == spec.Advance {
			at := spec.Site{Channel: m.From, Header: m.Header}
			step.Rule = t.Network.Reason(at, m.Hop)
			step.Alternative, step.Alternatives = t.Network.Committed(at)
		}
		x.Steps = append(x.Steps, step)
	}
	if t.Fault == counterexamples.Loop {
		x.Back = t.Back
	}
	return x, x.looped()
}

// Through returns the states that a run goes through, one more than there are steps.
func Through(m states.Machine, r *runs.Run) (all [][]uint64, err error) {
	_, err = r.Walk(context.Background(), m, func(_ int, s []uint64) error {
		all = append(all, slices.Clone(s))
		return nil
	})
	return all, err
}

func followRun(r evidence.Run) (*Execution, error) {
	if of := r.Machine.Name(); r.Run.Machine != of {
		return nil, fmt.Errorf("the trace is for another machine: %s, not %s", r.Run.Machine, of)
	}
	through, err := Through(r.Machine, r.Run)
	if err != nil {
		return nil, err
	}
	x := &Execution{Machine: r.Machine, Property: r.Property, Fault: string(r.Fault), Start: r.Start, Back: -1}
	traffic, _ := r.Machine.(*states.Traffic)
	var k *Tracker
	if traffic != nil {
		k = Track(traffic)
	}
	words := r.Machine.Layout().Words()
	for i, taken := range r.Steps {
		next, err := r.Machine.AppendSuccessors(nil, through[i])
		if err != nil {
			return nil, err
		}
		step := Step{Action: taken.Action.Name, What: taken.Action.Name}
		if step.choice, err = taken.Of(r.Machine, through[i], len(next)/words); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		if p, ok := r.Machine.(*program.Machine); ok {
			step.Rule = p.Program().Rules[p.RuleOf(through[i], step.choice)].Where
		}
		if traffic != nil {
			step.Move = traffic.Moves(traffic.Decode(through[i]))[step.choice]
			if step.Packet, _, err = k.Step(step.Move); err != nil {
				return nil, fmt.Errorf("step %d: %w", i+1, err)
			}
		}
		x.Steps = append(x.Steps, step)
	}
	switch {
	case r.Fault == runs.Broken:
		x.Ending = fmt.Sprintf("the invariant %q is violated", r.Property)
		for _, v := range states.ClaimsOf(r.Machine).Invariants {
			if v.Name == r.Property && v.Cover != "" {
				x.Ending = fmt.Sprintf("%q is reached", v.Cover)
			}
		}
		if why := Broken(r.Machine, r.Property, through[len(through)-1]); why != "" {
			x.Ending += ": " + why
		}
	case r.Fault == runs.Halt:
		x.Ending = "no step is possible"
	case r.Fault == runs.Refused:
		if wrong := Wrong(r.Machine, through[len(through)-1]); wrong != "" {
			x.Ending = "the next step is wrong: " + wrong
			break
		}
		_, err := r.Machine.AppendSuccessors(nil, through[len(through)-1])
		x.Ending = fmt.Sprintf("the next step would take a value out of its range: %v", err)
	case r.Fault == runs.Falsified && possible(r.Machine, r.Property):
		x.Ending = fmt.Sprintf("from here %q cannot be reached any more", r.Property)
	case r.Fault == runs.Falsified && r.Back == len(r.Steps):
		x.Back, x.Ending = r.Back, fmt.Sprintf("the machine may stay here: %q is false of this run", r.Property)
	case r.Fault == runs.Falsified:
		x.Back, x.Ending = r.Back, fmt.Sprintf("and so on from step %d: %q is false of this run", r.Back+1, r.Property)
	case r.Back == len(r.Steps):
		x.Back, x.Ending = r.Back, fmt.Sprintf("the machine may rest here: %q is never answered", r.Property)
	default:
		x.Back, x.Ending = r.Back, fmt.Sprintf("and so on from step %d: %q is never answered", r.Back+1, r.Property)
	}
	return x, x.looped()
}

// possible reports whether a property is that something is always possible.
func possible(m states.Machine, property string) bool {
	return slices.ContainsFunc(states.ClaimsOf(m).Formulas, func(f states.Formula) bool {
		return f.Possible && f.Name == property
	})
}

// looped refuses a loop that does not begin at a state of the execution.
func (x *Execution) looped() error {
	if x.Back < -1 || x.Back > len(x.Steps) {
		return fmt.Errorf("the loop begins after step %d of %d", x.Back, len(x.Steps))
	}
	return nil
}

// Each calls f with every step and the states before and after it, until f returns
// an error.
func (x *Execution) Each(f func(i int, before, after []uint64) error) error {
	at := x.initial()
	step := x.stepper()
	for i, s := range x.Steps {
		after, err := step(s, at)
		if err != nil {
			return fmt.Errorf("step %d is not possible: %w", i+1, err)
		}
		if err := f(i, at, after); err != nil {
			return err
		}
		at = after
	}
	return nil
}

// initial returns the initial state.
func (x *Execution) initial() []uint64 {
	words := x.Machine.Layout().Words()
	return x.Machine.Start(nil)[x.Start*words:][:words]
}

// stepper returns a function that takes steps in order.
func (x *Execution) stepper() func(s Step, at []uint64) (after []uint64, err error) {
	if t, ok := x.Machine.(*states.Traffic); ok {
		state := t.Empty()
		return func(s Step, _ []uint64) (after []uint64, err error) {
			if state, err = t.Step(state, s.Move); err != nil {
				return nil, err
			}
			return t.Encode(nil, state), nil
		}
	}
	words := x.Machine.Layout().Words()
	return func(s Step, at []uint64) ([]uint64, error) {
		next, err := x.Machine.AppendSuccessors(nil, at)
		if err != nil {
			return nil, err
		}
		return next[s.choice*words:][:words], nil
	}
}

// Choice returns the number of the successor that step i takes from a state, or -1.
func (x *Execution) Choice(i int, before []uint64) int {
	if t, ok := x.Machine.(*states.Traffic); ok {
		return slices.Index(t.Moves(t.Decode(before)), x.Steps[i].Move)
	}
	return x.Steps[i].choice
}

// States returns the states, one more than steps.
func (x *Execution) States() ([][]uint64, error) {
	states := [][]uint64{x.initial()}
	err := x.Each(func(_ int, _, after []uint64) error { states = append(states, after); return nil })
	return states, err
}

// Changes lists what each step changes in the state.
func (x *Execution) Changes() (all [][]states.Change, err error) {
	err = x.Each(func(_ int, before, after []uint64) error {
		all = append(all, states.Changes(x.Machine.Layout(), before, after))
		return nil
	})
	return all, err
}

// ending describes what the last state of a trace shows.
func ending(t evidence.Trace) string {
	topo := t.Network.Topology()
	switch t.Fault {
	case counterexamples.Loop:
		return fmt.Sprintf("and so on from move %d", t.Back+1)
	case counterexamples.DeadEnd:
		return fmt.Sprintf("at %s the routing function returns no hop %s",
			topo.Node(topo.Head(t.Site.Channel)).Name, t.Network.Heading(t.Site))
	case counterexamples.Trap:
		return "from there it can move, but never arrive"
	case counterexamples.Unrouted:
		return fmt.Sprintf("at %s the routing function returns no first hop %s",
			topo.Node(topo.Head(t.Site.Channel)).Name, t.Network.Heading(t.Site))
	case counterexamples.Misdelivery:
		return "that is not its destination"
	case counterexamples.Discarded:
		return "on purpose, as the routing permits"
	}
	return ""
}

// moveText describes a move.
func moveText(n *spec.Network, m spec.Move) string {
	topo := n.Topology()
	if m.Kind != spec.Advance {
		return follower(n, m)
	}
	line := "packet for " + topo.Node(m.Header.Dest).Name
	committed := n.CommitmentText(spec.Site{Channel: m.From, Header: m.Header})
	switch {
	case m.From.IsInjection() && m.Hop.Discards():
		line += committed + " is discarded at once at " + topo.Node(topo.Head(m.From)).Name
	case m.Hop.Discards():
		line += fmt.Sprintf(" in %s%s is discarded at %s",
			topo.ChannelName(m.From), committed, topo.Node(topo.Head(m.From)).Name)
	case m.From.IsInjection() && m.Hop.Channel == spec.Eject:
		line += committed + " leaves at once at " + topo.Node(topo.Head(m.From)).Name
	case m.From.IsInjection():
		line += fmt.Sprintf("%s enters at %s into %s",
			committed, topo.Node(topo.Head(m.From)).Name, topo.ChannelName(m.Hop.Channel))
	case m.Hop.Channel == spec.Eject:
		line += fmt.Sprintf(" leaves %s%s at %s", topo.ChannelName(m.From), committed, topo.Node(topo.Head(m.From)).Name)
	default:
		line += fmt.Sprintf(" moves from %s%s to %s", topo.ChannelName(m.From), committed, topo.ChannelName(m.Hop.Channel))
	}
	return line
}

func follower(n *spec.Network, m spec.Move) string {
	topo := n.Topology()
	switch {
	case m.Kind == spec.Consume:
		return fmt.Sprintf("the sink of %s consumes a packet", topo.Node(topo.Head(m.From)).Name)
	case m.Kind == spec.Finish:
		return fmt.Sprintf("the packet for %s that enters %s ends",
			topo.Node(m.Header.Dest).Name, topo.ChannelName(m.Hop.Channel))
	case m.From.IsInjection():
		return fmt.Sprintf("the next flit for %s enters into %s",
			topo.Node(m.Header.Dest).Name, topo.ChannelName(m.Hop.Channel))
	case m.Hop.Discards():
		return fmt.Sprintf("the next flit for %s in %s is discarded at %s",
			topo.Node(m.Header.Dest).Name, topo.ChannelName(m.From), topo.Node(topo.Head(m.From)).Name)
	case m.Hop.Channel == spec.Eject:
		return fmt.Sprintf("the next flit for %s leaves %s at %s",
			topo.Node(m.Header.Dest).Name, topo.ChannelName(m.From), topo.Node(topo.Head(m.From)).Name)
	}
	return fmt.Sprintf("the next flit for %s follows from %s to %s",
		topo.Node(m.Header.Dest).Name, topo.ChannelName(m.From), topo.ChannelName(m.Hop.Channel))
}
