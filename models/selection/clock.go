package selection

import (
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// The clock.
//
// Only CCB and the form Stale look at what was one clock earlier, and so only
// their machines have a clock. A packet moves at most once in a clock. The clock
// may go on at any time, provided that something is different in the next one:
// routers need not be in step, nor act as soon as they can, and a state in which
// nothing can move any more is one without steps.
//
// In a clock a router knows what its neighbour's channels were when the clock
// before began, and with Stale its own likewise. So each channel that some router
// asks about has two bits: whether it was taken when the present clock began, and
// when the one before did.

type clock struct {
	on      bool
	watched []bool        // by channel: some router asks what it was
	before  []program.Var // by channel: it was taken when this clock began; if watched
	earlier []program.Var // ... when the clock before began
}

// declareClock adds the variables of the clock.
func (b *builder) declareClock() {
	if !b.old.on {
		return
	}
	for c := range b.channels {
		if x := &b.channels[c]; x.used {
			x.fresh = b.p.Var(b.g.ChannelName(spec.ChannelID(c))+" came in this clock", 2)
		}
	}
	b.old.watched = make([]bool, len(b.channels))
	b.old.before, b.old.earlier = make([]program.Var, len(b.channels)), make([]program.Var, len(b.channels))
	b.deciding(func(v, dest spec.NodeID) {
		all := b.ways(v, dest)
		for _, w := range all {
			if b.o.Form == Stale {
				for class := range w.usable {
					b.watch(w.first + spec.ChannelID(class))
				}
			}
			if b.o.Function == CCB && len(all) > 1 {
				b.beyond(w, dest, b.watch)
			}
		}
	})
	for c, watched := range b.old.watched {
		if watched {
			b.old.before[c] = b.p.Var(b.g.ChannelName(spec.ChannelID(c))+" was taken", 2)
			b.old.earlier[c] = b.p.Var(b.g.ChannelName(spec.ChannelID(c))+" was taken earlier", 2)
		}
	}
}

// deciding calls f for each node and destination of a packet that may have to
// choose there; perhaps several times.
func (b *builder) deciding(f func(v, dest spec.NodeID)) {
	for _, p := range b.t.Packets {
		f(p.From, p.To)
	}
	for c, here := range b.sites {
		for _, d := range here {
			if v := b.g.Head(spec.ChannelID(c)); v != b.dests[d] {
				f(v, b.dests[d])
			}
		}
	}
}

// watch has the clock keep what a channel was. One that is never taken is free.
func (b *builder) watch(c spec.ChannelID) {
	if b.channels[c].used {
		b.old.watched[c] = true
	}
}

// beyond calls f for each channel that a packet could use at the next node of a way.
func (b *builder) beyond(w way, dest spec.NodeID, f func(c spec.ChannelID)) {
	for _, then := range b.ways(b.g.Head(w.first), dest) {
		for class, usable := range then.usable {
			if usable {
				f(then.first + spec.ChannelID(class))
			}
		}
	}
}

// wasFree holds if a channel was free when the clock before the present one began.
func (b *builder) wasFree(c spec.ChannelID) program.Expr {
	if !b.channels[c].used {
		return program.And()
	}
	return program.Eq(b.old.earlier[c], 0)
}

// status is what a router knows when it chooses for a packet.
func (b *builder) status(dest spec.NodeID) status {
	s := status{free: b.free}
	if len(b.past.pairs) > 0 {
		s.later = b.past.later
	}
	if b.o.Form == Stale {
		s.free = b.wasFree
	}
	neighbour := b.free
	if b.old.on {
		neighbour = b.wasFree
	}
	s.ahead = func(w way) program.Expr {
		number := program.Const(0)
		b.beyond(w, dest, func(c spec.ChannelID) {
			number = program.Add(number, program.IfElse(neighbour(c), 1, 0))
		})
		return number
	}
	return s
}

// tick adds the rule by which the clock goes on.
func (b *builder) tick() {
	if !b.old.on {
		return
	}
	var changes []program.Expr
	var effect []program.Stmt
	for c, x := range b.channels {
		if !x.used {
			continue
		}
		changes = append(changes, program.Eq(x.fresh, 1))
		effect = append(effect, program.Set(x.fresh, 0))
		if !b.old.watched[c] {
			continue
		}
		taken := program.IfElse(b.free(spec.ChannelID(c)), 0, 1)
		changes = append(changes, program.Ne(b.old.before[c], taken), program.Ne(b.old.before[c], b.old.earlier[c]))
		effect = append(effect, program.Set(b.old.earlier[c], b.old.before[c]), program.Set(b.old.before[c], taken))
	}
	b.p.Rule("the clock goes on", program.Or(changes...), effect...)
	b.flying = append(b.flying, program.Or(changes...))
}
