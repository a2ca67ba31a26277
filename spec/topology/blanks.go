package topology

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// readEdgeList reads a link a line, fields separated by blanks, as NetworkX (write_edgelist), igraph and the SNAP
// collection write it:
//
//	a b {'weight': 2, 'vcs': 4}
//	b c 3
//
// What follows the ends is a dictionary of Python, or columns: weight, column4, ..., or as the first row names them if
// it begins with from and to, or the like. A line is a link one way, unless [Options.BothWays]; if NetworkX wrote it,
// one of the options must say.
func (d *draft) readEdgeList(text []byte) error {
	if what, instead := Other(d.file, text); what == matrix {
		return d.wrong(start, "the text is %s, which is not read as it is: %s", what, instead)
	}
	if isMatrix(text) {
		return d.wrong(start, "as many rows as numbers in each, and 0 in the diagonal, are a matrix of links: want a row for "+
			"each link; if they are links, want a first row with a name for each column, such as from to weight")
	}
	behind, met := newTails(), false
	var heading []string
	if err := d.blankRows(text, func(fields []field, data []Attribute) error {
		if names := textsOf(fields); !met && data == nil && isHeading(names) {
			met, heading = true, names
			return nil
		}
		met = true
		switch {
		case len(fields) < 2:
			return d.wrong(fields[0].at, "one node alone: want both ends of a link")
		case heading != nil && len(fields) > len(heading):
			return d.wrong(fields[len(heading)].at, "%d fields, but the heading has %d", len(fields), len(heading))
		case len(fields) > 2 && data != nil:
			return d.wrong(fields[2].at, "%.40q behind the two ends of a link, and a dictionary: want one of them; %s",
				fields[2].text, ifBlanks)
		case len(fields) > 3 && fields[0].text == fields[1].text:
			return d.wrong(fields[0].at, "a link from node %.40q to itself: leave it out; %s", fields[0].text, ifBlanks)
		}
		for i, f := range fields[2:] {
			name := "weight"
			switch {
			case heading != nil:
				name = heading[i+2]
			case i > 0:
				name = columnName(nil, i+3)
			}
			data = append(data, Attribute{name, ValueOf(f.text)})
		}
		behind.add(fields)
		return d.pair(fields[0], fields[1], data)
	}); err != nil {
		return err
	}
	if heading != nil {
		for _, name := range heading[:2] {
			if i, node := d.index[name]; node {
				return d.wrong(d.nodes[i].at, "%.40q names a node here and a column in the first row: want that row "+
					"behind another, if it is a link", name)
			}
		}
	}
	if heading == nil && d.hasCounts() {
		return d.wrong(d.links[0].at, "%s %s above as many links seems to count nodes and links: delete the row; if it is a "+
			"link, put it below another", d.nodes[d.links[0].from].name, d.nodes[d.links[0].to].name)
	}
	return behind.fault(d, heading != nil || d.opt.Weight != "" || isKONECT().Match(headOf(text)))
}

// isMatrix reports whether a text has at least three rows of numbers and as many in each, with zeros in the diagonal.
func isMatrix(text []byte) bool {
	rows, columns := 0, 0
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' || line[0] == '%' {
			continue
		}
		fields := strings.Fields(string(line))
		if rows == 0 {
			columns = len(fields)
		}
		if columns < 3 || len(fields) != columns || rows == columns || ValueOf(fields[rows]) != 0 && ValueOf(fields[rows]) != 0.0 {
			return false
		}
		rows++
	}
	return rows == columns && rows > 0
}

// hasCounts reports whether the first link of a list may be the number of nodes and that of the links below it.
func (d *draft) hasCounts() bool {
	if len(d.links) < 2 || len(d.links[0].attributes) > 0 {
		return false
	}
	nodes, err := strconv.Atoi(d.nodes[d.links[0].from].name)
	links, wrong := strconv.Atoi(d.nodes[d.links[0].to].name)
	if err != nil || wrong != nil || links != len(d.links)-1 {
		return false
	}
	met := map[int]bool{}
	for _, l := range d.links[1:] {
		met[l.from], met[l.to] = true, true
	}
	return len(met) <= nodes
}

