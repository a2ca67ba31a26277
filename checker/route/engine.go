package route

import (
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/checker/internal/layers"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
	"github.com/seed-105a2da2/unknot/spec/support/words"
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

// Weighs reports whether an engine takes shortest paths by weight, if links have weights. Of paths with equal sums it
// goes on over the link of least weight, and of these over the one with the least load. So a mesh whose links have
// weight 1 along x and 2 along y is routed XY.
func (e Engine) Weighs() bool { return e == Shortest || e == LASH || e == DFSSSP }

// MostVCs is the largest number of VCs that an engine may use.
const MostVCs = layers.Most

// Options says how to route. The zero value routes every node to every other one.
type Options struct {
	Engine    Engine        // "": Shortest
	VCs       int           // the most that a link may have; 0: as many as the engine takes
	Weights   []int32       // by link, at least 1: shortest paths have the least sum, see Engine.Weighs; nil: 1 each
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

// VCsError says that an engine takes more VCs than allowed.
type VCsError struct {
	Engine Engine
	Most   int // VCs allowed
}

func (e *VCsError) Error() string {
	return fmt.Sprintf("%s takes more than %s here", e.Engine, words.Plural(e.Most, "VC"))
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
	switch {
	case opt.Weights == nil:
	case !opt.Engine.Weighs():
		return nil, fmt.Errorf("%s takes no weights of links: want %s, %s or %s", opt.Engine, Shortest, LASH, DFSSSP)
	case len(opt.Weights) != t.Links() || t.Links() > 0 && slices.Min(opt.Weights) < 1:
		return nil, fmt.Errorf("%d weights for %d links: want one of at least 1 for each", len(opt.Weights), t.Links())
	}
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

// distances returns, by node, the least number of links to a node, or bfs.Never.
func distances(t *spec.Topology, to spec.NodeID) []int32 {
	far, _ := bfs.Levels(t.Nodes(), []spec.NodeID{to}, func(v spec.NodeID, visit func(spec.NodeID)) {
		for _, l := range t.InLinks(v) {
			visit(t.Link(l).From)
		}
	})
	return far
}
