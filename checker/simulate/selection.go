package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Selector is a selection function: it picks one of the free hops. It keeps its own history;
// each run has its own Selector.
type Selector interface {
	// Choose returns the index of the chosen hop. free is never empty, lists hops in the
	// order of the table, and must not be kept.
	Choose(v *View, free []spec.Hop) int
}

// View is what a selection function may look at.
type View struct {
	topo    *spec.Topology
	routes  *routes
	lanes   []lane
	ports   []port
	changed []change
	needed  int32      // credits of a channel that can be granted
	stream  *rand.Rand // or nil; see chance.go
	sizes   []int      // of the dimensions of coordinates
	now     int32
	table   int32 // of the packet
	front   *front
	commit  func(*front, spec.Hop) spec.Hop // see engine.commit
	chance  chance

	Node      spec.NodeID // the node that chooses
	Target    spec.Target // of the packet
	Permitted []spec.Hop  // free or not
}

// Clock returns the clock, from 0.
func (v *View) Clock() int { return int(v.now) }

// Free reports whether an output VC of the node can be granted now, to a hop that needs room for one packet.
func (v *View) Free(c spec.ChannelID) bool { return v.lanes[c].isFree(v.needed) }

// WasFree reports whether a channel could be granted at the end of the previous clock: what a
// node knows of its neighbours.
func (v *View) WasFree(c spec.ChannelID) bool {
	if x := v.changed[c]; x.clock == v.now {
		return x.was
	}
	return v.Free(c)
}

// Carried returns how many flits a link has carried since clock 0.
func (v *View) Carried(l spec.LinkID) int64 { return v.ports[l].carried }

// Random returns a number below n, each equally likely.
func (v *View) Random(n int) int { return v.chance.lessThan(n, v.stream) }

// The output selection functions that Sugiyama and Funahashi compare (see package
// models/selection), on any network whose links have dimensions. All except any choose a link first, and on it the
// free VC with the lowest number, the strictest.

// Functions are the names of the selection functions.
var Functions = []struct{ Name, Doc string }{
	{"any", "any free VC, each equally likely"},
	{"dimension-order", "the lowest dimension that has a free VC"},
	{"random", "a dimension with a free VC, each equally likely"},
	{"zigzag", "of those, the one with most hops left; needs coordinates"},
	{"lru", "of those, the one whose strictest free VC was used least recently"},
	{"lfu", "... least frequently"},
	{"lfu-recent", "... least frequently in the last 1,000 clocks"},
	{"ld", "of those, the one whose link has carried fewest flits"},
	{"s-ccb", "the lowest dimension if all its VCs are free, else the highest that has a free one"},
	{
		"ccb",
		"the highest if at most one VC of the lowest is free, else the one whose next node had most free VCs a clock " +
			"ago",
	},
	{"ccb-loosest", "as ccb, but of the free VCs of the link the one with the highest number, the loosest"},
}

// Function returns what makes a selection function for each run; ok is false if there is
// none of that name.
func Function(name string) (make func() Selector, ok bool) {
	choose, ok := map[string]func(*chooser, *View, []output) int{
		"dimension-order": func(*chooser, *View, []output) int { return 0 },
		"random":          func(_ *chooser, v *View, w []output) int { return v.Random(len(w)) },
		"zigzag":          (*chooser).farthest,
		"lru": func(c *chooser, _ *View, w []output) int {
			return least(w, func(w output) int64 { return c.last[w.free[0].Channel] })
		},
		"lfu": func(c *chooser, _ *View, w []output) int {
			return least(w, func(w output) int64 { return c.times[w.free[0].Channel] })
		},
		"lfu-recent": func(c *chooser, v *View, w []output) int {
			return least(w, func(w output) int64 { return c.recently(w.free[0].Channel, v.now) })
		},
		"ld": func(_ *chooser, v *View, w []output) int {
			return least(w, func(w output) int64 { return v.Carried(w.link) })
		},
		"s-ccb":       (*chooser).highest,
		"ccb":         (*chooser).lookAhead,
		"ccb-loosest": (*chooser).lookAhead,
	}[name]
	if name == "any" {
		return nil, true
	}
	recent, loosest := name == "lfu-recent", name == "ccb-loosest"
	return func() Selector { return &chooser{choose: choose, recent: recent, loosest: loosest} }, ok
}

// Suits returns why a selection function is meaningless for a network: it chooses by dimensions or
// coordinates, and the network has none.
func Suits(name string, n *spec.Network) error {
	byDimension := slices.Contains([]string{"dimension-order", "zigzag", "s-ccb", "ccb", "ccb-loosest"}, name)
	byCoordinates := name == "zigzag"
	t := n.Topology()
	for l := spec.LinkID(0); byDimension && int(l) < t.Links(); l++ {
		byDimension = t.Link(l).Dim == 0
	}
	for v := spec.NodeID(0); byCoordinates && int(v) < t.Nodes(); v++ {
		byCoordinates = len(t.Node(v).At) == 0
	}
	switch {
	case byDimension:
		return fmt.Errorf("selection function %s chooses by dimension, and no link of %s has one: want dim= of "+
			"links, or another function", name, n.Name())
	case byCoordinates:
		return fmt.Errorf("selection function %s chooses by coordinates, and no node of %s has any: want at= of "+
			"nodes, or another function", name, n.Name())
	}
	return nil
}

// output is a link that has free VCs for a packet.
type output struct {
	link spec.LinkID
	dim  int
	free []spec.Hop
}

// chooser is a selection function with its history.
type chooser struct {
	choose      func(*chooser, *View, []output) int
	recent      bool      // clocks are kept
	loosest     bool      // of the VCs of a link the last is taken, not the first
	outputs     []output  // scratch
	last, times []int64   // by channel: when it was last chosen, and how often
	clocks      [][]int32 // by channel: when it was chosen in the last period, ascending
}

