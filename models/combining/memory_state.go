package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// The variables of a memory, and its messages.

// road is one direction of a link, for one class of messages; with one VC for
// both classes that of the replies is never used. A node may be BesideRoot.
type road struct {
	from, to int
	replies  bool
}

// queue is a FIFO of messages about cells: whom they are of or for, what they
// are, where it is not clear, and a mapping or a value.
type queue struct {
	parts.FIFO
	replies    bool // the class that is spoken of
	kind, cell int  // which number of a message says its class, its cell; 0: none, there is only one
	data       int  // which number is the mapping or the value
}

// next holds if there is a message, of the class that is spoken of, and about cell k.
func (q queue) next(k int) program.Expr {
	all := []program.Expr{program.Not(q.Empty())}
	if q.kind > 0 {
		all = append(all, q.ofClass())
	}
	if q.cell > 0 {
		all = append(all, program.Eq(q.Head(q.cell), k+1))
	}
	return program.And(all...)
}

// ofClass holds if the head, which there must be, is of the class that is spoken of.
func (q queue) ofClass() program.Expr {
	if q.kind == 0 {
		return program.And()
	}
	return program.Eq(q.Head(q.kind), class(q.replies))
}

func class(replies bool) int {
	if replies {
		return 1
	}
	return 0
}

// of is the requester of the head, plus one; content is its mapping or value.
func (q queue) of() program.Var      { return q.Head(0) }
func (q queue) content() program.Var { return q.Head(q.data) }

// send puts a message about cell k behind the others; there must be room.
func (q queue) send(k int, of, content program.Expr) program.Stmt {
	message := []program.Expr{of}
	if q.kind > 0 {
		message = append(message, program.Const(class(q.replies)))
	}
	if q.cell > 0 {
		message = append(message, program.Const(k+1))
	}
	return q.Put(append(message, content)...)
}

// requests and replies are the messages of one class in one direction of a link.
func (m *Memory) requests(from, to int) queue { return m.lanes[road{from, to, false}] }
func (m *Memory) replies(from, to int) queue {
	q := m.lanes[road{from, to, !m.OneVC}]
	q.replies = true
	return q
}

// pairing is the entry of a switch's wait buffer for one cell.
type pairing struct {
	state, first program.Var
	others       []joined // in the order in which they joined
}

// joined is a requester that joined others, and the mapping of those before it.
// While an entry is waiting, the prefix of the next place is that of all in it.
type joined struct{ prefix, requester program.Var }

const (
	entryFree = iota
	entryWaiting
	entrySent
	entryCombined
	entryAnswered
)

var entryNames = []string{"free", "waiting", "sent", "combined", "answered"}

// entry is the switch's own entry for a cell (place 0), or that of the processor
// that took over from it (place 1).
func (m *Memory) entry(s, k, place int) pairing {
	vars := m.buffers[s].own
	if place == 1 {
		vars = m.buffers[s].taken
	}
	e := pairing{state: vars[k][0], first: vars[k][1]}
	for i := 2; i < len(vars[k]); i += 2 {
		e.others = append(e.others, joined{vars[k][i], vars[k][i+1]})
	}
	return e
}

// release frees an entry.
func (e pairing) release() []program.Stmt {
	all := []program.Stmt{program.Set(e.state, entryFree), program.Set(e.first, 0)}
	for _, o := range e.others {
		all = append(all, program.Set(o.prefix, 0), program.Set(o.requester, 0))
	}
	return all
}

// hasOthers holds if somebody but the first requester is in the entry.
func (e pairing) hasOthers() program.Expr {
	var any []program.Expr
	for _, o := range e.others {
		any = append(any, program.Ne(o.requester, 0))
	}
	return program.Or(any...)
}

