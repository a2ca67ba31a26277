package topology

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// told writes a graph as text, one item a line.
func told(g *Graph) string {
	var b strings.Builder
	t := g.Topology
	fmt.Fprintf(&b, "%s %q", g.Format, g.Name)
	if g.OneWay {
		b.WriteString(" one-way")
	}
	sends := map[spec.NodeID]bool{}
	for _, v := range g.Terminals {
		sends[v] = true
	}
	for v := range spec.NodeID(t.Nodes()) {
		fmt.Fprintf(&b, "\nnode %s", t.Node(v).Name)
		if at := t.Node(v).At; at != nil {
			fmt.Fprintf(&b, " at %v", at)
		}
		if sends[v] {
			b.WriteString(" sends")
		}
		for _, a := range g.Nodes[v] {
			fmt.Fprintf(&b, " %s=%#v", a.Name, a.Value)
		}
	}
	for l := range spec.LinkID(t.Links()) {
		k := t.Link(l)
		fmt.Fprintf(&b, "\nlink %s %d", t.LinkName(l), k.VCs)
		if k.Out+k.In != "" {
			fmt.Fprintf(&b, " %s-%s", k.Out, k.In)
		}
		if k.Dim > 0 {
			fmt.Fprintf(&b, " dim %d", k.Dim)
		}
		for _, a := range g.Links[l] {
			fmt.Fprintf(&b, " %s=%#v", a.Name, a.Value)
		}
	}
	return b.String()
}

