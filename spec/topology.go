package spec

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// NodeID numbers the nodes of a topology: 0 <= id < Topology.Nodes().
type NodeID int32

// LinkID numbers the links of a topology: 0 <= id < Topology.Links().
type LinkID int32

// ChannelID names a place where a packet may stand or go.
//
//   - 0 <= c < Topology.Channels(): a network channel, one VC of one link.
//     Channels are numbered link by link, VCs ascending within a link.
//   - [Eject]: the packet leaves the network at the node it has reached.
//   - below Eject: the injection channel of a node, see [Injection]. It has no
//     buffer in the theory; a packet there has not entered the network yet.
type ChannelID int32

// Eject is the hop by which a packet leaves the network.
const Eject ChannelID = -1

// Injection returns the injection channel of a node: where a packet stands
// before its first hop.
func Injection(n NodeID) ChannelID { return -2 - ChannelID(n) }

// IsInjection reports whether c is some node's injection channel.
func (c ChannelID) IsInjection() bool { return c < Eject }

// Node is a router together with the terminal attached to it.
type Node struct {
	Name string // unique; "" stands for the node's number
	At   []int  // coordinates, for names and drawings; may be nil
}

// Link is a directed physical connection that carries VCs virtual channels.
// Any number of parallel links may join the same two nodes. A link from a node to
// itself is a request buffer: its channels hold requests that the node has received and
// not answered yet.
type Link struct {
	From, To NodeID
	VCs      int    // at least 1
	Out, In  string // port names at From and at To; may be ""
	Dim      int    // dimension that the link runs in, 1-based; 0: none
}

// Topology is the directed multigraph of nodes and links. Build it with
// [Topology.AddNode] and [Topology.AddLink]; once a [Network] has been compiled
// from it, it must not change. Faults found while building are kept and
// reported by [Topology.Err].
type Topology struct {
	vcNames []string
	nodes   []Node
	links   []Link
	first   []ChannelID // first[l] is VC 0 of link l; first[len(links)] the number of channels
	linkOf  []LinkID    // by channel
	ends    [][2]NodeID // by link: tail and head, close together
	out, in [][]LinkID  // by node, ascending
	names   map[string]NodeID
	faults  []error
}

// NewTopology returns an empty topology. The optional names are those of VC 0,
// VC 1, ... on every link, such as "CH", "CA", "CF"; without them VCs are
// called vc0, vc1, ...
func NewTopology(vcNames ...string) *Topology {
	return &Topology{vcNames: vcNames, first: []ChannelID{0}, names: map[string]NodeID{}}
}

func (t *Topology) fault(format string, args ...any) {
	const enough = 20 // a builder in a loop must not fill the memory with complaints
	if len(t.faults) < enough {
		t.faults = append(t.faults, fmt.Errorf(format, args...))
	}
}

// AddNode appends a node. An empty name is replaced by the node's number.
func (t *Topology) AddNode(name string, at ...int) NodeID {
	id := NodeID(len(t.nodes))
	if name == "" {
		name = strconv.Itoa(int(id))
	}
	if old, dup := t.names[name]; dup {
		t.fault("node %d has the name %q, as node %d has already: names must differ", id, name, old)
	} else {
		t.names[name] = id
	}
	t.nodes = append(t.nodes, Node{Name: name, At: at})
	t.out, t.in = append(t.out, nil), append(t.in, nil)
	return id
}

// AddLink appends a directed link. A link whose ends do not exist or that has no VC
// is recorded as a fault and not added.
func (t *Topology) AddLink(l Link) LinkID {
	const mostChannels = 1 << 24
	n := NodeID(len(t.nodes))
	switch {
	case l.From < 0 || l.From >= n || l.To < 0 || l.To >= n:
		t.fault("link %d joins nodes %d and %d, but nodes are numbered 0 to %d", len(t.links), l.From, l.To, n-1)
		return -1
	case l.VCs < 1 || l.VCs > 1<<16:
		t.fault("link %d has %d VCs, but must have 1 to 65536", len(t.links), l.VCs)
		return -1
	case len(t.linkOf)+l.VCs > mostChannels:
		t.fault("more than %d channels", mostChannels)
		return -1
	}
	id := LinkID(len(t.links))
	t.links, t.ends = append(t.links, l), append(t.ends, [2]NodeID{l.From, l.To})
	for range l.VCs {
		t.linkOf = append(t.linkOf, id)
	}
	t.first = append(t.first, ChannelID(len(t.linkOf)))
	t.out[l.From], t.in[l.To] = append(t.out[l.From], id), append(t.in[l.To], id)
	return id
}

// AddPair appends a link each way between a and b, both with the given VCs,
// and returns the link from a and the link back.
func (t *Topology) AddPair(a, b NodeID, vcs int) (there, back LinkID) {
	return t.AddLink(Link{From: a, To: b, VCs: vcs}), t.AddLink(Link{From: b, To: a, VCs: vcs})
}

// Err returns what went wrong while the topology was built, or nil.
func (t *Topology) Err() error {
	if len(t.nodes) == 0 && len(t.faults) == 0 {
		return errors.New("a topology needs at least one node")
	}
	return errors.Join(t.faults...)
}

// Nodes returns the number of nodes.
func (t *Topology) Nodes() int { return len(t.nodes) }

// Links returns the number of links.
func (t *Topology) Links() int { return len(t.links) }

