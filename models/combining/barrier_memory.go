package combining

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// The memory-based Elastic Barrier: the variable of a group, at the home, counts
// the arrivals; they combine on their way into one with the sum. When all have
// arrived the home sets the counter back and lets the clusters go on.

// Release is how clusters learn that all have arrived.
type Release uint8

const (
	// Multicast sends a message to all of the group.
	Multicast Release = iota
	// Sense turns a flag in memory over, and clusters wait for it to be what it
	// was not when they arrived (sense reversal: Hensgen, Finkel and Manber 1988).
	Sense
	// Flag raises a flag in memory, which the first arrival of the next round
	// lowers again: a barrier that cannot be used twice.
	Flag
)

// ReleaseNames are the names of the releases.
var ReleaseNames = []string{"multicast", "sense", "flag"}

// MemoryBarrierOptions describes memory-based barriers.
//
// The paper combines arrivals at level 3 (section 3.3: the waiting time is
// infinite, the key the address of the variable). At level 1, which it foresees
// for requests whose combining cannot be predicted, reads and invalidations
// (section 5), its text has a plain meaning here, too, and that is taken: the first
// arrival is entered and sent on, whatever comes while there is an entry is
// combined with it, and the reply, the release, clears it. So those arrivals are
// counted nowhere.
//
// Clusters that wait for a
// flag look at memory itself; a message there and back would only delay what they
// see. At a leaf, cluster 0 counts itself at home.
type MemoryBarrierOptions struct {
	FanOut, Depth int     // see NewTree; at most 8 clusters
	Groups        [][]int // clusters of each group, at least 2 each; 1 to 4 groups
	Rounds        int     // 1 to 4
	Ahead         int     // see BarrierOptions; 1 with a flag
	Variables     int     // of a group, 1 to 4: its barriers take them in turn; 1 with a flag
	Capacity      int     // messages of a direction of a link, 1 to 8
	Home          Home
	Level         Waiting
	Partners      Partners
	Release       Release
	Entries       int // of a wait buffer, 1 to 16; of no meaning with Ample
	Overflow      Overflow
}

func (o MemoryBarrierOptions) check(t Tree) error {
	switch {
	case o.Level > Forever:
		return fmt.Errorf("a barrier at level %d: want 0 to 3", o.Level)
	case o.Level == Record && o.Release != Multicast:
		return errors.New("a barrier at level 1 that releases by a flag: the reply clears the entry (section 5 of the paper), and there is none; want a release by multicast, or level 0, 2 or 3")
	case o.Partners > Two || o.Release > Flag || o.Home > AtRoot:
		return fmt.Errorf("partners %d, release %d, home %d: want at most 1, 2, 1", o.Partners, o.Release, o.Home)
	case o.Variables < 1 || o.Variables > 4:
		return fmt.Errorf("%d variables of a group: want 1 to 4", o.Variables)
	case o.Release != Multicast && (o.Ahead > 1 || o.Variables > 1):
		return fmt.Errorf("%d ahead, %d variables with a flag: want 1", o.Ahead, o.Variables)
	}
	if o.Overflow != Ample {
		if err := checkWaitBuffer(o.Entries, o.Overflow); err != nil {
			return err
		}
	}
	return BarrierOptions{Groups: o.Groups, Rounds: o.Rounds, Ahead: o.Ahead, Capacity: o.Capacity}.check(t)
}

// memoryBarrier is a machine in the making.
type memoryBarrier struct {
	MemoryBarrierOptions
	*arrivals
	tree      *homeward
	up        []parts.FIFO  // by node: group, arrivals
	down      []parts.FIFO  // by node: releases of a group
	buffers   []*waitBuffer // by node, of switches: by key, how many arrivals in how many messages
	counter   []program.Var // by key
	flag      []program.Var // by key; of Sense and Flag
	releasing []program.Var // by key: a release is to be sent; of Multicast
}

