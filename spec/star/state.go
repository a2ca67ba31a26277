package star

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// The state of a machine is a tree of places whose leaves are the variables of a
// program. While a rule is asked, what it has set is kept beside it (asking.set), and
// what it reads of the rest forks the run. A datum is what is known of a value: it
// itself, or the variable that had it before the step. So what is only moved, as all
// that is behind the head of a FIFO, is not looked at.

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
	plus  *slot          // the variable to whose value that is added; nil: none
	in    []datum        // of a record
}

// asking is a question to a function of the file: a run, and what it has set.
type asking struct {
	m     *machine
	run   *decision.Run
	set   map[program.Var]datum
	also  map[int]bool             // parts of the step that are asked by themselves
	fifos map[*slot]changer        // the FIFOs that the step changes
	rule  bool                     // it may assign
	about string                   // for messages
	lacks bool                     // it looked for a message that never comes
	texts map[starlark.String]bool // of the state that the file has: they are compared with anything

	seen *seen // what the run meets; nil: nobody asks
}

func askingOf(t *starlark.Thread) *asking { return runOf(t).asking }

// mistake is an error of the file, whatever the state.
type mistake struct{ error }

func (m *mistake) Unwrap() error { return m.error }

func mistakef(format string, args ...any) error { return &mistake{fmt.Errorf(format, args...)} }

// errRefused ends a run that refuses the step, and refusal says why.
var errRefused = errors.New("the step is refused")

type refusal struct {
	why string
	by  *reason // nil: nobody asks
}

func (r *refusal) Error() string        { return r.why }
func (r *refusal) Is(target error) bool { return target == errRefused }

// within says where in a FIFO something is kept.
type within int

const (
	elsewhere within = iota // in none
	firstPart               // the first field tells whether the place is free
	laterPart               // so do processes, which are renamed: else those of a free place would be, too
)

