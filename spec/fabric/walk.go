package fabric

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// Design of the tables.
//
// A table is a breadth-first search from all senders to one LID: sites lists what was met, and seen holds the stamp of
// the table, so that nothing is cleared between tables. present sorts the sites, so a table does not depend on the
// order of the search. Rows have the provisional numbers of compilation. Only the first hops of a source can be
// several: a switch forwards a LID and an SL to one port.

// walk makes one table after another.
type walk struct {
	*compilation
	entries entries
	next    []uint8 // of the LID, by switch
	stamp   int32
	seen    []int32      // by channel and tag: the stamp of the last table with that site
	row     []spec.RowID // by channel and tag
	sites   []int32      // of this table: channel*tags+tag
	present bitset       // for their order
	hops    []spec.Hop   // of one source
}

// table makes the table of a LID that switches forward to the ports in next.
func (w *walk) table(lid int, next []uint8) (spec.Table, error) {
	w.next = next
	v := w.f.Owner(lid)
	t := spec.Table{
		Target:  spec.Target{Dest: spec.NodeID(v), Class: spec.Class(lid - w.f.Nodes[v].LID)},
		Sources: make([]spec.Source, 0, len(w.senders)),
	}
	w.stamp++
	w.sites = w.sites[:0]
	for _, u := range w.senders {
		if hops := w.sends(u, v, lid); len(hops) > 0 {
			t.Sources = append(t.Sources, spec.Source{Node: spec.NodeID(u), Row: w.rowOf(hops)})
		}
	}
	for done := 0; done < len(w.sites); done++ {
		key := w.sites[done]
		link, sl := w.topo.LinkOf(spec.ChannelID(int(key)/w.tags)), int(key)%w.tags
		at := w.far[link]
		if hop := w.forward(at.Node, at.Port, v, sl); hop.Channel == spec.Eject {
			w.row[key] = 0
		} else {
			w.row[key] = w.enter(hop)
		}
	}
	w.present.sort(w.sites)
	t.Channels, t.Rows = make([]spec.ChannelID, len(w.sites)), make([]spec.RowID, len(w.sites))
	if w.tags > 1 {
		t.Tags = make([]spec.Tag, len(w.sites))
	}
	for i, key := range w.sites {
		t.Channels[i], t.Rows[i] = spec.ChannelID(int(key)/w.tags), w.row[key]
		if w.tags > 1 {
			t.Tags[i] = spec.Tag(int(key) % w.tags)
		}
	}
	if sum := w.compilation.sites.Add(int64(t.Len())); w.maxSites > 0 && sum > w.maxSites {
		return t, &spec.BoundError{What: "sites", Limit: int(w.maxSites)}
	}
	return t, nil
}

// enter notes the site that a hop leads to, and returns the provisional row.
func (w *walk) enter(h spec.Hop) spec.RowID {
	key := int(h.Channel)*w.tags + int(h.Tag)
	if w.seen[key] != w.stamp {
		w.seen[key] = w.stamp
		w.sites = append(w.sites, int32(key))
	}
	return spec.RowID(1 + key)
}

// rowOf returns the provisional row of a source's hops, and enters them.
func (w *walk) rowOf(hops []spec.Hop) spec.RowID {
	if len(hops) > 1 {
		slices.SortFunc(hops, spec.Hop.Compare)
		hops = slices.Compact(hops)
	}
	var row spec.RowID
	for _, h := range hops {
		if row = 0; h.Channel != spec.Eject {
			row = w.enter(h)
		}
	}
	if len(hops) == 1 {
		return row
	}
	key := fmt.Sprint(hops)
	w.mu.Lock()
	defer w.mu.Unlock()
	row, ok := w.several[key]
	if !ok {
		row = spec.RowID(1 + w.topo.Channels()*w.tags + len(w.rows))
		w.several[key], w.rows = row, append(w.rows, slices.Clone(hops))
	}
	return row
}

