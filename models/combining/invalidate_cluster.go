package combining

import (
	"fmt"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// What clusters and homes do: steps 1, 3, 5, 7 and 9.

// cluster adds the rules of a cluster.
func (m *Invalidation) cluster(c int) {
	up, down := m.link(c, m.tree.Parent(c)), m.link(m.tree.Parent(c), c)
	if phase, writer := m.phase[c]; writer {
		for b, h := range m.Homes {
			m.writer(c, b, h, phase, up)
		}
	}
	m.acknowledge(c, up)
	m.sendKept(c)
	for _, f := range down.messages {
		if f.by != direct {
			m.processor(c, down, f)
			continue
		}
		name := fmt.Sprintf("%s takes %s", m.tree.Name(c), f)
		switch copied := m.copies[c][f.block]; f.what {
		case invalidate:
			// Step 5. The first requester keeps its copy.
			to, answer := []*link{up}, up.Push(up.code(about(ack, f.block)))
			if m.Owed {
				to, answer = nil, m.set(m.owed[c][f.block], about(owes, f.block))
			}
			effect := []program.Stmt{down.Pop(), answer}
			if f.cluster != c {
				effect = append(effect, m.set(copied, about(nothing, f.block)))
				if phase, writer := m.phase[c]; writer && m.Variant == Repeated && c != m.Homes[f.block] {
					effect = append(effect, program.If(m.is(phase, about(waits, f.block)), m.set(phase, about(again, f.block))))
				}
			}
			m.step(step{name: name, from: wayIn(c, down.from), wants: down.Is(down.code(f)), to: to, effect: effect})
		case reply:
			// Step 9. The reply brings the block if it was lost meanwhile.
			m.p.Rule(name, down.Is(down.code(f)), down.Pop(),
				m.set(m.phase[c], about(writes, f.block)), m.set(copied, about(shared, f.block)))
		case returned:
			m.p.Rule(name, down.Is(down.code(f)), down.Pop(), m.set(m.phase[c], about(again, f.block)))
		case data:
			m.p.Rule(name, down.Is(down.code(f)), down.Pop(), m.set(copied, about(shared, f.block)))
		}
	}
}

// acknowledge adds the rules by which cluster c sends the Acks that it owes.
func (m *Invalidation) acknowledge(c int, up *link) {
	for b, x := range m.owed[c] {
		if m.Homes[b] != c {
			m.step(step{
				name: fmt.Sprintf("cluster %d sends the Ack of %d", c, b), from: sends("Acks", c, b), wants: m.is(x, about(owes, b)), to: []*link{up},
				effect: []program.Stmt{m.set(x, about(nothing, b)), up.Push(up.code(about(ack, b)))},
			})
		}
	}
}

// writer adds the rules by which cluster c writes block b, whose home is h.
func (m *Invalidation) writer(c, b, h int, phase program.Var, up *link) {
	// Step 1. Home's own request takes no link.
	to, send := []*link{up}, up.Push(up.code(about(request, b).to(c)))
	if c == h {
		to, send = nil, m.queue[b].Push(m.queued(b, c))
	}
	m.step(step{
		name: fmt.Sprintf("cluster %d wants to write %d", c, b), from: sends("wishes", c, -1), unfair: true,
		wants: program.And(m.is(phase, about(idle, -1)), m.is(m.copies[c][b], about(shared, b))), to: to,
		effect: []program.Stmt{send, m.set(phase, about(waits, b))},
	})
	if m.asksAgain(c, h) {
		m.step(step{
			name: fmt.Sprintf("cluster %d requests %d again", c, b), from: sends("writer", c, -1), wants: m.is(phase, about(again, b)), to: to,
			effect: []program.Stmt{send, m.set(phase, about(waits, b))},
		})
	}
	// Having written, it tells home.
	wrote := fmt.Sprintf("cluster %d has written %d", c, b)
	if m.Reopened {
		m.p.Rule(wrote, m.is(phase, about(writes, b)), m.set(phase, about(idle, -1)))
		return
	}
	if c == h {
		m.p.Rule(wrote, m.is(phase, about(writes, b)),
			m.set(phase, about(idle, -1)), m.set(m.home[b], about(shared, b).within(0)))
		return
	}
	m.step(step{
		name: wrote, from: sends("writer", c, -1), wants: m.is(phase, about(writes, b)), to: to,
		effect: []program.Stmt{m.set(phase, about(idle, -1)), up.Push(up.code(about(done, b)))},
	})
}

// sends is the source of what a part of a cluster sends, about a block or any (-1).
func sends(name string, cluster, block int) subject {
	return subject{name: name, node: cluster, to: noNeighbour, block: block}
}

// queued returns the number of a writer in the queue of a block's home.
func (m *Invalidation) queued(b, writer int) int {
	for i, w := range m.Writers {
		if w == writer {
			return i + 1
		}
	}
	return 0
}

// homeOf adds the rules of the home of block b.
func (m *Invalidation) homeOf(b int) {
	h := m.Homes[b]
	up, down := m.link(h, m.tree.Parent(h)), m.link(m.tree.Parent(h), h)
	home, queue := m.home[b], m.queue[b]
	name := func(what string) string { return fmt.Sprintf("home of %d %s", b, what) }

	for _, w := range m.Writers {
		if own := about(request, b).to(w); down.code(own) > 0 {
			m.p.Rule(name(fmt.Sprintf("takes the request of %d", w)), down.Is(down.code(own)),
				down.Pop(), queue.Push(m.queued(b, w)))
		}
		// Step 3. Nobody has to be asked within distance 0.
		for d := range m.tree.Depth + 1 {
			begins := program.And(m.is(home, about(shared, b).within(d)), queue.Is(m.queued(b, w)))
			effect := []program.Stmt{queue.Pop()}
			if w != h {
				effect = append(effect, m.set(m.copies[h][b], about(nothing, b)))
			}
			if d == 0 {
				m.p.Rule(name(fmt.Sprintf("need not ask for %d", w)), begins, append(effect, m.set(home, about(answers, b).to(w)))...)
				continue
			}
			m.step(step{
				name: name(fmt.Sprintf("invalidates for %d", w)), from: sends("home", h, b), wants: begins, to: []*link{up},
				effect: append(effect, m.set(home, about(collects, b).to(w)), up.Push(up.code(about(invalidate, b).to(w).within(d)))),
			})
		}
		// Step 7.
		answer, then := name(fmt.Sprintf("replies to %d", w)), about(owned, b).to(w)
		if m.Reopened {
			then = about(shared, b).within(m.tree.Distance(h, w))
		}
		if w == h {
			m.p.Rule(answer, m.is(home, about(answers, b).to(w)), m.set(home, then),
				m.set(m.phase[w], about(writes, b)), m.set(m.copies[w][b], about(shared, b)))
			continue
		}
		m.step(step{
			name: answer, from: sends("home", h, b), wants: m.is(home, about(answers, b).to(w)), to: []*link{up},
			effect: []program.Stmt{m.set(home, then), up.Push(up.code(about(reply, b).to(w)))},
		})
	}
	m.p.Rule(name("takes the Ack"), down.Is(down.code(about(ack, b))),
		append([]program.Stmt{down.Pop()}, m.each(home, about(collects, b), func(w int) fact { return about(answers, b).to(w) })...)...)
	if code := down.code(about(done, b)); code > 0 {
		m.p.Rule(name("takes Done"), down.Is(code),
			append([]program.Stmt{down.Pop()}, m.each(home, about(owned, b), func(w int) fact { return about(shared, b).within(m.tree.Distance(h, w)) })...)...)
	}
	if m.Resharing {
		m.reads(b, h, up)
	}
}

// each turns a fact about whichever writer into another; other facts stay.
func (m *Invalidation) each(x program.Var, from fact, to func(writer int) fact) []program.Stmt {
	var all program.Stmt
	for i, w := range m.Writers {
		s := program.If(m.is(x, from.to(w)), m.set(x, to(w)))
		if i > 0 {
			s = s.Otherwise(all)
		}
		all = s
	}
	return []program.Stmt{all}
}

// reads adds the rules by which clusters get a copy of block b from its home,
// which serves writers first.
func (m *Invalidation) reads(b, h int, up *link) {
	for c := range m.tree.Clusters() {
		if !m.readsAgain(c) {
			continue
		}
		may := []program.Expr{m.is(m.copies[c][b], about(nothing, b)), m.queue[b].Empty()}
		if phase, writer := m.phase[c]; writer {
			may = append(may, m.is(phase, about(idle, -1)))
		}
		for d := range m.tree.Depth + 1 {
			guard := append([]program.Expr{m.is(m.home[b], about(shared, b).within(d))}, may...)
			name := fmt.Sprintf("cluster %d reads %d", c, b)
			if c == h {
				m.p.Unfair(name, program.And(guard...), m.set(m.copies[c][b], about(shared, b)))
				continue
			}
			m.step(step{
				name: name, from: sends("readers", h, b), unfair: true, wants: program.And(guard...), to: []*link{up},
				effect: []program.Stmt{
					up.Push(up.code(about(data, b).to(c))), m.set(m.copies[c][b], about(coming, b)),
					m.set(m.home[b], about(shared, b).within(max(d, m.tree.Distance(h, c)))),
				},
			})
		}
	}
}
