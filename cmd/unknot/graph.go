package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker/show/draw"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

var (
	graphKinds   = []string{"topology", "cdg", "ecdg", "cycle", "escape"}
	graphFormats = []string{"dot", "graphml", "json", "csv", "adjlist", "anynet", "svg", "png"}
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
shortest cycle if those are large as well. --part all draws everything. GraphML, JSON
and lists (csv, adjlist, anynet) are always complete. svg and png need Graphviz.`,
		Example: `  unknot graph ring --set n=6 --kind cdg --out ring.svg
  unknot graph my.star --kind cycle`,
		Args:              wants(1, 1),
		ValidArgsFunction: completeNetwork,
		RunE: func(c *cobra.Command, args []string) error {
			ending := strings.TrimPrefix(filepath.Ext(f.out), ".")
			switch {
			case c.Flags().Changed("part") && f.kind != "cdg":
				return fmt.Errorf("--part is for --kind cdg, not %s", f.kind)
			case f.format == "anynet" && f.kind != "topology", ending == "anynet" && f.kind != "topology":
				return fmt.Errorf("anynet describes routers and cables: want --kind topology, not %s", f.kind)
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
		"dot, graphml, json, csv or adjlist, or of a topology anynet; svg or png through Graphviz; if not given, by the "+
			"extension of --out")
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
	if rendered && f.kind == "topology" && g.Large() {
		g = draw.Overview(g)
		fmt.Fprintf(std.err,
			"unknot: warning: %s is large: hosts are numbers at their switches, cables one line\n", name)
	}
	if rendered {
		if f.kind == "topology" && !g.Placed() && len(g.Edges) > g.MostPlaced() {
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
		case "csv":
			return draw.WriteCSV(w, g)
		case "adjlist":
			return draw.WriteAdjacency(w, g)
		case "anynet":
			return draw.WriteAnynet(w, g)
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

// inRows places a graph in rows, without Graphviz, and warns why.
func inRows(std streams, g *draw.Graph, why string) *draw.Graph {
	fmt.Fprintf(std.err,
		"unknot: warning: %s %s: nodes stand in rows, by their distance from the one with the most neighbors\n",
		spec.Printable(g.Name), why)
	return draw.Rows(g)
}

// layable refuses graphs for which Graphviz would take minutes.
func (f *graphFlags) layable(g *draw.Graph) error {
	if most := g.MostPlaced(); len(g.Edges) > most {
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
	g, err := draw.Network(ctx, n, draw.Options{
		Kind: draw.Kind(f.kind), Part: draw.Part(f.part), Complete: !slices.Contains([]string{"dot", "svg", "png"}, f.format),
	})
	switch {
	case errors.As(err, new(*draw.SizeError)):
		err = fmt.Errorf("%w: --part all draws them", err)
	case errors.As(err, new(*draw.ExtendedError)):
		err = fmt.Errorf("%w (use --kind cdg or escape)", err)
	}
	return g, err
}
