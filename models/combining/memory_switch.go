package combining

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// requestRules has a switch take requests for cell k in and forward, hold or
// combine them. The combining unit takes one at a time, so each of these is one
// step.
//
// How long a request waits is its own level; once some are combined theirs is
// that of the first. An entry is forwarded as soon as it has as many as may
// combine, or at level 2 when its time is up.
func (m *Memory) requestRules(s, k int) {
	t, senders := m.homes[k], m.senders(s, k)
	out := m.requests(s, t.onward(s))
	for _, way := range t.ways[s] {
		if !slices.ContainsFunc(senders, func(c int) bool { return t.way(s, c) == way }) {
			continue
		}
		x := taking{Memory: m, s: s, k: k, way: way, in: m.requests(way, s), out: out}
		x.of, x.mapping = program.Value(x.in.of()), program.Value(x.in.content())
		alone := []program.Expr{m.level(x.in.of(), k, Pass)}
		if m.cell.alone != nil {
			alone = append(alone, m.cell.alone(x.mapping))
		}
		if m.has(k, Pass) || m.cell.alone != nil {
			x.rule("forward alone", program.And(program.Or(alone...), out.Room()), out.send(k, x.of, x.mapping))
		}
		if !m.has(k, Record, Window, Forever) {
			continue
		}
		for _, at := range m.buffers[s].Stores(k) {
			x.entryRules(m.entry(s, k, at.place), byWhom[at.place], program.And(program.Not(program.Or(alone...)), at.when))
		}
	}
	if m.has(k, Window) {
		for place := range m.buffers[s].places() {
			m.timeRules(s, k, place, out)
		}
	}
}

// taking is a switch that takes in the next request for a cell from a neighbour.
type taking struct {
	*Memory
	s, k, way   int
	in, out     queue
	of, mapping program.Expr
}

func (x taking) rule(what string, guard program.Expr, effect ...program.Stmt) {
	x.Rule(fmt.Sprintf("%s: %s from %s", x.tree.Name(x.s), x.about(what, x.k), x.tree.Name(x.way)), program.And(x.in.next(x.k), guard), append(effect, x.in.Pop())...)
}

// entryRules enter the request, or match it with what has been entered; may holds
// if it has to do with this entry. by is whose the entry is.
func (x taking) entryRules(e pairing, by string, may program.Expr) {
	free, room := program.Eq(e.state, entryFree), x.out.Room()
	if !x.ThirdWaits {
		x.rule("forward a third"+by, program.And(may, program.Le(entryCombined, e.state), room), x.out.send(x.k, x.of, x.mapping))
	}
	remember := []program.Stmt{program.Set(e.first, x.of), program.Set(e.others[0].prefix, x.mapping)}
	if x.has(x.k, Record) {
		x.rule("record"+by, program.And(may, x.level(x.in.of(), x.k, Record), free, room),
			append(remember, x.out.send(x.k, x.of, x.mapping), program.Set(e.state, entrySent))...)
		x.joinRules(e, entrySent, by, may)
	}
	if x.has(x.k, Window, Forever) {
		x.rule("hold"+by, program.And(may, x.level(x.in.of(), x.k, Window, Forever), free), append(remember, program.Set(e.state, entryWaiting))...)
		x.joinRules(e, entryWaiting, by, may)
	}
}

// joinRules have the request join those of an entry that has been sent or is
// waiting, at the first place that is free. The last place completes it.
func (x taking) joinRules(e pairing, state int, by string, may program.Expr) {
	for i, o := range e.others {
		guard := []program.Expr{may, program.Eq(e.state, state)}
		if i > 0 {
			guard = append(guard, program.Ne(e.others[i-1].requester, 0))
		}
		together := x.cell.compose(program.Value(o.prefix), x.mapping)
		what := map[int]string{entrySent: "combine with one sent", entryWaiting: "hold one more"}[state]
		effect := []program.Stmt{program.Set(o.requester, x.of)}
		if i < len(e.others)-1 {
			guard = append(guard, program.Eq(o.requester, 0))
			effect = append(effect, program.Set(e.others[i+1].prefix, together))
		} else {
			effect = append(effect, program.Set(e.state, entryCombined))
			if state == entryWaiting {
				what = "combine"
				guard = append(guard, x.out.Room())
				effect = append([]program.Stmt{x.out.send(x.k, program.Value(e.first), together)}, effect...)
			}
		}
		x.rule(what+by, program.And(guard...), effect...)
	}
}

