package static

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/findings"
	"github.com/seed-105a2da2/unknot/checker/internal/graph"
	"github.com/seed-105a2da2/unknot/checker/internal/relation"
	"github.com/seed-105a2da2/unknot/proofs/bubbles"
	"github.com/seed-105a2da2/unknot/spec"
)

// Bubbles.
//
// Where hops need room for several packets, the deletion fixpoint leaves rings that free places keep from filling.
// package bubbles has the theorem. Here its certificate is looked for: channels are deleted by the fixpoint, then a
// group of the others is refuted, which may let the fixpoint go on, and so forth. The groups tried are the rings to
// whose channels only the one before leads without a bubble, then the components of the dependency graph, then all.
//
// That a channel of a group is in no stuck set is shown by cases, one for each row that a packet there may wait with:
// its hops into the group name further members, and how full they are. A case in which no member is left to look at is
// a stuck set, unless some set of its channels always has more places free: such a set is looked for then, and learnt.

// bubbleSearch looks for a certificate of bubbles.
type bubbleSearch struct {
	n        *spec.Network
	u        *relation.Usage
	traffic  *spec.Traffic
	capacity int
	alive    []bool  // by channel: it may be in a stuck set, as far as is known
	entries  [][]hop // by channel: from where hops lead into it, with the least room that they need
	rows     [][][]hop
	cert     *bubbles.Certificate
	level    int32
	found    []map[spec.ChannelID]int // stuck sets that nothing speaks against, with the packets of each channel
	all      bool                     // the group is all that is left, so a case is one of found

	group  []bool // by channel: it is in the group
	fits   [][][]hop
	sets   [][]int // by channel: the sets that it is in
	known  map[string]bool
	least  []int // by channel: how many packets it holds at least in this case; 0: it is no member
	member []spec.ChannelID
	held   []int // by set: the sum of least of its channels
	steps  int   // left for the group
	spent  int   // on others
}

const mostFound = 64

// hop leads from or to another channel.
type hop struct {
	other spec.ChannelID
	need  int
}

// keepsBubbles reports whether some hop needs room for several packets.
func (d *Decision) keepsBubbles() bool { return max(d.n.Room(), d.opt.Bubble) > 1 }

// bubbles looks for a certificate that free places keep packets from being stuck. It returns nil and the channels that
// it leaves if there is none.
func (d *Decision) bubbles(ctx context.Context) (*bubbles.Certificate, *bubbleSearch, error) {
	traffic, err := d.n.Traffic(spec.Scenario{Bubble: d.opt.Bubble})
	if err != nil {
		return nil, nil, err
	}
	channels := d.n.Topology().Channels()
	b := &bubbleSearch{
		n: d.n, u: d.usage, traffic: traffic, capacity: d.n.Capacity(), alive: slices.Repeat([]bool{true}, channels),
		entries: make([][]hop, channels), rows: make([][][]hop, channels), group: make([]bool, channels),
		fits: make([][][]hop, channels), sets: make([][]int, channels), known: map[string]bool{}, least: make([]int, channels),
		cert: &bubbles.Certificate{Bubble: traffic.Scenario().Bubble, Levels: make([]int32, channels)},
	}
	b.gather()
	for b.deletion() {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		b.found = nil
		if !b.refuteAny(ctx, d.dependencies) {
			slices.SortStableFunc(b.found, func(x, y map[spec.ChannelID]int) int { return len(x) - len(y) })
			return nil, b, nil
		}
	}
	return b.cert, nil, nil
}

// gather collects what packets may do in each channel.
func (b *bubbleSearch) gather() {
	look := func(at spec.ChannelID, r spec.RowID) {
		var waits []hop
		for _, h := range b.n.Row(r) {
			if h.Channel == spec.Eject {
				continue
			}
			need := b.traffic.Need(at, h)
			waits = append(waits, hop{h.Channel, need})
			into := b.entries[h.Channel]
			if i := slices.IndexFunc(into, func(e hop) bool { return e.other == at }); i >= 0 {
				into[i].need = min(into[i].need, need)
			} else {
				b.entries[h.Channel] = append(into, hop{at, need})
			}
		}
		if !at.IsInjection() && relation.Waits(b.n, r) {
			b.rows[at] = append(b.rows[at], waits)
		}
	}
	for c := range spec.ChannelID(len(b.alive)) {
		for _, r := range b.u.Of(c) {
			look(c, r)
		}
	}
	type source struct {
		node spec.NodeID
		row  spec.RowID
	}
	seen := map[source]bool{}
	last := make([]spec.RowID, b.n.Topology().Nodes()) // + 1, since most repeat it
	table := func(t *spec.Table) {
		for _, src := range t.Sources {
			if s := (source{src.Node, src.Row}); last[src.Node] != src.Row+1 && !seen[s] {
				seen[s] = true
				look(spec.Injection(src.Node), src.Row)
			}
			last[src.Node] = src.Row + 1
		}
	}
	for i := range b.n.Fragments() {
		t := b.n.Fragment(int32(i))
		table(&t)
	}
	for i := range b.n.Tables() {
		table(b.n.Stored(i))
	}
}