// MemoryBarrier builds memory-based Elastic Barriers in a tree. The claims are
// those of [Barrier].
func MemoryBarrier(o MemoryBarrierOptions) (*program.Program, error) {
	t, err := NewTree(o.FanOut, o.Depth)
	if err != nil {
		return nil, err
	}
	if err := o.check(t); err != nil {
		return nil, err
	}
	h, err := turn(t, o.Home)
	if err != nil {
		return nil, err
	}
	p := program.New(fmt.Sprintf("memory-based barriers of %v: fan-out %d, depth %d, home at the %s, level %d, %s partners, %d rounds, %d ahead, capacity %d, %d variables, release by %s, overflow %s of %d entries",
		o.Groups, o.FanOut, o.Depth, HomeNames[o.Home], o.Level, PartnersNames[o.Partners], o.Rounds, o.Ahead, o.Capacity, o.Variables, ReleaseNames[o.Release], OverflowNames[o.Overflow], o.Entries))
	b := &memoryBarrier{MemoryBarrierOptions: o, arrivals: newArrivals(p, o.Groups, o.Rounds, o.Ahead), tree: h}
	b.declare()
	for c := range t.Clusters() {
		b.clusterRules(c)
	}
	for _, s := range h.switches() {
		b.arrivalRules(s)
		if o.Release == Multicast {
			b.releaseRules(s)
		}
	}
	b.homeRules()
	b.claims(b.clean())
	b.symmetries()
	return b.Program, nil
}

func (b *memoryBarrier) declare() {
	t := b.tree
	b.buffers = make([]*waitBuffer, t.Nodes())
	var names []string
	for key := range b.keys() {
		names = append(names, fmt.Sprintf("key %d", key))
	}
	for node := range t.Nodes() {
		up, down := parts.FIFO(nil), parts.FIFO(nil)
		if !t.local(node) {
			up = newLane(b.Program, "arrivals from "+t.Name(node), b.Capacity, named("key", names...), part{name: "arrivals", values: t.Clusters() + 1})
			if b.Release == Multicast {
				down = newLane(b.Program, "releases to "+t.Name(node), b.Capacity, named("key", names...))
			}
		}
		b.up, b.down = append(b.up, up), append(b.down, down)
		if t.IsCluster(node) {
			continue
		}
		b.buffers[node] = newWaitBuffer(b.keys(), b.Entries, b.Overflow, func(key, place int) []program.Var {
			name := fmt.Sprintf("%s, %d", t.Name(node), key)
			if place == 1 {
				name = fmt.Sprintf("processor of %s, %d", t.Name(node), key)
			}
			return []program.Var{b.Var(name+", arrivals", t.Clusters()+1), b.Var(name+", messages", max(2, b.need(node, key)))}
		})
	}
	for key := range b.keys() {
		b.counter = append(b.counter, b.Var(fmt.Sprintf("counter %d", key), len(b.Groups[b.group(key)])+1))
		if b.Release == Multicast {
			b.releasing = append(b.releasing, b.Var(fmt.Sprintf("releasing %d", key), 2))
		} else {
			b.flag = append(b.flag, b.Var(fmt.Sprintf("flag %d", key), 2))
		}
	}
}

// keys is the number of variables; key k is one of group(k).
func (b *memoryBarrier) keys() int         { return len(b.Groups) * b.Variables }
func (b *memoryBarrier) group(key int) int { return key / b.Variables }

// members lists the ways of a switch from which a group's arrivals come.
func (b *memoryBarrier) members(s, key int) []int {
	var ways []int
	for _, way := range b.tree.ways[s] {
		if slices.ContainsFunc(b.Groups[b.group(key)], func(c int) bool { return b.tree.way(s, c) == way }) {
			ways = append(ways, way)
		}
	}
	return ways
}

// need is how many messages of a group a switch waits for.
func (b *memoryBarrier) need(s, key int) int {
	if b.Partners == Two {
		return 2
	}
	return len(b.members(s, key))
}

