// Package runs holds the evidence by which a verdict "violated" about a machine is
// checked: a run ([Run]) and its replay ([Replay]).
package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// Fault says what a run of a machine shows.
type Fault uint8

const (
	// Broken: the last state breaks the invariant that Property names.
	Broken Fault = iota + 1
	// Halt: the last state has no successor, and is no intended end. Networks
	// have traces instead: one without packets may stand still and is not stuck.
	Halt
	// Refused: a step of the last state would take a value out of its range
	// ([states.InRange]).
	Refused
	// Unanswered: the response that Property names is pending in the state after
	// Back steps. The steps from there on lead back to that state, it stays
	// pending and none of them answers it; or there are none, and the machine
	// may rest there, because nothing is possible that has to happen. Every fair action that is possible in all states of the loop is
	// taken in it, so the loop may go on forever under weak fairness.
	Unanswered
)

var faultNames = map[Fault]string{Broken: "broken", Halt: "halt", Refused: "refused", Unanswered: "unanswered"}

// String returns "broken", "halt", "refused" or "unanswered".
func (f Fault) String() string {
	if name, ok := faultNames[f]; ok {
		return name
	}
	return "fault(?)"
}

// Taken is a step of a run: an action, and which of the successors that it
// leads to, counted from 0 in the machine's order.
type Taken struct {
	Action states.Action
	Choice int
}

// TakenBy returns the i-th step of a state.
func TakenBy(m states.Machine, s []uint64, i int) Taken {
	t := Taken{Action: m.Action(s, i)}
	for k := range i {
		if m.Action(s, k).Number == t.Action.Number {
			t.Choice++
		}
	}
	return t
}

// Of returns which of the successors of s, so many of them, a step leads to; or
// an error, if it is not possible or called otherwise.
func (t Taken) Of(m states.Machine, s []uint64, successors int) (int, error) {
	choice := t.Choice
	for i := range successors {
		a := m.Action(s, i)
		switch {
		case a.Number != t.Action.Number:
			continue
		case choice == 0 && a.Name != t.Action.Name:
			return 0, fmt.Errorf("action %d is %q, not %q", a.Number, a.Name, t.Action.Name)
		case choice == 0:
			return i, nil
		}
		choice--
	}
	return 0, fmt.Errorf("%q is not possible", t.Action.Name)
}

// Run is evidence for a verdict "violated" about a machine: steps from an
// initial state.
type Run struct {
	Machine  string // its Name
	Property string // the invariant or response; "deadlock" with Halt, states.InRange with Refused
	Fault    Fault
	Start    int // number of the initial state
	Steps    []Taken
	Back     int // Unanswered: where the loop begins
}

// States takes the steps of a run and returns the states that it goes through,
// one more than there are steps.
func (r *Run) States(m states.Machine) ([][]uint64, error) { return r.states(context.Background(), m) }

func (r *Run) states(ctx context.Context, m states.Machine) ([][]uint64, error) {
	words := m.Layout().Words()
	start := m.Start(nil)
	if r.Start < 0 || r.Start >= len(start)/words {
		return nil, fmt.Errorf("initial state %d does not exist", r.Start)
	}
	through := [][]uint64{start[r.Start*words : (r.Start+1)*words]}
	for i, t := range r.Steps {
		next, err := take(m, through[i], t)
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		through = append(through, next)
	}
	return through, nil
}

// take returns the successor of s that a step leads to.
func take(m states.Machine, s []uint64, t Taken) ([]uint64, error) {
	words := m.Layout().Words()
	next, err := m.Next(nil, s)
	if err != nil {
		return nil, err
	}
	i, err := t.Of(m, s, len(next)/words)
	if err != nil {
		return nil, err
	}
	return next[i*words : (i+1)*words], nil
}

