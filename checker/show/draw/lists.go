package draw

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// WriteCSV writes the edges of g, a row each: from, to, and a column for each name of their data. Package topology
// (below spec) reads it, with ports and dimensions. A list of edges has no place for a node without any, which is an
// error.
func WriteCSV(w io.Writer, g *Graph) error {
	if err := g.Err(); err != nil {
		return err
	}
	if n := alone(g); n >= 0 {
		return fmt.Errorf("node %s has no edge, so a list of edges leaves it out: use graphml or json",
			printable(g.Nodes[n].Label))
	}
	columns := []string{"from", "to"}
	for _, e := range g.Edges {
		for _, d := range e.Data {
			if !slices.Contains(columns[2:], d.Name) {
				columns = append(columns, d.Name)
			}
		}
	}
	out := csv.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	for _, e := range g.Edges {
		row := make([]string, len(columns))
		row[0], row[1] = printable(g.Nodes[e.From].Label), printable(g.Nodes[e.To].Label)
		for _, d := range e.Data {
			row[2+slices.Index(columns[2:], d.Name)] = printable(d.Value)
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// alone returns a node without edges, or -1.
func alone(g *Graph) int {
	met := make([]bool, len(g.Nodes))
	for _, e := range g.Edges {
		met[e.From], met[e.To] = true, true
	}
	return slices.Index(met, false)
}

// WriteAdjacency writes g as NetworkX's adjacency list: a row for each node, with those that its edges lead to. Names
// must be single words, and edges must not be parallel.
func WriteAdjacency(w io.Writer, g *Graph) error {
	if err := g.Err(); err != nil {
		return err
	}
	next := make([][]string, len(g.Nodes))
	met := map[[2]int]bool{}
	for _, e := range g.Edges {
		if met[[2]int{e.From, e.To}] {
			return parallel(g, e)
		}
		met[[2]int{e.From, e.To}] = true
		next[e.From] = append(next[e.From], g.Nodes[e.To].Label)
	}
	out := bufio.NewWriter(w)
	for v, n := range g.Nodes {
		if n.Label == "" || strings.HasPrefix(n.Label, "#") || strings.ContainsFunc(n.Label, unicode.IsSpace) {
			return fmt.Errorf("node %q: an adjacency list needs names of one word: use csv", n.Label)
		}
		fmt.Fprintln(out, strings.Join(append([]string{n.Label}, next[v]...), " "))
	}
	return out.Flush()
}

func parallel(g *Graph, e Edge) error {
	return fmt.Errorf("two edges lead from %s to %s, and this format has one: use csv, graphml or json",
		printable(g.Nodes[e.From].Label), printable(g.Nodes[e.To].Label))
}

// WriteAnynet writes a topology as BookSim's anynet, in which routers are numbers, those of the nodes, and every link
// is a cable of latency 1. A node that sends has a node of BookSim. VCs, ports and names are not in the format; links
// one way and parallel ones are errors.
func WriteAnynet(w io.Writer, g *Graph) error {
	if err := g.Err(); err != nil {
		return err
	}
	met := map[[2]int]bool{}
	from := make([][]Edge, len(g.Nodes))
	for _, e := range g.Edges {
		if met[[2]int{e.From, e.To}] {
			return parallel(g, e)
		}
		met[[2]int{e.From, e.To}] = true
		from[e.From] = append(from[e.From], e)
	}
	out := bufio.NewWriter(w)
	written := map[[2]int]bool{}
	node := 0
	for v, n := range g.Nodes {
		fmt.Fprintf(out, "router %d", v)
		if !slices.Contains(n.Data, Datum{"terminal", "false"}) {
			fmt.Fprintf(out, " node %d", node)
			node++
		}
		for _, e := range from[v] {
			switch {
			case !met[[2]int{e.To, e.From}]:
				return fmt.Errorf("the link from %s to %s has no way back, and anynet has cables alone",
					printable(n.Label), printable(g.Nodes[e.To].Label))
			case !written[[2]int{e.To, e.From}]:
				written[[2]int{e.From, e.To}] = true
				fmt.Fprintf(out, " router %d", e.To)
			}
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}