// TestRead: the expected lines are what the documentation of each format says of the
// text.
func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		opt        Options
		want       string
	}{
		// BookSim: "router 0 router 1 15" makes both directions; 15 is the latency of the one
		// that is written, 1 that of the other, and a later line overwrites its own direction.
		{name: "anynet", text: "router 0 node 0 node 3 router 1 15 router 10\nrouter 1 router 0 5\nnode 1 router 1\n\nrouter 10 node 2\r\n", want: `
anynet ""
node 0 sends terminal=true nodes="0 3"
node 1 sends terminal=true nodes="1"
node 10 sends terminal=true nodes="2"
link 0->1 1 latency=15
link 1->0 1 latency=5
link 0->10 1 latency=1
link 10->0 1 latency=1`},
		// A router without nodes only passes packets on; routers are numbered in ascending order.
		// Comments, which BookSim has not, are left out.
		{name: "anynet, comments", text: "// two routers\nrouter 0 node 0 # west\n# and\nrouter 1 node 1 router 0 2 // east\n", want: `
anynet ""
node 0 sends terminal=true nodes="0"
node 1 sends terminal=true nodes="1"
link 1->0 1 latency=2
link 0->1 1 latency=1`},
		{name: "anynet, spine", text: "router 9 router 2\nrouter 2 node 0\nrouter 10 router 9 node 1\n", opt: Options{VCs: 2}, want: `
anynet ""
node 2 sends terminal=true nodes="0"
node 9
node 10 sends terminal=true nodes="1"
link 9->2 2 latency=1
link 2->9 2 latency=1
link 10->9 2 latency=1
link 9->10 2 latency=1`},
		// json.dumps(node_link_data(nx.grid_2d_graph(2, 1))): ids are tuples, so lists; not directed.
		{name: "networkx, links",
			text: `{"directed": false, "multigraph": false, "graph": {"name": "grid"}, "nodes": [{"id": [0, 0]}, {"id": [1, 0], "rack": "A"}],
 "links": [{"source": [0, 0], "target": [1, 0], "weight": 2.5}]}`, want: `
networkx "grid"
node (0,0) at [0 0] sends
node (1,0) at [1 0] sends rack="A"
link (0,0)->(1,0) 1 weight=2.5
link (1,0)->(0,0) 1 weight=2.5`},
		// node_link_data(g, edges="edges") of a directed multigraph: each edge one way, keys tell them apart;
		// the edges may come first.
		{name: "networkx, edges", text: `{"edges": [{"source": "a", "target": "b", "key": 0, "vcs": 3}, {"source": "a", "target": "b", "key": 1}],
 "directed": true, "multigraph": true, "graph": {}, "nodes": [{"id": "b", "type": "switch"}, {"id": "a", "type": "Host", "pos": [1, 2], "gone": null}]}`,
			want: `
networkx "" one-way
node b type="switch"
node a sends type="Host" pos="[1,2]"
link a->b 3 key=0 vcs=3
link a->b#2 1 key=1`},
		// D3: nodes have names and no ids, links name them by position.
		{name: "networkx, D3", text: `{"nodes": [{"name": "x"}, {"name": "y"}], "links": [{"source": 1, "target": 0}]}`, want: `
networkx ""
node x sends name="x"
node y sends name="y"
link y->x 1
link x->y 1`},
		// nx.write_edgelist(G): a dictionary an edge, of which None says nothing; the file does not say that links are cables.
		{name: "edgelist", text: "a b {}\nb c {'weight': 2, 'vcs': 4, 'pos': (1, 2), 'no': None, \"it's\": 'x, y'}\n", opt: Options{BothWays: true}, want: `
edgelist ""
node a sends
node b sends
node c sends
link a->b 1
link b->a 1
link b->c 4 weight=2 vcs=4 pos="(1, 2)" it's="x, y"
link c->b 4 weight=2 vcs=4 pos="(1, 2)" it's="x, y"`},
		// nx.write_edgelist(nx.grid_2d_graph(1, 3)): its nodes are tuples, written with blanks.
		{name: "edgelist, tuples", text: "(0, 0) (0, 1) {}\n(0, 1) (0, 2) {'weight': 2}\n", opt: Options{OneWay: true}, want: `
edgelist "" one-way
node (0,0) at [0 0] sends
node (0,1) at [0 1] sends
node (0,2) at [0 2] sends
link (0,0)->(0,1) 1
link (0,1)->(0,2) 1 weight=2`},
		{name: "adjlist, tuples", text: "('a', 0) ('a', 1)\n('a', 1)\n", want: `
adjlist "" one-way
node ('a', 0) sends
node ('a', 1) sends
link ('a', 0)->('a', 1) 1`},
		// nx.write_weighted_edgelist; SNAP's lists have comments and numbers, which sort as numbers.
		{name: "edgelist, weights", text: "# Nodes: 3 Edges: 2\n10 9 0.5\n9\t2 3\n", want: `
edgelist "" one-way
node 2 sends
node 9 sends
node 10 sends
link 10->9 1 weight=0.5
link 9->2 1 weight=3`},
		// nx.write_adjlist(nx.Graph): a node a line, each edge once, nodes in the order of the lines.
		{name: "adjlist", text: "# x\n# GMT Sat Nov 28 15:24:14 2026\na b d\nb c\nc d\nd\n", opt: Options{OneWay: true}, want: `
adjlist "" one-way
node a sends
node b sends
node c sends
node d sends
link a->b 1
link a->d 1
link b->c 1
link c->d 1`},
		// The grammar's page: defaults hold for nodes that come later, a subgraph is an end, a port is the link's,
		// labels and positions draw, strings are joined by +, "\N" is the name of the node.
		{name: "dot", text: `strict digraph "my" + " net" {
	// a comment
	node [label="\N", pos="1,2"]
	s0; node [type=host] h0 -> s0 -> h0; h0 -> s0
	subgraph cluster_x { node [rack=7]; h1 [vcs=9] } /* h1
	*/ s0:p1 -> {h1 s1} [vcs=2, dir=both]; s1 -> s0 [dir=back];
	rankdir = LR
}`, want: `
dot "my net" one-way
node s0 label="\\N" pos="1,2"
node h0 sends label="\\N" pos="1,2" type="host"
node h1 sends label="\\N" pos="1,2" type="host" rack=7 vcs=9
node s1 sends label="\\N" pos="1,2" type="host"
link h0->s0 1
link s0->h0 1
link s0->h1 2 p1- out="p1" vcs=2 dir="both"
link h1->s0 2 -p1 out="p1" vcs=2 dir="both"
link s0->s1[p1] 2 p1- out="p1" vcs=2 dir="both"
link s1->s0 2 -p1 out="p1" vcs=2 dir="both"
link s0->s1[] 1 dir="back"`},
		// In a digraph an arrow that points back, or at neither end, leads back, or both ways; the ports stay where they are.
		{name: "dot, arrows", text: "digraph { a:p -> b:q [dir=back]; a -> c [dir=none, tailport=E]; c -> b [dir=back, headport=W]; b -> a [arrowhead=none] }", want: `
dot "" one-way
node a sends
node b sends
node c sends
link b->a[q] 1 q-p in="p" out="q" dir="back"
link a->c 1 E- dir="none" tailport="E"
link c->a 1 -E dir="none" tailport="E"
link b->c 1 W- dir="back" out="W"
link b->a[] 1 arrowhead="none"
link a->b 1 arrowhead="none"`},
		// A graph has cables; a number is a name; headport and tailport are ports.
		{name: "dot, cables", text: "graph{10--9--2[tailport=E,headport=W]}", want: `
dot ""
node 10 sends
node 9 sends
node 2 sends
link 10->9 1 E-W tailport="E" headport="W"
link 9->10 1 W-E tailport="E" headport="W"
link 9->2 1 E-W tailport="E" headport="W"
link 2->9 1 W-E tailport="E" headport="W"`},
		// The Topology Zoo: labels that differ are names, lists that draw are left out.
		{name: "gml", text: `Creator "Topology Zoo Toolset"
graph [
  directed 0
  label "Tiny &#38; small"
  node [ id 0 label "Aa" Longitude -5.25 graphics [ x 1.0 y [ z 2 ] ] ]
  # a comment
  node [ id 7 label "Bb" ]
  edge [ source 0 target 7 LinkLabel "1 Gbps" ]
]`, want: `
gml "Tiny & small"
node Aa sends label="Aa" Longitude=-5.25
node Bb sends label="Bb"
link Aa->Bb 1 LinkLabel="1 Gbps"
link Bb->Aa 1 LinkLabel="1 Gbps"`},
		{name: "gml, directed", text: "graph [ edge [ source 1 target 0 ] node [ id 1 ] node [ id 0 ] directed 1 ]", want: `
gml "" one-way
node 1 sends
node 0 sends
link 1->0 1`},
		// config.ini: sections in any order, the routers' in the order of their ids; one without controllers only passes on.
		{name: "gem5", text: `[root]
type=Root
[system.ruby.network]
type=GarnetNetwork
vcs_per_vnet=4
[system.ruby.network.ext_links0]
type=GarnetExtLink
ext_node=system.ruby.l1_cntrl0
int_node=system.ruby.network.routers1
[system.ruby.network.int_links0]
type=GarnetIntLink
dst_inport=West
dst_node=system.ruby.network.routers1
latency=1
src_node=system.ruby.network.routers0
src_outport=East
weight=2
[system.ruby.network.routers0]
type=GarnetRouter
router_id=1
[system.ruby.network.routers1]
type=GarnetRouter
router_id=0
`, want: `
gem5 "" one-way
node routers1 sends terminal=true nodes="l1_cntrl0"
node routers0
link routers0->routers1 4 East-West out="East" in="West" weight=2 latency=1 vcs=4`},
		// Routers that external links own are all called int_node, as in older configurations of gem5.
		{name: "gem5, owned routers", text: `[n.ext_links0]
type=SimpleExtLink
ext_node=l1
int_node=n.ext_links0.int_node
[n.ext_links0.int_node]
type=Switch
router_id=0
[n.ext_links1]
type=SimpleExtLink
ext_node=l2
int_node=n.ext_links1.int_node
[n.ext_links1.int_node]
type=Switch
router_id=1
[n.int_links]
type=SimpleIntLink
src_node=n.ext_links1.int_node
dst_node=n.ext_links0.int_node
`, want: `
gem5 "" one-way
node ext_links0.int_node sends terminal=true nodes="l1"
node ext_links1.int_node sends terminal=true nodes="l2"
link ext_links1.int_node->ext_links0.int_node 1`},
		// Before Garnet 2.0.
		{name: "gem5, cables", text: `[n]
type=GarnetNetwork_d
vcs_per_vnet=2
[n.r0]
type=GarnetRouter_d
router_id=0
[n.r1]
type=GarnetRouter_d
router_id=1
[n.e]
type=GarnetExtLink_d
int_node=n.r1
ext_node=l1
[n.i]
type=GarnetIntLink_d
node_a=n.r1
node_b=n.r0
weight=3
`, want: `
gem5 ""
node r0
node r1 sends terminal=true nodes="l1"
link r1->r0 2 weight=3 vcs=2
link r0->r1 2 weight=3 vcs=2`},
		// The GraphML primer: keys with defaults, a directed edge in an undirected graph, ports.
		{name: "graphml", text: `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="rack" attr.type="int"><default>7</default></key>
  <key id="d1" for="edge" attr.name="vcs" attr.type="int"/>
  <graph id="G" edgedefault="undirected">
    <desc>two nodes</desc>
    <node id="n0"><data key="d0">3</data><port name="E"/></node>
    <edge source="n0" target="n1" sourceport="E" targetport="W"><data key="d1">2</data></edge>
    <edge source="n1" target="n0" directed="true"/>
    <node id="n1"/>
  </graph>
</graphml>`, want: `
graphml "" one-way
node n0 sends rack=3
node n1 sends rack=7
link n0->n1 2 E-W sourceport="E" targetport="W" vcs=2
link n1->n0[W] 2 W-E sourceport="E" targetport="W" vcs=2
link n1->n0[] 1`},
		// yEd keeps labels within what it draws.
		{name: "graphml of yEd", text: `<graphml xmlns:y="http://www.yworks.com/xml/graphml"><key for="node" id="d6" yfiles.type="nodegraphics"/>
<graph edgedefault="directed"><node id="n0"><data key="d6"><y:ShapeNode><y:Geometry height="30.0"/><y:NodeLabel>leaf 1</y:NodeLabel></y:ShapeNode></data></node>
<node id="n1"><data key="d6"><y:ShapeNode><y:NodeLabel>leaf 2</y:NodeLabel></y:ShapeNode></data></node></graph></graphml>`, want: `
graphml ""
node leaf 1 sends label="leaf 1"
node leaf 2 sends label="leaf 2"`},
		// yEd writes each edge as directed; its arrows say what is drawn. Without them the edge is what the file says.
		{name: "graphml of yEd, arrows", text: `<graphml xmlns:y="http://www.yworks.com/xml/graphml"><key for="edge" id="d9" yfiles.type="edgegraphics"/>
<graph edgedefault="directed"><node id="a"/><node id="b"/><node id="c"/>
<edge source="a" target="b"><data key="d9"><y:PolyLineEdge><y:Path sx="0.0"/><y:Arrows source="none" target="none"/></y:PolyLineEdge></data></edge>
<edge source="b" target="c"><data key="d9"><y:PolyLineEdge><y:Arrows source="standard" target="delta"/></y:PolyLineEdge></data></edge>
<edge source="c" target="a" sourceport="E"><data key="d9"><y:PolyLineEdge><y:Arrows source="standard" target="none"/></y:PolyLineEdge></data></edge>
<edge source="c" target="a"><data key="d9"><y:PolyLineEdge><y:Arrows source="none" target="standard"/></y:PolyLineEdge></data></edge>
<edge source="a" target="b"/>
</graph></graphml>`, want: `
graphml "" one-way
node a sends
node b sends
node c sends
link a->b 1
link b->a 1
link b->c 1
link c->b 1
link a->c 1 -E in="E"
link c->a 1
link a->b#2 1`},
		{name: "csv", text: "0,1,2\n10,9\n9,0\n", want: `
csv "" one-way
node 0 sends
node 1 sends
node 9 sends
node 10 sends
link 0->1 2 vcs=2
link 10->9 1
link 9->0 1`},
		{name: "csv with a heading", text: "# cables\nport,Target,Source,vcs,out\n1,\"b, the second\", a ,2,E\n", opt: Options{BothWays: true}, want: `
csv ""
node b, the second sends
node a sends
link a->b, the second 2 E- port=1 vcs=2 out="E"
link b, the second->a 2 -E port=1 vcs=2 out="E"`},
		// Gephi's column Type.
		{name: "tsv", text: "source\ttarget\ttype\na\tb\tUndirected\nb\tc\tDirected\n", want: `
csv "" one-way
node a sends
node b sends
node c sends
link a->b 1 type="Undirected"
link b->a 1 type="Undirected"
link b->c 1 type="Directed"`},
		{name: "another heading", text: "from_node,To_Node\na,b\n", want: `
csv "" one-way
node a sends
node b sends
link a->b 1`},
		{name: "heading of two letters", text: "u,v\na,b\n", want: `
csv "" one-way
node a sends
node b sends
link a->b 1`},
		{name: "nodes of two letters", text: "u,v\nv,w\n", want: `
csv "" one-way
node u sends
node v sends
node w sends
link u->v 1
link v->w 1`},
		{name: "semicolons", text: "from;to;weight;up\r\na;b;1,5;true\r\n", want: `
csv "" one-way
node a sends
node b sends
link a->b 1 weight="1,5" up=true`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, err := Read(context.Background(), "f", []byte(tt.text), tt.opt)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), told(g)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// unknownFormat is the error about a text f that is none of the formats, all of which it names.
func unknownFormat() string {
	return "f:1:1: no topology in a known format: want " + words.OneOf(append(Formats(), "ibnetdiscover")) + " (unknot help topologies)"
}

// TestWrong: every fault has its place, counted by hand.
func TestWrong(t *testing.T) {
	graph := func(within string) string {
		return "<graphml>\n<graph edgedefault=\"directed\">" + within + "</graph></graphml>"
	}
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", unknownFormat()},
		{"binary", "a,b\n\x00", `f:1:1: the file is binary: want text`},
		{"a shell prompt", "me@host:~$ cat ring.csv\nfrom,to\na,b\n",
			`f:1:1: the prompt of a terminal, with the command that printed the rest: delete this line`},
		{"prose", "Dear reader\n", unknownFormat()},
		{"other JSON", `{"format": "drawing-1", "nodes": []}`, unknownFormat()},
		{"anynet word", "router 0 node 0\nrouter 1 rooter 2\n", `f:2:10: invalid word "rooter": want router or node`},
		{"anynet number", "router 0 node -1\nrouter 0 node 1", `f:1:15: invalid node "-1": want a number from 0 to 1073741824`},
		{"anynet cut", "router 0 node 0 router", `f:1:17: router without a number`},
		{"anynet weight", "router 0 node 0 router 1 0", `f:1:26: invalid latency "0": want a number from 1 to 1073741824`},
		{"anynet nodes", "node 0 node 1", `f:1:8: node 0 to node 1: want a router at one end`},
		{"anynet twice", "router 0 node 0\nrouter 1 node 0\n", `f:2:10: node 0 is attached to router 0 already: want one router`},
		{"anynet loop", "router 0 node 0 router 0\n", `f:1:17: a link from router 0 to itself: leave it out`},
		{"anynet without nodes", "router 0 router 1 2\n", `f:1:1: no node is attached to a router, so none sends: write router 0 node 0`},
		{"json cut", "{\"nodes\": [\n {\"id\": 1}", `f:2:11: unexpected end of file`},
		{"json", "{\"nodes\": [\n {\"id\": 1},,]}", `f:2:13: invalid character ',' looking for beginning of value`},
		{"no links", `{"nodes": []}`, `f:1:1: the key "links", or "edges", is missing`},
		{"both spellings", `{"nodes": [], "links": [], "edges": []}`, `f:1:28: "edges" and "links": want one list of links`},
		{"unknown node", "{\"nodes\": [{\"id\": 1}],\n\"links\": [{\"source\": 1, \"target\": \"1\"}]}",
			`f:2:25: a link names node "1", which is not listed among the nodes`},
		{"node twice", "{\"nodes\": [{\"id\": 1},\n{\"id\": 1}], \"links\": []}", `f:2:1: node "1" is listed twice: first at line 1`},
		{"key twice", "{\"nodes\": [{\"id\": 1,\n\"id\": 2}], \"links\": []}", `f:2:1: key "id" appears twice in an object`},
		{"key twice within", "{\"nodes\": [{\"id\": 1, \"x\": [{\"a\": 1, \"b\": {},\n \"a\": 1}]}], \"links\": []}",
			`f:2:2: key "a" appears twice in an object`},
		{"nodes twice", `{"nodes": [], "nodes": [], "links": []}`, `f:1:15: key "nodes" appears twice in an object`},
		{"links twice", `{"nodes": [], "links": [], "links": []}`, `f:1:28: key "links" appears twice in an object`},
		{"datum twice",
			"<graphml><key id=\"k\"/>\n<graph edgedefault=\"directed\"><node id=\"a\"><data key=\"k\"/><data key=\"k\"/></node></graph></graphml>",
			`f:2:59: key "k" appears twice in node`},
		{"attribute twice", graph("<node id=\"a\" id=\"b\"/>"), `f:2:31: attribute "id" appears twice in "node"`},
		{"column twice", "from,to,vcs,vcs\na,b,1,2\n", `f:1:13: the heading names column 4 "vcs": names must differ`},
		{"name twice", "{\"nodes\": [{\"id\": 1},\n{\"id\": \"1\"}], \"links\": []}", `f:2:1: node "1" has the name of the node at line 1: names must differ`},
		{"link loop", "{\"nodes\": [{\"id\": 1}], \"links\": [{\"source\": 1, \"target\": 1}]}", `f:1:34: a link from node "1" to itself: leave it out`},
		{"half a link", "{\"nodes\": [{\"id\": 1}], \"links\": [{\"source\": 1}]}", `f:1:34: a link without source or target: want both`},
		{"number", `{"nodes": [{"id": 1e999}], "links": []}`, `f:1:19: invalid number "1e999"`},
		{"vcs", "{\"nodes\": [{\"id\": 1}, {\"id\": 2}], \"links\": [{\"source\": 1, \"target\": 2, \"VCs\": 0}]}",
			`f:1:45: invalid VCs "0" of a link: want 1 to 65536`},
		{"list", `{"nodes": {}, "links": []}`, `f:1:11: want "[" here`},
		{"more", `{"nodes": [{}], "links": []} {}`, `f:1:31: text after the end`},
		{"xml", "<graphml><graph", `f:1:16: unexpected EOF`},
		{"no graph", "<graphml></graphml>", `f:1:1: no graph in the file`},
		{"edgedefault", "<graphml><graph></graph></graphml>", `f:1:10: invalid edgedefault "": want directed or undirected`},
		{"undeclared", graph("<node id=\"a\"/>\n<edge source=\"a\" target=\"b\"/>"), `f:3:1: a link names node "b", which is not listed among the nodes`},
		{"no target", graph("<edge source=\"a\"/>"), `f:2:31: edge without the attribute target`},
		{"key", graph("<node id=\"a\"><data key=\"d\">1</data></node>"), `f:2:44: key "d" is not declared`},
		{"hyperedge", graph("<hyperedge/>"), `f:2:31: a hyperedge: want edges between two nodes`},
		{"nested", graph("<node id=\"a\"><graph/></node>"), `f:2:44: a graph within node "a": want a flat graph`},
		{"typed", "<graphml><key id=\"k\" for=\"node\" attr.type=\"int\"/><graph edgedefault=\"directed\"><node id=\"a\"><data key=\"k\">x</data></node></graph></graphml>",
			`f:1:93: invalid "k" "x": want a value of type int`},
		{"charset", "<?xml version=\"1.0\" encoding=\"EBCDIC\"?><graphml/>", `f:1:40: encoding "EBCDIC": want UTF-8`},
		{"version", "<?xml version=\"1.1\"?><graphml/>", `f:1:22: xml: unsupported version "1.1"; only version 1.0 is supported`},
		{"edge list, one node", "a b\nb a\nc {}\n",
			`f:1:1: the text is an adjacency list of NetworkX, several lines a node, which is not read as it is: convert it with ` +
				`python3 -c 'import json, networkx as nx; json.dump(nx.node_link_data(nx.read_multiline_adjlist("f")), open("f-graph.json", "w"))'`},
		{"paths of numbers", "0 2 8 1\n0 3\n2 8 1\n3 0\n", `f:1:1: the text is rows of names, which is not read as it is: ` +
			`if each row is a path, put a line with the word hops above the first; if it is a node with those that it has links to, say --from adjlist (unknot help topologies)`},
		{"paths of names", "a b c\na b\nc b a\nb c\n", `f:1:1: the text is rows of names, which is not read as it is: ` +
			`if each row is a path, put a line with the word hops above the first; if it is a node with those that it has links to, say --from adjlist (unknot help topologies)`},
		{"table of next hops", "dest,next_hop\na,b\n", `f:1:1: the text is a table of next hops, which is not read as it is: ` +
			`add a column node, the router of each row, or name a folder with such a table for each router, ROUTER.csv (unknot help topologies)`},
		{"node-link data, NetworkX 1", `{"graph": [["name", "x"]], "nodes": [{"id": 2}, {"id": 1}], "links": [{"source": 0, "target": 1}]}`,
			`f:1:11: want "{" here; in NetworkX 1, which wrote lists, links have the numbers of nodes for their ids`},
		{"adjacency data", `{"directed": false, "nodes": [` + strings.Repeat(" ", mostHead) + `], "graph": [["name", "x"]], "adjacency": [[]]}`,
			`f:1:4156: adjacency data of NetworkX, which is not read as it is: convert it with ` +
				`python3 -c 'import json, networkx as nx; json.dump(nx.node_link_data(nx.adjacency_graph(json.load(open("f")))), open("f-graph.json", "w"))'`},
		{"dictionary", "a b {}\nb c  {'a': f(x)}\n", `f:2:6: invalid dictionary: want {'name': value, ...} with numbers and strings as values`},
		{"dictionary, twice", "a b {}\nb c {'a': 1, 'a': 2}\n", `f:2:5: key "a" appears twice in a dictionary`},
		{"dictionary, VCs", "a b {}\nb c {'vcs': 0}\n", `f:2:1: invalid vcs "0" of a link: want 1 to 65536`},
		{"edge list, loop", "a b\nb b\n", `f:2:1: a link from node "b" to itself: leave it out`},
		{"adjacency, loop", "a b\nb b\nc a b\n", `f:2:1: a link from node "b" to itself: leave it out`},
		{"dot, edge", "graph {\n a -> b }", `f:2:4: an edge -> in a graph: want --`},
		{"dot, edge of a digraph", "digraph { a -- b }", `f:1:13: an edge -- in a digraph: want ->`},
		{"dot, cut", "graph {\n a -- ", `f:2:7: unexpected end of file: want a name`},
		{"dot, unclosed", "graph {\n a", `f:2:3: unexpected end of file: want a name`},
		{"dot, string", "graph {\n a -- \"b }", `f:2:7: a string without its end: want a quotation mark`},
		{"dot, comment", "graph {\n /* a }", `f:2:2: a comment without its end: want */`},
		{"dot, HTML", "graph { a [label=<<b>x] }", `f:1:18: an HTML string without its end: want >`},
		{"dot, loop", "graph { a\n b -- a -- a }", `f:2:2: a link from node "a" to itself: leave it out`},
		{"dot, two", "graph { a -- b } graph { c }", `f:1:18: unexpected "graph": want the end of the file: one graph`},
		{"dot, keyword", "graph { a -- node }", `f:1:14: unexpected "node": want a name`},
		{"dot, vcs", "graph { a\n a -- b [vcs=many] }", `f:2:2: invalid vcs "many" of a link: want 1 to 65536`},
		{"dot, number", "graph { 1.2.3 }", `f:1:9: invalid number "1.2.3"`},
		{"dot, sign", "graph { a -- b @ c }", `f:1:16: unexpected '@': want a name, a number or a quoted string`},
		{"gml, two", "graph [ node [ id 1 ] ]\ngraph [ ]", `f:2:1: a second graph: want one`},
		{"gml, cut", "graph [\n node [ id 1", `f:2:7: a list without its end: want ]`},
		{"gml, id twice", "graph [\n node [ id 1 ] node [ id 1 ] ]", `f:2:16: node "1" is listed twice: first at line 2`},
		{"gml, unknown node", "graph [\n node [ id 1 ] edge [ source 1 target 2 ] ]", `f:2:39: a link names node "2", which is not listed among the nodes`},
		{"gml, half an edge", "graph [\n node [ id 1 ] edge [ source 1 ] ]", `f:2:16: a link without source or target: want both`},
		{"gml, number", "graph [ node [ id 1.2.3 ] ]", `f:1:19: invalid number "1.2.3"`},
		{"gml, key", "graph [ node [ 7 8 ] ]", `f:1:16: unexpected '7': want a key`},
		{"gml, value", "graph [ node [ id ] ]", `f:1:19: unexpected ']': want a number or a string`},
		{"gem5, no links", "[root]\ntype=Root\n", `f:1:1: no internal link (GarnetIntLink or SimpleIntLink) in the configuration`},
		{"gem5, half a link", "[root]\ntype=Root\n[l]\ntype=GarnetIntLink\nsrc_node=a\n", `f:3:1: section "l": want src_node and dst_node`},
		{"gem5, half a cable", "[root]\ntype=Root\n[l]\ntype=SimpleIntLink\nnode_a=a\n", `f:3:1: section "l": want node_a and node_b`},
		{"gem5, twice", "[a]\ntype=Root\n[a]\n", `f:3:1: section "a" is there twice: first at line 1`},
		{"gem5, row", "[a]\ntype=Root\n  x\n", `f:3:3: want [section] or key=value`},
		{"gem5, section", "[a]\ntype=Root\n[b\n", `f:3:1: a section without ]`},
		{"gem5, id", "[a]\ntype=GarnetRouter\nrouter_id = x\n", `f:3:13: invalid router_id "x": want a number from 0 to 1073741824`},
		{"one field", "a,b\nc\n", `f:2:1: invalid number of fields 1: want at least 2, for both ends of a link`},
		{"empty field", "a,b\nc, ,\n", `f:2:4: no node here: want its name`},
		{"too many fields", "from,to\na,b,3\n", `f:2:5: 3 fields, but the heading has 2`},
		{"quote", "from,to\na,\"b\n", `f:2:6: extraneous or missing " in quoted-field`},
		{"loop", "from,to\na,a\n", `f:2:1: a link from node "a" to itself: leave it out`},
		{"terminal", "{\"nodes\": [{\"id\": 1},\n{\"id\": 2, \"terminal\": \"off\"}], \"links\": []}",
			`f:2:1: invalid terminal "off" of a node: want true or false`},
		{"another encoding", "\xff\xfea\x00,\x00b\x00\n\x00", "f:1:1: the text is UTF-16: want UTF-8"},
		{"vcs of a row", "from,to,vcs\na,b, none\n", `f:2:6: invalid vcs "none" of a link: want 1 to 65536`},
		{"vcs without a heading", "a,b,1\nb,c,d\n", `f:2:5: invalid vcs "d" of a link: want 1 to 65536; no first row names columns from and to, so the third is vcs and the fourth weight`},
		{"vcs beyond all", "from,to,vcs\na,b,99999999999999999999\n", `f:2:5: invalid vcs "99999999999999999999" of a link: want 1 to 65536`},
		{"dimension of a row", "from,to,vcs,dimension\na,b,1,-1\n", `f:2:7: invalid dimension "-1" of a link: want 0 to 65536`},
		{"directed", "from,to,directed\na,b,perhaps\n", `f:2:5: invalid directed "perhaps": want true or false`},
		{"only a heading", "from,to\n", `f:1:1: no node: the file lists neither nodes nor links`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(context.Background(), "f", []byte(tt.text), Options{})
			var pos *spec.PosError
			if !errors.As(err, &pos) || err.Error() != tt.want {
				t.Errorf("%v\nwant %s", err, tt.want)
			}
		})
	}
}

