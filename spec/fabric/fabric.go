// Package fabric, internal to unknot, reads the dumps of a subnet manager of an InfiniBand-like
// fabric: the subnet, the forwarding tables, SL2VL tables and path SLs ([Read]). It compiles them
// directly to the tables of a network ([Fabric.Network]), follows every route ([Fabric.Faults]),
// and writes dumps ([Fabric.WriteTables]).
//
// A switch forwards by the LID of the destination alone, and picks the virtual lane
// by the ports and by the SL, which the packet keeps from source to destination. So a
// LID is a target (its host or switch is the node, its place within 2^LMC the class),
// the SL is the tag that injection sets, and a VL is a VC. Packets are buffered whole,
// with credits per VL: virtual cut-through. Switches discard what a table does not route:
// such a packet leaves the network there, which is a fault of delivery and blocks no other packet.
package fabric

import (
	"fmt"
	"maps"
	"slices"
)

const (
	maxLID  = 0xBFFF // the last unicast LID
	noEntry = 0xFF   // in a forwarding table: discard
	vl15    = 15     // the lane of management packets: data is discarded
)

// Fabric is a subnet with its forwarding tables. It is immutable once read, and safe
// for concurrent use.
type Fabric struct {
	Name     string
	Files    []File
	Nodes    []Node // switches by GUID, then hosts by GUID and port
	Switches int    // Nodes[:Switches] are the switches
	Asked    string // the routing engine that the subnet manager was configured to use; "" if unknown
	Used     string // the one it used
	MaxVLs   int    // data VLs that the subnet manager sets up at most; 0 if that is not known
	Warnings []string
	LeftOut  int // hosts among Nodes that neither send nor receive, see [Options.LeaveOut]

	owner  []int32             // by LID: its node, or -1
	paths  map[uint64][]uint16 // by source GUID, then LID: the set of SLs, a bit each
	used   uint16              // SLs of some path, and SL 0
	hasSLs bool                // there are path SLs
	hasVLs bool                // there are SL2VL tables
}

// File is a file of the folder, and the kind it was taken for.
type File struct{ Name, Kind string }

// Node is a switch, or a port of a host: a host forwards nothing, so each of its ports
// is an endpoint by itself.
type Node struct {
	Name        string // unique: the description, with the LID where descriptions repeat
	Description string
	GUID        uint64 // of the switch, or of the host that the port belongs to
	PortGUID    uint64
	Port        int // of a host
	LID         int // the first of its 2^LMC LIDs; 0 for none
	LMC         int

	peers []Peer             // by port number
	table []uint8            // of a switch, by LID: the port out
	bare  bool               // its table is missing from the dumps
	cut   cut                // what its table lacks in the dumps
	none  []uint64           // of a switch whose table is cut: the LIDs that lines give no port, a bit each
	sl2vl map[[2]uint8]lanes // by port in and out; of a host, one entry
	left  bool               // out, see [Options.LeaveOut]
}

// Peer is a port, as the end of a cable. As the far end of a port without a cable, its Node is -1.
type Peer struct {
	Node int
	Port int
}

// lanes is a row of an SL2VL table: four bits for the VL of each SL.
type lanes uint64

func (l lanes) vl(sl int) int { return int(l>>(4*sl)) & 15 }

// Peer returns the far end of the cable in a port.
func (n *Node) Peer(port int) Peer {
	if port < 0 || port >= len(n.peers) {
		return Peer{-1, 0}
	}
	return n.peers[port]
}

// LIDs returns the number of the node's LIDs.
func (n *Node) LIDs() int {
	if n.LID == 0 {
		return 0
	}
	return 1 << n.LMC
}

// port returns the port by which a switch forwards to a LID.
func (n *Node) port(lid int) int {
	if lid < len(n.table) {
		return int(n.table[lid])
	}
	return noEntry
}

// lost reports whether the dumps lack the part of a switch's table where an entry for a LID may be.
func (n *Node) lost(lid int) bool {
	switch {
	case n.bare:
		return n.port(lid) == noEntry
	case n.cut == below:
		return lid >= len(n.table)
	case n.cut == within:
		return n.port(lid) == noEntry && (lid/64 >= len(n.none) || n.none[lid/64]>>(lid%64)&1 == 0)
	}
	return false
}

// IsSwitch reports whether node v is a switch.
func (f *Fabric) IsSwitch(v int) bool { return v < f.Switches }

// HasVLs reports whether the dumps say which VL each packet takes, by the SLs of paths.
// Without SL2VL tables (QoS was off) the VL is the SL.
func (f *Fabric) HasVLs() bool { return f.hasSLs }

