package sweep

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// Table counts cases by their verdicts and by what was varied: the number of failures, and
// the values of the ranges. Up to symmetry it has a row for each orbit, named after its
// first case, and counts the cases of the orbit.
type Table struct {
	Rows     []string          // what was varied, in the order of the cases
	Orbits   bool              // the rows are orbits
	Held     Held              // cases
	ByOrbit  Held              // orbits
	Verdicts []string          // verdicts in words, sorted
	Counts   map[[2]int]int    // by row and verdicts
	Example  map[[2]int]Result // the first case of each
	Holds    []bool            // by verdicts: everything that was asked holds
	grid     *grid             // nil unless two parameters were varied, and nothing else
}

// Summarise counts the results of a question, which are in the order of their cases.
func Summarise(h Header, results []Result) *Table {
	t := &Table{
		grid:    gridOf(results),
		Orbits:  slices.Contains(strings.Fields(h.Question), upToSymmetry),
		Counts:  map[[2]int]int{},
		Example: map[[2]int]Result{},
	}
	type key struct {
		varied string
		orbit  int
	}
	rows, verdicts := map[key]int{}, map[string]bool{}
	for i := range results {
		verdicts[results[i].Verdicts()] = true
	}
	t.Verdicts = slices.Sorted(maps.Keys(verdicts))
	t.Holds = make([]bool, len(t.Verdicts))
	t.Held, t.ByOrbit = Tally(results)
	for _, r := range results {
		of := key{varied: r.varied()}
		switch {
		case r.Like != nil:
			of = key{orbit: *r.Like}
		case t.Orbits:
			of = key{orbit: r.Case}
		}
		row, known := rows[of]
		if !known {
			row = len(t.Rows)
			rows[of] = row
			t.Rows = append(t.Rows, r.varied())
		}
		at := [2]int{row, slices.Index(t.Verdicts, r.Verdicts())}
		t.Holds[at[1]] = r.Verdict() == spec.Holds
		if t.Counts[at] == 0 {
			t.Example[at] = r
		}
		t.Counts[at]++
	}
	return t
}

// Worst returns the worst verdict of the cases: violated before unknown before holds.
func Worst(results []Result) spec.Verdict {
	worst := spec.Holds
	for i := range results {
		switch results[i].Verdict() {
		case spec.Violated:
			return spec.Violated
		case spec.Unknown:
			worst = spec.Unknown
		}
	}
	return worst
}

// Held counts how many of some cases hold in everything that was asked.
type Held struct{ Hold, All int }

// Tally counts the cases, and the orbits by their first cases.
func Tally(results []Result) (cases, orbits Held) {
	for _, r := range results {
		first, holds := 0, r.Verdict() == spec.Holds
		if r.Like == nil {
			first = 1
		}
		cases.All, orbits.All = cases.All+1, orbits.All+first
		if holds {
			cases.Hold, orbits.Hold = cases.Hold+1, orbits.Hold+first
		}
	}
	return cases, orbits
}

// varied names the row of the table that a result belongs to.
func (r *Result) varied() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Set)) {
		parts = append(parts, name+"="+r.Set[name])
	}
	if n := len(r.Links); n > 0 {
		parts = append(parts, words.Plural(n, "link")+" failed")
	}
	if n := len(r.Nodes); n > 0 {
		parts = append(parts, words.Plural(n, "node")+" failed")
	}
	if n := len(r.Dests); n > 0 {
		parts = append(parts, words.Plural(n, "destination"))
	}
	if len(parts) == 0 {
		return "intact"
	}
	return strings.Join(parts, ", ")
}

