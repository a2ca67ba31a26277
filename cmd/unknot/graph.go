package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/dependency"
	"github.com/seed-105a2da2/unknot/checker/show/draw"
	"github.com/seed-105a2da2/unknot/proofs"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

var (
	graphKinds   = []string{"topology", "cdg", "ecdg", "cycle", "escape"}
	graphFormats = []string{"dot", "graphml", "json", "svg", "png"}
	graphParts   = []string{"auto", "all", "cyclic", "cycle"}
)

type graphFlags struct {
	networkFlags
	kind, format, part, out string
}

func graphCommand(std streams) *cobra.Command {
	var f graphFlags
	c := &cobra.Command{
		Use:   "graph NETWORK",
		Short: "Draw the topology or a dependency graph",
		Long: `Graph writes one of

  topology  nodes and links
  cdg       the channel dependency graph
  ecdg      the extended CDG (Duato), with indirect and cross dependencies
  cycle     a shortest cycle of the channel dependency graph
  escape    the escape hops of the certificate

A picture of a large graph shows its strongly connected components, or only a
shortest cycle if those are large as well. --part all draws everything. GraphML and
JSON are always complete. svg and png need Graphviz.`,
		Example: `  unknot graph ring --set n=6 --kind cdg --out ring.svg
  unknot graph my.star --kind cycle`,
		Args:              wants(1, 1),
		ValidArgsFunction: completeNetwork,
		RunE: func(c *cobra.Command, args []string) error {
			ending := strings.TrimPrefix(filepath.Ext(f.out), ".")
			switch {
			case c.Flags().Changed("part") && f.kind != "cdg":
				return fmt.Errorf("--part is for --kind cdg, not %s", f.kind)
			case c.Flags().Changed("format"):
			case slices.Contains(graphFormats, ending):
				f.format = ending
			case misnamed(f.out, f.format):
				return invalid("out", f.out, "a name that ends in %s, or --format with it", words.OneOf(graphFormats))
			}
			return f.graph(c.Context(), args[0], std)
		},
	}
	f.register(c)
	wordFlag(c, &f.kind, "kind", "cdg", graphKinds, "topology, cdg, ecdg, cycle or escape")
	wordFlag(c, &f.format, "format", "dot", graphFormats,
		"dot, graphml or json; svg or png through Graphviz; if not given, by the extension of --out")
	wordFlag(c, &f.part, "part", "auto", graphParts, "of a cdg: auto, all, cyclic (strongly connected parts) or cycle")
	writes(c.Flags(), &f.out, "out", "output file (default standard output)")
	f.budget.register(c, std)
	return c
}

func (f *graphFlags) graph(ctx context.Context, name string, std streams) error {
	m := newMeter(std)
	defer m.clear()
	g, err := f.drawing(ctx, name, m)
	if err != nil {
		return err
	}
	rendered := f.format == "svg" || f.format == "png"
	if rendered && f.kind == "topology" && (len(g.Edges) > readableEdges || g.Width() > readableInches) {
		g = draw.Overview(g)
		fmt.Fprintf(std.err,
			"unknot: warning: %s is large: hosts are numbers at their switches, cables one line\n", name)
	}
	if rendered {
		if f.kind == "topology" && !g.Placed() && len(g.Edges) > layableEdges {
			g = inRows(std, g, fmt.Sprintf("has %d edges, too many for Graphviz to place", len(g.Edges)))
		}
		if err := f.layable(g); err != nil {
			return err
		}
		m.show(routing.Progress{Stage: "Graphviz lays it out", Count: int64(len(g.Edges)), Unit: "edges"})
	}
	defer m.clear()
	write := func(w io.Writer) error {
		switch f.format {
		case "graphml":
			return draw.WriteGraphML(w, g)
		case "json":
			return draw.WriteJSON(w, g)
		case "svg", "png":
			return f.render(ctx, w, g, std)
		}
		return draw.WriteDOT(w, g)
	}
	if f.out != "" {
		return f.budget.writeFile(ctx, f.out, write)
	}
	return write(std.out)
}

// Up to this number of links, and this width in inches, a picture shows each link
// and each host by itself.
const readableEdges, readableInches = 4000, 100

// layableEdges is the number of edges that Graphviz places in a minute, with luck.
const layableEdges = 2000

// inRows places a graph in rows, without Graphviz, and warns why.
func inRows(std streams, g *draw.Graph, why string) *draw.Graph {
	fmt.Fprintf(std.err,
		"unknot: warning: %s %s: nodes stand in rows, by their distance from the one with the most neighbors\n",
		spec.Printable(g.Name), why)
	return draw.Rows(g)
}

// layable refuses graphs for which Graphviz would take minutes: it places a few thousand
// edges in a minute, and ten times as many if nodes have coordinates.
func (f *graphFlags) layable(g *draw.Graph) error {
	most := layableEdges
	if g.Placed() {
		most = 20_000
	}
	if len(g.Edges) > most {
		return fmt.Errorf("%s has %d edges, too many to lay out (at most %d): %s",
			g.Name, len(g.Edges), most, f.advice())
	}
	return nil
}

// render has Graphviz draw, for at most a minute, and place nodes that have no places, for at most ten seconds.
func (f *graphFlags) render(ctx context.Context, w io.Writer, g *draw.Graph, std streams) error {
	within := func(limit time.Duration, g *draw.Graph) (late bool, err error) {
		slow := fmt.Errorf("after %s Graphviz had not drawn %d edges: %s", limit, len(g.Edges), f.advice())
		ctx, cancel := context.WithTimeoutCause(ctx, limit, slow)
		defer cancel()
		err = draw.Render(ctx, w, g, f.format)
		return errors.Is(err, slow), err
	}
	const soon = 10 * time.Second
	if !g.Placed() {
		late, err := within(soon, g)
		if !late {
			return err
		}
		g = inRows(std, g, fmt.Sprintf("has %d edges, which Graphviz had not laid out after %s", len(g.Edges), soon))
	}
	_, err := within(time.Minute, g)
	return err
}

