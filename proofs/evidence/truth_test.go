package evidence_test

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/proofs/evidence"
	"github.com/seed-105a2da2/unknot/proofs/machines"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
)

// What is true of a small machine, by plain search: all states, all steps, and the
// definitions of the properties. No evidence that contradicts it may be accepted. It
// shares only the reference step with the checks: nothing that tells stuck from
// waiting, lost from under way, or fair from unfair.

// space is a machine with its reachable states, numbered in the order met.
type space struct {
	m      states.Machine
	states [][]uint64
	number map[string]int
	next   [][]step
}

type step struct{ action, to int }

// spaceOf returns nil if there are more than a given number of states, or if a step is
// refused.
func spaceOf(m states.Machine, from []uint64, most int) *space {
	g := &space{m: m, number: map[string]int{}}
	words := m.Layout().Words()
	add := func(s []uint64) int {
		key := fmt.Sprint(s)
		i, seen := g.number[key]
		if !seen {
			i = len(g.states)
			g.number[key], g.states = i, append(g.states, s)
		}
		return i
	}
	for s := range slices.Chunk(from, words) {
		add(s)
	}
	for i := 0; i < len(g.states); i++ {
		next, err := m.AppendSuccessors(nil, g.states[i])
		if err != nil || len(g.states) > most {
			return nil
		}
		var steps []step
		for s := range slices.Chunk(next, words) {
			steps = append(steps, step{m.Action(g.states[i], len(steps)).Number, add(s)})
		}
		g.next = append(g.next, steps)
	}
	return g
}

