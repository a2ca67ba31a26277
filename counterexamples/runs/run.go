// Package runs holds runs ([Run]), the evidence for a verdict "violated" about a
// machine, and replays them ([Replay]).
package runs

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/ltl"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

// Fault says what a run of a machine shows.
type Fault string

const (
	// Broken: the last state breaks the invariant that Property names.
	Broken Fault = "broken"
	// Halt: the last state has no successor, and is not an intended end. Networks
	// have traces instead: one without packets may stand still and is not stuck.
	Halt Fault = "halt"
	// Refused: a step of the last state would take a value out of its range
	// ([states.InRange]).
	Refused Fault = "refused"
	// Unanswered: the response that Property names is pending in the state after
	// Back steps. The remaining steps lead back to that state, and the response
	// stays pending and is not answered; or there are none, and the machine may
	// rest there, because no action that has to happen is possible. Every fair
	// action that is possible in all states of the loop is taken in it, and every
	// strongly fair one that is possible in any, so the loop may repeat forever.
	Unanswered Fault = "unanswered"
	// Falsified: the run does not satisfy the formula that Property names. The steps after Back lead back to the
	// state before them and repeat forever; or there are none, and the run stays in its last state, as it may.
	// It is as fair as the formula requires, see Unanswered. Of what is always possible: from the last state no state
	// can be reached in which it is true.
	Falsified Fault = "falsified"
)

// Loops reports whether a run with this fault goes on forever, in a loop or by staying where it ends.
func (f Fault) Loops() bool { return f == Unanswered || f == Falsified }

// Taken is a step of a run: an action, and the index of the successor among those of the
// action, in the machine's order.
type Taken struct {
	Action states.Action
	Choice int
}

// Of returns the index of the successor to which a step leads, among the given number of
// successors of s. It returns an error if the step is not possible or has another name.
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
	Property string // the invariant, response or formula; "deadlock-freedom" with Halt, states.InRange with Refused
	Fault    Fault
	Start    int // number of the initial state
	Steps    []Taken
	Back     int // Unanswered, Falsified: where the loop begins
}

// Walk executes the steps of a run, calls show with each state, from the first on, and
// returns the last. It keeps one state and its successors, however long the run, and
// overwrites the state after show has returned.
func (r *Run) Walk(ctx context.Context, m states.Machine, show func(steps int, s []uint64) error) ([]uint64, error) {
	words := m.Layout().Words()
	next, i := m.Start(nil), r.Start
	if i < 0 || i >= len(next)/words {
		return nil, fmt.Errorf("initial state %d does not exist", i)
	}
	s := slices.Clone(next[i*words : (i+1)*words])
	for k, t := range r.Steps {
		err := show(k, s)
		if err != nil {
			return nil, err
		}
		if next, err = m.AppendSuccessors(next[:0], s); err == nil {
			i, err = t.Of(m, s, len(next)/words)
		}
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return nil, fmt.Errorf("step %d: %w", k+1, err)
		}
		copy(s, next[i*words:])
	}
	return s, show(len(r.Steps), s)
}

