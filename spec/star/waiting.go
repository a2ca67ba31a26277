package star

import (
	"maps"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/star/internal/decision"
)

// Which source waits for room, from the trees of all rules and parts.

const mostWaiting = 1 << 22 // operators in the conditions of all pushes

// waits returns the condition under which a source waits for room in a FIFO.
func (m *machine) waits(a *arbiter, source int) waiting {
	if w, known := a.waits[source]; known {
		return w
	}
	var any []program.Expr
	for number, p := range m.parts {
		if p.turn == nil || p.turn.of != a || p.turn.by != source {
			continue
		}
		for i := range m.rules {
			for k := range m.rules[i].over.args {
				if t := m.rules[i].trees[k]; t != nil && m.reaches(t, number) {
					any = append(any, m.wanting(t, number))
				}
			}
		}
	}
	e := program.Or(any...)
	if len(any) == 1 {
		e = any[0]
	}
	a.waits[source] = waiting{&e, operators(&e)}
	return a.waits[source]
}

func operators(e *program.Expr) int {
	n := 1
	for i := range e.Args {
		n += operators(&e.Args[i])
	}
	return n
}

// wanting returns the condition under which a rule, or a part of one, is possible if room
// and turns in arbitrating FIFOs are ignored. Only steps that contain part count, or all
// steps if part is negative.
func (m *machine) wanting(t *decision.Tree, part int) program.Expr {
	return t.Possible(m.p, func(also []int) program.Expr {
		var all []program.Expr
		within := part < 0
		for _, i := range also {
			of := -1
			switch p := m.parts[i]; {
			case i == part:
				within = true
				continue
			case p.turn != nil, p.method != nil && p.method.name == "push" && m.arbiters[p.method.of] != nil:
				continue
			case part >= 0 && m.reaches(p.tree, part):
				within, of = true, part
			}
			if e := m.wanting(m.parts[i].tree, of); e.Op == program.Conjunction {
				all = append(all, e.Args...)
			} else {
				all = append(all, e)
			}
		}
		if !within {
			return program.Or()
		}
		return program.And(all...)
	})
}

// reaches reports whether a part is in some step of a rule, or of a part of one.
func (m *machine) reaches(t *decision.Tree, part int) bool {
	all, known := m.reached[t]
	if !known {
		all = map[int]bool{}
		m.reached[t] = all
		for _, i := range t.Named() {
			all[i] = true
			if of := m.parts[i].tree; of != nil {
				m.reaches(of, part)
				maps.Copy(all, m.reached[of])
			}
		}
	}
	return all[part]
}
