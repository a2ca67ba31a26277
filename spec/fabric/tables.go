package fabric

import (
	"bytes"
	"fmt"
	"math"

	"github.com/seed-105a2da2/unknot/spec"
)

// grown accounts for cells that a slice grows by.
func (s *subnet) grown(cells int) error {
	if s.cells.Add(int64(cells)) > mostCells {
		return &spec.BoundError{What: "entries of forwarding tables and path SLs", Limit: mostCells}
	}
	return nil
}

// forwarding reads forwarding tables in the dialects of OpenSM (opensm.fdbs; and
// opensm-lfts.dump, which its engine "file" loads) and of ibroute and dump_lfts.
type forwarding struct {
	s  *subnet
	at *routes
	of uint64
}

func (t *forwarding) read(l *line) error {
	if l.take("0x") {
		return t.entry(l)
	}
	switch {
	case bytes.Contains(l.text, []byte("Multicast mlids")):
		return l.wrong("a multicast table: only unicast is checked")
	case l.take("Unicast lids"):
		if !l.skipPast(" guid 0x") {
			return l.wrong("want the switch, as in \"guid 0x0002c90200417670\"")
		}
		return t.begin(l)
	case l.skipPast("dump_ucast_routes: Switch 0x"):
		return t.begin(l)
	}
	for _, prose := range []string{"LID ", "Lid ", "Port ", "***"} {
		if bytes.HasPrefix(bytes.TrimLeft(l.text, " \t"), []byte(prose)) {
			return nil
		}
	}
	if bytes.Contains(l.text, []byte("lids dumped")) {
		if t.at != nil {
			t.at.ended, t.s.ended = true, true
		}
		return nil
	}
	if kindOf(l.text) != "" {
		return l.wrong("another dump begins here: put what follows into a file of its own")
	}
	return l.wrong("want the head of a switch's table or an entry, as in \"0x0001 003\"")
}

func (t *forwarding) begin(l *line) error {
	guid, ok := l.number(16, math.MaxUint64)
	if !ok {
		return l.wrong("want a GUID")
	}
	if t.of, t.at = guid, t.s.tables[guid]; t.at == nil {
		t.at = &routes{at: &spec.PosError{File: l.file, Line: l.n, Col: 1}}
		t.s.tables[guid] = t.at
	}
	return nil
}

// entry reads "0001 003 # ...", "0001 : 003  : 01   : yes" and "0001 : UNREACHABLE".
func (t *forwarding) entry(l *line) error {
	if t.at == nil {
		return l.wrong("an entry before the first switch")
	}
	lid, ok := l.number(16, 0xFFFF)
	if !ok || lid > maxLID {
		return l.wrong("invalid LID: want a unicast one, 0x0001 to 0x%X", maxLID)
	}
	l.blanks()
	if l.take(":") {
		l.blanks()
	}
	port := uint64(noEntry)
	if !l.take("UNREACHABLE") {
		from := l.at
		if port, ok = l.number(10, 255); !ok {
			return l.wrong("want the port, 0 to 255, or UNREACHABLE")
		}
		if l.open && len(l.unread()) == 0 && l.at-from < len("003") { // port 0 would be the switch itself
			l.at = from
			return l.wrong("the file is cut within this port: want three digits, or a line break")
		}
	}
	if lid == 0 {
		return nil
	}
	t.owner(l, int(lid))
	return t.set(l, int(lid), uint8(port))
}

// owner reads the GUID of the port that has the LID, if a comment gives it.
func (t *forwarding) owner(l *line, lid int) {
	if len(l.unread()) < len("portguid 0x") || lid < len(t.s.owners) && t.s.owners[lid] != 0 {
		return
	}
	if l.skipPast("portguid 0x") {
		if g, ok := l.number(16, math.MaxUint64); ok {
			for len(t.s.owners) <= lid {
				t.s.owners = append(t.s.owners, 0)
			}
			t.s.owners[lid] = g
		}
	}
}

func (t *forwarding) set(l *line, lid int, port uint8) error {
	if lid >= len(t.at.ports) {
		if err := t.s.grown(lid + 1 - len(t.at.ports)); err != nil {
			return err
		}
		for len(t.at.ports) <= lid {
			t.at.ports = append(t.at.ports, noEntry)
		}
	}
	if was := t.at.ports[lid]; was != noEntry && was != port {
		t.s.differ[0].add(l, "switch %016x forwards LID %d to port %d, and to port %d before, which stands",
			t.of, lid, port, was)
		return nil
	}
	t.at.ports[lid] = port
	return nil
}

// assign gives the tables to the switches, and LMCs to the hosts whose LIDs the
// comments name.
func (s *subnet) assign(f *Fabric) error {
	byPort := map[uint64]*Node{}
	have := 0
	for i := range f.Nodes {
		n := &f.Nodes[i]
		byPort[n.PortGUID] = n
		if !f.IsSwitch(i) {
			continue
		}
		if t := s.tables[n.GUID]; t != nil {
			n.table = t.ports
			have++
			if s.ended && !t.ended {
				n.cut = true
				f.warn(
					"the forwarding table of %s, at %s:%d, lacks the line \"... lids dumped\" at its end: is the "+
						"dump cut?", n.Name, t.at.File, t.at.Line)
			}
		} else {
			n.bare = true
			f.warn("the forwarding table of %s is missing from the dumps: where it sends packets is unknown", n.Name)
		}
	}
	if have < len(s.tables) {
		return s.stray(f)
	}
	last := map[*Node]int{}
	for lid, guid := range s.owners {
		if n := byPort[guid]; guid != 0 && n != nil && n.LID > 0 {
			last[n] = max(last[n], lid)
		}
	}
	for n, lid := range last {
		for n.LMC < 7 && lid >= n.LID+1<<n.LMC && n.LID&(1<<(n.LMC+1)-1) == 0 {
			n.LMC++
		}
	}
	for i := range s.differ {
		s.differ[i].warn(f)
	}
	return nil
}

// stray finds the first table of a switch that the subnet does not have.
func (s *subnet) stray(f *Fabric) error {
	known := map[uint64]bool{}
	for _, n := range f.Nodes[:f.Switches] {
		known[n.GUID] = true
	}
	var first *spec.PosError
	for guid, t := range s.tables {
		if !known[guid] && (first == nil || t.at.File < first.File ||
			t.at.File == first.File && t.at.Line < first.Line) {
			first = &spec.PosError{File: t.at.File, Line: t.at.Line, Col: 1, Msg: fmt.Sprintf(
				"a table of switch %016x, which is not in the subnet list: want both dumps whole, and of the same time", guid)}
		}
	}
	return first
}
