package combining_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/models/combining"
)

// A second implementation of invalidate/Ack, written from the nine steps with queues and
// maps instead of guarded commands over packed numbers, and searched by brute force. It is
// plain and slow.

type letter struct {
	kind             string
	block, who, dist int
}

type record struct { // of a wait buffer
	request bool
	acks    int
	later   []int // deferred requesters, the first sent on or not
	sent    bool
}

type houses struct {
	state     string // shared, collects, answers, owned
	who, dist int
	queue     []int
}

type world struct {
	copies map[[2]int]string // cluster, block
	phase  map[int]letter    // of a writer
	owed   map[[2]int]bool   // cluster, block
	home   []houses
	links  map[[2]int][]letter
	buffer map[[2]int]record // switch, block
	given  map[[3]int]bool   // link, and who has a copy of its first message; -1: the unit
	units  map[[3]int]letter // 0 before the unit, 1 behind; switch; neighbour, or -1
}

func (w world) clone() world {
	c := world{copies: map[[2]int]string{}, phase: map[int]letter{}, home: slices.Clone(w.home), links: map[[2]int][]letter{}, buffer: map[[2]int]record{}}
	for i := range c.home {
		c.home[i].queue = slices.Clone(c.home[i].queue)
	}
	for k, v := range w.copies {
		c.copies[k] = v
	}
	for k, v := range w.phase {
		c.phase[k] = v
	}
	c.owed, c.given, c.units = maps.Clone(w.owed), maps.Clone(w.given), maps.Clone(w.units)
	for k, v := range w.links {
		c.links[k] = slices.Clone(v)
	}
	for k, v := range w.buffer {
		v.later = slices.Clone(v.later)
		c.buffer[k] = v
	}
	return c
}

type brute struct {
	InvalidateOptions
	tree combining.Tree
}

func (m brute) start() world {
	w := world{
		copies: map[[2]int]string{}, phase: map[int]letter{}, owed: map[[2]int]bool{}, links: map[[2]int][]letter{}, buffer: map[[2]int]record{},
		given: map[[3]int]bool{}, units: map[[3]int]letter{},
	}
	for b := range m.Homes {
		w.home = append(w.home, houses{state: "shared", dist: m.tree.Depth})
		for c := range m.tree.Clusters() {
			w.copies[[2]int{c, b}] = "shared"
		}
	}
	for _, x := range m.Writers {
		w.phase[x] = letter{kind: "idle"}
	}
	return w
}

// enqueue adds a request to the queue of a home, which may drop it if another is there.
func (m brute) enqueue(h *houses, x int) {
	if !m.Merging || len(h.queue) == 0 {
		h.queue = append(h.queue, x)
	}
}

// sends returns a copy of the world with letters added to links, or nothing if one of the
// links has no room.
func (m brute) sends(w world, from int, letters map[int]letter) *world {
	c := w.clone()
	for to, l := range letters {
		k := [2]int{from, to}
		if len(c.links[k]) >= m.Link {
			return nil
		}
		c.links[k] = append(c.links[k], l)
	}
	return &c
}

