package selection

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/models/starchannel"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// What packets do: they choose where they wait, at their source or in a channel,
// and go on.

// value is one of a variable.
type value struct {
	x program.Var
	v int
}

// holder is where a packet for a destination waits: at its source, or in a channel.
type holder struct {
	name      string
	at        spec.NodeID
	source    bool
	here      []value // it is there, and may do something
	commits   bool
	committed program.Var
	leave     []program.Stmt
}

// source is what packet i does before it enters the network.
func (b *builder) source(i int, p Packet, choices []string) holder {
	h := holder{name: fmt.Sprintf("packet %d for %s, at its source %s: ", i, b.g.Node(p.To).Name, b.g.Node(p.From).Name), at: p.From, source: true}
	if !b.t.Again {
		sent := b.p.Enum(fmt.Sprintf("packet %d", i), "to be sent", "sent")
		h.here = []value{{sent, 0}}
		h.leave = []program.Stmt{program.Set(sent, 1)}
	}
	if b.o.Form != Again && !b.t.Ready {
		h.commits = true
		h.committed = b.p.Enum(fmt.Sprintf("packet %d commits to", i), choices...)
		h.leave = append(h.leave, program.Set(h.committed, 0))
	}
	return h
}

// inChannel is what a packet for the destination with index d does in a channel.
func (b *builder) inChannel(c spec.ChannelID, d int) holder {
	x := b.channels[c]
	h := holder{
		name: fmt.Sprintf("packet for %s, in %s: ", b.g.Node(b.dests[d]).Name, b.g.ChannelName(c)), at: b.g.Head(c),
		here:    []value{{x.content, d + 1}},
		commits: x.commits, committed: x.committed,
		leave: []program.Stmt{program.Set(x.content, 0)},
	}
	if b.old.on {
		h.here = append(h.here, value{x.fresh, 0})
		h.leave = append(h.leave, program.Set(x.fresh, 0))
	}
	if x.commits {
		h.leave = append(h.leave, program.Set(x.committed, 0))
	}
	return h
}

// free holds if there is no packet in a channel.
func (b *builder) free(c spec.ChannelID) program.Expr {
	if !b.channels[c].used {
		return program.And()
	}
	return program.Eq(b.channels[c].content, 0)
}

// choice numbers a channel among those that leave its node: dimension and class.
func (b *builder) choice(c spec.ChannelID) int {
	dim, _ := b.g.Direction(c)
	return 1 + dim*len(ClassNames) + b.g.VC(c)
}

// choose adds the rules of a packet where it waits: it is delivered, or chooses
// and goes on.
func (b *builder) choose(h holder, dest spec.NodeID) {
	if h.at == dest {
		effect := slices.Clone(h.leave)
		if b.t.InFlight > 0 {
			effect = append(effect, program.Set(b.flight, program.Sub(b.flight, 1)))
		}
		b.rule(h, "is delivered", all(h.here), effect)
		return
	}
	undecided := slices.Clone(h.here)
	if h.commits {
		undecided = append(undecided, value{h.committed, 0})
	}
	ways, s := b.ways(h.at, dest), b.status(dest)
	for _, w := range ways {
		w.each(func(c spec.ChannelID) {
			chooses := program.And(all(undecided), b.chooses(ways, w, c, s))
			if w.dim == ways[0].dim && b.g.VC(c) == starchannel.CF {
				b.unspared = append(b.unspared, program.And(chooses, s.higher(ways)))
			}
			if !h.commits {
				b.rule(h, "enters "+b.g.ChannelName(c), program.And(chooses, b.accepts(h, c)), b.enter(h, c, dest))
				return
			}
			b.rule(h, "commits to "+b.g.ChannelName(c), chooses, []program.Stmt{program.Set(h.committed, b.choice(c))})
			b.rule(h, "enters "+b.g.ChannelName(c), program.And(all(h.here), program.Eq(h.committed, b.choice(c)), b.accepts(h, c)), b.enter(h, c, dest))
		})
	}
}

// all holds if variables have the given values.
func all(values []value) program.Expr {
	each := make([]program.Expr, len(values))
	for i, v := range values {
		each[i] = program.Eq(v.x, v.v)
	}
	return program.And(each...)
}

// accepts holds if a packet can enter a channel.
func (b *builder) accepts(h holder, c spec.ChannelID) program.Expr {
	if h.source && b.t.InFlight > 0 {
		return program.And(b.free(c), program.Lt(b.flight, b.t.InFlight))
	}
	return b.free(c)
}

// chooses holds if the function may choose the VC c of the way w. With Early it
// goes by what it would choose if all VCs were free, whatever the status of the
// neighbours and the history.
func (b *builder) chooses(ways []way, w way, c spec.ChannelID, s status) program.Expr {
	if b.o.Form != Early {
		return b.o.Function.condition(ways, w, b.g.VC(c), b.o.Reading, s)
	}
	if slices.Contains(b.o.possible(ways), c) {
		return program.And()
	}
	return program.Or()
}

// enter moves a packet into a channel.
func (b *builder) enter(h holder, c spec.ChannelID, dest spec.NodeID) []program.Stmt {
	x := b.channels[c]
	effect := append(slices.Clone(h.leave), program.Set(x.content, slices.Index(b.dests, dest)+1))
	if b.old.on {
		effect = append(effect, program.Set(x.fresh, 1))
	}
	if h.source && b.t.InFlight > 0 {
		effect = append(effect, program.Set(b.flight, program.Add(b.flight, 1)))
	}
	return append(effect, b.past.use(c)...)
}

// rule adds a rule of the packets in a place. Steps of packets in channels are
// what Moves looks for; a source that sends again and again need not send.
func (b *builder) rule(h holder, what string, guard program.Expr, effect []program.Stmt) {
	if !h.source {
		b.flying = append(b.flying, guard)
	}
	if h.source && b.t.Again {
		b.p.Unfair(h.name+what, guard, effect...)
		return
	}
	b.p.Rule(h.name+what, guard, effect...)
}
