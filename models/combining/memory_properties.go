package combining

import (
	"cmp"
	"encoding/binary"
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
			none := program.Or(reply.Empty(), program.Not(reply.ofClass()))
			right = append(right, program.Or(none, program.And(program.Eq(reply.of(), c+1), program.Or(awaited...))))
		}
		if len(waits) > 0 {
			m.Response(fmt.Sprintf("cluster %d is answered", c), program.Or(waits...))
		}
	}
	m.Final = program.And(done...)
	m.Program.Invariant("a reply reaches a cluster that waits for one", program.And(right...))
	m.Program.Invariant("at rest links and wait buffers are empty", program.Implies(m.Final, m.clean()))
	replies, ends, err := m.serial(-1, false)
	if err != nil {
		return err
	}
	m.Program.Invariant("the replies are those of a serial order", program.Implies(m.Final, replies))
	m.Program.Invariant("the cell ends as that order leaves it", program.Implies(m.Final, ends))
	if m.History {
		_, ends, err := m.serial(-1, true)
		if err != nil {
			return err
		}
		m.Program.Invariant("linearizable", program.Implies(m.Final, ends))
	}
	if len(m.homes) == 1 {
		return nil
	}
	for k := range m.homes {
		_, ends, err := m.serial(k, false)
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
		all = append(all, m.lanes[at].Empty())
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
// each script, and with realTime (Herlihy and Wing 1990) has what was answered
// before what was sent later. Orders that have come to the same are followed once.
func (m *Memory) serial(only int, realTime bool) (replies, ends program.Expr, err error) {
	s := serials{m: m, only: only, realTime: realTime, next: make([]int, len(m.scripts)), values: make([]int, len(m.homes)),
		results: make([][]int, len(m.scripts)), seen: map[string]bool{}}
	for c, script := range m.scripts {
		s.results[c] = make([]int, len(script))
		for _, r := range script {
			if s.considers(r.cell) {
				s.requests++
			}
		}
	}
	if !s.follow(s.requests) {
		return replies, ends, fmt.Errorf("%d requests have more than %d serial orders: take fewer requesters", s.requests, mostOrders)
	}
	return program.Or(s.replies...), program.Or(s.ends...), nil
}

// serials follows serial orders.
type serials struct {
	m        *Memory
	only     int // the cell that is considered, or all if it is less than 0
	requests int
	realTime bool

	order         []int   // the clusters whose requests were taken, one after the other
	next          []int   // by cluster: the next of its script
	values        []int   // by cell
	results       [][]int // by cluster, by request: what it was told, or 0
	seen          map[string]bool
	replies, ends []program.Expr
}

func (s *serials) considers(k int) bool { return s.only < 0 || k == s.only }

// follow takes the orders of the requests that are left. It returns false if
// there are too many.
func (s *serials) follow(left int) bool {
	key := s.key()
	if s.seen[key] {
		return true
	}
	s.seen[key] = true
	if len(s.ends) > mostOrders || len(s.seen) > 100*mostOrders {
		return false
	}
	if left == 0 {
		s.end()
		return true
	}
	for c, script := range s.m.scripts {
		was := s.next[c]
		i := was
		for i < len(script) && !s.considers(script[i].cell) {
			i++
		}
		if i == len(script) {
			continue
		}
		k := script[i].cell
		before := s.values[k]
		s.next[c], s.order = i+1, append(s.order, c)
		s.values[k], s.results[c][i] = s.m.cell.plain(before, script[i].mapping)
		if !s.follow(left - 1) {
			return false
		}
		s.next[c], s.values[k], s.results[c][i] = was, before, 0
		s.order = s.order[:len(s.order)-1]
	}
	return true
}

// key is all that the orders from here on depend on, and what was told so far.
func (s *serials) key() string {
	var key []byte
	lists := append([][]int{s.next, s.values}, s.results...)
	if s.realTime {
		lists = append(lists, s.order)
	}
	for _, list := range lists {
		for _, x := range list {
			key = binary.AppendUvarint(key, uint64(x))
		}
	}
	return string(key)
}

// end adds what an order has come to.
func (s *serials) end() {
	var told, held []program.Expr
	for c, list := range s.m.results {
		for i, x := range list {
			if s.considers(s.m.scripts[c][i].cell) {
				told = append(told, program.Eq(x, s.results[c][i]))
			}
		}
	}
	for k, x := range s.m.values {
		if s.considers(k) {
			held = append(held, program.Eq(x, s.values[k]))
		}
	}
	if key := fmt.Sprint(s.results); !s.seen[key] {
		s.seen[key] = true
		s.replies = append(s.replies, program.And(told...))
	}
	if s.realTime {
		held = append(held, s.kept())
	}
	s.ends = append(s.ends, program.And(append(slices.Clone(told), held...)...))
}

// kept holds if whatever was answered before a request was sent comes before it in
// the order, which is of all requests.
func (s *serials) kept() program.Expr {
	var all []program.Expr
	taken := make([]int, len(s.m.scripts))
	for _, c := range s.order {
		for d := range taken {
			if past, ok := s.m.past[[3]int{c, taken[c], d}]; ok {
				all = append(all, program.Le(past, taken[d]))
			}
		}
		taken[c]++
	}
	return program.And(all...)
}
