package fabric

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/seed-105a2da2/unknot/spec"
)

// compilation makes the tables of one scope. While tables are made side by side, rows have
// provisional numbers: 0 is Eject, 1+c*tags+t the hop into channel c with tag t, and
// higher numbers are rows of several hops.
type compilation struct {
	f        *Fabric
	scope    Scope
	topo     *spec.Topology
	senders  []int           // nodes that may send, ascending
	hosts    [][]int         // by switch, where hosts inject there: those that can send
	links    [][]spec.LinkID // by node and port; -1 for none
	far      []Peer          // by link: the node and port where it ends
	lanes    [][]lanes       // by switch, then port in and out; nil without
	sent     []lanes         // by node: of what a host sends; nil without
	paths    [][]uint16      // by node, then LID: the SLs
	tags     int
	vls      int
	maxSites int64
	sites    atomic.Int64

	mu      sync.Mutex
	several map[string]spec.RowID
	rows    [][]spec.Hop // of several hops
}

func (f *Fabric) compilation(scope Scope) *compilation {
	c := &compilation{f: f, scope: scope, tags: 1, vls: 1}
	if scope.VLs {
		c.tags, c.vls = f.countLanes()
	}
	c.topology()
	return c
}

// topology adds a node for each node, and a link for each direction of a cable.
func (c *compilation) topology() {
	names := []string{"all VLs"}
	if c.scope.VLs {
		names = names[:0]
		for vl := range c.vls {
			names = append(names, "VL"+strconv.Itoa(vl))
		}
	}
	c.topo = spec.NewTopology(names...)
	for i := range c.f.Nodes {
		c.topo.AddNode(c.f.Nodes[i].Name)
	}
	c.links = make([][]spec.LinkID, len(c.f.Nodes))
	for v := range c.f.Nodes {
		n := &c.f.Nodes[v]
		c.links[v] = slices.Repeat([]spec.LinkID{-1}, len(n.peers))
		if c.scope.Direct && !c.f.IsSwitch(v) {
			continue
		}
		for port, peer := range n.peers {
			if peer.Node >= 0 {
				c.links[v][port] = c.topo.AddLink(spec.Link{
					From: spec.NodeID(v), To: spec.NodeID(peer.Node), VCs: c.vls, Out: "P" + strconv.Itoa(port),
					In: "P" + strconv.Itoa(peer.Port),
				})
				c.far = append(c.far, peer)
			}
		}
	}
}

// lookups prepares the tables that every site is looked up in.
func (c *compilation) lookups() error {
	const mostPairs = 1 << 25
	c.hosts = c.f.hostsAt()
	for v := range c.f.Nodes {
		host := !c.f.IsSwitch(v)
		switch {
		case c.scope.Direct && host: // its switch sends for it, with a LID of its own or without
		case c.scope.Direct && len(c.hosts[v]) > 0, c.f.Nodes[v].LID > 0 && (host || c.scope.Switches):
			c.senders = append(c.senders, v)
		}
	}
	if !c.scope.VLs {
		return nil
	}
	for v := range c.f.Nodes {
		c.paths = append(c.paths, c.f.paths[c.f.Nodes[v].GUID])
		sent := lanes(0)
		for sl := range c.tags {
			sent |= lanes(c.f.vl(v, 0, c.f.Nodes[v].Port, sl)) << (4 * sl)
		}
		c.sent = append(c.sent, sent)
	}
	pairs := 0
	for v := range c.f.Switches {
		ports := len(c.f.Nodes[v].peers)
		if pairs += ports * ports; pairs > mostPairs {
			return &spec.BoundError{What: "pairs of ports in and out", Limit: mostPairs}
		}
		table := make([]lanes, ports*ports)
		for i := range table {
			for sl := range c.tags {
				table[i] |= lanes(c.f.vl(v, i/ports, i%ports, sl)) << (4 * sl)
			}
		}
		c.lanes = append(c.lanes, table)
	}
	return nil
}

// classes names the classes: the places of LIDs among those of their node.
func (c *compilation) classes(p *spec.Parts) {
	most := 1
	for i := range c.f.Nodes {
		most = max(most, c.f.Nodes[i].LIDs())
	}
	for k := 1; k < most; k++ {
		p.Classes = append(p.Classes, "LID+"+strconv.Itoa(k))
	}
}

// receivers lists the LIDs that some node sends to, by node.
func (c *compilation) receivers() (lids []int) {
	for v := range c.f.Nodes {
		if n := &c.f.Nodes[v]; c.scope.Switches || !c.f.IsSwitch(v) {
			for k := range n.LIDs() {
				lids = append(lids, n.LID+k)
			}
		}
	}
	return lids
}

// number gives the rows that are used their final numbers, in order.
func (c *compilation) number(p *spec.Parts) {
	singles := 1 + c.topo.Channels()*c.tags
	final := make([]spec.RowID, singles+len(c.rows))
	each := func(f func(*spec.RowID)) {
		for i := range p.Tables {
			t := &p.Tables[i]
			for k := range t.Sources {
				f(&t.Sources[k].Row)
			}
			for k := range t.Rows {
				f(&t.Rows[k])
			}
		}
	}
	each(func(r *spec.RowID) { final[*r] = 1 })
	var used []spec.RowID
	for r := range final {
		if final[r] > 0 {
			used = append(used, spec.RowID(r))
		}
	}
	hops := func(r spec.RowID) []spec.Hop {
		switch {
		case r == 0:
			return []spec.Hop{{Channel: spec.Eject}}
		case int(r) < singles:
			return []spec.Hop{{Channel: spec.ChannelID(int(r-1) / c.tags), Tag: spec.Tag(int(r-1) % c.tags)}}
		}
		return c.rows[int(r)-singles]
	}
	for _, r := range used {
		p.Rows = append(p.Rows, hops(r))
	}
	order := make([]int, len(used))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return slices.CompareFunc(p.Rows[a], p.Rows[b], spec.Hop.Compare) })
	sorted := make([][]spec.Hop, len(order))
	for to, from := range order {
		sorted[to] = p.Rows[from]
		final[used[from]] = spec.RowID(to)
	}
	p.Rows = sorted
	each(func(r *spec.RowID) { *r = final[*r] })
}
