package topology

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/prompt"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// formats lists the formats that are read.
var formats = []string{"anynet", "networkx", "graphml", "csv", "edgelist", "adjlist", "dot", "gml", "gem5"}

// Formats returns the names of the formats that [Read] knows.
func Formats() []string { return slices.Clone(formats) }

// Read reads a topology, gzipped or not. The name of the file is used only in errors, which are
// *spec.PosError: file:line:col: what is wrong.
func Read(ctx context.Context, file string, text []byte, opt Options) (*Graph, error) {
	text, err := unpacked(text, MostBytes)
	if err != nil {
		return nil, &spec.PosError{File: file, Line: 1, Col: 1, Msg: "gzip: " + err.Error()}
	}
	if len(text) > MostBytes {
		return nil, &spec.PosError{
			File: file, Line: 1, Col: 1, Msg: fmt.Sprintf("too long: want at most %d bytes", MostBytes),
		}
	}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, &spec.PosError{File: file, Line: 1, Col: 1, Msg: "the text is UTF-16: want UTF-8"}
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, &spec.PosError{File: file, Line: 1, Col: 1, Msg: "the file is binary: want text"}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	d := &draft{ctx: ctx, file: file, opt: opt, format: cmp.Or(opt.Format, Detect(text)), index: map[string]int{}}
	switch d.format {
	case "anynet":
		err = d.readAnynet(text)
	case "networkx":
		err = d.readNodeLink(text)
	case "graphml":
		err = d.readGraphML(text)
	case "csv":
		err = d.readTable(text)
	case "edgelist":
		err = d.readEdgeList(text)
	case "adjlist":
		err = d.readAdjacency(text)
	case "dot":
		err = d.readDOT(text)
	case "gml":
		err = d.readGML(text)
	case "gem5":
		err = d.readGem5(text)
	case "":
		if what, instead := Other(file, text); what != "" {
			err = d.wrong(start, "the text is %s, which is not read as it is: %s", what, instead)
		} else if _, pasted := prompt.Above(text); pasted {
			err = d.wrong(start, prompt.Advice)
		} else {
			err = d.wrong(start, "no topology in a known format: want %s (unknot help topologies)%s",
				words.OneOf(append(Formats(), "ibnetdiscover")), advice(text)) // which the program reads, by spec/fabric
		}
	default:
		return nil, fmt.Errorf("invalid format %.40q: want %s", d.format, words.OneOf(formats))
	}
	if err != nil {
		return nil, err
	}
	return d.graph()
}

var anynetLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(router|node)[ \t]+\d+[ \t]+(router|node)[ \t]`)
})

// How files of some formats begin, behind comments. A configuration of gem5 may have its network
// anywhere, but each of its sections begins with a type.
var (
	dotBegin = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\A(strict\s+)?(di)?graph(\s*"[^"]*"(\s*\+\s*"[^"]*")*|\s+[\w.-]+)?\s*\{`)
	})
	gmlBegin = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\A((creator|version|comment|label)\b[^\n]*\n\s*)*graph\s*\[`)
	})
	gem5Begin = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\A\[[\w.]+\]\s*\n\s*type=\w+`)
	})
)

// hasNodeLink reports whether the beginning of a JSON object has a key of node-link data, and none that names another
// format; keys of objects within do not count.
func hasNodeLink(head []byte) (is bool) {
	dec := json.NewDecoder(bytes.NewReader(head))
	depth, key := 0, true // a key comes next, at depth 1
	for {
		t, err := dec.Token()
		if err != nil {
			return is // the head is cut
		}
		d, delim := t.(json.Delim)
		switch {
		case delim && (d == '{' || d == '['):
			depth++
			key = true // behind what begins here
		case delim:
			depth--
		case depth > 1:
		case !key:
			key = true
		default:
			key = false
			switch t {
			case "format":
				return false
			case "nodes", "links", "edges", "directed", "multigraph":
				is = true
			}
		}
	}
}

// Detect returns the format of a text, "" if [Read] does not know it or if it is in a format of
// [Other]. It looks only at the beginning.
func Detect(text []byte) string {
	if what, _ := Other("", text); what != "" {
		return ""
	}
	text = headOf(text)
	switch {
	case len(text) == 0:
		return ""
	case text[0] == '<':
		if bytes.Contains(text, []byte("graphml")) {
			return "graphml"
		}
		return ""
	case text[0] == '{':
		if hasNodeLink(text) {
			return "networkx"
		}
		return ""
	}
	switch bare := withoutComments(text); {
	case dotBegin().Match(bare):
		return "dot"
	case gmlBegin().Match(bare):
		return "gml"
	case gem5Begin().Match(bare):
		return "gem5"
	}
	if format, _ := blankSeparated(text, len(text) == mostHead); format != "" {
		return format
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0 || line[0] == '#' || bytes.HasPrefix(line, []byte("//")):
		case anynetLine().Match(line):
			return "anynet"
		case isRow(line):
			return "csv"
		default:
			return ""
		}
	}
	return ""
}

