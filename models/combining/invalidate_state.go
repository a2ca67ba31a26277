package combining

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// What the variables of invalidate/Ack are about, and what their values mean.
// Values are facts about a block, a cluster and a distance rather than mere
// numbers, so that messages can be drawn, and renamed by symmetries of the tree.

// what is the kind of a message or of another fact.
type what uint8

const (
	nothing what = iota
	// Messages.
	request    // level 1, of a cluster to the home
	invalidate // level 0, for a cluster's sake; with a distance on its way up from home
	ack        // level 3, to the home
	reply      // level-1 Ack, of the home to a cluster
	returned   // a request on its way back (Returned)
	done       // level 0, to the home: the writer has written
	data       // a copy for a cluster that reads
	// States of a cluster and of a copy.
	idle
	waits
	writes
	again // its request came back, or may have been discarded
	shared
	coming
	// States of a home; shared with a distance is another.
	collects
	answers
	owned
	owes // of a cluster: an Ack
)

var whatNames = [...]string{"-", "request", "invalidate", "Ack", "reply", "returned", "done", "data",
	"idle", "waits", "writes", "again", "shared", "coming", "collects", "answers", "owned", "owes"}

// fact is a value of a variable. What does not apply is -1.
type fact struct {
	what                     what
	block, cluster, distance int
	by                       detour // in an interrupt or an answer to one: distance is the height of the switch
}

func about(w what, block int) fact { return fact{w, block, -1, -1, direct} }

func (f fact) to(cluster int) fact {
	f.cluster = cluster
	return f
}

func (f fact) within(distance int) fact {
	f.distance = distance
	return f
}

// String writes a fact for people, such as "invalidate 0 for 3 within 2".
func (f fact) String() string {
	if f.by != direct {
		inner := f
		inner.by, inner.distance = direct, -1
		return fmt.Sprintf("%s %d (%s)", detourNames[f.by], f.distance, inner)
	}
	s := whatNames[f.what]
	if f.what == nothing {
		return s
	}
	if f.block >= 0 {
		s += fmt.Sprintf(" %d", f.block)
	}
	if f.cluster >= 0 {
		s += fmt.Sprintf(" for %d", f.cluster)
	}
	if f.distance >= 0 {
		s += fmt.Sprintf(" within %d", f.distance)
	}
	return s
}

// subject is what a variable is about: where it is and which one it is there.
// Nodes and blocks that do not apply are -1.
type subject struct {
	name        string
	node, to    int // to is another node, of links and of what is at their ends
	via         int // a third one, likewise
	block       int
	place, slot int
}

// variable registers what a variable is about and what its values mean; nil
// stands for numbers that no symmetry changes.
func (m *Invalidation) variable(x program.Var, s subject, facts []fact) program.Var {
	m.where[x], m.vars[s], m.facts[x] = s, x, facts
	return x
}

func names(facts []fact) []string {
	all := make([]string, len(facts))
	for i, f := range facts {
		all[i] = f.String()
	}
	return all
}

// enum adds a variable whose values are facts.
func (m *Invalidation) enum(name string, s subject, facts []fact) program.Var {
	return m.variable(m.p.Enum(name, names(facts)...), s, facts)
}

// queueOf adds a FIFO queue of facts.
func (m *Invalidation) queueOf(name string, s subject, capacity int, facts []fact) parts.FIFO {
	q := newFIFO(m.p, name, capacity, names(facts))
	for k, x := range q.First() {
		s.slot = k
		m.variable(x, s, append([]fact{about(nothing, -1)}, facts...))
	}
	return q
}

// is compares a variable with a fact among its values.
func (m *Invalidation) is(x program.Var, f fact) program.Expr {
	return program.Eq(x, slices.Index(m.facts[x], f))
}

// set assigns a fact.
func (m *Invalidation) set(x program.Var, f fact) program.Stmt {
	return program.Set(x, slices.Index(m.facts[x], f))
}

// link returns the link between two neighbours.
func (m *Invalidation) link(from, to int) *link { return m.links[[2]int{from, to}] }

// ports lists all that a message can be in on its way: links, and registers of
// combining units.
func (m *Invalidation) ports() []*link {
	return append(m.order[:len(m.order):len(m.order)], m.registers...)
}

