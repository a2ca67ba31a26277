package booksim

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/topology"
)

// mostOfAnynet bounds the routers of an anynet, from each of which a search is made.
const mostOfAnynet = 1 << 13

// anynet reads the network file, which stands beside the configuration.
func (c *Configuration) anynet(ctx context.Context, vcs int, opt Options) (*graph, error) {
	name := path.Clean(c.settings.text("network_file", "."))
	if name == "." {
		return nil, c.settings.wrong("network_file", "want the file of the anynet")
	}
	if opt.Open == nil {
		return nil, c.settings.wrong("network_file", "%.60q: other files are not read here", name)
	}
	text, err := opt.Open(name)
	if err != nil {
		return nil, c.settings.wrong("network_file", "%v", err)
	}
	read, err := topology.Read(ctx, name, text, topology.Options{Format: "anynet", Weight: "latency"})
	if err != nil {
		return nil, err
	}
	wrong := func(format string, args ...any) error {
		return &spec.PosError{File: name, Line: 1, Col: 1, Msg: fmt.Sprintf(format, args...)}
	}
	t := read.Topology
	if t.Nodes() > mostOfAnynet {
		return nil, wrong("%d routers: want at most %d", t.Nodes(), mostOfAnynet)
	}
	home := map[int]int{} // by node: its router
	for r, attributes := range read.Nodes {
		if number := t.Node(spec.NodeID(r)).Name; number != strconv.Itoa(r) {
			return nil, wrong("router %s without router %d: BookSim wants them numbered from 0", number, r)
		}
		for _, a := range attributes {
			if a.Name != "nodes" {
				continue
			}
			for word := range strings.FieldsSeq(fmt.Sprint(a.Value)) {
				i, err := strconv.Atoi(word)
				if err != nil {
					return nil, wrong("node %.40q: %v", word, err)
				}
				home[i] = r
			}
		}
	}
	for i, line := range strings.Split(string(text), "\n") {
		f := strings.Fields(line)
		if len(f) < 2 || !strings.EqualFold(f[0], "node") {
			continue
		}
		if number, err := strconv.Atoi(f[1]); err == nil && number >= t.Nodes() {
			return nil, &spec.PosError{File: name, Line: i + 1, Col: strings.Index(line, f[0]) + 1, Msg: fmt.Sprintf(
				"a line that begins with node %d, to which BookSim makes a router %[1]d: write router first", number)}
		}
	}
	for i := range len(home) {
		if _, has := home[i]; !has {
			return nil, wrong("%d nodes without node %d: BookSim wants them numbered from 0", len(home), i)
		}
	}
	if channels := t.Links() + 2*len(home); channels > mostChannels/vcs {
		return nil, wrong("%d links with %d VCs: want at most %d channels", channels, vcs, mostChannels)
	}
	return c.wired(read, home, vcs), nil
}

// wired gives an anynet its ports: the nodes of a router, then its neighbours, both by number.
func (c *Configuration) wired(read *topology.Graph, home map[int]int, vcs int) *graph {
	t := read.Topology
	nodes, ports := make([][]int, t.Nodes()), 0
	for i := range len(home) {
		nodes[home[i]] = append(nodes[home[i]], i)
	}
	for r := range nodes {
		ports = max(ports, len(nodes[r])+len(t.OutLinks(spec.NodeID(r))))
	}
	g := newGraph(0, 0, 0, vcs, t.Nodes(), ports, len(home), plain("r"))
	g.latency = map[spec.LinkID]int{}
	for r := range nodes {
		for p, i := range nodes[r] {
			g.attach(i, r, p, r, p)
		}
	}
	for r := range nodes {
		links := slices.Clone(t.OutLinks(spec.NodeID(r)))
		slices.SortFunc(links, func(a, b spec.LinkID) int { return cmp.Compare(t.Link(a).To, t.Link(b).To) })
		for i, l := range links {
			p := len(nodes[r]) + i
			g.link(r, p, int(t.Link(l).To), 0, "", "", 0)
			g.latency[g.out[r][p]] = int(read.Weight[l])
		}
	}
	return g
}

// shortest returns the routing function of an anynet: paths of least latency, those that BookSim's search finds first.
func (c *Configuration) shortest(ctx context.Context, g *graph) (func(step) routing.Choice, error) {
	ports := make([][]int16, len(g.router)) // by router and target router: a port
	for r := range ports {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var missing int
		if ports[r], missing = g.search(r); missing >= 0 {
			return nil, c.settings.wrong("network_file", "router %d does not reach router %d", r, missing)
		}
	}
	return func(s step) routing.Choice {
		if s.at == s.home() {
			return s.to(s.delivery(), s.lo, s.hi, 0)
		}
		return s.to(int(ports[s.at][s.home()]), s.lo, s.hi, 0)
	}, nil
}

// queue holds routers by their distance and number.
type queue [][2]int

func (q queue) Len() int           { return len(q) }
func (q queue) Less(a, b int) bool { return slices.Compare(q[a][:], q[b][:]) < 0 }
func (q queue) Swap(a, b int)      { q[a], q[b] = q[b], q[a] }
func (q *queue) Push(x any)        { *q = append(*q, x.([2]int)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

// search returns the first port of a shortest path to each router, and a router without a path, or -1. Dijkstra's
// search; the router that is nearest, and among these first by number, comes next, and the first shortest path counts.
func (g *graph) search(from int) (ports []int16, missing int) {
	ports, distance, done := make([]int16, len(g.router)), make([]int, len(g.router)), make([]bool, len(g.router))
	for r := range ports {
		ports[r], distance[r] = -1, math.MaxInt
	}
	distance[from] = 0
	q := &queue{{0, from}}
	for q.Len() > 0 {
		r := heap.Pop(q).([2]int)[1]
		if done[r] {
			continue
		}
		done[r] = true
		for p, l := range g.out[r] {
			if l == none || int(g.topology.Link(l).To) >= len(g.router) {
				continue // to a node
			}
			to := g.topology.Link(l).To
			if distance[r]+g.latency[l] >= distance[to] {
				continue
			}
			if distance[to] = distance[r] + g.latency[l]; r == from {
				ports[to] = int16(p)
			} else {
				ports[to] = ports[r]
			}
			heap.Push(q, [2]int{distance[to], int(to)})
		}
	}
	return ports, slices.Index(done, false)
}
