package change

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/counterexamples"
	"github.com/seed-105a2da2/unknot/proofs/changes"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/states"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

// Traces that show a fault whatever the order.
//
// A mixture says where packets would be stuck. They are brought there in two phases, before the first router is
// rewritten and after the last one: between the two nothing moves, so the order of the rewriting makes no difference.
// Packets are placed as in package static, the last one first: each in turn is taken out on a way that the packets
// still there leave free. The packets that cannot be taken out of the second phase are those that old tables have
// brought.

// phases are before and after the routers of a round are rewritten.
const (
	early = iota
	late
	phases
)

// either stands for any phase, and for any table that a packet follows: 0 is the old one, 1 the new one.
const either = -1

// goal is a packet that is to stand in a channel.
type goal struct {
	c       spec.ChannelID
	header  spec.Header // of the old class
	follows int
	phase   int // in which it is there; either if that does not matter
}

// ways finds ways of packets through a round in two phases.
type ways struct {
	u     *search
	phase []int // by router: 0 is rewritten in a later round, 1 in this one, 2 before
}

func (u *search) ways(r changes.Round) *ways {
	w := &ways{u, make([]int, u.p.Network().Topology().Nodes())}
	for _, v := range r.Before {
		w.phase[v] = 2
	}
	for _, v := range r.Now {
		w.phase[v] = 1
	}
	return w
}

// inForce returns the table of a router in a phase.
func (w *ways) inForce(v spec.NodeID, phase int) int {
	if w.phase[v] == 2 || w.phase[v] == 1 && phase == late {
		return 1
	}
	return 0
}

// leg is a hop of a packet, with the phase in which it takes it. Its header has the class of the table that it follows.
type leg struct {
	move  spec.Move
	phase int
}

// place is where a packet is: at a site, in a phase, following a table.
type place struct {
	site, phase, follows int // site -1-k is that of source k
}

// shortest returns a shortest way from a source to a place that is a goal, which may begin in any of some phases. A
// packet enters a channel only if free accepts it, and waits for the rewriting only where parks accepts it.
func (w *ways) shortest(
	old *spec.Table, begin []int, parks func(c spec.ChannelID) bool,
	free func(c spec.ChannelID, phase int) bool, is func(place) bool,
) (way []leg) {
	n := w.u.p.Network()
	topo, tables := n.Topology(), [2]*spec.Table{old, w.u.renewed(old)}
	walk := relation.NewWalk(n)
	walk.Load(old)
	type step struct {
		by    leg
		waits bool // for the rewriting, instead of a leg
	}
	var from []place
	for k, s := range old.Sources {
		for _, phase := range begin {
			from = append(from, place{-1 - k, phase, w.inForce(s.Node, phase)})
		}
	}
	_, steps := bfs.Path(from, func(at place) bool { return at.site >= 0 && is(at) }, func(at place, visit func(step, place)) {
		t, site, row := tables[at.follows], spec.Site{}, spec.RowID(0)
		if at.site < 0 {
			site, row = t.SourceSite(-1-at.site), t.Sources[-1-at.site].Row
		} else {
			site, row = t.Site(at.site), t.Rows[at.site]
			if at.phase == early && parks(site.Channel) {
				next := place{at.site, late, at.follows}
				if !w.u.opt.Committed {
					next.follows = w.inForce(topo.Head(site.Channel), late)
				}
				visit(step{waits: true}, next)
			}
		}
		for _, h := range n.Row(row) {
			if h.Channel != spec.Eject && free(h.Channel, at.phase) {
				by := leg{spec.Move{From: site.Channel, Header: site.Header, Hop: h.Taken()}, at.phase}
				visit(step{by: by}, place{walk.SiteAfter(h), at.phase, w.inForce(topo.Head(h.Channel), at.phase)})
			}
		}
	})
	for _, s := range steps {
		if !s.waits {
			way = append(way, s.by)
		}
	}
	return way
}

// reaches returns whether a place is that of a goal.
func (w *ways) reaches(g goal, old *spec.Table) func(place) bool {
	k, ok := old.Find(g.c, g.header.Tag)
	return func(at place) bool {
		return ok && at.site == k &&
			(g.follows == either || g.follows == at.follows) && (g.phase == either || g.phase == at.phase)
	}
}

// bring returns steps that bring packets to goals, with all routers of the round rewritten in between, or nil.
func (w *ways) bring(r changes.Round, goals []goal) []changes.Step {
	if steps := w.bringBy(r, goals, false); steps != nil {
		return steps
	}
	return w.bringBy(r, goals, true)
}

