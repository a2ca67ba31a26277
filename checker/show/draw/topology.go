package draw

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Topology draws the nodes of a topology and an edge for every link, coloured by dimension.
// An edge is labelled with its port if there are parallel links, and with its VCs if links
// differ in them; its tooltip has everything. Nodes are placed by their coordinates if all
// have some. The data are those from which package topology (below spec) makes the same
// topology.
func Topology(name string, t *spec.Topology) *Graph {
	const unit = 1.25 // inches between neighbours, at least
	g := &Graph{Name: name}
	for v := range spec.NodeID(t.Nodes()) {
		n := Node{Label: t.Node(v).Name}
		if at := t.Node(v).At; len(at) > 0 {
			n.Data = []Datum{{"at", strings.Trim(routing.CoordinateName(at...), "()")}}
		}
		g.Nodes = append(g.Nodes, n)
	}
	wide, high := room(g.Nodes)
	place := Place(t, max(unit, wide+0.5, high+0.5))
	if place != nil {
		g.Straight, g.Deep = place.rows, len(place.step) > 2
		for v := range g.Nodes {
			g.Nodes[v].At = &place.At[v]
		}
	}
	differ := vcsDiffer(t)
	for l := range spec.LinkID(t.Links()) {
		link := t.Link(l)
		var label []string
		if len(t.LinksBetween(link.From, link.To)) > 1 && link.Out != "" {
			label = append(label, link.Out)
		}
		if differ {
			label = append(label, count(link.VCs))
		}
		group := max(link.Dim, 0)
		e := Edge{
			From: int(link.From), To: int(link.To), Group: group,
			Label: strings.Join(label, ", "), Tooltip: describe(t, l), Data: linkData(link),
		}
		if place != nil {
			if half, wraps := place.Wraps(link); wraps {
				short := half.Times(min(1, 0.7*unit/math.Hypot(half.X, half.Y)))
				e.Stub = &short
			}
		}
		g.Edges = append(g.Edges, e)
	}
	if names := t.VCNames(); len(names) > 0 && !strings.Contains(strings.Join(names, ""), ",") {
		g.Data = []Datum{{"vcNames", strings.Join(names, ",")}}
	}
	g.EdgeGroups = dimensions(g.Edges)
	return g
}

// Sending records, for other programs, which nodes send and receive, unless all do.
func (g *Graph) Sending(ends []spec.NodeID) *Graph {
	if len(ends) == len(g.Nodes) {
		return g
	}
	sends := make([]bool, len(g.Nodes))
	for _, v := range ends {
		sends[v] = true
	}
	for v := range g.Nodes {
		g.Nodes[v].Data = append(g.Nodes[v].Data, Datum{"terminal", strconv.FormatBool(sends[v])})
	}
	return g
}

func linkData(link spec.Link) []Datum {
	d := []Datum{{"vcs", strconv.Itoa(link.VCs)}}
	for _, x := range []Datum{{"out", link.Out}, {"in", link.In}} {
		if x.Value != "" {
			d = append(d, x)
		}
	}
	if link.Dim > 0 {
		d = append(d, Datum{"dim", strconv.Itoa(link.Dim)})
	}
	return d
}

// describe says everything about a link: "(0,0)->(1,0), 2 VCs: CH CA, port E to
// port W, dimension 1".
func describe(t *spec.Topology, l spec.LinkID) string {
	const most = 8 // VCs to be named
	link := t.Link(l)
	var b strings.Builder
	b.WriteString(t.LinkName(l) + ", " + count(link.VCs))
	if len(t.VCNames()) > 0 {
		b.WriteByte(':')
		for vc := range min(link.VCs, most) {
			b.WriteString(" " + t.VCName(vc))
		}
		if link.VCs > most {
			b.WriteString(" ...")
		}
	}
	if link.Out != "" {
		b.WriteString(", out of port " + link.Out)
	}
	if link.In != "" {
		b.WriteString(", in by port " + link.In)
	}
	if link.Dim > 0 {
		fmt.Fprintf(&b, ", dimension %d", link.Dim)
	}
	return b.String()
}

func count(vcs int) string {
	if vcs == 1 {
		return "1 VC"
	}
	return strconv.Itoa(vcs) + " VCs"
}

func vcsDiffer(t *spec.Topology) bool {
	for l := range spec.LinkID(t.Links()) {
		if t.Link(l).VCs != t.Link(0).VCs {
			return true
		}
	}
	return false
}

// dimensions names the groups of a topology's edges, as far as the palette has colours;
// no names if only one group is in use.
func dimensions(edges []Edge) []string {
	const colours = 7
	last, differ := 0, false
	for _, e := range edges {
		differ = differ || e.Group != edges[0].Group
		if e.Group <= colours {
			last = max(last, e.Group)
		}
	}
	if !differ {
		return nil
	}
	names := []string{"no dimension"}
	for d := range last {
		names = append(names, "dimension "+strconv.Itoa(d+1))
	}
	return names
}