func (m *Memory) declare() {
	t := m.tree
	for k := range m.homes {
		m.values = append(m.values, m.Var(m.about("cell", k), m.cell.values))
	}
	clusters := clusterNames(t)
	none := append([]string{"-"}, clusters...)
	for c, script := range m.scripts {
		m.at = append(m.at, m.Enum(fmt.Sprintf("cluster %d", c), progress(len(script))...))
		var results []program.Var
		for i := range script {
			results = append(results, m.Var(fmt.Sprintf("cluster %d, result %d", c, i), m.cell.replies))
			for d, other := range m.scripts {
				if m.History && d != c && len(other) > 0 {
					m.past[[3]int{c, i, d}] = m.Var(fmt.Sprintf("answered to cluster %d before request %d of cluster %d", d, i, c), len(other)+1)
				}
			}
		}
		m.results = append(m.results, results)
	}
	m.buffers = make([]*waitBuffer, t.Nodes())
	for _, s := range t.switches() {
		m.buffers[s] = newWaitBuffer(len(m.homes), m.Entries, m.Overflow, func(k, place int) []program.Var {
			who := t.Name(s)
			if place == 1 {
				who = "processor of " + who
			}
			name := func(what string) string { return m.about(who+", "+what, k) }
			entry := []program.Var{m.Enum(name("entry"), entryNames...), m.Enum(name("first"), none...)}
			for i := range m.Joined - 1 {
				entry = append(entry, m.Var(name("before "+ordinal(i)), m.cell.mappings), m.Enum(name(ordinal(i)), none...))
			}
			return entry
		})
	}
	for node := range t.Nodes() {
		for _, h := range m.homes {
			if !h.local(node) {
				m.link(node, h.onward(node), false, clusters)
				m.link(h.onward(node), node, true, clusters)
			}
		}
	}
}

// ordinal is what a requester that joins others is called, by its place among them.
func ordinal(i int) string {
	return [mostJoined - 1]string{"second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"}[i]
}

// about is a name with the number of a cell, if there are several.
func (m *Memory) about(name string, k int) string {
	if len(m.homes) == 1 {
		return name
	}
	if name == "cell" {
		return fmt.Sprintf("cell %d", k)
	}
	return fmt.Sprintf("%s (cell %d)", name, k)
}

// link adds the messages of one class in one direction of a link, unless they are there.
func (m *Memory) link(from, to int, replies bool, clusters []string) {
	at := road{from, to, replies && !m.OneVC}
	if _, ok := m.lanes[at]; ok {
		return
	}
	q := queue{data: 1}
	name, numbers := "requests", []part{named("of", clusters...)}
	content := part{name: "mapping", values: m.cell.mappings}
	switch {
	case m.OneVC:
		name = "messages"
		q.kind, q.data = 1, q.data+1
		numbers = append(numbers, part{name: "kind", values: 2, names: []string{"request", "reply"}})
		content = part{name: "content", values: max(m.cell.mappings, m.cell.replies)}
	case replies:
		name = "replies"
		content = part{name: "value", values: m.cell.replies}
	}
	if len(m.homes) > 1 {
		q.cell, q.data = q.data, q.data+1
		numbers = append(numbers, named("cell", cellNames(len(m.homes))...)) // 0 is none, so that an empty place has no cell
	}
	q.FIFO = newLane(m.Program, fmt.Sprintf("%s, %s to %s", name, m.name(from), m.name(to)), m.Capacity, append(numbers, content)...)
	m.lanes[at] = q
}

// name is what people call a node, or the memory beside the root.
func (m *Memory) name(node int) string {
	if node == BesideRoot {
		return "memory"
	}
	return m.tree.Name(node)
}

func cellNames(cells int) []string {
	var names []string
	for k := range cells {
		names = append(names, fmt.Sprintf("cell %d", k))
	}
	return names
}

func clusterNames(t Tree) []string {
	var names []string
	for c := range t.Clusters() {
		names = append(names, t.Name(c))
	}
	return names
}

// progress names what a cluster of some requests is at.
func progress(requests int) []string {
	names := []string{"begins"}
	for i := range requests {
		names = append(names, fmt.Sprintf("waits for reply %d", i), fmt.Sprintf("has reply %d", i))
	}
	return names
}
