// Package route finds routes for a topology that has none, by the algorithm of an
// [Engine]. All of them route by destination, as forwarding tables do: the next link
// depends on the node and the destination alone. Which virtual channel (VC) of the link a
// packet takes depends on the engine: on the flow, on the destination, or on the turns
// that the packet has taken.
package route

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/explain"
	"github.com/seed-105a2da2/unknot/checker/internal/layers"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Engine is an algorithm that finds routes.
type Engine string

const (
	// Shortest takes shortest paths, spread evenly over the links (SSSP: Hoefler,
	// Schneider and Lumsdaine 2009). It takes one VC and may deadlock.
	Shortest Engine = "shortest"
	// UpDown goes up and then down in an order of the nodes (Schroeder et al. 1991).
	// It takes one VC.
	UpDown Engine = "updown"
	// DimensionOrder goes along one dimension after the other, for nodes with coordinates. It
	// takes one VC, or two if routes on one close a cycle, and is deadlock-free on meshes, tori
	// and wherever else lines are paths, rings or complete.
	DimensionOrder Engine = "dor"
	// LASH takes shortest paths and puts each flow on the first VC where it closes no cycle
	// (Skeie, Lysne and Theiss 2002). The paths are those of Shortest or, if those take more VCs
	// than allowed, paths that are not spread.
	LASH Engine = "lash"
	// DFSSSP is Shortest with each flow on one VC. All start on the first, and the flows through
	// the weakest turn of a cycle move to the next (Domke, Hoefler and Nagel 2011).
	DFSSSP Engine = "dfsssp"
	// Nue grows the routes to a destination inside the complete dependency graph of one VC, so
	// that no cycle ever arises (Domke, Hoefler and Matsuoka 2016). It takes as many VCs as
	// allowed, one if no number is given, and more if links lead one way.
	Nue Engine = "nue"
)

// Engines lists all engines.
func Engines() []Engine { return []Engine{Shortest, UpDown, DimensionOrder, LASH, DFSSSP, Nue} }

// MostVCs is the largest number of VCs that an engine may use.
const MostVCs = layers.Most

// Options says how to route. The zero value routes every node to every other one.
type Options struct {
	Engine    Engine        // "": Shortest
	VCs       int           // the most that a link may have; 0: as many as the engine takes
	Terminals []spec.NodeID // nodes that send and receive; nil: all
	Roots     []spec.NodeID // where the order of nodes begins, if the engine has one; nil: it chooses
	Name      string        // of the topology; "" means "topology"
	Switching spec.Switching
	Buffer    int  // packets a channel holds (flits with wormhole switching); 0 means 1
	Check     bool // decide the routed network
	Workers   int  // goroutines; 0 means one per core
	MaxSites  int  // more sites, counting flows, are a *spec.BoundError; 0: no bound
	Progress  func(routing.Progress)
}

// Pair is a flow.
type Pair struct{ From, To spec.NodeID }

// Result is what an engine found.
type Result struct {
	Engine   Engine
	Network  *spec.Network // each link has VCs VCs; packets of flows without a route are stranded at their sources
	VCs      int           // that the routes use
	Measures               // of Network
	Roots    []spec.NodeID // where the engine's order of nodes begins; nil: it has none

	Unreachable []Pair // flows without a route: no links lead from one node to the other
	Unrouted    []Pair // flows for which links do, but the engine found no route

	// Transit lists terminals that pass on packets of others, if some nodes are not
	// terminals: switches do so, but hosts may not be able to.
	Transit []spec.NodeID

	Check *checker.Result // of Network, if Options.Check asked for it
}

// VCsError says that an engine takes more VCs than allowed.
type VCsError struct {
	Engine Engine
	Most   int // VCs allowed
}

func (e *VCsError) Error() string {
	return fmt.Sprintf("%s takes more than %s here", e.Engine, explain.Plural(e.Most, "VC"))
}