// Replay takes a run through a machine and checks that it shows the fault
// that it claims. A nil error is the only acceptance. It ends with ctx.
func Replay(ctx context.Context, m states.Machine, claims states.Claims, r *Run) error {
	if r == nil {
		return errors.New("no run")
	}
	if r.Machine != m.Name() {
		return fmt.Errorf("the run is for another machine: %s, not %s", r.Machine, m.Name())
	}
	through, err := r.states(ctx, m)
	if err != nil {
		return err
	}
	last := through[len(through)-1]
	if r.Fault != Unanswered && r.Back != 0 {
		return errors.New("only an unanswered response has a loop")
	}
	switch r.Fault {
	case Broken:
		i := slices.IndexFunc(claims.Invariants, func(v states.Invariant) bool { return v.Name == r.Property })
		switch {
		case i < 0:
			return fmt.Errorf("the machine has no invariant %q", r.Property)
		case !claims.Invariants[i].Broken(last):
			return fmt.Errorf("the invariant %q holds at the end", r.Property)
		}
		return nil
	case Halt:
		if r.Property != spec.Deadlock.String() {
			return fmt.Errorf("a halt is a deadlock, not %q", r.Property)
		}
		if _, is := m.(*states.Traffic); is {
			return errors.New("a network that stands still need not be stuck: a trace shows that it is")
		}
		return halted(m, claims, last)
	case Refused:
		if r.Property != states.InRange {
			return fmt.Errorf("a refused step violates %q, not %q", states.InRange, r.Property)
		}
		if _, err := m.Next(nil, last); err == nil {
			return errors.New("every step that is possible at the end stays in range")
		}
		return nil
	case Unanswered:
		i := slices.IndexFunc(claims.Responses, func(v states.Response) bool { return v.Name == r.Property })
		if i < 0 {
			return fmt.Errorf("the machine has no response %q", r.Property)
		}
		return unanswered(ctx, m, claims, claims.Responses[i], r, through)
	}
	return fmt.Errorf("invalid fault %d", r.Fault)
}

func halted(m states.Machine, claims states.Claims, s []uint64) error {
	next, err := m.Next(nil, s)
	switch {
	case err != nil:
		return err
	case len(next) > 0:
		return fmt.Errorf("%q is still enabled at the end", m.Action(s, 0).Name)
	case claims.Final != nil && claims.Final(s):
		return errors.New("the machine ends there as intended (final state)")
	}
	return nil
}

// unanswered checks the loop of a run.
func unanswered(ctx context.Context, m states.Machine, claims states.Claims, v states.Response, r *Run, through [][]uint64) error {
	if r.Back < 0 || r.Back > len(r.Steps) {
		return fmt.Errorf("the loop begins after step %d: want 0 to %d", r.Back, len(r.Steps))
	}
	words := m.Layout().Words()
	loop := through[r.Back:]
	for i, s := range loop {
		if !v.Pending(s) {
			return fmt.Errorf("%q is not pending after step %d", v.Name, r.Back+i)
		}
	}
	last := loop[len(loop)-1]
	if len(loop) == 1 {
		next, err := m.Next(nil, last)
		for k := 0; err == nil && (k+1)*words <= len(next); k++ {
			if a := m.Action(last, k); claims.Fair == nil || claims.Fair(a.Number) {
				err = fmt.Errorf("not weakly fair: %q is enabled at the end", a.Name)
			}
		}
		return err
	}
	if !slices.Equal(loop[0], last) {
		return errors.New("the loop does not come back to its first state")
	}
	taken := map[int]bool{}
	always := map[int]string{} // actions possible in all states so far, with their names
	for i, s := range loop[:len(loop)-1] {
		next, err := m.Next(nil, s)
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return err
		}
		possible := map[int]string{}
		answered := true
		for k := 0; (k+1)*words <= len(next); k++ {
			after := next[k*words : (k+1)*words]
			action := m.Action(s, k)
			possible[action.Number] = action.Name
			// Of several steps of this action to that state one that does not answer will do.
			if action.Number == r.Steps[r.Back+i].Action.Number && slices.Equal(after, loop[i+1]) && (v.Answered == nil || !v.Answered(s, k, after)) {
				answered = false
			}
		}
		if answered {
			return fmt.Errorf("step %d answers %q", r.Back+i+1, v.Name)
		}
		taken[r.Steps[r.Back+i].Action.Number] = true
		if i == 0 {
			always = possible
		} else {
			for a := range always {
				if _, still := possible[a]; !still {
					delete(always, a)
				}
			}
		}
	}
	for a, name := range always {
		if !taken[a] && (claims.Fair == nil || claims.Fair(a)) {
			return fmt.Errorf("the cycle is not weakly fair: %q stays enabled along it and is never taken", name)
		}
	}
	return nil
}
