package combining

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// requestRules has a switch take requests in and forward, hold or combine them.
// The combining unit takes one at a time, so each of these is one step.
//
// How long a request waits is its own level; once two are combined theirs is that
// of the first.
func (m *Memory) requestRules(s int) {
	e, out := m.entries[s], m.up[s]
	for _, way := range m.tree.ways[s] {
		in := m.up[way]
		of, mapping := program.Value(in.head(0)), program.Value(in.head(1))
		here := program.Not(in.empty())
		forward := out.push(of, mapping)
		rule := func(what string, guard program.Expr, effect ...program.Stmt) {
			m.Rule(fmt.Sprintf("%s: %s from %s", m.tree.Name(s), what, m.tree.Name(way)), program.And(here, guard), append(effect, in.pop())...)
		}
		alone := []program.Expr{m.level(in.head(0), Pass)}
		if m.cell.alone != nil {
			alone = append(alone, m.cell.alone(mapping))
		}
		if m.has(Pass) || m.cell.alone != nil {
			rule("forward alone", program.And(program.Or(alone...), out.room()), forward)
		}
		if !m.has(Record, Window, Forever) {
			continue
		}
		joins := program.Not(program.Or(alone...))
		if !m.ThirdWaits {
			rule("forward a third", program.And(joins, program.Le(entryCombined, e.state), out.room()), forward)
		}
		remember := []program.Stmt{program.Set(e.first, of), program.Set(e.mapping, mapping)}
		if m.has(Record) {
			rule("record", program.And(joins, m.level(in.head(0), Record), program.Eq(e.state, entryFree), out.room()),
				append(remember, forward, program.Set(e.state, entrySent))...)
			rule("combine with one sent", program.And(joins, program.Eq(e.state, entrySent)),
				program.Set(e.second, of), program.Set(e.state, entryCombined))
		}
		if m.has(Window, Forever) {
			rule("hold", program.And(joins, m.level(in.head(0), Window, Forever), program.Eq(e.state, entryFree)),
				append(remember, program.Set(e.state, entryWaiting))...)
			rule("combine", program.And(joins, program.Eq(e.state, entryWaiting), out.room()),
				out.push(program.Value(e.first), m.cell.compose(program.Value(e.mapping), mapping)),
				program.Set(e.second, of), program.Set(e.state, entryCombined))
		}
	}
	if m.has(Window) {
		// However long the time is, a partner may come just after it.
		m.Rule(m.tree.Name(s)+": time is up", program.And(program.Eq(e.state, entryWaiting), m.level(e.first, Window), out.room()),
			append([]program.Stmt{out.push(program.Value(e.first), program.Value(e.mapping))}, m.release(s)...)...)
	}
}

// level holds if a variable names a cluster whose requests are of one of the
// levels.
func (m *Memory) level(of program.Var, levels ...Waiting) program.Expr {
	var one []program.Expr
	all := true
	for c, script := range m.scripts {
		if len(script) == 0 || m.tree.local(c) {
			continue
		}
		if slices.Contains(levels, m.levelOf(c)) {
			one = append(one, program.Eq(of, c+1))
		} else {
			all = false
		}
	}
	if all {
		return program.And()
	}
	return program.Or(one...)
}

// has reports whether requests of one of the levels pass the switches.
func (m *Memory) has(levels ...Waiting) bool {
	for c, script := range m.scripts {
		if len(script) > 0 && !m.tree.local(c) && slices.Contains(levels, m.levelOf(c)) {
			return true
		}
	}
	return false
}

// levelOf is the level of a cluster's requests.
func (o MemoryOptions) levelOf(c int) Waiting {
	if o.Levels == nil {
		return o.Level
	}
	return o.Levels[c]
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