// advice says what to do with a graph that is too large to draw.
func (f *graphFlags) advice() string {
	text := "use --format graphml, json or dot"
	if f.kind == "cdg" && f.part != "cycle" {
		text += ", or --part cycle"
	}
	return text
}

// complete reports whether the format is for programs, which get everything.
func (f *graphFlags) complete() bool { return f.format == "graphml" || f.format == "json" }

// drawing reads what is to be drawn. A topology needs no routing.
func (f *graphFlags) drawing(ctx context.Context, name string, m *meter) (*draw.Graph, error) {
	if f.kind == "topology" && f.isFabric(name) {
		return f.fabricPicture(ctx, name)
	}
	if f.kind == "topology" {
		if bare, err := f.bare(ctx, name); bare != nil || err != nil {
			if err != nil {
				return nil, err
			}
			return draw.Topology(titleOf(name, bare)+": topology", bare.Topology).Sending(bare.Terminals), nil
		}
	}
	n, err := f.load(ctx, name, m.show)
	if err != nil {
		return nil, err
	}
	g, err := f.picture(ctx, n)
	if err == nil {
		g.Name = n.Name() + ": " + f.kind
	}
	return g, err
}

func (f *graphFlags) picture(ctx context.Context, n *spec.Network) (*draw.Graph, error) {
	switch f.kind {
	case "topology":
		return draw.Topology(n.Name(), n.Topology()).Sending(terminalsOf(n)), nil
	case "ecdg":
		return f.extendedPicture(ctx, n)
	case "escape":
		return f.escapePicture(ctx, n)
	}
	g, err := dependency.Of(ctx, n)
	if err != nil {
		return nil, err
	}
	cycle, _ := g.ShortestCycle()
	if cycle == nil && (f.kind == "cycle" || f.part == "cycle" || f.part == "cyclic") {
		return nil, fmt.Errorf("%s has no cycle to draw: its channel dependency graph is acyclic", n.Name())
	}
	if f.kind == "cycle" {
		return draw.Channels(n.Topology(), cycle, dependency.Explain(n, dependency.Around(cycle)), cycle), nil
	}
	channels := f.choose(g, cycle)
	if len(channels) > readable && f.part == "auto" && !f.complete() {
		return nil, tooLarge(n, len(channels))
	}
	edges := g.EdgesAmong(channels)
	if f.part == "cycle" {
		edges = dependency.Around(cycle)
	}
	return draw.Channels(n.Topology(), channels, dependency.Explain(n, edges), cycle), nil
}

// readable is the number of channels up to which a picture shows all of them by
// default.
const readable = 200

func tooLarge(n *spec.Network, channels int) error {
	return fmt.Errorf("%s has no cycle to show and %d channels, too many to read: --part all draws them",
		n.Name(), channels)
}

// choose picks the channels of a dependency graph to draw.
func (f *graphFlags) choose(g *dependency.Graph, cycle []spec.ChannelID) []spec.ChannelID {
	used := g.UsedChannels()
	switch {
	case f.part == "all" || f.part == "auto" && (f.complete() || len(used) <= readable) || cycle == nil:
		return used
	case f.part == "cycle":
		return cycle
	}
	cyclic := g.CyclicChannels()
	if f.part == "auto" && len(cyclic) > readable {
		return cycle
	}
	return cyclic
}

// deadlockCertificate decides deadlock and returns its certificate.
func deadlockCertificate(ctx context.Context, n *spec.Network) (*proofs.Certificate, error) {
	r, err := checker.Check(ctx, n, checker.Question{Properties: []string{"deadlock-freedom"}})
	if err != nil {
		return nil, err
	}
	if c := r.Findings[0].Certificate(); c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("%s has no escape to draw: deadlock freedom is %s", n.Name(), r.Findings[0].Verdict)
}

func (f *graphFlags) escapePicture(ctx context.Context, n *spec.Network) (*draw.Graph, error) {
	c, err := deadlockCertificate(ctx, n)
	if err != nil {
		return nil, err
	}
	edges, err := dependency.Escape(ctx, n, c)
	if err != nil {
		return nil, err
	}
	ends := dependency.Ends(edges)
	if len(ends) > readable && f.part != "all" && !f.complete() {
		return nil, tooLarge(n, len(ends))
	}
	return draw.Channels(n.Topology(), ends, dependency.Explain(n, edges), nil), nil
}

func (f *graphFlags) extendedPicture(ctx context.Context, n *spec.Network) (*draw.Graph, error) {
	c, err := deadlockCertificate(ctx, n)
	if err != nil {
		return nil, err
	}
	if c.Kind != proofs.ExtendedEscape {
		return nil, fmt.Errorf("%s needs no extended dependency graph: its evidence is a certificate of kind %s (use "+
			"--kind cdg or escape)", n.Name(), c.Kind)
	}
	mostSites := 200_000
	if f.complete() {
		mostSites = math.MaxInt
	}
	ds, err := dependency.Extended(ctx, n, c, mostSites)
	if err != nil {
		return nil, err
	}
	var edges []dependency.Edge
	for _, d := range ds {
		edges = append(edges, d.Edge)
	}
	ends := dependency.Ends(edges)
	if len(ends) > readable && f.part != "all" && !f.complete() {
		return nil, tooLarge(n, len(ends))
	}
	return draw.Channels(n.Topology(), ends, ds, nil), nil
}