// sends returns the first hops of packets from u to a LID of node v; none if it sends
// nothing there.
func (w *walk) sends(u, v, lid int) []spec.Hop {
	hops := w.hops[:0]
	switch {
	case u == v:
	case !w.f.IsSwitch(u):
		hops = w.appendFirstHops(hops, u, -1, v, lid)
	default:
		manages := w.scope.Switches && w.f.Nodes[u].LID > 0
		if !w.scope.VLs { // all leave the same way
			if manages || w.scope.Direct && slices.ContainsFunc(w.hosts[u], func(host int) bool { return host != v }) {
				hops = append(hops, w.forward(u, 0, v, 0))
			}
			break
		}
		if manages {
			hops = w.appendFirstHops(hops, u, 0, v, lid)
		}
		for _, host := range w.hosts[u] {
			if w.scope.Direct && host != v {
				n := &w.f.Nodes[host]
				hops = w.appendFirstHops(hops, host, n.peers[n.Port].Port, v, lid)
			}
		}
	}
	w.hops = hops
	return hops
}

// appendFirstHops appends the first hops of packets from src, with any of its SLs: over its cable
// if port is -1, otherwise from that port of its switch, or of itself.
func (w *walk) appendFirstHops(hops []spec.Hop, src, port, v, lid int) []spec.Hop {
	sls := uint16(1)
	if w.scope.VLs {
		if of := w.paths[src]; lid < len(of) && of[lid] != 0 {
			sls = of[lid]
		}
	}
	for sl := bits.TrailingZeros16(sls); sls>>sl > 0; sl++ {
		if sls>>sl&1 == 0 {
			continue
		}
		if w.f.IsSwitch(src) {
			hops = append(hops, w.forward(src, 0, v, sl))
			continue
		}
		n, vl := &w.f.Nodes[src], 0
		if w.scope.VLs {
			vl = w.sent[src].vl(sl)
		}
		switch {
		case vl == vl15:
			hops = append(hops, spec.Hop{Channel: spec.Eject})
		case port < 0:
			link := spec.LinkID(-1)
			if n.Port < len(w.links[src]) {
				link = w.links[src][n.Port]
			}
			hops = append(hops, w.hop(link, vl, sl))
		default:
			hops = append(hops, w.forward(n.peers[n.Port].Node, port, v, sl))
		}
	}
	return hops
}

// forward returns the hop that node at gives a packet for a LID of node v that came in by
// a port: Eject if it has arrived or is discarded.
func (w *walk) forward(at, in, v, sl int) spec.Hop {
	if at == v || !w.f.IsSwitch(at) {
		return spec.Hop{Channel: spec.Eject}
	}
	out, links, vl := int(w.next[at]), w.links[at], 0
	if out >= len(links) {
		return spec.Hop{Channel: spec.Eject}
	}
	if w.scope.VLs {
		vl = w.lanes[at][in*len(links)+out].vl(sl)
	}
	return w.hop(links[out], vl, sl)
}

// hop returns the hop into a lane of a cable; Eject if there is no cable, or no such lane.
func (w *walk) hop(link spec.LinkID, vl, sl int) spec.Hop {
	if link < 0 || vl >= w.vls {
		return spec.Hop{Channel: spec.Eject}
	}
	return spec.Hop{Channel: w.topo.Channel(link, vl), Tag: spec.Tag(min(sl, w.tags-1))}
}

// bitset has a bit for each site that a table may have. It is empty between calls.
type bitset []uint64

// sort sorts distinct numbers in ascending order, by one pass over all bits if that is
// faster than comparing.
func (b bitset) sort(keys []int32) {
	if len(b) > 4*len(keys) {
		slices.Sort(keys)
		return
	}
	for _, k := range keys {
		b[k/64] |= 1 << (k % 64)
	}
	keys = keys[:0]
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			keys = append(keys, int32(i*64+bits.TrailingZeros64(word)))
		}
		b[i] = 0
	}
}