// Route routes a topology. Virtual channels that its links already have are ignored: each
// link between two nodes gets as many as the engine takes, and links from a node to itself
// are left alone. The same arguments give the same network, byte for byte. The error is a
// *VCsError if the engine takes more VCs than allowed.
func Route(ctx context.Context, t *spec.Topology, opt Options) (*Result, error) {
	g, err := newGround(t, opt)
	if err != nil {
		return nil, err
	}
	r := &Result{Engine: g.opt.Engine}
	var f *forwarding
	switch r.Engine {
	case Shortest:
		f, err = g.shortest(ctx, true)
	case UpDown:
		f, err = g.updown(ctx)
	case DimensionOrder:
		f, err = g.dor(ctx)
	case LASH:
		f, err = g.lash(ctx)
	case DFSSSP:
		f, err = g.dfsssp(ctx)
	case Nue:
		f, err = g.nue(ctx)
	default:
		return nil, fmt.Errorf("invalid engine %q: want one of %s", r.Engine, strings.Trim(strings.ReplaceAll(fmt.Sprint(Engines()), " ", ", "), "[]"))
	}
	if err != nil {
		return nil, g.failed(err)
	}
	r.VCs, r.Roots = f.vcs, f.roots
	r.Unreachable, r.Unrouted = g.missing(f)
	g.say("compiling")
	if r.Network, err = g.network(ctx, f); err != nil {
		return nil, g.failed(err)
	}
	r.Transit = g.transit(r.Network)
	if r.Measures, err = Measure(ctx, r.Network); err != nil {
		return nil, g.failed(err)
	}
	if opt.Check {
		r.Check, err = checker.Decide(ctx, r.Network, checker.Options{Workers: opt.Workers, Settle: -1, Progress: opt.Progress})
	}
	return r, err
}

// ground is what every engine starts from.
type ground struct {
	t        *spec.Topology
	opt      Options
	ends     []spec.NodeID // terminals, ascending
	terminal []bool        // by node
}

func newGround(t *spec.Topology, opt Options) (*ground, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	if opt.Engine == "" {
		opt.Engine = Shortest
	}
	if opt.Name == "" {
		opt.Name = "topology"
	}
	if opt.VCs < 0 || opt.VCs > MostVCs {
		return nil, fmt.Errorf("invalid number of VCs %d: want 1 to %d, or 0 for as many as it takes", opt.VCs, MostVCs)
	}
	g := &ground{t: t, opt: opt, terminal: make([]bool, t.Nodes())}
	for _, list := range [][]spec.NodeID{opt.Terminals, opt.Roots} {
		for _, v := range list {
			if v < 0 || int(v) >= t.Nodes() {
				return nil, fmt.Errorf("invalid node %d: want 0 to %d", v, t.Nodes()-1)
			}
		}
	}
	for _, v := range opt.Terminals {
		g.terminal[v] = true
	}
	for v := range g.terminal {
		if g.terminal[v] = g.terminal[v] || opt.Terminals == nil; g.terminal[v] {
			g.ends = append(g.ends, spec.NodeID(v))
		}
	}
	if flows := len(g.ends) * (len(g.ends) - 1); opt.MaxSites > 0 && flows > opt.MaxSites { // before any work
		return nil, g.failed(&spec.BoundError{What: "sites", Limit: opt.MaxSites})
	}
	return g, nil
}

func (g *ground) say(stage string) {
	if g.opt.Progress != nil {
		g.opt.Progress(routing.Progress{Stage: stage})
	}
}

func (g *ground) failed(err error) error {
	return fmt.Errorf("routing %s by %s: %w", g.opt.Name, g.opt.Engine, err)
}

// missing lists the flows without a route.
func (g *ground) missing(f *forwarding) (unreachable, unrouted []Pair) {
	for d, to := range g.ends {
		var far []int32
		for _, from := range g.ends {
			if from == to || f.tree(d)[from] >= 0 {
				continue
			}
			if far == nil {
				far = distances(g.t, to)
			}
			if far[from] < 0 {
				unreachable = append(unreachable, Pair{from, to})
			} else {
				unrouted = append(unrouted, Pair{from, to})
			}
		}
	}
	return unreachable, unrouted
}

// transit lists the terminals that routes pass through, if not all nodes are terminals.
func (g *ground) transit(n *spec.Network) (through []spec.NodeID) {
	if len(g.ends) == g.t.Nodes() {
		return nil
	}
	passed := make([]bool, g.t.Nodes())
	for i := range n.Tables() {
		t := n.Table(i)
		for k, c := range t.Channels {
			v := n.Topology().Head(c)
			passed[v] = passed[v] || g.terminal[v] && v != t.Dest && n.Row(t.Rows[k])[0].Channel != spec.Eject
		}
	}
	for v, yes := range passed {
		if yes {
			through = append(through, spec.NodeID(v))
		}
	}
	return through
}

// distances returns, by node, the least number of links to a node; -1: no links lead there.
func distances(t *spec.Topology, to spec.NodeID) []int32 {
	far := slices.Repeat([]int32{-1}, t.Nodes())
	far[to] = 0
	queue := []spec.NodeID{to}
	for i := 0; i < len(queue); i++ {
		for _, l := range t.In(queue[i]) {
			if v := t.Link(l).From; far[v] < 0 {
				far[v] = far[queue[i]] + 1
				queue = append(queue, v)
			}
		}
	}
	return far
}
