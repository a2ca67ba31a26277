package peach2

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// Design of the argument about waiting.
//
// With a register file of one port an address, a packet's way is fixed by where
// it starts and where it goes. So the packet in a buffer waits for one other
// buffer, the next one on its way, and packets can block each other permanently
// only along a cycle of such waits; conversely, if the waits of a cycle belong
// to ways of posted writes, a packet for each of them fills the cycle. All
// (start, destination) pairs are walked and each step recorded once. The order
// that is kept within a link adds waits between its buffers: by the rules of PCI
// Express a read and a completion wait for the posted writes ahead of them. These
// do not close cycles by themselves: what waits for older packets of its own link
// waits for the oldest of them in the end. Buffers that wait for each other both
// ways by order alone are therefore taken for one.
//
// This reads the cluster and nothing of the network that [New] makes, so that
// the two can be compared.

// WaitsOptions describes what waits for what.
type WaitsOptions struct {
	Reads    Reads
	Ordering Ordering
}

// Buffer is the buffer of one direction of a link, named by where the link
// begins: a board's port, or Internal for the link from a board's host.
type Buffer struct {
	From Jack
	Lane int // set of buffers; 0 but for datelines
	Kind int // of its lane
	name string
}

// String is a name such as "3.E" or "host 3 completion".
func (b Buffer) String() string {
	s := b.From.String()
	if b.From.Port == Internal {
		s = "host " + strconv.Itoa(b.From.Board)
	}
	if b.Lane > 0 {
		s += " lane " + strconv.Itoa(b.Lane)
	}
	if b.name != "" {
		s += " " + b.name
	}
	return s
}

// Wait says that a packet in one buffer may wait for another one.
type Wait struct {
	From, To Buffer
	Because  string // such as "a posted write of 0 to 2"
}

// Waiting is the relation of buffers that wait for each other.
type Waiting struct {
	Buffers []Buffer // that some packet uses, by board, port, lane, kind
	Waits   int      // pairs of buffers
	Cycle   []Wait   // a shortest cycle, each wait's To the next one's From; nil if there is none
	Ranks   []int    // by buffer, if there is no cycle: every wait goes to a lower rank
}

// Waits finds out what waits for what in a cluster. It fails if [Inspect] finds
// faults, as ways are then not what they should be.
func Waits(c *Cluster, o WaitsOptions) (*Waiting, error) {
	if int(o.Reads) >= len(ReadsNames) {
		return nil, fmt.Errorf("kind of reads %d does not exist", o.Reads)
	}
	if int(o.Ordering) >= len(OrderingNames) {
		return nil, fmt.Errorf("ordering %d does not exist", o.Ordering)
	}
	all, err := faultless(c)
	if err != nil {
		return nil, err
	}
	g := newWaitGraph(c, o)
	along := func(way []portSet) func(int) Port { return func(b int) Port { return way[b].first() } }
	for node, ways := range all {
		for _, way := range ways {
			for start := range c.Boards {
				if start != node {
					g.transaction(start, node, along(way), along(all[start][0]))
				}
			}
		}
	}
	return g.finish(), nil
}

// waitGraph collects waits.
type waitGraph struct {
	c       *Cluster
	w       wiring
	o       WaitsOptions
	lanes   lanes
	of      [3]int
	names   []string
	number  map[Buffer]int
	buffers []Buffer
	waits   map[[2]int]string // with the first reason
	kinds   map[int][3]bool   // by buffer: the kinds of packets that use it
}

func newWaitGraph(c *Cluster, o WaitsOptions) *waitGraph {
	g := &waitGraph{c: c, w: c.wiring(), o: o, lanes: c.lanes(), number: map[Buffer]int{}, waits: map[[2]int]string{}, kinds: map[int][3]bool{}}
	of, names := o.Reads.buffers()
	g.of, g.names = o.Ordering.join(of, names)
	return g
}

func (g *waitGraph) buffer(from Jack, lane, kind int) int {
	b := Buffer{From: from, Lane: lane, Kind: g.of[kind]}
	if len(g.names) > 1 {
		b.name = g.names[g.of[kind]]
	}
	i, ok := g.number[b]
	if !ok {
		i = len(g.buffers)
		g.number[b] = i
		g.buffers = append(g.buffers, b)
	}
	users := g.kinds[i]
	users[kind] = true
	g.kinds[i] = users
	return i
}

func (g *waitGraph) wait(from, to int, because string) {
	if from < 0 {
		return
	}
	if _, ok := g.waits[[2]int{from, to}]; !ok {
		g.waits[[2]int{from, to}] = because
	}
}

// transaction walks a posted write from one node to another and, if reads are
// allowed, a read and its completion, by the ways to the other node and back.
func (g *waitGraph) transaction(start, node int, there, back func(b int) Port) {
	ends := fmt.Sprintf(" of %d to %d", start, node)
	g.walk(start, node, posted, -1, there, "a posted write"+ends)
	if g.o.Reads != NoReads {
		asked := g.walk(start, node, nonPosted, -1, there, "a read"+ends)
		g.walk(node, start, completion, asked, back, "the completion of a read"+ends)
	}
}

