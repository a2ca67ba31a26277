package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// properties states what a memory must do, and when it is done: every script is
// through.
func (m *Memory) properties() error {
	var done, right, clean []program.Expr
	for c, script := range m.scripts {
		done = append(done, program.Eq(m.at[c], 2*len(script)))
		if m.tree.local(c) {
			continue
		}
		var waits []program.Expr
		for i := range script {
			waits = append(waits, program.Eq(m.at[c], 2*i+1))
		}
		reply := m.down[c]
		right = append(right, program.Or(reply.empty(), program.And(program.Eq(reply.head(0), c+1), program.Or(waits...))))
		if len(script) > 0 {
			m.Response(fmt.Sprintf("cluster %d is answered", c), program.Or(waits...))
		}
	}
	for _, s := range m.tree.switches() {
		clean = append(clean, program.Eq(m.entries[s].state, entryFree))
	}
	for node := range m.up {
		if len(m.up[node].slots) > 0 {
			clean = append(clean, m.up[node].empty(), m.down[node].empty())
		}
	}
	m.Final = program.And(done...)
	m.Program.Invariant("a reply reaches a cluster that waits for one", program.And(right...))
	m.Program.Invariant("at rest links and wait buffers are empty", program.Implies(m.Final, program.And(clean...)))
	replies, ends, err := m.serial()
	m.Program.Invariant("the replies are those of a serial order", program.Implies(m.Final, program.Or(replies...)))
	m.Program.Invariant("the cell ends as that order leaves it", program.Implies(m.Final, program.Or(ends...)))
	return err
}

// serial lists what the serial orders of the scripts give: the replies, and the
// replies with the cell's end. An order keeps that of each script.
func (m *Memory) serial() (replies, ends []program.Expr, err error) {
	var (
		next    = make([]int, len(m.scripts))
		results = map[program.Var]int{}
		seen    = map[string]bool{}
		left    int
		orders  int
	)
	for _, script := range m.scripts {
		left += len(script)
	}
	var follow func(value, left int)
	follow = func(value, left int) {
		if left > 0 && orders <= mostOrders {
			for c, script := range m.scripts {
				i := next[c]
				if i == len(script) {
					continue
				}
				next[c]++
				after, reply := m.cell.plain(value, script[i])
				results[m.results[c][i]] = reply
				follow(after, left-1)
				next[c]--
			}
			return
		}
		orders++
		var equal []program.Expr
		for _, list := range m.results {
			for _, x := range list {
				equal = append(equal, program.Eq(x, results[x]))
			}
		}
		if key := fmt.Sprint(equal); !seen[key] {
			seen[key] = true
			replies = append(replies, program.And(equal...))
		}
		equal = append(equal, program.Eq(m.value, value))
		if key := fmt.Sprint(equal); !seen[key] {
			seen[key] = true
			ends = append(ends, program.And(equal...))
		}
	}
	follow(0, left)
	if orders > mostOrders {
		return nil, nil, fmt.Errorf("%d requests have more than %d serial orders: take fewer requesters", left, mostOrders)
	}
	return replies, ends, nil
}