func (b *memoryBarrier) clusterRules(c int) {
	groups, places := b.of(c)
	for i, g := range groups {
		arrived, left := b.arrived[g][places[i]], b.left[g][places[i]]
		for k := range b.Variables {
			key := g*b.Variables + k
			name := fmt.Sprintf("cluster %d arrives at %d", c, key)
			ready := program.And(b.arrivals.turn(c, g), b.turnOf(arrived, k))
			switch {
			case b.tree.local(c):
				b.Rule(name, program.And(ready, b.open(key, program.Const(1))), append(b.arrive(key, program.Const(1)), count(arrived))...)
			default:
				b.Rule(name, program.And(ready, b.up[c].Room()), b.up[c].Put(program.Const(key+1), program.Const(1)), count(arrived))
			}
			if b.Release == Multicast && !b.tree.local(c) { // otherwise see homeRules
				b.Rule(fmt.Sprintf("cluster %d leaves %d", c, key), program.And(program.Eq(b.down[c].Head(0), key+1), program.Lt(left, b.Rounds)),
					count(left), b.down[c].Pop())
			}
		}
		if b.Release != Multicast {
			b.Rule(fmt.Sprintf("cluster %d leaves %d", c, g), program.And(program.Lt(left, arrived), b.raised(g, left)), count(left))
		}
	}
}

// turnOf holds if variable k of a group is that of a cluster's next barrier.
func (b *memoryBarrier) turnOf(arrived program.Var, k int) program.Expr {
	var rounds []program.Expr
	for round := k; round < b.Rounds; round += b.Variables {
		rounds = append(rounds, program.Eq(arrived, round))
	}
	return program.Or(rounds...)
}

// raised holds if the flag of a group lets a cluster go on that has left so many
// barriers: with sense reversal the flag has been turned as many times, and is
// waited for the next turn.
func (b *memoryBarrier) raised(g int, left program.Var) program.Expr {
	if b.Release == Flag {
		return program.Eq(b.flag[g], 1)
	}
	var turns []program.Expr
	for round := range b.Rounds {
		turns = append(turns, program.And(program.Eq(left, round), program.Eq(b.flag[g], (round+1)%2)))
	}
	return program.Or(turns...)
}

// arrivalRules has a switch forward, hold or combine arrivals.
func (b *memoryBarrier) arrivalRules(s int) {
	out := b.up[s]
	for key := range b.keys() {
		for _, way := range b.members(s, key) {
			in := b.up[way]
			here := program.Eq(in.Head(0), key+1)
			arrivals := program.Value(in.Head(1))
			rule := func(what string, guard program.Expr, effect ...program.Stmt) {
				b.Rule(fmt.Sprintf("%s: %s at %d from %s", b.tree.Name(s), what, key, b.tree.Name(way)), program.And(here, guard), append(effect, in.Pop())...)
			}
			if b.Level == Pass || b.need(s, key) == 1 {
				rule("forward", out.Room(), out.Put(program.Const(key+1), arrivals))
				continue
			}
			for _, at := range b.buffers[s].Stores(key) {
				held, messages := b.entry(s, key, at.place)
				if b.Level == Record {
					none := program.Eq(messages, 0)
					rule("record"+byWhom[at.place], program.And(at.when, none, out.Room()), out.Put(program.Const(key+1), arrivals), count(messages))
					rule("combine with one sent"+byWhom[at.place], program.And(at.when, program.Not(none)))
					continue
				}
				last := program.Eq(messages, b.need(s, key)-1)
				rule("combine"+byWhom[at.place], program.And(at.when, last, out.Room()), out.Put(program.Const(key+1), program.Add(held, arrivals)),
					program.Set(held, 0), program.Set(messages, 0))
				rule("hold"+byWhom[at.place], program.And(at.when, program.Not(last)), program.Set(held, program.Add(held, arrivals)), count(messages))
			}
		}
		if b.Level == Window && b.need(s, key) > 1 && len(b.members(s, key)) > 0 {
			for place := range b.buffers[s].places() {
				held, messages := b.entry(s, key, place)
				b.Rule(fmt.Sprintf("%s: time is up%s at %d", b.tree.Name(s), byWhom[place], key), program.And(program.Lt(0, messages), out.Room()),
					out.Put(program.Const(key+1), program.Value(held)), program.Set(held, 0), program.Set(messages, 0))
			}
		}
	}
}

