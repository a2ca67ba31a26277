package draw

import (
	"context"
	"math"
	"strconv"

	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/spec"
)

// Dependencies draws the whole channel dependency graph of a network, with a shortest cycle, if
// there is one, in bold, and the reason of each edge.
func Dependencies(ctx context.Context, n *spec.Network) (*Graph, error) {
	g, err := dependency.Of(ctx, n)
	if err != nil {
		return nil, err
	}
	used := g.UsedChannels()
	cycle, _ := g.ShortestCycle()
	drawn := explained(n.Topology(), used, dependency.Explain(n, g.EdgesAmong(used)), cycle)
	drawn.Name = n.Name() + ": cdg"
	return drawn, nil
}

// Channels draws all dependencies among some channels of a network, coloured by VC, with those around a cycle, which may
// be nil, in bold. If the nodes have coordinates, a channel is half way along its link, on the right as seen by its
// packets, so that channels of opposite links and further VCs do not overlap; that of a wrap link is outside the tail. A
// graph that is one cycle has labels, and is drawn as a cycle if it would be lost in the topology or the topology has no
// places. The graph is unnamed.
func Channels(ctx context.Context, n *spec.Network, channels, cycle []spec.ChannelID) (*Graph, error) {
	g, err := dependency.Of(ctx, n)
	if err != nil {
		return nil, err
	}
	return explained(n.Topology(), channels, dependency.Explain(n, g.EdgesAmong(channels)), cycle), nil
}

// Cycle draws a cycle of the channel dependency graph of a network as Channels does, without other dependencies among
// its channels.
func Cycle(n *spec.Network, cycle []spec.ChannelID) *Graph {
	return explained(n.Topology(), cycle, dependency.Explain(n, dependency.Around(cycle)), cycle)
}

// explained draws dependencies among channels; those of other channels are left out.
func explained(
	t *spec.Topology, channels []spec.ChannelID, edges []dependency.Dependency, cycle []spec.ChannelID,
) *Graph {
	bold := map[dependency.Edge]bool{}
	for _, e := range dependency.Around(cycle) {
		bold[e] = true
	}
	var arrows []arrow
	for _, d := range edges {
		arrows = append(arrows, arrow{
			d.Edge, d.Kind.String(), d.Sentence(t), "for " + t.Node(d.At.Header.Dest).Name, bold[d.Edge],
		})
	}
	return drawChannels(t, channels, arrows)
}

// arrow is an edge between two channels to be drawn.
type arrow struct {
	dependency.Edge
	kind   string // that of a dependency, or what it stands for between packets that wait
	reason string // the tooltip
	label  string // in a cycle drawn by itself
	bold   bool
}

func drawChannels(t *spec.Topology, channels []spec.ChannelID, arrows []arrow) *Graph {
	g := &Graph{}
	number := make(map[spec.ChannelID]int, len(channels))
	var different []spec.ChannelID
	for _, c := range channels {
		if _, again := number[c]; !again {
			number[c] = len(different)
			different = append(different, c)
			g.Nodes = append(g.Nodes, vertex(t, c))
		}
	}
	label := map[[2]int]string{}
	for _, e := range arrows {
		from, listed := number[e.From]
		to, both := number[e.To]
		if !listed || !both {
			continue
		}
		g.Edges = append(g.Edges, e.edge(from, to))
		label[[2]int{from, to}] = e.label
		if e.bold {
			g.Nodes[from].Bold, g.Nodes[to].Bold = true, true
		}
	}
	g.NodeGroups = vcGroups(t, g.Nodes)
	g.EdgeGroups = kindGroups(g.Edges)
	round := cycleOf(g)
	if round == nil {
		placeChannels(t, different, g)
		return g
	}
	for i, e := range g.Edges {
		g.Edges[i].Label = label[[2]int{e.From, e.To}]
	}
	const small = 64 // nodes, few enough to find a cycle at a glance
	if t.Nodes() <= small && Place(t, 1) != nil {
		placeChannels(t, different, g)
	} else {
		placeCycle(g, round)
	}
	return g
}

// cycleOf returns the nodes of a graph that is a single cycle, in order; otherwise nil.
func cycleOf(g *Graph) []int {
	next := make(map[int]int, len(g.Nodes))
	for _, e := range g.Edges {
		next[e.From] = e.To
	}
	if len(next) != len(g.Nodes) || len(g.Edges) != len(g.Nodes) || len(g.Nodes) < 3 {
		return nil
	}
	order := []int{0}
	for v := next[0]; v != 0 && len(order) <= len(g.Nodes); v = next[v] {
		order = append(order, v)
	}
	if len(order) != len(g.Nodes) {
		return nil
	}
	return order
}

// placeCycle places the nodes of a cycle clockwise, the first at the top.
func placeCycle(g *Graph, order []int) {
	wide, high := room(g.Nodes)
	radius := around(len(order), wide+high)
	for i, v := range order {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(order)))
		g.Nodes[v].At = &Point{radius * sin, radius * cos}
	}
}

func vertex(t *spec.Topology, c spec.ChannelID) Node {
	n := Node{Label: t.ChannelName(c), Tooltip: "channel " + strconv.Itoa(int(c))}
	if c >= 0 {
		n.Group = 1 + t.VC(c)
		n.Tooltip += ", VC " + strconv.Itoa(t.VC(c)) + " of link " + describe(t, t.LinkOf(c))
	}
	return n
}

