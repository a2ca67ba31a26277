package fabric

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
)

// WriteTables writes the forwarding tables as OpenSM's engine "file" (-R file -U FILE)
// and [Read] load them. It is an error if the dumps lack an entry for a LID of the fabric: the file would
// claim that there is none.
func (f *Fabric) WriteTables(w io.Writer) error {
	b := bufio.NewWriter(w)
	for v := range f.Switches {
		n := &f.Nodes[v]
		for lid, of := range f.owner {
			if of >= 0 && n.lost(lid) {
				return fmt.Errorf("%s: the forwarding table of %s is missing from the dumps or incomplete there: "+
					"its entry for LID %d is unknown", f.Name, n.Name, lid)
			}
		}
		last := max(0, len(f.owner)-1)
		for last > 0 && (f.owner[last] < 0 || n.port(last) == noEntry) {
			last-- // [Read] takes a table for cut that ends before the LID in its last line
		}
		fmt.Fprintf(b, "Unicast lids [0-%d] of switch Lid %d guid 0x%016x ('%s'):\n", last, n.LID, n.GUID, n.Name)
		for lid, of := range f.owner {
			if of < 0 || n.port(lid) == noEntry {
				continue
			}
			kind := "Channel Adapter"
			if f.IsSwitch(int(of)) {
				kind = "Switch"
			}
			to := &f.Nodes[of]
			fmt.Fprintf(b, "0x%04x %03d # %s portguid 0x%016x: '%s'\n", lid, n.port(lid), kind, to.PortGUID, to.Name)
		}
		fmt.Fprintf(b, "%d lids dumped\n", last) // OpenSM counts those without an entry, too
	}
	return b.Flush()
}

// WriteLanes writes the SL2VL tables as OpenSM dumps them.
func (f *Fabric) WriteLanes(w io.Writer) error {
	if !f.hasVLs {
		return fmt.Errorf("%s has no SL2VL tables: each SL has the VL of its number", f.Name)
	}
	b := bufio.NewWriter(w)
	for v := range f.Nodes {
		n := &f.Nodes[v]
		if len(n.sl2vl) == 0 {
			continue
		}
		kind := "Channel Adapter"
		if f.IsSwitch(v) {
			kind = "Switch"
		}
		fmt.Fprintf(b, "%s 0x%016x, base LID %d, \"%s\"\n#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n",
			kind, n.PortGUID, n.LID, n.Name)
		byOut := func(a, b [2]uint8) int { return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0])) }
		for _, ports := range slices.SortedFunc(maps.Keys(n.sl2vl), byOut) {
			out := ports[1]
			if !f.IsSwitch(v) {
				out = 0
			}
			fmt.Fprintf(b, "%-4d%-4d:", ports[0], out)
			for sl := range 16 {
				fmt.Fprintf(b, " %-2d", n.sl2vl[ports].vl(sl))
			}
			fmt.Fprintln(b)
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}

// WritePaths writes the SLs of paths in the form that [Read] reads: the SLs that path
// records must give so that the lanes are those of the network.
func (f *Fabric) WritePaths(w io.Writer) error {
	if !f.hasSLs {
		return fmt.Errorf("%s has no SLs of paths: each packet has SL 0", f.Name)
	}
	b := bufio.NewWriter(w)
	for v := range f.Nodes {
		n := &f.Nodes[v]
		for lid, set := range f.paths[n.GUID] {
			for sl, sep := 0, fmt.Sprintf("0x%016x %d ", n.GUID, lid); set>>sl > 0; sl++ {
				if set>>sl&1 == 1 {
					fmt.Fprintf(b, "%s%d", sep, sl)
					sep = ","
				}
			}
			if set != 0 {
				fmt.Fprintln(b)
			}
		}
	}
	return b.Flush()
}

// WriteAnynet writes switches and hosts as the network file of BookSim: a router each,
// and the nodes and routers that it has cables to, each cable once. BookSim treats
// several cables between two routers as one.
func (f *Fabric) WriteAnynet(w io.Writer) error {
	b := bufio.NewWriter(w)
	for v := range f.Switches {
		fmt.Fprintf(b, "router %d", v)
		for _, peer := range f.Nodes[v].peers {
			switch {
			case peer.Node >= f.Switches:
				fmt.Fprintf(b, " node %d", peer.Node-f.Switches)
			case peer.Node > v:
				fmt.Fprintf(b, " router %d", peer.Node)
			}
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}