func (m *Invalidation) variables() {
	for c := range m.tree.Clusters() {
		m.copies, m.owed = append(m.copies, nil), append(m.owed, nil)
		for b := range m.Homes {
			values := []fact{about(nothing, b), about(shared, b)}
			if m.readsAgain(c) && c != m.Homes[b] {
				values = append(values, about(coming, b))
			}
			x := m.enum(fmt.Sprintf("copy %d of %d", b, c), subject{name: "copy", node: c, block: b}, values)
			m.p.Init(x, 1)
			m.copies[c] = append(m.copies[c], x)
			if m.Owed {
				m.owed[c] = append(m.owed[c], m.enum(fmt.Sprintf("Ack %d of %d", b, c), subject{name: "owed", node: c, block: b},
					[]fact{about(nothing, b), about(owes, b)}))
			}
		}
	}
	for _, w := range m.Writers {
		values := []fact{about(idle, -1)}
		for b := range m.Homes {
			values = append(values, about(waits, b), about(writes, b))
			if m.asksAgain(w, m.Homes[b]) {
				values = append(values, about(again, b))
			}
		}
		m.phase[w] = m.enum(fmt.Sprintf("cluster %d", w), subject{name: "phase", node: w, block: -1}, values)
	}
	for b := range m.Homes {
		var values, waiting []fact
		for d := range m.tree.Depth + 1 {
			values = append(values, about(shared, b).within(d))
		}
		for _, w := range m.Writers {
			values = append(values, about(collects, b).to(w), about(answers, b).to(w), about(owned, b).to(w))
			waiting = append(waiting, about(request, b).to(w))
		}
		x := m.enum(fmt.Sprintf("home of %d", b), subject{name: "home", block: b}, values)
		m.p.Init(x, m.tree.Depth)
		m.home = append(m.home, x)
		m.queue = append(m.queue, m.queueOf(fmt.Sprintf("queue of %d", b), subject{name: "queue", block: b}, len(m.Writers), waiting))
	}
	for n := range m.tree.Nodes() {
		for _, to := range m.tree.Neighbours(n) {
			l := &link{kind: aLink, from: n, to: to, messages: m.carries(n, to), turns: &arbiter{kind: m.Arbiter}}
			l.FIFO = m.queueOf(fmt.Sprintf("link %d-%d", n, to), subject{name: "link", node: n, to: to, block: -1}, m.Link, l.messages)
			m.links[[2]int{n, to}] = l
			m.order = append(m.order, l)
		}
	}
	for s := m.tree.Clusters(); s < m.tree.Nodes(); s++ {
		if m.Unit != Merged {
			m.registersOf(s)
		}
		m.buffers[s] = newWaitBuffer(len(m.Homes), m.Entries, m.Overflow, func(b, place int) []program.Var { return m.entryOf(s, b, place) })
	}
	if m.travels() {
		m.interruptVariables()
	}
}

// carries lists the messages that can come to a link.
func (m *Invalidation) carries(from, to int) []fact {
	var all []fact
	for b, h := range m.Homes {
		homeward := from != h && m.tree.Next(from, h) == to
		writesOn := false // a writer's way to home takes this link
		for _, w := range m.Writers {
			if w == h {
				continue
			}
			if on(m.tree.Path(w, h), from, to) {
				all = append(all, about(request, b).to(w))
				writesOn = true
			}
			if on(m.tree.Path(h, w), from, to) {
				all = append(all, about(reply, b).to(w))
				if m.Variant == Returned && from != h {
					all = append(all, about(returned, b).to(w))
				}
			}
		}
		if writesOn && !m.Reopened {
			all = append(all, about(done, b))
		}
		for _, w := range m.Writers {
			switch {
			case m.tree.Below(from, to) && m.tree.Below(h, from): // up from home
				for d := m.tree.Height(to); d <= m.tree.Depth; d++ {
					all = append(all, about(invalidate, b).to(w).within(d))
				}
			case m.tree.Below(to, from) && !m.tree.Below(h, to): // down, away from home
				all = append(all, about(invalidate, b).to(w))
			}
		}
		if homeward {
			all = append(all, about(ack, b))
		}
		all = append(all, m.detours(b, from, to)...)
		for r := range m.tree.Clusters() {
			if m.readsAgain(r) && r != h && on(m.tree.Path(h, r), from, to) {
				all = append(all, about(data, b).to(r))
			}
		}
	}
	return all
}

// on reports whether a path goes from one node to the other in one step.
func on(path []int, from, to int) bool {
	for i := range path[1:] {
		if path[i] == from && path[i+1] == to {
			return true
		}
	}
	return false
}

// entryOf adds the variables of the entry of block b at switch s.
func (m *Invalidation) entryOf(s, b, place int) []program.Var {
	name := fmt.Sprintf("entry %d of %d", b, s)
	if place == 1 {
		name = fmt.Sprintf("entry %d of %d by processor", b, s)
	}
	e := &entry{}
	m.entries[[3]int{s, b, place}] = e
	add := func(part string, values ...string) program.Var {
		return m.variable(m.p.Enum(name+part, values...), subject{name: "entry" + part, node: s, block: b, place: place}, nil)
	}
	counts := []string{"-"}
	for i := range m.answering() - 1 {
		counts = append(counts, fmt.Sprintf("%d Ack", i+1))
	}
	if m.Variant == Literal {
		e.one = add("", slices.Insert(counts, 1, "request")...)
		return []program.Var{e.one}
	}
	e.acks = add(" Acks", counts...)
	if m.Variant != Deferred {
		e.request = add(" request", "-", "request")
		return []program.Var{e.acks, e.request}
	}
	for _, w := range m.Writers {
		if w != m.Homes[b] && slices.Contains(m.tree.Path(w, m.Homes[b]), s) {
			e.writers = append(e.writers, about(request, b).to(w))
		}
	}
	if len(e.writers) == 0 {
		return []program.Var{e.acks}
	}
	e.requests = m.queueOf(name+" requests", subject{name: "entry requests", node: s, block: b, place: place}, len(e.writers), e.writers)
	e.sent = add(" sent", "-", "sent")
	return append([]program.Var{e.acks}, e.requests.First()...)
}

// answering is how many Acks a switch collects: the neighbours of the paper's
// switch without that towards home are two; the dummy stands for one at the root
// of an area.
func (m *Invalidation) answering() int { return m.tree.FanOut }