// TestInterrupted: a cancelled read ends with the cause, in each format.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	cancel(cause)
	for _, text := range []string{
		"a,b\n", "router 0 router 1\n", `{"nodes": [{"id": 1}], "links": []}`,
		`<graphml><graph edgedefault="directed"><node id="a"/></graph></graphml>`,
		"a b\nb a\n", "a b\nb a c\nc b\n", "graph { a }", "graph [ node [ id 1 ] ]", "[a]\ntype=Root\n",
	} {
		if _, err := Read(ctx, "f", []byte(text), Options{}); !errors.Is(err, cause) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if _, err := Read(context.Background(), "f", nil, Options{Format: "gexf"}); err == nil ||
		err.Error() != `invalid format "gexf": want anynet, networkx, graphml, csv, edgelist, adjlist, dot, gml or gem5` {
		t.Error(err)
	}
}

// TestWeights: names are those by which other programs choose routes; a weight that is everywhere the same chooses nothing.
// TestWeight: the attribute that is named becomes the weight of a link, both ways of a cable.
func TestWeight(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []int32
		err  string
	}{
		{"from,to,Cost\na,b,3\nb,c,2147483647\n", []int32{3, 3, 1<<31 - 1, 1<<31 - 1}, ""},
		{"from,to,cost\na,b,3\nb,c,0\n", nil, `f:3:5: invalid cost "0" of a link: want 1 to 2147483647`},
		{"from,to,cost\na,b,2147483648\n", nil, `f:2:5: invalid cost "2147483648" of a link: want 1 to 2147483647`},
		{"from,to,cost\na,b,1.5\n", nil, `f:2:5: invalid cost "1.5" of a link: want 1 to 2147483647`},
		{"from,to,cost\na,b,x\n", nil, `f:2:5: invalid cost "x" of a link: want 1 to 2147483647`},
		{"from,to,cost\na,b,1\nb,c,\n", nil, `f:3:1: a link without "cost": want 1 to 2147483647`},
	} {
		g, err := Read(t.Context(), "f", []byte(tt.text), Options{BothWays: true, Weight: "cost"})
		if tt.err != "" {
			if err == nil || err.Error() != tt.err {
				t.Errorf("%q: %v, want %s", tt.text, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, g.Weight); diff != "" {
			t.Error(diff)
		}
	}
}

func TestWeights(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"from,to,weight\na,b,1\nb,a,2\n", []string{"weight"}},
		{"from,to,Weight,latency,colour\na,b,1,3,red\nb,a,2,4,blue\n", []string{"Weight", "latency"}},
		{"from,to,weight\na,b,1\nb,a,1\n", nil},
		{"from,to,weight\na,b,1\nb,a,\n", []string{"weight"}},  // one has none
		{"a,b,1,5\nb,a,1,6\n", []string{"weight"}},             // without a heading, the fourth column
		{"a,b,1\nb,a,2\n", nil},                                // the third is the number of VCs, which has an effect
		{"router 0 node 0 router 1 15\n", []string{"latency"}}, // BookSim: 1 on the way back
		{"router 0 node 0 router 1\n", nil},
		{`{"nodes": [{"id": 0}, {"id": 1}, {"id": 2}], "links": [{"source": 0, "target": 1, "bandwidth": 1e9}, {"source": 1, "target": 2, "bandwidth": 2e9}]}`,
			[]string{"bandwidth"}},
		{`{"nodes": [{"id": 0}, {"id": 1}], "links": []}`, nil},
	} {
		g, err := Read(context.Background(), "f", []byte(tt.text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, g.Weights()); diff != "" {
			t.Errorf("%q (-want +got)\n%s", tt.text, diff)
		}
	}
}