// deletion gives levels to what the deletion fixpoint deletes, and reports whether channels are left.
func (b *bubbleSearch) deletion() bool {
	ranks, left, most := b.u.Delete(b.alive).Rank, false, b.level
	for c, alive := range b.alive {
		if !alive {
			continue
		}
		if b.alive[c] = ranks[c] == relation.Unranked; b.alive[c] {
			left = true
		} else {
			b.cert.Levels[c] = b.level + ranks[c]
			most = max(most, b.level+ranks[c]+1)
		}
	}
	b.level = most
	return left
}

// refuteAny shows of some channels that they are in no stuck set; false if it can of none.
func (b *bubbleSearch) refuteAny(ctx context.Context, dependencies *graph.Graph) (found bool) {
	for _, ring := range b.rings() {
		found = b.refuteGroup(ctx, ring) || found
	}
	if found {
		return true
	}
	var parts graph.Components
	inside := graph.Collect(len(b.alive), func(add func(from, to int32)) {
		for c := range spec.ChannelID(len(b.alive)) {
			for _, to := range dependencies.Successors(int32(c)) {
				if b.alive[c] && b.alive[to] {
					add(int32(c), to)
				}
			}
		}
	})
	parts.Find(inside)
	var all []spec.ChannelID
	for i := range parts.Count() {
		var group []spec.ChannelID
		for _, c := range parts.Component(int32(i)) {
			if b.alive[c] {
				group = append(group, spec.ChannelID(c))
			}
		}
		slices.Sort(group)
		all = append(all, group...)
		found = len(group) > 1 && b.refuteGroup(ctx, group) || found
	}
	slices.Sort(all)
	b.all = true
	defer func() { b.all = false }()
	return found || b.refuteGroup(ctx, all)
}

// left returns the channels that may be in a stuck set, as far as is known.
func (b *bubbleSearch) left() (left []spec.ChannelID) {
	for c, alive := range b.alive {
		if alive {
			left = append(left, spec.ChannelID(c))
		}
	}
	return left
}

// why says what keeps a ring of the channels that are left from having a bubble for good: the first hop into a shortest
// one that needs room for one packet only, or a channel of it where packets wait for others too.
func (b *bubbleSearch) why() findings.Fact {
	topo := b.n.Topology()
	ring, _ := graph.ShortestCycle(graph.Collect(len(b.alive), func(add func(from, to int32)) {
		for to, entries := range b.entries {
			for _, e := range entries {
				if e.need == 1 && e.other >= 0 && b.alive[to] && b.alive[e.other] {
					add(int32(e.other), int32(to))
				}
			}
		}
	}), 1<<24)
	for i, c := range ring {
		from := spec.ChannelID(ring[(i+len(ring)-1)%len(ring)])
		for _, e := range b.entries[c] {
			if e.need == 1 && e.other != from {
				return findings.RingFills{
					Ring: b.named(ring), From: topo.ChannelName(e.other), To: topo.ChannelName(spec.ChannelID(c)),
				}
			}
		}
	}
	for i, c := range ring {
		next := spec.ChannelID(ring[(i+1)%len(ring)])
		for _, row := range b.rows[c] {
			if !b.moves(row) && !slices.Contains(row, hop{next, 1}) {
				return findings.RingLeft{
					Ring: b.named(ring), In: topo.ChannelName(spec.ChannelID(c)), For: topo.ChannelName(row[0].other),
				}
			}
		}
	}
	return findings.RoomLeads
}

// named says which ring: its channels, if they are few, or the first ones.
func (b *bubbleSearch) named(ring []int32) findings.Ring {
	const few = 4
	r := findings.Ring{All: len(ring)}
	for _, c := range ring[:min(few, len(ring))] {
		r.Channels = append(r.Channels, b.n.Topology().ChannelName(spec.ChannelID(c)))
	}
	return r
}