// period is what "a fixed period of the past" means to lfu-recent; Martinez and others (2000) do not say how long.
const period = 1000

// recently counts how often a channel was chosen in the last period.
func (c *chooser) recently(channel spec.ChannelID, now int32) int64 {
	of := c.clocks[channel]
	for len(of) > 0 && of[0] <= now-period {
		of = of[1:]
	}
	c.clocks[channel] = of
	return int64(len(of))
}

func (c *chooser) Choose(v *View, free []spec.Hop) int {
	t := v.topo
	if c.last == nil {
		c.last, c.times = make([]int64, t.Channels()), make([]int64, t.Channels())
		c.clocks = make([][]int32, t.Channels())
	}
	c.outputs = c.outputs[:0]
	for i, h := range free { // ascending by channel, so by link
		link := t.LinkOf(h.Channel)
		if n := len(c.outputs); n > 0 && c.outputs[n-1].link == link {
			c.outputs[n-1].free = c.outputs[n-1].free[:len(c.outputs[n-1].free)+1]
			continue
		}
		c.outputs = append(c.outputs, output{link, t.Link(link).Dim, free[i : i+1 : len(free)]})
	}
	slices.SortFunc(c.outputs, func(a, b output) int {
		if a.dim != b.dim {
			return a.dim - b.dim
		}
		return int(a.link - b.link)
	})
	of := c.outputs[c.choose(c, v, c.outputs)].free
	hop := of[0]
	if c.loosest {
		hop = of[len(of)-1]
	}
	if c.recent {
		c.clocks[hop.Channel] = append(c.clocks[hop.Channel], v.now)
	}
	c.last[hop.Channel] = int64(v.Clock()) + 1
	c.times[hop.Channel]++
	return slices.Index(free, hop)
}

// least returns the index of the first output with the least key.
func least(outputs []output, key func(output) int64) int {
	best := 0
	for i, w := range outputs {
		if key(w) < key(outputs[best]) {
			best = i
		}
	}
	return best
}

// farthest takes the dimension with the most hops left when using the link; of several, the lowest.
func (c *chooser) farthest(v *View, outputs []output) int {
	return least(outputs, func(w output) int64 { return -v.left(w.link) })
}

// left returns the hops that a packet has left in the dimension of a link, or 0 without coordinates.
func (v *View) left(l spec.LinkID) int64 {
	t := v.topo
	link := t.Link(l)
	from, to, dest := t.Node(link.From).At, t.Node(link.To).At, t.Node(v.Target.Dest).At
	d := link.Dim - 1
	if d < 0 || d >= min(len(from), len(to), len(dest)) {
		return 0
	}
	k := v.size(d)
	step := 1
	if (to[d]-from[d]+k)%k == k-1 && k > 2 || to[d] < from[d] && k == 2 {
		step = -1
	}
	return int64(((dest[d]-from[d])*step%k + k) % k)
}

// size returns the number of coordinates in a dimension.
func (v *View) size(d int) int {
	for len(v.sizes) <= d {
		most := 0
		for node := range spec.NodeID(v.topo.Nodes()) {
			if at := v.topo.Node(node).At; len(at) > len(v.sizes) {
				most = max(most, at[len(v.sizes)]+1)
			}
		}
		v.sizes = append(v.sizes, most)
	}
	return v.sizes[d]
}

// lowest returns the lowest permitted link, free or not, and the number of permitted
// links.
func (v *View) lowest() (lowest spec.LinkID, links int) {
	t := v.topo
	last := spec.LinkID(-1)
	for _, h := range v.Permitted {
		l := t.LinkOf(h.Channel)
		if l == last {
			continue
		}
		if links == 0 || t.Link(l).Dim < t.Link(lowest).Dim {
			lowest = l
		}
		last = l
		links++
	}
	return lowest, links
}

// freeVCs counts the free VCs of a link, whether the packet may use them or not.
func (v *View) freeVCs(l spec.LinkID) (free, all int) {
	first := v.topo.Channel(l, 0)
	all = v.topo.Link(l).VCs
	for vc := range spec.ChannelID(all) {
		if v.Free(first + vc) {
			free++
		}
	}
	return free, all
}

// highest is S-CCB.
func (c *chooser) highest(v *View, outputs []output) int {
	lowest, links := v.lowest()
	free, all := v.freeVCs(lowest)
	if links > 1 && free == all && outputs[0].link == lowest {
		return 0
	}
	return len(outputs) - 1
}

// lookAhead is CCB: of the dimensions with a free VC here (reading "free-here").
func (c *chooser) lookAhead(v *View, outputs []output) int {
	lowest, _ := v.lowest()
	if free, _ := v.freeVCs(lowest); free <= 1 || len(outputs) == 1 {
		return len(outputs) - 1
	}
	best, most := 0, -1
	for i, w := range outputs {
		if n := v.lookahead(w.free[0]); n >= most { // ties go to the higher dimension
			best, most = i, n
		}
	}
	return best
}

// lookahead counts the VCs that the packet could use at the next node and that were free a
// clock ago; at its destination, all count as free. If the routing commits the packet there, only the alternative
// counts to which it would be committed.
func (v *View) lookahead(h spec.Hop) int {
	if v.front != nil {
		h = v.commit(v.front, h)
	}
	row := v.routes.row(v.table, int32(h.Channel), v.lanes[h.Channel].in, h.Tag)
	n := 0
	for _, next := range v.routes.permitted(row) {
		if next.Discards() {
			continue
		}
		if next.Channel == spec.Eject {
			return v.topo.Channels()
		}
		if v.WasFree(next.Channel) {
			n++
		}
	}
	return n
}