// timeRules forward what an entry holds: however long the time is, a partner may
// come just after it. One that has been alone leaves no entry.
func (m *Memory) timeRules(s, k, place int, out queue) {
	e := m.entry(s, k, place)
	up := program.And(program.Eq(e.state, entryWaiting), m.level(e.first, k, Window), out.Room())
	for i, o := range e.others {
		// This place is free, those before it are taken.
		guard := []program.Expr{up, program.Eq(o.requester, 0)}
		send := out.send(k, program.Value(e.first), program.Value(o.prefix))
		after := e.release()
		if i > 0 {
			guard = append(guard, program.Ne(e.others[i-1].requester, 0))
			after = []program.Stmt{program.Set(o.prefix, 0), program.Set(e.state, entryCombined)}
		}
		m.Rule(fmt.Sprintf("%s: %s", m.tree.Name(s), m.about("time is up"+byWhom[place], k)), program.And(guard...), append([]program.Stmt{send}, after...)...)
	}
}

// level holds if a variable names a cluster whose requests are of one of the
// levels; it is about cell k.
func (m *Memory) level(of program.Var, k int, levels ...Waiting) program.Expr {
	var one []program.Expr
	all := true
	for c := range m.scripts {
		if !m.travels(c, k) {
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

// has reports whether requests for cell k of one of the levels pass the switches.
func (m *Memory) has(k int, levels ...Waiting) bool {
	for c := range m.scripts {
		if m.travels(c, k) && slices.Contains(levels, m.levelOf(c)) {
			return true
		}
	}
	return false
}

// travels reports whether a cluster sends requests for cell k to another place.
func (m *Memory) travels(c, k int) bool {
	return !m.homes[k].local(c) && slices.ContainsFunc(m.scripts[c], func(r call) bool { return r.cell == k })
}

// senders lists the clusters whose requests for a cell pass a switch.
func (m *Memory) senders(s, k int) []int {
	return slices.DeleteFunc(m.homes[k].behind(s), func(c int) bool { return !m.travels(c, k) })
}

// levelOf is the level of a cluster's requests.
func (o MemoryOptions) levelOf(c int) Waiting {
	if o.Levels == nil {
		return o.Level
	}
	return o.Levels[c]
}

// replyRules has a switch forward replies, and answer the others of an entry, in
// the order in which they joined, before the first. One message leaves in a step:
// all may go the same way, where there may be room for one only.
func (m *Memory) replyRules(s, k int) {
	t := m.homes[k]
	in := m.replies(t.onward(s), s)
	value := program.Value(in.content())
	var splits []program.Expr // by place: the reply is to be split for the entry there
	var clears []program.Stmt
	for place := range m.buffers[s].places() {
		e := m.entry(s, k, place)
		mine := program.Eq(in.of(), e.first)
		if m.Splitting == ByKey {
			mine = program.And()
			if place > 0 { // the switch's own entry comes first
				mine = program.Eq(m.entry(s, k, 0).state, entryFree)
			}
		}
		splits = append(splits, program.And(in.next(k), program.Le(entrySent, e.state), e.hasOthers(), mine))
		clear := program.If(program.And(mine, program.Or(program.Eq(e.state, entrySent), program.Eq(e.state, entryAnswered))), e.release()...)
		if m.Splitting == FreedTwice {
			clear = program.If(program.And(), e.release()...)
		}
		clears = append(clears, clear)
	}
	for _, c := range m.senders(s, k) {
		out := m.replies(s, t.way(s, c))
		for place := range splits {
			m.splitRules(s, k, c, place, splits[place])
		}
		m.Rule(fmt.Sprintf("%s: reply%s to cluster %d", m.tree.Name(s), m.about("", k), c),
			program.And(in.next(k), program.Eq(in.of(), c+1), program.Not(program.Or(splits...)), out.Room()),
			append(slices.Clone(clears), out.send(k, program.Const(c+1), value), in.Pop())...)
	}
}

// splitRules answer a cluster that joined others.
func (m *Memory) splitRules(s, k, c, place int, splits program.Expr) {
	t := m.homes[k]
	in, out := m.replies(t.onward(s), s), m.replies(s, t.way(s, c))
	e := m.entry(s, k, place)
	for i, o := range e.others {
		guard := []program.Expr{splits, program.Eq(o.requester, c+1), out.Room()}
		for _, before := range e.others[:i] {
			guard = append(guard, program.Eq(before.requester, 0))
		}
		share := m.cell.apply(program.Value(o.prefix), program.Value(in.content()))
		if m.Splitting == ForgetsMapping {
			share = program.Value(in.content())
		}
		effect := []program.Stmt{out.send(k, program.Const(c+1), share)}
		if m.Splitting == DropsSecond {
			effect = nil
		}
		effect = append(effect, program.Set(o.prefix, 0), program.Set(o.requester, 0))
		if i == 0 {
			effect = append(effect, program.Set(e.state, entryAnswered))
		}
		if m.Splitting == FreedTwice {
			effect = append(effect, program.If(program.Not(e.hasOthers()), e.release()...))
		}
		m.Rule(fmt.Sprintf("%s: answer the %s%s, cluster %d", m.tree.Name(s), ordinal(i), m.about(byWhom[place], k), c), program.And(guard...), effect...)
	}
}

// byWhom names who holds an entry.
var byWhom = [...]string{"", " (by the processor)"}