// Owner returns the node that a LID belongs to, or -1.
func (f *Fabric) Owner(lid int) int {
	if lid < 0 || lid >= len(f.owner) {
		return -1
	}
	return int(f.owner[lid])
}

// End names a port in messages: "S0 port 3".
func (f *Fabric) End(p Peer) string { return fmt.Sprintf("%s port %d", f.Nodes[p.Node].Name, p.Port) }

// nameNodes makes descriptions unique, in order.
func (f *Fabric) nameNodes() {
	count := map[string]int{}
	for i := range f.Nodes {
		count[f.Nodes[i].Description]++
	}
	taken := map[string]bool{}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		n.Name = n.Description
		if n.Name == "" {
			n.Name = fmt.Sprintf("%016x", n.GUID)
		}
		if count[n.Description] > 1 && n.LID > 0 {
			n.Name = fmt.Sprintf("%s (LID %d)", n.Name, n.LID)
		}
		if base := n.Name; taken[base] {
			for k := 2; taken[n.Name]; k++ {
				n.Name = fmt.Sprintf("%s #%d", base, k)
			}
		}
		taken[n.Name] = true
	}
}

// ownLIDs notes which node owns each LID.
func (f *Fabric) ownLIDs() error {
	for i := range f.Nodes {
		n := &f.Nodes[i]
		for lid := n.LID; lid < n.LID+n.LIDs(); lid++ {
			for len(f.owner) <= lid {
				f.owner = append(f.owner, -1)
			}
			if was := f.owner[lid]; was >= 0 {
				return fmt.Errorf(
					"%s: LID %d belongs to %s (port GUID %016x) and to %s (%016x): want dumps of one subnet, taken "+
						"at one time", f.Name, lid, f.Nodes[was].Name, f.Nodes[was].PortGUID, n.Name, n.PortGUID)
			}
			f.owner[lid] = int32(i)
		}
	}
	return nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// inferLMC finds the LMC if no dump states it: LIDs that the tables route and no port
// owns are further LIDs of the port whose first LID is the next multiple of 2^LMC
// below. All hosts have the same LMC, and switches have 0.
func (f *Fabric) inferLMC() {
	base := map[int]bool{}
	for i := range f.Nodes {
		base[f.Nodes[i].LID] = true
		if f.Nodes[i].LMC > 0 {
			return
		}
	}
	unowned := map[int]bool{}
	for _, n := range f.Nodes[:f.Switches] {
		for lid, port := range n.table {
			if port != noEntry && lid > 0 && !base[lid] {
				unowned[lid] = true
			}
		}
	}
	if len(unowned) == 0 {
		return
	}
	hosts := map[int]bool{}
	for _, n := range f.Nodes[f.Switches:] {
		if n.LID > 0 {
			hosts[n.LID] = true
		}
	}
	for lmc := 1; lmc <= 7; lmc++ {
		all := true
		for lid := range unowned {
			all = all && hosts[lid&^(1<<lmc-1)]
		}
		for lid := range hosts {
			all = all && lid&(1<<lmc-1) == 0
		}
		if all {
			for i := f.Switches; i < len(f.Nodes); i++ {
				f.Nodes[i].LMC = lmc
			}
			f.warn("no dump gives the LMC of hosts: %d is assumed, since the tables route %d LIDs that no port has",
				lmc, len(unowned))
			return
		}
	}
	lids := slices.Sorted(maps.Keys(unowned))
	f.warn("the tables route %d LIDs that no port has, first LID %d: nothing is sent to them", len(lids), lids[0])
}

// warn adds what an operator may have missed.
func (f *Fabric) warn(format string, args ...any) {
	f.Warnings = append(f.Warnings, fmt.Sprintf(format, args...))
}

// Scope says which traffic a network covers.
type Scope struct {
	Switches bool // the LIDs of switches send and receive, too; else hosts alone
	VLs      bool // lanes as SL2VL tables and path SLs have them; else one
	// Direct makes hosts inject at their switch, not over their cables: nothing depends
	// on a cable that only a host sends into, so no cycle contains one. This saves a site
	// for each pair of hosts.
	Direct bool
}

// Name returns "hosts-one-vl" and the like, as it is typed.
func (s Scope) Name() string {
	who, lanes := "hosts", "one-vl"
	if s.Switches {
		who = "all"
	}
	if s.VLs {
		lanes = "vls"
	}
	return who + "-" + lanes
}

// String returns "host to host, one VL" and the like.
func (s Scope) String() string {
	who, lanes := "host to host", "one VL"
	if s.Switches {
		who = "with switch LIDs"
	}
	if s.VLs {
		lanes = "with VLs"
	}
	return who + ", " + lanes
}