// next lists the successors of a world.
func (m brute) next(w world) (all []world) {
	add := func(c *world, changes ...func(*world)) {
		if c == nil {
			return
		}
		for _, f := range changes {
			f(c)
		}
		all = append(all, *c)
	}
	same := func() *world { c := w.clone(); return &c }
	for _, x := range m.Writers {
		up := m.tree.Parent(x)
		for b, h := range m.Homes {
			ask := func(c *world) { c.phase[x] = letter{kind: "waits", block: b} }
			request := map[int]letter{up: {kind: "request", block: b, who: x}}
			switch p := w.phase[x]; {
			case p.kind == "idle" && w.copies[[2]int{x, b}] == "shared" && x == h:
				add(same(), ask, func(c *world) { m.enqueue(&c.home[b], x) })
			case p.kind == "idle" && w.copies[[2]int{x, b}] == "shared":
				add(m.sends(w, x, request), ask)
			case p == letter{kind: "again", block: b}:
				add(m.sends(w, x, request), ask)
			case p == letter{kind: "writes", block: b} && m.Reopened:
				add(same(), func(c *world) { c.phase[x] = letter{kind: "idle"} })
			case p == letter{kind: "writes", block: b} && x == h:
				add(same(), func(c *world) {
					c.phase[x], c.home[b] = letter{kind: "idle"}, houses{state: "shared", queue: c.home[b].queue}
				})
			case p == letter{kind: "writes", block: b}:
				add(m.sends(w, x, map[int]letter{up: {kind: "done", block: b}}), func(c *world) { c.phase[x] = letter{kind: "idle"} })
			}
		}
	}
	for b, h := range m.Homes {
		up := m.tree.Parent(h)
		home := w.home[b]
		become := func(x houses) func(*world) {
			return func(c *world) { x.queue = c.home[b].queue; c.home[b] = x }
		}
		switch {
		case home.state == "shared" && len(home.queue) > 0:
			x := home.queue[0]
			begin := func(c *world) {
				c.home[b].queue = c.home[b].queue[1:]
				if x != h {
					c.copies[[2]int{h, b}] = ""
				}
			}
			if home.dist == 0 {
				add(same(), begin, become(houses{state: "answers", who: x}))
			} else {
				add(m.sends(w, h, map[int]letter{up: {"invalidate", b, x, home.dist}}), begin, become(houses{state: "collects", who: x}))
			}
		case home.state == "shared" && m.Resharing:
			for r := range m.tree.Clusters() {
				if p, writer := w.phase[r]; w.copies[[2]int{r, b}] != "" || writer && p.kind != "idle" {
					continue
				}
				if r == h {
					add(same(), func(c *world) { c.copies[[2]int{r, b}] = "shared" })
					continue
				}
				add(m.sends(w, h, map[int]letter{up: {kind: "data", block: b, who: r}}), func(c *world) { c.copies[[2]int{r, b}] = "coming" },
					become(houses{state: "shared", dist: max(home.dist, m.tree.Distance(h, r))}))
			}
		case home.state == "answers":
			then := houses{state: "owned", who: home.who}
			if m.Reopened {
				then = houses{state: "shared", dist: m.tree.Distance(h, home.who)}
			}
			if home.who == h {
				add(same(), become(then), m.told(h, b))
				continue
			}
			add(m.sends(w, h, map[int]letter{up: {kind: "reply", block: b, who: home.who}}), become(then))
		}
	}
	for k := range w.owed {
		add(m.sends(w, k[0], map[int]letter{m.tree.Parent(k[0]): {kind: "ack", block: k[1]}}), func(c *world) { delete(c.owed, k) })
	}
	for k, q := range w.links {
		switch {
		case len(q) > 0 && m.Copies && q[0].kind == "invalidate" && !m.tree.IsCluster(k[1]):
			m.copy(w, k, q[0], add)
		case len(q) > 0:
			base := w.clone()
			base.links[k] = base.links[k][1:]
			m.arrive(base, k[0], k[1], q[0], add)
		}
	}
	m.moves(w, add)
	if m.Variant == "defer" {
		for k, e := range w.buffer {
			if len(e.later) > 0 && !e.sent {
				to := m.tree.Next(k[0], m.Homes[k[1]])
				add(m.emits(w, k[0], map[int]letter{to: {kind: "request", block: k[1], who: e.later[0]}}), func(c *world) {
					e.sent = true
					c.buffer[k] = e
				})
			}
		}
	}
	return all
}

// place is the place before or behind the unit of a switch for a neighbour.
func (m brute) place(side, s, neighbour int) [3]int {
	if m.Unit == "one-place" {
		neighbour = -1
	}
	return [3]int{side, s, neighbour}
}

// emits is sends for the unit of a switch.
func (m brute) emits(w world, s int, letters map[int]letter) *world {
	if m.Unit == "merged" {
		return m.sends(w, s, letters)
	}
	c := w.clone()
	for to, l := range letters {
		k := m.place(1, s, to)
		if _, full := c.units[k]; full {
			return nil
		}
		c.units[k] = l
	}
	return &c
}

// enters passes a letter from a neighbour to the unit of a switch, or lets the unit process
// it.
func (m brute) enters(w world, from, s int, l letter, add func(*world, ...func(*world))) {
	if m.Unit == "merged" {
		m.combine(w, s, l, add)
		return
	}
	k := m.place(0, s, from)
	if _, full := w.units[k]; !full {
		add(&w, func(c *world) { c.units[k] = l })
	}
}

// multicast returns what an invalidate from a neighbour becomes at a switch, by
// neighbour, and whether the switch is the root of the sharing area.
func (m brute) multicast(from, n int, l letter) (out map[int]letter, root bool) {
	root = m.tree.Below(m.Homes[l.block], n) && m.tree.Height(n) == l.dist
	out = map[int]letter{}
	for _, to := range m.tree.Neighbours(n) {
		switch {
		case to == from || root && to == m.tree.Parent(n):
		case to == m.tree.Parent(n):
			out[to] = l
		default:
			out[to] = letter{kind: "invalidate", block: l.block, who: l.who}
		}
	}
	return out, root
}

