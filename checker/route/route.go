// Package route, internal to unknot, finds routes for a topology without any, by the algorithm of
// an [Engine]. All of them route by destination, as forwarding tables do: the next link depends on
// the node and the destination alone. Which virtual channel (VC) of the link a packet takes depends
// on the engine: on the flow, on the destination, or on the turns that the packet has taken.
package route

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/bfs"
)

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

	// Tied is how many flows have several paths that are as good, of which [Shortest] took one; 0 for other engines.
	Tied int

	// Transit lists terminals that pass on packets of others, if some nodes are not
	// terminals: switches do so, but hosts may not be able to.
	Transit []spec.NodeID

	Check *checker.Result // of Network, if Options.Check asked for it
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
		return nil, fmt.Errorf("invalid engine %q: want one of %s",
			r.Engine, strings.Trim(strings.ReplaceAll(fmt.Sprint(Engines()), " ", ", "), "[]"))
	}
	if err != nil {
		return nil, g.failed(err)
	}
	r.VCs, r.Roots = f.vcs, f.roots
	r.Unreachable, r.Unrouted = g.missing(f)
	if r.Engine == Shortest {
		r.Tied = g.tied(f)
	}
	g.say("compiling")
	if r.Network, err = g.network(ctx, f); err != nil {
		return nil, g.failed(err)
	}
	r.Transit = g.transit(r.Network)
	if r.Measures, err = Measure(ctx, r.Network); err != nil {
		return nil, g.failed(err)
	}
	if opt.Check {
		r.Check, err = checker.Check(ctx, r.Network, checker.Question{
			Workers:  opt.Workers,
			Explore:  checker.Never,
			Progress: opt.Progress,
		})
	}
	return r, err
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
			if far[from] == bfs.Never {
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