// walk records the waits of one packet, which comes from buffer at (-1: it is
// injected), and returns its last buffer.
func (g *waitGraph) walk(start, end, kind, at int, route func(b int) Port, because string) int {
	enter := func(from Jack, lane int) {
		next := g.buffer(from, lane, kind)
		g.wait(at, next, because)
		at = next
	}
	if g.o.Reads != NoReads {
		enter(Jack{start, Internal}, 0)
	}
	lane, from := 0, Internal
	for b := start; b != end; {
		p := route(b)
		x := g.w[b][p]
		lane = g.lanes.next(lane, from, p, x.dateline)
		enter(Jack{b, p}, lane)
		b, from = x.jack.Board, p
	}
	if g.o.Reads != NoReads && kind != completion {
		enter(Jack{end, North}, 0)
	}
	return at
}

// order adds the waits between the buffers of one link that the ordering rules
// make: for what may not be passed.
func (g *waitGraph) order() {
	for i, x := range g.buffers {
		for j, y := range g.buffers {
			if x.From != y.From || x.Lane != y.Lane || i == j {
				continue
			}
			if earlier := g.unpassed(i, j); earlier >= 0 {
				g.wait(i, j, "what must not pass a "+packetNames[earlier])
			}
		}
	}
}

// unpassed returns a kind of packets of buffer j which some packet of buffer i of
// the same link must not pass; -1: there is none.
func (g *waitGraph) unpassed(i, j int) int {
	for earlier, there := range g.kinds[j] {
		for later, here := range g.kinds[i] {
			if there && here && !g.o.Ordering.passes(later, earlier) {
				return earlier
			}
		}
	}
	return -1
}

// sort numbers the buffers by board, port, lane and kind.
func (g *waitGraph) sort() {
	order := make([]int, len(g.buffers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		x, y := g.buffers[i], g.buffers[j]
		return cmp.Or(cmp.Compare(x.From.Board, y.From.Board), cmp.Compare(x.From.Port, y.From.Port), cmp.Compare(x.Lane, y.Lane), cmp.Compare(x.Kind, y.Kind))
	})
	sorted, now := make([]Buffer, len(order)), make([]int, len(order))
	for to, from := range order {
		sorted[to], now[from] = g.buffers[from], to
	}
	waits := make(map[[2]int]string, len(g.waits))
	for e, because := range g.waits {
		waits[[2]int{now[e[0]], now[e[1]]}] = because
	}
	g.buffers, g.waits = sorted, waits
}

// finish looks for a cycle.
func (g *waitGraph) finish() *Waiting {
	g.order()
	g.sort()
	next := make([][]int, len(g.buffers))
	for e := range g.waits {
		next[e[0]] = append(next[e[0]], e[1])
	}
	for i := range next {
		slices.Sort(next[i])
	}
	r := &Waiting{Buffers: g.buffers, Waits: len(g.waits)}
	var ok bool
	if r.Ranks, ok = ranks(next); ok {
		return r
	}
	r.Ranks = nil
	cycle := shortestCycle(next)
	for i, from := range cycle {
		to := cycle[(i+1)%len(cycle)]
		r.Cycle = append(r.Cycle, Wait{g.buffers[from], g.buffers[to], g.waits[[2]int{from, to}]})
	}
	return r
}

// ranks gives every vertex the length of the longest way from it; not ok if
// there is a cycle.
func ranks(next [][]int) (rank []int, ok bool) {
	rank = make([]int, len(next))
	before := make([][]int, len(next))
	left := make([]int, len(next))
	var ready []int
	for v, ws := range next {
		left[v] = len(ws)
		for _, w := range ws {
			before[w] = append(before[w], v)
		}
		if len(ws) == 0 {
			ready = append(ready, v)
		}
	}
	done := 0
	for ; done < len(ready); done++ {
		for _, v := range before[ready[done]] {
			rank[v] = max(rank[v], rank[ready[done]]+1)
			if left[v]--; left[v] == 0 {
				ready = append(ready, v)
			}
		}
	}
	return rank, done == len(next)
}

// shortestCycle returns one of the shortest cycles, the one that begins at the
// lowest vertex; nil if there is none.
func shortestCycle(next [][]int) []int {
	var best []int
	for v := range next {
		from := make([]int, len(next))
		for i := range from {
			from[i] = -1
		}
	search:
		for queue := []int{v}; len(queue) > 0; queue = queue[1:] {
			for _, w := range next[queue[0]] {
				if w == v {
					var cycle []int
					for x := queue[0]; x != v; x = from[x] {
						cycle = append(cycle, x)
					}
					cycle = append(cycle, v)
					slices.Reverse(cycle)
					if best == nil || len(cycle) < len(best) {
						best = cycle
					}
					break search
				}
				if from[w] < 0 {
					from[w] = queue[0]
					queue = append(queue, w)
				}
			}
		}
	}
	return best
}