// TestPartsOfTuples: a name with a blank in it is none, though the user says that the text is a list of links.
func TestPartsOfTuples(t *testing.T) {
	_, err := Read(t.Context(), "f", []byte("a b\na (c, 1\n"), Options{Format: "edgelist"})
	if want := `f:2:3: invalid name "(c,": want no blanks but within a tuple of Python, (0, 1)`; err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// TestNetworkXDirection: NetworkX writes each edge once, directed or not. Where no link has one back, a verdict about half
// of the cables would come first, so the reader asks.
func TestNetworkXDirection(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		asks       bool
	}{
		{"nx.Graph, edges", "a b {}\nb c {}\n", true},
		{"nx.DiGraph, edges", "a b {}\nb a {}\nb c {}\n", false},
		{"nx.Graph, rows", "# GMT Sat Nov 28 15:24:14 2026\na b\nb c\nc\n", true},
		{"nx.DiGraph, rows", "# GMT Sat Nov 28 15:24:14 2026\na b\nb c a\nc\n", false},
		{"SNAP", "# Nodes: 3\na b\nb c\n", false},
		{"no edges", "# GMT Sat Nov 28 15:24:14 2026\na\nb\n", false},
	} {
		format := "edgelist"
		if strings.Contains(tt.text, "GMT") {
			format = "adjlist"
		}
		for _, opt := range []Options{{}, {BothWays: true}, {OneWay: true}} {
			opt.Format = format
			_, err := Read(t.Context(), "f", []byte(tt.text), opt)
			if want := tt.asks && !opt.BothWays && !opt.OneWay; (err != nil) != want || want && !strings.Contains(err.Error(), "nx.DiGraph") {
				t.Errorf("%s, %+v: %v, want that it asks: %v", tt.name, opt, err, want)
			}
		}
	}
}