// Write writes the table as text: how many cases hold, and of those that do not, if there are any, the counts and a first
// example of each. If two parameters were varied and nothing else, a grid of all cases comes before them. A last line
// tells how to learn why a case is unknown.
func (t *Table) Write(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%d of %s", t.Held.Hold, words.Plural(t.Held.All, "case")); err != nil {
		return err
	}
	hold := " hold"
	if t.Held.All == 1 {
		hold = " holds"
	}
	if t.Orbits {
		hold += fmt.Sprintf(", %d of %s", t.ByOrbit.Hold, words.Plural(t.ByOrbit.All, "orbit"))
	}
	if _, err := fmt.Fprintln(w, hold); err != nil || t.Held.Hold == t.Held.All {
		return err
	}
	if t.grid != nil {
		if err := t.grid.write(w); err != nil {
			return err
		}
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "cases\tvaried\tverdicts\tthe first one")
	open := -1
	for row, name := range t.Rows {
		for v, verdicts := range t.Verdicts {
			if n := t.Counts[[2]int{row, v}]; n > 0 && !t.Holds[v] {
				r := t.Example[[2]int{row, v}]
				first := "case " + strconv.Itoa(r.Case)
				if what := strings.Join(slices.Concat(r.Links, r.Nodes), ", "); what != "" {
					first += ": " + what
				}
				if r.Error != "" {
					first += ": " + r.Error
				} else if open < 0 && r.unknown() {
					open = r.Case
				}
				fmt.Fprintf(tw, "%d\t%s\t%s\t%s\n", n, name, verdicts, first)
			}
		}
	}
	if err := tw.Flush(); err != nil || open < 0 {
		return err
	}
	_, err := fmt.Fprintf(w, "why unknown: sweep again with --evidence FOLDER, then unknot check FOLDER/%s%d/network.json\n",
		folderPrefix, open)
	return err
}

// The fills of a plot: colours that the colour-blind can distinguish (Okabe and Ito, 2008),
// and strokes in different directions.
var fills = []struct{ colour, stroke string }{
	{"#0072b2", "M0,8 L8,0"}, {"#e69f00", "M0,0 L8,8"}, {"#009e73", "M0,4 L8,4"}, {"#cc79a7", "M4,0 L4,8"},
	{"#56b4e9", "M0,8 L8,0 M0,0 L8,8"}, {"#d55e00", "M0,4 L8,4 M4,0 L4,8"},
}

// Plot draws the table as stacked bars, a row each, as SVG.
func Plot(w io.Writer, h Header, t *Table) error {
	const left, bar, gap, width, top = 220, 22, 10, 520, 50
	most := 1
	for row := range t.Rows {
		sum := 0
		for v := range t.Verdicts {
			sum += t.Counts[[2]int{row, v}]
		}
		most = max(most, sum)
	}
	height := top + len(t.Rows)*(bar+gap) + 30 + len(t.Verdicts)*20
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "+
		"font-size=\"12\">\n<!-- written by unknot -->\n", left+width+80, height)
	fmt.Fprintf(b, "<title>%s: verdicts of %d cases</title>\n<rect width=\"100%%\" height=\"100%%\" "+
		"fill=\"white\"/>\n<defs>\n", html.EscapeString(h.Network), h.Cases)
	for v := range t.Verdicts {
		f := fills[v%len(fills)]
		fmt.Fprintf(b, "<pattern id=\"p%d\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><rect "+
			"width=\"8\" height=\"8\" fill=\"%s\"/><path d=\"%s\" stroke=\"white\" "+
			"stroke-opacity=\"0.5\"/></pattern>\n", v, f.colour, f.stroke)
	}
	fmt.Fprintf(b, "</defs>\n<text x=\"10\" y=\"20\" font-size=\"14\">%s</text>\n<text x=\"10\" y=\"38\" "+
		"fill=\"#555\">%s</text>\n", html.EscapeString(h.Network), html.EscapeString(h.Question))
	for row, name := range t.Rows {
		y := top + row*(bar+gap)
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
			left-8, y+bar-7, html.EscapeString(name))
		sum := 0
		for v, verdicts := range t.Verdicts {
			n := t.Counts[[2]int{row, v}]
			if n == 0 {
				continue
			}
			x0, x1 := left+sum*width/most, left+(sum+n)*width/most
			fmt.Fprintf(b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"url(#p%d)\"><title>%d: "+
				"%s</title></rect>\n", x0, y, max(1, x1-x0), bar, v, n, html.EscapeString(verdicts))
			sum += n
		}
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\">%d</text>\n", left+sum*width/most+6, y+bar-7, sum)
	}
	for v, verdicts := range t.Verdicts {
		y := top + len(t.Rows)*(bar+gap) + 15 + v*20
		fmt.Fprintf(b, "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"14\" fill=\"url(#p%d)\"/><text x=\"%d\" "+
			"y=\"%d\">%s</text>\n", left, y, v, left+20, y+12, html.EscapeString(verdicts))
	}
	b.WriteString("</svg>\n")
	return b.Flush()
}