// rings returns the cycles among the channels that are left and into which, without a bubble, only one channel leads.
func (b *bubbleSearch) rings() (rings [][]spec.ChannelID) {
	before := make([]spec.ChannelID, len(b.alive)) // the channel that leads there; Eject: none, or several do
	for c := range before {
		before[c] = spec.Eject
		bare, from := 0, spec.Eject
		for _, e := range b.entries[c] {
			if e.need == 1 {
				bare, from = bare+1, e.other
			}
		}
		if bare == 1 && from >= 0 && b.alive[c] && b.alive[from] {
			before[c] = from
		}
	}
	met := make([]int, len(before)) // by which walk
	for c := range before {
		at := spec.ChannelID(c)
		for ; at >= 0 && met[at] == 0; at = before[at] {
			met[at] = c + 1
		}
		if at < 0 || met[at] != c+1 {
			continue
		}
		ring := []spec.ChannelID{at}
		for r := before[at]; r != at; r = before[r] {
			ring = append(ring, r)
		}
		slices.Sort(ring)
		rings = append(rings, ring)
	}
	return rings
}

// refuteGroup gives a level to those channels of a group that are in no stuck set; false if there are none.
func (b *bubbleSearch) refuteGroup(ctx context.Context, group []spec.ChannelID) bool {
	const most, all = 1 << 24, 1 << 27
	if b.spent += most - max(0, b.steps); b.spent > all {
		return false
	}
	for b.steps = most; len(group) > 0 && ctx.Err() == nil; {
		for _, c := range group {
			b.group[c] = true
		}
		for _, c := range group {
			b.fits[c] = b.hopsWithin(c)
		}
		refuted := []spec.ChannelID{}
		for _, c := range group {
			b.member = b.member[:0]
			possible := b.assume([]hop{{c, b.capacity}}) && b.possible(0)
			if possible && b.all && b.steps >= 0 && len(b.found) < mostFound {
				set := map[spec.ChannelID]int{}
				for _, m := range b.member {
					set[m] = b.least[m]
				}
				if !slices.ContainsFunc(b.found, func(o map[spec.ChannelID]int) bool { return maps.Equal(o, set) }) {
					b.found = append(b.found, set)
				}
			}
			if !possible {
				refuted = append(refuted, c)
				b.alive[c] = false // for the others of the group
			}
			for _, m := range b.member {
				b.hold(m, 0)
			}
		}
		for _, c := range group {
			b.group[c] = false
		}
		if len(refuted) == len(group) {
			for _, c := range group {
				b.cert.Levels[c] = b.level
			}
			b.level++
			return true
		}
		for _, c := range refuted {
			b.alive[c] = true
		}
		group, b.all = refuted, false // alone, perhaps
	}
	return false
}

// hopsWithin returns the hops into the group that packets in a channel may wait with, the least of them.
func (b *bubbleSearch) hopsWithin(c spec.ChannelID) (out [][]hop) {
	of := func(some, all []hop) bool {
		return !slices.ContainsFunc(some, func(h hop) bool { return !slices.Contains(all, h) })
	}
	for _, row := range b.rows[c] {
		if b.moves(row) {
			continue
		}
		same := slices.DeleteFunc(slices.Clone(row), func(h hop) bool { return !b.group[h.other] })
		if !slices.ContainsFunc(out, func(o []hop) bool { return of(o, same) }) {
			out = append(slices.DeleteFunc(out, func(o []hop) bool { return of(same, o) }), same)
		}
	}
	return out
}

// moves reports whether one of the hops leads into a channel that is in no stuck set.
func (b *bubbleSearch) moves(row []hop) bool {
	return slices.ContainsFunc(row, func(h hop) bool { return !b.alive[h.other] })
}

// possible reports whether the members from number k on may all wait, as far as was found out.
func (b *bubbleSearch) possible(k int) bool {
	if k == len(b.member) {
		return !b.learn()
	}
	if b.steps < 0 {
		return true
	}
	for _, row := range b.fits[b.member[k]] {
		if b.moves(row) {
			continue
		}
		members, before := len(b.member), make([]hop, len(row))
		for i, h := range row {
			before[i] = hop{h.other, b.least[h.other]}
		}
		if b.assume(row) && b.possible(k+1) {
			return true
		}
		for _, h := range slices.Backward(before) {
			b.hold(h.other, h.need)
		}
		b.member = b.member[:members]
	}
	return false
}

