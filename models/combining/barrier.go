package combining

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/models/parts"
	"github.com/seed-105a2da2/unknot/spec/program"
)

// The hierarchical Elastic Barrier: switches know the groups by registers, which
// say from which neighbours a group's arrivals come. A switch waits forever
// (level 3) until all of them are there, and sends one arrival up; the highest
// switch of the group sends the release down instead, and the others multicast it.
//
// The paper names the matching key twice: the group (section 3.3), and the
// processor (section 5). By group, a switch keeps an arrival of each neighbour for
// each group. By processor it keeps one of each neighbour, whatever the group,
// and a group is complete as soon as all its neighbours have one.
//
// Elastic means that a cluster may run ahead: it may arrive at its next barriers
// before it is released from the last. The paper has a controller for commands
// that are issued ahead, and does not say what it does with them.

// Key is what an arrival is matched by.
type Key uint8

const (
	// ByGroup keeps the arrivals of different groups apart.
	ByGroup Key = iota
	// ByProcessor does not.
	ByProcessor
)

// KeyNames are the names of the keys.
var KeyNames = []string{"group", "processor"}

// Controller is what a cluster does with the command to arrive at a barrier whose
// group has not left the one before.
type Controller uint8

const (
	// Sends sends it at once. It waits in the link before the first switch that
	// has kept the one before, and all that is behind it there waits, too.
	Sends Controller = iota
	// Holds keeps it back until the cluster is released from the one before.
	Holds
)

// ControllerNames are the names of what controllers do.
var ControllerNames = []string{"sends", "holds"}

// BarrierOptions describes barriers of groups that may overlap. Every cluster
// arrives at those of its groups in turn, in ascending order of the groups, some
// rounds long.
type BarrierOptions struct {
	FanOut, Depth int     // see NewTree; at most 8 clusters
	Groups        [][]int // clusters of each group, at least 2 each; 1 to 4 groups
	Rounds        int     // 1 to 4
	Ahead         int     // barriers at which a cluster may have arrived without having left, at least 1
	Capacity      int     // messages of a direction of a link, 1 to 8
	Key           Key
	Controller    Controller
}

func (o BarrierOptions) check(t Tree) error {
	switch {
	case t.Clusters() > 8:
		return fmt.Errorf("barriers of %d clusters: want at most 8", t.Clusters())
	case o.Rounds < 1 || o.Rounds > 4 || o.Ahead < 1 || o.Ahead > 8:
		return fmt.Errorf("%d rounds, %d ahead: want 1 to 4, and 1 to 8", o.Rounds, o.Ahead)
	case o.Capacity < 1 || o.Capacity > 8:
		return fmt.Errorf("links of %d messages: want 1 to 8", o.Capacity)
	case o.Key > ByProcessor || o.Controller > Holds:
		return fmt.Errorf("key %d, controller %d: want 0 or 1", o.Key, o.Controller)
	}
	return checkGroups(o.Groups, t)
}

func checkGroups(groups [][]int, t Tree) error {
	if len(groups) < 1 || len(groups) > 4 {
		return fmt.Errorf("%d groups: want 1 to 4", len(groups))
	}
	for g, members := range groups {
		if len(members) < 2 {
			return fmt.Errorf("group %d has %d clusters: want at least 2", g, len(members))
		}
		for i, c := range members {
			if c < 0 || c >= t.Clusters() || i > 0 && c <= members[i-1] {
				return fmt.Errorf("group %d is %v: want clusters 0 to %d in ascending order", g, members, t.Clusters()-1)
			}
		}
	}
	return nil
}

// arrivals is what clusters do at barriers: the same for both kinds.
type arrivals struct {
	*program.Program
	groups        [][]int
	rounds, ahead int
	arrived, left [][]program.Var // by group, by member: how many times
}

func newArrivals(p *program.Program, groups [][]int, rounds, ahead int) *arrivals {
	a := &arrivals{Program: p, groups: groups, rounds: rounds, ahead: ahead}
	for g, members := range groups {
		var arrived, left []program.Var
		for _, c := range members {
			arrived = append(arrived, p.Var(fmt.Sprintf("cluster %d, arrived at %d", c, g), rounds+1))
			left = append(left, p.Var(fmt.Sprintf("cluster %d, left %d", c, g), rounds+1))
		}
		a.arrived, a.left = append(a.arrived, arrived), append(a.left, left)
	}
	return a
}

// of lists the groups of a cluster, and its place in each.
func (a *arrivals) of(c int) (groups, places []int) {
	for g, members := range a.groups {
		if i := slices.Index(members, c); i >= 0 {
			groups, places = append(groups, g), append(places, i)
		}
	}
	return groups, places
}