// Replay executes a run on a machine and checks that it shows the fault that it claims.
// A nil error is the only acceptance. Replay stops when ctx is done.
//
// Soundness: the run begins in an initial state, and each step leads to a successor in the
// machine, so its last state is reachable, and the claim is checked there. A loop returns
// to an equal state, with the response pending throughout and never answered. Each fair
// action that is possible everywhere in the loop is taken in it, and each strongly fair one
// that is possible anywhere, so repeating the loop forever is as fair as required. What a formula means on that
// infinite sequence of states is worked out from its parts ([ltl.Formula.Holds]), without an automaton. That something
// is not possible any more is seen in all states that can be reached from the last one.
// Not covered: fairness to anything but actions.
func Replay(ctx context.Context, m states.Machine, claims states.Claims, r *Run) error {
	switch {
	case r == nil:
		return errors.New("no trace")
	case r.Machine != m.Name():
		return fmt.Errorf("the trace is for another machine: %s, not %s", r.Machine, m.Name())
	case r.Fault == Unanswered:
		return unanswered(ctx, m, claims, r)
	case r.Fault == Falsified:
		return falsified(ctx, m, claims, r)
	case r.Back != 0:
		return errors.New("only an unanswered response or a formula has a loop")
	case r.Fault == Halt && r.Property != spec.DeadlockFreedom.String():
		return fmt.Errorf("a halt is a deadlock, not %q", r.Property)
	case r.Fault == Refused && r.Property != states.InRange:
		return fmt.Errorf("a refused step violates %q, not %q", states.InRange, r.Property)
	}
	last, err := r.Walk(ctx, m, func(int, []uint64) error { return nil })
	if err != nil {
		return err
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
		if _, is := m.(*states.Traffic); is {
			return errors.New("a network that stands still need not be stuck: a trace shows that it is")
		}
		return halted(m, claims, last)
	case Refused:
		if _, err := m.AppendSuccessors(nil, last); err == nil {
			return errors.New("every step that is possible at the end stays in range")
		}
		return nil
	}
	return fmt.Errorf("invalid fault %q", r.Fault)
}