// assume has the channels of hops be members without the room that these need; false if that cannot be.
func (b *bubbleSearch) assume(row []hop) (can bool) {
	can = true
	for _, h := range row {
		if b.least[h.other] == 0 {
			b.member = append(b.member, h.other)
		}
		can = b.hold(h.other, max(b.least[h.other], b.capacity-h.need+1)) && can
	}
	return can
}

// hold has a channel hold at least so many packets; false if some set then has too few places free.
func (b *bubbleSearch) hold(c spec.ChannelID, packets int) (can bool) {
	can = true
	b.steps -= 1 + len(b.sets[c])
	for _, i := range b.sets[c] {
		b.held[i] += packets - b.least[c]
		can = can && b.held[i] <= len(b.cert.Sets[i].Channels)*b.capacity-b.cert.Sets[i].Free
	}
	b.least[c] = packets
	return can
}

// learn looks for a set of members that always has more places free than this case leaves it, and adds it.
func (b *bubbleSearch) learn() bool {
	const few = 10 // all of whose subsets are looked at
	if len(b.member) <= few {
		return b.learnFew()
	}
	in := map[spec.ChannelID]bool{} // the largest set of full members into which all hops keep a bubble
	for _, c := range b.member {
		in[c] = b.least[c] == b.capacity
	}
	for again := true; again; {
		again = false
		for _, c := range b.member {
			if in[c] && slices.ContainsFunc(b.entries[c], func(e hop) bool { return e.need == 1 && !in[e.other] }) {
				in[c], again = false, true
			}
			b.steps -= len(b.entries[c])
		}
	}
	set := slices.DeleteFunc(slices.Clone(b.member), func(c spec.ChannelID) bool { return !in[c] })
	if len(set) > 0 {
		b.add(set, 1)
	}
	return len(set) > 0
}

// learnFew finds the places that are always free in each subset of the members: a hop from elsewhere into one of its
// channels leaves those that the hop keeps, and those of the others.
func (b *bubbleSearch) learnFew() bool {
	k := len(b.member)
	free := make([]int, 1<<k) // by subset
	has := func(set int, c spec.ChannelID) bool {
		i := slices.Index(b.member, c)
		return i >= 0 && set>>i&1 == 1
	}
	b.steps -= 1 << k
	for set := 1; set < 1<<k; set++ {
		all, held, most := math.MaxInt, 0, 0
		for i, c := range b.member {
			if set>>i&1 == 0 {
				continue
			}
			held += b.least[c]
			rest := free[set&^(1<<i)]
			most = max(most, rest)
			for _, e := range b.entries[c] {
				if !has(set, e.other) {
					all = min(all, e.need-1+rest)
				}
			}
		}
		places := b.capacity * bits.OnesCount(uint(set))
		if free[set] = max(most, min(all, places)); free[set] > places-held {
			b.addFew(free, set, places-held+1)
			return true
		}
	}
	return false
}

// addFew adds that a subset of the members has so many places free, and what that rests on.
func (b *bubbleSearch) addFew(free []int, set, want int) {
	for i := range b.member { // perhaps fewer have as many
		if rest := set &^ (1 << i); rest != set && free[rest] >= want {
			b.addFew(free, rest, want)
			return
		}
	}
	var channels []spec.ChannelID
	for i, c := range b.member {
		if set>>i&1 == 1 {
			channels = append(channels, c)
		}
	}
	for i, c := range b.member {
		for _, e := range b.entries[c] {
			if set>>i&1 == 1 && e.need-1 < want && !slices.Contains(channels, e.other) {
				b.addFew(free, set&^(1<<i), want-(e.need-1))
			}
		}
	}
	b.add(channels, want)
}

// add adds a set to the certificate, and to the case at hand.
func (b *bubbleSearch) add(channels []spec.ChannelID, free int) {
	slices.Sort(channels)
	key := fmt.Sprint(free, channels)
	if b.known[key] {
		return
	}
	b.known[key] = true
	held := 0
	for _, c := range channels {
		b.sets[c] = append(b.sets[c], len(b.cert.Sets))
		held += b.least[c]
	}
	b.held = append(b.held, held)
	b.cert.Sets = append(b.cert.Sets, bubbles.Set{Channels: channels, Free: free})
}