// copy delivers one copy of an invalidate at the head of a link to a switch.
func (m brute) copy(w world, k [2]int, l letter, add func(*world, ...func(*world))) {
	from, n := k[0], k[1]
	out, root := m.multicast(from, n, l)
	const unit = -1
	if root {
		out[unit] = letter{kind: "ack", block: l.block}
	}
	for to, x := range out {
		if w.given[[3]int{from, n, to}] {
			continue
		}
		note := func(c *world) {
			c.given[[3]int{from, n, to}] = true
			for other := range out {
				if !c.given[[3]int{from, n, other}] {
					return
				}
			}
			c.links[k] = c.links[k][1:]
			for other := range out {
				delete(c.given, [3]int{from, n, other})
			}
		}
		if to == unit {
			m.enters(w.clone(), from, n, x, func(c *world, changes ...func(*world)) { add(c, append(changes, note)...) })
			continue
		}
		add(m.sends(w, n, map[int]letter{to: x}), note)
	}
}

// moves adds the steps of separate units.
func (m brute) moves(w world, add func(*world, ...func(*world))) {
	for k, l := range w.units {
		base := w.clone()
		delete(base.units, k)
		if k[0] == 0 {
			m.combine(base, k[1], l, add)
			continue
		}
		to := m.Homes[l.block]
		if l.kind == "reply" || l.kind == "returned" {
			to = l.who
		}
		add(m.sends(base, k[1], map[int]letter{m.tree.Next(k[1], to): l}))
	}
}

func (m brute) told(x, b int) func(*world) {
	return func(c *world) { c.phase[x], c.copies[[2]int{x, b}] = letter{kind: "writes", block: b}, "shared" }
}

// arrive adds the effects of a letter that has just left a link.
func (m brute) arrive(w world, from, n int, l letter, add func(*world, ...func(*world))) {
	h, here := m.Homes[l.block], [2]int{n, l.block}
	if m.tree.IsCluster(n) {
		switch l.kind {
		case "request":
			add(&w, func(c *world) { m.enqueue(&c.home[l.block], l.who) })
		case "ack":
			add(&w, func(c *world) {
				if c.home[l.block].state == "collects" {
					c.home[l.block].state = "answers"
				}
			})
		case "done":
			add(&w, func(c *world) {
				if x := c.home[l.block]; x.state == "owned" {
					c.home[l.block] = houses{state: "shared", dist: m.tree.Distance(h, x.who), queue: x.queue}
				}
			})
		case "invalidate":
			drop := func(c *world) {
				if n != l.who {
					c.copies[here] = ""
					if m.Variant == "repeat" && n != h && c.phase[n] == (letter{kind: "waits", block: l.block}) {
						c.phase[n] = letter{kind: "again", block: l.block}
					}
				}
			}
			if m.Owed {
				add(&w, drop, func(c *world) { c.owed[here] = true })
				return
			}
			add(m.sends(w, n, map[int]letter{from: {kind: "ack", block: l.block}}), drop)
		case "reply":
			add(&w, m.told(n, l.block))
		case "returned":
			add(&w, func(c *world) { c.phase[n] = letter{kind: "again", block: l.block} })
		case "data":
			add(&w, func(c *world) { c.copies[here] = "shared" })
		}
		return
	}
	on := func(cluster int) map[int]letter { return map[int]letter{m.tree.Next(n, cluster): l} }
	switch l.kind {
	case "invalidate":
		out, root := m.multicast(from, n, l)
		sent := m.sends(w, n, out)
		if sent != nil && root {
			m.first(*sent, from, n, l.block, add)
			return
		}
		add(sent)
	case "done":
		add(m.sends(w, n, on(h)))
	case "data":
		add(m.sends(w, n, on(l.who)))
	default:
		m.enters(w, from, n, l, add)
	}
}

// first records the dummy Ack together with the invalidates.
func (m brute) first(w world, from, n, b int, add func(*world, ...func(*world))) {
	if m.Unit != "merged" {
		m.enters(w, from, n, letter{kind: "ack", block: b}, add)
		return
	}
	e := w.buffer[[2]int{n, b}]
	if e.acks = 1; m.Variant == "literal" {
		e.request = false
	}
	add(&w, func(c *world) { c.buffer[[2]int{n, b}] = e })
}

// combine adds the effects of a letter in the unit of a switch.
func (m brute) combine(w world, n int, l letter, add func(*world, ...func(*world))) {
	h, here := m.Homes[l.block], [2]int{n, l.block}
	e := w.buffer[here]
	keep := func(e record) func(*world) { return func(c *world) { c.buffer[here] = e } }
	literal := m.Variant == "literal"
	on := func(cluster int) map[int]letter { return map[int]letter{m.tree.Next(n, cluster): l} }
	switch l.kind {
	case "request":
		switch {
		case m.Variant == "defer":
			e.later = append(slices.Clone(e.later), l.who)
			add(&w, keep(e))
		case !e.request:
			if e.request = true; literal {
				e.acks = 0
			}
			add(m.emits(w, n, on(h)), keep(e))
		case m.Variant == "return":
			add(m.emits(w, n, map[int]letter{m.tree.Next(n, l.who): {kind: "returned", block: l.block, who: l.who}}))
		default:
			add(&w)
		}
	case "ack":
		if literal {
			e.request = false
		}
		if e.acks++; e.acks < m.FanOut {
			add(&w, keep(e))
			return
		}
		e.acks = 0
		add(m.emits(w, n, on(h)), keep(e))
	case "reply", "returned":
		if m.Variant == "defer" {
			if e.sent && e.later[0] == l.who {
				e.later, e.sent = e.later[1:], false
			}
		} else if e.request = false; literal {
			e.acks = 0
		}
		add(m.emits(w, n, on(l.who)), keep(e))
	}
}

