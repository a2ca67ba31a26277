package sweep

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// grid is a sweep over two parameters and nothing else: a row for each value of one, a column for each of the other.
type grid struct {
	names   [2]string   // of the parameters: that of the rows, which varies more slowly, and that of the columns
	values  [2][]string // in the order of the cases
	verdict []string    // by row, and in it by column: the worst of a case; "" if the results lack the case
}

// gridOf returns the grid of results in the order of their cases; nil if something else is varied, or a parameter has
// one value.
func gridOf(results []Result) *grid {
	g := &grid{}
	if len(results) < 2 || len(results[0].Set) != 2 {
		return nil
	}
	names := slices.Sorted(maps.Keys(results[0].Set))
	if results[0].Set[names[1]] == results[1].Set[names[1]] {
		slices.Reverse(names) // the other one varies faster
	}
	g.names = [2]string(names)
	for _, r := range results {
		if len(r.Set) != 2 || len(r.Links)+len(r.Nodes)+len(r.Dests) > 0 || r.Like != nil {
			return nil
		}
		for i, name := range g.names {
			value, is := r.Set[name]
			if !is {
				return nil
			}
			if !slices.Contains(g.values[i], value) {
				g.values[i] = append(g.values[i], value)
			}
		}
	}
	if len(g.values[0]) < 2 || len(g.values[1]) < 2 {
		return nil
	}
	g.verdict = make([]string, len(g.values[0])*len(g.values[1]))
	for i := range results {
		r := &results[i]
		at := slices.Index(g.values[0], r.Set[g.names[0]])*len(g.values[1]) + slices.Index(g.values[1], r.Set[g.names[1]])
		g.verdict[at] = r.Verdict().String()
		if r.Error != "" {
			g.verdict[at] = "no network"
		}
	}
	return g
}

// write writes the grid: the worst verdict of each case.
func (g *grid) write(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, g.names[0])
	for i, value := range g.values[1] {
		name := ""
		if i == 0 {
			name = g.names[1] + "="
		}
		fmt.Fprintf(tw, "\t%s%s", name, value)
	}
	fmt.Fprintln(tw)
	for i, value := range g.values[0] {
		fmt.Fprint(tw, value)
		for j := range g.values[1] {
			fmt.Fprintf(tw, "\t%s", g.verdict[i*len(g.values[1])+j])
		}
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}
