package draw

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Kind is what a picture of a network shows.
type Kind string

const (
	OfTopology     Kind = "topology" // nodes and links
	OfDependencies Kind = "cdg"      // the channel dependency graph
	OfExtended     Kind = "ecdg"     // the extended one, with indirect and cross dependencies
	OfCycle        Kind = "cycle"    // a shortest cycle of the channel dependency graph
	OfEscape       Kind = "escape"   // the escape hops of the certificate
)

// Part is how much of the channel dependency graph a picture shows.
type Part string

const (
	Readable  Part = "auto"   // as much as can be read: all of it, what is on cycles, or a shortest cycle
	Whole     Part = "all"    // all of it
	OnCycles  Part = "cyclic" // its strongly connected parts
	LeastPart Part = "cycle"  // a shortest cycle
)

// Options says what a picture of a network shows.
type Options struct {
	Kind     Kind
	Part     Part // of the channel dependency graph; of other graphs, Whole draws them whatever their size
	Complete bool // for programs, which get everything
}

// readable is the number of channels up to which a picture shows all of them by default.
const readable = 200

// SizeError says that a picture would show too many channels to read, unless it is to show all.
type SizeError struct {
	Name     string // of the network
	Channels int
}

// Error says how many channels there are.
func (e *SizeError) Error() string {
	return fmt.Sprintf("%s has no cycle to show and %d channels, too many to read", e.Name, e.Channels)
}

// ExtendedError says that no extended dependency graph is behind a verdict.
type ExtendedError struct {
	Name string // of the network
	Kind proofs.Kind
}

// Error says which kind of certificate the verdict rests on.
func (e *ExtendedError) Error() string {
	return fmt.Sprintf("%s needs no extended dependency graph: its evidence is a certificate of kind %s", e.Name, e.Kind)
}

// Network draws a network. What a certificate shows is decided first. The error is a *[SizeError], an *[ExtendedError],
// or says that there is no cycle or escape; or the cause of ctx.
func Network(ctx context.Context, n *spec.Network, opt Options) (g *Graph, err error) {
	switch opt.Kind {
	case OfTopology:
		g = Topology(n.Name(), n.Topology()).Sending(routing.Terminals(n))
	case OfExtended:
		g, err = extended(ctx, n, opt)
	case OfEscape:
		g, err = escape(ctx, n, opt)
	default:
		g, err = dependencies(ctx, n, opt)
	}
	if err != nil {
		return nil, err
	}
	g.Name = n.Name() + ": " + string(opt.Kind)
	return g, nil
}

func dependencies(ctx context.Context, n *spec.Network, opt Options) (*Graph, error) {
	g, err := dependency.Of(ctx, n)
	if err != nil {
		return nil, err
	}
	cycle, _ := g.ShortestCycle()
	if cycle == nil && (opt.Kind == OfCycle || opt.Part == LeastPart || opt.Part == OnCycles) {
		return nil, fmt.Errorf("%s has no cycle to draw: its channel dependency graph is acyclic", n.Name())
	}
	if opt.Kind == OfCycle {
		return Cycle(n, cycle), nil
	}
	channels := opt.choose(g, cycle)
	if len(channels) > readable && opt.Part == Readable && !opt.Complete {
		return nil, &SizeError{n.Name(), len(channels)}
	}
	if opt.Part == LeastPart {
		return Cycle(n, cycle), nil
	}
	return explained(n.Topology(), channels, dependency.Explain(n, g.EdgesAmong(channels)), cycle), nil
}

// choose picks the channels of a dependency graph to draw.
func (o *Options) choose(g *dependency.Graph, cycle []spec.ChannelID) []spec.ChannelID {
	used := g.UsedChannels()
	switch {
	case o.Part == Whole || o.Part == Readable && (o.Complete || len(used) <= readable) || cycle == nil:
		return used
	case o.Part == LeastPart:
		return cycle
	}
	cyclic := g.CyclicChannels()
	if o.Part == Readable && len(cyclic) > readable {
		return cycle
	}
	return cyclic
}

// certificate decides deadlock and returns its certificate.
func certificate(ctx context.Context, n *spec.Network) (*proofs.Certificate, error) {
	r, err := checker.Check(ctx, n, checker.Question{Properties: []string{spec.DeadlockFreedom.String()}})
	if err != nil {
		return nil, err
	}
	if c := r.Findings[0].Certificate(); c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("%s has no escape to draw: deadlock freedom is %s", n.Name(), r.Findings[0].Verdict)
}

func escape(ctx context.Context, n *spec.Network, opt Options) (*Graph, error) {
	c, err := certificate(ctx, n)
	if err != nil {
		return nil, err
	}
	edges, err := dependency.Escape(ctx, n, c)
	if err != nil {
		return nil, err
	}
	return opt.explained(n, dependency.Ends(edges), dependency.Explain(n, edges))
}

func extended(ctx context.Context, n *spec.Network, opt Options) (*Graph, error) {
	c, err := certificate(ctx, n)
	if err != nil {
		return nil, err
	}
	if c.Kind != proofs.ExtendedEscape {
		return nil, &ExtendedError{n.Name(), c.Kind}
	}
	mostSites := 200_000
	if opt.Complete {
		mostSites = math.MaxInt
	}
	all, err := dependency.Extended(ctx, n, c, mostSites)
	if err != nil {
		return nil, err
	}
	var edges []dependency.Edge
	for _, d := range all {
		edges = append(edges, d.Edge)
	}
	return opt.explained(n, dependency.Ends(edges), all)
}

// explained draws dependencies among channels unless they are too many to read.
func (o *Options) explained(n *spec.Network, ends []spec.ChannelID, all []dependency.Dependency) (*Graph, error) {
	if len(ends) > readable && o.Part != Whole && !o.Complete {
		return nil, &SizeError{n.Name(), len(ends)}
	}
	return explained(n.Topology(), ends, all, nil), nil
}

// Large reports whether a picture cannot show each link and each host by itself: there are more than 4,000 edges, or it
// would be wider than 100 inches. See [Overview].
func (g *Graph) Large() bool { return len(g.Edges) > 4000 || g.Width() > 100 }

// MostPlaced is the number of edges that Graphviz lays out in a minute, with luck: ten times as many if the nodes have
// places already. See [Rows].
func (g *Graph) MostPlaced() int {
	if g.Placed() {
		return 20_000
	}
	return 2000
}