// total sums the variables of a cluster, one for each of its groups.
func (a *arrivals) total(c int, vars [][]program.Var) program.Expr {
	sum := program.Const(0)
	groups, places := a.of(c)
	for i, g := range groups {
		sum = program.Add(sum, vars[g][places[i]])
	}
	return sum
}

// turn holds if it is the cluster's turn to arrive at a group's barrier.
func (a *arrivals) turn(c, g int) program.Expr {
	groups, _ := a.of(c)
	at := slices.Index(groups, g)
	var turns []program.Expr
	for round := range a.rounds {
		turns = append(turns, program.Eq(a.total(c, a.arrived), round*len(groups)+at))
	}
	return program.And(program.Or(turns...), program.Lt(a.total(c, a.arrived), program.Add(a.total(c, a.left), a.ahead)))
}

// count adds one to a variable.
func count(x program.Var) program.Stmt { return program.Set(x, program.Add(x, 1)) }

// claims states what barriers must do; clean holds if nothing is left in links,
// wait buffers and memory.
func (a *arrivals) claims(clean program.Expr) {
	var early, done []program.Expr
	clusters := map[int]bool{}
	for g, members := range a.groups {
		for i, c := range members {
			clusters[c] = true
			done = append(done, program.Eq(a.left[g][i], a.rounds))
			for k := range members {
				early = append(early, program.Le(a.left[g][i], a.arrived[g][k]))
			}
		}
	}
	a.Program.Invariant("no member leaves before all have arrived", program.And(early...))
	a.Final = program.And(done...)
	a.Program.Invariant("at rest links, wait buffers and counters are as at first", program.Implies(a.Final, clean))
	for c := range 64 {
		if clusters[c] {
			a.Response(fmt.Sprintf("cluster %d leaves", c), program.Lt(a.total(c, a.left), a.total(c, a.arrived)))
		}
	}
}

// hierarchical is a machine in the making.
type hierarchical struct {
	BarrierOptions
	*arrivals
	tree  Tree
	up    []parts.FIFO               // by node: arrivals of a group
	down  []parts.FIFO               // by node: releases of a group
	there [][][]program.Var          // by switch, by child, by group, or one for all: it has arrived
	held  map[membership]program.Var // arrivals that are held back; of Holds
}

// membership is a cluster in a group.
type membership struct{ cluster, group int }

// Barrier builds hierarchical Elastic Barriers in a tree. Claims: nobody leaves a
// barrier before all of its group have arrived, everybody leaves, and at rest
// nothing is left in links and wait buffers.
func Barrier(o BarrierOptions) (*program.Program, error) {
	t, err := NewTree(o.FanOut, o.Depth)
	if err != nil {
		return nil, err
	}
	if err := o.check(t); err != nil {
		return nil, err
	}
	p := program.New(fmt.Sprintf("hierarchical barriers of %v: fan-out %d, depth %d, %d rounds, %d ahead, capacity %d, by %s, the controller %s",
		o.Groups, o.FanOut, o.Depth, o.Rounds, o.Ahead, o.Capacity, KeyNames[o.Key], ControllerNames[o.Controller]))
	b := &hierarchical{BarrierOptions: o, arrivals: newArrivals(p, o.Groups, o.Rounds, o.Ahead), tree: t, held: map[membership]program.Var{}}
	b.declare()
	for c := range t.Clusters() {
		b.clusterRules(c)
	}
	for s := t.Clusters(); s < t.Nodes(); s++ {
		b.arrivalRules(s)
		b.releaseRules(s)
	}
	var clean []program.Expr
	for node := range t.Nodes() - 1 {
		clean = append(clean, b.up[node].Empty(), b.down[node].Empty())
	}
	for _, children := range b.there {
		for _, list := range children {
			for _, x := range list {
				clean = append(clean, program.Eq(x, 0))
			}
		}
	}
	b.claims(program.And(clean...))
	b.symmetries()
	return b.Program, nil
}

// registers lists the children of a switch below which a group has members, by
// their place among the children.
func (b *hierarchical) registers(s, g int) []int {
	var places []int
	for k, child := range b.tree.Children(s) {
		if slices.ContainsFunc(b.Groups[g], func(c int) bool { return b.tree.Below(c, child) }) {
			places = append(places, k)
		}
	}
	return places
}

// highest returns the switch that has all of a group below it, and no child that
// has.
func (b *hierarchical) highest(g int) int {
	members := b.Groups[g]
	return b.tree.Ancestor(members[0], b.tree.Distance(members[0], members[len(members)-1]))
}