func halted(m states.Machine, claims states.Claims, s []uint64) error {
	next, err := m.AppendSuccessors(nil, s)
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

// unanswered checks a run into a loop, or to where the machine may rest.
func unanswered(ctx context.Context, m states.Machine, claims states.Claims, r *Run) error {
	i := slices.IndexFunc(claims.Responses, func(v states.Response) bool { return v.Name == r.Property })
	switch {
	case i < 0:
		return fmt.Errorf("the machine has no response %q", r.Property)
	case r.Back < 0 || r.Back > len(r.Steps):
		return fmt.Errorf("the loop begins after step %d: want 0 to %d", r.Back, len(r.Steps))
	}
	l := newLoop(m)
	l.v = claims.Responses[i]
	last, err := r.Walk(ctx, m, func(steps int, s []uint64) error {
		if steps < r.Back {
			return nil
		}
		if !l.v.Pending(s) {
			return fmt.Errorf("%q is not pending after step %d", l.v.Name, steps)
		}
		if steps > r.Back && !l.stays(r.Steps[steps-1].Action.Number, s) {
			return fmt.Errorf("step %d answers %q", steps, l.v.Name)
		}
		return l.reach(s)
	})
	switch {
	case err != nil:
		return err
	case !slices.Equal(l.first, last):
		return errors.New("the loop does not come back to its first state")
	}
	return l.unfair(claims, r.Back)
}

// falsified checks a run on which a formula is false.
func falsified(ctx context.Context, m states.Machine, claims states.Claims, r *Run) error {
	i := slices.IndexFunc(claims.Formulas, func(f states.Formula) bool { return f.Name == r.Property })
	switch {
	case i < 0:
		return fmt.Errorf("the machine has no formula %q", r.Property)
	case r.Back < 0 || r.Back > len(r.Steps):
		return fmt.Errorf("the loop begins after step %d: want 0 to %d", r.Back, len(r.Steps))
	}
	if claims.Formulas[i].Possible {
		return impossible(ctx, m, &claims.Formulas[i], r)
	}
	f, l := &claims.Formulas[i], newLoop(m)
	var letters []ltl.Letter
	last, err := r.Walk(ctx, m, func(steps int, s []uint64) error {
		if letters = append(letters, f.Letter(s)); steps < r.Back {
			return nil
		}
		if steps > r.Back {
			l.taken[r.Steps[steps-1].Action.Number] = true
		}
		return l.reach(s)
	})
	switch {
	case err != nil:
		return err
	case !slices.Equal(l.first, last):
		return errors.New("the loop does not come back to its first state")
	case r.Back == len(r.Steps) && !claims.MayRest(f, slices.Collect(maps.Keys(l.possible))):
		return errors.New("the run ends in a state in which a step has to happen")
	case r.Back < len(r.Steps):
		letters = letters[:len(r.Steps)] // the last state is the first of the loop
	}
	if f.Formula.Holds(letters, r.Back) {
		return fmt.Errorf("the run satisfies the formula %q", f.Name)
	}
	if f.Unfair {
		return nil
	}
	return l.unfair(claims, r.Back)
}

// MostBeyond is how many states may be reachable from the last state of a run which shows that something is not always
// possible: all are visited, some 200 bytes each.
const MostBeyond = 1 << 22

// impossible checks a run to a state from which the condition of a formula cannot be reached any more: it
// visits all states that can be, breadth first, and the condition is true in none of them.
func impossible(ctx context.Context, m states.Machine, f *states.Formula, r *Run) error {
	if r.Back != len(r.Steps) {
		return errors.New("a run to where something is impossible has no loop")
	}
	last, err := r.Walk(ctx, m, func(int, []uint64) error { return nil })
	if err != nil {
		return err
	}
	text := func(s []uint64) string {
		b, _ := binary.Append(make([]byte, 0, 8*len(s)), binary.LittleEndian, s)
		return string(b)
	}
	s, next, visited := make([]uint64, len(last)), []uint64(nil), 0
	bfs.Reach([]string{text(last)}, func(state string, visit func(string)) {
		if visited++; err == nil && visited > MostBeyond {
			err = &spec.BoundError{What: "states after the run", Limit: MostBeyond}
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return
		}
		for i := range s {
			s[i] = binary.LittleEndian.Uint64([]byte(state[8*i:]))
		}
		if f.Atoms[0](s) {
			err = fmt.Errorf("%q can still be reached at the end of the run", f.Name)
			return
		}
		if next, err = m.AppendSuccessors(next[:0], s); err != nil {
			return
		}
		for after := range slices.Chunk(next, len(s)) {
			visit(text(after))
		}
	})
	return err
}

// unfair refuses a loop that puts off forever an action that fairness requires.
func (l *loop) unfair(claims states.Claims, back int) error {
	for _, a := range slices.Sorted(maps.Keys(l.possible)) {
		switch name, always := l.always[a]; {
		case l.taken[a]:
		case always && claims.IsFair(a):
			return fmt.Errorf("not weakly fair: %q stays enabled after step %d and is never taken", name, back)
		case claims.Strong[a]:
			return fmt.Errorf("not strongly fair: %q is enabled again and again after step %d and is never taken",
				l.possible[a], back)
		}
	}
	return nil
}

func newLoop(m states.Machine) *loop {
	return &loop{m: m, taken: map[int]bool{}, possible: map[int]string{}}
}

// loop records what happens along the loop of a run.
type loop struct {
	m                states.Machine
	v                states.Response
	first, s, next   []uint64       // its first state, the last so far, and its successors
	taken            map[int]bool   // actions
	possible, always map[int]string // actions possible in some state so far, and in all, with their names
}

// stays notes a step to a state, and reports whether it leaves the response unanswered:
// of several steps of one action to that state, one suffices.
func (l *loop) stays(action int, after []uint64) bool {
	l.taken[action] = true
	words := l.m.Layout().Words()
	for k := range len(l.next) / words {
		leads := slices.Equal(l.next[k*words:(k+1)*words], after)
		if l.m.Action(l.s, k).Number == action && leads &&
			(l.v.Answered == nil || !l.v.Answered(l.s, k, after)) {
			return true
		}
	}
	return false
}

// reach notes the next state.
func (l *loop) reach(s []uint64) (err error) {
	l.s = append(l.s[:0], s...)
	if l.next, err = l.m.AppendSuccessors(l.next[:0], s); err != nil {
		return err
	}
	here := map[int]string{}
	for k := range len(l.next) / l.m.Layout().Words() {
		a := l.m.Action(s, k)
		here[a.Number] = a.Name
	}
	if l.first == nil {
		l.first, l.always = slices.Clone(s), maps.Clone(here)
	}
	maps.Copy(l.possible, here)
	maps.DeleteFunc(l.always, func(a int, _ string) bool { _, still := here[a]; return !still })
	return nil
}
