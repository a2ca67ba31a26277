package star

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// The state of a machine is a tree of places whose leaves are the variables of a program.
// While a rule is evaluated, what it has set is kept apart (evaluation.set), and what it
// reads of the rest forks the run. A datum is what is known of a value: the value itself,
// or the variable that held it before the step. So values that are only moved, such as
// those behind the head of a FIFO, are not read.

// slot is where something is kept.
type slot struct {
	path  string
	label string // path without keys, for messages: like parts have like messages
	kind  kind
	x     program.Var // of a domain
	free  int         // 1: the number 0 means that the place of a FIFO is free, and i+1 value i
	zero  bool        // where the place of a FIFO is free it has its first value
	in    []*slot     // fields, elements, places of a FIFO
}

// datum is a value of some kind.
type datum struct {
	value starlark.Value // of a domain; nil: free, or not known
	from  *slot          // the variable that had it before the step; nil: known
	plus  *slot          // a second variable, whose value is added; nil: none
	in    []datum        // of a record
}

// names returns the names of what a place can hold, nil for the numbers 0, 1, ... Values that would
// be called alike, such as 1 and "1", are written as in the file.
func (p *slot) names(d *domain) []string {
	names := d.names()
	if names == nil {
		if p.free == 0 {
			return nil
		}
		for i := range d.values {
			names = append(names, fmt.Sprint(i))
		}
	}
	if p.free > 0 {
		names = append([]string{"-"}, names...)
	}
	called := map[string]int{}
	for _, name := range names {
		called[name]++
	}
	for i, v := range d.values {
		if called[names[p.free+i]] > 1 {
			names[p.free+i] = spec.Printable(v.String())
		}
	}
	return names
}

// first returns the initial value of what the file gives none.
func first(k kind) datum {
	switch k := k.(type) {
	case *domain:
		return datum{value: k.values[0]}
	case *record:
		d := datum{}
		for _, f := range k.fields {
			d.in = append(d.in, first(f))
		}
		return d
	}
	return datum{}
}

// vacant is the content of a free place of a FIFO: zeros.
func vacant(p *slot) datum {
	if p.zero {
		return first(p.kind)
	}
	d := datum{}
	for _, q := range p.in {
		d.in = append(d.in, vacant(q))
	}
	return d
}

// occupied reports whether a number means a value: in a FIFO 0 means that the place is
// free, elsewhere every number is a value.
func (p *slot) occupied(number int) bool { return number >= p.free }

// value returns the value that a number means; nil if the place is free.
func (p *slot) value(number int) starlark.Value {
	if !p.occupied(number) {
		return nil
	}
	return p.kind.(*domain).values[number-p.free]
}

// number returns the program's number of a value; false if the place cannot hold it.
func (p *slot) number(v starlark.Value) (int, bool) {
	if v == nil {
		return 0, true // free
	}
	i, ok := numbered(p.kind.(*domain).number, v)
	return i + p.free, ok
}
