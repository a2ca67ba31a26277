package bruteforcetest

import (
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Every state of a network in which nodes send whatever they like, at any time. A packet at a dead end is discarded,
// and a worm that leaves is gone at once: both give room only, so every other packet can do what it could.

// state is what is in a network: whole packets, or worms.
type state struct {
	queues [][]step   // of whole packets, by place, the first to leave first
	worms  []crawling // in the order of their heads
	kept   []step     // requests that request buffers have taken and not answered, ascending
}

// crawling is a worm: its way, tail first.
type crawling struct {
	way   []step
	whole bool // none of it is at its source any more
}

// event is what may happen next, and the place that the head of a packet leaves by it; -1: none.
type event struct {
	after state
	left  int
}

func (s state) key() string {
	var b []byte
	row := func(sites []step) {
		b = append(b, byte(len(sites)))
		for _, i := range sites {
			b = append(b, byte(i), byte(i>>8))
		}
	}
	for _, q := range s.queues {
		row(q)
	}
	for _, w := range s.worms {
		row(w.way)
		b = append(b, 0)
		if w.whole {
			b[len(b)-1] = 1
		}
	}
	row(s.kept)
	return string(b)
}

func (s state) copy() state {
	c := state{slices.Clone(s.queues), slices.Clone(s.worms), slices.Clone(s.kept)}
	for i := range c.queues {
		c.queues[i] = slices.Clone(c.queues[i])
	}
	return c
}

// head is a packet that may go on.
type head struct {
	at   step
	worm int // its number, or -1
}

// heads returns the packets that are first in their places.
func (x *packets) heads(s state) (all []head) {
	for _, q := range s.queues {
		if len(q) > 0 {
			all = append(all, head{q[0], -1})
		}
	}
	for i, w := range s.worms {
		all = append(all, head{w.way[len(w.way)-1], i})
	}
	return all
}

// room reports whether a packet may enter a place.
func (x *packets) room(s state, place int) bool {
	if x.n.switching != spec.Wormhole {
		return len(s.queues[place]) < x.n.buffer
	}
	return x.holder(s, place) < 0
}

// holder returns the number of the worm in a place.
func (x *packets) holder(s state, place int) int {
	return slices.IndexFunc(s.worms, func(w crawling) bool {
		return slices.ContainsFunc(w.way, func(i step) bool { return x.sites[i].place == place })
	})
}

// events lists what may happen in a state.
func (x *packets) events(s state) (all []event) {
	add := func(left int, change func(after *state)) {
		after := s.copy()
		change(&after)
		slices.Sort(after.kept)
		slices.SortFunc(after.worms, func(a, b crawling) int { return int(a.way[len(a.way)-1] - b.way[len(b.way)-1]) })
		all = append(all, event{after, left})
	}
	// enter puts a packet that is nowhere into the network.
	enter := func(steps []step, take func(after *state)) {
		for _, to := range steps {
			if to >= 0 && !x.sites[to].kept() && x.room(s, x.sites[to].place) {
				add(-1, func(after *state) {
					take(after)
					if x.n.switching == spec.Wormhole {
						after.worms = append(after.worms, crawling{way: []step{to}})
					} else {
						place := x.sites[to].place
						after.queues[place] = append(after.queues[place], to)
					}
				})
			}
		}
	}
	for i, plan := range x.of {
		if x.mayBegin(s, x.plans[plan]) {
			enter(x.begins[i], func(*state) {})
		}
	}
	for i, at := range s.kept {
		enter(x.steps[at], func(after *state) { after.kept = slices.Delete(after.kept, i, i+1) })
	}
	for _, h := range x.heads(s) {
		place := x.sites[h.at].place
		remove := func(after *state) {
			if h.worm < 0 {
				after.queues[place] = after.queues[place][1:]
			} else {
				after.worms = slices.Delete(after.worms, h.worm, h.worm+1)
			}
		}
		if len(x.steps[h.at]) == 0 {
			add(place, remove)
		}
		for _, to := range x.steps[h.at] {
			switch {
			case to < 0:
				add(place, remove)
			case x.sites[to].kept():
				add(place, func(after *state) {
					remove(after)
					after.kept = append(after.kept, to)
				})
			case x.room(s, x.sites[to].place):
				add(place, func(after *state) {
					if h.worm < 0 {
						remove(after)
						after.queues[x.sites[to].place] = append(after.queues[x.sites[to].place], to)
						return
					}
					w := &after.worms[h.worm]
					w.way = append(slices.Clone(w.way), to)
					if w.whole {
						w.way = w.way[1:]
					}
				})
			}
		}
	}
	for i, w := range s.worms {
		if !w.whole {
			add(-1, func(after *state) { after.worms[i].whole = true })
		}
	}
	return all
}

// mayBegin reports whether the source of a transaction may send its first message: whether it has few enough outstanding.
func (x *packets) mayBegin(s state, p plan) bool {
	window := x.n.window(p.messages[0].class)
	if window == 0 {
		return true
	}
	open := 0
	for _, sites := range append(append(slices.Clone(s.queues), s.kept), s.tails()...) {
		for _, i := range sites {
			if x.sites[i].counts && x.sites[i].source == p.source {
				open++
			}
		}
	}
	return open < window
}

// tails returns a site of each worm.
func (s state) tails() (all [][]step) {
	for _, w := range s.worms {
		all = append(all, w.way[:1])
	}
	return all
}

// standstill reports whether some packets of a state wait for each other alone: the others are taken away, over and over.
func (x *packets) standstill(s state) bool {
	heads := x.heads(s)
	moves := func(h head) bool {
		return x.waits(int(h.at)) == nil || slices.ContainsFunc(x.waits(int(h.at)), func(place int) bool {
			return x.room(s, place) || !slices.ContainsFunc(heads, func(g head) bool {
				if g.worm >= 0 {
					return x.holder(s, place) == g.worm
				}
				return x.sites[g.at].place == place
			})
		})
	}
	for {
		i := slices.IndexFunc(heads, moves)
		if i < 0 {
			return len(heads) > 0
		}
		heads = slices.Delete(heads, i, i+1)
	}
}

// deadlocks visits the states breadth first, up to a standstill. It reports whether in one of them a packet can
// never move again; known is false if there are more than most.
func (x *packets) deadlocks(most int) (found, known bool) {
	start := state{}
	if x.n.switching != spec.Wormhole {
		start.queues = make([][]step, x.spaces())
	}
	number := map[string]int{start.key(): 0}
	all := []state{start}
	type arrow struct{ to, left int }
	var arrows [][]arrow
	for i := 0; i < len(all); i++ {
		if x.standstill(all[i]) {
			return true, true
		}
		var out []arrow
		for _, e := range x.events(all[i]) {
			k := e.after.key()
			to, met := number[k]
			if !met {
				if to = len(all); to == most {
					return false, false
				}
				number[k] = to
				all = append(all, e.after)
			}
			out = append(out, arrow{to, e.left})
		}
		arrows = append(arrows, out)
	}
	moves := make([]uint64, len(all)) // by state: the places that their heads can leave, sooner or later
	for again := true; again; {
		again = false
		for i, out := range slices.Backward(arrows) {
			for _, a := range out {
				m := moves[i] | moves[a.to]
				if a.left >= 0 {
					m |= 1 << a.left
				}
				again = again || m != moves[i]
				moves[i] = m
			}
		}
	}
	for i, s := range all {
		for _, h := range x.heads(s) {
			found = found || moves[i]>>x.sites[h.at].place&1 == 0
		}
	}
	return found, true
}