// lay adds the variables of a place.
func (m *machine) lay(path, label string, k kind, in within) (*slot, error) {
	p := &slot{path: path, label: label, kind: k, x: decision.None}
	inner := func(key, name string, k kind, in within) error {
		q, err := m.lay(path+key, label+name, k, in)
		p.in = append(p.in, q)
		return err
	}
	switch k := k.(type) {
	case *domain:
		if in == firstPart || in == laterPart && k.like != nil && k.like.alike && k.values[0] != starlark.None {
			p.free = 1
		}
		p.zero = in == laterPart && p.free == 0
		return p, m.variable(p, k)
	case *record:
		for i, f := range k.fields {
			if err := inner("."+k.names[i], "."+k.names[i], f, in); err != nil {
				return nil, err
			}
			if in == firstPart {
				in = laterPart
			}
		}
	case *array:
		for i, key := range k.keys.values {
			if err := inner("["+shown(key)+"]", "", k.elems[i], elsewhere); err != nil {
				return nil, err
			}
		}
	case *queue:
		for i := range k.size {
			if err := inner(fmt.Sprintf(".%d", i), "", k.elem, firstPart); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

const mostVariables = 1 << 14

func (m *machine) variable(p *slot, d *domain) error {
	if len(m.p.Variables) >= mostVariables {
		return bound(mostVariables, "variables", "make the machine smaller")
	}
	p.x = m.p.Var(p.path, len(d.values)+p.free)
	m.p.Variables[p.x].Names = p.names(d)
	return nil
}

// names returns the names of what a place can hold, nil for the numbers 0, 1, ...
func (p *slot) names(d *domain) []string {
	names := d.names()
	if p.free == 0 {
		return names
	}
	if names == nil {
		for i := range d.values {
			names = append(names, fmt.Sprint(i))
		}
	}
	return append([]string{"-"}, names...)
}

// initial gives a place its first contents.
func (m *machine) initial(t *starlark.Thread, p *slot, v starlark.Value) error {
	if f, ok := v.(starlark.Callable); ok {
		if a, is := p.kind.(*array); is {
			for i, q := range p.in {
				x, err := starlark.Call(t, f, a.keys.args[i], nil)
				if err != nil {
					return err
				}
				if err := m.initial(t, q, x); err != nil {
					return err
				}
			}
			return nil
		}
		return fmt.Errorf("init of %s is a function of a key: it has none; say over=, or give the value", p.path)
	}
	switch k := p.kind.(type) {
	case *array:
		list, isList := v.(*starlark.List)
		if isList && list.Len() != len(p.in) {
			return fmt.Errorf("init of %s has %d entries: want %d, one for each key", p.path, list.Len(), len(p.in))
		}
		for i, q := range p.in {
			x := v
			if isList {
				x = list.Index(i)
			}
			if err := m.initial(t, q, x); err != nil {
				return err
			}
		}
		return nil
	case *queue:
		list, ok := elements(v)
		if !ok || len(list) > k.size {
			return fmt.Errorf("init of %s: want a list of at most %d messages", p.path, k.size)
		}
		for i, x := range list {
			if err := m.initial(t, p.in[i], x); err != nil {
				return err
			}
		}
		return nil
	}
	d, err := m.datumOf(nil, p.kind, v)
	if err != nil {
		return fmt.Errorf("init of %s: %w", p.path, err)
	}
	m.start(p, d)
	return nil
}

func (m *machine) start(p *slot, d datum) {
	if k, ok := p.kind.(*domain); ok {
		m.p.Init(p.x, k.number[keyText(d.value)]+p.free)
	}
	for i, q := range p.in {
		m.start(q, d.in[i])
	}
}

// datumOf reads a value that the file gives for something of kind k.
func (m *machine) datumOf(a *asking, k kind, v starlark.Value) (datum, error) {
	switch k := k.(type) {
	case *domain:
		if c, ok := v.(*cell); ok {
			return c.datum, nil
		}
		if _, known := numbered(k.number, v); !known {
			if _, text := v.(starlark.String); text { // not a number that went too far
				return datum{}, mistakef("invalid value %s: want %s", short(v), k)
			}
			return datum{}, fmt.Errorf("invalid value %s: want %s", short(v), k)
		}
		return datum{value: v}, nil
	case *record:
		switch v := v.(type) {
		case *message:
			if v.record == k {
				return v.datum, nil
			}
			return datum{}, errors.New("the record has another type: make it with the type that the variable is declared with")
		case *view:
			if v.place.kind == kind(k) {
				return a.snapshot(v.place), nil
			}
		}
		return datum{}, fmt.Errorf("the value is %s: want a record, made by its type as in msg(kind = \"get\")", nameOf(v))
	}
	if _, is := k.(*queue); is {
		return datum{}, mistakef("a FIFO is not assigned: push, pop and clear change it")
	}
	return datum{}, mistakef("an array is assigned element by element, as in s.x[i] = y; a for loop assigns to all")
}

func kindName(k kind) string {
	switch k.(type) {
	case *array:
		return "arrays"
	case *queue:
		return "FIFOs"
	case *record:
		return "records"
	}
	return "values"
}

// make reads the fields of a record; those that are left out have their first values.
func (r *record) make(a *asking, args starlark.Tuple, kwargs []starlark.Tuple) (datum, error) {
	if len(args) > 0 {
		return datum{}, errors.New("a record takes names only: write its fields as name = value")
	}
	d := first(r)
	for _, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		i := r.field(name)
		if i < 0 {
			return datum{}, mistakef("the record has no field %s: its fields are %s", name, strings.Join(r.names, ", "))
		}
		x, err := (*machine)(nil).datumOf(a, r.fields[i], kv[1])
		if err != nil {
			return datum{}, fmt.Errorf("field %s: %w", name, err)
		}
		d.in[i] = x
	}
	return d, nil
}

func (r *record) field(name string) int {
	for i, n := range r.names {
		if n == name {
			return i
		}
	}
	return -1
}

// first is what has not been given another value.
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

// vacant is what a place of a FIFO holds that is free: zeros.
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

// snapshot returns what a place holds.
func (a *asking) snapshot(p *slot) datum {
	if _, ok := p.kind.(*domain); ok {
		if d, set := a.set[p.x]; set {
			return d
		}
		return datum{from: p}
	}
	d := datum{}
	for _, q := range p.in {
		d.in = append(d.in, a.snapshot(q))
	}
	return d
}

// known looks at a value of a domain.
func (a *asking) known(d datum) starlark.Value {
	if d.from == nil {
		return d.value
	}
	v := d.from.value(a.run.Read(d.from.x))
	if d.plus != nil {
		v = v.(starlark.Int).Add(d.plus.value(a.run.Read(d.plus.x)).(starlark.Int))
	}
	return v
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

// write changes what a place holds. The error says that it cannot hold that.
func (a *asking) write(p *slot, d datum) error {
	if !a.rule {
		return mistakef("%s is assigned: only rules change the state", p.label)
	}
	k, ok := p.kind.(*domain)
	if !ok {
		for i, q := range p.in {
			if err := a.write(q, d.in[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if _, alike := a.moved(p, d); !alike {
		d = datum{value: a.known(d)}
	}
	if d.from == nil {
		if _, fits := p.number(d.value); !fits {
			return fmt.Errorf("%s: invalid value %s: want %s", p.label, short(d.value), k)
		}
	}
	a.set[p.x] = d
	return nil
}

// number is what a value is in the program.
func (p *slot) number(v starlark.Value) (int, bool) {
	if v == nil {
		return 0, true // free
	}
	i, ok := numbered(p.kind.(*domain).number, v)
	return i + p.free, ok
}

// moved reports whether a value can be moved into a place without looking at it, and
// what has to be added to its number.
func (a *asking) moved(p *slot, d datum) (add int, ok bool) {
	if d.from == nil {
		return 0, true
	}
	if d.plus != nil {
		return a.summed(p, d)
	}
	if d.from.kind == p.kind {
		if add = p.free - d.from.free; add >= 0 || a.run.Domain(d.from.x)[0] > 0 {
			return add, true
		}
	}
	for i, number := range a.run.Domain(d.from.x) {
		n, fits := p.number(d.from.value(number))
		if !fits || i > 0 && n-number != add {
			return 0, false
		}
		add = n - number
	}
	return add, true
}

// summed is moved for the sum of two variables: places whose values are the numbers from
// some number on, as in range(n), can hold it.
func (a *asking) summed(p *slot, d datum) (add int, ok bool) {
	least, ok := p.kind.(*domain).least()
	add = p.free - least
	for _, q := range []*slot{d.from, d.plus} {
		least, numbers := q.kind.(*domain).least()
		ok = ok && numbers && q.occupied(a.run.Domain(q.x)[0])
		add += least - q.free
	}
	return add, ok
}

// answer lists what the run has set.
func (a *asking) answer() []decision.Set {
	var out []decision.Set
	for x, d := range a.set {
		p := a.m.places[x]
		s := decision.Set{Var: x, From: decision.None, Plus: decision.None}
		if d.from == nil {
			s.Add, _ = p.number(d.value)
		} else {
			if s.From = d.from.x; d.plus != nil {
				s.Plus = d.plus.x
			}
			s.Add, _ = a.moved(p, d)
		}
		out = append(out, s)
	}
	return out
}
