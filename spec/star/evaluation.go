package star

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// evaluation is a run of a function of the file, and what the run has set.
type evaluation struct {
	m           *machine
	run         *decision.Run
	set         map[program.Var]datum
	also        map[int]bool             // parts of the step that are evaluated by themselves
	fifos       map[*slot]changer        // the FIFOs that the step changes
	rule        bool                     // it may assign
	about       string                   // for messages
	lacks       bool                     // it looked for a message that never comes
	stringsRead map[starlark.String]bool // read from the state: they may be compared with anything

	seen *observations // what the run meets; nil: not recorded
}

// changer says what in a step changes a FIFO.
type changer uint8

const (
	byPart changer = 1 + iota // a method called by also, or a push in turn: it sees the FIFO as it was before the step
	byRest
)

// invalidValue says that v is not one of the values of d.
func (d *domain) invalidValue(v starlark.Value) error {
	err := fmt.Errorf("invalid value %s: want %s", short(v), d)
	if _, is := v.(starlark.Float); is {
		return &mistake{fmt.Errorf("%w; // divides to an integer", err)}
	}
	if n, wrong := starlark.AsInt32(v); wrong == nil && n == -1 && d.declares(starlark.None) {
		err = fmt.Errorf("%w; None stands for no value", err)
	}
	number := func(v starlark.Value) bool { _, is := v.(starlark.Int); return is }
	if number(v) && slices.ContainsFunc(d.declared().values, number) {
		return &outOfRange{err}
	}
	return err
}

// snapshot returns what a place holds.
func (a *evaluation) snapshot(p *slot) datum {
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

// known reads a value of a domain, which may fork the run.
func (a *evaluation) known(d datum) starlark.Value {
	if d.from == nil {
		return d.value
	}
	v := d.from.value(a.run.Read(d.from.x))
	if d.plus != nil {
		v = v.(starlark.Int).Add(d.plus.value(a.run.Read(d.plus.x)).(starlark.Int))
	}
	return v
}

// valuesOf returns how many values a variable has. The call counts as looking at its FIFO, if
// it is in one.
func (m *machine) valuesOf(x program.Var) int {
	if n := m.noting; n != nil {
		if q := n.fifos[x]; q != nil {
			n.looked[q] = true
		}
	}
	return m.p.Variables[x].Values
}

// write changes what a place holds. It fails if the place cannot hold that.
func (a *evaluation) write(p *slot, d datum) error {
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
		if _, fits := p.number(d.value); !fits && !(a.m.noting != nil && k.declares(d.value)) {
			return fmt.Errorf("%s: %w", p.label, k.invalidValue(d.value))
		}
	}
	a.set[p.x] = d
	return nil
}

// moved reports whether a value can be moved into a place unread, and what to add to its
// number.
func (a *evaluation) moved(p *slot, d datum) (add int, ok bool) {
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

// summed is moved for the sum of two variables. All three places must hold consecutive
// ascending numbers, as of range(n).
func (a *evaluation) summed(p *slot, d datum) (add int, ok bool) {
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
func (a *evaluation) answer() []decision.Set {
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
