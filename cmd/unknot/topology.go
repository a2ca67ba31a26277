package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed-105a2da2/unknot/checker/route"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/fabric"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/booksim"
	"github.com/seed-105a2da2/unknot/spec/routing/listed"
	"github.com/seed-105a2da2/unknot/spec/support/words"
	"github.com/seed-105a2da2/unknot/spec/topology"
)

// formatOf returns the format of a file that has only a topology; "" if it is a network
// or a machine.
func (f *networkFlags) formatOf(name string, text []byte) string {
	switch {
	case strings.HasSuffix(name, ".star") || strings.HasSuffix(name, ".json") && spec.IsClosed(text):
		return ""
	case f.from == "" && (listed.IsPaths(text) || listed.IsTableOfAll(text) || booksim.Is(text)):
		return ""
	case f.from != "":
		return f.from
	case fabric.IsDiscovery(text):
		return fromDiscovery
	}
	format := topology.Detect(text)
	other, _ := topology.Other(name, text)
	if format != "" || other == "" && f.engine == "" && strings.HasSuffix(name, ".json") {
		return format
	}
	return "unknown" // which Read says in its words
}

// graph reads the topology of a file.
func (f *networkFlags) graph(ctx context.Context, name string, text []byte) (*topology.Graph, error) {
	if err := f.noFabric(ctx, name); err != nil {
		return nil, err
	}
	if f.from == fromOpenSM {
		return nil, fmt.Errorf("--from opensm: %s is a file, want the folder with the dumps", name)
	}
	if len(f.set) > 0 {
		return nil, fmt.Errorf("--set: %s is a topology, which has no parameters", name)
	}
	if f.formatOf(name, text) == fromDiscovery {
		return f.discovered(ctx, name, text)
	}
	opt := topology.Options{Format: f.from, BothWays: f.bothWays, Weight: f.weight}
	opt.OneWay = f.ways != nil && f.ways.Changed && !f.bothWays
	g, err := topology.Read(ctx, name, text, opt)
	if err == nil && g.Twice != nil {
		f.warn(g.Twice.String())
	}
	return g, err
}

// discovered reads the output of ibnetdiscover alone.
func (f *networkFlags) discovered(ctx context.Context, name string, text []byte) (*topology.Graph, error) {
	switch {
	case f.weight != "":
		return nil, invalid("weight", f.weight, "no name here: the output of ibnetdiscover has no weights")
	case f.bothWays:
		return nil, fmt.Errorf("--both-ways: the links of %s are cables", name)
	}
	t, hosts, warnings, err := fabric.Discovered(ctx, name, text, f.leaveOut)
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		f.warn(w)
	}
	return &topology.Graph{
		Format: fromDiscovery, Topology: t, Terminals: hosts,
		Nodes: make([][]topology.Attribute, t.Nodes()), Links: make([][]topology.Attribute, t.Links()),
	}, nil
}

// bare returns the topology of a file that has no routing and is given none; otherwise nil.
func (f *networkFlags) bare(ctx context.Context, name string) (*topology.Graph, error) {
	if _, model := models.Find(name); model || f.engine != "" || filepath.Ext(name) == ".star" || filepath.Ext(name) == murphiFile {
		return nil, nil
	}
	if f.isFabric(name) || f.isTables(name) {
		return nil, nil
	}
	text, err := readNetworkFile(ctx, name)
	if err != nil || f.formatOf(name, text) == "" {
		return nil, err
	}
	return f.graph(ctx, name, text)
}

func (f *topologyFlags) noRouting(name, format string) error {
	own := fmt.Sprintf("a .star file that reads it with topology(%q)", filepath.Base(name))
	if format == fromDiscovery {
		own = "a .star file that reads, with topology(...), what unknot graph --kind topology --format json makes of it"
	}
	return fmt.Errorf("%s is a topology without routing: want --route %s, or %s", name, words.OneOf(engines()), own)
}