// to returns the states from which some chosen step can be reached.
func (g *space) to(chosen func(from, k int) bool) []bool {
	before := make([][]int, len(g.states))
	found := make([]bool, len(g.states))
	var queue []int
	for s, steps := range g.next {
		for k, e := range steps {
			before[e.to] = append(before[e.to], s)
			if !found[s] && chosen(s, k) {
				found[s], queue = true, append(queue, s)
			}
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, s := range before[at] {
			if !found[s] {
				found[s], queue = true, append(queue, s)
			}
		}
	}
	return found
}

// claims returns what is claimed of the machine.
func (g *space) claims() (c states.Claims) {
	if m, ok := g.m.(states.Claimer); ok {
		c = m.Claims()
	}
	return c
}

// violated reports whether a property of the states is violated; ok is false if the
// property is not known here.
func (g *space) violated(property string) (violated, ok bool) {
	traffic, network := g.m.(*states.Traffic)
	claims := g.claims()
	for _, v := range claims.Responses {
		if v.Name == property {
			return g.unanswered(v, claims), true
		}
	}
	for _, v := range claims.Invariants {
		if v.Name == property {
			return slices.ContainsFunc(g.states, v.Broken), true
		}
	}
	switch {
	case property == states.InRange:
		return false, true // otherwise there would be no space
	case network && property == "starvation-freedom":
		return slices.ContainsFunc(claims.Responses, func(v states.Response) bool { return g.unanswered(v, claims) }), true
	case network && property == spec.DeadlockFreedom.String():
		return g.stuck(traffic)
	case network && property == spec.Delivery.String():
		return g.lost(traffic), true
	case property == spec.DeadlockFreedom.String():
		for i, steps := range g.next {
			if len(steps) == 0 && (claims.Final == nil || !claims.Final(g.states[i])) {
				return true, true
			}
		}
		return false, true
	}
	return false, false
}

// stuck reports whether something is in a channel that it never leaves, whatever
// happens. That is not known here for networks with dead ends, whose packets count as
// discarded.
func (g *space) stuck(t *states.Traffic) (is, ok bool) {
	pieces := make([][]int, len(g.states)) // by state and channel
	for i, s := range g.states {
		for c, in := range t.Decode(s).Channels {
			pieces[i] = append(pieces[i], len(in))
			for _, p := range in {
				if hops, _ := t.Network().Hops(spec.Site{Channel: spec.ChannelID(c), Header: p.Header}); len(hops) == 0 {
					return false, false
				}
			}
		}
	}
	for c := range t.Network().Topology().Channels() {
		moves := g.to(func(s, k int) bool { return pieces[g.next[s][k].to][c] < pieces[s][c] })
		for i := range g.states {
			if pieces[i][c] > 0 && !moves[i] {
				return true, true
			}
		}
	}
	return false, true
}

// lost reports whether some packet of a state can no longer arrive or may leave the
// network elsewhere, or a source that may send has no first hop into a channel.
func (g *space) lost(t *states.Traffic) bool {
	n := t.Network()
	for _, source := range sources(n) {
		hops, _ := n.Hops(source)
		_, _, sends := t.Quota(spec.Flow{Source: n.Topology().Head(source.Channel), Target: spec.Target{Dest: source.Header.Dest, Class: source.Header.Class}})
		if sends && (len(hops) == 0 || slices.ContainsFunc(hops, ejects)) {
			return true
		}
	}
	for _, s := range g.states {
		for c, in := range t.Decode(s).Channels {
			for _, p := range in {
				if astray(n, spec.Site{Channel: spec.ChannelID(c), Header: p.Header}) {
					return true
				}
			}
		}
	}
	return false
}

// kept returns the steps by which a response stays pending and unanswered.
func (g *space) kept(v states.Response) func(s, k int) bool {
	return func(s, k int) bool {
		after := g.states[g.next[s][k].to]
		return v.Pending(g.states[s]) && v.Pending(after) && (v.Answered == nil || !v.Answered(g.states[s], k, after))
	}
}

// unanswered reports whether a response may stay pending and unanswered forever under
// fairness: at rest, or round and round in a component of the states in which each fair
// action is taken, or is impossible somewhere, and each strongly fair one is taken, or
// is impossible everywhere; the latter may hold for what is left of a component without
// the states in which such an action is possible.
func (g *space) unanswered(v states.Response, claims states.Claims) bool {
	for s := range g.states {
		if v.Pending(g.states[s]) && !slices.ContainsFunc(g.next[s], func(e step) bool { return claims.IsFair(e.action) }) {
			return true
		}
	}
	return g.goesRoundIn(v, claims, func(int) bool { return true })
}

// goesRoundIn reports whether a run can stay within some states.
func (g *space) goesRoundIn(v states.Response, claims states.Claims, among func(s int) bool) bool {
	kept := func(s, k int) bool { return among(s) && among(g.next[s][k].to) && g.kept(v)(s, k) }
	for _, in := range components(len(g.states), func(s int, f func(int)) {
		for k, e := range g.next[s] {
			if kept(s, k) {
				f(e.to)
			}
		}
	}) {
		within := map[int]bool{}
		for _, s := range in {
			within[s] = true
		}
		taken, possible := map[int]bool{}, map[int]int{}
		for _, s := range in {
			here := map[int]bool{}
			for k, e := range g.next[s] {
				here[e.action] = true
				if within[e.to] && kept(s, k) {
					taken[e.action] = true
				}
			}
			for a := range here {
				possible[a]++
			}
		}
		neglected, strong := false, -1
		for a, times := range possible {
			neglected = neglected || claims.IsFair(a) && times == len(in) && !taken[a]
			if claims.Strong[a] && !taken[a] {
				strong = a
			}
		}
		switch {
		case len(taken) == 0 || neglected:
		case strong < 0:
			return true
		case g.goesRoundIn(v, claims, func(s int) bool {
			return within[s] && !slices.ContainsFunc(g.next[s], func(e step) bool { return e.action == strong })
		}):
			return true
		}
	}
	return false
}

// components returns the strongly connected components (Kosaraju, Sharir 1981).
func components(n int, next func(v int, f func(to int))) [][]int {
	before := make([][]int, n)
	order, seen := []int(nil), make([]bool, n)
	var visit func(int)
	visit = func(v int) {
		seen[v] = true
		next(v, func(to int) {
			before[to] = append(before[to], v)
			if !seen[to] {
				visit(to)
			}
		})
		order = append(order, v)
	}
	for v := range n {
		if !seen[v] {
			visit(v)
		}
	}
	var all [][]int
	done := make([]bool, n)
	for _, root := range slices.Backward(order) {
		var in []int
		for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
			if v := queue[0]; !done[v] {
				done[v], in, queue = true, append(in, v), append(queue, before[v]...)
			}
		}
		if len(in) > 0 {
			all = append(all, in)
		}
	}
	return all
}

func ejects(h spec.Hop) bool { return h.Channel == spec.Eject }

// sources are the sites at which packets begin.
func sources(n *spec.Network) []spec.Site {
	var all []spec.Site
	for i := range n.Tables() {
		table := n.Table(i)
		for _, s := range table.Sources {
			all = append(all, spec.Site{Channel: spec.Injection(s.Node), Header: spec.Header{Dest: table.Dest, Class: table.Class}})
		}
	}
	return all
}

