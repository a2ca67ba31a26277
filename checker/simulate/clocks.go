package simulate

import (
	"context"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// In one clock a region depends only on those a link away, as they were one clock before. So a few regions may be some
// clocks ahead of others: they are read from memory once for several clocks instead of in each. No measurement depends
// on it: a block of clocks ends where something looks at all regions.

// patience is how many clocks a head waits before the engine looks for a deadlock.
const patience = 1000

// run simulates the given number of clocks, or until all of a trace has been delivered.
// Between blocks of clocks it asks stop whether to end.
func (e *engine) run(ctx context.Context, clocks int, stop func() bool) error {
	for end := e.now + int32(clocks); e.now < end; {
		if e.now%64 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if e.now%patience == 0 && stop() || e.now%64 == 0 && e.o.Stop && e.source.missed > 0 {
			return nil
		}
		e.clocks(min(end-e.now, 64-e.now%64, patience-e.now%patience))
		if e.fault != nil || e.finished() {
			return e.fault
		}
	}
	return nil
}

const (
	clocksOfBlock = 16
	mostNear      = 16 // regions; with more of them a block would read all in each clock
)

// block finds which regions depend on each other, and whether they may be simulated for several clocks at once.
// Replies, and the end of a trace, depend on all regions.
func (e *engine) block() {
	if e.span = 1; e.o.Window > 0 || len(e.o.Traffic.Events) > 0 {
		return
	}
	for l := range spec.LinkID(e.links) {
		from, to := e.regionOf(e.ends[l].sender), e.regionOf(e.ends[l].receiver)
		if from == to || slices.Contains(from.near, to) {
			continue
		}
		from.near, to.near = append(from.near, to), append(to.near, from)
		if max(len(from.near), len(to.near)) > mostNear {
			return
		}
	}
	if len(e.regions) > 1 {
		e.span = clocksOfBlock
	}
}

// clocks simulates one or more clocks, up to a given number; only one if moves are
// recorded in order.
func (e *engine) clocks(most int32) {
	n := int32(1)
	for n < min(most, e.span) && e.record == nil && !e.m.turns(e.now+n) {
		n++
	}
	if n == 1 {
		e.clock()
		return
	}
	from, end := e.now, e.now+n
	e.generate(end - 1)
	for i := range e.regions {
		e.regions[i].now = from
	}
	for i := range e.regions {
		e.reach(&e.regions[i], end)
	}
	for e.now = from; e.now < end; e.now++ {
		e.m.clock(e.now)
	}
}

// clock simulates one clock.
func (e *engine) clock() {
	for i := range e.regions {
		e.leave(&e.regions[i])
	}
	e.answer()
	e.generate(e.now)
	for i := range e.regions {
		e.route(&e.regions[i])
	}
	e.m.clock(e.now)
	e.now++
}

// route simulates a clock of a region, except for what leaves the network.
func (e *engine) route(r *region) {
	e.enter(r)
	e.emit(r)
	routed := slot(e, r.routed, 0)
	if e.ahead {
		e.touchRouted(*routed)
	}
	for _, v := range *routed {
		e.wait(v)
	}
	*routed = (*routed)[:0]
	if len(r.dirty) > 0 {
		for _, v := range r.dirty {
			e.nodes[v].dirty = false
			e.allocate(r, v)
		}
		r.dirty = r.dirty[:0]
	}
	due := slot(e, r.due, 0)
	r.compete = append(r.compete, *due...)
	*due = (*due)[:0]
	if len(r.compete) > 0 {
		e.cross(r)
	}
}

// reach simulates a region up to a clock, and its neighbours as far as it depends on them.
func (e *engine) reach(r *region, end int32) {
	for r.now < end {
		for _, x := range r.near {
			if x.now < r.now {
				e.reach(x, r.now)
			}
		}
		e.now = r.now
		e.leave(r)
		e.route(r)
		r.now++
	}
}
