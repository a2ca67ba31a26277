// Package topology, internal to unknot, reads topologies that other programs wrote: BookSim's
// anynet files, NetworkX node-link JSON, GraphML, DOT, GML, gem5's configurations, edge lists as CSV or with
// blanks between their fields, and adjacency lists. It makes no routing.
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
	"github.com/seed-105a2da2/unknot/spec"
)

// Graph is a topology with its file's attributes of nodes and links.
type Graph struct {
	Format    string // one of Formats
	Name      string // of the graph; "" if its file does not say
	Topology  *spec.Topology
	Terminals []spec.NodeID // who sends and receives, ascending; every node if the file does not say
	OneWay    bool          // some link has no way back
	Twice     *Twice        // the first cable that the file lists from both ends; nil: none

	Nodes [][]Attribute // by node, in the order of the file
	Links [][]Attribute // by link; the two links of a cable share theirs

	Weight []int32 // by link: the attribute that [Options] names, at least 1; nil if it names none
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
	OneWay   bool   // such a row is a link one way, also where NetworkX wrote it, which does not say so
	Weight   string // attribute of links that becomes [Graph.Weight]; "": none
}

// MostBytes is how long a text can be, after unpacking if it is gzipped.
const MostBytes = 256 << 20

const (
	mostNodes = 1 << 20
	mostLinks = 1 << 24
)
