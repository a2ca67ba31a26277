package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// Steps that send, and who takes turns with whom. All rules that push into a
// link are made here; when all are known, arbitrate adds the turns to them.

// step is a rule that sends into links: from is who does, wants says that it has
// something to send, whether there is room or not.
type step struct {
	name   string
	from   subject
	unfair bool
	wants  program.Expr
	to     []*link
	effect []program.Stmt
}

// arbitrated is a step that may have to wait for its turn.
type arbitrated struct {
	rule int
	to   []*link
	from []*source // by link
}

// step adds the rule of a step: it waits for room in all links.
func (m *Invalidation) step(s step) {
	guard := []program.Expr{s.wants}
	a := arbitrated{rule: len(m.p.Rules), to: s.to}
	for _, l := range s.to {
		guard = append(guard, l.Room())
		from := l.turns.source(s.from, s.unfair)
		from.wants = append(from.wants, s.wants)
		a.from = append(a.from, from)
	}
	if s.unfair {
		m.p.Unfair(s.name, program.And(guard...), s.effect...)
	} else {
		m.p.Rule(s.name, program.And(guard...), s.effect...)
	}
	m.sending = append(m.sending, a)
}

// arbitrate makes the steps wait for their turns.
func (m *Invalidation) arbitrate() {
	if m.Arbiter == Any {
		return
	}
	for _, l := range m.ports() {
		l.turns.remember(func(s *source) program.Var {
			name := fmt.Sprintf("turn at %s of %s", l.name(), s.key.source())
			return m.variable(m.p.Enum(name, "-", "next"), l.turnOf(s.key), nil)
		}, func(values int) program.Var {
			return m.variable(m.p.Var("last at "+l.name(), values), subject{name: "last at " + l.kind, node: l.from, to: l.to, block: -1}, nil)
		})
	}
	for _, a := range m.sending {
		var turns []program.Expr
		var wins []program.Stmt
		for i, l := range a.to {
			turns = append(turns, l.turns.turn(a.from[i]))
			wins = append(wins, l.turns.wins(a.from[i])...)
		}
		r := &m.p.Rules[a.rule]
		r.Guard = program.And(append([]program.Expr{r.Guard}, turns...)...)
		r.Effect = append(wins, r.Effect...)
	}
}

const turnAt = "turn at "

// turnOf is the subject of the mark of a source at a link. Both are of the same
// node, so that one name and two neighbours tell them apart.
func (l *link) turnOf(key subject) subject {
	return subject{name: turnAt + l.kind + " of " + key.name, node: key.node, to: l.to, via: key.to, block: key.block, place: key.place}
}

// source is what a source is called.
func (s subject) source() string {
	text := s.name
	if s.to >= 0 {
		text += fmt.Sprintf(" %d", s.to)
	}
	if s.block >= 0 {
		text += fmt.Sprintf(" %d", s.block)
	}
	if s.place > 0 {
		text += " by processor"
	}
	return text
}

// name is what a link or a place is called.
func (l *link) name() string {
	switch {
	case l.kind == aLink:
		return fmt.Sprintf("link %d-%d", l.from, l.to)
	case l.to < 0:
		return fmt.Sprintf("%s of %d", l.kind, l.from)
	case l.kind == unitIn:
		return fmt.Sprintf("%s of %d for %d", l.kind, l.from, l.to)
	}
	return fmt.Sprintf("%s of %d to %d", l.kind, l.from, l.to)
}
