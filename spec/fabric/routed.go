package fabric

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// Routed returns the fabric with the routing of a network that has its nodes and cables,
// by name, such as a changed network of [Fabric.Network]. What it does not route keeps its
// routes, with SL 0 if the network or the fabric has lanes. The SL of a packet is its tag or,
// in a network without tags, such as those of the layered engines, the VC that it starts in.
// A network of one class routes all LIDs of a port alike. It is an error if forwarding tables or
// SL2VL tables cannot express the network: a table knows only the LID, and a lane only the
// ports and the SL.
func (f *Fabric) Routed(n *spec.Network) (*Fabric, error) {
	r := &routed{f: f, n: n, to: *f}
	r.to.Nodes = slices.Clone(f.Nodes)
	r.to.paths = map[uint64][]uint16{}
	for i := range r.to.Nodes {
		r.to.Nodes[i].table = slices.Clone(r.to.Nodes[i].table)
		r.to.Nodes[i].sl2vl = map[[2]uint8]lanes{}
	}
	r.set, r.index = map[lane]bool{}, n.NewIndex()
	if err := r.nodes(); err != nil {
		return nil, err
	}
	for i := range n.Tables() {
		if err := r.table(n.Table(i)); err != nil {
			return nil, fmt.Errorf("%s: %w", n.Name(), err)
		}
	}
	r.to.hasVLs, r.to.hasSLs = r.several, r.several
	r.to.countSLs()
	return &r.to, nil
}

type routed struct {
	f       *Fabric
	n       *spec.Network
	to      Fabric
	node    []int // of the fabric, by node of the network
	several bool  // there are lanes or SLs, or there were
	index   *spec.Index
	set     map[lane]bool
}

// lane is an entry of an SL2VL table that has been set.
type lane struct{ node, in, out, sl int }

// nodes finds the nodes of the network by name.
func (r *routed) nodes() error {
	named := map[string]int{}
	for i := range r.f.Nodes {
		named[r.f.Nodes[i].Name] = i
	}
	t := r.n.Topology()
	for v := range t.Nodes() {
		i, ok := named[t.Node(spec.NodeID(v)).Name]
		if !ok {
			return fmt.Errorf("%s has no node %q, but %s has", r.f.Name, t.Node(spec.NodeID(v)).Name, r.n.Name())
		}
		r.node = append(r.node, i)
	}
	for l := range t.Links() {
		link := t.Link(spec.LinkID(l))
		p := r.f.Nodes[r.node[link.From]].Peer(portOf(link.Out))
		if p.Node != r.node[link.To] || p.Port != portOf(link.In) {
			return fmt.Errorf("%s has no cable %s, but %s has", r.f.Name, t.LinkName(spec.LinkID(l)), r.n.Name())
		}
		r.several = r.several || link.VCs > 1
	}
	r.several = r.several || r.n.Tags() > 1 || r.f.hasVLs || r.f.hasSLs
	return nil
}

// portOf reads the name of a port, such as P3; -1 if it is not one.
func portOf(name string) int {
	p, err := strconv.Atoi(strings.TrimPrefix(name, "P"))
	if err != nil || p < 0 || p > 254 {
		return -1
	}
	return p
}

func (r *routed) table(t *spec.Table) error {
	dest := r.node[t.Dest]
	to := &r.f.Nodes[dest]
	if int(t.Class) >= to.LIDs() {
		return fmt.Errorf("%s has no LID for class %s", to.Name, r.n.Classes()[t.Class])
	}
	for class := range to.LIDs() {
		if class == int(t.Class) || len(r.n.Classes()) == 1 {
			if err := r.lid(t, dest, to.LID+class); err != nil {
				return err
			}
		}
	}
	return nil
}

