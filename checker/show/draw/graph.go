// Package draw turns networks and dependency graphs into pictures and into files
// that other programs read: DOT, GraphML, JSON, and SVG or PNG through
// Graphviz.
//
// [Topology], [Dependencies], [Channels] and [Waits] build a [Graph]; [WriteDOT], [WriteGraphML],
// [WriteJSON] and [Render] write one. What is written depends on the graph
// alone: it is byte for byte the same on every run.
package draw

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Graph is a directed multigraph to be drawn. Nodes and edges are numbered by
// their place in the slices.
type Graph struct {
	Name  string // the title; may be ""
	Nodes []Node
	Edges []Edge

	// The legend: what the groups of nodes and of edges stand for, by number. A
	// group without a name, or with an empty one, is left out.
	NodeGroups, EdgeGroups []string

	Data []Datum // for other programs, in GraphML and JSON

	Straight bool // edges need not be routed around nodes: these are in tiers
	Deep     bool // nodes have three coordinates or more
}

// Datum is extra data for GraphML and JSON, under a name that the picture does not use.
type Datum struct{ Name, Value string }

// Node is a vertex.
type Node struct {
	Label   string // any text; may have several lines
	Tooltip string // "" stands for the label
	At      *Point // where it is drawn; nil leaves that to Graphviz
	Group   int    // chooses the colour; 0 or less: none
	Bold    bool
	Data    []Datum
	Hidden  bool // the open end of a stub
}

// Edge is an arrow.
type Edge struct {
	From    int // number of a node
	To      int
	Label   string // any text; may be ""
	Tooltip string // "" stands for the labels of edge and ends
	Group   int    // chooses the colour; 0 or less: none
	Bold    bool   // like the edges of a cycle
	Dashed  bool   // like indirect dependencies
	Both    bool   // an arrow at both ends
	Data    []Datum
	Stub    *Point // of a wraparound link: the direction in which it leaves its tail; see stubs
}

// Point is a place on the paper, in inches, with y upwards.
type Point struct{ X, Y float64 }

// Plus returns the point moved by q.
func (p Point) Plus(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }

// Minus returns the way from q to p.
func (p Point) Minus(q Point) Point { return Point{p.X - q.X, p.Y - q.Y} }

// Times returns k times the way to p.
func (p Point) Times(k float64) Point { return Point{p.X * k, p.Y * k} }

// Err returns what is wrong with g, or nil: every edge must join two nodes.
func (g *Graph) Err() error {
	for i, e := range g.Edges {
		if min(e.From, e.To) < 0 || max(e.From, e.To) >= len(g.Nodes) {
			return fmt.Errorf("graph %q: edge %d joins nodes %d and %d, but nodes are numbered 0 to %d",
				g.Name, i, e.From, e.To, len(g.Nodes)-1)
		}
	}
	return nil
}

func groupName(names []string, g int) string {
	if g < 0 || g >= len(names) {
		return ""
	}
	return names[g]
}

// Placed reports whether every node has a place. Graphviz does not accept places for
// some only.
func (g *Graph) Placed() bool {
	for i := range g.Nodes {
		if g.Nodes[i].At == nil {
			return false
		}
	}
	return len(g.Nodes) > 0
}

// Width returns how many inches the places of the nodes span; 0 if some have none.
func (g *Graph) Width() float64 {
	if !g.Placed() {
		return 0
	}
	least, most := g.Nodes[0].At.X, g.Nodes[0].At.X
	for i := range g.Nodes {
		least, most = min(least, g.Nodes[i].At.X), max(most, g.Nodes[i].At.X)
	}
	return most - least
}

// tooltip returns the tooltip of edge e.
func (g *Graph) tooltip(e Edge) string {
	if e.Tooltip != "" {
		return e.Tooltip
	}
	ends := g.Nodes[e.From].Label + " -> " + g.Nodes[e.To].Label
	if e.Label == "" {
		return ends
	}
	return ends + ": " + e.Label
}

// printable replaces what XML cannot hold or readers of DOT choke on: bytes that are not
// UTF-8 and noncharacters become □, control characters except newline become the symbols
// that Unicode has for them.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, r >= 0x80 && r < 0xA0, r == 0xFFFE, r == 0xFFFF:
			return '□'
		case r == 0x7F:
			return '␡'
		case r < ' ' && r != '\n':
			return '␀' + r
		}
		return r
	}, s)
}
