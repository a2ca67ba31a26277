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

// part is what a dump has below one head of a switch's table. Its last line tells whether it is whole:
// ibroute and dump_lfts, whose heads have hexadecimal numbers, count the entries there, and OpenSM names the
// last LID of the fabric, with an entry or without.
type part struct {
	ranged  bool // the head has a range of LIDs
	counted bool // the last line counts the entries
	each    bool // it lists each LID of the fabric, as opensm.fdbs does, which has no last line
	from    int  // the first LID of the range
	end     int  // the last one
	lines   int  // of entries, with each LID counted once
	last    int  // LID of the entries so far
	total   int  // of the last line
	ended   *spec.PosError
}

// cut says what the dumps lack of a table.
type cut uint8

const (
	whole  cut = iota
	below      // there may be entries beyond the last line
	within     // any LID without a line may have an entry
)

func (t *forwarding) read(l *line) error {
	if l.take("0x") {
		return t.entry(l)
	}
	switch {
	case bytes.Contains(l.text, []byte("Multicast mlids")):
		return l.wrong("a multicast table: only unicast is checked")
	case l.take("Unicast lids"):
		p := lidRange(l)
		if !l.skipPast(" guid 0x") {
			return l.wrong("want the switch, as in \"guid 0x0002c90200417670\"")
		}
		return t.begin(l, p)
	case l.skipPast("dump_ucast_routes: Switch 0x"):
		return t.begin(l, part{last: -1, each: true})
	}
	for _, prose := range []string{"LID ", "Lid ", "Port ", "***"} {
		if bytes.HasPrefix(bytes.TrimLeft(l.text, " \t"), []byte(prose)) {
			return nil
		}
	}
	if bytes.Contains(l.text, []byte("lids dumped")) {
		t.end(l)
		return nil
	}
	if kindOf(l.text) != "" {
		return l.wrong("another dump begins here: put what follows into a file of its own")
	}
	return l.wrong("want the head of a switch's table or an entry, as in \"0x0001 003\"")
}

// lidRange reads the range of LIDs in a head: " [0-12]" of OpenSM, " [0x0-0xc]" of ibroute and dump_lfts.
func lidRange(l *line) part {
	p := part{last: -1}
	defer func(from int) { l.at = from }(l.at)
	if l.blanks(); !l.take("[") {
		return p
	}
	base := uint64(10)
	for i := range 2 {
		if l.take("0x") {
			base, p.counted = 16, true
		}
		v, ok := l.number(base, 0xFFFF)
		if !ok || i == 0 && !l.take("-") {
			return p
		}
		p.from, p.end = p.end, int(v)
	}
	p.ranged = true
	return p
}

func (t *forwarding) begin(l *line, p part) error {
	guid, ok := l.number(16, math.MaxUint64)
	if !ok {
		return l.wrong("want a GUID")
	}
	if t.of, t.at = guid, t.s.tables[guid]; t.at == nil {
		t.at = &routes{at: &spec.PosError{File: l.file, Line: l.n, Col: 1}}
		t.s.tables[guid] = t.at
	}
	t.at.parts = append(t.at.parts, p)
	return nil
}

// part returns what the line belongs to.
func (t *forwarding) part() *part { return &t.at.parts[len(t.at.parts)-1] }

// end reads "12 lids dumped" of OpenSM and "12 valid lids dumped " of ibroute and dump_lfts.
func (t *forwarding) end(l *line) {
	if t.at == nil || t.part().ended != nil {
		return
	}
	l.blanks()
	total, ok := l.number(10, 0xFFFF+1)
	if !ok {
		return
	}
	p := t.part()
	p.total, p.counted = int(total), p.counted || bytes.Contains(l.unread(), []byte(" valid "))
	p.ended, t.s.ended = &spec.PosError{File: l.file, Line: l.n, Col: 1}, true
}

// entry reads "0001 003 # ...", "0001 : 003  : 01   : yes" and "0001 : UNREACHABLE".
func (t *forwarding) entry(l *line) error {
	if t.at == nil {
		return l.wrong("an entry before the first switch")
	}
	if end := t.part().ended; end != nil {
		return l.wrong("an entry of an unknown switch: the table above ended in line %d; want a head first", end.Line)
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
	if p := t.part(); int(lid) > p.last {
		p.last = int(lid)
		p.lines++
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
	if port == noEntry {
		for len(t.at.none) <= lid/64 {
			t.at.none = append(t.at.none, 0)
		}
		t.at.none[lid/64] |= 1 << (lid % 64)
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
	have, top := 0, 0 // the last LID of a node
	for i := range f.Nodes {
		top = max(top, f.Nodes[i].LID)
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		byPort[n.PortGUID] = n
		if !f.IsSwitch(i) {
			continue
		}
		if t := s.tables[n.GUID]; t != nil {
			n.table, n.none = t.ports, t.none
			have++
			n.cut = s.cut(f, n, t, top)
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

// cut finds out what the dumps lack of a switch's table, and warns. One part that is whole suffices. LIDs
// beyond the last one of a node, top, do not matter.
func (s *subnet) cut(f *Fabric, n *Node, t *routes, top int) cut {
	var open, short, early, gaps, late *part
	for i := range t.parts {
		switch p := &t.parts[i]; {
		case p.each && (p.last < top || p.lines < p.last):
			gaps = p
		case p.each:
			return whole
		case p.from > 1:
			late = p
		case p.ended == nil:
			open = p
		case p.counted && p.lines < p.total:
			short = p
		case !p.counted && min(p.total, top) >= len(t.ports):
			early = p
		default:
			return whole
		}
	}
	switch {
	case short != nil:
		f.warn("the forwarding table of %s has %d entries, but %d by its last line, at %s:%d: is the dump cut?",
			n.Name, short.lines, short.total, short.ended.File, short.ended.Line)
		return within
	case early != nil:
		f.warn("the forwarding table of %s ends at LID %d, but at LID %d by its last line, at %s:%d: is the dump cut?",
			n.Name, max(0, len(t.ports)-1), early.total, early.ended.File, early.ended.Line)
		return below
	case late != nil:
		f.warn("the forwarding table of %s, at %s:%d, begins with LID %d: want all LIDs",
			n.Name, t.at.File, t.at.Line, late.from)
		return within
	case gaps != nil:
		f.warn("the forwarding table of %s, at %s:%d, has lines for %d of the LIDs up to %d, but opensm.fdbs lists "+
			"each: is the dump cut?", n.Name, t.at.File, t.at.Line, gaps.lines, max(top, gaps.last))
		return within
	case s.ended:
		f.warn("the forwarding table of %s, at %s:%d, lacks the line \"... lids dumped\" at its end: is the dump cut?",
			n.Name, t.at.File, t.at.Line)
		return below
	case !open.ranged:
		return whole // as far as can be told
	}
	if !s.warned {
		s.warned = true
		f.warn("no forwarding table, such as that of %s, at %s:%d, has the line \"... lids dumped\" at its end: "+
			"are the dumps cut?", n.Name, t.at.File, t.at.Line)
	}
	if min(open.end, top) >= len(t.ports) {
		return below
	}
	return whole
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