// isHeading reports whether a row begins with names for the ends of a link, as pandas and others write it, and names
// no column twice.
func isHeading(row []string) bool {
	return column(row, fromNames) == 0 && column(row, toNames) == 1 && Repeated(row) < 0
}

func textsOf(fields []field) []string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = f.text
	}
	return all
}

// readAdjacency reads a node a line with the nodes that it has links to, as NetworkX (write_adjlist) writes it:
//
//	a b c
//	b c
//	c
//
// Each is a link one way, unless [Options.BothWays]; if NetworkX wrote it, one of the options must say. Nodes are in the
// order of their rows.
func (d *draft) readAdjacency(text []byte) error {
	if err := d.adjacencies(text); err != nil {
		return err
	}
	if i := slices.IndexFunc(d.nodes, func(n draftNode) bool { return n.declared == 0 }); i >= 0 && hasTime(text) {
		return d.wrong(d.nodes[i].at, "node %.40q without a row, which NetworkX writes for each; %s",
			d.nodes[i].name, ifBlanks)
	}
	return nil
}

// hasTime reports whether NetworkX wrote the time above a text, as above adjacency lists.
func hasTime(text []byte) bool { return bytes.Contains(headOf(text), []byte("# GMT ")) }

func (d *draft) adjacencies(text []byte) error {
	return d.blankRows(text, func(fields []field, data []Attribute) error {
		first := fields[0]
		if data != nil {
			return d.wrong(first.at, "a dictionary in an adjacency list: want names alone")
		}
		if name := strings.TrimSuffix(first.text, ":"); name != first.text {
			return d.wrong(first.at, "a colon behind %.40q: want names alone, with blanks between them", name)
		}
		if err := d.declare(first.text, first.text, first.at, nil); err != nil {
			return err
		}
		for _, f := range fields[1:] {
			if err := d.pair(first, f, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// pair adds a link between two nodes.
func (d *draft) pair(from, to field, attributes []Attribute) error {
	l := draftLink{both: d.opt.BothWays, byOption: true, at: from.at, attributes: attributes}
	var err error
	if l.from, err = d.node(from.text, from.text, from.at); err != nil {
		return err
	}
	if l.to, err = d.node(to.text, to.text, to.at); err != nil {
		return err
	}
	if _, _, err := d.specLink(&l); err != nil {
		return err
	}
	return d.link(l)
}

// blankRows calls f for each line with its fields and its dictionary, nil if it has none. Blank lines and those that
// begin with # or % are left out.
func (d *draft) blankRows(text []byte, f func(fields []field, data []Attribute) error) error {
	line, networkx := 0, false // NetworkX wrote it: it has dictionaries, or a comment with the time
	for row := range bytes.Lines(text) {
		line++
		row = bytes.TrimRight(row, "\r\n")
		names, rest := row, []byte(nil)
		if m := dataEnd().FindIndex(row); m != nil {
			names, rest = row[:m[0]], row[m[0]:]
		}
		fields := namesOf(string(names), line)
		networkx = networkx || rest != nil || bytes.HasPrefix(row, []byte("# GMT "))
		if len(fields) == 0 && rest == nil || len(fields) > 0 && strings.IndexByte("#%", fields[0].text[0]) >= 0 {
			continue
		}
		for i, f := range fields {
			if i == 1 && joins(f.text) {
				return d.wrong(f.at, "%q between names: want names alone, with blanks between them", f.text)
			}
			if strings.Count(f.text, "(") != strings.Count(f.text, ")") {
				return d.wrong(f.at, "invalid name %.40q: want no blanks but within a tuple of Python, (0, 1)", f.text)
			}
		}
		var data []Attribute
		if rest != nil {
			brace := bytes.IndexByte(rest, '{')
			var err error
			if data, err = d.dictionary(string(rest[brace:]), place{line, len(names) + brace + 1}); err != nil {
				return err
			}
			if len(fields) == 0 {
				return d.wrong(place{line, len(names) + brace + 1}, "no node before the dictionary")
			}
		}
		if err := f(fields, data); err != nil {
			return err
		}
	}
	if networkx && !d.opt.BothWays && !d.opt.OneWay && !d.hasReturn() {
		return d.wrong(start, "as NetworkX writes a graph, each edge once, nothing says whether it is directed: want "+
			"--both-ways for an nx.Graph, whose edges are cables, or --both-ways=false for an nx.DiGraph (in a .star file, "+
			"both_ways = True or False)")
	}
	d.byRow()
	d.byNumber()
	return nil
}

// joins reports whether a field is what some write between the names of a link.
func joins(text string) bool {
	switch text {
	case "->", "<-", "<->", "=>", "--", "-", ":", "|", ",":
		return true
	}
	return false
}

// hasReturn reports whether some link has one back between the same nodes, or there is no link: the graph is directed.
func (d *draft) hasReturn() bool {
	met := map[[2]int]bool{}
	for _, l := range d.links {
		if met[[2]int{l.to, l.from}] {
			return true
		}
		met[[2]int{l.from, l.to}] = true
	}
	return len(d.links) == 0
}

// namesOf splits a line at blanks, but for those within tuples of Python, as NetworkX writes the nodes of its grids.
func namesOf(text string, line int) (all []field) {
	for _, at := range blankName().FindAllStringIndex(text, -1) {
		all = append(all, field{text[at[0]:at[1]], place{line, at[0] + 1}})
	}
	return all
}

// byRow numbers nodes that have a row in the order of their rows, and behind them those that have none.
func (d *draft) byRow() {
	key := make([]int, len(d.nodes))
	for i := range d.nodes {
		if key[i] = d.nodes[i].declared; key[i] == 0 {
			key[i] = len(d.nodes)
		}
	}
	d.sort(key)
}

// pythonItem is a key of a dictionary of Python and its value, and what follows: a comma, or nothing at its end.
var pythonItem = sync.OnceValue(func() *regexp.Regexp {
	const text = `'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`
	return regexp.MustCompile(`^\s*(` + text + `)\s*:\s*(` + text + `|\([^()]*\)|\[[^\[\]]*\]|[^\s,'"(){}\[\]]+)\s*(,|$)`)
})

// dictionary reads a dictionary of Python with numbers, strings, truth values and flat tuples or lists as values;
// None is left out.
func (d *draft) dictionary(text string, at place) ([]Attribute, error) {
	all, seen := []Attribute{}, map[string]bool{}
	rest := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"))
	for rest != "" {
		m := pythonItem().FindStringSubmatch(rest)
		if m == nil {
			return nil, d.wrong(at, "invalid dictionary: want {'name': value, ...} with numbers and strings as values")
		}
		name, value := unquoted(m[1]), any(nil)
		switch quoted := unquoted(m[2]); {
		case quoted != m[2]:
			value = quoted
		case m[2] != "None":
			value = ValueOf(m[2])
		}
		if seen[name] {
			return nil, d.wrong(at, "key %.40q appears twice in a dictionary", name)
		}
		if seen[name] = true; value != nil {
			all = append(all, Attribute{name, value})
		}
		rest = strings.TrimSpace(rest[len(m[0]):])
	}
	return all, nil
}

// unquoted removes the quotation marks of a Python string; other text is returned as it is.
func unquoted(text string) string {
	if len(text) < 2 || text[0] != '\'' && text[0] != '"' {
		return text
	}
	return strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`).Replace(text[1 : len(text)-1])
}

// flatTuple is a flat tuple of Python.
const flatTuple = `\([^\s,;{}()<>=]+(, ?[^\s,;{}()<>=]+)+\)`

var (
	blankName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(flatTuple + `|\S+`) })
	blankRow  = sync.OnceValue(func() *regexp.Regexp {
		const name = `(` + flatTuple + `|[^\s,;{}()<>=]+)`
		return regexp.MustCompile(`^` + name + `([ \t]+` + name + `)*([ \t]+\{.*\})?$`)
	})
	isKONECT = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A% ?(sym|asym|bip) `) })
	dataEnd  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[ \t]+)\{.*\}[ \t]*$`) })
)

// What may stand in rows of names and is not read as a topology.
const (
	severalLines = "an adjacency list of NetworkX, several lines a node"
	barePaths    = "rows of names"
)

// blankSeparated returns the format of the beginning of a text whose fields blanks separate, if it is an edge list or
// an adjacency list; otherwise it may tell what else it is.
//
// Words may stand in columns for many reasons. So a list of links has two rows or more of nothing but names, and perhaps
// a dictionary, and its names recur. In an adjacency list each node has one row. Columns are equally many in all rows:
// where nodes are numbers, paths of different lengths would be links with weights.
func blankSeparated(head []byte, cut bool) (format, other string) {
	rows, alone, edges, several := 0, 0, true, false // alone: rows of one name
	networkx, headed := false, false                 // NetworkX wrote the time; the first row is a heading
	columns, equal := 0, true
	first, second := map[string]int{}, map[string]int{}
	var others []string
	for line := range bytes.Lines(head) {
		if line[len(line)-1] != '\n' && cut {
			break
		}
		line = bytes.TrimSpace(line)
		networkx = networkx || bytes.HasPrefix(line, []byte("# GMT "))
		if len(line) == 0 || line[0] == '#' || line[0] == '%' {
			continue
		}
		if !blankRow().Match(line) || anynetLine().Match(line) {
			return "", ""
		}
		data := dataEnd().FindIndex(line)
		if data != nil {
			several = several || len(bytes.Fields(line[:data[0]])) == 1
			line = line[:data[0]]
		}
		var names []string
		for _, f := range namesOf(string(line), 1) {
			names = append(names, f.text)
		}
		if rows == 0 && !headed && isHeading(names) {
			headed = true
			continue
		}
		if len(names) == 0 {
			return "", ""
		}
		marks := func(r rune) bool { return strings.ContainsRune(".:!?*\"'`", r) }
		if names[0][0] != '(' && strings.IndexFunc(names[0], marks) >= 0 {
			return "", "" // a sentence
		}
		first[names[0]]++
		if len(names) == 1 {
			alone++
		} else {
			second[names[1]]++
			others = append(others, names[1:]...)
		}
		equal, columns = equal && (rows == 0 || len(names) == columns), len(names)
		edges = edges && len(names) > 1 && (len(names) == 2 || isNumbers(names[2:]))
		rows++
	}
	if rows < 2 {
		return "", ""
	}
	both := false
	for name := range second {
		both = both || first[name] > 0
	}
	switch {
	case networkx && !several && !headed && both && len(first) == rows: // above edges it writes no time
		return "adjlist", ""
	case edges && equal && (both || len(first) < rows && len(second) < rows):
		return "edgelist", ""
	case several && (both || len(first) < rows):
		return "", severalLines
	case !several && alone == 0 && both && (edges && !equal || !edges && len(first) < rows && recur(first, others)):
		return "", barePaths
	case edges || several || len(first) < rows:
		return "", ""
	}
	if !cut {
		for _, name := range others {
			if first[name] == 0 {
				return "", ""
			}
		}
	}
	if !both {
		return "", ""
	}
	return "adjlist", ""
}

// recur reports whether every name of some rows is there twice.
func recur(first map[string]int, others []string) bool {
	count := maps.Clone(first)
	for _, name := range others {
		count[name]++
	}
	for _, n := range count {
		if n < 2 {
			return false
		}
	}
	return true
}

// isNumbers reports whether all texts are numbers.
func isNumbers(texts []string) bool {
	for _, text := range texts {
		if _, isText := ValueOf(text).(string); isText {
			return false
		}
	}
	return true
}