// routed turns a topology into a network, by the engine that is named.
func (f *networkFlags) routed(
	ctx context.Context, name string, g *topology.Graph, progress func(routing.Progress),
) (routing.Definition, error) {
	if f.engine == "" {
		return routing.Definition{}, f.noRouting(name, g.Format)
	}
	if err := someSend(name, g.Terminals); err != nil {
		return routing.Definition{}, err
	}
	switching, err := f.switchingOf(name, g)
	if err != nil {
		return routing.Definition{}, err
	}
	f.tellWeights(name, g)
	opt := route.Options{
		Terminals: g.Terminals, Weights: g.Weight, Name: titleOf(name, g), MaxSites: f.maxSites,
		Progress: progress, Switching: switching,
	}
	r, err := f.route(ctx, g.Topology, opt)
	if err != nil {
		return routing.Definition{}, err
	}
	if missing := len(r.Unreachable) + len(r.Unrouted); missing > 0 {
		text := fmt.Sprintf("%s: no route by %s for %s", name, f.engine, words.Plural(missing, "flow"))
		if g.OneWay {
			text += "; some links lead one way"
			if topology.IsList(g.Format) {
				text += " (--both-ways reads them as cables)"
			}
		}
		f.warn(text)
	}
	f.tellTransit(name, r)
	f.tellTies(name, r)
	def := routing.FromNetwork(r.Network)
	def.Origin = name
	return def, nil
}

// tellSwitching warns of what a file does not say and a verdict depends on.
func (f *networkFlags) tellSwitching(name string) {
	if f.switching == "" {
		f.warn(fmt.Sprintf("%s does not say how its nodes switch: %s is assumed; --switching names another",
			name, spec.StoreAndForward))
	}
}

// switchingOf returns how the nodes of a topology switch: as --switching says, as those of every fabric do, or as is
// assumed with a warning.
func (f *networkFlags) switchingOf(name string, g *topology.Graph) (spec.Switching, error) {
	switch {
	case f.switching != "":
		s, ok := routing.ParseSwitching(f.switching)
		if !ok {
			return s, f.noSwitching()
		}
		return s, nil
	case g.Format == fromDiscovery:
		return spec.VirtualCutThrough, nil
	}
	f.tellSwitching(name)
	return spec.StoreAndForward, nil
}

// tellWeights warns of what a topology says without effect, the weights of its links.
func (f *networkFlags) tellWeights(name string, g *topology.Graph) {
	if weights := g.Weights(); len(weights) > 0 && f.weight == "" {
		has := "has"
		if len(weights) > 1 {
			has = "have"
		}
		f.warn(fmt.Sprintf("%s: %s of links %s no effect on routes, as engines count hops; --weight NAME takes "+
			"paths with the least sum of one (unknot help topologies)", name, strings.Join(weights, " and "), has))
	}
}

// tellTransit warns of routes through hosts, which would have to forward.
func (f *networkFlags) tellTransit(name string, r *route.Result) {
	if len(r.Transit) > 0 {
		f.warn(fmt.Sprintf("%s: routes lead through %s, as %s; hosts do not forward", name,
			words.Plural(len(r.Transit), "terminal"), spec.Printable(r.Network.Topology().Node(r.Transit[0]).Name)))
	}
}

// tellTies warns that the routes are one choice of many, which the order of a file's nodes and links made: another may
// have another verdict.
func (f *networkFlags) tellTies(name string, r *route.Result) {
	if r.Tied > 0 {
		f.warn(fmt.Sprintf("%s: %d of %s have several shortest paths, of which the answer takes one: the least loaded, "+
			"then the first in the order of nodes and links that unknot show prints; others need a list of paths or tables "+
			"(unknot help topologies)", name, r.Tied, words.Plural(r.Network.FlowCount(), "flow")))
	}
}

// titleOf returns the name of a topology, or that of its file if it has none.
func titleOf(name string, g *topology.Graph) string {
	if g.Name != "" {
		return g.Name
	}
	base := filepath.Base(name)
	return spec.Printable(strings.TrimSuffix(base, filepath.Ext(base)))
}

// route routes a topology by the engine that is named.
func (f *topologyFlags) route(ctx context.Context, t *spec.Topology, opt route.Options) (*route.Result, error) {
	opt.Engine, opt.VCs = route.Engine(f.engine), f.vcs
	return route.Route(ctx, t, opt)
}

// someSend refuses to route if no node sends: without terminals, engines would take all nodes.
func someSend(name string, ends []spec.NodeID) error {
	if len(ends) == 0 {
		return fmt.Errorf("%s: no node sends or receives: there is nothing to route", name)
	}
	return nil
}
