// Package topology reads topologies that other programs wrote: BookSim's anynet files,
// NetworkX node-link JSON, GraphML, and edge lists as CSV. It makes no routing.
//
// Each reader fills a draft: nodes by their names in the file, and links with their
// places. One function turns it into a topology, so a VC, a port or a coordinate means
// the same in every format:
//
//	vcs       of a link: how many virtual channels; [Options.VCs] if absent
//	out, in   of a link: the port at its source and at its target; a cable's way back has them swapped
//	dim       of a link: its dimension, from 1
//	at        of a node: its coordinates, integers; also pos, x and y and z, or a name such as (0,1)
//	label     of a node, or name: its name, if every node has one and they differ
//	terminal  of a node: whether it sends and receives; also type, kind or role (host, switch, ...)
//
// Everything else is kept unchanged, see [Graph]. Readers take time and memory linear in
// the text; a text is at most 256 MiB, after unpacking if it is gzipped.
package topology

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed-105a2da2/unknot/spec"
)

// Formats lists the formats that are read.
var formats = []string{"anynet", "networkx", "graphml", "csv"}

// Formats returns the names of the formats that [Read] knows.
func Formats() []string { return slices.Clone(formats) }

// Graph is a topology with its file's attributes of nodes and links.
type Graph struct {
	Format    string // one of Formats
	Name      string // of the graph; "" if its file does not say
	Topology  *spec.Topology
	Terminals []spec.NodeID // who sends and receives, ascending; every node if the file does not say
	OneWay    bool          // some link has no way back

	Nodes [][]Attribute // by node, in the order of the file
	Links [][]Attribute // by link; the two links of a cable share theirs
}

// Attribute is what a file says about a node or a link. The value is a bool, an int, a
// float64 or a string; a nested JSON value is kept as text.
type Attribute struct {
	Name  string
	Value any
}

// Options settles what a file leaves open. The zero value is usable.
type Options struct {
	Format   string // one of Formats; "" is detected
	VCs      int    // of links that do not say; 0 means 1
	BothWays bool   // a row of an edge list, which is a link, is a cable: a link each way
}

const (
	mostText  = 256 << 20
	mostNodes = 1 << 20
	mostLinks = 1 << 24
)

// Read reads a topology, gzipped or not. The name of the file is used only in errors, which are
// *spec.PosError: file:line:col: what is wrong.
func Read(ctx context.Context, file string, text []byte, opt Options) (*Graph, error) {
	text, err := unpacked(text, mostText)
	if err != nil {
		return nil, &spec.PosError{File: file, Line: 1, Col: 1, Msg: "gzip: " + err.Error()}
	}
	if len(text) > mostText {
		return nil, &spec.PosError{File: file, Line: 1, Col: 1, Msg: fmt.Sprintf("too long: want at most %d bytes", mostText)}
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
	case "":
		err = d.wrong(start, "no topology in a known format: want %s", oneOf(formats))
	default:
		return nil, fmt.Errorf("invalid format %.40q: want %s", d.format, oneOf(formats))
	}
	if err != nil {
		return nil, err
	}
	return d.graph()
}

func oneOf(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

var (
	anynetLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(router|node)[ \t]+\d+[ \t]+(router|node)[ \t]`) })
	nodeLink   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(nodes|links|edges|directed|multigraph)"\s*:`) })
)

// Detect returns the format of a text, "" if it is none that [Read] knows. It looks only at
// the beginning.
func Detect(text []byte) string {
	const head = 4 << 10
	text, _ = unpacked(text, head)
	text = bytes.TrimLeft(text[:min(head, len(text))], "\ufeff \t\r\n")
	switch {
	case len(text) == 0:
		return ""
	case text[0] == '<':
		if bytes.Contains(text, []byte("graphml")) {
			return "graphml"
		}
		return ""
	case text[0] == '{':
		if nodeLink().Match(text) && !bytes.Contains(text, []byte(`"format"`)) {
			return "networkx"
		}
		return ""
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0 || line[0] == '#':
		case anynetLine().Match(line):
			return "anynet"
		case bytes.ContainsAny(line, ",;\t"):
			return "csv"
		default:
			return ""
		}
	}
	return ""
}