func (w *ways) bringBy(r changes.Round, goals []goal, mixed bool) []changes.Step {
	held := map[spec.ChannelID]int{}
	for _, g := range goals {
		held[g.c]++
	}
	left := slices.Clone(goals)
	var steps [phases][][]leg
	// Takes packets out, the last one first, as long as one goes.
	takeOut := func(phase int, park bool) {
		for again := true; again; {
			again = false
			for i := 0; i < len(left); i++ {
				g := left[i]
				if g.phase == early && phase == late {
					continue // parked: it would be parked in turn wherever it comes from, without end
				}
				old := w.u.p.Network().TableOf(g.header.Target())
				free := func(c spec.ChannelID, at int) bool { return at != phase || c == g.c || held[c] == 0 }
				from, parks := []int{phase}, func(c spec.ChannelID) bool { return false }
				if park {
					from, parks = []int{early}, func(c spec.ChannelID) bool { return c != g.c && held[c] == 0 }
				}
				g.phase = phase
				way := w.shortest(old, from, parks, free, w.reaches(g, old))
				if way == nil {
					continue
				}
				held[g.c]--
				cut := slices.IndexFunc(way, func(l leg) bool { return l.phase == phase })
				if cut < 0 {
					held[g.c]++
					continue // it only waits there: that is of the first phase
				}
				steps[phase] = append(steps[phase], way[cut:])
				left = slices.Delete(left, i, i+1)
				if again = true; cut > 0 { // it waits there in the first phase
					h := way[cut].move.Header
					h.Class %= w.u.half
					parked := goal{way[cut].move.From, h, either, early}
					held[parked.c]++
					left = append(left, parked)
				}
				i--
			}
		}
	}
	takeOut(late, false)
	if mixed {
		takeOut(late, true)
	}
	takeOut(early, false)
	if len(left) > 0 {
		return nil
	}
	var all []changes.Step
	for phase := range phases {
		if phase == late {
			all = append(all, rewriting(r)...)
		}
		slices.Reverse(steps[phase])
		for _, way := range steps[phase] {
			for _, l := range way {
				all = append(all, changes.Step{Move: l.move})
			}
		}
	}
	return all
}

// blocked returns a trace to a deadlock of a round, in which the mixture n may be stuck, or nil.
func (u *search) blocked(
	ctx context.Context, r changes.Round, n *spec.Network, f *checker.Finding, mixture changes.Mixture,
) (*changes.Trace, error) {
	if t := f.Trace(); t != nil {
		goals, err := u.goals(ctx, n, t, mixture)
		if err != nil {
			return nil, err
		}
		if steps := u.ways(r).bring(r, goals); steps != nil {
			if t := u.ending(r, steps); t != nil {
				return t, nil
			}
		}
	}
	return u.explore(ctx, r)
}

// goals lists where the packets of a mixture's trace are in the end.
func (u *search) goals(ctx context.Context, n *spec.Network, t *counterexamples.Trace, mixture changes.Mixture) ([]goal, error) {
	_, s, err := counterexamples.End(ctx, n, t)
	if err != nil {
		return nil, err
	}
	var goals []goal
	for c, pieces := range s.Channels {
		for _, p := range pieces {
			g := goal{spec.ChannelID(c), p.Header, either, either}
			if mixture == changes.Committed {
				g.header.Tag, g.follows = p.Header.Tag/2, int(p.Header.Tag%2)
				if u.blocks(g, t.Stuck) {
					g.follows = either
				}
			}
			goals = append(goals, g)
		}
	}
	return goals, nil
}

// blocks reports whether a packet that waits for channels of a set does so by the other table as well.
func (u *search) blocks(g goal, stuck []spec.ChannelID) bool {
	h := g.header
	if g.follows == 0 {
		h.Class += u.half
	}
	hops, _ := u.p.Network().Hops(spec.Site{Channel: g.c, Header: h})
	return len(hops) > 0 && !slices.ContainsFunc(hops, func(h spec.Hop) bool { return !slices.Contains(stuck, h.Channel) })
}

// ending returns the trace with these steps, if its last state has a stuck set, and is replayed.
func (u *search) ending(r changes.Round, steps []changes.Step) *changes.Trace {
	run, err := u.p.Begin(u.traffic, r, u.opt.Manner)
	for i := 0; err == nil && i < len(steps); i++ {
		err = run.Step(steps[i])
	}
	if err != nil {
		return nil
	}
	t := &changes.Trace{Fault: changes.Deadlock, Steps: steps, Stuck: states.Stuck(u.traffic, run.Occupancy)}
	return u.replayed(r, t)
}

// replayed completes a trace, and returns it if it is one.
func (u *search) replayed(r changes.Round, t *changes.Trace) *changes.Trace {
	t.Network, t.Manner, t.Round = u.p.Network().Digest(), u.opt.Manner, r
	if changes.Replay(u.p.Network(), t) != nil {
		return nil
	}
	return t
}

