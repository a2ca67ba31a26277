package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// requestRules has a switch take requests in and forward, hold or combine them.
// The combining unit takes one at a time, so each of these is one step.
func (m *Memory) requestRules(s int) {
	e, out := m.entries[s], m.up[s]
	for _, way := range m.tree.ways[s] {
		in := m.up[way]
		if len(in.slots) == 0 {
			continue
		}
		here := program.Not(in.empty())
		of, mapping := program.Value(in.head(0)), program.Value(in.head(1))
		joins := here
		rule := func(what string, guard program.Expr, effect ...program.Stmt) {
			m.Rule(fmt.Sprintf("%s: %s from %s", m.tree.Name(s), what, m.tree.Name(way)), guard, append(effect, in.pop())...)
		}
		forward := out.push(of, mapping)
		if m.Level == Pass {
			rule("forward", program.And(here, out.room()), forward)
			continue
		}
		if m.cell.alone != nil {
			rule("forward alone", program.And(here, m.cell.alone(mapping), out.room()), forward)
			joins = program.And(here, program.Not(m.cell.alone(mapping)))
		}
		if !m.ThirdWaits {
			rule("forward a third", program.And(joins, program.Le(entryCombined, e.state), out.room()), forward)
		}
		remember := []program.Stmt{program.Set(e.first, of), program.Set(e.mapping, mapping)}
		if m.Level == Record {
			rule("record", program.And(joins, program.Eq(e.state, entryFree), out.room()), append(remember, forward, program.Set(e.state, entrySent))...)
			rule("combine", program.And(joins, program.Eq(e.state, entrySent)),
				program.Set(e.second, of), program.Set(e.state, entryCombined))
			continue
		}
		rule("hold", program.And(joins, program.Eq(e.state, entryFree)), append(remember, program.Set(e.state, entryWaiting))...)
		rule("combine", program.And(joins, program.Eq(e.state, entryWaiting), out.room()),
			out.push(program.Value(e.first), m.cell.compose(program.Value(e.mapping), mapping)),
			program.Set(e.second, of), program.Set(e.state, entryCombined))
	}
	if m.Level == Window {
		// However long the time is, a partner may come just after it.
		m.Rule(m.tree.Name(s)+": time is up", program.And(program.Eq(e.state, entryWaiting), out.room()),
			append([]program.Stmt{out.push(program.Value(e.first), program.Value(e.mapping))}, m.release(s)...)...)
	}
}

// release frees an entry.
func (m *Memory) release(s int) []program.Stmt {
	e := m.entries[s]
	return []program.Stmt{program.Set(e.state, entryFree), program.Set(e.first, 0), program.Set(e.mapping, 0), program.Set(e.second, 0)}
}

// replyRules has a switch forward replies, and answer the second requester of an
// entry before the first. One message leaves in a step: both may go the same
// way, where there may be room for one only.
func (m *Memory) replyRules(s int) {
	e, in := m.entries[s], m.down[s]
	mine := program.Eq(in.head(0), e.first)
	if m.Splitting == ByKey {
		mine = program.And()
	}
	splits := program.And(program.Not(in.empty()), program.Eq(e.state, entryCombined), mine)
	for _, c := range m.tree.behind(s) {
		out := m.down[m.tree.way(s, c)]
		share := m.cell.apply(program.Value(e.mapping), program.Value(in.head(1)))
		if m.Splitting == ForgetsMapping {
			share = program.Value(in.head(1))
		}
		effect := []program.Stmt{out.push(program.Const(c+1), share)}
		if m.Splitting == DropsSecond {
			effect = nil
		}
		if m.Splitting == FreedTwice {
			effect = append(effect, m.release(s)...)
		} else {
			effect = append(effect, program.Set(e.state, entryAnswered), program.Set(e.mapping, 0), program.Set(e.second, 0))
		}
		m.Rule(fmt.Sprintf("%s: answer the second, cluster %d", m.tree.Name(s), c), program.And(splits, program.Eq(e.second, c+1), out.room()), effect...)

		clear := program.If(program.And(mine, program.Or(program.Eq(e.state, entrySent), program.Eq(e.state, entryAnswered))), m.release(s)...)
		if m.Splitting == FreedTwice {
			clear = program.If(program.And(), m.release(s)...)
		}
		m.Rule(fmt.Sprintf("%s: reply to cluster %d", m.tree.Name(s), c), program.And(program.Eq(in.head(0), c+1), program.Not(splits), out.room()),
			clear, out.push(program.Const(c+1), program.Value(in.head(1))), in.pop())
	}
}
