package netgen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Drawn machine files, each with its meaning: Go functions of a state that is two maps,
// variables by name and FIFOs as lists of messages. They share nothing with the code that
// compiles and explores such files: no Starlark, decision trees, places of FIFOs, values
// moved unseen, or rules with one set of choices each.

// Protocol is a machine file and its meaning.
type Protocol struct {
	Text  string
	Start *State
	// In the order of the file; instances of one declaration have one Property.
	Rules      []Instance
	Properties []Instance // invariants, and what must never or should be reached
	Responses  []Instance
	Final      func(s *State) bool // nil: not stated
}

// Instance is a rule or property for one key.
type Instance struct {
	Name, Property string // of the rule or response; the property that it is decided as
	Kind           string // the word that declares it
	Fair           bool
	run            func(f *frame) any
	key            map[string]any
}

// State is the values of variables, by their names in a program: an int, a string, a bool,
// or nil for None; and the contents of FIFOs, head first.
type State struct {
	Values map[string]any
	FIFOs  map[string][]Message
}

// Message is a value, or the fields of a record.
type Message []any

func (s *State) clone() *State { return &State{maps.Clone(s.Values), maps.Clone(s.FIFOs)} }

// Number returns the index of a program variable's value among its values, whose names are
// given; 0 if the state does not have the variable.
func (s *State) Number(variable string, names []string) int {
	value, known := s.Values[variable]
	for queue, messages := range s.FIFOs {
		place, inside := strings.CutPrefix(variable, queue+".")
		if !inside {
			continue
		}
		i, field := 0, 0
		if n, _ := fmt.Sscanf(place, "%d.f%d", &i, &field); n == 0 || i >= len(messages) {
			return 0
		}
		value, known = messages[i][field], true
	}
	if !known {
		return 0
	}
	if n, number := value.(int); number && names == nil {
		return n
	}
	return max(0, slices.Index(names, strings.Trim(literal(value), `"`)))
}

// frame is a run of a function: the state that it changes, its parameters and local names,
// and the results of choose, with the number of possibilities.
type frame struct {
	*State
	names       map[string]any
	trail, most []int
	next        int
}

// How a run can end early.
type (
	refused struct{}
	wrong   struct{}
)

func (f *frame) choose(n int) int {
	if f.next == len(f.trail) {
		f.trail, f.most = append(f.trail, 0), append(f.most, n)
	}
	f.next++
	return f.trail[f.next-1]
}

func ended(run func()) (how any) {
	defer func() {
		switch how = recover(); how.(type) {
		case nil, refused, wrong:
		default:
			panic(how)
		}
	}()
	run()
	return nil
}

// Steps lists the states that a rule leads to, one for each sequence of choices; fails
// reports whether one of its steps is an error.
func (r *Instance) Steps(s *State) (after []*State, fails bool) {
	var trail, most []int
	for {
		f := &frame{s.clone(), maps.Clone(r.key), trail, most, 0}
		switch ended(func() { r.run(f) }).(type) {
		case nil:
			after = append(after, f.State)
		case wrong:
			fails = true
		}
		trail, most = f.trail, f.most
		for len(trail) > 0 && trail[len(trail)-1]+1 == most[len(most)-1] {
			trail, most = trail[:len(trail)-1], most[:len(most)-1]
		}
		if len(trail) == 0 {
			return after, fails
		}
		trail[len(trail)-1]++
	}
}

// Holds reports whether the state is as the property wants it. What cannot be evaluated is
// not; for a property to be reached, it means that the state does not reach it.
func (r *Instance) Holds(s *State) bool {
	var is any
	how := ended(func() { is = r.run(&frame{State: s, names: maps.Clone(r.key)}) })
	if how != nil {
		return r.Kind == "reach"
	}
	return is.(bool) == (r.Kind == "invariant" || r.Kind == "eventually")
}

// literal writes a value as in the file.
func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{false: "False", true: "True"}[v]
	case string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}