// faulty returns the answer about a table that faults a packet.
func (u *search) faulty(r changes.Round, at *changes.RowError) part {
	old := at.Site.Header
	old.Class %= u.half
	x := part{because: findings.Say(findings.TableFaulty{By: at})}
	follows := int(at.Site.Header.Class / u.half)
	t := &changes.Trace{Fault: changes.DeadEnd, Site: at.Site}
	hops, _ := u.p.Network().Hops(at.Site)
	if len(hops) > 0 {
		t = &changes.Trace{Fault: changes.Misdelivery}
	}
	w := u.ways(r)
	for phase := range phases {
		steps := w.alone(r, goal{at.Site.Channel, old, follows, phase}, phase)
		if steps == nil {
			continue
		}
		if t.Steps = steps; t.Fault == changes.Misdelivery {
			leave := spec.Move{From: at.Site.Channel, Header: at.Site.Header, Hop: hops[0]}
			t.Steps = append(t.Steps, changes.Step{Move: leave})
		}
		if found := u.replayed(r, t); found != nil {
			return part{verdict: spec.Violated, trace: found, because: becauses[t.Fault]}
		}
	}
	return x
}

// alone returns steps that bring one packet to a goal in the given phase; empty but not nil if it is at its source. The
// routers are rewritten before it is injected, or while it waits; if the phase is the first one, not at all.
func (w *ways) alone(r changes.Round, g goal, phase int) []changes.Step {
	first := []changes.Step{}
	if phase == late {
		first = append(first, rewriting(r)...)
	}
	if g.c.IsInjection() {
		return first
	}
	anywhere := func(spec.ChannelID, int) bool { return true }
	old := w.u.p.Network().TableOf(g.header.Target())
	way := w.shortest(old, []int{early, late}, func(spec.ChannelID) bool { return phase == late }, anywhere, w.reaches(g, old))
	if way == nil {
		return nil
	}
	var steps []changes.Step
	done := false
	for _, l := range way {
		if l.phase == late && !done {
			steps, done = append(steps, first...), true
		}
		steps = append(steps, changes.Step{Move: l.move})
	}
	if !done {
		steps = append(steps, first...)
	}
	return steps
}

// single returns the trace of one packet to what a mixture's trace shows of a property, or nil. A packet that loops may
// still be able to arrive: it violates delivery only if it is in a trap.
func (u *search) single(
	whole changes.Round, n *spec.Network, f *checker.Finding, property spec.Property,
) *changes.Trace {
	of := f.Trace()
	if of == nil {
		return nil
	}
	r := whole
	if u.opt.Stalls && of.Fault == counterexamples.Loop {
		r.Now = u.renewing(r, of.Moves[of.Back:])
	}
	w, topo := u.ways(r), n.Topology()
	for phase := late; phase >= early; phase-- {
		var rest []spec.Move
		t := &changes.Trace{}
		var at spec.Site
		switch of.Fault {
		case counterexamples.Loop:
			t.Fault, rest = changes.Loop, of.Moves[of.Back:]
			at = spec.Site{Channel: rest[0].From, Header: rest[0].Header}
			if property == spec.Delivery {
				t.Fault, rest = changes.Trap, nil
			}
		case counterexamples.DeadEnd, counterexamples.Unrouted:
			t.Fault, at = changes.DeadEnd, of.Site
		case counterexamples.Trap:
			t.Fault, at = changes.Trap, of.Site
		case counterexamples.Misdelivery:
			last := of.Moves[len(of.Moves)-1]
			t.Fault, rest = changes.Misdelivery, of.Moves[len(of.Moves)-1:]
			at = spec.Site{Channel: last.From, Header: last.Header}
		}
		label := func(c spec.ChannelID, h spec.Header) spec.Header {
			if h.Class %= u.half; w.inForce(topo.Head(c), phase) == 1 {
				h.Class += u.half
			}
			return h
		}
		steps := w.alone(r, goal{at.Channel, at.Header, w.inForce(topo.Head(at.Channel), phase), phase}, phase)
		if steps == nil {
			continue
		}
		t.Back = len(steps)
		if t.Fault != changes.Loop {
			t.Back = 0
		}
		if t.Steps = steps; t.Fault == changes.DeadEnd || t.Fault == changes.Trap {
			t.Site = spec.Site{Channel: at.Channel, Header: label(at.Channel, at.Header)}
		}
		for _, m := range rest {
			m.Header = label(m.From, m.Header)
			t.Steps = append(t.Steps, changes.Step{Move: m})
		}
		if found := u.replayed(whole, t); found != nil {
			return found
		}
	}
	return nil
}

// renewing returns the routers of a round whose new tables a loop needs. With those alone rewritten, it goes on unless
// it needs an old table of theirs, too.
func (u *search) renewing(r changes.Round, loop []spec.Move) []spec.NodeID {
	n := u.p.Network()
	var routers []spec.NodeID
	for _, m := range loop {
		m.Header.Class %= u.half
		hops, _ := n.Hops(spec.Site{Channel: m.From, Header: m.Header})
		_, old := spec.FindHop(hops, m.Hop)
		if v := n.Topology().Head(m.From); slices.Contains(r.Now, v) && !old {
			routers = append(routers, v)
		}
	}
	slices.Sort(routers)
	return slices.Compact(routers)
}