// byWhom names who holds an entry.
var byWhom = [...]string{"", " (by the processor)"}

// entry is how many arrivals at a key a switch, or the processor that took over
// from it, has, and in how many messages they came.
func (b *memoryBarrier) entry(s, key, place int) (held, messages program.Var) {
	entries := b.buffers[s].own
	if place == 1 {
		entries = b.buffers[s].taken
	}
	return entries[key][0], entries[key][1]
}

// open holds if the home can count arrivals: those of the next round wait until
// the release of this one is sent.
func (b *memoryBarrier) open(key int, arrivals program.Expr) program.Expr {
	fits := program.Le(program.Add(b.counter[key], arrivals), len(b.Groups[b.group(key)]))
	if b.Release == Multicast {
		return program.And(fits, program.Eq(b.releasing[key], 0))
	}
	return fits
}

// arrive counts arrivals at the home.
func (b *memoryBarrier) arrive(key int, arrivals program.Expr) []program.Stmt {
	var effect []program.Stmt
	full := []program.Stmt{program.Set(b.counter[key], 0)}
	switch b.Release {
	case Multicast:
		full = append(full, program.Set(b.releasing[key], 1))
	case Sense:
		full = append(full, program.Set(b.flag[key], program.Sub(1, b.flag[key])))
	case Flag:
		effect = append(effect, program.If(program.Eq(b.counter[key], 0), program.Set(b.flag[key], 0)))
		full = append(full, program.Set(b.flag[key], 1))
	}
	return append(effect, program.Set(b.counter[key], program.Add(b.counter[key], arrivals)),
		program.If(program.Eq(b.counter[key], len(b.Groups[b.group(key)])), full...))
}

func (b *memoryBarrier) homeRules() {
	in := b.up[b.tree.last]
	for key := range b.keys() {
		b.Rule(fmt.Sprintf("the home counts at %d", key), program.And(program.Eq(in.Head(0), key+1), b.open(key, program.Value(in.Head(1)))),
			append(b.arrive(key, program.Value(in.Head(1))), in.Pop())...)
		if b.Release != Multicast {
			continue
		}
		out := b.down[b.tree.last]
		effect := []program.Stmt{program.Set(b.releasing[key], 0), out.Put(program.Const(key + 1))}
		if i := slices.Index(b.Groups[b.group(key)], 0); i >= 0 && b.tree.local(0) {
			effect = append(effect, count(b.left[b.group(key)][i]))
		}
		b.Rule(fmt.Sprintf("the home releases %d", key), program.And(program.Eq(b.releasing[key], 1), out.Room()), effect...)
	}
}

// releaseRules has a switch multicast releases.
func (b *memoryBarrier) releaseRules(s int) {
	for key := range b.keys() {
		guard := []program.Expr{program.Eq(b.down[s].Head(0), key+1)}
		effect := []program.Stmt{b.down[s].Pop()}
		for _, way := range b.members(s, key) {
			guard = append(guard, b.down[way].Room())
			effect = append(effect, b.down[way].Put(program.Const(key+1)))
		}
		if b.Level == Record {
			for place := range b.buffers[s].places() {
				_, messages := b.entry(s, key, place)
				effect = append(effect, program.Set(messages, 0))
			}
		}
		b.Rule(fmt.Sprintf("%s: multicast the release of %d", b.tree.Name(s), key), program.And(guard...), effect...)
	}
}

// clean holds if links, wait buffers and counters are as at first.
func (b *memoryBarrier) clean() program.Expr {
	var all []program.Expr
	for node := range b.up {
		if len(b.up[node]) > 0 {
			all = append(all, b.up[node].Empty())
		}
		if len(b.down[node]) > 0 {
			all = append(all, b.down[node].Empty())
		}
		if b.buffers[node] != nil {
			all = append(all, b.buffers[node].Idle())
		}
	}
	for _, x := range b.counter {
		all = append(all, program.Eq(x, 0))
	}
	return program.And(all...)
}