// ahead returns the sites that a packet may come to, its own first, and the hops of each.
func ahead(n *spec.Network, from spec.Site) (sites []spec.Site, hops [][]spec.Hop) {
	sites = []spec.Site{from}
	for i := 0; i < len(sites); i++ {
		row, _ := n.Hops(sites[i])
		hops = append(hops, row)
		for _, h := range row {
			to := spec.Site{Channel: h.Channel, Header: from.Header}
			to.Header.Tag = h.Tag
			if !ejects(h) && !slices.Contains(sites, to) {
				sites = append(sites, to)
			}
		}
	}
	return sites, hops
}

// astray reports whether a packet at a site cannot arrive, or may leave the network elsewhere.
func astray(n *spec.Network, at spec.Site) bool {
	home := false
	sites, hops := ahead(n, at)
	for i, s := range sites {
		arrives := n.Topology().Head(s.Channel) == at.Header.Dest
		if out := slices.ContainsFunc(hops[i], ejects); out && i == 0 && !arrives {
			return true
		} else if out && arrives {
			home = true
		}
	}
	return !home
}

// violates reports whether the routing tables of a network violate what is shown of
// single packets, or have cyclic dependencies; ok is false if the property is neither.
func violates(n *spec.Network, shown evidence.Shown) (violated, ok bool) {
	property := shown.Property
	if n == nil || shown.Under != nil {
		return false, false
	}
	switch property {
	case spec.LivelockFreedom.String(), answers.Acyclic, spec.Delivery.String():
	default:
		return false, false
	}
	depends := map[spec.ChannelID][]spec.ChannelID{}
	for _, source := range sources(n) {
		sites, hops := ahead(n, source)
		if len(hops[0]) == 0 && property == spec.Delivery.String() {
			return true, true
		}
		number := map[spec.Site]int{}
		for i, s := range sites {
			number[s] = i
			if property == spec.Delivery.String() && astray(n, s) {
				return true, true
			}
			for _, h := range hops[i] {
				if !ejects(h) && i > 0 {
					depends[s.Channel] = append(depends[s.Channel], h.Channel)
				}
			}
		}
		cyclic := len(components(len(sites), func(v int, f func(int)) {
			for _, h := range hops[v] {
				if !ejects(h) {
					to := spec.Site{Channel: h.Channel, Header: source.Header}
					to.Header.Tag = h.Tag
					f(number[to])
				}
			}
		})) < len(sites)
		if cyclic && property == spec.LivelockFreedom.String() {
			return true, true
		}
	}
	channels := n.Topology().Channels()
	return property == answers.Acyclic && len(components(channels, func(v int, f func(int)) {
		for _, c := range depends[spec.ChannelID(v)] {
			f(int(c))
		}
	})) < channels, true
}

// count returns the number of states and steps, for a property.
func (g *space) count(property string) *machines.Count {
	c := &machines.Count{Machine: g.m.Name(), Property: property, States: int64(len(g.states))}
	for i, s := range g.states {
		c.Digest.Add(s)
		c.Transitions += int64(len(g.next[i]))
	}
	return c
}

// replays takes a trace through the machine of its scenario by the list of moves that
// each state permits. What is claimed to be stuck at the end stays where it is,
// whatever happens then.
func (g *space) replays(x *counterexamples.Trace) error {
	t := g.m.(*states.Traffic)
	words := t.Layout().Words()
	s := t.Start(nil)
	for i, m := range x.Moves {
		k := slices.Index(t.Moves(t.Decode(s)), m)
		next, err := t.AppendSuccessors(nil, s)
		if k < 0 || err != nil {
			return fmt.Errorf("move %d is not among those that are possible: %w", i+1, err)
		}
		s = next[k*words : (k+1)*words]
	}
	if x.Fault != counterexamples.Deadlock {
		return nil
	}
	at := t.Decode(s)
	for _, m := range t.Moves(at) {
		if injects := m.Kind == spec.Advance && m.From.IsInjection(); x.Notion == counterexamples.Global || x.Notion == counterexamples.Weak && !injects {
			return fmt.Errorf("a %s deadlock, but %s is possible", x.Notion, t.Describe(m))
		}
	}
	after := spaceOf(t, s, mostStates) // no more than all states
	for _, c := range x.Stuck {
		for _, s := range after.states {
			if have := len(t.Decode(s).Channels[c]); have < max(1, len(at.Channels[c])) {
				return fmt.Errorf("channel %d has %d packets in %s", c, have, t.Layout().Text(s))
			}
		}
	}
	return nil
}
