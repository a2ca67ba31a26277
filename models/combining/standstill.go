package combining

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// A run that is too long to be found by breadth-first search. It was found by
// random walks in which every action has a random priority (cf. Burckhardt,
// Kothari, Musuvathi and Nagarakatte, "A Randomized Scheduler with Probabilistic
// Guarantees of Finding Bugs", ASPLOS 2010), and shortened by leaving actions
// out as long as it led to a standstill.

//go:embed one_place.txt
var onePlace string

// OnePlaceStandstill is a run of a machine whose combining units have one place
// before them and one behind (OnePlace) to a state without steps. There are 9
// clusters, 8 of which write a block each, of another home, over links of one
// message; Acks are owed and multicasts sent copy by copy. In the last state an answer up and an answer down wait for each
// other's units at the ends of a link. Six messages for units have to come
// together at one link, which takes many writers.
func OnePlaceStandstill() (*Run, error) {
	m, err := NewInvalidation(InvalidateOptions{
		FanOut: 3, Depth: 2, Homes: []int{0, 1, 2, 3, 4, 5, 6, 8}, Writers: []int{0, 1, 2, 3, 4, 5, 6, 7}, Link: 1, Entries: 1,
		Owed: true, Copies: true, Unit: OnePlace, Variant: Deferred,
	})
	if err != nil {
		return nil, err
	}
	r, err := m.Follow(strings.Split(strings.TrimSpace(onePlace), "\n"))
	if err != nil {
		return nil, err
	}
	last, err := r.machine.Next(nil, r.States[len(r.States)-1])
	if err != nil {
		return nil, err
	}
	if len(last) > 0 {
		return nil, fmt.Errorf("the run that is kept does not end in a standstill")
	}
	r.Why = "no step is possible"
	return r, nil
}

// Follow takes steps with the given actions, the first of several of the same
// name. It is an error if an action is not possible.
func (m *Invalidation) Follow(actions []string) (*Run, error) {
	machine, err := m.p.Machine()
	if err != nil {
		return nil, err
	}
	r := &Run{States: [][]uint64{machine.Start(nil)}, of: m, machine: machine}
	words := machine.Layout().Words()
	for i, a := range actions {
		last := r.States[i]
		next, err := machine.Next(nil, last)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		k := 0
		for k*words < len(next) && machine.Action(last, k).Name != a {
			k++
		}
		if k*words == len(next) {
			return nil, fmt.Errorf("step %d: %q is not possible", i+1, a)
		}
		r.States, r.Actions = append(r.States, slices.Clone(next[k*words:(k+1)*words])), append(r.Actions, a)
	}
	return r, nil
}

// Last returns the values of the variables in the last state, by name.
func (r *Run) Last() map[string]string {
	values := map[string]string{}
	for _, f := range r.machine.Layout().Fields() {
		values[f.Name] = f.Text(r.States[len(r.States)-1])
	}
	return values
}