// Channels returns the number of network channels, over all links and VCs.
func (t *Topology) Channels() int { return len(t.linkOf) }

// Node returns node n. Its coordinates must not be changed.
func (t *Topology) Node(n NodeID) Node { return t.nodes[n] }

// NodeNamed finds a node by name.
func (t *Topology) NodeNamed(name string) (NodeID, bool) {
	n, ok := t.names[name]
	return n, ok
}

// Link returns link l.
func (t *Topology) Link(l LinkID) Link { return t.links[l] }

// OutLinks returns the links that leave n, ascending. The slice must not be changed.
func (t *Topology) OutLinks(n NodeID) []LinkID { return t.out[n] }

// InLinks returns the links that arrive at n, ascending. The slice must not be changed.
func (t *Topology) InLinks(n NodeID) []LinkID { return t.in[n] }

// LinksBetween returns the links from a to b, ascending: none, one, or several
// parallel ones.
func (t *Topology) LinksBetween(a, b NodeID) []LinkID {
	return slices.DeleteFunc(slices.Clone(t.out[a]), func(l LinkID) bool { return t.links[l].To != b })
}

// Channel returns the given VC (0-based) of link l.
func (t *Topology) Channel(l LinkID, vc int) ChannelID { return t.first[l] + ChannelID(vc) }

// Port returns the link that leaves n by the port called out, the first if several do; -1 if none does.
func (t *Topology) Port(n NodeID, out string) LinkID {
	for _, l := range t.out[n] {
		if t.links[l].Out == out {
			return l
		}
	}
	return -1
}

// Hop returns the hop into the given VC (0-based) of link l, with tag 0. If there is no such link or VC,
// it is a hop that no network may permit: [Topology.Channels] and the numbers above are no channels.
func (t *Topology) Hop(l LinkID, vc int) Hop {
	switch {
	case l < 0 || int(l) >= len(t.links) || vc < 0 || vc > math.MaxUint16:
		return Hop{Channel: ChannelID(t.Channels())}
	case vc >= t.links[l].VCs:
		return Hop{Channel: ChannelID(t.Channels() + int(l)), Tag: Tag(vc)} // for [Topology.NoVC]
	}
	return Hop{Channel: t.Channel(l, vc)}
}

// NoVC returns the link and the VC that it lacks, for which [Topology.Hop] returned h; false for other hops.
func (t *Topology) NoVC(h Hop) (LinkID, int, bool) {
	l, vc := LinkID(int(h.Channel)-t.Channels()), int(h.Tag)
	return l, vc, l >= 0 && int(l) < len(t.links) && vc >= t.links[l].VCs
}

// LinkOf returns the link of network channel c.
func (t *Topology) LinkOf(c ChannelID) LinkID { return t.linkOf[c] }

// VC returns the number of network channel c within its link, 0-based.
func (t *Topology) VC(c ChannelID) int { return int(c - t.first[t.linkOf[c]]) }

// Tail returns the node that sends into network channel c.
func (t *Topology) Tail(c ChannelID) NodeID { return t.ends[t.linkOf[c]][0] }

// Head returns the node whose router decides for a packet in c: the far end of
// a network channel, or the node of an injection channel.
func (t *Topology) Head(c ChannelID) NodeID {
	if c.IsInjection() {
		return NodeID(-2 - c)
	}
	return t.ends[t.linkOf[c]][1]
}

// VCNames returns the names given to [NewTopology]. The slice must not be changed.
func (t *Topology) VCNames() []string { return t.vcNames }

// VCName returns what VC number vc is called.
func (t *Topology) VCName(vc int) string {
	if vc < len(t.vcNames) {
		return t.vcNames[vc]
	}
	return "vc" + strconv.Itoa(vc)
}

// LinkName names a link in messages: "(0,0)->(1,0)". Parallel links are
// distinguished by their outgoing port or, lacking that, by "#2", "#3".
func (t *Topology) LinkName(l LinkID) string {
	k := t.links[l]
	if k.From == k.To {
		return t.nodes[k.From].Name + " request buffer " + k.Out
	}
	name := t.nodes[k.From].Name + "->" + t.nodes[k.To].Name
	same := t.LinksBetween(k.From, k.To)
	if len(same) == 1 {
		return name
	}
	ports := map[string]bool{}
	for _, s := range same {
		ports[t.links[s].Out] = true
	}
	if len(ports) == len(same) {
		return name + "[" + k.Out + "]"
	}
	if i := slices.Index(same, l); i > 0 {
		return name + "#" + strconv.Itoa(i+1)
	}
	return name
}

// HopName names where a hop leads: "discard", or the name of the channel.
func (t *Topology) HopName(h Hop) string {
	if h.Discards() {
		return "discard"
	}
	return t.ChannelName(h.Channel)
}

// ChannelName names a channel in messages: "(0,0)->(1,0) vc1", "inject (0,0)",
// "(0,0) request buffer request 1" or "eject". Names of network channels differ, unless
// nodes have confusing names, such as "a", "a->b", "b->c" and "c".
func (t *Topology) ChannelName(c ChannelID) string {
	switch {
	case c == Eject:
		return "eject"
	case c.IsInjection():
		return "inject " + t.nodes[t.Head(c)].Name
	case t.Tail(c) == t.Head(c):
		return t.LinkName(t.linkOf[c]) + " " + strconv.Itoa(t.VC(c))
	}
	return t.LinkName(t.linkOf[c]) + " " + t.VCName(t.VC(c))
}
