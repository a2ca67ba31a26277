package combining

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// properties states what a memory must do, and when it is done: every script is
// through.
func (m *Memory) properties() error {
	var done, right []program.Expr
	for c, script := range m.scripts {
		done = append(done, program.Eq(m.at[c], 2*len(script)))
		var waits, awaited []program.Expr
		for i, r := range script {
			if h := m.homes[r.cell]; !h.local(c) {
				waits = append(waits, program.Eq(m.at[c], 2*i+1))
				awaited = append(awaited, program.And(program.Eq(m.at[c], 2*i+1), m.replies(h.next[c], c).next(r.cell)))
			}
		}
		if reply, ok := m.lanes[road{m.tree.Parent(c), c, !m.OneVC}]; ok {
			reply.replies = true
			none := program.Or(reply.empty(), program.Not(reply.ofClass()))
			right = append(right, program.Or(none, program.And(program.Eq(reply.of(), c+1), program.Or(awaited...))))
		}
		if len(waits) > 0 {
			m.Response(fmt.Sprintf("cluster %d is answered", c), program.Or(waits...))
		}
	}
	m.Final = program.And(done...)
	m.Program.Invariant("a reply reaches a cluster that waits for one", program.And(right...))
	m.Program.Invariant("at rest links and wait buffers are empty", program.Implies(m.Final, m.clean()))
	replies, ends, err := m.serial(-1)
	if err != nil {
		return err
	}
	m.Program.Invariant("the replies are those of a serial order", program.Implies(m.Final, replies))
	m.Program.Invariant("the cell ends as that order leaves it", program.Implies(m.Final, ends))
	if len(m.homes) == 1 {
		return nil
	}
	for k := range m.homes {
		_, ends, err := m.serial(k)
		if err != nil {
			return err
		}
		m.Program.Invariant(fmt.Sprintf("cell %d alone is as in a serial order", k), program.Implies(m.Final, ends))
	}
	return nil
}

// clean holds if nothing is in links and wait buffers.
func (m *Memory) clean() program.Expr {
	var all []program.Expr
	for _, s := range m.tree.switches() {
		all = append(all, m.buffers[s].Idle())
	}
	for _, at := range m.roads() {
		all = append(all, m.lanes[at].empty())
	}
	return program.And(all...)
}

// roads lists the lanes in a fixed order.
func (m *Memory) roads() []road {
	return slices.SortedFunc(maps.Keys(m.lanes), func(a, b road) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(class(a.replies), class(b.replies)))
	})
}

// serial says that replies, or replies and what cells hold, are those of an order
// of the requests for one cell, or with only < 0 for all. An order keeps that of
// each script.
func (m *Memory) serial(only int) (replies, ends program.Expr, err error) {
	var (
		next         = make([]int, len(m.scripts))
		values       = make([]int, len(m.homes))
		results      = map[program.Var]int{}
		seen         = map[string]bool{}
		allReplies   []program.Expr
		allEnds      []program.Expr
		left, orders int
		considered   = func(k int) bool { return only < 0 || k == only }
	)
	for _, script := range m.scripts {
		for _, r := range script {
			if considered(r.cell) {
				left++
			}
		}
	}
	add := func(list *[]program.Expr, equal []program.Expr) {
		if key := fmt.Sprint(equal); !seen[key] {
			seen[key] = true
			*list = append(*list, program.And(slices.Clone(equal)...))
		}
	}
	var follow func(left int)
	follow = func(left int) {
		if left > 0 && orders <= mostOrders {
			for c, script := range m.scripts {
				i := next[c]
				for i < len(script) && !considered(script[i].cell) {
					i++
				}
				if i == len(script) {
					continue
				}
				was, k := next[c], script[i].cell
				before := values[k]
				next[c] = i + 1
				values[k], results[m.results[c][i]] = m.cell.plain(before, script[i].mapping)
				follow(left - 1)
				next[c], values[k] = was, before
			}
			return
		}
		orders++
		var equal []program.Expr
		for c, list := range m.results {
			for i, x := range list {
				if considered(m.scripts[c][i].cell) {
					equal = append(equal, program.Eq(x, results[x]))
				}
			}
		}
		add(&allReplies, equal)
		for k, x := range m.values {
			if considered(k) {
				equal = append(equal, program.Eq(x, values[k]))
			}
		}
		add(&allEnds, equal)
	}
	follow(left)
	if orders > mostOrders {
		return program.Expr{}, program.Expr{}, fmt.Errorf("%d requests have more than %d serial orders: take fewer requesters", left, mostOrders)
	}
	return program.Or(allReplies...), program.Or(allEnds...), nil
}