// advice says what a text in no known format needs to be a list of links, if its first two rows look like one: the same
// number of fields, or names in quotation marks with blanks between them. Otherwise it is "".
func advice(text []byte) string {
	head := headOf(text)
	if quotedNames().Match(head) {
		return "; names in quotation marks want commas between them, and the heading from,to"
	}
	var fields []int
	_ = Rows("", head, func(row []string, _ func(int) (int, int)) error { // a fault, or a cut, ends it
		if fields = append(fields, len(row)); len(fields) == 2 {
			return io.EOF
		}
		return nil
	})
	if len(fields) == 2 && fields[0] == fields[1] && fields[0] > 1 {
		return "; if its rows are links, want a first row that names the columns of both ends from and to"
	}
	return ""
}

var quotedNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A("[^"\n]*"[ \t]+"|'[^'\n]*'[ \t]+')`)
})

// graph turns a draft into a topology.
func (d *draft) graph() (*Graph, error) {
	if len(d.nodes) == 0 {
		return nil, d.wrong(start, "no node: the file lists neither nodes nor links")
	}
	d.entitle()
	coordinates := d.coordinates()
	twice, err := d.twice()
	if err != nil {
		return nil, err
	}
	g := &Graph{Format: d.format, Name: spec.Printable(d.name), Topology: spec.NewTopology(d.vcNames...), Twice: twice}
	named := map[string]int{}
	for i := range d.nodes {
		n := &d.nodes[i]
		if first, twice := named[n.name]; twice {
			return nil, d.wrong(n.at, "node %.40q has the name of the node at line %d: names must differ",
				n.name, d.nodes[first].at.line)
		}
		named[n.name] = i
		var at []int
		if coordinates != nil {
			at = coordinates[i]
		}
		g.Topology.AddNode(n.name, at...)
		g.Nodes = append(g.Nodes, n.attributes)
	}
	channels := 0
	for i := range d.links {
		l := &d.links[i]
		link, weight, err := d.specLink(l)
		if err != nil {
			return nil, err
		}
		if d.opt.Weight != "" && weight == 0 {
			return nil, d.wrong(l.at, "a link without %.40q: want 1 to %d", d.opt.Weight, mostWeight)
		}
		const mostChannels = 1 << 24
		if channels += 2 * link.VCs; channels > mostChannels {
			return nil, d.wrong(l.at, "more than %d channels", mostChannels)
		}
		add := func() {
			g.Topology.AddLink(link)
			g.Links = append(g.Links, l.attributes)
			if weight > 0 {
				g.Weight = append(g.Weight, weight)
			}
		}
		if add(); l.both {
			link.From, link.To, link.Out, link.In = link.To, link.From, link.In, link.Out
			add()
		}
	}
	g.OneWay = oneWay(g.Topology)
	if g.Terminals, err = d.terminals(); err != nil {
		return nil, err
	}
	return g, g.Topology.Err()
}

// oneWay reports whether the links from some node to another outnumber those back.
func oneWay(t *spec.Topology) bool {
	surplus := map[[2]spec.NodeID]int{}
	for l := range spec.LinkID(t.Links()) {
		link := t.Link(l)
		if link.From < link.To {
			surplus[[2]spec.NodeID{link.From, link.To}]++
		} else {
			surplus[[2]spec.NodeID{link.To, link.From}]--
		}
	}
	return slices.ContainsFunc(slices.Collect(maps.Values(surplus)), func(n int) bool { return n != 0 })
}

// entitle names the nodes by their labels, if each has one and they differ.
func (d *draft) entitle() {
	for _, key := range []string{"label", "name"} {
		names := map[string]bool{}
		var labels []string
		for i := range d.nodes {
			v, _ := find(d.nodes[i].attributes, key)
			if s := spec.Printable(fmt.Sprint(v)); v != nil && s != "" {
				names[s], labels = true, append(labels, s)
			}
		}
		if len(names) == len(d.nodes) {
			for i, s := range labels {
				d.nodes[i].name = s
			}
			return
		}
	}
}