// lid sets the entries that make packets for a LID take the hops of a table.
func (r *routed) lid(t *spec.Table, dest, lid int) error {
	sls := make([]uint16, t.Len()) // by site
	var queue []int
	carry := func(h spec.Hop, set uint16) {
		if i := r.index.Site(h); i >= 0 && sls[i]|set != sls[i] {
			sls[i] |= set
			queue = append(queue, i)
		}
	}
	r.index.Load(t)
	for _, s := range t.Sources {
		src, all := r.node[s.Node], uint16(0)
		for _, h := range r.n.Row(s.Row) {
			sl := r.sl(h)
			if err := r.hop(src, 0, dest, lid, sl, h); err != nil {
				return err
			}
			all |= 1 << sl
			carry(h, 1<<sl)
		}
		if r.several {
			r.path(src, lid, all)
		}
	}
	topo := r.n.Topology()
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		c := t.Channels[i]
		at, in := r.node[topo.Head(c)], portOf(topo.Link(topo.LinkOf(c)).In)
		for _, h := range r.n.Row(t.Rows[i]) {
			if h.Channel != spec.Eject && h.Tag != t.Tag(i) {
				return fmt.Errorf("a packet for LID %d changes its tag at %s, but the SL of a packet is fixed",
					lid, r.f.Nodes[at].Name)
			}
			for sl := range 16 {
				if sls[i]>>sl&1 == 0 {
					continue
				}
				if err := r.hop(at, in, dest, lid, sl, h); err != nil {
					return err
				}
			}
			carry(h, sls[i])
		}
	}
	return nil
}

// sl returns the SL of a packet that a first hop injects.
func (r *routed) sl(h spec.Hop) int {
	if r.n.Tags() == 1 && h.Channel != spec.Eject {
		return r.n.Topology().VC(h.Channel)
	}
	return int(h.Tag)
}

// path sets the SLs of a pair.
func (r *routed) path(src, lid int, set uint16) {
	guid := r.f.Nodes[src].GUID
	of := slices.Clone(r.to.paths[guid])
	for len(of) <= lid {
		of = append(of, 0)
	}
	of[lid] = set
	r.to.paths[guid] = of
}

// hop sets the entries that make a switch, or a host, take a hop with an SL.
func (r *routed) hop(at, in, dest, lid, sl int, h spec.Hop) error {
	n := &r.to.Nodes[at]
	if h.Channel == spec.Eject {
		if at != dest && r.f.IsSwitch(at) {
			return r.setPort(at, lid, noEntry)
		}
		return nil
	}
	topo := r.n.Topology()
	out := portOf(topo.Link(topo.LinkOf(h.Channel)).Out)
	if r.f.IsSwitch(at) {
		if err := r.setPort(at, lid, out); err != nil {
			return err
		}
	}
	if !r.several {
		return nil
	}
	vl := topo.VC(h.Channel)
	if vl >= vl15 || sl > 15 {
		return fmt.Errorf("%s takes VC %d with tag %d: there are 15 data VLs and 16 SLs", n.Name, vl, sl)
	}
	key, ports := lane{at, in, out, sl}, [2]uint8{uint8(in), uint8(out)}
	row := n.sl2vl[ports]
	if r.set[key] && row.vl(sl) != vl {
		return fmt.Errorf("%s sends SL %d from port %d to port %d on VL %d and on VL %d: an SL2VL table names one",
			n.Name, sl, in, out, row.vl(sl), vl)
	}
	r.set[key] = true
	n.sl2vl[ports] = row&^(15<<(4*sl)) | lanes(vl)<<(4*sl)
	return nil
}

// setPort sets the entry of a switch for a LID, once.
func (r *routed) setPort(at, lid, out int) error {
	n := &r.to.Nodes[at]
	for len(n.table) <= lid {
		n.table = append(n.table, noEntry)
	}
	key := lane{at, -1, lid, 0}
	if r.set[key] && int(n.table[lid]) != out {
		return fmt.Errorf("%s forwards LID %d to port %d and to port %d: a forwarding table names one",
			n.Name, lid, n.table[lid], out)
	}
	r.set[key], n.table[lid] = true, uint8(out)
	return nil
}