func (b *hierarchical) declare() {
	t := b.tree
	b.there = make([][][]program.Var, t.Nodes())
	var names []string
	for g := range b.Groups {
		names = append(names, fmt.Sprintf("group %d", g))
	}
	for node := range t.Nodes() {
		up, down := parts.FIFO(nil), parts.FIFO(nil)
		if node != t.Root() {
			group := named("group", names...)
			up = newLane(b.Program, "arrivals from "+t.Name(node), b.Capacity, group)
			down = newLane(b.Program, "releases to "+t.Name(node), b.Capacity, group)
		}
		b.up, b.down = append(b.up, up), append(b.down, down)
		for _, child := range t.Children(node) {
			var list []program.Var
			if b.Key == ByProcessor {
				list = append(list, b.Var(fmt.Sprintf("%s, %s has arrived", t.Name(node), t.Name(child)), 2))
			} else {
				for g := range b.Groups {
					list = append(list, b.Var(fmt.Sprintf("%s, %s has arrived at %d", t.Name(node), t.Name(child), g), 2))
				}
			}
			b.there[node] = append(b.there[node], list)
		}
	}
}

func (b *hierarchical) clusterRules(c int) {
	groups, places := b.of(c)
	for i, g := range groups {
		arrived, left := b.arrived[g][places[i]], b.left[g][places[i]]
		send := b.up[c].Put(program.Const(g + 1))
		if b.Controller == Sends {
			b.Rule(fmt.Sprintf("cluster %d arrives at %d", c, g), program.And(b.arrivals.turn(c, g), b.up[c].Room()), send, count(arrived))
		} else {
			held := b.Var(fmt.Sprintf("cluster %d, held back of %d", c, g), b.Rounds+1)
			b.held[membership{c, g}] = held
			b.Rule(fmt.Sprintf("cluster %d arrives at %d", c, g), b.arrivals.turn(c, g), count(held), count(arrived))
			last := program.Eq(arrived, program.Add(left, held)) // what was sent is over
			b.Rule(fmt.Sprintf("cluster %d sends its arrival at %d", c, g), program.And(program.Lt(0, held), last, b.up[c].Room()),
				send, program.Set(held, program.Sub(held, 1)))
		}
		b.Rule(fmt.Sprintf("cluster %d leaves %d", c, g), program.And(program.Eq(b.down[c].Head(0), g+1), program.Lt(left, b.Rounds)),
			count(left), b.down[c].Pop())
	}
}

// bit is where a switch keeps an arrival.
func (b *hierarchical) bit(s, child, g int) program.Var {
	if b.Key == ByProcessor {
		g = 0
	}
	return b.there[s][child][g]
}

// arrivalRules has a switch keep arrivals, and forward one for all of a group
// when it is complete. An arrival that has been kept before waits in its link.
func (b *hierarchical) arrivalRules(s int) {
	t := b.tree
	for g := range b.Groups {
		registers := b.registers(s, g)
		if len(registers) == 0 || !t.Below(s, b.highest(g)) {
			continue
		}
		var all []program.Expr
		var clear []program.Stmt
		for _, k := range registers {
			bit := b.bit(s, k, g)
			in := b.up[t.Children(s)[k]]
			b.Rule(fmt.Sprintf("%s: keep %s's arrival at %d", t.Name(s), t.Name(t.Children(s)[k]), g),
				program.And(program.Eq(in.Head(0), g+1), program.Eq(bit, 0)), program.Set(bit, 1), in.Pop())
			all = append(all, program.Eq(bit, 1))
			clear = append(clear, program.Set(bit, 0))
		}
		if s == b.highest(g) {
			ready, sends := b.multicast(s, g)
			b.Rule(fmt.Sprintf("%s: release %d", t.Name(s), g), program.And(append(all, ready)...), append(clear, sends...)...)
		} else {
			b.Rule(fmt.Sprintf("%s: group %d is complete", t.Name(s), g), program.And(append(all, b.up[s].Room())...),
				append(clear, b.up[s].Put(program.Const(g+1)))...)
		}
	}
}

// multicast sends a release to all children below which the group has members.
func (b *hierarchical) multicast(s, g int) (ready program.Expr, sends []program.Stmt) {
	var room []program.Expr
	for _, k := range b.registers(s, g) {
		out := b.down[b.tree.Children(s)[k]]
		room = append(room, out.Room())
		sends = append(sends, out.Put(program.Const(g+1)))
	}
	return program.And(room...), sends
}

func (b *hierarchical) releaseRules(s int) {
	if s == b.tree.Root() {
		return
	}
	for g := range b.Groups {
		if ready, sends := b.multicast(s, g); len(sends) > 0 {
			b.Rule(fmt.Sprintf("%s: multicast the release of %d", b.tree.Name(s), g),
				program.And(program.Eq(b.down[s].Head(0), g+1), ready), append(sends, b.down[s].Pop())...)
		}
	}
}