// key writes everything in a world that is not empty.
func (w world) key() string {
	c := w.clone()
	for k, v := range c.links {
		if len(v) == 0 {
			delete(c.links, k)
		}
	}
	for k, v := range c.buffer {
		if !v.request && v.acks == 0 && len(v.later) == 0 {
			delete(c.buffer, k)
		}
	}
	return fmt.Sprint(c)
}

func (m brute) explore(most int) (states, steps int64, broken bool) {
	seen := map[string]bool{}
	var all []world
	reach := func(w world) {
		if k := w.key(); !seen[k] {
			seen[k] = true
			all = append(all, w)
		}
	}
	reach(m.start())
	for i := 0; i < len(all) && i < most; i++ {
		for c, who := range all[i].phase {
			if who.kind == "writes" {
				for o := range m.tree.Clusters() {
					broken = broken || o != c && all[i].copies[[2]int{o, who.block}] != ""
				}
			}
		}
		for _, w := range m.next(all[i]) {
			steps++
			reach(w)
		}
	}
	return int64(len(all)), steps, broken
}

// TestBruteForce: on small machines, of the catalogue and random, the program has the same
// states and steps as the plain implementation.
func TestBruteForce(t *testing.T) {
	number, large := 0, 0
	compare := func(t interface{ Errorf(string, ...any) }, o InvalidateOptions, most int) {
		o = o.complete()
		tree, err := combining.NewTree(o.FanOut, o.Depth)
		if err != nil {
			t.Errorf("%v", err)
			return
		}
		states, steps, broken := brute{o, tree}.explore(most)
		if states > int64(most) {
			large++
			return
		}
		x := searched(t, o, checker.Question{Explore: checker.Whole})
		if x == nil || x.States != states || x.Transitions != steps || broken != broke(x, "no copy beside a writer") {
			t.Errorf("%+v: %+v, by brute force %d states and %d steps, broken %v", o, x, states, steps, broken)
		}
	}
	sampled := func(o InvalidateOptions, most int) {
		if number++; seedtest.Sampled(number, 6) {
			compare(t, o, most)
		}
	}
	for _, v := range mended {
		sampled(InvalidateOptions{FanOut: 2, Depth: 2, Homes: []int{0}, Writers: []int{1, 3}, Link: 2, Entries: 1, Resharing: true, Variant: v}, 5000)
		sampled(InvalidateOptions{FanOut: 2, Depth: 1, Homes: []int{0, 1}, Writers: []int{0, 1}, Link: 2, Entries: 1, Variant: v}, 5000)
	}
	for _, u := range units {
		o := paper("literal")
		o.Unit, o.Resharing, o.Copies = u, false, u == "one-place"
		sampled(o, 20_000)
		sampled(InvalidateOptions{FanOut: 2, Depth: 1, Homes: []int{0, 1}, Writers: []int{0}, Link: 1, Entries: 1,
			Owed: true, Copies: true, Unit: u, Variant: "defer"}, 5000)
	}
	if large > 1 {
		t.Errorf("%d machines are too large", large)
	}
	seedtest.Few(2, func() {
		rapid.Check(t, func(t *rapid.T) {
			cluster := rapid.IntRange(0, 3)
			writers := rapid.SliceOfNDistinct(cluster, 1, 3, rapid.ID).Draw(t, "writers")
			slices.Sort(writers)
			o := InvalidateOptions{
				FanOut: 2, Depth: 2, Homes: rapid.SliceOfN(cluster, 1, 1).Draw(t, "homes"), Writers: writers,
				Link: rapid.IntRange(1, 2).Draw(t, "link"), Entries: 1, Resharing: rapid.Bool().Draw(t, "resharing"),
				Owed: rapid.Bool().Draw(t, "owed"), Reopened: rapid.Bool().Draw(t, "reopened"),
				Copies: rapid.Bool().Draw(t, "copies"), Unit: rapid.SampledFrom(units).Draw(t, "unit"), Merging: rapid.Bool().Draw(t, "merging"),
				Variant: rapid.SampledFrom(mended).Draw(t, "variant"),
			}
			if rapid.Bool().Draw(t, "flat") {
				o.FanOut, o.Depth = 4, 1
			}
			compare(t, o, 600)
		})
	})
}
