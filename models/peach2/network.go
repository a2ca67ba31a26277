package peach2

import (
	"fmt"
	"strconv"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Reads says whether there are packets other than posted writes, and which buffers of a link
// they use.
type Reads uint8

const (
	// NoReads: posted writes only. The paper writes to other nodes by DMA and does not
	// mention reads across nodes.
	NoReads Reads = iota
	// Separate: posted writes, reads (non-posted) and completions have buffers of their
	// own, as PCI Express credits require.
	Separate
	// Shared: completions have no buffers of their own but share those of reads.
	Shared
	// FIFO: one buffer for all three, so that nothing passes anything.
	FIFO
	// InOrder: reads share the buffers of posted writes, so writes do not pass reads.
	// PCI Express requires that they can. [New] models this with the ordering [Relaxed]
	// alone, the machine peach2-reads with any.
	InOrder
)

// ReadsNames are the names of the values, in order.
var ReadsNames = []string{"no", "separate", "shared", "fifo", "in-order"}

// The three kinds of packets of PCI Express.
const (
	posted = iota
	nonPosted
	completion
)

var kindOfPacket = [...]string{"posted", "non-posted", "completion"}

// String returns the name.
func (r Reads) String() string { return ReadsNames[r] }

// buffers returns, by kind of packet, the number of its buffer within a link, and the
// names of the buffers.
func (r Reads) buffers() (of [3]int, names []string) {
	switch r {
	case Separate:
		return [3]int{0, 1, 2}, []string{"posted", "non-posted", "completion"}
	case Shared:
		return [3]int{0, 1, 1}, []string{"posted", "read+completion"}
	case InOrder:
		return [3]int{0, 0, 1}, []string{"request", "completion"}
	case FIFO:
		return [3]int{}, []string{"any"}
	}
	return [3]int{}, []string{"posted"}
}

// NetworkOptions says how a cluster is modelled as a network.
type NetworkOptions struct {
	Reads    Reads
	Ordering Ordering
	Buffer   int // packets that a buffer of a link holds; 0 means 1
}

// OrderError says that a network cannot express which packets of a link wait for older
// ones in other buffers of it: a routing relation gives the hops that a packet may
// take, and packets wait for these alone.
type OrderError struct {
	Reads    Reads
	Ordering Ordering
}

func (e *OrderError) Error() string {
	return fmt.Sprintf(
		"reads %s with ordering %s: packets wait for older ones in another buffer of their link, but those of a "+
			"network wait for room in their next buffer alone", e.Reads, e.Ordering)
}

// expressible reports whether a network can express all the waits that matter.
func (o NetworkOptions) expressible() bool {
	switch o.Reads {
	case NoReads, FIFO:
		return true // there is one buffer
	case InOrder:
		return o.Ordering == Relaxed
	}
	return o.Ordering == Permitted || o.Ordering == Relaxed
}

// New returns the network of a cluster's boards: store-and-forward, routed by the
// registers. What [Inspect] calls a gap is a dead end, an overlap leaves the choice to
// the router, and a packet handed to the wrong host ends there.
//
// Without reads the nodes are the boards. A packet has arrived where the registers lead
// to N or inside; hosts always accept it. If the addresses of a node are routed in
// several ways, each route is a class of packets.
//
// With reads the hosts are nodes, too, joined to their boards by N. A host writes to
// other hosts (class "write") and reads from them. A read of node d (class "read of d")
// goes to host d, waits there, at the end of the link from its board, until there is
// room for the completion in the link back (tag 1), and has arrived when that is at the
// board of the host that asked: a requester must always accept completions. PCI Express
// routes completions not by address but by the number of the requester, at which the
// paper's registers do not look; the model sends them by the ports for the requester's
// addresses. Completions and reads must not pass posted writes, which adds waits that a
// routing relation cannot express. These make no difference if posted writes have their
// own buffers, because they then wait for posted writes alone, or if they share them
// with everything. Where neither is so, as with [InOrder], or where less may pass, the
// error is an *OrderError: see the machine peach2-reads.
//
// Buffers behind datelines, see [Cable], are a second set of VCs. If a path may lead
// along a ring, across S and along the other ring, S is a dateline of its own kind,
// with another two sets behind it.
func New(c *Cluster, o NetworkOptions) (routing.Definition, error) {
	if err := c.Validate(); err != nil {
		return routing.Definition{}, err
	}
	if !o.expressible() {
		return routing.Definition{}, &OrderError{o.Reads, o.Ordering}
	}
	s, err := newSurvey(c)
	if err != nil {
		return routing.Definition{}, err
	}
	n := &network{boards: len(c.Boards), wiring: c.wiring(), lanes: c.lanes(), routes: s.routes()}
	var names []string
	n.of, names = o.Reads.buffers()
	n.kinds = len(names)
	def := routing.Definition{Name: "peach2", Switching: spec.StoreAndForward, Buffer: o.Buffer}
	if o.Reads == NoReads {
		n.classesOfRoutes(&def)
	} else if err := n.classesOfReads(&def); err != nil {
		return routing.Definition{}, err
	}
	n.build(c, names, o.Reads != NoReads)
	def.Topology, def.Routing = n.t, n
	return def, nil
}

// lanes is the number of sets of buffers that a link between boards has: 1, 2 with
// datelines, 4 with datelines and paths that continue along a ring behind S.
type lanes int

func (c *Cluster) lanes() lanes {
	ring, south, both := false, false, true
	w := c.wiring()
	datelines := false
	for _, x := range w {
		ring = ring || x[East].ok || x[West].ok
		south = south || x[South].ok
		both = both && x[South].ok
		datelines = datelines || x[East].dateline || x[West].dateline || x[South].dateline
	}
	switch {
	case !datelines:
		return 1
	case ring && south && !both:
		return 4
	}
	return 2
}

// outputLane returns the lane in which a packet leaves through port p if it came in lane `in`
// through a cable on the axis of port from (Internal: from the host). A dateline counts
// along one ring; behind S another ring begins.
func (k lanes) outputLane(in int, from, p Port, dateline bool) int {
	if k == 1 {
		return 0
	}
	lane := 0
	if from == East || from == West {
		lane = in & 1
	}
	if p == South {
		lane = 0
	}
	if dateline {
		lane = 1
	}
	if k == 4 && (in >= 2 || from == South) {
		lane += 2
	}
	return lane
}

// network is the routing relation of a cluster.
type network struct {
	boards int
	wiring wiring
	lanes  lanes
	routes [][][]portSet // by node, by class of the node's addresses, by board
	reads  bool
	of     [3]int // buffer by kind of packet
	kinds  int    // buffers in a lane

	t    *spec.Topology
	out  [][ports]spec.LinkID // by board; North: to the host
	up   []spec.LinkID        // by board: from its host
	port []Port               // by link: the port it leaves through; Internal: from the host
}

// classesOfRoutes makes a class of each route in which the addresses of a node are routed.
func (n *network) classesOfRoutes(def *routing.Definition) {
	most := 1
	for _, routes := range n.routes {
		most = max(most, len(routes))
	}
	if most == 1 {
		return
	}
	for i := range most {
		def.Classes = append(def.Classes, "way "+strconv.Itoa(i))
	}
	def.Flows = func(_, dst spec.NodeID, c spec.Class) bool { return int(c) < len(n.routes[dst]) }
}

// classesOfReads makes the class of writes and, for every node, the class of reads from
// it.
func (n *network) classesOfReads(def *routing.Definition) error {
	for d, routes := range n.routes {
		if len(routes) != 1 {
			return fmt.Errorf("addresses of node %d take %d different routes: reads are modelled with one route",
				d, len(routes))
		}
	}
	n.reads = true
	def.Tags = 2
	def.Classes = []string{"write"}
	for d := range n.boards {
		def.Classes = append(def.Classes, "read of "+strconv.Itoa(d))
	}
	def.Flows = func(src, dst spec.NodeID, c spec.Class) bool {
		s, d := int(src)-n.boards, int(dst)
		if c == 0 {
			return s >= 0 && d >= n.boards
		}
		return s >= 0 && s == d && s != int(c)-1
	}
	return nil
}

func (n *network) build(c *Cluster, names []string, hosts bool) {
	var vcs []string
	for lane := range int(n.lanes) {
		for _, name := range names {
			if lane > 0 {
				name += " behind dateline"
			}
			if lane > 1 {
				name += " " + strconv.Itoa(lane)
			}
			vcs = append(vcs, name)
		}
	}
	n.t = spec.NewTopology(vcs...)
	rings := c.rings()
	at := make([][2]int, n.boards)
	for r, ring := range rings {
		for i, b := range ring {
			at[b] = [2]int{i, r}
		}
	}
	for b := range n.boards {
		n.t.AddNode(strconv.Itoa(b), at[b][0], at[b][1])
	}
	n.out, n.up = make([][ports]spec.LinkID, n.boards), make([]spec.LinkID, n.boards)
	link := func(from, to int, out, in Port, vcs, dim int) spec.LinkID {
		n.port = append(n.port, out)
		return n.t.AddLink(spec.Link{
			From: spec.NodeID(from), To: spec.NodeID(to), VCs: vcs, Out: out.String(), In: in.String(), Dim: dim,
		})
	}
	for b := range n.boards {
		for _, p := range [...]Port{East, West, South} {
			if x := n.wiring[b][p]; x.ok {
				dim := 1
				if p == South {
					dim = 2
				}
				n.out[b][p] = link(b, x.jack.Board, p, x.jack.Port, int(n.lanes)*n.kinds, dim)
			}
		}
	}
	if !hosts {
		return
	}
	for b := range n.boards {
		host := int(n.t.AddNode("host "+strconv.Itoa(b), at[b][0], at[b][1]))
		n.out[b][North] = link(b, host, North, North, n.kinds, 0)
		n.up[b] = link(host, b, Internal, North, n.kinds, 0)
	}
}

// AppendHops applies the registers, see [New].
func (n *network) AppendHops(dst []spec.Hop, at spec.ChannelID, h spec.Header) ([]spec.Hop, error) {
	v := int(n.t.Head(at))
	if v >= n.boards {
		return n.atHost(dst, v-n.boards, at, h), nil
	}
	kind, node, route := n.packet(h)
	if route >= len(n.routes[node]) {
		return dst, nil
	}
	in, from := 0, Internal
	if !at.IsInjection() {
		in, from = n.t.VC(at)/n.kinds, n.port[n.t.LinkOf(at)]
	}
	set := n.routes[node][route][v]
	for p := range ports {
		switch {
		case !set.has(p):
		case p == North || p == Internal:
			if !n.reads || kind == completion {
				dst = append(dst, spec.Hop{Channel: spec.Eject})
			} else {
				dst = append(dst, spec.Hop{Channel: n.t.Channel(n.out[v][North], n.of[kind])})
			}
		case n.wiring[v][p].ok:
			lane := n.lanes.outputLane(in, from, p, n.wiring[v][p].dateline)
			dst = append(dst, spec.Hop{Channel: n.t.Channel(n.out[v][p], lane*n.kinds+n.of[kind]), Tag: h.Tag})
		}
	}
	return dst, nil
}

// packet returns a packet's kind, the node whose address it bears at present, and the
// class of that address.
func (n *network) packet(h spec.Header) (kind, node, route int) {
	switch {
	case !n.reads:
		return posted, int(h.Dest), int(h.Class)
	case h.Class == 0:
		return posted, int(h.Dest) - n.boards, 0
	case h.Tag == 1:
		return completion, int(h.Dest), 0
	}
	return nonPosted, int(h.Class) - 1, 0
}

func (n *network) atHost(dst []spec.Hop, host int, at spec.ChannelID, h spec.Header) []spec.Hop {
	kind, _, _ := n.packet(h)
	hop := spec.Hop{Channel: n.t.Channel(n.up[host], n.of[kind])}
	switch {
	case at.IsInjection():
	case kind == posted:
		hop.Channel = spec.Eject
	case kind == nonPosted:
		hop = spec.Hop{Channel: n.t.Channel(n.up[host], n.of[completion]), Tag: 1}
	}
	return append(dst, hop)
}

// Reason names the port whose register matches.
func (n *network) Reason(at spec.ChannelID, h spec.Header, hop spec.Hop) spec.Reason {
	v := int(n.t.Head(at))
	kind, node, _ := n.packet(h)
	switch {
	case v >= n.boards && at.IsInjection():
		return spec.Reason{Text: "the host sends a " + kindOfPacket[kind] + " request"}
	case v >= n.boards && hop.Channel == spec.Eject:
		return spec.Reason{Text: "the host takes posted writes"}
	case v >= n.boards:
		return spec.Reason{Text: "the host answers a read"}
	case hop.Channel == spec.Eject:
		return spec.Reason{Text: "arrived"}
	}
	return spec.Reason{Text: fmt.Sprintf("board %d: %s by the registers for node %d, %s",
		v, n.port[n.t.LinkOf(hop.Channel)], node, kindOfPacket[kind])}
}

// rings follows the E ports: it returns the boards of each ring, or line, from west to
// east, beginning at the board with the lowest number or at the west end of the line.
func (c *Cluster) rings() [][]int {
	w := c.wiring()
	seen := make([]bool, len(c.Boards))
	var all [][]int
	for b := range c.Boards {
		if seen[b] {
			continue
		}
		first := b
		for x := w[first][West]; x.ok && x.jack.Port == East && x.jack.Board != b; x = w[first][West] {
			first = x.jack.Board
		}
		if x := w[first][West]; x.ok && x.jack.Board == b {
			first = b
		}
		var ring []int
		for at := first; !seen[at]; {
			seen[at] = true
			ring = append(ring, at)
			if x := w[at][East]; x.ok && x.jack.Port == West {
				at = x.jack.Board
			}
		}
		all = append(all, ring)
	}
	return all
}