// The groups of dependencies that are not direct. Their colours are those of
// VCs that few networks have.
const (
	directCross   = 4
	indirectCross = 5
	indirect      = 6
)

// edge returns the edge that draws the arrow edge two nodes of the picture.
func (a arrow) edge(from, to int) Edge {
	e := Edge{From: from, To: to, Bold: a.bold, Tooltip: a.reason}
	switch a.kind {
	case dependency.Indirect.String():
		e.Dashed, e.Group = true, indirect
	case dependency.DirectCross.String():
		e.Group = directCross
	case dependency.IndirectCross.String():
		e.Dashed, e.Group = true, indirectCross
	}
	if e.Group > 0 {
		e.Tooltip += " (" + a.kind + ")"
	}
	return e
}

// vcGroups names the groups of channels, if there are several.
func vcGroups(t *spec.Topology, nodes []Node) []string {
	const colours = 7
	last := 0
	for _, n := range nodes {
		last = max(last, min(n.Group, colours))
	}
	if last < 2 {
		return nil
	}
	names := []string{""}
	for vc := range last {
		names = append(names, t.VCName(vc))
	}
	return names
}

// kindGroups names the groups of dependencies, if there are several.
func kindGroups(edges []Edge) []string {
	for _, e := range edges {
		if e.Group > 0 {
			return []string{
				0:             "direct",
				directCross:   "direct cross",
				indirectCross: "indirect cross (dashed)",
				indirect:      "indirect (dashed)",
			}
		}
	}
	return nil
}

// placeChannels places the nodes of g, which are the given channels, if coordinates
// determine their places.
func placeChannels(t *spec.Topology, channels []spec.ChannelID, g *Graph) {
	const unit = 2.6 // inches between neighbouring nodes, at least
	wide, high := room(g.Nodes)
	most := 0
	for _, c := range channels {
		if c == spec.Eject {
			return
		}
		if c >= 0 {
			most = max(most, t.VC(c)+1)
		}
	}
	const widest = 12 // VCs; with more, everything else would be too small to see
	scale := max(unit, wide*(float64(min(2*most, widest))+0.4))
	l := Place(t, scale)
	if l == nil {
		return
	}
	taken := crowd{width: wide, height: high, cells: map[[2]int][]Point{}}
	for i, c := range channels {
		p, aside := besideLink(t, l, c, wide, high)
		for taken.occupied(p) {
			p = p.Plus(aside)
		}
		taken.add(p)
		g.Nodes[i].At = &p
	}
	closeUp(g.Nodes, wide+1, high+1)
}

// closeUp moves few nodes of many, such as a cycle, together until two of them are in
// neighbouring cells of the given size.
func closeUp(nodes []Node, wide, high float64) {
	const few, far = 200, 1.5
	if len(nodes) < 2 || len(nodes) > few {
		return
	}
	apart := math.Inf(1)
	for i := range nodes {
		for k := range i {
			d := nodes[i].At.Minus(*nodes[k].At)
			apart = min(apart, max(math.Abs(d.X)/wide, math.Abs(d.Y)/high))
		}
	}
	if apart > far {
		for i := range nodes {
			p := nodes[i].At.Times(1 / apart)
			nodes[i].At = &p
		}
	}
}

// besideLink returns the place of a channel, and which way to move it if that is
// taken.
func besideLink(t *spec.Topology, l *Layout, c spec.ChannelID, wide, high float64) (at, aside Point) {
	head := l.At[t.Head(c)]
	if c.IsInjection() {
		return head, Point{0, -high}
	}
	tail := l.At[t.Tail(c)]
	along := head.Minus(tail)
	if along == (Point{}) { // a request buffer: a link from the node to itself
		return head.Plus(Point{0, high}), Point{0, high}
	}
	middle := tail.Plus(along.Times(0.5))
	if half, wraps := l.Wraps(t.Link(t.LinkOf(c))); wraps {
		along, middle = half, tail.Plus(half)
	}
	length := math.Hypot(along.X, along.Y)
	right := Point{along.Y / length, -along.X / length}
	// A box is wider than high, so more room is needed sideways.
	aside = right.Times(max(math.Abs(right.X)*wide, high))
	return middle.Plus(aside.Times(0.55 + float64(t.VC(c)))), aside
}

// crowd finds out quickly whether a box would overlap those placed before.
type crowd struct {
	width, height float64
	cells         map[[2]int][]Point
}

func (c *crowd) cell(p Point) (x, y int) {
	return int(math.Floor(p.X / c.width)), int(math.Floor(p.Y / c.height))
}

func (c *crowd) add(p Point) {
	x, y := c.cell(p)
	c.cells[[2]int{x, y}] = append(c.cells[[2]int{x, y}], p)
}

func (c *crowd) occupied(p Point) bool {
	const slack = 0.95
	x, y := c.cell(p)
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			for _, q := range c.cells[[2]int{x + dx, y + dy}] {
				if math.Abs(p.X-q.X) < slack*c.width && math.Abs(p.Y-q.Y) < slack*c.height {
					return true
				}
			}
		}
	}
	return false
}
