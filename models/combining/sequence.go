package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// What happens in a run, as messages between the nodes of the tree, for a
// message-sequence chart. A step takes a message out of at most one link and puts
// messages into others, so links before and after a step tell all.

// arrow is a message from node to node: sent in one step, received in a later
// one. Steps count from 1.
type arrow struct {
	from, to       int
	message        string
	sent, received int  // received 0: still under way at the end
	discarded      bool // nothing else has changed when it was received
}

// note is a change at a node that is no message.
type note struct {
	step, node int
	text       string
}

// Lanes lists the nodes as they stand side by side: every switch between its
// children.
func (t Tree) Lanes() []int {
	var all []int
	var walk func(n int)
	walk = func(n int) {
		children := t.Children(n)
		half := (len(children) + 1) / 2
		for i, c := range children {
			if i == half {
				all = append(all, n)
			}
			walk(c)
		}
		if len(children) == 0 {
			all = append(all, n)
		}
	}
	walk(t.Root())
	return all
}

// sequence reads the messages and the other changes out of the states.
func (r *Run) sequence() (arrows []arrow, notes []note) {
	m, fields := r.of, r.machine.Layout().Fields()
	under := map[*link][]int{} // arrows under way, in the order of the link
	for step := 1; step < len(r.States); step++ {
		before, after := r.States[step-1], r.States[step]
		taken := -1
		quiet := true // but for the message that is taken
		for _, l := range m.order {
			b, a := length(l, fields, before), length(l, fields, after)
			switch {
			case a < b:
				taken = under[l][0]
				under[l] = under[l][1:]
				arrows[taken].received = step
			case a > b:
				quiet = false
				message := l.messages[fields[l.fifo[b]].Of(after)-1]
				under[l] = append(under[l], len(arrows))
				arrows = append(arrows, arrow{from: l.from, to: l.to, message: message.String(), sent: step})
			}
		}
		for x, f := range fields {
			s := m.where[program.Var(x)]
			if s.name == "link" || f.Of(before) == f.Of(after) {
				continue
			}
			quiet = false
			notes = append(notes, note{step, m.nodeOf(s), fmt.Sprintf("%s: %s", f.Name, f.Text(after))})
		}
		if taken >= 0 && quiet {
			arrows[taken].discarded = true
		}
	}
	return arrows, notes
}

func length(l *link, fields []states.Field, s []uint64) int {
	for k, x := range l.fifo {
		if fields[x].Of(s) == 0 {
			return k
		}
	}
	return len(l.fifo)
}

// nodeOf returns the node that a variable belongs to.
func (m *Invalidation) nodeOf(s subject) int {
	if s.name == "home" || s.name == "queue" {
		return m.Homes[s.block]
	}
	return s.node
}

// Mermaid writes the run as a Mermaid sequence diagram, a line each. Messages
// stand where they are received; those still under way come last.
func (r *Run) Mermaid() []string {
	arrows, notes := r.sequence()
	lines := []string{"sequenceDiagram"}
	for _, n := range r.of.tree.Lanes() {
		lines = append(lines, fmt.Sprintf("    participant n%d as %s", n, r.of.tree.Name(n)))
	}
	for step := 1; step < len(r.States); step++ {
		for _, a := range arrows {
			if a.received != step {
				continue
			}
			how := "->>"
			if a.discarded {
				how = "-x"
			}
			lines = append(lines, fmt.Sprintf("    n%d%sn%d: %s", a.from, how, a.to, a.message))
		}
		for _, n := range notes {
			if n.step == step {
				lines = append(lines, fmt.Sprintf("    Note over n%d: %s", n.node, n.text))
			}
		}
	}
	for _, a := range arrows {
		if a.received == 0 {
			lines = append(lines, fmt.Sprintf("    n%d--)n%d: %s, under way", a.from, a.to, a.message))
		}
	}
	return append(lines, fmt.Sprintf("    Note over n%d: %s", r.of.tree.Root(), r.Why))
}
